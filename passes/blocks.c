/* Movement across the order of memory: a kernel that writes along one variable and reads along another goes by square
 * blocks, so that each stretch of memory is used up while it is near. */
#include "loopify.h"
#include "tile.h"

enum { SIDE = 16, ELEMENTS_FEWEST = 4096 };

typedef struct Crossing { Ctx *c; const Kernel *k; int along, across; } Crossing;

static void see_crossing(const Expr *e, void *arg)
{
    Crossing *x = arg;
    int64_t step;
    if (e->kind == E_REDUCE) x->along = -1;
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

/* Whole blocks, and what is left. */
static int parts_of(int64_t extent, Part *to)
{
    int n = 0;
    if (extent / SIDE) to[n++] = (Part){0, extent / SIDE, SIDE};
    if (extent % SIDE) to[n++] = (Part){extent / SIDE * SIDE, 1, extent % SIDE};
    return n;
}

static const Stmt *block(const Crossing *x, const Part *a, const Part *b)
{
    Ctx *c = x->c;
    const Kernel *k = x->k;
    const int vars[2] = {x->along, x->across}, outer[2] = {var_new(c), var_new(c)}, inner[2] = {var_new(c), var_new(c)};
    const Part *parts[2] = {a, b};
    const Idx *to[2];
    for (int i = 0; i < 2; i++) {
        to[i] = idx_axpy(c, idx_const(c, parts[i]->from), parts[i]->size, idx_var(c, outer[i], parts[i]->count));
        to[i] = idx_add(c, to[i], idx_var(c, inner[i], parts[i]->size));
    }
    const Subst sub = {2, vars, to};
    const Idx **at = NEW_N(c, const Idx *, k->out->rank);
    for (int d = 0; d < k->out->rank; d++) at[d] = idx_subst(c, k->at[d], &sub);
    const Stmt *s = spelled_store(c, k->out, at, expr_subst(c, k->value, &sub), true);
    for (int i = 0; i < 2; i++) s = stmt_for(c, inner[i], parts[i]->size, s);
    for (int i = 1; i >= 0; i--) s = stmt_for(c, outer[i], parts[i]->count, s);
    return s;
}

const Stmt *blocked(Ctx *c, const Kernel *k)
{
    if (k->nest || k->rank < 2 || k->out->text || dtype_bits(k->out->dt) < 8) return NULL;
    if (buf_count(k->out) < ELEMENTS_FEWEST) return NULL;
    Crossing x = {c, k, innermost(c, k), -1};
    if (x.along < 0) return NULL;
    expr_walk(c, k->value, see_crossing, &x);
    if (x.along < 0 || x.across < 0) return NULL;
    Part a[2], b[2];
    const int na = parts_of(k->dims[x.along], a), nb = parts_of(k->dims[x.across], b);
    const Stmt *all[4];
    int n = 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) all[n++] = block(&x, &a[i], &b[j]);
    const Stmt *nest = stmt_seq(c, n, all);
    for (int v = k->rank; v-- > 0;)
        if (v != x.along && v != x.across) nest = stmt_for(c, v, k->dims[v], nest);
    return nest;
}
