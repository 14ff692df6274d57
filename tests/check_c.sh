#!/usr/bin/env bash
# The emitted C: clean under gcc and clang at every level, and the same values from the interpreter (before and after
# the passes) and from the compiled program, however it is built. tests/check_c.sh [ONLY]: graphs with ONLY in the name.
. "$(dirname "$0")/lib.sh"
cd tests/c || exit 1
# The interpreter's product-sums are fused, so the C is compiled for a machine that has that operation.
fma=$(grep -qw fma /proc/cpuinfo 2>/dev/null && echo -mfma)
c99="$fma -std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror"
san="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"
driver="gcc -std=c11 -O0 -Wall -Wextra -Werror -I."

every="gcc.O0 gcc.O2 gcc.O3 clang.O1 clang.O3"
[ -z "${FULL:-}" ] || every="gcc.O0 gcc.O1 gcc.O2 gcc.O3 gcc.Os clang.O0 clang.O1 clang.O2 clang.O3 clang.Os"
some="gcc.O0 clang.O3"                          # where the same shape of code has been through all of them
[ -z "${FULL:-}" ] || some=$every

# compiles FOLDER COMPILER.LEVEL...: FOLDER/m.c without a warning; the objects stay. That of gcc.O2 does not run: it is
# for any machine, and gcc says what stack it takes.
compiles() {
    local at=$1 way
    shift
    for way; do
        case $way in
        gcc.O2) gcc ${c99#-mfma} -fcallgraph-info=su -O2 -c -o "$at/$way.o" "$at/m.c" ;;
        *) ${way%.*} $c99 -${way#*.} -c -o "$at/$way.o" "$at/m.c" ;;
        esac || return 1
    done
    gcc $c99 -O1 -g $san -c -o "$at/gcc.san.o" "$at/m.c" &&
        g++ -std=c++17 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Werror -fsyntax-only \
            -x c++ "$at/m.h"
}

reserved='__(GNUC|OPTIMIZE_SIZE|clang|attribute|AVX|AVX512F|FMA|x86_64)__|__(ARM_(FEATURE_FMA|FP|NEON)|cplusplus|has_warning|has_attribute)|_Pragma'

# ASCII, no other headers, no reserved name, no name but its own to the outside, nothing called but libc's and libm's.
inside() {
    local at=$1 f
    for f in "$at/m.c" "$at/m.h"; do
        if LC_ALL=C grep -nP '[^\x09\x0a\x20-\x7e]' "$f"; then echo "$f: not ASCII"; return 1; fi
        if grep -nE '^[ 	]*#[ 	]*include' "$f" | grep -vE '<(stdint|stdbool|string|math)\.h>|"m\.h"'; then return 1; fi
        if grep -nF '??' "$f"; then echo "$f: a trigraph"; return 1; fi
        awk 'length($0) > 4095 {print FILENAME ": line " NR " has " length($0) " characters"; exit 1}' "$f" || return 1
        # Reserved names: none but those that compilers are known by.
        if gcc -fpreprocessed -dD -E -P -x c "$f" | sed 's,"[^"]*",,g' |
            grep -oE '\b_[A-Z_][A-Za-z0-9_]*' | grep -vxE "$reserved"; then
            echo "$f: reserved names"; return 1
        fi
        if sed 's,/\*[^*]*\*/,,g' "$f" | grep -nE '\b(malloc|calloc|realloc|free|alloca|goto|asm)\b'; then return 1; fi
    done
    if nm -g --defined-only "$at/gcc.O0.o" | grep -vE ' m_[A-Za-z0-9_]*$'; then echo "exports these"; return 1; fi
    local calls=' (memcpy|memmove|memset|memcmp|strlen|strcmp|strncmp|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail'
    calls="$calls|(sqrt|floor|ceil|trunc|rint|nearbyint|round|fma|ldexp|fabs|copysign|exp|exp2|expm1|log|log2|log10"
    calls="$calls|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh"
    calls="$calls|erf|erfc|fmod|fmin|fmax)f?)$"
    if nm -u "$at/gcc.O0.o" | grep -vE "$calls"; then echo "calls these"; return 1; fi
}

# The stack that gcc used at each level, with vectors of each length, is within PREFIX_STACK_BYTES.
wide= widest=
if [ "$(gcc -dumpmachine | cut -d - -f 1)" = x86_64 ]; then
    wide="-O3,-march=x86-64-v3" widest="-O2,-march=x86-64-v3 -O3,-mfma -O3,-march=x86-64-v4"
fi
stack() {
    local at=$1 flags used bound
    bound=$(awk '/#define M_STACK_BYTES/ {print $3 + 0}' "$at/m.h")
    for flags in ${FULL:+-O1} -O2 -O3 ${FULL:+-Os} $wide ${FULL:+$widest}; do
        if [ $flags != -O2 ] || [ ! -e "$at/gcc.O2.ci" ]; then
            gcc -std=c99 ${flags//,/ } -fcallgraph-info=su -c -o "$at/stack.o" "$at/m.c" || return 1
            mv "$at/stack.ci" "$at/gcc$flags.ci"
        else
            cp "$at/gcc.O2.ci" "$at/gcc-O2.ci"
        fi
        used=$(awk -f chain.awk "$at/gcc$flags.ci")
        [ -n "$bound" ] && [ "$used" -le "$bound" ] ||
            { echo "$flags: the stack takes $used bytes, M_STACK_BYTES is $bound"; return 1; }
    done
}

program() {             # program FOLDER NAME SOURCE OBJECT [FLAG...]: FOLDER/NAME; the source is compiled once
    local at=$1 name=$2 main
    main=$at/$(basename "$3" .c).main.o
    [ "$main" -nt "$at/m.h" ] || $driver $fma -I"$at" $(definitions "${@:5}") -c -o "$main" "$3" || return 1
    gcc -o "$at/$name" "$main" "$4" "${@:5}" -lm
}

definitions() { local a; for a; do case $a in -D*) echo "$a" ;; esac; done; }

# ---- three ways ------------------------------------------------------------------------------------------------------

interpret() {           # interpret FOLDER GRAPH TO [OPTION...]: what the interpreter makes of `main write`'s inputs
    local at=$1 graph=$2 to=$3 k=0 name inputs=()
    shift 3
    mkdir -p "$to"
    for name in $(awk -v names=1 -f values.awk -f driver.awk "$graph"); do
        inputs+=("$name=$at/in$k.npy")
        k=$((k + 1))
    done
    "$BURIN" run "$graph" "${inputs[@]}" -o "$to" "$@"
}

variant() {             # variant FOLDER GRAPH NAME "AWK OPTIONS" OPTION...: built with OPTION, compiled, compared
    local at=$1/$3 graph=$2 weights=
    mkdir -p "$at"
    "$BURIN" build "$graph" -o "$at/m.c" "${@:5}" && compiles "$at" ${FULL:+gcc.O3} clang.O2 || return 1
    [ ! -e "$at/m.bin" ] || weights=$at/m.bin
    awk $4 -f values.awk -f driver.awk "$graph" >"$at/main.c" && program "$at" run "$at/main.c" "$at/gcc.san.o" $san &&
        "$at/run" compare "$1/optimised" $weights
}

no_strings() {
    local said
    ! said=$("$BURIN" build "$1" -o - --io=arena 2>&1 >/dev/null) &&
        grep -q "is of strings, which --io=arena has" <<<"$said"
}

whole() {               # -o -: header and C in one text
    local at=$1/whole graph=$2
    mkdir -p "$at"
    "$BURIN" build "$graph" -o - --prefix m >"$at/whole.h" &&
        awk -v header=whole.h -f values.awk -f driver.awk "$graph" >"$at/main.c" &&
        gcc $c99 -O2 -c -o "$at/whole.o" -x c "$at/whole.h" && program "$at" run "$at/main.c" -lm &&
        "$at/run" compare "$1/optimised"
}

rings() {               # rings FOLDER GRAPH: the kernels of chains have functions for their parts
    local both="-v weights=1 -v arena=1"
    check "rows: in rings" variant "$1" "$2" rings "" --stream
    check "rows: in rings, stack" stack "$1/rings"
    check "rows: in rings, weights in a file, arena as a parameter" \
        variant "$1" "$2" rings_both "$both" --stream --weights=bin --arena=caller
    check "rows: in rings, without tiles" variant "$1" "$2" rings_plain "" --stream --target=cortex-m4
    check "rows: in rings, inputs and outputs in the arena" variant "$1" "$2" rings_io "-v io=1" --stream --io=arena
}

threefold() {
    local graph=$1 name at
    name=$(basename "$graph" .onnxtxt)
    at=$work/$name
    mkdir -p "$at"
    check "$name: burin build" "$BURIN" build "$graph" -o "$at/m.c"
    [ -e "$at/m.c" ] || return
    check "$name: without a warning" compiles "$at" $every
    check "$name: nothing in it that should not be" inside "$at"
    check "$name: stack" stack "$at"
    awk -f values.awk -f driver.awk "$graph" >"$at/main.c"
    check "$name: interface" program "$at" san "$at/main.c" "$at/gcc.san.o" $san || return
    [ -x "$at/san" ] || return
    "$at/san" write "$at"
    check "$name: interpreted" interpret "$at" "$graph" "$at/optimised"
    check "$name: interpreted before the passes" interpret "$at" "$graph" "$at/plain" --pass-limit=0
    check "$name: compiled with sanitizers" "$at/san" compare "$at/optimised"
    check "$name: compared with what it was before the passes" "$at/san" compare "$at/plain"
    local object
    for object in gcc.O3 clang.O1 clang.O3; do
        program "$at" "$object" "$at/main.c" "$at/$object.o" >"$work/log" 2>&1
        check "$name: compiled, $object" "$at/$object" compare "$at/optimised"
    done
    check "$name: compiled before the passes" variant "$at" "$graph" unoptimised "" --pass-limit=0
    local alone=        # whether to build each option by itself
    case ${FULL:+full}$name in full* | network | strings) alone=1 ;; esac
    [ -z "$alone" ] || check "$name: the arena as a parameter" variant "$at" "$graph" arena "-v arena=1" --arena=caller
    [ -z "$alone" ] || check "$name: weights in a file" variant "$at" "$graph" weights "-v weights=1" --weights=bin
    [ "$name" != network ] || check "$name: weights in a file, arena as a parameter" \
        variant "$at" "$graph" both "-v weights=1 -v arena=1" --weights=bin --arena=caller
    if sed -n '/ => /{p;q}' "$graph" | grep -qw string; then
        check "$name: strings have no place in the arena" no_strings "$graph"
    else
        [ -z "$alone" ] || check "$name: inputs and outputs in the arena" variant "$at" "$graph" io "-v io=1" --io=arena
        check "$name: the same, the arena as a parameter, weights in a file" \
            variant "$at" "$graph" all "-v io=1 -v arena=1 -v weights=1" --io=arena --arena=caller --weights=bin
    fi
    case $name in rows | parts) rings "$at" "$graph" ;; esac
    case ${FULL:+full}$name in
    full* | network | strings | libm | rows) check "$name: one text" whole "$at" "$graph" ;;
    esac
}

# ---- every type through movement -------------------------------------------------------------------------------------

type_graph() {
    local t=$1
    cat <<END
<ir_version: 10, opset_import: ["" : 25]>
g ($t[3,5] x) => ($t[5,3] re, $t[6,15] rep, $t[2,3,10] rep3, $t[5,3] tr, $t[6,5] c, $t[3,10] c2, $t[2,2] sl, $t[9,5] fl,
                   int64[2] sh)
  <int64[2] to = {-1, 3}, int64[2] a = {1, 1}, int64[2] b = {3, 5}, int64[2] ax = {0, 1}, int64[2] st = {1, 2},
   int64[1] end = {-1}, int64[1] far = {-9}, int64[1] one = {1}, int64[3] times = {3, 1, 1}, int64[3] up = {1, 3, 5}>
{
    re = Reshape(x, to)
    rep = Repeat <multiples = [2, 3]> (x)
    rep3 = Repeat <multiples = [2, 1, 2]> (x)
    tr = Transpose(x)
    c = Concat <axis = 0> (x, x)
    c2 = Concat <axis = 1> (x, x)
    sl = Slice(x, a, b, ax, st)
    r = Slice(x, end, far, one, end)
    r3 = Reshape(r, up)
    t3 = Tile(r3, times)
    fl = Flatten <axis = 2> (t3)
    sh = Shape(x)
}
END
}

types() {
    local t bits kind align at
    for t in float:32 uint8:8 int8:8 uint16:16 int16:16 int32:32 int64:64 string:64:2 bool:8:1 float16:16 double:64 \
        uint32:32 uint64:64 complex64:64:0:4 complex128:128:0:8 bfloat16:16 float8e4m3fn:8 float8e4m3fnuz:8 \
        float8e5m2:8 float8e5m2fnuz:8 uint4:4 int4:4 float4e2m1:4 float8e8m0:8 uint2:2 int2:2; do
        IFS=: read -r t bits kind align <<<"$t"
        [ -z "$only" ] || [[ types_$t == *$only* ]] || continue
        at=$work/types_$t
        mkdir -p "$at"
        type_graph "$t" >"$at/g.onnxtxt"
        check "$t: burin build" "$BURIN" build "$at/g.onnxtxt" -o "$at/m.c"
        [ -e "$at/m.c" ] || continue
        case $t in
        float | string | bool | complex64 | uint4 | int2) check "$t: without a warning" compiles "$at" $every ;;
        *) check "$t: without a warning" compiles "$at" $some ;;
        esac
        check "$t: nothing in it that should not be" inside "$at"
        check "$t: moved" moved "$at" "-DBITS=$bits -DKIND=${kind:-0} -DALIGN=${align:-$(((bits + 7) / 8))}"
    done
}

moved() {
    program "$1" san type_moves.c "$1/gcc.san.o" $2 $san && "$1/san" &&
        program "$1" clang type_moves.c "$1/clang.O3.o" $2 && "$1/clang"
}

# ---- constants, names, two models, options ---------------------------------------------------------------------------

fixed() {               # fixed NAME GRAPH: NAME.c knows the values
    local at=$work/$1
    mkdir -p "$at"
    check "$1: burin build" "$BURIN" build "$2" -o "$at/m.c"
    [ -e "$at/m.c" ] || return
    check "$1: without a warning" compiles "$at" $every
    check "$1: nothing in it that should not be" inside "$at"
    for object in gcc.san gcc.O3 clang.O1 clang.O3; do
        check "$1: $object" fixed_run "$at" "$1.c" "$object"
    done
}

fixed_run() {
    local flags=
    [ "$3" != gcc.san ] || flags=$san
    program "$1" "$3" "$2" "$1/$3.o" $flags && "$1/$3"
}

two() {
    local at=$work/two
    mkdir -p "$at"
    "$BURIN" build views.onnxtxt -o "$at/views.c" && "$BURIN" build network.onnxtxt -o "$at/other.c" --prefix network &&
        cp "$at/other.h" "$at/network.h" && gcc $c99 -O2 -c -o "$at/views.o" "$at/views.c" &&
        gcc $c99 -O2 -I"$at" -c -o "$at/other.o" "$at/other.c" &&
        gcc $c99 -Wno-pedantic -I"$at" -c -o "$at/two.o" two.c &&
        g++ -std=c++17 -Wall -Wextra -Werror -I"$at" -o "$at/two" two_cxx.cpp "$at"/{two,views,other}.o -lm &&
        "$at/two"
}

prefixes() {            # the default prefix comes from the name of OUT, or of MODEL
    local at=$work/prefixes want name
    mkdir -p "$at"
    while read -r name want; do
        "$BURIN" build doubling.onnxtxt -o "$at/$name.c" || return 1
        grep -q "void ${want}_run(" "$at/$name.h" || { echo "$name.c should have the prefix $want"; return 1; }
        grep -qF "#include \"$name.h\"" "$at/$name.c" || { echo "$name.c does not include $name.h"; return 1; }
        grep -qi "${want}_OUT0_ELEMS" "$at/$name.h" || return 1
        gcc $c99 -c -o "$at/p.o" "$at/$name.c" || return 1
    done <<-END
		net net
		my-net.v2 my_net_v2
		__a--b__ a_b
		9lives m_9lives
		größe gr_e
		--- model
		int int
	END
    cp doubling.onnxtxt "$at/2nd model.onnxtxt"
    "$BURIN" build "$at/2nd model.onnxtxt" -o - | grep -q 'void m_2nd_model_run(' || return 1
    (cd "$at" && "$BURIN" build "$root/tests/c/doubling.onnxtxt" && [ -e doubling.c ] && [ -e doubling.h ])
}

many_parameters() {     # more than C99's 127: a warning, and it works
    local at=$work/many
    mkdir -p "$at"
    awk 'BEGIN {
        print "<ir_version: 10, opset_import: [\"\" : 21]>"
        printf "g ("
        for (i = 0; i < 150; i++) printf "%sfloat x%d", i ? ", " : "", i
        print ") => (float y)\n{\n    y = Sum("
        for (i = 0; i < 150; i++) printf "%sx%d", i ? ", " : "", i
        print ")\n}"}' >"$at/g.onnxtxt"
    "$BURIN" build "$at/g.onnxtxt" -o "$at/m.c" 2>"$at/said" && grep -q 'warning: .*127' "$at/said" ||
        { cat "$at/said"; return 1; }
    gcc $c99 -O1 $san -c -o "$at/m.o" "$at/m.c" && awk -f values.awk -f driver.awk "$at/g.onnxtxt" >"$at/main.c" &&
        program "$at" run "$at/main.c" "$at/m.o" $san && "$at/run" write "$at" &&
        interpret "$at" "$at/g.onnxtxt" "$at/want" && "$at/run" compare "$at/want"
}

sections() {            # PREFIX_CONST and PREFIX_ARENA_ATTR place what they stand before
    local at=$work/sections
    mkdir -p "$at"
    "$BURIN" build reductions.onnxtxt -o "$at/a.c" --prefix a &&
        "$BURIN" build network.onnxtxt -o "$at/c.c" --prefix c &&
        gcc -std=c99 '-DA_ARENA_ATTR=__attribute__((section(".ram2")))' '-DA_CONST=' -c -o "$at/a.o" "$at/a.c" &&
        gcc -std=c99 '-DC_CONST=__attribute__((section(".flash2")))' -c -o "$at/c.o" "$at/c.c" &&
        size -A "$at/c.o" | grep -E '^\.flash2 +[1-9]' || return 1
    [ "$(awk '/#define A_ARENA_BYTES/ {print $3 + 0}' "$at/a.h")" = 0 ] || size -A "$at/a.o" | grep -E '^\.ram2 +[1-9]'
}

# clang prefers halves of registers of 64 bytes on some machines; a tile of 16 lanes is never halved.
whole_registers() {
    local at=$work/registers target
    mkdir -p "$at"
    for target in generic x86-64-v4; do
        "$BURIN" build ../pass/tile_rows_share_what_is_read.txt --target=$target -o "$at/m.c" &&
            clang $c99 -O2 -march=skylake-avx512 -S -o "$at/m.s" "$at/m.c" && grep -q zmm "$at/m.s" || return 1
        if grep ymm "$at/m.s"; then return 1; fi
    done
}

inlined() {             # no loop of lanes calls: gcc would, on machines with fused products
    local at=$work/inlined cc target
    mkdir -p "$at"
    for target in x86-64-v3 x86-64-v4; do
        "$BURIN" build ../pass/loops_of_lanes_call_nothing.txt --target=$target -o "$at/m.c" || return 1
        for cc in gcc clang; do
            $cc $c99 -O2 -c -o "$at/m.o" "$at/m.c" || return 1
            if nm "$at/m.o" | grep tanh; then return 1; fi
        done
    done
}

halves_in_vectors() {   # by each compiler, without the masks of AVX-512, too
    local at=$work/halves_in_vectors cc
    mkdir -p "$at"
    cat >"$at/g.onnxtxt" <<-END
		<ir_version: 8, opset_import: ["" : 17]>
		g (float[4096] x) => (float16[4096] y) { y = Cast <to = 10> (x) }
	END
    for cc in gcc clang; do
        "$BURIN" build "$at/g.onnxtxt" --target=x86-64-v3 -o "$at/m.c" && $cc $c99 -O2 -S -o "$at/m.s" "$at/m.c" &&
            grep -qE 'vpsrld.*ymm' "$at/m.s" || { echo "$cc: one by one"; return 1; }
    done
}

one_register() {        # clang: an operand of a product is read by way of one register, not of two
    local at=$work/operand
    mkdir -p "$at"
    "$BURIN" build ../pass/tile_rows_share_what_is_read.txt -o "$at/m.c" &&
        clang $c99 -O2 -march=skylake-avx512 -S -o "$at/m.s" "$at/m.c" && grep -q '1to16' "$at/m.s" || return 1
    if grep -E '\(%r[a-z0-9]*,.*1to16' "$at/m.s"; then return 1; fi
}

short_text() {          # clang where registers are few: no more than half as much text again as gcc's
    local at=$work/text
    mkdir -p "$at"
    "$BURIN" build ../pass/tile_rows_share_what_is_read.txt -o "$at/m.c" &&
        gcc -std=c99 -O2 -c -o "$at/gcc.o" "$at/m.c" && clang -std=c99 -O2 -c -o "$at/clang.o" "$at/m.c" &&
        size -A "$at/gcc.o" "$at/clang.o" | awk '/^\.text/ {n[++k] = $2} END {print n[1], n[2]; exit !(n[2] <= 1.5 * n[1])}'
}

long_loops() {          # -O3 leaves loops around lanes as they are: hardly more text than at -O2
    local at=$work/loops cc level
    mkdir -p "$at"
    "$BURIN" build ../pass/tile_columns_of_lanes.txt -o "$at/m.c" || return 1
    for cc in clang gcc; do
        for level in 2 3; do $cc -std=c99 -march=skylake-avx512 -O$level -c -o "$at/$level.o" "$at/m.c" || return 1; done
        size -A "$at/2.o" "$at/3.o" |
            awk '/^\.text/ {n[++k] = $2} END {print n[1], n[2]; exit !(n[2] <= 1.5 * n[1])}' || return 1
    done
}

no_double() { ! sed 's,/\*[^*]*\*/,,g' "$work/network/m.c" | grep -nwE 'double'; }

for graph in *.onnxtxt; do
    name=${graph%.onnxtxt}
    [ -z "$only" ] || [[ $name == *$only* ]] || continue
    case $name in
    constants)
        long=$(head -c 5000 < <(yes abcdefghij | tr -d '\n'))
        sed "s/@LONG@/$long/; s/@CTRL@/"$'\001'"/" $graph >"$work/constants.onnxtxt"
        fixed constants "$work/constants.onnxtxt" ;;
    names) fixed names names.onnxtxt ;;
    *) threefold $graph ;;
    esac
done
types
if [ -z "$only" ]; then
    check "a float model uses no double" no_double
    check "two models in one program, from C++" two
    check "prefixes" prefixes
    check "150 inputs" many_parameters
    check "constants and arena in sections of their own" sections
    if [ "$(uname -m)" = x86_64 ]; then
        check "-O3 leaves loops around lanes as they are" long_loops
        check "an operand by way of one register" one_register
        check "short text where registers are few" short_text
        check "whole registers, where clang prefers halves" whole_registers
        check "no loop of lanes calls" inlined
        check "floats become halves in vectors" halves_in_vectors
    fi
fi
finish
