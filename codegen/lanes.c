/* Loops of lanes: their steps are independent, and compilers are told so, each in its own words.
 *
 * Loops over the same lanes that stand beside each other are printed as one, in which P_ALSO stands between their
 * bodies: nothing for clang, which vectorises all of it at once; the end of one loop and the head of the next for
 * gcc, which keeps an array of its own per loop in registers, but with few of these does better with one. P_LANES(n)
 * is for as many lanes as fill whole registers, P_SUMS(n) for those that add to arrays, P_LINE(n) for long straight
 * lines, which have enough to do, and to hold, with one register of each at a time, P_EACH for any number of lanes;
 * P_ROLLED keeps the loop around them a loop, P_AROUND does for clang alone.
 *
 * What such a function reaches in the arena and in constants it reaches through pointers: gcc keeps an array in
 * registers only when nothing else in the loop is an element of another array. */
#include "emit.h"

enum { LANES_LEAST = 4, LANES_MOST = 64, SUMS_MOST = 80, LINE_LONG = 16 };

bool has_lanes(const Stmt *s)
{
    if (s->kind == S_FOR && s->lanes) return true;
    for (int i = 0; i < s->n; i++)
        if (has_lanes(s->body[i])) return true;
    return false;
}

/* clang at -O2 leaves a loop of one step that is longer than this a loop, and arrays that it reads in memory. */
enum { BESIDE_MOST = 120 };

static int64_t length_of(const Stmt *lanes)
{
    const Stmt *s = lanes->body[0];
    return s->kind == S_STORE && s->buf->kind != BUF_LOCAL ? s->value->size + 2 : 0;
}

int lanes_beside(const Stmt *const *s, int n)
{
    int64_t length = 0;
    int k = 0;
    while (k < n && s[k]->kind == S_FOR && s[k]->lanes && s[k]->var == s[0]->var && s[k]->extent == s[0]->extent) {
        length += length_of(s[k]);
        if (k && length > BESIDE_MOST) break;
        k++;
    }
    return k;
}

static bool whole(int64_t extent)
{
    return extent >= LANES_LEAST && extent <= LANES_MOST && (extent & (extent - 1)) == 0;
}

static void see_own(const Expr *x, void *arg)
{
    const Buf **own = arg;
    if (x->kind == E_LOAD && x->buf == *own) *own = NULL;
}

/* Whether the loops add to local arrays, and to few enough elements that a machine of few registers gains when two
 * steps are printed as one. Elsewhere that is text alone. */
static bool sums_few(Emit *e, const Stmt *const *loops, int n)
{
    if (n * loops[0]->extent > SUMS_MOST) return false;
    for (int i = 0; i < n; i++) {
        const Stmt *s = loops[i]->body[0];
        const Buf *own = s->kind == S_STORE && s->buf->kind == BUF_LOCAL ? s->buf : NULL;
        if (!own) return false;
        expr_walk(e->c, s->value, see_own, &own);
        if (own) return false;
    }
    return true;
}

static void print_head(Emit *e, FILE *f, const Idx *i, int64_t extent)
{
    fprintf(f, "for (%s ", idx_type(e));
    print_index(e, f, i);
    fputs(" = 0; ", f);
    print_index(e, f, i);
    fprintf(f, " < %lld; ", (long long)extent);
    print_index(e, f, i);
    fputs("++) {", f);
}

void print_lanes(Emit *e, const Stmt *const *loops, int n, int indent)
{
    const Stmt *s = loops[0];
    const Idx *i = idx_var(e->c, s->var, s->extent);
    const bool lanes = whole(s->extent), line = lanes && s->body[0]->n > LINE_LONG;
    FILE *f = e->line->f;
    VEC_PUSH(e->c, e->vars, s->var);
    e->lanes |= lanes;
    e->lines |= line;
    e->each |= !lanes;
    fprintf(f, "%s_%s", e->upper, !lanes ? "EACH" : line ? "LINE" : sums_few(e, loops, n) ? "SUMS" : "LANES");
    if (lanes) fprintf(f, "(%lld)", (long long)s->extent);
    print_line(e, e->inner->f, indent);
    print_head(e, f, i, s->extent);
    print_line(e, e->inner->f, indent);
    for (int k = 0; k < n; k++) {
        if (k && lanes) {
            fprintf(f, "%s_ALSO(%s, ", e->upper, idx_type(e));
            print_index(e, f, i);
            fprintf(f, ", %lld)", (long long)s->extent);
            print_line(e, e->inner->f, indent + INDENT);
        } else if (k) {
            fprintf(e->inner->f, "%*s}\n%*s%s_EACH\n", indent, "", indent, "", e->upper);
            print_head(e, f, i, s->extent);
            print_line(e, e->inner->f, indent);
        }
        e->in_lanes = true;
        print_stmt(e, loops[k]->body[0], indent + INDENT);
        e->in_lanes = false;
    }
    fprintf(e->inner->f, "%*s}\n", indent, "");
    e->vars.n--;
}

/* ---- the macros; P stands for the prefix in capitals --------------------------------------------------------- */

static const char lane_macros[] =
    "#if defined(__AVX512F__) || defined(P_AVX512)\n"
    "#define P_LANES_MOST 16\n"
    "#elif defined(__AVX__) || defined(P_FMA)\n"
    "#define P_LANES_MOST 8\n"
    "#else\n"
    "#define P_LANES_MOST 4\n"
    "#endif\n"
    "#define P_WIDTH(n) ((n) < P_LANES_MOST ? (n) : P_LANES_MOST)\n";

static const char pragma_macros[] =
    "#define P_PRAGMA_TEXT(x) _Pragma(#x)\n"
    "#define P_PRAGMA(x) P_PRAGMA_TEXT(x)\n";

/* tune= is known from clang 13 on, as this warning is. */
#define CLANG_TUNES "__has_warning(\"-Wreserved-identifier\")"

#define TUNED "/* This machine has no preference for halves of registers, which would make clang halve the arrays. */\n"

/* Compilers that know of registers of 64 bytes may still prefer halves of them: clang then clears arrays by halves,
 * which whole registers are read from at once. It cannot be told so but by the name of a machine that has no such
 * preference. */
static const char clang_wide[] =
    "#if defined(__AVX512F__) && " CLANG_TUNES "\n"
    TUNED
    "#pragma clang attribute push(__attribute__((target(\"tune=skylake\"))), apply_to = function)\n"
    "#elif defined(__AVX512F__)\n"
    "#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)\n"
    "#endif\n";

static const char clang_isa[] =
    "#if !defined(__clang__)\n#pragma GCC target(\"%s\")\n#elif " CLANG_TUNES "\n" TUNED
    "#pragma clang attribute push(__attribute__((target(\"%s,tune=skylake\"))), apply_to = function)\n#else\n"
    "#pragma clang attribute push(__attribute__((target(\"%s\"))), apply_to = function)\n#endif\n#endif\n\n";

/* A register of 64 bytes that is read across the end of a cache line takes twice the time. */
static const char aligned[] =
    "#if defined(__GNUC__)\n#define P_ALIGNED __attribute__((aligned(64)))\n#else\n#define P_ALIGNED\n#endif\n";

/* gcc makes a call of memcpy of a loop that copies an array, which then is no longer kept in registers. */
static const char gcc_whole[] =
    "#pragma GCC optimize(\"no-tree-loop-distribute-patterns\")\n";

/* What some products share it reads again for each, where it takes a machine to be slow at moving registers (znver3 and
 * intel, of the names it knows); of those that move them fast, haswell still does so where sums are written out. */
static const char gcc_kept[] =
    "#if defined(__AVX__)\n"
    "/* On this machine values that several products share stay in registers. */\n"
    "#pragma GCC target(\"tune=skylake\")\n"
    "#endif\n";

/* At -O2 it takes loops only whose count is a multiple of what a register holds and that read side by side. */
static const char gcc_wide[] =
    "#pragma GCC optimize(\"vect-cost-model=dynamic\")\n"
    "#if defined(__AVX512F__)\n"
    "#pragma GCC target(\"prefer-vector-width=512\")\n"
    "#endif\n";

/* Left alone, clang takes half a register of AVX-512. */
static const char each_macro[] =
    "#define P_EACH P_PRAGMA(clang loop vectorize(assume_safety) vectorize_width(P_LANES_MOST))\n";

/* An array that is cleared by a call does not stay in registers: clang takes a loop that clears one for memset. */
static const char clang_keeps[] =
    "#if __has_attribute(no_builtin)\n"
    "#define P_KEEPS __attribute__((no_builtin(\"memset\")))\n"
    "#else\n"
    "#define P_KEEPS\n"
    "#endif\n";

/* At -O3 clang writes out short loops of lanes, and would then make vectors of the loop around them; gcc writes out the
 * loop around them, and what its steps read in common goes to the stack. */
static const char clang_rolled[] = "#define P_ROLLED P_PRAGMA(clang loop unroll(disable) vectorize(disable))\n";
static const char gcc_rolled[] = "#define P_ROLLED P_PRAGMA(GCC unroll 1)\n";

/* gcc warns of loops whose end is a choice, and writes out those of two steps when it is told not to. */
static const char clang_around[] = "#define P_AROUND P_PRAGMA(clang loop unroll(disable) vectorize(disable))\n";

/* With all lanes side by side, clang would spill most of them where registers are few: a loop then takes one register
 * at a time, which is a third of the text. */
static const char clang_lanes[] =
    "#define P_SIDE(n, count) P_PRAGMA(clang loop vectorize(assume_safety) vectorize_width(P_WIDTH(n)) \\\n"
    "    interleave_count(count))\n"
    "#if P_LANES_MOST > 4 || defined(__ARM_NEON)\n"
    "#define P_LANES(n) P_PRAGMA(clang loop unroll_count(2)) P_SIDE(n, (n) / P_WIDTH(n))\n"
    "#define P_SUMS(n) P_LANES(n)\n"
    "#else\n"
    "#define P_LANES(n) P_PRAGMA(clang loop unroll(disable)) P_SIDE(n, 1)\n"
    "#define P_SUMS(n) P_PRAGMA(clang loop unroll_count(2)) P_SIDE(n, 1)\n"
    "#endif\n"
    "#define P_ALSO(type, i, n)\n";

static const char gcc_lanes[] =
    "#define P_LANES(n) P_PRAGMA(GCC unroll 1) P_PRAGMA(GCC ivdep)\n"
    "#define P_SUMS(n) P_LANES(n)\n"
    "#if defined(__AVX__) || defined(__ARM_NEON)\n"
    "#define P_ALSO(type, i, n) } P_LANES(n) for (type i = 0; i < (n); i++) {\n"
    "#else\n"
    "#define P_ALSO(type, i, n)\n"
    "#endif\n";

static const char lanes_told[] =
    "\n * P_LANES, P_SUMS: as many as fill registers; the latter add to arrays. P_ALSO between two bodies: one loop\n"
    " * for clang, for gcc loops of their own, which it takes for vectors one by one.";

static void print_macros(Emit *e, FILE *f, const char *text)
{
    for (const char *p = text; *p; p++) {
        const bool placeholder = *p == 'P' && p[1] == '_' && (p == text || strchr(" (\n", p[-1]));
        if (placeholder) fputs(e->upper, f);
        else fputc(*p, f);
    }
}

static bool any_lanes(const Emit *e)
{
    return e->lanes || e->each;
}

void print_aligned(const Emit *e, FILE *f)
{
    if (any_lanes(e)) fprintf(f, " %s_ALIGNED", e->upper);
}

void print_isa(Emit *e, FILE *f)
{
    if (!e->o->isa || !e->body->n) return;
    const bool wide = strstr(e->o->isa, "avx512");
    fprintf(f, "/* For x86-64 with %s, whatever the compiler's options say. */\n", e->o->isa);
    fputs("#if defined(__x86_64__) && defined(__GNUC__)\n", f);
    print_macros(e, f, wide ? "#define P_FMA\n#define P_AVX512\n" : "#define P_FMA\n");
    fprintf(f, clang_isa, e->o->isa, e->o->isa, e->o->isa);
}

void print_keeps(Emit *e, FILE *f)
{
    if (!any_arrays(e->fn)) return;
    e->keeps = true;
    print_macros(e, f, "P_KEEPS\n");
}

/* Undoes what holds for the functions in between. */
void print_lanes_end(Emit *e, FILE *f)
{
    if (any_lanes(e) && !e->o->isa)
        print_macros(e, f, "\n#if defined(__clang__) && defined(__AVX512F__)\n#pragma clang attribute pop\n#endif\n");
    if (e->o->isa && e->body->n)
        print_macros(e, f, "\n#if defined(__clang__) && defined(P_FMA)\n#pragma clang attribute pop\n#endif\n");
}

void print_lane_macros(Emit *e, FILE *f)
{
    if (!any_lanes(e) && !e->rolled && !e->around) return;
    fputs("/* Loops whose steps are independent, told to each compiler in its own words.", f);
    if (e->lanes) print_macros(e, f, lanes_told);
    if (e->lines) print_macros(e, f, "\n * P_LINE: one register of each thing at a time.");
    fputs(" */\n", f);
    if (any_lanes(e)) print_macros(e, f, lane_macros);
    if (any_lanes(e)) print_macros(e, f, aligned);
    print_macros(e, f, pragma_macros);
    fputs("#if defined(__clang__)\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n", f);
    if (any_lanes(e) && !e->o->isa) print_macros(e, f, clang_wide);
    if (e->lanes) print_macros(e, f, clang_lanes);
    if (e->lines) print_macros(e, f, "#define P_LINE(n) P_SIDE(n, 1)\n");
    if (e->each) print_macros(e, f, each_macro);
    if (e->rolled) print_macros(e, f, clang_rolled);
    if (e->keeps) print_macros(e, f, clang_keeps);
    if (e->around) print_macros(e, f, clang_around);
    fputs("#elif defined(__GNUC__)\n", f);
    if (e->lanes) print_macros(e, f, gcc_whole);
    if (any_lanes(e)) print_macros(e, f, gcc_kept);
    if (any_lanes(e)) print_macros(e, f, gcc_wide);
    if (e->lanes) print_macros(e, f, gcc_lanes);
    if (e->lines) print_macros(e, f, "#define P_LINE(n) P_LANES(n)\n");
    if (e->each) print_macros(e, f, "#define P_EACH P_PRAGMA(GCC ivdep)\n");
    if (e->keeps) print_macros(e, f, "#define P_KEEPS\n");
    if (e->rolled) print_macros(e, f, gcc_rolled);
    if (e->around) print_macros(e, f, "#define P_AROUND\n");
    fputs("#else\n", f);
    if (e->lanes) print_macros(e, f, "#define P_LANES(n)\n#define P_SUMS(n)\n#define P_ALSO(type, i, n)\n");
    if (e->lines) print_macros(e, f, "#define P_LINE(n)\n");
    if (e->each) print_macros(e, f, "#define P_EACH\n");
    if (e->rolled) print_macros(e, f, "#define P_ROLLED\n");
    if (e->keeps) print_macros(e, f, "#define P_KEEPS\n");
    if (e->around) print_macros(e, f, "#define P_AROUND\n");
    fputs("#endif\n\n", f);
}

/* ---- pointers ------------------------------------------------------------------------------------------------ */

static bool in_text(const Emit *e, const Buf *b)
{
    return b->kind == BUF_CONST && b->rank > 0 && !e->o->weights_bin;
}

typedef struct Pointer { const char *name; bool written; } Pointer;

static Pointer *pointer_of(Emit *e, const Buf *b)
{
    PtrMap *m = e->fn ? e->fn->pointers : NULL;
    if (!m || elem_per(b->dt) > 1 || b->dt == DT_STRING || (!in_arena(e, b) && !in_text(e, b))) return NULL;
    Pointer *p = ptrmap_get(m, b);
    if (p) return p;
    p = NEW(e->c, Pointer);
    p->name = cname_new(e->c, &e->fn->names, "p", b->name);
    ptrmap_put(e->c, m, b, p);
    return p;
}

const char *pointer_to(Emit *e, const Buf *b)
{
    const Pointer *p = pointer_of(e, b);
    return p ? p->name : NULL;
}

void pointer_write(Emit *e, const Buf *b)
{
    Pointer *p = pointer_of(e, b);
    if (p) p->written = true;
}

void print_pointers(Emit *e, FILE *to)
{
    FILE *f = e->line->f;
    for (int k = 0; e->fn->pointers && k < e->fn->touched.n; k++) {
        const Buf *b = e->fn->touched.at[k];
        const Pointer *p = pointer_of(e, b);
        if (!p) continue;
        const BufInfo *i = buf_info(e, b);
        fprintf(f, "%s%s *const %s = ", p->written ? "" : "const ", buf_ctype(b), p->name);
        if (b->kind == BUF_CONST) {
            fprintf(f, "%s%s;", i->name, i->bits ? ".f" : "");
        } else {
            print_member(e, f, b->dt);
            fprintf(f, " + %lld;", (long long)(i->offset / elem_bytes(b->dt)));
        }
        print_line(e, to, INDENT);
    }
}
