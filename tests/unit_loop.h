/* What the unit tests of the loop IR share: two variables, two inputs, short names for the builders, a program of one
 * kernel. */
#ifndef BURIN_UNIT_LOOP_H
#define BURIN_UNIT_LOOP_H

#include "loop.h"
#include "unit.h"

static const Idx *i0, *i1;           /* extents 6, 8 */
static Buf *x, *y;                   /* float[6,8], int32[6] inputs */

static inline void setup(void)
{
    c = ctx_new();
    ck_assert_ptr_nonnull(c);
    i0 = idx_var(c, 0, 6);
    i1 = idx_var(c, 1, 8);
    x = buf_new(c, BUF_IN, "x", DT_F32, 2, (const int64_t[]){ 6, 8 });
    y = buf_new(c, BUF_IN, "y", DT_I32, 1, (const int64_t[]){ 6 });
}

static inline const Expr *num(int64_t v) { return expr_int(c, DT_I64, v); }
static inline const Expr *flt(double v) { return expr_float(c, DT_F32, v); }
static inline const Expr *load_x(void) { return expr_load(c, x, (const Idx *const[]){ i0, i1 }); }
static inline const Expr *load_y(void) { return expr_load(c, y, &i0); }
static inline const Expr *op1(ScalarOp op, const Expr *a) { return expr_op1(c, op, a); }
static inline const Expr *op2(ScalarOp op, const Expr *a, const Expr *b) { return expr_op2(c, op, a, b); }

/* Accumulator k of n, over one variable. */
static inline const Expr *over(int n, const int *var, const int64_t *extent, const int *accs,
                               const Expr *const *init, const Expr *const *next, int k)
{
    Reduce r = { .nvars = 1, .vars = var, .extents = extent, .naccs = n, .accs = accs, .init = init, .next = next };
    return expr_reduce(c, r, k);
}

static inline const Expr *sum_over(int var, int64_t extent, const Expr *body)
{
    int acc = var_new(c);
    const Expr *init = expr_const(c, body->dt, (Value){ 0 }), *next = op2(OP_add, expr_acc(c, acc, body->dt), body);
    return over(1, &var, &extent, &acc, &init, &next, 0);
}

static inline Prog prog_of(int nbufs, Buf **bufs, int nkernels, const Kernel **kernels)
{
    return (Prog){ .name = "p",
                   .nbufs = nbufs,
                   .nkernels = nkernels,
                   .nouts = 1,
                   .bufs = bufs,
                   .kernels = kernels,
                   .outs = bufs + nbufs - 1 };
}

static inline void run_one(Buf *in, const Kernel *k, const void *from, void *to)
{
    Buf *bufs[] = { in, (Buf *)(uintptr_t)k->out };
    Prog p = prog_of(2, bufs, 1, &k);
    prog_check(c, &p);
    prog_run(c, &p, (void *[]){ (void *)(uintptr_t)from, to }, true);
}

#endif
