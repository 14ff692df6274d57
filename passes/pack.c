/* Packing of constants: a load of one, seen from the loops of a tile, as a constant of its own that lies in the order in which those
 * loops read it. */
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

static void fill(Ctx *c, Tensor *t, const Expr *load, const Idx *const *place, const Packing *p)
{
    int64_t *env = SCRATCH_N(c, int64_t, var_count(c) + 1), n = 0;
    const Buf *from = load->buf;
    do {
        int64_t flat = 0;
        bool inside = true;
        for (int d = 0; d < from->rank; d++) {
            const int64_t i = idx_eval(place[d], env, NULL, NULL);
            inside &= i >= 0 && i < from->dims[d];
            flat = flat * from->dims[d] + i;
        }
        if (inside) scalar_write(from->dt, (void *)t->data, n, scalar_read(from->dt, from->data->data, flat));
        n++;
    } while (odometer(p->rank, p->dims, p->at, env));
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
    Tensor *t = tensor_new(c, type_make(c, from->dt, p->rank, p->dims));
    fill(c, t, load, at, p);
    for (int i = 0; i < packs->n; i++)
        if (same_type(packs->at[i], from->dt, p->rank, p->dims) && packs->at[i]->data->bytes == t->bytes &&
            !strcmp(packs->at[i]->name, from->name) && !memcmp(packs->at[i]->data->data, t->data, t->bytes))
            return packs->at[i];
    Buf *b = buf_new(c, BUF_CONST, from->name, from->dt, p->rank, p->dims);
    b->data = t;
    VEC_PUSH(c, *packs, b);
    return b;
}

typedef struct Panel { const Tile *s; int panel; } Panel;

/* Constants that lanes read side by side lie in panels: the block, what is reduced, panels × lanes. */
static const Expr *packed(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Panel *p = arg;
    const Tile *s = p->s;
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
    to[n++] = idx_add(c, idx_var(c, s->lane_var, s->lanes), idx_const(c, p->panel * s->lanes));
    const Idx *place = idx_add(c, tile_panel(s, 0), idx_var(c, s->lane_var, width));
    const Buf *pack = pack_constant(c, t->packs, load, &(Subst){1, &t->lane, &place}, &(Packing){n, vars, dims});
    if (!pack) return t->failed |= !affine || s->valid < s->lanes, NULL;
    return expr_load(c, pack, to);
}

const Expr *tile_packed(Tile *s, const Expr *next, int panel)
{
    Panel p = {s, panel};
    return expr_rewrite(s->c, next, &(Rewrite){.load = packed, .arg = &p});
}
