/* DetectionOutput: boxes decoded from priors, for each class the best ones sorted and those that overlap a better one
 * dropped, the best of all classes kept. All of it is a composition but for the dropping, a kernel of its own (Kept).
 */
#include "openvino_ops.h"

/* ---- DetectionOutput --------------------------------------------------------------------------------------------- */

typedef struct Detect {
    Build *b;
    const Node *n;
    int64_t images, priors, classes, each, all;      /* each, all: boxes kept of a class, of an image */
    float threshold;
} Detect;

static Edge *clipped(const Detect *d, Edge *x)
{
    return build_op(d->b, "Clip", 3, (Edge *[]){x, ov_number_of(d->b, DT_F32, 0), ov_number_of(d->b, DT_F32, 1)}, 0,
                    NULL);
}

/* [N, P, 4]: what the network says of the priors, as corners. */
static Edge *decoded(const Detect *d)
{
    Build *b = d->b;
    const Node *n = d->n;
    Type t = n->in[2]->type;
    bool within = node_int(n, "variance_encoded_in_target", 0) != 0;
    bool corner = !strcmp(node_string(n, "code_type", ""), "caffe.priorboxparameter.corner");
    int64_t halves = within ? 1 : 2, dims[4] = {t.dims[0], halves, d->priors, 4}, flat[3] = {t.dims[0], d->priors, 4};
    int64_t boxes[3] = {d->images, d->priors, 4};
    Edge *both = ov_to_dims(b, n->in[2], 4, dims), *prior = ov_to_dims(b, ov_part_of(b, both, 1, 0, 1), 3, flat);
    Edge *x = ov_to_dims(b, n->in[0], 3, boxes);
    if (!within)
        x = build_op2(b, "Mul", x, ov_to_dims(b, ov_part_of(b, both, 1, 1, 2), 3, flat));
    if (corner)
        return build_op2(b, "Add", prior, x);
    Edge *low = ov_part_of(b, prior, 2, 0, 2), *high = ov_part_of(b, prior, 2, 2, 4),
         *size = build_op2(b, "Sub", high, low);
    Edge *middle = build_op2(b, "Mul", build_op2(b, "Add", low, high), ov_number_of(b, DT_F32, 0.5));
    middle = build_op2(b, "Add", build_op2(b, "Mul", ov_part_of(b, x, 2, 0, 2), size), middle);
    Edge *half = build_op2(b, "Mul", build_op2(b, "Mul", build_op1(b, "Exp", ov_part_of(b, x, 2, 2, 4)), size),
                           ov_number_of(b, DT_F32, 0.5));
    return ov_joined(b, 2, (Edge *[]){build_op2(b, "Sub", middle, half), build_op2(b, "Add", middle, half)}, 2);
}

/* For each class its best boxes without those that overlap better ones: scores [N, C * K], -1 where there is none, and
 * corners [N, C * K, 4]. */
static bool by_class(const Detect *d, Edge **scores, Edge **corners)
{
    Build *b = d->b;
    const Node *n = d->n;
    int64_t plan[3] = {d->images, d->priors, d->classes}, none = node_int(n, "background_label_id", 0);
    int64_t flat[3] = {d->images, d->classes * d->each, 4};
    Edge *boxes = decoded(d), *got[2], *limit = ov_number_of(b, DT_F32, (double)d->threshold);
    if (node_int(n, "clip_before_nms", 0))
        boxes = clipped(d, boxes);
    Edge *s = ov_to_order(b, ov_to_dims(b, n->in[1], 3, plan), 3, (int64_t[]){0, 2, 1});
    s = ov_where(b, build_op2(b, "Greater", s, limit), s, -INFINITY);
    if (none >= 0 && none < d->classes) {
        int64_t shape[3] = {1, d->classes, 1};
        Tensor *t = tensor_new(b->c, type_make(b->c, DT_BOOL, 3, shape));
        for (int64_t i = 0; i < d->classes; i++)
            ((unsigned char *)(uintptr_t)t->data)[i] = i != none;
        s = ov_where(b, build_const(b, NULL, t, b->loc), s, -INFINITY);
    }
    ov_best(b, s, d->each, true, got);
    if (edge_poisoned(got[1]) || edge_poisoned(boxes))
        return false;
    Edge *at = ov_gathered(b, boxes, got[1], 1);
    Attr most = attr_float(b->c, "threshold", node_float(n, "nms_threshold", 0));
    Edge *keep = build_op(b, "openvino::Kept", 2, (Edge *[]){build_op2(b, "Greater", got[0], limit), at}, 1, &most);
    *scores = ov_to_dims(b, ov_where(b, keep, got[0], -INFINITY), 2, flat);
    *corners = ov_to_dims(b, at, 3, flat);
    return !edge_poisoned(*scores) && !edge_poisoned(*corners);
}

/* Rows in the order of image, class, score: (image, class, score, corners); behind the last one -1, then zeros. */
static Edge *rows(const Detect *d, Edge *scores, Edge *corners, int64_t count)
{
    Build *b = d->b;
    int64_t span = d->classes * d->each, none = d->images * span, dims[2] = {d->images, 1}, kept = d->images * d->all;
    Edge *got[2], *first[2], *limit = ov_number_of(b, DT_F32, (double)d->threshold);
    Tensor *t = tensor_new(b->c, type_make(b->c, DT_I64, 2, dims));
    for (int64_t i = 0; i < d->images; i++)
        ((int64_t *)(uintptr_t)t->data)[i] = i * span;
    ov_best(b, scores, d->all, true, got);
    if (edge_poisoned(got[0]))
        return got[0];
    Edge *key = ov_where(b, build_op2(b, "Greater", got[0], limit),
                         build_op2(b, "Add", got[1], build_const(b, NULL, t, b->loc)), (double)none);
    ov_best(b, ov_to_dims(b, key, 1, &kept), kept, false, first);
    if (edge_poisoned(first[0]))
        return first[0];
    Edge *valid = build_op2(b, "Less", first[0], ov_number_of(b, DT_I64, (double)none));
    Edge *at = ov_where(b, valid, first[0], 0);
    Edge *cells = ov_to_dims(b, corners, 2, (int64_t[]){none, 4});
    Edge *box = ov_gathered(b, cells, at, 0), *score = ov_gathered(b, ov_to_dims(b, scores, 1, &none), at, 0);
    if (node_int(d->n, "clip_after_nms", 0))
        box = clipped(d, box);
    Edge *image = build_op2(b, "Div", at, ov_number_of(b, DT_I64, (double)span));
    Edge *label = build_op2(b, "Div", build_op2(b, "Mod", at, ov_number_of(b, DT_I64, (double)span)),
                            ov_number_of(b, DT_I64, (double)d->each));
    int64_t thin[2] = {kept, 1};
    Edge *parts[4] = {ov_to_dims(b, build_cast(b, image, DT_F32), 2, thin),
                      ov_to_dims(b, build_cast(b, label, DT_F32), 2, thin), ov_to_dims(b, score, 2, thin), box};
    Edge *all = ov_where(b, ov_to_dims(b, valid, 2, thin), ov_joined(b, 4, parts, 1), 0);
    int64_t behind[4] = {0, 0, count - kept, 0}, shape[4] = {1, 1, count, 7}, line[2] = {count, 1}, row[2] = {1, 7};
    if (behind[2])
        all = build_op2(b, "Pad", all, build_ints(b, 4, behind));
    Tensor *places = tensor_new(b->c, type_make(b->c, DT_I64, 2, line)),
           *head = tensor_new(b->c, type_make(b->c, DT_BOOL, 2, row));
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)(uintptr_t)places->data)[i] = i;
    *(unsigned char *)(uintptr_t)head->data = 1;
    Attr flat = attr_int(b->c, "keepdims", 0);
    Edge *found = build_op(b, "ReduceSum", 1, (Edge *[]){build_cast(b, valid, DT_I64)}, 1, &flat);
    Edge *end = build_op2(b, "And", build_op2(b, "Equal", build_const(b, NULL, places, b->loc), found),
                          build_const(b, NULL, head, b->loc));
    all = ov_where(b, build_op1(b, "Not", end), all, -1);
    return ov_to_dims(b, all, 4, shape);
}

bool ov_detection_output(Build *b, const Node *n, Edge **out)
{
    const Attr *keep = node_attr(n, "keep_top_k");
    Type box = n->in[0]->type, score = n->in[1]->type, prior = n->in[2]->type;
    Detect d = {.b = b, .n = n, .threshold = node_float(n, "confidence_threshold", 0)};
    if (!node_int(n, "share_location", 1) || !node_int(n, "normalized", 0) || node_int(n, "decrease_label_id", 0) ||
        (n->nin > 3 && n->in[3])) {
        node_error(b, n,
                   "it is supported with share_location, normalized priors, no decrease_label_id and three inputs");
        return false;
    }
    int64_t halves = node_int(n, "variance_encoded_in_target", 0) ? 1 : 2;
    bool fits = box.rank == 2 && score.rank == 2 && prior.rank == 3 && box.dims[0] == score.dims[0] &&
                box.dims[1] > 0 && box.dims[1] % 4 == 0 && prior.dims[1] == halves && prior.dims[2] == box.dims[1] &&
                (prior.dims[0] == 1 || prior.dims[0] == box.dims[0]);
    d.images = box.dims[0];
    d.priors = fits ? box.dims[1] / 4 : 1;
    d.classes = fits ? score.dims[1] / d.priors : 0;
    if (!fits || d.images < 1 || d.classes < 1 || d.classes * d.priors != score.dims[1]) {
        node_error(b, n, "box is %s, confidence %s, priors %s: they must be [N, 4 * P], [N, P * C] and [1, %d, 4 * P]",
                   type_text(b->c, box), type_text(b->c, score), type_text(b->c, prior), (int)halves);
        return false;
    }
    int64_t top = node_int(n, "top_k", -1), most = keep && keep->n ? keep->ints[0] : -1;
    if (top > INT_MAX || most > INT_MAX || d.images > INT_MAX || d.classes > INT_MAX) {
        node_error(b, n, "top_k or keep_top_k is too large");
        return false;
    }
    d.each = top > 0 && top < d.priors ? top : d.priors;
    int64_t rooms = most > 0 ? most : top > 0 ? top * d.classes : d.priors * d.classes;
    d.all = rooms < d.classes * d.each ? rooms : d.classes * d.each;
    Edge *scores, *corners;
    if (!by_class(&d, &scores, &corners))
        return false;
    out[0] = rows(&d, scores, corners, d.images * rooms);
    return true;
}
