/* Expressions to register code: each value is computed once, in the outermost place where that is right.
 *
 * Code grows in scopes: loop bodies, arms of selections, blocks. A scope's code is put at the end of its parent's when it closes; so code
 * that is added to the parent meanwhile runs before it, and that is where invariant values go. A value belongs to the deepest scope that
 * binds one of its variables; but within one loop level it does not leave an arm, and what loads memory never leaves an arm (there its
 * subscripts are in bounds, elsewhere perhaps not). What reads a buffer that the kernel writes stays within its statement.
 *
 * Registers are assigned once, but for accumulators, loop variables and the results of selections. A value is known where the scope that
 * computed it encloses the place; scopes that have closed enclose nothing any more. Recursion is as deep as the expression. */
#include "interp.h"

/* Of a mask: loads memory, reads a written buffer, has a variable without a slot. */
#define BIT_LOADS (UINT64_C(1) << 63)
#define BIT_WRITTEN (UINT64_C(1) << 62)
#define BIT_MANY (UINT64_C(1) << 61)

typedef enum NodeTag { NODE_EXPR, NODE_ATOM, NODE_VAR, NODE_REDUCE, NODE_SUM } NodeTag;
struct Node {
    NodeTag tag;
    int x, y; int64_t z;             /* the key: creation number; SUM: registers and factor */
    uint64_t mask; bool masked;      /* slots of the free variables */
    Scope *home; int reg;            /* where it has been computed, NULL: not known; VAR: where it is bound */
    int slot;                        /* VAR: from 0; BIT_MANY: -1 */
    Node *link;                      /* of the hash chain */
};

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

static Node *node_of(Compiler *x, NodeTag tag, int a, int b, int64_t z)
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

static bool is_known(const Node *n, const Scope *s)
{
    return n->home && encloses(n->home, s);
}

static int make_known(Node *n, Scope *home, int reg)
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

static int const_reg(Compiler *x, DType dt, Value v)
{
    Node *n = node_of(x, NODE_SUM, -1, (int)dt, v.i);
    if (n->home)
        return n->reg;
    int r = new_reg(x);
    x->regs[r] = v;
    return make_known(n, x->root, r);
}

static int int_reg(Compiler *x, int64_t v)
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

/* Puts the value of register r into register d: at the end of a scope, where the value itself is of no other use. */
static void assign(Compiler *x, Scope *s, int d, int r)
{
    Ins *last = s->last >= 0 ? &s->code.at[s->last] : NULL;
    if (last && last->d == r && last->kind != I_MOV)
        last->d = d;
    else
        code_emit(x, s, (Ins){ .kind = I_MOV, .d = d, .a = r });
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

/* Bindings are kept apart from what they hide: a reduction that is moved out of another one may use the same variables. */
typedef struct Binding { Node *var; Scope *home, *slot; int reg; } Binding;

/* A variable or accumulator gets a slot in masks when it is first met. */
static Node *var_node(Compiler *x, int var)
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

static Binding binding_save(Compiler *x, int var)
{
    Node *n = var_node(x, var);
    return (Binding){ n, n->home, n->slot >= 0 ? x->slots[n->slot] : NULL, n->reg };
}

static void binding_restore(Compiler *x, Binding b)
{
    b.var->home = b.home;
    b.var->reg = b.reg;
    if (b.var->slot >= 0)
        x->slots[b.var->slot] = b.slot;
}

static void bind(Compiler *x, int var, Scope *s, int reg)
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

static uint64_t expr_mask(Compiler *x, const Expr *e);

static uint64_t idx_mask(Compiler *x, const Idx *idx)
{
    uint64_t mask = 0;
    for (int i = 0; i < idx->n; i++) {
        const Atom *a = idx->t[i].atom;
        if (a->kind == ATOM_VAR) {
            mask |= var_node(x, a->var)->mask;
            continue;
        }
        Node *n = node_of(x, NODE_ATOM, a->id, 0, 0);
        if (!n->masked) {
            n->mask = a->kind == ATOM_VALUE ? expr_mask(x, a->expr) : idx_mask(x, a->x);
            n->masked = true;
        }
        mask |= n->mask;
    }
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

static uint64_t expr_mask(Compiler *x, const Expr *e)
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
static Scope *place(Compiler *x, Scope *s, uint64_t mask)
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

/* ---- indices ----------------------------------------------------------------------------------------------------- */

static int compile_idx(Compiler *x, Scope *s, const Idx *idx);

static int compile_atom(Compiler *x, Scope *s, const Atom *a)
{
    if (a->kind == ATOM_VAR) {
        Node *v = var_node(x, a->var);
        if (!is_known(v, s))
            ice(x->c, "kernel %s: loop variable %d is used outside of its loop", x->kernel->what, a->var);
        return v->reg;
    }
    if (a->kind == ATOM_VALUE)
        return compile_expr(x, s, a->expr);
    if (a->kind == ATOM_ASSUME)
        return compile_idx(x, s, a->x);
    Node *n = node_of(x, NODE_ATOM, a->id, 0, 0);
    if (is_known(n, s))
        return n->reg;
    Scope *home = place(x, s, idx_mask(x, a->x));
    int r = compile_idx(x, home, a->x);
    if (a->a > 1)
        r = code_emit(x, home, (Ins){ .kind = I_DIV, .d = new_reg(x), .a = r, .k = a->a })->d;
    if (a->b)
        r = code_emit(x, home, (Ins){ .kind = I_REM, .d = new_reg(x), .a = r, .k = a->b })->d;
    return make_known(n, home, r);
}

/* Sums of terms, the outermost first, so that the outer part of a sum is computed in the outer loop. */
typedef struct Part { int64_t factor; const Atom *atom; uint64_t mask; int depth; } Part;
typedef struct Sum { int64_t k; int n; Part *parts; } Sum;

static void sum_add(Compiler *x, Scope *s, Sum *sum, const Idx *idx, int64_t factor)
{
    sum->k += factor * idx->k;
    for (int i = 0; i < idx->n; i++) {
        const Atom *a = idx->t[i].atom;
        int at = 0;
        while (at < sum->n && sum->parts[at].atom != a)
            at++;
        if (at == sum->n) {
            uint64_t mask = a->kind == ATOM_VAR ? var_node(x, a->var)->mask : a->kind == ATOM_VALUE ? expr_mask(x, a->expr) : idx_mask(x, a->x);
            sum->parts[sum->n++] = (Part){ 0, a, mask, place(x, s, mask)->depth };
        }
        sum->parts[at].factor += factor * idx->t[i].c;
    }
}

static void sum_sort(Sum *sum)
{
    for (int i = 1; i < sum->n; i++) {
        Part p = sum->parts[i];
        int j = i;
        for (; j > 0 && sum->parts[j - 1].depth > p.depth; j--)
            sum->parts[j] = sum->parts[j - 1];
        sum->parts[j] = p;
    }
}

/* a + b·k as a register. */
static int compile_sum2(Compiler *x, Scope *home, int a, int b, int64_t k)
{
    if (k == 1 && a == int_reg(x, 0))
        return b;
    Node *n = node_of(x, NODE_SUM, a, b, k);
    if (is_known(n, home))
        return n->reg;
    int r = new_reg(x);
    code_emit(x, home, (Ins){ .kind = I_SUM, .d = r, .a = a, .b = b, .k = k });
    return make_known(n, home, r);
}

/* The sum of all parts but the last `keep`, which the caller adds. */
static int compile_sum(Compiler *x, Scope *s, Sum *sum, int keep)
{
    uint64_t mask = 0;
    int r = int_reg(x, sum->k);
    sum_sort(sum);
    for (int i = 0; i < sum->n - keep; i++) {
        mask |= sum->parts[i].mask;
        if (sum->parts[i].factor)
            r = compile_sum2(x, place(x, s, mask), r, compile_atom(x, s, sum->parts[i].atom), sum->parts[i].factor);
    }
    return r;
}

static int compile_idx(Compiler *x, Scope *s, const Idx *idx)
{
    Sum sum = { 0, 0, SCRATCH_N(x->c, Part, idx->n) };
    sum_add(x, s, &sum, idx, 1);
    return compile_sum(x, s, &sum, 0);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

char *buf_memory(Compiler *x, const Buf *b)
{
    Memo *m = b->kind == BUF_LOCAL ? &x->locals : x->memory;
    const void *p = memo_get(m, b->id);
    if (p == NULL && b->kind == BUF_LOCAL) {
        p = scratch_alloc(x->c, buf_bytes(b));
        memo_put(x->c, m, b->id, p);
    }
    if (p == NULL && buf_count(b) > 0)
        ice(x->c, "kernel %s uses buffer %s, which nothing has written", x->kernel->what, b->name);
    return (char *)(uintptr_t)p;
}

static Sum flat_sum(Compiler *x, Scope *s, const Buf *b, const Idx *const *at)
{
    int n = 0;
    int64_t stride = 1;
    for (int i = 0; i < b->rank; i++)
        n += at[i]->n;
    Sum sum = { 0, 0, SCRATCH_N(x->c, Part, n) };
    for (int i = b->rank - 1; i >= 0; i--) {
        sum_add(x, s, &sum, at[i], stride);
        stride *= b->dims[i];
    }
    return sum;
}

int compile_flat(Compiler *x, Scope *s, const Buf *b, const Idx *const *at)
{
    Sum sum = flat_sum(x, s, b, at);
    return compile_sum(x, s, &sum, 0);
}

/* Fills in an access: the last and innermost term of its index is added by the instruction itself. */
static void compile_access(Compiler *x, Scope *s, Ins *ins, const Buf *b, const Idx *const *at)
{
    Sum sum = flat_sum(x, s, b, at);
    ins->a = compile_sum(x, s, &sum, sum.n > 0);
    ins->b = ins->a;
    if (sum.n) {
        ins->b = compile_atom(x, s, sum.parts[sum.n - 1].atom);
        ins->k = sum.parts[sum.n - 1].factor;
    }
    ins->c = (int)b->dt;
    ins->n = buf_count(b);
    ins->p = buf_memory(x, b);
    ins->buf = b;
}

static InsKind load_kind(DType dt)
{
    bool is_signed = dtype_is_signed(dt);
    switch (dt == DT_BOOL ? 0 : dtype_bits(dt)) {
    case 8:  return is_signed ? I_LOAD8 : I_LOADU8;
    case 16: return is_signed ? I_LOAD16 : I_LOADU16;
    case 32: return is_signed ? I_LOAD32 : I_LOADU32;
    case 64: return I_LOAD64;
    default: return I_LOAD;
    }
}

void compile_store(Compiler *x, Scope *s, const Buf *b, const Idx *const *at, int value)
{
    int bits = dtype_bits(b->dt);
    Ins ins = { .kind = bits == 8 ? I_STORE8 : bits == 16 ? I_STORE16 : bits == 32 ? I_STORE32 : bits == 64 ? I_STORE64 : I_STORE };
    compile_access(x, s, &ins, b, at);
    ins.d = value;
    code_emit(x, s, ins);
    s->last = -1;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static int compile_op(Compiler *x, Scope *s, const Expr *e)
{
    int r[3];
    for (int i = 0; i < e->n; i++)
        r[i] = compile_expr(x, s, e->args[i]);
    Ins ins = { .kind = I_OP, .d = new_reg(x), .a = r[0], .b = r[e->n > 1], .c = r[e->n > 2 ? 2 : 0] };
    ins.fn = scalar_fn(e->op, e->args[0]->dt, x->fused);
    return code_emit(x, s, ins)->d;
}

static int compile_cast(Compiler *x, Scope *s, const Expr *e)
{
    int r = compile_expr(x, s, e->args[0]);
    CastFn decode = cast_decode(e->args[0]->dt);
    if (decode)
        r = code_emit(x, s, (Ins){ .kind = I_CAST, .d = new_reg(x), .a = r, .cast = decode })->d;
    return code_emit(x, s, (Ins){ .kind = I_CAST, .d = new_reg(x), .a = r, .cast = cast_encode(e->dt, e->args[0]->dt) })->d;
}

/* The registers of a condition: one for each part of a conjunction, so that each is computed where it belongs. */
enum { CONDS = 8 };
static int compile_cond(Compiler *x, Scope *s, const Expr *e, int *regs, int n)
{
    if (e->kind == E_OP && e->op == OP_and && n + 2 <= CONDS) {
        n = compile_cond(x, s, e->args[0], regs, n);
        if (n < CONDS)
            return compile_cond(x, s, e->args[1], regs, n);
        e = e->args[1];
    }
    regs[n] = compile_expr(x, s, e);
    return n + 1;
}

/* The busy arm, over the value of the other one, which has been assigned. */
static void compile_idle(Compiler *x, Scope *s, const Expr *e, Scope *busy, bool idle_else)
{
    int conds[CONDS], n = 1;
    if (idle_else)
        n = compile_cond(x, s, e->args[0], conds, 0);
    else
        conds[0] = compile_expr(x, s, e->args[0]);
    for (int i = 0; i < n; i++)
        code_emit(x, s, (Ins){ .kind = idle_else ? I_JZ : I_JNZ, .d = -1, .a = conds[i], .k = busy->code.n + n - 1 - i });
    code_append(x, s, &busy->code);
}

static int compile_select(Compiler *x, Scope *s, const Expr *e)
{
    int d = new_reg(x), r[2];
    Scope *arm[2];
    for (int i = 0; i < 2; i++) {
        arm[i] = scope_open(x, s, SCOPE_ARM);
        r[i] = compile_expr(x, arm[i], e->args[i + 1]);
    }
    if (arm[0]->code.n == 0 && arm[1]->code.n == 0) {
        code_emit(x, s, (Ins){ .kind = I_SEL, .d = d, .a = compile_expr(x, s, e->args[0]), .b = r[0], .c = r[1] });
    } else if (arm[0]->code.n == 0 || arm[1]->code.n == 0) {
        bool idle_else = arm[1]->code.n == 0;
        assign(x, arm[!idle_else], d, r[!idle_else]);
        code_emit(x, s, (Ins){ .kind = I_MOV, .d = d, .a = r[idle_else] });
        compile_idle(x, s, e, arm[!idle_else], idle_else);
    } else {
        int cond = compile_expr(x, s, e->args[0]);
        assign(x, arm[0], d, r[0]);
        assign(x, arm[1], d, r[1]);
        code_emit(x, arm[0], (Ins){ .kind = I_JUMP, .d = -1, .k = arm[1]->code.n });
        code_emit(x, s, (Ins){ .kind = I_JZ, .d = -1, .a = cond, .k = arm[0]->code.n });
        code_append(x, s, &arm[0]->code);
        code_append(x, s, &arm[1]->code);
    }
    return d;
}

/* The accumulators' next values are all computed before the first is assigned. */
static void compile_step(Compiler *x, Scope *s, const Reduce *r, int acc)
{
    int *next = SCRATCH_N(x->c, int, r->naccs);
    for (int i = 0; i < r->naccs; i++)
        next[i] = compile_expr(x, s, r->next[i]);
    if (r->naccs == 1) {
        if (next[0] != acc)
            assign(x, s, acc, next[0]);
        return;
    }
    for (int i = 0; i < r->naccs; i++)
        if (next[i] >= acc && next[i] < acc + r->naccs && next[i] != acc + i)
            next[i] = code_emit(x, s, (Ins){ .kind = I_MOV, .d = new_reg(x), .a = next[i] })->d;
    for (int i = 0; i < r->naccs; i++)
        if (next[i] != acc + i)
            code_emit(x, s, (Ins){ .kind = I_MOV, .d = acc + i, .a = next[i] });
}

static void compile_loops(Compiler *x, Scope *s, const Reduce *r, int acc)
{
    Scope *inner = scope_open(x, s, SCOPE_BLOCK);
    for (int i = 0; i < r->nvars; i++)
        inner = scope_loop(x, inner, r->vars[i], r->extents[i]);
    for (int i = 0; i < r->naccs; i++)
        bind(x, r->accs[i], inner, acc + i);
    compile_step(x, inner, r, acc);
    for (Scope *up; inner != s; inner = up) {
        up = inner->parent;
        scope_close(x, inner);
    }
}

static int compile_reduce(Compiler *x, Scope *s, const Reduce *r)
{
    Node *n = node_of(x, NODE_REDUCE, r->id, 0, 0);
    if (is_known(n, s))
        return n->reg;
    int *init = SCRATCH_N(x->c, int, r->naccs);
    Binding *hidden = SCRATCH_N(x->c, Binding, r->nvars + r->naccs);
    for (int i = 0; i < r->naccs; i++)
        init[i] = compile_expr(x, s, r->init[i]);
    int acc = new_reg(x);
    for (int i = 1; i < r->naccs; i++)
        new_reg(x);
    for (int i = 0; i < r->naccs; i++)
        code_emit(x, s, (Ins){ .kind = I_MOV, .d = acc + i, .a = init[i] });
    for (int i = 0; i < r->nvars + r->naccs; i++)
        hidden[i] = binding_save(x, i < r->nvars ? r->vars[i] : r->accs[i - r->nvars]);
    compile_loops(x, s, r, acc);
    for (int i = 0; i < r->nvars + r->naccs; i++)
        binding_restore(x, hidden[i]);
    return make_known(n, s, acc);
}

int compile_expr(Compiler *x, Scope *s, const Expr *e)
{
    if (e->kind == E_CONST)
        return const_reg(x, e->dt, e->value);
    if (e->kind == E_ACC) {
        Node *v = var_node(x, e->k);
        if (!is_known(v, s))
            ice(x->c, "kernel %s: accumulator %d is used outside of its reduction", x->kernel->what, e->k);
        return v->reg;
    }
    Node *n = node_of(x, NODE_EXPR, e->id, 0, 0);
    if (is_known(n, s))
        return n->reg;
    Scope *home = place(x, s, expr_mask(x, e));
    Ins ins = { 0 };
    int r;
    switch (e->kind) {
    case E_OP:     r = compile_op(x, home, e); break;
    case E_CAST:   r = compile_cast(x, home, e); break;
    case E_SELECT: r = compile_select(x, home, e); break;
    case E_REDUCE: r = compile_reduce(x, home, e->reduce) + e->k; break;
    case E_INDEX:  r = compile_idx(x, home, e->at[0]); break;
    case E_IN:
        r = compile_idx(x, home, e->at[0]);
        r = code_emit(x, home, (Ins){ .kind = I_IN, .d = new_reg(x), .a = r, .k = e->extent })->d;
        break;
    default:
        compile_access(x, home, &ins, e->buf, e->at);
        ins.kind = load_kind(e->buf->dt);
        r = ins.d = new_reg(x);
        code_emit(x, home, ins);
        break;
    }
    return make_known(n, home, r);
}
