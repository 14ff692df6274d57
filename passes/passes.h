/* passes: pure functions from unit to unit; their order is data (passes.def). A pass asks for properties and never for
 * an operator's name. The unit before a pass stays valid, so dump, check and compare are written once, in pipeline.c.
 */
#ifndef BURIN_PASSES_H
#define BURIN_PASSES_H

#include "graph.h"
#include "op.h"
#include "target.h"

typedef struct Unit { /* the program between two passes: as a graph until `lower`, as loops from there on */
    const Graph *graph;
    const Prog *prog;                /* NULL before lower */
    const Target *target;
    bool io_arena;                   /* inputs and outputs live in the arena, too */
    bool fast_math;                  /* inexact rewrites are allowed */
    bool stream;                     /* --stream: rows in rings where whole buffers need more bytes */
} Unit;

typedef struct PipeOptions {
    const char *after;               /* --after=PASS: run no further than that pass; else NULL */
    const char *stop_after;          /* --stop-after=PASS: skip the rest, but for lower, loopify and plan */
    int limit;                       /* --pass-limit=N: only the first N passes, likewise; -1: all */
    void (*progress)(const char *pass);      /* told before each pass; may be NULL */
    bool check; /* --check-passes: interpret before and after each pass on seeded inputs, verify each unit */
} PipeOptions;

typedef Unit Pass(Ctx *c, Unit u);
#define PASS(name, level, what, kind) Pass pass_##name;
#include "passes.def"

const char *pass_name(int k);        /* NULL at the end of the list */
const char *pass_what(int k);
int pass_find(const char *name); /* -1: unknown; "read" is the unit as the frontend gave it: 0; passes count from 1 */
Unit pipeline_run(Ctx *c, Unit u, const PipeOptions *o);

/* Shared by the loop passes: what a kernel list says of its buffers. Arrays by Buf.id, from the scratch arena. */
typedef struct Uses {
    int n;                           /* of buffer ids */
    int *readers, *writers;          /* kernels that read, write it */
    int *writer;                     /* the last kernel that writes it, -1 */
} Uses;
Uses prog_uses(Ctx *c, const Prog *p);
Prog *prog_with(Ctx *c, const Prog *p, int nkernels,
                const Kernel *const *kernels); /* drops kernels whose results nobody reads, and unused buffers */
typedef VEC(Buf *) Bufs;
Prog *prog_more(Ctx *c, const Prog *p, const Bufs *more, int nkernels,
                const Kernel *const *kernels);   /* likewise, with further buffers */
const Kernel *kernel_space(Ctx *c, const Kernel *k); /* what spaces makes of it */
const Stmt *stmt_rewrite(Ctx *c, const Stmt *s, const Rewrite *r,
                         const Idx *const *(*store)(Ctx *, const Buf **b, const Idx *const *at,
                                                    void *arg)); /* store may be NULL */

#endif
