/* What belongs to attention and is no composition: RotaryEmbedding, TensorScatter. */
#include "meaning.h"

/* ---- RotaryEmbedding: pairs of elements of a head turn by an angle that depends on the position ---- */

typedef struct Rotary {
    int64_t heads, size, turned; /* size: of a head; turned: how many of its elements take part */
    bool pairs;                  /* pairs are neighbours, else a half apart */
} Rotary;

static bool rotary_of(Build *b, const Node *n, Rotary *r)
{
    Type t = arg_type(n, 0);
    Sizes s = {0};
    r->heads = t.rank == 4 ? t.dims[1] : node_int(n, "num_heads", 0);
    r->pairs = node_int(n, "interleaved", 0) != 0;
    size_set(&s, 'H', r->heads);
    if (r->heads < 1 || !shapes(b, n, &s, t.rank == 4 ? "X[B,H,T,D]" : "X[B,T,H*D]; H = num_heads"))
        return r->heads > 0 ? false : unfit(b, n, "X of 3 dimensions needs num_heads");
    r->size = s.of['D'];
    r->turned = node_int(n, "rotary_embedding_dim", 0);
    r->turned = r->turned ? r->turned : r->size;
    size_set(&s, 'h', r->turned / 2);
    if (!shapes(b, n, &s, arg(n, 3) ? "cos_cache[P,h] sin_cache[P,h] position_ids[B,T]; the caches have half as many "
                                      "columns as elements are turned"
                                    : "cos_cache[B,T,h] sin_cache[B,T,h]; the caches have half as many columns as "
                                      "elements are turned"))
        return false;
    return (r->turned > 0 && r->turned <= r->size && r->turned % 2 == 0 && (!arg(n, 3) || s.of['P'] > 0)) ||
           unfit(b, n, "as many elements of a head are turned as it has, or less, an even number, and caches are not "
                       "empty");
}

bool rotary_infer(Build *b, const Node *n, Type *out)
{
    Rotary r;
    out[0] = arg_type(n, 0);
    return rotary_of(b, n, &r) && (!arg(n, 3) || indices_fit(b, n, 3, 1, &arg_type(n, 1).dims[0], "the cache"));
}

/* x at element d of the head of place i, times element j of cache k. */
static const Expr *turned(Lower *l, const Rotary *r, const Idx *const *i, const Idx *d, int k, const Idx *j)
{
    Ctx *c = l->c;
    int rank = in_type(l, 0).rank;
    const Idx *at[4], *where_to[3] = {i[0], i[rank - 2], j};
    memcpy(at, i, sizeof *at * (size_t)rank);
    at[rank - 1] = rank == 4 ? d : idx_axpy(c, d, r->size, idx_digit(c, i[2], r->size, 0));
    if (k == 0)
        return in_math(l, 0, at);
    const Expr *x = in_math(l, 0, at);
    if (arg(l->node, 3)) {
        where_to[0] = position(l, 3, where_to, -1, in_type(l, k).dims[0]);
        where_to[1] = j;
    }
    return expr_op2(c, OP_mul, x, in_math(l, k, where_to));
}

const Expr *rotary_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Rotary r;
    rotary_of(l->b, l->node, &r);
    int rank = in_type(l, 0).rank;
    int64_t half = r.turned / 2;
    const Idx *d = rank == 4 ? i[3] : idx_digit(c, i[2], 1, r.size), *e = idx_assume(c, d, 0, r.turned - 1), *other, *j;
    const Expr *first, *rest = turned(l, &r, i, d, 0, d), *y, *cross;
    if (r.pairs) {
        const Idx *odd = idx_digit(c, e, 1, 2);
        j = idx_digit(c, e, 2, 0);
        other = idx_axpy(c, idx_axpy(c, idx_const(c, 1), 2, j), -1, odd);
        first = expr_in(c, odd, 1);
    } else {
        const Idx *late = idx_digit(c, e, half, 0);
        j = idx_digit(c, e, 1, half);
        other = idx_axpy(c, idx_axpy(c, j, half, idx_const(c, 1)), -half, late);
        first = expr_in(c, late, 1);
    }
    y = turned(l, &r, i, e, 1, j);
    cross = turned(l, &r, i, other, 2, j);
    y = formula(c, "y, first, cross: y + (first ? -cross : cross)", y, first, cross);
    return r.turned == r.size ? y : expr_select(c, expr_in(c, d, r.turned), y, rest);
}

/* ---- TensorScatter: a cache with an update written in, per batch from an index on ---- */

bool tensor_scatter_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0), u = arg_type(n, 1);
    int axis;
    out[0] = t;
    if (!node_axis(b, n, node_int(n, "axis", -2), t.rank, false, &axis))
        return false;
    bool fits = t.rank == u.rank && axis > 0 && u.dims[axis] <= t.dims[axis] && t.dims[axis] > 0;
    for (int k = 0; fits && k < t.rank; k++)
        fits = k == axis || t.dims[k] == u.dims[k];
    if (fits && arg(n, 2))
        fits = same_dims(arg_type(n, 2), (Type){DT_I64, 1, t.dims});
    return fits || unfit(b, n, "the update must have the shape of the cache but for the axis, where it is no longer; "
                         "write_indices has one element for each batch; the axis is not the first");
}

const Expr *tensor_scatter_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Type t = in_type(l, 0), u = in_type(l, 1);
    const Idx *at[MAX_RANK], *start = idx_const(c, 0);
    int axis = 0;
    node_axis(l->b, l->node, node_int(l->node, "axis", -2), t.rank, false, &axis);
    if (type_count(u) == 0)
        return in_at(l, 0, i);
    if (arg(l->node, 2))
        start = position(l, 2, i, -1, t.dims[axis]);
    memcpy(at, i, sizeof *at * (size_t)t.rank);
    at[axis] = idx_axpy(c, i[axis], -1, start);
    if (strcmp(node_string(l->node, "mode", "linear"), "circular") == 0)
        at[axis] = idx_digit(c, idx_add(c, at[axis], idx_const(c, t.dims[axis])), 1, t.dims[axis]);
    const Expr *inside = guarded_place(c, at[axis], u.dims[axis], NULL, &at[axis]);
    return inside ? expr_select(c, inside, in_at(l, 1, at), in_at(l, 0, i)) : in_at(l, 1, at);
}
