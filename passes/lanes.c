/* The inside of a tile: where its elements are, what a lane computes, its arrays, and what is stored. */
#include "loopify.h"
#include "tile.h"

const Buf **tile_array(const Tile *s, int row, int panel, int reduction)
{
    return &s->arrays[(row * s->panels + panel) * s->t->nreductions + reduction];
}

/* ---- places -------------------------------------------------------------------------------------------------- */

static const Idx *lane(const Tile *s, int extent)
{
    return idx_var(s->c, s->lane_var, extent);
}

/* The first element of a panel. */
const Idx *tile_panel(const Tile *s, int panel)
{
    return idx_axpy(s->c, idx_const(s->c, s->from + panel * s->lanes), s->panels * s->lanes, s->block);
}

typedef struct At { int vars[2]; const Idx *to[2]; Subst subst; } At;

static const Subst *element(const Tile *s, Place p, At *at)
{
    const Tiling *t = s->t;
    *at = (At){{t->lane, t->row}, {idx_add(s->c, tile_panel(s, p.panel), lane(s, p.lanes)), NULL}, {0}};
    if (t->row >= 0) at->to[1] = idx_add(s->c, t->row_at, idx_const(s->c, p.row));
    at->subst = (Subst){t->row < 0 ? 1 : 2, at->vars, at->to};
    return &at->subst;
}

const Expr *tile_at(const Tile *s, const Expr *e, Place p)
{
    At at;
    return expr_subst(s->c, e, element(s, p, &at));
}

static const Expr *array_lane(const Tile *s, const Buf *b, int lanes)
{
    const Idx *at = lane(s, lanes);
    return expr_load(s->c, b, &at);
}

/* A loop of lanes around st; in a window one loop is around all of them. */
static const Stmt *in_lanes(const Tile *s, int lanes, const Stmt *st)
{
    return s->t->window ? st : stmt_lanes(s->c, s->lane_var, lanes, st);
}

const Stmt *tile_store(const Tile *s, const Buf *b, const Expr *value)
{
    const Idx *at = lane(s, s->lanes);
    return in_lanes(s, s->lanes, stmt_store(s->c, b, &at, value));
}

/* ---- expressions of a lane ----------------------------------------------------------------------------------- */

typedef struct Varies { int var; bool any; } Varies;

/* One within the loop of lanes, as in a window, is another one in each. */
static bool is_scalar(const Buf *b)
{
    return b->kind == BUF_LOCAL && b->rank == 0;
}

static void see_var(const Expr *e, void *arg)
{
    Varies *u = arg;
    const int n = e->kind == E_LOAD ? e->buf->rank : e->kind == E_INDEX || e->kind == E_IN ? 1 : 0;
    for (int i = 0; i < n; i++) u->any |= idx_uses(e->at[i], u->var);
    u->any |= e->kind == E_ACC || e->kind == E_REDUCE || (e->kind == E_LOAD && is_scalar(e->buf));
}

bool expr_varies(Ctx *c, const Expr *e, int var)
{
    Varies u = {var, false};
    expr_walk(c, e, see_var, &u);
    return u.any;
}

const Expr *tile_held(const Tile *s, const Expr *e)
{
    const Buf *b = ptrmap_get(&s->scalars, e);
    return b ? expr_load(s->c, b, NULL) : NULL;
}

const Expr *tile_hold(Tile *s, const Expr *e, const Expr *value, Stmts *to)
{
    const char *stem = to == s->front ? "s" : "v";
    const Buf *b = buf_new(s->c, BUF_LOCAL, internf(s->c, "%s%d", stem, s->names++), e->dt, 0, NULL);
    VEC_PUSH(s->c, *to, stmt_local(s->c, b));
    VEC_PUSH(s->c, *to, stmt_store(s->c, b, NULL, value));
    ptrmap_put(s->c, &s->scalars, e, (void *)b);
    return expr_load(s->c, b, NULL);
}

/* What is the same for all lanes is computed once, in front of them. */
static const Expr *in_front(Tile *s, const Expr *e)
{
    const Expr *held = tile_held(s, e);
    return held ? held : tile_hold(s, e, e, s->front);
}

const Expr *tile_lane(Tile *s, const Expr *e, Place p)
{
    const Expr *args[3];
    if (e->kind == E_CONST || e->kind == E_INDEX || e->kind == E_IN || expr_guards(e)) return e;
    if (e->kind == E_ACC) return array_lane(s, *tile_array(s, p.row, p.panel, s->reduction), p.lanes);
    if (!expr_varies(s->c, e, s->lane_var)) return in_front(s, e);
    if (e->n == 0) return e;
    for (int i = 0; i < e->n; i++) args[i] = tile_lane(s, e->args[i], p);
    return e->kind == E_SELECT ? expr_select(s->c, args[0], args[1], args[2]) : expr_remake(s->c, e, args);
}

/* ---- the tile ------------------------------------------------------------------------------------------------ */

/* The arrays stand for the reductions in what is stored. */
static const Expr *reduced(Tile *s, const Expr *e, Place p)
{
    const Expr *args[3];
    for (int i = 0; i < s->t->nreductions; i++)
        if (s->t->reductions[i] == e) return array_lane(s, *tile_array(s, p.row, p.panel, i), p.lanes);
    if (e->n == 0) return e;
    for (int i = 0; i < e->n; i++) args[i] = reduced(s, e->args[i], p);
    return e->kind == E_SELECT ? expr_select(s->c, args[0], args[1], args[2]) : expr_remake(s->c, e, args);
}

/* The reduction that the one at hand goes on from, nothing else having its value; -1: none. */
static int goes_on_from(const Tile *s)
{
    const Tiling *t = s->t;
    const Expr *init = t->reductions[s->reduction]->reduce->init[0];
    for (int i = 0; i < s->reduction; i++)
        if (t->reductions[i] == init && t->uses[i] == 1) return i;
    return -1;
}

/* Scalars are declared in `to` from here on; those of a window, in front of all of it. */
static void open_front(Tile *s, Stmts *to)
{
    if (s->t->window) return;
    s->front = to;
    s->scalars = (PtrMap){0};
}

static void open_arrays(Tile *s, Stmts *out)
{
    const int64_t lanes = s->lanes;
    const int n = s->t->rows * s->panels, before = goes_on_from(s);
    const Reduce *r = s->t->reductions[s->reduction]->reduce;
    Stmts stores = {0};
    open_front(s, out);
    for (int i = 0; i < n; i++) {
        const Place p = {i / s->panels, i % s->panels, s->lanes};
        const Buf **array = tile_array(s, p.row, p.panel, s->reduction);
        At at;
        if (before >= 0) *array = *tile_array(s, p.row, p.panel, before);
        if (before >= 0) continue;
        const char *name = internf(s->c, "acc%d", s->reduction * n + i);
        *array = buf_new(s->c, BUF_LOCAL, name, r->init[0]->dt, !s->t->window, &lanes);
        VEC_PUSH(s->c, *out, stmt_local(s->c, *array));
        const Expr *init = expr_subst(s->c, reduced(s, r->init[0], p), element(s, p, &at));
        VEC_PUSH(s->c, *(s->t->window ? out : &stores), tile_store(s, *array, tile_lane(s, init, p)));
    }
    for (int i = 0; i < stores.n; i++) VEC_PUSH(s->c, *out, stores.at[i]);
}

/* What is stored in fewer bits than 32, in 32: gcc fits the vectors of a loop to its smallest type. NULL: it is not. */
static const Expr *widely(Ctx *c, const Expr *value)
{
    const Expr *x = value->kind == E_CAST ? value->args[0] : NULL;
    if (!x || dtype_bits(x->dt) != 32 || dtype_bits(value->dt) >= 32 || value->dt == DT_BOOL) return NULL;
    if (value->dt == DT_F16 && x->dt == DT_F32) return expr_op1(c, OP_half, expr_bits(c, DT_U32, x));
    if (!dtype_is_int(value->dt)) return NULL;
    if (x->dt != DT_F32) return x;
    int64_t lo, hi;
    dtype_range(value->dt, &lo, &hi);
    const Expr *least = expr_float(c, DT_F32, (double)lo), *most = expr_float(c, DT_F32, (double)hi);
    return expr_cast(c, DT_I32, expr_op3(c, OP_clip, x, least, most));
}

/* The value by way of an array of 32 bits an element, where the loop that stores would else have narrow vectors. */
static const Expr *by_way(Tile *s, const Expr *value, Place p, Stmts *to)
{
    const int64_t lanes = p.lanes;
    const Expr *wide = p.lanes == most_lanes(s->t) ? widely(s->c, value) : NULL;
    if (!wide) return value;
    const Idx *at = lane(s, p.lanes);
    const Buf *b = buf_new(s->c, BUF_LOCAL, internf(s->c, "wide%d", s->names++), wide->dt, 1, &lanes);
    VEC_PUSH(s->c, *to, stmt_local(s->c, b));
    const Stmt *store = spelled_store(s->c, b, &at, wide, true);
    VEC_PUSH(s->c, *to, stmt_lanes(s->c, s->lane_var, p.lanes, store));
    const Expr *x = expr_load(s->c, b, &at);
    if (value->dt == DT_F16) x = expr_cast(s->c, DT_U16, x);
    return value->dt == DT_F16 ? expr_bits(s->c, DT_F16, x) : expr_cast(s->c, value->dt, x);
}

static void store_all(Tile *s, Stmts *out)
{
    const Kernel *k = s->t->k;
    Stmts front = {0}, stores = {0};
    open_front(s, &front);
    for (int row = 0; row < s->t->rows; row++)
        for (int panel = 0; panel < s->panels; panel++) {
            At at;
            const Place p = {row, panel, panel == s->panels - 1 ? s->valid : s->lanes};
            const Subst *sub = element(s, p, &at);
            const Expr *value = tile_lane(s, expr_subst(s->c, reduced(s, k->value, p), sub), p);
            value = by_way(s, value, p, &stores);
            const Idx **to = NEW_N(s->c, const Idx *, k->out->rank);
            for (int d = 0; d < k->out->rank; d++) to[d] = idx_subst(s->c, k->at[d], sub);
            const Stmt *store = spelled_store(s->c, k->out, to, value, true);
            VEC_PUSH(s->c, stores, in_lanes(s, p.lanes, store));
        }
    for (int i = 0; i < front.n; i++) VEC_PUSH(s->c, *out, front.at[i]);
    for (int i = 0; i < stores.n; i++) VEC_PUSH(s->c, *out, stores.at[i]);
}

const Stmt *tile_lanes(Tiling *t, const Panels *p)
{
    Tile s = {.t = t, .c = t->c, .panels = p->panels, .lanes = p->lanes, .valid = p->valid, .from = p->from,
              .count = p->count, .block_var = p->var, .lane_var = var_new(t->c)};
    s.block = idx_var(t->c, s.block_var, p->count);
    s.arrays = SCRATCH_N(t->c, const Buf *, t->rows * p->panels * t->nreductions);
    Stmts front = {0}, out = {0};
    s.front = &front;
    for (s.reduction = 0; s.reduction < t->nreductions; s.reduction++) {
        open_arrays(&s, &out);
        if (t->window) {
            window_sums(&s, &out);
            continue;
        }
        const Stmt *loops = tile_sums(&s);
        VEC_PUSH(t->c, out, loops);
    }
    store_all(&s, &out);
    const Stmt *all = stmt_seq(t->c, out.n, out.at);
    if (!t->window) return all;
    VEC_PUSH(t->c, front, stmt_lanes(t->c, s.lane_var, s.lanes, all));
    return stmt_seq(t->c, front.n, front.at);
}
