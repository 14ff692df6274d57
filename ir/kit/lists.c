/* Lists of tensors: sequences that the builder takes apart (List in graph.h), and tensors made of their elements. */
#include "kit.h"

Edge *moved(Build *b, const char *op, Edge *x, int axis)
{
    return build_op2(b, op, x, build_ints(b, 1, &(int64_t){axis}));
}

Edge *concatenated(Build *b, int n, Edge *const *parts, int axis, bool fresh)
{
    Attr along = attr_int(b->c, "axis", axis);
    Edge **in = mem_copy(b->c, parts, sizeof *in * (size_t)n);
    for (int i = 0; fresh && i < n; i++)
        in[i] = moved(b, "Unsqueeze", in[i], axis);
    return build_op(b, "Concat", n, in, 1, &along);
}

Edge *slice_at(Build *b, Edge *x, int axis, int64_t i)
{
    Attr along = attr_int(b->c, "axis", axis);
    Edge *in[2] = {x, build_const(b, NULL, tensor_int(b->c, i), b->loc)};
    return build_op(b, "Gather", 2, in, 1, &along);
}

const List *list_of(Build *b, const Node *n, int k)
{
    const List *l = n->in[k]->list;
    if (l && l->n >= 0)
        return l;
    node_error(b, n, "input %d, '%s', is %s: it must be a sequence", k, n->in[k]->name,
               l ? "an optional without a value" : type_text(b->c, arg_type(n, k)));
    return NULL;
}

bool place_in_list(Build *b, const Node *n, int k, int count, int length, int *at)
{
    int64_t v;
    if (!arg_int(b, n, k, &v))
        return false;
    if (v < -length || v >= count)
        return node_error(b, n, "position %lld is out of range: there are %d places in the sequence", (long long)v,
                          count);
    *at = (int)(v < 0 ? v + length : v);
    return true;
}
