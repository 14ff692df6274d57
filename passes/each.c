/* The loops of a kernel in compute form.
 *
 * Its elements are independent of each other, so the innermost loop is one of lanes where machines have such and
 * neighbouring elements are computed in one go, without loops or choices of statements. It is cut into a multiple of
 * LANES_MOST, of half of it, and so on: compilers that may not add code for a rest then use whole registers. */
#include "loopify.h"

enum { FEW_MOST = 4 };               /* values of an inner variable, written out in a loop over the next one */
enum { LANES_MOST = 16, LANES_FEWEST = 4 };  /* elements of a register, of the largest and the least that there are */

typedef struct Sought { Ctx *c; bool any; } Sought;

static bool plain(const Stmt *s)
{
    if (s->kind == S_FOR || s->kind == S_IF || s->kind == S_COPY) return false;
    for (int i = 0; i < s->n; i++)
        if (!plain(s->body[i])) return false;
    return true;
}

static int64_t step_of(const Idx *x, int var)
{
    for (int i = 0; i < x->n; i++)
        if (x->t[i].atom->kind == ATOM_VAR && x->t[i].atom->var == var) return x->t[i].c;
    return 0;
}

static void see_division(const Expr *e, void *arg)
{
    Sought *s = arg;
    if (e->kind == E_LOAD) s->any |= idx_cost(idx_flat(s->c, e->buf->rank, e->buf->dims, e->at)) > 0;
    if (e->kind == E_IN || e->kind == E_INDEX) s->any |= idx_cost(e->at[0]) > 0;
}

/* The loop over variable v from `from` on, each step with all of the few values of variable u, if that is not v; NULL:
 * it would divide. */
static const Stmt *stretch(Ctx *c, const Kernel *k, int v, int u, int64_t from, int64_t count)
{
    const int var = var_new(c), vars[2] = {v, u};
    const int few = u == v ? 1 : (int)k->dims[u];
    const Stmt *all[FEW_MOST];
    Sought s = {c, false};
    for (int i = 0; i < few; i++) {
        const Idx *places[2] = {idx_add(c, idx_const(c, from), idx_var(c, var, count)), idx_const(c, i)};
        const Idx **at = NEW_N(c, const Idx *, k->out->rank);
        const Subst to = {u == v ? 1 : 2, vars, places};
        for (int d = 0; d < k->out->rank; d++) at[d] = idx_subst(c, k->at[d], &to);
        const Expr *value = expr_subst(c, k->value, &to);
        s.any |= idx_cost(idx_flat(c, k->out->rank, k->out->dims, at)) > 0;
        expr_walk(c, value, see_division, &s);
        if (!s.any) all[i] = spelled_store(c, k->out, at, value, true);
        if (s.any || !plain(all[i])) return NULL;
    }
    return (count < LANES_FEWEST ? stmt_for : stmt_lanes)(c, var, count, stmt_seq(c, few, all));
}

/* All of the loop over v: whole registers, then halves of them. */
static const Stmt *stretches(Ctx *c, const Kernel *k, int v, int u)
{
    const Stmt *parts[LANES_MOST] = {0};
    const int64_t n = k->dims[v];
    int count = 0;
    for (int64_t at = 0, lanes = LANES_MOST; at < n; lanes /= 2) {
        const int64_t left = n - at, some = lanes < LANES_FEWEST ? left : left / lanes * lanes;
        if (some == 0) continue;
        parts[count] = stretch(c, k, v, u, at, some);
        if (!parts[count++]) return stretch(c, k, v, u, 0, n);
        at += some;
    }
    return stmt_seq(c, count, parts);
}

const Stmt *spell_loops(Ctx *c, const Kernel *k, int from, bool wide)
{
    const Stmt *nest = spelled_store(c, k->out, k->at, k->value, wide);
    int u = k->rank - 1;
    while (u > from && k->dims[u] == 1) u--;
    int v = u;
    const Idx *place = idx_flat(c, k->out->rank, k->out->dims, k->at);
    if (u > from && k->dims[u] <= FEW_MOST && step_of(place, u) == 1 && step_of(place, u - 1) == k->dims[u]) v--;
    const bool side = v >= from && step_of(place, u) == 1;
    if (wide && side && k->dims[v] >= LANES_MOST && plain(nest) && dtype_bits(k->out->dt) >= 8 &&
        k->out->dt != DT_STRING && !k->out->text) {
        const Stmt *parts = stretches(c, k, v, u);
        if (parts) nest = parts, u = v - 1;
    }
    for (int i = u; i >= from; i--) nest = stmt_for(c, i, k->dims[i], nest);
    return nest;
}

const Stmt *spell_elements(Ctx *c, const Kernel *k, int from, bool wide)
{
    const Stmt *nest = wide && kernel_count(k) >= CUT_FEWEST ? cut_elements(c, k, from) : NULL;
    return nest ? nest : spell_loops(c, k, from, wide);
}
