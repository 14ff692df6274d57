#!/usr/bin/env bash
# The same model and options give the same bytes: again, in another folder, under other locales, time zones, users'
# settings and limits, through another path.
. "$(dirname "$0")/lib.sh"

# A locale that writes 1,5 and one whose capital i is not I.
mkdir "$work/locales"
for l in de_DE tr_TR; do localedef -i $l -f UTF-8 "$work/locales/$l.UTF-8" 2>/dev/null; done
comma=$(LOCPATH=$work/locales LC_ALL=de_DE.UTF-8 bash -c 'printf "%.1f" 1,5' 2>/dev/null)

models=$(ls examples/*/*.onnxtxt tests/c/*.onnxtxt tests/bench/chains/*.onnxtxt tests/bad_input/*.onnxtxt 2>/dev/null)

# emit FOLDER MODEL COMMAND...: COMMAND (env …) before burin; all that burin makes of the model, into the folder.
emit() {
    local to=$1 model=$2 name options
    shift 2
    name=$(basename "$model" .onnxtxt)
    mkdir -p "$to"
    for options in "" "--arena=caller" "--weights=bin"; do
        "$@" "$program" build "$model" -o "$to/$name$options.c" --prefix "$name" $options >>"$to/said" 2>&1
    done
    "$@" "$program" show "$model" >"$to/$name.show" 2>/dev/null
    "$@" "$program" show --as=text "$model" >"$to/$name.text" 2>/dev/null
    "$@" "$program" show --as=svg "$model" >"$to/$name.svg" 2>/dev/null
    "$@" "$program" report --json "$model" >"$to/$name.json" 2>/dev/null
    "$@" "$program" build "$model" -o - >"$to/$name.whole" 2>/dev/null
}

each() {                # each FOLDER COMMAND...
    local to=$1 model
    shift
    for model in $models; do emit "$to" "$root/$model" "$@"; done
}

same() { diff -rq "$work/first" "$1" && diff -r "$work/first" "$1" | head -n 20 && diff -rq "$work/first" "$1"; }

[ -n "${VALGRIND:-}" ] && models=$(echo "$models" | head -n 4)
# First the program under test (it may be the sanitised one, with memory laid out otherwise), then the plain one.
program=$BURIN
each "$work/first" env
files=$(find "$work/first" -name '*.c' | wc -l)
check "there is something to compare: $files C files" test "$files" -ge 9
program=$root/burin
if [ -n "${FULL:-}" ]; then
    each "$work/again" env
    check "again" same "$work/again"
fi
each "$work/a folder of other/name, longer" env TZ=Pacific/Kiritimati
check "another folder and time zone" same "$work/a folder of other/name, longer"
fixed=
have setarch && fixed="setarch -R"              # addresses that are not random
if [ "$comma" = 1,5 ]; then
    for l in de_DE tr_TR; do
        each "$work/$l" $fixed env MALLOC_ARENA_MAX=1 LOCPATH="$work/locales" LC_ALL=$l.UTF-8 LANG=$l.UTF-8 \
            TZ=America/St_Johns
        check "locale $l" same "$work/$l"
    done
else
    skip "locales" "localedef has no de_DE and tr_TR"
fi
each "$work/small" bash -c 'umask 077; ulimit -s 1024; cd /; exec "$@"' - env -i PATH="$PATH" HOME=/nowhere COLUMNS=20 \
    MALLOC_PERTURB_=165
check "another environment" same "$work/small"
if [ -n "$fixed" ] && { [ -n "${FULL:-}" ] || [ "$comma" != 1,5 ]; }; then
    each "$work/fixed" $fixed env MALLOC_ARENA_MAX=1
    check "addresses that are not random" same "$work/fixed"
fi

# Through another path to the same model; the mode of the files follows the umask.
model=$(echo "$models" | head -n 1)
name=$(basename "$model")
ln -s "$root/$(dirname "$model")" "$work/link"
mkdir "$work/paths"
(cd "$work/paths" && "$BURIN" build "../link/$name" -o a.c --prefix p && cp a.c 1.c &&
    cd ../link && "$BURIN" build "./$name" -o "$work/paths/a.c" --prefix p) >"$work/said" 2>&1
check "through another path" cmp "$work/paths/a.c" "$work/paths/1.c"
(cd "$work/paths" && umask 027 && "$BURIN" build "$root/$model" -o mode.c) 2>"$work/said"
check "the umask is kept" test "$(stat -c %a "$work/paths/mode.c" "$work/paths/mode.h" | tr '\n' ' ')" = "640 640 "
finish
