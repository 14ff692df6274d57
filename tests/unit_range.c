/* Unit tests of intervals, and of the proof that rests on them: what is not proved is refused, and why. */
#include "unit_loop.h"

/* ---- intervals --------------------------------------------------------------------------------------------------- */

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
    const Expr *above = expr_op3(c, OP_clip, v, num(2), num(5)), *under = expr_op3(c, OP_clip, v, num(-3), num(-1));
    check_range(op2(OP_mul, above, under), -15, -2);
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

/* ---- proof ------------------------------------------------------------------------------------------------------- */

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
    const Idx *far = idx_axpy(c, i0, 1, idx_const(c, 3)), *taken = idx_assume(c, far, 0, 5), *other = idx_var(c, 0, 4),
              *v = idx_var(c, 40, 3);
    const Expr *seven = expr_int(c, DT_I32, 7), *n = expr_cast(c, DT_I64, load_y());
    const Idx *value = idx_value(c, n, 0, 5);
    refuses_value(expr_load(c, y, &far), "subscript 0 of y is i0 + 3, which lies in 3..8, but the dimension is 6");
    refuses_value(expr_load(c, y, &taken), "i0 is taken to lie in 0..2, but the conditions around say 0..5");
    refuses_value(expr_select(c, expr_in(c, far, 7), expr_load(c, y, &taken), seven), "the conditions around say 0..3");
    refuses_value(expr_select(c, op1(OP_not, expr_in(c, far, 6)), expr_load(c, y, &taken), expr_load(c, y, &taken)),
                  "conditions");
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
    run_one(y, kernel_compute(c, "shift", (Loc){ 0 }, out, expr_select(c, both, expr_load(c, y, &taken), seven)), in,
            got);
    ck_assert_mem_eq(got, ((const int32_t[]){ 4, 5, 6, 7, 7, 7 }), sizeof got);
    run_one(
        y,
        kernel_compute(c, "stride", (Loc){ 0 }, out, expr_select(c, expr_in(c, up, 6), expr_load(c, y, &half), seven)),
        in, got);
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

/* y through a temporary of two elements that the kernel holds; refused when it does not, or when another one reads it. */
START_TEST(only_its_kernel_touches_what_it_holds)
{
    Buf *out = buf_new(c, BUF_OUT, "out", DT_I32, 1, y->dims);
    Buf *again = buf_new(c, BUF_OUT, "again", DT_I32, 1, y->dims);
    Buf *ring = buf_new(c, BUF_TEMP, "ring", DT_I32, 1, (const int64_t[]){ 2 }), *bufs[] = { y, ring, again, out };
    const Idx *place = idx_digit(c, i0, 1, 2);
    const Stmt *both[] = { stmt_store(c, ring, &place, load_y()), stmt_store(c, out, &i0, expr_load(c, ring, &place)) };
    Kernel k = { .what = "through", .out = out, .nest = stmt_for(c, 0, 6, stmt_seq(c, 2, both)) };
    const Kernel *kernels[] = { &k, kernel_compute(c, "late", (Loc){ 0 }, again, expr_load(c, ring, &place)) };
    refuses(y, &k, "ring is read before it is written");
    k.nheld = 1;
    k.held = (const Buf *const[]){ ring };
    int32_t got[6], in[6] = { 1, 2, 3, 4, 5, 6 };
    Prog p = prog_of(4, bufs, 1, kernels);
    prog_check(c, &p);
    prog_run(c, &p, (void *[]){ in, NULL, NULL, got }, true);
    ck_assert_mem_eq(got, in, sizeof got);
    bad = prog_of(4, bufs, 2, kernels);
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
    const Kernel *k = kernel_compute(c, "row", (Loc){ 0 }, out,
                                     op2(OP_add, load_x(), expr_load(c, x, (const Idx *const[]){ one, i1 })));
    Prog p = prog_of(2, bufs, 1, &k);
    Accesses s = { 0 };
    prog_accesses(c, &p, see_access, &s);
    ck_assert_int_eq(s.n, 6);
    ck_assert(!s.at[2].write && s.at[2].lo == 1 && s.at[2].hi == 1 && s.at[2].extent == 6);
    ck_assert(s.at[5].write && s.at[5].dim == 1 && s.at[5].lo == 0 && s.at[5].hi == 7 && s.at[5].extent == 8 &&
              s.at[5].buf == out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        intervals_follow_the_operators, constant_buffers_know_their_extremes, what_is_not_proved_is_refused,
        conditions_around_prove_what_is_taken, stores_are_proved, only_its_kernel_touches_what_it_holds,
        accesses_are_listed_with_their_intervals,
    };
    return RUN("range", setup, context_free, tests);
}
