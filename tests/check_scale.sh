#!/usr/bin/env bash
# Large graphs in time, memory and stack. The quick part of `make bench`; times are of the plain program.
. "$(dirname "$0")/lib.sh"
scale_burin=$root/burin
. tests/bench/scale.sh

if [ -z "${VALGRIND:-}" ]; then
    check "100 000 nodes: tree" scale_fits tree 50000 4 600000
    for shape in chain concat outputs split; do
        check "100 000 nodes: $shape" scale_fits $shape 100000 4 600000
    done
    for shape in chain $(printf '%s\n' $scale_shapes | grep -vxE 'tree|chain|concat|outputs|split') outputs; do
        check "10 000 nodes: $shape" scale_fits $shape 10000 .8 100000
    done
    check "gcc takes the chain of 10 000" scale_runs chain 10000 gcc 60 2000000
    check "clang takes the chain of 10 000" scale_runs chain 10000 clang 60 2000000
    check "gcc takes 1000 outputs" scale_runs outputs 10000 gcc 60 2000000
fi
check "doubling 60 times" scale_fits doubling 60 .1 30000
check "doubling 60 times: values" scale_runs doubling 60 gcc 2 200000

# The program under test (it may be the sanitised one) on all shapes, smaller.
scale_burin=$BURIN
for shape in $scale_shapes; do
    check "2000 nodes: $shape" scale_fits $shape 2000 60 2000000
    check "2000 nodes: $shape: values" scale_runs $shape 2000 gcc 60 2000000
done
finish
