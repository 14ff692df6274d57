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
#include <ctype.h>
#include <regex.h>

#include "base.h"

enum { MOST = 64 };

typedef struct Val {
    char *name;
    Type type;
    const Tensor *t;
    bool exact;
    bool part;                       /* the valid part of an output whose size depends on data */
} Val;
typedef struct Run {
    int nins, nouts;
    Val in[MOST], out[MOST];
} Run;
typedef struct Case {
    const char *path, *name, *options;
    int nruns, nerrors, nfiles;
    Run *runs[MOST];
    Val files[MOST];                 /* data beside the model */
    const char *errors[MOST];
} Case;

static Ctx *ctx;

static NORETURN PRINTF(2, 3) void bad(const Case *k, const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    fprintf(stderr, "%s: ", k->path);
    vfprintf(stderr, fmt, a);
    va_end(a);
    fputc('\n', stderr);
    exit(2);
}

/* ---- values as text ------------------------------------------------------------------------------------------------
 */

static int64_t least_bits(DType dt)
{
    return dtype_class(dt) == CLASS_COMPLEX ? dtype_bits(dt) / 2 : dtype_bits(dt);
}

static void write_bits(void *data, int64_t i, int64_t bits, uint64_t v)
{
    unsigned char *p = data;
    if (bits >= 8) {
        for (int64_t k = 0; k < bits / 8; k++)
            p[i * bits / 8 + k] = (unsigned char)(v >> 8 * k);
        return;
    }
    int64_t shift = i * bits % 8;
    unsigned mask = (1U << bits) - 1;
    p[i * bits / 8] = (unsigned char)((p[i * bits / 8] & ~(mask << shift)) | ((unsigned)v & mask) << shift);
}

/* A number as an element: hexadecimal integers are bits. */
static uint64_t element(DType dt, const char *s)
{
    const bool hex = strncmp(s, "0x", 2) == 0 && !strchr(s, '.') && !strchr(s, 'p');
    union {
        float f;
        uint32_t u;
    } f;
    union {
        double d;
        uint64_t u;
    } d;
    if (hex)
        return strtoull(s, NULL, 16);
    if (dtype_class(dt) == CLASS_UINT)
        return strtoull(s, NULL, 10);
    if (dtype_class(dt) == CLASS_INT || dt == DT_BOOL)
        return strcmp(s, "true") == 0 ? 1 : (uint64_t)strtoll(s, NULL, 10);
    d.d = strtod(s, NULL);
    f.f = strtof(s, NULL);
    if (dt == DT_F64 || dt == DT_C128)
        return d.u;
    if (dt == DT_F16)
        return f64_to_f16(d.d);
    if (dt == DT_BF16)
        return f32_to_bf16(f.f);
    return least_bits(dt) == 32 ? f.u : f32_to_f8(dt, f.f, false);
}

/* One token; quoted strings lose their quotes. NULL: none is left. */
static char *token(char **at, bool *quoted)
{
    char *s = *at, *to;
    while (*s && strchr(" \t\n,()", *s))
        s++;
    if (!*s)
        return NULL;
    *quoted = *s == '"';
    if (!*quoted) {
        size_t n = strcspn(s, " \t\n,()");
        *at = s + n + (s[n] != 0);
        s[n] = 0;
        return s;
    }
    char *start = to = ++s;
    for (; *s && *s != '"'; s++)
        *to++ = *s == '\\' && s[1] ? *++s : *s;
    *at = *s ? s + 1 : s;
    *to = 0;
    return start;
}

static const Tensor *values(const Case *k, Type t, char *text)
{
    Tensor *v = tensor_new(ctx, t);
    int64_t want = type_count(t) * (dtype_class(t.dt) == CLASS_COMPLEX ? 2 : 1), n = 0;
    bool quoted;
    for (char *s; (s = token(&text, &quoted)); n++) {
        if (n >= want)
            bad(k, "more than %lld values for %s", (long long)want, type_text(ctx, t));
        if (t.dt == DT_STRING)
            ((const char **)(uintptr_t)v->data)[n] = intern(ctx, s);
        else
            write_bits((void *)(uintptr_t)v->data, n, least_bits(t.dt), element(t.dt, s));
    }
    if (n != want)
        bad(k, "%lld values for %s", (long long)n, type_text(ctx, t));
    return v;
}

/* "NAME TYPE[DIMS] = VALUES". False: not of that form. */
static bool read_val(const Case *k, char *line, Val *v)
{
    char *eq = strstr(line, " ="), *space = strchr(line, ' '), *open;
    int64_t dims[MAX_RANK];
    int rank = 0;
    if (!eq || !space || space == eq)
        return false;
    *eq = *space = 0;
    v->name = mem_copy(ctx, line, strlen(line) + 1);
    v->exact = strstr(space + 1, " exact") != NULL;
    v->part = strstr(space + 1, " part") != NULL;
    open = space + 1 + strcspn(space + 1, "[ ");
    if (*open == '[')
        for (char *p = open + 1; *p != ']' && rank < MAX_RANK; p += *p == ',')
            dims[rank++] = strtoll(p, &p, 10);
    *open = 0;
    DType dt = dtype_parse(space + 1);
    if (dt == DT_NONE)
        bad(k, "unknown type '%s'", space + 1);
    v->type = type_make(ctx, dt, rank, dims);
    v->t = values(k, v->type, eq + 2);
    return true;
}

/* ---- cases
 * ------------------------------------------------------------------------------------------------------------- */

static char *after(char *line, const char *word)
{
    size_t n = strlen(word);
    return strncmp(line, word, n) ? NULL : line + n;
}

static Run *last_run(Case *k)
{
    if (!k->nruns)
        k->runs[k->nruns++] = NEW(ctx, Run);
    return k->runs[k->nruns - 1];
}

static void directive(Case *k, char *line)
{
    char *s;
    if ((s = after(line, "# error: "))) {
        k->errors[k->nerrors++] = s;
    } else if ((s = after(line, "# options: "))) {
        k->options = s;
    } else if (after(line, "# run")) {
        last_run(k);
        if (k->runs[k->nruns - 1]->nouts)
            k->runs[k->nruns++] = NEW(ctx, Run);
    } else if ((s = after(line, "# data "))) {
        if (!read_val(k, s, &k->files[k->nfiles++]))
            bad(k, "not understood: %s", s);
    } else if ((s = after(line, "# input ")) || (s = after(line, "# output "))) {
        Run *r = last_run(k);
        Val *v = line[2] == 'i' ? &r->in[r->nins++] : &r->out[r->nouts++];
        if (!read_val(k, s, v))
            bad(k, "not understood: %s", s);
    }
    if (k->nruns == MOST || k->nerrors == MOST || k->nfiles == MOST ||
        (k->nruns && (last_run(k)->nins == MOST || last_run(k)->nouts == MOST)))
        bad(k, "too many runs, values or errors");
}

static Case *case_read(const char *path)
{
    Case *k = NEW(ctx, Case);
    const char *slash = strrchr(path, '/');
    const File *f = file_map(ctx, path);
    k->path = path;
    k->options = "";
    if (!f)
        bad(k, "%s", strerror(errno));
    const char *base = slash ? slash + 1 : path;
    k->name = intern_n(ctx, base, strcspn(base, "."));
    char *text = NEW_N(ctx, char, f->size + 1);
    memcpy(text, f->data, f->size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        directive(k, line);
    if (!k->nruns && !k->nerrors)
        bad(k, "neither an output nor an error is expected");
    return k;
}

/* ---- plan
 * ---------------------------------------------------------------------------------------------------------------- */

static FILE *create(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(2);
    }
    return f;
}

static void varint(FILE *f, uint64_t v)
{
    for (; v > 127; v >>= 7)
        fputc((int)(v & 127) | 128, f);
    fputc((int)v, f);
}

static void field(FILE *f, int number, const void *data, size_t n)
{
    fputc(number << 3 | 2, f);
    varint(f, n);
    fwrite(data, 1, n, f);
}

/* A TensorProto: dims, data_type; string_data or raw_data. */
static void write_pb(const char *path, const Val *v)
{
    FILE *f = create(path);
    for (int i = 0; i < v->type.rank; i++) {
        fputc(1 << 3, f);
        varint(f, (uint64_t)v->type.dims[i]);
    }
    fputc(2 << 3, f);
    varint(f, v->type.dt);
    if (v->type.dt != DT_STRING)
        field(f, 9, v->t->data, v->t->bytes);
    for (int64_t i = 0; v->type.dt == DT_STRING && i < type_count(v->type); i++)
        field(f, 6, tensor_at_string(v->t, i), strlen(tensor_at_string(v->t, i)));
    fclose(f);
}

static void write_data(const char *path, const Val *v)
{
    FILE *f = create(path);
    fwrite(v->t->data, 1, v->t->bytes, f);
    fclose(f);
}

static void emit_input(FILE *f, const Case *k, int run, int i, const Val *v)
{
    fprintf(f, "static const %s %s_%d_%d[] = {", v->type.dt == DT_STRING ? "char *const" : "unsigned char", k->name,
            run, i);
    if (v->type.dt == DT_STRING)
        for (int64_t j = 0; j < type_count(v->type); j++) {
            fputc('"', f);
            for (const char *s = tensor_at_string(v->t, j); *s; s++)
                fprintf(f, "\\%03o", (unsigned char)*s);
            fputs("\",", f);
        }
    else
        for (size_t j = 0; j < v->t->bytes; j++)
            fprintf(f, "%u,", ((const unsigned char *)v->t->data)[j]);
    fputs("0};\n", f);
}

static void emit_run(FILE *f, const Case *k, int run, const Run *r)
{
    char upper[200];
    size_t n = 0;
    for (; k->name[n] && n < sizeof upper - 1; n++)
        upper[n] = (char)toupper((unsigned char)k->name[n]);
    upper[n] = 0;
    for (int i = 0; i < r->nins; i++)
        emit_input(f, k, run, i, &r->in[i]);
    fprintf(f, "static void %s_%d(void)\n{\n    const char *what = \"%s %d\";\n", k->name, run, k->name, run);
    for (int i = 0; i < r->nouts; i++)
        fprintf(f, "    static long d%d[] = %s_OUT%d_DIMS;\n    void *o%d = room(%s_OUT%d_BYTES);\n", i, upper, i, i,
                upper, i);
    for (int i = 0; i < r->nouts; i++)
        if (r->out[i].part)
            fprintf(f, "    int c%d[%s_OUT%d_RANK];\n", i, upper, i);
    fprintf(f, "    %s_run(", k->name);
    for (int i = 0; i < r->nins; i++)
        fprintf(f, "%scopy(%s_%d_%d, %zu)", i ? ", " : "", k->name, run, i, r->in[i].t->bytes);
    for (int i = 0; i < r->nouts; i++)
        fprintf(f, "%so%d", i || r->nins ? ", " : "", i);
    for (int i = 0; i < r->nouts; i++)
        if (r->out[i].part)
            fprintf(f, ", c%d", i);
    fputs(");\n", f);
    for (int i = 0; i < r->nouts; i++)
        if (r->out[i].part)
            fprintf(f, "    for (int i = 0; i < %s_OUT%d_RANK; i++) d%d[i] = c%d[i];\n", upper, i, i, i);
    for (int i = 0; i < r->nouts; i++)
        fprintf(f, "    dump(what, %d, %s_OUT%d_RANK, d%d, o%d, %s, %d);\n", i, upper, i, i, i,
                r->out[i].type.dt == DT_STRING ? internf(ctx, "strings(%s_OUT%d_RANK, d%d)", upper, i, i)
                                               : internf(ctx, "%s_OUT%d_BYTES", upper, i),
                r->out[i].type.dt == DT_STRING);
    fputs("}\n", f);
}

static const char prologue[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static void *room(size_t n) { void *p = malloc(n + (n == 0)); if (!p) exit(2); memset(p, 0xA5, n); return p; }\n"
    "static void *copy(const void *from, size_t n) { void *p = room(n); memcpy(p, from, n); return p; }\n"
    "static void hex(const void *data, size_t n)\n{\n    const unsigned char *p = data;\n"
    "    while (n--) printf(\"%02x\", *p++);\n}\n"
    "size_t strings(int rank, const long *d);\nsize_t strings(int rank, const long *d)\n{\n    size_t n = sizeof(char *);\n"
    "    while (rank--) n *= (size_t)*d++;\n    return n;\n}\n"
    "static void dump(const char *what, int k, int rank, const long *d, const void *p, size_t n, int string)\n{\n"
    "    printf(\"%s %d [\", what, k);\n"
    "    for (int i = 0; i < rank; i++) printf(\"%s%ld\", i ? \",\" : \"\", d[i]);\n"
    "    printf(\"] \");\n"
    "    if (string)\n        for (size_t i = 0; i < n / sizeof(char *); i++) {\n"
    "            const char *s = ((const char *const *)p)[i];\n            hex(s, strlen(s));\n            "
    "printf(\".\");\n        }\n"
    "    else\n        hex(p, n);\n    printf(\"\\n\");\n}\n";

static void plan(const char *dir, int n, Case **cases)
{
    FILE *list = create(internf(ctx, "%s/list", dir)), *f = create(internf(ctx, "%s/main.c", dir));
    fputs(prologue, f);
    for (int i = 0; i < n; i++) {
        const Case *k = cases[i];
        for (int j = 0; j < k->nfiles; j++)
            write_data(internf(ctx, "%s/%s", dir, k->files[j].name), &k->files[j]);
        if (k->nerrors) {
            fprintf(list, "%s|0|%s|error|%s|\n", k->name, k->path, k->options);
            continue;
        }
        fprintf(f, "#ifdef WITH_%s\n#include \"%s.h\"\n", k->name, k->name);
        for (int r = 0; r < k->nruns; r++) {
            const char *args = "";
            for (int j = 0; j < k->runs[r]->nins; j++) {
                const Val *v = &k->runs[r]->in[j];
                const char *path = internf(ctx, "%s/%s.%d.%d.pb", dir, k->name, r, j);
                write_pb(path, v);
                args = internf(ctx, "%s %s=%s", args, v->name, path);
            }
            fprintf(list, "%s|%d|%s|run|%s|%s\n", k->name, r, k->path, k->options, args);
            emit_run(f, k, r, k->runs[r]);
        }
        fputs("#endif\n", f);
    }
    fputs("int main(void)\n{\n", f);
    for (int i = 0; i < n; i++)
        if (!cases[i]->nerrors) {
            fprintf(f, "#ifdef WITH_%s\n", cases[i]->name);
            for (int r = 0; r < cases[i]->nruns; r++)
                fprintf(f, "    %s_%d();\n", cases[i]->name, r);
            fputs("#endif\n", f);
        }
    fputs("    return 0;\n}\n", f);
    fclose(list);
    fclose(f);
}

/* ---- judge
 * --------------------------------------------------------------------------------------------------------------- */

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

/* ---- agreement ----------------------------------------------------------------------------------------------------- */

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
        good = agrees(k, "interpreted before the passes", want, p, a, exact) && good;
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
