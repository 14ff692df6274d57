/* Operands, attributes, axes and types: what every meaning asks of its node. Each fault is reported here once, in words
 * that name the operand, its type and the rule, so that the meanings only say `return false`. */
#include "kit.h"

Edge *arg(const Node *n, int k)
{
    return k < n->nin ? n->in[k] : NULL;
}

const Tensor *arg_known(const Node *n, int k)
{
    Edge *e = arg(n, k);
    return e ? e->data : NULL;
}

Type arg_type(const Node *n, int k)
{
    return n->in[k]->type;
}

bool same_dims(Type a, Type b)
{
    return a.rank == b.rank && (a.rank == 0 || memcmp(a.dims, b.dims, sizeof *a.dims * (size_t)a.rank) == 0);
}

/* The operand's name in the signature; a variadic one stands for all that follow. */
static const char *arg_name(const Node *n, int k)
{
    int last = n->sig->nin - 1;
    return n->sig->in[k < last ? k : last].name;
}

/* " = [2,3]", a known value that is short enough to be told; else " is float[2,3]". */
static const char *value_text(Ctx *c, const Edge *e)
{
    const Tensor *t = e->data;
    int64_t v[MAX_RANK], count = t ? type_count(t->type) : -1;
    if (count < 0 || count > MAX_RANK || !dtype_is_int(t->type.dt) || t->type.rank > 1)
        return internf(c, " is %s", type_text(c, e->type));
    for (int64_t i = 0; i < count; i++)
        v[i] = tensor_at_int(t, i);
    return t->type.rank ? internf(c, " = %s", dims_text(c, (int)count, v)) : internf(c, " = %lld", (long long)v[0]);
}

/* "data is float[2,3], axes = [4], keepdims = 1" */
static const char *given_text(Ctx *c, const Node *n)
{
    const char *text = "";
    for (int k = 0; k < n->nin && k < 8; k++)
        if (n->in[k])
            text = internf(c, "%s%s%s%s", text, *text ? ", " : "", sig_param(n->sig->in, n->sig->nin, k)->name,
                           value_text(c, n->in[k]));
    for (int i = 0; i < n->nattrs; i++) {
        const Attr *a = &n->attrs[i];
        if (a->kind == ATTR_INT || a->kind == ATTR_INTS)
            text = internf(c, "%s%s%s = %s", text, *text ? ", " : "", a->name,
                           a->kind == ATTR_INT ? internf(c, "%lld", (long long)a->i) :
                           a->n > MAX_RANK ? internf(c, "%d numbers", a->n) : dims_text(c, a->n, a->ints));
    }
    return text;
}

bool unfit(Build *b, const Node *n, const char *rule, ...)
{
    va_list args;
    va_start(args, rule);
    const char *text = vinternf(b->c, rule, args);
    va_end(args);
    return node_error(b, n, "%s: %s", given_text(b->c, n), text);
}

bool arg_ints(Build *b, const Node *n, int k, Ints *list)
{
    const Tensor *t = arg_known(n, k);
    if (!t)
        return node_error(b, n, "the values of %s are not known at compile time: they must come from constants or from "
                          "shapes", arg_name(n, k));
    if (t->type.rank > 1)
        return node_error(b, n, "%s is %s: it must be a vector of integers", arg_name(n, k), type_text(b->c, t->type));
    int64_t count = type_count(t->type);
    if (count > INT_MAX)
        return node_error(b, n, "%s has %lld elements: too many", arg_name(n, k), (long long)count);
    int64_t *v = NEW_N(b->c, int64_t, count + 1);
    for (int64_t i = 0; i < count; i++)
        v[i] = tensor_at_int(t, i);
    *list = (Ints){(int)count, v};
    return true;
}

bool arg_shape(Build *b, const Node *n, int k, Ints *list)
{
    if (!arg_ints(b, n, k, list))
        return false;
    for (int i = 0; i < list->n; i++)
        if (list->v[i] < 0)
            return node_error(b, n, "%s %s has a negative dimension at index %d", arg_name(n, k),
                              dims_text(b->c, list->n, list->v), i);
    return true;
}

bool arg_int(Build *b, const Node *n, int k, int64_t *v)
{
    Ints list;
    if (!arg_ints(b, n, k, &list))
        return false;
    if (list.n != 1)
        return node_error(b, n, "%s is %s: it must be a single integer", arg_name(n, k),
                          type_text(b->c, arg_type(n, k)));
    *v = list.v[0];
    return true;
}

bool arg_number(Build *b, const Node *n, int k)
{
    const Tensor *t = arg_known(n, k);
    return (t && type_count(t->type) == 1) ||
           node_error(b, n, "%s %s", arg_name(n, k),
                      t ? "must be a scalar" : "is not known at compile time: it must be a constant");
}

DType attr_type(const Node *n, const char *name, DType absent)
{
    int64_t dt = node_int(n, name, absent);
    return dt > DT_NONE && dt < DT_COUNT ? (DType)dt : DT_NONE;
}

bool attr_list(const Node *n, const char *name, Ints *list)
{
    const Attr *a = node_attr(n, name);
    *list = a ? (Ints){a->n, a->ints} : (Ints){0, NULL};
    return a != NULL;
}

bool attr_axis(Build *b, const Node *n, const char *name, int rank, int *axis)
{
    return node_axis(b, n, node_int(n, name, 0), rank, false, axis);
}

int sound_axis(const Node *n, const char *name, int rank)
{
    int64_t axis = node_int(n, name, 0);
    return (int)(axis < 0 ? axis + rank : axis);
}

bool axes_set(Build *b, const Node *n, Ints axes, int rank, bool *on)
{
    memset(on, 0, MAX_RANK * sizeof *on);
    for (int i = 0; i < axes.n; i++) {
        int axis;
        if (!node_axis(b, n, axes.v[i], rank, false, &axis))
            return false;
        if (on[axis])
            return node_error(b, n, "axis %d is named twice in axes %s", axis, dims_text(b->c, axes.n, axes.v));
        on[axis] = true;
    }
    return true;
}

bool make_type(Build *b, const Node *n, Type *out, int k, DType dt, int rank, const int64_t *dims)
{
    int64_t count;
    if (rank > MAX_RANK)
        return node_error(b, n, "the result has %d dimensions: at most %d are supported", rank, MAX_RANK);
    if (!dims_count(rank, dims, &count))
        return node_error(b, n, "the result %s[%s has more than 2^40 elements", dtype_name(dt),
                          dims_text(b->c, rank, dims) + 1);
    out[k] = type_make(b->c, dt, rank, dims);
    return true;
}

bool type_but(Build *b, const Node *n, Type *out, int k, int axis, int64_t size)
{
    Type t = arg_type(n, 0);
    int64_t dims[MAX_RANK];
    for (int i = 0; i < t.rank; i++)
        dims[i] = i == axis ? size : t.dims[i];
    return make_type(b, n, out, k, t.dt, t.rank, dims);
}

void dims_take(Dims *d, Type t, int from, int to)
{
    for (int i = from; i < to; i++)
        d->at[d->n++] = t.dims[i];
}

bool dims_type(Build *b, const Node *n, Type *out, DType dt, const Dims *d)
{
    return make_type(b, n, out, 0, dt, d->n, d->at);
}

bool within_first(Build *b, const Node *n, Type *out)
{
    out[0] = arg_type(n, 0);
    for (int k = 1; k < n->nin; k++) {
        int64_t dims[MAX_RANK];
        int rank = 0;
        Type t = arg(n, k) ? arg_type(n, k) : out[0];
        if (!broadcast_dims(out[0].rank, out[0].dims, t.rank, t.dims, &rank, dims) ||
            !same_dims(out[0], (Type){t.dt, rank, dims}))
            return node_error(b, n, "%s is %s: it must broadcast to %s, %s, from the right", arg_name(n, k),
                              type_text(b->c, t), arg_name(n, 0), type_text(b->c, out[0]));
    }
    return true;
}

bool rebuild(Build *b, const Node *n, int nin, Edge *const *in, int nattrs, const Attr *attrs, Edge **out)
{
    Type *declared = NEW_N(b->c, Type, n->nout);
    for (int k = 0; k < n->nout; k++)
        declared[k] = n->out[k] ? n->out[k]->type : (Type){0};
    build_op_as(b, n->sig->name, nin, in, nattrs, attrs, n->nout, declared, out);
    return true;
}

/* Attribute a as an operand. */
static Edge *attr_operand(Build *b, const Node *n, const Attr *a)
{
    return !a ? NULL : a->kind == ATTR_FLOAT ? like(b, n->in[0], (double)a->f)
                     : build_ints(b, a->kind == ATTR_INT ? 1 : a->n, a->kind == ATTR_INT ? &a->i : a->ints);
}

/* Where the newest version has an operand for an attribute, the attribute becomes that. */
bool newest(Build *b, const Node *n, Edge **out)
{
    const Sig *s = op_newest(b->c, n->sig->domain, n->sig->name);
    Attr *attrs = NEW_N(b->c, Attr, n->nattrs + 1);
    Edge **in = NEW_N(b->c, Edge *, n->nin + s->nin);
    int nattrs = 0, nin = n->nin > s->nin ? n->nin : s->nin;
    for (int i = 0; i < s->nattrs; i++)
        if (node_attr(n, s->attrs[i].name))
            attrs[nattrs++] = *node_attr(n, s->attrs[i].name);
    for (int k = 0; k < nin; k++)
        in[k] = arg(n, k) ? n->in[k] : k < s->nin ? attr_operand(b, n, node_attr(n, s->in[k].name)) : NULL;
    for (int k = 0; k < nin && k < s->nin; k++)
        if (in[k] && s->in[k].types == UINT64_C(1) << DT_I64)
            in[k] = build_cast(b, in[k], DT_I64);
    return rebuild(b, n, nin, in, nattrs, attrs, out);
}

Edge *reshaped(Build *b, Edge *x, int rank, const int64_t *dims)
{
    if (edge_poisoned(x) || same_dims(x->type, (Type){x->type.dt, rank, dims}))
        return x;
    Attr allow = attr_int(b->c, "allowzero", 1);
    return build_op(b, "Reshape", 2, (Edge *[]){x, build_ints(b, rank, dims)}, 1, &allow);
}

Edge *like(Build *b, Edge *x, double v)
{
    return edge_poisoned(x) ? x : build_scalar(b, x->type.dt, v);
}

Edge *where(Build *b, Edge *cond, Edge *x, Edge *y)
{
    return build_op(b, "Where", 3, (Edge *[]){cond, x, y}, 0, NULL);
}

Edge *joined(Build *b, Edge *x, Edge *y, int64_t axis)
{
    Attr a = attr_int(b->c, "axis", axis);
    return build_op(b, "Concat", 2, (Edge *[]){x, y}, 1, &a);
}

Edge *whole(Build *b, int64_t v)
{
    return build_const(b, NULL, tensor_int(b->c, v), b->loc);
}

/* v, a vector along axis, so that it broadcasts with a tensor of that rank. */
Edge *along(Build *b, Edge *v, int rank, int axis)
{
    int64_t dims[MAX_RANK];
    for (int d = 0; d < rank; d++)
        dims[d] = d == axis ? v->type.dims[0] : 1;
    return reshaped(b, v, rank, dims);
}

/* ---- attributes as constants, names as numbers ---- */

const Tensor *attr_data(Build *b, const Node *n, const char *name)
{
    const Attr *a = node_attr(n, name);
    return a ? attr_value(b->c, a) : NULL;
}

int name_place(Build *b, const Node *n, const char *attr, const Tensor *t, int64_t i, const char *const *names,
               int count)
{
    bool string = t->type.dt == DT_STRING;
    int64_t v = string ? 0 : tensor_at_int(t, i);
    while (string && v < count && strcmp(tensor_at_string(t, i), names[v]) != 0)
        v++;
    if (v >= 0 && v < count)
        return (int)v;
    const char *all = names[0], *got = string ? tensor_at_string(t, i) : internf(b->c, "%lld", (long long)v);
    for (int k = 1; k < count; k++)
        all = internf(b->c, "%s, %s", all, names[k]);
    node_error(b, n, "%s: %s is unknown, %s %s", attr, got, string ? "it is one of" : "its number is the place in",
               all);
    return -1;
}

Edge *numbers(Build *b, DType dt, int rank, const int64_t *dims, const int64_t *v, const double *d)
{
    Tensor *t = tensor_new(b->c, type_make(b->c, dt, rank, dims));
    for (int64_t i = 0; i < type_count(t->type); i++)
        scalar_write(dt, (void *)(uintptr_t)t->data, i,
                     v ? (Value){.i = v[i]} : dt == DT_F64 ? (Value){.d = d[i]} : (Value){.f = (float)d[i]});
    return build_const(b, NULL, t, b->loc);
}
