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

int name_place(Build *b, const Node *n, const char *attr, const Tensor *t, int64_t i, const char *const *names, int count)
{
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

int attr_place(Build *b, const Node *n, const char *attr, const char *const *names, int count)
{
    return name_place(b, n, attr, attr_data(b, n, attr), 0, names, count);
}

Edge *numbers(Build *b, DType dt, int rank, const int64_t *dims, const int64_t *v, const double *d)
{
    Tensor *t = tensor_new(b->c, type_make(b->c, dt, rank, dims));
    for (int64_t i = 0; i < type_count(t->type); i++)
        scalar_write(dt, (void *)(uintptr_t)t->data, i,
                     v ? (Value){.i = v[i]} : dt == DT_F64 ? (Value){.d = d[i]} : (Value){.f = (float)d[i]});
    return build_const(b, NULL, t, b->loc);
}

Edge *attr_const(Build *b, const Node *n, const char *name, DType dt, int rank, const int64_t *dims)
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
    return attr_const(b, n, name, dt, 1, &one);
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

Edge *last_reduced(Build *b, const char *op, Edge *x, int64_t keep)
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
    int how = attr_place(b, n, "norm", names, COUNT(names));
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
    return attr_place(b, n, "post_transform", names, COUNT(names));
}

/* √2·erfinv(2z - 1), by the formula of Winitzki. */
static Edge *probit(Build *b, Edge *z)
{
    Edge *one = like(b, z, 1), *x = build_op2(b, "Sub", build_op2(b, "Mul", z, like(b, z, 2)), one);
    Edge *log = build_op2(b, "Add", one, x);
    log = build_op1(b, "Log", build_op2(b, "Mul", build_op2(b, "Sub", one, x), log));
    Edge *v = build_op2(b, "Mul", log, like(b, z, 0.5)), *w = build_op2(b, "Mul", log, like(b, z, -1 / 0.147)), *root;
    v = build_op2(b, "Add", v, like(b, z, 2 / (3.14159 * 0.147)));
    root = build_op1(b, "Sqrt", build_op2(b, "Add", build_op2(b, "Mul", v, v), w));
    w = build_op1(b, "Sqrt", build_op2(b, "Div", w, build_op2(b, "Add", root, v))); /* root - v, without a loss */
    return build_op2(b, "Mul", build_op2(b, "Mul", build_op1(b, "Sign", x), w), like(b, z, 1.41421356));
}

static Edge *softmax_zero(Build *b, Edge *z)
{
    Edge *most = last_reduced(b, "ReduceMax", z, 1), *none = like(b, z, 0), *small = like(b, z, 1e-7f);
    Edge *on = build_op2(b, "Greater", build_op1(b, "Abs", z), small);
    Edge *e = where(b, on, build_op1(b, "Exp", build_op2(b, "Sub", z, most)), none);
    Edge *rest = build_op2(b, "Mul", z, build_op1(b, "Exp", build_op1(b, "Neg", most)));
    rest = where(b, on, e, rest);
    return build_op2(b, "Div", rest, last_reduced(b, "ReduceSum", e, 1));
}

Edge *post_transformed(Build *b, const Node *n, Edge *z, DType to)
{
    int kind = post_kind(b, n);
    if (!z || kind < 0 || edge_poisoned(z))
        return NULL;
    if (kind == PROBIT)
        z = probit(b, z);
    else if (kind == SOFTMAX_ZERO && z->type.dims[1] > 1)
        z = softmax_zero(b, z);
    else if (kind != NONE && z->type.dims[1] > 1)
        z = build_op1(b, kind == SOFTMAX ? "Softmax" : "Sigmoid", z);
    return build_cast(b, z, to);
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
Edge *label(Build *b, const Node *n, Edge *z, double threshold)
{
    Attr attrs[2] = {attr_int(b->c, "axis", 1), attr_int(b->c, "keepdims", 0)};
    if (edge_poisoned(z))
        return z;
    Edge *at = z->type.dims[1] == 1 ? build_op2(b, "Greater", z, like(b, z, threshold)) : NULL;
    at = at ? reshaped(b, build_cast(b, at, DT_I64), 1, z->type.dims) : build_op(b, "ArgMax", 1, &z, 2, attrs);
    return build_op2(b, "Gather", build_const(b, NULL, class_labels(b, n), n->loc), at);
}

Edge *scores(Build *b, const Node *n, Edge *z, SingleScore how)
{
    int kind = post_kind(b, n);
    if (edge_poisoned(z) || kind < 0 || z->type.dims[1] > 1 || class_count(b, n) == 1)
        return post_transformed(b, n, z, DT_F32);
    Edge *other = how == SCORE_SECOND ? build_op2(b, "Sub", z, z)
                  : how == SCORE_MARGIN || kind == LOGISTIC ? build_op1(b, "Neg", z)
                                                            : build_op2(b, "Sub", like(b, z, 1), z);
    z = joined(b, other, z, 1);
    bool more = how == SCORE_SECOND || kind == LOGISTIC || kind == PROBIT;
    return more ? post_transformed(b, n, z, DT_F32) : build_cast(b, z, DT_F32);
}

bool classified(Build *b, const Node *n, Edge *z, SingleScore how, double threshold, Edge **out)
{
    out[0] = label(b, n, z, threshold);
    return (out[1] = scores(b, n, z, how)) != NULL;
}

/* The last of what scikit-learn exports: a sequence of maps, which C has not. The numbers are those of X. */
bool zip_map(Build *b, const Node *n, Edge **out)
{
    note(b->c, n->loc, "%s: the result is X itself, a column for each class, instead of a sequence of maps (exporting "
         "with zipmap=False leaves ZipMap out)", node_text(b->c, n));
    out[0] = n->in[0];
    return true;
}
