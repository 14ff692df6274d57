/* A chain of kernels as one that computes them a row at a time.
 *
 * The last stage's rows are the steps of the outermost loop. A stage that delivers several rows for each row of the
 * next ones stands with those before it in a loop of its own; so all loops nest, and a stage's row is affine in them.
 * Each lags behind by as many rows as what it reads has to be ahead; a condition leaves out rows beyond both ends. Of a
 * result that only the chain reads, a ring of rows is kept: row y lies at y mod the ring's length. A stage's row is a
 * kernel whose rows are one, so it is tiled as the whole would be, and each element is computed as before, once. */
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
} Rings;

static void make_rings(Rings *r)
{
    for (int i = 1; i < r->ch->n; i++) {
        const Stage *s = &r->ch->of[i];
        const Buf *b = s->k->out;
        int64_t dims[MAX_RANK];
        memcpy(dims, b->dims, sizeof *dims * (size_t)b->rank);
        dims[s->dim] = s->ring;
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

/* One row of a stage; nothing, where that is beyond its ends. */
static const Stmt *stage_row(Rings *r, int stage, const Target *target, Made *made)
{
    Ctx *c = r->c;
    const Stage *s = &r->ch->of[stage];
    const Idx *row = r->row[stage], *y = idx_assume(c, row, 0, s->rows - 1);
    const Subst sub = {1, &s->var, &y};
    Kernel k = *s->k;
    int64_t *dims = mem_copy(c, k.dims, sizeof *dims * (size_t)k.rank);
    const Idx **at = NEW_N(c, const Idx *, k.out->rank);
    dims[s->var] = 1;
    for (int d = 0; d < k.out->rank; d++) at[d] = idx_subst(c, s->k->at[d], &sub);
    k.dims = dims;
    k.at = at;
    k.value = expr_rewrite(c, k.value, &(Rewrite){.subst = &sub, .load = load_ring, .arg = r});
    if (stage > 0) {
        k.at = in_ring(r, stage, k.at);
        k.out = r->of[stage];
    }
    const Stmt *nest = kernel_loops(c, tiles_of(r, kernel_space(c, &k), target, made), target->lanes > 0)->nest;
    return stmt_if(c, expr_in(c, row, s->rows), nest, NULL);
}

const Kernel *chain_kernel(Ctx *c, const Chain *ch, const Target *target, Made *made)
{
    Rings r = {.c = c, .ch = ch};
    Kernel *k = NEW(c, Kernel);
    const Stmt *nest = stmt_seq(c, 0, NULL);
    k->what = k->operators = k->through = "";
    make_rings(&r);
    make_loops(&r);
    for (int i = ch->n; i-- > 0;) {
        const Kernel *s = ch->of[i].k;
        Mark m = scratch_mark(c);
        const Stmt *both[] = {nest, stage_row(&r, i, target, made)};
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
