#!/usr/bin/env bash
# Text cases with inputs and outputs in the arena: some of each kind (with FULL=1, and by hand with IO=arena
# tests/run.sh, all).
. "$(dirname "$0")/lib.sh"
export IO=arena WAYS=

some="ms_attention cast_int4 nonzero scatter_nd lstm_7 quantize_1 concat float8"
[ -z "${FULL:-}" ] || some=
if [ -z "$some" ]; then check "all cases" tests/run.sh; fi
for part in $some; do
    [[ $part == *$only* ]] && check "cases of $part" tests/run.sh "$part"
done
finish
