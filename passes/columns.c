/* Reductions in lanes of what lies side by side along another variable: columns at a time.
 *
 * A reduction has lanes for what it walks lying side by side. Where layout has put another dimension innermost, each
 * of its lanes would gather. Instead a block of neighbouring results is computed at once: an array holds all lanes of
 * each, its innermost dimension the results, so that every loop of lanes runs along memory. Each result is summed in the same
 * order as before. Part of tile. */
#include "loopify.h"
#include "tile.h"

enum { BLOCK = 32, BLOCK_LEAST = 8, COLUMNS_MOST = 4 };      /* results at once; reductions of a kernel */

typedef struct Columns {
    Ctx *c;
    const Kernel *k;
    int var;                         /* along which the results lie side by side */
    int n; const Expr *found[COLUMNS_MOST];
    const Buf *arrays[COLUMNS_MOST];
    bool side, ok;                   /* some load lies so; everything can be done so */
    const Idx *from; int64_t size; int lane;         /* the block at hand: its first result, how many, their variable */
} Columns;

/* ---- which kernels ------------------------------------------------------------------------------------------- */

static void see_lanes(const Expr *e, void *arg)
{
    Columns *s = arg;
    if (e->kind != E_REDUCE) return;
    s->ok &= e->reduce->lanes > 0 && e->reduce->init[0]->kind == E_CONST && s->n < COLUMNS_MOST;
    if (s->ok) s->found[s->n++] = e;
}

static void see_step(const Expr *e, void *arg)
{
    Columns *s = arg;
    int64_t step;
    if (e->kind == E_REDUCE) s->ok = false;
    if (e->kind == E_IN || e->kind == E_INDEX) s->ok &= idx_cost(e->at[0]) == 0;
    if (e->kind != E_LOAD || !s->ok) return;
    const Idx *flat = load_place(s->c, e);
    s->ok = !e->buf->text && dtype_bits(e->buf->dt) >= 8 && e->buf->dt != DT_STRING && idx_cost(flat) == 0 &&
            idx_affine(flat, s->var, &step) && (step == 0 || step == 1);
    s->side |= s->ok && step == 1;
}

static const Expr *step_of(const Columns *s, const Reduce *r, const Idx *flat)
{
    const Idx *to[2 * MAX_RANK];
    idx_unflat(s->c, flat, r->nvars, r->extents, to);
    return expr_subst(s->c, r->next[0], &(Subst){r->nvars, r->vars, to});
}

static int64_t count_of(const Reduce *r)
{
    int64_t count = 1;
    for (int i = 0; i < r->nvars; i++) count *= r->extents[i];
    return count;
}

static bool fits(Columns *s)
{
    int64_t step;
    const Kernel *k = s->k;
    if (k->nest || k->rank < 1 || k->out->text || dtype_bits(k->out->dt) < 8 || k->out->dt == DT_STRING) return false;
    const Idx *flat = idx_flat(s->c, k->out->rank, k->out->dims, k->at);
    s->var = k->rank - 1;
    while (s->var >= 0 && k->dims[s->var] == 1) s->var--;
    if (s->var < 0 || k->dims[s->var] < BLOCK_LEAST || !idx_affine(flat, s->var, &step) || step != 1) return false;
    expr_walk(s->c, k->value, see_lanes, s);
    for (int i = 0; i < s->n && s->ok; i++) {
        const Reduce *r = s->found[i]->reduce;
        expr_walk(s->c, step_of(s, r, idx_var(s->c, var_new(s->c), count_of(r))), see_step, s);
    }
    return s->ok && s->n > 0 && s->side;
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

static const Expr *element(const Columns *s, const Buf *array, const Idx *lane)
{
    const Idx *at[2] = {lane, idx_var(s->c, s->lane, s->size)};
    return expr_load(s->c, array, at);
}

/* For each result of the block: value into the array's lane, or, with no array, to where the kernel writes. */
static const Stmt *each(const Columns *s, const Buf *array, const Idx *lane, const Expr *value)
{
    const Idx *result = idx_var(s->c, s->lane, s->size), *place = idx_add(s->c, s->from, result);
    const Subst here = {1, &s->var, &place};
    const Idx **at = NEW_N(s->c, const Idx *, array ? 2 : s->k->out->rank);
    for (int d = 0; !array && d < s->k->out->rank; d++) at[d] = idx_subst(s->c, s->k->at[d], &here);
    if (array) at[0] = lane, at[1] = result;
    value = expr_subst(s->c, value, &here);
    return stmt_lanes(s->c, s->lane, s->size, spelled_store(s->c, array ? array : s->k->out, at, value, true));
}

typedef struct Now { const Expr *acc, *value; } Now;

static const Expr *as_it_is_now(Ctx *c, const Expr *e, void *arg)
{
    (void)c;
    const Now *n = arg;
    return e == n->acc ? n->value : NULL;
}

/* One step of `lanes` lanes for each of `count` chunks from element `from` on. */
static const Stmt *chunks(const Columns *s, int i, int64_t from, int64_t count, int64_t lanes)
{
    Ctx *c = s->c;
    const Reduce *r = s->found[i]->reduce;
    const int chunk = var_new(c), var = var_new(c);
    if (count == 0 || lanes == 0) return NULL;
    const Idx *lane = idx_var(c, var, lanes), *at = idx_add(c, idx_const(c, from), lane);
    const Expr *next = step_of(s, r, idx_axpy(c, at, r->lanes, idx_var(c, chunk, count)));
    const Now now = {expr_acc(c, r->accs[0], r->init[0]->dt), element(s, s->arrays[i], lane)};
    next = expr_rewrite(c, next, &(Rewrite){.node = as_it_is_now, .arg = (void *)&now});
    return stmt_for(c, chunk, count, stmt_for(c, var, lanes, each(s, s->arrays[i], lane, next)));
}

static void reduction(Columns *s, int i, Stmts *to)
{
    Ctx *c = s->c;
    const Reduce *r = s->found[i]->reduce;
    const int64_t count = count_of(r), dims[2] = {r->lanes, s->size};
    const Buf *array = buf_new(c, BUF_LOCAL, internf(c, "lanes%d", i), r->init[0]->dt, 2, dims);
    const int var = var_new(c);
    s->arrays[i] = array;
    VEC_PUSH(c, *to, stmt_local(c, array));
    VEC_PUSH(c, *to, stmt_for(c, var, r->lanes, each(s, array, idx_var(c, var, r->lanes), r->init[0])));
    const Stmt *parts[2] = {chunks(s, i, 0, count / r->lanes, r->lanes),
                            chunks(s, i, count / r->lanes * r->lanes, 1, count % r->lanes)};
    for (int k = 0; k < 2; k++)
        if (parts[k]) VEC_PUSH(c, *to, parts[k]);
    for (int64_t half = r->lanes / 2; half; half /= 2) {
        const int row = var_new(c);
        const Idx *lane = idx_var(c, row, half), *other = idx_add(c, lane, idx_const(c, half));
        const Expr *both = expr_op2(c, r->join, element(s, array, lane), element(s, array, other));
        VEC_PUSH(c, *to, stmt_for(c, row, half, each(s, array, lane, both)));
    }
}

static const Expr *reduced(Ctx *c, const Expr *e, void *arg)
{
    const Columns *s = arg;
    for (int i = 0; i < s->n; i++)
        if (e == s->found[i]) return element(s, s->arrays[i], idx_const(c, 0));
    return NULL;
}

/* `count` blocks of `size` results from `from` on. */
static const Stmt *blocks_of(Columns *s, int64_t from, int64_t count, int64_t size)
{
    Ctx *c = s->c;
    const int var = var_new(c);
    Stmts all = {0};
    if (count == 0 || size == 0) return stmt_seq(c, 0, NULL);
    s->lane = var_new(c);
    s->size = size;
    s->from = idx_axpy(c, idx_const(c, from), size, idx_var(c, var, count));
    for (int i = 0; i < s->n; i++) reduction(s, i, &all);
    const Expr *value = expr_rewrite(c, s->k->value, &(Rewrite){.node = reduced, .arg = s});
    VEC_PUSH(c, all, each(s, NULL, NULL, value));
    return stmt_for(c, var, count, stmt_seq(c, all.n, all.at));
}

const Stmt *columns(Ctx *c, const Kernel *k)
{
    Columns s = {.c = c, .k = k, .ok = true};
    if (!fits(&s)) return NULL;
    const int64_t n = k->dims[s.var];
    const Stmt *parts[2] = {blocks_of(&s, 0, n / BLOCK, BLOCK), blocks_of(&s, n / BLOCK * BLOCK, 1, n % BLOCK)};
    const Stmt *nest = stmt_seq(c, 2, parts);
    for (int v = k->rank; v-- > 0;)
        if (v != s.var) nest = stmt_for(c, v, k->dims[v], nest);
    return nest;
}
