/* Unit tests of codegen: names, literals, line breaks, parentheses. What the emitted C computes is held against the interpreter by tests/check_c.sh. */
#include "emit.h"
#include "unit.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static Names names;

static const char *made(const char *stem, const char *from)
{
    return cname_new(c, &names, stem, from);
}

START_TEST(names_are_identifiers)
{
    names = (Names){.prefix = "m"};
    ck_assert_str_eq(made("in", "x"), "in_x");
    ck_assert_str_eq(made("in", "X"), "in_x_2");
    ck_assert_str_eq(made("in", "x"), "in_x_3");
    ck_assert_str_eq(made("out", "x"), "out_x");
    ck_assert_str_eq(made("w", "__conv..1/weight__"), "w_conv_1_weight");
    ck_assert_str_eq(made("w", "1st"), "w_1st");
    ck_assert_str_eq(made("w", "gr\xc3\xb6\xc3\x9f" "e"), "w_gr_e");
    ck_assert_str_eq(made("w", "\xe6\x97\xa5"), "w_v");
    ck_assert_str_eq(made("w", ""), "w_v_2");
    ck_assert_str_eq(made("in", "errno"), "in_errno");
    ck_assert_str_eq(made("w", "x_2"), "w_x_2");
    ck_assert_str_eq(made("w", "x"), "w_x");
    ck_assert_str_eq(made("w", "x"), "w_x_3");
    const char *n = made("w", "a_very_long_name_that_goes_on_and_on_and_never_comes_to_an_end_at_all");
    ck_assert_uint_le(strlen(n), 50);
}
END_TEST

START_TEST(names_without_stem_mean_nothing_else)
{
    names = (Names){.prefix = "acc0"};
    ck_assert_str_eq(made("", "int"), "int_v");
    ck_assert_str_eq(made("", "sqrtf"), "sqrtf_v");
    ck_assert_str_eq(made("", "y0"), "y0_v");
    ck_assert_str_eq(made("", "I"), "i");
    ck_assert_str_eq(made("", "7"), "v7");
    ck_assert_str_eq(made("", "uint8_t"), "uint8_t_v");
    ck_assert_str_eq(made("", "acc0"), "xacc0");
    ck_assert_str_eq(made("", "acc01"), "acc01");
    ck_assert(!cname_reserved("best") && cname_reserved("restrict") && cname_reserved("memcpy") &&
              cname_reserved("linux"));
    ck_assert(cname_reserved("fmaxl") && cname_reserved("namespace") && !cname_reserved("acc0"));
}
END_TEST

START_TEST(names_see_those_outside)
{
    names = (Names){.prefix = "m"};
    made("", "best");
    Names inner = {.up = &names, .prefix = "m"};
    ck_assert_str_eq(cname_new(c, &inner, "", "best"), "best_2");
    ck_assert_str_eq(cname_upper(c, "net_1"), "NET_1");
}
END_TEST

START_TEST(many_equal_names_take_linear_time)
{
    names = (Names){.prefix = "m"};
    const char *n = NULL;
    for (int i = 0; i < 50000; i++) n = made("w", "x");
    ck_assert_str_eq(n, "w_x_50000");
}
END_TEST

/* ---- literals ---------------------------------------------------------------------------------------------------- */

static char text[8192];

#define PRINTED(call) \
    do { \
        FILE *f = fmemopen(text, sizeof text, "w"); \
        call; \
        fputc(0, f); \
        fclose(f); \
    } while (0)

static const char *scalar(DType dt, Value v)
{
    PRINTED(print_scalar(f, dt, v));
    return text;
}

static const char *single(float x)
{
    Value v = {0};
    v.f = x;
    return scalar(DT_F32, v);
}

START_TEST(scalars_are_exact)
{
    ck_assert_str_eq(single(1), "1.0F");
    ck_assert_str_eq(single(-0.0f), "-0.0F");
    ck_assert_str_eq(single(-2.5f), "-2.5F");
    ck_assert_str_eq(single(0.0625f), "0.0625F");
    ck_assert_str_eq(single(0.1f), "0x1.99999ap-4F /* 0.1 */");
    ck_assert_str_eq(single(1.4e-45f), "0x0.000002p-126F /* 1.4013e-45 */");
    ck_assert_str_eq(single(3e38f), "0x1.c363ccp127F /* 3e+38 */");
    ck_assert_str_eq(scalar(DT_F64, (Value){.d = 0.1}), "0x1.999999999999ap-4 /* 0.1 */");
    ck_assert_str_eq(scalar(DT_F64, (Value){.d = 3}), "3.0");
    ck_assert_str_eq(scalar(DT_I32, (Value){.i = INT32_MIN}), "(-2147483647 - 1)");
    ck_assert_str_eq(scalar(DT_I64, (Value){.i = INT64_MIN}), "(-9223372036854775807 - 1)");
    ck_assert_str_eq(scalar(DT_I64, (Value){.i = -5}), "-5");
    ck_assert_str_eq(scalar(DT_U64, (Value){.u = UINT64_MAX}), "18446744073709551615U");
    ck_assert_str_eq(scalar(DT_F16, (Value){.u = 0x3C00}), "0x3C00");
    ck_assert_str_eq(scalar(DT_F8E4M3, (Value){.u = 0x7E}), "0x7E");
    ck_assert_str_eq(scalar(DT_BOOL, (Value){.i = 1}), "true");
}
END_TEST

START_TEST(hexadecimal_floats_keep_their_bits)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < rounds(40000, 200000); i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        char to[64];
        union { uint32_t u; float f; } a = {(uint32_t)x}, b;
        union { uint64_t u; double d; } p = {x}, q;
        if (isfinite(a.f)) {
            to[hex_float(to, a.u)] = 0;
            b.f = strtof(to, NULL);
            ck_assert_msg(a.u == b.u, "%s", to);
        }
        if (!isfinite(p.d)) continue;
        to[hex_double(to, p.u)] = 0;
        q.d = strtod(to, NULL);
        ck_assert_msg(p.u == q.u, "%s", to);
    }
}
END_TEST

START_TEST(short_decimals_are_exact)
{
    char to[40];
    for (int i = -300000; i < 300000; i += rounds(7, 1)) {
        const double v = i / 64.0;
        const int n = short_float(to, v);
        if (n == 0) continue;
        to[n] = 0;
        ck_assert_msg(strtod(to, NULL) == v && strchr(to, '.'), "%s", to);
    }
    ck_assert_int_eq(short_float(to, 0.1), 0);
    ck_assert_int_eq(short_float(to, 1e6), 0);
    ck_assert_int_eq(short_float(to, (double)INFINITY), 0);
    ck_assert_int_eq(short_float(to, (double)NAN), 0);
    ck_assert_int_eq(short_float(to, 1 / 65536.0), 0);
}
END_TEST

START_TEST(strings_are_escaped)
{
    PRINTED(print_string(f, "a\"b\\c?\n\x01\xff" "7", 10));
    ck_assert_str_eq(text, "\"a\\042b\\134c\\077\\012\\001\\3777\"");
    PRINTED(print_string(f, "", 0));
    ck_assert_str_eq(text, "\"\"");
}
END_TEST

/* ---- lines ------------------------------------------------------------------------------------------------------- */

START_TEST(long_statements_are_broken)
{
    const char *call = "f(a + b, g(c, \"one string that stays whole, whatever its blanks may say about it\"), "
                       "dddddddddddddddddddd + eeeeeeeeeeeee,"
                       " x /* and a comment */, y);";
    PRINTED(print_wrapped(f, call, strlen(call), 4));
    ck_assert_str_eq(text, "    f(a + b, g(c, \"one string that stays whole, whatever its blanks may say about it\"),\n"
                           "        dddddddddddddddddddd + eeeeeeeeeeeee, x /* and a comment */, y);\n");
    char many[3000] = "";
    for (int i = 0; i < 200; i++) strcat(many, i ? " + value12" : "value12");
    PRINTED(print_wrapped(f, many, strlen(many), 8));
    ck_assert_uint_le(longest_line(text), LINE);
    PRINTED(print_wrapped(f, "x", 1, 0));
    ck_assert_str_eq(text, "x\n");
}
END_TEST

START_TEST(comments_are_broken)
{
    Sheet *t = sheet_new(c);
    for (int i = 0; i < 50; i++) fprintf(t->f, "word%d ", i);
    print_escaped(t->f, "*/");
    PRINTED(print_comment(f, t, 4));
    ck_assert_uint_le(longest_line(text), LINE);
    ck_assert_ptr_eq(strstr(text, "*/"), text + strlen(text) - 3);
    for (int i = 0; i < 400; i++) fputc('x', t->f);      /* no blank anywhere */
    PRINTED(print_comment(f, t, 0));
    ck_assert_uint_le(longest_line(text), LINE);
}
END_TEST

/* ---- parentheses ------------------------------------------------------------------------------------------------- */

START_TEST(texts_tell_how_they_bind)
{
    ck_assert_int_eq(op_prec("a + b"), P_ADD);
    ck_assert_int_eq(op_prec("a * b + c"), P_ADD);
    ck_assert_int_eq(op_prec("(T)((U)a + (U)b)"), P_UNARY);
    ck_assert_int_eq(op_prec("FN(sqrt)(a)"), P_PRIMARY);
    ck_assert_int_eq(op_prec("-a"), P_UNARY);
    ck_assert_int_eq(op_prec("!a"), P_UNARY);
    ck_assert_int_eq(op_prec("a != 0"), P_EQ);
    ck_assert_int_eq(op_prec("a && b"), P_AND);
    ck_assert_int_eq(op_prec("a ? b : c"), P_COND);
    ck_assert_int_eq(op_prec("a << b"), P_SHIFT);
    ck_assert_int_eq(op_prec("FN(fabs)(a) == (T)INFINITY"), P_EQ);
    ck_assert_int_eq(op_prec("LIT(1.0) / (LIT(1.0) + FN(exp)(-a))"), P_MUL);
}
END_TEST

START_TEST(texts_tell_what_operands_need)
{
    bool sign;
    ck_assert_int_eq(op_need("a - b", 0, &sign), P_ADD);
    ck_assert_int_eq(op_need("a - b", 1, &sign), P_MUL);
    ck_assert(sign);
    ck_assert_int_eq(op_need("a / b", 1, &sign), P_UNARY);
    ck_assert(!sign);
    ck_assert_int_eq(op_need("(T)((U)a + (U)b)", 1, &sign), P_UNARY);
    ck_assert_int_eq(op_need("FN(fmod)(a, b)", 1, &sign), P_ANY);
    ck_assert_int_eq(op_need("-a", 0, &sign), P_UNARY);
    ck_assert(sign);
    ck_assert_int_eq(op_need("a <= b", 0, &sign), P_ADD);
    ck_assert_int_eq(op_need("a || b", 1, &sign), P_EQ);
    ck_assert_int_eq(op_need("a ? b : c", 2, &sign), P_COND);
    ck_assert_int_eq(op_need("a", 0, &sign), P_PRIMARY);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        names_are_identifiers, names_without_stem_mean_nothing_else, names_see_those_outside,
        many_equal_names_take_linear_time, scalars_are_exact, hexadecimal_floats_keep_their_bits, short_decimals_are_exact,
        strings_are_escaped, long_statements_are_broken, comments_are_broken, texts_tell_how_they_bind,
        texts_tell_what_operands_need,
    };
    return RUN("codegen", context_new, context_free, tests);
}
