# What the suites of bad input share: never a crash or a hang; exit status 1 (2: the command line), a message that names
# the file, nothing written, nothing changed, no temporary file left. A suite begins with
#
#     . "$(dirname "$0")/lib.sh"
#     . tests/bad_input/lib.sh
#
# and then stands in a folder with sound models and files that a build would replace. Its last line is `parts
# FUNCTION...`: each is one part, which `tests/check_NAME.sh PART` runs alone.

# The folder as it is before each try: files that a build would replace.
at=$work/at
mkdir -p "$at"
cd "$at" || exit 1
echo old >m.c
echo old >m.h
echo old >m.bin
cp "$root/tests/bad_input/good.onnxtxt" good.onnxtxt
cp "$root/tests/bad_input/rich.onnxtxt" rich.onnxtxt
printf '\0\0\200\077\0\0\0\100' >w.bin
before=

snapshot() { find . -mindepth 1 -printf '%p %y %s %l\n' | sort && cat m.c m.h m.bin | cksum; }
remember() { before=$(snapshot); }

limit=$((60 * ${SLOW:-1}))
[ -n "${VALGRIND:-}" ] && limit=600

# try COMMAND...: its status, what it says in ../said and ../printed. Ended by force after a while: 124.
try() {
    timeout -k 5 "$limit" "$@" >../printed 2>../said </dev/null
    status=$?
}

crashed() {
    [ "$status" -gt 2 ] || grep -qE 'Sanitizer|runtime error:|internal error|[Aa]ssert' ../said ../printed
}

wrong() { fail "$1" "$2 (exit status $status): $(head -c 400 ../said | tr '\n' '|')"; }

# judge NAME STATUS PATTERN: what try left. The message must match; the folder must be as it was.
judge() {
    if crashed; then wrong "$1" "crashed"; restore
    elif [ "$status" != "$2" ]; then wrong "$1" "status $2 is right"; restore
    elif ! grep -qE -e "$3" ../said; then wrong "$1" "the message should match '$3'"
    elif [ "$2" = 1 ] && ! grep -q 'error: ' ../said; then wrong "$1" "no 'error:'"
    elif [ -s ../printed ] && [ "$2" != 0 ]; then wrong "$1" "wrote on standard output"
    elif [ "$(snapshot)" != "$before" ]; then
        wrong "$1" "changed the folder: $(diff <(echo "$before") <(snapshot) | head -n 5 | tr '\n' '|')"
        restore
    else pass "$1"
    fi
}

restore() {
    for f in m.c m.h m.bin; do [ "$(cat $f 2>/dev/null)" = old ] || echo old >$f; done
    find . -name '*.[ch].??????*' -delete -o -name '*.bin.??????*' -delete
    remember
}

# refused NAME PATTERN FILE [OPTION...]: burin build refuses FILE, with its name and PATTERN in what it says.
refused() {
    local name=$1 pattern=$2 file=$3
    shift 3
    try "$BURIN" build "$file" -o m.c "$@"
    judge "$name" 1 "${pattern:-$(basename "$file")}"
    [ $# != 0 ] || [ -z "$pattern" ] || [ "$status" != 1 ] || grep -qF -- "$(basename "$file")" ../said ||
        wrong "$name" "the message does not name $file"
}

# survives NAME FILE: refused with a message, or accepted; never a crash. In `in.onnxtxt`, written anew.
survives() {
    try "$BURIN" build "$2" -o ../out/m.c
    if crashed; then wrong "$1" "crashed"
    elif [ "$status" = 1 ] && ! grep -q ': error: ' ../said; then wrong "$1" "refused without a word"
    elif [ "$status" = 1 ] && [ -n "$(ls -A ../out)" ]; then wrong "$1" "refused, and left $(ls -A ../out | head -n 3)"
    elif [ "$status" = 2 ]; then wrong "$1" "status 2"
    else pass "$1"
    fi
    rm -f ../out/* ../out/.??*
}
mkdir -p ../out

repeated() { head -c $((${#1} * $2)) < <(yes -- "$1" | tr -d '\n'); }

model() { printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] y) %s\n' "$1"; }

parts() {
    local part
    remember
    for part; do
        [ -z "$only" ] || [ "$only" = "$part" ] || continue
        $part
        [ -d no ] || [ "$(snapshot)" = "$before" ] || { fail "$part" "left something behind"; restore; }
    done
    finish
}
