/* place: blocks of bytes with lives get offsets, so that those alive at the same time do not overlap.
 *
 * Tried in turn, until the bound is reached: first fit in several orders; orders that are changed a little, the blocks
 * that stick out moved to the front; of few blocks, all placements. That search places blocks from the ground up: each
 * lies on the highest of those below that are alive with it, so a placement is an order of blocks, and an order is left
 * as soon as what must still be placed at some time no longer fits. All of it is bounded by counted steps. */
#include "plan.h"

enum {
    MANY_BLOCKS = 3000,              /* beyond that, only sweeps are tried */
    MANY_ALIVE = 4000,               /* beyond that, no holes between them are sought */
    MANY_PAIRS = 1 << 22,
    FEW_BLOCKS = 64,                 /* up to that, all placements are searched */
    CHANGE_STEPS = 4 << 20, CHANGES_MOST = 4000, SEARCH_STEPS = 200000
};

typedef struct Placer {
    Ctx *c;
    Block *blocks; int n;
    int64_t bound, best;
    int64_t *kept;                   /* offsets of the best placement, by index */
    int *from, *near;                /* by index: those alive together with it, near[from[i]] to near[from[i + 1]] */
    bool *placed;                    /* by index */
    Block **beside;                  /* room for first_fit */
    int *order, *tried;              /* of indices: the one that gave the best placement; one that is tried */
} Placer;

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static bool together(const Block *a, const Block *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static void keep_best(Placer *p, int64_t bytes)
{
    if (bytes >= p->best) return;
    p->best = bytes;
    for (int i = 0; i < p->n; i++) p->kept[i] = p->blocks[i].offset;
}

/* ---- orders -------------------------------------------------------------------------------------------------- */

static int by_index(const Block *x, const Block *y)
{
    return x->index - y->index;
}

static int by_bytes(const void *a, const void *b)
{
    const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
    return x->bytes != y->bytes ? x->bytes < y->bytes ? 1 : -1 : by_index(x, y);
}

static int by_area(const void *a, const void *b)
{
    const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
    const double p = (double)x->bytes * (x->last - x->first + 1), q = (double)y->bytes * (y->last - y->first + 1);
    return p < q || p > q ? p < q ? 1 : -1 : by_index(x, y);
}

static int by_start(const void *a, const void *b)
{
    const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
    return x->first != y->first ? x->first - y->first : by_index(x, y);
}

static int by_end(const void *a, const void *b)
{
    const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
    return x->last != y->last ? y->last - x->last : by_index(y, x);
}

static int by_life(const void *a, const void *b)
{
    const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
    const int p = x->last - x->first, q = y->last - y->first;
    return p != q ? q - p : by_bytes(a, b);
}

static int by_offset(const void *a, const void *b)
{
    const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
    return x->offset != y->offset ? x->offset < y->offset ? -1 : 1 : by_index(x, y);
}

/* ---- sweeps -------------------------------------------------------------------------------------------------- */

/* The lowest place for b among those in `beside`, which are sorted by offset and alive together with it. */
static int64_t first_fit(const Block *b, Block *const *beside, int n)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        if (at + b->bytes <= beside[i]->offset) break;
        int64_t end = round_up(beside[i]->offset + beside[i]->bytes, b->align);
        if (end > at) at = end;
    }
    return at;
}

/* In the order of birth (or of death, back: lives seen from the end), against those alive now: linear in the number of
 * blocks where few are alive at a time. */
static void sweep(Placer *p, Block *const *order, bool back)
{
    Block **alive = p->beside;       /* sorted by offset */
    int count = 0, ends = INT_MAX;   /* ends: the first kernel that is the last one of any */
    int64_t end = 0;
    for (int i = 0; i < p->n; i++) {
        Block *b = order[i];
        const int first = back ? -b->last : b->first, last = back ? -b->first : b->last;
        int kept = 0, at = 0;
        if (ends < first) {
            ends = INT_MAX;
            for (int j = 0; j < count; j++) {
                const int its = back ? -alive[j]->first : alive[j]->last;
                if (its < first) continue;
                alive[kept++] = alive[j];
                if (its < ends) ends = its;
            }
            count = kept;
        }
        if (last < ends) ends = last;
        const bool full = count > MANY_ALIVE;
        b->offset = full ? round_up(end, b->align) : first_fit(b, alive, count);
        if (full) at = count;
        while (at < count && alive[at]->offset <= b->offset) at++;
        memmove(alive + at + 1, alive + at, sizeof *alive * (size_t)(count - at));
        alive[at] = b;
        count++;
        if (b->offset + b->bytes > end) end = b->offset + b->bytes;
    }
    keep_best(p, end);
}

/* ---- first fit in any order ---------------------------------------------------------------------------------- */

/* Lists who is alive together with whom; false: too many pairs. */
static bool find_near(Placer *p)
{
    const int n = p->n;
    int64_t pairs = 0;
    p->from = SCRATCH_N(p->c, int, n + 1);
    for (int i = 0; i < n; i++) {
        p->from[i] = (int)pairs;
        for (int j = 0; j < n; j++) pairs += j != i && together(&p->blocks[i], &p->blocks[j]);
        if (pairs > MANY_PAIRS) return false;
    }
    p->from[n] = (int)pairs;
    p->near = SCRATCH_N(p->c, int, pairs + 1);
    for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j != i && together(&p->blocks[i], &p->blocks[j])) p->near[k++] = j;
    return true;
}

static void place_in_order(Placer *p, const int *order)
{
    int64_t end = 0;
    memset(p->placed, 0, sizeof *p->placed * (size_t)p->n);
    for (int i = 0; i < p->n && end < p->best; i++) {
        Block *b = &p->blocks[order[i]];
        int k = 0;
        for (int j = p->from[b->index]; j < p->from[b->index + 1]; j++)
            if (p->placed[p->near[j]]) p->beside[k++] = &p->blocks[p->near[j]];
        qsort(p->beside, (size_t)k, sizeof *p->beside, by_offset);
        b->offset = first_fit(b, p->beside, k);
        p->placed[b->index] = true;
        if (b->offset + b->bytes > end) end = b->offset + b->bytes;
    }
    if (end < p->best) memmove(p->order, order, sizeof *order * (size_t)p->n);
    keep_best(p, end);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The best order with one block, most often one that sticks out of the bound, moved ahead. */
static void change_order(Placer *p, uint32_t *random)
{
    const int n = p->n;
    memcpy(p->tried, p->order, sizeof *p->order * (size_t)n);
    for (int moves = 1 + (int)(next_random(random) % 3); moves > 0; moves--) {
        int from = (int)(next_random(random) % (uint32_t)n);
        for (int i = 0; i < n && next_random(random) % 4; i++) {
            const int b = p->tried[(from + i) % n];
            if (p->kept[b] + p->blocks[b].bytes <= p->bound) continue;
            from = (from + i) % n;
            break;
        }
        const int to = (int)(next_random(random) % (uint32_t)(from + 1)), moved = p->tried[from];
        memmove(p->tried + to + 1, p->tried + to, sizeof *p->tried * (size_t)(from - to));
        p->tried[to] = moved;
    }
}

static void change_orders(Placer *p)
{
    uint32_t random = 1;
    const int64_t step = p->from[p->n] + p->n;
    for (int64_t k = 0; k < CHANGES_MOST && k * step < CHANGE_STEPS && p->best > p->bound; k++) {
        change_order(p, &random);
        place_in_order(p, p->tried);
    }
}

/* ---- all placements of few blocks ---------------------------------------------------------------------------- */

typedef struct Search {
    Placer *p;
    int steps, times;                /* moments: at each some block begins */
    int from[FEW_BLOCKS], to[FEW_BLOCKS];    /* moments of a block: from <= t < to */
    int64_t left[FEW_BLOCKS];        /* by moment: bytes that are yet to be placed */
    int64_t low[FEW_BLOCKS + 1][FEW_BLOCKS]; /* by depth: the lowest place of each, above those placed */
} Search;

static void find_moments(Search *s, Block *const *sorted)
{
    const Placer *p = s->p;
    int at[FEW_BLOCKS];
    for (int i = 0; i < p->n; i++)
        if (s->times == 0 || at[s->times - 1] != sorted[i]->first) at[s->times++] = sorted[i]->first;
    for (int i = 0; i < p->n; i++) {
        const Block *b = &p->blocks[i];
        for (int t = s->times; t-- > 0;) {
            if (at[t] > b->last || at[t] < b->first) continue;
            s->from[i] = t;
            if (s->to[i] == 0) s->to[i] = t + 1;
            s->left[t] += b->bytes;
        }
    }
}

/* Whether b may be the next one: below it there is no room for another one that is left, and what is left above it
 * fits. */
static bool may_be_next(const Search *s, int b, const int64_t *low, int64_t ceiling, int64_t ground)
{
    const Placer *p = s->p;
    if (p->placed[b] || low[b] < ground || low[b] >= ceiling) return false;
    for (int t = s->from[b]; t < s->to[b]; t++)
        if (low[b] + s->left[t] >= p->best) return false;
    return true;
}

static void search(Search *s, int depth, int64_t ground, int64_t end)
{
    Placer *p = s->p;
    const int64_t *low = s->low[depth];
    int64_t *above = s->low[depth + 1], ceiling = INT64_MAX;
    if (depth == p->n) keep_best(p, end);
    for (int i = 0; i < p->n && depth < p->n; i++)
        if (!p->placed[i] && low[i] + p->blocks[i].bytes < ceiling) ceiling = low[i] + p->blocks[i].bytes;
    for (int i = 0; i < p->n && depth < p->n; i++) {
        Block *b = &p->blocks[i];
        if (p->best <= p->bound || s->steps >= SEARCH_STEPS) return;
        if (!may_be_next(s, i, low, ceiling, ground)) continue;
        s->steps++;
        b->offset = low[i];
        const int64_t top = low[i] + b->bytes;
        memcpy(above, low, sizeof s->low[0]);
        bool fits = top < p->best;
        for (int j = p->from[i]; j < p->from[i + 1]; j++) {
            const int k = p->near[j];
            const int64_t at = round_up(top, p->blocks[k].align);
            if (p->placed[k] || above[k] >= at) continue;
            above[k] = at;
            fits = fits && at + p->blocks[k].bytes < p->best;
        }
        if (!fits) continue;
        p->placed[i] = true;
        for (int t = s->from[i]; t < s->to[i]; t++) s->left[t] -= b->bytes;
        search(s, depth + 1, low[i], top > end ? top : end);
        for (int t = s->from[i]; t < s->to[i]; t++) s->left[t] += b->bytes;
        p->placed[i] = false;
        b->offset = low[i];
    }
}

static void search_all(Placer *p, Block **sorted)
{
    if (p->n > FEW_BLOCKS || p->best <= p->bound) return;
    Search *s = SCRATCH_N(p->c, Search, 1);
    s->p = p;
    qsort(sorted, (size_t)p->n, sizeof *sorted, by_start);
    find_moments(s, sorted);
    memset(p->placed, 0, sizeof *p->placed * (size_t)p->n);
    search(s, 0, 0, 0);
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

static void place(Placer *p, Block **sorted)
{
    int (*const orders[])(const void *, const void *) = {by_bytes, by_area, by_life, by_start};
    for (int back = 0; back < 2 && p->best > p->bound; back++) {
        qsort(sorted, (size_t)p->n, sizeof *sorted, back ? by_end : by_start);
        sweep(p, sorted, back);
    }
    if (p->best <= p->bound || p->n > MANY_BLOCKS || !find_near(p)) return;
    const int64_t swept = p->best;
    p->best = INT64_MAX;             /* an order to start from, whatever the sweeps gave */
    int64_t *offsets = SCRATCH_N(p->c, int64_t, p->n);
    memcpy(offsets, p->kept, sizeof *offsets * (size_t)p->n);
    for (int o = 0; o < COUNT(orders) && p->best > p->bound; o++) {
        qsort(sorted, (size_t)p->n, sizeof *sorted, orders[o]);
        for (int i = 0; i < p->n; i++) p->tried[i] = sorted[i]->index;
        place_in_order(p, p->tried);
    }
    if (p->best > p->bound) change_orders(p);
    if (swept <= p->best) {
        p->best = swept;
        memcpy(p->kept, offsets, sizeof *offsets * (size_t)p->n);
    }
    search_all(p, sorted);
}

int64_t blocks_place(Ctx *c, Block *blocks, int n, int64_t bound)
{
    Mark m = scratch_mark(c);
    Placer p = {.c = c, .blocks = blocks, .n = n, .bound = bound, .best = INT64_MAX};
    Block **sorted = SCRATCH_N(c, Block *, n + 1);
    p.kept = SCRATCH_N(c, int64_t, n + 1);
    p.placed = SCRATCH_N(c, bool, n + 1);
    p.beside = SCRATCH_N(c, Block *, n + 1);
    p.order = SCRATCH_N(c, int, n + 1);
    p.tried = SCRATCH_N(c, int, n + 1);
    for (int i = 0; i < n; i++) {
        blocks[i].index = i;
        sorted[i] = &blocks[i];
    }
    if (n) place(&p, sorted);
    for (int i = 0; i < n; i++) blocks[i].offset = p.kept[i];
    scratch_release(c, m);
    return n ? p.best : 0;
}
