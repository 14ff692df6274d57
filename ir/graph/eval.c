/* Evaluation at compile time: a node is lowered like any other, its known inputs being constants, and the kernels
 * are interpreted. So an operator's meaning is written once. What is refused, is refused before anything runs: an
 * unknown value that is read, a function that machines differ in, too many bytes or steps. */
#include "build.h"

enum { TEMPS = 16, STEPS = 64, MOST_STEPS = 50 * 1000 * 1000 };      /* for each byte that may be made */

typedef struct Verdict { bool unknown, inexact; } Verdict;

static void see_buf(const Buf *b, void *arg)
{
    ((Verdict *)arg)->unknown |= b->kind == BUF_IN;
}

static void see_expr(const Expr *e, void *arg)
{
    ((Verdict *)arg)->inexact |= e->kind == E_OP && !op_exact(e->op, e->args[0]->dt);
}

static bool may_run(Ctx *c, const Lower *l, size_t limit)
{
    Verdict v = {false, false};
    size_t bytes = 0;
    int64_t steps = 0, most = MOST_STEPS;
    if (limit < (size_t)(MOST_STEPS / STEPS))
        most = (int64_t)limit * STEPS;
    for (int i = 0; i < l->bufs.n; i++)
        if (l->bufs.at[i]->kind == BUF_TEMP && (bytes += buf_bytes(l->bufs.at[i])) / TEMPS > limit)
            return false;
    for (int i = 0; i < l->kernels.n; i++) {
        const Kernel *k = l->kernels.at[i];
        prog_reads(c, k, see_buf, &v);
        kernel_walk(c, k, see_expr, &v);
        steps += kernel_ops(c, k);
        if (v.unknown || v.inexact || steps > most)
            return false;
    }
    return true;
}

static void run(Ctx *c, Lower *l, const Node *n, Buf *const *out, const Tensor **result)
{
    Mark mark = scratch_mark(c);
    for (int k = 0; k < n->nout; k++)
        if (out[k])
            VEC_PUSH(c, l->bufs, out[k]);
    void **data = SCRATCH_N(c, void *, l->bufs.n);
    int at = l->bufs.n;
    for (int k = n->nout; k-- > 0;) {
        result[k] = NULL;
        if (!out[k])
            continue;
        Tensor *t = tensor_new(c, n->out[k]->type);
        data[--at] = (void *)t->data;
        result[k] = t;
    }
    Prog p = {.name = n->sig->name, .nbufs = l->bufs.n, .bufs = l->bufs.at,
              .nkernels = l->kernels.n, .kernels = l->kernels.at};
    prog_run(c, &p, data, true);
    scratch_release(c, mark);
}

/* ---- formulas: values that need no memory -------------------------------------------------------------------------- */

typedef struct Sources { const Node *node; const Buf *const *bufs; } Sources;

/* An input that has a formula is read through; what has none stays a load, which no formula has. */
static const Expr *read_formula(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Sources *s = arg;
    for (int k = 0; k < s->node->nin; k++)
        if (s->bufs[k] == b && s->node->in[k]->formula) {
            Subst to = {b->rank, idx_positions, at};
            return expr_subst(c, s->node->in[k]->formula, &to);
        }
    return NULL;
}

static bool needs_no_memory(const Expr *e)
{
    bool good = e->kind == E_CONST || e->kind == E_SELECT || (e->kind == E_CAST && e->args[0]->kind == E_INDEX) ||
                ((e->kind == E_INDEX || e->kind == E_IN) && idx_cost(e->at[0]) == 0 && !e->at[0]->values);
    for (int i = 0; good && i < e->n; i++)
        good = needs_no_memory(e->args[i]);
    return good;
}

static const Expr *formula_of(Ctx *c, const Lower *l, const Node *n, const Buf *const *in)
{
    const Kernel *k = l->kernels.n == 1 ? l->kernels.at[0] : NULL;
    if (!k || k->nest || n->nout != 1 || l->complex || type_count(n->out[0]->type) < 2)
        return NULL;
    for (int i = 0; i < k->out->rank; i++)
        if (k->rank != k->out->rank || k->at[i] != idx_var(c, i, k->out->dims[i]))
            return NULL;
    Sources s = {n, in};
    Rewrite r = {.load = read_formula, .arg = &s};
    const Expr *e = expr_rewrite(c, k->value, &r);
    return e->size <= FORMULA_SIZE && needs_no_memory(e) ? e : NULL;
}

static const Tensor *value_of(const PtrMap *known, const Edge *e)
{
    return e->data || !known ? e->data : ptrmap_get(known, e);
}

static bool eval(Build *b, const PtrMap *known, const Node *n, size_t limit, const Tensor **out);

static bool eval_body(Build *b, const PtrMap *outer, const Node *n, size_t limit, const Tensor **out)
{
    Ctx *c = b->c;
    Mark mark = scratch_mark(c);
    PtrMap known = {0};
    bool all = true;
    for (int k = 0; k < n->nin; k++)
        if (n->in[k] && value_of(outer, n->in[k]))
            ptrmap_put(c, &known, n->in[k], (void *)value_of(outer, n->in[k]));
    for (int i = 0; i < n->nbody; i++) {
        const Node *r = n->body[i];
        const Tensor **values = NEW_N(c, const Tensor *, r->nout);
        if (!eval(b, &known, r, limit, values))
            continue;                /* perhaps only its type is read */
        for (int k = 0; k < r->nout; k++)
            if (r->out[k])
                ptrmap_put(c, &known, r->out[k], (void *)values[k]);
    }
    for (int k = 0; k < n->nout; k++) {
        out[k] = n->out[k] ? value_of(&known, n->result[k]) : NULL;
        all &= !n->out[k] || out[k];
    }
    scratch_release(c, mark);
    return all;
}

static const Buf *input_buf(Lower *l, const Edge *e, const Tensor *value)
{
    if (value)
        return lower_const(l, e->name, value);
    return e ? edge_buf(l->c, BUF_IN, e->name, e->type) : NULL;      /* its type is read, or all is given up */
}

static bool eval(Build *b, const PtrMap *known, const Node *n, size_t limit, const Tensor **out)
{
    Ctx *c = b->c;
    size_t bytes = 0;
    if (n->result)
        return eval_body(b, known, n, limit, out);
    for (int k = 0; k < n->nin; k++)
        if (n->in[k] && !value_of(known, n->in[k]) && !sig_param(n->sig->in, n->sig->nin, k)->type_only)
            return false;
    for (int k = 0; k < n->nout; k++) {
        size_t more = n->out[k] ? type_bytes(n->out[k]->type) : 0;
        if (more > limit || (bytes += more) > limit)
            return false;
    }
    Lower l = {.c = c};
    const Buf **in = NEW_N(c, const Buf *, n->nin);
    Buf **bufs = NEW_N(c, Buf *, n->nout);
    for (int k = 0; k < n->nin; k++)
        in[k] = input_buf(&l, n->in[k], n->in[k] ? value_of(known, n->in[k]) : NULL);
    for (int k = 0; k < n->nout; k++)
        bufs[k] = n->out[k] ? edge_buf(c, BUF_OUT, n->out[k]->name, n->out[k]->type) : NULL;
    node_lower(b, n, in, bufs, &l);
    if (!may_run(c, &l, limit))
        return false;
    run(c, &l, n, bufs, out);
    if (n->nout == 1)
        n->out[0]->formula = formula_of(c, &l, n, in);
    return true;
}

bool node_eval(Build *b, const Node *n, size_t limit, const Tensor **out)
{
    return eval(b, NULL, n, limit, out);
}
