/* A graph as a diagram: inputs, nodes, outputs. What a node costs, and whether it only moves elements, is seen in the
 * kernels that it is lowered to. */
#include "draw.h"

typedef struct Cost { int64_t ops; int kernels; const Kernel *last; } Cost;
typedef struct From { int value, reader; } From;         /* reader: the last box that has a wire from it */
typedef struct Maker { Ctx *c; Diagram *d; PtrMap from; int box; } Maker;

/* ---- what nodes cost --------------------------------------------------------------------------------------------- */

/* Kernels stand in the order of the nodes; those that fill a node's temporaries before those that fill its outputs. */
static Cost *node_costs(Ctx *c, const Graph *g, const Prog *p)
{
    Cost *costs = NEW_N(c, Cost, g->nnodes);
    Mark m = scratch_mark(c);
    PtrMap node = {0};               /* from the name of a value to the node */
    for (int i = 0; i < g->nnodes; i++)
        for (int k = 0; k < g->nodes[i]->nout; k++)
            if (g->nodes[i]->out[k]) ptrmap_put(c, &node, intern(c, g->nodes[i]->out[k]->name), &costs[i]);
    for (int i = 0; i < g->nouts; i++)
        if (g->outs[i]->from)
            ptrmap_put(c, &node, intern(c, g->out_names[i]), ptrmap_get(&node, intern(c, g->outs[i]->name)));
    int64_t ops = 0;
    int kernels = 0;
    for (int i = 0; i < p->nkernels; i++) {
        ops = bytes_sum(ops, kernel_ops(c, p->kernels[i]));
        kernels++;
        Cost *at = ptrmap_get(&node, intern(c, p->kernels[i]->out->name));
        if (!at) continue;
        at->ops = bytes_sum(at->ops, ops);
        at->kernels += kernels;
        at->last = p->kernels[i];
        ops = kernels = 0;
    }
    scratch_release(c, m);
    return costs;
}

static BoxKind node_kind(Ctx *c, const Cost *cost)
{
    bool alias = false;
    if (cost->kernels != 1 || !kernel_moves(c, cost->last, &alias)) return BOX_NODE;
    return alias ? BOX_ALIAS : BOX_VIEW;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void make_value(Maker *m, const Edge *e)
{
    From *from = NEW(m->c, From);
    *from = (From){box_makes(m->c, m->d, e->name, e->type), -1};
    ptrmap_put(m->c, &m->from, e, from);
}

/* A value that is read more than once by a box has one wire. */
static void read_value(Maker *m, const Edge *e)
{
    From *from = ptrmap_get(&m->from, e);
    if (!from) {
        box_reads_const(m->c, m->d, e->name, e->type);
    } else if (from->reader != m->box) {
        box_reads(m->c, m->d, from->value);
        from->reader = m->box;
    }
}

static void tell_attr(Ctx *c, FILE *f, const Attr *a)
{
    fprintf(f, "\n%s = ", label_clean(c, a->name));
    switch (a->kind) {
    case ATTR_INT: fprintf(f, "%lld", (long long)a->i); break;
    case ATTR_FLOAT: fprintf(f, "%g", (double)a->f); break;
    case ATTR_STRING: fprintf(f, "\"%s\"", label_clean(c, a->s)); break;
    case ATTR_TENSOR: fputs(type_text(c, a->tensor->type), f); break;
    case ATTR_INTS:
        for (int i = 0; i < a->n && i < 16; i++) fprintf(f, "%s%lld", i ? ", " : "[", (long long)a->ints[i]);
        fputs(a->n > 16 ? ", ...]" : a->n ? "]" : "[]", f);
        break;
    case ATTR_FLOATS:
        for (int i = 0; i < a->n && i < 16; i++) fprintf(f, "%s%g", i ? ", " : "[", (double)a->floats[i]);
        fputs(a->n > 16 ? ", ...]" : a->n ? "]" : "[]", f);
        break;
    default: fputs("...", f);
    }
}

static int64_t footprint(const Node *n)
{
    int64_t bytes = 0;
    for (int k = 0; k < n->nin; k++)
        if (n->in[k]) bytes = bytes_sum(bytes, (int64_t)type_bytes(n->in[k]->type));
    for (int k = 0; k < n->nout; k++)
        if (n->out[k]) bytes = bytes_sum(bytes, (int64_t)type_bytes(n->out[k]->type));
    return bytes;
}

static void make_node(Maker *m, const Node *n, const Cost *cost)
{
    Ctx *c = m->c;
    const char *domain = n->sig->domain, *name = n->name && *n->name ? n->name : "";
    for (int k = 0; k < n->nout && !*name; k++)
        if (n->out[k]) name = n->out[k]->name;
    bool known = true;
    for (int k = 0; k < n->nout; k++) known &= !n->out[k] || n->out[k]->held;
    const char *operator = *domain ? internf(c, "%s.%s", domain, n->sig->name) : n->sig->name;
    m->box = box_new(c, m->d, node_kind(c, cost), operator, name);
    m->d->boxes.at[m->box].known = known;
    for (int k = 0; k < n->nin; k++)
        if (n->in[k]) read_value(m, n->in[k]);
    for (int k = 0; k < n->nout; k++)
        if (n->out[k]) make_value(m, n->out[k]);
    for (int k = 0; k < n->nattrs; k++) tell_attr(c, m->d->tip->f, &n->attrs[k]);
    box_costs(m->d, cost->ops, footprint(n));
    box_end(c, m->d);
}

Diagram *diagram_of_graph(Ctx *c, const Graph *g, const Prog *lowered)
{
    Maker m = {.c = c, .d = diagram_new(c, g->name, "read and written")};
    const Cost *costs = node_costs(c, g, lowered);
    Mark mark = scratch_mark(c);
    for (int i = 0; i < g->nins; i++) {
        m.box = box_new(c, m.d, BOX_INPUT, "", g->ins[i]->name);
        make_value(&m, g->ins[i]);
        box_end(c, m.d);
    }
    for (int i = 0; i < g->nnodes; i++) make_node(&m, g->nodes[i], &costs[i]);
    for (int i = 0; i < g->nouts; i++) {
        m.box = box_new(c, m.d, BOX_OUTPUT, "", g->out_names[i]);
        read_value(&m, g->outs[i]);
        box_end(c, m.d);
    }
    scratch_release(c, mark);
    diagram_end(c, m.d);
    return m.d;
}
