#!/usr/bin/env bash
# The text cases: every tests/op/*.txt is one graph with its expectations (tests/op/README.md tells the form), every
# tests/exporter/*.txtpb likewise, in the text form of protobuf, which protoc makes ONNX binary of. Each is interpreted
# (burin run) and compiled (burin build, then $CC with warnings as errors), and both must give the expected values; a
# case of an error must be refused with a message that matches, and nothing written. Then all ways must agree with each
# other, bit for bit where no inexact function of libm is called: interpreted before and behind the passes, compiled by
# each of $WAYS (with FULL=1, and in make check-long, gcc and clang, -O0 and -O3).
#
#     tests/run.sh [ONLY]       ONLY: cases whose file name contains it
#
# With IO=arena in the environment, inputs and outputs live in the arena; cases with strings are left out then.
. "$(dirname "$0")/lib.sh"
CC=${CC:-cc}
# The interpreter's product-sums are fused, so the C is compiled for a machine that has that operation.
fma=$(grep -qw fma /proc/cpuinfo 2>/dev/null && echo -mfma)
WAYS=${WAYS:-clang.O3}
[ -z "${FULL:-}" ] || WAYS="gcc.O0 gcc.O3 clang.O0 clang.O3"
flags="$fma -std=c99 -pedantic -O1 -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror"
jobs=$(nproc)
files=$(ls tests/op/*"$only"*.txt tests/exporter/*"$only"*.txtpb 2>/dev/null)
io=
[ "${IO:-}" != arena ] || io="--io=arena" files=$(grep -Lw string ${files:-/dev/null})
[ -n "$files" ] || { echo "no case is called '$only'"; exit 1; }

$CC -std=c11 -D_GNU_SOURCE -O1 -Iir/base -o "$work/case" tests/case.c ir/base/*.c -lmd -lm || exit 1
"$work/case" plan "$work" $files || exit 1

# The proto of the frontend has what burin reads; the rest is there to be skipped, and enumerations are numbers in it.
props="repeated StringStringEntryProto metadata_props"
kinds="enum Kind { NONE = 0; FLOAT = 1; INT = 2; STRING = 3; TENSOR = 4; GRAPH = 5; FLOATS = 6; INTS = 7; }"
sed -e "s/^message NodeProto {/& $props = 9; optional string doc_string = 6;/" \
    -e "s/^message GraphProto {/& $props = 16; optional string doc_string = 10;/" \
    -e "s/^message ValueInfoProto {/& $props = 4; optional string doc_string = 3;/" \
    -e "s/^message TensorProto {/& enum Where { DEFAULT = 0; EXTERNAL = 1; } $props = 16;/" \
    -e "s/^message TensorProto {/& optional string doc_string = 12;/" \
    -e "s/^message FunctionProto {/& $props = 14; optional string doc_string = 8;/" \
    -e "s/^message AttributeProto {/& $kinds/" \
    -e 's/int32 type = 20/Kind type = 20/; s/int32 data_location/Where data_location/' \
    frontend/onnx.proto >"$work/onnx.proto"
for f in $files; do
    name=$(basename "$f" .txtpb)
    [ "$name" = "$(basename "$f")" ] ||
        protoc --proto_path="$work" --encode=onnx.ModelProto "$work/onnx.proto" <"$f" >"$work/$name.onnx" || exit 1
done

# One line of the list: a refused case leaves NAME.err, an interpreted run NAME.RUN.txt, a compiled case NAME.c and
# NAME.h.
one() {
    IFS='|' read -r name run file kind options args <<<"$1"
    [ "${file%.txtpb}" = "$file" ] || file=$work/$name.onnx
    if [ "$run" = 0 ]; then
        "$BURIN" build "$file" -o "$work/$name.c" --prefix "$name" $options $io >"$work/$name.log" 2>&1
        status=$?
        if [ $status != 0 ] || [ "$kind" = error ]; then
            cp "$work/$name.log" "$work/$name.err"
            [ $status = 1 ] || echo "exit status $status" >"$work/$name.err"
            [ -e "$work/$name.c" ] && echo "wrote $name.c" >"$work/$name.err"
        fi
    fi
    if [ "$kind" = run ]; then
        "$BURIN" run "$file" $options $args >"$work/$name.$run.txt" 2>"$work/$name.$run.log" ||
            cp "$work/$name.$run.log" "$work/$name.err"
        "$plain" run "$file" $options $args --pass-limit=0 >"$work/$name.$run.plain.txt" 2>"$work/$name.$run.log" ||
            cp "$work/$name.$run.log" "$work/$name.err"
    fi
}
export -f one
export work BURIN plain io
tr '\n' '\0' <"$work/list" | xargs -0 -n 1 -P "$jobs" bash -c 'one "$1"' -

# What was built is compiled file by file, so that one that fails does not hide the others.
compile() {
    $CC $flags -c -o "${1%.c}.o" "$1" >"${1%.c}.cc" 2>&1 || mv "${1%.c}.cc" "${1%.c}.err"
}
export -f compile
export CC flags
with=
for c in "$work"/*.c; do [ "$c" = "$work/main.c" ] || echo "$c"; done >"$work/sources"
xargs -r -n 1 -P "$jobs" bash -c 'compile "$1"' - <"$work/sources"
for o in "$work"/*.o; do [ -e "$o" ] && with="$with -DWITH_$(basename "$o" .o)"; done
$CC -std=c99 -O0 $with ${io:+-DARENA_IO} -I"$work" -o "$work/main" "$work/main.c" "$work"/*.o -lm &&
    "$work/main" >"$work/compiled.txt"

verdict() {             # adds up what the helper says
    local p f
    "$work/case" "$@" >"$work/verdict"
    grep -v ' passed, ' "$work/verdict"
    read -r p _ f _ <<<"$(tail -n 1 "$work/verdict")"
    passed=$((passed + p)) failed=$((failed + f))
}
verdict judge "$work" $files

# Cases that call what libraries differ in need only be close; so all, where product-sums cannot be fused.
exact=' (mem(cpy|move|set|cmp)|str(len|n?cmp)|_GLOBAL_OFFSET_TABLE_|'
exact=$exact'(sqrt|floor|ceil|trunc|rint|nearbyint|round|fma|ldexp|fabs|copysign|fmin|fmax|fmod)f?)$'
for o in "$work"/*.o; do
    [ -e "$o" ] || continue
    if [ -z "$fma" ] || nm -u "$o" | grep -vqE "$exact"; then basename "$o" .o; fi
done >"$work/inexact"

agree() {               # agree COMPILER.LEVEL
    local way=$1 cc
    cc="${way%.*} -std=c99 $fma -w -${way#*.}"
    rm -f "$work"/*.o
    xargs -r -n 1 -P "$jobs" sh -c "$cc"' -c -o "${1%.c}.o" "$1"' - <"$work/sources"
    $cc $with ${io:+-DARENA_IO} -I"$work" -o "$work/main" "$work/main.c" "$work"/*.o -lm &&
        "$work/main" >"$work/compiled.$way.txt"
    verdict agree "$work" "$way" $files
}
cp "$work/compiled.txt" "$work/compiled.first.txt"
verdict agree "$work" first $files
for way in $WAYS; do if have "${way%.*}"; then agree "$way"; else skip "$way" "no ${way%.*}"; fi; done

# No operator without a case.
[ -n "$only" ] || for op in $("$BURIN" ops --as=table | cut -f 1 | uniq); do
    if grep -qE "= $op *[(<]" tests/op/*.txt; then pass "$op"; else fail "$op" "no case in tests/op"; fi
done
finish
