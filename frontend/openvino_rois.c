/* Layers of OpenVINO that pool regions of an image: each region is cut into bins, a bin is the mean of what lies in it
 * or of samples between the pixels. Regions are rows (image, x1, y1, x2, y2); image -1 ends them, and what stands
 * behind gives 0. */
#include "openvino_ops.h"

/* [N, C, H, W] and [R, 5] give [R, channels, h, w]. */
static bool pooled(Build *b, const Node *n, int64_t channels, int64_t h, int64_t w, Type *out)
{
    enum { MOST = 1 << 16 };
    Type x = n->in[0]->type, rois = n->in[1]->type;
    if (x.rank != 4 || rois.rank != 2 || rois.dims[1] != 5 || type_count(x) == 0) {
        node_error(b, n, "image is %s, regions %s: they must be [N, C, H, W] and [R, 5]", type_text(b->c, x),
                   type_text(b->c, rois));
        return false;
    }
    if (channels < 1 || h < 1 || w < 1 || channels > x.dims[1] || h > MOST || w > MOST) {
        node_error(b, n, "%lld channels of %lld by %lld bins are not possible with an image of %s", (long long)channels,
                   (long long)h, (long long)w, type_text(b->c, x));
        return false;
    }
    out[0] = type_make(b->c, DT_F32, 4, (int64_t[]){rois.dims[0], channels, h, w});
    return true;
}

#define ROUND(v) "(" v " < 0 ? ceil(" v " - 0.5) : floor(" v " + 0.5))"
/* `value` of a channel of image n at (y, x), which must lie in it. */
#define ROW(channel, y) \
    "X[n, " channel ", " y ", l] + (X[n, " channel ", " y ", l + 1] - X[n, " channel ", " y ", l]) * (x - left); "
#define BETWEEN(channel) \
    "top = floor(y); left = floor(x); t = int64(top); l = int64(left); " \
    "upper = " ROW(channel, "t") "lower = " ROW(channel, "t + 1") "value = upper + (lower - upper) * (y - top); "

#define INSIDE "y >= 0 && y <= dim(X, 2) - 1 && x >= 0 && x <= dim(X, 3) - 1"
#define REGIONS "var live = float(1); for r < dim(rois, 0) { n = int64(rois[r, 0]); live = n < 0 ? 0 : live; "

bool ov_roi_samples_infer(Build *b, const Node *n, Type *out)
{
    return pooled(b, n, n->in[0]->type.rank > 1 ? n->in[0]->type.dims[1] : 0, node_int(n, "h", 1), node_int(n, "w", 1),
                  out);
}

/* Sides are parts of the image's; the samples of a row reach from one side to the other, one alone is in the middle. */
void ov_roi_samples(Lower *l)
{
#define PLACE(k, count, low, high, size) \
    "(" count " == 1 ? (rois[r, " low "] + rois[r, " high "]) * 0.5 * (" size " - 1) : " k " == " count " - 1 ? " \
    "rois[r, " high "] * (" size " - 1) : float(" k ") * ((rois[r, " high "] - rois[r, " low "]) * (" size " - 1) / (" \
    count " - 1)) + rois[r, " low "] * (" size " - 1)); "
    nest(l, "to[]: " REGIONS
            "    for c < dim(X, 1) { for i < @h { for j < @w {"
            "        y = " PLACE("i", "@h", "2", "4", "dim(X, 2)") "x = " PLACE("j", "@w", "1", "3", "dim(X, 3)")
            BETWEEN("c") "to[r, c, i, j] = live > 0 && " INSIDE " ? value : 0; } } } }", l->out[0]);
}

static bool bins_fit(Build *b, const Node *n)
{
    int64_t x = node_int(n, "spatial_bins_x", 1), y = node_int(n, "spatial_bins_y", 1);
    if (x >= 1 && y >= 1 && x < 1 << 16 && y < 1 << 16)
        return true;
    node_error(b, n, "spatial_bins_x = %lld, spatial_bins_y = %lld: they must be from 1 on", (long long)x,
               (long long)y);
    return false;
}

/* The channels that the bins of a result's channel have; false: told. */
static bool channels_fit(Build *b, const Node *n, int64_t each)
{
    int64_t channels = node_int(n, "output_dim", 1), have = n->in[0]->type.rank > 1 ? n->in[0]->type.dims[1] : 0;
    if (channels >= 1 && channels <= have / each)
        return true;
    node_error(b, n, "output_dim = %lld needs %lld channels each, the image is %s", (long long)channels,
               (long long)each, type_text(b->c, n->in[0]->type));
    return false;
}

bool ov_ps_roi_infer(Build *b, const Node *n, Type *out)
{
    int64_t size = node_int(n, "group_size", 1), channels = node_int(n, "output_dim", 1);
    bool mean = !strcmp(node_string(n, "mode", "average"), "average");
    if (!bins_fit(b, n) || !pooled(b, n, channels, size, size, out))
        return false;
    return channels_fit(b, n, mean ? size * size
                                   : node_int(n, "spatial_bins_x", 1) * node_int(n, "spatial_bins_y", 1));
}

/* Each bin has a channel of its own: the mean of its pixels. */
static void ps_mean(Lower *l)
{
#define SIDES(from, low, high, k, end) \
    "first = " ROUND("rois[r, " from "]") " * @spatial_scale; " \
    "bin = ((" ROUND("rois[r, " from " + 2]") " + 1) * @spatial_scale - first) / @group_size; " \
    low " = clip(floor(first + float(" k ") * bin), 0, " end " - 1); " \
    high " = clip(ceil(first + float(" k " + 1) * bin), 0, " end "); "
    nest(l, "to[]: " REGIONS
            "    for c < @output_dim { for i < @group_size { for j < @group_size {" SIDES("2", "top", "bottom", "i",
            "dim(X, 2)") SIDES("1", "left", "right", "j", "dim(X, 3)")
            "        var sum = float(0);"
            "        for y < dim(X, 2) { if (float(y) >= top && float(y) < bottom) {"
            "            for x < dim(X, 3) { if (float(x) >= left && float(x) < right) {"
            "                sum = sum + X[n, (c * @group_size + i) * @group_size + j, y, x]; } } } }"
            "        count = (bottom - top) * (right - left);"
            "        to[r, c, i, j] = live > 0 && bottom > top && right > left ? sum / count : 0; } } } }", l->out[0]);
}

/* A part of the region has channels of its own, which are sampled in a grid; the mean over the parts. */
static void ps_between(Lower *l)
{
#define AT(from, bins, part, k, end) \
    "first = rois[r, " from "] * @spatial_scale; bin = (rois[r, " from " + 2] * @spatial_scale - first) / " bins "; " \
    "start = first + float(" part ") * bin; " \
    "p = @group_size == 1 ? (start + start + bin) * (" end " - 1) / 2 : " \
    "float(" k ") * (bin * (" end " - 1) / (@group_size - 1)) + start * (" end " - 1); "
    nest(l, "to[]: " REGIONS
            "    for c < @output_dim { for i < @group_size { for j < @group_size {"
            "        var sum = float(0);"
            "        for v < @spatial_bins_y { for u < @spatial_bins_x {" AT("2", "@spatial_bins_y", "v", "i",
            "dim(X, 2)") "y = p; " AT("1", "@spatial_bins_x", "u", "j", "dim(X, 3)") "x = p; "
            BETWEEN("(v * @spatial_bins_x + u) * @output_dim + c")
            "            if (" INSIDE ") { sum = sum + value; } } }"
            "        to[r, c, i, j] = live > 0 ? sum / (@spatial_bins_x * @spatial_bins_y) : 0; } } } }", l->out[0]);
}

void ov_ps_roi(Lower *l)
{
    if (!strcmp(node_string(l->node, "mode", "average"), "average"))
        ps_mean(l);
    else
        ps_between(l);
}

bool ov_deformable_roi_infer(Build *b, const Node *n, Type *out)
{
    int64_t size = node_int(n, "group_size", 1), channels = node_int(n, "output_dim", 1);
    int64_t part = node_int(n, "part_size", 1);
    if (!bins_fit(b, n) || !pooled(b, n, channels, size, size, out) || !channels_fit(b, n, size * size))
        return false;
    Type t = n->nin > 2 && n->in[2] ? n->in[2]->type : (Type){0};
    if (n->nin < 3 || !n->in[2] || (t.rank == 4 && t.dims[0] == out[0].dims[0] && t.dims[1] > 1 && t.dims[1] % 2 == 0 &&
                                    channels % (t.dims[1] / 2) == 0 && t.dims[2] == part && t.dims[3] == part))
        return true;
    node_error(b, n, "offsets are %s: they must be [%lld, 2 * G, %lld, %lld], and G divide output_dim = %lld",
               type_text(b->c, t), (long long)out[0].dims[0], (long long)part, (long long)part, (long long)channels);
    return false;
}

/* Each bin has a channel of its own and is moved by offsets; the mean of those of its samples that lie in the image. */
void ov_deformable_roi(Lower *l)
{
#define SPAN(from, k, moved) \
    "first = " ROUND("rois[r, " from "]") " * @spatial_scale - 0.5; " \
    "span = max((" ROUND("rois[r, " from " + 2]") " + 1) * @spatial_scale - 0.5 - first, 0.1); " \
    "bin = span / @group_size; " \
    "start = first + float(" k ") * bin + (given(offsets) ? offsets[r, " moved "] * @trans_std * span : 0); "
    Ctx *c = l->c;
    const Node *n = l->node;
    int64_t groups = n->nin > 2 && n->in[2] ? n->in[2]->type.dims[1] / 2 : 1;
    int64_t each = node_int(n, "output_dim", 1) / groups;
    nest(l, "to[], groups, each: " REGIONS
            "    for g < groups { for e < each { for i < @group_size { for j < @group_size {"
            "        c = g * each + e; a = i * @part_size / @group_size; b = j * @part_size / @group_size;"
            SPAN("2", "i", "g * 2 + 1, a, b") "y0 = start; dy = bin / @spatial_bins_y; "
            SPAN("1", "j", "g * 2, a, b") "x0 = start; dx = bin / @spatial_bins_x; "
            "        var sum = float(0); var count = float(0);"
            "        for v < @spatial_bins_y { for u < @spatial_bins_x {"
            "            py = y0 + float(v) * dy; px = x0 + float(u) * dx;"
            "            y = clip(py, 0, dim(X, 2) - 1); x = clip(px, 0, dim(X, 3) - 1);"
            BETWEEN("(c * @group_size + i) * @group_size + j")
            "            if (py >= -0.5 && py <= dim(X, 2) - 0.5 && px >= -0.5 && px <= dim(X, 3) - 0.5) {"
            "                sum = sum + value; count = count + 1; } } }"
            "        to[r, c, i, j] = live > 0 && count > 0 ? sum / count : 0; } } } } }",
         l->out[0], expr_int(c, DT_I64, groups), expr_int(c, DT_I64, each));
}
