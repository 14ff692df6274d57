/* Unit tests of frontend/literal.c: numbers against the C library, bit for bit, above all those near the middle between
 * two floats. */
#include "frontend.h"
#include "unit.h"

static uint64_t state = 88172645463325252u;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static uint64_t double_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static void same(const char *text)
{
    size_t n = strlen(text);
    const char *after = NULL;
    float f = 0, wanted_f = strtof(text, NULL);
    double d = 0, wanted_d = strtod(text, NULL);
    LitFault fault = literal_float(text, text + n, &after, &f);
    ck_assert_msg(after == text + n && fault == (isinf(wanted_f) ? LIT_RANGE : LIT_OK), "float %.99s: fault %d", text,
                  fault);
    ck_assert_msg(fault || float_bits(f) == float_bits(wanted_f), "%.99s: %.9g, not %.9g", text, (double)f,
                  (double)wanted_f);
    fault = literal_double(text, text + n, &after, &d);
    ck_assert_msg(after == text + n && fault == (isinf(wanted_d) ? LIT_RANGE : LIT_OK), "double %.99s: fault %d", text,
                  fault);
    ck_assert_msg(fault || double_bits(d) == double_bits(wanted_d), "%.99s: %.17g, not %.17g", text, d, wanted_d);
}

static float any_float(void)
{
    uint32_t u = (uint32_t)any();
    float f;
    memcpy(&f, &u, sizeof f);
    return isfinite(f) ? f : 1;
}

START_TEST(random_numbers)
{
    char text[80];
    for (int i = 0; i < rounds(4000, 20000); i++) {
        snprintf(text, sizeof text, "%.*g", (int)(any() % 20) + 1, (double)any_float());
        same(text);
        snprintf(text, sizeof text, "%s%llu.%llue%d", any() % 2 ? "-" : "", (unsigned long long)(any() >> any() % 60),
                 (unsigned long long)(any() >> any() % 60), (int)(any() % 90) - 45);
        same(text);
        snprintf(text, sizeof text, "%a", (double)any_float());
        same(text);
        uint64_t u = any();
        double d;
        memcpy(&d, &u, sizeof d);
        if (!isfinite(d))
            continue;
        snprintf(text, sizeof text, "%.*g", (int)(any() % 20) + 1, d);
        same(text);
    }
}
END_TEST

/* The middle between a float and the next one has at most 25 bits: exact in double, and in decimal. */
START_TEST(middles)
{
    char text[400];
    for (int i = 0; i < rounds(800, 4000); i++) {
        float f = fabsf(any_float());
        double middle = ((double)f + (double)nextafterf(f, INFINITY)) / 2;
        if (!isfinite(middle))
            continue;
        snprintf(text, sizeof text, "%.160g", middle);
        same(text);
        size_t n = strlen(text);
        char *e = strchr(text, 'e');
        if (strchr(text, '.') && !e)
            memcpy(text + n, "000000000000000000000000000001", 31);
        same(text);
        for (int digits = 8; digits < 25; digits++) {
            snprintf(text, sizeof text, "%.*e", digits, middle);
            same(text);
        }
    }
}
END_TEST

START_TEST(corners)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "0e999999999999",
        "1e-999999999999",
        "1e999999999999",
        "00000000000000000000000001",
        "5.",
        "3.4028235e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "3.4028236e38",
        "1.4e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "1.1754944e-38",
        "1.1754943e-38",
        "16777217",
        "16777219",
        "33554435",
        "9007199254740993",
        "9007199254740992.999",
        "9007199254740993.0000000000000000000000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "0.000000000000000000000000000000000000000000000000000000000001e60",
        "12345678901234567890123456789012345678901234567890",
        "0x1p-149",
        "0x1.fffffffp127",
        "0x1.000001p0",
        "0x10",
        "18446744073709551615",
        "9999999999999999999",
        "99999999999999999999",
        "0.1e-1",
        "1E+5",
        "1e05",
    };
    for (int i = 0; i < COUNT(texts); i++)
        same(texts[i]);
    enum { LONG = 5000 };
    char text[LONG + 8];
    memset(text, '0', LONG);
    memcpy(text, "0.5", 3);
    strcpy(text + LONG, "1");
    same(text);
    memset(text, '1', LONG);
    text[1] = '.';
    text[LONG] = 0;
    same(text);
}
END_TEST

static LitFault fault_of(const char *text, ptrdiff_t wanted_end)
{
    const char *after = NULL;
    float f;
    LitFault fault = literal_float(text, text + strlen(text), &after, &f);
    ck_assert_msg(after - text == wanted_end, "%s: ends at %d", text, (int)(after - text));
    return fault;
}

START_TEST(bad_numbers)
{
    ck_assert_int_eq(fault_of("", 0), LIT_NONE);
    ck_assert_int_eq(fault_of(",", 0), LIT_NONE);
    ck_assert_int_eq(fault_of("1,2", 1), LIT_OK);
    ck_assert_int_eq(fault_of("inf,", 3), LIT_OK);
    ck_assert_int_eq(fault_of("1e,", 2), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("1e+,", 3), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("1.2.3 ", 5), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("1x", 2), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("infx", 4), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("nan1", 4), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("-", 1), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("0x", 2), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("0x1p", 4), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("0xg", 3), LIT_MALFORMED);
    ck_assert_int_eq(fault_of("1e39", 4), LIT_RANGE);
    ck_assert_int_eq(fault_of("nan(0x800000)", 13), LIT_MALFORMED);
}
END_TEST

static LitFault int_of(const char *text, bool *negative, uint64_t *v)
{
    const char *after;
    return literal_int(text, text + strlen(text), &after, negative, v);
}

START_TEST(integers)
{
    bool negative;
    uint64_t v;
    ck_assert(int_of("18446744073709551615", &negative, &v) == LIT_OK && v == UINT64_MAX && !negative);
    ck_assert(int_of("-9223372036854775808", &negative, &v) == LIT_OK && v == UINT64_C(1) << 63 && negative);
    ck_assert(int_of("0xffffFFFFffffFFFF", &negative, &v) == LIT_OK && v == UINT64_MAX);
    ck_assert(int_of("000000000000000000000000000007", &negative, &v) == LIT_OK && v == 7);
    ck_assert_int_eq(int_of("18446744073709551616", &negative, &v), LIT_RANGE);
    ck_assert_int_eq(int_of("99999999999999999999999", &negative, &v), LIT_RANGE);
    ck_assert_int_eq(int_of("1.0", &negative, &v), LIT_FRACTION);
    ck_assert_int_eq(int_of("1e3", &negative, &v), LIT_FRACTION);
    ck_assert_int_eq(int_of("1e999", &negative, &v), LIT_FRACTION);
    ck_assert_int_eq(int_of("inf", &negative, &v), LIT_FRACTION);
    ck_assert_int_eq(int_of("1x", &negative, &v), LIT_MALFORMED);
    ck_assert_int_eq(int_of("x", &negative, &v), LIT_MALFORMED);
    ck_assert_int_eq(int_of("}", &negative, &v), LIT_NONE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        random_numbers, middles, corners, bad_numbers, integers,
    };
    return RUN("literal", NULL, NULL, tests);
}
