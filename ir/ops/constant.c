/* Values that come from nowhere or from a shape: Constant, ConstantOfShape, Range, EyeLike, OneHot. */
#include "meaning.h"

/* ---- Constant ---- */

bool constant(Build *b, const Node *n, Edge **out)
{
    if (n->nattrs != 1)
        return node_error(b, n, "%s: exactly one of value, value_int, value_ints, value_float, value_floats, "
                          "value_string, value_strings and sparse_value is given",
                          n->nattrs ? "several values" : "no value");
    out[0] = build_const(b, NULL, attr_value(b->c, &n->attrs[0]), n->loc);
    return true;
}

/* ---- ConstantOfShape ---- */

bool constant_of_shape_infer(Build *b, const Node *n, Type *out)
{
    const Attr *value = node_attr(n, "value");
    Ints dims;
    if (!arg_shape(b, n, 0, &dims))
        return false;
    if (value && type_count(value->tensor->type) != 1)
        return node_error(b, n, "value is %s: it must hold one element", type_text(b->c, value->tensor->type));
    return make_type(b, n, out, 0, value ? value->tensor->type.dt : DT_F32, dims.n, dims.v);
}

const Expr *constant_of_shape_at(Lower *l, int out, const Idx *const *i)
{
    const Attr *value = node_attr(l->node, "value");
    if (!value)
        return zero(l->c, DT_F32);
    const Tensor *t = value->tensor;
    if (dtype_class(t->type.dt) != CLASS_COMPLEX)
        return expr_const(l->c, t->type.dt, scalar_read(t->type.dt, t->data, 0));
    Tensor *one = tensor_of(l->c, type_make(l->c, t->type.dt, 0, NULL), t->data, t->bytes);
    return expr_load(l->c, lower_const(l, "value", one), &l->part);
}

/* ---- Range: start + i·delta ---- */

bool range_infer(Build *b, const Node *n, Type *out)
{
    DType dt = arg_type(n, 0).dt;
    const Tensor *start = arg_known(n, 0), *limit = arg_known(n, 1), *delta = arg_known(n, 2);
    int64_t count = 0;
    for (int k = 0; k < 3; k++)
        if (!arg_number(b, n, k))
            return false;
    if (dtype_is_float(dt)) {
        double steps = ceil((tensor_at_double(limit, 0) - tensor_at_double(start, 0)) / tensor_at_double(delta, 0));
        if (!(fabs(steps) < 4e18))
            return node_error(b, n, "the number of elements, (%g - %g) / %g, is not finite", tensor_at_double(limit, 0),
                              tensor_at_double(start, 0), tensor_at_double(delta, 0));
        count = steps > 0 ? (int64_t)steps : 0;
    } else {
        int64_t s = tensor_at_int(start, 0), e = tensor_at_int(limit, 0), d = tensor_at_int(delta, 0);
        if (d == 0)
            return node_error(b, n, "delta is 0: it must not be");
        uint64_t span = d > 0 ? (uint64_t)e - (uint64_t)s : (uint64_t)s - (uint64_t)e;
        uint64_t steps = (span - 1) / (d > 0 ? (uint64_t)d : 0 - (uint64_t)d) + 1;
        if (e != s && (d > 0) == (e > s))
            count = steps > INT64_MAX ? INT64_MAX : (int64_t)steps;
    }
    return make_type(b, n, out, 0, dt, 1, &count);
}

const Expr *range_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    DType dt = math_type(in_type(l, 0).dt);
    const Expr *k = expr_cast(c, dt, expr_index(c, i[0]));
    return expr_op2(c, OP_add, lone(l, 0, dt), expr_op2(c, OP_mul, k, lone(l, 2, dt)));
}

/* ---- EyeLike, OneHot ---- */

bool eye_like_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    DType dt = attr_type(n, "dtype", t.dt);
    if (t.rank != 2 || dt == DT_NONE || dt == DT_STRING || dtype_class(dt) == CLASS_COMPLEX)
        return unfit(b, n, "the input must have 2 dimensions, and dtype be a type of real numbers");
    return make_type(b, n, out, 0, dt, 2, t.dims);
}

const Expr *eye_like_at(Lower *l, int out, const Idx *const *i)
{
    Type t = out_type(l, out);
    int64_t k = node_int(l->node, "k", 0);
    if (k <= -t.dims[0] || k >= t.dims[1]) /* the diagonal misses the matrix */
        return zero(l->c, t.dt);
    const Idx *off = idx_add(l->c, idx_axpy(l->c, i[1], -1, i[0]), idx_const(l->c, -k));
    return expr_select(l->c, expr_in(l->c, off, 1), known_number(l->c, t.dt, 1), zero(l->c, t.dt));
}

bool one_hot_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), values = arg_type(n, 2);
    int axis;
    if (!arg_number(b, n, 1))
        return false;
    double depth = tensor_at_double(arg_known(n, 1), 0);
    if (!(depth >= 1 && depth < 4e18) || values.rank != 1 || values.dims[0] != 2)
        return unfit(b, n, "depth is %g: it must be at least 1, and values [2], of the others and of the chosen one",
                     depth);
    if (!attr_axis(b, n, "axis", t.rank + 1, &axis))
        return false;
    Dims d = {0};
    dims_take(&d, t, 0, axis);
    d.at[d.n++] = (int64_t)depth;
    dims_take(&d, t, axis, t.rank);
    return dims_type(b, n, out, values.dt, &d);
}

const Expr *one_hot_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = out_type(l, out);
    int axis = sound_axis(l->node, "axis", t.rank);
    const Idx *at[MAX_RANK];
    for (int k = 0; k < t.rank - 1; k++)
        at[k] = i[k < axis ? k : k + 1];
    const Expr *index = expr_cast(c, DT_I64, in_at(l, 0, at)), *depth = i64(c, t.dims[axis]);
    index = expr_select(c, expr_op2(c, OP_lt, index, i64(c, 0)), expr_op2(c, OP_add, index, depth), index);
    const Expr *hit = expr_op2(c, OP_eq, index, expr_index(c, i[axis]));
    const Idx *on = idx_const(c, 1), *off = idx_const(c, 0);
    return expr_select(c, hit, in_at(l, 2, &on), in_at(l, 2, &off));
}
