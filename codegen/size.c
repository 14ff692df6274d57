/* What a program needs: RAM, flash, stack, worst-case operations, bytes moved.
 *
 * All but the stack are sums over the loop IR. The stack is a bound on what compilers take, from what they must keep:
 * arrays in full, and a slot for everything that may have to be saved: callee-saved registers, pointers, loop
 * counters, scalars, the values within one statement. Where the target has vectors, constants and blocks take whole
 * ones, as they do with the widest that flags may bring. The numbers are what gcc took at worst, for all operators and
 * some hundred random graphs; tests/check_c.sh holds the bound against gcc's account. */
#include "emit.h"

enum {
    RUN_FRAME = 56,     /* saved registers and alignment of a function that only calls */
    KERNEL_FRAME = 160, /* of one with loops, and of the helpers that it calls */
    SIMPLE_FRAME = 24,  /* of one that reads few elements of one width */
    SIMPLE_LOADS = 4,
    SIMPLE_COPIES = 8,
    SIMPLE_SPILLS = 8,
    HELPER_FRAMES = 600, /* of helpers that call others and have arrays */
    SLOT = 8,           /* a saved value */
    SPILLS_MAX = 24,    /* values of one statement that are kept at a time, all being of one width */
    LOOP_SLOTS = 3,     /* a counter, an end and a pointer for each loop */
    SHORT_LOOP = 16,    /* steps of a loop that is unrolled */
    COPIES_MAX = 24,    /* steps whose values are kept */
    VECTOR = 16,        /* bytes of such a value */
    WIDEST = 32,        /* of a vector that does not stay in a register: where they are wider, there are more of these */
    REGISTERS = 32,     /* constants that are not spilled */
    FLOAT8 = 80,        /* vectors in which a float of 8 bits is made, four for each that it goes into */
    BLOCK_LEAST = 64,   /* steps of short loops, one in the other, that are one block */
    BLOCK_MOST = 256,
    BLOCK_ROWS = 1280,  /* of 16 rows, in vectors of 64 bytes */
    BLOCK_BYTE = 20,    /* what an element of one byte takes */
    INLINED = 24,       /* what each kernel adds to the function that it is inlined into */
    MIXED = 8,          /* and more for each vector of its widest type that one of its narrowest makes */
    MIXED_LOAD = 24,    /* what each element read adds to a kernel, for each of those */
    INLINED_MAX = 1600, /* what all kernels add */
    GROUP_SIZE = 200
};

int64_t bytes_sum(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

static int64_t sum(int64_t a, int64_t b)
{
    return bytes_sum(a, b);
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

typedef struct Moved { const Buf *only; bool reads, writes; int64_t bits; } Moved;  /* only NULL: of all but locals */

static bool counts(const Moved *m, const Buf *b)
{
    return m->only ? b == m->only : b->kind != BUF_LOCAL;
}

static void add_load(const Expr *x, void *arg)
{
    Moved *m = arg;
    if (x->kind == E_LOAD && counts(m, x->buf)) m->bits = sum(m->bits, dtype_bits(x->buf->dt));
}

static int64_t loaded_bits(Ctx *c, const Expr *x, const Moved *what)
{
    Moved m = *what;
    if (m.reads) expr_walk(c, x, add_load, &m);
    return m.bits;
}

static int64_t moved_bits(Ctx *c, const Stmt *s, const Moved *m)
{
    int64_t bits = 0;
    switch (s->kind) {
    case S_SEQ:
        for (int i = 0; i < s->n; i++) bits = sum(bits, moved_bits(c, s->body[i], m));
        return bits;
    case S_FOR: return times(s->extent, moved_bits(c, s->body[0], m));
    case S_IF:
        for (int i = 0; i < s->n; i++) bits = max(bits, moved_bits(c, s->body[i], m));
        return sum(bits, loaded_bits(c, s->cond, m));
    case S_STORE:
        for (int i = 0; i < s->buf->rank; i++)
            if (s->at[i]->values) bits = sum(bits, loaded_bits(c, expr_index(c, s->at[i]), m));
        bits = sum(bits, m->writes && counts(m, s->buf) ? dtype_bits(s->buf->dt) : 0);
        return sum(bits, loaded_bits(c, s->value, m));
    case S_COPY:
        bits = (m->writes && counts(m, s->buf)) + (m->reads && counts(m, s->src));
        return times(times(bits, s->run), dtype_bits(s->buf->dt));
    case S_LOCAL: return 0;
    }
    return 0;
}

static int64_t moved_bytes(Ctx *c, const Kernel *k, Moved m)
{
    return sum(moved_bits(c, k->nest, &m), 7) / 8;
}

static int64_t least(int64_t a, size_t b)
{
    return a < (int64_t)b ? a : (int64_t)b;
}

typedef struct Touched { Ctx *c; const Kernel *k; int64_t bytes; } Touched;

static void add_read(const Buf *b, void *arg)
{
    Touched *t = arg;
    const int64_t moved = moved_bytes(t->c, t->k, (Moved){.only = b, .reads = true});
    t->bytes = sum(t->bytes, least(moved, buf_bytes(b)));
}

int64_t kernel_touched(Ctx *c, const Kernel *k)
{
    Touched t = {c, k, least(moved_bytes(c, k, (Moved){.only = k->out, .writes = true}), buf_bytes(k->out))};
    prog_reads(c, k, add_read, &t);
    return t.bytes;
}

typedef struct Frame { int64_t arrays, scalars, loops, spills, copies; } Frame;

/* Arrays of helpers, and what calls within them save. */
static void add_helper(const Expr *x, void *arg)
{
    Frame *f = arg;
    const int bytes = x->kind == E_OP ? op_stack(x->op, x->args[0]->dt) : 0;
    if (bytes > 0) f->arrays = sum(f->arrays, bytes + HELPER_FRAMES);
}

/* Functions that are spelled out in a loop keep their constants, as vectors: in registers, the rest on the stack. */
typedef struct Constants { Ctx *c; bool op[OP_COUNT], to[DT_COUNT], from[DT_COUNT]; int64_t n; } Constants;

static void add_constants(const Expr *x, void *arg)
{
    Constants *k = arg;
    const DType from = x->n ? x->args[0]->dt : x->dt;
    const char *text = NULL;
    if (x->kind == E_OP && !k->op[x->op]) text = op_text(x->op, from);
    if (x->kind == E_CAST && !(k->to[x->dt] && k->from[from])) text = cast_text(k->c, x->dt, from);
    if (x->kind == E_OP) k->op[x->op] = true;
    if (x->kind == E_CAST) k->to[x->dt] = k->from[from] = true;
    k->n = sum(k->n, text ? text_constants(text, from) : 0);
    if (text && x->kind == E_CAST && dtype_is_float(x->dt) && dtype_bits(x->dt) == 8) k->n = sum(k->n, FLOAT8);
}

static void count_constants(Ctx *c, const Stmt *s, Constants *k)
{
    if (s->kind == S_STORE) expr_walk(c, s->value, add_constants, k);
    for (int i = 0; i < s->n; i++) count_constants(c, s->body[i], k);
}

static int64_t constants_spilled(Ctx *c, const Stmt *s)
{
    Constants k = {.c = c};
    count_constants(c, s, &k);
    return max(k.n - REGISTERS, 0);
}

/* How many copies of the statement a compiler may lay out side by side: the steps of short loops. */
static int64_t measure_frame(Ctx *c, const Stmt *s, int depth, Frame *f)
{
    int64_t copies = 1;
    if (s->kind == S_FOR) depth++;
    f->loops = max(f->loops, depth);
    if (s->kind == S_LOCAL && s->buf->rank == 0) f->scalars++;
    if (s->kind == S_LOCAL && s->buf->rank > 0) {
        f->arrays = sum(f->arrays, sum((int64_t)buf_bytes(s->buf), 31) / 16 * 16);
        if (local_aligned(s->buf)) f->arrays = sum(f->arrays, CACHE_LINE);
    }
    if (s->kind == S_STORE) f->spills = max(f->spills, s->value->size);
    if (s->kind == S_STORE) expr_walk(c, s->value, add_helper, f);
    if (s->kind == S_IF) f->spills = max(f->spills, s->cond->size);
    for (int i = 0; i < s->n; i++) copies = max(copies, measure_frame(c, s->body[i], depth, f));
    if (s->kind == S_FOR) copies = s->extent <= SHORT_LOOP ? times(copies, s->extent) : 1;
    f->copies = max(f->copies, copies);
    return copies;
}

/* The most steps of short loops, one in the other, that store into one block of memory. */
static int64_t block_of(const Stmt *s, int64_t around)
{
    int64_t most = s->kind == S_STORE && s->buf->kind != BUF_LOCAL ? around : 0;
    if (s->kind == S_FOR) around = s->extent <= SHORT_LOOP ? times(around, s->extent) : 1;
    for (int i = 0; i < s->n; i++) most = max(most, block_of(s->body[i], around));
    return most;
}

typedef struct Widths { int least, most; } Widths;

static void add_width(Widths *w, DType dt)
{
    const int bits = dtype_bits(dt);
    if (bits < w->least) w->least = bits;
    if (bits > w->most) w->most = bits;
}

static void see_width(const Expr *x, void *arg)
{
    if (x->kind == E_LOAD || x->kind == E_CAST || x->kind == E_BITS) add_width(arg, x->dt);
}

static void measure_widths(Ctx *c, const Stmt *s, Widths *w)
{
    if (s->kind == S_STORE) add_width(w, s->buf->dt);
    if (s->kind == S_STORE) expr_walk(c, s->value, see_width, w);
    for (int i = 0; i < s->n; i++) measure_widths(c, s->body[i], w);
}

static Widths widths(Ctx *c, const Stmt *s)
{
    Widths w = {64, 8};
    measure_widths(c, s, &w);
    return w;
}

/* The width of the widest element that the kernel computes with over that of the narrowest. */
static int64_t widths_of(Ctx *c, const Kernel *k)
{
    const Widths w = widths(c, k->nest);
    return w.most > w.least ? w.most / w.least : 1;
}

static void count_load(const Expr *x, void *n)
{
    if (x->kind == E_LOAD && (x->buf->kind != BUF_LOCAL || x->buf->rank > 0)) ++*(int64_t *)n;
}

/* The elements that one step reads: by all the stores in a row. */
static int64_t count_loads(Ctx *c, const Stmt *s)
{
    int64_t row = 0, most = 0;
    if (s->kind == S_STORE) expr_walk(c, s->value, count_load, &row);
    for (int i = 0; i < s->n; i++) {
        const int64_t n = count_loads(c, s->body[i]);
        if (s->body[i]->kind == S_STORE) row = sum(row, n);
        else most = max(most, n);
    }
    return max(row, most);
}

static const Buf *filled(const Stmt *s, const Buf *so_far, bool *several)
{
    const bool stores = (s->kind == S_STORE || s->kind == S_COPY) && s->buf->kind != BUF_LOCAL;
    if (stores && so_far && s->buf != so_far) *several = true;
    if (stores) so_far = s->buf;
    for (int i = 0; i < s->n; i++) so_far = filled(s->body[i], so_far, several);
    return so_far;
}

const Buf *stmt_fills(const Stmt *s)
{
    bool several = false;
    const Buf *one = filled(s, NULL, &several);
    return several ? NULL : one;
}

static int64_t stack_of(Ctx *c, const Kernel *k, int64_t vector);

/* Of a kernel that holds temporaries: its parts are functions of their own, called in turn. */
static int64_t parts_stack(Ctx *c, const Stmt *s, int64_t vector)
{
    int64_t most = 0;
    if (stmt_fills(s)) return stack_of(c, &(Kernel){.nest = s}, vector);
    for (int i = 0; i < s->n; i++) most = max(most, parts_stack(c, s->body[i], vector));
    return most;
}

/* Compilers make vectors of a whole block at a time: of its rows, and of all its elements where each is read with
 * another. Of bytes each becomes several. */
static int64_t block_stack(const Stmt *s, int64_t loads, Widths w)
{
    const int64_t steps = block_of(s, 1);
    if (steps < BLOCK_LEAST) return 0;
    const int64_t each = w.least <= 8 ? BLOCK_BYTE : loads > 1 ? w.most / 8 : 0;
    return sum(w.least <= 8 ? 0 : BLOCK_ROWS, times(least(steps, BLOCK_MOST), each));
}

/* vector: bytes of a register of vectors. */
static int64_t stack_of(Ctx *c, const Kernel *k, int64_t vector)
{
    if (k->nheld) return sum(KERNEL_FRAME, parts_stack(c, k->nest, vector));
    Frame f = {0, 0, 0, 0, 1};
    measure_frame(c, k->nest, 0, &f);
    const int64_t loads = count_loads(c, k->nest), ratio = widths_of(c, k);
    const bool block = vector && !f.arrays;      /* what has arrays of its own keeps it there */
    if (block) f.arrays = block_stack(k->nest, loads, widths(c, k->nest));
    if (f.loops) f.arrays = sum(f.arrays, times(vector, constants_spilled(c, k->nest)));
    const int64_t spills = f.spills < SPILLS_MAX ? f.spills : SPILLS_MAX;
    const int64_t copies = f.copies < COPIES_MAX ? f.copies : COPIES_MAX;
    const int64_t slots = sum(f.scalars, LOOP_SLOTS * f.loops + spills);
    const bool apart = f.loops <= 1 || copies <= SIMPLE_COPIES || (f.scalars == 0 && loads <= 2);
    if (ratio == 1 && loads <= SIMPLE_LOADS && spills <= SIMPLE_SPILLS && apart)
        return sum(f.arrays, sum(f.loops ? SIMPLE_FRAME : 0, times(SLOT, slots)));
    const int64_t load = max(MIXED_LOAD, vector * MIXED_LOAD / VECTOR);
    const int64_t mixed = ratio > 1 && f.loops ? times(load * ratio, loads) : 0;
    return sum(sum(f.arrays, mixed), sum((f.loops ? KERNEL_FRAME : 0) + VECTOR * (copies - 1), times(SLOT, slots)));
}

KernelSizes kernel_sizes(Ctx *c, const Kernel *k)
{
    const Moved all = {.reads = true, .writes = true};
    return (KernelSizes){kernel_ops(c, k), moved_bits(c, k->nest, &all) / 8};
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static int64_t bytes_of(int n, Buf *const *bufs)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) bytes = sum(bytes, (int64_t)buf_bytes(bufs[i]));
    return bytes;
}

Sizes prog_sizes(Ctx *c, const Prog *p, const EmitOptions *o)
{
    Sizes s = {.arena_align = 1, .inputs = bytes_of(p->nins, p->ins), .outputs = bytes_of(p->nouts, p->outs)};
    s.io_in_arena = p->plan && p->plan->io;
    if (p->plan) {
        s.arena = p->plan->bytes;
        s.arena_align = max(p->plan->align, 1);
        s.lower_bound = p->plan->lower_bound;
    }
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->kind == BUF_CONST) s.flash = sum(s.flash, const_bytes(p->bufs[i]));
    int64_t frames = 1;
    for (int64_t n = p->nkernels; n > GROUP_SIZE; n /= GROUP_SIZE) frames++;
    int64_t inlined = 0;
    for (int i = 0; i < p->nkernels; i++) {
        const KernelSizes k = kernel_sizes(c, p->kernels[i]);
        s.ops = sum(s.ops, k.ops);
        s.bytes_moved = sum(s.bytes_moved, k.bytes);
        s.stack = max(s.stack, stack_of(c, p->kernels[i], least(o->vector, WIDEST)));
        if (inlined < INLINED_MAX) inlined += INLINED + MIXED * (widths_of(c, p->kernels[i]) - 1);
    }
    s.stack = sum(s.stack, inlined + frames * (RUN_FRAME + SLOT * (p->nins + p->nouts)));
    return s;
}

/* ---- what is alive ----------------------------------------------------------------------------------------------- */

typedef struct Lives { const Plan *plan; int *first, *last, at; } Lives;     /* by Buf.id; from 1 on */

static void see(const Buf *b, void *arg)
{
    Lives *l = arg;
    if (!buf_in_arena(b, l->plan)) return;
    if (l->first[b->id] == 0) l->first[b->id] = l->at + 1;
    l->last[b->id] = b->text || b->kind == BUF_OUT ? INT_MAX : l->at + 1;
}

static int by_bytes(const void *a, const void *b)
{
    const Buf *x = *(const Buf *const *)a, *y = *(const Buf *const *)b;
    const size_t m = buf_bytes(x), n = buf_bytes(y);
    return m != n ? (m < n ? 1 : -1) : x->id - y->id;
}

int alive_at(Ctx *c, const Prog *p, int kernel, const Buf **to)
{
    Mark m = scratch_mark(c);
    int ids = 0, n = 0;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= ids) ids = p->bufs[i]->id + 1;
    Lives l = {p->plan, SCRATCH_N(c, int, ids + 1), SCRATCH_N(c, int, ids + 1), 0};
    for (int i = 0; i < p->nins; i++) see(p->ins[i], &l);
    for (; l.at < p->nkernels; l.at++) {
        see(p->kernels[l.at]->out, &l);
        prog_reads(c, p->kernels[l.at], see, &l);
    }
    for (int i = 0; i < p->nbufs; i++) {
        const int id = p->bufs[i]->id;
        if (l.first[id] && l.first[id] - 1 <= kernel && kernel <= l.last[id] - 1) to[n++] = p->bufs[i];
    }
    scratch_release(c, m);
    qsort(to, (size_t)n, sizeof *to, by_bytes);
    return n;
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

/* The largest of them, as a sentence. */
static const char *list_largest(Ctx *c, const Buf **bufs, int n)
{
    enum { SHOWN = 8 };
    const char *s = "";
    if (n) qsort(bufs, (size_t)n, sizeof *bufs, by_bytes);
    for (int i = 0; i < n && i < SHOWN; i++)
        s = internf(c, "%s%s%s %s (%zu)", s, i ? ", " : "", bufs[i]->name,
                    type_text(c, (Type){bufs[i]->dt, bufs[i]->rank, bufs[i]->dims}), buf_bytes(bufs[i]));
    return n > SHOWN ? internf(c, "%s and %d more", s, n - SHOWN) : s;
}

/* Where the buffer is made, or read; else some place in the model. */
static Loc loc_of(Ctx *c, const Prog *p, const EmitOptions *o, const Buf *b)
{
    for (int i = 0; i < p->nkernels; i++)
        if (p->kernels[i]->out == b && p->kernels[i]->loc.src) return p->kernels[i]->loc;
    for (int i = 0; i < p->nkernels; i++)
        if (p->kernels[i]->loc.src) return p->kernels[i]->loc;
    Source *s = NEW(c, Source);
    s->name = o->model_path ? o->model_path : p->name;
    return (Loc){.src = s};
}

static void refuse_ram(Ctx *c, const Prog *p, const EmitOptions *o, const Sizes *s, int64_t need)
{
    const Buf **bufs = NEW_N(c, const Buf *, p->nbufs + 1);
    int n = p->plan && s->arena > 0 ? alive_at(c, p, p->plan->peak, bufs) : 0;
    for (int i = 0; i < p->nbufs && !s->io_in_arena; i++)
        if (p->bufs[i]->kind == BUF_IN || p->bufs[i]->kind == BUF_OUT) bufs[n++] = p->bufs[i];
    const char *list = list_largest(c, bufs, n);
    error(c, loc_of(c, p, o, n ? bufs[0] : NULL),
          "the model needs %lld bytes of RAM (arena %lld, inputs %lld, outputs %lld%s, stack %lld), which exceeds the "
          "budget of %lld; alive at the peak (bytes): %s; --ram-budget sets the budget",
          (long long)need, (long long)s->arena, (long long)s->inputs, (long long)s->outputs,
          s->io_in_arena ? " within it" : "", (long long)s->stack, (long long)o->ram_budget, list);
}

static void refuse_flash(Ctx *c, const Prog *p, const EmitOptions *o, const Sizes *s)
{
    const Buf **bufs = NEW_N(c, const Buf *, p->nbufs + 1);
    int n = 0;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->kind == BUF_CONST) bufs[n++] = p->bufs[i];
    const char *list = list_largest(c, bufs, n);
    error(c, loc_of(c, p, o, n ? bufs[0] : NULL),
          "the model's constants need %lld bytes of flash, which exceeds the budget of %lld; the largest (bytes): %s; "
          "--flash-budget sets the budget",
          (long long)s->flash, (long long)o->flash_budget, list);
}

int64_t ram_of(const Sizes *s)
{
    return sum(sum(s->arena, s->stack), s->io_in_arena ? 0 : sum(s->inputs, s->outputs));
}

bool budget_check(Ctx *c, const Prog *p, const EmitOptions *o, const Sizes *s)
{
    const int64_t ram = ram_of(s);
    const int before = c->errors;
    if (ram > o->ram_budget) refuse_ram(c, p, o, s, ram);
    if (o->flash_budget >= 0 && s->flash > o->flash_budget) refuse_flash(c, p, o, s);
    return c->errors == before;
}

const char *needs_text(Ctx *c, const Graph *g, const Prog *p, int sets)
{
    int64_t bytes = p && p->plan ? p->plan->bytes : 0;
    for (int i = 0; i < g->nins; i++) bytes = bytes_sum(bytes, (int64_t)type_bytes(g->ins[i]->type));
    for (int s = 0; s < sets; s++)
        for (int i = 0; i < g->nouts; i++) bytes = bytes_sum(bytes, (int64_t)type_bytes(g->outs[i]->type));
    return internf(c, "%s of this model take %lld bytes here", p ? "inputs, outputs and arena" : "inputs and outputs",
                   (long long)bytes);
}
