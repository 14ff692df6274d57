#!/usr/bin/env bash
# Command lines that are wrong or do not fit the model, and values given to burin run.
. "$(dirname "$0")/lib.sh"
. tests/bad_input/lib.sh

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
    local ok="{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" n size data
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
    for data in '\0\0\200\077\0\0\0\100' '' '1.5, -2.5\n' 'PK\003\004\0' '\010\002' '\010\002\020\001\112\010\0\0'; do
        printf "$data" >../x.npy
        run_refused "what states no type: $data" \
            'x\.npy: error: is no tensor: float\[2\] is wanted, in .* \.npy .*, \.pb .*; of raw bytes or text'
    done
    printf '\010\003\020\001\112\014............' >../x.npy
    run_refused "another shape, .pb" 'x\.npy: error: holds float\[3\], but float\[2\] is wanted'
    rm ../x.npy
    run_refused "missing" 'x\.npy'
    try "$BURIN" run good.onnxtxt
    judge "run without its input" 1 "input 'x' \(float\[2\]\) has no value: give NAME=FILE .* x=FILE .*\.npy or .*\.pb"
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
    for d in string math stdint; do usage "$d.h would hide" build good.onnxtxt -o $d.c; done
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
    usage nonesuch show nowhere.onnxtxt --as=nonesuch
    usage pdp11 build good.onnxtxt -o m.c --target=pdp11
    for d in "build --bisect" "run --rtol=1" "report --as=svg" "build --json" "show -o x" "ops --atol=1"; do
        usage "belongs to burin .*not to burin ${d%% *}" ${d%% *} good.onnxtxt ${d#* }
    done
    usage "run wants NAME=FILE, not 'x': say x=FILE" run good.onnxtxt x
    usage "run wants NAME=FILE, not 'a\.npy': say x=a\.npy" run good.onnxtxt a.npy
    usage folder run good.onnxtxt x=../good.npy -o -
    usage "no command 'biuld': did you mean 'build'" biuld good.onnxtxt
}

answers() {             # what is no fault
    try "$BURIN" --help
    [ "$status" = 0 ] && grep -q 'usage' ../printed && pass "--help" || wrong "--help" "it should print the usage"
    try "$BURIN" help
    [ "$status" = 0 ] && grep -q 'usage' ../printed && pass "help" || wrong "help" "it should print the usage"
    try bash -c '"$1" ops | true' - "$BURIN"
    [ "$status" = 0 ] && [ ! -s ../said ] && pass "a reader that leaves" || wrong "a reader that leaves" "silence"
    echo '<ir_version: 8, opset_import: ["" : 17]> g (float[N,3] x) => (float[N,3] y) { y = Relu(x) }' >../n.onnxtxt
    try "$BURIN" build ../n.onnxtxt -D N=0 -o -
    [ "$status" = 0 ] && grep -q 'warning: -D N=0.*empty' ../said && pass "-D N=0" || wrong "-D N=0" "a warning"
    echo '<ir_version: 8, opset_import: ["" : 17]> idle (float[2] x) => () { y = Relu(x) }' >../idle.onnxtxt
    try "$BURIN" build ../idle.onnxtxt -o -
    [ "$status" = 0 ] && grep -q 'warning: .*has no output' ../said && pass "no output" || wrong "no output" "a warning"
    try "$BURIN" report good.onnxtxt
    ! grep -n ' $' ../printed && pass "report: no blanks at ends" || wrong "report" "no blanks at ends"
    local option
    for option in --after:passes --stop-after:passes --target:targets; do
        try "$BURIN" show nowhere.onnxtxt ${option%:*}='?'
        [ "$status" = 0 ] && [ ! -s ../said ] && grep -qE "^the ${option#*:} are [a-z]+, [a-z0-9, -]+$" ../printed &&
            pass "$option lists them" || wrong "$option lists them" "a list on standard output"
    done
    try "$BURIN" --version
    [ "$status" = 0 ] && grep -q '^burin [0-9]' ../printed && pass "--version" || wrong "--version" "a version"
}

told() {                # told NAME PATTERN ARGUMENT...: status 1
    local name=$1 pattern=$2
    shift 2
    try "$BURIN" "$@"
    judge "$name" 1 "$pattern"
}

misfits() {             # the command line is sound, but not for this model
    local nets="$root/tests/bad_input"
    refused "a RAM budget" "good\.onnxtxt:.*budget" good.onnxtxt --ram-budget=8
    refused "a flash budget" "good\.onnxtxt:.*budget" good.onnxtxt --flash-budget=1
    cat >../maps.onnxtxt <<-END
		<ir_version: 8, opset_import: ["" : 17]>
		g (float[1,4,16,16] x) => (float[1,4,4,4] y) <float[4,1,3,3] w = {
		  1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}>
		{
		  a = Conv <group = 4, pads = [1, 1, 1, 1]> (x, w)
		  b = Relu(a)
		  y = MaxPool <kernel_shape = [4, 4], strides = [4, 4]> (b)
		}
	END
    refused "a RAM budget: what is left to try" "may take less: --stream \(.*, --io=arena \(.*; --ram-budget" \
        ../maps.onnxtxt --ram-budget=8
    refused "a RAM budget: --stream has been tried" "may take less: --io=arena \(" ../maps.onnxtxt --ram-budget=8 \
        --stream
    refused "a RAM budget: all has been tried" "may take less: smaller inputs" ../maps.onnxtxt --ram-budget=8 --stream \
        --io=arena
    refused "a RAM budget: exact sums take less" "no --fast-math" ../maps.onnxtxt --ram-budget=8 --fast-math
    refused "a RAM budget: the stack is too much" "may take less: .*--target of a microcontroller" ../maps.onnxtxt \
        --ram-budget=13000
    # A kernel is where its last node is: not at the Relu, which has no constants.
    refused "a flash budget: the model's, not a node's" "maps\.onnxtxt: error: .*w float.*quantised.*--weights=bin" \
        ../maps.onnxtxt --flash-budget=8
    refused "a flash budget: --weights=bin has been tried" "quantised model \([^)]*\); --flash-budget" ../maps.onnxtxt \
        --flash-budget=8 --weights=bin
    echo '<ir_version: 8, opset_import: ["" : 17]> g (float[batch,3] image) => (float[batch,3] y) { y = Relu(image) }' \
        >../n.onnxtxt
    refused "-D: a name like it" "-D: the model has no dimension 'bacth'; did you mean 'batch'\?" \
        ../n.onnxtxt -D bacth=2
    refused "-D: a name" "-D: the model has no dimension 'N'; it has 'batch'" ../n.onnxtxt -D N=2 -D batch=2
    refused "-D: no names" "-D: the model has no dimension 'N'; it has none" good.onnxtxt -D N=2
    refused "--shape: a name like it" "no input 'imgae'; did you mean 'image'" ../n.onnxtxt --shape imgae=2,3
    refused "--type: a name" "--type: the model has no input 'q'; it has 'image'" ../n.onnxtxt --type q=float
    refused "--shape: twice" "--shape x=3 contradicts --shape x=2" good.onnxtxt --shape x=2 --shape x=3
    refused "--type: twice" "--type x=int8 contradicts --type x=float" good.onnxtxt --type x=float --type x=int8
    told "run: a name" "run: the model has no input 'z'; it has 'x'" run good.onnxtxt z=../good.npy
    told "run: a name like it" "run: .* did you mean 'image'" run ../n.onnxtxt -D batch=2 imag=../good.npy
    told "run: an input twice" "run: input 'x' is given twice" run good.onnxtxt x=../good.npy x=../good.npy
    cp good.onnxtxt ../in.onnxtxt
    printf '\010\010\022\007pytorch\032\003' >../in.onnx
    refused "--weights-file, text" "in\.onnxtxt: error: --weights-file: the model is ONNX text.*OpenVINO" \
        ../in.onnxtxt --weights-file w.bin
    refused "--weights-file, binary" "in\.onnx: error: --weights-file: the model is ONNX binary" \
        ../in.onnx --weights-file w.bin
    told "check: no folder" "cannot read the folder '/nowhere' of test data: No such file" check good.onnxtxt /nowhere
    told "check: a file for a folder" "'good\.onnxtxt' is no folder: test data are" check good.onnxtxt good.onnxtxt
    mkdir ../none
    told "check: an empty folder" "'../none' has no input_0\.pb, for float" check good.onnxtxt ../none
    rmdir ../none
}

# Graph text is what the graph is before lower; all else is to be had behind every pass.
shows() {
    local pass form graph=ir_version
    for pass in $("$BURIN" show good.onnxtxt --after='?' 2>&1 | sed 's/.*passes are//; s/,//g'); do
        [ $pass != lower ] || graph=
        for form in loops svg dot json; do
            try "$BURIN" show good.onnxtxt --after=$pass --as=$form
            [ $status = 0 ] && [ -s ../printed ] && pass "show: $pass as $form" ||
                wrong "show: $pass as $form" "it fails"
        done
        try "$BURIN" show good.onnxtxt --after=$pass
        grep -q "${graph:-^program}" ../printed && pass "show: $pass" || wrong "show: $pass" "$(head -n 1 ../printed)"
        [ $graph ] || usage "--as=text is the graph; after pass '$pass'" show nowhere.onnxtxt --after=$pass --as=text
    done
}

parts runs lines answers misfits shows
