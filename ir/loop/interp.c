/* The interpreter: the living definition of the loop IR. Each kernel is compiled to a flat program over registers
 * (interp_compile.c) and run by one loop over its instructions; buffers are plain memory in the emitted C's own
 * layout.
 *
 * Every access is checked against its buffer once more: a pass that has proved too much shows as an internal error,
 * not as a crash. Without a plan each temporary has memory of its own from its first kernel to its last and is then
 * used again; with one, temporaries lie where the plan puts them, so that a wrong plan shows too. */
#include "interp.h"

static NORETURN void outside(Ctx *c, const Program *p, const Ins *i, int64_t index)
{
    ice(c, "kernel %s: element %lld of %lld of buffer %s", p->kernel->what, (long long)index, (long long)i->n,
        i->kind == I_COPY ? "in a copy" : i->buf->name);
}

/* Moves runs of elements; those below 8 bits need not start at a byte. */
static void copy_run(Ctx *c, const Program *p, const Ins *i, int64_t to, int64_t from)
{
    int bits = dtype_bits((DType)i->d);
    if (to < 0 || to > i->n - i->k || from < 0 || from > i->src_n - i->k)
        outside(c, p, i, to);
    if (bits >= 8)
        memmove(i->p + to * (bits / 8), i->src + from * (bits / 8), (size_t)(i->k * (bits / 8)));
    else
        for (int64_t j = 0; j < i->k; j++)
            scalar_write((DType)i->d, i->p, to + j, scalar_read((DType)i->d, i->src, from + j));
}

#define INDEX() \
    int64_t at = r[i->a].i + r[i->b].i * i->k; \
    if ((uint64_t)at >= (uint64_t)i->n) \
        outside(c, p, i, at)
#define LOAD(T, field) \
    { INDEX(); T v; memcpy(&v, i->p + at * (int64_t)sizeof v, sizeof v); r[i->d].u = 0; r[i->d].field = v; break; }
#define STORE(T) { INDEX(); T v = (T)r[i->d].u; memcpy(i->p + at * (int64_t)sizeof v, &v, sizeof v); break; }

static void run(Ctx *c, const Program *p)
{
    Value *r = p->regs;
    for (const Ins *i = p->code.at;; i++)
        switch (i->kind) {
        case I_OP:      r[i->d] = i->fn(r[i->a], r[i->b], r[i->c]); break;
        case I_CAST:    r[i->d] = i->cast(r[i->a]); break;
        case I_BITS:    r[i->d] = scalar_bits((DType)i->k, (DType)i->n, r[i->a]); break;
        case I_MOV:     r[i->d] = r[i->a]; break;
        case I_GET:     r[i->d] = r[i->a + (int)(r[i->b].i & (i->k - 1))]; break;
        case I_PUT:     r[i->d + (int)(r[i->b].i & (i->k - 1))] = r[i->a]; break;
        case I_SEL:     r[i->d] = r[r[i->a].i ? i->b : i->c]; break;
        case I_SUM:     r[i->d].i = r[i->a].i + r[i->b].i * i->k; break;
        case I_DIV:     r[i->d].u = r[i->a].u / (uint64_t)i->k; break;
        case I_REM:     r[i->d].u = r[i->a].u % (uint64_t)i->k; break;
        case I_IN:      r[i->d].i = r[i->a].u < (uint64_t)i->k; break;
        case I_LOAD8:   LOAD(int8_t, i)
        case I_LOADU8:  LOAD(uint8_t, u)
        case I_LOAD16:  LOAD(int16_t, i)
        case I_LOADU16: LOAD(uint16_t, u)
        case I_LOAD32:  LOAD(int32_t, i)
        case I_LOADU32: LOAD(uint32_t, u)
        case I_LOAD64:  LOAD(uint64_t, u)
        case I_LOAD:    { INDEX(); r[i->d] = scalar_read((DType)i->c, i->p, at); break; }
        case I_STORE8:  STORE(uint8_t)
        case I_STORE16: STORE(uint16_t)
        case I_STORE32: STORE(uint32_t)
        case I_STORE64: STORE(uint64_t)
        case I_STORE:   { INDEX(); scalar_write((DType)i->c, i->p, at, r[i->d]); break; }
        case I_ADDRESS: {
            INDEX();
            if (at + i->c > i->n)
                outside(c, p, i, at);
            r[i->d].s = i->p + at;
            break;
        }
        case I_WRITE:   i->write((char *)(uintptr_t)r[i->d].s, i->c, r[i->a], r[i->b]); break;
        case I_COPY:    copy_run(c, p, i, r[i->a].i, r[i->b].i); break;
        case I_JUMP:    i += i->k; break;
        case I_JZ:      i += r[i->a].i ? 0 : i->k; break;
        case I_JNZ:     i += r[i->a].i ? i->k : 0; break;
        case I_LOOP:    i -= ++r[i->d].i < i->k ? i->n : 0; break;
        case I_END:     return;
        }
}

/* ---- memory of temporaries --------------------------------------------------------------------------------------- */

/* Lives of temporaries: memory is taken at the kernel that first writes one and kept in a list by size when its last
 * reader is done. */
typedef struct Piece { struct Piece *next; size_t bytes; void *p; } Piece;
typedef struct Life { Piece *piece; int last; struct Life *dying; } Life;
typedef struct Memory {
    Ctx *c;
    Memo at;                         /* Buf.id to bytes */
    Memo lives;                      /* Buf.id to Life, of temporaries that are ours to make */
    Life **dying;                    /* by kernel */
    Piece *unused;
    int kernel, nkernels;
} Memory;

static void last_use(const Buf *b, void *arg)
{
    Memory *m = arg;
    Life *l = (Life *)(uintptr_t)memo_get(&m->lives, b->id);
    if (l)
        l->last = b->text ? m->nkernels - 1 : m->kernel;
}

static void memory_plan(Memory *m, const Prog *p, void **data)
{
    char *arena = p->plan ? scratch_alloc(m->c, (size_t)p->plan->bytes) : NULL;
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        void *at = data[i];
        if (!at && b->kind == BUF_CONST)
            at = (void *)(uintptr_t)b->data->data;
        if (p->plan && (!at || b->kind != BUF_TEMP) && buf_in_arena(b, p->plan)) {
            if (b->kind == BUF_IN && at)
                memcpy(arena + p->plan->offset[i], at, buf_bytes(b));
            at = arena + p->plan->offset[i];
        }
        if (at)
            memo_put(m->c, &m->at, b->id, at);
        else
            memo_put(m->c, &m->lives, b->id, SCRATCH_N(m->c, Life, 1));
    }
    m->dying = SCRATCH_N(m->c, Life *, p->nkernels + 1);
    for (m->kernel = 0; m->kernel < p->nkernels; m->kernel++) {
        last_use(p->kernels[m->kernel]->out, m);
        prog_reads(m->c, p->kernels[m->kernel], last_use, m);
    }
}

/* The smallest piece that is not in use and holds so much, if it is not over twice as large; else a new one. */
static Piece *piece_take(Memory *m, size_t bytes)
{
    Piece **best = NULL;
    for (Piece **q = &m->unused; *q; q = &(*q)->next)
        if ((*q)->bytes >= bytes && (*q)->bytes / 2 <= bytes && (!best || (*q)->bytes < (*best)->bytes))
            best = q;
    if (best) {
        Piece *p = *best;
        *best = p->next;
        return p;
    }
    Piece *p = SCRATCH_N(m->c, Piece, 1);
    *p = (Piece){ NULL, bytes, scratch_alloc(m->c, bytes) };
    return p;
}

static void memory_begin(Memory *m, const Buf *b)
{
    Life *l = (Life *)(uintptr_t)memo_get(&m->lives, b->id);
    if (!l || l->piece)
        return;
    l->piece = piece_take(m, buf_bytes(b));
    memo_put(m->c, &m->at, b->id, l->piece->p);
    l->dying = m->dying[l->last];
    m->dying[l->last] = l;
}

static void memory_end(Memory *m, int kernel)
{
    for (Life *l = m->dying[kernel]; l; l = l->dying) {
        l->piece->next = m->unused;
        m->unused = l->piece;
    }
}

/* What has been computed lies in scratch. */
static void keep_strings(Ctx *c, int64_t n, const char **at)
{
    for (int64_t i = 0; i < n; i++)
        if (at[i])
            at[i] = intern(c, at[i]);
}

void prog_run(Ctx *c, const Prog *p, void **data, bool fused)
{
    Mark mark = scratch_mark(c);
    Memory m = { .c = c, .at = memo_new(c, p->nbufs), .lives = memo_new(c, p->nbufs), .nkernels = p->nkernels };
    memory_plan(&m, p, data);
    for (int i = 0; i < p->nkernels; i++) {
        memory_begin(&m, p->kernels[i]->out);
        for (int k = 0; k < p->kernels[i]->nheld; k++)
            memory_begin(&m, p->kernels[i]->held[k]);
        Mark inner = scratch_mark(c);
        Program code = interp_compile(c, p->kernels[i], &m.at, fused);
        run(c, &code);
        scratch_release(c, inner);
        memory_end(&m, i);
    }
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        if (p->plan && p->plan->io && b->kind == BUF_OUT && buf_bytes(b))
            memcpy(data[i], memo_get(&m.at, b->id), buf_bytes(b));
    }
    bool texts = false;
    for (int i = 0; i < p->nbufs; i++)
        texts |= p->bufs[i]->text;
    for (int i = 0; texts && i < p->nbufs; i++)
        if (p->bufs[i]->kind == BUF_OUT && p->bufs[i]->dt == DT_STRING && data[i])
            keep_strings(c, buf_count(p->bufs[i]), data[i]);
    scratch_release(c, mark);
}
