/* Kernels to register code: loops, conditions, stores and copies; expressions are interp_expr.c's.
 *
 * Each statement is a scope of its own for what reads the buffers that the kernel writes, and a condition is one
 * before its arms, so that no such value is used again behind a store. */
#include "interp.h"

static void mark_written(Compiler *x, const Stmt *s)
{
    for (int i = 0; i < s->n; i++)
        mark_written(x, s->body[i]);
    if (s->buf)
        memo_put(x->c, &x->written, s->buf->id, s->buf);
}

/* Opens the scope of one statement. */
static Scope *stmt_open(Compiler *x, Scope *s)
{
    return x->stmt = scope_open(x, s, SCOPE_BLOCK);
}

static void compile_stmt(Compiler *x, Scope *s, const Stmt *stmt);

static void compile_if(Compiler *x, Scope *s, const Stmt *stmt)
{
    Scope *first = stmt_open(x, s), *arm[2] = { NULL, NULL };
    int cond = compile_expr(x, first, stmt->cond);
    scope_close(x, first);
    for (int i = 0; i < stmt->n; i++) {
        arm[i] = scope_open(x, s, SCOPE_ARM);
        compile_stmt(x, arm[i], stmt->body[i]);
    }
    if (arm[1])
        code_emit(x, arm[0], (Ins){ .kind = I_JUMP, .d = -1, .k = arm[1]->code.n });
    code_emit(x, s, (Ins){ .kind = I_JZ, .d = -1, .a = cond, .k = arm[0]->code.n });
    code_append(x, s, &arm[0]->code);
    if (arm[1])
        code_append(x, s, &arm[1]->code);
}

static void compile_copy(Compiler *x, Scope *s, const Stmt *stmt)
{
    Ins ins = { .kind = I_COPY, .d = (int)stmt->buf->dt, .k = stmt->run };
    ins.a = compile_flat(x, s, stmt->buf, stmt->at);
    ins.b = compile_flat(x, s, stmt->src, stmt->src_at);
    ins.n = buf_count(stmt->buf);
    ins.src_n = buf_count(stmt->src);
    ins.p = buf_memory(x, stmt->buf);
    ins.src = buf_memory(x, stmt->src);
    code_emit(x, s, ins);
    s->last = -1;
}

static void compile_stmt(Compiler *x, Scope *s, const Stmt *stmt)
{
    Scope *inner;
    switch (stmt->kind) {
    case S_SEQ:
        for (int i = 0; i < stmt->n; i++)
            compile_stmt(x, s, stmt->body[i]);
        break;
    case S_FOR:
        inner = scope_loop(x, s, stmt->var, stmt->extent);
        compile_stmt(x, inner, stmt->body[0]);
        if (inner != s)
            scope_close(x, inner);
        break;
    case S_IF:
        compile_if(x, s, stmt);
        break;
    case S_STORE:
        inner = stmt_open(x, s);
        if (stmt->buf->text)
            compile_write(x, inner, stmt->buf, stmt->at, stmt->value);
        else
            compile_store(x, inner, stmt->buf, stmt->at, compile_expr(x, inner, stmt->value));
        scope_close(x, inner);
        break;
    case S_COPY:
        inner = stmt_open(x, s);
        compile_copy(x, inner, stmt);
        scope_close(x, inner);
        break;
    case S_LOCAL:
        break;
    }
}

/* out[at] = value for every point of the iteration space. */
static void compile_compute(Compiler *x, const Kernel *k)
{
    Scope *s = x->root;
    for (int i = 0; i < k->rank; i++)
        if (k->dims[i] == 0)
            return;
    for (int i = 0; i < k->rank; i++)
        s = scope_loop(x, s, i, k->dims[i]);
    s = stmt_open(x, s);
    compile_store(x, s, k->out, k->at, compile_expr(x, s, k->value));
    for (Scope *up; s != x->root; s = up) {
        up = s->parent;
        scope_close(x, s);
    }
}

Program interp_compile(Ctx *c, const Kernel *k, Memo *memory, bool fused)
{
    Compiler x = { .c = c, .kernel = k, .memory = memory, .fused = fused };
    x.written = memo_new(c, 4);
    x.locals = memo_new(c, 1);
    x.root = x.stmt = scope_open(&x, NULL, SCOPE_BLOCK);
    memo_put(c, &x.written, k->out->id, k->out);
    if (k->nest) {
        mark_written(&x, k->nest);
        compile_stmt(&x, x.root, k->nest);
    } else
        compile_compute(&x, k);
    code_emit(&x, x.root, (Ins){ .kind = I_END });
    return (Program){ x.root->code, x.regs, x.nregs, k };
}
