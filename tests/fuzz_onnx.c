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
#include "onnx_write.h"

#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct Run { const uint8_t *data; size_t n; long fail; } Run;

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
    static const ReadOptions options[] = {{0}, {2, 0, 0, binds, NULL, NULL}};
    const Run *r = arg;
    File *f = NEW(c, File);
    *f = (File){"m", (const char *)r->data, r->n};
    give_ops(c);
    frontend_format(f->data, f->size);
    const MModel *m = onnx_read(c, f);
    Graph *g = frontend_import(c, m, &options[r->n % (size_t)COUNT(options)]);
    if (g && !c->errors && !r->fail)
        again(c, g);
    pbfile_read(c, f, (Type){DT_F32, 0, NULL});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    Run r = {data, n, 0};
    if (n && data[0] == 0xFF)        /* let an allocation fail */
        r = (Run){data + 1, n - 1, 1 + (long)(data[n - 1] * 7)};
    Ctx *c = ctx_new();
    if (!c)
        return 0;
    c->fail_alloc = r.fail;
    ctx_run(c, read_one, &r);
    c->fail_alloc = 0;
    FILE *f = fopen("/dev/null", "w");
    if (f) {
        diag_flush(c, f);
        fclose(f);
    }
    if (c->peak > 256 * n + (64 << 20)) {
        fprintf(stderr, "%zu bytes of memory for a file of %zu\n", c->peak, n);
        abort();
    }
    ctx_free(c);
    return 0;
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

/* ---- changing them --------------------------------------------------------------------------------------------- */

typedef struct Bytes { uint8_t *at; size_t n, cap; } Bytes;

static uint64_t state = 1;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state >> 11) % n : 0;
}

/* In place of `drop` bytes at `at`. */
static void splice(Bytes *b, size_t at, size_t drop, const void *in, size_t n)
{
    if (b->n - drop + n > b->cap)
        return;
    memmove(b->at + at + n, b->at + at + drop, b->n - at - drop);
    if (n)
        memmove(b->at + at, in, n);
    b->n += n - drop;
}

static void change(Bytes *b, const File *other)
{
    static const char *const words[] = {
        "\x0A", "\x12", "\x1A", "\x22", "\x2A", "\x32", "\x3A", "\x42", "\x4A", "\x7A", "\xA0\x01\x05", "\x08\x01",
        "\x80\x80\x80\x80\x10", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "\xFF\xFF\xFF\xFF\x0F", "x", "y",
    };
    size_t at = below(b->n + 1), left = b->n - at, run = below(left < 40 ? left + 1 : 40);
    uint8_t byte = (uint8_t)below(256);
    char copy[64];
    const char *word;
    switch (below(8)) {
    case 0: splice(b, at, left > 0, &byte, 1); break;
    case 1: splice(b, at, run, NULL, 0); break;
    case 2: case 3:
        if (left)
            b->at[at] ^= (uint8_t)(1u << below(8));
        break;
    case 4:
        memcpy(copy, b->at + at, run);
        splice(b, below(b->n + 1), 0, copy, run);
        break;
    case 5:
        at = below(other->size);
        splice(b, below(b->n + 1), 0, other->data + at, below(other->size - at < 64 ? other->size - at : 64));
        break;
    case 6:
        word = words[below((size_t)COUNT(words))];
        splice(b, at, below(2) && left >= strlen(word) ? strlen(word) : 0, word, strlen(word));
        break;
    default: b->n = below(8) ? b->n : at; break;
    }
}

static void one(Bytes *b, const File *const *files)
{
    const File *f = files[below((size_t)COUNT(seeds))];
    b->n = 0;
    splice(b, 0, 0, f->data, f->size);
    if (!below(8))
        splice(b, 0, 0, "\xFF", 1);
    for (size_t n = below(6); n > 0; n--)
        change(b, files[below((size_t)COUNT(seeds))]);
    LLVMFuzzerTestOneInput(b->at, b->n);
}

/* The file, and some hundred copies of it, each with a bit flipped or cut short. */
static long read_file(const char *path)
{
    Ctx *c = ctx_new();
    const File *f = c ? file_map(c, path) : NULL;
    long done = 0;
    if (!f)
        fprintf(stderr, "%s: cannot be read\n", path);
    uint8_t *copy = f ? mem_copy(c, f->data, f->size) : NULL;
    for (; f && done < 200; done++) {
        size_t at = below(f->size);
        copy[at] ^= (uint8_t)(done ? 1u << below(8) : 0);
        LLVMFuzzerTestOneInput(copy, done % 8 == 7 ? at : f->size);
        copy[at] = (uint8_t)f->data[at];
    }
    ctx_free(c);
    return done;
}

int main(int argc, char **argv)
{
    double seconds = 10;
    long done = 0, files = 0;
    Ctx *c = ctx_new();
    const File *models[COUNT(seeds)];
    Bytes b = {malloc(1 << 16), 0, 1 << 16};
    if (!c || !b.at)
        return 1;
    for (int i = 0; i < COUNT(seeds); i++)
        models[i] = onnx_of(c, seeds[i]);
    for (int i = 1; i < argc; i++) {
        char *end;
        double number = strtod(argv[i], &end);
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            state = strtoull(argv[++i], NULL, 10) * 2 + 1;
        else if (end != argv[i] && !*end)
            seconds = number;
        else
            files += read_file(argv[i]);
    }
    time_t start = time(NULL);
    while (!files && difftime(time(NULL), start) < seconds)
        for (int i = 0; i < 100; i++, done++)
            one(&b, models);
    free(b.at);
    ctx_free(c);
    printf("%ld passed, 0 failed\n", done + files);
    return 0;
}

#endif
