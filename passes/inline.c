/* Reading through: a LOAD of a producer's buffer is replaced by the producer's value at that place.
 *
 * One forward sweep: a producer is complete (everything before it already put in) when its readers are met, so each
 * kernel is rewritten once and maps compose by themselves. Buffers are written before they are read and only once, so
 * nothing can change in between. */
#include "inline.h"

enum { NAME_MAX_LENGTH = 120 };      /* of a fused kernel: beyond that only the producers' operators are told, */
enum { OPERATORS_LENGTH = 64 };      /* beyond this not all of them */
enum { DIVISIONS_MOST = 12 };        /* a map that has more is not read through: each reader would multiply them */

bool kernel_whole(Ctx *c, const Kernel *k)
{
    if (k->nest || k->rank != k->out->rank) return false;
    for (int i = 0; i < k->rank; i++)
        if (k->dims[i] != k->out->dims[i] || k->at[i] != idx_var(c, i, k->dims[i])) return false;
    return true;
}

static bool at_moves(const Expr *e)
{
    int n = e->kind == E_LOAD ? e->buf->rank : 1;
    for (int i = 0; i < n; i++)
        for (int t = 0; t < e->at[i]->n; t++)
            if (e->at[i]->t[t].atom->kind == ATOM_VALUE) return false;
    return true;
}

bool expr_moves(const Expr *e)
{
    switch (e->kind) {
    case E_CONST: return true;
    case E_LOAD:
    case E_INDEX:
    case E_IN: return at_moves(e);
    case E_CAST: return e->args[0]->kind == E_INDEX && at_moves(e->args[0]);
    case E_BITS: break;
    case E_OP: return e->dt == DT_BOOL && e->op == OP_and && expr_moves(e->args[0]) && expr_moves(e->args[1]);
    case E_SELECT: return expr_moves(e->args[0]) && expr_moves(e->args[1]) && expr_moves(e->args[2]);
    case E_REDUCE:
    case E_ACC: break;
    }
    return false;
}

int expr_divisions(Ctx *c, const Expr *e)
{
    if (e->kind == E_LOAD) return idx_cost(idx_flat(c, e->buf->rank, e->buf->dims, e->at));
    int sum = e->kind == E_IN ? idx_cost(e->at[0]) : 0;
    for (int i = 0; i < e->n; i++) sum += expr_divisions(c, e->args[i]);
    return sum;
}

typedef struct Times { int64_t *of; int n; } Times;

/* Adds up, per buffer, how often the tree below e loads from it when e is evaluated `times` times. */
static void count_loads(const Expr *e, int64_t times, Times *t)
{
    if (e->kind == E_LOAD && e->buf->id < t->n) {
        int64_t sum;
        t->of[e->buf->id] = __builtin_add_overflow(t->of[e->buf->id], times, &sum) ? INT64_MAX : sum;
    }
    if (e->kind == E_LOAD || e->kind == E_INDEX || e->kind == E_IN) {
        int n = e->kind == E_LOAD ? e->buf->rank : 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < e->at[i]->n; j++)
                if (e->at[i]->t[j].atom->kind == ATOM_VALUE) count_loads(e->at[i]->t[j].atom->expr, times, t);
    }
    for (int i = 0; i < e->n; i++)
        if (i == 0 || e->args[i] != e->args[0]) count_loads(e->args[i], times, t);
    if (e->kind == E_REDUCE) {
        const Reduce *r = e->reduce;
        for (int i = 0; i < r->naccs; i++) count_loads(r->init[i], times, t);
        for (int i = 0; i < r->nvars; i++) times = count_mul(times, r->extents[i]);
        for (int i = 0; i < r->naccs; i++) count_loads(r->next[i], times, t);
    }
}

typedef struct Sweep {
    const Inline *how;
    const Target *target;
    const Kernel **def;              /* by buffer id: the kernel to read through, or NULL */
    int *def_at;                     /* its position */
    int n, position;
    const Kernel *reader;
    const Kernel *last;              /* the producer that was put in last */
    const char *what, *operators, *through;      /* the reader's, with those of its producers */
    Times times;
} Sweep;

const char *names_joined(Ctx *c, const char *a, const char *b)
{
    if (!a || !b || !*a || !*b) return a && *a ? a : b;
    if (strlen(a) + strlen(b) < OPERATORS_LENGTH) return internf(c, "%s + %s", a, b);
    int n = 0;
    const char *last = b;
    for (const char *at = a; (at = strstr(at, " + ")) && at - a < OPERATORS_LENGTH / 2; at += 3) n = (int)(at - a);
    for (const char *at = b; (at = strstr(at, " + "));) last = at += 3;
    return n ? internf(c, "%.*s + ... + %s", n, a, last) : internf(c, "... + %s", last);
}

static void join_names(Ctx *c, const Kernel *d, Sweep *s)
{
    if (d == s->last) return;
    s->through = names_joined(c, d->through, s->through);
    if (!s->how->joins) {
        if (d->value->kind != E_CONST) s->through = names_joined(c, d->operators, s->through);
        return;
    }
    const char *first = strlen(d->what) + strlen(s->what) < NAME_MAX_LENGTH ? d->what : d->operators;
    if (first && *first && strlen(s->what) < 2 * NAME_MAX_LENGTH) s->what = internf(c, "%s + %s", first, s->what);
    s->operators = names_joined(c, d->operators, s->operators);
}

static const Expr *read_through(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    Sweep *s = arg;
    if (b->id >= s->n || !s->def[b->id]) return NULL;
    const Kernel *d = s->def[b->id];
    int64_t times = s->reader->nest ? -1 : s->times.of[b->id];
    const Reading r = {d, s->reader, s->def_at[b->id], s->position, times, at, s->target};
    if (!s->how->now(c, &r)) return NULL;
    join_names(c, d, s);
    s->last = d;
    Subst to = {d->rank, idx_positions, at};
    return expr_subst(c, d->value, &to);
}

static void clear_times(const Buf *b, void *arg)
{
    Sweep *s = arg;
    if (b->id < s->n) s->times.of[b->id] = 0;
}

static const Kernel *rewritten(Ctx *c, const Kernel *k, Sweep *s)
{
    Rewrite r = {.load = read_through, .arg = s};
    s->reader = k;
    s->last = NULL;
    s->what = k->what;
    s->operators = k->operators;
    s->through = k->through;
    if (k->nest) {
        if (!s->how->nests) return k;
        const Stmt *nest = stmt_rewrite(c, k->nest, &r, NULL);
        if (nest == k->nest) return k;
        Kernel *to = mem_copy(c, k, sizeof *k);
        to->nest = nest;
        to->through = s->through;
        return to;
    }
    prog_reads(c, k, clear_times, s);
    count_loads(k->value, kernel_count(k), &s->times);
    const Expr *value = expr_rewrite(c, k->value, &r);
    if (value == k->value || value->size > EXPR_SIZE || value->depth > EXPR_DEPTH) return k;
    Kernel *to = mem_copy(c, k, sizeof *k);
    to->value = value;
    to->what = s->what;
    to->operators = s->operators;
    to->through = s->through;
    return to;
}

Prog *prog_inline(Ctx *c, const Prog *p, const Inline *how, const Target *target)
{
    Mark m = scratch_mark(c);
    Uses u = prog_uses(c, p);
    Sweep s = {.how = how, .target = target, .n = u.n};
    s.def = SCRATCH_N(c, const Kernel *, u.n + 1);
    s.def_at = SCRATCH_N(c, int, u.n + 1);
    s.times = (Times){SCRATCH_N(c, int64_t, u.n + 1), u.n};
    const Kernel **out = SCRATCH_N(c, const Kernel *, p->nkernels + 1);
    for (int i = 0; i < p->nkernels; i++) {
        s.position = i;
        out[i] = rewritten(c, p->kernels[i], &s);
        const Buf *b = out[i]->out;
        if (b->kind == BUF_TEMP && u.writers[b->id] == 1 && kernel_whole(c, out[i]) && how->may(c, &u, i, out[i]) &&
            expr_divisions(c, out[i]->value) <= DIVISIONS_MOST) {
            s.def[b->id] = out[i];
            s.def_at[b->id] = i;
        }
    }
    Prog *q = prog_with(c, p, p->nkernels, out);
    scratch_release(c, m);
    return q;
}
