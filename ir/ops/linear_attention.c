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

typedef struct State { /* what the steps of the nest share */
    Lower *l;
    Linear a;
    Buf *work;
    Sweep head, time; /* batch and head; step */
    DType dt;
} State;

/* Element `row`, m of the work buffer. */
static const Idx *const *work_at(State *s, const Idx *row, const Idx *m, const Idx **at)
{
    at[0] = s->head.i[0];
    at[1] = s->head.i[1];
    at[2] = row;
    at[3] = m;
    return at;
}

static const Expr *work(State *s, const Idx *row, const Idx *m)
{
    const Idx *at[4];
    return expr_load_version(s->l->c, s->work, work_at(s, row, m, at), 1);
}

static const Stmt *set(State *s, const Idx *row, const Idx *m, const Expr *value)
{
    const Idx *at[4];
    return stmt_store(s->l->c, s->work, work_at(s, row, m, at), value);
}

/* Element i of a head's part, of `size` elements, of operand k at this step. */
static const Expr *operand(State *s, int k, const Idx *head, int64_t size, const Idx *i)
{
    Ctx *c = s->l->c;
    const Idx *at[3] = {s->head.i[0], s->time.i[0], idx_axpy(c, i, size, head)};
    return expr_cast(c, s->dt, in_math(s->l, k, at));
}

/* acc = sum over the keys of x·state[key][m], then what `then` makes of it; x reads `key`. */
static const Stmt *key_sum(State *s, Buf *acc, const Sweep *key, const Expr *x, const Idx *m, const Stmt *then)
{
    Ctx *c = s->l->c;
    const Expr *sum = expr_op3(c, OP_mad, x, work(s, key->i[0], m), expr_load_version(c, acc, NULL, 1));
    return stmt_seq(c, 4,
                    (const Stmt *[]){stmt_local(c, acc), stmt_store(c, acc, NULL, zero(c, s->dt)),
                                     sweep_around(c, key, stmt_store(c, acc, NULL, sum)), then});
}

/* The value that is taken in, into its row. */
static const Stmt *taken_in(State *s)
{
    Ctx *c = s->l->c;
    Sweep m, key;
    sweep_open(c, &m, 1, &s->a.values);
    const Idx *row = idx_const(c, s->a.keys), *none = idx_const(c, 0), *head = s->head.i[1];
    const Expr *v = operand(s, 2, head, s->a.values, m.i[0]);
    if (!s->a.delta)
        return sweep_around(c, &m, set(s, row, m.i[0], v));
    sweep_open(c, &key, 1, &s->a.keys);
    Buf *acc = buf_new(c, BUF_LOCAL, "known", s->dt, 0, NULL);
    const Expr *beta = operand(s, 5, in_type(s->l, 5).dims[2] == 1 ? none : head, 1, none);
    v = expr_op2(c, OP_mul, beta, expr_op2(c, OP_sub, v, expr_load_version(c, acc, NULL, 1)));
    const Expr *x = operand(s, 1, head, s->a.keys, key.i[0]);
    return sweep_around(c, &m, key_sum(s, acc, &key, x, m.i[0], set(s, row, m.i[0], v)));
}

/* One step of the sequence. */
static const Stmt *step(State *s, double scale)
{
    Ctx *c = s->l->c;
    Sweep cell, next, group, key;
    const Stmt *body[4];
    int n = 0;
    const int64_t size[2] = {s->a.keys, s->a.values}, reads[2] = {s->a.group, s->a.values};
    const Idx *head = s->head.i[1], *none = idx_const(c, 0), *row = idx_const(c, s->a.keys);
    if (s->a.gated) {
        sweep_open(c, &cell, 2, size);
        bool single_one = in_type(s->l, 4).dims[2] == s->a.heads;
        const Expr *decay = operand(s, 4, head, single_one ? 1 : s->a.keys, single_one ? none : cell.i[0]);
        const Expr *less = expr_op2(c, OP_mul, work(s, cell.i[0], cell.i[1]), expr_op1(c, OP_exp, decay));
        body[n++] = sweep_around(c, &cell, set(s, cell.i[0], cell.i[1], less));
    }
    body[n++] = taken_in(s);
    sweep_open(c, &next, 2, size);
    const Expr *more = expr_op3(c, OP_mad, operand(s, 1, head, s->a.keys, next.i[0]), work(s, row, next.i[1]),
                                work(s, next.i[0], next.i[1]));
    body[n++] = sweep_around(c, &next, set(s, next.i[0], next.i[1], more));
    sweep_open(c, &group, 2, reads);
    sweep_open(c, &key, 1, &s->a.keys);
    Buf *acc = buf_new(c, BUF_LOCAL, "read", s->dt, 0, NULL);
    const Idx *query = idx_axpy(c, group.i[0], s->a.group, head);
    const Idx *to = idx_add(c, idx_axpy(c, group.i[0], s->a.group, s->time.i[0]), idx_const(c, s->a.keys + 1));
    const Expr *y = expr_op2(c, OP_mul, expr_load_version(c, acc, NULL, 1), expr_float(c, s->dt, scale));
    const Expr *x = operand(s, 0, query, s->a.keys, key.i[0]);
    body[n++] = sweep_around(c, &group, key_sum(s, acc, &key, x, group.i[1], set(s, to, group.i[1], y)));
    return stmt_seq(c, n, body);
}

void linear_attention(Lower *l)
{
    Ctx *c = l->c;
    State s = {.l = l, .dt = math_type(in_type(l, 0).dt)};
    Sweep cell;
    linear_of(l->b, l->node, &s.a);
    const int64_t heads[2] = {s.a.batch, s.a.heads}, size[2] = {s.a.keys, s.a.values};
    int64_t dims[4] = {s.a.batch, s.a.heads, s.a.keys + 1 + s.a.length * s.a.group, s.a.values};
    double scale = (double)node_float(l->node, "scale", 0);
    scale = scale == 0 ? 1 / sqrt((double)s.a.keys) : scale;
    s.work = lower_temp(l, "work", s.dt, 4, dims);
    sweep_open(c, &s.head, 2, heads);
    sweep_open(c, &s.time, 1, &s.a.length);
    sweep_open(c, &cell, 2, size);
    const Idx *past[4] = {s.head.i[0], s.head.i[1], cell.i[0], cell.i[1]};
    const Expr *first = arg(l->node, 3) ? expr_cast(c, s.dt, in_math(l, 3, past)) : zero(c, s.dt);
    const Stmt *body[2] = {sweep_around(c, &cell, set(&s, cell.i[0], cell.i[1], first)), NULL};
    body[1] = sweep_around(c, &s.time, step(&s, scale));
    lower_nest(l, s.work, sweep_around(c, &s.head, stmt_seq(c, 2, body)));
    if (l->out[0]) {
        const Idx *const *i = lower_vars(l, 3, out_type(l, 0).dims);
        const Idx *query = idx_digit(c, i[2], s.a.values, 0), *row = idx_digit(c, query, 1, s.a.group);
        row = idx_add(c, idx_axpy(c, row, s.a.group, i[1]), idx_const(c, s.a.keys + 1));
        const Idx *at[4] = {i[0], idx_digit(c, query, s.a.group, 0), row, idx_digit(c, i[2], 1, s.a.values)};
        lower_store(l, l->out[0], expr_load(c, s.work, at));
    }
    if (l->out[1])
        lower_store(l, l->out[1], expr_load(c, s.work, lower_vars(l, 4, out_type(l, 1).dims)));
}
