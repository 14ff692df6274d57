/* Private to codegen: what its files share while one program is printed. */
#ifndef BURIN_EMIT_H
#define BURIN_EMIT_H

#include "codegen.h"

enum { LINE = 120, INDENT = 4, STRING_MAX = 4095 };   /* columns; the longest string literal, and line, of C99 */
enum { NAME_BYTES = 1000, NAME_COLUMNS = 4000 };      /* of a name: in a comment; as the literal of the macro NAME */

/* ---- sheet.c: memory streams, wrapped lines, literals ------------------------------------------------------------ */

typedef struct Sheet { FILE *f; char *at; size_t n; } Sheet;   /* at, n: valid after sheet_end or fflush */
Sheet *sheet_new(Ctx *c);                              /* freed with the context at the latest */
void sheet_end(Sheet *t);                              /* closes the stream; at stays */
void sheet_free(Sheet *t);
void sheet_rewind(Sheet *t);                           /* to write anew from the start */
/* Bytes of the string, character or comment that starts at s; else 1. */
size_t literal_unit(const char *s, size_t n);
/* s broken at spaces into lines of LINE columns, and an end of line. */
void print_wrapped(FILE *f, const char *s, size_t n, int indent);
/* What was written to t, which must be safe in a comment, likewise; rewinds t. */
void print_comment(FILE *f, Sheet *t, int indent);
/* As a C string literal: printable ASCII as it is, all else in octal. */
void print_string(FILE *f, const char *s, size_t n);
void print_short_string(FILE *f, const char *s, int columns);       /* likewise, cut with "..." to so many columns */
void print_name(FILE *f, const char *s);             /* safe in a comment; cut with "..." at NAME_BYTES */
void print_scalar(FILE *f, DType dt, Value v);       /* of any type but string; inf and NaN are expr.c's */
/* An exact decimal, without suffix and not NUL-ended, when one of few digits exists: its length, else 0. */
int short_float(char *to, double v);
int hex_float(char *to, uint32_t bits);              /* 0x1.8p+3F, not NUL-ended; a finite one; at most 20 characters */
int hex_double(char *to, uint64_t bits);             /* at most 30 */
bool const_is_nan_or_inf(DType dt, Value v);

/* ---- names.c: C identifiers -------------------------------------------------------------------------------------- */

typedef struct Names {               /* a set of names that are taken */
    const struct Names *up;          /* names taken outside as well */
    const char *prefix;              /* of the exported names: no name of ours begins like them */
    PtrMap taken, next;              /* next: the number to try for a name that is taken */
} Names;
/* A new name made of a stem and of a graph's name: lower-case letters, digits, single inner underscores. */
const char *cname_new(Ctx *c, Names *n, const char *stem, const char *from);
void cnames_reserve(Ctx *c, Names *n, size_t count); /* room for so many, before the first */
void cname_take(Ctx *c, Names *n, const char *name);
bool cname_reserved(const char *name);               /* of C, C++, a predefined macro, one of the four headers */
const char *cname_upper(Ctx *c, const char *name);

/* ---- the state of one emission ----------------------------------------------------------------------------------- */

typedef struct BufInfo {             /* of a buffer that is no local */
    const Buf *buf;                  /* NULL: no such buffer */
    const char *name;                /* IN, OUT: the parameter; CONST: the array */
    int64_t offset;                  /* in_arena: bytes into the arena; CONST in OUT.bin: bytes into it */
    bool used;                       /* the C text mentions it */
    bool bits;                       /* CONST: printed as the bits of floats, read through member f */
    bool begun;                      /* OUT of less than a byte an element: its padding is cleared */
    int stamp; bool written;         /* the last function that touches it; whether that one writes it */
} BufInfo;

typedef struct Local {
    const char *name;
    int loads, stores;
    const Buf *array;                /* of lanes: declared where the function begins; those of disjoint lives share one */
    bool idle, printed;              /* while it is scanned: the array's life is over; what declares it was printed */
} Local;
typedef VEC(Local *) Locals;

typedef VEC(const Buf *) Bufs;

typedef struct Function {            /* the C function that is being printed: one kernel, or a few */
    int stamp;
    bool wide;                       /* indices need int64_t */
    bool uses_arena;
    bool weights;                    /* what it calls reads OUT.bin */
    PtrMap *pointers;                /* Buf -> name of a pointer to it; NULL: arrays are named as they are */
    Names names;
    PtrMap locals;                   /* Buf -> Local */
    Locals arrays;                   /* of lanes */
    Bufs touched;
} Function;

enum { STEPS_MOST = 4 };
typedef struct Step {                /* a pointer that goes on by an element a step */
    const Buf *buf;
    const Idx *shape, *first;        /* of the places that are read by it: without what is constant; the least, at step 0 */
    const char *name;
} Step;

typedef struct Steps {               /* the loop that steps through what it reads */
    int var; int64_t extent;
    int64_t by;                      /* its variable, as printed, counts so many at a time */
    int n; Step at[STEPS_MOST];
} Steps;

typedef struct Emit {
    Ctx *c;
    const Prog *p;
    const EmitOptions *o;
    Sizes sizes;
    const char *upper;               /* the prefix in capitals */
    Names names;                     /* of file scope, parameters included */
    BufInfo *info; int ninfo;        /* by Buf.id */
    Sheet *body, *line, *inner;       /* the functions; a statement; the statements of a function */
    Function *fn; int stamp;         /* stamp: of the last one begun */
    Bufs spare;                      /* room for the next one's touched */
    PtrMap calls;                    /* Stmt -> the Routine that is called for it */
    VEC(int) vars;                   /* open loops, by variable; the position is the depth */
    bool *helpers, *inlined;         /* by number: used; in loops of lanes */
    unsigned headers;                /* NEEDS_… */
    bool floats;                     /* arithmetic on floats */
    int parts;                       /* numbers the names of parts of deep expressions, within a function */
    bool wide;                       /* some function is wide: so are the helpers for packed elements */
    bool lanes, lines, each, rolled, around, keeps;      /* macros of lanes.c: used */
    const Steps *steps;              /* what is printed stands in such a loop; NULL: it does not */
    bool in_lanes;                   /* what is printed stands in a loop of them */
    bool get[DT_COUNT], put[9];      /* helpers of packed elements: by type; by bits */
    VEC(const char *) strings;       /* constants within expressions that are too long for a literal */
    int64_t bin_bytes, bin_align;
} Emit;

BufInfo *buf_info(const Emit *e, const Buf *b);      /* NULL: a local */
bool in_arena(const Emit *e, const Buf *b);
bool io_in_arena(const Emit *e);                     /* inputs and outputs are */
const char *buf_ctype(const Buf *b);                 /* "float", "const char *" */
const char *elem_member(DType dt);                   /* of the arena: "f32" */
int elem_bytes(DType dt);                            /* of an element of memory; packed ones 1 */
int elem_per(DType dt);                              /* elements in one of memory: 1, 2, 4 */
bool buf_odd(const Buf *b);                          /* its last byte is not full */

/* ---- index.c, expr.c --------------------------------------------------------------------------------------------- */

typedef enum Prec { P_ANY, P_COND, P_OR, P_AND, P_BITS, P_EQ, P_REL, P_SHIFT, P_ADD, P_MUL, P_UNARY, P_PRIMARY } Prec;
void print_expr(Emit *e, FILE *f, const Expr *x, Prec least);        /* in parentheses when it binds less than that */
void print_write(Emit *e, FILE *f, const Buf *b, const Idx *const *at, const Expr *x);
void print_element(Emit *e, FILE *f, const Buf *b, const Idx *flat);
/* x[4*i + j], of an element of at least a byte; &x[4*i + j], of packed ones that of the byte. */
void print_place(Emit *e, FILE *f, const Buf *b, const Idx *const *at);
void print_address(Emit *e, FILE *f, const Buf *b, const Idx *const *at);
void print_packed(Emit *e, FILE *f, const Buf *b, const Idx *const *at);     /* "x, 4*i + j": the helpers' arguments */
/* In elements, from the start of the array or of the arena's member. */
const Idx *flat_place(Emit *e, const Buf *b, const Idx *const *at);
void print_byte(Emit *e, FILE *f, const Buf *b, int64_t byte);       /* one byte of packed elements */
void print_member(Emit *e, FILE *f, DType dt);       /* of the arena: "arena.f32" */
void print_buf(Emit *e, FILE *f, const Buf *b);      /* "x float[2,3]", safe in a comment */
void touch(Emit *e, const Buf *b, bool write);
const char *idx_type(const Emit *e);
void print_index(Emit *e, FILE *f, const Idx *x);
Prec op_prec(const char *text);                     /* of the operator that binds least in a text of scalar.def */
Prec op_need(const char *text, int param, bool *after_sign);        /* what its parameter must bind as */

/* ---- split.c, stmt.c, kernel.c ----------------------------------------------------------------------------------- */

const Stmt *split_stmt(Emit *e, const Stmt *s);      /* with parts of deep expressions named */
void print_stmt(Emit *e, const Stmt *s, int indent);         /* to inner */
bool any_arrays(const Function *fn);
void print_arrays(Emit *e, FILE *f);    /* those of lanes, where the function begins */
void scan_stmt(Emit *e, const Stmt *s); /* before printing: counts locals' uses, decides int32_t or int64_t */
void print_line(Emit *e, FILE *f, int indent);       /* what was written to line, then begins a new one */
bool print_part(Emit *e, const Stmt *s, int indent);         /* as a call, when it has a function of its own */
void emit_kernels(Emit *e);                          /* to body: the functions, run last */
/* The kernels that have statements, in order: those that the C has, and steps number. to: p->nkernels long. */
int kernels_live(Ctx *c, const Prog *p, const Kernel **to);

/* ---- lanes.c: loops whose steps are independent ------------------------------------------------------------------ */

bool has_lanes(const Stmt *s);
int lanes_beside(const Stmt *const *s, int n);       /* how many of the n statements, from the first on, are one loop */
void print_lanes(Emit *e, const Stmt *const *loops, int n, int indent);
void print_lane_macros(Emit *e, FILE *f);            /* those that were used */
enum { CACHE_LINE = 64, ALIGNED_LINES = 8 };
void print_keeps(Emit *e, FILE *f);                 /* before a function: its arrays of lanes stay in registers */
void print_aligned(const Emit *e, FILE *f);          /* behind an array: it begins where a cache line does */
bool local_aligned(const Buf *b);    /* stmt.c: whether a local array does: long ones may lie in memory */
void print_isa(Emit *e, FILE *f);                    /* what the file is compiled for, whatever the options say */
void print_lanes_end(Emit *e, FILE *f);              /* behind the functions */
void print_pointers(Emit *e, FILE *f);               /* what the function's text reaches through pointers */
/* The name of the function's pointer to the array; NULL: none, it is named as it is. */
const char *pointer_to(Emit *e, const Buf *b);
void pointer_write(Emit *e, const Buf *b);           /* the function stores through it */

/* ---- steps.c: loops that step through what they read ------------------------------------------------------------- */

bool steps_of(Emit *e, const Stmt *loop, Steps *to);         /* whether the loop is one */
void print_steps_begin(Emit *e, Steps *s, int indent);       /* in front of it: its pointers */
const Idx *steps_place(Emit *e, const Idx *flat);            /* the place by the variable as it is printed */
bool print_step_place(Emit *e, FILE *f, const Buf *b, const Idx *flat);      /* by one of the pointers, if one is for it */

/* ---- data.c ------------------------------------------------------------------------------------------------------ */

void plan_constants(Emit *e);                        /* names, places in OUT.bin */
void print_constants(Emit *e, FILE *f);
void write_bin(Emit *e, FILE *f);
int64_t const_bytes(const Buf *b);                   /* of flash, strings included */

/* ---- emit.c: the arena ------------------------------------------------------------------------------------------ */

bool arena_has(const Emit *e, const char *member);   /* the functions use it: "f32" */
void print_union(Emit *e, FILE *f);                  /* its type */

/* ---- iface.c ----------------------------------------------------------------------------------------------------- */

bool interface_fits(Emit *e);                        /* else errors */
void plan_interface(Emit *e);                        /* names of parameters */
void print_header(Emit *e, FILE *f);
void print_parameter(Emit *e, FILE *f, const Buf *b, bool written, const char *restricted);
void print_run_head(Emit *e, FILE *f, bool definition); /* void m_run(const float *in_x, …), without an end of line */
Type param_type(const EmitOptions *o, const Buf *b); /* as in the graph: complex */

/* ---- trial.c: the emitted C, compiled and run on this machine ---------------------------------------------------- */

typedef struct Trial {
    Ctx *c;
    const Prog *p;
    const EmitOptions *o;
    const char *flags;               /* for $CC when CFLAGS is not set; may be NULL */
    Folder *folder;
    const char *how;                 /* set by trial_make: the command, without the names of files */
    bool loose;                      /* likewise: flags of the user's may change bits */
    bool fused;                      /* for check.c */
} Trial;
bool trial_make(Trial *t);           /* the folder, with the program in it; false: a fault was reported */
const File *trial_run(Trial *t, const Tensor *const *in);    /* the file that the program wrote; NULL: likewise */

/* ---- harness.c: a program around the function, and the files that it reads and writes ---------------------------- */

void harness_print(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o);
void harness_put(FILE *f, const Tensor *t);          /* an input */
bool harness_get(Ctx *c, const File *f, size_t *at, Tensor *t);      /* an output, of t's type; false: cut short */
Tensor *harness_room(Ctx *c, Type t);                /* filled as the program's */

/* ---- meter.c: the part of that program that measures, with EmitOptions.steps ------------------------------------- */

/* What `measure` writes: doubles, medians, in seconds or a second; then the seconds of each of kernels_live. */
enum { METER_ROUNDS, METER_PRODUCTS, METER_COPY, METER_WHOLE, METER_CLOCK, METER_KERNELS };
void meter_print(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o);     /* static void measure(FILE *out) */
void meter_end(FILE *f, Ctx *c, const EmitOptions *o);       /* behind all functions */
int64_t meter_bytes(Ctx *c, const Prog *p, const EmitOptions *o);    /* that the copy reads and writes */

/* ---- size.c ------------------------------------------------------------------------------------------------------ */

typedef struct KernelSizes { int64_t ops, bytes; } KernelSizes;
/* The one buffer, locals aside, that the statement fills; NULL: none, or several. */
const Buf *stmt_fills(const Stmt *s);
KernelSizes kernel_sizes(Ctx *c, const Kernel *k);
/* Bytes that it must move at least: of each buffer no more than it is long, in each direction. */
int64_t kernel_touched(Ctx *c, const Kernel *k);
/* The temporaries alive at a kernel, largest first; to: p->nbufs long. */
int alive_at(Ctx *c, const Prog *p, int kernel, const Buf **to);
int64_t bytes_sum(int64_t a, int64_t b);             /* INT64_MAX when it is more */
int64_t bytes_times(int64_t a, int64_t b);           /* likewise */
int64_t ram_of(const Sizes *s);                      /* arena, inputs, outputs, stack */
bool budget_check(Ctx *c, const Prog *p, const EmitOptions *o, const Sizes *s);

/* ---- stack.c: at most so many bytes; vector: of a register of vectors, 0: there are none ------------------------- */
int64_t prog_stack(Ctx *c, const Prog *p, int vector);

#endif
