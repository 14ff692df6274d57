/* The operator interface: what an operator is, and THE node builder. ir/ops is a table of these; nobody else names an
 * operator.
 *
 * A signature is text, read once per context by op.c:
 *
 *     domain::Name-SINCE <attribute: type = default, ...> (operand: TYPE, ...) => (result: TYPE, ...)
 *
 *   domain      left out for ai.onnx
 *   attribute   type: int float string tensor sparse graph ints floats strings tensors graphs type; "= value" gives a
 *               default (0, -1, 0.5, "x", [1,2]); without one: required; `name?`: optional without default
 *   operand     name, then any of
 *               ?    optional
 *               ...  variadic: the last one; one or more, with ? none as well
 *               !    must be known at compile time, or see `late`
 *               #    a result: its first dimension (#1: the second, #-1: the last one; always that which an attribute `axis` names)
 *                    depends on data; see sized.c
 *               ~    only its type is read, so the node can be evaluated although the value is unknown
 *   TYPE        a set, which is also a type variable (equal within the signature), or with a digit behind it another
 *               variable of that set (F2), or an element type (int64). Sets: F floats (float16 bfloat16 float double),
 *               I signed and U unsigned integers (8 .. 64 bits), J = I+U, R = F+I+U (real numbers), B bool, C complex,
 *               S string, Q sub-byte integers and floats and 8-bit floats, V all 26. Letters side by side are a union
 *               (RB2: numbers and bool), so are types with a bar (int32|int64); the text is the variable. `*` at the
 *               end: no variable, each operand is free (V*). Types beyond a version's list are accepted.
 *
 * One entry, one meaning. Exactly one of scalar, formula, at, lower, expand, body is set:
 *   scalar   elementwise with broadcasting; 16-bit floats go through F32. SCALAR(add)
 *   formula  the same for what is more than one scalar operator: text (below)
 *   at       the element of output `out` at an index, as a pure expression of the inputs: movement and reductions
 *   lower    builds kernels (several passes over memory, temporaries, nests); not called when all outputs are empty
 *   expand   a composition, built of other nodes in their newest version; also how older versions and sugar are
 *            rewritten (canon). With `.wide`, 16-bit inputs are cast to float first and the results back, so that there
 *            is one rounding. Nodes with graph attributes are not kept: the body stands in their place; their outputs
 *            hold the declared types, when they are static.
 *   body     the same, written as text (below)
 *   late     a composition that stands in place of a node whose operands marked ! are known at run time only: the
 *            outputs' types hold the shapes that the model declares, which fix all extents. Without it such a node is
 *            refused. late_body: the same as text; with both, `late` goes first and may fall back on build_late_body
 *   lists    a composition that stands in place of a node that takes sequences, which all others refuse. The only
 *            meaning of an operator that takes or gives nothing else.
 *   infer    types of the outputs (dims from type_make or of another edge). Faults: node_error, return false. Without
 *            one: scalar and formula broadcast; expand takes what its body gives; at and lower give every output the shape of the
 *            first input; element types are what the signature says, else the first input's.
 *
 * A body is formulas: "m = ReduceMean(X, @axes); Y = (X - m) * scale + B"
 *
 *   NAME = EXPR; (a, b) = Split<axis = 1>(X); ...     in the end every result of the signature has a value
 *   for k in VECTOR { NAME = EXPR; ... }              the formulas for each element in turn; what had no name before
 *                    has none behind
 *   x + y   x - y   x * y   x / y   -x                one that is left out makes them the other one
 *   c ? x : y        of a number: not 0; else: not left out. Only what is chosen is built
 *   t == 'text'      1 or 0, for an attribute that is a string ('text' is the same as "text"); m == n and m < n, for
 *                    numbers
 *   Name<attr = VALUE, ...>(x, , y)   the operator in its newest version; domain::Name. What is left out is passed on
 *                    as left out, an attribute as well; without a required operand the whole is left out.
 *                    VALUE: an EXPR, "text", or an element type; <*, ...>: all of the node that the operator has
 *   none             what is left out
 *   3  0.5           take the type of the operand that they meet: the other one, or one of the same type variable
 *   [1, -1, n / 2]   int64 vector; a vector in it stands for its elements
 *   @attr            an attribute of the node as such a number or vector, or a tensor; a string is a VALUE, or a scalar
 *   rank(x)  dim(x, k)  size(x)  type(x)  given(x)  sqrt(x)     numbers: type is the element type, given 1 or 0
 *   axes(x, k)       the vector k .. rank-1; dims(x, k): of the dimensions at those places
 *   values(x)        the vector of an operand that is known
 *   item(v, k)       of a vector, a number; lacks(v, k): 1 when it is known that no element is k
 *   upto(n)  ones(n) the vectors 0 .. n-1 and 1, 1 .., of n elements; floor(n): of a number
 *   declared(y)      in late_body: the vector of the dimensions that the model declares for the result
 *   known(x)         the number that a single element is, left out where that is not known
 *   seed(x)          a number as one of 32 bits; without x one that the names of the results give
 *   asked(y)         whether the result is asked for: 1 or 0
 *   within(x, y)     x, which must broadcast to y; vector(x, n): x, which must be a vector of n elements
 *   like(x, y)       x with the element type of y; int64(x): with that type
 *   fail("text")     an error of the node
 *   @graph(x)        what an attribute that is a graph makes of it; x without one
 *
 * A formula is an expression of loop IR: "e = exp(X); X < 0 ? @alpha * (e - 1) : X"
 *
 *   NAME = EXPR; ... EXPR          what a name stands for is built where it stands: equal expressions are one
 *   c ? x : y, ||, &&, == != < <= > >=, + -, * /, - !      as in C; a choice by a number builds the chosen side only
 *   name                           an element of an operand: that which belongs to the result's
 *   name[x, y]                     the element of an operand, or of memory, at a place: clamped unless it is a sum of loop
 *                                  variables, which must lie inside or be guarded; name[x] counts through all dimensions
 *   max(x, y) clip(x, lo, hi) ...  the rows of scalar.def; floats of up to 16 bits count as float
 *   3  0.5  @attr                  numbers, which take the type of what they meet; @attr == 'text' is 1 or 0
 *   float(x) ...  like(x, y)       casts, the latter to the type of y; real(x): of an integer to a float
 *   given(x) type(x) is_float(x) dim(x, k)     numbers, of an operand
 *
 * What a function writes names its arguments in front: formula(c, "x, y: x * (1 - y)", p, q); `name[]` is memory.
 * A nest is statements: for k < EXPR { ... }, if (EXPR) { ... } else { ... }, name[...] = EXPR; var name = EXPR;
 * (a variable), name = EXPR; (of a variable; else a name for the expression).
 */
#ifndef BURIN_OP_H
#define BURIN_OP_H

#include "graph.h"

/* How outputs are compared: bits; 1e-5 relative; 1e-3. */
typedef enum Tolerance { TOL_EXACT, TOL_CLOSE, TOL_LOOSE } Tolerance;

typedef struct Op {
    const char *sig;
    int scalar;                      /* SCALAR(x), 0: none */
    const char *formula;
    const Expr *(*at)(Lower *l, int out, const Idx *const *i);   /* i: one per dimension of the output */
    void (*lower)(Lower *l);
    /* Fills out[k] for every output (also ones not asked for, or NULL). False: a fault was reported. */
    bool (*expand)(Build *b, const Node *n, Edge **out);
    const char *body;
    bool (*infer)(Build *b, const Node *n, Type *out);
    bool (*late)(Build *b, const Node *n, Edge **out);
    const char *late_body;
    bool (*lists)(Build *b, const Node *n, Edge **out);
    bool keeps_shape;                /* the output has the shape of the first input, for what a scalar does not tell */
    bool wide;
    int pick;                        /* which of a family: for the functions that its rows share */
    Tolerance tol;
} Op;
#define SCALAR(x) (OP_##x + 1)

/* ---- op.c: signatures and look-up -------------------------------------------------------------------------------- */
typedef struct Param {
    const char *name;
    uint64_t types;                  /* bit 1 << DType */
    const char *var;                 /* type variable, interned; NULL: none */
    bool optional, variadic, known, type_only;
    bool by_data; int dim;           /* a result: its dimension dim depends on data (or that which `axis` names) */
    int dims_of;                     /* a result that is not shown: holds the true dimensions of that one */
} Param;
typedef struct AttrSig {
    const char *name; AttrKind kind; bool required; const Attr *fallback;
    int nchoices; const char *const *choices;        /* what a string may be; 0: anything */
} AttrSig;
typedef struct Sig {
    const char *domain, *name;       /* interned; domain "" for ai.onnx */
    int since;
    int nattrs, nin, nout;
    int nshown;                      /* results that a node may name; behind them, the dimensions of those marked # */
    const AttrSig *attrs; const Param *in, *out;
    int ndefaults; const Attr *defaults;         /* the attributes of a node that gives none */
    bool graphs;                     /* has attributes that hold graphs */
    bool in_place;                   /* its nodes are never kept: what they stand for takes their place */
    const Op *op;
} Sig;
typedef struct OpTable OpTable;
/* A list is in place when it is of another format's operators: compositions of those that graphs are made of. */
typedef struct OpList { const Op *ops; int n; bool in_place; } OpList;
const OpTable *op_tables_new(Ctx *c, int n, const OpList *lists);    /* an internal error names a bad signature */
const OpTable *op_table_new(Ctx *c, const Op *ops, int n);
/* The entry that is in force at `opset` (the greatest since <= opset). NULL: none; *newer then is the first since of
 * that name, or 0. */
const Sig *op_find(Ctx *c, const char *domain, const char *name, int64_t opset, int *newer);
const Sig *op_newest(Ctx *c, const char *domain, const char *name);
const Sig *op_version(Ctx *c, const Sig *s, int step);           /* a version later (1) or earlier (-1); NULL: none */
bool op_expands(const Op *op);                                   /* expand or body */
void op_check_body(Ctx *c, const Sig *s);        /* an internal error names the place where one cannot be built */
void op_check_formula(Ctx *c, const Sig *s);     /* the same of a formula */
const AttrSig *sig_attr(const Sig *s, const char *name);         /* NULL: it has none of that name */
const Param *sig_param(const Param *params, int n, int k);       /* operand k, variadic ones counted; NULL: too many */
const char *op_nearest(Ctx *c, const char *domain, const char *name);    /* a name spelled alike, or NULL */
const char *op_advice(Ctx *c, const char *domain, const char *name);     /* on one that is not known; or "" */
void op_note(Ctx *c);                                            /* what to do about any */
int op_count(Ctx *c);
double graph_tolerance(const Graph *g);                          /* relative, of the loosest operator in it; 1e-5 at least */
const Sig *op_entry(Ctx *c, int k);                              /* all of them, sorted by domain, name, since */
/* ---- op_list.c: burin ops ---------------------------------------------------------------------------------------- */
void ops_print(FILE *f, Ctx *c);                                 /* a line an operator */
void ops_rows(FILE *f, Ctx *c);                                 /* a line a version: name, since, types, by tabs */
bool ops_detail(FILE *f, Ctx *c, const char *name);              /* its versions in full; false: an error */
enum { OPSET_NEWEST = 28 };                                      /* of ai.onnx: what rewritten graphs print */

/* ---- build.c: the one way to make a node: opset pick, defaults, checks, inference, evaluation of what is known --- */
typedef VEC(const Node *) NodeVec;
struct Build {
    Ctx *c;
    int nopsets; const Opset *opsets;    /* of the model or function being read; NULL: newest of everything */
    NodeVec nodes;
    Loc loc;                         /* where nodes made by expand come from */
    const char *prefix;              /* name of what they stand for */
    int depth;                       /* of nested expansion and inlining: limited */
    struct Unknown *unknown;         /* operators that are missing, with counts: reported once each */
    struct NameTab *names;           /* of edges, taken so far */
    int nameless;                    /* names so far that stand for nothing: a fault wherever they are used */
};
Build *build_new(Ctx *c, int nopsets, const Opset *opsets);
typedef struct NodeSpec {            /* a node as a model gives it */
    const char *domain, *op, *name;
    int64_t version;                 /* 0: what is imported of the domain */
    Loc loc;
    int nin, nout, nattrs;
    Edge *const *in;                 /* NULL entry: left out */
    const char *const *out;          /* names; NULL or "": not asked for */
    const Type *declared;            /* of each output, its shape at least; dt DT_NONE: of that none. NULL: of none */
    const Attr *attrs;
} NodeSpec;
/* Fills out[0 .. nout-1]; faults are reported and give poisoned edges. Names that are taken are changed: x_2. */
void build_node(Build *b, const NodeSpec *s, Edge **out);
Edge *build_input(Build *b, const char *name, Type t, Loc loc, int index);
Edge *build_const(Build *b, const char *name, const Tensor *t, Loc loc);
Edge *build_list(Build *b, DType dt, int n, Edge *const *at);    /* a sequence of type dt; n < 0: no value */
Edge *build_poison(Build *b, const char *name, Loc loc);
void build_report_unknown(Build *b);     /* at the end: every missing operator once, with its count and nearest name */

/* The shapes that outputs have by what is declared of them flow back to those of the nodes before: whether the first
 * input of such a node has the shape of its output. */
bool build_keeps_shape(Build *b, const char *domain, const char *op);

/* For expand: nodes of the newest version; op is "Name" or "domain::Name". */
Edge *build_op(Build *b, const char *op, int nin, Edge *const *in, int nattrs, const Attr *attrs);   /* first output */
void build_op_n(Build *b, const char *op, int nin, Edge *const *in, int nattrs, const Attr *attrs, int nout,
                Edge **out);
/* The same, with declared types of the outputs. */
void build_op_as(Build *b, const char *op, int nin, Edge *const *in, int nattrs, const Attr *attrs, int nout,
                 const Type *declared, Edge **out);
/* n with its attributes, in its version, on other inputs. */
void build_again(Build *b, const Node *n, Edge *const *in, Edge **out);
/* Whether n, with `value` as operand k, has outputs of the shapes that n->out has now. Reports nothing. */
bool build_fits(Build *b, const Node *n, int k, Edge *value);
bool build_late_body(Build *b, const Node *n, Edge **out);       /* what late_body says */
Edge *build_op1(Build *b, const char *op, Edge *x);
Edge *build_op2(Build *b, const char *op, Edge *x, Edge *y);
Edge *build_ints(Build *b, int n, const int64_t *v);             /* int64[n] constant */
Edge *build_scalar(Build *b, DType dt, double v);                /* a rank-0 constant; a string: empty */
Edge *build_cast(Build *b, Edge *x, DType to);                   /* x itself when it has that type */
Attr attr_int(Ctx *c, const char *name, int64_t v);
Attr attr_ints(Ctx *c, const char *name, int n, const int64_t *v);
Attr attr_float(Ctx *c, const char *name, float v);
Attr attr_string(Ctx *c, const char *name, const char *v);
Attr attr_tensor(Ctx *c, const char *name, const Tensor *t);
const Tensor *attr_value(Ctx *c, const Attr *a);                 /* a number, a string, a list, a tensor */

/* For infer and expand: "NODE: message", at the node's place. The message names shapes, the rule and the remedy. False. */
bool node_error(Build *b, const Node *n, const char *fmt, ...) PRINTF(3, 4);
/* out has MAX_RANK places. False: they do not agree. */
bool broadcast_dims(int na, const int64_t *a, int nb, const int64_t *b, int *rank, int64_t *out);
/* axis, counted from the back when negative; error unless in [-rank, rank-1], inclusive: [-rank, rank]. */
bool node_axis(Build *b, const Node *n, int64_t axis, int rank, bool inclusive, int *out);

#endif
