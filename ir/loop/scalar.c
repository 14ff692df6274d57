/* The texts of scalar.def and cast.def: looked up, examined and printed with their placeholders replaced.
 *
 * What a text needs is found by reading it: FN(x) names a function of libm, SELF, MAD and CALL name helpers. So no
 * table beside the rows says what is exact or which helper calls which. Helpers are numbered in the order in which C
 * must define them: first cast.def's, then scalar.def's rows, row by row and type by type. */
#include "scalar.h"
#include "scalar_token.h"

/* ---- tables ------------------------------------------------------------------------------------------------------ */

enum { KIND_F32, KIND_F64, KIND_SINT, KIND_UINT, KIND_BOOL, KIND_STR, KINDS };
/* Of a row: the type of the arguments, a text that is written, or another type. */
enum { R_T = -2, R_write = -1, R_bool = DT_BOOL, R_int64_t = DT_I64, R_uint64_t = DT_U64, R_float = DT_F32,
       R_double = DT_F64 };

typedef struct Row { const char *text, *fused; int result; } Row;

/* Each macro stringifies its own text: handed on to another macro, names such as INFINITY would be replaced. */
#define AT(name, kind) [OP_##name][kind]
static const Row rows[OP_COUNT][KINDS] = {
#define F32(name, arity, R, ...) AT(name, KIND_F32) = { #__VA_ARGS__, NULL, R_##R },
#define F64(name, arity, R, ...) AT(name, KIND_F64) = { #__VA_ARGS__, NULL, R_##R },
#define FLT(name, arity, R, ...) \
    AT(name, KIND_F32) = { #__VA_ARGS__, NULL, R_##R }, AT(name, KIND_F64) = { #__VA_ARGS__, NULL, R_##R },
#define FMA(name, arity, R, fused, ...) \
    AT(name, KIND_F32) = { #__VA_ARGS__, #fused, R_##R }, AT(name, KIND_F64) = { #__VA_ARGS__, #fused, R_##R },
#define FLT_BLOCK FLT
#define MATH(name, arity, ...) AT(name, KIND_F32) = { #__VA_ARGS__, NULL, R_T },
#define SINT(name, arity, R, ...) AT(name, KIND_SINT) = { #__VA_ARGS__, NULL, R_##R },
#define UINT(name, arity, R, ...) AT(name, KIND_UINT) = { #__VA_ARGS__, NULL, R_##R },
#define INT(name, arity, R, ...) \
    AT(name, KIND_SINT) = { #__VA_ARGS__, NULL, R_##R }, AT(name, KIND_UINT) = { #__VA_ARGS__, NULL, R_##R },
#define SINT_BLOCK SINT
#define UINT_BLOCK UINT
#define BOO(name, arity, R, ...) AT(name, KIND_BOOL) = { #__VA_ARGS__, NULL, R_##R },
#define STR(name, arity, R, ...) AT(name, KIND_STR) = { #__VA_ARGS__, NULL, R_##R },
#define STR_BLOCK STR
#define STR_WRITE(name, arity, ...) AT(name, KIND_STR) = { #__VA_ARGS__, NULL, R_write },
#define F32_WRITE(name, arity, ...) AT(name, KIND_F32) = { #__VA_ARGS__, NULL, R_write },
#define F64_WRITE(name, arity, ...) AT(name, KIND_F64) = { #__VA_ARGS__, NULL, R_write },
#define BOO_WRITE(name, arity, ...) AT(name, KIND_BOOL) = { #__VA_ARGS__, NULL, R_write },
#define SINT_WRITE(name, arity, ...) AT(name, KIND_SINT) = { #__VA_ARGS__, NULL, R_write },
#define UINT_WRITE(name, arity, ...) AT(name, KIND_UINT) = { #__VA_ARGS__, NULL, R_write },
#include "scalar.def"
};

static const struct { const char *name; int arity; } ops[OP_COUNT] = {
#define OP(name, arity) { #name, arity },
#include "scalar.def"
};

/* The types of scalars: what ends a helper's name, and the C type. */
static const struct { const char *tag, *ctype; } types[DT_COUNT] = {
    [DT_F32] = { "f32", "float" },      [DT_F64] = { "f64", "double" },     [DT_BOOL] = { "bool", "bool" },
    [DT_I8] = { "i8", "int8_t" },       [DT_I16] = { "i16", "int16_t" },    [DT_I32] = { "i32", "int32_t" },
    [DT_I64] = { "i64", "int64_t" },    [DT_U8] = { "u8", "uint8_t" },      [DT_U16] = { "u16", "uint16_t" },
    [DT_U32] = { "u32", "uint32_t" },   [DT_U64] = { "u64", "uint64_t" },   [DT_STRING] = { "str", "const char *" },
    [DT_F16] = { "f16", "uint16_t" },   [DT_BF16] = { "bf16", "uint16_t" }, [DT_F8E4M3] = { "f8e4m3", "uint8_t" },
    [DT_F8E4M3Z] = { "f8e4m3z", "uint8_t" },            [DT_F8E5M2] = { "f8e5m2", "uint8_t" },
    [DT_F8E5M2Z] = { "f8e5m2z", "uint8_t" },            [DT_F4E2M1] = { "f4e2m1", "uint8_t" },
    [DT_F8E8M0] = { "f8e8m0", "uint8_t" },              [DT_I2] = { "i2", "int8_t" },
    [DT_I4] = { "i4", "int8_t" },       [DT_U2] = { "u2", "uint8_t" },      [DT_U4] = { "u4", "uint8_t" }
};

static const struct { const char *name, *result, *params, *text; } casts[] = {
#define HELP(name, R, params, ...) { #name, #R, #params, #__VA_ARGS__ },
#define HELP_BLOCK HELP
#include "cast.def"
};

static const char *const subs[DT_COUNT] = {
#define SUB(id, tag, R, ...) [DT_##id] = #__VA_ARGS__,
#include "cast.def"
};

/* The types that operators have, in the order of their helpers. */
static const DType args_of[] = {
    DT_F32, DT_F64, DT_I8, DT_I16, DT_I32, DT_I64, DT_U8, DT_U16, DT_U32, DT_U64, DT_BOOL, DT_STRING
};

static int kind_of(DType dt)
{
    switch (dt) {
    case DT_F32:    return KIND_F32;
    case DT_F64:    return KIND_F64;
    case DT_I8: case DT_I16: case DT_I32: case DT_I64: return KIND_SINT;
    case DT_U8: case DT_U16: case DT_U32: case DT_U64: return KIND_UINT;
    case DT_BOOL:   return KIND_BOOL;
    case DT_STRING: return KIND_STR;
    default:        return -1;
    }
}

static const Row *row_of(ScalarOp op, DType arg)
{
    int kind = kind_of(arg);
    return kind >= 0 && rows[op][kind].text ? &rows[op][kind] : NULL;
}

const char *op_name(ScalarOp op)
{
    return ops[op].name;
}

int op_arity(ScalarOp op)
{
    return ops[op].arity;
}

const char *op_text(ScalarOp op, DType arg)
{
    const Row *r = row_of(op, arg);
    return r ? r->text : NULL;
}

DType op_result(ScalarOp op, DType arg)
{
    const Row *r = row_of(op, arg);
    if (r == NULL)
        return DT_NONE;
    return r->result == R_T ? arg : r->result == R_write ? DT_STRING : (DType)r->result;
}

bool op_writes(ScalarOp op, DType arg)
{
    const Row *r = row_of(op, arg);
    return r && r->result == R_write;
}

const char *scalar_ctype(DType dt)
{
    return types[dt].ctype;
}

const char *scalar_tag(DType dt)
{
    return types[dt].tag;
}

/* ---- reading a text ---------------------------------------------------------------------------------------------- */

static int op_find(Token t)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (token_is(t, ops[op].name))
            return op;
    return -1;
}

static int cast_find(Token t)
{
    for (int i = 0; i < COUNT(casts); i++)
        if (token_is(t, casts[i].name))
            return i;
    return -1;
}

bool op_exact(ScalarOp op, DType arg)
{
    static const char *const exact[] = { "sqrt", "fabs", "floor", "ceil", "trunc", "rint", "fmod", "fma", "ldexp" };
    const char *begin = op_text(op, arg);
    for (const char *p = begin; p && *p; ) {
        Token t = token_next(&p, begin);
        if (token_is(t, "SELF") && !op_exact((ScalarOp)op_find(token_name(&p)), arg))
            return false;
        if (!token_is(t, "FN"))
            continue;
        bool found = false;
        t = token_name(&p);
        for (int i = 0; i < COUNT(exact); i++)
            found |= token_is(t, exact[i]);
        if (!found)
            return false;
    }
    return true;
}

bool op_inline(ScalarOp op, DType arg)
{
    const char *begin = op_text(op, arg);
    int seen[3] = { 0 };
    if (begin == NULL || *begin == '{' || row_of(op, arg)->fused)
        return false;
    for (const char *p = begin; *p; ) {
        Token t = token_next(&p, begin);
        if (t.word && t.n == 1 && *t.at >= 'a' && *t.at <= 'c')
            seen[*t.at - 'a']++;
    }
    for (int i = 0; i < 3; i++)
        if (seen[i] != (i < ops[op].arity))
            return false;
    return true;
}

/* Arrays are recognised by "uint32_t x[40], y[40]" and the like. */
static int arrays_of(const char *begin)
{
    int bytes = 0, element = 0;
    for (const char *p = begin; p && *p; ) {
        const Token t = token_next(&p, begin);
        if (token_is(t, "CALL"))
            bytes += arrays_of(casts[cast_find(token_name(&p))].text);
        else if (token_is(t, "uint32_t") || token_is(t, "char"))
            element = token_is(t, "char") ? 1 : 4;
        else if (*t.at == ';' || *t.at == '=')
            element = 0;
        else if (*t.at == '[' && element && is_digit(*p))
            bytes += element * digits_at(p);
    }
    return bytes;
}

/* A number of one digit is a step, not a value to keep. */
int text_constants(const char *text, DType arg)
{
    int n = 0;
    for (const char *p = text; p && *p; ) {
        const Token t = token_next(&p, text);
        if (token_is(t, "SELF"))
            n += text_constants(op_text((ScalarOp)op_find(token_name(&p)), arg), arg);
        else if (token_is(t, "CALL"))
            n += text_constants(casts[cast_find(token_name(&p))].text, arg);
        if (!is_digit(*t.at))
            continue;
        p = behind_number(t.at);
        n += p - t.at > 1;
    }
    return n;
}

int op_stack(ScalarOp op, DType arg)
{
    return op_inline(op, arg) && !strstr(op_text(op, arg), "CALL") ? 0 : arrays_of(op_text(op, arg));
}

unsigned scalar_headers(const char *text)
{
    unsigned needs = 0;
    for (const char *p = text; *p; ) {
        Token t = token_next(&p, text);
        if (token_is(t, "FN") || token_is(t, "INFINITY") || token_is(t, "NAN"))
            needs |= NEEDS_MATH_H;
        if (token_is(t, "strcmp") || token_is(t, "memcpy") || token_is(t, "strlen"))
            needs |= NEEDS_STRING_H;
    }
    return needs;
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

static bool narrow_float(DType dt)
{
    return dtype_is_float(dt) && dt != DT_F32 && dt != DT_F64;
}

/* The cast of an operand of type from, which is no narrow float and whose text is x. */
static const char *cast_of(Ctx *c, DType to, DType from, const char *x)
{
    bool real = from == DT_F32 || from == DT_F64;
    if (to == from)
        return x;
    if (to == DT_BOOL)
        return internf(c, "%s != 0", x);
    if (narrow_float(to) && from == DT_F64)
        return internf(c, "CALL(%s_of_f32)(CALL(f32_odd_of_f64)(%s))", types[to].tag, x);
    if (narrow_float(to))
        return internf(c, "CALL(%s_of_f32)(%s%s)", types[to].tag, from == DT_F32 ? "" : "(float)", x);
    if (real && dtype_is_int(to))
        return internf(c, "CALL(%s_of_%s)(%s)", types[to].tag, types[from].tag, x);
    return subs[to] ? subs[to] : internf(c, "(%s)%s", types[to].ctype, x);   /* sub-byte: of an integer, so x is a */
}

const char *cast_text(Ctx *c, DType to, DType from)
{
    if (types[to].tag == NULL || types[from].tag == NULL || ((to == DT_STRING || from == DT_STRING) && to != from))
        return NULL;
    if (narrow_float(from) && to != from)
        return cast_of(c, to, DT_F32, internf(c, "CALL(f32_of_%s)(a)", types[from].tag));
    return cast_of(c, to, from, "a");
}

/* The bits of a as an unsigned number, then that as the type. */
const char *bits_text(Ctx *c, DType to, DType from)
{
    const char *x = "a";
    if (from == DT_F32 || from == DT_F64)
        x = internf(c, "CALL(bits_of_%s)(a)", types[from].tag);
    if (to == DT_F32 || to == DT_F64)
        return internf(c, "CALL(%s_of_bits)(%s%s)", types[to].tag,
                       dtype_is_signed(from) ? to == DT_F32 ? "(uint32_t)" : "(uint64_t)" : "", x);
    if (to == DT_BOOL)
        return "a != 0";
    return dtype_is_float(to) && dtype_bits(to) < 8 ? "(uint8_t)(a & 15)"
           : subs[to]                               ? subs[to]
                                                    : internf(c, "(%s)%s", types[to].ctype, x);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* LIT's argument with the suffix of the type. */
static void print_literal(FILE *f, const char **p, DType arg)
{
    Token t = token_name(p);
    fprintf(f, "%.*s%s", t.n, t.at, arg == DT_F32 ? "F" : "");
}

static void print_word(FILE *f, Token t, const char **p, DType arg, const char *prefix)
{
    const char *tag = types[arg].tag;
    Token name;
    if (token_is(t, "CALL")) {
        name = token_name(p);
        fprintf(f, "%s_%.*s", prefix, name.n, name.at);
    } else if (arg == DT_NONE) {
        fprintf(f, "%.*s", t.n, t.at);
    } else if (token_is(t, "T")) {
        fputs(types[arg].ctype, f);
    } else if (token_is(t, "U")) {
        fputs(dtype_bits(arg) > 32 ? "uint64_t" : "uint32_t", f);
    } else if (token_is(t, "LIT")) {
        print_literal(f, p, arg);
    } else if (token_is(t, "FN")) {
        name = token_name(p);
        fprintf(f, "%.*s%s", name.n, name.at, arg == DT_F32 ? "f" : "");
    } else if (token_is(t, "MAD")) {
        fprintf(f, "%s_mad_%s", prefix, tag);
    } else if (token_is(t, "SELF")) {
        name = token_name(p);
        fprintf(f, "%s_%.*s_%s", prefix, name.n, name.at, tag);
    } else
        fprintf(f, "%.*s", t.n, t.at);
}

void scalar_print(FILE *f, const char *text, DType arg, const char *prefix, void (*param)(FILE *, void *, int),
                  void *what)
{
    for (const char *p = text; *p; ) {
        Token t = token_next(&p, text);
        if (!t.word)
            fprintf(f, "%.*s", t.n, t.at);
        else if (param && t.n == 1 && *t.at >= 'a' && *t.at <= 'c')
            param(f, what, *t.at - 'a');
        else
            print_word(f, t, &p, arg, prefix);
    }
}

/* What stands behind the brace at p stays on its line: the name of what a union declares, else. */
static bool same_line(const char *p)
{
    size_t n = strspn(p, " "), word = strspn(p + n, "abcdefghijklmnopqrstuvwxyz");
    return p[n] == ';' || p[n + word] == ';' || !strncmp(p + n, "else", 4);
}

static void new_line(FILE *f, int indent, const char **p)
{
    *p += strspn(*p, " ");
    fprintf(f, "\n%*s", 4 * (indent - (**p == '}')), "");
}

/* A block, which preprocessing has joined into one line, in lines again. */
static void print_block(FILE *f, const char *text, DType arg, const char *prefix)
{
    int indent = 0, parens = 0;
    for (const char *p = text; *p; ) {
        Token t = token_next(&p, text);
        parens += *t.at == '(' ? 1 : *t.at == ')' ? -1 : 0;
        indent += *t.at == '{' ? 1 : *t.at == '}' ? -1 : 0;
        if (t.word)
            print_word(f, t, &p, arg, prefix);
        else
            fprintf(f, "%.*s", t.n, t.at);
        if (*p && parens == 0 && (*t.at == '{' || *t.at == ';' || (*t.at == '}' && !same_line(p))))
            new_line(f, indent, &p);
    }
    fputc('\n', f);
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

enum { ARG_TYPES = COUNT(args_of) };

int helper_count(void)
{
    return COUNT(casts) + OP_COUNT * ARG_TYPES;
}

int helper_of(ScalarOp op, DType arg)
{
    for (int i = 0; i < ARG_TYPES; i++)
        if (args_of[i] == arg)
            return COUNT(casts) + (int)op * ARG_TYPES + i;
    return -1;
}

const char *helper_text(int helper)
{
    int i = helper - COUNT(casts);
    return i < 0 ? casts[helper].text : op_text((ScalarOp)(i / ARG_TYPES), args_of[i % ARG_TYPES]);
}

static DType helper_arg(int helper)
{
    return helper < COUNT(casts) ? DT_NONE : args_of[(helper - COUNT(casts)) % ARG_TYPES];
}

void helper_mark(const char *text, DType arg, bool *need)
{
    for (const char *p = text; *p; ) {
        Token t = token_next(&p, text);
        int h = token_is(t, "CALL") ? cast_find(token_name(&p))
              : token_is(t, "MAD") ? helper_of(OP_mad, arg)
              : token_is(t, "SELF") ? helper_of((ScalarOp)op_find(token_name(&p)), arg) : -1;
        if (h < 0 || need[h])
            continue;
        need[h] = true;
        helper_mark(helper_text(h), helper_arg(h), need);
    }
}

static void print_function(FILE *f, int helper, const char *prefix, const char *text)
{
    DType arg = helper_arg(helper);
    if (arg == DT_NONE)
        fprintf(f, "static inline %s %s_%s%s", casts[helper].result, prefix, casts[helper].name, casts[helper].params);
    else {
        ScalarOp op = (ScalarOp)((helper - COUNT(casts)) / ARG_TYPES);
        const bool writes = op_writes(op, arg);
        const char *type = types[arg].ctype, *space = arg == DT_STRING ? "" : " ";
        fprintf(f, "static inline %s %s_%s_%s(%s", writes ? "void" : types[op_result(op, arg)].ctype, prefix,
                ops[op].name, types[arg].tag, writes ? "char *to, int32_t room, " : "");
        for (int i = 0; i < ops[op].arity; i++)
            fprintf(f, "%s%s%s%c", i ? ", " : "", type, space, 'a' + i);
        fputc(')', f);
    }
    fputc('\n', f);
    if (*text == '{')
        print_block(f, text, arg, prefix);
    else {
        fputs("{\n    return ", f);
        scalar_print(f, text, arg, prefix, NULL, NULL);
        fputs(";\n}\n", f);
    }
}

const char *fused_test(DType dt)
{
    return dt == DT_F32 ? "defined FP_FAST_FMAF || defined __FMA__ || defined __ARM_FEATURE_FMA"
                        : "defined FP_FAST_FMA || defined __FMA__ || defined __ARM_FEATURE_FMA && (__ARM_FP & 8)";
}

void helper_print(FILE *f, int helper, const char *prefix, const char *also)
{
    DType arg = helper_arg(helper);
    const Row *r = arg == DT_NONE ? NULL : row_of((ScalarOp)((helper - COUNT(casts)) / ARG_TYPES), arg);
    if (r && r->fused) {
        fprintf(f, also ? "#if %s || defined %s\n" : "#if %s\n", fused_test(arg), also);
        print_function(f, helper, prefix, r->fused);
        fputs("#else\n", f);
    }
    print_function(f, helper, prefix, helper_text(helper));
    if (r && r->fused)
        fputs("#endif\n", f);
}
