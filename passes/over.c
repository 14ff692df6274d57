/* over: who may write over what it reads.
 *
 * A kernel may when it reads, at every step, just the element that it then writes. A register tile keeps to that: it
 * reads all of a block before it stores the block, and what it adds up has been ruled out here. A plain copy does not
 * count: its runs must not overlap. */
#include "plan.h"

typedef struct Over { Ctx *c; const Idx *place; const Buf *t; bool ok; } Over;

static void same_place(const Expr *e, Over *o, bool in_reduce)
{
    if (!o->ok) return;
    if (e->kind == E_LOAD && e->buf == o->t &&
        (in_reduce || idx_flat(o->c, e->buf->rank, e->buf->dims, e->at) != o->place))
        o->ok = false;
    if (e->kind == E_LOAD || e->kind == E_INDEX || e->kind == E_IN) {
        int n = e->kind == E_LOAD ? e->buf->rank : 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < e->at[i]->n; j++)
                if (e->at[i]->t[j].atom->kind == ATOM_VALUE) same_place(e->at[i]->t[j].atom->expr, o, true);
    }
    for (int i = 0; i < e->n; i++) same_place(e->args[i], o, in_reduce);
    if (e->kind != E_REDUCE) return;
    for (int i = 0; i < e->reduce->naccs; i++) {
        same_place(e->reduce->init[i], o, in_reduce);
        same_place(e->reduce->next[i], o, true);
    }
}

bool kernel_overwrites(Ctx *c, const Kernel *k, const Buf *t)
{
    const Buf *out = k->out;
    if (!k->value || k->value->kind == E_LOAD || k->value->size > EXPR_SIZE || t == out || t->text) return false;
    const int bits = dtype_bits(out->dt);
    if (bits < 8 || dtype_bits(t->dt) != bits || buf_count(t) != buf_count(out)) return false;
    Over o = {c, idx_flat(c, out->rank, out->dims, k->at), t, true};
    same_place(k->value, &o, false);
    return o.ok;
}
