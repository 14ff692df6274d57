/* ai.onnx.ml: models of classical learning and what stands before them, as compositions. Attributes hold the numbers:
 * they become constants. Where the standard is silent, the results are those of onnxruntime: a single score for two
 * classes is shown as a pair, and a single column is not transformed but by PROBIT. */
#include "meaning.h"

/* ---- attributes and operands ---- */

const Tensor *attr_data(Build *b, const Node *n, const char *name)
{
    const Attr *a = node_attr(n, name);
    return a ? attr_value(b->c, a) : NULL;
}

int name_place(Build *b, const Node *n, const char *attr, int64_t i, const char *const *names, int count)
{
    const Tensor *t = attr_data(b, n, attr);
    bool string = t->type.dt == DT_STRING;
    int64_t v = string ? 0 : tensor_at_int(t, i);
    while (string && v < count && strcmp(tensor_at_string(t, i), names[v]) != 0)
        v++;
    if (v >= 0 && v < count)
        return (int)v;
    const char *all = names[0], *got = string ? tensor_at_string(t, i) : internf(b->c, "%lld", (long long)v);
    for (int k = 1; k < count; k++)
        all = internf(b->c, "%s, %s", all, names[k]);
    node_error(b, n, "%s: %s is unknown, %s %s", attr, got, string ? "it is one of" : "its number is the place in", all);
    return -1;
}

Edge *numbers(Build *b, DType dt, int rank, const int64_t *dims, const int64_t *v, const double *d)
{
    Tensor *t = tensor_new(b->c, type_make(b->c, dt, rank, dims));
    for (int64_t i = 0; i < type_count(t->type); i++)
        scalar_write(dt, (void *)(uintptr_t)t->data, i,
                     v ? (Value){.i = v[i]} : dt == DT_F64 ? (Value){.d = d[i]} : (Value){.f = (float)d[i]});
    return build_const(b, NULL, t, b->loc);
}

Edge *listed(Build *b, const Node *n, const char *name, DType dt, int rank, const int64_t *dims)
{
    const Tensor *t = attr_data(b, n, name);
    t = t ? t : attr_data(b, n, internf(b->c, "%s_as_tensor", name));
    Type want = type_make(b->c, t ? t->type.dt : dt, rank, dims);
    if (t && type_count(t->type) == type_count(want))
        return build_cast(b, build_const(b, NULL, tensor_of(b->c, want, t->data, t->bytes), n->loc), dt);
    node_error(b, n, "%s has %lld elements: it must have %s", name, t ? (long long)type_count(t->type) : 0,
               dims_text(b->c, rank, dims));
    return build_poison(b, NULL, n->loc);
}

/* One element for all features or one for each. */
static Edge *per_feature(Build *b, const Node *n, const char *name, DType dt)
{
    Type t = arg_type(n, 0);
    const Tensor *v = attr_data(b, n, name);
    int64_t one = v && type_count(v->type) == 1 ? 1 : t.rank ? t.dims[t.rank - 1] : 1;
    return listed(b, n, name, dt, 1, &one);
}

static Edge *real(Build *b, Edge *x)
{
    return build_cast(b, x, x->type.dt == DT_F64 ? DT_F64 : DT_F32);
}

Edge *features(Build *b, const Node *n)
{
    Type t = arg_type(n, 0);
    if (t.rank == 1 || t.rank == 2)
        return reshaped(b, real(b, n->in[0]), 2, (int64_t[]){t.rank == 1 ? 1 : t.dims[0], t.dims[t.rank - 1]});
    node_error(b, n, "X is %s: it must be [N, features] or [features]", type_text(b->c, t));
    return NULL;
}

static Edge *last_reduced(Build *b, const char *op, Edge *x, int64_t keep)
{
    Attr kept = attr_int(b->c, "keepdims", keep);
    return build_op(b, op, 2, (Edge *[]){x, build_ints(b, 1, (int64_t[]){-1})}, 1, &kept);
}

/* x with one more dimension at the end */
static Edge *stood_up(Build *b, Edge *x)
{
    return build_op2(b, "Unsqueeze", x, build_ints(b, 1, (int64_t[]){-1}));
}

/* ---- what stands before a model ---- */

bool binarizer(Build *b, const Node *n, Edge **out)
{
    Edge *x = real(b, n->in[0]);
    out[0] = build_op2(b, "Greater", x, like(b, x, (double)node_float(n, "threshold", 0)));
    out[0] = build_cast(b, out[0], arg_type(n, 0).dt);
    return true;
}

bool scaler(Build *b, const Node *n, Edge **out)
{
    Edge *x = real(b, n->in[0]);
    if (attr_data(b, n, "offset"))
        x = build_op2(b, "Sub", x, per_feature(b, n, "offset", x->type.dt));
    if (attr_data(b, n, "scale") && !edge_poisoned(x))
        x = build_op2(b, "Mul", x, per_feature(b, n, "scale", x->type.dt));
    out[0] = build_cast(b, x, DT_F32);
    return true;
}

bool imputer(Build *b, const Node *n, Edge **out)
{
    DType dt = arg_type(n, 0).dt;
    bool floats = dtype_is_float(dt);
    Edge *old = build_const(b, NULL, attr_data(b, n, floats ? "replaced_value_float" : "replaced_value_int64"), n->loc);
    Edge *x = n->in[0], *y = per_feature(b, n, floats ? "imputed_value_floats" : "imputed_value_int64s", dt), *hit;
    hit = floats && isnan(node_float(n, "replaced_value_float", 0)) ? build_op1(b, "IsNaN", x)
                                                                    : build_op2(b, "Equal", x, build_cast(b, old, dt));
    out[0] = where(b, hit, y, x);
    return true;
}

bool normalizer(Build *b, const Node *n, Edge **out)
{
    static const char *const names[] = {"MAX", "L1", "L2"}, *const ops[] = {"ReduceMax", "ReduceL1", "ReduceL2"};
    int how = name_place(b, n, "norm", 0, names, COUNT(names));
    if (how < 0)
        return false;
    Edge *x = real(b, n->in[0]), *y = last_reduced(b, ops[how], x, 1), *none = like(b, x, 0);
    y = where(b, build_op2(b, "Equal", y, none), x, build_op2(b, "Div", x, y));
    out[0] = build_cast(b, y, DT_F32);
    return true;
}

bool array_feature_extractor(Build *b, const Node *n, Edge **out)
{
    int64_t dims[2] = {1, type_count(arg_type(n, 1))};
    Attr axis = attr_int(b->c, "axis", -1);
    out[0] = build_op(b, "Gather", 2, (Edge *[]){n->in[0], reshaped(b, n->in[1], 1, &dims[1])}, 1, &axis);
    if (arg_type(n, 0).rank == 1)
        out[0] = reshaped(b, out[0], 2, dims);
    return true;
}

bool feature_vectorizer(Build *b, const Node *n, Edge **out)
{
    Edge **in = NEW_N(b->c, Edge *, n->nin);
    Ints sizes;
    attr_list(n, "inputdimensions", &sizes);
    for (int k = 0; k < n->nin; k++) {
        Type t = arg_type(n, k);
        int64_t dims[2] = {t.rank == 2 ? t.dims[0] : 1, t.rank ? t.dims[t.rank - 1] : 1};
        if (t.rank < 1 || t.rank > 2 || (sizes.v && (sizes.n != n->nin || sizes.v[k] != dims[1]))) {
            node_error(b, n, "operand %d is %s: it must be [N, features] or [features], and inputdimensions must list "
                       "the features of each operand", k, type_text(b->c, t));
            return false;
        }
        in[k] = reshaped(b, build_cast(b, n->in[k], DT_F32), 2, dims);
    }
    Attr axis = attr_int(b->c, "axis", 1);
    out[0] = build_op(b, "Concat", n->nin, in, 1, &axis);
    return true;
}

/* The list among two attributes that is given, or the one for strings. */
static const Tensor *either(Build *b, const Node *n, const char *ints, const char *strings)
{
    const Tensor *t = attr_data(b, n, strings);
    return t && type_count(t->type) ? t : attr_data(b, n, ints);
}

bool one_hot_encoder(Build *b, const Node *n, Edge **out)
{
    const Tensor *cats = either(b, n, "cats_int64s", "cats_strings");
    DType dt = arg_type(n, 0).dt;
    if (!cats || (cats->type.dt == DT_STRING) != (dt == DT_STRING)) {
        node_error(b, n, "X is %s: %s must list the categories", type_text(b->c, arg_type(n, 0)),
                   dt == DT_STRING ? "cats_strings" : "cats_int64s");
        return false;
    }
    Edge *x = stood_up(b, dt == DT_STRING ? n->in[0] : build_cast(b, n->in[0], DT_I64));
    out[0] = build_cast(b, build_op2(b, "Equal", x, build_const(b, NULL, cats, n->loc)), DT_F32);
    return true;
}

/* ---- tables of keys and values: the place of the key that is met, 0 when none is ---- */

/* Of equal keys the last counts, before version 4 of LabelEncoder the first. */
static bool looked_up(Build *b, const Node *n, const Tensor *keys, const Tensor *values, const Tensor *none, Edge **out)
{
    int64_t count = keys ? type_count(keys->type) : 0, *places = NEW_N(b->c, int64_t, count), all = count + 1;
    if (!values || count == 0 || type_count(values->type) != count || keys->type.dt != arg_type(n, 0).dt ||
        !none || type_count(none->type) != 1 || none->type.dt != values->type.dt) {
        node_error(b, n, "X is %s, the keys are %s, the values %s, the default is %s: keys of X's type and as many values, "
                   "of the default's type, are needed", type_text(b->c, arg_type(n, 0)), keys ? type_text(b->c, keys->type) : "missing",
                   values ? type_text(b->c, values->type) : "missing", none ? type_text(b->c, none->type) : "missing");
        return false;
    }
    Tensor *table = tensor_new(b->c, type_make(b->c, values->type.dt, 1, &all));
    size_t size = values->bytes / (size_t)count;
    char *data = (char *)(uintptr_t)table->data;
    bool nan = false, first = n->sig->since < 4;
    memcpy(data, none->data, size);
    for (int64_t i = 0; i < count; i++) {
        places[i] = first ? count - i : i + 1;
        memcpy(data + size * (size_t)places[i], (const char *)values->data + size * (size_t)i, size);
        nan |= dtype_is_float(keys->type.dt) && isnan(tensor_at_double(keys, i));
    }
    Edge *x = stood_up(b, n->in[0]), *key = build_const(b, NULL, keys, n->loc), *hit = build_op2(b, "Equal", x, key);
    if (nan) {
        Edge *both_nan = build_op1(b, "IsNaN", key);
        hit = build_op2(b, "Or", hit, build_op2(b, "And", build_op1(b, "IsNaN", x), both_nan));
    }
    Edge *at = numbers(b, DT_I32, 1, &count, places, NULL);
    at = last_reduced(b, "ReduceMax", where(b, hit, at, build_scalar(b, DT_I32, 0)), 0);
    out[0] = build_op2(b, "Gather", build_const(b, NULL, table, n->loc), at);
    return true;
}

bool label_encoder(Build *b, const Node *n, Edge **out)
{
    static const char *const kinds[] = {"int64s", "strings", "floats", "tensor"};
    const Tensor *keys = NULL, *values = NULL, *none = NULL, *t;
    for (int k = 0; k < COUNT(kinds); k++) {
        keys = (t = attr_data(b, n, internf(b->c, "keys_%s", kinds[k]))) ? t : keys;
        if (!(t = attr_data(b, n, internf(b->c, "values_%s", kinds[k]))))
            continue;
        values = t;
        none = attr_data(b, n, internf(b->c, "default_%.*s", (int)strlen(kinds[k]) - (k < 3), kinds[k]));
    }
    if (values && !none) {   /* of values_tensor */
        DType dt = values->type.dt;
        const char *word = "_Unused";
        none = dt == DT_STRING ? attr_value(b->c, &(Attr){.kind = ATTR_STRING, .s = word})
                               : tensor_float(b->c, dt, dtype_is_float(dt) ? -0.0 : -1);
    }
    return looked_up(b, n, keys, values, none, out);
}

/* CategoryMapper; LabelEncoder-1, whose numbers are the places. */
bool category_mapper(Build *b, const Node *n, Edge **out)
{
    const Tensor *strings = either(b, n, "classes_strings", "cats_strings"), *ints = attr_data(b, n, "cats_int64s");
    bool from_string = arg_type(n, 0).dt == DT_STRING;
    if (!ints && strings) {
        int64_t count = type_count(strings->type), *places = NEW_N(b->c, int64_t, count);
        for (int64_t i = 0; i < count; i++)
            places[i] = i;
        ints = tensor_ints(b->c, (int)count, places);
    }
    return looked_up(b, n, from_string ? strings : ints, from_string ? ints : strings,
                     attr_data(b, n, from_string ? "default_int64" : "default_string"), out);
}

/* ---- scores and classes ---- */

enum { NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT };

static int post_kind(Build *b, const Node *n)
{
    static const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    return name_place(b, n, "post_transform", 0, names, COUNT(names));
}

/* √2·erfinv(2z - 1), by the formula of Winitzki. */
static Edge *probit(Build *b, Edge *z)
{
    Edge *one = like(b, z, 1), *x = build_op2(b, "Sub", build_op2(b, "Mul", z, like(b, z, 2)), one);
    Edge *log = build_op2(b, "Add", one, x);
    log = build_op1(b, "Log", build_op2(b, "Mul", build_op2(b, "Sub", one, x), log));
    Edge *v = build_op2(b, "Mul", log, like(b, z, 0.5)), *w = build_op2(b, "Div", log, like(b, z, 0.147));
    v = build_op2(b, "Add", v, like(b, z, 2 / (3.14159 * 0.147)));
    w = build_op1(b, "Sqrt", build_op2(b, "Sub", build_op2(b, "Mul", v, v), w));
    w = build_op1(b, "Sqrt", build_op2(b, "Sub", w, v));
    return build_op2(b, "Mul", build_op2(b, "Mul", build_op1(b, "Sign", x), w), like(b, z, 1.41421356));
}

Edge *post_transformed(Build *b, const Node *n, Edge *z)
{
    int kind = post_kind(b, n);
    if (!z || kind < 0 || edge_poisoned(z) || kind == NONE)
        return kind < 0 ? NULL : z;
    if (kind == PROBIT)
        return probit(b, z);
    if (z->type.dims[1] == 1)
        return z;
    if (kind != SOFTMAX_ZERO)
        return build_op1(b, kind == SOFTMAX ? "Softmax" : "Sigmoid", z);
    Edge *most = last_reduced(b, "ReduceMax", z, 1), *none = like(b, z, 0), *small = like(b, z, 1e-7f);
    Edge *on = build_op2(b, "Greater", build_op1(b, "Abs", z), small);
    Edge *e = where(b, on, build_op1(b, "Exp", build_op2(b, "Sub", z, most)), none);
    Edge *rest = build_op2(b, "Mul", z, build_op1(b, "Exp", build_op1(b, "Neg", most)));
    return build_op2(b, "Div", where(b, on, e, rest), last_reduced(b, "ReduceSum", e, 1));
}

static const Tensor *class_labels(Build *b, const Node *n)
{
    const Tensor *t = either(b, n, "classlabels_ints", "classlabels_strings");
    t = t ? t : attr_data(b, n, "classlabels_int64s");
    if (t && type_count(t->type) > 0)
        return t;
    node_error(b, n, "classlabels_strings or the list for integers must hold the labels of the classes");
    return NULL;
}

int64_t class_count(Build *b, const Node *n)
{
    const Tensor *t = class_labels(b, n);
    return t ? type_count(t->type) : 0;
}

/* The label of the greatest score (or most votes), or of a single score against a threshold. */
static Edge *label(Build *b, const Node *n, Edge *z, double threshold)
{
    Attr attrs[2] = {attr_int(b->c, "axis", 1), attr_int(b->c, "keepdims", 0)};
    if (edge_poisoned(z))
        return z;
    Edge *at = z->type.dims[1] == 1 ? build_op2(b, "Greater", z, like(b, z, threshold)) : NULL;
    at = at ? reshaped(b, build_cast(b, at, DT_I64), 1, z->type.dims) : build_op(b, "ArgMax", 1, &z, 2, attrs);
    return build_op2(b, "Gather", build_const(b, NULL, class_labels(b, n), n->loc), at);
}

static Edge *scores(Build *b, const Node *n, Edge *z, SingleScore how)
{
    int kind = post_kind(b, n);
    if (edge_poisoned(z) || kind < 0 || z->type.dims[1] > 1 || class_count(b, n) == 1)
        return post_transformed(b, n, z);
    Edge *other = how == SCORE_SECOND ? build_op2(b, "Sub", z, z)
                  : how == SCORE_MARGIN || kind == LOGISTIC ? build_op1(b, "Neg", z)
                                                            : build_op2(b, "Sub", like(b, z, 1), z);
    z = joined(b, other, z, 1);
    return how == SCORE_SECOND || kind == LOGISTIC || kind == PROBIT ? post_transformed(b, n, z) : z;
}

bool classified(Build *b, const Node *n, Edge *z, SingleScore how, double threshold, Edge **out)
{
    out[0] = label(b, n, z, threshold);
    z = scores(b, n, z, how);
    out[1] = z ? build_cast(b, z, DT_F32) : NULL;
    return z != NULL;
}

/* ---- linear models and support vector machines ---- */

/* x·w' + bias, w the attribute as [rows,features of x] */
static Edge *product(Build *b, const Node *n, Edge *x, const char *w, int64_t rows, Edge *bias)
{
    Attr t = attr_int(b->c, "transB", 1);
    if (edge_poisoned(x))
        return x;
    Edge *in[3] = {x, listed(b, n, w, x->type.dt, 2, (int64_t[]){rows, x->type.dims[1]}), bias};
    return build_op(b, "Gemm", bias ? 3 : 2, in, 1, &t);
}

static Edge *linear(Build *b, const Node *n, Edge *x, int64_t rows)
{
    const Tensor *bias = attr_data(b, n, "intercepts");
    bool some = bias && type_count(bias->type);
    return product(b, n, x, "coefficients", rows, some ? listed(b, n, "intercepts", x->type.dt, 1, &rows) : NULL);
}

bool linear_regressor(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n), *y = x ? post_transformed(b, n, linear(b, n, x, node_int(n, "targets", 1))) : NULL;
    out[0] = y ? build_cast(b, y, DT_F32) : NULL;
    return y != NULL;
}

bool linear_classifier(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n);
    int64_t classes = class_count(b, n), f = x && x->type.dims[1] ? x->type.dims[1] : 1;
    int64_t rows = classes == 2 && type_count(attr_data(b, n, "coefficients")->type) == f ? 1 : classes;
    return x && classes && classified(b, n, linear(b, n, x, rows), SCORE_SHARE, 0, out);
}

/* [N,vectors]: how near each row is to each support vector. */
static Edge *kernel(Build *b, const Node *n, Edge *x, int64_t vectors)
{
    static const char *const names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    enum { LINEAR, POLY, RBF };
    int kind = name_place(b, n, "kernel_type", 0, names, COUNT(names));
    const Tensor *p = attr_data(b, n, "kernel_params");
    double param[3] = {0, 0, 0};   /* gamma, coef0, degree */
    for (int i = 0; i < 3 && p && i < type_count(p->type); i++)
        param[i] = tensor_at_double(p, i);
    if (kind < 0)
        return NULL;
    if (kind == RBF) {
        int64_t axis = 1, dims[2] = {vectors, x->type.dims[1]};
        Edge *v = listed(b, n, "support_vectors", x->type.dt, 2, dims);
        x = build_op2(b, "Sub", build_op2(b, "Unsqueeze", x, build_ints(b, 1, &axis)), v);
        x = last_reduced(b, "ReduceSumSquare", x, 0);
        return build_op1(b, "Exp", build_op2(b, "Mul", x, like(b, x, -param[0])));
    }
    x = product(b, n, x, "support_vectors", vectors, NULL);
    if (kind == LINEAR || edge_poisoned(x))
        return x;
    x = build_op2(b, "Mul", x, like(b, x, param[0]));
    x = build_op2(b, "Add", x, like(b, x, param[1]));
    return kind == POLY ? build_op2(b, "Pow", x, like(b, x, param[2])) : build_op1(b, "Tanh", x);
}

/* The first rho for all. */
static Edge *rho_of(Build *b, const Node *n, DType dt)
{
    const Tensor *rho = attr_data(b, n, "rho");
    return build_scalar(b, dt, rho && type_count(rho->type) ? tensor_at_double(rho, 0) : 0);
}

bool svm_regressor(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n);
    int64_t vectors = node_int(n, "n_supports", 0);
    if (!x || (vectors > 0 && !(x = kernel(b, n, x, vectors))) || edge_poisoned(x))
        return false;
    x = product(b, n, x, "coefficients", 1, rho_of(b, n, x->type.dt));
    if (node_int(n, "one_class", 0) && !edge_poisoned(x)) {
        Edge *inside = build_op2(b, "Greater", x, like(b, x, 0)), *one = like(b, x, 1);
        x = where(b, inside, one, like(b, x, -1));
    }
    x = post_transformed(b, n, x);
    out[0] = x ? build_cast(b, x, DT_F32) : NULL;
    return x != NULL;
}

/* Each pair of classes i < j has a machine, over the vectors of both: pairs [pairs,vectors], in the order of the pairs.
 * votes: 1 at i, -1 at j; a pair that does not vote for i votes for j, which `against` counts. */
typedef struct Machines { int64_t classes, vectors, pairs; double *w, *votes, *against; } Machines;

static bool machines(Build *b, const Node *n, Machines *m)
{
    const Tensor *coef = attr_data(b, n, "coefficients");
    Ints per;
    attr_list(n, "vectors_per_class", &per);
    int64_t k = m->classes, v = 0, p = 0, *start = NEW_N(b->c, int64_t, k + 1);
    bool fits = per.n == k;
    for (int64_t i = 0; fits && i < k; i++) {
        fits = per.v[i] >= 0 && per.v[i] < INT32_MAX;
        start[i + 1] = v += fits ? per.v[i] : 0;
    }
    if (!fits || !coef || type_count(coef->type) != (k - 1) * v) {
        node_error(b, n, "vectors_per_class has %d elements, their sum is %lld, coefficients has %lld: there are %lld "
                   "classes, and each vector has one less", per.n, (long long)v,
                   coef ? (long long)type_count(coef->type) : 0, (long long)k);
        return false;
    }
    m->vectors = v;
    m->pairs = k * (k - 1) / 2;
    m->w = NEW_N(b->c, double, m->pairs * v);
    m->votes = NEW_N(b->c, double, m->pairs * k);
    m->against = NEW_N(b->c, double, k);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = i + 1; j < k; j++, p++) {
            for (int64_t q = start[i]; q < start[i + 1]; q++)
                m->w[p * v + q] = tensor_at_double(coef, (j - 1) * v + q);
            for (int64_t q = start[j]; q < start[j + 1]; q++)
                m->w[p * v + q] = tensor_at_double(coef, i * v + q);
            m->votes[p * k + i] = 1;
            m->votes[p * k + j] = -1;
            m->against[j]++;
        }
    return true;
}

bool svm_classifier(Build *b, const Node *n, Edge **out)
{
    Edge *x = features(b, n), *z, *votes;
    Machines m = {.classes = class_count(b, n)};
    if (!x || m.classes == 0)
        return false;
    DType dt = x->type.dt;
    if (!attr_data(b, n, "vectors_per_class"))   /* one linear machine for each class */
        return classified(b, n, product(b, n, x, "coefficients", m.classes, rho_of(b, n, dt)), SCORE_MARGIN, 0, out);
    if (!machines(b, n, &m) || !(x = kernel(b, n, x, m.vectors)))
        return false;
    Attr t = attr_int(b->c, "transB", 1);
    Edge *in[3] = {x, numbers(b, dt, 2, (int64_t[]){m.pairs, m.vectors}, NULL, m.w), NULL};
    in[2] = listed(b, n, "rho", dt, 1, &m.pairs);
    z = build_op(b, "Gemm", 3, in, 1, &t);
    if (edge_poisoned(z))
        return false;
    in[0] = build_cast(b, build_op2(b, "Greater", z, like(b, z, 0)), dt);
    in[1] = numbers(b, dt, 2, (int64_t[]){m.pairs, m.classes}, NULL, m.votes);
    in[2] = numbers(b, dt, 1, &m.classes, NULL, m.against);
    votes = build_op(b, "Gemm", 3, in, 0, NULL);
    out[0] = label(b, n, votes, 0);
    z = scores(b, n, z, post_kind(b, n) == NONE ? SCORE_MARGIN : SCORE_SHARE);
    out[1] = z ? build_cast(b, z, DT_F32) : NULL;
    return z != NULL;
}

/* The last of what scikit-learn exports: a sequence of maps, which C has not. The numbers are those of X. */
bool zip_map(Build *b, const Node *n, Edge **out)
{
    note(b->c, n->loc, "%s: the result is X itself, a column for each class, instead of a sequence of maps (exporting "
         "with zipmap=False leaves ZipMap out)", node_text(b->c, n));
    out[0] = n->in[0];
    return true;
}
