/* Random numbers: of the Mersenne Twister MT19937, as NumPy's RandomState(seed) and so the standard's reference
 * implementation draw them: 53 bits of two words to a uniform number, a pair of normal ones by the polar method. The
 * same on every machine and, as nothing is kept between calls, at every call. */
#include "kit.h"

enum { WORDS = 624 };

/* A sequence of statements that is being made; scalars are locals of it. */
typedef struct Draws {
    Ctx *c;
    Buf *state;
    VEC(const Stmt *) all;
} Draws;

static Buf *scalar(Draws *s, const char *name, const Expr *v)
{
    Buf *b = buf_new(s->c, BUF_LOCAL, name, v->dt, 0, NULL);
    VEC_PUSH(s->c, s->all, stmt_local(s->c, b));
    VEC_PUSH(s->c, s->all, stmt_store(s->c, b, NULL, v));
    return b;
}

static const Expr *now(Draws *s, const Buf *b)
{
    return expr_load_version(s->c, b, NULL, 1);
}

static const Expr *bits(Ctx *c, ScalarOp op, const Expr *x, uint32_t v)
{
    return expr_op2(c, op, x, expr_int(c, DT_U32, v));
}

/* x ^ (x << n & mask); n < 0: a shift to the right */
static const Expr *mixed(Ctx *c, const Expr *x, int n, uint32_t mask)
{
    const Expr *y = bits(c, n < 0 ? OP_shr : OP_shl, x, (uint32_t)(n < 0 ? -n : n));
    return expr_op2(c, OP_bitxor, x, bits(c, OP_bitand, y, mask));
}

static const Expr *state_at(Draws *s, const Idx *n, int further)
{
    const Idx *at = idx_digit(s->c, idx_add(s->c, n, idx_const(s->c, further)), 1, WORDS);
    return expr_load_version(s->c, s->state, &at, 1);
}

/* Number k of those drawn, from two words of the state, which are renewed. */
static Buf *draw(Draws *s, const Idx *k, DType dt)
{
    static const struct {
        int n;
        uint32_t mask;
    } temper[] = {{-11, UINT32_MAX}, {7, 0x9D2C5680}, {15, 0xEFC60000}, {-18, UINT32_MAX}};
    Ctx *c = s->c;
    const Expr *half[2];
    for (int i = 0; i < 2; i++) {
        const Idx *n = idx_axpy(c, idx_const(c, i), 2, k), *at = idx_digit(c, n, 1, WORDS);
        const Expr *y = bits(c, OP_bitand, state_at(s, n, 1), 0x7FFFFFFF);
        Buf *w = scalar(s, "w", expr_op2(c, OP_bitor, bits(c, OP_bitand, state_at(s, n, 0), 0x80000000), y));
        const Expr *odd = bits(c, OP_mul, bits(c, OP_bitand, now(s, w), 1), 0x9908B0DF);
        y = expr_op2(c, OP_bitxor, bits(c, OP_shr, now(s, w), 1), odd);
        VEC_PUSH(c, s->all, stmt_store(c, w, NULL, expr_op2(c, OP_bitxor, state_at(s, n, 397), y)));
        VEC_PUSH(c, s->all, stmt_store(c, s->state, &at, now(s, w)));
        for (int j = 0; j < COUNT(temper); j++)
            VEC_PUSH(c, s->all, stmt_store(c, w, NULL, mixed(c, now(s, w), temper[j].n, temper[j].mask)));
        half[i] = expr_cast(c, DT_U64, bits(c, OP_shr, now(s, w), i ? 6 : 5));
    }
    half[0] = expr_op2(c, OP_bitor, expr_op2(c, OP_shl, half[0], expr_int(c, DT_U64, 26)), half[1]);
    return scalar(s, "u", expr_op2(c, OP_mul, expr_cast(c, dt, half[0]), expr_float(c, dt, 0x1p-53)));
}

/* Standard normal ones: points of the square are drawn until one lies within the circle. As many tries as numbers, and
 * 65, fail to suffice for none of 10^12 seeds (then 0 is left). */
static const Stmt *normal_ones(Draws *s, Buf *out, DType dt)
{
    Ctx *c = s->c;
    const int64_t n = buf_count(out), tries = n + 65;
    Sweep t;
    Draws try = {.c = c, .state = s->state}, put = {.c = c};
    const Idx *at[MAX_RANK];
    const Expr *x[2], *one = expr_float(c, dt, 1), *have = now(s, scalar(s, "filled", i64(c, 0)));
    const Buf *filled = have->buf;
    const Expr *wanted = expr_op2(c, OP_lt, have, i64(c, n)), *more = expr_op2(c, OP_add, have, i64(c, 1));
    sweep_open(c, &t, 1, &tries);
    for (int i = 0; i < 2; i++) {
        x[i] = now(&try, draw(&try, idx_axpy(c, idx_const(c, i), 2, t.i[0]), dt));
        x[i] = expr_op2(c, OP_sub, expr_op2(c, OP_mul, expr_float(c, dt, 2), x[i]), one);
        x[i] = now(&try, scalar(&try, "x", x[i]));
    }
    const Expr *r = expr_op2(c, OP_add, expr_op2(c, OP_mul, x[0], x[0]), expr_op2(c, OP_mul, x[1], x[1]));
    r = now(&try, scalar(&try, "r", r));
    const Expr *f = expr_op2(c, OP_div, expr_op2(c, OP_mul, expr_float(c, dt, -2), expr_op1(c, OP_log, r)), r);
    f = now(&put, scalar(&put, "f", expr_op1(c, OP_sqrt, f)));
    idx_unflat(c, clamped(c, have, n), out->rank, out->dims, at);
    for (int i = 0; i < 2; i++) {
        const Stmt *one_more[2] = {stmt_store(c, out, at, expr_cast(c, out->dt, expr_op2(c, OP_mul, f, x[!i]))),
                                   stmt_store(c, filled, NULL, more)};
        VEC_PUSH(c, put.all, stmt_if(c, wanted, stmt_seq(c, 2, one_more), NULL));
    }
    const Expr *inside = expr_op2(c, OP_and, expr_op2(c, OP_lt, r, one), expr_op2(c, OP_gt, r, zero(c, dt)));
    VEC_PUSH(c, try.all, stmt_if(c, inside, stmt_seq(c, put.all.n, put.all.at), NULL));
    return sweep_around(c, &t, stmt_if(c, wanted, stmt_seq(c, try.all.n, try.all.at), NULL));
}

const Stmt *random_fill(Ctx *c, Buf *out, uint32_t seed, bool normal)
{
    const int64_t words = WORDS, later = WORDS - 1, n = buf_count(out);
    const Idx *first = idx_const(c, 0), *next, *at[MAX_RANK];
    Sweep w, e;
    Draws s = {.c = c, .state = buf_new(c, BUF_LOCAL, "state", DT_U32, 1, &words)}, one = s;
    sweep_open(c, &w, 1, &later);
    sweep_open(c, &e, 1, &n);
    next = idx_add(c, w.i[0], idx_const(c, 1));
    const Expr *x = bits(c, OP_mul, mixed(c, expr_load_version(c, s.state, w.i, 1), -30, 3), 1812433253);
    x = expr_op2(c, OP_add, x, expr_cast(c, DT_U32, expr_index(c, next)));
    VEC_PUSH(c, s.all, stmt_local(c, s.state));
    VEC_PUSH(c, s.all, stmt_store(c, s.state, &first, expr_int(c, DT_U32, seed)));
    VEC_PUSH(c, s.all, sweep_around(c, &w, stmt_store(c, s.state, &next, x)));
    idx_unflat(c, e.i[0], out->rank, out->dims, at);
    if (normal) {
        const Stmt *all = normal_ones(&s, out, math_type(out->dt));
        VEC_PUSH(c, s.all, all);
    } else {
        x = now(&one, draw(&one, e.i[0], math_type(out->dt)));
        VEC_PUSH(c, one.all, stmt_store(c, out, at, expr_cast(c, out->dt, x)));
        VEC_PUSH(c, s.all, sweep_around(c, &e, stmt_seq(c, one.all.n, one.all.at)));
    }
    return stmt_seq(c, s.all.n, s.all.at);
}
