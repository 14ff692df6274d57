/* The kernels around the products of minimal filtering: what goes in, and what comes out with all that is computed of
 * it.
 *
 * Both walk over tiles of outputs and, within, over lanes of channels, and are straight lines of sums. What lies
 * outside of an image is read at another place inside and then multiplied by 0, so that lanes load without a test. */
#include "loopify.h"
#include "winograd.h"

enum { STRETCHES_MOST = 2 };

typedef struct Stretch { int64_t from, count; int outputs; } Stretch;     /* of tiles along an axis: outputs of each */

typedef struct Walk {
    Ctx *c;
    const Filter *f;
    const Minimal *by;
    bool in;
    const Buf *tiles;                /* input: what is written; output: the products */
    int lanes;                       /* side by side */
    const Idx *outer[MAX_RANK];      /* where the walk is: the kernel's other variables */
    int outer_vars[MAX_RANK];
    const Idx *tile[2];              /* row and column of tiles */
    const Stretch *at[2];
    const Idx *channel;
    Straight front;                  /* what is computed in front of the lanes: factors, by condition */
    PtrMap factors;
} Walk;

/* ---- stretches ----------------------------------------------------------------------------------------------- */

static int64_t tiles_along(const Axis *a, int m)
{
    return (a->out + m - 1) / m;
}

/* Tiles of outputs: whole ones, and a last one of what is left. Those of inputs are all alike. */
static int stretches_of(const Axis *a, int m, bool in, Stretch *s)
{
    int n = 0;
    const int64_t all = tiles_along(a, m), whole = in ? all : a->out / m;
    if (whole > 0) s[n++] = (Stretch){0, whole, m};
    if (whole < all) s[n++] = (Stretch){whole, 1, (int)(a->out % m)};
    return n;
}

int64_t filter_tiles(const Filter *f, int m)
{
    int64_t n = tiles_along(&f->axis[0], m) * tiles_along(&f->axis[1], m);
    for (int i = 0; i < f->nouter; i++) n *= f->k->dims[f->outer[i]];
    return n;
}

/* ---- what happens in a tile ---------------------------------------------------------------------------------- */

static const Idx *tile_number(const Walk *w)
{
    const Filter *f = w->f;
    int64_t dims[MAX_RANK];
    const Idx *at[MAX_RANK];
    int n = 0;
    for (; n < f->nouter; n++) dims[n] = f->k->dims[f->outer[n]], at[n] = w->outer[n];
    for (int i = 0; i < 2; i++, n++) dims[n] = tiles_along(&f->axis[i], w->by->m), at[n] = w->tile[i];
    return idx_flat(w->c, n, dims, at);
}

/* The kernel's variables, at output `place` of the tile along each axis. */
typedef struct At { int vars[MAX_RANK]; const Idx *to[MAX_RANK]; Subst subst; } At;

static const Subst *here(const Walk *w, const int64_t *place, int channel_var, At *at)
{
    const Filter *f = w->f;
    int n = 0;
    for (; n < f->nouter; n++) at->vars[n] = f->outer[n], at->to[n] = w->outer[n];
    for (int i = 0; i < 2; i++, n++) {
        at->vars[n] = f->axis[i].out_var;
        at->to[n] = idx_axpy(w->c, idx_const(w->c, place[i]), w->by->m, w->tile[i]);
    }
    at->vars[n] = channel_var, at->to[n++] = w->channel;
    at->subst = (Subst){n, at->vars, at->to};
    return &at->subst;
}

/* The subscript of input `place` of the tile along an axis; *inside: whether it is there. What is outside comes in
 * again at the other end: that takes no branch. */
static const Idx *subscript(const Walk *w, const Axis *a, const Idx *tile, int place, const Expr **inside)
{
    const Idx *x = idx_axpy(w->c, idx_const(w->c, place + a->shift), w->by->m, tile);
    *inside = expr_in(w->c, x, a->in);
    if (x->lo >= 0 && x->hi < a->in) return x;
    const int64_t around = x->lo < 0 ? (-x->lo + a->in - 1) / a->in * a->in : 0;
    return idx_digit(w->c, idx_add(w->c, x, idx_const(w->c, around)), 1, a->in);
}

/* 1 where cond holds, else 0: a scalar in front of the lanes. A choice among them would be a loop for each of its
 * ends. */
static const Expr *factor(Walk *w, const Expr *cond)
{
    const Expr *known = ptrmap_get(&w->factors, cond);
    if (known) return known;
    known = straight_name(&w->front, expr_select(w->c, cond, expr_float(w->c, DT_F32, 1), expr_float(w->c, DT_F32, 0)));
    ptrmap_put(w->c, &w->factors, cond, (void *)known);
    return known;
}

static const Expr *input(Straight *s, int y, int x, void *arg)
{
    Walk *w = arg;
    const Filter *f = w->f;
    const int64_t origin[2] = {0, 0};
    const int place[2] = {y, x};
    const Buf *b = f->image->buf;
    const Idx **to = NEW_N(w->c, const Idx *, b->rank);
    const Expr *inside[2];
    At at;
    const Subst *sub = here(w, origin, f->in_var, &at);
    for (int d = 0; d < b->rank; d++) to[d] = idx_subst(w->c, f->image->at[d], sub);
    for (int i = 0; i < 2; i++) to[f->axis[i].dim] = subscript(w, &f->axis[i], w->tile[i], place[i], &inside[i]);
    const Expr *load = straight_name(s, expr_load(w->c, b, to)), *cond = expr_op2(w->c, OP_and, inside[0], inside[1]);
    if (cond->kind == E_CONST && cond->value.i) return load;
    return straight_name(s, expr_op2(w->c, OP_mul, load, factor(w, cond)));
}

static void tile_in(Walk *w, Straight *s)
{
    const Expr *v[POINTS_MOST * POINTS_MOST];
    straight_in(s, w->by, input, w, v);
    for (int i = 0; i < w->by->n * w->by->n; i++) {
        const Idx *at[3] = {tile_number(w), idx_const(w->c, i), w->channel};
        VEC_PUSH(w->c, s->stmts, stmt_store(w->c, w->tiles, at, v[i]));
    }
}

const Expr *filter_with(Ctx *c, const Expr *e, const Expr *sum, const Expr *by)
{
    const Expr *args[3];
    if (e == sum) return by;
    if (e->n == 0) return e;
    for (int i = 0; i < e->n; i++) args[i] = filter_with(c, e->args[i], sum, by);
    return e->kind == E_SELECT ? expr_select(c, args[0], args[1], args[2]) : expr_remake(c, e, args);
}

static const Expr *product(Straight *s, int row, int column, void *arg)
{
    const Walk *w = arg;
    const Idx *at[3] = {tile_number(w), idx_const(w->c, w->by->n * row + column), w->channel};
    return straight_name(s, expr_load(w->c, w->tiles, at));
}

static void tile_out(Walk *w, Straight *s)
{
    const Kernel *k = w->f->k;
    const int m = w->by->m;
    const Expr *y[OUTPUTS_MOST * OUTPUTS_MOST];
    straight_out(s, w->by, product, w, y);
    for (int64_t i = 0; i < w->at[0]->outputs; i++)
        for (int64_t j = 0; j < w->at[1]->outputs; j++) {
            const int64_t place[2] = {i, j};
            At at;
            const Subst *sub = here(w, place, w->f->out_var, &at);
            const Expr *value = filter_with(w->c, k->value, w->f->sum, y[m * i + j]);
            const Idx **to = NEW_N(w->c, const Idx *, k->out->rank);
            for (int d = 0; d < k->out->rank; d++) to[d] = idx_subst(w->c, k->at[d], sub);
            const Stmt *st = spelled_store(w->c, k->out, to, expr_subst(w->c, value, sub), true);
            VEC_PUSH(w->c, s->stmts, st);
        }
}

/* ---- loops --------------------------------------------------------------------------------------------------- */

/* Channels from..: whole blocks of lanes, then what is left in powers of two. */
static const Stmt *over_channels(Walk *w)
{
    const int64_t channels = w->tiles->dims[2];
    VEC(const Stmt *) pieces = {0};
    int64_t from = 0;
    for (int lanes = w->lanes; from < channels; lanes /= 2) {
        const int64_t count = (channels - from) / lanes;
        if (count == 0) continue;
        Straight s = {.c = w->c};
        w->front = (Straight){.c = w->c};
        w->factors = (PtrMap){0};
        const int block = var_new(w->c), lane = var_new(w->c);
        w->channel = idx_add(w->c, idx_axpy(w->c, idx_const(w->c, from), lanes, idx_var(w->c, block, count)),
                             idx_var(w->c, lane, lanes));
        if (w->in) tile_in(w, &s);
        else tile_out(w, &s);
        const Stmt *body = stmt_lanes(w->c, lane, lanes, straight_end(&s));
        VEC_PUSH(w->c, w->front.stmts, body);
        body = stmt_seq(w->c, w->front.stmts.n, w->front.stmts.at);
        VEC_PUSH(w->c, pieces, stmt_for(w->c, block, count, body));
        from += count * lanes;
    }
    return stmt_seq(w->c, pieces.n, pieces.at);
}

static const Stmt *over_axis(Walk *w, int i)
{
    Stretch all[STRETCHES_MOST];
    const Stmt *parts[STRETCHES_MOST];
    if (i == 2) return over_channels(w);
    const int n = stretches_of(&w->f->axis[i], w->by->m, w->in, all);
    for (int k = 0; k < n; k++) {
        const int var = var_new(w->c);
        w->tile[i] = idx_add(w->c, idx_const(w->c, all[k].from), idx_var(w->c, var, all[k].count));
        w->at[i] = &all[k];
        parts[k] = stmt_for(w->c, var, all[k].count, over_axis(w, i + 1));
    }
    return stmt_seq(w->c, n, parts);
}

static const Stmt *over_tiles(Walk *w)
{
    const Filter *f = w->f;
    for (int i = 0; i < f->nouter; i++) {
        w->outer_vars[i] = var_new(w->c);
        w->outer[i] = idx_var(w->c, w->outer_vars[i], f->k->dims[f->outer[i]]);
    }
    const Stmt *nest = over_axis(w, 0);
    for (int i = f->nouter; i-- > 0;) nest = stmt_for(w->c, w->outer_vars[i], f->k->dims[f->outer[i]], nest);
    return nest;
}

const Kernel *filter_in(Ctx *c, const Filter *f, const Minimal *by, const Buf *tiles, int lanes)
{
    Walk w = {.c = c, .f = f, .by = by, .in = true, .tiles = tiles, .lanes = lanes};
    Kernel *k = NEW(c, Kernel);
    *k = (Kernel){.what = internf(c, "Tiles of %s", f->image->buf->name), .loc = f->k->loc, .out = tiles};
    k->nest = over_tiles(&w);
    return k;
}

const Kernel *filter_out(Ctx *c, const Filter *f, const Minimal *by, const Buf *products, int lanes)
{
    Walk w = {.c = c, .f = f, .by = by, .tiles = products, .lanes = lanes};
    Kernel *k = mem_copy(c, f->k, sizeof *k);
    k->nest = over_tiles(&w);
    k->value = NULL;
    k->rank = 0;
    return k;
}
