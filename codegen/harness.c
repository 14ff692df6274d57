/* The program around an emitted function, for this machine: a main that reads the inputs from a file, calls the
 * function once and writes the outputs to a file, or with EmitOptions.steps what meter.c measures; and the same two
 * files on our side.
 *
 * The files: each parameter's bytes in turn, as in memory; of strings their number of bytes, as an unsigned long long,
 * then the strings, each with its NUL. Before the outputs stands one byte: '1' where product-sums are fused. Outputs
 * and arena are filled with FILL before the call, so that what is read but not written shows. */
#include "emit.h"

#define FILL 0xA5

static const char program[] =
    "typedef struct Param { size_t bytes, elems; int string; } Param;\n"
    "\n"
    "static void fail(const char *what)\n"
    "{\n"
    "    fprintf(stderr, \"%s\\n\", what);\n"
    "    exit(EXIT_FAILURE);\n"
    "}\n"
    "\n"
    "static void *room(size_t n)\n"
    "{\n"
    "    void *p = NEW_ROOM(n ? n : 1);\n"
    "    if (!p) fail(\"out of memory\");\n"
    "    memset(p, FILL, n);\n"
    "    return p;\n"
    "}\n"
    "\n"
    "static void get(FILE *f, void *to, size_t n)\n"
    "{\n"
    "    if (fread(to, 1, n, f) != n) fail(\"the inputs are cut short\");\n"
    "}\n"
    "\n"
    "static char *get_strings(FILE *f, const char **to, size_t count)\n"
    "{\n"
    "    unsigned long long n;\n"
    "    get(f, &n, sizeof n);\n"
    "    char *text = room((size_t)n), *at = text;\n"
    "    get(f, text, (size_t)n);\n"
    "    for (size_t i = 0; i < count; i++) {\n"
    "        to[i] = at;\n"
    "        at += strlen(at) + 1;\n"
    "    }\n"
    "    return text;\n"
    "}\n"
    "\n"
    "static void *get_param(FILE *f, const Param *k, char **text)\n"
    "{\n"
    "    void *p = room(k->bytes);\n"
    "    if (k->string) *text = get_strings(f, p, k->elems);\n"
    "    else get(f, p, k->bytes);\n"
    "    return p;\n"
    "}\n"
    "\n"
    "static void *out_room(const Param *k)\n"
    "{\n"
    "    void *p = room(k->bytes);\n"
    "    for (size_t i = 0; k->string && i < k->elems; i++) ((const char **)p)[i] = \"\";\n"
    "    return p;\n"
    "}\n"
    "\n"
    "static FILE *opened(const char *path, const char *mode)\n"
    "{\n"
    "    FILE *f = fopen(path, mode);\n"
    "    if (!f) fail(path);\n"
    "    return f;\n"
    "}\n"
    "\n";

/* What is timed begins at a line of the cache: elsewhere it would depend on what malloc likes. */
static const char lines_room[] =
    "static void *line_room(size_t n)\n"
    "{\n"
    "    void *p;\n"
    "    return posix_memalign(&p, 64, n) ? NULL : p;\n"
    "}\n"
    "\n"
    "#define NEW_ROOM line_room\n"
    "\n";

static const char writers[] =
    "static void put_strings(FILE *f, const char *const *from, size_t count)\n"
    "{\n"
    "    unsigned long long n = 0;\n"
    "    for (size_t i = 0; i < count; i++) n += strlen(from[i]) + 1;\n"
    "    fwrite(&n, sizeof n, 1, f);\n"
    "    for (size_t i = 0; i < count; i++) fwrite(from[i], 1, strlen(from[i]) + 1, f);\n"
    "}\n"
    "\n"
    "static void put_param(FILE *f, const Param *k, const void *p)\n"
    "{\n"
    "    if (k->string) put_strings(f, p, k->elems);\n"
    "    else fwrite(p, 1, k->bytes, f);\n"
    "}\n"
    "\n";

static const char aligned[] =
    "static void *aligned(char *p, size_t align)\n"
    "{\n"
    "    return p + (align - (size_t)((uintptr_t)p % align)) % align;\n"
    "}\n"
    "\n";

static void print_params(FILE *f, const char *upper, const char *way, int n, Buf *const *bufs)
{
    for (int i = 0; i < n; i++)
        fprintf(f, "    {%s_%s%d_BYTES, %s_%s%d_ELEMS, %d},\n", upper, way, i, upper, way, i,
                bufs[i]->dt == DT_STRING);
}

/* With --io=arena: from and to where they live. */
static void print_moves(FILE *f, const Prog *p, const EmitOptions *o, const char *upper, bool inputs)
{
    const int shown = p->nouts - o->ncounts;
    fprintf(f, "static void %s(void)\n{\n", inputs ? "put_inputs" : "take_outputs");
    for (int i = 0; i < (inputs ? p->nins : p->nouts) && o->io_arena; i++) {
        const int k = i + (inputs ? 0 : p->nins);
        fprintf(f, inputs ? "    memcpy(arena + " : "    memcpy(at[%d], arena + ", k);
        if (i < shown || inputs) fprintf(f, "%s_%s%d_OFFSET, ", upper, inputs ? "IN" : "OUT", i);
        else fprintf(f, "%s_OUT%d_COUNTS_OFFSET, ", upper, o->counted[i - shown]);
        fprintf(f, inputs ? "at[%d], params[%d].bytes);\n" : "params[%d].bytes);\n", k, k);
    }
    fputs("}\n\n", f);
}

/* static void call(void): the function, once, with all its parameters. */
static void print_call(FILE *f, const Prog *p, const EmitOptions *o)
{
    fprintf(f, "static void call(void)\n{\n    %s_run(", o->prefix);
    const char *comma = "";
    for (int i = 0; i < p->nins + p->nouts && !o->io_arena; i++, comma = i % 12 ? ", " : ",\n        ")
        fprintf(f, "%sat[%d]", comma, i);
    if (o->weights_bin) fprintf(f, "%sweights", comma);
    if (o->weights_bin) comma = ", ";
    if (o->arena_caller) fprintf(f, "%sarena", comma);
    fputs(");\n}\n\n", f);
}

static void print_main(FILE *f, const EmitOptions *o, const char *upper)
{
    fputs("int main(int argc, char **argv)\n{\n    FILE *in = argc > 2 ? opened(argv[1], \"rb\") : NULL;\n"
          "    if (!in) return EXIT_FAILURE;\n"
          "    for (int i = 0; i < INS; i++) at[i] = get_param(in, &params[i], &texts[i]);\n"
          "    for (int i = INS; i < INS + OUTS; i++) at[i] = out_room(&params[i]);\n    fclose(in);\n", f);
    if (o->weights_bin)
        fprintf(f, "    char *w = room(%s_WEIGHTS_BYTES + %s_WEIGHTS_ALIGN);\n"
                "    weights = aligned(w, %s_WEIGHTS_ALIGN);\n    in = opened(argv[3], \"rb\");\n"
                "    get(in, weights, %s_WEIGHTS_BYTES);\n    fclose(in);\n", upper, upper, upper, upper);
    if (o->arena_caller)
        fprintf(f, "    char *a = room(%s_ARENA_BYTES + %s_ARENA_ALIGN);\n    arena = aligned(a, %s_ARENA_ALIGN);\n",
                upper, upper, upper);
    else if (o->io_arena)
        fprintf(f, "    arena = (char *)%s_arena;\n    memset(arena, FILL, sizeof %s_arena);\n", o->prefix, o->prefix);
    fputs(o->steps ? "    FILE *out = opened(argv[2], \"wb\");\n    measure(out);\n"
          : "    put_inputs();\n    call();\n    take_outputs();\n    FILE *out = opened(argv[2], \"wb\");\n"
            "    fputc(FUSED, out);\n"
            "    for (int i = INS; i < INS + OUTS; i++) put_param(out, &params[i], at[i]);\n", f);
    fputs("    if (fclose(out)) fail(\"cannot write the outputs\");\n"
          "    for (int i = 0; i < INS + OUTS; i++) free(at[i]);\n"
          "    for (int i = 0; i < INS; i++) free(texts[i]);\n", f);
    if (o->weights_bin) fputs("    free(w);\n", f);
    if (o->arena_caller) fputs("    free(a);\n", f);
    fputs("    return 0;\n}\n", f);
}

void harness_print(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o)
{
    const char *upper = cname_upper(c, o->prefix);
    if (o->steps) fputs("#define _POSIX_C_SOURCE 200112L /* a clock */\n#include <time.h>\n", f);
    fprintf(f, "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "\n#include \"%s\"\n\n#define FILL %d\n#if %s%s\n#define FUSED '1'\n#else\n#define FUSED '0'\n#endif\n"
            "enum { INS = %d, OUTS = %d };\n\n%s%s%s%s", o->header_name, FILL, fused_test(DT_F32),
            o->isa ? " || (defined __x86_64__ && defined __GNUC__)" : "", p->nins, p->nouts,
            o->steps ? lines_room : "#define NEW_ROOM malloc\n\n", program, o->steps ? "" : writers,
            o->weights_bin || o->arena_caller ? aligned : "");
    fputs("static const Param params[] = {\n", f);
    print_params(f, upper, "IN", p->nins, p->ins);
    print_params(f, upper, "OUT", p->nouts - o->ncounts, p->outs);
    for (int i = p->nouts - o->ncounts; i < p->nouts; i++)       /* true dimensions have no macros */
        fprintf(f, "    {%zu, %lld, 0},\n", buf_bytes(p->outs[i]), (long long)buf_count(p->outs[i]));
    fputs("    {0, 0, 0},\n};\nstatic void *at[INS + OUTS + 1];\nstatic char *texts[INS + 1];\n", f);
    if (o->weights_bin) fputs("static void *weights;\n", f);
    if (o->arena_caller || o->io_arena) fputs("static char *arena;\n", f);
    print_moves(f, p, o, upper, true);
    if (!o->steps) print_moves(f, p, o, upper, false);
    print_call(f, p, o);
    if (o->steps) meter_print(f, c, p, o);
    print_main(f, o, upper);
    if (o->steps) meter_end(f, c, o);
}

/* ---- our side ---------------------------------------------------------------------------------------------------- */

void harness_put(FILE *f, const Tensor *t)
{
    if (t->type.dt != DT_STRING) {
        fwrite(t->data, 1, t->bytes, f);
        return;
    }
    unsigned long long n = 0;
    for (int64_t i = 0; i < type_count(t->type); i++) n += strlen(tensor_at_string(t, i)) + 1;
    fwrite(&n, sizeof n, 1, f);
    for (int64_t i = 0; i < type_count(t->type); i++)
        fwrite(tensor_at_string(t, i), 1, strlen(tensor_at_string(t, i)) + 1, f);
}

static bool get_strings(Ctx *c, const File *f, size_t *at, Tensor *t)
{
    const char **to = (const char **)(uintptr_t)t->data;
    unsigned long long n;
    if (f->size - *at < sizeof n) return false;
    memcpy(&n, f->data + *at, sizeof n);
    *at += sizeof n;
    if (n > f->size - *at) return false;
    const char *s = f->data + *at, *end = s + n;
    for (int64_t i = 0; i < type_count(t->type); i++) {
        const char *nul = memchr(s, 0, (size_t)(end - s));
        if (!nul) return false;
        to[i] = intern_n(c, s, (size_t)(nul - s));
        s = nul + 1;
    }
    *at += (size_t)n;
    return true;
}

bool harness_get(Ctx *c, const File *f, size_t *at, Tensor *t)
{
    if (t->type.dt == DT_STRING) return get_strings(c, f, at, t);
    if (f->size - *at < t->bytes) return false;
    if (t->bytes) memcpy((void *)(uintptr_t)t->data, f->data + *at, t->bytes);
    *at += t->bytes;
    return true;
}

Tensor *harness_room(Ctx *c, Type t)
{
    Tensor *r = tensor_new(c, t);
    if (t.dt != DT_STRING && r->bytes) memset((void *)(uintptr_t)r->data, FILL, r->bytes);
    return r;
}
