/* Where code goes: nodes, registers, scopes, and the place of a value.
 *
 * Code grows in scopes: loop bodies, arms of selections, blocks. A scope's code is put at the end of its parent's when
 * it closes; so code that is added to the parent meanwhile runs before it, and that is where invariant values go. A
 * value belongs to the deepest scope that binds one of its variables; but within one loop level it does not leave an
 * arm, and what loads memory never leaves an arm (there its subscripts are in bounds, elsewhere perhaps not). What
 * reads a buffer that the kernel writes stays within its statement.
 *
 * A value is known where the scope that computed it encloses the place; scopes that have closed enclose nothing any
 * more. */
#include "interp.h"

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static size_t node_hash(const Node *n)
{
    return (size_t)hash_mix(hash_mix((uint64_t)n->tag << 32 | (uint32_t)n->y, (uint64_t)n->x), (uint64_t)n->z);
}

static void nodes_grow(Compiler *x)
{
    int old = x->cap;
    Node **was = x->nodes;
    x->cap = old ? 4 * old : 64;
    x->nodes = SCRATCH_N(x->c, Node *, x->cap);
    for (int i = 0; i < old; i++)
        for (Node *n = was[i], *next; n; n = next) {
            Node **head = &x->nodes[node_hash(n) & (size_t)(x->cap - 1)];
            next = n->link;
            n->link = *head;
            *head = n;
        }
}

Node *node_of(Compiler *x, NodeTag tag, int a, int b, int64_t z)
{
    Node key = { .tag = tag, .x = a, .y = b, .z = z };
    if (x->nnodes >= x->cap)
        nodes_grow(x);
    Node **head = &x->nodes[node_hash(&key) & (size_t)(x->cap - 1)];
    for (Node *n = *head; n; n = n->link)
        if (n->tag == tag && n->x == a && n->y == b && n->z == z)
            return n;
    Node *n = SCRATCH_N(x->c, Node, 1);
    *n = key;
    n->slot = -1;
    n->link = *head;
    *head = n;
    x->nnodes++;
    return n;
}

static bool encloses(const Scope *outer, const Scope *s)
{
    while (s->depth > outer->depth)
        s = s->parent;
    return s == outer;
}

bool is_known(const Node *n, const Scope *s)
{
    return n->home && encloses(n->home, s);
}

int make_known(Node *n, Scope *home, int reg)
{
    n->home = home;
    n->reg = reg;
    return reg;
}

/* ---- registers and code ------------------------------------------------------------------------------------------ */

int new_reg(Compiler *x)
{
    if (x->nregs == x->regcap) {
        x->regcap = x->regcap ? 4 * x->regcap : 64;
        Value *regs = SCRATCH_N(x->c, Value, x->regcap);
        if (x->nregs)
            memcpy(regs, x->regs, sizeof *regs * (size_t)x->nregs);
        x->regs = regs;
    }
    return x->nregs++;
}

int const_reg(Compiler *x, DType dt, Value v)
{
    Node *n = node_of(x, NODE_CONST, (int)dt, 0, v.i);
    if (n->home)
        return n->reg;
    int r = new_reg(x);
    x->regs[r] = v;
    return make_known(n, x->root, r);
}

int int_reg(Compiler *x, int64_t v)
{
    return const_reg(x, DT_I64, (Value){ .i = v });
}

static Ins *code_room(Compiler *x, Code *code, int n)
{
    if (code->n + n > code->cap) {
        int cap = code->cap ? code->cap : 16;
        while (cap < code->n + n)
            cap *= 2;
        Ins *at = SCRATCH_N(x->c, Ins, cap);
        if (code->n)
            memcpy(at, code->at, sizeof *at * (size_t)code->n);
        code->at = at;
        code->cap = cap;
    }
    return code->at + code->n;
}

Ins *code_emit(Compiler *x, Scope *s, Ins ins)
{
    Ins *at = code_room(x, &s->code, 1);
    *at = ins;
    s->last = s->code.n++;
    return at;
}

void code_append(Compiler *x, Scope *s, const Code *code)
{
    Ins *at = code_room(x, &s->code, code->n);
    if (code->n)
        memcpy(at, code->at, sizeof *at * (size_t)code->n);
    s->code.n += code->n;
    s->last = -1;
}

Scope *scope_open(Compiler *x, Scope *parent, ScopeKind kind)
{
    Scope *s = SCRATCH_N(x->c, Scope, 1);
    *s = (Scope){ .parent = parent, .kind = kind, .last = -1 };
    if (parent) {
        s->depth = parent->depth + 1;
        s->loops = parent->loops + (kind == SCOPE_LOOP);
    }
    return s;
}

/* A variable or accumulator gets a slot in masks when it is first met. */
Node *var_node(Compiler *x, int var)
{
    Node *n = node_of(x, NODE_VAR, var, 0, 0);
    if (!n->masked) {
        n->masked = true;
        if (x->nslots < COUNT(x->slots))
            n->slot = x->nslots++;
        n->mask = n->slot < 0 ? BIT_MANY : UINT64_C(1) << n->slot;
    }
    return n;
}

Binding binding_save(Compiler *x, int var)
{
    Node *n = var_node(x, var);
    return (Binding){ n, n->home, n->slot >= 0 ? x->slots[n->slot] : NULL, n->reg };
}

void binding_restore(Compiler *x, Binding b)
{
    b.var->home = b.home;
    b.var->reg = b.reg;
    if (b.var->slot >= 0)
        x->slots[b.var->slot] = b.slot;
}

void bind(Compiler *x, int var, Scope *s, int reg)
{
    Node *n = var_node(x, var);
    make_known(n, s, reg);
    if (n->slot >= 0)
        x->slots[n->slot] = s;
}

Scope *scope_loop(Compiler *x, Scope *parent, int var, int64_t extent)
{
    if (extent == 1)
        return parent;
    Scope *s = scope_open(x, parent, SCOPE_LOOP);
    s->var = new_reg(x);
    s->extent = extent;
    bind(x, var, s, s->var);
    return s;
}

void scope_close(Compiler *x, Scope *s)
{
    int n = s->code.n;
    if (s->kind == SCOPE_LOOP)
        code_emit(x, s->parent, (Ins){ .kind = I_MOV, .d = s->var, .a = int_reg(x, 0) });
    code_append(x, s->parent, &s->code);
    if (s->kind == SCOPE_LOOP)
        code_emit(x, s->parent, (Ins){ .kind = I_LOOP, .d = s->var, .k = s->extent, .n = n + 1 });
    s->parent->last = -1;
}

/* ---- masks and places -------------------------------------------------------------------------------------------- */

uint64_t atom_mask(Compiler *x, const Atom *a)
{
    if (a->kind == ATOM_VAR)
        return var_node(x, a->var)->mask;
    Node *n = node_of(x, NODE_ATOM, a->id, 0, 0);
    if (!n->masked) {
        n->mask = a->kind == ATOM_VALUE ? expr_mask(x, a->expr) : idx_mask(x, a->x);
        n->masked = true;
    }
    return n->mask;
}

uint64_t idx_mask(Compiler *x, const Idx *idx)
{
    uint64_t mask = 0;
    for (int i = 0; i < idx->n; i++)
        mask |= atom_mask(x, idx->t[i].atom);
    return mask;
}

static uint64_t at_mask(Compiler *x, int n, const Idx *const *at)
{
    uint64_t mask = 0;
    for (int i = 0; i < n; i++)
        mask |= idx_mask(x, at[i]);
    return mask;
}

/* A reduction's own variables and accumulators are not free in it. */
static uint64_t reduce_mask(Compiler *x, const Reduce *r)
{
    uint64_t mask = 0, bound = 0;
    for (int i = 0; i < r->naccs; i++) {
        mask |= expr_mask(x, r->init[i]) | expr_mask(x, r->next[i]);
        bound |= var_node(x, r->accs[i])->mask;
    }
    for (int i = 0; i < r->nvars; i++)
        bound |= var_node(x, r->vars[i])->mask;
    return mask & ~(bound & ~BIT_MANY);
}

uint64_t expr_mask(Compiler *x, const Expr *e)
{
    if (e->kind == E_CONST)
        return 0;
    if (e->kind == E_ACC)
        return var_node(x, e->k)->mask;
    Node *n = node_of(x, NODE_EXPR, e->id, 0, 0);
    if (n->masked)
        return n->mask;
    uint64_t mask = at_mask(x, expr_ats(e), e->at);
    for (int i = 0; i < e->n; i++)
        mask |= expr_mask(x, e->args[i]);
    if (e->reduce)
        mask |= reduce_mask(x, e->reduce);
    if (e->kind == E_LOAD)
        mask |= BIT_LOADS | (memo_get(&x->written, e->buf->id) ? BIT_WRITTEN : 0);
    n->mask = mask;
    n->masked = true;
    return mask;
}

/* Where a value with that mask belongs that is wanted in s. */
Scope *place(Compiler *x, Scope *s, uint64_t mask)
{
    Scope *need = x->root;
    if (mask & BIT_MANY)
        need = s;
    if ((mask & BIT_WRITTEN) && x->stmt->depth > need->depth)
        need = x->stmt;
    for (uint64_t m = mask & (BIT_MANY - 1); m; m &= m - 1) {
        Scope *bound = x->slots[__builtin_ctzll(m)];
        if (bound && bound->depth > need->depth)
            need = bound;
    }
    for (; s != need && s->depth > need->depth; s = s->parent)
        if (s->kind == SCOPE_ARM && ((mask & BIT_LOADS) || s->loops == need->loops))
            return s;
    return need;
}
