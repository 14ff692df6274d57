/* Reductions over axes. All share one walk: the reduced axes get loop variables, the others their place in the result.
 * What differs is the first value, the combining step, and what is done to each element before and to the sum after.
 * Floats of 16 bits add up in float and are rounded once, at the end. */
#include "meaning.h"

/* ---- which axes ---- */

static bool reduced_axes(Build *b, const Node *n, bool *on)
{
    Type t = arg_type(n, 0);
    Ints axes = {0};
    if ((arg(n, 1) && !arg_ints(b, n, 1, &axes)) || !axes_set(b, n, axes, t.rank, on))
        return false;
    if (axes.n == 0 && !node_int(n, "noop_with_empty_axes", 0))
        memset(on, 1, sizeof *on * (size_t)t.rank);
    return true;
}

static bool reduced_type(Build *b, const Node *n, const bool *on, DType dt, Type *out)
{
    Type t = arg_type(n, 0);
    Dims d = {0};
    bool keep = node_int(n, "keepdims", 1) != 0;
    for (int i = 0; i < t.rank; i++)
        if (!on[i] || keep)
            d.at[d.n++] = on[i] ? 1 : t.dims[i];
    return dims_type(b, n, out, dt, &d);
}

bool reduce_infer(Build *b, const Node *n, Type *out)
{
    bool on[MAX_RANK];
    return reduced_axes(b, n, on) && reduced_type(b, n, on, arg_type(n, 0).dt, out);
}

/* at: the place in the input; result: how many elements there are to reduce. */
static int64_t walk(Lower *l, const bool *on, const Idx *const *i, Sweep *s, const Idx **at)
{
    Type t = in_type(l, 0);
    bool keep = node_int(l->node, "keepdims", 1) != 0;
    int64_t count = 1;
    sweep_open(l->c, s, 0, NULL);
    for (int k = 0, from = 0; k < t.rank; k++) {
        if (!on[k]) {
            at[k] = i[from++];
            continue;
        }
        sweep_more(l->c, s, 1, &t.dims[k]);
        at[k] = s->i[s->n - 1];
        count *= t.dims[k];
        from += keep;
    }
    return count;
}

/* ---- sums, products, extremes ---- */

/* What the operator combines with; `pick` is that, or what sets it apart from a sum (of squares): the absolute value of
 * each element, the division, root or logarithm behind. */
static ScalarOp combining(ScalarOp pick, DType dt)
{
    if (pick == OP_max || pick == OP_min)
        return dt != DT_BOOL ? pick : pick == OP_max ? OP_or : OP_and;
    return pick == OP_mul || pick == OP_mad ? pick : pick == OP_sqrt ? OP_mad : OP_add;
}

/* A walk over nothing gives the first value and reads no element. Integers: a mean adds up in 64 bits and divides
 * towards zero; a function of the sum goes through double. */
const Expr *reduced(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Sweep s;
    bool on[MAX_RANK];
    const Idx *at[MAX_RANK];
    ScalarOp pick = (ScalarOp)l->node->op->pick;
    DType from = in_type(l, 0).dt, dt = math_type(from);
    ScalarOp op = combining(pick, dt);
    reduced_axes(l->b, l->node, on);
    int64_t count = walk(l, on, i, &s, at);
    if (pick == OP_div && !dtype_is_float(dt))
        dt = dtype_is_signed(dt) ? DT_I64 : DT_U64;
    const Expr *y = known_number(c, dt, op == OP_mul);
    if (pick == OP_max || pick == OP_min)
        y = pick == OP_max ? least(c, dt) : greatest(c, dt);
    if (count > 0) {
        const Expr *x = expr_cast(c, dt, in_math(l, 0, at));
        x = pick == OP_abs ? expr_op1(c, OP_abs, x) : x;
        const Fold f = {op, x, NULL};
        if (s.n > 0)
            y = (side_by_side(in_type(l, 0), on) ? sweep_row : sweep_reduce)(c, &s, y, f);
        else
            y = op == OP_mad ? expr_op2(c, OP_mul, x, x) : x;
    }
    if (pick == OP_div && s.n > 0)
        y = expr_op2(c, OP_div, y, known_number(c, dt, (double)count));
    if (pick == OP_sqrt || pick == OP_log)
        y = expr_cast(c, from, expr_op1(c, pick, expr_cast(c, dtype_is_float(dt) ? dt : DT_F64, y)));
    return y;
}

/* ---- ArgMax, ArgMin ---- */

bool arg_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int axis;
    bool on[MAX_RANK] = {false};
    if (!attr_axis(b, n, "axis", t.rank, &axis))
        return false;
    if (t.dims[axis] == 0)
        return unfit(b, n, "axis %d is empty, there is no element to find", axis);
    on[axis] = true;
    return reduced_type(b, n, on, DT_I64, out);
}

/* NaN counts as better than all else, the first one first, as in the reference. */
const Expr *arg_found(Lower *l, int out, const Idx *const *i)
{
    Sweep s;
    bool on[MAX_RANK] = {false}, last = node_int(l->node, "select_last_index", 0) != 0;
    const Idx *at[MAX_RANK];
    on[sound_axis(l->node, "axis", in_type(l, 0).rank)] = true;
    walk(l, on, i, &s, at);
    return sweep_find(l->c, &s, in_math(l, 0, at), expr_index(l->c, s.i[0]), l->node->op->pick == OP_max, last, true);
}
