/* Decision trees: a model's nodes become the tables of ir/kit/forest.c. TreeWalk walks the rows of X down all trees, a
 * bounded loop, to the leaves; ordinary operators (Votes in ml.def) add up their weights. */
#include "meaning.h"

/* ---- TreeWalk, our own: X [N,features] and the tables → int32[N,trees], the leaves that are reached ---- */

/* The longest way down. False: a branch leads back, or a table is not what it must be. */
static bool walk_depth(Build *b, const Node *n, int64_t *depth)
{
    int64_t count = type_count(arg_type(n, 3)), most = 0;
    int *down = NEW_N(b->c, int, count + 1);
    bool fits = arg_type(n, 0).rank == 2 && arg_type(n, 1).rank == 1 && count < INT32_MAX;
    for (int k = 2; k < n->nin; k++)
        fits = fits && (!n->in[k] || (arg_type(n, k).rank == 1 && type_count(arg_type(n, k)) == count));
    for (int64_t i = count - 1; fits && i >= 0; i--)
        for (int k = 4; fits && k < 6; k++) {
            int64_t v = tensor_at_int(arg_known(n, k), i), feature = tensor_at_int(arg_known(n, 2), i);
            fits = v > i && v <= INT32_MAX && feature >= 0 && feature < arg_type(n, 0).dims[1];
            int below = fits && v < count ? down[v] + 1 : 1;
            down[i] = below > down[i] ? below : down[i];
        }
    for (int64_t i = 0; fits && i < type_count(arg_type(n, 1)); i++) {
        int64_t v = tensor_at_int(arg_known(n, 1), i);
        fits = v >= 0 && v <= INT32_MAX;
        most = fits && v < count && down[v] > most ? down[v] : most;
    }
    *depth = most;
    return fits;
}

bool tree_walk_infer(Build *b, const Node *n, Type *out)
{
    int64_t depth;
    if (walk_depth(b, n, &depth))
        return make_type(b, n, out, 0, DT_I32, 2, (int64_t[]){arg_type(n, 0).dims[0], arg_type(n, 1).dims[0]});
    return node_error(b, n, "the tables do not fit: X is [N, features], roots a vector; each branch has a feature, a "
                      "split and two ways, to a later branch or, numbered behind all of these, to a leaf");
}

typedef struct Walker { Lower *l; const Idx *row; } Walker;

static const Expr *walk_step(Ctx *c, const Expr *at, void *arg_)
{
    Lower *l = ((Walker *)arg_)->l;
    const Idx *here = idx_value(c, expr_cast(c, DT_I64, at), INT32_MIN, INT32_MAX), *x[2] = {((Walker *)arg_)->row};
    const Expr *inside = guarded_place(c, here, type_count(in_type(l, 3)), NULL, &here);
    int64_t last = in_type(l, 0).dims[1] - 1;
    x[1] = idx_value(c, formula(c, "min(int64(a), b)", in_at(l, 2, &here), i64(c, last)), 0, last);
    const Expr *v = in_math(l, 0, x), *marked = arg(l->node, 6) ? in_at(l, 6, &here) : NULL;
    const Expr *yes = formula(c, marked ? "a <= b | isnan(a) & c" : "a <= b", v, in_math(l, 3, &here), marked);
    return formula(c, "a ? (b ? int32(c) : int32(d)) : e", inside, yes, in_at(l, 4, &here), in_at(l, 5, &here), at);
}

const Expr *tree_walk_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Walker w = {l, i[0]};
    int64_t depth = 0;
    Sweep s;
    const Expr *at = expr_cast(c, DT_I32, in_at(l, 1, &i[1]));
    (void)out;
    walk_depth(l->b, l->node, &depth);
    sweep_open(c, &s, 1, &depth);
    if (depth > 0)
        at = expr_reduce1(c, 1, s.vars, s.extents, at, walk_step, &w);
    return formula(c, "max(a - b, 0)", at, expr_int(c, DT_I32, type_count(in_type(l, 3))));
}

/* ---- the forest as a model gives it: nodes and votes ---- */

typedef struct Votes { /* each of a node for a target */
    int64_t n, *at, *target;
    double *weight;
} Votes;

/* The attribute, of count elements, into ints or reals. */
static bool listed(Build *b, const Node *n, const char *name, int64_t count, int64_t *ints, double *reals)
{
    const Tensor *t = attr_data(b, n, name);
    t = t ? t : attr_data(b, n, internf(b->c, "%s_as_tensor", name));
    int64_t got = t ? type_count(t->type) : 0;
    if (got != count)
        return node_error(b, n, "%s has %lld elements where %lld are needed: lists that go together are equally long",
                          name, (long long)got, (long long)count);
    for (int64_t i = 0; i < count; i++) {
        if (ints)
            ints[i] = tensor_at_int(t, i);
        else
            reals[i] = tensor_at_double(t, i);
    }
    return true;
}

static bool given(const Node *n, const char *name)
{
    return node_attr(n, name) != NULL;
}

static int number_order(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* Modes, and the sets of members, each sorted, NaN behind it. */
static bool modes_of(Forest *f, int64_t count)
{
    static const char *const modes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
    const Tensor *mode = attr_data(f->b, f->n, "nodes_modes"), *sets = attr_data(f->b, f->n, "membership_values");
    int64_t nsets = sets ? type_count(sets->type) : 0, at = 0;
    f->members = NEW_N(f->b->c, double, nsets + 1);
    for (int64_t i = 0; i <= nsets; i++)
        f->members[i] = i < nsets ? tensor_at_double(sets, i) : NAN;
    for (int64_t i = 0; i < f->count; i++) {
        int m = i >= count ? NODE_LEAF : name_place(f->b, f->n, "nodes_modes", mode, i, modes, COUNT(modes));
        if (m < 0)
            return false;
        f->mode[i] = (uint8_t)m;
        f->set[i] = at;
        while (m == BRANCH_MEMBER && at < nsets && !isnan(f->members[at]))
            at++;
        if (m == BRANCH_MEMBER && at == f->set[i])
            return node_error(f->b, f->n, "node %lld has no set in membership_values, where NaN ends each",
                              (long long)i);
        qsort(f->members + f->set[i], (size_t)(at - f->set[i]), sizeof(double), number_order);
        at += m == BRANCH_MEMBER && at < nsets;
    }
    return true;
}

/* In lists of names of trees and nodes. votes: how the lists of votes are called. */
static bool read_named(Forest *f, int64_t count, const char *votes, Votes *v)
{
    Build *b = f->b;
    const Node *n = f->n;
    int64_t *tree = NEW_N(b->c, int64_t, v->n);
    if (!listed(b, n, "nodes_treeids", count, f->tree, NULL) || !listed(b, n, "nodes_nodeids", count, f->id, NULL) ||
        !listed(b, n, "nodes_values", count, NULL, f->split) ||
        !listed(b, n, internf(b->c, "%s_treeids", votes), v->n, tree, NULL) ||
        !listed(b, n, internf(b->c, "%s_nodeids", votes), v->n, v->at, NULL) ||
        !listed(b, n, internf(b->c, "%s_ids", votes), v->n, v->target, NULL) ||
        !listed(b, n, internf(b->c, "%s_weights", votes), v->n, NULL, v->weight) || !forest_link(f, NULL))
        return false;
    for (int64_t i = 0; i < v->n; i++)
        if ((v->at[i] = forest_find(f, tree[i], v->at[i], votes)) < 0)
            return false;
    return true;
}

/* By their places, as TreeEnsemble has them: branches, then leaves, each with a vote. */
static bool read_placed(Forest *f, int64_t count, Votes *v)
{
    Build *b = f->b;
    const Node *n = f->n;
    for (int k = 0; k < 2; k++) {
        int64_t *leaf = NEW_N(b->c, int64_t, count);
        if (!listed(b, n, k ? "nodes_falseleafs" : "nodes_trueleafs", count, leaf, NULL))
            return false;
        for (int64_t i = 0; i < count; i++)
            f->to[k][i] += leaf[i] ? count : 0;
    }
    for (int64_t i = 0; i < f->count; i++)
        f->id[i] = i;
    for (int64_t i = 0; i < v->n; i++)
        v->at[i] = count + i;
    return listed(b, n, "nodes_splits", count, NULL, f->split) &&
           listed(b, n, "leaf_targetids", v->n, v->target, NULL) &&
           listed(b, n, "leaf_weights", v->n, NULL, v->weight) && forest_link(f, attr_data(b, n, "tree_roots"));
}

/* votes NULL: TreeEnsemble. x: the features. */
static bool planted(Build *b, const Node *n, const char *votes, Forest *f, Votes *v, Edge **x)
{
    const Tensor *mode = attr_data(b, n, "nodes_modes");
    const Tensor *voters = attr_data(b, n, votes ? internf(b->c, "%s_ids", votes) : "leaf_weights");
    int64_t count = mode ? type_count(mode->type) : 0, nvotes = voters ? type_count(voters->type) : 0;
    const char *track = "nodes_missing_value_tracks_true";
    *x = features(b, n);
    if (!*x)
        return false;
    *v = (Votes){nvotes, NEW_N(b->c, int64_t, nvotes), NEW_N(b->c, int64_t, nvotes), NEW_N(b->c, double, nvotes)};
    forest_new(b, n, (*x)->type.dt, count + (votes ? 0 : nvotes), f);
    return modes_of(f, count) && listed(b, n, "nodes_truenodeids", count, f->to[0], NULL) &&
           listed(b, n, "nodes_falsenodeids", count, f->to[1], NULL) &&
           listed(b, n, "nodes_featureids", count, f->feature, NULL) &&
           (!given(n, track) || listed(b, n, track, count, f->track, NULL)) &&
           (votes ? read_named(f, count, votes, v) : read_placed(f, count, v));
}

/* ---- what the leaves say ---- */

enum { AVERAGE, SUM, MIN, MAX };

/* [N,targets]: the weights of the leaves that x reaches, put together, with base_values; `from`: the id of the first
 * target. NULL: a fault was reported. */
static Edge *voted(Forest *f, const Votes *v, Edge *x, int64_t from, int64_t targets, int how)
{
    Build *b = f->b;
    int64_t dims[2] = {f->leaves, 1}, *who = NEW_N(b->c, int64_t, f->leaves);
    double none = how == MIN ? (double)INFINITY : how == MAX ? -(double)INFINITY : 0;
    bool many = targets == 1, based = given(f->n, "base_values") || given(f->n, "base_values_as_tensor");
    Edge *walk[7] = {x}, *in[4] = {NULL};
    memset(who, -1, sizeof *who * (size_t)f->leaves);
    if (targets < 1 || targets > v->n + 65536 || f->leaves * targets / 256 > v->n + 65536)
        return node_error(b, f->n, "%lld targets are too few or too many for %lld votes", (long long)targets,
                          (long long)v->n), NULL;
    for (int64_t i = 0; i < v->n; i++) {
        int64_t leaf = f->mode[v->at[i]] == NODE_LEAF ? f->first[v->at[i]] : -1, k = v->target[i] - from;
        if (k < 0 || k >= targets)
            return node_error(b, f->n, "vote %lld is for target %lld, there are %lld", (long long)i, (long long)k,
                              (long long)targets), NULL;
        many |= leaf >= 0 && who[leaf] >= 0;
        who[leaf < 0 ? 0 : leaf] = leaf < 0 ? who[0] : k;
    }
    dims[1] = many ? targets : 1;
    double *w = NEW_N(b->c, double, dims[0] * dims[1]), *base = NEW_N(b->c, double, targets);
    for (int64_t i = 0; i < dims[0] * dims[1]; i++)
        w[i] = none;
    for (int64_t i = 0; i < v->n; i++) {
        int64_t leaf = f->mode[v->at[i]] == NODE_LEAF ? f->first[v->at[i]] : -1;
        double *p = &w[leaf < 0 ? 0 : leaf * dims[1] + (many ? v->target[i] - from : 0)], y = v->weight[i];
        if (leaf >= 0)
            *p = how == MIN ? fmin(*p, y) : how == MAX ? fmax(*p, y) : *p + y;
    }
    for (int64_t k = 0; k < f->leaves; k++)
        who[k] = who[k] < 0 ? 0 : who[k];
    if ((based && !listed(b, f->n, "base_values", targets, NULL, base)) || !forest_tables(f, x->type.dims[1], walk + 1))
        return NULL;
    in[0] = build_op(b, "TreeWalk", walk[6] ? 7 : 6, walk, 0, NULL);
    in[1] = numbers(b, f->dt, 2, dims, NULL, w);
    in[2] = many ? NULL : numbers(b, place_type(targets), 2, dims, who, NULL);
    in[3] = based ? numbers(b, f->dt, 1, &targets, NULL, base) : NULL;
    const Attr attrs[3] = {attr_int(b->c, "how", how), attr_float(b->c, "none", (float)none),
                           attr_int(b->c, "targets", targets)};
    Edge *y = build_op(b, "Votes", 4, in, 3, attrs);
    return edge_poisoned(y) ? NULL : y;
}

static bool regressed(Build *b, const Node *n, const char *votes, Edge **out)
{
    static const char *const kinds[] = {"AVERAGE", "SUM", "MIN", "MAX"},
        *const posts[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    Forest f;
    Votes v;
    Edge *x;
    int how = name_place(b, n, "aggregate_function", attr_data(b, n, "aggregate_function"), 0, kinds, COUNT(kinds));
    int post = name_place(b, n, "post_transform", attr_data(b, n, "post_transform"), 0, posts, COUNT(posts));
    if (how < 0 || post < 0 || !planted(b, n, votes, &f, &v, &x) ||
        !(x = voted(&f, &v, x, 0, node_int(n, "n_targets", 1), how)))
        return false;
    Attr kind = attr_string(b->c, "kind", posts[post]);
    out[0] = build_cast(b, build_op(b, "PostTransform", 1, &x, 1, &kind), votes ? DT_F32 : arg_type(n, 0).dt);
    return true;
}

bool tree_ensemble(Build *b, const Node *n, Edge **out) { return regressed(b, n, NULL, out); }
bool tree_regressor(Build *b, const Node *n, Edge **out) { return regressed(b, n, "target", out); }

/* Two classes of which one alone gets votes: its score decides. Class 0 stands for the second then, as exporters mean
 * it; votes that are all positive count as probabilities. */
bool tree_classifier(Build *b, const Node *n, Edge **out)
{
    Forest f;
    Votes v;
    Edge *x;
    const Tensor *labels = class_labels(b, n, "classlabels_int64s");
    if (!labels || !planted(b, n, "class", &f, &v, &x))
        return false;
    int64_t classes = type_count(labels->type);
    bool single = classes == 2, positive = true;
    for (int64_t i = 0; i < v.n; i++) {
        single &= v.target[i] == v.target[0];
        positive &= v.weight[i] >= 0;
    }
    int64_t from = single && v.n ? v.target[0] : 0;
    if (!(x = voted(&f, &v, x, from, single ? 1 : classes, SUM)))
        return false;
    Attr attrs[3] = {attr_int(b->c, "pair", from == 1 ? 2 : !positive),
                     attr_string(b->c, "post_transform", node_string(n, "post_transform", "")),
                     attr_float(b->c, "threshold", positive ? 0.5F : 0)};
    build_op_n(b, "Classes", 2, (Edge *[]){x, build_const(b, NULL, labels, n->loc)}, 3, attrs, 2, out);
    return true;
}
