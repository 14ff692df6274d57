/* The ONNX reader: nodes and their attributes.
 * Of the fields of an attribute one holds its value, and `type` says which; before type was there, whichever is set.
 * Writers leave out what is zero or empty, so a type that is stated needs no value. A subgraph is noted here and read
 * later. */
#include "onnx.h"

/* ---- attributes ------------------------------------------------------------------------------------------------ */

typedef struct Kind { AttrKind kind; const char *thing; size_t at; } Kind;   /* at: of the places; 0: held by value */

#define FIELD(name) offsetof(onnx_AttributeProto, name)
static const Kind kinds[] = {
    {ATTR_FLOAT, "a float", 0}, {ATTR_INT, "an int", 0}, {ATTR_STRING, "a string", FIELD(s)},
    {ATTR_TENSOR, "a tensor", FIELD(t)}, {ATTR_GRAPH, "a graph", FIELD(g)}, {ATTR_FLOATS, "floats", FIELD(floats)},
    {ATTR_INTS, "ints", FIELD(ints)}, {ATTR_STRINGS, "strings", FIELD(strings)},
    {ATTR_TENSORS, "tensors", FIELD(tensors)}, {ATTR_GRAPHS, "graphs", FIELD(graphs)},
    {ATTR_SPARSE, "a sparse tensor", FIELD(sparse_tensor)}, {ATTR_SPARSES, "sparse tensors", FIELD(sparse_tensors)},
    {ATTR_TYPE, "a type", FIELD(tp)}, {ATTR_TYPES, "types", FIELD(type_protos)},
};

static const Places *values_of(const onnx_AttributeProto *m, const Kind *k)
{
    return (const Places *)(const void *)((const char *)m + k->at);
}

static bool has_value(const onnx_AttributeProto *m, const Kind *k)
{
    return k->kind == ATTR_FLOAT ? m->has_f : k->kind == ATTR_INT ? m->has_i : values_of(m, k)->n > 0;
}

/* The kind of an attribute; NULL: a fault was reported. */
static const Kind *kind_of(Onnx *x, Loc loc, const char *name, const onnx_AttributeProto *m)
{
    const Kind *stated = NULL, *held = NULL;
    for (int i = COUNT(kinds); i-- > 0;) {
        if (m->type == (int32_t)kinds[i].kind)
            stated = &kinds[i];
        if (has_value(m, &kinds[i]))
            held = &kinds[i];
    }
    if (m->type && !stated)
        onnx_fault(x, loc, "attribute '%s' is of type %d, which is not known", name, (int)m->type);
    else if (!stated && !held)
        onnx_fault(x, loc, "attribute '%s' has neither type nor value", name);
    else if (stated && held && !has_value(m, stated))
        onnx_fault(x, loc, "attribute '%s' is said to hold %s, but holds %s", name, stated->thing, held->thing);
    else
        return stated ? stated : held;
    return NULL;
}

static bool ints_read(Onnx *x, Loc loc, const Places *l, Attr *a)
{
    size_t n = varints_count(l), k = 0;
    int64_t *to = n < INT_MAX ? NEW_N(x->c, int64_t, n) : NULL;
    Varints v = {.l = l};
    for (uint64_t i; to && k < n && varints_next(&v, &i); k++)
        to[k] = (int64_t)i;
    a->ints = to;
    a->n = (int)k;
    if (to && k == n && !varints_next(&v, &(uint64_t){0}) && !v.bad)
        return true;
    onnx_fault(x, loc, "attribute '%s' holds ints that cannot be read: the file is damaged", a->name);
    return false;
}

static bool floats_read(Onnx *x, Loc loc, const Places *l, Attr *a)
{
    size_t bytes = places_bytes(l);
    if (bytes % sizeof(float) || bytes / sizeof(float) >= INT_MAX) {
        onnx_fault(x, loc, "attribute '%s' holds floats of %zu bytes in all: the file is damaged", a->name, bytes);
        return false;
    }
    float *to = mem_alloc(x->c, bytes);
    places_copy(l, to);
    a->floats = to;
    a->n = (int)(bytes / sizeof(float));
    return true;
}

static void strings_read(Onnx *x, Loc loc, const Places *l, Attr *a)
{
    const char **to = NEW_N(x->c, const char *, l->n);
    for (int i = 0; i < l->n; i++)
        to[i] = onnx_string(x, loc, "a string of an attribute", place_at(l, i));
    a->strings = to;
    a->n = l->n;
}

static bool tensors_read(Onnx *x, Loc loc, const Places *l, bool sparse, Attr *a)
{
    const Tensor **to = NEW_N(x->c, const Tensor *, l->n);
    bool good = true;
    for (int i = 0; i < l->n; i++) {
        to[i] = sparse ? onnx_sparse(x, loc, place_at(l, i), NULL) : onnx_tensor(x, loc, place_at(l, i), NULL);
        good &= to[i] != NULL;
    }
    a->tensors = to;
    a->n = l->n;
    return good;
}

static void graphs_read(Onnx *x, Loc loc, const Places *l, MAttr *to)
{
    MGraph **graphs = NEW_N(x->c, MGraph *, l->n);
    if (l->n && x->depth == MAX_NESTING)
        fatal(x->c, loc, "graphs are nested more than %d deep here", MAX_NESTING);
    for (int i = 0; i < l->n; i++) {
        graphs[i] = NEW(x->c, MGraph);
        graphs[i]->name = intern(x->c, "");
        graphs[i]->loc = loc;
        VEC_PUSH(x->c, x->pending, ((Pending){place_at(l, i), graphs[i], loc, x->depth + 1}));
    }
    to->graphs = graphs;
    to->a.n = l->n;
}

static bool types_read(Onnx *x, Loc loc, const Places *l, MAttr *to)
{
    const MType **types = NEW_N(x->c, const MType *, l->n);
    bool good = true;
    for (int i = 0; i < l->n; i++) {
        types[i] = onnx_type(x, loc, to->a.name, place_at(l, i));
        good &= types[i] != NULL;
    }
    to->types = types;
    to->a.n = l->n;
    return good;
}

/* The value itself; false: a fault was reported. */
static bool content_read(Onnx *x, Loc loc, const onnx_AttributeProto *m, const Kind *k, MAttr *to)
{
    Attr *a = &to->a;
    const Places *l = values_of(m, k);
    switch (k->kind) {
    case ATTR_FLOAT:   a->f = m->f; return true;
    case ATTR_INT:     a->i = m->i; return true;
    case ATTR_STRING:  a->s = onnx_string(x, loc, "a string of an attribute", place_last(l)); return true;
    case ATTR_INTS:    return ints_read(x, loc, l, a);
    case ATTR_FLOATS:  return floats_read(x, loc, l, a);
    case ATTR_STRINGS: strings_read(x, loc, l, a); return true;
    case ATTR_TENSORS: case ATTR_SPARSES: return tensors_read(x, loc, l, k->kind == ATTR_SPARSES, a);
    case ATTR_GRAPHS:  graphs_read(x, loc, l, to); return true;
    case ATTR_TYPES:   return types_read(x, loc, l, to);
    default: break;
    }
    if (!l->n) {
        onnx_fault(x, loc, "attribute '%s' is said to hold %s, but holds nothing", a->name, k->thing);
        return false;
    }
    Places last = {.n = 1, .one = place_last(l)};
    switch (k->kind) {
    case ATTR_TENSOR: a->tensor = onnx_tensor(x, loc, last.one, NULL); return a->tensor != NULL;
    case ATTR_SPARSE: a->tensor = onnx_sparse(x, loc, last.one, NULL); return a->tensor != NULL;
    case ATTR_TYPE:   a->type = onnx_type(x, loc, a->name, last.one); return a->type != NULL;
    default:          graphs_read(x, loc, &last, to); return true;
    }
}

bool onnx_attr(Onnx *x, Loc loc, Place p, MAttr *to)
{
    onnx_AttributeProto m = {0};
    if (!message_read(x, loc, "an attribute", p, onnx_AttributeProto_fields, &m))
        return false;
    to->a.name = onnx_name(x, loc, "an attribute's name", &m.name);
    to->a.loc = loc;
    if (m.ref_attr_name.n) {
        to->ref = onnx_name(x, loc, "an attribute's name", &m.ref_attr_name);
        to->a.kind = (AttrKind)m.type;
        return true;
    }
    const Kind *k = kind_of(x, loc, to->a.name, &m);
    if (k && content_read(x, loc, &m, k, to))
        to->a.kind = k->kind;
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

/* How messages call a node: by its name, without one by its first output. */
static Loc node_loc(const Onnx *x, const MNode *n)
{
    const char *name = n->name;
    for (int k = 0; k < n->nout && !*name; k++)
        name = n->out[k].name;
    return (Loc){x->src, 0, 0, internf(x->c, "node '%s' (%s)", name, n->op)};
}

static const MName *located(Loc loc, MName *names, int n)
{
    for (int i = 0; i < n; i++)
        names[i].loc = loc;
    return names;
}

static bool node_read(Onnx *x, Place p, MNode *n)
{
    onnx_NodeProto m = {0};
    Loc loc = onnx_loc(x);
    if (!message_read(x, loc, "a node", p, onnx_NodeProto_fields, &m))
        return false;
    const char *domain = onnx_name(x, loc, "a domain's name", &m.domain);
    n->domain = strcmp(domain, "ai.onnx") ? domain : intern(x->c, "");
    n->op = onnx_name(x, loc, "an operator's name", &m.op_type);
    n->overload = onnx_name(x, loc, "an overload's name", &m.overload);
    n->name = onnx_name(x, loc, "a node's name", &m.name);
    MName *in = onnx_names(x, loc, "an input's name", &m.input, &n->nin);
    MName *out = onnx_names(x, loc, "an output's name", &m.output, &n->nout);
    n->out = out;
    n->loc = node_loc(x, n);
    n->in = located(n->loc, in, n->nin);
    n->out = located(n->loc, out, n->nout);
    MAttr *attrs = NEW_N(x->c, MAttr, m.attribute.n);
    for (int i = 0; i < m.attribute.n; i++)
        n->nattrs += onnx_attr(x, n->loc, place_at(&m.attribute, i), &attrs[n->nattrs]);
    n->attrs = attrs;
    return true;
}

const MNode *const *onnx_nodes(Onnx *x, const Places *l, int *n)
{
    MNode *all = NEW_N(x->c, MNode, l->n);
    const MNode **nodes = NEW_N(x->c, const MNode *, l->n);
    *n = 0;
    for (int i = 0; i < l->n; i++) {
        Mark mark = scratch_mark(x->c);
        nodes[*n] = &all[i];
        *n += node_read(x, place_at(l, i), &all[i]);
        scratch_release(x->c, mark);
    }
    return nodes;
}
