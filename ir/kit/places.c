/* Vectors of places, from which compositions gather elements: what is known at run time only is clamped. */
#include "kit.h"

Edge *whole(Build *b, int64_t v)
{
    return build_const(b, NULL, tensor_int(b->c, v), b->loc);
}

Edge *iota(Build *b, int64_t n)
{
    return build_op(b, "Range", 3, (Edge *[]){whole(b, 0), whole(b, n), whole(b, 1)}, 0, NULL);
}

Edge *clipped(Build *b, Edge *x, int64_t lo, int64_t hi)
{
    return build_op2(b, "Max", build_op2(b, "Min", x, whole(b, hi)), whole(b, lo));
}

Edge *gathered(Build *b, Edge *x, Edge *places, int axis)
{
    Attr a = attr_int(b->c, "axis", axis);
    places = clipped(b, places, 0, x->type.dims[axis] > 0 ? x->type.dims[axis] - 1 : 0);
    return build_op(b, "Gather", 2, (Edge *[]){x, places}, 1, &a);
}

/* v, a vector along axis, so that it broadcasts with a tensor of that rank. */
Edge *along(Build *b, Edge *v, int rank, int axis)
{
    int64_t dims[MAX_RANK];
    for (int d = 0; d < rank; d++)
        dims[d] = d == axis ? v->type.dims[0] : 1;
    return reshaped(b, v, rank, dims);
}

/* Operand k as int64[m], NULL when left out; axes are counted from the front, and 0, 1, 2 … when left out. */
Edge *list64(Build *b, const Node *n, int k)
{
    return arg(n, k) ? build_cast(b, n->in[k], DT_I64) : NULL;
}

Edge *axes_list(Build *b, const Node *n, int k, int64_t m, int rank)
{
    Edge *axes = list64(b, n, k);
    return axes ? where(b, build_op2(b, "Less", axes, whole(b, 0)), build_op2(b, "Add", axes, whole(b, rank)), axes)
                : iota(b, m);
}

/* The element of `values` where `axes` is d; `absent` when it is nowhere. */
Edge *for_axis(Build *b, Edge *axes, Edge *values, int d, int64_t absent)
{
    Attr keep = attr_int(b->c, "keepdims", 0);
    Edge *here = where(b, build_op2(b, "Equal", axes, whole(b, d)), build_op2(b, "Sub", values, whole(b, absent)),
                       whole(b, 0));
    return build_op2(b, "Add", build_op(b, "ReduceSum", 1, &here, 1, &keep), whole(b, absent));
}

bool never_on(const Edge *axes, int d)
{
    for (int64_t i = 0; axes->data && i < type_count(axes->type); i++)
        if (tensor_at_int(axes->data, i) == d)
            return false;
    return axes->data != NULL;
}
