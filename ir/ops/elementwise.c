/* Elementwise operators of a variable number of operands, and how the broadcasting of the first versions (attributes
 * axis and broadcast) becomes today's. All others are rows of elementwise.def alone. */
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
    if (!fits)
        return unfit(b, n, "before opset 7 %s",
                     broadcast ? "B must be a single element or match a run of A's dimensions that begins at axis"
                               : "shapes must be equal (broadcast = 1 relaxes that)");
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
            return unfit(b, n, "before opset 8 all shapes must be equal");
    return newest(b, n, out);
}

/* ---- several operands ---- */

bool variadic_infer(Build *b, const Node *n, Type *out)
{
    int64_t dims[MAX_RANK], next[MAX_RANK];
    int rank = 0;
    for (int k = 0; k < n->nin; k++) {
        Type t = arg_type(n, k);
        int r;
        if (!broadcast_dims(rank, dims, t.rank, t.dims, &r, next))
            return node_error(b, n, "operand %d is %s, which does not broadcast with %s: from the right, dimensions "
                              "are equal or 1", k, type_text(b->c, t), dims_text(b->c, rank, dims));
        rank = r;
        memcpy(dims, next, sizeof dims);
    }
    return make_type(b, n, out, 0, arg_type(n, 0).dt, rank, dims);
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

/* Of many operands a few at a time: no expression grows beyond what a kernel should hold, and their producers can be
 * fused with it. */
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

#define VARIADIC(name, op) \
    void name(Lower *l) \
    { \
        lower_store(l, l->out[0], variadic(l, op)); \
    }
VARIADIC(max_lower, OP_max)
VARIADIC(min_lower, OP_min)
VARIADIC(sum_lower, OP_add)

void mean_lower(Lower *l)
{
    const Expr *sum = variadic(l, OP_add);
    lower_store(l, l->out[0], expr_op2(l->c, OP_div, sum, known_number(l->c, sum->dt, l->node->nin)));
}

/* ---- what the types of formulas must be ---- */

bool mod_infer(Build *b, const Node *n, Type *out)
{
    if (!node_int(n, "fmod", 0) && dtype_is_float(arg_type(n, 0).dt))
        return node_error(b, n, "the operands are %s: floats need fmod = 1", dtype_name(arg_type(n, 0).dt));
    return variadic_infer(b, n, out);
}

bool equal_infer(Build *b, const Node *n, Type *out)
{
    if (dtype_class(arg_type(n, 0).dt) == CLASS_COMPLEX)
        return node_error(b, n, "the operands are %s: complex numbers are moved only", dtype_name(arg_type(n, 0).dt));
    bool fits = variadic_infer(b, n, out);
    out[0].dt = DT_BOOL;
    return fits;
}

bool clip_infer(Build *b, const Node *n, Type *out)
{
    for (int k = 1; k <= 2; k++)
        if (arg(n, k) && type_count(arg_type(n, k)) != 1)
            return node_error(b, n, "%s is %s: it must be a scalar", n->sig->in[k].name,
                              type_text(b->c, arg_type(n, k)));
    out[0] = arg_type(n, 0);
    return true;
}
