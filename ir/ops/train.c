/* One step of an optimiser, as compositions. The variadic operands are all tensors, then all their gradients, then each
 * kind of memory; the results are the tensors, then each memory. */
#include "meaning.h"

typedef struct Step {
    Build *b;
    const Node *n;
    Edge *rate, *count, *x, *g, *memory[2]; /* rate and count: scalars, of x's type */
} Step;
typedef void StepFn(Step *s, Edge **out); /* out[0]: x, then memory */

static double real_attr(const Step *s, const char *name)
{
    return (double)node_float(s->n, name, 0);
}

static Edge *scaled(const Step *s, Edge *x, double a)
{
    return build_op2(s->b, "Mul", x, like(s->b, x, a));
}

/* a·x + y */
static Edge *sum(const Step *s, double a, Edge *x, Edge *y)
{
    return build_op2(s->b, "Add", a == 1 ? x : scaled(s, x, a), y);
}

/* x - rate·by/(√square + epsilon) */
static Edge *descended(const Step *s, Edge *rate, Edge *by, Edge *square)
{
    Edge *root = build_op1(s->b, "Sqrt", square);
    root = build_op2(s->b, "Add", root, like(s->b, root, real_attr(s, "epsilon")));
    return build_op2(s->b, "Sub", s->x, build_op2(s->b, "Div", build_op2(s->b, "Mul", rate, by), root));
}

static void adagrad_step(Step *s, Edge **out)
{
    Build *b = s->b;
    Edge *late = sum(s, real_attr(s, "decay_factor"), s->count, like(b, s->count, 1));
    out[1] = build_op2(b, "Add", s->memory[0], build_op2(b, "Mul", s->g, s->g));
    out[0] = descended(s, build_op2(b, "Div", s->rate, late), s->g, out[1]);
}

/* 1 - a^count */
static Edge *unbiased(Step *s, double a)
{
    Edge *power = build_op2(s->b, "Pow", like(s->b, s->count, a), s->count);
    return build_op2(s->b, "Sub", like(s->b, s->count, 1), power);
}

static void adam_step(Step *s, Edge **out)
{
    Build *b = s->b;
    double alpha = real_attr(s, "alpha"), beta = real_attr(s, "beta");
    Edge *square = build_op2(b, "Mul", s->g, s->g), *later = build_op2(b, "Greater", s->count, like(b, s->count, 0));
    out[1] = sum(s, alpha, s->memory[0], scaled(s, s->g, 1 - alpha));
    out[2] = sum(s, beta, s->memory[1], scaled(s, square, 1 - beta));
    Edge *rate = build_op2(b, "Mul", s->rate, build_op1(b, "Sqrt", unbiased(s, beta)));
    rate = where(b, later, build_op2(b, "Div", rate, unbiased(s, alpha)), s->rate);
    out[0] = scaled(s, descended(s, rate, out[1], out[2]), 1 - real_attr(s, "norm_coefficient_post"));
}

static void momentum_step(Step *s, Edge **out)
{
    Build *b = s->b;
    double alpha = real_attr(s, "alpha");
    Edge *later = build_op2(b, "Greater", s->count, like(b, s->count, 0)), *one = like(b, s->x, 1);
    Edge *beta = where(b, later, like(b, s->x, real_attr(s, "beta")), one);
    out[1] = sum(s, alpha, s->memory[0], build_op2(b, "Mul", beta, s->g));
    bool nesterov = strcmp(node_string(s->n, "mode", ""), "nesterov") == 0;
    Edge *by = nesterov ? sum(s, alpha, out[1], s->g) : out[1];
    out[0] = build_op2(b, "Sub", s->x, build_op2(b, "Mul", s->rate, by));
}

/* kinds: of operands behind rate and count, x and g among them. */
static bool steps(Build *b, const Node *n, int kinds, StepFn *f, Edge **out)
{
    int m = (n->nin - 2) / kinds;
    bool fits = n->nin == 2 + m * kinds && n->nout == m * (kinds - 1) && type_count(arg_type(n, 0)) == 1 &&
                type_count(arg_type(n, 1)) == 1;
    for (int k = 2; k < n->nin; k++)
        fits = fits && same_dims(arg_type(n, k), arg_type(n, 2 + (k - 2) % m));
    if (!fits) {
        node_error(b, n, "%d operands, %d results: R and T are scalars; then come the tensors, as many gradients and as "
                   "many of each further kind (%d kinds), of equal shapes; a result for each but the gradients", n->nin, n->nout, kinds);
        return false;
    }
    for (int i = 0; i < m; i++) {
        Edge *result[3];
        Step s = {.b = b, .n = n, .x = n->in[2 + i]};
        s.rate = reshaped(b, build_cast(b, n->in[0], s.x->type.dt), 0, NULL);
        s.count = reshaped(b, build_cast(b, n->in[1], s.x->type.dt), 0, NULL);
        s.g = sum(&s, real_attr(&s, "norm_coefficient"), s.x, n->in[2 + m + i]);
        for (int k = 2; k < kinds; k++)
            s.memory[k - 2] = n->in[2 + k * m + i];
        f(&s, result);
        for (int k = 0; k < kinds - 1; k++)
            out[k * m + i] = result[k];
    }
    return true;
}

bool adagrad(Build *b, const Node *n, Edge **out)
{
    return steps(b, n, 3, adagrad_step, out);
}

bool adam(Build *b, const Node *n, Edge **out)
{
    return steps(b, n, 4, adam_step, out);
}

bool momentum(Build *b, const Node *n, Edge **out)
{
    static const char *const names[] = {"standard", "nesterov"};
    return attr_place(b, n, "mode", names, 2) >= 0 && steps(b, n, 3, momentum_step, out);
}
