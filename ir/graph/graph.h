/* ir/graph: the graph IR: an SSA graph of ONNX operators with static shapes. Its printed form is ONNX text and parses
 * again.
 *
 * Nodes and edges are immutable once built and shared between the graphs before and after a pass. A node stands behind
 * everything that it reads. There are no subgraphs and no functions in it: the builder inlines them (an If by its
 * condition, a Loop by its count). */
#ifndef BURIN_GRAPH_H
#define BURIN_GRAPH_H

#include "loop.h"

typedef struct Edge Edge;
typedef struct Node Node;
typedef struct Build Build;
typedef struct Subgraph Subgraph;

typedef enum AttrKind {              /* numbers of AttributeProto.AttributeType */
    ATTR_FLOAT = 1, ATTR_INT = 2, ATTR_STRING = 3, ATTR_TENSOR = 4, ATTR_GRAPH = 5, ATTR_FLOATS = 6, ATTR_INTS = 7,
    ATTR_STRINGS = 8, ATTR_TENSORS = 9, ATTR_GRAPHS = 10, ATTR_SPARSE = 11, ATTR_SPARSES = 12, ATTR_TYPE = 13,
    ATTR_TYPES = 14
} AttrKind;
typedef struct Attr {
    const char *name;                /* interned */
    AttrKind kind;
    Loc loc;
    int64_t i; float f; const char *s;               /* FLOAT, INT, STRING */
    int n;                                           /* elements of a list */
    const int64_t *ints; const float *floats; const char *const *strings;
    const Tensor *tensor; const Tensor *const *tensors;      /* SPARSE arrives here already dense */
    const Subgraph *graph; const Subgraph *const *graphs;
    const void *type;                                /* TYPE: the frontend's own */
} Attr;

/* A subgraph attribute, not built yet: the frontend's closure over its text and scope. expand calls `inlined` once
 * per copy. */
struct Subgraph {
    int nins, nouts;
    bool (*inlined)(Build *b, const Subgraph *g, Edge *const *in, Edge **out);   /* false: faults were reported */
    const void *model, *scope;       /* the frontend's */
};

/* A sequence, as the builder knows it: its tensors. No node that is kept reads or gives one. n < 0: an optional that has
 * no value. (One that has is its tensor, or its sequence.) */
typedef struct List { int n; Edge *const *at; } List;

struct Edge {                        /* a tensor */
    const char *name;                /* of the model, unique; what passes make is named after what it replaces */
    Type type;                       /* dt DT_NONE: poisoned (a fault was reported; whatever reads it stays silent) */
    const Node *from;                /* NULL: a graph input or a constant */
    int out;                         /* which output of from */
    int input;                       /* position among the graph's inputs, else -1 */
    const Tensor *data;              /* its value where known: a constant (from == NULL), or evaluated by the builder */
    bool held;                       /* the data is worth its place: given, or no larger than what it replaces */
    const List *list;                /* NULL but for sequences */
    Edge *begin;                     /* of the run of nodes that work element by element, once edge_dims has gone it */
    const Expr *formula;             /* its element at position variables, where no memory is needed: a Range, a fill */
    Loc loc;
};

struct Node {
    const struct Op *op;             /* op.h */
    const struct Sig *sig;           /* its parsed signature */
    const char *name;                /* may be "" */
    Loc loc;
    int nin, nout, nattrs;           /* nin, nout: at least what the signature has that is not variadic */
    Edge *const *in;                 /* NULL: an optional one left out */
    Edge *const *out;                /* NULL: not asked for */
    const Attr *attrs;               /* in the signature's order, defaults filled in, absent optional ones left out */
    int nbody; const Node *const *body;      /* what .expand built: the node's meaning in smaller nodes, else none */
    Edge *const *result;             /* if it expands, per out: what carries it: of the body, an input, a constant */
};

typedef struct Opset { const char *domain; int64_t version; } Opset;
typedef struct Pair { const char *key, *value; } Pair;
typedef struct Meta {                /* what a model says of itself, kept for printing */
    int64_t ir_version, model_version;
    const char *producer_name, *producer_version, *domain, *doc_string;
    int nopsets; const Opset *opsets;
    int nprops; const Pair *props;
} Meta;

typedef struct Graph {
    const char *name;
    const Meta *meta;
    int nins, nouts, nnodes;
    Edge *const *ins;
    Edge *const *outs;               /* an edge may be published more than once, be an input or a constant */
    const char *const *out_names;    /* per output: its name in the model */
    const Node *const *nodes;
    int ncounts; const int *counted; /* the last outputs are true dimensions, each of output counted[k] */
} Graph;

/* ---- graph.c ----------------------------------------------------------------------------------------------------- */
const Attr *node_attr(const Node *n, const char *name);          /* NULL when absent without a default */
int64_t node_int(const Node *n, const char *name, int64_t absent);
float node_float(const Node *n, const char *name, float absent);
const char *node_string(const Node *n, const char *name, const char *absent);
const char *node_text(Ctx *c, const Node *n);                    /* for messages: "Reshape 'name' (output 'y')" */
const Tensor *node_known(const Node *n, int k);                  /* value of input k where known, else NULL */
bool edge_poisoned(const Edge *e);
/* Whether the results are worth holding as constants when the node reads `in`: they are few bytes, or no more than the
 * constants that they replace. */
bool node_worth_holding(const Node *n, Edge *const *in);
Graph *graph_live(Ctx *c, const Graph *g);                       /* without nodes that no output needs; order kept */
/* Rebuilds g node by node. f may return other edges of the same types for a node's outputs, built with b, or false to
 * keep the node (rewired where an input changed). in: what the node reads now. Edges of nodes that f made take the
 * names of what they replace; constants may be given them. */
typedef bool RewriteFn(Build *b, const Node *n, Edge *const *in, Edge **out, void *arg);
Graph *graph_rewrite(Ctx *c, const Graph *g, RewriteFn *f, void *arg);
/* For such an f: the body of n, and the bodies within, in place of n (which has a result). */
void node_inline(Build *b, const Node *n, Edge *const *in, Edge **out);

Graph *graph_publish(Ctx *c, const Graph *g);    /* the outputs are all values that nodes compute, in their order */

/* ---- sized.c: results whose size depends on data --------------------------------------------------------------- */
Edge *edge_dims(Edge *e);                        /* int32[rank], its true dimensions; NULL: its type says them */
Graph *graph_counted(Ctx *c, const Graph *g);    /* with the true dimensions of such outputs as further outputs */

/* ---- graph_print.c, graph_check.c -------------------------------------------------------------------------------- */
void graph_print(FILE *f, Ctx *c, const Graph *g);               /* ONNX text; floats so that their bits survive */
void graph_check(Ctx *c, const Graph *g);        /* order, names, types against inference: internal error when broken */

/* ---- lower.c: a node's meaning as loop IR ------------------------------------------------------------------------ */
typedef struct Lower {               /* what .at and .lower work with */
    Ctx *c;
    const Node *node;
    Build *b;
    const Buf *const *in;            /* NULL where left out */
    Buf *const *out;                 /* NULL where not asked for */
    bool complex;                    /* the node reads or writes complex numbers */
    const Idx *part;                 /* complex: which half; in_at and lower_store_at append it. Set by lower_vars */
    VEC(Buf *) bufs;                 /* temporaries and constants made */
    VEC(const Kernel *) kernels;
    VEC(const Buf *) pairs;          /* those of bufs that hold complex numbers */
    struct Pool *pool;               /* constants of the program so far; NULL: not shared */
} Lower;
/* Element of input k: a LOAD; of a known scalar or a constant place: a CONST. `at` has the rank of the edge. */
const Expr *in_at(Lower *l, int k, const Idx *const *at);
/* The same, 16-bit floats cast to F32: what arithmetic works on. */
const Expr *in_math(Lower *l, int k, const Idx *const *at);
/* in_at under multidirectional broadcasting to rank. */
const Expr *in_broadcast(Lower *l, int k, int rank, const Idx *const *at);
const Buf *lower_const(Lower *l, const char *name, const Tensor *t);
Buf *lower_temp(Lower *l, const char *name, DType dt, int rank, const int64_t *dims);
/* Room for so many computed strings, one a row: what stmt_text writes and expr_text points to. */
Buf *lower_slots(Lower *l, const char *name, int64_t count);
/* The position variables 0 .. rank-1 of the kernel to be made, and l->part. */
const Idx *const *lower_vars(Lower *l, int rank, const int64_t *dims);
/* A compute kernel over out's own dims, or for all of dims into a part of out. value is cast to out's type. In the first
 * of the two it may be a computed string (op_writes). */
void lower_store(Lower *l, Buf *out, const Expr *value);
void lower_store_at(Lower *l, Buf *out, int rank, const int64_t *dims, const Idx *const *at, const Expr *value);
void lower_nest(Lower *l, Buf *out, const Stmt *nest);
/* formula.c, formula_nest.c: what the text says (op.h). formula(c, "x, y: (x - y) * 0.5", p, q) is the same as
 * formula(c, "(a - b) * 0.5", p, q); what is NULL, left out, makes x + y the other one, whatever the operator. */
#define formula(c, ...) formula_from(c, __VA_ARGS__, formula_end)
#define formula_from(c, text, ...) formula_read(c, text, (const Expr *const[]){__VA_ARGS__})
extern const Expr *const formula_end;
const Expr *formula_read(Ctx *c, const char *text, const Expr *const *args);
/* The names in front of the text's colon: an Expr each, or `name[]` a Buf. */
void nest(Lower *l, const char *text, ...);      /* fills the first of them; operands have their names */
/* A row's, of the result's element `at`; a number is a dt. */
const Expr *formula_element(Lower *l, const char *text, DType dt, int rank, const Idx *const *at);
DType math_type(DType t);            /* F32 for 16-bit floats, else t */

/* Appends the node's buffers and kernels to l, which is zeroed before its first node. */
void node_lower(Build *b, const Node *n, const Buf *const *in, Buf *const *out, Lower *l);
Prog *graph_lower(Ctx *c, const Graph *g);       /* the whole graph, one or more kernels a node, nothing fused */
/* All outputs of n when nothing that it reads is unknown, every function in it is exact, and it makes at most
 * `limit` bytes in a bounded number of steps; false otherwise. out[k] is NULL where not asked for. */
bool node_eval(Build *b, const Node *n, size_t limit, const Tensor **out);

#endif
