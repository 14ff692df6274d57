/* Fuzzer of the reader of ONNX binary and the import: any bytes are read, whatever they are, without a crash, a leak or
 * a hang.
 *
 *   fuzz_onnx [SECONDS] [--seed N]     changes the models below at random; ends with "N passed, N failed"
 *   fuzz_onnx FILE...                  reads these files, and each of them with bits flipped
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -DLIBFUZZER -fsanitize=fuzzer,address,undefined -DBURIN_TEST -Ifrontend \
 *       -Iir/base -Iir/loop -Iir/graph -Ibuild/frontend tests/fuzz_onnx.c frontend/[a-z]*.c build/frontend/[a-z]*.c \
 *       ir/graph/[a-z]*.c ir/loop/[a-z]*.c ir/base/[a-z]*.c -lprotobuf-nanopb -lm -o fuzz_onnx
 *                                      after make; then fuzz_onnx CORPUS_FOLDER
 *
 * What is sound is printed as text, which must be taken. Memory is bounded by the size of the file. */
#include "fuzz_bytes.h"
#include "onnx_write.h"

static void again(Ctx *c, const Graph *g)
{
    const char *text = text_of(c, print_graph, g);
    frontend_import(c, text_read(c, source_of(c, text, strlen(text))), NULL);
    if (!c->errors)
        return;
    diag_flush(c, stderr);
    fprintf(stderr, "what was printed is refused:\n%s", text);
    abort();
}

static void read_one(Ctx *c, void *arg)
{
    static const Bind binds[] = {{"N", 2}, {"M", 3}};
    static const ReadOptions options[] = {{0}, {2, 0, 0, binds, NULL, NULL, NULL}};
    const Run *r = arg;
    File *f = NEW(c, File);
    *f = (File){"m", (const char *)r->data, r->n};
    give_ops(c);
    frontend_format(f->data, f->size);
    const MModel *m = onnx_read(c, f, NULL);
    Graph *g = frontend_import(c, m, &options[r->n % (size_t)COUNT(options)]);
    if (g && !c->errors && !r->fail)
        again(c, g);
    pbfile_read(c, f, (Type){DT_F32, 0, NULL});
}

#ifndef LIBFUZZER

/* ---- models to begin with -------------------------------------------------------------------------------------- */

#define BRANCH(out, nodes) "{2\"s\" 12{1\"" out "\"} " nodes "}"

static const char *const seeds[] = {
    MODEL(IN("x") OUT("y") "13" VALUE("t", FLOAT2) "5{1:2 2:1 4(1 2) 8\"w\"}" NODE("n 1", "Neg", I("x"), O("t"), "")
          NODE("", "Add", I("t") I("w"), O("y"), "")),
    MODEL("11" VALUE("x", TENSOR_TYPE("1", "1{2\"N\"}")) "11" VALUE("s", "4{1{" FLOAT2 "}}")
          "11" VALUE("m", "5{1:8 2{9{1{1{1:1 2{}}}}}}") OUT("y") "5{1:3 2:22 5[1 -2 7] 8\"v\"} 5{1:2 2:8 6\"a\" 6\"b\"}"
          "5{1:1 2:15 10#(1 2)} 5{1:2 2:10 9/00000000/} 5{2:13 11:7} 5{2:7 7[3]}"
          "15{1{1:1 2:1 4(5) 8\"s\"} 2{1:1 2:7 7[1]} 3:2}"
          NODE("n", "Attrs", I("x") I("") I("x"), O("y"), A("f", "1", "2=1.5") A("is", "7", "8:1 8:2")
               A("t", "4", "5{2:1 4(1)}") A("ss", "8", "9\"a\" 9\"\"") A("fs", "6", "7(1 2)") A("i", "2", "3:3")
               A("s", "3", "4\"s\""))),
    MODEL(IN("x") OUT("y") "5{2:9 9/01/ 8\"c\"}"
          NODE("if", "If", I("c"), O("y"),
               A("then_branch", "5", "6" BRANCH("a", NODE("", "Add", I("x") I("x"), O("a"), "")))
               A("else_branch", "5", "6" BRANCH("b", NODE("", "Twice", I("x"), O("b"),
                 A("body", "5", "6{11{1\"p\"} 12{1\"q\"}" NODE("", "Neg", I("p"), O("q"), "") "}")))))),
    MODEL(IN("x") OUT("y") "1{1\"x\" 2\"y\" 4\"f\" 7\"d\" 5{1\"al\" 20:1 2=3}}")
    "8{1\"d\" 2:1} 25{1\"f\" 10\"d\" 4\"a\" 4\"o\" 5\"b\" 6\"al\" 11{1\"be\" 20:2 3:5} 9{1\"\" 2:17}"
    "7{1\"t\" 2\"b\" 4\"Neg\"} 7{1\"a\" 1\"o\" 2\"t\" 4\"Attrs\" 5{1\"f\" 20:1 21\"al\"} 5{1\"i\" 20:2 21\"be\"}}}",
    ("1:2 7{11{1\"x\" 2{1{1:1 2{1{1:-1} 1{} 1{1:3 2\"M\"}}}}}"
     "5{1:2 2:1 14:1 13{1\"location\" 2\"m.data\"} 13{1\"offset\" 2\"4\"}}}"),
    "1:2 2:1 4(1 2)",
};

static const char *const words[] = {
    "\x0A", "\x12", "\x1A", "\x22", "\x2A", "\x32", "\x3A", "\x42", "\x4A", "\x7A", "\xA0\x01\x05", "\x08\x01",
    "\x80\x80\x80\x80\x10", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "\xFF\xFF\xFF\xFF\x0F", "x", "y",
};

int main(int argc, char **argv)
{
    Ctx *c = ctx_new();
    File files[COUNT(seeds)];
    if (!c)
        return 1;
    for (int i = 0; i < COUNT(seeds); i++)
        files[i] = *onnx_of(c, seeds[i]);
    const Fuzz z = {COUNT(seeds), COUNT(words), files, words, 200, NULL};
    const int status = fuzz_main(argc, argv, &z);
    ctx_free(c);
    return status;
}

#endif
