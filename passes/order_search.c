/* All orders of some kernels, in depth, until one keeps to a limit.
 *
 * What is alive depends on which kernels have run, not on their order: a set from which the limit cannot be kept is
 * remembered by a hash, and not entered again. A ready kernel that leaves no more alive than before, and itself keeps
 * to the limit, runs at once: what it frees it frees later as well, and until then it only stands in the way. */
#include "order.h"

enum { POOL = 1 << 18, SEEN = 1 << 16 };

typedef struct Frame { int from, n, next, kernel; uint64_t set; } Frame;     /* choices: pool[from] to pool[from + n] */

typedef struct Search {
    const OrderNet *net;
    OrderState *s;
    int from, to, nready, used;
    int64_t most, *budget;
    int *ready, *place;              /* the ready kernels, unordered; by kernel - from: its place there, -1 */
    int *pool;
    Frame *frames;
    uint64_t *seen; int nseen;       /* sets, hashed; 0: empty */
} Search;

/* ---- sets ---------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(int kernel)
{
    uint64_t x = (uint64_t)kernel + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t *slot_of(const Search *q, uint64_t set)
{
    uint64_t i = set % SEEN;
    while (q->seen[i] && q->seen[i] != set) i = (i + 1) % SEEN;
    return &q->seen[i];
}

static void remember(Search *q, uint64_t set)
{
    uint64_t *slot = slot_of(q, set);
    if (*slot || q->nseen >= SEEN / 2) return;
    *slot = set;
    q->nseen++;
}

/* ---- ready kernels ------------------------------------------------------------------------------------------- */

static void ready_add(Search *q, int kernel)
{
    if (kernel < q->from || kernel >= q->to || q->s->waits[kernel] || q->place[kernel - q->from] >= 0) return;
    q->place[kernel - q->from] = q->nready;
    q->ready[q->nready++] = kernel;
}

static void ready_drop(Search *q, int kernel)
{
    const int at = kernel < q->from || kernel >= q->to ? -1 : q->place[kernel - q->from];
    if (at < 0) return;
    q->ready[at] = q->ready[--q->nready];
    q->place[q->ready[at] - q->from] = at;
    q->place[kernel - q->from] = -1;
}

static void run(Search *q, int kernel)
{
    const Lists *next = &q->net->next;
    ready_drop(q, kernel);
    state_do(q->net, q->s, kernel);
    for (int i = next->from[kernel]; i < next->from[kernel + 1]; i++) ready_add(q, next->at[i]);
}

static void take_back(Search *q, int kernel)
{
    const Lists *next = &q->net->next;
    for (int i = next->from[kernel]; i < next->from[kernel + 1]; i++) ready_drop(q, next->at[i]);
    state_undo(q->net, q->s, kernel);
    ready_add(q, kernel);
}

/* ---- the search ---------------------------------------------------------------------------------------------- */

typedef struct Choice { int64_t change; int kernel; } Choice;

/* Those that leave no more alive, the greatest gain first; then in the program's order, which most often reads soon
 * what it writes. */
static int by_change(const void *a, const void *b)
{
    const Choice *x = a, *y = b;
    const int64_t p = x->change < 0 ? x->change : x->change > 0, q = y->change < 0 ? y->change : y->change > 0;
    return p != q ? p < q ? -1 : 1 : x->kernel - y->kernel;
}

/* What may run next, best first; false: no room. */
static bool list_choices(Search *q, Frame *f)
{
    if (q->used + q->nready > POOL) return false;
    Mark m = scratch_mark(q->net->c);
    Choice *all = SCRATCH_N(q->net->c, Choice, q->nready + 1);
    int n = 0;
    for (int i = 0; i < q->nready; i++) {
        const Step step = state_step(q->net, q->s, q->ready[i]);
        if (step.at <= q->most) all[n++] = (Choice){step.change, q->ready[i]};
    }
    *q->budget -= q->nready + 1;
    qsort(all, (size_t)n, sizeof *all, by_change);
    f->n = n && all[0].change <= 0 ? 1 : n;
    f->from = q->used;
    f->next = 0;
    for (int i = 0; i < f->n; i++) q->pool[q->used++] = all[i].kernel;
    scratch_release(q->net->c, m);
    return true;
}

/* Leaves the state with `depth` kernels run. */
static Verdict descend(Search *q, int *depth)
{
    const int n = q->to - q->from;
    int d = 0;
    q->frames[0] = (Frame){.kernel = -1, .set = 1};
    Verdict v = list_choices(q, &q->frames[0]) ? SEARCH_NONE : SEARCH_SPENT;
    while (v == SEARCH_NONE) {
        Frame *f = &q->frames[d];
        if (d == n) v = SEARCH_FOUND;
        else if (*q->budget <= 0) v = SEARCH_SPENT;
        if (v != SEARCH_NONE) break;
        if (f->next == f->n) {       /* no way on */
            remember(q, f->set);
            q->used = f->from;
            if (d == 0) break;
            take_back(q, f->kernel);
            d--;
            continue;
        }
        const int kernel = q->pool[f->from + f->next++];
        const uint64_t set = f->set + hash_of(kernel);
        if (*slot_of(q, set)) continue;
        run(q, kernel);
        q->frames[++d] = (Frame){.kernel = kernel, .set = set, .from = q->used};
        if (!list_choices(q, &q->frames[d])) v = SEARCH_SPENT;
    }
    *depth = d;
    return v;
}

Verdict order_search(const OrderNet *net, OrderState *s, int from, int to, int64_t most, int64_t *budget, int *order)
{
    const int n = to - from;
    Mark m = scratch_mark(net->c);
    Search q = {.net = net, .s = s, .from = from, .to = to, .most = most, .budget = budget};
    q.ready = SCRATCH_N(net->c, int, n + 1);
    q.place = SCRATCH_N(net->c, int, n + 1);
    q.pool = SCRATCH_N(net->c, int, POOL);
    q.frames = SCRATCH_N(net->c, Frame, n + 1);
    q.seen = SCRATCH_N(net->c, uint64_t, SEEN);
    for (int i = 0; i < n; i++) q.place[i] = -1;
    for (int k = from; k < to; k++) ready_add(&q, k);
    int depth = 0;
    const Verdict v = descend(&q, &depth);
    for (int d = depth; d > 0; d--) {
        if (v == SEARCH_FOUND) order[d - 1] = q.frames[d].kernel;
        take_back(&q, q.frames[d].kernel);
    }
    scratch_release(net->c, m);
    return v;
}
