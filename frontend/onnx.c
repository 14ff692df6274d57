/* The ONNX reader: models, graphs, functions, types, values. What a message looks like is in onnx.proto; how its parts
 * are found, in wire.h; nodes and constants are read in onnx_node.c and onnx_tensor.c. Faults have no line: they say
 * what they are about, and where the bytes themselves are broken, at which byte. */
#include "onnx.h"

enum { MOST_OPSETS = 1000, DENSE = 32 << 20 };

/* ---- faults, messages, strings --------------------------------------------------------------------------------- */

Onnx *onnx_new(Ctx *c, const File *f)
{
    Onnx *x = NEW(c, Onnx);
    Source *src = NEW(c, Source);
    *src = (Source){f->path, NULL, f->size};
    *x = (Onnx){.c = c, .src = src, .base = (const pb_byte_t *)f->data, .dense = DENSE + f->size / 2};
    x->externals = externals_new(c, src);
    return x;
}

Loc onnx_loc(const Onnx *x)
{
    return (Loc){x->src, 0, 0, NULL};
}

void onnx_fault(Onnx *x, Loc loc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fault_limited(x->c, &x->faults, loc, fmt, args);
    va_end(args);
}

bool message_read(Onnx *x, Loc loc, const char *what, Place p, const pb_msgdesc_t *fields, void *m)
{
    const pb_byte_t *fault;
    const char *why = message_walk(x->c, p, fields, m, &fault);
    if (!why)
        return true;
    onnx_fault(x, loc, "%s cannot be read at byte %zu (%s): the file is cut short, damaged, or no ONNX", what,
               (size_t)(fault - x->base), why);
    return false;
}

const char *onnx_string(Onnx *x, Loc loc, const char *what, Place p)
{
    if (p.n && !memchr(p.at, 0, p.n))
        return intern_n(x->c, (const char *)p.at, p.n);
    if (p.n)
        onnx_fault(x, loc, "%s with a NUL byte", what);
    return intern(x->c, "");
}

static const char *utf8(Onnx *x, Loc loc, const char *what, Place p)
{
    const char *s = onnx_string(x, loc, what, p);
    if (!text_is_utf8(s))
        onnx_fault(x, loc, "%s that is not valid UTF-8", what);
    return s;
}

const char *onnx_name(Onnx *x, Loc loc, const char *what, const Places *l)
{
    return utf8(x, loc, what, place_last(l));
}

MName *onnx_names(Onnx *x, Loc loc, const char *what, const Places *l, int *n)
{
    MName *names = NEW_N(x->c, MName, l->n);
    for (int i = 0; i < l->n; i++)
        names[i] = (MName){utf8(x, loc, what, place_at(l, i)), loc};
    *n = l->n;
    return names;
}

/* ---- types ----------------------------------------------------------------------------------------------------- */

static DType element_type(Onnx *x, Loc loc, const char *of, int32_t number)
{
    if (number > DT_NONE && number < DT_COUNT)
        return (DType)number;
    if (number != DT_NONE)
        onnx_fault(x, loc, "'%s' is of element type %d, which is not known", of, (int)number);
    return DT_NONE;
}

static bool dim_read(Onnx *x, Loc loc, const char *of, Place p, MDim *to)
{
    onnx_TensorShapeProto_Dimension d = {0};
    if (!message_read(x, loc, "a dimension", p, onnx_TensorShapeProto_Dimension_fields, &d))
        return false;
    const char *name = onnx_name(x, loc, "a dimension's name", &d.dim_param);
    *to = (MDim){d.has_dim_value ? d.dim_value : -1, !d.has_dim_value && *name && strcmp(name, "?") ? name : NULL};
    if (to->size >= -1)
        return true;
    onnx_fault(x, loc, "'%s' has a dimension of %lld", of, (long long)to->size);
    return false;
}

/* The shape of a tensor type; false: a fault was reported. */
static bool shape_read(Onnx *x, Loc loc, const char *of, const Places *shape, MType *t)
{
    onnx_TensorShapeProto s = {0};
    t->rank = -1;
    if (!shape->n)
        return true;
    if (!message_read(x, loc, "a shape", place_last(shape), onnx_TensorShapeProto_fields, &s))
        return false;
    if (s.dim.n > MAX_RANK) {
        onnx_fault(x, loc, "'%s' has %d dimensions: at most %d are supported", of, s.dim.n, MAX_RANK);
        return false;
    }
    MDim *dims = NEW_N(x->c, MDim, s.dim.n);
    for (int i = 0; i < s.dim.n; i++)
        if (!dim_read(x, loc, of, place_at(&s.dim, i), &dims[i]))
            return false;
    t->rank = s.dim.n;
    t->dims = dims;
    return true;
}

static bool tensor_type(Onnx *x, Loc loc, const char *of, Place p, MType *t)
{
    onnx_TypeProto_Tensor m = {0};
    if (!message_read(x, loc, "a tensor type", p, onnx_TypeProto_Tensor_fields, &m))
        return false;
    t->dt = element_type(x, loc, of, m.elem_type);
    return t->dt && shape_read(x, loc, of, &m.shape, t);
}

/* A type that is made of another one, or opaque. *inner: where that stands. */
static bool outer_type(Onnx *x, Loc loc, const char *of, const onnx_TypeProto *m, MType *t, Place *inner)
{
    onnx_TypeProto_Sequence seq = {0};
    onnx_TypeProto_Map map = {0};
    onnx_TypeProto_Opaque opaque = {0};
    *inner = (Place){0};
    if (m->sequence_type.n || m->optional_type.n) {
        t->kind = m->sequence_type.n ? M_SEQUENCE : M_OPTIONAL;
        Place p = place_last(m->sequence_type.n ? &m->sequence_type : &m->optional_type);
        if (!message_read(x, loc, "a type", p, onnx_TypeProto_Sequence_fields, &seq))
            return false;
        *inner = place_last(&seq.elem_type);
        return seq.elem_type.n > 0;
    }
    if (m->map_type.n) {
        t->kind = M_MAP;
        if (!message_read(x, loc, "a map type", place_last(&m->map_type), onnx_TypeProto_Map_fields, &map))
            return false;
        t->dt = element_type(x, loc, of, map.key_type);
        *inner = place_last(&map.value_type);
        return t->dt && map.value_type.n > 0;
    }
    t->kind = M_OPAQUE;
    if (!m->opaque_type.n ||
        !message_read(x, loc, "an opaque type", place_last(&m->opaque_type), onnx_TypeProto_Opaque_fields, &opaque))
        return false;
    t->domain = onnx_name(x, loc, "a type's domain", &opaque.domain);
    t->name = onnx_name(x, loc, "a type's name", &opaque.name);
    return true;
}

const MType *onnx_type(Onnx *x, Loc loc, const char *of, Place p)
{
    const MType *outermost = NULL, **to = &outermost;
    for (int depth = 0; depth <= MAX_NESTING; depth++) {
        onnx_TypeProto m = {0};
        MType *t = NEW(x->c, MType);
        t->loc = loc;
        *to = t;
        to = &t->elem;
        if (!message_read(x, loc, "a type", p, onnx_TypeProto_fields, &m))
            return NULL;
        if (m.tensor_type.n || m.sparse_tensor_type.n) {
            t->kind = m.tensor_type.n ? M_TENSOR : M_SPARSE;
            p = place_last(m.tensor_type.n ? &m.tensor_type : &m.sparse_tensor_type);
            return tensor_type(x, loc, of, p, t) ? outermost : NULL;
        }
        if (!outer_type(x, loc, of, &m, t, &p))
            return NULL;
        if (t->kind == M_OPAQUE)
            return outermost;
    }
    onnx_fault(x, loc, "'%s': its type is nested more than %d deep", of, MAX_NESTING);
    return NULL;
}

const MValueInfo *onnx_infos(Onnx *x, Loc loc, const Places *l, int *n)
{
    MValueInfo *infos = NEW_N(x->c, MValueInfo, l->n);
    *n = 0;
    for (int i = 0; i < l->n; i++) {
        onnx_ValueInfoProto m = {0};
        if (!message_read(x, loc, "a value's description", place_at(l, i), onnx_ValueInfoProto_fields, &m))
            continue;
        MValueInfo *v = &infos[(*n)++];
        v->loc = loc;
        v->name = onnx_name(x, loc, "a value's name", &m.name);
        v->type = m.type.n ? onnx_type(x, loc, v->name, place_last(&m.type)) : NULL;
    }
    return infos;
}

/* ---- graphs ---------------------------------------------------------------------------------------------------- */

static const MTensor *inits_read(Onnx *x, Loc loc, const onnx_GraphProto *m, int *n)
{
    const int dense = m->initializer.n, all = dense + m->sparse_initializer.n;
    MTensor *inits = NEW_N(x->c, MTensor, all);
    for (int i = 0; i < all; i++) {
        MTensor *t = &inits[i];
        Mark mark = scratch_mark(x->c);
        t->loc = loc;
        t->name = "";
        if (i < dense)
            t->value = onnx_tensor(x, loc, place_at(&m->initializer, i), &t->name);
        else
            t->value = onnx_sparse(x, loc, place_at(&m->sparse_initializer, i - dense), &t->name);
        scratch_release(x->c, mark);
    }
    *n = all;
    return inits;
}

static void graph_read(Onnx *x, const Pending *job)
{
    onnx_GraphProto m = {0};
    MGraph *g = job->to;
    Loc loc = job->loc;
    Mark mark = scratch_mark(x->c);
    x->depth = job->depth;
    if (message_read(x, loc, "a graph", job->place, onnx_GraphProto_fields, &m)) {
        g->name = onnx_name(x, loc, "a graph's name", &m.name);
        g->ins = onnx_infos(x, loc, &m.input, &g->nins);
        g->outs = onnx_infos(x, loc, &m.output, &g->nouts);
        g->infos = onnx_infos(x, loc, &m.value_info, &g->ninfos);
        g->inits = inits_read(x, loc, &m, &g->ninits);
        g->nodes = onnx_nodes(x, &m.node, &g->nnodes);
        VEC_PUSH(x->c, x->graphs, g);
    }
    scratch_release(x->c, mark);
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

const Opset *onnx_opsets(Onnx *x, Loc loc, const Places *l, int *n)
{
    Opset *opsets = NEW_N(x->c, Opset, l->n > MOST_OPSETS ? MOST_OPSETS : l->n);
    *n = 0;
    for (int i = 0; i < l->n; i++) {
        onnx_OperatorSetIdProto m = {0};
        if (!message_read(x, loc, "an opset_import", place_at(l, i), onnx_OperatorSetIdProto_fields, &m))
            continue;
        const char *domain = onnx_name(x, loc, "a domain's name", &m.domain);
        domain = strcmp(domain, "ai.onnx") ? domain : intern(x->c, "");
        int k = 0;
        while (k < *n && opsets[k].domain != domain)
            k++;
        if (k == MOST_OPSETS)
            fatal(x->c, loc, "opset_import: more than %d domains", MOST_OPSETS);
        if (k < *n && opsets[k].version != m.version)
            onnx_fault(x, loc, "opset_import: domain \"%s\" is imported twice, as %lld and %lld", domain,
                       (long long)opsets[k].version, (long long)m.version);
        else if (k == *n)
            opsets[(*n)++] = (Opset){domain, m.version};
    }
    return opsets;
}

const Pair *onnx_pairs(Onnx *x, Loc loc, const Places *l, int *n)
{
    Pair *pairs = NEW_N(x->c, Pair, l->n);
    *n = 0;
    for (int i = 0; i < l->n; i++) {
        onnx_StringStringEntryProto m = {0};
        if (!message_read(x, loc, "an entry", place_at(l, i), onnx_StringStringEntryProto_fields, &m))
            continue;
        pairs[(*n)++] = (Pair){onnx_name(x, loc, "a key", &m.key), onnx_name(x, loc, "a value", &m.value)};
    }
    return pairs;
}

static bool function_read(Onnx *x, Place p, MFunction *f)
{
    onnx_FunctionProto m = {0};
    if (!message_read(x, onnx_loc(x), "a function", p, onnx_FunctionProto_fields, &m))
        return false;
    f->loc = onnx_loc(x);
    f->name = onnx_name(x, f->loc, "a function's name", &m.name);
    f->loc.what = internf(x->c, "function '%s'", f->name);
    const char *domain = onnx_name(x, f->loc, "a domain's name", &m.domain);
    f->domain = strcmp(domain, "ai.onnx") ? domain : intern(x->c, "");
    f->overload = onnx_name(x, f->loc, "an overload's name", &m.overload);
    f->opsets = onnx_opsets(x, f->loc, &m.opset_import, &f->nopsets);
    f->ins = onnx_names(x, f->loc, "an input's name", &m.input, &f->nins);
    f->outs = onnx_names(x, f->loc, "an output's name", &m.output, &f->nouts);
    f->attrs = onnx_names(x, f->loc, "an attribute's name", &m.attribute, &f->nattrs);
    MAttr *defaults = NEW_N(x->c, MAttr, m.attribute_proto.n);
    for (int i = 0; i < m.attribute_proto.n; i++)
        f->ndefaults += onnx_attr(x, f->loc, place_at(&m.attribute_proto, i), &defaults[f->ndefaults]);
    f->defaults = defaults;
    f->infos = onnx_infos(x, f->loc, &m.value_info, &f->ninfos);
    f->nodes = onnx_nodes(x, &m.node, &f->nnodes);
    return true;
}

static MFunction *functions_read(Onnx *x, const Places *l, MModel *m)
{
    MFunction *functions = NEW_N(x->c, MFunction, l->n);
    for (int i = 0; i < l->n; i++) {
        Mark mark = scratch_mark(x->c);
        x->depth = 0;
        m->nfunctions += function_read(x, place_at(l, i), &functions[m->nfunctions]);
        scratch_release(x->c, mark);
    }
    m->functions = functions;
    return functions;
}

/* ---- the model ------------------------------------------------------------------------------------------------- */

static const char *stated(Onnx *x, const char *what, const Places *l)
{
    return l->n ? onnx_name(x, onnx_loc(x), what, l) : NULL;
}

static void meta_read(Onnx *x, const onnx_ModelProto *p, MModel *m)
{
    Meta *meta = NEW(x->c, Meta);
    *meta = (Meta){.ir_version = p->ir_version, .model_version = p->model_version};
    meta->producer_name = stated(x, "the producer's name", &p->producer_name);
    meta->producer_version = stated(x, "the producer's version", &p->producer_version);
    meta->domain = stated(x, "the model's domain", &p->domain);
    meta->doc_string = stated(x, "the model's doc_string", &p->doc_string);
    meta->opsets = onnx_opsets(x, onnx_loc(x), &p->opset_import, &meta->nopsets);
    meta->props = onnx_pairs(x, onnx_loc(x), &p->metadata_props, &meta->nprops);
    m->opsets_stated = meta->nopsets > 0;
    /* Before there was opset_import, there was but the first opset. */
    if (!meta->nopsets && p->has_ir_version && p->ir_version < 3) {
        Opset *first = NEW(x->c, Opset);
        *first = (Opset){intern(x->c, ""), 1};
        meta->opsets = first;
        meta->nopsets = 1;
        m->opsets_stated = true;
    }
    m->meta = meta;
}

MModel *onnx_read(Ctx *c, const File *f, const ReadOptions *o)
{
    (void)o;
    Onnx *x = onnx_new(c, f);
    onnx_ModelProto p = {0};
    MModel *m = NEW(c, MModel);
    MGraph *g = NEW(c, MGraph);
    MFunction *functions = NULL;
    Mark mark = scratch_mark(c);
    bool good = message_read(x, onnx_loc(x), "the model", (Place){x->base, f->size}, onnx_ModelProto_fields, &p);
    if (good && !p.graph.n)
        onnx_fault(x, onnx_loc(x), "the model has no graph: is it ONNX?");
    g->name = "";
    g->loc = onnx_loc(x);
    if (good)
        meta_read(x, &p, m);
    if (good && p.graph.n) {
        m->graph = g;
        graph_read(x, &(Pending){place_last(&p.graph), g, g->loc, 0});
        functions = functions_read(x, &p.functions, m);
    }
    while (x->pending.n) {
        Pending job = x->pending.at[--x->pending.n];
        graph_read(x, &job);
    }
    scratch_release(c, mark);
    for (int i = 0; i < x->graphs.n; i++)
        x->graphs.at[i]->nodes = nodes_ordered(c, x->graphs.at[i]->nnodes, x->graphs.at[i]->nodes, NULL);
    for (int i = 0; i < m->nfunctions; i++)
        functions[i].nodes = nodes_ordered(c, functions[i].nnodes, functions[i].nodes, NULL);
    m->broken = x->faults > 0;
    return m;
}
