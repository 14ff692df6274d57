/* Unit tests of the node builder: versions, attributes, operands, types, expansion, evaluation, names; and its speed. */
#include "graph_ops.h"

#include <time.h>

/* ---- versions, unknown operators --------------------------------------------------------------------------------------- */

static void import(const char *domain, int64_t version)
{
    Opset *o = NEW(c, Opset);
    *o = (Opset){domain, version};
    b = build_new(c, 1, o);
}

START_TEST(the_version_follows_the_import)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    NODE("Relu", "y", x);
    ck_assert_int_eq(last()->sig->since, 14);
    import("", 13);
    NODE("Relu", "y", x);
    ck_assert_int_eq(last()->sig->since, 6);
    import("ai.onnx", 14);
    NODE("Relu", "y", x);
    ck_assert_int_eq(last()->sig->since, 14);
    import("ai.onnx", 99);
    NODE("Relu", "y", x);
    ck_assert_int_eq(last()->sig->since, 14);
    SILENT();
}
END_TEST

START_TEST(unknown_operators_are_told_once)
{
    static const Source src = {"m.onnxtxt", NULL, 0};
    import("", 17);
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *y;
    const char *out = "y";
    for (uint32_t i = 0; i < 3; i++) {
        NodeSpec s = {.op = "Reshap", .nin = 1, .in = &x, .nout = 1, .out = &out, .loc = {.src = &src, .line = 5 + i}};
        build_node(b, &s, &y);
        ck_assert(edge_poisoned(y));
        ck_assert(edge_poisoned(NODE("Relu", "z", y)));
    }
    NODE("BitNot", "n", x);
    NODE("Completely_else", "n", x);
    ck_assert_int_eq(b->nodes.n, 0);
    SILENT();
    build_report_unknown(b);
    SAYS("m.onnxtxt:5: error: operator 'Reshap' is not known (opset 17, 3 nodes); did you mean 'Reshape'?\n"
         "burin: error: operator 'BitNot' needs opset 18; the model imports 17 (1 node)\n"
         "burin: error: operator 'Completely_else' is not known (opset 17, 1 node)\n");
    build_report_unknown(b);
    SILENT();
}
END_TEST

START_TEST(domains_must_be_imported)
{
    import("", 17);
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *y;
    const char *out = "y";
    NodeSpec s = {.domain = "com.acme", .op = "Twin", .nin = 1, .in = &x, .nout = 1, .out = &out};
    build_node(b, &s, &y);
    s.op = "Other";
    build_node(b, &s, &y);
    build_report_unknown(b);
    SAYS("burin: error: opset_import lacks domain \"com.acme\", which 2 nodes use: add \"com.acme\" : VERSION to it\n");
    import("com.acme", 1);
    s.op = "Twin";
    build_node(b, &s, &y);
    s.op = "Twins";
    build_node(b, &s, &y);
    s.domain = "";
    build_node(b, &s, &y);
    build_report_unknown(b);
    SAYS("burin: error: operator 'com.acme.Twin' needs opset 2; the model imports 1 (1 node)\n"
         "burin: error: operator 'com.acme.Twins' is not known (opset 1, 1 node); did you mean 'Twin'?\n"
         "burin: error: opset_import lacks domain \"\", which 1 node uses: add \"\" : VERSION to it\n");
}
END_TEST

START_TEST(many_unknown_operators)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    for (int i = 0; i < 300; i++)
        NODE(internf(c, "Zzzzzzzzzzz%d", i), "y", x);
    build_report_unknown(b);
    ck_assert_int_eq(c->errors, 201);
    ck_assert_ptr_nonnull(strstr(said(), "operator 'Zzzzzzzzzzz7' is not known (newest opset, 1 node)\n"));
}
END_TEST

/* ---- attributes ---------------------------------------------------------------------------------------------------------- */

START_TEST(attributes_in_order_with_defaults)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    int64_t v[] = {4, 5};
    Attr a[] = {attr_int(c, "i", 7), attr_string(c, "s", "b"), attr_ints(c, "is", 2, v)};
    with("Attrs", "y", 3, a, 1, x);
    const Node *n = last();
    ck_assert_int_eq(n->nattrs, 4);
    ck_assert_str_eq(n->attrs[0].name, "f");
    ck_assert_str_eq(n->attrs[1].name, "is");
    ck_assert_str_eq(n->attrs[2].name, "s");
    ck_assert_str_eq(n->attrs[3].name, "i");
    ck_assert_float_eq(node_float(n, "f", 9), 1);
    ck_assert_str_eq(node_string(n, "s", ""), "b");
    ck_assert_int_eq(node_int(n, "i", 0), 7);
    ck_assert_int_eq(node_attr(n, "is")->ints[1], 5);
    ck_assert_ptr_null(node_attr(n, "t"));
    ck_assert_int_eq(node_int(n, "no", -3), -3);
    ck_assert_float_eq(node_float(n, "no", -3), -3);
    ck_assert_str_eq(node_string(n, "no", "-"), "-");
    NODE("Shape", "s", x);
    ck_assert_ptr_eq(last()->attrs, last()->sig->defaults);
    ck_assert_int_eq(node_int(last(), "start", 5), 0);
    SILENT();
}
END_TEST

START_TEST(faulty_attributes)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    Attr i = attr_int(c, "i", 1);
    ck_assert(edge_poisoned(with("Attrs", "y", 0, NULL, 1, x)));
    SAYS("burin: error: Attrs (output 'y'): attribute 'i' (int) is missing\n");
    Attr twice[] = {i, i};
    ck_assert(edge_poisoned(with("Attrs", "y", 2, twice, 1, x)));
    SAYS("burin: error: Attrs (output 'y_2'): attribute 'i' is given twice\n");
    Attr kind[] = {attr_float(c, "i", 1), attr_int(c, "f", 1), attr_int(c, "is", 1)};
    ck_assert(edge_poisoned(with("Attrs", "z", 3, kind, 1, x)));
    SAYS("burin: error: Attrs (output 'z'): attribute 'i' must be of type int, not float\n"
         "burin: error: Attrs (output 'z'): attribute 'f' must be of type float, not int\n"
         "burin: error: Attrs (output 'z'): attribute 'is' must be of type ints, not int\n");
    Attr unknown[] = {i, attr_int(c, "fss", 1), attr_int(c, "something", 1)};
    ck_assert(!edge_poisoned(with("Attrs", "w", 3, unknown, 1, x)));
    SAYS("burin: warning: Attrs (output 'w'): attribute 'fss' is not known and is ignored; did you mean 'fs'?\n"
         "burin: warning: Attrs (output 'w'): attribute 'something' is not known and is ignored\n");
    ck_assert_int_eq(last()->nattrs, 3);
}
END_TEST

START_TEST(attributes_of_other_versions)
{
    import("", 13);
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *shape = ints("s", 1, 3);
    Attr zero = attr_int(c, "allowzero", 0), axes = attr_ints(c, "axes", 0, NULL);
    ck_assert(edge_poisoned(with("Reshape", "y", 1, &zero, 2, x, shape)));
    SAYS("burin: error: Reshape (output 'y'): attribute 'allowzero' needs opset 14; the model imports 13\n");
    import("", 16);
    ck_assert(edge_poisoned(with("Shape", "z", 1, &axes, 1, x)));
    SAYS("burin: error: Shape (output 'z'): attribute 'axes' is gone since opset 15; the model imports 16\n");
}
END_TEST

/* ---- operands --------------------------------------------------------------------------------------------------------------- */

START_TEST(numbers_of_operands)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *two[2], *no = NULL;
    NODE("Add", "y", x);
    NODE("Add", "y", x, x, x);
    NODE("Add", "y", no, x);
    const char *outs[] = {"p", "q"}, *none[] = {"", NULL};
    NodeSpec s = {.op = "Relu", .name = "r", .nin = 1, .in = &x, .nout = 2, .out = outs};
    build_node(b, &s, two);
    s.out = none;
    build_node(b, &s, two);
    ck_assert_ptr_null(two[0]);
    ck_assert_ptr_null(two[1]);
    NODE("Concat", "c", no);
    SAYS("burin: error: Add (output 'y'): input 'b' is missing; it takes (a, b)\n"
         "burin: error: Add (output 'y_2'): 3 inputs are given, it takes at most 2 (a, b)\n"
         "burin: error: Add (output 'y_3'): input 'a' is missing; it takes (a, b)\n"
         "burin: error: Relu 'r' (output 'p'): 2 outputs are asked for, it has at most 1 (y)\n"
         "burin: error: Relu 'r': it has no output; it gives (y)\n"
         "burin: error: Concat (output 'c'): attribute 'axis' (int) is missing\n"
         "burin: error: Concat (output 'c'): input 'xs' is missing; it takes (xs...)\n");
}
END_TEST

START_TEST(operands_are_padded)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *no = NULL;
    NODE("Both", "y", x, no);
    ck_assert_int_eq(last()->nin, 2);
    ck_assert_ptr_null(last()->in[1]);
    ck_assert_int_eq(last()->nout, 2);
    ck_assert_ptr_null(last()->out[1]);
    NODE("Both", "z", x);
    ck_assert_int_eq(last()->nin, 2);
    NODE("Many", "m", x);
    ck_assert_int_eq(last()->nin, 1);
    NODE("Many", "m", x, x, ints("i", 1, 1), no);
    ck_assert_int_eq(last()->nin, 3);
    ck_assert_ptr_null(node_known(last(), 0));
    ck_assert_ptr_null(node_known(last(), 5));
    ck_assert_ptr_nonnull(node_known(last(), 2));
    SILENT();
}
END_TEST

START_TEST(types_of_operands)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *s = input("s", type_of(DT_STRING, 0)), *i = input("i", type_of(DT_I32, 1, 3));
    NODE("Sqrt", "a", i);
    NODE("Add", "b", x, i);
    NODE("Relu", "c", s);
    NODE("Concat", "d", x, x, i, x);
    NODE("BitNot", "e", x);
    SAYS("burin: error: Sqrt (output 'a'): input 'x' ('i', int32[3]) must have one of the types float, float16, double, bfloat16\n"
         "burin: error: Add (output 'b'): input 'b' ('i', int32[3]) must have the same type as 'a' ('x', float[3]); insert a Cast\n"
         "burin: error: Relu (output 'c'): input 'x' ('s', string) must have one of the types float, uint8, int8, uint16, int16, "
         "int32, int64, float16, double, uint32, uint64, bfloat16\n"
         "burin: error: Concat (output 'd'): attribute 'axis' (int) is missing\n"
         "burin: error: Concat (output 'd'): input 'xs' ('i', int32[3]) must have the same type as 'xs' ('x', float[3]); "
         "insert a Cast\n"
         "burin: error: BitNot (output 'e'): it is not defined on float ('x')\n");
}
END_TEST

START_TEST(operands_that_must_be_known)
{
    Edge *x = input("x", type_of(DT_F32, 1, 4)), *i = input("i", type_of(DT_I64, 1, 2)), *big = input("big", type_of(DT_I64, 1, 2));
    Edge *sum = NODE("Add", "sum", ints("k", 2, 1, 2), NODE("Add", "i2", i, i));
    (void)big;
    NODE("Reshape", "y", x, sum);
    NODE("Reshape", "z", x, i);
    Edge *f = NODE("Sin", "f", floats("w", 1, 2.0));
    Attr to = attr_int(c, "to", DT_I64);
    NODE("Reshape", "u", x, with("Cast", "t", 1, &to, 1, f));
    SAYS("burin: error: Reshape (output 'y'): needs input 'shape' at compile time: it depends on graph input 'i'; make it a "
         "constant\n"
         "burin: error: Reshape (output 'z'): needs input 'shape' at compile time: it depends on graph input 'i'; make it a "
         "constant\n"
         "burin: error: Reshape (output 'u'): needs input 'shape' at compile time: it is computed by Sin (output 'f'), which is "
         "not evaluated at compile time; make it a constant\n");
}
END_TEST

START_TEST(poison_spreads_silently)
{
    Edge *p = build_poison(b, "p", (Loc){0}), *x = input("x", type_of(DT_F32, 1, 3));
    Edge *y = NODE("Add", "y", x, p), *z = NODE("Thrice", "z", y), *s = NODE("Shape", "s", z), *r = NODE("Refused", "r", s);
    ck_assert(edge_poisoned(y) && edge_poisoned(z) && edge_poisoned(s) && edge_poisoned(r));
    ck_assert_int_eq(b->nodes.n, 0);
    ck_assert_ptr_eq(build_cast(b, p, DT_F64), p);
    SILENT();
    with("Concat", "c", 0, NULL, 2, p, x);
    SAYS("burin: error: Concat (output 'c'): attribute 'axis' (int) is missing\n");
}
END_TEST

/* ---- types -------------------------------------------------------------------------------------------------------------------- */

START_TEST(broadcasting)
{
    Edge *a = input("a", type_of(DT_F32, 3, 2, 1, 4)), *v = input("v", type_of(DT_F32, 2, 3, 1)), *s = input("s", type_of(DT_F32, 0));
    IS(NODE("Add", "y1", a, v), "float[2,3,4]");
    IS(NODE("Add", "y2", v, a), "float[2,3,4]");
    IS(NODE("Add", "y3", s, a), "float[2,1,4]");
    IS(NODE("Add", "y4", s, s), "float");
    IS(NODE("Less", "y5", s, v), "bool[3,1]");
    ck_assert_ptr_eq(NODE("Add", "y6", s, a)->type.dims, a->type.dims);
    Edge *e = input("e", type_of(DT_F32, 2, 0, 1));
    ck_assert(edge_poisoned(NODE("Add", "y7", e, v)));
    SAYS("burin: error: Add (output 'y7'): the shape [3,1] of 'v' does not broadcast with [0,1] of 'e': counted from the right, "
         "dimensions must be equal or 1\n");
}
END_TEST

START_TEST(results_that_are_too_large)
{
    Edge *a = input("a", type_of(DT_F32, 4, 1 << 30, 1 << 30, 1, 1)), *v = input("v", type_of(DT_F32, 4, 1, 1, 1 << 30, 1));
    ck_assert(edge_poisoned(NODE("Add", "y", a, v)));
    SAYS("burin: error: Add (output 'y'): the result of shape [1073741824,1073741824,1073741824,1] has too many elements\n");
}
END_TEST

START_TEST(axes)
{
    Edge *x = input("x", type_of(DT_F32, 2, 2, 3)), *s = input("s", type_of(DT_F32, 0));
    Attr a = attr_int(c, "axis", 2), last_one = attr_int(c, "axis", -1);
    with("Concat", "y", 1, &a, 2, x, x);
    with("Concat", "z", 1, &a, 2, s, s);
    SAYS("burin: error: Concat (output 'y'): axis 2 is outside [-2, 1], the range for rank 2\n"
         "burin: error: Concat (output 'z'): axis 2: a scalar has no axis\n");
    IS(with("Concat", "w", 1, &last_one, 2, x, x), "float[2,6]");
    int axis = -7;
    ck_assert(node_axis(b, last(), 2, 2, true, &axis));
    ck_assert_int_eq(axis, 2);
    ck_assert(node_axis(b, last(), -2, 2, false, &axis));
    ck_assert_int_eq(axis, 0);
    ck_assert(node_axis(b, last(), 0, 0, true, &axis));
    ck_assert(!node_axis(b, last(), 3, 2, true, &axis));
    ck_assert(!node_axis(b, last(), INT64_MIN, 2, true, &axis));
}
END_TEST

/* ---- expansion ------------------------------------------------------------------------------------------------------------------ */

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
    Edge *h = input("h", type_of(DT_F16, 1, 3)), *f = input("f", type_of(DT_F32, 1, 3)), *g = input("g", type_of(DT_BF16, 1, 3));
    IS(NODE("Bias", "y", h), "float16[3]");
    names_are(last(), "Cast=y/1 Add=y/3 Cast=y");
    IS(last()->body[1]->out[0], "float[3]");
    IS(NODE("Bias2", "z", g), "bfloat16[3]");
    names_are(last(), "Cast=z/1 Add=z/3 Cast=z");
    IS(NODE("Bias", "w", f), "float[3]");
    names_are(last(), "Add=w");
    SILENT();
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

START_TEST(faults_of_entries_are_ours)
{
    ck_assert(stops(build_named, "Missing"));
    SAYS("burin: error: internal error: an expansion wants operator 'NoSuchOp', which is not in the table\n");
    ck_assert(stops(build_named, "Wrong"));
    SAYS("burin: error: internal error: the expansion of Wrong (output 'y_2') gives double[3] for output 0, inferred was float[3]\n");
    ck_assert(stops(build_named, "Void"));
    SAYS("burin: error: internal error: the expansion of Void (output 'y_3') gives no output 0\n");
}
END_TEST

/* A subgraph of two nodes, in two copies where it is chosen twice. */
static bool inlined(Build *bb, const Subgraph *g, Edge *const *in, Edge **out)
{
    (void)in;
    Edge *x = (Edge *)(uintptr_t)g->scope, *t, *y;
    const char *names[] = {"t", "r"};
    NodeSpec s = {.op = "Relu", .nin = 1, .in = &x, .nout = 1, .out = &names[0]}, u = {.op = "Thrice", .nin = 1, .in = &t, .nout = 1,
                  .out = &names[1]};
    build_node(bb, &s, &t);
    build_node(bb, &u, &y);
    out[0] = y;
    return true;
}

START_TEST(graphs_are_spliced)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *cond = build_scalar(b, DT_BOOL, 1);
    Subgraph g = {.nouts = 1, .inlined = inlined, .scope = x};
    Attr a[] = {{.name = "then_branch", .kind = ATTR_GRAPH, .graph = &g}, {.name = "else_branch", .kind = ATTR_GRAPH, .graph = &g}};
    Edge *y = with("If", "y", 2, a, 1, cond), *z = with("If", "z", 2, a, 1, cond);
    ck_assert_int_eq(b->nodes.n, 4);
    ck_assert_ptr_eq(y->from, b->nodes.at[1]);
    ck_assert_str_eq(b->nodes.at[0]->out[0]->name, "t");
    ck_assert_str_eq(b->nodes.at[2]->out[0]->name, "t_2");
    ck_assert_str_eq(y->name, "y");
    ck_assert_str_eq(z->name, "z");
    ck_assert_int_eq(b->depth, 0);
    with("If", "w", 2, a, 1, input("q", type_of(DT_BOOL, 0)));
    SAYS("burin: error: If (output 'w'): needs input 'cond' at compile time: it depends on graph input 'q'; make it a constant\n");
}
END_TEST

/* ---- evaluation ------------------------------------------------------------------------------------------------------------------ */

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
    Edge *x = input("x", type_of(DT_F32, 3, 2, 5, 7)), *v = floats("v", 3, 1.0, -2.0, 4.0), *s = build_scalar(b, DT_F32, 0.5);
    floats_are(NODE("Add", "a", v, s), 3, 1.5, -1.5, 4.5);
    floats_are(NODE("Relu", "r", v), 3, 1.0, 0.0, 4.0);
    floats_are(NODE("Less", "l", v, s), 3, 0.0, 1.0, 0.0);
    floats_are(NODE("Shape", "sh", x), 3, 2.0, 5.0, 7.0);
    floats_are(NODE("Thrice", "t", v), 3, 3.0, 0.0, 12.0);
    floats_are(NODE("Double", "d", v), 3, 2.0, -4.0, 8.0);
    Attr axis = attr_int(c, "axis", 0);
    floats_are(with("Concat", "c", 1, &axis, 3, v, s->type.rank ? s : v, v), 9, 1.0, -2.0, 4.0, 1.0, -2.0, 4.0, 1.0, -2.0, 4.0);
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
    Edge *small = NODE("Relu", "y", build_const(b, "t", t, (Loc){0})), *large = NODE("Relu", "z", build_const(b, "u", u, (Loc){0}));
    ck_assert_ptr_nonnull(small->data);
    ck_assert_ptr_null(large->data);
    const Tensor *out[1];
    ck_assert(!node_eval(b, large->from, 4099, out));
    ck_assert(node_eval(b, large->from, 4100, out));
    ck_assert_int_eq(type_count(out[0]->type), 1025);
}
END_TEST

START_TEST(narrow_types_are_evaluated)
{
    static const uint16_t h[] = {0x3C00, 0x4000};                    /* 1, 2 */
    static const uint8_t packed[] = {0x21, 0x03};
    Edge *x = build_const(b, "x", tensor_of(c, type_of(DT_F16, 1, 2), h, 4), (Loc){0});
    floats_are(NODE("Add", "y", x, x), 2, 2.0, 4.0);
    floats_are(NODE("Bias", "z", x), 2, 1.099609375, 2.099609375);
    Edge *q = build_const(b, "q", tensor_of(c, type_of(DT_U4, 1, 3), packed, 2), (Loc){0}), *r = NODE("Identity", "i", q);
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
    Edge *y = NODE("Add", "y", e, e), *z = with("Concat", "z", 1, &axis, 2, e, y), *r = NODE("Reshape", "r", z, ints("k", 1, 0));
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

/* ---- names ---------------------------------------------------------------------------------------------------------------------- */

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

/* ---- size ------------------------------------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { MANY = 100000 };

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
    Suite *s = suite_create("build");
    TCase *t = tcase_create("build");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, teardown);
    static const TTest *const *const tests[] = {
        &the_version_follows_the_import, &unknown_operators_are_told_once, &domains_must_be_imported, &many_unknown_operators,
        &attributes_in_order_with_defaults, &faulty_attributes, &attributes_of_other_versions, &numbers_of_operands,
        &operands_are_padded, &types_of_operands, &operands_that_must_be_known, &poison_spreads_silently, &broadcasting,
        &results_that_are_too_large, &axes, &a_body_is_named_after_the_node, &a_body_may_be_empty, &wide_expansions_round_once,
        &expansions_end, &faults_of_entries_are_ours, &graphs_are_spliced, &what_is_known_is_evaluated, &large_results_are_not,
        &narrow_types_are_evaluated, &nothing_is_evaluated_too, &constants_within_expansions_are_folded, &names_are_unique,
        &a_long_chain, &a_wide_graph, &a_long_chain_of_constants,
    };
    for (int i = 0; i < COUNT(tests); i++)
        tcase_add_test(t, *tests[i]);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
