/* The bits that must come out of constants.onnxtxt. */
#include "driver.h"
#include "m.h"

static void same(const char *what, const void *got, const void *want, size_t n)
{
    const unsigned char *g = got, *w = want;
    for (size_t i = 0; i < n; i++)
        if (g[i] != w[i]) {
            printf("%s: byte %zu is %02x, should be %02x\n", what, i, g[i], w[i]);
            exit(1);
        }
}

int main(void)
{
    static const uint32_t f[10] = {0x7F800001, 0xFFC00000, 0x80000000, 1,          0x7F7FFFFF,
                                   0,          0x7F800000, 0xFF800000, 0x3F7FFFFF, 0x4B800000};
    static const uint64_t d[6] = {0x7FF0000000000ABC, 0x8000000000000000, 1,
                                  0x7FEFFFFFFFFFFFFF, 0x3FB999999999999A, 0xFFF0000000000000};
    static const uint16_t h[4] = {31745, 32768, 1, 65535}, b[3] = {32641, 32768, 1};
    static const int64_t i[4] = {INT64_MIN, INT64_MAX, INT32_MIN, 4294967296};
    static const uint64_t u[2] = {UINT64_MAX, UINT64_C(1) << 63};
    static const int32_t w[2] = {INT32_MIN, INT32_MAX};
    static const int8_t k[3] = {-128, 127, -1};
    static const char *const s[9] = {"",
                                     "?\?/",
                                     "?\?=a?\?(b",
                                     "*/ /* //",
                                     "a\"b\\c",
                                     "%sn%d",
                                     "gr\xc3\xb6\xc3\x9f"
                                     "e",
                                     "9\0018",
                                     "tab\tand\nnew line"};
    static const uint32_t c[4] = {0x3FC00000, 0x80000000, 0x7F800000, 0x7FC00000};
    static const uint8_t n[2] = {0x0F, 0x09}, m[2] = {0x78, 0x1F}, t[2] = {0x36, 0x01}, e[3] = {127, 128, 8},
                         o[3] = {1, 0, 1};
    uint32_t yf[10], yc[4];
    uint64_t yd[6], yu[2];
    uint16_t yh[4], yb[3];
    int64_t yi[4];
    int32_t yw[2];
    int8_t yk[3];
    uint8_t yn[2], ym[2], yt[2], ye[3];
    bool yo[3];
    const char *ys[9], *ylong[1];
    for (int call = 0; call < 2; call++) {
        memset(yt, 255, sizeof yt);
        m_run((float *)(void *)yf, (double *)(void *)yd, yh, yb, yi, yu, yw, yk, ys, (float *)(void *)yc, yn, ym, yt,
              ye, yo, ylong);
        same("float", yf, f, sizeof f);
        same("double", yd, d, sizeof d);
        same("float16", yh, h, sizeof h);
        same("bfloat16", yb, b, sizeof b);
        same("int64", yi, i, sizeof i);
        same("uint64", yu, u, sizeof u);
        same("int32", yw, w, sizeof w);
        same("int8", yk, k, sizeof k);
        same("complex64", yc, c, sizeof c);
        same("uint4", yn, n, sizeof n);
        same("int4", ym, m, sizeof m);
        same("int2", yt, t, sizeof t);
        same("float8e4m3fn", ye, e, sizeof e);
        same("bool", yo, o, sizeof o);
        for (int x = 0; x < 9; x++)
            if (strcmp(ys[x], s[x])) {
                printf("string %d is '%s', should be '%s'\n", x, ys[x], s[x]);
                return 1;
            }
        if (strlen(ylong[0]) != 5000 || strspn(ylong[0], "abcdefghij") != 5000)
            die("the string of 5000 characters has", (int)strlen(ylong[0]));
    }
    return 0;
}
