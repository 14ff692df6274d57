/* Fuzzes the index algebra and the views: random chains of movement operators against copies of arrays.
 *
 *   fuzz_idx [SECONDS] [--seconds N] [--chains N] [--seed S]
 *
 * It stops at whichever comes first, or after ten failures; chain i has the seed S + i: `--chains 1 --seed X` repeats
 * it. A chain is composed in two ways: backward, each operator applied to the subscripts of the next, and forward, by
 * substitution into one-step maps. Both must name the element that the copied array holds; each subscript must be
 * proved in bounds by its interval alone; each interval must hold at each step of the evaluation; and of the maps
 * without padding that are truly strided 99 % must be free of division. Every eighth chain is big and is looked at in
 * a few places only. With each chain goes a formula of the algebra, whose atoms may be negative, against the same
 * arithmetic on numbers. */
#include "fuzz_chain.h"

#include <time.h>

enum { SHOWN = 10, PLACES = 24, CTX_BYTES = 16 << 20 };

typedef struct Guard { const Idx *x; int64_t extent; } Guard;
typedef struct View {                /* where an element of the result is in the source, if the guards hold, in order */
    const Idx *at[RANK];
    int nguards;
    Guard guards[STEPS * RANK];
} View;
typedef struct Case {                /* a chain, and what is expected at n places of its result */
    const Chain *ch;
    uint64_t seed;
    bool strided;
    int64_t n;
    int64_t flat[ELEMENTS], element[ELEMENTS];
} Case;
typedef struct Tally { long chains, wrong, unproved, formulas, broken, views, strided, free, costly, cost; } Tally;
typedef struct Run {
    uint64_t seed, next;
    long chains;
    double seconds, start;
    Tally t;
    Case cs;
} Run;

/* ---- views ---- */

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
    static const int vars[RANK] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
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

static int64_t value_of(void *values, const Expr *e)
{
    return ((const int64_t *)values)[e->k];
}

/* Floor semantics, written apart from the algebra; *ok becomes false where an interval does not hold. */
static int64_t eval_checked(const Idx *x, int64_t *vars, bool *ok)
{
    int64_t sum = x->k;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        int64_t v = a->kind == ATOM_VAR     ? vars[a->var]
                    : a->kind == ATOM_VALUE ? value_of(vars, a->expr)
                                            : eval_checked(a->x, vars, ok);
        if (a->kind == ATOM_DIGIT) {
            *ok &= v >= 0 && a->x->lo >= 0 && a->a >= 1 && a->b >= 0;
            v = v >= 0 ? v / a->a : -((-v + a->a - 1) / a->a);
            if (a->b > 0)
                v = ((v % a->b) + a->b) % a->b;
        }
        *ok &= a->lo <= v && v <= a->hi && (i == 0 || x->t[i - 1].atom != a);
        sum += x->t[i].c * v;
    }
    *ok &= x->lo <= sum && sum <= x->hi && sum <= x->wide && -sum <= x->wide;
    *ok &= sum == idx_eval(x, vars, value_of, vars);
    return sum;
}

/* The number of the source's element for the result's element at `at`; -1: padding, -2: some check failed. */
static int64_t view_element(const View *v, const Shape *src, const Idx *flat, int64_t *at)
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
        ok &= x >= 0 && x < src->dims[i];
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

static void show(const Case *cs, const View *v, const char *what)
{
    printf("%s: --chains 1 --seed %llu\n", what, (unsigned long long)cs->seed);
    chain_print(cs->ch);
    for (int i = 0; i < cs->ch->src.rank; i++) {
        const Idx *x = v->at[i];
        printf("  [%lld, %lld] of %lld: ", (long long)x->lo, (long long)x->hi, (long long)cs->ch->src.dims[i]);
        idx_print(stdout, x, NULL, NULL);
        printf("\n");
    }
}

static void expect(Case *cs, const Chain *ch, uint64_t seed)
{
    Shape last = result(ch);
    cs->ch = ch;
    cs->seed = seed;
    cs->n = ch->big ? PLACES : count(&last);
    for (int64_t i = 0; i < cs->n; i++) {
        cs->flat[i] = ch->big ? pick(count(&last)) : i;
        cs->element[i] = ch->big ? chain_element(ch, cs->flat[i]) : 0;
    }
    if (!ch->big)
        chain_array(ch, cs->element);
    cs->strided = !ch->big && array_strided(&last, cs->element);
}

static void judge(Ctx *c, Tally *t, const Case *cs, const View *v)
{
    const Shape *src = &cs->ch->src;
    const Idx *flat = idx_flat(c, src->rank, src->dims, v->at);
    Shape last = result(cs->ch);
    bool wrong = false, in_bounds = proved(v, src), strided = cs->strided && v->nguards == 0;
    for (int64_t i = 0; i < cs->n && !wrong; i++) {
        int64_t at[RANK];
        unflatten(&last, cs->flat[i], at);
        wrong = view_element(v, src, flat, at) != cs->element[i];
    }
    t->views++;
    t->wrong += wrong;
    t->unproved += !in_bounds;
    t->strided += strided;
    t->free += strided && idx_cost(flat) == 0;
    t->costly += idx_cost(flat) > 0;
    t->cost += idx_cost(flat);
    if (wrong || !in_bounds)
        show(cs, v, wrong ? "wrong" : "not proved in bounds");
    if (getenv("FUZZ_IDX_SHOW") != NULL && strided && idx_cost(flat) > 0)
        show(cs, v, "strided, but divides");
}

/* ---- formulas ---- */

enum { ATOMS = 5, OPS = 10, SAMPLES = 16 };
typedef struct Sampled { const Idx *x; int64_t v[SAMPLES]; } Sampled;

static int64_t floored(int64_t x, int64_t a, int64_t b)
{
    int64_t q = x / a - (x % a < 0);
    return b == 0 ? q : (q % b + b) % b;
}

static Sampled digit_of(Ctx *c, const Sampled *p, int64_t a, int64_t b)
{
    Sampled r = { .x = idx_digit(c, p->x, a, b) };
    for (int i = 0; i < SAMPLES; i++)
        r.v[i] = floored(p->v[i], a, b);
    return r;
}

static Sampled sum_of(Ctx *c, const Sampled *p, int64_t s, const Sampled *q)
{
    Sampled r = { .x = idx_axpy(c, p->x, s, q->x) };
    for (int i = 0; i < SAMPLES; i++)
        r.v[i] = p->v[i] + s * q->v[i];
    return r;
}

/* p under an assumption that the samples fulfil. */
static Sampled assumed(Ctx *c, const Sampled *p)
{
    Sampled r = *p;
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int i = 0; i < SAMPLES; i++) {
        lo = p->v[i] < lo ? p->v[i] : lo;
        hi = p->v[i] > hi ? p->v[i] : hi;
    }
    r.x = idx_assume(c, p->x, lo - pick(2), hi + pick(2));
    return r;
}

/* One operation on p and q, on the index and on the numbers; the last two make sums of digits that recombine. */
static Sampled operate(Ctx *c, const Sampled *p, const Sampled *q)
{
    static const int numbers[] = { 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 24, 30 };
    int64_t a = numbers[pick(COUNT(numbers))], b = numbers[pick(COUNT(numbers))], none = pick(3) == 0 ? 0 : b;
    int64_t kind = pick(10);
    if (kind < 4)
        return digit_of(c, p, a, none);
    if (kind < 7)
        return sum_of(c, p, pick(3) == 0 ? -a : a, q);
    if (kind == 7)
        return assumed(c, p);
    if (kind == 8) {                                 /* (p mod ab)/a + b·((p + t·q)/ab mod d), often t = ab */
        Sampled high = sum_of(c, p, a * (pick(3) == 0 ? 1 : b), q), low = digit_of(c, p, a, b);
        high = digit_of(c, &high, a * b, pick(2) == 0 ? 0 : 1 + pick(5));
        return sum_of(c, &low, b, &high);
    }
    Sampled low = digit_of(c, p, 1, b), high = digit_of(c, p, b, 0), x = sum_of(c, q, a, &low);
    x = digit_of(c, &x, a * b, 0);                   /* (a·(p mod b) + q)/ab + s·(p/b), often s = 1 */
    return sum_of(c, &x, pick(3) == 0 ? b : 1, &high);
}

/* A formula is a row of results, each made of two of those before it. Atoms: a variable, three values, a constant. */
static bool formula_holds(Ctx *c)
{
    Sampled row[ATOMS + OPS];
    int64_t env[SAMPLES][ATOMS];
    Expr *values = NEW_N(c, Expr, ATOMS);
    for (int i = 0; i < ATOMS; i++) {
        int64_t lo = i == 0 ? 0 : pick(9) - 4, hi = i == 4 ? lo : lo + 1 + pick(pick(3) == 0 ? 40 : 5);
        values[i] = (Expr){ .kind = E_ACC, .dt = DT_I64, .id = i, .k = i, .size = 1, .depth = 1 };
        row[i].x = i == 0 ? idx_var(c, 0, hi + 1) : idx_value(c, &values[i], lo, hi);
        for (int j = 0; j < SAMPLES; j++)
            row[i].v[j] = env[j][i] = lo + pick(hi - lo + 1);
    }
    bool ok = true;
    for (int i = ATOMS; i < ATOMS + OPS && ok; i++) {
        row[i] = operate(c, &row[pick(2) == 0 ? i - 1 : pick(i)], &row[pick(i)]);
        for (int j = 0; j < SAMPLES; j++)
            ok &= eval_checked(row[i].x, env[j], &ok) == row[i].v[j];
        if (row[i].x->wide > 1 << 20)
            break;
    }
    return ok;
}

/* ---- the run ---- */

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static long failures(const Tally *t)
{
    return t->wrong + t->unproved + t->formulas + t->broken;
}

static bool finished(const Run *r)
{
    return r->t.chains >= r->chains || failures(&r->t) >= SHOWN || now() - r->start > r->seconds;
}

/* Chains until the context has grown large. */
static void run(Ctx *c, void *arg)
{
    Run *r = arg;
    while (c->bytes < CTX_BYTES && !finished(r)) {
        uint64_t seed = r->next++;
        random_state = seed;
        Chain ch = random_chain(pick(8) == 0);
        expect(&r->cs, &ch, seed);
        View back = view_backward(c, &ch), forth = view_forward(c, &ch);
        judge(c, &r->t, &r->cs, &back);
        judge(c, &r->t, &r->cs, &forth);
        if (!formula_holds(c)) {
            printf("wrong formula: --chains 1 --seed %llu\n", (unsigned long long)seed);
            r->t.formulas++;
        }
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
    r->next = r->seed;
    if (r->seconds >= 1e9 && r->chains == LONG_MAX)
        r->seconds = 10;
    return true;
}

static long report(const Run *r)
{
    const Tally *t = &r->t;
    bool divides = t->strided >= 1000 && (double)t->free < 0.99 * (double)t->strided;
    long failed = failures(t) + divides;
    printf("%ld chains in %.1f s: %ld views wrong, %ld not proved in bounds, %ld formulas wrong, %ld internal errors\n",
           t->chains, now() - r->start, t->wrong, t->unproved, t->formulas, t->broken);
    printf("of %ld views %ld divide (%.2f operations on average); of %ld truly strided %ld (%.3f %%) do not\n",
           t->views, t->costly, t->costly > 0 ? (double)t->cost / (double)t->costly : 0.0, t->strided, t->free,
           t->strided > 0 ? 100.0 * (double)t->free / (double)t->strided : 100.0);
    printf("%ld passed, %ld failed\n", t->chains > failed ? t->chains - failed : 0, failed);
    return failed;
}

int main(int argc, char **argv)
{
    static Run r = { .seed = 1, .chains = LONG_MAX, .seconds = 1e9 };
    r.start = now();
    if (!options(&r, argc, argv)) {
        fprintf(stderr, "usage: fuzz_idx [SECONDS] [--seconds N] [--chains N] [--seed S]\n");
        return 2;
    }
    while (!finished(&r)) {
        Ctx *c = ctx_new();
        if (c == NULL || !ctx_run(c, run, &r)) {
            r.t.broken++;
            r.t.chains++;
            printf("internal error: --chains 1 --seed %llu\n", (unsigned long long)(r.next - 1));
            if (c != NULL)
                diag_flush(c, stdout);
        }
        if (c != NULL)
            ctx_free(c);
    }
    return report(&r) > 0;
}
