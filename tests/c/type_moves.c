/* Movement of one element type, against formulas: compiled once a type, with -DBITS=… and -DKIND=0 (numbers), 1 (bool),
 * 2 (strings). The model is the one that check_c.sh writes: x[3,5] through the movement operators.
 * Sub-byte elements lie 8/BITS to a byte, the first in the lowest bits. */
#include "driver.h"
#include "m.h"
#include "m.h"

#if KIND == 2
typedef const char *Elem;
#define CAST_IN (const char *const *)(void *)
#define CAST_OUT (const char **)(void *)
#else
typedef struct Elem {
    unsigned char bytes[BITS < 8 ? 1 : BITS / 8];
} Elem;
#define CAST_IN (const void *)
#define CAST_OUT (void *)
#endif

static Elem get(const void *from, int i)
{
#if BITS < 8
    Elem e = {{(unsigned char)(((const unsigned char *)from)[i * BITS / 8] >> (i * BITS % 8) & ((1 << BITS) - 1))}};
    return e;
#else
    Elem e;
    memcpy(&e, (const unsigned char *)from + (size_t)i * sizeof e, sizeof e);
    return e;
#endif
}

static void expect(const void *from, int at, const void *x, int i, const char *what)
{
    Elem a = get(from, at), b = get(x, i);
    if (!memcmp(&a, &b, sizeof a)) return;
    printf("%s, element %d: should be element %d of x\n", what, at, i);
    exit(1);
}

/* Bits behind the last element are 0. */
static void padding(const unsigned char *p, int elems, const char *what)
{
#if BITS < 8
    int bits = elems * BITS;
    if (bits % 8 && p[bits / 8] >> bits % 8) {
        printf("%s: padding bits %02x\n", what, p[bits / 8]);
        exit(1);
    }
#else
    (void)p;
    (void)elems;
    (void)what;
#endif
}

int main(void)
{
    enum { R = 3, C = 5 };
    Room x = room_new(M_IN0_BYTES, ALIGN), out[9];
    const size_t bytes[9] = {M_OUT0_BYTES, M_OUT1_BYTES, M_OUT2_BYTES, M_OUT3_BYTES, M_OUT4_BYTES,
                             M_OUT5_BYTES, M_OUT6_BYTES, M_OUT7_BYTES, M_OUT8_BYTES};
    for (int k = 0; k < 9; k++) out[k] = room_new(bytes[k], k == 8 ? 8 : ALIGN);
    for (int call = 0; call < 2; call++) {
        for (size_t i = 0; i < M_IN0_BYTES; i++)
            x.at[i] = (unsigned char)(KIND == 1 ? next() % 2 : next()); /* padding bits are dirty */
#if KIND == 2
        static const char *const words[] = {"", "a", "two words", "\xc3\xa9", "*/", "\"", "\\", "?\?/", "9", "z"};
        for (int i = 0; i < R * C; i++)
            memcpy(x.at + (size_t)i * sizeof(char *), &words[(i * 7 + call) % 10], sizeof(char *));
#endif
        const int fill = call ? 0x5A : 0xA5;
        for (int k = 0; k < 9; k++) room_fill(out[k], fill);
        m_run(CAST_IN x.at, CAST_OUT out[0].at, CAST_OUT out[1].at, CAST_OUT out[2].at, CAST_OUT out[3].at,
              CAST_OUT out[4].at, CAST_OUT out[5].at, CAST_OUT out[6].at, CAST_OUT out[7].at,
              (int64_t *)(void *)out[8].at);
        for (int k = 0; k < 9; k++) room_check(out[k], fill, "wrote around output", k);
        for (int i = 0; i < R * C; i++) expect(out[0].at, i, x.at, i, "Reshape");
        for (int i = 0; i < 2 * R; i++)
            for (int j = 0; j < 3 * C; j++) expect(out[1].at, i * 3 * C + j, x.at, i % R * C + j % C, "Repeat");
        for (int a = 0; a < 2; a++)
            for (int i = 0; i < R; i++)
                for (int j = 0; j < 2 * C; j++)
                    expect(out[2].at, (a * R + i) * 2 * C + j, x.at, i * C + j % C, "Repeat with more dimensions");
        for (int i = 0; i < C; i++)
            for (int j = 0; j < R; j++) expect(out[3].at, i * R + j, x.at, j * C + i, "Transpose");
        for (int i = 0; i < 2 * R; i++)
            for (int j = 0; j < C; j++) expect(out[4].at, i * C + j, x.at, i % R * C + j, "Concat");
        for (int i = 0; i < R; i++)
            for (int j = 0; j < 2 * C; j++)
                expect(out[5].at, i * 2 * C + j, x.at, i * C + j % C, "Concat along the rows");
        for (int i = 0; i < R - 1; i++)
            for (int j = 0; j < 2; j++) expect(out[6].at, i * 2 + j, x.at, (i + 1) * C + (1 + 2 * j), "Slice");
        for (int i = 0; i < 3 * R; i++)
            for (int j = 0; j < C; j++)
                expect(out[7].at, i * C + j, x.at, i % R * C + (C - 1 - j), "Flatten of a Tile of a reversal");
        const int counts[] = {M_OUT0_ELEMS, M_OUT1_ELEMS, M_OUT2_ELEMS, M_OUT3_ELEMS,
                              M_OUT4_ELEMS, M_OUT5_ELEMS, M_OUT6_ELEMS, M_OUT7_ELEMS};
        for (int k = 0; k < 8; k++) padding(out[k].at, counts[k], "an output");
        int64_t shape[2];
        memcpy(shape, out[8].at, sizeof shape);
        if (shape[0] != R || shape[1] != C) die("Shape", 8);
    }
    free(x.block);
    for (int k = 0; k < 9; k++) free(out[k].block);
    return 0;
}
