/* Private to ir/loop: how expressions are made and what the builders share. */
#ifndef BURIN_EXPR_H
#define BURIN_EXPR_H

#include "looptab.h"

const Expr *expr_make(Ctx *c, const Expr *e);        /* the one node equal to e: kind, dt, operands; copies arrays */
void expr_set_range(Ctx *c, Expr *e);                /* range.c: lo and hi of a new node */
bool expr_open_end(const Expr *e);                   /* uint64 whose hi means "that or more" */
int expr_ats(const Expr *e);                         /* subscripts in at */
bool expr_is_int(const Expr *e, int64_t v);          /* the integer or bool constant v */
const Expr *expr_bool(Ctx *c, bool v);

/* whole.c: rint(x), where that is an expression at hand; a cast of the float x to an integer that needs no float. NULL: as
 * it is. */
const Expr *expr_rounded(const Expr *x);
const Expr *expr_cast_whole(Ctx *c, DType to, const Expr *x);

/* rewrite.c: what has been met in one walk, by creation number. Starts in scratch; grows in the permanent arena,
 * because a walk may pass through marks and releases of others. */
typedef struct Memo { int *keys; const void **values; size_t n, cap; } Memo;     /* keys: number + 1; 0: free */
Memo memo_new(Ctx *c, int expected);
const void *memo_get(const Memo *m, int id);         /* NULL: not there */
void memo_put(Ctx *c, Memo *m, int id, const void *value);

/* Calls visit for each expression that a kernel's statements or its compute form hold, subscripts' VALUEs included. */
void kernel_exprs(Ctx *c, const Kernel *k, void (*visit)(Ctx *, const Expr *, void *), void *arg);

#endif
