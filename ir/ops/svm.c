/* Support vector machines of several classes: each pair of classes i < j has one, over the vectors of both. How these
 * are weighed and how the pairs vote are constants; the formulas are PairMachines' in ml.def. Only the probabilities of
 * classes from those of pairs need loops of their own: PairCoupling. */
#include "meaning.h"

typedef struct Pairs {
    int64_t classes, vectors, count;
    double *w, *votes, *against; /* [count,vectors]; [count,classes]: 1 at i, -1 at j; how often a class is j */
    int64_t *place; /* [classes,classes]: of (i, j) among the pairs, of (j, i) behind them, of (i, i) at the end */
} Pairs;

static bool pairs_of(Build *b, const Node *n, Pairs *m)
{
    const Tensor *coef = attr_data(b, n, "coefficients");
    Ints per;
    attr_list(n, "vectors_per_class", &per);
    int64_t k = m->classes, v = 0, p = 0, count = k * (k - 1) / 2, *start = NEW_N(b->c, int64_t, k + 1);
    for (int64_t i = 0; i < k && per.n == k && per.v[i] >= 0 && per.v[i] < INT32_MAX; i++)
        start[i + 1] = v += per.v[i];
    if (per.n != k || k < 2 || k > 1000 || v == 0 || type_count(coef->type) != (k - 1) * v)
        return node_error(b, n, "vectors_per_class has %d elements, their sum is %lld, coefficients has %lld: there "
                          "are %lld classes (2 .. 1000), and each vector has a coefficient for every other class",
                          per.n, (long long)v, (long long)type_count(coef->type), (long long)k);
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

/* Those of the node that the operator has as well, and that hold something. */
static int shared(Build *b, const Node *n, const char *domain, const char *name, Attr *attrs)
{
    int count = 0;
    const Sig *to = op_newest(b->c, domain, name);
    for (int i = 0; i < n->nattrs; i++)
        if (sig_attr(to, n->attrs[i].name) && (n->attrs[i].kind != ATTR_FLOATS || n->attrs[i].n))
            attrs[count++] = n->attrs[i];
    return count;
}

bool svm_classifier(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n);
    const Tensor *labels = class_labels(b, n, "classlabels_ints"), *rho = attr_data(b, n, "rho");
    Attr *attrs = NEW_N(b->c, Attr, n->nattrs + 1);
    if (!x || !labels)
        return false;
    Pairs m = {.classes = type_count(labels->type)};
    DType dt = x->type.dt;
    if (!node_attr(n, "vectors_per_class")) { /* one linear machine for each class, all with the first rho */
        float *all = NEW_N(b->c, float, m.classes);
        for (int64_t i = 0; i < m.classes && type_count(rho->type); i++)
            all[i] = (float)tensor_at_double(rho, 0);
        int count = shared(b, n, n->sig->domain, "LinearClassifier", attrs);
        attrs[count++] = (Attr){
            .name = intern(b->c, "intercepts"), .kind = ATTR_FLOATS, .n = (int)m.classes, .floats = all};
        build_op_n(b, "ai.onnx.ml::LinearClassifier", 1, &x, count, attrs, 2, out);
        return true;
    }
    if (!pairs_of(b, n, &m))
        return false;
    Edge *in[6] = {x, numbers(b, dt, 2, (int64_t[]){m.count, m.vectors}, NULL, m.w)};
    in[2] = numbers(b, dt, 2, (int64_t[]){m.count, m.classes}, NULL, m.votes);
    in[3] = numbers(b, dt, 1, &m.classes, NULL, m.against);
    in[4] = numbers(b, DT_I64, 2, (int64_t[]){m.classes, m.classes}, m.place, NULL);
    in[5] = build_const(b, NULL, labels, n->loc);
    build_op_n(b, "PairMachines", 6, in, shared(b, n, "", "PairMachines", attrs), attrs, 2, out);
    return true;
}

/* ---- PairCoupling, our own: r [N,C,C] → p [N,C], each row the p that makes p'·Q·p least, its sum 1, where
 * Q[i,j] = -r[j,i]·r[i,j] and Q[i,i] is the sum of r[j,i]² (Wu, Lin and Weng, 2004). At most 100 rounds, each corrects
 * the elements one by one; near enough, nothing changes any more. ---- */

bool pair_coupling_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    if (t.rank == 3 && t.dims[1] == t.dims[2] && t.dims[1] > 0)
        return make_type(b, n, out, 0, t.dt, 2, t.dims);
    return node_error(b, n, "r is %s: it must be [N, classes, classes]", type_text(b->c, t));
}

typedef struct Coupling {
    Ctx *c;
    const Idx *n;
    Buf *q, *p, *qp, *pqp, *most, *diff; /* Q, p, Q·p, p'·Q·p, the greatest error, the correction at hand */
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
    return expr_load(m->c, m->q, (const Idx *[]){m->n, i, j});
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
    Sweep row, start, round, a, b, e, f, g, j;
    Sweep *own[] = {&start, &a, &b, &e, &f, &g, &j};
    sweep_open(c, &row, 1, t.dims);
    sweep_open(c, &round, 1, &rounds);
    for (int i = 0; i < COUNT(own); i++)
        sweep_open(c, own[i], 1, &k);
    Coupling m = {c, row.i[0], lower_temp(l, "Q", dt, 3, t.dims), lower_temp(l, "p", dt, 2, t.dims),
                  buf_new(c, BUF_LOCAL, "qp", dt, 1, &k),
                  buf_new(c, BUF_LOCAL, "pqp", dt, 0, NULL), buf_new(c, BUF_LOCAL, "most", dt, 0, NULL),
                  buf_new(c, BUF_LOCAL, "diff", dt, 0, NULL)};
    const Expr *none = zero(c, dt), *pqp = now(&m, m.pqp, NULL), *x, *fine = expr_float(c, dt, 0.005 / (double)k);
    const Idx *const *i = lower_vars(l, 3, t.dims);
    x = in_math(l, 0, (const Idx *[]){i[0], j.i[0], i[1]});
    x = sweep_reduce(c, &j, none, (Fold){OP_mad, x, NULL});
    const Expr *mixed = expr_op2(c, OP_mul, in_math(l, 0, (const Idx *[]){i[0], i[2], i[1]}), in_math(l, 0, i));
    const Expr *same = expr_op2(c, OP_eq, expr_index(c, i[1]), expr_index(c, i[2]));
    lower_store(l, m.q, expr_select(c, same, x, expr_op1(c, OP_neg, mixed)));
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
