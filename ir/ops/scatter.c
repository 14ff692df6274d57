/* Writing at places that data name, and running sums: ScatterND, ScatterElements, CumSum, CumProd. The order of writes
 * matters, so these are loop nests, run as written. A scatter first copies the data, then writes the updates over it,
 * in row-major order of the indices. */
#include "meaning.h"

/* ---- scatter ---- */

static bool reduction_of(Build *b, const Node *n, ScalarOp *op)
{
    static const struct {
        const char *name;
        ScalarOp op;
    } known[] = {
        {"none", OP_COUNT}, {"add", OP_add}, {"mul", OP_mul}, {"max", OP_max}, {"min", OP_min},
    };
    const char *name = node_string(n, "reduction", "none");
    for (int i = 0; i < COUNT(known); i++)
        if (strcmp(name, known[i].name) == 0) {
            *op = known[i].op;
            DClass class = dtype_class(arg_type(n, 0).dt);
            bool number = class == CLASS_FLOAT || class == CLASS_INT || class == CLASS_UINT;
            if (*op != OP_COUNT && !number)
                node_error(b, n, "reduction = \"%s\" is not defined on %s", name, dtype_name(arg_type(n, 0).dt));
            return *op == OP_COUNT || number;
        }
    return false;
}

/* out[at] = update, or out[at] combined with it. */
static const Stmt *put(Lower *l, const Idx *const *at, const Expr *update)
{
    Ctx *c = l->c;
    Buf *out = l->out[0];
    ScalarOp op = OP_COUNT;
    reduction_of(l->b, l->node, &op);
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
    int64_t dims[MAX_RANK + 1];
    const Idx *at[MAX_RANK + 1], *part = l->part;
    bool pairs = out->rank > t.rank;
    lower_store(l, out, in_at(l, 0, lower_vars(l, t.rank, t.dims)));
    if (type_count(updates) == 0)
        return;
    for (int k = 0; k < updates.rank; k++)
        dims[k] = updates.dims[k];
    dims[updates.rank] = 2;
    sweep_open(c, &s, updates.rank + pairs, dims);
    places(l, s.i, at);
    if (pairs)
        at[t.rank] = l->part = s.i[updates.rank];
    const Stmt *body = put(l, at, in_at(l, 2, s.i));
    l->part = part;
    lower_nest(l, out, sweep_around(c, &s, body));
}

bool scatter_nd_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1), updates = arg_type(n, 2);
    ScalarOp op;
    if (t.rank == 0 || indices.rank == 0)
        return node_error(b, n, "data %s and indices %s must each have a dimension", type_text(b->c, t),
                          type_text(b->c, indices));
    int q = indices.rank - 1, rank = 0;
    int64_t depth = indices.dims[q], dims[2 * MAX_RANK];
    if (depth > t.rank)
        return node_error(b, n, "the last dimension of indices %s is %lld: data %s has only %d dimensions to index",
                          type_text(b->c, indices), (long long)depth, type_text(b->c, t), t.rank);
    for (int i = 0; i < q; i++)
        dims[rank++] = indices.dims[i];
    for (int i = (int)depth; i < t.rank; i++)
        dims[rank++] = t.dims[i];
    if (rank != updates.rank || (rank && memcmp(dims, updates.dims, sizeof *dims * (size_t)rank) != 0))
        return node_error(b, n, "updates is %s: for data %s and indices %s its shape must be %s",
                          type_text(b->c, updates), type_text(b->c, t), type_text(b->c, indices),
                          dims_text(b->c, rank, dims));
    out[0] = t;
    return reduction_of(b, n, &op) &&
           indices_fit(b, n, 1, (int)depth, t.dims, internf(b->c, "data %s", type_text(b->c, t)));
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

static bool scatter_axis(Build *b, const Node *n, int *axis)
{
    return node_axis(b, n, node_int(n, "axis", 0), arg_type(n, 0).rank, false, axis);
}

bool scatter_elements_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), indices = arg_type(n, 1), updates = arg_type(n, 2);
    ScalarOp op;
    int axis;
    bool fits = t.rank > 0 && t.rank == indices.rank && same_dims(indices, updates);
    if (fits && !scatter_axis(b, n, &axis))
        return false;
    for (int i = 0; fits && i < t.rank; i++)
        fits = i == axis ? t.dims[i] > 0 || indices.dims[i] == 0 : indices.dims[i] <= t.dims[i];
    if (!fits)
        return node_error(b, n, "data is %s, indices is %s, updates is %s: the latter two must have one shape, of "
                          "data's rank, and be no larger but for the axis", type_text(b->c, t),
                          type_text(b->c, indices), type_text(b->c, updates));
    out[0] = t;
    return reduction_of(b, n, &op) &&
           indices_fit(b, n, 1, 1, &t.dims[axis], internf(b->c, "axis %d of data, %s,", axis, type_text(b->c, t)));
}

static void element_places(Lower *l, const Idx *const *i, const Idx **at)
{
    Type t = in_type(l, 0);
    int axis = 0;
    scatter_axis(l->b, l->node, &axis);
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

static void cumulate(Lower *l, ScalarOp op, double start)
{
    Ctx *c = l->c;
    Type t = out_type(l, 0);
    DType dt = math_type(t.dt);
    int axis = 0;
    Sweep s, along;
    const Idx *at[MAX_RANK];
    int64_t dims[MAX_RANK];
    if (type_count(t) == 0)
        return;
    cum_axis(l->b, l->node, &axis);
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    dims[axis] = 1;
    sweep_open(c, &s, t.rank, dims);
    sweep_open(c, &along, 1, &t.dims[axis]);
    memcpy(at, s.i, sizeof *at * (size_t)t.rank);
    at[axis] = along.i[0];
    if (node_int(l->node, "reverse", 0))
        at[axis] = idx_axpy(c, idx_const(c, t.dims[axis] - 1), -1, along.i[0]);
    Buf *acc = buf_new(c, BUF_LOCAL, "acc", dt, 0, NULL);
    const Expr *now = expr_load_version(c, acc, NULL, 1);
    const Stmt *step = stmt_store(c, acc, NULL, expr_op2(c, op, now, in_math(l, 0, at)));
    const Stmt *put_out = stmt_store(c, l->out[0], at, expr_cast(c, t.dt, now));
    bool exclusive = node_int(l->node, "exclusive", 0) != 0;
    const Stmt *body = stmt_seq(c, 2, (const Stmt *[]){exclusive ? put_out : step, exclusive ? step : put_out});
    body = stmt_seq(c, 3,
                    (const Stmt *[]){stmt_local(c, acc), stmt_store(c, acc, NULL, known_number(c, dt, start)),
                                     sweep_around(c, &along, body)});
    lower_nest(l, l->out[0], sweep_around(c, &s, body));
}

void cum_sum(Lower *l)
{
    cumulate(l, OP_add, 0);
}

void cum_prod(Lower *l)
{
    cumulate(l, OP_mul, 1);
}
