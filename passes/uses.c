/* Who reads and writes which buffer, and what the loop passes share: programs without dead kernels, rewritten
 * statements.
 *
 * A kernel is dead when it writes a temporary that no later kernel reads. Kernels run in order and a buffer is written
 * before it is read, so one sweep from the back finds all of them. */
#include "passes.h"

static int ids_end(const Prog *p)
{
    int end = 0;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= end) end = p->bufs[i]->id + 1;
    return end;
}

static void count_reader(const Buf *b, void *arg)
{
    Uses *u = arg;
    if (b->kind != BUF_LOCAL) u->readers[b->id]++;
}

Uses prog_uses(Ctx *c, const Prog *p)
{
    Uses u = {.n = ids_end(p)};
    u.readers = SCRATCH_N(c, int, u.n + 1);
    u.writers = SCRATCH_N(c, int, u.n + 1);
    u.writer = SCRATCH_N(c, int, u.n + 1);
    for (int i = 0; i < u.n; i++) u.writer[i] = -1;
    for (int i = 0; i < p->nkernels; i++) {
        prog_reads(c, p->kernels[i], count_reader, &u);
        u.writers[p->kernels[i]->out->id]++;
        u.writer[p->kernels[i]->out->id] = i;
        for (int j = 0; j < p->kernels[i]->nheld; j++) {
            u.writers[p->kernels[i]->held[j]->id]++;
            u.writer[p->kernels[i]->held[j]->id] = i;
        }
    }
    return u;
}

static void mark_read(const Buf *b, void *arg)
{
    bool *live = arg;
    if (b->kind != BUF_LOCAL) live[b->id] = true;
}

Prog *prog_with(Ctx *c, const Prog *p, int nkernels, const Kernel *const *kernels)
{
    Mark m = scratch_mark(c);
    bool *live = SCRATCH_N(c, bool, ids_end(p) + 1);
    bool *keep = SCRATCH_N(c, bool, nkernels + 1);
    int kept = 0;
    for (int i = nkernels; i-- > 0;) {
        const Kernel *k = kernels[i];
        keep[i] = k->out->kind != BUF_TEMP || live[k->out->id];
        if (!keep[i]) continue;
        live[k->out->id] = true;
        prog_reads(c, k, mark_read, live);
        kept++;
    }
    Prog *q = mem_copy(c, p, sizeof *p);
    const Kernel **list = NEW_N(c, const Kernel *, kept);
    q->kernels = list;
    q->nkernels = 0;
    for (int i = 0; i < nkernels; i++)
        if (keep[i]) list[q->nkernels++] = kernels[i];
    q->bufs = NEW_N(c, Buf *, p->nbufs);
    q->nbufs = 0;
    for (int i = 0; i < p->nbufs; i++) {
        Buf *b = p->bufs[i];
        if (b->kind == BUF_IN || b->kind == BUF_OUT || live[b->id]) q->bufs[q->nbufs++] = b;
    }
    scratch_release(c, m);
    return q;
}

Prog *prog_more(Ctx *c, const Prog *p, const Bufs *more, int nkernels, const Kernel *const *kernels)
{
    Prog q = *p;
    q.nbufs += more->n;
    q.bufs = NEW_N(c, Buf *, q.nbufs);
    memcpy(q.bufs, p->bufs, sizeof *q.bufs * (size_t)p->nbufs);
    if (more->n) memcpy(q.bufs + p->nbufs, more->at, sizeof *q.bufs * (size_t)more->n);
    return prog_with(c, &q, nkernels, kernels);
}

static const Idx *const *rewrite_at(Ctx *c, const Idx *const *at, int rank, const Rewrite *r)
{
    const Idx **to = NEW_N(c, const Idx *, rank);
    for (int i = 0; i < rank; i++) to[i] = r->subst ? idx_subst(c, at[i], r->subst) : at[i];
    return to;
}

const Stmt *stmt_rewrite(Ctx *c, const Stmt *s, const Rewrite *r,
                         const Idx *const *(*store)(Ctx *, const Buf **b, const Idx *const *at, void *arg))
{
    switch (s->kind) {
    case S_SEQ: {
        const Stmt **body = NEW_N(c, const Stmt *, s->n);
        for (int i = 0; i < s->n; i++) body[i] = stmt_rewrite(c, s->body[i], r, store);
        return stmt_seq(c, s->n, body);
    }
    case S_FOR: {
        const Stmt *body = stmt_rewrite(c, s->body[0], r, store);
        return stmt_again(c, s, &body);
    }
    case S_IF:
        return stmt_if(c, expr_rewrite(c, s->cond, r), stmt_rewrite(c, s->body[0], r, store),
                       s->n > 1 ? stmt_rewrite(c, s->body[1], r, store) : NULL);
    case S_STORE: {
        const Buf *b = s->buf;
        const Idx *const *at = rewrite_at(c, s->at, b->rank, r);
        if (store) at = store(c, &b, at, r->arg);
        return stmt_store(c, b, at, expr_rewrite(c, s->value, r));
    }
    case S_COPY: {
        const Buf *b = s->buf, *src = s->src;
        const Idx *const *at = rewrite_at(c, s->at, b->rank, r), *const *from = rewrite_at(c, s->src_at, src->rank, r);
        if (store) {
            at = store(c, &b, at, r->arg);
            from = store(c, &src, from, r->arg);
        }
        return stmt_copy(c, b, at, src, from, s->run);
    }
    case S_LOCAL:
        break;
    }
    return s;
}
