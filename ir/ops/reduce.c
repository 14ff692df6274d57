/* Reductions over axes. All share one walk: the reduced axes get loop variables, the others their place in the result.
 * What differs is the first value, the combining step, and what is done to each element before and to the sum after.
 * Floats of 16 bits add up in float and are rounded once, at the end. */
#include "meaning.h"

typedef struct Walk {
    int n; /* reduced axes */
    int vars[MAX_RANK];
    int64_t extents[MAX_RANK], count;
    const Idx *at[MAX_RANK]; /* the place in the input */
} Walk;

/* ---- which axes ---- */

static bool reduced_axes(Build *b, const Node *n, bool *on)
{
    Type t = arg_type(n, 0);
    Ints axes = {0};
    if (arg(n, 1) && !arg_ints(b, n, 1, &axes))
        return false;
    if (!axes_set(b, n, axes, t.rank, on))
        return false;
    if (axes.n == 0 && !node_int(n, "noop_with_empty_axes", 0))
        memset(on, 1, sizeof *on * (size_t)t.rank);
    return true;
}

static bool reduced_type(Build *b, const Node *n, const bool *on, DType dt, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t dims[MAX_RANK];
    int rank = 0;
    bool keep = node_int(n, "keepdims", 1) != 0;
    for (int i = 0; i < t.rank; i++)
        if (!on[i] || keep)
            dims[rank++] = on[i] ? 1 : t.dims[i];
    return make_type(b, n, out, 0, dt, rank, dims);
}

bool reduce_infer(Build *b, const Node *n, Type *out)
{
    bool on[MAX_RANK];
    return reduced_axes(b, n, on) && reduced_type(b, n, on, arg_type(n, 0).dt, out);
}

static void walk_axes(Lower *l, const bool *on, const Idx *const *i, Walk *w)
{
    Type t = in_type(l, 0);
    bool keep = node_int(l->node, "keepdims", 1) != 0;
    int from = 0;
    w->n = 0;
    w->count = 1;
    for (int k = 0; k < t.rank; k++) {
        if (on[k]) {
            w->vars[w->n] = var_new(l->c);
            w->extents[w->n] = t.dims[k];
            w->at[k] = idx_var(l->c, w->vars[w->n++], t.dims[k]);
            w->count *= t.dims[k];
            from += keep;
        } else {
            w->at[k] = i[from++];
        }
    }
}

/* ---- sums, products, extremes ---- */

typedef struct Step {
    ScalarOp op;
    const Expr *x;
} Step;

static const Expr *step(Ctx *c, const Expr *acc, void *arg)
{
    const Step *s = arg;
    return s->op == OP_mad ? expr_op3(c, OP_mad, s->x, s->x, acc) : expr_op2(c, s->op, acc, s->x);
}

static void walk(Lower *l, const Idx *const *i, Walk *w)
{
    bool on[MAX_RANK];
    reduced_axes(l->b, l->node, on);
    walk_axes(l, on, i, w);
}

/* Combines x, an element at w->at, over the walk. OP_mad: the sum of squares. */
static const Expr *combine(Ctx *c, const Walk *w, ScalarOp op, const Expr *init, const Expr *x)
{
    if (w->n == 0)
        return op == OP_mad ? expr_op2(c, OP_mul, x, x) : x;
    Step s = {op, x};
    return expr_reduce1(c, w->n, w->vars, w->extents, init, step, &s);
}

/* The common case; a walk over nothing gives the first value and reads no element. */
static const Expr *reduced(Lower *l, const Idx *const *i, ScalarOp op, double first,
                           const Expr *(*each)(Ctx *, const Expr *))
{
    Walk w;
    walk(l, i, &w);
    DType dt = math_type(in_type(l, 0).dt);
    const Expr *init = known_number(l->c, dt, first);
    if (w.count == 0)
        return init;
    const Expr *x = in_math(l, 0, w.at);
    return combine(l->c, &w, op, init, each ? each(l->c, x) : x);
}

static const Expr *size_of(Ctx *c, const Expr *x)
{
    return expr_op1(c, OP_abs, x);
}

const Expr *reduce_sum(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return reduced(l, i, OP_add, 0, NULL);
}

const Expr *reduce_prod(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return reduced(l, i, OP_mul, 1, NULL);
}

const Expr *reduce_l1(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return reduced(l, i, OP_add, 0, size_of);
}

const Expr *reduce_sum_square(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return reduced(l, i, OP_mad, 0, NULL);
}

/* A function of a sum: integers go through double. */
static const Expr *through_real(Lower *l, ScalarOp op, const Expr *sum)
{
    DType dt = dtype_is_float(sum->dt) ? sum->dt : DT_F64;
    return expr_cast(l->c, in_type(l, 0).dt, expr_op1(l->c, op, expr_cast(l->c, dt, sum)));
}

const Expr *reduce_l2(Lower *l, int out, const Idx *const *i)
{
    return through_real(l, OP_sqrt, reduce_sum_square(l, out, i));
}

const Expr *reduce_log_sum(Lower *l, int out, const Idx *const *i)
{
    return through_real(l, OP_log, reduce_sum(l, out, i));
}

/* Integers: the sum in 64 bits, divided towards zero. */
const Expr *reduce_mean(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Walk w;
    (void)out;
    walk(l, i, &w);
    DType dt = in_type(l, 0).dt, wide = dtype_is_float(dt) ? math_type(dt) : dtype_is_signed(dt) ? DT_I64 : DT_U64;
    const Expr *sum = known_number(c, wide, 0);
    if (w.count > 0)
        sum = combine(c, &w, OP_add, sum, expr_cast(c, wide, in_math(l, 0, w.at)));
    return w.n == 0 ? sum : expr_op2(c, OP_div, sum, known_number(c, wide, (double)w.count));
}

static const Expr *extreme(Lower *l, const Idx *const *i, bool most)
{
    Walk w;
    walk(l, i, &w);
    DType dt = math_type(in_type(l, 0).dt);
    const Expr *init = most ? least(l->c, dt) : greatest(l->c, dt);
    ScalarOp op = dt == DT_BOOL ? most ? OP_or : OP_and : most ? OP_max : OP_min;
    return w.count == 0 ? init : combine(l->c, &w, op, init, in_math(l, 0, w.at));
}

const Expr *reduce_max(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return extreme(l, i, true);
}

const Expr *reduce_min(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return extreme(l, i, false);
}

/* ---- ArgMax, ArgMin: the best value so far and its place ---- */

static bool arg_axis(Build *b, const Node *n, bool *on)
{
    Type t = arg_type(n, 0);
    int axis;
    memset(on, 0, sizeof *on * MAX_RANK);
    if (!node_axis(b, n, node_int(n, "axis", 0), t.rank, false, &axis))
        return false;
    if (t.dims[axis] == 0)
        return node_error(b, n, "axis %d of %s is empty: there is no element to find", axis, type_text(b->c, t));
    return on[axis] = true;
}

bool arg_infer(Build *b, const Node *n, Type *out)
{
    bool on[MAX_RANK];
    return arg_axis(b, n, on) && reduced_type(b, n, on, DT_I64, out);
}

/* NaN counts as better than all else, the first one first, as in the reference. */
static const Expr *found(Lower *l, const Idx *const *i, bool most)
{
    Ctx *c = l->c;
    Walk w;
    bool on[MAX_RANK], last = node_int(l->node, "select_last_index", 0) != 0;
    arg_axis(l->b, l->node, on);
    walk_axes(l, on, i, &w);
    const Expr *x = in_math(l, 0, w.at);
    int accs[2] = {var_new(c), var_new(c)};
    const Expr *best = expr_acc(c, accs[0], x->dt), *place = expr_acc(c, accs[1], DT_I64);
    const Expr *take = expr_op2(c, most ? last ? OP_ge : OP_gt : last ? OP_le : OP_lt, x, best);
    if (dtype_is_float(x->dt)) {
        const Expr *fresh = expr_op1(c, OP_isnan, x), *kept = expr_op1(c, OP_isnan, best);
        take = expr_op2(c, OP_or, take, last ? fresh : expr_op2(c, OP_and, fresh, expr_op1(c, OP_not, kept)));
    }
    const Expr *init[2] = {most ? least(c, x->dt) : greatest(c, x->dt), expr_int(c, DT_I64, 0)};
    const Expr *here = expr_index(c, idx_var(c, w.vars[0], w.extents[0]));
    const Expr *next[2] = {expr_select(c, take, x, best), expr_select(c, take, here, place)};
    return expr_reduce(
        c,
        (Reduce){
            .nvars = 1, .vars = w.vars, .extents = w.extents, .naccs = 2, .accs = accs, .init = init, .next = next},
        1);
}

const Expr *arg_max(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return found(l, i, true);
}

const Expr *arg_min(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return found(l, i, false);
}
