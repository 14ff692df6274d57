/* Private to passes: the parts of loopify. */
#ifndef BURIN_LOOPIFY_H
#define BURIN_LOOPIFY_H

#include "passes.h"

const Stmt *copy_nest(Ctx *c,
                      const Kernel *k); /* the kernel as loops around COPY; NULL when it does more than move runs */

#endif
