/* Functions and subgraphs: bodies that are built in place, once per use, in a scope of their own.
 * A function sees its inputs only, has opsets of its own, and its attributes by reference; a call that leaves out an
 * attribute without a default leaves it out of the nodes that refer to it. A subgraph sees what surrounds it; it is
 * built when the operator that has it asks. Recursion is refused, nesting and the number of nodes made are limited, so
 * the work is bounded by the model's size and that limit. */
#include "import.h"

enum { MOST_ATTRS = 1000, SHOWN_CALLS = 8 };    /* calls around a fault that are told, the outer ones */

/* ---- finding functions ----------------------------------------------------------------------------------------- */

typedef struct Callee { const MFunction *f; const struct Callee *next; } Callee;

static bool same_callee(const MFunction *f, const char *domain, const char *overload)
{
    return !strcmp(f->domain, domain) && !strcmp(f->overload, overload);
}

void functions_open(Import *im)
{
    const MModel *m = im->m;
    for (int i = 0; i < m->nfunctions; i++) {
        const MFunction *f = &m->functions[i];
        Slot *slot = table_slot(im->c, &im->functions, f->name);
        const MFunction *first = NULL;
        int like = 0;
        for (const Callee *k = slot->what; k; k = k->next, like++)
            if (same_callee(k->f, f->domain, f->overload))
                first = k->f;
        if (like >= MOST_ATTRS)
            fatal(im->c, f->loc, "more than %d functions are named '%s'", MOST_ATTRS, f->name);
        if (first) {
            error(im->c, f->loc, "function '%s' is defined twice: domain, name and overload must differ", f->name);
            note(im->c, first->loc, "'%s' is first defined here", f->name);
            continue;
        }
        Callee *k = NEW(im->c, Callee);
        *k = (Callee){f, slot->what};
        slot->what = k;
    }
}

const MFunction *function_find(Import *im, const MNode *n)
{
    const Slot *slot = table_find(&im->functions, n->op);
    for (const Callee *k = slot ? slot->what : NULL; k; k = k->next)
        if (same_callee(k->f, n->domain, n->overload))
            return k->f;
    return NULL;
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static bool subgraph_inline(Build *b, const Subgraph *g, Edge *const *in, Edge **out);

static const Subgraph *closure(Scope *s, const MGraph *g)
{
    Subgraph *sub = NEW(s->im->c, Subgraph);
    *sub = (Subgraph){g->nins, g->nouts, subgraph_inline, g, s};
    return sub;
}

static const Attr *frame_attr(const Frame *f, const char *name)
{
    for (int i = 0; i < f->nattrs; i++)
        if (f->attrs[i].name == name)
            return &f->attrs[i];
    return NULL;
}

static bool declares(const MFunction *f, const char *name)
{
    for (int i = 0; i < f->nattrs; i++)
        if (f->attrs[i].name == name)
            return true;
    for (int i = 0; i < f->ndefaults; i++)
        if (f->defaults[i].a.name == name)
            return true;
    return false;
}

/* "= @name". *present: the call gives it a value. False: a fault was reported. */
static bool reference(const Scope *s, const MAttr *m, Attr *to, bool *present)
{
    Ctx *c = s->im->c;
    const Frame *f = s->frame;
    *present = false;
    if (!f) {
        error(c, m->a.loc, "attribute '%s' refers to '@%s', but only a function has attributes to refer to", m->a.name,
              m->ref);
        return false;
    }
    const Attr *a = frame_attr(f, m->ref);
    if (!a && declares(f->f, m->ref))
        return true;
    if (!a) {
        error(c, m->a.loc, "attribute '%s' refers to '@%s', which is no attribute of function '%s'", m->a.name, m->ref,
              f->f->name);
        return false;
    }
    if (m->a.kind && m->a.kind != a->kind) {
        error(c, m->a.loc, "attribute '%s': '@%s' has a value of another type than is stated here", m->a.name, m->ref);
        note(c, a->loc, "its value is given here");
        return false;
    }
    *to = *a;
    to->name = m->a.name;
    to->loc = m->a.loc;
    *present = true;
    return true;
}

static bool attr_import(Scope *s, const MAttr *m, Attr *to, bool *present)
{
    Ctx *c = s->im->c;
    *present = true;
    if (m->ref)
        return reference(s, m, to, present);
    *to = m->a;
    if (m->a.kind == ATTR_GRAPH)
        to->graph = closure(s, m->graphs[0]);
    if (m->a.kind == ATTR_GRAPHS) {
        const Subgraph **graphs = NEW_N(c, const Subgraph *, m->a.n);
        for (int i = 0; i < m->a.n; i++)
            graphs[i] = closure(s, m->graphs[i]);
        to->graphs = graphs;
    }
    if (m->a.kind == ATTR_TYPES)
        to->type = m->types;
    return m->a.kind != 0;           /* 0: reported when it was read */
}

bool attrs_import(Scope *s, const MNode *n, Attr *to, int *count)
{
    bool ok = true, present;
    *count = 0;
    for (int i = 0; i < n->nattrs; i++) {
        bool good = attr_import(s, &n->attrs[i], &to[*count], &present);
        ok &= good;
        *count += good && present;
    }
    return ok;
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

static const Attr *given(const Attr *attrs, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (attrs[i].name == name)
            return &attrs[i];
    return NULL;
}

/* What the function's attributes are in this call. */
static bool frame_attrs(Scope *s, const MNode *n, Frame *frame)
{
    Ctx *c = s->im->c;
    const MFunction *f = frame->f;
    Attr *call = NEW_N(c, Attr, n->nattrs), *all = NEW_N(c, Attr, f->nattrs + f->ndefaults);
    int ncall, count = 0;
    bool ok = attrs_import(s, n, call, &ncall), present;
    for (int i = 0; i < f->nattrs; i++) {
        const Attr *a = given(call, ncall, f->attrs[i].name);
        if (a)
            all[count++] = *a;
    }
    for (int i = 0; i < f->ndefaults; i++) {
        const MAttr *m = &f->defaults[i];
        const Attr *a = given(call, ncall, m->a.name);
        if (a)
            all[count++] = *a;
        else if (m->ref || !attr_import(s, m, &all[count], &present))
            ok = false;
        else
            count++;
    }
    for (int i = 0; i < ncall; i++)
        if (!declares(f, call[i].name))
            warning(c, call[i].loc, "attribute '%s' is no attribute of function '%s' and is ignored", call[i].name,
                    f->name);
    frame->attrs = all;
    frame->nattrs = count;
    return ok;
}

/* False: the call is not possible, which was reported. */
static bool may_call(const Scope *s, const MNode *n, const MFunction *f)
{
    Ctx *c = s->im->c;
    for (const Frame *k = s->frame; k; k = k->caller)
        if (k->f == f) {
            error(c, n->loc, "function '%s' calls itself: recursion cannot be compiled", f->name);
            return false;
        }
    if (s->frame && s->frame->depth >= MAX_NESTING)
        error(c, n->loc, "calls of functions are nested more than %d deep here", MAX_NESTING);
    else if (n->nin > f->nins)
        error(c, n->loc, "function '%s' takes at most %d input%s, the call has %d", f->name, f->nins,
              f->nins == 1 ? "" : "s", n->nin);
    else if (n->nout > f->nouts)
        error(c, n->loc, "function '%s' gives %d output%s, the call asks for %d", f->name, f->nouts,
              f->nouts == 1 ? "" : "s", n->nout);
    else if (f->nattrs + f->ndefaults > MOST_ATTRS || n->nattrs > MOST_ATTRS)
        error(c, n->loc, "function '%s': more than %d attributes", f->name, MOST_ATTRS);
    else
        return true;
    return false;
}

static void poison_outputs(Scope *s, const MNode *n)
{
    for (int k = 0; k < n->nout; k++)
        if (*n->out[k].name)
            scope_set(s, n->out[k].name, n->out[k].loc, build_poison(s->im->b, n->out[k].name, n->out[k].loc));
}

static Scope *call_scope(Scope *s, const MNode *n, Frame *frame)
{
    const MFunction *f = frame->f;
    const MModel *m = s->im->m;
    const char *base = *n->name ? n->name : n->nout ? n->out[0].name : f->name;
    Scope *t = scope_new(s->im, NULL, scope_name(s, base));
    t->frame = frame;
    t->opsets = f->nopsets ? f->opsets : m->opsets_stated ? m->meta->opsets : NULL;
    t->nopsets = f->nopsets ? f->nopsets : m->meta->nopsets;
    for (int k = 0; k < n->nout; k++)
        if (*n->out[k].name) {
            const Slot *stated = table_find(&s->declared, n->out[k].name);
            table_slot(s->im->c, &t->names, f->outs[k].name)->as = scope_name(s, n->out[k].name);
            declared_set(t, f->outs[k].name, stated ? stated->what : NULL);
        }
    for (int k = 0; k < f->nins; k++) {
        const MName *in = k < n->nin ? &n->in[k] : NULL;
        scope_define(t, f->ins[k].name, f->ins[k].loc, in && *in->name ? scope_use(s, in->name, in->loc) : NULL);
    }
    return t;
}

void function_inline(Scope *s, const MNode *n, const MFunction *f)
{
    Import *im = s->im;
    Frame *frame = NEW(im->c, Frame);
    *frame = (Frame){s->frame, f, s->frame ? s->frame->depth + 1 : 1, 0, NULL};
    if (!may_call(s, n, f) || !frame_attrs(s, n, frame)) {
        poison_outputs(s, n);
        return;
    }
    copies_count(im, f->nnodes, n->loc);
    Scope *t = call_scope(s, n, frame);
    int errors = im->c->errors;
    scope_declare(t, f->nnodes, f->nodes);
    declared_open(t, 0, NULL, f->ninfos, f->infos);
    nodes_import(t, f->nnodes, f->nodes);
    for (int k = 0; k < n->nout; k++) {
        const MName *out = &n->out[k];
        if (!*out->name)
            continue;
        const int before = im->c->errors;
        Edge *e = scope_output(t, f->outs[k].name, f->outs[k].loc);
        if (!e && im->c->errors == before)
            error(im->c, out->loc, "function '%s' gives its input '%s' back as output %d, but this call leaves it out",
                  f->name, f->outs[k].name, k);
        scope_set(s, out->name, out->loc, e ? e : build_poison(im->b, out->name, out->loc));
    }
    if (im->c->errors > errors && frame->depth <= SHOWN_CALLS)
        note(im->c, n->loc, "in function '%s', called here", f->name);
}

/* ---- subgraphs ------------------------------------------------------------------------------------------------- */

static bool subgraph_inline(Build *b, const Subgraph *g, Edge *const *in, Edge **out)
{
    const MGraph *m = g->model;
    const Scope *outer = g->scope;
    Import *im = outer->im;
    Scope *s = scope_new(im, outer, b->prefix ? b->prefix : outer->prefix);
    bool ok = true;
    if (m->nins && !in) {
        error(im->c, m->loc, "graph '%s' has inputs, but is given none here", m->name);
        return false;
    }
    copies_count(im, m->nnodes + m->ninits, m->loc);
    for (int k = 0; k < m->nins; k++)
        scope_define(s, m->ins[k].name, m->ins[k].loc, in[k]);
    inits_import(s, m);
    scope_declare(s, m->nnodes, m->nodes);
    declared_open(s, m->nouts, m->outs, m->ninfos, m->infos);
    nodes_import(s, m->nnodes, m->nodes);
    for (int k = 0; k < m->ninfos; k++) {
        const Slot *slot = table_find(&s->names, m->infos[k].name);
        check_declared(im, slot ? slot->edge : NULL, &m->infos[k], DECL_INNER);
    }
    for (int k = 0; k < m->nouts; k++) {
        out[k] = scope_output(s, m->outs[k].name, m->outs[k].loc);
        if (out[k])
            check_declared(im, out[k], &m->outs[k], DECL_INNER);
        ok &= out[k] && !edge_poisoned(out[k]);
    }
    return ok;
}
