/* Layers of OpenVINO for detection: prior boxes are constants; RegionYolo and CTCGreedyDecoder are compositions. */
#include "openvino_ops.h"

typedef struct Floats { int n; const float *v; } Floats;

static Floats floats_of(const Node *n, const char *name)
{
    const Attr *a = node_attr(n, name);
    return a ? (Floats){a->n, a->floats} : (Floats){0, NULL};
}

/* ---- prior boxes: [2, 4 * boxes], centres of a grid with widths and heights, then variances -----------------------
 */

typedef struct Priors {
    Build *b;
    const Node *n;
    Ints shape, image;               /* rows and columns */
    VEC(float) boxes;
    float step_x, step_y;
    bool inside;                     /* the next ones reach to the border at most */
} Priors;

enum { MOST_PRIORS = 1 << 22 };

static bool priors_open(Priors *p, Build *b, const Node *n)
{
    *p = (Priors){.b = b, .n = n};
    if (!ov_known_ints(b, n, 0, &p->shape) || !ov_known_ints(b, n, 1, &p->image))
        return false;
    if (p->shape.n != 2 || p->image.n != 2 || p->shape.v[0] < 1 || p->shape.v[1] < 1 || p->image.v[0] < 1 ||
        p->image.v[1] < 1 || p->shape.v[0] > 4096 || p->shape.v[1] > 4096) {
        node_error(b, n, "the sizes of grid and image must be two positive numbers each");
        return false;
    }
    return true;
}

static bool box_add(Priors *p, float x, float y, float w, float h)
{
    float sides[4] = {(x - w) / (float)p->image.v[1], (y - h) / (float)p->image.v[0], (x + w) / (float)p->image.v[1],
                      (y + h) / (float)p->image.v[0]};
    bool clip = node_int(p->n, "clip", 0) != 0;
    if (p->boxes.n > MOST_PRIORS) {
        node_error(p->b, p->n, "it gives more than %d boxes", MOST_PRIORS / 4);
        return false;
    }
    for (int i = 0; i < 4; i++) {
        float v = (clip || (p->inside && i < 2)) && sides[i] < 0 ? 0 : sides[i];
        v = (clip || (p->inside && i > 1)) && v > 1 ? 1 : v;
        VEC_PUSH(p->b->c, p->boxes, v);
    }
    return true;
}

static bool priors_close(Priors *p, Edge **out)
{
    Floats variance = floats_of(p->n, "variance");
    if (variance.n != 0 && variance.n != 1 && variance.n != 4) {
        node_error(p->b, p->n, "variance has %d values: it must have 1 or 4", variance.n);
        return false;
    }
    int64_t dims[2] = {2, p->boxes.n};
    Tensor *t = tensor_new(p->b->c, type_make(p->b->c, DT_F32, 2, dims));
    float *to = (float *)(uintptr_t)t->data;
    if (p->boxes.n)
        memcpy(to, p->boxes.at, sizeof *to * (size_t)p->boxes.n);
    for (int i = 0; i < p->boxes.n; i++)
        to[p->boxes.n + i] = variance.n == 4 ? variance.v[i % 4] : variance.n ? variance.v[0] : 0.1f;
    out[0] = build_const(p->b, NULL, t, p->b->loc);
    return true;
}

bool ov_prior_box_clustered(Build *b, const Node *n, Edge **out)
{
    Priors p;
    Floats w = floats_of(n, "width"), h = floats_of(n, "height");
    if (!priors_open(&p, b, n))
        return false;
    if (w.n != h.n) {
        node_error(b, n, "%d widths and %d heights are given", w.n, h.n);
        return false;
    }
    float step = node_float(n, "step", 0), offset = node_float(n, "offset", 0);
    p.step_x = node_float(n, "step_w", 0) != 0 ? node_float(n, "step_w", 0) : step;
    p.step_y = node_float(n, "step_h", 0) != 0 ? node_float(n, "step_h", 0) : step;
    if (p.step_x == 0 && p.step_y == 0) {            /* one of them alone leaves the other 0 */
        p.step_x = (float)p.image.v[1] / (float)p.shape.v[1];
        p.step_y = (float)p.image.v[0] / (float)p.shape.v[0];
    }
    for (int64_t y = 0; y < p.shape.v[0]; y++)
        for (int64_t x = 0; x < p.shape.v[1]; x++)
            for (int i = 0; i < w.n; i++)
                if (!box_add(&p, ((float)x + offset) * p.step_x, ((float)y + offset) * p.step_y, w.v[i] / 2,
                             h.v[i] / 2))
                    return false;
    return priors_close(&p, out);
}

/* Boxes of fixed sizes: for each, shifted copies by density, of each ratio. */
static bool dense_boxes(Priors *p, float x, float y)
{
    Floats sizes = floats_of(p->n, "fixed_size"), ratios = floats_of(p->n, "fixed_ratio");
    Floats density = floats_of(p->n, "density"), aspects = floats_of(p->n, "aspect_ratio");
    for (int s = 0; s < sizes.n; s++) {
        float size = sizes.v[s], dense = s < density.n ? density.v[s] : 1;
        if (!(size >= 0 && size < 1e6f && dense >= 0 && dense < 64)) {
            node_error(p->b, p->n, "fixed_size %g with density %g is not possible", (double)size, (double)dense);
            return false;
        }
        int many = (int)dense, whole = (int)size, shift = many > 0 ? (int)(size / (float)many) : 0;
        Floats list = ratios.n ? ratios : aspects;
        for (int r = ratios.n ? 0 : -1; r < list.n; r++) {
            float root = r < 0 ? 1 : sqrtf(list.v[r]), half = (r < 0 ? (float)whole : size) * 0.5f;
            if (r >= 0 && !ratios.n && fabsf(list.v[r] - 1) < 1e-6f)
                continue;
            for (int k = 0; k < many * many; k++) {
                float cx = x - (float)(whole / 2) + (float)shift / 2 + (float)(k % many) * (float)shift;
                float cy = y - (float)(whole / 2) + (float)shift / 2 + (float)(k / many) * (float)shift;
                if (!box_add(p, cx, cy, half * root, half / root))
                    return false;
            }
        }
    }
    return true;
}

/* 1, then the ratios that are given and with flip their inverses, each once. */
static int all_ratios(const Node *n, float *to, int most)
{
    Floats given = floats_of(n, "aspect_ratio");
    int count = 0;
    to[count++] = 1;
    for (int i = 0; i < given.n; i++)
        for (int k = 0; k <= (node_int(n, "flip", 0) != 0); k++) {
            float r = k ? 1 / given.v[i] : given.v[i];
            bool there = false;
            for (int j = 0; j < count; j++)
                there |= fabsf(to[j] - given.v[i]) < 1e-6f && !k;
            if (there && !k)
                break;
            if (count < most)
                to[count++] = r;
        }
    return count;
}

/* With scale_all_sizes each size has all ratios. Without, sizes are parts of the image's height, the first one has the
 * ratios, and max_size counts nothing. */
static bool sized_boxes(Priors *p, float x, float y, int nratios, const float *ratios)
{
    Floats min = floats_of(p->n, "min_size"), max = floats_of(p->n, "max_size");
    bool ordered = node_int(p->n, "min_max_aspect_ratios_order", 1) != 0, each = node_int(p->n, "scale_all_sizes", 1);
    float unit = each ? 1 : (float)p->image.v[0];
    max.n = each ? max.n : 0;
    for (int i = 0; i < min.n; i++) {
        float half = min.v[i] * unit * 0.5f, both = i < max.n ? sqrtf(min.v[i] * max.v[i]) * 0.5f : 0;
        if (!box_add(p, x, y, half, half) || (ordered && i < max.n && !box_add(p, x, y, both, both)))
            return false;
        half = each ? half : min.v[0] * unit * 0.5f;
        if (each || i == min.n - 1)
            for (int r = 0; r < nratios; r++) {
                float root = sqrtf(ratios[r]);
                if (fabsf(ratios[r] - 1) >= 1e-6f && !box_add(p, x, y, half * root, half / root))
                    return false;
            }
        if (!ordered && i < max.n && !box_add(p, x, y, both, both))
            return false;
    }
    return true;
}

bool ov_prior_box(Build *b, const Node *n, Edge **out)
{
    Priors p;
    float ratios[64];
    if (!priors_open(&p, b, n))
        return false;
    int nratios = all_ratios(n, ratios, COUNT(ratios));
    float step = node_float(n, "step", 0), offset = node_float(n, "offset", 0);
    if (!node_int(n, "scale_all_sizes", 1))          /* a part of the image's height; -1: as many as the grid has */
        step = step == -1 ? (float)p.image.v[0] / (float)p.shape.v[0] : step * (float)p.image.v[0];
    p.step_x = step != 0 ? step : (float)p.image.v[1] / (float)p.shape.v[1];
    p.step_y = step != 0 ? step : (float)p.image.v[0] / (float)p.shape.v[0];
    offset = step != 0 ? offset : 0.5f;
    for (int64_t y = 0; y < p.shape.v[0]; y++)
        for (int64_t x = 0; x < p.shape.v[1]; x++) {
            float cx = ((float)x + offset) * p.step_x, cy = ((float)y + offset) * p.step_y;
            p.inside = true;
            if (!dense_boxes(&p, cx, cy))
                return false;
            p.inside = false;
            if (!sized_boxes(&p, cx, cy, nratios, ratios))
                return false;
        }
    return priors_close(&p, out);
}

/* ---- RegionYolo -------------------------------------------------------------------------------------------------- */

/* [N, boxes * (coords + 1 + classes), H, W]: the sigmoid of x, y, of the objectness, and of the classes, or their
 * softmax. */
bool ov_region_yolo(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type;
    bool soft = node_int(n, "do_softmax", 1) != 0;
    const Attr *mask = node_attr(n, "mask");
    int64_t coords = node_int(n, "coords", 4), classes = node_int(n, "classes", 1);
    int64_t boxes = soft ? node_int(n, "num", 1) : mask ? mask->n : 0;
    int64_t each = coords < 1000 && classes < 1 << 20 ? coords + 1 + classes : 1;
    int axis, end;
    if (classes > 1 << 20 || boxes > 1 << 20 || t.rank != 4 || coords < 2 || coords > 1000 || classes < 0 ||
        boxes < 1 || t.dims[1] % each || t.dims[1] / each < boxes) {
        node_error(b, n, "'%s' is %s: it must have 4 dimensions, and channels for %lld boxes of %lld values",
                   n->in[0]->name, type_text(b->c, t), (long long)boxes, (long long)each);
        return false;
    }
    int64_t dims[5] = {t.dims[0], boxes, each, t.dims[2], t.dims[3]};
    Edge *used = boxes * each == t.dims[1] ? n->in[0] : ov_part_of(b, n->in[0], 1, 0, boxes * each);
    Edge *x = ov_to_dims(b, used, 5, dims), *parts[4];
    Attr along = attr_int(b->c, "axis", 2);
    parts[0] = build_op1(b, "Sigmoid", ov_part_of(b, x, 2, 0, 2));
    parts[1] = ov_part_of(b, x, 2, 2, coords);
    parts[2] = build_op1(b, "Sigmoid", ov_part_of(b, x, 2, coords, coords + 1));
    Edge *last = ov_part_of(b, x, 2, coords + 1, each);
    parts[3] = soft ? build_op(b, "Softmax", 1, &last, 1, &along) : build_op1(b, "Sigmoid", last);
    x = ov_joined(b, 4, parts, 2);
    if (!soft) {
        dims[1] = boxes * each;
        dims[2] = t.dims[2];
        dims[3] = t.dims[3];
        out[0] = ov_to_dims(b, x, 4, dims);
        return true;
    }
    if (!node_axis(b, n, node_int(n, "axis", 1), 4, false, &axis) ||
        !node_axis(b, n, node_int(n, "end_axis", 3), 4, false, &end))
        return false;
    int rank = 0;
    dims[1] = boxes * each;
    for (int i = 0; i < 4; i++) {
        int64_t size = i == 1 ? boxes * each : t.dims[i];
        if (i > axis && i <= end)
            dims[rank - 1] *= size;
        else
            dims[rank++] = size;
    }
    out[0] = ov_to_dims(b, x, rank, dims);
    return true;
}

/* ---- CTCGreedyDecoder -------------------------------------------------------------------------------------------- */

/* [T, N, C] and a mask [T, N] to [N, T, 1, 1]: of each step the likeliest class, without the last one, which is blank,
 * and repetitions, up to where the mask ends; compact in front, -1 behind. */
bool ov_ctc_greedy(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type;
    DType dt = t.dt;
    if (t.rank != 3 || t.dims[0] < 1 || t.dims[2] < 1) {
        node_error(b, n, "'%s' is %s: it must have 3 dimensions", n->in[0]->name, type_text(b->c, t));
        return false;
    }
    int64_t steps = t.dims[0], batch = t.dims[1], plan[2] = {steps, batch}, last[4] = {batch, steps, 1, 1},
            one[2] = {1, batch};
    int64_t wide[2] = {steps + 1, batch};
    Attr a[2] = {attr_int(b->c, "axis", 2), attr_int(b->c, "keepdims", 0)}, along = attr_int(b->c, "axis", 0);
    Edge *best = build_op(b, "ArgMax", 1, n->in, 2, a), *zero = ov_number_of(b, DT_I64, 0);
    /* the mask counts up to its first 0 */
    Edge *shut = build_op2(b, "Equal", ov_to_dims(b, n->in[1], 2, plan), ov_number_of(b, n->in[1]->type.dt, 0));
    Edge *gaps = build_op2(b, "CumSum", build_cast(b, shut, DT_I64), zero);
    Edge *keep =
        build_op2(b, "And", build_op2(b, "Equal", gaps, zero),
                  build_op1(b, "Not", build_op2(b, "Equal", best, ov_number_of(b, DT_I64, (double)(t.dims[2] - 1)))));
    if (node_int(n, "ctc_merge_repeated", 1) && steps > 1) {
        Edge *before = ov_joined(b, 2,
                                 (Edge *[]){build_op2(b, "Expand", ov_number_of(b, DT_I64, -1), build_ints(b, 2, one)),
                                            ov_part_of(b, best, 0, 0, steps - 1)},
                                 0);
        keep = build_op2(b, "And", keep, build_op1(b, "Not", build_op2(b, "Equal", best, before)));
    }
    Edge *place =
        build_op2(b, "Sub", build_op2(b, "CumSum", build_cast(b, keep, DT_I64), zero), ov_number_of(b, DT_I64, 1));
    place = build_op(b, "Where", 3, (Edge *[]){keep, place, ov_number_of(b, DT_I64, (double)steps)}, 0, NULL);
    Edge *none = build_op2(b, "Expand", ov_number_of(b, dt, -1), build_ints(b, 2, wide));
    Edge *all = build_op(b, "ScatterElements", 3, (Edge *[]){none, place, build_cast(b, best, dt)}, 1, &along);
    if (edge_poisoned(all))
        return false;
    out[0] = ov_to_dims(b, ov_to_order(b, ov_part_of(b, all, 0, 0, steps), 2, (int64_t[]){1, 0}), 4, last);
    return true;
}
