/* Quantised numbers. An integer q stands for (q - zero point)·scale. Sums of products of differences are exact in
 * int32; they are scaled in float, rounded half to even, moved by the zero point and clipped to the type. Scales and zero
 * points hold for the whole tensor, for each place of an axis, or for each block along it. */
#include "meaning.h"

/* The element of a scalar, or of a vector with more than one element the one at `channel`. */
static const Idx *const *single_place(Ctx *c, Type t, const Idx *channel, const Idx **at)
{
    for (int k = 0; k < t.rank; k++)
        at[k] = idx_const(c, 0);
    if (t.rank > 0 && type_count(t) > 1 && channel)
        at[t.rank - 1] = channel;
    return at;
}

const Expr *single(Lower *l, int k, const Idx *channel)
{
    const Idx *at[MAX_RANK];
    return in_math(l, k, single_place(l->c, in_type(l, k), channel, at));
}

const Expr *shifted(Lower *l, int k, const Idx *const *at, int zero_point, const Idx *channel)
{
    const Expr *x = expr_cast(l->c, DT_I32, in_at(l, k, at));
    if (!arg(l->node, zero_point))
        return x;
    return expr_op2(l->c, OP_sub, x, expr_cast(l->c, DT_I32, single(l, zero_point, channel)));
}

/* v, rounded, plus the zero point (NULL: none), within the integer type. */
static const Expr *to_integer(Ctx *c, DType to, const Expr *v, const Expr *zero_point)
{
    const Expr *q = expr_op1(c, OP_rint, v), *lo = least(c, to), *hi = greatest(c, to);
    if (zero_point)
        q = expr_op2(c, OP_add, q, expr_cast(c, v->dt, zero_point));
    q = expr_op3(c, OP_clip, q, expr_cast(c, v->dt, lo), expr_cast(c, v->dt, hi));
    return expr_cast(c, to, dtype_bits(to) < 8 ? expr_cast(c, DT_I32, q) : q);
}

const Expr *requantised(Lower *l, const Expr *sum, const Expr *scale, int zero_point)
{
    const Expr *v = expr_op2(l->c, OP_mul, expr_cast(l->c, scale->dt, sum), scale);
    return to_integer(l->c, in_type(l, zero_point).dt, v, single(l, zero_point, NULL));
}
