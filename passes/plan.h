/* Shared by the passes that decide about memory: order and plan. */
#ifndef BURIN_PLAN_H
#define BURIN_PLAN_H

#include "passes.h"

/* ---- plan.c: lives ----------------------------------------------------------------------------------------------- */

/* Bytes alive in the arena at each kernel, by scratch; io: inputs and outputs live there, too. */
int64_t *prog_alive(Ctx *c, const Prog *p, bool io);

/* ---- over.c: writing over what is read --------------------------------------------------------------------------- */

/* Whether k may write its result over t, which it reads and nobody reads later: whole elements of the same size and
 * number, and each one that it reads is at the place that it then writes. Asks nothing of lives. */
bool kernel_overwrites(Ctx *c, const Kernel *k, const Buf *t);

/* ---- place.c: offsets -------------------------------------------------------------------------------------------- */

typedef struct Block {               /* bytes that need one place */
    int first, last;                 /* kernels, both included */
    int64_t bytes, align, offset;    /* offset: the result */
    int index;                       /* position in the array: the tie-breaker */
} Block;
/* Places the blocks such that those alive at the same time do not overlap: the bytes that they take together, as few as
 * can be found; no search goes on when it is no more than `bound`, which no placement can beat. */
int64_t blocks_place(Ctx *c, Block *blocks, int n, int64_t bound);

#endif
