#!/usr/bin/env bash
# burin check: what passes, what must not, what it says of compilers and crashes, and that it leaves nothing behind.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$work/tmp
mkdir -p "$TMPDIR"
unset CC CFLAGS

net=$work/net.onnxtxt
cat >"$net" <<'END'
<ir_version: 10, opset_import: ["" : 21]>
g (float[2] x, string[3] s) => (float[2] y, string[3] t, int32[2] k)
  <float[2] w = {3, 7}>
{
    [first] a = Add(x, w)
    [second] b = Mul(a, w)
    [third] y = Neg(b)
    k = Cast <to = 6> (b)
    t = Identity(s)
}
END

# ---- what passes -----------------------------------------------------------------------------------------------------

for options in "" "--arena=caller" "--weights=bin --arena=caller" "--pass-limit=0" "--prefix other" "--bisect"; do
    check "own values: $options" ends 0 'y float\[2\]: pass|no value differs' "$BURIN" check "$net" $options
done
san="-fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wshadow -Wconversion -Werror"
check "flags" ends 0 'y float\[2\]: pass, every bit the same' env CFLAGS="$san" "$BURIN" check "$net"
check "arena and weights under sanitizers" ends 0 'pass' env CFLAGS="$san -Wpedantic" CC="gcc -O1" \
    "$BURIN" check tests/c/network.onnxtxt --weights=bin --arena=caller
check "another compiler" ends 0 'pass, every bit' env CC=clang "$BURIN" check tests/c/products.onnxtxt
if grep -qw fma /proc/cpuinfo 2>/dev/null; then
    check "fused products" ends 0 'pass, every bit' env CFLAGS=-mfma "$BURIN" check examples/digits/digits.onnxtxt
    printf '%s\n' '<ir_version: 10, opset_import: ["" : 21]>' 'g (float[2] x) => (float[1,2] y)' \
        '<float[1,3] a = {0.1, 0.2, 0.3}, float[3,2] b = {0.7, 0.9, 0.3, 1.1, 1.3, 0.6}>' \
        '{ w = MatMul(a, b) y = Add(w, x) }' >"$work/folded.onnxtxt"
    check "folded product-sums are fused, others not" ends 0 'pass, every bit' env CFLAGS=-mno-fma \
        "$BURIN" check "$work/folded.onnxtxt"
fi
printf '%s\n' '<ir_version: 10, opset_import: ["" : 21]>' 'g (float[1,4,8,8] x) => (float[1,4,6,6] y)' '{' \
    's = Constant <value = int64[4] {4, 4, 3, 3}> () k = ConstantOfShape <value = float[1] {0.3}> (s)' \
    'd = Conv(x, k) t = Constant <value_float = 3.0> () y = Div(d, t) }' >"$work/rounds.onnxtxt"
behind='every bit as the interpreter has it behind the passes; against the graph .* error [1-9.]+e-0[678] at \['
check "passes that round" ends 0 "pass, $behind.*, relative [0-9.]+e-0[678] at" \
    "$BURIN" check "$work/rounds.onnxtxt" --fast-math
check "passes that round: one by one" ends 0 "no value differs from the interpreter's behind the passes, 2 compared" \
    "$BURIN" check "$work/rounds.onnxtxt" --fast-math --bisect
check "passes that might round, but do not" ends 0 'pass, every bit the same$' "$BURIN" check "$net" --fast-math
check "--bisect, then all of it" ends 0 'y float\[2\]: pass' "$BURIN" check "$net" --bisect
check "functions of libm" ends 0 'pass' "$BURIN" check tests/c/libm.onnxtxt
[ -n "${VALGRIND:-}" ] || for graph in complexes constants empties halves names small_integers; do
    check "own values: $graph" ends 0 'pass, every bit' "$BURIN" check tests/c/$graph.onnxtxt
done

# ---- given data ------------------------------------------------------------------------------------------------------

float2() { printf '\x08\x02\x10\x01\x4a\x08\0\0'"$1"'\0\0'"$2"; }        # a TensorProto, float[2]; upper halves
strings() { printf '\x08\x03\x10\x08\x32\x01%s\x32\0\x32\x02%s' "$1" "$2"; }
set=$work/set_0
mkdir -p "$set" "$work/set_1" "$work/set_2"
float2 '\x80\x3f' '\0\x40' >"$set/input_0.pb"                     # 1 2
strings u vw >"$set/input_1.pb"
float2 '\x40\xc1' '\x7c\xc2' >"$set/output_0.pb"                  # -12 -63
cp "$set/input_1.pb" "$set/output_1.pb"
printf '\x08\x02\x10\x06\x4a\x08\x0c\0\0\0\x3f\0\0\0' >"$set/output_2.pb"
cp "$set"/* "$work/set_1"
cp "$set"/* "$work/set_2"
float2 '\x40\xc1' '\x78\xc2' >"$work/set_1/output_0.pb"           # -12 -62
strings u vx >"$work/set_1/output_1.pb"
rm "$work/set_2/output_2.pb"
cp "$set/output_0.pb" "$work/set_2/input_2.pb"

check "a folder" ends 0 'set_0: k int32\[2\]: pass' "$BURIN" check "$net" "$set"
check "two folders" ends 0 'set_0/\.: t string\[3\]: pass' "$BURIN" check "$net" "$set" "$set/."
differ='1 of 2 differ, greatest absolute error 1 at \[1\] \(-63, not -62\), relative 0\.0161 at \[1\]'
check "a wrong number" ends 1 "y float\[2\]: FAIL, $differ; rtol 0\.001, atol 1e-07" \
    "$BURIN" check "$net" "$set" "$work/set_1"
check "a wrong string" ends 1 't string\[3\]: FAIL, 1 of 3 differ at \[2\] \("vw", not "vx"\)' \
    "$BURIN" check "$net" "$work/set_1"
check "--bisect with data that differ from both" ends 1 'no value differs.*FAIL|FAIL' \
    "$BURIN" check "$net" "$work/set_1" --bisect
check "the sum" ends 1 'error: the compiled program differs in 2 of 6 outputs' \
    "$BURIN" check "$net" "$set" "$work/set_1"
check "--rtol" ends 1 'y float\[2\]: pass.*rtol 0\.1, atol 1e-07' "$BURIN" check "$net" "$work/set_1" --rtol=0.1
check "--atol" ends 1 'y float\[2\]: pass.*rtol 0\.001, atol 2' "$BURIN" check "$net" "$work/set_1" --atol 2
check "bits" ends 0 'pass, every bit' "$BURIN" check "$net" "$set" --rtol=0 --atol=0
check "a file is missing" ends 1 "set_2' has no output_2.pb, for int32\[2\]" "$BURIN" check "$net" "$work/set_2"
check "a file too many" ends 1 "set_2' has 3 inputs, but the graph has 2" "$BURIN" check "$net" "$work/set_2"
check "no folder" ends 1 "error: cannot read the folder '.*/none' of test data: No such file" \
    "$BURIN" check "$net" "$work/none"
check "--rtol=x" ends 2 "burin: --rtol wants a number from 0, not 'x'" "$BURIN" check "$net" --rtol=x

printf '%s\n' '<ir_version: 10, opset_import: ["" : 21]>' 'g (seq(float[2]) x) => (float[4] y)' \
    '{ y = ConcatFromSequence <axis = 0> (x) }' >"$work/list.onnxtxt"
mkdir "$work/set_3"
{
    printf '\x10\x01\x1a\x0e'; float2 '\x80\x3f' '\0\x40'
    printf '\x1a\x0e'; float2 '\0\x40' '\x80\x3f'
} >"$work/set_3/input_0.pb"
printf '\x08\x04\x10\x01\x4a\x10\0\0\x80\x3f\0\0\0\x40\0\0\0\x40\0\0\x80\x3f' >"$work/set_3/output_0.pb"
check "a sequence" ends 0 'y float\[4\]: pass, every bit' "$BURIN" check "$work/list.onnxtxt" -D x=2 "$work/set_3"
check "a longer one" ends 1 "set_3' has 2 inputs, but the graph has 1" \
    "$BURIN" check <(sed "s/float\[4\] y/y/" "$work/list.onnxtxt") -D x=1 "$work/set_3"

printf '%s\n' '<ir_version: 10, opset_import: ["" : 21]>' 'g (float[2] x) => (int64[1,N] y)' \
    '{ y = NonZero(x) }' >"$work/some.onnxtxt"
mkdir "$work/set_4" "$work/set_5"
float2 '\0\0' '\0\x40' | tee "$work/set_4/input_0.pb" >"$work/set_5/input_0.pb"
printf '\x08\x01\x08\x01\x10\x07\x4a\x08\x01\0\0\0\0\0\0\0' >"$work/set_4/output_0.pb"
printf '\x08\x01\x08\0\x10\x07\x4a\0' >"$work/set_5/output_0.pb"
check "a size that depends on data" ends 0 'y int64\[1,1\]: pass, every bit' \
    "$BURIN" check "$work/some.onnxtxt" "$work/set_4"
check "another size" ends 1 'y int64\[1,0\]: FAIL, its true dimensions are \[1,1\]' \
    "$BURIN" check "$work/some.onnxtxt" "$work/set_5"
for options in "" "--counts" "--bisect"; do
    check "a size that depends on data: $options" ends 0 'y int64|no value differs' \
        "$BURIN" check "$work/some.onnxtxt" $options
done

# ---- compilers that go wrong -----------------------------------------------------------------------------------------

compiler 's/-(\(in_x\[i\] + w_w\[i\]\).*;/-(in_x[i] * w_w[i]);/; s/ \* w_w\[i\]/ * 2.0F/'
check "a wrong compiler" ends 1 'y float\[2\]: FAIL, .*; every bit should be the same' "$BURIN" check "$net"
check "--bisect" ends 1 "error: Mul 'second' \(output 'b'\) is the first node whose output differs" \
    "$BURIN" check "$net" --bisect
check "--bisect points at the node" ends 1 'net.onnxtxt:6:' "$BURIN" check "$net" --bisect
check "--bisect with data" ends 1 "Mul 'second'" "$BURIN" check "$net" "$set" --bisect
compiler 's/^#include "model.h"/&\nstatic int *volatile nowhere;/; s/^{/{ *nowhere = 1;/'
check "a crash" ends 1 'error: the compiled program crashed: signal 11' "$BURIN" check "$net"
check "a crash under --bisect" ends 1 'signal 11' "$BURIN" check "$net" --bisect
compiler 's/^#include "model.h"/&\n#error broken/'
check "the compiler refuses" ends 1 'note: .*broken' "$BURIN" check "$net"
check "so it ends" ends 1 'error: the C compiler ended with exit status 1' "$BURIN" check "$net"
CC="no-such-compiler -O1"
check "no compiler" ends 1 "error: cannot start the C compiler 'no-such-compiler': No such file or directory" \
    "$BURIN" check "$net"
check "no compiler is looked for in vain" ends 1 'note: CC and CFLAGS say how to compile' "$BURIN" check "$net"
unset CC
check "no TMPDIR" ends 1 "cannot make a folder '/nowhere/burin" env TMPDIR=/nowhere "$BURIN" check "$net"
check "a refused model" ends 1 "error: .*'none'" "$BURIN" check <(sed 's/Neg(b)/Neg(none)/' "$net")
# A model that is larger than the memory: how much it takes. (Sanitizers and Valgrind take more than they are given.)
too_large() {           # too_large KILOBYTES REGEX
    echo '<ir_version: 8, opset_import: ["" : 17]> g (float[8000,8000] x) => (float[8000,8000] y) { y = Neg(x) }' \
        >"$work/large.onnxtxt"
    ends 1 "$2" bash -c 'ulimit -v "$1"; "$2" check "$3"' - "$1" "$BURIN" "$work/large.onnxtxt"
}
case ${VALGRIND:-}$BURIN in
*valgrind*|*/san/*) ;;
*) check "too large for memory" too_large 200000 \
    "out of memory: inputs and outputs of this model take 768000000 bytes" ;;
esac
check "--after" ends 2 "--after belongs to burin show" "$BURIN" check "$net" --after=fold
check "a budget" ends 1 "RAM" "$BURIN" check "$net" --ram-budget=3

interrupted() {         # interrupted SIGNAL: while the compiler works
    printf '%s\n' '#!/bin/sh' 'echo $$ >"$0.pid"' 'exec sleep 60' >"$work/slow"
    chmod +x "$work/slow"
    rm -f "$work/slow.pid"
    CC=$work/slow "$BURIN" check "$net" 2>/dev/null &
    local pid=$! k
    for k in $(seq 100); do [ -s "$work/slow.pid" ] && break; sleep 0.1; done
    [ -n "$(ls -A "$TMPDIR")" ] || { echo "there is no folder"; return 1; }
    kill -"$1" $pid
    wait $pid
    [ $? -gt 128 ] || { echo "it did not end by the signal"; return 1; }
    [ -z "$(ls -A "$TMPDIR")" ] || { echo "left: $(ls -A "$TMPDIR")"; return 1; }
    ! kill -0 "$(cat "$work/slow.pid")" 2>/dev/null || { echo "the compiler still runs"; return 1; }
}
[ -n "${VALGRIND:-}" ] || for signal in TERM HUP; do check "SIG$signal" interrupted $signal; done
finish
