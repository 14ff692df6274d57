/* Unit tests of placement: no two blocks alive together overlap, and few blocks take the least bytes that any order
 * placed by first fit does (every placement is no better than one of those). */
#include "plan.h"
#include "unit.h"

enum { FEW = 6, MANY = 40 };

static uint32_t state;

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static bool together(const Block *a, const Block *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Of n blocks that live somewhere in `times` kernels; the most bytes alive at any of these. */
static int64_t make_blocks(Block *b, int n, int times, int sizes)
{
    int64_t most = 0;
    for (int i = 0; i < n; i++) {
        const int p = below(times), q = below(times);
        const int64_t align = 1 << below(4);
        b[i] = (Block){.first = p < q ? p : q, .last = p < q ? q : p, .align = align};
        b[i].bytes = align * (1 + below(sizes));
    }
    for (int t = 0; t < times; t++) {
        int64_t alive = 0;
        for (int i = 0; i < n; i++) alive += b[i].first <= t && t <= b[i].last ? b[i].bytes : 0;
        if (alive > most) most = alive;
    }
    return most;
}

static void check_blocks(const Block *b, int n, int64_t bytes)
{
    int64_t end = 0;
    for (int i = 0; i < n; i++) {
        ck_assert(b[i].offset >= 0 && b[i].offset % b[i].align == 0);
        if (b[i].offset + b[i].bytes > end) end = b[i].offset + b[i].bytes;
        for (int j = 0; j < i; j++)
            ck_assert(!together(&b[i], &b[j]) || b[i].offset + b[i].bytes <= b[j].offset ||
                      b[j].offset + b[j].bytes <= b[i].offset);
    }
    ck_assert_int_eq(end, bytes);
}

/* The lowest place for b[i] beside those that `done` names. */
static int64_t lowest(const Block *b, int i, const int *done, int n)
{
    for (int64_t at = 0;; at += b[i].align) {
        bool free = true;
        for (int k = 0; k < n && free; k++)
            free = !together(&b[i], &b[done[k]]) || at + b[i].bytes <= b[done[k]].offset ||
                   b[done[k]].offset + b[done[k]].bytes <= at;
        if (free) return at;
    }
}

static int64_t least(Block *b, int n, int *done, int ndone, int64_t end)
{
    int64_t best = INT64_MAX;
    if (ndone == n) return end;
    for (int i = 0; i < n; i++) {
        bool used = false;
        for (int k = 0; k < ndone; k++) used |= done[k] == i;
        if (used) continue;
        const int64_t at = b[i].offset = lowest(b, i, done, ndone);
        done[ndone] = i;
        const int64_t got = least(b, n, done, ndone + 1, at + b[i].bytes > end ? at + b[i].bytes : end);
        if (got < best) best = got;
        b[i].offset = at;
    }
    return best;
}

START_TEST(few_blocks_take_the_least)
{
    for (state = 1; state < (uint32_t)rounds(50, 150); state++) {
        const uint32_t seed = state;
        Block b[FEW];
        int done[FEW];
        const int n = 1 + below(FEW);
        make_blocks(b, n, 2 + below(6), 9);
        const int64_t want = least(b, n, done, 0, 0), got = blocks_place(c, b, n, 0);
        check_blocks(b, n, got);
        ck_assert_int_eq(got, want);
        state = seed;
    }
}
END_TEST

START_TEST(many_blocks_come_close_to_the_bound)
{
    int64_t bytes = 0, bounds = 0;
    for (state = 1; state < (uint32_t)rounds(10, 30); state++) {
        const uint32_t seed = state;
        Block b[MANY];
        const int64_t bound = make_blocks(b, MANY, 60, 100), got = blocks_place(c, b, MANY, bound);
        check_blocks(b, MANY, got);
        ck_assert(got >= bound);
        bytes += got;
        bounds += bound;
        state = seed;
    }
    ck_assert_int_le(100 * bytes, 102 * bounds);
}
END_TEST

START_TEST(very_many_blocks_are_placed_in_time)
{
    enum { N = 100000 };
    Block *b = NEW_N(c, Block, N);
    for (int i = 0; i < N; i++) b[i] = (Block){.first = i, .last = i + i % 7, .bytes = 4 * (1 + i % 5), .align = 4};
    ck_assert_int_le(blocks_place(c, b, N, 1), 200);
    ck_assert_int_eq(blocks_place(c, b, 0, 0), 0);
}
END_TEST

int main(void)
{
    TCase *t = case_new("place", context_new, context_free);
    tcase_add_test(t, few_blocks_take_the_least);
    tcase_add_test(t, many_blocks_come_close_to_the_bound);
    tcase_add_test(t, very_many_blocks_are_placed_in_time);
    return case_run("place", t);
}
