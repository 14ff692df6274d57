/* Operators of com.microsoft that are no formula: QLinearConcat, whose operands come in threes. */
#include "meaning.h"

bool qlinear_concat(Build *b, const Node *n, Edge **out)
{
    Attr axis = attr_int(b->c, "axis", node_int(n, "axis", 0));
    int parts = (n->nin - 2) / 3;
    Edge **in = NEW_N(b->c, Edge *, parts);
    if (n->nin < 5 || (n->nin - 2) % 3)
        return node_error(b, n, "%d inputs are given: behind Y_scale and Y_zero_point each part is a tensor, its scale "
                          "and its zero point", n->nin);
    for (int k = 0; k < parts; k++)
        in[k] = build_op(b, "DequantizeLinear", 3, &n->in[2 + 3 * k], 0, NULL);
    in[0] = build_op(b, "Concat", parts, in, 1, &axis);
    out[0] = build_op(b, "QuantizeLinear", 3, (Edge *[]){in[0], n->in[0], n->in[1]}, 0, NULL);
    return true;
}
