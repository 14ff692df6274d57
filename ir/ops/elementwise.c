/* Elementwise operators that are more than one scalar operator: a variable number of operands, mixed types, an
 * attribute that chooses; and how the broadcasting of the first versions (attributes axis and broadcast) becomes
 * today's. Plain ones are rows of elementwise.def alone. */
#include "meaning.h"

/* ---- versions before multidirectional broadcasting ---- */

/* Versions 1 and 6 of the binary operators: B has A's shape, or with broadcast = 1 matches a run of A's dimensions that
 * begins at `axis` (default: the last ones). It gets a 1 for each dimension of A behind the run. */
bool old_broadcast(Build *b, const Node *n, Edge **out)
{
    Type x = arg_type(n, 0), y = arg_type(n, 1);
    bool broadcast = node_int(n, "broadcast", 0) != 0, fits = broadcast ? y.rank <= x.rank : same_dims(x, y);
    int64_t axis = node_int(n, "axis", x.rank - y.rank), dims[MAX_RANK];
    Edge *second = n->in[1];
    if (broadcast && fits && type_count(y) != 1) {
        axis = axis < 0 ? axis + x.rank : axis;
        fits = axis >= 0 && axis <= x.rank - y.rank;
        for (int i = 0; fits && i < y.rank; i++)
            fits = y.dims[i] == x.dims[axis + i] || y.dims[i] == 1;
    }
    if (!fits) {
        node_error(b, n, "A is %s, B is %s: before opset 7 %s", type_text(b->c, x), type_text(b->c, y),
                   broadcast ? "B must be a single element or match a run of A's dimensions that begins at axis"
                             : "their shapes must be equal (broadcast = 1 relaxes that)");
        return false;
    }
    if (broadcast && type_count(y) == 1) {
        second = reshaped(b, second, 0, NULL);
    } else if (broadcast) {
        int rank = x.rank - (int)axis;
        for (int i = 0; i < rank; i++)
            dims[i] = i < y.rank ? y.dims[i] : 1;
        second = reshaped(b, second, rank, dims);
    }
    return rebuild(b, n, 2, (Edge *[]){n->in[0], second}, 0, NULL, out);
}

/* Max, Min, Sum and Mean before version 8. */
bool same_shapes(Build *b, const Node *n, Edge **out)
{
    for (int k = 1; k < n->nin; k++)
        if (!same_dims(arg_type(n, 0), arg_type(n, k)))
            return node_error(b, n, "operand 0 is %s, operand %d is %s: before opset 8 all shapes must be equal",
                              type_text(b->c, arg_type(n, 0)), k, type_text(b->c, arg_type(n, k)));
    return newest(b, n, out);
}

/* ---- several operands ---- */

static bool broadcast_all(Build *b, const Node *n, int nin, DType dt, Type *out)
{
    int64_t dims[MAX_RANK], next[MAX_RANK];
    int rank = 0;
    for (int k = 0; k < nin; k++) {
        Type t = arg_type(n, k);
        int r;
        if (!broadcast_dims(rank, dims, t.rank, t.dims, &r, next))
            return node_error(b, n, "operand %d is %s, which does not broadcast with %s: aligned from the right, two "
                              "dimensions are equal or one of them is 1", k, type_text(b->c, t),
                              dims_text(b->c, rank, dims));
        rank = r;
        memcpy(dims, next, sizeof dims);
    }
    return make_type(b, n, out, 0, dt, rank, dims);
}

bool variadic_infer(Build *b, const Node *n, Type *out)
{
    return broadcast_all(b, n, n->nin, arg_type(n, 0).dt, out);
}

/* From left to right while few, halves of many: the expression stays shallow. */
static const Expr *folded(Lower *l, ScalarOp op, int from, int to, int rank, const Idx *const *i)
{
    if (to - from > 8) {
        int middle = from + (to - from) / 2;
        return expr_op2(l->c, op, folded(l, op, from, middle, rank, i), folded(l, op, middle, to, rank, i));
    }
    const Expr *acc = math(l, from, rank, i);
    for (int k = from + 1; k < to; k++)
        acc = expr_op2(l->c, op, acc, math(l, k, rank, i));
    return acc;
}

/* Of many operands a few at a time: no expression grows beyond what a kernel should hold, and their producers can be fused with it. */
static const Expr *variadic(Lower *l, ScalarOp op)
{
    enum { CHUNK = 32 };
    Type t = out_type(l, 0);
    const Idx *const *i = lower_vars(l, t.rank, t.dims);
    const Expr *acc = NULL;
    for (int from = 0, to; from < l->node->nin; from = to) {
        to = l->node->nin - from > CHUNK ? from + CHUNK : l->node->nin;
        const Expr *part = folded(l, op, from, to, t.rank, i);
        acc = acc ? expr_op2(l->c, op, acc, part) : part;
        if (to == l->node->nin)
            break;
        Buf *held = lower_temp(l, "part", acc->dt, t.rank, t.dims);
        lower_store(l, held, acc);
        acc = expr_load(l->c, held, i);
    }
    return acc;
}

void max_lower(Lower *l)
{
    lower_store(l, l->out[0], variadic(l, OP_max));
}

void min_lower(Lower *l)
{
    lower_store(l, l->out[0], variadic(l, OP_min));
}

void sum_lower(Lower *l)
{
    lower_store(l, l->out[0], variadic(l, OP_add));
}

void mean_lower(Lower *l)
{
    const Expr *sum = variadic(l, OP_add);
    lower_store(l, l->out[0], expr_op2(l->c, OP_div, sum, known_number(l->c, sum->dt, l->node->nin)));
}

bool where_infer(Build *b, const Node *n, Type *out)
{
    return broadcast_all(b, n, 3, arg_type(n, 1).dt, out);
}

const Expr *where_at(Lower *l, int out, const Idx *const *i)
{
    int r = out_type(l, out).rank;
    return expr_select(l->c, in_broadcast(l, 0, r, i), in_broadcast(l, 1, r, i), in_broadcast(l, 2, r, i));
}

/* ---- a choice of scalar operator ---- */

/* The result has the base's type; the exponent may have another. Integers to a float power go through double, as in the
 * reference. */
bool pow_infer(Build *b, const Node *n, Type *out)
{
    return broadcast_all(b, n, 2, arg_type(n, 0).dt, out);
}

const Expr *pow_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    int r = out_type(l, out).rank;
    const Expr *x = math(l, 0, r, i), *y = math(l, 1, r, i);
    if (dtype_is_float(x->dt))
        return expr_op2(c, OP_pow, x, expr_cast(c, x->dt, y));
    if (dtype_is_float(y->dt))
        return expr_op2(c, OP_pow, expr_cast(c, DT_F64, x), expr_cast(c, DT_F64, y));
    DType wide = x->dt == DT_U64 && y->dt == DT_U64 ? DT_U64 : DT_I64;
    return expr_op2(c, OP_pow, expr_cast(c, wide, x), expr_cast(c, wide, y));
}

bool mod_infer(Build *b, const Node *n, Type *out)
{
    if (!node_int(n, "fmod", 0) && dtype_is_float(arg_type(n, 0).dt))
        return node_error(b, n, "the operands are %s: floats need fmod = 1", dtype_name(arg_type(n, 0).dt));
    return broadcast_all(b, n, 2, arg_type(n, 0).dt, out);
}

const Expr *mod_at(Lower *l, int out, const Idx *const *i)
{
    int r = out_type(l, out).rank;
    return expr_op2(l->c, node_int(l->node, "fmod", 0) ? OP_fmod : OP_mod, math(l, 0, r, i), math(l, 1, r, i));
}

const Expr *shift_at(Lower *l, int out, const Idx *const *i)
{
    int r = out_type(l, out).rank;
    bool left = strcmp(node_string(l->node, "direction", ""), "LEFT") == 0;
    return expr_op2(l->c, left ? OP_shl : OP_shr, math(l, 0, r, i), math(l, 1, r, i));
}

/* Equal on types without arithmetic: their values are widened first. */
static const Expr *comparable(Ctx *c, const Expr *x)
{
    if (dtype_bits(x->dt) < 8 || (dtype_is_float(x->dt) && dtype_bits(x->dt) <= 16))
        return expr_cast(c, dtype_is_float(x->dt) ? DT_F32 : DT_I32, x);
    return x;
}

bool equal_infer(Build *b, const Node *n, Type *out)
{
    if (dtype_class(arg_type(n, 0).dt) == CLASS_COMPLEX)
        return node_error(b, n, "the operands are %s: complex numbers are moved only", dtype_name(arg_type(n, 0).dt));
    return broadcast_all(b, n, 2, DT_BOOL, out);
}

const Expr *equal_at(Lower *l, int out, const Idx *const *i)
{
    int r = out_type(l, out).rank;
    return expr_op2(l->c, OP_eq, comparable(l->c, in_broadcast(l, 0, r, i)),
                    comparable(l->c, in_broadcast(l, 1, r, i)));
}

bool truth_infer(Build *b, const Node *n, Type *out)
{
    return make_type(b, n, out, 0, DT_BOOL, arg_type(n, 0).rank, arg_type(n, 0).dims);
}

const Expr *is_nan_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return expr_op1(l->c, OP_isnan, comparable(l->c, in_at(l, 0, i)));
}

const Expr *is_inf_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    bool up = node_int(l->node, "detect_positive", 1) != 0, down = node_int(l->node, "detect_negative", 1) != 0;
    if (!up && !down)
        return expr_int(l->c, DT_BOOL, 0);
    return expr_op1(l->c, up && down ? OP_isinf : up ? OP_isinf_pos : OP_isinf_neg, comparable(l->c, in_at(l, 0, i)));
}

/* ---- Clip ---- */

bool clip_infer(Build *b, const Node *n, Type *out)
{
    for (int k = 1; k <= 2; k++)
        if (arg(n, k) && type_count(arg_type(n, k)) != 1)
            return node_error(b, n, "%s is %s: it must be a scalar", n->sig->in[k].name,
                              type_text(b->c, arg_type(n, k)));
    out[0] = arg_type(n, 0);
    return true;
}

/* Operand k, one element of whatever rank. */
static const Expr *bound(Lower *l, int k)
{
    const Idx *at[MAX_RANK];
    for (int i = 0; i < in_type(l, k).rank; i++)
        at[i] = idx_const(l->c, 0);
    return in_math(l, k, at);
}

const Expr *clip_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    bool low = arg(l->node, 1), high = arg(l->node, 2);
    const Expr *x = in_math(l, 0, i);
    if (low && high)
        return expr_op3(l->c, OP_clip, x, bound(l, 1), bound(l, 2));
    return low ? expr_op2(l->c, OP_max, x, bound(l, 1)) : high ? expr_op2(l->c, OP_min, x, bound(l, 2)) : x;
}

