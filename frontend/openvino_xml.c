/* OpenVINO IR: from XML to layers, ports and edges as they are written, in one pass of libxml2's xmlreader. Nothing is
 * fetched, and a document type declaration is refused before anything of it is used: there are no entities but the
 * five of XML. Nesting is bounded by libxml2 (256 elements) and for networks within layers by MAX_NESTING.
 * The parser's own line is ahead of what the reader shows, and a node's line ends at 65535: lines are counted here, by
 * a walk over the text that finds the begin of every element. Nothing is allocated from the context within a callback.
 */
#include "openvino.h"

#include <libxml/xmlreader.h>

enum { FAULTS = 100 };

typedef struct Xml {
    Ov *x;
    Ctx *c;
    xmlTextReaderPtr r;
    const char *at, *end;            /* behind the begin of the last element */
    uint32_t line;                   /* of it */
    bool broken;
    int nets;                        /* within each other */
    char why[200];                   /* the first fault of the XML itself, and its line */
    int where;
} Xml;
typedef struct Element { int depth; bool empty; } Element;

void ov_fault(Ov *x, Loc loc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = vinternf(x->c, fmt, args);
    va_end(args);
    if (++x->faults > FAULTS)
        fatal(x->c, loc, "%s; too many faults: reading ends here", text);
    error(x->c, loc, "%s", text);
}

/* ---- the document as it streams by ------------------------------------------------------------------------------- */

/* Within libxml2: notes the fault, no more. */
static void complain(void *arg, xmlErrorPtr e)
{
    Xml *m = arg;
    if (m->where || e->level < XML_ERR_ERROR)
        return;
    m->where = e->line > 0 ? e->line : 1;
    snprintf(m->why, sizeof m->why, "%s", e->message ? e->message : "it cannot be parsed");
    m->why[strcspn(m->why, "\r\n")] = 0;
}

static const char *behind(const char *s, const char *end, const char *mark)
{
    const char *found = memmem(s, (size_t)(end - s), mark, strlen(mark));
    return found ? found + strlen(mark) : end;
}

static void count_lines(Xml *m, const char *to)
{
    for (const char *s = m->at; (s = memchr(s, '\n', (size_t)(to - s))); s++)
        m->line++;
    m->at = to;
}

/* To the begin of the next element in the text; what stands there is well-formed. */
static void find_element(Xml *m)
{
    const char *s = m->at, *end = m->end;
    while ((s = memchr(s, '<', (size_t)(end - s))) && ++s < end) {
        if (*s == '?')
            s = behind(s, end, "?>");
        else if (end - s > 3 && !memcmp(s, "!--", 3))
            s = behind(s + 3, end, "-->");
        else if (*s == '!')
            s = behind(s, end, "]]>");
        else if (*s != '/')
            break;
    }
    if (s)
        count_lines(m, s);
}

static Loc place(const Xml *m)
{
    return (Loc){m->x->src, m->line, 0, NULL};
}

static bool step(Xml *m)
{
    if (m->broken || xmlTextReaderRead(m->r) != 1)
        return false;
    int kind = xmlTextReaderNodeType(m->r);
    if (kind == XML_READER_TYPE_DOCUMENT_TYPE) {
        m->broken = true;
        ov_fault(m->x, place(m), "a document type declaration (<!DOCTYPE) is not allowed in OpenVINO IR: remove it");
        return false;
    }
    if (kind == XML_READER_TYPE_ELEMENT)
        find_element(m);
    return true;
}

static Element element(const Xml *m)
{
    return (Element){xmlTextReaderDepth(m->r), xmlTextReaderIsEmptyElement(m->r) == 1};
}

/* The next child of e, whatever was read of the last one; false: there is none. */
static bool child(Xml *m, const Element *e)
{
    while (!e->empty && step(m)) {
        int kind = xmlTextReaderNodeType(m->r), depth = xmlTextReaderDepth(m->r);
        if (kind == XML_READER_TYPE_END_ELEMENT && depth == e->depth)
            return false;
        if (kind == XML_READER_TYPE_ELEMENT && depth == e->depth + 1)
            return true;
    }
    return false;
}

static bool is(const Xml *m, const char *name)
{
    return !strcmp((const char *)xmlTextReaderConstLocalName(m->r), name);
}

/* The next attribute of the element; false: no more, and the reader is back at the element. */
static bool attribute(Xml *m, const char **name, const char **value)
{
    if (xmlTextReaderMoveToNextAttribute(m->r) != 1) {
        xmlTextReaderMoveToElement(m->r);
        return false;
    }
    *name = (const char *)xmlTextReaderConstLocalName(m->r);
    *value = (const char *)xmlTextReaderConstValue(m->r);
    if (!*value)
        *value = "";
    return true;
}

static int64_t number(Xml *m, const char *name, const char *text)
{
    int64_t v = -1;
    if (ov_int(text, &v) && v >= -1)
        return v;
    ov_fault(m->x, place(m), "%s=\"%.40s\": a whole number is expected", name, text);
    return -1;
}

/* ---- ports ------------------------------------------------------------------------------------------------------- */

/* What stands in <dim>. */
static int64_t dim_text(Xml *m)
{
    Element e = element(m);
    char text[32] = "";
    int64_t v;
    while (!e.empty && step(m)) {
        int kind = xmlTextReaderNodeType(m->r);
        if (kind == XML_READER_TYPE_END_ELEMENT && xmlTextReaderDepth(m->r) == e.depth)
            break;
        const char *part = (const char *)xmlTextReaderConstValue(m->r);
        size_t n = strlen(text);
        if (kind == XML_READER_TYPE_TEXT && part)
            snprintf(text + n, sizeof text - n, "%s", part);
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
    const char *name, *value;
    VEC(MDim) dims = {0};
    while (attribute(m, &name, &value))
        if (!strcmp(name, "id"))
            p.id = number(m, name, value);
        else if (!strcmp(name, "precision"))
            dt = output ? ov_type(value) : DT_NONE;
        else if (output && !strcmp(name, "names") && *value)
            p.names = intern(m->c, value);
    Element e = element(m);
    while (output && child(m, &e)) {
        if (!is(m, "dim"))
            continue;
        MDim d = {dim_text(m), NULL};
        if (dims.n < MAX_RANK)
            VEC_PUSH(m->c, dims, d);
        else
            ov_fault(m->x, p.loc, "the port has more than %d dimensions", MAX_RANK);
    }
    if (dt == DT_NONE)
        return p;
    MType *t = NEW(m->c, MType);
    *t = (MType){.kind = M_TENSOR, .loc = p.loc, .dt = dt, .rank = dims.n, .dims = dims.at};
    p.type = t;
    return p;
}

/* <input> or <output> of a layer. */
static void ports_read(Xml *m, XLayer *l, bool output)
{
    Element e = element(m);
    while (child(m, &e)) {
        if (!is(m, "port"))
            continue;
        XPort p = port_read(m, output);
        if (output)
            VEC_PUSH(m->c, l->out, p);
        else
            VEC_PUSH(m->c, l->in, p);
    }
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

static XNet *net_read(Xml *m);

static XEdge edge_read(Xml *m)
{
    XEdge e = {-1, -1, -1, -1, place(m)};
    const char *name, *value;
    while (attribute(m, &name, &value)) {
        int64_t *to = !strcmp(name, "from-layer")  ? &e.from
                      : !strcmp(name, "from-port") ? &e.from_port
                      : !strcmp(name, "to-layer")  ? &e.to
                      : !strcmp(name, "to-port")   ? &e.to_port
                                                   : NULL;
        if (to)
            *to = number(m, name, value);
    }
    return e;
}

static XMap map_read(Xml *m)
{
    XMap p = {.output = is(m, "output"), .loc = place(m), .port = -1, .layer = -1, .axis = -1, .end = -1, .stride = 1,
              .part = 1, .purpose = ""};
    const char *name, *value;
    bool sliced = false;
    while (attribute(m, &name, &value)) {
        int64_t *to = !strcmp(name, "external_port_id")    ? &p.port
                      : !strcmp(name, "internal_layer_id") ? &p.layer
                      : !strcmp(name, "axis")              ? &p.axis
                      : !strcmp(name, "start")             ? &p.start
                      : !strcmp(name, "end")               ? &p.end
                      : !strcmp(name, "stride")            ? &p.stride
                      : !strcmp(name, "part_size")         ? &p.part
                                                           : NULL;
        sliced |= to == &p.axis;
        if (to && !ov_int(value, to))
            number(m, name, value);
        if (!strcmp(name, "purpose"))
            p.purpose = intern(m->c, value);
    }
    if (!sliced)
        p.axis = INT64_MIN;          /* a negative axis counts from the back */
    return p;
}

/* Whether the element is what a layer holds of a body; then it is read. */
static bool body_read(Xml *m, XLayer *l)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(m->r);
    bool second = !strncmp(name, "else_", 5);
    if (second || !strncmp(name, "then_", 5))
        name += 5;
    Element e = element(m);
    if (!strcmp(name, "body"))
        l->bodies[second] = net_read(m);
    else if (!strcmp(name, "port_map"))
        while (child(m, &e))
            VEC_PUSH(m->c, l->maps[second], map_read(m));
    else if (!strcmp(name, "back_edges"))
        while (child(m, &e))
            VEC_PUSH(m->c, l->backs[second], edge_read(m));
    else
        return false;
    return true;
}

static XLayer *layer_read(Xml *m)
{
    XLayer *l = NEW(m->c, XLayer);
    const char *name, *value;
    *l = (XLayer){.id = -1, .loc = place(m), .name = "", .type = "", .version = ""};
    while (attribute(m, &name, &value)) {
        const char **to = !strcmp(name, "name") ? &l->name : !strcmp(name, "type") ? &l->type
                        : !strcmp(name, "version") ? &l->version : NULL;
        if (to)
            *to = intern(m->c, value);
        else if (!strcmp(name, "id"))
            l->id = number(m, name, value);
    }
    Element e = element(m);
    while (child(m, &e)) {
        if (is(m, "input") || is(m, "output"))
            ports_read(m, l, is(m, "output"));
        else if (is(m, "data"))
            while (attribute(m, &name, &value))
                VEC_PUSH(m->c, l->attrs, ((Pair){intern(m->c, name), intern(m->c, value)}));
        else
            body_read(m, l);
    }
    if (!*l->type)
        ov_fault(m->x, l->loc, "the layer '%s' has no type", l->name);
    return l;
}

/* <net> or a body. */
static XNet *net_read(Xml *m)
{
    XNet *n = NEW(m->c, XNet);
    Element e = element(m);
    *n = (XNet){.name = "", .loc = place(m)};
    if (m->nets++ >= MAX_NESTING)
        fatal(m->c, n->loc, "networks are nested more than %d deep here", MAX_NESTING);
    while (child(m, &e)) {
        Element list = element(m);
        if (is(m, "layers"))
            while (child(m, &list)) {
                if (is(m, "layer"))
                    VEC_PUSH(m->c, n->layers, layer_read(m));
            }
        else if (is(m, "edges"))
            while (child(m, &list))
                VEC_PUSH(m->c, n->edges, edge_read(m));
    }
    m->nets--;
    return n;
}

static XNet *root_read(Xml *m, int64_t *version)
{
    const char *name, *value, *called = "";
    bool found = false;
    while (!found && step(m))
        found = xmlTextReaderNodeType(m->r) == XML_READER_TYPE_ELEMENT;
    if (!found)
        return NULL;
    if (!is(m, "net")) {
        ov_fault(m->x, place(m), "the root element is <%s>: OpenVINO IR has <net>",
                 (const char *)xmlTextReaderConstLocalName(m->r));
        m->broken = true;
        return NULL;
    }
    while (attribute(m, &name, &value))
        if (!strcmp(name, "version"))
            *version = number(m, name, value);
        else if (!strcmp(name, "name"))
            called = intern(m->c, value);
    XNet *n = net_read(m);
    n->name = called;
    while (step(m))                  /* to the end: what follows must be well-formed too */
        ;
    return n;
}

static void reader_free(void *r)
{
    xmlFreeTextReader(r);
}

XNet *ov_xml(Ov *x, const File *f, int64_t *version)
{
    Xml m = {.x = x, .c = x->c, .at = f->data, .end = f->data + f->size, .line = 1};
    Loc top = {x->src, 1, 0, NULL};
    if (f->size > INT_MAX)
        fatal(x->c, top, "the XML is larger than 2 GiB");
    m.r = xmlReaderForMemory(f->data, (int)f->size, NULL, NULL,
                             XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_NOBLANKS | XML_PARSE_COMPACT);
    if (!m.r)
        out_of_memory(x->c);
    ctx_defer(x->c, reader_free, m.r);
    xmlTextReaderSetStructuredErrorHandler(m.r, complain, &m);
    XNet *n = root_read(&m, version);
    xmlTextReaderSetStructuredErrorHandler(m.r, NULL, NULL);
    if (m.broken)
        return NULL;
    if (m.where || !n) {
        Loc loc = {x->src, m.where ? (uint32_t)m.where : m.line, 0, NULL};
        ov_fault(x, loc, "the XML is not well-formed: %s", m.where ? m.why : "there is no element");
        return NULL;
    }
    return n;
}
