/* A program of loops as a diagram: kernels are the boxes, buffers the wires.
 *
 * A buffer that kernels have filled by parts stands in a box of its own where it is next read, so that m writers and n
 * readers make m + n wires. What then writes to it anew begins with that. */
#include "draw.h"

/* Of a buffer: the values of the kernels that wrote parts of it since it was read last. */
typedef struct Holder { VEC(int) values; } Holder;
typedef struct Maker {
    Ctx *c; Diagram *d; const Prog *p;
    Holder *holder; int nholders;    /* by buffer id */
    VEC(const Buf *) reads;          /* of the kernel */
    const Life *life;                /* by buffer id; NULL before places are known */
    const int64_t *offset;
    bool loops;                      /* every kernel is statements: what it moves is known */
} Maker;

bool kernel_moves(Ctx *c, const Kernel *k, bool *alias)
{
    const Expr *e = k->value;
    *alias = false;
    if (k->nest || e->kind != E_LOAD) return false;
    if (buf_count(e->buf) != buf_count(k->out) || k->rank != k->out->rank || buf_count(k->out) == 0) return true;
    for (int i = 0; i < k->rank; i++)
        if (k->dims[i] != k->out->dims[i]) return true;
    *alias = idx_flat(c, e->buf->rank, e->buf->dims, e->at) == idx_flat(c, k->out->rank, k->out->dims, k->at);
    return true;
}

static Type buf_type(const Buf *b)
{
    return (Type){b->dt, b->rank, b->dims};
}

/* ---- who holds what ---------------------------------------------------------------------------------------------- */

static void join_parts(Maker *m, const Buf *b)
{
    Holder *h = &m->holder[b->id];
    if (h->values.n < 2) return;
    box_new(m->c, m->d, BOX_JOIN, "", b->name);
    for (int i = 0; i < h->values.n; i++) box_reads(m->c, m->d, h->values.at[i]);
    h->values.at[0] = box_makes(m->c, m->d, b->name, buf_type(b));
    h->values.n = 1;
    box_end(m->c, m->d);
}

static void note_read(const Buf *b, void *arg)
{
    Maker *m = arg;
    if (b->kind != BUF_LOCAL) VEC_PUSH(m->c, m->reads, b);
}

static void read_buf(Maker *m, const Buf *b)
{
    Holder *h = b->id < m->nholders ? &m->holder[b->id] : NULL;
    if (b->kind == BUF_CONST) box_reads_const(m->c, m->d, b->name, buf_type(b));
    else if (h && h->values.n) box_reads(m->c, m->d, h->values.at[0]);
}

static bool reads_itself(const Maker *m, const Buf *out)
{
    for (int i = 0; i < m->reads.n; i++)
        if (m->reads.at[i] == out) return true;
    return false;
}

/* What the kernel writes over: what it reads last of all, in the place that its output takes. */
static const char *written_over(const Maker *m, const Buf *out, int position)
{
    if (!m->offset || !buf_in_arena(out, m->p->plan) || m->life[out->id].first != position) return NULL;
    for (int i = 0; i < m->reads.n; i++) {
        const Buf *b = m->reads.at[i];
        if (!buf_in_arena(b, m->p->plan) || b == out) continue;
        if (m->life[b->id].last == position && m->offset[b->id] == m->offset[out->id])
            return label_clean(m->c, b->name);
    }
    return NULL;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static int64_t footprint(const Maker *m, const Buf *out)
{
    int64_t bytes = (int64_t)buf_bytes(out);
    for (int i = 0; i < m->reads.n; i++) bytes = bytes_sum(bytes, (int64_t)buf_bytes(m->reads.at[i]));
    return bytes;
}

static void make_kernel(Maker *m, int position)
{
    const Kernel *k = m->p->kernels[position];
    Ctx *c = m->c;
    bool alias;
    const bool moves = kernel_moves(c, k, &alias);
    m->reads.n = 0;
    prog_reads(c, k, note_read, m);
    for (int i = 0; i < m->reads.n; i++)
        if (m->reads.at[i]->id < m->nholders) join_parts(m, m->reads.at[i]);
    box_new(c, m->d, alias ? BOX_ALIAS : moves ? BOX_VIEW : BOX_NODE, k->operators ? k->operators : "",
            k->out->name);
    fprintf(m->d->tip->f, "\n%s", label_clean(c, k->what));
    if (k->through) fprintf(m->d->tip->f, "\nreads through %s: no bytes moved for it", k->through);
    m->d->boxes.at[m->d->boxes.n - 1].through = k->through;
    for (int i = 0; i < m->reads.n; i++) read_buf(m, m->reads.at[i]);
    Holder *h = &m->holder[k->out->id];
    if (reads_itself(m, k->out)) h->values.n = 0;
    VEC_PUSH(c, h->values, box_makes(c, m->d, k->out->name, buf_type(k->out)));
    m->d->boxes.at[m->d->boxes.n - 1].over = written_over(m, k->out, position);
    box_costs(m->d, kernel_ops(c, k), m->loops ? kernel_sizes(c, k).bytes : footprint(m, k->out));
    box_end(c, m->d);
}

/* By buffer id. */
static void know_places(Maker *m)
{
    Life *life = NEW_N(m->c, Life, m->nholders);
    int64_t *offset = NEW_N(m->c, int64_t, m->nholders);
    const Map map = map_of(m->c, m->p);
    for (int i = 0; i < m->p->nbufs; i++) {
        life[m->p->bufs[i]->id] = map.life[i];
        offset[m->p->bufs[i]->id] = m->p->plan->offset[i];
    }
    m->life = life;
    m->offset = offset;
}

Diagram *diagram_of_prog(Ctx *c, const Prog *p)
{
    Maker m = {.c = c, .p = p, .loops = true};
    for (int i = 0; i < p->nkernels; i++) m.loops &= p->kernels[i]->nest != NULL;
    m.d = diagram_new(c, p->name, m.loops ? "moved" : "read and written");
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= m.nholders) m.nholders = p->bufs[i]->id + 1;
    m.holder = NEW_N(c, Holder, m.nholders);
    if (p->plan) know_places(&m);
    for (int i = 0; i < p->nins; i++) {
        box_new(c, m.d, BOX_INPUT, "", p->ins[i]->name);
        VEC_PUSH(c, m.holder[p->ins[i]->id].values, box_makes(c, m.d, p->ins[i]->name, buf_type(p->ins[i])));
        box_end(c, m.d);
    }
    for (int i = 0; i < p->nkernels; i++) make_kernel(&m, i);
    for (int i = 0; i < p->nouts; i++) {
        const Holder *h = &m.holder[p->outs[i]->id];
        join_parts(&m, p->outs[i]);
        box_new(c, m.d, BOX_OUTPUT, "", p->outs[i]->name);
        if (h->values.n) box_reads(c, m.d, h->values.at[0]);
        box_end(c, m.d);
    }
    diagram_end(c, m.d);
    return m.d;
}
