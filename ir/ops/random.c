/* Random numbers: all operators are compositions of one of burin's own, which gives uniform numbers from 0 to 1 or
 * standard normal ones (ir/kit/random.c). */
#include "meaning.h"

bool random_infer(Build *b, const Node *n, Type *out)
{
    Ints dims;
    int64_t dt = node_int(n, "dtype", DT_F32);
    attr_list(n, "shape", &dims);
    bool fits = dt > 0 && dt < DT_COUNT && dtype_is_float((DType)dt) && dtype_bits((DType)dt) >= 16;
    for (int i = 0; i < dims.n; i++)
        fits = fits && dims.v[i] >= 0;
    if (fits)
        return make_type(b, n, out, 0, (DType)dt, dims.n, dims.v);
    return node_error(b, n, "dtype = %lld, shape = %s: they must be a float of 16 bits or more, and no negative sizes",
                      (long long)dt, dims_text(b->c, dims.n, dims.v));
}

void random_numbers(Lower *l)
{
    bool normal = node_int(l->node, "normal", 0) != 0;
    if (normal)
        lower_store(l, l->out[0], zero(l->c, l->out[0]->dt));
    lower_nest(l, l->out[0], random_fill(l->c, l->out[0], (uint32_t)node_int(l->node, "seed", 0), normal));
}
