/* fuse: a producer is put into its only reader, so that elementwise chains and the epilogues of reductions are one
 * loop.
 *
 * Nothing is computed twice: the reader may load from the buffer at most as often as the buffer has elements. Nothing
 * stays alive for longer than the buffer that is saved: what the producer reads from temporaries is no larger than what
 * it wrote, unless its reader follows at once. For machines with tiles a reduction is not put into
 * another one, nor where its elements come in an order that would cut its tiles. Requires: views. */
#include "inline.h"

static bool may(Ctx *c, const Uses *u, int position, const Kernel *k)
{
    (void)c, (void)position;
    return u->readers[k->out->id] == 1 && k->value->size <= EXPR_SIZE / 2;
}

static void add_temporary(const Buf *b, void *arg)
{
    if (b->kind == BUF_TEMP) *(size_t *)arg += buf_bytes(b);
}

static void see_reduction(const Expr *e, void *arg)
{
    *(bool *)arg |= e->kind == E_REDUCE;
}

static bool reduces(Ctx *c, const Kernel *k)
{
    bool any = false;
    expr_walk(c, k->value, see_reduction, &any);
    return any;
}

/* A tile of the producer's stays one in the reader's order of elements: each dimension runs along one variable of
 * its, or along several of which the innermost is long. */
static bool keeps_tiles(const Reading *r)
{
    for (int d = 0; d < r->def->out->rank; d++) {
        const Idx *x = r->at[d];
        int vars = 0;
        int64_t run = 0;
        for (int i = 0; i < x->n; i++) {
            if (x->t[i].atom->kind != ATOM_VAR) return false;
            vars++;
            if (x->t[i].c == 1) run = x->t[i].atom->hi + 1;
        }
        if (vars > 1 && run < r->target->lanes) return false;
    }
    return true;
}

static bool now(Ctx *c, const Reading *r)
{
    if (r->times > buf_count(r->def->out)) return false;
    if (r->target->lanes && reduces(c, r->def) && (r->times > kernel_count(r->reader) || !keeps_tiles(r))) return false;
    if (r->position == r->def_position + 1) return true;
    size_t read = 0;
    prog_reads(c, r->def, add_temporary, &read);
    return read <= buf_bytes(r->def->out);
}

Unit pass_fuse(Ctx *c, Unit u)
{
    static const Inline how = {may, now, false, true};
    u.prog = prog_inline(c, u.prog, &how, u.target);
    return u;
}
