/* The parts of a model as the text reader builds them: headers, types, nodes, graphs, functions. Called by the
 * grammar's actions, from the bottom up; what is built is never changed again. */
#include "text.h"

enum { MOST_OPSETS = 1000 };

/* ---- numbers --------------------------------------------------------------------------------------------------- */

AttrKind literal_kind(const Literal *lit)
{
    const char *after;
    bool negative;
    uint64_t magnitude;
    LitFault fault = literal_int(lit->text, lit->text + lit->n, &after, &negative, &magnitude);
    return fault == LIT_OK || fault == LIT_RANGE ? ATTR_INT : ATTR_FLOAT;
}

int64_t text_int(Parser *p, const Literal *lit, const char *what)
{
    const char *after;
    bool negative;
    uint64_t v;
    LitFault fault = literal_int(lit->text, lit->text + lit->n, &after, &negative, &v);
    if (fault == LIT_OK && v > (uint64_t)INT64_MAX + negative)
        fault = LIT_RANGE;
    if (fault) {
        text_fault(p, lit->loc, "%s: '%.*s' %s", what, lit->n > 40 ? 40 : (int)lit->n, lit->text,
                   fault == LIT_RANGE      ? "is beyond 64 bits"
                   : fault == LIT_FRACTION ? "is not a whole number"
                                           : "is no number");
        return 0;
    }
    return (int64_t)(negative ? 0 - v : v);
}

/* ---- types ----------------------------------------------------------------------------------------------------- */

MType *text_type(Parser *p, Spot s, MKind kind, const MType *elem)
{
    MType *t = NEW(p->c, MType);
    *t = (MType){.kind = kind, .loc = spot_loc(p, s), .elem = elem};
    if (kind != M_SPARSE)
        return t;
    if (elem->kind != M_TENSOR)
        text_fault(p, elem->loc, "sparse_tensor(...) takes a tensor type, as in sparse_tensor(float[8])");
    t->dt = elem->dt;
    t->rank = elem->rank;
    t->dims = elem->dims;
    return t;
}

/* What people write for an element type of another name; NULL: no idea. */
static const char *element_meant(const char *word)
{
    static const char *const aliases[][2] = {
        {"float32", "float"}, {"fp32", "float"}, {"f32", "float"}, {"single", "float"}, {"float64", "double"},
        {"fp64", "double"}, {"f64", "double"}, {"half", "float16"}, {"fp16", "float16"}, {"f16", "float16"},
        {"bf16", "bfloat16"}, {"int", "int32"}, {"integer", "int32"}, {"i32", "int32"}, {"long", "int64"},
        {"i64", "int64"}, {"short", "int16"}, {"i16", "int16"}, {"char", "int8"}, {"i8", "int8"}, {"uint", "uint32"},
        {"u32", "uint32"}, {"u64", "uint64"}, {"u16", "uint16"}, {"byte", "uint8"}, {"u8", "uint8"},
        {"boolean", "bool"}, {"str", "string"}, {"complex", "complex64"},
    };
    const char *names[DT_COUNT];
    int n = 0;
    for (int i = 0; i < COUNT(aliases); i++)
        if (!strcmp(word, aliases[i][0]))
            return aliases[i][1];
    for (DType t = DT_F32; t < DT_COUNT; t++)
        names[n++] = dtype_name(t);
    return strlen(word) > 1 ? nearest(word, names, n) : NULL;
}

/* Reading goes on with the type that was likely meant. */
static DType element_type(Parser *p, Spot s, const char *word)
{
    DType t = dtype_parse(word);
    if (t)
        return t;
    const char *near = element_meant(word);
    text_fault(p, spot_loc(p, s), "'%s' is no element type%s%s%s", word, near ? "; did you mean '" : "",
               near ? near : "", near ? "'?" : "");
    return near ? dtype_parse(near) : DT_F32;
}

MType *text_tensor_type(Parser *p, Spot s, const char *elem, bool ranked)
{
    MType *t = text_type(p, s, M_TENSOR, NULL);
    int rank = p->dims.n;
    t->dt = element_type(p, s, elem);
    if (rank > MAX_RANK) {
        text_fault(p, t->loc, "a tensor of %d dimensions: at most %d are supported", rank, MAX_RANK);
        ranked = false;
    }
    t->rank = ranked ? rank : -1;
    t->dims = ranked ? mem_copy(p->c, p->dims.at, sizeof *t->dims * (size_t)rank) : NULL;
    return t;
}

void text_dim(Parser *p, const Literal *lit)
{
    int64_t size = text_int(p, lit, "dimension");
    VEC_PUSH(p->c, p->dims, ((MDim){size < 0 ? -1 : size, NULL}));
}

/* ---- dotted names ---------------------------------------------------------------------------------------------- */

static const char *names_join(Parser *p, int n)
{
    Ctx *c = p->c;
    size_t len = 0, used = 0;
    if (n == 0)
        return "";
    for (int i = 0; i < n; i++)
        len += strlen(p->names.at[i].name) + 1;
    Mark m = scratch_mark(c);
    char *text = scratch_alloc(c, len);
    for (int i = 0; i < n; i++) {
        size_t part = strlen(p->names.at[i].name);
        memcpy(text + used, p->names.at[i].name, part);
        used += part;
        text[used++] = '.';
    }
    const char *joined = intern_n(c, text, len - 1);
    scratch_release(c, m);
    return joined;
}

const MType *text_opaque(Parser *p, Spot s, int n, const char *name)
{
    MType *t = text_type(p, s, M_OPAQUE, NULL);
    const char *dotted = names_join(p, n);
    t->domain = name ? dotted : "";
    t->name = name ? name : dotted;
    return t;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

MNode *text_callee(Parser *p, Spot s, const char *overload)
{
    MNode *n = NEW(p->c, MNode);
    int last = p->names.n - 1;
    const char *domain = names_join(p, last);
    n->domain = strcmp(domain, "ai.onnx") ? domain : "";
    n->op = p->names.at[last].name;
    n->overload = overload;
    n->loc = spot_loc(p, s);
    return n;
}

MNode *text_call(Parser *p, MNode *n, const Attrs *before, const Names *in, const Attrs *behind, Spot s)
{
    if (before && before->n && behind)
        text_fault(p, spot_loc(p, s), "attributes in front of the inputs and behind them: put them into one list");
    const Attrs *attrs = before && before->n ? before : behind;
    n->in = in->at;
    n->nin = in->n;
    if (attrs) {
        n->attrs = attrs->at;
        n->nattrs = attrs->n;
    }
    return n;
}

Nodes *nodes_open(Parser *p, Spot s)
{
    Nodes *list = NEW(p->c, Nodes);
    text_deeper(p, s);
    list->outer = p->list_braces;
    list->braces = p->braces > 0 ? p->braces : 1;
    list->nesting = p->nesting;
    list->attrs = p->attrs.n;
    list->values = p->values.n;
    p->list_braces = list->braces;
    p->recovering = false;
    return list;
}

void nodes_close(Parser *p, const Nodes *list)
{
    text_resume(p, list);
    p->list_braces = list->outer;
    p->nesting--;
}

/* ---- graphs and functions -------------------------------------------------------------------------------------- */

static void items_take(Ctx *c, const Items *items, bool inputs, MGraph *g, MTensor *inits)
{
    int n = 0;
    for (int i = 0; i < items->v.n; i++)
        n += inputs || !items->v.at[i]->constant;
    MValueInfo *infos = NEW_N(c, MValueInfo, n);
    *(inputs ? &g->ins : &g->infos) = infos;
    *(inputs ? &g->nins : &g->ninfos) = n;
    for (int i = 0; i < items->v.n; i++) {
        const Item *it = items->v.at[i];
        if (inputs || !it->constant)
            *infos++ = it->info;
        if (it->constant)
            inits[g->ninits++] = (MTensor){it->info.name, it->info.loc, it->value};
    }
}

MGraph *text_graph(Parser *p, Spot s, const char *name, const Items *ins, const Infos *outs, const Items *rest,
                   const Nodes *nodes)
{
    MGraph *g = NEW(p->c, MGraph);
    MTensor *inits = NEW_N(p->c, MTensor, (ins ? ins->v.n : 0) + (rest ? rest->v.n : 0));
    *g = (MGraph){.name = name, .loc = spot_loc(p, s), .nnodes = nodes->v.n, .inits = inits};
    g->nodes = nodes_ordered(p->c, nodes->v.n, nodes->v.at, NULL);
    if (ins)
        items_take(p->c, ins, true, g, inits);
    if (rest)
        items_take(p->c, rest, false, g, inits);
    if (outs) {
        g->outs = outs->v.at;
        g->nouts = outs->v.n;
    }
    return g;
}

/* What is typed among a function's inputs, outputs and values. */
static const MValueInfo *typed(Parser *p, const FuncVars *ins, const FuncVars *outs, const Infos *infos, int *n)
{
    VEC(MValueInfo) all = {0};
    for (int i = 0; ins && i < ins->infos.n; i++)
        if (ins->infos.at[i].type)
            VEC_PUSH(p->c, all, ins->infos.at[i]);
    for (int i = 0; outs && i < outs->infos.n; i++)
        if (outs->infos.at[i].type)
            VEC_PUSH(p->c, all, outs->infos.at[i]);
    for (int i = 0; infos && i < infos->v.n; i++)
        VEC_PUSH(p->c, all, infos->v.at[i]);
    *n = all.n;
    return all.at;
}

static const MName *names_of(Parser *p, const FuncVars *vars, int *n)
{
    *n = vars ? vars->infos.n : 0;
    MName *names = NEW_N(p->c, MName, *n);
    for (int i = 0; i < *n; i++)
        names[i] = (MName){vars->infos.at[i].name, vars->infos.at[i].loc};
    return names;
}

void text_function(Parser *p, Spot s, const Header *h, const char *name, const Params *params, const FuncVars *ins,
                   const FuncVars *outs, const Infos *infos, const Nodes *nodes)
{
    const char *domain = h->meta.domain && strcmp(h->meta.domain, "ai.onnx") ? h->meta.domain : "";
    MFunction f = {.domain = domain,
                   .name = name,
                   .overload = h->overload,
                   .loc = spot_loc(p, s),
                   .nopsets = h->opsets.n,
                   .opsets = h->opsets.at,
                   .nodes = nodes_ordered(p->c, nodes->v.n, nodes->v.at, NULL),
                   .nnodes = nodes->v.n};
    if (params) {
        f.attrs = params->names.at;
        f.nattrs = params->names.n;
        f.defaults = params->defaults.at;
        f.ndefaults = params->defaults.n;
    }
    f.ins = names_of(p, ins, &f.nins);
    f.outs = names_of(p, outs, &f.nouts);
    f.infos = typed(p, ins, outs, infos, &f.ninfos);
    VEC_PUSH(p->c, p->functions, f);
}

void text_model(Parser *p, const Header *h, MGraph *g)
{
    Meta *meta = mem_copy(p->c, &h->meta, sizeof h->meta);
    MModel *m = p->m;
    meta->opsets = h->opsets.at;
    meta->nopsets = h->opsets.n;
    meta->props = h->props.at;
    meta->nprops = h->props.n;
    m->meta = meta;
    m->opsets_stated = h->opsets_stated;
    m->graph = g;
}

/* ---- headers --------------------------------------------------------------------------------------------------- */

typedef enum FieldKind { F_INT, F_STRING, F_OPSETS, F_PROPS } FieldKind;
typedef struct Field { const char *key; FieldKind kind; bool model, function; size_t at; } Field;

/* Meta first in Header: offsets serve for both. */
static const Field fields[] = {
    {"ir_version", F_INT, true, false, offsetof(Header, meta.ir_version)},
    {"opset_import", F_OPSETS, true, true, 0},
    {"producer_name", F_STRING, true, false, offsetof(Header, meta.producer_name)},
    {"producer_version", F_STRING, true, false, offsetof(Header, meta.producer_version)},
    {"domain", F_STRING, true, true, offsetof(Header, meta.domain)},
    {"model_version", F_INT, true, false, offsetof(Header, meta.model_version)},
    {"doc_string", F_STRING, true, true, offsetof(Header, meta.doc_string)},
    {"metadata_props", F_PROPS, true, false, 0},
    {"overload", F_STRING, false, true, offsetof(Header, overload)},
};

static const Field *field_find(Parser *p, const char *key, Loc loc)
{
    const char *keys[COUNT(fields)];
    bool function = p->header->function;
    int n = 0;
    for (int i = 0; i < COUNT(fields); i++) {
        if (!(function ? fields[i].function : fields[i].model))
            continue;
        keys[n++] = fields[i].key;
        if (!strcmp(key, fields[i].key))
            return &fields[i];
    }
    const char *near = nearest(key, keys, n);
    text_fault(p, loc, "'%s' is no field of a %s header%s%s%s", key, function ? "function" : "model",
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

Header *header_open(Parser *p)
{
    Header *h = NEW(p->c, Header);
    h->overload = "";
    h->function = p->header != NULL;             /* the model's comes first */
    return h;
}

static void opset_add(Parser *p, Header *h, const Entry *e)
{
    if (!e->lit) {
        text_fault(p, e->loc, "opset_import: \"%s\" is to be followed by a number, as in \"%s\" : 17", e->key, e->key);
        return;
    }
    const char *domain = strcmp(e->key, "ai.onnx") ? e->key : "";
    int64_t version = text_int(p, e->lit, "opset_import");
    for (int i = 0; i < h->opsets.n; i++)
        if (!strcmp(h->opsets.at[i].domain, domain)) {
            if (h->opsets.at[i].version != version)
                text_fault(p, e->loc, "opset_import: domain \"%s\" is imported twice, as %lld and %lld", domain,
                           (long long)h->opsets.at[i].version, (long long)version);
            return;
        }
    if (h->opsets.n == MOST_OPSETS)
        fatal(p->c, e->loc, "opset_import: more than %d domains", MOST_OPSETS);
    VEC_PUSH(p->c, h->opsets, ((Opset){domain, version}));
}

static void list_field(Parser *p, const Field *f, const Entries *list)
{
    Header *h = p->header;
    for (int i = 0; i < list->v.n; i++) {
        const Entry *e = &list->v.at[i];
        if (f->kind == F_OPSETS)
            opset_add(p, h, e);
        else if (e->lit)
            text_fault(p, e->lit->loc, "%s: a value must be a quoted string", f->key);
        else
            VEC_PUSH(p->c, h->props, ((Pair){e->key, e->s}));
    }
    h->opsets_stated |= f->kind == F_OPSETS;
}

void header_field(Parser *p, const char *key, Spot s, const Literal *lit, const char *str, const Entries *list)
{
    static const char *const wanted[] = {"a number", "a quoted string", "a list [\"domain\" : version, ...]",
                                         "a list [\"key\" : \"value\", ...]"};
    const Field *f = field_find(p, key, spot_loc(p, s));
    if (!f)
        return;
    char *to = (char *)p->header + f->at;
    if (f->kind == F_INT && lit)
        *(int64_t *)(void *)to = text_int(p, lit, key);
    else if (f->kind == F_STRING && str)
        *(const char **)(void *)to = text_name(p, s, str);
    else if (f->kind >= F_OPSETS && list)
        list_field(p, f, list);
    else
        text_fault(p, spot_loc(p, s), "%s takes %s", key, wanted[f->kind]);
}
