/* Movement across the order of memory: a kernel that writes along one variable and reads along another goes by square
 * blocks, so that each stretch of memory is used up while it is near. Where vectors hold a whole side, eight rows at
 * a time are woven into a local array: a loop over their columns whose eight stores lie side by side, which compilers
 * make shuffles of; each eight elements of that array are then a stretch of a row of what is written. */
#include "loopify.h"
#include "tile.h"

enum { SIDE = 16, WOVEN = 8, PARTS_MOST = 3, ELEMENTS_FEWEST = 1024 };

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

/* The store of one element of a block: of `value`, or of what the kernel computes, into `to`, or where that belongs. */
static const Stmt *element(const Square *b, const Idx *along, const Idx *across, const Buf *to, const Expr *value,
                           const Idx *at)
{
    Ctx *c = b->x->c;
    const Kernel *k = b->x->k;
    const int vars[2] = {b->x->along, b->x->across};
    const Idx *places[2] = {idx_add(c, b->from[0], along), idx_add(c, b->from[1], across)};
    const Subst sub = {2, vars, places};
    if (!value) value = expr_subst(c, k->value, &sub);
    if (to) return stmt_store(c, to, &at, value);
    const Idx **out = NEW_N(c, const Idx *, k->out->rank);
    for (int d = 0; d < k->out->rank; d++) out[d] = idx_subst(c, k->at[d], &sub);
    return spelled_store(c, k->out, out, value, true);
}

static const Stmt *plain_block(const Square *b, int64_t along, int64_t across)
{
    Ctx *c = b->x->c;
    const int vars[2] = {var_new(c), var_new(c)};
    const Stmt *s = element(b, idx_var(c, vars[0], along), idx_var(c, vars[1], across), NULL, NULL, NULL);
    return stmt_for(c, vars[1], across, stmt_for(c, vars[0], along, s));
}

static const Stmt *woven_block(const Square *b, int64_t along, int64_t across)
{
    Ctx *c = b->x->c;
    const Stmt *all[2 * (SIDE / WOVEN) + 1], *rows[WOVEN], *back[SIDE / WOVEN];
    const int column = var_new(c), lane = var_new(c), row = var_new(c);
    const int64_t room = across * WOVEN;
    const Idx *from = idx_var(c, column, across), *to = idx_var(c, row, across), *l = idx_var(c, lane, WOVEN);
    int n = 0;
    for (int g = 0; g < along / WOVEN; g++) {
        const Buf *w = buf_new(c, BUF_LOCAL, internf(c, "woven%d", g), b->x->k->out->dt, 1, &room);
        for (int i = 0; i < WOVEN; i++) {
            const Idx *at = idx_axpy(c, idx_const(c, i), WOVEN, from);
            rows[i] = element(b, idx_const(c, g * WOVEN + i), from, w, NULL, at);
        }
        all[n++] = stmt_local(c, w);
        all[n++] = stmt_lanes(c, column, across, stmt_seq(c, WOVEN, rows));
        const Idx *at = idx_axpy(c, l, WOVEN, to);
        const Stmt *s = element(b, idx_add(c, l, idx_const(c, g * WOVEN)), to, NULL, expr_load(c, w, &at), NULL);
        back[g] = stmt_lanes(c, lane, WOVEN, s);
    }
    all[n++] = stmt_for(c, row, across, stmt_seq(c, (int)(along / WOVEN), back));
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
            side[j] = element(&at, idx_const(c, j), idx_var(c, lane, p->size), NULL, NULL, NULL);
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
    if (kernel_count(k) < ELEMENTS_FEWEST) return NULL;
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
