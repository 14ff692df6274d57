/* Private to passes: reading through a producer, the one mechanism of `views` and `fuse`. */
#ifndef BURIN_INLINE_H
#define BURIN_INLINE_H

#include "passes.h"

typedef struct Reading {             /* a load of what def writes */
    const Kernel *def, *reader;
    int def_position, position;
    int64_t times;                   /* how often the reader loads from the buffer; -1: not known, in a nest */
    const Idx *const *at;            /* where */
    const Target *target;
} Reading;

/* Puts the value of kernels that `may` be read through into the kernels that read their buffer, in order; drops those
 * that are no longer read. A reader that would grow beyond EXPR_SIZE or EXPR_DEPTH keeps its loads. */
typedef struct Inline {
    bool (*may)(Ctx *c, const Uses *u, int position, const Kernel *k); /* asked once, with k already rewritten */
    bool (*now)(Ctx *c, const Reading *r);             /* asked at each load */
    bool nests;                      /* also into nests */
    bool joins;                      /* the reader does the producer's work from now on: it is named after both */
} Inline;
Prog *prog_inline(Ctx *c, const Prog *p, const Inline *how, const Target *target);

bool kernel_whole(Ctx *c, const Kernel *k); /* compute form that writes each element of its buffer at its own place */
bool expr_moves(const Expr *e);                  /* only reads, guards and constants: movement, nothing computed */
int expr_divisions(Ctx *c, const Expr *e); /* divisions and remainders in its subscripts, as they will be printed */
/* "a + b"; too long: the beginning of a, the last of b. */
const char *names_joined(Ctx *c, const char *a, const char *b);

#endif
