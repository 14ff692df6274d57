/* The meanings of scalar operators and casts: narrow floats against the element types' own functions, and values worked
 * out by hand. That the emitted text gives the same bits is unit_scalar.c's. */
#include "loop.h"
#include "scalar.h"
#include "unit.h"

static Value of_float(float f) { Value v = { 0 }; v.f = f; return v; }
static Value of_double(double d) { Value v; v.d = d; return v; }

/* Any bits; half of the floats of moderate size. */
static Value any(DType dt)
{
    const uint64_t u = next_random();
    const double d = ((double)(u >> 11) / 9007199254740992.0 - 0.5) * (u & 1 ? 8.0 : 400.0);
    if (next_random() & 1)
        return dt == DT_F64 ? of_double(d) : of_float((float)d);
    return (Value){ .u = dt == DT_F64 ? u : u >> 32 };
}

/* An assertion for long loops: ck_assert makes a system call each time. */
#define HEX(a) (unsigned long long)(a)
#define SAME(a, b) do { if ((a) != (b)) ck_abort_msg("%s is %llx, not %llx", #a, HEX(a), HEX(b)); } while (0)

/* ---- casts against the element types' own functions -------------------------------------------------------------- */

static uint64_t cast_bits(DType to, DType from, Value v)
{
    return scalar_cast(to, from, v).u;
}

static uint32_t float_bits(float f)
{
    return (uint32_t)of_float(f).u;
}

START_TEST(narrow_floats_decode)
{
    static const DType eights[] = { DT_F8E4M3, DT_F8E4M3Z, DT_F8E5M2, DT_F8E5M2Z, DT_F4E2M1, DT_F8E8M0 };
    for (unsigned i = 0; i < 65536; i++) {
        Value v = { .u = i };
        SAME(cast_bits(DT_F32, DT_F16, v), float_bits(f16_to_f32((uint16_t)i)));
        SAME(cast_bits(DT_F32, DT_BF16, v), float_bits(bf16_to_f32((uint16_t)i)));
        for (int k = 0; i < 256 && k < COUNT(eights); k++)
            if (i < 16 || dtype_bits(eights[k]) == 8)
                SAME(cast_bits(DT_F32, eights[k], v), float_bits(f8_to_f32(eights[k], (uint8_t)i)));
    }
}
END_TEST

static void check_encode(float f)
{
    static const DType eights[] = { DT_F8E4M3, DT_F8E4M3Z, DT_F8E5M2, DT_F8E5M2Z, DT_F4E2M1, DT_F8E8M0 };
    Value v = of_float(f);
    SAME(cast_bits(DT_F16, DT_F32, v), f32_to_f16(f));
    SAME(cast_bits(DT_BF16, DT_F32, v), f32_to_bf16(f));
    for (int k = 0; k < COUNT(eights); k++)
        SAME(cast_bits(eights[k], DT_F32, v), f32_to_f8(eights[k], f, true));
}

/* Every half way between two neighbours, and the floats beside it; then any bits. */
START_TEST(narrow_floats_encode)
{
    for (unsigned i = 0; i < 65536; i++) {
        uint32_t u = float_bits(f16_to_f32((uint16_t)i)) + 0x1000;
        for (int d = -1; d <= 1; d++) {
            Value v = { .u = u + (uint32_t)d };
            check_encode(v.f);
            v.u = i << 16 | (uint32_t)(0x8000 + d);
            check_encode(v.f);
        }
    }
    for (int i = 0; i < 300000; i++)
        check_encode(any(DT_F32).f);
}
END_TEST

START_TEST(doubles_are_rounded_once)
{
    for (int i = 0; i < 300000; i++) {
        Value v = any(DT_F64);
        if (i & 1)               /* near the half way of two halfs */
            v.d = ldexp(1.0 + ((double)(next_random() & 2047) + 0.5) / 1024.0, (int)(next_random() % 40) - 25) *
                  (1 + (i & 2 ? 1e-15 : -1e-15));
        if (v.d == v.d)
            SAME(cast_bits(DT_F16, DT_F64, v), f64_to_f16(v.d));
    }
}
END_TEST

/* ---- meanings by hand -------------------------------------------------------------------------------------------- */

static int64_t int2(ScalarOp op, DType dt, int64_t a, int64_t b)
{
    return scalar_eval(op, dt, (const Value[]){ { .i = a }, { .i = b } }, true).i;
}

static float float2(ScalarOp op, float a, float b)
{
    return scalar_eval(op, DT_F32, (const Value[]){ of_float(a), of_float(b) }, true).f;
}

static float float3(ScalarOp op, float a, float b, float d)
{
    return scalar_eval(op, DT_F32, (const Value[]){ of_float(a), of_float(b), of_float(d) }, true).f;
}

START_TEST(integers_wrap_and_never_trap)
{
    ck_assert_int_eq(int2(OP_add, DT_I8, 127, 1), -128);
    ck_assert_int_eq(int2(OP_sub, DT_U8, 0, 1), 255);
    ck_assert_int_eq(int2(OP_mul, DT_I64, INT64_MAX, 2), -2);
    ck_assert_int_eq(int2(OP_div, DT_I32, 7, 0), 0);
    ck_assert_int_eq(int2(OP_div, DT_I32, INT32_MIN, -1), INT32_MIN);
    ck_assert_int_eq(int2(OP_div, DT_I32, -7, 2), -3);
    ck_assert_int_eq(int2(OP_mod, DT_I32, -7, 3), 2);
    ck_assert_int_eq(int2(OP_mod, DT_I32, 7, -3), -2);
    ck_assert_int_eq(int2(OP_mod, DT_I32, 6, -3), 0);
    ck_assert_int_eq(int2(OP_mod, DT_I64, INT64_MIN, -1), 0);
    ck_assert_int_eq(int2(OP_mod, DT_U8, 7, 0), 0);
    ck_assert_int_eq(int2(OP_fmod, DT_I32, -7, 3), -1);
    ck_assert_int_eq(int2(OP_pow, DT_I32, 3, 20), (int32_t)3486784401u);
    ck_assert_int_eq(int2(OP_pow, DT_I32, -1, -3), -1);
    ck_assert_int_eq(int2(OP_pow, DT_I32, 2, -1), 0);
    ck_assert_int_eq(int2(OP_pow, DT_U8, 2, 8), 0);
    ck_assert_int_eq(int2(OP_shl, DT_U8, 3, 7), 128);
    ck_assert_int_eq(int2(OP_shl, DT_U32, 3, 32), 0);
    ck_assert_int_eq(int2(OP_shr, DT_U64, -1, 64), 0);
    ck_assert_int_eq(int2(OP_abs, DT_I8, -128, 0), -128);
    ck_assert_int_eq(int2(OP_sign, DT_I64, INT64_MIN, 0), -1);
    ck_assert_int_eq(int2(OP_bitnot, DT_U16, 1, 0), 65534);
}
END_TEST

START_TEST(floats_know_nan_and_zeros)
{
    float nan = (float)NAN, inf = (float)INFINITY;
    ck_assert(isnan(float2(OP_max, nan, 1)) && isnan(float2(OP_max, 1, nan)) && isnan(float2(OP_min, nan, 1)) &&
              isnan(float2(OP_min, 1, nan)));
    ck_assert(signbit(float2(OP_max, -0.0f, 0.0f)) && !signbit(float2(OP_max, 0.0f, -0.0f)));
    ck_assert(float2(OP_most, 1, nan) == 1 && float2(OP_most, -1, 2) == 2 && float2(OP_most, 2, -inf) == 2);
    ck_assert(float2(OP_decay, -inf, 0) == 0 && isnan(float2(OP_decay, nan, 0)) && isnan(float2(OP_decay, -nan, 0)));
    ck_assert(signbit(float2(OP_relu, -0.0f, 0)) && isnan(float2(OP_relu, nan, 0)) && float2(OP_relu, -3, 0) == 0);
    ck_assert(float3(OP_clip, 5, 1, 3) == 3 && float3(OP_clip, 0, 1, 3) == 1 && float3(OP_clip, 2, 4, 3) == 3 &&
              isnan(float3(OP_clip, nan, 1, 3)));
    ck_assert(!signbit(float2(OP_sign, -0.0f, 0)) && isnan(float2(OP_sign, nan, 0)) && float2(OP_sign, -inf, 0) == -1);
    ck_assert(float2(OP_rint, 2.5f, 0) == 2 && float2(OP_rint, 3.5f, 0) == 4 && signbit(float2(OP_rint, -0.5f, 0)));
    ck_assert(float2(OP_fmod, -7, 3) == -1 && isnan(float2(OP_fmod, 7, 0)));
    ck_assert(isnan(float2(OP_sqrt, -1, 0)) && float2(OP_div, 1, 0) == inf);
}
END_TEST

START_TEST(mad_rounds_once_or_twice)
{
    Value v[] = { of_float(1 + FLT_EPSILON), of_float(1 - FLT_EPSILON), of_float(-1) };
    ck_assert(scalar_eval(OP_mad, DT_F32, v, true).f == -FLT_EPSILON * FLT_EPSILON);
    ck_assert(scalar_eval(OP_mad, DT_F32, v, false).f == 0);
}
END_TEST

START_TEST(floats_to_integers_saturate)
{
    ck_assert_int_eq(scalar_cast(DT_I8, DT_F32, of_float(-128.9f)).i, -128);
    ck_assert_int_eq(scalar_cast(DT_I8, DT_F32, of_float(1e9f)).i, 127);
    ck_assert_int_eq(scalar_cast(DT_U8, DT_F32, of_float(-1)).i, 0);
    ck_assert_int_eq(scalar_cast(DT_U8, DT_F32, of_float(255.9f)).i, 255);
    ck_assert_int_eq(scalar_cast(DT_I32, DT_F32, of_float(2147483648.0f)).i, INT32_MAX);
    ck_assert_int_eq(scalar_cast(DT_I64, DT_F64, of_double(-1e30)).i, INT64_MIN);
    ck_assert_uint_eq(scalar_cast(DT_U64, DT_F64, of_double(1e30)).u, UINT64_MAX);
    ck_assert_int_eq(scalar_cast(DT_I64, DT_F32, of_float((float)NAN)).i, 0);
    ck_assert_int_eq(scalar_cast(DT_I4, DT_F32, of_float(100)).i, 7);
    ck_assert_int_eq(scalar_cast(DT_I4, DT_I32, (Value){ .i = 9 }).i, -7);
    ck_assert_int_eq(scalar_cast(DT_U2, DT_I32, (Value){ .i = 7 }).i, 3);
    ck_assert_int_eq(scalar_cast(DT_BOOL, DT_F32, of_float((float)NAN)).i, 1);
    ck_assert_int_eq(scalar_cast(DT_I8, DT_F16, (Value){ .u = 0xC500 }).i, -5);
    ck_assert(scalar_cast(DT_F32, DT_U64, (Value){ .u = UINT64_MAX }).f == 18446744073709551616.0f);
}
END_TEST

START_TEST(exact_operators_are_found_by_their_texts)
{
    ck_assert(op_exact(OP_add, DT_F32) && op_exact(OP_sqrt, DT_F64) && op_exact(OP_exp, DT_F32) &&
              op_exact(OP_tanh, DT_F32));
    ck_assert(!op_exact(OP_exp, DT_F64) && !op_exact(OP_sin, DT_F32) && !op_exact(OP_sigmoid, DT_F64));
    ck_assert(op_inline(OP_add, DT_F32) && !op_inline(OP_max, DT_F32) && !op_inline(OP_mad, DT_F32) &&
              op_inline(OP_mad, DT_I32));
    ck_assert_int_eq(op_result(OP_lt, DT_F64), DT_BOOL);
    ck_assert_int_eq(op_result(OP_add, DT_BOOL), DT_NONE);
    ck_assert_int_eq(op_result(OP_add, DT_F16), DT_NONE);
    ck_assert_uint_eq(scalar_headers(op_text(OP_isinf, DT_F32)), NEEDS_MATH_H);
    ck_assert_uint_eq(scalar_headers(op_text(OP_eq, DT_STRING)), NEEDS_STRING_H);
    ck_assert_uint_eq(scalar_headers(op_text(OP_exp, DT_F32)), 0);
}
END_TEST

START_TEST(helpers_are_marked_with_what_they_call)
{
    bool *need = NEW_N(c, bool, helper_count());
    helper_mark(op_text(OP_sigmoid, DT_F32), DT_F32, need);
    ck_assert(need[helper_of(OP_decay, DT_F32)] && need[helper_of(OP_mad, DT_F32)] && !need[helper_of(OP_mad, DT_F64)]);
    ck_assert(!need[helper_of(OP_sigmoid, DT_F32)]);
    ck_assert_int_lt(helper_of(OP_mad, DT_F32), helper_of(OP_decay, DT_F32));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        narrow_floats_decode, narrow_floats_encode, doubles_are_rounded_once, integers_wrap_and_never_trap,
        floats_know_nan_and_zeros, mad_rounds_once_or_twice, floats_to_integers_saturate,
        exact_operators_are_found_by_their_texts, helpers_are_marked_with_what_they_call,
    };
    return RUN("meaning", context_new, context_free, tests);
}
