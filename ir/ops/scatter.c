/* Writing at places that data name, and running sums: ScatterND, ScatterElements, CumSum, CumProd. The order of writes
 * matters, so these are loop nests, run as written. A scatter first copies the data, then writes the updates over it,
 * in row-major order of the indices. */
#include "meaning.h"

/* ---- scatter ---- */

/* OP_COUNT: none. */
static ScalarOp reduction_of(const Node *n)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    static const ScalarOp ops[] = {OP_COUNT, OP_add, OP_mul, OP_max, OP_min};
    int i = 0;
    while (strcmp(node_string(n, "reduction", "none"), names[i]) != 0)
        i++;
    return ops[i];
}

static bool scatter_infer(Build *b, const Node *n, int count, int axis, Type *out)
{
    out[0] = arg_type(n, 0);
    if (reduction_of(n) != OP_COUNT && !dtype_is_float(out[0].dt) && (!dtype_is_int(out[0].dt) || out[0].dt == DT_BOOL))
        return unfit(b, n, "reduction = \"%s\" is not defined on %s", node_string(n, "reduction", ""),
                     dtype_name(out[0].dt));
    return places_fit(b, n, count, axis);
}

/* out[at] = update, or out[at] combined with it. */
static const Stmt *put(Lower *l, const Idx *const *at, const Expr *update)
{
    Ctx *c = l->c;
    Buf *out = l->out[0];
    ScalarOp op = reduction_of(l->node);
    if (op == OP_COUNT)
        return stmt_store(c, out, at, update);
    DType dt = math_type(out->dt);
    const Expr *old = expr_cast(c, dt, expr_load_version(c, out, at, 1));
    return stmt_store(c, out, at, expr_cast(c, out->dt, expr_op2(c, op, old, expr_cast(c, dt, update))));
}

/* The nest over the updates; complex: over both halves as well. */
static void scatter(Lower *l, Type updates, void (*places)(Lower *, const Idx *const *i, const Idx **at))
{
    Ctx *c = l->c;
    Buf *out = l->out[0];
    Type t = out_type(l, 0);
    Sweep s;
    const Idx *at[MAX_RANK + 1], *part = l->part;
    bool pairs = out->rank > t.rank;
    lower_store(l, out, in_at(l, 0, lower_vars(l, t.rank, t.dims)));
    if (type_count(updates) == 0)
        return;
    sweep_open(c, &s, updates.rank, updates.dims);
    sweep_more(c, &s, pairs, (int64_t[]){2});
    places(l, s.i, at);
    if (pairs)
        at[t.rank] = l->part = s.i[updates.rank];
    const Stmt *body = put(l, at, in_at(l, 2, s.i));
    l->part = part;
    lower_nest(l, out, sweep_around(c, &s, body));
}

bool scatter_nd_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int q = indices.rank - 1;
    int64_t depth = q >= 0 ? indices.dims[q] : INT64_MAX;
    Dims d = {0};
    if (t.rank == 0 || depth > t.rank)
        return unfit(b, n, "data and indices must each have a dimension, and the last one of indices is at most the "
                     "number of data's dimensions, %d", t.rank);
    dims_take(&d, indices, 0, q);
    dims_take(&d, t, (int)depth, t.rank);
    if (!same_dims(arg_type(n, 2), (Type){t.dt, d.n, d.at}))
        return unfit(b, n, "the shape of updates must be %s", dims_text(b->c, d.n, d.at));
    return scatter_infer(b, n, (int)depth, 0, out);
}

static void nd_places(Lower *l, const Idx *const *i, const Idx **at)
{
    Type t = in_type(l, 0), indices = in_type(l, 1);
    int q = indices.rank - 1, depth = (int)indices.dims[q];
    for (int k = 0; k < t.rank; k++)
        at[k] = k >= depth ? i[q + k - depth] : position(l, 1, i, k, t.dims[k]);
}

void scatter_nd(Lower *l)
{
    Type none = {DT_F32, 1, (int64_t[]){0}};
    scatter(l, type_count(out_type(l, 0)) ? in_type(l, 2) : none, nd_places);
}

bool scatter_elements_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1);
    int axis;
    bool fits = t.rank > 0 && t.rank == indices.rank && same_dims(indices, arg_type(n, 2));
    if (fits && !attr_axis(b, n, "axis", t.rank, &axis))
        return false;
    for (int i = 0; fits && i < t.rank; i++)
        fits = i == axis ? t.dims[i] > 0 || indices.dims[i] == 0 : indices.dims[i] <= t.dims[i];
    if (!fits)
        return unfit(b, n, "indices and updates must have one shape, of data's rank, no larger but for the axis");
    return scatter_infer(b, n, 1, axis, out);
}

static void element_places(Lower *l, const Idx *const *i, const Idx **at)
{
    Type t = in_type(l, 0);
    int axis = sound_axis(l->node, "axis", t.rank);
    memcpy(at, i, sizeof *at * (size_t)t.rank);
    at[axis] = position(l, 1, i, -1, t.dims[axis]);
}

void scatter_elements(Lower *l)
{
    scatter(l, in_type(l, 2), element_places);
}

/* ---- running sums ---- */

static bool cum_axis(Build *b, const Node *n, int *axis)
{
    int64_t v;
    return arg_int(b, n, 1, &v) && node_axis(b, n, v, arg_type(n, 0).rank, false, axis);
}

bool cum_infer(Build *b, const Node *n, Type *out)
{
    int axis;
    out[0] = arg_type(n, 0);
    return cum_axis(b, n, &axis);
}

enum { SUMS_MOST = 64 };     /* that run side by side */

typedef struct Cumulate {
    Lower *l;
    int axis, rank, side;    /* side: the dimension along which sums run side by side; -1: one alone */
    DType dt;
} Cumulate;

/* The sums of the elements from `from` on along `side`, `count` of them at a time, `times` times. */
static const Stmt *cumulate_some(const Cumulate *x, int64_t from, int64_t count, int64_t times)
{
    Lower *l = x->l;
    Ctx *c = l->c;
    const ScalarOp op = (ScalarOp)l->node->op->pick;
    const Type t = out_type(l, 0);
    const bool exclusive = node_int(l->node, "exclusive", 0) != 0, alone = x->side < 0;
    Sweep around, along, sums, first;
    const Idx *at[MAX_RANK];
    sweep_open(c, &around, 0, NULL);
    for (int k = 0; k < x->rank; k++) {
        sweep_more(c, &around, 1, k == x->axis ? (int64_t[]){1} : k == x->side ? &times : &t.dims[k]);
        at[k] = around.i[k];
    }
    sweep_open(c, &along, 1, &t.dims[x->axis]);
    sweep_open(c, &sums, 1, &count);
    sweep_open(c, &first, 1, &count);
    at[x->axis] = along.i[0];
    if (node_int(l->node, "reverse", 0))
        at[x->axis] = idx_axpy(c, idx_const(c, t.dims[x->axis] - 1), -1, along.i[0]);
    if (!alone)
        at[x->side] = idx_add(c, idx_axpy(c, idx_const(c, from), count, around.i[x->side]), sums.i[0]);
    Buf *acc = buf_new(c, BUF_LOCAL, "acc", x->dt, alone ? 0 : 1, alone ? NULL : &count);
    const Expr *now = expr_load_version(c, acc, sums.i, 1), *start = known_number(c, x->dt, op == OP_mul);
    const Stmt *step = stmt_store(c, acc, sums.i, expr_op2(c, op, now, in_math(l, 0, at)));
    const Stmt *put_out = stmt_store(c, l->out[0], at, expr_cast(c, t.dt, now));
    const Stmt *body = stmt_seq(c, 2, (const Stmt *[]){exclusive ? put_out : step, exclusive ? step : put_out});
    const Stmt *all[3] = {stmt_local(c, acc), sweep_around(c, &first, stmt_store(c, acc, first.i, start)),
                          sweep_around(c, &along, sweep_around(c, &sums, body))};
    return sweep_around(c, &around, stmt_seq(c, 3, all));
}

/* By `pick`: a sum or a product. */
void cumulate(Lower *l)
{
    const Type t = out_type(l, 0);
    Cumulate x = {.l = l, .rank = t.rank, .side = t.rank - 1, .dt = math_type(t.dt)};
    if (type_count(t) == 0)
        return;
    cum_axis(l->b, l->node, &x.axis);
    if (x.axis == x.side || t.dims[x.side] == 1)
        x.side = -1;
    const int64_t n = x.side < 0 ? 1 : t.dims[x.side], some = n < SUMS_MOST ? n : SUMS_MOST;
    const Stmt *all[2] = {cumulate_some(&x, 0, some, n / some), NULL};
    if (n % some)
        all[1] = cumulate_some(&x, n - n % some, n % some, 1);
    lower_nest(l, l->out[0], stmt_seq(l->c, all[1] ? 2 : 1, all));
}
