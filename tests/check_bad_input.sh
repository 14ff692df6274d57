#!/usr/bin/env bash
# Models that are broken, huge or deeply nested: refused, or taken, in bounded time, memory and stack.
. "$(dirname "$0")/lib.sh"
. tests/bad_input/lib.sh

# ---- cut short, damaged ----------------------------------------------------------------------------------------------

cuts() {
    local size n
    size=$(stat -c %s rich.onnxtxt)
    for ((n = 1; n < size; n += ${STEP:-37})); do
        head -c $n rich.onnxtxt >../in.onnxtxt
        survives "cut after $n bytes" ../in.onnxtxt
    done
}

damages() {             # a byte replaced by another: every 101st place, five kinds
    local size n k kinds=('\0' '"' '{' '>' '\377')
    size=$(stat -c %s rich.onnxtxt)
    for ((n = 1, k = 0; n < size; n += ${STEP:-101}, k++)); do
        cp rich.onnxtxt ../in.onnxtxt
        printf "${kinds[k % 5]}" | dd of=../in.onnxtxt bs=1 seek=$n conv=notrunc status=none
        survives "byte $n is ${kinds[k % 5]}" ../in.onnxtxt
    done
}

contents() {
    local k
    : >../empty.onnxtxt
    refused "empty file" "" ../empty.onnxtxt
    printf '\n\n   \n# nothing\n' >../blank.onnxtxt
    refused "blanks and a comment only" "" ../blank.onnxtxt
    for k in 1 2 3 4 5 6; do
        head -c 5000 /dev/urandom >../in.onnxtxt
        refused "random bytes $k" "" ../in.onnxtxt
    done
    head -c 100000 /dev/zero >../in.onnxtxt
    refused "zeros" "" ../in.onnxtxt
    printf '\177ELF\002\001\001' >../in.onnxtxt
    cat /bin/true >>../in.onnxtxt
    refused "a program" "" ../in.onnxtxt
    { cat good.onnxtxt; printf '\0\0\0'; } >../in.onnxtxt
    refused "zeros behind a model" "" ../in.onnxtxt
    { cat good.onnxtxt; echo "what is this"; } >../in.onnxtxt
    refused "words behind a model" "" ../in.onnxtxt
    printf '\357\273\277' >../in.onnxtxt
    cat good.onnxtxt >>../in.onnxtxt
    survives "a byte order mark" ../in.onnxtxt
    iconv -t UTF-16 good.onnxtxt >../in.onnxtxt 2>/dev/null && refused "UTF-16" "" ../in.onnxtxt
    sed 's/$/\r/' good.onnxtxt >../in.onnxtxt
    try "$BURIN" build ../in.onnxtxt -o ../out/m.c
    [ "$status" = 0 ] && pass "lines that end in CR LF" || wrong "lines that end in CR LF" "status 0 is right"
    for k in README.md Makefile LICENSE main.c tests/lib.sh; do
        refused "no model: $k" "is this ONNX|in no format" "$root/$k"
        [ "$(grep -c 'error: ' ../said)" = 1 ] && pass "$k: one message" || wrong "$k: one message" "it has more"
    done
    printf '\010\010\022\007pytorch\032\003' >../in.onnx
    refused "a binary model, cut short" "" ../in.onnx
    echo '<?xml version="1.0"?><net name="x" version="11"><layers><layer' >../in.xml
    refused "an XML model, cut short" "" ../in.xml
    rm -f ../out/*
}

# ---- huge ------------------------------------------------------------------------------------------------------------

huge() {
    local mega=10
    [ -z "${FULL:-}" ] || mega=50
    [ -z "${VALGRIND:-}" ] || mega=2
    local bytes=$((mega * 1000000))
    { model '{ y = Add(x, '; repeated abcdefghij $((bytes / 10)); echo ') }'; } >../in.onnxtxt
    refused "a name of $mega MB" "" ../in.onnxtxt
    [ "$(stat -c %s ../said)" -lt 4000 ] && pass "its message is short" ||
        fail "its message is short" "$(stat -c %s ../said) bytes"
    { model '{ y = Add(x, "'; repeated abcdefghij $((bytes / 10)); echo '") }'; } >../in.onnxtxt
    survives "a quoted name of $mega MB" ../in.onnxtxt
    { model '<float w = {'; repeated 1234567890 $((bytes / 10)); echo '}> { y = Add(x, w) }'; } >../in.onnxtxt
    survives "a number of $mega MB" ../in.onnxtxt
    { repeated '          ' $((bytes / 10)); model '{ y = Neg(x) }'; } >../in.onnxtxt
    survives "$mega MB of blanks" ../in.onnxtxt
    { printf '#'; repeated '-- words -' $((bytes / 10)); echo; model '{ y = Neg(x) }'; } >../in.onnxtxt
    survives "a comment of $mega MB" ../in.onnxtxt
    { model '{ y = Neg(x'; repeated ', , , , , ' $((bytes / 10)); } >../in.onnxtxt
    survives "$mega MB of commas" ../in.onnxtxt
    { model '{'; repeated ' y = Neg(x' $((bytes / 10)); } >../in.onnxtxt
    survives "a node of $mega MB" ../in.onnxtxt
    repeated '?;!$%^&*~|' $((bytes / 10)) >../in.onnxtxt
    refused "$mega MB of signs" "" ../in.onnxtxt
    [ "$(stat -c %s ../said)" -lt 40000 ] && pass "its messages are few" ||
        fail "its messages are few" "$(stat -c %s ../said) bytes"
    rm -f ../in.onnxtxt
    local text
    for text in 'float[99999999999999999999] x' 'float[4294967296,4294967296,4294967296] x' \
        'float[9223372036854775807,2] x' 'float[-1] x' \
        "float[$(repeated 1, 2000)1] x"; do
        printf '<ir_version: 8, opset_import: ["" : 17]>\ng (%s) => (float[2] y) { y = Neg(x) }\n' "$text" \
            >../in.onnxtxt
        refused "a shape that is too large: $(echo "$text" | cut -c 1-50)" "" ../in.onnxtxt
    done
    model '<int64[3] to = {4294967296, 4294967296, 4294967296}> { z = Expand(x, to) y = Neg(x) }' >../in.onnxtxt
    survives "an Expand that is too large" ../in.onnxtxt
    model '<int64[1] to = {9223372036854775807}> { z = ConstantOfShape(to) y = Neg(x) }' >../in.onnxtxt
    survives "a ConstantOfShape that is too large" ../in.onnxtxt
    model '<int64 a = {0}, int64 b = {9223372036854775807}, int64 c = {1}> { z = Range(a, b, c) y = Neg(x) }' \
        >../in.onnxtxt
    survives "a Range that is too large" ../in.onnxtxt
    model '{ z = Repeat <multiples = [9223372036854775807]> (x) y = Neg(x) }' >../in.onnxtxt
    survives "a Repeat that is too large" ../in.onnxtxt
}

# ---- deeply nested, with a small stack -------------------------------------------------------------------------------

# length HEX: HEX with its length in front, as protobuf has it.
length() {
    local n=$((${#1} / 2))
    while [ $n -gt 127 ]; do
        printf '%02x' $((n & 127 | 128))
        n=$((n >> 7))
    done
    printf '%02x%s' $n "$1"
}

# A binary model of graphs within attributes within nodes within graphs, 300 deep: 3.5 KB.
binary_nested() {
    local hex= n
    for ((n = 0; n < 300; n++)); do
        hex=0a$(length "2a$(length "32$(length "$hex")")")
    done
    hex=080842021011$(printf '3a%s' "$(length "$hex")")
    printf "$(sed 's/../\\x&/g' <<<"$hex")" >../in.onnx
    try bash -c 'ulimit -s 256; exec "$@"' - "$BURIN" build ../in.onnx -o m.c
    judge "a binary model of graphs 300 deep" 1 'in\.onnx: error: .*nested more than'
}

nested() {
    local deep=100000 name
    deep_model() {      # deep_model FRONT REPEATED MIDDLE REPEATED BACK
        { printf '%s' "$1"; repeated "$2" $deep; printf '%s' "$3"; [ -z "$4" ] || repeated "$4" $deep; echo "$5"; } \
            >../in.onnxtxt
    }
    deep_try() {
        try bash -c 'ulimit -s 256; exec "$@"' - "$BURIN" build ../in.onnxtxt -o m.c
        judge "100 000 deep: $1" 1 'in\.onnxtxt'
    }
    local head='<ir_version: 8, opset_import: ["" : 17]>
g (bool b, float[2] x) => (float[2] y) '
    deep_model "$head" '(' 'x' ')' ' { y = Neg(x) }'; deep_try "parentheses"
    deep_model "$head{ y = Neg" '(' 'x' ')' ' }'; deep_try "parentheses of a node"
    deep_model "" '<' '' '>' ''; deep_try "angle brackets"
    deep_model "$head" '{' 'y = Neg(x)' '}' ''; deep_try "braces"
    deep_model "$head <float[2] w = " '{' '1, 2' '}' '> { y = Add(x, w) }'; deep_try "braces of a constant"
    deep_model "$head{ y = Foo <a = " '[' '1' ']' '> (x) }'; deep_try "brackets of an attribute"
    deep_model "$head{ y = Foo <a : type_proto = " 'seq(' 'float[2]' ')' '> (x) }'; deep_try "types of an attribute"
    deep_model '<ir_version: 8, opset_import: ["" : 17]>
g (' 'seq(' 'float[2]' ')' ' x) => (float[2] y) { y = Neg(x) }'; deep_try "sequences"
    deep_model '<ir_version: 8, opset_import: ["" : 17]>
g (' 'optional(seq(' 'float[2]' '))' ' x) => (float[2] y) { y = Neg(x) }'; deep_try "optionals and sequences"
    deep_model '<ir_version: 8, opset_import: ["" : 17]>
g (' 'map(int64, ' 'float[2]' ')' ' x) => (float[2] y) { y = Neg(x) }'; deep_try "maps"
    deep_model "$head{" 'y = If (b) <then_branch = g () => (float[2] y) {' 'y = Neg(x)' \
        '}, else_branch = h () => (float[2] y) { y = Neg(x) }>' ' }'
    deep_try "subgraphs"
    deep_model "$head{" 'y = Foo <a = g () => () {' '' '' ''; deep_try "subgraphs that do not end"
    deep_model "$head{" 'y = Foo <a = [g () => () {' '' '' ''; deep_try "lists of subgraphs that do not end"
    for name in '(' '[' '{' '<' '"' 'g (' '<a:' '{y=' ; do
        deep_model "" "$name" "" "" ""; deep_try "nothing but $name"
        deep_model "$head" "$name" "" "" ""; deep_try "a head, then $name"
    done
    binary_nested
    # A function that calls itself, and functions that call one another 2^30 times.
    {
        echo '<ir_version: 8, opset_import: ["" : 17, "own" : 1]>'
        echo 'g (float[2] x) => (float[2] y) { y = own.f(x) }'
        echo '<domain: "own", opset_import: ["" : 17, "own" : 1]> f (x) => (y) { y = own.f(x) }'
    } >../in.onnxtxt
    deep_try "a function that calls itself"
    {
        echo '<ir_version: 8, opset_import: ["" : 17, "own" : 1]>'
        echo 'g (float[2] x) => (float[2] y) { y = own.f0(x) }'
        for name in $(seq 0 29); do
            echo "<domain: \"own\", opset_import: [\"\" : 17, \"own\" : 1]>"
            echo "f$name (x) => (y) { a = own.f$((name + 1))(x) y = own.f$((name + 1))(a) }"
        done
        echo "<domain: \"own\", opset_import: [\"\" : 17, \"own\" : 1]> f30 (x) => (y) { y = Neg(x) }"
    } >../in.onnxtxt
    deep_try "functions that call functions 2^30 times"
}

parts cuts damages contents huge nested
