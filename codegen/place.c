/* Where the vertices stand from left to right, by the method of Brandes and Köpf (2001).
 *
 * Vertices that follow each other straight down are joined to blocks, each with the median of its neighbours above, or
 * below, from the left, or from the right; a block is moved as a whole. Each of these four ways gives places that keep
 * the order and the distances; the mean of the middle two keeps them too, so that boxes never overlap. Trunks, and the
 * main way from each box to the next, have the right of way: they come out straight, and what else is read stands at
 * their side; in the end it is pulled as near as its neighbours allow. Linear in vertices and edges. */
#include "draw.h"

enum { BOX_GAP = 28, PASS_GAP = 14, BESIDE_GAP = 20, ROUNDS = 3 };

typedef struct Way {                 /* one of the four */
    Net *n;
    bool upper, left;
    const bool *conflict;            /* by edge: it would cross one on a main way */
    int *root, *align, *x;
    int *next0, *next, *gap;         /* blocks that stand to the right of a block, and how far at least */
} Way;

static bool passes(const Net *n, int v)
{
    return v >= n->nboxes;
}

/* ---- neighbours in order ----------------------------------------------------------------------------------------- */

/* Fills each vertex's list in the order of the other ends' positions, by going through those in order. */
static void sort_ends(Net *n)
{
    int *up = SCRATCH_N(n->c, int, n->n + 1), *down = SCRATCH_N(n->c, int, n->n + 1);
    int *old_up = SCRATCH_N(n->c, int, n->nedges + 1);
    memcpy(old_up, n->up, sizeof *n->up * (size_t)n->nedges);
    for (int i = 0; i < n->n; i++) {
        const int v = n->order[i];
        for (int k = n->down0[v]; k < n->down0[v + 1]; k++) {
            const int e = n->down[k], w = n->head[e];
            n->up[n->up0[w] + up[w]++] = e;
        }
    }
    for (int i = 0; i < n->n; i++) {
        const int v = n->order[i];
        for (int k = n->up0[v]; k < n->up0[v + 1]; k++) {
            const int e = old_up[k], w = n->tail[e];
            n->down[n->down0[w] + down[w]++] = e;
        }
    }
}

/* How much an edge is worth to the vertex above or below it: trunks before all, then what comes from an input straight
 * from box to box. Of those the vertex above takes the one with the longest way on, both then the one with the most
 * bytes. 0: nothing. */
static int64_t worth(const Net *n, int e, bool above)
{
    const int tail = n->tail[e], head = n->head[e];
    const int64_t class = INT64_C(1) << 60, step = INT64_C(1) << 40;
    if (passes(n, tail) && passes(n, head)) return 4 * class;
    if (passes(n, head)) return above ? class : 2 * class;
    if (passes(n, tail)) return above ? 2 * class : class;
    if (!n->fed[tail] || !n->fed[head]) return 0;
    const int64_t bytes = n->d->boxes.at[above ? head : tail].made, rest = above ? n->rest[head] : 0;
    return 3 * class + (rest < class / step ? rest : class / step - 1) * step + (bytes < step ? bytes : step - 1);
}

/* The edge that leads on to `below` from above on the main way: the best for it, the first of those. */
static void find_main(Net *n)
{
    int *main_up = n->main_up = NEW_N(n->c, int, n->n), *main_down = n->main_down = NEW_N(n->c, int, n->n);
    for (int v = 0; v < n->n; v++) {
        int64_t best = 0;
        main_up[v] = main_down[v] = -1;
        for (int k = n->up0[v]; k < n->up0[v + 1]; k++)
            if (worth(n, n->up[k], false) > best) best = worth(n, main_up[v] = n->up[k], false);
    }
    for (int v = 0; v < n->n; v++) {
        int64_t best = 0;
        for (int k = n->down0[v]; k < n->down0[v + 1]; k++) {
            const int e = n->down[k];
            if (main_up[n->head[e]] == e && worth(n, e, true) > best) best = worth(n, main_down[v] = e, true);
        }
    }
    for (int v = 0; v < n->n; v++)
        if (main_up[v] >= 0 && main_down[n->tail[main_up[v]]] != main_up[v]) main_up[v] = -1;
}

/* Edges that cross one of a main way. */
static void find_conflicts(const Net *n, bool *conflict)
{
    for (int layer = 1; layer < n->nlayers; layer++) {
        const int *at = n->order + n->first[layer], count = n->first[layer + 1] - n->first[layer];
        int left = -1, scan = 0;
        for (int i = 0; i < count; i++) {
            const int e = n->main_up[at[i]], p = e < 0 ? -1 : n->pos[n->tail[e]];
            if (p <= left && i + 1 < count) continue;
            const int right = p > left ? p : INT_MAX;
            for (; scan <= i; scan++)
                for (int k = n->up0[at[scan]]; k < n->up0[at[scan] + 1]; k++) {
                    const int q = n->pos[n->tail[n->up[k]]];
                    if (q < left || q > right) conflict[n->up[k]] = true;
                }
            left = right;
        }
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static int other_end(const Way *w, int e)
{
    return w->upper ? w->n->tail[e] : w->n->head[e];
}

/* Position as this way counts it. */
static int rank_of(const Way *w, int v)
{
    const Net *n = w->n;
    const int layer = n->layer[v];
    return w->left ? n->pos[v] : n->first[layer + 1] - n->first[layer] - 1 - n->pos[v];
}

static bool try_join(Way *w, int v, int e, int *last)
{
    const int u = other_end(w, e), main = w->upper ? w->n->main_down[u] : w->n->main_up[u];
    if (w->conflict[e] || rank_of(w, u) <= *last || (main >= 0 && main != e)) return false;
    w->align[u] = v;
    w->root[v] = w->root[u];
    w->align[v] = w->root[v];
    *last = rank_of(w, u);
    return true;
}

static void join_vertex(Way *w, int v, int *last)
{
    const Net *n = w->n;
    const int *list = w->upper ? n->up + n->up0[v] : n->down + n->down0[v];
    const int count = w->upper ? n->up0[v + 1] - n->up0[v] : n->down0[v + 1] - n->down0[v];
    const int main = w->upper ? n->main_up[v] : n->main_down[v];
    if (main >= 0) try_join(w, v, main, last);
    if (main >= 0 || count == 0) return;
    const int low = (count - 1) / 2, high = count / 2, first = w->left ? low : high;
    if (!try_join(w, v, list[first], last) && low != high) try_join(w, v, list[low + high - first], last);
}

static void join_blocks(Way *w)
{
    const Net *n = w->n;
    for (int v = 0; v < n->n; v++) w->root[v] = w->align[v] = v;
    for (int k = 1; k < n->nlayers; k++) {
        const int layer = w->upper ? k : n->nlayers - 1 - k;
        const int from = n->first[layer], to = n->first[layer + 1];
        int last = -1;
        for (int i = from; i < to; i++) join_vertex(w, n->order[w->left ? i : from + to - 1 - i], &last);
    }
}

/* ---- places of blocks -------------------------------------------------------------------------------------------- */

static int distance(const Net *n, int a, int b)
{
    const int gap = passes(n, a) && passes(n, b) ? PASS_GAP : passes(n, a) || passes(n, b) ? BESIDE_GAP : BOX_GAP;
    return (n->width[a] + n->width[b]) / 2 + gap;
}

/* Calls for each pair of neighbours in a layer, as this way sees left and right. */
static void find_pairs(Way *w, bool fill, int *count)
{
    const Net *n = w->n;
    for (int k = 0; k < n->nlayers; k++)
        for (int i = n->first[k] + 1; i < n->first[k + 1]; i++) {
            const int p = n->order[i - 1], q = n->order[i];
            const int a = w->root[w->left ? p : q], b = w->root[w->left ? q : p];
            if (!fill) {
                w->next0[a + 1]++;
                continue;
            }
            w->next[w->next0[a] + count[a]] = b;
            w->gap[w->next0[a] + count[a]++] = distance(n, p, q);
        }
}

/* As far left as the blocks before allow, then as far right as those behind do. */
static void place_blocks(Way *w)
{
    const Net *n = w->n;
    int *count = SCRATCH_N(n->c, int, n->n + 1), *queue = SCRATCH_N(n->c, int, n->n + 1), filled = 0;
    memset(w->next0, 0, sizeof *w->next0 * (size_t)(n->n + 1));
    find_pairs(w, false, NULL);
    for (int v = 0; v < n->n; v++) w->next0[v + 1] += w->next0[v];
    find_pairs(w, true, count);
    memset(count, 0, sizeof *count * (size_t)n->n);
    for (int k = 0; k < w->next0[n->n]; k++) count[w->next[k]]++;
    for (int v = 0; v < n->n; v++) {
        w->x[v] = 0;
        if (w->root[v] == v && count[v] == 0) queue[filled++] = v;
    }
    for (int i = 0; i < filled; i++) {
        const int a = queue[i];
        for (int k = w->next0[a]; k < w->next0[a + 1]; k++) {
            const int b = w->next[k], least = w->x[a] + w->gap[k];
            if (w->x[b] < least) w->x[b] = least;
            if (--count[b] == 0) queue[filled++] = b;
        }
    }
    for (int i = filled; i-- > 0;) {
        int most = INT_MAX;
        const int a = queue[i];
        for (int k = w->next0[a]; k < w->next0[a + 1]; k++)
            if (w->x[w->next[k]] - w->gap[k] < most) most = w->x[w->next[k]] - w->gap[k];
        if (most != INT_MAX && most > w->x[a]) w->x[a] = most;
    }
    for (int v = 0; v < n->n; v++)
        if (w->root[v] != v) w->x[v] = w->x[w->root[v]];
    for (int v = 0; v < n->n && !w->left; v++) w->x[v] = -w->x[v];
}

/* ---- the four together ------------------------------------------------------------------------------------------- */

static void extent(const Net *n, const int *x, int *least, int *most)
{
    *least = INT_MAX;
    *most = INT_MIN;
    for (int v = 0; v < n->n; v++) {
        if (x[v] - n->width[v] / 2 < *least) *least = x[v] - n->width[v] / 2;
        if (x[v] + n->width[v] / 2 > *most) *most = x[v] + n->width[v] / 2;
    }
}

static int middle_of(int a, int b, int c, int d)
{
    const int least = a < b ? a : b, most = a < b ? b : a, low = c < d ? c : d, high = c < d ? d : c;
    const int sum = a + b + c + d - (least < low ? least : low) - (most > high ? most : high);
    return sum >= 0 ? sum / 2 : -((1 - sum) / 2);
}

/* All against the narrowest: those from the left at its left edge, those from the right at its right one. */
static void combine(Net *n, int *const x[4])
{
    int least[4], most[4], best = 0;
    for (int k = 0; k < 4; k++) {
        extent(n, x[k], &least[k], &most[k]);
        if (most[k] - least[k] < most[best] - least[best]) best = k;
    }
    for (int k = 0; k < 4; k++) {
        const int by = k % 2 == 0 ? least[best] - least[k] : most[best] - most[k];
        for (int v = 0; v < n->n; v++) x[k][v] += by;
    }
    for (int v = 0; v < n->n; v++) n->x[v] = middle_of(x[0][v], x[1][v], x[2][v], x[3][v]);
}

/* ---- nearer ------------------------------------------------------------------------------------------------------ */

/* How far v may go without touching its neighbours in the layer. */
static void free_room(const Net *n, int v, int *least, int *most)
{
    const int layer = n->layer[v], at = n->first[layer] + n->pos[v];
    if (at > n->first[layer]) {
        const int left = n->order[at - 1], x = n->x[left] + distance(n, left, v);
        if (x > *least) *least = x;
    }
    if (at + 1 < n->first[layer + 1]) {
        const int right = n->order[at + 1], x = n->x[right] - distance(n, v, right);
        if (x < *most) *most = x;
    }
}

static int within(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* What is on no main way goes over what reads it, or under what it reads. */
static void pull_vertex(Net *n, int v)
{
    const bool down = n->down0[v] < n->down0[v + 1];
    const int from = down ? n->down0[v] : n->up0[v], to = down ? n->down0[v + 1] : n->up0[v + 1];
    if (n->main_up[v] >= 0 || n->main_down[v] >= 0 || from == to) return;
    int64_t sum = 0;
    int least = INT_MIN, most = INT_MAX;
    for (int k = from; k < to; k++) sum += n->x[down ? n->head[n->down[k]] : n->tail[n->up[k]]];
    free_room(n, v, &least, &most);
    n->x[v] = within((int)(sum / (to - from)), least, most);
}

/* A trunk goes as a whole towards where it comes from. */
static void pull_trunk(Net *n, int value)
{
    const int first = n->trunk[value], count = n->reach[value];
    int least = INT_MIN, most = INT_MAX;
    for (int k = 0; k < count; k++) {
        if (n->x[first + k] != n->x[first]) return;
        free_room(n, first + k, &least, &most);
    }
    const int x = within(n->x[n->d->values.at[value].box], least, most);
    for (int k = 0; k < count; k++) n->x[first + k] = x;
}

/* In both directions, so that those in a row follow each other. */
static void settle(Net *n)
{
    int least, most;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < n->d->values.n; i++) pull_trunk(n, i);
        for (int layer = n->nlayers; layer-- > 0;) {
            for (int i = n->first[layer]; i < n->first[layer + 1]; i++) pull_vertex(n, n->order[i]);
            for (int i = n->first[layer + 1]; i-- > n->first[layer];) pull_vertex(n, n->order[i]);
        }
    }
    extent(n, n->x, &least, &most);
    for (int v = 0; v < n->n; v++) n->x[v] -= least;
}

void net_place(Net *n)
{
    if (n->n == 0) return;
    Mark m = scratch_mark(n->c);
    bool *conflict = SCRATCH_N(n->c, bool, n->nedges + 1);
    int *x[4];
    sort_ends(n);
    find_main(n);
    find_conflicts(n, conflict);
    Way w = {.n = n, .conflict = conflict};
    w.root = SCRATCH_N(n->c, int, n->n + 1);
    w.align = SCRATCH_N(n->c, int, n->n + 1);
    w.next0 = SCRATCH_N(n->c, int, n->n + 1);
    w.next = SCRATCH_N(n->c, int, n->n + 1);
    w.gap = SCRATCH_N(n->c, int, n->n + 1);
    for (int k = 0; k < 4; k++) {
        w.upper = k < 2;
        w.left = k % 2 == 0;
        w.x = x[k] = SCRATCH_N(n->c, int, n->n + 1);
        join_blocks(&w);
        place_blocks(&w);
    }
    combine(n, x);
    settle(n);
    scratch_release(n->c, m);
}
