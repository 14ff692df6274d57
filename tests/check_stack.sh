#!/usr/bin/env bash
# PREFIX_STACK_BYTES: what gcc and clang take at -O2 and -O3 is never more, for each target with the instructions that it
# is meant for; and on a microcontroller it is not much less.
. "$(dirname "$0")/lib.sh"

# kept_rows: what is added to each row alike. divided: integers, element by element.
cat >"$work/kept_rows.onnxtxt" <<END
<ir_version: 8, opset_import: ["" : 17]>
g (float[128,768] x, float[768] b) => (float[128,768] y) { y = Add(x, b) }
END
cat >"$work/divided.onnxtxt" <<END
<ir_version: 8, opset_import: ["" : 17]>
g (int64[40] a, int64[40] b) => (int64[40] m, int64[40] q) { m = Mod(a, b)  q = Div(a, b) }
END
for model in conv-3-1-5-7-17 conv-7-1-4-16-33 conv-7-2-3-8-64 conv-3-2-16-32-20 depthwise-3-24-20 matmul-16-64-48 \
    softmax-16-300 gelu-4096 resnet8 dscnn mobilenet; do
    awk -v model=$model -f tests/bench/models.awk >"$work/$model.onnxtxt"
done
networks="resnet8 dscnn mobilenet"

bound() { awk '/#define M_STACK_BYTES/ {print $3 + 0}' "$1.h"; }

within() {              # within BOUND USED WHAT
    [ "$2" -le "$1" ] || { echo "$3: the stack takes $2 bytes, M_STACK_BYTES is $1"; return 1; }
}

hosts() {               # hosts GRAPH TARGET FLAG...: by each compiler
    local at=$work/m cc level used
    "$BURIN" build "$1" --target=$2 --prefix m -o "$at.c" || return 1
    for cc in gcc clang; do
        for level in -O2 -O3; do
            $cc -std=c99 $level "${@:3}" -S -o "$at.s" "$at.c" || return 1
            used=$(awk -f tests/c/frames.awk "$at.s")
            within "$(bound "$at")" "$used" "$cc $level ${*:3}" || return 1
        done
    done
}

m4="arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -std=c99"

small() {               # small GRAPH SPARE: no bound is more than SPARE bytes above what some level takes
    local at=$work/m level used most=0 has
    "$BURIN" build "$1" --target=cortex-m4 --prefix m -o "$at.c" || return 1
    has=$(bound "$at")
    for level in -Os -O2 -O3; do
        $m4 $level -fcallgraph-info=su -c -o "$at.o" "$at.c" || return 1
        used=$(awk -f tests/c/chain.awk "$at.ci")
        within "$has" "$used" "$level" || return 1
        [ "$used" -le $most ] || most=$used
    done
    [ "$has" -le $((most + $2)) ] || { echo "M_STACK_BYTES is $has, the stack takes $most bytes"; return 1; }
}

graphs="$(ls "$work"/*.onnxtxt) tests/c/transcendental.onnxtxt tests/c/libm.onnxtxt tests/c/integers.onnxtxt"
[ -z "${FULL:-}" ] || graphs="$(ls "$work"/*.onnxtxt tests/c/*.onnxtxt)"
[ "$(gcc -dumpmachine | cut -d - -f 1)" = x86_64 ] || graphs=
for graph in $graphs; do
    name=$(basename "$graph" .onnxtxt)
    [ -z "$only" ] || [[ $name == *$only* ]] || continue
    case ${FULL:+full}$name in resnet8 | mobilenet) continue ;; esac       # they take long
    check "$name: x86-64-v4" hosts "$graph" x86-64-v4
    case ${FULL:+full}$name in dscnn) continue ;; esac
    check "$name: x86-64-v3" hosts "$graph" x86-64-v3
    check "$name: generic" hosts "$graph" generic
    check "$name: generic, AVX-512" hosts "$graph" generic -march=x86-64-v4
    check "$name: generic, AVX2" hosts "$graph" generic -march=x86-64-v3
done
if have arm-none-eabi-gcc; then
    for name in $networks conv-7-2-3-8-64 softmax-16-300; do
        [ -z "$only" ] || [[ $name == *$only* ]] || continue
        check "$name: cortex-m4, within 512 bytes" small "$work/$name.onnxtxt" 512
    done
fi
finish
