/* views: movement is read and written through, so that a chain of Reshape, Flatten, Transpose, Slice … moves no bytes.
 *
 * First every reader of a movement kernel reads its source instead (index maps compose by substitution). What is left
 * of movement are graph outputs. Where such an output is the same bytes as a temporary in the same order, the temporary
 * is written there at once: it is renamed to the output everywhere, its subscripts taken apart along the output's
 * dimensions.
 *
 * A map that keeps a division in a reduction whose elements are read more than twice stays a buffer: dividing costs
 * more than copying. Requires: lower. Breaks nothing. */
#include "inline.h"

enum { HOT_REUSE = 2 };

static bool may(Ctx *c, const Uses *u, int position, const Kernel *k)
{
    (void)c, (void)u, (void)position;
    return expr_moves(k->value);
}

static bool now(Ctx *c, const Kernel *def, int def_position, const Kernel *reader, int position, int64_t times)
{
    (void)def_position, (void)position;
    if (times < 0) return expr_divisions(c, def->value) == 0;
    int64_t elements = buf_count(def->out);
    bool hot = times / HOT_REUSE > elements && reader->value->kind == E_REDUCE;
    return !hot || expr_divisions(c, def->value) == 0;
}

/* ---- outputs that are another buffer's bytes --------------------------------------------------------------------- */

typedef struct Rename { const Buf **to; int n; } Rename;      /* by buffer id */

static bool same_order(Ctx *c, const Kernel *k)
{
    const Expr *e = k->value;
    if (!kernel_whole(c, k) || e->kind != E_LOAD || e->dt != e->buf->dt || buf_count(e->buf) != buf_count(k->out)) return false;
    return idx_flat(c, e->buf->rank, e->buf->dims, e->at) == idx_flat(c, k->rank, k->dims, k->at);
}

static const Idx *const *along(Ctx *c, const Buf *from, const Idx *const *at, const Buf *to)
{
    const Idx **place = NEW_N(c, const Idx *, to->rank);
    idx_unflat(c, idx_flat(c, from->rank, from->dims, at), to->rank, to->dims, place);
    return place;
}

static const Buf *renamed(const Rename *r, const Buf *b)
{
    return b->kind == BUF_TEMP && b->id < r->n ? r->to[b->id] : NULL;
}

static const Expr *load_renamed(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Buf *to = renamed(arg, b);
    return to ? expr_load(c, to, along(c, b, at, to)) : NULL;
}

static const Idx *const *store_renamed(Ctx *c, const Buf **b, const Idx *const *at, void *arg)
{
    const Buf *to = renamed(arg, *b);
    if (!to) return at;
    const Idx *const *place = along(c, *b, at, to);
    *b = to;
    return place;
}

static const Kernel *rename_kernel(Ctx *c, const Kernel *k, Rename *names)
{
    Rewrite r = {NULL, load_renamed, names};
    Kernel to = *k;
    if (k->nest) {
        to.nest = stmt_rewrite(c, k->nest, &r, store_renamed);
        if (renamed(names, k->out)) to.out = renamed(names, k->out);
    } else {
        to.value = expr_rewrite(c, k->value, &r);
        to.at = store_renamed(c, &to.out, k->at, names);
    }
    const bool same = to.out == k->out && to.value == k->value && to.nest == k->nest;
    return same ? k : mem_copy(c, &to, sizeof to);
}

static Prog *claim_outputs(Ctx *c, Prog *p)
{
    Mark m = scratch_mark(c);
    Uses u = prog_uses(c, p);
    Rename names = {SCRATCH_N(c, const Buf *, u.n + 1), u.n};
    const Kernel **out = SCRATCH_N(c, const Kernel *, p->nkernels + 1);
    int n = 0;
    bool claimed = false;
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        if (k->out->kind != BUF_OUT || u.writers[k->out->id] != 1 || !same_order(c, k)) continue;
        const Buf *t = k->value->buf;
        if (t->kind != BUF_TEMP || names.to[t->id] || u.writer[t->id] >= i) continue;
        names.to[t->id] = k->out;
        claimed = true;
    }
    for (int i = 0; claimed && i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        const bool gone = !k->nest && k->value->kind == E_LOAD && renamed(&names, k->value->buf) == k->out;
        if (!gone) out[n++] = rename_kernel(c, k, &names);
    }
    Prog *q = claimed ? prog_with(c, p, n, out) : p;
    scratch_release(c, m);
    return q;
}

Unit pass_views(Ctx *c, Unit u)
{
    static const Inline how = {may, now, true, false};
    u.prog = claim_outputs(c, prog_inline(c, u.prog, &how));
    return u;
}
