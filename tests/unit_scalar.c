/* The scalar operators and casts: each row on each type, interpreted and as the C text that the printer emits,
 * compiled with the flags that are promised to users by every compiler at hand, must give the same bits (NaN: any NaN
 * where arithmetic made it). The text that is compiled holds every helper and, where an operator may be printed
 * inline, its inline form too. What they mean is unit_meaning.c's. */
#include "loop.h"
#include "scalar.h"
#include "unit.h"

#include <float.h>
#include <unistd.h>

static const char template[] = "/tmp/burin-scalar-XXXXXX";
static char dir[sizeof template];

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* The last one is a table of letters (text.def): that of "a" to "c" is 32 below. The one before matches all that is empty
 * (scalar.def, match). */
#define Z16 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define Z64 Z16 Z16 Z16 Z16
#define LIST "", "a", "b\303\251", "ab", "-1.5e3", "0x1", " 18446744073709551616 ", "-9223372036854775809", "Infinity", \
    "1e-46", "340282356779733661637539395458142568448", "340282356779733661637539395458142568447.9", "\377\303", \
    "abcdefghij\342\202\254", Z64 Z64 Z64 Z64 "\1\0\1\0\377\377", "\1\0a\0\0c\0\0\1\340\377\377"
#define TEXT_OF(...) #__VA_ARGS__
#define TEXTS(...) TEXT_OF(__VA_ARGS__)
static const char *const strings[] = { LIST };
enum { STRINGS = COUNT(strings) };

static uint64_t bytes_of(const char *s)
{
    uint64_t h = 1;
    while (*s)
        h = h * 257 + (unsigned char)*s++;
    return h;
}

static Value of_float(float f) { Value v = { 0 }; v.f = f; return v; }
static Value of_double(double d) { Value v; v.d = d; return v; }

static const double reals[] = {
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3.0, -7.0, 1e-8, 88.7, -104.0, 127.5, 128.0, -128.0, -129.0,
    255.5, 256.0, 448.0, 464.0, 465.0, 57344.0, 61440.0, 65504.0, 65519.0, 65520.0, 8388607.5, -8388608.5, 16777217.0,
    2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0, 9223372036854775807.0,
    -9223372036854775808.0, 18446744073709551615.0, 1e30, -1e30, 1e-30, 6e-8, 2.9e-8, 1.1754943508222875e-38, 1e-45,
    3.4028234663852886e38, 1e39, 2.2250738585072014e-308, 4.9e-324, 1.7976931348623157e308, (double)INFINITY,
    -(double)INFINITY, (double)NAN, -(double)NAN
};
static const int64_t ints[] = {
    0, 1, -1, 2, -2, 3, 5, 7, -7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, -128, 255, 256, 32767, -32768, 65535,
    65536, INT32_MAX, INT32_MIN, (int64_t)UINT32_MAX, INT64_MAX, INT64_MIN
};

static Value fit(DType dt, uint64_t u)
{
    return expr_const(c, dt, (Value){ .u = u })->value;
}

static Value special(DType dt, int i)
{
    if (dt == DT_F64)
        return of_double(reals[i % COUNT(reals)]);
    if (dt == DT_F32)
        return i % 64 == 63 ? (Value){ .u = 0x7f812345 } : of_float((float)reals[i % COUNT(reals)]);
    if (dt == DT_STRING)
        return (Value){ .i = i & (STRINGS - 1) };
    if (dtype_is_float(dt))
        return fit(dt, (uint64_t)i * 257 + (uint64_t)(i >> 4));
    return fit(dt, (uint64_t)ints[i % COUNT(ints)]);
}

static int specials(DType dt)
{
    switch (dt) {
    case DT_BOOL:   return 2;
    case DT_STRING: return STRINGS;
    case DT_F32:    return 64;
    case DT_F64:    return COUNT(reals);
    default:        return dtype_is_float(dt) ? 256 : COUNT(ints);
    }
}

/* Any bits; half of the floats of moderate size. */
static Value any(DType dt)
{
    uint64_t u = next_random();
    double d = ((double)(u >> 11) / 9007199254740992.0 - 0.5) * (u & 1 ? 8.0 : 400.0);
    if (dt == DT_F64)
        return next_random() & 1 ? of_double(d) : (Value){ .u = u };
    if (dt == DT_F32)
        return next_random() & 1 ? of_float((float)d) : (Value){ .u = u >> 32 };
    if (dt == DT_STRING)
        return (Value){ .u = u & (STRINGS - 1) };
    return fit(dt, u >> (next_random() & 1 ? 0 : u & 63));
}

/* ---- the cases: operators, inline operators, casts --------------------------------------------------------------- */

typedef struct Case { bool is_cast, in_place, bits; ScalarOp op; DType arg, result; } Case;
static Case cases[4000];
static int ncases;

static void collect(void)
{
    ncases = 0;
    for (int t = 1; t < DT_COUNT; t++)
        for (int op = 0; op < OP_COUNT; op++) {
            DType r = op_result((ScalarOp)op, (DType)t);
            if (r == DT_NONE)
                continue;
            cases[ncases++] = (Case){ false, false, false, (ScalarOp)op, (DType)t, r };
            if (op_inline((ScalarOp)op, (DType)t))
                cases[ncases++] = (Case){ false, true, false, (ScalarOp)op, (DType)t, r };
        }
    for (int t = 1; t < DT_COUNT; t++)
        for (int f = 1; f < DT_COUNT; f++)
            if (cast_text(c, (DType)t, (DType)f) && t != f)
                cases[ncases++] = (Case){ true, true, false, OP_add, (DType)f, (DType)t };
    for (int t = 1; t < DT_COUNT; t++)
        for (int f = 1; f < DT_COUNT; f++)
            if (scalar_tag((DType)t) && scalar_tag((DType)f) && t != f && dtype_bits((DType)t) == dtype_bits((DType)f) &&
                t != DT_STRING && f != DT_STRING)
                cases[ncases++] = (Case){ true, true, true, OP_add, (DType)f, (DType)t };
    ck_assert_int_lt(ncases, COUNT(cases));
}

static char member(DType dt)
{
    return dt == DT_F32 ? 'f' : dt == DT_F64 ? 'd' : dt == DT_BOOL || dtype_is_signed(dt) ? 'i' : 'u';
}

static void print_param(FILE *f, void *what, int i)
{
    (void)what;
    fprintf(f, "x%d", i);
}

static void print_case(FILE *f, int n)
{
    const Case *k = &cases[n];
    int arity = k->is_cast ? 1 : op_arity(k->op);
    const bool writes = !k->is_cast && op_writes(k->op, k->arg);
    fprintf(f, "static void case_%d(const V *in, V *out)\n{\n", n);
    for (int i = 0; i < arity; i++)
        if (k->arg == DT_STRING)
            fprintf(f, "    const char *const x%d = strings[in[%d].i];\n", i, i);
        else
            fprintf(f, "    const %s x%d = (%s)in[%d].%c;\n", scalar_ctype(k->arg), i, scalar_ctype(k->arg), i,
                    member(k->arg));
    if (writes)
        fputs("    char y[12];\n    ", f);
    else
        fprintf(f, k->result == DT_STRING ? "    const char *const y = " : "    const %s y = ", scalar_ctype(k->result));
    if (k->in_place)
        scalar_print(f, k->bits ? bits_text(c, k->result, k->arg)
                     : k->is_cast ? cast_text(c, k->result, k->arg) : op_text(k->op, k->arg),
                     k->is_cast ? DT_NONE : k->arg, "t", print_param, NULL);
    else
        fprintf(f, "t_%s_%s(%s%.*s)", op_name(k->op), scalar_tag(k->arg), writes ? "y, 12, " : "", 4 * arity - 2,
                "x0, x1, x2");
    if (k->result == DT_STRING)
        fputs(";\n    out->u = bytes_of(y);\n}\n\n", f);
    else
        fprintf(f, ";\n    out->%c = y;\n}\n\n", member(k->result));
}

/* All helpers, one function a case, and a program that runs each case on as many inputs as its count says. */
static void print_program(FILE *f)
{
    fputs("#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
          "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n"
          "typedef union { int64_t i; uint64_t u; float f; double d; } V;\n"
          "static const char *const strings[] = { " TEXTS(LIST) " };\n\n"
          "static uint64_t bytes_of(const char *s)\n{\n    uint64_t h = 1;\n"
          "    while (*s)\n        h = h * 257 + (unsigned char)*s++;\n    return h;\n}\n\n", f);
    for (int h = 0; h < helper_count(); h++)
        if (helper_text(h)) {
            helper_print(f, h, "t", NULL);
            fputc('\n', f);
        }
    for (int i = 0; i < ncases; i++)
        print_case(f, i);
    fputs("static void (*const cases[])(const V *, V *) = {\n", f);
    for (int i = 0; i < ncases; i++)
        fprintf(f, "    case_%d,\n", i);
    fputs("};\n\nint main(void)\n{\n    V in[4];\n    while (fread(in, sizeof in, 1, stdin) == 1) {\n"
          "        V out;\n        out.u = 0;\n        cases[in[3].i](in, &out);\n"
          "        fwrite(&out, sizeof out, 1, stdout);\n    }\n    return 0;\n}\n", f);
}

/* ---- running them ------------------------------------------------------------------------------------------------ */

typedef struct Input { Value in[4]; } Input;         /* in[3]: the case */
static Input *inputs;
static size_t ninputs;

/* Operators on strings whose second operand is a table: those are the last two of the strings. */
static bool takes_table(const Case *k)
{
    return !k->is_cast && k->arg == DT_STRING && (k->op == OP_recase || k->op == OP_match);
}

static void add_input(int n, Value a, Value b, Value d)
{
    if (takes_table(&cases[n]))
        b.i = cases[n].op == OP_match ? STRINGS - 2 : STRINGS - 1;
    if ((ninputs & (ninputs - 1)) == 0)
        inputs = realloc(inputs, sizeof *inputs * (ninputs ? 2 * ninputs : 1));
    inputs[ninputs++] = (Input){ { a, b, d, { .i = n } } };
}

static void make_inputs(void)
{
    ninputs = 0;
    for (int n = 0; n < ncases; n++) {
        DType t = cases[n].arg;
        int arity = cases[n].is_cast ? 1 : op_arity(cases[n].op), many = specials(t);
        for (int i = 0; i < many; i++)
            for (int j = 0; j < (arity > 1 ? many : 1); j++)
                if (arity < 3 || (i * 7 + j) % 8 == 0)
                    add_input(n, special(t, i), special(t, j), special(t, i ^ j));
        for (int i = 0; i < 300; i++)
            add_input(n, any(t), any(t), any(t));
    }
}

static FILE *open_in(const char *name, const char *mode)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, mode);
    ck_assert_ptr_nonnull(f);
    return f;
}

static bool is_nan(DType dt, Value v)
{
    return dt == DT_F32 ? v.f != v.f : dt == DT_F64 && v.d != v.d;
}

static Value expected(const Case *k, const Input *in, bool fused)
{
    Value args[3] = { in->in[0], in->in[1], in->in[2] };
    for (int i = 0; k->arg == DT_STRING && i < 3; i++)
        args[i].s = strings[args[i].i];
    if (!k->is_cast && op_writes(k->op, k->arg)) {
        char text[12];
        scalar_write_fn(k->op, k->arg)(text, sizeof text, args[0], args[1]);
        return (Value){ .u = bytes_of(text) };
    }
    if (k->result == DT_STRING)
        return (Value){ .u = bytes_of(scalar_eval(k->op, k->arg, args, fused).s) };
    return k->bits ? scalar_bits(k->result, k->arg, args[0])
         : k->is_cast ? scalar_cast(k->result, k->arg, args[0]) : scalar_eval(k->op, k->arg, args, fused);
}

static void compare(const char *how, bool fused)
{
    FILE *f = open_in("out", "r");
    int wrong = 0;
    for (size_t i = 0; i < ninputs; i++) {
        const Case *k = &cases[inputs[i].in[3].i];
        Value got, want = expected(k, &inputs[i], fused);
        if (fread(&got, sizeof got, 1, f) != 1)
            ck_abort_msg("%s: the program ended early", how);
        if (got.u == want.u || (is_nan(k->result, got) && is_nan(k->result, want)) || ++wrong > 20)
            continue;
        fprintf(stderr, "%s: %s from %s to %s of %llx %llx %llx is %llx, interpreted %llx\n", how,
                k->bits ? "bits" : k->is_cast ? "cast" : op_name(k->op), dtype_name(k->arg), dtype_name(k->result),
                (unsigned long long)inputs[i].in[0].u, (unsigned long long)inputs[i].in[1].u,
                (unsigned long long)inputs[i].in[2].u, (unsigned long long)got.u, (unsigned long long)want.u);
    }
    fclose(f);
    ck_assert_int_eq(wrong, 0);
}

/* One compiler; false when there is none of that name. */
static bool run_compiler(const char *cc, const char *options, bool fused)
{
    static const char flags[] = "-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror";
    char command[600];
    snprintf(command, sizeof command, "command -v %s >/dev/null", cc);
    if (system(command))
        return false;
    snprintf(command, sizeof command, "cd %s && %s %s %s t.c -o t -lm && ./t <in >out", dir, cc, flags, options);
    ck_assert_msg(system(command) == 0, "%s", command);
    compare(command, fused);
    return true;
}

static void same_bits(const char *cc, const char *options, bool fused)
{
    memcpy(dir, template, sizeof dir);   /* anew: without forks, tests share it */
    ck_assert_ptr_nonnull(mkdtemp(dir));
    collect();
    FILE *f = open_in("t.c", "w");
    print_program(f);
    ck_assert_int_eq(fclose(f), 0);
    make_inputs();
    f = open_in("in", "w");
    ck_assert_uint_eq(fwrite(inputs, sizeof *inputs, ninputs, f), ninputs);
    ck_assert_int_eq(fclose(f), 0);
    run_compiler(cc, options, fused);
    free(inputs);
    inputs = NULL;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(the_emitted_text_gives_the_interpreters_bits)
{
    static const struct { const char *cc, *options; bool fused; } ways[] = {
        { "clang", "-O3", false },
#ifdef __x86_64__
        { "gcc", "-O2 -mfma", true }, { "clang", "-O2 -mfma", true },
#endif
        { "gcc", "-O3", false }, { "gcc", "-O0", false }, { "clang", "-O0", false },
    };
    if (_i >= rounds(2, COUNT(ways)))
        return;
#ifdef __x86_64__
    if (ways[_i].fused && !__builtin_cpu_supports("fma"))
        return;
#endif
    same_bits(ways[_i].cc, ways[_i].options, ways[_i].fused);
}
END_TEST

/* An assertion for long loops: ck_assert makes a system call each time. */
#define HEX(a) (unsigned long long)(a)
#define SAME(a, b) do { if ((a) != (b)) ck_abort_msg("%s is %llx, not %llx", #a, HEX(a), HEX(b)); } while (0)

/* ---- numbers as text --------------------------------------------------------------------------------------------- */

static const char *written(ScalarOp op, DType arg, Value v)
{
    static char text[64];
    scalar_write_fn(op, arg)(text, sizeof text, v, v);
    return text;
}

/* Digits from the first to the last that is not 0. */
static int significant(const char *s)
{
    int all = 0, n = 0;
    for (; *s && *s != 'e'; s++) {
        if (*s < '0' || *s > '9')
            continue;
        all += all > 0 || *s != '0';
        n = *s != '0' ? all : n;
    }
    return n;
}

START_TEST(floats_and_their_texts)
{
    for (int i = 0; i < 4000; i++) {
        const Value v = i < 2000 ? special(DT_F64, i) : any(DT_F64), f = i < 2000 ? special(DT_F32, i) : any(DT_F32);
        char libc[64];
        Value back = { .s = written(OP_text, DT_F64, v) };
        if (v.d == v.d) {
            SAME(scalar_eval(OP_to_f64, DT_STRING, &back, false).u, v.u);
            int digits = 1;
            while (snprintf(libc, sizeof libc, "%.*e", digits - 1, v.d), strtod(libc, NULL) != v.d)
                digits++;
            if (v.d != 0 && isfinite(v.d))
                ck_assert_int_le(significant(back.s), digits);
        }
        back.s = written(OP_text, DT_F32, f);
        if (f.f == f.f)
            SAME(scalar_eval(OP_to_f32, DT_STRING, &back, false).u, f.u);
        snprintf(libc, sizeof libc, "%.*e", (int)(next_random() % 25), v.d);
        back.s = libc;
        if (v.d == v.d)
            SAME(scalar_eval(OP_to_f64, DT_STRING, &back, false).u, of_double(strtod(libc, NULL)).u);
        if (v.d == v.d)
            SAME(scalar_eval(OP_to_f32, DT_STRING, &back, false).u, of_float(strtof(libc, NULL)).u);
    }
}
END_TEST

/* Numbers of all sizes, and those around each number that the small type has. */
START_TEST(rounding_is_that_of_the_casts)
{
    const DType kinds[] = { DT_F16, DT_BF16 };
    const ScalarOp ops[] = { OP_round_f16, OP_round_bf16 };
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < 1 << 20; i++) {
            const uint32_t low[] = { 0, 0x1000, 0x8000, 0xF000 };
            const uint32_t u = (uint32_t)(i / 16 << 16) + low[i / 4 % 4] + (uint32_t)(i % 4) - 1;
            const Value v = { .u = u };
            const Value there = scalar_cast(kinds[k], DT_F32, v), back = scalar_cast(DT_F32, kinds[k], there);
            const Value once = scalar_eval(ops[k], DT_F32, &v, false);
            if (v.f == v.f) SAME(once.u, back.u);
            else ck_assert(once.f != once.f);
        }
}
END_TEST

/* The greater of two float16 has the greater rank, NaN the greatest; a rank leads back to its float16. */
START_TEST(ranks_ascend_as_the_halves_do)
{
    float last = -(float)INFINITY;
    for (int64_t i = 0; i < 1 << 16; i++) {
        const Value rank = { .u = (uint64_t)i }, half = scalar_eval(OP_of_rank_f16, DT_U16, &rank, false);
        SAME(scalar_eval(OP_rank_f16, DT_U16, &half, false).u, (uint64_t)i);
        const float here = scalar_cast(DT_F32, DT_F16, half).f;
        if (!(i ? here >= last || here != here : here == last))
            ck_abort_msg("%a has the rank %lld, behind %a", (double)here, (long long)i, (double)last);
        last = here;
    }
}
END_TEST

int main(void)
{
    TCase *t = case_new("scalar", context_new, context_free);
    tcase_add_loop_test(t, the_emitted_text_gives_the_interpreters_bits, 0, 6);
    tcase_add_test(t, floats_and_their_texts);
    tcase_add_test(t, rounding_is_that_of_the_casts);
    tcase_add_test(t, ranks_ascend_as_the_halves_do);
    return case_run("scalar", t);
}
