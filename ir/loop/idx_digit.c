/* The rules of digits: idx_digit(x, a, b) = floor(x/a) mod b (b = 0: floor(x/a)), and of sums of digits.
 *
 * Throughout, M = a·b, or a when b = 0: the period after which the digit repeats (b > 0) or steps by one (b = 0). Each rule is one
 * function that states its law; it gives the rewritten index, or NULL where it does not apply. Rules are tried in order, so that each
 * may rely on those above it having failed; what is left becomes an atom. Every rule makes the operand smaller (fewer terms,
 * smaller coefficients, constants or divisors, or fewer remainders), so the recursion ends.
 * The first rule gives the invariant of the atom: its operand's interval starts within 0..M-1, so that C's / and % are exact. */
#include "looptab.h"

static int64_t period(int64_t a, int64_t b)
{
    return b > 0 ? a * b : a;
}

/* Whether x + s·y is sure to stay within 64 bits. Rules that are not needed do not apply otherwise. */
static bool fits(const Idx *x, int64_t s, const Idx *y)
{
    int64_t w;
    return !__builtin_mul_overflow(s < 0 ? -s : s, y->wide, &w) && !__builtin_add_overflow(w, x->wide, &w);
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
    const Idx *q = part(c, x, m, true), *r = part(c, x, m, false);
    int64_t k = floor_mod(x->k + r->lo, m) - r->lo;
    const Idx *low = idx_digit(c, with_const(c, r, k), a, b);
    if (b > 0)
        return low;
    return idx_axpy(c, with_const(c, divided(c, q, m), (x->k - k) / m), 1, low);
}

/* 0 <= x < M: floor(x/a) mod b = floor(x/a), and floor(x/a) = 0 when b = 0. */
static const Idx *rule_one_period(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    if (x->hi >= period(a, b))
        return NULL;
    return b > 0 ? idx_digit(c, x, a, 0) : idx_const(c, 0);
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

/* The digit D that x consists of, x = D + x.k; else NULL. */
static const Atom *only_digit(const Idx *x)
{
    return x->n == 1 && x->t[0].c == 1 && x->t[0].atom->kind == ATOM_DIGIT ? x->t[0].atom : NULL;
}

/* floor((floor(y/a') + k) / a) = floor((y + k·a') / (a'·a)). */
static const Idx *rule_digit_of_quotient(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    const Atom *d = only_digit(x);
    const Idx *k = idx_const(c, x->k);
    int64_t both;
    if (d == NULL || d->b > 0 || __builtin_mul_overflow(d->a, a, &both) || !fits(d->x, d->a, k))
        return NULL;
    return idx_digit(c, idx_axpy(c, d->x, d->a, k), both, b);
}

/* a | b': floor((floor(y/a') mod b') / a) = floor(y/(a'·a)) mod (b'/a). With a modulus outside, see the next rule. */
static const Idx *rule_quotient_of_digit(Ctx *c, const Idx *x, int64_t a, int64_t b)
{
    const Atom *d = only_digit(x);
    if (d == NULL || d->b == 0 || x->k != 0 || b > 0 || d->b % a != 0)
        return NULL;
    return idx_digit(c, d->x, d->a * a, d->b / a);
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
        const Idx *rest = idx_merge(c, x, -s, idx_make(c, 0, 1, &(Term){ 1, d }));
        if (fits(rest, s, u))
            return idx_digit(c, idx_axpy(c, rest, s, u), a, b);
    }
    return NULL;
}

/* x = hi + lo, f | hi, 0 <= lo < f: when f | a, lo does not count: floor(x/a) = floor(hi/a). When a | f and f | M, the digits are those
 * of hi, multiples of f/a, and floor(lo/a), less than f/a: floor(x/a) mod b = floor(hi/a) mod b + floor(lo/a). */
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
    rule_multiples, rule_one_period, rule_factor_of_divisor, rule_factor_of_modulus,
    rule_digit_of_quotient, rule_quotient_of_digit, rule_inner_modulus, rule_mixed_radix,
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
    for (int i = 0; i < COUNT(rules); i++) {
        const Idx *r = rules[i](c, x, a, b);
        if (r != NULL)
            return r;
    }
    int64_t lo = b > 0 ? 0 : x->lo / a, hi = b > 0 ? b - 1 : x->hi / a;
    return idx_atom(c, (Atom){ .kind = ATOM_DIGIT, .x = x, .a = a, .b = b, .lo = lo, .hi = hi });
}

/* ---- sums of digits ---- */

/* x - s·from - t·with + s·to for an identity s·from + t·with = s·to, when that is cheaper and its interval no wider; else NULL. */
static const Idx *exchange(Ctx *c, const Idx *x, int64_t s, const Idx *from, int64_t t, const Idx *with, const Idx *to)
{
    const Idx *r = idx_merge(c, x, -s, from);
    if (!fits(r, t, with))
        return NULL;
    r = idx_merge(c, r, -t, with);
    if (!fits(r, s, to))
        return NULL;
    r = idx_merge(c, r, s, to);
    return r->cost < x->cost && r->lo >= x->lo && r->hi <= x->hi ? r : NULL;
}

/* y = x modulo m, term by term. */
static bool congruent(Ctx *c, const Idx *x, const Idx *y, int64_t m)
{
    if (x == y)
        return true;
    if (!fits(x, -1, y))
        return false;
    const Idx *d = idx_merge(c, x, -1, y);
    return d->k % m == 0 && idx_content(d) % m == 0;
}

/* s·D(x,a,b) + s·b·D(y,ab,d) = s·D(y,a,bd) for y = x modulo ab (d = 0: s·D(y,a,0)): two neighbouring digits are one. */
static const Idx *rule_neighbours(Ctx *c, const Idx *x, Term low, Term high)
{
    const Atom *l = low.atom, *h = high.atom;
    int64_t sb, bd;
    if (h->kind != ATOM_DIGIT || __builtin_mul_overflow(low.c, l->b, &sb) || sb != high.c || h->a != l->a * l->b)
        return NULL;
    if (__builtin_mul_overflow(l->b, h->b, &bd) || !congruent(c, l->x, h->x, l->a * l->b))
        return NULL;
    const Idx *both = idx_digit(c, h->x, l->a, bd);
    return exchange(c, x, low.c, idx_make(c, 0, 1, &(Term){ 1, l }), sb, idx_make(c, 0, 1, &(Term){ 1, h }), both);
}

/* s·D(x,a,b) + s·b·floor(x/ab) = s·floor(x/a), where the quotient by ab was rewritten into a sum, all of which is there. */
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
    return exchange(c, x, low.c, idx_make(c, 0, 1, &(Term){ 1, l }), sb, q, both);
}

static const Idx *recombined(Ctx *c, const Idx *x)
{
    for (int i = 0; i < x->n; i++) {
        if (x->t[i].atom->kind != ATOM_DIGIT || x->t[i].atom->b == 0)
            continue;
        const Idx *r = NULL;
        for (int j = 0; j < x->n && r == NULL; j++)
            r = j == i ? NULL : rule_neighbours(c, x, x->t[i], x->t[j]);
        if (r == NULL)
            r = rule_with_quotient(c, x, x->t[i]);
        if (r != NULL)
            return r;
    }
    return NULL;
}

/* Each exchange lowers the cost, so this ends. */
const Idx *idx_recombine(Ctx *c, const Idx *x)
{
    if (x->n < 2 || x->cost == 0)
        return x;
    for (const Idx *r = x; r != NULL; r = recombined(c, x))
        x = r;
    return x;
}
