/* Names and what they stand for. Tables hash the pointers of interned strings; results never depend on their order, for
 * which the list of names is kept. A name that is not found is reported once and then stands for a poisoned edge. */
#include "import.h"

enum { SEARCHES = 20, CANDIDATES = 1000 };       /* of names spelled alike: they cost time */

static size_t place(const Table *t, const char *name)
{
    uint64_t h = (uint64_t)(uintptr_t)name * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(h >> 32) & (t->cap - 1);
    while (t->at[i] && t->at[i]->name != name)
        i = (i + 1) & (t->cap - 1);
    return i;
}

Slot *table_find(const Table *t, const char *name)
{
    return t->cap ? t->at[place(t, name)] : NULL;
}

static void grow(Ctx *c, Table *t)
{
    Table old = *t;
    t->cap = old.cap ? old.cap * 2 : 16;
    t->at = NEW_N(c, Slot *, t->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i])
            t->at[place(t, old.at[i]->name)] = old.at[i];
}

Slot *table_slot(Ctx *c, Table *t, const char *name)
{
    if (4 * (t->n + 1) > 3 * t->cap)
        grow(c, t);
    Slot **at = &t->at[place(t, name)];
    if (*at)
        return *at;
    Slot *s = *at = NEW(c, Slot);
    s->name = name;
    t->n++;
    if (t->names.n < CANDIDATES)
        VEC_PUSH(c, t->names, name);
    return s;
}

const char *table_nearest(const Table *t, const char *name)
{
    return t->names.n ? nearest(name, t->names.at, t->names.n) : NULL;
}

/* ---- scopes ---------------------------------------------------------------------------------------------------- */

Scope *scope_new(Import *im, const Scope *outer, const char *prefix)
{
    Scope *s = NEW(im->c, Scope);
    *s = (Scope){.im = im, .outer = outer, .prefix = prefix};
    if (outer) {
        s->frame = outer->frame;
        s->opsets = outer->opsets;
        s->nopsets = outer->nopsets;
    }
    return s;
}

const char *scope_name(const Scope *s, const char *name)
{
    const Slot *slot = table_find(&s->names, name);
    if (slot && slot->as)
        return slot->as;
    return s->prefix ? internf(s->im->c, "%s/%s", s->prefix, name) : name;
}

static void twice(const Scope *s, const Slot *first, const char *name, Loc loc)
{
    error(s->im->c, loc, "'%s' is defined twice: a name may be defined once only", name);
    note(s->im->c, first->loc, "'%s' is first defined here", name);
}

void scope_define(Scope *s, const char *name, Loc loc, Edge *e)
{
    Slot *slot = table_slot(s->im->c, &s->names, name);
    if (slot->state != SLOT_NEW) {
        twice(s, slot, name, loc);
        return;
    }
    slot->state = SLOT_READY;
    slot->loc = loc;
    slot->edge = e;
}

void scope_declare(Scope *s, int n, const MNode *const *nodes)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nodes[i]->nout; k++) {
            const MName *out = &nodes[i]->out[k];
            if (!*out->name)
                continue;
            Slot *slot = table_slot(s->im->c, &s->names, out->name);
            const MNode *by = nodes[i]->nin == 0 && nodes[i]->nout == 1 ? nodes[i] : NULL;
            if (slot->state == SLOT_LATER && slot->by && by) {
                if (s->im->doubles++ == 0)
                    warning(s->im->c, out->loc, "'%s' is defined twice: of constants, the last one of a name counts "
                            "(others like it are not told)", out->name);
                slot->by = by;
                continue;
            }
            if (slot->state != SLOT_NEW) {
                twice(s, slot, out->name, out->loc);
                continue;
            }
            slot->state = SLOT_LATER;
            slot->by = by;
            slot->loc = out->loc;
        }
}

const MNode *scope_definer(const Scope *s, const MNode *n)
{
    const Slot *slot = n->nin == 0 && n->nout == 1 ? table_find(&s->names, n->out[0].name) : NULL;
    return !slot || !slot->by ? n : slot->state == SLOT_READY ? NULL : slot->by;
}

void scope_set(Scope *s, const char *name, Loc loc, Edge *e)
{
    Slot *slot = table_slot(s->im->c, &s->names, name);
    if (slot->state == SLOT_READY)
        return;                      /* defined twice: the first one counts */
    slot->state = SLOT_READY;
    slot->loc = loc;
    slot->edge = e;
}

/* ---- use ------------------------------------------------------------------------------------------------------- */

static void undefined(const Scope *s, const char *name, Loc loc, bool output)
{
    Import *im = s->im;
    const char *near = NULL;
    im->b->nameless++;
    if (im->m->broken)
        return;                      /* it may be in a part that could not be read */
    if (im->searches++ < SEARCHES)
        for (const Scope *t = s; t && !near; t = t->outer)
            near = table_nearest(&t->names, name);
    const char *advice = output ? ": give it to a node as output, or name another value as the graph's output"
                                : ": it must be an input, a constant or the output of a node";
    error(im->c, loc, "%s'%s' is not defined%s%s", output ? "output " : "", name, output ? " by any node" : "",
          near ? internf(im->c, "; did you mean '%s'?", near) : advice);
}

/* The nodes were put into order (order.c): only a cycle is left. */
static void too_early(const Scope *s, const Slot *slot, Loc loc)
{
    s->im->b->nameless++;
    error(s->im->c, loc,
          "'%s' is used before it is defined, in whatever order: the nodes go round in a circle here, and none may "
          "depend on itself",
          slot->name);
    note(s->im->c, slot->loc, "'%s' is defined here", slot->name);
}

static Edge *use(Scope *s, const char *name, Loc loc, bool output)
{
    Slot *slot = NULL;
    for (const Scope *t = s; t; t = t->outer)
        if ((slot = table_find(&t->names, name)) && slot->state != SLOT_NEW)
            break;
    if (slot && slot->state == SLOT_READY)
        return slot->edge;
    Edge *poison = build_poison(s->im->b, name, loc);
    if (slot && slot->state == SLOT_LATER)
        too_early(s, slot, loc);
    else {
        undefined(s, name, loc, output);
        scope_set(s, name, loc, poison);
    }
    return poison;
}

Edge *scope_use(Scope *s, const char *name, Loc loc)
{
    return use(s, name, loc, false);
}

Edge *scope_output(Scope *s, const char *name, Loc loc)
{
    return use(s, name, loc, true);
}
