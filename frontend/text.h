/* The inside of the text reader: what text.l, text.y, textread.c, attr.c, parts.c and payload.c share.
 *
 * The text is never copied as a whole: flex is fed pieces of it, and whatever can be long (blanks, comments, quoted
 * strings, the values of a constant) is read by hand from the text itself, after which text_reseat moves flex to the
 * same place.
 * Invariant between tokens: `at` is the first byte that no token has taken, `line` and `bol` belong to it. */
#ifndef BURIN_TEXT_H
#define BURIN_TEXT_H

#include "frontend.h"

typedef struct Spot { uint32_t line, col; } Spot;                /* bison's locations: where a symbol begins */

typedef struct Literal { const char *text; size_t n; Loc loc; } Literal;         /* a number as it stands in the text */

typedef struct AttrValue {               /* one value of an attribute */
    AttrKind kind;                   /* 0: a reference; INT: a whole number, which may be meant as a FLOAT */
    Literal lit;                     /* INT, FLOAT; the place of any value */
    const char *s;                   /* STRING; name of a reference */
    const Tensor *tensor;            /* TENSOR; NULL: a fault was reported */
    MGraph *graph;
    const MType *type;
} AttrValue;

/* a list being read; state to go back to after a fault */
typedef struct Nodes { VEC(const MNode *) v; int braces, outer, nesting, attrs, values; } Nodes;
typedef struct Infos { VEC(MValueInfo) v; } Infos;
/* of a graph's head: a value, perhaps with its value */
typedef struct Item { MValueInfo info; bool constant; const Tensor *value; } Item;
typedef struct Items { VEC(const Item *) v; } Items;
typedef struct Names { const MName *at; int n; } Names;
typedef struct Attrs { const MAttr *at; int n; } Attrs;
/* "key": "s" or "key": number */
typedef struct Entry { const char *key; Loc loc; const char *s; const Literal *lit; } Entry;
typedef struct Entries { VEC(Entry) v; } Entries;
typedef struct Params { VEC(MName) names; VEC(MAttr) defaults; } Params;                 /* attributes of a function */
/* its inputs or outputs, types where stated */
typedef struct FuncVars { VEC(MName) names; VEC(MValueInfo) infos; } FuncVars;

typedef struct Header {              /* <key: value, ...> of a model or a function */
    Meta meta;
    VEC(Opset) opsets;
    VEC(Pair) props;
    const char *overload;
    bool opsets_stated, function;
} Header;

typedef struct Parser {
    Ctx *c;
    const Source *src;
    void *scanner;                   /* flex's */
    const char *end;                 /* of the text */
    const char *at;                  /* the first byte that no token has taken */
    const char *bol; uint32_t line;  /* its line */
    const char *token, *last;        /* where the last token begins, and the one before it */
    const char *fed, *flexed;        /* first byte not yet handed to flex; the byte at which flex stands */
    /* recovery, see textread.c */
    const char *arrow;               /* the first '=>', once it was looked for and found */
    bool slashes;                    /* '//' stood for a comment, which was reported */
    bool recovering;                 /* from a syntax error: tokens are being dropped */
    const char *resync;              /* token at which reading was last taken up again */
    uint32_t fault_line;             /* of the last syntax error */
    int braces, list_braces;         /* open '{'; those at the innermost open list of nodes, 0: none is open */
    int faults, nesting;
    /* the constant whose values come next */
    MName constant; const MType *type;
    /* lists under construction; attrs and values are stacks, as their lists nest */
    VEC(MDim) dims;
    VEC(MName) names;
    VEC(MAttr) attrs;
    VEC(AttrValue) values;
    VEC(MFunction) functions;
    Header *header;                  /* of the model, then of each function */
    Externals *externals;
    MModel *m;
} Parser;

/* ---- text.l ---- */
void scanner_open(Parser *p);
void text_reseat(Parser *p);                                     /* flex goes on at p->at */

/* ---- textread.c: places, faults, blanks, strings, names ---- */
Loc text_loc(const Parser *p, const char *at);                   /* of a byte of the current line */
Loc spot_loc(const Parser *p, Spot s);
void text_fault(Parser *p, Loc loc, const char *fmt, ...) PRINTF(3, 4);   /* error; limits their number */
void text_unexpected(Parser *p, Spot s, bool at_end, const char *expected);      /* a syntax error at the last token */
void text_resume(Parser *p, const Nodes *list);                  /* behind a broken node */
void text_deeper(Parser *p, Spot s);                             /* one more level of graphs or types: limited */
void text_skip(Parser *p);                                       /* over blanks and comments */
/* from behind the opening quote; NULL: a fault was reported */
const char *text_quoted(Parser *p);
const char *text_name(Parser *p, Spot s, const char *quoted);    /* checks a quoted name */
MName mname(const Parser *p, Spot s, const char *name);
Names *names_take(Parser *p);                                    /* p->names as a list of its own */

/* ---- parts.c: parts of the model ---- */
int64_t text_int(Parser *p, const Literal *lit, const char *what);
MType *text_type(Parser *p, Spot s, MKind kind, const MType *elem);
MType *text_tensor_type(Parser *p, Spot s, const char *elem, bool ranked);      /* dimensions: p->dims */
void text_dim(Parser *p, const Literal *lit);
/* the first n of p->names: domain, or name when that is NULL */
const MType *text_opaque(Parser *p, Spot s, int n, const char *name);
MNode *text_callee(Parser *p, Spot s, const char *overload);     /* p->names: a.b.Op */
MNode *text_call(Parser *p, MNode *n, const Attrs *before, const Names *in, const Attrs *behind, Spot s);
AttrKind literal_kind(const Literal *lit);
void header_field(Parser *p, const char *key, Spot s, const Literal *lit, const char *str, const Entries *list);
Nodes *nodes_open(Parser *p, Spot s);
void nodes_close(Parser *p, const Nodes *list);
MGraph *text_graph(Parser *p, Spot s, const char *name, const Items *ins, const Infos *outs, const Items *rest,
                   const Nodes *nodes);
void text_function(Parser *p, Spot s, const Header *h, const char *name, const Params *params, const FuncVars *ins,
                   const FuncVars *outs, const Infos *infos, const Nodes *nodes);
Header *header_open(Parser *p);
void text_model(Parser *p, const Header *h, MGraph *g);

/* ---- attr.c ---- */
void attr_push(Parser *p, Spot s, const char *name, const char *kind, int first_value, bool list);
Attrs *attrs_take(Parser *p, int first);
const Tensor *text_external(Parser *p, const Entries *list);

/* ---- payload.c ---- */
const Tensor *payload_read(Parser *p);                           /* the values behind '{', up to the '}' */
const Tensor *payload_none(Parser *p, bool elided);              /* for a constant without values */
bool payload_type(Parser *p, Type *t);                           /* of the constant; false: a fault was reported */

#endif
