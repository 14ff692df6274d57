/* Packing: what lanes read side by side, as an operand of its own that lies in the order in which the loops of a tile
 * read it. Constants are packed when compiled, where they may grow a little; what is known at run time only is copied
 * by a kernel in front, where it is large and read often.
 *
 * Integers of 8 bits are packed as 16: gcc fits its vectors to the smallest type of a loop, and the sums, four times
 * as wide, would not stay in registers. */
#include "tile.h"

enum { GROWTH_MOST = 4, GROWTH_FREE = 1024 };

/* What a load of a constant reads, as a buffer of dimensions `dims`: its element i is what is read where variables
 * at[0..rank-1] = i and `place` gives those of the kernel. Places beyond the constant hold 0. */
typedef struct Packing { int rank; const int *at; const int64_t *dims; } Packing;

static bool odometer(int rank, const int64_t *dims, const int *at, int64_t *env)
{
    for (int d = rank; d-- > 0;) {
        if (++env[at[d]] < dims[d]) return true;
        env[at[d]] = 0;
    }
    return false;
}

static DType packed_type(DType dt)
{
    return dt == DT_I8 || dt == DT_U8 ? DT_I16 : dt;
}

/* The place of what is read, in env; false: outside. */
static bool place_of(const Buf *from, const Idx *const *place, const int64_t *env, int64_t *flat)
{
    bool inside = true;
    *flat = 0;
    for (int d = 0; d < from->rank; d++) {
        const int64_t i = idx_eval(place[d], env, NULL, NULL);
        inside &= i >= 0 && i < from->dims[d];
        *flat = *flat * from->dims[d] + i;
    }
    return inside;
}

/* Row by row of the pack: between two places that are inside, a row that goes by even steps is inside, too. */
static void fill(Ctx *c, Tensor *t, const Expr *load, const Idx *const *place, const Packing *p)
{
    const Buf *from = load->buf;
    const int rows = p->rank - 1, var = p->at[rows];
    const int64_t size = p->dims[rows], width = dtype_bits(from->dt) / 8;
    int64_t *env = SCRATCH_N(c, int64_t, var_count(c) + 1), n = 0, first, last, step;
    bool inside, even = dtype_bits(from->dt) >= 8 && from->dt == t->type.dt && from->dt != DT_STRING;
    for (int d = 0; d < from->rank; d++) even &= idx_affine(place[d], var, &step);
    do {
        env[var] = size - 1;
        inside = even && place_of(from, place, env, &last);
        env[var] = 0;
        inside &= place_of(from, place, env, &first);
        step = size > 1 && inside ? (last - first) / (size - 1) : 0;
        char *to = (char *)(uintptr_t)t->data + n * width;
        const char *row = (const char *)from->data->data + first * width;
        for (int64_t i = 0; inside && i < size; i++)
            if (width == 4) memcpy(to + i * 4, row + i * step * 4, 4);
            else memcpy(to + i * width, row + i * step * width, (size_t)width);
        for (int64_t i = 0; !inside && i < size; i++) {
            env[var] = i;
            if (!place_of(from, place, env, &first)) continue;
            const Value v = scalar_read(from->dt, from->data->data, first);
            scalar_write(t->type.dt, (void *)(uintptr_t)t->data, n + i, scalar_cast(t->type.dt, from->dt, v));
        }
        env[var] = 0;
        n += size;
    } while (odometer(rows, p->dims, p->at, env));
}

static bool same_type(const Buf *b, DType dt, int rank, const int64_t *dims)
{
    return b->dt == dt && b->rank == rank && !memcmp(b->dims, dims, sizeof *dims * (size_t)rank);
}

static const Buf *pack_constant(Ctx *c, Bufs *packs, const Expr *load, const Subst *place, const Packing *p)
{
    int64_t count;
    const Buf *from = load->buf;
    if (!dims_count(p->rank, p->dims, &count) || count > GROWTH_MOST * buf_count(from) + GROWTH_FREE) return NULL;
    const Idx *at[MAX_RANK];
    for (int d = 0; d < from->rank; d++) {
        at[d] = idx_subst(c, load->at[d], place);
        if (at[d]->values) return NULL;
    }
    const DType dt = packed_type(from->dt);
    Tensor *t = tensor_large(c, type_make(c, dt, p->rank, p->dims));
    fill(c, t, load, at, p);
    for (int i = 0; i < packs->n; i++)
        if (same_type(packs->at[i], dt, p->rank, p->dims) && packs->at[i]->data->bytes == t->bytes &&
            !strcmp(packs->at[i]->name, from->name) && !memcmp(packs->at[i]->data->data, t->data, t->bytes))
            return packs->at[i];
    Buf *b = buf_new(c, BUF_CONST, from->name, dt, p->rank, p->dims);
    b->data = t;
    VEC_PUSH(c, *packs, b);
    return b;
}

/* ---- panels -------------------------------------------------------------------------------------------------- */

/* Of an operand that is packed at run time. */
enum { REUSES_PAY = 32, REUSES_PAY_NEAR = 96, ELEMENTS_PAY = 16 * 1024, ELEMENTS_NEAR = 512 * 1024, STEP_BAD = 256 };

typedef struct Panel {
    const Tile *s;
    int panel;
    PtrMap wider;                    /* packs of a wider type than what they hold */
} Panel;

/* The places of a pack, outermost first: other variables of the kernel, the block, what is reduced, panels × lanes. */
typedef struct Order { int n, vars[MAX_RANK]; int64_t dims[MAX_RANK]; const Idx *to[MAX_RANK]; } Order;

static void put(Order *o, int var, int64_t dim, const Idx *to)
{
    o->vars[o->n] = var;
    o->dims[o->n] = dim;
    o->to[o->n++] = to;
}

/* false: the operand differs from row to row, or has too many dimensions. */
static bool order_of(const Panel *p, const Idx *flat, Order *o)
{
    const Tile *s = p->s;
    const Tiling *t = s->t;
    const Reduce *r = t->reductions[s->reduction]->reduce;
    for (int v = 0; v < t->k->rank; v++) {
        if (v == t->lane || t->k->dims[v] == 1 || !idx_uses(flat, v)) continue;
        if (v == t->row || o->n > MAX_RANK - 4) return false;
        put(o, v, t->k->dims[v], idx_var(s->c, v, t->k->dims[v]));
    }
    put(o, s->block_var, s->count, s->block);
    for (int v = 0; v < r->nvars; v++)
        if (r->extents[v] > 1 && idx_uses(flat, r->vars[v]) && o->n < MAX_RANK - 1)
            put(o, r->vars[v], r->extents[v], idx_var(s->c, r->vars[v], r->extents[v]));
    put(o, s->lane_var, s->panels * s->lanes,
        idx_add(s->c, idx_var(s->c, s->lane_var, s->lanes), idx_const(s->c, p->panel * s->lanes)));
    return true;
}

/* Whether steps of the sum lead to the same few places of a cache: by a power of two, or beyond all that it holds. */
static bool scattered(const Panel *p, const Buf *b, const Idx *flat)
{
    const Reduce *r = p->s->t->reductions[p->s->reduction]->reduce;
    int64_t step;
    bool any = buf_count(b) > ELEMENTS_NEAR;
    for (int v = 0; v < r->nvars; v++)
        any |= r->extents[v] > 1 && idx_affine(flat, r->vars[v], &step) && step && step % STEP_BAD == 0;
    return any;
}

/* Whether an operand that is only known at run time is read often enough to be copied. */
static bool pays(const Panel *p, const Buf *b, const Idx *flat)
{
    const Tiling *t = p->s->t;
    double reuses = 1;
    for (int v = 0; v < t->k->rank; v++)
        if (v != t->lane && !idx_uses(flat, v)) reuses *= (double)t->k->dims[v];
    return reuses >= (scattered(p, b, flat) ? REUSES_PAY : REUSES_PAY_NEAR) && buf_count(b) >= ELEMENTS_PAY;
}

static const Buf *pack_at_run_time(Tiling *t, const Expr *load, const Idx *place, const Order *o)
{
    Ctx *c = t->c;
    int vars[MAX_RANK + 1];
    const Idx *to[MAX_RANK + 1], *at[MAX_RANK];
    for (int d = 0; d < o->n; d++) vars[d] = o->vars[d], to[d] = idx_var(c, d, o->dims[d]);
    const Subst lane = {1, &t->lane, &place}, dims = {o->n, vars, to};
    for (int d = 0; d < load->buf->rank; d++) {
        if (load->at[d]->values) return NULL;
        at[d] = idx_subst(c, idx_subst(c, load->at[d], &lane), &dims);
    }
    Buf *b = buf_new(c, BUF_TEMP, internf(c, "%s/panels", load->buf->name), load->buf->dt, o->n, o->dims);
    VEC_PUSH(c, t->made->bufs, b);
    const char *what = internf(c, "Pack %s", load->buf->name);
    const Kernel *k = kernel_compute(c, what, t->k->loc, b, expr_load(c, load->buf, at));
    VEC_PUSH(c, t->made->kernels, k);
    return b;
}

static const Buf *pack_of(const Panel *p, const Expr *load, const Order *o)
{
    const Tile *s = p->s;
    Tiling *t = s->t;
    const int width = s->panels * s->lanes;
    for (int i = 0; i < t->packs.n; i++) {
        const Pack *have = &t->packs.at[i];
        if (have->load == load && have->from == s->from && have->width == width) return have->buf;
    }
    const Idx *place = idx_add(s->c, tile_panel(s, 0), idx_var(s->c, s->lane_var, width));
    const Packing packing = {o->n, o->vars, o->dims};
    const Subst sub = {1, &t->lane, &place};
    const Buf *b = load->buf->kind == BUF_CONST ? pack_constant(s->c, &t->made->bufs, load, &sub, &packing)
                                                : pack_at_run_time(t, load, place, o);
    VEC_PUSH(s->c, t->packs, ((Pack){load, s->from, width, b}));
    return b;
}

static const Expr *packed(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    Panel *p = arg;
    const Tile *s = p->s;
    Tiling *t = s->t;
    const Expr *load = expr_load(c, b, at);
    const Idx *flat = idx_flat(c, b->rank, b->dims, at);
    int64_t step;
    Order o = {0};
    if (b->kind == BUF_LOCAL || !idx_uses(flat, t->lane)) return NULL;
    const bool as_it_is = idx_affine(flat, t->lane, &step) && step == 1 && s->valid == s->lanes;
    const bool wider = b->kind == BUF_CONST && packed_type(b->dt) != b->dt;
    if (as_it_is && s->count == 1 && !wider) return NULL;
    if (b->kind != BUF_CONST && (t->inside || !pays(p, b, flat))) return NULL;
    const Buf *pack = order_of(p, flat, &o) ? pack_of(p, load, &o) : NULL;
    if (!pack) t->failed |= !as_it_is;
    if (!pack) return NULL;
    if (pack->dt != b->dt) ptrmap_put(c, &p->wider, pack, (void *)pack);
    return expr_cast(c, b->dt, expr_load(c, pack, o.to));
}

/* A pack holds nothing that the cast to the type of what is packed could change. */
static const Expr *without_cast(Ctx *c, const Expr *e, void *arg)
{
    Panel *p = arg;
    if (e->kind != E_CAST || e->args[0]->kind != E_CAST) return NULL;
    const Expr *x = e->args[0]->args[0];
    return x->kind == E_LOAD && ptrmap_get(&p->wider, x->buf) ? expr_cast(c, e->dt, x) : NULL;
}

const Expr *tile_packed(Tile *s, const Expr *next, int panel)
{
    Panel p = {.s = s, .panel = panel};
    return expr_rewrite(s->c, next, &(Rewrite){.load = packed, .node = without_cast, .arg = &p});
}
