/* Unit tests of the interpreter, on programs whose results are known. Random programs are fuzz_loop.c's. */
#include "unit_loop.h"

/* ---- running ----------------------------------------------------------------------------------------------------- */

START_TEST(reductions_nest_and_share_variables)
{
    /* softmax over rows: two reductions over one variable, one within the other */
    int v = var_new(c), acc = var_new(c);
    int64_t n = 8;
    const Expr *xk = expr_load(c, x, (const Idx *const[]){ i0, idx_var(c, v, 8) }), *low = flt(-(double)INFINITY);
    const Expr *next = op2(OP_max, expr_acc(c, acc, DT_F32), xk);
    const Expr *max = over(1, &v, &n, &acc, &low, &next, 0);
    const Expr *sum = sum_over(v, 8, op1(OP_exp, op2(OP_sub, xk, max)));
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 2, x->dims);
    const Kernel *k =
        kernel_compute(c, "softmax", (Loc){ 0 }, out, op2(OP_div, op1(OP_exp, op2(OP_sub, load_x(), max)), sum));
    float in[48], got[48];
    for (int i = 0; i < 48; i++)
        in[i] = (float)(i * 7 % 11) / 3;
    run_one(x, k, in, got);
    for (int i = 0; i < 48; i++) {
        double s = 0;
        for (int j = 0; j < 8; j++)
            s += exp((double)in[i / 8 * 8 + j]);
        ck_assert_double_eq_tol(got[i], exp((double)in[i]) / s, 1e-6);
    }
    ck_assert_int_le(kernel_ops(c, k), 48 * 15);
    /* the inner one first: what comes behind it sees the outer variable again */
    run_one(x, kernel_compute(c, "product", (Loc){ 0 }, out, sum_over(v, 8, op2(OP_mul, max, xk))), in, got);
    for (int i = 0; i < 48; i += 8) {
        float top = in[i], all = 0;
        for (int j = 0; j < 8; j++)
            top = in[i + j] > top ? in[i + j] : top;
        for (int j = 0; j < 8; j++)
            all += top * in[i + j];
        ck_assert(got[i] == all && got[i + 7] == all);
    }
}
END_TEST

START_TEST(lanes_add_up_in_their_order)
{
    /* 1e8 and 1 in floats: which sums lose the ones tells the order */
    Buf *row = buf_new(c, BUF_IN, "row", DT_F32, 1, (const int64_t[]){ 7 });
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 0, NULL);
    const float in[7] = { 1e8f, 1, 1, 1, -1e8f, 3, 5 };      /* lanes 0, 4+1, 6, 1; then 0+6, 4+1; then 11 */
    const int v = var_new(c), acc = var_new(c);
    const int64_t n = 7;
    const Expr *zero = flt(0), *x7 = expr_load(c, row, (const Idx *const[]){ idx_var(c, v, 7) });
    const Expr *next = op2(OP_add, expr_acc(c, acc, DT_F32), x7);
    Reduce r = { .nvars = 1, .vars = &v, .extents = &n, .naccs = 1, .accs = &acc, .init = &zero, .next = &next };
    float got;
    run_one(row, kernel_compute(c, "sum", (Loc){ 0 }, out, expr_reduce(c, r, 0)), in, &got);
    ck_assert_float_eq(got, 8);
    const Expr *plain = expr_reduce(c, r, 0);
    r.lanes = 4;
    r.join = OP_add;
    const Expr *e = expr_reduce(c, r, 0);
    ck_assert_ptr_ne(e, plain);
    ck_assert_ptr_eq(e, expr_subst(c, e, &(Subst){ 0, NULL, NULL }));
    const Kernel *k = kernel_compute(c, "sum", (Loc){ 0 }, out, e);
    run_one(row, k, in, &got);
    ck_assert_float_eq(got, 11);
    ck_assert_int_eq(kernel_ops(c, k), 7 + 3);
}
END_TEST

START_TEST(accumulators_move_at_once)
{
    /* the place of the greatest element, the first of equal ones; and Fibonacci by exchange */
    int v = var_new(c), a[2] = { var_new(c), var_new(c) };
    int64_t n = 6;
    const Expr *e = expr_load(c, y, (const Idx *const[]){ idx_var(c, v, 6) }), *best = expr_acc(c, a[0], DT_I32),
               *at = expr_acc(c, a[1], DT_I64);
    const Expr *more = op2(OP_gt, e, best), *init[] = { expr_int(c, DT_I32, INT32_MIN), num(0) };
    const Expr *next[] = { expr_select(c, more, e, best), expr_select(c, more, expr_index(c, idx_var(c, v, 6)), at) };
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I64, 0, NULL);
    int64_t got;
    run_one(y,
            kernel_compute(c, "argmax", (Loc){ 0 }, out, over(2, &v, &n, a, init, next, 1)),
            (const int32_t[]){ 3, 9, -2, 9, 0, 1 }, &got);
    ck_assert_int_eq(got, 1);

    const Expr *f[] = { expr_acc(c, a[0], DT_I64), at }, *start[] = { num(0), num(1) },
               *step[] = { f[1], op2(OP_add, f[0], f[1]) };
    n = 30;
    run_one(
        y,
        kernel_compute(c, "fibonacci", (Loc){ 0 }, out, over(2, &v, &n, a, start, step, 0)),
        (const int32_t[6]){ 0 }, &got);
    ck_assert_int_eq(got, 832040);
}
END_TEST

START_TEST(an_arm_not_taken_is_not_evaluated)
{
    /* out[i] = y[i - 2], 7 where there is none: the other load would be out of bounds, which is an internal error */
    const Idx *shift = idx_axpy(c, i0, 1, idx_const(c, -2)), *at = idx_assume(c, shift, 0, 5);
    const Expr *e = expr_select(c, expr_in(c, shift, 6), expr_load(c, y, &at), expr_int(c, DT_I32, 7));
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I32, 1, y->dims);
    int32_t got[6];
    run_one(y, kernel_compute(c, "pad", (Loc){ 0 }, out, e), (const int32_t[]){ 1, 2, 3, 4, 5, 6 }, got);
    ck_assert_mem_eq(got, ((const int32_t[]){ 7, 7, 1, 2, 3, 4 }), sizeof got);
}
END_TEST

/* A scan: out[0] = y[0], then out[i + 1] = out[i] + y[i + 1]. */
static const Stmt *scan(Buf *out)
{
    int v = var_new(c);
    const Idx *first = idx_const(c, 0), *i = idx_var(c, v, 5), *next = idx_axpy(c, i, 1, idx_const(c, 1));
    const Stmt *body = stmt_store(c, out, &next, op2(OP_add, expr_load(c, out, &i), expr_load(c, y, &next)));
    return stmt_seq(
        c, 2, (const Stmt *const[]){ stmt_store(c, out, &first, expr_load(c, y, &first)), stmt_for(c, v, 5, body) });
}

START_TEST(nests_read_what_they_wrote)
{
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I32, 1, y->dims);
    Kernel k = { .what = "scan", .out = out, .nest = scan(out) };
    int32_t got[6];
    run_one(y, &k, (const int32_t[]){ 1, 2, 3, 4, 5, 6 }, got);
    ck_assert_mem_eq(got, ((const int32_t[]){ 1, 3, 6, 10, 15, 21 }), sizeof got);
    ck_assert_int_eq(kernel_ops(c, &k), 5);
}
END_TEST

START_TEST(a_product_sum_is_two_operations)
{
    const Idx *at = idx_var(c, 0, 6);
    const Expr *e = expr_cast(c, DT_F32, expr_load(c, y, &at)), *sum = expr_op3(c, OP_mad, e, e, expr_float(c, DT_F32, 1));
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 1, y->dims);
    ck_assert_int_eq(kernel_ops(c, kernel_compute(c, "mad", (Loc){ 0 }, out, sum)), 6 * (1 + 2));
}
END_TEST

START_TEST(copies_move_runs_also_of_packed_elements)
{
    const int64_t n = 6, m = 9;
    Buf *from = buf_new(c, BUF_IN, "from", DT_U4, 1, &n), *to = buf_new(c, BUF_OUT, "to", DT_U4, 1, &m);
    const Idx *three = idx_const(c, 3), *one = idx_const(c, 1);
    Kernel k = { .what = "copy", .out = to, .nest = stmt_copy(c, to, &three, from, &one, 5) };
    const uint8_t in[] = { 0x21, 0x43, 0x65 };
    uint8_t got[5] = { 0xAA, 0xAA, 0xAA, 0xAA, 0x0A };
    run_one(from, &k, in, got);
    ck_assert_mem_eq(got, ((const uint8_t[]){ 0xAA, 0x2A, 0x43, 0x65, 0x0A }), 5);
    Buf *s = buf_new(c, BUF_IN, "s", DT_STRING, 1, &n), *t = buf_new(c, BUF_OUT, "t", DT_STRING, 1, &n);
    const char *names[] = { "a", "b", "c", "d", "e", "f" }, *out[6];
    run_one(s,
            kernel_compute(c, "reverse", (Loc){ 0 }, t,
                           expr_load(c, s, (const Idx *const[]){ idx_axpy(c, idx_const(c, 5), -1, i0) })),
            names, out);
    ck_assert_str_eq(out[0], names[5]);
}
END_TEST

/* Four kernels in a row over temporaries; memory is reused, or lies where a plan says. */
static void run_chain(const Plan *plan)
{
    Buf *bufs[6] = { y };
    const Kernel *kernels[5];
    for (int i = 1; i < 6; i++) {
        bufs[i] = buf_new(c, i == 5 ? BUF_OUT : BUF_TEMP, "t", DT_I32, 1, y->dims);
        kernels[i - 1] = kernel_compute(c, "step", (Loc){ 0 }, bufs[i],
                                        op2(OP_add, expr_load(c, bufs[i - 1], &i0), expr_int(c, DT_I32, i)));
    }
    Prog p = prog_of(6, bufs, 5, kernels);
    p.plan = plan;
    int32_t in[] = { 1, 2, 3, 4, 5, 6 }, got[6];
    prog_check(c, &p);
    prog_run(c, &p, (void *[6]){ in, NULL, NULL, NULL, NULL, got }, true);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(got[i], i + 16);
}

START_TEST(temporaries_have_memory)
{
    run_chain(NULL);
    run_chain(&(Plan){ .offset = (const int64_t[]){ -1, 0, 24, 0, 24, -1 }, .bytes = 48, .align = 4 });
    run_chain(&(Plan){ .offset = (const int64_t[]){ 0, 24, 0, 0, 24, 24 }, .bytes = 48, .align = 4, .io = true });
}
END_TEST

START_TEST(elements_below_a_byte_are_packed)
{
    uint8_t bytes[2] = { 0, 0 };
    for (int i = 0; i < 4; i++)
        scalar_write(DT_I4, bytes, i, (Value){ .i = i - 2 });
    ck_assert_uint_eq(bytes[0], 0xFE);
    ck_assert_uint_eq(bytes[1], 0x10);
    ck_assert_int_eq(scalar_read(DT_I4, bytes, 1).i, -1);
    ck_assert_int_eq(scalar_read(DT_U2, bytes, 3).i, 3);
    ck_assert_int_eq(scalar_read(DT_I2, bytes, 1).i, -1);
    ck_assert_int_eq(scalar_read(DT_U4, bytes, 0).i, 14);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        reductions_nest_and_share_variables, lanes_add_up_in_their_order, accumulators_move_at_once,
        an_arm_not_taken_is_not_evaluated,
        nests_read_what_they_wrote, copies_move_runs_also_of_packed_elements, temporaries_have_memory,
        a_product_sum_is_two_operations,
        elements_below_a_byte_are_packed,
    };
    return RUN("interp", setup, context_free, tests);
}
