/* Proposals: the anchors of OpenVINO's Proposal, and the feature maps of a pyramid from which regions are pooled. All
 * else of them is text in openvino.def. */
#include "openvino_ops.h"

/* round(), which a float's neighbours of one half do not disturb. */
static float rounded(float v)
{
    float whole = floorf(v);
    return v - whole >= 0.5f ? whole + 1 : whole;
}

/* [ratios * scales, 4], the corners of boxes about one place; those of tensorflow have sides as long as their ends are
 * apart, are not rounded, and stand about 0. */
bool ov_anchors(Build *b, const Node *n, Edge **out)
{
    enum { MOST = 1 << 10 };
    const Attr *ratio = node_attr(n, "ratio"), *scale = node_attr(n, "scale");
    bool plain = node_int(n, "plain", 0) != 0;
    float base = (float)node_int(n, "base_size", 1), offset = plain ? 0 : 1;
    int64_t dims[2] = {ratio && scale ? (int64_t)ratio->n * scale->n : 0, 4};
    if (dims[0] < 1 || dims[0] > MOST || !(base > 0 && base < 1e9f)) {
        node_error(b, n, "base_size = %g with %d ratios and %d scales gives no anchors, or too many", (double)base,
                   ratio ? ratio->n : 0, scale ? scale->n : 0);
        return false;
    }
    Tensor *t = tensor_new(b->c, type_make(b->c, DT_F32, 2, dims));
    float *to = (float *)(uintptr_t)t->data, middle = plain ? 0 : 0.5f * (base - offset);
    for (int r = 0; r < ratio->n; r++) {
        float w = sqrtf(base * base / ratio->floats[r]);
        w = plain ? w : rounded(w);
        float h = plain ? w * ratio->floats[r] : rounded(w * ratio->floats[r]);
        for (int s = 0; s < scale->n; s++) {
            float x = 0.5f * (w * scale->floats[s] - offset), y = 0.5f * (h * scale->floats[s] - offset);
            const float sides[4] = {middle - x, middle - y, middle + x, middle + y};
            memcpy(to, sides, sizeof sides);
            to += 4;
        }
    }
    out[0] = build_const(b, NULL, t, b->loc);
    return true;
}

/* Each region is pooled from the map that suits its size: the sum over the maps, of which all others give 0. */
bool ov_pyramid(Build *b, const Node *n, Edge **out)
{
    const Attr *scales = node_attr(n, "pyramid_scales");
    int levels = n->nin - 1;
    if (!scales || scales->n < levels) {
        node_error(b, n, "pyramid_scales has %d values: there are %d feature maps", scales ? scales->n : 0, levels);
        return false;
    }
    out[0] = NULL;
    out[1] = n->in[0];
    for (int k = 0; k < levels; k++) {
        Attr a[6] = {attr_int(b->c, "level", k), attr_int(b->c, "last", k == levels - 1),
                     attr_float(b->c, "scale", 1 / (float)scales->ints[k]),
                     attr_int(b->c, "size", node_int(n, "output_size", 1)),
                     attr_int(b->c, "ratio", node_int(n, "sampling_ratio", 0)),
                     attr_int(b->c, "aligned", node_int(n, "aligned", 0))};
        Edge *y = build_op(b, "openvino::Level", 2, (Edge *[]){n->in[0], n->in[k + 1]}, 6, a);
        out[0] = out[0] ? build_op2(b, "Add", out[0], y) : y;
    }
    return true;
}
