/* Random formulas for fuzz_loop.c: loads (some by guarded, some by computed subscripts), indices, selections, casts,
 * reductions of one or two accumulators and every exact operator. */
#ifndef BURIN_FUZZ_FORMULA_H
#define BURIN_FUZZ_FORMULA_H

#include "loop.h"

enum { VARS = 6 };

typedef enum AstKind { A_CONST, A_LOAD, A_OP, A_CAST, A_SELECT, A_INDEX, A_IN, A_REDUCE, A_ACC, A_LOCAL } AstKind;
typedef struct Sub { int64_t k, c[VARS], a, b; } Sub;            /* ((k + sum of c·v) / a) mod b; a 0: no digit */
typedef enum Guard { BY_DIGIT, BY_TEST, BY_VALUE } Guard;
typedef struct Ast {
    AstKind kind;
    DType dt;
    ScalarOp op;
    Value v;
    int n, buf, acc, var[2], nvars, k, lanes;
    Guard guard;
    Sub sub[2];
    int64_t extent[2];
    struct Ast *kid[4];
} Ast;

typedef struct Fuzz {
    Ctx *c;
    uint64_t state;
    int64_t extent[VARS]; int vars, id[VARS];        /* variables in scope while a formula is made; their numbers */
    int accs, acc_id[8]; DType acc_dt[8];
    Buf *bufs[8]; void *data[8];
    const Buf *local; Value local_value;
    const Expr *acc_expr[8];
    int64_t at[VARS]; Value acc[8];  /* while it is evaluated */
    bool use_local;
} Fuzz;

enum { B_F32, B_I64, B_U8, B_BOOL, B_CONST, B_F16, B_I4, B_OUT };
static const struct { DType dt; int rank; int64_t dims[2];
} shapes[] = {
    [B_F32] = { DT_F32, 2, { 5, 7 } },   [B_I64] = { DT_I64, 2, { 6, 4 } },   [B_U8] = { DT_U8, 1, { 9, 1 } },
    [B_BOOL] = { DT_BOOL, 1, { 6, 1 } }, [B_CONST] = { DT_I32, 1, { 8, 1 } }, [B_F16] = { DT_F16, 1, { 6, 1 } },
    [B_I4] = { DT_I4, 1, { 11, 1 } },
};

static uint64_t next_random(Fuzz *z)
{
    z->state ^= z->state << 13;
    z->state ^= z->state >> 7;
    z->state ^= z->state << 17;
    return z->state * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}

static int below(Fuzz *z, int n)
{
    return (int)(next_random(z) % (uint64_t)n);
}

static Value any_value(Fuzz *z, DType dt)
{
    static const float floats[] = { 0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 3.0f, -2.5f, 1e9f, (float)INFINITY, (float)NAN };
    static const int64_t ints[] = { 0, 1, -1, 2, 3, 7, 255, 127, -128, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
    if (dt == DT_F32) {
        Value v = { 0 };
        v.f = below(z, 3) ? (float)below(z, 40) / 4 - 5 : floats[below(z, COUNT(floats))];
        return v;
    }
    if (dtype_is_float(dt))
        return scalar_cast(dt, DT_F32, any_value(z, DT_F32));
    return expr_const(z->c, dt, (Value){ .i = below(z, 2) ? below(z, 9) - 2 : ints[below(z, COUNT(ints))] })->value;
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

static Ast *ast_new(Fuzz *z, AstKind kind, DType dt)
{
    Ast *a = NEW(z->c, Ast);
    *a = (Ast){ .kind = kind, .dt = dt };
    return a;
}

/* A sum that is not negative, with a digit if dim is given. */
static Sub any_sub(Fuzz *z, int64_t dim)
{
    Sub s = { .k = below(z, 4) };
    for (int i = 0; i < z->vars; i++)
        s.c[i] = below(z, 2) ? below(z, 4) : 0;
    if (dim) {
        s.a = 1 + (below(z, 3) == 0) * below(z, 3);
        s.b = dim;
    }
    return s;
}

static Ast *any_ast(Fuzz *z, DType dt, int depth);

static Ast *any_load(Fuzz *z, int buf)
{
    Ast *a = ast_new(z, A_LOAD, shapes[buf].dt);
    a->buf = buf;
    a->guard = (Guard)below(z, 3);
    for (int i = 0; i < shapes[buf].rank; i++) {
        a->sub[i] = any_sub(z, a->guard == BY_DIGIT ? shapes[buf].dims[i] : 0);
        if (a->guard == BY_TEST)
            a->sub[i].k -= below(z, 4);
        if (a->guard == BY_VALUE)
            a->kid[i] = any_ast(z, DT_I64, 1);
    }
    if (a->guard == BY_TEST)
        a->kid[3] = any_ast(z, a->dt, 0);
    return a;
}

static Ast *any_leaf(Fuzz *z, DType dt)
{
    static const int loads[] = { B_F32, B_I64, B_U8, B_BOOL, B_CONST, B_F16, B_I4 };
    int buf = loads[below(z, COUNT(loads))];
    Ast *a;
    for (int i = z->accs - 1; i >= 0; i--)
        if (z->acc_dt[i] == dt && below(z, 2)) {
            a = ast_new(z, A_ACC, dt);
            a->acc = i;
            return a;
        }
    if (dt == DT_F32 && z->use_local && below(z, 3) == 0)
        return ast_new(z, A_LOCAL, dt);
    if (dt == DT_I64 && below(z, 2)) {
        a = ast_new(z, A_INDEX, dt);
        a->sub[0] = any_sub(z, below(z, 3) ? 0 : 1 + below(z, 6));
        a->sub[0].k -= a->sub[0].a ? 0 : below(z, 6);
        return a;
    }
    if (shapes[buf].dt == dt && below(z, 3))
        return any_load(z, buf);
    a = ast_new(z, A_CONST, dt);
    a->v = any_value(z, dt);
    return a;
}

static DType any_type(Fuzz *z)
{
    static const DType types[] = { DT_F32, DT_F32, DT_I64, DT_I64, DT_I32, DT_U8, DT_BOOL, DT_I8, DT_U64 };
    return types[below(z, COUNT(types))];
}

static Ast *any_op(Fuzz *z, DType dt, int depth)
{
    for (int tries = 0; tries < 200; tries++) {
        ScalarOp op = (ScalarOp)below(z, OP_COUNT);
        DType arg = dt == DT_BOOL ? any_type(z) : dt;
        if (op_result(op, arg) != dt || !op_exact(op, arg))
            continue;
        Ast *a = ast_new(z, A_OP, dt);
        a->op = op;
        a->n = op_arity(op);
        for (int i = 0; i < a->n; i++)
            a->kid[i] = i && below(z, 8) == 0 ? a->kid[0] : any_ast(z, arg, depth - 1);
        return a;
    }
    return any_leaf(z, dt);
}

static Ast *any_reduce(Fuzz *z, DType dt, int depth)
{
    Ast *a = ast_new(z, A_REDUCE, dt);
    int vars = z->vars, accs = z->accs;
    a->n = 1 + below(z, 2);
    a->k = below(z, a->n);
    a->acc = accs;
    a->nvars = 1 + below(z, 2);
    for (int i = 0; i < a->n; i++)
        a->kid[i] = any_ast(z, i == a->k ? dt : any_type(z), 0);
    for (int i = 0; i < a->nvars; i++) {
        a->var[i] = z->vars;
        a->extent[i] = z->extent[z->vars++] = 1 + below(z, 5);
    }
    for (int i = 0; i < a->n; i++)
        z->acc_dt[z->accs++] = a->kid[i]->dt;
    for (int i = 0; i < a->n; i++)
        a->kid[2 + i] = any_ast(z, a->kid[i]->dt, depth - 1);
    a->op = below(z, 2) ? OP_add : OP_max;
    a->lanes = a->n == 1 && op_result(a->op, dt) == dt && below(z, 3) == 0 ? 2 << below(z, 3) : 0;
    z->vars = vars;
    z->accs = accs;
    return a;
}

static Ast *any_ast(Fuzz *z, DType dt, int depth)
{
    Ast *a;
    if (depth <= 0)
        return any_leaf(z, dt);
    switch (below(z, 10)) {
    case 0:
        a = ast_new(z, A_SELECT, dt);
        for (; a->n < 3; a->n++)
            a->kid[a->n] = any_ast(z, a->n ? dt : DT_BOOL, depth - 1);
        return a;
    case 1: case 2:
        a = ast_new(z, A_CAST, dt);
        a->kid[0] = below(z, 4) == 0 ? any_load(z, below(z, 2) ? B_F16 : B_I4) : any_ast(z, any_type(z), depth - 1);
        return a;
    case 3:
        return z->vars + 2 <= VARS && z->accs + 2 <= 8 ? any_reduce(z, dt, depth) : any_leaf(z, dt);
    case 4:
        if (dt != DT_BOOL)
            return any_leaf(z, dt);
        a = ast_new(z, A_IN, dt);
        a->sub[0] = any_sub(z, 0);
        a->sub[0].k -= below(z, 5);
        a->extent[0] = 1 + below(z, 9);
        return a;
    default:
        return any_op(z, dt, depth);
    }
}

#endif
