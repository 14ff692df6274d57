# A model to be timed, as ONNX text: awk -v model=NAME -f models.awk. NAME is a network of the shapes of MLPerf Tiny,
# resnet8, dscnn, mobilenet (v1, a quarter of the channels), autoencoder; or one operator, with its sizes:
#
#     matmul-M-K-N  product-M-K-N             the right operand constant; both at run time
#     conv-K-S-IN-OUT-SIZE  depthwise-K-C-SIZE      kernel, stride, channels, edge of the image (of the input)
#     softmax-R-C  layernorm-R-C  gelu-N  chain-N
#
# Weights are made up: uniform, with the deviation that keeps the size of values from layer to layer (He). Padding is
# what keeps ceil(size / stride).

function uniform() {    # in -1 .. 1; Lehmer's generator, in 46 bits: the same in every awk
    seed = seed * 16807 % 2147483647
    return seed / 1073741823.5 - 1
}

function weight(dims, fan,    name, d, n, k, i, gain) {
    name = "w" weights++
    n = split(dims, d, ",")
    k = 1
    for (i = 1; i <= n; i++) k *= d[i]
    gain = sqrt(6 / fan)
    printf "%sfloat[%s] %s = {", weights == 1 ? "  <" : ",\n   ", dims, name
    for (i = 0; i < k; i++) printf "%s%.5g", i ? "," : "", gain * uniform()
    printf "}"
    return name
}

function node(text) {
    body = body "  t" ++last " = " text "\n"
    return "t" last
}

function relu(x) { return node("Relu(" x ")") }

function pads(in_, k, s,    out, all) {      # of one dimension: sets before and after, gives the output's size
    out = int((in_ + s - 1) / s)
    all = (out - 1) * s + k - in_
    if (all < 0) all = 0
    before = int(all / 2)
    after = all - before
    return out
}

# Of h x w pixels, which it sets anew. groups: 1, or all channels.
function conv(x, kh, kw, s, from, to, groups,    top, bottom, w_, b) {
    h = pads(h, kh, s); top = before; bottom = after
    w = pads(w, kw, s)
    w_ = weight(to "," from / groups "," kh "," kw, from / groups * kh * kw)
    b = weight(to, 100)
    return node("Conv <strides = [" s ", " s "], pads = [" top ", " before ", " bottom ", " after "], group = " groups \
        "> (" x ", " w_ ", " b ")")
}

function dense(x, from, to) { return node("Gemm(" x ", " weight(from "," to, from) ", " weight(to, 100) ")") }

function classify(x, from, to) {
    x = node("Flatten(" node("GlobalAveragePool(" x ")") ")")
    return node("Softmax(" dense(x, from, to) ")")
}

function open(ins, out) {
    print "<ir_version: 8, opset_import: [\"\" : 20]>\n" "g (" ins ") => (float[" out "] y)"
}

# ---- networks --------------------------------------------------------------------------------------------------------

function residual(x, s, from, to,    y, side, size) {
    size = h
    y = relu(conv(x, 3, 3, s, from, to, 1))
    y = conv(y, 3, 3, 1, to, to, 1)
    side = x
    if (s > 1) {
        h = w = size
        side = conv(x, 1, 1, s, from, to, 1)
    }
    return relu(node("Add(" y ", " side ")"))
}

function resnet8(    x) {
    open("float[1,3,32,32] x", "1,10")
    h = w = 32
    x = relu(conv("x", 3, 3, 1, 3, 16, 1))
    x = residual(x, 1, 16, 16)
    x = residual(x, 2, 16, 32)
    x = residual(x, 2, 32, 64)
    return classify(x, 64, 10)
}

function separable(x, s, from, to) {
    x = relu(conv(x, 3, 3, s, from, from, from))
    return relu(conv(x, 1, 1, 1, from, to, 1))
}

function dscnn(    x, i) {
    open("float[1,1,49,10] x", "1,12")
    h = 49; w = 10
    x = relu(conv("x", 10, 4, 2, 1, 64, 1))
    for (i = 0; i < 4; i++) x = separable(x, 1, 64, 64)
    return classify(x, 64, 12)
}

function mobilenet(    x, i, n, d, from) {
    open("float[1,3,96,96] x", "1,2")
    h = w = 96
    x = relu(conv("x", 3, 3, 2, 3, 8, 1))
    n = split("1,16 2,32 1,32 2,64 1,64 2,128 1,128 1,128 1,128 1,128 1,128 2,256 1,256", layers, " ")
    from = 8
    for (i = 1; i <= n; i++) {
        split(layers[i], d, ",")
        x = separable(x, d[1], from, d[2])
        from = d[2]
    }
    return classify(x, 256, 2)
}

function autoencoder(    x, i, n, sizes) {
    open("float[1,640] x", "1,640")
    n = split("640 128 128 128 128 8 128 128 128 128", sizes, " ")
    x = "x"
    for (i = 1; i < n; i++) x = relu(dense(x, sizes[i], sizes[i + 1]))
    return dense(x, 128, 640)
}

# ---- operators -------------------------------------------------------------------------------------------------------

function operator(a,    x, k) {
    if (a[1] == "matmul") {
        open("float[" a[2] "," a[3] "] x", a[2] "," a[4])
        return node("MatMul(x, " weight(a[3] "," a[4], a[3]) ")")
    }
    if (a[1] == "product") {
        open("float[" a[2] "," a[3] "] x, float[" a[3] "," a[4] "] z", a[2] "," a[4])
        return node("MatMul(x, z)")
    }
    if (a[1] == "conv") {
        h = w = a[6]
        k = pads(h, a[2], a[3])
        open("float[1," a[4] "," h "," w "] x", "1," a[5] "," k "," k)
        return conv("x", a[2], a[2], a[3], a[4], a[5], 1)
    }
    if (a[1] == "depthwise") {
        h = w = a[4]
        open("float[1," a[3] "," h "," w "] x", "1," a[3] "," h "," w)
        return conv("x", a[2], a[2], 1, a[3], a[3], a[3])
    }
    if (a[1] == "softmax" || a[1] == "layernorm") {
        open("float[" a[2] "," a[3] "] x", a[2] "," a[3])
        return node(a[1] == "softmax" ? "Softmax <axis = -1> (x)" : \
            "LayerNormalization(x, " weight(a[3], 100) ", " weight(a[3], 100) ")")
    }
    open("float[" a[2] "] x", a[2])
    if (a[1] == "gelu") return node("Gelu(x)")
    x = node("Mul(x, " weight("1", 1) ")")
    x = node("Relu(" node("Add(" x ", " weight("1", 1) ")") ")")
    x = node("Sub(" x ", " weight("1", 1) ")")
    x = node("Abs(" node("Mul(" x ", x)") ")")
    x = node("Neg(" x ")")
    return node("Max(" x ", " weight("1", 1) ")")
}

BEGIN {
    seed = 1
    split(model, part, "-")
    if (model == "resnet8") y = resnet8()
    else if (model == "dscnn") y = dscnn()
    else if (model == "mobilenet") y = mobilenet()
    else if (model == "autoencoder") y = autoencoder()
    else y = operator(part)
    print (weights ? ">" : "") "\n{\n" body "  y = Identity(" y ")\n}"
}
