/* What remains of a tensor is decided by data: NonZero, Compress, Unique. ir/kit/sized.c tells how it is written. */
#include "meaning.h"

/* ---- NonZero: int64[rank, n], the places in row-major order ---- */

bool nonzero_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    return make_type(b, n, out, 0, DT_I64, 2, (int64_t[]){t.rank, type_count(t)});
}

static const Expr *is_nonzero(Lower *l, const Idx *const *at)
{
    const Expr *p = NULL;
    const Idx *part = l->part;
    for (int k = 0; k < (l->complex ? 2 : 1); k++) {
        l->part = l->complex ? idx_const(l->c, k) : NULL;
        const Expr *x = in_at(l, 0, at);
        x = x->dt == DT_STRING ? expr_op2(l->c, OP_ne, x, zero(l->c, DT_STRING)) : expr_cast(l->c, DT_BOOL, x);
        p = formula(l->c, "a | b", p, x);
    }
    l->part = part;
    return p;
}

static const Stmt *put_place(Lower *l, const Idx *const *at, const Expr *to, const Expr *n)
{
    const Stmt *body[MAX_RANK];
    for (int d = 0; d < in_type(l, 0).rank; d++)
        body[d] = store_flat(l->c, l->out[0], formula(l->c, "a * b + c", i64(l->c, d), n, to), expr_index(l->c, at[d]));
    return stmt_seq(l->c, in_type(l, 0).rank, body);
}

void nonzero(Lower *l)
{
    filter(l, 1, in_type(l, 0).rank, in_type(l, 0).dims, is_nonzero, put_place);
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
static const Stmt *copy_item(Lower *l, const Idx *const *from, const Expr *to, const Expr *n)
{
    Ctx *c = l->c;
    Sweep w;
    Items s;
    items_of(l->b, l->node, &s);
    const int64_t box[2] = {s.outer, s.inner * (l->complex ? 2 : 1)};
    sweep_open(c, &w, 2, box);
    const Expr *outer = expr_index(c, w.i[0]), *i = expr_index(c, w.i[1]), *inner = i64(c, box[1]);
    const char *place = "(a * b + c) * d + e";
    const Expr *x = load_flat(c, l->in[0], formula(c, place, outer, i64(c, s.n), expr_index(c, *from), inner, i));
    return sweep_around(c, &w, store_flat(c, l->out[0], formula(c, place, outer, n, to, inner, i), x));
}

/* The type of the result when as many as `most` items remain. */
static bool items_type(Build *b, const Node *n, const Items *s, int64_t most, Type *out)
{
    return s->axis < 0 ? make_type(b, n, out, 0, arg_type(n, 0).dt, 1, &most) : type_but(b, n, out, 0, s->axis, most);
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

static const Expr *condition(Lower *l, const Idx *const *at)
{
    return in_at(l, 1, at);
}

void compress(Lower *l)
{
    Items s;
    items_of(l->b, l->node, &s);
    int64_t most = in_type(l, 1).dims[0] < s.n ? in_type(l, 1).dims[0] : s.n;
    filter(l, s.axis < 0 ? 0 : s.axis, 1, &most, condition, copy_item);
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
    const Expr *less = beats(c, false, p->x, p->y), *more = beats(c, false, p->y, p->x);
    return formula(c, "a == 0 ? (b ? -1 : c ? 1 : a) : a", acc, less, more);
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
    const Stmt *put = k == 0 ? copy_item(l, w.i, to, n) : store_flat(c, l->out[k], to, k == 1 ? i : same);
    is_first = formula(c, "a == b & c < d", is_first, i, to, n);
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
    const Expr *j = expr_index(c, w.i[0]), *all = i64(c, s.n);
    const Expr *equal = formula(c, "a == 0 ? b : c", order(l, &s, i[0], w.i[0]), j, all);
    lower_store(l, first, sweep_reduce(c, &w, all, (Fold){OP_min, equal, NULL}));
    sweep_open(c, &w, 1, &s.n);
    j = expr_index(c, w.i[0]);
    const Expr *counts = expr_op2(c, OP_eq, expr_load(c, first, w.i), j), *n = count_of(c, &w, counts);
    const Expr *before = node_int(l->node, "sorted", 1) ? formula(c, "a < 0", order(l, &s, w.i[0], i[0]))
                                                        : formula(c, "a < b", j, expr_load(c, first, i));
    lower_store(l, inverse, count_of(c, &w, expr_op2(c, OP_and, counts, before)));
    for (int k = 0; k < 4; k++)
        if (l->out[k] && k != 2)
            each_first(l, &s, first, inverse, k, true_dims(l, k, k == 0 && s.axis > 0 ? s.axis : 0, n));
}
