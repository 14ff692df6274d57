/* Private to passes: the parts of tile. */
#ifndef BURIN_TILE_H
#define BURIN_TILE_H

#include "passes.h"

typedef VEC(Buf *) Bufs;

typedef struct Tiling {              /* of one kernel */
    Ctx *c;
    const Kernel *k;
    const Target *target;
    int lane, row;                   /* variables; row -1: none */
    int nreductions;
    const Expr *reductions[9];
    bool guarded;                    /* a guard within a reduction depends on the row */
    bool padded;                     /* lanes beyond the last may be computed: they read constants alone */
    bool finite;                     /* constants within reductions are numbers: 0 times one is 0 */
    bool failed;
    int panels;                      /* side by side, where there are as many */
    int rows; const Idx *row_at;     /* of the tile at hand: so many, from that one on */
    Bufs *packs;                     /* constants that are made */
} Tiling;

/* Blocks of panels × lanes elements from `from` on, count of them one after the other; of the last panel only `valid`
 * lanes are stored. */
const Stmt *tile_lanes(Tiling *t, int64_t from, int64_t count, int panels, int lanes, int valid);

/* The step of the flat index x along var; false: x is not affine in it. */
bool idx_affine(const Idx *x, int var, int64_t *step);
const Idx *load_place(Ctx *c, const Expr *e);

/* pack.c: what a load of a constant reads, as a buffer of dimensions `dims`: element i is what e reads where each vars[d] is
 * the index to[d] over variables at[0..rank-1] = i. Places beyond the constant hold 0. */
typedef struct Packing { int rank; const int *at; const int64_t *dims; } Packing;
const Buf *pack_constant(Ctx *c, Bufs *packs, const Expr *load, const Subst *place, const Packing *p);

#endif
