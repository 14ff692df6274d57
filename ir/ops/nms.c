/* NonMaxSuppression: for each class of each image the best box that is left is taken, then every box that overlaps it
 * too much is dropped, until as many are taken as are allowed. What becomes of a box is one number: 0 while it is left,
 * -1 when it is dropped, else when it was taken, from 1 on. The result is read from those numbers. */
#include "meaning.h"

/* How many boxes a class may have at most. */
static int64_t most_boxes(const Node *n)
{
    const Tensor *most = arg_known(n, 2);
    int64_t boxes = arg_type(n, 0).dims[1], given = most ? tensor_at_int(most, 0) : arg(n, 2) ? boxes : 0;
    return given < 0 ? 0 : given < boxes ? given : boxes;
}

bool nms_infer(Build *b, const Node *n, Type *out)
{
    Type boxes = arg_type(n, 0), scores = arg_type(n, 1);
    bool fits = boxes.rank == 3 && scores.rank == 3 && boxes.dims[2] == 4 && boxes.dims[0] == scores.dims[0] &&
                boxes.dims[1] == scores.dims[2];
    for (int k = 2; k < 5; k++)
        fits = fits && (!arg(n, k) || type_count(arg_type(n, k)) == 1);
    int64_t center = node_int(n, "center_point_box", 0), count;
    if (!fits || (center != 0 && center != 1))
        return node_error(b, n, "boxes is %s, scores is %s, center_point_box = %lld: they must be [N, B, 4], [N, C, B] "
                          "and 0 or 1, the thresholds single numbers", type_text(b->c, boxes), type_text(b->c, scores),
                          (long long)center);
    const int64_t all[3] = {scores.dims[0], scores.dims[1], most_boxes(n)};
    if (!dims_count(3, all, &count))
        count = INT64_MAX; /* make_type says so */
    return make_type(b, n, out, 0, DT_I64, 2, (int64_t[]){count, 3});
}

/* Of box `at` the sides BOX0, BOX1, from low to high, and the area. */
#define SIDE(box, at, d) \
    box #d "low = @center_point_box ? boxes[n, " at ", " #d "] - boxes[n, " at ", 2 + " #d "] * 0.5 : " \
    "min(boxes[n, " at ", " #d "], boxes[n, " at ", 2 + " #d "]); " \
    box #d "high = @center_point_box ? boxes[n, " at ", " #d "] + boxes[n, " at ", 2 + " #d "] * 0.5 : " \
    "max(boxes[n, " at ", " #d "], boxes[n, " at ", 2 + " #d "]); "
#define BOX(box, at) \
    SIDE(box, at, 0) SIDE(box, at, 1) \
    box "area = (" box "0high - " box "0low) * (" box "1high - " box "1low); "

void nms(Lower *l)
{
    Ctx *c = l->c;
    Type scores = in_type(l, 1);
    const int64_t steps = most_boxes(l->node);
    if (steps == 0 || type_count(scores) == 0 || type_count(out_type(l, 0)) == 0) {
        true_dims(l, 0, 0, i64(c, 0));
        lower_store(l, l->out[0], i64(c, 0));
        return;
    }
    Buf *state = lower_temp(l, "state", steps <= INT16_MAX ? DT_I16 : DT_I32, 3, scores.dims);
    nest(l, "state[], steps: for n < dim(scores, 0) { for class < dim(scores, 1) {"
            "    for b < dim(scores, 2) { state[n, class, b] = 0; }"
            "    for k < steps { if (k < max_output_boxes_per_class[0]) {"
            "        var best = int64(-1); var top = float(0);"
            "        for b < dim(scores, 2) {"
            "            score = scores[n, class, b];"
            "            enough = given(score_threshold) ? score > score_threshold[0] : 1;"
            "            if (state[n, class, b] == 0 && enough && (best < 0 || score > top)) {"
            "                top = score; best = b; } }"
            "        if (best >= 0) {"
            "            state[n, class, best] = k + 1;"
            "            for b < dim(scores, 2) {" BOX("p", "best") BOX("q", "b")
            "                x = min(p0high, q0high) - max(p0low, q0low); y = min(p1high, q1high) - max(p1low, q1low);"
            "                covered = parea + qarea - x * y; most = given(iou_threshold) ? iou_threshold[0] : 0;"
            "                sound = x > 0 && y > 0 && parea > 0 && qarea > 0 && covered > 0;"
            "                if (state[n, class, b] == 0 && sound && x * y / covered > most) {"
            "                    state[n, class, b] = -1; } } } } } } }", state, i64(c, steps));
    Sweep w;
    sweep_open(c, &w, 3, scores.dims);
    const Expr *count = true_dims(l, 0, 0, count_of(c, &w, formula(c, "a > 0", expr_load(c, state, w.i))));
    /* those of one class in the order in which they were taken */
    nest(l, "to[], state[], steps, count: var row = int64(0);"
            "for n < dim(scores, 0) { for class < dim(scores, 1) { for k < steps { for b < dim(scores, 2) {"
            "    if (int64(state[n, class, b]) == k + 1 && row < count) {"
            "        to[row, 0] = n; to[row, 1] = class; to[row, 2] = b; row = row + 1; } } } } }",
         l->out[0], state, i64(c, steps), count);
}
