/* Quantised numbers. An integer q stands for (q - zero point)·scale. Sums of products of differences are exact in
 * int32; they are scaled in float, rounded half to even, moved by the zero point and clipped to the type. Scales and
 * zero points hold for the whole tensor, for each place of an axis, or for each block along it. */
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

const Expr *zero_point(Lower *l, int k, const Idx *channel)
{
    return arg(l->node, k) ? expr_cast(l->c, DT_I32, single(l, k, channel)) : NULL;
}

const Expr *shifted(Lower *l, int k, const Idx *const *at, DType dt, const Expr *z)
{
    const Expr *x = expr_cast(l->c, dt, in_math(l, k, at));
    return z ? expr_op2(l->c, OP_sub, x, z) : x;
}

/* v, rounded, plus the zero point (NULL: none), within the integer type. */
static const Expr *to_integer(Ctx *c, DType to, const Expr *v, const Expr *z)
{
    const Expr *q = formula(c, "v, z, lo, hi: clip(rint(v) + like(z, v), like(lo, v), like(hi, v))", v, z, least(c, to),
                            greatest(c, to));
    return expr_cast(c, to, dtype_bits(to) < 8 ? expr_cast(c, DT_I32, q) : q);
}

const Expr *requantised(Lower *l, const Expr *sum, const Expr *scale, int z)
{
    const Expr *v = formula(l->c, "sum, scale: like(sum, scale) * scale", sum, scale);
    return to_integer(l->c, in_type(l, z).dt, v, single(l, z, NULL));
}

/* ---- QuantizeLinear, DequantizeLinear ---- */

/* The scale has one element, one for each place of the axis, or, with block_size, one for each block along it. */
static bool scales_fit(Build *b, const Node *n)
{
    Type x = arg_type(n, 0), scale = arg_type(n, 1);
    int64_t block = node_int(n, "block_size", 0), along = node_int(n, "axis", 1);
    int axis;
    if (arg(n, 2) && !same_dims(scale, arg_type(n, 2)) && (type_count(scale) != 1 || type_count(arg_type(n, 2)) != 1))
        return unfit(b, n, "the scale and the zero point both must have one shape");
    if (type_count(scale) == 1)
        return true;
    if (!node_axis(b, n, along, x.rank, false, &axis))
        return false;
    bool fits = block == 0 ? scale.rank == 1 && scale.dims[0] == x.dims[axis] : block > 0 && scale.rank == x.rank;
    for (int k = 0; fits && block > 0 && k < x.rank; k++)
        fits = scale.dims[k] == (k == axis ? (x.dims[k] - 1) / block + 1 : x.dims[k]);
    return fits || unfit(b, n, "the scale must be a scalar, a vector as long as the axis, or, with a block size, have "
                         "one element for each block along the axis");
}

/* Operand k, a scale or zero point, for element i of the input. */
static const Expr *scale_at(Lower *l, int k, const Idx *const *i)
{
    Type x = in_type(l, 0), t = in_type(l, k);
    const Idx *at[MAX_RANK];
    int64_t block = node_int(l->node, "block_size", 0);
    int axis = 0;
    if (type_count(t) == 1)
        return single(l, k, NULL);
    node_axis(l->b, l->node, node_int(l->node, "axis", 1), x.rank, false, &axis);
    if (block == 0)
        return single(l, k, i[axis]);
    memcpy(at, i, sizeof *at * (size_t)x.rank);
    at[axis] = idx_digit(l->c, i[axis], block, 0);
    return in_math(l, k, at);
}

/* Results are floats of their own, or integers of at most 16 bits. */
static bool quantized_type(Build *b, const Node *n, DType dt)
{
    bool is_small = dtype_is_int(dt) ? dtype_bits(dt) <= 16 : dtype_is_float(dt) && dtype_bits(dt) <= 8;
    return (is_small && dt != DT_F8E8M0) ||
           node_error(b, n, "%s is no type of quantised numbers: it must be an integer of at most 16 bits or a float "
                      "of at most 8", dtype_name(dt));
}

bool quantize_infer(Build *b, const Node *n, Type *out)
{
    int64_t to = node_int(n, "output_dtype", 0);
    DType dt = arg(n, 2) ? arg_type(n, 2).dt : to ? attr_type(n, "output_dtype", DT_NONE) : DT_U8;
    if (to != 0 && to != (int64_t)dt)
        return unfit(b, n, "output_dtype must be the type of the zero point, or of quantised numbers");
    out[0] = arg_type(n, 0);
    out[0].dt = dt;
    return quantized_type(b, n, dt) && scales_fit(b, n);
}

/* As a number of that type has it. */
static const Expr *rounded(Ctx *c, DType to, const Expr *x)
{
    return math_type(to) == to ? x : expr_cast(c, x->dt, expr_cast(c, to, x));
}

const Expr *quantize_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    DType to = out_type(l, out).dt, scale = in_type(l, 1).dt, precision = attr_type(l->node, "precision", DT_NONE);
    if (precision == DT_NONE && math_type(in_type(l, 0).dt) != in_type(l, 0).dt)
        precision = scale;
    DType wide = precision == DT_F64 ? DT_F64 : dtype_is_float(scale) ? math_type(scale) : DT_F32;
    const Expr *x = rounded(c, precision, expr_cast(c, wide, in_math(l, 0, i)));
    const Expr *s = rounded(c, precision, expr_cast(c, wide, scale_at(l, 1, i)));
    const Expr *v = rounded(c, precision, expr_op2(c, OP_div, x, s)), *z = arg(l->node, 2) ? scale_at(l, 2, i) : NULL;
    if (dtype_is_int(to))
        return to_integer(c, to, v, z);
    v = formula(c, "v, z: v + like(z, v)", v, z);
    return node_int(l->node, "saturate", 1) ? expr_cast(c, to, v) : unless_beyond(c, to, expr_cast(c, to, v), v);
}

bool dequantize_infer(Build *b, const Node *n, Type *out)
{
    DType dt = node_int(n, "output_dtype", 0) ? attr_type(n, "output_dtype", DT_NONE) : arg_type(n, 1).dt;
    out[0] = arg_type(n, 0);
    out[0].dt = dt;
    if (!dtype_is_float(dt) || dtype_bits(dt) < 16)
        return unfit(b, n, "output_dtype must be a float of 16 bits or more");
    return scales_fit(b, n);
}

const Expr *dequantize_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    DType from = dtype_is_int(in_type(l, 0).dt) ? DT_I32 : DT_F32;
    const Expr *s = scale_at(l, 1, i), *z = arg(l->node, 2) ? expr_cast(c, from, scale_at(l, 2, i)) : NULL;
    return formula(c, "x, s: like(x, s) * s", shifted(l, 0, i, from, z), s);
}

/* ---- products of matrices: scales and zero points are scalars, one per row of A, one per column of B ---- */

static bool rows_fit(Build *b, const Node *n, int k, const Type *out, bool column)
{
    int rank, along = out->rank - 2 + column;
    int64_t dims[MAX_RANK];
    Type t = arg(n, k) ? arg_type(n, k) : (Type){.rank = 0};
    if (type_count(t) == 1 || (t.rank == 1 && along >= 0 && along < out->rank && t.dims[0] == out->dims[along]))
        return true;
    if (t.rank > 1 && broadcast_dims(out->rank, out->dims, t.rank, t.dims, &rank, dims) &&
        same_dims(*out, (Type){out->dt, rank, dims}))
        return true;
    return node_error(b, n, "%s is %s: it must be a scalar or have one element for each %s of the product, %s",
                      n->sig->in[k].name, type_text(b->c, t), column ? "column" : "row", type_text(b->c, *out));
}

/* That operand for element i of the product. */
static const Expr *row_scale(Lower *l, int k, const Idx *const *i, bool column)
{
    int rank = out_type(l, 0).rank;
    if (in_type(l, k).rank > 1)
        return expr_cast(l->c, math_type(in_type(l, k).dt), in_broadcast(l, k, rank, i));
    return single(l, k, rank == 0 || rank < 2 - column ? NULL : i[rank - 2 + column]);
}

static const Expr *row_zero(Lower *l, int k, const Idx *const *i, bool column)
{
    return arg(l->node, k) ? expr_cast(l->c, DT_I32, row_scale(l, k, i, column)) : NULL;
}

bool matmul_integer_infer(Build *b, const Node *n, Type *out)
{
    return matmul_type(b, n, 0, 1, DT_I32, out) && rows_fit(b, n, 2, out, false) && rows_fit(b, n, 3, out, true);
}

const Expr *matmul_integer_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    const Expr *zx = row_zero(l, 2, i, false), *zy = row_zero(l, 3, i, true);
    return matmul_sum(l, 0, 1, i, DT_I32, zx, zy);
}

bool qlinear_matmul_infer(Build *b, const Node *n, Type *out)
{
    return matmul_type(b, n, 0, 3, arg_type(n, 7).dt, out) && rows_fit(b, n, 1, out, false) &&
           rows_fit(b, n, 2, out, false) && rows_fit(b, n, 4, out, true) && rows_fit(b, n, 5, out, true) &&
           quantized_type(b, n, out[0].dt);
}

const Expr *qlinear_matmul_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    const Expr *zx = row_zero(l, 2, i, false), *zy = row_zero(l, 5, i, true);
    const Expr *sx = row_scale(l, 1, i, false), *sy = row_scale(l, 4, i, true);
    const Expr *scale = formula(l->c, "x, y, z: x * y / z", sx, sy, single(l, 6, NULL));
    return requantised(l, matmul_sum(l, 0, 3, i, DT_I32, zx, zy), scale, 7);
}
