/* The machines that --target knows. Tiles differ, results do not. */
#include "target.h"
#include <stddef.h>
#include <string.h>

/* A panel of 16 floats is one register of AVX-512, two of AVX2, four of SSE2 and NEON. Generic tiles are those of
 * AVX2, which do well on all of them; microcontrollers have too few registers for arrays to stay there. */
static const Target targets[] = {
    {"generic", 16, 6, 2, 16, NULL},
    {"x86-64-v3", 16, 6, 2, 16, "avx2,fma"},
    {"x86-64-v4", 16, 24, 1, 32, "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"},
    {"armv8-a", 16, 6, 4, 32, NULL},
    {"rv64gcv", 16, 6, 4, 32, NULL},
    {"cortex-m4", 0, 0, 0, 0, NULL},
    {"cortex-m7", 0, 0, 0, 0, NULL},
    {"cortex-m55", 0, 0, 0, 0, NULL},
    {"rv32imc", 0, 0, 0, 0, NULL},
};

const Target *target_at(int i)
{
    return i >= 0 && (size_t)i < sizeof targets / sizeof *targets ? &targets[i] : NULL;
}

int target_vector(const Target *t)
{
    return t->vectors ? 4 * t->lanes / t->vectors : 0;
}

const Target *target_find(const char *name)
{
    for (int i = 0; target_at(i); i++)
        if (!strcmp(name, target_at(i)->name)) return target_at(i);
    return NULL;
}
