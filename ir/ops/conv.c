/* Convolutions. An element of the result is one reduction, over the channels of its group and the places of the kernel,
 * of products; what lies outside counts as 0 (quantised: as the zero point). The transposed one is written from the
 * result as well: a kernel place k contributes to o where (o + before - k·dilation) is a multiple of the stride, which
 * then names the input place. */
#include "meaning.h"

static const struct ConvKind {
    int weights; /* operand */
    const char *shapes;
} kinds[] = {
    [CONV] = {1, "X[N,c*G,...] W[m*G,c,...] B[m*G]; X has G = group times the channels of W"},
    [CONV_TRANSPOSE] = {1, "X[N,c*G,...] W[c*G,m,...] B[m*G]; W has as many rows as X has channels, G = group"},
    [CONV_INTEGER] = {1, "x[N,c*G,...] w[m*G,c,...] x_zero_point[1]? w_zero_point[m*G]?; G = group, ?: or one element"},
    [CONV_QLINEAR] = {3, "x[N,c*G,...] w[m*G,c,...] B[m*G] x_scale[1]? x_zero_point[1]? w_scale[m*G]? "
                         "w_zero_point[m*G]? y_scale[1]? y_zero_point[1]?; G = group, ?: or one element"},
};

static bool transpose_size(Build *b, const Node *n, Window *w);

bool conv_of(Build *b, const Node *n, Conv *v)
{
    Sizes s = {0};
    const struct ConvKind *kind = &kinds[n->op->pick];
    Type w = arg_type(n, kind->weights);
    v->groups = node_int(n, "group", 1);
    size_set(&s, 'G', v->groups);
    if (v->groups < 1 || w.rank < 3 || w.rank != arg_type(n, 0).rank)
        return unfit(b, n, "X and W need a rank of 3 or more, the same one, and group >= 1");
    if (!shapes(b, n, &s, kind->shapes))
        return false;
    v->depth = s.of['c'];
    v->filters = s.of['m'];
    if (n->op->pick == CONV_TRANSPOSE)
        return window_lists(b, n, &v->win) && window_kernel(b, n, w.dims + 2, &v->win) && transpose_size(b, n, &v->win);
    return window_of(b, n, w.dims + 2, &v->win);
}

bool conv_infer(Build *b, const Node *n, Type *out)
{
    Conv v;
    if (!conv_of(b, n, &v))
        return false;
    int64_t dims[MAX_RANK] = {arg_type(n, 0).dims[0], v.filters * v.groups};
    memcpy(dims + 2, v.win.out, sizeof *dims * (size_t)v.win.rank);
    DType dt = n->op->pick == CONV_INTEGER ? DT_I32 : arg_type(n, n->op->pick == CONV_QLINEAR ? 7 : 0).dt;
    return make_type(b, n, out, 0, dt, v.win.rank + 2, dims);
}

/* ---- the sum ---- */

/* Sum over kernel and, innermost, channel: in this order data whose channels lie side by side are read in runs. k: the operand of weights. i: a place in the result. zx, zw: zero points, or NULL. */
static const Expr *conv_sum(Lower *l, const Conv *v, int k, const Idx *const *i, DType dt, const Expr *zx,
                            const Expr *zw)
{
    Ctx *c = l->c;
    Sweep s;
    const Idx *x_at[MAX_RANK], *w_at[MAX_RANK];
    if (v->depth == 0)
        return zero(c, dt);
    sweep_open(c, &s, v->win.rank, v->win.size);
    sweep_more(c, &s, 1, &v->depth);
    const Idx *channel = s.i[v->win.rank];
    x_at[0] = i[0];
    x_at[1] = v->groups == 1 ? channel : idx_axpy(c, channel, v->depth, idx_digit(c, i[1], v->filters, 0));
    const Expr *inside = window_places(c, &v->win, i + 2, s.i, x_at + 2);
    w_at[0] = i[1];
    w_at[1] = channel;
    memcpy(w_at + 2, s.i, sizeof *w_at * (size_t)v->win.rank);
    const Expr *x = shifted(l, 0, x_at, dt, zx), *w = shifted(l, k, w_at, dt, zw);
    if (inside)
        x = expr_select(c, inside, x, zero(c, dt));
    return sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, x, w});
}

static const Expr *with_bias(Lower *l, int k, const Idx *const *i, const Expr *sum)
{
    if (!arg(l->node, k))
        return sum;
    return expr_op2(l->c, OP_add, sum, expr_cast(l->c, sum->dt, in_math(l, k, i + 1)));
}

const Expr *conv_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Conv v;
    conv_of(l->b, l->node, &v);
    return with_bias(l, 2, i, conv_sum(l, &v, 1, i, math_type(in_type(l, 0).dt), NULL, NULL));
}

/* ---- quantised: int32 sums of differences to the zero points ---- */

const Expr *conv_integer_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Conv v;
    conv_of(l->b, l->node, &v);
    const Expr *zx = zero_point(l, 2, NULL);
    return conv_sum(l, &v, 1, i, DT_I32, zx, zero_point(l, 3, i[1]));
}

const Expr *qlinear_conv_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Conv v;
    conv_of(l->b, l->node, &v);
    const Expr *zx = zero_point(l, 2, NULL), *zw = zero_point(l, 5, i[1]);
    const Expr *sum = with_bias(l, 8, i, conv_sum(l, &v, 3, i, DT_I32, zx, zw));
    const Expr *scale = single(l, 1, NULL), *of_weights = single(l, 4, i[1]);
    return requantised(l, sum, formula(l->c, "x, w, y: x * w / y", scale, of_weights, single(l, 6, NULL)), 7);
}

/* ---- ConvTranspose ---- */

static bool transpose_size(Build *b, const Node *n, Window *w)
{
    Ints shape, extra;
    AutoPad mode;
    bool given = attr_list(n, "output_shape", &shape) && shape.n > 0;
    if (!auto_pad_of(b, n, &mode))
        return false;
    attr_list(n, "output_padding", &extra);
    if ((given && shape.n < w->rank) || (extra.n && extra.n != w->rank))
        return node_error(b, n, "output_shape = %s, output_padding = %s: each must have one number for each of the %d "
                          "spatial dimensions", dims_text(b->c, shape.n, shape.v), dims_text(b->c, extra.n, extra.v),
                          w->rank);
    for (int i = 0; i < w->rank; i++) {
        int64_t more = extra.n ? extra.v[i] : 0, s = w->stride[i], full = s * (w->in[i] - 1) + w->span[i];
        if (more < 0 || more > INT32_MAX)
            return node_error(b, n, "output_padding = %s is out of range", dims_text(b->c, extra.n, extra.v));
        full += more;
        int64_t size = given ? shape.v[shape.n - w->rank + i] : w->in[i] * s;
        if (mode == PAD_VALID)
            w->before[i] = w->after[i] = 0;
        if (given && (size < 1 || size > INT32_MAX))
            return node_error(b, n, "output_shape = %s is out of range", dims_text(b->c, shape.n, shape.v));
        if (given || mode == PAD_SAME_UPPER || mode == PAD_SAME_LOWER)
            window_share(w, i, full - size, mode != PAD_SAME_UPPER);
        w->out[i] = full - w->before[i] - w->after[i];
        if (w->out[i] < 1)
            return node_error(b, n, "spatial dimension %d of the result would have %lld elements: the pads are too "
                              "large", i, (long long)w->out[i]);
    }
    return true;
}

const Expr *conv_transpose_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Conv v;
    Sweep s;
    DType dt = math_type(in_type(l, 0).dt);
    const Idx *x_at[MAX_RANK], *w_at[MAX_RANK], *group = idx_const(c, 0), *filter = i[1];
    const Expr *inside = NULL;
    conv_of(l->b, l->node, &v);
    if (v.depth == 0)
        return with_bias(l, 2, i, zero(c, dt));
    sweep_open(c, &s, v.win.rank, v.win.size);
    sweep_more(c, &s, 1, &v.depth);
    if (v.groups > 1) {
        group = idx_digit(c, i[1], v.filters, 0);
        filter = idx_digit(c, i[1], 1, v.filters);
    }
    x_at[0] = i[0];
    x_at[1] = w_at[0] = idx_axpy(c, s.i[v.win.rank], v.depth, group);
    w_at[1] = filter;
    for (int d = 0; d < v.win.rank; d++) {
        w_at[d + 2] = s.i[d];
        inside = transposed_place(c, &v.win, d, i[d + 2], s.i[d], inside, &x_at[d + 2]);
    }
    const Expr *x = in_math(l, 0, x_at), *w = in_math(l, 1, w_at);
    if (inside)
        x = expr_select(c, inside, x, zero(c, dt));
    return with_bias(l, 2, i, sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, x, w}));
}
