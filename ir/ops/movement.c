/* Elements that change places, none its value: Transpose, Expand, Tile and Repeat, Slice, Concat, Split, Trilu. Each
 * gives, for a place of the result, the place that it reads (view.c composes and simplifies these maps). Concat alone
 * is a view on the writing side: each operand is stored into its part of the result. */
#include "meaning.h"

/* ---- Transpose, Expand, Tile, Repeat ---- */

static bool permutation(Build *b, const Node *n, int *perm)
{
    Type t = arg_type(n, 0);
    Ints list;
    bool given = attr_list(n, "perm", &list), good = !given || list.n == t.rank, seen[MAX_RANK] = {false};
    for (int i = 0; good && i < t.rank; i++) {
        int64_t from = given ? list.v[i] : t.rank - 1 - i;
        good = from >= 0 && from < t.rank && !seen[from];
        if (good)
            seen[perm[i] = (int)from] = true;
    }
    return good || unfit(b, n, "perm must be an order of the dimensions: each of 0 .. %d is in it once", t.rank - 1);
}

bool transpose_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int perm[MAX_RANK];
    Dims d = {0};
    if (!permutation(b, n, perm))
        return false;
    for (int i = 0; i < t.rank; i++)
        dims_take(&d, t, perm[i], perm[i] + 1);
    return dims_type(b, n, out, t.dt, &d);
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
    if (!arg_shape(b, n, 1, &shape))
        return false;
    if (shape.n > MAX_RANK || !broadcast_dims(t.rank, t.dims, shape.n, shape.v, &rank, dims))
        return unfit(b, n, "they cannot be broadcast: aligned from the right, two dimensions are equal or one is 1");
    return make_type(b, n, out, 0, t.dt, rank, dims);
}

const Expr *expand_at(Lower *l, int out, const Idx *const *i)
{
    Type t = in_type(l, 0);
    const Idx *at[MAX_RANK];
    view_expand(l->c, out_type(l, out).rank, i, t.rank, t.dims, at);
    return in_at(l, 0, at);
}

/* Tile has one repeat for each dimension, which may be 0; Repeat's may be more, and are at least 1. */
bool repeat_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints times;
    bool may_grow = attr_list(n, "multiples", &times);
    int64_t dims[MAX_RANK], least_one = may_grow, most = (int64_t)1 << 40;
    if (!may_grow && !arg_ints(b, n, 1, &times))
        return false;
    bool fits = may_grow ? times.n >= t.rank && times.n <= 8 : times.n == t.rank;
    for (int i = 0; fits && i < times.n; i++) {
        int64_t d = i < times.n - t.rank ? 1 : t.dims[i - (times.n - t.rank)];
        fits = times.v[i] >= least_one && (d == 0 || times.v[i] <= most / d);
        dims[i] = fits ? d * times.v[i] : 0;
    }
    if (!fits)
        return unfit(b, n, "there must be one repeat for each dimension%s, of at least %lld, and no dimension of more "
                     "than 2^40", may_grow ? " (or more, up to 8)" : "", (long long)least_one);
    return make_type(b, n, out, 0, t.dt, times.n, dims);
}

const Expr *repeated_at(Lower *l, int out, const Idx *const *i)
{
    Type t = in_type(l, 0);
    const Idx *at[MAX_RANK];
    view_repeat(l->c, out_type(l, out).rank, i, t.rank, t.dims, at);
    return in_at(l, 0, at);
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
    Ints lists[5] = {{0}}, starts, axes;
    bool seen[MAX_RANK] = {false}, fits = true;
    for (int k = 1; k < 5; k++) {
        if (arg(n, k) && !arg_ints(b, n, k, &lists[k]))
            return false;
        fits = fits && (!arg(n, k) || lists[k].n == lists[1].n);
    }
    starts = lists[1];
    axes = lists[3];
    if (!fits || (!axes.v && starts.n > t.rank))
        return unfit(b, n, "the lengths of starts, ends, axes and steps must agree, and be at most the rank");
    for (int i = 0; i < t.rank; i++)
        cut->start[i] = 0, cut->step[i] = 1, cut->count[i] = t.dims[i];
    for (int i = 0; i < starts.n; i++) {
        int axis;
        int64_t step = lists[4].v ? lists[4].v[i] : 1;
        if (!node_axis(b, n, axes.v ? axes.v[i] : i, t.rank, false, &axis))
            return false;
        if (seen[axis] || step == 0)
            return unfit(b, n, "axis %d %s", axis, seen[axis] ? "is sliced twice" : "has a step of 0: it must not be");
        seen[axis] = true;
        cut_axis(cut, axis, t.dims[axis], starts.v[i], lists[2].v[i], step);
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
    int64_t sum = 0;
    if (t.rank == 0)
        return unfit(b, n, "scalars need a dimension along which to concatenate (Unsqueeze gives one)");
    if (!attr_axis(b, n, "axis", t.rank, &axis))
        return false;
    for (int k = 0; k < n->nin; k++) {
        Type u = arg_type(n, k);
        bool fits = u.rank == t.rank && u.dims[axis] <= INT64_MAX - sum;
        for (int i = 0; fits && i < t.rank; i++)
            fits = i == axis || u.dims[i] == t.dims[i];
        if (!fits)
            return node_error(b, n, "operand %d is %s, operand 0 is %s: their dimensions must agree but for axis %d", k,
                              type_text(b->c, u), type_text(b->c, t), axis);
        sum += u.dims[axis];
    }
    return type_but(b, n, out, 0, axis, sum);
}

void concat(Lower *l)
{
    const Node *n = l->node;
    int axis = sound_axis(n, "axis", out_type(l, 0).rank);
    int64_t from = 0;
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
    Ints split;
    bool given = arg(n, 1), counted = node_attr(n, "num_outputs");
    if (!attr_axis(b, n, "axis", t.rank, axis) || (given && !arg_ints(b, n, 1, &split)))
        return false;
    int64_t d = t.dims[*axis], rest = d, parts = node_int(n, "num_outputs", n->nout), chunk = (d + parts - 1) / parts;
    bool fits = given ? !counted && split.n == n->nout : parts == n->nout && (counted || d % parts == 0);
    for (int i = 0; fits && i < n->nout; i++) {
        sizes[i] = given ? split.v[i] : chunk < rest ? chunk : rest; /* the last part may be smaller */
        fits = sizes[i] >= 0 && sizes[i] <= rest;
        rest -= fits ? sizes[i] : 0;
    }
    return (fits && rest == 0) ||
           unfit(b, n, "axis %d has %lld elements for %d outputs: they are shared out evenly, or by split (a size for "
                 "each output, which add up to that many), or by num_outputs, the number of outputs; not by both",
                 *axis, (long long)d, n->nout);
}

bool split_infer(Build *b, const Node *n, Type *out)
{
    int axis;
    int64_t *sizes = NEW_N(b->c, int64_t, n->nout + 1);
    if (!split_sizes(b, n, &axis, sizes))
        return false;
    for (int k = 0; k < n->nout; k++)
        if (!type_but(b, n, out, k, axis, sizes[k]))
            return false;
    return true;
}

/* All outputs at once: the place of each is the sum of the sizes before it, and they may be many. */
void split(Lower *l)
{
    const Node *n = l->node;
    int axis = 0;
    Mark mark = scratch_mark(l->c);
    int64_t from = 0, *sizes = SCRATCH_N(l->c, int64_t, n->nout + 1);
    split_sizes(l->b, n, &axis, sizes);
    for (int k = 0; k < n->nout; from += sizes[k++]) {
        if (!l->out[k])
            continue;
        Type t = out_type(l, k);
        const Idx *const *i = lower_vars(l, t.rank, t.dims);
        lower_store(l, l->out[k], type_count(t) == 0 ? zero_in(l->c, t.dt)
                                  : in_but(l, i, axis, idx_add(l->c, i[axis], idx_const(l->c, from))));
    }
    scratch_release(l->c, mark);
}

/* ---- Trilu: one triangle of the last two dimensions ---- */

bool trilu_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    out[0] = t;
    if (arg(n, 1) && type_count(arg_type(n, 1)) != 1)
        return unfit(b, n, "k must be a single number");
    return t.rank >= 2 || unfit(b, n, "it must have at least 2 dimensions");
}

const Expr *trilu_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = out_type(l, out);
    const Expr *off = expr_index(c, idx_axpy(c, i[t.rank - 1], -1, i[t.rank - 2]));
    const Expr *k = arg(l->node, 1) ? lone(l, 1, DT_I64) : i64(c, 0);
    const Expr *keep = expr_op2(c, node_int(l->node, "upper", 1) ? OP_ge : OP_le, off, k);
    return expr_select(c, keep, in_at(l, 0, i), zero_in(c, t.dt));
}
