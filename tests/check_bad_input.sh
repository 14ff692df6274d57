#!/usr/bin/env bash
# Bad input, broken files, full disks and wrong command lines: never a crash or a hang; exit status 1 (2: the command
# line), a message that names the file, nothing written, nothing changed, no temporary file left.
. "$(dirname "$0")/lib.sh"

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

# ---- cut short, damaged ----------------------------------------------------------------------------------------------

cuts() {
    local size n
    size=$(stat -c %s rich.onnxtxt)
    for ((n = 1; n < size; n += ${STEP:-37})); do
        head -c $n rich.onnxtxt >../in.onnxtxt
        survives "cut after $n bytes" ../in.onnxtxt
    done
}

damages() {             # a byte replaced by another: every 101st place, five kinds
    local size n k kinds=('\0' '"' '{' '>' '\377')
    size=$(stat -c %s rich.onnxtxt)
    for ((n = 1, k = 0; n < size; n += ${STEP:-101}, k++)); do
        cp rich.onnxtxt ../in.onnxtxt
        printf "${kinds[k % 5]}" | dd of=../in.onnxtxt bs=1 seek=$n conv=notrunc status=none
        survives "byte $n is ${kinds[k % 5]}" ../in.onnxtxt
    done
}

contents() {
    local k
    : >../empty.onnxtxt
    refused "empty file" "" ../empty.onnxtxt
    printf '\n\n   \n# nothing\n' >../blank.onnxtxt
    refused "blanks and a comment only" "" ../blank.onnxtxt
    for k in 1 2 3 4 5 6; do
        head -c 5000 /dev/urandom >../in.onnxtxt
        refused "random bytes $k" "" ../in.onnxtxt
    done
    head -c 100000 /dev/zero >../in.onnxtxt
    refused "zeros" "" ../in.onnxtxt
    printf '\177ELF\002\001\001' >../in.onnxtxt
    cat /bin/true >>../in.onnxtxt
    refused "a program" "" ../in.onnxtxt
    { cat good.onnxtxt; printf '\0\0\0'; } >../in.onnxtxt
    refused "zeros behind a model" "" ../in.onnxtxt
    { cat good.onnxtxt; echo "what is this"; } >../in.onnxtxt
    refused "words behind a model" "" ../in.onnxtxt
    printf '\357\273\277' >../in.onnxtxt
    cat good.onnxtxt >>../in.onnxtxt
    survives "a byte order mark" ../in.onnxtxt
    iconv -t UTF-16 good.onnxtxt >../in.onnxtxt 2>/dev/null && refused "UTF-16" "" ../in.onnxtxt
    sed 's/$/\r/' good.onnxtxt >../in.onnxtxt
    try "$BURIN" build ../in.onnxtxt -o ../out/m.c
    [ "$status" = 0 ] && pass "lines that end in CR LF" || wrong "lines that end in CR LF" "status 0 is right"
    printf '\010\010\022\007pytorch\032\003' >../in.onnx
    refused "a binary model, cut short" "" ../in.onnx
    echo '<?xml version="1.0"?><net name="x" version="11"><layers><layer' >../in.xml
    refused "an XML model, cut short" "" ../in.xml
    rm -f ../out/*
}

# ---- huge ------------------------------------------------------------------------------------------------------------

model() { printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] y) %s\n' "$1"; }

huge() {
    local mega=10
    [ -z "${FULL:-}" ] || mega=50
    [ -z "${VALGRIND:-}" ] || mega=2
    local bytes=$((mega * 1000000))
    { model '{ y = Add(x, '; repeated abcdefghij $((bytes / 10)); echo ') }'; } >../in.onnxtxt
    refused "a name of $mega MB" "" ../in.onnxtxt
    [ "$(stat -c %s ../said)" -lt 4000 ] && pass "its message is short" ||
        fail "its message is short" "$(stat -c %s ../said) bytes"
    { model '{ y = Add(x, "'; repeated abcdefghij $((bytes / 10)); echo '") }'; } >../in.onnxtxt
    survives "a quoted name of $mega MB" ../in.onnxtxt
    { model '<float w = {'; repeated 1234567890 $((bytes / 10)); echo '}> { y = Add(x, w) }'; } >../in.onnxtxt
    survives "a number of $mega MB" ../in.onnxtxt
    { repeated '          ' $((bytes / 10)); model '{ y = Neg(x) }'; } >../in.onnxtxt
    survives "$mega MB of blanks" ../in.onnxtxt
    { printf '#'; repeated '-- words -' $((bytes / 10)); echo; model '{ y = Neg(x) }'; } >../in.onnxtxt
    survives "a comment of $mega MB" ../in.onnxtxt
    { model '{ y = Neg(x'; repeated ', , , , , ' $((bytes / 10)); } >../in.onnxtxt
    survives "$mega MB of commas" ../in.onnxtxt
    { model '{'; repeated ' y = Neg(x' $((bytes / 10)); } >../in.onnxtxt
    survives "a node of $mega MB" ../in.onnxtxt
    repeated '?;!$%^&*~|' $((bytes / 10)) >../in.onnxtxt
    refused "$mega MB of signs" "" ../in.onnxtxt
    [ "$(stat -c %s ../said)" -lt 40000 ] && pass "its messages are few" ||
        fail "its messages are few" "$(stat -c %s ../said) bytes"
    rm -f ../in.onnxtxt
    local text
    for text in 'float[99999999999999999999] x' 'float[4294967296,4294967296,4294967296] x' \
        'float[9223372036854775807,2] x' 'float[-1] x' \
        "float[$(repeated 1, 2000)1] x"; do
        printf '<ir_version: 8, opset_import: ["" : 17]>\ng (%s) => (float[2] y) { y = Neg(x) }\n' "$text" \
            >../in.onnxtxt
        refused "a shape that is too large: $(echo "$text" | cut -c 1-50)" "" ../in.onnxtxt
    done
    model '<int64[3] to = {4294967296, 4294967296, 4294967296}> { z = Expand(x, to) y = Neg(x) }' >../in.onnxtxt
    survives "an Expand that is too large" ../in.onnxtxt
    model '<int64[1] to = {9223372036854775807}> { z = ConstantOfShape(to) y = Neg(x) }' >../in.onnxtxt
    survives "a ConstantOfShape that is too large" ../in.onnxtxt
    model '<int64 a = {0}, int64 b = {9223372036854775807}, int64 c = {1}> { z = Range(a, b, c) y = Neg(x) }' \
        >../in.onnxtxt
    survives "a Range that is too large" ../in.onnxtxt
    model '{ z = Repeat <multiples = [9223372036854775807]> (x) y = Neg(x) }' >../in.onnxtxt
    survives "a Repeat that is too large" ../in.onnxtxt
}

# ---- deeply nested, with a small stack -------------------------------------------------------------------------------

# length HEX: HEX with its length in front, as protobuf has it.
length() {
    local n=$((${#1} / 2))
    while [ $n -gt 127 ]; do
        printf '%02x' $((n & 127 | 128))
        n=$((n >> 7))
    done
    printf '%02x%s' $n "$1"
}

# A binary model of graphs within attributes within nodes within graphs, 300 deep: 3.5 KB.
binary_nested() {
    local hex= n
    for ((n = 0; n < 300; n++)); do
        hex=0a$(length "2a$(length "32$(length "$hex")")")
    done
    hex=080842021011$(printf '3a%s' "$(length "$hex")")
    printf "$(sed 's/../\\x&/g' <<<"$hex")" >../in.onnx
    try bash -c 'ulimit -s 256; exec "$@"' - "$BURIN" build ../in.onnx -o m.c
    judge "a binary model of graphs 300 deep" 1 'in\.onnx: error: .*nested more than'
}

nested() {
    local deep=100000 name
    deep_model() {      # deep_model FRONT REPEATED MIDDLE REPEATED BACK
        { printf '%s' "$1"; repeated "$2" $deep; printf '%s' "$3"; [ -z "$4" ] || repeated "$4" $deep; echo "$5"; } \
            >../in.onnxtxt
    }
    deep_try() {
        try bash -c 'ulimit -s 256; exec "$@"' - "$BURIN" build ../in.onnxtxt -o m.c
        judge "100 000 deep: $1" 1 'in\.onnxtxt'
    }
    local head='<ir_version: 8, opset_import: ["" : 17]>
g (bool b, float[2] x) => (float[2] y) '
    deep_model "$head" '(' 'x' ')' ' { y = Neg(x) }'; deep_try "parentheses"
    deep_model "$head{ y = Neg" '(' 'x' ')' ' }'; deep_try "parentheses of a node"
    deep_model "" '<' '' '>' ''; deep_try "angle brackets"
    deep_model "$head" '{' 'y = Neg(x)' '}' ''; deep_try "braces"
    deep_model "$head <float[2] w = " '{' '1, 2' '}' '> { y = Add(x, w) }'; deep_try "braces of a constant"
    deep_model "$head{ y = Foo <a = " '[' '1' ']' '> (x) }'; deep_try "brackets of an attribute"
    deep_model "$head{ y = Foo <a : type_proto = " 'seq(' 'float[2]' ')' '> (x) }'; deep_try "types of an attribute"
    deep_model '<ir_version: 8, opset_import: ["" : 17]>
g (' 'seq(' 'float[2]' ')' ' x) => (float[2] y) { y = Neg(x) }'; deep_try "sequences"
    deep_model '<ir_version: 8, opset_import: ["" : 17]>
g (' 'optional(seq(' 'float[2]' '))' ' x) => (float[2] y) { y = Neg(x) }'; deep_try "optionals and sequences"
    deep_model '<ir_version: 8, opset_import: ["" : 17]>
g (' 'map(int64, ' 'float[2]' ')' ' x) => (float[2] y) { y = Neg(x) }'; deep_try "maps"
    deep_model "$head{" 'y = If (b) <then_branch = g () => (float[2] y) {' 'y = Neg(x)' \
        '}, else_branch = h () => (float[2] y) { y = Neg(x) }>' ' }'
    deep_try "subgraphs"
    deep_model "$head{" 'y = Foo <a = g () => () {' '' '' ''; deep_try "subgraphs that do not end"
    deep_model "$head{" 'y = Foo <a = [g () => () {' '' '' ''; deep_try "lists of subgraphs that do not end"
    for name in '(' '[' '{' '<' '"' 'g (' '<a:' '{y=' ; do
        deep_model "" "$name" "" "" ""; deep_try "nothing but $name"
        deep_model "$head" "$name" "" "" ""; deep_try "a head, then $name"
    done
    binary_nested
    # A function that calls itself, and functions that call one another 2^30 times.
    {
        echo '<ir_version: 8, opset_import: ["" : 17, "own" : 1]>'
        echo 'g (float[2] x) => (float[2] y) { y = own.f(x) }'
        echo '<domain: "own", opset_import: ["" : 17, "own" : 1]> f (x) => (y) { y = own.f(x) }'
    } >../in.onnxtxt
    deep_try "a function that calls itself"
    {
        echo '<ir_version: 8, opset_import: ["" : 17, "own" : 1]>'
        echo 'g (float[2] x) => (float[2] y) { y = own.f0(x) }'
        for name in $(seq 0 29); do
            echo "<domain: \"own\", opset_import: [\"\" : 17, \"own\" : 1]>"
            echo "f$name (x) => (y) { a = own.f$((name + 1))(x) y = own.f$((name + 1))(a) }"
        done
        echo "<domain: \"own\", opset_import: [\"\" : 17, \"own\" : 1]> f30 (x) => (y) { y = Neg(x) }"
    } >../in.onnxtxt
    deep_try "functions that call functions 2^30 times"
}

# ---- files that are not there, or not files --------------------------------------------------------------------------

files() {
    refused "a missing file" "No such file" nowhere.onnxtxt
    refused "a file below a file" "Not a directory" good.onnxtxt/m.onnxtxt
    mkdir ../folder.onnxtxt
    refused "a folder as model" "[Dd]irectory|folder" ../folder.onnxtxt
    refused "a name that is too long" "too long" "$(repeated abcdefghij 30).onnxtxt"
    try "$BURIN" build "" -o m.c
    judge "a file without a name" 1 'error: '
    ln -s loop.onnxtxt ../loop.onnxtxt
    refused "a link to itself" "" ../loop.onnxtxt
    try "$BURIN" build /dev/null -o m.c
    judge "/dev/null as model" 1 /dev/null
    try bash -c 'cat good.onnxtxt | "$1" build /dev/stdin -o ../out/m.c' - "$BURIN"
    crashed && wrong "a pipe as model" "crashed" || pass "a pipe as model"
    rm -f ../out/*
    if [ "$(id -u)" != 0 ]; then
        cp good.onnxtxt ../secret.onnxtxt
        chmod 0 ../secret.onnxtxt
        refused "an unreadable file" "denied" ../secret.onnxtxt
    fi
    refused "an output folder that is not there" "no/where/m" good.onnxtxt -o no/where/m.c
    refused "a file as output folder" "good.onnxtxt/m" good.onnxtxt -o good.onnxtxt/m.c
    mkdir folder.c
    remember
    refused "a folder as output" "folder" good.onnxtxt -o folder.c
    mkdir folder.h
    rmdir folder.c
    remember
    refused "a folder where the header goes" "folder.h" good.onnxtxt -o folder.c
    rmdir folder.h
    mkdir folder.bin
    remember
    refused "a folder where the weights go" "folder.bin" good.onnxtxt -o folder.c --weights=bin
    rmdir folder.bin
    ln -s nowhere/x.c dangling.c
    remember
    survives "a link to nowhere as output" good.onnxtxt
    rm dangling.c
    remember
    refused "an output name that is too long" "too long" good.onnxtxt -o "$(repeated abcdefghij 25).c"
    refused "/proc as output folder" "/proc/burin" good.onnxtxt -o /proc/burin.c
    if [ "$(id -u)" = 0 ]; then
        # As another user, who has to be able to reach it all.
        local there other="setpriv --reuid=65534 --regid=65534 --clear-groups"
        there=$(mktemp -d)
        mkdir "$there/locked"
        cp "$BURIN" "$there/burin"
        cp good.onnxtxt m.c m.h "$there/locked"
        chmod -R a+rX "$there"
        if $other "$there/burin" --version >/dev/null 2>&1; then
            try $other "$there/burin" build "$there/locked/good.onnxtxt" -o "$there/locked/m.c"
            judge "an unwritable folder" 1 "locked/m.*denied"
            local left
            left="$(ls -A "$there/locked" | tr '\n' ' ')$(cat "$there/locked/m.c")"
            [ "$left" = "good.onnxtxt m.c m.h old" ] && pass "the unwritable folder is as it was" ||
                fail "the unwritable folder is as it was" "$left"
            chmod 700 "$there/locked/good.onnxtxt"
            try $other "$there/burin" build "$there/locked/good.onnxtxt" -o m.c
            judge "an unreadable file" 1 'good\.onnxtxt.*denied'
        else
            skip "an unwritable folder" "nobody cannot run the program"
        fi
        rm -rf "$there"
    else
        mkdir ../locked
        chmod 555 ../locked
        refused "an unwritable folder" "locked/m" good.onnxtxt -o ../locked/m.c
        chmod 755 ../locked
    fi
    # One of the two files can be written, the other not.
    try "$BURIN" build good.onnxtxt -o m.c
    [ "$status" = 0 ] && [ "$(cat m.c)" != old ] && pass "the good model" || wrong "the good model" "status 0 is right"
    restore
}

# ---- no room ---------------------------------------------------------------------------------------------------------

full() {
    local big=../big.onnxtxt
    {
        echo '<ir_version: 8, opset_import: ["" : 17]>'
        echo 'g (float[20000] x) => (float[20000] y) <float[20000] w = {'
        seq -s, 1 20000
        echo '}> { y = Add(x, w) }'
    } >$big
    local command
    for command in "build good.onnxtxt -o -" "build ../big.onnxtxt -o -" "show good.onnxtxt" "report good.onnxtxt" \
        ops; do
        try bash -c '"$@" >/dev/full' - "$BURIN" $command
        judge "a full device: $command" 1 "No space"
    done
    try bash -c '"$1" build good.onnxtxt -o - >&-' - "$BURIN"
    judge "standard output is closed" 1 "standard output"
    try bash -c '"$1" build good.onnxtxt -o m.c >&- 2>&- <&-' - "$BURIN"
    [ "$status" = 0 ] && pass "all three are closed" || wrong "all three are closed" "status 0 is right"
    grep -q 'void m_run' m.c && pass "all three are closed: the C file" ||
        fail "all three are closed: the C file" "$(head -c 200 m.c)"
    restore
    try bash -c '"$1" build nowhere.onnxtxt -o m.c >&- 2>&- <&-' - "$BURIN"
    [ "$status" = 1 ] && pass "all three are closed, refused" ||
        wrong "all three are closed, refused" "status 1 is right"
    restore
    try bash -c 'trap "" XFSZ; ulimit -f 16; exec "$1" build ../big.onnxtxt -o m.c' - "$BURIN"
    judge "files of 16 KB at most" 1 "m\.c.*(too large|No space)"
    try bash -c 'ulimit -f 16; exec "$1" build ../big.onnxtxt -o m.c' - "$BURIN"
    judge "files of 16 KB at most, with the signal" 1 "m\.c"
    try bash -c 'trap "" XFSZ; ulimit -f 16; exec "$1" build ../big.onnxtxt -o m.c --weights=bin' - "$BURIN"
    judge "weights of 16 KB at most" 1 "m\.bin.*(too large|No space)"
    try bash -c '"$1" build ../big.onnxtxt -o - | head -c 100 >/dev/null; exit ${PIPESTATUS[0]}' - "$BURIN"
    [ "$status" = 1 ] && [ ! -s ../said ] && pass "a broken pipe" || wrong "a broken pipe" "status 1, silence are right"
    mkdir ../tiny
    if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k burin-test ../tiny 2>/dev/null; then
        echo old >../tiny/m.c
        echo old >../tiny/m.h
        try "$BURIN" build ../big.onnxtxt -o ../tiny/m.c
        judge "a full disk" 1 "tiny/m\.c.*No space"
        [ "$(ls -A ../tiny | tr '\n' ' ')$(cat ../tiny/m.?)" = "m.c m.h old
old" ] && pass "the full disk is as it was" || fail "the full disk is as it was" "$(ls -lA ../tiny)"
        head -c 60000 /dev/zero >../tiny/filler
        head -c 60000 /dev/zero >>../tiny/filler 2>/dev/null
        try "$BURIN" build good.onnxtxt -o ../tiny/m.c
        judge "a disk without any room" 1 "tiny/m\..*No space"
        rm -f ../tiny/filler
        [ "$(ls -A ../tiny | tr '\n' ' ')$(cat ../tiny/m.?)" = "m.c m.h old
old" ] && pass "the disk without room is as it was" || fail "the disk without room is as it was" "$(ls -lA ../tiny)"
        umount ../tiny
        mount -t tmpfs -o size=64k,ro burin-test ../tiny && {
            try "$BURIN" build good.onnxtxt -o ../tiny/m.c
            judge "a disk that is read-only" 1 "tiny/m.*[Rr]ead-only"
            umount ../tiny
        }
    else
        skip "a full disk" "no file system can be mounted here"
    fi
    # Too little memory. The sanitizer's and Valgrind's own need more than any limit that would matter.
    model '<int64[1] to = {200000000}> { z = ConstantOfShape(to) w = ReduceSum(z) y = Add(x, w) }' >../in.onnxtxt
    try bash -c 'ulimit -v 60000; exec "$1" build ../big.onnxtxt -o m.c' - "$root/burin"
    [ "$status" = 1 ] && judge "little memory" 1 'memory' || { crashed && wrong "little memory" "crashed"; restore; }
    for kb in 4000 6000 8000 10000 14000; do
        try bash -c 'ulimit -d $2; exec "$1" build good.onnxtxt -o m.c' - "$root/burin" $kb
        if crashed && ! grep -q 'shared librar' ../said; then wrong "memory of $kb KB" "crashed"
        elif [ "$status" = 1 ]; then judge "memory of $kb KB" 1 'memory'
        else pass "memory of $kb KB"
        fi
        restore
    done
}

# ---- data beside the model -------------------------------------------------------------------------------------------

external() {            # external NAME PATTERN PAIRS [TYPE]
    printf '<ir_version: 8, opset_import: ["" : 17]>\ng (%s x) => (%s y) <%s w = [%s]> { y = Add(x, w) }\n' \
        "${4:-float[2]}" "${4:-float[2]}" "${4:-float[2]}" "$3" >ext.onnxtxt
    remember
    refused "external data: $1" "$2" ext.onnxtxt
}

externals() {
    mkdir -p ../elsewhere sub
    cp w.bin ../elsewhere/w.bin
    cp w.bin ../outside.bin
    ln -s ../outside.bin link.bin
    ln -s ../elsewhere away
    ln -s nowhere.bin dangling.bin
    ln -s w.bin inside.bin
    : >none.bin
    local inside=inside
    for inside in w.bin ./w.bin inside.bin sub/../w.bin; do
        printf '<ir_version: 8, opset_import: ["" : 17]>
            g (float[2] x) => (float[2] y) <float[2] w = ["location": "%s"]> { y = Add(x, w) }\n' $inside >ext.onnxtxt
        survives "external data: $inside" ext.onnxtxt
        [ "$status" = 0 ] && pass "external data: $inside is read" || wrong "external data: $inside is read" "refused"
    done
    external "missing" 'nowhere\.bin' '"location": "nowhere.bin"'
    external "above the folder" '\.\./outside' '"location": "../outside.bin"'
    external "above the folder, by a way round" 'outside' '"location": "sub/../../outside.bin"'
    external "an absolute path" '/etc/passwd' '"location": "/etc/passwd"'
    external "a link out of the folder" 'link\.bin' '"location": "link.bin"'
    external "a linked folder" 'away' '"location": "away/w.bin"'
    external "a link to nowhere" 'dangling' '"location": "dangling.bin"'
    external "a folder" 'sub' '"location": "sub"'
    external "no location" 'location' '"offset": "0"'
    external "an empty location" 'location' '"location": ""'
    external "too short" 'w\.bin.*(12|16).*8|w\.bin.*8.*(12|16)' '"location": "w.bin"' 'float[4]'
    external "an empty file" 'none\.bin' '"location": "none.bin"'
    external "an offset beyond its end" 'w\.bin' '"location": "w.bin", "offset": "100"'
    external "an offset that leaves too little" 'w\.bin' '"location": "w.bin", "offset": "4"'
    external "a negative offset" 'offset' '"location": "w.bin", "offset": "-4"'
    external "an offset that is no number" 'offset' '"location": "w.bin", "offset": "four"'
    external "an offset that wraps" 'offset|w\.bin' '"location": "w.bin", "offset": "18446744073709551612"'
    external "an offset of 2^63 - 1" 'offset|w\.bin' '"location": "w.bin", "offset": "9223372036854775807"'
    external "a length that differs" 'length|8' '"location": "w.bin", "length": "4"'
    external "a negative length" 'length' '"location": "w.bin", "length": "-8"'
    external "a length that is no number" 'length' '"location": "w.bin", "length": "eight"'
    external "a size that wraps" 'w\.bin|large|elements' '"location": "w.bin"' 'float[4611686018427387904]'
    external "strings" 'string' '"location": "w.bin"' 'string[1]'
    external "a location with a zero" 'ext\.onnxtxt' '"location": "w.bin\0x"'
    external "a device" '/dev/zero|zero' '"location": "/dev/zero"'
    rm -f ext.onnxtxt link.bin away dangling.bin inside.bin none.bin
    rmdir sub
    remember
}

# ---- inputs of burin run ---------------------------------------------------------------------------------------------

npy() {                 # npy HEADER DATA: a .npy file on standard output
    local header=$1
    printf '\223NUMPY\001\000'
    printf "\\$(printf %03o $((${#header} % 256)))\\$(printf %03o $((${#header} / 256)))%s" "$header"
    printf "$2"
}

run_refused() {         # run_refused NAME PATTERN: burin run with ../x.npy
    try "$BURIN" run good.onnxtxt x=../x.npy
    judge "input of run: $1" 1 "$2"
}

runs() {
    local ok="{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" n size
    npy "$ok" '\000\000\200\077\000\000\000\100' >../x.npy
    cp ../x.npy ../good.npy
    try "$BURIN" run good.onnxtxt x=../x.npy
    [ "$status" = 0 ] && pass "input of run: good" || wrong "input of run: good" "status 0 is right"
    size=$(stat -c %s ../good.npy)
    for ((n = 0; n < size; n += 9)); do
        head -c $n ../good.npy >../x.npy
        run_refused "cut after $n bytes" 'x\.npy'
    done
    head -c $((size - 1)) ../good.npy >../x.npy
    run_refused "one byte too short" 'x\.npy'
    npy "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" '1234567812345678' >../x.npy
    run_refused "another type" 'double.*float|float.*double'
    npy "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" '123456781234' >../x.npy
    run_refused "another shape" '\[3\].*\[2\]|\[2\].*\[3\]'
    npy "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }" '12345678' >../x.npy
    run_refused "objects" "x\.npy.*type '\|O'"
    npy "[('a', '<f4')]" '12345678' >../x.npy
    run_refused "no dictionary" 'x\.npy.*header'
    npy "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }" '12345678' >../x.npy
    run_refused "records" 'x\.npy.*records'
    printf '\223NUMPY\011\000................' >../x.npy
    run_refused "a version to come" 'x\.npy.*version 9'
    echo '<ir_version: 8, opset_import: ["" : 17]> g (int16[2,3] x, complex64[2] z) => (int16[2,3] y, complex64[2] w)
        { y = Identity(x) w = Identity(z) }' >../t.onnxtxt
    npy "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }" \
        '\0\001\0\004\0\002\0\005\001\003\377\372' >../x.npy
    npy "{'descr': '>c8', 'fortran_order': True, 'shape': (2,), }" \
        '\077\200\0\0\100\0\0\0\100\100\0\0\277\200\0\0' >../z.npy
    try "$BURIN" run ../t.onnxtxt x=../x.npy z=../z.npy
    grep -q 'y int16\[2,3\] = 1 2 259 4 5 -6$' ../printed && grep -q 'w complex64.*1.*2.*3.*-1' ../printed &&
        pass "big-endian, Fortran order" || wrong "big-endian, Fortran order" "$(cat ../printed)"
    npy "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }" '12345678' >../x.npy
    run_refused "a size beyond all" 'x\.npy'
    npy "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }" '12345678' >../x.npy
    run_refused "a negative size" 'x\.npy'
    npy "{'descr': '<f4', 'fortran_order': False, 'shape': (" '12345678' >../x.npy
    run_refused "a header without end" 'x\.npy'
    echo hello >../x.npy
    run_refused "not .npy" 'x\.npy'
    rm ../x.npy
    run_refused "missing" 'x\.npy'
    try "$BURIN" run good.onnxtxt
    judge "run without its input" 1 "x"
    try "$BURIN" run good.onnxtxt x=../good.npy -o no/where
    judge "run -o into a folder that is not there" 1 'no/where'
    try bash -c '"$1" run good.onnxtxt x=../good.npy >/dev/full' - "$BURIN"
    judge "run on a full device" 1 "No space"
}

# ---- command lines ---------------------------------------------------------------------------------------------------

usage() {               # usage PATTERN ARGUMENT...: status 2
    local pattern=$1
    shift
    try "$BURIN" "$@"
    judge "burin $*" 2 "$pattern"
}

lines() {
    usage usage
    usage frobnicate frobnicate good.onnxtxt
    usage . build
    usage . show
    usage . report
    usage . run
    usage . "" good.onnxtxt
    usage frobnicate build good.onnxtxt --frobnicate
    usage . build good.onnxtxt -z
    usage . build good.onnxtxt -o
    usage 'good2' build good.onnxtxt good2.onnxtxt -o m.c
    usage 'm\.txt' build good.onnxtxt -o m.txt
    usage . build good.onnxtxt -o .c
    usage . build good.onnxtxt -o ""
    usage . build good.onnxtxt -o m.c -D
    local d
    for d in N N= =3 N=x N=-1 N=3x N=99999999999999999999 '' =; do usage . build good.onnxtxt -o m.c -D "$d"; done
    for d in x x= =2 x=a x=2, x=,2 x=-2 x=2,,2 '' x=99999999999999999999 "x=$(repeated 1, 32)1"; do
        [ "$d" = x= ] || usage . build good.onnxtxt -o m.c --shape "$d"
    done
    for d in x x= =float x=floaty x=FLOAT ''; do usage . build good.onnxtxt -o m.c --type "$d"; done
    usage heap build good.onnxtxt -o m.c --arena=heap
    usage disk build good.onnxtxt -o m.c --weights=disk
    usage . build good.onnxtxt -o - --weights=bin
    usage tape build good.onnxtxt -o m.c --io=tape
    for d in 'a b' '' '1a' 'a-b' '_a' 'a_' 'a__b' 'größe' 'a/b' 'a*/'; do
        usage prefix build good.onnxtxt -o m.c --prefix "$d"
    done
    for d in '' -1 x 1x 99999999999999999999 1.5; do
        usage . build good.onnxtxt -o m.c --ram-budget="$d"
        usage . build good.onnxtxt -o m.c --flash-budget="$d"
        usage . build good.onnxtxt -o m.c --pass-limit="$d"
    done
    usage nonesuch show good.onnxtxt --after=nonesuch
    usage nonesuch build good.onnxtxt -o m.c --stop-after=nonesuch
    usage nonesuch show good.onnxtxt --as=nonesuch
    usage pdp11 build good.onnxtxt -o m.c --target=pdp11
    for d in "build --bisect" "run --rtol=1" "report --as=svg" "build --json" "show -o x" "ops --atol=1"; do
        usage "belongs to burin .*not to burin ${d%% *}" ${d%% *} good.onnxtxt ${d#* }
    done
    usage . run good.onnxtxt x
    usage folder run good.onnxtxt x=../good.npy -o -
    usage z run good.onnxtxt z=../good.npy
    try "$BURIN" --help
    [ "$status" = 0 ] && grep -q 'usage' ../printed && pass "--help" || wrong "--help" "it should print the usage"
    try "$BURIN" help
    [ "$status" = 0 ] && grep -q 'usage' ../printed && pass "help" || wrong "help" "it should print the usage"
    try bash -c '"$1" ops | true' - "$BURIN"
    [ "$status" = 0 ] && [ ! -s ../said ] && pass "a reader that leaves" || wrong "a reader that leaves" "silence"
    echo '<ir_version: 8, opset_import: ["" : 17]> g (float[N,3] x) => (float[N,3] y) { y = Relu(x) }' >../n.onnxtxt
    try "$BURIN" build ../n.onnxtxt -D N=0 -o -
    [ "$status" = 0 ] && grep -q 'warning: -D N=0.*empty' ../said && pass "-D N=0" || wrong "-D N=0" "a warning"
    try "$BURIN" --version
    [ "$status" = 0 ] && grep -q '^burin [0-9]' ../printed && pass "--version" || wrong "--version" "a version"
    # Budgets refuse; a size that nobody asked for is a fault or is said.
    refused "a RAM budget" "good\.onnxtxt:.*budget" good.onnxtxt --ram-budget=8
    refused "a flash budget" "good\.onnxtxt:.*budget" good.onnxtxt --flash-budget=1
}

remember
for part in cuts damages contents huge nested files full externals runs lines; do
    [ -z "$only" ] || [ "$only" = $part ] || continue
    $part
    [ -d no ] || [ "$(snapshot)" = "$before" ] || { fail "$part" "left something behind"; restore; }
done
rm -rf ../tiny ../locked
finish
