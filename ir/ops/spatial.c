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
        return unfit(b, n, "shape must have length %d, one for each axis", count);
    for (int k = 0; k < count; k++) {
        int64_t axis = given ? axes.v[k] + (axes.v[k] < 0 ? t.rank : 0) : k, size = shape.v[k], had = t.dims[axis];
        if (size < 0 || size > (int64_t)1 << 60)
            return unfit(b, n, "the shape is out of range");
        pads[axis] = size < had ? -((had - size) / 2) : (size - had) / 2;
        pads[axis + t.rank] = size - had - pads[axis];
    }
    out[0] = build_op2(b, "Pad", n->in[0], build_ints(b, 2 * t.rank, pads));
    return true;
}

/* ---- ReverseSequence: the first sequence_lens[b] elements of each batch turned round ---- */

bool reverse_infer(Build *b, const Node *n, Type *out)
{
    Type t = out[0] = arg_type(n, 0);
    int batch, time;
    if (!attr_axis(b, n, "batch_axis", t.rank, &batch) || !attr_axis(b, n, "time_axis", t.rank, &time))
        return false;
    return (batch != time && same_dims(arg_type(n, 1), (Type){DT_I64, 1, &t.dims[batch]})) ||
           unfit(b, n, "the axes must differ, and each batch has one length");
}

const Expr *reverse_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    int batch = sound_axis(l->node, "batch_axis", t.rank), time = sound_axis(l->node, "time_axis", t.rank);
    const Expr *here = expr_index(c, i[time]), *length = expr_cast(c, DT_I64, in_at(l, 1, &i[batch]));
    const Expr *last = expr_op2(c, OP_min, length, i64(c, t.dims[time]));
    last = expr_op2(c, OP_sub, expr_op2(c, OP_max, last, zero(c, DT_I64)), i64(c, 1));
    const Expr *from = expr_select(c, expr_op2(c, OP_le, here, last), expr_op2(c, OP_sub, last, here), here);
    return in_but(l, i, time, clamped(c, from, t.dims[time]));
}

/* ---- Col2Im: blocks of pixels added up where they lie in the image ---- */

/* The window whose input is the blocks and whose result is the image. */
static bool col2im_of(Build *b, const Node *n, Window *w, int64_t *channels)
{
    Type t = arg_type(n, 0);
    Ints image, block;
    int64_t kernel = 1, blocks = 1;
    if (!arg_ints(b, n, 1, &image) || !arg_ints(b, n, 2, &block))
        return false;
    bool fits = t.rank == 3 && image.n == block.n && image.n >= 1 && image.n <= MAX_RANK - 2;
    *w = (Window){.rank = image.n};
    if (fits && !window_attrs(b, n, w))
        return false;
    for (int d = 0; fits && d < w->rank; d++) {
        w->size[d] = block.v[d];
        w->out[d] = image.v[d];
        fits = w->size[d] > 0 && w->out[d] > 0 && w->before[d] >= 0 && w->after[d] >= 0 && w->size[d] < INT32_MAX &&
               w->out[d] < INT32_MAX;
        int64_t room = fits ? w->out[d] + w->before[d] + w->after[d] - w->dilation[d] * (w->size[d] - 1) - 1 : -1;
        w->in[d] = room >= 0 ? room / w->stride[d] + 1 : 0;
        fits = fits && !__builtin_mul_overflow(kernel, w->size[d], &kernel) &&
               !__builtin_mul_overflow(blocks, w->in[d], &blocks);
    }
    if (!fits || t.dims[1] % kernel || t.dims[2] != blocks || blocks == 0)
        return unfit(b, n, "the input must be [N, channels·block elements, blocks], as many blocks as fit into the "
                     "image by the strides, dilations and pads");
    *channels = t.dims[1] / kernel;
    return true;
}

bool col2im_infer(Build *b, const Node *n, Type *out)
{
    Window w;
    int64_t channels;
    if (!col2im_of(b, n, &w, &channels))
        return false;
    Dims d = {2, {arg_type(n, 0).dims[0], channels}};
    dims_take(&d, (Type){.dims = w.out}, 0, w.rank);
    return dims_type(b, n, out, arg_type(n, 0).dt, &d);
}

const Expr *col2im_at(Lower *l, int out, const Idx *const *i)
{
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
    if (!arg_ints(b, n, 1, &size))
        return false;
    int r = size.n - 2;
    if ((r != 2 && r != 3) || t.rank != 3 || t.dims[1] != r || t.dims[2] != r + 1 || t.dims[0] != size.v[0])
        return unfit(b, n, "they must be [N, 2, 3] and [N, C, H, W], or [N, 3, 4] and [N, C, D, H, W]");
    Dims d = {1, {t.dims[0]}};
    dims_take(&d, (Type){.dims = size.v}, 2, size.n);
    d.at[d.n++] = r;
    return dims_type(b, n, out, t.dt, &d);
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
