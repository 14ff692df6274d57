# The part `speed` of run.sh: how fast the emitted C is, as `burin bench` measures it, against the peaks that this
# machine reaches in the same run: product-sums in registers, a copy of as many bytes. Then networks against ONNX
# Runtime, when $PYTHON (python3) has it and onnx. Sourced by run.sh.
#
# SPEED_CC="gcc clang" names compilers, SPEED_FLAGS their flags, SPEED_OPTIONS=--target=... options of burin,
# SPEED_ONLY=TEXT the models whose name contains it.
speed_flags=${SPEED_FLAGS:--O2 -march=native -ffp-contract=off}
networks="resnet8 dscnn mobilenet autoencoder"

# Name, what bounds it (compute, or memory), its product-sums where the C may leave out those with padding, and the
# least share of the peak: of softmax and its like what kernels by hand are known to reach.
speed_table() {
    cat <<'END'
matmul-64-64-64 compute .90 262144
matmul-256-256-256 compute .90 16777216
matmul-196-256-576 compute .90 28901376
matmul-1024-1024-1024 compute .90 1073741824
matmul-1-1024-1024 memory .80
product-64-64-64 compute .80 262144
product-256-256-256 compute .80 16777216
product-196-256-576 compute .80 28901376
product-1024-1024-1024 compute .80 1073741824
product-1-1024-1024 memory .80
conv-3-1-64-64-56 compute .90 115605504
conv-1-1-256-64-28 compute .90 12845056
depthwise-3-32-112 memory .80
conv-7-2-3-64-224 compute .90 118013952
softmax-256-1000 memory .30
layernorm-256-1024 memory .50
gelu-262144 memory .30
chain-1048576 memory .91
END
}

speed_model() {         # speed_model NAME: writes its graph
    [ -e "$work/$1.onnxtxt" ] || awk -v model="$1" -f $here/models.awk >"$work/$1.onnxtxt"
}

# speed_bench NAME CC: sets seconds (of a call), ops, bytes, flops and copy (peaks).
speed_bench() {
    CC=$2 CFLAGS=$speed_flags "$BURIN" bench "$work/$1.onnxtxt" --json ${SPEED_OPTIONS:-} \
        >"$work/speed.json" || return 1
    read -r seconds ops bytes flops copy <<<"$(awk '
        function value(name) {
            return match($0, "\"" name "\": [-+.0-9e]+") ? substr($0, RSTART + length(name) + 4, RLENGTH) + 0 : ""
        }
        {for (i = 1; i <= 5; i++) if (v[i] == "") v[i] = value(names[i])}
        BEGIN {split("call_seconds operations bytes peak_flops peak_bytes_per_second", names, " ")}
        END {print v[1], v[2], v[3], v[4], v[5]}' "$work/speed.json")"
}

# A figure that other work has spoilt is taken again, twice at most; the best one counts.
speed_operator() {      # speed_operator CC NAME compute|memory BOUND [PRODUCT-SUMS]
    speed_model "$2" || { fail "$2, $1" "no model"; return; }
    local share=0 now unit try
    for try in 1 2 3; do
        speed_bench "$2" "$1" || { fail "$2, $1" "burin bench"; return; }
        if [ "$3" = compute ]; then
            now=$(awk "BEGIN {printf \"%.2f\", 2 * $5 / $seconds / $flops}")
        else
            now=$(awk "BEGIN {printf \"%.2f\", $bytes / $seconds / $copy}")
        fi
        at_most "$now" "$share" && continue
        share=$now
        if [ "$3" = compute ]; then
            unit=$(awk "BEGIN {printf \"%.1f GFLOP/s of %.1f\", 2e-9 * $5 / $seconds, 1e-9 * $flops}")
        else
            unit=$(awk "BEGIN {printf \"%.1f GB/s of %.1f\", 1e-9 * $bytes / $seconds, 1e-9 * $copy}")
        fi
        at_most "$4" "$share" && break
    done
    figure "$2, $1: of the peak ($unit)" "$share" at-least "$4"
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
    local cc name kind bound sums
    speed_ccs= speed_peers=
    for cc in ${SPEED_CC:-gcc clang}; do
        have "${cc%% *}" || { skip "speed, $cc" "it is not there"; continue; }
        speed_ccs="$speed_ccs $cc"
        speed_peers="$speed_peers $cc:-O2 $cc:-O3"
    done
    for name in $networks; do
        [[ $name == *"${SPEED_ONLY:-}"* ]] && speed_network $name
    done
    while read -r name kind bound sums; do
        [[ $name == *"${SPEED_ONLY:-}"* ]] || continue
        for cc in $speed_ccs; do speed_operator $cc $name $kind $bound $sums; done
    done < <(speed_table)
    speed_peer
}
