#!/usr/bin/env bash
# The emitted C on microcontrollers: compiled for several Cortex-M, run on a Cortex-M4 under QEMU, where it must give
# the bits that the interpreter gives here, within the stack that its header states; and what the digits classifier
# needs.
. "$(dirname "$0")/lib.sh"
if ! have arm-none-eabi-gcc || ! have qemu-system-arm; then
    echo "skip: no arm-none-eabi-gcc or no qemu-system-arm"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
c99="-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror"
m4="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
board=examples/cortex-m4
qemu="timeout 60 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -chardev stdio,id=out
    -semihosting-config enable=on,target=native,chardev=out"

inputs() {              # of a graph, as NAME=FILE
    awk -v names=1 -f tests/c/values.awk -f tests/c/driver.awk "$1" |
        awk -v at="$2" '{print $1 "=" at "/in" NR - 1 ".npy"}'
}

# Inputs and expected outputs, made on this machine.
expect() {
    local graph=$1 at=$2
    mkdir -p "$at/optimised"
    "$BURIN" build "$graph" -o "$at/m.c" && awk -f tests/c/values.awk -f tests/c/driver.awk "$graph" >"$at/host.c" &&
        gcc -std=c11 -w -Itests/c -I"$at" -o "$at/host" "$at/host.c" "$at/m.c" -lm && "$at/host" write "$at" &&
        "$BURIN" run "$graph" $(inputs "$graph" "$at") -o "$at/optimised"
}

crosses() {             # a processor without FPU, with one, with two; the stack by the compiler's own account
    local at=$1 cpu level used bound
    bound=$(awk '/#define M_STACK_BYTES/ {print $3 + 0}' "$at/m.h")
    for cpu in "-mcpu=cortex-m0" "-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard" \
        "-mcpu=cortex-m55 -mfloat-abi=hard"; do
        arm-none-eabi-gcc $cpu -mthumb $c99 -Os -c -o "$at/cross.o" "$at/m.c" || return 1
    done
    for level in ${FULL:+O1} O2 ${FULL:+O3} Os; do
        arm-none-eabi-gcc $m4 $c99 -$level -fcallgraph-info=su -c -o "$at/m.$level.o" "$at/m.c" || return 1
        used=$(awk -f tests/c/chain.awk "$at/m.$level.ci")
        [ "$used" -le "$bound" ] || { echo "-$level: the stack takes $used bytes, M_STACK_BYTES is $bound"; return 1; }
    done
}

runs() {
    local graph=$1 at=$2 level
    awk -v dir="$at" -f tests/c/values.awk -f tests/c/firmware.awk "$graph" >"$at/main.c" || return 1
    arm-none-eabi-gcc $m4 -O1 -std=c11 -w -I$board -I"$at" --specs=nano.specs \
        -c -o "$at/main.o" "$at/main.c" || return 1
    for level in O2 Os; do
        arm-none-eabi-gcc $m4 -nostartfiles --specs=nano.specs -T $board/board.ld -Wl,--gc-sections -o "$at/m.elf" \
            "$at/main.o" "$work/board.o" "$at/m.$level.o" -lm || return 1
        $qemu -kernel "$at/m.elf" </dev/null || return 1
    done
}

arm-none-eabi-gcc $m4 -O2 -std=c11 -w -I$board --specs=nano.specs -c -o "$work/board.o" $board/board.c || exit 1
for graph in tests/c/*.onnxtxt; do
    name=$(basename "$graph" .onnxtxt)
    case $name in constants | names | libm) continue ;; esac
    [ -z "$only" ] || [[ $name == *$only* ]] || continue
    at=$work/$name
    check "$name: on this machine" expect "$graph" "$at"
    check "$name: for Cortex-M" crosses "$at"
    check "$name: on a Cortex-M4" runs "$graph" "$at"
done

# The classifier: what it holds in RAM, beyond its layers' inputs and outputs.
digits() {
    local at=$work/digits need=$((64 * 4 + 32 * 4 + 10 * 4 + 8 + 10 * 4)) ram stack
    make -s -C $board BURIN="$BURIN" OUT="$at" measure >"$at.log" || { cat "$at.log"; return 1; }
    stack=$(sed -n 's/.*stack \([0-9]*\) bytes.*/\1/p' "$at.log")
    ram=$(awk '/#define DIGITS_(ARENA|IN[0-9]+|OUT[0-9]+)_BYTES/ {n += $3} END {print n}' "$at/digits.h")
    cat "$at.log"
    echo "arena, input and output $ram bytes, stack $stack bytes; the layers need $need"
    [ $((ram + stack)) -le $((need + 1024)) ]
}
[ -n "$only" ] || check "digits: at most 1 KB of RAM beyond its layers" digits
finish
