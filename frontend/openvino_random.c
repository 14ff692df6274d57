/* The words that OpenVINO's RandomUniform draws: Philox 4x32 with ten rounds, a counter of 128 bits whose upper half is
 * op_seed, under the key global_seed (Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3). */
#include "openvino_ops.h"

bool ov_philox_infer(Build *b, const Node *n, Type *out)
{
    int64_t dims[2] = {node_int(n, "groups", 0), 4};
    if (dims[0] < 0 || dims[0] > INT_MAX)
        return node_error(b, n, "it draws %lld times four words: that is too many", (long long)dims[0]);
    out[0] = type_make(b->c, DT_U32, 2, dims);
    return true;
}

static const Expr *seed_half(Lower *l, const char *name, int half)
{
    return expr_int(l->c, DT_U32, (uint32_t)((uint64_t)node_int(l->node, name, 0) >> 32 * half));
}

/* One round mixes the words a, b (of the counter) and c, d (of the seed) by the products of a and c. */
void ov_philox(Lower *l)
{
    Ctx *c = l->c;
    nest(l, "y[], groups, low, high, seed, rest, m, w, p, q: for g < groups {"
            "    var a = uint32(g); var b = uint32(0); var c = seed; var d = rest; var k = low; var h = high;"
            "    for r < 10 {"
            "        var x = uint64(a) * m; var z = uint64(c) * w;"
            "        a = bitxor(bitxor(uint32(shr(z, 32)), b), k); b = uint32(z);"
            "        c = bitxor(bitxor(uint32(shr(x, 32)), d), h); d = uint32(x);"
            "        k = k + p; h = h + q; }"
            "    y[g, 0] = a; y[g, 1] = b; y[g, 2] = c; y[g, 3] = d; }",
         l->out[0], expr_int(c, DT_I64, node_int(l->node, "groups", 0)), seed_half(l, "global_seed", 0),
         seed_half(l, "global_seed", 1), seed_half(l, "op_seed", 0), seed_half(l, "op_seed", 1),
         expr_int(c, DT_U64, 0xD2511F53), expr_int(c, DT_U64, 0xCD9E8D57), expr_int(c, DT_U32, 0x9E3779B9),
         expr_int(c, DT_U32, 0xBB67AE85));
}
