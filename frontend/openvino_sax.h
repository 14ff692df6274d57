/* OpenVINO IR: its XML as a stream of elements (openvino_sax.c), pulled by openvino_xml.c. */
#ifndef BURIN_OPENVINO_SAX_H
#define BURIN_OPENVINO_SAX_H

#include "base.h"

/* The names that are asked for: of elements and attributes. */
#define SAX_WORDS(W)                                                                                                   \
    W(net, "net") W(layers, "layers") W(layer, "layer") W(edges, "edges") W(data, "data") W(input, "input")            \
    W(output, "output") W(port, "port") W(dim, "dim") W(id, "id") W(name, "name") W(type, "type")                      \
    W(version, "version") W(precision, "precision") W(names, "names") W(from_layer, "from-layer")                      \
    W(from_port, "from-port") W(to_layer, "to-layer") W(to_port, "to-port") W(outer_port, "external_port_id")          \
    W(inner_layer, "internal_layer_id") W(axis, "axis") W(start, "start") W(end, "end") W(stride, "stride")            \
    W(part_size, "part_size") W(purpose, "purpose")
#define W(id, text) WORD_##id,
typedef enum Word { SAX_WORDS(W) WORD_COUNT } Word;
#undef W

typedef struct SaxAttr { const char *name; size_t size; char value[]; } SaxAttr;     /* size: to the next one */

typedef struct Sax {
    enum { SAX_BEGIN, SAX_END, SAX_TEXT } kind;      /* of what was read last */
    int depth;                       /* elements that are open behind it */
    uint32_t line;                   /* where the last tag that opens one begins */
    const char *name;                /* BEGIN: of the element; without its prefix, as are those of attributes */
    const char *text;                /* TEXT: part of what stands in <dim>; elsewhere it is left out */
    const char *words[WORD_COUNT];   /* equal names are equal pointers */
    char why[240];                   /* at the end: what is wrong with the XML, "": nothing */
    uint32_t where;                  /* its line */

    /* the rest is openvino_sax.c's */
    Ctx *c;
    const char *document;
    size_t size, at;                 /* how much of it the parser has been given */
    struct _xmlParserCtxt *parser;
    char *events;                    /* of the piece that was parsed last */
    size_t used, cap, next;
    const SaxAttr *attr;             /* the next one */
    int nattrs;                      /* from there on */
    bool no_memory, over, in_dim;
    int open;                        /* elements, where the parser is */
    int equals;                      /* that stand behind each other without a '<' in their blocks */
} Sax;

Sax *sax_new(Ctx *c, const char *document, size_t size);     /* size at most INT_MAX */
bool sax_step(Sax *s);               /* false: no more */
/* The next attribute of the element that has begun, until the next step; NULL: no more. */
const SaxAttr *sax_attribute(Sax *s);

#endif
