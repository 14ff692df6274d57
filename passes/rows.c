/* Reductions in lanes as statements: an array of accumulators, loops of lanes over whole chunks, one over the rest,
 * and the halving tree.
 *
 * Where the machine has lanes, the elements are walked by one variable, several chunks an iteration, so that the
 * array stays in registers. Elsewhere, and where what is reduced is not an affine function of that variable, the
 * loops stay as they are and choose the accumulator step by step: slower, the same value. */
#include "loopify.h"

/* Chunks an iteration, where a step has that few nodes at most. */
enum { CHUNKS = 4, CHUNK_SIZE_MOST = 12 };

typedef struct Lanes {
    Speller *s;
    Ctx *c;
    const Reduce *r;
    const Buf *array;
    const Expr *acc;                 /* as the reduction names it */
    int outer;                       /* loops of the reduction that stay; those within are one */
    bool *apart;                     /* where the answer of see_divisions goes */
} Lanes;

static const Expr *element(const Lanes *l, const Idx *at)
{
    return expr_load(l->c, l->array, &at);
}

static const Stmt *put(const Lanes *l, const Idx *at, const Expr *value)
{
    return stmt_store(l->c, l->array, &at, value);
}

static const Expr *step_at(const Lanes *l, const Idx *flat)
{
    const Idx *to[2 * MAX_RANK];
    for (int i = 0; i < l->outer; i++) to[i] = idx_var(l->c, l->r->vars[i], l->r->extents[i]);
    idx_unflat(l->c, flat, l->r->nvars - l->outer, l->r->extents + l->outer, to + l->outer);
    return expr_subst(l->c, l->r->next[0], &(Subst){l->r->nvars, l->r->vars, to});
}

typedef struct Fed { const Buf *b; const Expr *load; } Fed;

static void see_fed(const Expr *e, void *arg)
{
    Fed *f = arg;
    if (e->kind == E_LOAD && e->buf == f->b) f->load = e;
}

/* What the step at `flat` reads of a row that is filled meanwhile. */
static void feed(const Lanes *l, const Expr *next, const Idx *flat)
{
    Speller *s = l->s;
    const Kernel *k = s->feed;
    Fed f = {k ? k->out : NULL, NULL};
    if (k) expr_walk(l->c, next, see_fed, &f);
    if (!f.load) return;
    const int var = k->rank - 1;
    const Subst sub = {1, &var, &flat};
    const Expr *value = expr_subst(l->c, k->value, &sub);
    const Buf *b = scalar(s, "fed", f.load->dt);
    see_parents(s, value);
    write_scalar(s, b, spell(s, value));
    push(s, stmt_store(l->c, k->out, f.load->at, read_scalar(s, b)));
    ptrmap_put(l->c, &s->block->known, f.load, (void *)b);
}

/* The step `next`, at `flat`, of what the accumulator is now. */
static const Expr *spell_step(const Lanes *l, const Expr *next, const Expr *now, const Idx *flat)
{
    feed(l, next, flat);
    ptrmap_put(l->c, &l->s->lanes, l->acc, (void *)now);
    see_parents(l->s, next);
    return spell(l->s, next);
}

/* The greatest and the least may be taken of any neighbours first: the first of equal values is left, the last NaN;
 * who asks for `most` does not care which. */
static bool in_any_order(const Lanes *l)
{
    const Expr *next = l->r->next[0];
    const ScalarOp op = l->r->join;
    return (op == OP_max || op == OP_min || op == OP_most) && next->op == op && next->args[0] == l->acc;
}

/* All that n chunks bring to accumulator `at`. */
static const Expr *brought(const Lanes *l, const Idx *from, int n, const Idx *at)
{
    if (n == 1) return step_at(l, idx_add(l->c, from, at))->args[1];
    const Idx *behind = idx_axpy(l->c, from, l->r->lanes, idx_const(l->c, n / 2));
    return expr_op2(l->c, l->r->join, brought(l, from, n / 2, at), brought(l, behind, n - n / 2, at));
}

/* One step of accumulator `at` for each of n chunks, of which the first begins at `from`. */
static const Stmt *steps(const Lanes *l, const Idx *from, int n, const Idx *at)
{
    Speller *s = l->s;
    Block body;
    open_block(s, &body);
    if (n > 1 && in_any_order(l)) {
        const Expr *next = expr_op2(l->c, l->r->join, l->acc, brought(l, from, n, at));
        push(s, put(l, at, spell_step(l, next, element(l, at), from)));
        return close_block(s);
    }
    const Buf *held = n > 1 ? scalar(s, "sum", l->acc->dt) : NULL;
    if (held) write_scalar(s, held, element(l, at));
    for (int i = 0; i < n; i++) {
        const Idx *flat = idx_add(l->c, idx_axpy(l->c, from, l->r->lanes, idx_const(l->c, i)), at);
        const Expr *next = spell_step(l, step_at(l, flat), held ? read_scalar(s, held) : element(l, at), flat);
        if (held && i < n - 1) write_scalar(s, held, next);
        else push(s, put(l, at, next));
    }
    return close_block(s);
}

/* Blocks of n chunks from element `from` on, `count` of them; of the last chunk only `lanes` elements. */
static void blocks(const Lanes *l, int64_t from, int64_t count, int n, int64_t lanes)
{
    const int var = var_new(l->c), lane = var_new(l->c);
    const Idx *at = idx_axpy(l->c, idx_const(l->c, from), n * l->r->lanes, idx_var(l->c, var, count));
    if (count == 0 || lanes == 0) return;
    const Stmt *body = steps(l, at, n, idx_var(l->c, lane, lanes));
    push(l->s, stmt_for(l->c, var, count, stmt_lanes(l->c, lane, lanes, body)));
}

static void see_divisions(const Expr *e, void *arg)
{
    const Lanes *l = arg;
    int n = e->kind == E_LOAD ? idx_cost(idx_flat(l->c, e->buf->rank, e->buf->dims, e->at)) : 0;
    if (e->kind == E_IN || e->kind == E_INDEX) n = idx_cost(e->at[0]);
    if (n || e->kind == E_REDUCE) *l->apart = true;
}

static int64_t length(const Lanes *l)
{
    int64_t n = 1;
    for (int i = l->outer; i < l->r->nvars; i++) n *= l->r->extents[i];
    return n;
}

/* As many loops as can be are one along which nothing divides; where some are outside, each row begins with lane 0. */
static bool fewest_loops(Lanes *l)
{
    for (l->outer = 0; l->outer < l->r->nvars; l->outer++) {
        const int64_t n = length(l);
        if (l->outer && n % l->r->lanes) continue;
        *l->apart = false;
        expr_walk(l->c, step_at(l, idx_var(l->c, var_new(l->c), n)), see_divisions, l);
        if (!*l->apart) return true;
    }
    return false;
}

/* The array at its first values; `first`: with the first chunk taken in, which spares storing and loading them. */
static void open_array(const Lanes *l, const Expr *init, bool first)
{
    const int lane = var_new(l->c);
    const Idx *at = idx_var(l->c, lane, l->r->lanes);
    Block body;
    open_block(l->s, &body);
    push(l->s, put(l, at, first ? spell_step(l, step_at(l, at), init, at) : init));
    push(l->s, (l->s->wide ? stmt_lanes : stmt_for)(l->c, lane, l->r->lanes, close_block(l->s)));
}

static void rows(const Lanes *l, const Expr *init)
{
    const int64_t lanes = l->r->lanes, chunks = length(l) / lanes, first = l->outer == 0 && chunks > 0;
    const bool short_step = l->r->next[0]->size <= CHUNK_SIZE_MOST && !l->s->feed;
    const int n = short_step && (l->r->join == OP_add || in_any_order(l)) ? CHUNKS : 1;
    /* One block alone would be no loop: clang does not keep arrays in registers from one loop of lanes to the next. */
    const int64_t whole = (chunks - first) / n > 1 ? (chunks - first) / n : 0, single = chunks - first - whole * n;
    Block body;
    open_array(l, init, first);
    open_block(l->s, &body);
    blocks(l, first * lanes, whole, n, lanes);
    blocks(l, (first + whole * n) * lanes, single, 1, lanes);
    blocks(l, chunks * lanes, 1, 1, length(l) % lanes);
    const Stmt *all = close_block(l->s);
    for (int i = l->outer; i-- > 0;) all = stmt_for(l->c, l->r->vars[i], l->r->extents[i], all);
    push(l->s, all);
}

/* The loops as they are. */
static void loops_apart(const Lanes *l)
{
    Ctx *c = l->c;
    const Reduce *r = l->r;
    const Idx *at[2 * MAX_RANK];
    for (int i = 0; i < r->nvars; i++) at[i] = idx_var(c, r->vars[i], r->extents[i]);
    const Idx *lane = idx_digit(c, idx_flat(c, r->nvars, r->extents, at), 1, r->lanes);
    Block body;
    open_block(l->s, &body);
    push(l->s, put(l, lane, spell_step(l, r->next[0], element(l, lane), idx_flat(c, r->nvars, r->extents, at))));
    const Stmt *loop = close_block(l->s);
    for (int i = r->nvars; i-- > 0;) loop = stmt_for(c, r->vars[i], r->extents[i], loop);
    push(l->s, loop);
}

static const Stmt *join(const Lanes *l, int64_t half, const Idx *at)
{
    const Idx *other = idx_add(l->c, at, idx_const(l->c, half));
    return put(l, at, expr_op2(l->c, l->r->join, element(l, at), element(l, other)));
}

const Buf *spell_lanes(Speller *s, const Reduce *r)
{
    Ctx *c = s->c;
    const int64_t lanes = r->lanes;
    const DType dt = r->init[0]->dt;
    bool apart = false;
    Lanes l = {s, c, r, buf_new(c, BUF_LOCAL, internf(c, "lanes%d", s->names++), dt, 1, &lanes),
               expr_acc(c, r->accs[0], dt), 0, &apart};
    const Expr *init = spell(s, r->init[0]);
    push(s, stmt_local(c, l.array));
    if (s->wide && fewest_loops(&l)) {
        rows(&l, init);
    } else {
        open_array(&l, init, false);
        loops_apart(&l);
    }
    for (int64_t half = lanes / 2; half; half /= 2) {
        const int var = var_new(c);
        push(s, (s->wide ? stmt_lanes : stmt_for)(c, var, half, join(&l, half, idx_var(c, var, half))));
    }
    const Buf *value = scalar(s, "acc", dt);
    write_scalar(s, value, element(&l, idx_const(c, 0)));
    return value;
}
