/* Sampling between the pixels at places that data name: GridSample, RoiAlign, MaxRoiPool, DeformConv. A coordinate x
 * (float, in pixels) reads the pixels around it; where one of these lies outside it weighs nothing, or another stands
 * for it. Coordinates are computed once and stored, then read for each channel. Indices out of them are clamped, so
 * that no number, NaN included, leaves the image. */
#include "meaning.h"

typedef enum Border { BORDER_ZEROS, BORDER_EDGE, BORDER_REFLECT } Border;

/* floor(x) + k as an index, from -2 - 4 to n + 1 + 4 at most, what lies beyond drawn in. */
static const Expr *tap_place(Ctx *c, const Expr *x, int64_t n, const Expr *k)
{
    return formula(c, "x, end, k: int64(clip(floor(x), -6, end)) + k", x, expr_float(c, x->dt, (double)n + 5), k);
}

static const Expr *tap_inside(Ctx *c, const Expr *place, int64_t n)
{
    return formula(c, "p, n: p >= 0 && p < n", place, i64(c, n));
}

/* x (or a whole place) reflected at lo and hi until it lies between them. */
static const Expr *reflected(Ctx *c, const Expr *x, double lo, double hi)
{
    if (hi <= lo)
        return f32(c, lo);
    return formula(c, "x, lo, range: away = abs(x - lo); turns = floor(away / range); rest = away - turns * range; "
                   "half = turns * 0.5; lo + (half == floor(half) ? rest : range - rest)", x, f32(c, lo),
                   f32(c, hi - lo));
}

/* ---- GridSample ---- */

typedef struct Grid {
    int rank, taps; /* spatial dimensions; pixels per dimension that are read */
    Border border;
    bool corners, nearest;
} Grid;

static bool grid_of(Build *b, const Node *n, Grid *g)
{
    static const char *const borders[] = {"zeros", "border", "reflection"};
    Type x = arg_type(n, 0);
    Sizes s = {0};
    const char *mode = node_string(n, "mode", "linear"), *border = node_string(n, "padding_mode", "zeros");
    *g = (Grid){.rank = x.rank - 2, .corners = node_int(n, "align_corners", 0) != 0};
    g->nearest = strcmp(mode, "nearest") == 0;
    g->taps = g->nearest ? 1 : strstr(mode, "linear") ? 2 : 4;
    while (strcmp(border, borders[g->border]) != 0)
        g->border++;
    size_set(&s, 'r', g->rank);
    bool fits = x.rank >= 3 && arg_type(n, 1).rank == x.rank;
    for (int k = 2; fits && k < x.rank; k++)
        fits = x.dims[k] > 0 && x.dims[k] < 1 << 23;
    return fits ? shapes(b, n, &s, "X[N,C,...] grid[N,...,r]; X has 2 + r dimensions, and grid as many")
                : unfit(b, n, "X and grid must be [N, C, d1 … dr] and [N, o1 … or, r]");
}

bool grid_sample_infer(Build *b, const Node *n, Type *out)
{
    Type x = arg_type(n, 0), grid = arg_type(n, 1);
    Grid g;
    int64_t dims[MAX_RANK];
    if (!grid_of(b, n, &g))
        return false;
    dims[0] = x.dims[0];
    dims[1] = x.dims[1];
    memcpy(dims + 2, grid.dims + 1, sizeof *dims * (size_t)g.rank);
    return make_type(b, n, out, 0, x.dt, x.rank, dims);
}

/* The coordinate in pixels of dimension d that the grid names: its last element is of the first dimension. */
static const Expr *grid_coordinate(Lower *l, const Grid *g, int d, const Idx *const *i)
{
    Ctx *c = l->c;
    int64_t n = in_type(l, 0).dims[d + 2];
    const Idx *at[MAX_RANK];
    memcpy(at, i, sizeof *at * (size_t)(g->rank + 1));
    at[g->rank + 1] = idx_const(c, g->rank - 1 - d);
    const Expr *last = f32(c, (double)(n - 1));
    const char *text = g->corners ? "x, n: (float(x) + 1) * 0.5 * (n - 1)" : "x, n: ((float(x) + 1) * n - 1) * 0.5";
    const Expr *x = formula(c, text, in_math(l, 1, at), f32(c, (double)n));
    if (g->nearest)
        x = expr_op1(c, OP_rint, x);
    if (g->border == BORDER_EDGE)
        return formula(c, "x, last: clip(x, 0, last)", x, last);
    if (g->border == BORDER_ZEROS)
        return x;
    double lo = g->corners ? 0 : -0.5, hi = g->corners ? (double)(n - 1) : (double)n - 0.5;
    return formula(c, "x, lo, hi, folded: x < lo || x > hi ? folded : x", x, f32(c, lo), f32(c, hi),
                   reflected(c, x, lo, hi));
}

/* What tap k, `k` places behind the first, weighs, x being past the pixel floor(x) by `rest`. */
static const Expr *tap_weight(Ctx *c, const Grid *g, const Expr *rest, const Idx *k)
{
    static const char *const weights[] = {
        "rest, k: like(1, rest)", "rest, k: 1 - abs(rest - like(k, rest))",
        "rest, k: w = abs(rest - like(k, rest) + 1); a = -0.75; w <= 1 ? (w * (a + 2) - (a + 3)) * w * w + 1 : "
        "((w * a - 5 * a) * w + 8 * a) * w - 4 * a"};
    return formula(c, weights[g->taps / 2], rest, expr_index(c, k));
}

void grid_sample(Lower *l)
{
    Ctx *c = l->c;
    Type x = in_type(l, 0), y = out_type(l, 0);
    DType dt = math_type(x.dt) == DT_F64 ? DT_F64 : DT_F32;
    Grid g;
    Sweep s;
    int64_t dims[MAX_RANK], taps[MAX_RANK];
    const Buf *coordinates[MAX_RANK];
    const Expr *weight = NULL;
    const Idx *at[MAX_RANK], *place[MAX_RANK];
    grid_of(l->b, l->node, &g);
    dims[0] = y.dims[0];
    memcpy(dims + 1, y.dims + 2, sizeof *dims * (size_t)g.rank);
    for (int d = 0; d < g.rank; d++) {
        Buf *t = lower_temp(l, internf(c, "x%d", d), DT_F32, g.rank + 1, dims);
        lower_store(l, t, grid_coordinate(l, &g, d, lower_vars(l, g.rank + 1, dims)));
        coordinates[d] = t;
        taps[d] = g.taps;
    }
    const Idx *const *i = lower_vars(l, y.rank, y.dims);
    sweep_open(c, &s, g.rank, taps);
    place[0] = at[0] = i[0];
    at[1] = i[1];
    memcpy(place + 1, i + 2, sizeof *place * (size_t)g.rank);
    for (int d = 0; d < g.rank; d++) {
        int64_t n = x.dims[d + 2];
        const Expr *p = expr_load(c, coordinates[d], place), *rest = formula(c, "p: p - floor(p)", p);
        const Expr *k = expr_index(c, idx_add(c, s.i[d], idx_const(c, g.taps == 4 ? -1 : 0)));
        const Expr *w = expr_cast(c, dt, tap_weight(c, &g, rest, s.i[d]));
        p = tap_place(c, p, n, k);
        if (g.border == BORDER_ZEROS) {
            w = expr_select(c, tap_inside(c, p, n), w, zero(c, dt));
        } else if (g.border == BORDER_REFLECT) {
            double lo = g.corners ? 0 : -0.5, hi = g.corners ? (double)(n - 1) : (double)n - 0.5;
            const Expr *folded = expr_cast(c, DT_I64, reflected(c, expr_cast(c, DT_F32, p), lo, hi));
            p = expr_select(c, tap_inside(c, p, n), p, folded);
        }
        at[d + 2] = clamped(c, p, n);
        weight = weight ? expr_op2(c, OP_mul, weight, w) : w;
    }
    const Expr *v = expr_cast(c, dt, in_math(l, 0, at));
    lower_store(l, l->out[0], sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, weight, v}));
}

/* ---- RoiAlign: regions of an image cut into bins; a bin is the mean (or the greatest) of samples in it ---- */

typedef struct Roi {
    int64_t in[2], out[2], samples[2]; /* height, width; samples per bin, at most */
    bool fixed, half, most;            /* as many samples everywhere; coordinates start at half a pixel; greatest */
} Roi;

/* Without sampling_ratio a bin has as many samples as it spans pixels; a region is taken to be no larger than the
 * image. */
static bool roi_of(Build *b, const Node *n, Roi *r)
{
    Sizes s = {0};
    const char *mode = node_string(n, "mode", "avg");
    const char *start =
        node_string(n, "coordinate_transformation_mode", n->sig->since < 16 ? "output_half_pixel" : "half_pixel");
    int64_t ratio = node_int(n, "sampling_ratio", 0);
    *r = (Roi){.out = {node_int(n, "output_height", 1), node_int(n, "output_width", 1)}, .fixed = ratio > 0};
    r->most = strcmp(mode, "max") == 0;
    r->half = strcmp(start, "half_pixel") == 0;
    if (!shapes(b, n, &s, "X[N,C,H,W] rois[R,4] batch_indices[R]"))
        return false;
    bool fits = s.of['N'] > 0 && ratio >= 0 && ratio < 1 << 15;
    for (int d = 0; fits && d < 2; d++) {
        r->in[d] = arg_type(n, 0).dims[d + 2];
        fits = r->in[d] > 0 && r->in[d] < 1 << 23 && r->out[d] > 0 && r->out[d] < 1 << 23;
        r->samples[d] = ratio ? ratio : fits ? (r->in[d] - 1) / r->out[d] + 2 : 1;
    }
    return fits || unfit(b, n, "X needs elements; the output sizes and the sampling ratio must not be negative");
}

bool roi_align_infer(Build *b, const Node *n, Type *out)
{
    Roi r;
    Type x = arg_type(n, 0);
    return roi_of(b, n, &r) && indices_fit(b, n, 2, 1, x.dims, "the batch") &&
           make_type(b, n, out, 0, x.dt, 4, (int64_t[]){arg_type(n, 1).dims[0], x.dims[1], r.out[0], r.out[1]});
}

/* Where region i begins in dimension d, how long a bin is, how many samples it has. */
static void roi_extent(Lower *l, const Roi *r, int d, const Idx *i, const Expr **start, const Expr **bin,
                       const Expr **count)
{
    Ctx *c = l->c;
    const Expr *scale = f32(c, (double)node_float(l->node, "spatial_scale", 1)), *offset = f32(c, r->half ? 0.5 : 0);
    const Expr *x[2], *most = f32(c, (double)r->samples[d]);
    for (int k = 0; k < 2; k++) /* x comes before y */
        x[k] = formula(c, "x, scale, offset: float(x) * scale - offset",
                       in_math(l, 1, (const Idx *[]){i, idx_const(c, 2 * k + 1 - d)}), scale, offset);
    *start = x[0];
    *bin = formula(c, r->half ? "x, y, n: (y - x) / n" : "x, y, n: max(y - x, 1) / n", x[0], x[1],
                   f32(c, (double)r->out[d]));
    *count = r->fixed ? most : formula(c, "bin, most: clip(ceil(bin), 0, most)", *bin, most);
}

void roi_align(Lower *l)
{
    Ctx *c = l->c;
    Type t = out_type(l, 0);
    Roi r;
    Sweep s;
    roi_of(l->b, l->node, &r);
    const Idx *const *i = lower_vars(l, 4, t.dims);
    const Expr *start, *bin, *count, *counted = NULL, *inside = NULL, *rest[2], *total = f32(c, 1);
    const Idx *low[2], *high[2];
    sweep_open(c, &s, 2, r.samples);
    for (int d = 0; d < 2; d++) {
        roi_extent(l, &r, d, i[0], &start, &bin, &count);
        const Expr *k = formula(c, "k: float(k)", expr_index(c, s.i[d])), *n = f32(c, (double)r.in[d]);
        const Expr *p = formula(c, "start, bin, o, k, count: start + float(o) * bin + (k + 0.5) * bin / count", start,
                                bin, expr_index(c, i[d + 2]), k, count);
        counted = both(c, counted, expr_op2(c, OP_lt, k, count));
        inside = both(c, both(c, inside, formula(c, "p: p >= -1", p)), expr_op2(c, OP_le, p, n));
        p = formula(c, "p, n: clip(p, 0, n - 1)", p, n);
        rest[d] = formula(c, "p: p - floor(p)", p);
        low[d] = clamped(c, tap_place(c, p, r.in[d], i64(c, 0)), r.in[d]);
        high[d] = clamped(c, tap_place(c, p, r.in[d], i64(c, 1)), r.in[d]);
        total = expr_op2(c, OP_mul, total, count);
    }
    const Expr *sum = NULL, *none = f32(c, 0), *lowest = least(c, DT_F32);
    const Idx *image = position(l, 2, i, -1, in_type(l, 0).dims[0]);
    for (int k = 0; k < 4; k++) {
        const Idx *at[4] = {image, i[1], k & 2 ? high[0] : low[0], k & 1 ? high[1] : low[1]};
        static const char *const corners[] = {"v * (1 - y) * (1 - x)", "v * (1 - y) * x", "v * y * (1 - x)",
                                              "v * y * x"};
        const Expr *v = expr_cast(c, DT_F32, in_math(l, 0, at));
        const Expr *w = formula(c, internf(c, "v, y, x: %s", corners[k]), v, rest[0], rest[1]);
        sum = sum ? expr_op2(c, r.most ? OP_max : OP_add, sum, w) : w;
    }
    sum = expr_select(c, counted, expr_select(c, inside, sum, none), r.most ? lowest : none);
    sum = sweep_reduce(c, &s, r.most ? lowest : none, (Fold){r.most ? OP_max : OP_add, sum, NULL});
    sum = formula(c, r.most ? "sum, total, none: sum == none ? 0 : sum" : "sum, total, none: sum / max(total, 1)", sum,
                  total, lowest);
    lower_store(l, l->out[0], sum);
}

/* ---- MaxRoiPool: the greatest pixel of each bin; bins are whole pixels, and 0 where none is in the image ---- */

bool max_roi_pool_infer(Build *b, const Node *n, Type *out)
{
    Sizes s = {0};
    Ints to;
    attr_list(n, "pooled_shape", &to);
    if (!shapes(b, n, &s, "X[N,C,H,W] rois[R,5]"))
        return false;
    if (type_count(arg_type(n, 0)) == 0 || to.n != 2 || to.v[0] < 1 || to.v[1] < 1)
        return unfit(b, n, "X needs elements, pooled_shape must be two sizes from 1 on");
    return make_type(b, n, out, 0, arg_type(n, 0).dt, 4, (int64_t[]){s.of['R'], s.of['C'], to.v[0], to.v[1]});
}

const Expr *max_roi_pool_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type x = in_type(l, 0);
    DType dt = math_type(x.dt);
    const Expr *scale = expr_float(c, dt, (double)node_float(l->node, "spatial_scale", 1));
    const Expr *inside = NULL, *some = NULL;
    Sweep s;
    const Idx *at[4] = {NULL, i[1]}, *roi[2] = {i[0], idx_const(c, 0)};
    sweep_open(c, &s, 2, x.dims + 2);
    at[0] = clamped(c, expr_cast(c, DT_I64, in_math(l, 1, roi)), x.dims[0]);
    for (int d = 0; d < 2; d++) {
        const Expr *side[2], *end = expr_float(c, dt, (double)x.dims[d + 2]);
        for (int k = 0; k < 2; k++) { /* half away from zero */
            roi[1] = idx_const(c, 2 * k + 2 - d);
            side[k] = formula(c, "x, scale: v = x * scale; v < 0 ? ceil(v - 0.5) : floor(v + 0.5)", in_math(l, 1, roi),
                              scale);
        }
        const Expr *size = formula(c, "from, to, bins: max(to - from + 1, 1) / bins", side[0], side[1],
                                   expr_float(c, dt, (double)out_type(l, out).dims[d + 2]));
        const Expr *o = expr_index(c, i[d + 2]), *p = expr_index(c, s.i[d]);
        side[1] = formula(c, "o, size, start, end: clip(ceil(like(o + 1, size) * size) + start, 0, end)", o, size,
                          side[0], end);
        side[0] = formula(c, "o, size, start, end: clip(floor(like(o, size) * size) + start, 0, end)", o, size,
                          side[0], end);
        inside = both(c, inside, formula(c, "p, low, high: like(p, low) >= low && like(p, low) < high", p, side[0],
                                         side[1]));
        some = both(c, some, expr_op2(c, OP_lt, side[0], side[1]));
        at[d + 2] = s.i[d];
    }
    const Expr *least_one = least(c, dt), *v = expr_select(c, inside, in_math(l, 0, at), least_one);
    return expr_select(c, some, sweep_reduce(c, &s, least_one, (Fold){OP_max, v, NULL}), zero(c, dt));
}

/* ---- DeformConv: a convolution that reads beside its places, by offsets that data give, between the pixels ---- */

bool deform_conv_infer(Build *b, const Node *n, Type *out)
{
    Sizes s = {0};
    if (!conv_infer(b, n, out))
        return false;
    if (out[0].rank != 4 || type_count(arg_type(n, 1)) == 0)
        return unfit(b, n, "X and W must have two spatial dimensions, and W elements");
    size_set(&s, 'P', node_int(n, "offset_group", 1));
    size_set(&s, 'y', out[0].dims[2]);
    size_set(&s, 'x', out[0].dims[3]);
    return shapes(b, n, &s, "X[N,c*P,H,W] W[M,C,h,w] offset[N,2*P*h*w,y,x] mask[N,P*h*w,y,x]; P = offset_group, [y,x] "
                            "is the result");
}

const Expr *deform_conv_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Conv v;
    Sweep s;
    Grid linear = {.taps = 2};
    conv_of(l->b, l->node, &v);
    int64_t box[5] = {v.win.size[0], v.win.size[1], 2, 2, v.depth};
    DType dt = math_type(in_type(l, 0).dt);
    sweep_open(c, &s, 5, box);
    const Idx *channel = idx_axpy(c, s.i[4], v.depth, idx_digit(c, i[1], v.filters, 0));
    const Idx *part = idx_digit(c, channel, in_type(l, 0).dims[1] / node_int(l->node, "offset_group", 1), 0);
    const Idx *tap = idx_axpy(c, idx_add(c, s.i[1], idx_mul(c, s.i[0], box[1])), box[0] * box[1], part);
    const Idx *at[4] = {i[0], channel, NULL, NULL}, *w_at[4] = {i[1], s.i[4], s.i[0], s.i[1]};
    const Expr *weight = in_math(l, 1, w_at);
    for (int d = 0; d < 2; d++) {
        const Idx *place[4] = {i[0], idx_axpy(c, idx_const(c, d), 2, tap), i[2], i[3]};
        const Idx *x = idx_axpy(c, idx_const(c, -v.win.before[d]), v.win.stride[d], i[d + 2]);
        x = idx_axpy(c, x, v.win.dilation[d], s.i[d]);
        const Expr *p = formula(c, "p, x: p + like(x, p)", in_math(l, 2, place), expr_index(c, x));
        const Expr *rest = formula(c, "p: p - floor(p)", p);
        p = tap_place(c, p, v.win.in[d], expr_index(c, s.i[d + 2]));
        rest = expr_select(c, tap_inside(c, p, v.win.in[d]), tap_weight(c, &linear, rest, s.i[d + 2]), zero(c, dt));
        weight = expr_op2(c, OP_mul, weight, rest);
        at[d + 2] = clamped(c, p, v.win.in[d]);
    }
    const Idx *mask[4] = {i[0], tap, i[2], i[3]};
    if (arg(l->node, 4))
        weight = expr_op2(c, OP_mul, weight, in_math(l, 4, mask));
    const Expr *sum = sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, weight, in_math(l, 0, at)});
    return arg(l->node, 3) ? expr_op2(c, OP_add, sum, in_math(l, 3, i + 1)) : sum;
}
