#!/usr/bin/env bash
# The passes: what each is for shows in the program behind it (tests/pass/*.txt), no pass changes a result, and none
# knows an operator.
#
# A case is a graph with what is looked at in its comments: `# show: OPTIONS`, `# build: OPTIONS` (the emitted C)
# or `# report: OPTIONS` (JSON), then `# has: REGEX`, `# lacks: REGEX`, `# count: N REGEX` (lines). Extended regular
# expressions.
. "$(dirname "$0")/lib.sh"

looked_at() {
    case $(grep -oE '^# (show|build|report):' "$1") in
    '# show:') "$BURIN" show "$1" $(sed -n 's/^# show: *//p' "$1") ;;
    '# build:') "$BURIN" build "$1" $(sed -n 's|^# build: *||p' "$1") -o - ;;
    '# report:') "$BURIN" report "$1" --json $(sed -n 's/^# report: *//p' "$1") ;;
    esac
}

holds() {
    looked_at "$1" >"$work/seen" || return 1
    while IFS= read -r line; do
        case $line in
        '# has: '*)
            grep -qE -- "${line#\# has: }" "$work/seen" ||
                { echo "lacks ${line#\# has: }"; cat "$work/seen"; return 1; } ;;
        '# lacks: '*) ! grep -E -- "${line#\# lacks: }" "$work/seen" || return 1 ;;
        '# count: '*)
            read -r want regex <<<"${line#\# count: }"
            got=$(grep -cE -- "$regex" "$work/seen")
            [ "$got" = "$want" ] || { echo "$got lines match $regex, not $want"; cat "$work/seen"; return 1; } ;;
        esac
    done <"$1"
}

for f in tests/pass/*"$only"*.txt; do
    [ -e "$f" ] || continue
    if said=$(holds "$f" 2>&1); then pass "$(basename "$f" .txt)"; else fail "$(basename "$f" .txt)" "$said"; fi
done

# Interpreted before and after each pass on the same inputs: the same bits. By the plain program: the sanitised one
# makes and interprets the same graphs in run.sh and check_c.sh.
same_results() {
    local options
    options=$(grep -oE '^# show:.*' "$1" | grep -o -e --fast-math -e --io=arena)
    said=$("$plain" show "$1" $options $2 --check-passes 2>&1 >/dev/null) ||
        echo "$1: $said"
}
export -f same_results
export plain
graphs=$(grep -LE '^# (error|options):' tests/op/*.txt; ls tests/pass/*.txt tests/c/*.onnxtxt examples/*/*.onnxtxt)
said=$(printf '%s\n' $graphs | xargs -n 1 -P "$(nproc)" bash -c 'same_results "$1"' -)
if [ -z "$said" ]; then pass "no pass changes a result"; else fail "no pass changes a result" "$said"; fi
graphs=$(grep -LE '^# error:' tests/op/*.txt; ls tests/pass/*.txt tests/c/*.onnxtxt examples/*/*.onnxtxt)
rows=$(grep -lE '(Conv|Pool)[a-zA-Z]* *[<(]' $graphs)
said=$(printf '%s\n' $rows | xargs -n 1 -P "$(nproc)" bash -c 'same_results "$1" --stream' -)
name="no pass changes a result, rows in rings"
if [ -z "$said" ]; then pass "$name"; else fail "$name" "$said"; fi

# --stream asks for less RAM: --fast-math beside it takes none of that back.
arena() { "$plain" report "$@" --json 2>/dev/null | sed -n 's/.*"arena_bytes": \([0-9]*\).*/\1/p'; }
no_more_ram() {
    local f rings both
    awk -v model=resnet8 -f tests/bench/models.awk >"$work/resnet8.onnxtxt"
    for f in tests/pass/winograd*.txt tests/pass/stream*.txt "$work/resnet8.onnxtxt"; do
        rings=$(arena "$f" --stream) both=$(arena "$f" --stream --fast-math)
        [ -n "$rings" ] && [ "$both" -le "$rings" ] || { echo "$f: $rings bytes, with --fast-math $both"; return 1; }
    done
}
check "inexact rewrites take no RAM where rows are in rings" no_more_ram

# Passes, codegen and frontends ask for properties: no string in them is an operator's name, but in the map of
# OpenVINO's layers onto operators (frontend/openvino.def and what stands beside it).
"$BURIN" ops --as=table | cut -f 1 | sed 's/.*\.//' | sort -u >"$work/names"
said=$(grep -noE '"[A-Z][A-Za-z0-9]+"' passes/*.[ch] codegen/*.[ch] $(ls frontend/*.[chly] | grep -v openvino) |
    awk -F'"' -v names="$work/names" '
    BEGIN { while ((getline n < names) > 0) known[n] = 1 }
    $2 in known')
if [ -z "$said" ]; then pass "no operator is named"; else fail "no operator is named" "$said"; fi
finish
