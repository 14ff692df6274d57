/* Random numbers: of the Mersenne Twister MT19937, as NumPy's RandomState(seed) and so the standard's reference
 * implementation draw them: 53 bits of two words to a uniform number, a pair of normal ones by the polar method. The
 * same on every machine and, as nothing is kept between calls, at every call. Without a seed, that of the name of the
 * node's first output is taken. Everything here is composed of one operator of burin's own, which gives uniform
 * numbers from 0 to 1 or standard normal ones. */
#include "meaning.h"

enum { WORDS = 624 };

/* A sequence of statements that is being made; scalars are locals of it. */
typedef struct Steps {
    Ctx *c;
    Buf *state;
    VEC(const Stmt *) all;
} Steps;

static Buf *scalar(Steps *s, const char *name, const Expr *v)
{
    Buf *b = buf_new(s->c, BUF_LOCAL, name, v->dt, 0, NULL);
    VEC_PUSH(s->c, s->all, stmt_local(s->c, b));
    VEC_PUSH(s->c, s->all, stmt_store(s->c, b, NULL, v));
    return b;
}

static const Expr *now(Steps *s, const Buf *b)
{
    return expr_load_version(s->c, b, NULL, 1);
}

static const Expr *bits(Ctx *c, ScalarOp op, const Expr *x, uint32_t v)
{
    return expr_op2(c, op, x, expr_int(c, DT_U32, v));
}

/* x ^ (x << n & mask); n < 0: a shift to the right */
static const Expr *mixed(Ctx *c, const Expr *x, int n, uint32_t mask)
{
    const Expr *y = bits(c, n < 0 ? OP_shr : OP_shl, x, (uint32_t)(n < 0 ? -n : n));
    return expr_op2(c, OP_bitxor, x, bits(c, OP_bitand, y, mask));
}

static const Expr *state_at(Steps *s, const Idx *n, int further)
{
    const Idx *at = idx_digit(s->c, idx_add(s->c, n, idx_const(s->c, further)), 1, WORDS);
    return expr_load_version(s->c, s->state, &at, 1);
}

/* Number k of those drawn, from two words of the state, which are renewed. */
static Buf *draw(Steps *s, const Idx *k, DType dt)
{
    static const struct {
        int n;
        uint32_t mask;
    } temper[] = {{-11, UINT32_MAX}, {7, 0x9D2C5680}, {15, 0xEFC60000}, {-18, UINT32_MAX}};
    Ctx *c = s->c;
    const Expr *half[2];
    for (int i = 0; i < 2; i++) {
        const Idx *n = idx_axpy(c, idx_const(c, i), 2, k), *at = idx_digit(c, n, 1, WORDS);
        const Expr *y = bits(c, OP_bitand, state_at(s, n, 1), 0x7FFFFFFF);
        Buf *w = scalar(s, "w", expr_op2(c, OP_bitor, bits(c, OP_bitand, state_at(s, n, 0), 0x80000000), y));
        const Expr *odd = bits(c, OP_mul, bits(c, OP_bitand, now(s, w), 1), 0x9908B0DF);
        y = expr_op2(c, OP_bitxor, bits(c, OP_shr, now(s, w), 1), odd);
        VEC_PUSH(c, s->all, stmt_store(c, w, NULL, expr_op2(c, OP_bitxor, state_at(s, n, 397), y)));
        VEC_PUSH(c, s->all, stmt_store(c, s->state, &at, now(s, w)));
        for (int j = 0; j < COUNT(temper); j++)
            VEC_PUSH(c, s->all, stmt_store(c, w, NULL, mixed(c, now(s, w), temper[j].n, temper[j].mask)));
        half[i] = expr_cast(c, DT_U64, bits(c, OP_shr, now(s, w), i ? 6 : 5));
    }
    half[0] = expr_op2(c, OP_bitor, expr_op2(c, OP_shl, half[0], expr_int(c, DT_U64, 26)), half[1]);
    return scalar(s, "u", expr_op2(c, OP_mul, expr_cast(c, dt, half[0]), expr_float(c, dt, 0x1p-53)));
}

/* Standard normal ones: points of the square are drawn until one lies within the circle. As many tries as numbers, and
 * 65, fail to suffice for none of 10^12 seeds (then 0 is left). */
static const Stmt *normal(Steps *s, Buf *out, DType dt)
{
    Ctx *c = s->c;
    const int64_t n = buf_count(out), tries = n + 65;
    Sweep t;
    Steps try = {.c = c, .state = s->state}, put = {.c = c};
    const Idx *at[MAX_RANK];
    const Expr *x[2], *one = expr_float(c, dt, 1), *have = now(s, scalar(s, "filled", i64(c, 0)));
    const Buf *filled = have->buf;
    const Expr *wanted = expr_op2(c, OP_lt, have, i64(c, n)), *more = expr_op2(c, OP_add, have, i64(c, 1));
    sweep_open(c, &t, 1, &tries);
    for (int i = 0; i < 2; i++) {
        x[i] = now(&try, draw(&try, idx_axpy(c, idx_const(c, i), 2, t.i[0]), dt));
        x[i] = expr_op2(c, OP_sub, expr_op2(c, OP_mul, expr_float(c, dt, 2), x[i]), one);
        x[i] = now(&try, scalar(&try, "x", x[i]));
    }
    const Expr *r = expr_op2(c, OP_add, expr_op2(c, OP_mul, x[0], x[0]), expr_op2(c, OP_mul, x[1], x[1]));
    r = now(&try, scalar(&try, "r", r));
    const Expr *f = expr_op2(c, OP_div, expr_op2(c, OP_mul, expr_float(c, dt, -2), expr_op1(c, OP_log, r)), r);
    f = now(&put, scalar(&put, "f", expr_op1(c, OP_sqrt, f)));
    idx_unflat(c, clamped(c, have, n), out->rank, out->dims, at);
    for (int i = 0; i < 2; i++) {
        const Stmt *one_more[2] = {stmt_store(c, out, at, expr_cast(c, out->dt, expr_op2(c, OP_mul, f, x[!i]))),
                                   stmt_store(c, filled, NULL, more)};
        VEC_PUSH(c, put.all, stmt_if(c, wanted, stmt_seq(c, 2, one_more), NULL));
    }
    const Expr *inside = expr_op2(c, OP_and, expr_op2(c, OP_lt, r, one), expr_op2(c, OP_gt, r, zero(c, dt)));
    VEC_PUSH(c, try.all, stmt_if(c, inside, stmt_seq(c, put.all.n, put.all.at), NULL));
    return sweep_around(c, &t, stmt_if(c, wanted, stmt_seq(c, try.all.n, try.all.at), NULL));
}

bool random_infer(Build *b, const Node *n, Type *out)
{
    Ints dims;
    int64_t dt = node_int(n, "dtype", DT_F32);
    attr_list(n, "shape", &dims);
    bool fits = dt > 0 && dt < DT_COUNT && dtype_is_float((DType)dt) && dtype_bits((DType)dt) >= 16;
    for (int i = 0; i < dims.n; i++)
        fits = fits && dims.v[i] >= 0;
    if (!fits)
        node_error(b, n, "dtype = %lld, shape = %s: they must be a float of 16 bits or more, and no negative sizes",
                   (long long)dt, dims_text(b->c, dims.n, dims.v));
    return fits && make_type(b, n, out, 0, (DType)dt, dims.n, dims.v);
}

void random_numbers(Lower *l)
{
    Ctx *c = l->c;
    Buf *out = l->out[0];
    const int64_t words = WORDS, later = WORDS - 1, n = buf_count(out);
    const Idx *first = idx_const(c, 0), *next, *at[MAX_RANK];
    Sweep w, e;
    Steps s = {.c = c, .state = buf_new(c, BUF_LOCAL, "state", DT_U32, 1, &words)}, one = s;
    sweep_open(c, &w, 1, &later);
    sweep_open(c, &e, 1, &n);
    next = idx_add(c, w.i[0], idx_const(c, 1));
    const Expr *x = bits(c, OP_mul, mixed(c, expr_load_version(c, s.state, w.i, 1), -30, 3), 1812433253);
    x = expr_op2(c, OP_add, x, expr_cast(c, DT_U32, expr_index(c, next)));
    VEC_PUSH(c, s.all, stmt_local(c, s.state));
    VEC_PUSH(c, s.all, stmt_store(c, s.state, &first, expr_int(c, DT_U32, node_int(l->node, "seed", 0))));
    VEC_PUSH(c, s.all, sweep_around(c, &w, stmt_store(c, s.state, &next, x)));
    idx_unflat(c, e.i[0], out->rank, out->dims, at);
    if (node_int(l->node, "normal", 0)) {
        lower_store(l, out, zero(c, out->dt));
        const Stmt *all = normal(&s, out, math_type(out->dt));
        VEC_PUSH(c, s.all, all);
    } else {
        x = now(&one, draw(&one, e.i[0], math_type(out->dt)));
        VEC_PUSH(c, one.all, stmt_store(c, out, at, expr_cast(c, out->dt, x)));
        VEC_PUSH(c, s.all, sweep_around(c, &e, stmt_seq(c, one.all.n, one.all.at)));
    }
    lower_nest(l, out, stmt_seq(c, s.all.n, s.all.at));
}

/* ---- what is composed of it ---- */

/* Numbers of that shape, by the node's seed. */
static Edge *drawn(Build *b, const Node *n, int64_t dt, bool normal, int rank, const int64_t *dims)
{
    const Attr *a = node_attr(n, "seed");
    uint32_t seed = 2166136261;
    for (int k = n->nout; !a && k-- > 0;)
        for (const char *s = n->out[k] ? n->out[k]->name : ""; *s; s++)
            seed = (seed ^ (unsigned char)*s) * 16777619;
    if (a)
        seed = (uint32_t)(a->kind == ATTR_INT ? a->i : fabsf(a->f) < 0x1p62F ? (int64_t)a->f : 0);
    const Attr attrs[4] = {attr_int(b->c, "dtype", dt), attr_int(b->c, "normal", normal), attr_int(b->c, "seed", seed),
                           attr_ints(b->c, "shape", rank, dims)};
    return build_op(b, "burin::Random", 0, NULL, 4, attrs);
}

bool random_scaled(Build *b, const Node *n, Edge **out)
{
    bool normal = node_attr(n, "mean") != NULL;
    Ints dims;
    int64_t dt = node_int(n, "dtype", n->nin ? arg_type(n, 0).dt : DT_F32);
    if (n->nin)
        dims = (Ints){arg_type(n, 0).rank, arg_type(n, 0).dims};
    else
        attr_list(n, "shape", &dims);
    float from = node_float(n, normal ? "mean" : "low", 0), by = node_float(n, normal ? "scale" : "high", 1);
    Edge *x = drawn(b, n, dt, normal, dims.n, dims.v);
    by = normal ? by : by - from;
    out[0] = x;
    if (!edge_poisoned(x) && (by != 1 || from != 0))
        out[0] = build_op2(b, "Add", build_op2(b, "Mul", x, like(b, x, (double)by)), like(b, x, (double)from));
    return true;
}

/* Beyond a half, what is left of 1 is compared, as NumPy does. */
bool bernoulli(Build *b, const Node *n, Edge **out)
{
    DType dt = arg_type(n, 0).dt;
    Edge *p = build_cast(b, n->in[0], math_type(dt)), *u = drawn(b, n, p->type.dt, false, p->type.rank, p->type.dims);
    Edge *low = build_op2(b, "Greater", u, build_op2(b, "Sub", like(b, p, 1), p));
    Edge *pick[3] = {build_op2(b, "LessOrEqual", p, like(b, p, 0.5)), low, build_op2(b, "LessOrEqual", u, p)};
    out[0] = build_cast(b, build_op(b, "Where", 3, pick, 0, NULL), (DType)node_int(n, "dtype", dt));
    return true;
}

/* Places in the running sum of the probabilities. */
bool multinomial(Build *b, const Node *n, Edge **out)
{
    Type t = arg_type(n, 0);
    int64_t size = node_int(n, "sample_size", 1), dt = node_int(n, "dtype", DT_I32);
    if (t.rank != 2 || t.dims[1] < 1 || size < 0 || (dt != DT_I32 && dt != DT_I64))
        return node_error(b, n, "input is %s, sample_size = %lld, dtype = %lld: they must be [batch, classes] with a "
                          "class, not negative, and int32 or int64", type_text(b->c, t), (long long)size,
                          (long long)dt);
    const int64_t one = 1, two = 2, sums[3] = {t.dims[0], 1, t.dims[1]}, each[3] = {t.dims[0], size, 1};
    const Attr axis = attr_int(b->c, "axis", 1), keep = attr_int(b->c, "keepdims", 0);
    Edge *u = drawn(b, n, t.dt, false, 2, each), *p = build_op(b, "Softmax", 1, n->in, 1, &axis);
    p = reshaped(b, build_op2(b, "CumSum", p, build_ints(b, 1, &one)), 3, sums);
    Edge *below = build_cast(b, build_op2(b, "LessOrEqual", p, reshaped(b, u, 3, each)), (DType)dt);
    below = build_op(b, "ReduceSum", 2, (Edge *[]){below, build_ints(b, 1, &two)}, 1, &keep);
    out[0] = build_op2(b, "Min", below, like(b, below, (double)(t.dims[1] - 1)));
    return true;
}

static Edge *ones(Build *b, Type t, DType dt)
{
    return build_op2(b, "Expand", build_scalar(b, dt, 1), build_ints(b, t.rank, t.dims));
}

/* In inference: the input, and a mask of ones, which before version 10 has the data's type. */
bool dropout_old(Build *b, const Node *n, Edge **out)
{
    bool bools = n->sig->since >= 10;
    out[0] = n->in[0];
    if (n->nout > 1)
        out[1] = n->out[1] ? ones(b, arg_type(n, 0), bools ? DT_BOOL : arg_type(n, 0).dt) : NULL;
    return true;
}

/* In training, whether that is known or not: what is dropped is 0, the rest grows by that share. */
bool dropout(Build *b, const Node *n, Edge **out)
{
    const Tensor *training = arg_known(n, 2), *known = arg_known(n, 1);
    Type t = arg_type(n, 0);
    if ((arg(n, 1) && type_count(arg_type(n, 1)) != 1) || (arg(n, 2) && type_count(arg_type(n, 2)) != 1))
        return node_error(b, n, "ratio and training_mode must be single values");
    if (!arg(n, 2) || (training && !tensor_at_int(training, 0)) || (known && tensor_at_double(known, 0) == 0))
        return dropout_old(b, n, out);
    DType dt = math_type(t.dt);
    Edge *x = build_cast(b, n->in[0], dt), *none = like(b, x, 0), *one = like(b, x, 1);
    Edge *ratio = arg(n, 1) ? reshaped(b, build_cast(b, n->in[1], dt), 0, NULL) : like(b, x, 0.5);
    ratio = build_op(b, "Where", 3, (Edge *[]){reshaped(b, n->in[2], 0, NULL), ratio, none}, 0, NULL);
    Edge *kept = build_op2(b, "GreaterOrEqual", drawn(b, n, dt, false, t.rank, t.dims), ratio);
    x = build_op2(b, "Mul", x, build_op2(b, "Div", one, build_op2(b, "Sub", one, ratio)));
    out[0] = build_cast(b, build_op(b, "Where", 3, (Edge *[]){kept, x, none}, 0, NULL), t.dt);
    if (n->nout > 1)
        out[1] = kept;
    return true;
}
