/* Edges have unique names. The table holds every name that was given out, by its interned pointer, with the numbers
 * that were last tried behind it, so that a thousand copies of one name cost a thousand steps. Nothing depends on
 * the order of the table. */
#include "build.h"

typedef struct Name { const char *name; int next[2]; bool taken; } Name;
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
    bool was = e->taken;
    e->taken = true;
    return !was;
}

void name_free(Build *b, const char *name)
{
    entry(b, name)->taken = false;
}

/* base, '_' or '/', and a number: `first` or the one after the last that was tried. */
static const char *numbered(Build *b, const char *base, char sep, int first)
{
    int k = entry(b, base)->next[sep == '/'];
    const char *name;
    if (k < first)
        k = first;
    do
        name = internf(b->c, "%s%c%d", base, sep, k++);
    while (!name_take(b, name));
    entry(b, base)->next[sep == '/'] = k;
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
