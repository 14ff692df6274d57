/* Indices rewritten and read: substitution, the expressions of VALUEs replaced, variables, cost, evaluation.
 *
 * A rewritten index is built anew by the ordinary constructors, so that it is simplified again. What holds no variable
 * of the substitution is known by its mask and stays as it is. Recursion is as deep as the index, at most IDX_DEPTH. */
#include "looptab.h"

typedef struct Rewriting {
    Ctx *c;
    const Subst *s;                  /* may be NULL */
    uint64_t mask;                   /* bits of s's variables */
    const Expr *(*value)(Ctx *, const Expr *, void *);           /* NULL: expr_subst where s reaches */
    void *arg;
} Rewriting;

static const Idx *rewrite(const Rewriting *r, const Idx *x);

static const Idx *rewrite_atom(const Rewriting *r, const Atom *a)
{
    Ctx *c = r->c;
    if (a->kind == ATOM_DIGIT)
        return idx_digit(c, rewrite(r, a->x), a->a, a->b);
    if (a->kind == ATOM_ASSUME)
        return idx_assume(c, rewrite(r, a->x), a->lo, a->hi);
    if (a->kind == ATOM_VALUE && r->value != NULL)
        return idx_value(c, r->value(c, a->expr, r->arg), a->lo, a->hi);
    if (a->kind == ATOM_VALUE && (a->vars & r->mask) != 0)
        return idx_value(c, expr_subst(c, a->expr, r->s), a->lo, a->hi);
    if (a->kind == ATOM_VAR && (a->vars & r->mask) != 0)
        for (int i = 0; i < r->s->n; i++)
            if (r->s->vars[i] == a->var)
                return r->s->to[i];
    return idx_make(c, 0, 1, &(Term){ 1, a });
}

static const Idx *rewrite(const Rewriting *r, const Idx *x)
{
    if ((x->vars & r->mask) == 0 && !(x->values && r->value != NULL))
        return x;
    const Idx *sum = idx_const(r->c, x->k);
    for (int i = 0; i < x->n; i++)
        sum = idx_axpy(r->c, sum, x->t[i].c, rewrite_atom(r, x->t[i].atom));
    return sum;
}

const Idx *idx_rewrite(Ctx *c, const Idx *x, const Subst *s, const Expr *(*value)(Ctx *, const Expr *, void *),
                       void *arg)
{
    Rewriting r = { .c = c, .s = s, .value = value, .arg = arg };
    for (int i = 0; s != NULL && i < s->n; i++)
        r.mask |= var_bit(s->vars[i]);
    return rewrite(&r, x);
}

const Idx *idx_subst(Ctx *c, const Idx *x, const Subst *s)
{
    return idx_rewrite(c, x, s, NULL, NULL);
}

bool idx_uses(const Idx *x, int var)
{
    if ((x->vars & var_bit(var)) == 0)
        return false;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if ((a->kind == ATOM_VAR && a->var == var) || (a->x != NULL && idx_uses(a->x, var)))
            return true;
        for (int j = 0; j < a->nuses; j++)
            if (a->uses[j] == var)
                return true;
    }
    return false;
}

int idx_cost(const Idx *x)
{
    return x->cost;
}

int64_t idx_eval(const Idx *x, const int64_t *vars, int64_t (*value)(void *arg, const Expr *e), void *arg)
{
    int64_t sum = x->k;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        int64_t v = a->kind == ATOM_VAR     ? vars[a->var]
                    : a->kind == ATOM_VALUE ? value(arg, a->expr)
                                            : idx_eval(a->x, vars, value, arg);
        if (a->kind == ATOM_DIGIT) {
            v = floor_div(v, a->a);
            v = a->b > 0 ? floor_mod(v, a->b) : v;
        }
        sum += x->t[i].c * v;
    }
    return sum;
}
