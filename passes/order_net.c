/* The program as a graph of kernels that wait for each other.
 *
 * A kernel comes behind the writers of what it reads, and behind the readers and writers of what it writes: so all of
 * them see what they saw before. Only kernels that write different parts of one buffer, which is read when all of them
 * have run, may change places: pieces of a concatenation. */
#include "order.h"

enum { JOINED_MOST = 1 << 20 };      /* pairs of a part's writer and a reader of the whole */

typedef struct Link { int a, b; } Link;
typedef VEC(Link) Links;

typedef struct Maker {
    OrderNet *net;
    const Prog *p;
    int at;
    int *value;                      /* by buffer id: its value; -1 */
    int *writer;                     /* by buffer id: the last one so far; -1 */
    bool *parts;                     /* by buffer id: its writers write different parts */
    Lists readers, writers;          /* by buffer id, in the program's order */
    int *seen;                       /* by buffer id: readers so far since the last writer begin there */
    Links edges, uses, over;
} Maker;

/* ---- lists --------------------------------------------------------------------------------------------------- */

/* The b of each pair by its a, in their order; a: below n. */
static Lists lists_of(Ctx *c, const Links *pairs, int n, bool turned)
{
    Lists l = {SCRATCH_N(c, int, n + 2), SCRATCH_N(c, int, pairs->n + 1)};
    for (int i = 0; i < pairs->n; i++) l.from[(turned ? pairs->at[i].b : pairs->at[i].a) + 2]++;
    for (int i = 0; i < n; i++) l.from[i + 2] += l.from[i + 1];
    for (int i = 0; i < pairs->n; i++) {
        const Link p = pairs->at[i];
        l.at[l.from[(turned ? p.b : p.a) + 1]++] = turned ? p.a : p.b;
    }
    return l;
}

/* ---- parts --------------------------------------------------------------------------------------------------- */

typedef struct Span { int64_t lo, hi; } Span;

static int by_lo(const void *a, const void *b)
{
    const Span *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Whether the writers, all in compute form, write apart along some dimension, and all readers come behind. */
static bool writes_parts(Maker *m, const Buf *b)
{
    const int id = b->id, n = m->writers.from[id + 1] - m->writers.from[id];
    const int readers = m->readers.from[id + 1] - m->readers.from[id];
    const int *w = m->writers.at + m->writers.from[id];
    if (n < 2 || (int64_t)n * readers > JOINED_MOST) return false;
    if (readers && m->readers.at[m->readers.from[id]] <= w[n - 1]) return false;
    for (int i = 0; i < n; i++)
        if (!m->p->kernels[w[i]]->value) return false;
    Mark mark = scratch_mark(m->net->c);
    Span *spans = SCRATCH_N(m->net->c, Span, n);
    bool apart = false;
    for (int d = 0; d < b->rank && !apart; d++) {
        for (int i = 0; i < n; i++) spans[i] = (Span){m->p->kernels[w[i]]->at[d]->lo, m->p->kernels[w[i]]->at[d]->hi};
        qsort(spans, (size_t)n, sizeof *spans, by_lo);
        apart = true;
        for (int i = 1; i < n && apart; i++) apart = spans[i].lo > spans[i - 1].hi;
    }
    scratch_release(m->net->c, mark);
    return apart;
}

/* ---- edges --------------------------------------------------------------------------------------------------- */

typedef struct Reads { Maker *m; Links *pairs; } Reads;

static void note_read(const Buf *b, void *arg)
{
    Reads *r = arg;
    const Kernel *k = r->m->p->kernels[r->m->at];
    const bool held = b != k->out && kernel_fills(k, b);
    if (b->kind == BUF_LOCAL || b->kind == BUF_CONST || held) return;
    VEC_PUSH(r->m->net->c, *r->pairs, ((Link){b->id, r->m->at}));
}

static void add_edge(Maker *m, int before, int after)
{
    if (before >= 0 && before != after) VEC_PUSH(m->net->c, m->edges, ((Link){before, after}));
}

static void add_use(Maker *m, const Buf *b, int kernel)
{
    if (m->value[b->id] >= 0) VEC_PUSH(m->net->c, m->uses, ((Link){kernel, m->value[b->id]}));
}

static void read_by(const Buf *b, void *arg)
{
    Maker *m = arg;
    const Kernel *k = m->p->kernels[m->at];
    if (b->kind == BUF_LOCAL || b->kind == BUF_CONST || kernel_fills(k, b)) return;
    add_use(m, b, m->at);
    if (m->parts[b->id])
        for (int i = m->writers.from[b->id]; i < m->writers.from[b->id + 1]; i++) add_edge(m, m->writers.at[i], m->at);
    else
        add_edge(m, m->writer[b->id], m->at);
    const int v = m->value[b->id], out = m->value[k->out->id];
    if (v < 0 || out < 0 || m->writers.from[k->out->id + 1] - m->writers.from[k->out->id] != 1) return;
    if (b->kind != BUF_OUT && kernel_overwrites(m->net->c, k, b)) VEC_PUSH(m->net->c, m->over, ((Link){m->at, v}));
}

static void written_by(Maker *m, const Buf *b)
{
    add_use(m, b, m->at);
    if (!m->parts[b->id]) add_edge(m, m->writer[b->id], m->at);
    int *seen = &m->seen[b->id];
    for (; *seen < m->readers.from[b->id + 1] && m->readers.at[*seen] <= m->at; ++*seen)
        if (!m->parts[b->id]) add_edge(m, m->readers.at[*seen], m->at);
    m->writer[b->id] = m->at;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static int find_values(Maker *m, bool io)
{
    OrderNet *net = m->net;
    const Prog *p = m->p;
    const Plan where = {.io = io};
    int ids = 0;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= ids) ids = p->bufs[i]->id + 1;
    m->value = SCRATCH_N(net->c, int, ids + 1);
    m->writer = SCRATCH_N(net->c, int, ids + 1);
    m->parts = SCRATCH_N(net->c, bool, ids + 1);
    m->seen = SCRATCH_N(net->c, int, ids + 1);
    for (int i = 0; i < ids; i++) m->value[i] = m->writer[i] = -1;
    net->bytes = SCRATCH_N(net->c, int64_t, p->nbufs + 1);
    net->stays = SCRATCH_N(net->c, bool, p->nbufs + 1);
    net->early = SCRATCH_N(net->c, bool, p->nbufs + 1);
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        if (!buf_in_arena(b, &where)) continue;
        net->bytes[net->nvalues] = (int64_t)buf_bytes(b);
        net->stays[net->nvalues] = b->text || b->kind == BUF_OUT;
        net->early[net->nvalues] = b->kind == BUF_IN;
        m->value[b->id] = net->nvalues++;
    }
    return ids;
}

OrderNet order_net(Ctx *c, const Prog *p, bool io)
{
    OrderNet net = {.c = c, .n = p->nkernels};
    Maker m = {.net = &net, .p = p};
    Links reads = {0}, writes = {0};
    const int ids = find_values(&m, io);
    Reads r = {&m, &reads};
    for (m.at = 0; m.at < net.n; m.at++) {
        prog_reads(c, p->kernels[m.at], note_read, &r);
        VEC_PUSH(c, writes, ((Link){p->kernels[m.at]->out->id, m.at}));
    }
    m.readers = lists_of(c, &reads, ids, false);
    m.writers = lists_of(c, &writes, ids, false);
    for (int i = 0; i < ids; i++) m.seen[i] = m.readers.from[i];
    for (int i = 0; i < p->nbufs; i++) m.parts[p->bufs[i]->id] = writes_parts(&m, p->bufs[i]);
    net.out = SCRATCH_N(c, int, net.n + 1);
    net.waits = SCRATCH_N(c, int, net.n + 1);
    net.holds = SCRATCH_N(c, int64_t, net.n + 1);
    for (m.at = 0; m.at < net.n; m.at++) {
        net.out[m.at] = m.value[p->kernels[m.at]->out->id];
        prog_reads(c, p->kernels[m.at], read_by, &m);
        written_by(&m, p->kernels[m.at]->out);
        for (int i = 0; i < p->kernels[m.at]->nheld; i++)
            net.holds[m.at] += (int64_t)buf_bytes(p->kernels[m.at]->held[i]);
    }
    for (int i = 0; i < m.edges.n; i++) net.waits[m.edges.at[i].b]++;
    net.next = lists_of(c, &m.edges, net.n, false);
    net.uses = lists_of(c, &m.uses, net.n, false);
    net.users = lists_of(c, &m.uses, net.nvalues, true);
    net.over = lists_of(c, &m.over, net.n, false);
    return net;
}

/* ---- states -------------------------------------------------------------------------------------------------- */

OrderState state_new(const OrderNet *net)
{
    OrderState s = {.left = SCRATCH_N(net->c, int, net->nvalues + 1)};
    s.rest = SCRATCH_N(net->c, int64_t, net->nvalues + 1);
    s.born = SCRATCH_N(net->c, int, net->nvalues + 1);
    s.waits = SCRATCH_N(net->c, int, net->n + 1);
    memcpy(s.waits, net->waits, sizeof *s.waits * (size_t)net->n);
    for (int v = 0; v < net->nvalues; v++) {
        s.left[v] = net->users.from[v + 1] - net->users.from[v];
        for (int i = net->users.from[v]; i < net->users.from[v + 1]; i++) s.rest[v] += net->users.at[i];
        s.born[v] = net->early[v];
        if (s.born[v] && s.left[v]) s.alive += net->bytes[v];
    }
    return s;
}

Step state_step(const OrderNet *net, const OrderState *s, int kernel)
{
    const int out = net->out[kernel];
    const int64_t grows = out >= 0 && !s->born[out] ? net->bytes[out] : 0;
    int64_t freed = 0, spared = 0;
    for (int i = net->uses.from[kernel]; i < net->uses.from[kernel + 1]; i++) {
        const int v = net->uses.at[i];
        if (s->left[v] == 1 && !net->stays[v]) freed += net->bytes[v];
    }
    for (int i = net->over.from[kernel]; i < net->over.from[kernel + 1]; i++)
        if (s->left[net->over.at[i]] == 1) spared = grows;
    return (Step){s->alive + grows - spared + net->holds[kernel], grows - freed};
}

void state_do(const OrderNet *net, OrderState *s, int kernel)
{
    s->alive += state_step(net, s, kernel).change;
    if (net->out[kernel] >= 0) s->born[net->out[kernel]]++;
    for (int i = net->uses.from[kernel]; i < net->uses.from[kernel + 1]; i++) {
        s->left[net->uses.at[i]]--;
        s->rest[net->uses.at[i]] -= kernel;
    }
    for (int i = net->next.from[kernel]; i < net->next.from[kernel + 1]; i++) s->waits[net->next.at[i]]--;
}

void state_undo(const OrderNet *net, OrderState *s, int kernel)
{
    const int out = net->out[kernel];
    for (int i = net->next.from[kernel]; i < net->next.from[kernel + 1]; i++) s->waits[net->next.at[i]]++;
    for (int i = net->uses.from[kernel]; i < net->uses.from[kernel + 1]; i++) {
        s->left[net->uses.at[i]]++;
        s->rest[net->uses.at[i]] += kernel;
    }
    if (out >= 0) s->born[out]--;
    s->alive -= state_step(net, s, kernel).change;
}

int64_t order_peak(const OrderNet *net, OrderState *s, const int *order, int n)
{
    int64_t peak = 0;
    for (int i = 0; i < n; i++) {
        const Step step = state_step(net, s, order[i]);
        if (step.at > peak) peak = step.at;
        state_do(net, s, order[i]);
    }
    return peak;
}
