#!/usr/bin/env bash
# What is written about the program agrees with it: the table of operators is that of today and no row is untested, the
# manual has every command and option, the links between the READMEs lead somewhere, each room's README has every file.
. "$(dirname "$0")/lib.sh"

table_is_new() {
    tests/operators.sh >"$work/operators.md" && diff tests/op/OPERATORS.md "$work/operators.md" ||
        { echo "tests/op/OPERATORS.md is old: make docs"; return 1; }
}
every_row_has_a_case() { ! grep '| 0 |$' "$work/operators.md"; }

manual_has_all() {
    local word lacks=
    "$BURIN" --help >"$work/help"
    for word in $(grep -oE -- '--[a-z-]+' "$work/help" | sort -u); do
        sed 's/\\//g' burin.1 | grep -qF -- "$word" || lacks="$lacks $word"
    done
    for word in $(grep -oE '^  [a-z]+' "$work/help"); do
        grep -qE "^\.B $word\$" burin.1 || lacks="$lacks $word"
    done
    [ -z "$lacks" ] || { echo "burin.1 lacks$lacks"; return 1; }
}
manual_renders() {
    groff -man -Tascii -ww burin.1 >"$work/manual" 2>"$work/complaints" && [ ! -s "$work/complaints" ] ||
        { cat "$work/complaints"; return 1; }
}

links_lead() {
    local file link bad=0
    while IFS=: read -r file link; do
        link=${link#](}
        link=${link%%[)#]*}
        [ -z "$link" ] || [ -e "$(dirname "$file")/$link" ] || { echo "$file: $link"; bad=1; }
    done < <(grep -oE '\]\([^)]*\)' /dev/null \
        $(git ls-files '*.md' 2>/dev/null || find . -name '*.md' -not -path './build/*') | grep -v '](http')
    return $bad
}

# Each source of a room stands in its README, and what the rows of its tables name is there.
rooms_list_files() {
    local room file bad=0
    for room in frontend ir/* passes codegen; do
        for file in "$room"/*.c "$room"/*.def "$room"/*.[ly] "$room"/*.proto; do
            [ ! -e "$file" ] || grep -qF "\`${file##*/}\`" "$room/README.md" ||
                { echo "$room/README.md lacks ${file##*/}"; bad=1; }
        done
        for file in $(grep '^|' "$room/README.md" | grep -oE '`[a-z_0-9]+\.(c|h|def|l|y|proto)`' | tr -d '\`'); do
            [ -e "$room/$file" ] || { echo "$room/README.md has $file, which is not there"; bad=1; }
        done
    done
    return $bad
}

ops_says() { "$BURIN" ops "$1" >"$work/ops" && grep -qF -- "$2" "$work/ops" || { cat "$work/ops"; return 1; }; }
ops_refuses() { ! "$BURIN" ops "$1" >"$work/ops" 2>&1 && grep -qF -- "$2" "$work/ops"; }

check "the table of operators" table_is_new
check "every version has a case" every_row_has_a_case
check "the manual has every command and option" manual_has_all
if have groff; then check "the manual renders" manual_renders; else skip "the manual renders" "no groff"; fi
check "links between documents" links_lead
check "the READMEs of the rooms have every file" rooms_list_files
check "burin ops: an attribute" ops_says Reshape "allowzero: int = 0"
check "burin ops: an operand" ops_says Reshape "reshaped: as data"
check "burin ops: a domain" ops_says ai.onnx.preview.FlexAttention "Q: floats"
check "burin ops: unknown" ops_refuses Resizes "operator 'Resizes' is not known; did you mean 'Resize'?"
check "burin ops: unknown, so what" ops_refuses Zzzzzzz "note: burin ops lists the operators that are known"
check "burin ops: unknown, another domain" ops_refuses com.microsoft.FastGel "did you mean 'FastGelu'?"
check "burin ops: of the standard, but absent" ops_refuses ImageDecoder "decode them before the call"
check "burin ops: absent, with its domain" ops_refuses ai.onnx.ml.CastMap "a map is no tensor"
check "burin ops: the domain that goes without saying" ops_says ai.onnx.Relu "Relu, since version 6"
finish
