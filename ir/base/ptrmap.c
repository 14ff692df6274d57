/* A map from pointers to pointers: open addressing, doubled when half full, in scratch memory: it must not grow between
 * somebody else's mark and its release. Keys are interned or hash-consed things, so their address is their identity.
 * What was made one after the other lies side by side in memory, and so it does in the table: most walks go along.
 * There is no way to walk a map, since the order would follow addresses and differ from run to run. */
#include "base.h"

enum { SPACING = 3, FOLD = 17 };     /* keys may be short strings side by side; far ones are moved apart */

static size_t place(const PtrMap *m, const void *key)
{
    const size_t a = (size_t)(uintptr_t)key;
    size_t i = ((a >> SPACING) + (a >> FOLD) * 31) & (m->cap - 1);
    while (m->at[i].key && m->at[i].key != key) i = (i + 1) & (m->cap - 1);
    return i;
}

void *ptrmap_get(const PtrMap *m, const void *key)
{
    return m->cap ? m->at[place(m, key)].value : NULL;
}

static void resize(Ctx *c, PtrMap *m, size_t cap)
{
    PtrMap to = {.cap = cap, .n = m->n};
    to.at = SCRATCH_N(c, PtrPair, to.cap);
    for (size_t i = 0; i < m->cap; i++)
        if (m->at[i].key) to.at[place(&to, m->at[i].key)] = m->at[i];
    *m = to;
}

void ptrmap_reserve(Ctx *c, PtrMap *m, size_t count)
{
    size_t cap = 16;
    while (cap < 2 * (count + 1)) cap *= 2;
    if (cap > m->cap) resize(c, m, cap);
}

void ptrmap_put(Ctx *c, PtrMap *m, const void *key, void *value)
{
    if (2 * (m->n + 1) > m->cap) resize(c, m, m->cap ? 2 * m->cap : 16);
    size_t i = place(m, key);
    if (!m->at[i].key) m->n++;
    m->at[i] = (PtrPair){key, value};
}
