/* Compositions as text: `.body` of an operator (the notation: op.h). Here is what its expressions stand for;
 * compose_read.c reads them. The text is read and built in one go, each time the operator is expanded. What is not
 * built (the branch of a choice that is not taken, all of it once a fault was reported or when the table is checked) is
 * read as well, so a row is checked without a node. */
#include "compose.h"

Val val_num(double v)
{
    return (Val){.kind = VAL_NUM, .num = v};
}

Val val_edge(Body *k, Edge *e)
{
    if (!e || k->skip)
        return (Val){0};
    if (edge_poisoned(e)) {
        k->failed = k->skip = true;
        return (Val){0};
    }
    return (Val){.kind = VAL_EDGE, .e = e};
}

void body_fault(Body *k, const char *text)
{
    if (!k->skip)
        node_error(k->b, k->n, "%s", text);
    k->failed |= !k->skip;
    k->skip = true;
}

static const char *operand_list(const Body *k)
{
    const char *list = "";
    for (int i = 0; !k->skip && i < k->n->nin; i++)
        if (k->n->in[i])
            list = internf(k->t.c, "%s%s%s %s", list, *list ? ", " : "", sig_param(k->sig->in, k->sig->nin, i)->name,
                           type_text(k->t.c, k->n->in[i]->type));
    return list;
}

int64_t val_int(Body *k, Val v)
{
    Ctx *c = k->t.c;
    if (v.kind == VAL_NUM && v.num == floor(v.num) && fabs(v.num) < 1e15)
        return (int64_t)v.num;
    body_fault(k, internf(c,
                          "a dimension would be %g: the operands (%s) do not go with each other or with the attributes",
                          v.num, operand_list(k)));
    return 0;
}

void name_set(Body *k, const char *name, Val v)
{
    int i = 0;
    while (i < k->nnames && k->names[i].name != name)
        i++;
    if (i == MOST_NAMES)
        row_bad(&k->t, "too many names");
    k->names[i] = (Named){name, v};
    k->nnames += i == k->nnames;
}

Val name_get(Body *k, const char *name)
{
    if (!strcmp(name, "none"))
        return (Val){0};
    for (int i = 0; i < k->nnames; i++)
        if (k->names[i].name == name)
            return k->names[i].v;
    row_bad(&k->t, internf(k->t.c, "nothing is called '%s' so far", name));
}

Edge *val_operand(Body *k, Val v, DType dt)
{
    Ctx *c = k->t.c;
    switch (v.kind) {
    case VAL_EDGE: return v.e;
    case VAL_NUM:  return build_scalar(k->b, dt, v.num);
    case VAL_INTS: return build_ints(k->b, v.n, v.ints);
    case VAL_FLOATS: {
        int64_t count = v.n;
        return build_const(k->b, NULL, tensor_of(c, type_make(c, DT_F32, 1, &count), v.floats,
                                                 sizeof *v.floats * (size_t)v.n), k->b->loc);
    }
    case VAL_TEXT: return build_const(k->b, NULL, attr_value(c, &(Attr){.kind = ATTR_STRING, .s = v.s}), k->b->loc);
    default: return NULL;
    }
}

/* The type of a number that stands at place p: of an operand of the same variable, else what the place takes. */
static DType number_type(const Sig *s, int n, const Val *args, int p)
{
    const Param *at = sig_param(s->in, s->nin, p);
    for (int i = 0; i < n; i++)
        if (args[i].kind != VAL_NUM && args[i].kind != VAL_NONE && at->var && sig_param(s->in, s->nin, i)->var == at->var)
            return args[i].kind == VAL_EDGE ? args[i].e->type.dt : args[i].kind == VAL_INTS ? DT_I64 : DT_F32;
    static const DType order[] = {DT_F32, DT_I64, DT_I32, DT_BOOL, DT_U8};
    for (int i = 0; i < COUNT(order); i++)
        if (at->types >> order[i] & 1)
            return order[i];
    return DT_F64;
}

void body_call(Body *k, const Sig *s, int nargs, const Val *args, int nattrs, const Attr *attrs, int nout, Val *out)
{
    Edge *in[MOST_ARGS], *result[MOST_ARGS];
    for (int i = 0; i < nout; i++)
        out[i] = (Val){0};
    for (int i = 0; i < s->nin; i++)
        if (!s->in[i].optional && !s->in[i].variadic && (i >= nargs || args[i].kind == VAL_NONE))
            return;
    if (k->skip)
        return;
    for (int i = 0; i < nargs; i++)
        in[i] = val_operand(k, args[i], args[i].kind == VAL_NUM ? number_type(s, nargs, args, i) : DT_NONE);
    NodeSpec spec = {.domain = s->domain, .op = s->name, .loc = k->b->loc, .nin = nargs, .in = in, .nout = nout,
                     .nattrs = nattrs, .attrs = attrs};
    build_sig(k->b, s, &spec, result);
    for (int i = 0; i < nout; i++)
        out[i] = val_edge(k, result[i]);
}

const Sig *body_sig(Body *k, const char *domain, const char *name)
{
    const Sig *s = op_newest(k->t.c, domain, name);
    if (!s)
        row_bad(&k->t, internf(k->t.c, "there is no operator '%s'", name));
    return s;
}

Val body_arithmetic(Body *k, const char *op, Val x, Val y)
{
    if (x.kind == VAL_NONE || y.kind == VAL_NONE)
        return x.kind == VAL_NONE ? y : x;
    if (x.kind == VAL_NUM && y.kind == VAL_NUM)
        return val_num(*op == 'A' ? x.num + y.num : *op == 'S' ? x.num - y.num : *op == 'M' ? x.num * y.num
                                                                                        : x.num / y.num);
    Val z, args[2] = {x, y};
    body_call(k, body_sig(k, "", op), 2, args, 0, NULL, 1, &z);
    return z;
}

Val own_attr(Body *k, const char *name)
{
    if (!sig_attr(k->sig, name))
        row_bad(&k->t, internf(k->t.c, "there is no attribute '%s'", name));
    const Attr *a = k->skip ? NULL : node_attr(k->n, name);
    if (!a)
        return (Val){0};
    switch (a->kind) {
    case ATTR_INT:    return val_num((double)a->i);
    case ATTR_FLOAT:  return val_num((double)a->f);
    case ATTR_STRING: return (Val){.kind = VAL_TEXT, .s = a->s};
    case ATTR_INTS:   return (Val){.kind = VAL_INTS, .n = a->n, .ints = a->ints};
    case ATTR_FLOATS: return (Val){.kind = VAL_FLOATS, .n = a->n, .floats = a->floats};
    case ATTR_GRAPH:  return (Val){.kind = VAL_GRAPH, .graph = a};
    default:          return val_edge(k, build_const(k->b, NULL, attr_value(k->t.c, a), k->b->loc));
    }
}

Val body_cast(Body *k, Val v, DType to)
{
    if (k->skip || v.kind == VAL_NONE)
        return (Val){0};
    return val_edge(k, build_cast(k->b, val_operand(k, v, to), to));
}

/* The graph of an attribute, inlined. */
Val body_graph(Body *k, const Attr *a, Val x)
{
    Edge *e = x.e;
    if (k->skip || x.kind != VAL_EDGE)
        return x;
    if (a->graph->nins != 1 || a->graph->nouts != 1)
        body_fault(k, internf(k->t.c, "the graph %s has %d inputs and %d outputs: it must have one of each", a->name,
                              a->graph->nins, a->graph->nouts));
    else if (!a->graph->inlined(k->b, a->graph, &e, &e))
        k->failed = k->skip = true;
    return val_edge(k, e);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void check_within(Body *k, const char *name, Type t, Val y)
{
    int rank;
    int64_t dims[MAX_RANK];
    Type u = y.kind == VAL_EDGE ? y.e->type : t;
    if (!broadcast_dims(t.rank, t.dims, u.rank, u.dims, &rank, dims) || rank != u.rank ||
        memcmp(dims, u.dims, sizeof *dims * (size_t)rank))
        body_fault(k, internf(k->t.c, "%s is %s: it must broadcast to %s", name, type_text(k->t.c, t),
                         type_text(k->t.c, u)));
}

static void check_vector(Body *k, const char *name, Type t, int64_t n)
{
    if (t.rank != 1 || t.dims[0] != n)
        body_fault(k, internf(k->t.c, "%s is %s: it must be a vector of %lld elements", name, type_text(k->t.c, t),
                         (long long)n));
}

/* Dimension `at`, or the list of those from there on, or their places. */
static Val along(Body *k, Type t, int64_t at, bool all, bool places)
{
    int axis;
    Val v = {.kind = VAL_INTS};
    if (!node_axis(k->b, k->n, at, t.rank, all, &axis)) {
        k->failed = k->skip = true;
        return val_num(0);
    }
    int64_t *list = NEW_N(k->t.c, int64_t, t.rank + 1);
    for (int i = axis; i < t.rank; i++)
        list[v.n++] = places ? i : t.dims[i];
    v.ints = list;
    return all ? v : val_num((double)t.dims[axis]);
}

enum { RANK, SIZE, TYPE, GIVEN, FAIL, SQRT, FLOOR, UPTO, ONES, KNOWN, SEED, ASKED, DECLARED, VALUES,
       DIM, AXES, DIMS, WITHIN, VECTOR, ITEM, LACKS, LIKE };
static const char *const facts[] = {
    "rank", "size", "type", "given", "fail", "sqrt", "floor", "upto", "ones", "known", "seed", "asked", "declared",
    "values", "dim", "axes", "dims", "within", "vector", "item", "lacks", "like"};

int fact_find(const char *name)
{
    for (int f = 0; f < COUNT(facts); f++)
        if (!strcmp(facts[f], name))
            return f;
    return -1;
}

bool fact_takes_name(int f)
{
    return f == ASKED || f == DECLARED;
}

bool fact_takes_two(int f)
{
    return f >= DIM;
}

/* 0 .. n-1, or ones. */
static Val counted(Body *k, int64_t n, bool ones)
{
    n = k->skip || n < 0 ? 0 : n > MAX_RANK ? MAX_RANK : n;
    int64_t *list = NEW_N(k->t.c, int64_t, n + 1);
    for (int64_t i = 0; i < n; i++)
        list[i] = ones ? 1 : i;
    return (Val){.kind = VAL_INTS, .n = (int)n, .ints = list};
}

/* The dimensions of a result. */
static Val declared(const Body *k, const char *name)
{
    Val v = {.kind = VAL_INTS};
    for (int i = 0; !k->skip && i < k->n->nout; i++)
        if (k->n->out[i] && k->sig->out[i].name == name)
            v = (Val){.kind = VAL_INTS, .n = k->n->out[i]->type.rank, .ints = k->n->out[i]->type.dims};
    return v;
}

static bool lacks(Val v, double k)
{
    const Tensor *t = v.kind == VAL_EDGE ? v.e->data : NULL;
    for (int i = 0; v.kind == VAL_INTS && i < v.n; i++)
        if ((double)v.ints[i] == k)
            return false;
    for (int64_t i = 0; t && i < type_count(t->type); i++)
        if ((double)tensor_at_int(t, i) == k)
            return false;
    return t || v.kind == VAL_INTS;
}

static double seed_of(const Body *k, Val x)
{
    uint32_t seed = 2166136261;
    for (int i = k->skip ? 0 : k->n->nout; i-- > 0;)
        for (const char *s = k->n->out[i] ? k->n->out[i]->name : ""; *s; s++)
            seed = (seed ^ (unsigned char)*s) * 16777619;
    return x.kind != VAL_NUM ? seed : fabs(x.num) < 0x1p62 ? (uint32_t)(int64_t)x.num : 0;
}

/* Of values that are no tensors. False: it takes a tensor. */
static bool number_function(Body *k, int f, Val x, Val y, Val *v)
{
    switch (f) {
    case GIVEN: *v = val_num(x.kind != VAL_NONE); return true;
    case SEED:  *v = val_num(seed_of(k, x)); return true;
    case KNOWN:
        *v = (Val){0};
        if (x.kind == VAL_EDGE && x.e->data && type_count(x.e->type) == 1)
            *v = val_num(tensor_at_double(x.e->data, 0));
        return true;
    case SQRT:  *v = val_num(sqrt(x.num)); return true;
    case FLOOR: *v = val_num(floor(x.num)); return true;
    case UPTO:
    case ONES:  *v = counted(k, val_int(k, x), f == ONES); return true;
    case LACKS: *v = val_num(lacks(x, y.num)); return true;
    case DECLARED: *v = declared(k, x.s); return true;
    case LIKE:  *v = y.kind == VAL_EDGE ? body_cast(k, x, y.e->type.dt) : (Val){0}; return true;
    case ITEM:
        *v = val_num(0);
        if (y.num >= 0 && y.num < x.n)
            *v = val_num(x.ints ? (double)x.ints[(int)y.num] : (double)x.floats[(int)y.num]);
        return true;
    case FAIL:
        body_fault(k, k->skip ? "" : internf(k->t.c, "%s (%s)", x.s, operand_list(k)));
        return true;
    case ASKED:
        *v = val_num(0);
        for (int i = 0; !k->skip && i < k->n->nout; i++)
            if (k->n->out[i] && k->sig->out[i].name == x.s)
                *v = val_num(1);
        return true;
    default: return false;
    }
}

/* The elements of an operand that is known. */
static Val known_values(Body *k, const Edge *e)
{
    enum { MOST_VALUES = 1 << 16 };
    Ctx *c = k->t.c;
    int64_t n = type_count(e->type);
    Val v = {.kind = dtype_is_float(e->type.dt) ? VAL_FLOATS : VAL_INTS, .n = (int)n};
    if (!e->data || n > MOST_VALUES) {
        body_fault(k, internf(c, "'%s' must be known at compile time, and small", e->name));
        return (Val){0};
    }
    int64_t *ints = NEW_N(c, int64_t, n);
    float *floats = NEW_N(c, float, n);
    for (int64_t i = 0; i < n; i++)
        if (v.kind == VAL_INTS)
            ints[i] = tensor_at_int(e->data, i);
        else
            floats[i] = (float)tensor_at_double(e->data, i);
    v.ints = v.kind == VAL_INTS ? ints : NULL;
    v.floats = floats;
    return v;
}

Val fact_call(Body *k, int f, const char *text, Val x, Val y)
{
    Val v = f == WITHIN || f == VECTOR ? x : f == AXES || f == DIMS ? (Val){.kind = VAL_INTS} : val_num(0);
    if (number_function(k, f, x, y, &v) || k->skip)
        return v;
    if (x.kind == VAL_INTS || x.kind == VAL_FLOATS)
        x = val_edge(k, val_operand(k, x, DT_NONE));
    if (x.kind != VAL_EDGE)
        return v;
    Type t = x.e->type;
    switch (f) {
    case RANK:   return val_num(t.rank);
    case SIZE:   return val_num((double)type_count(t));
    case TYPE:   return val_num(t.dt);
    case VALUES: return known_values(k, x.e);
    case WITHIN: check_within(k, text, t, y); break;
    case VECTOR: check_vector(k, text, t, val_int(k, y)); break;
    default:     return along(k, t, val_int(k, y), f != DIM, f == AXES);
    }
    return v;
}
