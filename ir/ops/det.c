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

void det(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0), y = out_type(l, 0);
    DType dt = math_type(t.dt);
    int64_t n = t.dims[t.rank - 1], count = type_count(y);
    Sweep diagonal;
    if (n == 0) {
        lower_store(l, l->out[0], known_number(c, dt, 1));
        return;
    }
    /* a column more: 1 or -1 in its first row */
    Buf *work = lower_temp(l, "work", dt, 3, (int64_t[]){count, n, n + 1});
    const Idx *const *v = lower_vars(l, 3, work->dims), *at[MAX_RANK], *flat[3] = {v[0], v[1], NULL};
    const Expr *is_cell = guarded_place(c, v[2], n, NULL, &flat[2]);
    view_reshape(c, 3, (int64_t[]){count, n, n}, flat, t.rank, t.dims, at);
    lower_store(l, work, expr_select(c, is_cell, in_math(l, 0, at), expr_float(c, dt, 1)));
    nest(l, "w[], count, n: for m < count { for k < n {"
         "    var row = k;"
         "    for i < n { if (i > k && abs(w[m, i, k]) > abs(w[m, row, k])) { row = i; } }"
         "    if (row != k) {"
         "        for j < n { var held = w[m, k, j]; w[m, k, j] = w[m, row, j]; w[m, row, j] = held; }"
         "        w[m, 0, n] = -w[m, 0, n];"
         "    }"
         "    for i < n { if (i > k && w[m, i, k] != 0) {"
         "        var part = w[m, i, k] / w[m, k, k];"
         "        for j < n { w[m, i, j] = w[m, i, j] - part * w[m, k, j]; }"
         "    } }"
         "} }", work, i64(c, count), i64(c, n));
    sweep_open(c, &diagonal, 1, &n);
    const Idx *const *i = lower_vars(l, y.rank, y.dims), *which = idx_flat(c, y.rank, y.dims, i);
    const Idx *pivot[3] = {which, diagonal.i[0], diagonal.i[0]}, *sign[3] = {which, idx_const(c, 0), idx_const(c, n)};
    const Expr *product = expr_load(c, work, pivot);
    product = sweep_reduce(c, &diagonal, expr_float(c, dt, 1), (Fold){OP_mul, product, NULL});
    lower_store(l, l->out[0], expr_op2(c, OP_mul, product, expr_load(c, work, sign)));
}
