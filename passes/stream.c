/* stream: chains of kernels that hand rows on, instead of whole buffers (--stream).
 *
 * Convolutions, pools and what is done per element need for one row of their result a few rows of what they read. Where
 * each buffer between consecutive kernels is read within the chain alone, in steps along one dimension, the kernels
 * become one that computes each a row at a time (chain.c), and of those buffers a ring of rows is kept. Rows and steps
 * are seen in the subscripts.
 *
 * Chains are chosen for the fewest bytes alive at any time; where several choices need as few, for the fewest kernels
 * in chains, as rows make shorter loops. Without --stream only what lays a result out for the caller makes a chain, of
 * rows that are near, with the kernel in front of it and what puts inputs into the order of that one. Nothing is
 * computed twice. Requires: layout (compute form, subscripts as dimensions). Breaks: compute form, of chains. */
#include "plan.h"
#include "stream.h"
#include "tile.h"

enum { RATE_MOST = 64, NEAR_BYTES = 256 * 1024 };

typedef struct Choice {              /* kernels from .. the one at hand as a chain, the last one's rows along var */
    int from, var;
    int64_t bytes;                   /* alive meanwhile */
} Choice;
typedef VEC(Choice) Choices;

typedef struct Streams {
    Ctx *c;
    const Prog *p;
    const Target *target;
    Plan where;                      /* says what lives in the arena */
    Uses uses;
    const Windows **known;           /* by kernel × MAX_RANK + variable */
    int *stage;                      /* by buffer id: the stage of the chain at hand that makes it, from 1 on */
    int64_t *begun, *ended;          /* by i: bytes in the arena that are born, that are dead before kernel i */
    int64_t *alive;                  /* at each kernel, when it is in no chain */
    Choices *choices;                /* by last kernel */
    Chain chain;                     /* the one at hand */
} Streams;

/* ---- what a row needs -------------------------------------------------------------------------------------------- */

typedef struct Look { Ctx *c; int var; VEC(Window) of; bool fits; } Look;

/* x = step·var + what lies in lo..hi. */
static bool along(Ctx *c, const Idx *x, int var, Window *w)
{
    x = idx_bare(c, x);
    w->step = 0;
    for (int i = 0; i < x->n; i++)
        if (x->t[i].atom->kind == ATOM_VAR && x->t[i].atom->var == var) {
            w->step = x->t[i].c;
            x = idx_axpy(c, x, -w->step, idx_var(c, var, x->t[i].atom->hi + 1));
            break;
        }
    w->lo = x->lo;
    w->hi = x->hi;
    return w->step > 0 && w->step <= RATE_MOST && !idx_uses(x, var);
}

static Window window_of(Ctx *c, const Expr *e, int var)
{
    Window w = {.buf = e->buf, .dim = -1};
    int found = 0;
    for (int d = 0; d < e->buf->rank; d++)
        if (idx_uses(e->at[d], var)) w.dim = d, found++;
    w.fits = found == 1 && along(c, e->at[w.dim], var, &w);
    return w;
}

/* A constant within a reduction that differs from row to row cannot be packed in a row's order. */
static void see_constant(const Expr *e, void *arg)
{
    Look *l = arg;
    for (int d = 0; e->kind == E_LOAD && e->buf->kind == BUF_CONST && d < e->buf->rank; d++)
        l->fits &= !idx_uses(e->at[d], l->var);
}

static void see_read(const Expr *e, void *arg)
{
    Look *l = arg;
    for (int i = 0; e->kind == E_REDUCE && i < e->reduce->naccs; i++)
        expr_walk(l->c, e->reduce->next[i], see_constant, l);
    if (e->kind != E_LOAD || e->buf->kind != BUF_TEMP) return;
    const Window w = window_of(l->c, e, l->var);
    for (int i = 0; i < l->of.n; i++) {
        Window *old = &l->of.at[i];
        if (old->buf != e->buf) continue;
        old->fits &= w.fits && w.dim == old->dim && w.step == old->step;
        old->lo = w.lo < old->lo ? w.lo : old->lo;
        old->hi = w.hi > old->hi ? w.hi : old->hi;
        return;
    }
    VEC_PUSH(l->c, l->of, w);
}

static bool plain(const Buf *b)
{
    return !b->text && b->dt != DT_STRING && dtype_bits(b->dt) >= 8;
}

static const Windows *windows(Streams *s, int kernel, int var)
{
    const Windows **known = &s->known[kernel * MAX_RANK + var];
    if (*known) return *known;
    const Kernel *k = s->p->kernels[kernel];
    Look l = {.c = s->c, .var = var, .fits = plain(k->out)};
    if (l.fits) expr_walk(s->c, k->value, see_read, &l);
    Windows *w = NEW(s->c, Windows);
    *w = (Windows){l.fits, l.of.n, l.of.at};
    return *known = w;
}

static const Window *window(const Stage *s, const Buf *b)
{
    for (int i = 0; i < s->reads->n; i++)
        if (s->reads->of[i].buf == b) return &s->reads->of[i];
    return NULL;
}

/* ---- chains, from the last kernel back --------------------------------------------------------------------------- */

/* The variable of k that alone runs along a dimension of its result, and along no other; -1: none. */
static int variable_along(Ctx *c, const Kernel *k, int dim)
{
    for (int v = 0; v < k->rank; v++) {
        if (k->dims[v] < 2 || k->dims[v] != k->out->dims[dim] || k->at[dim] != idx_var(c, v, k->dims[v])) continue;
        for (int d = 0; d < k->out->rank; d++)
            if (d != dim && idx_uses(k->at[d], v)) return -1;
        return v;
    }
    return -1;
}

static bool runs(const Kernel *k)
{
    bool any = !k->nest && k->rank > 0;
    for (int v = 0; any && v < k->rank; v++) any &= k->dims[v] > 0;
    return any;
}

static bool begin(Streams *s, Chain *ch, int kernel, int var)
{
    const Kernel *k = s->p->kernels[kernel];
    if (k->dims[var] < 2) return false;
    ch->n = 1;
    ch->of[0] = (Stage){.k = k, .var = var, .rows = k->dims[var], .rate = 1, .ring = k->dims[var]};
    ch->of[0].reads = windows(s, kernel, var);
    return ch->of[0].reads->fits;
}

/* The kernel in front of the chain joins it when the chain alone reads its result, in steps along one dimension. */
static bool extend(Streams *s, Chain *ch, int kernel)
{
    const Kernel *k = s->p->kernels[kernel];
    Stage st = {.k = k};
    int readers = 0;
    if (ch->n == STAGES_MOST || !runs(k) || k->out->kind != BUF_TEMP || s->uses.writers[k->out->id] != 1) return false;
    for (int i = 0; i < ch->n; i++) {
        const Window *w = window(&ch->of[i], k->out);
        if (!w) continue;
        const int64_t rate = w->step * ch->of[i].rate;
        if (!w->fits || (readers && (rate != st.rate || w->dim != st.dim))) return false;
        st.rate = rate;
        st.dim = w->dim;
        readers++;
    }
    if (readers == 0 || readers != s->uses.readers[k->out->id]) return false;
    if (s->target->lanes && st.dim == k->out->rank - 1) return false;        /* it is the lanes' */
    const int64_t next = ch->of[ch->n - 1].rate;
    st.var = variable_along(s->c, k, st.dim);
    if (st.var < 0 || st.rate > RATE_MOST || st.rate % next) return false;
    st.rows = k->dims[st.var];
    st.reads = windows(s, kernel, st.var);
    if (!st.reads->fits) return false;
    ch->of[ch->n++] = st;
    s->stage[k->out->id] = ch->n;
    return true;
}

/* How far each stage lags behind, and how many rows are kept of what it makes: from the oldest that is still read to
 * the newest. A stage that reads `step` rows ahead for each of its own has all of them before it when its turn comes.
 * */
static int64_t schedule(const Streams *s, Chain *ch)
{
    int64_t bytes = 0;
    for (int i = ch->n; i-- > 0;) {
        Stage *st = &ch->of[i];
        st->delay = 0;
        st->ring = 1;
        for (int j = 0; j < st->reads->n; j++) {
            const Window *w = &st->reads->of[j];
            const int from = s->stage[w->buf->id];
            if (from == 0) continue;
            const int64_t ahead = ch->of[from - 1].delay + w->hi - w->step + 1;
            const int64_t delay = ahead > 0 ? (ahead + w->step - 1) / w->step : 0;
            st->delay = delay > st->delay ? delay : st->delay;
        }
        for (int j = 0; j < st->reads->n; j++) {
            const Window *w = &st->reads->of[j];
            const int from = s->stage[w->buf->id];
            if (from == 0) continue;
            Stage *f = &ch->of[from - 1];
            int64_t ring = w->step * (st->delay + 1) - w->lo - f->delay;
            ring = ring > f->rows ? f->rows : ring;
            f->ring = ring > f->ring ? ring : f->ring;
        }
    }
    for (int i = 1; i < ch->n; i++)
        bytes += (int64_t)buf_bytes(ch->of[i].k->out) / ch->of[i].rows * ch->of[i].ring;
    return bytes;
}

static void forget(const Streams *s, const Chain *ch)
{
    for (int i = 1; i < ch->n; i++) s->stage[ch->of[i].k->out->id] = 0;
}

static void add_choice(Streams *s, int last, Choice x)
{
    Choices *all = &s->choices[last];
    for (int i = 0; i < all->n; i++)
        if (all->at[i].from == x.from) {
            if (x.bytes < all->at[i].bytes) all->at[i] = x;
            return;
        }
    VEC_PUSH(s->c, *all, x);
}

/* All chains that end at a kernel. */
static void find_chains(Streams *s, int last)
{
    Chain *ch = &s->chain;
    add_choice(s, last, (Choice){last, -1, s->alive[last]});
    for (int v = 0; runs(s->p->kernels[last]) && v < s->p->kernels[last]->rank; v++) {
        if (!begin(s, ch, last, v)) continue;
        int64_t whole = 0;
        for (int from = last; from-- > 0 && extend(s, ch, from);) {
            whole += (int64_t)buf_bytes(s->p->kernels[from]->out);
            const int64_t others = s->begun[last + 1] - s->ended[from] - whole;
            add_choice(s, last, (Choice){from, v, others + schedule(s, ch)});
        }
        forget(s, ch);
    }
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

typedef struct Life { const Streams *s; int *first, *last, at; } Life;

static void live(const Buf *b, void *arg)
{
    Life *l = arg;
    if (!buf_in_arena(b, &l->s->where)) return;
    if (l->first[b->id] < 0) l->first[b->id] = l->at;
    l->last[b->id] = b->text || b->kind == BUF_OUT ? l->s->p->nkernels - 1 : l->at;
}

static void find_lives(Streams *s)
{
    const int n = s->p->nkernels;
    Life l = {s, SCRATCH_N(s->c, int, s->uses.n + 1), SCRATCH_N(s->c, int, s->uses.n + 1), 0};
    s->begun = SCRATCH_N(s->c, int64_t, n + 1);
    s->ended = SCRATCH_N(s->c, int64_t, n + 1);
    for (int i = 0; i < s->uses.n; i++) l.first[i] = -1;
    for (int i = 0; i < s->p->nins; i++) live(s->p->ins[i], &l);
    for (; l.at < n; l.at++) {
        live(s->p->kernels[l.at]->out, &l);
        prog_reads(s->c, s->p->kernels[l.at], live, &l);
    }
    for (int i = 0; i < s->p->nbufs; i++) {
        const Buf *b = s->p->bufs[i];
        if (!buf_in_arena(b, &s->where) || l.first[b->id] < 0) continue;
        s->begun[l.first[b->id] + 1] += (int64_t)buf_bytes(b);
        s->ended[l.last[b->id] + 1] += (int64_t)buf_bytes(b);
    }
    for (int i = 0; i < n; i++) s->begun[i + 1] += s->begun[i], s->ended[i + 1] += s->ended[i];
}

/* The fewest bytes that are enough at any time. */
static int64_t least_peak(const Streams *s)
{
    const int n = s->p->nkernels;
    int64_t *best = SCRATCH_N(s->c, int64_t, n + 1);
    for (int last = 0; last < n; last++) {
        best[last + 1] = INT64_MAX;
        for (int i = 0; i < s->choices[last].n; i++) {
            const Choice *x = &s->choices[last].at[i];
            const int64_t peak = x->bytes > best[x->from] ? x->bytes : best[x->from];
            if (peak < best[last + 1]) best[last + 1] = peak;
        }
    }
    return best[n];
}

/* Per last kernel of a chain or single one: the choice for it. Of all that need no more than `peak`, as few kernels in
 * chains as can be. */
static const Choice **choose(const Streams *s, int64_t peak)
{
    const int n = s->p->nkernels;
    const Choice **at = SCRATCH_N(s->c, const Choice *, n + 1);
    int *best = SCRATCH_N(s->c, int, n + 1);
    for (int last = 0; last < n; last++) {
        best[last + 1] = INT_MAX;
        for (int i = 0; i < s->choices[last].n; i++) {
            const Choice *x = &s->choices[last].at[i];
            if (x->bytes > peak || best[x->from] == INT_MAX) continue;
            const int work = best[x->from] + (x->var < 0 ? 0 : last - x->from + 1);
            if (work < best[last + 1]) best[last + 1] = work, at[last] = x;
        }
    }
    return at;
}

/* ---- without --stream ------------------------------------------------------------------------------------------ */

/* Whether k lays a temporary out for the caller, in another order within each row along var. */
static bool lays_out(const Kernel *k, int var)
{
    const int inner = k->out->rank - 1;
    return runs(k) && k->out->kind == BUF_OUT && inner >= 2 && k->value->kind == E_LOAD &&
           k->value->buf->rank == k->out->rank && k->value->at[inner] != k->at[inner] && !idx_uses(k->at[inner], var);
}

/* Whether k is an input of the caller's in another order. */
static bool lies_in(const Kernel *k)
{
    return !k->nest && k->value->kind == E_LOAD && k->value->buf->kind == BUF_IN;
}

/* Results are laid out for callers row by row, each while it is near; and so is what they are computed of. */
static const Choice **near_choices(Streams *s)
{
    const int n = s->p->nkernels;
    const Choice **at = SCRATCH_N(s->c, const Choice *, n + 1);
    for (int last = 0; last < n; last++) {
        Choice *x = NEW(s->c, Choice);
        const Kernel *k = s->p->kernels[last];
        *x = (Choice){last, -1, 0};
        at[last] = x;
        for (int v = 0; last > 0 && x->var < 0 && v < k->rank; v++) {
            if (!lays_out(k, v) || !begin(s, &s->chain, last, v)) continue;
            for (int from = last - 1; from >= 0 && (from == last - 1 || lies_in(s->p->kernels[from])); from--) {
                if (!extend(s, &s->chain, from) || schedule(s, &s->chain) > NEAR_BYTES) break;
                *x = (Choice){from, v, 0};
            }
            forget(s, &s->chain);
        }
    }
    return at;
}

static const Kernel *chained(Streams *s, int last, const Choice *x, Made *made)
{
    Chain *ch = &s->chain;
    if (!begin(s, ch, last, x->var)) ice(s->c, "a chain that was there is not");
    for (int from = last; from-- > x->from;)
        if (!extend(s, ch, from)) ice(s->c, "a chain that was there is not");
    schedule(s, ch);
    forget(s, ch);
    return chain_kernel(s->c, ch, s->target, made);
}

static Prog *streamed(Streams *s, const Choice **at)
{
    const int n = s->p->nkernels;
    int *ends = SCRATCH_N(s->c, int, n), count = 0;
    Made made = {0};
    for (int last = n - 1; last >= 0; last = at[last]->from - 1) ends[count++] = last;
    while (count-- > 0) {
        const int last = ends[count];
        const Kernel *k = at[last]->var < 0 ? s->p->kernels[last] : chained(s, last, at[last], &made);
        for (int i = 0; i < k->nheld; i++) VEC_PUSH(s->c, made.bufs, (Buf *)k->held[i]);
        VEC_PUSH(s->c, made.kernels, k);
    }
    return prog_more(s->c, s->p, &made.bufs, made.kernels.n, made.kernels.at);
}

static Streams looked_through(Ctx *c, Unit u)
{
    Streams s = {.c = c, .p = u.prog, .target = u.target, .where = {.io = u.io_arena}, .uses = prog_uses(c, u.prog)};
    s.known = SCRATCH_N(c, const Windows *, (size_t)u.prog->nkernels * MAX_RANK);
    s.stage = SCRATCH_N(c, int, s.uses.n + 1);
    if (!u.stream) return s;
    s.alive = prog_alive(c, u.prog, u.io_arena);
    s.choices = SCRATCH_N(c, Choices, u.prog->nkernels);
    find_lives(&s);
    for (int i = 0; i < u.prog->nkernels; i++) find_chains(&s, i);
    return s;
}

int64_t *stream_spare(Ctx *c, Unit u)
{
    const int n = u.prog->nkernels;
    Streams s = looked_through(c, u);
    const int64_t peak = n ? least_peak(&s) : 0;
    const Choice **at = choose(&s, peak);
    int64_t *spare = SCRATCH_N(c, int64_t, n + 1);
    for (int last = n - 1; last >= 0; last = at[last]->from - 1)
        if (at[last]->var < 0) spare[last] = peak - s.alive[last];
    return spare;
}

Unit pass_stream(Ctx *c, Unit u)
{
    if ((!u.stream && !u.target->lanes) || u.prog->nkernels == 0) return u;
    Mark m = scratch_mark(c);
    Streams s = looked_through(c, u);
    u.prog = streamed(&s, u.stream ? choose(&s, least_peak(&s)) : near_choices(&s));
    scratch_release(c, m);
    return u;
}
