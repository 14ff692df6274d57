/* Sequences and optionals: lists of edges that the builder takes apart (List in ir/graph/graph.h). Lengths and
 * positions are known at compile time, but for the position of an element that is read: it chooses from all, when they
 * are alike. */
#include "meaning.h"

enum { MOST = 1 << 16 }; /* tensors that one operator makes */

bool sequence_construct(Build *b, const Node *n, Edge **out)
{
    out[0] = build_list(b, n->nin ? arg_type(n, 0).dt : (DType)node_int(n, "dtype", DT_F32), n->nin, n->in);
    return true;
}

/* SequenceInsert, and SequenceErase, which has one operand less; without a position: at the end. */
bool sequence_change(Build *b, const Node *n, Edge **out)
{
    const List *l = list_of(b, n, 0);
    bool insert = n->sig->nin == 3;
    int k = insert ? 2 : 1, from, to = 0;
    if (!l)
        return false;
    from = insert ? l->n : l->n - 1;
    if (arg(n, k) ? !place_in_list(b, n, k, l->n + insert, l->n, &from) : from < 0)
        return arg(n, k) ? false : node_error(b, n, "the sequence is empty: there is nothing to erase");
    Edge **at = NEW_N(b->c, Edge *, l->n + 1);
    for (int i = 0; i <= l->n; i++) {
        if (i == from && insert)
            at[to++] = n->in[1];
        if (i < l->n && (i != from || insert))
            at[to++] = l->at[i];
    }
    out[0] = build_list(b, n->in[0]->type.dt, to, at);
    return true;
}

bool sequence_at(Build *b, const Node *n, Edge **out)
{
    const List *l = list_of(b, n, 0);
    int at = 0;
    if (!l || ((arg_known(n, 1) || l->n == 0) && !place_in_list(b, n, 1, l->n, l->n, &at)))
        return false;
    for (int i = 1; !arg_known(n, 1) && i < l->n; i++)
        if (!type_same(l->at[i]->type, l->at[0]->type))
            return node_error(b, n, "the position is known at run time only, and the tensors of the sequence, %s and "
                              "%s, are not alike", type_text(b->c, l->at[0]->type), type_text(b->c, l->at[i]->type));
    out[0] = l->at[at];
    if (!arg_known(n, 1)) {
        Edge *i = reshaped(b, n->in[1], 0, NULL);
        out[0] = build_op2(b, "Gather", concatenated(b, l->n, l->at, 0, true), i);
    }
    return true;
}

bool sequence_length(Build *b, const Node *n, Edge **out)
{
    const List *l = list_of(b, n, 0);
    return l && (out[0] = build_const(b, NULL, tensor_int(b->c, l->n), n->loc));
}

bool concat_from_sequence(Build *b, const Node *n, Edge **out)
{
    const List *l = list_of(b, n, 0);
    bool fresh = node_int(n, "new_axis", 0) != 0;
    int axis;
    if (!l || l->n == 0)
        return l && node_error(b, n, "the sequence is empty: there is nothing to join");
    if (!node_axis(b, n, node_int(n, "axis", 0), l->at[0]->type.rank + fresh, false, &axis))
        return false;
    out[0] = concatenated(b, l->n, l->at, axis, fresh);
    return true;
}

bool split_to_sequence(Build *b, const Node *n, Edge **out)
{
    Type t = arg_type(n, 0);
    Ints sizes = {0, NULL};
    int axis;
    if (!node_axis(b, n, node_int(n, "axis", 0), t.rank, false, &axis) || (arg(n, 1) && !arg_ints(b, n, 1, &sizes)))
        return false;
    bool each = !arg(n, 1) || arg_type(n, 1).rank == 0;
    int64_t dim = t.dims[axis], size = each && arg(n, 1) ? sizes.v[0] : 1;
    if (size < 1 || (each && dim / size > MOST))
        return node_error(b, n, "axis %d of %s, in pieces of %lld: at most %d pieces are supported", axis,
                          type_text(b->c, t), (long long)size, MOST);
    int count = each ? (int)(dim / size + (dim % size != 0)) : sizes.n;
    int64_t *v = NEW_N(b->c, int64_t, count);
    for (int i = 0; i < count; i++)
        v[i] = !each ? sizes.v[i] : dim - i * size < size ? dim - i * size : size;
    Edge **at = NEW_N(b->c, Edge *, count);
    Attr along = attr_int(b->c, "axis", axis);
    if (count)
        build_op_n(b, "Split", 2, (Edge *[]){n->in[0], build_ints(b, count, v)}, 1, &along, count, at);
    for (int i = 0; i < count; i++) {
        if (!arg(n, 1) && !node_int(n, "keepdims", 1))
            at[i] = moved(b, "Squeeze", at[i], axis);
        if (edge_poisoned(at[i]))
            return false;
    }
    out[0] = build_list(b, t.dt, count, at);
    return true;
}

/* The body for the elements of each sequence that stand at one place. */
bool sequence_map(Build *b, const Node *n, Edge **out)
{
    const List *first = list_of(b, n, 0);
    Steps s;
    for (int k = 0; first && k < n->nin; k++)
        if (n->in[k]->list && n->in[k]->list->n != first->n)
            return node_error(b, n, "the sequences have %d and %d tensors: they must have equally many", first->n,
                              n->in[k]->list->n);
    if (!first || !steps_open(&s, b, n, 0, 0, 0, n->nin))
        return false;
    for (int i = 0; i < first->n; i++) {
        for (int k = 0; k < n->nin; k++)
            s.in[k] = n->in[k]->list ? n->in[k]->list->at[i] : n->in[k];
        if (!steps_next(&s, NULL))
            return false;
    }
    for (int k = 0; k < n->nout; k++)
        out[k] = build_list(b, first->n ? s.scans[k].at[0]->type.dt : DT_F32, first->n, s.scans[k].at);
    return true;
}

/* ---- optionals, and what hands on ---- */

bool same(Build *b, const Node *n, Edge **out)
{
    out[0] = arg(n, 0) ? n->in[0] : build_list(b, DT_F32, -1, NULL);
    return true;
}

bool optional_has(Build *b, const Node *n, Edge **out)
{
    const Edge *e = arg(n, 0);
    out[0] = build_scalar(b, DT_BOOL, e && !(e->list && e->list->n < 0));
    return true;
}

bool optional_get(Build *b, const Node *n, Edge **out)
{
    const List *l = n->in[0]->list;
    return l && l->n < 0 ? node_error(b, n, "the optional has no value to get") : same(b, n, out);
}
