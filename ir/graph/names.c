/* Edges have unique names. The table holds every name that was given out, by its interned pointer, with the numbers
 * that were last tried behind it, so that a thousand copies of one name cost a thousand steps. Nothing depends on
 * the order of the table. */
#include "build.h"

/* next: of those behind '_' and behind '/', above a lowest bit that says of next[0] whether the name is taken */
typedef struct Name { const char *name; uint32_t next[2]; } Name;
struct NameTab { Name *at; size_t n, cap; };

static size_t place(const Name *at, size_t cap, const char *name)
{
    uintptr_t a = (uintptr_t)name;       /* interned one after the other: neighbours stay neighbours */
    size_t i = (size_t)((a >> 4) + (a >> 17) * 31) & (cap - 1);
    while (at[i].name && at[i].name != name)
        i = (i + 1) & (cap - 1);
    return i;
}

/* The entry of an interned name, made when there is none. */
static Name *entry(Build *b, const char *name)
{
    if (!b->names)
        b->names = NEW(b->c, struct NameTab);
    struct NameTab *t = b->names;
    if (4 * (t->n + 1) > 3 * t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 16;
        Name *at = NEW_N(b->c, Name, cap);
        for (size_t i = 0; i < t->cap; i++)
            if (t->at[i].name)
                at[place(at, cap, t->at[i].name)] = t->at[i];
        t->at = at;
        t->cap = cap;
    }
    Name *e = &t->at[place(t->at, t->cap, name)];
    t->n += !e->name;
    e->name = name;
    return e;
}

/* True: it was free. */
bool name_take(Build *b, const char *name)
{
    Name *e = entry(b, name);
    bool was = e->next[0] & 1;
    e->next[0] |= 1;
    return !was;
}

void name_free(Build *b, const char *name)
{
    entry(b, name)->next[0] &= ~UINT32_C(1);
}

/* base, '_' or '/', and a number. */
static const char *with_number(Ctx *c, const char *base, char sep, uint32_t k)
{
    char text[256];
    size_t n = strlen(base), at = sizeof text;
    if (n > sizeof text - 16)
        return internf(c, "%s%c%u", base, sep, (unsigned)k);
    do
        text[--at] = (char)('0' + k % 10);
    while (k /= 10);
    text[--at] = sep;
    at -= n;
    memcpy(text + at, base, n);
    return intern_n(c, text + at, sizeof text - at);
}

/* The number is `first` or the one after the last that was tried. */
static const char *numbered(Build *b, const char *base, char sep, uint32_t first)
{
    uint32_t k = entry(b, base)->next[sep == '/'] >> 1;
    const char *name;
    if (k < first)
        k = first;
    do
        name = with_number(b->c, base, sep, k++);
    while (!name_take(b, name));
    uint32_t *next = &entry(b, base)->next[sep == '/'];
    *next = k << 1 | (*next & 1);
    return name;
}

const char *name_unique(Build *b, const char *want)
{
    want = intern(b->c, want);
    return name_take(b, want) ? want : numbered(b, want, '_', 2);
}

const char *name_fresh(Build *b)
{
    return numbered(b, b->prefix ? b->prefix : intern(b->c, "v"), '/', 1);
}
