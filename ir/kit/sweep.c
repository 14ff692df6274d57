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

static const Expr *fold_step(Ctx *c, const Expr *acc, const Fold *s)
{
    return s->op == OP_mad ? expr_op3(c, OP_mad, s->x, s->y ? s->y : s->x, acc) : expr_op2(c, s->op, acc, s->x);
}

bool side_by_side(Type t, const bool *on)
{
    bool kept = false, apart = false;
    int64_t run = 1;
    for (int k = t.rank; k-- > 0;) {
        apart |= on[k] && kept && t.dims[k] > 1;
        kept |= !on[k] && t.dims[k] > 1;
        run *= kept ? 1 : t.dims[k];
    }
    return !apart || (run >= ROW_LEAST && run % ROW_LANES == 0);
}

static const Expr *fold(Ctx *c, const Sweep *w, const Expr *init, const Fold *f, int lanes)
{
    const int acc = var_new(c);
    const Expr *next = fold_step(c, expr_acc(c, acc, init->dt), f);
    Reduce r = {.nvars = w->n, .vars = w->vars, .extents = w->extents, .naccs = 1, .accs = &acc, .init = &init};
    r.next = &next;
    r.lanes = lanes;
    r.join = lanes == 0 ? OP_COUNT : f->op == OP_mad ? OP_add : f->op;
    return expr_reduce(c, r, 0);
}

const Expr *sweep_reduce(Ctx *c, const Sweep *w, const Expr *init, Fold f)
{
    return fold(c, w, init, &f, 0);
}

const Expr *sweep_row(Ctx *c, const Sweep *w, const Expr *init, Fold f)
{
    int64_t n = 1;
    for (int i = 0; i < w->n; i++)
        n *= w->extents[i];
    const bool twice = n >= LONG_LEAST && w->extents[w->n - 1] % LONG_LANES == 0;
    const int lanes = n < ROW_LEAST || !dtype_is_float(init->dt) ? 0 : twice ? LONG_LANES : ROW_LANES;
    return fold(c, w, init, &f, lanes);
}

const Expr *sweep_best(Ctx *c, const Sweep *w, const Expr *const *init, const int *accs, const Expr *const *next, int k)
{
    Reduce r = {
        .nvars = w->n, .vars = w->vars, .extents = w->extents, .naccs = 2, .accs = accs, .init = init, .next = next};
    return expr_reduce(c, r, k);
}

const Expr *sweep_find(Ctx *c, const Sweep *w, const Expr *x, const Expr *here, bool most, bool last, bool nan)
{
    int accs[2] = {var_new(c), var_new(c)};
    const Expr *best = expr_acc(c, accs[0], x->dt), *place = expr_acc(c, accs[1], DT_I64);
    const Expr *take = expr_op2(c, most ? last ? OP_ge : OP_gt : last ? OP_le : OP_lt, x, best);
    if (nan && dtype_is_float(x->dt)) {
        const Expr *fresh = expr_op1(c, OP_isnan, x), *kept = expr_op1(c, OP_isnan, best);
        take = expr_op2(c, OP_or, take, last ? fresh : expr_op2(c, OP_and, fresh, expr_op1(c, OP_not, kept)));
    }
    const Expr *init[2] = {most ? least(c, x->dt) : greatest(c, x->dt), expr_int(c, DT_I64, 0)};
    const Expr *next[2] = {expr_select(c, take, x, best), expr_select(c, take, here, place)};
    return sweep_best(c, w, init, accs, next, 1);
}

/* ---- loops of a nest ---- */

const Stmt *sweep_around(Ctx *c, const Sweep *w, const Stmt *body)
{
    for (int k = w->n - 1; k >= 0; k--)
        body = stmt_for(c, w->vars[k], w->extents[k], body);
    return body;
}
