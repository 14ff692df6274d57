/* LinearAttention: a state per head, a matrix of keys against values, goes through the sequence: it decays, takes in
 * the product of a key and a value (with the delta rule: of what it does not know yet), and is read by the queries. One
 * nest works on one buffer, since a kernel fills only one: for each batch and head its rows are the state, the value
 * that is taken in, and what each query read. */
#include "meaning.h"

typedef struct Linear {
    int64_t batch, length, heads, group, keys, values; /* group: queries per head; keys, values: sizes */
    bool gated, delta;
} Linear;

static bool linear_of(Build *b, const Node *n, Linear *a)
{
    Type q = arg_type(n, 0), k = arg_type(n, 1), v = arg_type(n, 2);
    const char *rule = node_string(n, "update_rule", "gated_delta");
    int64_t queries = node_int(n, "q_num_heads", 0);
    *a = (Linear){.heads = node_int(n, "kv_num_heads", 0)};
    a->gated = strncmp(rule, "gated", 5) == 0;
    a->delta = strstr(rule, "delta") != NULL;
    if ((arg(n, 4) != NULL) != a->gated || (arg(n, 5) != NULL) != a->delta)
        return node_error(b, n, "update_rule = \"%s\" %s decay and %s beta", rule, a->gated ? "needs" : "has no",
                          a->delta ? "needs" : "has no");
    bool fits = q.rank == 3 && k.rank == 3 && v.rank == 3 && a->heads > 0 && queries > 0 && queries % a->heads == 0;
    if (fits) {
        a->batch = q.dims[0];
        a->length = q.dims[1];
        a->group = queries / a->heads;
        a->keys = q.dims[2] / queries;
        a->values = v.dims[2] / a->heads;
        fits = a->keys * queries == q.dims[2] && a->keys * a->heads == k.dims[2] && a->values * a->heads == v.dims[2];
        for (int i = 1; fits && i <= 5; i++)
            if (i != 3 && arg(n, i))
                fits = arg_type(n, i).rank == 3 && arg_type(n, i).dims[0] == a->batch &&
                       arg_type(n, i).dims[1] == a->length;
        if (fits && a->gated)
            fits = arg_type(n, 4).dims[2] == a->heads || arg_type(n, 4).dims[2] == k.dims[2];
        if (fits && a->delta)
            fits = arg_type(n, 5).dims[2] == a->heads || arg_type(n, 5).dims[2] == 1;
        if (fits && arg(n, 3))
            fits = same_dims(arg_type(n, 3), (Type){DT_F32, 4, (int64_t[]){a->batch, a->heads, a->keys, a->values}});
    }
    if (!fits)
        node_error(
            b, n,
            "query is %s, key is %s, value is %s, q_num_heads = %lld, kv_num_heads = %lld: all are [batch, length, "
            "heads·size]; past_state is [batch, kv_num_heads, key size, value size], decay and beta have one "
            "element per head (decay: or per key element)",
            type_text(b->c, q), type_text(b->c, k), type_text(b->c, v), (long long)queries, (long long)a->heads);
    return fits;
}

bool linear_attention_infer(Build *b, const Node *n, Type *out)
{
    Linear a;
    if (!linear_of(b, n, &a))
        return false;
    int64_t dims[4] = {a.batch, a.length, a.heads * a.group * a.values};
    int64_t state[4] = {a.batch, a.heads, a.keys, a.values};
    return make_type(b, n, out, 0, arg_type(n, 0).dt, 3, dims) &&
           make_type(b, n, out, 1, arg_type(n, arg(n, 3) ? 3 : 0).dt, 4, state);
}

void linear_attention(Lower *l)
{
    Ctx *c = l->c;
    DType dt = math_type(in_type(l, 0).dt);
    Linear a;
    linear_of(l->b, l->node, &a);
    double scale = (double)node_float(l->node, "scale", 0);
    scale = scale == 0 ? 1 / sqrt((double)a.keys) : scale;
    Buf *work = lower_temp(l, "work", dt, 4,
                           (int64_t[]){a.batch, a.heads, a.keys + 1 + a.length * a.group, a.values});
    nest(l, "w[], batch, heads, keys, values, length, group, scale, zero: for b < batch { for h < heads {"
         "    for i < keys { for m < values { w[b, h, i, m] = given(past_state) ? past_state[b, h, i, m] : zero; } }"
         "    for t < length {"
         "        if (given(decay)) { for i < keys { for m < values {"
         "            decays = decay[b, t, dim(decay, 2) == heads ? h : h * keys + i];"
         "            w[b, h, i, m] = w[b, h, i, m] * exp(decays);"
         "        } } }"
         "        for m < values {"
         "            v = value[b, t, h * values + m];"
         "            if (given(beta)) {"
         "                var known = zero;"
         "                for i < keys { known = mad(key[b, t, h * keys + i], w[b, h, i, m], known); }"
         "                w[b, h, keys, m] = beta[b, t, dim(beta, 2) == 1 ? 0 : h] * (v - known);"
         "            } else { w[b, h, keys, m] = v; }"
         "        }"
         "        for i < keys { for m < values {"
         "            w[b, h, i, m] = mad(key[b, t, h * keys + i], w[b, h, keys, m], w[b, h, i, m]);"
         "        } }"
         "        for g < group { for m < values {"
         "            var read = zero;"
         "            for i < keys { read = mad(query[b, t, (h * group + g) * keys + i], w[b, h, i, m], read); }"
         "            w[b, h, t * group + g + keys + 1, m] = read * scale;"
         "        } }"
         "    }"
         "} }", work, i64(c, a.batch), i64(c, a.heads), i64(c, a.keys), i64(c, a.values), i64(c, a.length),
         i64(c, a.group), expr_float(c, dt, scale), zero(c, dt));
    if (l->out[0]) {
        const Idx *const *i = lower_vars(l, 3, out_type(l, 0).dims);
        const Idx *query = idx_digit(c, i[2], a.values, 0), *row = idx_digit(c, query, 1, a.group);
        row = idx_add(c, idx_axpy(c, row, a.group, i[1]), idx_const(c, a.keys + 1));
        const Idx *at[4] = {i[0], idx_digit(c, query, a.group, 0), row, idx_digit(c, i[2], 1, a.values)};
        lower_store(l, l->out[0], expr_load(c, work, at));
    }
    if (l->out[1])
        lower_store(l, l->out[1], expr_load(c, work, lower_vars(l, 4, out_type(l, 1).dims)));
}
