/* Programs for people: one kernel a paragraph, its loops indented, expressions in infix notation.
 *
 * A shared expression is printed wherever it is used while that stays readable; one that stands for more than
 * EXPR_SIZE nodes is printed as a list of definitions, each node once, so that nothing printed is longer than what is
 * in memory. */
#include "expr.h"

typedef struct Printer { FILE *f; Ctx *c; bool shallow; } Printer;   /* shallow: operands by number */

static void print_expr(const Printer *p, const Expr *e);

static void print_idx_value(FILE *f, void *arg, const Expr *e)
{
    (void)f;
    print_expr(arg, e);
}

static void print_idx(const Printer *p, const Idx *x)
{
    idx_print_with(p->f, x, NULL, print_idx_value, (void *)(uintptr_t)p);
}

static void print_place(const Printer *p, const Buf *b, int version, const Idx *const *at)
{
    fputs(b->name, p->f);
    if (version)
        fprintf(p->f, "@%d", version);
    for (int i = 0; i < b->rank; i++) {
        fputs(i ? ", " : "[", p->f);
        print_idx(p, at[i]);
    }
    if (b->rank)
        fputc(']', p->f);
}

static void print_const(const Printer *p, const Expr *e)
{
    if (e->dt == DT_STRING) {
        fputc('"', p->f);
        print_escaped(p->f, e->value.s);
        fputc('"', p->f);
    } else if (e->dt == DT_BOOL)
        fputs(e->value.i ? "true" : "false", p->f);
    else if (!dtype_is_float(e->dt) && e->dt != DT_U64)
        fprintf(p->f, "%lld", (long long)e->value.i);
    else if (!dtype_is_float(e->dt))
        fprintf(p->f, "%llu", (unsigned long long)e->value.u);
    else {
        double d = scalar_cast(DT_F64, e->dt, e->value).d;
        if (d == d)
            fprintf(p->f, e->dt == DT_F64 ? "%.17g" : "%.9g", d);
        else
            fprintf(p->f, "nan(0x%llx)", (unsigned long long)e->value.u);
    }
}

static const char *infix(ScalarOp op)
{
    switch (op) {
    case OP_add: return "+";
    case OP_sub: return "-";
    case OP_mul: return "*";
    case OP_div: return "/";
    case OP_eq:  return "==";
    case OP_ne:  return "!=";
    case OP_lt:  return "<";
    case OP_le:  return "<=";
    case OP_gt:  return ">";
    case OP_ge:  return ">=";
    case OP_and: return "&&";
    case OP_or:  return "||";
    default:     return NULL;
    }
}

static void print_op(const Printer *p, const Expr *e)
{
    const char *sign = infix(e->op);
    if (!sign)
        fputs(op_name(e->op), p->f);
    fputc('(', p->f);
    for (int i = 0; i < e->n; i++) {
        if (i)
            fprintf(p->f, sign ? " %s " : ", ", sign);
        print_expr(p, e->args[i]);
    }
    fputc(')', p->f);
}

/* (sum: acc = start, for i < n: acc = next) */
static void print_reduce(const Printer *p, const Expr *e)
{
    const Reduce *r = e->reduce;
    fputs("(acc", p->f);
    for (int i = 0; i < r->naccs; i++) {
        fprintf(p->f, i ? ", acc%d = " : "%d = ", r->accs[i]);
        print_expr(p, r->init[i]);
    }
    fputs("; for", p->f);
    for (int i = 0; i < r->nvars; i++)
        fprintf(p->f, "%s i%d < %lld", i ? "," : "", r->vars[i], (long long)r->extents[i]);
    if (r->lanes)
        fprintf(p->f, " in %d lanes", r->lanes);
    for (int i = 0; i < r->naccs; i++) {
        fprintf(p->f, "%s acc%d = ", i ? "," : ":", r->accs[i]);
        print_expr(p, r->next[i]);
    }
    fprintf(p->f, "; acc%d)", r->accs[e->k]);
}

static void print_node(const Printer *p, const Expr *e)
{
    switch (e->kind) {
    case E_CONST:  print_const(p, e); break;
    case E_LOAD:   print_place(p, e->buf, e->k, e->at); break;
    case E_OP:     print_op(p, e); break;
    case E_REDUCE: print_reduce(p, e); break;
    case E_ACC:    fprintf(p->f, "acc%d", e->k); break;
    case E_INDEX:
        fputs(e->at[0]->n > 1 || e->at[0]->k ? "(" : "", p->f);
        print_idx(p, e->at[0]);
        fputs(e->at[0]->n > 1 || e->at[0]->k ? ")" : "", p->f);
        break;
    case E_CAST:
        fprintf(p->f, "%s(", dtype_name(e->dt));
        print_expr(p, e->args[0]);
        fputc(')', p->f);
        break;
    case E_BITS:
        fprintf(p->f, "bits %s(", dtype_name(e->dt));
        print_expr(p, e->args[0]);
        fputc(')', p->f);
        break;
    case E_SELECT:
        for (int i = 0; i < 3; i++) {
            fputs(i == 0 ? "(" : i == 1 ? " ? " : " : ", p->f);
            print_expr(p, e->args[i]);
        }
        fputc(')', p->f);
        break;
    case E_IN:
        fputs("(0 <= ", p->f);
        print_idx(p, e->at[0]);
        fprintf(p->f, " < %lld)", (long long)e->extent);
        break;
    }
}

static void print_expr(const Printer *p, const Expr *e)
{
    if (p->shallow && e->kind != E_CONST && e->kind != E_ACC)
        fprintf(p->f, "e%d", e->id);
    else
        print_node(p, e);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

typedef struct Definitions { Printer p; int indent; } Definitions;

static void print_definition(const Expr *e, void *arg)
{
    const Definitions *d = arg;
    if (e->kind == E_CONST || e->kind == E_ACC)
        return;
    fprintf(d->p.f, "%*se%d = ", d->indent, "", e->id);
    print_node(&d->p, e);
    fputc('\n', d->p.f);
}

/* A printer for one line with that expression; a large one is defined in lines before it. */
static Printer begin_line(FILE *f, Ctx *c, int indent, const Expr *e)
{
    Definitions d = { { f, c, e && e->size > EXPR_SIZE }, indent };
    if (d.p.shallow)
        expr_walk(c, e, print_definition, &d);
    fprintf(f, "%*s", indent, "");
    return d.p;
}

static void print_store(FILE *f, Ctx *c, int indent, const Buf *b, const Idx *const *at, const Expr *value)
{
    Printer p = begin_line(f, c, indent, value);
    print_place(&(Printer){ f, c, false }, b, 0, at);
    fputs(" = ", f);
    print_expr(&p, value);
    fputc('\n', f);
}

static void print_stmt(FILE *f, Ctx *c, int indent, const Stmt *s)
{
    Printer p = { f, c, false };
    switch (s->kind) {
    case S_SEQ:
        for (int i = 0; i < s->n; i++)
            print_stmt(f, c, indent, s->body[i]);
        break;
    case S_FOR:
        fprintf(f, "%*s%s i%d < %lld\n", indent, "", s->lanes ? "lanes" : "for", s->var, (long long)s->extent);
        print_stmt(f, c, indent + 2, s->body[0]);
        break;
    case S_IF:
        p = begin_line(f, c, indent, s->cond);
        fputs("if ", f);
        print_expr(&p, s->cond);
        fputc('\n', f);
        print_stmt(f, c, indent + 2, s->body[0]);
        if (s->n > 1) {
            fprintf(f, "%*selse\n", indent, "");
            print_stmt(f, c, indent + 2, s->body[1]);
        }
        break;
    case S_STORE:
        print_store(f, c, indent, s->buf, s->at, s->value);
        break;
    case S_LOCAL:
        fprintf(f, "%*slocal %s %s\n", indent, "", s->buf->name,
                type_text(c, (Type){ s->buf->dt, s->buf->rank, s->buf->dims }));
        break;
    case S_COPY:
        fprintf(f, "%*scopy %lld: ", indent, "", (long long)s->run);
        print_place(&p, s->buf, 0, s->at);
        fputs(" = ", f);
        print_place(&p, s->src, 0, s->src_at);
        fputc('\n', f);
        break;
    }
}

static void print_kernel(FILE *f, Ctx *c, const Kernel *k)
{
    int indent = 2;
    fprintf(f, "\n%s\n", k->what);
    if (k->nest) {
        print_stmt(f, c, indent, k->nest);
        return;
    }
    for (int i = 0; i < k->rank; i++)
        if (k->dims[i] != 1) {
            fprintf(f, "%*sfor i%d < %lld\n", indent, "", i, (long long)k->dims[i]);
            indent += 2;
        }
    print_store(f, c, indent, k->out, k->at, k->value);
}

void prog_print(FILE *f, Ctx *c, const Prog *p)
{
    static const char *const kinds[] = { "in", "out", "const", "temp", "local" };
    fprintf(f, "program %s\n", p->name ? p->name : "");
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        fprintf(f, "  %-5s %s %s", kinds[b->kind], type_text(c, (Type){ b->dt, b->rank, b->dims }), b->name);
        if (p->plan && buf_in_arena(b, p->plan))
            fprintf(f, " at %lld", (long long)p->plan->offset[i]);
        fputc('\n', f);
    }
    for (int i = 0; i < p->nkernels; i++)
        print_kernel(f, c, p->kernels[i]);
}
