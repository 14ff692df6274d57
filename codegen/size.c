/* What a program needs: RAM, flash, worst-case operations, bytes moved; budgets. The stack is stack.c's. All are sums
 * over the loop IR. */
#include "emit.h"

int64_t bytes_sum(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

static int64_t sum(int64_t a, int64_t b)
{
    return bytes_sum(a, b);
}

int64_t bytes_times(int64_t a, int64_t b)
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
    case S_FOR: return bytes_times(s->extent, moved_bits(c, s->body[0], m));
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
        return bytes_times(bytes_times(bits, s->run), dtype_bits(s->buf->dt));
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
    for (int i = 0; i < p->nkernels; i++) {
        const KernelSizes k = kernel_sizes(c, p->kernels[i]);
        s.ops = sum(s.ops, k.ops);
        s.bytes_moved = sum(s.bytes_moved, k.bytes);
    }
    s.stack = prog_stack(c, p, o->vector);
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

int64_t ram_of(const Sizes *s)
{
    return sum(sum(s->arena, s->stack), s->io_in_arena ? 0 : sum(s->inputs, s->outputs));
}

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

/* The model as a whole. */
static Loc loc_of_model(Ctx *c, const Prog *p, const EmitOptions *o)
{
    Source *s = NEW(c, Source);
    s->name = o->model_path ? o->model_path : p->name;
    return (Loc){.src = s};
}

/* Where the buffer is made; else some place in the model. */
static Loc loc_of(Ctx *c, const Prog *p, const EmitOptions *o, const Buf *b)
{
    for (int i = 0; i < p->nkernels; i++)
        if (p->kernels[i]->out == b && p->kernels[i]->loc.src) return p->kernels[i]->loc;
    for (int i = 0; i < p->nkernels; i++)
        if (p->kernels[i]->loc.src) return p->kernels[i]->loc;
    return loc_of_model(c, p, o);
}

static const char *listed(Ctx *c, const char *list, bool really, const char *text)
{
    return !really ? list : *list ? internf(c, "%s, %s", list, text) : text;
}

static bool given(const EmitOptions *o, const char *option)
{
    return o->options && strstr(o->options, option);
}

/* What has not been tried and may help, as the end of a sentence; bufs: what is alive at the peak. */
static const char *ram_remedies(Ctx *c, const Prog *p, const EmitOptions *o, const Sizes *s, const Buf **bufs, int n)
{
    const bool stream = given(o, "--stream");
    bool maps = false, texts = false, strings = false;
    for (int i = 0; i < n; i++) maps |= bufs[i]->kind == BUF_TEMP && bufs[i]->rank >= 3;
    for (int i = 0; i < p->nbufs; i++) texts |= p->bufs[i]->text;
    for (int i = 0; i < p->nins; i++) strings |= p->ins[i]->dt == DT_STRING;
    for (int i = 0; i < p->nouts; i++) strings |= p->outs[i]->dt == DT_STRING;
    const char *list = listed(c, "", !stream && maps, "--stream (rows of feature maps, not whole ones)");
    list = listed(c, list, !s->io_in_arena && !strings, "--io=arena (the room of inputs is used again)");
    list = listed(c, list, !stream && given(o, "--fast-math"), "no --fast-math (its tiles take room)");
    list = listed(c, list, o->vector > 0 && ram_of(s) - s->stack <= o->ram_budget,
                  "the --target of a microcontroller (less stack)");
    list = listed(c, list, texts, "a smaller --string-bytes");
    return *list ? list : "smaller inputs, fewer channels, numbers of fewer bits";
}

static const char *flash_remedies(Ctx *c, const EmitOptions *o, const Buf *largest)
{
    const char *list = listed(c, "", given(o, "--fast-math"), "no --fast-math (its filters have more weights)");
    list = listed(c, list, largest && dtype_is_float(largest->dt) && dtype_bits(largest->dt) >= 32,
                  "a quantised model (a weight of 8 bits takes a quarter)");
    list = listed(c, list, !o->weights_bin, "for another memory --weights=bin, without this budget");
    return *list ? list : "a smaller model";
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
          "budget of %lld; alive at the peak (bytes): %s; what may take less: %s; --ram-budget sets the budget",
          (long long)need, (long long)s->arena, (long long)s->inputs, (long long)s->outputs,
          s->io_in_arena ? " within it" : "", (long long)s->stack, (long long)o->ram_budget, list,
          ram_remedies(c, p, o, s, bufs, n));
}

/* A kernel is where its last node is, which need not be the one that has the constants: no place is better. */
static void refuse_flash(Ctx *c, const Prog *p, const EmitOptions *o, const Sizes *s)
{
    const Buf **bufs = NEW_N(c, const Buf *, p->nbufs + 1);
    int n = 0;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->kind == BUF_CONST) bufs[n++] = p->bufs[i];
    const char *list = list_largest(c, bufs, n);
    error(c, loc_of_model(c, p, o),
          "the model's constants need %lld bytes of flash, which exceeds the budget of %lld; the largest (bytes): %s; "
          "what may take less: %s; --flash-budget sets the budget",
          (long long)s->flash, (long long)o->flash_budget, list, flash_remedies(c, o, n ? bufs[0] : NULL));
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
