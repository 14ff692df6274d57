/* The order of terms: by what atoms are, not by when they were made, and never by address.
 *
 * In C the order in which arguments are evaluated is the compiler's choice, and so is, then, the order in which nodes
 * are made. Terms in an order of their own make the same index of the same parts however they were put together, in
 * every build. Equal things are one pointer, so a comparison descends into the first difference only. Ties that are
 * left (accumulators, reductions) go by creation number. */
#include "looptab.h"

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int idx_order(const Idx *x, const Idx *y)
{
    if (x == y)
        return 0;
    int r = order(x->n, y->n);
    for (int i = 0; i < x->n && r == 0; i++) {
        r = atom_order(x->t[i].atom, y->t[i].atom);
        if (r == 0)
            r = order(x->t[i].c, y->t[i].c);
    }
    return r != 0 ? r : order(x->k, y->k);
}

static int expr_order(const Expr *e, const Expr *f)
{
    if (e == f)
        return 0;
    int r = order(e->kind, f->kind), at = e->kind == E_INDEX || e->kind == E_IN ? 1 : 0;
    r = r != 0 ? r : order(e->dt, f->dt);
    r = r != 0 ? r : order(e->op, f->op);
    r = r != 0 ? r : order(e->n, f->n);
    r = r != 0 ? r : order(e->extent, f->extent);
    if (r == 0 && e->kind == E_LOAD) {
        r = order(e->buf->id, f->buf->id);
        at = e->buf->rank;
    }
    for (int i = 0; i < at && r == 0; i++)
        r = idx_order(e->at[i], f->at[i]);
    for (int i = 0; i < e->n && r == 0; i++)
        r = expr_order(e->args[i], f->args[i]);
    return r != 0 ? r : order(e->id, f->id);
}

int atom_order(const Atom *p, const Atom *q)
{
    if (p == q)
        return 0;
    int r = order(p->kind, q->kind);
    r = r != 0 ? r : order(p->var, q->var);
    if (r == 0 && p->x != NULL)
        r = idx_order(p->x, q->x);
    r = r != 0 ? r : order(p->a, q->a);
    r = r != 0 ? r : order(p->b, q->b);
    r = r != 0 ? r : order(p->lo, q->lo);
    r = r != 0 ? r : order(p->hi, q->hi);
    return r != 0 || p->expr == NULL ? r : expr_order(p->expr, q->expr);
}
