/* Reading at places that data name: Gather, GatherND, GatherElements. Indices that are known are checked here, so a bad
 * one is the model's fault at compile time; those that arrive at run time are wrapped and clamped by `position`
 * (expr.c), so no read leaves its buffer. */
#include "meaning.h"

static bool gather_axis(Build *b, const Node *n, int *axis)
{
    return node_axis(b, n, node_int(n, "axis", 0), arg_type(n, 0).rank, false, axis);
}

/* An empty dimension has no place to clamp to. */
static bool has_places(Build *b, const Node *n, Type out, int axis)
{
    Type t = arg_type(n, 0);
    if (type_count(out) == 0 || t.dims[axis] > 0)
        return true;
    return node_error(b, n, "axis %d of data, %s, is empty: there is nothing to gather", axis, type_text(b->c, t));
}

bool gather_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int axis, rank = 0;
    int64_t dims[2 * MAX_RANK];
    if (t.rank == 0)
        return node_error(b, n, "data is a scalar: it must have a dimension to gather from");
    if (!gather_axis(b, n, &axis) ||
        !indices_fit(b, n, 1, 1, &t.dims[axis], internf(b->c, "axis %d of data, %s,", axis, type_text(b->c, t))))
        return false;
    for (int i = 0; i < axis; i++)
        dims[rank++] = t.dims[i];
    for (int i = 0; i < indices.rank; i++)
        dims[rank++] = indices.dims[i];
    for (int i = axis + 1; i < t.rank; i++)
        dims[rank++] = t.dims[i];
    return make_type(b, n, out, 0, t.dt, rank, dims) && has_places(b, n, out[0], axis);
}

const Expr *gather_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Type t = in_type(l, 0);
    int axis = 0, q = in_type(l, 1).rank;
    const Idx *at[MAX_RANK];
    gather_axis(l->b, l->node, &axis);
    for (int k = 0; k < t.rank; k++)
        at[k] = k < axis ? i[k] : k > axis ? i[k + q - 1] : idx_const(l->c, 0);
    if (t.dims[axis] > 0)
        at[axis] = position(l, 1, i + axis, -1, t.dims[axis]);
    return in_at(l, 0, at);
}

/* ---- GatherND: the last dimension of indices holds the leading coordinates, behind the batch dimensions
 * ------------------- */

bool gather_nd_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int64_t batch = node_int(n, "batch_dims", 0), dims[2 * MAX_RANK];
    int rank = 0;
    bool fits = batch >= 0 && batch < t.rank && batch < indices.rank;
    for (int64_t i = 0; fits && i < batch; i++)
        fits = t.dims[i] == indices.dims[i];
    if (!fits)
        return node_error(b, n, "batch_dims = %lld: data %s and indices %s must share that many leading dimensions and "
                          "have one more each", (long long)batch, type_text(b->c, t), type_text(b->c, indices));
    int64_t depth = indices.dims[indices.rank - 1];
    if (depth > t.rank - batch)
        return node_error(b, n, "the last dimension of indices %s is %lld: data %s has only %lld dimensions to index",
                          type_text(b->c, indices), (long long)depth, type_text(b->c, t),
                          (long long)t.rank - (long long)batch);
    if (!indices_fit(b, n, 1, (int)depth, t.dims + batch, internf(b->c, "data %s", type_text(b->c, t))))
        return false;
    for (int i = 0; i < indices.rank - 1; i++)
        dims[rank++] = indices.dims[i];
    for (int i = (int)(batch + depth); i < t.rank; i++)
        dims[rank++] = t.dims[i];
    if (!make_type(b, n, out, 0, t.dt, rank, dims))
        return false;
    for (int i = 0; i < depth; i++)
        if (!has_places(b, n, out[0], (int)batch + i))
            return false;
    return true;
}

const Expr *gather_nd_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Type t = in_type(l, 0), indices = in_type(l, 1);
    int batch = (int)node_int(l->node, "batch_dims", 0), q = indices.rank, depth = (int)indices.dims[q - 1];
    const Idx *at[MAX_RANK];
    for (int k = 0; k < t.rank; k++) {
        if (k < batch) {
            at[k] = i[k];
        } else if (k >= batch + depth) {
            at[k] = i[k - batch - depth + q - 1];
        } else {
            at[k] = t.dims[k] > 0 ? position(l, 1, i, k - batch, t.dims[k]) : idx_const(l->c, 0);
        }
    }
    return in_at(l, 0, at);
}

/* ---- GatherElements: one index for each element of the result ---- */

bool gather_elements_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int axis;
    bool fits = t.rank == indices.rank && t.rank > 0;
    if (fits && !gather_axis(b, n, &axis))
        return false;
    for (int i = 0; fits && i < t.rank; i++)
        fits = i == axis || indices.dims[i] <= t.dims[i];
    if (!fits)
        return node_error(b, n, "data is %s, indices is %s: they must have the same rank, and indices no larger "
                          "dimension but for the axis", type_text(b->c, t), type_text(b->c, indices));
    return indices_fit(b, n, 1, 1, &t.dims[axis], internf(b->c, "axis %d of data, %s,", axis, type_text(b->c, t))) &&
           make_type(b, n, out, 0, t.dt, indices.rank, indices.dims) && has_places(b, n, out[0], axis);
}

const Expr *gather_elements_at(Lower *l, int out, const Idx *const *i)
{
    Type t = in_type(l, 0);
    int axis = 0;
    const Idx *at[MAX_RANK];
    gather_axis(l->b, l->node, &axis);
    memcpy(at, i, sizeof *at * (size_t)out_type(l, out).rank);
    at[axis] = t.dims[axis] > 0 ? position(l, 1, i, -1, t.dims[axis]) : idx_const(l->c, 0);
    return in_at(l, 0, at);
}
