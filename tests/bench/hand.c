/* Operators as one writes them by hand in plain C, against what burin makes of the row of that name in speed.sh
 * (ours.c, by --prefix=ours): hand softmax|layernorm|gelu checks the values of both against double precision, then
 * times both in turn and prints "SHARE OURS HAND": the least time of ours by that of the other, and both in us.
 *
 * What the hand knows: reductions go to 32 accumulators side by side, four chunks an iteration where steps are short,
 * folded by halves at the end; the greatest need not heed NaN, since the sum does; functions are polynomials without
 * branches and without ends that no argument reaches; what a row shares is divided once. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ours.h"

#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
#define PRAGMA_TEXT(x) _Pragma(#x)
#define PRAGMA(x) PRAGMA_TEXT(x)
#if defined(__clang__)
#define EACH PRAGMA(clang loop vectorize(assume_safety) vectorize_width(WIDTH))
#else
#pragma GCC optimize("no-trapping-math", "vect-cost-model=dynamic")
#if defined(__AVX512F__)
#pragma GCC target("prefer-vector-width=512")
#endif
#define EACH PRAGMA(GCC unroll 1) PRAGMA(GCC ivdep)
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MAD(x, y, z) fmaf(x, y, z)
#else
#define MAD(x, y, z) ((x) * (y) + (z))
#endif

enum { ROWS = 256, CLASSES = 1000, CHANNELS = 1024, ELEMENTS = 262144, LANES = 32, ROUNDS = 401 };

static float gain[CHANNELS], shift[CHANNELS];

/* e^a, a at most 0: 2^n e^r. The polynomial is 2^-25 of e^r and the factor 2^(n + 25), which is never subnormal. */
static inline float exp_of(float a)
{
    union { float f; uint32_t u; } power;
    const float x = a < -105.0f ? -105.0f : a;
    power.f = MAD(x, 0x1.715476p+0f, 0x1.80013p+23f);
    const float n = power.f - 0x1.80013p+23f;
    const float r = MAD(n, -0x1.7f7d1cp-20f, MAD(n, -0x1.62e4p-1f, x));
    float p = MAD(r, 0x1.6ab89ep-35f, 0x1.123d7p-32f);
    p = MAD(r, p, 0x1.55585ap-30f);
    p = MAD(r, p, 0x1.55548cp-28f);
    p = MAD(r, p, 0x1.fffffcp-27f);
    p = MAD(r, p, 0x1p-25f);
    p = MAD(r, p, 0x1p-25f);
    power.u <<= 23;
    return p * power.f;
}

/* max(a, 0) - t 2^(t q(t) - 1), t = |a|: the power is (1 - erf(t / sqrt(2))) / 2, and 0 from 5.6 on. */
static inline float gelu_of(float a)
{
    union { float f; uint32_t u; } w;
    const float x = fabsf(a), t = x > 5.6f ? 5.6f : x;
    float q = MAD(t, 0x1.16b9d2p-21f, -0x1.43ddb6p-17f);
    q = MAD(t, q, 0x1.3cc07ep-14f);
    q = MAD(t, q, -0x1.2bf68ep-12f);
    q = MAD(t, q, 0x1.2f98ep-16f);
    q = MAD(t, q, 0x1.c60672p-8f);
    q = MAD(t, q, -0x1.ad87bap-5f);
    q = MAD(t, q, -0x1.d63e4ap-2f);
    q = MAD(t, q, -0x1.26aec4p+0f);
    w.f = MAD(t, q, 0x1.7ffffep+23f);
    const float r = MAD(t, q, 0x1.7ffffep+23f - w.f);
    const uint32_t n = w.u << 23;
    float p = MAD(r, 0x1.41d26ap-13f, 0x1.5f087ap-10f);
    p = MAD(r, p, 0x1.3b2d8p-7f);
    p = MAD(r, p, 0x1.c6af82p-5f);
    p = MAD(r, p, 0x1.ebfbdcp-3f);
    p = MAD(r, p, 0x1.62e43p-1f);
    w.f = MAD(r, p, 1.0f);
    w.u += n;
    return MAD(-t, x < 5.6f ? w.f : 0.0f, a > 0.0f ? a : 0.0f);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static inline float greater(float a, float b) { return b > a ? b : a; }
static inline float plus(float a, float b) { return a + b; }

#define HALVE(half, join) \
    EACH for (int k = 0; k < (half); k++) lanes[k] = join(lanes[k], lanes[k + (half)])
#define FOLD(join) HALVE(16, join); HALVE(8, join); HALVE(4, join); HALVE(2, join); lanes[0] = join(lanes[0], lanes[1])

static float greatest(const float *x, int n)
{
    float lanes[LANES];
    int i = LANES;
    EACH for (int k = 0; k < LANES; k++) lanes[k] = x[k];
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        EACH for (int k = 0; k < LANES; k++)
            lanes[k] = greater(lanes[k], greater(greater(x[i + k], x[i + LANES + k]),
                                                 greater(x[i + 2 * LANES + k], x[i + 3 * LANES + k])));
    }
    for (; i + LANES <= n; i += LANES) {
        EACH for (int k = 0; k < LANES; k++) lanes[k] = greater(lanes[k], x[i + k]);
    }
    for (int k = 0; i + k < n; k++) lanes[k] = greater(lanes[k], x[i + k]);
    FOLD(greater);
    return lanes[0];
}

/* y = e^(x - most), and their sum. */
static float exps(const float *restrict x, float most, float *restrict y, int n)
{
    float lanes[LANES] = { 0 };
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        EACH for (int k = 0; k < LANES; k++) {
            const float e = exp_of(x[i + k] - most);
            y[i + k] = e;
            lanes[k] += e;
        }
    }
    for (int k = 0; i + k < n; k++) lanes[k] += y[i + k] = exp_of(x[i + k] - most);
    FOLD(plus);
    return lanes[0];
}

static float sum(const float *x, int n)
{
    float lanes[LANES] = { 0 };
    for (int i = 0; i < n; i += 4 * LANES) {
        EACH for (int k = 0; k < LANES; k++)
            lanes[k] += (x[i + k] + x[i + LANES + k]) + (x[i + 2 * LANES + k] + x[i + 3 * LANES + k]);
    }
    FOLD(plus);
    return lanes[0];
}

static float squares(const float *x, float mean, int n)
{
    float lanes[LANES] = { 0 };
    for (int i = 0; i < n; i += 4 * LANES) {
        EACH for (int k = 0; k < LANES; k++) {
            const float a = x[i + k] - mean, b = x[i + LANES + k] - mean;
            const float c = x[i + 2 * LANES + k] - mean, d = x[i + 3 * LANES + k] - mean;
            lanes[k] = MAD(d, d, MAD(c, c, MAD(b, b, MAD(a, a, lanes[k]))));
        }
    }
    FOLD(plus);
    return lanes[0];
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static void softmax(const float *restrict x, float *restrict y)
{
    for (int row = 0; row < ROWS; row++, x += CLASSES, y += CLASSES) {
        const float scale = 1.0f / exps(x, greatest(x, CLASSES), y, CLASSES);
        EACH for (int i = 0; i < CLASSES; i++) y[i] *= scale;
    }
}

static void layernorm(const float *restrict x, float *restrict y)
{
    for (int row = 0; row < ROWS; row++, x += CHANNELS, y += CHANNELS) {
        const float mean = sum(x, CHANNELS) / CHANNELS;
        const float scale = 1.0f / sqrtf(squares(x, mean, CHANNELS) / CHANNELS + 1e-5f);
        EACH for (int i = 0; i < CHANNELS; i++) y[i] = MAD((x[i] - mean) * scale, gain[i], shift[i]);
    }
}

static void gelu(const float *restrict x, float *restrict y)
{
    EACH for (int i = 0; i < ELEMENTS; i++) y[i] = gelu_of(x[i]);
}

/* ---- the same in double precision -------------------------------------------------------------------------------- */

static double exact_softmax(const float *x, int i)
{
    double sum = 0;
    for (int k = i / CLASSES * CLASSES; k < (i / CLASSES + 1) * CLASSES; k++) sum += exp((double)x[k] - (double)x[i]);
    return 1 / sum;
}

static double exact_layernorm(const float *x, int i)
{
    double mean = 0, squares = 0;
    const float *row = x + i / CHANNELS * CHANNELS;
    for (int k = 0; k < CHANNELS; k++) mean += (double)row[k] / CHANNELS;
    for (int k = 0; k < CHANNELS; k++) squares += ((double)row[k] - mean) * ((double)row[k] - mean) / CHANNELS;
    return ((double)x[i] - mean) / sqrt(squares + 1e-5) * (double)gain[i % CHANNELS] + (double)shift[i % CHANNELS];
}

static double exact_gelu(const float *x, int i) { return (double)x[i] * 0.5 * (1 + erf((double)x[i] * sqrt(0.5))); }

static const struct Operator {
    const char *name;
    void (*by_hand)(const float *, float *);
    double (*exact)(const float *x, int i);
    int elements;
    double unit; /* errors are shares of the value, and of this */
} operators[] = {
    { "softmax", softmax, exact_softmax, ROWS * CLASSES, 0 },
    { "layernorm", layernorm, exact_layernorm, ROWS * CHANNELS, 1 },
    { "gelu", gelu, exact_gelu, ELEMENTS, 1 }
};

/* ---- the race ---------------------------------------------------------------------------------------------------- */

/* Both write to one place, which begins a page: where a buffer lies can make more difference than the code. */
static _Alignas(4096) float x[ELEMENTS], y[ELEMENTS];

/* The weights of models.awk: uniform, deviation sqrt(6 / 100), with five digits. */
static void weights(void)
{
    double seed = 1;
    char text[32];
    for (int i = 0; i < 2 * CHANNELS; i++) {
        seed = fmod(seed * 16807, 2147483647);
        snprintf(text, sizeof text, "%.5g", sqrt(0.06) * (seed / 1073741823.5 - 1));
        *(i < CHANNELS ? &gain[i] : &shift[i - CHANNELS]) = strtof(text, NULL);
    }
}

static void right(const struct Operator *o, const char *whose, void (*run)(const float *, float *))
{
    run(x, y);
    for (int i = 0; i < o->elements; i += 7) {
        const double exact = o->exact(x, i);
        if (fabs((double)y[i] - exact) <= 1e-6 * (fabs(exact) + o->unit)) continue;
        printf("%s of %a, %s: %a, not %a\n", o->name, (double)x[i], whose, (double)y[i], exact);
        exit(1);
    }
}

static double seconds(void (*run)(const float *, float *), double least)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 4; i++) run(x, y);
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double now = ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / 4;
    return now < least ? now : least;
}

int main(int argc, char **argv)
{
    const struct Operator *o = operators;
    while (argc == 2 && o < operators + 3 && strcmp(o->name, argv[1]) != 0) o++;
    if (argc != 2 || o == operators + 3) return 2;
    weights();
    for (int i = 0; i < ELEMENTS; i++) x[i] = 4.0f * (sinf(0.1f * (float)i) + sinf(1.7f * (float)(i % 977)));
    right(o, "burin's", ours_run);
    right(o, "the hand's", o->by_hand);
    double a = 1, b = 1;
    for (int i = 0; i < ROUNDS; i++) {
        a = seconds(ours_run, a);
        b = seconds(o->by_hand, b);
    }
    printf("%.3f %.1f %.1f\n", a / b, 1e6 * a, 1e6 * b);
    return 0;
}
