/* Walking and rewriting expressions: each node of a DAG once, arguments first, the expressions of VALUEs within
 * indices included.
 *
 * Recursion is as deep as the expression, which the passes bound (EXPR_DEPTH). A rewritten node is built by the
 * ordinary constructors, so it is simplified again; where nothing changes, hash-consing gives the same pointer back. A
 * selection whose condition becomes constant has only the chosen arm rewritten: the other may hold subscripts that
 * make no sense any more. */
#include "expr.h"

/* ---- what has been met ------------------------------------------------------------------------------------------- */

Memo memo_new(Ctx *c, int expected)
{
    Memo m = { .cap = 16 };
    while (m.cap < 2048 && m.cap < 2 * (size_t)expected)
        m.cap *= 2;
    m.keys = SCRATCH_N(c, int, m.cap);
    m.values = SCRATCH_N(c, const void *, m.cap);
    return m;
}

static size_t memo_slot(const Memo *m, int id)
{
    size_t i = (size_t)hash_mix(0, (uint64_t)id) & (m->cap - 1);
    while (m->keys[i] && m->keys[i] != id + 1)
        i = (i + 1) & (m->cap - 1);
    return i;
}

const void *memo_get(const Memo *m, int id)
{
    size_t i = memo_slot(m, id);
    return m->keys[i] ? m->values[i] : NULL;
}

void memo_put(Ctx *c, Memo *m, int id, const void *value)
{
    if (2 * (m->n + 1) > m->cap) {
        Memo old = *m;
        m->cap *= 4;
        m->n = 0;
        m->keys = NEW_N(c, int, m->cap);
        m->values = NEW_N(c, const void *, m->cap);
        for (size_t i = 0; i < old.cap; i++)
            if (old.keys[i])
                memo_put(c, m, old.keys[i] - 1, old.values[i]);
    }
    size_t i = memo_slot(m, id);
    m->n += m->keys[i] == 0;
    m->keys[i] = id + 1;
    m->values[i] = value;
}

/* ---- walking -----------------------------------------------------------------------------------------------------
 * First all nodes are listed, then they are visited: a visitor may use scratch memory as it likes. Lists of walks within
 * each other lie one above the other in the context's table. */

typedef struct Walk { Ctx *c; struct LoopTab *tab; Memo seen; } Walk;

static void list(Walk *w, const Expr *e);

static void list_idx(Walk *w, const Idx *x)
{
    for (int i = 0; x->values && i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind == ATOM_VALUE)
            list(w, a->expr);
        else if (a->x)
            list_idx(w, a->x);
    }
}

static void list(Walk *w, const Expr *e)
{
    if (memo_get(&w->seen, e->id))
        return;
    memo_put(w->c, &w->seen, e->id, e);
    for (int i = 0; i < e->n; i++)
        list(w, e->args[i]);
    for (int i = 0; i < expr_ats(e); i++)
        list_idx(w, e->at[i]);
    for (int i = 0; e->reduce && i < e->reduce->naccs; i++) {
        list(w, e->reduce->init[i]);
        list(w, e->reduce->next[i]);
    }
    VEC_PUSH(w->c, w->tab->walked, e);
}

void expr_walk(Ctx *c, const Expr *e, void (*visit)(const Expr *, void *), void *arg)
{
    Mark m = scratch_mark(c);
    Walk w = { c, loop_tab(c), memo_new(c, e->size) };
    const int from = w.tab->walked.n;
    list(&w, e);
    const int to = w.tab->walked.n;
    scratch_release(c, m);
    for (int i = from; i < to; i++)
        visit(w.tab->walked.at[i], arg);
    w.tab->walked.n = from;
}

/* ---- rewriting --------------------------------------------------------------------------------------------------- */

typedef struct Rewriter {
    Ctx *c;
    Memo done;
    const Rewrite *r;
    uint64_t mask;                   /* of the variables that are replaced */
} Rewriter;

static const Expr *rewrite(Rewriter *w, const Expr *e);

static const Expr *rewrite_value(Ctx *c, const Expr *e, void *arg)
{
    (void)c;
    return rewrite(arg, e);
}

static void rewrite_at(Rewriter *w, const Expr *e, const Idx **at)
{
    for (int i = 0; i < expr_ats(e); i++)
        at[i] = idx_rewrite(w->c, e->at[i], w->r->subst, rewrite_value, w);
}

static const Expr *rewrite_load(Rewriter *w, const Expr *e)
{
    const Idx *at[MAX_RANK];
    rewrite_at(w, e, at);
    const Expr *x = w->r->load && e->dt == e->buf->dt ? w->r->load(w->c, e->buf, at, w->r->arg) : NULL;
    return x ? x : expr_reload(w->c, e, at);
}

static const Expr *rewrite_reduce(Rewriter *w, const Expr *e)
{
    Reduce r = *e->reduce;
    const Expr **parts = NEW_N(w->c, const Expr *, 2 * r.naccs);
    for (int i = 0; i < r.naccs; i++) {
        parts[i] = rewrite(w, r.init[i]);
        parts[r.naccs + i] = rewrite(w, r.next[i]);
    }
    r.init = parts;
    r.next = parts + r.naccs;
    return expr_reduce(w->c, r, e->k);
}

static const Expr *rewrite_select(Rewriter *w, const Expr *e)
{
    const Expr *cond = rewrite(w, e->args[0]);
    if (cond->kind == E_CONST)
        return rewrite(w, e->args[cond->value.i ? 1 : 2]);
    const Expr *a = rewrite(w, e->args[1]);
    return expr_select(w->c, cond, a, rewrite(w, e->args[2]));
}

const Expr *expr_remake(Ctx *c, const Expr *e, const Expr *const *args)
{
    return e->kind == E_CAST   ? expr_cast(c, e->dt, args[0])
           : e->kind == E_BITS ? expr_bits(c, e->dt, args[0])
                               : expr_op(c, e->op, args);
}

static const Expr *rewrite_op(Rewriter *w, const Expr *e)
{
    const Expr *args[3];
    for (int i = 0; i < e->n; i++)
        args[i] = rewrite(w, e->args[i]);
    return expr_remake(w->c, e, args);
}

static const Expr *rewrite_index(Rewriter *w, const Expr *e)
{
    const Idx *at;
    rewrite_at(w, e, &at);
    return e->kind == E_INDEX ? expr_index(w->c, at) : expr_in(w->c, at, e->extent);
}

static const Expr *rewrite(Rewriter *w, const Expr *e)
{
    if (e->kind == E_CONST || (!w->r->node && (e->kind == E_ACC || (!w->r->load && !(e->vars & w->mask)))))
        return e;
    const Expr *x = memo_get(&w->done, e->id);
    if (x)
        return x;
    switch (e->kind) {
    case E_LOAD:   x = rewrite_load(w, e); break;
    case E_REDUCE: x = rewrite_reduce(w, e); break;
    case E_SELECT: x = rewrite_select(w, e); break;
    case E_INDEX: case E_IN: x = rewrite_index(w, e); break;
    case E_ACC:    x = e; break;
    default:       x = rewrite_op(w, e); break;
    }
    const Expr *other = w->r->node ? w->r->node(w->c, x, w->r->arg) : NULL;
    x = other ? other : x;
    memo_put(w->c, &w->done, e->id, x);
    return x;
}

const Expr *expr_rewrite(Ctx *c, const Expr *e, const Rewrite *r)
{
    Mark m = scratch_mark(c);
    Rewriter w = { c, memo_new(c, e->size), r, 0 };
    for (int i = 0; r->subst && i < r->subst->n; i++)
        w.mask |= UINT64_C(1) << (r->subst->vars[i] & 63);
    e = rewrite(&w, e);
    scratch_release(c, m);
    return e;
}

const Expr *expr_subst(Ctx *c, const Expr *e, const Subst *s)
{
    return expr_rewrite(c, e, &(Rewrite){ .subst = s });
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct Exprs { Ctx *c; void (*visit)(Ctx *, const Expr *, void *); void *arg; } Exprs;

static void idx_exprs(const Exprs *x, const Idx *idx)
{
    for (int i = 0; idx->values && i < idx->n; i++) {
        const Atom *a = idx->t[i].atom;
        if (a->kind == ATOM_VALUE)
            x->visit(x->c, a->expr, x->arg);
        else if (a->x)
            idx_exprs(x, a->x);
    }
}

static void at_exprs(const Exprs *x, const Buf *b, const Idx *const *at)
{
    for (int i = 0; i < b->rank; i++)
        idx_exprs(x, at[i]);
}

static void stmt_exprs(const Exprs *x, const Stmt *s)
{
    for (int i = 0; i < s->n; i++)
        stmt_exprs(x, s->body[i]);
    if (s->cond)
        x->visit(x->c, s->cond, x->arg);
    if (s->value)
        x->visit(x->c, s->value, x->arg);
    if (s->at)
        at_exprs(x, s->buf, s->at);
    if (s->src)
        at_exprs(x, s->src, s->src_at);
}

void kernel_exprs(Ctx *c, const Kernel *k, void (*visit)(Ctx *, const Expr *, void *), void *arg)
{
    Exprs x = { c, visit, arg };
    if (k->nest) {
        stmt_exprs(&x, k->nest);
        return;
    }
    at_exprs(&x, k->out, k->at);
    visit(c, k->value, arg);
}

typedef struct Reads { Ctx *c; Memo seen; void (*visit)(const Buf *, void *); void *arg; } Reads;

static void read_buf(Reads *r, const Buf *b)
{
    if (b->kind == BUF_LOCAL || memo_get(&r->seen, b->id))
        return;
    memo_put(r->c, &r->seen, b->id, b);
    r->visit(b, r->arg);
}

static void read_load(const Expr *e, void *arg)
{
    if (e->kind == E_LOAD)
        read_buf(arg, e->buf);
}

static void read_expr(Ctx *c, const Expr *e, void *arg)
{
    expr_walk(c, e, read_load, arg);
}

static void read_copies(Reads *r, const Stmt *s)
{
    for (int i = 0; i < s->n; i++)
        read_copies(r, s->body[i]);
    if (s->kind == S_COPY)
        read_buf(r, s->src);
}

void prog_reads(Ctx *c, const Kernel *k, void (*visit)(const Buf *, void *), void *arg)
{
    Mark m = scratch_mark(c);
    Reads r = { c, memo_new(c, 8), visit, arg };
    kernel_exprs(c, k, read_expr, &r);
    if (k->nest)
        read_copies(&r, k->nest);
    scratch_release(c, m);
}
