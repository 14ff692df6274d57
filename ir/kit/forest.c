/* Decision trees as constant tables. Whatever form a model gives them in, the branches of all trees stand in one row,
 * each before those that it leads to, then the leaves; one comparison everywhere, x <= split, exact for the others too:
 * x < v is x <= p, p the next number below v; x > v is x <= v with its ways exchanged; x == v lies above p and not
 * above v, and a set of values is a search among twice as many splits. NaN goes the second way but where the branch is
 * marked. */
#include "kit.h"

typedef struct ForestKey {
    int64_t tree, id, at;
} Key;

void forest_new(Build *b, const Node *n, DType dt, int64_t count, Forest *f)
{
    *f = (Forest){.b = b, .n = n, .dt = dt, .count = count, .members = NEW_N(b->c, double, 1)};
    int64_t **lists[] = {&f->tree, &f->id, &f->to[0], &f->to[1], &f->feature, &f->track, &f->set, &f->first};
    for (int k = 0; k < COUNT(lists); k++)
        *lists[k] = NEW_N(b->c, int64_t, count + 1);
    f->split = NEW_N(b->c, double, count + 1);
    f->mode = NEW_N(b->c, uint8_t, count + 1);
}

static int key_order(const void *p, const void *q)
{
    const Key *a = p, *b = q;
    return a->tree != b->tree ? a->tree < b->tree ? -1 : 1 : (a->id > b->id) - (a->id < b->id);
}

int64_t forest_find(Forest *f, int64_t tree, int64_t id, const char *who)
{
    Key want = {tree, id, 0}, *k = bsearch(&want, f->keys, (size_t)f->count, sizeof want, key_order);
    if (!k)
        node_error(f->b, f->n, "%s names node %lld of tree %lld, which is not there", who, (long long)id,
                   (long long)tree);
    return k ? k->at : -1;
}

static bool node_fault(const Forest *f, int64_t i, const char *what)
{
    return node_error(f->b, f->n, "node %lld of tree %lld %s", (long long)f->id[i], (long long)f->tree[i], what);
}

/* Who leads to whom; the roots: those to which nothing leads, unless they are given. */
static bool linked(Forest *f, const Tensor *roots)
{
    Ctx *c = f->b->c;
    bool *led = NEW_N(c, bool, f->count + 1);
    f->keys = NEW_N(c, Key, f->count + 1);
    for (int64_t i = 0; i < f->count; i++)
        f->keys[i] = (Key){f->tree[i], f->id[i], i};
    qsort(f->keys, (size_t)f->count, sizeof *f->keys, key_order);
    for (int64_t i = 1; i < f->count; i++)
        if (key_order(&f->keys[i - 1], &f->keys[i]) == 0)
            return node_fault(f, f->keys[i].at, "is given twice");
    for (int64_t i = 0; i < f->count; i++)
        for (int k = 0; k < 2 && f->mode[i] != NODE_LEAF; k++) {
            if ((f->to[k][i] = forest_find(f, f->tree[i], f->to[k][i], "a branch")) < 0)
                return false;
            led[f->to[k][i]] = true;
        }
    int64_t most = roots ? type_count(roots->type) : f->count;
    f->roots = NEW_N(c, int64_t, most + 1);
    for (int64_t i = 0; i < most; i++) {
        if (roots || !led[i])
            f->roots[f->nroots++] = roots ? forest_find(f, 0, tensor_at_int(roots, i), "tree_roots") : i;
        if (roots && f->roots[i] < 0)
            return false;
    }
    return true;
}

/* How many branches stand for node i. */
static int64_t width(const Forest *f, int64_t i)
{
    int64_t n = 0;
    while (f->mode[i] == BRANCH_MEMBER && !isnan(f->members[f->set[i] + n]))
        n++;
    return f->mode[i] == BRANCH_MEMBER ? 2 * n : f->mode[i] >= BRANCH_EQ ? 2 : 1;
}

bool forest_link(Forest *f, const Tensor *roots)
{
    int64_t *stack = NEW_N(f->b->c, int64_t, 2 * f->count + 2), top = 0;
    if (!linked(f, roots))
        return false;
    memset(f->first, -1, sizeof *f->first * (size_t)f->count);
    for (int64_t r = 0; r < f->nroots; r++)
        for (stack[top++] = f->roots[r]; top > 0;) {
            int64_t i = stack[--top];
            if (f->mode[i] == NODE_LEAF) {
                f->first[i] = f->first[i] < 0 ? f->leaves++ : f->first[i];
                continue;
            }
            if (f->first[i] >= 0)
                return node_fault(f, i, "is reached in two ways");
            f->first[i] = f->branches;
            f->branches += width(f, i);
            stack[top++] = f->to[1][i];
            stack[top++] = f->to[0][i];
        }
    for (int64_t i = 0; i < f->count && !roots; i++)
        if (f->first[i] < 0)
            return node_fault(f, i, "lies on a circle");
    return f->nroots > 0 || node_error(f->b, f->n, "there is no tree");
}

/* ---- the tables ---- */

typedef struct Tables {              /* per branch */
    const Forest *f;
    int64_t at, all;                 /* of the node at hand: the next branch, how many there are */
    bool marked;                     /* NaN goes the first way somewhere */
    int64_t *features, *ways[2], *marks;
    double *splits;
} Tables;

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
static int64_t grow(Tables *t, int64_t i, int64_t lo, int64_t hi)
{
    const Forest *f = t->f;
    int mode = f->mode[i];
    int turn = mode == BRANCH_GTE || mode == BRANCH_GT || mode == BRANCH_EQ || mode == BRANCH_MEMBER;
    int64_t to = f->to[(lo + turn) & 1][i], mid = (lo + hi) / 2;
    if (lo == hi)
        return f->first[to] + (f->mode[to] == NODE_LEAF ? f->branches : 0);
    bool first = mode == BRANCH_NEQ || f->track[i], last = ((t->all + turn) & 1) == 0;
    int64_t here = t->at++;
    bool below = mode == BRANCH_LT || mode == BRANCH_GTE || (mode >= BRANCH_EQ && mid % 2 == 0);
    double v = mode == BRANCH_MEMBER ? f->members[f->set[i] + mid / 2] : f->split[i];
    t->features[here] = f->feature[i];
    t->splits[here] = floor_in(f->dt, v, below);
    t->marks[here] = first != last && (mid > 0 || t->all == 1);
    t->marked |= t->marks[here] != 0;
    t->ways[0][here] = grow(t, i, lo, mid);
    t->ways[1][here] = grow(t, i, mid + 1, hi);
    return here;
}

bool forest_tables(const Forest *f, int64_t features, Edge **out)
{
    Build *b = f->b;
    Tables t = {.f = f};
    int64_t n = f->branches, *roots = NEW_N(b->c, int64_t, f->nroots);
    int64_t **all[] = {&t.features, &t.ways[0], &t.ways[1], &t.marks};
    for (int k = 0; k < COUNT(all); k++)
        *all[k] = NEW_N(b->c, int64_t, n + 1);
    t.splits = NEW_N(b->c, double, n + 1);
    for (int64_t i = 0; i < f->count; i++) {
        if (f->mode[i] == NODE_LEAF)
            continue;
        if (f->feature[i] < 0 || f->feature[i] >= features)
            return node_fault(f, i, internf(b->c, "reads feature %lld, X has %lld", (long long)f->feature[i],
                                            (long long)features));
        t.at = f->first[i];
        t.all = width(f, i);
        if (t.at >= 0)
            grow(&t, i, 0, t.all);
    }
    for (int64_t r = 0; r < f->nroots; r++)
        roots[r] = f->first[f->roots[r]] + (f->mode[f->roots[r]] == NODE_LEAF ? n : 0);
    DType dt = place_type(n + f->leaves);
    out[0] = numbers(b, dt, 1, &f->nroots, roots, NULL);
    out[1] = numbers(b, place_type(features), 1, &n, t.features, NULL);
    out[2] = numbers(b, f->dt, 1, &n, NULL, t.splits);
    out[3] = numbers(b, dt, 1, &n, t.ways[0], NULL);
    out[4] = numbers(b, dt, 1, &n, t.ways[1], NULL);
    out[5] = t.marked ? numbers(b, DT_BOOL, 1, &n, t.marks, NULL) : NULL;
    return true;
}
