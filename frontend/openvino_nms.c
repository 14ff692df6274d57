/* NonMaxSuppression of OpenVINO: what is selected stands in front, by score or by image and class; behind it the
 * outputs, of the largest size there can be, hold -1. */
#include "openvino_ops.h"

typedef struct Select {
    int64_t images, classes, boxes, most, rows;      /* most: of a class */
    float limit;                     /* of scores */
    double threshold, sigma;
} Select;

/* Operand k, a single number; absent when left out. */
static bool one_number(Build *b, const Node *n, int k, double absent, double *v)
{
    *v = absent;
    if (k >= n->nin || !n->in[k])
        return true;
    const Tensor *t = n->in[k]->data;
    if (t && type_count(t->type) == 1)
        *v = dtype_is_float(t->type.dt) ? tensor_at_double(t, 0) : (double)tensor_at_int(t, 0);
    else
        node_error(b, n, "input %d must be a single number that is known at compile time", k);
    return t && type_count(t->type) == 1;
}

static bool select_read(Build *b, const Node *n, Select *s)
{
    Type box = n->in[0]->type, score = n->in[1]->type;
    double most, limit, threshold, sigma;
    if (box.rank != 3 || score.rank != 3 || box.dims[2] != 4 || box.dims[0] != score.dims[0] ||
        box.dims[1] != score.dims[2]) {
        node_error(b, n, "boxes are %s, scores %s: they must be [N, B, 4] and [N, C, B]", type_text(b->c, box),
                   type_text(b->c, score));
        return false;
    }
    if (!one_number(b, n, 2, 0, &most) || !one_number(b, n, 3, 0, &threshold) || !one_number(b, n, 4, 0, &limit) ||
        !one_number(b, n, 5, 0, &sigma))
        return false;
    *s = (Select){.images = box.dims[0], .classes = score.dims[1], .boxes = box.dims[1], .limit = (float)limit,
                  .threshold = threshold, .sigma = sigma};
    s->most = most < 0 ? 0 : most < (double)s->boxes ? (int64_t)most : s->boxes;
    s->rows = s->images * s->classes * s->most;
    return true;
}

/* Corners, lower ones first. */
static Edge *corners(Build *b, const Node *n, Edge *x)
{
    int axis = x->type.rank - 1;
    Edge *p = ov_part_of(b, x, axis, 0, 2), *q = ov_part_of(b, x, axis, 2, 4), *both[2];
    if (!strcmp(node_string(n, "box_encoding", "corner"), "center")) {
        q = build_op2(b, "Mul", q, ov_number_of(b, DT_F32, 0.5));
        both[0] = build_op2(b, "Sub", p, q);
        both[1] = build_op2(b, "Add", p, q);
    } else {
        both[0] = build_op2(b, "Min", p, q);
        both[1] = build_op2(b, "Max", p, q);
    }
    return ov_joined(b, 2, both, axis);
}

static Edge *column(Build *b, const Select *s, Edge *x, DType to)
{
    int64_t dims[2] = {s->rows, 1};
    return ov_to_dims(b, build_cast(b, x, to), 2, dims);
}

/* Image, class and `last` of the places at, where they are valid. */
static Edge *rows(Build *b, const Select *s, Edge *at, Edge *last, Edge *valid, DType to)
{
    Edge *per_class = ov_number_of(b, DT_I64, (double)s->boxes);
    Edge *line = build_op2(b, "Div", at, per_class), *classes = ov_number_of(b, DT_I64, (double)s->classes);
    Edge *parts[3] = {column(b, s, build_op2(b, "Div", line, classes), to),
                      column(b, s, build_op2(b, "Mod", line, classes), to), column(b, s, last, to)};
    return ov_where(b, column(b, s, valid, DT_BOOL), ov_joined(b, 3, parts, 1), -1);
}

/* Flags of the boxes that are taken, of each class the best first, their scores and places. */
static Edge *taken(Build *b, const Node *n, const Select *s, Edge **got)
{
    Edge *limit = ov_number_of(b, DT_F32, (double)s->limit), *axis = ov_number_of(b, DT_I64, 2), *score = n->in[1];
    Attr a[3] = {attr_float(b->c, "limit", s->limit), attr_float(b->c, "sigma", (float)s->sigma),
                 attr_int(b->c, "most", s->most)};
    Attr kept_by[2] = {attr_float(b->c, "threshold", (float)s->threshold), attr_int(b->c, "equal", 1)};
    if (s->sigma > 0)
        score = build_op(b, "openvino::Softened", 2, (Edge *[]){score, corners(b, n, n->in[0])}, 3, a);
    ov_best(b, ov_where(b, build_op2(b, "Greater", score, limit), score, -INFINITY), s->boxes, true, got);
    if (edge_poisoned(got[0]))
        return got[0];
    Edge *flags = build_op2(b, "Greater", got[0], limit);
    if (s->sigma > 0)
        return flags;
    Edge *box = corners(b, n, ov_gathered(b, n->in[0], got[1], 1));
    Edge *kept = build_op(b, "openvino::Kept", 2, (Edge *[]){flags, box}, 2, kept_by);
    Edge *rank = build_op2(b, "CumSum", build_cast(b, kept, DT_I64), axis);
    return build_op2(b, "And", kept, build_op2(b, "LessOrEqual", rank, ov_number_of(b, DT_I64, (double)s->most)));
}

bool ov_nms(Build *b, const Node *n, Edge **out)
{
    Select s;
    Edge *got[2], *best[2];
    DType to = (DType)node_int(n, "output_type", DT_I64);
    if (!select_read(b, n, &s))
        return false;
    int64_t all = s.images * s.classes * s.boxes, none[2] = {0, 3}, one = 1;
    if (!s.rows) {
        out[0] = build_const(b, NULL, tensor_new(b->c, type_make(b->c, to, 2, none)), b->loc);
        if (n->nout > 1) {
            out[1] = build_const(b, NULL, tensor_new(b->c, type_make(b->c, DT_F32, 2, none)), b->loc);
            out[2] = build_const(b, NULL, tensor_new(b->c, type_make(b->c, to, 1, &one)), b->loc);
        }
        return true;
    }
    Edge *limit = ov_number_of(b, DT_F32, (double)s.limit), *kept = taken(b, n, &s, got);
    if (edge_poisoned(kept))
        return false;
    Edge *key = ov_where(b, kept, got[0], -INFINITY);
    bool sorted = node_int(n, "sort_result_descending", 1) != 0;
    if (!sorted) {                   /* by place: as they stand, the kept ones in front */
        Tensor *t = tensor_new(b->c, type_make(b->c, DT_I64, 3, n->in[1]->type.dims));
        for (int64_t i = 0; i < all; i++)
            ((int64_t *)(uintptr_t)t->data)[i] = i;
        key = ov_where(b, kept, build_const(b, NULL, t, b->loc), (double)all);
    }
    ov_best(b, ov_to_dims(b, key, 1, &all), s.rows, sorted, best);
    if (edge_poisoned(best[0]))
        return false;
    Edge *valid = sorted ? build_op2(b, "Greater", best[0], limit)
                         : build_op2(b, "Less", best[0], ov_number_of(b, DT_I64, (double)all));
    Edge *places = ov_gathered(b, ov_to_dims(b, got[1], 1, &all), best[1], 0);
    out[0] = rows(b, &s, best[1], places, valid, to);
    if (n->nout < 2)
        return true;
    Attr keep = attr_int(b->c, "keepdims", 1);
    out[1] = rows(b, &s, best[1], ov_gathered(b, ov_to_dims(b, got[0], 1, &all), best[1], 0), valid, DT_F32);
    Edge *count = build_op(b, "ReduceSum", 1, (Edge *[]){build_cast(b, valid, DT_I64)}, 1, &keep);
    out[2] = build_cast(b, count, to);
    return true;
}
