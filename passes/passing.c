/* What is a small integer only in passing stays a float.
 *
 * A float that is quantised and dequantised at once is a whole number all the way. The integers between are of a width
 * to which gcc would fit the vectors of the whole loop. Part of widen. */
#include "widen.h"
#include <math.h>

static bool whole(const Expr *x)
{
    if (x->kind == E_CONST) return (double)x->value.f == rint((double)x->value.f);
    if (x->kind != E_OP) return false;
    if (x->op == OP_rint) return true;
    return (x->op == OP_add || x->op == OP_sub) && whole(x->args[0]) && whole(x->args[1]);
}

/* float(int32(small(x)) - zero): x within the small type's range less zero; + 0 since integers know no -0. */
const Expr *float_all_the_way(Ctx *c, const Expr *e)
{
    if (e->kind != E_CAST || e->dt != DT_F32 || !dtype_is_int(e->args[0]->dt)) return NULL;
    const Expr *x = e->args[0], *zero = NULL;
    int64_t lo, hi;
    if (x->kind == E_OP && x->op == OP_sub && x->dt == DT_I32 && x->args[1]->kind == E_CONST)
        zero = expr_cast(c, DT_F32, x->args[1]), x = x->args[0];
    if (x->kind == E_CAST && x->dt == DT_I32) x = x->args[0];
    if (x->kind != E_CAST || !dtype_is_int(x->dt) || dtype_bits(x->dt) > 16 || dtype_bits(x->dt) < 8) return NULL;
    if (x->args[0]->dt != DT_F32 || !whole(x->args[0])) return NULL;
    if (zero && fabsf(zero->value.f) > 65536) return NULL;
    dtype_range(x->dt, &lo, &hi);
    const Expr *least = expr_float(c, DT_F32, (double)lo), *most = expr_float(c, DT_F32, (double)hi);
    x = expr_op3(c, OP_saturated, x->args[0], least, most);
    return zero ? expr_op2(c, OP_sub, x, zero) : expr_op2(c, OP_add, x, expr_float(c, DT_F32, 0));
}
