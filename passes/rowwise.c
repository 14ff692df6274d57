/* Kernels that work on the same rows become one: for each row all that is to be done with it, so that it is read from
 * memory once and stays in cache.
 *
 * Such a group is a run of kernels over the same rows. Each but the last makes a temporary that only the group reads,
 * at the row at hand: one value a row, which becomes a scalar; or a row, which is written where the last one writes
 * (an exponential, then its share of the sum) and stays until the next row is written there, element by element. Part
 * of loopify. */
#include "loopify.h"
#include "inline.h"

enum { GROUP_MOST = 6 };

typedef struct Group {
    Ctx *c;
    const Kernel *const *k;
    int n;                           /* kernels */
    int rank;                        /* of the rows: variables 0 .. rank-1 */
    int64_t size;                    /* elements of a row */
    const Idx *row;                  /* flat number of the row */
    const Buf *scalars[GROUP_MOST];  /* what the result of kernel i becomes; NULL: the last one's */
    int at;                          /* the kernel that is looked at */
    int first_write;                 /* the first that writes where the last one does */
    bool ok;
} Group;

static const Idx *flat_of(const Group *g, const Buf *b, const Idx *const *at)
{
    return idx_flat(g->c, b->rank, b->dims, at);
}

/* Whether x lies in the row at hand, of a buffer that has the rows of the last kernel. */
static bool in_row(const Group *g, const Idx *x)
{
    const Idx *rest = idx_axpy(g->c, x, -g->size, g->row);
    return rest->lo >= 0 && rest->hi < g->size;
}

static int made_by(const Group *g, const Buf *b)
{
    for (int i = 0; i < g->n - 1; i++)
        if (g->k[i]->out == b) return i;
    return -1;
}

static void check_load(const Expr *e, void *arg)
{
    Group *g = arg;
    if (e->kind != E_LOAD || !g->ok) return;
    const int maker = made_by(g, e->buf);
    const Idx *at = flat_of(g, e->buf, e->at);
    int held = g->at - 1;            /* whose row lies in the result */
    while (held >= 0 && g->scalars[held]) held--;
    if (maker < 0) g->ok = e->buf != g->k[g->n - 1]->out;
    else if (maker < g->at && g->scalars[maker]) g->ok = at == g->row;
    else if (maker != held) g->ok = false;
    else if (g->scalars[g->at]) g->ok = in_row(g, at);
    else g->ok = at == flat_of(g, g->k[g->n - 1]->out, g->k[g->n - 1]->at);
}

static bool same_rows(const Group *g, const Kernel *k)
{
    const Kernel *last = g->k[g->n - 1];
    int rank = k->rank;
    while (rank > g->rank && k->dims[rank - 1] == 1) rank--;
    return rank >= g->rank && rank <= last->rank && memcmp(k->dims, last->dims, sizeof *k->dims * (size_t)rank) == 0;
}

/* What becomes of the result of kernel i. */
static bool place_result(Group *g, int i)
{
    const Kernel *k = g->k[i], *last = g->k[g->n - 1];
    const Idx *at = flat_of(g, k->out, k->at);
    if (!same_rows(g, k) || k->out->kind != BUF_TEMP || k->out->text || dtype_bits(k->out->dt) < 8) return false;
    if (at == g->row && buf_count(k->out) * g->size == buf_count(last->out)) {
        g->scalars[i] = buf_new(g->c, BUF_LOCAL, internf(g->c, "row%d", i), k->out->dt, 0, NULL);
        return true;
    }
    if (g->first_write > i) g->first_write = i;
    return k->out->dt == last->out->dt && at == flat_of(g, last->out, last->at);
}

typedef struct Reads { const Buf *b; bool any; } Reads;

static void see_buffer(const Buf *b, void *arg)
{
    Reads *r = arg;
    r->any |= b == r->b;
}

static int readers_within(const Group *g, const Buf *b)
{
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        Reads r = {b, false};
        prog_reads(g->c, g->k[i], see_buffer, &r);
        n += r.any;
    }
    return n;
}

static void see_reduce(const Expr *e, void *arg)
{
    *(bool *)arg |= e->kind == E_REDUCE;
}

/* Whether the kernels are a group. */
static bool form(Group *g, const Uses *u)
{
    const Kernel *last = g->k[g->n - 1];
    int64_t rows = 1;
    if (last->rank < 1 || dtype_bits(last->out->dt) < 8 || last->out->text || last->out->dt == DT_STRING) return false;
    g->rank = last->rank - 1;
    g->size = last->dims[g->rank];
    g->row = idx_const(g->c, 0);
    for (int v = 0; v < g->rank; v++) {
        g->row = idx_axpy(g->c, idx_var(g->c, v, last->dims[v]), last->dims[v], g->row);
        rows *= last->dims[v];
    }
    const Idx *whole = idx_axpy(g->c, idx_var(g->c, g->rank, g->size), g->size, g->row);
    bool reduces = false;
    if (g->size < 2 || rows * g->size != buf_count(last->out) || flat_of(g, last->out, last->at) != whole) return false;
    g->first_write = g->n - 1;
    g->ok = true;
    for (int i = 0; i < g->n - 1 && g->ok; i++) {
        const Buf *b = g->k[i]->out;
        g->ok = place_result(g, i) && u->writers[b->id] == 1 && u->readers[b->id] == readers_within(g, b);
    }
    for (g->at = 0; g->at < g->n && g->ok; g->at++) {
        expr_walk(g->c, g->k[g->at]->value, check_load, g);
        if (g->at < g->n - 1) expr_walk(g->c, g->k[g->at]->value, see_reduce, &reduces);
    }
    return g->ok && reduces;
}

static const Expr *read_result(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Group *g = arg;
    const int maker = made_by(g, b);
    if (maker < 0) return NULL;
    if (g->scalars[maker]) return expr_load(c, g->scalars[maker], NULL);
    const Buf *out = g->k[g->n - 1]->out;
    const Idx **to = NEW_N(c, const Idx *, out->rank);
    idx_unflat(c, flat_of(g, b, at), out->rank, out->dims, to);
    return expr_load(c, out, to);
}

/* What the plan may know: who may lie where `out` does. Only what all kernels of the group read of the row at hand, and
 * none behind the first that writes there. */
static void check_sharing(const Expr *e, void *arg)
{
    Group *g = arg;
    if (e->kind == E_LOAD && (e->buf->kind == BUF_TEMP || e->buf->kind == BUF_IN) && made_by(g, e->buf) < 0)
        g->ok &= g->at <= g->first_write && in_row(g, flat_of(g, e->buf, e->at));
}

typedef struct Order { const Group *g; int reductions, kernel; bool ok, read; } Order;

static void see_order(const Expr *e, void *arg)
{
    Order *o = arg;
    const Kernel *last = o->g->k[o->g->n - 1];
    if (e->kind == E_REDUCE) {
        o->reductions++;
        o->ok &= e->reduce->lanes > 0 && e->reduce->nvars == 1 && e->reduce->extents[0] == o->g->size;
    }
    if (e->kind != E_LOAD || made_by(o->g, e->buf) < 0 || o->g->scalars[made_by(o->g, e->buf)]) return;
    const Idx *at = idx_axpy(o->g->c, flat_of(o->g, e->buf, e->at), -o->g->size, o->g->row);
    o->read |= made_by(o->g, e->buf) == o->kernel;
    o->ok &= last->out->dt == e->dt && at->n == 1 && at->k == 0 && at->t[0].c == 1 && at->t[0].atom->kind == ATOM_VAR &&
             at->t[0].atom->var >= last->rank;
}

/* Whether kernel i + 1 reduces the row that kernel i writes, in lanes and in order: it may be written meanwhile. */
static bool feeds(const Group *g, int i, bool wide)
{
    bool reduces = false;
    Order o = {g, 0, i, true, false};
    if (!wide || g->scalars[i] || i + 1 == g->n || !g->scalars[i + 1]) return false;
    expr_walk(g->c, g->k[i]->value, see_reduce, &reduces);
    expr_walk(g->c, g->k[i + 1]->value, see_order, &o);
    return !reduces && o.ok && o.read && o.reductions == 1;
}

static const Kernel *joined(Group *g, bool wide)
{
    Ctx *c = g->c;
    const Kernel *last = g->k[g->n - 1];
    const Rewrite through = {.load = read_result, .arg = g};
    VEC(const Stmt *) body = {0};
    Kernel *to = mem_copy(c, last, sizeof *to);
    const Kernel *feed = NULL;
    for (int i = 0; i < g->n; i++) {
        Kernel *part = mem_copy(c, g->k[i], sizeof *part);
        part->value = expr_rewrite(c, part->value, &through);
        if (g->scalars[i]) {
            VEC_PUSH(c, body, stmt_local(c, g->scalars[i]));
            VEC_PUSH(c, body, feed ? spelled_with(c, feed, g->scalars[i], part->value)
                                   : spelled_store(c, g->scalars[i], NULL, part->value, wide));
            feed = NULL;
        } else {
            part->out = last->out;
            part->at = last->at;
            part->rank = last->rank;
            if (feeds(g, i, wide)) feed = part;
            else VEC_PUSH(c, body, spell_elements(c, part, g->rank, wide));
        }
        if (i == g->n - 1) break;
        to->what = internf(c, i ? "%s + %s" : "%s%s", i ? to->what : "", g->k[i]->what);
    }
    to->what = g->n > 1 ? internf(c, "%s + %s", to->what, last->what) : last->what;
    to->nest = stmt_seq(c, body.n, body.at);
    for (int v = g->rank; v-- > 0;) to->nest = stmt_for(c, v, last->dims[v], to->nest);
    g->ok = true;
    for (g->at = 0; g->at < g->n; g->at++) expr_walk(c, g->k[g->at]->value, check_sharing, g);
    to->value = g->ok ? g->k[g->first_write]->value : NULL;
    return to;
}

const Kernel *joined_rows(Ctx *c, const Kernel *const *k, int n, const Uses *u, bool wide, int *taken)
{
    int most = 0;
    while (most < n && most < GROUP_MOST && !k[most]->nest && k[most]->value) most++;
    for (*taken = most; *taken > 1; --*taken) {
        Group g = {.c = c, .k = k, .n = *taken};
        if (form(&g, u)) return joined(&g, wide);
    }
    return NULL;
}
