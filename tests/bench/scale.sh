# For check_scale.sh and bench/run.sh, after lib.sh: large graphs are built and, when they are not too large, run.

gcc -O2 -o "$work/measure" tests/bench/measure.c || exit 1
scale_shapes="chain concat scaled line ladder tree sum outputs split unused constants shapes"

# measured COMMAND...: its figures in cpu, wall (seconds), memory (KB) and status.
measured() {
    "$work/measure" "$work/measured" "$@"
    read -r cpu wall memory status <"$work/measured"
}

at_most() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a <= b)}'; }

# scale_build SHAPE N: builds the graph with a stack of 256 KB, into $work/SHAPE-N/g.c.
scale_build() {
    local at=$work/$1-$2
    mkdir -p "$at"
    [ -e "$at/g.onnxtxt" ] || awk -v shape="$1" -v n="$2" -f tests/bench/graph.awk >"$at/g.onnxtxt"
    measured bash -c 'ulimit -s 256; exec timeout 60 "$@"' - "$scale_burin" build "$at/g.onnxtxt" -o "$at/g.c" \
        2>"$at/messages"
}

# scale_fits SHAPE N SECONDS KB: built within these; tries again, as other work on the machine may have slowed it down.
scale_fits() {
    local try
    for try in 1 2 3; do
        scale_build "$1" "$2"
        [ "$status" = 0 ] || { echo "exit status $status"; head -c 2000 "$work/$1-$2/messages"; return 1; }
        at_most "$cpu" "$3" && break
    done
    echo "$1, $2 nodes: $cpu s, $memory KB; at most $3 s, $4 KB"
    at_most "$cpu" "$3" && at_most "$memory" "$4"
}

# scale_runs SHAPE N CC SECONDS KB: what is built compiles within these and gives the right values.
scale_runs() {
    local at=$work/$1-$2
    awk -v shape="$1" -v n="$2" -f tests/bench/graph_main.awk >"$at/main.c"
    measured timeout 120 $3 -std=c99 -O1 -c -o "$at/g.o" "$at/g.c"
    echo "$1, $2 nodes, $3 -O1: $cpu s, $memory KB; at most $4 s, $5 KB"
    [ "$status" = 0 ] && at_most "$cpu" "$4" && at_most "$memory" "$5" &&
        gcc -std=c99 -O1 -I"$at" -o "$at/run" "$at/main.c" "$at/g.o" -lm && "$at/run"
}
