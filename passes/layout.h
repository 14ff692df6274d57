/* Private to passes: how a kernel that sums products would like its operands to lie. */
#ifndef BURIN_LAYOUT_H
#define BURIN_LAYOUT_H

#include "passes.h"

typedef struct Wish {
    const Buf *buf;
    int last;                        /* the dimension that should be innermost; -1: any */
    bool along;                      /* lanes run along it: else it is what is summed, one element at a time */
    double weight;                   /* operations */
} Wish;
typedef struct Wishes {
    int lane;                        /* the kernel's variable */
    int n; Wish of[10];              /* of what it writes, first, and of its run-time operands */
} Wishes;
bool contraction_of(Ctx *c, const Kernel *k, Wishes *w);     /* false: it sums no products, or has no such variable */

#endif
