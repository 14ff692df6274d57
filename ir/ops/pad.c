/* Pad in its four modes. `constant` guards each read; the other modes fold the place back into the source: `edge`
 * clamps it, `wrap` takes it modulo the size, `reflect` modulo the period 2(d-1) of going forth and back. Negative pads
 * cut. */
#include "meaning.h"

static const char *pad_mode(const Node *n)
{
    return node_string(n, "mode", "constant");
}

/* Pads before and after each dimension. */
static bool pads_of(Build *b, const Node *n, int64_t *before, int64_t *after)
{
    Type t = arg_type(n, 0);
    Ints pads, axes = {0};
    bool given = arg(n, 3), on[MAX_RANK];
    if (!arg_ints(b, n, 1, &pads) || (given && (!arg_ints(b, n, 3, &axes) || !axes_set(b, n, axes, t.rank, on))))
        return false;
    int count = given ? axes.n : t.rank;
    if (pads.n != 2 * count)
        return unfit(b, n, "the length of pads must be twice the number of %s, %d", given ? "axes" : "dimensions",
                     2 * count);
    memset(before, 0, sizeof *before * MAX_RANK);
    memset(after, 0, sizeof *after * MAX_RANK);
    for (int i = 0; i < count; i++) {
        int64_t axis = given ? axes.v[i] + (axes.v[i] < 0 ? t.rank : 0) : i;
        before[axis] = pads.v[i];
        after[axis] = pads.v[i + count];
    }
    return true;
}

bool pad_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t before[MAX_RANK], after[MAX_RANK], dims[MAX_RANK], most = (int64_t)1 << 61;
    bool folds = strcmp(pad_mode(n), "constant") != 0;
    if (arg(n, 2) && type_count(arg_type(n, 2)) != 1)
        return unfit(b, n, "constant_value must be a scalar");
    if (!pads_of(b, n, before, after))
        return false;
    for (int i = 0; i < t.rank; i++) {
        bool fits = before[i] < most && before[i] > -most && after[i] < most && after[i] > -most && t.dims[i] < most;
        dims[i] = fits ? before[i] + t.dims[i] + after[i] : -1;
        if (dims[i] < 0 || (folds && t.dims[i] == 0 && dims[i] > 0))
            return unfit(b, n, "axis %d cannot be padded by %lld and %lld in mode %s: %s", i, (long long)before[i],
                         (long long)after[i], pad_mode(n),
                         !fits ? "out of range" : dims[i] < 0 ? "more is cut off than there is" : "it is empty");
    }
    return make_type(b, n, out, 0, t.dt, t.rank, dims);
}

/* The place in a dimension of d >= 1 elements that position x, which may lie outside, stands for. */
static const Idx *fold(Ctx *c, const char *mode, const Idx *x, int64_t d)
{
    if (x->lo >= 0 && x->hi < d)
        return x;
    if (strcmp(mode, "edge") == 0)
        return clamped(c, expr_index(c, x), d);
    int64_t period = strcmp(mode, "wrap") == 0 ? d : 2 * (d - 1);
    if (period == 0)
        return idx_const(c, 0);
    int64_t lift = x->lo < 0 ? (-x->lo - 1) / period + 1 : 0;
    const Idx *m = idx_digit(c, idx_add(c, x, idx_const(c, lift * period)), 1, period);
    if (period == d)
        return m;
    const Expr *back = expr_index(c, idx_axpy(c, idx_const(c, period), -1, m));
    const Expr *e = expr_op2(c, OP_min, expr_index(c, m), back);
    return idx_value(c, expr_op2(c, OP_min, e, expr_int(c, DT_I64, d - 1)), 0, d - 1);
}

const Expr *pad_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    int64_t before[MAX_RANK], after[MAX_RANK];
    const char *mode = pad_mode(l->node);
    bool fills = strcmp(mode, "constant") == 0;
    const Idx *at[MAX_RANK], *first = idx_const(c, 0);
    const Expr *inside = NULL;
    pads_of(l->b, l->node, before, after);
    for (int k = 0; k < t.rank; k++) {
        at[k] = idx_add(c, i[k], idx_const(c, -before[k]));
        if (!fills)
            at[k] = fold(c, mode, at[k], t.dims[k]);
        else if (type_count(t) > 0)
            inside = guarded_place(c, at[k], t.dims[k], inside, &at[k]);
    }
    const Expr *fill = fills && arg(l->node, 2) ? in_at(l, 2, &first) : zero_in(c, out_type(l, out).dt);
    if (fills && type_count(t) == 0)
        return fill;
    return inside ? expr_select(c, inside, in_at(l, 0, at), fill) : in_at(l, 0, at);
}

