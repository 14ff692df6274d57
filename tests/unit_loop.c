/* Unit tests of the loop IR: builders and their simplifications, rewriting, statements, printing. */
#include "unit_loop.h"

#include <math.h>

/* ---- builders ---------------------------------------------------------------------------------------------------- */

START_TEST(equal_expressions_are_one)
{
    ck_assert_ptr_eq(op2(OP_add, load_x(), flt(2)), op2(OP_add, load_x(), flt(2)));
    ck_assert_ptr_ne(load_x(), expr_load_version(c, x, (const Idx *const[]){ i0, i1 }, 1));
    ck_assert_ptr_ne(flt(0.0), flt(-0.0));
    ck_assert_ptr_ne(expr_const(c, DT_F32, (Value){ .u = 0x7fc00001 }),
                     expr_const(c, DT_F32, (Value){ .u = 0x7fc00002 }));
    ck_assert_ptr_eq(expr_const(c, DT_F32, (Value){ .u = 0x123456787fc00001 }),
                     expr_const(c, DT_F32, (Value){ .u = 0x7fc00001 }));
    ck_assert_ptr_eq(expr_const(c, DT_STRING, (Value){ .s = "ab" }),
                     expr_const(c, DT_STRING, (Value){ .s = intern(c, "ab") }));
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
    ck_assert_ptr_eq(
        op2(OP_eq, expr_const(c, DT_STRING, (Value){ .s = "a" }), expr_const(c, DT_STRING, (Value){ .s = "a" })),
        expr_int(c, DT_BOOL, 1));
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
    ck_assert_ptr_eq(op2(OP_pow, f, flt(2)), op2(OP_mul, f, f));
    ck_assert_ptr_eq(op2(OP_pow, f, flt(3)), op2(OP_mul, op2(OP_mul, f, f), f));
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
    ck_assert_ptr_eq(op1(OP_abs, op1(OP_neg, f)), op1(OP_abs, f));
    const Expr *minus = op1(OP_neg, expr_cast(c, DT_U8, n));
    ck_assert_ptr_eq(op1(OP_abs, minus), minus);
    ck_assert_ptr_eq(op2(OP_add, op2(OP_add, n, one), one), op2(OP_add, n, expr_int(c, DT_I32, 2)));
    ck_assert_ptr_eq(op2(OP_add, one, n), op2(OP_add, n, one));
    ck_assert_ptr_ne(op2(OP_add, flt(2), f), op2(OP_add, f, flt(2)));
}
END_TEST

START_TEST(conditions_simplify)
{
    const Expr *p = op2(OP_lt, load_y(), expr_int(c, DT_I32, 3)), *yes = expr_int(c, DT_BOOL, 1),
               *no = expr_int(c, DT_BOOL, 0), *f = load_x();
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
    const Expr *half = expr_cast(c, DT_F16, load_x()), *back = expr_cast(c, DT_F32, half);
    ck_assert_int_eq(back->op, OP_round_f16);
    ck_assert_ptr_eq(expr_cast(c, DT_F16, back), half);
    ck_assert_ptr_eq(op1(OP_round_f16, op1(OP_relu, back)), op1(OP_relu, back));
    ck_assert_int_eq(op1(OP_round_bf16, back)->op, OP_round_bf16);
    ck_assert_ptr_eq(expr_cast(c, DT_BOOL, expr_cast(c, DT_U8, n))->args[0]->args[0], n);
}
END_TEST

/* Scales of three kinds: a power of two, and the ends of what is allowed. */
START_TEST(whole_numbers_are_rounded_once)
{
    const Expr *q = expr_cast(c, DT_U8, load_y()), *wide = expr_cast(c, DT_I32, q);
    const Expr *n = op2(OP_sub, wide, expr_int(c, DT_I32, 114));
    const Expr *f = expr_cast(c, DT_F32, n);
    const double scales[] = { 0.25, 0x1.00f3e8p-8, -0x1.9dp-59, 0x1.fffffep59 };
    for (int i = 0; i < 4; i++) {
        const float s = (float)scales[i];
        const Expr *back = op1(OP_rint, op2(OP_div, op2(OP_mul, f, flt(scales[i])), flt(scales[i])));
        ck_assert_ptr_eq(back, f);
        ck_assert_ptr_eq(expr_cast(c, DT_U8, op2(OP_add, back, flt(114))), q);
        for (int v = -1048576; v <= 1048576; v += v > -300 && v < 300 ? 1 : 97)
            ck_assert(rintf((float)v * s / s) == (float)v);
    }
    ck_assert_int_eq(op1(OP_rint, op2(OP_div, op2(OP_mul, f, flt(0.5)), flt(0.25)))->op, OP_rint);
    ck_assert_int_eq(op1(OP_rint, op2(OP_div, op2(OP_mul, f, flt(0x1p-140)), flt(0x1p-140)))->op, OP_rint);
    ck_assert_int_eq(op1(OP_rint, op2(OP_div, op2(OP_mul, load_x(), flt(0.3)), flt(0.3)))->op, OP_rint);
    const Expr *moved = op2(OP_add, f, flt(115));        /* 1 to 256 */
    ck_assert_ptr_eq(expr_cast(c, DT_U8, moved)->args[0], moved);
    ck_assert_ptr_eq(expr_cast(c, DT_I16, moved), expr_cast(c, DT_I16, op2(OP_add, wide, expr_int(c, DT_I32, 1))));
    ck_assert_ptr_eq(expr_cast(c, DT_I8, op2(OP_add, load_x(), flt(0))), expr_cast(c, DT_I8, load_x()));
}
END_TEST

START_TEST(a_cast_that_saturates_clips)
{
    const Expr *f = load_x(), *clip = expr_op3(c, OP_clip, f, flt(-128), flt(127));
    ck_assert_ptr_eq(expr_cast(c, DT_I8, clip), expr_cast(c, DT_I8, f));
    ck_assert_ptr_eq(expr_cast(c, DT_U8, clip)->args[0], clip);
    ck_assert_ptr_eq(expr_cast(c, DT_I16, clip)->args[0], clip);
    ck_assert_ptr_eq(expr_cast(c, DT_F64, clip)->args[0], clip);
    ck_assert_ptr_eq(expr_cast(c, DT_I4, clip)->args[0], clip);
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

/* ---- rewriting --------------------------------------------------------------------------------------------------- */

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
    e = expr_rewrite(c, e, &(Rewrite){ .subst = &(Subst){ 1, (const int[]){ 1 }, &three }, .load = define_x, .arg = &calls });
    ck_assert_int_eq(calls, 1);
    while (e->kind == E_OP)
        e = e->args[0];
    ck_assert_ptr_eq(e, expr_cast(c, DT_F32, expr_index(c, idx_axpy(c, idx_const(c, 6), 1, i0))));
}
END_TEST

START_TEST(loads_within_subscripts_are_replaced)
{
    const Expr *e = op2(OP_min, op2(OP_max, expr_cast(c, DT_I64, op1(OP_sqrt, load_x())), num(0)), num(5));
    const Idx *at = idx_value(c, e, 0, 5);
    int calls = 0;
    e = expr_rewrite(c, expr_load(c, y, &at), &(Rewrite){ .load = define_x, .arg = &calls });
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(e->at[0]->t[0].atom->expr->args[0]->args[0]->args[0]->args[0]->kind, E_CAST);
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

/* ---- printing and reading ---------------------------------------------------------------------------------------- */

/* A scan: out[0] = y[0], then out[i + 1] = out[i] + y[i + 1]. */
static const Stmt *scan(Buf *out)
{
    int v = var_new(c);
    const Idx *first = idx_const(c, 0), *i = idx_var(c, v, 5), *next = idx_axpy(c, i, 1, idx_const(c, 1));
    const Stmt *body = stmt_store(c, out, &next, op2(OP_add, expr_load(c, out, &i), expr_load(c, y, &next)));
    return stmt_seq(
        c, 2, (const Stmt *const[]){ stmt_store(c, out, &first, expr_load(c, y, &first)), stmt_for(c, v, 5, body) });
}

static void count_buf(const Buf *b, void *arg)
{
    (void)b;
    (*(int *)arg)++;
}

START_TEST(programs_print)
{
    Buf *out = buf_new(c, BUF_OUT, "out", DT_F32, 1, y->dims), *cum = buf_new(c, BUF_OUT, "cum", DT_I32, 1, y->dims),
        *bufs[] = { x, y, out, cum };
    int v = 40;
    const Expr *e = sum_over(v, 8, expr_load(c, x, (const Idx *const[]){ i0, idx_var(c, v, 8) }));
    const Expr *cond = op2(OP_lt, load_y(), expr_int(c, DT_I32, 3));
    Kernel nest = { .what = "Scan cum", .out = cum, .nest = scan(cum) };
    const Kernel *kernels[] = { kernel_compute(c, "Sum out", (Loc){ 0 }, out, expr_select(c, cond, e, flt(0.5))),
                                &nest };
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
    const Stmt *inner = stmt_seq(c, 2, (const Stmt *const[]){ local, store }),
               *flat = stmt_seq(c, 3, (const Stmt *const[]){ store, empty, store });
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
    const TTest *const tests[] = {
        equal_expressions_are_one, size_and_depth_are_of_the_tree, constants_fold_when_exact, identities_are_exact,
        conditions_simplify, casts_simplify_when_lossless, whole_numbers_are_rounded_once,
        a_cast_that_saturates_clips, arithmetic_on_indices_is_index_arithmetic,
        loads_are_replaced_once_each, loads_within_subscripts_are_replaced, an_arm_that_is_never_taken_is_not_rewritten,
        walks_visit_arguments_first_and_once, programs_print, large_expressions_print_once_each,
        statements_drop_what_never_runs,
    };
    return RUN("loop", setup, context_free, tests);
}
