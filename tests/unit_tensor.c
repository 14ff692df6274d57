/* Unit tests of ir/base: element types and tensors. The values of narrow floats were computed by ml_dtypes 0.6, numpy
 * and the reference of onnx 1.23. */
#include "base.h"
#include "unit.h"

/* ---- element types ----------------------------------------------------------------------------------------------- */

START_TEST(types_know_their_names_and_kinds)
{
    ck_assert_int_eq(DT_COUNT, 27);
    for (int t = 1; t < DT_COUNT; t++)
        ck_assert_int_eq(dtype_parse(dtype_name((DType)t)), t);
    ck_assert_int_eq(dtype_parse("float8e4m3fn"), 17);
    ck_assert_int_eq(dtype_parse("Float"), DT_NONE);
    ck_assert_str_eq(dtype_name(DT_NONE), "undefined");
    ck_assert_int_eq(dtype_bits(DT_I2), 2);
    ck_assert_int_eq(dtype_bits(DT_STRING), (int)(8 * sizeof(char *)));
    ck_assert_str_eq(dtype_ctype(DT_BF16), "uint16_t");
    ck_assert(dtype_is_float(DT_F4E2M1) && !dtype_is_float(DT_C64) && !dtype_is_float(DT_I8));
    ck_assert(dtype_is_int(DT_U2) && !dtype_is_int(DT_BOOL) && !dtype_is_int(DT_NONE));
    ck_assert(dtype_is_signed(DT_I4) && !dtype_is_signed(DT_U4) && !dtype_is_signed(DT_F32));
    ck_assert_int_eq(dtype_class(DT_C128), CLASS_COMPLEX);
}
END_TEST

START_TEST(sixteen_bit_floats_survive_the_way_there_and_back)
{
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t half = (uint16_t)h;
        float f = f16_to_f32(half), b = bf16_to_f32(half);
        ck_assert(isnan(f) ? (h & 0x7FFF) > 0x7C00 && isnan(f16_to_f32(f32_to_f16(f))) : f32_to_f16(f) == h);
        ck_assert(isnan(f) || f64_to_f16((double)f) == h);
        ck_assert(isnan(b) ? (h & 0x7FFF) > 0x7F80 && isnan(bf16_to_f32(f32_to_bf16(b))) : f32_to_bf16(b) == h);
    }
}
END_TEST

START_TEST(float16_rounds_once_to_nearest_even)
{
    static const struct { double d; uint16_t code; } rows[] = {
        {65519.99, 0x7BFF}, {65520, 0x7C00}, {-1e30, 0xFC00}, {0x1p-25, 0x0000}, {0x1.000002p-25, 0x0001},
        {0x1.8p-24, 0x0002}, {0x1.ffbp-15, 0x03FF}, {0x1.ffcp-15, 0x0400}, {1.00048828125, 0x3C00},
        {1.00146484375, 0x3C02}, {0.1, 0x2E66}, {-0.0, 0x8000}, {3.14159265, 0x4248},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_uint_eq(f64_to_f16(rows[i].d), rows[i].code);
        if ((double)(float)rows[i].d == rows[i].d)
            ck_assert_uint_eq(f32_to_f16((float)rows[i].d), rows[i].code);
    }
    double just_above = 1.00048828125 + 0x1p-40;   /* rounding to float first would lose the difference */
    ck_assert_uint_eq(f64_to_f16(just_above), 0x3C01);
    ck_assert_uint_eq(f32_to_f16((float)just_above), 0x3C00);
    ck_assert_uint_eq(f64_to_f16(5e-324), 0);
}
END_TEST

START_TEST(bfloat16_rounds_to_nearest_even)
{
    ck_assert_uint_eq(f32_to_bf16(3.14159265f), 0x4049);
    ck_assert_uint_eq(f32_to_bf16(0x1.01p0f), 0x3F80);
    ck_assert_uint_eq(f32_to_bf16(0x1.03p0f), 0x3F82);
    ck_assert_uint_eq(f32_to_bf16(0x1.fffffep127f), 0x7F80);
    ck_assert_uint_eq(f32_to_bf16(0x1p-133f), 0x0001);
    ck_assert_uint_eq(f32_to_bf16(-(float)INFINITY), 0xFF80);
}
END_TEST

typedef struct Narrow { DType t; float f; uint8_t sat, wrap; } Narrow;

START_TEST(narrow_floats_follow_the_cast_tables)
{
    const float inf = (float)INFINITY, nan = (float)NAN;
    const Narrow rows[] = {
        {DT_F8E4M3, 448, 0x7E, 0x7E}, {DT_F8E4M3, 464, 0x7E, 0x7E}, {DT_F8E4M3, 465, 0x7E, 0x7F},
        {DT_F8E4M3, inf, 0x7E, 0x7F}, {DT_F8E4M3, -inf, 0xFE, 0xFF}, {DT_F8E4M3, nan, 0x7F, 0x7F},
        {DT_F8E4M3, -nan, 0xFF, 0xFF}, {DT_F8E4M3, -0.0f, 0x80, 0x80}, {DT_F8E4M3, 5.1f, 0x4A, 0x4A},
        {DT_F8E4M3, 0x1p-10f, 0x00, 0x00}, {DT_F8E4M3, 0x1.8p-9f, 0x02, 0x02}, {DT_F8E4M3, -0.2f, 0xA5, 0xA5},
        {DT_F8E4M3Z, 240, 0x7F, 0x7F}, {DT_F8E4M3Z, 250, 0x7F, 0x80}, {DT_F8E4M3Z, -inf, 0xFF, 0x80},
        {DT_F8E4M3Z, nan, 0x80, 0x80}, {DT_F8E4M3Z, -0.0f, 0x00, 0x00}, {DT_F8E4M3Z, -1e-9f, 0x00, 0x00},
        {DT_F8E4M3Z, -0.2f, 0xAD, 0xAD}, {DT_F8E4M3Z, 6.5f, 0x55, 0x55},
        {DT_F8E5M2, 57344, 0x7B, 0x7B}, {DT_F8E5M2, 61439, 0x7B, 0x7B}, {DT_F8E5M2, 61440, 0x7B, 0x7C},
        {DT_F8E5M2, -inf, 0xFB, 0xFC}, {DT_F8E5M2, nan, 0x7E, 0x7E}, {DT_F8E5M2, -nan, 0xFE, 0xFE},
        {DT_F8E5M2, 0.75f, 0x3A, 0x3A}, {DT_F8E5M2, -0.2f, 0xB2, 0xB2},
        {DT_F8E5M2Z, inf, 0x7F, 0x80}, {DT_F8E5M2Z, -1e9f, 0xFF, 0x80}, {DT_F8E5M2Z, -0.2f, 0xB6, 0xB6},
        {DT_F4E2M1, 5, 0x6, 0x6}, {DT_F4E2M1, 5.1f, 0x7, 0x7}, {DT_F4E2M1, 0.25f, 0x0, 0x0},
        {DT_F4E2M1, 0.26f, 0x1, 0x1}, {DT_F4E2M1, 0.75f, 0x2, 0x2}, {DT_F4E2M1, -0.2f, 0x8, 0x8},
        {DT_F4E2M1, -inf, 0xF, 0xF}, {DT_F4E2M1, nan, 0x8, 0x8}, {DT_F4E2M1, -nan, 0x0, 0x0},
        {DT_F8E8M0, 1, 0x7F, 0x7F}, {DT_F8E8M0, 1.4f, 0x7F, 0x7F}, {DT_F8E8M0, 1.5f, 0x80, 0x80},
        {DT_F8E8M0, 0, 0x00, 0xFF}, {DT_F8E8M0, inf, 0xFE, 0xFF}, {DT_F8E8M0, nan, 0xFF, 0xFF},
        {DT_F8E8M0, 0x1.8p127f, 0xFE, 0xFF}, {DT_F8E8M0, 0x1p-127f, 0x00, 0x00}, {DT_F8E8M0, 0x1p-128f, 0x00, 0xFF},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const Narrow *r = &rows[i];
        ck_assert_msg(f32_to_f8(r->t, r->f, true) == r->sat && f32_to_f8(r->t, r->f, false) == r->wrap,
                      "row %d: %s of %g is %02x, %02x", i, dtype_name(r->t), (double)r->f,
                      f32_to_f8(r->t, r->f, true), f32_to_f8(r->t, r->f, false));
    }
}
END_TEST

START_TEST(narrow_floats_survive_the_way_there_and_back)
{
    static const DType types[] = {DT_F8E4M3, DT_F8E4M3Z, DT_F8E5M2, DT_F8E5M2Z, DT_F4E2M1, DT_F8E8M0};
    static const int nans[] = {2, 1, 6, 1, 0, 1};
    for (int k = 0; k < COUNT(types); k++) {
        int count = 0;
        for (int code = 0; code < 1 << dtype_bits(types[k]); code++) {
            float f = f8_to_f32(types[k], (uint8_t)code);
            count += isnan(f);
            ck_assert(isnan(f) || f32_to_f8(types[k], f, false) == code);
        }
        ck_assert_int_eq(count, nans[k]);
    }
    ck_assert_float_eq(f8_to_f32(DT_F8E4M3, 0x7E), 448);
    ck_assert_float_eq(f8_to_f32(DT_F8E4M3Z, 0x01), 0x1p-10f);
    ck_assert_float_eq(f8_to_f32(DT_F8E5M2, 0xFC), -(float)INFINITY);
    ck_assert_float_eq(f8_to_f32(DT_F8E5M2Z, 0xFF), -57344);
    ck_assert_float_eq(f8_to_f32(DT_F4E2M1, 0xF), -6);
    ck_assert_float_eq(f8_to_f32(DT_F8E8M0, 0x00), 0x1p-127f);
}
END_TEST

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

START_TEST(counts_refuse_what_overflows)
{
    const int64_t huge[] = {1 << 20, 1 << 20}, over[] = {1 << 20, (1 << 20) + 1};
    const int64_t empty[] = {INT64_MAX, INT64_MAX, 0}, negative[] = {0, -1};
    int64_t n = -1;
    ck_assert(dims_count(0, NULL, &n) && n == 1);
    ck_assert(dims_count(2, huge, &n) && n == INT64_C(1) << 40);
    ck_assert(!dims_count(2, over, &n));
    ck_assert(dims_count(3, empty, &n) && n == 0);
    ck_assert(!dims_count(2, negative, &n));
}
END_TEST

static void make_type(Ctx *ctx, void *arg)
{
    static const int64_t dims[40] = {-1};
    type_make(ctx, DT_F32, *(int *)arg, dims);
}

START_TEST(impossible_types_are_fatal)
{
    int rank = 40;
    ck_assert(!ctx_run(c, make_type, &rank));
    SAYS("burin: error: a tensor of rank 40: at most 32 dimensions are supported\n");
    rank = 1;
    ck_assert(!ctx_run(c, make_type, &rank));
    SAYS("burin: error: a tensor of shape [-1]: it has a negative dimension or more than 2^40 elements\n");
}
END_TEST

START_TEST(types_print_and_compare)
{
    int64_t dims[] = {2, 3};
    Type t = type_make(c, DT_F32, 2, dims), u = type_make(c, DT_F32, 2, dims);
    dims[0] = 9;
    ck_assert_str_eq(type_text(c, t), "float[2,3]");
    ck_assert_str_eq(type_text(c, (Type){DT_I64, 0, NULL}), "int64");
    ck_assert_str_eq(dims_text(c, 0, NULL), "[]");
    ck_assert(type_same(t, u) && !type_same(t, type_make(c, DT_F32, 2, dims)));
    ck_assert(!type_same(t, type_make(c, DT_F64, 2, t.dims)));
    int64_t longest[MAX_RANK];
    for (int i = 0; i < MAX_RANK; i++)
        longest[i] = INT64_MIN;
    ck_assert_uint_eq(strlen(dims_text(c, MAX_RANK, longest)), 32 * 21 + 1);
}
END_TEST

START_TEST(elements_are_read_unaligned_and_packed)
{
    static const unsigned char raw[] = {0xFF, 0x2C, 0x81, 0xFE, 0x3F, 0x80, 0x00, 0x00, 0xC0, 0x01};
    int64_t n = 1, four = 4, three = 3;
    Tensor *t = tensor_of(c, type_make(c, DT_I4, 1, &four), raw + 1, 2);
    ck_assert(tensor_at_int(t, 0) == -4 && tensor_at_int(t, 1) == 2);
    ck_assert(tensor_at_int(t, 2) == 1 && tensor_at_int(t, 3) == -8);
    t = tensor_of(c, type_make(c, DT_U2, 1, &four), raw + 1, 1);   /* 0x2C: 0, 3, 2, 0 */
    ck_assert(tensor_at_int(t, 0) == 0 && tensor_at_int(t, 1) == 3 && tensor_at_double(t, 2) == 2);
    t = tensor_of(c, type_make(c, DT_F4E2M1, 1, &three), raw + 1, 2);
    ck_assert(tensor_at_double(t, 0) == -2 && tensor_at_int(t, 0) == 12 && tensor_at_double(t, 1) == 1);
    t = tensor_of(c, type_make(c, DT_F32, 1, &n), raw + 5, 4);
    ck_assert_double_eq(tensor_at_double(t, 0), -0x1.0001p1);
    t = tensor_of(c, type_make(c, DT_U64, 1, &n), raw + 1, 8);
    ck_assert_double_eq(tensor_at_double(t, 0), (double)UINT64_C(0xC00000803FFE812C));
    ck_assert_int_eq(tensor_at_int(t, 0), (int64_t)UINT64_C(0xC00000803FFE812C));
    t = tensor_of(c, type_make(c, DT_I16, 1, &n), raw + 3, 2);
    ck_assert_int_eq(tensor_at_int(t, 0), 0x3FFE);
    t = tensor_of(c, type_make(c, DT_BOOL, 1, &n), raw, 1);
    ck_assert_int_eq(tensor_at_int(t, 0), 1);
}
END_TEST

static void make_text_number(Ctx *ctx, void *arg)
{
    tensor_float(ctx, *(DType *)arg, 1);
}

START_TEST(a_string_is_no_number)
{
    DType dt = DT_STRING;
    ck_assert(!ctx_run(c, make_text_number, &dt));
    SAYS("burin: error: internal error: a number of type string\n");
    Tensor *t = tensor_new(c, (Type){DT_STRING, 0, NULL});
    ck_assert(isnan(tensor_at_double(t, 0)) && tensor_at_int(t, 0) == 0);
}
END_TEST

START_TEST(scalars_hold_their_number_in_every_type)
{
    for (int dt = 1; dt < DT_COUNT; dt++) {
        if (dt == DT_STRING)
            continue;
        Tensor *one = tensor_float(c, (DType)dt, 1);
        ck_assert_double_eq(tensor_at_double(one, 0), 1);
        ck_assert_uint_eq(one->bytes, type_bytes(one->type));
    }
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I4, -3.7), 0), -3);
    ck_assert_int_eq(((const unsigned char *)tensor_float(c, DT_I4, -3)->data)[0], 0x0D);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I64, 1e300), 0), INT64_MAX);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I64, -1e300), 0), INT64_MIN);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_U8, -1), 0), 0);
    ck_assert_uint_eq((uint64_t)tensor_at_int(tensor_float(c, DT_U64, INFINITY), 0), UINT64_MAX);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I32, NAN), 0), 0);
    Tensor *ints = tensor_ints(c, 3, (int64_t[]){5, -6, INT64_MIN});
    ck_assert(tensor_at_int(ints, 0) == 5 && tensor_at_int(ints, 1) == -6 && tensor_at_int(ints, 2) == INT64_MIN);
    ck_assert_str_eq(type_text(c, ints->type), "int64[3]");
    ck_assert_int_eq(tensor_at_int(tensor_int(c, -9), 0), -9);
    ck_assert_uint_eq(tensor_ints(c, 0, NULL)->bytes, 0);
}
END_TEST

START_TEST(tensors_compare_by_bits_but_not_by_padding)
{
    static const unsigned char a[] = {0x21, 0xF3}, b[] = {0x21, 0x03}, d[] = {0x21, 0x04};
    int64_t three = 3, four = 4, none = 0;
    Type t = type_make(c, DT_U4, 1, &three), full = type_make(c, DT_U4, 1, &four);
    ck_assert(tensor_same(tensor_of(c, t, a, 2), tensor_of(c, t, b, 2)));
    ck_assert(!tensor_same(tensor_of(c, full, a, 2), tensor_of(c, full, b, 2)));
    ck_assert(!tensor_same(tensor_of(c, t, b, 2), tensor_of(c, t, d, 2)));
    ck_assert(tensor_same(tensor_float(c, DT_F32, NAN), tensor_float(c, DT_F32, NAN)));
    ck_assert(!tensor_same(tensor_float(c, DT_F32, 0), tensor_float(c, DT_F32, -0.0)));
    Type empty = type_make(c, DT_F32, 1, &none);
    ck_assert(tensor_same(tensor_of(c, empty, NULL, 0), tensor_new(c, empty)));
    const char *words[] = {intern(c, "a"), intern(c, "b")};
    int64_t two = 2;
    Tensor *s = tensor_of(c, type_make(c, DT_STRING, 1, &two), words, sizeof words);
    ck_assert_str_eq(tensor_at_string(s, 1), "b");
}
END_TEST

static Tensor floats(const float *v, int64_t n)
{
    return *tensor_of(c, type_make(c, DT_F32, 1, &n), mem_copy(c, v, (size_t)n * sizeof *v), (size_t)n * sizeof *v);
}

START_TEST(distances)
{
    const float nan = (float)NAN, inf = (float)INFINITY;
    const float w[] = {1, -100, 0, nan, inf, -0.0f}, g[] = {1, -101, 0, -nan, inf, -0.0f};
    Tensor want = floats(w, 6), got = floats(g, 6);
    Distance d = tensor_compare(&want, &want, 0, 0);
    ck_assert(d.same && d.wrong == 0 && d.abs_at == -1 && d.rel_at == -1 && d.first == -1);
    d = tensor_compare(&got, &want, 0, 0);
    ck_assert(!d.same && d.wrong == 1 && d.first == 1 && d.abs == 1 && d.abs_at == 1 && d.rel == 0.01 && d.rel_at == 1);
    ck_assert_int_eq(tensor_compare(&got, &want, 0.01, 0).wrong, 0);
    ck_assert_int_eq(tensor_compare(&got, &want, 0.009, 0).wrong, 1);
    ck_assert_int_eq(tensor_compare(&got, &want, 0, 1).wrong, 0);
    const float far[] = {nan, -100, 0, 1, -inf, 0};
    Tensor wild = floats(far, 6);
    d = tensor_compare(&wild, &want, 1e9, 1e9);      /* no tolerance makes a number of NaN or of an infinity */
    ck_assert(d.wrong == 3 && d.first == 0 && d.abs_at == 0 && isinf(d.abs));
    ck_assert_int_eq(tensor_compare(&wild, &want, 0, 0).wrong, 4);               /* and the sign of zero */
    const int64_t a[] = {INT64_MAX, 5}, b[] = {INT64_MAX - 1, 5};                /* the same as doubles */
    ck_assert_int_eq(tensor_compare(tensor_ints(c, 2, a), tensor_ints(c, 2, b), 0, 0).wrong, 1);
    int64_t two = 2;
    Type pair = type_make(c, DT_C64, 1, &two);
    const float z[] = {1, 2, 3, 4}, y[] = {1, 2, 3, 5};
    d = tensor_compare(tensor_of(c, pair, z, sizeof z), tensor_of(c, pair, y, sizeof y), 0, 0);
    ck_assert(d.wrong == 1 && d.first == 1 && d.abs_at == 1 && d.rel == 0.2);
}
END_TEST

/* As printf has them, the fewest digits that strtof reads back: all exponents, short and long, powers of two, ties. */
START_TEST(floats_print_in_the_fewest_digits)
{
    static const float near[] = {1, 0.5f, 2, 0.1f, 1e8f, 1e9f, 16777216, 33554432, 9.9999998e-5f, 1e-4f, 999999, 1e6f,
                                 999999.5f, 1e-14f, 1e22f, 1e23f, 0, -0.0f, 1e-45f, 3.4e38f, 0.3f, 9007199e9f};
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < rounds(40000, 200000); i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint32_t bits = (uint32_t)(state >> 20);
        float f;
        char got[40], want[40];
        memcpy(&f, &bits, sizeof f);
        if (i % 4 == 1)
            f = (float)(int)(state >> 40) / (float[]){1, 10, 100, 1e3f, 1e4f, 1e5f, 1e6f}[i % 7];
        if (i % 4 == 2)
            f = ldexpf((float)(bits % 5), (int)(bits >> 8) % 160);
        if (i % 4 == 3)
            f = (float)(bits % 2000000) * 1e-6f - 1;
        f = i < COUNT(near) ? near[i] : f;
        if (isnan(f))
            continue;
        for (int least = 1; least <= 6; least += 5) {
            float_text(got, f, least);
            for (int n = least; n <= 9; n++) {
                snprintf(want, sizeof want, "%.*g", n, (double)f);
                if (strtof(want, NULL) == f)
                    break;
            }
            ck_assert_str_eq(got, want);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        types_know_their_names_and_kinds, sixteen_bit_floats_survive_the_way_there_and_back,
        float16_rounds_once_to_nearest_even, bfloat16_rounds_to_nearest_even, narrow_floats_follow_the_cast_tables,
        narrow_floats_survive_the_way_there_and_back, counts_refuse_what_overflows, impossible_types_are_fatal,
        types_print_and_compare, elements_are_read_unaligned_and_packed, a_string_is_no_number,
        scalars_hold_their_number_in_every_type, tensors_compare_by_bits_but_not_by_padding, distances,
        floats_print_in_the_fewest_digits,
    };
    return RUN("tensor", context_new, context_free, tests);
}
