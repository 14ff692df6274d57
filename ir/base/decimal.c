/* Floats as decimal text. The fewest digits that read back the same are found in double arithmetic where its error, for
 * which a bound is kept, cannot change the answer; else by printing and reading back. Either way the text is that of
 * printf, on every machine. */
#include "base.h"

enum { MOST = 9 };                   /* digits that are always enough */

static void text_slow(char out[40], float f, int least)
{
    for (int digits = least; digits <= MOST; digits++) {
        snprintf(out, 40, "%.*g", digits, (double)f);
        if (strtof(out, NULL) == f || isnan(f))
            return;
    }
}

/* v * 10^k, at least 10^8 and less than 10^9, its error below v * 10^k / 2^50. False: it cannot be had so. */
static bool scaled(double v, int e2, double *s, double *half_ulp, int *exponent)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int x = (int)floor((e2 - 1) * 0.30102999566398);
    for (int tries = 0; tries < 2; tries++, x++) {
        int k = MOST - 1 - x;
        if (k >= COUNT(tens) || -k >= COUNT(tens))
            return false;
        *s = k < 0 ? v / tens[-k] : v * tens[k];
        *half_ulp = k < 0 ? ldexp(1, e2 - 25) / tens[-k] : ldexp(tens[k], e2 - 25);
        *exponent = x;
        if (*s < 1e9)
            return *s >= 1e8;
    }
    return false;
}

/* The fewest digits, `least` at least, as an integer of nine, and how many; 0: not to be told so. */
static int digits_of(double s, double half_ulp, bool power_of_two, int least, uint32_t *all)
{
    static const double steps[] = {1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1};
    double error = s * 0x1p-50;
    double low = power_of_two ? half_ulp / 2 : half_ulp;
    for (int n = least; n <= MOST; n++) {
        double step = steps[n - 1], near = step * rint(s / step), off = fabs(near - s);
        if (off - error > half_ulp)
            continue;
        if (off + error >= low || fabs(off - step / 2) <= error)
            return 0;
        *all = (uint32_t)near;
        return n;
    }
    return 0;
}

/* 0.<digits> and the like, as %.*g does. */
static void print_fixed(char *to, const char *digits, int n, int exponent)
{
    if (exponent < 0) {
        *to++ = '0';
        *to++ = '.';
        for (int i = -1; i > exponent; i--)
            *to++ = '0';
    }
    for (int i = 0; i < n || i <= exponent; i++) {
        if (i == exponent + 1 && exponent >= 0)
            *to++ = '.';
        *to++ = i < n ? digits[i] : '0';
    }
    *to = 0;
}

void float_text(char out[40], float f, int least)
{
    double v = fabs((double)f), s, half_ulp;
    int e2, exponent, n;
    uint32_t all, bits;
    memcpy(&bits, &f, sizeof bits);
    frexp(v, &e2);
    if (!isnormal(f) || !scaled(v, e2, &s, &half_ulp, &exponent) ||
        !(n = digits_of(s, half_ulp, !(bits & 0x7FFFFF), least, &all))) {
        text_slow(out, f, least);
        return;
    }
    if (all == 1000000000) {
        all /= 10;
        exponent++;
    }
    if (exponent < -4 || exponent >= n) {
        snprintf(out, 40, "%.*g", n, (double)f);
        return;
    }
    char digits[MOST];
    for (int i = MOST; i-- > 0; all /= 10)
        digits[i] = (char)('0' + all % 10);
    n = MOST;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (f < 0)
        *out++ = '-';
    print_fixed(out, digits, n, exponent);
}
