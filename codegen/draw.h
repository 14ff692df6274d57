/* Private to the pictures of codegen: what a picture is made of before it is drawn, and how it is laid out. All lengths
 * are whole pixels, so that the same program gives the same bytes everywhere. */
#ifndef BURIN_DRAW_H
#define BURIN_DRAW_H

#include "emit.h"
#include "op.h"

/* ---- label.c: text that fits --------------------------------------------------------------------------------------
 * Of names that may hold any byte: what is no UTF-8, no printable character or turns the direction of writing is shown
 * as U+FFFD; a character keeps two marks. Widths are those of the widest of the usual fonts. */

typedef struct Label {
    const char *text;                /* valid for XML; shortened with U+2026 where it did not fit */
    int width;                       /* at most, in pixels */
    bool forced;                     /* unknown characters: to be set to exactly that width */
} Label;
typedef enum Cut { CUT_END, CUT_MIDDLE } Cut;
int utf8_length(const char *s);                      /* bytes of the character at s; 0: there is none */
const char *label_clean(Ctx *c, const char *s);      /* valid for XML */
Label label_fit(Ctx *c, const char *s, int size, bool bold, int room, Cut cut);
const char *bytes_text(Ctx *c, int64_t bytes);       /* "1.5 KiB" */
const char *count_text(Ctx *c, int64_t n);           /* "1.5 M" */

/* ---- xml.c: libxml2's writer ------------------------------------------------------------------------------------- */

typedef struct Xml { Ctx *c; FILE *f; void *writer; bool failed; } Xml;
Xml *xml_new(Ctx *c, FILE *f);
void xml_free(Xml *x);               /* writes what is left; out of memory is fatal here */
void xml_declare(Xml *x);            /* <?xml … ?> */
void xml_doctype(Xml *x);            /* of HTML */
void xml_start(Xml *x, const char *element);
void xml_end(Xml *x);                /* <a/> when nothing is in it */
void xml_end_full(Xml *x);           /* <a></a> */
void xml_attr(Xml *x, const char *name, const char *value);
void xml_int(Xml *x, const char *name, int value);
void xml_real(Xml *x, const char *name, double value);           /* two decimals at most */
void xml_text(Xml *x, const char *text);
void xml_raw(Xml *x, const char *text);
void xml_element(Xml *x, const char *name, const char *class, const char *text);     /* class may be NULL */
void xml_label(Xml *x, const char *class, int at_x, int at_y, const Label *l);       /* <text> */
void xml_rect(Xml *x, const char *class, double at_x, double at_y, double width, double height, int radius);
void xml_line(Xml *x, const char *class, double x1, double y1, double x2, double y2);
void xml_group(Xml *x, const char *class, int at_x, int at_y);   /* <g>, moved there */
void xml_style(Xml *x);              /* the colours and fonts of all pictures */
void xml_svg(Xml *x, int width, int height);

/* ---- diagram.c, diagram_prog.c: the program as boxes and wires --------------------------------------------------- */

typedef enum BoxKind {
    BOX_INPUT, BOX_OUTPUT, BOX_NODE,
    BOX_VIEW,                        /* an index map: moves elements and computes nothing */
    BOX_ALIAS,                       /* the same bytes in the same order under another name */
    BOX_JOIN                         /* a buffer of which several kernels have written parts */
} BoxKind;
enum { BOX_LINES = 8 };
typedef struct Line { Label label; const char *class; } Line;
typedef struct Box {                 /* wires lead from boxes to later ones only */
    BoxKind kind;
    const char *operator, *name;     /* as the model has them; valid for XML */
    const char *tip;                 /* all that is told of it */
    int64_t ops, bytes;              /* of a node: operations, bytes moved */
    int64_t made;                    /* bytes of its values */
    int nconsts; const char *consts; int64_t const_bytes;    /* constants that it reads; the first one's type */
    bool known;                      /* its values are known now: it needs no code */
    const char *over;                /* the value that it writes over, or NULL */
    const char *through;             /* the movement that it reads through, or NULL */
    int heat;                        /* 0 .. 4: its share of all operations */
    int nlines; Line lines[BOX_LINES];
    int nvalues, first_value;        /* that leave it */
    int w, h;                        /* even */
    int x, y;                        /* the middle of its upper edge, from layout.c */
} Box;
typedef struct Flow { int box, port; const char *name, *type; int64_t bytes; } Flow;     /* a value, on its wires */
typedef struct Wire { int value, to; } Wire;         /* ordered by `to` */
typedef struct Diagram {
    const char *name, *what;         /* what: "12 nodes" */
    const char *moved;               /* what Box.bytes are */
    int64_t ops, bytes;              /* of all */
    Sheet *tip;                      /* of the box that is being made */
    VEC(Box) boxes;
    VEC(Flow) values;
    VEC(Wire) wires;
} Diagram;
Diagram *diagram_of_graph(Ctx *c, const Graph *g, const Prog *lowered);
Diagram *diagram_of_prog(Ctx *c, const Prog *p);
bool box_computes(const Box *b);                     /* a node, whatever it does */

/* For those two: a box, then its values and wires, then box_end. */
Diagram *diagram_new(Ctx *c, const char *name, const char *moved);
int box_new(Ctx *c, Diagram *d, BoxKind kind, const char *operator, const char *name);
int box_makes(Ctx *c, Diagram *d, const char *name, Type t);     /* the number of the value */
void box_reads(Ctx *c, Diagram *d, int value);
void box_reads_const(Ctx *c, Diagram *d, const char *name, Type t);
void box_costs(Diagram *d, int64_t ops, int64_t bytes);
void box_end(Ctx *c, Diagram *d);
void diagram_end(Ctx *c, Diagram *d);                /* shares, lines of text */
void diagram_far(Ctx *c, Diagram *d, const Wire *w); /* a wire that will not be drawn */
void diagram_sizes(Diagram *d);                      /* of the boxes, from their lines */
bool kernel_moves(Ctx *c, const Kernel *k, bool *alias);         /* it computes nothing */

/* ---- layers.c, place.c, layout.c: where they stand --------------------------------------------------------------- */

typedef struct Net {                 /* vertices: the boxes, then the places where wires pass through a layer */
    Ctx *c;
    Diagram *d;
    int n, nboxes, nlayers, nedges;
    int *layer, *width, *pos, *x;    /* by vertex; pos: within its layer; x: of its middle */
    int *first, *order;              /* layer l: order[first[l]] .. order[first[l + 1] - 1] */
    int *tail, *head;                /* by edge: from a layer to the next */
    int *main_up, *main_down;        /* by vertex: the edge of the way that goes straight on, -1: none; place.c */
    int *up0, *up, *down0, *down;    /* edges by their ends: up[up0[v]] .. up[up0[v + 1] - 1] lead to v */
    bool *fed;                       /* by box: what it makes depends on an input */
    int *rest;                       /* by box: boxes on the longest way on from it */
    int *hop;                        /* by wire: the vertex above its end; -1: too long to be drawn */
    int *trunk, *reach;              /* by value: its first passing place (one a layer), and how many */
} Net;
Net *net_new(Ctx *c, Diagram *d);    /* layers, and the order within them */
void net_place(Net *n);              /* x */
typedef struct Layout { Net *net; int width, height; int *top, *bottom; } Layout;    /* by layer: where wires bend */
Layout layout_of(Ctx *c, Diagram *d);
void draw_graph(Xml *x, const Layout *l);            /* from (0, 0) to (width, height) */

/* ---- map.c, bars.c ----------------------------------------------------------------------------------------------- */

typedef struct Life { int first, last; } Life;       /* kernels; first -1: no temporary */
typedef struct Map { const Prog *p; Life *life; int width, height; } Map;    /* life: by bufs[i] */
Map map_of(Ctx *c, const Prog *p);
void draw_map(Xml *x, const Map *m);
typedef struct Bars { const Diagram *d; int n; const int *box; int64_t most_ops, most_bytes; int width, height; } Bars;
Bars bars_of(Ctx *c, const Diagram *d);              /* the boxes of nodes, the most operations first */
void draw_bars(Xml *x, const Bars *b);

/* ---- draw.c: the sheet; what is said above the pictures ---------------------------------------------------------- */
void draw_svg(FILE *f, Ctx *c, const Graph *g, const Prog *p);
const char *graph_words(Ctx *c, const Diagram *d, const Prog *p);
const char *map_words(const Prog *p);

/* ---- report.c ---------------------------------------------------------------------------------------------------- */
void json_string(FILE *f, const char *text);
void json_number(FILE *f, const char *name, int64_t v, const char *end);
void json_type(FILE *f, const char *name, Type t);   /* its name, type, shape, bytes; without braces */

#endif
