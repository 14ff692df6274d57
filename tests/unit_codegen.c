/* Unit tests of codegen: names, literals, line breaks, parentheses, and small programs as text. What the emitted C
 * computes is held against the interpreter by tests/check_c.sh. */
#include "emit.h"

#include <check.h>

static Ctx *c;

static void setup(void)
{
    c = ctx_new();
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    ctx_free(c);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static Names names;

static const char *made(const char *stem, const char *from)
{
    return cname_new(c, &names, stem, from);
}

START_TEST(names_are_identifiers)
{
    names = (Names){.prefix = "m"};
    ck_assert_str_eq(made("in", "x"), "in_x");
    ck_assert_str_eq(made("in", "X"), "in_x_2");
    ck_assert_str_eq(made("in", "x"), "in_x_3");
    ck_assert_str_eq(made("out", "x"), "out_x");
    ck_assert_str_eq(made("w", "__conv..1/weight__"), "w_conv_1_weight");
    ck_assert_str_eq(made("w", "1st"), "w_1st");
    ck_assert_str_eq(made("w", "gr\xc3\xb6\xc3\x9f" "e"), "w_gr_e");
    ck_assert_str_eq(made("w", "\xe6\x97\xa5"), "w_v");
    ck_assert_str_eq(made("w", ""), "w_v_2");
    ck_assert_str_eq(made("in", "errno"), "in_errno");
    ck_assert_str_eq(made("w", "x_2"), "w_x_2");
    ck_assert_str_eq(made("w", "x"), "w_x");
    ck_assert_str_eq(made("w", "x"), "w_x_3");
    const char *n = made("w", "a_very_long_name_that_goes_on_and_on_and_never_comes_to_an_end_at_all");
    ck_assert_uint_le(strlen(n), 50);
}
END_TEST

START_TEST(names_without_stem_mean_nothing_else)
{
    names = (Names){.prefix = "acc0"};
    ck_assert_str_eq(made("", "int"), "int_v");
    ck_assert_str_eq(made("", "sqrtf"), "sqrtf_v");
    ck_assert_str_eq(made("", "y0"), "y0_v");
    ck_assert_str_eq(made("", "I"), "i");
    ck_assert_str_eq(made("", "7"), "v7");
    ck_assert_str_eq(made("", "uint8_t"), "uint8_t_v");
    ck_assert_str_eq(made("", "acc0"), "xacc0");
    ck_assert_str_eq(made("", "acc01"), "acc01");
    ck_assert(!cname_reserved("best") && cname_reserved("restrict") && cname_reserved("memcpy") &&
              cname_reserved("linux"));
    ck_assert(cname_reserved("fmaxl") && cname_reserved("namespace") && !cname_reserved("acc0"));
}
END_TEST

START_TEST(names_see_those_outside)
{
    names = (Names){.prefix = "m"};
    made("", "best");
    Names inner = {.up = &names, .prefix = "m"};
    ck_assert_str_eq(cname_new(c, &inner, "", "best"), "best_2");
    ck_assert_str_eq(cname_upper(c, "net_1"), "NET_1");
}
END_TEST

START_TEST(many_equal_names_take_linear_time)
{
    names = (Names){.prefix = "m"};
    const char *n = NULL;
    for (int i = 0; i < 50000; i++) n = made("w", "x");
    ck_assert_str_eq(n, "w_x_50000");
}
END_TEST

/* ---- literals ---------------------------------------------------------------------------------------------------- */

static char text[8192];

#define PRINTED(call) \
    do { \
        FILE *f = fmemopen(text, sizeof text, "w"); \
        call; \
        fputc(0, f); \
        fclose(f); \
    } while (0)

static const char *scalar(DType dt, Value v)
{
    PRINTED(print_scalar(f, dt, v));
    return text;
}

static const char *single(float x)
{
    Value v = {0};
    v.f = x;
    return scalar(DT_F32, v);
}

START_TEST(scalars_are_exact)
{
    ck_assert_str_eq(single(1), "1.0F");
    ck_assert_str_eq(single(-0.0f), "-0.0F");
    ck_assert_str_eq(single(-2.5f), "-2.5F");
    ck_assert_str_eq(single(0.0625f), "0.0625F");
    ck_assert_str_eq(single(0.1f), "0x1.99999ap-4F /* 0.1 */");
    ck_assert_str_eq(single(1.4e-45f), "0x0.000002p-126F /* 1.4013e-45 */");
    ck_assert_str_eq(single(3e38f), "0x1.c363ccp127F /* 3e+38 */");
    ck_assert_str_eq(scalar(DT_F64, (Value){.d = 0.1}), "0x1.999999999999ap-4 /* 0.1 */");
    ck_assert_str_eq(scalar(DT_F64, (Value){.d = 3}), "3.0");
    ck_assert_str_eq(scalar(DT_I32, (Value){.i = INT32_MIN}), "(-2147483647 - 1)");
    ck_assert_str_eq(scalar(DT_I64, (Value){.i = INT64_MIN}), "(-9223372036854775807 - 1)");
    ck_assert_str_eq(scalar(DT_I64, (Value){.i = -5}), "-5");
    ck_assert_str_eq(scalar(DT_U64, (Value){.u = UINT64_MAX}), "18446744073709551615U");
    ck_assert_str_eq(scalar(DT_F16, (Value){.u = 0x3C00}), "0x3C00");
    ck_assert_str_eq(scalar(DT_F8E4M3, (Value){.u = 0x7E}), "0x7E");
    ck_assert_str_eq(scalar(DT_BOOL, (Value){.i = 1}), "true");
}
END_TEST

START_TEST(hexadecimal_floats_keep_their_bits)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        char to[64];
        union { uint32_t u; float f; } a = {(uint32_t)x}, b;
        union { uint64_t u; double d; } p = {x}, q;
        if (isfinite(a.f)) {
            to[hex_float(to, a.u)] = 0;
            b.f = strtof(to, NULL);
            ck_assert_msg(a.u == b.u, "%s", to);
        }
        if (!isfinite(p.d)) continue;
        to[hex_double(to, p.u)] = 0;
        q.d = strtod(to, NULL);
        ck_assert_msg(p.u == q.u, "%s", to);
    }
}
END_TEST

START_TEST(short_decimals_are_exact)
{
    char to[40];
    for (int i = -300000; i < 300000; i++) {
        const double v = i / 64.0;
        const int n = short_float(to, v);
        if (n == 0) continue;
        to[n] = 0;
        ck_assert_msg(strtod(to, NULL) == v && strchr(to, '.'), "%s", to);
    }
    ck_assert_int_eq(short_float(to, 0.1), 0);
    ck_assert_int_eq(short_float(to, 1e6), 0);
    ck_assert_int_eq(short_float(to, (double)INFINITY), 0);
    ck_assert_int_eq(short_float(to, (double)NAN), 0);
    ck_assert_int_eq(short_float(to, 1 / 65536.0), 0);
}
END_TEST

START_TEST(strings_are_escaped)
{
    PRINTED(print_string(f, "a\"b\\c?\n\x01\xff" "7", 10));
    ck_assert_str_eq(text, "\"a\\042b\\134c\\077\\012\\001\\3777\"");
    PRINTED(print_string(f, "", 0));
    ck_assert_str_eq(text, "\"\"");
}
END_TEST

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static size_t longest_line(const char *s)
{
    size_t most = 0;
    for (; *s; s += strcspn(s, "\n") + 1) {
        if (strcspn(s, "\n") > most) most = strcspn(s, "\n");
        if (!s[strcspn(s, "\n")]) break;
    }
    return most;
}

START_TEST(long_statements_are_broken)
{
    const char *call = "f(a + b, g(c, \"one string that stays whole, whatever its blanks may say about it\"), "
                       "dddddddddddddddddddd + eeeeeeeeeeeee,"
                       " x /* and a comment */, y);";
    PRINTED(print_wrapped(f, call, strlen(call), 4));
    ck_assert_str_eq(text, "    f(a + b, g(c, \"one string that stays whole, whatever its blanks may say about it\"),\n"
                           "        dddddddddddddddddddd + eeeeeeeeeeeee, x /* and a comment */, y);\n");
    char many[3000] = "";
    for (int i = 0; i < 200; i++) strcat(many, i ? " + value12" : "value12");
    PRINTED(print_wrapped(f, many, strlen(many), 8));
    ck_assert_uint_le(longest_line(text), LINE);
    PRINTED(print_wrapped(f, "x", 1, 0));
    ck_assert_str_eq(text, "x\n");
}
END_TEST

START_TEST(comments_are_broken)
{
    Sheet *t = sheet_new(c);
    for (int i = 0; i < 50; i++) fprintf(t->f, "word%d ", i);
    print_escaped(t->f, "*/");
    PRINTED(print_comment(f, t, 4));
    ck_assert_uint_le(longest_line(text), LINE);
    ck_assert_ptr_eq(strstr(text, "*/"), text + strlen(text) - 3);
    for (int i = 0; i < 400; i++) fputc('x', t->f);      /* no blank anywhere */
    PRINTED(print_comment(f, t, 0));
    ck_assert_uint_le(longest_line(text), LINE);
}
END_TEST

/* ---- parentheses ------------------------------------------------------------------------------------------------- */

START_TEST(texts_tell_how_they_bind)
{
    ck_assert_int_eq(op_prec("a + b"), P_ADD);
    ck_assert_int_eq(op_prec("a * b + c"), P_ADD);
    ck_assert_int_eq(op_prec("(T)((U)a + (U)b)"), P_UNARY);
    ck_assert_int_eq(op_prec("FN(sqrt)(a)"), P_PRIMARY);
    ck_assert_int_eq(op_prec("-a"), P_UNARY);
    ck_assert_int_eq(op_prec("!a"), P_UNARY);
    ck_assert_int_eq(op_prec("a != 0"), P_EQ);
    ck_assert_int_eq(op_prec("a && b"), P_AND);
    ck_assert_int_eq(op_prec("a ? b : c"), P_COND);
    ck_assert_int_eq(op_prec("a << b"), P_SHIFT);
    ck_assert_int_eq(op_prec("FN(fabs)(a) == (T)INFINITY"), P_EQ);
    ck_assert_int_eq(op_prec("LIT(1.0) / (LIT(1.0) + FN(exp)(-a))"), P_MUL);
}
END_TEST

START_TEST(texts_tell_what_operands_need)
{
    bool sign;
    ck_assert_int_eq(op_need("a - b", 0, &sign), P_ADD);
    ck_assert_int_eq(op_need("a - b", 1, &sign), P_MUL);
    ck_assert(sign);
    ck_assert_int_eq(op_need("a / b", 1, &sign), P_UNARY);
    ck_assert(!sign);
    ck_assert_int_eq(op_need("(T)((U)a + (U)b)", 1, &sign), P_UNARY);
    ck_assert_int_eq(op_need("FN(fmod)(a, b)", 1, &sign), P_ANY);
    ck_assert_int_eq(op_need("-a", 0, &sign), P_UNARY);
    ck_assert(sign);
    ck_assert_int_eq(op_need("a <= b", 0, &sign), P_ADD);
    ck_assert_int_eq(op_need("a || b", 1, &sign), P_EQ);
    ck_assert_int_eq(op_need("a ? b : c", 2, &sign), P_COND);
    ck_assert_int_eq(op_need("a", 0, &sign), P_PRIMARY);
}
END_TEST

/* ---- small programs ---------------------------------------------------------------------------------------------- */

static const int64_t six[] = {6};
static char *source, *header;

static const Idx *at_i(void) { return idx_var(c, 0, 6); }

static const Expr *load(const Buf *b)
{
    const Idx *i = at_i();
    return expr_load(c, b, &i);
}

static const Kernel *looped(const char *what, const Buf *out, const Expr *value)
{
    Kernel *k = kernel_compute(c, what, (Loc){0}, out, value);
    const Idx *i = at_i();
    k->nest = stmt_for(c, 0, 6, stmt_store(c, out, &i, value));
    return k;
}

static Prog *prog_of(Buf *in, Buf *out, int n, const Kernel **kernels, int nbufs, Buf **bufs)
{
    static Buf *ins[1], *outs[1];
    ins[0] = in;
    outs[0] = out;
    in->index = out->index = 0;
    Prog *p = NEW(c, Prog);
    *p = (Prog){.name = "g", .nbufs = nbufs, .bufs = bufs, .nkernels = n, .kernels = kernels};
    p->nins = p->nouts = 1;
    p->ins = ins;
    p->outs = outs;
    return p;
}

static const EmitOptions plain = {
    .prefix = "m", .header_name = "m.h", .options = "", .ram_budget = (int64_t)1 << 31, .flash_budget = -1
};

static bool emitted(const Prog *p, EmitOptions o)
{
    size_t n, k;
    free(source);
    free(header);
    FILE *f = open_memstream(&source, &n), *h = open_memstream(&header, &k);
    bool good = emit(c, p, &o, (EmitFiles){f, h, NULL});
    fclose(f);
    fclose(h);
    return good;
}

static void forget(void)
{
    free(source);
    free(header);
    source = header = NULL;
}

#define HAS(s, part) ck_assert_msg(strstr(s, part), "no '%s' in:\n%s", part, s)

START_TEST(a_program_of_one_loop)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "*/ y", DT_F32, 1, six)};
    const Expr *v =
        expr_op2(c, OP_mul, expr_op2(c, OP_sub, load(bufs[0]), expr_float(c, DT_F32, -1)), expr_float(c, DT_F32, 3));
    const Kernel *k = looped("Fused */ y", bufs[1], v);
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 2, bufs), plain));
    HAS(source, "#include \"m.h\"\n\n#include <stdint.h>\n\n/*");
    HAS(source, "void m_run(const float *restrict in_x, float *restrict out_y)\n{\n    /* Fused *\\x2F y: *\\x2F y "
                "float[6] from x float[6] */\n");
    HAS(source, "    for (int32_t i = 0; i < 6; i++)\n        out_y[i] = (in_x[i] - (-1.0F)) * 3.0F;\n}\n");
    HAS(header, "void m_run(const float *in_x, float *out_y);\n");
    HAS(header, "#define M_OUT0_NAME \"*/ y\"\n#define M_OUT0_ELEMS 6\n#define M_OUT0_BYTES 24\n#define M_OUT0_RANK "
                "1\n#define M_OUT0_DIMS {6}\n");
    ck_assert_ptr_null(strstr(header, "stdint"));
    forget();
}
END_TEST

/* Wrapping arithmetic is spelled out only where something may wrap; a guard has its constants on the right. */
START_TEST(integers_are_plain_where_they_can_be)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_I32, 1, six), buf_new(c, BUF_OUT, "y", DT_I32, 1, six)};
    const Expr *small = expr_cast(c, DT_I32, expr_cast(c, DT_I8, load(bufs[0]))), *one = expr_int(c, DT_I32, 1);
    const Expr *guard = expr_in(c, idx_add(c, at_i(), idx_const(c, -1)), 4);
    const Expr *v = expr_select(c, guard, expr_op2(c, OP_mul, small, small), expr_op2(c, OP_add, load(bufs[0]), one));
    const Kernel *k = looped("y", bufs[1], v);
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 2, bufs), plain));
    HAS(source, "i >= 1 && i < 5");
    HAS(source, "(int32_t)(int8_t)in_x[i] * (int32_t)(int8_t)in_x[i]");
    HAS(source, "(int32_t)((uint32_t)in_x[i] + (uint32_t)1)");
    forget();
}
END_TEST

START_TEST(temporaries_lie_in_the_arena)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_I8, 1, six), buf_new(c, BUF_OUT, "y", DT_I8, 1, six),
                   buf_new(c, BUF_TEMP, "t", DT_F32, 1, six)};
    const Kernel *k[] = {looped("a", bufs[2], expr_cast(c, DT_F32, load(bufs[0]))),
                         looped("b", bufs[1], expr_cast(c, DT_I8, load(bufs[2])))};
    Prog *p = prog_of(bufs[0], bufs[1], 2, k, 3, bufs);
    const int64_t offset[] = {-1, -1, 8};
    const Plan plan = {offset, 32, 4, 24, 0};
    p->plan = &plan;
    ck_assert(emitted(p, plain));
    HAS(source, "M_ARENA_ATTR static union {\n    float f32[8];\n} arena;\n");
    HAS(source, "arena.f32[2 + i] = (float)in_x[i];\n");
    HAS(source, "out_y[i] = m_i8_of_f32(arena.f32[2 + i]);\n");
    HAS(header, "#define M_ARENA_BYTES 32\n#define M_ARENA_ALIGN 4\n");
    EmitOptions o = plain;
    o.arena_caller = true;
    ck_assert(emitted(p, o));
    HAS(source, "static void fill_t(const int8_t *restrict in_x, union m_arena *restrict arena)\n");
    HAS(source, "    arena->f32[2 + i] = ");
    HAS(source, "{\n    fill_t(in_x, arena);\n    fill_y(out_y, arena);\n}\n");
    o.io_arena = true;
    ck_assert(!emitted(p, o));
    forget();
}
END_TEST

START_TEST(budgets_are_kept)
{
    const int64_t huge[] = {1 << 20};
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "y", DT_F32, 1, huge)};
    Prog *p = prog_of(bufs[0], bufs[1], 0, NULL, 2, bufs);
    EmitOptions o = plain;
    o.ram_budget = 1 << 20;
    ck_assert(!emitted(p, o));
    ck_assert_int_eq(c->errors, 1);
    char *said = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&said, &n);
    diag_flush(c, f);
    fclose(f);
    HAS(said, "exceeds the budget of 1048576");
    HAS(said, "y float[1048576] (4194304), x float[6] (24)");
    free(said);
    forget();
}
END_TEST

START_TEST(deep_expressions_are_split)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "y", DT_F32, 1, six)};
    const Expr *v = load(bufs[0]), *half = expr_float(c, DT_F32, 0.5);
    for (int i = 0; i < 90; i++) {
        v = i % 2 ? expr_op1(c, OP_sqrt, v) : expr_op2(c, OP_add, half, v);
        if (i == 60) v = expr_select(c, expr_op2(c, OP_lt, load(bufs[0]), half), v, half);
    }
    const Kernel *k = looped("deep", bufs[1], v);
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 2, bufs), plain));
    HAS(source, "const float t");
    HAS(source, "if (in_x[i] < 0.5F) {");      /* the arm is deep, and stays an arm */
    int depth = 0, most = 0;
    for (const char *s = source; *s; s++) {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (depth > most) most = depth;
    }
    ck_assert_int_le(most, 12);
    ck_assert_uint_le(longest_line(source), LINE);
    forget();
}
END_TEST

START_TEST(packed_elements_go_through_helpers)
{
    const int64_t five[] = {5};
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_I4, 1, five), buf_new(c, BUF_OUT, "y", DT_I4, 1, five)};
    const Idx *i = idx_var(c, 0, 5);
    Kernel *k = kernel_compute(c, "Neg y", (Loc){0}, bufs[1], expr_load(c, bufs[0], &i));
    k->nest = stmt_for(c, 0, 5, stmt_store(c, bufs[1], &i, k->value));
    const Kernel *kernels[] = {k};
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, kernels, 2, bufs), plain));
    HAS(source, "    out_y[2] = 0; /* padding bits are 0 */\n");
    HAS(source, "m_put_u4(out_y, i, m_get_i4(in_x, i));\n");
    HAS(header, "#define M_IN0_ELEMS 5\n#define M_IN0_BYTES 3\n");
    forget();
}
END_TEST

START_TEST(long_strings_are_arrays)
{
    const int64_t one[] = {1};
    char *s = NEW_N(c, char, 5001);
    memset(s, '\'', 5000);
    const char *strings[] = {intern(c, s)};
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_I64, 1, one), buf_new(c, BUF_OUT, "y", DT_STRING, 1, one),
                   buf_new(c, BUF_CONST, "s", DT_STRING, 1, one)};
    bufs[2]->data = tensor_of(c, (Type){DT_STRING, 1, one}, strings, sizeof strings);
    const Idx *zero = idx_const(c, 0), *x = idx_value(c, expr_load(c, bufs[0], &zero), 0, 0);
    (void)x;
    Kernel *k = kernel_compute(c, "y", (Loc){0}, bufs[1], expr_load(c, bufs[2], &zero));
    k->nest = stmt_copy(c, bufs[1], &zero, bufs[2], &zero, 1);
    const Kernel *kernels[] = {k};
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, kernels, 3, bufs), plain));
    HAS(source, "M_CONST static const char w_s_long_0[5001] = {\n    '\\047', ");
    HAS(source, "M_CONST static const char *const w_s[1] = {\n    w_s_long_0\n};\n");
    HAS(source, "out_y[0] = w_s[0];\n");
    k->nest = stmt_store(c, bufs[1], &zero, expr_load(c, bufs[2], &zero)); /* folded: a literal within an expression */
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, kernels, 3, bufs), plain));
    HAS(source, "out_y[0] = w_long_text_1;\n");
    ck_assert_uint_le(longest_line(source), LINE);
    forget();
}
END_TEST

START_TEST(json_takes_any_name)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "a\"\\\x01\xff\xc3\xa9\xed\xa0\x80", DT_F32, 1, six),
                   buf_new(c, BUF_OUT, "y", DT_F32, 1, six)};
    const Kernel *k = looped("Relu", bufs[1], expr_op1(c, OP_relu, load(bufs[0])));
    char *json = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&json, &n);
    report_json(f, c, prog_of(bufs[0], bufs[1], 1, &k, 2, bufs), &plain);
    fclose(f);
    HAS(json, "\"name\": \"a\\\"\\\\\\u0001\\u00ff\xc3\xa9\\u00ed\\u00a0\\u0080\", \"type\": \"float\", \"shape\": "
              "[6], \"bytes\": 24}");
    HAS(json, "\"access\": \"write\", \"dimension\": 0, \"low\": 0, \"high\": 5, \"bound\": 6}");
    HAS(json, "\"operations\": 6,");
    free(json);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen");
    TCase *t = tcase_create("codegen");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, names_are_identifiers);
    tcase_add_test(t, names_without_stem_mean_nothing_else);
    tcase_add_test(t, names_see_those_outside);
    tcase_add_test(t, many_equal_names_take_linear_time);
    tcase_add_test(t, scalars_are_exact);
    tcase_add_test(t, hexadecimal_floats_keep_their_bits);
    tcase_add_test(t, short_decimals_are_exact);
    tcase_add_test(t, strings_are_escaped);
    tcase_add_test(t, long_statements_are_broken);
    tcase_add_test(t, comments_are_broken);
    tcase_add_test(t, texts_tell_how_they_bind);
    tcase_add_test(t, texts_tell_what_operands_need);
    tcase_add_test(t, a_program_of_one_loop);
    tcase_add_test(t, integers_are_plain_where_they_can_be);
    tcase_add_test(t, temporaries_lie_in_the_arena);
    tcase_add_test(t, budgets_are_kept);
    tcase_add_test(t, deep_expressions_are_split);
    tcase_add_test(t, packed_elements_go_through_helpers);
    tcase_add_test(t, long_strings_are_arrays);
    tcase_add_test(t, json_takes_any_name);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
