/* Activations: compositions, written as formulas over the node builder. Rows with `.wide` see float in place of 16-bit
 * floats, so a formula is rounded once. A branch is a Where (it evaluates the chosen side only), so that an overflow of
 * the other side does no harm. */
#include "meaning.h"

static Edge *add(Build *b, Edge *x, Edge *y) { return build_op2(b, "Add", x, y); }
static Edge *sub(Build *b, Edge *x, Edge *y) { return build_op2(b, "Sub", x, y); }
static Edge *mul(Build *b, Edge *x, Edge *y) { return build_op2(b, "Mul", x, y); }
static Edge *over(Build *b, Edge *x, Edge *y) { return build_op2(b, "Div", x, y); }
static Edge *less(Build *b, Edge *x, Edge *y) { return build_op2(b, "Less", x, y); }
static Edge *exponential(Build *b, Edge *x) { return build_op1(b, "Exp", x); }

static Edge *where(Build *b, Edge *cond, Edge *x, Edge *y)
{
    return build_op(b, "Where", 3, (Edge *[]){cond, x, y}, 0, NULL);
}

static Edge *scaled(Build *b, Edge *x, double k)
{
    return mul(b, x, like(b, x, k));
}

/* k·(exp(x) - 1) */
static Edge *exp_less_one(Build *b, Edge *x, double k)
{
    return scaled(b, sub(b, exponential(b, x), like(b, x, 1)), k);
}

static double real(const Node *n, const char *name, double absent)
{
    return node_attr(n, name) ? (double)node_float(n, name, 0) : absent;
}

bool reciprocal(Build *b, const Node *n, Edge **out)
{
    out[0] = over(b, like(b, n->in[0], 1), n->in[0]);
    return true;
}

bool leaky_relu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = where(b, less(b, x, like(b, x, 0)), scaled(b, x, real(n, "alpha", 0.01)), x);
    return true;
}

bool prelu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0], *slope = n->in[1];
    int64_t dims[MAX_RANK];
    int rank;
    if (!broadcast_dims(x->type.rank, x->type.dims, slope->type.rank, slope->type.dims, &rank, dims) ||
        !same_dims(x->type, (Type){x->type.dt, rank, dims})) {
        node_error(b, n, "slope is %s: it must broadcast to X, %s, from the right", type_text(b->c, slope->type),
                   type_text(b->c, x->type));
        return false;
    }
    out[0] = where(b, less(b, x, like(b, x, 0)), mul(b, slope, x), x);
    return true;
}

/* Versions 1 and 6: a slope for each channel, dimension 1. */
bool prelu_old(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0], *slope = n->in[1];
    int64_t dims[MAX_RANK];
    if (slope->type.rank == 1 && slope->type.dims[0] != 1 && x->type.rank >= 2) {
        for (int i = 0; i < x->type.rank - 1; i++)
            dims[i] = i == 0 ? slope->type.dims[0] : 1;
        slope = reshaped(b, slope, x->type.rank - 1, dims);
    }
    return rebuild(b, n, 2, (Edge *[]){x, slope}, 0, NULL, out);
}

bool selu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    double alpha = real(n, "alpha", 1.67326319217681884765625), gamma = real(n, "gamma", 1.05070102214813232421875);
    out[0] = scaled(b, where(b, less(b, like(b, x, 0), x), x, exp_less_one(b, x, alpha)), gamma);
    return true;
}

bool elu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = where(b, less(b, x, like(b, x, 0)), exp_less_one(b, x, real(n, "alpha", 1)), x);
    return true;
}

bool celu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    double alpha = real(n, "alpha", 1);
    out[0] = where(b, less(b, x, like(b, x, 0)), exp_less_one(b, over(b, x, like(b, x, alpha)), alpha), x);
    return true;
}

bool thresholded_relu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = where(b, less(b, like(b, x, real(n, "alpha", 1)), x), x, like(b, x, 0));
    return true;
}

static Edge *between_0_and_1(Build *b, Edge *x)
{
    return build_op(b, "Clip", 3, (Edge *[]){x, like(b, x, 0), like(b, x, 1)}, 0, NULL);
}

bool hard_sigmoid(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = between_0_and_1(b, add(b, scaled(b, x, real(n, "alpha", 0.2)), like(b, x, real(n, "beta", 0.5))));
    return true;
}

bool hard_swish(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = mul(b, x, between_0_and_1(b, add(b, scaled(b, x, 1.0 / 6), like(b, x, 0.5))));
    return true;
}

/* log(1 + e) for 0 <= e <= 1, exact to the last places also where 1 + e rounds to 1. */
static Edge *log_one_plus(Build *b, Edge *e)
{
    Edge *one = like(b, e, 1), *u = add(b, one, e);
    Edge *exact = over(b, mul(b, build_op1(b, "Log", u), e), sub(b, u, one));
    return where(b, build_op2(b, "Equal", u, one), e, exact);
}

bool softplus(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    Edge *small = exponential(b, build_op1(b, "Neg", build_op1(b, "Abs", x)));
    out[0] = add(b, build_op1(b, "Relu", x), log_one_plus(b, small));
    return true;
}

bool softsign(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = over(b, x, add(b, like(b, x, 1), build_op1(b, "Abs", x)));
    return true;
}

bool mish(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    out[0] = mul(b, x, build_op1(b, "Tanh", build_op1(b, "Softplus", x)));
    return true;
}

bool gelu(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0], *s;
    const char *approximate = node_string(n, "approximate", "none");
    if (strcmp(approximate, "tanh") == 0) {
        Edge *cube = mul(b, mul(b, x, x), x);
        s = build_op1(b, "Tanh", scaled(b, add(b, x, scaled(b, cube, 0.044715)), 0.797884560802865355879892));
    } else if (strcmp(approximate, "none") == 0) {
        s = build_op1(b, "Erf", scaled(b, x, 0.707106781186547524400844));
    } else {
        node_error(b, n, "approximate = \"%s\" is unknown: it is none or tanh", approximate);
        return false;
    }
    out[0] = mul(b, scaled(b, x, 0.5), add(b, like(b, x, 1), s));
    return true;
}

/* Integers are compared with lambd, and moved by bias, as real numbers. */
bool shrink(Build *b, const Node *n, Edge **out)
{
    DType dt = n->in[0]->type.dt;
    Edge *x = dtype_is_float(dt) ? n->in[0] : build_cast(b, n->in[0], dtype_bits(dt) > 16 ? DT_F64 : DT_F32);
    Edge *lambd = like(b, x, real(n, "lambd", 0.5)), *bias = like(b, x, real(n, "bias", 0));
    Edge *high = where(b, less(b, lambd, x), sub(b, x, bias), like(b, x, 0));
    out[0] = build_cast(b, where(b, less(b, x, build_op1(b, "Neg", lambd)), add(b, x, bias), high), dt);
    return true;
}

bool swish(Build *b, const Node *n, Edge **out)
{
    Edge *x = n->in[0];
    double alpha = real(n, "alpha", 1);
    out[0] = mul(b, x, build_op1(b, "Sigmoid", alpha == 1 ? x : scaled(b, x, alpha)));
    return true;
}
