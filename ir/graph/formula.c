/* Expressions of loop IR as text: `.formula` of an operator, and what meanings write with formula() and nest() (the
 * notation: op.h). A text is read and built in one go. A choice by a number is made at once; the side that is not
 * chosen is read and not built, so it may name what is left out. */
#include "formula.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

static Quantity number(double v)
{
    return (Quantity){.num = v};
}

static const Expr *constant(Ctx *c, DType dt, double v)
{
    if (dtype_is_float(dt))
        return math_type(dt) == DT_F32 && dt != DT_F32 ? expr_cast(c, dt, expr_float(c, DT_F32, v))
                                                       : expr_float(c, dt, v);
    return expr_int(c, dt, (int64_t)v);
}

const Expr *formula_typed(Formula *f, Quantity v, DType dt)
{
    if (v.s)
        row_bad(&f->t, "a text is no number");
    return v.e ? v.e : constant(f->t.c, dt, v.num);
}

/* What arithmetic works on. */
static DType wide(DType dt)
{
    if (dtype_is_float(dt))
        return dtype_bits(dt) > 16 ? dt : DT_F32;
    return dtype_is_int(dt) && dtype_bits(dt) < 8 ? DT_I32 : dt;
}

static Quantity term(Formula *f, const Expr *e)
{
    return f->skip ? number(0) : (Quantity){.e = e};
}

/* The terms as expressions of one type: false when all are numbers. */
static bool agree(Formula *f, int n, const Quantity *v, bool widen, const Expr **e)
{
    DType dt = DT_NONE;
    for (int i = 0; i < n && dt == DT_NONE; i++)
        dt = !v[i].e ? DT_NONE : widen ? wide(v[i].e->dt) : v[i].e->dt;
    for (int i = 0; i < n && dt != DT_NONE; i++) {
        e[i] = formula_typed(f, v[i], dt);
        if (e[i]->dt != dt && wide(e[i]->dt) == wide(dt))
            e[i] = expr_cast(f->t.c, dt, e[i]);
        if (e[i]->dt != dt)
            row_bad(&f->t, internf(f->t.c, "%s meets %s", dtype_name(dt), dtype_name(e[i]->dt)));
    }
    return dt != DT_NONE;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

FormulaName *formula_known(Formula *f, const char *name)
{
    for (int i = f->nnames; i-- > 0;)
        if (f->names[i].name == name)
            return &f->names[i];
    return NULL;
}

void formula_name(Formula *f, const char *name, Quantity v, Buf *buf)
{
    if (f->nnames == MOST_FORMULA_NAMES)
        row_bad(&f->t, "too many names");
    f->names[f->nnames++] = (FormulaName){name, v, buf};
}

static int operand(const Formula *f, const char *name)
{
    for (int k = 0; f->sig && k < f->sig->nin; k++)
        if (f->sig->in[k].name == name)
            return k;
    return -1;
}

static Edge *operand_edge(Formula *f, const char *name)
{
    int k = operand(f, name);
    if (k < 0 && !f->skip)
        row_bad(&f->t, internf(f->t.c, "nothing is called '%s'", name));
    return f->l && k >= 0 && k < f->l->node->nin ? f->l->node->in[k] : NULL;
}

/* The element of operand k that belongs to the result's: a single element whatever its rank. */
static const Expr *own_element(Formula *f, int k)
{
    const Idx *at[MAX_RANK];
    Type t = f->l->node->in[k]->type;
    if (t.rank <= f->rank)
        return in_broadcast(f->l, k, f->rank, f->at);
    for (int i = 0; i < t.rank; i++)
        at[i] = idx_const(f->t.c, 0);
    return in_at(f->l, k, at);
}

/* Sums and multiples of indices and of values, each in its range. */
static const Idx *as_index(Ctx *c, const Expr *e)
{
    bool op = e->kind == E_OP;
    if (e->kind == E_INDEX)
        return e->at[0];
    if (op && e->op == OP_add)
        return idx_add(c, as_index(c, e->args[0]), as_index(c, e->args[1]));
    if (op && e->op == OP_mul && e->args[1]->kind == E_CONST)
        return idx_mul(c, as_index(c, e->args[0]), e->args[1]->lo);
    return idx_value(c, e, e->lo, e->hi);
}

static const Idx *as_place(Formula *f, Quantity v, int64_t n)
{
    Ctx *c = f->t.c;
    const Expr *e = formula_typed(f, v, DT_I64);
    if (e->dt != DT_I64)
        row_bad(&f->t, "a subscript must be an int64");
    if (e->kind == E_INDEX && (e->lo < 0 || e->hi >= n))
        return idx_assume(c, e->at[0], 0, n - 1);
    if (e->lo >= 0 && e->hi < n)
        return as_index(c, e);
    e = expr_op2(c, OP_max, e, expr_int(c, DT_I64, 0));
    return idx_value(c, expr_op2(c, OP_min, e, expr_int(c, DT_I64, n - 1)), 0, n - 1);
}

void formula_place(Formula *f, int rank, const int64_t *dims, const Idx **at)
{
    Quantity v[MAX_RANK + 1];
    int n = 0;
    int64_t count;
    row_expect(&f->t, "[");
    while (row_more(&f->t, n, "]")) {
        if (n > MAX_RANK)
            row_bad(&f->t, "too many subscripts");
        v[n++] = formula_expr(f);
    }
    if (f->skip)
        return;
    if (n != rank && n != 1)
        row_bad(&f->t, internf(f->t.c, "%d subscripts, the rank is %d", n, rank));
    for (int i = 0; n == rank && i < n; i++)
        at[i] = as_place(f, v[i], dims[i]);
    if (n != rank && dims_count(rank, dims, &count))
        idx_unflat(f->t.c, as_place(f, v[0], count), rank, dims, at);
}

static Quantity named(Formula *f, const char *name)
{
    const Idx *at[MAX_RANK];
    FormulaName *x = formula_known(f, name);
    int k = x ? -1 : operand(f, name);
    bool element = row_accept(&f->t, "[");
    f->t.p -= element;
    if (x && !x->buf && !element)
        return x->v;
    if (x && x->buf) {
        if (element)
            formula_place(f, x->buf->rank, x->buf->dims, at);
        return f->skip ? number(0) : term(f, expr_load_version(f->t.c, x->buf, at, 1));
    }
    if (k < 0)
        row_bad(&f->t, internf(f->t.c, "nothing is called '%s'", name));
    Edge *e = operand_edge(f, name);
    if (!f->skip && !e)
        row_bad(&f->t, internf(f->t.c, "'%s' is left out", name));
    if (element)
        formula_place(f, e ? e->type.rank : 0, e ? e->type.dims : NULL, at);
    if (f->skip)
        return number(0);
    return term(f, element ? in_at(f->l, k, at) : own_element(f, k));
}

static Quantity attribute(Formula *f)
{
    const char *name = row_word(&f->t, "");
    if (!f->sig || !sig_attr(f->sig, name))
        row_bad(&f->t, internf(f->t.c, "there is no attribute '%s'", name));
    const Attr *a = f->l ? node_attr(f->l->node, name) : NULL;
    if (!a)
        return number(0);
    if (a->kind == ATTR_STRING)
        return (Quantity){.s = a->s};
    return number(a->kind == ATTR_FLOAT ? (double)a->f : (double)a->i);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static Quantity apply(Formula *f, ScalarOp op, const Quantity *v)
{
    const Expr *e[3];
    if (f->skip)
        return number(0);
    if (!agree(f, op_arity(op), v, true, e))
        row_bad(&f->t, internf(f->t.c, "%s of numbers alone", op_name(op)));
    bool of_floats = op == OP_isnan || op == OP_isinf || op == OP_isinf_pos || op == OP_isinf_neg;
    if (of_floats && !dtype_is_float(e[0]->dt))
        return number(0);
    return term(f, expr_op(f->t.c, op, e));
}

static Quantity cast(Formula *f, Quantity v, DType to)
{
    return f->skip ? v : term(f, expr_cast(f->t.c, to, formula_typed(f, v, to)));
}

/* given(x), type(x), is_float(x), dim(x, k), of an operand. False: it is none of these. */
static bool fact(Formula *f, const char *name, Quantity *v)
{
    bool given = !strcmp(name, "given"), type = !strcmp(name, "type"), dim = !strcmp(name, "dim");
    bool is_float = !strcmp(name, "is_float");
    if (!given && !type && !dim && !is_float)
        return false;
    const Edge *e = operand_edge(f, row_word(&f->t, ""));
    *v = number(given ? e != NULL : !e ? 0 : is_float ? dtype_is_float(e->type.dt) : (double)e->type.dt);
    if (dim) {
        row_expect(&f->t, ",");
        Quantity at = formula_expr(f);
        int k = e ? (int)at.num + (at.num < 0 ? e->type.rank : 0) : 0;
        *v = number(e && k >= 0 && k < e->type.rank ? (double)e->type.dims[k] : 0);
    }
    row_expect(&f->t, ")");
    return true;
}

static Quantity call(Formula *f, const char *name)
{
    Quantity v[3];
    int n = 0, op = 0;
    if (fact(f, name, v))
        return v[0];
    while (row_more(&f->t, n, ")")) {
        if (n == 3)
            row_bad(&f->t, "too many arguments");
        v[n++] = formula_expr(f);
    }
    DType dt = dtype_parse(name);
    if (n > 0 && v[0].absent)
        return v[0];
    if (dt != DT_NONE && n == 1)
        return cast(f, v[0], dt);
    if (!strcmp(name, "like") && n == 2)
        return f->skip || !v[1].e ? v[0] : cast(f, v[0], wide(v[1].e->dt));
    if (!strcmp(name, "real") && n == 1)     /* an integer as a float */
        return !v[0].e || dtype_is_float(v[0].e->dt) ? v[0]
                                                     : cast(f, v[0], dtype_bits(v[0].e->dt) > 16 ? DT_F64 : DT_F32);
    while (op < OP_COUNT && strcmp(op_name((ScalarOp)op), name))
        op++;
    if (op == OP_COUNT || op_arity((ScalarOp)op) != n)
        row_bad(&f->t, internf(f->t.c, "there is no function '%s' of %d", name, n));
    return apply(f, (ScalarOp)op, v);
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static Quantity primary(Formula *f)
{
    RowText *t = &f->t;
    row_skip(t);
    if (row_accept(t, "(")) {
        Quantity v = formula_expr(f);
        row_expect(t, ")");
        return v;
    }
    if (row_accept(t, "@"))
        return attribute(f);
    if (*t->p == '\'')
        return (Quantity){.s = row_quoted(t)};
    if ((*t->p >= '0' && *t->p <= '9') || *t->p == '.')
        return number(row_number(t));
    const char *name = row_word(t, "");
    if (row_accept(t, "("))
        return call(f, name);
    return dtype_parse(name) != DT_NONE ? number(dtype_parse(name)) : named(f, name);
}

static Quantity unary(Formula *f)
{
    bool minus = row_accept(&f->t, "-"), not = !minus && row_accept(&f->t, "!");
    if (!minus && !not)
        return primary(f);
    Quantity v = unary(f);
    if (!v.e)
        return number(minus ? -v.num : v.num == 0);
    return apply(f, minus ? OP_neg : OP_not, &v);
}

typedef struct Operator { const char *text; int level; ScalarOp op; } Operator;
enum { LEVELS = 5 };
static const Operator operators[] = {
    {"||", 0, OP_or}, {"|", 0, OP_or},   {"&&", 1, OP_and}, {"&", 1, OP_and}, {"==", 2, OP_eq}, {"!=", 2, OP_ne},
    {"<=", 2, OP_le}, {">=", 2, OP_ge},  {"<", 2, OP_lt},   {">", 2, OP_gt},  {"+", 3, OP_add}, {"-", 3, OP_sub},
    {"*", 4, OP_mul}, {"/", 4, OP_div},
};

static double of_numbers(ScalarOp op, double x, double y)
{
    switch (op) {
    case OP_or:  return x != 0 || y != 0;
    case OP_and: return x != 0 && y != 0;
    case OP_eq:  return x == y;
    case OP_ne:  return x != y;
    case OP_le:  return x <= y;
    case OP_ge:  return x >= y;
    case OP_lt:  return x < y;
    case OP_gt:  return x > y;
    case OP_add: return x + y;
    case OP_sub: return x - y;
    case OP_mul: return x * y;
    default:     return x / y;
    }
}

static Quantity binary(Formula *f, ScalarOp op, Quantity x, Quantity y)
{
    if (x.absent || y.absent)
        return x.absent ? y : x;
    if (x.s && y.s)
        return number((strcmp(x.s, y.s) == 0) == (op == OP_eq));
    if (!x.e && !y.e)
        return number(of_numbers(op, x.num, y.num));
    if (op != OP_or && op != OP_and)
        return apply(f, op, (Quantity[]){x, y});
    const Quantity known = x.e ? y : x, other = x.e ? x : y;
    if (known.e)
        return apply(f, op, (Quantity[]){x, y});
    return (known.num != 0) == (op == OP_or) ? known : other;
}

/* Operators of that level and those that bind closer. */
static Quantity operation(Formula *f, int level)
{
    if (level == LEVELS)
        return unary(f);
    Quantity x = operation(f, level + 1);
    for (int i = 0; i < COUNT(operators);) {
        if (operators[i].level != level || !row_accept(&f->t, operators[i].text)) {
            i++;
            continue;
        }
        bool skip = f->skip, settled = level < 2 && !x.e && !x.absent && (x.num != 0) == (level == 0);
        f->skip |= settled;
        Quantity y = operation(f, level + 1);
        f->skip = skip;
        x = settled ? x : binary(f, operators[i].op, x, y);
        i = 0;
    }
    return x;
}

Quantity formula_expr(Formula *f)
{
    Quantity when = operation(f, 0), arm[2];
    const Expr *e[2];
    bool skip = f->skip, known = !when.e;
    if (!row_accept(&f->t, "?"))
        return when;
    f->skip = skip || (known && when.num == 0);
    arm[0] = formula_expr(f);
    row_expect(&f->t, ":");
    f->skip = skip || (known && when.num != 0);
    arm[1] = formula_expr(f);
    f->skip = skip;
    if (known || skip)
        return arm[when.num == 0];
    bool same = arm[0].e && arm[1].e && arm[0].e->dt == arm[1].e->dt;
    if (!agree(f, 2, arm, !same, e))
        row_bad(&f->t, "a choice between numbers alone");
    return term(f, expr_select(f->t.c, when.e, e[0], e[1]));
}

bool formula_gives(Formula *f, const char **name)
{
    RowText start = f->t;
    row_skip(&f->t);
    char ch = *f->t.p;
    if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')) {
        *name = row_word(&f->t, "");
        if (row_accept(&f->t, "=") && *f->t.p != '=')
            return true;
    }
    f->t = start;
    return false;
}

/* "NAME = EXPR; ... EXPR" */
static Quantity whole_text(Formula *f)
{
    const char *name;
    while (formula_gives(f, &name)) {
        formula_name(f, name, formula_expr(f), NULL);
        row_expect(&f->t, ";");
    }
    Quantity v = formula_expr(f);
    row_skip(&f->t);
    if (*f->t.p)
        row_bad(&f->t, "expected the end");
    return v;
}

void formula_argument(Formula *f, const char *name, const Expr *e)
{
    formula_name(f, name, (Quantity){.e = e, .absent = !e}, NULL);
}

static const Expr end;
const Expr *const formula_end = &end;

/* "x, y: EXPR", else the arguments are called a, b, c … */
static void read_names(Formula *f, const Expr *const *args)
{
    static const char letters[] = "a\0b\0c\0d\0e\0f\0g\0h";
    const char *p = f->t.p + strcspn(f->t.p, ":?[;(+-*/<>=!&|");
    if (*p != ':')
        for (int i = 0; args[i] != formula_end && 2 * i < (int)sizeof letters; i++)
            formula_argument(f, intern(f->t.c, letters + 2 * i), args[i]);
    else
        for (int i = 0; row_more(&f->t, i, ":"); i++)
            formula_argument(f, row_word(&f->t, ""), args[i]);
}

const Expr *formula_read(Ctx *c, const char *text, const Expr *const *args)
{
    Formula f = {.t = {c, text, text}};
    read_names(&f, args);
    Quantity v = whole_text(&f);
    if (!v.e)
        row_bad(&f.t, "a number alone");
    return v.e;
}

const Expr *formula_element(Lower *l, const char *text, DType dt, int rank, const Idx *const *at)
{
    Formula f = {.t = {l->c, text, text}, .l = l, .sig = l->node->sig, .rank = rank, .at = at};
    Quantity v = whole_text(&f);
    return formula_typed(&f, v, dt);
}

void op_check_formula(Ctx *c, const Sig *s)
{
    Formula f = {.t = {c, s->op->formula, s->op->formula}, .sig = s, .skip = true};
    whole_text(&f);
}
