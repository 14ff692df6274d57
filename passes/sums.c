/* What a tile adds up: the loops over what is reduced.
 *
 * Guards of padding are taken out of the sums: what lies outside adds nothing. A guard that all elements share is
 * asked at the outermost loop that knows it. Where elements differ, as at the edge of an image, the loop that decides
 * is cut into stretches along which each guard is settled; only what no single loop decides is asked within. Then
 * neighbouring loops are joined where every load crosses them as one run. */
#include "loopify.h"
#include "tile.h"

enum { UNROLL_MOST = 4 };            /* steps of a short loop */
enum { STRETCHES_MOST = 8, CUT_MOST = 64 };  /* of a loop that is cut; its steps */

typedef struct Loops { int n, vars[MAX_RANK]; int64_t extents[MAX_RANK]; } Loops;    /* over what is reduced */

/* ---- what is reduced ----------------------------------------------------------------------------------------- */

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
    if (op == OP_max && e->dt == DT_U16) return is_zero(e);
    if (op == OP_max || op == OP_most) return inf < 0 && isinf(inf);
    return op == OP_add ? is_zero(e) : op == OP_min && inf > 0 && isinf(inf);
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

/* acc + (inside ? x : 0)·(inside ? y : 0) */
static bool both_guarded(const Expr *e)
{
    const Expr *x = e->args[0], *y = e->args[1];
    return e->op == OP_mad && e->args[2]->kind == E_ACC && x->kind == E_SELECT && y->kind == E_SELECT &&
           x->args[0] == y->args[0] && expr_guards(x->args[0]) && is_zero(x->args[2]) && is_zero(y->args[2]);
}

static bool is_product(const Tile *s, const Expr *e, int factor)
{
    return e->op == OP_mad && s->t->finite && e->args[2]->kind == E_ACC && constant(e->args[1 - factor]);
}

bool adds_nothing(const Tile *s, const Expr *e)
{
    if (e->kind == E_ACC) return true;
    for (int i = 0; e->kind == E_OP && e->n > 1 && i < 2; i++) {
        if (is_product(s, e, i) && is_zero(e->args[i])) return true;
        if (e->args[1 - i]->kind == E_ACC && neutral(e->op, e->args[i])) return true;
    }
    return false;
}

/* acc + (inside ? x : 0)·w, where w is finite, is acc wherever it is not inside. */
static void peel(Tile *s, Element *el)
{
    const Expr *e = el->next, *args[3];
    if (adds_nothing(s, e)) el->next = NULL;
    if (!el->next || e->kind != E_OP || e->n < 2) return;
    memcpy(args, e->args, sizeof *args * (size_t)e->n);
    if (both_guarded(e)) {
        add_guards(s, el, args[0]->args[0]);
        for (int i = 0; i < 2; i++) args[i] = args[i]->args[1];
        el->guarded = 2;
        el->next = expr_remake(s->c, e, args);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const Expr *x = args[i];
        if (x->kind != E_SELECT || !expr_guards(x->args[0])) continue;
        const bool product = is_product(s, e, i), own = args[1 - i]->kind == E_ACC;
        if (!(product && is_zero(x->args[2])) && !(own && neutral(e->op, x->args[2]))) continue;
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
        const Expr *next = tile_packed(s, r->next[0], p);
        for (int row = 0; row < t->rows; row++) {
            Element *el = &all[row * s->panels + p];
            el->next = tile_at(s, next, (Place){row, p, s->lanes});
            peel(s, el);
        }
    }
    return all;
}

/* The element where var is `at`. */
static Element fixed(Tile *s, const Element *el, int var, const Idx *at)
{
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

/* ---- guards -------------------------------------------------------------------------------------------------- */

/* The innermost loop on which a guard depends; -1: on none. */
static int level_of(const Tile *s, const Loops *l, const Expr *guard)
{
    for (int d = l->n; d-- > 0;)
        if (expr_varies(s->c, guard, l->vars[d])) return d;
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

/* body under the guards that all share and loop d decides. */
static const Stmt *guarded(Tile *s, const Loops *l, const Element *all, int n, int d, const Stmt *body)
{
    const Element *first = all;
    while (first < all + n && !first->next) first++;
    for (int g = 0; first < all + n && g < first->guards.n; g++) {
        const Expr *guard = first->guards.at[g];
        if (level_of(s, l, guard) == d && common(all, n, guard)) body = stmt_if(s->c, guard, body, NULL);
    }
    return body;
}

/* The elements without the guards that are common to all and that the outermost `loops` loops decide. */
static Element *inside_loops(Tile *s, const Loops *l, const Element *all, int n, int loops)
{
    Element *own = SCRATCH_N(s->c, Element, n);
    for (int i = 0; i < n; i++) {
        own[i] = (Element){.next = all[i].next, .guarded = all[i].guarded, .outside = all[i].outside};
        for (int g = 0; g < all[i].guards.n; g++) {
            const Expr *guard = all[i].guards.at[g];
            if (!common(all, n, guard) || level_of(s, l, guard) >= loops) VEC_PUSH(s->c, own[i].guards, guard);
        }
    }
    return own;
}

static const Stmt *around(Tile *s, const Loops *l, const Element *all, int n, int loops, const Stmt *body)
{
    for (int d = loops; d-- > 0;) body = stmt_for(s->c, l->vars[d], l->extents[d], guarded(s, l, all, n, d, body));
    return guarded(s, l, all, n, -1, body);
}

/* ---- joining loops ------------------------------------------------------------------------------------------- */

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
static void merge(Tile *s, Loops *l, Element *all, int n, int d)
{
    Merge m = {s->c, l->vars[d], l->vars[d + 1], l->extents[d + 1], true};
    for (int i = 0; i < n && m.ok; i++) {
        if (!all[i].next) continue;
        expr_walk(s->c, all[i].next, check_merge, &m);
        for (int g = 0; g < all[i].guards.n; g++) expr_walk(s->c, all[i].guards.at[g], check_merge, &m);
    }
    if (!m.ok) return;
    const int var = var_new(s->c), old[2] = {m.outer, m.inner};
    const int64_t both = l->extents[d] * m.extent;
    const Idx *joined = idx_var(s->c, var, both);
    const Idx *to[2] = {idx_digit(s->c, joined, m.extent, 0), idx_digit(s->c, joined, 1, m.extent)};
    for (int i = 0; i < n; i++)
        if (all[i].next) all[i].next = expr_subst(s->c, all[i].next, &(Subst){2, old, to});
    l->vars[d] = var;
    l->extents[d] = both;
    l->n--;
    memmove(l->vars + d + 1, l->vars + d + 2, sizeof *l->vars * (size_t)(l->n - d - 1));
    memmove(l->extents + d + 1, l->extents + d + 2, sizeof *l->extents * (size_t)(l->n - d - 1));
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

/* What is the same for all lanes is chosen in front of them; else lanes are left out where a guard does not hold. */
static const Stmt *step(Tile *s, const Element *el, Place p)
{
    const Expr *cond = NULL, *next = el->next, *args[3];
    for (int g = 0; g < el->guards.n; g++)
        cond = cond ? expr_op2(s->c, OP_and, cond, el->guards.at[g]) : el->guards.at[g];
    const Buf *array = *tile_array(s, p.row, p.panel, s->reduction);
    if (cond && !expr_varies(s->c, next->args[el->guarded], s->lane_var)) {
        memcpy(args, next->args, sizeof *args * (size_t)next->n);
        args[el->guarded] = expr_select(s->c, cond, args[el->guarded], el->outside);
        next = expr_remake(s->c, next, args);
        cond = NULL;
    }
    if (!cond) return tile_store(s, array, tile_lane(s, next, p));
    Stmts own = {0}, *front = s->front;
    PtrMap scalars = s->scalars;
    s->front = &own;
    s->scalars = (PtrMap){0};
    const Stmt *lanes = tile_store(s, array, tile_lane(s, next, p));
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

/* Where lanes read side by side what they add up, there is little to do between two steps of a short loop: it is
 * written out. */
static bool short_loop(const Tile *s, const Loops *l, const Element *all, int n)
{
    if (l->n == 0 || l->extents[l->n - 1] > UNROLL_MOST) return false;
    for (int i = 0; i < n; i++) {
        const Expr *e = all[i].next;
        if (e && e->n > 1 && expr_varies(s->c, e->args[0], s->lane_var) && expr_varies(s->c, e->args[1], s->lane_var))
            return true;
    }
    return false;
}

static const Stmt *whole_loops(Tile *s, Loops l, Element *all, int n)
{
    Stmts front = {0}, body = {0};
    for (int d = l.n - 2; d >= 0; d--) merge(s, &l, all, n, d);
    const bool out = short_loop(s, &l, all, n);
    const int loops = l.n - out;
    Element *own = inside_loops(s, &l, all, n, loops), *now = SCRATCH_N(s->c, Element, n);
    s->front = &front;
    s->scalars = (PtrMap){0};
    for (int64_t k = 0; out && k < l.extents[loops]; k++) {
        for (int i = 0; i < n; i++) now[i] = fixed(s, &own[i], l.vars[loops], idx_const(s->c, k));
        steps(s, now, n, &body);
    }
    if (!out) steps(s, own, n, &body);
    for (int i = 0; i < body.n; i++) VEC_PUSH(s->c, front, body.at[i]);
    return around(s, &l, all, n, loops, stmt_seq(s->c, front.n, front.at));
}

/* ---- stretches ----------------------------------------------------------------------------------------------- */

/* Whether both elements are guarded alike. */
static bool alike(const Element *a, const Element *b)
{
    return (a->next == NULL) == (b->next == NULL) && a->guards.n == b->guards.n;
}

/* Where step k of loop d begins a stretch: some guard that the loop alone decides changes there. 0: the loop stays
 * whole, as where each step decides as many, though not the same. */
static int stretches_of(Tile *s, const Loops *l, const Element *all, int n, int d, int64_t *from)
{
    int count = 0;
    bool settles = false;
    Element *before = SCRATCH_N(s->c, Element, n);
    if (l->extents[d] > CUT_MOST) return 0;
    for (int64_t k = 0; k < l->extents[d]; k++) {
        bool new = k == 0;
        for (int i = 0; i < n; i++) {
            const Element now = all[i].next ? fixed(s, &all[i], l->vars[d], idx_const(s->c, k)) : all[i];
            settles |= now.guards.n < all[i].guards.n;
            new |= !alike(&now, &before[i]);
            before[i] = now;
        }
        if (new && count == STRETCHES_MOST) return 0;
        if (new) from[count++] = k;
    }
    from[count] = l->extents[d];
    return settles && count > 1 ? count : 0;
}

static bool has_digit(const Idx *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->t[i].atom->kind == ATOM_DIGIT || (x->t[i].atom->x && has_digit(x->t[i].atom->x))) return true;
    return false;
}

static void see_digit(const Expr *e, void *arg)
{
    *(bool *)arg |= e->kind == E_IN && has_digit(e->at[0]);
}

/* The elements with those guards that are worth a cut: in which they differ, or that ask for a remainder at each
 * step. */
static Element *cutting(Tile *s, const Element *all, int n)
{
    Element *own = SCRATCH_N(s->c, Element, n);
    for (int i = 0; i < n; i++) {
        own[i] = (Element){.next = all[i].next, .guarded = all[i].guarded, .outside = all[i].outside};
        for (int g = 0; g < all[i].guards.n; g++) {
            bool digit = false;
            expr_walk(s->c, all[i].guards.at[g], see_digit, &digit);
            if (digit || !common(all, n, all[i].guards.at[g])) VEC_PUSH(s->c, own[i].guards, all[i].guards.at[g]);
        }
    }
    return own;
}

static const Stmt *loops(Tile *s, Loops l, Element *all, int n)
{
    int64_t from[STRETCHES_MOST + 1];
    for (int d = 0; d < l.n; d++) {
        Element *own = cutting(s, all, n);
        const int count = stretches_of(s, &l, own, n, d, from);
        if (count == 0) continue;
        Stmts seq = {0};
        own = inside_loops(s, &l, all, n, d);
        for (int k = 0; k < count; k++) {
            Loops in = {.n = l.n - d};
            memcpy(in.vars, l.vars + d, sizeof *in.vars * (size_t)in.n);
            memcpy(in.extents, l.extents + d, sizeof *in.extents * (size_t)in.n);
            in.vars[0] = var_new(s->c);
            in.extents[0] = from[k + 1] - from[k];
            const Idx *at = idx_axpy(s->c, idx_const(s->c, from[k]), 1, idx_var(s->c, in.vars[0], in.extents[0]));
            Element *part = SCRATCH_N(s->c, Element, n);
            for (int i = 0; i < n; i++) part[i] = fixed(s, &own[i], l.vars[d], at);
            if (in.extents[0] == 1) {
                memmove(in.vars, in.vars + 1, sizeof *in.vars * (size_t)--in.n);
                memmove(in.extents, in.extents + 1, sizeof *in.extents * (size_t)in.n);
            }
            const Stmt *st = loops(s, in, part, n);
            VEC_PUSH(s->c, seq, st);
        }
        return around(s, &l, all, n, d, stmt_seq(s->c, seq.n, seq.at));
    }
    return whole_loops(s, l, all, n);
}

const Stmt *tile_sums(Tile *s)
{
    const Reduce *r = s->t->reductions[s->reduction]->reduce;
    Loops l = {.n = 0};
    for (int d = 0; d < r->nvars; d++)
        if (r->extents[d] > 1) l.vars[l.n] = r->vars[d], l.extents[l.n++] = r->extents[d];
    return loops(s, l, elements(s), s->t->rows * s->panels);
}
