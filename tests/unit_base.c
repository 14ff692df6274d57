/* Unit tests of ir/base. Values of narrow floats were computed by ml_dtypes 0.6, numpy and the reference of onnx 1.23. */
#include "base.h"

#include <check.h>
#include <unistd.h>

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

/* What diag_flush prints, NUL-ended; freed by the caller. */
static char *flushed(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    diag_flush(c, f);
    fclose(f);
    return text;
}

#define PRINTS(expected) \
    do { \
        char *printed = flushed(); \
        ck_assert_str_eq(printed, expected); \
        free(printed); \
    } while (0)

/* ---- arena ------------------------------------------------------------------------------------------------------- */

START_TEST(allocations_are_zeroed_aligned_and_apart)
{
    char *last = NULL;
    for (size_t n = 0; n < 600; n++) {
        char *p = mem_alloc(c, n);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        ck_assert_ptr_ne(p, last);
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(p[i], 0);
        memset(p, 0xAA, n);
        last = p;
    }
    ck_assert_uint_ge(c->bytes, 600 * 599 / 2);
    ck_assert_uint_ge(c->peak, c->bytes);
}
END_TEST

START_TEST(released_scratch_is_reused_and_zero_again)
{
    char *outer = scratch_alloc(c, 40);
    memset(outer, 1, 40);
    size_t before = 0;
    for (int round = 0; round < 50; round++) {
        Mark m = scratch_mark(c);
        for (size_t n = 1; n < 200000; n = n * 3 + 1) {
            unsigned char *p = scratch_alloc(c, n);
            ck_assert(p[0] == 0 && p[n / 2] == 0 && p[n - 1] == 0);
            memset(p, 0xAA, n);
        }
        scratch_release(c, m);
        if (round == 0)
            before = c->bytes;
        ck_assert_uint_eq(c->bytes, before);
    }
    ck_assert(outer[0] == 1 && outer[39] == 1);
}
END_TEST

START_TEST(a_mark_keeps_the_large_block_before_it_and_frees_the_one_after)
{
    char *kept = scratch_alloc(c, 1 << 20);
    memset(kept, 7, 1 << 20);
    size_t before = c->bytes;
    Mark m = scratch_mark(c);
    memset(scratch_alloc(c, 1 << 20), 8, 1 << 20);
    ck_assert_uint_gt(c->bytes, before);
    scratch_release(c, m);
    ck_assert_uint_lt(c->bytes, before + (1 << 20));
    ck_assert(kept[0] == 7 && kept[(1 << 20) - 1] == 7);
}
END_TEST

START_TEST(vectors_grow_and_keep_their_elements)
{
    VEC(int) v = {0};
    for (int i = 0; i < 10000; i++)
        VEC_PUSH(c, v, i * 3);
    ck_assert_int_eq(v.n, 10000);
    for (int i = 0; i < v.n; i++)
        ck_assert_int_eq(v.at[i], i * 3);
}
END_TEST

START_TEST(a_copy_of_nothing_takes_no_pointer)
{
    ck_assert_ptr_nonnull(mem_copy(c, NULL, 0));
    ck_assert_str_eq(mem_copy(c, "abc", 4), "abc");
}
END_TEST

static void fail_at_depth(Ctx *ctx, void *arg)
{
    int *depth = arg;
    if (*depth == 0)
        fatal(ctx, (Loc){0}, "a limit");
    --*depth;
    ck_assert(!ctx_run(ctx, fail_at_depth, arg));
    ++*depth;
    fatal(ctx, (Loc){0}, "outer %d", *depth);
}

static void do_nothing(Ctx *ctx, void *arg)
{
    (void)ctx;
    (void)arg;
}

START_TEST(runs_nest_and_fatal_returns_to_the_innermost)
{
    int depth = 2;
    ck_assert(ctx_run(c, do_nothing, NULL));
    ck_assert(!ctx_run(c, fail_at_depth, &depth));
    ck_assert_ptr_null(c->top);
    ck_assert_int_eq(c->errors, 3);
    PRINTS("burin: error: a limit\nburin: error: outer 1\nburin: error: outer 2\n");
}
END_TEST

static void ask_for_too_much(Ctx *ctx, void *arg)
{
    NEW_N(ctx, double, *(size_t *)arg);
}

START_TEST(too_large_a_request_is_fatal_also_when_its_size_overflows)
{
    size_t sizes[] = {(size_t)1 << 61, SIZE_MAX / 8, SIZE_MAX, (size_t)1 << 59};
    for (int i = 0; i < 4; i++) {
        ck_assert(!ctx_run(c, ask_for_too_much, &sizes[i]));
        PRINTS("burin: error: out of memory\n");
    }
    ck_assert_uint_eq(mem_times(3, SIZE_MAX / 3), SIZE_MAX / 3 * 3);
    ck_assert_uint_eq(mem_times(0, 5), 0);
}
END_TEST

static int order_seen[3], seen;

static void see(void *what)
{
    order_seen[seen++] = *(int *)what;
}

START_TEST(deferred_releases_run_last_first)
{
    static int which[3] = {1, 2, 3};
    Ctx *own = ctx_new();
    for (int i = 0; i < 3; i++)
        ctx_defer(own, see, &which[i]);
    ctx_defer(own, free, malloc(1));
    ctx_free(own);
    ck_assert(seen == 3 && order_seen[0] == 3 && order_seen[1] == 2 && order_seen[2] == 1);
    ctx_free(NULL);
}
END_TEST

#ifdef BURIN_TEST
static void work(Ctx *ctx, void *arg)
{
    (void)arg;
    for (int i = 0; i < 200; i++)
        error(ctx, (Loc){0}, "%s %d", internf(ctx, "name %d %500s", i, ""), i);
    ctx_defer(ctx, free, malloc(1));
    scratch_alloc(ctx, 1000);
}

START_TEST(any_allocation_may_fail_without_harm)
{
    bool done = false;
    for (long n = 1; !done; n += 7) {
        Ctx *own = ctx_new();
        own->fail_alloc = n;
        done = ctx_run(own, work, NULL);
        ck_assert_int_eq(own->no_memory, !done);
        FILE *f = fopen("/dev/null", "w");
        diag_flush(own, f);
        fclose(f);
        ctx_free(own);
    }
    c->fail_alloc = -1;
    ck_assert(!ctx_run(c, work, NULL));
    PRINTS("burin: error: out of memory\n");
}
END_TEST

START_TEST(test_builds_poison_what_is_released)
{
    Mark m = scratch_mark(c);
    scratch_alloc(c, 16);
    Mark inner = scratch_mark(c);
    unsigned char *p = scratch_alloc(c, 16);
    scratch_release(c, inner);
    ck_assert_int_eq(p[0], 0xDB);
    scratch_release(c, m);
}
END_TEST
#endif

/* ---- strings, files ---------------------------------------------------------------------------------------------- */

START_TEST(equal_strings_are_one_pointer)
{
    enum { N = 5000 };
    const char *first[N];
    for (int i = 0; i < N; i++)
        first[i] = internf(c, "s%d", i);
    for (int i = 0; i < N; i++) {
        char text[20];
        snprintf(text, sizeof text, "s%d", i);
        ck_assert_ptr_eq(intern(c, text), first[i]);
        ck_assert_str_eq(first[i], text);
    }
    ck_assert_ptr_eq(intern(c, ""), intern_n(c, NULL, 0));
    ck_assert_ptr_eq(intern_n(c, "abcd", 3), intern(c, "abc"));
    ck_assert_ptr_ne(intern_n(c, "a\0b", 3), intern(c, "a"));
    ck_assert_uint_eq(strlen(internf(c, "%5000d", 1)), 5000);
}
END_TEST

START_TEST(the_nearest_word_is_found_by_edits)
{
    static const char *const ops[] = {"Selu", "Relu", "Reshape", "Conv", "MatMul", "Transpose"};
    ck_assert_str_eq(nearest("relu", ops, 6), "Relu");
    ck_assert_str_eq(nearest("Rehsape", ops, 6), "Reshape");
    ck_assert_str_eq(nearest("Convv", ops, 6), "Conv");
    ck_assert_str_eq(nearest("Matmul", ops, 6), "MatMul");
    ck_assert_str_eq(nearest("Transpos", ops, 6), "Transpose");
    ck_assert_ptr_null(nearest("Softmax", ops, 6));
    ck_assert_ptr_null(nearest("", ops, 6));
    ck_assert_ptr_null(nearest("x", (const char *const[]){"y"}, 1));
    ck_assert_ptr_null(nearest(internf(c, "%1000d", 1), ops, 6));
}
END_TEST

START_TEST(escaped_text_cannot_leave_a_comment)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    print_escaped(f, "a/b*/c/*d?\?/e\\\n\x7F\xC3\xA9 ok ?\?\?");
    fclose(f);
    ck_assert_str_eq(text, "a/b*\\x2Fc/\\x2Ad?\\x3F/e\\x5C\\x0A\\x7F\\xC3\\xA9 ok ?\\x3F?");
    free(text);
}
END_TEST

START_TEST(files_are_mapped_and_faults_set_errno)
{
    char path[] = "/tmp/unit_baseXXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, "hello\0x", 7), 7);
    File *f = file_map(c, path);
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->size, 7);
    ck_assert_mem_eq(f->data, "hello\0x", 7);
    ck_assert_str_eq(f->path, path);
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    f = file_map(c, path);
    ck_assert(f && f->size == 0 && f->data);
    close(fd);
    unlink(path);
    ck_assert_ptr_null(file_map(c, path));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_ptr_null(file_map(c, "/tmp"));
    ck_assert_int_eq(errno, EISDIR);
}
END_TEST

START_TEST(a_pipe_is_read_whole)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    File *f = file_map(c, internf(c, "/dev/fd/%d", ends[0]));
    ck_assert(f && f->size == 5 && !memcmp(f->data, "piped", 5));
    close(ends[0]);
}
END_TEST

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

static const char program[] = "first line\n\tsecond\tline\r\nthird \xC3\xA9\x01 line\n";
static const Source text_source = {"m.txt", program, sizeof program - 1};

static Loc at(uint32_t line, uint32_t col)
{
    return (Loc){&text_source, line, col, NULL};
}

START_TEST(errors_come_in_order_of_position_with_line_and_caret)
{
    error(c, at(3, 12), "late");
    warning(c, at(2, 9), "middle %d", 5);
    error(c, at(1, 1), "early");
    note(c, at(2, 2), "of early");
    error(c, (Loc){&text_source, 2, 0, NULL}, "a line alone");
    error(c, at(9, 1), "no such line");
    ck_assert_int_eq(c->errors, 4);
    ck_assert_int_eq(c->warnings, 1);
    PRINTS("m.txt:1:1: error: early\nfirst line\n^\n"
           "m.txt:2:2: note: of early\n\tsecond\tline\n\t^\n"
           "m.txt:2: error: a line alone\n\tsecond\tline\n"
           "m.txt:2:9: warning: middle 5\n\tsecond\tline\n\t      \t^\n"
           "m.txt:3:12: error: late\nthird \xC3\xA9? line\n          ^\n"
           "m.txt:9:1: error: no such line\n");
    PRINTS("");
}
END_TEST

START_TEST(binary_input_names_the_node_and_no_source_is_burin)
{
    static const Source binary = {"m.onnx", NULL, 0};
    Loc loc = {&binary, 0, 0, "node 'a' (Conv)"};
    error(c, loc, "wrong");
    error(c, (Loc){0}, "lost");
    error(c, loc, "wrong");
    PRINTS("m.onnx: error: node 'a' (Conv): wrong\nburin: error: lost\n");
    ck_assert_int_eq(c->errors, 2);
}
END_TEST

START_TEST(equal_diagnostics_are_printed_once_and_keep_their_notes)
{
    note(c, at(1, 3), "alone");
    note(c, at(1, 3), "alone");
    error(c, at(1, 1), "twice");
    error(c, at(1, 2), "other");
    note(c, at(2, 2), "here");
    error(c, at(1, 1), "twice");
    note(c, at(2, 2), "here");
    note(c, at(2, 2), "here");
    PRINTS("m.txt:1:1: error: twice\nfirst line\n^\nm.txt:2:2: note: here\n\tsecond\tline\n\t^\n"
           "m.txt:1:2: error: other\nfirst line\n ^\nm.txt:2:2: note: here\n\tsecond\tline\n\t^\n"
           "m.txt:1:3: note: alone\nfirst line\n  ^\n");
}
END_TEST

START_TEST(at_most_twenty_errors_are_printed_and_the_fatal_one)
{
    for (uint32_t i = 0; i < 30; i++)
        error(c, at(100 + i, 1), "fault %u", (unsigned)i);
    note(c, at(1, 1), "of a hidden one");
    error(c, (Loc){0}, "also hidden");
    ck_assert_int_eq(c->errors, 31);
    char *text = flushed();
    ck_assert_ptr_nonnull(strstr(text, "fault 19\n"));
    ck_assert_ptr_null(strstr(text, "fault 20\n"));
    ck_assert_ptr_null(strstr(text, "hidden"));
    const char *end = "m.txt: note: 11 more errors\n";
    ck_assert_str_eq(text + strlen(text) - strlen(end), end);
    free(text);
}
END_TEST

START_TEST(long_lines_are_cut_around_the_caret)
{
    char line[1001];
    for (int i = 0; i < 1000; i++)
        line[i] = (char)('a' + i % 26);
    line[1000] = 0;
    Source s = {"long", line, 1000};
    char expected[600];
    error(c, (Loc){&s, 1, 501, NULL}, "mid");
    snprintf(expected, sizeof expected, "long:1:501: error: mid\n...%.100s...\n%*s^\n", line + 450, 53, "");
    PRINTS(expected);
    error(c, (Loc){&s, 1, 1001, NULL}, "end");
    snprintf(expected, sizeof expected, "long:1:1001: error: end\n...%.100s\n%*s^\n", line + 900, 103, "");
    PRINTS(expected);
    error(c, (Loc){&s, 1, 1, NULL}, "start");
    snprintf(expected, sizeof expected, "long:1:1: error: start\n%.100s...\n^\n", line);
    PRINTS(expected);
}
END_TEST

START_TEST(hostile_names_are_escaped_and_cut)
{
    error(c, (Loc){0}, "a\n\x1B[2J\xE2\x80\xAE\xC3\xA9\xFF");
    PRINTS("burin: error: a\\x0A\\x1B[2J\\xE2\\x80\\xAE\xC3\xA9\\xFF\n");
    error(c, (Loc){0}, "%s", internf(c, "%100000d", 1));
    char *text = flushed();
    ck_assert_uint_lt(strlen(text), 2100);
    free(text);
}
END_TEST

START_TEST(a_hundred_thousand_diagnostics_in_a_big_file_take_linear_time)
{
    enum { N = 100000 };
    size_t size = (size_t)N * 8;
    char *big = malloc(size);
    for (size_t i = 0; i < size; i++)
        big[i] = i % 8 == 7 ? '\n' : 'x';
    Source s = {"big", big, size}, flat = {"flat", big, size};
    for (uint32_t i = N; i > 0; i--) {
        warning(c, (Loc){&s, i, 3, NULL}, "w");
        note(c, (Loc){&s, N + 1 - i, 1, NULL}, "n");
        error(c, (Loc){&flat, 1, i, NULL}, "e");
    }
    char *text = flushed();
    const char *start = "big:1:3: warning: w\nxxxxxxx\n  ^\nbig:100000:1: note: n\nxxxxxxx\n^\nbig:2:3: warning: w\n";
    ck_assert_mem_eq(text, start, strlen(start));
    free(text);
    free(big);
}
END_TEST

static void break_inside(Ctx *ctx, void *arg)
{
    ice(ctx, "%s", (char *)arg);
}

START_TEST(internal_errors_say_so)
{
    ck_assert(!ctx_run(c, break_inside, "oops"));
    PRINTS("burin: error: internal error: oops\n");
}
END_TEST

START_TEST(fatal_outside_a_run_exits_with_1)
{
    fatal(c, (Loc){0}, "no way on");
}
END_TEST

/* ---- element types ----------------------------------------------------------------------------------------------- */

START_TEST(types_know_their_names_and_kinds)
{
    ck_assert_int_eq(DT_COUNT, 27);
    for (int t = 1; t < DT_COUNT; t++)
        ck_assert_int_eq(dtype_parse(dtype_name((DType)t)), t);
    ck_assert_int_eq(dtype_parse("float8e4m3fn"), 17);
    ck_assert_int_eq(dtype_parse("Float"), DT_NONE);
    ck_assert_str_eq(dtype_name(DT_NONE), "undefined");
    ck_assert_int_eq(dtype_bits(DT_I2), 2);
    ck_assert_int_eq(dtype_bits(DT_STRING), (int)(8 * sizeof(char *)));
    ck_assert_str_eq(dtype_ctype(DT_BF16), "uint16_t");
    ck_assert(dtype_is_float(DT_F4E2M1) && !dtype_is_float(DT_C64) && !dtype_is_float(DT_I8));
    ck_assert(dtype_is_int(DT_U2) && !dtype_is_int(DT_BOOL) && !dtype_is_int(DT_NONE));
    ck_assert(dtype_is_signed(DT_I4) && !dtype_is_signed(DT_U4) && !dtype_is_signed(DT_F32));
    ck_assert_int_eq(dtype_class(DT_C128), CLASS_COMPLEX);
}
END_TEST

START_TEST(sixteen_bit_floats_survive_the_way_there_and_back)
{
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t half = (uint16_t)h;
        float f = f16_to_f32(half), b = bf16_to_f32(half);
        ck_assert(isnan(f) ? (h & 0x7FFF) > 0x7C00 && isnan(f16_to_f32(f32_to_f16(f))) : f32_to_f16(f) == h);
        ck_assert(isnan(f) || f64_to_f16((double)f) == h);
        ck_assert(isnan(b) ? (h & 0x7FFF) > 0x7F80 && isnan(bf16_to_f32(f32_to_bf16(b))) : f32_to_bf16(b) == h);
    }
}
END_TEST

START_TEST(float16_rounds_once_to_nearest_even)
{
    static const struct { double d; uint16_t code; } rows[] = {
        {65519.99, 0x7BFF}, {65520, 0x7C00}, {-1e30, 0xFC00}, {0x1p-25, 0x0000}, {0x1.000002p-25, 0x0001},
        {0x1.8p-24, 0x0002}, {0x1.ffbp-15, 0x03FF}, {0x1.ffcp-15, 0x0400}, {1.00048828125, 0x3C00},
        {1.00146484375, 0x3C02}, {0.1, 0x2E66}, {-0.0, 0x8000}, {3.14159265, 0x4248},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_uint_eq(f64_to_f16(rows[i].d), rows[i].code);
        if ((double)(float)rows[i].d == rows[i].d)
            ck_assert_uint_eq(f32_to_f16((float)rows[i].d), rows[i].code);
    }
    double just_above = 1.00048828125 + 0x1p-40;   /* rounding to float first would lose the difference */
    ck_assert_uint_eq(f64_to_f16(just_above), 0x3C01);
    ck_assert_uint_eq(f32_to_f16((float)just_above), 0x3C00);
    ck_assert_uint_eq(f64_to_f16(5e-324), 0);
}
END_TEST

START_TEST(bfloat16_rounds_to_nearest_even)
{
    ck_assert_uint_eq(f32_to_bf16(3.14159265f), 0x4049);
    ck_assert_uint_eq(f32_to_bf16(0x1.01p0f), 0x3F80);
    ck_assert_uint_eq(f32_to_bf16(0x1.03p0f), 0x3F82);
    ck_assert_uint_eq(f32_to_bf16(0x1.fffffep127f), 0x7F80);
    ck_assert_uint_eq(f32_to_bf16(0x1p-133f), 0x0001);
    ck_assert_uint_eq(f32_to_bf16(-(float)INFINITY), 0xFF80);
}
END_TEST

typedef struct Narrow { DType t; float f; uint8_t sat, wrap; } Narrow;

START_TEST(narrow_floats_follow_the_cast_tables)
{
    const float inf = (float)INFINITY, nan = (float)NAN;
    const Narrow rows[] = {
        {DT_F8E4M3, 448, 0x7E, 0x7E}, {DT_F8E4M3, 464, 0x7E, 0x7E}, {DT_F8E4M3, 465, 0x7E, 0x7F},
        {DT_F8E4M3, inf, 0x7E, 0x7F}, {DT_F8E4M3, -inf, 0xFE, 0xFF}, {DT_F8E4M3, nan, 0x7F, 0x7F},
        {DT_F8E4M3, -nan, 0xFF, 0xFF}, {DT_F8E4M3, -0.0f, 0x80, 0x80}, {DT_F8E4M3, 5.1f, 0x4A, 0x4A},
        {DT_F8E4M3, 0x1p-10f, 0x00, 0x00}, {DT_F8E4M3, 0x1.8p-9f, 0x02, 0x02}, {DT_F8E4M3, -0.2f, 0xA5, 0xA5},
        {DT_F8E4M3Z, 240, 0x7F, 0x7F}, {DT_F8E4M3Z, 250, 0x7F, 0x80}, {DT_F8E4M3Z, -inf, 0xFF, 0x80},
        {DT_F8E4M3Z, nan, 0x80, 0x80}, {DT_F8E4M3Z, -0.0f, 0x00, 0x00}, {DT_F8E4M3Z, -1e-9f, 0x00, 0x00},
        {DT_F8E4M3Z, -0.2f, 0xAD, 0xAD}, {DT_F8E4M3Z, 6.5f, 0x55, 0x55},
        {DT_F8E5M2, 57344, 0x7B, 0x7B}, {DT_F8E5M2, 61439, 0x7B, 0x7B}, {DT_F8E5M2, 61440, 0x7B, 0x7C},
        {DT_F8E5M2, -inf, 0xFB, 0xFC}, {DT_F8E5M2, nan, 0x7E, 0x7E}, {DT_F8E5M2, -nan, 0xFE, 0xFE},
        {DT_F8E5M2, 0.75f, 0x3A, 0x3A}, {DT_F8E5M2, -0.2f, 0xB2, 0xB2},
        {DT_F8E5M2Z, inf, 0x7F, 0x80}, {DT_F8E5M2Z, -1e9f, 0xFF, 0x80}, {DT_F8E5M2Z, -0.2f, 0xB6, 0xB6},
        {DT_F4E2M1, 5, 0x6, 0x6}, {DT_F4E2M1, 5.1f, 0x7, 0x7}, {DT_F4E2M1, 0.25f, 0x0, 0x0},
        {DT_F4E2M1, 0.26f, 0x1, 0x1}, {DT_F4E2M1, 0.75f, 0x2, 0x2}, {DT_F4E2M1, -0.2f, 0x8, 0x8},
        {DT_F4E2M1, -inf, 0xF, 0xF}, {DT_F4E2M1, nan, 0x8, 0x8}, {DT_F4E2M1, -nan, 0x0, 0x0},
        {DT_F8E8M0, 1, 0x7F, 0x7F}, {DT_F8E8M0, 1.4f, 0x7F, 0x7F}, {DT_F8E8M0, 1.5f, 0x80, 0x80},
        {DT_F8E8M0, 0, 0x00, 0xFF}, {DT_F8E8M0, inf, 0xFE, 0xFF}, {DT_F8E8M0, nan, 0xFF, 0xFF},
        {DT_F8E8M0, 0x1.8p127f, 0xFE, 0xFF}, {DT_F8E8M0, 0x1p-127f, 0x00, 0x00}, {DT_F8E8M0, 0x1p-128f, 0x00, 0xFF},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const Narrow *r = &rows[i];
        ck_assert_msg(f32_to_f8(r->t, r->f, true) == r->sat && f32_to_f8(r->t, r->f, false) == r->wrap,
                      "row %d: %s of %g is %02x, %02x", i, dtype_name(r->t), (double)r->f,
                      f32_to_f8(r->t, r->f, true), f32_to_f8(r->t, r->f, false));
    }
}
END_TEST

START_TEST(narrow_floats_survive_the_way_there_and_back)
{
    static const DType types[] = {DT_F8E4M3, DT_F8E4M3Z, DT_F8E5M2, DT_F8E5M2Z, DT_F4E2M1, DT_F8E8M0};
    static const int nans[] = {2, 1, 6, 1, 0, 1};
    for (int k = 0; k < COUNT(types); k++) {
        int count = 0;
        for (int code = 0; code < 1 << dtype_bits(types[k]); code++) {
            float f = f8_to_f32(types[k], (uint8_t)code);
            count += isnan(f);
            ck_assert(isnan(f) || f32_to_f8(types[k], f, false) == code);
        }
        ck_assert_int_eq(count, nans[k]);
    }
    ck_assert_float_eq(f8_to_f32(DT_F8E4M3, 0x7E), 448);
    ck_assert_float_eq(f8_to_f32(DT_F8E4M3Z, 0x01), 0x1p-10f);
    ck_assert_float_eq(f8_to_f32(DT_F8E5M2, 0xFC), -(float)INFINITY);
    ck_assert_float_eq(f8_to_f32(DT_F8E5M2Z, 0xFF), -57344);
    ck_assert_float_eq(f8_to_f32(DT_F4E2M1, 0xF), -6);
    ck_assert_float_eq(f8_to_f32(DT_F8E8M0, 0x00), 0x1p-127f);
}
END_TEST

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

START_TEST(counts_refuse_what_overflows)
{
    const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 22}, over[] = {INT64_C(1) << 40, (INT64_C(1) << 22) + 1};
    const int64_t empty[] = {INT64_MAX, INT64_MAX, 0}, negative[] = {0, -1};
    int64_t n = -1;
    ck_assert(dims_count(0, NULL, &n) && n == 1);
    ck_assert(dims_count(2, huge, &n) && n == INT64_C(1) << 62);
    ck_assert(!dims_count(2, over, &n));
    ck_assert(dims_count(3, empty, &n) && n == 0);
    ck_assert(!dims_count(2, negative, &n));
    ck_assert_uint_eq(type_bytes((Type){DT_C128, 2, huge}), SIZE_MAX);
}
END_TEST

static void make_type(Ctx *ctx, void *arg)
{
    static const int64_t dims[40] = {-1};
    type_make(ctx, DT_F32, *(int *)arg, dims);
}

START_TEST(impossible_types_are_fatal)
{
    int rank = 40;
    ck_assert(!ctx_run(c, make_type, &rank));
    PRINTS("burin: error: a tensor of rank 40: at most 32 dimensions are supported\n");
    rank = 1;
    ck_assert(!ctx_run(c, make_type, &rank));
    PRINTS("burin: error: a tensor of shape [-1]: it has a negative dimension or more than 2^62 elements\n");
}
END_TEST

START_TEST(types_print_and_compare)
{
    int64_t dims[] = {2, 3};
    Type t = type_make(c, DT_F32, 2, dims), u = type_make(c, DT_F32, 2, dims);
    dims[0] = 9;
    ck_assert_str_eq(type_text(c, t), "float[2,3]");
    ck_assert_str_eq(type_text(c, (Type){DT_I64, 0, NULL}), "int64");
    ck_assert_str_eq(dims_text(c, 0, NULL), "[]");
    ck_assert(type_same(t, u) && !type_same(t, type_make(c, DT_F32, 2, dims)));
    ck_assert(!type_same(t, type_make(c, DT_F64, 2, t.dims)));
    int64_t longest[MAX_RANK];
    for (int i = 0; i < MAX_RANK; i++)
        longest[i] = INT64_MIN;
    ck_assert_uint_eq(strlen(dims_text(c, MAX_RANK, longest)), 32 * 21 + 1);
}
END_TEST

START_TEST(elements_are_read_unaligned_and_packed)
{
    static const unsigned char raw[] = {0xFF, 0x2C, 0x81, 0xFE, 0x3F, 0x80, 0x00, 0x00, 0xC0, 0x01};
    int64_t n = 1, four = 4, three = 3;
    Tensor *t = tensor_of(c, type_make(c, DT_I4, 1, &four), raw + 1, 2);
    ck_assert(tensor_at_int(t, 0) == -4 && tensor_at_int(t, 1) == 2);
    ck_assert(tensor_at_int(t, 2) == 1 && tensor_at_int(t, 3) == -8);
    t = tensor_of(c, type_make(c, DT_U2, 1, &four), raw + 1, 1);   /* 0x2C: 0, 3, 2, 0 */
    ck_assert(tensor_at_int(t, 0) == 0 && tensor_at_int(t, 1) == 3 && tensor_at_double(t, 2) == 2);
    t = tensor_of(c, type_make(c, DT_F4E2M1, 1, &three), raw + 1, 2);
    ck_assert(tensor_at_double(t, 0) == -2 && tensor_at_int(t, 0) == 12 && tensor_at_double(t, 1) == 1);
    t = tensor_of(c, type_make(c, DT_F32, 1, &n), raw + 5, 4);
    ck_assert_double_eq(tensor_at_double(t, 0), -0x1.0001p1);
    t = tensor_of(c, type_make(c, DT_U64, 1, &n), raw + 1, 8);
    ck_assert_double_eq(tensor_at_double(t, 0), (double)UINT64_C(0xC00000803FFE812C));
    ck_assert_int_eq(tensor_at_int(t, 0), (int64_t)UINT64_C(0xC00000803FFE812C));
    t = tensor_of(c, type_make(c, DT_I16, 1, &n), raw + 3, 2);
    ck_assert_int_eq(tensor_at_int(t, 0), 0x3FFE);
    t = tensor_of(c, type_make(c, DT_BOOL, 1, &n), raw, 1);
    ck_assert_int_eq(tensor_at_int(t, 0), 1);
}
END_TEST

START_TEST(scalars_hold_their_number_in_every_type)
{
    for (int dt = 1; dt < DT_COUNT; dt++) {
        if (dt == DT_STRING)
            continue;
        Tensor *one = tensor_float(c, (DType)dt, 1);
        ck_assert_double_eq(tensor_at_double(one, 0), 1);
        ck_assert_uint_eq(one->bytes, type_bytes(one->type));
    }
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I4, -3.7), 0), -3);
    ck_assert_int_eq(((const unsigned char *)tensor_float(c, DT_I4, -3)->data)[0], 0x0D);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I64, 1e300), 0), INT64_MAX);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I64, -1e300), 0), INT64_MIN);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_U8, -1), 0), 0);
    ck_assert_uint_eq((uint64_t)tensor_at_int(tensor_float(c, DT_U64, INFINITY), 0), UINT64_MAX);
    ck_assert_int_eq(tensor_at_int(tensor_float(c, DT_I32, NAN), 0), 0);
    Tensor *ints = tensor_ints(c, 3, (int64_t[]){5, -6, INT64_MIN});
    ck_assert(tensor_at_int(ints, 0) == 5 && tensor_at_int(ints, 1) == -6 && tensor_at_int(ints, 2) == INT64_MIN);
    ck_assert_str_eq(type_text(c, ints->type), "int64[3]");
    ck_assert_int_eq(tensor_at_int(tensor_int(c, -9), 0), -9);
    ck_assert_uint_eq(tensor_ints(c, 0, NULL)->bytes, 0);
}
END_TEST

START_TEST(tensors_compare_by_bits_but_not_by_padding)
{
    static const unsigned char a[] = {0x21, 0xF3}, b[] = {0x21, 0x03}, d[] = {0x21, 0x04};
    int64_t three = 3, four = 4, none = 0;
    Type t = type_make(c, DT_U4, 1, &three), full = type_make(c, DT_U4, 1, &four);
    ck_assert(tensor_same(tensor_of(c, t, a, 2), tensor_of(c, t, b, 2)));
    ck_assert(!tensor_same(tensor_of(c, full, a, 2), tensor_of(c, full, b, 2)));
    ck_assert(!tensor_same(tensor_of(c, t, b, 2), tensor_of(c, t, d, 2)));
    ck_assert(tensor_same(tensor_float(c, DT_F32, NAN), tensor_float(c, DT_F32, NAN)));
    ck_assert(!tensor_same(tensor_float(c, DT_F32, 0), tensor_float(c, DT_F32, -0.0)));
    Type empty = type_make(c, DT_F32, 1, &none);
    ck_assert(tensor_same(tensor_of(c, empty, NULL, 0), tensor_new(c, empty)));
    const char *words[] = {intern(c, "a"), intern(c, "b")};
    int64_t two = 2;
    Tensor *s = tensor_of(c, type_make(c, DT_STRING, 1, &two), words, sizeof words);
    ck_assert_str_eq(tensor_at_string(s, 1), "b");
}
END_TEST

#define ADD(name) tcase_add_test(t, name)

static TCase *memory_tests(void)
{
    TCase *t = tcase_create("memory");
    ADD(allocations_are_zeroed_aligned_and_apart);
    ADD(released_scratch_is_reused_and_zero_again);
    ADD(a_mark_keeps_the_large_block_before_it_and_frees_the_one_after);
    ADD(vectors_grow_and_keep_their_elements);
    ADD(a_copy_of_nothing_takes_no_pointer);
    ADD(runs_nest_and_fatal_returns_to_the_innermost);
    ADD(too_large_a_request_is_fatal_also_when_its_size_overflows);
    ADD(deferred_releases_run_last_first);
#ifdef BURIN_TEST
    ADD(any_allocation_may_fail_without_harm);
    ADD(test_builds_poison_what_is_released);
#endif
    ADD(equal_strings_are_one_pointer);
    ADD(the_nearest_word_is_found_by_edits);
    ADD(escaped_text_cannot_leave_a_comment);
    ADD(files_are_mapped_and_faults_set_errno);
    ADD(a_pipe_is_read_whole);
    return t;
}

static TCase *diag_tests(void)
{
    TCase *t = tcase_create("diagnostics");
    ADD(errors_come_in_order_of_position_with_line_and_caret);
    ADD(binary_input_names_the_node_and_no_source_is_burin);
    ADD(equal_diagnostics_are_printed_once_and_keep_their_notes);
    ADD(at_most_twenty_errors_are_printed_and_the_fatal_one);
    ADD(long_lines_are_cut_around_the_caret);
    ADD(hostile_names_are_escaped_and_cut);
    ADD(a_hundred_thousand_diagnostics_in_a_big_file_take_linear_time);
    ADD(internal_errors_say_so);
    return t;
}

static TCase *value_tests(void)
{
    TCase *t = tcase_create("values");
    ADD(types_know_their_names_and_kinds);
    ADD(sixteen_bit_floats_survive_the_way_there_and_back);
    ADD(float16_rounds_once_to_nearest_even);
    ADD(bfloat16_rounds_to_nearest_even);
    ADD(narrow_floats_follow_the_cast_tables);
    ADD(narrow_floats_survive_the_way_there_and_back);
    ADD(counts_refuse_what_overflows);
    ADD(impossible_types_are_fatal);
    ADD(types_print_and_compare);
    ADD(elements_are_read_unaligned_and_packed);
    ADD(scalars_hold_their_number_in_every_type);
    ADD(tensors_compare_by_bits_but_not_by_padding);
    return t;
}

int main(void)
{
    Suite *s = suite_create("base");
    TCase *cases[] = {memory_tests(), diag_tests(), value_tests()};
    for (int i = 0; i < COUNT(cases); i++) {
        tcase_add_checked_fixture(cases[i], setup, teardown);
        tcase_set_timeout(cases[i], 60);
        suite_add_tcase(s, cases[i]);
    }
    SRunner *r = srunner_create(s);
    if (srunner_fork_status(r) == CK_FORK)
        tcase_add_exit_test(cases[1], fatal_outside_a_run_exits_with_1, 1);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
