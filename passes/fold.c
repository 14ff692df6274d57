/* fold: a node whose inputs are all known becomes a constant, by interpreting its loops.
 *
 * Flash is what this saves and what it must not spend: a larger result is taken only when it is no larger than the
 * constants that it replaces (node_worth_holding), so that a Repeat or an Expand of a constant, or weights cast to a
 * wider type, stay loops. For machines with tiles, which are no microcontrollers, constants may be widened: products
 * read them as they are, not converted at each run. */
#include "passes.h"

static const size_t WIDENED_MOST = (size_t)16 << 20;         /* bytes */

static bool known_already(const Node *n)
{
    for (int i = 0; i < n->nout; i++)
        if (n->out[i] && !n->out[i]->held) return false;
    return true;
}

static bool inputs_known(const Node *n, Edge *const *in)
{
    for (int i = 0; i < n->nin; i++)
        if (in[i] && !in[i]->data && !sig_param(n->sig->in, n->sig->nin, i)->type_only) return false;
    return true;
}

/* One result, of as many elements as the largest operand. */
static bool widens(const Node *n, Edge *const *in)
{
    int64_t most = 0;
    for (int i = 0; i < n->nin; i++)
        if (in[i] && type_count(in[i]->type) > most) most = type_count(in[i]->type);
    if (n->nout != 1 || !n->out[0]) return false;
    return type_count(n->out[0]->type) == most && type_bytes(n->out[0]->type) <= WIDENED_MOST;
}

static bool fold(Build *b, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    const Target *target = arg;
    const Tensor **value = SCRATCH_N(b->c, const Tensor *, n->nout);
    if (known_already(n)) {
        for (int i = 0; i < n->nout; i++) value[i] = n->out[i] ? n->out[i]->data : NULL;
    } else {
        if (!node_worth_holding(n, in) && !(target->lanes && widens(n, in))) return false;
        if (!inputs_known(n, in)) return false;
        Node with = *n;
        with.in = in;
        if (!node_eval(b, &with, SIZE_MAX, value)) return false;
    }
    for (int i = 0; i < n->nout; i++) {
        const Edge *e = n->out[i];
        if (!e) continue;
        out[i] = build_const(b, e->name, value[i], e->loc);
        out[i]->formula = e->formula;
    }
    return true;
}

Unit pass_fold(Ctx *c, Unit u)
{
    bool any = false;
    for (int i = 0; i < u.graph->nnodes && !any; i++) any = inputs_known(u.graph->nodes[i], u.graph->nodes[i]->in);
    if (any) u.graph = graph_live(c, graph_rewrite(c, u.graph, fold, (void *)u.target));
    return u;
}
