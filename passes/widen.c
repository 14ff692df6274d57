/* widen: floats of 16 and 8 bits that products read again and again are kept as float.
 *
 * No C type holds them, so each read is a conversion in some ten operations: far more than the product. What a
 * reduction casts to float and reads more than a few times is stored as float: temporaries hold the rounded values in
 * twice the bytes, constants are converted when compiled, inputs copied. Constants are so, too, where others than
 * reductions read them, as a bias. Results do not change: every value is the same number. Requires: fuse. Breaks
 * nothing. */
#include "widen.h"

enum { READS_PAY = 4 };              /* of each element */
static const size_t CONSTANT_MOST = (size_t)64 << 20;        /* bytes that a constant may grow to */

typedef struct Widen {
    Ctx *c;
    int n;                           /* of buffer ids */
    double *reads;                   /* by buffer id: casts to float, within reductions */
    double trips;                    /* of the expression that is looked at */
    bool reduced;                    /* it is within a reduction */
    const Buf **to;                  /* what stands in for it */
    PtrMap made;                     /* those */
} Widen;

static bool small_float(DType dt)
{
    return dtype_is_float(dt) && dtype_bits(dt) >= 8 && dtype_bits(dt) <= 16;
}

static void count_casts(const Expr *e, void *arg)
{
    Widen *w = arg;
    if (e->kind != E_CAST || e->dt != DT_F32 || e->args[0]->kind != E_LOAD) return;
    const Buf *b = e->args[0]->buf;
    if (e->args[0]->dt != b->dt || !small_float(b->dt) || b->kind == BUF_LOCAL || b->id >= w->n) return;
    if (!w->reduced && b->kind != BUF_CONST) return;
    w->reads[b->id] += w->trips;
}

static void count_reductions(const Expr *e, void *arg)
{
    Widen *w = arg;
    if (e->kind != E_REDUCE || greatest_of_halves(w->c, e)) return;
    const double outside = w->trips;
    for (int d = 0; d < e->reduce->nvars; d++) w->trips *= (double)e->reduce->extents[d];
    w->reduced = true;
    for (int k = 0; k < e->reduce->naccs; k++) expr_walk(w->c, e->reduce->next[k], count_casts, w);
    w->reduced = false;
    w->trips = outside;
}

static Buf *widened_constant(Ctx *c, const Buf *b)
{
    Tensor *t = tensor_new(c, type_make(c, DT_F32, b->rank, b->dims));
    for (int64_t i = 0; i < buf_count(b); i++)
        scalar_write(DT_F32, (void *)t->data, i, scalar_cast(DT_F32, b->dt, scalar_read(b->dt, b->data->data, i)));
    Buf *to = buf_new(c, BUF_CONST, b->name, DT_F32, b->rank, b->dims);
    to->data = t;
    return to;
}

static const Buf *wide(const Widen *w, const Buf *b)
{
    return b->kind != BUF_LOCAL && b->id < w->n ? w->to[b->id] : NULL;
}

/* The value is a small float, so that nothing is rounded. */
static const Expr *read_wide(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Buf *to = wide(arg, b);
    return to ? expr_cast(c, b->dt, expr_load(c, to, at)) : NULL;
}

static bool is_wide(const Widen *w, const Buf *b)
{
    return ptrmap_get(&w->made, b) != NULL;
}

/* relu of x rounded, as a small float: what is less than the half of the least of these becomes 0, and one rounding is
 * left. */
static const Expr *rounded_once(Ctx *c, const Expr *e)
{
    if (e->kind != E_CAST || e->dt != DT_F16 || e->args[0]->kind != E_OP || e->args[0]->op != OP_relu) return NULL;
    const Expr *x = e->args[0]->args[0];
    if (x->kind != E_OP || x->op != OP_round_f16) return NULL;
    const Expr *less = expr_op2(c, OP_lt, x->args[0], expr_float(c, DT_F32, -0x1p-25));
    return expr_cast(c, DT_F16, expr_select(c, less, expr_float(c, DT_F32, 0), x->args[0]));
}

/* The greatest of halves is a half before it is a float. */
static const Expr *half_again(const Expr *e)
{
    if (e->kind != E_CAST || e->dt != DT_F16 || e->args[0]->kind != E_CAST) return NULL;
    const Expr *x = e->args[0]->args[0];
    if (x->dt != DT_F16 || x->kind != E_BITS) return NULL;
    return x->args[0]->kind == E_OP && x->args[0]->op == OP_of_rank_f16 ? x : NULL;
}

static const Expr *drop_casts(Ctx *c, const Expr *e, void *arg)
{
    const Expr *other = e->kind == E_REDUCE ? greatest_of_halves(c, e) : rounded_once(c, e);
    if (!other) other = half_again(e);
    if (other) return other;
    const bool rounds = e->kind == E_OP && (e->op == OP_round_f16 || e->op == OP_round_bf16);
    const bool casts = e->kind == E_CAST && e->dt == DT_F32 && e->args[0]->kind == E_CAST;
    if (!rounds && !casts) return NULL;
    const Expr *x = casts ? e->args[0]->args[0] : e->args[0];
    return x->kind == E_LOAD && x->dt == DT_F32 && is_wide(arg, x->buf) ? x : NULL;
}

static const Kernel *rewritten(Widen *w, const Kernel *k)
{
    const Buf *to = wide(w, k->out);
    Kernel x = *k;
    x.value = expr_rewrite(w->c, k->value, &(Rewrite){.load = read_wide, .node = drop_casts, .arg = w});
    if (to) {
        x.out = to;
        x.value = expr_cast(w->c, DT_F32, x.value);
    }
    return to || x.value != k->value ? mem_copy(w->c, &x, sizeof x) : k;
}

static void in_nest(const Buf *b, void *arg)
{
    Widen *w = arg;
    if (b->kind != BUF_LOCAL && b->id < w->n) w->reads[b->id] = -1e300;
}

static Prog *widened(Widen *w, const Prog *p)
{
    VEC(const Kernel *) kernels = {0};
    VEC(Buf *) bufs = {0};
    for (int i = 0; i < p->nbufs; i++) {
        Buf *b = p->bufs[i];
        const double count = (double)buf_count(b);
        const bool pays = small_float(b->dt) && w->reads[b->id] > READS_PAY * count && count > 0;
        if (!pays || b->kind == BUF_OUT || (b->kind == BUF_CONST && buf_bytes(b) > CONSTANT_MOST / 4)) {
            VEC_PUSH(w->c, bufs, b);
            continue;
        }
        Buf *to = b->kind == BUF_CONST ? widened_constant(w->c, b)
                                       : buf_new(w->c, BUF_TEMP, b->name, DT_F32, b->rank, b->dims);
        w->to[b->id] = to;
        ptrmap_put(w->c, &w->made, to, to);
        if (b->kind != BUF_TEMP) VEC_PUSH(w->c, bufs, b);
        VEC_PUSH(w->c, bufs, to);
        if (b->kind != BUF_IN) continue;
        const Idx **at = NEW_N(w->c, const Idx *, b->rank);
        for (int d = 0; d < b->rank; d++) at[d] = idx_var(w->c, d, b->dims[d]);
        const Expr *value = expr_cast(w->c, DT_F32, expr_load(w->c, b, at));
        VEC_PUSH(w->c, kernels, kernel_compute(w->c, internf(w->c, "Cast %s", b->name), (Loc){0}, to, value));
    }
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        VEC_PUSH(w->c, kernels, k->nest ? k : rewritten(w, k));
    }
    Prog q = *p;
    q.bufs = bufs.at;
    q.nbufs = bufs.n;
    return prog_with(w->c, &q, kernels.n, kernels.at);
}

static const Expr *in_passing(Ctx *c, const Expr *e, void *arg)
{
    (void)arg;
    return float_all_the_way(c, e);
}

static Prog *floats_all_the_way(Ctx *c, const Prog *p)
{
    const Kernel **kernels = NEW_N(c, const Kernel *, p->nkernels);
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = kernels[i] = p->kernels[i];
        const Expr *value = k->nest ? NULL : expr_rewrite(c, k->value, &(Rewrite){.node = in_passing});
        if (k->nest || value == k->value) continue;
        Kernel *x = mem_copy(c, k, sizeof *k);
        x->value = value;
        kernels[i] = x;
    }
    return prog_with(c, p, p->nkernels, kernels);
}

Unit pass_widen(Ctx *c, Unit u)
{
    bool any = false;
    if (u.target->lanes > 0) u.prog = floats_all_the_way(c, u.prog);
    for (int i = 0; i < u.prog->nbufs && !any; i++) any = small_float(u.prog->bufs[i]->dt);
    if (!any || u.target->lanes == 0) return u;
    Mark m = scratch_mark(c);
    Widen w = {.c = c, .n = prog_uses(c, u.prog).n};
    w.reads = SCRATCH_N(c, double, w.n + 1);
    w.to = SCRATCH_N(c, const Buf *, w.n + 1);
    for (int i = 0; i < u.prog->nkernels; i++) {
        const Kernel *k = u.prog->kernels[i];
        w.trips = 1;
        for (int v = 0; v < k->rank && !k->nest; v++) w.trips *= (double)k->dims[v];
        if (k->nest) continue;
        expr_walk(c, k->value, count_casts, &w);
        expr_walk(c, k->value, count_reductions, &w);
    }
    for (int i = 0; i < u.prog->nkernels; i++) {
        if (!u.prog->kernels[i]->nest) continue;
        prog_reads(c, u.prog->kernels[i], in_nest, &w);
        in_nest(u.prog->kernels[i]->out, &w);
    }
    u.prog = widened(&w, u.prog);
    scratch_release(c, m);
    return u;
}
