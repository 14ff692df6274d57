/* Elements that change places, none its value: Transpose, Expand, Tile and Repeat, Slice, Concat, Split, Trilu. Each
 * gives, for a place of the result, the place that it reads (view.c composes and simplifies these maps). Concat alone
 * is a view on the writing side: each operand is stored into its part of the result. */
#include "meaning.h"

/* ---- Transpose, Expand, Tile, Repeat ---- */

static bool permutation(Build *b, const Node *n, int *perm)
{
    Type t = arg_type(n, 0);
    Ints list;
    bool given = attr_list(n, "perm", &list);
    bool seen[MAX_RANK] = {false};
    for (int i = 0; i < t.rank; i++)
        perm[i] = t.rank - 1 - i;
    bool good = !given || list.n == t.rank;
    for (int i = 0; given && good && i < t.rank; i++) {
        good = list.v[i] >= 0 && list.v[i] < t.rank && !seen[list.v[i]];
        if (good)
            seen[perm[i] = (int)list.v[i]] = true;
    }
    if (!good)
        node_error(b, n, "perm = %s is not an order of the %d dimensions of %s: each of 0 .. %d stands in it once",
                   dims_text(b->c, list.n, list.v), t.rank, type_text(b->c, t), t.rank - 1);
    return good;
}

bool transpose_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int perm[MAX_RANK];
    int64_t dims[MAX_RANK];
    if (!permutation(b, n, perm))
        return false;
    for (int i = 0; i < t.rank; i++)
        dims[i] = t.dims[perm[i]];
    return make_type(b, n, out, 0, t.dt, t.rank, dims);
}

const Expr *transpose_at(Lower *l, int out, const Idx *const *i)
{
    int perm[MAX_RANK];
    const Idx *at[MAX_RANK];
    permutation(l->b, l->node, perm);
    view_transpose(out_type(l, out).rank, perm, i, at);
    return in_at(l, 0, at);
}

bool expand_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints shape;
    int rank;
    int64_t dims[MAX_RANK];
    if (!arg_ints(b, n, 1, &shape))
        return false;
    for (int i = 0; i < shape.n; i++)
        if (shape.v[i] < 0)
            return node_error(b, n, "the shape %s has a negative dimension at index %d",
                              dims_text(b->c, shape.n, shape.v), i);
    if (shape.n > MAX_RANK || !broadcast_dims(t.rank, t.dims, shape.n, shape.v, &rank, dims))
        return node_error(b, n, "%s cannot be broadcast with the shape %s: aligned from the right, two dimensions are "
                          "equal or one of them is 1", type_text(b->c, t), dims_text(b->c, shape.n, shape.v));
    return make_type(b, n, out, 0, t.dt, rank, dims);
}

const Expr *expand_at(Lower *l, int out, const Idx *const *i)
{
    Type t = in_type(l, 0);
    const Idx *at[MAX_RANK];
    view_expand(l->c, out_type(l, out).rank, i, t.rank, t.dims, at);
    return in_at(l, 0, at);
}

static bool times(Build *b, const Node *n, Ints repeats, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t dims[MAX_RANK], most = (int64_t)1 << 40;
    for (int i = 0; i < repeats.n; i++) {
        int64_t d = i < repeats.n - t.rank ? 1 : t.dims[i - (repeats.n - t.rank)];
        if (d != 0 && repeats.v[i] > most / d)
            return node_error(b, n, "%lld times the dimension %lld at index %d is more than 2^40",
                              (long long)repeats.v[i], (long long)d, i);
        dims[i] = d * repeats.v[i];
    }
    return make_type(b, n, out, 0, t.dt, repeats.n, dims);
}

bool tile_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints repeats;
    if (!arg_ints(b, n, 1, &repeats))
        return false;
    if (repeats.n != t.rank)
        return node_error(b, n, "repeats %s has length %d, but %s has rank %d: there must be one repeat for each "
                          "dimension", dims_text(b->c, repeats.n, repeats.v), repeats.n, type_text(b->c, t), t.rank);
    for (int i = 0; i < repeats.n; i++)
        if (repeats.v[i] < 0)
            return node_error(b, n, "repeats %s is negative at index %d", dims_text(b->c, repeats.n, repeats.v), i);
    return times(b, n, repeats, out);
}

bool repeat_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints multiples;
    attr_list(n, "multiples", &multiples);
    if (multiples.n < t.rank || multiples.n > 8)
        return node_error(b, n, "multiples %s has length %d: for %s it must be at least %d and at most 8",
                          dims_text(b->c, multiples.n, multiples.v), multiples.n, type_text(b->c, t), t.rank);
    for (int i = 0; i < multiples.n; i++)
        if (multiples.v[i] <= 0)
            return node_error(b, n, "multiples %s is not positive at index %d",
                              dims_text(b->c, multiples.n, multiples.v), i);
    return times(b, n, multiples, out);
}

const Expr *repeated_at(Lower *l, int out, const Idx *const *i)
{
    Type t = in_type(l, 0);
    const Idx *at[MAX_RANK];
    view_repeat(l->c, out_type(l, out).rank, i, t.rank, t.dims, at);
    return in_at(l, 0, at);
}

/* Version 1 repeats one axis: both scalars, of the data's type. */
bool tile_1(Build *b, const Node *n, Edge **out)
{
    Type t = arg_type(n, 0);
    const Tensor *tiles = arg_known(n, 1), *axis = arg_known(n, 2);
    int64_t repeats[MAX_RANK];
    int at;
    if (!tiles || !axis || type_count(tiles->type) != 1 || type_count(axis->type) != 1)
        return node_error(b, n, "tiles and axis must be constant scalars");
    double count = tensor_at_double(tiles, 0), where = tensor_at_double(axis, 0);
    if (!(count >= 0 && count < 4e18 && fabs(where) < 1e9))
        return node_error(b, n, "tiles is %g and axis is %g: out of range", count, where);
    if (!node_axis(b, n, (int64_t)where, t.rank, false, &at))
        return false;
    for (int i = 0; i < t.rank; i++)
        repeats[i] = i == at ? (int64_t)count : 1;
    return rebuild(b, n, 2, (Edge *[]){n->in[0], build_ints(b, t.rank, repeats)}, 0, NULL, out);
}

/* ---- Slice ---- */

typedef struct Cut {
    int64_t start[MAX_RANK], step[MAX_RANK], count[MAX_RANK];
} Cut;

/* start : end : step of a dimension of d elements, with the clamping of the standard. */
static void cut_axis(Cut *cut, int axis, int64_t d, int64_t start, int64_t end, int64_t step)
{
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? d : d - 1;
    step = step > d + 1 ? d + 1 : step < -d - 1 ? -d - 1 : step; /* further than the end is the end */
    start = start < 0 ? start + d : start;
    end = end < 0 ? end + d : end;
    start = start < 0 ? 0 : start;
    start = start > high ? high : start;
    end = end < low ? low : end > high ? high : end;
    int64_t span = step > 0 ? end - start : start - end, size = step > 0 ? step : -step;
    cut->start[axis] = start < 0 ? 0 : start;
    cut->step[axis] = step;
    cut->count[axis] = span > 0 ? (span - 1) / size + 1 : 0;
}

static bool cut_of(Build *b, const Node *n, Cut *cut)
{
    Type t = arg_type(n, 0);
    Ints starts, ends, axes = {0}, steps = {0};
    bool given = arg(n, 3), stepped = arg(n, 4), seen[MAX_RANK] = {false};
    if (!arg_ints(b, n, 1, &starts) || !arg_ints(b, n, 2, &ends) || (given && !arg_ints(b, n, 3, &axes)) ||
        (stepped && !arg_ints(b, n, 4, &steps)))
        return false;
    if (starts.n != ends.n || (given && axes.n != starts.n) || (stepped && steps.n != starts.n) ||
        (!given && starts.n > t.rank))
        return node_error(b, n, "starts %s, ends %s, axes %s, steps %s: their lengths must agree, and be at most the "
                          "rank of %s", dims_text(b->c, starts.n, starts.v), dims_text(b->c, ends.n, ends.v),
                          given ? dims_text(b->c, axes.n, axes.v) : "(left out)",
                          stepped ? dims_text(b->c, steps.n, steps.v) : "(left out)", type_text(b->c, t));
    for (int i = 0; i < t.rank; i++)
        cut->start[i] = 0, cut->step[i] = 1, cut->count[i] = t.dims[i];
    for (int i = 0; i < starts.n; i++) {
        int axis;
        if (!node_axis(b, n, given ? axes.v[i] : i, t.rank, false, &axis))
            return false;
        if (seen[axis] || (stepped && steps.v[i] == 0))
            return node_error(b, n, seen[axis] ? "axis %d is sliced twice" : "the step of axis %d is 0: it must not be",
                              axis);
        seen[axis] = true;
        cut_axis(cut, axis, t.dims[axis], starts.v[i], ends.v[i], stepped ? steps.v[i] : 1);
    }
    return true;
}

bool slice_infer(Build *b, const Node *n, Type *out)
{
    Cut cut;
    return cut_of(b, n, &cut) && make_type(b, n, out, 0, arg_type(n, 0).dt, arg_type(n, 0).rank, cut.count);
}

const Expr *sliced_at(Lower *l, int out, const Idx *const *i)
{
    Cut cut;
    const Idx *at[MAX_RANK];
    cut_of(l->b, l->node, &cut);
    view_slice(l->c, out_type(l, out).rank, cut.start, cut.step, i, at);
    return in_at(l, 0, at);
}

/* ---- Concat, Split ---- */

bool concat_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int axis;
    int64_t dims[MAX_RANK];
    if (t.rank == 0)
        return node_error(b, n, "the operands are scalars: they need a dimension along which to concatenate (Unsqueeze "
                          "gives one)");
    if (!node_axis(b, n, node_int(n, "axis", 1), t.rank, false, &axis))
        return false;
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    for (int k = 1; k < n->nin; k++) {
        Type u = arg_type(n, k);
        bool fits = u.rank == t.rank;
        for (int i = 0; fits && i < t.rank; i++)
            fits = i == axis || u.dims[i] == t.dims[i];
        if (!fits || u.dims[axis] > INT64_MAX - dims[axis])
            return node_error(b, n, "operand %d is %s, operand 0 is %s: their dimensions must agree but for axis %d", k,
                              type_text(b->c, u), type_text(b->c, t), axis);
        dims[axis] += u.dims[axis];
    }
    return make_type(b, n, out, 0, t.dt, t.rank, dims);
}

void concat(Lower *l)
{
    const Node *n = l->node;
    Type t = out_type(l, 0);
    int axis = 0;
    int64_t from = 0;
    node_axis(l->b, n, node_int(n, "axis", 1), t.rank, false, &axis);
    for (int k = 0; k < n->nin; k++) {
        Type u = in_type(l, k);
        if (type_count(u) > 0) {
            const Idx *const *i = lower_vars(l, u.rank, u.dims);
            const Idx *at[MAX_RANK];
            memcpy(at, i, sizeof *at * (size_t)u.rank);
            at[axis] = idx_add(l->c, at[axis], idx_const(l->c, from));
            lower_store_at(l, l->out[0], u.rank, u.dims, at, in_at(l, k, i));
        }
        from += u.dims[axis];
    }
}

/* Sizes of the parts: given, or as equal as they can be. */
static bool split_sizes(Build *b, const Node *n, int *axis, int64_t *sizes)
{
    Type t = arg_type(n, 0);
    if (!node_axis(b, n, node_int(n, "axis", 0), t.rank, false, axis))
        return false;
    int64_t d = t.dims[*axis], sum = 0, parts = node_int(n, "num_outputs", n->nout);
    bool counted = node_attr(n, "num_outputs");
    Ints split;
    if (arg(n, 1)) {
        if (!arg_ints(b, n, 1, &split))
            return false;
        if (counted || split.n != n->nout) {
            node_error(b, n,
                       counted ? "both split and num_outputs are given: only one may be"
                               : "split %s has length %d, but there are %d outputs",
                       dims_text(b->c, split.n, split.v), split.n, n->nout);
            return false;
        }
        for (int i = 0; i < split.n; i++) {
            if (split.v[i] < 0 || split.v[i] > d - sum)
                break;
            sum += sizes[i] = split.v[i];
        }
        bool fits = sum == d && memcmp(sizes, split.v, sizeof *sizes * (size_t)split.n) == 0;
        if (!fits)
            node_error(b, n, "split %s does not add up to %lld, axis %d of %s", dims_text(b->c, split.n, split.v),
                       (long long)d, *axis, type_text(b->c, t));
        return fits;
    }
    if (parts != n->nout || (!counted && d % parts != 0))
        return node_error(b, n, "axis %d of %s cannot be split into %lld parts for %d outputs%s", *axis,
                          type_text(b->c, t), (long long)parts, n->nout,
                          counted ? ": num_outputs must be the number of outputs" : ": give their sizes as split");
    int64_t chunk = (d + parts - 1) / parts; /* the last part may be smaller */
    for (int i = 0; i < n->nout; i++)
        sum += sizes[i] = chunk < d - sum ? chunk : d - sum;
    return true;
}

bool split_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int axis;
    int64_t dims[MAX_RANK], *sizes = NEW_N(b->c, int64_t, n->nout + 1);
    if (!split_sizes(b, n, &axis, sizes))
        return false;
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    for (int k = 0; k < n->nout; k++) {
        dims[axis] = sizes[k];
        if (!make_type(b, n, out, k, t.dt, t.rank, dims))
            return false;
    }
    return true;
}

const Expr *split_at(Lower *l, int out, const Idx *const *i)
{
    int axis = 0;
    int64_t from = 0, *sizes = NEW_N(l->c, int64_t, l->node->nout + 1);
    const Idx *at[MAX_RANK];
    split_sizes(l->b, l->node, &axis, sizes);
    for (int k = 0; k < out; k++)
        from += sizes[k];
    memcpy(at, i, sizeof *at * (size_t)in_type(l, 0).rank);
    at[axis] = idx_add(l->c, at[axis], idx_const(l->c, from));
    return in_at(l, 0, at);
}

/* ---- Trilu: one triangle of the last two dimensions ---- */

bool trilu_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    if (t.rank < 2)
        return node_error(b, n, "the input is %s: it must have at least 2 dimensions", type_text(b->c, t));
    out[0] = t;
    return true;
}

const Expr *trilu_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = out_type(l, out);
    const Expr *off = expr_index(c, idx_axpy(c, i[t.rank - 1], -1, i[t.rank - 2])), *k = expr_int(c, DT_I64, 0);
    const Idx *first = idx_const(c, 0); /* k may be of shape [1] */
    if (arg(l->node, 1))
        k = in_at(l, 1, &first);
    const Expr *keep = expr_op2(c, node_int(l->node, "upper", 1) ? OP_ge : OP_le, off, k);
    const Expr *none = zero(c, dtype_class(t.dt) != CLASS_COMPLEX ? t.dt : t.dt == DT_C64 ? DT_F32 : DT_F64);
    return expr_select(c, keep, in_at(l, 0, i), none);
}
