/* The worst-case number of scalar operations of a kernel: operators (a product-sum is two), casts, selections and
 * interval tests; loads, stores and index arithmetic are not counted.
 *
 * Within one body each distinct expression counts once, and one that does not depend on the variables of a reduction
 * counts outside of it, as in the emitted C (but for a reduction over the same variable as the one around it: that
 * counts within). Of the arms of a selection both are counted, of those of a condition the longer one. Saturates. */
#include "expr.h"

typedef struct Region {
    struct Region *outer;
    Ctx *c;
    uint64_t binds;                  /* bits of the variables and accumulators */
    Memo seen;
    int64_t ops;
} Region;

static int64_t add(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

static void count(Region *r, const Expr *e);

static void count_idx(Region *r, const Idx *x)
{
    for (int i = 0; x->values && i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind == ATOM_VALUE)
            count(r, a->expr);
        else if (a->x)
            count_idx(r, a->x);
    }
}

static void count_reduce(Region *outer, const Reduce *r)
{
    Region body = { .outer = outer, .c = outer->c, .seen = memo_new(outer->c, 8) };
    int64_t n = 1;
    for (int i = 0; i < r->nvars; i++) {
        body.binds |= UINT64_C(1) << (r->vars[i] & 63);
        n = times(n, r->extents[i]);
    }
    for (int i = 0; i < r->naccs; i++)
        body.binds |= UINT64_C(1) << (r->accs[i] & 63);
    for (int i = 0; i < r->naccs; i++)
        count(outer, r->init[i]);
    for (int i = 0; i < r->naccs; i++)
        count(&body, r->next[i]);
    outer->ops = add(add(outer->ops, times(n, body.ops)), r->lanes ? r->lanes - 1 : 0);
}

static void count(Region *r, const Expr *e)
{
    while (r->outer && !(e->vars & r->binds))
        r = r->outer;
    if (memo_get(&r->seen, e->id))
        return;
    memo_put(r->c, &r->seen, e->id, e);
    const ExprKind k = e->kind;
    r->ops = add(r->ops, k == E_OP || k == E_CAST || k == E_BITS || k == E_SELECT || k == E_IN);
    r->ops = add(r->ops, k == E_OP && e->op == OP_mad);
    for (int i = 0; i < e->n; i++)
        count(r, e->args[i]);
    for (int i = 0; i < expr_ats(e); i++)
        count_idx(r, e->at[i]);
    if (e->reduce && !memo_get(&r->seen, -2 - e->reduce->id)) {
        memo_put(r->c, &r->seen, -2 - e->reduce->id, e->reduce);
        count_reduce(r, e->reduce);
    }
}

static int64_t count_stmt(Ctx *c, const Stmt *s)
{
    int64_t n = 0, other;
    Region r = { .c = c, .seen = memo_new(c, s->value ? s->value->size : 4) };
    switch (s->kind) {
    case S_SEQ:
        for (int i = 0; i < s->n; i++)
            n = add(n, count_stmt(c, s->body[i]));
        return n;
    case S_FOR:
        return times(s->extent, count_stmt(c, s->body[0]));
    case S_IF:
        count(&r, s->cond);
        n = count_stmt(c, s->body[0]);
        other = s->n > 1 ? count_stmt(c, s->body[1]) : 0;
        return add(r.ops, n > other ? n : other);
    default:
        if (s->value)
            count(&r, s->value);
        for (int i = 0; s->at && i < s->buf->rank; i++)
            count_idx(&r, s->at[i]);
        for (int i = 0; s->src_at && i < s->src->rank; i++)
            count_idx(&r, s->src_at[i]);
        return r.ops;
    }
}

/* One region a loop of the iteration space, so that what depends on outer variables only counts there. */
static int64_t count_compute(Ctx *c, const Kernel *k)
{
    Region *r = SCRATCH_N(c, Region, k->rank + 1);
    for (int i = 0; i <= k->rank; i++)
        r[i] = (Region){ i ? &r[i - 1] : NULL, c, i ? UINT64_C(1) << (i - 1) : 0, memo_new(c, 8), 0 };
    count(&r[k->rank], k->value);
    for (int i = 0; i < k->out->rank; i++)
        count_idx(&r[k->rank], k->at[i]);
    for (int i = k->rank; i > 0; i--)
        r[i - 1].ops = k->dims[i - 1] ? add(r[i - 1].ops, times(k->dims[i - 1], r[i].ops)) : 0;
    return r[0].ops;
}

int64_t kernel_ops(Ctx *c, const Kernel *k)
{
    Mark m = scratch_mark(c);
    int64_t n = k->nest ? count_stmt(c, k->nest) : count_compute(c, k);
    scratch_release(c, m);
    return n;
}
