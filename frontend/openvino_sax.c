/* OpenVINO IR: the XML as a stream of elements. libxml2 is fed a piece of the text at a time; its callbacks (SAX2) note
 * in a buffer of our own what begins and ends there, so that nothing is allocated from the context, and no fault can
 * leave, while the library is at work. (Its xmlreader, which makes a tree, takes twice the time.) Names are words of
 * the parser's dictionary. Nothing is fetched, and a document type declaration is refused before anything of it is
 * used: there are no entities but the five of XML. Memory is linear in a piece and the largest tag. */
#include "openvino_sax.h"

#include <libxml/parser.h>

enum { PIECE = 64 << 10, BLOCK = 4 << 10, DEEPEST = 256, MOST_ATTRS = 4000, ALIGN = 8 };

typedef struct Event {
    const char *name;
    size_t size;                     /* to the next one */
    int kind;
    uint32_t line;
    int nattrs;                      /* SaxAttrs that follow; TEXT: the text does */
} Event;

/* ---- within libxml2: notes, no more ------------------------------------------------------------------------------ */

static void stop(Sax *s, const char *why)
{
    if (!*s->why) {
        s->where = s->parser->input && s->parser->input->line > 0 ? (uint32_t)s->parser->input->line : 1;
        snprintf(s->why, sizeof s->why, "%s", why);
    }
    xmlStopParser(s->parser);
}

/* n bytes behind what is noted; NULL: the machine has none. */
static void *noted(Sax *s, size_t n)
{
    if (s->cap - s->used < n) {
        size_t cap = s->cap * 2 + n;
        char *p = realloc(s->events, cap);
        if (!p) {
            s->no_memory = true;
            xmlStopParser(s->parser);
            return NULL;
        }
        s->events = p;
        s->cap = cap;
    }
    s->used += n;
    return s->events + s->used - n;
}

static size_t aligned(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* The line in which the tag begins whose end has been reached: no '<' can stand within it. */
static uint32_t begin_line(const Sax *s)
{
    const xmlParserInput *in = s->parser->input;
    int line = in->line;
    for (const xmlChar *p = in->cur; p-- > in->base && *p != '<';)
        line -= *p == '\n';
    return line > 0 ? (uint32_t)line : 1;
}

static void begin(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int nspaces,
                  const xmlChar **spaces, int nattrs, int ndefaults, const xmlChar **attrs)
{
    Sax *s = arg;
    size_t at = s->used;
    (void)prefix, (void)uri, (void)nspaces, (void)spaces, (void)ndefaults;
    if (++s->open > DEEPEST) {
        stop(s, "elements are nested more than 256 deep");
        return;
    }
    s->in_dim = (const char *)name == s->words[WORD_dim];
    Event *e = noted(s, sizeof *e);
    if (!e)
        return;
    *e = (Event){(const char *)name, 0, SAX_BEGIN, begin_line(s), nattrs};
    for (; nattrs > 0; nattrs--, attrs += 5) {       /* name, prefix, URI, the value's begin and end */
        size_t n = (size_t)(attrs[4] - attrs[3]), size = aligned(sizeof(SaxAttr) + n + 1);
        SaxAttr *a = noted(s, size);
        if (!a)
            return;
        a->name = (const char *)attrs[0];
        a->size = size;
        memcpy(a->value, attrs[3], n);
        a->value[n] = 0;
    }
    e = (void *)(s->events + at);
    e->size = s->used - at;
}

static void end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    Sax *s = arg;
    (void)name, (void)prefix, (void)uri;
    s->open--;
    s->in_dim = false;
    Event *e = noted(s, sizeof *e);
    if (e)
        *e = (Event){.size = sizeof *e, .kind = SAX_END};
}

static void characters(void *arg, const xmlChar *text, int n)
{
    Sax *s = arg;
    size_t size = aligned(sizeof(Event) + (size_t)n + 1);
    Event *e = s->in_dim ? noted(s, size) : NULL;
    if (!e)
        return;
    *e = (Event){.size = size, .kind = SAX_TEXT};
    memcpy(e + 1, text, (size_t)n);
    ((char *)(e + 1))[n] = 0;
}

static void doctype(void *arg, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stop(arg, "a document type declaration (<!DOCTYPE) is not allowed in OpenVINO IR: remove it");
}

static void complain(void *arg, xmlErrorPtr e)
{
    Sax *s = arg;
    if (*s->why || e->level < XML_ERR_ERROR)
        return;
    s->where = e->line > 0 ? (uint32_t)e->line : 1;
    snprintf(s->why, sizeof s->why, "the XML is not well-formed: %s", e->message ? e->message : "it cannot be parsed");
    s->why[strcspn(s->why, "\r\n")] = 0;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static void sax_free(void *arg)
{
    Sax *s = arg;
    xmlFreeParserCtxt(s->parser);
    free(s->events);
}

Sax *sax_new(Ctx *c, const char *document, size_t size)
{
#define W(id, text) text,
    static const char *const words[] = {SAX_WORDS(W)};
#undef W
    xmlSAXHandler h = {.initialized = XML_SAX2_MAGIC, .startElementNs = begin, .endElementNs = end,
                       .characters = characters, .ignorableWhitespace = characters, .cdataBlock = characters,
                       .internalSubset = doctype, .serror = complain};
    Sax *s = NEW(c, Sax);
    *s = (Sax){.c = c, .document = document, .size = size, .at = size < 4 ? size : 4, .line = 1};
    ctx_defer(c, sax_free, s);
    xmlSetStructuredErrorFunc(s, complain);
    s->parser = xmlCreatePushParserCtxt(&h, s, document, (int)s->at, NULL);  /* four bytes tell the encoding */
    xmlSetStructuredErrorFunc(NULL, NULL);
    /* NOENT: values come with & and not &#38; for &amp;. There are no other entities, as no DTD is taken. */
    if (!s->parser || xmlCtxtUseOptions(s->parser, XML_PARSE_NONET | XML_PARSE_NOENT))
        out_of_memory(c);
    for (int i = 0; i < WORD_COUNT; i++)
        if (!(s->words[i] = (const char *)xmlDictLookup(s->parser->dict, (const xmlChar *)words[i], -1)))
            out_of_memory(c);
    return s;
}

/* libxml2 compares each attribute of a tag with each. In blocks in which no tag begins, what may be one is counted. */
static bool crowded(Sax *s, const char *piece, size_t n)
{
    for (size_t at = 0, size; at < n; at += size) {
        const char *from = piece + at, *end;
        size = n - at < BLOCK ? n - at : BLOCK;
        end = from + size;
        if (memchr(from, '<', size))
            s->equals = 0;
        for (; !memchr(piece + at, '<', size) && (from = memchr(from, '=', (size_t)(end - from))); from++)
            s->equals++;
    }
    return s->equals > MOST_ATTRS;
}

/* Parses on until there is something new; false: there is no more. */
static bool more(Sax *s)
{
    s->used = s->next = 0;
    while (!s->used && !s->over && !*s->why) {
        size_t n = s->size - s->at < PIECE ? s->size - s->at : PIECE;
        bool last = s->at + n == s->size;
        if (crowded(s, s->document + s->at, n)) {
            stop(s, "a tag has more than 4000 attributes");
            break;
        }
        xmlSetStructuredErrorFunc(s, complain);      /* or it would print what it cannot decode */
        int fault = xmlParseChunk(s->parser, s->document + s->at, (int)n, last);
        xmlSetStructuredErrorFunc(NULL, NULL);
        s->at += n;
        if (s->no_memory || fault == XML_ERR_NO_MEMORY)
            out_of_memory(s->c);
        s->over = last;
    }
    return s->used > 0;
}

bool sax_step(Sax *s)
{
    if (s->next == s->used && !more(s))
        return false;
    const Event *e = (const void *)(s->events + s->next);
    s->next += e->size;
    s->kind = e->kind;
    s->nattrs = 0;
    if (e->kind == SAX_BEGIN) {
        s->depth++;
        s->line = e->line;
        s->name = e->name;
        s->nattrs = e->nattrs;
        s->attr = (const void *)(e + 1);
    } else if (e->kind == SAX_END)
        s->depth--;
    else
        s->text = (const char *)(e + 1);
    return true;
}

const SaxAttr *sax_attribute(Sax *s)
{
    const SaxAttr *a = s->attr;
    if (!s->nattrs)
        return NULL;
    s->nattrs--;
    s->attr = (const void *)((const char *)a + a->size);
    return a;
}
