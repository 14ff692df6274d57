/* What run.sh needs to run the cases: inputs as files, a program that calls every compiled one, a list of commands. */
#ifndef BURIN_CASE_PLAN_H
#define BURIN_CASE_PLAN_H

#include "case.h"

#include <ctype.h>

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

static void emit_call(FILE *f, const Case *k, int run, const Run *r)
{
    fprintf(f, "    %s_run(", k->name);
    for (int i = 0; i < r->nins; i++)
        fprintf(f, "%scopy(%s_%d_%d, %zu)", i ? ", " : "", k->name, run, i, r->in[i].t->bytes);
    for (int i = 0; i < r->nouts; i++)
        fprintf(f, "%so%d", i || r->nins ? ", " : "", i);
    for (int i = 0; i < r->nouts; i++)
        if (r->out[i].part)
            fprintf(f, ", c%d", i);
    fputs(");\n", f);
}

/* With --io=arena. */
static void emit_call_in_arena(FILE *f, const Case *k, int run, const Run *r, const char *upper)
{
    const char *name = k->name;
    fprintf(f, "    memset(%s_arena, 0xA5, sizeof %s_arena);\n", name, name);
    for (int i = 0; i < r->nins; i++)
        fprintf(f, "    memcpy(%s_arena->bytes + %s_IN%d_OFFSET, %s_%d_%d, %zu);\n", name, upper, i, name, run, i,
                r->in[i].t->bytes);
    fprintf(f, "    %s_run();\n", name);
    for (int i = 0; i < r->nouts; i++)
        fprintf(f, "    memcpy(o%d, %s_arena->bytes + %s_OUT%d_OFFSET, %s_OUT%d_BYTES);\n", i, name, upper, i, upper,
                i);
    for (int i = 0; i < r->nouts; i++)
        if (r->out[i].part)
            fprintf(f, "    memcpy(c%d, %s_arena->bytes + %s_OUT%d_COUNTS_OFFSET, sizeof c%d);\n", i, name, upper, i,
                    i);
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
    fputs("#ifdef ARENA_IO\n", f);
    emit_call_in_arena(f, k, run, r, upper);
    fputs("#else\n", f);
    emit_call(f, k, run, r);
    fputs("#endif\n", f);
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
    "size_t strings(int rank, const long *d);\nsize_t strings(int rank, const long *d)\n{\n"
    "    size_t n = sizeof(char *);\n"
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

#endif
