/* The greatest of many float16 is found among their bits.
 *
 * Each read as float is a conversion in some ten operations, on half as many elements at once as there would be bits in
 * a register; what is only compared need not be converted. The greatest is, once. Part of widen. */
#include "widen.h"
#include <string.h>

/* The bits of the float16 that the float x is; NULL: it may be none. */
static const Expr *bits_of(Ctx *c, const Expr *x)
{
    if (x->kind == E_CAST && x->args[0]->dt == DT_F16) return expr_bits(c, DT_U16, x->args[0]);
    if (x->kind == E_CONST) {
        const Value half = scalar_cast(DT_F16, DT_F32, x->value);
        const float back = scalar_cast(DT_F32, DT_F16, half).f;
        if (memcmp(&back, &x->value.f, sizeof back)) return NULL;
        return expr_bits(c, DT_U16, expr_const(c, DT_F16, half));
    }
    if (x->kind != E_SELECT) return NULL;
    const Expr *a = bits_of(c, x->args[1]), *b = bits_of(c, x->args[2]);
    return a && b ? expr_select(c, x->args[0], a, b) : NULL;
}

const Expr *greatest_of_halves(Ctx *c, const Expr *e)
{
    if (e->kind != E_REDUCE || e->dt != DT_F32 || e->reduce->naccs != 1) return NULL;
    Reduce r = *e->reduce;
    const Expr *next = r.next[0];
    if (next->kind != E_OP || next->op != OP_max || next->args[0]->kind != E_ACC) return NULL;
    const Expr *init = bits_of(c, r.init[0]), *x = bits_of(c, next->args[1]);
    if (!init || !x) return NULL;
    const int acc = var_new(c);
    next = expr_op2(c, OP_max_f16, expr_acc(c, acc, DT_U16), x);
    r.accs = &acc;
    r.init = &init;
    r.next = &next;
    if (r.lanes) r.join = OP_max_f16;
    return expr_cast(c, DT_F32, expr_bits(c, DT_F16, expr_reduce(c, r, 0)));
}
