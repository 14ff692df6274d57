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
Edge *like(Build *b, Edge *x, double v);                          /* a scalar constant of x's type */

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
const Expr *sweep_reduce(Ctx *c, const Sweep *w, const Expr *init, Fold f);
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
