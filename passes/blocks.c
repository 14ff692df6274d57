/* Movement across the order of memory: a kernel that writes along one variable and reads along another goes by square
 * blocks, so that each stretch of memory is used up while it is near. Where vectors hold a whole side, its rows are
 * woven: quarters of the block element by element in turn, which compilers make shuffles of, time and again, until
 * columns lie side by side. All places are constants, so the local arrays can become registers. */
#include "loopify.h"
#include "tile.h"

enum { SIDE = 16, WOVEN = 8, WAYS = 4, PARTS_MOST = 3, ELEMENTS_FEWEST = 1024, WOVEN_FEWEST = 256 };

typedef struct Crossing { Ctx *c; const Kernel *k; int along, across; bool woven; } Crossing;

static void see_crossing(const Expr *e, void *arg)
{
    Crossing *x = arg;
    int64_t step;
    if (e->kind == E_REDUCE) x->along = -1;
    x->woven &= e->kind == E_LOAD || e->kind == E_CONST || e->kind == E_OP || e->kind == E_CAST;
    if (e->kind != E_LOAD || x->along < 0) return;
    const Idx *flat = load_place(x->c, e);
    if (!idx_affine(flat, x->along, &step) || (step <= 1 && step >= -1)) return;
    for (int v = 0; v < x->k->rank; v++)
        if (v != x->along && x->k->dims[v] >= SIDE / 2 && idx_affine(flat, v, &step) && step == 1) x->across = v;
}

/* The innermost variable of what is written, -1. */
static int innermost(Ctx *c, const Kernel *k)
{
    const Idx *flat = idx_flat(c, k->out->rank, k->out->dims, k->at);
    int64_t step;
    for (int v = k->rank; v-- > 0;)
        if (k->dims[v] >= SIDE / 2 && idx_affine(flat, v, &step) && step == 1) return v;
    return -1;
}

typedef struct Part { int64_t from, count, size; } Part;

/* Whole blocks, then smaller ones, and what is left. */
static int parts_of(int64_t extent, bool woven, Part *to)
{
    const int sizes[] = {SIDE, woven ? WOVEN : SIDE};
    int64_t from = 0;
    int n = 0;
    for (int i = 0; i < 2; from += (extent - from) / sizes[i] * sizes[i], i++)
        if ((extent - from) / sizes[i]) to[n++] = (Part){from, (extent - from) / sizes[i], sizes[i]};
    if (from < extent) to[n++] = (Part){from, 1, extent - from};
    return n;
}

typedef struct Square { const Crossing *x; const Idx *from[2]; } Square; /* where it begins: along, across */

static Subst place_in(const Square *b, const Idx *along, const Idx *across, int *vars, const Idx **places)
{
    Ctx *c = b->x->c;
    vars[0] = b->x->along;
    vars[1] = b->x->across;
    places[0] = idx_add(c, b->from[0], along);
    places[1] = idx_add(c, b->from[1], across);
    return (Subst){2, vars, places};
}

/* What the kernel computes of an element of a block. */
static const Expr *value_at(const Square *b, const Idx *along, const Idx *across)
{
    int vars[2];
    const Idx *places[2];
    const Subst sub = place_in(b, along, across, vars, places);
    return expr_subst(b->x->c, b->x->k->value, &sub);
}

/* The store of one, of `value`. */
static const Stmt *element(const Square *b, const Idx *along, const Idx *across, const Expr *value)
{
    Ctx *c = b->x->c;
    const Kernel *k = b->x->k;
    int vars[2];
    const Idx *places[2];
    const Subst sub = place_in(b, along, across, vars, places);
    const Idx **out = NEW_N(c, const Idx *, k->out->rank);
    for (int d = 0; d < k->out->rank; d++) out[d] = idx_subst(c, k->at[d], &sub);
    return spelled_store(c, k->out, out, value, true);
}

static const Stmt *computed(const Square *b, const Idx *along, const Idx *across)
{
    return element(b, along, across, value_at(b, along, across));
}

static const Stmt *plain_block(const Square *b, int64_t along, int64_t across)
{
    Ctx *c = b->x->c;
    const int vars[2] = {var_new(c), var_new(c)};
    const Stmt *s = computed(b, idx_var(c, vars[0], along), idx_var(c, vars[1], across));
    return stmt_for(c, vars[1], across, stmt_for(c, vars[0], along, s));
}

/* One step of weaving: `ways` stretches element by element in turn, `lanes` of each. */
static const Stmt *woven(Ctx *c, int var, int64_t lanes, const Buf *to, int64_t at, int ways, const Expr *const *from)
{
    const Stmt *turn[WAYS];
    for (int i = 0; i < ways; i++) {
        const Idx *place = idx_axpy(c, idx_const(c, ways * at + i), ways, idx_var(c, var, lanes));
        turn[i] = stmt_store(c, to, &place, from[i]);
    }
    return stmt_lanes(c, var, lanes, stmt_seq(c, ways, turn));
}

static const Expr *lanes_at(Ctx *c, const Buf *b, int64_t from, int var, int64_t lanes)
{
    const Idx *at = idx_add(c, idx_var(c, var, lanes), idx_const(c, from));
    return expr_load(c, b, &at);
}

/* The rows, as one run, are cut in four and these woven until their columns lie side by side; in two where no more is
 * left to do. Four at once go through memory half as often, where a compiler keeps the arrays there. */
static const Stmt *woven_block(const Square *b, int64_t along, int64_t across)
{
    Ctx *c = b->x->c;
    const Stmt *all[SIDE * SIDE];
    const int var = var_new(c), lane = var_new(c), out = var_new(c);
    const int64_t room = along * across;
    const Buf *from = buf_new(c, BUF_LOCAL, "woven0", b->x->k->out->dt, 1, &room), *spare = NULL;
    const Expr *parts[WAYS];
    int n = 0;
    all[n++] = stmt_local(c, from);
    for (int64_t i = 0; i < along / WAYS; i++) {
        for (int w = 0; w < WAYS; w++)
            parts[w] = value_at(b, idx_const(c, i + w * along / WAYS), idx_var(c, var, across));
        all[n++] = woven(c, var, across, from, i * across, WAYS, parts);
    }
    for (int64_t left = along / WAYS; left > 1;) {
        const int ways = left < WAYS ? 2 : WAYS;
        const int64_t part = room / ways, lanes = part < SIDE ? part : SIDE;
        const Buf *to = spare ? spare : buf_new(c, BUF_LOCAL, "woven1", from->dt, 1, &room);
        if (!spare) all[n++] = stmt_local(c, to);
        for (int64_t i = 0; i < part; i += lanes) {
            for (int w = 0; w < ways; w++) parts[w] = lanes_at(c, from, w * part + i, lane, lanes);
            all[n++] = woven(c, lane, lanes, to, i, ways, parts);
        }
        spare = from;
        from = to;
        left /= ways;
    }
    for (int64_t i = 0; i < across; i++) {
        const Stmt *s = element(b, idx_var(c, out, along), idx_const(c, i), lanes_at(c, from, i * along, out, along));
        all[n++] = stmt_lanes(c, out, along, s);
    }
    return stmt_seq(c, n, all);
}

static const Stmt *block(const Crossing *x, const Part *a, const Part *b)
{
    Ctx *c = x->c;
    const int vars[2] = {var_new(c), var_new(c)};
    const Part *parts[2] = {a, b};
    Square at = {.x = x};
    for (int i = 0; i < 2; i++)
        at.from[i] = idx_axpy(c, idx_const(c, parts[i]->from), parts[i]->size, idx_var(c, vars[i], parts[i]->count));
    const bool woven = x->woven && a->size % WOVEN == 0 && b->size % WOVEN == 0;
    const Stmt *s = woven ? woven_block(&at, a->size, b->size) : plain_block(&at, a->size, b->size);
    for (int i = 1; i >= 0; i--) s = stmt_for(c, vars[i], parts[i]->count, s);
    return s;
}

/* The loops over the kernel's other variables. */
static const Stmt *around(const Crossing *x, const Stmt *nest)
{
    for (int v = x->k->rank; v-- > 0;)
        if (v != x->along && v != x->across) nest = stmt_for(x->c, v, x->k->dims[v], nest);
    return nest;
}

/* ---- few elements side by side ----------------------------------------------------------------------------------- */

static void see_side(const Expr *e, void *arg)
{
    Crossing *x = arg;
    int64_t step;
    x->woven &= e->kind == E_LOAD || e->kind == E_CONST || e->kind == E_OP || e->kind == E_CAST;
    if (e->kind == E_LOAD && x->woven) x->woven = idx_affine(load_place(x->c, e), x->across, &step) && step == 1;
}

/* The channels of pixels that lie plane by plane: as many stores side by side, for a vector of pixels at a time. */
static const Stmt *threaded(Ctx *c, const Kernel *k)
{
    const Idx *flat = idx_flat(c, k->out->rank, k->out->dims, k->at);
    Crossing x = {c, k, -1, -1, true};
    int64_t step;
    for (int v = 0; v < k->rank; v++)
        if (k->dims[v] > 1 && k->dims[v] < WOVEN && idx_affine(flat, v, &step) && step == 1) x.along = v;
    for (int v = 0; v < k->rank && x.along >= 0; v++)
        if (k->dims[v] >= SIDE && idx_affine(flat, v, &step) && step == k->dims[x.along]) x.across = v;
    if (x.across < 0) return NULL;
    expr_walk(c, k->value, see_side, &x);
    if (!x.woven) return NULL;
    Part parts[PARTS_MOST];
    const Stmt *all[PARTS_MOST], *side[WOVEN];
    const int n = parts_of(k->dims[x.across], true, parts), sides = (int)k->dims[x.along];
    for (int i = 0; i < n; i++) {
        const int block = var_new(c), lane = var_new(c);
        const Part *p = &parts[i];
        Square at = {&x, {idx_const(c, 0), idx_const(c, p->from)}};
        at.from[1] = idx_axpy(c, at.from[1], p->size, idx_var(c, block, p->count));
        for (int j = 0; j < sides; j++)
            side[j] = computed(&at, idx_const(c, j), idx_var(c, lane, p->size));
        const Stmt *s = stmt_seq(c, sides, side);
        s = p->size % WOVEN ? stmt_for(c, lane, p->size, s) : stmt_lanes(c, lane, p->size, s);
        all[i] = stmt_for(c, block, p->count, s);
    }
    return around(&x, stmt_seq(c, n, all));
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

const Stmt *blocked(Ctx *c, const Kernel *k, const Target *target)
{
    if (k->nest || k->rank < 2 || k->out->text || dtype_bits(k->out->dt) < 8) return NULL;
    if (kernel_count(k) < (target->vectors == 1 ? WOVEN_FEWEST : ELEMENTS_FEWEST)) return NULL;
    Crossing x = {c, k, innermost(c, k), -1, target->vectors == 1 && dtype_bits(k->out->dt) <= 32};
    if (x.along < 0) return x.woven ? threaded(c, k) : NULL;
    expr_walk(c, k->value, see_crossing, &x);
    if (x.along < 0 || x.across < 0) return NULL;
    Part a[PARTS_MOST], b[PARTS_MOST];
    const int na = parts_of(k->dims[x.along], x.woven, a), nb = parts_of(k->dims[x.across], x.woven, b);
    const Stmt *all[PARTS_MOST * PARTS_MOST];
    int n = 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) all[n++] = block(&x, &a[i], &b[j]);
    return around(&x, stmt_seq(c, n, all));
}
