/* The C text of an index: 4*i0 + i1/3%5, 10 - 3*i0, (2*i0 + i1)/7.
 *
 * C's / and % round toward zero, the algebra's toward minus infinity; on what is not negative they agree. So they are
 * printed plainly: divisors are positive, and the operand of every DIGIT is not negative where it is evaluated. Its
 * interval starts at 0 or above (rule_multiples in idx_digit.c), and an interval fails only below an ASSUME whose
 * guard does not hold, where the value is not used. An ASSUME prints as its operand. `wide` covers sums in whatever
 * order they are printed. */
#include "looptab.h"

typedef struct Printer {
    FILE *f;
    const char *(*name)(void *, int var);
    void (*value)(FILE *, void *, const Expr *);
    void *arg;
} Printer;

/* Where a text stands: as a summand; left of / or %, where a quotient needs no parentheses; right of *, where it
 * does. */
typedef enum Place { SUMMAND, DIVIDEND, FACTOR } Place;

static void print_idx(const Printer *p, const Idx *x, Place place);

static void print_atom(const Printer *p, const Atom *a, Place place)
{
    switch (a->kind) {
    case ATOM_VAR:
        if (p->name != NULL)
            fputs(p->name(p->arg, a->var), p->f);
        else
            fprintf(p->f, "i%d", a->var);
        break;
    case ATOM_VALUE:
        if (p->value != NULL)
            p->value(p->f, p->arg, a->expr);
        else
            fprintf(p->f, "v%d", a->expr->id);
        break;
    case ATOM_ASSUME:
        print_idx(p, a->x, place);
        break;
    case ATOM_DIGIT:
        if (place == FACTOR)
            fputc('(', p->f);
        print_idx(p, a->x, DIVIDEND);
        if (a->a > 1)
            fprintf(p->f, "/%lld", (long long)a->a);
        if (a->b > 0)
            fprintf(p->f, "%%%lld", (long long)a->b);
        if (place == FACTOR)
            fputc(')', p->f);
        break;
    }
}

/* One summand: first without a plus sign. A coefficient is never INT64_MIN: `wide` would not hold it. */
static void print_term(const Printer *p, int64_t c, const Atom *a, bool first)
{
    if (first)
        fputs(c < 0 ? "-" : "", p->f);
    else
        fputs(c < 0 ? " - " : " + ", p->f);
    int64_t m = c < 0 ? -c : c;
    if (a == NULL || m != 1)
        fprintf(p->f, a == NULL ? "%lld" : "%lld*", (long long)m);
    if (a != NULL)
        print_atom(p, a, m != 1 || c < 0 ? FACTOR : SUMMAND);
}

static void print_idx(const Printer *p, const Idx *x, Place place)
{
    if (x->n == 1 && x->k == 0 && x->t[0].c == 1) {
        print_atom(p, x->t[0].atom, place);
        return;
    }
    bool parens = place != SUMMAND, ahead = x->n == 0 || (x->k > 0 && x->t[0].c < 0);
    if (parens)
        fputc('(', p->f);
    if (ahead)
        print_term(p, x->k, NULL, true);
    for (int i = 0; i < x->n; i++)
        print_term(p, x->t[i].c, x->t[i].atom, i == 0 && !ahead);
    if (!ahead && x->k != 0)
        print_term(p, x->k, NULL, false);
    if (parens)
        fputc(')', p->f);
}

void idx_print(FILE *f, const Idx *x, const char *(*name)(void *, int var), void *arg)
{
    idx_print_with(f, x, name, NULL, arg);
}

void idx_print_with(FILE *f, const Idx *x, const char *(*name)(void *, int var),
                    void (*value)(FILE *, void *, const Expr *), void *arg)
{
    print_idx(&(Printer){ f, name, value, arg }, x, SUMMAND);
}
