/* Private to passes: the parts of loopify. */
#ifndef BURIN_LOOPIFY_H
#define BURIN_LOOPIFY_H

#include "passes.h"

const Stmt *copy_nest(Ctx *c,
                      const Kernel *k); /* the kernel as loops around COPY; NULL when it does more than move runs */

/* The kernel as statements. */
const Kernel *kernel_loops(Ctx *c, const Kernel *k, bool wide);

/* The store with reductions, shared values and choices of its value spelled as statements; wide: for a machine that
 * computes several elements at once, so that loops are cut to fit. */
const Stmt *spelled_store(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value, bool wide);

/* The same, while reductions in lanes fill a row that they read in order: feed->out, by its last variable. */
const Stmt *spelled_with(Ctx *c, const Kernel *feed, const Buf *b, const Expr *value);

/* A value is spelled into the innermost block. */
typedef struct Block {
    struct Block *up;
    VEC(const Stmt *) stmts;
    PtrMap known;                    /* expression, or the reduction behind it -> the scalar buffers that hold it */
} Block;

typedef struct Speller {
    Ctx *c;
    Block *block;
    PtrMap parents;                  /* expression -> how many expressions use it, as (void *) */
    PtrMap lanes;                    /* accumulator of a reduction in lanes -> the expression that it is here */
    int names;
    int arms;                        /* of choices, around what is spelled */
    bool wide;
    const Kernel *feed;              /* computed, and stored, where a reduction in lanes reads its result; NULL */
} Speller;
const Expr *spell(Speller *s, const Expr *e);            /* as it reads behind what this adds to the block */
void see_parents(Speller *s, const Expr *e);             /* before: of each expression that is spelled */
void push(Speller *s, const Stmt *st);
void open_block(Speller *s, Block *b);
const Stmt *close_block(Speller *s);
const Buf *scalar(Speller *s, const char *stem, DType dt);           /* a new one, declared */
const Expr *read_scalar(Speller *s, const Buf *b);
void write_scalar(Speller *s, const Buf *b, const Expr *value);

const Buf *spell_lanes(Speller *s, const Reduce *r);     /* rows.c: the scalar that holds a reduction in lanes */
/* each.c: the loops of a kernel in compute form, over its variables `from` and up; spell_elements: cut where guards
 * change, if there are as many elements as are worth the text. */
enum { CUT_FEWEST = 1024 };
const Stmt *spell_loops(Ctx *c, const Kernel *k, int from, bool wide);
const Stmt *spell_elements(Ctx *c, const Kernel *k, int from, bool wide);
/* cut.c: every step-th value of a variable, from `first` on, as a kernel. */
const Kernel *kernel_part(Ctx *c, const Kernel *k, int var, int64_t first, int64_t step, int64_t count);
Kernel kernel_part_at(Ctx *c, const Kernel *k, int var, const Idx *first, int64_t count);    /* likewise, step 1 */
/* cut.c: likewise, with loops cut where guards change and windows of few steps written out; NULL: there are none. */
enum { CUT_STEPS_MOST = 16 };
const Stmt *cut_elements(Ctx *c, const Kernel *k, int from);
/* rowwise.c: the first *taken of n kernels as one; NULL: they are none. */
const Kernel *joined_rows(Ctx *c, const Kernel *const *k, int n, const Uses *u, bool wide, int *taken);
bool idx_assumes(const Idx *x);                           /* whether it holds under a guard alone */
/* An IN, or an AND with one: it keeps its place, so that the proof of what it guards sees it. */
bool expr_guards(const Expr *e);

#endif
