/* A node whose operands marked ! are known at run time only (.late of an operator): the declared shape of its output fixes
 * every extent, so it tells the value, or leaves a few, each of which is built; the value then chooses among the results.
 */
#include "kit.h"

/* The last one: what is more than one (a region and sizes) is settled one after the other. */
int late_operand(const Node *n)
{
    int k = n->nin - 1;
    while (!n->in[k] || n->in[k]->data || !sig_param(n->sig->in, n->sig->nin, k)->known)
        k--;
    return k;
}

bool is_late(const Node *n, int k)
{
    return arg(n, k) && !arg_known(n, k);
}

Type late_type(const Node *n)
{
    for (int k = 0; k < n->nout; k++)
        if (n->out[k])
            return n->out[k]->type;
    return (Type){0};
}

bool late_with(Build *b, const Node *n, int k, Edge *value, Edge **out)
{
    Edge **in = mem_copy(b->c, n->in, sizeof *in * (size_t)n->nin);
    in[k] = value;
    build_again(b, n, in, out);
    return true;
}

enum { MOST_CHOICES = 64 };

/* Whether operand k, of axes in a tensor of that rank, names only those of `value`; rank 0: equals it. */
static Edge *chosen(Build *b, const Node *n, int k, Edge *value, int rank)
{
    Edge *hit;
    Attr keep = attr_int(b->c, "keepdims", 0);
    if (rank == 0) {
        hit = build_op2(b, "Equal", build_cast(b, n->in[k], DT_I64), value);
    } else {
        int64_t dim = rank;
        Tensor *on = tensor_new(b->c, type_make(b->c, DT_BOOL, 1, &dim));
        for (int64_t i = 0; i < type_count(value->type); i++)
            ((bool *)(uintptr_t)on->data)[tensor_at_int(value->data, i)] = true;
        hit = build_op2(b, "Gather", build_const(b, NULL, on, n->loc), n->in[k]);
    }
    return build_op(b, "ReduceMin", 1, &hit, 1, &keep);
}

/* out: n with that of the values which operand k has. Values with which the outputs have other shapes drop out. */
bool late_choice(Build *b, const Node *n, int k, int count, Edge *const *values, int rank, Edge **out)
{
    Edge **fit = NEW_N(b->c, Edge *, count), **other = NEW_N(b->c, Edge *, n->nout);
    int nfit = 0;
    for (int i = 0; i < count; i++)
        if (build_fits(b, n, k, values[i]))
            fit[nfit++] = values[i];
    if (nfit == 0 || nfit > MOST_CHOICES)
        return node_error(b, n, "%s values of '%s' would give the declared shape %s: make it a constant",
                          nfit ? "too many" : "no", sig_param(n->sig->in, n->sig->nin, k)->name,
                          dims_text(b->c, late_type(n).rank, late_type(n).dims));
    late_with(b, n, k, fit[nfit - 1], out);
    for (int i = nfit - 1; i-- > 0;) {
        Edge *hit = chosen(b, n, k, fit[i], rank);
        late_with(b, n, k, fit[i], other);
        for (int j = 0; j < n->nout; j++)
            if (n->out[j])
                out[j] = build_op(b, "Where", 3, (Edge *[]){hit, other[j], out[j]}, 0, NULL);
    }
    return true;
}

/* Every whole number from 1 to `most` that operand k, a single one, may be. */
bool late_number(Build *b, const Node *n, int k, int64_t most, Edge **out)
{
    VEC(Edge *) values = {0};
    for (int64_t v = 1; v <= most && v <= 1 << 16; v++)
        VEC_PUSH(b->c, values, whole(b, v));
    return late_choice(b, n, k, values.n, values.at, 0, out);
}

/* ---- what is common to many operators ---- */

bool late_reshape(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    out[0] = reshaped(b, n->in[0], t.rank, t.dims);
    return true;
}

/* The dimensions, or those of the attribute axes. */
bool late_shape(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    Ints axes;
    int64_t v[MAX_RANK];
    bool on[MAX_RANK];
    if (!attr_list(n, "axes", &axes))
        return late_with(b, n, late_operand(n), build_ints(b, t.rank, t.dims), out);
    if (!axes_set(b, n, axes, t.rank, on))
        return false;
    for (int k = 0; k < axes.n; k++)
        v[k] = t.dims[axes.v[k] < 0 ? axes.v[k] + t.rank : axes.v[k]];
    return late_with(b, n, late_operand(n), build_ints(b, axes.n, v), out);
}

/* The extent of the one axis. */
bool late_extent(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int axis;
    if (!node_axis(b, n, node_int(n, "axis", 0), t.rank, false, &axis))
        return false;
    return late_with(b, n, late_operand(n), whole(b, t.dims[axis]), out);
}

/* Operand 1: every set of as many axes as it has elements. */
bool late_axes(Build *b, const Node *n, Edge **out)
{
    int rank = arg_type(n, 0).rank, count = 0;
    int64_t m = type_count(arg_type(n, 1)), v[MAX_RANK];
    VEC(Edge *) values = {0};
    for (uint32_t set = 0; rank <= 12 && set < UINT32_C(1) << rank; set++, count = 0) {
        for (int d = 0; d < rank; d++)
            if (set >> d & 1)
                v[count++] = d;
        if (count == m)
            VEC_PUSH(b->c, values, build_ints(b, count, v));
    }
    return late_choice(b, n, 1, values.n, values.at, rank, out);
}
