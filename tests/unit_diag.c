/* Unit tests of ir/base: diagnostics. */
#include "base.h"
#include "unit.h"

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
    SAYS("m.txt:1:1: error: early\nfirst line\n^\n"
         "m.txt:2:2: note: of early\n\tsecond\tline\n\t^\n"
         "m.txt:2: error: a line alone\n\tsecond\tline\n"
         "m.txt:2:9: warning: middle 5\n\tsecond\tline\n\t      \t^\n"
         "m.txt:3:12: error: late\nthird \xC3\xA9? line\n          ^\n"
         "m.txt:9:1: error: no such line\n");
    SAYS("");
}
END_TEST

START_TEST(binary_input_names_the_node_and_no_source_is_burin)
{
    static const Source binary = {"m.onnx", NULL, 0};
    Loc loc = {&binary, 0, 0, "node 'a' (Conv)"};
    error(c, loc, "wrong");
    error(c, (Loc){0}, "lost");
    error(c, loc, "wrong");
    SAYS("m.onnx: error: node 'a' (Conv): wrong\nburin: error: lost\n");
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
    SAYS("m.txt:1:1: error: twice\nfirst line\n^\nm.txt:2:2: note: here\n\tsecond\tline\n\t^\n"
         "m.txt:1:2: error: other\nfirst line\n ^\nm.txt:2:2: note: here\n\tsecond\tline\n\t^\n"
         "m.txt:1:3: note: alone\nfirst line\n  ^\n");
}
END_TEST

static void end_it(Ctx *ctx, void *arg)
{
    (void)arg;
    fatal(ctx, (Loc){0}, "the end");
}

START_TEST(at_most_twenty_errors_are_printed_and_the_fatal_one)
{
    note(c, at(500, 1), "by itself");
    for (uint32_t i = 0; i < 30; i++)
        error(c, at(100 + i, 1), "fault %u", (unsigned)i);
    note(c, at(1, 1), "of a hidden one");
    error(c, (Loc){0}, "also hidden");
    ck_assert(!ctx_run(c, end_it, NULL));
    ck_assert_int_eq(c->errors, 32);
    char *text = flushed();
    ck_assert_ptr_nonnull(strstr(text, "fault 19\n"));
    ck_assert_ptr_null(strstr(text, "fault 20\n"));
    ck_assert_ptr_null(strstr(text, "hidden"));
    ck_assert_ptr_nonnull(strstr(text, "m.txt:500:1: note: by itself\n"));
    ck_assert_ptr_nonnull(strstr(text, "burin: error: the end\n"));
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
    SAYS(expected);
    error(c, (Loc){&s, 1, 1001, NULL}, "end");
    snprintf(expected, sizeof expected, "long:1:1001: error: end\n...%.100s\n%*s^\n", line + 900, 103, "");
    SAYS(expected);
    error(c, (Loc){&s, 1, 1, NULL}, "start");
    snprintf(expected, sizeof expected, "long:1:1: error: start\n%.100s...\n^\n", line);
    SAYS(expected);
}
END_TEST

START_TEST(long_lines_are_cut_between_characters)
{
    char line[601];
    for (int i = 0; i < 600; i += 2)
        memcpy(line + i, "\xC3\xA9", 3);
    Source s = {"long", line, 600};
    error(c, (Loc){&s, 1, 302, NULL}, "inside a character");
    char *text = flushed();
    ck_assert_ptr_null(strchr(text, '?'));
    const char *start = "long:1:302: error: inside a character\n...\xC3\xA9", *end = "\xC3\xA9...\n";
    ck_assert_mem_eq(text, start, strlen(start));
    ck_assert_ptr_nonnull(strstr(text, end));
    free(text);
}
END_TEST

START_TEST(hostile_names_are_escaped_and_cut)
{
    error(c, (Loc){0}, "a\n\x1B[2J\xE2\x80\xAE\xC3\xA9\xFF");
    SAYS("burin: error: a\\x0A\\x1B[2J\\xE2\\x80\\xAE\xC3\xA9\\xFF\n");
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
    SAYS("burin: error: internal error: oops\n");
}
END_TEST

START_TEST(fatal_outside_a_run_exits_with_1)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));     /* or it would stand in every log */
    fatal(c, (Loc){0}, "no way on");
}
END_TEST

int main(void)
{
    TCase *t = case_new("diag", context_new, context_free);
    tcase_add_test(t, errors_come_in_order_of_position_with_line_and_caret);
    tcase_add_test(t, binary_input_names_the_node_and_no_source_is_burin);
    tcase_add_test(t, equal_diagnostics_are_printed_once_and_keep_their_notes);
    tcase_add_test(t, at_most_twenty_errors_are_printed_and_the_fatal_one);
    tcase_add_test(t, long_lines_are_cut_around_the_caret);
    tcase_add_test(t, long_lines_are_cut_between_characters);
    tcase_add_test(t, hostile_names_are_escaped_and_cut);
    tcase_add_test(t, a_hundred_thousand_diagnostics_in_a_big_file_take_linear_time);
    tcase_add_test(t, internal_errors_say_so);
    if (!getenv("CK_FORK") || strcmp(getenv("CK_FORK"), "no") != 0)
        tcase_add_exit_test(t, fatal_outside_a_run_exits_with_1, 1);
    return case_run("diag", t);
}
