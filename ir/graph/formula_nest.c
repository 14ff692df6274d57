/* Statements of loop IR as text: nest(). What is written in a nest is read there as it is when the statement runs. */
#include <stdarg.h>

#include "formula.h"

typedef VEC(const Stmt *) StmtVec;

static const Stmt *read_block(Formula *f);

static void put(Formula *f, StmtVec *to, const Stmt *s)
{
    if (!f->skip)
        VEC_PUSH(f->t.c, *to, s);
}

static const Expr *fitting(Formula *f, Quantity v, const Buf *buf)
{
    const Expr *e = formula_typed(f, v, buf->dt);
    return e->dt == buf->dt ? e : expr_cast(f->t.c, buf->dt, e);
}

/* for NAME < EXPR { ... } */
static void read_for(Formula *f, StmtVec *to)
{
    Ctx *c = f->t.c;
    const char *name = row_word(&f->t, "");
    row_expect(&f->t, "<");
    Quantity n = formula_expr(f);
    bool known = !n.e || n.e->kind == E_CONST;
    if (!known && !f->skip)
        row_bad(&f->t, "a loop runs a number of times that is known");
    int64_t count = n.e ? n.e->lo : (int64_t)n.num;
    int var = var_new(c), names = f->nnames;
    bool skip = f->skip;
    f->skip |= count <= 0;
    formula_name(f, name, (Quantity){.e = expr_index(c, idx_var(c, var, count > 0 ? count : 1))}, NULL);
    const Stmt *body = read_block(f);
    f->skip = skip;
    f->nnames = names;
    if (count > 0)
        put(f, to, stmt_for(c, var, count, body));
}

/* if (EXPR) { ... } else { ... } */
static void read_if(Formula *f, StmtVec *to)
{
    Ctx *c = f->t.c;
    row_expect(&f->t, "(");
    Quantity when = formula_expr(f);
    row_expect(&f->t, ")");
    bool skip = f->skip;
    f->skip = skip || (!when.e && when.num == 0);
    const Stmt *then = read_block(f), *otherwise = NULL;
    if (row_accept(&f->t, "else")) {
        f->skip = skip || (!when.e && when.num != 0);
        otherwise = read_block(f);
    }
    f->skip = skip;
    if (when.e)
        put(f, to, stmt_if(c, when.e, then, otherwise));
    else if (when.num != 0 || otherwise)
        put(f, to, when.num != 0 ? then : otherwise);
}

/* var NAME = EXPR; NAME = EXPR; NAME[...] = EXPR; */
static void read_store(Formula *f, StmtVec *to)
{
    Ctx *c = f->t.c;
    const Idx *at[MAX_RANK];
    const char *name = row_word(&f->t, "");
    bool fresh = !strcmp(name, "var");
    name = fresh ? row_word(&f->t, "") : name;
    FormulaName *known = fresh ? NULL : formula_known(f, name);
    Buf *buf = known ? known->buf : NULL;
    if (buf && buf->rank > 0)
        formula_place(f, buf->rank, buf->dims, at);
    row_expect(&f->t, "=");
    Quantity v = formula_expr(f);
    row_expect(&f->t, ";");
    if (fresh) {
        if (!v.e && !f->skip)
            row_bad(&f->t, "a variable begins with a value that has a type");
        buf = buf_new(c, BUF_LOCAL, name, v.e ? v.e->dt : DT_I64, 0, NULL);
        put(f, to, stmt_local(c, buf));
        formula_name(f, name, v, buf);
    } else if (!buf) {
        formula_name(f, name, v, NULL);
        return;
    }
    if (!f->skip)
        put(f, to, stmt_store(c, buf, at, fitting(f, v, buf)));
}

static bool keyword(Formula *f, const char *word)
{
    RowText start = f->t;
    row_skip(&f->t);
    if (*f->t.p >= 'a' && *f->t.p <= 'z' && !strcmp(row_word(&f->t, ""), word))
        return true;
    f->t = start;
    return false;
}

static void read_statement(Formula *f, StmtVec *to)
{
    if (keyword(f, "for"))
        read_for(f, to);
    else if (keyword(f, "if"))
        read_if(f, to);
    else
        read_store(f, to);
}

/* Names that a block gives end with it. */
static const Stmt *read_block(Formula *f)
{
    StmtVec body = {0};
    int names = f->nnames;
    row_expect(&f->t, "{");
    while (!row_accept(&f->t, "}"))
        read_statement(f, &body);
    f->nnames = names;
    return stmt_seq(f->t.c, body.n, body.at);
}

/* A constant int64 is a number. */
static void read_argument(Formula *f, const char *name, const Expr *e)
{
    if (e && e->kind == E_CONST && e->dt == DT_I64)
        formula_name(f, name, (Quantity){.num = (double)e->lo}, NULL);
    else
        formula_argument(f, name, e);
}

void nest(Lower *l, const char *text, ...)
{
    Formula f = {.t = {l->c, text, text}, .l = l, .sig = l->node->sig};
    StmtVec body = {0};
    va_list ap;
    va_start(ap, text);
    for (int i = 0; row_more(&f.t, i, ":"); i++) {
        const char *name = row_word(&f.t, "");
        if (row_accept(&f.t, "[]"))
            formula_name(&f, name, (Quantity){0}, va_arg(ap, Buf *));
        else
            read_argument(&f, name, va_arg(ap, const Expr *));
    }
    va_end(ap);
    Buf *out = f.names[0].buf;
    if (!out)
        row_bad(&f.t, "the first name is the buffer that is written");
    for (row_skip(&f.t); *f.t.p; row_skip(&f.t))
        read_statement(&f, &body);
    lower_nest(l, out, stmt_seq(l->c, body.n, body.at));
}
