/* codegen: the loop IR of a planned program as C99 text, its header, its constants, reports about it and pictures of
 * it. Reads programs, changes none; knows no operator. Pictures alone look at graphs. */
#ifndef BURIN_CODEGEN_H
#define BURIN_CODEGEN_H

#include "graph.h"

typedef struct EmitOptions {
    const char *prefix;              /* of every exported name: a C identifier */
    const char *header_name;         /* what the C file includes: "m.h"; NULL: one self-contained text (-o -) */
    const char *model_path;          /* for the SHA-256 and the comment (its base name alone is printed) */
    const char *options;             /* the options of the command line that shape the output, for the comment */
    bool arena_caller;               /* --arena=caller */
    bool io_arena;                   /* --io=arena: the program is planned so */
    bool weights_bin;                /* --weights=bin */
    const char *isa;                 /* of x86-64, as compilers name its parts: "avx2,fma"; or NULL */
    int vector;                      /* bytes of the machine's registers of vectors; 0: none */
    bool steps;                      /* behind kernel k stands PREFIX_step(k), which is declared, not defined */
    int64_t ram_budget, flash_budget;        /* bytes; RAM 2 GiB unless said otherwise; flash -1: none */
    int ncounts; const int *counted;         /* the last outputs are true dimensions, each of output counted[k] */
    const Type *in_types, *out_types;        /* the graph's, which alone knows of complex ones; NULL: as the buffers */
} EmitOptions;

/* ---- emit.c: writes the three texts; bin is NULL without --weights=bin. A write error is the caller's to see
 * (ferror). The budget is checked first: over it, an error that names the tensors alive at the peak, and nothing is
 * written. */
typedef struct EmitFiles { FILE *c, *h, *bin; } EmitFiles;
bool emit(Ctx *c, const Prog *p, const EmitOptions *o, EmitFiles f);

/* ---- names.c: what the emitted files and names are called -------------------------------------------------------- */
bool header_taken(const char *stem);                 /* whether stem.h is a header of C's library, which it would hide */
const char *path_stem(Ctx *c, const char *path);     /* "net" of "some/net.onnx" */
const char *prefix_from(Ctx *c, const char *name);   /* the C name that --prefix has by default */

/* ---- size.c: what the program needs ------------------------------------------------------------------------------ */
typedef struct Sizes {
    int64_t arena, arena_align, inputs, outputs, flash, stack;   /* bytes */
    bool io_in_arena;                /* inputs and outputs are parts of the arena */
    int64_t lower_bound;             /* of the arena, for the order as it stands */
    int64_t ops, bytes_moved;        /* worst case, per call */
} Sizes;
Sizes prog_sizes(Ctx *c, const Prog *p, const EmitOptions *o);
/* What to tell when memory runs out: bytes of inputs, `sets` times the outputs, the arena (p NULL: without it). */
const char *needs_text(Ctx *c, const Graph *g, const Prog *p, int sets);

/* ---- check.c: the emitted C on this machine ---------------------------------------------------------------------- */
typedef struct CheckOptions {
    double rtol, atol;               /* of the command line; -1: not said */
    double tolerance;                /* of the operators, relative: where equal bits are not due */
    const Prog *graph;               /* the loops of the graph before any pass: what is right */
    bool rounds;                     /* passes were allowed to round */
} CheckOptions;
/* want NULL: what the interpreter makes of the graph */
typedef struct CheckSet { const char *name; const Tensor *const *in, *const *want; } CheckSet;
/* Compiles with $CC and $CFLAGS, runs every set, prints a line an output. What fails is an error, too. */
void check_prog(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o, const CheckOptions *k, int nsets,
                const CheckSet *sets);
/* The first output that differs, which is printed; -1: none does, or an error was reported. */
int check_first(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o, const CheckOptions *k, const CheckSet *set);

/* What the interpreter gives; fused: product-sums have one rounding. */
Tensor **interpreted(Ctx *c, const Prog *p, const EmitOptions *o, const Tensor *const *in, bool fused);

/* ---- bench.c: how fast that is ----------------------------------------------------------------------------------- */
/* Compiles with $CC and $CFLAGS, times, prints a table, or JSON. What fails is an error. */
void bench_prog(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o, const Tensor *const *in, bool json);

/* ---- report.c: burin report -------------------------------------------------------------------------------------- */
void report_text(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o);
/* Sizes, figures of each kernel, every memory access with its proved interval and bound, the worst-case operation
 * count, the tensors at the peak. */
void report_json(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o);

/* ---- picture.c, html.c: pictures --------------------------------------------------------------------------------- */
/* burin show --as=svg, dot, json: of the graph, or of the loops where p is not NULL; false: `as` is none of these. */
bool picture(FILE *f, Ctx *c, const char *as, const Graph *g, const Prog *p);
/* burin report --html: one page, with the pictures and the tables of report_text. */
void report_html(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o);

#endif
