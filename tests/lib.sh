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
#     $plain                                      the program without sanitizers: see below
#     ends, compiler, json_is_valid               see below
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

# What is shown with the sanitised program elsewhere in the same check needs but the plain one; FULL=1 asks for all.
plain=$BURIN
case $BURIN in */build/san/burin) [ -n "${FULL:-}" ] || plain=$root/burin ;; esac

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

# ends STATUS REGEX COMMAND...: exit status, and what it prints; nothing is left in TMPDIR, which the suite has set.
ends() {
    local want=$1 regex=$2 status
    shift 2
    "$@" >"$work/said" 2>&1
    status=$?
    [ $status = "$want" ] || { echo "exit status $status"; cat "$work/said"; return 1; }
    grep -qE -- "$regex" "$work/said" || { echo "nothing matches $regex"; cat "$work/said"; return 1; }
    [ -z "$(ls -A "$TMPDIR")" ] || { echo "left in TMPDIR: $(ls -A "$TMPDIR")"; return 1; }
}

# compiler SED...: makes CC cc behind a script that edits model.c first.
compiler() {
    printf '%s\n' '#!/bin/sh' \
        'for a; do case $a in */model.c) sed -i '"'$1'"' "$a"; esac; done' 'exec cc "$@"' >"$work/cc"
    chmod +x "$work/cc"
    export CC=$work/cc
}

# With strings, numbers and words replaced, JSON reduces to one value.
json_is_valid() {
    iconv -f UTF-8 -t UTF-32 "$1" >/dev/null || return 1
    awk '{ text = text $0 " " }
        END {
            h = "[0-9a-fA-F]"
            gsub("\"([^\"\\\\\001-\037]|\\\\[\"\\\\/bfnrt]|\\\\u" h h h h ")*\"", "S", text)
            gsub(/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/, "N", text)
            gsub(/[ \t]/, "", text)
            do {
                n = gsub(/\[\]|\[[NSV](,[NSV])*\]|\{\}|\{S:[NSV](,S:[NSV])*\}/, "V", text)
            } while (n)
            if (text != "V") { print substr(text, 1, 200); exit 1 }
        }' "$1"
}

have() { command -v "$1" >/dev/null; }

finish() {
    echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
    [ "$failed" = 0 ] && [ "$passed" != 0 ]
    exit
}
