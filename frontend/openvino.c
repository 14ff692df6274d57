/* OpenVINO IR: from layers as they are written (openvino_xml.c) to an MModel. Edges become names, constants places in
 * the mapped weights file, parameters and results the inputs and outputs in the file's order; every other layer becomes
 * a node of the domain "openvino" in the version of its opset. A layer's output has the layer's name; where it is an
 * input or output of the model and has a tensor name, that one. Work is n log n in layers and edges. 16-bit floats are
 * how numbers are stored here, in constants, inputs and outputs; as OpenVINO does, all computing is in float: such a
 * value NAME is cast to or from `NAME/f32`, which the nodes see. */
#include "import.h"
#include "openvino.h"

enum { OPSET_OV = 15 };              /* what is meant where a layer states none */

typedef struct From { const XLayer *layer; int port; } From;
typedef struct Net {
    Ov *x;
    Ctx *c;
    const XNet *net;
    int depth;
    From **from;                     /* by layer: what each of its input ports reads */
    const char ***names;             /* by layer: of each of its outputs */
    const char ***outer;             /* the same of a 16-bit float: what it is called as such; NULL: nothing is */
    Table taken;                     /* names that are given out */
} Net;

static MGraph *graph_make(Ov *x, const XNet *net, int depth);

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static const XLayer *layer_of(const Net *n, int64_t id, int *at)
{
    *at = layer_at(n->net, id);
    return *at < 0 ? NULL : n->net->layers.at[*at];
}

static void edge_take(Net *n, const XEdge *e)
{
    Ov *x = n->x;
    int from_at, to_at;
    const XLayer *from = layer_of(n, e->from, &from_at), *to = layer_of(n, e->to, &to_at);
    if (!from || !to) {
        ov_fault(x, e->loc, "an edge %s layer %lld: there is none with that id", from ? "to" : "from",
                 (long long)(from ? e->to : e->from));
        return;
    }
    int out = port_at(from, true, e->from_port), in = port_at(to, false, e->to_port);
    if (out < 0 || in < 0) {
        const XLayer *l = out < 0 ? from : to;
        ov_fault(x, e->loc, "an edge %s port %lld of layer '%s' (%s): it has no such %s port", out < 0 ? "from" : "to",
                 (long long)(out < 0 ? e->from_port : e->to_port), l->name, l->type, out < 0 ? "output" : "input");
        return;
    }
    From *f = &n->from[to_at][in];
    if (f->layer)
        ov_fault(x, e->loc, "input port %lld of layer '%s' (%s) has two edges: at most one may lead to it",
                 (long long)e->to_port, to->name, to->type);
    *f = (From){from, out};
}

static void edges_take(Net *n)
{
    int count = n->net->layers.n;
    n->from = NEW_N(n->c, From *, count);
    for (int i = 0; i < count; i++)
        n->from[i] = NEW_N(n->c, From, n->net->layers.at[i]->in.n);
    for (int i = 0; i < n->net->edges.n; i++)
        edge_take(n, &n->net->edges.at[i]);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is(const XLayer *l, const char *type)
{
    return !strcmp(l->type, type);
}

static bool take_name(Net *n, const char *name)
{
    Slot *s = table_slot(n->c, &n->taken, name);
    bool free = s->state == SLOT_NEW;
    s->state = SLOT_READY;
    return free;
}

/* name, which is interned, or with something behind it. */
static const char *unique(Net *n, const char *name, int64_t id)
{
    if (*name && take_name(n, name))
        return name;
    for (int k = 0;; k++) {
        const char *other = k ? internf(n->c, "%s_%lld_%d", *name ? name : "layer", (long long)id, k)
                              : internf(n->c, "%s_%lld", *name ? name : "layer", (long long)id);
        if (take_name(n, other))
            return other;
    }
}

/* The tensor names that inputs and outputs of the model have come first. */
static void name_published(Net *n, const XLayer *l, int at, int port)
{
    const char *all = l->out.at[port].names;
    if (n->depth || !all || n->names[at][port])
        return;
    const char *first = intern_n(n->c, all, strcspn(all, ","));
    if (*first && take_name(n, first))
        n->names[at][port] = first;
}

static bool narrow(DType dt)
{
    return dt == DT_F16 || dt == DT_BF16;
}

/* Whether that output is a 16-bit float that inputs, constants and outputs of the model have. */
static void name_narrow(Net *n, int at, int port)
{
    const XLayer *l = n->net->layers.at[at];
    const char *stated = is(l, "Parameter") || is(l, "Const") ? layer_attr(l, "element_type") : NULL;
    const MType *t = l->out.at[port].type;
    if (n->outer[at][port] || !narrow(stated ? ov_type(stated) : t ? t->dt : DT_NONE))
        return;
    n->outer[at][port] = n->names[at][port];
    n->names[at][port] = unique(n, internf(n->c, "%s/f32", n->names[at][port]), l->id);
}

static void names_give(Net *n)
{
    int count = n->net->layers.n, at;
    n->names = NEW_N(n->c, const char **, count);
    n->outer = NEW_N(n->c, const char **, count);
    for (int i = 0; i < count; i++) {
        n->names[i] = NEW_N(n->c, const char *, n->net->layers.at[i]->out.n);
        n->outer[i] = NEW_N(n->c, const char *, n->net->layers.at[i]->out.n);
    }
    for (int i = 0; i < count; i++) {
        const XLayer *l = n->net->layers.at[i];
        const From *f = is(l, "Result") && l->in.n ? &n->from[i][0] : NULL;
        if (is(l, "Parameter") && l->out.n)
            name_published(n, l, i, 0);
        else if (f && f->layer && layer_of(n, f->layer->id, &at))
            name_published(n, n->net->layers.at[at], at, f->port);
    }
    for (int i = 0; i < count; i++) {
        const XLayer *l = n->net->layers.at[i];
        for (int k = 0; k < l->out.n; k++)
            if (!n->names[i][k])
                n->names[i][k] =
                    unique(n, l->out.n > 1 && *l->name ? internf(n->c, "%s.%d", l->name, k) : l->name, l->id);
    }
    for (int i = 0; i < count; i++) {
        const XLayer *l = n->net->layers.at[i];
        const From *f = !n->depth && is(l, "Result") && l->in.n ? &n->from[i][0] : NULL;
        if ((is(l, "Const") || (is(l, "Parameter") && !n->depth)) && l->out.n)
            name_narrow(n, i, 0);
        else if (f && f->layer && layer_of(n, f->layer->id, &at))
            name_narrow(n, at, f->port);
    }
}

/* outside: what an output of the model is called. */
static const char *source_name(Net *n, int layer, int port, bool outside)
{
    const XLayer *l = n->net->layers.at[layer];
    const From *f = &n->from[layer][port];
    int at;
    if (f->layer && layer_of(n, f->layer->id, &at))
        return outside && n->outer[at][f->port] ? n->outer[at][f->port] : n->names[at][f->port];
    ov_fault(n->x, l->in.at[port].loc, "input port %lld of layer '%s' (%s): no edge leads to it",
             (long long)l->in.at[port].id, l->name, l->type);
    return "";
}

/* ---- bodies of layers -------------------------------------------------------------------------------------------- */

/* Of the layers of that type in the body, which one has the id; -1: none. */
static int ordinal(const XNet *body, const char *type, int64_t id)
{
    int at = layer_at(body, id);
    return at >= 0 && is(body->layers.at[at], type) ? body->layers.at[at]->ordinal : -1;
}

static MAttr ints_attr(Ctx *c, const char *name, Loc loc, int n, const int64_t *v)
{
    return (MAttr){.a = {.name = intern(c, name), .kind = ATTR_INTS, .loc = loc, .n = n, .ints = v}};
}

/* port_map as rows of 8 integers: output, port of the layer, of the body, axis (INT64_MIN: whole), start, end, stride,
 * part; a port of -1: what the loop itself gives (the step) or asks for (whether to go on). */
static MAttr map_attr(Net *n, const XLayer *l, int k, const char *name)
{
    VEC(int64_t) rows = {0};
    for (int i = 0; i < l->maps[k].n; i++) {
        const XMap *m = &l->maps[k].at[i];
        int outer = m->port < 0 ? -1 : port_at(l, m->output, m->port);
        int inner = ordinal(l->bodies[k], m->output ? "Result" : "Parameter", m->layer);
        if (inner < 0 || (outer < 0 && m->port >= 0)) {
            ov_fault(n->x, m->loc,
                     "a port map of layer '%s' (%s): there is no port %lld outside, or no %s %lld in the body", l->name,
                     l->type, (long long)m->port, m->output ? "Result" : "Parameter", (long long)m->layer);
            continue;
        }
        const int64_t row[] = {m->output, outer, inner, m->axis, m->start, m->end, m->stride, m->part};
        for (int j = 0; j < COUNT(row); j++)
            VEC_PUSH(n->c, rows, row[j]);
    }
    return ints_attr(n->c, name, l->loc, rows.n, rows.at);
}

static MAttr backs_attr(Net *n, const XLayer *l)
{
    VEC(int64_t) pairs = {0};
    for (int i = 0; i < l->backs[0].n; i++) {
        const XEdge *e = &l->backs[0].at[i];
        int from = ordinal(l->bodies[0], "Result", e->from), to = ordinal(l->bodies[0], "Parameter", e->to);
        if (from < 0 || to < 0) {
            ov_fault(n->x, e->loc, "a back edge of layer '%s' (%s) must lead from a Result of the body to a Parameter",
                     l->name, l->type);
            continue;
        }
        VEC_PUSH(n->c, pairs, from);
        VEC_PUSH(n->c, pairs, to);
    }
    return ints_attr(n->c, "back_edges", l->loc, pairs.n, pairs.at);
}

static int body_attrs(Net *n, const XLayer *l, MAttr *attrs)
{
    static const char *const names[2][2] = {{"body", "port_map"}, {"then_body", "then_port_map"}};
    int count = 0;
    bool branches = l->bodies[1] != NULL;
    for (int k = 0; k < 2; k++) {
        if (!l->bodies[k])
            continue;
        MGraph **g = NEW(n->c, MGraph *);
        *g = graph_make(n->x, l->bodies[k], n->depth + 1);
        attrs[count++] = (MAttr){.graphs = g, .a = {.name = intern(n->c, k ? "else_body" : names[branches][0]), .n = 1,
                                                    .kind = ATTR_GRAPH, .loc = l->loc}};
        attrs[count++] = map_attr(n, l, k, k ? "else_port_map" : names[branches][1]);
    }
    if (count && !branches)
        attrs[count++] = backs_attr(n, l);
    return count;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int64_t opset_of(const XLayer *l)
{
    int64_t v = 0;
    return !strncmp(l->version, "opset", 5) && ov_int(l->version + 5, &v) && v > 0 ? v : OPSET_OV;
}

static const MNode *node_make(Net *n, int at)
{
    const XLayer *l = n->net->layers.at[at];
    MNode *to = NEW(n->c, MNode);
    MName *in = NEW_N(n->c, MName, l->in.n), *out = NEW_N(n->c, MName, l->out.n);
    const Sig *sig = op_find(n->c, n->x->domain, l->type, opset_of(l), NULL);
    MAttr *attrs = NEW_N(n->c, MAttr, l->attrs.n + (sig && sig->graphs ? 5 : 0));
    *to = (MNode){.domain = n->x->domain,
                  .op = l->type,
                  .overload = "",
                  .name = l->name,
                  .version = opset_of(l),
                  .loc = l->loc,
                  .nin = l->in.n,
                  .nout = l->out.n,
                  .in = in,
                  .out = out,
                  .attrs = attrs};
    for (int k = 0; k < l->in.n; k++)
        in[k] = (MName){source_name(n, at, k, false), l->loc};
    for (int k = 0; k < l->out.n; k++)
        out[k] = (MName){n->names[at][k], l->loc};
    if (sig) {
        to->nattrs = sig->graphs ? body_attrs(n, l, attrs) : 0;
        to->nattrs = layer_attrs(n->x, l, sig, to->nattrs, attrs);
    }
    return to;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

typedef struct Parts {
    VEC(MValueInfo) ins;
    VEC(MValueInfo) outs;
    VEC(MValueInfo) infos;
    VEC(MTensor) inits;
    VEC(const MNode *) nodes;
} Parts;

static void cast_add(Net *n, Parts *p, Loc loc, const char *from, const char *to, DType dt)
{
    MNode *c = NEW(n->c, MNode);
    MName *names = NEW_N(n->c, MName, 2);
    MAttr *a = NEW(n->c, MAttr);
    names[0] = (MName){from, loc};
    names[1] = (MName){to, loc};
    a->a = attr_int(n->c, "to", dt);
    *c = (MNode){.domain = intern(n->c, ""), .op = intern(n->c, "Cast"), .overload = "", .name = "", .loc = loc,
                 .nin = 1, .nout = 1, .nattrs = 1, .in = &names[0], .out = &names[1], .attrs = a};
    VEC_PUSH(n->c, p->nodes, c);
}

static const MType *widened(Net *n, const MType *t)
{
    if (!t || !narrow(t->dt))
        return t;
    MType *w = mem_copy(n->c, t, sizeof *t);
    w->dt = DT_F32;
    return w;
}

static void node_take(Net *n, Parts *p, int at)
{
    const XLayer *l = n->net->layers.at[at];
    VEC_PUSH(n->c, p->nodes, node_make(n, at));
    for (int k = 0; k < l->out.n; k++) {
        const XPort *o = &l->out.at[k];
        if (o->type)
            VEC_PUSH(n->c, p->infos, ((MValueInfo){n->names[at][k], l->loc, widened(n, o->type)}));
        if (n->outer[at][k])
            cast_add(n, p, l->loc, n->names[at][k], n->outer[at][k], o->type->dt);
    }
}

/* A layer that has a value of its own: an input or a constant. */
static void value_take(Net *n, Parts *p, int at)
{
    const XLayer *l = n->net->layers.at[at];
    const char *name = n->outer[at][0] ? n->outer[at][0] : n->names[at][0];
    if (is(l, "Const"))
        VEC_PUSH(n->c, p->inits, ((MTensor){name, l->loc, ov_const(n->x, l)}));
    else {
        const MType *t = ov_parameter(n->x, l);
        if (!t)
            return;
        VEC_PUSH(n->c, p->ins, ((MValueInfo){name, l->loc, t}));
    }
    if (n->outer[at][0])
        cast_add(n, p, l->loc, name, n->names[at][0], DT_F32);
}

static void layer_take(Net *n, Parts *p, int at)
{
    const XLayer *l = n->net->layers.at[at];
    bool input = is(l, "Parameter"), constant = is(l, "Const");
    if ((input || constant) && l->out.n != 1)
        ov_fault(n->x, l->loc, "layer '%s' (%s) has %d output ports: it must have one", l->name, l->type, l->out.n);
    else if (input || constant)
        value_take(n, p, at);
    else if (is(l, "Result") && l->in.n != 1)
        ov_fault(n->x, l->loc, "layer '%s' (Result) has %d input ports: it must have one", l->name, l->in.n);
    else if (is(l, "Result")) {
        const From *f = &n->from[at][0];
        VEC_PUSH(n->c, p->outs, ((MValueInfo){source_name(n, at, 0, true), l->loc,
                                              f->layer ? f->layer->out.at[f->port].type : NULL}));
    } else if (*l->type)
        node_take(n, p, at);
}

static MGraph *graph_make(Ov *x, const XNet *net, int depth)
{
    Net n = {.x = x, .c = x->c, .net = net, .depth = depth};
    Parts p = {0};
    MGraph *g = NEW(x->c, MGraph);
    const MNode *circle = NULL;
    edges_take(&n);
    names_give(&n);
    for (int i = 0; i < net->layers.n; i++)
        layer_take(&n, &p, i);
    *g = (MGraph){.name = net->name, .loc = net->loc, .nins = p.ins.n, .nouts = p.outs.n, .ninits = p.inits.n,
                  .ninfos = p.infos.n, .nnodes = p.nodes.n, .ins = p.ins.at, .outs = p.outs.at, .infos = p.infos.at,
                  .inits = p.inits.at};
    g->nodes = nodes_ordered(x->c, p.nodes.n, p.nodes.at, &circle);
    if (!circle)
        return g;
    ov_fault(x, circle->loc, "the layers go round in a circle: '%s' (%s) depends on itself", circle->name, circle->op);
    g->nnodes = 0;
    return g;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* The weights file: the model's name with .bin in place of .xml, beside it; or what the options name. */
static void weights_find(Ov *x, const File *f, const ReadOptions *o)
{
    const char *path = f->path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *dot = strrchr(name, '.');
    x->weights = internf(x->c, "%.*s.bin", (int)(dot && dot > name ? dot - name : (ptrdiff_t)strlen(name)), name);
    if (!o || !o->weights)
        return;
    x->weights = intern(x->c, o->weights);
    x->no_weights = !externals_name(x->externals, (Loc){x->src, 1, 0, NULL}, x->weights);
}

MModel *openvino_read(Ctx *c, const File *f, const ReadOptions *o)
{
    static const char *const domains[] = {"", "openvino"};
    Ov *x = NEW(c, Ov);
    Source *src = NEW(c, Source);
    MModel *m = NEW(c, MModel);
    Meta *meta = NEW(c, Meta);
    Opset *opsets = NEW_N(c, Opset, 2);
    int64_t version = -1;
    int errors = c->errors;
    *src = (Source){f->path, f->data, f->size};
    if (f->size && (unsigned char)*f->data >= 0xFE)
        src->text = NULL;            /* UTF-16: its lines cannot be shown */
    *x = (Ov){.c = c, .src = src, .externals = externals_new(c, src)};
    opsets[0] = (Opset){intern(c, domains[0]), OPSET_NEWEST};
    opsets[1] = (Opset){intern(c, domains[1]), OPSET_OV};
    x->domain = opsets[1].domain;
    *meta = (Meta){.ir_version = 10, .nopsets = 2, .opsets = opsets};
    *m = (MModel){.meta = meta, .opsets_stated = true};
    XNet *net = ov_xml(x, f, &version);
    if (net && (version < 10 || version > 11)) {
        ov_fault(x, net->loc,
                 "the version of <net> is %s: versions 10 and 11 of OpenVINO IR are read; convert the model anew",
                 version < 0 ? "not stated" : internf(c, "%lld", (long long)version));
        net = NULL;
    }
    weights_find(x, f, o);
    m->graph = net ? graph_make(x, net, 0) : NULL;
    m->broken = c->errors > errors;
    return m;
}
