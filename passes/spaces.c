/* spaces: the iteration space of a kernel is cut and joined until its subscripts are affine and its loops are few.
 *
 * A chain of Reshape and Transpose leaves digits of loop variables in subscripts: i0/16, i0%16. Where the digit's base
 * divides the loop's extent, two loops say the same without a division. Then neighbouring loops that every access
 * crosses as one run are joined. Both are one thing: each old variable becomes an index over new ones. Steps are tried
 * on the flat subscripts alone and the kernel is rewritten once, by their composition. Requires: views (whole maps).
 * Breaks: a kernel's dims are no longer those of its buffer. */
#include "passes.h"

enum { SIZE_MOST = 10000 };          /* larger values are left as they are: nothing that fusion makes */

typedef struct Space {
    Ctx *c;
    int rank;
    int64_t dims[MAX_RANK];
    const Idx *to[MAX_RANK];         /* old variable -> index over the new ones */
    int old_rank;
    int nflats; const Idx **flats;   /* every subscript of the kernel, in the old variables */
} Space;

static const Idx *now(const Space *s, const Idx *x)
{
    Subst to = {s->old_rank, idx_positions, s->to};
    return idx_subst(s->c, x, &to);
}

static int cost(const Space *s)
{
    int sum = 0;
    for (int i = 0; i < s->nflats; i++) sum += idx_cost(now(s, s->flats[i]));
    return sum;
}

/* The space after a step that gives each variable as an index over variables of the space to come. */
static Space stepped(const Space *s, int rank, const int64_t *dims, const Idx *const *step)
{
    Space n = *s;
    Subst by = {s->rank, idx_positions, step};
    n.rank = rank;
    memcpy(n.dims, dims, sizeof *dims * (size_t)rank);
    for (int i = 0; i < s->old_rank; i++) n.to[i] = idx_subst(s->c, s->to[i], &by);
    return n;
}

static bool collapse(Space *s)
{
    int64_t count;
    if (s->rank < 2 || !dims_count(s->rank, s->dims, &count) || count == 0) return false;
    const Idx *step[MAX_RANK];
    idx_unflat(s->c, idx_var(s->c, 0, count), s->rank, s->dims, step);
    Space n = stepped(s, 1, &count, step);
    if (cost(&n) > 0) return false;
    *s = n;
    return true;
}

static bool split_at(Space *s, int v, int64_t low)
{
    if (s->rank == MAX_RANK || low <= 1 || low >= s->dims[v] || s->dims[v] % low) return false;
    const Idx *step[MAX_RANK];
    int64_t dims[MAX_RANK];
    int n = 0;
    for (int i = 0; i < s->rank; i++) {
        if (i != v) {
            dims[n] = s->dims[i];
            step[i] = idx_var(s->c, n++, s->dims[i]);
            continue;
        }
        dims[n] = s->dims[i] / low;
        dims[n + 1] = low;
        step[i] = idx_axpy(s->c, idx_var(s->c, n + 1, low), low, idx_var(s->c, n, dims[n]));
        n += 2;
    }
    Space to = stepped(s, n, dims, step);
    if (cost(&to) >= cost(s)) return false;
    *s = to;
    return true;
}

/* Splits at the first digit of a single variable that it helps to split at. */
static bool split_by(Space *s, const Idx *x)
{
    for (int t = 0; t < x->n; t++) {
        const Atom *a = x->t[t].atom;
        if (a->kind == ATOM_ASSUME && split_by(s, a->x)) return true;
        if (a->kind != ATOM_DIGIT) continue;
        if (split_by(s, a->x)) return true;
        for (int u = 0; u < a->x->n; u++) {
            const Atom *v = a->x->t[u].atom;
            int64_t f = a->x->t[u].c < 0 ? -a->x->t[u].c : a->x->t[u].c;
            if (v->kind != ATOM_VAR || v->var >= s->rank) continue;
            if (a->a % f == 0 && split_at(s, v->var, a->a / f)) return true;
            if (a->b && (a->a * a->b) % f == 0 && split_at(s, v->var, a->a * a->b / f)) return true;
        }
    }
    return false;
}

static bool split(Space *s)
{
    for (int i = 0; i < s->nflats; i++)
        if (split_by(s, now(s, s->flats[i]))) return true;
    return false;
}

static bool merge(Space *s, int p)
{
    const Idx *step[MAX_RANK];
    int64_t dims[MAX_RANK], low = s->dims[p + 1], both;
    if (__builtin_mul_overflow(s->dims[p], low, &both)) return false;
    for (int i = 0; i < s->rank; i++) {
        int to = i > p ? i - 1 : i;
        dims[to] = i == p || i == p + 1 ? both : s->dims[i];
        if (i != p && i != p + 1) step[i] = idx_var(s->c, to, s->dims[i]);
    }
    const Idx *joined = idx_var(s->c, p, both);
    step[p] = idx_digit(s->c, joined, low, 0);
    step[p + 1] = idx_digit(s->c, joined, 1, low);
    Space n = stepped(s, s->rank - 1, dims, step);
    if (cost(&n) > cost(s)) return false;
    *s = n;
    return true;
}

static void collect(const Expr *e, void *arg)
{
    Space *s = arg;
    const Idx *x = NULL;
    if (e->kind == E_LOAD) x = idx_flat(s->c, e->buf->rank, e->buf->dims, e->at);
    if (e->kind == E_INDEX || e->kind == E_IN) x = e->at[0];
    if (x && x->n) s->flats[s->nflats++] = x;
}

const Kernel *kernel_space(Ctx *c, const Kernel *k)
{
    if (k->nest || k->rank < 1 || k->value->size > SIZE_MOST) return k;
    Space s = {.c = c, .rank = k->rank, .old_rank = k->rank};
    for (int i = 0; i < k->rank; i++) {
        if (k->dims[i] == 0) return k;
        s.dims[i] = k->dims[i];
        s.to[i] = idx_var(c, i, k->dims[i]);
    }
    s.flats = SCRATCH_N(c, const Idx *, k->value->size + 1);
    s.flats[s.nflats++] = idx_flat(c, k->out->rank, k->out->dims, k->at);
    expr_walk(c, k->value, collect, &s);
    if (!collapse(&s)) {
        while (split(&s)) {}
        for (int p = 0; p + 1 < s.rank;)
            if (!merge(&s, p)) p++;
    }
    Kernel *to = mem_copy(c, k, sizeof *k);
    Subst by = {k->rank, idx_positions, s.to};
    const Idx **at = NEW_N(c, const Idx *, k->out->rank);
    for (int i = 0; i < k->out->rank; i++) at[i] = idx_subst(c, k->at[i], &by);
    to->at = at;
    to->value = expr_subst(c, k->value, &by);
    to->rank = s.rank;
    to->dims = mem_copy(c, s.dims, sizeof *s.dims * (size_t)s.rank);
    return to;
}

Unit pass_spaces(Ctx *c, Unit u)
{
    Prog *p = mem_copy(c, u.prog, sizeof *u.prog);
    const Kernel **out = NEW_N(c, const Kernel *, p->nkernels);
    for (int i = 0; i < p->nkernels; i++) {
        Mark m = scratch_mark(c);
        out[i] = kernel_space(c, p->kernels[i]);
        scratch_release(c, m);
    }
    p->kernels = out;
    u.prog = p;
    return u;
}
