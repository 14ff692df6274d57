/* plan: places the temporaries in one arena.
 *
 * A temporary lives from the kernel that first writes it to the last one that touches it; the slots of computed strings
 * to the end of the run. A kernel that reads, at every
 * step, just the element that it then writes may write over what it reads, when nobody reads that later: such buffers
 * form a group with one place. Groups are placed in several orders, first fit among those alive at the same time, and
 * the smallest arena wins. The lower bound is the bytes alive at the peak: no placement of these lifetimes can need
 * less. Requires: loopify. Breaks nothing. */
#include "passes.h"

typedef struct Group {               /* buffers that share one place */
    int first, last;                 /* kernels */
    int64_t bytes, align, offset;
    int index;                       /* position in creation order: the tie-breaker */
} Group;

typedef struct Planner {
    Ctx *c;
    const Prog *p;
    Uses uses;
    int *group;                      /* by buffer id; -1: no temporary */
    int ngroups;
    Group *groups;
    int position;
} Planner;

enum { MANY_GROUPS = 3000 };         /* beyond that only the sweep is tried */
enum { MANY_ALIVE = 4000 };          /* beyond that no holes between them are sought */

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static void touch(const Buf *b, void *arg)
{
    Planner *pl = arg;
    if (b->kind == BUF_TEMP) pl->groups[pl->group[b->id]].last = b->text ? pl->p->nkernels - 1 : pl->position;
}

/* ---- who may write over what it reads ---------------------------------------------------------------------------- */

typedef struct Over { Ctx *c; const Idx *place; const Buf *t; bool ok; } Over;

static void same_place(const Expr *e, Over *o, bool in_reduce)
{
    if (!o->ok) return;
    if (e->kind == E_LOAD && e->buf == o->t &&
        (in_reduce || idx_flat(o->c, e->buf->rank, e->buf->dims, e->at) != o->place))
        o->ok = false;
    if (e->kind == E_LOAD || e->kind == E_INDEX || e->kind == E_IN) {
        int n = e->kind == E_LOAD ? e->buf->rank : 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < e->at[i]->n; j++)
                if (e->at[i]->t[j].atom->kind == ATOM_VALUE) same_place(e->at[i]->t[j].atom->expr, o, true);
    }
    for (int i = 0; i < e->n; i++) same_place(e->args[i], o, in_reduce);
    if (e->kind != E_REDUCE) return;
    for (int i = 0; i < e->reduce->naccs; i++) {
        same_place(e->reduce->init[i], o, in_reduce);
        same_place(e->reduce->next[i], o, true);
    }
}

typedef struct Victims { Planner *pl; const Kernel *k; const Buf *best; } Victims;

static void consider(const Buf *t, void *arg)
{
    Victims *v = arg;
    Planner *pl = v->pl;
    const Buf *out = v->k->out;
    if (t->kind != BUF_TEMP || t->text || v->best || pl->groups[pl->group[t->id]].last != pl->position) return;
    if (dtype_bits(t->dt) != dtype_bits(out->dt) || dtype_bits(t->dt) < 8 || buf_count(t) != buf_count(out)) return;
    Over o = {pl->c, idx_flat(pl->c, out->rank, out->dims, v->k->at), t, true};
    same_place(v->k->value, &o, false);
    if (o.ok) v->best = t;
}

static void share_places(Planner *pl)
{
    for (int i = 0; i < pl->p->nkernels; i++) {
        const Kernel *k = pl->p->kernels[i];
        if (k->out->kind != BUF_TEMP || !k->value || k->value->kind == E_LOAD || k->value->size > EXPR_SIZE) continue;
        if (pl->uses.writers[k->out->id] != 1) continue;
        pl->position = i;
        Victims v = {pl, k, NULL};
        prog_reads(pl->c, k, consider, &v);
        if (!v.best) continue;
        Group *g = &pl->groups[pl->group[v.best->id]], *mine = &pl->groups[pl->group[k->out->id]];
        g->last = mine->last;
        mine->first = -1;            /* emptied */
        pl->group[k->out->id] = pl->group[v.best->id];
    }
}

/* ---- placement --------------------------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->index - y->index;
}

static int by_area(const void *a, const void *b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;
    double p = (double)x->bytes * (x->last - x->first + 1), q = (double)y->bytes * (y->last - y->first + 1);
    if (p < q || p > q) return p < q ? 1 : -1;
    return x->index - y->index;
}

static int by_start(const void *a, const void *b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;
    return x->first != y->first ? x->first - y->first : x->index - y->index;
}

static int by_offset(const void *a, const void *b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The lowest place for g above those in `near`, which are sorted by offset and alive together with g. */
static int64_t first_fit(const Group *g, Group *const *near, int n)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        if (at + g->bytes <= near[i]->offset) break;
        int64_t end = round_up(near[i]->offset + near[i]->bytes, g->align);
        if (end > at) at = end;
    }
    return at;
}

static int64_t place_all(Ctx *c, Group *const *order, int n)
{
    Mark m = scratch_mark(c);
    Group **near = SCRATCH_N(c, Group *, n + 1);
    int64_t end = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        for (int j = 0; j < i; j++)
            if (order[j]->first <= order[i]->last && order[i]->first <= order[j]->last) near[k++] = order[j];
        qsort(near, (size_t)k, sizeof *near, by_offset);
        order[i]->offset = first_fit(order[i], near, k);
        if (order[i]->offset + order[i]->bytes > end) end = order[i]->offset + order[i]->bytes;
    }
    scratch_release(c, m);
    return end;
}

/* In the order of birth, against those alive now: linear in the number of groups where few are alive at a time. */
static int64_t sweep(Ctx *c, Group *const *order, int n)
{
    Mark m = scratch_mark(c);
    Group **alive = SCRATCH_N(c, Group *, n + 1);          /* sorted by offset */
    int count = 0, ends = INT_MAX;                         /* ends: the first kernel that is the last one of any */
    int64_t end = 0;
    for (int i = 0; i < n; i++) {
        Group *g = order[i];
        int kept = 0, at = 0;
        if (ends < g->first) {
            ends = INT_MAX;
            for (int j = 0; j < count; j++) {
                if (alive[j]->last < g->first) continue;
                alive[kept++] = alive[j];
                if (alive[j]->last < ends) ends = alive[j]->last;
            }
            count = kept;
        }
        if (g->last < ends) ends = g->last;
        const bool full = count > MANY_ALIVE;
        g->offset = full ? round_up(end, g->align) : first_fit(g, alive, count);
        if (full) at = count;
        while (at < count && alive[at]->offset <= g->offset) at++;
        memmove(alive + at + 1, alive + at, sizeof *alive * (size_t)(count - at));
        alive[at] = g;
        count++;
        if (g->offset + g->bytes > end) end = g->offset + g->bytes;
    }
    scratch_release(c, m);
    return end;
}

static int64_t best_placement(Ctx *c, Group **order, int n)
{
    int64_t *kept = SCRATCH_N(c, int64_t, n + 1), best = INT64_MAX;
    int (*const orders[])(const void *, const void *) = {by_start, by_bytes, by_area};
    for (int o = 0; o < (n > MANY_GROUPS ? 1 : COUNT(orders)); o++) {
        qsort(order, (size_t)n, sizeof *order, orders[o]);
        int64_t bytes = o == 0 ? sweep(c, order, n) : place_all(c, order, n);
        if (bytes >= best) continue;
        best = bytes;
        for (int i = 0; i < n; i++) kept[order[i]->index] = order[i]->offset;
    }
    for (int i = 0; i < n; i++) order[i]->offset = kept[order[i]->index];
    return n ? best : 0;
}

static void find_peak(Ctx *c, const Group *groups, int n, int nkernels, Plan *plan)
{
    int64_t *change = SCRATCH_N(c, int64_t, nkernels + 2), alive = 0;
    for (int i = 0; i < n; i++) {
        if (groups[i].first < 0) continue;
        change[groups[i].first] += groups[i].bytes;
        change[groups[i].last + 1] -= groups[i].bytes;
    }
    for (int i = 0; i < nkernels; i++) {
        alive += change[i];
        if (alive <= plan->lower_bound) continue;
        plan->lower_bound = alive;
        plan->peak = i;
    }
}

static void find_lives(Planner *pl)
{
    for (int i = 0; i < pl->uses.n; i++) pl->group[i] = -1;
    for (int i = 0; i < pl->p->nkernels; i++) {
        const Kernel *k = pl->p->kernels[i];
        pl->position = i;
        if (k->out->kind == BUF_TEMP && pl->group[k->out->id] < 0) {
            int64_t align = dtype_bits(k->out->dt) / 8;
            pl->groups[pl->ngroups] = (Group){i, i, (int64_t)buf_bytes(k->out), align ? align : 1, 0, pl->ngroups};
            pl->group[k->out->id] = pl->ngroups++;
        }
        touch(k->out, pl);
        prog_reads(pl->c, k, touch, pl);
    }
}

Unit pass_plan(Ctx *c, Unit u)
{
    Prog *q = mem_copy(c, u.prog, sizeof *u.prog);
    Plan *plan = NEW(c, Plan);
    int64_t *offset = NEW_N(c, int64_t, q->nbufs);
    Mark m = scratch_mark(c);
    Planner pl = {.c = c, .p = q, .uses = prog_uses(c, q)};
    pl.group = SCRATCH_N(c, int, pl.uses.n + 1);
    pl.groups = SCRATCH_N(c, Group, q->nbufs + 1);
    find_lives(&pl);
    share_places(&pl);
    Group **order = SCRATCH_N(c, Group *, pl.ngroups + 1);
    int n = 0;
    for (int i = 0; i < pl.ngroups; i++)
        if (pl.groups[i].first >= 0) order[n++] = &pl.groups[i];
    for (int i = 0; i < n; i++) order[i]->index = i;
    find_peak(c, pl.groups, pl.ngroups, q->nkernels, plan);
    plan->bytes = best_placement(c, order, n);
    plan->align = 1;
    for (int i = 0; i < n; i++)
        if (order[i]->align > plan->align) plan->align = order[i]->align;
    plan->bytes = round_up(plan->bytes, plan->align);
    for (int i = 0; i < q->nbufs; i++) {
        int g = q->bufs[i]->kind == BUF_TEMP ? pl.group[q->bufs[i]->id] : -1;
        offset[i] = g < 0 ? -1 : pl.groups[g].offset;
    }
    scratch_release(c, m);
    plan->offset = offset;
    q->plan = plan;
    u.prog = q;
    return u;
}
