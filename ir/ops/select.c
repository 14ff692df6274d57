/* What remains of a tensor is decided by data: NonZero, Compress, Unique. How many remain is counted first, into the
 * hidden result that holds the true dimensions; what remains is then written in front of the result, as closely as
 * those dimensions say, and no further than its type says. Places are flat, so that one form serves every rank. */
#include "meaning.h"

/* The element at flat place p of a buffer; p is clamped. */
static void flat_at(Ctx *c, const Buf *b, const Expr *p, const Idx **at)
{
    idx_unflat(c, clamped(c, p, buf_count(b)), b->rank, b->dims, at);
}

static const Expr *load_flat(Ctx *c, const Buf *b, const Expr *p)
{
    const Idx *at[MAX_RANK + 1];
    flat_at(c, b, p, at);
    return expr_load(c, b, at);
}

const Stmt *store_flat(Ctx *c, Buf *b, const Expr *p, const Expr *v)
{
    const Idx *at[MAX_RANK + 1];
    flat_at(c, b, p, at);
    return stmt_store(c, b, at, v);
}

/* a·b + d */
static const Expr *mad(Ctx *c, const Expr *a, const Expr *b, const Expr *d)
{
    return expr_op2(c, OP_add, expr_op2(c, OP_mul, a, b), d);
}

/* How many places of the sweep satisfy p. */
const Expr *count_of(Ctx *c, const Sweep *s, const Expr *p)
{
    return sweep_reduce(c, s, i64(c, 0), (Fold){OP_add, expr_cast(c, DT_I64, p), NULL});
}

/* Writes the true dimensions of result k, all of its type but for dim, which is n at most. Result: that one, read.
 * What is not valid is 0, unless that is an output of the graph, where it is not written. */
const Expr *true_dims(Lower *l, int k, int dim, const Expr *n)
{
    Ctx *c = l->c;
    Type t = out_type(l, k);
    Buf *dims = NULL;
    for (int h = l->node->sig->nshown; h < l->node->nout; h++)
        if (l->node->sig->out[h].dims_of == k)
            dims = l->out[h];
    for (int i = 0; i < t.rank; i++) {
        const Idx *at = idx_const(c, i);
        const Expr *v = i64(c, t.dims[i]);
        lower_store_at(l, dims, 0, NULL, &at, i == dim ? expr_op2(c, OP_min, n, v) : v);
    }
    if (l->out[k]->kind != BUF_OUT) /* others read it whole */
        lower_store(l, l->out[k], zero(c, l->out[k]->dt));
    const Idx *at = idx_const(c, dim);
    return expr_cast(c, DT_I64, expr_load(c, dims, &at));
}

/* A counter from 0 around a loop whose body it is given to; the body runs where p holds and the counter is below n. */
const Stmt *count_through(Ctx *c, const Sweep *s, Buf *counter, const Expr *p, const Expr *n, const Stmt *body)
{
    const Expr *k = expr_load_version(c, counter, NULL, 1);
    const Stmt *step = stmt_store(c, counter, NULL, expr_op2(c, OP_add, k, i64(c, 1)));
    body = stmt_if(c, expr_op2(c, OP_lt, k, n), stmt_seq(c, 2, (const Stmt *[]){body, step}), NULL);
    body = stmt_if(c, p, body, NULL);
    return stmt_seq(c, 3, (const Stmt *[]){stmt_local(c, counter), stmt_store(c, counter, NULL, i64(c, 0)),
                                           sweep_around(c, s, body)});
}

/* ---- NonZero: int64[rank, n], the places in row-major order ---- */

bool nonzero_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    return make_type(b, n, out, 0, DT_I64, 2, (int64_t[]){t.rank, type_count(t)});
}

static const Expr *is_nonzero(Lower *l, const Idx *const *at)
{
    Ctx *c = l->c;
    const Expr *p = NULL;
    const Idx *part = l->part;
    for (int k = 0; k < (l->complex ? 2 : 1); k++) {
        l->part = l->complex ? idx_const(c, k) : NULL;
        const Expr *x = in_at(l, 0, at);
        x = x->dt == DT_STRING ? expr_op2(c, OP_ne, x, expr_const(c, DT_STRING, (Value){.s = ""}))
                               : expr_cast(c, DT_BOOL, x);
        p = p ? expr_op2(c, OP_or, p, x) : x;
    }
    l->part = part;
    return p;
}

void nonzero(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0), r = out_type(l, 0);
    Sweep s;
    const Stmt *body[MAX_RANK];
    sweep_open(c, &s, t.rank, t.dims);
    const Expr *n = true_dims(l, 0, 1, count_of(c, &s, is_nonzero(l, s.i)));
    if (type_count(r) == 0) {
        lower_store(l, l->out[0], i64(c, 0));
        return;
    }
    sweep_open(c, &s, t.rank, t.dims);
    Buf *counter = buf_new(c, BUF_LOCAL, "k", DT_I64, 0, NULL);
    for (int d = 0; d < t.rank; d++) {
        const Expr *at = mad(c, i64(c, d), n, expr_load_version(c, counter, NULL, 1));
        body[d] = store_flat(c, l->out[0], at, expr_index(c, s.i[d]));
    }
    lower_nest(l, l->out[0], count_through(c, &s, counter, is_nonzero(l, s.i), n, stmt_seq(c, t.rank, body)));
}

/* ---- a tensor as [outer, items, inner], the items along an axis or, without one, single elements ---- */

typedef struct Items {
    int axis; /* -1: none */
    int64_t outer, n, inner;
} Items;

static bool items_of(Build *b, const Node *n, Items *s)
{
    Type t = arg_type(n, 0);
    *s = (Items){-1, 1, type_count(t), 1};
    if (!node_attr(n, "axis"))
        return true;
    if (!node_axis(b, n, node_int(n, "axis", 0), t.rank, false, &s->axis))
        return false;
    s->n = t.dims[s->axis];
    for (int i = 0; i < t.rank; i++)
        *(i < s->axis ? &s->outer : &s->inner) *= i == s->axis ? 1 : t.dims[i];
    return true;
}

/* Copies item `from` of the input to place `to` of n in the result. Complex numbers are two elements. */
static const Stmt *copy_item(Lower *l, const Items *s, const Expr *from, const Expr *to, const Expr *n)
{
    Ctx *c = l->c;
    Sweep w;
    const int64_t box[2] = {s->outer, s->inner * (l->complex ? 2 : 1)};
    sweep_open(c, &w, 2, box);
    const Expr *o = expr_index(c, w.i[0]), *i = expr_index(c, w.i[1]), *inner = i64(c, box[1]);
    from = load_flat(c, l->in[0], mad(c, mad(c, o, i64(c, s->n), from), inner, i));
    return sweep_around(c, &w, store_flat(c, l->out[0], mad(c, mad(c, o, n, to), inner, i), from));
}

/* The type of the result when as many as `most` items remain. */
static bool items_type(Build *b, const Node *n, const Items *s, int64_t most, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t dims[MAX_RANK];
    if (s->axis < 0)
        return make_type(b, n, out, 0, t.dt, 1, &most);
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    dims[s->axis] = most;
    return make_type(b, n, out, 0, t.dt, t.rank, dims);
}

/* ---- Compress: the items for which condition holds ---- */

bool compress_infer(Build *b, const Node *n, Type *out)
{
    Items s;
    Type p = arg_type(n, 1);
    if (!items_of(b, n, &s))
        return false;
    if (p.rank != 1)
        return node_error(b, n, "condition is %s: it must be a vector of bools", type_text(b->c, p));
    return items_type(b, n, &s, p.dims[0] < s.n ? p.dims[0] : s.n, out);
}

void compress(Lower *l)
{
    Ctx *c = l->c;
    Items s;
    Sweep w;
    items_of(l->b, l->node, &s);
    int64_t most = in_type(l, 1).dims[0] < s.n ? in_type(l, 1).dims[0] : s.n;
    sweep_open(c, &w, 1, &most);
    const Expr *n = true_dims(l, 0, s.axis < 0 ? 0 : s.axis, count_of(c, &w, in_at(l, 1, w.i)));
    if (buf_count(l->out[0]) == 0 || type_count(in_type(l, 0)) == 0) {
        lower_store(l, l->out[0], zero(c, l->out[0]->dt));
        return;
    }
    sweep_open(c, &w, 1, &most);
    Buf *counter = buf_new(c, BUF_LOCAL, "k", DT_I64, 0, NULL);
    const Stmt *copy = copy_item(l, &s, expr_index(c, w.i[0]), expr_load_version(c, counter, NULL, 1), n);
    lower_nest(l, l->out[0], count_through(c, &w, counter, in_at(l, 1, w.i), n, copy));
}

/* ---- Unique: each item is compared with every other one, which takes no memory but for a number per item: the first
 * one that is equal to it (`first`), and its place among those that are first (`inverse`) ---- */

bool unique_infer(Build *b, const Node *n, Type *out)
{
    Items s;
    if (!items_of(b, n, &s))
        return false;
    for (int k = 1; k < n->nout && k < n->sig->nshown; k++)
        out[k] = type_make(b->c, DT_I64, 1, &s.n);
    return items_type(b, n, &s, s.n, out);
}

typedef struct Compared {
    const Expr *x, *y;
} Compared;

/* Less (-1) or greater (1) by the first difference. */
static const Expr *next_order(Ctx *c, const Expr *acc, void *arg)
{
    const Compared *p = arg;
    const Expr *more = expr_select(c, beats(c, false, p->y, p->x), i64(c, 1), i64(c, 0));
    more = expr_select(c, beats(c, false, p->x, p->y), i64(c, -1), more);
    return expr_select(c, expr_op2(c, OP_eq, acc, i64(c, 0)), more, acc);
}

/* Item i against item j: 0 when they are equal. */
static const Expr *order(Lower *l, const Items *s, const Idx *i, const Idx *j)
{
    Ctx *c = l->c;
    Sweep w;
    Compared p;
    const Expr **side[2] = {&p.x, &p.y};
    sweep_open(c, &w, 2, (int64_t[]){s->outer, s->inner});
    for (int k = 0; k < 2; k++) {
        const Idx *at[MAX_RANK], *flat = idx_axpy(c, k ? j : i, s->n, w.i[0]);
        idx_unflat(c, idx_axpy(c, w.i[1], s->inner, flat), in_type(l, 0).rank, in_type(l, 0).dims, at);
        const Expr *x = in_math(l, 0, at);
        *side[k] = x->dt == DT_BOOL ? expr_cast(c, DT_U8, x) : x;
    }
    return expr_reduce1(c, w.n, w.vars, w.extents, i64(c, 0), next_order, &p);
}

/* For each item that is the first of its kind: v at its place among those, in result k; or the item itself (0). */
static void each_first(Lower *l, const Items *s, const Buf *first, const Buf *inverse, int k, const Expr *n)
{
    Ctx *c = l->c;
    Sweep w, all;
    if (!l->out[k] || buf_count(l->out[k]) == 0)
        return;
    sweep_open(c, &w, 1, &s->n);
    sweep_open(c, &all, 1, &s->n);
    const Expr *i = expr_index(c, w.i[0]), *to = expr_load(c, inverse, w.i), *is_first = expr_load(c, first, w.i);
    const Expr *same = count_of(c, &all, expr_op2(c, OP_eq, expr_load(c, inverse, all.i), to));
    const Stmt *put = k == 0 ? copy_item(l, s, i, to, n) : store_flat(c, l->out[k], to, k == 1 ? i : same);
    is_first = expr_op2(c, OP_and, expr_op2(c, OP_eq, is_first, i), expr_op2(c, OP_lt, to, n));
    lower_nest(l, l->out[k], sweep_around(c, &w, stmt_if(c, is_first, put, NULL)));
}

void unique(Lower *l)
{
    Ctx *c = l->c;
    Items s;
    Sweep w;
    items_of(l->b, l->node, &s);
    Buf *first = lower_temp(l, "first", DT_I64, 1, &s.n);
    Buf *inverse = l->out[2] ? l->out[2] : lower_temp(l, "inverse", DT_I64, 1, &s.n);
    const Idx *const *i = lower_vars(l, 1, &s.n);
    sweep_open(c, &w, 1, &s.n);
    const Expr *j = expr_index(c, w.i[0]), *equal = expr_op2(c, OP_eq, order(l, &s, i[0], w.i[0]), i64(c, 0));
    equal = expr_select(c, equal, j, i64(c, s.n));
    lower_store(l, first, sweep_reduce(c, &w, i64(c, s.n), (Fold){OP_min, equal, NULL}));
    sweep_open(c, &w, 1, &s.n);
    j = expr_index(c, w.i[0]);
    const Expr *counts = expr_op2(c, OP_eq, expr_load(c, first, w.i), j), *n = count_of(c, &w, counts);
    const Expr *before = node_int(l->node, "sorted", 1)
                             ? expr_op2(c, OP_lt, order(l, &s, w.i[0], i[0]), i64(c, 0))
                             : expr_op2(c, OP_lt, j, expr_load(c, first, i));
    lower_store(l, inverse, count_of(c, &w, expr_op2(c, OP_and, counts, before)));
    for (int k = 0; k < 4; k++)
        if (l->out[k] && k != 2)
            each_first(l, &s, first, inverse, k, true_dims(l, k, k == 0 && s.axis > 0 ? s.axis : 0, n));
}
