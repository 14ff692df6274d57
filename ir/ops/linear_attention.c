/* LinearAttention: a state per head, a matrix of keys against values, goes through the sequence: it decays, takes in
 * the product of a key and a value (with the delta rule: of what it does not know yet), and is read by the queries. One
 * nest works on one buffer, since a kernel fills only one: for each batch and head its rows are the state, the value
 * that is taken in, and what each query read. */
#include "meaning.h"

/* B, T: batch, length; H, Q: heads of keys and of queries; K, V: sizes. */
static bool linear_of(Build *b, const Node *n, Sizes *s)
{
    const char *rule = node_string(n, "update_rule", "gated_delta");
    int64_t queries = node_int(n, "q_num_heads", 0), heads = node_int(n, "kv_num_heads", 0);
    bool gated = strncmp(rule, "gated", 5) == 0, delta = strstr(rule, "delta") != NULL;
    *s = (Sizes){0};
    size_set(s, 'Q', queries);
    size_set(s, 'H', heads);
    if ((arg(n, 4) != NULL) != gated || (arg(n, 5) != NULL) != delta)
        return node_error(b, n, "update_rule = \"%s\" %s decay and %s beta", rule, gated ? "needs" : "has no",
                          delta ? "needs" : "has no");
    if (heads < 1 || queries < 1 || queries % heads)
        return unfit(b, n, "there are as many heads of queries as of keys and values, or a multiple of that");
    return shapes(b, n, s, "query[B,T,Q*K] key[B,T,H*K] value[B,T,H*V] past_state[B,H,K,V] decay[B,T,H|H*K] "
                           "beta[B,T,H|1]; Q = q_num_heads, H = kv_num_heads");
}

bool linear_attention_infer(Build *b, const Node *n, Type *out)
{
    Sizes s;
    return linear_of(b, n, &s) && make_shape(b, n, out, 0, arg_type(n, 0).dt, &s, "B,T,Q*V") &&
           make_shape(b, n, out, 1, arg_type(n, arg(n, 3) ? 3 : 0).dt, &s, "B,H,K,V");
}

void linear_attention(Lower *l)
{
    Ctx *c = l->c;
    DType dt = math_type(in_type(l, 0).dt);
    Sizes s;
    linear_of(l->b, l->node, &s);
    int64_t keys = s.of['K'], values = s.of['V'], group = s.of['Q'] / s.of['H'];
    double scale = (double)node_float(l->node, "scale", 0);
    scale = scale == 0 ? 1 / sqrt((double)keys) : scale;
    Buf *work = lower_temp(l, "work", dt, 4,
                           (int64_t[]){s.of['B'], s.of['H'], keys + 1 + s.of['T'] * group, values});
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
         "} }", work, i64(c, s.of['B']), i64(c, s.of['H']), i64(c, keys), i64(c, values), i64(c, s.of['T']),
         i64(c, group), expr_float(c, dt, scale), zero(c, dt));
    if (l->out[0]) {
        const Idx *const *i = lower_vars(l, 3, out_type(l, 0).dims);
        const Idx *query = idx_digit(c, i[2], values, 0), *row = idx_digit(c, query, 1, group);
        row = idx_add(c, idx_axpy(c, row, group, i[1]), idx_const(c, keys + 1));
        const Idx *at[4] = {i[0], idx_digit(c, query, group, 0), row, idx_digit(c, i[2], 1, values)};
        lower_store(l, l->out[0], expr_load(c, work, at));
    }
    if (l->out[1])
        lower_store(l, l->out[1], expr_load(c, work, lower_vars(l, 4, out_type(l, 1).dims)));
}
