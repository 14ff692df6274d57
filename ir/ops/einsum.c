/* Einsum. Each letter of the equation is a dimension: those of the result have their place there, all others are summed
 * over. The dimensions of an ellipsis are letters of their own, counted from the right, as they broadcast. */
#include "meaning.h"

enum { LETTERS = 52, LABELS = LETTERS + MAX_RANK, NO_LABEL = -1 };

typedef struct Terms {
    int n, rank[MAX_RANK], label[MAX_RANK][MAX_RANK]; /* per operand */
    int out_rank, out[2 * MAX_RANK];
    int dots;             /* dimensions that the ellipsis stands for, at most */
    int64_t size[LABELS]; /* -1: the letter does not occur */
    int times[LABELS];
} Terms;

static int letter(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : NO_LABEL;
}

/* The labels of one term, which ends at a comma, an arrow or the end. dots: dimensions of its ellipsis; -1: none may
 * stand here. False: malformed. */
static bool term_labels(const char **p, int dots, int most, int *rank, int *label)
{
    bool seen = false;
    for (*rank = 0; **p && **p != ',' && **p != '-'; ++*p) {
        if (**p == ' ')
            continue;
        if (**p == '.') {
            if (seen || dots < 0 || strncmp(*p, "...", 3) != 0 || *rank + dots > most)
                return false;
            for (int k = 0; k < dots; k++)
                label[(*rank)++] = LETTERS + dots - 1 - k;
            *p += 2;
            seen = true;
            continue;
        }
        if (letter(**p) == NO_LABEL || *rank >= most)
            return false;
        label[(*rank)++] = letter(**p);
    }
    return true;
}

static int letters_in(const char *p)
{
    int count = 0;
    for (; *p && *p != ',' && *p != '-'; p++)
        count += letter(*p) != NO_LABEL;
    return count;
}

static bool equation_fault(Build *b, const Node *n, const char *what)
{
    return node_error(b, n, "equation \"%s\": %s", node_string(n, "equation", ""), what);
}

/* Operand k, whose term begins at *p. */
static bool operand_term(Build *b, const Node *n, Terms *t, int k, const char **p)
{
    Type x = arg_type(n, k);
    int dots = x.rank - letters_in(*p);
    if (!term_labels(p, dots, MAX_RANK, &t->rank[k], t->label[k]) || t->rank[k] != x.rank)
        return node_error(b, n, "equation \"%s\": term %d does not fit operand %d, which is %s",
                          node_string(n, "equation", ""), k + 1, k, type_text(b->c, x));
    t->dots = dots > t->dots ? dots : t->dots;
    for (int i = 0; i < x.rank; i++) {
        int64_t *size = &t->size[t->label[k][i]];
        t->times[t->label[k][i]]++;
        if (*size >= 0 && x.dims[i] != *size && x.dims[i] != 1 && *size != 1)
            return node_error(b, n, "equation \"%s\": dimension %d of operand %d is %lld, where another operand has "
                              "%lld", node_string(n, "equation", ""), i, k, (long long)x.dims[i], (long long)*size);
        *size = *size < 0 || *size == 1 ? x.dims[i] : *size;
    }
    return true;
}

/* Without an arrow: the ellipsis, then the letters that occur once, capitals first. */
static void implied_result(Terms *t)
{
    for (int k = t->dots - 1; k >= 0; k--)
        t->out[t->out_rank++] = LETTERS + k;
    for (int k = 0; k < LETTERS; k++)
        if (t->times[k] == 1)
            t->out[t->out_rank++] = k;
}

static bool equation(Build *b, const Node *n, Terms *t)
{
    const char *p = node_string(n, "equation", "");
    *t = (Terms){.n = n->nin};
    for (int k = 0; k < LABELS; k++)
        t->size[k] = -1;
    if (n->nin > MAX_RANK)
        return equation_fault(b, n, "too many operands");
    for (int k = 0; k < n->nin; k++) {
        if (!operand_term(b, n, t, k, &p))
            return false;
        if (*p == ',' ? k + 1 == n->nin : k + 1 < n->nin)
            return equation_fault(b, n, "it must have a term for each operand");
        p += *p == ',';
    }
    if (*p == 0) {
        implied_result(t);
        return true;
    }
    if (p[1] != '>')
        return equation_fault(b, n, "a '-' must begin \"->\"");
    p += 2;
    if (!term_labels(&p, t->dots, 2 * MAX_RANK, &t->out_rank, t->out) || *p)
        return equation_fault(b, n, "the result must be letters and at most one \"...\"");
    for (int k = 0; k < t->out_rank; k++)
        for (int j = 0; j <= k; j++)
            if (t->size[t->out[k]] < 0 || (j < k && t->out[j] == t->out[k]))
                return equation_fault(b, n,
                                      "each letter of the result must occur in an operand, and once in the result");
    return true;
}

bool einsum_infer(Build *b, const Node *n, Type *out)
{
    Terms t;
    int64_t dims[2 * MAX_RANK];
    if (!equation(b, n, &t))
        return false;
    for (int k = 0; k < t.out_rank; k++)
        dims[k] = t.size[t.out[k]];
    return make_type(b, n, out, 0, arg_type(n, 0).dt, t.out_rank, dims);
}

const Expr *einsum_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Ctx *c = l->c;
    Terms t;
    Sweep s;
    const Idx *place[LABELS] = {NULL}, *at[MAX_RANK];
    const Expr *product = NULL, *last = NULL;
    DType dt = math_type(in_type(l, 0).dt);
    equation(l->b, l->node, &t);
    sweep_open(c, &s, 0, NULL);
    for (int k = 0; k < t.out_rank; k++)
        place[t.out[k]] = i[k];
    for (int k = 0; k < LABELS; k++) {
        if (t.size[k] < 0 || place[k])
            continue;
        if (t.size[k] == 0 || s.n == MAX_RANK)
            return zero(c, dt);
        sweep_more(c, &s, 1, &t.size[k]);
        place[k] = s.i[s.n - 1];
    }
    for (int k = 0; k < t.n; k++) {
        for (int d = 0; d < t.rank[k]; d++)
            at[d] = in_type(l, k).dims[d] == 1 ? idx_const(c, 0) : place[t.label[k][d]];
        product = last && product ? expr_op2(c, OP_mul, product, last) : last;
        last = in_math(l, k, at);
    }
    if (s.n == 0)
        return product ? expr_op2(c, OP_mul, product, last) : last;
    return sweep_reduce(c, &s, zero(c, dt), product ? (Fold){OP_mad, product, last} : (Fold){OP_add, last, NULL});
}
