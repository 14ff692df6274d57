/* Activations: formulas for one element, in float where the tensor is of 16-bit floats, so that each is rounded once. A
 * branch is a select, which evaluates the chosen side only: an overflow of the other side does no harm. What a formula
 * uses twice stands in it twice; equal expressions are one, and are computed once. */
#include "meaning.h"

typedef const Expr *E;

static E add(Ctx *c, E x, E y) { return expr_op2(c, OP_add, x, y); }
static E sub(Ctx *c, E x, E y) { return expr_op2(c, OP_sub, x, y); }
static E mul(Ctx *c, E x, E y) { return expr_op2(c, OP_mul, x, y); }
static E over(Ctx *c, E x, E y) { return expr_op2(c, OP_div, x, y); }
static E num(Ctx *c, E x, double v) { return known_number(c, x->dt, v); } /* of x's type */
static E scaled(Ctx *c, E x, double k) { return mul(c, x, num(c, x, k)); }

/* x < bound ? y : z */
static E below(Ctx *c, E x, double bound, E y, E z)
{
    return expr_select(c, expr_op2(c, OP_lt, x, num(c, x, bound)), y, z);
}

/* k·(exp(x) - 1) */
static E exp_less_one(Ctx *c, E x, double k)
{
    return scaled(c, sub(c, expr_op1(c, OP_exp, x), num(c, x, 1)), k);
}

static double real(Lower *l, const char *name)
{
    return (double)node_float(l->node, name, 0);
}

const Expr *reciprocal_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    E x = in_math(l, 0, i);
    return over(l->c, num(l->c, x, 1), x);
}

bool prelu_infer(Build *b, const Node *n, Type *out)
{
    Type x = arg_type(n, 0), slope = arg_type(n, 1);
    int64_t dims[MAX_RANK];
    int rank;
    if (!broadcast_dims(x.rank, x.dims, slope.rank, slope.dims, &rank, dims) ||
        !same_dims(x, (Type){x.dt, rank, dims}))
        return node_error(b, n, "slope is %s: it must broadcast to X, %s, from the right", type_text(b->c, slope),
                          type_text(b->c, x));
    out[0] = x;
    return true;
}

const Expr *prelu_at(Lower *l, int out, const Idx *const *i)
{
    E x = in_math(l, 0, i);
    return below(l->c, x, 0, mul(l->c, math(l, 1, out_type(l, out).rank, i), x), x);
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

const Expr *selu_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    E x = in_math(l, 0, i), positive = expr_op2(c, OP_gt, x, num(c, x, 0));
    return scaled(c, expr_select(c, positive, x, exp_less_one(c, x, real(l, "alpha"))), real(l, "gamma"));
}

const Expr *celu_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    double alpha = real(l, "alpha");
    E x = in_math(l, 0, i);
    return below(c, x, 0, exp_less_one(c, over(c, x, num(c, x, alpha)), alpha), x);
}

/* k·x + beta, held between 0 and 1 */
static E ramp(Ctx *c, E x, double k, double beta)
{
    return expr_op3(c, OP_clip, add(c, scaled(c, x, k), num(c, x, beta)), num(c, x, 0), num(c, x, 1));
}

const Expr *hard_swish_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    E x = in_math(l, 0, i);
    return mul(l->c, x, ramp(l->c, x, 1.0 / 6, 0.5));
}

/* log(1 + exp(x)) = max(x, 0) + log(1 + e) with e = exp(-|x|), exact to the last places also where 1 + e rounds to 1.
 */
static E softplus(Ctx *c, E x)
{
    E e = expr_op1(c, OP_exp, expr_op1(c, OP_neg, expr_op1(c, OP_abs, x))), one = num(c, x, 1), u = add(c, one, e);
    E log = over(c, mul(c, expr_op1(c, OP_log, u), e), sub(c, u, one));
    log = expr_select(c, expr_op2(c, OP_eq, u, one), e, log);
    return add(c, expr_op1(c, OP_relu, x), log);
}

const Expr *mish_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    E x = in_math(l, 0, i);
    return mul(l->c, x, expr_op1(l->c, OP_tanh, softplus(l->c, x)));
}

const Expr *gelu_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    E x = in_math(l, 0, i), s;
    if (strcmp(node_string(l->node, "approximate", "none"), "none") == 0) {
        s = expr_op1(c, OP_erf, scaled(c, x, 0.707106781186547524400844));
    } else {
        E cube = mul(c, mul(c, x, x), x);
        s = expr_op1(c, OP_tanh, scaled(c, add(c, x, scaled(c, cube, 0.044715)), 0.797884560802865355879892));
    }
    return mul(c, scaled(c, x, 0.5), add(c, num(c, x, 1), s));
}

/* Integers are compared with lambd, and moved by bias, as real numbers. */
const Expr *shrink_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    double lambd = real(l, "lambd"), bias = real(l, "bias");
    E x = in_math(l, 0, i);
    if (!dtype_is_float(x->dt))
        x = expr_cast(c, dtype_bits(x->dt) > 16 ? DT_F64 : DT_F32, x);
    E above = expr_op2(c, OP_gt, x, num(c, x, lambd));
    E high = expr_select(c, above, sub(c, x, num(c, x, bias)), num(c, x, 0));
    return below(c, x, -lambd, add(c, x, num(c, x, bias)), high);
}

const Expr *swish_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    double alpha = real(l, "alpha");
    E x = in_math(l, 0, i);
    return mul(l->c, x, expr_op1(l->c, OP_sigmoid, alpha == 1 ? x : scaled(l->c, x, alpha)));
}

/* ---- formulas that recurrent operators name as well ---- */

static E relu(Ctx *c, E x, double a, double b) { return (void)a, (void)b, expr_op1(c, OP_relu, x); }
static E sigmoid(Ctx *c, E x, double a, double b) { return (void)a, (void)b, expr_op1(c, OP_sigmoid, x); }
static E hyperbolic(Ctx *c, E x, double a, double b) { return scaled(c, expr_op1(c, OP_tanh, scaled(c, x, b)), a); }
static E affine(Ctx *c, E x, double a, double b) { return add(c, scaled(c, x, a), num(c, x, b)); }
static E leaky(Ctx *c, E x, double a, double b) { return (void)b, below(c, x, 0, scaled(c, x, a), x); }
static E elu(Ctx *c, E x, double a, double b) { return (void)b, below(c, x, 0, exp_less_one(c, x, a), x); }
static E plus(Ctx *c, E x, double a, double b) { return (void)a, (void)b, softplus(c, x); }

static E thresholded(Ctx *c, E x, double a, double b)
{
    return (void)b, expr_select(c, expr_op2(c, OP_gt, x, num(c, x, a)), x, num(c, x, 0));
}

static E softsign(Ctx *c, E x, double a, double b)
{
    return (void)a, (void)b, over(c, x, add(c, num(c, x, 1), expr_op1(c, OP_abs, x)));
}

const Formula *formula_find(const char *name)
{
    static const Formula all[] = {
        {"Tanh", hyperbolic, false, false, 1, 1},        {"Sigmoid", sigmoid, false, false, 0, 0},
        {"Relu", relu, false, false, 0, 0},              {"Affine", affine, true, true, 1, 0},
        {"LeakyRelu", leaky, true, false, 0.01F, 0},     {"ThresholdedRelu", thresholded, true, false, 1, 0},
        {"ScaledTanh", hyperbolic, true, true, 1, 1},    {"HardSigmoid", ramp, true, true, 0.2F, 0.5F},
        {"Elu", elu, true, false, 1, 0},                 {"Softsign", softsign, false, false, 0, 0},
        {"Softplus", plus, false, false, 0, 0}};
    for (size_t k = 0; k < COUNT(all); k++)
        if (strcmp(all[k].name, name) == 0)
            return &all[k];
    return NULL;
}

/* Of the operator that has the formula's name. */
const Expr *formula_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return formula_find(l->node->sig->name)->of(l->c, in_math(l, 0, i), real(l, "alpha"), real(l, "beta"));
}
