/* Det: the determinant of each matrix, by elimination with the greatest pivot of each column. It works on a copy of the
 * matrices: for each column the row of its greatest element is found and exchanged for the first one that is left, then
 * subtracted from those below; the product of the pivots is the determinant, its sign turned by each exchange. */
#include "meaning.h"

bool det_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    if (t.rank >= 2 && t.dims[t.rank - 1] == t.dims[t.rank - 2])
        return make_type(b, n, out, 0, t.dt, t.rank - 2, t.dims);
    return node_error(b, n, "X is %s: its last two dimensions must be equal", type_text(b->c, t));
}

typedef struct Matrix {
    Ctx *c;
    Buf *work; /* [matrices, n, n] and a column more: 1 or -1 in its first row */
    const Idx *which;
    DType dt;
} Matrix;

static const Expr *cell(const Matrix *m, const Idx *i, const Idx *j)
{
    return expr_load_version(m->c, m->work, (const Idx *[]){m->which, i, j}, 1);
}

static const Stmt *set(const Matrix *m, const Idx *i, const Idx *j, const Expr *v)
{
    return stmt_store(m->c, m->work, (const Idx *[]){m->which, i, j}, v);
}

/* Row p, which has the greatest element of column k at or below row k, exchanged for row k. */
static const Stmt *pivot_up(const Matrix *m, int64_t n, const Idx *k, const Idx *p, const Expr *row)
{
    Ctx *c = m->c;
    Sweep s;
    Buf *held = buf_new(c, BUF_LOCAL, "held", m->dt, 0, NULL);
    sweep_open(c, &s, 1, &n);
    const Stmt *swap[4] = {stmt_local(c, held), stmt_store(c, held, NULL, cell(m, k, s.i[0])),
                           set(m, k, s.i[0], cell(m, p, s.i[0])),
                           set(m, p, s.i[0], expr_load_version(c, held, NULL, 1))};
    const Idx *none = idx_const(c, 0), *sign = idx_const(c, n);
    const Stmt *turn = set(m, none, sign, expr_op1(c, OP_neg, cell(m, none, sign)));
    const Stmt *body[2] = {sweep_around(c, &s, stmt_seq(c, 4, swap)), turn};
    return stmt_if(c, expr_op2(c, OP_ne, row, expr_index(c, k)), stmt_seq(c, 2, body), NULL);
}

/* Column k: find the pivot, bring it up, clear what is below it. */
static const Stmt *eliminate(const Matrix *m, int64_t n, const Idx *k)
{
    Ctx *c = m->c;
    Sweep find, below, across;
    Buf *row = buf_new(c, BUF_LOCAL, "row", DT_I64, 0, NULL), *part = buf_new(c, BUF_LOCAL, "part", m->dt, 0, NULL);
    const Expr *r = expr_load_version(c, row, NULL, 1), *f = expr_load_version(c, part, NULL, 1);
    const Expr *last = expr_int(c, DT_I64, n - 1);
    const Idx *p = idx_value(c, expr_op2(c, OP_min, expr_op2(c, OP_max, r, zero(c, DT_I64)), last), 0, n - 1);
    sweep_open(c, &find, 1, &n);
    const Idx *i = find.i[0];
    const Expr *more = expr_op2(c, OP_gt, expr_op1(c, OP_abs, cell(m, i, k)), expr_op1(c, OP_abs, cell(m, p, k)));
    more = expr_op2(c, OP_and, expr_op2(c, OP_gt, expr_index(c, i), expr_index(c, k)), more);
    const Stmt *search = stmt_if(c, more, stmt_store(c, row, NULL, expr_index(c, i)), NULL);
    sweep_open(c, &below, 1, &n);
    sweep_open(c, &across, 1, &n);
    i = below.i[0];
    const Idx *j = across.i[0];
    const Expr *less = expr_op2(c, OP_sub, cell(m, i, j), expr_op2(c, OP_mul, f, cell(m, k, j)));
    const Stmt *clear[3] = {stmt_local(c, part),
                            stmt_store(c, part, NULL, expr_op2(c, OP_div, cell(m, i, k), cell(m, k, k))),
                            sweep_around(c, &across, set(m, i, j, less))};
    const Expr *left = expr_op2(c, OP_gt, expr_index(c, i), expr_index(c, k));
    left = expr_op2(c, OP_and, left, expr_op2(c, OP_ne, cell(m, i, k), zero(c, m->dt)));
    const Stmt *body[5] = {stmt_local(c, row), stmt_store(c, row, NULL, expr_index(c, k)),
                           sweep_around(c, &find, search), pivot_up(m, n, k, p, r), NULL};
    body[4] = sweep_around(c, &below, stmt_if(c, left, stmt_seq(c, 3, clear), NULL));
    return stmt_seq(c, 5, body);
}

void det(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0), y = out_type(l, 0);
    int64_t n = t.dims[t.rank - 1], count = type_count(y), wide = n + 1;
    Matrix m = {.c = c, .dt = math_type(t.dt)};
    Sweep s, columns, diagonal;
    if (n == 0) {
        lower_store(l, l->out[0], known_number(c, m.dt, 1));
        return;
    }
    m.work = lower_temp(l, "work", m.dt, 3, (int64_t[]){count, n, wide});
    const Idx *const *v = lower_vars(l, 3, m.work->dims), *at[MAX_RANK], *flat[3] = {v[0], v[1], NULL};
    const Expr *is_cell = guarded_place(c, v[2], n, NULL, &flat[2]);
    view_reshape(c, 3, (int64_t[]){count, n, n}, flat, t.rank, t.dims, at);
    lower_store(l, m.work, expr_select(c, is_cell, in_math(l, 0, at), expr_float(c, m.dt, 1)));
    sweep_open(c, &s, 1, &count);
    sweep_open(c, &columns, 1, &n);
    m.which = s.i[0];
    lower_nest(l, m.work, sweep_around(c, &s, sweep_around(c, &columns, eliminate(&m, n, columns.i[0]))));
    sweep_open(c, &diagonal, 1, &n);
    const Idx *const *i = lower_vars(l, y.rank, y.dims), *which = idx_flat(c, y.rank, y.dims, i);
    const Idx *pivot[3] = {which, diagonal.i[0], diagonal.i[0]}, *sign[3] = {which, idx_const(c, 0), idx_const(c, n)};
    const Expr *product = expr_load(c, m.work, pivot);
    product = sweep_reduce(c, &diagonal, expr_float(c, m.dt, 1), (Fold){OP_mul, product, NULL});
    lower_store(l, l->out[0], expr_op2(c, OP_mul, product, expr_load(c, m.work, sign)));
}
