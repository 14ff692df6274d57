/* What is dropped of boxes that overlap: kernels behind OpenVINO's layers for detection. Corners are low ones, then
 * high ones; boxes are [N, C, K, 4], those of a class sorted, the best first.
 *
 * Kept: a box that is kept drops those behind it that it overlaps by more than the threshold.
 * Decayed: nothing is dropped, but scores sink by what overlaps.
 * Softened: the same step by step: what is taken lowers the scores of the rest, whatever the threshold. */
#include "openvino_ops.h"

/* `overlap` of two boxes: what they share of what they cover. @extent is how much longer a side is than its ends are
 * apart; boxes that do not touch overlap only with @apart. */
#define WIDER(x) "(@extent ? max(" x " + @extent, 0) : max(" x ", 0))"
#define SIDE(at, low, high) WIDER("boxes[" at ", " high "] - boxes[" at ", " low "]")
#define MEET(p, q, low, high) \
    "min(boxes[" p ", " high "], boxes[" q ", " high "]) - max(boxes[" p ", " low "], boxes[" q ", " low "]); "
#define OVERLAP(p, q) \
    "x = " MEET(p, q, "0", "2") "y = " MEET(p, q, "1", "3") \
    "first = " SIDE(p, "0", "2") " * " SIDE(p, "1", "3") "; other = " SIDE(q, "0", "2") " * " SIDE(q, "1", "3") "; " \
    "shared = " WIDER("x") " * " WIDER("y") "; sound = first > 0 && other > 0; " \
    "overlap = (@apart ? sound : sound && x >= 0 && y >= 0) ? shared / (first + other - shared) : 0; "

/* What is asked of a box is the most that one which is kept overlaps it. Then it is 3, or -1 when it is kept. */
void ov_kept(Lower *l)
{
    Type t = l->node->in[0]->type;
    Buf *most = lower_temp(l, "most", DT_F32, 3, t.dims);
    nest(l, "most[]: for n < dim(flags, 0) { for c < dim(flags, 1) { var limit = float(@threshold);"
            "    for i < dim(flags, 2) { most[n, c, i] = -1; }"
            "    for i < dim(flags, 2) { if (flags[n, c, i]) {"
            "        if (@equal ? most[n, c, i] >= limit : most[n, c, i] > limit) { most[n, c, i] = 3; }"
            "        else { most[n, c, i] = -1;"
            "            for j < dim(flags, 2) { if (j > i && flags[n, c, j] && most[n, c, j] <= limit) {"
            OVERLAP("n, c, i", "n, c, j") "most[n, c, j] = max(most[n, c, j], overlap); } }"
            "            if (@eta < 1) { limit = limit > 0.5 ? limit * @eta : limit; } } } } } }", most);
    const Idx *const *at = lower_vars(l, 3, t.dims);
    const Expr *flag = in_at(l, 0, at);
    lower_store(l, l->out[0], formula(l->c, "flag, most: flag && most < 0", flag, expr_load(l->c, most, at)));
}

/* Scores or flags [N, C, K] and their boxes. */
bool ov_kept_infer(Build *b, const Node *n, Type *out)
{
    Type t = n->in[0]->type, x = n->in[1]->type;
    out[0] = t;
    if (t.rank == 3 && x.rank == 4 && x.dims[0] == t.dims[0] && x.dims[1] == t.dims[1] && x.dims[2] == t.dims[2] &&
        x.dims[3] == 4)
        return true;
    node_error(b, n, "flags or scores are %s, boxes %s: they must be [N, C, K] and [N, C, K, 4]", type_text(b->c, t),
               type_text(b->c, x));
    return false;
}

/* Each score by the least that a better box leaves of it: what they overlap against what that one was overlapped. */
void ov_decayed(Lower *l)
{
    Buf *most = lower_temp(l, "most", DT_F32, 3, l->node->in[0]->type.dims);
#define PAIRS(name, start, step) \
    "for n < dim(scores, 0) { for c < dim(scores, 1) { for i < dim(scores, 2) { var " name " = float(" start ");" \
    "    for j < dim(scores, 2) { if (j < i) {" OVERLAP("n, c, i", "n, c, j") step " } } "
    nest(l, "most[]: " PAIRS("best", "0", "best = max(best, overlap);") "most[n, c, i] = best; } } }", most);
    nest(l, "to[], most[]: "
         PAIRS("left", "1", "m = most[n, c, j]; left = min(left, @gaussian ? "
               "exp((m * m - overlap * overlap) * @sigma) : (1 - overlap) / (1 - m + 0.0000000001));")
         "to[n, c, i] = scores[n, c, i] * left; } } }", l->out[0], most);
}

bool ov_softened_infer(Build *b, const Node *n, Type *out)
{
    Type t = n->in[0]->type, x = n->in[1]->type;
    out[0] = t;
    if (t.rank == 3 && x.rank == 3 && x.dims[0] == t.dims[0] && x.dims[1] == t.dims[2] && x.dims[2] == 4)
        return true;
    node_error(b, n, "scores are %s, boxes %s: they must be [N, C, B] and [N, B, 4]", type_text(b->c, t),
               type_text(b->c, x));
    return false;
}

/* Of boxes [N, B, 4] that all classes share, unsorted: the scores of those that are taken, -inf for the others. */
void ov_softened(Lower *l)
{
    Ctx *c = l->c;
    Type t = l->node->in[0]->type;
    Buf *work = lower_temp(l, "work", DT_F32, 4, (int64_t[]){2, t.dims[0], t.dims[1], t.dims[2]});    /* left, taken */
    nest(l, "w[], none: for n < dim(scores, 0) { for c < dim(scores, 1) {"
            "    for b < dim(scores, 2) { s = scores[n, c, b];"
            "        w[0, n, c, b] = s > @limit ? s : none; w[1, n, c, b] = none; }"
            "    for k < @most { var best = int64(0);"
            "        for b < dim(scores, 2) { if (w[0, n, c, b] > w[0, n, c, best]) { best = b; } }"
            "        if (w[0, n, c, best] > @limit) {"
            "            w[1, n, c, best] = w[0, n, c, best]; w[0, n, c, best] = none;"
            "            for b < dim(scores, 2) { if (w[0, n, c, b] > @limit) {" OVERLAP("n, best", "n, b")
            "                w[0, n, c, b] = w[0, n, c, b] * exp(overlap * overlap * (-0.5 / @sigma)); } } } } } }",
         work, expr_float(c, DT_F32, -INFINITY));
    const Idx *const *at = lower_vars(l, 3, t.dims), *place[4] = {idx_const(c, 1), at[0], at[1], at[2]};
    lower_store(l, l->out[0], expr_load(c, work, place));
}
