/* The movement operators as index maps: given the place of an element in the result, its place in the source.
 *
 * Composing views is calling these one after the other, from the last result back to the first source; the algebra
 * simplifies on the way. Each writes one index per source dimension; src and at do not overlap. Padding has no
 * function of its own: it is an offset, with expr_in for guard and idx_assume under it. A source without elements is
 * never read: its places are 0. */
#include "looptab.h"

void view_reshape(Ctx *c, int rank, const int64_t *dims, const Idx *const *at, int src_rank, const int64_t *src_dims,
                  const Idx **src)
{
    idx_unflat(c, idx_flat(c, rank, dims, at), src_rank, src_dims, src);
}

void view_transpose(int rank, const int *perm, const Idx *const *at, const Idx **src)
{
    for (int i = 0; i < rank; i++)
        src[perm[i]] = at[i];
}

void view_slice(Ctx *c, int rank, const int64_t *start, const int64_t *step, const Idx *const *at, const Idx **src)
{
    for (int i = 0; i < rank; i++)
        src[i] = idx_axpy(c, idx_const(c, start[i]), step[i], at[i]);
}

void view_expand(Ctx *c, int rank, const Idx *const *at, int src_rank, const int64_t *src_dims, const Idx **src)
{
    for (int i = 0; i < src_rank; i++)
        src[i] = src_dims[i] == 1 ? idx_const(c, 0) : at[rank - src_rank + i];
}

void view_repeat(Ctx *c, int rank, const Idx *const *at, int src_rank, const int64_t *src_dims, const Idx **src)
{
    for (int i = 0; i < src_rank; i++)
        src[i] = src_dims[i] == 0 ? idx_const(c, 0) : idx_digit(c, at[rank - src_rank + i], 1, src_dims[i]);
}
