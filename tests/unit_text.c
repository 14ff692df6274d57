/* Unit tests of the text reader: the whole grammar, constants of every type, what is refused and where, how reading
 * goes on behind a fault, and what hostile texts do. The first lists follow the reference parser: what it takes is
 * taken. */
#include "text_ops.h"
#include "unit.h"

static void setup(void)
{
    c = ctx_new();
}

typedef struct Job { const Source *src; MModel *m; } Job;

static void read_job(Ctx *ctx, void *arg)
{
    Job *job = arg;
    job->m = text_read(ctx, job->src);
}

static MModel *read_n(const char *text, size_t n)
{
    Job job = {source_of(c, text, n), NULL};
    ctx_run(c, read_job, &job);
    return job.m;
}

static MModel *read(const char *text)
{
    return read_n(text, strlen(text));
}

static void taken(const char *text)
{
    int before = c->errors;
    const MModel *m = read(text);
    ck_assert_msg(c->errors == before && m && !m->broken && m->graph, "refused: %.200s\n%.400s", text, said());
}

/* message: a part of what is said; NULL: anything. */
static void refused(const char *text, const char *message)
{
    int before = c->errors;
    const MModel *m = read(text);
    const char *s = said();
    ck_assert_msg(c->errors > before && (!m || m->graph || m->broken), "taken: %.200s", text);
    ck_assert_msg(!message || strstr(s, message), "%.200s\nsays: %.400s\nwanted: %s", text, s, message);
}

#define TAKEN(...)                                                                                                     \
    do {                                                                                                               \
        static const char *const t[] = {__VA_ARGS__};                                                                  \
        for (int i = 0; i < COUNT(t); i++) taken(wrap(t[i]));                                                          \
    } while (0)

static const char *wrap_input(const char *type)
{
    return internf(c, "g (%s x) => (y) { y = Op(x) }", type);
}

static const char *wrap_node(const char *node)
{
    return internf(c, "g (x) => (y) { %s }", node);
}

static const char *wrap_attr(const char *attr)
{
    return internf(c, "g (x) => (y) { y = Op <%s> (x) }", attr);
}

static const char *wrap_init(const char *init)
{
    return internf(c, "g (x) => (y) <%s> { y = Op(x) }", init);
}

static const char *wrap_function(const char *f)
{
    return internf(c, "g (x) => (y) { y = d.f(x) } %s", f);
}

static const char *bare(const char *s)
{
    return s;
}

/* ---- the grammar ----------------------------------------------------------------------------------------------- */

START_TEST(models)
{
    const char *(*wrap)(const char *) = bare;
    TAKEN("g () => () {}", "g => () {}", "g ()=>(){}", "<ir_version: 8> g () => () {}",
          "<opset_import: []> g () => () {}",
          "<opset_import: [\"\":1, \"a\":2], opset_import: [\"b\":3]> g () => () {}",
          "<metadata_props: []> g () => () {}", "<metadata_props: [\"a\":\"b\", \"c\" : \"d\"]> g () => () {}",
          "<ir_version: -3> g () => () {}",
          "<producer_name: \"x\", producer_version: \"1\", domain: \"d\", model_version: 3, doc_string: \"a\nb\"> g () "
          "=> () {}",
          "\"q g\" () => () {}", "float () => () {}", "seq () => () {}", "inf () => () {}", "g () => () <> {}",
          "g () => () <float x> {}", "# c\ng () => () # d\n{ # e\n}# f", "\xEF\xBB\xBFg () => () {}",
          "\t\v\f\r\n g () => () {}",
          "g (float[2] x, float[2] y = {1, 2}, z) => (float y, w) <float[2] a, b, float[1] d = {1}, e> {}");
    const MModel *m = read(
        "<ir_version: 9, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 3], producer_name: \"p\\\"q\", model_version: 4, "
        "metadata_props: [\"k\" : \"v\"]>\n\"net/1\" (float[N, 2] x) => (seq(int8[]) y) <int64 one = {1}, t> {}");
    ck_assert(!m->broken && m->opsets_stated && m->meta->nopsets == 2 && m->meta->opsets[1].version == 3);
    ck_assert(m->meta->ir_version == 9 && m->meta->model_version == 4 && m->meta->nprops == 1 && !m->meta->doc_string);
    ck_assert_str_eq(m->meta->producer_name, "p\"q");
    ck_assert_str_eq(m->graph->name, "net/1");
    ck_assert_str_eq(mtype_text(c, m->graph->ins[0].type), "float[N,2]");
    ck_assert_str_eq(mtype_text(c, m->graph->outs[0].type), "seq(int8[])");
    ck_assert(m->graph->ninits == 1 && m->graph->ninfos == 1 && m->graph->ins[0].loc.line == 2 &&
              m->graph->ins[0].loc.col == 22);
}
END_TEST

START_TEST(types)
{
    const char *(*wrap)(const char *) = wrap_input;
    TAKEN("float", "float[]", "float[N]", "float[N,3]", "float[?]", "float[?, N ,3]", "float[\"M + N\",2]", "float[-1]",
          "float[0]", "float[seq]", "float[float]", "float[inf]", "seq(float[2])", "seq(seq(float))",
          "map(int64, float[])", "map(string,seq(float))", "optional(float[2])", "optional(seq(float))",
          "sparse_tensor(float[2,3])", "sparse_tensor(float[])", "opaque()", "opaque(a)", "opaque(a.b)",
          "opaque(a.b,c)", "float[\"a\\\"b\"]");
    for (DType t = DT_F32; t < DT_COUNT; t++)
        taken(wrap(dtype_name(t)));
    static const char *const same[] = {"map(string, seq(float[2,N,?]))", "optional(sparse_tensor(int4[]))",
                                       "opaque(a.b,c)", "opaque(a)", "float8e4m3fnuz"};
    for (int i = 0; i < COUNT(same); i++)
        ck_assert_str_eq(mtype_text(c, read(wrap(same[i]))->graph->ins[0].type), same[i]);
    const MType *opaque = read(wrap("opaque(a.b,c)"))->graph->ins[0].type;
    ck_assert_str_eq(opaque->domain, "a.b");
    ck_assert_str_eq(opaque->name, "c");
}
END_TEST

START_TEST(nodes)
{
    const char *(*wrap)(const char *) = wrap_node;
    TAKEN("y = Op(x)", "= Op()", "y=Op(x)", "y, z = Op(x)", "\"\" = Op(\"\")", "y = a . b . Op (x)", "y = Op:ov(x)",
          "y = a.Op:ov<k=1>(x)", "y = Op<k=1>(x)", "y = Op(x)<k=1>", "y = Op<>(x)", "[lab] y = Op(x)",
          "[\"la b\"] y = Op(x)", "[] y = Op(x)", "y = Op(x) z = Op(y)", "float = float(seq)", "inf = nan(infinity)",
          "y = Op(\"a\\\"b\",\"c\\\\d\")", "y = \"Op\"(x)", "y = \"pkg.1\".Op(x)", "y = Op(#c\nx)",
          "y = Op(x,y,\"z w\",)");
    static const struct { const char *text; int in, out; } lists[] = {
        {"= Op()", 0, 0}, {"y, = Op(x,)", 1, 1}, {", = Op(,)", 1, 1}, {",y = Op(,x)", 2, 2}, {"y,,z = Op(x,,w)", 3, 3},
        {"\"\",y = Op(\"\",x)", 2, 2}, {"y = Op(,,)", 2, 1}, {"y = Op(x,,)", 2, 1}, {"y = Op(x,\"\")", 2, 1},
    };
    for (int i = 0; i < COUNT(lists); i++) {
        const MNode *n = read(wrap(lists[i].text))->graph->nodes[0];
        ck_assert_msg(n->nin == lists[i].in && n->nout == lists[i].out, "%s: %d, %d", lists[i].text, n->nin, n->nout);
    }
    const MNode *n = read(wrap("[\"n 1\"] \"y\\\\\" = com.acme.Op:v2 <k = 1> (, \"x y\")"))->graph->nodes[0];
    ck_assert_str_eq(n->name, "n 1");
    ck_assert_str_eq(n->domain, "com.acme");
    ck_assert_str_eq(n->op, "Op");
    ck_assert_str_eq(n->overload, "v2");
    ck_assert_str_eq(n->out[0].name, "y\\");
    ck_assert_str_eq(n->in[0].name, "");
    ck_assert_str_eq(n->in[1].name, "x y");
    ck_assert_str_eq(read(wrap("y = ai.onnx.Op()"))->graph->nodes[0]->domain, "");
}
END_TEST

static const MAttr *attr(const char *text)
{
    const MModel *m = read(wrap_attr(text));
    ck_assert_msg(!m->broken, "%s: %s", text, said());
    return &m->graph->nodes[0]->attrs[0];
}

START_TEST(attributes)
{
    const char *(*wrap)(const char *) = wrap_attr;
    TAKEN("k=[1]", "k:ints=[]", "k:floats=[]", "k:strings=[]", "k:tensors=[]", "k:graphs=[]", "k:int=[1]",
          "k = 1, j = 2", "seq=1", "float=1", "\"k k\"=1", "k=float[N]", "k=seq(float)", "k:type_proto=float[2]",
          "k=float[2] \"q w\" {1,2}", "k=float[0] w", "k=g => () {}", "k:graph=g () => (float y) {y = Op()}",
          "k=\"g\" () => () {}", "k:type_protos=[float, seq(float)]",
          "k=g (float a) => (float b) <float c = {1}> { b = Op <j = h () => () {}> (a, c) }");
    ck_assert(attr("k = -9223372036854775808")->a.i == INT64_MIN && attr("k = 00012")->a.i == 12 &&
              attr("k = 0x10")->a.i == 16);
    ck_assert(attr("k = 1.5")->a.f == 1.5f && attr("k: float = 2")->a.f == 2 && attr("k=5.")->a.kind == ATTR_FLOAT);
    ck_assert(attr("k = 0x1.8p3")->a.f == 12 && signbit(attr("k: float = -0")->a.f) && attr("k = 1e-50")->a.f == 0);
    ck_assert(isinf(attr("k=Infinity")->a.f) && attr("k=-inf")->a.f < 0 && isnan(attr("k=-NaN")->a.f) &&
              isnan(attr("k=nan(0x1)")->a.f));
    ck_assert_str_eq(attr("k=\"a\\nb\\\"\nc\"")->a.s, "anb\"\nc");
    ck_assert(attr("k=[1.5, 2]")->a.n == 2 && attr("k=[1.5, 2]")->a.floats[1] == 2 &&
              attr("k:floats=[1]")->a.floats[0] == 1);
    ck_assert(attr("k=[3,-4]")->a.ints[1] == -4 && attr("k:ints=[]")->a.kind == ATTR_INTS);
    ck_assert_str_eq(attr("k=[\"a\", \"b\"]")->a.strings[1], "b");
    ck_assert_str_eq(attr("k: ints = @\"a b\"")->ref, "a b");
    ck_assert(attr("k: ints = @a")->a.kind == ATTR_INTS && !attr("k = @a")->a.kind);
    ck_assert(attr("k=float[2] {1,2}")->a.tensor->type.rank == 1 && attr("k=float {1}")->a.tensor->type.rank == 0);
    ck_assert(attr("k=float[2] w {1,2}")->a.kind == ATTR_TENSOR && attr("k=float[2] = {1,2}")->a.kind == ATTR_TENSOR);
    ck_assert(attr("k=[int8[1]{1}, int8[1] w = {2}]")->a.n == 2 && attr("k=float")->a.kind == ATTR_TYPE);
    ck_assert(attr("k=[float, float[N]]")->types[1]->rank == 1 &&
              attr("k=[g () => () {}, h (x) => (x) {}]")->graphs[1]->nins == 1);
}
END_TEST

START_TEST(functions)
{
    const char *(*wrap)(const char *) = wrap_function;
    TAKEN("f () => () {}", "f (float[N] a, z) => (float[N] b) {}", "f <al> (a) => (b) {}",
          "f <be: ints = [1,2], s = \"x\"> (a)=>(b){}", "\"f x\" (\"a b\") => (\"c\") {}",
          "f (a) => (b) <float[2] t> {}", "f (a) => (b) <> {}", "f <al: float> (a) => (b) {}",
          "f () => () {} <domain: \"e\"> f () => () {} h () => () {}");
    const MModel *m =
        read(wrap("<domain: \"d\", opset_import: [\"\":9], overload: \"o\", doc_string: \"x\">\n"
                  "f <al, be: int = 1, \"g a\"> (float a, z) => (b) <int8 t> { b = Op <k: int = @al> (a) }"));
    const MFunction *f = &m->functions[0];
    ck_assert(!m->broken && m->nfunctions == 1 && f->nattrs == 2 && f->ndefaults == 1 && f->nins == 2 &&
              f->ninfos == 2 && f->nopsets == 1);
    ck_assert_str_eq(f->domain, "d");
    ck_assert_str_eq(f->overload, "o");
    ck_assert_str_eq(f->attrs[1].name, "g a");
    ck_assert(f->defaults[0].a.i == 1 && f->nnodes == 1 && f->loc.line == 2);
}
END_TEST

/* ---- constants ------------------------------------------------------------------------------------------------- */

START_TEST(constants)
{
    static const struct { const char *text, *values;
    } cases[] = {
        {"float[4] w = {1, 2.5, -1e2, 0x1p-3}", " float[4] = 1 2.5 -1e+02 0.125\n"},
        {"float[6] w = {inf, -Infinity, nan, -0, 1e-50, 3.4028235e38}",
         " float[6] = inf -inf nan -0 0 3.4028235e+38\n"},
        {"double[3] w = {1e39, 4.9e-324, 1e-400}", " double[3] = 1e+39 5e-324 0\n"},
        {"int64[2] w = {9223372036854775807, -9223372036854775808}",
         " int64[2] = 9223372036854775807 -9223372036854775808\n"},
        {"uint64[2] w = {18446744073709551615, 0xFF}", " uint64[2] = 18446744073709551615 255\n"},
        {"int8[3] w = {127, -128, -0}", " int8[3] = 127 -128 0\n"},
        {"uint32[1] w = {4294967295}", " uint32[1] = 4294967295\n"},
        {"bool[2] w = {0, 1}", " bool[2] = 0 1\n"},
        {"float16[2] w = {15872, 0xBC00}", " float16[2] = 1.5 -1\n"},
        {"bfloat16[1] w = {16256}", " bfloat16[1] = 1\n"},
        {"float8e4m3fn[1] w = {56}", " float8e4m3fn[1] = 1\n"},
        {"int4[3] w = {-8, 7, 15}", " int4[3] = -8 7 -1\n"},
        {"int4[4] w = {0x21, 0xF3}", " int4[4] = 1 2 3 -1\n"},
        {"uint4[2] w = {15, 1}", " uint4[2] = 15 1\n"},
        {"uint4[1] w = {15}", " uint4[1] = 15\n"},
        {"uint2[5] w = {0, 1, 2, 3, 1}", " uint2[5] = 0 1 2 3 1\n"},
        {"uint2[5] w = {228, 1}", " uint2[5] = 0 1 2 3 1\n"},
        {"int2[2] w = {-2, 1}", " int2[2] = -2 1\n"},
        {"float4e2m1[2] w = {2, 15}", " float4e2m1[2] = 1 -6\n"},
        {"complex64[2] w = {1, 2, -3, 4e1}", " complex64[2] = (1,2) (-3,4e+01)\n"},
        {"complex128 w = {1.5, -2}", " complex128 = (1.5,-2)\n"},
        {"string[3] w = {\"a\", \"}\\\"\", \"\"}", " string[3] = \"a\" \"}\\\"\" \"\"\n"},
        {"int32[0] w = {}", " int32[0] =\n"},
        {"int32[2,0] w = {}", " int32[2,0] =\n"},
        {"int32[2] w = { 1 # } a comment\n\t, 2 }", " int32[2] = 1 2\n"},
        {"float w = {7}", " float = 7\n"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        const MModel *m = read(wrap_init(cases[i].text));
        ck_assert_msg(!m->broken, "%s: %s", cases[i].text, said());
        ck_assert_str_eq(text_of(c, print_tensor, m->graph->inits[0].value), cases[i].values);
    }
    const MModel *m = read(wrap_init("float[2] w = {nan(0x1234), -nan(0x400001)}"));
    uint32_t bits[2];
    memcpy(bits, m->graph->inits[0].value->data, sizeof bits);
    ck_assert(bits[0] == 0x7F801234 && bits[1] == 0xFFC00001);
}
END_TEST

START_TEST(bad_constants)
{
    static const struct { const char *text, *message; } cases[] = {
        {"float[2] w = {1 2}", "m:1:31: error: constant 'w': ',' or '}' is expected"},
        {"float[2] w = {1,}", "m:1:31: error: constant 'w' (float[2]): a number is expected"},
        {"float[2] w = {1}", "m:1:24: error: constant 'w': float[2] takes 2 values, but 1 is given"},
        {"float[2] w = {1,2,3}", "takes 2 values, but 3 are given"},
        {"float[1] w = {1e39}", "m:1:29: error: constant 'w': 1e39 is beyond float"},
        {"double[1] w = {1e309}", "1e309 is beyond double"},
        {"int64[1] w = {9223372036854775808}", "is beyond int64 (-9223372036854775808 to 9223372036854775807)"},
        {"uint64[1] w = {18446744073709551616}", "is beyond uint64 (0 to 18446744073709551615)"},
        {"uint64[1] w = {-1}", "-1 is beyond uint64"},
        {"int8[1] w = {128}", "128 is beyond int8 (-128 to 127)"},
        {"bool[1] w = {2}", "2 is beyond bool (0 to 1)"},
        {"bool[1] w = {true}", "'true' is no number"},
        {"int32[1] w = {1.0}", "'1.0' is not a whole number, as int32 takes"},
        {"float16[1] w = {1.5}", "float16 values are given by their bits: 1.5 is 15872"},
        {"float8e5m2[1] w = {1.5}", "float8e5m2 values are given by their bits: 1.5 is 62"},
        {"float16[1] w = {65536}", "beyond float16 (0 to 65535)"},
        {"int4[2] w = {16,0}", "16 is beyond int4"},
        {"int4[3] w = {1,300,2}", "300 is beyond int4"},
        {"complex64[1] w = {1}", "takes 2 values (pairs of a real and an imaginary part), but 1 is given"},
        {"string[1] w = {a}", "constant 'w' (string[1]): a quoted string is expected"},
        {"float w = 1", "constant 'w' (float) has no values"},
        {"float[] w = {1}", "float[] is of unknown shape: state it, as in float[2,3]"},
        {"float[2,N] w = {1}", "dimension 1 of float[2,N] must be a number"},
        {"float[-1] w = {1}", "must be a number"},
        {"w = {1}", "constant 'w' needs a tensor type"},
        {"seq(float) w = {1}", "constant 'w' needs a tensor type"},
        {"float[2] w = ...", "elided by the ONNX printer: give the .onnx"},
        {"float[2] w = {...}", "elided by the ONNX printer: give the .onnx"},
        {"float[1] w = {.1}", "'.1' is no number"},
        {"float[1] w = {1e}", "'1e' is no number"},
        {"float[1] w = {nan(0x0)}", "is no number"},
        {"float[9223372036854775807,2] w = {1}", "has more than 2^40 elements"},
        {"float[1099511627776] w = {1}", "takes 1099511627776 values, but 1 is given"},
        {"float[2] w = []", "expected: a quoted string"},
        {"float[2] w = [\"location\": 3]", "external data: a value must be a quoted string"},
        {"float[2] w = [\"offset\": \"3\"]", "external data without a location"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        refused(wrap_init(cases[i].text), cases[i].message);
    ck_assert(c->peak < 8 << 20);
}
END_TEST

/* ---- faults ---------------------------------------------------------------------------------------------------- */

START_TEST(faults)
{
    static const struct { const char *text, *message; } cases[] = {
        {"", "m:1:1: error: unexpected end of the file (is it cut off?)"},
        {"g () => () {", "unexpected end of the file (is it cut off?)"},
        {"<> g () => () {}", "m:1:2: error: unexpected '>'; expected: a name"},
        {"<foo: 3> g () => () {}", "'foo' is no field of a model header"},
        {"<ir_versoin: 3> g () => () {}", "did you mean 'ir_version'?"},
        {"<ir_version: \"8\"> g () => () {}", "ir_version takes a number"},
        {"<domain: 3> g () => () {}", "domain takes a quoted string"},
        {"<opset_import: 3> g () => () {}", "opset_import takes a list"},
        {"<opset_import: [\"\": \"x\"]> g () => () {}", "is to be followed by a number"},
        {"<opset_import: [\"\": 1, \"ai.onnx\": 2]> g () => () {}", "domain \"\" is imported twice, as 1 and 2"},
        {"<metadata_props: [\"a\": 1]> g () => () {}", "a value must be a quoted string"},
        {"<ir_version: 1.5> g () => () {}", "'1.5' is not a whole number"},
        {"g () = > () {}", "unexpected '='; expected: '=>'"},
        {"g () => () {} trailing", "unexpected end of the file"},
        {"g (float x,) => () {}", "m:1:12: error: unexpected ')'; expected: a name"},
        {"g (float 1x) => () {}", "unexpected '1x'"},
        {"g (float gr\xC3\xB6\xC3\x9F) => () {}", "must be quoted"},
        {"g (float \"\xFF\") => () {}", "a name that is not valid UTF-8"},
        {"g (float \"\xED\xA0\x80\") => () {}", "a name that is not valid UTF-8"},
        {"g (float[2,] x) => () {}", "unexpected ']'; expected: a name, a number or '?'"},
        {"g (float[1.5] x) => () {}", "dimension: '1.5' is not a whole number"},
        {"g (sparse_tensor(seq(float)) x) => () {}", "takes a tensor type"},
        {"g (x) => () { y = Op(x\n }", "m:2:2: error: unexpected '}'; expected: ',' or ')'"},
        {"g (x) => () { y = Op(x) <a=1> <b=2> }", "unexpected '<'"},
        {"g (x) => () { y = Op<a=1>(x)<b=2> }", "put them into one list"},
        {"g (x) => () { y = Op<k=1e39>(x) }", "attribute 'k': '1e39' is beyond float"},
        {"g (x) => () { y = Op<k=9223372036854775808>(x) }", "attribute 'k': '9223372036854775808' is beyond 64 bits"},
        {"g (x) => () { y = Op<k=1e>(x) }", "attribute 'k': '1e' is no number"},
        {"g (x) => () { y = Op<k=[]>(x) }", "an empty list must say of what"},
        {"g (x) => () { y = Op<k=[1,2.5]>(x) }", "a number where a whole number is expected"},
        {"g (x) => () { y = Op<k:ints=1>(x) }", "ints takes a list"},
        {"g (x) => () { y = Op<k:foats=[1]>(x) }", "'foats' is no attribute type; did you mean 'floats'?"},
        {"g (x) => () { y = Op<k=[@a]>(x) }", "a reference where"},
        {"g (x) => () { y = Op<k=float[N]{1}>(x) }", "the constant: dimension 0 of float[N] must be a number"},
        {"g () => () {} <ir_version: 3> f () => () {}", "'ir_version' is no field of a function header"},
        {"g (float32[2,3] x) => () {}", "m:1:4: error: 'float32' is no element type; did you mean 'float'?"},
        {"g (x, half y) => () {}", "m:1:7: error: 'half' is no element type; did you mean 'float16'?"},
        {"g (x) => (flaot[8] y) {}", "m:1:11: error: 'flaot' is no element type; did you mean 'float'?"},
        {"g () => () <float64[1] w = {1}> {}", "m:1:13: error: 'float64' is no element type; did you mean 'double'?"},
        {"g () => () { y = Op<k=int[1]{1}>() }", "m:1:23: error: 'int' is no element type; did you mean 'int32'?"},
        {"g () => () { y = Op<k=fp32 {1}>() }", "m:1:23: error: 'fp32' is no element type; did you mean 'float'?"},
        {"g (seq(qwertyuiop[]) x) => () {}", "m:1:8: error: 'qwertyuiop' is no element type\n"},
        {"g (x) => (y) {\n Relu(x)\n}", "m:2:2: error: a node needs outputs: y = Relu(x)\n"},
        {"g (x) => (y) {\n y = Op(x) // one\n // two\n}", "m:2:12: error: comments begin with '#', not with '//'"},
        {"g (x) => () { y = \"a", "the string that begins here has no closing"},
        {"<ir_version 8> g () => () {}", "m:1:13: error: unexpected '8'; expected: ':'"},
        {"g (x) -> (y) { y = Op(x) }", "m:1:7: error: unexpected character '-'; is this ONNX text? A graph has NAME"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        refused(cases[i].text, cases[i].message);
    ck_assert(!read_n("g (float \"a\0b\") => () {}", 23) || c->errors);
    ck_assert_ptr_nonnull(strstr(said(), "a string with a NUL byte"));
    read_n("g (float a\0b) => () {}", 21);
    ck_assert_ptr_nonnull(strstr(said(), "a NUL byte"));
}
END_TEST

/* What is no ONNX at all is told once, at its beginning or where it stops to be like one. */
START_TEST(other_texts)
{
    static const struct { const char *text, *message; } cases[] = {
        {"a,b,c\n1,2,3\n4-5,6,7\n", "m:1:1: error: this is in no format that burin knows (ONNX text, "},
        {"\n# Title\n\nA *net*'s -- text => `text`\n- one\n- `two`\n", "m:4:1: error: this is in no format"},
        {"/* C */\nint f(int x) { return -x; }\n", "m:1:1: error: this is in no format"},
        {"{\"a\": [1, -2]}", "m:1:1: error: this is in no format"},
        {"<html><body>-</body></html>", "m:1:1: error: this is in no format"},
        {"PREFIX ?= /usr\nall: $(X)\n", "m:1:1: error: this is in no format"},
        {"1.5\n2.5\n", "m:1:1: error: this is in no format"},
        {"Copyright (c) 2026 A. B.\n\n- Permission '...'\n* is granted\n", "m:1:15: error: unexpected '2026'; "},
        {"print(\"a\")\nfor i in range(3): print(-i)\n", "m:2:1: error: unexpected 'for'; expected: '=>'; is"},
        {"x (m),y (m)\n1.5,-\n*,/\n", "m:1:6: error: unexpected ','; expected: '=>'; is this ONNX text?"},
        {"// C\nint main(void)\n{ return -1; }\n", "m:1:1: error: comments begin with '#', not with '//'; is this"},
        {"<ir_version: 8>\nwords - words\n* words\n", "m:2:7: error: unexpected character '-'; is this ONNX text?"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        const int before = c->errors;
        refused(cases[i].text, cases[i].message);
        ck_assert_msg(c->errors == before + 1, "%d faults: %.100s", c->errors - before, cases[i].text);
    }
}
END_TEST

/* Every fault of a text is told, each once, and what is sound between them is read. */
START_TEST(recovery)
{
    const MModel *m = read("g (float[2] x, float[3 y, float[2] z) => (float[2] q)\n"
                           "  <float[2] w = {1, 2.x}, float[2] v = {1, 2}, int8[2] u = {1, 300}>\n"
                           "{\n"
                           "  a = Op(x, w\n"
                           "  b = Op(a)\n"
                           "  c = Op b)\n"
                           "  h = Op <axis = > (x, v)\n"
                           "  q = Op(x, i2)\n"
                           "  z = If (c) <\n"
                           "    then_branch g1 () => (float[2] a)\n"
                           "    {\n"
                           "      a = Op(x)\n"
                           "    },\n"
                           "    else_branch = g2 () => (b) { b = Op(x) }\n"
                           "  >\n"
                           "  r = Op(x, \"unclosed)\n"
                           "}\n");
    const char *s = said();
    static const char *const at[] = {
        "m:1:24: ", "m:2:21: ", "m:2:64: ", "m:5:3: ", "m:6:10: ", "m:7:18: ", "m:10:17: ", "m:16:13: "};
    for (int i = 0; i < COUNT(at); i++)
        ck_assert_msg(strstr(s, at[i]), "nothing at %s in\n%s", at[i], s);
    ck_assert_int_eq(c->errors, COUNT(at));
    ck_assert_int_eq(m->graph->nnodes, 2);
    ck_assert_int_eq(m->graph->ninits, 3);
    ck_assert(m->graph->inits[0].value == NULL && m->graph->inits[1].value != NULL);
    m = read("g (x) -> (y) { y = Op(x) }\n<domain: 3> f (a) => (b) { b = Op a }\nh (a) => (b) { b = Op(a) }");
    ck_assert(m->broken && !m->graph && m->nfunctions == 2);
}
END_TEST

static const char *repeated(const char *head, const char *part, int n, const char *tail)
{
    size_t h = strlen(head), p = strlen(part), t = strlen(tail);
    char *text = mem_alloc(c, h + p * (size_t)n + t + 1);
    memcpy(text, head, h);
    for (int i = 0; i < n; i++)
        memcpy(text + h + p * (size_t)i, part, p);
    memcpy(text + h + p * (size_t)n, tail, t);
    return text;
}

START_TEST(hostile)
{
    refused(repeated("g (", "seq(", 200, "float x) => () {}"), "nested more than 100 deep");
    refused(repeated("g () => () {", "y = Op <b = h () => () {", 200, ""), "nested more than 100 deep");
    refused(repeated("g () => () {", "y = Op <b = h () => () {", 50, ""), NULL);
    refused(repeated("", "x", 1 << 17, " () => () {}"), "a name or number of more than 65536 bytes");
    refused(repeated("g () => () { y = Op <k = ", "1", 1 << 17, "> () }"), "a name or number of more than");
    refused(repeated("g (float[", "1,", 40, "1] x) => () {}"), "at most 32 are supported");
    refused(repeated("g () => () {", "\n$", 1000, "}"), "too many faults");
    refused(repeated("g () => () {", "\nx)", 1000, "}"), "too many faults");
    refused(repeated("<opset_import: [\"a\":1", ",\"a\":2", 1000, "]> g () => () {}"), "too many faults");
    taken(repeated("g () => () <float[1] w = {", "\n#}\n", 50000, "1}> {}"));
    taken(repeated("g () => (\"", "long ", 1 << 16, "\") {}"));
    taken(repeated("g () => () { y = ", "a.", 10000, "Op() }"));
    taken(repeated("g () => () { y = Op(", "x,", 100000, ") }"));
    taken(repeated("g () => () { y = Op <k = [1", ",1", 20000, "]> () }"));
    ck_assert(c->peak < 256 << 20);
}
END_TEST

/* Memory that runs out anywhere ends the reading, and nothing leaks. Only test builds make it run out. */
START_TEST(no_memory)
{
    static const char text[] =
        "<opset_import: [\"\": 9]> g (float[N] x) => (y) <int4[2] w = {1, 2}, string s = {\"a\\\"b\"}>\n"
        "{ y = a.b.Op <k = [1, 2], g = h (a) => (b) { b = Op <t = float[2] {1, 2}> (a) } > (x, w)\n z = Op(y }\n"
        "<domain: \"d\"> f <al, be = 1> (a) => (float b) { b = Op <k = @al> (a) }";
    for (long n = 1; n < 2000; n++) {
        Ctx *own = ctx_new();
        Job job = {source_of(own, text, sizeof text - 1), NULL};
        own->fail_alloc = n;
        bool done = ctx_run(own, read_job, &job);
        ctx_free(own);
        if (done)
            break;
        ck_assert_int_lt(n, 1999);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        models, types, nodes, attributes, functions, constants, bad_constants, faults, other_texts, recovery, hostile,
        no_memory,
    };
    return RUN("text", setup, context_free, tests);
}
