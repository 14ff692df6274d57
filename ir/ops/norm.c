/* Softmax, LogSoftmax, Hardmax along one axis. Each is a few passes over memory with temporaries between them, so that
 * nothing is computed twice: the greatest element, the exponentials of the differences, the reciprocal of their sum, the product. Before
 * version 13 the input counts as a matrix that is cut at the axis. */
#include "meaning.h"

bool softmax_infer(Build *b, const Node *n, Type *out)
{
    int axis;
    out[0] = arg_type(n, 0);
    return attr_axis(b, n, "axis", out[0].rank, &axis);
}

/* ---- the passes ---- */

typedef struct Rows { /* the input, and a result with a 1 in place of the axis */
    Lower *l;
    Type t;
    int axis;
    bool side; /* a row lies side by side in memory */
    Sweep s; /* along the axis */
    int64_t dims[MAX_RANK];
    const Idx *const *i;   /* a place in the input */
    const Idx *const *row; /* a place in the result; along[] is it with the loop variable on the axis */
    const Idx *along[MAX_RANK], *base[MAX_RANK];
} Rows;

static bool rows_open(Lower *l, Rows *r)
{
    r->l = l;
    r->t = in_type(l, 0);
    r->axis = sound_axis(l->node, "axis", r->t.rank);
    if (type_count(r->t) == 0)
        return false;
    memcpy(r->dims, r->t.dims, sizeof *r->dims * (size_t)r->t.rank);
    r->dims[r->axis] = 1;
    bool on[MAX_RANK] = {false};
    on[r->axis] = true;
    r->side = side_by_side(r->t, on);
    r->i = lower_vars(l, r->t.rank, r->t.dims);
    r->row = lower_vars(l, r->t.rank, r->dims);
    sweep_open(l->c, &r->s, 1, &r->t.dims[r->axis]);
    memcpy(r->along, r->row, sizeof *r->along * (size_t)r->t.rank);
    r->along[r->axis] = r->s.i[0];
    memcpy(r->base, r->i, sizeof *r->base * (size_t)r->t.rank);
    r->base[r->axis] = idx_const(l->c, 0);
    return true;
}

/* x, an element at r->along, combined over the axis. */
static const Expr *combined(Rows *r, ScalarOp op, const Expr *init, const Expr *x)
{
    return (r->side ? sweep_row : sweep_reduce)(r->l->c, &r->s, init, (Fold){op, x, NULL});
}

/* A temporary that holds x for each row. */
static const Buf *row_pass(Rows *r, const char *name, const Expr *x)
{
    Buf *out = lower_temp(r->l, name, x->dt, r->t.rank, r->dims);
    lower_store(r->l, out, x);
    return out;
}

static const Buf *row_max(Rows *r)
{
    const Expr *x = in_math(r->l, 0, r->along);
    return row_pass(r, "max", combined(r, OP_most, least(r->l->c, x->dt), x));
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
    if (!rows_open(l, &r))
        return;
    const Buf *most = row_max(&r);
    Buf *e = lower_temp(l, "exp", most->dt, r.t.rank, r.t.dims);
    lower_store(l, e, expr_op1(c, OP_decay, lowered(&r, most, r.i, r.base)));
    const Expr *sum = combined(&r, OP_add, zero(c, e->dt), expr_load(c, e, r.along));
    const Buf *scale = row_pass(&r, "scale", expr_op2(c, OP_div, known_number(c, e->dt, 1), sum));
    lower_store(l, l->out[0], expr_op2(c, OP_mul, expr_load(c, e, r.i), expr_load(c, scale, r.base)));
}

void log_softmax(Lower *l)
{
    Ctx *c = l->c;
    Rows r;
    if (!rows_open(l, &r))
        return;
    const Buf *most = row_max(&r);
    const Expr *e = expr_op1(c, OP_decay, lowered(&r, most, r.along, r.row));
    const Buf *sum = row_pass(&r, "sum", combined(&r, OP_add, zero(c, e->dt), e));
    const Expr *log = expr_op1(c, OP_log, expr_load(c, sum, r.base));
    lower_store(l, l->out[0], expr_op2(c, OP_sub, lowered(&r, most, r.i, r.base), log));
}

/* 1 at the first greatest element of each row, 0 elsewhere. */
void hardmax(Lower *l)
{
    Ctx *c = l->c;
    Rows r;
    if (!rows_open(l, &r))
        return;
    const Expr *x = in_math(l, 0, r.along), *here = expr_index(c, r.s.i[0]);
    Buf *first = lower_temp(l, "argmax", DT_I64, r.t.rank, r.dims);
    lower_store(l, first, sweep_find(c, &r.s, x, here, true, false, false));
    const Expr *hit = expr_op2(c, OP_eq, expr_load(c, first, r.base), expr_index(c, r.i[r.axis]));
    lower_store(l, l->out[0], expr_select(c, hit, known_number(c, x->dt, 1), zero(c, x->dt)));
}
