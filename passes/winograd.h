/* Private to passes: the parts of winograd. */
#ifndef BURIN_WINOGRAD_H
#define BURIN_WINOGRAD_H

#include "minimal.h"

typedef struct Axis {                /* of an image */
    int out_var, sum_var;            /* output element and tap */
    int dim;                         /* of the buffer that is read, at out + tap + shift */
    int64_t shift, in, out;          /* extents: of that dimension, of the outputs */
} Axis;

/* sum over c and taps: image[.., c, y + ky + shift, x + kx + shift] · weights[o, c, ky, kx], where what is outside is
 * 0. */
typedef struct Filter {
    const Kernel *k;
    const Expr *sum, *image, *weights;       /* the reduction; the loads in it, without guards */
    Axis axis[2];
    int in_var, out_var;             /* channels: summed, of the kernel */
    int64_t in, out;                 /* how many */
    int nouter, outer[MAX_RANK];     /* the kernel's other variables */
} Filter;
bool filter_of(Ctx *c, const Kernel *k, const Expr *sum, Filter *f);     /* false: sum is none */

/* Tiles of m × m outputs: buffers are [tile, place, channel], places those of n × n products. */
int64_t filter_tiles(const Filter *f, int m);
const Kernel *filter_in(Ctx *c, const Filter *f, const Minimal *by, const Buf *tiles, int lanes);
const Kernel *filter_out(Ctx *c, const Filter *f, const Minimal *by, const Buf *products, int lanes);
const Expr *filter_with(Ctx *c, const Expr *e, const Expr *sum, const Expr *by);     /* e with `by` for that sum */

#endif
