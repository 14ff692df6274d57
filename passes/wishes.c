/* Kernels that sum products, recognised by what they access: which variable is the lane, and how the operands should
 * lie. */
#include "layout.h"
#include "tile.h"

enum { RUN_PAYS = 256 };             /* elements side by side, along which lanes run as callers laid them out */
enum { RUN_LIGHT = 8, LIGHT = 16 }; /* the same, where there is little to do: so many products per element moved */

typedef struct Sum {                 /* what one reduction reads, and asks */
    const Expr *loads[8], *guards[8];
    int n, nguards;
    bool ok;
} Sum;

static void see_load(const Expr *e, void *arg)
{
    Sum *s = arg;
    if (e->kind == E_REDUCE) s->ok = false;
    if (e->kind == E_IN && s->nguards++ < COUNT(s->guards)) s->guards[s->nguards - 1] = e;
    if (e->kind != E_LOAD) return;
    for (int d = 0; d < e->buf->rank; d++) s->ok &= !e->at[d]->values;
    if (s->n == COUNT(s->loads)) s->ok = false;
    if (s->ok) s->loads[s->n++] = e;
}

static void see_reduction(const Expr *e, void *arg)
{
    const Expr **found = arg;
    if (e->kind != E_REDUCE || e->reduce->naccs != 1 || e->reduce->lanes) return;
    int64_t now = 1, best = 0;
    for (int i = 0; i < e->reduce->nvars; i++) now *= e->reduce->extents[i];
    for (int i = 0; *found && i < (*found)->reduce->nvars; i++) best = (best ? best : 1) * (*found)->reduce->extents[i];
    if (now > best) *found = e;
}

/* The dimension along which alone var runs, one element at a time; -1: there is none. */
static int dim_of(const Expr *load, int var)
{
    int dim = -1;
    for (int d = 0; d < load->buf->rank; d++) {
        const Idx *x = load->at[d];
        if (!idx_uses(x, var)) continue;
        if (dim >= 0 || x->n != 1 || x->t[0].c != 1 || x->t[0].atom->kind != ATOM_VAR) return -1;
        dim = d;
    }
    return dim;
}

static bool uses(const Expr *load, int var)
{
    for (int d = 0; d < load->buf->rank; d++)
        if (idx_uses(load->at[d], var)) return true;
    return false;
}

/* 0: var cannot be the lane; more is better. */
static int fitness(const Kernel *k, const Sum *s, int var, int dim)
{
    bool any = false;
    int known = 4;
    for (int i = 0; i < s->n; i++) {
        const Expr *x = s->loads[i];
        if (!uses(x, var)) continue;
        any = true;
        if (x->buf->kind == BUF_CONST) continue;
        known = 1;
        if (dim_of(x, var) < 0) return 0;
    }
    return any ? known + (dim == k->out->rank - 1) : 0;
}

/* The dimension that holds what is summed and nothing else. */
static int summed_dim(const Kernel *k, const Expr *load, const Reduce *r)
{
    for (int d = load->buf->rank; d-- > 0;) {
        bool free = true, summed = false;
        for (int v = 0; v < k->rank; v++) free &= !(k->dims[v] > 1 && idx_uses(load->at[d], v));
        for (int v = 0; v < r->nvars; v++) summed |= r->extents[v] > 1 && idx_uses(load->at[d], r->vars[v]);
        if (free && summed) return d;
    }
    return -1;
}

/* How many elements lie side by side in all that is known at run time only, from variable var on outwards. */
static int64_t run_of(Ctx *c, const Kernel *k, const Sum *s, int var)
{
    int64_t run = 1, step, outer;
    for (int v = s->nguards > COUNT(s->guards) ? -1 : var; v >= 0; v--) {
        bool on = idx_affine(idx_flat(c, k->out->rank, k->out->dims, k->at), v, &step) && step == run;
        for (int i = 0; i < s->n; i++) {
            const Expr *x = s->loads[i];
            if (x->buf->kind == BUF_CONST || !uses(x, var)) continue;
            on &= idx_affine(idx_flat(c, x->buf->rank, x->buf->dims, x->at), v, &outer) && outer == step;
        }
        for (int i = 0; i < s->n; i++) on &= s->loads[i]->buf->kind != BUF_CONST || !uses(s->loads[i], v);
        for (int i = 0; i < s->nguards; i++) on &= !idx_uses(s->guards[i]->at[0], v);
        if (!on) break;
        run *= k->dims[v];
    }
    return run;
}

/* Whether nothing but what callers lay out is written, or read at run time. */
static bool given(const Kernel *k, const Sum *s)
{
    bool all = k->out->kind == BUF_OUT;
    for (int i = 0; i < s->n; i++) all &= s->loads[i]->buf->kind != BUF_TEMP;
    return all;
}

/* Whether lanes may run along var as it lies, windows included, each result has operands of its own, as in depthwise
 * convolutions, and copies would take longer than the products. */
static bool light(Ctx *c, const Kernel *k, const Sum *s, int var, double work)
{
    double moved = (double)buf_count(k->out);
    int64_t step;
    bool on = k->dims[var] >= RUN_LIGHT && idx_affine(idx_flat(c, k->out->rank, k->out->dims, k->at), var, &step) &&
              step == 1;
    for (int i = 0; on && i < s->n; i++) {
        const Expr *x = s->loads[i];
        const Idx *at[MAX_RANK];
        for (int d = 0; d < x->buf->rank; d++) at[d] = idx_bare(c, x->at[d]);
        on = idx_affine(idx_flat(c, x->buf->rank, x->buf->dims, at), var, &step);
        on &= step == (x->buf->kind != BUF_CONST);
        if (x->buf->kind == BUF_CONST) continue;
        for (int v = 0; v < k->rank; v++) on &= k->dims[v] < 2 || uses(x, v);
        moved += (double)buf_count(x->buf);
    }
    return on && work < LIGHT * moved;
}

static void add(Wishes *w, Wish x)
{
    if (w->n < COUNT(w->of)) w->of[w->n++] = x;
}

bool contraction_of(Ctx *c, const Kernel *k, Wishes *w)
{
    const Expr *found = NULL;
    Sum s = {.ok = true};
    int best = 0, out_dim = -1;
    *w = (Wishes){.lane = -1};
    if (k->nest || k->rank < 1) return false;
    expr_walk(c, k->value, see_reduction, (void *)&found);
    if (!found) return false;
    expr_walk(c, found->reduce->next[0], see_load, &s);
    if (!s.ok || s.n < 2) return false;
    const Expr here = {.kind = E_LOAD, .buf = k->out, .at = k->at};
    double work = 1;
    for (int v = 0; v < k->rank; v++) {
        const int dim = dim_of(&here, v), now = dim < 0 || k->dims[v] < 2 ? 0 : fitness(k, &s, v, dim);
        work *= (double)k->dims[v];
        if (now > best) best = now, w->lane = v, out_dim = dim;
    }
    if (best == 0) return false;
    for (int v = 0; v < found->reduce->nvars; v++) work *= (double)found->reduce->extents[v];
    for (int v = 0; v < k->rank && given(k, &s); v++)
        if (run_of(c, k, &s, v) >= RUN_PAYS || light(c, k, &s, v, work)) w->lane = v, out_dim = dim_of(&here, v);
    add(w, (Wish){k->out, out_dim, true, work});
    for (int i = 0; i < s.n; i++) {
        const Expr *x = s.loads[i];
        const bool along = uses(x, w->lane);
        if (x->buf->kind == BUF_CONST) continue;
        add(w, (Wish){x->buf, along ? dim_of(x, w->lane) : summed_dim(k, x, found->reduce), along,
                      along ? work : work / 4});
    }
    return true;
}
