/* DetectionOutput: what must hold of its shapes and attributes; what it means stands in openvino.def (Detected). */
#include "openvino_ops.h"

static bool box_shapes(Build *b, const Node *n)
{
    Type box = n->in[0]->type, score = n->in[1]->type, prior = n->in[2]->type;
    int64_t halves = node_int(n, "variance_encoded_in_target", 0) ? 1 : 2, size = node_int(n, "normalized", 0) ? 4 : 5;
    bool fits = box.rank == 2 && score.rank == 2 && prior.rank == 3 && box.dims[0] == score.dims[0] &&
                box.dims[0] > 0 && prior.dims[1] == halves && prior.dims[2] > 0 && prior.dims[2] % size == 0 &&
                (prior.dims[0] == 1 || prior.dims[0] == box.dims[0]);
    int64_t priors = fits ? prior.dims[2] / size : 1, classes = fits ? score.dims[1] / priors : 0;
    int64_t each = node_int(n, "share_location", 1) ? 4 : 4 * classes;
    if (fits && classes > 0 && classes * priors == score.dims[1] && box.dims[1] == each * priors)
        return true;
    node_error(b, n, "box is %s, confidence %s, priors %s: they must be [N, %s * P], [N, P * C] and [1, %d, %d * P]",
               type_text(b->c, box), type_text(b->c, score), type_text(b->c, prior),
               node_int(n, "share_location", 1) ? "4" : "4 * C", (int)halves, (int)size);
    return false;
}

/* The two operands behind them, of a network that looks twice: whether there is an object, and a first guess. */
static bool arm_shapes(Build *b, const Node *n)
{
    Edge *confidence = n->nin > 3 ? n->in[3] : NULL, *box = n->nin > 4 ? n->in[4] : NULL;
    Type t = n->in[0]->type, prior = n->in[2]->type;
    if (!confidence && !box)
        return true;
    int64_t priors = prior.dims[2] / (node_int(n, "normalized", 0) ? 4 : 5);
    if (confidence && box && type_same(box->type, t) && confidence->type.rank == 2 &&
        confidence->type.dims[0] == t.dims[0] && confidence->type.dims[1] == 2 * priors)
        return true;
    node_error(b, n, "input 3 must be [N, 2 * P], input 4 as input 0, which is %s, or both left out",
               type_text(b->c, t));
    return false;
}

bool ov_detection_output(Build *b, const Node *n, Edge **out)
{
    enum { MOST = 1 << 30 };
    const Attr *keep = node_attr(n, "keep_top_k");
    int64_t top = node_int(n, "top_k", -1), most = keep && keep->n ? keep->ints[0] : -1;
    if (!box_shapes(b, n) || !arm_shapes(b, n))
        return false;
    if (top > MOST || most > MOST || node_int(n, "input_width", 1) < 1 || node_int(n, "input_height", 1) < 1) {
        node_error(b, n, "top_k, keep_top_k or the input's size is not possible");
        return false;
    }
    out[0] = build_op(b, "openvino::Detected", n->nin, n->in, n->nattrs, n->attrs);
    return true;
}
