/* Whole numbers kept as floats, as quantising and its opposite leave them: what rounds or casts such a one need not.
 *
 * For a whole number n of at most 2^20 and a scale s far from the ends of the type, n·s/s lies within n·2^-22 of n: the
 * nearest whole number is n. A sum of whole numbers below 2^24 is exact, so integers give the same. */
#include "expr.h"
#include <math.h>

enum { SCALED_MOST = 1 << 20, EXACT_MOST = 1 << 24, SCALE_EXPONENT = 60 };

static bool is_op(const Expr *e, ScalarOp op)
{
    return e->kind == E_OP && e->op == op;
}

static bool real_const(const Expr *e, double *v)
{
    if (e->kind != E_CONST || (e->dt != DT_F32 && e->dt != DT_F64)) return false;
    *v = scalar_cast(DT_F64, e->dt, e->value).d;
    return true;
}

static bool small(const Expr *n, int64_t most)
{
    return dtype_is_int(n->dt) && n->lo >= -most && n->hi <= most;
}

static bool fair_scale(const Expr *s)
{
    double v;
    if (!real_const(s, &v)) return false;
    return fabs(v) >= ldexp(1, -SCALE_EXPONENT) && fabs(v) <= ldexp(1, SCALE_EXPONENT);
}

const Expr *expr_rounded(const Expr *x)
{
    if (x->kind == E_CAST && dtype_is_int(x->args[0]->dt)) return x;
    if (!is_op(x, OP_div) || !fair_scale(x->args[1]) || !is_op(x->args[0], OP_mul)) return NULL;
    const Expr *const *product = x->args[0]->args;
    const Expr *n = product[product[0] == x->args[1]];
    const bool same = product[0] == x->args[1] || product[1] == x->args[1];
    return same && n->kind == E_CAST && small(n->args[0], SCALED_MOST) ? n : NULL;
}

/* The integer, of type int32, that the float x is; NULL: not known to be one. */
static const Expr *whole(Ctx *c, const Expr *x)
{
    double v;
    if (x->kind == E_CAST && small(x->args[0], EXACT_MOST)) return expr_cast(c, DT_I32, x->args[0]);
    if (real_const(x, &v) && v == rint(v) && fabs(v) <= EXACT_MOST) return expr_int(c, DT_I32, (int64_t)v);
    return NULL;
}

const Expr *expr_cast_whole(Ctx *c, DType to, const Expr *x)
{
    double v;
    if (dtype_bits(to) < 8 || !dtype_is_int(to) || (x->dt != DT_F32 && x->dt != DT_F64)) return NULL;
    if (is_op(x, OP_add) && real_const(x->args[1], &v) && v == 0) return expr_cast(c, to, x->args[0]);
    const bool sum = is_op(x, OP_add) || is_op(x, OP_sub);
    const Expr *a = whole(c, sum ? x->args[0] : x), *b = sum ? whole(c, x->args[1]) : NULL;
    if (!a || (sum && !b)) return NULL;
    const Expr *n = sum ? expr_op2(c, x->op, a, b) : a;
    int64_t lo, hi;
    dtype_range(to, &lo, &hi);
    return small(n, EXACT_MOST) && n->lo >= lo && n->hi <= hi ? expr_cast(c, to, n) : NULL;
}
