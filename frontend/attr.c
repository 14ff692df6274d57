/* Attributes of the graph text: which kind the values and the annotation make, and the values converted to it.
 * As in the reference: a whole number is a float where a float is asked for; a list is of the kind of its first value
 * unless it says otherwise; an empty one must say. What is at fault keeps its place with kind 0 and no reference, so
 * that import can tell. */
#include "text.h"

typedef struct Kind {
    const char *word;
    AttrKind kind, of;
    const char *thing;
} Kind; /* of: of the elements; 0: no list */

static const Kind kinds[] = {
    {"float", ATTR_FLOAT, 0, "a number"}, {"floats", ATTR_FLOATS, ATTR_FLOAT, NULL},
    {"int", ATTR_INT, 0, "a whole number"}, {"ints", ATTR_INTS, ATTR_INT, NULL},
    {"string", ATTR_STRING, 0, "a string"}, {"strings", ATTR_STRINGS, ATTR_STRING, NULL},
    {"tensor", ATTR_TENSOR, 0, "a tensor"}, {"tensors", ATTR_TENSORS, ATTR_TENSOR, NULL},
    {"graph", ATTR_GRAPH, 0, "a graph"}, {"graphs", ATTR_GRAPHS, ATTR_GRAPH, NULL},
    {"type_proto", ATTR_TYPE, 0, "a type"}, {"type_protos", ATTR_TYPES, ATTR_TYPE, NULL},
    {"sparse_tensor", ATTR_SPARSE, 0, "a sparse tensor"}, {"sparse_tensors", ATTR_SPARSES, ATTR_SPARSE, NULL},
};

static const Kind *kind_of(AttrKind kind)
{
    for (int i = 0; i < COUNT(kinds); i++)
        if (kinds[i].kind == kind)
            return &kinds[i];
    return NULL;
}

static AttrKind list_of(AttrKind of)
{
    for (int i = 0; i < COUNT(kinds); i++)
        if (kinds[i].of == of)
            return kinds[i].kind;
    return (AttrKind)0;
}

/* The kind that the text names; 0 and a message when there is none. */
static const Kind *kind_named(Parser *p, Loc loc, const char *word)
{
    const char *words[COUNT(kinds)];
    for (int i = 0; i < COUNT(kinds); i++) {
        words[i] = kinds[i].word;
        if (!strcmp(word, words[i]))
            return &kinds[i];
    }
    const char *near = nearest(word, words, COUNT(words));
    text_fault(p, loc, "'%s' is no attribute type%s%s%s", word, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static float to_float(Parser *p, const AttrValue *v, const char *name)
{
    const char *after;
    float f = 0;
    LitFault fault = literal_float(v->lit.text, v->lit.text + v->lit.n, &after, &f);
    if (fault || after != v->lit.text + v->lit.n)
        text_fault(p, v->lit.loc, "attribute '%s': '%.*s' %s", name, v->lit.n > 40 ? 40 : (int)v->lit.n, v->lit.text,
                   fault == LIT_RANGE ? "is beyond float" : "is no number");
    return f;
}

/* True when v may stand where an `of` is asked for. */
static bool fits(Parser *p, const AttrValue *v, AttrKind of, const char *name)
{
    if (v->kind && (v->kind == of || (v->kind == ATTR_INT && of == ATTR_FLOAT)))
        return true;
    const Kind *is = kind_of(v->kind), *wanted = kind_of(of);
    text_fault(p, v->lit.loc, "attribute '%s': %s where %s is expected", name, is ? is->thing : "a reference",
               wanted && wanted->thing ? wanted->thing : "a value");
    return false;
}

static void single(Parser *p, MAttr *m, const AttrValue *v)
{
    Attr *a = &m->a;
    const char *what = a->kind == ATTR_INT ? internf(p->c, "attribute '%s'", a->name) : NULL;
    switch (a->kind) {
    case ATTR_INT:    a->i = text_int(p, &v->lit, what); break;
    case ATTR_FLOAT:  a->f = to_float(p, v, a->name); break;
    case ATTR_STRING: a->s = v->s; break;
    case ATTR_TENSOR: a->tensor = v->tensor; break;
    case ATTR_TYPE:   a->type = v->type; break;
    case ATTR_GRAPH:  m->graphs = mem_copy(p->c, &v->graph, sizeof v->graph); break;
    default: break;
    }
    if (a->kind == ATTR_TENSOR && !a->tensor)
        a->kind = (AttrKind)0;
}

static void list(Parser *p, MAttr *m, AttrKind of, const AttrValue *v, int n)
{
    Ctx *c = p->c;
    Attr *a = &m->a;
    const char *what = of == ATTR_INT ? internf(c, "attribute '%s'", a->name) : NULL;
    size_t size = of == ATTR_FLOAT ? sizeof(float) : of == ATTR_INT ? sizeof(int64_t) : sizeof(void *);
    void *to = mem_alloc(c, mem_times(size, (size_t)n));
    a->n = n;
    for (int i = 0; i < n; i++)
        switch (of) {
        case ATTR_INT:    ((int64_t *)to)[i] = text_int(p, &v[i].lit, what); break;
        case ATTR_FLOAT:  ((float *)to)[i] = to_float(p, &v[i], a->name); break;
        case ATTR_STRING: ((const char **)to)[i] = v[i].s; break;
        case ATTR_TENSOR: ((const Tensor **)to)[i] = v[i].tensor; break;
        case ATTR_TYPE:   ((const MType **)to)[i] = v[i].type; break;
        case ATTR_GRAPH:  ((MGraph **)to)[i] = v[i].graph; break;
        default: break;
        }
    switch (of) {
    case ATTR_INT:    a->ints = to; break;
    case ATTR_FLOAT:  a->floats = to; break;
    case ATTR_STRING: a->strings = to; break;
    case ATTR_TENSOR: a->tensors = to; break;
    case ATTR_TYPE:   m->types = to; break;
    case ATTR_GRAPH:  m->graphs = to; break;
    default: break;
    }
    for (int i = 0; of == ATTR_TENSOR && i < n; i++)
        if (!v[i].tensor)
            a->kind = (AttrKind)0;
}

/* ---- the door -------------------------------------------------------------------------------------------------- */

/* Decides the kind. False: a fault was reported. */
static bool decide(Parser *p, MAttr *m, const Kind *stated, const AttrValue *v, int n, bool is_list)
{
    AttrKind of = stated ? stated->of ? stated->of : stated->kind : n ? v->kind : (AttrKind)0;
    if (!is_list && v->kind == (AttrKind)0) {
        m->ref = v->s;
        m->a.kind = stated ? stated->kind : (AttrKind)0;
        return false;
    }
    if (is_list && n == 0 && (!stated || !stated->of)) {
        text_fault(p, m->a.loc, "attribute '%s': an empty list must say of what, as in '%s: ints = []'", m->a.name,
                   m->a.name);
        return false;
    }
    if (!is_list && stated && stated->of) {
        text_fault(p, v->lit.loc, "attribute '%s': %s takes a list, as in [1, 2]", m->a.name, stated->word);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (!fits(p, &v[i], of, m->a.name))
            return false;
    m->a.kind = is_list ? list_of(of) : of;
    return true;
}

void attr_push(Parser *p, Spot s, const char *name, const char *kind, int first_value, bool is_list)
{
    int n = p->values.n - first_value;
    const AttrValue *v = n ? p->values.at + first_value : NULL;
    MAttr m = {.a = {.name = name, .loc = spot_loc(p, s)}};
    const Kind *stated = kind ? kind_named(p, m.a.loc, kind) : NULL;
    if ((!kind || stated) && decide(p, &m, stated, v, n, is_list)) {
        AttrKind of = is_list ? kind_of(m.a.kind)->of : m.a.kind;
        if (is_list)
            list(p, &m, of, v, n);
        else
            single(p, &m, v);
    }
    p->values.n = first_value;
    VEC_PUSH(p->c, p->attrs, m);
}

Attrs *attrs_take(Parser *p, int first)
{
    Attrs *list_taken = NEW(p->c, Attrs);
    list_taken->n = p->attrs.n - first;
    list_taken->at =
        mem_copy(p->c, p->attrs.n ? p->attrs.at + first : NULL, sizeof *list_taken->at * (size_t)list_taken->n);
    p->attrs.n = first;
    return list_taken;
}

const Tensor *text_external(Parser *p, const Entries *list_of_pairs)
{
    Type t;
    int n = list_of_pairs->v.n;
    Pair *pairs = NEW_N(p->c, Pair, n);
    for (int i = 0; i < n; i++) {
        const Entry *e = &list_of_pairs->v.at[i];
        if (e->lit) {
            text_fault(p, e->lit->loc, "external data: a value must be a quoted string, as in \"%s\": \"%.*s\"", e->key,
                       e->lit->n > 40 ? 40 : (int)e->lit->n, e->lit->text);
            return NULL;
        }
        pairs[i] = (Pair){e->key, e->s};
    }
    if (!payload_type(p, &t))
        return NULL;
    return external_tensor(p->externals, p->constant.loc, p->constant.name, t, n, pairs);
}
