/* reciprocal: a division by a constant becomes a product with its reciprocal.
 *
 * A division takes several times as long as a product. The reciprocal is rounded, so that the result may be one step
 * off. Only with --fast-math. Requires: fuse (what divides is then where it is used). Breaks: nothing. */
#include "passes.h"

static const Expr *as_product(Ctx *c, const Expr *e, void *arg)
{
    (void)arg;
    if (e->kind != E_OP || e->op != OP_div || e->args[1]->kind != E_CONST) return NULL;
    if (e->dt != DT_F32 && e->dt != DT_F64) return NULL;
    const double by = e->dt == DT_F32 ? (double)e->args[1]->value.f : e->args[1]->value.d, to = 1 / by;
    const bool normal = e->dt == DT_F32 ? isnormal((float)to) : isnormal(to);
    return isnormal(by) && normal ? expr_op2(c, OP_mul, e->args[0], expr_float(c, e->dt, to)) : NULL;
}

Unit pass_reciprocal(Ctx *c, Unit u)
{
    if (!u.fast_math) return u;
    const Rewrite r = {.node = as_product};
    Prog *p = mem_copy(c, u.prog, sizeof *u.prog);
    const Kernel **out = NEW_N(c, const Kernel *, p->nkernels);
    for (int i = 0; i < p->nkernels; i++) {
        Kernel *k = mem_copy(c, p->kernels[i], sizeof *k);
        if (k->nest) k->nest = stmt_rewrite(c, k->nest, &r, NULL);
        else k->value = expr_rewrite(c, k->value, &r);
        out[i] = k;
    }
    p->kernels = out;
    u.prog = p;
    return u;
}
