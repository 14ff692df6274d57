/* Private to ir/graph: the parts of the node builder. */
#ifndef BURIN_BUILD_H
#define BURIN_BUILD_H

#include "op.h"

enum { EXPAND_DEPTH = 64 };          /* of expansions and inlined graphs within each other */
enum { EVAL_BYTES = 4096 };          /* the builder evaluates what is known up to that size */
enum { HELD_BYTES = 256 };           /* such results are held as constants, larger ones when they replace as much */
enum { FORMULA_SIZE = 12 };          /* nodes of an expression that is cheaper than the constant it stands for */

/* match.c: fill and check a node that has its edges, after its signature. False: a fault was reported. */
bool match_attrs(Build *b, Node *n, int nattrs, const Attr *attrs);
bool match_operands(Build *b, const Node *n);
bool node_lists(const Node *n);      /* its meaning is that of sequences */
bool node_late(const Node *n);       /* an operand marked ! is known at run time only */
bool match_types(Build *b, const Node *n, Type *out);            /* of all outputs; not for expand without infer */
DType match_result(const Node *n, int k);        /* element type of output k as the signature tells it, or DT_NONE */

/* names.c: edges have unique names. */
const char *name_unique(Build *b, const char *want);             /* want, or want_2, want_3 … */
bool name_take(Build *b, const char *name);                      /* an interned one; false: it was taken already */
void name_free(Build *b, const char *name);
const char *name_fresh(Build *b);                                /* of what expand and passes make: prefix/1 … */

/* build.c. s->out NULL: all of s->nout are asked for, under names of our own. */
void build_sig(Build *b, const Sig *sig, const NodeSpec *s, Edge **out);
void edge_rename(Edge *r, const char *name);                     /* and what carries it within the body of its node */
Edge *edge_new(Build *b, const char *name, Type t, Loc loc);

/* sized.c */
bool node_sized(const Node *n);                                  /* some result's size depends on data */
bool sized_fits(const Node *n, int k, Type largest, Type t);     /* t may be the type of result k */
void sized_declared(const Node *n, const Type *declared, int count);     /* takes declared types that fit */
bool sized_read(Build *b, const Node *n, int k);                 /* false: input k may not be read; reported */
void sized_edges(Build *b, const Node *n, Edge **out);           /* makes those of the dimensions */
void sized_types(Build *b, const Node *n, Type *out);            /* theirs */
void sized_known(Build *b, const Node *n, const Tensor **value); /* cuts known results to their true size */

/* lower.c: as a tensor of that type lies in memory, complex ones with a trailing 2. */
Buf *edge_buf(Ctx *c, BufKind kind, const char *name, Type t);

/* op.c: a row of the table as it is read. The rest skips blanks first; names are interned. */
typedef struct RowText { Ctx *c; const char *all, *p; } RowText;
NORETURN void row_bad(const RowText *t, const char *want);       /* an internal error that shows the place */
void row_skip(RowText *t);
bool row_accept(RowText *t, const char *s);
void row_expect(RowText *t, const char *s);
bool row_more(RowText *t, int n, const char *close);             /* whether a list goes on of which n items are read */
const char *row_word(RowText *t, const char *also);              /* letters, digits, _ and those of `also` */
double row_number(RowText *t);
const char *row_quoted(RowText *t);

/* compose.c */
bool compose(Build *b, const Node *n, Edge **out);               /* as .expand, what .body says */

/* report.c. version < 0: the domain is not imported. */
void unknown_add(Build *b, const NodeSpec *s, int64_t version, int newer);

#endif
