/* Types as a model declares them, against what is known: symbolic dimensions get their size with -D or from --shape,
 * what is declared of an output or a value is compared with what inference says. An input must be fully known in the
 * end: burin compiles static shapes. A symbol that no option binds takes the size of the first value that is computed
 * with it. */
#include "import.h"

/* ---- printing -------------------------------------------------------------------------------------------------- */

static const char *dim_text(Ctx *c, const MDim *d)
{
    return d->size >= 0 ? internf(c, "%lld", (long long)d->size) : d->name ? d->name : "?";
}

static const char *tensor_text(Ctx *c, const MType *t)
{
    char text[200] = "";
    size_t n = 0;
    if (t->rank < 0)
        return internf(c, "%s[]", dtype_name(t->dt));
    for (int i = 0; i < t->rank && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "," : "[", dim_text(c, &t->dims[i]));
    return internf(c, "%s%s%s", dtype_name(t->dt), text, n >= sizeof text ? "..." : t->rank ? "]" : "");
}

const char *mtype_text(Ctx *c, const MType *t)
{
    if (!t)
        return "no type";
    switch (t->kind) {
    case M_TENSOR:   return tensor_text(c, t);
    case M_SPARSE:   return internf(c, "sparse_tensor(%s)", tensor_text(c, t));
    case M_SEQUENCE: return internf(c, "seq(%s)", mtype_text(c, t->elem));
    case M_OPTIONAL: return internf(c, "optional(%s)", mtype_text(c, t->elem));
    case M_MAP:      return internf(c, "map(%s, %s)", dtype_name(t->dt), mtype_text(c, t->elem));
    default:         return internf(c, "opaque(%s%s%s)", t->domain, *t->domain ? "," : "", t->name);
    }
}

/* ---- symbols --------------------------------------------------------------------------------------------------- */

/* A tensor's type, or that of an optional one; NULL: of something else, or not stated. */
static const MType *tensor_of_type(const MType *t)
{
    while (t && t->kind == M_OPTIONAL)
        t = t->elem;
    return t && t->kind == M_TENSOR ? t : NULL;
}

static Symbol *symbol(Import *im, const char *name)
{
    Slot *slot = table_slot(im->c, &im->symbols, name);
    if (!slot->what) {
        Symbol *s = NEW(im->c, Symbol);
        *s = (Symbol){.size = -1};
        slot->what = s;
    }
    return (Symbol *)(uintptr_t)slot->what;
}

static const ShapeOption *shape_of(const ReadOptions *o, const char *input)
{
    for (int i = o ? o->nshapes : 0; i-- > 0;)
        if (!strcmp(o->shapes[i].input, input))
            return &o->shapes[i];
    return NULL;
}

static const TypeOption *type_of(const ReadOptions *o, const char *input)
{
    for (int i = o ? o->ntypes : 0; i-- > 0;)
        if (!strcmp(o->types[i].input, input))
            return &o->types[i];
    return NULL;
}

static const char *shape_text(Ctx *c, const ShapeOption *o)
{
    const char *text = internf(c, "--shape %s=", o->input);
    for (int i = 0; i < o->rank; i++)
        text = internf(c, "%s%s%lld", text, i ? "," : "", (long long)o->dims[i]);
    return text;
}

/* What --shape and --type say of one input: sizes of its symbols, or something else than the model. */
static void apply(Import *im, const MValueInfo *v)
{
    const MType *t = tensor_of_type(v->type);
    const ShapeOption *shape = shape_of(im->o, v->name);
    const TypeOption *type = type_of(im->o, v->name);
    if (!t)
        return;
    im->overridden |= type && type->dt != t->dt;
    if (!shape || t->rank < 0)
        return;
    im->overridden |= shape->rank != t->rank;
    for (int i = 0; shape->rank == t->rank && i < t->rank; i++) {
        const MDim *d = &t->dims[i];
        Symbol *s = d->name ? symbol(im, d->name) : NULL;
        if (s && s->size < 0)
            *s = (Symbol){.size = shape->dims[i], .option = shape_text(im->c, shape)};
        else if (s && s->size != shape->dims[i])
            error(im->c, v->loc, "%s contradicts %s: dimension '%s' of %s %s is given two sizes",
                  shape_text(im->c, shape), s->option, d->name, mtype_text(im->c, t), v->name);
        int64_t stated = s ? s->size : d->size;
        im->overridden |= stated >= 0 && stated != shape->dims[i];
    }
}

/* What is said of one input twice, but not alike. */
static void disagree(Import *im, const char *one, const char *other)
{
    if (strcmp(one, other))
        error(im->c, im->m->graph->loc, "%s contradicts %s", other, one);
}

static const char *option_text(Ctx *c, const TypeOption *o)
{
    return internf(c, "--type %s=%s", o->input, dtype_name(o->dt));
}

static void unknown_input(Import *im, const char *option, const char *name)
{
    const MGraph *g = im->m->graph;
    const char **names = SCRATCH_N(im->c, const char *, g->nins);
    for (int i = 0; i < g->nins; i++) {
        names[i] = g->ins[i].name;
        if (!strcmp(names[i], name))
            return;
    }
    if (!im->m->broken)
        option_unknown(im->c, g->loc, option, "input", name, g->nins, names);
}

void symbols_open(Import *im)
{
    const ReadOptions *o = im->o;
    const MGraph *g = im->m->graph;
    for (int i = 0; o && i < o->nbinds; i++) {
        const Bind *b = &o->binds[i];
        Symbol *s = symbol(im, intern(im->c, b->name));
        const char *option = internf(im->c, "-D %s=%lld", b->name, (long long)b->size);
        if (s->size >= 0 && s->size != b->size)
            error(im->c, g->loc, "%s contradicts %s", option, s->option);
        s->size = b->size;
        s->option = option;
    }
    for (int i = 0; o && i < o->nshapes; i++) {
        unknown_input(im, "--shape", o->shapes[i].input);
        disagree(im, shape_text(im->c, &o->shapes[i]), shape_text(im->c, shape_of(o, o->shapes[i].input)));
    }
    for (int i = 0; o && i < o->ntypes; i++) {
        unknown_input(im, "--type", o->types[i].input);
        disagree(im, option_text(im->c, &o->types[i]), option_text(im->c, type_of(o, o->types[i].input)));
    }
    for (int i = 0; o && o->nshapes + o->ntypes && i < g->nins; i++)
        apply(im, &g->ins[i]);
}

static void unknown_symbol(Import *im, const char *name)
{
    const int n = im->symbols.names.n;
    const char **names = SCRATCH_N(im->c, const char *, n);
    int used = 0;
    for (int k = 0; k < n; k++)
        if (symbol(im, im->symbols.names.at[k])->used)
            names[used++] = im->symbols.names.at[k];
    option_unknown(im->c, im->m->graph->loc, "-D", "dimension", name, used, names);
}

void symbols_close(Import *im)
{
    const ReadOptions *o = im->o;
    for (int i = 0; o && i < o->nbinds && !im->m->broken; i++) {
        const char *name = intern(im->c, o->binds[i].name);
        if (!symbol(im, name)->used)
            unknown_symbol(im, name);
        else if (o->binds[i].size == 0)
            warning(im->c, im->m->graph->loc, "-D %s=0: what has this dimension is empty", name);
    }
}

/* ---- inputs ---------------------------------------------------------------------------------------------------- */

static int64_t input_dim(Import *im, const MValueInfo *v, const MType *t, int i)
{
    Ctx *c = im->c;
    const MDim *d = &t->dims[i];
    if (d->size >= 0)
        return d->size;
    if (!d->name) {
        error(c, v->loc, "input '%s': dimension %d of %s is unknown: give the shape with --shape %s=%s", v->name, i,
              mtype_text(c, t), v->name, t->rank > 1 ? "SIZE,SIZE,..." : "SIZE");
        return -1;
    }
    Symbol *s = symbol(im, d->name);
    s->used = true;
    if (s->size < 0 && s->how != SYM_UNBOUND) {
        s->how = SYM_UNBOUND;
        error(c, v->loc, "input '%s': dimension '%s' of %s has no size: give it with -D %s=SIZE", v->name, d->name,
              mtype_text(c, t), d->name);
    }
    return s->size;
}

static bool input_dims(Import *im, const MValueInfo *v, const MType *t, int *rank, int64_t *dims)
{
    Ctx *c = im->c;
    const ShapeOption *shape = shape_of(im->o, v->name);
    bool known = true;
    if (shape) {
        *rank = shape->rank;
        for (int i = 0; i < shape->rank; i++)
            dims[i] = shape->dims[i];
        for (int i = 0; t && i < t->rank; i++)
            if (t->dims[i].name)
                symbol(im, t->dims[i].name)->used = true;
    } else if (!t)
        return false;
    else if (t->rank < 0) {
        error(c, v->loc,
              "input '%s' (%s) is of unknown rank, but shapes must be static: give its shape with --shape %s=2,3",
              v->name, mtype_text(c, t), v->name);
        return false;
    } else {
        *rank = t->rank;
        for (int i = 0; i < t->rank; i++)
            known &= (dims[i] = input_dim(im, v, t, i)) >= 0;
    }
    return known;
}

bool input_type(Import *im, const MValueInfo *v, Type *type)
{
    Ctx *c = im->c;
    const MType *t = tensor_of_type(v->type);
    const TypeOption *other = type_of(im->o, v->name);
    int64_t dims[MAX_RANK], count;
    int rank = 0;
    if (v->type && !t) {
        error(c, v->loc, "input '%s' is of type %s: only tensors are supported", v->name, mtype_text(c, v->type));
        return false;
    }
    if (!t && (!other || !shape_of(im->o, v->name))) {
        error(c, v->loc, "input '%s' has no type: state it, as in float[2,3] %s, or give --type and --shape", v->name,
              v->name);
        return false;
    }
    if (!input_dims(im, v, t, &rank, dims))
        return false;
    if (!dims_count(rank, dims, &count)) {
        error(c, v->loc, "input '%s': %s has more than 2^40 elements", v->name, dims_text(c, rank, dims));
        return false;
    }
    *type = type_make(c, other ? other->dt : t->dt, rank, dims);
    return true;
}

const MType *sequence_of(const MType *t)
{
    while (t && t->kind == M_OPTIONAL)
        t = t->elem;
    return t && t->kind == M_SEQUENCE ? tensor_of_type(t->elem) : NULL;
}

int input_length(Import *im, const MValueInfo *v)
{
    enum { MOST = 10000 };
    Symbol *s = symbol(im, v->name);
    s->used = true;
    if (s->size >= 0 && s->size <= MOST)
        return (int)s->size;
    error(im->c, v->loc, "input '%s' is a sequence, %s, whose length must be known: give it with -D %s=LENGTH, at most %d",
          v->name, mtype_text(im->c, v->type), v->name, MOST);
    return -1;
}

/* ---- what is declared, before anything is computed -------------------------------------------------------------- */

void declared_set(Scope *s, const char *name, const MType *t)
{
    t = tensor_of_type(t);
    if (!t || t->rank < 0 || !*name)
        return;
    Slot *slot = table_slot(s->im->c, &s->declared, name);
    if (!slot->what)
        slot->what = t;
}

void declared_open(Scope *s, int nouts, const MValueInfo *outs, int ninfos, const MValueInfo *infos)
{
    for (int i = 0; i < nouts; i++)
        declared_set(s, outs[i].name, outs[i].type);
    for (int i = 0; i < ninfos; i++)
        declared_set(s, infos[i].name, infos[i].type);
}

void declared_flow(Scope *s, int n, const MNode *const *nodes)
{
    for (int i = n; i-- > 0;) {
        const MNode *m = nodes[i];
        if (!m->nin || !m->nout || table_find(&s->declared, m->in[0].name))
            continue;
        const Slot *slot = table_find(&s->declared, m->out[0].name);
        if (slot && slot->what && build_keeps_shape(s->im->b, m->domain, m->op))
            declared_set(s, m->in[0].name, slot->what);
    }
}

Type declared_type(Scope *s, const char *name)
{
    const Slot *slot = table_find(&s->declared, name);
    const MType *t = slot ? slot->what : NULL;
    int64_t dims[MAX_RANK], count;
    if (!t)
        return (Type){0};
    for (int i = 0; i < t->rank; i++) {
        const Slot *size = t->dims[i].name ? table_find(&s->im->symbols, t->dims[i].name) : NULL;
        dims[i] = t->dims[i].size >= 0 || !size ? t->dims[i].size : ((const Symbol *)size->what)->size;
        if (dims[i] < 0)
            return (Type){0};
    }
    return dims_count(t->rank, dims, &count) ? type_make(s->im->c, t->dt, t->rank, dims) : (Type){0};
}

/* ---- what is declared, and what is computed -------------------------------------------------------------------- */

static void differs(Import *im, const Edge *e, const MValueInfo *v, Declared where, const char *why, bool sure)
{
    Ctx *c = im->c;
    const char *what = where == DECL_OUTPUT ? "output" : "value", *is = type_text(c, e->type),
               *said = mtype_text(c, v->type);
    if (im->overridden)
        return;
    if (where == DECL_OUTPUT && sure)
        error(c, v->loc, "%s '%s' is declared %s%s, but computed as %s: correct or drop what is declared", what,
              v->name, said, why, is);
    else
        warning(c, v->loc, "%s '%s' is declared %s%s, but computed as %s", what, v->name, said, why, is);
}

/* True when the dimension agrees; a symbol without a size takes it. Else *why: the symbol's size, and *sure: an option
 * or a size given for an input says it, not another output. */
static bool dim_agrees(Import *im, const MDim *d, int64_t size, Declared where, const char **why, bool *sure)
{
    if (d->size >= 0)
        return d->size == size;
    if (!d->name)
        return true;
    if (where == DECL_INNER) {       /* as it is computed; but there is such a name */
        const Slot *slot = table_find(&im->symbols, d->name);
        if (slot)
            symbol(im, d->name)->used = true;
        return true;
    }
    Symbol *s = symbol(im, d->name);
    s->used = true;
    if (s->size < 0 && s->how != SYM_UNBOUND) {
        s->size = size;
        s->how = SYM_COMPUTED;
    }
    if (s->size == size || s->size < 0)
        return true;
    *sure = s->how == SYM_BOUND;
    *why = internf(im->c, " with %s = %lld", d->name, (long long)s->size);
    return false;
}

void check_declared(Import *im, const Edge *e, const MValueInfo *v, Declared where)
{
    const MType *t = tensor_of_type(v->type);
    const char *why = "";
    if (!t || !e || edge_poisoned(e) || e->list)
        return;
    bool sure = true, same = t->dt == e->type.dt && (t->rank < 0 || t->rank == e->type.rank), agrees = true;
    for (int i = 0; same && agrees && i < t->rank; i++)
        agrees = dim_agrees(im, &t->dims[i], e->type.dims[i], where, &why, &sure);
    if (!same || !agrees)
        differs(im, e, v, where, why, sure);
}
