/* The rules of digits: idx_digit(x, a, b) = floor(x/a) mod b (b = 0: floor(x/a)), and of sums of digits.
 *
 * Throughout, M = a·b, or a when b = 0: the period after which the digit repeats (b > 0) or steps by one (b = 0).
 * Each rule is one function that states its law; it gives the rewritten index, or NULL where it does not apply. Rules
 * of digits are tried in order, so that each may rely on those above it having failed; what is left becomes an atom.
 * Why this ends: a rule of digits leaves an operand of lower cost, or of the same with fewer terms or smaller
 * numbers; a rule of sums is taken only when it lowers the cost of the sum. The first rule makes the invariant of the
 * atom: its operand's interval starts within 0..M-1, so C's / and % are exact. */
#include "looptab.h"

enum { LINE = 32 };                  /* rule_line looks at ranges up to this */
enum { COSTLY = 400 };               /* sums above this cost are not searched for digits to recombine */
#define LARGEST (INT64_C(1) << 61)   /* the first two rules care for overflow; the others see no value above this */

static int64_t period(int64_t a, int64_t b)
{
    return b > 0 ? a * b : a;
}

/* Whether x + s·y is sure to stay within 64 bits. Rules that are not needed do not apply otherwise. */
static bool fits(const Idx *x, int64_t s, const Idx *y)
{
    int64_t w;
    if (s == INT64_MIN || __builtin_mul_overflow(s < 0 ? -s : s, y->wide, &w))
        return false;
    return !__builtin_add_overflow(w, x->wide, &w);
}

/* Whether y may stand for x: rules that merge operands must not make the numbers of a small index large. */
static bool modest(const Idx *y, const Idx *x)
{
    return y->wide <= INT32_MAX || y->wide <= x->wide;
}

static const Idx *with_const(Ctx *c, const Idx *x, int64_t k)
{
    return idx_make(c, k, x->n, x->t);
}

/* The terms of x whose coefficients are (or are not) multiples of f; no constant. */
static const Idx *part(Ctx *c, const Idx *x, int64_t f, bool multiples)
{
    Mark m = scratch_mark(c);
    Term *t = SCRATCH_N(c, Term, x->n + 1);
    int n = 0;
    for (int i = 0; i < x->n; i++)
        if ((x->t[i].c % f == 0) == multiples)
            t[n++] = x->t[i];
    const Idx *r = idx_make(c, 0, n, t);
    scratch_release(c, m);
    return r;
}

/* floor(x/f), for an f that divides every coefficient. */
static const Idx *divided(Ctx *c, const Idx *x, int64_t f)
{
    Mark m = scratch_mark(c);
    Term *t = SCRATCH_N(c, Term, x->n + 1);
    for (int i = 0; i < x->n; i++)
        t[i] = (Term){ x->t[i].c / f, x->t[i].atom };
    const Idx *r = idx_make(c, floor_div(x->k, f), x->n, t);
    scratch_release(c, m);
    return r;
}

static const Idx *of_atom(Ctx *c, const Atom *a)
{
    return idx_make(c, 0, 1, &(Term){ 1, a });
}

/* x = M·q + r: floor(x/a) = q + floor(r/a) when M = a, and floor(x/a) mod b = floor(r/a) mod b when M = a·b.
 * q takes the terms that M divides and as much of the constant as makes r's interval start within 0..M-1. */
static const Idx *rule_multiples(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    int64_t m = period(a, b);
    bool any = x->lo < 0 || x->lo >= m;
    for (int i = 0; i < x->n && !any; i++)
        any = x->t[i].c % m == 0;
    if (!any)
        return NULL;
    const Idx *r = part(c, x, m, false), *start = idx_const(c, floor_mod(x->k + r->lo, m));
    r = idx_merge(c, with_const(c, r, -r->lo), 1, start);
    const Idx *low = idx_digit(c, r, a, b);
    return b > 0 ? low : idx_axpy(c, divided(c, idx_merge(c, x, -1, r), m), 1, low);
}

/* 0 <= x < M: floor(x/a) mod b = floor(x/a), and floor(x/a) = 0 when b = 0. */
static const Idx *rule_one_period(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    if (x->hi >= period(a, b))
        return NULL;
    return b > 0 ? idx_digit(c, x, a, 0) : idx_const(c, 0);
}

/* The number congruent to s modulo m that has the least magnitude. */
static int64_t residue(int64_t s, int64_t m)
{
    int64_t r = floor_mod(s, m);
    return r > m / 2 ? r - m : r;
}

/* x = M·q + r as in rule_multiples, but with residues for all coefficients of r, when r then lies in one period:
 * floor(r/a) is floor(x/a) mod b, or it is 0 and q is floor(x/a). */
static const Idx *rule_residues(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    int64_t m = period(a, b), span = 0;
    bool any = false;
    for (int i = 0; i < x->n; i++) {
        int64_t s = residue(x->t[i].c, m);
        any |= s != x->t[i].c;
        span += (s < 0 ? -s : s) * (x->t[i].atom->hi - x->t[i].atom->lo);
    }
    if (!any || span >= m)
        return NULL;
    Mark mark = scratch_mark(c);
    Term *t = SCRATCH_N(c, Term, x->n);
    for (int i = 0; i < x->n; i++)
        t[i] = (Term){ residue(x->t[i].c, m), x->t[i].atom };
    const Idx *r = idx_make(c, 0, x->n, t);
    scratch_release(c, mark);
    int64_t start = floor_mod(x->k + r->lo, m);
    if (start + span >= m)
        return NULL;
    r = with_const(c, r, start - r->lo);
    return b > 0 ? idx_digit(c, r, a, 0) : divided(c, idx_merge(c, x, -1, r), m);
}

/* h | a: floor((h·y + k)/a) = floor((y + floor(k/h)) / (a/h)). */
static const Idx *rule_factor_of_divisor(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    int64_t h = int_gcd(idx_content(x), a);
    if (h <= 1)
        return NULL;
    return idx_digit(c, divided(c, x, h), a / h, b);
}

/* h | b, 0 <= k mod h < h: (h·y + k) mod b = h·((y + floor(k/h)) mod (b/h)) + k mod h. */
static const Idx *rule_factor_of_modulus(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    if (a != 1 || b == 0)
        return NULL;
    int64_t h = int_gcd(idx_content(x), b);
    if (h <= 1)
        return NULL;
    const Idx *y = idx_digit(c, divided(c, x, h), 1, b / h);
    return idx_axpy(c, idx_const(c, floor_mod(x->k, h)), h, y);
}

/* floor((floor(y/a') + z) / a) = floor((y + a'·z) / (a'·a)): a division within is taken outward. */
static const Idx *rule_quotient_within(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    for (int i = 0; i < x->n; i++) {
        const Atom *d = x->t[i].atom;
        int64_t both;
        if (x->t[i].c != 1 || d->kind != ATOM_DIGIT || d->b > 0 || __builtin_mul_overflow(d->a, a, &both))
            continue;
        const Idx *z = idx_merge(c, x, -1, of_atom(c, d));
        if (!fits(d->x, d->a, z))
            continue;
        const Idx *y = idx_axpy(c, d->x, d->a, z);
        if (modest(y, x))
            return idx_digit(c, y, both, b);
    }
    return NULL;
}

/* The digit that x is; NULL if it is not one. */
static const Atom *only_digit(const Idx *x)
{
    return x->n == 1 && x->k == 0 && x->t[0].c == 1 && x->t[0].atom->kind == ATOM_DIGIT ? x->t[0].atom : NULL;
}

/* a | b': floor((floor(y/a') mod b') / a) = floor(y/(a'·a)) mod (b'/a). With a modulus outside, see the next rule. */
static const Idx *rule_quotient_of_digit(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    const Atom *d = only_digit(x);
    if (d == NULL || d->b == 0 || b > 0 || d->b % a != 0)
        return NULL;
    return idx_digit(c, d->x, d->a * a, d->b / a);
}

/* The digit of x = s·u + k at one value of u. */
static int64_t digit_at(const Idx *x, int64_t u, int64_t a, int64_t b)
{
    int64_t v = floor_div(x->t[0].c * u + x->k, a);
    return b > 0 ? floor_mod(v, b) : v;
}

/* x = s·u + k: when the digits lie on a line over all the (few) values of u, they are that line. */
static const Idx *rule_line(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    if (x->n != 1 || x->wide > INT32_MAX || x->t[0].atom->hi - x->t[0].atom->lo > LINE)
        return NULL;
    const Atom *u = x->t[0].atom;
    int64_t first = digit_at(x, u->lo, a, b), step = digit_at(x, u->lo + 1, a, b) - first;
    for (int64_t v = u->lo + 2; v <= u->hi; v++)
        if (digit_at(x, v, a, b) != first + step * (v - u->lo))
            return NULL;
    return idx_axpy(c, idx_const(c, first - step * u->lo), step, of_atom(c, u));
}

/* M | s·b': s·(u mod b') is s·u modulo M, so that a remainder within a remainder drops. */
static const Idx *rule_inner_modulus(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    if (b == 0)
        return NULL;
    for (int i = 0; i < x->n; i++) {
        const Atom *d = x->t[i].atom;
        int64_t s = x->t[i].c, sb;
        if (d->kind != ATOM_DIGIT || d->b == 0 || __builtin_mul_overflow(s, d->b, &sb) || sb % period(a, b) != 0)
            continue;
        const Idx *u = idx_digit(c, d->x, d->a, 0);
        const Idx *rest = idx_merge(c, x, -s, of_atom(c, d));
        if (!fits(rest, s, u))
            continue;
        const Idx *y = idx_axpy(c, rest, s, u);
        if (modest(y, x))
            return idx_digit(c, y, a, b);
    }
    return NULL;
}

/* x = hi + lo, f | hi, 0 <= lo < f. When f | a, lo does not count: floor(x/a) = floor(hi/a). When a | f and f | M,
 * the digits are those of hi, multiples of f/a, and floor(lo/a), below f/a: floor(x/a) mod b = floor(hi/a) mod b +
 * floor(lo/a). */
static const Idx *split(Ctx *c, const Idx *x, int64_t a, int64_t b, int64_t f)
{
    if (f <= 1 || (a % f != 0 && f % a != 0))
        return NULL;
    const Idx *lo = part(c, x, f, false);
    int64_t k = floor_mod(x->k + lo->lo, f) - lo->lo;
    if (lo->n == 0 || lo->hi + k >= f)
        return NULL;
    const Idx *hi = idx_digit(c, with_const(c, part(c, x, f, true), x->k - k), a, b);
    if (a % f == 0)
        return hi;
    return idx_axpy(c, hi, 1, idx_digit(c, with_const(c, lo, k), a, 0));
}

/* Mixed radix: split at a factor f that a term has in common with a, or with M. */
static const Idx *rule_mixed_radix(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    for (int i = 0; i < x->n; i++) {
        const Idx *r = split(c, x, a, b, int_gcd(x->t[i].c, a));
        if (r == NULL && b > 0)
            r = split(c, x, a, b, int_gcd(x->t[i].c, a * b));
        if (r != NULL)
            return r;
    }
    return NULL;
}

static const Idx *(*const rules[])(Ctx *, const Idx *, int64_t, int64_t) = {
    rule_multiples, rule_one_period,                 /* first: they make the invariant of the atom */
    rule_residues, rule_factor_of_divisor, rule_factor_of_modulus, rule_line,
    rule_quotient_within, rule_quotient_of_digit, rule_inner_modulus, rule_mixed_radix,
};

const Idx *idx_digit(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    int64_t m;
    if (a < 1 || b < 0)
        ice(c, "digit of an index by %lld, %lld", (long long)a, (long long)b);
    if (b == 1)
        return idx_const(c, 0);
    if (a == 1 && b == 0)
        return x;
    if (__builtin_mul_overflow(a, b, &m)) {          /* a period beyond 64 bits: x does not reach its end */
        if (x->lo < 0)
            ice(c, "index arithmetic leaves 64 bits");
        return idx_digit(c, x, a, 0);
    }
    int n = x->wide > LARGEST || period(a, b) > LARGEST ? 2 : COUNT(rules);
    for (int i = 0; i < n; i++) {
        const Idx *r = rules[i](c, x, a, b);
        if (r != NULL)
            return r;
    }
    int64_t lo = b > 0 ? 0 : x->lo / a, hi = b > 0 ? b - 1 : x->hi / a;
    return idx_atom(c, (Atom){ .kind = ATOM_DIGIT, .x = x, .a = a, .b = b, .lo = lo, .hi = hi });
}

/* ---- sums of digits ---- */

/* x - s·from - t·with + s·to for an identity s·from + t·with = s·to, when that is cheaper and its interval no wider;
 * else NULL. */
static const Idx *exchange(Ctx *c, const Idx *x, int64_t s, const Idx *from, int64_t t, const Idx *with, const Idx *to)
{
    const Idx *r = idx_merge(c, x, -s, from);
    if (!fits(r, t, with))
        return NULL;
    r = idx_merge(c, r, -t, with);
    if (!fits(r, s, to))
        return NULL;
    r = idx_merge(c, r, s, to);
    return r->cost < x->cost && r->lo >= x->lo && r->hi <= x->hi && modest(r, x) ? r : NULL;
}

/* D(x,a,b) = D(y,a,b), because they have one normal form, or because x and y differ by multiples of M. */
static bool same_digit(Ctx *c, const Idx *x, const Idx *y, int64_t a, int64_t b)
{
    if (x == y)
        return true;
    const Idx *p = idx_digit(c, x, a, b), *q = idx_digit(c, y, a, b);
    if (p == q)
        return true;
    const Atom *d = only_digit(p), *e = only_digit(q);
    if (d == NULL || e == NULL || d->a != e->a || d->b != e->b || d->b == 0 || !fits(d->x, -1, e->x))
        return false;
    const Idx *diff = idx_merge(c, d->x, -1, e->x);
    return int_gcd(idx_content(diff), diff->k) % period(d->a, d->b) == 0;
}

/* s·D(x,a,b) + s·b·D(y,ab,d) = s·D(y,a,bd) if D(x,a,b) = D(y,a,b); d = 0: s·floor(y/a). Two neighbouring digits are
 * one. */
static const Idx *rule_neighbours(Ctx *c, const Idx *x, Term low, Term high)
{
    const Atom *l = low.atom, *h = high.atom;
    int64_t sb, bd;
    if (h->kind != ATOM_DIGIT || __builtin_mul_overflow(low.c, l->b, &sb) || sb != high.c || h->a != l->a * l->b)
        return NULL;
    if (__builtin_mul_overflow(l->b, h->b, &bd) || !same_digit(c, h->x, l->x, l->a, l->b))
        return NULL;
    return exchange(c, x, low.c, of_atom(c, l), sb, of_atom(c, h), idx_digit(c, h->x, l->a, bd));
}

/* s·D(x,a,b) + s·b·floor(x/ab) = s·floor(x/a), where the quotient by ab was rewritten into a sum that is there. */
static const Idx *rule_with_quotient(Ctx *c, const Idx *x, Term low)
{
    const Atom *l = low.atom;
    int64_t sb;
    if (__builtin_mul_overflow(low.c, l->b, &sb))
        return NULL;
    bool any = false;
    for (int i = 0; i < x->n && !any; i++)
        any = x->t[i].atom != l && x->t[i].c % sb == 0;
    if (!any)
        return NULL;
    const Idx *q = idx_digit(c, l->x, l->a * l->b, 0), *both = idx_digit(c, l->x, l->a, 0);
    return exchange(c, x, low.c, of_atom(c, l), sb, q, both);
}

/* s·floor(x/a) + s·t·u = s·floor((x + a·t·u)/a): where u recombines with a digit of x. */
static const Idx *rule_into_quotient(Ctx *c, const Idx *x, Term quot, Term u)
{
    const Atom *q = quot.atom;
    if (u.atom->kind != ATOM_DIGIT || u.c % quot.c != 0)
        return NULL;
    const Idx *y = of_atom(c, u.atom);
    int64_t at;
    if (__builtin_mul_overflow(u.c / quot.c, q->a, &at) || !fits(q->x, at, y))
        return NULL;
    const Idx *sum = idx_axpy(c, q->x, at, y);
    if (sum->cost >= q->x->cost + y->cost)
        return NULL;
    return exchange(c, x, quot.c, of_atom(c, q), u.c, y, idx_digit(c, sum, q->a, 0));
}

static const Idx *recombined(Ctx *c, const Idx *x)
{
    const Idx *r = NULL;
    for (int i = 0; i < x->n && r == NULL; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind != ATOM_DIGIT)
            continue;
        for (int j = 0; j < x->n && r == NULL; j++)
            if (j != i)
                r = (a->b > 0 ? rule_neighbours : rule_into_quotient)(c, x, x->t[i], x->t[j]);
        if (r == NULL && a->b > 0)
            r = rule_with_quotient(c, x, x->t[i]);
    }
    return r;
}

/* Each exchange lowers the cost, so this ends. What costs very much (costs are those of trees, and saturate) is left
 * alone. */
const Idx *idx_recombine(Ctx *c, const Idx *x)
{
    if (x->n < 2 || x->cost == 0 || x->cost > COSTLY)
        return x;
    for (const Idx *r = x; r != NULL; r = recombined(c, x))
        x = r;
    return x;
}
