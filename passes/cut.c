/* Loops cut where guards change.
 *
 * Padding and the edges of windows are guards, and a guard within a loop of lanes keeps compilers from making vectors
 * of it. So a loop that decides one by itself is cut into stretches along which it is settled: of an image its inside
 * and its edges. A reduction over a small window is written out first, so that its guards are the loop's, and its
 * elements are computed side by side. Part of loopify. */
#include "loopify.h"

enum { NODES_MOST = 256 };           /* of what is written out */
enum { STORES_MOST = 128 };          /* of a kernel in pieces */
enum { CUTS_MOST = 6 };              /* of a loop */

static Kernel with(Ctx *c, const Kernel *k, int var, int64_t count, const Idx *to)
{
    int64_t *dims = mem_copy(c, k->dims, sizeof *dims * (size_t)k->rank);
    const Subst sub = {1, &var, &to};
    const Idx **at = NEW_N(c, const Idx *, k->out->rank);
    for (int d = 0; d < k->out->rank; d++) at[d] = idx_subst(c, k->at[d], &sub);
    Kernel x = *k;
    dims[var] = count;
    x.dims = dims;
    x.at = at;
    x.value = expr_subst(c, k->value, &sub);
    return x;
}

const Kernel *kernel_part(Ctx *c, const Kernel *k, int var, int64_t first, int64_t step, int64_t count)
{
    const Kernel x = with(c, k, var, count, idx_axpy(c, idx_const(c, first), step, idx_var(c, var, count)));
    return mem_copy(c, &x, sizeof x);
}

Kernel kernel_part_at(Ctx *c, const Kernel *k, int var, const Idx *first, int64_t count)
{
    return with(c, k, var, count, idx_add(c, first, idx_var(c, var, count)));
}

/* ---- windows ------------------------------------------------------------------------------------------------- */

static const Expr *with_acc(Ctx *c, const Expr *e, const Expr *acc, const Expr *now)
{
    const Expr *args[3];
    bool same = true;
    if (e == acc) return now;
    if (e->kind == E_REDUCE || e->n == 0) return e;
    for (int i = 0; i < e->n; i++) {
        args[i] = with_acc(c, e->args[i], acc, now);
        same &= args[i] == e->args[i];
    }
    if (same) return e;
    return e->kind == E_SELECT ? expr_select(c, args[0], args[1], args[2]) : expr_remake(c, e, args);
}

static const Expr *write_out(Ctx *c, const Expr *e, void *arg)
{
    (void)arg;
    if (e->kind != E_REDUCE) return NULL;
    const Reduce *r = e->reduce;
    int64_t steps = 1;
    for (int i = 0; i < r->nvars; i++) steps *= r->extents[i];
    const Expr *acc = expr_acc(c, r->accs[0], e->dt), *now = r->init[0];
    for (int64_t s = 0; s < steps; s++) {
        const Idx *to[2 * MAX_RANK];
        idx_unflat(c, idx_const(c, s), r->nvars, r->extents, to);
        now = with_acc(c, expr_subst(c, r->next[0], &(Subst){r->nvars, r->vars, to}), acc, now);
    }
    return now;
}

typedef struct Windows { int n; bool small; } Windows;

static void see_window(const Expr *e, void *arg)
{
    Windows *w = arg;
    if (e->kind != E_REDUCE) return;
    const Reduce *r = e->reduce;
    int64_t steps = 1;
    for (int i = 0; i < r->nvars; i++) steps *= r->extents[i] < CUT_STEPS_MOST ? r->extents[i] : CUT_STEPS_MOST + 1;
    w->n++;
    w->small &= r->naccs == 1 && r->lanes == 0 && steps <= CUT_STEPS_MOST && steps * r->next[0]->size <= NODES_MOST;
}

static const Kernel *without_windows(Ctx *c, const Kernel *k)
{
    Windows w = {0, true};
    expr_walk(c, k->value, see_window, &w);
    if (w.n != 1 || !w.small) return k;
    Kernel *x = mem_copy(c, k, sizeof *k);
    x->value = expr_rewrite(c, k->value, &(Rewrite){.node = write_out});
    return x;
}

/* ---- cuts ---------------------------------------------------------------------------------------------------- */

typedef struct Cuts { Ctx *c; const Kernel *k; int var, n; int64_t at[CUTS_MOST + 2]; } Cuts;

static void add_cut(Cuts *x, int64_t at)
{
    int i = 0;
    if (at <= 0 || at >= x->k->dims[x->var] || x->n > CUTS_MOST) return;
    while (i < x->n && x->at[i] < at) i++;
    if (i < x->n && x->at[i] == at) return;
    memmove(x->at + i + 1, x->at + i, sizeof *x->at * (size_t)(x->n - i));
    x->at[i] = at;
    x->n++;
}

/* Where x, a function of the loop's variable alone, gets to `to`, from below or from above. */
static void cut_at(Cuts *c, const Idx *x, int64_t to)
{
    if (x->n != 1 || x->t[0].atom->kind != ATOM_VAR || x->t[0].atom->var != c->var) return;
    const int64_t step = x->t[0].c;
    if (step > 0 && to > x->k) add_cut(c, (to - x->k + step - 1) / step);
    if (step < 0 && to <= x->k) add_cut(c, (x->k - to) / -step + 1);
}

/* Where a quotient or a remainder begins anew, if that is seldom. */
static void cut_digits(Cuts *c, const Idx *x)
{
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind != ATOM_DIGIT) continue;
        const int64_t period = a->b ? a->a * a->b : a->a, first = a->x->lo / period + 1, last = a->x->hi / period;
        for (int64_t k = first; last - first < CUTS_MOST && k <= last; k++) cut_at(c, a->x, k * period);
    }
}

static const Idx *position(Ctx *c, const Expr *e)
{
    if (e->kind == E_INDEX) return e->at[0];
    return e->kind == E_CONST && !dtype_is_float(e->dt) ? idx_const(c, e->value.i) : NULL;
}

/* Guards, the greater or the lesser of two positions, and digits of them. */
static void see_guard(const Expr *e, void *arg)
{
    Cuts *x = arg;
    if (e->kind == E_IN) {
        cut_at(x, e->at[0], 0);
        cut_at(x, e->at[0], e->extent);
    }
    for (int i = 0; e->kind == E_LOAD && i < e->buf->rank; i++) cut_digits(x, e->at[i]);
    if (e->kind == E_INDEX) cut_digits(x, e->at[0]);
    if (e->kind != E_OP || (e->op != OP_max && e->op != OP_min)) return;
    const Idx *a = position(x->c, e->args[0]), *b = position(x->c, e->args[1]);
    if (a && b) cut_at(x, idx_axpy(x->c, a, -1, b), 0);
}

static int stores_in(const Stmt *s)
{
    int n = s->kind == S_STORE;
    for (int i = 0; i < s->n; i++) n += stores_in(s->body[i]);
    return n;
}

/* Cuts of cuts, where many dimensions are one loop, would be text out of all proportion: such loops stay whole. */
const Stmt *cut_elements(Ctx *c, const Kernel *k, int from)
{
    const Kernel *flat = without_windows(c, k);
    for (int v = from; v < k->rank; v++) {
        Cuts x = {c, flat, v, 0, {0}};
        expr_walk(c, flat->value, see_guard, &x);
        if (x.n == 0 || x.n > CUTS_MOST) continue;
        const Stmt *parts[CUTS_MOST + 1];
        for (int i = 0; i <= x.n; i++) {
            const int64_t first = i ? x.at[i - 1] : 0, end = i < x.n ? x.at[i] : k->dims[v];
            const Kernel *part = kernel_part(c, flat, v, first, 1, end - first);
            parts[i] = cut_elements(c, part, v);
            if (!parts[i]) parts[i] = spell_loops(c, part, v, true);
        }
        const Stmt *nest = stmt_seq(c, x.n + 1, parts);
        if (stores_in(nest) > STORES_MOST) continue;
        while (v-- > from) nest = stmt_for(c, v, k->dims[v], nest);
        return nest;
    }
    return flat == k ? NULL : spell_loops(c, flat, from, true);
}
