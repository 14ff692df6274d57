/* Private to passes: the parts of tile. */
#ifndef BURIN_TILE_H
#define BURIN_TILE_H

#include "passes.h"

/* Packs; the kernels: what fills those of run time, and the tiles. */
typedef struct Made { Bufs bufs; VEC(const Kernel *) kernels; } Made;
/* Of the lanes from `from` on. */
typedef struct Pack { const Expr *load; int64_t from; int width; const Buf *buf; } Pack;

typedef struct Tiling {              /* of one kernel */
    Ctx *c;
    const Kernel *k;
    const Target *target;
    int lane, row;                   /* variables; a lane that is none of the kernel's: there is one; row -1: none */
    int nreductions;
    const Expr *reductions[9];       /* those that others start from first */
    int uses[9];                     /* how often each stands in the value, or in what others start from */
    bool inside;                     /* the kernel is part of a nest */
    bool guarded;                    /* a guard within a reduction depends on the row */
    bool edges;                      /* one depends on the lane: window.c alone tiles such */
    bool window;                     /* what is reduced is written out, by window.c: arrays of the tile are scalars */
    bool padded;                     /* lanes beyond the last may be computed: they read constants alone */
    bool finite;                     /* constants within reductions are numbers: 0 times one is 0 */
    bool again;                      /* elements may be computed twice: nothing that they are computed of is written */
    bool failed;
    int64_t depth;                   /* steps of the longest reduction */
    bool read[MAX_RANK];             /* variables along which what the lanes read differs */
    double weight;                   /* elements of that */
    int rows; const Idx *row_at;     /* of the tile at hand: so many, from that one on */
    Made *made;
    VEC(Pack) packs;                 /* of this kernel */
} Tiling;

/* lanes.c: the inside of a tile. */
typedef VEC(const Stmt *) Stmts;
typedef struct Tile {
    Tiling *t;
    Ctx *c;
    int panels, lanes, valid;        /* side by side; elements of each; of the last one that are stored */
    int64_t from, count;             /* the first element; blocks one after the other */
    const Idx *block;                /* 0 .. count-1 */
    int block_var, lane_var;
    int reduction;                   /* the one at hand */
    const Buf **arrays;              /* by row, panel, reduction */
    PtrMap scalars;                  /* expression -> the scalar that holds it */
    Stmts *front;                    /* where those are declared that are the same for all lanes */
    int names;
} Tile;
typedef struct Place { int row, panel, lanes; } Place;       /* an element of the tile; how many lanes there are */
const Buf **tile_array(const Tile *s, int row, int panel, int reduction);
const Idx *tile_panel(const Tile *s, int panel);     /* the first element of a panel */
/* e, over the kernel's variables, at an element of the tile. */
const Expr *tile_at(const Tile *s, const Expr *e, Place p);
const Stmt *tile_store(const Tile *s, const Buf *array, const Expr *value);  /* into all lanes of an array */
const Expr *tile_held(const Tile *s, const Expr *e);         /* the scalar that holds e; NULL: none does */
const Expr *tile_hold(Tile *s, const Expr *e, const Expr *value, Stmts *to);         /* a new one, that has value */
/* What each lane computes of e: what is the same for all lanes is a scalar, declared in s->front. */
const Expr *tile_lane(Tile *s, const Expr *e, Place p);
bool expr_varies(Ctx *c, const Expr *e, int var);    /* with var, or with what is accumulated */

/* A tile of panels × lanes elements, block var of `count` that lie one after the other from `from` on; of the last
 * panel only `valid` lanes are stored. */
typedef struct Panels { int64_t from, count; int panels, lanes, valid, var; } Panels;
const Stmt *tile_lanes(Tiling *t, const Panels *p);

int most_lanes(const Tiling *t);     /* of a panel */
/* The step of the flat index x along var; false: x is not affine in it. */
bool idx_affine(const Idx *x, int var, int64_t *step);
const Idx *load_place(Ctx *c, const Expr *e);
/* x without an assumption around all of it, which only narrows it. */
const Idx *idx_bare(Ctx *c, const Idx *x);

/* blocks.c: a kernel that reads across the order in which it writes, by blocks; NULL: k is none. */
const Stmt *blocked(Ctx *c, const Kernel *k, const Target *target);

/* edges.c: the parts of k before, in and behind the inside of what lanes would run along, did no guard differ from lane
 * to lane; how many: 0, where there are none. */
int edges_of(Ctx *c, const Kernel *k, const Kernel **to);
/* The kernels that each have the values of a variable with one remainder; how many: 0, where no guard asks for it. */
enum { PHASES_MOST = 4 };
int phases_of(const Tiling *t, const Kernel **to);

/* columns.c: a kernel that reduces in lanes what lies side by side for its results; NULL: k is none. */
const Stmt *columns(Ctx *c, const Kernel *k);

/* nests.c: a kernel in nest form, its innermost loops as tiles where they can be. */
const Kernel *nest_tiles(Ctx *c, const Kernel *k, const Target *target, Made *made);

/* tile.c: the kernel as tiles of statements, or as it is; the tiles of one in compute form, that may stand inside a
 * nest; NULL: it has none. */
const Stmt *tiles_within(Ctx *c, const Kernel *k, const Target *target, Made *made, bool inside);
const Kernel *kernel_tiles(Ctx *c, const Kernel *k, const Target *target, Made *made);

/* sums.c: the loops that bring the arrays of the reduction at hand to its value. */
const Stmt *tile_sums(Tile *s);
bool adds_nothing(const Tile *s, const Expr *next);  /* whether what is accumulated stays as it is */

/* window.c: whether the reductions, along t->lane, are windows that rows share; sets t->row. Rows of a tile of them.
 * The same as tile_sums for them. */
bool window_fits(Tiling *t);
int window_rows(const Tiling *t, int64_t extent);
void window_sums(Tile *s, Stmts *to);

/* pack.c: next with constants that lanes read side by side in panels; NULL result of a load: it stays as it is. */
const Expr *tile_packed(Tile *s, const Expr *next, int panel);

#endif
