/* The context and its two arenas. An arena is a stack of chunks with a bump pointer in the top one; a request too large
 * for a chunk gets a block of its own, and a small record of it in the top chunk says when that block goes.
 * Invariants: chunk memory at or above `dirty` was never handed out, so it is still zero from calloc and costs no page
 * until it is touched; the list of big blocks is in the order of their records, so release pops both from the top.
 * Test builds use tiny chunks (an overrun soon leaves the chunk, where ASan and valgrind see it), poison what is
 * released, and fail the allocation that fail_alloc names. */
#include "base.h"

#ifdef BURIN_TEST
enum { CHUNK = 256, TEST_BUILD = 1 };
#else
enum { CHUNK = 1 << 20, TEST_BUILD = 0 };
#endif
enum { ALIGN = 16, HEAD = 32, ROOM = CHUNK - HEAD, BIG = TEST_BUILD ? 96 : 64 << 10, POISON = 0xDB };

typedef struct Chunk Chunk;
struct Chunk {
    Chunk *below;
    size_t used, dirty;              /* of ROOM: handed out now, and at most so far */
};
_Static_assert(sizeof(Chunk) <= HEAD, "a chunk's head fits in front of its room");

typedef struct Big Big;
struct Big {
    Big *below;
    Chunk *home;                     /* where this record lies */
    void *block;
    size_t size;
};

struct Arena {
    Chunk *top, *spare;              /* one released chunk is kept for the next pass */
    Big *big;
};

typedef struct Deferred Deferred;
struct Deferred {
    Deferred *next;
    void (*release)(void *);
    void *what;
};

typedef struct Whole { Ctx ctx; Arena perm, scratch; } Whole;

static char *room(Chunk *k)
{
    return (char *)k + HEAD;
}

/* A block from the machine, counted; NULL when there is none. */
static void *block_new(Ctx *c, size_t n)
{
    void *p = calloc(1, n);
    if (p) {
        c->bytes += n;
        if (c->bytes > c->peak)
            c->peak = c->bytes;
    }
    return p;
}

static void block_free(Ctx *c, void *p, size_t n)
{
    c->bytes -= n;
    free(p);
}

static Chunk *chunk_push(Ctx *c, Arena *a)
{
    Chunk *k = a->spare;
    if (k)
        a->spare = NULL;
    else if (!(k = block_new(c, CHUNK)))
        return NULL;
    k->used = 0;
    k->below = a->top;
    return a->top = k;
}

/* n bytes (a multiple of ALIGN, at most ROOM) from the top chunk. */
static void *small_new(Ctx *c, Arena *a, size_t n)
{
    Chunk *k = a->top;
    if ((!k || ROOM - k->used < n) && !(k = chunk_push(c, a)))
        return NULL;
    char *p = room(k) + k->used;
    if (k->dirty > k->used)
        memset(p, 0, k->dirty - k->used < n ? k->dirty - k->used : n);
    k->used += n;
    if (k->dirty < k->used)
        k->dirty = k->used;
    return p;
}

static void *big_new(Ctx *c, Arena *a, size_t n)
{
    Big *b = small_new(c, a, (sizeof *b + ALIGN - 1) / ALIGN * ALIGN);
    if (!b || !(b->block = block_new(c, n)))
        return NULL;
    b->size = n;
    b->home = a->top;
    b->below = a->big;
    a->big = b;
    return b->block;
}

static bool must_fail(Ctx *c)
{
    if (!TEST_BUILD || !c->fail_alloc)
        return false;
    if (c->fail_alloc < 0) {
        c->fail_alloc = 0;
        return true;
    }
    if (--c->fail_alloc == 0)
        c->fail_alloc = -1;
    return false;
}

/* Above 512 GiB no machine is asked: some tools abort at such a request instead of refusing it. */
static void *try_alloc(Ctx *c, Arena *a, size_t n)
{
    if (n > PTRDIFF_MAX - ALIGN || (uint64_t)n > UINT64_C(1) << 39 || must_fail(c))
        return NULL;
    n = n ? (n + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    return n > BIG ? big_new(c, a, n) : small_new(c, a, n);
}

static void big_pop(Ctx *c, Arena *a)
{
    Big *b = a->big;
    a->big = b->below;
    block_free(c, b->block, b->size);
}

/* Frees what lies above the mark. */
static void arena_release(Ctx *c, Arena *a, Mark m)
{
    while (a->top && a->top != m.chunk) {
        Chunk *k = a->top;
        while (a->big && a->big->home == k)
            big_pop(c, a);
        a->top = k->below;
        if (a->spare) {
            block_free(c, k, CHUNK);
            continue;
        }
        a->spare = k;
        if (TEST_BUILD)
            memset(room(k), POISON, k->dirty);
    }
    Chunk *k = a->top;
    if (!k)
        return;
    while (a->big && a->big->home == k && (char *)a->big >= room(k) + m.used)
        big_pop(c, a);
    if (TEST_BUILD && k->used > m.used)
        memset(room(k) + m.used, POISON, k->used - m.used);
    k->used = m.used;
}

static void arena_free(Ctx *c, Arena *a)
{
    arena_release(c, a, (Mark){0});
    if (a->spare)
        block_free(c, a->spare, CHUNK);
    a->spare = NULL;
}

Ctx *ctx_new(void)
{
    Whole *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->ctx.perm = &w->perm;
    w->ctx.scratch = &w->scratch;
    w->ctx.string_bytes = 255;
    return &w->ctx;
}

void ctx_free(Ctx *c)
{
    if (!c)
        return;
    for (Deferred *d = c->deferred; d; d = d->next)
        d->release(d->what);
    arena_free(c, c->scratch);
    arena_free(c, c->perm);
    free((void *)c);                 /* the first member of its Whole */
}

bool ctx_run(Ctx *c, void (*f)(Ctx *, void *), void *arg)
{
    jmp_buf here, *outer = c->top;
    Mark m = scratch_mark(c);
    if (setjmp(here) == 0) {
        c->top = &here;
        f(c, arg);
        c->top = outer;
        return true;
    }
    c->top = outer;
    scratch_release(c, m);           /* nobody is left who would */
    return false;
}

void ctx_defer(Ctx *c, void (*release)(void *), void *what)
{
    Deferred *d = try_alloc(c, c->perm, sizeof *d);
    if (!d) {
        release(what);
        out_of_memory(c);
    }
    *d = (Deferred){c->deferred, release, what};
    c->deferred = d;
}

void *mem_alloc(Ctx *c, size_t n)
{
    void *p = try_alloc(c, c->perm, n);
    if (!p)
        out_of_memory(c);
    return p;
}

void *mem_copy(Ctx *c, const void *p, size_t n)
{
    void *q = mem_alloc(c, n);
    if (n)
        memcpy(q, p, n);
    return q;
}

size_t mem_times(size_t size, size_t n)
{
    return size && n > SIZE_MAX / size ? SIZE_MAX : size * n;
}

void *scratch_alloc(Ctx *c, size_t n)
{
    void *p = try_alloc(c, c->scratch, n);
    if (!p)
        out_of_memory(c);
    return p;
}

Mark scratch_mark(Ctx *c)
{
    Chunk *k = c->scratch->top;
    return (Mark){k, k ? k->used : 0};
}

void scratch_release(Ctx *c, Mark m)
{
    arena_release(c, c->scratch, m);
}

void *vec_grow(Ctx *c, void *at, size_t size, int *cap)
{
    if (*cap > INT_MAX / 2)
        out_of_memory(c);
    int wider = *cap ? *cap * 2 : 8;
    void *p = mem_alloc(c, mem_times(size, (size_t)wider));
    if (*cap)
        memcpy(p, at, size * (size_t)*cap);
    *cap = wider;
    return p;
}
