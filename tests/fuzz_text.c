/* Fuzzer of the text reader and the import: any bytes are read, whatever they are, without a crash, a leak or a hang.
 *
 *   fuzz_text [SECONDS] [--seed N]     changes the texts below at random; ends with "N passed, N failed"
 *   fuzz_text FILE...                  reads these files, once each
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -DLIBFUZZER -fsanitize=fuzzer,address,undefined -DBURIN_TEST \
 *       -Ifrontend -Iir/base -Iir/loop -Iir/graph -Ibuild/frontend tests/fuzz_text.c frontend/[a-z]*.c \
 *       build/frontend/text.*.c ir/graph/[a-z]*.c ir/loop/[a-z]*.c ir/base/[a-z]*.c -lm -o fuzz_text
 *                                      for libFuzzer (after make); then: fuzz_text FOLDER_WITH_TEXTS
 *
 * What is sound is printed, read again, and must print the same. Memory is bounded by the size of the text. */
#include "fuzz_bytes.h"

static void again(Ctx *c, const Graph *g)
{
    const char *text = text_of(c, print_graph, g);
    const Graph *h = frontend_import(c, text_read(c, source_of(c, text, strlen(text))), NULL);
    if (c->errors) {
        diag_flush(c, stderr);
        fprintf(stderr, "what was printed is refused:\n%s", text);
        abort();
    }
    if (text_of(c, print_graph, h) != text) {
        fprintf(stderr, "printed differently:\n%s\n%s", text, text_of(c, print_graph, h));
        abort();
    }
}

static void read_one(Ctx *c, void *arg)
{
    static const Bind binds[] = {{"N", 2}, {"M", 3}};
    static const int64_t dims[] = {2, 3};
    static const ShapeOption shapes[] = {{"x", 2, dims}};
    static const TypeOption types[] = {{"z", DT_F64}};
    static const ReadOptions options[] = {{0}, {2, 0, 0, binds, NULL, NULL, NULL}, {1, 1, 1, binds, shapes, types, NULL}};
    const Run *r = arg;
    const char *text = (const char *)r->data;
    give_ops(c);
    frontend_format(text, r->n);
    const MModel *m = text_read(c, source_of(c, text, r->n));
    Graph *g = frontend_import(c, m, &options[r->n % (size_t)COUNT(options)]);
    if (g && !c->errors && !r->fail)
        again(c, g);
}

#ifndef LIBFUZZER

/* ---- texts to begin with --------------------------------------------------------------------------------------- */

static const char *const seeds[] = {
    "<ir_version: 8, opset_import: [\"\" : 17, \"d\" : 1], producer_name: \"p\", metadata_props: [\"a\" : \"b\"]>\n"
    "g (float[N,3] x, double z) => (float[N,3] y, int4[3] w)\n<float one = {1}, int4[3] w = {1, -8, 7}, float[N,3] t>\n"
    "{\n  t = Neg(x)\n  [\"n 1\"] y = Add(t, one)\n}\n",
    "<ir_version: 8, opset_import: [\"\" : 17]>\n\"a/b\" (float[2] x, float[2] v = {1, 2}) => (float[2] y, float[2] "
    "\"o:0\")\n"
    "  <float[4] w = {nan, -inf, 0x1p-3, -0.0}, string[2] s = {\"a\\\"b\", \"c\"}, complex64[1] c = {1, 2}, float16[1] "
    "h = {15360}>\n"
    "{\n  # comment\n  y = Attrs <f = 1.5, i: int = 3, is = [1, 2], fs: floats = [], s = \"x\", t = float[1] {1}> (x, "
    ", w)\n"
    "  \"o:0\" = Attrs (x, \"\", s) <i = 2>\n}\n",
    "<opset_import: [\"\" : 17]>\ng (bool b, float[2] x) => (y)\n  <bool c = {1}>\n{\n"
    "  y = If (c) <then_branch = t () => (float[2] a) <float k = {2}> { a = Add(x, k) },\n"
    "              else_branch = e () => (float[N] b) { b = Neg(x) }>\n"
    "  z = Twice <body = h (p) => (q) { u = Neg(p) q = Neg(u) }> (y)\n}\n",
    "<opset_import: [\"\" : 17, \"d\" : 1]>\ng (float[2] x) => (y, z)\n{\n  y = d.f <al = 2.0> (x)\n  z = d.g (y)\n}\n"
    "<domain: \"d\", opset_import: [\"\" : 9, \"d\" : 1]>\nf <al, be: int = 1> (a, o) => (b) <float[2] t> { t = Attrs "
    "<f: float = @al, "
    "i: int = @be> (a, o) b = Late(t) }\n<domain: \"d\", opset_import: [\"\" : 17, \"d\" : 1], doc_string: \"x\">\ng "
    "(a) => (b) { b = d.f "
    "(a) }\n",
    "g (seq(float[2]) a, optional(float[M]) b, map(int64, float) c, sparse_tensor(float[2]) d, opaque(a.b,c) e, "
    "float[] f, h) => () {}",
    "g () => (float16[2] a, uint2[5] b, bfloat16 c, bool[2] d, string e) <float16[2] a = {1, 2}, uint2[5] b = {228, "
    "1}, bfloat16 c = {3}, "
    "bool[2] d = {0, 1}, string e = {\"\"}, uint64[1] u = {18446744073709551615}, double[1] v = {1e300}, "
    "float8e4m3fn[1] w = {255}> {}",
};

static const char *const words[] = {
    "float", "[", "]", "{", "}", "(", ")", "<", ">", "=", "=>", ",", ":", ".", "@", "?", "\"", "\\", "#", "\n", " ",
    "-", "0", "1", "9", "1e39", "1e-50", "9223372036854775808", "inf", "nan", "nan(0x1)", "0x1p3", "...", "seq(",
    "int4", "uint2[3]", "string", "N", "x", "y", "Neg", "Add", "If", "Twice", "d.f", "\xC3\xB6", "\xFF",
    "opset_import", "[\"location\": \"/etc/passwd\"]", "then_branch", "ints", "[]", "float[2]{1,2}",
    "float[99999999999]", "float[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "g () => () {",
};

int main(int argc, char **argv)
{
    File files[COUNT(seeds)];
    for (int i = 0; i < COUNT(seeds); i++)
        files[i] = (File){"m", seeds[i], strlen(seeds[i])};
    const Fuzz z = {COUNT(seeds), COUNT(words), files, words, 1, NULL};
    return fuzz_main(argc, argv, &z);
}

#endif
