/* Unit tests of the graph as data: its printed form, liveness, rewriting, inlining, checking. */
#include "graph_ops.h"

static const char *printed(const Graph *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    graph_print(f, c, g);
    fclose(f);
    const char *s = intern(c, text);
    free(text);
    return s;
}

#define HEAD "<\n   ir_version: 8,\n   opset_import: [\"\" : 17]\n>\n"
#define PRINTS(g, expected) ck_assert_str_eq(printed(g), expected)

static const char *node_list(const Graph *g)
{
    const char *s = "";
    for (int i = 0; i < g->nnodes; i++)
        s = internf(c, "%s%s%s=%s", s, i ? " " : "", g->nodes[i]->sig->name, g->nodes[i]->out[0]->name);
    return s;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

START_TEST(a_graph_is_printed)
{
    Edge *x = input("x", type_of(DT_F32, 2, 2, 3)), *s = input("s", type_of(DT_I64, 0)),
         *w = floats("w", 3, 0.5, -1.0, 2.0);
    Edge *y = NODE("Add", "y", x, w), *z = NODE("Reshape", "z", y, ints("shape", 2, 3, 2));
    (void)s;
    PRINTS(graph_of(LIST(x, s), LIST(z)),
           HEAD "g (float[2,3] x, int64 s) => (float[3,2] z)\n"
           "   <float[3] w = {0.5,-1,2},\n"
           "    int64[2] shape = {3,2}>\n"
           "{\n"
           "   y = Add (x, w)\n"
           "   z = Reshape (y, shape)\n"
           "}\n");
}
END_TEST

START_TEST(the_header_is_printed)
{
    static const Opset opsets[] = {{"ai.onnx", 17}, {"com.acme", 3}};
    static const Pair props[] = {{"k", "v \"1\""}, {"l", ""}};
    static const Meta meta = {.ir_version = 9,
                              .model_version = 4,
                              .producer_name = "p\\q",
                              .producer_version = "",
                              .domain = "d",
                              .doc_string = "two\nlines",
                              .nopsets = 2,
                              .opsets = opsets,
                              .nprops = 2,
                              .props = props};
    Edge *x = input("x", type_of(DT_F32, 0));
    Graph *g = graph_of(LIST(x), LIST(x));
    g->meta = &meta;
    g->name = "9 lives";
    PRINTS(g, "<\n   ir_version: 9,\n   opset_import: [\"\" : 17, \"com.acme\" : 3],\n   producer_name: \"p\\\\q\",\n"
              "   domain: \"d\",\n   model_version: 4,\n   doc_string: \"two\nlines\",\n"
              "   metadata_props: [\"k\": \"v \\\"1\\\"\", \"l\": \"\"]\n>\n"
              "\"9 lives\" (float x) => (float x)\n{\n}\n");
}
END_TEST

START_TEST(opsets_follow_the_nodes)
{
    /* since 18: newer than the model's */
    Edge *x = input("x", type_of(DT_I32, 1, 3)), *r = NODE("BitNot", "r", x), *t;
    const char *out = "t";
    NodeSpec s = {.domain = "com.acme", .op = "Twin", .nin = 1, .in = &x, .nout = 1, .out = &out};
    build_node(b, &s, &t);
    Graph *g = graph_of(LIST(x), LIST(r, t));
    ck_assert_ptr_nonnull(strstr(printed(g), "opset_import: [\"\" : 28, \"com.acme\" : 2]"));
    ck_assert_ptr_nonnull(strstr(printed(g), "   t = com.acme.Twin (x)\n"));
    g->meta = NULL;
    ck_assert_ptr_nonnull(strstr(printed(g), "opset_import: [\"\" : 28, \"com.acme\" : 2]"));
    g = graph_of(LIST(x), LIST(x));
    g->nnodes = 0;
    g->meta = NULL;
    ck_assert_ptr_nonnull(strstr(printed(g), "opset_import: [\"\" : 28]"));
}
END_TEST

START_TEST(names_are_quoted_where_they_must)
{
    Edge *x = input("/in/x.1", type_of(DT_F32, 0)), *no = NULL, *y;
    const char *out = "a \"b\" \\";
    NodeSpec s = {.op = "Relu", .name = "node 1", .nin = 1, .in = &x, .nout = 1, .out = &out};
    build_node(b, &s, &y);
    const char *outs[] = {"", "_w9"};
    Edge *both[2], *in[] = {y, no};
    NodeSpec u = {.op = "Both", .name = "n", .nin = 2, .in = in, .nout = 2, .out = outs};
    build_node(b, &u, both);
    Edge *third = NODE("Many", "0", both[1], both[1], both[1]);
    PRINTS(graph_of(LIST(x), LIST(third)), HEAD
           "g (float \"/in/x.1\") => (float \"0\")\n{\n"
           "   [\"node 1\"] \"a \\\"b\\\" \\\\\" = Relu (\"/in/x.1\")\n"
           "   [n] \"\", _w9 = Both (\"a \\\"b\\\" \\\\\")\n"
           "   \"0\" = Many (_w9, _w9, _w9)\n}\n");
}
END_TEST

START_TEST(attributes_are_printed)
{
    Edge *x = input("x", type_of(DT_F32, 0));
    int64_t is[] = {1, -2};
    static const float fs[] = {0.1F, 3, -0.0F};
    static const char *const ss[] = {"a", "b \"c\""};
    Attr all[] = {attr_int(c, "i", INT64_MIN),
                  attr_float(c, "f", 1e-7F),
                  attr_string(c, "s", "q\\"),
                  attr_ints(c, "is", 2, is),
                  {.name = "fs", .kind = ATTR_FLOATS, .n = 3, .floats = fs},
                  {.name = "ss", .kind = ATTR_STRINGS, .n = 2, .strings = ss},
                  attr_tensor(c, "t", tensor_ints(c, 2, is))};
    Attr few[] = {attr_int(c, "i", 1), attr_float(c, "f", 1), attr_ints(c, "is", 0, NULL),
                  attr_tensor(c, "t", tensor_int(c, 3))};
    Edge *y = with("Attrs", "y", COUNT(all), all, 1, x), *z = with("Attrs", "z", COUNT(few), few, 1, y);
    PRINTS(graph_of(LIST(x), LIST(z)), HEAD "g (float x) => (float z)\n{\n"
           "   y = Attrs <f: float = 1e-07, is: ints = [1, -2], fs: floats = [0.1, 3, -0], s: string = \"q\\\\\", "
           "ss: strings = [\"a\", \"b \\\"c\\\"\"], t: tensor = int64[2] {1,-2}, i: int = -9223372036854775808> (x)\n"
           "   z = Attrs <is: ints = [], t: tensor = int64 {3}, i: int = 1> (y)\n}\n");
}
END_TEST

START_TEST(defaults_are_not_printed)
{
    Edge *x = input("x", type_of(DT_F32, 0));
    int64_t is[] = {1, 2}, js[] = {1, 3};
    static const float fs[] = {1, 2};
    static const char *const ss[] = {"a"}, *const ts[] = {"b"};
    Attr same[] = {attr_ints(c, "is", 2, is), {.name = "fs", .kind = ATTR_FLOATS, .n = 1, .floats = fs},
                   {.name = "ss", .kind = ATTR_STRINGS, .n = 1, .strings = ss}};
    Attr other[] = {attr_ints(c, "is", 2, js), {.name = "fs", .kind = ATTR_FLOATS, .n = 2, .floats = fs},
                    {.name = "ss", .kind = ATTR_STRINGS, .n = 1, .strings = ts}};
    Edge *y = with("Defaults", "y", 3, same, 1, x), *z = with("Defaults", "z", 3, other, 1, y);
    PRINTS(graph_of(LIST(x), LIST(z)), HEAD "g (float x) => (float z)\n{\n   y = Defaults (x)\n"
           "   z = Defaults <is: ints = [1, 3], fs: floats = [1, 2], ss: strings = [\"b\"]> (y)\n}\n");
}
END_TEST

static Edge *constant(const char *name, DType dt, int n, const void *data)
{
    Type t = type_of(dt, 1, n);
    return build_const(b, name, tensor_of(c, t, data, type_bytes(t)), (Loc){0});
}

/* The values of one constant as they are printed. */
static const char *values(Edge *e)
{
    Graph *g = graph_of(LIST(e), LIST(e));
    g->nins = 0;
    const char *from = strstr(printed(g), " = {") + 3;
    return intern_n(c, from, (size_t)(strstr(from, ">\n{") - from));
}

START_TEST(bits_survive)
{
    static const uint32_t f[] = {0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001,
                                 0xFFC00123, 0x00000001, 0x7F7FFFFF, 0x3DCCCCCD, 0x4B800000, 0x3F800001};
    ck_assert_str_eq(
        values(constant("f", DT_F32, COUNT(f), f)),
        "{0,-0,inf,-inf,nan,-nan,nan(0x1),-nan(0x400123),1.4013e-45,3.4028235e+38,0.1,16777216,1.0000001}");
    static const uint64_t d[] = {0x8000000000000000, 0x7FF8000000000000, 0xFFF0000000000001, 0x3FB999999999999A, 1,
                                 0x7FEFFFFFFFFFFFFF, 0x3FF0000000000001};
    ck_assert_str_eq(values(constant("d", DT_F64, COUNT(d), d)),
                     "{-0,nan,-nan(0x1),0.1,4.94065645841247e-324,1.7976931348623157e+308,1.0000000000000002}");
    static const uint16_t h[] = {0x3C00, 0xFFFF};
    ck_assert_str_eq(values(constant("h", DT_F16, 2, h)), "{15360,65535}");
    ck_assert_str_eq(values(constant("bf", DT_BF16, 2, h)), "{15360,65535}");
    static const uint8_t q[] = {0xF1, 0x80};
    ck_assert_str_eq(values(constant("e", DT_F8E4M3, 2, q)), "{241,128}");
    ck_assert_str_eq(values(constant("u4", DT_U4, 3, q)), "{1,15,0}");
    ck_assert_str_eq(values(constant("i4", DT_I4, 4, q)), "{1,-1,0,-8}");
    ck_assert_str_eq(values(constant("f4", DT_F4E2M1, 4, q)), "{1,15,0,8}");
    ck_assert_str_eq(values(constant("i2", DT_I2, 5, q)), "{1,0,-1,-1,0}");
    ck_assert_str_eq(values(constant("u2", DT_U2, 4, q)), "{1,0,3,3}");
    ck_assert_str_eq(values(constant("u8", DT_U8, 2, q)), "{241,128}");
    ck_assert_str_eq(values(constant("i8", DT_I8, 2, q)), "{-15,-128}");
    static const uint64_t wide[] = {UINT64_MAX, 0};
    ck_assert_str_eq(values(constant("u64", DT_U64, 2, wide)), "{18446744073709551615,0}");
    ck_assert_str_eq(values(constant("u32", DT_U32, 2, wide)), "{4294967295,4294967295}");
    ck_assert_str_eq(values(constant("i64", DT_I64, 1, wide)), "{-1}");
    static const uint8_t truth[] = {1, 0};
    ck_assert_str_eq(values(constant("t", DT_BOOL, 2, truth)), "{1,0}");
    static const float pair[] = {1, -2, 0.5F, 0};
    ck_assert_str_eq(values(constant("c", DT_C64, 2, pair)), "{1,-2,0.5,0}");
    static const double wide_pair[] = {1, -2};
    ck_assert_str_eq(values(constant("cc", DT_C128, 1, wide_pair)), "{1,-2}");
    static const char *const words[] = {"", "a\"b\\"};
    ck_assert_str_eq(values(constant("s", DT_STRING, 2, words)), "{\"\",\"a\\\"b\\\\\"}");
    ck_assert_str_eq(values(constant("none", DT_F32, 0, NULL)), "{}");
    static const uint8_t many[17] = {0};
    ck_assert_str_eq(values(constant("many", DT_U8, 17, many)), "{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\n      0}");
}
END_TEST

START_TEST(outputs_are_printed_under_their_names)
{
    Edge *x = input("x", type_of(DT_F32, 0)), *k = build_const(b, "k", tensor_float(c, DT_F32, 1), (Loc){0});
    Edge *t = NODE("Relu", "t", x), *u = NODE("Relu", "y", t);
    Graph *g = graph_of(LIST(x), LIST(t, t, x, x, k, u, t));
    g->out_names = (const char *[]){intern(c, "y"),  intern(c, "z"), intern(c, "x"), intern(c, "w"),
                                    intern(c, "kk"), intern(c, "u"), intern(c, "y")};
    PRINTS(g, HEAD "g (float x) => (float y, float z, float x, float w, float kk, float u, float y)\n"
              "   <float kk = {1}>\n{\n"
              "   y = Relu (x)\n"
              "   u = Relu (y)\n"
              "   z = Identity (y)\n"
              "   w = Identity (x)\n}\n");
}
END_TEST

/* ---- liveness, rewriting ----------------------------------------------------------------------------------------- */

START_TEST(what_no_output_needs_goes)
{
    Edge *x = input("x", type_of(DT_F32, 0)), *a = NODE("Relu", "a", x), *u = NODE("Relu", "u", a),
         *d = NODE("Add", "d", a, x);
    NODE("Sqrt", "v", u);
    Graph *g = graph_of(LIST(x), LIST(d)), *live = graph_live(c, g);
    ck_assert_str_eq(node_list(g), "Relu=a Relu=u Add=d Sqrt=v");
    ck_assert_str_eq(node_list(live), "Relu=a Add=d");
    ck_assert_str_eq(node_list(graph_live(c, live)), "Relu=a Add=d");
    ck_assert_int_eq(graph_live(c, graph_of(LIST(x), LIST(x)))->nnodes, 0);
}
END_TEST

static bool keep_all(Build *bb, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)bb, (void)n, (void)in, (void)out, (void)arg;
    return false;
}

/* Relu becomes Add(x, x), Identity what it reads. */
static bool change(Build *bb, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)arg;
    if (!strcmp(n->sig->name, "Identity"))
        out[0] = in[0];
    else if (!strcmp(n->sig->name, "Relu"))
        out[0] = build_op2(bb, "Add", build_op1(bb, "Sqrt", in[0]), in[0]);
    else
        return false;
    return true;
}

START_TEST(rewriting)
{
    Edge *x = input("x", type_of(DT_F32, 1, 3));
    Edge *a = NODE("Sqrt", "a", x), *i = NODE("Identity", "i", a), *r = NODE("Relu", "r", i),
         *t = NODE("Thrice", "t", r);
    Edge *d = NODE("Add", "d", t, a);
    Graph *g = graph_of(LIST(x), LIST(d, i, r));
    Graph *same = graph_rewrite(c, g, keep_all, NULL);
    for (int k = 0; k < g->nnodes; k++)
        ck_assert_ptr_eq(same->nodes[k], g->nodes[k]);
    Graph *h = graph_rewrite(c, g, change, NULL);
    ck_assert_str_eq(node_list(h), "Sqrt=a Sqrt=r/1 Add=r Thrice=t Add=d");
    ck_assert_ptr_eq(h->nodes[0], g->nodes[0]);
    ck_assert_ptr_eq(h->outs[1], a);
    ck_assert_ptr_eq(h->outs[2], h->nodes[2]->out[0]);
    ck_assert_ptr_eq(h->nodes[2]->in[1], a);
    ck_assert_ptr_ne(h->nodes[3], g->nodes[3]);
    ck_assert_ptr_eq(h->nodes[3]->body[0]->in[0], h->nodes[2]->out[0]);
    ck_assert_ptr_eq(h->nodes[3]->result[0]->from, h->nodes[3]->body[2]);
    ck_assert_str_eq(h->out_names[1], "i");
    graph_check(c, g);
    graph_check(c, h);
    PRINTS(
        graph_live(c, h), HEAD
        "g (float[3] x) => (float[3] d, float[3] i, float[3] r)\n{\n"
        "   i = Sqrt (x)\n   \"r/1\" = Sqrt (i)\n   r = Add (\"r/1\", i)\n   t = Thrice (r)\n   d = Add (t, i)\n}\n");
}
END_TEST

static bool inline_all(Build *bb, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)arg;
    if (n->result)
        node_inline(bb, n, in, out);
    return n->result != NULL;
}

START_TEST(inlining)
{
    Edge *x = input("x", type_of(DT_F16, 1, 3)), *p = NODE("Both", "p", x), *q = NODE("Bias", "q", p),
         *s = NODE("Nested", "s", q);
    Graph *g = graph_of(LIST(x), LIST(s));
    graph_check(c, g);
    Graph *h = graph_rewrite(c, g, inline_all, NULL);
    ck_assert_str_eq(node_list(h), "Cast=q/1 Add=q/3 Cast=q Sqrt=s/1 Add=s/3 Add=s/4 Relu=s");
    graph_check(c, h);
    ck_assert_ptr_eq(h->nodes[0]->in[0], x);
    ck_assert_ptr_eq(h->outs[0], h->nodes[6]->out[0]);
    Graph *again = graph_rewrite(c, h, change, NULL);
    ck_assert_str_eq(node_list(again), "Cast=q/1 Add=q/3 Cast=q Sqrt=s/1 Add=s/3 Add=s/4 Sqrt=s/2 Add=s");
    graph_check(c, again);
}
END_TEST

static bool to_constant(Build *bb, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)in, (void)arg;
    if (!n->out[0]->data)
        return false;
    out[0] = build_const(bb, n->out[0]->name, n->out[0]->data, n->loc);
    return true;
}

START_TEST(constants_keep_names)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)),
         *k = NODE("Add", "k", floats("a", 2, 1.0, 2.0), floats("w", 2, 3.0, 4.0));
    Edge *y = NODE("Add", "y", x, k);
    Graph *g = graph_rewrite(c, graph_of(LIST(x), LIST(y)), to_constant, NULL);
    PRINTS(g, HEAD "g (float[2] x) => (float[2] y)\n   <float[2] k = {4,6}>\n{\n   y = Add (x, k)\n}\n");
    graph_check(c, g);
}
END_TEST

static bool wrong_type_f(Build *bb, const Node *n, Edge *const *in, Edge **out, void *arg)
{
    (void)n, (void)arg;
    out[0] = build_cast(bb, in[0], DT_F64);
    return true;
}

static void rewrite_wrongly(Ctx *ctx, void *g)
{
    graph_rewrite(ctx, g, wrong_type_f, NULL);
}

static void inline_wrongly(Ctx *ctx, void *n)
{
    (void)ctx;
    Edge *out;
    node_inline(b, n, ((Node *)n)->in, &out);
}

START_TEST(faulty_rewrites_are_ours)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)), *y = NODE("Relu", "y", x);
    ck_assert(stops(rewrite_wrongly, graph_of(LIST(x), LIST(y))));
    SAYS("burin: error: internal error: Relu (output 'y') is replaced by double[2], which was float[2]\n");
    ck_assert(stops(inline_wrongly, (void *)(uintptr_t)y->from));
    SAYS("burin: error: internal error: Relu (output 'y') has no body\n");
}
END_TEST

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static void check_it(Ctx *ctx, void *g)
{
    graph_check(ctx, g);
}

#define BROKEN(g, message) \
    do { \
        ck_assert(stops(check_it, g)); \
        SAYS("burin: error: internal error: " message "\n"); \
    } while (0)

START_TEST(breaches_are_found)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)), *y = NODE("Relu", "y", x),
         *z = NODE("Add", "z", y, floats("k", 1, 1.0));
    Graph *g = graph_of(LIST(x), LIST(z));
    graph_check(c, g);
    const Node *swapped[] = {g->nodes[1], g->nodes[0]}, *twice[] = {g->nodes[0], g->nodes[0], g->nodes[1]};
    Graph bad = *g;
    bad.nodes = swapped;
    BROKEN(&bad, "Add (output 'z') reads 'y' before it is made");
    bad.nodes = twice;
    bad.nnodes = 3;
    BROKEN(&bad, "edge 'y' is made twice");
    bad = *g;
    bad.nnodes = 1;
    BROKEN(&bad, "the graph reads 'z' before it is made");
    bad = *g;
    bad.nins = 0;
    BROKEN(&bad, "Relu (output 'y') reads 'x' before it is made");
    bad = *g;
    bad.out_names = (const char *[]){NULL};
    BROKEN(&bad, "output 0 has no name");
    x->input = 1;
    BROKEN(g, "input 'x' is not at its place");
    x->input = 0;
    z->name = y->name;
    BROKEN(g, "two edges are called 'y'");
    z->name = "z";
    z->out = 1;
    BROKEN(g, "output 'z' of Add (output 'z') does not know where it comes from");
    z->out = 0;
    Type was = y->type;
    y->type = type_of(DT_F32, 1, 1);
    BROKEN(g, "output 'y' of Relu (output 'y') is float[1], inferred is float[2]");
    y->type.dt = DT_NONE;
    BROKEN(g, "output 'y' of Relu (output 'y') is undefined[1], inferred is float[2]");
    y->type = was;
    y->data = tensor_int(c, 1);
    BROKEN(g, "output 'y' of Relu (output 'y') is float[2], its value int64");
    y->data = NULL;
    Edge *k = (Edge *)(uintptr_t)g->nodes[1]->in[1];
    k->type = type_of(DT_F64, 1, 1);
    BROKEN(g, "constant 'k' is double[1], its value float[1]");
    k->data = NULL;
    BROKEN(g, "Add (output 'z') reads 'k' before it is made");
}
END_TEST

START_TEST(breaches_of_types_are_found)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)), *y = NODE("Add", "y", x, x);
    Graph *g = graph_of(LIST(x), LIST(y));
    x->type.dt = DT_STRING;
    ck_assert(stops(check_it, g));
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "input 'a' ('x', string[2]) must have one of the types"));
    ck_assert_ptr_nonnull(strstr(text, "internal error: Add (output 'y') is no longer valid"));
}
END_TEST

/* ---- size -------------------------------------------------------------------------------------------------------- */

START_TEST(a_long_chain_passes_through)
{
    Edge *first = input("x", type_of(DT_F32, 1, 8)), *x = first;
    for (int i = 0; i < MANY; i++)
        x = NODE(i % 3 ? "Relu" : "Thrice", "t", x);
    Graph *g = graph_of(LIST(first), LIST(x));
    graph_check(c, g);
    g = graph_live(c, graph_rewrite(c, g, inline_all, NULL));
    graph_check(c, g);
    Prog *p = graph_lower(c, g);
    ck_assert_int_ge(p->nkernels, MANY);
    ck_assert_ptr_nonnull(printed(g));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_graph_is_printed, the_header_is_printed, opsets_follow_the_nodes, names_are_quoted_where_they_must,
        attributes_are_printed, defaults_are_not_printed, bits_survive, outputs_are_printed_under_their_names,
        what_no_output_needs_goes, rewriting, inlining, constants_keep_names, faulty_rewrites_are_ours,
        breaches_are_found, breaches_of_types_are_found, a_long_chain_passes_through,
    };
    return RUN("graph", setup, context_free, tests);
}
