/* Random chains of movement operators, and what they do to an array: the half of fuzz_idx that knows nothing of
 * indices.
 *
 * A small chain has at most ELEMENTS elements at every step, so that whole arrays can be compared; a big one reaches
 * 2^40 elements and more dimensions, of which a few places are. */
#ifndef FUZZ_CHAIN_H
#define FUZZ_CHAIN_H

#include "loop.h"

enum { RANK = 10, SMALL_RANK = 6, STEPS = 8, ELEMENTS = 2000 };

typedef enum Kind { RESHAPE, TRANSPOSE, SLICE, EXPAND, REPEAT, PAD, KINDS } Kind;
typedef struct Shape { int rank; int64_t dims[RANK]; } Shape;
typedef struct Step {
    Kind kind;
    Shape from, to;
    int perm[RANK];                  /* TRANSPOSE */
    int64_t start[RANK], step[RANK]; /* SLICE; PAD: start[i] elements in front of dimension i */
} Step;
typedef struct Chain {
    bool big;
    Shape src;
    int n;
    Step steps[STEPS];
} Chain;

static uint64_t random_state;

static uint64_t random_bits(void)    /* splitmix64 */
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t pick(int64_t n)       /* 0 .. n-1 */
{
    return (int64_t)(random_bits() % (uint64_t)n);
}

static int64_t count(const Shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= s->dims[i];
    return n;
}

static int64_t most(const Chain *ch)
{
    return ch->big ? INT64_C(1) << 40 : ELEMENTS;
}

static int random_rank(const Chain *ch)
{
    return 1 + (int)pick(ch->big ? RANK : SMALL_RANK);
}

static Shape random_shape(const Chain *ch)
{
    static const int small[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 11, 12, 13 };
    static const int big[] = { 1, 2, 3, 5, 8, 24, 64, 97, 256, 1000, 4096, 5040, 65537 };
    Shape s = { .rank = random_rank(ch) };
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++) {
        s.dims[i] = ch->big ? big[pick(COUNT(big))] : small[pick(COUNT(small))];
        if (n * s.dims[i] > most(ch) / 4)
            s.dims[i] = 1;
        n *= s.dims[i];
    }
    return s;
}

static void random_reshape(const Chain *ch, Step *s)
{
    int64_t left = count(&s->from), largest = ch->big ? 5000 : 14;
    s->to.rank = random_rank(ch);
    for (int i = 0; i < s->to.rank; i++) {
        int64_t f = left;
        if (i < s->to.rank - 1) {
            f = pick(4) == 0 ? 1 : 1 + pick(left < largest ? left : largest);
            while (left % f != 0)
                f--;
        }
        s->to.dims[i] = f;
        left /= f;
    }
    for (int i = s->to.rank - 1; i > 0; i--) {       /* the large one need not be last */
        int j = (int)pick(i + 1);
        int64_t d = s->to.dims[i];
        s->to.dims[i] = s->to.dims[j];
        s->to.dims[j] = d;
    }
}

static void random_transpose(Step *s)
{
    s->to.rank = s->from.rank;
    for (int i = 0; i < s->to.rank; i++)
        s->perm[i] = i;
    for (int i = s->to.rank - 1; i > 0; i--) {
        int j = (int)pick(i + 1), p = s->perm[i];
        s->perm[i] = s->perm[j];
        s->perm[j] = p;
    }
    for (int i = 0; i < s->to.rank; i++)
        s->to.dims[i] = s->from.dims[s->perm[i]];
}

static void random_slice(Step *s)
{
    s->to = s->from;
    for (int i = 0; i < s->to.rank; i++) {
        s->step[i] = 1;
        if (pick(2) == 0)
            continue;
        int64_t n = s->from.dims[i], step = 1 + pick(3), start = pick(n);
        bool back = pick(3) == 0;
        if (pick(2) == 0)
            start = back ? n - 1 : 0;
        int64_t reach = (back ? start : n - 1 - start) / step;
        s->start[i] = start;
        s->step[i] = back ? -step : step;
        s->to.dims[i] = 1 + (pick(2) == 0 ? reach : pick(reach + 1));
    }
}

/* EXPAND and REPEAT: new dimensions in front; then sizes of 1 stretched, or any size repeated. */
static void random_stretch(const Chain *ch, Step *s)
{
    int rank = ch->big ? RANK : SMALL_RANK, front = s->from.rank < rank && pick(3) == 0 ? 1 : 0;
    s->to.rank = s->from.rank + front;
    for (int i = 0; i < s->to.rank; i++) {
        int64_t old = i < front ? 1 : s->from.dims[i - front];
        s->to.dims[i] = old;
        if (pick(2) == 0 && (old == 1 || s->kind == REPEAT))
            s->to.dims[i] = old * (1 + pick(4));
    }
}

static void random_pad(Step *s)
{
    s->to = s->from;
    for (int i = 0; i < s->to.rank; i++)
        if (pick(3) == 0) {
            s->start[i] = pick(4);
            s->to.dims[i] += s->start[i] + pick(4);
        }
}

static Step random_step(const Chain *ch, Shape from)
{
    Step s = { .kind = (Kind)pick(pick(3) == 0 ? KINDS : PAD), .from = from };
    if (pick(3) == 0)
        s.kind = RESHAPE;
    switch (s.kind) {
    case RESHAPE: random_reshape(ch, &s); break;
    case TRANSPOSE: random_transpose(&s); break;
    case SLICE: random_slice(&s); break;
    case PAD: random_pad(&s); break;
    default: random_stretch(ch, &s); break;
    }
    return s;
}

static Chain random_chain(bool big)
{
    Chain ch = { .big = big };
    ch.src = random_shape(&ch);
    Shape at = ch.src;
    for (int64_t i = 1 + pick(STEPS); i > 0; i--) {
        Step s = random_step(&ch, at);
        if (count(&s.to) > most(&ch))
            continue;
        ch.steps[ch.n++] = s;
        at = s.to;
    }
    return ch;
}

static Shape result(const Chain *ch)
{
    return ch->n > 0 ? ch->steps[ch->n - 1].to : ch->src;
}

static void unflatten(const Shape *s, int64_t flat, int64_t *at)
{
    for (int i = s->rank - 1; i >= 0; i--) {
        at[i] = flat % s->dims[i];
        flat /= s->dims[i];
    }
}

/* The flat place in the source of one step of what its result has at `flat`; -1: padding. */
static int64_t source_place(const Step *s, int64_t flat)
{
    int64_t to[RANK], from[RANK], place = 0;
    int shift = s->to.rank - s->from.rank;
    if (s->kind == RESHAPE)
        return flat;
    unflatten(&s->to, flat, to);
    for (int i = 0; i < s->from.rank; i++) {
        switch (s->kind) {
        case TRANSPOSE: from[s->perm[i]] = to[i]; break;
        case SLICE: from[i] = s->start[i] + s->step[i] * to[i]; break;
        case PAD: from[i] = to[i] - s->start[i]; break;
        default: from[i] = to[shift + i] % s->from.dims[i]; break;
        }
    }
    for (int i = 0; i < s->from.rank; i++) {
        if (from[i] < 0 || from[i] >= s->from.dims[i])
            return -1;
        place = place * s->from.dims[i] + from[i];
    }
    return place;
}

/* What is at one place of a chain's result: the number of an element of its source, or -1. */
static int64_t chain_element(const Chain *ch, int64_t flat)
{
    for (int k = ch->n - 1; k >= 0 && flat >= 0; k--)
        flat = source_place(&ch->steps[k], flat);
    return flat;
}

/* All of a small chain's result, by copying the array from step to step. */
static void chain_array(const Chain *ch, int64_t *out)
{
    static int64_t before[ELEMENTS];
    for (int64_t i = 0; i < count(&ch->src); i++)
        out[i] = i;
    for (int k = 0; k < ch->n; k++) {
        const Step *s = &ch->steps[k];
        memcpy(before, out, sizeof *out * (size_t)count(&s->from));
        for (int64_t i = 0; i < count(&s->to); i++) {
            int64_t p = source_place(s, i);
            out[i] = p < 0 ? -1 : before[p];
        }
    }
}

/* Whether the array is a constant plus the sum of stride·subscript. */
static bool array_strided(const Shape *s, const int64_t *out)
{
    int64_t stride[RANK], at[RANK], step = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        stride[i] = s->dims[i] > 1 ? out[step] - out[0] : 0;
        step *= s->dims[i];
    }
    for (int64_t f = 0; f < count(s); f++) {
        int64_t place = out[0];
        unflatten(s, f, at);
        for (int i = 0; i < s->rank; i++)
            place += stride[i] * at[i];
        if (place != out[f])
            return false;
    }
    return true;
}

static void chain_print(const Chain *ch)
{
    static const char *const names[] = { "reshape", "transpose", "slice", "expand", "repeat", "pad" };
    for (int k = -1; k < ch->n; k++) {
        const Shape *s = k < 0 ? &ch->src : &ch->steps[k].to;
        printf("  %s [", k < 0 ? "source" : names[ch->steps[k].kind]);
        for (int i = 0; i < s->rank; i++)
            printf("%s%lld", i > 0 ? "," : "", (long long)s->dims[i]);
        printf("]\n");
    }
}

#endif
