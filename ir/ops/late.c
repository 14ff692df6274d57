/* Operands marked ! (shapes, axes, pads, sizes) whose values are known at run time only. The declared shape of the
 * output fixes every extent. So either it tells the value; or it leaves a few, each of which is built and the value
 * chooses among the results; or the value merely selects elements, which becomes a Gather of clamped places. What is
 * built stands in place of the node, so nothing behind the builder knows of this. */
#include "meaning.h"

/* ---- the declared shape tells the value ---- */

bool late_reshape(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    out[0] = reshaped(b, n->in[0], t.rank, t.dims);
    return true;
}

/* The dimensions, or those of the attribute axes. */
bool late_shape(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    Ints axes;
    int64_t v[MAX_RANK];
    bool on[MAX_RANK];
    if (!attr_list(n, "axes", &axes))
        return late_with(b, n, late_operand(n), build_ints(b, t.rank, t.dims), out);
    if (!axes_set(b, n, axes, t.rank, on))
        return false;
    for (int k = 0; k < axes.n; k++)
        v[k] = t.dims[axes.v[k] < 0 ? axes.v[k] + t.rank : axes.v[k]];
    return late_with(b, n, late_operand(n), build_ints(b, axes.n, v), out);
}

bool late_repeats(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n), x = arg_type(n, 0);
    int64_t v[MAX_RANK];
    for (int k = 0; k < t.rank; k++)
        v[k] = k < x.rank && x.dims[k] > 0 ? t.dims[k] / x.dims[k] : 1;
    return late_with(b, n, 1, build_ints(b, t.rank, v), out);
}

/* The extent of the one axis. */
bool late_extent(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int axis;
    if (!node_axis(b, n, node_int(n, "axis", 0), t.rank, false, &axis))
        return false;
    return late_with(b, n, late_operand(n), build_const(b, NULL, tensor_int(b->c, t.dims[axis]), n->loc), out);
}

bool late_split(Build *b, const Node *n, Edge **out)
{
    int64_t *v = NEW_N(b->c, int64_t, n->nout);
    int axis;
    if (!node_axis(b, n, node_int(n, "axis", 0), arg_type(n, 0).rank, false, &axis))
        return false;
    for (int k = 0; k < n->nout; k++) {
        if (!n->out[k] || n->out[k]->type.rank <= axis)
            return node_error(b, n, "split is known at run time only: every output must be there, and its shape "
                              "declared");
        v[k] = n->out[k]->type.dims[axis];
    }
    return late_with(b, n, 1, build_ints(b, n->nout, v), out);
}

bool late_grid(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int64_t v[MAX_RANK] = {t.dims[0], 1};
    memcpy(v + 2, t.dims + 1, sizeof *v * (size_t)(t.rank > 2 ? t.rank - 2 : 0));
    return late_with(b, n, 1, build_ints(b, t.rank, v), out);
}

/* ---- a few values are left ---- */

/* Operand 1: every set of as many axes as it has elements. */
bool late_axes(Build *b, const Node *n, Edge **out)
{
    int rank = arg_type(n, 0).rank, count = 0;
    int64_t m = type_count(arg_type(n, 1)), v[MAX_RANK];
    VEC(Edge *) values = {0};
    for (uint32_t set = 0; rank <= 12 && set < UINT32_C(1) << rank; set++, count = 0) {
        for (int d = 0; d < rank; d++)
            if (set >> d & 1)
                v[count++] = d;
        if (count == m)
            VEC_PUSH(b->c, values, build_ints(b, count, v));
    }
    return late_choice(b, n, 1, values.n, values.at, rank, out);
}

/* The length is chosen for each axis that it may run along. */
bool late_dft(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int64_t most = 1;
    for (int d = 0; d < t.rank - 1; d++)
        most = 2 * t.dims[d] > most ? 2 * t.dims[d] : most;
    if (!is_late(n, 2))
        return late_number(b, n, 1, most, out);
    VEC(Edge *) axes = {0};
    for (int64_t d = 0; d < t.rank - 1; d++)
        VEC_PUSH(b->c, axes, build_const(b, NULL, tensor_int(b->c, d), n->loc));
    if (!is_late(n, 1))
        return late_choice(b, n, 2, axes.n, axes.at, t.rank, out);
    for (int i = 0; i < axes.n; i++) { /* the one whose extent changes */
        int d = (int)tensor_at_int(axes.at[i]->data, 0);
        if (t.dims[d] != arg_type(n, 0).dims[d] || i == axes.n - 1)
            return late_with(b, n, 2, axes.at[i], out);
    }
    return false;
}

/* The frame's length is the window's, or told by the number of frequencies; then the step by the number of frames. */
bool late_stft(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int64_t bins = t.rank == 4 ? t.dims[2] : 1;
    if (!is_late(n, 3))
        return late_number(b, n, 1, arg_type(n, 0).rank > 1 ? arg_type(n, 0).dims[1] : 1, out);
    if (arg(n, 2))
        return late_with(b, n, 3, build_const(b, NULL, tensor_int(b->c, arg_type(n, 2).dims[0]), n->loc), out);
    if (!is_late(n, 1))
        return late_number(b, n, 3, 2 * bins, out);
    return late_with(b, n, 3, build_const(b, NULL, tensor_int(b->c, node_int(n, "onesided", 1) ? 2 * (bins - 1) : bins),
                                     n->loc), out);
}

/* The bands, then the length by the number of frequencies. */
bool late_mel(Build *b, const Node *n, Edge **out)
{
    const int64_t *dims = late_type(n).rank == 2 ? late_type(n).dims : (const int64_t[]){1, 1};
    if (is_late(n, 0))
        return late_with(b, n, 0, build_const(b, NULL, tensor_int(b->c, dims[1]), n->loc), out);
    return late_number(b, n, 1, 2 * dims[0], out);
}

/* Every block with as many elements as channels shrink by. */
bool late_col2im(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n), x = arg_type(n, 0);
    int rank = t.rank - 2;
    VEC(Edge *) values = {0};
    if (is_late(n, 1))
        return late_with(b, n, 1, build_ints(b, rank, t.dims + 2), out);
    int64_t size = x.rank == 3 && t.dims[1] > 0 ? x.dims[1] / t.dims[1] : 1, v[MAX_RANK], tries = 1;
    for (int d = 0; d < rank; d++)
        tries = tries > 1 << 16 ? tries : tries * size;
    for (int64_t k = 0; k < tries && tries <= 1 << 16; k++) {
        int64_t rest = k, product = 1;
        for (int d = 0; d < rank; d++, rest /= size)
            product *= v[d] = rest % size + 1;
        if (product == size)
            VEC_PUSH(b->c, values, build_ints(b, rank, v));
    }
    return late_choice(b, n, 2, values.n, values.at, 0, out);
}

/* ---- the value selects elements ---- */

static bool same_rank(Build *b, const Node *n, Type t)
{
    if (t.rank == arg_type(n, 0).rank)
        return true;
    return node_error(b, n, "the output is declared %s, but the input is %s: they must have the same rank",
                      dims_text(b->c, t.rank, t.dims), type_text(b->c, arg_type(n, 0)));
}

bool late_range(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    DType dt = arg_type(n, 0).dt, wide = math_type(dt);
    Edge *start = build_cast(b, reshaped(b, n->in[0], 0, NULL), wide);
    Edge *delta = build_cast(b, reshaped(b, n->in[2], 0, NULL), wide);
    Edge *i = build_cast(b, iota(b, t.rank == 1 ? t.dims[0] : 0), wide);
    out[0] = build_cast(b, build_op2(b, "Add", start, build_op2(b, "Mul", i, delta)), dt);
    return true;
}

bool late_slice(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int64_t m = type_count(arg_type(n, 1));
    if (!same_rank(b, n, t))
        return false;
    Edge *x = n->in[0], *starts = list64(b, n, 1), *axes = axes_list(b, n, 3, m, t.rank), *steps = list64(b, n, 4);
    for (int d = 0; d < t.rank; d++) {
        int64_t size = x->type.dims[d];
        if (never_on(axes, d))
            continue;
        Edge *start = for_axis(b, axes, starts, d, 0), *step = steps ? for_axis(b, axes, steps, d, 1) : whole(b, 1);
        Edge *back = build_op2(b, "Less", step, whole(b, 0)), *none = whole(b, 0);
        start = where(b, build_op2(b, "Less", start, none), build_op2(b, "Add", start, whole(b, size)), start);
        start = build_op2(b, "Min", clipped(b, start, 0, size), where(b, back, whole(b, size - 1), whole(b, size)));
        x = gathered(b, x, build_op2(b, "Add", start, build_op2(b, "Mul", iota(b, t.dims[d]), step)), d);
    }
    out[0] = x;
    return true;
}

/* The place that stands for `place`, outside of `size` elements. */
static Edge *folded(Build *b, const char *mode, Edge *place, int64_t size)
{
    if (strcmp(mode, "wrap") == 0)
        return build_op2(b, "Mod", place, whole(b, size > 0 ? size : 1));
    if (strcmp(mode, "reflect") != 0)
        return place;
    Edge *period = whole(b, size > 1 ? 2 * (size - 1) : 1), *m = build_op2(b, "Mod", place, period);
    return build_op2(b, "Min", m, build_op2(b, "Sub", period, m));
}

bool late_pad(Build *b, const Node *n, Edge **out)
{
    Type t = late_type(n);
    int64_t m = type_count(arg_type(n, 1)) / 2, zero_at[1] = {0};
    const char *mode = node_string(n, "mode", "constant");
    bool fills = strcmp(mode, "constant") == 0;
    if (!same_rank(b, n, t))
        return false;
    Edge *x = n->in[0], *inside = NULL, *axes = axes_list(b, n, 3, m, t.rank), *start = build_ints(b, 1, zero_at);
    Edge *before = build_op(b, "Slice", 3, (Edge *[]){list64(b, n, 1), start, build_ints(b, 1, &m)}, 0, NULL);
    Edge *fill = arg(n, 2) ? reshaped(b, n->in[2], 0, NULL) : like(b, x, 0);
    for (int d = 0; d < t.rank; d++) {
        int64_t size = x->type.dims[d];
        if (never_on(axes, d))
            continue;
        Edge *place = build_op2(b, "Sub", iota(b, t.dims[d]), for_axis(b, axes, before, d, 0));
        Edge *in = build_op2(b, "Equal", place, clipped(b, place, 0, size - 1));
        if (fills && size > 0)
            inside = inside ? build_op2(b, "And", inside, along(b, in, t.rank, d)) : along(b, in, t.rank, d);
        if (size == 0 && t.dims[d] > 0) { /* nothing but the fill */
            out[0] = build_op2(b, "Expand", fill, build_ints(b, t.rank, t.dims));
            return true;
        }
        x = gathered(b, x, folded(b, mode, place, size), d);
    }
    out[0] = inside ? where(b, inside, x, fill) : x;
    return true;
}
