/* The graph as data: questions about nodes, liveness, rewriting.
 * A graph is an array of nodes in an order in which each stands behind what it reads, so every walk here is a loop
 * over that array, forwards or backwards: nothing recurses over the depth of the graph (only over the nesting of
 * expansions, which is limited). Nodes and edges are shared between graphs: a rewritten graph has copies only of
 * those that stand behind a change. */
#include "build.h"

const Attr *node_attr(const Node *n, const char *name)
{
    for (int i = 0; i < n->nattrs; i++)
        if (!strcmp(n->attrs[i].name, name))
            return &n->attrs[i];
    return NULL;
}

int64_t node_int(const Node *n, const char *name, int64_t absent)
{
    const Attr *a = node_attr(n, name);
    return a ? a->i : absent;
}

float node_float(const Node *n, const char *name, float absent)
{
    const Attr *a = node_attr(n, name);
    return a ? a->f : absent;
}

const char *node_string(const Node *n, const char *name, const char *absent)
{
    const Attr *a = node_attr(n, name);
    return a ? a->s : absent;
}

const char *node_text(Ctx *c, const Node *n)
{
    const char *name = *n->name ? internf(c, " '%s'", n->name) : "";
    for (int k = 0; k < n->nout; k++)
        if (n->out[k])
            return internf(c, "%s%s (output '%s')", n->sig->name, name, n->out[k]->name);
    return internf(c, "%s%s", n->sig->name, name);
}

const Tensor *node_known(const Node *n, int k)
{
    return k < n->nin && n->in[k] ? n->in[k]->data : NULL;
}

bool node_worth_holding(const Node *n, Edge *const *in)
{
    size_t before = 0, after = 0;
    for (int k = 0; k < n->nin; k++)
        if (in[k] && in[k]->held)
            before += type_bytes(in[k]->type);
    for (int k = 0; k < n->nout; k++)
        if (n->out[k])
            after += type_bytes(n->out[k]->type);
    return after <= HELD_BYTES || after <= before;
}

bool edge_poisoned(const Edge *e)
{
    return e->type.dt == DT_NONE;
}

/* ---- liveness ---------------------------------------------------------------------------------------------------- */

Graph *graph_live(Ctx *c, const Graph *g)
{
    Mark mark = scratch_mark(c);
    PtrMap live = {0};
    bool *keep = SCRATCH_N(c, bool, g->nnodes);
    int count = 0;
    for (int i = 0; i < g->nouts; i++)
        ptrmap_put(c, &live, g->outs[i], g->outs[i]);
    for (int i = g->nnodes; i-- > 0;) {
        const Node *n = g->nodes[i];
        for (int k = 0; k < n->nout; k++)
            keep[i] |= n->out[k] && ptrmap_get(&live, n->out[k]);
        count += keep[i];
        for (int k = 0; keep[i] && k < n->nin; k++)
            if (n->in[k])
                ptrmap_put(c, &live, n->in[k], n->in[k]);
    }
    Graph *r = mem_copy(c, g, sizeof *g);
    if (count < g->nnodes) {
        const Node **nodes = NEW_N(c, const Node *, count);
        r->nnodes = 0;
        for (int i = 0; i < g->nnodes; i++)
            if (keep[i])
                nodes[r->nnodes++] = g->nodes[i];
        r->nodes = nodes;
    }
    scratch_release(c, mark);
    return r;
}

/* ---- for burin check --------------------------------------------------------------------------------------------- */

Graph *graph_publish(Ctx *c, const Graph *g)
{
    Graph *r = mem_copy(c, g, sizeof *g);
    VEC(Edge *) outs = {0};
    VEC(const char *) names = {0};
    for (int i = 0; i < g->nnodes; i++)
        for (int k = 0; k < g->nodes[i]->nout; k++) {
            Edge *e = g->nodes[i]->out[k];
            if (!e || e->data)
                continue;
            VEC_PUSH(c, outs, e);
            VEC_PUSH(c, names, e->name);
        }
    r->nouts = outs.n;
    r->outs = outs.at;
    r->out_names = names.at;
    r->ncounts = 0;
    return r;
}

static Tolerance loosest(int n, const Node *const *nodes)
{
    Tolerance t = TOL_EXACT;
    for (int i = 0; i < n; i++) {
        const Tolerance own = nodes[i]->op->tol, body = loosest(nodes[i]->nbody, nodes[i]->body);
        t = own > t ? own : t;
        t = body > t ? body : t;
    }
    return t;
}

double graph_tolerance(const Graph *g)
{
    return loosest(g->nnodes, g->nodes) == TOL_LOOSE ? 1e-3 : 1e-5;
}

/* ---- rewriting --------------------------------------------------------------------------------------------------- */

static Edge *mapped(const PtrMap *m, Edge *e)
{
    Edge *to = e ? ptrmap_get(m, e) : NULL;
    return to ? to : e;
}

/* The inputs of n under m, in scratch. True: one of them is another. */
static bool inputs_mapped(Ctx *c, const PtrMap *m, const Node *n, Edge ***in)
{
    bool changed = false;
    *in = SCRATCH_N(c, Edge *, n->nin);
    for (int k = 0; k < n->nin; k++) {
        (*in)[k] = mapped(m, n->in[k]);
        changed |= (*in)[k] != n->in[k];
    }
    return changed;
}

static const Node *node_rewired(Ctx *c, PtrMap *m, const Node *n);

static void body_rewired(Ctx *c, PtrMap *m, const Node *old, Node *n)
{
    const Node **body = NEW_N(c, const Node *, n->nbody);
    Edge **result = NEW_N(c, Edge *, n->nout);
    for (int i = 0; i < n->nbody; i++)
        body[i] = node_rewired(c, m, old->body[i]);
    for (int k = 0; k < n->nout; k++)
        result[k] = mapped(m, old->result[k]);
    n->body = body;
    n->result = result;
}

/* n itself when it reads nothing that m maps; else a copy, whose outputs m maps from then on. */
static const Node *node_rewired(Ctx *c, PtrMap *m, const Node *n)
{
    Edge **in, **out;
    Mark mark = scratch_mark(c);
    bool changed = inputs_mapped(c, m, n, &in);
    in = changed ? mem_copy(c, in, sizeof *in * (size_t)n->nin) : in;
    scratch_release(c, mark);
    if (!changed)
        return n;
    Node *r = mem_copy(c, n, sizeof *n);
    r->in = in;
    r->out = out = NEW_N(c, Edge *, n->nout);
    if (n->result)
        body_rewired(c, m, n, r);
    for (int k = 0; k < n->nout; k++) {
        if (!n->out[k])
            continue;
        out[k] = mem_copy(c, n->out[k], sizeof *out[k]);
        out[k]->from = r;
        ptrmap_put(c, m, n->out[k], out[k]);
    }
    return r;
}

/* Pushes the nodes of n's body, or of their bodies, and maps the outputs of n to what carries them. */
static void inline_body(Build *b, PtrMap *m, const Node *n)
{
    for (int i = 0; i < n->nbody; i++) {
        const Node *r = n->body[i];
        if (r->result)
            inline_body(b, m, r);
        else
            VEC_PUSH(b->c, b->nodes, node_rewired(b->c, m, r));
    }
    for (int k = 0; k < n->nout; k++)
        if (n->out[k])
            ptrmap_put(b->c, m, n->out[k], mapped(m, n->result[k]));
}

void node_inline(Build *b, const Node *n, Edge *const *in, Edge **out)
{
    Mark mark = scratch_mark(b->c);
    PtrMap m = {0};
    if (!n->result)
        ice(b->c, "%s has no body", node_text(b->c, n));
    for (int k = 0; k < n->nin; k++)
        if (n->in[k] && in[k] != n->in[k])
            ptrmap_put(b->c, &m, n->in[k], in[k]);
    inline_body(b, &m, n);
    for (int k = 0; k < n->nout; k++)
        out[k] = n->out[k] ? ptrmap_get(&m, n->out[k]) : NULL;
    scratch_release(b->c, mark);
}

static void take_names(Build *b, const Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < nodes[i]->nout; k++)
            if (nodes[i]->out[k])
                name_take(b, nodes[i]->out[k]->name);
        for (int k = 0; k < nodes[i]->nin; k++)
            if (nodes[i]->in[k] && !nodes[i]->in[k]->from)
                name_take(b, nodes[i]->in[k]->name);
        take_names(b, nodes[i]->body, nodes[i]->nbody);
    }
}

/* What stands in place of n may have its names. */
static void free_names(Build *b, const Node *n)
{
    b->loc = n->loc;
    b->prefix = NULL;
    for (int k = 0; k < n->nout; k++) {
        if (!n->out[k])
            continue;
        name_free(b, n->out[k]->name);
        if (!b->prefix)
            b->prefix = n->out[k]->name;
    }
}

/* What f gave in place of n. An edge that f made takes the name of what it replaces. */
static void replace(Build *b, PtrMap *m, const Node *n, Edge **out, int from)
{
    for (int k = 0; k < n->nout; k++) {
        Edge *e = n->out[k], *r = out[k];
        if (!e)
            continue;
        if (!r || !type_same(r->type, e->type))
            ice(b->c, "%s is replaced by %s, which was %s", node_text(b->c, n),
                r ? type_text(b->c, r->type) : "nothing", type_text(b->c, e->type));
        bool taken = false, made = false;
        for (int j = 0; j < k; j++)
            taken |= n->out[j] && out[j] == r;
        for (int i = b->nodes.n; i-- > from && !made;)
            made = b->nodes.at[i] == r->from;
        if (made && !taken)
            edge_rename(r, e->name);
        ptrmap_put(b->c, m, e, r);
    }
}

Graph *graph_rewrite(Ctx *c, const Graph *g, RewriteFn *f, void *arg)
{
    Build *b = build_new(c, 0, NULL);
    Mark mark = scratch_mark(c);
    PtrMap m = {0};
    for (int i = 0; i < g->nins; i++)
        name_take(b, g->ins[i]->name);
    take_names(b, g->nodes, g->nnodes);
    for (int i = 0; i < g->nnodes; i++) {
        const Node *n = g->nodes[i];
        Edge **in, **out = NEW_N(c, Edge *, n->nout);
        int from = b->nodes.n;
        inputs_mapped(c, &m, n, &in);
        free_names(b, n);
        if (f(b, n, in, out, arg))
            replace(b, &m, n, out, from);
        else
            VEC_PUSH(c, b->nodes, node_rewired(c, &m, n));
        for (int k = 0; k < n->nout; k++)
            if (n->out[k])
                name_take(b, n->out[k]->name);
    }
    Graph *r = mem_copy(c, g, sizeof *g);
    Edge **outs = NEW_N(c, Edge *, g->nouts);
    for (int i = 0; i < g->nouts; i++)
        outs[i] = mapped(&m, g->outs[i]);
    r->outs = outs;
    r->nodes = b->nodes.at;
    r->nnodes = b->nodes.n;
    scratch_release(c, mark);
    return r;
}
