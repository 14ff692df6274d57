#!/usr/bin/env bash
# Runs the suites on the build that counts lines, and asks that enough of the compiler's lines were run.
#   tests/coverage.sh BUILD PERCENT [ONLY]
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
wanted=$2

find "$build" -name '*.gcda' -delete
tests/check.sh "$build" "${3:-}" || exit 1

# gcov says for each file `File 'PATH'` and then `Lines executed:PERCENT% of LINES`. What flex and bison write is left
# out, but for our own actions, which they mark as lines of text.l and text.y.
find "$build" -name '*.gcno' ! -path '*/tests/*' -print0 | xargs -0 gcov -n 2>/dev/null | awk -v wanted="$wanted" '
    /^File / { file = $2; gsub(/\x27/, "", file) }
    /^Lines executed:/ && file ~ /^((ir|frontend|passes|codegen)\/.*|main)\.(c|l|y|h|def)$/ && !(file in seen) {
        seen[file] = 1
        percent = substr($2, 10) + 0
        lines += $4
        run += $4 * percent / 100
        printf "%6.2f%% of %5d  %s\n", percent, $4, file
    }
    END {
        total = lines ? 100 * run / lines : 0
        printf "%.2f%% of %d lines executed; wanted: %d%%\n", total, lines, wanted
        exit total < wanted
    }'
