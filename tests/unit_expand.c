/* Unit tests of the node builder: expansion, evaluation, names; and its speed. */
#include "graph_ops.h"

#include <time.h>

/* ---- expansion --------------------------------------------------------------------------------------------------- */

static void names_are(const Node *n, const char *names)
{
    const char *s = "";
    for (int i = 0; i < n->nbody; i++)
        s = internf(c, "%s%s%s=%s", s, i ? " " : "", n->body[i]->sig->name, n->body[i]->out[0]->name);
    ck_assert_str_eq(s, names);
}

START_TEST(a_body_is_named_after_the_node)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *out[2];
    IS(NODE("Thrice", "y", x), "float[3]");
    names_are(last(), "Add=y/1 Add=y/2 Relu=y");
    ck_assert_int_eq(b->nodes.n, 1);
    const char *names[] = {"p", "q"};
    NodeSpec s = {.op = "Thrice", .name = "t", .nin = 1, .in = &x, .nout = 2, .out = names};
    build_node(b, &s, out);
    names_are(last(), "Add=q Add=p/2 Relu=p");
    NODE("Nested", "n", x);
    names_are(last(), "Sqrt=n/1 Thrice=n");
    names_are(last()->body[1], "Add=n/3 Add=n/4 Relu=n");
    SILENT();
}
END_TEST

START_TEST(a_body_may_be_empty)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *k = ints("k", 1, 5);
    Edge *y = NODE("Both", "y", x), *z = NODE("Both", "z", k);
    ck_assert_ptr_eq(y->from->result[0], x);
    ck_assert_int_eq(y->from->nbody, 0);
    ck_assert_ptr_null(y->data);
    ck_assert_ptr_eq(z->data, k->data);
    ck_assert_str_eq(x->name, "x");
}
END_TEST

START_TEST(wide_expansions_round_once)
{
    Edge *h = input("h", type_of(DT_F16, 1, 3)), *f = input("f", type_of(DT_F32, 1, 3)),
         *g = input("g", type_of(DT_BF16, 1, 3));
    IS(NODE("Bias", "y", h), "float16[3]");
    names_are(last(), "Cast=y/1 Add=y/3 Cast=y");
    IS(last()->body[1]->out[0], "float[3]");
    IS(NODE("Bias2", "z", g), "bfloat16[3]");
    names_are(last(), "Cast=z/1 Add=z/3 Cast=z");
    IS(NODE("Bias", "w", f), "float[3]");
    names_are(last(), "Add=w");
    IS(NODE("WideFree", "u", h), "float16[3]");
    IS(NODE("Fresh", "v", h), "float16[3]");
    SILENT();
    ck_assert(edge_poisoned(NODE("WideRefused", "r", h)));
    SAYS("burin: error: WideRefused (output 'r'): never\n");
}
END_TEST

START_TEST(expansions_end)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    ck_assert(edge_poisoned(NODE("Endless", "y", x)));
    ck_assert_int_eq(b->depth, 0);
    ck_assert_int_eq(b->nodes.n, 0);
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "nested more than 64 deep"));
    ck_assert_int_eq(c->errors, 1);
    ck_assert(edge_poisoned(NODE("Refused", "z", x)));
    SAYS("burin: error: Refused (output 'z'): never\n");
}
END_TEST

static void build_named(Ctx *ctx, void *op)
{
    (void)ctx;
    NODE(op, "y", input("x", type_of(DT_F32, 1, 3)));
}

static void build_spec(Ctx *ctx, void *spec)
{
    (void)ctx;
    Edge *out;
    build_node(b, spec, &out);
}

START_TEST(faults_of_entries_are_ours)
{
    ck_assert(stops(build_named, "Missing"));
    SAYS("burin: error: internal error: an expansion wants operator 'NoSuchOp', which is not in the table\n");
    ck_assert(stops(build_named, "Wrong"));
    SAYS("burin: error: internal error: the expansion of Wrong (output 'y_2') gives double[3] for output 0, inferred "
         "was float[3]\n");
    ck_assert(stops(build_named, "Void"));
    SAYS("burin: error: internal error: the expansion of Void (output 'y_3') gives no output 0\n");
    ck_assert(stops(build_named, "Untyped"));
    SAYS("burin: error: internal error: no type was inferred for output 0 of Untyped (output 'y_4')\n");
    NodeSpec s = {.op = "Nothing", .nout = 1, .out = (const char *[]){"y"}};
    ck_assert(stops(build_spec, &s));
    SAYS("burin: error: internal error: no rule gives the types of Nothing (output 'y_5')\n");
    NODE("Huge", "h", input("x", type_of(DT_F32, 0)));
    SAYS("burin: error: Huge (output 'h'): the result of rank 33 is too large\n");
}
END_TEST

/* A subgraph of two nodes, in two copies where it is chosen twice. */
static bool inlined(Build *bb, const Subgraph *g, Edge *const *in, Edge **out)
{
    (void)in;
    Edge *x = (Edge *)(uintptr_t)g->scope, *t, *y;
    const char *names[] = {"t", "r"};
    NodeSpec s = {.op = "Relu", .nin = 1, .in = &x, .nout = 1, .out = &names[0]},
             u = {.op = "Thrice", .nin = 1, .in = &t, .nout = 1, .out = &names[1]};
    build_node(bb, &s, &t);
    build_node(bb, &u, &y);
    out[0] = y;
    return true;
}

START_TEST(graphs_are_spliced)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *cond = build_scalar(b, DT_BOOL, 1);
    Subgraph g = {.nouts = 1, .inlined = inlined, .scope = x};
    Attr a[] = {{.name = "then_branch", .kind = ATTR_GRAPH, .graph = &g},
                {.name = "else_branch", .kind = ATTR_GRAPH, .graph = &g}};
    Edge *y = with("If", "y", 2, a, 1, cond), *z = with("If", "z", 2, a, 1, cond);
    ck_assert_int_eq(b->nodes.n, 4);
    ck_assert_ptr_eq(y->from, b->nodes.at[1]);
    ck_assert_str_eq(b->nodes.at[0]->out[0]->name, "t");
    ck_assert_str_eq(b->nodes.at[2]->out[0]->name, "t_2");
    ck_assert_str_eq(y->name, "y");
    ck_assert_str_eq(z->name, "z");
    ck_assert_int_eq(b->depth, 0);
    with("If", "w", 2, a, 1, input("q", type_of(DT_BOOL, 0)));
    SAYS("burin: error: If (output 'w'): needs input 'cond' at compile time: it depends on graph input 'q'; make it a "
         "constant\n");
}
END_TEST

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

static void floats_are(const Edge *e, int n, ...)
{
    va_list args;
    va_start(args, n);
    ck_assert_ptr_nonnull(e->data);
    ck_assert_int_eq(type_count(e->data->type), n);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq(tensor_at_double(e->data, i), va_arg(args, double));
    va_end(args);
}

START_TEST(what_is_known_is_evaluated)
{
    Edge *x = input("x", type_of(DT_F32, 3, 2, 5, 7)), *v = floats("v", 3, 1.0, -2.0, 4.0),
         *s = build_scalar(b, DT_F32, 0.5);
    floats_are(NODE("Add", "a", v, s), 3, 1.5, -1.5, 4.5);
    floats_are(NODE("Relu", "r", v), 3, 1.0, 0.0, 4.0);
    floats_are(NODE("Less", "l", v, s), 3, 0.0, 1.0, 0.0);
    floats_are(NODE("Shape", "sh", x), 3, 2.0, 5.0, 7.0);
    floats_are(NODE("Thrice", "t", v), 3, 3.0, 0.0, 12.0);
    floats_are(NODE("Double", "d", v), 3, 2.0, -4.0, 8.0);
    Attr axis = attr_int(c, "axis", 0);
    floats_are(with("Concat", "c", 1, &axis, 3, v, s->type.rank ? s : v, v), 9, 1.0, -2.0, 4.0, 1.0, -2.0, 4.0, 1.0,
               -2.0, 4.0);
    Edge *m = NODE("Reshape", "m", v, ints("k", 2, 3, 1));
    IS(m, "float[3,1]");
    floats_are(m, 3, 1.0, -2.0, 4.0);
    floats_are(NODE("Add", "o", m, v), 9, 2.0, -1.0, 5.0, -1.0, -4.0, 2.0, 5.0, 2.0, 8.0);
    ck_assert_ptr_null(NODE("Add", "xv", x, s)->data);
    ck_assert_ptr_null(NODE("Sin", "sin", v)->data);
    ck_assert_ptr_nonnull(last()->out[0]->from);
    SILENT();
}
END_TEST

START_TEST(large_results_are_not)
{
    Tensor *t = tensor_new(c, type_of(DT_F32, 1, 1024)), *u = tensor_new(c, type_of(DT_F32, 1, 1025));
    Edge *small = NODE("Relu", "y", build_const(b, "t", t, (Loc){0})),
         *large = NODE("Relu", "z", build_const(b, "u", u, (Loc){0}));
    ck_assert_ptr_nonnull(small->data);
    ck_assert_ptr_null(large->data);
    const Tensor *out[1];
    ck_assert(!node_eval(b, large->from, 4099, out));
    ck_assert(node_eval(b, large->from, 4100, out));
    ck_assert_int_eq(type_count(out[0]->type), 1025);
}
END_TEST

START_TEST(bodies_are_evaluated)
{
    Edge *u = build_const(b, "u", tensor_new(c, type_of(DT_F32, 1, 2000)), (Loc){0}), *y = NODE("Nested", "y", u);
    const Tensor *out[1];
    ck_assert_ptr_null(y->data);
    ck_assert(!node_eval(b, y->from, 7999, out));
    ck_assert(node_eval(b, y->from, 8000, out));
    ck_assert_int_eq(type_count(out[0]->type), 2000);
    ck_assert(!node_eval(b, NODE("Nested", "z", input("x", type_of(DT_F32, 1, 2)))->from, 8000, out));
    floats_are(NODE("Abs", "a", floats("f", 3, -1.0, 2.0, -3.0)), 3, 1.0, 2.0, 3.0);
    floats_are(NODE("Spread", "s", floats("g", 1, 7.0), input("q", type_of(DT_F32, 2, 2, 1))), 2, 7.0, 7.0);
    floats_are(NODE("First", "n", build_const(b, "e", tensor_new(c, type_of(DT_F32, 2, 3, 0)), (Loc){0})), 1, 0.0);
    static const float pair[] = {1, 2, 3, 4};
    Edge *t = NODE("Temp", "t", build_const(b, "zz", tensor_of(c, type_of(DT_C64, 1, 2), pair, 16), (Loc){0}));
    ck_assert_mem_eq(t->data->data, pair, sizeof pair);
    SILENT();
}
END_TEST

START_TEST(narrow_types_are_evaluated)
{
    static const uint16_t h[] = {0x3C00, 0x4000};                    /* 1, 2 */
    static const uint8_t packed[] = {0x21, 0x03};
    Edge *x = build_const(b, "x", tensor_of(c, type_of(DT_F16, 1, 2), h, 4), (Loc){0});
    floats_are(NODE("Add", "y", x, x), 2, 2.0, 4.0);
    floats_are(NODE("Bias", "z", x), 2, 1.099609375, 2.099609375);
    Edge *q = build_const(b, "q", tensor_of(c, type_of(DT_U4, 1, 3), packed, 2), (Loc){0}),
         *r = NODE("Identity", "i", q);
    ck_assert(tensor_same(q->data, r->data));
    static const float pair[] = {1, 2, 3, 4};
    Edge *z = build_const(b, "zz", tensor_of(c, type_of(DT_C64, 1, 2), pair, 16), (Loc){0});
    Attr axis = attr_int(c, "axis", 0);
    Edge *cc = with("Concat", "cc", 1, &axis, 2, z, NODE("Identity", "zi", z));
    IS(cc, "complex64[4]");
    static const float both[] = {1, 2, 3, 4, 1, 2, 3, 4};
    ck_assert_ptr_nonnull(cc->data);
    ck_assert_mem_eq(cc->data->data, both, sizeof both);
    static const char *const words[] = {"a", "bc"};
    Edge *s = build_const(b, "s", tensor_of(c, type_of(DT_STRING, 1, 2), words, sizeof words), (Loc){0});
    ck_assert_str_eq(tensor_at_string(NODE("Reshape", "sr", s, ints("k", 2, 1, 2))->data, 1), "bc");
}
END_TEST

START_TEST(nothing_is_evaluated_too)
{
    Edge *e = build_const(b, "e", tensor_new(c, type_of(DT_F32, 2, 0, 3)), (Loc){0});
    Attr axis = attr_int(c, "axis", 1);
    Edge *y = NODE("Add", "y", e, e), *z = with("Concat", "z", 1, &axis, 2, e, y),
         *r = NODE("Reshape", "r", z, ints("k", 1, 0));
    ck_assert(y->data && z->data && r->data);
    IS(r, "float[0]");
    SILENT();
}
END_TEST

START_TEST(constants_within_expansions_are_folded)
{
    Edge *h = build_const(b, "h", tensor_float(c, DT_F16, 2), (Loc){0}), *y = NODE("Bias", "y", h);
    ck_assert_int_eq(y->from->nbody, 0);
    ck_assert_ptr_nonnull(y->data);
    ck_assert_ptr_null(y->from->result[0]->from);
    const Tensor *out[1];
    ck_assert(node_eval(b, y->from, 100, out));
    ck_assert_ptr_eq(out[0], y->data);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------------------------------- */

START_TEST(names_are_unique)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    ck_assert_str_eq(NODE("Thrice", "y", x)->name, "y");
    ck_assert_str_eq(NODE("Relu", "y/1", x)->name, "y/1_2");
    ck_assert_str_eq(NODE("Relu", "y", x)->name, "y_2");
    ck_assert_str_eq(NODE("Relu", "y_2", x)->name, "y_2_2");
    ck_assert_str_eq(NODE("Relu", "y", x)->name, "y_3");
    ck_assert_str_eq(build_const(b, "x", x->data ? NULL : tensor_int(c, 1), (Loc){0})->name, "x_2");
    ck_assert_str_eq(build_scalar(b, DT_F32, 0)->name, "v/1");
}
END_TEST

/* ---- size -------------------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The bounds are generous: sanitizers and slow machines. */
static void built_soon(double start, size_t before)
{
    ck_assert_int_eq(b->nodes.n, MANY);
    ck_assert_double_lt(seconds() - start, 20);
    ck_assert_msg((c->bytes - before) / MANY < 1500, "%zu bytes a node", (c->bytes - before) / MANY);
    SILENT();
}

START_TEST(a_long_chain)
{
    Edge *x = input("x", type_of(DT_F32, 2, 64, 32));
    double start = seconds();
    size_t before = c->bytes;
    for (int i = 0; i < MANY; i++) {
        char name[20];
        snprintf(name, sizeof name, "t%d", i);
        x = i % 2 ? NODE("Relu", name, x) : NODE("Add", name, x, x);
    }
    built_soon(start, before);
}
END_TEST

START_TEST(a_wide_graph)
{
    Edge *x = input("x", type_of(DT_F32, 2, 64, 32));
    double start = seconds();
    size_t before = c->bytes;
    for (int i = 0; i < MANY; i++) {
        char name[20];
        snprintf(name, sizeof name, "t%d", i);
        NODE("Relu", name, x);
    }
    built_soon(start, before);
}
END_TEST

START_TEST(a_long_chain_of_constants)
{
    Edge *k = build_scalar(b, DT_I64, 1), *x = k;
    double start = seconds();
    for (int i = 0; i < MANY; i++)
        x = NODE("Add", "t", x, k);
    ck_assert_int_eq(tensor_at_int(x->data, 0), MANY + 1);
    ck_assert_double_lt(seconds() - start, 60);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_body_is_named_after_the_node, a_body_may_be_empty, wide_expansions_round_once, expansions_end,
        faults_of_entries_are_ours, graphs_are_spliced, what_is_known_is_evaluated, large_results_are_not,
        bodies_are_evaluated, narrow_types_are_evaluated, nothing_is_evaluated_too,
        constants_within_expansions_are_folded, names_are_unique, a_long_chain, a_wide_graph,
        a_long_chain_of_constants,
    };
    return RUN("expand", setup, context_free, tests);
}
