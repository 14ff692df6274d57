/* Fuzzer of the reader of OpenVINO IR and the import: any bytes are read, whatever they are, without a crash, a leak or
 * a hang.
 *
 *   fuzz_openvino [SECONDS] [--seed N]     changes the model below at random; ends with "N passed, N failed"
 *   fuzz_openvino FILE...                  reads these files, and each of them with bits flipped
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -DLIBFUZZER -fsanitize=fuzzer,address,undefined -DBURIN_TEST -Ifrontend \
 *       -Iir/base -Iir/loop -Iir/graph -Iir/ops -Iir/kit -Ibuild/frontend $(xml2-config --cflags) \
 *       tests/fuzz_openvino.c frontend/[a-z]*.c build/frontend/[a-z]*.c ir/[a-z]*\/[a-z]*.c -lprotobuf-nanopb -lxml2 \
 *       -lm -o fuzz_openvino
 *                                          after make; then fuzz_openvino CORPUS_FOLDER
 *
 * Constants are looked for in a file of 4 KiB. Memory is bounded by the size of the file. The table of operators, which
 * takes longer than reading a small model, is made once, in a context below that of each input. */
#define BYTES_A_BYTE 2048

#include "fuzz_bytes.h"
#include "ops.h"

#include <unistd.h>

static char weights[64];             /* the file, made at the first use */
static Ctx *tables;                  /* whose operators all inputs share */

static void remove_weights(void)
{
    unlink(weights);
}

static void make_once(void)
{
    const OpList lists[] = {{ops_table, ops_count, false}, {openvino_ops, openvino_count, true}};
    char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 7 ? 0 : i / 7 % 5);
    snprintf(weights, sizeof weights, "/tmp/fuzz_openvino.%ld.bin", (long)getpid());
    FILE *f = fopen(weights, "wb");
    if (!f || fwrite(bytes, 1, sizeof bytes, f) != sizeof bytes || fclose(f) || atexit(remove_weights))
        abort();
    tables = ctx_new();
    if (!tables)
        abort();
    tables->ops = op_tables_new(tables, COUNT(lists), lists);
}

static void read_one(Ctx *c, void *arg)
{
    const ReadOptions o = {.weights = weights};
    const Run *r = arg;
    if (!tables)
        make_once();
    c->under = tables;
    c->ops = tables->ops;
    File *f = NEW(c, File);
    *f = (File){"m.xml", (const char *)r->data, r->n};
    frontend_format(f->data, f->size);
    frontend_import(c, openvino_read(c, f, &o), &o);
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

static const char *const values[] = {
    "0", "1", "2", "-1", "3", "7", "1,1", "0,0", "-9223372036854775808", "99999999999", "", "true", "f16", "i32",
    "u1", "i4", "boolean", "same_upper", "explicit", "1,2,4", "1,?", "x", "nan", "1e99", "opset1", "opset5", "Add",
    "Gather", "Transpose", "Tile", "VariadicSplit", "Broadcast", "Loop", "If", "TopK", "Interpolate", "GRUSequence",
    "DetectionOutput", "NonMaxSuppression", "ConvolutionBackpropData", "Pad", "MatMul", "ReduceSum", "RegionYolo",
    "Split", "Result", "Const", "MVN", "Roll", "Einsum"};

static const char *const words[] = {
    "<", ">", "/>", "</layer>", "<body>", "&lt;", "&#0;", "<![CDATA[x]]>", "<!-- -->", "\"", "<!DOCTYPE a>",
    "<?p ?>", "</edges>", "<port id=\"3\"/>", "<dim>2</dim>", "\xC3",
};

/* Another value for an attribute. */
static void change_value(Bytes *b)
{
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

int main(int argc, char **argv)
{
    File files[COUNT(seeds)];
    for (int i = 0; i < COUNT(seeds); i++)
        files[i] = (File){"seed", seeds[i], strlen(seeds[i])};
    const Fuzz z = {COUNT(seeds), COUNT(words), files, words, 50, change_value};
    return fuzz_main(argc, argv, &z);
}

#endif
