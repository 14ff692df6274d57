/* Elements that change places in images and sequences: DepthToSpace, SpaceToDepth, CenterCropPad, ReverseSequence,
 * Col2Im; AffineGrid. */
#include "meaning.h"

/* ---- CenterCropPad: cut or padded on both sides, one more behind ---- */

bool center_crop_pad(Build *b, const Node *n, Edge **out)
{
    Type t = arg_type(n, 0);
    Ints axes, shape;
    bool on[MAX_RANK], given = attr_list(n, "axes", &axes);
    int64_t pads[2 * MAX_RANK] = {0};
    if (!arg_ints(b, n, 1, &shape) || (given && !axes_set(b, n, axes, t.rank, on)))
        return false;
    int count = given ? axes.n : t.rank;
    if (shape.n != count)
        return node_error(b, n, "shape %s has length %d: it must have %d, one for each axis",
                          dims_text(b->c, shape.n, shape.v), shape.n, count);
    for (int k = 0; k < count; k++) {
        int64_t axis = given ? axes.v[k] + (axes.v[k] < 0 ? t.rank : 0) : k, size = shape.v[k], had = t.dims[axis];
        if (size < 0 || size > (int64_t)1 << 60)
            return node_error(b, n, "shape %s is out of range", dims_text(b->c, shape.n, shape.v));
        pads[axis] = size < had ? -((had - size) / 2) : (size - had) / 2;
        pads[axis + t.rank] = size - had - pads[axis];
    }
    out[0] = build_op2(b, "Pad", n->in[0], build_ints(b, 2 * t.rank, pads));
    return true;
}

/* ---- ReverseSequence: the first sequence_lens[b] elements of each batch turned round ---- */

static bool reverse_axes(Build *b, const Node *n, int *batch, int *time)
{
    Type t = arg_type(n, 0);
    if (!node_axis(b, n, node_int(n, "batch_axis", 1), t.rank, false, batch) ||
        !node_axis(b, n, node_int(n, "time_axis", 0), t.rank, false, time))
        return false;
    if (*batch != *time && same_dims(arg_type(n, 1), (Type){DT_I64, 1, &t.dims[*batch]}))
        return true;
    return node_error(b, n, "the input is %s, sequence_lens %s, batch_axis = %d, time_axis = %d: the axes must differ, "
                      "and each batch has one length", type_text(b->c, t), type_text(b->c, arg_type(n, 1)), *batch,
                      *time);
}

bool reverse_infer(Build *b, const Node *n, Type *out)
{
    int batch, time;
    out[0] = arg_type(n, 0);
    return reverse_axes(b, n, &batch, &time);
}

const Expr *reverse_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    int batch = 0, time = 0;
    const Idx *at[MAX_RANK];
    reverse_axes(l->b, l->node, &batch, &time);
    memcpy(at, i, sizeof *at * (size_t)t.rank);
    const Expr *here = expr_index(c, i[time]), *length = expr_cast(c, DT_I64, in_at(l, 1, &i[batch]));
    const Expr *last = expr_op2(c, OP_min, length, expr_int(c, DT_I64, t.dims[time]));
    last = expr_op2(c, OP_sub, expr_op2(c, OP_max, last, zero(c, DT_I64)), expr_int(c, DT_I64, 1));
    const Expr *from = expr_select(c, expr_op2(c, OP_le, here, last), expr_op2(c, OP_sub, last, here), here);
    from = expr_op2(c, OP_min, expr_op2(c, OP_max, from, zero(c, DT_I64)), expr_int(c, DT_I64, t.dims[time] - 1));
    at[time] = idx_value(c, from, 0, t.dims[time] - 1);
    return in_at(l, 0, at);
}

/* ---- Col2Im: blocks of pixels added up where they lie in the image ---- */

/* The window whose input is the blocks and whose result is the image. */
static bool col2im_of(Build *b, const Node *n, Window *w, int64_t *channels)
{
    Type t = arg_type(n, 0);
    Ints image, block, list;
    int64_t kernel = 1, blocks = 1;
    if (!arg_ints(b, n, 1, &image) || !arg_ints(b, n, 2, &block))
        return false;
    bool fits = t.rank == 3 && image.n == block.n && image.n >= 1 && image.n <= MAX_RANK - 2;
    *w = (Window){.rank = image.n};
    fits = fits && (!attr_list(n, "strides", &list) || list.n == w->rank);
    fits = fits && (!attr_list(n, "dilations", &list) || list.n == w->rank);
    fits = fits && (!attr_list(n, "pads", &list) || list.n == 2 * w->rank);
    for (int d = 0; fits && d < w->rank; d++) {
        w->stride[d] = attr_list(n, "strides", &list) ? list.v[d] : 1;
        w->dilation[d] = attr_list(n, "dilations", &list) ? list.v[d] : 1;
        w->before[d] = attr_list(n, "pads", &list) ? list.v[d] : 0;
        w->after[d] = list.n ? list.v[d + w->rank] : 0;
        w->size[d] = block.v[d];
        w->out[d] = image.v[d];
        fits = w->stride[d] > 0 && w->dilation[d] > 0 && w->size[d] > 0 && w->out[d] > 0 && w->before[d] >= 0 &&
               w->after[d] >= 0 && w->stride[d] < INT32_MAX && w->dilation[d] < INT32_MAX && w->size[d] < INT32_MAX &&
               w->out[d] < INT32_MAX && w->before[d] < INT32_MAX && w->after[d] < INT32_MAX;
        int64_t room = w->out[d] + w->before[d] + w->after[d] - w->dilation[d] * (w->size[d] - 1) - 1;
        w->in[d] = fits && room >= 0 ? room / w->stride[d] + 1 : 0;
        fits = fits && !__builtin_mul_overflow(kernel, w->size[d], &kernel) &&
               !__builtin_mul_overflow(blocks, w->in[d], &blocks);
    }
    if (!fits || t.dims[1] % kernel || t.dims[2] != blocks || blocks == 0)
        return node_error(b, n, "the input is %s, image_shape %s, block_shape %s: the input must be [N, channels·block "
                          "elements, blocks], with as many blocks as fit into the image by the strides, dilations and "
                          "pads", type_text(b->c, t), dims_text(b->c, image.n, image.v),
                          dims_text(b->c, block.n, block.v));
    *channels = t.dims[1] / kernel;
    return true;
}

bool col2im_infer(Build *b, const Node *n, Type *out)
{
    Window w;
    int64_t channels, dims[MAX_RANK];
    if (!col2im_of(b, n, &w, &channels))
        return false;
    dims[0] = arg_type(n, 0).dims[0];
    dims[1] = channels;
    memcpy(dims + 2, w.out, sizeof *dims * (size_t)w.rank);
    return make_type(b, n, out, 0, arg_type(n, 0).dt, w.rank + 2, dims);
}

const Expr *col2im_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Window w;
    Sweep s;
    int64_t channels, kernel[MAX_RANK];
    const Idx *block[MAX_RANK], *element[MAX_RANK];
    const Expr *inside = NULL;
    col2im_of(l->b, l->node, &w, &channels);
    sweep_open(c, &s, w.rank, w.size);
    element[0] = i[1];
    kernel[0] = channels;
    for (int d = 0; d < w.rank; d++) {
        inside = transposed_place(c, &w, d, i[d + 2], s.i[d], inside, &block[d]);
        element[d + 1] = s.i[d];
        kernel[d + 1] = w.size[d];
    }
    const Idx *at[3] = {i[0], idx_flat(c, w.rank + 1, kernel, element), idx_flat(c, w.rank, w.in, block)};
    const Expr *x = in_math(l, 0, at);
    if (inside)
        x = expr_select(c, inside, x, zero(c, x->dt));
    return sweep_reduce(c, &s, zero(c, x->dt), (Fold){OP_add, x, NULL});
}

/* ---- AffineGrid: theta times the coordinates, from -1 to 1, of each place ---- */

bool affine_grid_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Ints size;
    int64_t dims[5];
    if (!arg_ints(b, n, 1, &size))
        return false;
    int r = size.n - 2;
    if ((r != 2 && r != 3) || t.rank != 3 || t.dims[1] != r || t.dims[2] != r + 1 || t.dims[0] != size.v[0])
        return node_error(b, n, "theta is %s, size %s: they must be [N, 2, 3] and [N, C, H, W], or [N, 3, 4] and [N, "
                          "C, D, H, W]", type_text(b->c, t), dims_text(b->c, size.n, size.v));
    dims[0] = size.v[0];
    memcpy(dims + 1, size.v + 2, sizeof *dims * (size_t)r);
    dims[r + 1] = r;
    return make_type(b, n, out, 0, t.dt, r + 2, dims);
}

const Expr *affine_grid_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = out_type(l, out);
    int r = t.rank - 2;
    DType dt = math_type(t.dt);
    bool corners = node_int(l->node, "align_corners", 0) != 0;
    const Idx *at[3] = {i[0], i[r + 1], idx_const(c, r)};
    const Expr *sum = in_math(l, 0, at);
    for (int k = 0; k < r; k++) { /* x, the last dimension, is the first coordinate */
        double n = (double)t.dims[r - k], step = corners ? n > 1 ? 2 / (n - 1) : 0 : 2 / n;
        double first = corners ? -1 : -1 + 1 / n;
        const Expr *x = expr_op2(c, OP_mul, expr_cast(c, dt, expr_index(c, i[r - k])), expr_float(c, dt, step));
        at[2] = idx_const(c, k);
        sum = expr_op3(c, OP_mad, in_math(l, 0, at), expr_op2(c, OP_add, x, expr_float(c, dt, first)), sum);
    }
    return sum;
}
