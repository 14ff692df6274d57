/* Layers of OpenVINO that move elements, and those whose operands ONNX has as attributes. What is an operand there and
 * an attribute here must be known at compile time. */
#include "openvino_ops.h"

/* "pdpd": B stands at `axis` of A, trailing ones left out. */
bool ov_aligned(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type, a = n->in[1]->type;
    int64_t axis = node_int(n, "axis", -1), dims[MAX_RANK];
    int rank = t.rank;
    if (axis < 0)
        axis = a.rank - t.rank;
    while (rank > 1 && t.dims[rank - 1] == 1)
        rank--;
    if (axis < 0 || axis + rank > a.rank) {
        node_error(b, n, "%s does not fit into %s at axis %lld", type_text(b->c, t), type_text(b->c, a),
                   (long long)axis);
        return false;
    }
    for (int i = 0; i < a.rank - axis; i++)
        dims[i] = i < rank ? t.dims[i] : 1;
    out[0] = ov_to_dims(b, n->in[0], a.rank - (int)axis, dims);
    return true;
}

bool ov_namesake(Build *b, const Node *n, Edge **out)
{
    build_op_n(b, n->sig->name, n->nin, n->in, n->nattrs, n->attrs, n->nout, out);
    return true;
}

bool ov_transpose(Build *b, const Node *n, Edge **out)
{
    int rank = n->in[0]->type.rank;
    Ints order;
    if (!ov_known_ints(b, n, 1, &order))
        return false;
    for (int i = 0; !order.n && i < rank; i++)
        order.v[i] = rank - 1 - i;
    if (order.n && order.n != rank) {
        node_error(b, n, "the order has %d axes, '%s' has %d", order.n, n->in[0]->name, rank);
        return false;
    }
    out[0] = ov_to_order(b, n->in[0], rank, order.v);
    return true;
}

bool ov_split(Build *b, const Node *n, Edge **out)
{
    Ints axis;
    if (!ov_known_axes(b, n, 1, n->in[0]->type.rank, &axis))
        return false;
    Attr a[2] = {attr_int(b->c, "axis", axis.n ? axis.v[0] : 0),
                 attr_int(b->c, "num_outputs", node_int(n, "num_splits", 1))};
    int64_t parts = a[1].i, size = n->in[0]->type.rank ? n->in[0]->type.dims[a[0].i] : 0;
    if (parts < 1 || size % parts || parts != n->nout) {
        node_error(b, n,
                   "num_splits = %lld: axis %lld of '%s', %s, must be a multiple of it, and the layer have as many "
                   "outputs",
                   (long long)parts, (long long)a[0].i, n->in[0]->name, type_text(b->c, n->in[0]->type));
        return false;
    }
    build_op_n(b, "Split", 1, n->in, 2, a, n->nout, out);
    return true;
}

/* Its lengths, of which one may be -1: what is left. They may be many. NULL: at fault, which was reported. */
static int64_t *split_lengths(Build *b, const Node *n, int64_t size)
{
    const Tensor *t = n->nin > 2 && n->in[2] ? n->in[2]->data : NULL;
    int64_t left = size;
    int open = -1;
    if (!t || type_count(t->type) != n->nout) {
        node_error(b, n, t ? "%lld lengths are given for %d outputs" : "input 2 must be known at compile time",
                   (long long)(t ? type_count(t->type) : 0), n->nout);
        return NULL;
    }
    int64_t *to = NEW_N(b->c, int64_t, n->nout);
    for (int i = 0; i < n->nout; i++) {
        to[i] = tensor_at_int(t, i);
        if (to[i] == -1 && open < 0)
            open = i;
        else if (to[i] < 0 || to[i] > left) {
            node_error(b, n, to[i] == -1 ? "more than one length is -1" : "length %lld is negative, or more than what "
                       "is left of %lld elements", (long long)to[i], (long long)size);
            return NULL;
        } else
            left -= to[i];
    }
    if (open >= 0)
        to[open] = left;
    return to;
}

bool ov_variadic_split(Build *b, const Node *n, Edge **out)
{
    Ints axis;
    if (!ov_known_axes(b, n, 1, n->in[0]->type.rank, &axis))
        return false;
    if (!n->in[0]->type.rank) {
        node_error(b, n, "'%s' is a scalar: there is nothing to split", n->in[0]->name);
        return false;
    }
    Attr a = attr_int(b->c, "axis", axis.n ? axis.v[0] : 0);
    const int64_t *lengths = split_lengths(b, n, n->in[0]->type.dims[a.i]);
    if (!lengths)
        return false;
    Edge *in[2] = {n->in[0], build_ints(b, n->nout, lengths)};
    build_op_n(b, "Split", 2, in, 1, &a, n->nout, out);
    return true;
}

/* ---- StridedSlice ------------------------------------------------------------------------------------------------ */

typedef struct Strided {
    Ints begin, end, stride, masks[5];           /* masks: begin, end, new axis, shrink, ellipsis */
    int nslices, nafter;
    int64_t axes[MAX_RANK], from[MAX_RANK], to[MAX_RANK], step[MAX_RANK], after[MAX_RANK];
} Strided;

static bool strided_read(Build *b, const Node *n, Strided *s)
{
    static const char *const names[5] = {"begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask",
                                         "ellipsis_mask"};
    if (!ov_known_ints(b, n, 1, &s->begin) || !ov_known_ints(b, n, 2, &s->end))
        return false;
    if (n->nin > 3 && n->in[3]) {
        if (!ov_known_ints(b, n, 3, &s->stride))
            return false;
    } else
        for (s->stride.n = 0; s->stride.n < s->begin.n; s->stride.n++)
            s->stride.v[s->stride.n] = 1;
    if (s->end.n != s->begin.n || s->stride.n != s->begin.n) {
        node_error(b, n, "begin, end and strides have %d, %d and %d values: they must have as many", s->begin.n,
                   s->end.n, s->stride.n);
        return false;
    }
    for (int i = 0; i < 5; i++) {
        const Attr *a = node_attr(n, names[i]);
        s->masks[i].n = 0;
        for (int k = 0; k < MAX_RANK; k++)
            s->masks[i].v[k] = a && k < a->n ? a->ints[k] : 0;
    }
    return true;
}

/* One place of begin, end and strides, for axis `axis` of the source. */
static bool strided_axis(Build *b, const Node *n, Strided *s, int i, int axis)
{
    Type t = n->in[0]->type;
    int64_t size = t.dims[axis], step = s->stride.v[i], from = s->begin.v[i], to = s->end.v[i];
    bool shrink = s->masks[3].v[i] != 0;
    if (step == 0) {
        node_error(b, n, "a stride is 0");
        return false;
    }
    if (s->masks[0].v[i] && !shrink)
        from = step > 0 ? 0 : size - 1;
    if (shrink) {
        if (s->masks[0].v[i])
            from = 0;
        from += from < 0 ? size : 0;
        if (from < 0 || from >= size) {
            node_error(b, n, "place %lld is outside of axis %d of %s", (long long)s->begin.v[i], axis,
                       type_text(b->c, t));
            return false;
        }
        to = from + 1;
        step = 1;
    } else if (s->masks[1].v[i])
        to = step > 0 ? INT64_MAX : INT64_MIN;
    if (!shrink)
        s->after[s->nafter++] = axis;
    if (from == 0 && step == 1 && to >= size)
        return true;
    s->axes[s->nslices] = axis;
    s->from[s->nslices] = from;
    s->to[s->nslices] = to;
    s->step[s->nslices++] = step;
    return true;
}

/* s->after: per dimension of the result the axis that it is, -1 for a new one. */
static bool strided_axes(Build *b, const Node *n, Strided *s)
{
    int rank = n->in[0]->type.rank, axis = 0, real = 0;
    for (int i = 0; i < s->begin.n; i++)
        real += !s->masks[2].v[i] && !s->masks[4].v[i];
    if (real > rank) {
        node_error(b, n, "begin has places for %d axes, '%s' has %d", real, n->in[0]->name, rank);
        return false;
    }
    for (int i = 0; i < s->begin.n; i++) {
        if (s->nafter >= MAX_RANK) {
            node_error(b, n, "the result has too many dimensions");
            return false;
        }
        if (s->masks[4].v[i])
            for (int k = rank - real; k > 0 && s->nafter < MAX_RANK; k--)
                s->after[s->nafter++] = axis++;
        else if (s->masks[2].v[i])
            s->after[s->nafter++] = -1;
        else if (!strided_axis(b, n, s, i, axis++))
            return false;
    }
    while (axis < rank && s->nafter < MAX_RANK)
        s->after[s->nafter++] = axis++;
    return true;
}

bool ov_strided_slice(Build *b, const Node *n, Edge **out)
{
    Strided s = {.nslices = 0};
    int64_t dims[MAX_RANK];
    if (!strided_read(b, n, &s) || !strided_axes(b, n, &s))
        return false;
    Edge *x = n->in[0];
    if (s.nslices) {
        Edge *in[5] = {x, build_ints(b, s.nslices, s.from), build_ints(b, s.nslices, s.to),
                       build_ints(b, s.nslices, s.axes), build_ints(b, s.nslices, s.step)};
        x = build_op(b, "Slice", 5, in, 0, NULL);
    }
    out[0] = x;
    if (edge_poisoned(x))
        return true;
    for (int i = 0; i < s.nafter; i++)
        dims[i] = s.after[i] < 0 ? 1 : x->type.dims[s.after[i]];
    out[0] = ov_to_dims(b, x, s.nafter, dims);
    return true;
}

/* ---- Pad, Tile, Broadcast, Roll ---------------------------------------------------------------------------------- */

/* Mirrored with the border: an index for each place. */
static Edge *pad_symmetric(Build *b, Edge *x, int axis, int64_t before, int64_t after)
{
    int64_t size = x->type.dims[axis], n = before + size + after;
    Tensor *t = tensor_new(b->c, type_make(b->c, DT_I64, 1, &n));
    int64_t *at = (int64_t *)(uintptr_t)t->data;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = (i - before) % (2 * size);
        k += k < 0 ? 2 * size : 0;
        at[i] = k < size ? k : 2 * size - 1 - k;
    }
    Attr a = attr_int(b->c, "axis", axis);
    return build_op(b, "Gather", 2, (Edge *[]){x, build_const(b, NULL, t, b->loc)}, 1, &a);
}

bool ov_pad(Build *b, const Node *n, Edge **out)
{
    Ints begin, end;
    Type t = n->in[0]->type;
    const char *mode = node_string(n, "pad_mode", "constant");
    if (!ov_known_ints(b, n, 1, &begin) || !ov_known_ints(b, n, 2, &end))
        return false;
    if (begin.n != t.rank || end.n != t.rank || 2 * t.rank > MAX_RANK) {
        node_error(b, n, "pads_begin and pads_end have %d and %d values, '%s' has %d dimensions", begin.n, end.n,
                   n->in[0]->name, t.rank);
        return false;
    }
    if (!strcmp(mode, "symmetric")) {
        out[0] = n->in[0];
        for (int i = 0; i < t.rank; i++) {
            if (begin.v[i] < 0 || end.v[i] < 0 || begin.v[i] > t.dims[i] || end.v[i] > t.dims[i]) {
                node_error(b, n, "pads of axis %d are %lld and %lld: from 0 to its size, %lld, are possible", i,
                           (long long)begin.v[i], (long long)end.v[i], (long long)t.dims[i]);
                return false;
            }
            if (begin.v[i] + end.v[i])
                out[0] = pad_symmetric(b, out[0], i, begin.v[i], end.v[i]);
        }
        return true;
    }
    memcpy(begin.v + t.rank, end.v, sizeof *end.v * (size_t)t.rank);
    Attr a = attr_string(b->c, "mode", mode);
    bool value = n->nin > 3 && n->in[3] && !strcmp(mode, "constant");
    Edge *in[3] = {n->in[0], build_ints(b, 2 * t.rank, begin.v), value ? ov_to_dims(b, n->in[3], 0, NULL) : NULL};
    out[0] = build_op(b, "Pad", value ? 3 : 2, in, 1, &a);
    return true;
}

/* Data or repeats of lower rank get ones in front. */
bool ov_tile(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type;
    Ints repeats;
    int64_t dims[MAX_RANK], times[MAX_RANK];
    if (!ov_known_ints(b, n, 1, &repeats))
        return false;
    int rank = repeats.n > t.rank ? repeats.n : t.rank;
    for (int i = 0; i < rank; i++) {
        dims[i] = i < rank - t.rank ? 1 : t.dims[i - rank + t.rank];
        times[i] = i < rank - repeats.n ? 1 : repeats.v[i - rank + repeats.n];
    }
    out[0] = build_op2(b, "Tile", ov_to_dims(b, n->in[0], rank, dims), build_ints(b, rank, times));
    return true;
}

bool ov_broadcast(Build *b, const Node *n, Edge **out)
{
    Type t = n->in[0]->type;
    Ints shape, axes;
    int64_t dims[MAX_RANK];
    const char *mode = node_string(n, "mode", "numpy");
    Edge *x = n->in[0];
    if (!ov_known_ints(b, n, 1, &shape))
        return false;
    if (!strcmp(mode, "explicit") || !strcmp(mode, "none")) {
        if (n->nin < 3 || !n->in[2] || !ov_known_axes(b, n, 2, shape.n, &axes))
            return false;
        if (axes.n != t.rank) {
            node_error(b, n, "axes_mapping has %d axes, '%s' has %d dimensions", axes.n, x->name, t.rank);
            return false;
        }
        for (int i = 0; i < shape.n; i++)
            dims[i] = 1;
        for (int i = 0; i < t.rank; i++) {
            if (i && axes.v[i] <= axes.v[i - 1]) {
                node_error(b, n, "axes_mapping must ascend");
                return false;
            }
            dims[axes.v[i]] = t.dims[i];
        }
        x = ov_to_dims(b, x, shape.n, dims);
    } else if (!strcmp(mode, "pdpd")) {
        node_error(b, n, "mode \"pdpd\" is not supported");
        return false;
    }
    out[0] = build_op2(b, "Expand", x, build_ints(b, shape.n, shape.v));
    return true;
}

bool ov_roll(Build *b, const Node *n, Edge **out)
{
    Ints shift, axes;
    Type t = n->in[0]->type;
    if (!ov_known_ints(b, n, 1, &shift) || !ov_known_axes(b, n, 2, t.rank, &axes))
        return false;
    out[0] = n->in[0];
    for (int i = 0; i < axes.n && shift.n; i++) {
        int axis = (int)axes.v[i];
        int64_t size = t.dims[axis], by = size ? shift.v[shift.n == 1 ? 0 : i] % size : 0;
        by += by < 0 ? size : 0;
        if (by)
            out[0] = ov_joined(
                b, 2,
                (Edge *[]){ov_part_of(b, out[0], axis, size - by, size), ov_part_of(b, out[0], axis, 0, size - by)},
                axis);
    }
    return true;
}
