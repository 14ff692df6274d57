#!/usr/bin/env bash
# `make demo`: a graph becomes C, and the C runs on this machine and on a Cortex-M4; both must print the same.
set -eu
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL           # a make within is one of its own
burin=${BURIN:-$PWD/burin}
out=build/demo
rm -rf $out
mkdir -p $out

step() { printf '\n== %s\n' "$*"; }
run() {
    echo "\$ $*"
    "$@"
}

step "A graph, in ONNX text (examples/hello/hello.onnxtxt)"
cat examples/hello/hello.onnxtxt

step "burin compiles it to one C file and a header"
run "$burin" build examples/hello/hello.onnxtxt -o $out/hello.c
cat $out/hello.c

step "On this machine"
run cc -std=c11 -O2 -I$out -o $out/hello examples/hello/main.c examples/hello/host.c $out/hello.c -lm
echo "\$ $out/hello"
$out/hello >$out/host.txt
cat $out/host.txt

if ! command -v arm-none-eabi-gcc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
    step "No arm-none-eabi-gcc or no qemu-system-arm here: the Cortex-M4 is left out"
    exit 0
fi

step "As firmware on a Cortex-M4, run by QEMU"
board() { make --no-print-directory -s -C examples/cortex-m4 BURIN="$burin" OUT="$PWD/$out/m4" "$@"; }
board MODEL=../hello/hello.onnxtxt MAIN=../hello/main.c
run arm-none-eabi-size $out/m4/hello.elf
qemu="qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -chardev stdio,id=out"
qemu="$qemu -semihosting-config enable=on,target=native,chardev=out"
echo "\$ $qemu -kernel $out/m4/hello.elf"
status=0
timeout 60 $qemu -kernel $out/m4/hello.elf </dev/null >$out/board.txt || status=$?
cat $out/board.txt
echo "exit status $status"
if [ $status != 0 ] || ! diff $out/host.txt $out/board.txt; then
    echo "The firmware failed, or the two differ." >&2
    exit 1
fi

step "Both print the same. Now a trained network on the same Cortex-M4: which digit is this? (examples/digits)"
board run
printf '\nAll is well. What was built lies in %s; make check runs the tests.\n' $out
