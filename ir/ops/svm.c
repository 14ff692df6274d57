/* Linear models and support vector machines: products with constants. Machines of several classes stand for pairs of
 * them; how they are weighed and how they vote are constants, too. Only the probabilities of classes from those of
 * pairs need loops of their own: PairCoupling. */
#include "meaning.h"

/* x·w' + bias, w [rows, columns of x] */
static Edge *product(Build *b, Edge *x, Edge *w, Edge *bias)
{
    Attr t = attr_int(b->c, "transB", 1);
    return build_op(b, "Gemm", bias ? 3 : 2, (Edge *[]){x, w, bias}, 1, &t);
}

static Edge *linear(Build *b, const Node *n, Edge *x, int64_t rows, Edge *bias)
{
    const Tensor *more = attr_data(b, n, "intercepts");
    if (more && type_count(more->type))
        bias = attr_const(b, n, "intercepts", x->type.dt, 1, &rows);
    return product(b, x, attr_const(b, n, "coefficients", x->type.dt, 2, (int64_t[]){rows, x->type.dims[1]}), bias);
}

bool linear_regressor(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n);
    out[0] = x ? post_transformed(b, n, linear(b, n, x, node_int(n, "targets", 1), NULL), DT_F32) : NULL;
    return out[0] != NULL;
}

bool linear_classifier(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n);
    int64_t classes = class_count(b, n), count = type_count(attr_data(b, n, "coefficients")->type);
    int64_t rows = classes == 2 && x && count == x->type.dims[1] ? 1 : classes;
    return x && classes && classified(b, n, linear(b, n, x, rows, NULL), SCORE_SHARE, 0, out);
}

/* ---- machines: for each row of weights w [rows,vectors] the sum of how near x is to each vector ---- */

static Edge *machines(Build *b, const Node *n, Edge *x, int64_t vectors, int64_t rows, const double *w, Edge *bias)
{
    static const char *const names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    enum { LINEAR, POLY, RBF };
    int kind = attr_place(b, n, "kernel_type", names, COUNT(names));
    const Tensor *p = attr_data(b, n, "kernel_params"), *given = attr_data(b, n, "support_vectors");
    int64_t axis = 1, dims[2] = {vectors, x->type.dims[1]}, size[2] = {rows, vectors}, f = dims[1];
    Edge *v = attr_const(b, n, "support_vectors", x->type.dt, 2, dims);
    double param[3] = {0, 0, 0}; /* gamma, coef0, degree */
    for (int i = 0; i < 3 && p && i < type_count(p->type); i++)
        param[i] = tensor_at_double(p, i);
    if (kind < 0 || edge_poisoned(v))
        return NULL;
    if (kind == LINEAR && rows * f <= (rows + f) * vectors) { /* one vector for each row */
        double *sum = NEW_N(b->c, double, rows * f);
        for (int64_t i = 0; i < rows * vectors; i++)
            for (int64_t j = 0; w[i] != 0 && j < f; j++)
                sum[i / vectors * f + j] += w[i] * tensor_at_double(given, i % vectors * f + j);
        size[1] = f;
        return product(b, x, numbers(b, x->type.dt, 2, size, NULL, sum), bias);
    }
    if (kind == RBF) {
        x = build_op2(b, "Sub", build_op2(b, "Unsqueeze", x, build_ints(b, 1, &axis)), v);
        x = last_reduced(b, "ReduceSumSquare", x, 0);
        x = build_op1(b, "Exp", build_op2(b, "Mul", x, like(b, x, -param[0])));
    } else {
        x = product(b, x, v, NULL);
        x = kind == LINEAR ? x : build_op2(b, "Mul", x, like(b, x, param[0]));
        x = kind == LINEAR ? x : build_op2(b, "Add", x, like(b, x, param[1]));
        x = kind == LINEAR ? x : kind == POLY ? build_op2(b, "Pow", x, like(b, x, param[2])) : build_op1(b, "Tanh", x);
    }
    return product(b, x, numbers(b, x->type.dt, 2, size, NULL, w), bias);
}

/* The first rho for all. */
static Edge *rho_of(Build *b, const Node *n, DType dt)
{
    const Tensor *rho = attr_data(b, n, "rho");
    return build_scalar(b, dt, rho && type_count(rho->type) ? tensor_at_double(rho, 0) : 0);
}

bool svm_regressor(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n), *rho = x ? rho_of(b, n, x->type.dt) : NULL;
    const Tensor *coef = attr_data(b, n, "coefficients");
    int64_t vectors = node_int(n, "n_supports", 0), count = type_count(coef->type);
    double *w = NEW_N(b->c, double, count + 1);
    for (int64_t i = 0; i < count; i++)
        w[i] = tensor_at_double(coef, i);
    if (x && vectors > 0 && count != vectors) {
        node_error(b, n, "coefficients has %lld elements, n_supports is %lld: they must be equal", (long long)count,
                   (long long)vectors);
        return false;
    }
    if (!x || !(x = vectors > 0 ? machines(b, n, x, vectors, 1, w, rho) : linear(b, n, x, 1, rho)))
        return false;
    if (node_int(n, "one_class", 0) && !edge_poisoned(x)) {
        Edge *inside = build_op2(b, "Greater", x, like(b, x, 0)), *one = like(b, x, 1);
        x = where(b, inside, one, like(b, x, -1));
    }
    return (out[0] = post_transformed(b, n, x, DT_F32)) != NULL;
}

/* ---- pairs of classes i < j, each with a machine over the vectors of both ---- */

typedef struct Pairs {
    int64_t classes, vectors, count;
    double *w, *votes, *against; /* [count,vectors]; [count,classes]: 1 at i, -1 at j; how often a class is j */
    int64_t *place;              /* [classes,classes]: of (i, j) in the pairs, of (j, i) behind them; i = j: at the end */
} Pairs;

static bool pairs_of(Build *b, const Node *n, Pairs *m)
{
    const Tensor *coef = attr_data(b, n, "coefficients");
    Ints per;
    attr_list(n, "vectors_per_class", &per);
    int64_t k = m->classes, v = 0, p = 0, count = k * (k - 1) / 2, *start = NEW_N(b->c, int64_t, k + 1);
    for (int64_t i = 0; i < k && per.n == k && per.v[i] >= 0 && per.v[i] < INT32_MAX; i++)
        start[i + 1] = v += per.v[i];
    if (per.n != k || k < 2 || k > 1000 || v == 0 || type_count(coef->type) != (k - 1) * v) {
        node_error(b, n, "vectors_per_class has %d elements, their sum is %lld, coefficients has %lld: there are %lld "
                   "classes (2 .. 1000), and each vector has a coefficient for every other class", per.n, (long long)v,
                   (long long)type_count(coef->type), (long long)k);
        return false;
    }
    *m = (Pairs){k, v, count, NEW_N(b->c, double, count * v), NEW_N(b->c, double, count * k), NEW_N(b->c, double, k),
                 NEW_N(b->c, int64_t, k * k)};
    for (int64_t i = 0; i < k; i++) {
        m->place[i * k + i] = 2 * count;
        for (int64_t j = i + 1; j < k; j++, p++) {
            for (int64_t q = start[i]; q < start[i + 1]; q++)
                m->w[p * v + q] = tensor_at_double(coef, (j - 1) * v + q);
            for (int64_t q = start[j]; q < start[j + 1]; q++)
                m->w[p * v + q] = tensor_at_double(coef, i * v + q);
            m->votes[p * k + i] = 1;
            m->votes[p * k + j] = -1;
            m->against[j]++;
            m->place[i * k + j] = p;
            m->place[j * k + i] = count + p;
        }
    }
    return true;
}

/* The scores z of pairs as probabilities of classes (Wu, Lin and Weng, 2004): Q[i,j] = -r[j,i]·r[i,j], Q[i,i] the sum
 * of r[j,i]², where r[i,j] is that of i against j. */
static Edge *probabilities(Build *b, const Node *n, const Pairs *m, Edge *z)
{
    int64_t k = m->classes, behind = 2, perm[3] = {0, 2, 1};
    Attr axis = attr_int(b->c, "axis", 1), keep = attr_int(b->c, "keepdims", 1), turn = attr_ints(b->c, "perm", 3, perm);
    Edge *r = build_op2(b, "Mul", z, attr_const(b, n, "prob_a", z->type.dt, 1, &m->count)), *in[3];
    r = build_op2(b, "Add", r, attr_const(b, n, "prob_b", z->type.dt, 1, &m->count));
    if (edge_poisoned(r))
        return NULL;
    in[0] = build_op1(b, "Sigmoid", build_op1(b, "Neg", r));
    in[1] = like(b, r, 1e-7f);
    in[2] = like(b, r, (double)(1 - 1e-7f));
    in[0] = build_op(b, "Clip", 3, in, 0, NULL);
    in[1] = build_op2(b, "Sub", like(b, r, 1), in[0]);
    in[2] = build_op2(b, "Expand", like(b, r, 0), build_ints(b, 2, (int64_t[]){z->type.dims[0], 1}));
    r = build_op(b, "Concat", 3, in, 1, &axis);
    r = build_op(b, "Gather", 2, (Edge *[]){r, numbers(b, DT_I64, 2, (int64_t[]){k, k}, m->place, NULL)}, 1, &axis);
    Edge *q = build_op(b, "Transpose", 1, &r, 1, &turn), *square;
    q = build_op1(b, "Neg", build_op2(b, "Mul", q, r));
    in[0] = r;
    in[1] = build_ints(b, 1, &axis.i);
    square = build_op(b, "ReduceSumSquare", 2, in, 1, &keep);
    in[0] = numbers(b, DT_I64, 2, (int64_t[]){k, k}, m->place, NULL);
    in[0] = build_op2(b, "Equal", in[0], build_scalar(b, DT_I64, (double)(behind * m->count)));
    return build_op1(b, "PairCoupling", where(b, in[0], square, q));
}

bool svm_classifier(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n), *in[3];
    Pairs m = {.classes = class_count(b, n)};
    const Tensor *prob = attr_data(b, n, "prob_a"), *none = attr_data(b, n, "post_transform");
    SingleScore how = strcmp(tensor_at_string(none, 0), "NONE") == 0 ? SCORE_MARGIN : SCORE_SHARE;
    if (!x || m.classes == 0)
        return false;
    if (!attr_data(b, n, "vectors_per_class"))   /* one linear machine for each class */
        return classified(b, n, linear(b, n, x, m.classes, rho_of(b, n, x->type.dt)), how, 0, out);
    DType dt = x->type.dt;
    if (!pairs_of(b, n, &m) || !(x = machines(b, n, x, m.vectors, m.count, m.w, attr_const(b, n, "rho", dt, 1, &m.count))))
        return false;
    in[0] = edge_poisoned(x) ? x : build_cast(b, build_op2(b, "Greater", x, like(b, x, 0)), dt);
    in[1] = numbers(b, dt, 2, (int64_t[]){m.count, m.classes}, NULL, m.votes);
    in[2] = numbers(b, dt, 1, &m.classes, NULL, m.against);
    out[0] = label(b, n, build_op(b, "Gemm", 3, in, 0, NULL), 0);
    if (prob && type_count(prob->type))
        x = probabilities(b, n, &m, x);
    return x && (out[1] = scores(b, n, x, how)) != NULL;
}

/* ---- PairCoupling, our own: Q [N,C,C] → p [N,C], each row the p that makes p'·Q·p least, its sum 1. At most 100 rounds,
 * each corrects the elements one by one; near enough, nothing changes any more. ---- */

bool pair_coupling_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    if (t.rank == 3 && t.dims[1] == t.dims[2] && t.dims[1] > 0)
        return make_type(b, n, out, 0, t.dt, 2, t.dims);
    node_error(b, n, "Q is %s: it must be [N, classes, classes]", type_text(b->c, t));
    return false;
}

typedef struct Coupling {
    Ctx *c;
    Lower *l;
    const Idx *n;
    Buf *p, *qp, *pqp, *most, *diff; /* p, Q·p, p'·Q·p, the greatest error, the correction at hand */
} Coupling;

static const Expr *now(const Coupling *m, const Buf *b, const Idx *i)
{
    return expr_load_version(m->c, b, b == m->p ? (const Idx *[]){m->n, i} : &i, 1);
}

static const Stmt *set(const Coupling *m, const Buf *b, const Idx *i, const Expr *v)
{
    return stmt_store(m->c, b, b == m->p ? (const Idx *[]){m->n, i} : &i, v);
}

static const Expr *cell(const Coupling *m, const Idx *i, const Idx *j)
{
    return in_math(m->l, 0, (const Idx *[]){m->n, i, j});
}

/* Element i of p, and what follows from its change. */
static const Stmt *corrected(const Coupling *m, const Idx *i, int64_t k)
{
    Ctx *c = m->c;
    Sweep s;
    sweep_open(c, &s, 1, &k);
    const Idx *j = s.i[0];
    const Expr *d = now(m, m->diff, NULL), *one = known_number(c, m->p->dt, 1), *whole = expr_op2(c, OP_add, one, d);
    const Expr *q = now(m, m->qp, i), *two = expr_op2(c, OP_add, q, q), *pqp = now(m, m->pqp, NULL);
    const Expr *by = expr_op2(c, OP_div, expr_op2(c, OP_sub, pqp, q), cell(m, i, i));
    two = expr_op2(c, OP_mul, d, expr_op2(c, OP_add, expr_op2(c, OP_mul, d, cell(m, i, i)), two));
    pqp = expr_op2(c, OP_div, expr_op2(c, OP_div, expr_op2(c, OP_add, pqp, two), whole), whole);
    q = expr_op2(c, OP_add, now(m, m->qp, j), expr_op2(c, OP_mul, d, cell(m, i, j)));
    const Stmt *both_set[2] = {set(m, m->qp, j, expr_op2(c, OP_div, q, whole)),
                               set(m, m->p, j, expr_op2(c, OP_div, now(m, m->p, j), whole))};
    return stmt_seq(c, 5, (const Stmt *[]){stmt_local(c, m->diff), set(m, m->diff, NULL, by),
                                           set(m, m->p, i, expr_op2(c, OP_add, now(m, m->p, i), d)),
                                           set(m, m->pqp, NULL, pqp), sweep_around(c, &s, stmt_seq(c, 2, both_set))});
}

void pair_coupling(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    DType dt = math_type(t.dt);
    int64_t k = t.dims[1], rounds = 100;
    Sweep row, start, round, a, b, e, f, g;
    Sweep *own[] = {&start, &a, &b, &e, &f, &g};
    sweep_open(c, &row, 1, t.dims);
    sweep_open(c, &round, 1, &rounds);
    for (int i = 0; i < COUNT(own); i++)
        sweep_open(c, own[i], 1, &k);
    Coupling m = {c, l, row.i[0], lower_temp(l, "p", dt, 2, t.dims), buf_new(c, BUF_LOCAL, "qp", dt, 1, &k),
                  buf_new(c, BUF_LOCAL, "pqp", dt, 0, NULL), buf_new(c, BUF_LOCAL, "most", dt, 0, NULL),
                  buf_new(c, BUF_LOCAL, "diff", dt, 0, NULL)};
    const Expr *none = zero(c, dt), *pqp = now(&m, m.pqp, NULL), *x, *fine = expr_float(c, dt, 0.005 / (double)k);
    const Stmt *body[6] = {stmt_local(c, m.pqp), stmt_local(c, m.most)}, *all[3] = {stmt_local(c, m.qp)};
    x = sweep_reduce(c, &b, none, (Fold){OP_mad, cell(&m, a.i[0], b.i[0]), now(&m, m.p, b.i[0])});
    body[2] = sweep_around(c, &a, set(&m, m.qp, a.i[0], x));
    x = sweep_reduce(c, &e, none, (Fold){OP_mad, now(&m, m.p, e.i[0]), now(&m, m.qp, e.i[0])});
    body[3] = set(&m, m.pqp, NULL, x);
    x = expr_op1(c, OP_abs, expr_op2(c, OP_sub, now(&m, m.qp, f.i[0]), pqp));
    body[4] = set(&m, m.most, NULL, sweep_reduce(c, &f, none, (Fold){OP_max, x, NULL}));
    body[5] = stmt_if(c, expr_op2(c, OP_ge, now(&m, m.most, NULL), fine),
                      sweep_around(c, &g, corrected(&m, g.i[0], k)), NULL);
    x = expr_float(c, dt, 1 / (double)k);
    all[1] = sweep_around(c, &start, set(&m, m.p, start.i[0], x));
    all[2] = sweep_around(c, &round, stmt_seq(c, 6, body));
    lower_nest(l, m.p, sweep_around(c, &row, stmt_seq(c, 3, all)));
    lower_store(l, l->out[0], expr_load(c, m.p, lower_vars(l, 2, t.dims)));
}
