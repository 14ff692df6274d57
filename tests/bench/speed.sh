# The part `speed` of run.sh: how fast the emitted C is, as `burin bench` measures it, against the peaks that this
# machine reaches in the same run: product-sums in registers, a copy of as many bytes. Softmax and its like against the
# same by hand (hand.c), in turn. Then networks against ONNX Runtime, when $PYTHON (python3) has it and onnx. Sourced by
# run.sh.
#
# SPEED_CC="gcc clang" names compilers, SPEED_FLAGS their flags, SPEED_OPTIONS options of burin (--target= of this machine),
# SPEED_ONLY=TEXT the models whose name contains it.
speed_flags=${SPEED_FLAGS:--O2 -march=native -ffp-contract=off}
case $(grep -m 1 ^flags /proc/cpuinfo 2>/dev/null) in
*avx512dq*) export SPEED_OPTIONS=${SPEED_OPTIONS---target=x86-64-v4} ;;
*avx2*) export SPEED_OPTIONS=${SPEED_OPTIONS---target=x86-64-v3} ;;
*) export SPEED_OPTIONS=${SPEED_OPTIONS-} ;;
esac
networks="resnet8 dscnn mobilenet autoencoder"

# peak: name, the least share of the machine's limit where product-sums are the limit and where memory is, its
# product-sums where the C may leave out those with padding. hand: name, the most of the time of the same by hand.
speed_table() {
    cat <<'END'
peak matmul-64-64-64 .90 .80
peak matmul-256-256-256 .90 .80
peak matmul-196-256-576 .90 .80
peak matmul-1024-1024-1024 .90 .80
peak matmul-1-1024-1024 .90 .80
peak product-64-64-64 .80 .80
peak product-256-256-256 .80 .80
peak product-196-256-576 .80 .80
peak product-1024-1024-1024 .80 .80
peak product-1-1024-1024 .80 .80
peak conv-3-1-64-64-56 .90 .80 115605504
peak conv-1-1-256-64-28 .90 .80
peak depthwise-3-32-112 .90 .80 3569792
peak conv-7-2-3-64-224 .90 .80 118013952
hand softmax-256-1000 1.05
hand layernorm-256-1024 1.05
hand gelu-262144 1.05
peak chain-1048576 .90 .91
END
}

speed_model() {         # speed_model NAME: writes its graph
    [ -e "$work/$1.onnxtxt" ] || awk -v model="$1" -f $here/models.awk >"$work/$1.onnxtxt"
}

# speed_bench NAME CC: sets seconds (of a call), ops, bytes, flops and copy (peaks).
speed_bench() {
    CC=$2 CFLAGS=$speed_flags "$BURIN" bench "$work/$1.onnxtxt" --json $SPEED_OPTIONS \
        >"$work/speed.json" || return 1
    read -r seconds ops bytes flops copy <<<"$(awk '
        function value(name) {
            return match($0, "\"" name "\": [-+.0-9e]+") ? substr($0, RSTART + length(name) + 4, RLENGTH) + 0 : ""
        }
        {for (i = 1; i <= 5; i++) if (v[i] == "") v[i] = value(names[i])}
        BEGIN {split("call_seconds operations bytes peak_flops peak_bytes_per_second", names, " ")}
        END {print v[1], v[2], v[3], v[4], v[5]}' "$work/speed.json")"
}

# A figure that other work has spoilt is taken again, twice at most; the best one counts. The limit is what takes longer
# on this machine: the product-sums at their peak, or the bytes at that of a copy.
speed_peak() {          # speed_peak CC NAME BOUND-OF-PRODUCT-SUMS BOUND-OF-MEMORY [PRODUCT-SUMS]
    speed_model "$2" || { fail "$2, $1" "no model"; return; }
    local share=-1 now limit bound= unit text= try
    for try in 1 2 3; do
        speed_bench "$2" "$1" || { fail "$2, $1" "burin bench"; return; }
        read -r now limit unit <<<"$(awk "BEGIN {
            work = 2 * ${5:-0} + (${5:-0} == 0) * $ops
            if (work / $flops > $bytes / $copy)
                printf \"%.2f $3 %.1f GFLOP/s of %.1f\", work / $seconds / $flops, 1e-9 * work / $seconds, 1e-9 * $flops
            else
                printf \"%.2f $4 %.1f GB/s of %.1f\", $bytes / $seconds / $copy, 1e-9 * $bytes / $seconds, 1e-9 * $copy
            }")"
        at_most "$now" "$share" && continue
        share=$now bound=$limit text=$unit
        at_most "$bound" "$share" && break
    done
    figure "$2, $1: of the machine's limit ($text)" "$share" at-least "$bound"
}

speed_hand() {          # speed_hand CC NAME BOUND
    local share=9 now ours theirs text= try
    speed_model "$2" && emit "$work/$2.onnxtxt" ours --prefix=ours $SPEED_OPTIONS || return
    $1 $flags $speed_flags -I"$work" -o "$work/hand" $here/hand.c "$work/ours.c" -lm ||
        { fail "$2, $1" "does not compile"; return; }
    for try in 1 2 3; do
        "$work/hand" "${2%%-*}" >"$work/hand.out" || { fail "$2, $1" "$(cat "$work/hand.out")"; return; }
        read -r now ours theirs <"$work/hand.out"
        at_most "$share" "$now" && continue
        share=$now text="$ours us, $theirs us"
        at_most "$share" "$3" && break
    done
    figure "$2, $1: of the time by hand ($text)" "$share" at-most "$3"
}

# By each compiler in turn, three times; the slower one's best time against the other's.
speed_network() {       # speed_network NAME
    local cc try name=$1
    local -A least=()
    speed_model "$name"
    for try in 1 2 3; do
        for cc in $speed_ccs; do
            speed_bench "$name" $cc || { fail "$name, $cc" "burin bench"; return; }
            at_most "${least[$cc]:-1e9}" "$seconds" && continue
            least[$cc]=$seconds
            awk "BEGIN {printf \"    (%s, %s: %.1f us a call, %.1f GFLOP/s, %.2f of the peak of %.1f)\n\",
                \"$name\", \"$cc\", 1e6 * $seconds, 1e-9 * $ops / $seconds, $ops / $seconds / $flops, 1e-9 * $flops}"
        done
    done
    set -- "${least[@]}"
    [ $# = 2 ] || return
    figure "$name: the slower compiler's time, of the other's" \
        "$(awk "BEGIN {a = $1 / $2; printf \"%.2f\", a < 1 ? 1 / a : a}")" at-most 1.08
}

speed_peer() {          # networks against ONNX Runtime, in turn in one process
    local python=${PYTHON:-python3} name bound how
    "$python" -c 'import onnx, onnxruntime, numpy' 2>/dev/null ||
        { skip "speed: ONNX Runtime" "$python has no onnx and onnxruntime"; return; }
    for name in $networks; do
        [[ $name == *"${SPEED_ONLY:-}"* ]] || continue
        case $name in resnet8) bound=.95 ;; dscnn) bound=.82 ;; mobilenet) bound=.77 ;; *) bound=.60 ;; esac
        speed_model $name
        "$python" $here/peer.py "$BURIN" "$work/$name.onnxtxt" "$work" $speed_peers >"$work/peer" ||
            { fail "$name: against ONNX Runtime" "peer.py"; continue; }
        while IFS=, read -r how share; do
            figure "$name, $how: of ONNX Runtime's time" "$share" at-most $bound
        done <"$work/peer"
    done
}

speed() {
    local cc name how bounds
    speed_ccs= speed_peers=
    for cc in ${SPEED_CC:-gcc clang}; do
        have "${cc%% *}" || { skip "speed, $cc" "it is not there"; continue; }
        speed_ccs="$speed_ccs $cc"
        speed_peers="$speed_peers $cc:-O2 $cc:-O3"
    done
    for name in $networks; do
        [[ $name == *"${SPEED_ONLY:-}"* ]] && speed_network $name
    done
    while read -r how name bounds; do
        [[ $name == *"${SPEED_ONLY:-}"* ]] || continue
        for cc in $speed_ccs; do speed_$how $cc $name $bounds; done
    done < <(speed_table)
    speed_peer
}
