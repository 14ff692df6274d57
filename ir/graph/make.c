/* Short ways to make nodes, attributes and constants, for expansions and passes; and what inference functions share. */
#include "build.h"

/* "domain::Name" or "Name", in its newest version. */
static const Sig *sig_of(Build *b, const char *op)
{
    const char *colon = strstr(op, "::");
    const char *domain = colon ? intern_n(b->c, op, (size_t)(colon - op)) : "";
    const Sig *s = op_newest(b->c, domain, colon ? colon + 2 : op);
    if (!s)
        ice(b->c, "an expansion wants operator '%s', which is not in the table", op);
    return s;
}

void build_op_as(Build *b, const char *op, int nin, Edge *const *in, int nattrs, const Attr *attrs, int nout,
                 const Type *declared, Edge **out)
{
    const Sig *sig = sig_of(b, op);
    NodeSpec s = {.domain = sig->domain, .op = sig->name, .loc = b->loc, .nin = nin, .in = in, .nout = nout,
                  .nattrs = nattrs, .attrs = attrs, .declared = declared};
    build_sig(b, sig, &s, out);
}

void build_op_n(Build *b, const char *op, int nin, Edge *const *in, int nattrs, const Attr *attrs, int nout, Edge **out)
{
    build_op_as(b, op, nin, in, nattrs, attrs, nout, NULL, out);
}

void build_again(Build *b, const Node *n, Edge *const *in, Edge **out)
{
    Type *declared = NEW_N(b->c, Type, n->nout);
    for (int k = 0; k < n->nout; k++)
        declared[k] = n->out[k] ? n->out[k]->type : (Type){0};
    NodeSpec s = {.loc = b->loc, .nin = n->nin, .in = in, .nout = n->nout, .nattrs = n->nattrs, .attrs = n->attrs,
                  .declared = declared};
    build_sig(b, n->sig, &s, out);
}

bool build_fits(Build *b, const Node *n, int k, Edge *value)
{
    Node try = *n;
    Edge **in = mem_copy(b->c, n->in, sizeof *in * (size_t)n->nin);
    Type *types = NEW_N(b->c, Type, n->nout);
    bool muted = b->c->muted;
    in[k] = value;
    try.in = in;
    b->c->muted = true;
    bool ok = n->op->infer && n->op->infer(b, &try, types);
    b->c->muted = muted;
    for (int i = 0; ok && i < n->nout; i++)
        ok = !n->out[i] || type_same((Type){types[i].dt, n->out[i]->type.rank, n->out[i]->type.dims}, types[i]);
    return ok;
}

Edge *build_op(Build *b, const char *op, int nin, Edge *const *in, int nattrs, const Attr *attrs)
{
    Edge *out;
    build_op_n(b, op, nin, in, nattrs, attrs, 1, &out);
    return out;
}

Edge *build_op1(Build *b, const char *op, Edge *x)
{
    return build_op(b, op, 1, &x, 0, NULL);
}

Edge *build_op2(Build *b, const char *op, Edge *x, Edge *y)
{
    return build_op(b, op, 2, (Edge *[]){x, y}, 0, NULL);
}

Edge *build_ints(Build *b, int n, const int64_t *v)
{
    return build_const(b, NULL, tensor_ints(b->c, n, v), b->loc);
}

Edge *build_scalar(Build *b, DType dt, double v)
{
    bool text = dt == DT_STRING;
    return build_const(b, NULL, text ? tensor_new(b->c, (Type){dt, 0, NULL}) : tensor_float(b->c, dt, v), b->loc);
}

Edge *build_cast(Build *b, Edge *x, DType to)
{
    if (x->type.dt == to || edge_poisoned(x))
        return x;
    Attr a = attr_int(b->c, "to", to);
    return build_op(b, "Cast", 1, &x, 1, &a);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

Attr attr_int(Ctx *c, const char *name, int64_t v)
{
    return (Attr){.name = intern(c, name), .kind = ATTR_INT, .i = v};
}

Attr attr_ints(Ctx *c, const char *name, int n, const int64_t *v)
{
    return (Attr){.name = intern(c, name), .kind = ATTR_INTS, .n = n, .ints = mem_copy(c, v, sizeof *v * (size_t)n)};
}

Attr attr_float(Ctx *c, const char *name, float v)
{
    return (Attr){.name = intern(c, name), .kind = ATTR_FLOAT, .f = v};
}

Attr attr_string(Ctx *c, const char *name, const char *v)
{
    return (Attr){.name = intern(c, name), .kind = ATTR_STRING, .s = intern(c, v)};
}

Attr attr_tensor(Ctx *c, const char *name, const Tensor *t)
{
    return (Attr){.name = intern(c, name), .kind = ATTR_TENSOR, .tensor = t};
}

/* ---- for inference ----------------------------------------------------------------------------------------------- */

/* Where the place itself names the node (binary input), the message does not. A node that an expansion made has a name
 * that nobody wrote:
 * what it stands for is named instead. */
bool node_error(Build *b, const Node *n, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = vinternf(b->c, fmt, args);
    va_end(args);
    if (n->loc.what)
        error(b->c, n->loc, "%s", text);
    else if (b->prefix)
        error(b->c, n->loc, "%s (output '%s'): %s", n->sig->name, b->prefix, text);
    else
        error(b->c, n->loc, "%s: %s", node_text(b->c, n), text);
    return false;
}

bool broadcast_dims(int na, const int64_t *a, int nb, const int64_t *b, int *rank, int64_t *out)
{
    *rank = na > nb ? na : nb;
    for (int i = 0; i < *rank; i++) {
        int ia = i - (*rank - na), ib = i - (*rank - nb);
        int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
        if (da != db && da != 1 && db != 1)
            return false;
        out[i] = da == 1 ? db : da;
    }
    return true;
}

bool node_axis(Build *b, const Node *n, int64_t axis, int rank, bool inclusive, int *out)
{
    int last = inclusive ? rank : rank - 1;
    if (axis >= -rank && axis <= last) {
        *out = (int)(axis < 0 ? axis + rank : axis);
        return true;
    }
    if (rank == 0 && !inclusive)
        node_error(b, n, "axis %lld: a scalar has no axis", (long long)axis);
    else
        node_error(b, n, "axis %lld is outside [%d, %d], the range for rank %d", (long long)axis, -rank, last, rank);
    return false;
}

static Tensor *string_tensor(Ctx *c, int rank, int n, const char *const *v)
{
    int64_t dim = n;
    Tensor *t = tensor_new(c, type_make(c, DT_STRING, rank, &dim));
    if (n)
        memcpy((void *)(uintptr_t)t->data, v, sizeof *v * (size_t)n);
    return t;
}

const Tensor *attr_value(Ctx *c, const Attr *a)
{
    int64_t n = a->n;
    switch (a->kind) {
    case ATTR_INT: return tensor_int(c, a->i);
    case ATTR_INTS: return tensor_ints(c, a->n, a->ints);
    case ATTR_FLOAT: return tensor_of(c, type_make(c, DT_F32, 0, NULL), &a->f, sizeof a->f);
    case ATTR_FLOATS: return tensor_of(c, type_make(c, DT_F32, 1, &n), a->floats, sizeof *a->floats * (size_t)n);
    case ATTR_STRING: return string_tensor(c, 0, 1, &a->s);
    case ATTR_STRINGS: return string_tensor(c, 1, a->n, a->strings);
    default: return a->tensor;
    }
}
