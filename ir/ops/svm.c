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

void pair_coupling(Lower *l)
{
    Type t = in_type(l, 0);
    const int64_t k = t.dims[1];
    Buf *q = lower_temp(l, "Q", math_type(t.dt), 3, t.dims);
    Buf *w = lower_temp(l, "p", q->dt, 3, (int64_t[]){t.dims[0], 2, k}); /* of each row p, then Q·p */
    nest(l, "Q[]: k = dim(r, 1); for n < dim(r, 0) { for i < k {"
            "    var sum = like(0, Q[n, i, 0]);"
            "    for j < k { Q[n, i, j] = -(r[n, j, i] * r[n, i, j]); sum = mad(r[n, j, i], r[n, j, i], sum); }"
            "    Q[n, i, i] = sum; } }", q);
    nest(l, "w[], Q[]: k = dim(r, 1); for n < dim(r, 0) {"
            "    for i < k { w[n, 0, i] = 1 / k; }"
            "    for round < 100 {"
            "        var pqp = like(0, w[n, 0, 0]); var most = like(0, pqp);"
            "        for i < k {"
            "            var sum = like(0, pqp); for j < k { sum = mad(Q[n, i, j], w[n, 0, j], sum); }"
            "            w[n, 1, i] = sum; pqp = mad(w[n, 0, i], sum, pqp); }"
            "        for i < k { most = max(most, abs(w[n, 1, i] - pqp)); }"
            "        if (most >= 0.005 / k) { for i < k {"
            "            var d = (pqp - w[n, 1, i]) / Q[n, i, i];" /* the correction of element i, and what follows */
            "            w[n, 0, i] = w[n, 0, i] + d;"
            "            pqp = (pqp + d * (d * Q[n, i, i] + 2 * w[n, 1, i])) / (1 + d) / (1 + d);"
            "            for j < k {"
            "                w[n, 1, j] = (w[n, 1, j] + d * Q[n, i, j]) / (1 + d);"
            "                w[n, 0, j] = w[n, 0, j] / (1 + d); } } } } }", w, q);
    const Idx *const *at = lower_vars(l, 2, t.dims);
    lower_store(l, l->out[0], expr_load(l->c, w, (const Idx *[]){at[0], idx_const(l->c, 0), at[1]}));
}
