/* What only renames the elements' places: Shape (a constant, as shapes are static), and Reshape, Flatten, Squeeze,
 * Unsqueeze and Identity, which keep every element in its row-major place. The latter share one index map,
 * `reshaped_at`. */
#include "meaning.h"

bool shape(Build *b, const Node *n, Edge **out)
{
    Type t = arg_type(n, 0);
    int64_t r = t.rank, start = node_int(n, "start", 0), end = node_int(n, "end", r);
    start = start < -r ? 0 : start < 0 ? start + r : start > r ? r : start;
    end = end < -r ? 0 : end < 0 ? end + r : end > r ? r : end;
    out[0] = build_ints(b, end > start ? (int)(end - start) : 0, t.dims + (start < end ? start : 0));
    return true;
}

const Expr *identity_at(Lower *l, int out, const Idx *const *i)
{
    return in_at(l, 0, i);
}

const Expr *reshaped_at(Lower *l, int out, const Idx *const *i)
{
    Type to = out_type(l, out), from = in_type(l, 0);
    const Idx *at[MAX_RANK];
    view_reshape(l->c, to.rank, to.dims, i, from.rank, from.dims, at);
    return in_at(l, 0, at);
}

/* Reads the target's rules: dims gets the result's dimensions. */
static bool target_dims(Build *b, const Node *n, Ints target, int64_t *dims)
{
    Type t = arg_type(n, 0);
    bool copies = node_int(n, "allowzero", 0) == 0, good = target.n <= MAX_RANK, zero = false;
    int hole = -1;
    for (int i = 0; good && i < target.n; i++) {
        dims[i] = target.v[i] == 0 && copies ? i < t.rank ? t.dims[i] : INT64_MIN : target.v[i];
        good = dims[i] >= 0 || (dims[i] == -1 && hole < 0);
        hole = dims[i] == -1 ? i : hole;
        zero |= target.v[i] == 0 && !copies;
    }
    if (!good || (zero && hole >= 0))
        return unfit(b, n, "the target shape has at most %d dimensions: positive ones, at most one -1, which is "
                     "inferred, and 0, which copies that dimension of the input, if there is one; with allowzero = 1 "
                     "it is a dimension of 0, and -1 cannot be inferred", MAX_RANK);
    int64_t rest, count = type_count(t);
    if (hole < 0)
        return true;
    dims[hole] = 1;
    if (!dims_count(target.n, dims, &rest) || rest == 0 || count % rest != 0)
        return unfit(b, n, "cannot infer the -1 in the target shape: the other dimensions must multiply to what "
                     "divides the number of elements, %lld, and is not 0", (long long)count);
    dims[hole] = count / rest;
    return true;
}

bool reshape_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints target;
    int64_t dims[MAX_RANK], count;
    if (!arg_ints(b, n, 1, &target) || !target_dims(b, n, target, dims))
        return false;
    bool fits = dims_count(target.n, dims, &count);
    if (!fits || count != type_count(t))
        return node_error(b, n, "cannot reshape %s (%lld elements) to %s (%s%lld elements): the element counts must "
                          "agree", type_text(b->c, t), (long long)type_count(t), dims_text(b->c, target.n, dims),
                          fits ? "" : "more than ", fits ? (long long)count : 1LL << 40);
    return make_type(b, n, out, 0, t.dt, target.n, dims);
}

bool flatten_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t axis = node_int(n, "axis", 1), dims[2];
    int at = 0;
    if (n->sig->since < 11 && axis < 0)
        return unfit(b, n, "the axis is out of range [0, %d], a negative one is known from opset 11 on", t.rank);
    if (t.rank == 0 && axis == 1) /* the default: a scalar becomes (1, 1) */
        axis = 0;
    if (!node_axis(b, n, axis, t.rank, true, &at))
        return false;
    if (!dims_count(at, t.dims, &dims[0]) || !dims_count(t.rank - at, t.dims + at, &dims[1]))
        return unfit(b, n, "one side of the axis has more than 2^40 elements");
    return make_type(b, n, out, 0, t.dt, 2, dims);
}

bool squeeze_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints axes;
    bool on[MAX_RANK], all = !arg(n, 1);
    Dims d = {0};
    if (!all && (!arg_ints(b, n, 1, &axes) || !axes_set(b, n, axes, t.rank, on)))
        return false;
    for (int i = 0; i < t.rank; i++) {
        if (!all && on[i] && t.dims[i] != 1)
            return unfit(b, n, "cannot squeeze axis %d, its dimension is %lld, not 1", i, (long long)t.dims[i]);
        if (all ? t.dims[i] != 1 : !on[i])
            dims_take(&d, t, i, i + 1);
    }
    return dims_type(b, n, out, t.dt, &d);
}

bool unsqueeze_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints axes;
    bool on[MAX_RANK];
    int64_t dims[MAX_RANK];
    if (!arg_ints(b, n, 1, &axes))
        return false;
    if (axes.n > MAX_RANK - t.rank)
        return unfit(b, n, "a result has at most %d dimensions", MAX_RANK);
    int rank = t.rank + axes.n;
    if (!axes_set(b, n, axes, rank, on))
        return false;
    for (int i = 0, from = 0; i < rank; i++)
        dims[i] = on[i] ? 1 : t.dims[from++];
    return make_type(b, n, out, 0, t.dt, rank, dims);
}
