/* The greatest of many float16 is found among their ranks.
 *
 * Each read as float is a conversion in some ten operations, on half as many elements at once as there would be bits in
 * a register; what is only compared need not be converted. A rank is an integer made of the bits in three operations,
 * so that the greater of two takes one. The greatest is converted, once. Part of widen. */
#include "widen.h"
#include <string.h>

static const Expr *rank(Ctx *c, const Expr *half)
{
    return expr_op1(c, OP_rank_f16, expr_bits(c, DT_U16, half));
}

/* The rank of the float16 that the float x is; NULL: it may be none. */
static const Expr *rank_of(Ctx *c, const Expr *x)
{
    if (x->kind == E_CAST && x->args[0]->dt == DT_F16) return rank(c, x->args[0]);
    if (x->kind == E_CONST) {
        const Value half = scalar_cast(DT_F16, DT_F32, x->value);
        const float back = scalar_cast(DT_F32, DT_F16, half).f;
        if (memcmp(&back, &x->value.f, sizeof back)) return NULL;
        return rank(c, expr_const(c, DT_F16, half));
    }
    if (x->kind != E_SELECT) return NULL;
    const Expr *a = rank_of(c, x->args[1]), *b = rank_of(c, x->args[2]);
    return a && b ? expr_select(c, x->args[0], a, b) : NULL;
}

const Expr *greatest_of_halves(Ctx *c, const Expr *e)
{
    if (e->kind != E_REDUCE || e->dt != DT_F32 || e->reduce->naccs != 1) return NULL;
    Reduce r = *e->reduce;
    const Expr *next = r.next[0];
    if (next->kind != E_OP || next->op != OP_max || next->args[0]->kind != E_ACC) return NULL;
    const Expr *init = rank_of(c, r.init[0]), *x = rank_of(c, next->args[1]);
    if (!init || !x) return NULL;
    const int acc = var_new(c);
    next = expr_op2(c, OP_max, expr_acc(c, acc, DT_U16), x);
    r.accs = &acc;
    r.init = &init;
    r.next = &next;
    return expr_cast(c, DT_F32, expr_bits(c, DT_F16, expr_op1(c, OP_of_rank_f16, expr_reduce(c, r, 0))));
}
