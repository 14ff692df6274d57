/* The order of the passes is the table passes.def; what is common to all of them is written here once: where to stop,
 * the checkers, and with --check-passes the interpreter before and after each on the same seeded inputs. The graph is
 * checked before it is lowered and the program behind the last pass, whatever is asked: nothing unproved is emitted.
 * Behind each pass they are checked with --check-passes, and in test builds. */
#include "passes.h"

typedef enum Level { GRAPH, LOOP } Level;
typedef enum Kind { EXACT, ROUNDS } Kind;

static const struct Entry {
    const char *name, *what;
    Pass *run;
    Level level;
    Kind kind;
} entries[] = {
#define PASS(name, level, what, kind) {#name, what, pass_##name, level, kind},
#include "passes.def"
};

const char *pass_name(int k)
{
    return k == 0 ? "read" : k <= COUNT(entries) ? entries[k - 1].name : NULL;
}

const char *pass_what(int k)
{
    return k == 0 ? "the graph as the model gives it" : k <= COUNT(entries) ? entries[k - 1].what : NULL;
}

int pass_find(const char *name)
{
    for (int k = 0; pass_name(k); k++)
        if (!strcmp(pass_name(k), name)) return k;
    return -1;
}

#ifdef BURIN_TEST
enum { TEST_BUILD = 1 };
#else
enum { TEST_BUILD = 0 };
#endif
static const int64_t CHECK_BYTES = INT64_C(1) << 30;

/* ---- --check-passes ------------------------------------------------------------------------------------------ */

static void **run_seeded(Ctx *c, const Prog *p)
{
    void **data = NEW_N(c, void *, p->nbufs), **outs = NEW_N(c, void *, p->nouts);
    for (int i = 0; i < p->nbufs; i++) {
        Buf *b = p->bufs[i];
        if (b->kind == BUF_OUT) data[i] = outs[b->index] = (void *)tensor_new(c, (Type){b->dt, b->rank, b->dims})->data;
        if (b->kind == BUF_IN)
            data[i] = (void *)tensor_seeded(c, (Type){b->dt, b->rank, b->dims}, (uint64_t)b->index)->data;
    }
    prog_run(c, p, data, true);
    return outs;
}

/* size: of the greatest number there is beside it; roundings are of that order. */
static bool close_enough(DType dt, const void *a, const void *b, int64_t i, Kind kind, double size)
{
    Value x = scalar_read(dt, a, i), y = scalar_read(dt, b, i);
    if (kind == EXACT || !dtype_is_float(dt)) return dt == DT_STRING ? !strcmp(x.s, y.s) : x.u == y.u;
    double p = scalar_cast(DT_F64, dt, x).d, q = scalar_cast(DT_F64, dt, y).d;
    return (isnan(p) && isnan(q)) || p == q || fabs(p - q) <= 1e-4 * size;
}

static double greatest(const Buf *b, const void *data)
{
    double size = 0;
    for (int64_t i = 0; dtype_is_float(b->dt) && i < buf_count(b); i++) {
        const double v = fabs(scalar_cast(DT_F64, b->dt, scalar_read(b->dt, data, i)).d);
        if (isfinite(v) && v > size) size = v;
    }
    return size;
}

static void compare(Ctx *c, const struct Entry *e, const Prog *p, void **before, void **after)
{
    for (int k = 0; k < p->nouts; k++) {
        const Buf *b = p->outs[k];
        const double size = e->kind == EXACT ? 0 : greatest(b, before[k]);
        for (int64_t i = 0; i < buf_count(b); i++)
            if (!close_enough(b->dt, before[k], after[k], i, e->kind, size))
                ice(c, "pass %s changes output '%s' at element %lld (run on seeded inputs)", e->name, b->name,
                    (long long)i);
    }
}

static const Prog *as_prog(Ctx *c, Unit u)
{
    return u.prog ? u.prog : graph_lower(c, u.graph);
}

/* Interpreting takes memory for all buffers; beyond CHECK_BYTES nothing is compared. */
static bool too_large(const Prog *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < p->nbufs; i++) bytes += (int64_t)buf_bytes(p->bufs[i]);
    return bytes > CHECK_BYTES;
}

static void verify(Ctx *c, Unit u)
{
    if (u.prog) prog_check(c, u.prog);
    else graph_check(c, u.graph);
}

static Unit checked(Ctx *c, const struct Entry *e, Unit u, const PipeOptions *o, void ***outs)
{
    Mark m = scratch_mark(c);
    const bool compares = o->check && !too_large(as_prog(c, u));
    if (compares && !*outs) *outs = run_seeded(c, as_prog(c, u));
    u = e->run(c, u);
    if (o->check || TEST_BUILD) verify(c, u);
    if (compares) {
        void **now = run_seeded(c, as_prog(c, u));
        compare(c, e, as_prog(c, u), *outs, now);
        *outs = now;
    }
    scratch_release(c, m);
    return u;
}

/* ---- the run ------------------------------------------------------------------------------------------------- */

static bool needed(const char *name)     /* what a program cannot be emitted without */
{
    return !strcmp(name, "canon") || !strcmp(name, "lower") || !strcmp(name, "loopify") || !strcmp(name, "plan");
}

Unit pipeline_run(Ctx *c, Unit u, const PipeOptions *o)
{
    void **outs = NULL;
    bool skip = o->limit == 0 || (o->stop_after && pass_find(o->stop_after) == 0);
    const int end = o->after ? pass_find(o->after) : COUNT(entries);
    for (int k = 1; k <= end; k++) {
        const struct Entry *e = &entries[k - 1];
        if (o->progress) o->progress(e->what);
        if (e->level == LOOP && !u.prog) verify(c, u);
        if (!skip || needed(e->name)) u = checked(c, e, u, o, &outs);
        if (k == o->limit || (o->stop_after && !strcmp(o->stop_after, e->name))) skip = true;
    }
    verify(c, u);
    return u;
}
