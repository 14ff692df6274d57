/* OpenVINO IR: from XML to layers, ports and edges as they are written, in one pass over the elements as they stream by
 * (openvino_sax.c). Networks within layers are nested up to MAX_NESTING. What a list holds is gathered in one place and
 * then copied, so that no room is left unused.
 */
#include "openvino.h"
#include "openvino_sax.h"

typedef struct Xml {
    Ov *x;
    Ctx *c;
    Sax *s;
    int nets;                        /* within each other */
    VEC(XPort) ports;                /* of the list that is read */
    VEC(Pair) pairs;
    VEC(MDim) dims;
} Xml;

void ov_fault(Ov *x, Loc loc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fault_limited(x->c, &x->faults, loc, fmt, args);
    va_end(args);
}

static Loc place(const Xml *m)
{
    return (Loc){m->x->src, m->s->line, 0, NULL};
}

/* The next child of the element that is the depth-th, whatever was read of the last one; false: there is none. */
static bool child(Xml *m, int depth)
{
    while (sax_step(m->s)) {
        if (m->s->kind == SAX_END && m->s->depth < depth)
            return false;
        if (m->s->kind == SAX_BEGIN && m->s->depth == depth + 1)
            return true;
    }
    return false;
}

static bool is(const Xml *m, Word w)
{
    return m->s->name == m->s->words[w];
}

/* Where a number of that name goes, of n that have one. */
typedef struct Slot { Word word; int64_t *to; } Slot;

static int64_t *slot(const Xml *m, const char *name, int n, const Slot *slots)
{
    for (int i = 0; i < n; i++)
        if (name == m->s->words[slots[i].word])
            return slots[i].to;
    return NULL;
}

static int64_t number(Xml *m, const char *name, const char *text)
{
    int64_t v = -1;
    if (ov_int(text, &v) && v >= -1)
        return v;
    ov_fault(m->x, place(m), "%s=\"%.40s\": a whole number is expected", name, text);
    return -1;
}

/* n things of that size, behind the *have that are at `at`. */
static void *joined(Ctx *c, const void *at, int *have, int n, const void *more, size_t size)
{
    char *p = mem_alloc(c, mem_times(size, (size_t)*have + (size_t)n));
    if (*have)
        memcpy(p, at, size * (size_t)*have);
    if (n)
        memcpy(p + size * (size_t)*have, more, size * (size_t)n);
    *have += n;
    return p;
}

/* ---- ports ------------------------------------------------------------------------------------------------------- */

/* What stands in <dim>. */
static int64_t dim_text(Xml *m)
{
    int depth = m->s->depth;
    char text[32] = "";
    int64_t v;
    while (sax_step(m->s) && !(m->s->kind == SAX_END && m->s->depth < depth)) {
        size_t n = strlen(text);
        if (m->s->kind == SAX_TEXT)
            snprintf(text + n, sizeof text - n, "%s", m->s->text + (n ? 0 : strspn(m->s->text, " \t\r\n")));
    }
    if (ov_int(text, &v) && v >= -1)
        return v;
    ov_fault(m->x, place(m), "<dim>%s</dim>: a size is expected, or -1 for one that is not known", text);
    return -1;
}

/* Of an input only its number counts: its type is that of what it reads. */
static XPort port_read(Xml *m, bool output)
{
    XPort p = {.id = -1, .loc = place(m)};
    DType dt = DT_NONE;
    int depth = m->s->depth, more = 0;
    m->dims.n = 0;
    for (const SaxAttr *a; (a = sax_attribute(m->s));)
        if (a->name == m->s->words[WORD_id])
            p.id = number(m, a->name, a->value);
        else if (output && a->name == m->s->words[WORD_precision])
            dt = ov_type(a->value);
        else if (output && a->name == m->s->words[WORD_names] && *a->value)
            p.names = intern(m->c, a->value);
    while (output && child(m, depth)) {
        if (!is(m, WORD_dim))
            continue;
        MDim d = {dim_text(m), NULL};
        if (m->dims.n < MAX_RANK)
            VEC_PUSH(m->c, m->dims, d);
        else if (!more++)
            ov_fault(m->x, p.loc, "the port has more than %d dimensions", MAX_RANK);
    }
    if (dt == DT_NONE)
        return p;
    MType *t = NEW(m->c, MType);
    *t = (MType){.kind = M_TENSOR, .loc = p.loc, .dt = dt, .rank = m->dims.n,
                 .dims = mem_copy(m->c, m->dims.at, sizeof(MDim) * (size_t)m->dims.n)};
    p.type = t;
    return p;
}

/* <input> or <output> of a layer. */
static void ports_read(Xml *m, XLayer *l, bool output)
{
    int depth = m->s->depth;
    m->ports.n = 0;
    while (child(m, depth))
        if (is(m, WORD_port))
            VEC_PUSH(m->c, m->ports, port_read(m, output));
    if (output)
        l->out.at = joined(m->c, l->out.at, &l->out.n, m->ports.n, m->ports.at, sizeof(XPort));
    else
        l->in.at = joined(m->c, l->in.at, &l->in.n, m->ports.n, m->ports.at, sizeof(XPort));
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

static XNet *net_read(Xml *m);

/* <data> of a layer. */
static void attrs_read(Xml *m, XLayer *l)
{
    m->pairs.n = 0;
    for (const SaxAttr *a; (a = sax_attribute(m->s));)
        VEC_PUSH(m->c, m->pairs, ((Pair){intern(m->c, a->name), intern(m->c, a->value)}));
    l->attrs.at = joined(m->c, l->attrs.at, &l->attrs.n, m->pairs.n, m->pairs.at, sizeof(Pair));
}

static XEdge edge_read(Xml *m)
{
    XEdge e = {-1, -1, -1, -1, place(m)};
    const Slot slots[] = {{WORD_from_layer, &e.from}, {WORD_from_port, &e.from_port}, {WORD_to_layer, &e.to},
                          {WORD_to_port, &e.to_port}};
    for (const SaxAttr *a; (a = sax_attribute(m->s));) {
        int64_t *to = slot(m, a->name, COUNT(slots), slots);
        if (to)
            *to = number(m, a->name, a->value);
    }
    return e;
}

static XMap map_read(Xml *m)
{
    XMap p = {.output = is(m, WORD_output), .loc = place(m), .port = -1, .layer = -1, .axis = -1, .end = -1,
              .stride = 1, .part = 1, .purpose = ""};
    const Slot slots[] = {{WORD_outer_port, &p.port}, {WORD_inner_layer, &p.layer}, {WORD_axis, &p.axis},
                          {WORD_start, &p.start},     {WORD_end, &p.end},           {WORD_stride, &p.stride},
                          {WORD_part_size, &p.part}};
    bool sliced = false;
    for (const SaxAttr *a; (a = sax_attribute(m->s));) {
        int64_t *to = slot(m, a->name, COUNT(slots), slots);
        sliced |= to == &p.axis;
        if (to && !ov_int(a->value, to))
            number(m, a->name, a->value);
        if (a->name == m->s->words[WORD_purpose])
            p.purpose = intern(m->c, a->value);
    }
    if (!sliced)
        p.axis = INT64_MIN;          /* a negative axis counts from the back */
    return p;
}

/* What a layer holds of a body, if the element is that. */
static void body_read(Xml *m, XLayer *l)
{
    const char *name = m->s->name;
    bool second = !strncmp(name, "else_", 5);
    int depth = m->s->depth;
    if (second || !strncmp(name, "then_", 5))
        name += 5;
    if (!strcmp(name, "body"))
        l->bodies[second] = net_read(m);
    else if (!strcmp(name, "port_map"))
        while (child(m, depth))
            VEC_PUSH(m->c, l->maps[second], map_read(m));
    else if (!strcmp(name, "back_edges"))
        while (child(m, depth))
            VEC_PUSH(m->c, l->backs[second], edge_read(m));
}

static XLayer *layer_read(Xml *m)
{
    XLayer *l = NEW(m->c, XLayer);
    int depth = m->s->depth;
    *l = (XLayer){.id = -1, .loc = place(m), .name = "", .type = "", .version = ""};
    for (const SaxAttr *a; (a = sax_attribute(m->s));)
        if (a->name == m->s->words[WORD_id])
            l->id = number(m, a->name, a->value);
        else if (a->name == m->s->words[WORD_name])
            l->name = intern(m->c, a->value);
        else if (a->name == m->s->words[WORD_type])
            l->type = intern(m->c, a->value);
        else if (a->name == m->s->words[WORD_version])
            l->version = intern(m->c, a->value);
    while (child(m, depth))
        if (is(m, WORD_input) || is(m, WORD_output))
            ports_read(m, l, is(m, WORD_output));
        else if (is(m, WORD_data))
            attrs_read(m, l);
        else
            body_read(m, l);
    if (!*l->type)
        ov_fault(m->x, l->loc, "the layer '%s' has no type", l->name);
    layer_number(m->c, l);
    return l;
}

/* <net> or a body. */
static XNet *net_read(Xml *m)
{
    XNet *n = NEW(m->c, XNet);
    int depth = m->s->depth;
    *n = (XNet){.name = "", .loc = place(m)};
    if (m->nets++ >= MAX_NESTING)
        fatal(m->c, n->loc, "networks are nested more than %d deep here", MAX_NESTING);
    while (child(m, depth))
        if (is(m, WORD_layers))
            while (child(m, depth + 1)) {
                if (is(m, WORD_layer))
                    VEC_PUSH(m->c, n->layers, layer_read(m));
            }
        else if (is(m, WORD_edges))
            while (child(m, depth + 1))
                VEC_PUSH(m->c, n->edges, edge_read(m));
    m->nets--;
    net_number(m->x, n);
    return n;
}

/* NULL: the root is another element, or there is none. */
static XNet *root_read(Xml *m, int64_t *version)
{
    const char *called = "";
    if (!sax_step(m->s))
        return NULL;
    if (!is(m, WORD_net)) {
        ov_fault(m->x, place(m), "the root element is <%s>: OpenVINO IR has <net>", m->s->name);
        return NULL;
    }
    for (const SaxAttr *a; (a = sax_attribute(m->s));)
        if (a->name == m->s->words[WORD_version])
            *version = number(m, a->name, a->value);
        else if (a->name == m->s->words[WORD_name])
            called = intern(m->c, a->value);
    XNet *n = net_read(m);
    n->name = called;
    while (sax_step(m->s))           /* to the end: what follows must be well-formed too */
        ;
    return n;
}

XNet *ov_xml(Ov *x, const File *f, int64_t *version)
{
    Xml m = {.x = x, .c = x->c};
    if (f->size > INT_MAX)
        fatal(x->c, (Loc){x->src, 1, 0, NULL}, "the XML is larger than 2 GiB");
    m.s = sax_new(x->c, f->data, f->size);
    XNet *n = root_read(&m, version);
    if (!*m.s->why)
        return n;
    ov_fault(x, (Loc){x->src, m.s->where, 0, NULL}, "%s", m.s->why);
    return NULL;
}
