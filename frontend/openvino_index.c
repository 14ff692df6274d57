/* More layers of OpenVINO on the builder: gathering with batches, products, transforms, blocks of space, Interpolate.
 */
#include "openvino_ops.h"

/* Batch dimensions, indices and the rest of the data: the axis is moved behind the batch, gathered there, and what the
 * indices have goes back to where the axis was. */
bool ov_gather(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type, i = n->in[1]->type;
    Ints axes;
    int64_t perm[MAX_RANK], back[MAX_RANK], batch = node_int(n, "batch_dims", 0);
    if (!ov_known_axes(b, n, 2, t.rank, &axes) || axes.n != 1)
        return false;
    int axis = (int)axes.v[0], k = 0;
    batch += batch < 0 ? i.rank : 0;
    Edge *at = build_cast(b, n->in[1], DT_I64);
    if (batch == 0) {
        Attr a = attr_int(b->c, "axis", axis);
        out[0] = build_op(b, "Gather", 2, (Edge *[]){n->in[0], at}, 1, &a);
        return true;
    }
    if (batch < 0 || batch > axis || batch > i.rank || t.rank + i.rank > MAX_RANK) {
        node_error(b, n, "batch_dims = %lld: it must be from 0 to the axis, %d, and the rank of the indices, %d",
                   (long long)batch, axis, i.rank);
        return false;
    }
    for (int d = 0; d < batch; d++)
        perm[k++] = d;
    perm[k++] = axis;
    for (int d = (int)batch; d < t.rank; d++)
        if (d != axis)
            perm[k++] = d;
    Attr a = attr_int(b->c, "batch_dims", batch);
    int64_t last = i.rank;
    Edge *in[2] = {ov_to_order(b, n->in[0], t.rank, perm), build_op2(b, "Unsqueeze", at, build_ints(b, 1, &last))};
    Edge *y = build_op(b, "GatherND", 2, in, 1, &a);
    k = 0;
    for (int d = 0; d < batch; d++)
        back[k++] = d;
    for (int d = 0; d < axis - batch; d++)
        back[k++] = i.rank + d;
    for (int d = (int)batch; d < i.rank; d++)
        back[k++] = d;
    for (int d = axis + 1; d < t.rank; d++)
        back[k++] = i.rank + d - 1 - batch;
    out[0] = edge_poisoned(y) ? y : ov_to_order(b, y, k, back);
    return true;
}

/* Slices of the axis replaced: the indices become one list, broadcast to the updates. */
bool ov_scatter_update(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type, i = n->in[1]->type;
    Ints axes;
    int64_t dims[MAX_RANK], line[MAX_RANK], count = type_count(i);
    if (!ov_known_axes(b, n, 3, t.rank, &axes) || axes.n != 1)
        return false;
    int axis = (int)axes.v[0];
    for (int d = 0; d < t.rank; d++) {
        dims[d] = d == axis ? count : t.dims[d];
        line[d] = d == axis ? count : 1;
    }
    Attr a = attr_int(b->c, "axis", axis);
    Edge *at = build_op2(b, "Expand", ov_to_dims(b, build_cast(b, n->in[1], DT_I64), t.rank, line),
                         build_ints(b, t.rank, dims));
    Edge *in[3] = {n->in[0], at, ov_to_dims(b, n->in[2], t.rank, dims)};
    out[0] = build_op(b, "ScatterElements", 3, in, 1, &a);
    return true;
}

static Edge *transposed(Build *b, Edge *x, bool yes)
{
    int64_t perm[MAX_RANK];
    int rank = x->type.rank;
    if (!yes || rank < 2)
        return x;
    for (int i = 0; i < rank; i++)
        perm[i] = i;
    perm[rank - 1] = rank - 2;
    perm[rank - 2] = rank - 1;
    return ov_to_order(b, x, rank, perm);
}

bool ov_matmul(Build *b, const Node *n, Edge **out)
{
    out[0] = build_op2(b, "MatMul", transposed(b, n->in[0], node_int(n, "transpose_a", 0) != 0),
                       transposed(b, n->in[1], node_int(n, "transpose_b", 0) != 0));
    return true;
}

/* One axis after the other; the last dimension holds real and imaginary part. */
bool ov_fourier(Build *b, const Node *n, Edge **out)
{
    int rank = n->in[0]->type.rank;
    Ints axes, sizes = {0};
    if (rank < 2 || !ov_known_axes(b, n, 1, rank - 1, &axes) ||
        (n->nin > 2 && n->in[2] && !ov_known_ints(b, n, 2, &sizes)))
        return false;
    out[0] = n->in[0];
    Attr a = attr_int(b->c, "inverse", n->sig->name[0] == 'I');
    for (int i = 0; i < axes.n; i++) {
        bool sized = i < sizes.n && sizes.v[i] > 0;
        Edge *in[3] = {out[0], sized ? ov_number_of(b, DT_I64, (double)sizes.v[i]) : NULL,
                       ov_number_of(b, DT_I64, (double)axes.v[i])};
        out[0] = build_op(b, "DFT", 3, in, 1, &a);
    }
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

typedef struct Blocks { int rank; int64_t block[MAX_RANK], begin[MAX_RANK], end[MAX_RANK]; } Blocks;

static bool blocks_read(Build *b, const Node *n, Blocks *k)
{
    Ints v[3];
    Type t = n->in[0]->type;
    int64_t all = 1;
    k->rank = t.rank;
    for (int i = 0; i < 3; i++) {
        if (!ov_known_ints(b, n, 1 + i, &v[i]))
            return false;
        if (v[i].n != t.rank || 2 * t.rank > MAX_RANK) {
            node_error(b, n, "input %d has %d values, '%s' has %d dimensions", 1 + i, v[i].n, n->in[0]->name, t.rank);
            return false;
        }
    }
    for (int i = 0; i < t.rank; i++) {
        k->block[i] = v[0].v[i];
        k->begin[i] = v[1].v[i];
        k->end[i] = v[2].v[i];
        if (k->block[i] < 1 || k->begin[i] < 0 || k->end[i] < 0 || k->block[i] > INT_MAX || k->begin[i] > INT_MAX ||
            k->end[i] > INT_MAX || (all *= k->block[i]) > INT_MAX) {
            node_error(b, n, "blocks must be at least 1, the others at least 0, and all not too large");
            return false;
        }
    }
    return true;
}

bool ov_space_to_batch(Build *b, const Node *n, Edge **out)
{
    Blocks k;
    int64_t pads[2 * MAX_RANK], dims[2 * MAX_RANK], perm[2 * MAX_RANK], last[MAX_RANK], all = 1;
    if (!blocks_read(b, n, &k))
        return false;
    int rank = k.rank;
    memcpy(pads, k.begin, sizeof *pads * (size_t)rank);
    memcpy(pads + rank, k.end, sizeof *pads * (size_t)rank);
    Edge *x = build_op2(b, "Pad", n->in[0], build_ints(b, 2 * rank, pads));
    if (edge_poisoned(x))
        return false;
    for (int i = 0; i < rank; i++) {
        if (x->type.dims[i] % k.block[i]) {
            node_error(b, n, "dimension %d is %lld with its pads: it must be a multiple of the block, %lld", i,
                       (long long)x->type.dims[i], (long long)k.block[i]);
            return false;
        }
        dims[2 * i] = last[i] = x->type.dims[i] / k.block[i];
        dims[2 * i + 1] = k.block[i];
        perm[i] = 2 * i + 1;
        perm[rank + i] = 2 * i;
        all *= k.block[i];
    }
    last[0] *= all;
    out[0] = ov_to_dims(b, ov_to_order(b, ov_to_dims(b, x, 2 * rank, dims), 2 * rank, perm), rank, last);
    return true;
}

bool ov_batch_to_space(Build *b, const Node *n, Edge **out)
{
    Blocks k;
    int64_t dims[2 * MAX_RANK], perm[2 * MAX_RANK], last[MAX_RANK], all = 1;
    if (!blocks_read(b, n, &k))
        return false;
    int rank = k.rank;
    Type t = n->in[0]->type;
    for (int i = 0; i < rank; i++)
        all *= k.block[i];
    if (t.dims[0] % all) {
        node_error(b, n, "the batch, %lld, must be a multiple of the blocks, %lld", (long long)t.dims[0],
                   (long long)all);
        return false;
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = k.block[i];
        dims[rank + i] = i ? t.dims[i] : t.dims[0] / all;
        perm[2 * i] = rank + i;
        perm[2 * i + 1] = i;
        last[i] = dims[rank + i] * k.block[i];
    }
    Edge *x = ov_to_dims(b, ov_to_order(b, ov_to_dims(b, n->in[0], 2 * rank, dims), 2 * rank, perm), rank, last);
    for (int i = 0; i < rank && !edge_poisoned(x); i++)
        if (k.begin[i] + k.end[i])
            x = ov_part_of(b, x, i, k.begin[i], last[i] - k.end[i]);
    out[0] = x;
    return true;
}

/* Channels and places within blocks of the image, of any rank: the depth is [blocks, channels] or [channels, blocks],
 * the image is [rows, block, columns, block ...]. */
static bool depth_blocks(Build *b, const Node *n, bool to_depth, Edge **out)
{
    Type t = n->in[0]->type;
    int64_t deep[2 * MAX_RANK], wide[2 * MAX_RANK], to_wide[2 * MAX_RANK], last[MAX_RANK], perm[2 * MAX_RANK];
    int64_t size = node_int(n, "block_size", 1), all = 1;
    int count = t.rank - 2, rank = 2 + 2 * count, first = strcmp(node_string(n, "mode", ""), "depth_first") ? 1 : 2;
    bool fits = t.rank >= 3 && rank <= MAX_RANK && size > 0 && size <= 1 << 10;
    for (int i = 0; i < count && fits; i++) {
        all *= size;
        fits = all <= INT_MAX && t.dims[1] <= INT_MAX && t.dims[2 + i] <= INT_MAX &&
               (!to_depth || t.dims[2 + i] % size == 0);
    }
    if (!fits || (!to_depth && t.dims[1] % all)) {
        node_error(b, n, "'%s' is %s: it must have from 3 to %d dimensions, and %s be multiples of block_size, %lld%s",
                   n->in[0]->name, type_text(b->c, t), MAX_RANK / 2 + 1, to_depth ? "those of the image" : "channels",
                   (long long)size, to_depth ? "" : ", for each of the image's");
        return false;
    }
    deep[0] = wide[0] = last[0] = t.dims[0];
    last[1] = to_depth ? t.dims[1] * all : t.dims[1] / all;
    deep[first == 1 ? 1 + count : 1] = wide[1] = to_depth ? t.dims[1] : last[1];
    to_wide[0] = 0;
    to_wide[1] = first == 1 ? 1 + count : 1;
    for (int i = 0; i < count; i++) {
        last[2 + i] = to_depth ? t.dims[2 + i] / size : t.dims[2 + i] * size;
        deep[first + i] = wide[3 + 2 * i] = size;
        deep[2 + count + i] = wide[2 + 2 * i] = to_depth ? last[2 + i] : t.dims[2 + i];
        to_wide[2 + 2 * i] = 2 + count + i;
        to_wide[3 + 2 * i] = first + i;
    }
    for (int i = 0; i < rank; i++)
        if (to_depth)
            perm[to_wide[i]] = i;
        else
            perm[i] = to_wide[i];
    out[0] = ov_to_dims(b, ov_to_order(b, ov_to_dims(b, n->in[0], rank, to_depth ? wide : deep), rank, perm), t.rank,
                        last);
    return true;
}

bool ov_depth_to_space(Build *b, const Node *n, Edge **out)
{
    return depth_blocks(b, n, false, out);
}

bool ov_space_to_depth(Build *b, const Node *n, Edge **out)
{
    return depth_blocks(b, n, true, out);
}

bool ov_shuffle(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type;
    int64_t dims[MAX_RANK + 1], perm[MAX_RANK + 1], group = node_int(n, "group", 1);
    int axis;
    if (!node_axis(b, n, node_int(n, "axis", 1), t.rank, false, &axis))
        return false;
    if (group < 1 || t.dims[axis] % group || t.rank == MAX_RANK) {
        node_error(b, n, "axis %d has %lld elements: they must be a multiple of group, %lld", axis,
                   (long long)t.dims[axis], (long long)group);
        return false;
    }
    for (int i = 0; i <= t.rank; i++) {
        dims[i] = i < axis ? t.dims[i] : i == axis ? group : i == axis + 1 ? t.dims[axis] / group : t.dims[i - 1];
        perm[i] = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
    }
    out[0] = ov_to_dims(b, ov_to_order(b, ov_to_dims(b, n->in[0], t.rank + 1, dims), t.rank + 1, perm), t.rank, t.dims);
    return true;
}

/* As Darknet has it: the image is read as one of C / s² channels, s·H rows and s·W columns, and its places within
 * blocks of s by s become channels. */
bool ov_reorg(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type;
    const Attr *a = node_attr(n, "stride");
    int64_t s = a && a->n ? a->ints[0] : 1;
    if (t.rank != 4 || s < 1 || s > 1024 || t.dims[1] % (s * s) || t.dims[2] % s || t.dims[3] % s) {
        node_error(b, n,
                   "'%s' is %s: it must have 4 dimensions, channels in multiples of the square of the stride, %lld, "
                   "rows and columns of it",
                   n->in[0]->name, type_text(b->c, t), (long long)s);
        return false;
    }
    int64_t c = t.dims[1] / (s * s), h = t.dims[2], w = t.dims[3];
    int64_t dims[6] = {t.dims[0], c, h, s, w, s}, perm[6] = {0, 3, 5, 1, 2, 4}, last[4] = {t.dims[0], t.dims[1] * s * s,
                                                                                          h / s, w / s};
    out[0] = ov_to_dims(b, ov_to_order(b, ov_to_dims(b, n->in[0], 6, dims), 6, perm), 4, last);
    return true;
}

/* ---- Interpolate ------------------------------------------------------------------------------------------------- */

typedef struct Resized {
    Ints axes;
    int64_t sizes[MAX_RANK];
    float scales[MAX_RANK];
    bool by_scale;
    const char *mode, *coordinates, *nearest;
} Resized;

static bool resized_sizes(Build *b, const Node *n, Resized *r, Type t, const Tensor *sizes, const Tensor *scales)
{
    if (type_count((r->by_scale ? scales : sizes)->type) != r->axes.n) {
        node_error(b, n, "sizes or scales have %lld values for %d axes",
                   (long long)type_count((r->by_scale ? scales : sizes)->type), r->axes.n);
        return false;
    }
    for (int i = 0; i < r->axes.n; i++) {
        int64_t have = t.dims[r->axes.v[i]];
        r->scales[i] = r->by_scale ? (float)tensor_at_double(scales, i) : 0;
        if (r->by_scale && !(r->scales[i] > 0 && (float)have * r->scales[i] < 2e9f)) {
            node_error(b, n, "scale %g of %lld elements is not possible", (double)r->scales[i], (long long)have);
            return false;
        }
        r->sizes[i] = r->by_scale ? (int64_t)((float)have * r->scales[i] + 1e-5f) : tensor_at_int(sizes, i);
        if (!r->by_scale)
            r->scales[i] = (float)r->sizes[i] / (float)(have ? have : 1);
    }
    return true;
}

/* Version 1 in the words of version 4. */
static void resized_old(const Node *n, Resized *r)
{
    bool align = node_int(n, "align_corners", 1) != 0;
    r->mode = node_string(n, "mode", "nearest");
    r->coordinates = align ? "align_corners" : "asymmetric";
    r->nearest = "simple";
}

static bool resized_read(Build *b, const Node *n, Resized *r, Type t)
{
    int since = n->sig->since, axes = since == 4 ? 3 : 2;
    const Tensor *sizes = n->in[1]->data, *scales = since == 4 ? n->in[2]->data : n->in[1]->data;
    const Attr *a = node_attr(n, "axes");
    r->axes.n = 0;
    r->by_scale = since != 1 && !strcmp(node_string(n, "shape_calculation_mode", "sizes"), "scales");
    r->mode = node_string(n, "mode", "nearest");
    r->coordinates = node_string(n, "coordinate_transformation_mode", "half_pixel");
    r->nearest = node_string(n, "nearest_mode", "round_prefer_floor");
    if (since == 1)
        resized_old(n, r);
    if (!strcmp(r->mode, "area")) {
        node_error(b, n, "mode \"area\" is not supported");
        return false;
    }
    if (a)
        for (int i = 0; i < a->n && i < t.rank; i++)
            r->axes.v[r->axes.n++] = a->ints[i];
    else if (n->nin > axes && n->in[axes]) {
        if (!ov_known_axes(b, n, axes, t.rank, &r->axes))
            return false;
    } else
        for (; r->axes.n < t.rank; r->axes.n++)
            r->axes.v[r->axes.n] = r->axes.n;
    for (int i = 0; i < r->axes.n; i++)
        if (r->axes.v[i] < 0 || r->axes.v[i] >= t.rank) {
            node_error(b, n, "there is no axis %lld", (long long)r->axes.v[i]);
            return false;
        }
    return resized_sizes(b, n, r, t, sizes, scales);
}

/* Resize of some of the axes; "" keeps all that is asked for. Aligned corners go by sizes, whatever gave those. */
static Edge *resized(Build *b, const Node *n, const Resized *r, Edge *x, const char *nearest, const bool *on)
{
    Attr a[8];
    bool by_scale = r->by_scale && strcmp(r->coordinates, "align_corners");
    int count = 0, n_on = 0;
    int64_t axes[MAX_RANK], sizes[MAX_RANK], dim;
    float *scales = NEW_N(b->c, float, r->axes.n);
    for (int i = 0; i < r->axes.n; i++)
        if (on[i]) {
            axes[n_on] = r->axes.v[i];
            scales[n_on] = r->scales[i];
            sizes[n_on++] = r->sizes[i];
        }
    if (!n_on || edge_poisoned(x))
        return x;
    a[count++] = attr_ints(b->c, "axes", n_on, mem_copy(b->c, axes, sizeof *axes * (size_t)n_on));
    a[count++] = attr_string(b->c, "mode", strncmp(r->mode, "linear", 6) ? r->mode : "linear");
    a[count++] = attr_string(b->c, "coordinate_transformation_mode", r->coordinates);
    a[count++] = attr_float(b->c, "cubic_coeff_a", node_float(n, "cube_coeff", -0.75f));
    bool smooth = node_int(n, "antialias", 0) && !strcmp(r->mode, "linear");
    a[count++] = attr_int(b->c, "antialias", smooth);
    a[count++] = attr_int(b->c, "exclude_outside", smooth);
    if (*nearest)
        a[count++] = attr_string(b->c, "nearest_mode", nearest);
    dim = n_on;
    Edge *in[4] = {x, NULL, NULL, NULL};
    if (by_scale)
        in[2] = build_const(
            b, NULL, tensor_of(b->c, type_make(b->c, DT_F32, 1, &dim), scales, sizeof *scales * (size_t)n_on), b->loc);
    else
        in[3] = build_ints(b, n_on, sizes);
    return build_op(b, "Resize", by_scale ? 3 : 4, in, count, a);
}

/* The nearest place of axis i for place o, every step rounded to float, as OpenVINO computes it, or not. */
static int64_t nearest_place(const Resized *r, int i, int64_t have, int64_t o, const char *nearest, bool single)
{
#define ROUNDED(v) (single ? (double)(float)(v) : (v))
    double x = (double)o, out = (double)r->sizes[i], in = (double)have;
    double scale = single || r->by_scale ? (double)r->scales[i] : out / in;
    if (!strcmp(r->coordinates, "align_corners"))
        x = out > 1 ? ROUNDED(ROUNDED(x * (in - 1)) / (out - 1)) : 0;
    else if (!strcmp(r->coordinates, "asymmetric"))
        x = ROUNDED(x / scale);
    else {
        x = ROUNDED(ROUNDED(x + 0.5) / scale);
        x = strcmp(r->coordinates, "tf_half_pixel_for_nn") ? ROUNDED(x - 0.5) : x;
    }
#undef ROUNDED
    x = !strcmp(nearest, "floor") ? floor(x) : !strcmp(nearest, "ceil") ? ceil(x)
      : !strcmp(nearest, "round_prefer_floor") ? ceil(x - 0.5) : floor(x + 0.5);
    return x < 0 ? 0 : x > in - 1 ? have - 1 : (int64_t)x;
}

/* Resize to the nearest places. It computes them in double; an axis on which float gives others is gathered. */
static Edge *resized_nearest(Build *b, const Node *n, const Resized *r, Edge *x, const char *nearest, const bool *on)
{
    bool left[MAX_RANK];
    for (int i = 0; i < r->axes.n; i++) {
        int64_t axis = r->axes.v[i], have = edge_poisoned(x) ? 0 : x->type.dims[axis], want = r->sizes[i];
        bool other = false;
        left[i] = on[i];
        if (!on[i] || have < 1 || want < 1 || want > 1 << 16)
            continue;
        Tensor *t = tensor_new(b->c, type_make(b->c, DT_I64, 1, &want));
        for (int64_t o = 0; o < want; o++) {
            int64_t at = nearest_place(r, i, have, o, nearest, true);
            other |= at != nearest_place(r, i, have, o, nearest, false);
            ((int64_t *)(uintptr_t)t->data)[o] = at;
        }
        if (other) {
            Attr a = attr_int(b->c, "axis", axis);
            x = build_op(b, "Gather", 2, (Edge *[]){x, build_const(b, NULL, t, b->loc)}, 1, &a);
            left[i] = false;
        }
    }
    return resized(b, n, r, x, nearest, left);
}

static Edge *resized_places(Build *b, const Node *n, const Resized *r, Edge *x, const bool *on)
{
    bool shrinks[MAX_RANK], grows[MAX_RANK];
    for (int i = 0; i < r->axes.n; i++) {
        shrinks[i] = on[i] && r->scales[i] < 1;
        grows[i] = on[i] && r->scales[i] >= 1;
    }
    if (strcmp(r->mode, "nearest"))
        return resized(b, n, r, x, "", on);
    if (strcmp(r->nearest, "simple"))
        return resized_nearest(b, n, r, x, r->nearest, on);
    /* shrinking takes the next place, growing the one before */
    return resized_nearest(b, n, r, resized_nearest(b, n, r, x, "ceil", shrinks), "floor", grows);
}

bool ov_interpolate(Build *b, const Node *n, Edge **out)
{
    Resized r;
    Ints begin, end;
    Edge *x = n->in[0];
    Type t = x->type;
    bool single[MAX_RANK], rest[MAX_RANK], padded = false;
    const Attr *pads[2] = {node_attr(n, "pads_begin"), node_attr(n, "pads_end")};
    if (2 * t.rank > MAX_RANK) {
        node_error(b, n, "'%s' has %d dimensions: that is too many", x->name, t.rank);
        return false;
    }
    for (int i = 0; i < t.rank; i++) {               /* what is left out at the end of a list is 0 */
        begin.v[i] = pads[0] && i < pads[0]->n ? pads[0]->ints[i] : 0;
        end.v[i] = pads[1] && i < pads[1]->n ? pads[1]->ints[i] : 0;
        padded |= begin.v[i] || end.v[i];
    }
    memcpy(begin.v + t.rank, end.v, sizeof *end.v * (size_t)t.rank);
    if (padded)
        x = build_op2(b, "Pad", x, build_ints(b, 2 * t.rank, begin.v));
    if (edge_poisoned(x) || !resized_read(b, n, &r, x->type))
        return false;
    for (int i = 0; i < r.axes.n; i++) {             /* a single place is at 0, in ONNX at -0.5 */
        single[i] = r.sizes[i] == 1 && !strcmp(r.coordinates, "pytorch_half_pixel");
        rest[i] = !single[i];
    }
    Resized first = r;
    first.coordinates = "asymmetric";
    out[0] = resized_places(b, n, &r, resized_places(b, n, &first, x, single), rest);
    return true;
}
