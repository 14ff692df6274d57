/* Burin's own single-precision functions against libm's in long double, with MAD as two roundings and as one. Samples
 * only: the errors that math.def states were found by trying every float. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_1 float a
#define PARAMS_2 float a, float b

#define MAD(x, y, z) ((x) * (y) + (z))
#define SELF(name) name##_two
#define MATH(name, arity, ...) static float name##_two(PARAMS_##arity) __VA_ARGS__
#include "math.def"
#undef MAD
#undef SELF
#undef MATH

#define MAD(x, y, z) fmaf(x, y, z)
#define SELF(name) name##_one
#define MATH(name, arity, ...) static float name##_one(PARAMS_##arity) __VA_ARGS__
#include "math.def"
#include "unit.h"

static float of_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* The distance in units of the exact value's last place; infinite when one is NaN, or the signs differ. */
static long double ulps(float got, long double exact)
{
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0.0L : INFINITY;
    if (!signbit(got) != !signbit(exact))
        return INFINITY;
    if (fabsl(exact) >= 0x1p128L)
        return isinf(got) ? 0.0L : INFINITY;
    long double value = isinf(got) ? copysignl(0x1p128L, exact) : (long double)got;
    int e;
    frexpl(exact, &e);
    e = e < -125 ? -149 : e - 24;
    return ldexpl(fabsl(value - exact), -e);
}

/* ---- functions of one argument ----------------------------------------------------------------------------------- */

static long double sigmoid_exact(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static const struct Fn {
    const char *name;
    float (*two)(float), (*one)(float);
    long double (*exact)(long double);
    float most;                      /* the greatest argument that it takes */
} fns[] = {
    { "exp", exp_two, exp_one, expl, INFINITY },
    { "log", log_two, log_one, logl, INFINITY },
    { "tanh", tanh_two, tanh_one, tanhl, INFINITY },
    { "sigmoid", sigmoid_two, sigmoid_one, sigmoid_exact, INFINITY },
    { "erf", erf_two, erf_one, erfl, INFINITY },
    { "decay", decay_two, decay_one, expl, 0.0f }
};
enum { FNS = sizeof fns / sizeof *fns };

/* Check's assertions take a system call each, so they are left for failures. */
static void compare(int fn, float x)
{
    if (x > fns[fn].most)
        return;
    long double exact = fns[fn].exact((long double)x);
    float two = fns[fn].two(x), one = fns[fn].one(x);
    if (!(ulps(two, exact) <= 2) || !(ulps(one, exact) <= 2))
        ck_abort_msg("%s(%a) = %a or, fused, %a, not %La", fns[fn].name, (double)x, (double)two, (double)one, exact);
}

START_TEST(a_sample_of_all_floats_is_within_2_ulp)
{
    for (uint64_t u = 0; u < 0x100000000u; u += 40009)
        compare(_i, of_bits((uint32_t)u));
}
END_TEST

START_TEST(zeros_subnormals_infinities_and_nans_are_within_2_ulp_with_the_right_sign)
{
    static const uint32_t edges[] = {
        0, 1, 2, 0x007fffff, 0x00800000, 0x00800001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000,
        0x7f800001, 0x7fc00000, 0x7fffffff
    };
    for (int i = 0; i < (int)(sizeof edges / sizeof *edges); i++) {
        compare(_i, of_bits(edges[i]));
        if (edges[i] != 0 || fns[_i].exact != logl)
            compare(_i, of_bits(edges[i] | 0x80000000u));
    }
}
END_TEST

START_TEST(every_float_about_a_seam_is_within_2_ulp)
{
    /* overflow, underflow to subnormals and to 0 of exp and sigmoid; the halves of tanh and of erf; the seam of log */
    static const float seams[] = {
        88.722839f, -87.336548f, -103.972084f, -105.0f, 0.55f, 0.875f, 3.93f, 0.70710678f, 0.34657359f, 9.01f
    };
    for (int i = 0; i < (int)(sizeof seams / sizeof *seams); i++) {
        uint32_t at;
        memcpy(&at, &seams[i], sizeof at);
        for (uint32_t u = at - 300; u <= at + 300; u++) {
            compare(_i, of_bits(u));
            compare(_i, of_bits(u ^ 0x80000000u));
        }
    }
}
END_TEST

START_TEST(the_worst_arguments_of_all_floats_are_within_2_ulp)
{
    static const struct { int fn; float x; } worst[] = {
        { 0, -0x1.337ad4p+5f }, { 0, -0x1.765026p+2f }, { 1, 0x1.69d012p+0f }, { 1, 0x1.66263ep+0f },
        { 2, 0x1.1b668p-1f }, { 2, 0x1.1ba7bp-1f }, { 3, -0x1.1c869cp+0f }, { 4, 0x1.c1e1eep-1f },
        { 4, 0x1.e239aap-1f }, { 5, -0x1.337ad4p+5f }, { 5, -0x1.765026p+2f }
    };
    for (int i = 0; i < (int)(sizeof worst / sizeof *worst); i++)
        compare(worst[i].fn, worst[i].x);
}
END_TEST

/* Where 1 + erf cancels, what is left of its places: those of the formula in floats, or more. */
START_TEST(gelu_is_within_2_ulp_or_the_places_of_one_plus_erf)
{
    for (uint64_t u = 0; u < 0x100000000u; u += 4001) {
        float x = of_bits((uint32_t)u), two = gelu_two(x), one = gelu_one(x);
        long double exact = 0.5L * (long double)x * erfcl(-0.70710678118654752440L * (long double)x);
        long double few = x < -0.75f && x > -100 ? ldexpl(fabsl((long double)x), x < -2 ? -25 : -24) : 0;
        if (x < -100 && two == 0 && one == 0)
            continue;
        if (!(ulps(two, exact) <= 2 || fabsl((long double)two - exact) <= few) ||
            !(ulps(one, exact) <= 2 || fabsl((long double)one - exact) <= few))
            ck_abort_msg("gelu(%a) = %a or, fused, %a, not %La", (double)x, (double)two, (double)one, exact);
    }
}
END_TEST

START_TEST(gelu_keeps_zeros_and_nan)
{
    for (int i = 0; i < 2; i++) {
        float (*gelu)(float) = i ? gelu_one : gelu_two;
        ck_assert(signbit(gelu(-0.0f)) && !signbit(gelu(0.0f)) && gelu(0.0f) == 0.0f && gelu(-0.0f) == 0.0f);
        ck_assert(isnan(gelu(NAN)) && isnan(gelu(-NAN)) && isnan(gelu(-INFINITY)) && isinf(gelu(INFINITY)));
        ck_assert(gelu(-7.0f) == 0.0f && signbit(gelu(-7.0f)) && gelu(7.0f) == 7.0f && gelu(FLT_MAX) == FLT_MAX);
    }
}
END_TEST

START_TEST(log_of_both_zeros_is_minus_infinity)
{
    ck_assert(log_two(0.0f) == -INFINITY && log_two(-0.0f) == -INFINITY);
    ck_assert(log_one(0.0f) == -INFINITY && log_one(-0.0f) == -INFINITY);
}
END_TEST

START_TEST(simple_values_are_exact)
{
    for (int i = 0; i < 2; i++) {
        ck_assert((i ? exp_one : exp_two)(0.0f) == 1.0f && (i ? exp_one : exp_two)(-0.0f) == 1.0f);
        ck_assert((i ? decay_one : decay_two)(0.0f) == 1.0f && (i ? decay_one : decay_two)(-0.0f) == 1.0f);
        ck_assert((i ? log_one : log_two)(1.0f) == 0.0f && !signbit((i ? log_one : log_two)(1.0f)));
        ck_assert((i ? sigmoid_one : sigmoid_two)(0.0f) == 0.5f && (i ? sigmoid_one : sigmoid_two)(-0.0f) == 0.5f);
        ck_assert((i ? tanh_one : tanh_two)(20.0f) == 1.0f && (i ? erf_one : erf_two)(-5.0f) == -1.0f);
    }
}
END_TEST

/* ---- pow --------------------------------------------------------------------------------------------------------- */

static void compare_pow(float x, float y)
{
    long double exact = powl((long double)x, (long double)y);
    float two = pow_two(x, y), one = pow_one(x, y);
    if (!(ulps(two, exact) <= 2) || !(ulps(one, exact) <= 2))
        ck_abort_msg("pow(%a, %a) = %a or, fused, %a, not %La", (double)x, (double)y, (double)two, (double)one, exact);
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32 ^ *state;
}

START_TEST(pow_of_special_values_is_as_c99_says)
{
    if (getenv("VALGRIND") && *getenv("VALGRIND"))
        return;                      /* its powl has signs of zero of its own: powl(-inf, -0.5) is -0 there */
    static const float specials[] = {
        0.0f, 1.0f, 0.5f, 1.5f, 2.0f, 3.0f, 33.0f, 0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, 0x1.fffffep-1f,
        0x1.000002p+0f, 0x1.000002p+22f, 0x1.000006p+22f, 0x1.fffffep+22f, 0x1p+23f, 0x1.000002p+23f,
        0x1.fffffep+23f, 0x1p+24f, 0x1.000002p+24f, 0x1p+31f, 0x1p+32f, 1e10f, 1e38f, FLT_MAX, INFINITY, NAN
    };
    enum { N = sizeof specials / sizeof *specials };
    for (int i = 0; i < 2 * N; i++)
        for (int j = 0; j < 2 * N; j++)
            compare_pow(i & 1 ? -specials[i / 2] : specials[i / 2], j & 1 ? -specials[j / 2] : specials[j / 2]);
}
END_TEST

START_TEST(pow_of_the_worst_pairs_found_is_within_2_ulp)
{
    compare_pow(0x1.ae2bf8p-1f, -0x1.fbc8bap+8f);
    compare_pow(0x1.29ecfp+0f, 0x1.237b7cp+9f);
    compare_pow(0x1.ad2f9p-1f, -0x1.f2d00ap+8f);
    compare_pow(0x1.ae469p-1f, 0x1.f26dcp+8f);
}
END_TEST

START_TEST(pow_of_any_two_floats_is_within_2_ulp)
{
    uint64_t state = 1;
    for (int i = 0; i < 100000; i++) {
        float x = of_bits((uint32_t)next(&state));
        compare_pow(x, of_bits((uint32_t)next(&state)));
        compare_pow(x, 2);
        compare_pow(x, 3);
    }
}
END_TEST

START_TEST(pow_with_a_result_in_range_is_within_2_ulp)
{
    uint64_t state = 2;
    for (int i = 0; i < 100000; i++) {
        float x = of_bits((uint32_t)next(&state) & 0x7fffffffu);
        if (i & 1)
            x = of_bits(0x3f000000u + ((uint32_t)next(&state) & 0xffffffu));
        long double exponent = ldexpl((long double)(next(&state) & 0xffffffffu), -32) * 194 - 105;
        if (x > 0 && x != 1 && x <= FLT_MAX)
            compare_pow(x, (float)(exponent / logl((long double)x)));
    }
}
END_TEST

START_TEST(pow_of_negative_bases_follows_the_parity_of_the_exponent)
{
    uint64_t state = 3;
    for (int i = 0; i < 100000; i++) {
        float x = (float)(int)(next(&state) % 2001) * 0.125f - 125.0f;
        compare_pow(x, (float)(int)(next(&state) % 301) * 0.5f - 75.0f);
    }
}
END_TEST

int main(void)
{
    TCase *t = case_new("math", NULL, NULL);
    tcase_add_loop_test(t, a_sample_of_all_floats_is_within_2_ulp, 0, FNS);
    tcase_add_loop_test(t, zeros_subnormals_infinities_and_nans_are_within_2_ulp_with_the_right_sign, 0, FNS);
    tcase_add_loop_test(t, every_float_about_a_seam_is_within_2_ulp, 0, FNS);
    tcase_add_test(t, the_worst_arguments_of_all_floats_are_within_2_ulp);
    tcase_add_test(t, gelu_is_within_2_ulp_or_the_places_of_one_plus_erf);
    tcase_add_test(t, gelu_keeps_zeros_and_nan);
    tcase_add_test(t, log_of_both_zeros_is_minus_infinity);
    tcase_add_test(t, simple_values_are_exact);
    tcase_add_test(t, pow_of_special_values_is_as_c99_says);
    tcase_add_test(t, pow_of_the_worst_pairs_found_is_within_2_ulp);
    tcase_add_test(t, pow_of_any_two_floats_is_within_2_ulp);
    tcase_add_test(t, pow_with_a_result_in_range_is_within_2_ulp);
    tcase_add_test(t, pow_of_negative_bases_follows_the_parity_of_the_exponent);
    return case_run("math", t);
}
