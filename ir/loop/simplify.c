/* Operators, casts and selections, simplified as they are built.
 *
 * Every rule is exact: the value keeps its bits, for all inputs (NaN payloads aside, which arithmetic may change
 * anyway). So floats have few rules: x + 0 is not x for x = -0, and sums are never reordered. Constants are folded
 * when the operator is exact; product-sums then have one rounding. An integer expression whose interval is one number
 * is that constant, and arithmetic on loop indices that cannot wrap is index arithmetic. A rule only looks one or two
 * levels down, so nothing here recurses over an expression. */
#include "expr.h"

static bool is_real(DType dt)
{
    return dt == DT_F32 || dt == DT_F64;
}

static bool is_float(const Expr *e, double v)
{
    return e->kind == E_CONST && is_real(e->dt) && e->value.u == scalar_cast(e->dt, DT_F64, (Value){ .d = v }).u;
}

static bool is_op(const Expr *e, ScalarOp op)
{
    return e->kind == E_OP && e->op == op;
}

/* The node; an integer that can have one value only is a constant. */
static const Expr *settle(Ctx *c, const Expr *e)
{
    if (e->kind != E_CONST && (e->dt == DT_BOOL || dtype_is_int(e->dt)) && e->lo == e->hi && !expr_open_end(e))
        return expr_int(c, e->dt, e->lo);
    return e;
}

/* ---- index arithmetic -------------------------------------------------------------------------------------------- */

/* A 64-bit index or constant of moderate size as an Idx, else NULL. */
static const Idx *as_idx(Ctx *c, const Expr *e)
{
    if (e->dt != DT_I64)
        return NULL;
    if (e->kind == E_INDEX)
        return e->at[0];
    return e->kind == E_CONST && e->lo > -(INT64_C(1) << 62) && e->lo < INT64_C(1) << 62 ? idx_const(c, e->lo) : NULL;
}

/* x + s·y, where no order of evaluation leaves 64 bits. */
static const Expr *index_sum(Ctx *c, const Idx *x, int64_t s, const Idx *y)
{
    int64_t p, sum;
    if (__builtin_mul_overflow(s < 0 ? -s : s, y->wide, &p) || __builtin_add_overflow(p, x->wide, &sum))
        return NULL;
    return expr_index(c, idx_axpy(c, x, s, y));
}

static const Expr *index_op(Ctx *c, ScalarOp op, const Expr *const *args)
{
    const Idx *x = as_idx(c, args[0]), *y = op_arity(op) == 2 ? as_idx(c, args[1]) : idx_const(c, 0);
    if (x == NULL || y == NULL)
        return NULL;
    int64_t k = y->k;
    switch (op) {
    case OP_add: return index_sum(c, x, 1, y);
    case OP_sub: return index_sum(c, x, -1, y);
    case OP_neg: return index_sum(c, idx_const(c, 0), -1, x);
    case OP_mul:
        if (y->n == 0)
            return index_sum(c, idx_const(c, 0), k, x);
        return x->n == 0 ? index_sum(c, idx_const(c, 0), x->k, y) : NULL;
    case OP_div: return y->n == 0 && k > 0 && x->lo >= 0 ? expr_index(c, idx_digit(c, x, k, 0)) : NULL;
    case OP_mod: return y->n == 0 && k > 0 && x->lo >= 0 ? expr_index(c, idx_digit(c, x, 1, k)) : NULL;
    case OP_fmod: return y->n == 0 && k > 0 && x->lo >= 0 ? expr_index(c, idx_digit(c, x, 1, k)) : NULL;
    default:     return NULL;
    }
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static const Expr *fold(Ctx *c, ScalarOp op, const Expr *const *args)
{
    Value v[3];
    int n = op_arity(op);
    for (int i = 0; i < n; i++) {
        if (args[i]->kind != E_CONST)
            return NULL;
        v[i] = args[i]->value;
    }
    if (!op_exact(op, args[0]->dt) || op_writes(op, args[0]->dt))
        return NULL;
    return expr_const(c, op_result(op, args[0]->dt), scalar_eval(op, args[0]->dt, v, true));
}

/* Whether a 16-bit float of the kind to which op rounds holds the float e. */
static bool fits_small(const Expr *e, ScalarOp op)
{
    if (e->kind == E_OP && (e->op == OP_relu || e->op == OP_neg || e->op == OP_abs)) e = e->args[0];
    const DType kind = op == OP_round_f16 ? DT_F16 : DT_BF16;
    return is_op(e, op) || (e->kind == E_CAST && e->args[0]->dt == kind);
}

static const Expr *unary(Ctx *c, ScalarOp op, const Expr *a)
{
    bool inner = a->kind == E_OP;
    switch (op) {
    case OP_not:
        if (is_op(a, OP_not))
            return a->args[0];
        if (is_op(a, OP_eq) || is_op(a, OP_ne))
            return expr_op(c, is_op(a, OP_eq) ? OP_ne : OP_eq, a->args);
        return NULL;
    case OP_neg: case OP_bitnot:
        return inner && a->op == op ? a->args[0] : NULL;
    case OP_abs:
        if (is_op(a, OP_abs) || (!is_real(a->dt) && a->lo >= 0))     /* unsigned: of -x it is not that of x */
            return a;
        return is_op(a, OP_neg) ? expr_op1(c, OP_abs, a->args[0]) : NULL;
    case OP_relu:
        return is_op(a, OP_relu) || (!is_real(a->dt) && a->lo >= 0) ? a : NULL;
    case OP_floor: case OP_ceil: case OP_rint: case OP_trunc:
        if (inner && (a->op == OP_floor || a->op == OP_ceil || a->op == OP_rint || a->op == OP_trunc))
            return a;
        return op == OP_rint ? expr_rounded(a) : NULL;
    case OP_round_f16: case OP_round_bf16:
        return fits_small(a, op) ? a : NULL;
    default:
        return NULL;
    }
}

/* Both operands are one. */
static const Expr *twins(Ctx *c, ScalarOp op, const Expr *a)
{
    bool real = is_real(a->dt);
    switch (op) {
    case OP_max: case OP_min: case OP_and: case OP_or: case OP_bitand: case OP_bitor: return a;
    case OP_lt: case OP_gt: return expr_bool(c, false);
    case OP_eq: case OP_le: case OP_ge: return real ? NULL : expr_bool(c, true);
    case OP_ne: case OP_xor: return real ? NULL : expr_bool(c, false);
    case OP_sub: case OP_bitxor: return real ? NULL : expr_int(c, a->dt, 0);
    default: return NULL;
    }
}

/* With a constant on the right; for integers constants are moved there. */
static const Expr *with_const(Ctx *c, ScalarOp op, const Expr *a, const Expr *k)
{
    bool is_true = expr_is_int(k, 1), is_zero = expr_is_int(k, 0);
    switch (op) {
    case OP_add: return is_zero || is_float(k, -0.0) ? a : NULL;
    case OP_sub: return is_zero || is_float(k, 0.0) ? a : NULL;
    case OP_mul: case OP_div: return is_true || is_float(k, 1.0) ? a : NULL;
    case OP_pow:
        if (k->dt != DT_F32 || (!is_float(k, 2.0) && !is_float(k, 3.0))) return NULL;
        return is_float(k, 2.0) ? expr_op2(c, OP_mul, a, a) : expr_op2(c, OP_mul, expr_op2(c, OP_mul, a, a), a);
    case OP_max: return is_float(k, -INFINITY) ? a : NULL;
    case OP_min: return is_float(k, INFINITY) ? a : NULL;
    case OP_bitor: case OP_bitxor: case OP_shl: case OP_shr: return is_zero ? a : NULL;
    case OP_bitand: return expr_is_int(expr_op1(c, OP_bitnot, k), 0) ? a : NULL;
    case OP_and: return is_true ? a : k;
    case OP_or:  return is_true ? k : a;
    case OP_xor: case OP_ne: return k->dt != DT_BOOL ? NULL : is_true ? expr_op1(c, OP_not, a) : a;
    case OP_eq:  return k->dt != DT_BOOL ? NULL : is_true ? a : expr_op1(c, OP_not, a);
    default:     return NULL;
    }
}

static bool below(const Expr *a, const Expr *b)      /* a < b always */
{
    return !expr_open_end(a) && a->hi < b->lo;
}

static bool not_above(const Expr *a, const Expr *b)  /* a <= b always */
{
    return !expr_open_end(a) && a->hi <= b->lo;
}

/* Integers and bools whose intervals decide. */
static const Expr *by_interval(Ctx *c, ScalarOp op, const Expr *a, const Expr *b)
{
    switch (op) {
    case OP_min: return not_above(a, b) ? a : not_above(b, a) ? b : NULL;
    case OP_max: return not_above(a, b) ? b : not_above(b, a) ? a : NULL;
    case OP_lt: return below(a, b) ? expr_bool(c, true) : not_above(b, a) ? expr_bool(c, false) : NULL;
    case OP_gt: return below(b, a) ? expr_bool(c, true) : not_above(a, b) ? expr_bool(c, false) : NULL;
    case OP_le: return not_above(a, b) ? expr_bool(c, true) : below(b, a) ? expr_bool(c, false) : NULL;
    case OP_ge: return not_above(b, a) ? expr_bool(c, true) : below(a, b) ? expr_bool(c, false) : NULL;
    case OP_eq: case OP_ne: return below(a, b) || below(b, a) ? expr_bool(c, op == OP_ne) : NULL;
    case OP_mod: case OP_fmod: return a->lo >= 0 && below(a, b) ? a : NULL;
    default:    return NULL;
    }
}

static bool commutes(ScalarOp op, DType dt)
{
    switch (op) {
    case OP_add: case OP_mul: case OP_min: case OP_max: return !is_real(dt);
    case OP_and: case OP_or: case OP_xor: case OP_bitand: case OP_bitor: case OP_bitxor: return true;
    case OP_eq: case OP_ne: return true;
    default: return false;
    }
}

/* 1·x, -0 + x, and the greater of -inf and x are x in floats as well, though the operands do not change places. */
static const Expr *float_left(ScalarOp op, const Expr *k, const Expr *b)
{
    return (op == OP_mul && is_float(k, 1.0)) || (op == OP_add && is_float(k, -0.0)) ||
                   (op == OP_max && is_float(k, -INFINITY)) || (op == OP_min && is_float(k, INFINITY))
               ? b : NULL;
}

static const Expr *binary(Ctx *c, ScalarOp op, const Expr *a, const Expr *b)
{
    const Expr *e = NULL;
    if (a == b)
        e = twins(c, op, a);
    if (!e && b->kind == E_CONST)
        e = with_const(c, op, a, b);
    if (!e && a->kind == E_CONST)
        e = float_left(op, a, b);
    if (!e && (a->dt == DT_BOOL || dtype_is_int(a->dt)))
        e = by_interval(c, op, a, b);
    /* integers: (x - k) + l, (x + k) + l, (x · k) · l */
    if (!e && b->kind == E_CONST && dtype_is_int(a->dt) && op == OP_add && is_op(a, OP_sub) &&
        a->args[1]->kind == E_CONST)
        e = expr_op2(c, op, a->args[0], expr_op2(c, OP_sub, b, a->args[1]));
    if (!e && b->kind == E_CONST && dtype_is_int(a->dt) && (op == OP_add || op == OP_mul) && is_op(a, op) &&
        a->args[1]->kind == E_CONST)
        e = expr_op2(c, op, a->args[0], expr_op2(c, op, a->args[1], b));
    return e;
}

static const Expr *ternary(ScalarOp op, const Expr *a, const Expr *b, const Expr *d)
{
    if (op == OP_clip && dtype_is_int(a->dt) && not_above(b, a) && not_above(a, d))
        return a;
    return NULL;
}

const Expr *expr_op(Ctx *c, ScalarOp op, const Expr *const *args)
{
    const Expr *x[3] = { args[0] }, *e;
    int n = op_arity(op);
    DType dt = op_result(op, x[0]->dt);
    for (int i = 1; i < n; i++) {
        x[i] = args[i];
        if (x[i]->dt != x[0]->dt)
            ice(c, "operator %s has operands of types %s and %s", op_name(op), dtype_name(x[0]->dt),
                dtype_name(x[i]->dt));
    }
    if (dt == DT_NONE)
        ice(c, "operator %s is not defined on type %s", op_name(op), dtype_name(x[0]->dt));
    if ((e = fold(c, op, x)))
        return e;
    if (n == 2 && x[0]->kind == E_CONST && x[1]->kind != E_CONST && commutes(op, x[0]->dt)) {
        x[0] = args[1];
        x[1] = args[0];
    }
    e = index_op(c, op, x);
    if (!e)
        e = n == 1 ? unary(c, op, x[0]) : n == 2 ? binary(c, op, x[0], x[1]) : ternary(op, x[0], x[1], x[2]);
    return e ? e : settle(c, expr_make(c, &(Expr){ .kind = E_OP, .dt = dt, .op = op, .n = n, .args = x }));
}

const Expr *expr_op1(Ctx *c, ScalarOp op, const Expr *a)
{
    return expr_op(c, op, &a);
}

const Expr *expr_op2(Ctx *c, ScalarOp op, const Expr *a, const Expr *b)
{
    return expr_op(c, op, (const Expr *const[]){ a, b });
}

const Expr *expr_op3(Ctx *c, ScalarOp op, const Expr *a, const Expr *b, const Expr *d)
{
    return expr_op(c, op, (const Expr *const[]){ a, b, d });
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

/* Whether converting e to the integer type or bool keeps its value. */
static bool lossless(const Expr *e, DType to)
{
    int64_t lo, hi;
    if ((e->dt != DT_BOOL && !dtype_is_int(e->dt)) || (to != DT_BOOL && !dtype_is_int(to)))
        return false;
    dtype_range(to, &lo, &hi);
    return e->lo >= lo && e->hi <= hi && (!expr_open_end(e) || to == DT_U64);
}

/* Whether the inner one of two casts, x to mid, does nothing that shows after casting on to another type. */
static bool inner_idle(const Expr *x, DType mid, DType to)
{
    if (lossless(x, mid))
        return true;
    /* both are modular: the low bits decide */
    return dtype_is_int(x->dt) && dtype_is_int(mid) && dtype_is_int(to) && dtype_bits(to) <= dtype_bits(mid);
}

/* A float's cast to an integer saturates: what is clipped to the type's range or a wider one before need not be. */
static bool clip_idle(const Expr *x, DType to)
{
    if (!is_op(x, OP_clip) || !is_real(x->dt) || x->args[1]->kind != E_CONST || x->args[2]->kind != E_CONST ||
        !dtype_is_int(to) || dtype_bits(to) < 8)
        return false;
    Value lo, hi;
    int64_t least, most;
    dtype_range(to, &least, &most);
    lo = scalar_cast(DT_F64, x->dt, x->args[1]->value);
    hi = scalar_cast(DT_F64, x->dt, x->args[2]->value);
    return lo.d <= (double)least && hi.d >= (double)most;
}

const Expr *expr_cast(Ctx *c, DType to, const Expr *x)
{
    if (x->dt == to)
        return x;
    if (to == DT_STRING || x->dt == DT_STRING)
        ice(c, "no cast from type %s to type %s", dtype_name(x->dt), dtype_name(to));
    if (x->kind == E_CONST)
        return expr_const(c, to, scalar_cast(to, x->dt, x->value));
    const bool small = to == DT_F16 || to == DT_BF16;
    if (small && is_op(x, to == DT_F16 ? OP_round_f16 : OP_round_bf16))
        return expr_cast(c, to, x->args[0]);
    if (to == DT_F32 && x->kind == E_CAST && x->args[0]->dt == DT_F32 && (x->dt == DT_F16 || x->dt == DT_BF16))
        return expr_op1(c, x->dt == DT_F16 ? OP_round_f16 : OP_round_bf16, x->args[0]);
    if (clip_idle(x, to))
        return expr_cast(c, to, x->args[0]);
    const Expr *n = expr_cast_whole(c, to, x);
    if (n)
        return n;
    if (x->kind == E_CAST && inner_idle(x->args[0], x->dt, to))
        return expr_cast(c, to, x->args[0]);
    if (to == DT_BOOL && dtype_is_int(x->dt) && (x->lo > 0 || x->hi < 0))
        return expr_bool(c, true);
    return settle(c, expr_make(c, &(Expr){ .kind = E_CAST, .dt = to, .n = 1, .args = &x }));
}

const Expr *expr_bits(Ctx *c, DType to, const Expr *x)
{
    if (dtype_bits(to) != dtype_bits(x->dt) || to == DT_STRING || x->dt == DT_STRING)
        ice(c, "the bits of type %s are not those of type %s", dtype_name(x->dt), dtype_name(to));
    if (x->dt == to)
        return x;
    if (dtype_is_int(x->dt) && dtype_is_int(to))
        return expr_cast(c, to, x);
    if (x->kind == E_CONST)
        return expr_const(c, to, scalar_bits(to, x->dt, x->value));
    return settle(c, expr_make(c, &(Expr){ .kind = E_BITS, .dt = to, .n = 1, .args = &x }));
}

/* ---- selections -------------------------------------------------------------------------------------------------- */

const Expr *expr_select(Ctx *c, const Expr *cond, const Expr *a, const Expr *b)
{
    if (cond->dt != DT_BOOL || a->dt != b->dt)
        ice(c, "a selection by type %s between types %s and %s", dtype_name(cond->dt), dtype_name(a->dt),
            dtype_name(b->dt));
    if (cond->kind == E_CONST)
        return cond->value.i ? a : b;
    if (is_op(cond, OP_not))
        return expr_select(c, cond->args[0], b, a);
    if (a->kind == E_SELECT && a->args[0] == cond)
        a = a->args[1];
    if (b->kind == E_SELECT && b->args[0] == cond)
        b = b->args[2];
    if (a == b)
        return a;
    if (a->dt == DT_BOOL && a->kind == E_CONST && b->kind == E_CONST)
        return a->value.i ? cond : expr_op1(c, OP_not, cond);
    const Expr *args[] = { cond, a, b };
    return settle(c, expr_make(c, &(Expr){ .kind = E_SELECT, .dt = a->dt, .n = 3, .args = args }));
}
