/* A small table of operators for the tests of ir/graph, with one of everything that an entry can be; and short ways
 * to build. */
#ifndef BURIN_GRAPH_OPS_H
#define BURIN_GRAPH_OPS_H

#include "op.h"
#include "unit.h"

static Build *b;

/* ---- meanings ---------------------------------------------------------------------------------------------------- */

static const Expr *same_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return in_at(l, 0, i);
}

static bool cast_infer(Build *bb, const Node *n, Type *out)
{
    (void)bb;
    out[0] = n->in[0]->type;
    out[0].dt = (DType)node_int(n, "to", 0);
    return true;
}

static const Expr *cast_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return expr_cast(l->c, l->node->out[0]->type.dt, in_at(l, 0, i));
}

static bool reshape_infer(Build *bb, const Node *n, Type *out)
{
    const Tensor *shape = node_known(n, 1);
    int64_t dims[MAX_RANK], count;
    int rank = (int)type_count(shape->type);
    for (int i = 0; i < rank; i++)
        dims[i] = tensor_at_int(shape, i);
    if (!dims_count(rank, dims, &count) || count != type_count(n->in[0]->type)) {
        node_error(bb, n, "shape %s has another number of elements than %s", dims_text(bb->c, rank, dims),
                   type_text(bb->c, n->in[0]->type));
        return false;
    }
    out[0] = type_make(bb->c, n->in[0]->type.dt, rank, dims);
    return true;
}

static const Expr *reshape_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    const Idx *src[MAX_RANK];
    Type to = l->node->out[0]->type, from = l->node->in[0]->type;
    view_reshape(l->c, to.rank, to.dims, i, from.rank, from.dims, src);
    return in_at(l, 0, src);
}

static bool shape_infer(Build *bb, const Node *n, Type *out)
{
    int64_t rank = n->in[0]->type.rank;
    out[0] = type_make(bb->c, DT_I64, 1, &rank);
    return true;
}

static const Expr *shape_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    Type t = l->node->in[0]->type;
    return expr_load(l->c, lower_const(l, "dims", tensor_ints(l->c, t.rank, t.dims)), i);
}

static bool concat_infer(Build *bb, const Node *n, Type *out)
{
    int axis;
    Type t = n->in[0]->type;
    int64_t dims[MAX_RANK];
    if (!node_axis(bb, n, node_int(n, "axis", 0), t.rank, false, &axis))
        return false;
    for (int i = 0; i < t.rank; i++)
        dims[i] = t.dims[i];
    for (int k = 1; k < n->nin; k++)
        dims[axis] += n->in[k]->type.dims[axis];
    out[0] = type_make(bb->c, t.dt, t.rank, dims);
    return true;
}

static void concat_lower(Lower *l)
{
    const Node *n = l->node;
    int rank = n->out[0]->type.rank, axis = (int)node_int(n, "axis", 0);
    int64_t from = 0;
    for (int k = 0; k < n->nin; k++) {
        Type t = n->in[k]->type;
        const Idx *const *v = lower_vars(l, rank, t.dims), *at[MAX_RANK];
        for (int i = 0; i < rank; i++)
            at[i] = i == axis ? idx_add(l->c, v[i], idx_const(l->c, from)) : v[i];
        lower_store_at(l, l->out[0], rank, t.dims, at, in_at(l, k, v));
        from += t.dims[axis];
    }
}

static void twice_lower(Lower *l)    /* 2x by way of a temporary */
{
    Type t = l->node->in[0]->type;
    const Idx *const *v = lower_vars(l, t.rank, t.dims);
    Buf *half = lower_temp(l, "half", math_type(t.dt), t.rank, t.dims);
    lower_store(l, half, in_math(l, 0, v));
    const Expr *x = expr_load(l->c, half, v);
    lower_store(l, l->out[0], expr_op2(l->c, OP_add, x, x));
}

static void nest_lower(Lower *l)     /* y[i] = x[i] < 0 ? -x[i] : x[i], as a nest */
{
    Type t = l->node->in[0]->type;
    const Idx *i = idx_var(l->c, 40, t.dims[0]);
    const Expr *x = in_at(l, 0, &i), *zero = expr_float(l->c, x->dt, 0);
    const Stmt *minus = stmt_store(l->c, l->out[0], &i, expr_op1(l->c, OP_neg, x)),
               *same = stmt_store(l->c, l->out[0], &i, x);
    lower_nest(l, l->out[0], stmt_for(l->c, 40, t.dims[0], stmt_if(l->c, expr_op2(l->c, OP_lt, x, zero), minus, same)));
}

static void temp_lower(Lower *l)     /* a copy by way of a temporary, of any type */
{
    Type t = l->node->in[0]->type;
    Buf *temp = lower_temp(l, "temp", t.dt, t.rank, t.dims);
    const Idx *const *v = lower_vars(l, t.rank, t.dims), *pair[MAX_RANK];
    lower_store_at(l, temp, t.rank, t.dims, v, in_at(l, 0, v));
    for (int i = 0; i < t.rank; i++)
        pair[i] = v[i];
    pair[t.rank] = l->part;
    lower_store_at(l, l->out[0], t.rank, t.dims, v, expr_load(l->c, temp, pair));
}

static const Expr *spread_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return in_broadcast(l, 0, l->node->out[0]->type.rank, i);
}

static bool spread_infer(Build *bb, const Node *n, Type *out)
{
    (void)bb;
    out[0] = type_make(bb->c, n->in[0]->type.dt, n->in[1]->type.rank, n->in[1]->type.dims);
    return true;
}

static const Expr *reads_missing(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return in_at(l, 1, i);
}

static const Expr *first_at(Lower *l, int out, const Idx *const *i)          /* x[0, …], or 0 of nothing */
{
    (void)out, (void)i;
    const Idx *at[MAX_RANK];
    for (int k = 0; k < l->node->in[0]->type.rank; k++)
        at[k] = idx_const(l->c, 0);
    return in_at(l, 0, at);
}

static bool first_infer(Build *bb, const Node *n, Type *out)
{
    out[0] = type_make(bb->c, n->in[0]->type.dt, 0, NULL);
    return true;
}

static bool no_infer(Build *bb, const Node *n, Type *out)
{
    (void)bb, (void)n, (void)out;
    return true;
}

static bool huge_infer(Build *bb, const Node *n, Type *out)
{
    (void)bb;
    out[0] = n->in[0]->type;
    out[0].rank = MAX_RANK + 1;
    return true;
}

static bool thrice(Build *bb, const Node *n, Edge **out)             /* y = relu(x + x + x), s = x + x */
{
    Edge *x = n->in[0], *s = build_op2(bb, "Add", x, x);
    out[0] = build_op1(bb, "Relu", build_op2(bb, "Add", s, x));
    out[1] = s;
    return true;
}

static bool nested(Build *bb, const Node *n, Edge **out)
{
    out[0] = build_op1(bb, "Thrice", build_op1(bb, "Sqrt", n->in[0]));
    return true;
}

static bool add_bias(Build *bb, const Node *n, Edge **out)
{
    out[0] = build_op2(bb, "Add", n->in[0], build_scalar(bb, n->in[0]->type.dt, (double)node_float(n, "bias", 0)));
    return true;
}

static bool same_infer(Build *bb, const Node *n, Type *out)
{
    (void)bb;
    for (int k = 0; k < n->nout; k++)
        out[k] = n->in[0]->type;
    return true;
}

static bool pass_on(Build *bb, const Node *n, Edge **out)
{
    (void)bb;
    out[0] = n->in[0];
    out[1] = n->nin > 1 && n->in[1] ? n->in[1] : n->in[0];
    return true;
}

static bool endless(Build *bb, const Node *n, Edge **out)
{
    out[0] = build_op1(bb, "Endless", n->in[0]);
    return true;
}

static bool wants_missing(Build *bb, const Node *n, Edge **out)
{
    out[0] = build_op1(bb, "NoSuchOp", n->in[0]);
    return true;
}

static bool refuses(Build *bb, const Node *n, Edge **out)
{
    (void)out;
    node_error(bb, n, "never");
    return false;
}

static bool wrong_type(Build *bb, const Node *n, Edge **out)
{
    out[0] = build_cast(bb, n->in[0], DT_F64);
    return true;
}

static bool no_result(Build *bb, const Node *n, Edge **out)
{
    (void)bb, (void)n, (void)out;
    return true;
}

static bool choose(Build *bb, const Node *n, Edge **out)
{
    const Attr *a = node_attr(n, tensor_at_int(node_known(n, 0), 0) ? "then_branch" : "else_branch");
    return a->graph->inlined(bb, a->graph, NULL, out);
}

static const Op test_ops[] = {
    {.sig = "Relu-6 (x: F) => (y: F)", .scalar = SCALAR(relu)},
    {.sig = "Relu-14 (x: R) => (y: R)", .scalar = SCALAR(relu)},
    {.sig = "Add-7 (a: R, b: R) => (y: R)", .scalar = SCALAR(add)},
    {.sig = "Less-9 (a: R, b: R) => (y: bool)", .scalar = SCALAR(lt)},
    {.sig = "BitNot-18 (x: V) => (y: V)", .scalar = SCALAR(bitnot)},
    {.sig = "Sin-7 (x: F) => (y: F)", .scalar = SCALAR(sin)},
    {.sig = "Sqrt-6 (x: F) => (y: F)", .scalar = SCALAR(sqrt)},
    {.sig = "Cast-13 <to: int> (x: V) => (y: V2)", .at = cast_at, .infer = cast_infer},
    {.sig = "Identity-1 (x: V) => (y: V)", .at = same_at},
    {.sig = "Reshape-5 (data: V, shape!: int64) => (y: V)", .at = reshape_at, .infer = reshape_infer},
    {.sig = "Reshape-14 <allowzero: int = 0> (data: V, shape!: int64) => (y: V)",
     .at = reshape_at,
     .infer = reshape_infer},
    {.sig = "Shape-1 <axes?: ints> (x~: V) => (y: int64)", .at = shape_at, .infer = shape_infer},
    {.sig = "Shape-15 <start: int = 0, end?: int> (x~: V) => (y: int64)", .at = shape_at, .infer = shape_infer},
    {.sig = "Concat-13 <axis: int> (xs...: V) => (y: V)", .lower = concat_lower, .infer = concat_infer},
    {.sig = "Double-1 (x: F) => (y: F)", .lower = twice_lower},
    {.sig = "Thrice-1 (x: F) => (y: F, s?: F)", .expand = thrice},
    {.sig = "Nested-1 (x: F) => (y: F)", .expand = nested},
    {.sig = "Bias-1 <bias: float = 0.1> (x: F) => (y: F)", .expand = add_bias, .wide = true},
    {.sig = "Bias2-1 <bias: float = 0.1> (x: F) => (y: F)", .expand = add_bias, .wide = true, .infer = same_infer},
    {.sig = "Both-1 (x: V, z?: V) => (y: V, w?: V)", .expand = pass_on},
    {.sig = "Many-1 (x: V, more...?: V*) => (y: V)", .at = same_at},
    {.sig = "Endless-1 (x: V) => (y: V)", .expand = endless},
    {.sig = "Missing-1 (x: V) => (y: V)", .expand = wants_missing},
    {.sig = "Refused-1 (x: V) => (y: V)", .expand = refuses},
    {.sig = "Wrong-1 (x: F) => (y: F)", .expand = wrong_type, .infer = same_infer},
    {.sig = "Void-1 (x: V) => (y: V)", .expand = no_result},
    {.sig = "If-1 <then_branch: graph, else_branch: graph> (cond!: B) => (ys...: V*)", .expand = choose},
    {.sig = "Attrs-1 <f: float = 1, is?: ints, fs?: floats, s: string = \"a\", ss?: strings, t?: tensor, i: int> (x: "
            "V) => (y: V)",
     .at = same_at},
    {.sig = "Abs-1 (x: F) => (y: F)", .lower = nest_lower},
    {.sig = "Temp-1 (x: V) => (y: V)", .lower = temp_lower},
    {.sig = "Spread-1 (x: V, like~: V2) => (y: V)", .at = spread_at, .infer = spread_infer},
    {.sig = "First-1 (x: V) => (y: V)", .at = first_at, .infer = first_infer},
    {.sig = "ReadsMissing-1 (x: V, z?: V) => (y: V)", .at = reads_missing},
    {.sig = "Untyped-1 (x: V) => (y: V)", .at = same_at, .infer = no_infer},
    {.sig = "Huge-1 (x: V) => (y: V)", .at = same_at, .infer = huge_infer},
    {.sig = "Nothing-1 () => (y: V)", .at = same_at},
    {.sig = "Fresh-1 (x: V) => (y: V2)", .at = same_at},
    {.sig = "Defaults-1 <is: ints = [1,2], fs: floats = [1], ss: strings = [\"a\"]> (x: V) => (y: V)", .at = same_at},
    {.sig = "WideRefused-1 (x: F) => (y: F)", .expand = refuses, .wide = true},
    {.sig = "WideFree-1 (x: F*) => (y: F)", .expand = add_bias, .wide = true},
    {.sig = "com.acme::Twin-2 (x: V) => (y: V)", .at = same_at},
};

/* ---- fixture, and short ways ------------------------------------------------------------------------------------- */

static void setup(void)
{
    c = ctx_new();
    c->ops = op_table_new(c, test_ops, COUNT(test_ops));
    b = build_new(c, 0, NULL);
}

#define SILENT() ck_assert_str_eq(said(), "")

static inline Type type_of(DType dt, int rank, ...)
{
    int64_t dims[MAX_RANK];
    va_list args;
    va_start(args, rank);
    for (int i = 0; i < rank; i++)
        dims[i] = va_arg(args, int);
    va_end(args);
    return type_make(c, dt, rank, dims);
}

static inline Edge *input(const char *name, Type t)
{
    static const Source src = {"m", NULL, 0};
    return build_input(b, name, t, (Loc){.src = &src}, 0);
}

static inline Edge *floats(const char *name, int n, ...)
{
    Tensor *t = tensor_new(c, type_of(DT_F32, 1, n));
    va_list args;
    va_start(args, n);
    for (int i = 0; i < n; i++) {
        float v = (float)va_arg(args, double);
        memcpy((char *)(uintptr_t)t->data + 4 * i, &v, 4);
    }
    va_end(args);
    return build_const(b, name, t, (Loc){0});
}

static inline Edge *ints(const char *name, int n, ...)
{
    int64_t v[16];
    va_list args;
    va_start(args, n);
    for (int i = 0; i < n; i++)
        v[i] = va_arg(args, int);
    va_end(args);
    return build_const(b, name, tensor_ints(c, n, v), (Loc){0});
}

/* A node with up to 4 inputs and one output. */
static inline Edge *with(const char *op, const char *out, int nattrs, const Attr *attrs, int nin, ...)
{
    Edge *in[4], *result;
    va_list args;
    va_start(args, nin);
    for (int i = 0; i < nin; i++)
        in[i] = va_arg(args, Edge *);
    va_end(args);
    NodeSpec s = {.op = op, .nin = nin, .in = in, .nout = 1, .out = &out, .nattrs = nattrs, .attrs = attrs};
    build_node(b, &s, &result);
    return result;
}

#define NODE(op, out, ...) with(op, out, 0, NULL, COUNT(((Edge *[]){__VA_ARGS__})), __VA_ARGS__)

#define IS(e, text) ck_assert_str_eq(type_text(c, (e)->type), text)

static inline const Node *last(void)
{
    ck_assert_int_gt(b->nodes.n, 0);
    return b->nodes.at[b->nodes.n - 1];
}

static const Opset opset_17 = {"", 17};
static const Meta meta_17 = {.ir_version = 8, .nopsets = 1, .opsets = &opset_17};

/* The graph of what b built: ins and outs are lists that end in NULL; outputs are called by their edges' names. */
static inline Graph *graph_of(Edge *const *ins, Edge *const *outs)
{
    Graph *g = NEW(c, Graph);
    *g = (Graph){.name = "g", .meta = &meta_17, .ins = ins, .outs = outs, .nodes = b->nodes.at, .nnodes = b->nodes.n};
    while (ins[g->nins]) {
        ins[g->nins]->input = g->nins;
        g->nins++;
    }
    while (outs[g->nouts])
        g->nouts++;
    const char **names = NEW_N(c, const char *, g->nouts);
    for (int i = 0; i < g->nouts; i++)
        names[i] = outs[i]->name;
    g->out_names = names;
    return g;
}

#define LIST(...) mem_copy(c, (Edge *[]){__VA_ARGS__, NULL}, sizeof((Edge *[]){__VA_ARGS__, NULL}))

/* Whether f(arg) ends in a fatal error. */
static inline bool stops(void (*f)(Ctx *, void *), void *arg)
{
    return !ctx_run(c, f, arg);
}

enum { MANY = 100000 };              /* nodes of a large graph */

#endif
