/* The layers of OpenVINO as operators of the domain "openvino": the table, and what the functions behind it share. */
#include "openvino_ops.h"

enum { MOST_SIZE = 1 << 30 };          /* so that products of two do not overflow */

bool ov_known_ints(Build *b, const Node *n, int k, Ints *to)
{
    const Tensor *t = k < n->nin && n->in[k] ? n->in[k]->data : NULL;
    to->n = 0;
    if (!t || type_count(t->type) > MAX_RANK) {
        node_error(b, n, "input %d must be known at compile time and have at most %d elements", k, MAX_RANK);
        return false;
    }
    for (; to->n < type_count(t->type); to->n++)
        to->v[to->n] = tensor_at_int(t, to->n);
    return true;
}

bool ov_known_axes(Build *b, const Node *n, int k, int rank, Ints *to)
{
    if (!ov_known_ints(b, n, k, to))
        return false;
    for (int i = 0; i < to->n; i++) {
        int axis;
        if (!node_axis(b, n, to->v[i], rank, false, &axis))
            return false;
        to->v[i] = axis;
    }
    return true;
}

bool ov_list_attr(Build *b, const Node *n, const char *name, int count, int64_t absent, Ints *to)
{
    const Attr *a = node_attr(n, name);
    to->n = count;
    for (int i = 0; i < count; i++)
        to->v[i] = absent;
    if (!a || !a->n)
        return true;
    if (a->n != count) {
        node_error(b, n, "attribute '%s' has %d values: it must have %d", name, a->n, count);
        return false;
    }
    for (int i = 0; i < count; i++) {
        to->v[i] = a->ints[i];
        if (to->v[i] > MOST_SIZE || to->v[i] < -MOST_SIZE) {
            node_error(b, n, "attribute '%s' has a value of %lld, which is too large", name, (long long)to->v[i]);
            return false;
        }
    }
    return true;
}

Edge *ov_to_dims(Build *b, Edge *x, int rank, const int64_t *dims)
{
    if (type_same((Type){x->type.dt, rank, dims}, x->type))
        return x;
    Attr zero = attr_int(b->c, "allowzero", 1);
    Edge *in[2] = {x, build_ints(b, rank, dims)};
    return build_op(b, "Reshape", 2, in, 1, &zero);
}

Edge *ov_to_order(Build *b, Edge *x, int rank, const int64_t *perm)
{
    bool moves = false;
    for (int i = 0; i < rank; i++)
        moves |= perm[i] != i;
    Attr a = attr_ints(b->c, "perm", rank, perm);
    return moves ? build_op(b, "Transpose", 1, &x, 1, &a) : x;
}

Edge *ov_part_of(Build *b, Edge *x, int axis, int64_t from, int64_t to)
{
    int64_t along = axis;
    Edge *in[4] = {x, build_ints(b, 1, &from), build_ints(b, 1, &to), build_ints(b, 1, &along)};
    return build_op(b, "Slice", 4, in, 0, NULL);
}

Edge *ov_joined(Build *b, int n, Edge *const *x, int axis)
{
    Attr a = attr_int(b->c, "axis", axis);
    return n == 1 ? x[0] : build_op(b, "Concat", n, x, 1, &a);
}

Edge *ov_number_of(Build *b, DType dt, double v)
{
    return build_scalar(b, dt, v);
}

/* The best `k` of the last dimension of x, sorted, and their places. */
void ov_best(Build *b, Edge *x, int64_t k, bool largest, Edge **got)
{
    Attr a[2] = {attr_int(b->c, "axis", -1), attr_int(b->c, "largest", largest)};
    build_op_n(b, "TopK", 2, (Edge *[]){x, build_ints(b, 1, &k)}, 2, a, 2, got);
}

Edge *ov_where(Build *b, Edge *c, Edge *x, double otherwise)
{
    return build_op(b, "Where", 3, (Edge *[]){c, x, ov_number_of(b, x->type.dt, otherwise)}, 0, NULL);
}

Edge *ov_gathered(Build *b, Edge *x, Edge *at, int batch)
{
    Attr a = attr_int(b->c, "batch_dims", batch);
    int64_t last = at->type.rank;
    return build_op(b, "GatherND", 2, (Edge *[]){x, build_op2(b, "Unsqueeze", at, build_ints(b, 1, &last))}, 1, &a);
}

const Op openvino_ops[] = {
#include "openvino.def"
#include "openvino_boxes.def"
};
const int openvino_count = COUNT(openvino_ops);
