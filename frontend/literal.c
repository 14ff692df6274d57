/* Numbers in text, correctly rounded and whatever the locale says.
 * The common ones take no call of the C library: up to 19 digits are gathered in 64 bits and scaled by exact powers of
 * ten in double. A double is exact when digits and power are (Clinger): at most 2^53, at most 10^22. For a float the
 * double may be off by a few units in its last place, since only numbers close to the middle between two floats depend
 * on those: such ones, and all that are too large, too small or too long, go to strtof or strtod, cut to as many digits
 * as can matter. */
#include "frontend.h"

typedef struct Decimal {
    bool negative, fraction;         /* fraction: there was a point or an exponent */
    uint64_t digits;
    int64_t power;                   /* of ten */
    bool exact;                      /* at most 19 digits: `digits` has them all */
    const char *first, *end;         /* behind the sign; behind the number */
} Decimal;

enum { EXACT_POWER = 22, MOST_POWER = 2 * EXACT_POWER, SLACK = 8 };

static const double tens[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static bool is_digit(char ch)
{
    return (unsigned char)(ch - '0') < 10;
}

static bool is_word(char ch)
{
    return is_digit(ch) || (unsigned char)((ch | 0x20) - 'a') < 26 || ch == '_' || ch == '.';
}

/* Where the word ends that a malformed number is part of. */
static const char *word_end(const char *s, const char *end)
{
    while (s < end && (is_word(*s) || *s == '+' || *s == '-'))
        s++;
    return s;
}

/* The exponent behind e or E; NULL when it has no digits. */
static const char *exponent(const char *s, const char *end, int64_t *power)
{
    bool negative = s < end && *s == '-';
    int64_t e = 0;
    if (s < end && (*s == '-' || *s == '+'))
        s++;
    if (s == end || !is_digit(*s))
        return NULL;
    for (; s < end && is_digit(*s); s++)
        e = e < INT32_MAX ? e * 10 + (*s - '0') : e;
    *power += negative ? -e : e;
    return s;
}

/* Reads -?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)? */
static LitFault decimal(const char *s, const char *end, Decimal *d)
{
    *d = (Decimal){.exact = true};
    if (s < end && *s == '-') {
        d->negative = true;
        s++;
    }
    const char *first = d->first = s;
    uint64_t digits = 0;
    while (s < end && is_digit(*s))
        digits = digits * 10 + (uint64_t)(*s++ - '0');
    ptrdiff_t n = s - first;
    if (!n)
        return LIT_NONE;
    if (s < end && *s == '.') {
        const char *point = s++;
        while (s < end && is_digit(*s))
            digits = digits * 10 + (uint64_t)(*s++ - '0');
        d->power = -(s - point - 1);
        n = s - first - 1;
        d->fraction = true;
    }
    if (n > 19) {                    /* zeros in front do not count */
        for (const char *z = first; z < s && (*z == '0' || *z == '.'); z++)
            n -= *z == '0';
        d->exact = n <= 19;
    }
    d->digits = digits;
    if (s < end && (*s | 0x20) == 'e') {
        const char *after = exponent(s + 1, end, &d->power);
        if (!after)
            return LIT_MALFORMED;
        s = after;
        d->fraction = true;
    }
    d->end = s;
    return s < end && is_word(*s) ? LIT_MALFORMED : LIT_OK;
}

/* ---- the slow and always right way ----------------------------------------------------------------------------- */

enum { DIGITS_THAT_MATTER = 800, COPY = DIGITS_THAT_MATTER + 40 };

/* The number for strtod: its leading digits, then one that says whether any follow, and the exponent. */
static void decimal_copy(const Decimal *d, char *to)
{
    int n = 0;
    int64_t power = 0;
    bool more = false, point = false;
    const char *s = d->first;
    if (d->negative)
        *to++ = '-';
    for (; s < d->end && (is_digit(*s) || *s == '.'); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        power -= point;
        if (n == 0 && *s == '0')
            continue;
        if (n < DIGITS_THAT_MATTER) {
            to[n++] = *s;
            continue;
        }
        more = more || *s != '0';
        power++;
    }
    if (s < d->end)
        exponent(s + 1, d->end, &power);
    if (n == 0)
        to[n++] = '0';
    if (more) {
        to[n++] = '1';
        power--;
    }
    sprintf(to + n, "e%lld", (long long)power);
}

static LitFault slow_float(const Decimal *d, float *value)
{
    char copy[COPY];
    decimal_copy(d, copy);
    *value = strtof(copy, NULL);
    return isinf(*value) ? LIT_RANGE : LIT_OK;
}

static LitFault slow_double(const Decimal *d, double *value)
{
    char copy[COPY];
    decimal_copy(d, copy);
    *value = strtod(copy, NULL);
    return isinf(*value) ? LIT_RANGE : LIT_OK;
}

/* ---- other spellings: hexadecimal, infinity, NaN --------------------------------------------------------------- */

static bool at_word(const char *s, const char *end, const char *word, const char **after)
{
    for (; *word; s++, word++)
        if (s == end || (*s | 0x20) != *word)
            return false;
    *after = s;
    return s == end || !is_word(*s);
}

static int hex_digit(char ch)
{
    if (is_digit(ch))
        return ch - '0';
    ch |= 0x20;
    return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

/* 0x...: up to 16 digits. Returns NULL when there is none, or too many. */
static const char *hex_int(const char *s, const char *end, uint64_t *v)
{
    if (end - s < 3 || s[0] != '0' || (s[1] | 0x20) != 'x' || hex_digit(s[2]) < 0)
        return NULL;
    for (*v = 0, s += 2; s < end && hex_digit(*s) >= 0; s++) {
        if (*v >> 60)
            return NULL;
        *v = *v << 4 | (uint64_t)hex_digit(*s);
    }
    return s;
}

typedef enum Special { NOT_SPECIAL, IS_INF, IS_NAN, IS_BITS, IS_HEX, IS_BAD } Special;

/* What stands behind the sign, if it is no decimal number. *bits: of nan(0x...); *after: its end. */
static Special special(const char *s, const char *end, const char **after, uint64_t *bits)
{
    if (at_word(s, end, "infinity", after) || at_word(s, end, "inf", after))
        return IS_INF;
    if (at_word(s, end, "nan", after)) {
        const char *p = *after < end && **after == '(' ? hex_int(*after + 1, end, bits) : NULL;
        if (!p || p == end || *p != ')')
            return IS_NAN;
        *after = p + 1;
        return IS_BITS;
    }
    if (end - s > 1 && s[0] == '0' && (s[1] | 0x20) == 'x') {
        *after = word_end(s, end);
        return *after - s < 64 ? IS_HEX : IS_BAD;
    }
    return NOT_SPECIAL;
}

/* A hexadecimal number as strtod and strtof read it, which round it once. */
static bool hex_copy(const char *s, const char *after, char *copy)
{
    memcpy(copy, s, (size_t)(after - s));
    copy[after - s] = 0;
    return true;
}

static LitFault hex_float(const char *s, const char *after, float *value)
{
    char copy[72], *stop;
    hex_copy(s, after, copy);
    *value = strtof(copy, &stop);
    return *stop ? LIT_MALFORMED : isinf(*value) ? LIT_RANGE : LIT_OK;
}

static LitFault hex_double(const char *s, const char *after, double *value)
{
    char copy[72], *stop;
    hex_copy(s, after, copy);
    *value = strtod(copy, &stop);
    return *stop ? LIT_MALFORMED : isinf(*value) ? LIT_RANGE : LIT_OK;
}

static LitFault special_float(const char *s, const char *end, const char **after, float *value)
{
    bool negative = s < end && *s == '-';
    uint64_t bits = 0;
    LitFault fault = LIT_OK;
    uint32_t u;
    switch (special(s + negative, end, after, &bits)) {
    case IS_INF:  *value = INFINITY; break;
    case IS_NAN:  *value = NAN; break;
    case IS_HEX:  fault = hex_float(s + negative, *after, value); break;
    case IS_BITS:
        u = UINT32_C(0x7F800000) | (uint32_t)bits;
        memcpy(value, &u, sizeof u);
        fault = bits && bits <= 0x7FFFFF ? LIT_OK : LIT_MALFORMED;
        break;
    case IS_BAD:  return LIT_MALFORMED;
    default:
        *after = word_end(s, end);
        return *after == s ? LIT_NONE : LIT_MALFORMED;
    }
    memcpy(&u, value, sizeof u);
    u |= negative ? UINT32_C(1) << 31 : 0;       /* of a NaN as well */
    memcpy(value, &u, sizeof u);
    return fault;
}

static LitFault special_double(const char *s, const char *end, const char **after, double *value)
{
    bool negative = s < end && *s == '-';
    uint64_t bits = 0;
    LitFault fault = LIT_OK;
    switch (special(s + negative, end, after, &bits)) {
    case IS_INF:  *value = (double)INFINITY; break;
    case IS_NAN:  *value = (double)NAN; break;
    case IS_HEX:  fault = hex_double(s + negative, *after, value); break;
    case IS_BITS:
        fault = bits && bits <= UINT64_C(0xFFFFFFFFFFFFF) ? LIT_OK : LIT_MALFORMED;
        bits |= UINT64_C(0x7FF0000000000000);
        memcpy(value, &bits, sizeof bits);
        break;
    case IS_BAD:  return LIT_MALFORMED;
    default:
        *after = word_end(s, end);
        return *after == s ? LIT_NONE : LIT_MALFORMED;
    }
    memcpy(&bits, value, sizeof bits);
    bits |= negative ? UINT64_C(1) << 63 : 0;
    memcpy(value, &bits, sizeof bits);
    return fault;
}

/* ---- the door -------------------------------------------------------------------------------------------------- */

static bool is_plain(const char *s, const char *end)
{
    s += s < end && *s == '-';
    return s < end && is_digit(*s) && !(end - s > 1 && *s == '0' && (s[1] | 0x20) == 'x');
}

/* digits · 10^power in double, within SLACK units of its last place. */
static double scaled(uint64_t digits, int64_t power)
{
    double v = (double)digits;
    if (power < 0) {
        if (power < -EXACT_POWER)
            v /= tens[-power - EXACT_POWER];
        return v / tens[power < -EXACT_POWER ? EXACT_POWER : -power];
    }
    if (power > EXACT_POWER)
        v *= tens[power - EXACT_POWER];
    return v * tens[power > EXACT_POWER ? EXACT_POWER : power];
}

/* True when every number within SLACK units of v rounds to the same normal float. */
static bool float_is_sure(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t from_middle = (int64_t)(bits & 0x1FFFFFFF) - 0x10000000;
    return (from_middle > SLACK || from_middle < -SLACK) && v > 1.2e-38 && v < 3.4e38;
}

LitFault literal_float(const char *s, const char *end, const char **after, float *value)
{
    Decimal d;
    if (!is_plain(s, end))
        return special_float(s, end, after, value);
    LitFault fault = decimal(s, end, &d);
    *after = fault ? word_end(s, end) : d.end;
    if (fault)
        return fault;
    if (d.exact && d.power >= -MOST_POWER && d.power <= MOST_POWER) {
        double v = scaled(d.digits, d.power);
        if (d.digits == 0 || float_is_sure(v)) {
            *value = (float)(d.negative ? -v : v);
            return LIT_OK;
        }
    }
    return slow_float(&d, value);
}

LitFault literal_double(const char *s, const char *end, const char **after, double *value)
{
    Decimal d;
    if (!is_plain(s, end))
        return special_double(s, end, after, value);
    LitFault fault = decimal(s, end, &d);
    *after = fault ? word_end(s, end) : d.end;
    if (fault)
        return fault;
    bool exact = d.exact && d.digits <= UINT64_C(1) << 53;
    if (exact && d.power >= -EXACT_POWER && d.power <= EXACT_POWER) {
        double v = scaled(d.digits, d.power);
        *value = d.negative ? -v : v;
        return LIT_OK;
    }
    return slow_double(&d, value);
}

LitFault literal_int(const char *s, const char *end, const char **after, bool *negative, uint64_t *magnitude)
{
    const char *from = s, *hex;
    *negative = s < end && *s == '-';
    s += *negative;
    *magnitude = 0;
    if ((hex = hex_int(s, end, magnitude)) && (hex == end || !is_word(*hex))) {
        *after = hex;
        return LIT_OK;
    }
    const char *first = s;
    uint64_t v = 0;
    bool over = false;
    for (; s < end && is_digit(*s); s++) {
        unsigned digit = (unsigned)(*s - '0');
        over = over || v > UINT64_MAX / 10 || (v == UINT64_MAX / 10 && digit > UINT64_MAX % 10);
        v = v * 10 + digit;
    }
    *magnitude = v;
    *after = s;
    if (s > first && (s == end || !is_word(*s)))
        return over ? LIT_RANGE : LIT_OK;
    float f;                         /* not a whole number: is it a number? */
    LitFault fault = literal_float(from, end, after, &f);
    return fault == LIT_OK || fault == LIT_RANGE ? LIT_FRACTION : fault;
}
