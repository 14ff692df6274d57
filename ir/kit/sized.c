/* Results of which data decide how much is valid: how many elements remain is counted, into the hidden result that
 * holds the true dimensions; what remains is then written in front of the result, as closely as those dimensions say,
 * and no further than its type says. Places are flat, so that one form serves every rank. */
#include "kit.h"

/* The element at flat place p of a buffer; p is clamped. */
static void flat_at(Ctx *c, const Buf *b, const Expr *p, const Idx **at)
{
    idx_unflat(c, clamped(c, p, buf_count(b)), b->rank, b->dims, at);
}

const Expr *load_flat(Ctx *c, const Buf *b, const Expr *p)
{
    const Idx *at[MAX_RANK + 1];
    flat_at(c, b, p, at);
    return expr_load(c, b, at);
}

const Stmt *store_flat(Ctx *c, Buf *b, const Expr *p, const Expr *v)
{
    const Idx *at[MAX_RANK + 1];
    flat_at(c, b, p, at);
    return stmt_store(c, b, at, v);
}

const Expr *count_of(Ctx *c, const Sweep *s, const Expr *p)
{
    return sweep_reduce(c, s, i64(c, 0), (Fold){OP_add, expr_cast(c, DT_I64, p), NULL});
}

const Expr *true_dims(Lower *l, int k, int dim, const Expr *n)
{
    Ctx *c = l->c;
    Type t = out_type(l, k);
    Buf *dims = NULL;
    for (int h = l->node->sig->nshown; h < l->node->nout; h++)
        if (l->node->sig->out[h].dims_of == k)
            dims = l->out[h];
    for (int i = 0; i < t.rank; i++) {
        const Idx *at = idx_const(c, i);
        const Expr *v = i64(c, t.dims[i]);
        lower_store_at(l, dims, 0, NULL, &at, i == dim ? expr_op2(c, OP_min, n, v) : v);
    }
    if (l->out[k]->kind != BUF_OUT) /* others read it whole */
        lower_store(l, l->out[k], zero(c, l->out[k]->dt));
    const Idx *at = idx_const(c, dim);
    return expr_cast(c, DT_I64, expr_load(c, dims, &at));
}

const Stmt *count_through(Ctx *c, const Sweep *s, Buf *counter, const Expr *p, const Expr *n, const Stmt *body)
{
    const Expr *k = expr_load_version(c, counter, NULL, 1);
    const Stmt *step = stmt_store(c, counter, NULL, expr_op2(c, OP_add, k, i64(c, 1)));
    body = stmt_if(c, expr_op2(c, OP_lt, k, n), stmt_seq(c, 2, (const Stmt *[]){body, step}), NULL);
    body = stmt_if(c, p, body, NULL);
    return stmt_seq(c, 3, (const Stmt *[]){stmt_local(c, counter), stmt_store(c, counter, NULL, i64(c, 0)),
                                           sweep_around(c, s, body)});
}

void filter(Lower *l, int dim, int rank, const int64_t *extents, Keep *keep, Put *put)
{
    Ctx *c = l->c;
    Sweep s;
    sweep_open(c, &s, rank, extents);
    const Expr *n = true_dims(l, 0, dim, count_of(c, &s, keep(l, s.i)));
    if (buf_count(l->out[0]) == 0 || type_count(in_type(l, 0)) == 0) {
        lower_store(l, l->out[0], zero(c, l->out[0]->dt));
        return;
    }
    sweep_open(c, &s, rank, extents);
    Buf *counter = buf_new(c, BUF_LOCAL, "k", DT_I64, 0, NULL);
    const Stmt *body = put(l, s.i, expr_load_version(c, counter, NULL, 1), n);
    lower_nest(l, l->out[0], count_through(c, &s, counter, keep(l, s.i), n, body));
}
