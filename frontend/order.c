/* Nodes in an order in which each stands behind those that it reads. The standard asks writers for that, yet optimisers
 * of models leave it out, and other programs sort. As little as possible is moved: the nodes come in the order in which
 * they stand, each behind those of its sources that have not come yet. What a node's subgraphs read of the surroundings
 * counts as read by the node. In a graph with a cycle nothing but the cycles stays out of order: the import tells of
 * them. Linear, without recursion over the graph. */
#include "frontend.h"

typedef struct Order {
    Ctx *c;
    PtrMap makers;                   /* name -> number of the node that makes it, from 1 */
    PtrMap inner;                    /* name -> in how many of the surrounding subgraphs it means a value of theirs */
    size_t n;
    int *sources;                    /* of all nodes, in turn; NULL: they are only counted */
    int node;                        /* whose sources are looked up */
    bool late;                       /* some node stands in front of one that it reads */
} Order;

static void use(Order *o, const char *name)
{
    int maker = (int)(uintptr_t)ptrmap_get(&o->makers, name) - 1;
    if (maker < 0 || maker == o->node || ptrmap_get(&o->inner, name))
        return;
    if (o->sources)
        o->sources[o->n] = maker;
    o->n++;
    o->late |= maker > o->node;
}

static void shadow(Order *o, const char *name, int by)
{
    if (ptrmap_get(&o->makers, name))
        ptrmap_put(o->c, &o->inner, name, (void *)((uintptr_t)ptrmap_get(&o->inner, name) + (uintptr_t)by));
}

/* What a subgraph defines hides what has the same name outside; by: 1 on the way in, -1 on the way out. */
static void shadow_graph(Order *o, const MGraph *g, int by)
{
    for (int k = 0; k < g->nins; k++)
        shadow(o, g->ins[k].name, by);
    for (int k = 0; k < g->ninits; k++)
        shadow(o, g->inits[k].name, by);
    for (int i = 0; i < g->nnodes; i++)
        for (int k = 0; k < g->nodes[i]->nout; k++)
            shadow(o, g->nodes[i]->out[k].name, by);
}

static void use_graph(Order *o, const MGraph *g);

/* Nesting was limited when the graph was read. */
static void use_node(Order *o, const MNode *n)
{
    for (int k = 0; k < n->nin; k++)
        use(o, n->in[k].name);
    for (int k = 0; k < n->nattrs; k++) {
        const MAttr *a = &n->attrs[k];
        for (int j = 0; a->graphs && j < (a->a.kind == ATTR_GRAPH ? 1 : a->a.n); j++)
            if (a->graphs[j])
                use_graph(o, a->graphs[j]);
    }
}

static void use_graph(Order *o, const MGraph *g)
{
    shadow_graph(o, g, 1);
    for (int k = 0; k < g->nouts; k++)
        use(o, g->outs[k].name);
    for (int i = 0; i < g->nnodes; i++)
        use_node(o, g->nodes[i]);
    shadow_graph(o, g, -1);
}

/* Looks up the sources of all nodes; first[i]: where those of node i begin. */
static void use_all(Order *o, int n, const MNode *const *nodes, size_t *first)
{
    o->n = 0;
    for (int i = 0; i < n; i++) {
        if (first)
            first[i] = o->n;
        o->node = i;
        use_node(o, nodes[i]);
    }
    if (first)
        first[n] = o->n;
}

/* Walks from each node back to its sources, but not round in a cycle. -1, or a node of the first one. */
static int walk(Order *o, int n, const size_t *first, int *sorted)
{
    enum { NEW, OPEN, DONE };
    char *state = scratch_alloc(o->c, (size_t)n);
    int *stack = SCRATCH_N(o->c, int, n), count = 0, cyclic = -1;
    size_t *next = SCRATCH_N(o->c, size_t, n);
    memcpy(next, first, sizeof *next * (size_t)n);
    for (int start = 0; start < n; start++) {
        int depth = 0;
        if (state[start] == NEW) {
            stack[depth++] = start;
            state[start] = OPEN;
        }
        while (depth) {
            int i = stack[depth - 1];
            if (next[i] == first[i + 1]) {
                state[i] = DONE;
                sorted[count++] = i;
                depth--;
                continue;
            }
            int source = o->sources[next[i]++];
            if (state[source] == OPEN && cyclic < 0)
                cyclic = source;
            if (state[source] != NEW)
                continue;
            state[source] = OPEN;
            stack[depth++] = source;
        }
    }
    return cyclic;
}

const MNode *const *nodes_ordered(Ctx *c, int n, const MNode *const *nodes, const MNode **circle)
{
    Order o = {.c = c};
    Mark mark = scratch_mark(c);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nodes[i]->nout; k++) {
            const char *name = nodes[i]->out[k].name;
            if (*name && !ptrmap_get(&o.makers, name))
                ptrmap_put(c, &o.makers, name, (void *)(uintptr_t)(i + 1));
        }
    use_all(&o, n, nodes, NULL);
    const MNode *const *ordered = nodes;
    if (o.late) {
        size_t *first = SCRATCH_N(c, size_t, n + 1);
        int *sorted = SCRATCH_N(c, int, n);
        o.sources = SCRATCH_N(c, int, o.n);
        use_all(&o, n, nodes, first);
        const MNode **moved = NEW_N(c, const MNode *, n);
        int cyclic = walk(&o, n, first, sorted);
        for (int i = 0; i < n; i++)
            moved[i] = nodes[sorted[i]];
        ordered = moved;
        if (cyclic >= 0 && circle)
            *circle = nodes[cyclic];
    }
    scratch_release(c, mark);
    return ordered;
}
