/* Unit tests of the node builder: versions, attributes, operands, types. */
#include "graph_ops.h"

/* ---- versions, unknown operators --------------------------------------------------------------------------------- */

static void import(const char *domain, int64_t version)
{
    Opset *o = NEW(c, Opset);
    *o = (Opset){domain, version};
    b = build_new(c, 1, o);
}

#define ADVICE "burin: note: burin ops lists the operators that are known; express others with those: export the model " \
    "anew without them, or give each a body as a local function of the model\n"

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
         "burin: error: operator 'Completely_else' is not known (opset 17, 1 node)\n"
         ADVICE);
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
         "burin: error: opset_import lacks domain \"\", which 1 node uses: add \"\" : VERSION to it\n"
         ADVICE);
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

/* ---- attributes -------------------------------------------------------------------------------------------------- */

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

START_TEST(places_that_name_the_node)
{
    static const Source src = {"m.onnx", NULL, 0};
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *y;
    Loc loc = {.src = &src, .what = "node 'n' (Attrs)"};
    Attr a[] = {attr_float(c, "i", 1), attr_int(c, "zzz", 1)};
    a[0].loc = a[1].loc = loc;
    const char *out = "y";
    NodeSpec s = {.op = "Attrs", .nin = 1, .in = &x, .nout = 1, .out = &out, .nattrs = 2, .attrs = a, .loc = loc};
    build_node(b, &s, &y);
    s.nattrs = 0;
    build_node(b, &s, &y);
    SAYS("m.onnx: error: node 'n' (Attrs): attribute 'i' must be of type int, not float\n"
         "m.onnx: warning: node 'n' (Attrs): attribute 'zzz' is not known and is ignored\n"
         "m.onnx: error: node 'n' (Attrs): attribute 'i' (int) is missing\n");
}
END_TEST

START_TEST(too_many_attributes)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    Attr *a = NEW_N(c, Attr, 1001);
    for (int i = 0; i < 1001; i++)
        a[i] = attr_int(c, internf(c, "attribute_%d", i), 1);
    with("Relu", "y", 1001, a, 1, x);
    ck_assert_ptr_nonnull(strstr(said(), "error: Relu (output 'y'): it has 1001 attributes, at most 1000 are taken\n"));
}
END_TEST

/* ---- operands ---------------------------------------------------------------------------------------------------- */

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
    Edge *x = input("x", type_of(DT_F32, 1, 3)), *s = input("s", type_of(DT_STRING, 0)),
         *i = input("i", type_of(DT_I32, 1, 3));
    NODE("Sqrt", "a", i);
    NODE("Add", "b", x, i);
    NODE("Relu", "c", s);
    NODE("Concat", "d", x, x, i, x);
    NODE("BitNot", "e", x);
    SAYS("burin: error: Sqrt (output 'a'): input 'x' ('i', int32[3]) must have one of the types float, float16, "
         "double, bfloat16\n"
         "burin: error: Add (output 'b'): input 'b' ('i', int32[3]) must have the same type as 'a' ('x', float[3]); "
         "insert a Cast\n"
         "burin: error: Relu (output 'c'): input 'x' ('s', string) must have one of the types float, uint8, int8, "
         "uint16, int16, "
         "int32, int64, float16, double, uint32, uint64, bfloat16\n"
         "burin: error: Concat (output 'd'): attribute 'axis' (int) is missing\n"
         "burin: error: Concat (output 'd'): input 'xs' ('i', int32[3]) must have the same type as 'xs' ('x', "
         "float[3]); "
         "insert a Cast\n"
         "burin: error: BitNot (output 'e'): it is not defined on float ('x')\n");
}
END_TEST

START_TEST(operands_that_must_be_known)
{
    Edge *x = input("x", type_of(DT_F32, 1, 4)), *i = input("i", type_of(DT_I64, 1, 2)),
         *big = input("big", type_of(DT_I64, 1, 2));
    Edge *sum = NODE("Add", "sum", ints("k", 2, 1, 2), NODE("Add", "i2", i, i));
    (void)big;
    NODE("Reshape", "y", x, sum);
    NODE("Reshape", "z", x, i);
    Edge *f = NODE("Sin", "f", floats("w", 1, 2.0));
    Attr to = attr_int(c, "to", DT_I64);
    NODE("Reshape", "u", x, with("Cast", "t", 1, &to, 1, f));
    SAYS("burin: error: Reshape (output 'y'): needs input 'shape' at compile time: it depends on graph input 'i'; make "
         "it a "
         "constant\n"
         "burin: error: Reshape (output 'z'): needs input 'shape' at compile time: it depends on graph input 'i'; make "
         "it a "
         "constant\n"
         "burin: error: Reshape (output 'u'): needs input 'shape' at compile time: it is computed by Sin (output 'f'), "
         "which is "
         "not evaluated at compile time; make it a constant\n");
}
END_TEST

START_TEST(poison_spreads_silently)
{
    Edge *p = build_poison(b, "p", (Loc){0}), *x = input("x", type_of(DT_F32, 1, 3));
    Edge *y = NODE("Add", "y", x, p), *z = NODE("Thrice", "z", y), *s = NODE("Shape", "s", z),
         *r = NODE("Refused", "r", s);
    ck_assert(edge_poisoned(y) && edge_poisoned(z) && edge_poisoned(s) && edge_poisoned(r));
    ck_assert_int_eq(b->nodes.n, 0);
    ck_assert_ptr_eq(build_cast(b, p, DT_F64), p);
    SILENT();
    with("Concat", "c", 0, NULL, 2, p, x);
    SAYS("burin: error: Concat (output 'c'): attribute 'axis' (int) is missing\n");
}
END_TEST

/* ---- types ------------------------------------------------------------------------------------------------------- */

START_TEST(broadcasting)
{
    Edge *a = input("a", type_of(DT_F32, 3, 2, 1, 4)), *v = input("v", type_of(DT_F32, 2, 3, 1)),
         *s = input("s", type_of(DT_F32, 0));
    IS(NODE("Add", "y1", a, v), "float[2,3,4]");
    IS(NODE("Add", "y2", v, a), "float[2,3,4]");
    IS(NODE("Add", "y3", s, a), "float[2,1,4]");
    IS(NODE("Add", "y4", s, s), "float");
    IS(NODE("Less", "y5", s, v), "bool[3,1]");
    ck_assert_ptr_eq(NODE("Add", "y6", s, a)->type.dims, a->type.dims);
    Edge *e = input("e", type_of(DT_F32, 2, 0, 1));
    ck_assert(edge_poisoned(NODE("Add", "y7", e, v)));
    SAYS("burin: error: Add (output 'y7'): the shape [3,1] of 'v' does not broadcast with [0,1] of 'e': counted from "
         "the right, "
         "dimensions must be equal or 1\n");
}
END_TEST

START_TEST(results_that_are_too_large)
{
    Edge *a = input("a", type_of(DT_F32, 4, 1 << 20, 1 << 20, 1, 1)),
         *v = input("v", type_of(DT_F32, 4, 1, 1, 1 << 20, 1));
    ck_assert(edge_poisoned(NODE("Add", "y", a, v)));
    SAYS("burin: error: Add (output 'y'): the result of shape [1048576,1048576,1048576,1] has too many "
         "elements\n");
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

int main(void)
{
    const TTest *const tests[] = {
        the_version_follows_the_import, unknown_operators_are_told_once, domains_must_be_imported,
        many_unknown_operators, attributes_in_order_with_defaults, faulty_attributes, attributes_of_other_versions,
        places_that_name_the_node, too_many_attributes, numbers_of_operands, operands_are_padded, types_of_operands,
        operands_that_must_be_known, poison_spreads_silently, broadcasting, results_that_are_too_large, axes,
    };
    return RUN("build", setup, context_free, tests);
}
