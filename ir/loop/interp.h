/* Private to ir/loop: a kernel as a flat program over registers. interp_compile.c, interp_expr.c and interp_code.c
 * make it, interp.c runs it. */
#ifndef BURIN_INTERP_H
#define BURIN_INTERP_H

#include "expr.h"
#include "scalar.h"

typedef enum InsKind {               /* r: registers, index: r[a] + r[b]·k, within 0 .. n-1 or an internal error */
    I_OP,                            /* r[d] = fn(r[a], r[b], r[c]) */
    I_CAST,                          /* r[d] = cast(r[a]) */
    I_BITS,                          /* r[d] = the bits of r[a], of type n, as type k */
    I_MOV,                           /* r[d] = r[a] */
    I_GET,                           /* r[d] = r[a + r[b] mod k]; k: a power of two */
    I_PUT,                           /* r[d + r[b] mod k] = r[a] */
    I_SEL,                           /* r[d] = r[a] ? r[b] : r[c] */
    I_SUM,                           /* r[d] = r[a] + r[b]·k */
    I_DIV, I_REM,                    /* r[d] = r[a] / k, r[a] % k; not negative */
    I_IN,                            /* r[d] = 0 <= r[a] < k */
    I_LOAD8, I_LOADU8, I_LOAD16, I_LOADU16, I_LOAD32, I_LOADU32, I_LOAD64,     /* r[d] = p[index], widened */
    I_LOAD,                          /* the same for elements below 8 bits and bool, of type c */
    I_STORE8, I_STORE16, I_STORE32, I_STORE64,                                 /* p[index] = r[d] */
    I_STORE,                         /* elements below 8 bits, of type c */
    I_ADDRESS,                       /* r[d] = p + index, where c bytes are */
    I_WRITE,                         /* write(r[d], c, r[a], r[b]) */
    I_COPY,                          /* k elements of type d from src at r[b] to p at r[a] */
    I_JUMP, I_JZ, I_JNZ,             /* k instructions further than the next; if r[a] is (not) zero */
    I_LOOP,                          /* r[d] += 1, and back by n instructions from the next while below k */
    I_END
} InsKind;

typedef struct Ins {
    InsKind kind;
    int d, a, b, c;
    int64_t k, n;
    union { ScalarFn fn; CastFn cast; WriteFn write; char *p; };
    union { const char *src; const Buf *buf; };      /* COPY; loads and stores: for messages */
    int64_t src_n;                   /* COPY: elements of src */
} Ins;

typedef struct Code { Ins *at; int n, cap; } Code;
typedef struct Program { Code code; Value *regs; int nregs; const Kernel *kernel; } Program;

/* memory gives each buffer's bytes by Buf.id. The program lies in scratch. */
Program interp_compile(Ctx *c, const Kernel *k, Memo *memory, bool fused);

/* ---- interp_code.c: where code goes ------------------------------------------------------------------------------ */

typedef enum ScopeKind { SCOPE_BLOCK, SCOPE_LOOP, SCOPE_ARM } ScopeKind;
typedef struct Scope {
    struct Scope *parent;
    ScopeKind kind;
    int depth, loops;                /* scopes, and loops among them, around and including this one */
    Code code;
    int last;                        /* the last instruction, when it alone defines its register; else -1 */
    int var; int64_t extent;         /* LOOP: register and count */
} Scope;

typedef enum NodeTag { NODE_EXPR, NODE_ATOM, NODE_VAR, NODE_REDUCE, NODE_SUM, NODE_CONST } NodeTag;
typedef struct Node {                /* something that has a register */
    NodeTag tag;
    int x, y; int64_t z;             /* the key: creation number; SUM: registers and factor; CONST: type and bits */
    uint64_t mask; bool masked;      /* slots of the free variables */
    Scope *home; int reg;            /* where it has been computed, NULL: not known; VAR: where it is bound */
    int slot;                        /* VAR: from 0; BIT_MANY: -1 */
    struct Node *link;               /* of the hash chain */
} Node;

/* Of a mask: loads memory, reads a written buffer, has a variable without a slot. */
#define BIT_LOADS (UINT64_C(1) << 63)
#define BIT_WRITTEN (UINT64_C(1) << 62)
#define BIT_MANY (UINT64_C(1) << 61)

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

/* Bindings are kept apart from what they hide: a reduction that is moved out of another one may use the same
 * variables. */
typedef struct Binding { Node *var; Scope *home, *slot; int reg; } Binding;

Node *node_of(Compiler *x, NodeTag tag, int a, int b, int64_t z);
bool is_known(const Node *n, const Scope *s);
int make_known(Node *n, Scope *home, int reg);       /* reg */
int new_reg(Compiler *x);
int const_reg(Compiler *x, DType dt, Value v);
int int_reg(Compiler *x, int64_t v);
Ins *code_emit(Compiler *x, Scope *s, Ins ins);
void code_append(Compiler *x, Scope *s, const Code *code);
Scope *scope_open(Compiler *x, Scope *parent, ScopeKind kind);
Scope *scope_loop(Compiler *x, Scope *parent, int var, int64_t extent);      /* binds var; extent 1: parent itself */
void scope_close(Compiler *x, Scope *s);             /* block or loop: its code goes to the end of its parent's */
Node *var_node(Compiler *x, int var);
void bind(Compiler *x, int var, Scope *s, int reg);
Binding binding_save(Compiler *x, int var);
void binding_restore(Compiler *x, Binding b);
uint64_t atom_mask(Compiler *x, const Atom *a);
uint64_t idx_mask(Compiler *x, const Idx *idx);
uint64_t expr_mask(Compiler *x, const Expr *e);
Scope *place(Compiler *x, Scope *s, uint64_t mask);  /* where a value with that mask belongs that is wanted in s */

/* ---- interp_expr.c: expressions ---------------------------------------------------------------------------------- */

int compile_expr(Compiler *x, Scope *s, const Expr *e);                      /* the register that holds it */
int compile_flat(Compiler *x, Scope *s, const Buf *b, const Idx *const *at); /* its flat index */
void compile_store(Compiler *x, Scope *s, const Buf *b, const Idx *const *at, int value);
void compile_write(Compiler *x, Scope *s, const Buf *b, const Idx *const *at, const Expr *value);   /* into a slot */
char *buf_memory(Compiler *x, const Buf *b);

#endif
