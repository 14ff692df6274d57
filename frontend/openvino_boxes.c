/* DetectionOutput: boxes decoded from priors, for each class the best ones sorted and those that overlap a better one
 * dropped, the best of all classes kept. All of it is a composition but for the dropping, a kernel of its own (Kept).
 */
#include "openvino_ops.h"

/* ---- Kept: [N, C, K] flags of boxes, best first; a box that is kept drops those behind that overlap it too much ----
 */

typedef struct Box { const Expr *low[2], *high[2], *area; } Box;

static Box box_at(Lower *l, const Idx *const *at)
{
    Ctx *c = l->c;
    Box b;
    const Expr *zero = expr_float(c, DT_F32, 0), *side[2];
    for (int d = 0; d < 2; d++) {
        const Idx *low[4] = {at[0], at[1], at[2], idx_const(c, d)},
                  *high[4] = {at[0], at[1], at[2], idx_const(c, d + 2)};
        b.low[d] = in_at(l, 1, low);
        b.high[d] = in_at(l, 1, high);
        side[d] = expr_op2(c, OP_max, expr_op2(c, OP_sub, b.high[d], b.low[d]), zero);
    }
    b.area = expr_op2(c, OP_mul, side[0], side[1]);
    return b;
}

/* What they share is more than the threshold of what they cover together. */
static const Expr *overlap(Lower *l, Box p, Box q)
{
    Ctx *c = l->c;
    const Expr *zero = expr_float(c, DT_F32, 0), *side[2];
    for (int d = 0; d < 2; d++)
        side[d] = expr_op2(c, OP_max, expr_op2(c, OP_sub, expr_op2(c, OP_min, p.high[d], q.high[d]),
                                               expr_op2(c, OP_max, p.low[d], q.low[d])), zero);
    const Expr *shared = expr_op2(c, OP_mul, side[0], side[1]);
    const Expr *covered = expr_op2(c, OP_sub, expr_op2(c, OP_add, p.area, q.area), shared);
    const Expr *most = expr_float(c, DT_F32, (double)node_float(l->node, "threshold", 0));
    return expr_op2(c, OP_and, expr_op2(c, OP_gt, covered, zero),
                    expr_op2(c, OP_gt, expr_op2(c, OP_div, shared, covered), most));
}

void ov_kept(Lower *l)
{
    Ctx *c = l->c;
    Type t = l->node->in[0]->type;
    Buf *out = l->out[0];
    const Idx *const *place = lower_vars(l, 3, t.dims);
    lower_store(l, out, in_at(l, 0, place));
    int vars[4];
    const Idx *i[4];
    for (int k = 0; k < 4; k++) {
        int64_t extent = t.dims[k < 3 ? k : 2];
        vars[k] = var_new(c);
        i[k] = idx_var(c, vars[k], extent);
    }
    const Idx *other[3] = {i[0], i[1], i[3]};
    const Expr *here = expr_load_version(c, out, i, 1), *there = expr_load_version(c, out, other, 1);
    const Expr *behind = expr_op2(c, OP_gt, expr_index(c, i[3]), expr_index(c, i[2]));
    const Stmt *drop = stmt_store(c, out, other, expr_int(c, DT_BOOL, 0));
    drop =
        stmt_if(c, expr_op2(c, OP_and, expr_op2(c, OP_and, behind, there), overlap(l, box_at(l, i), box_at(l, other))),
                drop, NULL);
    const Stmt *all = stmt_if(c, here, stmt_for(c, vars[3], t.dims[2], drop), NULL);
    for (int k = 2; k >= 0; k--)
        all = stmt_for(c, vars[k], t.dims[k], all);
    lower_nest(l, out, all);
}

bool ov_kept_infer(Build *b, const Node *n, Type *out)
{
    Type t = n->in[0]->type, x = n->in[1]->type;
    out[0] = t;
    if (t.rank == 3 && x.rank == 4 && x.dims[0] == t.dims[0] && x.dims[1] == t.dims[1] && x.dims[2] == t.dims[2] &&
        x.dims[3] == 4)
        return true;
    node_error(b, n, "flags are %s, boxes %s: they must be [N, C, K] and [N, C, K, 4]", type_text(b->c, t),
               type_text(b->c, x));
    return false;
}

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
