/* Private to passes: the parts of loopify. */
#ifndef BURIN_LOOPIFY_H
#define BURIN_LOOPIFY_H

#include "passes.h"

const Stmt *copy_nest(Ctx *c,
                      const Kernel *k); /* the kernel as loops around COPY; NULL when it does more than move runs */

/* The store with reductions, shared values and choices of its value spelled as statements. */
const Stmt *spelled_store(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value);
bool expr_guards(const Expr *e);     /* an IN, or an AND with one: it keeps its place, so that the proof of what it guards
                                        sees it */

#endif
