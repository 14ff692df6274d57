#!/usr/bin/env bash
# Files that are not there, may not be read or written, lie elsewhere, and no room for what is written: refused.
. "$(dirname "$0")/lib.sh"
. tests/bad_input/lib.sh

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
    # One of the two files can be written, the other not.
    try "$BURIN" build good.onnxtxt -o m.c
    [ "$status" = 0 ] && [ "$(cat m.c)" != old ] && pass "the good model" || wrong "the good model" "status 0 is right"
    restore
}

locked() {
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
}

# ---- no room ---------------------------------------------------------------------------------------------------------

big_model() {           # ../big.onnxtxt, of which each file is larger than what there is room for
    {
        echo '<ir_version: 8, opset_import: ["" : 17]>'
        echo 'g (float[20000] x) => (float[20000] y) <float[20000] w = {'
        seq -s, 1 20000
        echo '}> { y = Add(x, w) }'
    } >../big.onnxtxt
}

full() {
    big_model
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
}

disk() {                # a full one, one that is read-only
    big_model
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
    rm -rf ../tiny
}

memory() {              # too little of it
    # Too little memory. The sanitizer's and Valgrind's own need more than any limit that would matter.
    big_model
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
    external "missing" "'nowhere\.bin' cannot be read: No such .* in the model's folder '$at'" '"location": "nowhere.bin"'
    external "above the folder" "\.\./outside.* lies outside the model's folder '$at'" '"location": "../outside.bin"'
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

parts files locked full disk memory externals
