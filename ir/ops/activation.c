/* Activations that recurrent operators name as well: formulas for one element. What a formula uses twice stands in it
 * twice; equal expressions are one, and are computed once. A branch is a select, which evaluates the chosen side only:
 * an overflow of the other side does no harm. */
#include "meaning.h"

/* Versions 1 and 6 of PRelu: a slope for each channel, dimension 1. */
bool prelu_old(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0], *slope = n->in[1];
    if (slope->type.rank == 1 && slope->type.dims[0] != 1 && x->type.rank >= 2)
        slope = along(b, slope, x->type.rank - 1, 0);
    return rebuild(b, n, 2, (Edge *[]){x, slope}, 0, NULL, out);
}

const Activation *activation_find(const char *name)
{
    static const Activation all[] = {
        {"Tanh", "x, a, b: tanh(x * b) * a", false, false, 1, 1},
        {"Sigmoid", "x, a, b: sigmoid(x)", false, false, 0, 0},
        {"Relu", "x, a, b: relu(x)", false, false, 0, 0},
        {"Affine", "x, a, b: x * a + b", true, true, 1, 0},
        {"LeakyRelu", "x, a, b: x < 0 ? x * a : x", true, false, 0.01F, 0},
        {"ThresholdedRelu", "x, a, b: x > a ? x : 0", true, false, 1, 0},
        {"ScaledTanh", "x, a, b: tanh(x * b) * a", true, true, 1, 1},
        {"HardSigmoid", "x, a, b: clip(x * a + b, 0, 1)", true, true, 0.2F, 0.5F},
        {"Elu", "x, a, b: x < 0 ? (decay(x) - 1) * a : x", true, false, 1, 0},
        {"Softsign", "x, a, b: x / (1 + abs(x))", false, false, 0, 0},
        {"Softplus", "X, a, b: " SOFTPLUS "softplus", false, false, 0, 0}};
    for (size_t k = 0; k < COUNT(all); k++)
        if (strcmp(all[k].name, name) == 0)
            return &all[k];
    return NULL;
}

const Expr *activated(Ctx *c, const Activation *a, const Expr *x, double alpha, double beta)
{
    return formula(c, a->text, x, known_number(c, x->dt, alpha), known_number(c, x->dt, beta));
}

/* Of the operator that has the formula's name. */
const Expr *activation_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    double alpha = (double)node_float(l->node, "alpha", 0), beta = (double)node_float(l->node, "beta", 0);
    return activated(l->c, activation_find(l->node->sig->name), in_math(l, 0, i), alpha, beta);
}
