/* From the model as it was read to the graph: every node goes through the builder, which knows the operators; here is
 * what the standard says of names, inputs, constants and outputs. Linear in the nodes that are built. Nothing stops at
 * the first fault: a value that is at fault is a poisoned edge, and whatever reads it stays silent. */
#include "import.h"

enum {
    IR_NEWEST = 14,                  /* the version of ONNX's format, as of onnx 1.23 */
    MOST_COPIES = 1 << 18,           /* nodes; of 1 KB each: what a small file may ask for stays bounded */
};

void copies_count(Import *im, int nodes, Loc loc)
{
    im->copies += nodes + 1;
    if (im->copies > MOST_COPIES)
        fatal(im->c, loc, "functions and subgraphs, put in place, make more than %d nodes", MOST_COPIES);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static void node_build(Scope *s, const MNode *n)
{
    Ctx *c = s->im->c;
    Build *b = s->im->b;
    Mark mark = scratch_mark(c);
    Edge **in = SCRATCH_N(c, Edge *, n->nin), **out = SCRATCH_N(c, Edge *, n->nout);
    const char **names = SCRATCH_N(c, const char *, n->nout);
    Type *declared = SCRATCH_N(c, Type, n->nout);
    Attr *attrs = SCRATCH_N(c, Attr, n->nattrs);
    NodeSpec spec = {.domain = n->domain,
                     .op = n->op,
                     .version = n->version,
                     .name = n->name,
                     .loc = n->loc,
                     .nin = n->nin,
                     .nout = n->nout,
                     .in = in,
                     .out = names,
                     .attrs = attrs,
                     .declared = declared};
    for (int k = 0; k < n->nin; k++)
        in[k] = *n->in[k].name ? scope_use(s, n->in[k].name, n->in[k].loc) : NULL;
    for (int k = 0; k < n->nout; k++) {
        names[k] = *n->out[k].name ? scope_name(s, n->out[k].name) : NULL;
        declared[k] = declared_type(s, n->out[k].name);
    }
    if (!attrs_import(s, n, attrs, &spec.nattrs)) {
        for (int k = 0; k < n->nout; k++)
            out[k] = names[k] ? build_poison(b, names[k], n->loc) : NULL;
    } else if (*n->overload) {
        error(c, n->loc, "function '%s' has no overload '%s'", n->op, n->overload);
        for (int k = 0; k < n->nout; k++)
            out[k] = names[k] ? build_poison(b, names[k], n->loc) : NULL;
    } else
        build_node(b, &spec, out);
    for (int k = 0; k < n->nout; k++)
        if (names[k])
            scope_set(s, n->out[k].name, n->out[k].loc, out[k]);
    scratch_release(c, mark);
}

void nodes_import(Scope *s, int n, const MNode *const *nodes)
{
    Build *b = s->im->b;
    const Opset *opsets = b->opsets;
    int nopsets = b->nopsets;
    declared_flow(s, n, nodes);
    for (int i = 0; i < n; i++) {
        const MNode *node = scope_definer(s, nodes[i]);
        const MFunction *f = node ? function_find(s->im, node) : NULL;
        b->opsets = s->opsets;       /* an operator's expansion may have changed them */
        b->nopsets = s->nopsets;
        if (f)
            function_inline(s, node, f);
        else if (node)
            node_build(s, node);
    }
    b->opsets = opsets;
    b->nopsets = nopsets;
}

/* ---- constants and inputs -------------------------------------------------------------------------------------- */

void inits_import(Scope *s, const MGraph *g)
{
    Build *b = s->im->b;
    for (int i = 0; i < g->ninits; i++) {
        const MTensor *t = &g->inits[i];
        const char *name = scope_name(s, t->name);
        Slot *slot = table_find(&s->names, t->name);
        if (slot && slot->state != SLOT_NEW) {
            scope_define(s, t->name, t->loc, NULL);      /* twice: only to say so */
            continue;
        }
        scope_define(s, t->name, t->loc,
                     t->value ? build_const(b, name, t->value, t->loc) : build_poison(b, name, t->loc));
    }
}

/* An input that an initializer gives its value: it is no parameter any more. */
static void frozen(Import *im, const MValueInfo *v, const Edge *e)
{
    Ctx *c = im->c;
    const ReadOptions *o = im->o;
    bool asked = false;
    check_declared(im, e, v, DECL_VALUE);
    for (int i = 0; o && i < o->nshapes; i++)
        asked |= !strcmp(o->shapes[i].input, v->name);
    for (int i = 0; o && i < o->ntypes; i++)
        asked |= !strcmp(o->types[i].input, v->name);
    if (asked)
        warning(c, v->loc, "input '%s' is frozen to its initializer: --shape and --type do not change it", v->name);
    else if (im->m->meta->ir_version >= 4)
        note(c, v->loc, "input '%s' has an initializer and is frozen to it: it is no parameter", v->name);
}

typedef VEC(Edge *) Edges;

static Edge *input_build(Import *im, Edges *ins, const MValueInfo *v, const char *name)
{
    Type t;
    bool known = input_type(im, v, &t);
    Edge *e = known ? build_input(im->b, name, t, v->loc, ins->n) : build_poison(im->b, name, v->loc);
    VEC_PUSH(im->c, *ins, e);
    return e;
}

/* A sequence is as many inputs as it has tensors. */
static Edge *sequence_build(Import *im, Edges *ins, const MValueInfo *v, const MType *elem)
{
    const MValueInfo each = {v->name, v->loc, elem};
    int n = input_length(im, v), from = ins->n;
    for (int k = 0; k < n; k++)
        if (edge_poisoned(input_build(im, ins, &each, internf(im->c, "%s_%d", v->name, k))))
            n = -1;
    return n < 0 ? build_poison(im->b, v->name, v->loc) : build_list(im->b, elem->dt, n, ins->at + from);
}

static void inputs_import(Scope *s, const MGraph *g, Graph *to)
{
    Import *im = s->im;
    Table seen = {0};
    Edges ins = {0};
    for (int i = 0; i < g->nins; i++) {
        const MValueInfo *v = &g->ins[i];
        const Slot *init = table_find(&s->names, v->name);
        Slot *first = table_slot(im->c, &seen, v->name);
        if (first->state != SLOT_NEW) {
            error(im->c, v->loc, "input '%s' is defined twice: a name may be defined once only", v->name);
            note(im->c, first->loc, "'%s' is first defined here", v->name);
            continue;
        }
        first->state = SLOT_READY;
        first->loc = v->loc;
        if (init) {
            frozen(im, v, init->edge);
            continue;
        }
        const MType *elem = sequence_of(v->type);
        scope_define(s, v->name, v->loc,
                     elem ? sequence_build(im, &ins, v, elem) : input_build(im, &ins, v, v->name));
    }
    to->ins = ins.at;
    to->nins = ins.n;
}

/* ---- the graph ------------------------------------------------------------------------------------------------- */

static void outputs_import(Scope *s, const MGraph *g, Graph *to)
{
    Ctx *c = s->im->c;
    VEC(Edge *) outs = {0};
    VEC(const char *) names = {0};
    for (int i = 0; i < g->nouts; i++) {
        const MValueInfo *v = &g->outs[i];
        Edge *e = scope_output(s, v->name, v->loc);
        check_declared(s->im, e, v, DECL_OUTPUT);
        if (e && e->list && e->list->n < 0)
            error(c, v->loc, "output '%s' is an optional that has no value: drop the output", v->name);
        for (int k = 0; e && e->list && k < e->list->n; k++) {
            VEC_PUSH(c, outs, e->list->at[k]);
            VEC_PUSH(c, names, internf(c, "%s_%d", v->name, k));
        }
        if (e && e->list)
            continue;
        VEC_PUSH(c, outs, e);
        VEC_PUSH(c, names, v->name);
    }
    to->outs = outs.at;
    to->out_names = names.at;
    to->nouts = outs.n;
}

static void infos_check(Scope *s, const MGraph *g)
{
    for (int i = 0; i < g->ninfos; i++) {
        const Slot *slot = table_find(&s->names, g->infos[i].name);
        check_declared(s->im, slot ? slot->edge : NULL, &g->infos[i], DECL_VALUE);
    }
}

/* What the model says of its own age. What is newer than burin is read as far as it is known, and said so. */
static void versions_check(Ctx *c, const MModel *m)
{
    const MGraph *g = m->graph;
    if (m->meta->ir_version < 0 || m->meta->ir_version > IR_NEWEST)
        warning(c, g->loc, "the model is of IR version %lld, but the newest known is %d: what is new in it is not "
                "understood", (long long)m->meta->ir_version, IR_NEWEST);
    if (!m->opsets_stated && g->nnodes && !m->broken)
        warning(c, g->loc, "the model has no opset_import: the newest version of each operator is taken");
    for (int i = 0; i < m->meta->nopsets; i++)
        if (!*m->meta->opsets[i].domain && m->meta->opsets[i].version > OPSET_NEWEST)
            warning(c, g->loc,
                    "the model imports opset %lld, but the newest known is %d: operators of opset %d are used",
                    (long long)m->meta->opsets[i].version, OPSET_NEWEST, OPSET_NEWEST);
}

Graph *frontend_import(Ctx *c, const MModel *m, const ReadOptions *o)
{
    const MGraph *g = m->graph;
    if (!g)
        return NULL;
    Import *im = NEW(c, Import);
    Graph *to = NEW(c, Graph);
    const Opset *opsets = m->opsets_stated ? m->meta->opsets ? m->meta->opsets : (const Opset[]){{"", 0}} : NULL;
    *im = (Import){.c = c, .m = m, .o = o, .b = build_new(c, m->meta->nopsets, opsets)};
    Scope *s = scope_new(im, NULL, NULL);
    s->opsets = im->b->opsets;
    s->nopsets = im->b->nopsets;
    versions_check(c, m);
    functions_open(im);
    symbols_open(im);
    inits_import(s, g);
    inputs_import(s, g, to);
    scope_declare(s, g->nnodes, g->nodes);
    declared_open(s, g->nouts, g->outs, g->ninfos, g->infos);
    nodes_import(s, g->nnodes, g->nodes);
    outputs_import(s, g, to);
    infos_check(s, g);
    symbols_close(im);
    build_report_unknown(im->b);
    to->name = g->name;
    to->meta = m->meta;
    to->nodes = im->b->nodes.at;
    to->nnodes = im->b->nodes.n;
    return to;
}
