/* Unit tests of the reader of ONNX binary: models, types, nodes and attributes of every kind, subgraphs, functions, and
 * what is said of faults. Models are written as text (onnx_write.h); what they become is compared as graph text. */
#include "onnx_read.h"

/* ---- models ---------------------------------------------------------------------------------------------------- */

START_TEST(models)
{
    Job job = read_text("1:9 2\"p\\\"q\" 3\"1.0\" 4\"dom\" 5:4 6\"doc\" 8{1\"\" 2:17} 8{1\"ai.onnx.ml\" 2:3} "
        "14{1\"k\" 2\"v\"} "
                   "14{1\"l\" 2\"\"} 99:5 98\"unknown\" 7{2\"net/1\" " IN("x") OUT("y") NODE("n", "Neg", I("x"),
                       O("y"), "") "}");
    const Meta *meta = job.m->meta;
    ck_assert(job.g && !c->errors && meta->ir_version == 9 && meta->model_version == 4 && meta->nopsets == 2 &&
        meta->nprops == 2);
    ck_assert_str_eq(meta->producer_name, "p\"q");
    ck_assert_str_eq(meta->producer_version, "1.0");
    ck_assert_str_eq(meta->domain, "dom");
    ck_assert_str_eq(meta->doc_string, "doc");
    ck_assert_str_eq(meta->opsets[1].domain, "ai.onnx.ml");
    ck_assert_str_eq(meta->props[0].value, "v");
    ck_assert_str_eq(job.g->name, "net/1");
    ck_assert_int_eq(c->warnings, 0);
    becomes(MODEL(IN("x") OUT("y") NODE("n", "Neg", I("x"), O("y"), "")),
        "g (float[2] x) => (float[2] y)\n{\n   [n] y = Neg (x)\n}\n");
    becomes(MODEL(IN("gr\xC3\xB6\xC3\x9F e") OUT("/a:0") NODE("", "Neg", I("gr\xC3\xB6\xC3\x9F e"), O("/a:0"), "")),
            "g (float[2] \"gr\xC3\xB6\xC3\x9F e\") => (float[2] \"/a:0\")\n{\n   \"/a:0\" = Neg (\"gr\xC3\xB6\xC3\x9F "
                "e\")\n}\n");
    becomes(MODEL(IN("x") OUT("x")), "g (float[2] x) => (float[2] x)\n{\n}\n");
    becomes(MODEL(IN("x") OUT("y") "1{1\"x\" 1\"\" 1\"x\" 2\"y\" 4\"Attrs\" 7\"ai.onnx\" 6\"doc\"}"),
            "g (float[2] x) => (float[2] y)\n{\n   y = Attrs (x, \"\", x)\n}\n");
    becomes(MODEL(IN("x") OUT("y") "1{1\"x\" 2\"y\" 4\"Same\" 7\"com.acme\"}")
        "8{1\"com.acme\" 2:1} 8{1\"unused\" 2:77}",
            "g (float[2] x) => (float[2] y)\n{\n   y = com.acme.Same (x)\n}\n");
}
END_TEST

START_TEST(versions)
{
    for (int ir = 1; ir <= 14; ir++) {
        int opset = ir < 3 ? 1 : 2 * ir;
        const char *import = ir < 3 ? "" : internf(c, "8{1\"\" 2:%d}", opset);
        Job job = read_text(internf(c, "1:%d %s 7{2\"g\" " IN("x") OUT("y") NODE("", "Neg", I("x"), O("y"), "") "}",
            ir, import));
        ck_assert_msg(job.g && !c->errors && job.m->opsets_stated, "%s", said());
        ck_assert_int_eq(job.m->meta->opsets[0].version, opset);
    }
    ck_assert_int_eq(c->warnings, 0);
    for (int ir = 15; ir < 200; ir += 84) {
        ck_assert(read_text(internf(c, "1:%d 8{2:17} 7{2\"g\" " IN("x") OUT("x") "}", ir)).g != NULL);
        ck_assert_ptr_nonnull(strstr(said(), internf(c, "m: warning: the model is of IR version %d", ir)));
    }
    ck_assert(read_text("1:8 7{2\"g\" " IN("x") OUT("y") NODE("", "Neg", I("x"), O("y"), "") "}").g != NULL);
    ck_assert_ptr_nonnull(strstr(said(), "m: warning: the model has no opset_import"));
    refused("1:8 8{1\"\" 2:4} 7{2\"g\" " IN("x") OUT("y") NODE("", "Late", I("x"), O("y"), "") "}", "opset");
    refused("8{2:4} 8{1\"ai.onnx\" 2:5} 7{}", "domain \"\" is imported twice, as 4 and 5");
    ck_assert(read_text("8{2:4} 8{1\"ai.onnx\" 2:4} 7{}").m->meta->nopsets == 1);
}
END_TEST

/* ---- types ----------------------------------------------------------------------------------------------------- */

static const char *type_of(const char *type)
{
    Job job = read_text(internf(c, "7{11{1\"x\" 2{%s}}}", type));
    ck_assert(job.m->graph && job.m->graph->nins == 1);
    return mtype_text(c, job.m->graph->ins[0].type);
}

START_TEST(types)
{
    static const struct { const char *type, *text; } cases[] = {
        {"1{1:1 2{}}", "float"}, {"1{1:1}", "float[]"}, {"1{1:7 2{1{1:3} 1{2\"N\"} 1{} 1{2\"?\"} 1{2\"\"} 1{1:-1} "
            "1{3\"denoted\"}}}",
        "int64[3,N,?,?,?,?,?]"}, {"1{1:1 2{1{1:0}}} 6\"IMAGE\"", "float[0]"}, {"4{1{1{1:1 2{1{1:2}}}}}",
            "seq(float[2])"},
        {"9{1{4{1{1{1:11}}}}}", "optional(seq(double[]))"}, {"5{1:8 2{1{1:1 2{}}}}", "map(string, float)"},
        {"8{1:1 2{1{1:8}}}", "sparse_tensor(float[8])"}, {"7{1\"a.b\" 2\"c\"}", "opaque(a.b,c)"}, {"1{}", "no type"},
            {"", "no type"},
        {"4{}", "no type"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        ck_assert_str_eq(type_of(cases[i].type), cases[i].text);
    for (int dt = 1; dt < DT_COUNT; dt++)
        ck_assert_str_eq(type_of(internf(c, "1{1:%d 2{}}", dt)), dtype_name((DType)dt));
    refused("7{11{1\"x\" 2{1{1:27 2{}}}}}", "'x' is of element type 27, which is not known");
    refused("7{11{1\"x\" 2{1{1:-1 2{}}}}}", "'x' is of element type -1");
    refused("7{11{1\"x\" 2{1{1:1 2{1{1:-2}}}}}}", "'x' has a dimension of -2");
    refused("7{11{1\"x\" 2{1{1:1 2{1{1:4611686018427387904} 1{1:2}}}}}}", "has more than 2^40 elements");
    refused("7{11{1\"x\" 2{1{1:1 2{1{2\"batch\"}}}}}}", "m: error: input 'x': dimension 'batch' of float[batch] has "
        "no size: give it with -D batch=SIZE");
    refused("7{11{1\"x\" 2{1{1:1 2{1{}}}}}}", "dimension 0 of float[?] is unknown");
}
END_TEST

START_TEST(symbols)
{
    static const Bind bind = {"N", 2};
    static const int64_t dims[] = {2};
    static const ShapeOption shape = {"z", 1, dims};
    static const ReadOptions options = {1, 1, 0, &bind, &shape, NULL, NULL};
    Job job = {.f = onnx_of(c, MODEL("11" VALUE("x", TENSOR_TYPE("1", "1{2\"N\"}")) "11" VALUE("z", TENSOR_TYPE("1",
        "1{1:-1}"))
                                         "12{1\"y\"}" NODE("", "Add", I("x") I("z"), O("y"), ""))), .o = &options};
    ck_assert(ctx_run(c, read_job, &job) && job.g && !c->errors);
    ck_assert_ptr_nonnull(strstr(text_of(c, print_graph, job.g), "g (float[2] x, float[2] z) => (float[2] y)"));
}
END_TEST

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

START_TEST(attributes)
{
    const MNode *n = read_text(MODEL(NODE("n", "Op", "", O("y"),
        A("f", "1", "2=1.5") A("i", "2", "3:-7") A("s", "3", "4\"text\"") A("t", "4", "5{1:2 2:6 5[1 -2]}")
        A("g", "5", "6{2\"sub\"}") A("fs", "6", "7=1 7=2.5 7(3 4)") A("is", "7", "8:1 8:-2 8[3 300]")
        A("ss", "8", "9\"a\" 9\"\"") A("ts", "9", "10{2:1 4(7)} 10{1:0 2:1}")
        A("gs", "10", "11{2\"one\"} 11{2\"two\"}") A("sp", "11", "22{1{1:1 2:1 4(5)} 2{1:1 2:7 7[1]} 3:3}")
        A("tp", "13", "14{" FLOAT2 "}") A("tps", "14", "15{" FLOAT2 "} 15{4{1{" FLOAT2 "}}}")
        A("sps", "12", "23{1{1:0 2:1} 3:2}") A("zero", "2", "") A("none", "7", "") A("nothing", "3", "")
        "5{1\"old f\" 2=2} 5{1\"old i\" 3:0} 5{1\"old s\" 4\"\"} 5{1\"old is\" 8:4} 5{1\"ref\" 21\"al\" 20:2}"
        "5{1\"ref2\" 21\"al\"}"))).m->graph->nodes[0];
    static const AttrKind kinds[] = {
        ATTR_FLOAT, ATTR_INT, ATTR_STRING, ATTR_TENSOR, ATTR_GRAPH, ATTR_FLOATS, ATTR_INTS, ATTR_STRINGS,
        ATTR_TENSORS, ATTR_GRAPHS, ATTR_SPARSE, ATTR_TYPE, ATTR_TYPES, ATTR_SPARSES, ATTR_INT, ATTR_INTS, ATTR_STRING,
        ATTR_FLOAT, ATTR_INT, ATTR_STRING, ATTR_INTS, ATTR_INT, (AttrKind)0,
    };
    const MAttr *a = n->attrs;
    ck_assert_int_eq(n->nattrs, COUNT(kinds));
    for (int i = 0; i < COUNT(kinds); i++)
        ck_assert_msg(a[i].a.kind == kinds[i], "%s: %d", a[i].a.name, a[i].a.kind);
    ck_assert(a[0].a.f == 1.5f && a[1].a.i == -7 && !strcmp(a[2].a.s, "text"));
    ck_assert_str_eq(text_of(c, print_tensor, a[3].a.tensor), " int32[2] = 1 -2\n");
    ck_assert(!strcmp(a[4].graphs[0]->name, "sub") && a[4].a.n == 1);
    ck_assert(a[5].a.n == 4 && a[5].a.floats[1] == 2.5f && a[5].a.floats[3] == 4);
    ck_assert(a[6].a.n == 4 && a[6].a.ints[1] == -2 && a[6].a.ints[3] == 300);
    ck_assert(a[7].a.n == 2 && !strcmp(a[7].a.strings[0], "a") && !*a[7].a.strings[1]);
    ck_assert_str_eq(text_of(c, print_tensor, a[8].a.tensors[0]), " float = 7\n");
    ck_assert(a[8].a.n == 2 && a[8].a.tensors[1]->bytes == 0 && a[9].a.n == 2 && !strcmp(a[9].graphs[1]->name, "two"));
    ck_assert_str_eq(text_of(c, print_tensor, a[10].a.tensor), " float[3] = 0 5 0\n");
    ck_assert(!strcmp(mtype_text(c, a[11].a.type), "float[2]") && !strcmp(mtype_text(c, a[12].types[1]),
        "seq(float[2])"));
    ck_assert_str_eq(text_of(c, print_tensor, a[13].a.tensors[0]), " float[2] = 0 0\n");
    ck_assert(a[14].a.i == 0 && a[15].a.n == 0 && !*a[16].a.s && a[17].a.f == 2 && a[20].a.ints[0] == 4 &&
        !strcmp(a[21].ref, "al"));
}
END_TEST

START_TEST(bad_attributes)
{
    static const struct { const char *attr, *message; } cases[] = {
        {A("k", "15", "3:1"), "node 'n' (Op): attribute 'k' is of type 15, which is not known"},
        {A("k", "2", "2=1"), "attribute 'k' is said to hold an int, but holds a float"},
        {A("k", "4", ""), "attribute 'k' is said to hold a tensor, but holds nothing"},
        {"5{1\"k\"}", "attribute 'k' has neither type nor value"},
        {A("k", "4", "5{1:2 2:1 4(1)}"), "node 'n' (Op): the constant: float[2] takes 2 values, but its float_data "
            "has 1"},
        {A("k", "9", "10{2:77}"), "the constant is of element type 77"},
        {A("k", "7", "8/80/"), "attribute 'k' holds ints that cannot be read"},
        {A("k", "7", "8/FFFFFFFFFFFFFFFFFFFF01/"), "attribute 'k' holds ints that cannot be read"},
        {A("k", "6", "7/0000/"), "attribute 'k' holds floats of 2 bytes in all"},
        {A("k", "3", "4/610062/"), "a string of an attribute with a NUL byte"},
        {A("k", "13", "14{1{1:99}}"), "'k' is of element type 99"},
        {"5{1\"\xFF\" 3:1}", "an attribute's name that is not valid UTF-8"},
        {"5{1\"k\" 3=1}", "an attribute cannot be read at byte"},
        {"5{1\"k\" 2:1}", "wrong wire type"},
        {"5{1:5}", "wrong wire type"},
        {"5{1\"k\" 8=1}", "wrong wire type"},
        {"5{1\"k\" 7:1}", "wrong wire type"},
        {"5{1\"k\" 5:1}", "wrong wire type"},
        {"5{!2B!}", "cannot be read"},
        {"5{!00!}", "cannot be read"},
        {"5{!0A05!}", "cannot be read"},
        {"5:3", "a node cannot be read at byte"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        refused(internf(c, "7{1{3\"n\" 4\"Op\" %s}}", cases[i].attr), cases[i].message);
}
END_TEST

#define BRANCH(name, out, nodes) "{2\"" name "\" 12{1\"" out "\"} " nodes "}"

START_TEST(subgraphs)
{
    becomes(MODEL(IN("x") "12{1\"y\"} 5{1:1 2:1 4(3) 8\"k\"} 5{2:9 5:1 8\"c\"}"
                  NODE("if", "If", I("c"), O("y"), A("then_branch", "5", "6" BRANCH("t", "a", "5{2:1 4(1) 8\"one\"}"
                       NODE("", "Add", I("x") I("one"), O("a"), ""))) A("else_branch", "5", "6" BRANCH("e", "a",
                           NODE("", "Neg", I("k"), O("a"), ""))))),
            "g (float[2] x) => (float[2] y)\n   <float \"y/one\" = {1}>\n{\n   y = Add (x, \"y/one\")\n}\n");
    becomes(MODEL(IN("x") OUT("y") NODE("t", "Twice", I("x"), O("y"), A("body", "5", "6{2\"h\" 11{1\"p\"} 12{1\"q\"}"
                  NODE("", "Neg", I("p"), O("q"), "") "}"))),
            "g (float[2] x) => (float[2] y)\n{\n   \"y/q\" = Neg (x)\n   y = Neg (\"y/q\")\n}\n");
    refused(MODEL(IN("x") OUT("y") NODE("t", "Twice", I("x"), O("y"), A("body", "5", "6{2\"h\" 11{1\"p\"} 12{1\"q\"}"
                  NODE("in", "Neg", I("w"), O("q"), "") "}"))), "m: error: node 'in' (Neg): 'w' is not defined");
}
END_TEST

START_TEST(functions)
{
    static const char f[] = "25{1\"f\" 10\"d\" 4\"a\" 4\"o\" 5\"b\" 6\"al\" 11{1\"be\" 20:2 3:5} 9{1\"\" 2:17} 13\"v\""
                            "7{1\"a\" 1\"o\" 2\"b\" 4\"Attrs\" 5{1\"f\" 20:1 21\"al\"} 5{1\"i\" 20:2 21\"be\"}}}";
    const char *call = MODEL(IN("x") OUT("y") "1{1\"x\" 2\"y\" 4\"f\" 7\"d\" 8\"v\" 5{1\"al\" 20:1 2=3}}")
        "8{1\"d\" 2:1}";
    becomes(internf(c, "%s %s", call, f), "g (float[2] x) => (float[2] y)\n{\n   y = Attrs <f: float = 3, i: int = 5> "
        "(x)\n}\n");
    refused(call, "node 'y' (f): ");
    refused(internf(c, "%s 25{1\"f\" 10\"d\" 4\"a\" 5\"b\" 13\"v\" 7{1\"w\" 2\"b\" 3\"in\" 4\"Neg\"}}", call),
        "m: error: node 'in' (Neg): 'w' is not defined");
    ck_assert_ptr_nonnull(strstr((read_text(internf(c, "%s %s %s", call, f, f)), said()),
                                 "m: error: function 'f': function 'f' is defined twice"));
}
END_TEST

START_TEST(diagnostics)
{
    refused(MODEL(IN("x") OUT("y") NODE("n 1", "Neg", I("z"), O("y"), "")),
        "m: error: node 'n 1' (Neg): 'z' is not defined");
    refused(MODEL(IN("x") OUT("y") NODE("", "Nag", I("x"), O("y"), "")),
        "m: error: node 'y' (Nag): operator 'Nag' is not known");
    refused(MODEL(IN("x") OUT("y") NODE("a", "Neg", I("x"), O("y"), "") NODE("b", "Neg", I("x"), O("y"), "")),
            "m: error: node 'b' (Neg): 'y' is defined twice");
    refused(MODEL(IN("x") IN("x") OUT("x")), "m: error: input 'x' is defined twice");
    refused(MODEL(IN("x") OUT("w") "5{2:1 4(1) 8\"w\"} 5{2:1 4(2) 8\"w\"}"), "m: error: 'w' is defined twice");
    refused(MODEL(IN("x") OUT("nowhere")), "m: error: output 'nowhere' is not defined by any node");
    refused(MODEL(IN("x") OUT("y") NODE("a", "Add", I("x") I("z"), O("y"), "") NODE("b", "Neg", I("y"), O("z"), "")),
        "is used before it is defined");
    refused(MODEL(IN("x") OUT("y") NODE("a", "Add", I("x") I("y"), O("y"), "")), "none may depend on itself");
    refused("", "m: error: the model has no graph");
    refused("1:8", "the model has no graph");
    refused("1=8 7{}", "the model cannot be read at byte 1 (wrong wire type)");
    refused("7:1", "wrong wire type");
    refused("7{5{1=3 2:1}}", "a constant cannot be read");
    refused("7{11{1\"x\" 2{1{1:1 2{1{1\"x\"}}}}}}", "a dimension cannot be read");
    refused("7{2/610062/}", "a graph's name with a NUL byte");
    refused("14{1\"\xED\xA0\x80\" 2\"v\"} 7{}", "a key that is not valid UTF-8");
}
END_TEST

/* Writers need not sort: what can be put into an order is. */
START_TEST(order)
{
    becomes(MODEL(IN("x") OUT("y") NODE("", "Neg", I("b"), O("y"), "") NODE("", "Neg", I("x"), O("a"), "") NODE("",
        "Add", I("a") I("x"), O("b"), "")),
            "g (float[2] x) => (float[2] y)\n{\n   a = Neg (x)\n   b = Add (a, x)\n   y = Neg (b)\n}\n");
    becomes(MODEL(IN("x") OUT("y") NODE("", "Twice", I("x"), O("y"), A("body", "5", "6{2\"h\" 11{1\"p\"} 12{1\"q\"}"
        NODE("", "Add", I("p") I("late"), O("q"), "") "}"))
                  NODE("", "Neg", I("x"), O("late"), "")),
            "g (float[2] x) => (float[2] y)\n{\n   late = Neg (x)\n   \"y/q\" = Add (x, late)\n   y = Add (\"y/q\", "
                "late)\n}\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        models, versions, types, symbols, attributes, bad_attributes, subgraphs, functions, diagnostics, order,
    };
    return RUN("onnx", setup, context_free, tests);
}
