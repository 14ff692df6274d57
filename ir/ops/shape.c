/* What only renames the elements' places: Shape and Size (constants, as shapes are static), and Reshape, Flatten,
 * Squeeze, Unsqueeze and Identity, which keep every element in its row-major place. The latter share one index
 * map, `reshaped_at`. */
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

bool size(Build *b, const Node *n, Edge **out)
{
    out[0] = build_const(b, NULL, tensor_int(b->c, type_count(arg_type(n, 0))), n->loc);
    return true;
}

bool identity_infer(Build *b, const Node *n, Type *out)
{
    (void)b;
    out[0] = arg_type(n, 0);
    return true;
}

const Expr *identity_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return in_at(l, 0, i);
}

const Expr *reshaped_at(Lower *l, int out, const Idx *const *i)
{
    Type to = out_type(l, out), from = in_type(l, 0);
    const Idx *at[MAX_RANK];
    view_reshape(l->c, to.rank, to.dims, i, from.rank, from.dims, at);
    return in_at(l, 0, at);
}

/* ---- Reshape ---- */

/* The dimension at i of the target, with 0 copied; -1 stays. */
static bool target_dim(Build *b, const Node *n, Ints target, int i, bool allowzero, int64_t *dim)
{
    Type t = arg_type(n, 0);
    *dim = target.v[i];
    if (*dim < -1)
        return node_error(b, n, "the target shape %s holds %lld at index %d: a dimension is positive, 0 or at most one "
                          "-1", dims_text(b->c, target.n, target.v), (long long)*dim, i);
    if (*dim == 0 && !allowzero) {
        if (i >= t.rank)
            return node_error(b, n, "the target shape %s has a 0 at index %d, which copies that dimension of the "
                              "input, but %s has rank %d; allowzero = 1 would make it a dimension of 0",
                              dims_text(b->c, target.n, target.v), i, type_text(b->c, t), t.rank);
        *dim = t.dims[i];
    }
    return true;
}

/* Puts what is missing in place of the -1 at `hole`. */
static bool fill_hole(Build *b, const Node *n, Ints target, int hole, int64_t *dims)
{
    Type t = arg_type(n, 0);
    int64_t rest, count = type_count(t);
    dims[hole] = 1;
    if (!dims_count(target.n, dims, &rest))
        return node_error(b, n, "cannot reshape %s (%lld elements) to %s: the other dimensions alone multiply to more "
                          "than 2^40", type_text(b->c, t), (long long)count, dims_text(b->c, target.n, target.v));
    if (rest == 0)
        return node_error(b, n, "cannot infer the -1 in the target shape %s of %s: the other dimensions multiply to 0, "
                          "so any size would fit", dims_text(b->c, target.n, target.v), type_text(b->c, t));
    if (count % rest != 0)
        return node_error(b, n, "cannot reshape %s (%lld elements) to %s: the other dimensions multiply to %lld, which "
                          "does not divide %lld", type_text(b->c, t), (long long)count,
                          dims_text(b->c, target.n, target.v), (long long)rest, (long long)count);
    dims[hole] = count / rest;
    return true;
}

/* Reads the target's rules: dims gets the result's dimensions. */
static bool target_dims(Build *b, const Node *n, Ints target, bool allowzero, int64_t *dims)
{
    int hole = -1;
    bool zero = false;
    if (target.n > MAX_RANK)
        return node_error(b, n, "the target shape has %d dimensions: at most %d are supported", target.n, MAX_RANK);
    for (int i = 0; i < target.n; i++) {
        if (!target_dim(b, n, target, i, allowzero, &dims[i]))
            return false;
        zero |= target.v[i] == 0;
        if (dims[i] == -1 && hole >= 0)
            return node_error(b, n, "the target shape %s has a -1 at index %d and at index %d: at most one dimension "
                              "can be inferred", dims_text(b->c, target.n, target.v), hole, i);
        if (dims[i] == -1)
            hole = i;
    }
    if (allowzero && zero && hole >= 0)
        return node_error(b, n, "the target shape %s holds both a 0 and a -1: with allowzero = 1 the -1 cannot be "
                          "inferred", dims_text(b->c, target.n, target.v));
    return hole < 0 || fill_hole(b, n, target, hole, dims);
}

bool reshape_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints target;
    int64_t dims[MAX_RANK], count;
    if (!arg_ints(b, n, 1, &target) || !target_dims(b, n, target, node_int(n, "allowzero", 0) != 0, dims))
        return false;
    bool fits = dims_count(target.n, dims, &count);
    if (!fits || count != type_count(t))
        return node_error(b, n, "cannot reshape %s (%lld elements) to %s (%s%lld elements): the element counts must "
                          "agree", type_text(b->c, t), (long long)type_count(t), dims_text(b->c, target.n, dims),
                          fits ? "" : "more than ", fits ? (long long)count : 1LL << 40);
    return make_type(b, n, out, 0, t.dt, target.n, dims);
}

/* ---- Flatten, Squeeze, Unsqueeze ---- */

bool flatten_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t axis = node_int(n, "axis", 1), dims[2];
    int at = 0;
    if (n->sig->since < 11 && axis < 0)
        return node_error(b, n, "axis %lld is out of range [0, %d]: a negative axis is known from opset 11 on",
                          (long long)axis, t.rank);
    if (t.rank == 0 && axis == 1) /* the default: a scalar becomes (1, 1) */
        axis = 0;
    if (!node_axis(b, n, axis, t.rank, true, &at))
        return false;
    if (!dims_count(at, t.dims, &dims[0]) || !dims_count(t.rank - at, t.dims + at, &dims[1]))
        return node_error(b, n, "one side of axis %d of %s has more than 2^40 elements", at, type_text(b->c, t));
    return make_type(b, n, out, 0, t.dt, 2, dims);
}

bool squeeze_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints axes;
    bool on[MAX_RANK];
    int64_t dims[MAX_RANK];
    int rank = 0;
    bool all = !arg(n, 1);
    if (!all && (!arg_ints(b, n, 1, &axes) || !axes_set(b, n, axes, t.rank, on)))
        return false;
    for (int i = 0; i < t.rank; i++) {
        if (all ? t.dims[i] == 1 : on[i]) {
            if (t.dims[i] != 1)
                return node_error(b, n, "cannot squeeze axis %d of %s: its dimension is %lld, not 1", i,
                                  type_text(b->c, t), (long long)t.dims[i]);
        } else {
            dims[rank++] = t.dims[i];
        }
    }
    return make_type(b, n, out, 0, t.dt, rank, dims);
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
        return node_error(b, n, "%d axes on %s: a result has at most %d dimensions", axes.n, type_text(b->c, t),
                          MAX_RANK);
    int rank = t.rank + axes.n, from = 0;
    if (!axes_set(b, n, axes, rank, on))
        return false;
    for (int i = 0; i < rank; i++)
        dims[i] = on[i] ? 1 : t.dims[from++];
    return make_type(b, n, out, 0, t.dt, rank, dims);
}
