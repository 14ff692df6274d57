/* Operands marked ! (sizes) whose values are known at run time only, where it takes more than the kit has
 * (ir/kit/late.c) or than a text says (`late_body` in the rows). */
#include "meaning.h"

bool late_split(Build *b, const Node *n, Edge **out)
{
    int64_t *v = NEW_N(b->c, int64_t, n->nout);
    int axis;
    if (!attr_axis(b, n, "axis", arg_type(n, 0).rank, &axis))
        return false;
    for (int k = 0; k < n->nout; k++) {
        if (!n->out[k] || n->out[k]->type.rank <= axis)
            return unfit(b, n, "split is known at run time only, every output must be there, its shape declared");
        v[k] = n->out[k]->type.dims[axis];
    }
    return late_with(b, n, 1, build_ints(b, n->nout, v), out);
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
        VEC_PUSH(b->c, axes, whole(b, d));
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
        return late_with(b, n, 3, whole(b, arg_type(n, 2).dims[0]), out);
    if (!is_late(n, 1))
        return late_number(b, n, 3, 2 * bins, out);
    return late_with(b, n, 3, whole(b, node_int(n, "onesided", 1) ? 2 * (bins - 1) : bins), out);
}

/* The bands, then the length by the number of frequencies. */
bool late_mel(Build *b, const Node *n, Edge **out)
{
    const int64_t *dims = late_type(n).rank == 2 ? late_type(n).dims : (const int64_t[]){1, 1};
    if (is_late(n, 0))
        return late_with(b, n, 0, whole(b, dims[1]), out);
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

/* Sizes: where one scale holds for all axes, those of the axis that sets it and extremes for the others. */
bool late_resize(Build *b, const Node *n, Edge **out)
{
    const char *policy = node_string(n, "keep_aspect_ratio_policy", "stretch");
    Type t = late_type(n);
    Ints axes = {0};
    if (!is_late(n, 3))
        return build_late_body(b, n, out);
    bool on[MAX_RANK], named = attr_list(n, "axes", &axes);
    int64_t v[MAX_RANK], m = type_count(arg_type(n, 3));
    if (named && !axes_set(b, n, axes, t.rank, on))
        return false;
    if (m != (named ? axes.n : t.rank) || t.rank != arg_type(n, 0).rank)
        return unfit(b, n, "there must be a size for each axis, and the declared output must have the rank of X");
    for (int64_t k = 0; strcmp(policy, "stretch") != 0 && k < m; k++) {
        for (int64_t j = 0; j < m; j++)
            v[j] = strcmp(policy, "not_larger") == 0 ? INT32_MAX : 0;
        v[k] = t.dims[named ? axes.v[k] + (axes.v[k] < 0 ? t.rank : 0) : k];
        Edge *sizes = build_ints(b, (int)m, v);
        if (build_fits(b, n, 3, sizes))
            return late_with(b, n, 3, sizes, out);
    }
    return late_shape(b, n, out);
}
