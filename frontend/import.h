/* The inside of the import: what import.c, inline.c, scope.c and types.c share (external.c has a table of files).
 *
 * A scope is a graph or function body that is being built: its names and what they stand for. A subgraph's scope has
 * an outer one, whose names it sees; a function's has none. All names that a body's nodes define are declared before
 * the first node is built, so that a name that is used too early is told from one that does not exist. */
#ifndef BURIN_IMPORT_H
#define BURIN_IMPORT_H

#include "frontend.h"

typedef enum SlotState { SLOT_NEW, SLOT_LATER, SLOT_READY } SlotState;
typedef struct Slot {
    const char *name;                /* interned */
    SlotState state;                 /* NEW: not defined; LATER: by a node that is not built yet */
    Loc loc;                         /* of the definition */
    Edge *edge;                      /* READY; NULL: an input of a function that the call leaves out */
    const char *as;                  /* the name that its edge gets; NULL: made from the scope's prefix */
    const MNode *by;                 /* the last node that defines it, when that reads nothing */
    const void *what;                /* in other tables: what the name stands for */
} Slot;

/* names: the first ones, in the order in which they came */
typedef struct Table { Slot **at; size_t n, cap; VEC(const char *) names; } Table;
Slot *table_find(const Table *t, const char *name);              /* NULL: not there */
Slot *table_slot(Ctx *c, Table *t, const char *name);            /* made when it is not there */
const char *table_nearest(const Table *t, const char *name);     /* a name that is spelled alike, or NULL */

typedef struct Symbol {
    int64_t size;
    enum { SYM_BOUND, SYM_COMPUTED, SYM_UNBOUND } how;           /* UNBOUND: was reported */
    bool used;
    const char *option;              /* that gave the size, as on the command line */
} Symbol;

typedef struct Import {
    Ctx *c;
    Build *b;
    const MModel *m;
    const ReadOptions *o;
    Table symbols;                   /* of dimensions: what is a Symbol */
    Table functions;                 /* by name: what is a chain of Callee */
    /* an option contradicts what the model states: what it states of other values may be wrong */
    bool overridden;
    int64_t copies;                  /* nodes made of functions and subgraphs */
    int searches;                    /* for names spelled alike */
    int doubles;                     /* constants that are defined again */
} Import;

typedef struct Frame {               /* a call of a function */
    const struct Frame *caller;
    const MFunction *f;
    int depth, nattrs;
    const Attr *attrs;               /* by the function's names: what the call gives, and defaults */
} Frame;

typedef struct Scope {
    Import *im;
    const struct Scope *outer;
    const Frame *frame;              /* NULL: not within a function */
    const char *prefix;              /* of the names of its edges; NULL: none */
    int nopsets; const Opset *opsets;
    Table names;
    Table declared;                  /* by name: what is the MType that the model states */
} Scope;

/* ---- scope.c ---- */
Scope *scope_new(Import *im, const Scope *outer, const char *prefix);
const char *scope_name(const Scope *s, const char *name);        /* of the edge that `name` of this scope stands for */
void scope_define(Scope *s, const char *name, Loc loc, Edge *e); /* an error when it is defined already */
void scope_declare(Scope *s, int n, const MNode *const *nodes);        /* what the nodes will define */
/* n, or what defines its value in its place; NULL: that is built already. */
const MNode *scope_definer(const Scope *s, const MNode *n);
void scope_set(Scope *s, const char *name, Loc loc, Edge *e);    /* what was declared is there now */
/* NULL: left out; poisoned, after an error, when there is no such value */
Edge *scope_use(Scope *s, const char *name, Loc loc);
Edge *scope_output(Scope *s, const char *name, Loc loc);         /* the same for an output of the body */

/* ---- types.c ---- */
void symbols_open(Import *im);                                   /* -D and --shape */
bool input_type(Import *im, const MValueInfo *v, Type *t);       /* of a graph input; false: a fault was reported */
const MType *sequence_of(const MType *t);                        /* the tensors in a sequence; NULL: it is none */
int input_length(Import *im, const MValueInfo *v);            /* of a graph input; -1: a fault was reported */
/* What is stated of the outputs of the scope's nodes: outs first, then infos. It also holds for what a node before
 * reads when that has the same shape. */
void declared_open(Scope *s, int nouts, const MValueInfo *outs, int ninfos, const MValueInfo *infos);
void declared_flow(Scope *s, int n, const MNode *const *nodes);
void declared_set(Scope *s, const char *name, const MType *t);
Type declared_type(Scope *s, const char *name);                  /* dt DT_NONE: none, or not static */
/* of the graph; of a value; within a subgraph */
typedef enum Declared { DECL_OUTPUT, DECL_VALUE, DECL_INNER } Declared;
void check_declared(Import *im, const Edge *e, const MValueInfo *v, Declared where);
void symbols_close(Import *im);                                  /* -D that nothing asked for */

/* ---- inline.c ---- */
void functions_open(Import *im);
const MFunction *function_find(Import *im, const MNode *n);
void function_inline(Scope *s, const MNode *n, const MFunction *f);
bool attrs_import(Scope *s, const MNode *n, Attr *to, int *count);       /* false: at fault, which was reported */

/* ---- import.c ---- */
void nodes_import(Scope *s, int n, const MNode *const *nodes);
void inits_import(Scope *s, const MGraph *g);
/* fatal when functions and subgraphs blow the model up */
void copies_count(Import *im, int nodes, Loc loc);

#endif
