/* Letters and sets of characters: the tables of text.def's char_recase, and intervals of character codes. */
#include "regex.h"
#include "scalar.h"

typedef struct Case { uint32_t first, last; int step, add; } Case;

static const Case lower[] = {
#define LOWER(first, last, step, add) { first, last, step, add },
#include "case.def"
};
static const Case upper[] = {
#define UPPER(first, last, step, add) { first, last, step, add },
#include "case.def"
};

static void put(uint8_t *to, int bytes, uint32_t v)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

const Tensor *case_table(Ctx *c, bool to_upper)
{
    const Case *from = to_upper ? upper : lower;
    int64_t n = to_upper ? COUNT(upper) : COUNT(lower), bytes = 2 + 10 * n;
    Tensor *t = tensor_new(c, type_make(c, DT_U8, 1, &bytes));
    uint8_t *to = (uint8_t *)(uintptr_t)t->data;
    put(to, 2, (uint32_t)n);
    for (int64_t i = 0; i < n; i++) {
        put(to + 2 + 10 * i, 3, from[i].first);
        put(to + 5 + 10 * i, 3, from[i].last);
        put(to + 8 + 10 * i, 1, (uint32_t)from[i].step);
        put(to + 9 + 10 * i, 3, (uint32_t)from[i].add & 0xFFFFFF);
    }
    return t;
}

const char *text_recased(Ctx *c, const char *s, bool to_upper)
{
    const int room = c->string_bytes + 1;
    char *to = NEW_N(c, char, room);
    Value text = { .s = s }, table = { .s = case_table(c, to_upper)->data };
    scalar_write_fn(OP_recase, DT_STRING)(to, room, text, table);
    return intern(c, to);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

void spans_add(Ctx *c, Spans *s, uint32_t lo, uint32_t hi)
{
    Span x = { lo, hi };
    VEC_PUSH(c, *s, x);
}

void spans_join(Ctx *c, Spans *s, const Spans *t)
{
    for (int i = 0; i < t->n; i++)
        VEC_PUSH(c, *s, t->at[i]);
}

static int by_lo(const void *a, const void *b)
{
    const Span *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

void spans_tidy(Spans *s)
{
    int n = 0;
    if (s->n)
        qsort(s->at, (size_t)s->n, sizeof *s->at, by_lo);
    for (int i = 0; i < s->n; i++)
        if (n && s->at[i].lo <= s->at[n - 1].hi + 1)
            s->at[n - 1].hi = s->at[i].hi > s->at[n - 1].hi ? s->at[i].hi : s->at[n - 1].hi;
        else
            s->at[n++] = s->at[i];
    s->n = n;
}

void spans_invert(Ctx *c, Spans *s)
{
    Spans t = { 0 };
    uint32_t from = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].lo > from)
            spans_add(c, &t, from, s->at[i].lo - 1);
        from = s->at[i].hi + 1;
    }
    if (from <= CHAR_MAX_CODE)
        spans_add(c, &t, from, CHAR_MAX_CODE);
    *s = t;
}

static bool spans_have(const Spans *s, int n, uint32_t u)
{
    for (int i = 0; i < n; i++)
        if (s->at[i].lo <= u && u <= s->at[i].hi)
            return true;
    return false;
}

static void fold_by(Ctx *c, Spans *s, const Case *k, int n)
{
    const int old = s->n;
    for (; n-- > 0; k++)
        for (uint32_t u = k->first; u <= k->last; u += (uint32_t)k->step) {
            const uint32_t v = u + (uint32_t)k->add;
            const bool has_u = spans_have(s, old, u), has_v = spans_have(s, old, v);
            if (has_u != has_v)
                spans_add(c, s, has_u ? v : u, has_u ? v : u);
        }
}

/* Twice, since three letters may be one: k, K and the Kelvin sign. */
void spans_fold(Ctx *c, Spans *s)
{
    for (int i = 0; i < 2; i++) {
        fold_by(c, s, lower, COUNT(lower));
        fold_by(c, s, upper, COUNT(upper));
        spans_tidy(s);
    }
}
