/* Products of matrices: MatMul and Gemm. One element of the result is one reduction, a sum of products (`mad`: fused
 * where the target can). Integers wrap in their own type; 16-bit floats add up in float. What Gemm does beyond that is
 * an expression around the reduction. */
#include "meaning.h"

/* Sum over k of the products of operands kx and ky; k is written into place[0] of x and place[1] of y. zx, zy: zero
 * points, or NULL. Where there is one column, what is summed lies side by side in both. */
static const Expr *sum_of_products(Lower *l, int kx, int ky, int64_t depth, const Idx **x_at, int x_k, const Idx **y_at,
                                   int y_k, DType dt, const Expr *zx, const Expr *zy)
{
    Type x_type = in_type(l, kx), y_type = in_type(l, ky);
    bool rows = x_k == x_type.rank - 1 || x_type.dims[x_type.rank - 1] == 1;
    bool column = y_type.rank == 1 || y_type.dims[y_k == y_type.rank - 1 ? y_k - 1 : y_k + 1] == 1;
    Ctx *c = l->c;
    Sweep s;
    if (depth == 0)
        return zero(c, dt);
    sweep_open(c, &s, 1, &depth);
    x_at[x_k] = y_at[y_k] = s.i[0];
    const Expr *x = shifted(l, kx, x_at, dt, zx), *y = shifted(l, ky, y_at, dt, zy);
    return (rows && column ? sweep_row : sweep_reduce)(c, &s, zero(c, dt), (Fold){OP_mad, x, y});
}

/* ---- MatMul, as numpy's: a vector on the left is a row, on the right a column; leading dimensions broadcast */

bool matmul_type(Build *b, const Node *n, int kx, int ky, DType dt, Type *out)
{
    Type x = arg_type(n, kx), y = arg_type(n, ky);
    if (x.rank == 0 || y.rank == 0)
        return unfit(b, n, "a scalar has no dimension to multiply along (Mul multiplies by it)");
    int64_t k = x.dims[x.rank - 1], rows = y.dims[y.rank > 1 ? y.rank - 2 : 0], dims[MAX_RANK];
    int rank;
    if (k != rows)
        return unfit(b, n, "the last dimension on the left, %lld, must equal the %s on the right, %lld", (long long)k,
                     y.rank > 1 ? "last but one" : "dimension", (long long)rows);
    if (!broadcast_dims(x.rank > 2 ? x.rank - 2 : 0, x.dims, y.rank > 2 ? y.rank - 2 : 0, y.dims, &rank, dims))
        return unfit(b, n, "the dimensions before the last two do not broadcast (pairs are equal, or one is 1)");
    if (x.rank > 1)
        dims[rank++] = x.dims[x.rank - 2];
    if (y.rank > 1)
        dims[rank++] = y.dims[y.rank - 1];
    return make_type(b, n, out, 0, dt, rank, dims);
}

bool matmul_infer(Build *b, const Node *n, Type *out)
{
    return matmul_type(b, n, 0, 1, arg_type(n, 0).dt, out);
}

/* Batch places of an operand: aligned right within `batch` dimensions of i. */
static void batch_places(Ctx *c, Type t, int batch, const Idx *const *i, const Idx **at)
{
    int own = t.rank > 2 ? t.rank - 2 : 0;
    for (int k = 0; k < own; k++)
        at[k] = t.dims[k] == 1 ? idx_const(c, 0) : i[batch - own + k];
}

const Expr *matmul_sum(Lower *l, int kx, int ky, const Idx *const *i, DType dt, const Expr *zx, const Expr *zy)
{
    Type x = in_type(l, kx), y = in_type(l, ky);
    int batch = out_type(l, 0).rank - (x.rank > 1) - (y.rank > 1);
    const Idx *x_at[MAX_RANK], *y_at[MAX_RANK];
    batch_places(l->c, x, batch, i, x_at);
    batch_places(l->c, y, batch, i, y_at);
    if (x.rank > 1)
        x_at[x.rank - 2] = i[batch];
    if (y.rank > 1)
        y_at[y.rank - 1] = i[batch + (x.rank > 1)];
    int y_k = y.rank > 1 ? y.rank - 2 : 0;
    return sum_of_products(l, kx, ky, x.dims[x.rank - 1], x_at, x.rank - 1, y_at, y_k, dt, zx, zy);
}

const Expr *matmul_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return matmul_sum(l, 0, 1, i, math_type(in_type(l, 0).dt), NULL, NULL);
}

/* ---- Gemm: alpha·A'·B' + beta·C ---- */

static bool gemm_sizes(Build *b, const Node *n, Sizes *s, const char *more)
{
    return shapes(b, n, s, internf(b->c, "A[%s] B[%s]%s", node_int(n, "transA", 0) ? "K,M" : "M,K",
                                   node_int(n, "transB", 0) ? "N,K" : "K,N", more));
}

bool gemm_infer(Build *b, const Node *n, Type *out)
{
    Sizes s = {0};
    Type t = arg(n, 2) ? arg_type(n, 2) : (Type){.rank = 0};
    int64_t joint[MAX_RANK];
    int rank;
    if (!gemm_sizes(b, n, &s, "; both are matrices"))
        return false;
    const int64_t dims[2] = {s.of['M'], s.of['N']};
    if (!broadcast_dims(2, dims, t.rank, t.dims, &rank, joint) || rank != 2 || memcmp(joint, dims, sizeof dims) != 0)
        return unfit(b, n, "C must broadcast to the product, %s", dims_text(b->c, 2, dims));
    return make_type(b, n, out, 0, arg_type(n, 0).dt, 2, dims);
}

/* k·x; integers by a number that is none go through double. */
static const Expr *times(Ctx *c, const Expr *x, double k)
{
    if (k == 1)
        return x;
    if (dtype_is_float(x->dt) || k == floor(k))
        return expr_op2(c, OP_mul, x, known_number(c, x->dt, k));
    return expr_op2(c, OP_mul, expr_cast(c, DT_F64, x), expr_float(c, DT_F64, k));
}

const Expr *gemm_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    const Node *n = l->node;
    bool tx = node_int(n, "transA", 0) != 0, ty = node_int(n, "transB", 0) != 0;
    double alpha = (double)node_float(n, "alpha", 1), beta = (double)node_float(n, "beta", 1);
    const Idx *x_at[2], *y_at[2];
    x_at[tx] = i[0];
    y_at[!ty] = i[1];
    DType dt = math_type(in_type(l, 0).dt);
    const Expr *y = sum_of_products(l, 0, 1, in_type(l, 0).dims[!tx], x_at, !tx, y_at, ty, dt, NULL, NULL);
    y = times(l->c, y, alpha);
    if (!arg(n, 2) || beta == 0)
        return y;
    const Expr *z = times(l->c, math(l, 2, 2, i), beta);
    return formula(l->c, z->dt == DT_F64 ? "y, z: double(y) + z" : "y, z: y + like(z, y)", y, z);
}

/* Versions 1 and 6. */
bool gemm_old(Build *b, const Node *n, Edge **out)
{
    Sizes s = {0};
    return (node_int(n, "broadcast", 0) ||
            gemm_sizes(b, n, &s, " C[M,N]; before opset 7 C needs the product's shape unless broadcast = 1")) &&
           newest(b, n, out);
}
