/* Reading at places that data name: Gather, GatherND, GatherElements. Indices that are known are checked here, so a bad
 * one is the model's fault at compile time; those that arrive at run time are wrapped and clamped by `position`
 * (expr.c), so no read leaves its buffer. */
#include "meaning.h"

/* An empty dimension has no place to clamp to. */
static bool has_places(Build *b, const Node *n, Type out, int axis)
{
    if (type_count(out) == 0 || arg_type(n, 0).dims[axis] > 0)
        return true;
    return unfit(b, n, "axis %d of data is empty: there is nothing to gather", axis);
}

/* The place that operand 1 names in dimension axis. */
static const Idx *named(Lower *l, const Idx *const *at, int column, int axis)
{
    int64_t d = in_type(l, 0).dims[axis];
    return d > 0 ? position(l, 1, at, column, d) : idx_const(l->c, 0);
}

bool gather_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int axis;
    Dims d = {0};
    if (!attr_axis(b, n, "axis", t.rank, &axis) || !places_fit(b, n, 1, axis))
        return false;
    dims_take(&d, t, 0, axis);
    dims_take(&d, indices, 0, indices.rank);
    dims_take(&d, t, axis + 1, t.rank);
    return dims_type(b, n, out, t.dt, &d) && has_places(b, n, out[0], axis);
}

const Expr *gather_at(Lower *l, int out, const Idx *const *i)
{
    int rank = in_type(l, 0).rank, axis = sound_axis(l->node, "axis", rank), q = in_type(l, 1).rank;
    const Idx *at[MAX_RANK];
    for (int k = 0; k < rank; k++)
        at[k] = k < axis ? i[k] : k > axis ? i[k + q - 1] : named(l, i + axis, -1, axis);
    return in_at(l, 0, at);
}

/* ---- GatherND: the last dimension of indices holds the leading coordinates, behind the batch dimensions ---- */

bool gather_nd_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int64_t batch = node_int(n, "batch_dims", 0);
    Dims d = {0};
    bool fits = batch >= 0 && batch < t.rank && batch < indices.rank;
    for (int64_t i = 0; fits && i < batch; i++)
        fits = t.dims[i] == indices.dims[i];
    if (!fits)
        return unfit(b, n, "data and indices must share %lld leading dimensions, and have one more each",
                     (long long)batch);
    int64_t depth = indices.dims[indices.rank - 1];
    if (depth > t.rank - batch)
        return unfit(b, n, "the last dimension of indices is %lld, data has only %lld dimensions to index",
                     (long long)depth, (long long)t.rank - (long long)batch);
    dims_take(&d, indices, 0, indices.rank - 1);
    dims_take(&d, t, (int)(batch + depth), t.rank);
    if (!places_fit(b, n, (int)depth, (int)batch) || !dims_type(b, n, out, t.dt, &d))
        return false;
    for (int i = 0; i < depth; i++)
        if (!has_places(b, n, out[0], (int)batch + i))
            return false;
    return true;
}

const Expr *gather_nd_at(Lower *l, int out, const Idx *const *i)
{
    Type t = in_type(l, 0), indices = in_type(l, 1);
    int batch = (int)node_int(l->node, "batch_dims", 0), q = indices.rank, depth = (int)indices.dims[q - 1];
    const Idx *at[MAX_RANK];
    for (int k = 0; k < t.rank; k++)
        at[k] = k < batch ? i[k] : k < batch + depth ? named(l, i, k - batch, k) : i[k - batch - depth + q - 1];
    return in_at(l, 0, at);
}

/* ---- GatherElements: one index for each element of the result ---- */

bool gather_elements_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int axis;
    bool fits = t.rank == indices.rank && t.rank > 0;
    if (fits && !attr_axis(b, n, "axis", t.rank, &axis))
        return false;
    for (int i = 0; fits && i < t.rank; i++)
        fits = i == axis || indices.dims[i] <= t.dims[i];
    if (!fits)
        return unfit(b, n, "they must have the same rank, and indices no larger dimension but for the axis");
    return places_fit(b, n, 1, axis) && make_type(b, n, out, 0, t.dt, indices.rank, indices.dims) &&
           has_places(b, n, out[0], axis);
}

const Expr *gather_elements_at(Lower *l, int out, const Idx *const *i)
{
    int axis = sound_axis(l->node, "axis", in_type(l, 0).rank);
    return in_but(l, i, axis, named(l, i, -1, axis));
}
