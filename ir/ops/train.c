/* Optimisers: the variadic operands are all tensors, then all their gradients, then each kind of memory; the results
 * are the tensors, then each memory. Each tensor has a step of its own, NAMEStep, whose formulas stand in ml.def. */
#include "meaning.h"

bool steps(Build *b, const Node *n, Edge **out)
{
    const char *name = internf(b->c, "%sStep", n->sig->name);
    const Sig *step = op_newest(b->c, "", name);
    int kinds = step->nin - 2, m = (n->nin - 2) / kinds;   /* operands behind R and T */
    bool fits = n->nin == 2 + m * kinds && n->nout == m * (kinds - 1) && type_count(arg_type(n, 0)) == 1 &&
                type_count(arg_type(n, 1)) == 1;
    for (int k = 2; k < n->nin; k++)
        fits = fits && same_dims(arg_type(n, k), arg_type(n, 2 + (k - 2) % m));
    if (!fits)
        return node_error(b, n, "%d operands, %d results: R and T are scalars; then come the tensors, as many "
                          "gradients and as many of each further kind (%d kinds), of equal shapes; a result for each "
                          "but the gradients", n->nin, n->nout, kinds);
    for (int i = 0; i < m; i++) {
        Edge *in[6], *result[3];
        for (int k = 0; k < 2; k++)
            in[k] = reshaped(b, build_cast(b, n->in[k], arg_type(n, 2).dt), 0, NULL);
        for (int k = 0; k < kinds; k++)
            in[2 + k] = n->in[2 + k * m + i];
        build_op_n(b, name, step->nin, in, n->nattrs, n->attrs, step->nout, result);
        for (int k = 0; k < step->nout; k++)
            out[k * m + i] = result[k];
    }
    return true;
}
