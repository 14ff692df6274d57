/* Moves: a kernel that stores what it loads, as loops around the longest run that is contiguous on both sides.
 *
 * A short run that is repeated from the same place (a pixel's three bytes, Repeat by 64) is first laid out as a pattern
 * of about 48 bytes in a local array, which is then copied whole: single runs of 3 bytes reach a tenth of memcpy's
 * speed, patterns a third. */
#include "loopify.h"

enum { PATTERN_BYTES = 48, SHORT_RUN_BYTES = 16 };

static int64_t coefficient(const Idx *x, int var)
{
    for (int i = 0; i < x->n; i++)
        if (x->t[i].atom->kind == ATOM_VAR && x->t[i].atom->var == var) return x->t[i].c;
    return 0;
}

/* Whether x is affine in var: it occurs in no digit and no expression. */
static bool affine_in(const Idx *x, int var)
{
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind == ATOM_VAR) continue;
        if (a->kind == ATOM_VALUE || idx_uses(a->x, var)) return false;
    }
    return true;
}

/* Sub-byte runs move as bytes: each run starts and ends on a byte on both sides. (A whole buffer that ends within a
 * byte does not: what pads an input is anything, what pads an output is 0.) */
static bool on_bytes(const Buf *b, const Idx *flat, int64_t run)
{
    int per = dtype_bits(b->dt) < 8 ? 8 / dtype_bits(b->dt) : 1;
    if (per == 1) return true;
    if (run % per || flat->k % per) return false;
    for (int i = 0; i < flat->n; i++)
        if (flat->t[i].c % per) return false;
    return true;
}

typedef struct Move {
    Ctx *c;
    const Kernel *k;
    const Idx **to, **from;          /* with the run's variable at 0 */
    int64_t run;
} Move;

static const Stmt *copy_run(const Move *m)
{
    return stmt_copy(m->c, m->k->out, m->to, m->k->value->buf, (const Idx *const *)m->from, m->run);
}

static const Idx **without(Ctx *c, const Idx *const *at, int rank, int var, const Idx *by)
{
    const Idx **to = NEW_N(c, const Idx *, rank);
    Subst s = {1, &var, &by};
    for (int i = 0; i < rank; i++) to[i] = idx_subst(c, at[i], &s);
    return to;
}

/* How many runs make a pattern: a divisor of `times` that comes close to PATTERN_BYTES. */
static int64_t pattern_runs(int64_t times, int64_t run_bytes)
{
    int64_t best = 1;
    for (int64_t r = 1; r <= times && r * run_bytes <= 2 * PATTERN_BYTES; r++)
        if (times % r == 0 && llabs(r * run_bytes - PATTERN_BYTES) < llabs(best * run_bytes - PATTERN_BYTES)) best = r;
    return best;
}

/* The loop over var repeats one short run `times` times side by side. */
static const Stmt *repeat_run(const Move *m, int var, int64_t times, const Idx *dst)
{
    Ctx *c = m->c;
    const Buf *out = m->k->out, *src = m->k->value->buf;
    const int64_t run_bytes = m->run * dtype_bits(out->dt) / 8, runs = pattern_runs(times, run_bytes);
    const Idx *from = idx_flat(c, src->rank, src->dims, (const Idx *const *)m->from);
    if (dtype_bits(out->dt) < 8 || run_bytes >= SHORT_RUN_BYTES || runs < 4 || times / runs < 2) return NULL;
    if (idx_uses(from, var) || coefficient(dst, var) != m->run) return NULL;
    const int64_t length = runs * m->run;
    const Buf *pattern = buf_new(c, BUF_LOCAL, "pattern", out->dt, 1, &length);
    int v = var_new(c), w = var_new(c);
    const Idx *place = idx_mul(c, idx_var(c, v, runs), m->run), *start = idx_const(c, 0);
    const Idx *whole = idx_mul(c, idx_var(c, w, times / runs), runs);
    const Stmt *fill = stmt_copy(c, pattern, &place, src, (const Idx *const *)m->from, m->run);
    const Stmt *lay =
        stmt_copy(c, out, without(c, (const Idx *const *)m->to, out->rank, var, whole), pattern, &start, length);
    const Stmt *body[] = {stmt_local(c, pattern), stmt_for(c, v, runs, fill), stmt_for(c, w, times / runs, lay)};
    return stmt_seq(c, COUNT(body), body);
}

const Stmt *copy_nest(Ctx *c, const Kernel *k)
{
    if (k->value->kind != E_LOAD || k->rank == 0 || k->value->buf->dt != k->out->dt) return NULL;
    const int last = k->rank - 1;
    const Buf *src = k->value->buf;
    const Idx *dst = idx_flat(c, k->out->rank, k->out->dims, k->at);
    const Idx *from = idx_flat(c, src->rank, src->dims, k->value->at);
    if (k->dims[last] < 2 || coefficient(dst, last) != 1 || coefficient(from, last) != 1) return NULL;
    if (!affine_in(dst, last) || !affine_in(from, last)) return NULL;
    const Idx *zero = idx_const(c, 0);
    Move m = {c, k, without(c, k->at, k->out->rank, last, zero), without(c, k->value->at, src->rank, last, zero),
              k->dims[last]};
    dst = idx_flat(c, k->out->rank, k->out->dims, (const Idx *const *)m.to);
    from = idx_flat(c, src->rank, src->dims, (const Idx *const *)m.from);
    if (!on_bytes(k->out, dst, m.run) || !on_bytes(src, from, m.run)) return NULL;
    int inner = last - 1;
    const Stmt *body = inner >= 0 ? repeat_run(&m, inner, k->dims[inner], dst) : NULL;
    if (!body) {
        body = copy_run(&m);
        inner++;
    }
    for (int i = inner; i-- > 0;) body = stmt_for(c, i, k->dims[i], body);
    return body;
}
