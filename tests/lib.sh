# What the shell suites share. A suite begins with
#
#     . "$(dirname "$0")/lib.sh"
#
# and then stands in the project's folder, has the program as $BURIN, a folder of its own as $work (removed at the end;
# KEEP=1 keeps it), and these:
#
#     check NAME COMMAND...       passes when the command does; shows what it printed when it does not
#     pass NAME, fail NAME WHY    for what is not one command
#     skip NAME WHY
#     finish                      the last line: prints the sums, exit status 0 when nothing failed
#
# A suite is run as `tests/check_NAME.sh [ONLY]`; with ONLY it may leave out what does not contain this text.
set -u
suite=$(basename "$0" .sh)
cd "$(dirname "$0")/.." || exit 1
[ -e Makefile ] || cd .. || exit 1              # tests/bench
root=$PWD
BURIN=${BURIN:-$root/burin}
only=${1:-}
passed=0 failed=0 skipped=0
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL           # a make within is one of its own

mkdir -p build
work=$(mktemp -d "$root/build/$suite.XXXXXX") || exit 1
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

[ -x "$BURIN" ] || { echo "$BURIN is not there: run make"; exit 1; }

pass() { passed=$((passed + 1)); [ -z "${V:-}" ] || echo "ok    $1"; }
fail() {
    failed=$((failed + 1))
    printf 'FAIL  %s' "$1"
    shift
    [ $# = 0 ] || printf ': %s' "$*"
    echo
}
skip() { skipped=$((skipped + 1)); echo "skip  $1: $2"; }

check() {
    local name=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        pass "$name"
    else
        fail "$name" "$(printf '%s ' "$@" | cut -c 1-300)"
        head -n 30 "$work/check.log" | cut -c 1-300 | sed 's/^/      | /'
    fi
}

have() { command -v "$1" >/dev/null; }

finish() {
    echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
    [ "$failed" = 0 ] && [ "$passed" != 0 ]
    exit
}
