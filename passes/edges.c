/* Edges of what lanes run along: a guard of padding there, as at the left and the right of an image that lies plane by
 * plane, differs from lane to lane. So such a kernel goes in parts: the inside, in which all of them hold, and the few
 * columns on either side, which go by rows alone. */
#include "loopify.h"
#include "tile.h"

enum { COLUMNS_MOST = 8, INSIDE_LEAST = 16 };

typedef struct Inside { Ctx *c; int var; int64_t extent, first, end; bool guarded, ok; } Inside;

static void see_guard(const Expr *e, void *arg)
{
    Inside *in = arg;
    int64_t step;
    if (e->kind != E_IN || !idx_uses(e->at[0], in->var)) return;
    in->guarded = true;
    in->ok &= idx_affine(e->at[0], in->var, &step) && step > 0;
    if (!in->ok) return;
    const Idx *rest = idx_axpy(in->c, e->at[0], -step, idx_var(in->c, in->var, in->extent));
    const int64_t first = rest->lo < 0 ? (-rest->lo + step - 1) / step : 0;
    const int64_t end = rest->hi < e->extent ? (e->extent - 1 - rest->hi) / step + 1 : 0;
    in->first = first > in->first ? first : in->first;
    in->end = end < in->end ? end : in->end;
}

int edges_of(Ctx *c, const Kernel *k, const Kernel **to)
{
    int64_t step;
    for (int v = k->rank; !k->nest && v-- > 0;) {
        if (!idx_affine(idx_flat(c, k->out->rank, k->out->dims, k->at), v, &step) || step != 1) continue;
        Inside in = {c, v, k->dims[v], 0, k->dims[v], false, true};
        expr_walk(c, k->value, see_guard, &in);
        const int64_t width = in.end - in.first;
        if (!in.guarded || !in.ok || width < INSIDE_LEAST || k->dims[v] - width > COLUMNS_MOST) return 0;
        int n = 0;
        if (in.first > 0) to[n++] = kernel_part(c, k, v, 0, 1, in.first);
        to[n++] = kernel_part(c, k, v, in.first, 1, width);
        if (in.end < k->dims[v]) to[n++] = kernel_part(c, k, v, in.end, 1, k->dims[v] - in.end);
        return n;
    }
    return 0;
}
