/* Buffers that get other dimensions: every load and store of one names another instead, at the place that holds the
 * same element. */
#include "rename.h"

static const Buf *renamed(const Rename *r, const Buf *b)
{
    return b->kind != BUF_LOCAL && b->id < r->n ? r->to[b->id] : NULL;
}

static const Idx *const *along(Ctx *c, const Buf *from, const Idx *const *at, const Buf *to)
{
    const Idx **place = NEW_N(c, const Idx *, to->rank);
    idx_unflat(c, idx_flat(c, from->rank, from->dims, at), to->rank, to->dims, place);
    return place;
}

static const Idx *const *place_of(Ctx *c, const Rename *r, const Buf *from, const Idx *const *at, const Buf *to)
{
    return r->place ? r->place(c, from, at, to, r->arg) : along(c, from, at, to);
}

static const Expr *load_renamed(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Buf *to = renamed(arg, b);
    return to ? expr_load(c, to, place_of(c, arg, b, at, to)) : NULL;
}

static const Idx *const *store_renamed(Ctx *c, const Buf **b, const Idx *const *at, void *arg)
{
    const Buf *to = renamed(arg, *b);
    if (!to) return at;
    const Idx *const *place = place_of(c, arg, *b, at, to);
    *b = to;
    return place;
}

const Kernel *kernel_rename(Ctx *c, const Kernel *k, Rename *names)
{
    Rewrite r = {.load = load_renamed, .arg = names};
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

Prog *prog_rename(Ctx *c, const Prog *p, Rename *r)
{
    const Kernel **out = NEW_N(c, const Kernel *, p->nkernels);
    Prog q = *p;
    q.bufs = mem_copy(c, p->bufs, sizeof *p->bufs * (size_t)p->nbufs);
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *to = renamed(r, p->bufs[i]);
        if (to && to->kind != BUF_OUT) q.bufs[i] = (Buf *)to;
    }
    for (int i = 0; i < p->nkernels; i++) out[i] = kernel_rename(c, p->kernels[i], r);
    return prog_with(c, &q, p->nkernels, out);
}
