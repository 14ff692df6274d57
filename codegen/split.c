/* Deep expressions are split: C compilers need not take more than 63 levels of parentheses, and people take fewer.
 *
 * A value that is higher than HIGH gets names for its parts, each PART high, in statements in front of it. Expressions
 * have no effects and are total, so a part may be computed earlier than where it stands; but not outside the arm of a
 * choice, whose guard may keep its loads in bounds: there the choice becomes an IF. Indices stay as they are: their
 * intervals are proved. */
#include "emit.h"

enum { HIGH = 10, PART = 6 };

typedef VEC(const Stmt *) Block;

typedef struct Splitter {
    Emit *e;
    PtrMap heights;                  /* expression -> height as (void *) */
    Block *block;
} Splitter;

static int height(Splitter *s, const Expr *x)
{
    int h = (int)(intptr_t)ptrmap_get(&s->heights, x), most = 0;
    if (h) return h;
    for (int i = 0; i < x->n; i++) {
        h = height(s, x->args[i]);
        if (h > most) most = h;
    }
    ptrmap_put(s->e->c, &s->heights, x, (void *)(intptr_t)(most + 1));
    return most + 1;
}

static const Buf *local_new(Splitter *s, DType dt)
{
    const Buf *b = buf_new(s->e->c, BUF_LOCAL, internf(s->e->c, "t%d", ++s->e->parts), dt, 0, NULL);
    VEC_PUSH(s->e->c, *s->block, stmt_local(s->e->c, b));
    return b;
}

static const Expr *split_expr(Splitter *s, const Expr *x);

static const Expr *split_select(Splitter *s, const Expr *x)
{
    Ctx *c = s->e->c;
    Block arms[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, *outer = s->block;
    const Expr *cond = split_expr(s, x->args[0]), *value[2];
    for (int i = 0; i < 2; i++) {
        s->block = &arms[i];
        value[i] = split_expr(s, x->args[1 + i]);
    }
    s->block = outer;
    if (arms[0].n == 0 && arms[1].n == 0) return expr_select(c, cond, value[0], value[1]);
    const Buf *b = local_new(s, x->dt);
    const Stmt *body[2];
    for (int i = 0; i < 2; i++) {
        VEC_PUSH(c, arms[i], stmt_store(c, b, NULL, value[i]));
        body[i] = stmt_seq(c, arms[i].n, arms[i].at);
    }
    VEC_PUSH(c, *outer, stmt_if(c, cond, body[0], body[1]));
    return expr_load(c, b, NULL);
}

static const Expr *split_expr(Splitter *s, const Expr *x)
{
    Ctx *c = s->e->c;
    if (x->n == 0 || height(s, x) <= PART) return x;
    if (x->kind == E_SELECT) return split_select(s, x);
    const Expr *args[3];
    for (int i = 0; i < x->n; i++) args[i] = split_expr(s, x->args[i]);
    const Expr *y = expr_remake(c, x, args);
    if (height(s, y) < PART || (y->kind == E_OP && op_writes(y->op, y->args[0]->dt))) return y;
    const Buf *b = local_new(s, y->dt);
    VEC_PUSH(c, *s->block, stmt_store(c, b, NULL, y));
    return expr_load(c, b, NULL);
}

/* The statement behind those that compute the parts of its value. */
static const Stmt *split_value(Emit *e, const Stmt *s, const Expr *value)
{
    Ctx *c = e->c;
    if (value->depth <= HIGH) return s;
    Mark m = scratch_mark(c);
    Block block = {NULL, 0, 0};
    Splitter sp = {.e = e, .block = &block};
    if (height(&sp, value) > HIGH) {
        value = split_expr(&sp, value);
        s = s->kind == S_STORE ? stmt_store(c, s->buf, s->at, value)
                               : stmt_if(c, value, s->body[0], s->n == 2 ? s->body[1] : NULL);
        VEC_PUSH(c, block, s);
        s = stmt_seq(c, block.n, block.at);
    }
    scratch_release(c, m);
    return s;
}

const Stmt *split_stmt(Emit *e, const Stmt *s)
{
    Ctx *c = e->c;
    const Stmt **body = NEW_N(c, const Stmt *, s->n);
    bool same = true;
    for (int i = 0; i < s->n; i++) {
        body[i] = split_stmt(e, s->body[i]);
        same &= body[i] == s->body[i];
    }
    if (!same) s = stmt_again(c, s, body);
    return s->kind == S_STORE ? split_value(e, s, s->value) : s->kind == S_IF ? split_value(e, s, s->cond) : s;
}
