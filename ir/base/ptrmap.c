/* A map from pointers to pointers: open addressing, doubled when half full, in scratch memory: it must not grow between
 * somebody else's mark and its release. Keys are interned or hash-consed things, so their address is their identity.
 * There is no way to walk a map, since the order would follow addresses and differ from run to run. */
#include "base.h"

static size_t place(const PtrMap *m, const void *key)
{
    size_t i = (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u) >> 20) & (m->cap - 1);
    while (m->keys[i] && m->keys[i] != key) i = (i + 1) & (m->cap - 1);
    return i;
}

void *ptrmap_get(const PtrMap *m, const void *key)
{
    return m->cap ? m->values[place(m, key)] : NULL;
}

static void grow(Ctx *c, PtrMap *m)
{
    PtrMap to = {.cap = m->cap ? 2 * m->cap : 16, .n = m->n};
    to.keys = SCRATCH_N(c, const void *, to.cap);
    to.values = SCRATCH_N(c, void *, to.cap);
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->keys[i]) continue;
        size_t at = place(&to, m->keys[i]);
        to.keys[at] = m->keys[i];
        to.values[at] = m->values[i];
    }
    *m = to;
}

void ptrmap_put(Ctx *c, PtrMap *m, const void *key, void *value)
{
    if (2 * (m->n + 1) > m->cap) grow(c, m);
    size_t i = place(m, key);
    if (!m->keys[i]) m->n++;
    m->keys[i] = key;
    m->values[i] = value;
}
