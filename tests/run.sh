#!/usr/bin/env bash
# The text cases: every tests/op/*.txt is one graph with its expectations (tests/op/README.md tells the form). Each is interpreted
# (burin run) and compiled (burin build, then $CC with warnings as errors), and both must give the expected values; a case of an error must
# be refused with a message that matches, and nothing written.
#
#     tests/run.sh [ONLY]       ONLY: cases whose file name contains it
. "$(dirname "$0")/lib.sh"
CC=${CC:-cc}
flags="-std=c99 -pedantic -O1 -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror"
jobs=$(nproc)
files=$(ls tests/op/*"$only"*.txt 2>/dev/null)
[ -n "$files" ] || { echo "no case is called '$only'"; exit 1; }

$CC -std=c11 -D_GNU_SOURCE -O1 -Iir/base -o "$work/case" tests/case.c ir/base/*.c -lmd -lm || exit 1
"$work/case" plan "$work" $files || exit 1

# One line of the list: a refused case leaves NAME.err, an interpreted run NAME.RUN.txt, a compiled case NAME.c and NAME.h.
one() {
    IFS='|' read -r name run file kind options args <<<"$1"
    if [ "$run" = 0 ]; then
        "$BURIN" build "$file" -o "$work/$name.c" --prefix "$name" $options >"$work/$name.log" 2>&1
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
    fi
}
export -f one
export work BURIN
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
$CC -std=c99 -O0 $with -I"$work" -o "$work/main" "$work/main.c" "$work"/*.o -lm && "$work/main" >"$work/compiled.txt"

"$work/case" judge "$work" $files >"$work/verdict"
grep -v ' passed, ' "$work/verdict"
read -r passed _ failed _ <<<"$(tail -n 1 "$work/verdict")"

# No operator without a case.
[ -n "$only" ] || for op in $("$BURIN" ops --as=table | cut -f 1 | uniq); do
    if grep -qE "= $op *[(<]" tests/op/*.txt; then pass "$op"; else fail "$op" "no case in tests/op"; fi
done
finish
