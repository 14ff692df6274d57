/* What must hold of every graph, checked after every pass: each node stands behind what it reads, edges know where
 * they come from, names are unique, nothing is poisoned, and every type is what inference gives again. A breach is
 * an internal error. */
#include "build.h"

typedef struct Check {
    Ctx *c;
    Build *b;                        /* its names: those seen so far */
    PtrMap seen;                    /* edges that may be read here */
    bool body;                       /* within an expansion: names are not looked at, they are unique in their place */
} Check;

static void see(Check *k, const Edge *e)
{
    if (edge_poisoned(e))
        ice(k->c, "edge '%s' is poisoned", e->name);
    if (ptrmap_get(&k->seen, e))
        ice(k->c, "edge '%s' is made twice", e->name);
    if (!k->body && !name_take(k->b, intern(k->c, e->name)))
        ice(k->c, "two edges are called '%s'", e->name);
    ptrmap_put(k->c, &k->seen, e, k);
}

/* By that node, or NULL: the graph. */
static void check_read(Check *k, const Edge *e, const Node *by)
{
    if (ptrmap_get(&k->seen, e))
        return;
    if (e->from || e->input >= 0 || !e->data)
        ice(k->c, "%s reads '%s' before it is made", by ? node_text(k->c, by) : "the graph", e->name);
    if (!type_same(e->type, e->data->type))
        ice(k->c, "constant '%s' is %s, its value %s", e->name, type_text(k->c, e->type),
            type_text(k->c, e->data->type));
    see(k, e);
}

static void check_types(Check *k, const Node *n)
{
    Ctx *c = k->c;
    Mark mark = scratch_mark(c);
    int errors = c->errors;
    Type *types = SCRATCH_N(c, Type, n->nout);
    bool ok = match_operands(k->b, n);
    if (ok && op_expands(n->op) && !n->op->infer) {
        for (int i = 0; i < n->nout; i++)
            if (n->out[i])
                types[i] = n->result[i]->type;
    } else if (ok) {
        ok = match_types(k->b, n, types);
    }
    if (!ok || c->errors > errors)
        ice(c, "%s is no longer valid", node_text(c, n));
    for (int i = 0; i < n->nout; i++) {
        const Edge *e = n->out[i];
        if (e && !type_same(e->type, types[i]) && !sized_fits(n, i, types[i], e->type))
            ice(c, "output '%s' of %s is %s, inferred is %s", e->name, node_text(c, n), type_text(c, e->type),
                type_text(c, types[i]));
        if (e && e->data && !type_same(e->type, e->data->type))
            ice(c, "output '%s' of %s is %s, its value %s", e->name, node_text(c, n), type_text(c, e->type),
                type_text(c, e->data->type));
    }
    scratch_release(c, mark);
}

static void check_node(Check *k, const Node *n);

/* Its scope is the node's inputs and what the body itself makes. */
static void check_body(Check *k, const Node *n)
{
    Mark mark = scratch_mark(k->c);
    Check in = {.c = k->c, .b = k->b, .body = true};
    for (int i = 0; i < n->nin; i++)
        if (n->in[i])
            ptrmap_put(k->c, &in.seen, n->in[i], k);
    for (int i = 0; i < n->nbody; i++)
        check_node(&in, n->body[i]);
    for (int i = 0; i < n->nout; i++)
        if (n->out[i])
            check_read(&in, n->result[i], n);
    scratch_release(k->c, mark);
}

static void check_node(Check *k, const Node *n)
{
    for (int i = 0; i < n->nin; i++)
        if (n->in[i])
            check_read(k, n->in[i], n);
    check_types(k, n);
    if (n->result)
        check_body(k, n);
    for (int i = 0; i < n->nout; i++) {
        const Edge *e = n->out[i];
        if (!e)
            continue;
        if (e->from != n || e->out != i || e->input >= 0)
            ice(k->c, "output '%s' of %s does not know where it comes from", e->name, node_text(k->c, n));
        see(k, e);
    }
}

void graph_check(Ctx *c, const Graph *g)
{
    Mark mark = scratch_mark(c);
    Check k = {.c = c, .b = build_new(c, 0, NULL)};
    for (int i = 0; i < g->nins; i++) {
        if (g->ins[i]->from || g->ins[i]->input != i)
            ice(c, "input '%s' is not at its place", g->ins[i]->name);
        see(&k, g->ins[i]);
    }
    for (int i = 0; i < g->nnodes; i++)
        check_node(&k, g->nodes[i]);
    for (int i = 0; i < g->nouts; i++) {
        check_read(&k, g->outs[i], NULL);
        if (!g->out_names[i])
            ice(c, "output %d has no name", i);
    }
    scratch_release(c, mark);
}
