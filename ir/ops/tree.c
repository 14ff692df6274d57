/* Decision trees. Whatever form a model gives them in becomes constant tables of one shape: the branches of all trees
 * in one row, each before those that it leads to, then the leaves; one comparison everywhere, x <= split, exact for the
 * others too: x < v is x <= p, p the next number below v; x > v is x <= v with its ways exchanged; x == v lies above p
 * and not above v, and a set of values is a search among twice as many splits. NaN goes the second way but where the
 * branch is marked. TreeWalk walks the rows of X down all trees, a bounded loop, to the leaves; ordinary operators add
 * up their weights. */
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
    const Expr *feature = expr_cast(c, DT_I64, in_at(l, 2, &here));
    x[1] = idx_value(c, expr_op2(c, OP_min, feature, expr_int(c, DT_I64, last)), 0, last);
    const Expr *v = in_math(l, 0, x), *yes = expr_op2(c, OP_le, v, in_math(l, 3, &here));
    if (arg(l->node, 6))
        yes = expr_op2(c, OP_or, yes, expr_op2(c, OP_and, expr_op1(c, OP_isnan, v), in_at(l, 6, &here)));
    const Expr *one = expr_cast(c, DT_I32, in_at(l, 4, &here)), *other = expr_cast(c, DT_I32, in_at(l, 5, &here));
    return expr_select(c, inside, expr_select(c, yes, one, other), at);
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
    at = expr_op2(c, OP_sub, at, expr_int(c, DT_I32, type_count(in_type(l, 3))));
    return expr_op2(c, OP_max, at, zero(c, DT_I32));
}

/* ---- the forest as a model gives it: nodes and votes, one row of each ---- */

enum { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF, NMODES };
static const char *const modes[NMODES] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                          "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
enum { TREE, NODE, YES, NO, FEATURE, SPLIT, TRACK, VOTES, VOTE_TREE = VOTES, VOTE_NODE, TARGET, WEIGHT, NCOLUMNS };

typedef struct Key { int64_t tree, node, at; } Key;
typedef struct Forest {
    Build *b;
    const Node *n;
    DType dt;                           /* of arithmetic */
    bool placed, marked;                /* TreeEnsemble; NaN goes the first way somewhere */
    int64_t count, votes, given;        /* rows; TreeEnsemble: nodes before the leaves */
    int64_t branches, leaves, nroots;   /* made */
    const Tensor *column[NCOLUMNS], *to_leaf[2];
    Key *keys;                          /* sorted */
    uint8_t *mode;
    int64_t *child[2], *voter, *roots, *set;    /* places of nodes; where the values of a BRANCH_MEMBER begin */
    double *members;                    /* each set sorted, NaN behind it */
    int64_t *first;                     /* per node its first branch, or its number as a leaf; -1: not reached */
    int64_t at, all;                    /* of the node at hand: the next branch, how many there are */
    int64_t *features, *ways[2], *marks;    /* what is made, per branch */
    double *splits;
} Forest;

static int64_t cell(const Forest *f, int k, int64_t i)
{
    if (!f->placed)
        return tensor_at_int(f->column[k], i);
    bool leaf = (k == YES || k == NO) && tensor_at_int(f->to_leaf[k - YES], i);
    int64_t behind = leaf || k == VOTE_NODE ? f->given : 0;
    if (k == TREE || k == VOTE_TREE)
        return 0;
    return behind + (k == NODE || k == VOTE_NODE ? i : tensor_at_int(f->column[k], i));
}

static const Tensor *column(Forest *f, const char *name, int64_t count, bool optional)
{
    const Tensor *t = attr_data(f->b, f->n, name);
    t = t ? t : attr_data(f->b, f->n, internf(f->b->c, "%s_as_tensor", name));
    int64_t n = t ? type_count(t->type) : 0;
    if (n == count || (!t && optional))
        return t;
    node_error(f->b, f->n, "%s has %lld elements where %lld are needed: lists that go together are equally long", name,
               (long long)n, (long long)count);
    return NULL;
}

static int key_order(const void *p, const void *q)
{
    const Key *a = p, *b = q;
    return a->tree != b->tree ? a->tree < b->tree ? -1 : 1 : (a->node > b->node) - (a->node < b->node);
}

static int64_t found(Forest *f, int64_t tree, int64_t node, const char *who)
{
    Key want = {tree, node, 0}, *k = bsearch(&want, f->keys, (size_t)f->count, sizeof want, key_order);
    if (!k)
        node_error(f->b, f->n, "%s names node %lld of tree %lld, which is not there", who, (long long)node,
                   (long long)tree);
    return k ? k->at : -1;
}

static int number_order(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* All columns; modes and the sets of members. */
static bool columns(Forest *f, const char *votes)
{
    static const char *const listed[] = {"nodes_treeids", "nodes_nodeids", "nodes_truenodeids", "nodes_falsenodeids",
                                         "nodes_featureids", "nodes_values", "nodes_missing_value_tracks_true",
                                         "_treeids", "_nodeids", "_ids", "_weights"},
        *const placed[] = {NULL, NULL, "nodes_truenodeids", "nodes_falsenodeids", "nodes_featureids", "nodes_splits",
                           "nodes_missing_value_tracks_true", NULL, NULL, "leaf_targetids", "leaf_weights",
                           "nodes_trueleafs", "nodes_falseleafs"};
    Ctx *c = f->b->c;
    const Tensor *mode = attr_data(f->b, f->n, "nodes_modes"), *sets = attr_data(f->b, f->n, "membership_values");
    const Tensor *voters = attr_data(f->b, f->n, f->placed ? "leaf_weights" : internf(c, "%s_ids", votes));
    int errors = c->errors;
    f->given = mode ? type_count(mode->type) : 0;
    f->votes = voters ? type_count(voters->type) : 0;
    f->count = f->given + (f->placed ? f->votes : 0);
    for (int k = 0; k < NCOLUMNS; k++) {
        const char *name = f->placed ? placed[k] : k < VOTES ? listed[k] : internf(c, "%s%s", votes, listed[k]);
        f->column[k] = name ? column(f, name, k < VOTES ? f->given : f->votes, k == TRACK) : NULL;
    }
    for (int k = 0; f->placed && k < 2; k++)
        f->to_leaf[k] = column(f, placed[NCOLUMNS + k], f->given, false);
    f->mode = NEW_N(c, uint8_t, f->count + 1);
    f->set = NEW_N(c, int64_t, f->count + 1);
    int64_t nsets = sets ? type_count(sets->type) : 0, at = 0;
    f->members = NEW_N(c, double, nsets + 1);
    for (int64_t i = 0; i <= nsets; i++)
        f->members[i] = i < nsets ? tensor_at_double(sets, i) : NAN;
    for (int64_t i = 0; i < f->count && c->errors == errors; i++) {
        int m = i >= f->given ? LEAF : name_place(f->b, f->n, "nodes_modes", mode, i, modes, NMODES);
        f->mode[i] = (uint8_t)m;
        f->set[i] = at;
        while (m == MEMBER && at < nsets && !isnan(f->members[at]))
            at++;
        if (m == MEMBER && at == f->set[i])
            node_error(f->b, f->n, "node %lld has no set in membership_values, where NaN ends each", (long long)i);
        qsort(f->members + f->set[i], (size_t)(at - f->set[i]), sizeof(double), number_order);
        at += m == MEMBER && at < nsets;
    }
    return c->errors == errors;
}

/* Who leads to whom; the roots: of TreeEnsemble they are given, else those to which nothing leads. */
static bool linked(Forest *f, const char *votes)
{
    Ctx *c = f->b->c;
    const Tensor *roots = attr_data(f->b, f->n, "tree_roots");
    int errors = c->errors;
    bool *led = NEW_N(c, bool, f->count + 1);
    f->keys = NEW_N(c, Key, f->count + 1);
    for (int64_t i = 0; i < f->count; i++)
        f->keys[i] = (Key){cell(f, TREE, i), cell(f, NODE, i), i};
    qsort(f->keys, (size_t)f->count, sizeof *f->keys, key_order);
    for (int64_t i = 1; i < f->count; i++)
        if (key_order(&f->keys[i - 1], &f->keys[i]) == 0)
            node_error(f->b, f->n, "node %lld of tree %lld is given twice", (long long)f->keys[i].node,
                       (long long)f->keys[i].tree);
    for (int k = 0; k < 2; k++) {
        f->child[k] = NEW_N(c, int64_t, f->count + 1);
        for (int64_t i = 0; i < f->count && c->errors == errors; i++)
            if (f->mode[i] != LEAF) {
                int64_t to = f->child[k][i] = found(f, cell(f, TREE, i), cell(f, YES + k, i), "a branch");
                led[to < 0 ? i : to] = true;
            }
    }
    f->voter = NEW_N(c, int64_t, f->votes + 1);
    for (int64_t i = 0; i < f->votes && c->errors == errors; i++)
        f->voter[i] = found(f, cell(f, VOTE_TREE, i), cell(f, VOTE_NODE, i), votes);
    int64_t most = roots ? type_count(roots->type) : f->count;
    f->roots = NEW_N(c, int64_t, most + 1);
    for (int64_t i = 0; i < most && c->errors == errors; i++)
        if (roots || !led[i])
            f->roots[f->nroots++] = roots ? found(f, 0, tensor_at_int(roots, i), "tree_roots") : i;
    return c->errors == errors;
}

/* ---- the tables ---- */

/* How many branches stand for node i. */
static int64_t width(const Forest *f, int64_t i)
{
    int64_t n = 0;
    while (f->mode[i] == MEMBER && !isnan(f->members[f->set[i] + n]))
        n++;
    return f->mode[i] == MEMBER ? 2 * n : f->mode[i] >= EQ ? 2 : 1;
}

static bool number(Forest *f)
{
    int64_t *stack = NEW_N(f->b->c, int64_t, 2 * f->count + 2), top = 0;
    f->first = NEW_N(f->b->c, int64_t, f->count + 1);
    memset(f->first, -1, sizeof *f->first * (size_t)f->count);
    for (int64_t r = 0; r < f->nroots; r++)
        for (stack[top++] = f->roots[r]; top > 0;) {
            int64_t i = stack[--top];
            if (f->mode[i] == LEAF) {
                f->first[i] = f->first[i] < 0 ? f->leaves++ : f->first[i];
                continue;
            }
            if (f->first[i] >= 0)
                return node_error(f->b, f->n, "node %lld of tree %lld is reached in two ways",
                                  (long long)cell(f, NODE, i), (long long)cell(f, TREE, i));
            f->first[i] = f->branches;
            f->branches += width(f, i);
            stack[top++] = f->child[1][i];
            stack[top++] = f->child[0][i];
        }
    for (int64_t i = 0; i < f->given; i++)
        if (f->first[i] < 0 && !f->placed)
            return node_error(f->b, f->n, "node %lld of tree %lld lies on a circle", (long long)cell(f, NODE, i),
                              (long long)cell(f, TREE, i));
    if (f->nroots == 0)
        node_error(f->b, f->n, "there is no tree");
    return f->nroots > 0;
}

/* The greatest number of the type that is not above v, or is below it. */
static double floor_in(DType dt, double v, bool below)
{
    if (below && v == -(double)INFINITY)
        return NAN;
    if (dt == DT_F64)
        return below ? nextafter(v, -(double)INFINITY) : v;
    float x = (float)v;
    return (double)((double)x > v || (below && (double)x == v) ? nextafterf(x, -INFINITY) : x);
}

/* The search of node i among its splits lo .. hi-1; between and beside them its two ways take turns. */
static int64_t grow(Forest *f, int64_t i, int64_t lo, int64_t hi)
{
    int mode = f->mode[i], turn = mode == GTE || mode == GT || mode == EQ || mode == MEMBER;
    int64_t to = f->child[(lo + turn) & 1][i], mid = (lo + hi) / 2;
    if (lo == hi)
        return f->first[to] + (f->mode[to] == LEAF ? f->branches : 0);
    bool first = mode == NEQ || (f->column[TRACK] && tensor_at_int(f->column[TRACK], i));
    bool last = ((f->all + turn) & 1) == 0;
    int64_t here = f->at++;
    double v = mode == MEMBER ? f->members[f->set[i] + mid / 2] : tensor_at_double(f->column[SPLIT], i);
    f->features[here] = cell(f, FEATURE, i);
    f->splits[here] = floor_in(f->dt, v, mode == LT || mode == GTE || (mode >= EQ && mid % 2 == 0));
    f->marks[here] = first != last && (mid > 0 || f->all == 1);
    f->marked |= f->marks[here] != 0;
    f->ways[0][here] = grow(f, i, lo, mid);
    f->ways[1][here] = grow(f, i, mid + 1, hi);
    return here;
}

/* int32[N,trees] */
static Edge *walked(Forest *f, Edge *x)
{
    Ctx *c = f->b->c;
    int64_t n = f->branches;
    int64_t *roots = NEW_N(c, int64_t, f->nroots);
    int64_t **all[] = {&f->features, &f->ways[0], &f->ways[1], &f->marks};
    for (int k = 0; k < COUNT(all); k++)
        *all[k] = NEW_N(c, int64_t, n + 1);
    f->splits = NEW_N(c, double, n + 1);
    for (int64_t i = 0; i < f->given; i++) {
        int64_t feature = f->mode[i] == LEAF ? 0 : cell(f, FEATURE, i);
        if (feature < 0 || feature >= x->type.dims[1]) {
            node_error(f->b, f->n, "node %lld of tree %lld reads feature %lld, X has %lld",
                       (long long)cell(f, NODE, i), (long long)cell(f, TREE, i), (long long)feature,
                       (long long)x->type.dims[1]);
            return NULL;
        }
        f->at = f->first[i];
        f->all = width(f, i);
        if (f->mode[i] != LEAF && f->at >= 0)
            grow(f, i, 0, f->all);
    }
    for (int64_t r = 0; r < f->nroots; r++)
        roots[r] = f->first[f->roots[r]] + (f->mode[f->roots[r]] == LEAF ? n : 0);
    DType dt = place_type(n + f->leaves);
    Edge *in[7] = {x, NULL};
    in[1] = numbers(f->b, dt, 1, &f->nroots, roots, NULL);
    in[2] = numbers(f->b, place_type(x->type.dims[1]), 1, &n, f->features, NULL);
    in[3] = numbers(f->b, f->dt, 1, &n, NULL, f->splits);
    in[4] = numbers(f->b, dt, 1, &n, f->ways[0], NULL);
    in[5] = numbers(f->b, dt, 1, &n, f->ways[1], NULL);
    in[6] = f->marked ? numbers(f->b, DT_BOOL, 1, &n, f->marks, NULL) : NULL;
    return build_op(f->b, "TreeWalk", f->marked ? 7 : 6, in, 0, NULL);
}

/* ---- what the leaves say ---- */

enum { AVERAGE, SUM, MIN, MAX };

/* [N,targets]: the weights of the reached leaves, put together; `from`: the id of the first target. */
static Edge *weighed(Forest *f, Edge *leaf, int64_t from, int64_t targets, int how)
{
    Build *b = f->b;
    int64_t axis = 1, dims[3] = {f->leaves, targets}, *who = NEW_N(b->c, int64_t, f->leaves);
    double none = how == MIN ? (double)INFINITY : how == MAX ? -(double)INFINITY : 0;
    bool many = targets == 1;
    memset(who, -1, sizeof *who * (size_t)f->leaves);
    if (targets < 1 || targets > f->votes + 65536 || f->leaves * targets / 256 > f->votes + 65536) {
        node_error(f->b, f->n, "%lld targets are too few or too many for %lld votes", (long long)targets,
                   (long long)f->votes);
        return NULL;
    }
    for (int64_t i = 0; i < f->votes; i++) {
        int64_t to = f->voter[i], k = cell(f, TARGET, i) - from;
        if (k < 0 || k >= targets) {
            node_error(f->b, f->n, "vote %lld is for target %lld, there are %lld", (long long)i, (long long)k,
                       (long long)targets);
            return NULL;
        }
        if (f->mode[to] != LEAF || f->first[to] < 0)
            continue;
        many |= who[f->first[to]] >= 0;
        who[f->first[to]] = k;
    }
    int64_t wide = many ? targets : 1, n = f->leaves * wide;
    double *w = NEW_N(b->c, double, n);
    for (int64_t i = 0; i < n; i++)
        w[i] = none;
    for (int64_t i = 0; i < f->votes; i++)
        if (f->mode[f->voter[i]] == LEAF && f->first[f->voter[i]] >= 0) {
            double *p = &w[f->first[f->voter[i]] * wide + (many ? cell(f, TARGET, i) - from : 0)];
            double v = tensor_at_double(f->column[WEIGHT], i);
            *p = how == MIN ? fmin(*p, v) : how == MAX ? fmax(*p, v) : *p + v;
        }
    dims[1] = wide;
    Edge *y = build_op2(b, "Gather", numbers(f->b, f->dt, 2, dims, NULL, w), leaf);
    if (!many) {    /* one vote a leaf: its target is looked up beside its weight */
        int64_t *all = NEW_N(b->c, int64_t, targets);
        for (int64_t k = 0; k < f->leaves; k++)
            who[k] = who[k] < 0 ? 0 : who[k];
        for (int64_t k = 0; k < targets; k++)
            all[k] = k;
        DType dt = place_type(targets);
        Edge *to = build_op2(b, "Gather", numbers(f->b, dt, 2, dims, who, NULL), leaf), *in[3] = {NULL, y, NULL};
        in[0] = build_op2(b, "Equal", to, numbers(f->b, dt, 1, &targets, all, NULL));
        in[2] = build_scalar(b, f->dt, none);
        y = build_op(b, "Where", 3, in, 0, NULL);
    }
    Attr keep = attr_int(b->c, "keepdims", 0);
    y = build_op(b, how == MIN ? "ReduceMin" : how == MAX ? "ReduceMax" : "ReduceSum", 2,
                 (Edge *[]){y, build_ints(b, 1, &axis)}, 1, &keep);
    if (how == AVERAGE)
        y = build_op2(b, "Div", y, build_scalar(b, f->dt, (double)f->nroots));
    if (how >= MIN) {   /* without a vote: 0 */
        Edge *in[3] = {build_op1(b, "IsInf", y), NULL, y};
        in[1] = build_scalar(b, f->dt, 0);
        y = build_op(b, "Where", 3, in, 0, NULL);
    }
    return y;
}

static bool planted(Build *b, const Node *n, const char *votes, Forest *f, Edge **x)
{
    *f = (Forest){.b = b, .n = n, .placed = !votes};
    *x = features(b, n);
    f->dt = *x ? (*x)->type.dt : DT_F32;
    return *x && columns(f, votes) && linked(f, votes) && number(f);
}

/* With base_values, one for each target. */
static Edge *based(Forest *f, Edge *y, int64_t targets)
{
    int errors = f->b->c->errors;
    const Tensor *base = column(f, "base_values", targets, true);
    if (f->b->c->errors > errors || edge_poisoned(y))
        return NULL;
    if (!base)
        return y;
    Tensor *row = tensor_of(f->b->c, type_make(f->b->c, base->type.dt, 1, &targets), base->data, base->bytes);
    return build_op2(f->b, "Add", y, build_cast(f->b, build_const(f->b, NULL, row, f->n->loc), f->dt));
}

static bool regressed(Build *b, const Node *n, const char *votes, Edge **out)
{
    static const char *const kinds[] = {"AVERAGE", "SUM", "MIN", "MAX"},
        *const posts[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    Forest f;
    Edge *x;
    int how = name_place(b, n, "aggregate_function", attr_data(b, n, "aggregate_function"), 0, kinds, COUNT(kinds));
    int post = name_place(b, n, "post_transform", attr_data(b, n, "post_transform"), 0, posts, COUNT(posts));
    int64_t targets = node_int(n, "n_targets", 1);
    if (how < 0 || post < 0 || !planted(b, n, votes, &f, &x) || !(x = walked(&f, x)) ||
        !(x = weighed(&f, x, 0, targets, how)) || !(x = based(&f, x, targets)))
        return false;
    Attr kind = attr_string(b->c, "kind", posts[post]);
    x = post ? build_op(b, "PostTransform", 1, &x, 1, &kind) : x;
    out[0] = build_cast(b, x, votes ? DT_F32 : arg_type(n, 0).dt);
    return true;
}

bool tree_ensemble(Build *b, const Node *n, Edge **out)
{
    return regressed(b, n, NULL, out);
}

bool tree_regressor(Build *b, const Node *n, Edge **out)
{
    return regressed(b, n, "target", out);
}

/* Two classes of which one alone gets votes: its score decides. Class 0 stands for the second then, as exporters mean
 * it; votes that are all positive count as probabilities. */
bool tree_classifier(Build *b, const Node *n, Edge **out)
{
    Forest f;
    Edge *x;
    const Tensor *labels = class_labels(b, n, "classlabels_int64s");
    if (!labels || !planted(b, n, "class", &f, &x))
        return false;
    int64_t classes = type_count(labels->type);
    bool single = classes == 2, positive = true;
    for (int64_t i = 0; i < f.votes; i++) {
        single &= cell(&f, TARGET, i) == cell(&f, TARGET, 0);
        positive &= tensor_at_double(f.column[WEIGHT], i) >= 0;
    }
    int64_t from = single && f.votes ? cell(&f, TARGET, 0) : 0;
    classes = single ? 1 : classes;
    if (!(x = walked(&f, x)) || !(x = weighed(&f, x, from, classes, SUM)) || !(x = based(&f, x, classes)))
        return false;
    Attr attrs[3] = {attr_int(b->c, "pair", from == 1 ? 2 : !positive),
                     attr_string(b->c, "post_transform", node_string(n, "post_transform", "")),
                     attr_float(b->c, "threshold", positive ? 0.5F : 0)};
    build_op_n(b, "Classes", 2, (Edge *[]){x, build_const(b, NULL, labels, n->loc)}, 3, attrs, 2, out);
    return true;
}
