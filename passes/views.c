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
#include "rename.h"

enum { HOT_REUSE = 2 };

static bool may(Ctx *c, const Uses *u, int position, const Kernel *k)
{
    (void)c, (void)u, (void)position;
    return expr_moves(k->value);
}

static bool now(Ctx *c, const Reading *r)
{
    if (r->times < 0) return expr_divisions(c, r->def->value) == 0;
    int64_t elements = buf_count(r->def->out);
    bool hot = r->times / HOT_REUSE > elements && r->reader->value->kind == E_REDUCE;
    return !hot || expr_divisions(c, r->def->value) == 0;
}

/* ---- outputs that are another buffer's bytes ----------------------------------------------------------------- */

static bool same_order(Ctx *c, const Kernel *k)
{
    const Expr *e = k->value;
    if (!kernel_whole(c, k) || e->kind != E_LOAD || e->dt != e->buf->dt) return false;
    if (buf_count(e->buf) != buf_count(k->out)) return false;
    return idx_flat(c, e->buf->rank, e->buf->dims, e->at) == idx_flat(c, k->rank, k->dims, k->at);
}

static Prog *claim_outputs(Ctx *c, Prog *p)
{
    Mark m = scratch_mark(c);
    Uses u = prog_uses(c, p);
    Rename names = {SCRATCH_N(c, const Buf *, u.n + 1), u.n, NULL, NULL};
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
        const Buf *b = !k->nest && k->value->kind == E_LOAD ? k->value->buf : NULL;
        const bool gone = b && b->id < names.n && names.to[b->id] == k->out;
        if (!gone) out[n++] = kernel_rename(c, k, &names);
    }
    Prog *q = claimed ? prog_with(c, p, n, out) : p;
    scratch_release(c, m);
    return q;
}

Unit pass_views(Ctx *c, Unit u)
{
    static const Inline how = {may, now, true, false};
    u.prog = claim_outputs(c, prog_inline(c, u.prog, &how, u.target));
    return u;
}
