/* The proof of programs: kernels in order, statements, buffers. What an expression needs is proved in loop_prove.c.
 *
 * A kernel in compute form stores each element at most once; in general that is not proved. Checked is what costs
 * nothing: each loop variable occurs in the subscripts of the store, and the buffer itself is read only at the place
 * that is written. */
#include "loop_check.h"

void check_fail(Checker *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = vinternf(x->c, fmt, args);
    va_end(args);
    ice(x->c, "kernel %s: %s", x->kernel->what, text);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void check_writable(Checker *x, const Buf *b)
{
    if (b->kind == BUF_IN || b->kind == BUF_CONST)
        check_fail(x, "%s is stored into, but is %s", b->name, b->kind == BUF_IN ? "an input" : "a constant");
    if (b->kind != BUF_LOCAL && !kernel_fills(x->kernel, b))
        check_fail(x, "%s is stored into, but the kernel fills %s", b->name, x->kernel->out->name);
}

/* A run over consecutive elements: from a proved start, it ends within the flat buffer. */
static void check_run(Checker *x, const Known *k, const Buf *b, const Idx *const *at, int64_t run, bool write)
{
    prove_access(x, k, b, at, write);
    const Idx *flat = idx_flat(x->c, b->rank, b->dims, at);
    int64_t n = buf_count(b);
    if (flat->lo < 0 || flat->hi > n - run)
        check_fail(x, "a run of %lld elements starts at element %lld..%lld of %s, which has %lld", (long long)run,
                   (long long)flat->lo, (long long)flat->hi, b->name, (long long)n);
    if (x->visit)
        x->visit(&(Access){ x->kernel, b, write, -1, flat->lo, flat->hi + run - 1, n }, x->arg);
}

/* A computed string goes to the start of a slot, as long as the last dimension says. */
static void check_slot(Checker *x, const Stmt *s)
{
    const Expr *v = s->value;
    const int last = s->buf->rank - 1;
    if (s->buf->dt != DT_U8 || v->kind != E_OP || !op_writes(v->op, v->args[0]->dt) || last < 0 ||
        s->at[last]->n > 0 || s->at[last]->k != 0 || s->buf->dims[last] < 1)
        check_fail(x, "%s holds computed strings, and something else is stored there", s->buf->name);
}

static void check_stmt(Checker *x, const Known *k, const Stmt *s)
{
    switch (s->kind) {
    case S_SEQ:
        for (int i = 0; i < s->n; i++) {
            if (s->body[i]->kind == S_LOCAL)
                k = known_local(x, k, s->body[i]->buf);
            check_stmt(x, k, s->body[i]);
        }
        break;
    case S_FOR:
        check_stmt(x, known_loop(x, k, s->var, s->extent), s->body[0]);
        break;
    case S_IF:
        prove_expr(x, k, s->cond);
        check_stmt(x, known_cond(x, k, s->cond), s->body[0]);
        if (s->n > 1)
            check_stmt(x, k, s->body[1]);
        break;
    case S_STORE:
        check_writable(x, s->buf);
        if (s->buf->text)
            check_slot(x, s);
        else
            prove_expr(x, k, s->value);
        for (int i = 0; s->buf->text && i < s->value->n; i++)
            prove_expr(x, k, s->value->args[i]);
        prove_access(x, k, s->buf, s->at, true);
        break;
    case S_LOCAL:
        if (s->buf->kind != BUF_LOCAL)
            check_fail(x, "buffer %s is declared as a local one, but is none", s->buf->name);
        break;
    case S_COPY:
        check_writable(x, s->buf);
        check_run(x, k, s->buf, s->at, s->run, true);
        check_run(x, k, s->src, s->src_at, s->run, false);
        break;
    }
}

/* ---- compute form ------------------------------------------------------------------------------------------------ */

static void check_own(const Expr *e, void *arg)
{
    Checker *x = arg;
    const Kernel *k = x->kernel;
    if (e->kind != E_LOAD || e->buf != k->out)
        return;
    for (int i = 0; i < k->out->rank; i++)
        if (e->at[i] != k->at[i])
            check_fail(x, "%s is read at another place than it is written", k->out->name);
}

static void check_compute(Checker *x, const Known *known)
{
    const Kernel *k = x->kernel;
    if (k->value->dt != k->out->dt)
        check_fail(x, "a value of type %s is stored into %s of type %s", dtype_name(k->value->dt), k->out->name,
                   dtype_name(k->out->dt));
    for (int i = 0; i < k->rank; i++)
        if (k->dims[i] == 0)
            return;                  /* never runs */
    for (int i = 0; i < k->rank; i++) {
        bool used = k->dims[i] == 1;
        for (int j = 0; j < k->out->rank; j++)
            used |= idx_uses(k->at[j], i);
        if (!used)
            check_fail(x, "elements of %s are stored more than once: i%d does not occur in its subscripts",
                       k->out->name, i);
        known = known_loop(x, known, i, k->dims[i]);
    }
    check_writable(x, k->out);
    expr_walk(x->c, k->value, check_own, x);
    prove_expr(x, known, k->value);
    prove_access(x, known, k->out, k->at, true);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void check_kernel(Checker *x, const Kernel *k)
{
    Mark m = scratch_mark(x->c);
    x->kernel = k;
    x->done = memo_new(x->c, k->value ? k->value->size : 64);
    x->assumes = memo_new(x->c, k->value ? k->value->size : 64);
    const Known *root = known_local(x, NULL, NULL);
    if (k->nest)
        check_stmt(x, root, k->nest);
    else
        check_compute(x, root);
    scratch_release(x->c, m);
}

typedef struct Order { Checker *x; Memo *written; } Order;

static void check_read(const Buf *b, void *arg)
{
    const Order *o = arg;
    bool own = kernel_fills(o->x->kernel, b) && o->x->kernel->nest;
    if (b->kind != BUF_IN && b->kind != BUF_CONST && !own && buf_count(b) > 0 && !memo_get(o->written, b->id))
        check_fail(o->x, "%s is read before it is written", b->name);
}

static Checker checker_new(Ctx *c, const Prog *p)
{
    Checker x = { .c = c, .buf_known = memo_new(c, p->nbufs) };
    for (int i = 0; i < p->nbufs; i++)
        memo_put(c, &x.buf_known, p->bufs[i]->id, p->bufs[i]);
    return x;
}

void prog_check(Ctx *c, const Prog *p)
{
    Mark m = scratch_mark(c);
    Checker x = checker_new(c, p);
    Memo written = memo_new(c, p->nbufs);
    for (int i = 0; i < p->nkernels; i++) {
        x.kernel = p->kernels[i];
        prog_reads(c, x.kernel, check_read, &(Order){ &x, &written });
        check_kernel(&x, x.kernel);
        memo_put(c, &written, x.kernel->out->id, x.kernel);
    }
    for (int i = 0; i < p->nouts; i++)
        if (p->outs[i]->kind == BUF_OUT && buf_count(p->outs[i]) > 0 && !memo_get(&written, p->outs[i]->id))
            ice(c, "output %s is never written", p->outs[i]->name);
    scratch_release(c, m);
}

void prog_accesses(Ctx *c, const Prog *p, void (*visit)(const Access *, void *), void *arg)
{
    Mark m = scratch_mark(c);
    Checker x = checker_new(c, p);
    x.visit = visit;
    x.arg = arg;
    for (int i = 0; i < p->nkernels; i++)
        check_kernel(&x, p->kernels[i]);
    scratch_release(c, m);
}
