/* Fuzzes expressions and the interpreter: random formulas, evaluated by a plain recursion over what was asked for,
 * against the same built (and so simplified), proved, rewritten, compiled to register code and run.
 *
 *   fuzz_loop [SECONDS] [--seed S] [--programs N]
 *
 * Program i has the seed S + i. Each has one formula over loads (some by guarded, some by computed subscripts),
 * indices, selections, casts, reductions of one or two accumulators and every exact operator; it runs in compute form,
 * with one variable reversed by substitution and one buffer replaced by its definition, and as a nest with a local, a
 * condition and an update of its own output. */
#include "fuzz_formula.h"

#include <time.h>

enum { SHOWN = 5 };

/* ---- what it means ----------------------------------------------------------------------------------------------- */

static int64_t sub_value(const Fuzz *z, const Sub *s)
{
    int64_t x = s->k;
    for (int i = 0; i < VARS; i++)
        x += s->c[i] * z->at[i];
    return s->a ? x / s->a % s->b : x;
}

static Value eval(Fuzz *z, const Ast *a);

static Value eval_load(Fuzz *z, const Ast *a)
{
    int64_t flat = 0;
    for (int i = 0; i < shapes[a->buf].rank; i++) {
        int64_t n = shapes[a->buf].dims[i], x = sub_value(z, &a->sub[i]);
        if (a->guard == BY_VALUE) {
            x = eval(z, a->kid[i]).i;
            x = x < 0 ? 0 : x < n ? x : n - 1;
        } else if (a->guard == BY_TEST && (x < 0 || x >= n))
            return eval(z, a->kid[3]);
        flat = flat * n + x;
    }
    return scalar_read(a->dt, z->data[a->buf], flat);
}

static Value eval_reduce(Fuzz *z, const Ast *a)
{
    Value next[2];
    for (int i = 0; i < a->n; i++)
        next[i] = eval(z, a->kid[i]);
    memcpy(z->acc + a->acc, next, sizeof *next * (size_t)a->n);
    int64_t inner = a->nvars > 1 ? a->extent[1] : 1;
    Value lanes[8] = { next[0], next[0], next[0], next[0], next[0], next[0], next[0], next[0] };
    for (int64_t t = 0; t < a->extent[0] * inner; t++) {
        z->at[a->var[0]] = t / inner;
        if (a->nvars > 1)
            z->at[a->var[1]] = t % inner;
        if (a->lanes)
            z->acc[a->acc] = lanes[t % a->lanes];
        for (int i = 0; i < a->n; i++)
            next[i] = eval(z, a->kid[2 + i]);
        memcpy(z->acc + a->acc, next, sizeof *next * (size_t)a->n);
        if (a->lanes)
            lanes[t % a->lanes] = next[0];
    }
    for (int half = a->lanes / 2; half; half /= 2)
        for (int j = 0; j < half; j++)
            lanes[j] = scalar_eval(a->op, a->dt, (Value[]){ lanes[j], lanes[j + half] }, true);
    if (a->lanes)
        return lanes[0];
    return z->acc[a->acc + a->k];
}

static Value eval(Fuzz *z, const Ast *a)
{
    Value v[3];
    switch (a->kind) {
    case A_CONST:  return a->v;
    case A_LOAD:   return eval_load(z, a);
    case A_CAST:   return scalar_cast(a->dt, a->kid[0]->dt, eval(z, a->kid[0]));
    case A_SELECT: return eval(z, a->kid[eval(z, a->kid[0]).i ? 1 : 2]);
    case A_INDEX:  return (Value){ .i = sub_value(z, &a->sub[0]) };
    case A_IN:     v[0].i = sub_value(z, &a->sub[0]); return (Value){ .i = 0 <= v[0].i && v[0].i < a->extent[0] };
    case A_REDUCE: return eval_reduce(z, a);
    case A_ACC:    return z->acc[a->acc];
    case A_LOCAL:  return z->local_value;
    default:
        for (int i = 0; i < a->n; i++)
            v[i] = eval(z, a->kid[i]);
        return scalar_eval(a->op, a->kid[0]->dt, v, true);
    }
}

/* ---- building it ------------------------------------------------------------------------------------------------- */

static const Idx *build_sub(Fuzz *z, const Sub *s)
{
    const Idx *x = idx_const(z->c, s->k);
    for (int i = 0; i < VARS; i++)
        if (s->c[i])
            x = idx_axpy(z->c, x, s->c[i], idx_var(z->c, z->id[i], z->extent[i]));
    return s->a ? idx_digit(z->c, x, s->a, s->b) : x;
}

static const Expr *build(Fuzz *z, const Ast *a);

static const Expr *build_load(Fuzz *z, const Ast *a)
{
    const Idx *at[2];
    const Expr *cond = expr_int(z->c, DT_BOOL, 1);
    for (int i = 0; i < shapes[a->buf].rank; i++) {
        int64_t n = shapes[a->buf].dims[i];
        at[i] = build_sub(z, &a->sub[i]);
        if (a->guard == BY_VALUE)
            at[i] = idx_value(
                z->c,
                expr_op3(z->c, OP_clip, build(z, a->kid[i]), expr_int(z->c, DT_I64, 0), expr_int(z->c, DT_I64, n - 1)),
                0, n - 1);
        else if (a->guard == BY_TEST) {
            cond = expr_op2(z->c, OP_and, cond, expr_in(z->c, at[i], n));
            at[i] = idx_assume(z->c, at[i], 0, n - 1);
        }
    }
    const Expr *e = expr_load(z->c, z->bufs[a->buf], at);
    return a->guard == BY_TEST ? expr_select(z->c, cond, e, build(z, a->kid[3])) : e;
}

static const Expr *build_reduce(Fuzz *z, const Ast *a)
{
    const Expr *init[2], *next[2];
    int vars[2];
    for (int i = 0; i < a->n; i++)
        init[i] = build(z, a->kid[i]);
    for (int i = 0; i < a->nvars; i++) {
        vars[i] = z->id[a->var[i]] = var_new(z->c);
        z->extent[a->var[i]] = a->extent[i];
    }
    for (int i = 0; i < a->n; i++)
        z->acc_expr[a->acc + i] = expr_acc(z->c, z->acc_id[a->acc + i] = var_new(z->c), a->kid[i]->dt);
    for (int i = 0; i < a->n; i++)
        next[i] = build(z, a->kid[2 + i]);
    Reduce r = { .nvars = a->nvars, .vars = vars, .extents = a->extent, .naccs = a->n, .accs = z->acc_id + a->acc };
    r.init = init;
    r.next = next;
    r.lanes = a->lanes;
    r.join = a->op;
    return expr_reduce(z->c, r, a->k);
}

static const Expr *build(Fuzz *z, const Ast *a)
{
    const Expr *args[3];
    switch (a->kind) {
    case A_CONST:  return expr_const(z->c, a->dt, a->v);
    case A_LOAD:   return build_load(z, a);
    case A_CAST:   return expr_cast(z->c, a->dt, build(z, a->kid[0]));
    case A_INDEX:  return expr_index(z->c, build_sub(z, &a->sub[0]));
    case A_IN:     return expr_in(z->c, build_sub(z, &a->sub[0]), a->extent[0]);
    case A_REDUCE: return build_reduce(z, a);
    case A_ACC:    return z->acc_expr[a->acc];
    case A_LOCAL:  return expr_load(z->c, z->local, NULL);
    default:
        for (int i = 0; i < a->n; i++)
            args[i] = build(z, a->kid[i]);
        return a->kind == A_OP ? expr_op(z->c, a->op, args) : expr_select(z->c, args[0], args[1], args[2]);
    }
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void make_bufs(Fuzz *z)
{
    static const char *const names[] = { "x", "y", "z", "w", "k", "h", "q" };
    for (int i = 0; i < B_OUT; i++) {
        z->bufs[i] =
            buf_new(z->c, i == B_CONST ? BUF_CONST : BUF_IN, names[i], shapes[i].dt, shapes[i].rank, shapes[i].dims);
        Tensor *t = tensor_new(z->c, type_make(z->c, shapes[i].dt, shapes[i].rank, shapes[i].dims));
        z->data[i] = (void *)(uintptr_t)t->data;
        z->bufs[i]->data = i == B_CONST ? t : NULL;
        for (int64_t j = 0; j < type_count(t->type); j++)
            scalar_write(shapes[i].dt, z->data[i], j, i == B_U8 ? (Value){ .i = j * 3 } : any_value(z, shapes[i].dt));
    }
}

/* The byte buffer holds 3·i: so a load of it may be replaced. */
static const Expr *replace_bytes(Ctx *c, const Buf *b, const Idx *const *at, void *arg)
{
    const Fuzz *z = arg;
    if (b != z->bufs[B_U8])
        return NULL;
    return expr_cast(c, DT_U8, expr_op2(c, OP_mul, expr_index(c, at[0]), expr_int(c, DT_I64, 3)));
}

static void run_kernel(Fuzz *z, const Kernel *k, Buf *out, void *data)
{
    z->bufs[B_OUT] = out;
    z->data[B_OUT] = data;
    Prog p = { .nbufs = 8, .nkernels = 1, .nouts = 1, .bufs = z->bufs, .kernels = &k, .outs = &z->bufs[B_OUT] };
    prog_check(z->c, &p);
    kernel_ops(z->c, k);
    prog_run(z->c, &p, z->data, true);
}

/* Compute form, the first variable reversed. */
static bool try_compute(Fuzz *z, const Ast *a)
{
    int64_t dims[2] = { z->extent[0], z->extent[1] };
    Buf *out = buf_new(z->c, BUF_OUT, "out", a->dt, 2, dims);
    const Idx *mirror = idx_axpy(z->c, idx_const(z->c, dims[0] - 1), -1, idx_var(z->c, 0, dims[0]));
    Subst s = { 1, (const int[]){ 0 }, &mirror };
    Rewrite r = { .subst = &s, .load = next_random(z) & 1 ? replace_bytes : NULL, .arg = z };
    const Expr *e = expr_rewrite(z->c, build(z, a), &r);
    void *data = mem_alloc(z->c, buf_bytes(out) + 8);
    run_kernel(z, kernel_compute(z->c, "fuzz", (Loc){ 0 }, out, e), out, data);
    for (int64_t i = 0; i < dims[0]; i++)
        for (int64_t j = 0; j < dims[1]; j++) {
            z->at[0] = dims[0] - 1 - i;
            z->at[1] = j;
            Value want = eval(z, a), got = scalar_read(a->dt, data, i * dims[1] + j);
            if (got.u != want.u) {
                printf("element %d,%d differs\n", (int)i, (int)j);
                return false;
            }
        }
    return true;
}

/* for i { local t = first(i); for j { if (cond) out[g] = out[g] + value(i, j, t) } }, twice in a row within the
 * condition */
static bool try_nest(Fuzz *z, const Ast *first, const Ast *cond, const Ast *value, const Sub *g)
{
    int64_t n = g->b;
    Buf *out = buf_new(z->c, BUF_OUT, "out", DT_F32, 1, &n), *t = buf_new(z->c, BUF_LOCAL, "t", DT_F32, 0, NULL);
    float want[16] = { 0 };
    z->local = t;
    int64_t inner = z->extent[1];    /* first may have a reduction in its place */
    z->id[0] = var_new(z->c);
    const Stmt *set = stmt_store(z->c, t, NULL, build(z, first));
    z->id[1] = var_new(z->c);
    z->extent[1] = inner;
    const Idx *at = build_sub(z, g);
    const Stmt *store = stmt_store(z->c, out, &at, expr_op2(z->c, OP_add, expr_load(z->c, out, &at), build(z, value)));
    const Stmt *body = stmt_if(z->c, build(z, cond), stmt_seq(z->c, 2, (const Stmt *const[]){ store, store }), NULL);
    const Stmt *seq[] = { stmt_local(z->c, t), set, stmt_for(z->c, z->id[1], z->extent[1], body) };
    Kernel k = { .what = "nest", .out = out, .nest = stmt_for(z->c, z->id[0], z->extent[0], stmt_seq(z->c, 3, seq)) };
    float *data = NEW_N(z->c, float, 16);
    run_kernel(z, &k, out, data);
    for (z->at[0] = 0; z->at[0] < z->extent[0]; z->at[0]++) {
        z->at[1] = 0;
        z->local_value = eval(z, first);
        for (z->at[1] = 0; z->at[1] < z->extent[1]; z->at[1]++)
            for (int twice = 0, yes = (int)eval(z, cond).i; twice < 2 && yes; twice++) {
                float *w = &want[sub_value(z, g)];
                Value sum[2] = { { 0 }, eval(z, value) };
                sum[0].f = *w;
                *w = scalar_eval(OP_add, DT_F32, sum, true).f;
            }
    }
    if (memcmp(data, want, sizeof(float) * (size_t)n) == 0)
        return true;
    printf("the nest differs\n");
    return false;
}

static void run_one(Ctx *c, void *arg)
{
    Fuzz z = { .c = c, .state = *(uint64_t *)arg * UINT64_C(0x9E3779B97F4A7C15) | 1, .vars = 2, .id = { 0, 1 } };
    for (int i = 0; i < 9; i++)
        next_random(&z);
    z.extent[0] = 1 + below(&z, 6);
    z.extent[1] = 1 + below(&z, 6);
    make_bufs(&z);
    Ast *a = any_ast(&z, any_type(&z), 2 + below(&z, 4));
    bool ok = try_compute(&z, a);
    z.vars = 1;
    int64_t inner = z.extent[1];
    const Ast *first = any_ast(&z, DT_F32, 3);
    z.vars = 2;
    z.extent[1] = inner;
    z.use_local = true;
    const Ast *cond = any_ast(&z, DT_BOOL, 2), *value = any_ast(&z, DT_F32, 4);
    Sub g = any_sub(&z, 1 + below(&z, 12));
    if (!try_nest(&z, first, cond, value, &g) || !ok)
        fatal(c, (Loc){ 0 }, "wrong result");
}

int main(int argc, char **argv)
{
    double seconds = 1e9;
    long programs = argc > 1 ? LONG_MAX : 1000, done = 0, wrong = 0;
    uint64_t seed = 1;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--programs") && i + 1 < argc)
            programs = atol(argv[++i]);
        else
            seconds = atof(argv[i]);
    time_t start = time(NULL);
    for (; done < programs && difftime(time(NULL), start) < seconds && wrong < SHOWN; done++, seed++) {
        Ctx *c = ctx_new();
        if (c == NULL || !ctx_run(c, run_one, &seed)) {
            wrong++;
            printf("wrong: --programs 1 --seed %llu\n", (unsigned long long)seed);
            if (c)
                diag_flush(c, stdout);
        }
        if (c)
            ctx_free(c);
    }
    printf("%ld passed, %ld failed\n", done - wrong, wrong);
    return wrong > 0;
}
