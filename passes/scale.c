/* scale: what a sum of products is multiplied by moves into its weights, and what is added to it becomes one constant.
 *
 * sum(x · w) · s + b, with constants w, s and b, is sum(x · (w · s)) + b: batch normalisation behind a convolution
 * costs one sum an element. The new constants are computed in double and rounded once; sums round otherwise than
 * before. Only with --fast-math. Requires: fuse (what scales is then in the kernel of the sum). Breaks: nothing. */
#include "passes.h"

static const int64_t TABLE_MOST = 1 << 16;   /* elements of a constant that is made of two */

typedef struct Scaling {
    Ctx *c;
    const Kernel *k;
    Uses uses;
    PtrMap used, shared;             /* nodes: arguments of some node; of several */
    Bufs made;
    const Buf *weights, *scaled;     /* of the sum that is rewritten; what stands in for them */
    int loads;                       /* of weights, in the kernel */
} Scaling;

/* ---- constants ----------------------------------------------------------------------------------------------- */

static bool is_constant(const Kernel *k, const Expr *e)
{
    if (e->dt != DT_F32) return false;
    if (e->kind == E_OP && (e->op == OP_mul || e->op == OP_add))
        return is_constant(k, e->args[0]) && is_constant(k, e->args[1]);
    if (e->kind != E_LOAD) return e->kind == E_CONST;
    if (e->buf->kind != BUF_CONST || e->buf->dt != DT_F32 || !e->buf->data) return false;
    for (int d = 0; d < e->buf->rank; d++) {
        if (e->at[d]->values) return false;
        for (int i = 0; i < e->at[d]->n; i++)
            if (e->at[d]->t[i].atom->kind != ATOM_VAR || e->at[d]->t[i].atom->var >= k->rank) return false;
    }
    return true;
}

static bool knows(const Expr *e, int var)
{
    bool known = false;
    for (int i = 0; e->kind == E_OP && i < e->n; i++) known |= knows(e->args[i], var);
    for (int d = 0; e->kind == E_LOAD && d < e->buf->rank; d++) known |= idx_uses(e->at[d], var);
    return known;
}

static double value_at(const Expr *e, const int64_t *env)
{
    if (e->kind == E_CONST) return (double)e->value.f;
    if (e->kind == E_OP) {
        const double a = value_at(e->args[0], env), b = value_at(e->args[1], env);
        return e->op == OP_mul ? a * b : a + b;
    }
    int64_t at = 0;
    for (int d = 0; d < e->buf->rank; d++) at = at * e->buf->dims[d] + idx_eval(e->at[d], env, NULL, NULL);
    return tensor_at_double(e->buf->data, at);
}

static const Buf *added(Scaling *s, const char *name, int rank, const int64_t *dims, Tensor *data)
{
    Buf *b = buf_new(s->c, BUF_CONST, name, DT_F32, rank, dims);
    b->data = data;
    VEC_PUSH(s->c, s->made, b);
    return b;
}

/* The constant e as one load; NULL: it would be too large. */
static const Expr *table_of(Scaling *s, const Expr *e)
{
    const Kernel *k = s->k;
    int64_t dims[MAX_RANK], *env = SCRATCH_N(s->c, int64_t, var_count(s->c) + 1), n = 1;
    const Idx *at[MAX_RANK];
    int rank = 0, vars[MAX_RANK];
    for (int v = 0; v < k->rank; v++) {
        if (!knows(e, v)) continue;
        at[rank] = idx_var(s->c, v, k->dims[v]), dims[rank] = k->dims[v], vars[rank++] = v;
        if ((n *= k->dims[v]) > TABLE_MOST) return NULL;
    }
    if (rank == 0) return expr_float(s->c, DT_F32, value_at(e, env));
    Tensor *t = tensor_new(s->c, type_make(s->c, DT_F32, rank, dims));
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        for (int d = rank; d-- > 0; rest /= dims[d]) env[vars[d]] = rest % dims[d];
        ((float *)t->data)[i] = (float)value_at(e, env);
    }
    return expr_load(s->c, added(s, internf(s->c, "%s/added", k->out->name), rank, dims, t), at);
}

/* ---- sums ---------------------------------------------------------------------------------------------------- */

static bool used_once(const Scaling *s, const Expr *e)
{
    return ptrmap_get(&s->used, e) && !ptrmap_get(&s->shared, e);
}

/* The load of constant weights in a sum of products from zero, that no other kernel reads; or NULL. */
static const Expr *weights_of(const Scaling *s, const Expr *sum)
{
    if (sum->kind != E_REDUCE || sum->dt != DT_F32 || sum->reduce->naccs != 1 || !used_once(s, sum)) return NULL;
    const Expr *init = sum->reduce->init[0], *next = sum->reduce->next[0];
    if (init->kind != E_CONST || init->value.u != 0) return NULL;
    if (next->kind != E_OP || next->op != OP_mad || next->args[2]->kind != E_ACC) return NULL;
    for (int i = 0; i < 2; i++) {
        const Expr *w = next->args[i];
        if (w->kind != E_LOAD || w->buf->kind != BUF_CONST || w->dt != DT_F32 || w->buf->dt != DT_F32) continue;
        if (w->buf->data && s->uses.readers[w->buf->id] == 1) return w;
    }
    return NULL;
}

/* The dimension of the weights whose subscript is var; -1: none, or var is elsewhere too. */
static int dim_of(const Expr *w, int var)
{
    int dim = -1;
    for (int d = 0; d < w->buf->rank; d++) {
        const Idx *x = w->at[d];
        if (!idx_uses(x, var)) continue;
        const bool bare = !x->values && x->n == 1 && x->k == 0 && x->t[0].c == 1 && x->t[0].atom->kind == ATOM_VAR;
        if (dim >= 0 || !bare) return -1;
        dim = d;
    }
    return dim;
}

static void count_loads(const Expr *e, void *arg)
{
    Scaling *s = arg;
    s->loads += e->kind == E_LOAD && e->buf == s->weights;
}

static const Expr *load_scaled(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Scaling *s = arg;
    return b == s->weights ? expr_load(c, s->scaled, at) : NULL;
}

/* sum · by, NULL: not so. */
static const Expr *scaled(Scaling *s, const Expr *sum, const Expr *by)
{
    const Expr *w = weights_of(s, sum);
    int dim[MAX_RANK] = {0};
    if (!w) return NULL;
    for (int v = 0; v < s->k->rank; v++) {
        dim[v] = knows(by, v) ? dim_of(w, v) : -1;
        if (knows(by, v) && (dim[v] < 0 || w->buf->dims[dim[v]] > s->k->dims[v])) return NULL;
    }
    s->weights = w->buf, s->loads = 0;
    expr_walk(s->c, s->k->value, count_loads, s);
    if (s->loads != 1) return NULL;
    int64_t *env = SCRATCH_N(s->c, int64_t, var_count(s->c) + 1), at[MAX_RANK];
    Tensor *t = tensor_new(s->c, type_make(s->c, DT_F32, w->buf->rank, w->buf->dims));
    for (int64_t i = 0, n = buf_count(w->buf); i < n; i++) {
        int64_t rest = i;
        for (int d = w->buf->rank; d-- > 0; rest /= w->buf->dims[d]) at[d] = rest % w->buf->dims[d];
        for (int v = 0; v < s->k->rank; v++) env[v] = dim[v] >= 0 ? at[dim[v]] : 0;
        const float to = (float)(tensor_at_double(w->buf->data, i) * value_at(by, env));
        if (!isfinite(to)) return NULL;
        ((float *)t->data)[i] = to;
    }
    s->scaled = added(s, w->buf->name, w->buf->rank, w->buf->dims, t);
    return expr_rewrite(s->c, sum, &(Rewrite){.load = load_scaled, .arg = s});
}

/* ---- the pass ------------------------------------------------------------------------------------------------ */

static void count_uses(const Expr *e, void *arg)
{
    Scaling *s = arg;
    for (int i = 0; i < e->n; i++)
        ptrmap_put(s->c, ptrmap_get(&s->used, e->args[i]) ? &s->shared : &s->used, e->args[i], (void *)(uintptr_t)e);
}

static const Expr *once(Scaling *s, const Expr *e)
{
    ptrmap_put(s->c, &s->used, e, (void *)(uintptr_t)e);
    return e;
}

static const Expr *as_scaled(Ctx *c, const Expr *e, void *arg)
{
    Scaling *s = arg;
    if (e->kind != E_OP || e->dt != DT_F32 || (e->op != OP_mul && e->op != OP_add)) return NULL;
    const int second = is_constant(s->k, e->args[1]);
    const Expr *x = e->args[!second], *by = e->args[second];
    if (!is_constant(s->k, by)) return NULL;
    const bool sum = x->kind == E_OP && x->op == OP_add && used_once(s, x);
    const int last = sum && is_constant(s->k, x->args[1]);
    if (e->op == OP_mul && x->kind == E_REDUCE) {
        const Expr *to = scaled(s, x, by);
        return to ? once(s, to) : NULL;
    }
    if (!sum || x->args[!last]->kind != E_REDUCE || !is_constant(s->k, x->args[last])) return NULL;
    const Expr *of = e->op == OP_mul ? scaled(s, x->args[!last], by) : x->args[!last];
    const Expr *more = of ? table_of(s, expr_op2(c, e->op, x->args[last], by)) : NULL;
    return more ? once(s, expr_op2(c, OP_add, once(s, of), more)) : NULL;
}

Unit pass_scale(Ctx *c, Unit u)
{
    if (!u.fast_math) return u;
    Mark m = scratch_mark(c);
    Scaling s = {.c = c, .uses = prog_uses(c, u.prog)};
    const Kernel **out = NEW_N(c, const Kernel *, u.prog->nkernels);
    for (int i = 0; i < u.prog->nkernels; i++) {
        Kernel *k = mem_copy(c, u.prog->kernels[i], sizeof *k);
        out[i] = k;
        if (k->nest) continue;
        s.k = k, s.used = s.shared = (PtrMap){0};
        expr_walk(c, k->value, count_uses, &s);
        k->value = expr_rewrite(c, k->value, &(Rewrite){.node = as_scaled, .arg = &s});
    }
    u.prog = prog_more(c, u.prog, &s.made, u.prog->nkernels, out);
    scratch_release(c, m);
    return u;
}
