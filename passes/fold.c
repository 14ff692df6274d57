/* fold: a node whose inputs are all known becomes a constant, by interpreting its loops.
 *
 * Flash is what this saves and what it must not spend: a result larger than FOLD_BYTES is taken only when it is no larger than the
 * constants that it replaces, so that a Repeat or an Expand of a constant stays a loop. */
#include "passes.h"

enum { FOLD_BYTES = 1024 };

static bool small_enough(const Node *n, Edge *const *in)
{
    size_t before = 0, after = 0;
    for (int i = 0; i < n->nin; i++)
        if (in[i]) before += in[i]->data ? type_bytes(in[i]->type) : 0;
    for (int i = 0; i < n->nout; i++)
        if (n->out[i]) after += type_bytes(n->out[i]->type);
    return after <= FOLD_BYTES || after <= before;
}

static bool known_already(const Node *n)
{
    for (int i = 0; i < n->nout; i++)
        if (n->out[i] && !n->out[i]->data) return false;
    return true;
}

static bool fold(Build *b, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)arg;
    const Tensor **value = SCRATCH_N(b->c, const Tensor *, n->nout);
    if (!small_enough(n, in)) return false;
    if (known_already(n)) {
        for (int i = 0; i < n->nout; i++) value[i] = n->out[i] ? n->out[i]->data : NULL;
    } else {
        for (int i = 0; i < n->nin; i++)
            if (in[i] && !in[i]->data && !n->sig->in[i < n->sig->nin ? i : n->sig->nin - 1].type_only) return false;
        Node with = *n;
        with.in = in;
        if (!node_eval(b, &with, SIZE_MAX, value)) return false;
    }
    for (int i = 0; i < n->nout; i++)
        out[i] = n->out[i] ? build_const(b, n->out[i]->name, value[i], n->out[i]->loc) : NULL;
    return true;
}

Unit pass_fold(Ctx *c, Unit u)
{
    u.graph = graph_live(c, graph_rewrite(c, u.graph, fold, NULL));
    return u;
}
