/* Results whose size depends on data, marked # in a signature. Their type is the largest that they can have (or what
 * the model declares); in front of it, compact, lies the part that is valid. Beside each of them its node has one more
 * result, which no model names: int32[rank], its true dimensions. Where all operands are known at compile time, the
 * node is evaluated and its results get their true types. Such a value is an output of the graph, and with
 * graph_counted so are its dimensions; before that it may run through nodes that work on each element alone, whose
 * results have the same dimensions. Nothing else may read it. */
#include "build.h"

bool node_sized(const Node *n)
{
    return n->sig->nshown < n->sig->nout;
}

static const Param *result_param(const Node *n, int k)
{
    return sig_param(n->sig->out, n->sig->nout, k);
}

/* The one dimension of result k that depends on data: the mark's digit, or what the attribute axis names. */
static int varying_dim(const Node *n, int k, int rank)
{
    const Attr *axis = node_attr(n, "axis");
    int64_t d = axis && rank > 1 ? axis->i : result_param(n, k)->dim;
    return (int)(d < 0 ? d + rank : d);
}

bool sized_fits(const Node *n, int k, Type largest, Type t)
{
    bool fits = result_param(n, k)->by_data && t.dt == largest.dt && t.rank == largest.rank;
    for (int i = 0; fits && i < t.rank; i++)
        fits = t.dims[i] == largest.dims[i] || i == varying_dim(n, k, t.rank);
    return fits;
}

void sized_declared(const Node *n, const Type *declared, int count)
{
    for (int k = 0; declared && node_sized(n) && k < count && k < n->sig->nshown; k++)
        if (n->out[k] && sized_fits(n, k, n->out[k]->type, declared[k]))
            n->out[k]->type = declared[k];
}

/* The operand whose elements the node works on one by one, all others being single values; -1: there is none. */
static int flows_from(const Node *n)
{
    int from = -1, rank = 0;
    bool each = n->op->keeps_shape || n->op->scalar || n->op->formula;
    for (int k = 0; each && k < n->nin; k++) {
        if (!n->in[k] || sig_param(n->sig->in, n->sig->nin, k)->type_only)
            continue;
        const Type t = n->in[k]->type;
        rank = t.rank > rank ? t.rank : rank;
        each = type_count(t) == 1 || from < 0;
        from = type_count(t) == 1 ? from : k;
    }
    return each && from >= 0 && n->in[from]->type.rank == rank ? from : -1;
}

/* What e reads element by element, NULL: nothing, or it is where such a run begins. */
static Edge *flows_to(const Edge *e)
{
    const Node *n = e->from;
    int k = n && !e->data && !node_sized(n) && n->out[0] == e ? flows_from(n) : -1;
    return k < 0 ? NULL : n->in[k];
}

/* Every edge on the way remembers where the run begins: a run may be long, and be asked for at each of its edges. */
Edge *edge_dims(Edge *e)
{
    Edge *begin = e, *next;
    while ((next = begin->begin ? begin->begin : flows_to(begin)))
        begin = next;
    for (; e != begin; e = next) {
        next = e->begin ? e->begin : flows_to(e);
        e->begin = begin;
    }
    const Node *n = e->from;
    if (!n || e->data)
        return NULL;
    for (int k = n->sig->nshown; k < n->sig->nout; k++)
        if (result_param(n, k)->dims_of == e->out)
            return n->out[k];
    return NULL;
}

void sized_edges(Build *b, const Node *n, Edge **out)
{
    for (int k = n->sig->nshown; k < n->sig->nout && node_sized(n); k++) {
        const Edge *e = out[result_param(n, k)->dims_of];
        if (out[k] || !e)
            continue;
        out[k] = edge_new(b, name_unique(b, internf(b->c, "%s/dims", e->name)), (Type){0}, n->loc);
        out[k]->out = k;
    }
}

void sized_types(Build *b, const Node *n, Type *out)
{
    for (int k = n->sig->nshown; k < n->sig->nout && node_sized(n); k++) {
        int64_t rank = out[result_param(n, k)->dims_of].rank;
        out[k] = type_make(b->c, DT_I32, 1, &rank);
    }
}

bool sized_read(Build *b, const Node *n, int k)
{
    Edge *e = n->in[k];
    if (flows_from(n) == k || !edge_dims(e))
        return true;
    node_error(b, n, "input '%s' ('%s', %s at most) has a size that depends on data, by %s: such a value can be read "
               "element by element, or be an output of the graph; make that node's inputs constants, or end the graph "
               "there",
               sig_param(n->sig->in, n->sig->nin, k)->name, e->name, type_text(b->c, e->type),
               node_text(b->c, e->from));
    return false;
}

void sized_known(Build *b, const Node *n, const Tensor **value)
{
    for (int k = n->sig->nshown; k < n->nout; k++) {
        int of = result_param(n, k)->dims_of;
        if (!n->out[k] || !n->out[of])
            continue;
        value[of] = tensor_front(b->c, value[of], value[k]);
        n->out[of]->type = value[of]->type;
    }
}

Graph *graph_counted(Ctx *c, const Graph *g)
{
    Graph *r = mem_copy(c, g, sizeof *g);
    VEC(Edge *) outs = {0};
    VEC(const char *) names = {0};
    VEC(int) counted = {0};
    for (int i = 0; i < g->nouts; i++) {
        VEC_PUSH(c, outs, g->outs[i]);
        VEC_PUSH(c, names, g->out_names[i]);
    }
    for (int i = 0; i < g->nouts; i++) {
        Edge *dims = edge_dims(g->outs[i]);
        if (!dims)
            continue;
        VEC_PUSH(c, outs, dims);
        VEC_PUSH(c, names, g->out_names[i]);
        VEC_PUSH(c, counted, i);
    }
    r->outs = outs.at;
    r->out_names = names.at;
    r->nouts = outs.n;
    r->counted = counted.at;
    r->ncounts = counted.n;
    return r;
}
