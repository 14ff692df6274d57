/* ir/loop: index algebra, the loop IR, its proof and its interpreter. Knows elements and buffers, not operators or
 * graphs.
 *
 * Everything is immutable once made and hash-consed in the context: equal indices and equal expressions are one
 * pointer, so they are compared by ==, and a DAG never grows into a tree in memory. Order never depends on
 * addresses: terms are sorted by what they are. */
#ifndef BURIN_LOOP_H
#define BURIN_LOOP_H

#include "base.h"

typedef struct Idx Idx;
typedef struct Atom Atom;
typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct Buf Buf;

/* ---- idx.c, idx_*.c: exact index algebra -------------------------------------------------------------------------
 * An index is k + sum of c·atom, each atom with a closed interval. Rules of DIGIT are listed in idx_digit.c. All
 * functions are total but for two limits, both internal errors: a value that may leave 64 bits (counts are limited
 * to 2^62 when a type is made), and nesting beyond IDX_DEPTH (a pass that composes views materialises one long
 * before). */

enum { IDX_DEPTH = 200 };
typedef enum AtomKind {
    ATOM_VAR,                        /* a loop variable, 0 .. extent-1 */
    ATOM_DIGIT,                      /* floor(x/a) mod b; b == 0: no mod. x >= 0: its interval starts within 0..M-1,
                                        M = a·b or a */
    ATOM_ASSUME,                     /* x, known to lie in lo..hi where it is evaluated (under a guard IN) */
    ATOM_VALUE                       /* the value of an integer expression, proved to lie in lo..hi by range.c */
} AtomKind;
struct Atom {
    AtomKind kind;
    int id;                          /* creation number */
    int64_t lo, hi;
    int var;                         /* VAR */
    const Idx *x;                    /* DIGIT, ASSUME */
    int64_t a, b;                    /* DIGIT */
    const Expr *expr;                /* VALUE */
    int nuses; const int *uses;      /* VALUE: variables within expr, ascending */
    uint64_t vars;                   /* variables within: bit (var mod 64) is set for each */
};
typedef struct Term { int64_t c; const Atom *atom; } Term;
struct Idx {
    int64_t k, lo, hi;
    int64_t wide;                    /* no value met in computing x, in whatever order, exceeds this in magnitude: fits
                                        int64 */
    uint64_t vars;                   /* as in Atom; 0: nothing to substitute */
    int id;                          /* creation number */
    int depth, cost;                 /* nesting of DIGIT and ASSUME; idx_cost */
    bool values;                     /* some atom within is a VALUE */
    int n; Term t[];                 /* c != 0, in the order of idx_order.c */
};

/* Variables: 0 .. MAX_RANK-1 are the positions of a kernel's iteration space; others come from var_new (reductions,
 * nests). */
extern const int idx_positions[MAX_RANK];                    /* 0, 1, …: these variables, for a Subst */
int var_new(Ctx *c);
int var_count(Ctx *c);                                       /* all variables are below: the size of an environment */
const Idx *idx_const(Ctx *c, int64_t k);
const Idx *idx_var(Ctx *c, int var, int64_t extent);             /* extent 1 (or 0): the constant 0 */
const Idx *idx_add(Ctx *c, const Idx *x, const Idx *y);
const Idx *idx_axpy(Ctx *c, const Idx *x, int64_t s, const Idx *y);   /* x + s·y */
const Idx *idx_mul(Ctx *c, const Idx *x, int64_t s);
const Idx *idx_digit(Ctx *c, const Idx *x, int64_t a, int64_t b);     /* floor(x/a) mod b, a >= 1, b >= 0 */
const Idx *idx_assume(Ctx *c, const Idx *x, int64_t lo, int64_t hi);  /* equals x where lo <= x <= hi; its interval
                                                                         lies in lo..hi */
/* The value of an integer expression that is proved to lie in lo..hi, themselves above INT64_MIN. An E_INDEX, an
 * integer constant, and casts of these that change no value, dissolve into their index. lo >= hi: the constant lo. */
const Idx *idx_value(Ctx *c, const Expr *e, int64_t lo, int64_t hi);
const Idx *idx_flat(Ctx *c, int rank, const int64_t *dims, const Idx *const *at);            /* row-major position */
void idx_unflat(Ctx *c, const Idx *flat, int rank, const int64_t *dims, const Idx **at);  /* its inverse; a dimension
                                                                                             0: all 0 */

typedef struct Subst { int n; const int *vars; const Idx *const *to; } Subst;  /* simultaneous; other variables stay */
const Idx *idx_subst(Ctx *c, const Idx *x, const Subst *s);      /* goes into VALUE's expressions as well */
bool idx_uses(const Idx *x, int var);                            /* anywhere, also within expressions of VALUE */
int idx_cost(const Idx *x);                                      /* divisions and remainders left, VALUE counts 0;
                                                                    saturates at 1 << 20 */
/* The value of x: vars[v] is that of variable v; value gives that of VALUE's expressions (NULL when there are none). */
int64_t idx_eval(const Idx *x, const int64_t *vars, int64_t (*value)(void *arg, const Expr *e), void *arg);
/* C text of x: 4*i0 + i1/3%5. A VALUE prints as v and the number of its expression. */
void idx_print(FILE *f, const Idx *x, const char *(*name)(void *, int var), void *arg);   /* NULL name: i0, i1, … */
/* The same with a printer of VALUE's expressions; NULL: as above. What it prints must be an operand of C's *, / and
 * %. */
void idx_print_with(FILE *f, const Idx *x, const char *(*name)(void *, int var),
                    void (*value)(FILE *, void *, const Expr *), void *arg);

/* ---- view.c: the movement operators as index maps -----------------------------------------------------------------
 * Each gives, for an element of the result at index `at` (one Idx per result dimension), its place in the source. */
void view_reshape(Ctx *c, int rank, const int64_t *dims, const Idx *const *at, int src_rank, const int64_t *src_dims,
                  const Idx **src);
void view_transpose(int rank, const int *perm, const Idx *const *at, const Idx **src);  /* result dim i is source dim
                                                                                           perm[i] */
void view_slice(Ctx *c, int rank, const int64_t *start, const int64_t *step, const Idx *const *at, const Idx **src);
/* broadcast: aligned right, 1 reads 0 */
void view_expand(Ctx *c, int rank, const Idx *const *at, int src_rank, const int64_t *src_dims, const Idx **src);
/* mod, aligned right */
void view_repeat(Ctx *c, int rank, const Idx *const *at, int src_rank, const int64_t *src_dims, const Idx **src);

/* ---- expr.c, simplify.c, stmt.c, rewrite.c, scalar.c: buffers, expressions, statements --------------------------- */

typedef enum BufKind { BUF_IN, BUF_OUT, BUF_CONST, BUF_TEMP, BUF_LOCAL } BufKind;
struct Buf {                         /* an n-dimensional array. Complex tensors are float or double buffers with a
                                        trailing dimension of 2 */
    BufKind kind;
    int id;                          /* creation number */
    const char *name;                /* of the graph's value, or of our own */
    DType dt;                        /* never complex */
    int rank;
    const int64_t *dims;
    int index;                       /* IN, OUT: position in the graph's inputs or outputs */
    const Tensor *data;              /* CONST */
    bool text;                       /* U8, slots of computed strings along the last dimension: strings point into it,
                                        so it lives to the end */
};
Buf *buf_new(Ctx *c, BufKind kind, const char *name, DType dt, int rank, const int64_t *dims);
int64_t buf_count(const Buf *b);     /* elements */
size_t buf_bytes(const Buf *b);
struct Plan;
bool buf_in_arena(const Buf *b, const struct Plan *plan);    /* NULL: as with one for temporaries alone */

typedef union Value { int64_t i; uint64_t u; float f; double d; const char *s; } Value;
/* How a scalar of a type is held: ints and bool in i (sign-extended) or u; float in f; double in d; 16-, 8-, 4-bit
 * floats as their bits in u. */

typedef enum ScalarOp {              /* scalar.def: one row of meaning per class of types */
#define OP(name, arity) OP_##name,
#include "scalar.def"
    OP_COUNT
} ScalarOp;
const char *op_name(ScalarOp op);
int op_arity(ScalarOp op);
DType op_result(ScalarOp op, DType arg);         /* type of the value: that of the arguments, or BOOL; DT_NONE: not
                                                    defined there */
bool op_writes(ScalarOp op, DType arg);          /* its value is a computed string: only a store into text slots has it */
int text_constants(const char *text, DType arg); /* numbers in the text of an operator, a cast, and in what that calls */
int op_stack(ScalarOp op, DType arg);            /* bytes of the arrays in its text and in what that calls */
bool op_exact(ScalarOp op, DType arg);           /* uses no function of libm but the exact ones */

/* Their C texts, for the printer; scalar.def says what placeholders stand in them. */
const char *op_text(ScalarOp op, DType arg);     /* over a, b, c for that type of argument; NULL: not defined there */
bool op_inline(ScalarOp op, DType arg);          /* an expression with each parameter once: may stand in place of a
                                                    call of its helper */
const char *cast_text(Ctx *c, DType to, DType from);     /* over a, an expression with a once; NULL: there is no such
                                                            cast (strings) */
const char *bits_text(Ctx *c, DType to, DType from);     /* likewise, of BITS */
const char *scalar_ctype(DType dt);              /* C type of a scalar of that type: "float", "int8_t" (also int4),
                                                    "const char *" */
const char *scalar_tag(DType dt);                /* "f32": ends the names of helpers */
enum { NEEDS_MATH_H = 1, NEEDS_STRING_H = 2 };
unsigned scalar_headers(const char *text);       /* of itself, not of the helpers that it calls */
/* Prints a text with its placeholders replaced; param prints parameter 0, 1, 2 (as an operand: in parentheses unless
 * primary), NULL: a, b, c. arg: DT_NONE for a cast. */
void scalar_print(FILE *f, const char *text, DType arg, const char *prefix, void (*param)(FILE *, void *what, int i),
                  void *what);

/* Helpers: static inline functions of the emitted C, PREFIX_max_f32, PREFIX_f16_of_f32, numbered such that callees
 * come first. */
int helper_count(void);
int helper_of(ScalarOp op, DType arg);           /* -1: not defined there */
const char *helper_text(int helper);             /* for scalar_headers */
void helper_mark(const char *text, DType arg, bool *need);       /* need[h] = true for each helper that the text calls,
                                                                    and those that they call */
/* Its definition. also: a macro that, where it is defined, stands for fused_test; NULL: none. */
void helper_print(FILE *f, int helper, const char *prefix, const char *also);
const char *fused_test(DType dt);                /* of the preprocessor: whether MAD has one rounding there */

typedef enum ExprKind { E_CONST, E_LOAD, E_OP, E_CAST, E_BITS, E_SELECT, E_INDEX, E_IN, E_REDUCE, E_ACC } ExprKind;
typedef struct Reduce {              /* for all vars, first outermost: acc[k] = next[k], simultaneously; starts from
                                        init */
    int nvars; const int *vars; const int64_t *extents;
    int naccs; const int *accs;      /* numbers from var_new: what E_ACC names within next */
    const Expr *const *init; const Expr *const *next;
    int lanes;                       /* 0: as said. Else a power of two, with one accumulator: there are that many of
                                        it, all from init; step number i (of the whole walk, from 0) is done to number
                                        i mod lanes. At the end number j takes up j + lanes/2, for all j < lanes/2, and
                                        so on by halves: acc[j] = join(acc[j], acc[j + half]); acc[0] is the value */
    ScalarOp join;                   /* with lanes: next without what it takes in; init is neutral to it */
    int id;                          /* creation number: equal reductions are one pointer */
} Reduce;
struct Expr {
    ExprKind kind;
    DType dt;                        /* of the value; E_IN: BOOL; E_INDEX: I64 */
    ScalarOp op;                     /* OP */
    int id;                          /* creation number */
    int k;                           /* REDUCE: which accumulator is the value; ACC: its number; LOAD: version */
    int n;                           /* arguments */
    Value value;                     /* CONST */
    const Buf *buf;                  /* LOAD */
    const Idx *const *at;            /* LOAD: one per dimension; INDEX and IN: at[0] */
    int64_t extent;                  /* IN: 0 <= at[0] < extent */
    const Expr *const *args;         /* OP; CAST, BITS: 1; SELECT: condition, then, else (only the chosen one is evaluated) */
    const Reduce *reduce;
    int size;                        /* nodes of the tree that it stands for, those within indices included, saturating
                                        at 1 << 20 */
    int depth;                       /* longest way down, within indices too */
    uint64_t vars;                   /* loop variables and accumulators within, those bound there too: bit (number mod
                                        64) */
    int64_t lo, hi;                  /* integers and bool: what expr_range says; others 0 */
};
const Expr *expr_const(Ctx *c, DType dt, Value v);
const Expr *expr_int(Ctx *c, DType dt, int64_t v);               /* any integer type, bool */
const Expr *expr_float(Ctx *c, DType dt, double v);              /* float and double; 16-bit floats: rounded to bits */
const Expr *expr_load(Ctx *c, const Buf *b, const Idx *const *at);  /* of constants at constant places: a CONST */
/* The string that begins at a row of bytes: of text slots, or of a constant. at has a subscript less than b. */
const Expr *expr_text(Ctx *c, const Buf *b, const Idx *const *at);
const Expr *expr_reload(Ctx *c, const Expr *e, const Idx *const *at);    /* the LOAD e elsewhere */
const Expr *expr_load_version(Ctx *c, const Buf *b, const Idx *const *at, int version);
const Expr *expr_op(Ctx *c, ScalarOp op, const Expr *const *args);  /* operands of one type; its type: op_result */
const Expr *expr_op1(Ctx *c, ScalarOp op, const Expr *a);
const Expr *expr_op2(Ctx *c, ScalarOp op, const Expr *a, const Expr *b);
const Expr *expr_op3(Ctx *c, ScalarOp op, const Expr *a, const Expr *b, const Expr *d);
const Expr *expr_cast(Ctx *c, DType to, const Expr *x);          /* C's meaning made total: float to int truncates,
                                                                    saturates, NaN is 0; to bool: not zero; to 16-, 8-,
                                                                    4-bit floats: to nearest even, the last two
                                                                    saturating */
const Expr *expr_bits(Ctx *c, DType to, const Expr *x);          /* the same bits as another type of that width (to
                                                                    bool: not zero); no strings */
const Expr *expr_select(Ctx *c, const Expr *cond, const Expr *a, const Expr *b);
const Expr *expr_index(Ctx *c, const Idx *x);
const Expr *expr_in(Ctx *c, const Idx *x, int64_t extent);
const Expr *expr_acc(Ctx *c, int acc, DType dt);
const Expr *expr_reduce(Ctx *c, Reduce r, int k);                /* copies r's arrays */
const Expr *expr_reduce1(Ctx *c, int nvars, const int *vars, const int64_t *extents, const Expr *init,
                         const Expr *(*next)(Ctx *, const Expr *acc, void *), void *arg);      /* one accumulator */

/* Rewriting. Memoised over the DAG; recursion is bounded by Expr.depth, which the passes bound (EXPR_DEPTH). */
enum { EXPR_DEPTH = 100, EXPR_SIZE = 400 };
typedef struct Rewrite {             /* what to do at a LOAD: NULL function leaves it (with rewritten indices) */
    const Subst *subst;              /* may be NULL */
    const Expr *(*load)(Ctx *, const Buf *b, const Idx *const *at, void *arg);  /* at is already rewritten; NULL
                                                                                   result: keep the load */
    void *arg;
    const Expr *(*node)(Ctx *, const Expr *e, void *arg);       /* may be NULL; what becomes of a node whose parts have been
                                                                   rewritten; NULL result: it stays */
} Rewrite;
const Expr *expr_rewrite(Ctx *c, const Expr *e, const Rewrite *r);
const Expr *expr_subst(Ctx *c, const Expr *e, const Subst *s);
const Expr *expr_remake(Ctx *c, const Expr *e, const Expr *const *args);     /* an OP, CAST or BITS over other args */
void expr_walk(Ctx *c, const Expr *e, void (*visit)(const Expr *, void *), void *arg);  /* each node once, arguments
                                                                                           first, within indices too */

typedef enum StmtKind { S_SEQ, S_FOR, S_IF, S_STORE, S_LOCAL, S_COPY } StmtKind;
struct Stmt {
    StmtKind kind;
    int n; const Stmt *const *body;  /* SEQ: n statements; FOR, IF: 1 (IF: 2 with an else) */
    int var; int64_t extent;         /* FOR: var = 0 .. extent-1 (constant upper bound; a run-time count is an IF
                                        inside) */
    bool lanes;                      /* FOR: no step reads what another one writes, nor do the steps of loops of lanes
                                        over the same var that stand beside it: they may run in any order, or at once */
    const Expr *cond;                /* IF */
    const Buf *buf;                  /* STORE, LOCAL, COPY: destination */
    const Idx *const *at;            /* STORE, COPY: one per dimension */
    const Expr *value;               /* STORE */
    const Buf *src; const Idx *const *src_at; int64_t run;   /* COPY: run consecutive elements, in row-major order,
                                                                from src_at to at */
};
const Stmt *stmt_seq(Ctx *c, int n, const Stmt *const *body);    /* flattens nested sequences, drops empty ones */
const Stmt *stmt_for(Ctx *c, int var, int64_t extent, const Stmt *body);  /* extent 0: an empty SEQ; extent 1 stays a
                                                                             loop-free body */
const Stmt *stmt_lanes(Ctx *c, int var, int64_t extent, const Stmt *body);
const Stmt *stmt_again(Ctx *c, const Stmt *s, const Stmt *const *body);   /* the SEQ, FOR or IF s around other bodies */
const Stmt *stmt_if(Ctx *c, const Expr *cond, const Stmt *then, const Stmt *otherwise);
const Stmt *stmt_store(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value);
/* A computed string (op_writes) into a slot of b, which is text; at has a subscript less than b. */
const Stmt *stmt_text(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value);
const Stmt *stmt_local(Ctx *c, const Buf *b);                    /* from here to the end of the enclosing SEQ */
const Stmt *stmt_copy(Ctx *c, const Buf *b, const Idx *const *at, const Buf *src, const Idx *const *src_at,
                      int64_t run);

/* A kernel fills (part of) one buffer. Compute form: for all i in dims: out[at(i)] = value(i), each element stored
 * at most once, and value reads out nowhere but at the same place. Nest form: nest != NULL, the rest of the compute
 * form is unused but for out. A nest may fill further temporaries, which it holds: no other kernel touches them. */
typedef struct Kernel {
    const char *what;                /* for people: "Relu y", joined by " + " when fused */
    const char *operators;           /* in it: "Conv + Relu", the middle left out when there are many; NULL: none */
    const char *through;             /* movement that it reads through, likewise: "Reshape + Transpose" */
    Loc loc;
    int rank; const int64_t *dims;   /* variables 0 .. rank-1 */
    const Buf *out; const Idx *const *at;
    const Expr *value;
    const Stmt *nest;
    int nheld; const Buf *const *held;
} Kernel;
typedef struct Prog {                /* kernels run in order; every buffer is written before it is read */
    const char *name;
    int nbufs, nkernels, nins, nouts;
    Buf **bufs;                      /* all but locals */
    const Kernel **kernels;
    Buf **ins, **outs;               /* the graph's, in its order; an output that is never written by a kernel is a
                                        fault */
    const struct Plan *plan;         /* NULL until the pass `plan` has placed them */
} Prog;
typedef struct Plan {                /* where things lie in the one arena */
    const int64_t *offset;           /* per bufs[i]: byte offset for what lies in the arena, else -1 */
    int64_t bytes, align;            /* of the arena; 0 bytes: no arena is needed */
    int64_t lower_bound;             /* bytes alive at the peak, in whole units of align: the least of any placement */
    int peak;                        /* kernel at which that many are alive; -1: there is none */
    bool io;                         /* inputs and outputs lie there, too; inputs may be written over */
} Plan;
/* Each expression of the kernel, those within subscripts too, perhaps more than once. */
void kernel_walk(Ctx *c, const Kernel *k, void (*visit)(const Expr *, void *), void *arg);
int64_t kernel_count(const Kernel *k);           /* of its points, in compute form; saturating */
bool kernel_fills(const Kernel *k, const Buf *b);        /* out, or what it holds */
bool prog_exact(Ctx *c, const Prog *p);          /* op_exact holds for all of it */
/* dims of out, at = identity; `what` begins with the operator */
Kernel *kernel_compute(Ctx *c, const char *what, Loc loc, const Buf *out, const Expr *value);
void prog_reads(Ctx *c, const Kernel *k, void (*visit)(const Buf *, void *), void *arg);  /* each buffer read, once per
                                                                                             kernel */

/* ---- range.c, loop_check.c, loop_count.c, loop_print.c ----------------------------------------------------------- */

/* Of an integer or bool expression; its type's range at worst. uint64: hi INT64_MAX means that or more. */
void expr_range(Ctx *c, const Expr *e, int64_t *lo, int64_t *hi);    /* reads e->lo and e->hi */
void dtype_range(DType dt, int64_t *lo, int64_t *hi);                /* of an integer type or bool */

typedef struct Access {              /* one memory access of the program */
    const Kernel *kernel; const Buf *buf; bool write;
    int dim;                         /* which subscript (−1: a COPY's run over the flat buffer) */
    int64_t lo, hi, extent;          /* proved: 0 <= lo, hi < extent */
} Access;
void prog_check(Ctx *c, const Prog *p);          /* types, scopes and bounds: an internal error that names kernel,
                                                    buffer and subscript when one fails */
void prog_accesses(Ctx *c, const Prog *p, void (*visit)(const Access *, void *), void *arg);
int64_t kernel_ops(Ctx *c, const Kernel *k);     /* worst-case number of scalar operations: OP (MAD is two), CAST, SELECT
                                                    and IN */
void prog_print(FILE *f, Ctx *c, const Prog *p); /* one kernel a paragraph, readable loops */

/* ---- letters.c, regex.c: constant tables, uint8[n], that operators on strings read -------------------------------- */

const Tensor *case_table(Ctx *c, bool to_upper);                 /* for OP_recase */
const char *text_recased(Ctx *c, const char *s, bool to_upper);  /* what OP_recase writes; interned */
/* For OP_match: whether all of a string matches the pattern, in RE2's syntax. NULL: *fault says what is wrong with it. */
const Tensor *regex_table(Ctx *c, const char *pattern, const char **fault);

/* ---- interp.c: the living definition ----------------------------------------------------------------------------- */

Value scalar_eval(ScalarOp op, DType arg, const Value *args, bool fused);    /* fused: MAD has one rounding */
Value scalar_cast(DType to, DType from, Value v);
Value scalar_bits(DType to, DType from, Value v);
Value scalar_read(DType dt, const void *data, int64_t i);        /* unaligned and sub-byte reads */
void scalar_write(DType dt, void *data, int64_t i, Value v);
/* Runs all kernels, in both forms. data[i] is the memory of bufs[i]: set by the caller for inputs and outputs;
 * when their entry is NULL, constants are taken from their tensors, and temporaries lie where the plan says, without
 * one in scratch; where the plan has inputs and outputs in the arena, they are copied there and back. */
void prog_run(Ctx *c, const Prog *p, void **data, bool fused);

#endif
