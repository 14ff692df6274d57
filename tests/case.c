/* The helper of run.sh: reads the text cases (tests/op/README.md tells their form), writes what has to be run, and
 * judges what came out.
 *
 *   case plan DIR FILE...     into DIR: inputs as .pb files, main.c that calls every compiled case, a list of commands
 *   case judge DIR FILE...    compares DIR/NAME.RUN.txt (interpreter), DIR/compiled.txt (C) and DIR/NAME.err with the
 *                             expectations
 *   case agree DIR WAY FILE...        compares DIR/compiled.WAY.txt with DIR/NAME.RUN.txt and DIR/NAME.RUN.plain.txt
 *                             (interpreted before the passes): the same bits, but within tolerance for the cases that
 *                             DIR/inexact lists
 *
 * The list has a line a run: NAME RUN FILE KIND OPTIONS ARGS, separated by bars; KIND is error or run (both ways).
 * Element types and their conversions are those of ir/base. */
#include "case_plan.h"

#include <regex.h>

/* ---- judge ------------------------------------------------------------------------------------------------------- */

static int passed, failed;

static PRINTF(2, 3) void fail(const Case *k, const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    printf("FAIL  %s: ", k->path);
    vprintf(fmt, a);
    va_end(a);
    putchar('\n');
}

static bool close_to(DType dt, double got, double want, bool exact)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (got == want)
        return got != 0 || signbit(got) == signbit(want);
    double rel = dt == DT_F64 || dt == DT_C128 ? 1e-12
                 : dt == DT_F16                ? 2e-3
                 : dt == DT_BF16               ? 1.6e-2
                 : least_bits(dt) <= 8         ? 0
                                               : 1e-5;
    return !exact && fabs(got - want) <= rel * fabs(want) + rel * 0.01;
}

static bool same_element(const Val *want, const Tensor *got, int64_t i, const char **text)
{
    DType dt = want->type.dt;
    DClass class = dtype_class(dt);
    if (class == CLASS_STRING) {
        const char *a = tensor_at_string(got, i), *b = tensor_at_string(want->t, i);
        *text = internf(ctx, "\"%s\", not \"%s\"", a, b);
        return strcmp(a, b) == 0;
    }
    if (class == CLASS_FLOAT || class == CLASS_COMPLEX) {
        double a = tensor_at_double(got, i), b = tensor_at_double(want->t, i);
        *text = internf(ctx, "%.9g, not %.9g", a, b);
        return close_to(dt, a, b, want->exact);
    }
    int64_t a = tensor_at_int(got, i), b = tensor_at_int(want->t, i);
    *text = internf(ctx, "%lld, not %lld", (long long)a, (long long)b);
    return a == b;
}

/* Complex tensors as real ones with a trailing 2. */
static Tensor *halves(const Tensor *t)
{
    int64_t dims[MAX_RANK + 1];
    for (int i = 0; i < t->type.rank; i++)
        dims[i] = t->type.dims[i];
    dims[t->type.rank] = 2;
    Type type = type_make(ctx, t->type.dt == DT_C64 ? DT_F32 : DT_F64, t->type.rank + 1, dims);
    return tensor_of(ctx, type, t->data, t->bytes);
}

static bool same_values(const Case *k, const char *how, const Val *want, const Tensor *got)
{
    Val w = *want;
    if (dtype_class(w.type.dt) == CLASS_COMPLEX) {
        w.t = halves(want->t);
        w.type = w.t->type;
        got = halves(got);
    }
    for (int64_t i = 0; i < type_count(w.type); i++) {
        const char *text;
        if (!same_element(&w, got, i, &text)) {
            fail(k, "%s, output %s: element %lld is %s", how, want->name, (long long)i, text);
            return false;
        }
    }
    return true;
}

static char *slurp(const char *path)
{
    const File *f = file_map(ctx, path);
    if (!f)
        return NULL;
    char *text = NEW_N(ctx, char, f->size + 1);
    memcpy(text, f->data, f->size);
    return text;
}

/* The rest of the line of text that begins with `start`, as a string of its own; NULL: there is none. */
static char *line_of(const char *text, const char *start)
{
    size_t n = strlen(start);
    for (const char *p = text; p && *p; p = strchr(p, '\n'), p += p != NULL)
        if (strncmp(p, start, n) == 0) {
            size_t length = strcspn(p + n, "\n");
            char *line = NEW_N(ctx, char, length + 1);
            memcpy(line, p + n, length);
            return line;
        }
    return NULL;
}

/* What the interpreter printed of an output; NULL: that was reported. */
static const Tensor *interpreted(const Case *k, const char *how, const char *text, const Val *want)
{
    char *line = text ? line_of(text, internf(ctx, "%s ", want->name)) : NULL;
    Val got = {0};
    if (!line || !read_val(k, (char *)(uintptr_t)internf(ctx, "%s %s", want->name, line), &got)) {
        fail(k, "%s: output %s is missing", how, want->name);
        return NULL;
    }
    if (type_same(got.type, want->type))
        return got.t;
    fail(k, "%s, output %s is %s, not %s", how, want->name, type_text(ctx, got.type), type_text(ctx, want->type));
    return NULL;
}

static void unhex(const char *s, Tensor *t)
{
    unsigned char *p = (unsigned char *)(uintptr_t)t->data;
    unsigned v;
    if (t->type.dt != DT_STRING) {
        for (size_t i = 0; i < t->bytes && sscanf(s + 2 * i, "%2x", &v) == 1; i++)
            p[i] = (unsigned char)v;
        return;
    }
    for (int64_t i = 0; i < type_count(t->type); i++) {
        size_t n = strcspn(s, ".") / 2;
        char *string = NEW_N(ctx, char, n + 1);
        for (size_t j = 0; j < n && sscanf(s + 2 * j, "%2x", &v) == 1; j++)
            string[j] = (char)v;
        ((const char **)p)[i] = string;
        s += 2 * n + 1;
    }
}

/* What the compiled program printed of an output; NULL: that was reported. */
static const Tensor *compiled(const Case *k, const char *how, const char *text, int run, int out, const Val *want)
{
    char *line = line_of(text, internf(ctx, "%s %d %d ", k->name, run, out));
    if (!line) {
        fail(k, "%s: output %s is missing", how, want->name);
        return NULL;
    }
    size_t n = strcspn(line, " ");
    if (strncmp(line, dims_text(ctx, want->type.rank, want->type.dims), n) != 0) {
        fail(k, "%s, output %s is %.*s, not %s", how, want->name, (int)n, line, type_text(ctx, want->type));
        return NULL;
    }
    Tensor *got = tensor_new(ctx, want->type);
    unhex(line + n + 1, got);
    return got;
}

static void judge_errors(const Case *k, const char *text)
{
    for (int i = 0; i < k->nerrors; i++) {
        regex_t re;
        if (regcomp(&re, k->errors[i], REG_EXTENDED | REG_NOSUB | REG_ICASE))
            bad(k, "not a regular expression: %s", k->errors[i]);
        bool found = regexec(&re, text, 0, NULL, 0) == 0;
        regfree(&re);
        found ? passed++ : failed++;
        if (!found)
            fail(k, "no message matches %s\n%s", k->errors[i], text);
    }
}

static char *output_of(const char *dir, const Case *k, int run, const char *how)
{
    return slurp(internf(ctx, "%s/%s.%d%s.txt", dir, k->name, run, how));
}

static void judge_runs(const char *dir, const Case *k, const char *c)
{
    for (int r = 0; r < k->nruns; r++) {
        const char *text = output_of(dir, k, r, "");
        for (int o = 0; o < k->runs[r]->nouts; o++) {
            const Val *want = &k->runs[r]->out[o];
            const Tensor *a = interpreted(k, "interpreted", text, want), *b = compiled(k, "compiled", c, r, o, want);
            bool good = a && same_values(k, "interpreted", want, a);
            good = b && same_values(k, "compiled", want, b) && good;
            good ? passed++ : failed++;
        }
    }
}

static void judge(const char *dir, int n, Case **cases)
{
    const char *c = slurp(internf(ctx, "%s/compiled.txt", dir));
    for (int i = 0; i < n; i++) {
        const char *said = slurp(internf(ctx, "%s/%s.err", dir, cases[i]->name));
        if (cases[i]->nerrors) {
            judge_errors(cases[i], said ? said : "(it was not refused)");
        } else if (said) {
            failed++;
            fail(cases[i], "refused\n%s", said);
        } else {
            judge_runs(dir, cases[i], c ? c : "");
        }
    }
}

/* ---- agreement --------------------------------------------------------------------------------------------------- */

static bool agrees(const Case *k, const char *how, const Val *want, const Tensor *got, const Tensor *as, bool exact)
{
    if (!got || !as)
        return false;
    const Val v = {want->name, want->type, as, exact};
    return exact ? !tensor_compare(got, as, 0, 0).wrong || same_values(k, how, &v, got) : same_values(k, how, &v, got);
}

static bool agree_run(const char *dir, const char *way, const Case *k, int r, const char *c, bool exact)
{
    const char *text = output_of(dir, k, r, ""), *plain = output_of(dir, k, r, ".plain");
    bool good = true;
    for (int o = 0; o < k->runs[r]->nouts; o++) {
        const Val *want = &k->runs[r]->out[o];
        const Tensor *a = interpreted(k, "interpreted", text, want), *b = compiled(k, way, c, r, o, want),
                     *p = interpreted(k, "interpreted before the passes", plain, want);
        good = agrees(k, internf(ctx, "%s against the interpreter", way), want, b, a, exact) && good;
        const bool same = exact && !strstr(k->options, "--fast-math");
        good = agrees(k, "interpreted before the passes", want, p, a, same) && good;
    }
    return good;
}

static void agree(const char *dir, const char *way, int n, Case **cases)
{
    const char *c = slurp(internf(ctx, "%s/compiled.%s.txt", dir, way));
    const char *inexact = slurp(internf(ctx, "%s/inexact", dir));
    for (int i = 0; i < n; i++) {
        bool good = true, exact = !line_of(inexact, internf(ctx, "%s\n", cases[i]->name));
        if (cases[i]->nerrors || slurp(internf(ctx, "%s/%s.err", dir, cases[i]->name)))
            continue;
        for (int r = 0; r < cases[i]->nruns; r++)
            good = agree_run(dir, way, cases[i], r, c ? c : "", exact) && good;
        good ? passed++ : failed++;
    }
}

int main(int argc, char **argv)
{
    ctx = ctx_new();
    if (!ctx || argc < 4)
        return 2;
    const int first = strcmp(argv[1], "agree") == 0 ? 4 : 3, n = argc - first;
    Case **cases = NEW_N(ctx, Case *, argc);
    for (int i = 0; i < n; i++)
        cases[i] = case_read(argv[first + i]);
    if (strcmp(argv[1], "plan") == 0) {
        plan(argv[2], n, cases);
    } else {
        first == 4 ? agree(argv[2], argv[3], n, cases) : judge(argv[2], n, cases);
        printf("%d passed, %d failed\n", passed, failed);
    }
    ctx_free(ctx);
    return failed != 0;
}
