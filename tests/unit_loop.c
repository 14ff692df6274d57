/* Unit tests of the loop IR: builders and their simplifications, intervals, rewriting, proof, printing, and the interpreter on programs
 * whose results are known. Random programs are fuzz_loop.c's. */
#include "loop.h"

#include <check.h>

static Ctx *c;
static const Idx *i0, *i1;           /* extents 6, 8 */
static Buf *x, *y;                   /* float[6,8], int32[6] inputs */

static void setup(void)
{
    c = ctx_new();
    ck_assert_ptr_nonnull(c);
    i0 = idx_var(c, 0, 6);
    i1 = idx_var(c, 1, 8);
    x = buf_new(c, BUF_IN, "x", DT_F32, 2, (const int64_t[]){ 6, 8 });
    y = buf_new(c, BUF_IN, "y", DT_I32, 1, (const int64_t[]){ 6 });
}

static void teardown(void)
{
    ctx_free(c);
}

static const Expr *num(int64_t v) { return expr_int(c, DT_I64, v); }
static const Expr *flt(double v) { return expr_float(c, DT_F32, v); }
static const Expr *load_x(void) { return expr_load(c, x, (const Idx *const[]){ i0, i1 }); }
static const Expr *load_y(void) { return expr_load(c, y, &i0); }
static const Expr *op1(ScalarOp op, const Expr *a) { return expr_op1(c, op, a); }
static const Expr *op2(ScalarOp op, const Expr *a, const Expr *b) { return expr_op2(c, op, a, b); }

static const Expr *sum_over(int var, int64_t extent, const Expr *body)
{
    int acc = var_new(c);
    const Expr *init = expr_const(c, body->dt, (Value){ 0 }), *next = op2(OP_add, expr_acc(c, acc, body->dt), body);
    return expr_reduce(c, (Reduce){ 1, &var, &extent, 1, &acc, &init, &next, 0 }, 0);
}

/* ---- builders ------------------------------------------------------------------------------------------------------ */

START_TEST(equal_expressions_are_one)
{
    ck_assert_ptr_eq(op2(OP_add, load_x(), flt(2)), op2(OP_add, load_x(), flt(2)));
    ck_assert_ptr_ne(load_x(), expr_load_version(c, x, (const Idx *const[]){ i0, i1 }, 1));
    ck_assert_ptr_ne(flt(0.0), flt(-0.0));
    ck_assert_ptr_ne(expr_const(c, DT_F32, (Value){ .u = 0x7fc00001 }), expr_const(c, DT_F32, (Value){ .u = 0x7fc00002 }));
    ck_assert_ptr_eq(expr_const(c, DT_F32, (Value){ .u = 0x123456787fc00001 }), expr_const(c, DT_F32, (Value){ .u = 0x7fc00001 }));
    ck_assert_ptr_eq(expr_const(c, DT_STRING, (Value){ .s = "ab" }), expr_const(c, DT_STRING, (Value){ .s = intern(c, "ab") }));
    ck_assert_int_eq(expr_int(c, DT_I8, 200)->value.i, -56);
    ck_assert_int_eq(expr_int(c, DT_U8, -1)->value.i, 255);
    ck_assert_int_eq(expr_int(c, DT_BOOL, 7)->value.i, 1);
    int v = var_new(c);
    const Expr *one = sum_over(v, 4, load_y());
    ck_assert_ptr_eq(one, expr_reduce(c, *one->reduce, 0));
    ck_assert_ptr_eq(one->reduce, expr_reduce(c, *one->reduce, 0)->reduce);
}
END_TEST

START_TEST(size_and_depth_are_of_the_tree)
{
    const Expr *e = load_x();
    for (int i = 0; i < 60; i++)
        e = op2(OP_mul, e, e);
    ck_assert_int_eq(e->depth, 61);
    ck_assert_int_eq(e->size, 1 << 20);
    const Idx *at = idx_value(c, op2(OP_max, expr_cast(c, DT_I64, load_y()), num(0)), 0, 5);
    ck_assert_int_eq(expr_load(c, y, &at)->depth, 4);
}
END_TEST

START_TEST(constants_fold_when_exact)
{
    ck_assert_ptr_eq(op2(OP_add, flt(2), flt(3)), flt(5));
    ck_assert_ptr_eq(op2(OP_div, num(7), num(0)), num(0));
    ck_assert_int_eq(op1(OP_sin, flt(1))->kind, E_OP);
    ck_assert_int_eq(op1(OP_exp, expr_float(c, DT_F64, 1))->kind, E_OP);
    ck_assert_int_eq(op1(OP_exp, flt(1))->kind, E_CONST);
    ck_assert_ptr_eq(op2(OP_eq, expr_const(c, DT_STRING, (Value){ .s = "a" }), expr_const(c, DT_STRING, (Value){ .s = "a" })), expr_int(c, DT_BOOL, 1));
    ck_assert_ptr_eq(expr_cast(c, DT_I8, flt(300)), expr_int(c, DT_I8, 127));
    ck_assert_uint_eq(expr_float(c, DT_F16, 1)->value.u, 0x3c00);
    static const int32_t data[] = { 5, -3, 9 };
    Buf *k = buf_new(c, BUF_CONST, "k", DT_I32, 1, (const int64_t[]){ 3 });
    k->data = tensor_of(c, type_make(c, DT_I32, 1, k->dims), data, sizeof data);
    const Idx *one = idx_const(c, 1);
    ck_assert_ptr_eq(expr_load(c, k, &one), expr_int(c, DT_I32, -3));
}
END_TEST

START_TEST(identities_are_exact)
{
    const Expr *f = load_x(), *n = load_y(), *zero = expr_int(c, DT_I32, 0), *one = expr_int(c, DT_I32, 1);
    ck_assert_ptr_eq(op2(OP_mul, f, flt(1)), f);
    ck_assert_ptr_eq(op2(OP_mul, flt(1), f), f);
    ck_assert_ptr_eq(op2(OP_div, f, flt(1)), f);
    ck_assert_ptr_eq(op2(OP_add, f, flt(-0.0)), f);
    ck_assert_ptr_eq(op2(OP_sub, f, flt(0.0)), f);
    ck_assert_ptr_ne(op2(OP_add, f, flt(0.0)), f);
    ck_assert_ptr_ne(op2(OP_sub, f, flt(-0.0)), f);
    ck_assert_int_eq(op2(OP_mul, f, flt(0))->kind, E_OP);
    ck_assert_int_eq(op2(OP_sub, f, f)->kind, E_OP);
    ck_assert_int_eq(op2(OP_eq, f, f)->kind, E_OP);
    ck_assert_ptr_eq(op2(OP_add, n, zero), n);
    ck_assert_ptr_eq(op2(OP_add, zero, n), n);
    ck_assert_ptr_eq(op2(OP_mul, n, one), n);
    ck_assert_ptr_eq(op2(OP_mul, n, zero), zero);
    ck_assert_ptr_eq(op2(OP_sub, n, n), zero);
    ck_assert_ptr_eq(op2(OP_max, f, f), f);
    ck_assert_ptr_eq(op1(OP_neg, op1(OP_neg, f)), f);
    ck_assert_ptr_eq(op2(OP_add, op2(OP_add, n, one), one), op2(OP_add, n, expr_int(c, DT_I32, 2)));
    ck_assert_ptr_eq(op2(OP_add, one, n), op2(OP_add, n, one));
    ck_assert_ptr_ne(op2(OP_add, flt(2), f), op2(OP_add, f, flt(2)));
}
END_TEST

START_TEST(conditions_simplify)
{
    const Expr *p = op2(OP_lt, load_y(), expr_int(c, DT_I32, 3)), *yes = expr_int(c, DT_BOOL, 1), *no = expr_int(c, DT_BOOL, 0), *f = load_x();
    ck_assert_ptr_eq(op1(OP_not, op1(OP_not, p)), p);
    ck_assert_ptr_eq(op2(OP_and, p, yes), p);
    ck_assert_ptr_eq(op2(OP_and, no, p), no);
    ck_assert_ptr_eq(op2(OP_or, p, yes), yes);
    ck_assert_ptr_eq(op2(OP_xor, p, yes), op1(OP_not, p));
    ck_assert_ptr_eq(op2(OP_eq, p, no), op1(OP_not, p));
    ck_assert_ptr_eq(op1(OP_not, op2(OP_eq, f, flt(1))), op2(OP_ne, f, flt(1)));
    ck_assert_int_eq(op1(OP_not, op2(OP_lt, f, flt(1)))->op, OP_not);
    ck_assert_ptr_eq(expr_select(c, yes, f, flt(1)), f);
    ck_assert_ptr_eq(expr_select(c, p, f, f), f);
    ck_assert_ptr_eq(expr_select(c, op1(OP_not, p), f, flt(1)), expr_select(c, p, flt(1), f));
    ck_assert_ptr_eq(expr_select(c, p, yes, no), p);
    ck_assert_ptr_eq(expr_select(c, p, expr_select(c, p, f, flt(1)), flt(2)), expr_select(c, p, f, flt(2)));
    ck_assert_ptr_eq(expr_in(c, i0, 6), yes);
    ck_assert_ptr_eq(expr_in(c, idx_axpy(c, i0, 1, idx_const(c, 6)), 6), no);
    ck_assert_int_eq(expr_in(c, i0, 5)->kind, E_IN);
}
END_TEST

START_TEST(casts_simplify_when_lossless)
{
    const Expr *n = load_y(), *wide = expr_cast(c, DT_I64, n), *index = expr_index(c, i0);
    ck_assert_ptr_eq(expr_cast(c, DT_I32, wide), n);
    ck_assert_ptr_eq(expr_cast(c, DT_I8, wide), expr_cast(c, DT_I8, n));
    ck_assert_ptr_eq(expr_cast(c, DT_F32, wide), expr_cast(c, DT_F32, n));
    ck_assert_ptr_eq(expr_cast(c, DT_I64, expr_cast(c, DT_I8, index)), index);
    ck_assert_int_eq(expr_cast(c, DT_I64, expr_cast(c, DT_I8, n))->args[0]->kind, E_CAST);
    const Expr *half = expr_cast(c, DT_F16, load_x());
    ck_assert_ptr_eq(expr_cast(c, DT_F32, half)->args[0], half);
    ck_assert_ptr_eq(expr_cast(c, DT_BOOL, expr_cast(c, DT_U8, n))->args[0]->args[0], n);
}
END_TEST

START_TEST(arithmetic_on_indices_is_index_arithmetic)
{
    const Expr *i = expr_index(c, i0), *j = expr_index(c, i1);
    ck_assert_ptr_eq(op2(OP_add, op2(OP_mul, i, num(8)), j), expr_index(c, idx_axpy(c, i1, 8, i0)));
    ck_assert_ptr_eq(op2(OP_mod, i, num(4)), expr_index(c, idx_digit(c, i0, 1, 4)));
    ck_assert_ptr_eq(op2(OP_div, i, num(4)), expr_index(c, idx_digit(c, i0, 4, 0)));
    ck_assert_ptr_eq(op2(OP_sub, i, i), num(0));
    ck_assert_int_eq(op2(OP_mul, i, num(INT64_MAX))->kind, E_OP);
    ck_assert_int_eq(op2(OP_div, op2(OP_sub, i, num(3)), num(2))->kind, E_OP);
    ck_assert_ptr_eq(op2(OP_lt, i, num(6)), expr_int(c, DT_BOOL, 1));
    ck_assert_ptr_eq(op2(OP_max, i, num(-1)), i);
}
END_TEST

/* ---- intervals ----------------------------------------------------------------------------------------------------- */

static void check_range(const Expr *e, int64_t lo, int64_t hi)
{
    int64_t a, b;
    expr_range(c, e, &a, &b);
    ck_assert_int_eq(a, lo);
    ck_assert_int_eq(b, hi);
}

START_TEST(intervals_follow_the_operators)
{
    const Expr *v = expr_cast(c, DT_I64, expr_cast(c, DT_I8, load_y())), *u;   /* -128..127; open */
    u = expr_load(c, buf_new(c, BUF_IN, "u", DT_U64, 0, NULL), NULL);
    check_range(load_y(), INT32_MIN, INT32_MAX);
    check_range(op2(OP_add, v, num(10)), -118, 137);
    check_range(op2(OP_sub, num(0), v), -127, 128);
    check_range(op2(OP_mul, v, v), -16256, 16384);
    check_range(op2(OP_mul, v, num(-2)), -254, 256);
    check_range(op1(OP_abs, v), 0, 128);
    check_range(op1(OP_abs, expr_cast(c, DT_I8, load_y())), -128, 127);
    check_range(op2(OP_add, load_y(), expr_int(c, DT_I32, 1)), INT32_MIN, INT32_MAX);
    check_range(op2(OP_div, v, num(10)), -12, 12);
    check_range(op2(OP_mod, v, num(10)), 0, 9);
    check_range(op2(OP_fmod, v, num(10)), -9, 9);
    check_range(expr_op3(c, OP_clip, v, num(0), num(5)), 0, 5);
    check_range(op2(OP_min, v, num(5)), -128, 5);
    check_range(op1(OP_relu, v), 0, 127);
    check_range(op1(OP_sign, v), -1, 1);
    check_range(op2(OP_bitand, v, num(15)), 0, 15);
    check_range(op2(OP_lt, v, num(5)), 0, 1);
    check_range(expr_select(c, op2(OP_lt, v, num(5)), num(3), num(9)), 3, 9);
    check_range(u, 0, INT64_MAX);
    check_range(op2(OP_min, u, expr_int(c, DT_U64, 7)), 0, 7);
    check_range(op2(OP_div, u, expr_int(c, DT_U64, 2)), 0, INT64_MAX);
    check_range(expr_cast(c, DT_I64, u), INT64_MIN, INT64_MAX);
    ck_assert_int_eq(op2(OP_lt, u, expr_int(c, DT_U64, -1))->kind, E_OP);
}
END_TEST

START_TEST(constant_buffers_know_their_extremes)
{
    static const int16_t data[] = { 5, -3, 9 };
    Buf *k = buf_new(c, BUF_CONST, "k", DT_I16, 1, (const int64_t[]){ 3 });
    k->data = tensor_of(c, type_make(c, DT_I16, 1, k->dims), data, sizeof data);
    const Idx *i = idx_var(c, 0, 3);
    check_range(expr_load(c, k, &i), -3, 9);
}
END_TEST

/* ---- rewriting ----------------------------------------------------------------------------------------------------- */

/* x[a, b] becomes a + 2·b as a float */
static const Expr *define_x(Ctx *ctx, const Buf *b, const Idx *const *at, void *arg)
{
    (*(int *)arg)++;
    return b == x ? expr_cast(ctx, DT_F32, expr_index(ctx, idx_axpy(ctx, at[0], 2, at[1]))) : NULL;
}

START_TEST(loads_are_replaced_once_each)
{
    int calls = 0;
    const Expr *e = load_x();
    for (int i = 0; i < 40; i++)
        e = op2(OP_mul, e, e);
    const Idx *three = idx_const(c, 3);
    e = expr_rewrite(c, e, &(Rewrite){ &(Subst){ 1, (const int[]){ 1 }, &three }, define_x, &calls });
    ck_assert_int_eq(calls, 1);
    while (e->kind == E_OP)
        e = e->args[0];
    ck_assert_ptr_eq(e, expr_cast(c, DT_F32, expr_index(c, idx_axpy(c, idx_const(c, 6), 1, i0))));
}
END_TEST

START_TEST(loads_within_subscripts_are_replaced)
{
    const Expr *e = op2(OP_min, op2(OP_max, expr_cast(c, DT_I64, load_x()), num(0)), num(5));
    const Idx *at = idx_value(c, e, 0, 5);
    int calls = 0;
    e = expr_rewrite(c, expr_load(c, y, &at), &(Rewrite){ NULL, define_x, &calls });
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(e->at[0]->t[0].atom->expr->args[0]->args[0]->kind, E_CAST);
}
END_TEST

START_TEST(an_arm_that_is_never_taken_is_not_rewritten)
{
    const Idx *shift = idx_axpy(c, i0, 1, idx_const(c, 3)), *at = idx_assume(c, shift, 0, 5), *five = idx_const(c, 5);
    const Expr *e = expr_select(c, expr_in(c, shift, 6), expr_load(c, y, &at), expr_int(c, DT_I32, 7));
    ck_assert_ptr_eq(expr_subst(c, e, &(Subst){ 1, (const int[]){ 0 }, &five }), expr_int(c, DT_I32, 7));
    ck_assert_ptr_eq(expr_subst(c, e, &(Subst){ 1, (const int[]){ 1 }, &five }), e);
}
END_TEST

typedef struct Seen { int n; const Expr *at[20]; } Seen;
static void see(const Expr *e, void *arg)
{
    Seen *s = arg;
    s->at[s->n++] = e;
}

START_TEST(walks_visit_arguments_first_and_once)
{
    const Expr *n = expr_cast(c, DT_I64, load_y()), *k = op2(OP_min, op2(OP_max, n, num(0)), num(5));
    const Idx *at = idx_value(c, k, 0, 5);
    const Expr *e = op2(OP_add, expr_load(c, y, &at), load_y());
    Seen s = { 0 };
    expr_walk(c, e, see, &s);
    ck_assert_int_eq(s.n, 8);
    ck_assert_ptr_eq(s.at[0], load_y());
    ck_assert_ptr_eq(s.at[7], e);
}
END_TEST

/* ---- running ------------------------------------------------------------------------------------------------------- */

static Prog prog_of(int nbufs, Buf **bufs, int nkernels, const Kernel **kernels)
{
    return (Prog){ .name = "p", .nbufs = nbufs, .nkernels = nkernels, .nouts = 1, .bufs = bufs, .kernels = kernels, .outs = bufs + nbufs - 1 };
}

static void run_one(Buf *in, const Kernel *k, const void *from, void *to)
{
    Buf *bufs[] = { in, (Buf *)(uintptr_t)k->out };
    Prog p = prog_of(2, bufs, 1, &k);
    prog_check(c, &p);
    prog_run(c, &p, (void *[]){ (void *)(uintptr_t)from, to }, true);
}

START_TEST(reductions_nest_and_share_variables)
{
    /* softmax over rows: two reductions over one variable, one within the other */
    int v = var_new(c), acc = var_new(c);
    int64_t n = 8;
    const Expr *xk = expr_load(c, x, (const Idx *const[]){ i0, idx_var(c, v, 8) }), *low = flt(-(double)INFINITY);
    const Expr *next = op2(OP_max, expr_acc(c, acc, DT_F32), xk);
    const Expr *max = expr_reduce(c, (Reduce){ 1, &v, &n, 1, &acc, &low, &next, 0 }, 0);
    const Expr *sum = sum_over(v, 8, op1(OP_exp, op2(OP_sub, xk, max)));
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 2, x->dims);
    const Kernel *k = kernel_compute(c, "softmax", (Loc){ 0 }, out, op2(OP_div, op1(OP_exp, op2(OP_sub, load_x(), max)), sum));
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
}
END_TEST

START_TEST(accumulators_move_at_once)
{
    /* the place of the greatest element, the first of equal ones; and Fibonacci by exchange */
    int v = var_new(c), a[2] = { var_new(c), var_new(c) };
    int64_t n = 6;
    const Expr *e = expr_load(c, y, (const Idx *const[]){ idx_var(c, v, 6) }), *best = expr_acc(c, a[0], DT_I32), *at = expr_acc(c, a[1], DT_I64);
    const Expr *more = op2(OP_gt, e, best), *init[] = { expr_int(c, DT_I32, INT32_MIN), num(0) };
    const Expr *next[] = { expr_select(c, more, e, best), expr_select(c, more, expr_index(c, idx_var(c, v, 6)), at) };
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I64, 0, NULL);
    int64_t got;
    run_one(y, kernel_compute(c, "argmax", (Loc){ 0 }, out, expr_reduce(c, (Reduce){ 1, &v, &n, 2, a, init, next, 0 }, 1)),
            (const int32_t[]){ 3, 9, -2, 9, 0, 1 }, &got);
    ck_assert_int_eq(got, 1);

    const Expr *f[] = { expr_acc(c, a[0], DT_I64), at }, *start[] = { num(0), num(1) }, *step[] = { f[1], op2(OP_add, f[0], f[1]) };
    n = 30;
    run_one(y, kernel_compute(c, "fibonacci", (Loc){ 0 }, out, expr_reduce(c, (Reduce){ 1, &v, &n, 2, a, start, step, 0 }, 0)),
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
    return stmt_seq(c, 2, (const Stmt *const[]){ stmt_store(c, out, &first, expr_load(c, y, &first)), stmt_for(c, v, 5, body) });
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
    run_one(s, kernel_compute(c, "reverse", (Loc){ 0 }, t, expr_load(c, s, (const Idx *const[]){ idx_axpy(c, idx_const(c, 5), -1, i0) })), names, out);
    ck_assert_ptr_eq(out[0], names[5]);
}
END_TEST

/* Four kernels in a row over temporaries; memory is reused, or lies where a plan says. */
static void run_chain(const Plan *plan)
{
    Buf *bufs[6] = { y };
    const Kernel *kernels[5];
    for (int i = 1; i < 6; i++) {
        bufs[i] = buf_new(c, i == 5 ? BUF_OUT : BUF_TEMP, "t", DT_I32, 1, y->dims);
        kernels[i - 1] = kernel_compute(c, "step", (Loc){ 0 }, bufs[i], op2(OP_add, expr_load(c, bufs[i - 1], &i0), expr_int(c, DT_I32, i)));
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
    run_chain(&(Plan){ (const int64_t[]){ -1, 0, 24, 0, 24, -1 }, 48, 4, 48, 1 });
}
END_TEST

/* ---- proof --------------------------------------------------------------------------------------------------------- */

static Prog bad;
static void check_bad(Ctx *ctx, void *arg)
{
    (void)arg;
    prog_check(ctx, &bad);
}

/* prog_check refuses the program with a message that holds the text. */
static void refuses(Buf *in, const Kernel *k, const char *text)
{
    Buf *bufs[] = { in, (Buf *)(uintptr_t)k->out };
    bad = prog_of(2, bufs, 1, &k);
    ck_assert(!ctx_run(c, check_bad, NULL));
    char *message = NULL;
    size_t size;
    FILE *f = open_memstream(&message, &size);
    diag_flush(c, f);
    fclose(f);
    ck_assert_msg(strstr(message, text) != NULL, "%s", message);
    free(message);
}

static void refuses_value(const Expr *e, const char *text)
{
    Buf *out = buf_new(c, BUF_OUT, "out", e->dt, 1, y->dims);
    refuses(y, kernel_compute(c, "kernel", (Loc){ 0 }, out, e), text);
}

START_TEST(what_is_not_proved_is_refused)
{
    const Idx *far = idx_axpy(c, i0, 1, idx_const(c, 3)), *taken = idx_assume(c, far, 0, 5), *other = idx_var(c, 0, 4), *v = idx_var(c, 40, 3);
    const Expr *seven = expr_int(c, DT_I32, 7), *n = expr_cast(c, DT_I64, load_y());
    const Idx *value = idx_value(c, n, 0, 5);
    refuses_value(expr_load(c, y, &far), "subscript 0 of y is i0 + 3, which lies in 3..8, but the dimension is 6");
    refuses_value(expr_load(c, y, &taken), "i0 is taken to lie in 0..2, but the conditions around say 0..5");
    refuses_value(expr_select(c, expr_in(c, far, 7), expr_load(c, y, &taken), seven), "the conditions around say 0..3");
    refuses_value(expr_select(c, op1(OP_not, expr_in(c, far, 6)), expr_load(c, y, &taken), expr_load(c, y, &taken)), "conditions");
    refuses_value(expr_load(c, y, &other), "loop variable i0 runs to 5, but i0 has it at most 3");
    refuses_value(expr_load(c, y, &v), "loop variable i40 is used outside of its loop");
    refuses_value(expr_load(c, y, &value), "a value in v");
    refuses_value(expr_acc(c, 50, DT_I32), "accumulator 50 is used outside of its reduction");
    refuses_value(expr_cast(c, DT_I32, load_x()), "buffer x is not one of the program's");
    Buf *local = buf_new(c, BUF_LOCAL, "t", DT_I32, 0, NULL);
    refuses_value(expr_load(c, local, NULL), "local buffer t is used outside of its sequence");
}
END_TEST

START_TEST(conditions_around_prove_what_is_taken)
{
    const Idx *far = idx_axpy(c, i0, 1, idx_const(c, 3)), *taken = idx_assume(c, far, 0, 5);
    const Idx *up = idx_axpy(c, idx_const(c, -1), 2, i0), *half = idx_assume(c, up, 0, 5);
    const Expr *seven = expr_int(c, DT_I32, 7), *both = op2(OP_and, op2(OP_lt, load_y(), seven), expr_in(c, far, 6));
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I32, 1, y->dims);
    int32_t got[6], in[6] = { 1, 2, 3, 4, 5, 6 };
    run_one(y, kernel_compute(c, "shift", (Loc){ 0 }, out, expr_select(c, both, expr_load(c, y, &taken), seven)), in, got);
    ck_assert_mem_eq(got, ((const int32_t[]){ 4, 5, 6, 7, 7, 7 }), sizeof got);
    run_one(y, kernel_compute(c, "stride", (Loc){ 0 }, out, expr_select(c, expr_in(c, up, 6), expr_load(c, y, &half), seven)), in, got);
    ck_assert_mem_eq(got, ((const int32_t[]){ 7, 2, 4, 6, 7, 7 }), sizeof got);
}
END_TEST

START_TEST(stores_are_proved)
{
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I32, 1, y->dims), *wide = buf_new(c, BUF_OUT, "out", DT_I32, 2, x->dims);
    const Idx *zero = idx_const(c, 0), *four = idx_const(c, 4);
    Kernel k = *kernel_compute(c, "kernel", (Loc){ 0 }, out, load_y());
    k.at = &zero;
    refuses(y, &k, "elements of out are stored more than once: i0 does not occur");
    const Idx *back = idx_axpy(c, idx_const(c, 5), -1, i0);
    refuses(y, kernel_compute(c, "kernel", (Loc){ 0 }, out, expr_load(c, out, &back)), "is read before it is written");
    Kernel nest = { .what = "nest", .out = out, .nest = stmt_copy(c, out, &four, y, &zero, 3) };
    refuses(y, &nest, "a run of 3 elements starts at element 4..4 of out, which has 6");
    nest.nest = stmt_store(c, y, &zero, load_y());
    refuses(y, &nest, "y is stored into, but is an input");
    const Kernel *none = kernel_compute(c, "kernel", (Loc){ 0 }, out, load_y());
    Buf *bufs[] = { y, out, wide };
    bad = prog_of(3, bufs, 1, &none);
    ck_assert(!ctx_run(c, check_bad, NULL));
}
END_TEST

typedef struct Accesses { int n; Access at[20]; } Accesses;
static void see_access(const Access *a, void *arg)
{
    Accesses *s = arg;
    s->at[s->n++] = *a;
}

START_TEST(accesses_are_listed_with_their_intervals)
{
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 2, x->dims), *bufs[] = { x, out };
    const Idx *one = idx_const(c, 1);
    const Kernel *k = kernel_compute(c, "row", (Loc){ 0 }, out, op2(OP_add, load_x(), expr_load(c, x, (const Idx *const[]){ one, i1 })));
    Prog p = prog_of(2, bufs, 1, &k);
    Accesses s = { 0 };
    prog_accesses(c, &p, see_access, &s);
    ck_assert_int_eq(s.n, 6);
    ck_assert(!s.at[2].write && s.at[2].lo == 1 && s.at[2].hi == 1 && s.at[2].extent == 6);
    ck_assert(s.at[5].write && s.at[5].dim == 1 && s.at[5].lo == 0 && s.at[5].hi == 7 && s.at[5].extent == 8 && s.at[5].buf == out);
}
END_TEST

/* ---- printing and reading -------------------------------------------------------------------------------------------- */

static void count_buf(const Buf *b, void *arg)
{
    (void)b;
    (*(int *)arg)++;
}

START_TEST(programs_print)
{
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 1, y->dims), *cum = buf_new(c, BUF_OUT, "cum", DT_I32, 1, y->dims), *bufs[] = { x, y, out, cum };
    int v = 40;
    const Expr *e = sum_over(v, 8, expr_load(c, x, (const Idx *const[]){ i0, idx_var(c, v, 8) }));
    const Expr *cond = op2(OP_lt, load_y(), expr_int(c, DT_I32, 3));
    Kernel nest = { .what = "Scan cum", .out = cum, .nest = scan(cum) };
    const Kernel *kernels[] = { kernel_compute(c, "Sum out", (Loc){ 0 }, out, expr_select(c, cond, e, flt(0.5))), &nest };
    Prog p = prog_of(4, bufs, 2, kernels);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    prog_print(f, c, &p);
    fclose(f);
    ck_assert_str_eq(text,
        "program p\n  in    float[6,8] x\n  in    int32[6] y\n  out   float[6] out\n  out   int32[6] cum\n"
        "\nSum out\n  for i0 < 6\n"
        "    out[i0] = ((y[i0] < 3) ? (acc32 = 0; for i40 < 8: acc32 = (acc32 + x[i0, i40]); acc32) : 0.5)\n"
        "\nScan cum\n  cum[0] = y[0]\n  for i33 < 5\n    cum[i33 + 1] = (cum[i33] + y[i33 + 1])\n");
    free(text);
    int n = 0;
    prog_reads(c, kernels[0], count_buf, &n);
    prog_reads(c, kernels[1], count_buf, &n);
    ck_assert_int_eq(n, 4);
}
END_TEST

START_TEST(large_expressions_print_once_each)
{
    const Expr *e = load_x();
    for (int i = 0; i < 60; i++)
        e = op2(OP_mul, e, e);
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 2, x->dims), *bufs[] = { x, out };
    const Kernel *k = kernel_compute(c, "power", (Loc){ 0 }, out, e);
    Prog p = prog_of(2, bufs, 1, &k);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    prog_print(f, c, &p);
    fclose(f);
    ck_assert_uint_lt(size, 5000);
    free(text);
    prog_check(c, &p);
    ck_assert_int_eq(kernel_ops(c, k), 48 * 60);
    float in[48] = { 1, -1 }, got[48];
    prog_run(c, &p, (void *[]){ in, got }, true);
    ck_assert(got[0] == 1 && got[1] == 1 && got[2] == 0);
}
END_TEST

START_TEST(statements_drop_what_never_runs)
{
    Buf *t = buf_new(c, BUF_LOCAL, "t", DT_I32, 0, NULL);
    const Stmt *store = stmt_store(c, t, NULL, load_y()), *local = stmt_local(c, t), *empty = stmt_seq(c, 0, NULL);
    const Stmt *inner = stmt_seq(c, 2, (const Stmt *const[]){ local, store }), *flat = stmt_seq(c, 3, (const Stmt *const[]){ store, empty, store });
    ck_assert_int_eq(flat->n, 2);
    ck_assert_int_eq(stmt_seq(c, 2, (const Stmt *const[]){ flat, store })->n, 3);
    ck_assert_int_eq(stmt_seq(c, 2, (const Stmt *const[]){ inner, store })->n, 2);
    ck_assert_ptr_eq(stmt_seq(c, 1, &store), store);
    ck_assert_int_eq(stmt_for(c, 40, 0, store)->n, 0);
    ck_assert_ptr_eq(stmt_for(c, 40, 1, store), store);
    ck_assert_ptr_eq(stmt_if(c, expr_int(c, DT_BOOL, 1), store, NULL), store);
    ck_assert_int_eq(stmt_if(c, expr_int(c, DT_BOOL, 0), store, NULL)->n, 0);
    const Expr *cond = op2(OP_eq, load_y(), expr_int(c, DT_I32, 3));
    ck_assert_int_eq(stmt_if(c, cond, empty, store)->cond->op, OP_ne);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("loop");
    TCase *t = tcase_create("loop");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, equal_expressions_are_one);
    tcase_add_test(t, size_and_depth_are_of_the_tree);
    tcase_add_test(t, constants_fold_when_exact);
    tcase_add_test(t, identities_are_exact);
    tcase_add_test(t, conditions_simplify);
    tcase_add_test(t, casts_simplify_when_lossless);
    tcase_add_test(t, arithmetic_on_indices_is_index_arithmetic);
    tcase_add_test(t, intervals_follow_the_operators);
    tcase_add_test(t, constant_buffers_know_their_extremes);
    tcase_add_test(t, loads_are_replaced_once_each);
    tcase_add_test(t, loads_within_subscripts_are_replaced);
    tcase_add_test(t, an_arm_that_is_never_taken_is_not_rewritten);
    tcase_add_test(t, walks_visit_arguments_first_and_once);
    tcase_add_test(t, reductions_nest_and_share_variables);
    tcase_add_test(t, accumulators_move_at_once);
    tcase_add_test(t, an_arm_not_taken_is_not_evaluated);
    tcase_add_test(t, nests_read_what_they_wrote);
    tcase_add_test(t, copies_move_runs_also_of_packed_elements);
    tcase_add_test(t, temporaries_have_memory);
    tcase_add_test(t, what_is_not_proved_is_refused);
    tcase_add_test(t, conditions_around_prove_what_is_taken);
    tcase_add_test(t, stores_are_proved);
    tcase_add_test(t, accesses_are_listed_with_their_intervals);
    tcase_add_test(t, programs_print);
    tcase_add_test(t, large_expressions_print_once_each);
    tcase_add_test(t, statements_drop_what_never_runs);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
