/* Filters of 3 × 3 taps, recognised by what they access. */
#include "tile.h"
#include "winograd.h"

/* The subscript that a guard lets be taken for one inside. */
static const Idx *bare(Ctx *c, const Idx *x)
{
    if (x->n != 1 || x->t[0].atom->kind != ATOM_ASSUME) return x;
    return idx_axpy(c, idx_const(c, x->k), x->t[0].c, x->t[0].atom->x);
}

static bool is_zero(const Expr *e)
{
    return e->kind == E_CONST && e->value.u == 0;
}

/* Guards that say no more than that the load is inside its buffer. */
static bool keeps_inside(Ctx *c, const Expr *cond, const Expr *load)
{
    if (cond->kind == E_OP && cond->op == OP_and)
        return keeps_inside(c, cond->args[0], load) && keeps_inside(c, cond->args[1], load);
    for (int d = 0; cond->kind == E_IN && d < load->buf->rank; d++)
        if (cond->at[0] == bare(c, load->at[d]) && cond->extent == load->buf->dims[d]) return true;
    return false;
}

static bool split_product(Ctx *c, const Expr *next, Filter *f)
{
    if (next->kind != E_OP || next->op != OP_mad || next->dt != DT_F32 || next->args[2]->kind != E_ACC) return false;
    for (int i = 0; i < 2; i++) {
        const Expr *w = next->args[i], *x = next->args[1 - i];
        if (w->kind != E_LOAD || w->buf->kind != BUF_CONST) continue;
        f->weights = w;
        f->image = x->kind == E_SELECT && is_zero(x->args[2]) ? x->args[1] : x;
        if (f->image->kind != E_LOAD || f->image->buf->kind == BUF_CONST || f->image->buf->kind == BUF_LOCAL) continue;
        return x == f->image || keeps_inside(c, x->args[0], f->image);
    }
    return false;
}

/* How often var is a subscript's term, in all; in *dim where. */
static int places(const Expr *load, int var, int *dim)
{
    int n = 0;
    for (int d = 0; d < load->buf->rank; d++)
        if (idx_uses(load->at[d], var)) n++, *dim = d;
    return n;
}

/* x is a variable, one element at a time, beside a constant; or var and another one. */
static bool sum_of_vars(const Idx *x, int terms)
{
    bool good = x->n == terms;
    for (int i = 0; i < x->n; i++) good &= x->t[i].c == 1 && x->t[i].atom->kind == ATOM_VAR;
    return good;
}

static bool axis_of(Ctx *c, const Filter *f, int sum_var, Axis *a)
{
    if (places(f->image, sum_var, &a->dim) != 1) return false;
    const Idx *x = bare(c, f->image->at[a->dim]);
    if (!sum_of_vars(x, 2)) return false;
    int elsewhere;
    a->sum_var = sum_var;
    a->out_var = x->t[0].atom->var == sum_var ? x->t[1].atom->var : x->t[0].atom->var;
    a->shift = x->k;
    a->in = f->image->buf->dims[a->dim];
    if (a->out_var >= f->k->rank || places(f->image, a->out_var, &elsewhere) != 1) return false;
    a->out = f->k->dims[a->out_var];
    return true;
}

static bool sums_of(Ctx *c, const Reduce *r, Filter *f)
{
    int n = 0, dim = -1;
    f->in_var = -1;
    for (int v = 0; v < r->nvars; v++) {
        if (r->extents[v] == 1) continue;
        if (r->extents[v] == TAPS && n < 2 && axis_of(c, f, r->vars[v], &f->axis[n])) {
            n++;
        } else {
            if (f->in_var >= 0) return false;
            f->in_var = r->vars[v], f->in = r->extents[v];
        }
    }
    if (n < 2 || f->in_var < 0 || f->axis[0].out_var == f->axis[1].out_var) return false;
    const int last = f->image->buf->rank - 1;
    return places(f->image, f->in_var, &dim) == 1 && dim == last && sum_of_vars(f->image->at[last], 1);
}

/* The kernel's variables: one that the weights alone know, two axes, others that they do not know. */
static bool variables_of(Filter *f)
{
    int dim;
    f->out_var = -1;
    for (int v = 0; v < f->k->rank; v++) {
        const bool axis = v == f->axis[0].out_var || v == f->axis[1].out_var, known = places(f->weights, v, &dim) > 0;
        if (f->k->dims[v] == 1 && !axis) continue;
        if (known && (axis || f->out_var >= 0 || places(f->image, v, &dim))) return false;
        if (known) f->out_var = v, f->out = f->k->dims[v];
        else if (!axis) f->outer[f->nouter++] = v;
    }
    return f->out_var >= 0;
}

bool filter_of(Ctx *c, const Kernel *k, const Expr *sum, Filter *f)
{
    int64_t step;
    const Reduce *r = sum->reduce;
    *f = (Filter){.k = k, .sum = sum};
    if (r->naccs != 1 || !is_zero(r->init[0]) || !split_product(c, r->next[0], f)) return false;
    for (int d = 0; d < f->image->buf->rank; d++)
        if (f->image->at[d]->values) return false;
    for (int d = 0; d < f->weights->buf->rank; d++)
        if (f->weights->at[d]->values) return false;
    if (!sums_of(c, r, f) || !variables_of(f)) return false;
    return idx_affine(idx_flat(c, k->out->rank, k->out->dims, k->at), f->out_var, &step) && step == 1;
}
