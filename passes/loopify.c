/* loopify: a kernel in compute form becomes loops and statements.
 *
 * The value is taken apart from its leaves up into a block of statements: a reduction becomes accumulators and loops, a
 * value that is used more than once a named scalar, a choice whose arms need statements of their own an IF. Blocks nest
 * as loops and arms do; a name is visible in its own block and those inside. Plain moves become COPY of the longest
 * contiguous run (copy.c). Requires: spaces. Breaks: compute form; the compute fields stay as they were, for `plan` to
 * see what may share memory. */
#include "loopify.h"

void push(Speller *s, const Stmt *st)
{
    VEC_PUSH(s->c, s->block->stmts, st);
}

static void *known(const Speller *s, const void *key)
{
    for (const Block *b = s->block; b; b = b->up) {
        void *v = ptrmap_get(&b->known, key);
        if (v) return v;
    }
    return NULL;
}

const Buf *scalar(Speller *s, const char *stem, DType dt)
{
    const Buf *b = buf_new(s->c, BUF_LOCAL, internf(s->c, "%s%d", stem, s->names++), dt, 0, NULL);
    push(s, stmt_local(s->c, b));
    return b;
}

const Expr *read_scalar(Speller *s, const Buf *b)
{
    return expr_load(s->c, b, NULL);
}

/* Nothing, where an accumulator keeps its value: compilers warn of x = x. */
void write_scalar(Speller *s, const Buf *b, const Expr *value)
{
    if (value != read_scalar(s, b)) push(s, stmt_store(s->c, b, NULL, value));
}

void open_block(Speller *s, Block *b)
{
    *b = (Block){.up = s->block};
    s->block = b;
}

const Stmt *close_block(Speller *s)
{
    const Stmt *body = stmt_seq(s->c, s->block->stmts.n, s->block->stmts.at);
    s->block = s->block->up;
    return body;
}

static const Expr *spell_reduce(Speller *s, const Expr *e)
{
    const Reduce *r = e->reduce;
    const Buf **accs = known(s, r);
    if (accs) return read_scalar(s, accs[e->k]);
    accs = NEW_N(s->c, const Buf *, r->naccs);
    if (r->lanes) {
        accs[0] = spell_lanes(s, r);
        ptrmap_put(s->c, &s->block->known, r, accs);
        return read_scalar(s, accs[0]);
    }
    for (int i = 0; i < r->naccs; i++) {
        const Expr *init = spell(s, r->init[i]);
        accs[i] = scalar(s, "acc", init->dt);
        write_scalar(s, accs[i], init);
    }
    ptrmap_put(s->c, &s->block->known, r, accs);
    Block inner;
    open_block(s, &inner);
    for (int i = 0; i < r->naccs; i++)
        ptrmap_put(s->c, &inner.known, expr_acc(s->c, r->accs[i], r->init[i]->dt), (void *)accs[i]);
    const Expr **next = SCRATCH_N(s->c, const Expr *, r->naccs);
    for (int i = 0; i < r->naccs; i++) {
        next[i] = spell(s, r->next[i]);
        if (r->naccs == 1) break;
        const Buf *held = scalar(s, "next", next[i]->dt);      /* all change at once */
        write_scalar(s, held, next[i]);
        next[i] = read_scalar(s, held);
    }
    for (int i = 0; i < r->naccs; i++) write_scalar(s, accs[i], next[i]);
    const Stmt *loop = close_block(s);
    for (int i = r->nvars; i-- > 0;) loop = stmt_for(s->c, r->vars[i], r->extents[i], loop);
    push(s, loop);
    return read_scalar(s, accs[e->k]);
}

typedef struct Sought { const Expr *load; bool found; } Sought;

static void seek(const Expr *e, void *arg)
{
    Sought *l = arg;
    l->found |= e == l->load;
}

bool idx_assumes(const Idx *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->t[i].atom->kind == ATOM_ASSUME || (x->t[i].atom->x && idx_assumes(x->t[i].atom->x))) return true;
    return false;
}

/* What an arm reads is read in front of the choice: compilers do not read where the program might not. What only
 * the choice keeps inside its buffer stays there. */
static void read_ahead(Speller *s, const Expr *cond, const Expr *arm)
{
    if (arm->kind == E_OP || arm->kind == E_CAST)
        for (int i = 0; i < arm->n; i++) read_ahead(s, cond, arm->args[i]);
    Sought l = {arm, false};
    expr_walk(s->c, cond, seek, &l);
    if (arm->kind != E_LOAD || !arm->vars || l.found || known(s, arm) || arm->buf->kind == BUF_LOCAL) return;
    for (int d = 0; d < arm->buf->rank; d++)
        if (arm->at[d]->values || idx_assumes(arm->at[d])) return;
    const Buf *name = scalar(s, "v", arm->dt);
    write_scalar(s, name, arm);
    ptrmap_put(s->c, &s->block->known, arm, (void *)name);
}

static const Expr *spell_select(Speller *s, const Expr *e)
{
    const Expr *cond = spell(s, e->args[0]);
    for (int i = 1; i < 3 && s->wide && s->arms == 0 && e->args[0]->vars; i++)
        read_ahead(s, e->args[0], e->args[i]);
    s->arms++;
    Block then = {.up = s->block}, other = {.up = s->block};
    s->block = &then;
    const Expr *a = spell(s, e->args[1]);
    s->block = &other;
    const Expr *b = spell(s, e->args[2]);
    s->block = then.up;
    s->arms--;
    if (then.stmts.n == 0 && other.stmts.n == 0) return expr_select(s->c, cond, a, b);
    const Buf *held = scalar(s, "pick", e->dt);
    const Stmt *arms[2];
    for (int i = 0; i < 2; i++) {
        s->block = i == 0 ? &then : &other;
        write_scalar(s, held, i == 0 ? a : b);
        arms[i] = close_block(s);
    }
    push(s, stmt_if(s->c, cond, arms[0], arms[1]));
    return read_scalar(s, held);
}

static void see_reduce(const Expr *e, void *arg)
{
    if (e->kind == E_REDUCE || e->kind == E_ACC) *(bool *)arg = true;
}

/* A subscript's own expressions stay in place, so that their intervals stay proved; only a reduction within one gets a
 * name, and what is accumulated has one. */
static const Idx *spell_idx(Speller *s, const Idx *x)
{
    const Idx *sum = idx_const(s->c, x->k);
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        bool reduces = false;
        if (a->kind == ATOM_VALUE) expr_walk(s->c, a->expr, see_reduce, &reduces);
        Term t = x->t[i];
        const Idx *term;
        if (reduces) {
            DType dt = a->expr->dt;
            const Expr *in = spell(s, a->expr);
            if (in->lo < a->lo || in->hi > a->hi)
                in = expr_op3(s->c, OP_clip, in, expr_int(s->c, dt, a->lo), expr_int(s->c, dt, a->hi));
            term = idx_value(s->c, in, a->lo, a->hi);
        } else if (a->kind == ATOM_DIGIT) {
            term = idx_digit(s->c, spell_idx(s, a->x), a->a, a->b);
        } else if (a->kind == ATOM_ASSUME) {
            term = idx_assume(s->c, spell_idx(s, a->x), a->lo, a->hi);
        } else {
            term = a->kind == ATOM_VAR ? idx_var(s->c, a->var, a->hi + 1) : idx_value(s->c, a->expr, a->lo, a->hi);
        }
        sum = idx_axpy(s->c, sum, t.c, term);
    }
    return sum;
}

static const Expr *spell_leaf(Speller *s, const Expr *e)
{
    bool reduces = false;
    expr_walk(s->c, e, see_reduce, &reduces);
    if (!reduces) return e;
    int n = e->kind == E_LOAD ? e->buf->rank : 1;
    const Idx **at = SCRATCH_N(s->c, const Idx *, n);
    for (int i = 0; i < n; i++) at[i] = spell_idx(s, e->at[i]);
    if (e->kind == E_LOAD) return expr_reload(s->c, e, at);
    return e->kind == E_INDEX ? expr_index(s->c, at[0]) : expr_in(s->c, at[0], e->extent);
}

bool expr_guards(const Expr *e)
{
    if (e->kind != E_OP || e->op != OP_and) return e->kind == E_IN;
    return expr_guards(e->args[0]) || expr_guards(e->args[1]);
}

static bool may_have_name(const Expr *e)
{
    return (e->kind == E_OP || e->kind == E_CAST || e->kind == E_BITS || e->kind == E_SELECT) && !expr_guards(e);
}

const Expr *spell(Speller *s, const Expr *e)
{
    const Buf *held = e->kind == E_CONST ? NULL : known(s, e);
    if (held) return read_scalar(s, held);
    const Expr *args[3], *v = e;
    switch (e->kind) {
    case E_CONST: return e;
    case E_ACC:
        v = ptrmap_get(&s->lanes, e);
        if (!v) ice(s->c, "an accumulator is used outside its reduction");
        return v;
    case E_LOAD:
    case E_INDEX:
    case E_IN: v = spell_leaf(s, e); break;
    case E_REDUCE: return spell_reduce(s, e);
    case E_SELECT: v = spell_select(s, e); break;
    case E_OP:
    case E_CAST:
    case E_BITS:
        for (int i = 0; i < e->n; i++) args[i] = spell(s, e->args[i]);
        v = expr_remake(s->c, e, args);
        break;
    }
    const bool shared = (intptr_t)ptrmap_get(&s->parents, e) > 1 && may_have_name(e);
    if (!shared || v->kind == E_CONST || v->kind == E_LOAD) return v;
    const Buf *name = scalar(s, "v", e->dt);
    write_scalar(s, name, v);
    ptrmap_put(s->c, &s->block->known, e, (void *)name);
    return read_scalar(s, name);
}

static void count_parent(Speller *s, const Expr *arg)
{
    ptrmap_put(s->c, &s->parents, arg, (void *)((intptr_t)ptrmap_get(&s->parents, arg) + 1));
}

static void count_parents(const Expr *e, void *state)
{
    Speller *s = state;
    for (int i = 0; i < e->n; i++) count_parent(s, e->args[i]);
    if (e->kind != E_REDUCE) return;
    for (int i = 0; i < e->reduce->naccs; i++) {
        count_parent(s, e->reduce->init[i]);
        count_parent(s, e->reduce->next[i]);
    }
}

void see_parents(Speller *s, const Expr *e)
{
    expr_walk(s->c, e, count_parents, s);
}

static const Stmt *spelled(Speller *s, const Buf *b, const Idx *const *at, const Expr *value)
{
    Block outer;
    open_block(s, &outer);
    see_parents(s, value);
    const Expr *v = spell(s, value);
    push(s, stmt_store(s->c, b, at, v));
    return close_block(s);
}

const Stmt *spelled_store(Ctx *c, const Buf *b, const Idx *const *at, const Expr *value, bool wide)
{
    return spelled(&(Speller){.c = c, .wide = wide}, b, at, value);
}

const Stmt *spelled_with(Ctx *c, const Kernel *feed, const Buf *b, const Expr *value)
{
    return spelled(&(Speller){.c = c, .wide = true, .feed = feed}, b, NULL, value);
}

/* What an operator wrote as statements stays as it is, but for reductions in what it stores. */
static const Stmt *spell_nest(Ctx *c, const Stmt *st, bool wide)
{
    bool reduces = false;
    if (st->kind == S_STORE) expr_walk(c, st->value, see_reduce, &reduces);
    if (reduces) return spelled_store(c, st->buf, st->at, st->value, wide);
    if (st->n == 0) return st;
    const Stmt **body = NEW_N(c, const Stmt *, st->n);
    for (int i = 0; i < st->n; i++) body[i] = spell_nest(c, st->body[i], wide);
    return stmt_again(c, st, body);
}

const Kernel *kernel_loops(Ctx *c, const Kernel *k, bool wide)
{
    Mark m = scratch_mark(c);
    Kernel *to = mem_copy(c, k, sizeof *k);
    if (k->nest && k->value) {       /* spelled already */
        return k;
    } else if (k->nest) {
        to->nest = spell_nest(c, k->nest, wide);
    } else if (!(to->nest = copy_nest(c, k))) {
        to->nest = spell_elements(c, k, 0, wide);
    }
    scratch_release(c, m);
    return to;
}

Unit pass_loopify(Ctx *c, Unit u)
{
    Prog *q = mem_copy(c, u.prog, sizeof *u.prog);
    const Kernel **out = NEW_N(c, const Kernel *, q->nkernels);
    const bool wide = u.target->lanes > 0;
    Mark m = scratch_mark(c);
    const Uses uses = prog_uses(c, q);
    int n = 0;
    for (int i = 0, taken; i < q->nkernels; i += taken) {
        out[n] = joined_rows(c, q->kernels + i, q->nkernels - i, &uses, wide, &taken);
        if (!out[n]) out[n] = kernel_loops(c, q->kernels[i], wide), taken = 1;
        n++;
    }
    scratch_release(c, m);
    u.prog = prog_with(c, q, n, out);
    return u;
}
