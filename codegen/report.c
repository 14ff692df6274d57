/* burin report: what a program needs and does, for people and as JSON.
 *
 * The JSON is one object; its accesses are all the memory accesses of the program, each with the interval that was
 * proved for it and the bound that the interval keeps. Names may hold any byte: what is no UTF-8 is given as the code
 * points of its bytes. */
#include "draw.h"

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void print_row(FILE *f, const char *what, int64_t bytes, const char *unit)
{
    fprintf(f, "%-24s %14lld%s%s\n", what, (long long)bytes, *unit ? " " : "", unit);
}

void report_text(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o)
{
    const Sizes s = prog_sizes(c, p, o);
    print_row(f, "arena", s.arena, "bytes");
    print_row(f, "  lower bound", s.lower_bound, "bytes");
    const char *unit = s.io_in_arena ? "bytes of the arena" : "bytes";
    print_row(f, "inputs", s.inputs, unit);
    print_row(f, "outputs", s.outputs, unit);
    print_row(f, "stack, at most", s.stack, "bytes");
    print_row(f, "RAM", ram_of(&s), "bytes");
    print_row(f, "constants", s.flash, "bytes");
    print_row(f, "operations, at most", s.ops, "");
    print_row(f, "moved, at most", s.bytes_moved, "bytes");
    const Buf **bufs = NEW_N(c, const Buf *, p->nbufs + 1);
    const int n = p->plan && s.arena > 0 ? alive_at(c, p, p->plan->peak, bufs) : 0;
    const long long peak = (long long)s.lower_bound;
    if (n) fprintf(f, "\nalive at the peak, %lld bytes, in %s:\n", peak, p->kernels[p->plan->peak]->what);
    for (int i = 0; i < n; i++)
        fprintf(f, "%14zu  %s %s\n", buf_bytes(bufs[i]), bufs[i]->name,
                type_text(c, (Type){bufs[i]->dt, bufs[i]->rank, bufs[i]->dims}));
    fprintf(f, "\n%14s %14s  kernel\n", "operations", "bytes moved");
    for (int i = 0; i < p->nkernels; i++) {
        const KernelSizes k = kernel_sizes(c, p->kernels[i]);
        fprintf(f, "%14lld %14lld  %s\n", (long long)k.ops, (long long)k.bytes, p->kernels[i]->what);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

void json_string(FILE *f, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    fputc('"', f);
    while (*s) {
        const int n = *s < 0x80 ? 0 : utf8_length((const char *)s);
        if (n) fwrite(s, 1, (size_t)n, f);
        else if (*s == '"' || *s == '\\') fprintf(f, "\\%c", *s);
        else if (*s < ' ' || *s > '~') fprintf(f, "\\u%04x", *s);
        else fputc(*s, f);
        s += n ? n : 1;
    }
    fputc('"', f);
}

void json_number(FILE *f, const char *name, int64_t v, const char *end)
{
    fprintf(f, "\"%s\": %lld%s", name, (long long)v, end);
}

void json_type(FILE *f, const char *name, Type t)
{
    fputs("\"name\": ", f);
    json_string(f, name);
    fprintf(f, ", \"type\": \"%s\", \"shape\": [", dtype_name(t.dt));
    for (int i = 0; i < t.rank; i++) fprintf(f, "%s%lld", i ? ", " : "", (long long)t.dims[i]);
    fprintf(f, "], \"bytes\": %zu", type_bytes(t));
}

static void json_buf(FILE *f, const Buf *b)
{
    fputc('{', f);
    json_type(f, b->name, (Type){b->dt, b->rank, b->dims});
    fputc('}', f);
}

static void json_bufs(FILE *f, const char *name, int n, const Buf *const *bufs)
{
    fprintf(f, "  \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        fputs(i ? ",\n    " : "\n    ", f);
        json_buf(f, bufs[i]);
    }
    fputs(n ? "\n  ],\n" : "],\n", f);
}

typedef struct Accesses { FILE *f; const Prog *p; int kernel; bool any; } Accesses;

static void json_access(const Access *a, void *arg)
{
    Accesses *s = arg;
    static const char *const kinds[] = {"input", "output", "constant", "temporary", "local"};
    while (s->kernel < s->p->nkernels && s->p->kernels[s->kernel] != a->kernel) s->kernel++;
    if (s->kernel == s->p->nkernels)          /* not in order: look again from the start */
        for (s->kernel = 0; s->kernel < s->p->nkernels && s->p->kernels[s->kernel] != a->kernel;) s->kernel++;
    fprintf(s->f, "%s{\"kernel\": %d, \"buffer\": ", s->any ? ",\n    " : "\n    ", s->kernel);
    json_string(s->f, a->buf->name);
    fprintf(s->f, ", \"kind\": \"%s\", \"access\": \"%s\", ", kinds[a->buf->kind], a->write ? "write" : "read");
    json_number(s->f, "dimension", a->dim, ", ");
    json_number(s->f, "low", a->lo, ", ");
    json_number(s->f, "high", a->hi, ", ");
    json_number(s->f, "bound", a->extent, "}");
    s->any = true;
}

static void json_kernels(FILE *f, Ctx *c, const Prog *p)
{
    fputs("  \"kernels\": [", f);
    for (int i = 0; i < p->nkernels; i++) {
        const KernelSizes k = kernel_sizes(c, p->kernels[i]);
        fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", f);
        json_string(f, p->kernels[i]->what);
        fputs(", \"output\": ", f);
        json_string(f, p->kernels[i]->out->name);
        fputs(", ", f);
        json_number(f, "operations", k.ops, ", ");
        json_number(f, "bytes_moved", k.bytes, "}");
    }
    fputs(p->nkernels ? "\n  ],\n" : "],\n", f);
}

static void json_sizes(FILE *f, const Sizes *s)
{
    fputs("  ", f);
    json_number(f, "ram_bytes", ram_of(s), ",\n  ");
    json_number(f, "arena_bytes", s->arena, ",\n  ");
    json_number(f, "arena_lower_bound_bytes", s->lower_bound, ",\n  ");
    json_number(f, "arena_align", s->arena_align, ",\n  ");
    json_number(f, "input_bytes", s->inputs, ",\n  ");
    json_number(f, "output_bytes", s->outputs, ",\n  ");
    json_number(f, "stack_bytes", s->stack, ",\n  ");
    json_number(f, "flash_bytes", s->flash, ",\n  ");
    json_number(f, "operations", s->ops, ",\n  ");
    json_number(f, "bytes_moved", s->bytes_moved, ",\n");
}

void report_json(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o)
{
    const Sizes s = prog_sizes(c, p, o);
    const Buf **bufs = NEW_N(c, const Buf *, p->nbufs + 1);
    fputs("{\n  \"burin\": \"" BURIN_VERSION "\",\n  \"name\": ", f);
    json_string(f, p->name);
    fputs(",\n", f);
    json_sizes(f, &s);
    json_bufs(f, "inputs", p->nins, (const Buf *const *)p->ins);
    json_bufs(f, "outputs", p->nouts, (const Buf *const *)p->outs);
    const int n = p->plan && s.arena > 0 ? alive_at(c, p, p->plan->peak, bufs) : 0;
    json_bufs(f, "peak", n, bufs);
    json_kernels(f, c, p);
    Accesses a = {f, p, 0, false};
    fputs("  \"accesses\": [", f);
    prog_accesses(c, p, json_access, &a);
    fputs(a.any ? "\n  ]\n}\n" : "]\n}\n", f);
}
