/* Packing of constants: a load of one, seen from the loops of a tile, as a constant of its own that lies in the order in which those
 * loops read it. */
#include "tile.h"

enum { GROWTH_MOST = 4, GROWTH_FREE = 1024 };

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

const Buf *pack_constant(Ctx *c, Bufs *packs, const Expr *load, const Subst *place, const Packing *p)
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
