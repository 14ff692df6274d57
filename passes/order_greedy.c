/* Always the kernel that frees the most, or takes the least: linear but for a heap.
 *
 * What a ready kernel changes only sinks: when all other users of a value that it uses have run, or when another kernel
 * has written the first part of what it writes. It is then put into the heap once more; older ones are passed over. */
#include "order.h"

typedef struct Entry { int64_t change, low; int kernel, since; } Entry;      /* since: later is less */

typedef struct Heap {
    const OrderNet *net;
    OrderState *s;
    Taste taste;
    int from, to, clock;
    VEC(Entry) v;
    bool *ready, *done;              /* by kernel - from */
    int *since;
} Heap;

static bool before(const Heap *h, const Entry *a, const Entry *b)
{
    if (a->change != b->change) return a->change < b->change;
    if (h->taste == TASTE_LOW && a->low != b->low) return a->low < b->low;
    if (h->taste == TASTE_LATEST && a->since != b->since) return a->since > b->since;
    return a->kernel < b->kernel;
}

static void swap(Heap *h, int i, int j)
{
    const Entry e = h->v.at[i];
    h->v.at[i] = h->v.at[j];
    h->v.at[j] = e;
}

static void put(Heap *h, int kernel)
{
    const Step step = state_step(h->net, h->s, kernel);
    const Entry e = {step.change, step.at - h->s->alive, kernel, h->since[kernel - h->from]};
    VEC_PUSH(h->net->c, h->v, e);
    for (int i = h->v.n - 1, up; i && before(h, &h->v.at[i], &h->v.at[up = (i - 1) / 2]); i = up) swap(h, i, up);
}

static Entry take(Heap *h)
{
    const Entry top = h->v.at[0];
    h->v.at[0] = h->v.at[--h->v.n];
    for (int i = 0;;) {
        int least = i;
        for (int k = 2 * i + 1; k <= 2 * i + 2; k++)
            if (k < h->v.n && before(h, &h->v.at[k], &h->v.at[least])) least = k;
        if (least == i) return top;
        swap(h, i, least);
        i = least;
    }
}

static void consider(Heap *h, int kernel)
{
    if (kernel < h->from || kernel >= h->to || h->done[kernel - h->from] || h->s->waits[kernel]) return;
    if (!h->ready[kernel - h->from]) h->since[kernel - h->from] = h->clock++;
    h->ready[kernel - h->from] = true;
    put(h, kernel);
}

/* Those whose change has sunk, and those that have become ready. */
static void consider_after(Heap *h, int kernel)
{
    const OrderNet *net = h->net;
    const int out = net->out[kernel];
    for (int i = net->uses.from[kernel]; i < net->uses.from[kernel + 1]; i++) {
        const int v = net->uses.at[i];
        if (h->s->left[v] == 1) consider(h, (int)h->s->rest[v]);
    }
    if (out >= 0 && h->s->born[out] == 1)
        for (int i = net->users.from[out]; i < net->users.from[out + 1]; i++)
            if (net->out[net->users.at[i]] == out) consider(h, net->users.at[i]);
    for (int i = net->next.from[kernel]; i < net->next.from[kernel + 1]; i++) consider(h, net->next.at[i]);
}

void order_greedy(const OrderNet *net, OrderState *s, int from, int to, Taste taste, int *order)
{
    const int n = to - from;
    Heap h = {.net = net, .s = s, .taste = taste, .from = from, .to = to};
    Mark m = scratch_mark(net->c);
    h.ready = SCRATCH_N(net->c, bool, n);
    h.done = SCRATCH_N(net->c, bool, n);
    h.since = SCRATCH_N(net->c, int, n);
    for (int k = from; k < to; k++) consider(&h, k);
    for (int i = 0; i < n;) {
        const Entry e = take(&h);
        if (h.done[e.kernel - from]) continue;
        h.done[e.kernel - from] = true;
        order[i++] = e.kernel;
        state_do(net, s, e.kernel);
        consider_after(&h, e.kernel);
    }
    for (int i = n; i-- > 0;) state_undo(net, s, order[i]);
    scratch_release(net->c, m);
}
