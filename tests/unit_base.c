/* Unit tests of ir/base: memory, strings, files. */
#include "base.h"
#include "unit.h"

#include <unistd.h>

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
    SAYS("burin: error: a limit\nburin: error: outer 1\nburin: error: outer 2\n");
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
        SAYS("burin: error: out of memory\n");
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
    SAYS("burin: error: out of memory\n");
}
END_TEST

static void defer(Ctx *ctx, void *what)
{
    ctx_defer(ctx, see, what);
}

START_TEST(what_cannot_be_deferred_is_released_at_once)
{
    static int nine = 9;
    c->fail_alloc = -1;
    seen = 0;
    ck_assert(!ctx_run(c, defer, &nine));
    ck_assert(seen == 1 && order_seen[0] == 9);
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
    ck_assert_str_eq(nearest("fI", (const char *const[]){"If"}, 1), "If");   /* a swap is one edit, two are too many */
    ck_assert_ptr_null(nearest("Softmax", ops, 6));
    ck_assert_ptr_null(nearest("", ops, 6));
    ck_assert_ptr_null(nearest("Foo", (const char *const[]){"Mod", "Not"}, 2));
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

START_TEST(a_long_pipe_is_read_whole_and_a_failing_read_sets_errno)
{
    FILE *p = popen("head -c 300001 /dev/zero", "r");
    File *f = file_map(c, internf(c, "/dev/fd/%d", fileno(p)));
    ck_assert(f && f->size == 300001 && f->data[300000] == 0);
    pclose(p);
    ck_assert_ptr_null(file_map(c, "/proc/self/mem"));
    ck_assert_int_eq(errno, EIO);
}
END_TEST

int main(void)
{
    TCase *t = case_new("base", context_new, context_free);
    tcase_add_test(t, allocations_are_zeroed_aligned_and_apart);
    tcase_add_test(t, released_scratch_is_reused_and_zero_again);
    tcase_add_test(t, a_mark_keeps_the_large_block_before_it_and_frees_the_one_after);
    tcase_add_test(t, vectors_grow_and_keep_their_elements);
    tcase_add_test(t, a_copy_of_nothing_takes_no_pointer);
    tcase_add_test(t, runs_nest_and_fatal_returns_to_the_innermost);
    tcase_add_test(t, too_large_a_request_is_fatal_also_when_its_size_overflows);
    tcase_add_test(t, deferred_releases_run_last_first);
#ifdef BURIN_TEST
    tcase_add_test(t, any_allocation_may_fail_without_harm);
    tcase_add_test(t, what_cannot_be_deferred_is_released_at_once);
    tcase_add_test(t, test_builds_poison_what_is_released);
#endif
    tcase_add_test(t, equal_strings_are_one_pointer);
    tcase_add_test(t, the_nearest_word_is_found_by_edits);
    tcase_add_test(t, escaped_text_cannot_leave_a_comment);
    tcase_add_test(t, files_are_mapped_and_faults_set_errno);
    tcase_add_test(t, a_pipe_is_read_whole);
    tcase_add_test(t, a_long_pipe_is_read_whole_and_a_failing_read_sets_errno);
    return case_run("base", t);
}
