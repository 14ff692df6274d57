/* Kernels as C functions.
 *
 * Each kernel is a static function, called once, that takes the pointers it needs; run calls them in order. A program
 * of few kernels has them as paragraphs of run itself. More calls than GROUP are put into functions that make GROUP
 * calls each, and those likewise, so no function grows with the program. Constants and a static arena are of file
 * scope and are no parameters.
 *
 * A kernel that holds temporaries is a function of loops around calls: what fills one buffer is a function of its own,
 * which takes the loops that it stands in. In one function for all, gcc keeps no array in registers any more. */
#include "emit.h"

enum { GROUP = 200, PARAGRAPHS = 3, WHAT_MAX = 200, SOURCES_MAX = 6 };

typedef struct Routine {             /* a function of the emitted C */
    const char *name;
    int n; const Buf **bufs;         /* its pointers: inputs and outputs */
    bool *written;                   /* by it, per bufs */
    bool weights, arena;
    int step;                        /* the kernel that it is; -1: a group */
    int nloops; const Idx **loops; const char *loop_type;    /* variables that it takes */
    int loop; bool loop_used;        /* the one that is looked for */
} Routine;

/* With EmitOptions.steps: tells that the kernel is done. */
static void print_step(const Emit *e, FILE *f, int step)
{
    if (e->o->steps && step >= 0) fprintf(f, "%*s%s_step(%d);\n", INDENT, "", e->o->prefix, step);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static bool in_bin(const Emit *e, const Buf *b)
{
    return b->kind == BUF_CONST && e->o->weights_bin && b->dt != DT_STRING;
}

static int by_place(const void *a, const void *b)
{
    const Buf *x = *(const Buf *const *)a, *y = *(const Buf *const *)b;
    if (x->kind != y->kind) return (int)x->kind - (int)y->kind;
    if (x->index != y->index) return x->index - y->index;
    return x->id - y->id;
}

/* What the function that has just been printed needs. */
static Routine routine_of(Emit *e, const char *name)
{
    Function *fn = e->fn;
    Routine r = {.name = name, .arena = fn->uses_arena && e->o->arena_caller, .step = -1};
    if (fn->touched.n) qsort(fn->touched.at, (size_t)fn->touched.n, sizeof *fn->touched.at, by_place);
    int n = 0;
    while (n < fn->touched.n && fn->touched.at[n]->kind <= BUF_OUT) n++;     /* they come first */
    r.bufs = NEW_N(e->c, const Buf *, n);
    r.written = NEW_N(e->c, bool, n);
    r.weights = fn->weights;
    for (int i = 0; i < fn->touched.n; i++) {
        const Buf *b = fn->touched.at[i];
        if (in_bin(e, b)) r.weights = true;
        if ((b->kind != BUF_IN && b->kind != BUF_OUT) || in_arena(e, b)) continue;
        r.written[r.n] = buf_info(e, b)->written;
        r.bufs[r.n++] = b;
    }
    return r;
}

static void print_routine_head(Emit *e, FILE *to, const Routine *r)
{
    FILE *f = e->line->f;
    const char *comma = "";
    fprintf(f, "static void %s(", r->name);
    for (int i = 0; i < r->nloops; i++, comma = ", ") {
        fprintf(f, "%s%s ", comma, r->loop_type);
        print_index(e, f, r->loops[i]);
    }
    for (int i = 0; i < r->n; i++, comma = ", ") {
        fputs(comma, f);
        print_parameter(e, f, r->bufs[i], r->written[i], "restrict ");
    }
    if (r->weights) fprintf(f, "%sconst void *restrict weights", comma);
    if (r->weights) comma = ", ";
    if (r->arena) fprintf(f, "%sunion %s_arena *restrict arena", comma, e->o->prefix);
    if (r->arena) comma = ", ";
    fputs(*comma ? ")" : "void)", f);
    print_line(e, to, 0);
}

static void print_call(Emit *e, FILE *to, const Routine *r, int indent)
{
    FILE *f = e->line->f;
    const char *comma = "";
    fprintf(f, "%s(", r->name);
    for (int i = 0; i < r->nloops; i++, comma = ", ") {
        fputs(comma, f);
        print_index(e, f, r->loops[i]);
    }
    for (int i = 0; i < r->n; i++, comma = ", ") fprintf(f, "%s%s", comma, buf_info(e, r->bufs[i])->name);
    if (r->weights) fprintf(f, "%sweights", comma);
    if (r->weights) comma = ", ";
    if (r->arena) fprintf(f, "%sarena", comma);
    fputs(");", f);
    print_line(e, to, indent);
    print_step(e, to, r->step);
}

/* Typed pointers to the constants in OUT.bin that a function reads, and to what it reaches through pointers. */
static void print_function_head(Emit *e, FILE *to)
{
    for (int i = 0; i < e->fn->touched.n; i++) {
        const Buf *b = e->fn->touched.at[i];
        if (!in_bin(e, b)) continue;
        const BufInfo *info = buf_info(e, b);
        fprintf(e->line->f, "const %s *const %s = (const %s *)(const void *)((const uint8_t *)weights + %lld);",
                buf_ctype(b), info->name, buf_ctype(b), (long long)info->offset);
        print_line(e, to, INDENT);
    }
    print_pointers(e, to);
    print_arrays(e, to);
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

static Function function_new(Emit *e)
{
    e->spare.n = e->parts = 0;
    return (Function){.stamp = ++e->stamp, .names = {.up = &e->names, .prefix = e->o->prefix}, .touched = e->spare};
}

static void function_end(Emit *e)
{
    e->spare = e->fn->touched;
    e->fn = NULL;
}

static void see_loop(const Expr *x, void *arg)
{
    Routine *r = arg;
    const int n = x->kind == E_LOAD ? x->buf->rank : x->kind == E_INDEX || x->kind == E_IN ? 1 : 0;
    for (int d = 0; d < n; d++) r->loop_used |= idx_uses(x->at[d], r->loop);
}

/* Of the loops that are open where the function stands, those of which it needs to know. */
static void take_loops(Emit *e, Routine *r, const Stmt *nest)
{
    const Kernel k = {.nest = nest};
    r->loop_type = idx_type(e);
    r->loops = NEW_N(e->c, const Idx *, e->vars.n);
    for (int i = 0; i < e->vars.n; i++) {
        r->loop = e->vars.at[i];
        r->loop_used = false;
        kernel_walk(e->c, &k, see_loop, r);
        if (r->loop_used) r->loops[r->nloops++] = idx_var(e->c, r->loop, 2);
    }
}

static void take_loop_names(Emit *e, Function *fn)
{
    for (const char *p = "ijklmn"; *p; p++) cname_take(e->c, &fn->names, internf(e->c, "%c", *p));
}

/* Whether the text ends in what print_buf gives. */
static bool ends_in(Emit *e, const char *text, const Buf *b)
{
    const char *type = type_text(e->c, (Type){b->dt, b->rank, b->dims});
    const size_t n = strlen(text), name = strlen(b->name), tail = name + 1 + strlen(type);
    return n >= tail && !strncmp(text + n - tail, b->name, name) && !strcmp(text + n - strlen(type), type);
}

/* "Mul a + Add b + Relu y". Of a long one whole steps are left out of the middle: the first and the last stay. */
static void print_steps(Emit *e, FILE *f, const char *what)
{
    const size_t n = strlen(what);
    size_t head = 0;
    const char *tail = NULL;
    for (const char *p = what; n > WHAT_MAX && (p = strstr(p, " + ")); p += 3) {
        if ((size_t)(p - what) <= WHAT_MAX / 2) head = (size_t)(p - what);
        if (!tail && n - (size_t)(p - what) <= WHAT_MAX / 2) tail = p + 3;
    }
    if (n <= WHAT_MAX) {
        print_escaped(f, what);
        return;
    }
    print_escaped(f, intern_n(e->c, what, head ? head : WHAT_MAX));
    fputs(head ? " + ..." : "...", f);
    if (tail) fputs(" + ", f);
    if (tail) print_escaped(f, tail);
}

/* What the kernel computes, and from what. A part of one: what it fills. */
static void print_what(Emit *e, FILE *to, const Kernel *k, int indent)
{
    FILE *f = e->line->f;
    const char *what = k->what ? k->what : "Rows";
    int n = 0;
    print_steps(e, f, what);
    if (strlen(what) > WHAT_MAX || !ends_in(e, what, k->out)) {
        fputs(": ", f);
        print_buf(e, f, k->out);
    }
    for (int i = 0; i < e->fn->touched.n; i++) {
        const Buf *b = e->fn->touched.at[i];
        if (kernel_fills(k, b) || n++ >= SOURCES_MAX) continue;
        fputs(n > 1 ? ", " : " from ", f);
        print_buf(e, f, b);
    }
    fputs(n > SOURCES_MAX ? ", ..." : "", f);
    print_comment(to, e->line, indent);
}

static void print_kernel_body(Emit *e, const Kernel *k, const Stmt *nest)
{
    BufInfo *out = buf_info(e, k->out);
    if (out && k->out->kind == BUF_OUT && !out->begun && buf_odd(k->out)) {
        touch(e, k->out, true);
        out->begun = true;
        fprintf(e->inner->f, "%*s", INDENT, "");
        print_byte(e, e->inner->f, k->out, buf_count(k->out) / elem_per(k->out->dt));
        fputs(" = 0; /* padding bits are 0 */\n", e->inner->f);
    }
    print_stmt(e, nest, INDENT);
}

/* gcc 12 may take a function that reads and writes the arena for one without effects, and drop its call, when it
 * steps through both places by one pointer (elements of different sizes, rows of different lengths); not when it
 * looks at each function alone. */
static void print_guard(const Emit *e, FILE *f, const Kernel *k)
{
    bool reads = false;
    for (int i = 0; i < e->fn->touched.n; i++) {
        const Buf *b = e->fn->touched.at[i];
        reads |= in_arena(e, b) && b != k->out;
    }
    if (reads && (in_arena(e, k->out) || k->nheld))
        fputs("#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 /* gcc 12 may drop the call otherwise */\n"
              "__attribute__((noipa))\n#endif\n", f);
}

/* wide: indices need 64 bits, whatever the nest says. */
static Routine emit_function(Emit *e, const char *name, const Kernel *k, const Stmt *nest, bool wide)
{
    Function fn = function_new(e);
    Mark m = scratch_mark(e->c);
    e->fn = &fn;
    take_loop_names(e, &fn);
    PtrMap pointers = {0};
    if (has_lanes(nest)) fn.pointers = &pointers;
    fn.wide = wide;
    scan_stmt(e, nest);
    sheet_rewind(e->inner);
    print_kernel_body(e, k, nest);
    fflush(e->inner->f);
    e->wide |= fn.wide;
    FILE *f = e->body->f;
    Routine r = routine_of(e, name);
    r.step = -1;
    take_loops(e, &r, nest);
    print_what(e, f, k, 0);
    print_guard(e, f, k);
    if (!k->what) fputs("#if defined(__GNUC__)\n__attribute__((noinline))\n#endif\n", f);
    print_keeps(e, f);
    print_routine_head(e, f, &r);
    fputs("{\n", f);
    print_function_head(e, f);
    fwrite(e->inner->at, 1, e->inner->n, f);
    fputs("}\n\n", f);
    scratch_release(e->c, m);
    function_end(e);
    return r;
}

/* ---- a kernel in parts ------------------------------------------------------------------------------------------- */

static const char *name_of(Emit *e, const Buf *out)
{
    return cname_new(e->c, &e->names, "fill", out->name);
}

/* Functions of the parts of s, each before what calls it. */
static void emit_parts(Emit *e, const Kernel *k, const Stmt *s, bool wide)
{
    const Buf *one = stmt_fills(s);
    if (one) {
        const Kernel part = {.loc = k->loc, .out = one, .nest = s};
        Routine *r = NEW(e->c, Routine);
        *r = emit_function(e, name_of(e, one), &part, s, wide);
        ptrmap_put(e->c, &e->calls, s, r);
        return;
    }
    if (s->kind == S_FOR) VEC_PUSH(e->c, e->vars, s->var);
    for (int i = 0; i < s->n; i++) emit_parts(e, k, s->body[i], wide);
    if (s->kind == S_FOR) e->vars.n--;
}

bool print_part(Emit *e, const Stmt *s, int indent)
{
    const Routine *r = e->calls.n ? ptrmap_get(&e->calls, s) : NULL;
    if (!r) return false;
    for (int i = 0; i < r->n; i++) touch(e, r->bufs[i], r->written[i]);
    e->fn->weights |= r->weights;
    e->fn->uses_arena |= r->arena;
    print_call(e, e->inner->f, r, indent);
    return true;
}

static Routine emit_kernel(Emit *e, const Kernel *k, int step)
{
    e->parts = 0;
    const Stmt *nest = split_stmt(e, k->nest);
    const char *name = name_of(e, k->out);
    Function fn = {0};
    if (k->nheld) {
        fn = function_new(e);
        e->fn = &fn;
        scan_stmt(e, nest);
        function_end(e);
        emit_parts(e, k, nest, fn.wide);
    }
    Routine r = emit_function(e, name, k, nest, fn.wide);
    r.step = step;
    return r;
}

/* ---- run --------------------------------------------------------------------------------------------------------- */

/* One function that calls n others: it needs what they need. */
static Routine emit_group(Emit *e, const Routine *calls, int n)
{
    Function fn = function_new(e);
    const char *name = cname_new(e->c, &e->names, "fill", "part");
    e->fn = &fn;
    bool weights = false, arena = false;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < calls[i].n; k++) touch(e, calls[i].bufs[k], calls[i].written[k]);
        weights |= calls[i].weights;
        arena |= calls[i].arena;
    }
    Routine r = routine_of(e, name);
    r.weights = weights;
    r.arena = arena;
    FILE *f = e->body->f;
    /* Inlined, as compilers do with what is called once, all of it would be one function: their time is its square. */
    fprintf(f, "/* From %s to %s. */\n", calls[0].name, calls[n - 1].name);
    fputs("#if defined(__GNUC__)\n__attribute__((noinline))\n#endif\n", f);
    print_routine_head(e, f, &r);
    fputs("{\n", f);
    for (int i = 0; i < n; i++) print_call(e, f, &calls[i], INDENT);
    fputs("}\n\n", f);
    function_end(e);
    return r;
}

static void print_unused(Emit *e, FILE *f)
{
    for (int way = 0; way < 2 && !io_in_arena(e); way++)
        for (int i = 0; i < (way ? e->p->nouts : e->p->nins); i++) {
            const BufInfo *b = buf_info(e, way ? e->p->outs[i] : e->p->ins[i]);
            if (!b->used) fprintf(f, "%*s(void)%s;\n", INDENT, "", b->name);
        }
    bool weights = false, arena = false;
    for (int i = 0; i < e->p->nbufs; i++) {
        const BufInfo *b = buf_info(e, e->p->bufs[i]);
        weights |= b->used && in_bin(e, b->buf);
        arena |= b->used && in_arena(e, b->buf);
    }
    if (e->o->weights_bin && !weights) fprintf(f, "%*s(void)weights;\n", INDENT, "");
    if (e->o->arena_caller && !arena) fprintf(f, "%*s(void)arena;\n", INDENT, "");
}

static void begin_run(Emit *e)
{
    print_run_head(e, e->body->f, true);
    fputs("{\n", e->body->f);
}

/* A kernel, the step-th, as a paragraph of the function fn, whose scan and names it shares. */
static void print_paragraph(Emit *e, Function *fn, const Kernel *k, const Stmt *nest, int step)
{
    Sheet *whole = e->inner;
    Function part = *fn;
    part.stamp = ++e->stamp;
    part.touched = (Bufs){NULL, 0, 0};
    e->fn = &part;
    e->inner = sheet_new(e->c);
    print_kernel_body(e, k, nest);
    fflush(e->inner->f);
    fputs(step == 0 ? "" : "\n", whole->f);
    print_what(e, whole->f, k, INDENT);
    fwrite(e->inner->at, 1, e->inner->n, whole->f);
    print_step(e, whole->f, step);
    sheet_free(e->inner);
    e->inner = whole;
    fn->names = part.names;
    e->fn = fn;
    for (int i = 0; i < part.touched.n; i++) {
        const Buf *b = part.touched.at[i];
        int j = 0;
        while (j < fn->touched.n && fn->touched.at[j] != b) j++;     /* its stamp is the paragraph's now */
        if (j == fn->touched.n) touch(e, b, buf_info(e, b)->written);
    }
}

/* All kernels as paragraphs of run. */
static void emit_paragraphs(Emit *e, const Kernel *const *kernels, int n)
{
    Function fn = function_new(e);
    FILE *f = e->body->f;
    e->fn = &fn;
    take_loop_names(e, &fn);
    const Stmt *nests[PARAGRAPHS];
    PtrMap pointers = {0};
    for (int i = 0; i < n; i++) {
        nests[i] = split_stmt(e, kernels[i]->nest);
        if (has_lanes(nests[i])) fn.pointers = &pointers;
    }
    for (int i = 0; i < n; i++) scan_stmt(e, nests[i]);
    e->wide |= fn.wide;
    sheet_rewind(e->inner);
    for (int i = 0; i < n; i++) print_paragraph(e, &fn, kernels[i], nests[i], i);
    fflush(e->inner->f);
    print_keeps(e, f);
    begin_run(e);
    print_unused(e, f);
    print_function_head(e, f);
    fwrite(e->inner->at, 1, e->inner->n, f);
    fputs("}\n", f);
    function_end(e);
}

int kernels_live(Ctx *c, const Prog *p, const Kernel **to)
{
    int n = 0;
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        if (!k->nest) ice(c, "the kernel '%s' is no nest yet", k->what);
        if (k->nest->kind != S_SEQ || k->nest->n) to[n++] = k;
    }
    return n;
}

void emit_kernels(Emit *e)
{
    const Kernel **live = NEW_N(e->c, const Kernel *, e->p->nkernels);
    int n = kernels_live(e->c, e->p, live);
    bool held = false;
    for (int i = 0; i < n; i++) held |= live[i]->nheld > 0;
    if (n <= PARAGRAPHS && !held && !e->o->arena_caller) {
        emit_paragraphs(e, live, n);
        return;
    }
    Routine *calls = NEW_N(e->c, Routine, n + 1);
    for (int i = 0; i < n; i++) calls[i] = emit_kernel(e, live[i], i);
    while (n > GROUP) {
        int groups = 0;
        for (int i = 0; i < n; i += GROUP) calls[groups++] = emit_group(e, calls + i, n - i < GROUP ? n - i : GROUP);
        n = groups;
    }
    begin_run(e);
    print_unused(e, e->body->f);
    for (int i = 0; i < n; i++) print_call(e, e->body->f, &calls[i], INDENT);
    fputs("}\n", e->body->f);
}
