# An OpenVINO IR model of n blocks, printed as OpenVINO prints it: awk -v n=N -f openvino.awk >m.xml. A block is a
# convolution with bias and ReLU, flattened by sizes that are read off its shape, and shaped back: 14 layers, of which 6
# are constants, all in the same 304 bytes: 64 floats, then int64 0, -1, 1, 8, 16, 16.

function port(id, type, dims,    i, d, k) {
    printf "\t\t\t\t<port id=\"%d\"%s>\n", id, type == "" ? "" : " precision=\"" type "\""
    k = split(dims, d, ",")
    for (i = 1; i <= k; i++)
        printf "\t\t\t\t\t<dim>%d</dim>\n", d[i]
    print "\t\t\t\t</port>"
}

# inputs: the ids of layers, in front of each, behind a colon, its dimensions: "3:1,8 4:1"
function layer(name, type, version, data, inputs, precision, dims,    i, k, in_, p) {
    printf "\t\t<layer id=\"%d\" name=\"%s\" type=\"%s\" version=\"%s\">\n", id, name, type, version
    if (data != "")
        printf "\t\t\t<data %s />\n", data
    k = split(inputs, in_, " ")
    if (k)
        print "\t\t\t<input>"
    for (i = 1; i <= k; i++) {
        split(in_[i], p, ":")
        port(i - 1, "", p[2])
        edges[nedges++] = sprintf("\t\t<edge from-layer=\"%d\" from-port=\"%d\" to-layer=\"%d\" to-port=\"%d\" />", p[1],
                                  outputs[p[1]], id, i - 1)
    }
    if (k)
        print "\t\t\t</input>"
    if (precision != "") {
        print "\t\t\t<output>"
        port(k, precision, dims)
        print "\t\t\t</output>"
    }
    print "\t\t</layer>"
    outputs[id] = k
    return id++
}

function constant(name, type, dims, offset, size) {
    return layer(name, "Const", "opset1", sprintf("element_type=\"%s\" shape=\"%s\" offset=\"%d\" size=\"%d\"", type,
                 dims, offset, size), "", type == "f32" ? "FP32" : "I64", dims)
}

function block(b, x,    w, at, s, zero, first, rest, t, back) {
    w = constant("block" b "/conv/weights", "f32", "8,8,1,1", 0, 256)
    x = layer("block" b "/conv", "Convolution", "opset1", "strides=\"1, 1\" dilations=\"1, 1\" pads_begin=\"0, 0\" " \
              "pads_end=\"0, 0\" auto_pad=\"explicit\"", x ":" shape " " w ":8,8,1,1", "FP32", shape)
    w = constant("block" b "/bias/value", "f32", "1, 8, 1, 1", 0, 32)
    x = layer("block" b "/bias", "Add", "opset1", "auto_broadcast=\"numpy\"", x ":" shape " " w ":1,8,1,1", "FP32", shape)
    x = layer("block" b "/relu", "ReLU", "opset1", "", x ":" shape, "FP32", shape)
    s = layer("block" b "/shape", "ShapeOf", "opset3", "output_type=\"i64\"", x ":" shape, "I64", "4")
    first = constant("block" b "/first", "i64", "1", 256, 8)
    zero = constant("block" b "/axis", "i64", "", 256, 8)
    at = layer("block" b "/batch", "Gather", "opset8", "batch_dims=\"0\"", s ":4 " first ":1 " zero ":", "I64", "1")
    rest = constant("block" b "/rest", "i64", "1", 264, 8)
    t = layer("block" b "/target", "Concat", "opset1", "axis=\"0\"", at ":1 " rest ":1", "I64", "2")
    x = layer("block" b "/flat", "Reshape", "opset1", "special_zero=\"true\"", x ":" shape " " t ":2", "FP32", "1,2048")
    back = constant("block" b "/sizes", "i64", "4", 272, 32)
    return layer("block" b "/back", "Reshape", "opset1", "special_zero=\"true\"", x ":1,2048 " back ":4", "FP32", shape)
}

BEGIN {
    shape = "1,8,16,16"
    print "<?xml version=\"1.0\"?>\n<net name=\"blocks\" version=\"11\">\n\t<layers>"
    x = layer("x", "Parameter", "opset1", "shape=\"" shape "\" element_type=\"f32\"", "", "FP32", shape)
    for (b = 0; b < n; b++)
        x = block(b, x)
    layer("y", "Result", "opset1", "", x ":" shape, "")
    print "\t</layers>\n\t<edges>"
    for (i = 0; i < nedges; i++)
        print edges[i]
    print "\t</edges>\n\t<rt_info />\n</net>"
}
