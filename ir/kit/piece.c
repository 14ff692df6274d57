/* Small pieces of loop IR that several meanings share: typed constants, and the one way in which an index that is known
 * at run time only becomes a place in memory. */
#include "kit.h"

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

const Expr *lone(Lower *l, int k, DType dt)
{
    const Idx *first[MAX_RANK];
    for (int i = 0; i < in_type(l, k).rank; i++)
        first[i] = idx_const(l->c, 0);
    return expr_cast(l->c, dt, in_at(l, k, first));
}

const Expr *known_number(Ctx *c, DType dt, double v)
{
    if (dt == DT_F32 || dt == DT_F64)
        return expr_float(c, dt, v);
    if (dtype_is_float(dt))
        return expr_cast(c, dt, expr_float(c, DT_F32, v));
    return expr_int(c, dt, (int64_t)v);
}

const Expr *i64(Ctx *c, int64_t v)
{
    return expr_int(c, DT_I64, v);
}

const Expr *f32(Ctx *c, double v)
{
    return expr_float(c, DT_F32, v);
}

const Expr *zero(Ctx *c, DType dt)
{
    /* all bits 0: zero in every type, also in the code of a small float */
    return expr_const(c, dt, dt == DT_STRING ? (Value){.s = ""} : (Value){0});
}

const Expr *zero_in(Ctx *c, DType dt)
{
    return zero(c, dt == DT_C64 ? DT_F32 : dt == DT_C128 ? DT_F64 : dt);
}

const Expr *in_but(Lower *l, const Idx *const *i, int axis, const Idx *x)
{
    const Idx *at[MAX_RANK];
    for (int k = 0; k < in_type(l, 0).rank; k++)
        at[k] = k == axis ? x : i[k];
    return in_at(l, 0, at);
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

const Idx *clamped(Ctx *c, const Expr *e, int64_t n)
{
    e = expr_op2(c, OP_max, e, zero(c, DT_I64));
    return idx_value(c, expr_op2(c, OP_min, e, expr_int(c, DT_I64, n - 1)), 0, n - 1);
}

DType place_type(int64_t n)
{
    return n <= 256 ? DT_U8 : n <= 65536 ? DT_U16 : n <= INT32_MAX ? DT_I32 : DT_I64;
}

/* Known indices (of one column of the last dimension, or all) as they are read: counted from the front and clamped, in
 * the smallest type that holds n - 1. */
static const Buf *index_table(Lower *l, int k, int column, int64_t n)
{
    const Tensor *t = arg_known(l->node, k);
    DType dt = place_type(n);
    int rank = column < 0 ? t->type.rank : t->type.rank - 1;
    int64_t step = column < 0 ? 1 : t->type.dims[rank], first = column < 0 ? 0 : column;
    Tensor *table = tensor_new(l->c, type_make(l->c, dt, rank, t->type.dims));
    for (int64_t i = 0; i < type_count(table->type); i++) {
        int64_t v = tensor_at_int(t, first + i * step), place = v < 0 ? v + n : v;
        place = place < 0 ? 0 : place < n ? place : n - 1;
        scalar_write(dt, (void *)(uintptr_t)table->data, i, (Value){.i = place});
    }
    return lower_const(l, l->node->in[k]->name, table);
}

const Idx *position(Lower *l, int k, const Idx *const *at, int column, int64_t n)
{
    Ctx *c = l->c;
    const Idx *place[MAX_RANK];
    int rank = in_type(l, k).rank;
    if (arg_known(l->node, k) && type_count(in_type(l, k)) > 1)
        return idx_value(c, expr_cast(c, DT_I64, expr_load(c, index_table(l, k, column, n), at)), 0, n - 1);
    for (int i = 0; i < rank; i++)
        place[i] = i == rank - 1 && column >= 0 ? idx_const(c, column) : at[i];
    const Expr *i = expr_cast(c, DT_I64, in_at(l, k, place)), *wrapped = expr_op2(c, OP_add, i, expr_int(c, DT_I64, n));
    return clamped(c, expr_select(c, expr_op2(c, OP_lt, i, zero(c, DT_I64)), wrapped, i), n);
}

bool indices_fit(Build *b, const Node *n, int k, int ndims, const int64_t *dims, const char *of)
{
    const Tensor *t = arg_known(n, k);
    if (!t || ndims == 0)
        return true;
    int64_t count = type_count(t->type);
    for (int64_t i = 0; i < count; i++) {
        int64_t v = tensor_at_int(t, i), d = dims[i % ndims];
        if (v < -d || v >= d)
            return node_error(b, n, "index %lld is out of range: %s has %lld elements there, so an index lies in "
                              "[%lld, %lld]", (long long)v, of, (long long)d, (long long)-d, (long long)d - 1);
    }
    return true;
}

bool places_fit(Build *b, const Node *n, int count, int axis)
{
    Type t = arg_type(n, 0);
    const char *of = internf(b->c, count == 1 ? "axis %d of data, %s," : "data from axis %d on, %s,", axis,
                             type_text(b->c, t));
    return indices_fit(b, n, 1, count, t.dims + axis, of);
}
