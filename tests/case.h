/* The text cases, read: a graph, what its inputs are and what its outputs must be, in its comments (op/README.md). */
#ifndef BURIN_CASE_H
#define BURIN_CASE_H

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

/* ---- values as text ---------------------------------------------------------------------------------------------- */

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

/* ---- cases ------------------------------------------------------------------------------------------------------- */

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

#endif
