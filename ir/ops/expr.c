/* Small pieces of loop IR that several meanings share: typed constants, and the one way in which an index that is known
 * at run time only becomes a place in memory. */
#include "meaning.h"

Type out_type(Lower *l, int k)
{
    return l->node->out[k]->type;
}

Type in_type(Lower *l, int k)
{
    return l->node->in[k]->type;
}

const Expr *math(Lower *l, int k, int rank, const Idx *const *at)
{
    return expr_cast(l->c, math_type(in_type(l, k).dt), in_broadcast(l, k, rank, at));
}

const Expr *known_number(Ctx *c, DType dt, double v)
{
    if (dt == DT_F32 || dt == DT_F64)
        return expr_float(c, dt, v);
    if (dtype_is_float(dt))
        return expr_cast(c, dt, expr_float(c, DT_F32, v));
    return expr_int(c, dt, (int64_t)v);
}

const Expr *zero(Ctx *c, DType dt)
{
    return expr_const(c, dt, (Value){0}); /* all bits 0: zero in every type, also in the code of a small float */
}

static Value limit(DType dt, bool greatest_one)
{
    int bits = dtype_bits(dt);
    Value v = {0};
    if (dt == DT_F32)
        v.f = greatest_one ? INFINITY : -INFINITY;
    else if (dt == DT_F64)
        v.d = greatest_one ? (double)INFINITY : -(double)INFINITY;
    else if (dt == DT_BOOL)
        v.i = greatest_one;
    else if (dtype_is_signed(dt))
        v.i = greatest_one ? INT64_MAX >> (64 - bits) : INT64_MIN >> (64 - bits);
    else
        v.u = greatest_one ? UINT64_MAX >> (64 - bits) : 0;
    return v;
}

const Expr *least(Ctx *c, DType dt)
{
    return expr_const(c, dt, limit(dt, false));
}

const Expr *greatest(Ctx *c, DType dt)
{
    return expr_const(c, dt, limit(dt, true));
}

const Expr *both(Ctx *c, const Expr *p, const Expr *q)
{
    return p ? expr_op2(c, OP_and, p, q) : q;
}

const Idx *position(Ctx *c, const Expr *index, int64_t n)
{
    const Expr *i = expr_cast(c, DT_I64, index), *last = expr_int(c, DT_I64, n - 1), *none = expr_int(c, DT_I64, 0);
    const Expr *wrapped = expr_op2(c, OP_add, i, expr_int(c, DT_I64, n));
    i = expr_select(c, expr_op2(c, OP_lt, i, none), wrapped, i);
    return idx_value(c, expr_op2(c, OP_min, expr_op2(c, OP_max, i, none), last), 0, n - 1);
}

bool indices_fit(Build *b, const Node *n, int k, int ndims, const int64_t *dims, const char *of)
{
    const Tensor *t = arg_known(n, k);
    if (!t || ndims == 0)
        return true;
    int64_t count = type_count(t->type);
    for (int64_t i = 0; i < count; i++) {
        int64_t v = tensor_at_int(t, i), d = dims[i % ndims];
        if (v < -d || v >= d) {
            node_error(b, n, "index %lld is out of range: %s has %lld elements there, so an index lies in [%lld, %lld]",
                       (long long)v, of, (long long)d, (long long)-d, (long long)d - 1);
            return false;
        }
    }
    return true;
}
