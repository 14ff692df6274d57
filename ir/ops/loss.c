/* What the operands of losses must be; their formulas: loss.def. A place whose target is ignore_index counts neither in
 * the sum nor in the weight. */
#include "meaning.h"

bool loss_infer(Build *b, const Node *n, Type *out)
{
    Type x = arg_type(n, 0), t = arg_type(n, 1);
    bool fits = x.rank >= 2 && t.rank == x.rank - 1 && x.dims[0] == t.dims[0] && x.dims[1] > 0;
    for (int k = 1; fits && k < t.rank; k++)
        fits = x.dims[k + 1] == t.dims[k];
    if (fits && arg(n, 2))
        fits = arg_type(n, 2).rank == 1 && arg_type(n, 2).dims[0] == x.dims[1];
    if (!fits)
        node_error(b, n, "%s is %s, %s is %s: they must be [N, C, ...] and [N, ...], and weights have C elements",
                   n->sig->in[0].name, type_text(b->c, x), n->sig->in[1].name, type_text(b->c, t));
    out[0] = strcmp(node_string(n, "reduction", "mean"), "none") == 0 ? t : (Type){.rank = 0};
    out[0].dt = x.dt;
    if (n->nout > 1)
        out[1] = x;
    return fits;
}
