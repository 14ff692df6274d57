/* Private to passes: buffers that get other dimensions, everywhere at once. */
#ifndef BURIN_RENAME_H
#define BURIN_RENAME_H

#include "passes.h"

typedef struct Rename {
    const Buf **to; int n;           /* by buffer id: what stands in for it; NULL: it stays */
    /* The place in to[from->id] of the element of `from` at `at`; NULL: the same element in row-major order. */
    const Idx *const *(*place)(Ctx *c, const Buf *from, const Idx *const *at, const Buf *to, void *arg);
    void *arg;
} Rename;
const Kernel *kernel_rename(Ctx *c, const Kernel *k, Rename *r);
/* All kernels; new buffers take the places of the old ones in the list, but outputs, which are there already. */
Prog *prog_rename(Ctx *c, const Prog *p, Rename *r);

#endif
