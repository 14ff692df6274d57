/* Sweeps: fresh loop variables over a box of places, for a reduction (sums, best values) or for the loops of a nest. */
#include "kit.h"

void sweep_open(Ctx *c, Sweep *w, int n, const int64_t *extents)
{
    w->n = 0;
    sweep_more(c, w, n, extents);
}

void sweep_more(Ctx *c, Sweep *w, int n, const int64_t *extents)
{
    for (int i = 0; i < n; i++, w->n++) {
        w->vars[w->n] = var_new(c);
        w->extents[w->n] = extents[i];
        w->i[w->n] = idx_var(c, w->vars[w->n], extents[i]);
    }
}

/* ---- reductions over a sweep ---- */

static const Expr *fold_step(Ctx *c, const Expr *acc, void *arg)
{
    const Fold *s = arg;
    return s->op == OP_mad ? expr_op3(c, OP_mad, s->x, s->y ? s->y : s->x, acc) : expr_op2(c, s->op, acc, s->x);
}

const Expr *sweep_reduce(Ctx *c, const Sweep *w, const Expr *init, Fold s)
{
    return expr_reduce1(c, w->n, w->vars, w->extents, init, fold_step, &s);
}

const Expr *sweep_best(Ctx *c, const Sweep *w, const Expr *const *init, const int *accs, const Expr *const *next, int k)
{
    Reduce r = {
        .nvars = w->n, .vars = w->vars, .extents = w->extents, .naccs = 2, .accs = accs, .init = init, .next = next};
    return expr_reduce(c, r, k);
}

/* ---- loops of a nest ---- */

const Stmt *sweep_around(Ctx *c, const Sweep *w, const Stmt *body)
{
    for (int k = w->n - 1; k >= 0; k--)
        body = stmt_for(c, w->vars[k], w->extents[k], body);
    return body;
}
