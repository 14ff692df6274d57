/* A chain of kernels as one that computes them a row at a time.
 *
 * The last stage's rows are the steps of the outermost loop. A stage that delivers several rows for each row of the
 * next ones stands with those before it in a loop of its own; so all loops nest, and a stage's row is affine in them.
 * Each lags behind by as many rows as what it reads has to be ahead; a condition leaves out rows beyond both ends. Of a
 * result that only the chain reads, a ring of rows is kept: row y lies at y mod the ring's length. A stage's row is a
 * kernel whose rows are one, so it is tiled as the whole would be, and each element is computed as before, once.
 *
 * Where the last stage lays out what the one in front of it computes, both go by strips of a row: what it stores, line
 * by line far apart, then gets to memory while the next strip is computed. */
#include "inline.h"
#include "loopify.h"
#include "stream.h"
#include "tile.h"

typedef struct Rings {
    Ctx *c;
    const Chain *ch;
    Buf *of[STAGES_MOST];            /* by stage; NULL: the last one writes where it did before */
    const Idx *row[STAGES_MOST];     /* that each stage computes */
    int var[STAGES_MOST]; int64_t times[STAGES_MOST];    /* the loop that ends behind a stage; 0 times: none does */
    int strip;                       /* dimension of what the last stage lays out along which strips follow; -1: none */
    int along[2];                    /* the variable of the last and of the one in front that runs there */
    int block;                       /* the loop over strips at hand; -1: none */
} Rings;

enum { STRIP = 16, STRIPS_FEWEST = 2 };

/* ---- which go by strips ------------------------------------------------------------------------------------------ */

/* The variable of k that alone makes x, and no other of the `rank` subscripts; -1: none. */
static int alone_in(Ctx *c, const Kernel *k, const Idx *x, int rank, const Idx *const *at)
{
    for (int v = 0; v < k->rank; v++) {
        if (k->dims[v] < STRIP * STRIPS_FEWEST || x != idx_var(c, v, k->dims[v])) continue;
        int uses = 0;
        for (int d = 0; d < rank; d++) uses += idx_uses(at[d], v);
        return uses == 1 ? v : -1;
    }
    return -1;
}

static void find_strips(Rings *r)
{
    const Stage *last = &r->ch->of[0], *s = &r->ch->of[1];
    const Expr *x = last->k->value;
    int64_t step;
    r->strip = r->block = -1;
    if (r->ch->n < 2 || r->times[1] || r->row[0] != r->row[1] || last->rows != s->rows) return;
    if (x->kind != E_LOAD || x->buf != s->k->out) return;
    for (int d = 0; d < x->buf->rank - 1; d++) {
        const int to = alone_in(r->c, last->k, x->at[d], x->buf->rank, x->at);
        const int from = alone_in(r->c, s->k, s->k->at[d], x->buf->rank, s->k->at);
        if (d == s->dim || to < 0 || from < 0 || last->k->dims[to] != s->k->dims[from]) continue;
        const Buf *out = last->k->out;
        if (!idx_affine(idx_flat(r->c, out->rank, out->dims, last->k->at), to, &step) || step != 1) continue;
        r->strip = d;
        r->along[0] = to;
        r->along[1] = from;
        return;
    }
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void make_rings(Rings *r)
{
    for (int i = 1; i < r->ch->n; i++) {
        const Stage *s = &r->ch->of[i];
        const Buf *b = s->k->out;
        int64_t dims[MAX_RANK];
        memcpy(dims, b->dims, sizeof *dims * (size_t)b->rank);
        dims[s->dim] = s->ring;
        if (i == 1 && r->strip >= 0) dims[r->strip] = STRIP;
        r->of[i] = buf_new(r->c, BUF_TEMP, b->name, b->dt, b->rank, dims);
    }
}

static void make_loops(Rings *r)
{
    const Idx *step = NULL;
    for (int i = 0; i < r->ch->n; i++) {
        const Stage *s = &r->ch->of[i];
        const bool opens = i == 0 || s->rate != s[-1].rate;
        if (opens) {
            r->var[i] = var_new(r->c);
            r->times[i] = i == 0 ? s->rows + s->delay : s->rate / s[-1].rate;
            const Idx *v = idx_var(r->c, r->var[i], r->times[i]);
            step = i == 0 ? v : idx_axpy(r->c, v, r->times[i], step);
        }
        r->row[i] = idx_add(r->c, step, idx_const(r->c, -s->delay));
    }
}

static const Idx *const *in_ring(const Rings *r, int stage, const Idx *const *at)
{
    const Stage *s = &r->ch->of[stage];
    const Idx **place = mem_copy(r->c, at, sizeof *place * (size_t)s->k->out->rank);
    if (s->ring < s->rows) place[s->dim] = idx_digit(r->c, at[s->dim], 1, s->ring);
    if (stage == 1 && r->strip >= 0) place[r->strip] = idx_digit(r->c, at[r->strip], 1, STRIP);
    return place;
}

static const Expr *load_ring(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Rings *r = arg;
    for (int i = 1; i < r->ch->n; i++)
        if (r->ch->of[i].k->out == b) return expr_load(c, r->of[i], in_ring(r, i, at));
    return NULL;
}

typedef struct Own { const Rings *r; bool any; } Own;

static void see_own(const Expr *e, void *arg)
{
    Own *o = arg;
    for (int i = 0; e->kind == E_LOAD && i < o->r->ch->n; i++) {
        o->any |= e->buf == o->r->of[i];
        for (int d = 0; d < e->buf->rank; d++) o->any |= o->r->times[i] && idx_uses(e->at[d], o->r->var[i]);
        for (int d = 0; d < e->buf->rank; d++) o->any |= o->r->block >= 0 && idx_uses(e->at[d], o->r->block);
    }
}

/* As tiles, unless an operand would have to be packed anew for each row. */
static const Kernel *tiles_of(Rings *r, const Kernel *k, const Target *target, Made *made)
{
    const int bufs = made->bufs.n, kernels = made->kernels.n;
    const Kernel *to = kernel_tiles(r->c, k, target, made);
    Own own = {r, false};
    for (int i = kernels; i < made->kernels.n; i++) kernel_walk(r->c, made->kernels.at[i], see_own, &own);
    if (own.any) made->bufs.n = bufs, made->kernels.n = kernels;
    return own.any ? k : to;
}

/* One row of a stage. */
static Kernel row_of(const Rings *r, int stage)
{
    Ctx *c = r->c;
    const Stage *s = &r->ch->of[stage];
    const Idx *y = idx_assume(c, r->row[stage], 0, s->rows - 1);
    const Subst sub = {1, &s->var, &y};
    Kernel k = *s->k;
    int64_t *dims = mem_copy(c, k.dims, sizeof *dims * (size_t)k.rank);
    const Idx **at = NEW_N(c, const Idx *, k.out->rank);
    dims[s->var] = 1;
    for (int d = 0; d < k.out->rank; d++) at[d] = idx_subst(c, s->k->at[d], &sub);
    k.dims = dims;
    k.at = at;
    k.value = expr_rewrite(c, k.value, &(Rewrite){.subst = &sub, .load = load_ring, .arg = (void *)(uintptr_t)r});
    if (stage > 0) {
        k.at = in_ring(r, stage, k.at);
        k.out = r->of[stage];
    }
    return k;
}

static const Stmt *nest_of(Rings *r, const Kernel *k, const Target *target, Made *made)
{
    return kernel_loops(r->c, tiles_of(r, kernel_space(r->c, k), target, made), target->lanes > 0)->nest;
}

/* nest, but nothing where the row is beyond the ends of a stage. */
static const Stmt *within(const Rings *r, int stage, const Stmt *nest)
{
    return stmt_if(r->c, expr_in(r->c, r->row[stage], r->ch->of[stage].rows), nest, NULL);
}

/* `count` strips of the rows of the last two stages, `size` wide each, one behind the other. */
static const Stmt *some_strips(Rings *r, const Kernel *rows, int64_t from, int64_t count, int64_t size,
                               const Target *target, Made *made)
{
    Ctx *c = r->c;
    const Stmt *both[2];
    if (count == 0) return stmt_seq(c, 0, NULL);
    r->block = var_new(c);
    const Idx *first = idx_axpy(c, idx_const(c, from), STRIP, idx_var(c, r->block, count));
    for (int i = 0; i < 2; i++) {
        const Kernel k = kernel_part_at(c, &rows[i], r->along[i], first, size);
        both[1 - i] = nest_of(r, &k, target, made);
    }
    const Stmt *nest = stmt_for(c, r->block, count, stmt_seq(c, 2, both));
    r->block = -1;
    return nest;
}

/* The first and the last apart: none between them need ask where an image ends. */
static const Stmt *strips(Rings *r, const Target *target, Made *made)
{
    const Kernel rows[2] = {row_of(r, 0), row_of(r, 1)};
    const int64_t width = rows[0].dims[r->along[0]], whole = (width - 1) / STRIP, rest = width - whole * STRIP;
    const Stmt *all[] = {some_strips(r, rows, 0, 1, STRIP, target, made),
                         some_strips(r, rows, STRIP, whole - 1, STRIP, target, made),
                         some_strips(r, rows, whole * STRIP, 1, rest, target, made)};
    return stmt_seq(r->c, COUNT(all), all);
}

const Kernel *chain_kernel(Ctx *c, const Chain *ch, const Target *target, Made *made)
{
    Rings r = {.c = c, .ch = ch};
    Kernel *k = NEW(c, Kernel);
    const Stmt *nest = stmt_seq(c, 0, NULL);
    k->what = k->operators = k->through = "";
    make_loops(&r);
    find_strips(&r);
    make_rings(&r);
    for (int i = ch->n; i-- > 0;) {
        const Kernel *s = ch->of[i].k;
        Mark m = scratch_mark(c);
        const Stmt *row = NULL;
        if (i == 0 && r.strip >= 0) row = within(&r, 0, strips(&r, target, made));
        const Kernel own = row_of(&r, i);
        if (i > 1 || r.strip < 0) row = within(&r, i, nest_of(&r, &own, target, made));
        const Stmt *both[] = {nest, row ? row : stmt_seq(c, 0, NULL)};
        scratch_release(c, m);
        nest = stmt_seq(c, COUNT(both), both);
        if (r.times[i]) nest = stmt_for(c, r.var[i], r.times[i], nest);
        k->what = internf(c, "%s%s%s", k->what, *k->what ? " + " : "", s->what);
        k->operators = names_joined(c, k->operators, s->operators);
        k->through = names_joined(c, k->through, s->through);
    }
    if (k->through && !*k->through) k->through = NULL;
    k->loc = ch->of[0].k->loc;
    k->out = ch->of[0].k->out;
    k->nest = nest;
    k->nheld = ch->n - 1;
    k->held = mem_copy(c, r.of + 1, sizeof *r.of * (size_t)k->nheld);
    return k;
}
