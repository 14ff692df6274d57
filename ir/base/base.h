/* ir/base: what every room stands on: memory, strings, files, diagnostics, element types, tensors.
 * The only home of system headers (library headers live in frontend/ and codegen/ alone). Nothing here knows of graphs
 * or loops.
 *
 * Ownership: everything is allocated from the context's arenas and lives until ctx_free, but for what is taken from the
 * scratch arena between a mark and its release. Nothing is freed singly. */
#ifndef BURIN_BASE_H
#define BURIN_BASE_H

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURIN_VERSION "0.1.0"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NORETURN __attribute__((noreturn))

typedef struct Ctx Ctx;

/* ---- arena.c: the context and its memory ------------------------------------------------------------------------- */

typedef struct Arena Arena;
typedef struct Mark { void *chunk; size_t used; } Mark;
typedef struct Diag Diag;

struct Ctx {
    Arena *perm, *scratch;           /* perm lives with the context; scratch is marked and released by each pass */
    struct Interned *strings;        /* str.c */
    const Ctx *under;                /* its strings are interned here too; it lives longer and changes no more. Or NULL */
    Diag *diags;                     /* diag.c: recorded, printed by diag_flush */
    int errors, warnings;            /* counted so far (also those beyond the limit of 20 that are not printed) */
    bool muted;                      /* only a try: error, warning and note record nothing */
    jmp_buf *top;                    /* where fatal() goes; set by ctx_run */
    struct Deferred *deferred;       /* released by ctx_free, last first */
    const struct OpTable *ops;       /* ir/graph/op.h; handed in by main, so that no room includes ir/ops */
    struct LoopTab *loop;            /* ir/loop: hash tables of indices and expressions */
    size_t bytes, peak;              /* bytes held by both arenas now, and at most */
    int string_bytes;                /* room of a computed string, its NUL not counted; longer ones are cut */
    bool no_memory;                  /* set by out_of_memory, for diag_flush to tell */
    const char *needs;               /* told with it: what the work in hand takes; NULL: unknown */
    long fail_alloc;                 /* test builds: n > 0: n allocations succeed, the next is fatal; -1: the next */
};

Ctx *ctx_new(void);                                  /* NULL when the machine has no memory at all */
void ctx_free(Ctx *c);
bool ctx_run(Ctx *c, void (*f)(Ctx *, void *), void *arg);   /* runs f; false when it ended in fatal() */
void ctx_defer(Ctx *c, void (*release)(void *), void *what); /* for what a library allocated */

void *mem_alloc(Ctx *c, size_t n);                   /* n zeroed bytes, 16-aligned, permanent; else fatal */
void *mem_copy(Ctx *c, const void *p, size_t n);     /* NULL p allowed when n is 0 */
void *scratch_alloc(Ctx *c, size_t n);               /* n zeroed bytes until the enclosing mark is released */
Mark scratch_mark(Ctx *c);
void scratch_release(Ctx *c, Mark m);                /* test builds poison what is released */
#define NEW(c, T) ((T *)mem_alloc(c, sizeof(T)))
size_t mem_times(size_t size, size_t n);             /* size * n; SIZE_MAX, which no allocation grants, on overflow */
#define NEW_N(c, T, n) ((T *)mem_alloc(c, mem_times(sizeof(T), (size_t)(n))))
#define SCRATCH_N(c, T, n) ((T *)scratch_alloc(c, mem_times(sizeof(T), (size_t)(n))))

/* A growing array in the permanent arena: VEC(Value *) outs = {0}; VEC_PUSH(c, outs, v); outs.at[i], outs.n. */
#define VEC(T) struct { T *at; int n, cap; }
#define VEC_PUSH(c, v, x) \
    ((v).n == (v).cap ? (void)((v).at = vec_grow(c, (v).at, sizeof *(v).at, &(v).cap)) : (void)0, \
     (void)((v).at[(v).n++] = (x)))
void *vec_grow(Ctx *c, void *at, size_t size, int *cap);

/* ---- str.c: interned strings, files ------------------------------------------------------------------------------ */

const char *intern(Ctx *c, const char *s);                   /* one pointer for equal strings: compare pointers */
const char *intern_n(Ctx *c, const char *s, size_t n);
const char *internf(Ctx *c, const char *fmt, ...) PRINTF(2, 3);
const char *vinternf(Ctx *c, const char *fmt, va_list args) PRINTF(2, 0);
const char *nearest(const char *word, const char *const *words, int n);   /* by edit distance; NULL: none is close */
void print_escaped(FILE *f, const char *s);          /* s safe in a C comment and readable: no comment end or start,
                                                        trigraph, backslash, control, non-ASCII byte (those as \xNN) */

typedef struct File { const char *path; const char *data; size_t size; } File;   /* mapped, read-only, not NUL-ended */
File *file_map(Ctx *c, const char *path);            /* NULL and errno when it cannot be read (a folder gives EISDIR);
                                                        unmapped by ctx_free; pipes are read whole */
void *file_room(Ctx *c, size_t n);                   /* n zero bytes in a file without a name, which need no memory while
                                                        they rest; NULL when there is none; until ctx_free */

/* ---- output.c: files that take their places together ------------------------------------------------------------- */

typedef struct Output { const char *path, *temp, *backup; FILE *file; bool placed; } Output;
void output_open(Ctx *c, Output *o, const char *path, const char *model);    /* beside path; fatal when it cannot be
                                                        written, is no plain file, or is the file `model` */
bool output_close(Ctx *c, Output *o);                /* false: a write failed, which was reported */
void outputs_place(Ctx *c, Output *o, int n);        /* all or none, the last one last; else an error */

/* ---- process.c: other programs ----------------------------------------------------------------------------------- */

typedef struct Folder Folder;        /* a private one; while there is one, signals that would end us wait for it */
Folder *folder_new(Ctx *c);          /* in TMPDIR or /tmp; fatal when it cannot be made */
void folder_remove(void *folder);    /* with all that is in it; by ctx_free at the latest; twice does no harm */
const char *folder_file(Ctx *c, const Folder *f, const char *name);      /* the path of a file in it */
int words_split(Ctx *c, const char *text, const char **words, int most); /* at blanks; how many */
enum { PROCESS_MISSING = -1000 };
/* Runs argv[0], found on PATH, without input; what it prints goes to the file `log`. Its exit status; -N: signal N
 * ended it; PROCESS_MISSING: it could not be started (errno). argv ends with NULL. */
int process_run(Folder *f, const char *const *argv, const char *log);

/* ---- ptrmap.c: from pointers to pointers ------------------------------------------------------------------------- */

typedef struct PtrPair { const void *key; void *value; } PtrPair;
typedef struct PtrMap { PtrPair *at; size_t n, cap; } PtrMap;    /* {0}: empty. Never iterated: order would follow
                                                                    addresses */
void *ptrmap_get(const PtrMap *m, const void *key);        /* NULL: not there */
void ptrmap_reserve(Ctx *c, PtrMap *m, size_t count);    /* room for that many, so that it does not grow before */
void ptrmap_put(Ctx *c, PtrMap *m, const void *key, void *value);      /* in scratch memory; a NULL value: not there */

/* ---- diag.c: three reporters ------------------------------------------------------------------------------------- */

typedef struct Source { const char *name; const char *text; size_t size; } Source;   /* text NULL: binary input */
typedef struct Loc {                 /* where something came from; all zero: nowhere */
    const Source *src;
    uint32_t line, col;              /* from 1; col 0: a line alone (XML); line 0: none (binary) */
    const char *what;                /* binary: "node 'NAME' (OP)", put in front of the message; else NULL */
} Loc;

void error(Ctx *c, Loc loc, const char *fmt, ...) PRINTF(3, 4);     /* the user's fault: recorded, work goes on */
void warning(Ctx *c, Loc loc, const char *fmt, ...) PRINTF(3, 4);
void note(Ctx *c, Loc loc, const char *fmt, ...) PRINTF(3, 4);
/* What is recorded from one mark to another, when it turns out to concern only what is left out: errors become warnings. */
int diag_mark(Ctx *c);
void diag_soften(Ctx *c, int from, int to);
/* A limit or I/O: recorded, then longjmp (exit 1 outside ctx_run); never out of a library's callback. */
NORETURN void fatal(Ctx *c, Loc loc, const char *fmt, ...) PRINTF(3, 4);
NORETURN void ice(Ctx *c, const char *fmt, ...) PRINTF(2, 3);   /* our fault: "internal error: …", then as fatal */
NORETURN void out_of_memory(Ctx *c);                                /* fatal, but allocates nothing */
/* Prints what is recorded, in order of position (stable), at most 20 errors, each with source line and caret; forgets
 * it. Notes follow the error or warning recorded before them. Allocates nothing. */
void diag_flush(Ctx *c, FILE *f);

/* ---- dtype.def, dtype.c: the 26 element types of ONNX ------------------------------------------------------------ */

typedef enum DType {                 /* numbers of TensorProto.DataType (onnx.proto) */
    DT_NONE = 0,
#define DTYPE(id, number, name, bits, class, ctype) DT_##id = number,
#include "dtype.def"
    DT_COUNT
} DType;

typedef enum DClass { CLASS_FLOAT, CLASS_INT, CLASS_UINT, CLASS_BOOL, CLASS_COMPLEX, CLASS_STRING } DClass;

const char *dtype_name(DType t);     /* as the graph text spells it: "float", "int64", "float8e4m3fn" */
DType dtype_parse(const char *name); /* DT_NONE when unknown */
int dtype_bits(DType t);             /* of one element: 2, 4, 8 … 128; string: bits of a host pointer */
DClass dtype_class(DType t);
const char *dtype_ctype(DType t);    /* C element type of the interface: "float", "uint16_t"; string: "char *" */
bool dtype_is_float(DType t);        /* float, double, the 16-, 8- and 4-bit floats */
bool dtype_is_int(DType t);          /* signed or unsigned integer of any width; not bool */
bool dtype_is_signed(DType t);       /* a signed integer */

float f16_to_f32(uint16_t h);        /* exact */
uint16_t f32_to_f16(float f);        /* one rounding, to nearest even; NaN stays NaN */
uint16_t f64_to_f16(double d);       /* one rounding */
float bf16_to_f32(uint16_t h);
uint16_t f32_to_bf16(float f);
float f8_to_f32(DType t, uint8_t code);                  /* any 8- or 4-bit float type; exact */
uint8_t f32_to_f8(DType t, float f, bool saturate);      /* to nearest even (float8e8m0: ties up), as the tables of ONNX
                                                            Cast say (saturate: its attribute) */

/* ---- tensor.c: types and constant payloads ----------------------------------------------------------------------- */

enum { MAX_RANK = 32 };
typedef struct Type { DType dt; int rank; const int64_t *dims; } Type;   /* rank 0: a scalar; dims[i] >= 0 */

/* Row-major elements as in memory of a little-endian machine, sub-byte packed (first element lowest), complex as pairs,
 * strings as const char * (NUL-ended, interned). The data may lie in a mapped file and need not be aligned: read
 * through the accessors. */
typedef struct Tensor { Type type; const void *data; size_t bytes; } Tensor;

bool dims_count(int rank, const int64_t *dims, int64_t *count);      /* product; false when above 2^40 */
int64_t count_mul(int64_t a, int64_t b);         /* saturating */
int64_t type_count(Type t);          /* elements; counts are checked when a type is made */
size_t type_bytes(Type t);           /* of a packed row-major tensor */
bool type_same(Type a, Type b);
Type type_make(Ctx *c, DType dt, int rank, const int64_t *dims);   /* copies dims; fatal when too large (dims_count) */
const char *type_text(Ctx *c, Type t);                               /* "float[2,3]", "float" for rank 0 */
const char *dims_text(Ctx *c, int rank, const int64_t *dims);        /* "[2,3]" */

Tensor *tensor_new(Ctx *c, Type t);                                /* zeroed (strings: ""), owned, writable through (void *)data */
Tensor *tensor_large(Ctx *c, Type t);        /* the same for numbers, where it is large in a file without a name */
Tensor *tensor_of(Ctx *c, Type t, const void *data, size_t bytes);   /* refers to data */
Tensor *tensor_front(Ctx *c, const Tensor *t, const Tensor *dims);   /* what lies in front of t, of those dimensions */
Tensor *tensor_ints(Ctx *c, int n, const int64_t *v);                /* int64[n] */
Tensor *tensor_int(Ctx *c, int64_t v);                               /* int64 scalar */
Tensor *tensor_float(Ctx *c, DType dt, double v);                    /* a scalar of any numeric type holding v */
int64_t tensor_at_int(const Tensor *t, int64_t i);   /* integer (sign-extended), bool (0 or 1), bits of a float */
double tensor_at_double(const Tensor *t, int64_t i);                 /* any real type, a number; complex: real part */
const char *tensor_at_string(const Tensor *t, int64_t i);
Tensor *tensor_seeded(Ctx *c, Type t, uint64_t seed); /* seed.c: the same small values on every machine */
void tensor_print(FILE *f, Ctx *c, const char *name,
                  const Tensor *t);                  /* tensor_print.c: one line: name type[shape] = v v ... */
/* decimal.c: as few digits, `least` at least (1 to 9), as read back the same value, in the form of %g; nan, inf */
void float_text(char out[40], float f, int least);
void double_text(char out[40], double d);
typedef struct Distance {            /* tensor_compare.c: of a tensor from what it should be */
    bool same;                       /* bit for bit, NaN like NaN */
    double abs, rel;                 /* the greatest errors, rel where a number but 0 is wanted */
    int64_t wrong, abs_at, rel_at, first;            /* elements beyond tolerance; where, and the first of them, or -1 */
} Distance;
Distance tensor_compare(const Tensor *got, const Tensor *want, double rtol, double atol);    /* of one type */
bool tensor_same(const Tensor *a, const Tensor *b);                  /* same type, same bits (padding aside) */

#endif
