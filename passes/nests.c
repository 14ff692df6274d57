/* Tiles within a nest, as the steps of a recurrent network are.
 *
 * Loops around stores are a kernel in compute form, once for each value of the variables outside, where no iteration
 * touches what another one writes: it lies apart, or is each iteration's own element. Then each store has loops of its
 * own, which are tiled as those of a kernel. What is known at run time only is not packed: nothing can be filled in
 * front of a nest that fills it itself. Part of tile. */
#include "tile.h"

typedef struct Loops {               /* around stores */
    int n, vars[MAX_RANK];
    int64_t extents[MAX_RANK];
    int nstores; const Stmt *const *stores;
} Loops;

typedef struct Nest {
    Ctx *c;
    const Kernel *k;
    const Target *target;
    Made *made;
    int nouter, outer[MAX_RANK];     /* variables of the loops outside */
    const Loops *l;                  /* those at hand */
    bool ok;
} Nest;

static bool loops_of(const Stmt *const *body, Loops *l)
{
    const Stmt *s = *body;
    for (l->n = 0; s->kind == S_FOR && !s->lanes && l->n < MAX_RANK; l->n++) {
        if (s->var < MAX_RANK) return false;
        l->vars[l->n] = s->var;
        l->extents[l->n] = s->extent;
        body = s->body;
        s = *body;
    }
    l->nstores = s->kind == S_SEQ ? s->n : 1;
    l->stores = s->kind == S_SEQ ? s->body : body;
    for (int i = 0; i < l->nstores; i++)
        if (l->stores[i]->kind != S_STORE || l->stores[i]->buf->kind == BUF_LOCAL) return false;
    return l->n > 0;
}

/* ---- independence -------------------------------------------------------------------------------------------- */

static int loops_in(const Loops *l, const Idx *x)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) n += idx_uses(x, l->vars[i]);
    return n;
}

/* Whether each iteration has an element of its own: each loop alone in a dimension. */
static bool own_element(const Loops *l, const Buf *b, const Idx *const *at)
{
    int used = 0;
    for (int d = 0; d < b->rank; d++) {
        const int n = loops_in(l, at[d]);
        if (n > 1 || (n == 1 && (at[d]->n != 1 || at[d]->t[0].atom->kind != ATOM_VAR))) return false;
        used += n;
    }
    for (int i = 0; i < l->n; i++) {
        int dims = 0;
        for (int d = 0; d < b->rank; d++) dims += idx_uses(at[d], l->vars[i]);
        if (dims != 1) return false;
    }
    return used == l->n;
}

/* Whether what iterations touch at `at` lies apart from what they write, or is their own element of it. */
static bool independent(const Nest *s, const Stmt *write, const Idx *const *at)
{
    bool same = true;
    for (int d = 0; d < write->buf->rank; d++) {
        const Idx *apart = idx_axpy(s->c, at[d], -1, write->at[d]);
        if (loops_in(s->l, at[d]) + loops_in(s->l, write->at[d]) == 0 && (apart->lo > 0 || apart->hi < 0)) return true;
        same &= at[d] == write->at[d];
    }
    return same && own_element(s->l, write->buf, write->at);
}

static void check_load(const Expr *e, void *arg)
{
    Nest *s = arg;
    if (e->kind != E_LOAD) return;
    for (int i = 0; i < s->nouter && e->buf->kind == BUF_CONST; i++)     /* packs know no variables outside */
        for (int d = 0; d < e->buf->rank; d++) s->ok &= !idx_uses(e->at[d], s->outer[i]);
    for (int i = 0; i < s->l->nstores; i++)
        if (s->l->stores[i]->buf == e->buf) s->ok = s->ok && independent(s, s->l->stores[i], e->at);
}

static void see_reduce(const Expr *e, void *arg)
{
    *(bool *)arg |= e->kind == E_REDUCE;
}

static bool fits(Nest *s)
{
    bool reduces = false;
    s->ok = true;
    for (int i = 0; i < s->l->nstores && s->ok; i++) {
        const Stmt *st = s->l->stores[i];
        s->ok = !st->buf->text;
        expr_walk(s->c, st->value, check_load, s);
        expr_walk(s->c, st->value, see_reduce, &reduces);
        for (int j = 0; j < s->l->nstores; j++)
            if (s->l->stores[j]->buf == st->buf) s->ok = s->ok && independent(s, s->l->stores[j], st->at);
        for (int d = 0; d < st->buf->rank; d++) s->ok &= !st->at[d]->values;
    }
    return s->ok && reduces;
}

/* ---- tiles --------------------------------------------------------------------------------------------------- */

/* The store as a kernel's; NULL: it is none that is tiled. */
static const Stmt *store_tiles(Nest *s, const Stmt *st)
{
    Ctx *c = s->c;
    const Loops *l = s->l;
    const Idx *to[MAX_RANK];
    for (int i = 0; i < l->n; i++) to[i] = idx_var(c, i, l->extents[i]);
    const Subst by = {l->n, l->vars, to};
    Kernel k = {.what = s->k->what, .loc = s->k->loc, .rank = l->n, .dims = l->extents, .out = st->buf};
    const Idx **at = NEW_N(c, const Idx *, st->buf->rank);
    for (int d = 0; d < st->buf->rank; d++) at[d] = idx_subst(c, st->at[d], &by);
    k.at = at;
    k.value = expr_subst(c, st->value, &by);
    return tiles_within(c, &k, s->target, s->made, true);
}

static const Stmt *loops_apart(Nest *s)
{
    const Loops *l = s->l;
    const Stmt **all = NEW_N(s->c, const Stmt *, l->nstores);
    bool any = false;
    for (int i = 0; i < l->nstores; i++) {
        all[i] = store_tiles(s, l->stores[i]);
        any |= all[i] != NULL;
        if (all[i]) continue;
        all[i] = l->stores[i];
        for (int v = l->n; v-- > 0;) all[i] = stmt_for(s->c, l->vars[v], l->extents[v], all[i]);
    }
    return any ? stmt_seq(s->c, l->nstores, all) : NULL;
}

static const Stmt *inside(Nest *s, const Stmt *st)
{
    Loops l;
    if (st->kind == S_FOR && loops_of(&st, &l)) {
        s->l = &l;
        const Stmt *tiles = fits(s) ? loops_apart(s) : NULL;
        if (tiles) return tiles;
    }
    if (st->n == 0 || (st->kind == S_FOR && (st->var < MAX_RANK || s->nouter == MAX_RANK))) return st;
    if (st->kind == S_FOR) s->outer[s->nouter++] = st->var;
    const Stmt **body = NEW_N(s->c, const Stmt *, st->n);
    for (int i = 0; i < st->n; i++) body[i] = inside(s, st->body[i]);
    if (st->kind == S_FOR) s->nouter--;
    return stmt_again(s->c, st, body);
}

const Kernel *nest_tiles(Ctx *c, const Kernel *k, const Target *target, Made *made)
{
    Nest s = {.c = c, .k = k, .target = target, .made = made};
    const Stmt *nest = inside(&s, k->nest);
    if (nest == k->nest) return k;
    Kernel *to = mem_copy(c, k, sizeof *k);
    to->nest = nest;
    return to;
}
