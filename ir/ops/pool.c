/* Pools: each element of the result combines a window of the input. MaxPool has a second meaning, the flat place of the
 * greatest element. How many elements an average is over follows from where the window begins, per dimension; where all
 * windows lie inside it is a constant. */
#include "meaning.h"

bool pool_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Window w;
    int64_t dims[MAX_RANK];
    if (!window_of(b, n, NULL, &w))
        return false;
    memcpy(dims, t.dims, 2 * sizeof *dims);
    memcpy(dims + 2, w.out, sizeof *dims * (size_t)w.rank);
    return make_type(b, n, out, 0, t.dt, t.rank, dims) &&
           (n->nout < 2 || make_type(b, n, out, 1, DT_I64, t.rank, dims));
}

typedef struct Pool {
    Window win;
    Sweep s;
    const Idx *at[MAX_RANK]; /* the place in the input */
    const Expr *inside;      /* NULL: always */
} Pool;

static void pool_open(Lower *l, const Idx *const *i, Pool *p)
{
    window_of(l->b, l->node, NULL, &p->win);
    sweep_open(l->c, &p->s, p->win.rank, p->win.size);
    p->at[0] = i[0];
    p->at[1] = i[1];
    p->inside = window_places(l->c, &p->win, i + 2, p->s.i, p->at + 2);
}

/* The element, or what stands for those outside. */
static const Expr *pooled(Lower *l, const Pool *p, const Expr *outside)
{
    const Expr *x = in_math(l, 0, p->at);
    return p->inside ? expr_select(l->c, p->inside, x, outside) : x;
}

/* The flat place; storage order 1 lets the first spatial dimension run fastest. */
static const Idx *pool_flat(Lower *l, const Pool *p)
{
    Type t = in_type(l, 0);
    int64_t dims[MAX_RANK];
    const Idx *at[MAX_RANK];
    bool columns = node_int(l->node, "storage_order", 0) != 0;
    for (int k = 0; k < t.rank; k++) {
        int from = k >= 2 && columns ? t.rank + 1 - k : k;
        dims[k] = t.dims[from];
        at[k] = p->at[from];
    }
    return idx_flat(l->c, t.rank, dims, at);
}

/* A selection by each part of the condition in turn: one that two selections share must not be named apart from them.
 */
static const Expr *within(Ctx *c, const Expr *cond, const Expr *a, const Expr *b)
{
    if (cond->kind != E_OP || cond->op != OP_and)
        return expr_select(c, cond, a, b);
    return within(c, cond->args[0], within(c, cond->args[1], a, b), b);
}

const Expr *max_pool_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Pool p;
    DType dt = math_type(in_type(l, 0).dt);
    pool_open(l, i, &p);
    if (out == 0)
        return sweep_reduce(c, &p.s, least(c, dt), (Fold){OP_max, pooled(l, &p, least(c, dt)), NULL});
    int accs[2] = {var_new(c), 0};
    accs[1] = var_new(c);
    const Expr *best = expr_acc(c, accs[0], dt), *place = expr_acc(c, accs[1], DT_I64), *x = in_math(l, 0, p.at);
    const Expr *none = expr_int(c, DT_I64, -1), *first = expr_op2(c, OP_lt, place, zero(c, DT_I64));
    const Expr *take = expr_op2(c, OP_or, first, expr_op2(c, OP_gt, x, best));
    const Expr *init[2] = {least(c, dt), none};
    const Expr *next[2] = {expr_select(c, take, x, best), expr_select(c, take, expr_index(c, pool_flat(l, &p)), place)};
    if (p.inside) {
        next[0] = within(c, p.inside, next[0], best);
        next[1] = within(c, p.inside, next[1], place);
    }
    return expr_op2(c, OP_max, sweep_best(c, &p.s, init, accs, next, 1), zero(c, DT_I64));
}

/* How many elements of dimension d the window at place o counts: those with 0 <= o·stride + k·dilation - before < in,
 * or within the padding as well. */
static const Expr *pool_count(Ctx *c, const Window *w, int d, const Idx *o, bool padding)
{
    int64_t first = padding ? -w->before[d] : 0, end = padding ? w->in[d] + w->after[d] : w->in[d];
    const Idx *x = idx_axpy(c, idx_const(c, -w->before[d]), w->stride[d], o);
    if (x->lo >= first && x->hi + w->span[d] <= end)
        return expr_int(c, DT_I64, w->size[d]);
    const Expr *upto = expr_index(c, idx_axpy(c, idx_const(c, end - 1), -1, x));
    const Expr *from = expr_index(c, idx_axpy(c, idx_const(c, first + w->dilation[d] - 1), -1, x));
    return formula(c, "upto, from, step, size: max(min(upto / step + 1, size) - max(from / step, 0), 1)", upto, from,
                   i64(c, w->dilation[d]), i64(c, w->size[d]));
}

const Expr *average_pool_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Pool p;
    DType dt = math_type(in_type(l, 0).dt);
    bool padding = node_int(l->node, "count_include_pad", 0) != 0;
    const Expr *count = expr_int(c, DT_I64, 1);
    pool_open(l, i, &p);
    for (int d = 0; d < p.win.rank; d++)
        count = expr_op2(c, OP_mul, count, pool_count(c, &p.win, d, i[d + 2], padding));
    const Expr *sum = sweep_reduce(c, &p.s, zero(c, dt), (Fold){OP_add, pooled(l, &p, zero(c, dt)), NULL});
    return expr_op2(c, OP_div, sum, expr_cast(c, dt, count));
}

const Expr *lp_pool_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Pool p;
    DType dt = math_type(in_type(l, 0).dt);
    const Attr *a = node_attr(l->node, "p");
    const double power = a->kind == ATTR_FLOAT ? (double)a->f : (double)a->i;
    pool_open(l, i, &p);
    const Expr *none = zero(c, dt), *x = pooled(l, &p, none), *of = expr_float(c, dt, power);
    if (power == 2)
        return expr_op1(c, OP_sqrt, sweep_reduce(c, &p.s, none, (Fold){OP_mad, x, NULL}));
    x = formula(c, power == 1 ? "x, p: abs(x)" : "x, p: pow(abs(x), p)", x, of);
    x = sweep_reduce(c, &p.s, none, (Fold){OP_add, x, NULL});
    return power == 1 ? x : expr_op2(c, OP_pow, x, expr_float(c, dt, 1 / power));
}

/* ---- MaxUnpool: the elements back to their flat places, zeros elsewhere; a larger output_shape is filled with more
 * zeros behind ---- */

bool max_unpool(Build *b, const Node *n, Edge **out)
{
    Type t = arg_type(n, 0);
    Window w;
    Ints shape = {0};
    int64_t dims[MAX_RANK], pads[2 * MAX_RANK] = {0}, count, minus = -1;
    if (!window_lists(b, n, &w) || !window_kernel(b, n, NULL, &w) || (arg(n, 2) && !arg_ints(b, n, 2, &shape)))
        return false;
    if (!same_dims(t, arg_type(n, 1)) || (arg(n, 2) && shape.n != t.rank))
        return unfit(b, n, "X and I must have one shape, output_shape its rank");
    memcpy(dims, t.dims, 2 * sizeof *dims);
    for (int d = 0; d < w.rank; d++)
        dims[d + 2] = (w.in[d] - 1) * w.stride[d] - w.before[d] - w.after[d] + w.size[d];
    for (int d = 0; d < t.rank; d++) {
        pads[t.rank + d] = arg(n, 2) ? shape.v[d] - dims[d] : 0;
        if (dims[d] < 0 || pads[t.rank + d] < 0)
            return unfit(b, n, "the result without padding is %s: output_shape must be no smaller",
                         dims_text(b->c, t.rank, dims));
    }
    if (!dims_count(t.rank, dims, &count))
        return node_error(b, n, "the result is too large");
    Edge *none = like(b, n->in[0], 0), *flat = build_op2(b, "Expand", none, build_ints(b, 1, &count));
    Edge *in[3] = {flat, reshaped(b, n->in[1], 1, &minus), NULL};
    in[2] = reshaped(b, n->in[0], 1, &minus);
    Edge *y = reshaped(b, build_op(b, "ScatterElements", 3, in, 0, NULL), t.rank, dims);
    out[0] = arg(n, 2) ? build_op2(b, "Pad", y, build_ints(b, 2 * t.rank, pads)) : y;
    return true;
}
