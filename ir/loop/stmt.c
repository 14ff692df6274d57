/* Buffers, statements, kernels. Statements are trees made bottom-up; sequences are flat, and what can never run is not
 * there. */
#include "expr.h"

Buf *buf_new(Ctx *c, BufKind kind, const char *name, DType dt, int rank, const int64_t *dims)
{
    Buf *b = NEW(c, Buf);
    *b = (Buf){ .kind = kind, .id = loop_tab(c)->buf_ids++, .name = name, .dt = dt, .rank = rank, .index = -1 };
    b->dims = mem_copy(c, dims, sizeof *dims * (size_t)rank);
    return b;
}

int64_t buf_count(const Buf *b)
{
    int64_t n = 1;
    for (int i = 0; i < b->rank; i++)
        n *= b->dims[i];
    return n;
}

int64_t kernel_count(const Kernel *k)
{
    int64_t n = 1;
    for (int i = 0; i < k->rank; i++) n = count_mul(n, k->dims[i]);
    return n;
}

bool buf_in_arena(const Buf *b, const Plan *plan)
{
    return b->kind == BUF_TEMP || (plan && plan->io && (b->kind == BUF_IN || b->kind == BUF_OUT));
}

size_t buf_bytes(const Buf *b)
{
    return type_bytes((Type){ b->dt, b->rank, b->dims });
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static const Stmt *stmt_make(Ctx *c, const Stmt *s, int ats)
{
    Stmt *x = mem_copy(c, s, sizeof *s);
    x->body = mem_copy(c, s->body, sizeof *s->body * (size_t)s->n);
    if (s->at)
        x->at = mem_copy(c, s->at, sizeof *s->at * (size_t)ats);
    if (s->src_at)
        x->src_at = mem_copy(c, s->src_at, sizeof *s->src_at * (size_t)s->src->rank);
    return x;
}

static bool is_empty(const Stmt *s)
{
    return s == NULL || (s->kind == S_SEQ && s->n == 0);
}

/* A LOCAL lives to the end of its sequence: a sequence that has one is not dissolved. */
static bool dissolves(const Stmt *s)
{
    if (s->kind != S_SEQ)
        return false;
    for (int i = 0; i < s->n; i++)
        if (s->body[i]->kind == S_LOCAL)
            return false;
    return true;
}

const Stmt *stmt_seq(Ctx *c, int n, const Stmt *const *body)
{
    VEC(const Stmt *) v = { 0 };
    for (int i = 0; i < n; i++) {
        if (is_empty(body[i]))
            continue;
        if (!dissolves(body[i]))
            VEC_PUSH(c, v, body[i]);
        else
            for (int j = 0; j < body[i]->n; j++)
                VEC_PUSH(c, v, body[i]->body[j]);
    }
    if (v.n == 1 && v.at[0]->kind != S_LOCAL)
        return v.at[0];
    return stmt_make(c, &(Stmt){ .kind = S_SEQ, .n = v.n, .body = v.at }, 0);
}

const Stmt *stmt_for(Ctx *c, int var, int64_t extent, const Stmt *body)
{
    if (extent <= 0 || is_empty(body))
        return stmt_seq(c, 0, NULL);
    if (extent == 1)
        return body;                 /* idx_var of extent 1 is the constant 0: var does not occur */
    return stmt_make(c, &(Stmt){ .kind = S_FOR, .n = 1, .body = &body, .var = var, .extent = extent }, 0);
}

const Stmt *stmt_lanes(Ctx *c, int var, int64_t extent, const Stmt *body)
{
    const Stmt *s = stmt_for(c, var, extent, body);
    if (s->kind != S_FOR || s->var != var)
        return s;
    Stmt *x = mem_copy(c, s, sizeof *s);
    x->lanes = true;
    return x;
}

const Stmt *stmt_again(Ctx *c, const Stmt *s, const Stmt *const *body)
{
    switch (s->kind) {
    case S_SEQ: return stmt_seq(c, s->n, body);
    case S_FOR: return (s->lanes ? stmt_lanes : stmt_for)(c, s->var, s->extent, body[0]);
    case S_IF:  return stmt_if(c, s->cond, body[0], s->n > 1 ? body[1] : NULL);
    default:    return s;
    }
}

const Stmt *stmt_if(Ctx *c, const Expr *cond, const Stmt *then, const Stmt *otherwise)
{
    if (cond->dt != DT_BOOL)
        ice(c, "a condition of type %s", dtype_name(cond->dt));
    if (cond->kind == E_CONST) {
        const Stmt *s = cond->value.i ? then : otherwise;
        return s ? s : stmt_seq(c, 0, NULL);
    }
    if (is_empty(then) && is_empty(otherwise))
        return stmt_seq(c, 0, NULL);
    if (is_empty(then))
        return stmt_if(c, expr_op1(c, OP_not, cond), otherwise, NULL);
    const Stmt *arms[] = { then, otherwise };
    return stmt_make(c, &(Stmt){ .kind = S_IF, .n = is_empty(otherwise) ? 1 : 2, .body = arms, .cond = cond }, 0);
}

const Stmt *stmt_text(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value)
{
    const Idx *place[MAX_RANK + 1];
    for (int i = 0; i < b->rank - 1; i++)
        place[i] = at[i];
    place[b->rank - 1] = idx_const(c, 0);
    return stmt_store(c, b, place, value);
}

const Stmt *stmt_store(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value)
{
    if (value->dt != (b->text ? DT_STRING : b->dt))
        ice(c, "a value of type %s is stored into %s of type %s", dtype_name(value->dt), b->name, dtype_name(b->dt));
    return stmt_make(c, &(Stmt){ .kind = S_STORE, .buf = b, .at = at, .value = value }, b->rank);
}

const Stmt *stmt_local(Ctx *c, const Buf *b)
{
    return stmt_make(c, &(Stmt){ .kind = S_LOCAL, .buf = b }, 0);
}

const Stmt *stmt_copy(Ctx *c, const Buf *b, const Idx *const *at, const Buf *src, const Idx *const *src_at, int64_t run)
{
    if (b->dt != src->dt)
        ice(c, "a copy from %s of type %s to %s of type %s", src->name, dtype_name(src->dt), b->name,
            dtype_name(b->dt));
    if (run <= 0)
        return stmt_seq(c, 0, NULL);
    const Stmt copy = { .kind = S_COPY, .buf = b, .at = at, .src = src, .src_at = src_at, .run = run };
    return stmt_make(c, &copy, b->rank);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

Kernel *kernel_compute(Ctx *c, const char *what, Loc loc, const Buf *out, const Expr *value)
{
    Kernel *k = NEW(c, Kernel);
    const Idx **at = NEW_N(c, const Idx *, out->rank);
    for (int i = 0; i < out->rank; i++)
        at[i] = idx_var(c, i, out->dims[i]);
    *k = (Kernel){ .what = what, .loc = loc, .rank = out->rank, .dims = out->dims, .out = out, .at = at };
    k->value = value;
    k->operators = what ? intern_n(c, what, strcspn(what, " ")) : NULL;
    return k;
}

bool kernel_fills(const Kernel *k, const Buf *b)
{
    bool is = k->out == b;
    for (int i = 0; i < k->nheld; i++)
        is |= k->held[i] == b;
    return is;
}

static void walk_places(Ctx *c, int n, const Idx *const *at, void (*visit)(const Expr *, void *), void *arg)
{
    for (int i = 0; i < n; i++)
        expr_walk(c, expr_index(c, at[i]), visit, arg);
}

static void walk_stmt(Ctx *c, const Stmt *s, void (*visit)(const Expr *, void *), void *arg)
{
    for (int i = 0; i < s->n; i++)
        walk_stmt(c, s->body[i], visit, arg);
    if (s->cond)
        expr_walk(c, s->cond, visit, arg);
    if (s->value)
        expr_walk(c, s->value, visit, arg);
    if (s->at)
        walk_places(c, s->buf->rank, s->at, visit, arg);
    if (s->src_at)
        walk_places(c, s->src->rank, s->src_at, visit, arg);
}

void kernel_walk(Ctx *c, const Kernel *k, void (*visit)(const Expr *, void *), void *arg)
{
    if (k->nest)
        walk_stmt(c, k->nest, visit, arg);
    else
        expr_walk(c, k->value, visit, arg);
}

static void see_inexact(const Expr *e, void *arg)
{
    *(bool *)arg |= e->kind == E_OP && !op_exact(e->op, e->args[0]->dt);
}

bool prog_exact(Ctx *c, const Prog *p)
{
    bool inexact = false;
    for (int i = 0; i < p->nkernels && !inexact; i++)
        kernel_walk(c, p->kernels[i], see_inexact, &inexact);
    return !inexact;
}
