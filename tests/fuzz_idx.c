/* Fuzzes the index algebra and the views: random chains of movement operators against copies of arrays.
 *
 *   fuzz_idx [SECONDS] [--seconds N] [--chains N] [--seed S]     stops at whichever comes first; chain i has the seed S + i
 *
 * A chain is run forward on an array that holds the numbers of its source's elements (-1: padding). The same chain is composed in two
 * ways: backward, each operator applied to the subscripts of the next, and forward, by substitution into one-step maps. Both must
 * give the number that the array holds, for every element; every subscript must be proved in bounds by its interval alone, every
 * interval must hold at every step of the evaluation, and of the maps without padding that are truly strided 99 % must be free of division. */
#include "loop.h"

#include <time.h>

enum { RANK = 6, STEPS = 8, ELEMENTS = 2000, SHOWN = 10, CTX_BYTES = 16 << 20 };

typedef enum Kind { RESHAPE, TRANSPOSE, SLICE, EXPAND, REPEAT, PAD, KINDS } Kind;
typedef struct Shape { int rank; int64_t dims[RANK]; } Shape;
typedef struct Step {
    Kind kind;
    Shape from, to;
    int perm[RANK];                  /* TRANSPOSE */
    int64_t start[RANK], step[RANK]; /* SLICE; PAD: start[i] elements in front of dimension i */
} Step;
typedef struct Chain { Shape src; int n; Step steps[STEPS]; } Chain;
typedef struct Guard { const Idx *x; int64_t extent; } Guard;
typedef struct View {                /* the place in the source of an element of the result, where the guards hold, in order */
    const Idx *at[RANK];
    int nguards;
    Guard guards[STEPS * RANK];
} View;

static uint64_t state;

static uint64_t random_bits(void)    /* splitmix64 */
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int pick(int n)               /* 0 .. n-1 */
{
    return (int)(random_bits() % (uint64_t)n);
}

static int64_t count(const Shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= s->dims[i];
    return n;
}

/* ---- random chains ---- */

static Shape random_shape(void)
{
    static const int sizes[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 11, 12, 13 };
    Shape s = { .rank = 1 + pick(RANK) };
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++) {
        s.dims[i] = sizes[pick(COUNT(sizes))];
        if (n * s.dims[i] > ELEMENTS / 4)
            s.dims[i] = 1;
        n *= s.dims[i];
    }
    return s;
}

static void random_reshape(Step *s)
{
    int64_t left = count(&s->from);
    s->to.rank = 1 + pick(RANK);
    for (int i = 0; i < s->to.rank; i++) {
        int64_t f = left;
        if (i < s->to.rank - 1) {
            f = pick(4) == 0 ? 1 : 1 + pick(left < 14 ? (int)left : 14);
            while (left % f != 0)
                f--;
        }
        s->to.dims[i] = f;
        left /= f;
    }
    for (int i = s->to.rank - 1; i > 0; i--) {       /* the large one need not be last */
        int j = pick(i + 1);
        int64_t d = s->to.dims[i];
        s->to.dims[i] = s->to.dims[j];
        s->to.dims[j] = d;
    }
}

static void random_transpose(Step *s)
{
    s->to.rank = s->from.rank;
    for (int i = 0; i < s->to.rank; i++)
        s->perm[i] = i;
    for (int i = s->to.rank - 1; i > 0; i--) {
        int j = pick(i + 1), p = s->perm[i];
        s->perm[i] = s->perm[j];
        s->perm[j] = p;
    }
    for (int i = 0; i < s->to.rank; i++)
        s->to.dims[i] = s->from.dims[s->perm[i]];
}

static void random_slice(Step *s)
{
    s->to = s->from;
    for (int i = 0; i < s->to.rank; i++) {
        int n = (int)s->from.dims[i];
        s->step[i] = 1;
        if (pick(2) == 0)
            continue;
        int step = 1 + pick(3), start = pick(n), reach;
        bool back = pick(3) == 0;
        if (pick(2) == 0)
            start = back ? n - 1 : 0;
        reach = (back ? start : n - 1 - start) / step;
        s->start[i] = start;
        s->step[i] = back ? -step : step;
        s->to.dims[i] = 1 + (pick(2) == 0 ? reach : pick(reach + 1));
    }
}

/* EXPAND and REPEAT: new dimensions in front; then sizes of 1 stretched, or any size repeated. */
static void random_stretch(Step *s)
{
    int front = s->from.rank < RANK && pick(3) == 0 ? 1 + pick(RANK - s->from.rank < 2 ? 1 : 2) : 0;
    s->to.rank = s->from.rank + front;
    for (int i = 0; i < s->to.rank; i++) {
        int64_t old = i < front ? 1 : s->from.dims[i - front];
        s->to.dims[i] = old;
        if (pick(2) == 0 && (old == 1 || s->kind == REPEAT))
            s->to.dims[i] = old * (1 + pick(4));
    }
}

static void random_pad(Step *s)
{
    s->to = s->from;
    for (int i = 0; i < s->to.rank; i++)
        if (pick(3) == 0) {
            s->start[i] = pick(4);
            s->to.dims[i] += s->start[i] + pick(4);
        }
}

static Step random_step(Shape from)
{
    Step s = { .kind = (Kind)pick(pick(3) == 0 ? KINDS : PAD), .from = from };
    if (pick(3) == 0)
        s.kind = RESHAPE;
    switch (s.kind) {
    case RESHAPE: random_reshape(&s); break;
    case TRANSPOSE: random_transpose(&s); break;
    case SLICE: random_slice(&s); break;
    case PAD: random_pad(&s); break;
    default: random_stretch(&s); break;
    }
    return s;
}

static Chain random_chain(void)
{
    Chain ch = { .src = random_shape() };
    Shape at = ch.src;
    for (int i = 1 + pick(STEPS); i > 0; i--) {
        Step s = random_step(at);
        if (count(&s.to) > ELEMENTS)
            continue;
        ch.steps[ch.n++] = s;
        at = s.to;
    }
    return ch;
}

static Shape result(const Chain *ch)
{
    return ch->n > 0 ? ch->steps[ch->n - 1].to : ch->src;
}

/* ---- the reference: arrays, copied ---- */

static void unflatten(const Shape *s, int64_t flat, int64_t *at)
{
    for (int i = s->rank - 1; i >= 0; i--) {
        at[i] = flat % s->dims[i];
        flat /= s->dims[i];
    }
}

/* The flat place in the source of one step that its result has at `flat`; -1: padding. */
static int64_t source_place(const Step *s, int64_t flat)
{
    int64_t to[RANK], from[RANK], place = 0;
    int shift = s->to.rank - s->from.rank;
    if (s->kind == RESHAPE)
        return flat;
    unflatten(&s->to, flat, to);
    for (int i = 0; i < s->from.rank; i++) {
        switch (s->kind) {
        case TRANSPOSE: from[s->perm[i]] = to[i]; break;
        case SLICE: from[i] = s->start[i] + s->step[i] * to[i]; break;
        case PAD: from[i] = to[i] - s->start[i]; break;
        default: from[i] = to[shift + i] % s->from.dims[i]; break;
        }
    }
    for (int i = 0; i < s->from.rank; i++) {
        if (from[i] < 0 || from[i] >= s->from.dims[i])
            return -1;
        place = place * s->from.dims[i] + from[i];
    }
    return place;
}

/* out[i]: the element of the source that the chain puts at i. */
static void reference(const Chain *ch, int32_t *out)
{
    static int32_t before[ELEMENTS];
    for (int i = 0; i < count(&ch->src); i++)
        out[i] = i;
    for (int k = 0; k < ch->n; k++) {
        const Step *s = &ch->steps[k];
        memcpy(before, out, sizeof *out * (size_t)count(&s->from));
        for (int i = 0; i < count(&s->to); i++) {
            int64_t p = source_place(s, i);
            out[i] = p < 0 ? -1 : before[p];
        }
    }
}

/* Whether out is base + sum of stride·subscript. */
static bool strided(const Shape *s, const int32_t *out)
{
    int64_t stride[RANK], at[RANK], step = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        stride[i] = s->dims[i] > 1 ? out[step] - out[0] : 0;
        step *= s->dims[i];
    }
    for (int f = 0; f < count(s); f++) {
        int64_t place = out[0];
        unflatten(s, f, at);
        for (int i = 0; i < s->rank; i++)
            place += stride[i] * at[i];
        if (place != out[f])
            return false;
    }
    return true;
}

/* ---- the views ---- */

/* Takes a place in the result of s to one in its source; adds the guards of a PAD to v. */
static void step_back(Ctx *c, const Step *s, const Idx *const *at, const Idx **src, View *v)
{
    const Shape *from = &s->from, *to = &s->to;
    switch (s->kind) {
    case RESHAPE: view_reshape(c, to->rank, to->dims, at, from->rank, from->dims, src); break;
    case TRANSPOSE: view_transpose(to->rank, s->perm, at, src); break;
    case SLICE: view_slice(c, to->rank, s->start, s->step, at, src); break;
    case EXPAND: view_expand(c, to->rank, at, from->rank, from->dims, src); break;
    case REPEAT: view_repeat(c, to->rank, at, from->rank, from->dims, src); break;
    default:
        for (int i = 0; i < to->rank; i++) {
            const Idx *x = idx_add(c, at[i], idx_const(c, -s->start[i]));
            src[i] = idx_assume(c, x, 0, from->dims[i] - 1);
            if (src[i] != x)
                v->guards[v->nguards++] = (Guard){ x, from->dims[i] };
        }
    }
}

static void identity(Ctx *c, const Shape *s, const Idx **at)
{
    for (int i = 0; i < s->rank; i++)
        at[i] = idx_var(c, i, s->dims[i]);
}

static View view_backward(Ctx *c, const Chain *ch)
{
    View v = { .nguards = 0 };
    const Idx *at[RANK];
    Shape last = result(ch);
    identity(c, &last, v.at);
    for (int k = ch->n - 1; k >= 0; k--) {
        memcpy(at, v.at, sizeof at);
        step_back(c, &ch->steps[k], at, v.at, &v);
    }
    return v;
}

static View view_forward(Ctx *c, const Chain *ch)
{
    static const int vars[RANK] = { 0, 1, 2, 3, 4, 5 };
    View v = { .nguards = 0 };
    identity(c, &ch->src, v.at);
    for (int k = 0; k < ch->n; k++) {
        const Step *s = &ch->steps[k];
        const Idx *at[RANK], *in[RANK];
        View w = { .nguards = 0 };
        identity(c, &s->to, at);
        step_back(c, s, at, in, &w);
        Subst sub = { s->from.rank, vars, in };
        for (int i = 0; i < ch->src.rank; i++)
            w.at[i] = idx_subst(c, v.at[i], &sub);
        for (int i = 0; i < v.nguards; i++)
            w.guards[w.nguards++] = (Guard){ idx_subst(c, v.guards[i].x, &sub), v.guards[i].extent };
        v = w;
    }
    return v;
}

/* ---- judgement ---- */

/* Floor semantics, written apart from the algebra; *ok becomes false where an interval does not hold. */
static int64_t eval_checked(const Idx *x, const int64_t *vars, bool *ok)
{
    int64_t sum = x->k;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        int64_t v = a->kind == ATOM_VAR ? vars[a->var] : eval_checked(a->x, vars, ok);
        if (a->kind == ATOM_DIGIT) {
            *ok &= v >= 0 && a->a >= 1 && a->b >= 0;
            v = v >= 0 ? v / a->a : -((-v + a->a - 1) / a->a);
            if (a->b > 0)
                v = ((v % a->b) + a->b) % a->b;
        }
        *ok &= a->lo <= v && v <= a->hi && (i == 0 || x->t[i - 1].atom->id < a->id);
        sum += x->t[i].c * v;
    }
    *ok &= x->lo <= sum && sum <= x->hi && sum <= x->wide && -sum <= x->wide;
    return sum;
}

/* The number of the source's element for the result's element at `at`; -1: padding, -2: some check failed. */
static int64_t view_element(const View *v, const Shape *src, const Idx *flat, const int64_t *at)
{
    int64_t place = 0;
    bool ok = true;
    for (int i = 0; i < v->nguards; i++) {
        int64_t x = eval_checked(v->guards[i].x, at, &ok);
        if (ok && (x < 0 || x >= v->guards[i].extent))
            return -1;
    }
    for (int i = 0; i < src->rank; i++) {
        int64_t x = eval_checked(v->at[i], at, &ok);
        ok &= x >= 0 && x < src->dims[i] && x == idx_eval(v->at[i], at, NULL, NULL);
        place = place * src->dims[i] + x;
    }
    return ok && place == eval_checked(flat, at, &ok) && ok ? place : -2;
}

static bool proved(const View *v, const Shape *src)
{
    for (int i = 0; i < src->rank; i++)
        if (v->at[i]->lo < 0 || v->at[i]->hi >= src->dims[i])
            return false;
    return true;
}

typedef struct Tally { long chains, wrong, unproved, views, strided, free, costly, cost; } Tally;
typedef struct Run { uint64_t seed, next; long chains; double seconds, start; Tally t; } Run;

static void show(const Chain *ch, const View *v, const char *what, uint64_t seed)
{
    static const char *const names[] = { "reshape", "transpose", "slice", "expand", "repeat", "pad" };
    printf("%s: --chains 1 --seed %llu\n", what, (unsigned long long)seed);
    for (int k = -1; k < ch->n; k++) {
        const Shape *s = k < 0 ? &ch->src : &ch->steps[k].to;
        printf("  %s [", k < 0 ? "source" : names[ch->steps[k].kind]);
        for (int i = 0; i < s->rank; i++)
            printf("%s%lld", i > 0 ? "," : "", (long long)s->dims[i]);
        printf("]\n");
    }
    for (int i = 0; i < ch->src.rank; i++) {
        printf("  [%lld, %lld] of %lld: ", (long long)v->at[i]->lo, (long long)v->at[i]->hi, (long long)ch->src.dims[i]);
        idx_print(stdout, v->at[i], NULL, NULL);
        printf("\n");
    }
}

static void judge(Ctx *c, Tally *t, const Chain *ch, const View *v, const int32_t *out, uint64_t seed)
{
    const Idx *flat = idx_flat(c, ch->src.rank, ch->src.dims, v->at);
    Shape last = result(ch);
    bool wrong = false, in_bounds = proved(v, &ch->src), padded = v->nguards > 0;
    for (int f = 0; f < count(&last) && !wrong; f++) {
        int64_t at[RANK];
        unflatten(&last, f, at);
        wrong = view_element(v, &ch->src, flat, at) != out[f];
    }
    bool is_strided = !padded && strided(&last, out);
    t->views++;
    t->wrong += wrong;
    t->unproved += !in_bounds;
    t->strided += is_strided;
    t->free += is_strided && idx_cost(flat) == 0;
    t->costly += idx_cost(flat) > 0;
    t->cost += idx_cost(flat);
    if ((wrong || !in_bounds) && t->wrong + t->unproved <= SHOWN)
        show(ch, v, wrong ? "wrong" : "not proved in bounds", seed);
    if (getenv("FUZZ_IDX_SHOW") != NULL && is_strided && idx_cost(flat) > 0)
        show(ch, v, "strided, but divides", seed);
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static bool finished(const Run *r)
{
    return r->t.chains >= r->chains || now() - r->start > r->seconds;
}

/* Chains until the context has grown large. */
static void run(Ctx *c, void *arg)
{
    static int32_t out[ELEMENTS];
    Run *r = arg;
    while (c->bytes < CTX_BYTES && !finished(r)) {
        state = r->next++;
        Chain ch = random_chain();
        reference(&ch, out);
        View back = view_backward(c, &ch), forth = view_forward(c, &ch);
        judge(c, &r->t, &ch, &back, out, r->next - 1);
        judge(c, &r->t, &ch, &forth, out, r->next - 1);
        r->t.chains++;
    }
}

static bool options(Run *r, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            r->seconds = strtod(argv[i], NULL);
        else if (i + 1 == argc)
            return false;
        else if (strcmp(argv[i], "--seconds") == 0)
            r->seconds = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--chains") == 0)
            r->chains = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            r->seed = strtoull(argv[++i], NULL, 10);
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    Run r = { .seed = 1, .chains = LONG_MAX, .seconds = 1e9, .start = now() };
    if (!options(&r, argc, argv)) {
        fprintf(stderr, "usage: fuzz_idx [SECONDS] [--seconds N] [--chains N] [--seed S]\n");
        return 2;
    }
    if (r.seconds >= 1e9 && r.chains == LONG_MAX)
        r.seconds = 10;
    r.next = r.seed;
    Tally *t = &r.t;
    long broken = 0;
    while (!finished(&r) && broken < SHOWN) {
        Ctx *c = ctx_new();
        if (c == NULL || !ctx_run(c, run, &r)) {
            broken++;
            t->chains++;
            printf("internal error: --chains 1 --seed %llu\n", (unsigned long long)(r.next - 1));
            if (c != NULL)
                diag_flush(c, stdout);
        }
        if (c != NULL)
            ctx_free(c);
    }
    bool divides = t->strided >= 1000 && (double)t->free < 0.99 * (double)t->strided;
    long failed = t->wrong + t->unproved + broken + divides;
    printf("%ld chains in %.1f s: %ld views wrong, %ld not proved in bounds, %ld internal errors\n", t->chains,
           now() - r.start, t->wrong, t->unproved, broken);
    printf("of %ld views %ld divide (%.2f operations on average); of %ld truly strided %ld (%.3f %%) do not\n", t->views,
           t->costly, t->costly > 0 ? (double)t->cost / (double)t->costly : 0.0, t->strided, t->free,
           t->strided > 0 ? 100.0 * (double)t->free / (double)t->strided : 100.0);
    printf("%ld passed, %ld failed\n", t->chains > failed ? t->chains - failed : 0, failed);
    return failed > 0;
}
