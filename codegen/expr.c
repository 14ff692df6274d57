/* Expressions as C text, with the parentheses that C or a reader needs and no others.
 *
 * What is printed has the C type of the expression's element type, or one that C widens to it without loss (a small
 * integer, an index): so no conversion loses anything unless a cast says so. The text of an operator is scalar.def's:
 * it stands in place where each operand occurs once in it, else it is a helper that is called. What an operand must
 * bind as is read from the text around its parameter. */
#include "emit.h"

/* ---- what binds how, in a text of scalar.def --------------------------------------------------------------------- */

/* The binary operator that starts (or, going left, ends) at p: its level and length; P_ANY: none. */
static Prec operator_at(const char *p, int *n)
{
    static const struct { const char *text; Prec level;
    } table[] = {
        {"&&", P_AND},   {"||", P_OR},  {"==", P_EQ},  {"!=", P_EQ},  {"<=", P_REL}, {">=", P_REL}, {"<<", P_SHIFT},
        {">>", P_SHIFT}, {"*", P_MUL},  {"/", P_MUL},  {"%", P_MUL},  {"+", P_ADD},  {"-", P_ADD},  {"<", P_REL},
        {">", P_REL},    {"&", P_BITS}, {"|", P_BITS}, {"^", P_BITS}, {"?", P_COND}, {":", P_COND},
    };
    for (int i = 0; i < COUNT(table); i++) {
        *n = (int)strlen(table[i].text);
        if (!strncmp(p, table[i].text, (size_t)*n)) return table[i].level;
    }
    *n = 0;
    return P_ANY;
}

static bool is_word(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* Whether what stands before p, blanks skipped, is the end of an operand: then an operator at p is binary. */
static bool after_operand(const char *begin, const char *p)
{
    while (p > begin && p[-1] == ' ') p--;
    return p > begin && (is_word(p[-1]) || p[-1] == ')');
}

Prec op_prec(const char *text)
{
    Prec least = *text == '(' ? P_UNARY : P_PRIMARY;         /* a cast, or a call or a name */
    int depth = 0, n;
    for (const char *p = text; *p; p += n) {
        n = 1;
        if (*p == '(') depth++;
        if (*p == ')') depth--;
        if (depth > 0 || is_word(*p) || *p == ' ' || *p == '(' || *p == ')' || *p == '.') continue;
        Prec level = operator_at(p, &n);
        if (n == 0) n = 1;
        if (!after_operand(text, p)) level = P_UNARY;        /* also ! and ~ */
        if (level < least) least = level;
    }
    return least;
}

static Prec need_left_of(Prec op)        /* an operand that stands left of the operator */
{
    switch (op) {
    case P_MUL: case P_ADD: case P_AND: return op;
    case P_SHIFT: case P_BITS: return P_UNARY;
    case P_REL: case P_EQ: return P_ADD;
    case P_OR: case P_COND: return P_EQ;
    default: return P_ANY;
    }
}

static Prec need_right_of(Prec op)
{
    switch (op) {
    case P_MUL: return P_UNARY;
    case P_ADD: return P_MUL;
    case P_AND: return P_EQ;
    default: return need_left_of(op);
    }
}

/* The place of parameter a, b or c in the text. */
static const char *find_param(const char *text, int param)
{
    for (const char *p = text; *p; p++)
        if (*p == 'a' + param && !is_word(p[1]) && (p == text || !is_word(p[-1]))) return p;
    return NULL;
}

Prec op_need(const char *text, int param, bool *after_sign)
{
    const char *p = find_param(text, param), *left = p, *right = p + 1;
    Prec need = P_ANY;
    int n;
    *after_sign = false;
    if (!text[1]) return P_PRIMARY;                          /* the operand itself, whatever stands around it */
    while (left > text && left[-1] == ' ') left--;
    if (left > text && left[-1] == ')') need = P_UNARY;      /* a cast */
    else if (left > text && left[-1] != '(' && left[-1] != ',') {
        const char *op = left - 1;
        if (op > text && operator_at(op - 1, &n) != P_ANY && n == 2) op--;
        const Prec level = operator_at(op, &n);
        *after_sign = *op == '-' || *op == '+';
        need = level == P_ANY || !after_operand(text, op) ? P_UNARY : *op == ':' ? P_COND : need_right_of(level);
    }
    while (*right == ' ') right++;
    const Prec from_right = need_left_of(operator_at(right, &n));
    return from_right > need ? from_right : need;
}

/* Whether C's own arithmetic gives the sum, difference or product: its interval stays in the type. */
static bool stays_inside(const Expr *x)
{
    const Expr *const *a = x->args;
    int64_t v[4], lo, hi;
    bool over = false;
    dtype_range(x->dt, &lo, &hi);
    for (int i = 0; i < 4 && x->n == 2; i++) {
        const int64_t p = i & 1 ? a[0]->hi : a[0]->lo, q = i & 2 ? a[1]->hi : a[1]->lo;
        over |= x->op == OP_add   ? __builtin_add_overflow(p, q, &v[i])
                : x->op == OP_sub ? __builtin_sub_overflow(p, q, &v[i])
                                  : __builtin_mul_overflow(p, q, &v[i]);
        over |= v[i] < lo || v[i] > hi;
    }
    return x->n == 2 && (x->op == OP_add || x->op == OP_sub || x->op == OP_mul) && !over;
}

/* Whether what is printed for an int64 expression may have a narrower type in C. */
static bool maybe_narrow(const Expr *x)
{
    if (x->kind == E_CAST) return x->args[0]->kind == E_INDEX;
    if (x->kind == E_SELECT) return maybe_narrow(x->args[1]) && maybe_narrow(x->args[2]);
    return x->kind == E_CONST || x->kind == E_INDEX || (x->kind == E_OP && x->n == 2);
}

/* Whether a type of 32 or 64 bits needs no detour through its unsigned type here: it is that, or nothing wraps. */
static bool needs_no_wrap(const Expr *x)
{
    const DType dt = x->args[0]->dt;
    if (dt == DT_U32 || dt == DT_U64) return true;
    if (dt == DT_I64 && maybe_narrow(x->args[0]) && maybe_narrow(x->args[x->n - 1])) return false;
    return (dt == DT_I32 || dt == DT_I64) && stays_inside(x);
}

/* The operator's text without casts that change nothing, on types of 32 or 64 bits. */
static const char *plain_text(const Expr *x, char *to, size_t room)
{
    const DType dt = x->args[0]->dt;
    const char *text = op_text(x->op, dt);
    const size_t n = strlen(text);
    if (!dtype_is_int(dt) || dtype_bits(dt) < 32 || n >= room || strncmp(text, "(T)(", 4)) return text;
    if (strstr(text, "(U)") && !needs_no_wrap(x)) return text;
    int depth = 0;
    for (size_t i = 3; i < n; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0 && i + 1 < n) return text;
    }
    size_t k = 0;
    for (size_t i = 4; i < n - 1; i++) {
        if (!strncmp(text + i, "(U)", 3)) i += 2;
        else to[k++] = text[i];
    }
    to[k] = 0;
    return to;
}

/* ---- what an expression binds as --------------------------------------------------------------------------------- */

static Prec idx_prec(const Idx *x)
{
    if (x->n == 0) return x->k < 0 ? P_UNARY : P_PRIMARY;
    if (x->n > 1 || x->k != 0) return P_ADD;
    const Atom *a = x->t[0].atom;
    if (x->t[0].c != 1 || a->kind == ATOM_DIGIT) return P_MUL;
    return a->kind == ATOM_VAR ? P_PRIMARY : a->kind == ATOM_VALUE ? P_UNARY : idx_prec(a->x);
}

/* A comparison whose result the intervals tell: a compiler might warn of it. */
static bool decided(const Expr *x, bool *result)
{
    if (x->kind != E_OP || x->n != 2 || x->dt != DT_BOOL || !dtype_is_int(x->args[0]->dt)) return false;
    int64_t alo = x->args[0]->lo, ahi = x->args[0]->hi, blo = x->args[1]->lo, bhi = x->args[1]->hi;
    if (x->args[0]->dt == DT_U64 && (ahi == INT64_MAX || bhi == INT64_MAX))
        return x->op == OP_ge && bhi == 0 ? (*result = true) : false;
    const bool less = ahi < blo, not_less = alo >= bhi, greater = alo > bhi, not_greater = ahi <= blo;
    switch (x->op) {
    case OP_lt: *result = less; return less || not_less;
    case OP_ge: *result = not_less; return less || not_less;
    case OP_gt: *result = greater; return greater || not_greater;
    case OP_le: *result = not_greater; return greater || not_greater;
    case OP_eq: *result = false; return less || greater;
    case OP_ne: *result = true; return less || greater;
    default: return false;
    }
}

/* A cast that changes nothing in C: an index to a type that holds it. */
static bool bare_cast(const Emit *e, const Expr *x)
{
    const Expr *a = x->args[0];
    return a->kind == E_INDEX && (x->dt == DT_I64 || (x->dt == DT_I32 && !e->fn->wide));
}

static Prec const_prec(const Expr *x)
{
    if (x->dt == DT_STRING) return P_PRIMARY;
    if (x->dt == DT_F32 || x->dt == DT_F64) {
        const bool minus = x->dt == DT_F32 ? signbit(x->value.f) : signbit(x->value.d);
        if (x->dt == DT_F64 && isinf(x->value.d)) return P_UNARY;
        return minus && !isnan(x->dt == DT_F32 ? (double)x->value.f : x->value.d) ? P_UNARY : P_PRIMARY;
    }
    return dtype_is_signed(x->dt) && x->value.i < 0 ? P_UNARY : P_PRIMARY;
}

/* gcc makes no vectors of a loop that reads bools; of one that reads their bytes it does. */
static bool as_byte(const Emit *e, const Expr *load)
{
    return e->in_lanes && load->dt == DT_BOOL && load->buf->kind != BUF_LOCAL;
}

static Prec expr_prec(Emit *e, const Expr *x)
{
    char plain[200];
    bool v;
    switch (x->kind) {
    case E_CONST: return const_prec(x);
    case E_OP:
        if (decided(x, &v) || !op_inline(x->op, x->args[0]->dt)) return P_PRIMARY;
        return op_prec(plain_text(x, plain, sizeof plain));
    case E_CAST:
        if (bare_cast(e, x)) return idx_prec(x->args[0]->at[0]);
        return op_prec(cast_text(e->c, x->dt, x->args[0]->dt));
    case E_BITS: return op_prec(bits_text(e->c, x->dt, x->args[0]->dt));
    case E_SELECT: return P_COND;
    case E_INDEX: return idx_prec(x->at[0]);
    case E_LOAD: return x->dt != x->buf->dt || as_byte(e, x) ? P_UNARY : P_PRIMARY;
    case E_IN: return x->at[0]->lo < 0 && x->at[0]->hi >= x->extent ? P_AND : P_REL;
    default: return P_PRIMARY;
    }
}

static bool leading_minus(const Expr *x)
{
    return x->kind == E_CONST || (x->kind == E_OP && x->op == OP_neg) || x->kind == E_INDEX || x->kind == E_CAST;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static void print_bits(Emit *e, FILE *f, DType dt, Value v)
{
    const char *call = dt == DT_F64 ? "CALL(f64_of_bits)" : "CALL(f32_of_bits)";
    helper_mark(call, DT_NONE, e->helpers);
    scalar_print(f, call, DT_NONE, e->o->prefix, NULL, NULL);
    fprintf(f, dt == DT_F64 ? "(0x%016llXU)" : "(0x%08llXU)", (unsigned long long)v.u);
}

static void print_const(Emit *e, FILE *f, const Expr *x)
{
    const Value v = x->value;
    if (x->dt == DT_STRING) {
        size_t n = strlen(v.s);
        if (n < STRING_MAX) {
            print_string(f, v.s, n);
            return;
        }
        VEC_PUSH(e->c, e->strings, v.s);
        fprintf(f, "w_long_text_%d", e->strings.n);
        return;
    }
    if (!const_is_nan_or_inf(x->dt, v)) {
        print_scalar(f, x->dt, v);
        return;
    }
    const double d = x->dt == DT_F32 ? (double)v.f : v.d;
    if (isnan(d)) {
        print_bits(e, f, x->dt, v);
        return;
    }
    e->headers |= NEEDS_MATH_H;
    fprintf(f, "%s%sINFINITY", d < 0 ? "-" : "", x->dt == DT_F64 ? "(double)" : "");
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

typedef struct Operands { Emit *e; const Expr *x; const char *text; } Operands;

static void print_operand(FILE *f, void *what, int i)
{
    Operands *o = what;
    const Expr *a = o->x->args[i];
    bool after_sign;
    Prec need = op_need(o->text, i, &after_sign);
    if (after_sign && leading_minus(a) && need <= P_UNARY && expr_prec(o->e, a) == P_UNARY) need = P_PRIMARY;
    print_expr(o->e, f, a, need);
}

static void mark_helpers(Emit *e, const char *text, DType arg)
{
    helper_mark(text, arg, e->helpers);
    if (e->in_lanes) helper_mark(text, arg, e->inlined);
}

static void print_text(Emit *e, FILE *f, const Expr *x, const char *text, DType arg)
{
    Operands o = {e, x, text};
    e->headers |= scalar_headers(text);
    mark_helpers(e, text, arg);
    scalar_print(f, text, arg, e->o->prefix, print_operand, &o);
}

/* Whether the text of the operator has products, quotients, sums or differences. */
static bool rounds(ScalarOp op, DType arg)
{
    const int h = helper_of(op, arg);
    const char *text = op_inline(op, arg) || h < 0 ? op_text(op, arg) : helper_text(h);
    return text && (strstr(text, " + ") || strstr(text, " * ") || strstr(text, " - ") || strstr(text, " / "));
}

static void print_call_of(Emit *e, FILE *f, const Expr *x)
{
    const DType arg = x->args[0]->dt;
    const int h = helper_of(x->op, arg);
    if (h < 0) ice(e->c, "there is no operator %s on %s", op_name(x->op), dtype_name(arg));
    e->helpers[h] = true;
    if (e->in_lanes) e->inlined[h] = true;
    mark_helpers(e, helper_text(h), arg);
    fprintf(f, "%s_%s_%s(", e->o->prefix, op_name(x->op), scalar_tag(arg));
}

/* The call that writes the computed string x into its slot. */
void print_write(Emit *e, FILE *f, const Buf *b, const Idx *const *at, const Expr *x)
{
    print_call_of(e, f, x);
    fputs("(char *)", f);
    print_address(e, f, b, at);
    fprintf(f, ", %lld", (long long)b->dims[b->rank - 1]);
    for (int i = 0; i < x->n; i++) {
        fputs(", ", f);
        print_expr(e, f, x->args[i], P_ANY);
    }
    fputs(");", f);
}

static void print_op(Emit *e, FILE *f, const Expr *x)
{
    const DType arg = x->args[0]->dt;
    char plain[200];
    bool v;
    if (decided(x, &v)) {
        fputs(v ? "true" : "false", f);
        return;
    }
    if (dtype_is_float(arg) && rounds(x->op, arg)) e->floats = true;
    if (op_inline(x->op, arg)) {
        print_text(e, f, x, plain_text(x, plain, sizeof plain), arg);
        return;
    }
    print_call_of(e, f, x);
    for (int i = 0; i < x->n; i++) {
        if (i) fputs(", ", f);
        print_expr(e, f, x->args[i], P_ANY);
    }
    fputc(')', f);
}

static void print_load(Emit *e, FILE *f, const Expr *x)
{
    if (x->dt != x->buf->dt) {
        fputs("(const char *)", f);
        print_address(e, f, x->buf, x->at);
        return;
    }
    if (elem_per(x->dt) == 1 || (x->buf->kind == BUF_LOCAL && x->buf->rank == 0)) {
        if (as_byte(e, x)) fputs("*(const unsigned char *)&", f);
        print_place(e, f, x->buf, x->at);
        return;
    }
    e->get[x->dt] = true;
    fprintf(f, "%s_get_%s(", e->o->prefix, scalar_tag(x->dt));
    print_packed(e, f, x->buf, x->at);
    fputc(')', f);
}

/* 0 <= k + x < extent as x >= -k && x < extent - k. */
static void print_in(Emit *e, FILE *f, const Expr *in)
{
    const Idx *at = in->at[0];
    const Expr *x = expr_index(e->c, idx_add(e->c, at, idx_const(e->c, -at->k)));
    if (at->lo < 0) {
        print_expr(e, f, x, P_ADD);
        fprintf(f, " >= %lld", (long long)-at->k);
    }
    if (at->lo < 0 && at->hi >= in->extent) fputs(" && ", f);
    if (at->hi < in->extent) return;
    print_expr(e, f, x, P_ADD);
    fprintf(f, " < %lld", (long long)(in->extent - at->k));
}

static void print_bare(Emit *e, FILE *f, const Expr *x)
{
    switch (x->kind) {
    case E_CONST: print_const(e, f, x); break;
    case E_LOAD: print_load(e, f, x); break;
    case E_OP: print_op(e, f, x); break;
    case E_CAST:
        if (bare_cast(e, x)) {
            print_index(e, f, x->args[0]->at[0]);
            break;
        }
        print_text(e, f, x, cast_text(e->c, x->dt, x->args[0]->dt), DT_NONE);
        break;
    case E_BITS: print_text(e, f, x, bits_text(e->c, x->dt, x->args[0]->dt), DT_NONE); break;
    case E_SELECT:
        print_expr(e, f, x->args[0], P_EQ);
        fputs(" ? ", f);
        print_expr(e, f, x->args[1], P_EQ);
        fputs(" : ", f);
        print_expr(e, f, x->args[2], P_COND);
        break;
    case E_INDEX: print_index(e, f, x->at[0]); break;
    case E_IN: print_in(e, f, x); break;
    case E_REDUCE:
    case E_ACC: ice(e->c, "a reduction is left in a kernel that is to be printed");
    }
}

void print_expr(Emit *e, FILE *f, const Expr *x, Prec least)
{
    const bool parens = expr_prec(e, x) < least;
    if (parens) fputc('(', f);
    print_bare(e, f, x);
    if (parens) fputc(')', f);
}
