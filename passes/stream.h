/* Private to passes: the parts of stream. */
#ifndef BURIN_STREAM_H
#define BURIN_STREAM_H

#include "tile.h"

enum { STAGES_MOST = 64 };

typedef struct Window {              /* rows of a temporary that a kernel reads for its row y: step·y + lo .. + hi */
    const Buf *buf;
    int dim;                         /* rows lie along this dimension */
    int64_t step, lo, hi;
    bool fits;
} Window;
typedef struct Windows { bool fits; int n; const Window *of; } Windows;      /* all that a kernel reads so */

typedef struct Stage {               /* a kernel that computes a row at a time */
    const Kernel *k;
    int var; int64_t rows;           /* rows run along this variable of its */
    int dim;                         /* and along this dimension of its result; the last stage: unused */
    int64_t rate;                    /* rows for one row of the last stage */
    int64_t delay, ring;             /* rows that it lags behind; rows of its result that are kept */
    const Windows *reads;
} Stage;
typedef struct Chain { int n; Stage of[STAGES_MOST]; } Chain;    /* the last stage first */

/* The chain as one kernel, which holds the rings; to made goes what it needs in front of it. */
const Kernel *chain_kernel(Ctx *c, const Chain *ch, const Target *target, Made *made);

/* Of a unit with --stream, by kernel: the bytes that may be alive beside it without raising the peak of the arena; of
 * those that chains are made of 0. By scratch. */
int64_t *stream_spare(Ctx *c, Unit u);

#endif
