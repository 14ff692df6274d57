/* Private to ir/loop: a kernel as a flat program over registers. interp_compile.c and interp_expr.c make it, interp.c runs it. */
#ifndef BURIN_INTERP_H
#define BURIN_INTERP_H

#include "expr.h"
#include "scalar.h"

typedef enum InsKind {               /* r: registers, index: r[a] + r[b]·k, within 0 .. n-1 or an internal error */
    I_OP,                            /* r[d] = fn(r[a], r[b], r[c]) */
    I_CAST,                          /* r[d] = cast(r[a]) */
    I_MOV,                           /* r[d] = r[a] */
    I_SEL,                           /* r[d] = r[a] ? r[b] : r[c] */
    I_SUM,                           /* r[d] = r[a] + r[b]·k */
    I_DIV, I_REM,                    /* r[d] = r[a] / k, r[a] % k; not negative */
    I_IN,                            /* r[d] = 0 <= r[a] < k */
    I_LOAD8, I_LOADU8, I_LOAD16, I_LOADU16, I_LOAD32, I_LOADU32, I_LOAD64,     /* r[d] = p[index], widened */
    I_LOAD,                          /* the same for elements below 8 bits and bool, of type c */
    I_STORE8, I_STORE16, I_STORE32, I_STORE64,                                 /* p[index] = r[d] */
    I_STORE,                         /* elements below 8 bits, of type c */
    I_COPY,                          /* k elements of type d from src at r[b] to p at r[a] */
    I_JUMP, I_JZ, I_JNZ,             /* k instructions further than the next; if r[a] is (not) zero */
    I_LOOP,                          /* r[d] += 1, and back by n instructions from the next while below k */
    I_END
} InsKind;

typedef struct Ins {
    InsKind kind;
    int d, a, b, c;
    int64_t k, n;
    union { ScalarFn fn; CastFn cast; char *p; };
    union { const char *src; const Buf *buf; };      /* COPY; loads and stores: for messages */
    int64_t src_n;                   /* COPY: elements of src */
} Ins;

typedef struct Code { Ins *at; int n, cap; } Code;
typedef struct Program { Code code; Value *regs; int nregs; const Kernel *kernel; } Program;

/* memory gives each buffer's bytes by Buf.id. The program lies in scratch. */
Program interp_compile(Ctx *c, const Kernel *k, Memo *memory, bool fused);

/* ---- interp_expr.c: expressions ------------------------------------------------------------------------------------ */

typedef enum ScopeKind { SCOPE_BLOCK, SCOPE_LOOP, SCOPE_ARM } ScopeKind;
typedef struct Node Node;
typedef struct Scope {
    struct Scope *parent;
    ScopeKind kind;
    int depth, loops;                /* scopes, and loops among them, around and including this one */
    Code code;
    int last;                        /* the last instruction, when it alone defines its register; else -1 */
    int var; int64_t extent;         /* LOOP: register and count */
} Scope;

typedef struct Compiler {
    Ctx *c;
    const Kernel *kernel;
    Memo *memory;
    bool fused;
    Memo written, locals;            /* buffers that the kernel stores into, locals included; memory of locals */
    Node **nodes; int nnodes, cap;   /* hash table, chained */
    Scope *slots[60]; int nslots;    /* where each loop variable and accumulator is bound */
    Scope *root, *stmt;              /* stmt: what reads a written buffer stays within it */
    Value *regs; int nregs, regcap;
} Compiler;

Scope *scope_open(Compiler *x, Scope *parent, ScopeKind kind);
Scope *scope_loop(Compiler *x, Scope *parent, int var, int64_t extent);      /* binds the variable; parent itself for an extent of 1 */
void scope_close(Compiler *x, Scope *s);             /* block or loop: its code goes to the end of its parent's */
void code_append(Compiler *x, Scope *s, const Code *code);
Ins *code_emit(Compiler *x, Scope *s, Ins ins);
int compile_expr(Compiler *x, Scope *s, const Expr *e);                      /* the register that holds it */
int compile_flat(Compiler *x, Scope *s, const Buf *b, const Idx *const *at);                   /* its flat index */
void compile_store(Compiler *x, Scope *s, const Buf *b, const Idx *const *at, int value);
char *buf_memory(Compiler *x, const Buf *b);
int new_reg(Compiler *x);

#endif
