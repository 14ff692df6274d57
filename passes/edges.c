/* The parts of a kernel that go apart, so that guards within them are settled.
 *
 * Edges of what lanes run along: a guard of padding there, as at the left and the right of an image that lies plane by
 * plane, differs from lane to lane. So such a kernel goes in parts: the inside, in which all of them hold, and the few
 * columns on either side, which go by rows alone.
 *
 * Phases: where a guard asks for a remainder of a variable, as the stride of a transposed convolution does, the values
 * of each remainder are a kernel of their own. */
#include "loopify.h"
#include "tile.h"

enum { COLUMNS_MOST = 8, INSIDE_LEAST = 16 };

typedef struct Inside { Ctx *c; int var; int64_t extent, first, end; bool guarded, ok; } Inside;

static void see_guard(const Expr *e, void *arg)
{
    Inside *in = arg;
    int64_t step;
    if (e->kind != E_IN || !idx_uses(e->at[0], in->var)) return;
    in->guarded = true;
    in->ok &= idx_affine(e->at[0], in->var, &step) && step > 0;
    if (!in->ok) return;
    const Idx *rest = idx_axpy(in->c, e->at[0], -step, idx_var(in->c, in->var, in->extent));
    const int64_t first = rest->lo < 0 ? (-rest->lo + step - 1) / step : 0;
    const int64_t end = rest->hi < e->extent ? (e->extent - 1 - rest->hi) / step + 1 : 0;
    in->first = first > in->first ? first : in->first;
    in->end = end < in->end ? end : in->end;
}

int edges_of(Ctx *c, const Kernel *k, const Kernel **to)
{
    int64_t step;
    for (int v = k->rank; !k->nest && v-- > 0;) {
        if (!idx_affine(idx_flat(c, k->out->rank, k->out->dims, k->at), v, &step) || step != 1) continue;
        Inside in = {c, v, k->dims[v], 0, k->dims[v], false, true};
        expr_walk(c, k->value, see_guard, &in);
        const int64_t width = in.end - in.first;
        if (!in.guarded || !in.ok || width < INSIDE_LEAST || k->dims[v] - width > COLUMNS_MOST) return 0;
        int n = 0;
        if (in.first > 0) to[n++] = kernel_part(c, k, v, 0, 1, in.first);
        to[n++] = kernel_part(c, k, v, in.first, 1, width);
        if (in.end < k->dims[v]) to[n++] = kernel_part(c, k, v, in.end, 1, k->dims[v] - in.end);
        return n;
    }
    return 0;
}

/* ---- phases -------------------------------------------------------------------------------------------------- */

typedef struct Phase { const Kernel *k; int var; int64_t count; } Phase;

static void see_phase_of(Phase *p, const Idx *x)
{
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->x) see_phase_of(p, a->x);
        if (a->kind != ATOM_DIGIT || a->b == 0) continue;
        for (int j = 0; j < a->x->n; j++) {
            const Atom *v = a->x->t[j].atom;
            const int64_t c = a->x->t[j].c, count = c ? a->a * a->b / (c < 0 ? -c : c) : 0;
            if (v->kind != ATOM_VAR || v->var >= p->k->rank) continue;
            if (count < 2 || count > PHASES_MOST || a->a * a->b % c) continue;
            if (p->k->dims[v->var] >= count) p->var = v->var, p->count = count;
        }
    }
}

static void see_phase(const Expr *e, void *arg)
{
    if (e->kind == E_IN) see_phase_of(arg, e->at[0]);
}

int phases_of(const Tiling *t, const Kernel **to)
{
    const Kernel *k = t->k;
    Phase p = {k, -1, 0};
    for (int i = 0; i < t->nreductions; i++) expr_walk(t->c, t->reductions[i]->reduce->next[0], see_phase, &p);
    if (p.var < 0 || p.var == t->lane) return 0;
    for (int64_t i = 0; i < p.count; i++)
        to[i] = kernel_part(t->c, k, p.var, i, p.count, (k->dims[p.var] - i + p.count - 1) / p.count);
    return (int)p.count;
}
