/* The tables of ir/loop: open addressing with linear probing over power-of-two sizes.
 *
 * A slot keeps the full hash of its node, so growing never calls back, and a predicate is only asked about nodes
 * whose 64 bits agree. Nothing is ever removed. The place of a node depends on contents and creation numbers, never
 * on addresses. */
#include "looptab.h"

struct LoopTab *loop_tab(Ctx *c)
{
    if (c->loop == NULL) {
        c->loop = NEW(c, struct LoopTab);
        c->loop->vars = MAX_RANK;
    }
    return c->loop;
}

/* One step of a multiply-and-fold hash: every bit of h and v reaches every bit of the result. */
uint64_t hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ (h >> 29);
}

const void *hash_find(const Hash *h, uint64_t hash, bool (*same)(const void *node, const void *key), const void *key)
{
    if (h->cap == 0)
        return NULL;
    for (size_t i = hash & (h->cap - 1); h->at[i].node != NULL; i = (i + 1) & (h->cap - 1))
        if (h->at[i].hash == hash && same(h->at[i].node, key))
            return h->at[i].node;
    return NULL;
}

static void put(Hash *h, Slot s)
{
    size_t i = s.hash & (h->cap - 1);
    while (h->at[i].node != NULL)
        i = (i + 1) & (h->cap - 1);
    h->at[i] = s;
}

static void grow(Ctx *c, Hash *h)
{
    Hash old = *h;
    h->cap = old.cap == 0 ? 64 : 2 * old.cap;
    h->at = NEW_N(c, Slot, h->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i].node != NULL)
            put(h, old.at[i]);
}

void hash_add(Ctx *c, Hash *h, uint64_t hash, const void *node)
{
    if (4 * (h->n + 1) > 3 * h->cap)
        grow(c, h);
    put(h, (Slot){ hash, node });
    h->n++;
}
