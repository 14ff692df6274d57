/* order: the kernels in that order, of those that keep every reader behind its writers, in which the fewest bytes are
 * alive at the peak.
 *
 * The program is cut at the kernels that all others come before or behind in any order; between two cuts what is alive
 * at the ends is given, so each part has an order of its own. Each starts from the best of the program's own order and
 * a few greedy ones. The part with the highest peak is then searched for a lower one, in depth, until no order is lower
 * or the steps are spent, and so on while the highest part can be lowered. A part that is no higher in the program's
 * own order keeps that: it is likely to read what has just been written. Requires: kernels that no later pass splits.
 * Breaks nothing. */
#include "order.h"

enum { SEARCH_STEPS = 1 << 20, SEARCH_KERNELS = 4000, ROUNDS = 100 };

typedef struct Part {                /* kernels from `from` to `to` - 1 */
    int from, to;
    int64_t given, peak, least;      /* bytes: the peak of the program's order; of the best; no order is below */
} Part;

typedef struct Orderer {
    Ctx *c;
    OrderNet net;
    OrderState s;
    Part *parts; int nparts;
    int *order, *tried, *used;       /* used: all 0 */
    int64_t budget;
} Orderer;

/* ---- cuts ---------------------------------------------------------------------------------------------------- */

/* A part ends with a kernel that all those before it lead to, and that leads to all behind it. All before i lead to it
 * when the first successor of each is at most i: that one leads to i likewise. */
static void cut(Orderer *o)
{
    const OrderNet *net = &o->net;
    const int n = net->n;
    int *first_next = SCRATCH_N(o->c, int, n + 1), *last_before = SCRATCH_N(o->c, int, n + 1);
    bool *leads = SCRATCH_N(o->c, bool, n + 1);
    for (int k = 0; k < n; k++) {
        first_next[k] = INT_MAX;
        last_before[k] = -1;
    }
    for (int k = 0; k < n; k++)
        for (int i = net->next.from[k]; i < net->next.from[k + 1]; i++) {
            const int to = net->next.at[i];
            if (to < first_next[k]) first_next[k] = to;
            if (k > last_before[to]) last_before[to] = k;
        }
    for (int k = n - 1, least = INT_MAX; k >= 0; k--) {
        leads[k] = least >= k;
        if (last_before[k] < least) least = last_before[k];
    }
    o->parts = SCRATCH_N(o->c, Part, n + 1);
    for (int k = 0, from = 0, most = -1; k < n; k++) {
        if ((most <= k && leads[k]) || k == n - 1) {
            o->parts[o->nparts++] = (Part){.from = from, .to = k + 1};
            from = k + 1;
        }
        if (first_next[k] > most) most = first_next[k];
    }
}

/* ---- bounds -------------------------------------------------------------------------------------------------- */

/* No order of the part has a lower peak: at each of its kernels is alive what the kernel uses, and what has been alive
 * before the part and is not used up by it. */
static int64_t least_peak(const Orderer *o, const Part *p)
{
    const OrderNet *net = &o->net;
    const Lists *uses = &net->uses;
    const int begin = uses->from[p->from], end = uses->from[p->to];
    int *used = o->used;             /* by value: how often in the part, then 0 again */
    int64_t most = 0, stays = o->s.alive;
    for (int i = begin; i < end; i++) used[uses->at[i]]++;
    for (int i = begin; i < end; i++) {
        const int v = uses->at[i];
        if (used[v] == o->s.left[v] && o->s.born[v] && !net->stays[v]) stays -= net->bytes[v];
        used[v] = o->s.born[v] ? used[v] > 0 ? -used[v] : used[v] : 0;       /* each is subtracted once */
    }
    for (int k = p->from; k < p->to; k++) {
        int64_t bytes = stays + net->holds[k];
        for (int i = uses->from[k]; i < uses->from[k + 1]; i++) {
            const int v = uses->at[i];
            if (!o->s.born[v] || (-used[v] == o->s.left[v] && !net->stays[v])) bytes += net->bytes[v];
        }
        if (net->over.from[k] < net->over.from[k + 1]) bytes -= net->bytes[net->out[k]];
        if (bytes > most) most = bytes;
    }
    for (int i = begin; i < end; i++) used[uses->at[i]] = 0;
    return most;
}

/* ---- the parts ----------------------------------------------------------------------------------------------- */

static int64_t peak_of(Orderer *o, const int *order, int n)
{
    const int64_t peak = order_peak(&o->net, &o->s, order, n);
    for (int i = n; i-- > 0;) state_undo(&o->net, &o->s, order[i]);
    return peak;
}

static void take_if_lower(Orderer *o, Part *p)
{
    const int n = p->to - p->from;
    const int64_t peak = peak_of(o, o->tried, n);
    if (peak >= p->peak) return;
    p->peak = peak;
    memcpy(o->order + p->from, o->tried, sizeof *o->tried * (size_t)n);
}

static void start_part(Orderer *o, Part *p)
{
    const int n = p->to - p->from;
    for (int k = p->from; k < p->to; k++) o->order[k] = k;
    p->given = p->peak = peak_of(o, o->order + p->from, n);
    p->least = p->peak;
    if (n > 2) {
        p->least = least_peak(o, p);
        for (int t = 0; t < TASTES && p->peak > p->least; t++) {
            order_greedy(&o->net, &o->s, p->from, p->to, (Taste)t, o->tried);
            take_if_lower(o, p);
        }
    }
    for (int k = p->from; k < p->to; k++) state_do(&o->net, &o->s, k);
}

/* Lowers the part's peak below `above` or proves that it cannot be; false: neither. */
static bool lower_part(Orderer *o, Part *p, int64_t floor)
{
    const int64_t before = p->peak;
    int64_t some = o->budget / 4, most = p->least > floor ? p->least : floor;
    if (p->to - p->from > SEARCH_KERNELS) return false;
    Verdict v = SEARCH_NONE;
    for (bool first = true; p->peak > most && o->budget > 0; first = false) {
        int64_t *budget = first ? &some : &o->budget;
        v = order_search(&o->net, &o->s, p->from, p->to, first ? most : p->peak - 1, budget, o->tried);
        if (first) o->budget -= o->budget / 4 - some;
        if (v == SEARCH_FOUND) take_if_lower(o, p);
        else if (!first) break;
    }
    return p->peak < before;
}

static void lower_peaks(Orderer *o)
{
    for (int round = 0; round < ROUNDS; round++) {
        Part *top = NULL;
        int64_t second = 0;
        for (int i = 0; i < o->nparts; i++) {
            Part *p = &o->parts[i];
            if (top && p->peak <= top->peak) second = p->peak > second ? p->peak : second;
            else second = top ? top->peak : 0, top = p;
        }
        if (!top || top->peak <= top->least || top->to - top->from < 3) return;
        for (int k = 0; k < top->from; k++) state_do(&o->net, &o->s, k);
        const bool lower = lower_part(o, top, second);
        for (int k = top->from; k-- > 0;) state_undo(&o->net, &o->s, k);
        if (!lower) return;
    }
}

static void keep_given(Orderer *o)
{
    int64_t peak = 0;
    for (int i = 0; i < o->nparts; i++)
        if (o->parts[i].peak > peak) peak = o->parts[i].peak;
    for (int i = 0; i < o->nparts; i++)
        for (int k = o->parts[i].from; k < o->parts[i].to && o->parts[i].given <= peak; k++) o->order[k] = k;
}

Unit pass_order(Ctx *c, Unit u)
{
    Prog *q = mem_copy(c, u.prog, sizeof *u.prog);
    Mark m = scratch_mark(c);
    Orderer o = {.c = c, .net = order_net(c, u.prog, u.io_arena), .budget = SEARCH_STEPS};
    o.s = state_new(&o.net);
    o.order = SCRATCH_N(c, int, o.net.n + 1);
    o.tried = SCRATCH_N(c, int, o.net.n + 1);
    o.used = SCRATCH_N(c, int, o.net.nvalues + 1);
    cut(&o);
    for (int i = 0; i < o.nparts; i++) start_part(&o, &o.parts[i]);
    for (int k = o.net.n; k-- > 0;) state_undo(&o.net, &o.s, k);
    lower_peaks(&o);
    keep_given(&o);
    const Kernel **kernels = NEW_N(c, const Kernel *, q->nkernels);
    for (int i = 0; i < q->nkernels; i++) kernels[i] = u.prog->kernels[o.order[i]];
    q->kernels = kernels;
    scratch_release(c, m);
    u.prog = q;
    return u;
}
