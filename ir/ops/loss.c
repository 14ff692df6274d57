/* Losses, as compositions: the logarithm of the probability of the right class, negated, weighted, summed up. A place
 * whose target is ignore_index counts neither in the sum nor in the weight. */
#include "meaning.h"

static Edge *where(Build *b, Edge *cond, Edge *x, Edge *y)
{
    return build_op(b, "Where", 3, (Edge *[]){cond, x, y}, 0, NULL);
}

static bool loss_operands(Build *b, const Node *n)
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
    return fits;
}

/* The loss of the logarithms x. */
static Edge *log_loss(Build *b, const Node *n, Edge *x)
{
    const Attr *ignore = node_attr(n, "ignore_index");
    Edge *target = n->in[1], *none = like(b, x, 0), *ignored = NULL, *weight = NULL;
    Attr axis = attr_int(b->c, "axis", 1), flat = attr_int(b->c, "keepdims", 0);
    if (ignore) {
        ignored = build_op2(b, "Equal", target, like(b, target, (double)ignore->i));
        target = where(b, ignored, like(b, target, 0), target);
    }
    if (arg(n, 2))
        weight = build_op2(b, "Gather", n->in[2], target);
    if (ignored)
        weight = where(b, ignored, none, weight ? weight : like(b, x, 1));
    Edge *places = build_op2(b, "Unsqueeze", target, build_ints(b, 1, (int64_t[]){1}));
    Edge *loss = build_op(b, "GatherElements", 2, (Edge *[]){x, places}, 1, &axis);
    loss = build_op1(b, "Neg", reshaped(b, loss, arg_type(n, 1).rank, arg_type(n, 1).dims));
    if (ignored)
        loss = where(b, ignored, none, loss);
    if (weight)
        loss = build_op2(b, "Mul", loss, weight);
    const char *reduction = node_string(n, "reduction", "mean");
    if (strcmp(reduction, "none") == 0)
        return loss;
    if (strcmp(reduction, "sum") == 0 || weight) {
        loss = build_op(b, "ReduceSum", 1, &loss, 1, &flat);
        if (strcmp(reduction, "mean") == 0)
            loss = build_op2(b, "Div", loss, build_op(b, "ReduceSum", 1, &weight, 1, &flat));
        return loss;
    }
    return build_op(b, "ReduceMean", 1, &loss, 1, &flat);
}

static bool reduction_known(Build *b, const Node *n)
{
    const char *reduction = node_string(n, "reduction", "mean");
    if (strcmp(reduction, "mean") == 0 || strcmp(reduction, "sum") == 0 || strcmp(reduction, "none") == 0)
        return true;
    node_error(b, n, "reduction = \"%s\" is unknown: it is none, sum or mean", reduction);
    return false;
}

bool nll_loss(Build *b, const Node *n, Edge **out)
{
    if (!loss_operands(b, n) || !reduction_known(b, n))
        return false;
    out[0] = log_loss(b, n, n->in[0]);
    return true;
}

bool softmax_loss(Build *b, const Node *n, Edge **out)
{
    Attr axis = attr_int(b->c, "axis", 1);
    if (!loss_operands(b, n) || !reduction_known(b, n))
        return false;
    Edge *x = build_op(b, "LogSoftmax", 1, n->in, 1, &axis);
    if (edge_poisoned(x))
        return false;
    out[0] = log_loss(b, n, x);
    if (n->nout > 1)
        out[1] = x;
    return true;
}
