/* Attention and what belongs to it. The composition: scores = Q·K' scaled, capped, biased by masks that are -inf where
 * a query must not look, softmax, product with V. Heads of keys that serve several heads of queries broadcast, so that
 * nothing is repeated in memory. A query that may look at nothing gets 0. */
#include "meaning.h"

static Edge *transposed(Build *b, Edge *x, int n, const int64_t *perm)
{
    Attr a = attr_ints(b->c, "perm", n, perm);
    return build_op(b, "Transpose", 1, &x, 1, &a);
}

static Edge *joined(Build *b, Edge *x, Edge *y, int64_t axis)
{
    Attr a = attr_int(b->c, "axis", axis);
    return build_op(b, "Concat", 2, (Edge *[]){x, y}, 1, &a);
}

static Edge *where(Build *b, Edge *cond, Edge *x, Edge *y)
{
    return build_op(b, "Where", 3, (Edge *[]){cond, x, y}, 0, NULL);
}

/* [batch, length, heads·size] as [batch, heads, length, size] */
static Edge *heads_apart(Build *b, Edge *x, int64_t heads)
{
    static const int64_t perm[4] = {0, 2, 1, 3};
    if (edge_poisoned(x) || x->type.rank == 4)
        return x;
    int64_t dims[4] = {x->type.dims[0], x->type.dims[1], heads, x->type.dims[2] / heads};
    return transposed(b, reshaped(b, x, 4, dims), 4, perm);
}

/* x·y with the heads of y each serving several of x. */
static Edge *head_product(Build *b, Edge *x, Edge *y)
{
    if (edge_poisoned(x) || edge_poisoned(y))
        return x;
    const int64_t *d = x->type.dims, *e = y->type.dims;
    if (d[1] == e[1])
        return build_op2(b, "MatMul", x, y);
    int64_t many[5] = {d[0], e[1], d[1] / e[1], d[2], d[3]}, one[5] = {e[0], e[1], 1, e[2], e[3]};
    int64_t flat[4] = {d[0], d[1], d[2], e[3]};
    x = reshaped(b, x, 5, many);
    y = reshaped(b, y, 5, one);
    return reshaped(b, build_op2(b, "MatMul", x, y), 4, flat);
}

/* 0 .. n-1 as a tensor with `behind` dimensions of 1 after it */
static Edge *counting(Build *b, int64_t n, int behind)
{
    int64_t dims[2] = {n, 1};
    Edge *in[3] = {build_scalar(b, DT_I64, 0), NULL, NULL};
    in[1] = build_scalar(b, DT_I64, (double)n);
    in[2] = build_scalar(b, DT_I64, 1);
    return reshaped(b, build_op(b, "Range", 3, in, 0, NULL), 1 + behind, dims);
}

static Edge *added(Build *b, Edge *bias, Edge *more)
{
    return bias ? build_op2(b, "Add", bias, more) : more;
}

typedef struct Heads {
    Edge *q, *k, *v; /* of rank 4; k and v with what is past */
    int64_t queries, keys, past;
    DType dt;
} Heads;

/* 0 where cond holds, -inf elsewhere. */
static Edge *allowing(Build *b, const Heads *h, Edge *cond)
{
    Edge *none = build_scalar(b, h->dt, 0);
    return where(b, cond, none, build_scalar(b, h->dt, -(double)INFINITY));
}

/* ---- the masks ---- */

/* The mask operand, made as wide as there are keys. */
static Edge *mask_bias(Build *b, const Heads *h, Edge *mask)
{
    int64_t pads[2 * MAX_RANK] = {0};
    int rank = mask->type.rank;
    mask = mask->type.dt == DT_BOOL ? allowing(b, h, mask) : build_cast(b, mask, h->dt);
    if (edge_poisoned(mask) || rank == 0 || mask->type.dims[rank - 1] >= h->keys || mask->type.dims[rank - 1] == 1)
        return mask;
    pads[2 * rank - 1] = h->keys - mask->type.dims[rank - 1];
    Edge *in[3] = {mask, build_ints(b, 2 * rank, pads), NULL};
    in[2] = build_scalar(b, h->dt, -(double)INFINITY);
    return build_op(b, "Pad", 3, in, 0, NULL);
}

/* Everything that is added to the scores; NULL: nothing. */
static Edge *attention_bias(Build *b, const Node *n, const Heads *h)
{
    int64_t left = node_int(n, "left_window_size", -1), right = node_int(n, "right_window_size", -1);
    Edge *mask = arg(n, 3), *valid = arg(n, 6), *bias = mask ? mask_bias(b, h, mask) : NULL;
    Edge *key = counting(b, h->keys, 0), *query = counting(b, h->queries, 1);
    query = build_op2(b, "Add", query, build_scalar(b, DT_I64, (double)h->past));
    if (valid) { /* the keys that count, per batch: the queries are the last of them */
        int64_t dims[4] = {type_count(valid->type), 1, 1, 1};
        valid = reshaped(b, valid, 4, dims);
        query = build_op2(b, "Add", build_op2(b, "Sub", query, build_scalar(b, DT_I64, (double)h->queries)), valid);
    }
    if (node_int(n, "is_causal", 0))
        bias = added(b, bias, allowing(b, h, build_op2(b, "LessOrEqual", key, query)));
    if (left >= 0) {
        Edge *first = build_op2(b, "Sub", query, build_scalar(b, DT_I64, (double)left));
        bias = added(b, bias, allowing(b, h, build_op2(b, "GreaterOrEqual", key, first)));
    }
    if (right >= 0) {
        Edge *last = build_op2(b, "Add", query, build_scalar(b, DT_I64, (double)right));
        bias = added(b, bias, allowing(b, h, build_op2(b, "LessOrEqual", key, last)));
    }
    return valid ? added(b, bias, allowing(b, h, build_op2(b, "Less", key, valid))) : bias;
}

/* Softmax over the keys; rows whose bias is all -inf give 0. */
static Edge *probabilities(Build *b, Edge *scores, Edge *bias, DType precision)
{
    DType dt = scores->type.dt;
    Edge *p = build_op1(b, "Softmax", precision == DT_F64 ? build_cast(b, scores, DT_F64) : scores);
    p = build_cast(b, p, dt);
    if (!bias)
        return p;
    Attr positive = attr_int(b->c, "detect_positive", 0);
    Edge *most = build_op2(b, "ReduceMax", bias, build_ints(b, 1, (int64_t[]){-1}));
    most = build_op(b, "IsInf", 1, &most, 1, &positive);
    return where(b, most, build_scalar(b, dt, 0), p);
}

/* ---- Attention ---- */

static bool attention_heads(Build *b, const Node *n, Heads *h)
{
    Type q = arg_type(n, 0), k = arg_type(n, 1), v = arg_type(n, 2);
    bool apart = q.rank == 4;
    int64_t nq = apart ? q.dims[1] : node_int(n, "q_num_heads", 0);
    int64_t nk = apart && k.rank == 4 ? k.dims[1] : node_int(n, "kv_num_heads", 0);
    bool fits = (q.rank == 3 || apart) && k.rank == q.rank && v.rank == q.rank && nq > 0 && nk > 0 && nq % nk == 0 &&
                (arg(n, 4) != NULL) == (arg(n, 5) != NULL) && q.dims[0] == k.dims[0] && q.dims[0] == v.dims[0];
    if (fits && !apart)
        fits = q.dims[2] % nq == 0 && k.dims[2] % nk == 0 && v.dims[2] % nk == 0;
    if (!fits) {
        node_error(b, n,
                   "Q is %s, K is %s, V is %s: all must have rank 4 ([batch, heads, length, size]) or all rank 3 with "
                   "q_num_heads and kv_num_heads; the heads of Q are a multiple of those of K; past_key and past_value "
                   "go together",
                   type_text(b->c, q), type_text(b->c, k), type_text(b->c, v));
        return false;
    }
    *h = (Heads){.q = heads_apart(b, n->in[0], nq), .dt = q.dt};
    h->k = heads_apart(b, n->in[1], nk);
    h->v = build_cast(b, heads_apart(b, n->in[2], nk), q.dt);
    if (arg(n, 4)) {
        h->past = arg_type(n, 4).rank == 4 ? arg_type(n, 4).dims[2] : 0;
        h->k = joined(b, n->in[4], h->k, 2);
        h->v = joined(b, build_cast(b, n->in[5], q.dt), h->v, 2);
    }
    if (edge_poisoned(h->q) || edge_poisoned(h->k) || edge_poisoned(h->v))
        return false;
    h->queries = h->q->type.dims[2];
    h->keys = h->k->type.dims[2];
    return true;
}

/* The scores before softcap and bias. */
static Edge *attention_scores(Build *b, const Node *n, const Heads *h)
{
    static const int64_t perm[4] = {0, 1, 3, 2};
    const Attr *a = node_attr(n, "scale");
    double scale = a ? (double)a->f : 1 / sqrt((double)h->q->type.dims[3]);
    Edge *scores = head_product(b, h->q, transposed(b, h->k, 4, perm));
    return build_op2(b, "Mul", scores, build_scalar(b, h->dt, scale));
}

bool attention(Build *b, const Node *n, Edge **out)
{
    static const int64_t perm[4] = {0, 2, 1, 3};
    Heads h;
    double cap = (double)node_float(n, "softcap", 0);
    int64_t mode = node_int(n, "qk_matmul_output_mode", 0);
    if (!attention_heads(b, n, &h))
        return false;
    Edge *scores = attention_scores(b, n, &h), *shown = scores;
    if (cap > 0) {
        scores = build_op1(b, "Tanh", build_op2(b, "Div", scores, build_scalar(b, h.dt, cap)));
        scores = build_op2(b, "Mul", scores, build_scalar(b, h.dt, cap));
    }
    shown = mode == 1 ? scores : shown;
    Edge *bias = attention_bias(b, n, &h);
    scores = bias ? build_op2(b, "Add", scores, bias) : scores;
    shown = mode == 2 ? scores : shown;
    if (edge_poisoned(scores))
        return false;
    Edge *p = probabilities(b, scores, bias, (DType)node_int(n, "softmax_precision", DT_F32));
    shown = mode == 3 ? p : shown;
    Edge *y = head_product(b, p, h.v);
    if (edge_poisoned(y))
        return false;
    if (arg_type(n, 0).rank == 3) {
        const int64_t *d = y->type.dims;
        int64_t dims[3] = {d[0], d[2], d[1] * d[3]};
        y = reshaped(b, transposed(b, y, 4, perm), 3, dims);
    }
    Edge *results[4] = {y, h.k, h.v, shown};
    for (int k = 0; k < n->nout; k++)
        out[k] = results[k];
    return true;
}

/* Attention with graphs for what happens to the scores and to the probabilities. */
static bool modified(Build *b, const Node *n, const char *name, Edge **x)
{
    const Attr *a = node_attr(n, name);
    if (!a)
        return true;
    if (a->graph->nins != 1 || a->graph->nouts != 1) {
        node_error(b, n, "the graph %s has %d inputs and %d outputs: it must have one of each", name, a->graph->nins,
                   a->graph->nouts);
        return false;
    }
    return a->graph->inlined(b, a->graph, x, x);
}

bool flex_attention(Build *b, const Node *n, Edge **out)
{
    Heads h;
    Node wide = *n;
    Edge *in[3];
    for (int k = 0; k < 3; k++) {
        in[k] = n->in[k];
        if (math_type(in[k]->type.dt) != in[k]->type.dt)
            in[k] = build_cast(b, in[k], DT_F32);
    }
    wide.in = in;
    if (!attention_heads(b, &wide, &h))
        return false;
    Edge *x = attention_scores(b, &wide, &h);
    if (edge_poisoned(x) || !modified(b, n, "score_mod", &x))
        return false;
    x = probabilities(b, x, NULL, DT_F32);
    if (!modified(b, n, "prob_mod", &x))
        return false;
    out[0] = build_cast(b, head_product(b, x, h.v), arg_type(n, 2).dt);
    return true;
}

/* ---- RotaryEmbedding: pairs of elements of a head turn by an angle that depends on the position ---- */

typedef struct Rotary {
    int64_t heads, size, turned; /* size: of a head; turned: how many of its elements take part */
    bool pairs;                  /* pairs are neighbours, else a half apart */
} Rotary;

static bool rotary_of(Build *b, const Node *n, Rotary *r)
{
    Type t = arg_type(n, 0);
    r->heads = t.rank == 4 ? t.dims[1] : node_int(n, "num_heads", 0);
    r->pairs = node_int(n, "interleaved", 0) != 0;
    bool fits = (t.rank == 3 || t.rank == 4) && r->heads > 0 && (t.rank == 4 || t.dims[2] % r->heads == 0);
    if (fits) {
        r->size = t.rank == 4 ? t.dims[3] : t.dims[2] / r->heads;
        r->turned = node_int(n, "rotary_embedding_dim", 0);
        r->turned = r->turned ? r->turned : r->size;
        int64_t batch = t.dims[0], length = t.dims[t.rank - 2], half = r->turned / 2;
        fits = r->turned > 0 && r->turned <= r->size && r->turned % 2 == 0;
        for (int k = 1; fits && k <= 2; k++) {
            Type v = arg_type(n, k);
            fits = arg(n, 3) ? v.rank == 2 && v.dims[0] > 0 && v.dims[1] == half
                             : v.rank == 3 && v.dims[0] == batch && v.dims[1] == length && v.dims[2] == half;
        }
        if (fits && arg(n, 3))
            fits = same_dims(arg_type(n, 3), (Type){DT_I64, 2, (int64_t[]){batch, length}});
    }
    if (!fits)
        node_error(
            b, n,
            "X is %s, cos_cache is %s, sin_cache is %s, %lld heads: X is [batch, heads, length, size] or [batch, "
            "length, heads·size], the caches [batch, length, turned/2] or, with position_ids of [batch, length], "
            "[positions, turned/2]",
            type_text(b->c, t), type_text(b->c, arg_type(n, 1)), type_text(b->c, arg_type(n, 2)), (long long)r->heads);
    return fits;
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
    y = expr_op2(c, OP_add, y, expr_select(c, first, expr_op1(c, OP_neg, cross), cross));
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
    if (!fits)
        node_error(b, n,
                   "past_cache is %s, update is %s, axis = %d: the update must have the shape of the cache but for the "
                   "axis, where it is no longer; write_indices has one element for each batch; the axis is not the "
                   "first",
                   type_text(b->c, t), type_text(b->c, u), axis);
    return fits;
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
