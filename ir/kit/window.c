/* Sliding windows: where convolutions and pools read. An output place o and a place k of the kernel meet at the input
 * place o·stride + k·dilation - before, per spatial dimension. What lies outside is padding: reads are guarded, and
 * where the intervals show that nothing lies outside there is no guard. */
#include "kit.h"

enum { WINDOW_MOST = 1 << 30 };

/* One number per spatial dimension, each in [least, 2^30]; absent: all `missing`. */
static bool window_list(Build *b, const Node *n, int rank, const char *name, int count, int64_t missing,
                        int64_t least_one, int64_t *v)
{
    Ints list;
    for (int i = 0; i < count; i++)
        v[i] = missing;
    if (!attr_list(n, name, &list) || (list.n == 0 && missing != INT64_MIN))
        return true;
    if (list.n != count)
        return node_error(b, n, "%s = %s has length %d: it must have %d, for %d spatial dimensions", name,
                          dims_text(b->c, list.n, list.v), list.n, count, rank);
    for (int i = 0; i < count; i++) {
        v[i] = list.v[i];
        if (v[i] < least_one || v[i] > WINDOW_MOST)
            return node_error(b, n, "%s = %s: %lld is out of range, it must be at least %lld", name,
                              dims_text(b->c, list.n, list.v), (long long)v[i], (long long)least_one);
    }
    return true;
}

int window_rank(const Node *n)
{
    return arg_type(n, 0).rank - 2;
}

bool window_lists(Build *b, const Node *n, Window *w)
{
    w->rank = window_rank(n);
    if (w->rank < 1)
        return node_error(b, n, "the input is %s: it must have a batch, a channel and at least one spatial dimension",
                          type_text(b->c, arg_type(n, 0)));
    for (int i = 0; i < w->rank; i++) {
        w->in[i] = arg_type(n, 0).dims[i + 2];
        if (w->in[i] < 1 || w->in[i] > WINDOW_MOST)
            return node_error(b, n, "the input is %s: spatial dimension %d must be from 1 to 2^30",
                              type_text(b->c, arg_type(n, 0)), i);
    }
    return window_attrs(b, n, w);
}

bool window_attrs(Build *b, const Node *n, Window *w)
{
    int64_t pads[2 * MAX_RANK];
    if (!window_list(b, n, w->rank, "strides", w->rank, 1, 1, w->stride) ||
        !window_list(b, n, w->rank, "dilations", w->rank, 1, 1, w->dilation) ||
        !window_list(b, n, w->rank, "pads", 2 * w->rank, 0, -WINDOW_MOST, pads))
        return false;
    memcpy(w->before, pads, sizeof *pads * (size_t)w->rank);
    memcpy(w->after, pads + w->rank, sizeof *pads * (size_t)w->rank);
    return true;
}

bool window_kernel(Build *b, const Node *n, const int64_t *weights, Window *w)
{
    if (!window_list(b, n, w->rank, "kernel_shape", w->rank, weights ? 0 : INT64_MIN, 1, w->size))
        return false;
    for (int i = 0; i < w->rank; i++) {
        if (weights && w->size[i] == 0)
            w->size[i] = weights[i];
        if (weights && w->size[i] != weights[i])
            return node_error(b, n, "kernel_shape is %s, but the weights have the kernel %s",
                              dims_text(b->c, w->rank, w->size), dims_text(b->c, w->rank, weights));
        if (w->size[i] < 1 || w->size[i] > WINDOW_MOST || w->size[i] * w->dilation[i] > (int64_t)1 << 50)
            return node_error(b, n, "the kernel is %s with dilations %s: each must be at least 1, and not huge",
                              dims_text(b->c, w->rank, w->size), dims_text(b->c, w->rank, w->dilation));
        w->span[i] = (w->size[i] - 1) * w->dilation[i] + 1;
    }
    return true;
}

bool auto_pad_of(Build *b, const Node *n, AutoPad *mode)
{
    static const char *const names[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
    const char *name = node_string(n, "auto_pad", "NOTSET");
    for (int i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *mode = (AutoPad)i;
            return true;
        }
    if (*name == 0) {
        *mode = PAD_NOTSET;
        return true;
    }
    return node_error(b, n, "auto_pad = \"%s\" is unknown: it is NOTSET, VALID, SAME_UPPER or SAME_LOWER", name);
}

/* Less than none: the result goes on behind, with zeros. */
void window_share(Window *w, int i, int64_t total, bool more_before)
{
    w->before[i] = total < 0 ? 0 : more_before ? total - total / 2 : total / 2;
    w->after[i] = total - w->before[i];
}

bool window_of(Build *b, const Node *n, const int64_t *weights, Window *w)
{
    AutoPad mode;
    bool up = node_int(n, "ceil_mode", 0) != 0;
    if (!window_lists(b, n, w) || !window_kernel(b, n, weights, w) || !auto_pad_of(b, n, &mode))
        return false;
    for (int i = 0; i < w->rank; i++) {
        int64_t s = w->stride[i], same = (w->in[i] + s - 1) / s, total = (same - 1) * s + w->span[i] - w->in[i];
        if (mode == PAD_VALID)
            w->before[i] = w->after[i] = 0;
        else if (mode != PAD_NOTSET)
            window_share(w, i, total > 0 ? total : 0, mode == PAD_SAME_LOWER);
        int64_t padded = w->before[i] + w->in[i] + w->after[i], room = padded - w->span[i];
        if (room < 0)
            return node_error(b, n, "spatial dimension %d has %lld elements with its pads: fewer than the kernel "
                              "spans, %lld", i, (long long)padded, (long long)w->span[i]);
        w->out[i] = (room + (up ? s - 1 : 0)) / s + 1;
        if (up && (w->out[i] - 1) * s >= w->in[i] + w->before[i])
            w->out[i]--; /* no window begins in the padding behind */
    }
    return true;
}

const Expr *guarded_place(Ctx *c, const Idx *x, int64_t n, const Expr *inside, const Idx **at)
{
    *at = x;
    if (x->lo >= 0 && x->hi < n)
        return inside;
    *at = idx_assume(c, x, 0, n - 1);
    return both(c, inside, expr_in(c, x, n));
}

const Expr *window_places(Ctx *c, const Window *w, const Idx *const *o, const Idx *const *k, const Idx **at)
{
    const Expr *inside = NULL;
    for (int i = 0; i < w->rank; i++) {
        const Idx *x = idx_axpy(c, idx_const(c, -w->before[i]), w->stride[i], o[i]);
        inside = guarded_place(c, idx_axpy(c, x, w->dilation[i], k[i]), w->in[i], inside, &at[i]);
    }
    return inside;
}

/* The input place of a dimension, and under which condition there is one. */
const Expr *transposed_place(Ctx *c, const Window *w, int i, const Idx *o, const Idx *k, const Expr *inside,
                             const Idx **at)
{
    int64_t s = w->stride[i];
    const Idx *x = idx_axpy(c, idx_add(c, o, idx_const(c, w->before[i])), -w->dilation[i], k);
    int64_t lift = x->lo < 0 ? (-x->lo + s - 1) / s : 0; /* whole strides, so that a digit can be taken */
    x = idx_add(c, x, idx_const(c, lift * s));
    const Idx *rest = idx_digit(c, x, 1, s), *place = idx_add(c, idx_digit(c, x, s, 0), idx_const(c, -lift));
    if (rest->lo != 0 || rest->hi != 0)
        inside = both(c, inside, expr_in(c, rest, 1));
    return guarded_place(c, place, w->in[i], inside, at);
}
