/* Exact index algebra: how indices are made, once each.
 *
 * An index is a sum k + c1·atom1 + c2·atom2 + … kept in one normal form: terms in the order of idx_order.c, no zero
 * coefficient, no atom twice. Indices and atoms are hash-consed, so equal sums are one pointer. Each carries an
 * interval that holds wherever it is evaluated, and `wide`, which proves that evaluating it in 64 bits cannot
 * overflow in any order. Digits (division and remainder) have their rules in idx_digit.c; an ASSUME is kept over an
 * operand without constant, whose coefficients have no common factor and start with a positive one. */
#include "looptab.h"

enum { COST_MAX = 1 << 20 };

int64_t floor_div(int64_t x, int64_t y)
{
    int64_t q = x / y;
    return q - (x % y != 0 && (x < 0) != (y < 0));
}

int64_t floor_mod(int64_t x, int64_t y)
{
    return x - y * floor_div(x, y);
}

int64_t int_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

static NORETURN void overflow(Ctx *c)
{
    ice(c, "index arithmetic leaves 64 bits");
}

static int64_t add(Ctx *c, int64_t a, int64_t b)
{
    int64_t r;
    if (__builtin_add_overflow(a, b, &r))
        overflow(c);
    return r;
}

static int64_t mul(Ctx *c, int64_t a, int64_t b)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        overflow(c);
    return r;
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* Magnitude; that of INT64_MIN leaves 64 bits. */
static int64_t mag(Ctx *c, int64_t a)
{
    return a < 0 ? mul(c, a, -1) : a;
}

/* ---- hash-consing ---- */

static bool atom_same(const void *node, const void *key)
{
    const Atom *p = node, *q = key;
    if (p->kind != q->kind || p->var != q->var || p->x != q->x || p->a != q->a || p->b != q->b || p->expr != q->expr)
        return false;
    return p->lo == q->lo && p->hi == q->hi;
}

static uint64_t atom_hash(const Atom *a)
{
    uint64_t h = hash_mix(a->kind, (uint64_t)a->var);
    h = hash_mix(h, a->x != NULL ? (uint64_t)a->x->id : 0);
    h = hash_mix(h, a->expr != NULL ? (uint64_t)a->expr->id : 0);
    h = hash_mix(hash_mix(h, (uint64_t)a->a), (uint64_t)a->b);
    return hash_mix(hash_mix(h, (uint64_t)a->lo), (uint64_t)a->hi);
}

/* The set of variables within an index, while it is collected. */
typedef struct Uses { Ctx *c; VEC(int) v; } Uses;

static void uses_add(Uses *u, int var)
{
    int i = 0;
    while (i < u->v.n && u->v.at[i] < var)
        i++;
    if (i < u->v.n && u->v.at[i] == var)
        return;
    VEC_PUSH(u->c, u->v, var);
    memmove(u->v.at + i + 1, u->v.at + i, sizeof(int) * (size_t)(u->v.n - 1 - i));
    u->v.at[i] = var;
}

static void uses_idx(Uses *u, const Idx *x)
{
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind == ATOM_VAR)
            uses_add(u, a->var);
        else if (a->kind != ATOM_VALUE)
            uses_idx(u, a->x);
        for (int j = 0; j < a->nuses; j++)
            uses_add(u, a->uses[j]);
    }
}

static void uses_expr(const Expr *e, void *arg)
{
    int n = e->kind == E_LOAD ? e->buf->rank : e->kind == E_INDEX || e->kind == E_IN ? 1 : 0;
    for (int i = 0; i < n; i++)
        uses_idx(arg, e->at[i]);
}

uint64_t var_bit(int var)
{
    return UINT64_C(1) << (var & 63);
}

/* Fills in what a new atom knows of its variables. */
static void atom_vars(Ctx *c, Atom *a)
{
    if (a->kind == ATOM_VAR)
        a->vars = var_bit(a->var);
    else if (a->kind != ATOM_VALUE)
        a->vars = a->x->vars;
    else {
        Uses u = { .c = c };
        expr_walk(c, a->expr, uses_expr, &u);
        a->uses = u.v.at;
        a->nuses = u.v.n;
        for (int i = 0; i < u.v.n; i++)
            a->vars |= var_bit(u.v.at[i]);
    }
}

const Idx *idx_atom(Ctx *c, Atom a)
{
    struct LoopTab *tab = loop_tab(c);
    uint64_t h = atom_hash(&a);
    const Atom *old = hash_find(&tab->atoms, h, atom_same, &a);
    if (old == NULL) {
        Atom *made = mem_copy(c, &a, sizeof a);
        atom_vars(c, made);
        made->id = tab->atom_ids++;
        hash_add(c, &tab->atoms, h, made);
        old = made;
    }
    return idx_make(c, 0, 1, &(Term){ 1, old });
}

typedef struct IdxKey { int64_t k; int n; const Term *t; } IdxKey;

static bool idx_same(const void *node, const void *key)
{
    const Idx *x = node;
    const IdxKey *y = key;
    return x->k == y->k && x->n == y->n && (y->n == 0 || memcmp(x->t, y->t, sizeof *y->t * (size_t)y->n) == 0);
}

/* Interval, variables, depth and cost from those of the terms. No partial sum, in any order, is above the sum of the
 * magnitudes; that one is computed with a check, so that nothing else here needs any. */
static void idx_bound(Ctx *c, Idx *x)
{
    int64_t sum = mag(c, x->k), inner = 0;
    x->lo = x->hi = x->k;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        int64_t p = mul(c, x->t[i].c, a->lo), q = mul(c, x->t[i].c, a->hi);
        sum = add(c, sum, max64(mag(c, p), mag(c, q)));
        x->lo += min64(p, q);
        x->hi += max64(p, q);
        x->vars |= a->vars;
        x->values |= a->kind == ATOM_VALUE;
        if (a->x != NULL) {
            inner = max64(inner, a->x->wide);
            x->values |= a->x->values;
            x->depth = a->x->depth + 1 > x->depth ? a->x->depth + 1 : x->depth;
            x->cost += a->x->cost + (a->a > 1) + (a->b > 0);
            x->cost = x->cost < COST_MAX ? x->cost : COST_MAX;
        }
    }
    x->wide = max64(sum, inner);
    if (x->depth > IDX_DEPTH)
        ice(c, "an index is nested more than %d deep", (int)IDX_DEPTH);
}

const Idx *idx_make(Ctx *c, int64_t k, int n, const Term *t)
{
    struct LoopTab *tab = loop_tab(c);
    uint64_t h = hash_mix((uint64_t)n, (uint64_t)k);
    for (int i = 0; i < n; i++)
        h = hash_mix(hash_mix(h, (uint64_t)t[i].c), (uint64_t)t[i].atom->id);
    const Idx *old = hash_find(&tab->idx, h, idx_same, &(IdxKey){ k, n, t });
    if (old != NULL)
        return old;
    Idx *x = mem_alloc(c, sizeof *x + sizeof *t * (size_t)n);
    x->k = k;
    x->n = n;
    if (n > 0)
        memcpy(x->t, t, sizeof *t * (size_t)n);
    idx_bound(c, x);
    x->id = tab->idx_ids++;
    hash_add(c, &tab->idx, h, x);
    return x;
}

/* ---- sums ---- */

const int idx_positions[MAX_RANK] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

int var_new(Ctx *c)
{
    return loop_tab(c)->vars++;
}

int var_count(Ctx *c)
{
    return loop_tab(c)->vars;
}

const Idx *idx_const(Ctx *c, int64_t k)
{
    return idx_make(c, k, 0, NULL);
}

const Idx *idx_var(Ctx *c, int var, int64_t extent)
{
    if (extent <= 1)
        return idx_const(c, 0);
    return idx_atom(c, (Atom){ .kind = ATOM_VAR, .var = var, .lo = 0, .hi = extent - 1 });
}

/* Merges two sorted lists of terms. */
const Idx *idx_merge(Ctx *c, const Idx *x, int64_t s, const Idx *y)
{
    Mark m = scratch_mark(c);
    Term *t = SCRATCH_N(c, Term, x->n + y->n + 1);
    int n = 0, i = 0, j = 0;
    while (i < x->n || j < y->n) {
        if (j == y->n || (i < x->n && atom_order(x->t[i].atom, y->t[j].atom) < 0)) {
            t[n++] = x->t[i++];
            continue;
        }
        Term u = { mul(c, s, y->t[j].c), y->t[j].atom };
        if (i < x->n && x->t[i].atom == u.atom)
            u.c = add(c, u.c, x->t[i++].c);
        j++;
        if (u.c != 0)
            t[n++] = u;
    }
    const Idx *r = idx_make(c, add(c, x->k, mul(c, s, y->k)), n, t);
    scratch_release(c, m);
    return r;
}

const Idx *idx_axpy(Ctx *c, const Idx *x, int64_t s, const Idx *y)
{
    if (s == 1 && x->n == 0 && x->k == 0)
        return y;
    return idx_recombine(c, idx_merge(c, x, s, y));
}

const Idx *idx_add(Ctx *c, const Idx *x, const Idx *y)
{
    return idx_axpy(c, x, 1, y);
}

const Idx *idx_mul(Ctx *c, const Idx *x, int64_t s)
{
    return idx_merge(c, idx_const(c, 0), s, x);
}

int64_t idx_content(const Idx *x)
{
    int64_t g = 0;
    for (int i = 0; i < x->n; i++)
        g = int_gcd(x->t[i].c, g);
    return g;
}

/* ---- what is known from outside: guards and values ---- */

/* (x - x.k) / g for a g that divides every coefficient. */
static const Idx *idx_primitive(Ctx *c, const Idx *x, int64_t g)
{
    Mark m = scratch_mark(c);
    Term *t = SCRATCH_N(c, Term, x->n);
    for (int i = 0; i < x->n; i++)
        t[i] = (Term){ x->t[i].c / g, x->t[i].atom };
    const Idx *r = idx_make(c, 0, x->n, t);
    scratch_release(c, m);
    return r;
}

/* x = g·y + k with y primitive: lo <= x <= hi is the same as ceil((lo-k)/g) <= y <= floor((hi-k)/g), for g > 0. What
 * can never hold is never evaluated: any constant within lo..hi will do. */
const Idx *idx_assume(Ctx *c, const Idx *x, int64_t lo, int64_t hi)
{
    if (lo <= x->lo && x->hi <= hi)
        return x;
    int64_t from = max64(lo, x->lo), to = min64(hi, x->hi);
    if (from > to)
        return idx_const(c, lo);
    int64_t g = x->t[0].c < 0 ? -idx_content(x) : idx_content(x);
    const Idx *y = idx_primitive(c, x, g);
    int64_t p = (g > 0 ? from : to) - x->k, q = (g > 0 ? to : from) - x->k;
    int64_t ylo = -floor_div(-p, g), yhi = floor_div(q, g);
    if (ylo > yhi)
        return idx_const(c, lo);
    if (y->n == 1 && y->t[0].atom->kind == ATOM_ASSUME)
        y = y->t[0].atom->x;         /* the inner interval is in from..to already */
    if (ylo == yhi)
        y = idx_const(c, ylo);
    else
        y = idx_atom(c, (Atom){ .kind = ATOM_ASSUME, .x = y, .lo = ylo, .hi = yhi });
    return idx_axpy(c, idx_const(c, x->k), g, y);
}

/* Whether all of lo..hi are values of an integer type, or of bool. */
static bool dtype_holds(DType dt, int64_t lo, int64_t hi)
{
    if (dtype_class(dt) == CLASS_BOOL)
        return 0 <= lo && hi <= 1;
    if (!dtype_is_int(dt))
        return false;
    int bits = dtype_bits(dt) - (dtype_is_signed(dt) ? 1 : 0);
    int64_t top = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    return hi <= top && lo >= (dtype_is_signed(dt) ? -top - 1 : 0);
}

/* The index that an integer expression is, if it is one; else NULL. */
static const Idx *expr_idx(Ctx *c, const Expr *e)
{
    if (e->kind == E_INDEX)
        return e->at[0];
    if (e->kind == E_CONST && (dtype_is_int(e->dt) || dtype_class(e->dt) == CLASS_BOOL))
        return dtype_is_signed(e->dt) || e->value.u <= INT64_MAX ? idx_const(c, e->value.i) : NULL;
    if (e->kind != E_CAST)
        return NULL;
    const Idx *x = expr_idx(c, e->args[0]);
    return x != NULL && dtype_holds(e->dt, x->lo, x->hi) ? x : NULL;
}

const Idx *idx_value(Ctx *c, const Expr *e, int64_t lo, int64_t hi)
{
    const Idx *x = expr_idx(c, e);
    if (x != NULL)
        return idx_assume(c, x, lo, hi);
    if (lo >= hi)
        return idx_const(c, lo);
    return idx_atom(c, (Atom){ .kind = ATOM_VALUE, .expr = e, .lo = lo, .hi = hi });
}

/* ---- flat positions ---- */

static bool dims_empty(int rank, const int64_t *dims)
{
    for (int i = 0; i < rank; i++)
        if (dims[i] == 0)
            return true;
    return false;
}

const Idx *idx_flat(Ctx *c, int rank, const int64_t *dims, const Idx *const *at)
{
    const Idx *sum = idx_const(c, 0);
    int64_t stride = 1;
    if (dims_empty(rank, dims))
        return sum;
    for (int i = rank - 1; i >= 0; i--) {
        sum = idx_axpy(c, sum, stride, at[i]);
        stride = mul(c, stride, dims[i]);
    }
    return sum;
}

void idx_unflat(Ctx *c, const Idx *flat, int rank, const int64_t *dims, const Idx **at)
{
    bool empty = dims_empty(rank, dims);
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        at[i] = empty ? idx_const(c, 0) : idx_digit(c, flat, stride, i == 0 ? 0 : dims[i]);
        stride = empty ? 1 : mul(c, stride, dims[i]);
    }
}
