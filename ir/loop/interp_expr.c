/* Expressions to register code: each value is computed once, in the outermost place where that is right
 * (interp_code.c).
 *
 * Registers are assigned once, but for accumulators, loop variables and the results of selections. Recursion is as
 * deep as the expression. */
#include "interp.h"

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
            uint64_t mask = atom_mask(x, a);
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

/* The register with the address of a row of bytes. */
static int compile_address(Compiler *x, Scope *s, const Buf *b, const Idx *const *at)
{
    Ins ins = { .kind = I_ADDRESS };
    compile_access(x, s, &ins, b, at);
    ins.c = (int)b->dims[b->rank - 1];
    ins.d = new_reg(x);
    code_emit(x, s, ins);
    return ins.d;
}

void compile_write(Compiler *x, Scope *s, const Buf *b, const Idx *const *at, const Expr *value)
{
    int a = compile_expr(x, s, value->args[0]), other = value->n > 1 ? compile_expr(x, s, value->args[1]) : a;
    Ins ins = { .kind = I_WRITE, .a = a, .b = other, .c = (int)b->dims[b->rank - 1] };
    ins.d = compile_address(x, s, b, at);
    ins.write = scalar_write_fn(value->op, value->args[0]->dt);
    code_emit(x, s, ins);
    s->last = -1;
}

void compile_store(Compiler *x, Scope *s, const Buf *b, const Idx *const *at, int value)
{
    int bits = dtype_bits(b->dt);
    Ins ins = { .kind = I_STORE };
    if (bits >= 8)
        ins.kind = bits == 8 ? I_STORE8 : bits == 16 ? I_STORE16 : bits == 32 ? I_STORE32 : I_STORE64;
    compile_access(x, s, &ins, b, at);
    ins.d = value;
    code_emit(x, s, ins);
    s->last = -1;
}

/* Puts the value of register r into register d: at the end of a scope, where the value itself is of no other use. */
static void assign(Compiler *x, Scope *s, int d, int r)
{
    Ins *last = s->last >= 0 ? &s->code.at[s->last] : NULL;
    if (last && last->d == r)
        last->d = d;
    else
        code_emit(x, s, (Ins){ .kind = I_MOV, .d = d, .a = r });
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
    Ins ins = { .kind = I_CAST, .d = new_reg(x), .a = r, .cast = cast_encode(e->dt, e->args[0]->dt) };
    return code_emit(x, s, ins)->d;
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

/* The busy arm, over the value of the other one, which has been assigned: one jump for each part of the condition. */
static void compile_busy(Compiler *x, Scope *s, Scope *busy, InsKind jump, const int *conds, int n)
{
    for (int i = 0; i < n; i++)
        code_emit(x, s, (Ins){ .kind = jump, .d = -1, .a = conds[i], .k = busy->code.n + n - 1 - i });
    code_append(x, s, &busy->code);
}

/* The condition is compiled first: what the arms share with it they find. */
static int compile_select(Compiler *x, Scope *s, const Expr *e)
{
    int conds[CONDS], n = compile_cond(x, s, e->args[0], conds, 0), d = new_reg(x), r[2];
    Scope *arm[2];
    for (int i = 0; i < 2; i++) {
        arm[i] = scope_open(x, s, SCOPE_ARM);
        r[i] = compile_expr(x, arm[i], e->args[i + 1]);
    }
    bool idle_else = arm[1]->code.n == 0, idle_then = arm[0]->code.n == 0;
    if (!idle_else)
        conds[0] = compile_expr(x, s, e->args[0]);
    if (idle_then && idle_else) {
        code_emit(x, s, (Ins){ .kind = I_SEL, .d = d, .a = compile_expr(x, s, e->args[0]), .b = r[0], .c = r[1] });
    } else if (idle_then || idle_else) {
        assign(x, arm[!idle_else], d, r[!idle_else]);
        code_emit(x, s, (Ins){ .kind = I_MOV, .d = d, .a = r[idle_else] });
        compile_busy(x, s, arm[!idle_else], idle_else ? I_JZ : I_JNZ, conds, idle_else ? n : 1);
    } else {
        assign(x, arm[0], d, r[0]);
        assign(x, arm[1], d, r[1]);
        code_emit(x, arm[0], (Ins){ .kind = I_JUMP, .d = -1, .k = arm[1]->code.n });
        code_emit(x, s, (Ins){ .kind = I_JZ, .d = -1, .a = conds[0], .k = arm[0]->code.n });
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

/* The step of a reduction in lanes, the first of whose registers is acc; then the next number in `count`. */
static void compile_lane(Compiler *x, Scope *s, const Reduce *r, int acc, int count)
{
    int one = code_emit(x, s, (Ins){ .kind = I_GET, .d = new_reg(x), .a = acc, .b = count, .k = r->lanes })->d;
    bind(x, r->accs[0], s, one);
    int next = compile_expr(x, s, r->next[0]);
    code_emit(x, s, (Ins){ .kind = I_PUT, .d = acc, .a = next, .b = count, .k = r->lanes });
    code_emit(x, s, (Ins){ .kind = I_SUM, .d = count, .a = count, .b = int_reg(x, 1), .k = 1 });
    s->last = -1;
}

static void compile_loops(Compiler *x, Scope *s, const Reduce *r, int acc)
{
    int count = r->lanes ? code_emit(x, s, (Ins){ .kind = I_MOV, .d = new_reg(x), .a = int_reg(x, 0) })->d : -1;
    Scope *inner = scope_open(x, s, SCOPE_BLOCK);
    for (int i = 0; i < r->nvars; i++)
        inner = scope_loop(x, inner, r->vars[i], r->extents[i]);
    for (int i = 0; i < r->naccs && !r->lanes; i++)
        bind(x, r->accs[i], inner, acc + i);
    if (r->lanes)
        compile_lane(x, inner, r, acc, count);
    else
        compile_step(x, inner, r, acc);
    for (Scope *up; inner != s; inner = up) {
        up = inner->parent;
        scope_close(x, inner);
    }
}

static int compile_reduce(Compiler *x, Scope *s, const Reduce *r)
{
    Node *node = node_of(x, NODE_REDUCE, r->id, 0, 0);
    if (is_known(node, s))
        return node->reg;
    int *init = SCRATCH_N(x->c, int, r->naccs);
    Binding *hidden = SCRATCH_N(x->c, Binding, r->nvars + r->naccs);
    for (int i = 0; i < r->naccs; i++)
        init[i] = compile_expr(x, s, r->init[i]);
    const int n = r->lanes ? r->lanes : r->naccs;
    int acc = new_reg(x);
    for (int i = 1; i < n; i++)
        new_reg(x);
    for (int i = 0; i < n; i++)
        code_emit(x, s, (Ins){ .kind = I_MOV, .d = acc + i, .a = init[r->lanes ? 0 : i] });
    for (int i = 0; i < r->nvars + r->naccs; i++)
        hidden[i] = binding_save(x, i < r->nvars ? r->vars[i] : r->accs[i - r->nvars]);
    compile_loops(x, s, r, acc);
    for (int i = 0; i < r->nvars + r->naccs; i++)
        binding_restore(x, hidden[i]);
    for (int half = r->lanes / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            code_emit(x, s, (Ins){ .kind = I_OP, .d = acc + i, .a = acc + i, .b = acc + i + half, .c = acc + i,
                                   .fn = scalar_fn(r->join, r->init[0]->dt, x->fused) });
    s->last = -1;
    return make_known(node, s, acc);
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
    case E_BITS:
        ins = (Ins){ .kind = I_BITS, .a = compile_expr(x, home, e->args[0]), .k = e->dt, .n = e->args[0]->dt };
        r = ins.d = new_reg(x);
        code_emit(x, home, ins);
        break;
    case E_SELECT: r = compile_select(x, home, e); break;
    case E_REDUCE: r = compile_reduce(x, home, e->reduce) + e->k; break;
    case E_INDEX:  r = compile_idx(x, home, e->at[0]); break;
    case E_IN:
        r = compile_idx(x, home, e->at[0]);
        r = code_emit(x, home, (Ins){ .kind = I_IN, .d = new_reg(x), .a = r, .k = e->extent })->d;
        break;
    default:
        if (e->dt != e->buf->dt) {
            r = compile_address(x, home, e->buf, e->at);
            break;
        }
        compile_access(x, home, &ins, e->buf, e->at);
        ins.kind = load_kind(e->buf->dt);
        r = ins.d = new_reg(x);
        code_emit(x, home, ins);
        break;
    }
    return make_known(n, home, r);
}
