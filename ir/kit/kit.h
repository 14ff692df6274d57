/* ir/kit: what meanings are written with. Between the interface of operators and the operators themselves: it knows
 * what an operand, an axis, a sliding window is, but no operator by what it means. */
#ifndef BURIN_KIT_H
#define BURIN_KIT_H

#include "op.h"

/* The kinds of meanings. */
typedef bool Infer(Build *, const Node *, Type *);
typedef bool Expand(Build *, const Node *, Edge **);
typedef const Expr *At(Lower *, int, const Idx *const *);
typedef void LowerFn(Lower *);

/* ---- operand.c: operands, attributes, axes, types ---- */

Edge *arg(const Node *n, int k);               /* NULL when left out */
const Tensor *arg_known(const Node *n, int k); /* its value where known, else NULL */
bool same_dims(Type a, Type b);

/* A list of integers that is known at compile time. */
typedef struct Ints {
    int n;
    const int64_t *v;
} Ints;
bool arg_ints(Build *b, const Node *n, int k, Ints *list);   /* operand k: a vector (a scalar counts as one element) */
bool arg_shape(Build *b, const Node *n, int k, Ints *list);  /* the same, of dimensions: none is negative */
bool arg_int(Build *b, const Node *n, int k, int64_t *v);    /* operand k: one element */
bool attr_list(const Node *n, const char *name, Ints *list); /* false: the attribute is absent */

/* An error that tells what the node is given: operands, with values that are known, and attributes; then the rule. */
bool unfit(Build *b, const Node *n, const char *rule, ...) PRINTF(3, 4);
bool attr_axis(Build *b, const Node *n, const char *name, int rank, int *axis); /* node_axis of that one */
int sound_axis(const Node *n, const char *name, int rank); /* the same, where inference has passed */
bool arg_number(Build *b, const Node *n, int k); /* operand k: one element of any type, which is known */
DType attr_type(const Node *n, const char *name, DType absent); /* DT_NONE: the attribute is not a type's number */
/* The axes as a set: each in [-rank, rank-1], none twice. */
bool axes_set(Build *b, const Node *n, Ints axes, int rank, bool *on);

/* Makes the type of output k; error when it has too many dimensions or elements. */
bool make_type(Build *b, const Node *n, Type *out, int k, DType dt, int rank, const int64_t *dims);
Type arg_type(const Node *n, int k);
/* Output k as operand 0, but for one dimension. */
bool type_but(Build *b, const Node *n, Type *out, int k, int axis, int64_t size);
typedef struct Dims { /* put together from those of several types */
    int n;
    int64_t at[2 * MAX_RANK];
} Dims;
void dims_take(Dims *d, Type t, int from, int to); /* from .. to-1 of t */
bool dims_type(Build *b, const Node *n, Type *out, DType dt, const Dims *d); /* as make_type, of output 0 */
Infer within_first; /* the first operand's type, to which the others broadcast */

/* Attributes and operands of the node, as the newest version of its operator: what version differences come down to. */
bool rebuild(Build *b, const Node *n, int nin, Edge *const *in, int nattrs, const Attr *attrs, Edge **out);
Expand newest; /* same operands; attributes that the newest version lacks are dropped */
Edge *reshaped(Build *b, Edge *x, int rank, const int64_t *dims); /* x itself when it has these dims */
Edge *like(Build *b, Edge *x, double v);                          /* a scalar constant of x's type; a string: empty */

Edge *where(Build *b, Edge *cond, Edge *x, Edge *y);
Edge *joined(Build *b, Edge *x, Edge *y, int64_t axis);
Edge *along(Build *b, Edge *v, int rank, int axis); /* the vector as a tensor that runs along axis */
Edge *whole(Build *b, int64_t v);                          /* an int64 scalar */

/* ---- shapes.c: shapes of operands as text ---- */

/* "X[N,c*G,...] W[m*G,c,...] B[m*G] scale[m*G]?": a letter stands for one number wherever it occurs, ... for any
 * dimensions; H|1: one of them; behind a shape, ?: or a single element. What is left out is not asked. "; ..." a remark. */
typedef struct Sizes { /* what letters stand for; zeroed before */
    bool known[128];
    int64_t of[128];
} Sizes;
void size_set(Sizes *s, char letter, int64_t v); /* before: what attributes say */
bool shapes(Build *b, const Node *n, Sizes *s, const char *rule);
bool make_shape(Build *b, const Node *n, Type *out, int k, DType dt, const Sizes *s, const char *dims); /* "N,m*G" */

const Tensor *attr_data(Build *b, const Node *n, const char *name); /* NULL when absent */
/* The place among names of element i of the attribute, whose value is t: it is a name or that place. -1: a fault was
 * reported. */
int name_place(Build *b, const Node *n, const char *attr, const Tensor *t, int64_t i, const char *const *names,
               int count);
Edge *numbers(Build *b, DType dt, int rank, const int64_t *dims, const int64_t *v, const double *d); /* v or d */

/* ---- piece.c: small pieces of loop IR ---- */

Type out_type(Lower *l, int k);
Type in_type(Lower *l, int k);
const Expr *math(Lower *l, int k, int rank, const Idx *const *at); /* in_broadcast, as arithmetic works on it */
const Expr *lone(Lower *l, int k, DType dt);           /* operand k, a single element of whatever rank, as a dt */
const Expr *known_number(Ctx *c, DType dt, double v);              /* a constant of any real type */
const Expr *i64(Ctx *c, int64_t v);                              /* an int64 */
const Expr *f32(Ctx *c, double v);                               /* a float */
const Expr *zero(Ctx *c, DType dt);                                /* of any type but string */
const Expr *least(Ctx *c, DType dt);                               /* -inf, or the least integer: the identity of max */
const Expr *greatest(Ctx *c, DType dt);                 /* inf, or the greatest integer: the identity of min */
const Expr *both(Ctx *c, const Expr *p, const Expr *q); /* p and q; NULL p: q */
const Expr *zero_in(Ctx *c, DType dt);                             /* the same, of half a complex number */
const Expr *in_but(Lower *l, const Idx *const *i, int axis, const Idx *x); /* operand 0 at i, but x on the axis */
/* The place in a dimension of n >= 1 elements that operand k, of indices, names at `at` (column >= 0: at that place of
 * its last dimension, which `at` lacks): counted from the back when negative; what is known at run time only is then
 * clamped, what is known at compile time was checked by inference. */
const Idx *position(Lower *l, int k, const Idx *const *at, int column, int64_t n);
const Idx *clamped(Ctx *c, const Expr *e, int64_t n); /* an int64 as a place in 0 .. n-1, n >= 1 */
DType place_type(int64_t n); /* the smallest in which tables hold places 0 .. n-1 */
/* Error unless every known element of operand k lies in [-n, n-1]. n per element: dims[i % ndims]. */
bool indices_fit(Build *b, const Node *n, int k, int ndims, const int64_t *dims, const char *of);
bool places_fit(Build *b, const Node *n, int count, int axis); /* operand 1, of places in axis .. of operand 0 */

/* ---- sweep.c: loop variables over a box ---- */

typedef struct Sweep {
    int n, vars[2 * MAX_RANK];
    int64_t extents[2 * MAX_RANK];
    const Idx *i[2 * MAX_RANK];
} Sweep;
typedef struct Fold { /* acc op x; OP_mad: acc + x·y, y NULL: x·x */
    ScalarOp op;
    const Expr *x, *y;
} Fold;
void sweep_open(Ctx *c, Sweep *w, int n, const int64_t *extents);
void sweep_more(Ctx *c, Sweep *w, int n, const int64_t *extents);
/* Elements that differ in those dimensions only lie side by side, or in rows of whole ROW_LANES. */
bool side_by_side(Type t, const bool *on);
const Expr *sweep_reduce(Ctx *c, const Sweep *w, const Expr *init, Fold f);
/* The same of a row, elements that lie side by side: floats are combined in ROW_LANES lanes if there are ROW_LEAST elements
 * or more; in twice as many if there are LONG_LEAST and the last extent is a multiple of them, so that two vectors of
 * lanes need not wait for each other. init is neutral to op (mad: 0). */
enum { ROW_LANES = 16, ROW_LEAST = 64, LONG_LANES = 32, LONG_LEAST = 768 };
const Expr *sweep_row(Ctx *c, const Sweep *w, const Expr *init, Fold f);
/* Accumulator k of two. */
const Expr *sweep_best(Ctx *c, const Sweep *w, const Expr *const *init, const int *accs, const Expr *const *next,
                       int k);
/* The place `here` with the greatest (or least) x, the first one or the last one; nan: NaN is better than all. */
const Expr *sweep_find(Ctx *c, const Sweep *w, const Expr *x, const Expr *here, bool most, bool last, bool nan);
const Stmt *sweep_around(Ctx *c, const Sweep *w, const Stmt *body);

/* ---- table.c: constants that meanings compute ---- */

void table_set(Tensor *t, int64_t i, Value v);
void table_put(Tensor *t, int64_t i, double v); /* of any float type */
double turn_cos(int64_t k, int64_t n); /* the cosine of k/n of a turn */

/* ---- random.c ---- */

const Stmt *random_fill(Ctx *c, Buf *out, uint32_t seed, bool normal); /* uniform numbers from 0 to 1, or normal ones */

/* ---- sized.c: results of which data decide how much is valid ---- */

/* Writes the true dimensions of result k, all of its type but for dim, which is n at most. Result: that one, read.
 * What is not valid is 0, unless that is an output of the graph, where it is not written. */
const Expr *true_dims(Lower *l, int k, int dim, const Expr *n);
const Expr *count_of(Ctx *c, const Sweep *s, const Expr *p);     /* places of the sweep where p holds */
const Expr *load_flat(Ctx *c, const Buf *b, const Expr *p);              /* of flat place p, which is clamped */
const Stmt *store_flat(Ctx *c, Buf *b, const Expr *p, const Expr *v);
/* A counter from 0 around a loop whose body it is given to; the body runs where p holds and the counter is below n. */
const Stmt *count_through(Ctx *c, const Sweep *s, Buf *counter, const Expr *p, const Expr *n, const Stmt *body);

/* Output 0, whose dimension dim depends on data: what `put` writes for those places of the box where `keep` holds; `to`
 * tells how many of n came before. */
typedef const Expr *Keep(Lower *l, const Idx *const *at);
typedef const Stmt *Put(Lower *l, const Idx *const *at, const Expr *to, const Expr *n);
void filter(Lower *l, int dim, int rank, const int64_t *extents, Keep *keep, Put *put);

/* ---- window.c: convolutions and pools: which places meet ---- */

typedef enum AutoPad { PAD_NOTSET, PAD_VALID, PAD_SAME_UPPER, PAD_SAME_LOWER } AutoPad;
typedef struct Window { /* per spatial dimension; span: from the first to the last element of the kernel */
    int rank;
    int64_t in[MAX_RANK], out[MAX_RANK], size[MAX_RANK], span[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK],
        before[MAX_RANK], after[MAX_RANK];
} Window;
/* All of it, from the attributes and input 0; weights: the kernel that the weights have, NULL: kernel_shape says. */
bool window_of(Build *b, const Node *n, const int64_t *weights, Window *w);
int window_rank(const Node *n);
bool window_lists(Build *b, const Node *n, Window *w); /* in, strides, dilations, pads */
bool window_attrs(Build *b, const Node *n, Window *w); /* of them what attributes say, for the rank that it has */
bool window_kernel(Build *b, const Node *n, const int64_t *weights, Window *w); /* then size and span */
bool auto_pad_of(Build *b, const Node *n, AutoPad *mode);
void window_share(Window *w, int i, int64_t total, bool more_before); /* shares out the padding of dimension i */
/* Input places of output place o and kernel place k. Result: the condition under which they are inside; NULL: none. */
const Expr *window_places(Ctx *c, const Window *w, const Idx *const *o, const Idx *const *k, const Idx **at);
/* The transposed window: the input place of dimension i, where output place o and kernel place k have one. */
const Expr *transposed_place(Ctx *c, const Window *w, int i, const Idx *o, const Idx *k, const Expr *inside,
                             const Idx **at);
/* The place x of a dimension of n elements: *at is x, assumed inside; result: `inside` and what must hold for that. */
const Expr *guarded_place(Ctx *c, const Idx *x, int64_t n, const Expr *inside, const Idx **at);

/* ---- lists.c: lists of tensors ---- */

typedef VEC(Edge *) Edges;
const List *list_of(Build *b, const Node *n, int k);       /* operand k, a sequence; NULL: a fault was reported */
/* Operand k, a place in 0 .. count-1; a negative one is counted from the end of a list of that length. */
bool place_in_list(Build *b, const Node *n, int k, int count, int length, int *at);
Edge *moved(Build *b, const char *op, Edge *x, int axis);  /* Squeeze or Unsqueeze */
Edge *concatenated(Build *b, int n, Edge *const *parts, int axis, bool fresh); /* fresh: along a new axis */
Edge *slice_at(Build *b, Edge *x, int axis, int64_t i);    /* without that axis */

/* ---- steps.c: graphs within graphs ---- */

/* cond ? x : y, in the shape of the one that holds the other, else the declared one; of sequences the longer one, with
 * what both have chosen. NULL: a fault was reported. */
Edge *choice(Build *b, const Node *n, Edge *cond, Edge *x, Edge *y, Type declared);
typedef struct Steps {
    Build *b;
    const Node *n;
    const Subgraph *g;
    int first, nstates, nscans;      /* the body has `first` other inputs before the states; outputs: after - first */
    Edge **in, **out;                /* of the body */
    Edge **results;                  /* its outputs, without what comes before the states */
    Edges *scans;                    /* each scan output, step by step */
} Steps;
/* Of the attribute body: how many of its inputs stand before the states, and are slices behind them. */
bool steps_open(Steps *s, Build *b, const Node *n, int ins_before, int outs_before, int nstates, int nslices);
bool steps_next(Steps *s, Edge *running);                  /* one more; states change where running holds (NULL: do) */
/* The states, then each scan output along a new axis (axes, directions: v may be NULL). none: there were no steps, one
 * was built for the types. */
bool steps_close(Steps *s, const Ints *axes, const Ints *directions, bool none, Edge **out);
Edge *stacked(Build *b, Edges list, int axis, bool backward, bool none);

/* ---- forest.c: decision trees as tables ---- */

enum { BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ, BRANCH_MEMBER, NODE_LEAF };
typedef struct Forest {
    Build *b;
    const Node *n;
    DType dt;                        /* of arithmetic */
    int64_t count;                   /* nodes; each has what stands here, given before forest_link */
    int64_t *tree, *id;              /* its name */
    int64_t *to[2];                  /* ids of the same tree where it holds and where not; then their places */
    int64_t *feature, *track;        /* track: NaN goes the first way */
    uint8_t *mode;
    double *split;
    int64_t *set;                    /* where the values of a BRANCH_MEMBER begin */
    double *members;                 /* each set sorted, NaN behind it */
    int64_t nroots, *roots, branches, leaves;            /* made */
    int64_t *first;                  /* per node its first branch, or its number as a leaf; -1: not reached */
    struct ForestKey *keys;          /* sorted */
} Forest;
void forest_new(Build *b, const Node *n, DType dt, int64_t count, Forest *f);
bool forest_link(Forest *f, const Tensor *roots);          /* roots: ids in tree 0; NULL: all to which nothing leads */
int64_t forest_find(Forest *f, int64_t tree, int64_t id, const char *who);       /* -1: `who` was reported */
/* Of TreeWalk: roots, features, splits, two ways, marks (or NULL). */
bool forest_tables(const Forest *f, int64_t features, Edge **out);

/* ---- late.c: operands marked ! that are known at run time only (.late) ---- */

int late_operand(const Node *n);                           /* the last such operand */
bool is_late(const Node *n, int k);
Type late_type(const Node *n);                             /* as the first output is declared */
/* n with `value` as operand k. */
bool late_with(Build *b, const Node *n, int k, Edge *value, Edge **out);
/* n with that of the values which operand k has at run time: all are built, those with other shapes than the declared
 * ones drop out. rank > 0: the values are sets of axes of a tensor of that rank; 0: they are compared. */
bool late_choice(Build *b, const Node *n, int k, int count, Edge *const *values, int rank, Edge **out);
bool late_number(Build *b, const Node *n, int k, int64_t most, Edge **out); /* a choice among 1 .. most */
Expand late_reshape; /* the first input's elements, as declared */
Expand late_shape;   /* the late operand is the declared shape, or its part that the attribute axes names */
Expand late_extent;  /* it is the extent of the attribute axis (or the first one) */
Expand late_axes;    /* operand 1 is one of all sets of axes */

#endif
