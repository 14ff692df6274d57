/* TopK: the places of the K best elements, kept sorted while the axis is walked: an element that is better than the
 * last one kept moves those that it beats one place on. Of equal ones the first stays in front. NaN counts as the
 * greatest. The values are then read at those places. */
#include "meaning.h"

static bool top_k_of(Build *b, const Node *n, int *axis, int64_t *k)
{
    Type t = arg_type(n, 0);
    if (!node_axis(b, n, node_int(n, "axis", -1), t.rank, false, axis) || !arg_int(b, n, 1, k))
        return false;
    if (*k >= 0 && *k <= t.dims[*axis])
        return true;
    return node_error(b, n, "K = %lld: axis %d of X, %s, has %lld elements", (long long)*k, *axis, type_text(b->c, t),
                      (long long)t.dims[*axis]);
}

bool top_k_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int axis;
    int64_t k, dims[MAX_RANK];
    if (!top_k_of(b, n, &axis, &k))
        return false;
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    dims[axis] = k;
    out[0] = type_make(b->c, t.dt, t.rank, dims);
    out[1] = type_make(b->c, DT_I64, t.rank, dims);
    return true;
}

const Expr *beats(Ctx *c, bool largest, const Expr *x, const Expr *y)
{
    return formula(c, largest ? "x, y: x > y || isnan(x) && !isnan(y)" : "x, y: x < y || isnan(y) && !isnan(x)", x, y);
}

/* The place that is kept at j, its element; whether element i, x, belongs there: it beats that, or there is none. */
#define KEPT(j) "places[(o * k + (" j ")) * inner + q]"
#define HELD(j) "X[(o * n + min(max(" KEPT(j) ", 0), n - 1)) * inner + q]"
#define TAKES(j) \
    "(" j ") >= i || (largest ? x > " HELD(j) " || isnan(x) && !isnan(" HELD(j) ") : " \
    "x < " HELD(j) " || isnan(" HELD(j) ") && !isnan(x))"

void top_k(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0), r = l->node->out[0] ? out_type(l, 0) : out_type(l, 1);
    int axis;
    int64_t k, outer = 1, inner = 1;
    top_k_of(l->b, l->node, &axis, &k);
    for (int d = 0; d < t.rank; d++)
        *(d < axis ? &outer : &inner) *= d == axis ? 1 : t.dims[d];
    Buf *places = l->out[1] ? l->out[1] : lower_temp(l, "places", DT_I64, r.rank, r.dims);
    nest(l, "places[], outer, inner, n, k, largest: for o < outer { for q < inner { for i < n {"
         "    x = X[(o * n + i) * inner + q];"
         "    if (" TAKES("k - 1") ") {"
         "        var place = int64(0);"
         "        for j < k { if (!(" TAKES("j") ")) { place = place + 1; } }"
         "        for d < k - 1 {"
         "            to = k - 1 - d;"
         "            if (to - 1 >= place && to <= i) { " KEPT("to") " = " KEPT("to - 1") "; }"
         "        }"
         "        " KEPT("min(max(place, 0), k - 1)") " = i;"
         "    }"
         "} } }", places, i64(c, outer), i64(c, inner), i64(c, t.dims[axis]), i64(c, k),
         i64(c, node_int(l->node, "largest", 1) != 0));
    if (!l->out[0])
        return;
    const Idx *const *i = lower_vars(l, r.rank, r.dims), *at[MAX_RANK];
    memcpy(at, i, sizeof *at * (size_t)r.rank);
    at[axis] = clamped(c, expr_load(c, places, i), t.dims[axis]);
    lower_store(l, l->out[0], in_at(l, 0, at));
}
