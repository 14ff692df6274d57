/* Minimal filtering: polynomials are multiplied by their values at a few points, and so are sums of products that
 * slide along.
 *
 * The points are 0, pairs ±p, and infinity. How far the rounding of float goes depends on them: with 5/8 and 5/4 four
 * outputs come out about as near as by direct sums; with 1 and 2, as in most books, five times farther. Their powers
 * are exact in binary. */
#include "minimal.h"

static void multiply(double *p, double root)     /* p, ascending, by (x - root) */
{
    for (int i = POINTS_MOST; i-- > 0;) p[i] = (i ? p[i - 1] : 0) - root * p[i];
}

static void fill_point(Minimal *f, const double *points, int i)
{
    const double p = points[i];
    double by = 1;
    f->in[i][0] = 1;
    for (int k = 0; k < f->n - 1; k++)
        if (k != i) multiply(f->in[i], points[k]), by *= p - points[k];
    for (int k = 0; k < TAPS; k++) f->weight[i][k] = (k == 0 ? 1 : k == 1 ? p : p * p) / by;
    for (int k = 0; k < f->m; k++) f->out[k][i] = k == 0 ? 1 : f->out[k - 1][i] * p;
}

Minimal minimal_form(int m)
{
    static const double two[] = {0, 1, -1}, four[] = {0, 0.625, -0.625, 1.25, -1.25};
    Minimal f = {.m = m, .n = m + TAPS - 1};
    const double *points = m == 2 ? two : four;
    const int last = f.n - 1;
    for (int i = 0; i < last; i++) fill_point(&f, points, i);
    f.in[last][0] = 1;
    for (int k = 0; k < last; k++) multiply(f.in[last], points[k]);
    f.weight[last][TAPS - 1] = 1;
    f.out[m - 1][last] = 1;
    return f;
}

void minimal_weights(const Minimal *f, const double *g, double *u)
{
    double half[POINTS_MOST][TAPS] = {{0}};
    for (int i = 0; i < f->n; i++)
        for (int a = 0; a < TAPS; a++)
            for (int b = 0; b < TAPS; b++) half[i][b] += f->weight[i][a] * g[TAPS * a + b];
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++) {
            double sum = 0;
            for (int b = 0; b < TAPS; b++) sum += half[i][b] * f->weight[j][b];
            u[f->n * i + j] = sum;
        }
}

/* ---- straight lines ------------------------------------------------------------------------------------------ */

const Expr *straight_name(Straight *s, const Expr *e)
{
    const Buf *b = buf_new(s->c, BUF_LOCAL, internf(s->c, "v%d", s->names++), e->dt, 0, NULL);
    VEC_PUSH(s->c, s->stmts, stmt_local(s->c, b));
    VEC_PUSH(s->c, s->stmts, stmt_store(s->c, b, NULL, e));
    return expr_load(s->c, b, NULL);
}

typedef struct Used { Ctx *c; PtrMap bufs; } Used;

static void see_used(const Expr *e, void *arg)
{
    Used *u = arg;
    if (e->kind == E_LOAD && e->buf->kind == BUF_LOCAL) ptrmap_put(u->c, &u->bufs, e->buf, (void *)e->buf);
}

static void use(Used *u, const Stmt *st)
{
    if (st->kind == S_STORE) expr_walk(u->c, st->value, see_used, u);
    if (st->kind == S_IF) expr_walk(u->c, st->cond, see_used, u);
    for (int i = 0; i < st->n; i++) use(u, st->body[i]);
}

const Stmt *straight_end(Straight *s)
{
    Used u = {.c = s->c};
    const Stmt **kept = NEW_N(s->c, const Stmt *, s->stmts.n);
    int first = s->stmts.n;
    for (int i = s->stmts.n; i-- > 0;) {
        const Stmt *st = s->stmts.at[i];
        const bool own = st->kind == S_LOCAL || (st->kind == S_STORE && st->buf->kind == BUF_LOCAL);
        if (own && !ptrmap_get(&u.bufs, st->buf)) continue;
        use(&u, st);
        kept[--first] = st;
    }
    return stmt_seq(s->c, s->stmts.n - first, kept + first);
}

static const Expr *add(Straight *s, const Expr *sum, double by, const Expr *x)
{
    if (by == 1) return expr_op2(s->c, OP_add, sum, x);
    if (by == -1) return expr_op2(s->c, OP_sub, sum, x);
    return expr_op3(s->c, OP_mad, expr_float(s->c, DT_F32, by), x, sum);
}

static bool term(double by, const Expr *x)
{
    return by != 0 && x;
}

/* The sum of by[k]·x[k] for k = from, from + step, …; NULL: it is 0. */
static const Expr *combined(Straight *s, int n, const double *by, const Expr *const *x, int from, int step)
{
    int first = -1, terms = 0;
    for (int k = from; k < n; k += step) {
        if (!term(by[k], x[k])) continue;
        if (first < 0 || (by[k] == 1 && by[first] != 1)) first = k;
        terms++;
    }
    if (terms == 0) return NULL;
    if (terms == 1 && by[first] == 1) return x[first];
    const Expr *sum = by[first] == 1 ? x[first] : expr_op2(s->c, OP_mul, expr_float(s->c, DT_F32, by[first]), x[first]);
    for (int k = from; k < n; k += step)
        if (k != first && term(by[k], x[k])) sum = add(s, sum, by[k], x[k]);
    return straight_name(s, sum);
}

static const Expr *sum_of(Straight *s, const Expr *a, const Expr *b, bool minus)
{
    if (!b) return a;
    if (!a) return minus ? straight_name(s, expr_op1(s->c, OP_neg, b)) : b;
    return straight_name(s, expr_op2(s->c, minus ? OP_sub : OP_add, a, b));
}

static void line_in(Straight *s, const Minimal *f, const Expr *const *d, const Expr **v)
{
    v[0] = combined(s, f->n, f->in[0], d, 0, 1);
    for (int i = 1; i + 1 < f->n; i += 2) {
        const Expr *even = combined(s, f->n, f->in[i], d, 0, 2), *odd = combined(s, f->n, f->in[i], d, 1, 2);
        v[i] = sum_of(s, even, odd, false);
        v[i + 1] = sum_of(s, even, odd, true);
    }
    v[f->n - 1] = combined(s, f->n, f->in[f->n - 1], d, 0, 1);
}

static void line_out(Straight *s, const Minimal *f, const Expr *const *p, const Expr **y)
{
    const Expr *x[2][POINTS_MOST] = {{p[0]}, {p[0]}};        /* for even rows, for odd ones */
    const int last = f->n - 1;
    for (int i = 1; i < last; i += 2) {
        x[0][i] = sum_of(s, p[i], p[i + 1], false);
        x[1][i] = sum_of(s, p[i], p[i + 1], true);
    }
    x[0][last] = x[1][last] = p[last];
    for (int k = 0; k < f->m; k++) y[k] = combined(s, f->n, f->out[k], x[k & 1], 0, 1);
}

typedef void Line(Straight *s, const Minimal *f, const Expr *const *x, const Expr **y);

/* n × n to m × m: down each column, then along each row. */
static void both_ways(Straight *s, const Minimal *f, Line *line, int m, PlaceValue *x, void *arg, const Expr **y)
{
    const Expr *column[POINTS_MOST], *half[POINTS_MOST][POINTS_MOST], *done[POINTS_MOST];
    for (int j = 0; j < f->n; j++) {
        for (int i = 0; i < f->n; i++) column[i] = x(s, i, j, arg);
        line(s, f, column, done);
        for (int i = 0; i < m; i++) half[i][j] = done[i];
    }
    for (int i = 0; i < m; i++) line(s, f, half[i], y + m * i);
}

void straight_in(Straight *s, const Minimal *f, PlaceValue *d, void *arg, const Expr **v)
{
    both_ways(s, f, line_in, f->n, d, arg, v);
}

void straight_out(Straight *s, const Minimal *f, PlaceValue *p, void *arg, const Expr **y)
{
    both_ways(s, f, line_out, f->m, p, arg, y);
}
