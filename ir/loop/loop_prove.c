/* The proof of expressions: types, scopes, and that each subscript lies within its dimension.
 *
 * An Idx carries an interval; here we prove that it holds where the access stands. It rests on three things: a loop
 * variable runs over no more than its atom says; an ASSUME stands under conditions IN over the same sum, as wide or
 * narrower; the expression of a VALUE has an interval within the atom's. What the chain Known says holds on every way
 * to the place, because an arm of a selection is evaluated only when its condition says so.
 *
 * A node is proved once for each set of bindings, and once for each chain of conditions if an ASSUME lies within it:
 * what has been proved outside holds inside. Recursion is as deep as the expression. */
#include "loop_check.h"

/* ---- what holds -------------------------------------------------------------------------------------------------- */

static Known *known_new(Checker *x, const Known *outer)
{
    Known *k = SCRATCH_N(x->c, Known, 1);
    *k = (Known){ .outer = outer, .binds = k, .var = -1, .acc = -1 };
    if (outer) {
        k->binds = outer->binds;
        k->depth = outer->depth + 1;
    }
    return k;
}

const Known *known_loop(Checker *x, const Known *outer, int var, int64_t extent)
{
    Known *k = known_new(x, outer);
    k->binds = k;
    k->var = var;
    k->extent = extent;
    return k;
}

const Known *known_acc(Checker *x, const Known *outer, int acc, DType dt)
{
    Known *k = known_new(x, outer);
    k->binds = k;
    k->acc = acc;
    k->acc_dt = dt;
    return k;
}

const Known *known_cond(Checker *x, const Known *outer, const Expr *cond)
{
    Known *k = known_new(x, outer);
    k->cond = cond;
    return k;
}

const Known *known_local(Checker *x, const Known *outer, const Buf *local)
{
    Known *k = known_new(x, outer);
    k->binds = k;
    k->local = local;
    return k;
}

static bool holds_in(const Known *k, const Known *place)
{
    while (place && place->depth > k->depth)
        place = place->outer;
    return place == k;
}

/* ---- indices ----------------------------------------------------------------------------------------------------- */

static const char *idx_text(Checker *x, const Idx *idx)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL)
        out_of_memory(x->c);
    idx_print(f, idx, NULL, NULL);
    fclose(f);
    const char *s = intern(x->c, text);
    free(text);
    return s;
}

/* g with x = g·y + x.k, 0 if there is none. */
static int64_t factor_of(const Idx *x, const Idx *y)
{
    if (x->n != y->n || x->n == 0 || x->t[0].c % y->t[0].c)
        return 0;
    int64_t g = x->t[0].c / y->t[0].c;
    for (int i = 0; i < x->n; i++) {
        int64_t c;
        if (x->t[i].atom != y->t[i].atom || __builtin_mul_overflow(g, y->t[i].c, &c) || c != x->t[i].c)
            return 0;
    }
    return g;
}

/* Narrows lo..hi by a condition that says something of y. */
static void narrow(const Expr *cond, const Idx *y, int64_t *lo, int64_t *hi)
{
    if (cond->kind == E_OP && cond->op == OP_and) {
        narrow(cond->args[0], y, lo, hi);
        narrow(cond->args[1], y, lo, hi);
        return;
    }
    int64_t g = cond->kind == E_IN ? factor_of(cond->at[0], y) : 0;
    if (g == 0)
        return;
    int64_t from = -cond->at[0]->k, to = cond->extent - 1 - cond->at[0]->k;      /* from <= g·y <= to */
    int64_t p = g > 0 ? from : to, q = g > 0 ? to : from;
    p = -floor_div(-p, g);
    q = floor_div(q, g);
    *lo = p > *lo ? p : *lo;
    *hi = q < *hi ? q : *hi;
}

static void prove_idx(Checker *x, const Known *k, const Idx *idx);

static void prove_atom(Checker *x, const Known *k, const Idx *idx, const Atom *a)
{
    int64_t lo, hi;
    const Known *n = k;
    switch (a->kind) {
    case ATOM_VAR:
        while (n && n->var != a->var)
            n = n->outer;
        if (n == NULL)
            check_fail(x, "loop variable i%d is used outside of its loop, in %s", a->var, idx_text(x, idx));
        if (n->extent - 1 > a->hi)
            check_fail(x, "loop variable i%d runs to %lld, but %s has it at most %lld", a->var,
                       (long long)n->extent - 1, idx_text(x, idx), (long long)a->hi);
        break;
    case ATOM_DIGIT:
        prove_idx(x, k, a->x);
        if (a->x->lo < 0)
            check_fail(x, "a negative number is divided in %s", idx_text(x, idx));
        break;
    case ATOM_ASSUME:
        prove_idx(x, k, a->x);
        lo = a->x->lo;
        hi = a->x->hi;
        for (; n; n = n->outer)
            if (n->cond)
                narrow(n->cond, a->x, &lo, &hi);
        if (lo < a->lo || hi > a->hi)
            check_fail(x, "%s is taken to lie in %lld..%lld, but the conditions around say %lld..%lld",
                       idx_text(x, a->x), (long long)a->lo, (long long)a->hi, (long long)lo, (long long)hi);
        break;
    case ATOM_VALUE:
        prove_expr(x, k, a->expr);
        if (!(a->expr->dt == DT_BOOL || dtype_is_int(a->expr->dt)) || a->expr->lo < a->lo || a->expr->hi > a->hi ||
            expr_open_end(a->expr))
            check_fail(x, "a value in %s is taken to lie in %lld..%lld, but is proved to lie in %lld..%lld",
                       idx_text(x, idx), (long long)a->lo, (long long)a->hi, (long long)a->expr->lo,
                       (long long)a->expr->hi);
        break;
    }
}

static void prove_idx(Checker *x, const Known *k, const Idx *idx)
{
    for (int i = 0; i < idx->n; i++)
        prove_atom(x, k, idx, idx->t[i].atom);
}

void prove_access(Checker *x, const Known *k, const Buf *b, const Idx *const *at, bool write)
{
    const Known *n = k;
    if (b->kind == BUF_LOCAL) {
        while (n && n->local != b)
            n = n->outer;
        if (n == NULL)
            check_fail(x, "local buffer %s is used outside of its sequence", b->name);
    } else if (!memo_get(&x->buf_known, b->id))
        check_fail(x, "buffer %s is not one of the program's", b->name);
    for (int i = 0; i < b->rank; i++) {
        prove_idx(x, k, at[i]);
        if (at[i]->lo < 0 || at[i]->hi >= b->dims[i])
            check_fail(x, "subscript %d of %s is %s, which lies in %lld..%lld, but the dimension is %lld", i, b->name,
                       idx_text(x, at[i]), (long long)at[i]->lo, (long long)at[i]->hi, (long long)b->dims[i]);
        if (x->visit)
            x->visit(&(Access){ x->kernel, b, write, i, at[i]->lo, at[i]->hi, b->dims[i] }, x->arg);
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static bool has_assume(Checker *x, const Expr *e);

static bool idx_has_assume(Checker *x, const Idx *idx)
{
    for (int i = 0; i < idx->n; i++) {
        const Atom *a = idx->t[i].atom;
        if (a->kind == ATOM_ASSUME || (a->x && idx_has_assume(x, a->x)) ||
            (a->kind == ATOM_VALUE && has_assume(x, a->expr)))
            return true;
    }
    return false;
}

static bool has_assume(Checker *x, const Expr *e)
{
    static const char answers[2];
    const char *old = memo_get(&x->assumes, e->id);
    if (old)
        return old == answers + 1;
    bool found = false;
    for (int i = 0; i < e->n; i++)
        found |= has_assume(x, e->args[i]);
    for (int i = 0; i < expr_ats(e); i++)
        found |= idx_has_assume(x, e->at[i]);
    for (int i = 0; e->reduce && i < e->reduce->naccs; i++) {
        found |= has_assume(x, e->reduce->init[i]);
        found |= has_assume(x, e->reduce->next[i]);
    }
    memo_put(x->c, &x->assumes, e->id, answers + found);
    return found;
}

static void prove_acc(Checker *x, const Known *k, const Expr *e)
{
    const Known *n = k;
    while (n && n->acc != e->k)
        n = n->outer;
    if (n == NULL)
        check_fail(x, "accumulator %d is used outside of its reduction", e->k);
    if (n->acc_dt != e->dt)
        check_fail(x, "accumulator %d is used as type %s, but starts as type %s", e->k, dtype_name(e->dt),
                   dtype_name(n->acc_dt));
}

static void prove_reduce(Checker *x, const Known *k, const Reduce *r)
{
    for (int i = 0; i < r->naccs; i++) {
        prove_expr(x, k, r->init[i]);
        if (r->init[i]->dt != r->next[i]->dt)
            check_fail(x, "an accumulator starts as type %s and goes on as type %s", dtype_name(r->init[i]->dt),
                       dtype_name(r->next[i]->dt));
    }
    if (r->lanes && (r->naccs != 1 || r->lanes < 2 || (r->lanes & (r->lanes - 1)) ||
                     op_result(r->join, r->init[0]->dt) != r->init[0]->dt))
        check_fail(x, "a reduction has %d accumulators in %d lanes", r->naccs, r->lanes);
    for (int i = 0; i < r->nvars; i++)
        k = known_loop(x, k, r->vars[i], r->extents[i]);
    for (int i = 0; i < r->naccs; i++)
        k = known_acc(x, k, r->accs[i], r->init[i]->dt);
    for (int i = 0; i < r->naccs; i++)
        prove_expr(x, k, r->next[i]);
}

/* The node itself, its operands being right. */
static void prove_types(Checker *x, const Expr *e)
{
    bool ok = true;
    if (e->kind == E_OP) {
        ok = e->n == op_arity(e->op) && op_result(e->op, e->args[0]->dt) == e->dt && !op_writes(e->op, e->args[0]->dt);
        for (int i = 1; i < e->n; i++)
            ok &= e->args[i]->dt == e->args[0]->dt;
    } else if (e->kind == E_SELECT)
        ok = e->args[0]->dt == DT_BOOL && e->args[1]->dt == e->dt && e->args[2]->dt == e->dt;
    else if (e->kind == E_LOAD)
        ok = e->buf->dt == e->dt || (e->buf->dt == DT_U8 && e->dt == DT_STRING && (e->buf->text || e->buf->data));
    else if (e->kind == E_IN || e->kind == E_INDEX)
        ok = e->dt == (e->kind == E_IN ? DT_BOOL : DT_I64);
    if (!ok)
        check_fail(x, "an expression (%s) has operands of wrong types",
                   e->kind == E_OP ? op_name(e->op) : "no operator");
}

void prove_expr(Checker *x, const Known *k, const Expr *e)
{
    if (e->kind == E_CONST)
        return;
    const Known *place = has_assume(x, e) ? k : k->binds, *old = memo_get(&x->done, e->id);
    if (old && holds_in(old, place))
        return;
    prove_types(x, e);
    if (e->kind == E_ACC)
        prove_acc(x, k, e);
    else if (e->kind == E_REDUCE)
        prove_reduce(x, k, e->reduce);
    else if (e->kind == E_LOAD)
        prove_access(x, k, e->buf, e->at, false);
    else
        for (int i = 0; i < expr_ats(e); i++)
            prove_idx(x, k, e->at[i]);
    for (int i = 0; i < e->n; i++)
        prove_expr(x, e->kind == E_SELECT && i == 1 ? known_cond(x, k, e->args[0]) : k, e->args[i]);
    memo_put(x->c, &x->done, e->id, place);
}
