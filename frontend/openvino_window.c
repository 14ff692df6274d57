/* Layers of OpenVINO whose elements come from a window over another tensor: their attributes are those of ONNX under
 * other names; weights of groups have a dimension of their own. */
#include "openvino_ops.h"

enum { MOST_ATTRS = 10 };
typedef struct Attrs { Ctx *c; int n; Attr at[MOST_ATTRS]; } Attrs;

static void give_ints(Attrs *a, const char *name, int n, const int64_t *v)
{
    a->at[a->n++] = attr_ints(a->c, name, n, mem_copy(a->c, v, sizeof *v * (size_t)n));
}

static void give_int(Attrs *a, const char *name, int64_t v)
{
    a->at[a->n++] = attr_int(a->c, name, v);
}

/* auto_pad in ONNX's words; "": the pads hold. */
static const char *padding(const Node *n)
{
    const char *s = node_string(n, "auto_pad", "explicit");
    return !strcmp(s, "same_upper") ? "SAME_UPPER" : !strcmp(s, "same_lower") ? "SAME_LOWER"
         : !strcmp(s, "valid")      ? "VALID" : "";
}

/* What auto_pad makes of the pads of one dimension; explicit ones stay. */
static void auto_pads(const Node *n, int64_t have, int64_t span, int64_t stride, int64_t *before, int64_t *after)
{
    if (!*padding(n) || stride < 1)
        return;
    int64_t missing = *padding(n) == 'S' ? ((have + stride - 1) / stride - 1) * stride + span - have : 0;
    missing = missing > 0 ? missing : 0;
    *before = !strcmp(padding(n), "SAME_LOWER") ? missing - missing / 2 : missing / 2;
    *after = missing - *before;
}

/* strides, dilations and pads of `count` spatial dimensions: read, and given as ONNX has them. */
typedef struct Window { int count; Ints strides, dilations, begin, end; } Window;

static bool window_read(Build *b, const Node *n, int count, Window *w)
{
    w->count = count;
    if (!ov_list_attr(b, n, "strides", count, 1, &w->strides) ||
        !ov_list_attr(b, n, "dilations", count, 1, &w->dilations) ||
        !ov_list_attr(b, n, "pads_begin", count, 0, &w->begin) || !ov_list_attr(b, n, "pads_end", count, 0, &w->end))
        return false;
    if (count > MAX_RANK / 2)
        node_error(b, n, "%d dimensions are too many", count);
    return count <= MAX_RANK / 2;
}

static void give_window(Attrs *a, const Node *n, const Window *w, bool same)
{
    int64_t pads[MAX_RANK];
    memcpy(pads, w->begin.v, sizeof *pads * (size_t)w->count);
    memcpy(pads + w->count, w->end.v, sizeof *pads * (size_t)w->count);
    give_ints(a, "strides", w->count, w->strides.v);
    if (node_attr(n, "dilations"))
        give_ints(a, "dilations", w->count, w->dilations.v);
    if (same)
        a->at[a->n++] = attr_string(a->c, "auto_pad", padding(n));
    else
        give_ints(a, "pads", 2 * w->count, pads);
}

static bool window_attrs(Build *b, const Node *n, int count, Attrs *a)
{
    Window w;
    if (!window_read(b, n, count, &w))
        return false;
    for (int i = 0; *padding(n) && i < count; i++)       /* ONNX's VALID knows no rounding up */
        w.begin.v[i] = w.end.v[i] = 0;
    give_window(a, n, &w, *padding(n) == 'S');
    return true;
}

static bool at_least(Build *b, const Node *n, int k, int rank)
{
    if (n->in[k]->type.rank >= rank)
        return true;
    node_error(b, n, "%s is %s: it must have at least %d dimensions", n->sig->in[k].name,
               type_text(b->c, n->in[k]->type), rank);
    return false;
}

/* Filters with a group dimension in front, as ONNX has them: the first two become one. Across: the second is behind the
 * inputs of a group (deconvolution): it is the outputs of a group. */
static Edge *filters(Build *b, const Node *n, int k, int *groups)
{
    Type t = n->in[k]->type;
    int64_t dims[MAX_RANK];
    *groups = 1;
    if (t.rank != n->in[0]->type.rank + 1)
        return n->in[k];
    *groups = t.dims[0] < INT_MAX ? (int)t.dims[0] : INT_MAX;
    memcpy(dims, t.dims + 1, sizeof *dims * (size_t)(t.rank - 1));
    dims[0] *= t.dims[0];
    return ov_to_dims(b, n->in[k], t.rank - 1, dims);
}

bool ov_convolution(Build *b, const Node *n, Edge **out)
{
    Attrs a = {.c = b->c};
    int groups;
    if (!at_least(b, n, 0, 3) || !at_least(b, n, 1, 3))
        return false;
    Edge *in[2] = {n->in[0], filters(b, n, 1, &groups)};
    if (edge_poisoned(in[1]) || !window_attrs(b, n, n->in[0]->type.rank - 2, &a))
        return false;
    give_int(&a, "group", groups);
    out[0] = build_op(b, "Conv", 2, in, a.n, a.at);
    return true;
}

/* Pads that give the asked spatial shape: what is too much is cut off, the larger half in front, or behind for
 * same_lower; with explicit pads, those decide and output_padding makes up. */
static bool shape_attrs(Build *b, const Node *n, int count, Attrs *a)
{
    Ints shape, strides, dilations, extra;
    Type w = n->in[1]->type, x = n->in[0]->type;
    int64_t pads[MAX_RANK];
    if (!ov_known_ints(b, n, 2, &shape) || !ov_list_attr(b, n, "strides", count, 1, &strides) ||
        !ov_list_attr(b, n, "dilations", count, 1, &dilations) ||
        !ov_list_attr(b, n, "output_padding", count, 0, &extra))
        return false;
    if (shape.n != count) {
        node_error(b, n, "the output shape has %d values, there are %d spatial dimensions", shape.n, count);
        return false;
    }
    bool lower = !strcmp(node_string(n, "auto_pad", ""), "same_lower");
    for (int i = 0; i < count; i++) {
        if (shape.v[i] < 1 || shape.v[i] > INT_MAX || x.dims[2 + i] > INT_MAX || w.dims[w.rank - count + i] > INT_MAX) {
            node_error(b, n, "size %lld of dimension %d is not possible", (long long)shape.v[i], 2 + i);
            return false;
        }
        int64_t full = strides.v[i] * (x.dims[2 + i] - 1) + extra.v[i] +
                       (w.dims[w.rank - count + i] - 1) * dilations.v[i] + 1;
        int64_t cut = full - shape.v[i];
        if (cut < 0) {                   /* longer than what there is: zeros behind */
            extra.v[i] -= cut;
            cut = 0;
        }
        pads[i] = lower ? cut / 2 : cut - cut / 2;
        pads[count + i] = cut - pads[i];
    }
    give_ints(a, "strides", count, strides.v);
    give_ints(a, "dilations", count, dilations.v);
    give_ints(a, "pads", 2 * count, pads);
    give_ints(a, "output_padding", count, extra.v);
    return true;
}

bool ov_deconvolution(Build *b, const Node *n, Edge **out)
{
    Attrs a = {.c = b->c};
    Ints extra;
    int count = n->in[0]->type.rank - 2, groups;
    if (!at_least(b, n, 0, 3) || !at_least(b, n, 1, 3) || !ov_list_attr(b, n, "output_padding", count, 0, &extra))
        return false;
    Edge *in[2] = {n->in[0], filters(b, n, 1, &groups)};
    bool same = strncmp(node_string(n, "auto_pad", ""), "same", 4) == 0, asked = n->nin > 2 && n->in[2];
    bool explicit = !*padding(n);
    if (edge_poisoned(in[1]))
        return false;
    if (asked && !explicit ? !shape_attrs(b, n, count, &a) : !window_attrs(b, n, count, &a))
        return false;
    if (same && !asked) {                /* without a shape nothing is there to be the same as: no pads */
        a.n = 0;
        int64_t none[MAX_RANK] = {0};
        Ints s, d;
        ov_list_attr(b, n, "strides", count, 1, &s);
        ov_list_attr(b, n, "dilations", count, 1, &d);
        give_ints(&a, "strides", count, s.v);
        give_ints(&a, "dilations", count, d.v);
        give_ints(&a, "pads", 2 * count, none);
    }
    if (!asked || explicit)
        give_ints(&a, "output_padding", count, extra.v);
    if (asked && explicit) {
        Ints shape;
        if (!ov_known_ints(b, n, 2, &shape))
            return false;
        give_ints(&a, "output_shape", shape.n, shape.v);
        for (int i = 0; i < a.n; i++)
            if (!strcmp(a.at[i].name, "pads") || !strcmp(a.at[i].name, "output_padding"))
                a.at[i--] = a.at[--a.n];
    }
    give_int(&a, "group", groups);
    out[0] = build_op(b, "ConvTranspose", 2, in, a.n, a.at);
    return true;
}

/* ---- deformable convolution -------------------------------------------------------------------------------------- */

typedef struct Deform {                  /* per axis of the image: kernel, places of the result, and how they step */
    int64_t groups, size[2], out[2], stride[2], dilation[2], before[2], after[2];
} Deform;

enum { MOST_PLACES = 1 << 22 };

static bool deform_read(Build *b, const Node *n, Deform *d)
{
    Window by;
    Type x = n->in[0]->type, o = n->in[1]->type, w = n->in[2]->type;
    if (!window_read(b, n, 2, &by))
        return false;
    d->groups = node_int(n, "deformable_group", 1);
    bool fits = x.rank == 4 && o.rank == 4 && w.rank == 4 && d->groups > 0 && o.dims[1] % d->groups == 0;
    fits = fits && o.dims[1] / d->groups == 2 * w.dims[2] * w.dims[3] && by.strides.v[0] > 0 &&
           by.strides.v[1] > 0 && by.dilations.v[0] > 0 && by.dilations.v[1] > 0 &&
           x.dims[2] <= INT_MAX && x.dims[3] <= INT_MAX;
    if (!fits) {
        node_error(b, n, "offsets are %s, filters %s: both and the data must have 4 dimensions, the offsets "
                   "deformable_group * 2 channels for each place of the kernel, strides and dilations be positive",
                   type_text(b->c, o), type_text(b->c, w));
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (o.dims[2 + i] > MOST_PLACES || w.dims[2 + i] > MOST_PLACES / (o.dims[2 + i] ? o.dims[2 + i] : 1)) {
            node_error(b, n, "offsets are %s: they are too many", type_text(b->c, o));
            return false;
        }
        d->size[i] = w.dims[2 + i];
        d->out[i] = o.dims[2 + i];
        d->stride[i] = by.strides.v[i];
        d->dilation[i] = by.dilations.v[i];
        d->before[i] = by.begin.v[i];
        d->after[i] = by.end.v[i];
        auto_pads(n, x.dims[2 + i], (d->size[i] - 1) * d->dilation[i] + 1, d->stride[i], &d->before[i], &d->after[i]);
    }
    return true;
}

/* Where the kernel's places lie without offsets, along an axis of [groups, kh, kw, oh, ow]. */
static Edge *deform_base(Build *b, const Deform *d, int axis)
{
    int64_t dims[4] = {axis ? 1 : d->size[0], axis ? d->size[1] : 1, axis ? 1 : d->out[0], axis ? d->out[1] : 1};
    Tensor *t = tensor_new(b->c, type_make(b->c, DT_F32, 4, dims));
    float *to = (float *)(uintptr_t)t->data;
    for (int64_t k = 0; k < d->size[axis]; k++)
        for (int64_t o = 0; o < d->out[axis]; o++)
            to[k * d->out[axis] + o] = (float)(o * d->stride[axis] - d->before[axis] + k * d->dilation[axis]);
    return build_const(b, NULL, t, b->loc);
}

/* Without bilinear_interpolation_pad a place outside of the image counts nothing, and one between its last elements and
 * its border is the last element: the mask and the offsets say so. */
static void deform_within(Build *b, const Node *n, const Deform *d, Edge **offsets, Edge **mask)
{
    Type x = n->in[0]->type, o = n->in[1]->type;
    int64_t plan[7] = {o.dims[0], d->groups, d->size[0], d->size[1], 2, d->out[0], d->out[1]}, last = 4;
    int64_t flags[6] = {o.dims[0], d->groups, d->size[0], d->size[1], d->out[0], d->out[1]};
    int64_t flat[4] = {o.dims[0], d->groups * d->size[0] * d->size[1], d->out[0], d->out[1]};
    Edge *parts[2], *all = ov_to_dims(b, build_cast(b, *offsets, DT_F32), 7, plan), *inside = NULL;
    for (int i = 0; i < 2; i++) {
        Edge *base = deform_base(b, d, i), *zero = ov_number_of(b, DT_F32, 0);
        Edge *place = build_op2(b, "Add", ov_to_dims(b, ov_part_of(b, all, 4, i, i + 1), 6, flags), base);
        Edge *in = build_op2(b, "And", build_op2(b, "GreaterOrEqual", place, zero),
                             build_op2(b, "Less", place, ov_number_of(b, DT_F32, (double)x.dims[2 + i])));
        inside = inside ? build_op2(b, "And", inside, in) : in;
        place = build_op(b, "Clip", 3, (Edge *[]){place, zero, ov_number_of(b, DT_F32, (double)x.dims[2 + i] - 1)}, 0,
                         NULL);
        parts[i] = build_op2(b, "Unsqueeze", build_op2(b, "Sub", place, base), build_ints(b, 1, &last));
    }
    *offsets = build_cast(b, ov_to_dims(b, ov_joined(b, 2, parts, 4), 4, o.dims), o.dt);
    Edge *counts = ov_to_dims(b, build_cast(b, inside, x.dt), 4, flat);
    *mask = *mask ? build_op2(b, "Mul", *mask, counts) : counts;
}

bool ov_deformable(Build *b, const Node *n, Edge **out)
{
    Attrs a = {.c = b->c};
    Deform d;
    if (!deform_read(b, n, &d))
        return false;
    Edge *in[5] = {n->in[0], n->in[2], n->in[1], NULL, n->nin > 3 ? n->in[3] : NULL};
    if (!node_int(n, "bilinear_interpolation_pad", 0))
        deform_within(b, n, &d, &in[2], &in[4]);
    give_ints(&a, "strides", 2, d.stride);
    give_ints(&a, "dilations", 2, d.dilation);
    give_ints(&a, "pads", 4, (int64_t[]){d.before[0], d.before[1], d.after[0], d.after[1]});
    give_int(&a, "group", node_int(n, "group", 1));
    give_int(&a, "offset_group", d.groups);
    out[0] = build_op(b, "DeformConv", in[4] ? 5 : 3, in, a.n, a.at);
    return true;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

/* strides, dilations and pads of a pool. Rounding up is padding behind: ONNX drops a window that begins there. *padded:
 * whether there are pads without that. */
static bool pool_attrs(Build *b, const Node *n, int count, const Ints *kernel, Attrs *a, bool *padded)
{
    Window w;
    bool up = !strcmp(node_string(n, "rounding_type", ""), "ceil");
    if (!window_read(b, n, count, &w))
        return false;
    for (int i = 0; i < count; i++) {
        int64_t have = n->in[0]->type.dims[2 + i], span = (kernel->v[i] - 1) * w.dilations.v[i] + 1;
        int64_t step = w.strides.v[i], *before = &w.begin.v[i], *after = &w.end.v[i];
        auto_pads(n, have, span, step, before, after);
        int64_t room = have + *before + *after - span;
        *padded |= *before || *after;
        if (up && room > 0 && step > 0)
            *after += (step - room % step) % step;
    }
    give_window(a, n, &w, false);
    return true;
}

bool ov_pool(Build *b, const Node *n, Edge **out)
{
    Attrs a = {.c = b->c};
    Ints kernel;
    int count = n->in[0]->type.rank - 2;
    bool average = node_attr(n, "exclude_pad") != NULL, padded = false;
    if (!at_least(b, n, 0, 3) || !ov_list_attr(b, n, "kernel", count, 1, &kernel) ||
        !pool_attrs(b, n, count, &kernel, &a, &padded))
        return false;
    give_ints(&a, "kernel_shape", count, kernel.v);
    if (average) {                       /* without pads what rounding adds does not count */
        give_int(&a, "count_include_pad", padded && !node_int(n, "exclude_pad", 1));
        out[0] = build_op(b, "AveragePool", 1, n->in, a.n, a.at);
        return true;
    }
    Edge *both[2];
    bool indices = n->nout > 1 && n->out[1];
    build_op_n(b, "MaxPool", 1, n->in, a.n, a.at, indices ? 2 : 1, both);
    out[0] = both[0];
    if (!indices || edge_poisoned(both[1]))
        return true;
    int axis;
    if (!node_axis(b, n, node_int(n, "axis", 0), n->in[0]->type.rank, false, &axis))
        return false;
    int64_t block = 1;                   /* they count within the dimensions from axis on */
    for (int i = axis; i < n->in[0]->type.rank; i++)
        block *= n->in[0]->type.dims[i];
    Edge *i = axis ? build_op2(b, "Mod", both[1], ov_number_of(b, DT_I64, (double)(block ? block : 1))) : both[1];
    out[1] = build_cast(b, i, (DType)node_int(n, "index_element_type", DT_I64));
    return true;
}

/* The mean over bins as a product with a matrix of weights, the maximum as a list of maxima. */
static Edge *bins_mean(Build *b, Edge *x, int axis, int64_t want)
{
    int64_t have = x->type.dims[axis], dims[2] = {have, want}, perm[MAX_RANK];
    int rank = x->type.rank;
    Tensor *w = tensor_new(b->c, type_make(b->c, DT_F32, 2, dims));
    float *to = (float *)(uintptr_t)w->data;
    for (int64_t o = 0; o < want; o++) {
        int64_t from = o * have / want, end = ((o + 1) * have + want - 1) / want;
        for (int64_t i = from; i < end; i++)
            to[i * want + o] = 1.0f / (float)(end - from);
    }
    for (int i = 0; i < rank; i++)
        perm[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
    Edge *weights = build_cast(b, build_const(b, NULL, w, b->loc), x->type.dt);
    return ov_to_order(b, build_op2(b, "MatMul", ov_to_order(b, x, rank, perm), weights), rank, perm);
}

static Edge *bins_max(Build *b, Edge *x, int axis, int64_t want)
{
    int64_t have = x->type.dims[axis], along = axis;
    Edge **parts = NEW_N(b->c, Edge *, want);
    for (int64_t o = 0; o < want; o++)
        parts[o] =
            build_op2(b, "ReduceMax", ov_part_of(b, x, axis, o * have / want, ((o + 1) * have + want - 1) / want),
                      build_ints(b, 1, &along));
    return ov_joined(b, (int)want, parts, axis);
}

/* The same with its places, which count through the axes from this one on; *at: those within the axes behind. */
static void bins_places(Build *b, Edge **x, Edge **at, int axis, int64_t want, int64_t stride)
{
    int64_t have = (*x)->type.dims[axis];
    Edge **parts = NEW_N(b->c, Edge *, want), **places = NEW_N(b->c, Edge *, want);
    Attr along = attr_int(b->c, "axis", axis);
    for (int64_t o = 0; o < want; o++) {
        int64_t from = o * have / want, end = ((o + 1) * have + want - 1) / want;
        Edge *piece = ov_part_of(b, *x, axis, from, end), *best = build_op(b, "ArgMax", 1, &piece, 1, &along);
        parts[o] = build_op(b, "GatherElements", 2, (Edge *[]){piece, best}, 1, &along);
        places[o] = build_op2(b, "Mul", build_op2(b, "Add", best, ov_number_of(b, DT_I64, (double)from)),
                              ov_number_of(b, DT_I64, (double)stride));
        if (*at) {
            Edge *within = ov_part_of(b, *at, axis, from, end);
            within = build_op(b, "GatherElements", 2, (Edge *[]){within, best}, 1, &along);
            places[o] = build_op2(b, "Add", places[o], within);
        }
    }
    *x = ov_joined(b, (int)want, parts, axis);
    *at = ov_joined(b, (int)want, places, axis);
}

bool ov_adaptive_pool(Build *b, const Node *n, Edge **out)
{
    enum { MOST_BINS = 4096 };
    bool mean = n->sig->nout == 1;
    Ints shape;
    Type t = n->in[0]->type;
    if (!at_least(b, n, 0, 3) || !ov_known_ints(b, n, 1, &shape))
        return false;
    for (int i = 0; i < t.rank - 2; i++)
        if (shape.n != t.rank - 2 || shape.v[i] < 1 || shape.v[i] > MOST_BINS || !t.dims[2 + i]) {
            node_error(b, n, "the output shape must have %d sizes from 1 to %d", t.rank - 2, MOST_BINS);
            return false;
        }
    bool places = n->nout > 1 && n->out[1];
    int64_t stride = 1;
    Edge *at = NULL;
    out[0] = n->in[0];
    for (int i = t.rank - 3; i >= 0 && !edge_poisoned(out[0]); i--) {
        if (places)
            bins_places(b, &out[0], &at, 2 + i, shape.v[i], stride);
        else if (shape.v[i] != t.dims[2 + i])
            out[0] = (mean ? bins_mean : bins_max)(b, out[0], 2 + i, shape.v[i]);
        stride *= t.dims[2 + i];
    }
    if (places)
        out[1] = build_cast(b, at, (DType)node_int(n, "index_element_type", DT_I64));
    return true;
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

/* [N, C, H, W] to [N, h * w * C, rows, columns]: the elements of a patch in the order of row, column, channel. One
 * strided slice a place of the patch. */
bool ov_patches(Build *b, const Node *n, Edge **out)
{
    Ints size, stride, rate;
    Type t = n->in[0]->type;
    int64_t pads[8] = {0}, count[2];
    if (!at_least(b, n, 0, 4) || !ov_list_attr(b, n, "sizes", 2, 1, &size) ||
        !ov_list_attr(b, n, "strides", 2, 1, &stride) || !ov_list_attr(b, n, "rates", 2, 1, &rate))
        return false;
    for (int i = 0; i < 2; i++) {
        if (size.v[i] < 1 || stride.v[i] < 1 || rate.v[i] < 1 || size.v[i] > 1024) {
            node_error(b, n, "sizes, strides and rates must be positive");
            return false;
        }
        int64_t have = t.dims[2 + i], span = (size.v[i] - 1) * rate.v[i] + 1;
        count[i] = *padding(n) == 'S' ? (have + stride.v[i] - 1) / stride.v[i]
                 : have < span        ? 0 : (have - span) / stride.v[i] + 1;
        int64_t missing = *padding(n) == 'S' ? (count[i] - 1) * stride.v[i] + span - have : 0;
        missing = missing > 0 ? missing : 0;
        pads[2 + i] = !strcmp(padding(n), "SAME_LOWER") ? missing - missing / 2 : missing / 2;
        pads[6 + i] = missing - pads[2 + i];
    }
    Edge *x = build_op2(b, "Pad", n->in[0], build_ints(b, 8, pads));
    Edge **parts = NEW_N(b->c, Edge *, size.v[0] * size.v[1]);
    for (int64_t i = 0; i < size.v[0] * size.v[1]; i++) {
        int64_t at[2] = {i / size.v[1] * rate.v[0], i % size.v[1] * rate.v[1]}, axes[2] = {2, 3};
        int64_t end[2] = {at[0] + (count[0] - 1) * stride.v[0] + 1, at[1] + (count[1] - 1) * stride.v[1] + 1};
        Edge *in[5] = {x, build_ints(b, 2, at), build_ints(b, 2, end), build_ints(b, 2, axes),
                       build_ints(b, 2, stride.v)};
        parts[i] = build_op(b, "Slice", 5, in, 0, NULL);
    }
    out[0] = ov_joined(b, (int)(size.v[0] * size.v[1]), parts, 1);
    return true;
}
