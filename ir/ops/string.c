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
        g.columns = g.indexes.v[i] >= g.columns ? g.indexes.v[i] + (g.indexes.v[i] < INT64_MAX) : g.columns;
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

/* Whether the pool is cut into whole grams, all of which have a column and, if any has, a weight. */
static bool grams_fit(const Grams *g)
{
    int64_t sum = 0;
    for (int64_t size = 1; size <= g->counts.n; size++) {
        if (grams_of_size(g, size) < 0)
            return false;
        sum += grams_of_size(g, size);
    }
    for (int i = 0; i < g->indexes.n; i++)
        if (g->indexes.v[i] < 0)
            return false;
    return g->indexes.n >= sum && (!g->weights || !g->weights->n || g->weights->n == g->indexes.n);
}

bool tfidf_infer(Build *b, const Node *n, Type *out)
{
    Grams g = grams_of(n);
    Type t = arg_type(n, 0);
    const char *mode = node_string(n, "mode", "");
    int64_t dims[2] = {t.rank == 2 ? t.dims[0] : g.columns, g.columns};
    if (strcmp(mode, "TF") != 0 && strcmp(mode, "IDF") != 0 && strcmp(mode, "TFIDF") != 0)
        return node_error(b, n, "mode = \"%s\" is unknown: it is TF, IDF or TFIDF", mode);
    if (t.rank > 2 || !g.pool || (t.dt == DT_STRING) != (g.pool->kind == ATTR_STRINGS))
        return unfit(b, n, "X must be a row of items or a matrix of rows; they are looked up in pool_strings when "
                     "they are strings, else in pool_int64s");
    if (g.least < 1 || g.most < g.least || g.skips < 0)
        return unfit(b, n, "the lengths of grams are at least 1, the least no more than the greatest; skips are not "
                     "negative");
    if (!grams_fit(&g))
        return unfit(b, n, "ngram_counts says where the 1-grams, 2-grams and so on of the pool (of %d) begin, whole "
                     "ones; ngram_indexes has a column for each, not negative, and weights (%d), if there are any, as many",
                     g.pool->n, g.weights ? g.weights->n : 0);
    return make_type(b, n, out, 0, DT_F32, t.rank == 2 ? 2 : 1, dims);
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
        for (int64_t i = 0, at = grams_at(g, size) + k; i < n; i++, at += size)
            table_set(grams, i, dt == DT_STRING ? (Value){.s = g->pool->strings[at]} : (Value){.i = g->pool->ints[at]});
        inside = guarded_place(c, place, items, inside, &place);
        const Expr *x = in_at(l, 0, (const Idx *const[]){t.rank == 2 ? s.i[0] : place, place});
        const Expr *gram = expr_load(c, lower_const(l, "grams", grams), &s.i[3]);
        equal = both(c, equal, expr_op2(c, OP_eq, expr_cast(c, dt, x), gram));
    }
    for (int64_t i = 0; i < n; i++)
        table_set(columns, i, (Value){.i = g->indexes.v[first + i]});
    const Expr *column = expr_load(c, lower_const(l, "columns", columns), &s.i[3]);
    const Idx *const to[] = {s.i[0], clamped(c, column, g->columns)};
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
        w = expr_load(c, lower_const(l, "weights", table), &column);
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
    if (!regex_table(b->c, pattern, &fault))
        return node_error(b, n, "pattern \"%s\": %s; it must be one of RE2's syntax, without classes \\p", pattern,
                          fault);
    return make_type(b, n, out, 0, DT_BOOL, t.rank, t.dims);
}

const Expr *regex_at(Lower *l, int out, const Idx *const *i)
{
    const char *fault;
    const Buf *table = lower_const(l, "pattern", regex_table(l->c, node_string(l->node, "pattern", ""), &fault));
    return expr_op2(l->c, OP_match, in_at(l, 0, i), expr_text(l->c, table, NULL));
}

/* ---- StringSplit: the pieces have slots of their own, as many as there may be for each string ---- */

bool split_strings_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Dims d = {0};
    int64_t most = node_int(n, "maxsplit", -1);
    dims_take(&d, t, 0, t.rank);
    d.at[d.n++] = most < 0 || most > b->c->string_bytes ? b->c->string_bytes + 1 : most + 1;
    out[1] = type_make(b->c, DT_I64, t.rank, t.dims);
    return dims_type(b, n, out, DT_STRING, &d);
}

void split_strings(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    int64_t splits = node_int(l->node, "maxsplit", -1), most = l->out[0] ? out_type(l, 0).dims[t.rank] : 0;
    const char *delimiter = node_string(l->node, "delimiter", "");
    const Expr *mark = expr_const(c, DT_STRING, (Value){.s = delimiter});
    const Expr *empty = expr_const(c, DT_STRING, (Value){.s = ""});
    Buf *counts = l->node->nout > 1 && l->out[1] ? l->out[1] : lower_temp(l, "counts", DT_I64, t.rank, t.dims);
    const Expr *n = expr_op2(c, OP_pieces, in_at(l, 0, lower_vars(l, t.rank, t.dims)), mark);
    lower_store(l, counts, splits < 0 ? n : expr_op2(c, OP_min, n, i64(c, splits + 1)));
    Sweep e;
    sweep_open(c, &e, t.rank, t.dims);
    n = expr_load(c, counts, e.i);
    if (!l->out[0])
        return;
    const Expr *widest = true_dims(l, 0, t.rank, sweep_reduce(c, &e, i64(c, 0), (Fold){OP_max, n, NULL}));
    if (buf_count(l->out[0]) == 0) {
        lower_store(l, l->out[0], empty);
        return;
    }
    Sweep w = e;
    sweep_more(c, &w, 1, &most);
    const Idx *flat = idx_flat(c, t.rank, t.dims, w.i), *slot = idx_axpy(c, w.i[t.rank], most, flat);
    Buf *slots = lower_slots(l, "pieces", type_count(t) * most);
    const Buf *rest = buf_new(c, BUF_LOCAL, "rest", DT_STRING, 0, NULL);
    const Expr *x = in_at(l, 0, w.i), *r = expr_load_version(c, rest, NULL, 1), *k = expr_index(c, w.i[t.rank]);
    const Stmt *last = stmt_text(c, slots, &slot, expr_op1(c, OP_text, r));
    const Stmt *piece = stmt_text(c, slots, &slot, expr_op2(c, OP_before, r, mark));
    piece = stmt_if(c, expr_op2(c, OP_eq, k, i64(c, splits)), last, piece);
    const Stmt *on = stmt_store(c, rest, NULL, expr_op2(c, OP_behind, expr_op2(c, OP_find, r, mark), mark));
    piece = stmt_for(c, w.vars[t.rank], most, stmt_seq(c, 2, (const Stmt *[]){piece, on}));
    on = stmt_store(c, rest, NULL, *delimiter ? x : expr_op1(c, OP_skip_blanks, x));
    lower_nest(l, slots, sweep_around(c, &e, stmt_seq(c, 3, (const Stmt *[]){stmt_local(c, rest), on, piece})));
    const Expr *place = expr_op2(c, OP_add, expr_op2(c, OP_mul, expr_index(c, flat), widest), k);
    const Expr *y = expr_select(c, expr_op2(c, OP_lt, k, n), expr_text(c, slots, &slot), empty);
    lower_nest(l, l->out[0], sweep_around(c, &w, stmt_if(c, expr_op2(c, OP_lt, k, widest),
                                                         store_flat(c, l->out[0], place, y), NULL)));
}

/* ---- StringNormalizer: what is no stop word, moved to the front ---- */

bool normalizer_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    if (t.rank < 1 || t.rank > 2 || (t.rank == 2 && t.dims[0] != 1))
        return unfit(b, n, "X must be [C] or [1, C]");
    int64_t count = t.dims[t.rank - 1];
    return type_but(b, n, out, 0, t.rank - 1, count > 0 ? count : 1); /* nothing is left: one empty string */
}

/* The strings by the other case, in slots; NULL: as they are. */
static const Buf *recased(Lower *l, Type t, bool change, bool to_upper)
{
    if (!change)
        return NULL;
    Buf *b = lower_temp(l, to_upper ? "upper" : "lower", DT_STRING, t.rank, t.dims);
    const Expr *table = expr_text(l->c, lower_const(l, "letters", case_table(l->c, to_upper)), NULL);
    lower_store(l, b, expr_op2(l->c, OP_recase, in_at(l, 0, lower_vars(l, t.rank, t.dims)), table));
    return b;
}

void string_normalizer(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    const char *action = node_string(l->node, "case_change_action", "NONE");
    const Attr *stops = node_attr(l->node, "stopwords");
    bool fold = stops && stops->n && !node_int(l->node, "is_case_sensitive", 0);
    bool upper = strcmp(action, "UPPER") == 0, plain = strcmp(action, "NONE") == 0;
    if (type_count(t) == 0) { /* the one that its type has */
        true_dims(l, 0, t.rank - 1, i64(c, 1));
        lower_store(l, l->out[0], expr_const(c, DT_STRING, (Value){.s = ""}));
        return;
    }
    const Buf *folded = recased(l, t, fold || !(upper || plain), false), *given = recased(l, t, upper, true);
    Sweep s, w;
    const Idx *const *i = lower_vars(l, t.rank, t.dims);
    const Expr *stop = zero(c, DT_BOOL), *key = fold ? expr_load(c, folded, i) : in_at(l, 0, i);
    if (stops && stops->n) {
        int64_t n = stops->n;
        Tensor *words = tensor_new(c, type_make(c, DT_STRING, 1, &n));
        for (int k = 0; k < stops->n; k++)
            table_set(words, k, (Value){.s = fold ? text_recased(c, stops->strings[k], false) : stops->strings[k]});
        sweep_open(c, &w, 1, &n);
        key = expr_op2(c, OP_eq, key, expr_load(c, lower_const(l, "stopwords", words), w.i));
        stop = sweep_reduce(c, &w, stop, (Fold){OP_or, key, NULL});
    }
    Buf *kept = lower_temp(l, "kept", DT_BOOL, t.rank, t.dims), *counter = buf_new(c, BUF_LOCAL, "k", DT_I64, 0, NULL);
    lower_store(l, kept, expr_op1(c, OP_not, stop));
    sweep_open(c, &s, t.rank, t.dims);
    const Expr *keep = expr_load(c, kept, s.i), *n = count_of(c, &s, keep);
    const Expr *x = plain ? in_at(l, 0, s.i) : expr_load(c, upper ? given : folded, s.i);
    n = true_dims(l, 0, t.rank - 1, expr_op2(c, OP_max, n, i64(c, 1)));
    const Stmt *put = store_flat(c, l->out[0], expr_load_version(c, counter, NULL, 1), x);
    const Stmt *none = store_flat(c, l->out[0], zero(c, DT_I64), expr_const(c, DT_STRING, (Value){.s = ""}));
    lower_nest(l, l->out[0], stmt_seq(c, 2, (const Stmt *[]){none, count_through(c, &s, counter, keep, n, put)}));
}
