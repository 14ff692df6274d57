/* Layers of OpenVINO that follow paths through time: beams traced back (GatherTree), and the probability of all ways to
 * spell a target (CTCLoss). */
#include "openvino_ops.h"

bool ov_tree_infer(Build *b, const Node *n, Type *out)
{
    Type t = n->in[0]->type, p = n->in[1]->type, lengths = n->in[2]->type;
    out[0] = t;
    if (t.rank == 3 && p.rank == 3 && p.dims[0] == t.dims[0] && p.dims[1] == t.dims[1] && p.dims[2] == t.dims[2] &&
        lengths.rank == 1 && lengths.dims[0] == t.dims[1] && type_count(n->in[3]->type) == 1)
        return true;
    return node_error(b, n, "step_ids is %s, parent_idx %s, max_seq_len %s: they must be [T, B, W], [T, B, W], [B], "
                      "the end token a single number", type_text(b->c, t), type_text(b->c, p),
                      type_text(b->c, lengths));
}

/* From the last step of a beam back to the first; what stands behind the end token is the end token. */
void ov_tree(Lower *l)
{
    Type t = l->node->in[0]->type;
    nest(l, "y[], steps: end = end_token[0]; for b < dim(step_ids, 1) { for w < dim(step_ids, 2) {"
            "    length = int64(max_seq_len[b]); var beam = int64(w); var over = int64(0);"
            "    for k < steps {"
            "        t = steps - 1 - k;"
            "        y[t, b, w] = end;"
            "        if (t < length) { y[t, b, w] = step_ids[t, b, beam]; beam = int64(parent_idx[t, b, beam]); } }"
            "    for t < steps {"
            "        if (over != 0) { y[t, b, w] = end; }"
            "        if (y[t, b, w] == end) { over = 1; } } } }",
         l->out[0], expr_int(l->c, DT_I64, t.dims[0]));
}

bool ov_spelled_infer(Build *b, const Node *n, Type *out)
{
    Type x = n->in[0]->type, lengths = n->in[1]->type, labels = n->in[2]->type, counts = n->in[3]->type;
    bool fits = x.rank == 3 && lengths.rank == 1 && labels.rank == 2 && counts.rank == 1 && x.dims[2] > 0 &&
                lengths.dims[0] == x.dims[0] && labels.dims[0] == x.dims[0] && counts.dims[0] == x.dims[0] &&
                (n->nin < 5 || !n->in[4] || type_count(n->in[4]->type) == 1);
    if (!fits)
        return node_error(b, n, "logits is %s, logit_length %s, labels %s, label_length %s: they must be [N, T, C], "
                          "[N], [N, T], [N], the blank index a single number", type_text(b->c, x),
                          type_text(b->c, lengths), type_text(b->c, labels), type_text(b->c, counts));
    out[0] = type_make(b->c, x.dt, 1, x.dims);
    return true;
}

/* The forward algorithm in logarithms. Its states are the labels and the blanks around them: 2k is the blank in front
 * of label k, 2k + 1 that label. A label is entered from the blank in front of it or from the label before; it may last
 * when repetitions are merged, but is then not entered from an equal label. */
void ov_spelled(Lower *l)
{
    Ctx *c = l->c;
    Type x = l->node->in[0]->type, labels = l->node->in[2]->type;
    int64_t most = labels.dims[1], states = 2 * most + 1;
    Buf *target = lower_temp(l, "target", DT_I64, 2, (int64_t[]){x.dims[0], most + 1});
    Buf *way = lower_temp(l, "way", x.dt, 2, (int64_t[]){x.dims[0], states});
    const Expr *never = expr_float(c, x.dt, -INFINITY), *last = expr_int(c, DT_I64, most);
    /* the labels that count, their number behind them */
    nest(l, "target[], most: for n < dim(labels, 0) { var count = int64(0);"
            "    for i < most { target[n, i] = 0; }"
            "    for i < most { if (i < int64(label_length[n])) {"
            "        var here = int64(labels[n, i]); var known = int64(0);"
            "        for k < most { if (k < count && target[n, k] == here) {"
            "            if (@unique || (@preprocess_collapse_repeated && k == count - 1)) { known = 1; } } }"
            "        if (known == 0) { target[n, count] = here; count = count + 1; } } }"
            "    target[n, most] = count; }", target, last);
    nest(l, "way[], target[], most, states, never: for n < dim(logits, 0) {"
            "    blank = given(blank_index) ? int64(blank_index[0]) : dim(logits, 2) - 1;"
            "    for s < states { way[n, s] = never; }"
            "    way[n, 0] = 0;"
            "    for t < dim(logits, 1) { if (t < int64(logit_length[n])) { for k < states {"
            "        var s = int64(states - 1 - k); j = (s - 1) / 2; label = s - s / 2 * 2 == 1;"
            "        if (s <= 2 * target[n, most]) {"
            "            var stay = way[n, s]; var step = never; var skip = never;"
            "            if (label && @ctc_merge_repeated == 0) { stay = never; }"
            "            if (s > 0) { step = way[n, s - 1]; }"
            "            if (label && s > 1) { if (@ctc_merge_repeated == 0 || target[n, j] != target[n, j - 1]) {"
            "                skip = way[n, s - 2]; } }"
            "            top = max(max(stay, step), skip);"
            "            var sum = top;"
            "            if (top > never) { sum = top + log(exp(stay - top) + exp(step - top) + exp(skip - top)); }"
            "            way[n, s] = sum + logits[n, t, label ? target[n, j] : blank]; } } } } }",
         way, target, last, expr_int(c, DT_I64, states), never);
    nest(l, "y[], way[], target[], most, never: for n < dim(logits, 0) {"
            "    count = target[n, most]; var p = way[n, 2 * count]; var q = never;"
            "    if (count > 0) { q = way[n, 2 * count - 1]; }"
            "    top = max(p, q);"
            "    var sum = top;"
            "    if (top > never) { sum = top + log(exp(p - top) + exp(q - top)); }"
            "    y[n] = -sum; }", l->out[0], way, target, last, never);
}
