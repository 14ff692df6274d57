/* Normalisations, as compositions: the mean over some axes, the mean square of what is left, a scale and a shift. The
 * difference to the mean is built once for each reader, so that it is computed where it is read and never stored. All
 * are computed in float at least, with one rounding of 16-bit results. LRN alone is a formula with a sum of its own. */
#include "meaning.h"

static Edge *over(Build *b, const char *op, Edge *x, int naxes, const int64_t *axes)
{
    return build_op(b, op, 2, (Edge *[]){x, build_ints(b, naxes, axes)}, 0, NULL);
}

/* The mean of squares over the axes. */
static Edge *mean_square(Build *b, Edge *x, int naxes, const int64_t *axes)
{
    double count = 1;
    if (edge_poisoned(x))
        return x;
    for (int k = 0; k < naxes; k++)
        count *= (double)x->type.dims[axes[k]];
    Edge *sum = over(b, "ReduceSumSquare", x, naxes, axes);
    return build_op2(b, "Div", sum, like(b, x, count));
}

static Edge *inverse_root(Build *b, Edge *square, double epsilon)
{
    if (edge_poisoned(square))
        return square;
    return build_op1(b, "Reciprocal", build_op1(b, "Sqrt", build_op2(b, "Add", square, like(b, square, epsilon))));
}

/* (x - mean) / sqrt(variance + epsilon) over the axes; *mean and *inv, when wanted, with axes of 1. */
static Edge *standardised(Build *b, Edge *x, int naxes, const int64_t *axes, double epsilon, Edge **mean, Edge **inv)
{
    Edge *m = over(b, "ReduceMean", x, naxes, axes);
    Edge *i = inverse_root(b, mean_square(b, build_op2(b, "Sub", x, m), naxes, axes), epsilon);
    if (mean) {
        *mean = m;
        *inv = i;
    }
    return build_op2(b, "Mul", build_op2(b, "Sub", x, m), i);
}

static double epsilon_of(const Node *n)
{
    return (double)node_float(n, "epsilon", 1e-5f);
}

/* v, a vector over channels, as it broadcasts to x of this rank. */
static Edge *along_channels(Build *b, Edge *v, int rank)
{
    int64_t dims[MAX_RANK];
    if (edge_poisoned(v) || rank <= 2)
        return v;
    for (int k = 0; k < rank - 1; k++)
        dims[k] = k == 0 ? type_count(v->type) : 1;
    return reshaped(b, v, rank - 1, dims);
}

/* Operand k has `count` elements in a vector. */
static bool is_vector(Build *b, const Node *n, int k, int64_t count, const char *of)
{
    Type t = arg_type(n, k);
    if (t.rank == 1 && t.dims[0] == count)
        return true;
    node_error(b, n, "%s is %s: it must be a vector of %lld elements, one for each %s", n->sig->in[k].name,
               type_text(b->c, t), (long long)count, of);
    return false;
}

static bool has_spatial(Build *b, const Node *n, int least_rank)
{
    if (arg_type(n, 0).rank >= least_rank)
        return true;
    node_error(b, n, "the input is %s: it must have at least %d dimensions", type_text(b->c, arg_type(n, 0)),
               least_rank);
    return false;
}

/* ---- BatchNormalization: x·a + (B - mean·a) with a = scale / sqrt(var + epsilon), which are constants as a rule ----
 */

static Edge *mixed(Build *b, Edge *x, Edge *y, double part)
{
    x = build_op2(b, "Mul", x, like(b, x, part));
    return build_op2(b, "Add", x, build_op2(b, "Mul", y, like(b, y, 1 - part)));
}

bool batch_norm(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0], *v[4];
    Type t = x->type;
    bool training = node_int(n, "training_mode", 0) != 0, spatial = node_int(n, "spatial", 1) != 0;
    if (!has_spatial(b, n, 2))
        return false;
    for (int k = 0; k < 4; k++) {
        if (spatial && !is_vector(b, n, k + 1, t.dims[1], "channel"))
            return false;
        v[k] = build_cast(b, n->in[k + 1], t.dt);
    }
    for (int k = 1; k < n->nout; k++)
        if (n->out[k] && (!training || k > 2)) {
            node_error(b, n, "output %d is not supported: statistics come out in training mode only", k);
            return false;
        }
    if (training) {
        int64_t axes[MAX_RANK] = {0};
        double momentum = (double)node_float(n, "momentum", 0.9f);
        for (int k = 2; k < t.rank; k++)
            axes[k - 1] = k;
        Edge *mean = over(b, "ReduceMean", x, t.rank - 1, axes);
        Edge *var = mean_square(b, build_op2(b, "Sub", x, mean), t.rank - 1, axes);
        mean = reshaped(b, mean, 1, &t.dims[1]);
        var = reshaped(b, var, 1, &t.dims[1]);
        out[1] = build_cast(b, mixed(b, v[2], mean, momentum), arg_type(n, 3).dt);
        out[2] = build_cast(b, mixed(b, v[3], var, momentum), arg_type(n, 4).dt);
        v[2] = mean;
        v[3] = var;
    }
    Edge *a = build_op2(b, "Div", v[0], build_op1(b, "Sqrt", build_op2(b, "Add", v[3], like(b, v[3], epsilon_of(n)))));
    Edge *shift = build_op2(b, "Sub", v[1], build_op2(b, "Mul", v[2], a));
    if (spatial) {
        a = along_channels(b, a, t.rank);
        shift = along_channels(b, shift, t.rank);
    }
    out[0] = build_op2(b, "Add", build_op2(b, "Mul", x, a), shift);
    return true;
}

/* ---- over the spatial dimensions, over groups of channels, over the last dimensions ---- */

static Edge *scaled(Build *b, Edge *x, Edge *scale, Edge *shift)
{
    x = build_op2(b, "Mul", x, scale);
    return shift ? build_op2(b, "Add", x, shift) : x;
}

bool instance_norm(Build *b, const Node *n, Edge **out)
{
    int64_t axes[MAX_RANK];
    Type t = arg_type(n, 0);
    if (!has_spatial(b, n, 3) || !is_vector(b, n, 1, t.dims[1], "channel") || !is_vector(b, n, 2, t.dims[1], "channel"))
        return false;
    for (int k = 2; k < t.rank; k++)
        axes[k - 2] = k;
    Edge *y = standardised(b, n->in[0], t.rank - 2, axes, epsilon_of(n), NULL, NULL);
    Edge *scale = along_channels(b, n->in[1], t.rank);
    out[0] = scaled(b, y, scale, along_channels(b, n->in[2], t.rank));
    return true;
}

/* Version 18 has a scale per group, 21 one per channel. */
bool group_norm(Build *b, const Node *n, Edge **out)
{
    static const int64_t axes[2] = {2, 3};
    Type t = arg_type(n, 0);
    int64_t groups = node_int(n, "num_groups", 1), rest = 1;
    bool grouped = n->sig->since < 21;
    if (!has_spatial(b, n, 2))
        return false;
    if (groups < 1 || t.dims[1] % groups) {
        node_error(b, n, "X is %s: num_groups = %lld must divide its %lld channels", type_text(b->c, t),
                   (long long)groups, (long long)t.dims[1]);
        return false;
    }
    for (int k = 1; k <= 2; k++)
        if (!is_vector(b, n, k, grouped ? groups : t.dims[1], grouped ? "group" : "channel"))
            return false;
    for (int k = 2; k < t.rank; k++)
        rest *= t.dims[k];
    int64_t each = t.dims[1] / groups, dims[4] = {t.dims[0], groups, each, rest};
    int64_t vector[3] = {groups, grouped ? 1 : each, 1};
    Edge *y = standardised(b, reshaped(b, n->in[0], 4, dims), 2, axes, epsilon_of(n), NULL, NULL);
    Edge *scale = reshaped(b, n->in[1], 3, vector);
    out[0] = reshaped(b, scaled(b, y, scale, reshaped(b, n->in[2], 3, vector)), t.rank, t.dims);
    return true;
}

/* ---- others ---- */

bool lrn_infer(Build *b, const Node *n, Type *out)
{
    int64_t size = node_int(n, "size", 1);
    out[0] = arg_type(n, 0);
    if (!has_spatial(b, n, 2))
        return false;
    if (size >= 1 && size <= INT32_MAX)
        return true;
    node_error(b, n, "size = %lld is out of range: it is the number of channels that are summed over", (long long)size);
    return false;
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
    sum = expr_op3(c, OP_mad, sum, expr_float(c, dt, alpha), expr_float(c, dt, (double)node_float(l->node, "bias", 1)));
    sum = expr_op2(c, OP_pow, sum, expr_float(c, dt, (double)node_float(l->node, "beta", 0.75f)));
    return expr_op2(c, OP_div, in_math(l, 0, i), sum);
}
