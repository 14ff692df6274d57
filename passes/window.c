/* Small windows: sums over so few places that they are written out, where neighbouring rows share what they read.
 *
 * A tile of such sums is one loop of lanes around a straight line. What is read comes in the order in which it lies,
 * each of it once, and is added at once to all rows whose window it is in: no more sums are under way than a window has
 * rows, however many the tile has. Each is still added up in its own order.
 *
 * Lanes may run across padding, as at the left and the right of an image that lies plane by plane. What a guard keeps
 * out there is read all the same, where it lies in the array, and its bits are cleared: a choice between lanes would
 * keep compilers from making vectors of the loop. What lies beyond the array's ends is put into an array of its own,
 * in front of the lanes. */
#include "loopify.h"
#include "tile.h"

enum { STEPS_MOST = 25, TERMS_MOST = 50, ROWS_MOST = 6, LANES_FEWEST = 8, CONSTANTS_MOST = 4 };

/* ---- whether a kernel's sums are such ---------------------------------------------------------------------------- */

static int64_t steps_of(const Reduce *r)
{
    int64_t steps = 1;
    for (int i = 0; i < r->nvars && steps <= STEPS_MOST; i++) steps *= r->extents[i];
    return steps;
}

/* Rows of a tile: enough that they share most of what they read, none left over if that can be. */
int window_rows(const Tiling *t, int64_t extent)
{
    const int64_t most = TERMS_MOST / steps_of(t->reductions[0]->reduce);
    const int rows = most < 4 ? (int)most : 4;
    for (int r = rows; r <= most && r <= ROWS_MOST; r++)
        if (extent % r == 0) return r;
    return extent < rows ? (int)extent : rows;
}

static const Expr *next_at(const Tiling *t, const Reduce *r, const Idx *row, int64_t step)
{
    int vars[MAX_RANK + 1];
    const Idx *to[MAX_RANK + 1];
    memcpy(vars, r->vars, sizeof *vars * (size_t)r->nvars);
    idx_unflat(t->c, idx_const(t->c, step), r->nvars, r->extents, to);
    vars[r->nvars] = t->row;
    to[r->nvars] = row;
    return expr_subst(t->c, r->next[0], &(Subst){r->nvars + 1, vars, to});
}

/* Loads that differ from lane to lane: how many, of how many places; the place of the last. */
typedef struct Reads { const Tiling *t; int lane; PtrMap places; int all, own; const Idx *last; } Reads;

static void see_read(const Expr *e, void *arg)
{
    Reads *r = arg;
    const Idx *place = e->kind == E_LOAD ? load_place(r->t->c, e) : NULL;
    if (!place || !idx_uses(place, r->lane)) return;
    r->last = place;
    r->all++;
    if (!ptrmap_get(&r->places, place)) r->own++;
    ptrmap_put(r->t->c, &r->places, place, (void *)place);
}

/* What the lanes read for a tile whose rows lie along t->row. */
static Reads reads_of(const Tiling *t)
{
    const Reduce *r = t->reductions[0]->reduce;
    const int64_t rows = window_rows(t, t->k->dims[t->row]);
    Reads reads = {.t = t, .lane = t->lane};
    for (int64_t row = 0; row < rows; row++)
        for (int64_t step = 0; step < steps_of(r); step++)
            expr_walk(t->c, next_at(t, r, idx_const(t->c, row), step), see_read, &reads);
    return reads;
}

typedef struct Moving { const Tiling *t; bool all; } Moving;

static void see_moving(const Expr *e, void *arg)
{
    Moving *m = arg;
    const Idx *place = e->kind == E_LOAD ? load_place(m->t->c, e) : NULL;
    if (!place || !idx_uses(place, m->t->lane)) return;
    m->all &= e->buf->kind != BUF_CONST && dtype_bits(e->buf->dt) >= 32 && idx_uses(place, m->t->row);
}

/* Whether all that the lanes read moves on with t->row, is no constant, and is as wide as sums. */
static bool window_moves(const Tiling *t)
{
    Moving m = {t, true};
    expr_walk(t->c, t->reductions[0]->reduce->next[0], see_moving, &m);
    return m.all;
}

static bool is_sum(const Expr *next)
{
    return next->kind == E_OP && (next->op == OP_mad || next->op == OP_add);
}

/* Whether e asks, apart from what is summed, which lane it is. */
static bool asks_lane(const Tiling *t, const Expr *e)
{
    if ((e->kind == E_IN || e->kind == E_INDEX) && idx_uses(e->at[0], t->lane)) return true;
    for (int i = 0; e->kind != E_REDUCE && i < e->n; i++)
        if (asks_lane(t, e->args[i])) return true;
    return false;
}

/* Whether what becomes of a sum is a long computation, such as a power: rows then had better take turns. */
static bool is_long(const Expr *e)
{
    const DType dt = e->kind == E_OP ? e->args[0]->dt : e->dt;
    if (e->kind == E_OP && text_constants(op_text(e->op, dt), dt) > CONSTANTS_MOST) return true;
    for (int i = 0; e->kind != E_REDUCE && i < e->n; i++)
        if (is_long(e->args[i])) return true;
    return false;
}

/* Rows that share a sixth of what the lanes read, or more; without such, windows are written out where their guards
 * differ from lane to lane. The greatest of a few is left to cut.c: gcc makes a thicket of choices that rows share. */
bool window_fits(Tiling *t)
{
    const Kernel *k = t->k;
    const Reduce *r = t->reductions[0]->reduce;
    if (t->nreductions != 1 || k->dims[t->lane] < LANES_FEWEST || steps_of(r) > STEPS_MOST) return false;
    if (!is_sum(r->next[0]) && steps_of(r) <= CUT_STEPS_MOST) return false;
    if (dtype_bits(k->out->dt) < 32 || is_long(k->value) || asks_lane(t, k->value)) return false;
    int any = -1;
    for (t->row = k->rank; t->row-- > 0;) {
        if (t->row == t->lane || k->dims[t->row] < 2 || !window_moves(t)) continue;
        const Reads reads = reads_of(t);
        if (6 * reads.own <= 5 * reads.all && reads.all > 0) return true;
        if (any < 0) any = t->row;
    }
    t->row = any;
    return any >= 0 && asks_lane(t, r->next[0]);
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

/* x without what a guard vouches for; in a ring what is in front of the first row comes in at the other end. */
static const Idx *unguarded(Ctx *c, const Idx *x)
{
    const Idx *sum = idx_const(c, x->k);
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        const Idx *to = a->x ? unguarded(c, a->x) : NULL;
        if (a->kind == ATOM_VAR) to = idx_var(c, a->var, a->hi + 1);
        if (a->kind == ATOM_VALUE) to = idx_value(c, a->expr, a->lo, a->hi);
        if (a->kind == ATOM_DIGIT) {
            const int64_t round = a->a * a->b;
            if (to->lo < 0 && round) to = idx_add(c, to, idx_const(c, (-to->lo + round - 1) / round * round));
            to = idx_digit(c, to->lo < 0 ? a->x : to, a->a, a->b);
        }
        sum = idx_axpy(c, sum, x->t[i].c, to);
    }
    return sum;
}

typedef struct Beyond { Ctx *c; bool any; } Beyond;      /* the ends of an array that is read */

static void see_beyond(const Expr *e, void *arg)
{
    Beyond *b = arg;
    const Idx *place = e->kind == E_LOAD ? unguarded(b->c, load_place(b->c, e)) : NULL;
    b->any |= place && (place->lo < 0 || place->hi >= buf_count(e->buf) || idx_assumes(place));
}

/* The same place by subscripts that lie within the array's dimensions if it lies within the array. */
static const Expr *wherever(Ctx *c, const Expr *e, void *arg)
{
    const Idx *to[MAX_RANK];
    (void)arg;
    if (e->kind != E_LOAD) return NULL;
    idx_unflat(c, unguarded(c, load_place(c, e)), e->buf->rank, e->buf->dims, to);
    return expr_reload(c, e, to);
}

/* cond ? a : b, by their bits. */
static const Expr *by_bits(Ctx *c, const Expr *cond, const Expr *a, const Expr *b)
{
    const DType dt = a->dt, bits = dtype_bits(dt) == 64 ? DT_U64 : DT_U32;
    const Expr *x = expr_bits(c, bits, a), *y = expr_bits(c, bits, b);
    const Expr *mask = expr_op1(c, OP_neg, expr_cast(c, bits, cond));
    if (y->kind == E_CONST && y->value.u == 0) return expr_bits(c, dt, expr_op2(c, OP_bitand, x, mask));
    x = expr_op2(c, OP_bitand, expr_op2(c, OP_bitxor, x, y), mask);
    return expr_bits(c, dt, expr_op2(c, OP_bitxor, x, y));
}

/* e, a choice by a guard, as an array that is filled in front of the lanes. */
static const Expr *filled(Tile *s, const Expr *e)
{
    const int64_t lanes = s->lanes;
    const int var = var_new(s->c);
    const Idx *at = idx_var(s->c, var, lanes), *lane = idx_var(s->c, s->lane_var, lanes);
    const Buf *b = buf_new(s->c, BUF_LOCAL, internf(s->c, "edge%d", s->names++), e->dt, 1, &lanes);
    const Stmt *store = stmt_store(s->c, b, &at, expr_subst(s->c, e, &(Subst){1, &s->lane_var, &at}));
    VEC_PUSH(s->c, *s->front, stmt_local(s->c, b));
    VEC_PUSH(s->c, *s->front, stmt_for(s->c, var, lanes, store));
    return expr_load(s->c, b, &lane);
}

/* The choice by a guard e as no choice. */
static const Expr *chosen(Tile *s, const Expr *e)
{
    Beyond beyond = {s->c, false};
    const Rewrite free = {.node = wherever};
    expr_walk(s->c, e, see_beyond, &beyond);
    if (beyond.any) return filled(s, e);
    return by_bits(s->c, e->args[0], expr_rewrite(s->c, e->args[1], &free), expr_rewrite(s->c, e->args[2], &free));
}

/* What the lanes read, each of it once, by a name. */
static const Expr *reads_named(Tile *s, const Expr *e, Stmts *to)
{
    const Expr *args[3];
    const bool choice = e->kind == E_SELECT && expr_guards(e->args[0]);
    if (!expr_varies(s->c, e, s->lane_var) || (e->n == 0 && e->kind != E_LOAD)) return e;
    if (choice || e->kind == E_LOAD) {
        const Expr *held = tile_held(s, e);
        if (held) return held;
        return tile_hold(s, e, choice ? chosen(s, e) : e, to);
    }
    for (int i = 0; i < e->n; i++) args[i] = reads_named(s, e->args[i], to);
    return e->kind == E_SELECT ? expr_select(s->c, args[0], args[1], args[2]) : expr_remake(s->c, e, args);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

typedef struct Addend { const Expr *next; int row; int64_t step, place; } Addend;    /* of a row's sum */

/* Where each addend reads, from the first one's place on; false: some do not, or elsewhere. */
static bool places(const Tile *s, Addend *all, int n)
{
    const Idx *first = NULL;
    for (int i = 0; i < n; i++) {
        Reads reads = {.t = s->t, .lane = s->lane_var};
        expr_walk(s->c, all[i].next, see_read, &reads);
        if (reads.all != 1) return false;
        first = first ? first : reads.last;
        const Idx *from = idx_axpy(s->c, reads.last, -1, first);
        if (from->n) return false;
        all[i].place = from->k;
    }
    return true;
}

static bool in_order(const Addend *all, int n)
{
    int64_t last[ROWS_MOST] = {0};
    for (int i = 0; i < n; i++) {
        if (all[i].step < last[all[i].row]) return false;
        last[all[i].row] = all[i].step;
    }
    return true;
}

/* The addends by the places that they read, if the sum of each row then stays in its order. */
static const Addend *sorted(const Tile *s, Addend *all, int n)
{
    Addend *to = SCRATCH_N(s->c, Addend, n);
    if (!places(s, all, n)) return all;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && to[k - 1].place > all[i].place; k--) to[k] = to[k - 1];
        to[k] = all[i];
    }
    return in_order(to, n) ? to : all;
}

void window_sums(Tile *s, Stmts *to)
{
    const Tiling *t = s->t;
    const Reduce *r = t->reductions[s->reduction]->reduce;
    const int64_t steps = steps_of(r);
    Addend *all = SCRATCH_N(s->c, Addend, steps * t->rows);
    int n = 0;
    for (int64_t step = 0; step < steps; step++)
        for (int row = 0; row < t->rows; row++) {
            const Expr *next = next_at(t, r, idx_add(s->c, t->row_at, idx_const(s->c, row)), step);
            next = tile_at(s, next, (Place){row, 0, s->lanes});
            if (!adds_nothing(s, next)) all[n++] = (Addend){next, row, step, 0};
        }
    const Addend *by_place = sorted(s, all, n);
    for (int i = 0; i < n; i++) {
        const Place p = {by_place[i].row, 0, s->lanes};
        const Expr *next = tile_lane(s, reads_named(s, by_place[i].next, to), p);
        VEC_PUSH(s->c, *to, tile_store(s, *tile_array(s, p.row, 0, s->reduction), next));
    }
}
