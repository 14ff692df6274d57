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
#include "text_ops.h"

#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct Run { const uint8_t *data; size_t n; long fail; } Run;

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
    static const ReadOptions options[] = {{0}, {2, 0, 0, binds, NULL, NULL}, {1, 1, 1, binds, shapes, types}};
    const Run *r = arg;
    const char *text = (const char *)r->data;
    give_ops(c);
    frontend_format(text, r->n);
    const MModel *m = text_read(c, source_of(c, text, r->n));
    Graph *g = frontend_import(c, m, &options[r->n % (size_t)COUNT(options)]);
    if (g && !c->errors && !r->fail)
        again(c, g);
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
        fprintf(stderr, "%zu bytes of memory for a text of %zu\n", c->peak, n);
        abort();
    }
    ctx_free(c);
    return 0;
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
    "float",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "=",
    "=>",
    ",",
    ":",
    ".",
    "@",
    "?",
    "\"",
    "\\",
    "#",
    "\n",
    " ",
    "-",
    "0",
    "1",
    "9",
    "1e39",
    "1e-50",
    "9223372036854775808",
    "inf",
    "nan",
    "nan(0x1)",
    "0x1p3",
    "...",
    "seq(",
    "int4",
    "uint2[3]",
    "string",
    "N",
    "x",
    "y",
    "Neg",
    "Add",
    "If",
    "Twice",
    "d.f",
    "\xC3\xB6",
    "\xFF",
    "opset_import",
    "[\"location\": \"/etc/passwd\"]",
    "then_branch",
    "ints",
    "[]",
    "float[2]{1,2}",
    "float[99999999999]",
    "float[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
    "g () => () {",
};

/* ---- changing them --------------------------------------------------------------------------------------------- */

typedef struct Text { uint8_t *at; size_t n, cap; } Text;

static uint64_t state = 1;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state >> 11) % n : 0;
}

/* In place of `drop` bytes at `at`. */
static void splice(Text *t, size_t at, size_t drop, const void *in, size_t n)
{
    if (t->n - drop + n > t->cap)
        return;
    memmove(t->at + at + n, t->at + at + drop, t->n - at - drop);
    if (n)
        memmove(t->at + at, in, n);
    t->n += n - drop;
}

static void change(Text *t)
{
    size_t at = below(t->n + 1), left = t->n - at, run = below(left < 40 ? left + 1 : 40);
    uint8_t byte = (uint8_t)below(256);
    char copy[64];
    const char *word;
    switch (below(7)) {
    case 0: splice(t, at, left > 0, &byte, 1); break;
    case 1: splice(t, at, run, NULL, 0); break;
    case 2: case 3:
        word = words[below((size_t)COUNT(words))];
        splice(t, at, below(2) ? 0 : run < 8 ? run : 8, word, strlen(word));
        break;
    case 4:
        memcpy(copy, t->at + at, run);
        splice(t, below(t->n + 1), 0, copy, run);
        break;
    case 5:
        word = seeds[below((size_t)COUNT(seeds))];
        at = below(strlen(word));
        splice(t, below(t->n + 1), 0, word + at, below(strlen(word) - at + 1));
        break;
    default: t->n = below(8) ? t->n : at; break;
    }
}

static void one(Text *t)
{
    const char *seed = seeds[below((size_t)COUNT(seeds))];
    t->n = 0;
    splice(t, 0, 0, seed, strlen(seed));
    if (!below(8))
        splice(t, 0, 0, "\xFF", 1);
    for (size_t n = below(6); n > 0; n--)
        change(t);
    LLVMFuzzerTestOneInput(t->at, t->n);
}

static void read_file(const char *path)
{
    Ctx *c = ctx_new();
    const File *f = c ? file_map(c, path) : NULL;
    if (f)
        LLVMFuzzerTestOneInput((const uint8_t *)f->data, f->size);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    ctx_free(c);
}

int main(int argc, char **argv)
{
    double seconds = 10;
    long done = 0, files = 0;
    Text t = {malloc(1 << 16), 0, 1 << 16};
    for (int i = 1; i < argc; i++) {
        char *end;
        double number = strtod(argv[i], &end);
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            state = strtoull(argv[++i], NULL, 10) * 2 + 1;
        else if (end != argv[i] && !*end)
            seconds = number;
        else {
            read_file(argv[i]);
            files++;
        }
    }
    time_t start = time(NULL);
    while (!files && t.at && difftime(time(NULL), start) < seconds)
        for (int i = 0; i < 100; i++, done++)
            one(&t);
    free(t.at);
    printf("%ld passed, 0 failed\n", done + files);
    return 0;
}

#endif
