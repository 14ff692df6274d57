/* canon: composed operators and older versions become what they stand for: nodes that have a meaning of their own, in
 * their newest version. The builder made those bodies when it read the node (their types are its inference); here they
 * take its place. Establishes: no node has a body. Graphs are printed with the newest opsets from here on. */
#include "passes.h"

static bool put_body(Build *b, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)arg;
    if (!n->result) return false;
    node_inline(b, n, in, out);
    return true;
}

Unit pass_canon(Ctx *c, Unit u)
{
    bool composed = false;
    for (int i = 0; i < u.graph->nnodes; i++) composed |= u.graph->nodes[i]->result != NULL;
    if (composed) u.graph = graph_rewrite(c, u.graph, put_body, NULL);
    u.graph = graph_live(c, u.graph);
    return u;
}
