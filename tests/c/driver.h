/* What the programs of check_c.sh share: rooms for inputs and outputs that are aligned to their element and no more,
 * with guards around them; seeded values; .npy files. The rest of a program is written by driver.awk from the model's
 * head. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

typedef struct Room {
    unsigned char *at, *block;
    size_t bytes, step;
} Room;

static void die(const char *what, int k)
{
    printf("%s %d\n", what, k);
    exit(1);
}

/* At an address that is a multiple of `align`, but not of twice that. */
static inline Room room_new(size_t bytes, size_t align)
{
    Room r = {NULL, malloc(2 * align + bytes + GUARD + 256), bytes, 0};
    if (!r.block) die("no memory", 0);
    uintptr_t a = (uintptr_t)r.block;
    r.step = (size_t)((2 * align - a % (2 * align)) % (2 * align) + align);
    r.at = r.block + r.step;
    return r;
}

static inline void room_fill(Room r, int byte) { memset(r.block, byte, r.step + r.bytes + GUARD); }

static inline void room_check(Room r, int byte, const char *what, int k)
{
    for (size_t i = 0; i < r.step; i++)
        if (r.block[i] != byte) die(what, k);
    for (size_t i = 0; i < GUARD; i++)
        if (r.at[r.bytes + i] != byte) die(what, k);
}

/* ---- seeded values: exact in every float type, so that sums of products do not round
 * ----------------------------------- */

static uint32_t state = 12345;

static inline uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static inline uint16_t half(float f) /* of multiples of 1/8 below 8: exact */
{
    uint32_t u;
    memcpy(&u, &f, 4);
    if (f == 0) return 0;
    return (uint16_t)((u >> 16 & 0x8000) | (((u >> 23 & 255) - 112) << 10 & 0x7C00) | (u >> 13 & 0x3FF));
}

static inline void values(const char *type, void *to, size_t elems, size_t bytes)
{
    for (size_t i = 0; i < elems; i++) {
        const float f = (float)((int)(next() % 65) - 32) / 8;
        const uint16_t h = half(f);
        const double d = f;
        const bool b = next() % 2;
        if (!strcmp(type, "float")) memcpy((float *)to + i, &f, 4);
        else if (!strcmp(type, "double")) memcpy((double *)to + i, &d, 8);
        else if (!strcmp(type, "float16")) memcpy((uint16_t *)to + i, &h, 2);
        else if (!strcmp(type, "bool")) memcpy((bool *)to + i, &b, 1);
        else if (!strcmp(type, "complex64")) {
            memcpy((float *)to + 2 * i, &f, 4);
            memset((float *)to + 2 * i + 1, 0, 4);
        } else { /* integers: any bits; now and then one that matters */
            const size_t size = bytes / elems;
            unsigned char *p = (unsigned char *)to + i * size;
            const uint32_t kind = next() % 6;
            for (size_t k = 0; k < size; k++)
                p[k] = kind == 0   ? 0
                       : kind == 1 ? (k ? 0 : (unsigned char)(next() % 8))
                       : kind == 2 ? 255
                       : kind == 3 ? (k + 1 < size ? 0 : 128)
                                   : (unsigned char)next();
        }
    }
}

/* ---- .npy files
 * -------------------------------------------------------------------------------------------------------- */

static inline void npy_put(const char *dir, int k, const char *descr, int rank, const int64_t *dims, const void *data,
                           size_t bytes)
{
    char path[4096], head[512];
    snprintf(path, sizeof path, "%s/in%d.npy", dir, k);
    int n = snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < rank; i++) n += snprintf(head + n, sizeof head - (size_t)n, "%lld,", (long long)dims[i]);
    n += snprintf(head + n, sizeof head - (size_t)n, "), }\n");
    FILE *f = fopen(path, "wb");
    if (!f) die("cannot write an input", k);
    const unsigned char lead[] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(n & 255), (unsigned char)(n >> 8)};
    fwrite(lead, 1, sizeof lead, f);
    fwrite(head, 1, (size_t)n, f);
    fwrite(data, 1, bytes, f);
    if (fclose(f)) die("cannot write an input", k);
}

static inline bool is_nan(const char *type, const unsigned char *p)
{
    float f = 0;
    double d = 0;
    uint16_t h = 0;
    if (!strcmp(type, "float")) memcpy(&f, p, 4);
    if (!strcmp(type, "double")) memcpy(&d, p, 8);
    if (!strcmp(type, "float16")) memcpy(&h, p, 2);
    return f != f || d != d || (h & 0x7FFF) > 0x7C00;
}

/* The data of dir/output_K.npy must be these bytes; any NaN is like any other. */
static inline void npy_same(const char *dir, int k, const char *type, const unsigned char *data, size_t elems,
                            size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/output_%d.npy", dir, k);
    FILE *f = fopen(path, "rb");
    if (!f) die("no file of output", k);
    unsigned char lead[10], *want = malloc(bytes + 1);
    if (!want || fread(lead, 1, 10, f) != 10 || fseek(f, lead[8] + 256 * lead[9], SEEK_CUR) ||
        fread(want, 1, bytes + 1, f) != bytes)
        die("wrong size of output", k);
    fclose(f);
    const size_t size = elems ? bytes / elems : 0;
    for (size_t i = 0; i < elems; i++) {
        if (!memcmp(data + i * size, want + i * size, size) ||
            (is_nan(type, data + i * size) && is_nan(type, want + i * size)))
            continue;
        printf("output %d (%s), element %zu: compiled", k, type, i);
        for (size_t b = size; b-- > 0;) printf(" %02x", data[i * size + b]);
        printf(", interpreted");
        for (size_t b = size; b-- > 0;) printf(" %02x", want[i * size + b]);
        printf("\n");
        exit(1);
    }
    free(want);
}
