/* The header: what a caller may rely on: one function, macros about its parameters and needs, and the names of both
 * worlds side by side.
 *
 * It may be included from C99 and C++17, twice, beside that of another model, and behind any macros that others have
 * defined: so its parameters have lower-case names with a stem, and it includes only what its prototype needs. */
#include "emit.h"

#include <sha256.h>

Type param_type(const EmitOptions *o, const Buf *b)
{
    const Type *types = b->kind == BUF_IN ? o->in_types : o->out_types;
    return types ? types[b->index] : (Type){b->dt, b->rank, b->dims};
}

/* What C calls its place in the arena. */
static const char *offset_macro(Emit *e, const Buf *b)
{
    const int count = b->kind == BUF_OUT ? b->index - (e->p->nouts - e->o->ncounts) : -1;
    if (count >= 0) return internf(e->c, "%s_OUT%d_COUNTS_OFFSET", e->upper, e->o->counted[count]);
    return internf(e->c, "%s_%s%d_OFFSET", e->upper, b->kind == BUF_IN ? "IN" : "OUT", b->index);
}

/* Pointers have another size on each machine, and what they point to no place in the arena. */
bool interface_fits(Emit *e)
{
    const Prog *p = e->p;
    const int before = e->c->errors;
    for (int i = 0; i < p->nins + p->nouts && io_in_arena(e); i++) {
        const Buf *b = i < p->nins ? p->ins[i] : p->outs[i - p->nins];
        if (b->dt == DT_STRING)
            error(e->c, (Loc){0}, "%s '%s' is of strings, which --io=arena has no place for; say --io=copy",
                  i < p->nins ? "input" : "output", b->name);
    }
    return e->c->errors == before;
}

void plan_interface(Emit *e)
{
    const Prog *p = e->p;
    if (io_in_arena(e)) {
        for (int i = 0; i < p->nins; i++) buf_info(e, p->ins[i])->name = offset_macro(e, p->ins[i]);
        for (int i = 0; i < p->nouts; i++) buf_info(e, p->outs[i])->name = offset_macro(e, p->outs[i]);
        return;
    }
    for (int i = 0; i < p->nins; i++) buf_info(e, p->ins[i])->name = cname_new(e->c, &e->names, "in", p->ins[i]->name);
    for (int i = 0; i < p->nouts; i++)
        buf_info(e, p->outs[i])->name =
            cname_new(e->c, &e->names, i < p->nouts - e->o->ncounts ? "out" : "dims", p->outs[i]->name);
    if (p->nins + p->nouts > 127)
        warning(e->c, (Loc){0}, "the function has %d parameters; C99 compilers need not take more than 127",
                p->nins + p->nouts);
}

/* ---- the prototype ----------------------------------------------------------------------------------------------- */

void print_parameter(Emit *e, FILE *f, const Buf *b, bool written, const char *restricted)
{
    const char *type = buf_ctype(b), *name = buf_info(e, b)->name;
    if (b->dt == DT_STRING) fprintf(f, "%s%s*%s%s", type, written ? "" : "const ", restricted, name);
    else fprintf(f, "%s%s *%s%s", written ? "" : "const ", type, restricted, name);
}

void print_run_head(Emit *e, FILE *f, bool definition)
{
    const Prog *p = e->p;
    const char *restricted = definition ? "restrict " : "", *comma = "";
    FILE *to = e->line->f;
    fprintf(to, "void %s_run(", e->o->prefix);
    for (int i = 0; i < p->nins + p->nouts && !io_in_arena(e); i++, comma = ", ") {
        fputs(comma, to);
        print_parameter(e, to, i < p->nins ? p->ins[i] : p->outs[i - p->nins], i >= p->nins, restricted);
    }
    if (e->o->weights_bin) fprintf(to, "%sconst void *%sweights", comma, restricted);
    if (e->o->weights_bin) comma = ", ";
    if (e->o->arena_caller) fprintf(to, "%svoid *%sarena", comma, restricted);
    if (e->o->arena_caller) comma = ", ";
    fputs(*comma ? ")" : "void)", to);
    if (!definition) fputc(';', to);
    print_line(e, f, 0);
}

/* ---- macros ------------------------------------------------------------------------------------------------------ */

/* A constant that the preprocessor can use. */
static const char *number(Ctx *c, int64_t v)
{
    return internf(c, "%lld%s", (long long)v, v > INT32_MAX ? "LL" : "");
}

static void print_offset(Emit *e, FILE *f, const Buf *b)
{
    if (io_in_arena(e)) fprintf(f, "#define %s %s\n", offset_macro(e, b), number(e->c, buf_info(e, b)->offset));
}

static void print_macros(Emit *e, FILE *f, const char *way, int k, const Buf *b)
{
    const Type t = param_type(e->o, b);
    const char *m = e->upper, *elems = number(e->c, type_count(t));
    fprintf(f, "\n#define %s_%s%d_NAME ", m, way, k);
    const int room = STRING_MAX - 32 - (int)strlen(m);
    print_short_string(f, b->name, room < NAME_COLUMNS ? room > 3 ? room : 3 : NAME_COLUMNS);
    fprintf(f, "\n#define %s_%s%d_ELEMS %s\n#define %s_%s%d_BYTES ", m, way, k, elems, m, way, k);
    if (t.dt == DT_STRING) fprintf(f, "(%s * sizeof(char *))", elems);
    else fputs(number(e->c, (int64_t)type_bytes(t)), f);
    fprintf(f, "\n#define %s_%s%d_RANK %d\n#define %s_%s%d_DIMS {", m, way, k, t.rank, m, way, k);
    for (int i = 0; i < t.rank; i++) fprintf(f, "%s%s", i ? ", " : "", number(e->c, t.dims[i]));
    fputs(t.rank ? "}\n" : "1}\n", f);
    print_offset(e, f, b);
}

static void print_needs(Emit *e, FILE *f)
{
    const Sizes *s = &e->sizes;
    const char *m = e->upper;
    fprintf(f, "\n#define %s_ARENA_BYTES %s\n", m, number(e->c, s->arena));
    fprintf(f, "#define %s_ARENA_ALIGN %s\n", m, number(e->c, s->arena_align));
    fprintf(f, "#define %s_FLASH_BYTES %s\n", m, number(e->c, s->flash));
    fprintf(f, "#define %s_STACK_BYTES %s\n", m, number(e->c, s->stack));
    if (!e->o->weights_bin) return;
    fprintf(f, "#define %s_WEIGHTS_BYTES %s\n", m, number(e->c, e->bin_bytes));
    fprintf(f, "#define %s_WEIGHTS_ALIGN %s\n", m, number(e->c, e->bin_align));
}

/* ---- the comment on top ------------------------------------------------------------------------------------------ */

static void print_origin(Emit *e, FILE *f)
{
    const char *path = e->o->model_path, *slash = path ? strrchr(path, '/') : NULL;
    fprintf(f, " * Made by burin " BURIN_VERSION);
    if (!path) {
        fputs(".\n", f);
        return;
    }
    fputs(" from ", f);
    print_name(f, slash ? slash + 1 : path);
    const File *file = file_map(e->c, path);
    if (file) {
        char hex[SHA256_DIGEST_STRING_LENGTH];
        SHA256Data((const uint8_t *)file->data, file->size, hex);
        fprintf(f, "\n * SHA-256 %s", hex);
    }
    fputs("\n * options: ", f);
    print_escaped(f, e->o->options && *e->o->options ? e->o->options : "none");
    fputc('\n', f);
}

static void print_names(Emit *e, FILE *f)
{
    const Prog *p = e->p;
    size_t width = 0;
    for (int i = 0; i < p->nins + p->nouts; i++) {
        size_t n = strlen(buf_info(e, i < p->nins ? p->ins[i] : p->outs[i - p->nins])->name);
        if (n > width) width = n;
    }
    if (e->o->weights_bin && width < strlen("weights")) width = strlen("weights");
    if (e->o->arena_caller && width < strlen("arena")) width = strlen("arena");
    fputs(width ? " *\n" : "", f);
    for (int i = 0; i < p->nins + p->nouts; i++) {
        const Buf *b = i < p->nins ? p->ins[i] : p->outs[i - p->nins];
        const int k = i - (p->nins + p->nouts - e->o->ncounts);
        fprintf(f, " * %-*s  ", (int)width, buf_info(e, b)->name);
        if (k < 0) fprintf(f, "%s %d: ", i < p->nins ? "input" : "output", b->index);
        else fprintf(f, "the true dimensions of output %d, whose size depends on data: ", e->o->counted[k]);
        print_name(f, b->name);
        fprintf(f, " %s\n", type_text(e->c, param_type(e->o, b)));
    }
    if (e->o->weights_bin)
        fprintf(f, " * %-*s  the contents of OUT.bin: %s_WEIGHTS_BYTES bytes, aligned to %s_WEIGHTS_ALIGN\n",
                (int)width, "weights", e->upper, e->upper);
    if (e->o->arena_caller)
        fprintf(f, " * %-*s  the workspace: %s_ARENA_BYTES bytes, aligned to %s_ARENA_ALIGN\n", (int)width, "arena",
                e->upper, e->upper);
}

/* Where inputs and outputs are. */
static void print_places(Emit *e, FILE *f)
{
    const char *p = e->o->prefix, *m = e->upper;
    fputs(" *\n * Inputs and outputs live in the arena, _OFFSET bytes from its start", f);
    if (e->o->arena_caller) fputs(":\n * write the inputs there before the call", f);
    else fprintf(f, ": %s_arena->bytes + %s_..._OFFSET.\n * Write the inputs there before the call", p, m);
    fputs(", read the outputs behind it. The call overwrites the inputs;\n"
          " * the outputs last until the arena is written again.\n", f);
}

/* What a caller must know about the buffers. */
static void print_duties(Emit *e, FILE *f)
{
    if (io_in_arena(e)) {
        print_places(e, f);
        return;
    }
    const int buffers = e->p->nins + e->p->nouts + e->o->weights_bin + e->o->arena_caller;
    const char *read = e->p->nins == 0 ? e->o->weights_bin ? "Weights" : NULL :
                       e->o->weights_bin ? "Inputs and weights" : "Inputs";
    if (buffers == 0) return;
    fputs(" *\n", f);
    if (buffers > 1) fputs(" * No two of these buffers may overlap.", f);
    if (read) fprintf(f, "%s%s are never written.", buffers > 1 ? " " : " * ", read);
    fputs(buffers > 1 || read ? "\n" : "", f);
}

/* The element types of the prototype, or of the arena: what it must include. */
static void print_includes(Emit *e, FILE *f)
{
    static const char *const members[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "str"};
    const bool shown = io_in_arena(e);
    bool ints = false, bools = shown && !e->o->arena_caller && arena_has(e, "b");
    for (int i = 0; shown && !e->o->arena_caller && i < COUNT(members); i++) ints |= arena_has(e, members[i]);
    for (int i = 0; i < e->p->nins + e->p->nouts && !shown; i++) {
        const DType dt = (i < e->p->nins ? e->p->ins[i] : e->p->outs[i - e->p->nins])->dt;
        if (dt == DT_BOOL) bools = true;
        else if (dt != DT_F32 && dt != DT_F64 && dt != DT_STRING) ints = true;
    }
    if (bools) fputs("#include <stdbool.h>\n", f);
    if (ints) fputs("#include <stdint.h>\n", f);
    if (bools || ints) fputc('\n', f);
}

void print_header(Emit *e, FILE *f)
{
    const Prog *p = e->p;
    fprintf(f, "/* %s_run: the graph ", e->o->prefix);
    print_name(f, p->name ? p->name : "");
    fputs(" as a function.\n", f);
    print_origin(e, f);
    print_names(e, f);
    print_duties(e, f);
    /* The prefix as it is: m and M may be two models of one program. */
    fprintf(f, " */\n#ifndef BURIN_%s_H\n#define BURIN_%s_H\n\n", e->o->prefix, e->o->prefix);
    print_includes(e, f);
    fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", f);
    if (io_in_arena(e) && !e->o->arena_caller) {
        fputs("extern ", f);
        print_union(e, f);
        fprintf(f, " %s_arena[1];\n\n", e->o->prefix);
    }
    print_run_head(e, f, false);
    fputs("\n#ifdef __cplusplus\n}\n#endif\n", f);
    for (int i = 0; i < p->nins; i++) print_macros(e, f, "IN", i, p->ins[i]);
    for (int i = 0; i < p->nouts - e->o->ncounts; i++) print_macros(e, f, "OUT", i, p->outs[i]);
    for (int i = p->nouts - e->o->ncounts; i < p->nouts; i++) print_offset(e, f, p->outs[i]);
    print_needs(e, f);
    fputs("\n#endif\n", f);
}
