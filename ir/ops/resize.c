/* Resize. Along each axis an element of the result is a weighted sum over `taps` neighbours in the source; where they
 * begin and what they weigh is computed here, in double, from scales that are known. Both mostly repeat: after P places
 * the begin has moved on by Q and the weights are the same. So begin(o) = Q·(o/P) + table[o mod P], and an integer
 * scale of mode nearest is an index map without any table. */
#include "meaning.h"

typedef struct Axis {
    bool same;
    int64_t in, out, period, stride; /* P, Q */
    int taps;
    int64_t *begin;     /* per place of the result; what lies outside is clamped */
    double *weight;     /* [out][taps]; NULL: the one tap weighs 1 */
    int64_t first, end; /* places outside get the extrapolation value */
} Axis;

typedef struct Resize {
    int rank;
    double scale[MAX_RANK], from[MAX_RANK], to[MAX_RANK]; /* from, to: the region of interest */
    int64_t dims[MAX_RANK];
    bool on[MAX_RANK];
    const char *mode, *coordinates, *nearest;
    double cubic;
    bool antialias, exclude;
} Resize;

/* ---- attributes and operands ---- */

static void resize_attrs(const Node *n, Resize *r)
{
    r->mode = node_string(n, "mode", "nearest");
    r->coordinates = node_string(n, "coordinate_transformation_mode", "half_pixel");
    r->nearest = node_string(n, "nearest_mode", "round_prefer_floor");
    r->cubic = (double)node_float(n, "cubic_coeff_a", -0.75f);
    r->antialias = node_int(n, "antialias", 0) != 0 && strcmp(r->mode, "nearest") != 0;
    r->exclude = node_int(n, "exclude_outside", 0) != 0;
}

static bool given(const Node *n, int k)
{
    return arg(n, k) && type_count(arg_type(n, k)) > 0;
}

/* The axes that are resized, in the order of the operands. */
static bool resize_axes(Build *b, const Node *n, Resize *r, int *naxes, int *axes)
{
    Ints list;
    if (!attr_list(n, "axes", &list)) {
        *naxes = r->rank;
        for (int k = 0; k < r->rank; k++)
            axes[r->on[k] = true, k] = k;
        return true;
    }
    *naxes = list.n;
    if (!axes_set(b, n, list, r->rank, r->on))
        return false;
    for (int k = 0; k < list.n; k++)
        axes[k] = (int)(list.v[k] < 0 ? list.v[k] + r->rank : list.v[k]);
    return true;
}

/* Sizes give the scales; unless they stretch, one scale holds for all axes. */
static void scales_of_sizes(const Node *n, Resize *r, Type t, int naxes, const int *axes)
{
    const char *policy = node_string(n, "keep_aspect_ratio_policy", "stretch");
    const Tensor *sizes = arg_known(n, 3);
    double common = 0;
    for (int k = 0; k < naxes; k++) {
        int d = axes[k];
        r->dims[d] = tensor_at_int(sizes, k);
        r->scale[d] = (double)r->dims[d] / (double)t.dims[d];
        if (k == 0 || (strcmp(policy, "not_larger") == 0) == (r->scale[d] < common))
            common = r->scale[d];
    }
    for (int k = 0; k < naxes && strcmp(policy, "stretch") != 0; k++) {
        r->scale[axes[k]] = common;
        r->dims[axes[k]] = (int64_t)floor(common * (double)t.dims[axes[k]] + 0.5);
    }
}

static bool resize_of(Build *b, const Node *n, Resize *r)
{
    Type t = arg_type(n, 0);
    int naxes, axes[MAX_RANK];
    *r = (Resize){.rank = t.rank};
    resize_attrs(n, r);
    if (!resize_axes(b, n, r, &naxes, axes))
        return false;
    if (given(n, 2) == given(n, 3))
        return unfit(b, n, "the size of the result is given by either scales or sizes");
    int64_t count = type_count(arg_type(n, given(n, 2) ? 2 : 3));
    if (count != naxes || (given(n, 1) && type_count(arg_type(n, 1)) != 2 * naxes))
        return unfit(b, n, "there must be a scale or size for each of the %d resized axes (2 numbers in roi)", naxes);
    for (int k = 0; k < t.rank; k++) {
        r->dims[k] = t.dims[k];
        r->scale[k] = r->to[k] = 1;
    }
    for (int k = 0; k < naxes; k++) {
        int d = axes[k];
        if (given(n, 1)) {
            r->from[d] = tensor_at_double(arg_known(n, 1), k);
            r->to[d] = tensor_at_double(arg_known(n, 1), k + naxes);
        }
        if (given(n, 2)) {
            r->scale[d] = tensor_at_double(arg_known(n, 2), k);
            double size = floor((double)((float)r->scale[d] * (float)t.dims[d]));
            r->dims[d] = size >= 0 && size < 1e15 ? (int64_t)size : -1;
        }
    }
    if (given(n, 3))
        scales_of_sizes(n, r, t, naxes, axes);
    for (int k = 0; k < t.rank; k++)
        if (r->dims[k] < 0 || !(r->scale[k] > 0 || t.dims[k] == 0) || (t.dims[k] == 0 && r->dims[k] > 0))
            return unfit(b, n, "axis %d cannot be resized by %g", k, r->scale[k]);
    return true;
}

bool resize_infer(Build *b, const Node *n, Type *out)
{
    Resize r;
    return resize_of(b, n, &r) && make_type(b, n, out, 0, arg_type(n, 0).dt, r.rank, r.dims);
}

/* ---- one axis ---- */

/* The place in the source that place o of the result comes from. */
static double source_of(const Resize *r, int d, int64_t in, int64_t o)
{
    double x = (double)o, size = (double)in, scale = r->scale[d], length = scale * size;
    const char *mode = r->coordinates;
    if (strcmp(mode, "align_corners") == 0)
        return length == 1 ? 0 : x * (size - 1) / (length - 1);
    if (strcmp(mode, "asymmetric") == 0)
        return x / scale;
    if (strcmp(mode, "tf_half_pixel_for_nn") == 0)
        return (x + 0.5) / scale;
    if (strcmp(mode, "tf_crop_and_resize") == 0) {
        double range = (r->to[d] - r->from[d]) * (size - 1);
        return (length == 1 ? range / 2 : x * range / (length - 1)) + r->from[d] * (size - 1);
    }
    if (strcmp(mode, "pytorch_half_pixel") == 0 && length == 1)
        return -0.5;
    double offset = 0;
    if (strcmp(mode, "half_pixel_symmetric") == 0)
        offset = size / 2 * (1 - (double)r->dims[d] / length);
    return offset + (x + 0.5) / scale - 0.5;
}

static double cubic(double a, double x)
{
    x = fabs(x);
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* What is `at` elements away from the place weighs, `shrink` <= 1 stretching the kernel. */
static double weight_of(const Resize *r, double at, double shrink)
{
    double x = fabs(at * shrink);
    return strcmp(r->mode, "cubic") == 0 ? cubic(r->cubic, x) : x < 1 ? 1 - x : 0;
}

static int64_t nearest_of(const char *mode, double x)
{
    double low = floor(x), rest = x - low;
    bool up = rest > 0 && (strcmp(mode, "ceil") == 0 || (strcmp(mode, "round_prefer_floor") == 0 && rest > 0.5) ||
                           (strcmp(mode, "round_prefer_ceil") == 0 && rest >= 0.5));
    return (int64_t)low + up;
}

/* Begin and weights of place o. An integer place counts as the right end of the interval before it. */
static void axis_place(const Resize *r, int d, Axis *a, int64_t o, double shrink)
{
    double x = source_of(r, d, a->in, o), low = ceil(x) - 1, sum = 0;
    if (!(x > -1e15 && x < 1e15))
        x = low = 0;
    if (!a->weight) {
        a->begin[o] = nearest_of(r->nearest, x);
        return;
    }
    a->begin[o] = (int64_t)low + 1 - a->taps / 2;
    double *w = a->weight + o * a->taps;
    for (int k = 0; k < a->taps; k++) {
        int64_t place = a->begin[o] + k;
        w[k] = r->exclude && (place < 0 || place >= a->in) ? 0 : weight_of(r, (double)place - x, shrink);
        sum += w[k];
    }
    for (int k = 0; k < a->taps && (r->exclude || r->antialias) && sum != 0; k++)
        w[k] /= sum;
}

static bool repeats(const Axis *a, int64_t period)
{
    for (int64_t o = period; o < a->out; o++) {
        if (a->begin[o] - a->begin[o - period] != a->begin[period] - a->begin[0])
            return false;
        for (int k = 0; a->weight && k < a->taps; k++)
            if (a->weight[o * a->taps + k] != a->weight[(o - period) * a->taps + k])
                return false;
    }
    return true;
}

static void axis_of(Ctx *c, const Resize *r, int d, Type t, Axis *a)
{
    bool crops = strcmp(r->coordinates, "tf_crop_and_resize") == 0, whole = r->from[d] == 0 && r->to[d] == 1;
    double shrink = r->antialias && r->scale[d] < 1 ? r->scale[d] : 1;
    bool is_cubic = strcmp(r->mode, "cubic") == 0, wide = math_type(t.dt) == DT_F64;
    *a = (Axis){.in = t.dims[d], .out = r->dims[d], .taps = 1, .end = crops ? 0 : r->dims[d]};
    a->same = !r->on[d] || (fabs(r->scale[d] - 1) < 1e-9 && a->in == a->out && (whole || !crops));
    if (a->same) {
        a->end = a->out;
        return;
    }
    a->begin = SCRATCH_N(c, int64_t, a->out);
    if (strcmp(r->mode, "nearest") != 0) {
        a->taps = 2 - 2 * (int)(floor((is_cubic ? -2 : -1) / shrink) + 1);
        a->weight = SCRATCH_N(c, double, a->out * a->taps);
    }
    for (int64_t o = 0; o < a->out; o++)
        axis_place(r, d, a, o, shrink);
    for (int64_t k = 0; a->weight && !wide && k < a->out * a->taps; k++)
        a->weight[k] = (double)(float)a->weight[k];
    for (int64_t o = 0; crops && o < a->out; o++) {
        double x = source_of(r, d, a->in, o);
        bool inside = x >= 0 && x <= (double)(a->in - 1);
        a->first = inside && a->end == 0 ? o : a->first;
        a->end = inside ? o + 1 : a->end;
    }
    a->period = 1;
    while (2 * a->period <= a->out && !repeats(a, a->period))
        a->period++;
    if (2 * a->period > a->out)
        a->period = a->out;
    a->stride = a->period < a->out ? a->begin[a->period] - a->begin[0] : 0;
}

/* ---- the element ---- */

/* The place in the source: tap k of place o. */
static const Idx *axis_source(Lower *l, const Axis *a, const Idx *o, const Idx *k)
{
    Ctx *c = l->c;
    int64_t lo = a->begin[0], hi = lo, last = a->in - 1;
    for (int64_t i = 0; i < a->period; i++) {
        lo = a->begin[i] < lo ? a->begin[i] : lo;
        hi = a->begin[i] > hi ? a->begin[i] : hi;
    }
    const Idx *x = idx_const(c, lo), *turn = idx_digit(c, o, 1, a->period);
    if (lo < hi) {
        DType dt = place_type(hi - lo + 1);
        Tensor *table = tensor_new(c, type_make(c, dt, 1, &a->period));
        for (int64_t i = 0; i < a->period; i++)
            table_set(table, i, (Value){.i = a->begin[i] - lo});
        const Buf *b = lower_const(l, "places", table);
        x = idx_add(c, x, idx_value(c, expr_cast(c, DT_I64, expr_load(c, b, &turn)), 0, hi - lo));
    }
    x = idx_add(c, idx_axpy(c, x, a->stride, idx_digit(c, o, a->period, 0)), k);
    if (x->lo >= 0 && x->hi <= last)
        return x;
    return clamped(c, expr_index(c, x), a->in);
}

static const Expr *axis_weight(Lower *l, const Axis *a, DType dt, const Idx *o, const Idx *k)
{
    Ctx *c = l->c;
    const Idx *at[2] = {idx_digit(c, o, 1, a->period), k};
    Tensor *table = tensor_new(c, type_make(c, dt, 2, (int64_t[]){a->period, a->taps}));
    for (int64_t i = 0; i < a->period * a->taps; i++)
        table_put(table, i, a->weight[i]);
    return expr_load(c, lower_const(l, "weights", table), at);
}

const Expr *resize_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    Resize r;
    Axis a;
    Sweep s;
    const Idx *at[MAX_RANK];
    const Expr *inside = NULL, *weight = NULL;
    DType dt = math_type(t.dt) == DT_F64 ? DT_F64 : DT_F32;
    resize_of(l->b, l->node, &r);
    sweep_open(c, &s, 0, NULL);
    for (int d = 0; d < t.rank; d++) {
        Mark mark = scratch_mark(c);
        axis_of(c, &r, d, t, &a);
        const Idx *k = idx_const(c, 0);
        if (a.weight) {
            sweep_more(c, &s, 1, (int64_t[]){a.taps});
            k = s.i[s.n - 1];
        }
        at[d] = a.same ? i[d] : axis_source(l, &a, i[d], k);
        if (a.weight) {
            const Expr *w = axis_weight(l, &a, dt, i[d], k);
            weight = weight ? expr_op2(c, OP_mul, weight, w) : w;
        }
        if (a.first == a.end)
            inside = expr_int(c, DT_BOOL, 0);
        else if (a.first > 0 || a.end < r.dims[d])
            inside = both(c, inside, expr_in(c, idx_add(c, i[d], idx_const(c, -a.first)), a.end - a.first));
        scratch_release(c, mark);
    }
    const Expr *x = in_at(l, 0, at);
    if (weight) {
        x = expr_cast(c, dt, x);
        x = sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, weight, x});
        x = expr_cast(c, t.dt, dtype_is_int(t.dt) ? expr_op1(c, OP_rint, x) : x);
    }
    if (!inside)
        return x;
    return expr_select(c, inside, x, known_number(c, t.dt, (double)node_float(l->node, "extrapolation_value", 0)));
}

/* ---- Resize-10 and Upsample: scales alone, places from the left ---- */

bool upsample(Build *b, const Node *n, Edge **out)
{
    const Attr *a = node_attr(n, "scales");
    const char *mode = node_string(n, "mode", "nearest");
    Edge *in[3] = {n->in[0], NULL, arg(n, 1)};
    float two[4] = {1, 1, node_float(n, "height_scale", 1), node_float(n, "width_scale", 1)};
    if (!in[2]) {
        int64_t count = a ? a->n : 4;
        Tensor *t = tensor_new(b->c, type_make(b->c, DT_F32, 1, &count));
        memcpy((void *)(uintptr_t)t->data, a ? a->floats : two, sizeof(float) * (size_t)count);
        in[2] = build_const(b, "scales", t, n->loc);
    }
    Attr attrs[3] = {attr_string(b->c, "mode", strcmp(mode, "bilinear") == 0 ? "linear" : mode),
                     attr_string(b->c, "coordinate_transformation_mode", "asymmetric"),
                     attr_string(b->c, "nearest_mode", "floor")};
    build_op_as(b, "Resize", 3, in, 3, attrs, 1, &n->out[0]->type, out);
    return true;
}
