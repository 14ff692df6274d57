/* Softmax, LogSoftmax, Hardmax along one axis. Each is a few passes over memory with temporaries between them, so that
 * nothing is computed twice: the greatest element, the exponentials of the differences, their sum, the quotient. Before
 * version 13 the input counts as a matrix that is cut at the axis. */
#include "meaning.h"

static bool softmax_axis(Build *b, const Node *n, int *axis)
{
    return node_axis(b, n, node_int(n, "axis", -1), arg_type(n, 0).rank, false, axis);
}

bool softmax_infer(Build *b, const Node *n, Type *out)
{
    int axis;
    out[0] = arg_type(n, 0);
    if (out[0].rank == 0)
        return node_error(b, n, "the input is a scalar: it has no axis");
    return softmax_axis(b, n, &axis);
}

/* ---- the passes ---- */

typedef struct Rows { /* the input, and a result with a 1 in place of the axis */
    Lower *l;
    Type t;
    int axis, var;
    int64_t dims[MAX_RANK];
    const Idx *const *i;   /* a place in the input */
    const Idx *const *row; /* a place in the result; along[] is it with the loop variable on the axis */
    const Idx *along[MAX_RANK], *base[MAX_RANK];
} Rows;

static void rows_open(Lower *l, Rows *r)
{
    r->l = l;
    r->t = in_type(l, 0);
    softmax_axis(l->b, l->node, &r->axis);
    memcpy(r->dims, r->t.dims, sizeof *r->dims * (size_t)r->t.rank);
    r->dims[r->axis] = 1;
    r->i = lower_vars(l, r->t.rank, r->t.dims);
    r->row = lower_vars(l, r->t.rank, r->dims);
    r->var = var_new(l->c);
    memcpy(r->along, r->row, sizeof *r->along * (size_t)r->t.rank);
    r->along[r->axis] = idx_var(l->c, r->var, r->t.dims[r->axis]);
    memcpy(r->base, r->i, sizeof *r->base * (size_t)r->t.rank);
    r->base[r->axis] = idx_const(l->c, 0);
}

typedef struct Step {
    ScalarOp op;
    const Expr *x;
} Step;

static const Expr *step(Ctx *c, const Expr *acc, void *arg)
{
    const Step *s = arg;
    return expr_op2(c, s->op, acc, s->x);
}

/* A temporary that holds, for each row, x (an element at r->along) combined over the axis. */
static const Buf *row_pass(Rows *r, const char *name, ScalarOp op, const Expr *init, const Expr *x)
{
    Step s = {op, x};
    Buf *out = lower_temp(r->l, name, x->dt, r->t.rank, r->dims);
    lower_store(r->l, out, expr_reduce1(r->l->c, 1, &r->var, &r->t.dims[r->axis], init, step, &s));
    return out;
}

static const Buf *row_max(Rows *r)
{
    const Expr *x = in_math(r->l, 0, r->along);
    return row_pass(r, "max", OP_max, least(r->l->c, x->dt), x);
}

/* x - max of its row */
static const Expr *lowered(Rows *r, const Buf *most, const Idx *const *i, const Idx *const *row)
{
    return expr_op2(r->l->c, OP_sub, in_math(r->l, 0, i), expr_load(r->l->c, most, row));
}

void softmax(Lower *l)
{
    Ctx *c = l->c;
    Rows r;
    if (type_count(in_type(l, 0)) == 0)
        return;
    rows_open(l, &r);
    const Buf *most = row_max(&r);
    Buf *e = lower_temp(l, "exp", most->dt, r.t.rank, r.t.dims);
    lower_store(l, e, expr_op1(c, OP_exp, lowered(&r, most, r.i, r.base)));
    const Buf *sum = row_pass(&r, "sum", OP_add, zero(c, e->dt), expr_load(c, e, r.along));
    lower_store(l, l->out[0], expr_op2(c, OP_div, expr_load(c, e, r.i), expr_load(c, sum, r.base)));
}

void log_softmax(Lower *l)
{
    Ctx *c = l->c;
    Rows r;
    if (type_count(in_type(l, 0)) == 0)
        return;
    rows_open(l, &r);
    const Buf *most = row_max(&r);
    const Expr *e = expr_op1(c, OP_exp, lowered(&r, most, r.along, r.row));
    const Buf *sum = row_pass(&r, "sum", OP_add, zero(c, e->dt), e);
    const Expr *log = expr_op1(c, OP_log, expr_load(c, sum, r.base));
    lower_store(l, l->out[0], expr_op2(c, OP_sub, lowered(&r, most, r.i, r.base), log));
}

/* 1 at the first greatest element of each row, 0 elsewhere. */
void hardmax(Lower *l)
{
    Ctx *c = l->c;
    Rows r;
    if (type_count(in_type(l, 0)) == 0)
        return;
    rows_open(l, &r);
    const Expr *x = in_math(l, 0, r.along);
    int accs[2] = {var_new(c), var_new(c)};
    const Expr *best = expr_acc(c, accs[0], x->dt), *place = expr_acc(c, accs[1], DT_I64);
    const Expr *take = expr_op2(c, OP_gt, x, best), *here = expr_index(c, r.along[r.axis]);
    const Expr *init[2] = {least(c, x->dt), expr_int(c, DT_I64, 0)};
    const Expr *next[2] = {expr_select(c, take, x, best), expr_select(c, take, here, place)};
    Buf *first = lower_temp(l, "argmax", DT_I64, r.t.rank, r.dims);
    lower_store(l, first,
                expr_reduce(c,
                            (Reduce){.nvars = 1,
                                     .vars = &r.var,
                                     .extents = &r.t.dims[r.axis],
                                     .naccs = 2,
                                     .accs = accs,
                                     .init = init,
                                     .next = next},
                            1));
    const Expr *hit = expr_op2(c, OP_eq, expr_load(c, first, r.base), expr_index(c, r.i[r.axis]));
    lower_store(l, l->out[0], expr_select(c, hit, known_number(c, x->dt, 1), zero(c, x->dt)));
}
