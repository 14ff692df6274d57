/* Private to ir/loop: the walk that proves a kernel right; loop_check.c walks statements and programs, loop_prove.c
 * expressions. */
#ifndef BURIN_LOOP_CHECK_H
#define BURIN_LOOP_CHECK_H

#include "expr.h"

/* What holds at a place: a chain of loops, accumulators and conditions. */
typedef struct Known {
    const struct Known *outer;
    const struct Known *binds;       /* the nearest one, this included, that binds variables or accumulators */
    int depth;
    int var; int64_t extent;         /* a loop variable, 0 .. extent-1; var -1: none */
    int acc; DType acc_dt;           /* an accumulator; -1: none */
    const Expr *cond;                /* holds; NULL: none */
    const Buf *local;                /* may be used; NULL: none */
} Known;

typedef struct Checker {
    Ctx *c;
    const Kernel *kernel;
    Memo done, assumes;              /* Expr.id: where it was found right; whether an ASSUME lies within (1 + that) */
    Memo buf_known;                  /* Buf.id: buffers of the program */
    void (*visit)(const Access *, void *); void *arg;    /* NULL: none */
} Checker;

const Known *known_loop(Checker *x, const Known *outer, int var, int64_t extent);
const Known *known_acc(Checker *x, const Known *outer, int acc, DType dt);
const Known *known_cond(Checker *x, const Known *outer, const Expr *cond);
const Known *known_local(Checker *x, const Known *outer, const Buf *local);
void prove_expr(Checker *x, const Known *k, const Expr *e);
void prove_access(Checker *x, const Known *k, const Buf *b, const Idx *const *at, bool write);
NORETURN void check_fail(Checker *x, const char *fmt, ...) PRINTF(2, 3);       /* names the kernel */

#endif
