#!/usr/bin/env bash
# burin bench: its table adds up, its JSON says the same, all ways to call the function, and what it refuses. How fast
# anything is has no place here: tests/bench.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$work/tmp
mkdir -p "$TMPDIR"
unset CC CFLAGS
net=tests/c/network.onnxtxt

# A row: time, share, rate, of peak, rate, of peak, name. What is printed is rounded to 2 and 1 decimals. A row that the
# clock cannot tell has a bound for its time, and no figures.
table_adds_up() {
    "$BURIN" bench "$1" >"$work/table" && awk '
        function close_to(a, b, e) { return a - b <= e && b - a <= e }
        /GFLOP\/s \(/ {
            for (i = 2; i <= NF; i++)
                if ($i ~ /^GFLOP/) flops = $(i - 1); else if ($i ~ /^GB/) bytes = $(i - 1)
        }
        $1 ~ /^</ {
            lost += substr($1, 2)
            n++
            if ($2 $3 $4 $5 $6 $7 != "us-----" || /<- slowest$/) bad++
            next
        }
        $2 == "us" && $3 + 0 > 100 {bad++}
        / one call, / && $3 != "-" {bad++}
        $2 == "us" && !total {
            if ($0 ~ / total$/) total = $1; else {n++; time += $1; share += $3; marks += /<- slowest$/}
            if ($0 ~ /<- slowest$/) marked = $1
            if ($1 > most && !total) most = $1
            bad += !close_to($6, 100 * $5 / flops, .06 + 1 / flops) || !close_to($9, 100 * $8 / bytes, .06 + 1 / bytes)
        }
        END {
            if (n < 2 || marks != 1 || marked != most || !close_to(time, total, .005 * (n + 1) + 1e-9 + lost)) bad++
            if (!close_to(share, 100, .05 * n + 1e-9 + 100 * lost / total) || flops <= 0 || bytes <= 0) bad++
            exit bad
        }' "$work/table" || { cat "$work/table"; return 1; }
}
json_adds_up() {        # json_adds_up FILE KERNELS
    json_is_valid "$1" && awk -v want="$2" '
        function value(name) {
            return match($0, "\"" name "\": [-+.0-9e]+") ? substr($0, RSTART + length(name) + 4, RLENGTH) + 0 : -1
        }
        /"total"/ {s = value("seconds"); o = value("operations"); b = value("bytes")}
        /"output"/ {n++; s -= value("seconds"); o -= value("operations"); b -= value("bytes")}
        /"peak_/ {peaks += value("peak_flops") > 0 || value("peak_bytes_per_second") > 0}
        END {exit !(n == want && peaks == 2 && s < 1e-9 && s > -1e-9 && o == 0 && b == 0)}' "$1" ||
        { cat "$1"; return 1; }
}
json_says() {           # json_says KERNELS MODEL OPTION...
    local n=$1
    shift
    "$BURIN" bench "$@" --json >"$work/json" && json_adds_up "$work/json" "$n"
}
lacks() { ! grep -q "$@"; }
no_share_above_all() { "$BURIN" bench "$1" | awk '$2 == "us" {n++; if ($3 + 0 > 100) bad++} END {exit bad || !n}'; }
kernels() { "$BURIN" report "$1" | sed '1,/operations.*kernel$/d' | wc -l; }

check "the table adds up" table_adds_up $net
printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' 'g (float[96,96] a, float[96,96] b) => (float[96,96] d)' \
    '{ c = MatMul(a, b) e = Softmax(c) f = Transpose(e) d = MatMul(f, a) }' >"$work/long_rows.onnxtxt"
check "the table adds up, all rows told" table_adds_up "$work/long_rows.onnxtxt"
check "all rows told" lacks '^ *<' "$work/table"
check "JSON" json_says "$(kernels $net)" $net
printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' 'g (float[32,48] a, float[48,64] b) => (float[32,64] c)' \
    '{ c = MatMul(a, b) }' >"$work/product.onnxtxt"
ops=$((2 * 32 * 48 * 64)) bytes=$((4 * (32 * 48 + 48 * 64 + 32 * 64)))
check "a product-sum is two operations, a byte counts once" ends 0 \
    "\"total\".*\"operations\": $ops, \"bytes\": $bytes}" "$BURIN" bench "$work/product.onnxtxt" --json
check "too short for the clock" ends 0 'the last line alone counts' "$BURIN" bench examples/hello/hello.onnxtxt
check "too short for the clock: below what" ends 0 '^ *<0\.0[0-9]+ us +- +- +- +- +-  Repeat y float\[4,6\]$' \
    "$BURIN" bench examples/hello/hello.onnxtxt
check "no share above all" no_share_above_all examples/hello/hello.onnxtxt
check "JSON says what can be told" ends 0 '"least_seconds": [0-9.]+e-0[789],' "$BURIN" bench $net --json
check "the default flags" ends 0 '^cc -std=c99 -O2 -march=native -ffp-contract=off$' "$BURIN" bench $net
san="-fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror"
check "arena and weights, under sanitizers" ends 0 ' total$' env CFLAGS="$san" \
    "$BURIN" bench $net --weights=bin --arena=caller
for options in --io=arena "--io=arena --arena=caller" --target=x86-64-v3; do
    check "$options" json_says "$(kernels $net)" $net $options
done
check "another compiler and its flags" ends 0 '^clang -std=c99 -O2 -O1 -Wall' env CC=clang CFLAGS="-O1 ${san#* * }" \
    "$BURIN" bench $net
check "strings, and an output that depends on data" ends 0 ' total$' "$BURIN" bench tests/c/strings.onnxtxt --counts
awk -v shape=chain -v n=300 'BEGIN {
    print "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x0) => (float[2] x" n ") {"
    for (i = 0; i < n; i++) print "x" i + 1 " = CumSum(x" i ", z)"
    print "}"}' | sed 's/ {$/ <int64 z = {0}> {/' >"$work/long.onnxtxt"
check "more kernels than one function calls" json_says "$(kernels "$work/long.onnxtxt")" "$work/long.onnxtxt"

compiler 's/^#include "model.h"/&\n#error broken/'
check "the compiler refuses" ends 1 'note: .*broken' "$BURIN" bench $net
CC=no-such-compiler
check "no compiler" ends 1 "error: cannot start the C compiler 'no-such-compiler'" "$BURIN" bench $net
unset CC
check "a refused model" ends 1 "error: .*'none'" "$BURIN" bench <(sed 's/Relu(t/Relu(none/' $net)
check "a budget" ends 1 "RAM" "$BURIN" bench $net --ram-budget=3
check "no model" ends 2 "burin bench needs a model" "$BURIN" bench
check "an argument too many" ends 2 "one argument too many: 'x'" "$BURIN" bench $net x
check "--bisect" ends 2 "--bisect belongs to burin check" "$BURIN" bench $net --bisect
finish
