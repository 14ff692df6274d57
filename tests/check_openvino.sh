#!/usr/bin/env bash
# OpenVINO IR: what its XML and weights say arrives; twins of ONNX text give the same C; broken ones are refused with
# the file, the line and the reason. What each layer means stands in op/ov_*.txt.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# layer ID NAME TYPE VERSION DATA INPUTS OUTPUT...: INPUTS: how many ports; an OUTPUT: PRECISION:DIM,DIM
layer() {
    local id=$1 name=$2 type=$3 version=$4 data=$5 n=$6 k port
    shift 6
    printf '<layer id="%s" name="%s" type="%s" version="%s">' "$id" "$name" "$type" "$version"
    [ -z "$data" ] || printf '<data %s/>' "$data"
    [ "$n" = 0 ] || printf '<input>'
    for ((k = 0; k < n; k++)); do printf '<port id="%d"/>' $k; done
    [ "$n" = 0 ] || printf '</input>'
    [ $# = 0 ] || printf '<output>'
    for port in "$@"; do
        printf '<port id="%d" precision="%s">' "$k" "${port%%:*}"
        printf '%s' "${port#*:}" | sed -E 's|([^,]+),?|<dim>\1</dim>|g'
        printf '</port>'
        k=$((k + 1))
    done
    [ $# = 0 ] || printf '</output>'
    printf '</layer>\n'
}
const() { k=0 layer "$1" "$2" Const opset1 "element_type=\"$3\" shape=\"$4\" offset=\"$5\" size=\"$6\"" 0 "$7"; }
edge() { printf '<edge from-layer="%s" from-port="%s" to-layer="%s" to-port="%s"/>\n' "$@"; }
# net VERSION: layers from fd 0 up to a line "--", then edges
net() {
    printf '<?xml version="1.0"?>\n<net name="g" version="%s">\n<layers>\n' "$1"
    sed -e 's|^--$|</layers>\n<edges>|'
    printf '</edges>\n</net>\n'
}
param() { k=0 layer "$1" "$2" Parameter opset1 "shape=\"$3\" element_type=\"$4\"" 0 "$5:$3"; }
result() { layer "$1" "$2/sink" Result opset1 "" 1; }

# A convolution with bias and ReLU, flattened by the shape of its input, then a product and a softmax.
printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100' >w4          # 1 2 3 4
cat w4 w4 >w8
{ cat w8 w4; printf '\0\0\200\277\0\0\0\77'; } >twin.bin            # 8 + 4 floats, then -1 and 0.5
printf '\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377' >>twin.bin    # int64 0 and -1
layers() {
    param 0 x 1,1,3,3 f32 FP32
    const 1 w f32 2,1,2,2 0 32 FP32:2,1,2,2
    layer 2 conv Convolution opset1 \
        'strides="1,1" pads_begin="0,0" pads_end="0,0" dilations="1,1" auto_pad="explicit"' 2 \
        FP32:1,2,2,2
    const 3 b f32 1,2,1,1 48 8 FP32:1,2,1,1
    layer 4 sum Add opset1 'auto_broadcast="numpy"' 2 FP32:1,2,2,2
    layer 5 relu ReLU opset1 "" 1 FP32:1,2,2,2
    layer 6 shape ShapeOf opset3 'output_type="i64"' 1 I64:4
    const 7 zero i64 "" 56 8 I64:
    layer 8 batch Gather opset8 'batch_dims="0"' 3 I64:1
    const 9 rest i64 1 64 8 I64:1
    layer 10 target Concat opset1 'axis="0"' 2 I64:2
    layer 11 flat Reshape opset1 'special_zero="false"' 2 FP32:1,8
    const 12 m f32 1,8 0 32 FP32:1,8
    layer 13 scaled Multiply opset1 'auto_broadcast="numpy"' 2 FP32:1,8
    layer 14 y SoftMax opset8 'axis="-1"' 1 FP32:1,8
    result 15 y
    const 16 first i64 1 56 8 I64:1
}
edges() {
    edge 0 0 2 0; edge 1 0 2 1; edge 2 2 4 0; edge 3 0 4 1; edge 4 2 5 0; edge 5 1 6 0; edge 6 1 8 0; edge 16 0 8 1
    edge 7 0 8 2; edge 8 3 10 0; edge 9 0 10 1; edge 5 1 11 0; edge 10 2 11 1; edge 11 2 13 0; edge 12 0 13 1
    edge 13 2 14 0; edge 14 1 15 0
}
{ layers; echo --; edges; } | net 11 >twin.xml
cat >twin.onnxtxt <<'END'
<ir_version: 10, opset_import: ["" : 25]>
g (float[1,1,3,3] x) => (float[1,8] y)
  <float[2,1,2,2] w = {1, 2, 3, 4, 1, 2, 3, 4}, float[1,2,1,1] b = {-1, 0.5}, float[1,8] m = {1, 2, 3, 4, 1, 2, 3, 4}>
{
  conv = Conv <strides = [1,1], pads = [0,0,0,0], dilations = [1,1]> (x, w)
  sum = Add (conv, b)
  relu = Relu (sum)
  target = Constant <value_ints = [1, 8]> ()
  flat = Reshape (relu, target)
  scaled = Mul (flat, m)
  y = Softmax <axis = -1> (scaled)
}
END
plain() { sed -e '1,/\*\//d' "$1"; }             # without the comment in front, which tells the file
same_c() {
    "$BURIN" build "$1" -o a.c --prefix p && "$BURIN" build "$2" -o b.c --prefix p && diff <(plain a.c) <(plain b.c)
}
check "twins give the same C" same_c twin.xml twin.onnxtxt
{ layers | tac; echo --; edges | tac; } | net 11 >back.xml
cp twin.bin back.bin
check "layers in any order" same_c back.xml twin.onnxtxt
again() { "$BURIN" show twin.xml --as=text >shown.onnxtxt && same_c twin.xml shown.onnxtxt; }
check "what is shown as text parses back" again
check "no operator of OpenVINO is left" sh -c '! grep -q openvino\\.  shown.onnxtxt'
mkdir -p apart
cp twin.xml apart/other.xml
check "--weights-file" "$BURIN" build apart/other.xml --weights-file twin.bin -o a.c
sed 's/version="11"/version="10"/' twin.xml >ten.xml
cp twin.bin ten.bin
check "IR version 10" same_c ten.xml twin.onnxtxt
tr -d '\n' <twin.xml >oneline.xml
cp twin.bin oneline.bin
check "all in one line" same_c oneline.xml twin.onnxtxt
sed 's/ /\n\t/g;s/<dim>8/<dim> <!-- > -->8/' twin.xml >lines.xml
cp twin.bin lines.bin
check "a line for each attribute" same_c lines.xml twin.onnxtxt
iconv -f UTF-8 -t UTF-16 twin.xml >wide.xml
cp twin.bin wide.bin
check "UTF-16" same_c wide.xml twin.onnxtxt
{ echo '<?xml version="1.0" encoding="ISO-8859-1"?>'; sed '1d;s/name="conv"/name="K\xE4se"/' twin.xml; } >latin.xml
cp twin.bin latin.bin
check "ISO-8859-1" sh -c '"$1" show latin.xml --as=text | grep -q "\"Käse\" = Conv"' - "$BURIN"
sed "s/name=\"conv\"/name='\&lt;a\&amp;b\&quot;c\&#38;\&apos;\&#xE4;'/" twin.xml >names.xml
cp twin.bin names.bin
"$BURIN" show names.xml --as=text >shown.onnxtxt
check "names with any character" grep -qF "\"<a&b\\\"c&'ä\" = Conv" shown.onnxtxt
check "which parse back" same_c names.xml shown.onnxtxt
printf '<?before a="<b>"?><!-- & < -->\r\n' >marks.xml
sed '1d;s/$/\r/;s|<layers>|<rt_info><layers/></rt_info><layers><!-- <layer> -->|;s|<dim>8|<dim><?p?>\n    8|' \
    twin.xml >>marks.xml
cp twin.bin marks.bin
check "comments, instructions, CRLF" same_c marks.xml twin.onnxtxt
{ printf '\357\273\277'; cat twin.xml; } >bom.xml
cp twin.bin bom.bin
check "a byte order mark" same_c bom.xml twin.onnxtxt

# prints NAME FILE LINE...: what burin run says of it
prints() {
    local name=$1 file=$2
    shift 2
    if diff <("$BURIN" run "$file" 2>&1) <(printf '%s\n' "$@") >diff.log; then pass "$name"
    else fail "$name" "$(cat diff.log)"; fi
}
# Element types: what a constant holds comes out, converted.
printf '\0\74\0\300\17\245\1\2' >types.bin              # f16 1 -2; then bytes 0f a5 01 02
{
    const 0 h f16 2 0 4 FP16:2
    layer 1 h1 Convert opset1 'destination_type="f32"' 1 FP32:2
    result 2 h1
    const 3 n u4 4 4 2 U4:4
    layer 4 n1 Convert opset1 'destination_type="i32"' 1 I32:4
    result 5 n1
    const 6 i i4 4 4 2 I4:4
    layer 7 i1 Convert opset1 'destination_type="i32"' 1 I32:4
    result 8 i1
    const 9 u u1 10 4 2 BIN:10
    layer 10 u1 Convert opset1 'destination_type="i32"' 1 I32:10
    result 11 u1
    const 12 t boolean 4 4 4 BOOL:4
    layer 13 t1 Convert opset1 'destination_type="i32"' 1 I32:4
    result 14 t1
    const 15 g f16 "" 0 2 FP16:
    layer 16 g1 Negative opset1 "" 1 FP16:
    result 17 g1
    echo --
    edge 0 0 1 0; edge 1 1 2 0; edge 3 0 4 0; edge 4 1 5 0; edge 6 0 7 0; edge 7 1 8 0; edge 9 0 10 0; edge 10 1 11 0
    edge 12 0 13 0; edge 13 1 14 0; edge 15 0 16 0; edge 16 1 17 0
} | net 11 >types.xml
prints "element types" types.xml 'h1 float[2] = 1 -2' 'n1 int32[4] = 15 0 5 10' 'i1 int32[4] = -1 0 5 -6' \
    'u1 int32[10] = 0 0 0 0 1 1 1 1 1 0' 't1 int32[4] = 1 1 1 1' 'g1 float16 = -1'

# Split into 3000 ports that are numbered 10, 13, 16 ..., of which the results read the last one and the first.
LC_ALL=C awk 'BEGIN { for (i = 0; i < 3000; i++) printf "\001%c%c%c%c%c%c%c", 0, 0, 0, 0, 0, 0, 0 }' >ports.bin
printf '\0\0\0\0\0\0\0\0' >>ports.bin
{
    param 0 x 3000 f32 FP32
    const 1 axis i64 "" 24000 8 I64:
    const 2 lengths i64 3000 0 24000 I64:3000
    echo '<layer id="3" name="s" type="VariadicSplit" version="opset1">'
    echo '<input><port id="0"/><port id="7"/><port id="4"/></input><output>'
    for ((k = 0; k < 3000; k++)); do echo "<port id=\"$((10 + 3 * k))\" precision=\"FP32\"><dim>1</dim></port>"; done
    echo '</output></layer>'
    result 4 last
    result 5 first
    echo --
    edge 0 0 3 0; edge 1 0 3 7; edge 2 0 3 4; edge 3 9007 4 0; edge 3 10 5 0
} | net 11 >ports.xml
"$BURIN" show ports.xml --as=text >shown.onnxtxt
check "ports with gaps, in any number" grep -q '=> (float\[1\] "s.2999", float\[1\] "s.0")' shown.onnxtxt

# ---- bad input ------------------------------------------------------------------------------------------------------
# refused NAME PATTERN [FILE [OPTION...]]: the file, bad.xml if none is named, is refused with a message that matches
refused() {
    local name=$1 pattern=$2 file=${3:-bad.xml}
    shift 2
    [ $# = 0 ] || shift
    timeout 60 "$BURIN" build "$file" -o refused.c "$@" >said 2>&1
    local status=$?
    if [ $status != 1 ] || grep -qE 'Sanitizer|runtime error|internal error' said; then
        fail "$name" "status $status: $(head -c 300 said)"
    elif ! grep -qE -- "$pattern" said; then fail "$name" "should match '$pattern': $(head -c 300 said)"
    elif [ -e refused.c ]; then fail "$name" "wrote refused.c"
    else pass "$name"
    fi
}
# twin with something changed, then refused
changed() {
    local name=$1 pattern=$2
    shift 2
    sed -E "$@" twin.xml >bad.xml
    cp twin.bin bad.bin
    refused "$name" "$pattern"
}
head -c 1500 twin.xml >bad.xml
refused "cut short" '^bad.xml:[0-9]+: error: the XML is not well-formed'
printf '%s\n' '<?xml version="1.0"?>' \
    '<!DOCTYPE net [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' \
    '<net name="&b;" version="11"/>' >bad.xml
refused "entities" 'document type declaration'
printf '<?xml version="1.0"?>\n<!DOCTYPE net SYSTEM "file:///etc/passwd">\n<net version="11"/>' >bad.xml
refused "an external DTD" 'document type declaration'
{ printf '<net version="11"><layers>'; yes '<layer>' | head -n 5000 | tr -d '\n'; } >bad.xml
refused "deep nesting" 'elements are nested more than 256 deep'
{ printf '<net version="11">'; yes '<layers><layer id="0" type="Loop"><body>' | head -n 90 | tr -d '\n'; } >bad.xml
refused "deep bodies" 'elements are nested more than 256 deep'
echo '<model/>' >bad.xml; sed -i '1i <?xml version="1.0"?>' bad.xml
refused "another root" '^bad.xml:2: error: the root element is <model>'
echo '<net/>' >bad.xml
refused "an empty network" "version of <net> is not stated"
changed "an old version" 'version of <net> is 7: versions 10 and 11' 's/version="11"/version="7"/'
changed "no version" 'version of <net> is not stated' 's/(name="g") version="11"/\1/'
sed 's/twin/x/' twin.xml >bad.xml; rm -f bad.bin
refused "no weights" '^bad.xml:5: error: .*cannot be read'
refused "no weights: the remedy" 'weights-file'
refused "weights that are not there" "'nowhere.bin' cannot be read" bad.xml --weights-file nowhere.bin
head -c 40 twin.bin >bad.bin
refused "short weights" 'is cut short'
changed "an offset beyond" 'is cut short' 's/offset="48"/offset="480000000000"/'
changed "a negative offset" 'is negative|no numbers' 's/offset="48"/offset="-8"/'
changed "a wrong size" 'its length is 12 bytes, but its type takes 8' \
    's/size="8"\/>(.*)FP32/size="12"\/>\1FP32/;s/offset="48" size="8"/offset="48" size="12"/'
changed "a constant too large" 'shape .* cannot be read, or is too large' \
    's/shape="1,8"/shape="99999999999,99999999999"/'
changed "unknown layers" "operator 'openvino.Rely' is not known .*did you mean 'ReLU'" \
    's/type="ReLU"/type="Rely"/;s/"SoftMax"/"SoftMix"/'
check "all of them" grep -q "operator 'openvino.SoftMix'" said
changed "a circle" '^bad.xml:[0-9]+: error: the layers go round in a circle' \
    's/from-layer="0" from-port="0" to-layer="2"/from-layer="5" from-port="1" to-layer="2"/'
changed "no such layer" '^bad.xml:[0-9]+: error: an edge from layer 77: there is none' \
    's/from-layer="13"/from-layer="77"/'
changed "no such port" 'an edge from port 9 of layer .relu. \(ReLU\): it has no such output port' \
    's/from-layer="5" from-port="1" to-layer="11"/from-layer="5" from-port="9" to-layer="11"/'
changed "two edges to a port" 'input port 0 of layer .relu. \(ReLU\) has two edges' \
    's|</edges>|<edge from-layer="2" from-port="2" to-layer="5" to-port="0"/></edges>|'
changed "no edge to a port" 'input port 1 of layer .scaled. \(Multiply\): no edge leads to it' '/from-layer="12"/d'
changed "an id twice" 'two layers have the id 5' 's/layer id="4"/layer id="5"/'
changed "an attribute that is no number" \
    '^bad.xml:[0-9]+: error: layer .conv. \(Convolution\): attribute strides="1,x"' 's/strides="1,1"/strides="1,x"/'
changed "an attribute missing" "attribute 'strides' \(ints\) is missing" 's/strides="1,1"//'
changed "a shape that disagrees" "output 'y' is declared float\[1,9\], but computed as float\[1,8\]" \
    '/name="y"/s/<dim>8</<dim>9</'
changed "an unknown size" 'give the shape with --shape x=' 's/shape="1,1,3,3"/shape="1,1,?,3"/'
changed "a size that is no number" '^bad.xml:[0-9]+: error: layer .x. \(Parameter\): its shape "1,1,x,3" has .x.' \
    's/shape="1,1,3,3"/shape="1,1,x,3"/'
changed "a size of 20 digits" "has '12345678901234567890' where a size is expected" \
    's/shape="1,1,3,3"/shape="1,1,12345678901234567890,3"/'
changed "a size that is left out" 'its shape "1,,3,3" has' 's/shape="1,1,3,3"/shape="1,,3,3"/'
changed "a port's size that is no number" '<dim>x</dim>: a size is expected' 's|<dim>2</dim>|<dim>x</dim>|'
changed "a port's size of 20 digits" '<dim>12345678901234567890</dim>: a size' \
    's|<dim>2</dim>|<dim>12345678901234567890</dim>|'
changed "an unknown size, in a range" 'give the shape with --shape x=' 's/shape="1,1,3,3"/shape="1,1,2..8,3"/'
changed "an element type" "element type 'f99' is not supported" 's/element_type="i64"/element_type="f99"/'
sed 's/"ReLU"/"Rely"/' twin.xml | iconv -f UTF-8 -t UTF-16 >bad.xml
refused "UTF-16: the line" '^bad.xml:9: error: .*openvino.Rely'
printf '<?xml version="1.0"?>\n<!-- a\n -->\n<net name="a"\n\tversion="11">%b' \
    '<layers>\n<layer id="0"\n\tname="x"\n\ttype=""/>\n</layers></net>' >bad.xml
refused "a tag of several lines" '^bad.xml:6: error: the layer .x. has no type'
changed "no type" '^bad.xml:[0-9]+: error: the layer .relu. has no type' 's/type="ReLU"//'
check "no type: said once" test "$(grep -c error: said)" = 1
for version in 6 9 12; do
    changed "version $version" "version of <net> is $version: versions 10 and 11" \
        "s/version=\"11\"/version=\"$version\"/"
done
changed "version 11.5" 'version="11.5": a whole number is expected' 's/version="11"/version="11.5"/'
changed "an encoding that is none" 'not well-formed: Unsupported encoding' 's/(version="1.0")/\1 encoding="EBCDIC-XX"/'
changed "bytes that are no UTF-8" '^bad.xml:6: error: the XML is not well-formed: Input is not proper UTF-8' \
    's/name="conv"/name="K\xE4se"/'
changed "a NUL" '^bad.xml:6: error: the XML is not well-formed' 's/name="conv"/name="\&#0;"/'
{ iconv -f UTF-8 -t UTF-16 twin.xml | head -c 400; printf '\0\330\0\0'; } >bad.xml
refused "UTF-16 that is none" '^bad.xml:[0-9]+: error: the XML is not well-formed: input conversion failed'
check "UTF-16 that is none: nothing else is said" sh -c '! grep -v "^bad.xml:" said'
changed "two roots" 'not well-formed: Extra content' 's|</net>|</net><net/>|'
changed "an attribute twice" 'not well-formed: Attribute id redefined' 's/layer id="4"/layer id="4" id="4"/'
changed "40 dimensions" '^bad.xml:6: error: the port has more than 32 dimensions$' \
    '/name="conv"/s|(<dim>2</dim>)|\1\1\1\1\1\1\1\1\1\1\1\1\1|g'
changed "a rank that is too large" "layer 'x' has 40 dimensions: at most 32" \
    "s/shape=\"1,1,3,3\"/shape=\"$(yes 1, | head -39 | tr -d '\n')1\"/"
changed "too many elements" 'more than 2\^40 elements' 's/shape="1,1,3,3"/shape="9999999999,1,999999999,3"/'
changed "an input without a type" "layer 'x' \(Parameter\): element type 'f99'" \
    's/(name="x".*)element_type="f32"/\1element_type="f99"/'
check "an input without a type: said once" test "$(grep -c error: said)" = 1
changed "an edge without numbers" 'an edge from layer -1: there is none' 's|</edges>|<edge/></edges>|'
{ printf '<net version="11" '; seq -f 'a%.0f="1"' 1 100000; printf '><layers/></net>'; } >bad.xml
refused "a hundred thousand attributes" 'a tag has more than 4000 attributes'
{
  printf '<net version="11"><layers>\n<layer id="0" name="p" type="Parameter" version="opset1">'
  printf '<data shape="1" element_type="f32"/><output>'
  yes '<port id="0" precision="FP32"/>' | head -n 100000; echo '</output></layer></layers><edges/></net>'; } >bad.xml
refused "a hundred thousand ports" '^bad.xml:2: error: layer .p. \(Parameter\) has 100000 output ports'
changed "a dimension that is none" '<dim>x</dim>: a size is expected' 's/<dim>8/<dim>x/'
finish
