/* Operators on strings. A computed string is what a scalar operator writes into a slot (loop.h: op_writes); all else
 * moves pointers. What is known at compile time, n-grams and patterns, becomes a table. */
#include "meaning.h"

/* ---- TfIdfVectorizer: how often each n-gram of a pool occurs in each row ---- */

typedef struct Grams { /* the pool */
    Ints counts, indexes;
    const Attr *pool, *weights;
    int64_t least, most, skips, columns;
} Grams;

static Grams grams_of(const Node *n)
{
    const Attr *ints = node_attr(n, "pool_int64s"), *texts = node_attr(n, "pool_strings");
    Grams g = {.pool = ints && ints->n ? ints : texts, .weights = node_attr(n, "weights"),
               .least = node_int(n, "min_gram_length", 1), .most = node_int(n, "max_gram_length", 1),
               .skips = node_int(n, "max_skip_count", 0)};
    attr_list(n, "ngram_counts", &g.counts);
    attr_list(n, "ngram_indexes", &g.indexes);
    for (int i = 0; i < g.indexes.n; i++)
        g.columns = g.indexes.v[i] >= g.columns ? g.indexes.v[i] + 1 : g.columns;
    return g;
}

/* Where the grams of `size` items begin in the pool; `size` one too large: the end. */
static int64_t grams_at(const Grams *g, int64_t size)
{
    return size <= g->counts.n ? g->counts.v[size - 1] : g->pool->n;
}

/* How many grams of that size; -1: no whole number of them lies between their places in the pool. */
static int64_t grams_of_size(const Grams *g, int64_t size)
{
    int64_t from = grams_at(g, size), to = grams_at(g, size + 1);
    return from < 0 || to < from || to > g->pool->n || (to - from) % size ? -1 : (to - from) / size;
}

/* Reports what is wrong with the pool. */
static bool grams_fit(Build *b, const Node *n, const Grams *g)
{
    int64_t sum = 0, most = INT64_MAX;
    for (int64_t size = 1; size <= g->counts.n; size++) {
        int64_t grams = grams_of_size(g, size);
        if (grams < 0) {
            node_error(b, n, "ngram_counts %s, of a pool of %d: its %lld-grams take no whole number of places",
                       dims_text(b->c, g->counts.n, g->counts.v), g->pool->n, (long long)size);
            return false;
        }
        sum += grams;
    }
    int weights = g->weights ? g->weights->n : 0;
    if (g->indexes.n < sum || (weights && weights != g->indexes.n)) {
        node_error(b, n, "the pool has %lld n-grams: ngram_indexes has one element for each, and weights as many; they "
                   "have %d and %d", (long long)sum, g->indexes.n, weights);
        return false;
    }
    for (int i = 0; i < g->indexes.n; i++)
        most = g->indexes.v[i] < most ? g->indexes.v[i] : most;
    if (most < 0)
        node_error(b, n, "ngram_indexes has %lld: a column cannot be negative", (long long)most);
    return most >= 0;
}

bool tfidf_infer(Build *b, const Node *n, Type *out)
{
    Grams g = grams_of(n);
    Type t = arg_type(n, 0);
    const char *mode = node_string(n, "mode", "");
    int64_t dims[2] = {t.rank == 2 ? t.dims[0] : g.columns, g.columns};
    if (t.rank > 2)
        node_error(b, n, "X is %s: it must be a row of items or a matrix of rows", type_text(b->c, t));
    else if (strcmp(mode, "TF") != 0 && strcmp(mode, "IDF") != 0 && strcmp(mode, "TFIDF") != 0)
        node_error(b, n, "mode = \"%s\" is unknown: it is TF, IDF or TFIDF", mode);
    else if (!g.pool || (t.dt == DT_STRING) != (g.pool->kind == ATTR_STRINGS))
        node_error(b, n, "X is %s: its items are looked up in pool_strings when they are strings, else in pool_int64s, "
                   "and that attribute is missing", type_text(b->c, t));
    else if (g.least < 1 || g.most < g.least || g.skips < 0)
        node_error(b, n, "min_gram_length %lld, max_gram_length %lld, max_skip_count %lld: lengths are at least 1, the "
                   "first no more than the second, and skips are not negative", (long long)g.least, (long long)g.most,
                   (long long)g.skips);
    else
        return grams_fit(b, n, &g) && make_type(b, n, out, 0, DT_F32, t.rank == 2 ? 2 : 1, dims);
    return false;
}

static Value gram_item(const Grams *g, int64_t i)
{
    return g->pool->kind == ATTR_STRINGS ? (Value){.s = g->pool->strings[i]} : (Value){.i = g->pool->ints[i]};
}

static const Expr *table_at(Lower *l, const char *name, Tensor *t, const Idx *const *at)
{
    return expr_load(l->c, lower_const(l, name, t), at);
}

static void table_set(Tensor *t, int64_t i, Value v)
{
    scalar_write(t->type.dt, (void *)(uintptr_t)t->data, i, v);
}

/* Counts the grams of one size, the first of which is the pool's n-gram number `first`. */
static const Stmt *count_grams(Lower *l, const Grams *g, int64_t size, int64_t first, int64_t n, Buf *count)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    DType dt = g->pool->kind == ATTR_STRINGS ? DT_STRING : DT_I64;
    int64_t items = t.rank ? t.dims[t.rank - 1] : 1, skips = size == 1 ? 0 : g->skips < items ? g->skips : items;
    Tensor *columns = tensor_new(c, type_make(c, DT_I64, 1, &n)), *grams;
    Sweep s;
    sweep_open(c, &s, 4, (int64_t[]){count->dims[0], skips + 1, items, n});
    const Expr *inside = NULL, *equal = NULL;
    for (int64_t k = 0; k < size; k++) {
        const Idx *place = idx_add(c, idx_axpy(c, s.i[2], k, s.i[1]), idx_const(c, k));
        grams = tensor_new(c, type_make(c, dt, 1, &n));
        for (int64_t i = 0; i < n; i++)
            table_set(grams, i, gram_item(g, grams_at(g, size) + i * size + k));
        inside = guarded_place(c, place, items, inside, &place);
        const Expr *x = in_at(l, 0, (const Idx *const[]){t.rank == 2 ? s.i[0] : place, place});
        equal = both(c, equal, expr_op2(c, OP_eq, expr_cast(c, dt, x), table_at(l, "grams", grams, &s.i[3])));
    }
    for (int64_t i = 0; i < n; i++)
        table_set(columns, i, (Value){.i = g->indexes.v[first + i]});
    const Expr *none = zero(c, DT_I64), *last = expr_int(c, DT_I64, g->columns - 1);
    const Expr *column = expr_op3(c, OP_clip, table_at(l, "columns", columns, &s.i[3]), none, last);
    const Idx *const to[] = {s.i[0], idx_value(c, column, 0, g->columns - 1)};
    const Expr *more = expr_op2(c, OP_add, expr_load_version(c, count, to, 1), expr_float(c, DT_F32, 1));
    const Stmt *add = stmt_if(c, equal, stmt_store(c, count, to, more), NULL);
    return sweep_around(c, &s, inside ? stmt_if(c, inside, add, NULL) : add);
}

void tfidf(Lower *l)
{
    Ctx *c = l->c;
    Grams g = grams_of(l->node);
    Type t = out_type(l, 0);
    const char *mode = node_string(l->node, "mode", "");
    int64_t dims[2] = {t.rank == 2 ? t.dims[0] : 1, g.columns}, first = 0;
    Buf *count = lower_temp(l, "count", DT_F32, 2, dims);
    Sweep s;
    sweep_open(c, &s, 2, dims);
    VEC(const Stmt *) body = {0};
    VEC_PUSH(c, body, sweep_around(c, &s, stmt_store(c, count, s.i, expr_float(c, DT_F32, 0))));
    for (int64_t size = 1; size <= g.counts.n && size <= g.most; size++) {
        int64_t n = grams_of_size(&g, size);
        if (size >= g.least && n > 0 && type_count(in_type(l, 0)) > 0)
            VEC_PUSH(c, body, count_grams(l, &g, size, first, n, count));
        first += n;
    }
    lower_nest(l, count, stmt_seq(c, body.n, body.at));
    const Idx *const *i = lower_vars(l, t.rank, t.dims), *column = i[t.rank - 1];
    const Expr *y = expr_load(c, count, (const Idx *const[]){t.rank == 2 ? i[0] : idx_const(c, 0), column});
    const Expr *w = expr_float(c, DT_F32, 1), *none = expr_float(c, DT_F32, 0);
    if (g.weights && g.weights->n) {
        Tensor *table = tensor_new(c, type_make(c, DT_F32, 1, &g.columns));
        for (int k = 0; k < g.weights->n; k++)
            table_set(table, g.indexes.v[k], (Value){.f = g.weights->floats[k]});
        w = table_at(l, "weights", table, &column);
    }
    if (strcmp(mode, "IDF") == 0)
        y = expr_select(c, expr_op2(c, OP_gt, y, none), w, none);
    lower_store(l, l->out[0], strcmp(mode, "TFIDF") == 0 ? expr_op2(c, OP_mul, y, w) : y);
}

/* ---- RegexFullMatch ---- */

bool regex_infer(Build *b, const Node *n, Type *out)
{
    const char *fault, *pattern = node_string(n, "pattern", "");
    Type t = arg_type(n, 0);
    if (!regex_table(b->c, pattern, &fault)) {
        node_error(b, n, "pattern \"%s\": %s; it must be one of RE2's syntax, without classes \\p", pattern, fault);
        return false;
    }
    return make_type(b, n, out, 0, DT_BOOL, t.rank, t.dims);
}

const Expr *regex_at(Lower *l, int out, const Idx *const *i)
{
    const char *fault;
    (void)out;
    const Buf *table = lower_const(l, "pattern", regex_table(l->c, node_string(l->node, "pattern", ""), &fault));
    return expr_op2(l->c, OP_match, in_at(l, 0, i), expr_text(l->c, table, NULL));
}
