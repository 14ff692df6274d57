#!/usr/bin/env bash
# Builds every example with the two emitted files as they are, runs it, compares what it prints with its expected.txt.
# The program is $BURIN; what is built goes to build/examples.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL           # a make within is one of its own
burin=${BURIN:-$PWD/burin}
out=$PWD/build/examples
rm -rf "$out"
mkdir -p "$out"

emitted_flags="-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror"
own_flags="-std=c11 -Wall -Wextra -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=all"
passed=0 failed=0 skipped=0

check() {               # check NAME COMMAND...: passes when the command does
    local name=$1
    shift
    if "$@" >"$out/log" 2>&1; then
        passed=$((passed + 1))
        echo "ok    $name"
    else
        failed=$((failed + 1))
        echo "FAIL  $name: $*"
        sed 's/^/      | /' "$out/log" | tail -n 30
    fi
}

prints() {              # prints EXPECTED COMMAND...: the command succeeds and prints just that
    local expected=$1
    shift
    "$@" >"$out/printed" || return
    diff "$expected" "$out/printed"
}

emit() {                # emit EXAMPLE GRAPH: out/EXAMPLE/GRAPH.c and .h, clean under both compilers
    mkdir -p "$out/$1"
    check "$1: $2 to C" "$burin" build "examples/$1/$2.onnxtxt" -o "$out/$1/$2.c"
    for cc in gcc clang; do
        check "$1: $2 under $cc" $cc $emitted_flags -O2 -c -o "$out/$1/$2.$cc.o" "$out/$1/$2.c"
    done
}

host() {                # host EXAMPLE GRAPH...: its program, with sanitizers, from its sources and the emitted ones
    local example=$1 graph sources
    shift
    sources=$(ls examples/"$example"/*.c)
    for graph; do
        emit "$example" "$graph"
        sources="$sources $out/$example/$graph.c"
    done
    check "$example: build" gcc $own_flags -I"$out/$example" -o "$out/$example/$example" $sources -lm
}

# ---- on this machine -------------------------------------------------------------------------------------------------

host hello hello
check "hello: run" prints examples/hello/expected.txt "$out/hello/hello"

host walkthrough shape reshape flatten repeat
check "walkthrough: run" prints examples/walkthrough/expected.txt "$out/walkthrough/walkthrough"

host shape-chain chain by_hand
check "shape-chain: run" prints examples/shape-chain/expected.txt "$out/shape-chain/shape-chain"
bytes_of_code() { size "$1" | awk 'NR == 2 {print $1}'; }
as_small_as_by_hand() {
    local chain by_hand
    chain=$(bytes_of_code "$out/shape-chain/chain.gcc.o") by_hand=$(bytes_of_code "$out/shape-chain/by_hand.gcc.o")
    echo "chain $chain bytes, by hand $by_hand"
    [ -n "$chain" ] && [ "$chain" = "$by_hand" ]
}
check "shape-chain: as small as by hand" as_small_as_by_hand
no_shape_left() { test -s "$out/shape-chain/chain.c" && ! grep -nE 'int64_t|static const' "$out/shape-chain/chain.c"; }
check "shape-chain: no integer arithmetic, no constant" no_shape_left

host digits digits
check "digits: run" "$out/digits/digits"
accuracy_as_stated() { grep -F "$("$out/digits/digits" | tail -n 1 | sed 's/ unseen.*//')" examples/digits/README.md; }
check "digits: accuracy as in its README" accuracy_as_stated

# ---- in the projects of others ---------------------------------------------------------------------------------------

cp -r examples/cmake examples/arduino "$out"
emit cmake pattern
check "cmake: configure" cmake -S "$out/cmake" -B "$out/cmake/out"
check "cmake: build" cmake --build "$out/cmake/out"
check "cmake: run" prints examples/cmake/expected.txt "$out/cmake/out/wall"

emit arduino level
check "arduino: build" g++ -std=gnu++11 -Wall -Wextra -Werror -I"$out/arduino" -include tests/arduino/Arduino.h \
    -o "$out/arduino/arduino" -x c++ examples/arduino/arduino.ino -x none "$out/arduino/level.gcc.o" -lm
check "arduino: run" prints examples/arduino/expected.txt "$out/arduino/arduino"

# ---- on a Cortex-M4 --------------------------------------------------------------------------------------------------

if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    board() {
        make --no-print-directory -C examples/cortex-m4 BURIN="$burin" OUT="$out/cortex-m4" DEFINES=-Werror "$@"
    }
    check "cortex-m4: build" board
    check "cortex-m4: run" board -s run
    check "cortex-m4: hello as on the host" prints examples/hello/expected.txt \
        board -s run MODEL=../hello/hello.onnxtxt MAIN=../hello/main.c
    no_double() {
        ! arm-none-eabi-nm "$out/cortex-m4/digits.o" | grep -E ' __aeabi_(d|[a-z]+2d)| U (exp|log|pow|sqrt|fma|fmax)$'
    }
    check "cortex-m4: no double in it" no_double
    small() {
        arm-none-eabi-size -A "$out/cortex-m4/digits.o"
        arm-none-eabi-size -A "$out/cortex-m4/digits.o" | awk '/^\.text/ {n += $2} END {exit !(n > 0 && n <= 2048)}'
    }
    check "cortex-m4: code of 2 KB at most" small
    check "cortex-m4: measure" board measure
    grep -E 'instructions' "$out/log"
else
    echo "skip  cortex-m4: no arm-none-eabi-gcc or no qemu-system-arm"
    skipped=$((skipped + 6))
fi

echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
