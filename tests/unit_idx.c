/* Unit tests of the index algebra and the views: each law on an example worked out by hand, as the C text that it
 * prints. */
#include "unit_idx.h"

static void print_value(FILE *f, void *arg, const Expr *e)
{
    fprintf(f, "%s[%d]", (const char *)arg, e->k);
}

static const char *name_of(void *arg, int var)
{
    (void)arg;
    return var == 0 ? "row" : "col";
}

/* An integer expression that is no index. */
static const Expr *opaque(DType dt)
{
    return expr_acc(c, var_new(c), dt);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

START_TEST(equal_sums_are_one_pointer)
{
    ck_assert_ptr_eq(lin(2, i0, 3, i1, 4), lin(3, i1, 2, i0, 4));
    ck_assert_ptr_eq(idx_axpy(c, lin(2, i0, 3, i1, 4), -2, i0), lin(1, num(4), 3, i1, 0));
    ck_assert_ptr_eq(idx_axpy(c, i0, -1, i0), num(0));
    ck_assert_ptr_eq(idx_mul(c, i0, 0), num(0));
    ck_assert_ptr_eq(idx_add(c, num(0), i1), i1);
    ck_assert_ptr_eq(idx_var(c, 0, 6), i0);
    ck_assert_ptr_ne(idx_var(c, 0, 7), i0);
    ck_assert_ptr_eq(idx_var(c, 5, 1), num(0));
    ck_assert_ptr_eq(idx_var(c, 5, 0), num(0));
    BOUNDS(lin(2, i0, -3, i1, 4), -17, 14);
}
END_TEST

START_TEST(tables_grow_and_find_all)
{
    enum { N = 20000 };
    const Idx **made = NEW_N(c, const Idx *, N);
    for (int i = 0; i < N; i++)
        made[i] = digit(lin(i, i0, 1, idx_var(c, 40 + i, 7), 0), 5 + i, 3);
    for (int i = 0; i < N; i++) {
        ck_assert_ptr_eq(digit(lin(i, i0, 1, idx_var(c, 40 + i, 7), 0), 5 + i, 3), made[i]);
        ck_assert(i == 0 || made[i]->id > made[i - 1]->id || made[i]->n == 0);
    }
}
END_TEST

START_TEST(terms_are_in_an_order_of_their_own)
{
    Ctx *other = ctx_new();
    mem_alloc(other, 12345);         /* other addresses, and made the other way round */
    const Idx *j1 = idx_var(other, 1, 8), *j0 = idx_var(other, 0, 6), *d = idx_digit(other, j1, 3, 0);
    PRINTS(idx_axpy(other, idx_add(other, d, j1), 5, j0), "5*i0 + i1 + i1/3");
    PRINTS(idx_axpy(c, i1, 5, i0), "5*i0 + i1");
    ctx_free(other);
    const Idx *x = idx_value(c, expr_load(c, buf_new(c, BUF_IN, "in", DT_I64, 1, &(int64_t){ 8 }), &i1), 0, 3);
    PRINTS(lin(1, x, 1, idx_assume(c, lin(1, i0, 1, i1, 0), 2, 4), 0)->t[0].atom->x, "i0 + i1");
}
END_TEST

START_TEST(variables_are_numbered_above_the_positions)
{
    int v = var_new(c);
    ck_assert_int_eq(v, MAX_RANK);
    ck_assert_int_eq(var_new(c), v + 1);
    ck_assert_int_eq(var_count(c), v + 2);
}
END_TEST

START_TEST(width_bounds_every_partial_sum)
{
    ck_assert_int_eq(lin(2, i0, -3, i1, 4)->wide, 10 + 21 + 4);
    ck_assert_int_eq(digit(lin(100, i0, 7, i1, 0), 3, 0)->wide, 549);
    ck_assert_int_eq(num(-7)->wide, 7);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void too_large_product(Ctx *k, void *arg) { (void)arg; idx_mul(k, idx_var(k, 0, INT64_C(1) << 62), 4); }
static void too_large_sum(Ctx *k, void *arg) { (void)arg; idx_add(k, idx_const(k, INT64_MAX), idx_const(k, 1)); }
static void too_large_constant(Ctx *k, void *arg) { (void)arg; idx_const(k, INT64_MIN); }
static void too_large_interval(Ctx *k, void *arg)
{
    (void)arg;
    idx_axpy(k, idx_const(k, INT64_MAX), 2, idx_var(k, 0, 2));
}
static void too_large_shape(Ctx *k, void *arg)
{
    (void)arg;
    const Idx *at[3] = { idx_const(k, 0), idx_const(k, 0), idx_const(k, 0) };
    idx_flat(k, 3, (int64_t[]){ 1 << 30, 1 << 30, 1 << 30 }, at);
}
static void no_divisor(Ctx *k, void *arg) { (void)arg; idx_digit(k, idx_const(k, 5), 0, 3); }
static void too_deep(Ctx *k, void *arg)
{
    (void)arg;
    const Idx *x = idx_var(k, 0, 1000000);
    for (int i = 1; i < 1000; i++)
        x = idx_assume(k, idx_add(k, x, idx_var(k, i, 9)), 1, x->hi + 2);
}

START_TEST(what_leaves_the_limits_is_an_internal_error)
{
    void (*const tests[])(Ctx *, void *) = { too_large_product, too_large_sum, too_large_constant, too_large_interval,
                                             too_large_shape,   no_divisor,    too_deep };
    const char *const says[] = { "leaves 64 bits", "leaves 64 bits", "leaves 64 bits", "leaves 64 bits",
                                 "leaves 64 bits", "by 0, 3",        "nested more than 200 deep" };
    for (int i = 0; i < COUNT(tests); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        ck_assert(!ctx_run(c, tests[i], NULL));
        diag_flush(c, f);
        fclose(f);
        ck_assert_ptr_nonnull(strstr(text, "internal error"));
        ck_assert_ptr_nonnull(strstr(text, says[i]));
        free(text);
    }
}
END_TEST

START_TEST(large_counts_stay_exact)
{
    int64_t n = INT64_C(1) << 61;
    const Idx *x = idx_var(c, 0, 2 * n);
    BOUNDS(x, 0, 2 * n - 1);
    ck_assert_ptr_eq(digit(x, 1, 2 * n), x);
    ck_assert_ptr_eq(digit(x, n, n), digit(x, n, 0));            /* a period beyond 64 bits */
    const Idx *at[2];
    idx_unflat(c, x, 2, (int64_t[]){ 2, n }, at);
    BOUNDS(at[0], 0, 1);
    BOUNDS(at[1], 0, n - 1);
    int64_t vars[1] = { 2 * n - 3 };
    ck_assert_int_eq(idx_eval(at[0], vars, NULL, NULL), 1);
    ck_assert_int_eq(idx_eval(at[1], vars, NULL, NULL), n - 3);
}
END_TEST

/* ---- digits ------------------------------------------------------------------------------------------------------ */

START_TEST(digits_of_numbers_are_floored)
{
    ck_assert_ptr_eq(digit(num(-7), 3, 0), num(-3));
    ck_assert_ptr_eq(digit(num(-7), 1, 3), num(2));
    ck_assert_ptr_eq(digit(num(-7), 3, 2), num(1));
    ck_assert_ptr_eq(digit(num(17), 3, 4), num(1));
    ck_assert_ptr_eq(digit(i0, 1, 0), i0);
    ck_assert_ptr_eq(digit(i0, 4, 1), num(0));
    PRINTS(digit(lin(1, i0, 0, i0, -7), 3, 0), "(i0 + 2)/3 - 3");
    PRINTS(digit(lin(-3, i2, 0, i2, 1), 1, 7), "(29 - 3*i2)%7");
}
END_TEST

START_TEST(multiples_of_the_period_leave_the_digit)
{
    PRINTS(digit(lin(12, i0, 1, i2, 30), 4, 0), "3*i0 + (i2 + 2)/4 + 7");
    PRINTS(digit(lin(12, i0, 1, i2, 30), 4, 3), "(i2 + 6)/4%3");
    ck_assert_ptr_eq(digit(lin(12, i0, 4, i2, 3), 4, 0), lin(3, i0, 1, i2, 0));
}
END_TEST

START_TEST(one_period_needs_no_digit)
{
    ck_assert_ptr_eq(digit(i0, 1, 6), i0);
    PRINTS(digit(i0, 1, 5), "i0%5");
    PRINTS(digit(i2, 3, 4), "i2/3");
    ck_assert_ptr_eq(digit(i0, 6, 0), num(0));
    ck_assert_ptr_eq(digit(lin(1, i0, 0, i0, 6), 6, 0), num(1));
    ck_assert_ptr_eq(digit(lin(1, i0, 0, i0, 20), 1, 20), i0);
}
END_TEST

START_TEST(coefficients_are_reduced_where_the_digit_then_goes)
{
    const Idx *x = lin(41, idx_var(c, 3, 4), 1, i0, 104);        /* 41 = 39 + 2 */
    PRINTS(digit(x, 39, 0), "i3 + 2");
    PRINTS(digit(x, 1, 39), "i0 + 2*i3 + 26");
    PRINTS(digit(lin(50, i2, 1, i0, 0), 39, 0), "(i0 + 50*i2)/39");
}
END_TEST

START_TEST(common_factors_cancel)
{
    PRINTS(digit(lin(6, i1, 4, i2, 3), 8, 0), "(3*i1 + 2*i2 + 1)/4");
    PRINTS(digit(lin(6, i1, 4, i2, 3), 1, 14), "2*((3*i1 + 2*i2 + 1)%7) + 1");
    PRINTS(digit(lin(6, i1, 4, i2, 3), 4, 5), "(3*i1 + 2*i2 + 1)/2%5");
}
END_TEST

START_TEST(digits_on_a_line_are_the_line)
{
    const Idx *bit = idx_var(c, 3, 2), *three = idx_var(c, 4, 3);
    PRINTS(digit(lin(5, bit, 0, bit, 2), 4, 0), "i3");
    PRINTS(digit(lin(5, bit, 0, bit, 2), 1, 7), "2 - 2*i3");
    PRINTS(digit(lin(7, three, 0, three, 1), 5, 0), "(7*i4 + 1)/5");      /* 0, 1, 3 */
    PRINTS(digit(lin(5, three, 0, three, 1), 4, 0), "i4");                /* 0, 1, 2 */
}
END_TEST

START_TEST(digits_of_digits_merge)
{
    const Idx *x = idx_var(c, 3, 1000);
    PRINTS(digit(digit(x, 6, 0), 5, 0), "i3/30");
    PRINTS(digit(digit(x, 6, 0), 5, 3), "i3/30%3");
    PRINTS(digit(lin(1, digit(x, 6, 0), 2, i0, 3), 5, 0), "(12*i0 + i3 + 18)/30");
    PRINTS(digit(digit(x, 1, 12), 4, 0), "i3/4%3");
    PRINTS(digit(digit(x, 1, 12), 1, 4), "i3%4");
    PRINTS(digit(digit(x, 1, 12), 5, 0), "i3%12/5");
    PRINTS(digit(digit(x, 7, 12), 2, 3), "i3/14%3");
    PRINTS(digit(lin(3, digit(x, 1, 8), 1, i2, 0), 1, 12), "(i2 + 3*i3)%12");
    PRINTS(digit(lin(3, digit(x, 1, 8), 1, i2, 0), 1, 16), "(i2 + 3*(i3%8))%16");
}
END_TEST

START_TEST(mixed_radix_is_taken_apart)
{
    const Idx *x = idx_var(c, 3, 100), *y = idx_var(c, 4, 4);
    PRINTS(digit(lin(4, x, 1, y, 0), 20, 0), "i3/5");
    PRINTS(digit(lin(4, x, 1, y, 0), 1, 20), "i4 + 4*(i3%5)");
    PRINTS(digit(lin(4, x, 1, y, 0), 2, 10), "2*(i3%5) + i4/2");
    PRINTS(digit(lin(6, x, 1, y, 0), 4, 0), "(6*i3 + i4)/4");
    PRINTS(digit(lin(6, x, 1, idx_var(c, 5, 2), 0), 4, 0), "(3*i3)/2");
    PRINTS(digit(lin(-4, x, 1, y, 396), 1, 20), "i4 + 4*((99 - i3)%5)");
    PRINTS(digit(lin(4, x, -1, y, 3), 20, 0), "i3/5");
}
END_TEST

START_TEST(every_operand_starts_in_its_first_period)
{
    for (int64_t k = -50; k < 50; k++)
        for (int64_t b = 0; b < 9; b++) {
            const Idx *x = digit(lin(-3, i1, 2, i2, k), 5, b);
            for (int i = 0; i < x->n; i++) {
                const Atom *a = x->t[i].atom;
                ck_assert(a->kind != ATOM_DIGIT || (a->x->lo >= 0 && a->x->lo < (a->b > 0 ? a->a * a->b : a->a)));
            }
        }
}
END_TEST

/* ---- sums of digits ---------------------------------------------------------------------------------------------- */

START_TEST(neighbouring_digits_are_one)
{
    const Idx *x = idx_var(c, 3, 1000);
    ck_assert_ptr_eq(lin(1, digit(x, 1, 6), 6, digit(x, 6, 0), 0), x);
    PRINTS(lin(5, digit(x, 2, 6), 30, digit(x, 12, 4), 1), "5*(i3/2%24) + 1");
    PRINTS(lin(5, digit(x, 2, 6), 60, digit(x, 12, 4), 1), "5*(i3/2%6) + 60*(i3/12%4) + 1");
    const Idx *y = lin(7, x, 1, i2, 0);
    ck_assert_ptr_eq(lin(1, digit(y, 1, 12), 12, digit(y, 12, 0), 0), y);
    ck_assert_ptr_eq(lin(1, digit(y, 1, 7), 7, digit(y, 7, 0), 0), y);
    const Idx *z = lin(12, x, 1, i2, 0);     /* the quotient by 6 is 2·i3 + i2/6 */
    ck_assert_ptr_eq(lin(1, digit(z, 1, 6), 6, digit(z, 6, 0), 0), z);
}
END_TEST

START_TEST(digits_join_a_quotient)
{
    const Idx *x = idx_var(c, 3, 40), *y = idx_var(c, 4, 28);    /* (56·⌊x/2⌋ + 28·(x mod 2) + y) / 8 */
    const Idx *q = digit(lin(28, digit(x, 1, 2), 1, y, 0), 8, 0);
    PRINTS(idx_axpy(c, q, 7, digit(x, 2, 0)), "(28*i3 + i4)/8");
}
END_TEST

/* ---- guards and values ------------------------------------------------------------------------------------------- */

START_TEST(an_assumption_narrows_and_no_more)
{
    const Idx *x = idx_assume(c, i2, 2, 7);
    BOUNDS(x, 2, 7);
    PRINTS(x, "i2");
    ck_assert_ptr_eq(idx_assume(c, i2, -5, 9), i2);
    ck_assert_ptr_eq(idx_assume(c, i2, 4, 4), num(4));
    ck_assert_ptr_eq(idx_assume(c, i2, 9, 20), num(9));
    ck_assert_ptr_eq(idx_assume(c, i2, 20, 30), num(20));        /* never evaluated; within what is asked for */
    ck_assert_ptr_eq(idx_assume(c, i2, 0, -1), num(0));
    ck_assert_ptr_eq(idx_assume(c, x, 0, 5), idx_assume(c, i2, 2, 5));
    ck_assert_ptr_eq(idx_assume(c, x, 1, 8), x);
    ck_assert_int_eq(idx_assume(c, x, 3, 20)->depth, 1);
    BOUNDS(idx_assume(c, x, 3, 20), 3, 7);
}
END_TEST

START_TEST(assumptions_have_a_normal_form)
{
    ck_assert_ptr_eq(idx_assume(c, lin(1, i2, 0, i2, -2), 0, 5), lin(1, idx_assume(c, i2, 2, 7), 0, i2, -2));
    const Idx *x = idx_assume(c, lin(3, i2, 0, i2, 1), 5, 20);   /* 7, 10, …, 19 */
    ck_assert_ptr_eq(x, lin(3, idx_assume(c, i2, 2, 6), 0, i2, 1));
    BOUNDS(x, 7, 19);
    x = idx_assume(c, lin(-3, i2, 0, i2, 20), 5, 15);            /* i2 from 2 to 5 */
    ck_assert_ptr_eq(x, lin(-3, idx_assume(c, i2, 2, 5), 0, i2, 20));
    ck_assert_ptr_eq(idx_assume(c, lin(4, i2, 0, i2, 0), 5, 7), num(5));                  /* no multiple of 4 */
    x = idx_assume(c, lin(2, i0, -2, i1, 1), -3, 6);             /* 2·(i0 - i1) + 1 */
    PRINTS(x, "2*(i0 - i1) + 1");
    BOUNDS(x, -3, 5);
    ck_assert_ptr_eq(digit(idx_assume(c, i2, 4, 7), 4, 0), num(1));
    ck_assert_ptr_eq(digit(idx_assume(c, i2, 4, 7), 1, 4), lin(1, idx_assume(c, i2, 4, 7), 0, i2, -4));
}
END_TEST

START_TEST(index_expressions_dissolve_in_values)
{
    const Expr *e = expr_index(c, lin(3, i2, 0, i2, 1));
    ck_assert_ptr_eq(idx_value(c, e, 0, 100), lin(3, i2, 0, i2, 1));
    ck_assert_ptr_eq(idx_value(c, e, 5, 20), idx_assume(c, lin(3, i2, 0, i2, 1), 5, 20));
    ck_assert_ptr_eq(idx_value(c, expr_cast(c, DT_I8, e), 0, 100), lin(3, i2, 0, i2, 1));
    ck_assert_ptr_eq(idx_value(c, expr_cast(c, DT_I64, expr_cast(c, DT_U8, e)), 0, 100), lin(3, i2, 0, i2, 1));
    ck_assert_ptr_eq(idx_value(c, expr_int(c, DT_I32, 7), 0, 100), num(7));
    ck_assert_ptr_eq(idx_value(c, expr_int(c, DT_BOOL, 1), 0, 100), num(1));
    e = expr_cast(c, DT_I8, expr_index(c, lin(30, i2, 0, i2, 1)));       /* 271 does not fit */
    ck_assert_int_eq(idx_value(c, e, 0, 100)->t[0].atom->kind, ATOM_VALUE);
    e = expr_cast(c, DT_U16, expr_index(c, lin(-1, i2, 0, i2, 1)));
    ck_assert_int_eq(idx_value(c, e, 0, 100)->t[0].atom->kind, ATOM_VALUE);
}
END_TEST

START_TEST(values_are_atoms)
{
    const Expr *e = opaque(DT_I32);
    const Idx *x = idx_value(c, e, -3, 9);
    ck_assert_ptr_eq(idx_value(c, e, -3, 9), x);
    ck_assert_ptr_ne(idx_value(c, e, -3, 8), x);
    ck_assert_ptr_ne(idx_value(c, opaque(DT_I32), -3, 9), x);
    ck_assert_ptr_eq(idx_value(c, e, 4, 4), num(4));
    BOUNDS(x, -3, 9);
    ck_assert_int_eq(idx_cost(x), 0);
    PRINTS_WITH(digit(x, 4, 0), NULL, print_value, (void *)"acc", "(acc[32] + 4)/4 - 1");
    ck_assert_ptr_eq(digit(idx_value(c, e, 0, 9), 1, 10), idx_value(c, e, 0, 9));
}
END_TEST

/* ---- rewriting and reading --------------------------------------------------------------------------------------- */

START_TEST(substitution_is_simultaneous_and_rebuilds)
{
    const int vars[] = { 0, 1 };
    const Idx *swap[] = { i1, i0 }, *to[] = { lin(2, i2, 0, i2, 0), num(3) };
    ck_assert_ptr_eq(idx_subst(c, lin(5, i0, 7, i1, 1), &(Subst){ 2, vars, swap }), lin(5, i1, 7, i0, 1));
    ck_assert_ptr_eq(idx_subst(c, i2, &(Subst){ 2, vars, swap }), i2);
    ck_assert_ptr_eq(idx_subst(c, digit(lin(5, i0, 7, i1, 0), 4, 3), &(Subst){ 2, vars, to }),
                     digit(lin(10, i2, 0, i2, 21), 4, 3));
    const Idx *x = idx_assume(c, lin(1, i0, 1, i1, 0), 3, 12);
    ck_assert_ptr_eq(idx_subst(c, x, &(Subst){ 2, vars, (const Idx *[]){ num(3), num(4) } }), num(7));
    ck_assert_ptr_eq(idx_subst(c, lin(1, idx_var(c, 64, 9), 1, i0, 0), &(Subst){ 1, vars, to }),
                     lin(1, idx_var(c, 64, 9), 2, i2, 0));       /* 64 shares its bit with 0 */
}
END_TEST

START_TEST(substitution_enters_values)
{
    const int vars[] = { 0 };
    const Idx *to[] = { lin(1, i1, 1, i2, 0) };
    const Expr *load = expr_load(c, buf_new(c, BUF_IN, "in", DT_I64, 1, &(int64_t){ 100 }), &i0);
    const Idx *x = lin(1, idx_value(c, load, 0, 99), 3, digit(i1, 2, 0), 0);
    const Subst sub = { 1, vars, to };
    const Idx *y = idx_subst(c, x, &sub);
    ck_assert(idx_uses(x, 0) && idx_uses(x, 1) && !idx_uses(x, 2) && !idx_uses(x, 64));
    ck_assert(!idx_uses(y, 0) && idx_uses(y, 1) && idx_uses(y, 2));
    ck_assert_ptr_eq(y, lin(1, idx_value(c, expr_subst(c, load, &sub), 0, 99), 3, digit(i1, 2, 0), 0));
    const Expr *in = expr_in(c, idx_value(c, load, 0, 99), 50);  /* a value within a value */
    ck_assert(idx_uses(idx_value(c, expr_cast(c, DT_I64, in), 0, 1), 0));
}
END_TEST

static int64_t value_of(void *arg, const Expr *e)
{
    ck_assert_ptr_eq(arg, e);
    return -5;
}

START_TEST(evaluation_is_floored)
{
    const Expr *e = opaque(DT_I64);
    const Idx *v = idx_value(c, e, -9, 9), *x = lin(3, digit(lin(1, v, 2, i1, 0), 4, 0), 1, digit(v, 1, 7), 1);
    int64_t vars[] = { 0, 1 };
    ck_assert_int_eq(idx_eval(x, vars, value_of, (void *)e), 3 * -1 + 2 + 1);
    ck_assert_int_eq(idx_eval(idx_assume(c, i1, 1, 4), vars, NULL, NULL), 1);
}
END_TEST

START_TEST(cost_counts_divisions_and_remainders)
{
    const Idx *x = idx_var(c, 3, 1000);
    ck_assert_int_eq(idx_cost(lin(3, i0, 1, i1, 5)), 0);
    ck_assert_int_eq(idx_cost(digit(x, 7, 0)), 1);
    ck_assert_int_eq(idx_cost(digit(x, 7, 9)), 2);
    ck_assert_int_eq(idx_cost(digit(lin(5, digit(x, 1, 9), 1, i2, 0), 7, 4)), 3);
    ck_assert_int_eq(idx_cost(idx_assume(c, digit(x, 7, 9), 1, 3)), 2);
}
END_TEST

START_TEST(text_is_readable_c)
{
    const Idx *x = idx_var(c, 3, 1000), *q = digit(x, 7, 0);
    PRINTS(num(0), "0");
    PRINTS(num(-4), "-4");
    PRINTS(lin(-1, i0, 0, i0, 0), "-i0");
    PRINTS(lin(-1, i0, 1, i1, -2), "-i0 + i1 - 2");
    PRINTS(lin(-2, i0, 1, i1, 9), "9 - 2*i0 + i1");
    PRINTS(lin(4, i0, 1, digit(i1, 3, 5), 0), "4*i0 + i1/3");
    PRINTS(lin(1, i0, -1, q, 0), "i0 - (i3/7)");
    PRINTS(lin(2, q, 0, q, 0), "2*(i3/7)");
    PRINTS(digit(lin(2, i1, 1, i2, 0), 7, 0), "(2*i1 + i2)/7");
    PRINTS(digit(lin(1, digit(i2, 1, 4), 1, i1, 0), 7, 0), "(i1 + i2%4)/7");
    PRINTS(lin(3, idx_assume(c, lin(1, i0, 1, i1, 0), 2, 9), 0, i0, 0), "3*(i0 + i1)");
    PRINTS_WITH(lin(4, i0, 1, i1, 0), name_of, NULL, NULL, "4*row + col");
    char text[50];
    FILE *f = fmemopen(text, sizeof text, "w");
    idx_print(f, lin(4, i0, 1, i1, 0), name_of, NULL);
    fclose(f);
    ck_assert_str_eq(text, "4*row + col");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        equal_sums_are_one_pointer, tables_grow_and_find_all, terms_are_in_an_order_of_their_own,
        variables_are_numbered_above_the_positions, width_bounds_every_partial_sum,
        what_leaves_the_limits_is_an_internal_error, large_counts_stay_exact, digits_of_numbers_are_floored,
        multiples_of_the_period_leave_the_digit, one_period_needs_no_digit,
        coefficients_are_reduced_where_the_digit_then_goes, common_factors_cancel, digits_on_a_line_are_the_line,
        digits_of_digits_merge, mixed_radix_is_taken_apart, every_operand_starts_in_its_first_period,
        neighbouring_digits_are_one, digits_join_a_quotient, an_assumption_narrows_and_no_more,
        assumptions_have_a_normal_form, index_expressions_dissolve_in_values, values_are_atoms,
        substitution_is_simultaneous_and_rebuilds, substitution_enters_values, evaluation_is_floored,
        cost_counts_divisions_and_remainders, text_is_readable_c,
    };
    return RUN("idx", setup, context_free, tests);
}
