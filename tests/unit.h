/* What the unit tests share: a context for each test, what was said in it, and main. The unit is written with Check. */
#ifndef BURIN_UNIT_H
#define BURIN_UNIT_H

#include "base.h"

#include <check.h>

static Ctx *c;

static inline void context_new(void)
{
    c = ctx_new();
    ck_assert_ptr_nonnull(c);
}

static inline void context_free(void)
{
    ctx_free(c);
}

/* What diag_flush prints, NUL-ended; freed by the caller. */
static inline char *flushed(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    diag_flush(c, f);
    fclose(f);
    return text;
}

/* The same, in the context's memory. */
static inline const char *said(void)
{
    char *text = flushed();
    const char *s = intern(c, text);
    free(text);
    return s;
}

#define SAYS(expected) ck_assert_str_eq(said(), expected)

/* The length of the longest line of s. */
static inline size_t longest_line(const char *s)
{
    size_t most = 0;
    for (; *s; s += strcspn(s, "\n") + 1) {
        if (strcspn(s, "\n") > most) most = strcspn(s, "\n");
        if (!s[strcspn(s, "\n")]) break;
    }
    return most;
}

static uint64_t random_state = 88172645463325252u;

static inline uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

/* How often a random try is made: the short check wants few, FULL=1 (make check-long) many. */
static inline int rounds(int few, int many)
{
    return getenv("FULL") ? many : few;
}

/* A case to add tests to, each between `before` and `after` (may be NULL); case_run ends main. */
static inline TCase *case_new(const char *name, void (*before)(void), void (*after)(void))
{
    TCase *t = tcase_create(name);
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, before, after);
    return t;
}

static inline int case_run(const char *name, TCase *t)
{
    Suite *s = suite_create(name);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}

#define RUN(name, before, after, tests) run_tests(name, before, after, tests, COUNT(tests))
static inline int run_tests(const char *name, void (*before)(void), void (*after)(void), const TTest *const *tests,
                            int n)
{
    TCase *t = case_new(name, before, after);
    for (int i = 0; i < n; i++)
        tcase_add_test(t, tests[i]);
    return case_run(name, t);
}

#endif
