/* emit: the three texts of one program.
 *
 * Functions are printed first, into memory: printing them shows which helpers, constants, members of the arena and
 * headers they need, so nothing is emitted that is not used. Then the file is put together: header, includes, helpers,
 * constants, arena, functions. */
#include "emit.h"

/* ---- what stands in front of the functions ----------------------------------------------------------------------- */

static void print_packed_get(Emit *e, FILE *f, DType dt)
{
    const int bits = dtype_bits(dt), mask = (1 << bits) - 1, shift = bits == 4 ? 1 : 2;
    const char *type = scalar_ctype(dt), *index = e->wide ? "int64_t" : "int32_t";
    fprintf(f, "/* Element i of those that lie %d to a byte, the first lowest. */\n", 8 / bits);
    fprintf(f, "static inline %s %s_get_%s(const uint8_t *x, %s i)\n{\n", type, e->o->prefix, scalar_tag(dt), index);
    if (dtype_is_signed(dt))
        fprintf(f, "    return (%s)((((x[i >> %d] >> ((i & %d) * %d)) & %d) ^ %d) - %d);\n}\n\n", type, shift,
                8 / bits - 1, bits, mask, 1 << (bits - 1), 1 << (bits - 1));
    else
        fprintf(f, "    return (%s)((x[i >> %d] >> ((i & %d) * %d)) & %d);\n}\n\n", type, shift, 8 / bits - 1, bits,
                mask);
}

static void print_packed_put(Emit *e, FILE *f, int bits)
{
    const int mask = (1 << bits) - 1, shift = bits == 4 ? 1 : 2;
    fprintf(f, "static inline void %s_put_u%d(uint8_t *x, %s i, int v)\n{\n", e->o->prefix, bits,
            e->wide ? "int64_t" : "int32_t");
    fprintf(f, "    const int at = (int)(i & %d) * %d;\n", 8 / bits - 1, bits);
    fprintf(f, "    x[i >> %d] = (uint8_t)((x[i >> %d] & ~(%d << at)) | ((v & %d) << at));\n}\n\n", shift, shift, mask,
            mask);
}

/* A helper that is more than one expression. */
static bool long_inlined(const Emit *e, int h)
{
    return e->inlined[h] && helper_text(h)[0] == '{';
}

/* A loop that calls does not become vectors, and gcc inlines long helpers into one or two loops only. Where size
 * counts, calls are smaller. */
static void print_inline(Emit *e, FILE *f)
{
    bool any = false;
    for (int h = 0; h < helper_count(); h++) any |= long_inlined(e, h);
    if (!any) return;
    fputs("/* What loops of lanes call is part of them. */\n"
          "#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)\n", f);
    fprintf(f, "#define %s_INLINE __attribute__((always_inline))\n#else\n#define %s_INLINE\n#endif\n\n", e->upper,
            e->upper);
}

static void print_helpers(Emit *e, FILE *f)
{
    const int mad32 = helper_of(OP_mad, DT_F32), mad64 = helper_of(OP_mad, DT_F64);
    const char *also = e->o->isa ? internf(e->c, "%s_FMA", e->upper) : NULL;
    print_inline(e, f);
    for (int h = 0; h < helper_count(); h++) {
        if (!e->helpers[h]) continue;
        e->headers |= scalar_headers(helper_text(h)) | (h == mad32 || h == mad64 ? NEEDS_MATH_H : 0);
        if (long_inlined(e, h)) fprintf(f, "%s_INLINE\n", e->upper);
        helper_print(f, h, e->o->prefix, also);
        fputc('\n', f);
    }
    for (int dt = 0; dt < DT_COUNT; dt++)
        if (e->get[dt]) print_packed_get(e, f, (DType)dt);
    for (int bits = 2; bits <= 4; bits += 2)
        if (e->put[bits]) print_packed_put(e, f, bits);
}

bool arena_has(const Emit *e, const char *member)
{
    for (int i = 0; i < e->p->nbufs; i++) {
        const Buf *b = e->p->bufs[i];
        if (in_arena(e, b) && buf_info(e, b)->used && !strcmp(elem_member(b->dt), member)) return true;
    }
    return false;
}

/* The members that the functions use, each as long as the arena; when others see it, one for any byte as well. */
void print_union(Emit *e, FILE *f)
{
    const int64_t bytes = e->sizes.arena;
    fputs("union ", f);
    if (e->o->arena_caller || io_in_arena(e)) fprintf(f, "%s_arena ", e->o->prefix);
    fputs("{\n", f);
    if (io_in_arena(e)) fprintf(f, "    unsigned char bytes[%lld];\n", (long long)(bytes ? bytes : 1));
    for (int dt = 1; dt < DT_COUNT; dt++) {
        const char *member = elem_member((DType)dt);
        bool again = false;
        for (int k = 1; k < dt; k++) again |= !strcmp(elem_member((DType)k), member);
        if (again || !arena_has(e, member)) continue;
        const long long n = (long long)(bytes / elem_bytes((DType)dt));
        if (dt == DT_STRING) fprintf(f, "    union { const char *s; uint64_t room; } str[%lld];\n", n);
        else fprintf(f, "    %s %s[%lld];\n", dtype_ctype((DType)dt), member, n);
    }
    fputc('}', f);
}

static bool uses_arena(const Emit *e)
{
    for (int i = 0; i < e->p->nbufs; i++)
        if (in_arena(e, e->p->bufs[i]) && buf_info(e, e->p->bufs[i])->used) return true;
    return io_in_arena(e) && !e->o->arena_caller;    /* whoever calls may name it, whether or not it holds anything */
}

static void print_arena(Emit *e, FILE *f)
{
    const bool shown = io_in_arena(e);
    if (!uses_arena(e)) return;
    fprintf(f, "/* The workspace: %s has its place in it. */\n",
            shown ? "each input, output and value between them" :
                    "each value that one step computes for later ones");
    if (!e->o->arena_caller) fprintf(f, "%s_ARENA_ATTR %s", e->upper, shown ? "" : "static ");
    if (e->o->arena_caller || !shown) print_union(e, f);
    else fprintf(f, "union %s_arena", e->o->prefix);
    if (e->o->arena_caller) fputs(";\n\n", f);
    else {
        if (shown) fprintf(f, " %s_arena[1]", e->o->prefix);
        else fputs(" arena", f);
        print_aligned(e, f);
        fputs(";\n\n", f);
    }
}

/* ---- includes ---------------------------------------------------------------------------------------------------- */

typedef struct Mentions { bool ints, bools; } Mentions;

static bool word_char(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

static bool word_is(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(s, word, n);
}

/* Which types a text mentions, comments and literals aside. */
static void find_types(const char *s, size_t n, Mentions *m)
{
    for (size_t i = 0; i < n;) {
        if (!word_char(s[i])) {
            i += literal_unit(s + i, n - i);
            continue;
        }
        size_t k = 1;
        while (i + k < n && word_char(s[i + k])) k++;
        if (k > 5 && s[i + k - 1] == 't' && s[i + k - 2] == '_' && (s[i] == 'i' || s[i] == 'u') && s[i + k - 3] <= '9')
            m->ints = true;
        if (k < 6 && (word_is(s + i, k, "bool") || word_is(s + i, k, "true") || word_is(s + i, k, "false")))
            m->bools = true;
        i += k;
    }
}

static bool printed(const Emit *e, const Buf *b)      /* a constant that stands in the C text */
{
    return b->kind == BUF_CONST && buf_info(e, b)->used && !(e->o->weights_bin && b->dt != DT_STRING);
}

static void print_includes(Emit *e, FILE *f, const Sheet *helpers, const Sheet *arena)
{
    Mentions m = {false, false};
    find_types(helpers->at, helpers->n, &m);
    find_types(arena->at, arena->n, &m);
    find_types(e->body->at, e->body->n, &m);
    for (int i = 0; i < e->p->nbufs; i++) {
        const Buf *b = e->p->bufs[i];
        if (!printed(e, b)) continue;
        if (b->dt == DT_BOOL) m.bools = true;
        else if (buf_info(e, b)->bits || (b->dt != DT_F32 && b->dt != DT_F64 && b->dt != DT_STRING)) m.ints = true;
    }
    if (e->headers & NEEDS_MATH_H) fputs("#include <math.h>\n", f);
    if (m.bools) fputs("#include <stdbool.h>\n", f);
    if (m.ints) fputs("#include <stdint.h>\n", f);
    if (e->headers & NEEDS_STRING_H) fputs("#include <string.h>\n", f);
    if (e->headers || m.bools || m.ints) fputc('\n', f);
}

/* ---- emit -------------------------------------------------------------------------------------------------------- */

static void print_hook(Emit *e, FILE *f, const char *what, const char *why)
{
    fprintf(f, "#ifndef %s_%s\n#define %s_%s /* %s */\n#endif\n\n", e->upper, what, e->upper, what, why);
}

static void print_hooks(Emit *e, FILE *f)
{
    bool constants = e->strings.n > 0;
    for (int i = 0; i < e->p->nbufs; i++) {
        const BufInfo *b = buf_info(e, e->p->bufs[i]);
        constants |= printed(e, b->buf);
    }
    if (constants) print_hook(e, f, "CONST", "placement of constants");
    if (uses_arena(e) && !e->o->arena_caller) print_hook(e, f, "ARENA_ATTR", "placement of the workspace");
}

static bool mentions(const Sheet *t, const char *word)
{
    return t->n && memmem(t->at, t->n, word, strlen(word));
}

/* Compilers may join a product and a sum into one operation, which rounds once: clang does unless told here, gcc in
 * its own dialects. And gcc takes it that somebody reads the flags of floating-point exceptions: it would compute in
 * one arm of a choice only, which keeps loops from becoming vectors. */
static void print_rounding(Emit *e, FILE *f, const Sheet *helpers)
{
    const bool m32 = e->helpers[helper_of(OP_mad, DT_F32)], m64 = e->helpers[helper_of(OP_mad, DT_F64)];
    const char *p = e->o->prefix;
    const bool products = mentions(helpers, " * ") && (mentions(helpers, "float") || mentions(helpers, "double"));
    if (!e->floats && !products) return;
    fputs("Products and sums are rounded one by one", e->line->f);
    if (m32) fprintf(e->line->f, ", but for %s_mad_f32", p);
    if (m64) fprintf(e->line->f, m32 ? " and %s_mad_f64" : ", but for %s_mad_f64", p);
    fputs(". gcc must be told so: -std=c99 or -ffp-contract=off.", e->line->f);
    print_comment(f, e->line, 0);
    fputs("#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
          "#elif defined(__GNUC__)\n#pragma GCC optimize(\"no-trapping-math\")\n#endif\n\n", f);
}

/* A function that may set errno is a call an element; whoever reads it not may say so. */
static void print_roots(Emit *e, FILE *f, const Sheet *helpers)
{
    static const char *const roots[][2] = {{"sqrtf", "float"}, {"sqrt", "double"}};
    for (int i = 0; i < 2; i++) {
        const char *name = roots[i][0], *call = internf(e->c, "%s(", name);
        if (!mentions(helpers, call) && !mentions(e->body, call)) continue;
        fputs("/* Nobody reads errno, so square roots need no call. */\n", f);
        fprintf(f, "#if defined(__GNUC__) && !defined(%s)\n", name);
        fprintf(f, "%s %s(%s) __attribute__((const));\n#endif\n\n", roots[i][1], name, roots[i][1]);
    }
}

/* The C file around the functions, which are in body. */
static void print_file(Emit *e, FILE *f)
{
    Sheet *helpers = sheet_new(e->c), *arena = sheet_new(e->c);
    print_helpers(e, helpers->f);
    print_arena(e, arena->f);
    sheet_end(helpers);
    sheet_end(arena);
    if (e->o->header_name) {
        fprintf(f, "/* %s_run; ", e->o->prefix);
        print_name(f, e->o->header_name);
        fprintf(f, " says what it computes and where it comes from. */\n#include \"%s\"\n", e->o->header_name);
    }
    fputc('\n', f);
    print_includes(e, f, helpers, arena);
    print_roots(e, f, helpers);
    print_rounding(e, f, helpers);
    print_isa(e, f);
    print_lane_macros(e, f);
    print_hooks(e, f);
    if (e->o->steps) fprintf(f, "void %s_step(int kernel); /* it is done: for burin bench */\n\n", e->o->prefix);
    fwrite(helpers->at, 1, helpers->n, f);
    print_constants(e, f);
    fwrite(arena->at, 1, arena->n, f);
    fwrite(e->body->at, 1, e->body->n, f);
    print_lanes_end(e, f);
    sheet_free(helpers);
    sheet_free(arena);
}

static void plan_buffers(Emit *e)
{
    const Prog *p = e->p;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= e->ninfo) e->ninfo = p->bufs[i]->id + 1;
    e->info = SCRATCH_N(e->c, BufInfo, e->ninfo + 1);
    for (int i = 0; i < p->nbufs; i++)
        e->info[p->bufs[i]->id] = (BufInfo){.buf = p->bufs[i], .offset = p->plan ? p->plan->offset[i] : -1};
}

static void emit_all(Emit *e, EmitFiles f)
{
    Ctx *c = e->c;
    e->upper = cname_upper(c, e->o->prefix);
    e->names.prefix = e->o->prefix;
    cnames_reserve(c, &e->names, (size_t)e->p->nbufs + (size_t)e->p->nkernels);
    e->helpers = SCRATCH_N(c, bool, helper_count());
    e->inlined = SCRATCH_N(c, bool, helper_count());
    e->body = sheet_new(c);
    e->line = sheet_new(c);
    e->inner = sheet_new(c);
    plan_buffers(e);
    plan_interface(e);
    plan_constants(e);
    emit_kernels(e);
    sheet_end(e->body);
    print_header(e, f.h);
    print_file(e, f.c);
    if (f.bin) write_bin(e, f.bin);
    sheet_free(e->body);
    sheet_free(e->line);
    sheet_free(e->inner);
}

bool emit(Ctx *c, const Prog *p, const EmitOptions *o, EmitFiles f)
{
    Emit e = {.c = c, .p = p, .o = o, .sizes = prog_sizes(c, p, o)};
    if (o->io_arena && !io_in_arena(&e)) ice(c, "inputs and outputs are not planned into the arena");
    if (!interface_fits(&e) || !budget_check(c, p, o, &e.sizes)) return false;
    Mark m = scratch_mark(c);
    emit_all(&e, f);
    scratch_release(c, m);
    return true;
}
