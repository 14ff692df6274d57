/* fuse: a producer is put into its only reader, so that elementwise chains and the epilogues of reductions are one
 * loop.
 *
 * Nothing is computed twice: the reader may load from the buffer at most as often as the buffer has elements. Nothing
 * stays alive for longer than the buffer that is saved: what the producer reads from temporaries is no larger than what
 * it wrote, unless its reader follows at once. A reduction is not put into another one: each is a tile of its own. Requires:
 * views. */
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

static int64_t elements(const Kernel *k)
{
    int64_t n = 1;
    for (int i = 0; i < k->rank; i++) n = count_mul(n, k->dims[i]);
    return n;
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

static bool now(Ctx *c, const Kernel *def, int def_position, const Kernel *reader, int position, int64_t times)
{
    (void)reader;
    if (times > buf_count(def->out)) return false;
    if (times > elements(reader) && reduces(c, def)) return false;
    if (position == def_position + 1) return true;
    size_t read = 0;
    prog_reads(c, def, add_temporary, &read);
    return read <= buf_bytes(def->out);
}

Unit pass_fuse(Ctx *c, Unit u)
{
    static const Inline how = {may, now, false, true};
    u.prog = prog_inline(c, u.prog, &how);
    return u;
}
