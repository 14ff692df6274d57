/* LRN, a formula with a sum of its own. The other normalisations are compositions: the mean over some axes, the mean
 * square of what is left, a scale and a shift. The difference to the mean is built once for each reader, so that it is
 * computed where it is read and never stored. All are computed in float at least, with one rounding of 16-bit results.
 */
#include "meaning.h"

bool lrn_infer(Build *b, const Node *n, Type *out)
{
    int64_t size = node_int(n, "size", 1);
    out[0] = arg_type(n, 0);
    return (out[0].rank >= 2 && size >= 1 && size <= INT32_MAX) ||
           unfit(b, n, "X must have at least 2 dimensions; size, of channels that are summed over, is out of range");
}

/* x / (bias + alpha/size · sum of squares over the channels around)^beta */
const Expr *lrn_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    DType dt = math_type(t.dt);
    int64_t size = node_int(l->node, "size", 1);
    double alpha = (double)node_float(l->node, "alpha", 1e-4f) / (double)size;
    const Idx *at[MAX_RANK];
    Sweep s;
    sweep_open(c, &s, 1, &size);
    memcpy(at, i, sizeof *at * (size_t)t.rank);
    const Idx *channel = idx_add(c, idx_add(c, i[1], s.i[0]), idx_const(c, -((size - 1) / 2)));
    const Expr *inside = guarded_place(c, channel, t.dims[1], NULL, &at[1]), *x = in_math(l, 0, at);
    if (inside)
        x = expr_select(c, inside, x, zero(c, dt));
    const Expr *sum = sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, x, NULL});
    return formula(c, "x, sum, alpha, bias, beta: x / pow(mad(sum, alpha, bias), beta)", in_math(l, 0, i), sum,
                   expr_float(c, dt, alpha), expr_float(c, dt, (double)node_float(l->node, "bias", 1)),
                   expr_float(c, dt, (double)node_float(l->node, "beta", 0.75f)));
}
