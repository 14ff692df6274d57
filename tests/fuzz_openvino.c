/* Fuzzer of the reader of OpenVINO IR and the import: any bytes are read, whatever they are, without a crash, a leak or
 * a hang.
 *
 *   fuzz_openvino [SECONDS] [--seed N]     changes the model below at random; ends with "N passed, N failed"
 *   fuzz_openvino FILE...                  reads these files, and each of them with bytes changed
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -DLIBFUZZER -fsanitize=fuzzer,address,undefined -DBURIN_TEST -Ifrontend \
 *       -Iir/base -Iir/loop -Iir/graph -Iir/ops -Ibuild/frontend $(xml2-config --cflags) tests/fuzz_openvino.c \
 *       frontend/[a-z]*.c build/frontend/[a-z]*.c ir/[a-z]*\/[a-z]*.c -lprotobuf-nanopb -lxml2 -lm -o fuzz_openvino
 *                                          after make; then fuzz_openvino CORPUS_FOLDER
 *
 * Constants are looked for in a file of 4 KiB. Memory is bounded by the size of the file. */
#include "frontend.h"
#include "ops.h"

#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct Run { const uint8_t *data; size_t n; long fail; } Run;

static char weights[64];             /* the file, made at the first use */

static void weights_make(void)
{
    char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 7 ? 0 : i / 7 % 5);
    snprintf(weights, sizeof weights, "/tmp/fuzz_openvino.%ld.bin", (long)getpid());
    FILE *f = fopen(weights, "wb");
    if (!f || fwrite(bytes, 1, sizeof bytes, f) != sizeof bytes || fclose(f))
        abort();
}

static void read_one(Ctx *c, void *arg)
{
    const ReadOptions o = {.weights = weights};
    const Run *r = arg;
    File *f = NEW(c, File);
    *f = (File){"m.xml", (const char *)r->data, r->n};
    c->ops = op_tables_new(c, 2, (const OpList[]){{ops_table, ops_count, false}, {openvino_ops, openvino_count, true}});
    frontend_format(f->data, f->size);
    frontend_import(c, openvino_read(c, f, &o), &o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    Run r = {data, n, 0};
    if (!*weights)
        weights_make();
    if (n && data[0] == 0xFF)        /* let an allocation fail */
        r = (Run){data + 1, n - 1, 20000 + (long)(data[n - 1] * 7)};
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
    if (c->peak > 2048 * n + (64 << 20)) {
        fprintf(stderr, "%zu bytes of memory for a file of %zu\n", c->peak, n);
        abort();
    }
    ctx_free(c);
    return 0;
}

#ifndef LIBFUZZER

/* ---- models to begin with ---------------------------------------------------------------------------------------- */

#define LAYER(id, type, data, ports) \
    "<layer id=\"" id "\" name=\"n" id "\" type=\"" type "\" version=\"opset8\"><data " data "/>" ports "</layer>\n"
#define IN(k) "<port id=\"" k "\"/>"
#define OUT(k, dims) "<output><port id=\"" k "\" precision=\"FP32\">" dims "</port></output>"
#define D(n) "<dim>" n "</dim>"
#define EDGE(a, p, b, q) \
    "<edge from-layer=\"" a "\" from-port=\"" p "\" to-layer=\"" b "\" to-port=\"" q "\"/>\n"
#define CONST(id, type, shape, size) \
    LAYER(id, "Const", "element_type=\"" type "\" shape=\"" shape "\" offset=\"0\" size=\"" size "\"", OUT("0", ""))
#define NET(layers, edges)                                                                                             \
    "<?xml version=\"1.0\"?>\n<net name=\"g\" version=\"11\"><layers>\n" layers "</layers><edges>" edges               \
    "</edges></net>\n"

static const char *const seeds[] = {
    NET(LAYER("0", "Parameter", "shape=\"1,2,4,4\" element_type=\"f32\"",
              OUT("0", D("1") D("2") D("4") D("4"))) CONST("1", "f16", "2,2,2,2", "32")
            LAYER("2", "Convert", "destination_type=\"f32\"", "<input>" IN("0") "</input>" OUT("1", "")) LAYER(
                "3", "Convolution",
                "strides=\"1,1\" pads_begin=\"1,0\" pads_end=\"0,1\" dilations=\"1,1\" auto_pad=\"valid\"",
                "<input>" IN("0") IN("1") "</input>" OUT("2", D("1") D("2") D("3") D("3")))
                LAYER("4", "MaxPool",
                      "kernel=\"2,2\" strides=\"1,1\" pads_begin=\"0,0\" pads_end=\"0,0\" dilations=\"1,1\" "
                      "rounding_type=\"ceil\"",
                      "<input>" IN("0") "</input>" OUT("1", "")) CONST("5", "i64", "2", "16")
                    LAYER("6", "Reshape", "special_zero=\"true\"", "<input>" IN("0") IN("1") "</input>" OUT("2", ""))
                        LAYER("7", "StridedSlice", "begin_mask=\"1,0\" end_mask=\"0,1\" shrink_axis_mask=\"0,1\"",
                              "<input>" IN("0") IN("1") IN("2") "</input>" OUT("3", ""))
                            LAYER("8", "Result", "", "<input>" IN("0") "</input>"),
        EDGE("1", "0", "2", "0") EDGE("0", "0", "3", "0") EDGE("2", "1", "3", "1") EDGE("3", "2", "4", "0")
            EDGE("4", "1", "6", "0") EDGE("5", "0", "6", "1") EDGE("6", "2", "7", "0") EDGE("5", "0", "7", "1")
                EDGE("5", "0", "7", "2") EDGE("7", "3", "8", "0")),
    NET(LAYER("0", "Parameter", "shape=\"3,2\" element_type=\"f32\"", OUT("0", D("3") D("2"))) LAYER(
            "1", "TensorIterator", "",
            "<input>" IN("0") "</input>" OUT(
                "1",
                D("3") D("2")) "<port_map><input axis=\"0\" external_port_id=\"0\" internal_layer_id=\"0\" start=\"0\" "
                               "end=\"-1\" stride=\"1\" "
                               "part_size=\"1\"/><output axis=\"0\" external_port_id=\"1\" "
                               "internal_layer_id=\"2\"/></port_map>"
                               "<back_edges><edge from-layer=\"2\" to-layer=\"3\"/></back_edges><body><layers>" LAYER(
                                   "0", "Parameter", "shape=\"1,2\" element_type=\"f32\"", OUT("0", D("1") D("2")))
                                   LAYER("1", "Tanh", "", "<input>" IN("0") "</input>" OUT("1", D("1") D("2")))
                                       LAYER("2", "Result", "", "<input>" IN("0") "</input>") "</layers><edges>" EDGE(
                                           "0", "0", "1", "0") EDGE("1", "1", "2", "0") "</edges></body>")
            CONST("3", "i32", "", "4") CONST("4", "f32", "1,2", "8") LAYER("5", "FakeQuantize", "levels=\"16\"",
                                                                           "<input>" IN("0") IN("1") IN("2") IN("3")
                                                                               IN("4") "</input>" OUT("5", ""))
                LAYER("6", "Concat", "axis=\"-1\"", "<input>" IN("0") IN("1") "</input>" OUT("2", "")) LAYER(
                    "7", "LSTMSequence", "hidden_size=\"2\" activations=\"sigmoid,tanh,tanh\" direction=\"reverse\"",
                    "<input>" IN("0") IN("1") IN("2") IN("3") IN("4") IN("5") IN("6") "</input>" OUT("7", ""))
                    LAYER("8", "PriorBox",
                          "min_size=\"8\" max_size=\"\" aspect_ratio=\"2\" offset=\"0.5\" variance=\"0.1\"",
                          "<input>" IN("0") IN("1") "</input>" OUT("2", ""))
                        LAYER("9", "Result", "", "<input>" IN("0") "</input>"),
        EDGE("0", "0", "1", "0") EDGE("1", "1", "5", "0") EDGE("4", "0", "5", "1") EDGE("4", "0", "5", "2")
            EDGE("4", "0", "5", "3") EDGE("4", "0", "5", "4") EDGE("5", "5", "6", "0") EDGE("0", "0", "6", "1")
                EDGE("6", "2", "9", "0") EDGE("4", "0", "8", "0") EDGE("4", "0", "8", "1")),
};

/* ---- changing them ----------------------------------------------------------------------------------------------- */

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
        memcpy(b->at + at, in, n);
    b->n += n - drop;
}

/* Another value for an attribute, or other text of a dimension. */
static void change_value(Bytes *b)
{
    static const char *const values[] = {
        "0", "1", "2", "-1", "3", "7", "1,1", "0,0", "-9223372036854775808", "99999999999", "", "true", "f16", "i32",
        "u1", "i4", "boolean", "same_upper", "explicit", "1,2,4", "1,?", "x", "nan", "1e99", "opset1", "opset5", "Add",
        "Gather", "Transpose", "Tile", "VariadicSplit", "Broadcast", "Loop", "If", "TopK", "Interpolate", "GRUSequence",
        "DetectionOutput", "NonMaxSuppression", "ConvolutionBackpropData", "Pad", "MatMul", "ReduceSum", "RegionYolo",
        "Split", "Result", "Const", "MVN", "Roll", "Einsum"};
    size_t at = below(b->n + 1);
    while (at < b->n && b->at[at] != '"')
        at++;
    size_t end = ++at;
    while (end < b->n && b->at[end] != '"')
        end++;
    const char *value = values[below((size_t)COUNT(values))];
    if (end < b->n)
        splice(b, at, end - at, value, strlen(value));
}

static void change(Bytes *b)
{
    static const char *const words[] = {"<",
                                        ">",
                                        "/>",
                                        "</layer>",
                                        "<body>",
                                        "&lt;",
                                        "&#0;",
                                        "<![CDATA[x]]>",
                                        "<!-- -->",
                                        "\"",
                                        "<!DOCTYPE a>",
                                        "<?p ?>",
                                        "</edges>",
                                        "<port id=\"3\"/>",
                                        "<dim>2</dim>",
                                        "\xC3"};
    size_t at = below(b->n + 1), left = b->n - at, run = below(left < 60 ? left + 1 : 60);
    uint8_t byte = (uint8_t)below(256);
    char copy[64];
    const char *word = words[below((size_t)COUNT(words))];
    switch (below(12)) {
    case 0: splice(b, at, left > 0, &byte, 1); break;
    case 1: splice(b, at, run, NULL, 0); break;
    case 2:
        memcpy(copy, b->at + at, run);
        splice(b, below(b->n + 1), 0, copy, run);
        break;
    case 3: splice(b, at, 0, word, strlen(word)); break;
    case 4: b->n = below(8) ? b->n : at; break;
    default: change_value(b); break;
    }
}

static void one(Bytes *b)
{
    const char *seed = seeds[below((size_t)COUNT(seeds))];
    b->n = 0;
    splice(b, 0, 0, seed, strlen(seed));
    if (!below(16))
        splice(b, 0, 0, "\xFF", 1);
    for (size_t n = below(6); n > 0; n--)
        change(b);
    LLVMFuzzerTestOneInput(b->at, b->n);
}

/* The file, and copies of it, each with a byte changed or cut short. */
static long read_file(const char *path)
{
    Ctx *c = ctx_new();
    const File *f = c ? file_map(c, path) : NULL;
    long done = 0;
    if (!f)
        fprintf(stderr, "%s: cannot be read\n", path);
    uint8_t *copy = f ? mem_copy(c, f->data, f->size) : NULL;
    for (; f && done < 50; done++) {
        size_t at = below(f->size);
        copy[at] = (uint8_t)(done ? below(256) : copy[at]);
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
    Bytes b = {malloc(1 << 16), 0, 1 << 16};
    if (!b.at)
        return 1;
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
        for (int i = 0; i < 20; i++, done++)
            one(&b);
    free(b.at);
    if (*weights)
        unlink(weights);
    printf("%ld passed, 0 failed\n", done + files);
    return 0;
}

#endif
