/* Expressions: hash-consing and the plain constructors. What simplifies operators, casts and selections is in
 * simplify.c.
 *
 * Every node goes through expr_make, which finds its equal or copies it and fills in what is derived from its
 * operands: size, depth, variables and interval. Constants are equal when their bits are: a float's Value has zeros
 * beside its four bytes. Nothing here recurses over an expression. */
#include "expr.h"

enum { SIZE_MAX_EXPR = 1 << 20 };

int expr_ats(const Expr *e)
{
    return e->kind == E_LOAD ? e->buf->rank : e->kind == E_INDEX || e->kind == E_IN ? 1 : 0;
}

static bool expr_same(const void *node, const void *key)
{
    const Expr *a = node, *b = key;
    if (a->kind != b->kind || a->dt != b->dt || a->op != b->op || a->k != b->k || a->n != b->n ||
        a->value.u != b->value.u)
        return false;
    if (a->buf != b->buf || a->extent != b->extent || a->reduce != b->reduce)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->args[i] != b->args[i])
            return false;
    for (int i = 0; i < expr_ats(a); i++)
        if (a->at[i] != b->at[i])
            return false;
    return true;
}

static uint64_t expr_hash(const Expr *e)
{
    uint64_t h = hash_mix(hash_mix((uint64_t)e->kind, (uint64_t)e->dt << 32 | (uint64_t)e->op), (uint64_t)e->k);
    h = hash_mix(hash_mix(h, e->value.u), (uint64_t)e->extent);
    h = hash_mix(h, e->buf ? (uint64_t)e->buf->id + 1 : e->reduce ? (uint64_t)e->reduce->id : 0);
    for (int i = 0; i < e->n; i++)
        h = hash_mix(h, (uint64_t)e->args[i]->id);
    for (int i = 0; i < expr_ats(e); i++)
        h = hash_mix(h, (uint64_t)e->at[i]->id);
    return h;
}

static void add_size(Expr *e, int size, int depth)
{
    e->size = e->size + size < SIZE_MAX_EXPR ? e->size + size : SIZE_MAX_EXPR;
    e->depth = e->depth > depth + 1 ? e->depth : depth + 1;
}

/* What the expressions of VALUEs within an index add; its nesting is bounded by IDX_DEPTH. */
static void weigh_idx(Expr *e, const Idx *x)
{
    if (!x->values)
        return;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind == ATOM_VALUE)
            add_size(e, a->expr->size, a->expr->depth);
        else if (a->x)
            weigh_idx(e, a->x);
    }
}

static void weigh_expr(Expr *e, const Expr *part)
{
    add_size(e, part->size, part->depth);
    e->vars |= part->vars;
}

static void weigh(Expr *e)
{
    const Reduce *r = e->reduce;
    e->size = e->depth = 1;
    e->vars = e->kind == E_ACC ? UINT64_C(1) << (e->k & 63) : 0;
    for (int i = 0; i < e->n; i++)
        weigh_expr(e, e->args[i]);
    for (int i = 0; i < expr_ats(e); i++) {
        weigh_idx(e, e->at[i]);
        e->vars |= e->at[i]->vars;
    }
    for (int i = 0; r && i < r->naccs; i++) {
        weigh_expr(e, r->init[i]);
        weigh_expr(e, r->next[i]);
    }
}

const Expr *expr_make(Ctx *c, const Expr *e)
{
    struct LoopTab *tab = loop_tab(c);
    uint64_t h = expr_hash(e);
    const Expr *old = hash_find(&tab->exprs, h, expr_same, e);
    if (old)
        return old;
    Expr *x = mem_copy(c, e, sizeof *e);
    if (e->n)
        x->args = mem_copy(c, e->args, sizeof *e->args * (size_t)e->n);
    if (expr_ats(e))
        x->at = mem_copy(c, e->at, sizeof *e->at * (size_t)expr_ats(e));
    x->id = tab->expr_ids++;
    weigh(x);
    expr_set_range(c, x);
    hash_add(c, &tab->exprs, h, x);
    return x;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

const Expr *expr_const(Ctx *c, DType dt, Value v)
{
    int bits = dt == DT_STRING ? 64 : dtype_bits(dt);
    if (dt == DT_STRING)
        v.s = intern(c, v.s);
    else if (dt == DT_BOOL)
        v.i = v.i != 0;
    else if (dtype_is_signed(dt))
        v = (Value){ .i = (int64_t)(v.u << (64 - bits)) >> (64 - bits) };
    else
        v.u &= UINT64_MAX >> (64 - bits);
    return expr_make(c, &(Expr){ .kind = E_CONST, .dt = dt, .value = v });
}

const Expr *expr_int(Ctx *c, DType dt, int64_t v)
{
    return expr_const(c, dt, (Value){ .i = v });
}

const Expr *expr_bool(Ctx *c, bool v)
{
    return expr_int(c, DT_BOOL, v);
}

const Expr *expr_float(Ctx *c, DType dt, double v)
{
    return expr_const(c, dt, scalar_cast(dt, DT_F64, (Value){ .d = v }));
}

bool expr_is_int(const Expr *e, int64_t v)
{
    return e->kind == E_CONST && (e->dt == DT_BOOL || dtype_is_int(e->dt)) && e->value.i == v;
}

/* ---- memory and indices ------------------------------------------------------------------------------------------ */

/* The element of a constant at constant subscripts, or NULL. */
static const Expr *load_const(Ctx *c, const Buf *b, const Idx *const *at)
{
    int64_t flat = 0;
    if (b->kind != BUF_CONST || b->data == NULL)
        return NULL;
    for (int i = 0; i < b->rank; i++) {
        if (at[i]->n != 0 || at[i]->k < 0 || at[i]->k >= b->dims[i])
            return NULL;
        flat = flat * b->dims[i] + at[i]->k;
    }
    return expr_const(c, b->dt, scalar_read(b->dt, b->data->data, flat));
}

const Expr *expr_load_version(Ctx *c, const Buf *b, const Idx *const *at, int version)
{
    const Expr *e = load_const(c, b, at);
    return e ? e : expr_make(c, &(Expr){ .kind = E_LOAD, .dt = b->dt, .buf = b, .at = at, .k = version });
}

const Expr *expr_load(Ctx *c, const Buf *b, const Idx *const *at)
{
    return expr_load_version(c, b, at, 0);
}

const Expr *expr_text(Ctx *c, const Buf *b, const Idx *const *at)
{
    const Idx *place[MAX_RANK + 1];
    for (int i = 0; i < b->rank - 1; i++)
        place[i] = at[i];
    place[b->rank - 1] = idx_const(c, 0);
    return expr_make(c, &(Expr){ .kind = E_LOAD, .dt = DT_STRING, .buf = b, .at = place });
}

const Expr *expr_reload(Ctx *c, const Expr *e, const Idx *const *at)
{
    return e->dt == e->buf->dt ? expr_load_version(c, e->buf, at, e->k) : expr_text(c, e->buf, at);
}

const Expr *expr_index(Ctx *c, const Idx *x)
{
    if (x->n == 0)
        return expr_int(c, DT_I64, x->k);
    return expr_make(c, &(Expr){ .kind = E_INDEX, .dt = DT_I64, .at = (const Idx *const[]){ x } });
}

/* Where the guard is evaluated, what its index assumes holds: it speaks of the assumed index itself, so that guards within
 * each other narrow the same one. */
const Expr *expr_in(Ctx *c, const Idx *x, int64_t extent)
{
    if (x->lo >= 0 && x->hi < extent)
        return expr_bool(c, true);
    if (x->hi < 0 || x->lo >= extent)
        return expr_bool(c, false);
    while (x->n == 1 && x->t[0].atom->kind == ATOM_ASSUME)
        x = idx_axpy(c, idx_const(c, x->k), x->t[0].c, x->t[0].atom->x);
    return expr_make(c, &(Expr){ .kind = E_IN, .dt = DT_BOOL, .at = (const Idx *const[]){ x }, .extent = extent });
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

const Expr *expr_acc(Ctx *c, int acc, DType dt)
{
    return expr_make(c, &(Expr){ .kind = E_ACC, .dt = dt, .k = acc });
}

static bool reduce_same(const void *node, const void *key)
{
    const Reduce *a = node, *b = key;
    if (a->nvars != b->nvars || a->naccs != b->naccs || a->lanes != b->lanes || a->join != b->join)
        return false;
    for (int i = 0; i < a->nvars; i++)
        if (a->vars[i] != b->vars[i] || a->extents[i] != b->extents[i])
            return false;
    for (int i = 0; i < a->naccs; i++)
        if (a->accs[i] != b->accs[i] || a->init[i] != b->init[i] || a->next[i] != b->next[i])
            return false;
    return true;
}

static uint64_t reduce_hash(const Reduce *r)
{
    uint64_t h = hash_mix(hash_mix((uint64_t)r->nvars, (uint64_t)r->naccs), (uint64_t)r->lanes);
    for (int i = 0; i < r->nvars; i++)
        h = hash_mix(hash_mix(h, (uint64_t)r->vars[i]), (uint64_t)r->extents[i]);
    for (int i = 0; i < r->naccs; i++)
        h = hash_mix(hash_mix(hash_mix(h, (uint64_t)r->accs[i]), (uint64_t)r->init[i]->id), (uint64_t)r->next[i]->id);
    return h;
}

static const Reduce *reduce_make(Ctx *c, const Reduce *r)
{
    struct LoopTab *tab = loop_tab(c);
    uint64_t h = reduce_hash(r);
    const Reduce *old = hash_find(&tab->reduces, h, reduce_same, r);
    if (old)
        return old;
    Reduce *x = mem_copy(c, r, sizeof *r);
    x->vars = mem_copy(c, r->vars, sizeof *r->vars * (size_t)r->nvars);
    x->extents = mem_copy(c, r->extents, sizeof *r->extents * (size_t)r->nvars);
    x->accs = mem_copy(c, r->accs, sizeof *r->accs * (size_t)r->naccs);
    x->init = mem_copy(c, r->init, sizeof *r->init * (size_t)r->naccs);
    x->next = mem_copy(c, r->next, sizeof *r->next * (size_t)r->naccs);
    x->id = tab->reduce_ids++;
    hash_add(c, &tab->reduces, h, x);
    return x;
}

/* Over nothing: the start. Over one element the loop would be no loop, but its accumulators still need their names: it
 * stays. */
const Expr *expr_reduce(Ctx *c, Reduce r, int k)
{
    for (int i = 0; i < r.nvars; i++)
        if (r.extents[i] == 0)
            return r.init[k];
    return expr_make(c, &(Expr){ .kind = E_REDUCE, .dt = r.init[k]->dt, .k = k, .reduce = reduce_make(c, &r) });
}

const Expr *expr_reduce1(Ctx *c, int nvars, const int *vars, const int64_t *extents, const Expr *init,
                         const Expr *(*next)(Ctx *, const Expr *acc, void *), void *arg)
{
    int acc = var_new(c);
    const Expr *step = next(c, expr_acc(c, acc, init->dt), arg);
    Reduce r = { .nvars = nvars, .vars = vars, .extents = extents, .naccs = 1, .accs = &acc, .init = &init, .next = &step };
    return expr_reduce(c, r, 0);
}
