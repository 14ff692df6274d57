/* Which box stands in which layer, and in what order.
 *
 * A box stands below all that it reads: its layer is the longest way from an input; what depends on no input stands as
 * low as its readers let it. A wire that passes layers has a place in each of them, and the wires of one value share
 * theirs: a trunk with branches. All trunks together may take so many places; what would be longer is not drawn, and
 * told in the boxes at its ends. The order comes of sweeps that sort each layer by the mean position of its neighbours
 * (barycentres); the one with the fewest crossings is kept. Everything is n log n in boxes and wires. */
#include "draw.h"

enum { SWEEPS = 12, PLACES = 12, PLACES_MORE = 4000, PASS_WIDTH = 2 };

/* ---- layers ------------------------------------------------------------------------------------------------------ */

/* Stands as low as its readers let it. */
static bool sinks(const Net *n, int box)
{
    return !n->fed[box] || n->d->boxes.at[box].kind == BOX_INPUT || n->d->boxes.at[box].known;
}

/* Wires are ordered by their ends, and lead to later boxes: one sweep forth, one back. */
static void find_layers(Net *n)
{
    const Diagram *d = n->d;
    int *late = SCRATCH_N(n->c, int, n->nboxes + 1);
    for (int i = 0; i < n->nboxes; i++) n->fed[i] = d->boxes.at[i].kind == BOX_INPUT;
    for (int i = 0; i < d->wires.n; i++) {
        const Wire *w = &d->wires.at[i];
        const int from = d->values.at[w->value].box;
        if (n->layer[w->to] <= n->layer[from]) n->layer[w->to] = n->layer[from] + 1;
        n->fed[w->to] |= n->fed[from] && !d->boxes.at[w->to].known;
    }
    for (int i = 0; i < n->nboxes; i++) late[i] = INT_MAX;
    for (int i = d->wires.n; i-- > 0;) {
        const Wire *w = &d->wires.at[i];
        const int from = d->values.at[w->value].box;
        const int to = sinks(n, w->to) && late[w->to] != INT_MAX ? late[w->to] : n->layer[w->to];
        if (to - 1 < late[from]) late[from] = to - 1;
        if (n->rest[w->to] >= n->rest[from]) n->rest[from] = n->rest[w->to] + 1;
    }
    for (int i = 0; i < n->nboxes; i++) {
        if (sinks(n, i) && late[i] != INT_MAX) n->layer[i] = late[i];
        if (n->layer[i] >= n->nlayers) n->nlayers = n->layer[i] + 1;
    }
}

static int span_of(const Net *n, const Wire *w)
{
    return n->layer[w->to] - n->layer[n->d->values.at[w->value].box];
}

/* The longest span that is drawn. */
static int longest_drawn(const Net *n, const int *reach)
{
    int *longer = SCRATCH_N(n->c, int, n->nlayers + 2);           /* by length: how many are at least that long */
    int64_t room = (int64_t)PLACES * n->nboxes + PLACES_MORE;
    for (int i = 0; i < n->d->values.n; i++) longer[reach[i]]++;
    for (int k = n->nlayers; k-- > 0;) longer[k] += longer[k + 1];
    int k = 1;
    while (k < n->nlayers && (room -= longer[k + 1]) >= 0) k++;
    return k;
}

static void make_trunks(Net *n)
{
    Diagram *d = n->d;
    int *reach = SCRATCH_N(n->c, int, d->values.n + 1);
    for (int i = 0; i < d->wires.n; i++) {
        const int span = span_of(n, &d->wires.at[i]);
        if (span > reach[d->wires.at[i].value]) reach[d->wires.at[i].value] = span;
    }
    const int most = longest_drawn(n, reach);
    for (int i = 0; i < d->wires.n; i++) {
        const int span = span_of(n, &d->wires.at[i]), v = d->wires.at[i].value;
        if (span <= most && span - 1 > n->reach[v]) n->reach[v] = span - 1;
    }
    for (int v = 0; v < d->values.n; v++) {
        n->trunk[v] = n->n;
        n->n += n->reach[v];
    }
    for (int i = 0; i < d->wires.n; i++) {
        const Wire *w = &d->wires.at[i];
        const int span = span_of(n, w);
        n->hop[i] = span > most ? -1 : span == 1 ? d->values.at[w->value].box : n->trunk[w->value] + span - 2;
        if (span > most) diagram_far(n->c, d, w);
    }
    diagram_sizes(d);
}

static void make_vertices(Net *n)
{
    const int *box_layer = n->layer;
    n->layer = NEW_N(n->c, int, n->n);
    n->width = NEW_N(n->c, int, n->n);
    n->pos = NEW_N(n->c, int, n->n);
    n->x = NEW_N(n->c, int, n->n);
    for (int i = 0; i < n->nboxes; i++) {
        n->layer[i] = box_layer[i];
        n->width[i] = n->d->boxes.at[i].w;
    }
    for (int v = 0; v < n->d->values.n; v++)
        for (int k = 0; k < n->reach[v]; k++) {
            n->layer[n->trunk[v] + k] = n->layer[n->d->values.at[v].box] + 1 + k;
            n->width[n->trunk[v] + k] = PASS_WIDTH;
        }
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void add_edge(Net *n, int tail, int head)
{
    n->tail[n->nedges] = tail;
    n->head[n->nedges++] = head;
    n->up0[head + 1]++;
    n->down0[tail + 1]++;
}

static void make_edges(Net *n)
{
    const Diagram *d = n->d;
    const int most = n->n + d->wires.n;
    n->tail = NEW_N(n->c, int, most);
    n->head = NEW_N(n->c, int, most);
    n->up = NEW_N(n->c, int, most);
    n->down = NEW_N(n->c, int, most);
    n->up0 = NEW_N(n->c, int, n->n + 1);
    n->down0 = NEW_N(n->c, int, n->n + 1);
    for (int v = 0; v < d->values.n; v++)
        for (int k = 0; k < n->reach[v]; k++)
            add_edge(n, k ? n->trunk[v] + k - 1 : d->values.at[v].box, n->trunk[v] + k);
    for (int i = 0; i < d->wires.n; i++)
        if (n->hop[i] >= 0) add_edge(n, n->hop[i], d->wires.at[i].to);
    for (int i = 0; i < n->n; i++) {
        n->up0[i + 1] += n->up0[i];
        n->down0[i + 1] += n->down0[i];
    }
    int *up = SCRATCH_N(n->c, int, n->n + 1), *down = SCRATCH_N(n->c, int, n->n + 1);
    for (int e = 0; e < n->nedges; e++) {
        n->up[n->up0[n->head[e]] + up[n->head[e]]++] = e;
        n->down[n->down0[n->tail[e]] + down[n->tail[e]]++] = e;
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

typedef struct Keyed { double key; int pos, v; } Keyed;

static int by_key(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key ? 1 : x->pos - y->pos;
}

static void sort_layer(Net *n, int layer, bool by_upper, Keyed *room)
{
    const int at = n->first[layer], count = n->first[layer + 1] - at, other = by_upper ? layer - 1 : layer + 1;
    const double scale = (double)(n->first[other + 1] - n->first[other]) / (count ? count : 1);
    const int *list = by_upper ? n->up : n->down, *list0 = by_upper ? n->up0 : n->down0;
    const int *end = by_upper ? n->tail : n->head;
    for (int i = 0; i < count; i++) {
        const int v = n->order[at + i], near = list0[v + 1] - list0[v];
        double sum = 0;
        for (int k = list0[v]; k < list0[v + 1]; k++) sum += n->pos[end[list[k]]];
        room[i] = (Keyed){near ? sum / near : i * scale, i, v};
    }
    qsort(room, (size_t)count, sizeof *room, by_key);
    for (int i = 0; i < count; i++) {
        n->order[at + i] = room[i].v;
        n->pos[room[i].v] = i;
    }
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Between a layer and the next one: pairs of edges of which one starts to the left and ends to the right. `ends` and
 * `tree` have room for the edges, and for the vertices of the lower layer. */
static int64_t crossings(const Net *n, int layer, int *ends, int *tree)
{
    const int lower = n->first[layer + 2] - n->first[layer + 1];
    int64_t sum = 0, seen = 0;
    memset(tree, 0, sizeof *tree * (size_t)(lower + 1));
    for (int i = n->first[layer]; i < n->first[layer + 1]; i++) {
        const int v = n->order[i], count = n->down0[v + 1] - n->down0[v];
        for (int k = 0; k < count; k++) ends[k] = n->pos[n->head[n->down[n->down0[v] + k]]];
        qsort(ends, (size_t)count, sizeof *ends, by_value);
        for (int k = 0; k < count; k++) {
            int64_t left = 0;
            for (int j = ends[k] + 1; j > 0; j -= j & -j) left += tree[j];
            sum += seen - left;
        }
        for (int k = 0; k < count; k++)
            for (int j = ends[k] + 1; j <= lower; j += j & -j) tree[j]++;
        seen += count;
    }
    return sum;
}

static void make_layers(Net *n)
{
    n->first = NEW_N(n->c, int, n->nlayers + 1);
    n->order = NEW_N(n->c, int, n->n);
    for (int v = 0; v < n->n; v++) n->first[n->layer[v] + 1]++;
    for (int k = 0; k < n->nlayers; k++) n->first[k + 1] += n->first[k];
    int *count = SCRATCH_N(n->c, int, n->nlayers + 1);
    for (int v = 0; v < n->n; v++) {
        const int k = n->layer[v];
        n->pos[v] = count[k]++;
        n->order[n->first[k] + n->pos[v]] = v;
    }
}

static void order_layers(Net *n)
{
    Keyed *room = SCRATCH_N(n->c, Keyed, n->n + 1);
    int *ends = SCRATCH_N(n->c, int, n->nedges + 1), *tree = SCRATCH_N(n->c, int, n->n + 2);
    int *best = SCRATCH_N(n->c, int, n->n + 1);
    int64_t least = INT64_MAX;
    for (int s = 0; s < SWEEPS && least; s++) {
        for (int k = 1; k < n->nlayers; k++) {
            if (s % 2 == 0) sort_layer(n, k, true, room);
            else sort_layer(n, n->nlayers - 1 - k, false, room);
        }
        int64_t sum = 0;
        for (int k = 0; k + 1 < n->nlayers; k++) sum += crossings(n, k, ends, tree);
        if (sum >= least) continue;
        least = sum;
        memcpy(best, n->order, sizeof *best * (size_t)n->n);
    }
    for (int k = 0; k < n->nlayers; k++)
        for (int i = n->first[k]; i < n->first[k + 1]; i++) {
            n->order[i] = best[i];
            n->pos[best[i]] = i - n->first[k];
        }
}

Net *net_new(Ctx *c, Diagram *d)
{
    Net *n = NEW(c, Net);
    Mark m = scratch_mark(c);
    n->c = c;
    n->d = d;
    n->n = n->nboxes = d->boxes.n;
    n->layer = SCRATCH_N(c, int, n->nboxes + 1);
    n->fed = NEW_N(c, bool, n->nboxes);
    n->rest = NEW_N(c, int, n->nboxes);
    n->hop = NEW_N(c, int, d->wires.n);
    n->trunk = NEW_N(c, int, d->values.n);
    n->reach = NEW_N(c, int, d->values.n);
    find_layers(n);
    make_trunks(n);
    make_vertices(n);
    make_edges(n);
    make_layers(n);
    if (n->n) order_layers(n);
    scratch_release(c, m);
    return n;
}
