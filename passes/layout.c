/* layout: which dimension of a temporary lies innermost.
 *
 * A kernel that sums products is fastest where one of its variables, the lane, runs along consecutive elements of all
 * that it touches: best one of which its run-time operand does not know (the filters of a convolution), so that
 * constants alone have to be put in its order. Each such kernel votes, with as many votes as it has operations, for
 * the dimension of the lane in what it writes and in what it reads along it, and for that of what it sums in its
 * other operand. Buffers that kernels pass through in the same orientation are one class and get one layout, so
 * chains of convolutions lie channels last without a conversion in between. Inputs and outputs of the graph, and
 * operands that lost the vote, are copied where that is little beside the kernel's work.
 *
 * Requires: fuse (compute form). Breaks: nothing; a kernel's variables are in the order of what it writes. */
#include "layout.h"
#include "rename.h"

enum { COPY_PAYS = 8 };              /* operations for each element that is copied */

typedef struct Layouts {
    Ctx *c;
    Uses uses;
    int n;                           /* of buffer ids */
    int *up;                         /* union-find, by buffer id */
    double (*votes)[MAX_RANK];       /* at the root of a class: for each dimension to be the last */
    bool *fixed;
} Layouts;

static int root(Layouts *l, int b)
{
    while (l->up[b] != b) b = l->up[b] = l->up[l->up[b]];
    return b;
}

static bool movable(const Buf *b)
{
    return b->kind == BUF_TEMP && b->rank > 1 && !b->text && dtype_bits(b->dt) >= 8;
}

/* ---- classes ------------------------------------------------------------------------------------------------- */

static void fix(const Buf *b, void *arg)
{
    Layouts *l = arg;
    if (b->id < l->n) l->fixed[b->id] = true;
}

typedef struct Orientation { Layouts *l; const Kernel *k; } Orientation;

/* Whether no dimension of the load is along another one of the kernel's result. */
static bool same_way(const Kernel *k, const Expr *e)
{
    if (e->buf->rank != k->out->rank) return false;
    for (int d = 0; d < k->out->rank; d++)
        for (int v = 0; v < k->rank; v++)
            if (k->dims[v] > 1 && idx_uses(e->at[d], v) && !idx_uses(k->at[d], v)) return false;
    return true;
}

static void tie(const Expr *e, void *arg)
{
    Orientation *o = arg;
    if (e->kind != E_LOAD || !movable(e->buf) || !same_way(o->k, e)) return;
    const int a = root(o->l, e->buf->id), b = root(o->l, o->k->out->id);
    if (a != b) o->l->up[a < b ? b : a] = a < b ? a : b;
}

static void vote(Layouts *l, const Prog *p)
{
    for (int i = 0; i < p->nkernels; i++) {
        Wishes w;
        if (!contraction_of(l->c, p->kernels[i], &w)) continue;
        for (int k = 0; k < w.n; k++)
            if (movable(w.of[k].buf) && w.of[k].last >= 0)
                l->votes[root(l, w.of[k].buf->id)][w.of[k].last] += w.of[k].weight;
    }
}

/* ---- the order of dimensions --------------------------------------------------------------------------------- */

/* By buffer id: dimension d of the new one is dim[d] of the old. */
typedef struct Orders { int (*dim)[MAX_RANK]; } Orders;

static const Idx *const *reordered(Ctx *c, const Buf *from, const Idx *const *at, const Buf *to, void *arg)
{
    const Orders *o = arg;
    const Idx **place = NEW_N(c, const Idx *, to->rank);
    for (int d = 0; d < to->rank; d++) place[d] = at[o->dim[from->id][d]];
    return place;
}

static int chosen(Layouts *l, const Buf *b)
{
    const double *votes = l->votes[root(l, b->id)];
    int best = b->rank - 1;
    for (int d = 0; d < b->rank; d++)
        if (votes[d] > votes[best]) best = d;
    return best;
}

static Buf *with_last(Ctx *c, const Buf *b, int last, int *dim)
{
    int64_t dims[MAX_RANK];
    int n = 0;
    for (int d = 0; d < b->rank; d++)
        if (d != last) dim[n++] = d;
    dim[n] = last;
    for (int d = 0; d < b->rank; d++) dims[d] = b->dims[dim[d]];
    return buf_new(c, BUF_TEMP, b->name, b->dt, b->rank, dims);
}

/* The kernel with its variables in the order in which they occur in what it writes. */
static const Kernel *in_order(Ctx *c, const Kernel *k)
{
    int order[MAX_RANK], n = 0;
    bool done[MAX_RANK] = {false}, same = true;
    int64_t dims[MAX_RANK];
    const Idx *to[MAX_RANK];
    if (k->nest) return k;
    for (int d = 0; d < k->out->rank; d++)
        for (int v = 0; v < k->rank; v++)
            if (!done[v] && k->dims[v] > 1 && idx_uses(k->at[d], v)) done[v] = true, order[n++] = v;
    if (n < k->rank)
        for (int v = 0; v < k->rank; v++)
            if (!done[v]) order[n++] = v;
    int before = -1;
    for (int i = 0; i < n; i++) {
        if (k->dims[order[i]] > 1) same &= order[i] > before, before = order[i];
        dims[i] = k->dims[order[i]];
        to[order[i]] = idx_var(c, i, dims[i]);
    }
    if (same) return k;
    Subst by = {k->rank, idx_positions, to};
    Kernel *x = mem_copy(c, k, sizeof *k);
    const Idx **at = NEW_N(c, const Idx *, k->out->rank);
    for (int d = 0; d < k->out->rank; d++) at[d] = idx_subst(c, k->at[d], &by);
    x->at = at;
    x->value = expr_subst(c, k->value, &by);
    x->dims = mem_copy(c, dims, sizeof *dims * (size_t)k->rank);
    return x;
}

static Prog *ordered(Ctx *c, const Prog *p)
{
    Mark m = scratch_mark(c);
    Layouts l = {.c = c, .uses = prog_uses(c, p)};
    l.n = l.uses.n;
    l.up = SCRATCH_N(c, int, l.n + 1);
    l.fixed = SCRATCH_N(c, bool, l.n + 1);
    l.votes = scratch_alloc(c, sizeof *l.votes * (size_t)(l.n + 1));
    for (int i = 0; i < l.n; i++) l.up[i] = i;
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        if (k->nest) {
            prog_reads(c, k, fix, &l);
            fix(k->out, &l);
        } else if (movable(k->out)) {
            expr_walk(c, k->value, tie, &(Orientation){&l, k});
        }
    }
    vote(&l, p);
    Orders o = {scratch_alloc(c, sizeof *o.dim * (size_t)(l.n + 1))};
    Rename r = {SCRATCH_N(c, const Buf *, l.n + 1), l.n, reordered, &o};
    bool any = false;
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        if (!movable(b) || l.fixed[b->id] || chosen(&l, b) == b->rank - 1) continue;
        r.to[b->id] = with_last(c, b, chosen(&l, b), o.dim[b->id]);
        any = true;
    }
    Prog *q = any ? prog_rename(c, p, &r) : mem_copy(c, p, sizeof *p);
    scratch_release(c, m);
    if (!any) return q;
    for (int i = 0; i < q->nkernels; i++) q->kernels[i] = in_order(c, q->kernels[i]);
    return q;
}

/* ---- copies -------------------------------------------------------------------------------------------------- */

typedef struct Copies {
    Ctx *c;
    VEC(const Kernel *) kernels;
    Bufs bufs;
} Copies;

typedef struct One { const Buf *from, *to; int dim[MAX_RANK]; } One;

static const Expr *load_one(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const One *o = arg;
    if (b != o->from) return NULL;
    const Idx *place[MAX_RANK];
    for (int d = 0; d < b->rank; d++) place[d] = at[o->dim[d]];
    return expr_load(c, o->to, place);
}

static Kernel *copy_kernel(Ctx *c, const Kernel *k, const Buf *from, const Buf *to, const int *dim)
{
    const Idx *at[MAX_RANK];
    for (int d = 0; d < to->rank; d++) at[dim[d]] = idx_var(c, d, to->dims[d]);
    return kernel_compute(c, internf(c, "Copy %s", from->name), k->loc, to, expr_load(c, from, at));
}

/* k reads what w says from a copy whose last dimension is the one that it likes. */
static const Kernel *read_copy(Copies *s, const Kernel *k, const Wish *w)
{
    One o = {w->buf, NULL, {0}};
    Buf *to = with_last(s->c, w->buf, w->last, o.dim);
    o.to = to;
    VEC_PUSH(s->c, s->bufs, to);
    VEC_PUSH(s->c, s->kernels, copy_kernel(s->c, k, w->buf, to, o.dim));
    Kernel *x = mem_copy(s->c, k, sizeof *k);
    x->value = expr_rewrite(s->c, k->value, &(Rewrite){.load = load_one, .arg = &o});
    return x;
}

/* What k writes, where that is a box, which begins at first[d] of dimension d; NULL: it is not. A buffer may have
 * several writers, as a Concat has: the rest is theirs. */
static const Buf *box_of(Ctx *c, const Kernel *k, int64_t *first)
{
    int64_t all = 1, written = 1;
    int64_t *dims = NEW_N(c, int64_t, k->out->rank);
    for (int v = 0; v < k->rank; v++) written *= k->dims[v];
    for (int d = 0; d < k->out->rank; d++) {
        first[d] = k->at[d]->lo;
        dims[d] = k->at[d]->hi - first[d] + 1;
        all *= dims[d];
    }
    Buf *box = mem_copy(c, k->out, sizeof *k->out);
    box->dims = dims;
    return all == written ? box : NULL;
}

/* k writes a temporary; what it wrote is a copy of that. */
static bool write_copy(Copies *s, const Kernel *k, const Wish *w)
{
    int dim[MAX_RANK], back[MAX_RANK];
    int64_t first[MAX_RANK];
    const Buf *box = box_of(s->c, k, first);
    if (!box) return false;
    Buf *t = with_last(s->c, box, w->last, dim);
    Kernel *x = mem_copy(s->c, k, sizeof *k), *y;
    const Idx **at = NEW_N(s->c, const Idx *, t->rank), **to = NEW_N(s->c, const Idx *, t->rank);
    for (int d = 0; d < t->rank; d++) {
        at[d] = idx_add(s->c, k->at[dim[d]], idx_const(s->c, -first[dim[d]]));
        to[d] = idx_add(s->c, idx_var(s->c, d, box->dims[d]), idx_const(s->c, first[d]));
        back[dim[d]] = d;
    }
    x->out = t;
    x->at = at;
    y = copy_kernel(s->c, k, t, box, back);
    y->out = k->out;
    y->at = to;
    VEC_PUSH(s->c, s->bufs, t);
    VEC_PUSH(s->c, s->kernels, in_order(s->c, x));
    VEC_PUSH(s->c, s->kernels, y);
    return true;
}

static bool pays(const Wish *w)
{
    int inner = w->buf->rank - 1;    /* the innermost of more than one element */
    while (inner > 0 && w->buf->dims[inner] == 1) inner--;
    return w->last >= 0 && w->last < inner && w->weight > COPY_PAYS * (double)buf_count(w->buf) &&
           w->buf->dims[w->last] > 1;
}

/* Copies of operands that are not as their readers like them: of the graph's inputs and outputs, or of temporaries. */
static Prog *copied(Ctx *c, const Prog *p, bool temporaries)
{
    Copies s = {.c = c};
    Mark m = scratch_mark(c);
    for (int i = 0; i < p->nkernels; i++) {
        Wishes w;
        const Kernel *k = p->kernels[i];
        const Wish *out = NULL;
        const bool found = contraction_of(c, k, &w);
        for (int j = 0; found && j < w.n; j++) {
            const Wish *x = &w.of[j];
            if (!pays(x) || x->buf->kind == BUF_CONST || (temporaries && !x->along)) continue;
            if (x->buf != k->out && temporaries == (x->buf->kind == BUF_TEMP)) k = read_copy(&s, k, x);
            if (x->buf == k->out && !temporaries && x->buf->kind == BUF_OUT) out = x;
        }
        if (!out || !write_copy(&s, k, out)) VEC_PUSH(c, s.kernels, k);
    }
    scratch_release(c, m);
    return prog_more(c, p, &s.bufs, s.kernels.n, s.kernels.at);
}

Unit pass_layout(Ctx *c, Unit u)
{
    if (u.target->lanes == 0) return u;
    u.prog = copied(c, ordered(c, copied(c, u.prog, false)), true);
    return u;
}
