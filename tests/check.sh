#!/usr/bin/env bash
# Runs the suites of `make check` and adds up what they say.
#
#   tests/check.sh [--valgrind] BUILD [ONLY]
#       BUILD: the folder with the program and the unit tests; ONLY: suites whose names contain this
#
# A suite is a unit test (tests/unit_NAME.c, with Check), a fuzzer (tests/fuzz_NAME.c, for 4 seconds), tests/run.sh,
# tests/examples.sh or any tests/check_NAME.sh. It ends with a line `N passed, N failed[, N skipped]`, or with that of
# Check, `100%: Checks: N, Failures: N, Errors: N`; its exit status is 0 when nothing failed; the program is $BURIN.
# A fuzzer counts as one. What a suite prints goes to BUILD/check/SUITE.log, shown when it fails. Two suites at a time.
# The times are those of the clock and of the processor. FULL=1: all levels and compilers, more random tries.
set -u
cd "$(dirname "$0")/.." || exit 1

valgrind=
[ "${1:-}" = --valgrind ] && { valgrind=1; shift; }
build=$1
only=${2:-}
logs=$build/check
fuzz=4
[ -z "${FULL:-}" ] || fuzz=60
jobs=$(nproc)
[ "$jobs" -gt 2 ] && jobs=2
rm -rf "$logs"
mkdir -p "$logs"

BURIN=$PWD/$build/burin
[ "$build" = build ] && BURIN=$PWD/burin
if [ -n "$valgrind" ]; then
    memcheck="valgrind -q --error-exitcode=86 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$memcheck" "$BURIN" >"$build/burin-valgrind"
    chmod +x "$build/burin-valgrind"
    BURIN=$PWD/$build/burin-valgrind
    export CK_FORK=no
fi
export BURIN VALGRIND="$valgrind" LC_ALL=C
# A sanitizer's report has an exit status of its own: 1 means that a model is refused.
export ASAN_OPTIONS=exitcode=86:detect_leaks=1 UBSAN_OPTIONS=exitcode=86:print_stacktrace=1 LSAN_OPTIONS=exitcode=86

names=()
for f in tests/run.sh tests/examples.sh tests/check_*.sh tests/fuzz_*.c tests/unit_*.c; do     # the long ones first
    name=$(basename "${f%.*}")
    [ -e "$f" ] && [[ $name == *$only* ]] && names+=("$name")
done

command_of() {
    case $1 in
    unit_*) echo "${valgrind:+$memcheck} $build/test/$1" ;;
    fuzz_*)
        local seeds=tests/fuzz/${1#fuzz_}
        echo "$build/test/$1 ${FUZZ_SECONDS:-$fuzz}$([ ! -d "$seeds" ] || echo " --seeds $seeds")" ;;
    *) echo "tests/$1.sh" ;;
    esac
}

microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }

# Runs one, leaves `passed failed skipped status`, then tenths of seconds of clock and processor, in NAME.sum.
suite() {
    local name=$1 start log=$logs/$1.log status last passed=0 failed=0 skipped=0 TIMEFORMAT='%1U %1S' used user system
    start=$(microseconds)
    used=$({ time $(command_of "$name") >"$log" 2>&1 </dev/null; } 2>&1; echo $?)
    read -r -d '' user system status <<<"$used"
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed|^[0-9]+%: Checks: ' "$log" | tail -n 1)
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
        passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]} skipped=${BASH_REMATCH[4]:-0}
    elif [[ $last =~ Checks:\ ([0-9]+),\ Failures:\ ([0-9]+),\ Errors:\ ([0-9]+) ]]; then
        failed=$((BASH_REMATCH[2] + BASH_REMATCH[3])) passed=$((BASH_REMATCH[1] - failed))
    fi
    if [[ $name == fuzz_* ]]; then          # however many programs it tried, it is one test
        passed=$((passed > 0 && failed == 0)) failed=$((failed > 0))
    fi
    # A suite that breaks off, or that fails without a word, counts as one failure.
    [ "$failed" = 0 ] && { [ $status != 0 ] || [ -z "$last" ]; } && failed=1
    used=$((10#${user/./} + 10#${system/./}))
    echo "$passed $failed $skipped $status $((($(microseconds) - start) / 100000)) $used" >"$logs/$name.sum"
}

seconds() { echo $(($1 / 10)).$(($1 % 10)); }

report() {              # one line a suite; of one that fails, the end of its log
    local name=$1 passed failed skipped status tenths used extra=
    read -r passed failed skipped status tenths used <"$logs/$name.sum"
    [ "$skipped" != 0 ] && extra=", $skipped skipped"
    printf '%-24s %5d passed, %d failed%s  (%s s, %s s of a processor)\n' \
        "$name" "$passed" "$failed" "$extra" "$(seconds "$tenths")" "$(seconds "$used")"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
    if [ "$failed" != 0 ]; then
        echo "  exit status $status; the end of $logs/$name.log:"
        tail -n 40 "$logs/$name.log" | sed 's/^/  | /'
    fi
}

total_passed=0 total_failed=0 total_skipped=0
reported=()
report_finished() {
    local name
    for name in "${names[@]}"; do
        [ -e "$logs/$name.sum" ] && [[ " ${reported[*]} " != *" $name "* ]] || continue
        reported+=("$name")
        report "$name"
    done
}

running=0
for name in "${names[@]}"; do
    if [ "$running" -ge "$jobs" ]; then
        wait -n
        running=$((running - 1))
        report_finished
    fi
    suite "$name" &
    running=$((running + 1))
done
wait
report_finished

[ "$total_skipped" != 0 ] && extra=", $total_skipped skipped" || extra=
echo "$total_passed passed, $total_failed failed$extra"
[ "$total_failed" = 0 ] && [ "$total_passed" != 0 ]
