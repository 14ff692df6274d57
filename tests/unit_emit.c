/* Unit tests of codegen: small programs as text, and what they need. */
#include "emit.h"
#include "unit.h"

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

/* Whichever of the variables was asked for first. */
START_TEST(equal_steps_stand_in_one_order)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "y", DT_F32, 1, six)};
    const Idx *j = idx_var(c, 1, 2), *i = idx_var(c, 0, 3), *at = idx_add(c, j, i);
    Kernel *k = kernel_compute(c, "y", (Loc){0}, bufs[1], expr_load(c, bufs[0], &at));
    k->nest = stmt_for(c, 0, 3, stmt_for(c, 1, 2, stmt_store(c, bufs[1], &at, expr_load(c, bufs[0], &at))));
    const Kernel *one = k;
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &one, 2, bufs), plain));
    HAS(source, "out_y[i + j] = in_x[i + j]");
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
    const Plan plan = {.offset = offset, .bytes = 32, .align = 4, .lower_bound = 24};
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
    forget();
}
END_TEST

START_TEST(inputs_and_outputs_lie_there_too)
{
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_I8, 1, six), buf_new(c, BUF_OUT, "y", DT_I8, 1, six),
                   buf_new(c, BUF_TEMP, "t", DT_F32, 1, six)};
    const Kernel *k[] = {looped("a", bufs[2], expr_cast(c, DT_F32, load(bufs[0]))),
                         looped("b", bufs[1], expr_cast(c, DT_I8, load(bufs[2])))};
    Prog *p = prog_of(bufs[0], bufs[1], 2, k, 3, bufs);
    const int64_t offset[] = {1, 24, 0};
    const Plan plan = {.offset = offset, .bytes = 32, .align = 4, .lower_bound = 32, .io = true};
    p->plan = &plan;
    EmitOptions o = plain;
    o.io_arena = true;
    ck_assert(emitted(p, o));
    HAS(header, "extern union m_arena {\n    unsigned char bytes[32];\n    float f32[8];\n    int8_t i8[32];\n} ");
    HAS(header, "} m_arena[1];\n");
    HAS(header, "#include <stdint.h>\n");
    HAS(header, "void m_run(void);\n");
    HAS(header, "#define M_IN0_OFFSET 1\n");
    HAS(header, "#define M_OUT0_OFFSET 24\n");
    HAS(source, "\nM_ARENA_ATTR union m_arena m_arena[1];\n");
    HAS(source, "m_arena->f32[i] = (float)m_arena->i8[1 + i];\n");
    HAS(source, "m_arena->i8[24 + i] = ");
    o.arena_caller = true;
    ck_assert(emitted(p, o));
    HAS(header, "void m_run(void *arena);\n");
    HAS(source, "union m_arena {\n    unsigned char bytes[32];\n");
    HAS(source, "    arena->f32[i] = (float)arena->i8[1 + i];\n");
    ck_assert_int_eq(prog_sizes(c, p, &o).inputs, 6);
    ck_assert_int_eq(ram_of(&(Sizes){.arena = 32, .inputs = 6, .outputs = 6, .stack = 100, .io_in_arena = true}), 132);
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
    HAS(said, "what may take less: --io=arena");
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

static Prog *relu_of(DType dt, const char *in, const char *out)
{
    Buf **bufs = NEW_N(c, Buf *, 2);
    const Kernel **k = NEW_N(c, const Kernel *, 1);
    bufs[0] = buf_new(c, BUF_IN, in, dt, 1, six);
    bufs[1] = buf_new(c, BUF_OUT, out, dt, 1, six);
    k[0] = looped("Relu", bufs[1], expr_op1(c, OP_relu, load(bufs[0])));
    return prog_of(bufs[0], bufs[1], 1, k, 2, bufs);
}

START_TEST(headers_tell_prefixes_apart)
{
    EmitOptions o = plain;
    o.prefix = "Net";
    ck_assert(emitted(relu_of(DT_F32, "x", "y"), o));
    HAS(header, "#ifndef BURIN_Net_H\n#define BURIN_Net_H\n");
    HAS(header, " * No two of these buffers may overlap. Inputs are never written.\n */\n");
    ck_assert_ptr_null(strstr(header, "WEIGHTS"));
    o.arena_caller = o.weights_bin = true;
    ck_assert(emitted(relu_of(DT_F32, "x", "y"), o));
    HAS(header, " * weights  the contents of OUT.bin: NET_WEIGHTS_BYTES bytes, aligned to NET_WEIGHTS_ALIGN\n");
    HAS(header, " * arena    the workspace: NET_ARENA_BYTES bytes, aligned to NET_ARENA_ALIGN\n");
    HAS(header, "Inputs and weights are never written.\n");
    forget();
}
END_TEST

static Buf *weights_of(const char *name, int64_t n)
{
    Buf *b = buf_new(c, BUF_CONST, name, DT_F32, 1, &n);
    b->data = tensor_new(c, type_make(c, DT_F32, 1, &n));
    return b;
}

/* So that registers are not read across the end of one; small ones lie close. */
START_TEST(large_weights_begin_where_lines_of_the_cache_do)
{
    EmitOptions o = plain;
    o.weights_bin = true;
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "y", DT_F32, 1, six),
                   weights_of("a", 7), weights_of("b", 7), weights_of("d", 300)};
    const Expr *sum = expr_op3(c, OP_mad, load(bufs[0]), load(bufs[2]), load(bufs[3]));
    const Kernel *k = looped("y", bufs[1], sum);
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 4, bufs), o));
    HAS(header, "_WEIGHTS_BYTES 56\n#define M_WEIGHTS_ALIGN 4\n");
    k = looped("y", bufs[1], expr_op2(c, OP_add, sum, load(bufs[4])));
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 5, bufs), o));
    HAS(header, "_WEIGHTS_BYTES 1264\n#define M_WEIGHTS_ALIGN 64\n");
    HAS(source, "(const uint8_t *)weights + 28)");
    HAS(source, "(const uint8_t *)weights + 64)");
    forget();
}
END_TEST

/* A comparison or a copy rounds nothing. */
START_TEST(rounding_is_spoken_of_where_there_is_some)
{
    ck_assert(emitted(relu_of(DT_F32, "x", "y"), plain));
    ck_assert_ptr_null(strstr(source, "FP_CONTRACT"));
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "y", DT_F32, 1, six)};
    const Expr *x = load(bufs[0]);
    const Kernel *k = looped("y", bufs[1], expr_op2(c, OP_mul, x, x));
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 2, bufs), plain));
    HAS(source, "/* Products and sums are rounded one by one. gcc must be told so: -std=c99 or -ffp-contract=off. */\n"
                "#if defined(__clang__)");
    HAS(source, "#pragma GCC optimize(\"no-trapping-math\")\n");
    k = looped("y", bufs[1], expr_op3(c, OP_mad, x, x, x));
    ck_assert(emitted(prog_of(bufs[0], bufs[1], 1, &k, 2, bufs), plain));
    HAS(source, "one by one, but for m_mad_f32. gcc");
    forget();
}
END_TEST

START_TEST(long_names_are_cut)
{
    char *in = NEW_N(c, char, 4001), *out = NEW_N(c, char, 4002);
    memset(in, 'a', 4000);
    memset(out, '"', 4001);
    ck_assert(emitted(relu_of(DT_F32, in, out), plain));
    const char *name = strstr(header, "M_IN0_NAME \"");
    ck_assert_uint_eq(strcspn(name, "\n"), strlen("M_IN0_NAME \"") + 4001);
    name = strstr(header, "M_OUT0_NAME \"");
    ck_assert(!strncmp(name + strcspn(name, "\n") - 4, "...\"", 4));
    ck_assert_uint_le(longest_line(header), STRING_MAX);
    HAS(header, "aaa... float[6]\n");
    ck_assert_uint_le(longest_line(source), LINE);
    forget();
}
END_TEST

START_TEST(long_kernels_keep_whole_steps)
{
    Prog *p = relu_of(DT_F32, "x", "y");
    Kernel *k = kernel_compute(c, NULL, (Loc){0}, p->outs[0], p->kernels[0]->value);
    const char *what = "Cast a";
    for (int i = 0; i < 40; i++) what = internf(c, "%s + Mul v%d", what, i);
    k->what = internf(c, "%s + Round y", what);
    k->nest = p->kernels[0]->nest;
    p->kernels[0] = k;
    ck_assert(emitted(p, plain));
    HAS(source, "/* Cast a + Mul v0 + ");
    HAS(source, " + ... + Mul");
    HAS(source, " + Round y: y float[6]");
    forget();
}
END_TEST

START_TEST(sizes_stop_at_the_greatest)
{
    const Sizes s = {.arena = INT64_MAX - 1, .inputs = 5, .outputs = INT64_MAX, .stack = 7};
    ck_assert_int_eq(ram_of(&s), INT64_MAX);
    ck_assert_int_eq(bytes_sum(INT64_MAX, INT64_MAX), INT64_MAX);
    ck_assert_int_eq(bytes_sum(2, 3), 5);
    const int64_t most[] = {(int64_t)1 << 40};
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, most), buf_new(c, BUF_OUT, "y", DT_F32, 1, most)};
    Prog *p = prog_of(bufs[0], bufs[1], 0, NULL, 2, bufs);
    char *json = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&json, &n);
    report_json(f, c, p, &plain);
    fclose(f);
    HAS(json, "\"input_bytes\": 4398046511104,");
    free(json);
}
END_TEST

START_TEST(simple_kernels_take_little_stack)
{
    Prog *p = relu_of(DT_F32, "x", "y");
    ck_assert_int_lt(prog_sizes(c, p, &plain).stack, 200);
}
END_TEST

/* What 40 bytes as doubles took with gcc -O3 in vectors of 16 bytes. */
START_TEST(mixed_kernels_take_much)
{
    Buf *bufs[41];
    const Expr *v = expr_float(c, DT_F64, 0);
    bufs[40] = buf_new(c, BUF_OUT, "y", DT_U8, 1, six);
    for (int i = 0; i < 40; i++) {
        bufs[i] = buf_new(c, BUF_IN, internf(c, "x%d", i), DT_U8, 1, six);
        bufs[i]->index = i;
        v = expr_op2(c, OP_add, v, expr_cast(c, DT_F64, load(bufs[i])));
    }
    const Kernel *k = looped("y", bufs[40], expr_cast(c, DT_U8, v));
    Prog *p = prog_of(bufs[0], bufs[40], 1, &k, 41, bufs);
    EmitOptions o = plain;
    o.vector = 16;
    ck_assert_int_ge(prog_sizes(c, p, &o).stack, 4136);
}
END_TEST

/* What burin check says of y = planned, where the graph has y = wanted. */
static const char *checked(float planned, float wanted, bool rounds)
{
    static const float in[] = {1, 2, 3, 4, 5, 6};
    context_free();
    context_new();                   /* what was said once is not said again */
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, six), buf_new(c, BUF_OUT, "y", DT_F32, 1, six)};
    const Kernel *p = looped("y", bufs[1], expr_op2(c, OP_mul, load(bufs[0]), expr_float(c, DT_F32, planned)));
    const Kernel *g = looped("y", bufs[1], expr_op2(c, OP_mul, load(bufs[0]), expr_float(c, DT_F32, wanted)));
    const Tensor *x = tensor_of(c, type_make(c, DT_F32, 1, six), in, sizeof in);
    const CheckOptions k = {.rtol = -1, .atol = -1, .rounds = rounds,
                            .graph = prog_of(bufs[0], bufs[1], 1, &g, 2, bufs)};
    const CheckSet set = {NULL, &x, NULL};
    EmitOptions o = plain;
    o.header_name = "model.h";
    free(source);
    size_t n;
    FILE *f = open_memstream(&source, &n);
    check_prog(f, c, prog_of(bufs[0], bufs[1], 1, &p, 2, bufs), &o, &k, 1, &set);
    fclose(f);
    return said();
}

START_TEST(what_passes_change_is_found)
{
    unsetenv("CC");
    unsetenv("CFLAGS");
    ck_assert_str_eq(checked(3, 3, false), "");
    HAS(source, "pass, every bit the same");
    const char *text = checked(3, 5, false);
    HAS(text, "the passes change what the graph computes");
    HAS(text, "the compiled program differs in 1 of 1 output");
    HAS(source, "FAIL, 6 of 6 differ");
    text = checked(3, nextafterf(3, 4), false);
    HAS(text, "the passes change");
    text = checked(3, 5, true);
    HAS(text, "the passes change");
    ck_assert_str_eq(checked(3, nextafterf(3, 4), true), "");
    HAS(source, "pass, every bit as the interpreter has it behind the passes; against the graph before them greatest");
    forget();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_program_of_one_loop, integers_are_plain_where_they_can_be, equal_steps_stand_in_one_order,
        temporaries_lie_in_the_arena, inputs_and_outputs_lie_there_too, budgets_are_kept,
        deep_expressions_are_split, packed_elements_go_through_helpers, long_strings_are_arrays, json_takes_any_name,
        headers_tell_prefixes_apart, large_weights_begin_where_lines_of_the_cache_do,
        rounding_is_spoken_of_where_there_is_some, long_names_are_cut,
        long_kernels_keep_whole_steps, sizes_stop_at_the_greatest, simple_kernels_take_little_stack,
        mixed_kernels_take_much, what_passes_change_is_found,
    };
    return RUN("emit", context_new, context_free, tests);
}
