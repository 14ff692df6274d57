/* What the functions take of the stack: an upper bound, from what compilers must keep.
 *
 * A kernel keeps its arrays in full, and a slot for everything that may have to be saved: callee-saved registers,
 * counters, ends and pointers of its loops, scalars, the values within one statement, those of the steps of short
 * loops, which are laid out side by side. Where the target has vectors such a value is a vector, and so are the
 * constants of functions that are spelled out in a loop; vectors longer than 32 bytes come with more registers, so
 * that fewer lie on the stack. Without vectors it is a word.
 *
 * Compilers put some kernels into the function that calls them, where these share their place, and call others: two
 * are alive at a time, and one chain of helpers. tests/check_stack.sh holds the bound against the compilers' accounts.
 */
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
    REGISTERS = 16,     /* for vectors of 32 bytes */
    DIVIDED = 1024,     /* what clang makes of a division of integers: each element by itself */
    FLOAT8 = 80,        /* vectors in which a float of 8 bits is made, four for each that it goes into */
    BLOCK_LEAST = 64,   /* steps of short loops, one in the other, that are one block */
    BLOCK_MOST = 256,
    BLOCK_ROWS = 1280,  /* of 16 rows, in vectors of 64 bytes */
    BLOCK_BYTE = 20,    /* what an element of one byte takes */
    MIXED_LOAD = 24,    /* what each element read adds to a kernel, for each vector that its narrowest makes */
    ROW_LONGEST = 4800, /* bytes that clang -O3 reads in front of the loop around, in 75 of the widest vectors */
    ROW_HELD = 256,     /* of which as many stay in registers */
    ROW_MOST = 2752,
    INLINED = 12,       /* addresses of each kernel that is put into its caller */
    INLINED_MAX = 128,
    GROUP_SIZE = 200
};

/* Of a machine without vectors. */
enum {
    SMALL_FRAME = 48,   /* saved registers and alignment */
    SMALL_WORD = 4,
    SMALL_LOOP = 2      /* words of a loop */
};

static int64_t sum(int64_t a, int64_t b)
{
    return bytes_sum(a, b);
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- what a kernel keeps ----------------------------------------------------------------------------------------- */

typedef struct Frame { int64_t arrays, helpers, scalars, loops, spills, copies; } Frame;

/* Arrays of helpers, and what calls within them save. */
static void add_helper(const Expr *x, void *arg)
{
    Frame *f = arg;
    const int bytes = x->kind == E_OP ? op_stack(x->op, x->args[0]->dt) : 0;
    if (bytes > 0) f->helpers = sum(f->helpers, bytes + HELPER_FRAMES);
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
    if (s->kind == S_FOR) copies = s->extent <= SHORT_LOOP ? bytes_times(copies, s->extent) : 1;
    f->copies = max(f->copies, copies);
    return copies;
}

/* The most steps of short loops, one in the other, that store into one block of memory. */
static int64_t block_of(const Stmt *s, int64_t around)
{
    int64_t most = s->kind == S_STORE && s->buf->kind != BUF_LOCAL ? around : 0;
    if (s->kind == S_FOR) around = s->extent <= SHORT_LOOP ? bytes_times(around, s->extent) : 1;
    for (int i = 0; i < s->n; i++) most = max(most, block_of(s->body[i], around));
    return most;
}

typedef struct Widths { int least, most; bool float8; } Widths;

static void add_width(Widths *w, DType dt)
{
    const int bits = dtype_bits(dt);
    if (bits < w->least) w->least = bits;
    if (bits > w->most) w->most = bits;
}

static void see_width(const Expr *x, void *arg)
{
    Widths *w = arg;
    if (x->kind == E_LOAD || x->kind == E_CAST || x->kind == E_BITS) add_width(w, x->dt);
    w->float8 |= x->kind == E_CAST && dtype_is_float(x->dt) && dtype_bits(x->dt) == 8;
}

static void measure_widths(Ctx *c, const Stmt *s, Widths *w)
{
    if (s->kind == S_STORE) add_width(w, s->buf->dt);
    if (s->kind == S_STORE) expr_walk(c, s->value, see_width, w);
    for (int i = 0; i < s->n; i++) measure_widths(c, s->body[i], w);
}

static Widths widths(Ctx *c, const Stmt *s)
{
    Widths w = {64, 8, false};
    measure_widths(c, s, &w);
    return w;
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

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Functions that are spelled out in loops keep their constants, as vectors; kernels that are put into one function
 * share them, so that there they are kept from the first to the last that has them. */
typedef struct Constants {
    Ctx *c;
    bool op[OP_COUNT][DT_COUNT], cast[DT_COUNT][DT_COUNT];   /* seen, of that type */
    int64_t n;
    bool divides;                    /* integers */
} Constants;

static void add_constants(const Expr *x, void *arg)
{
    Constants *k = arg;
    const DType from = x->n ? x->args[0]->dt : x->dt;
    bool *seen = x->kind == E_OP ? &k->op[x->op][from] : x->kind == E_CAST ? &k->cast[x->dt][from] : NULL;
    if (!seen || *seen) return;
    *seen = true;
    const char *text = x->kind == E_OP ? op_text(x->op, from) : cast_text(k->c, x->dt, from);
    k->n = sum(k->n, text ? text_constants(text, from) : 0);
    k->divides |= text && x->kind == E_OP && !dtype_is_float(from) && strpbrk(text, "/%");
}

static void count_constants(Constants *k, const Stmt *s, bool in_lanes)
{
    in_lanes |= s->kind == S_FOR && s->lanes;
    if (s->kind == S_STORE && in_lanes) expr_walk(k->c, s->value, add_constants, k);
    for (int i = 0; i < s->n; i++) count_constants(k, s->body[i], in_lanes);
}

/* Half of the registers hold constants. Where vectors are twice as long there are twice as many registers. */
static int64_t constants_stack(const Constants *k, int64_t vector)
{
    const int64_t wider = vector < WIDEST ? 0 : bytes_times(2 * vector, max(k->n - REGISTERS, 0));
    const int64_t saved = max(bytes_times(vector, max(k->n - REGISTERS / 2, 0)), wider);
    return vector == 0 ? 0 : sum(saved, k->divides ? DIVIDED : 0);
}

/* ---- rows that are read in front of the loop around them --------------------------------------------------------- */

typedef struct Row { const Stmt *loop; int around; int64_t bytes; } Row;

static void add_row(const Expr *x, void *arg)
{
    Row *r = arg;
    bool along = false, same = true;
    if (x->kind != E_LOAD || x->buf->kind == BUF_LOCAL) return;
    for (int d = 0; d < x->buf->rank; d++) {
        along |= idx_uses(x->at[d], r->loop->var);
        same &= !idx_uses(x->at[d], r->around);
    }
    if (along && same) r->bytes = sum(r->bytes, bytes_times(r->loop->extent, dtype_bits(x->buf->dt)) / 8);
}

/* Of what a loop of independent steps reads alike in each step of the loop around it. around: its variable, -1: none. */
static int64_t rows_kept(Ctx *c, const Stmt *s, int around)
{
    int64_t most = 0;
    if (s->kind == S_FOR && s->lanes && around >= 0) {
        Row r = {s, around, 0};
        for (int i = 0; i < s->body[0]->n; i++)
            if (s->body[0]->body[i]->kind == S_STORE) expr_walk(c, s->body[0]->body[i]->value, add_row, &r);
        if (s->body[0]->kind == S_STORE) expr_walk(c, s->body[0]->value, add_row, &r);
        return r.bytes <= ROW_LONGEST ? least(max(r.bytes - ROW_HELD, 0), ROW_MOST) : 0;
    }
    for (int i = 0; i < s->n; i++) most = max(most, rows_kept(c, s->body[i], s->kind == S_FOR ? s->var : around));
    return most;
}

/* ---- what a kernel takes ----------------------------------------------------------------------------------------- */

/* Compilers make vectors of a whole block at a time: of its rows, and of all its elements where each is read with
 * another. Of bytes each becomes several. */
static int64_t block_stack(const Stmt *s, int64_t loads, Widths w)
{
    const int64_t steps = block_of(s, 1);
    if (steps < BLOCK_LEAST) return 0;
    const int64_t each = w.least <= 8 ? BLOCK_BYTE : loads > 1 ? w.most / 8 : 0;
    return sum(w.least <= 8 ? 0 : BLOCK_ROWS, bytes_times(least(steps, BLOCK_MOST), each));
}

/* vector: bytes of a register of vectors. */
static int64_t with_vectors(Ctx *c, const Stmt *s, const Frame *f, int64_t vector)
{
    const Widths w = widths(c, s);
    const int64_t loads = count_loads(c, s), ratio = w.most > w.least ? w.most / w.least : 1;
    int64_t kept = f->arrays ? f->arrays : block_stack(s, loads, w);     /* what has arrays of its own keeps it there */
    if (f->loops) kept = sum(kept, sum(rows_kept(c, s, -1), w.float8 ? FLOAT8 * vector : 0));
    const int64_t copies = least(f->copies, COPIES_MAX), spills = least(f->spills, SPILLS_MAX);
    const int64_t slots = SLOT * (f->scalars + LOOP_SLOTS * f->loops + spills);
    const bool apart = f->loops <= 1 || copies <= SIMPLE_COPIES || (f->scalars == 0 && loads <= 2);
    if (ratio == 1 && loads <= SIMPLE_LOADS && spills <= SIMPLE_SPILLS && apart)
        return sum(kept, (f->loops ? SIMPLE_FRAME : 0) + slots);
    const int64_t load = max(MIXED_LOAD, vector * MIXED_LOAD / VECTOR);
    if (ratio > 1 && f->loops) kept = sum(kept, bytes_times(load * ratio, loads));
    return sum(kept, (f->loops ? KERNEL_FRAME : 0) + VECTOR * (copies - 1) + slots);
}

static int64_t without_vectors(Ctx *c, const Stmt *s, const Frame *f)
{
    const int64_t word = widths(c, s).most > 32 ? 2 * SMALL_WORD : SMALL_WORD;
    const int64_t values = sum(least(f->spills, SPILLS_MAX), least(f->copies, COPIES_MAX));
    return sum(SMALL_FRAME + f->arrays, word * (f->scalars + SMALL_LOOP * f->loops + values));
}

typedef struct Stack { int64_t own, helpers; } Stack;

static Stack stack_of(Ctx *c, const Stmt *s, int64_t vector)
{
    Frame f = {.copies = 1};
    measure_frame(c, s, 0, &f);
    return (Stack){vector ? with_vectors(c, s, &f, vector) : without_vectors(c, s, &f), f.helpers};
}

/* Of a kernel that holds temporaries: its parts are functions of their own, called in turn. */
static Stack parts_stack(Ctx *c, const Stmt *s, int64_t vector)
{
    Stack most = {0, 0};
    if (stmt_fills(s)) return stack_of(c, s, vector);
    for (int i = 0; i < s->n; i++) {
        const Stack part = parts_stack(c, s->body[i], vector);
        most = (Stack){max(most.own, part.own), max(most.helpers, part.helpers)};
    }
    return most;
}

int64_t prog_stack(Ctx *c, const Prog *p, int vector)
{
    const int64_t wide = least(vector, WIDEST), slot = vector ? SLOT : SMALL_WORD;
    int64_t frames = 1, first = 0, second = 0, helpers = 0;
    Constants constants = {.c = c};
    for (int64_t n = p->nkernels; n > GROUP_SIZE; n /= GROUP_SIZE) frames++;
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        Stack s = k->nheld ? parts_stack(c, k->nest, wide) : stack_of(c, k->nest, wide);
        if (k->nheld) s.own = sum(s.own, vector ? KERNEL_FRAME : SMALL_FRAME);
        second = max(second, least(s.own, first));
        first = max(first, s.own);
        helpers = max(helpers, s.helpers);
        count_constants(&constants, k->nest, false);
    }
    const int64_t caller = RUN_FRAME + slot * (p->nins + p->nouts);
    const int64_t all = sum(sum(first, second), sum(helpers, constants_stack(&constants, wide)));
    return sum(all, frames * caller + least(INLINED * (int64_t)p->nkernels, INLINED_MAX));
}
