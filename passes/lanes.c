/* The inside of a tile: its arrays, the loop over what is reduced, and what is stored. */
#include "loopify.h"
#include "tile.h"

typedef VEC(const Stmt *) Stmts;

enum { UNROLL_MOST = 4 };            /* steps of a short loop */

typedef struct Tile {
    Tiling *t;
    Ctx *c;
    int panels, lanes, valid;
    int64_t from, count;
    const Idx *block;                /* 0 .. count-1 */
    int block_var, lane_var;
    int reduction;                   /* the one at hand */
    const Buf **arrays;              /* by row, panel, reduction */
    int nvars, vars[MAX_RANK]; int64_t extents[MAX_RANK];    /* what is reduced, neighbours merged */
    PtrMap scalars;                  /* expression -> the scalar that holds it */
    Stmts *front;                    /* where scalars are declared */
    int names, panel;
} Tile;

static const Buf **array_of(const Tile *s, int row, int panel, int reduction)
{
    return &s->arrays[(row * s->panels + panel) * s->t->nreductions + reduction];
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

static const Idx *lane(const Tile *s, int extent)
{
    return idx_var(s->c, s->lane_var, extent);
}

/* The first element of a panel. */
static const Idx *panel_at(const Tile *s, int panel)
{
    return idx_axpy(s->c, idx_const(s->c, s->from + panel * s->lanes), s->panels * s->lanes, s->block);
}

typedef struct Place { int row, panel, lanes; } Place;       /* an element of the tile; how many lanes there are */

typedef struct At { int vars[2]; const Idx *to[2]; Subst subst; } At;

static const Subst *element(const Tile *s, Place p, At *at)
{
    const Tiling *t = s->t;
    *at = (At){{t->lane, t->row}, {idx_add(s->c, panel_at(s, p.panel), lane(s, p.lanes)), NULL}, {0}};
    if (t->row >= 0) at->to[1] = idx_add(s->c, t->row_at, idx_const(s->c, p.row));
    at->subst = (Subst){t->row < 0 ? 1 : 2, at->vars, at->to};
    return &at->subst;
}

static const Expr *array_lane(const Tile *s, const Buf *b, int lanes)
{
    const Idx *at = lane(s, lanes);
    return expr_load(s->c, b, &at);
}

static const Stmt *store_lane(const Tile *s, const Buf *b, const Expr *value)
{
    const Idx *at = lane(s, s->lanes);
    return stmt_lanes(s->c, s->lane_var, s->lanes, stmt_store(s->c, b, &at, value));
}

/* ---- expressions of a lane ---------------------------------------------------------------------------------------- */

typedef struct Varies { int var; bool any; } Varies;

static void see_var(const Expr *e, void *arg)
{
    Varies *u = arg;
    const int n = e->kind == E_LOAD ? e->buf->rank : e->kind == E_INDEX || e->kind == E_IN ? 1 : 0;
    for (int i = 0; i < n; i++) u->any |= idx_uses(e->at[i], u->var);
    u->any |= e->kind == E_ACC || e->kind == E_REDUCE;
}

static bool varies(const Tile *s, const Expr *e)
{
    Varies u = {s->lane_var, false};
    expr_walk(s->c, e, see_var, &u);
    return u.any;
}

/* What is the same for all lanes is computed once, in front of them. */
static const Expr *held(Tile *s, const Expr *e)
{
    const Buf *b = ptrmap_get(&s->scalars, e);
    if (!b) {
        b = buf_new(s->c, BUF_LOCAL, internf(s->c, "s%d", s->names++), e->dt, 0, NULL);
        VEC_PUSH(s->c, *s->front, stmt_local(s->c, b));
        VEC_PUSH(s->c, *s->front, stmt_store(s->c, b, NULL, e));
        ptrmap_put(s->c, &s->scalars, e, (void *)b);
    }
    return expr_load(s->c, b, NULL);
}

static const Expr *in_lane(Tile *s, const Expr *e, Place p)
{
    const Expr *args[3];
    if (e->kind == E_CONST || e->kind == E_INDEX || e->kind == E_IN || expr_guards(e)) return e;
    if (e->kind == E_ACC) return array_lane(s, *array_of(s, p.row, p.panel, s->reduction), p.lanes);
    if (!varies(s, e)) return held(s, e);
    if (e->n == 0) return e;
    for (int i = 0; i < e->n; i++) args[i] = in_lane(s, e->args[i], p);
    return e->kind == E_SELECT ? expr_select(s->c, args[0], args[1], args[2]) : expr_remake(s->c, e, args);
}

/* ---- constants ---------------------------------------------------------------------------------------------------- */

/* Constants that lanes read side by side lie in panels: the block, what is reduced, panels × lanes. */
static const Expr *packed(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    Tile *s = arg;
    Tiling *t = s->t;
    const Expr *load = expr_load(c, b, at);
    int64_t step, dims[MAX_RANK];
    int vars[MAX_RANK], n = 0;
    const Idx *flat = idx_flat(c, b->rank, b->dims, at), *to[MAX_RANK];
    if (b->kind != BUF_CONST || !idx_uses(flat, t->lane)) return NULL;
    const bool affine = idx_affine(flat, t->lane, &step) && step == 1;
    if (affine && s->count == 1 && s->valid == s->lanes) return NULL;
    const Reduce *r = t->reductions[s->reduction]->reduce;
    for (int v = 0; v < t->k->rank; v++) {
        if (v == t->lane || t->k->dims[v] == 1 || !idx_uses(flat, v)) continue;
        if (v == t->row || n > MAX_RANK - 4) return t->failed |= !affine || s->valid < s->lanes, NULL;
        vars[n] = v, to[n] = idx_var(c, v, t->k->dims[v]), dims[n++] = t->k->dims[v];
    }
    vars[n] = s->block_var, to[n] = s->block, dims[n++] = s->count;
    for (int v = 0; v < r->nvars; v++) {
        if (r->extents[v] == 1 || !idx_uses(flat, r->vars[v]) || n > MAX_RANK - 2) continue;
        vars[n] = r->vars[v], to[n] = idx_var(c, r->vars[v], r->extents[v]), dims[n++] = r->extents[v];
    }
    const int width = s->panels * s->lanes;
    vars[n] = s->lane_var, dims[n] = width;
    to[n++] = idx_axpy(c, lane(s, s->lanes), 1, idx_const(c, s->panel * s->lanes));
    const Idx *place = idx_add(c, panel_at(s, 0), idx_var(c, s->lane_var, width));
    const Buf *pack = pack_constant(c, t->packs, load, &(Subst){1, &t->lane, &place}, &(Packing){n, vars, dims});
    if (!pack) return t->failed |= !affine || s->valid < s->lanes, NULL;
    return expr_load(c, pack, to);
}

/* ---- what is reduced ---------------------------------------------------------------------------------------------- */

typedef struct Element {             /* of a tile: the next value of its array */
    const Expr *next;                /* NULL: it stays as it is */
    VEC(const Expr *) guards;        /* where one of them does not hold, the value stays as it is */
    int guarded; const Expr *outside;        /* the argument that they guard, what it is where they do not hold */
} Element;

static bool is_zero(const Expr *e)
{
    return e->kind == E_CONST && e->value.u == 0;
}

/* The value for which op leaves an accumulator as it is. */
static bool neutral(ScalarOp op, const Expr *e)
{
    if (e->kind != E_CONST) return false;
    const double inf = e->dt == DT_F32 ? (double)e->value.f : e->dt == DT_F64 ? e->value.d : 0;
    return op == OP_add ? is_zero(e) : op == OP_max ? inf < 0 && isinf(inf) : op == OP_min && inf > 0 && isinf(inf);
}

static void add_guards(Tile *s, Element *el, const Expr *cond)
{
    if (cond->kind == E_OP && cond->op == OP_and) {
        add_guards(s, el, cond->args[0]);
        add_guards(s, el, cond->args[1]);
    } else {
        VEC_PUSH(s->c, el->guards, cond);
    }
}

static bool constant(const Expr *e)
{
    return !dtype_is_float(e->dt) || e->kind == E_CONST || (e->kind == E_LOAD && e->buf->kind == BUF_CONST) ||
           (e->kind == E_CAST && constant(e->args[0]));
}

/* acc + (inside ? x : 0)·w, where w is finite, is acc wherever it is not inside. */
static void peel(Tile *s, Element *el)
{
    const Expr *e = el->next, *args[3];
    if (e->kind != E_OP || e->n < 2) return;
    memcpy(args, e->args, sizeof *args * (size_t)e->n);
    for (int i = 0; i < 2; i++) {
        const Expr *x = args[i];
        const bool product = e->op == OP_mad && s->t->finite && args[2]->kind == E_ACC && constant(args[1 - i]);
        if (product && is_zero(x)) {
            el->next = NULL;
            return;
        }
        if (x->kind != E_SELECT || !expr_guards(x->args[0])) continue;
        if (!(product && is_zero(x->args[2])) && !(args[1 - i]->kind == E_ACC && neutral(e->op, x->args[2]))) continue;
        add_guards(s, el, x->args[0]);
        el->guarded = i;
        el->outside = x->args[2];
        args[i] = x->args[1];
        el->next = expr_remake(s->c, e, args);
        return;
    }
}

static Element *elements(Tile *s)
{
    Tiling *t = s->t;
    const Reduce *r = t->reductions[s->reduction]->reduce;
    Element *all = SCRATCH_N(s->c, Element, t->rows * s->panels);
    for (int p = 0; p < s->panels; p++) {
        s->panel = p;
        const Expr *next = expr_rewrite(s->c, r->next[0], &(Rewrite){NULL, packed, s});
        for (int row = 0; row < t->rows; row++) {
            At at;
            Element *el = &all[row * s->panels + p];
            el->next = expr_subst(s->c, next, element(s, (Place){row, p, s->lanes}, &at));
            peel(s, el);
        }
    }
    return all;
}

/* ---- loops over what is reduced ----------------------------------------------------------------------------------- */

typedef struct Merge { Ctx *c; int outer, inner; int64_t extent; bool ok; } Merge;

static void check_merge(const Expr *e, void *arg)
{
    Merge *m = arg;
    int64_t a, b;
    if (e->kind == E_INDEX || e->kind == E_IN) m->ok &= !idx_uses(e->at[0], m->outer) && !idx_uses(e->at[0], m->inner);
    if (e->kind != E_LOAD) return;
    const Idx *flat = load_place(m->c, e);
    m->ok &= idx_affine(flat, m->outer, &a) && idx_affine(flat, m->inner, &b) && a == b * m->extent;
}

/* Joins the loops d and d + 1 where every load crosses them as one run. */
static bool merge(Tile *s, Element *all, int n, int d)
{
    Merge m = {s->c, s->vars[d], s->vars[d + 1], s->extents[d + 1], true};
    for (int i = 0; i < n && m.ok; i++) {
        if (!all[i].next) continue;
        expr_walk(s->c, all[i].next, check_merge, &m);
        for (int g = 0; g < all[i].guards.n; g++) expr_walk(s->c, all[i].guards.at[g], check_merge, &m);
    }
    if (!m.ok) return false;
    const int var = var_new(s->c), old[2] = {m.outer, m.inner};
    const int64_t both = s->extents[d] * m.extent;
    const Idx *joined = idx_var(s->c, var, both);
    const Idx *to[2] = {idx_digit(s->c, joined, m.extent, 0), idx_digit(s->c, joined, 1, m.extent)};
    for (int i = 0; i < n; i++)
        if (all[i].next) all[i].next = expr_subst(s->c, all[i].next, &(Subst){2, old, to});
    s->vars[d] = var;
    s->extents[d] = both;
    s->nvars--;
    memmove(s->vars + d + 1, s->vars + d + 2, sizeof *s->vars * (size_t)(s->nvars - d - 1));
    memmove(s->extents + d + 1, s->extents + d + 2, sizeof *s->extents * (size_t)(s->nvars - d - 1));
    return true;
}

static bool uses_var(Ctx *c, const Expr *e, int var)
{
    Varies u = {var, false};
    expr_walk(c, e, see_var, &u);
    return u.any;
}

/* The innermost loop on which a guard depends; -1: on none. */
static int level_of(const Tile *s, const Expr *guard)
{
    for (int d = s->nvars; d-- > 0;)
        if (uses_var(s->c, guard, s->vars[d])) return d;
    return -1;
}

static bool common(const Element *all, int n, const Expr *guard)
{
    for (int i = 0; i < n; i++) {
        bool has = !all[i].next;
        for (int g = 0; g < all[i].guards.n; g++) has |= all[i].guards.at[g] == guard;
        if (!has) return false;
    }
    return true;
}

static const Stmt *guarded(Tile *s, const Element *all, int n, int level, const Stmt *body)
{
    const Element *first = all;
    while (first < all + n && !first->next) first++;
    for (int g = 0; first < all + n && g < first->guards.n; g++) {
        const Expr *guard = first->guards.at[g];
        if (level_of(s, guard) == level && common(all, n, guard)) body = stmt_if(s->c, guard, body, NULL);
    }
    return body;
}

/* What is the same for all lanes is chosen in front of them; else the lanes are left out where a guard does not hold. */
static const Stmt *step(Tile *s, const Element *el, Place p)
{
    const Expr *cond = NULL, *next = el->next, *args[3];
    for (int g = 0; g < el->guards.n; g++)
        cond = cond ? expr_op2(s->c, OP_and, cond, el->guards.at[g]) : el->guards.at[g];
    const Buf *array = *array_of(s, p.row, p.panel, s->reduction);
    if (cond && !varies(s, next->args[el->guarded])) {
        memcpy(args, next->args, sizeof *args * (size_t)next->n);
        args[el->guarded] = expr_select(s->c, cond, args[el->guarded], el->outside);
        next = expr_remake(s->c, next, args);
        cond = NULL;
    }
    if (!cond) return store_lane(s, array, in_lane(s, next, p));
    Stmts own = {0}, *front = s->front;
    PtrMap scalars = s->scalars;
    s->front = &own;
    s->scalars = (PtrMap){0};
    const Stmt *lanes = store_lane(s, array, in_lane(s, next, p));
    VEC_PUSH(s->c, own, lanes);
    s->front = front;
    s->scalars = scalars;
    return stmt_if(s->c, cond, stmt_seq(s->c, own.n, own.at), NULL);
}

/* One pass over the elements of the tile. */
static void steps(Tile *s, const Element *all, int n, Stmts *to)
{
    for (int i = 0; i < n; i++) {
        if (!all[i].next) continue;
        const Stmt *st = step(s, &all[i], (Place){i / s->panels, i % s->panels, s->lanes});
        VEC_PUSH(s->c, *to, st);
    }
}

/* Where lanes read side by side what they add up, there is little to do between two steps of a short loop: it is written
 * out, and with it its guards are known. */
static bool short_loop(const Tile *s, const Element *all, int n)
{
    if (s->nvars == 0 || s->extents[s->nvars - 1] > UNROLL_MOST) return false;
    for (int i = 0; i < n; i++)
        if (all[i].next && all[i].next->n > 1 && varies(s, all[i].next->args[0]) && varies(s, all[i].next->args[1]))
            return true;
    return false;
}

/* The element where var is k. */
static Element fixed(Tile *s, const Element *el, int var, int64_t k)
{
    const Idx *at = idx_const(s->c, k);
    const Subst sub = {1, &var, &at};
    Element now = {.guarded = el->guarded, .outside = el->outside};
    now.next = el->next ? expr_subst(s->c, el->next, &sub) : NULL;
    for (int g = 0; g < el->guards.n; g++) {
        const Expr *guard = expr_subst(s->c, el->guards.at[g], &sub);
        if (guard->kind != E_CONST) VEC_PUSH(s->c, now.guards, guard);
        else if (!guard->value.i) now.next = NULL;
    }
    return now;
}

static void unrolled(Tile *s, const Element *all, int n, Stmts *to)
{
    const int var = s->vars[s->nvars - 1];
    Element *now = SCRATCH_N(s->c, Element, n);
    for (int64_t k = 0; k < s->extents[s->nvars - 1]; k++) {
        for (int i = 0; i < n; i++) now[i] = fixed(s, &all[i], var, k);
        steps(s, now, n, to);
    }
}

/* The elements without the guards that loops ask: those common to all, which some of the outermost `loops` loops decide. */
static Element *inside_loops(Tile *s, const Element *all, int n, int loops)
{
    Element *own = SCRATCH_N(s->c, Element, n);
    for (int i = 0; i < n; i++) {
        own[i] = (Element){.next = all[i].next, .guarded = all[i].guarded, .outside = all[i].outside};
        for (int g = 0; g < all[i].guards.n; g++) {
            const Expr *guard = all[i].guards.at[g];
            if (!common(all, n, guard) || level_of(s, guard) >= loops) VEC_PUSH(s->c, own[i].guards, guard);
        }
    }
    return own;
}

static const Stmt *reduction_loops(Tile *s)
{
    const Reduce *r = s->t->reductions[s->reduction]->reduce;
    const int n = s->t->rows * s->panels;
    Element *all = elements(s);
    s->nvars = 0;
    for (int d = 0; d < r->nvars; d++)
        if (r->extents[d] > 1) s->vars[s->nvars] = r->vars[d], s->extents[s->nvars++] = r->extents[d];
    for (int d = s->nvars - 2; d >= 0; d--) merge(s, all, n, d);
    Stmts front = {0}, body_of = {0};
    s->front = &front;
    s->scalars = (PtrMap){0};
    const bool written_out = short_loop(s, all, n);
    const int loops = s->nvars - written_out;
    (written_out ? unrolled : steps)(s, inside_loops(s, all, n, loops), n, &body_of);
    for (int i = 0; i < body_of.n; i++) VEC_PUSH(s->c, front, body_of.at[i]);
    const Stmt *body = stmt_seq(s->c, front.n, front.at);
    for (int d = loops; d-- > 0;) body = stmt_for(s->c, s->vars[d], s->extents[d], guarded(s, all, n, d, body));
    return guarded(s, all, n, -1, body);
}

/* ---- the tile ----------------------------------------------------------------------------------------------------- */

static void open_arrays(Tile *s, Stmts *out)
{
    const int64_t lanes = s->lanes;
    const int n = s->t->rows * s->panels;
    const Reduce *r = s->t->reductions[s->reduction]->reduce;
    for (int i = 0; i < n; i++) {
        const char *name = internf(s->c, "acc%d", s->reduction * n + i);
        const Buf *b = buf_new(s->c, BUF_LOCAL, name, r->init[0]->dt, 1, &lanes);
        *array_of(s, i / s->panels, i % s->panels, s->reduction) = b;
        VEC_PUSH(s->c, *out, stmt_local(s->c, b));
    }
    for (int i = 0; i < n; i++)
        VEC_PUSH(s->c, *out, store_lane(s, *array_of(s, i / s->panels, i % s->panels, s->reduction), r->init[0]));
}

/* The arrays stand for the reductions in what is stored. */
static const Expr *reduced(Tile *s, const Expr *e, Place p)
{
    const Expr *args[3];
    for (int i = 0; i < s->t->nreductions; i++)
        if (s->t->reductions[i] == e) return array_lane(s, *array_of(s, p.row, p.panel, i), p.lanes);
    if (e->n == 0) return e;
    for (int i = 0; i < e->n; i++) args[i] = reduced(s, e->args[i], p);
    return e->kind == E_SELECT ? expr_select(s->c, args[0], args[1], args[2]) : expr_remake(s->c, e, args);
}

static void store_all(Tile *s, Stmts *out)
{
    const Kernel *k = s->t->k;
    Stmts front = {0}, stores = {0};
    s->front = &front;
    s->scalars = (PtrMap){0};
    for (int row = 0; row < s->t->rows; row++)
        for (int panel = 0; panel < s->panels; panel++) {
            At at;
            const Place p = {row, panel, panel == s->panels - 1 ? s->valid : s->lanes};
            const Subst *sub = element(s, p, &at);
            const Expr *value = in_lane(s, expr_subst(s->c, reduced(s, k->value, p), sub), p);
            const Idx **to = NEW_N(s->c, const Idx *, k->out->rank);
            for (int d = 0; d < k->out->rank; d++) to[d] = idx_subst(s->c, k->at[d], sub);
            VEC_PUSH(s->c, stores, stmt_lanes(s->c, s->lane_var, p.lanes, spelled_store(s->c, k->out, to, value)));
        }
    for (int i = 0; i < front.n; i++) VEC_PUSH(s->c, *out, front.at[i]);
    for (int i = 0; i < stores.n; i++) VEC_PUSH(s->c, *out, stores.at[i]);
}

const Stmt *tile_lanes(Tiling *t, int64_t from, int64_t count, int panels, int lanes, int valid)
{
    Tile s = {.t = t, .c = t->c, .panels = panels, .lanes = lanes, .valid = valid, .from = from, .count = count};
    s.block_var = var_new(t->c);
    s.lane_var = var_new(t->c);
    s.block = idx_var(t->c, s.block_var, count);
    s.arrays = SCRATCH_N(t->c, const Buf *, t->rows * panels * t->nreductions);
    Stmts out = {0};
    for (s.reduction = 0; s.reduction < t->nreductions; s.reduction++) {
        open_arrays(&s, &out);
        const Stmt *loops = reduction_loops(&s);
        VEC_PUSH(t->c, out, loops);
    }
    store_all(&s, &out);
    return stmt_for(t->c, s.block_var, count, stmt_seq(t->c, out.n, out.at));
}
