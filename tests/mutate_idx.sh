#!/usr/bin/env bash
# Breaks the rules of the index algebra one at a time, each in a small way, and expects fuzz_idx to notice.
#
#   tests/mutate_idx.sh [ONLY]       ONLY: mutants whose text matches
#
# A mutant is a call below: file, text, other text. The text must stand in the file exactly once, so that a mutant
# that no longer fits the source is a failure, not a pass. Sources are patched in a copy; a mutant that hangs or
# crashes is caught. Ends with `N passed, N failed`: mutants caught, and those that got away in FUZZ_SECONDS (60)
# seconds.
set -u
cd "$(dirname "$0")/.." || exit 1
only=${1:-}
seconds=${FUZZ_SECONDS:-60}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

make -s build/test/fuzz_idx && cp build/tests/fuzz_idx.o build/loop.a build/base.a "$tmp" || exit 1

fail() {
    echo "FAIL  $1: $2"
    failed=$((failed + 1))
}

mutant() {
    local name="$1: $2 -> $3" text rest start=$SECONDS
    [[ $name == *"$only"* ]] || return
    text=$(<"ir/loop/$1")
    rest=${text#*"$2"}
    [[ $text == *"$2"* && $rest != *"$2"* ]] || { fail "$name" "the text is not there exactly once"; return; }
    printf '%s%s%s\n' "${text%%"$2"*}" "$3" "$rest" >"$tmp/$1"
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -w -Iir/loop -Iir/base -o "$tmp/fuzz" "$tmp/$1" "$tmp/fuzz_idx.o" \
        "$tmp/loop.a" "$tmp/base.a" -lmd -lm || { fail "$name" "it does not compile"; return; }
    # Bash reports a crash on its own standard error.
    if { (ulimit -v 4000000; timeout $((seconds + 20)) "$tmp/fuzz" --seconds "$seconds") >"$tmp/log" 2>&1; } 2>&-; then
        fail "$name" "not caught: $(tail -n 1 "$tmp/log")"
    else
        echo "ok    $name ($((SECONDS - start)) s)"
        passed=$((passed + 1))
    fi
}

# idx_digit.c, a rule a paragraph
mutant idx_digit.c 'int64_t m = period(a, b);' 'int64_t m = a;'
mutant idx_digit.c '*start = idx_const(c, floor_mod(x->k + r->lo, m));' '*start = idx_const(c, (x->k + r->lo) % m);'
mutant idx_digit.c 'return b > 0 ? low : idx_axpy(c, divided(c, idx_merge(c, x, -1, r), m), 1, low);' 'return low;'

mutant idx_digit.c 'if (x->hi >= period(a, b))' 'if (x->hi > period(a, b))'
mutant idx_digit.c 'return b > 0 ? idx_digit(c, x, a, 0) : idx_const(c, 0);' 'return b > 0 ? x : idx_const(c, 0);'

mutant idx_digit.c 'if (start + span >= m)' 'if (start + span > m)'
mutant idx_digit.c 'return r > m / 2 ? r - m : r;' 'return r > m / 2 ? m - r : r;'
mutant idx_digit.c 'span += (s < 0 ? -s : s) *' 'span += s *'

mutant idx_digit.c 'idx_digit(c, divided(c, x, h), a / h, b);' 'idx_digit(c, divided(c, x, h), a / h, b * h);'
mutant idx_digit.c 'idx_make(c, floor_div(x->k, f), x->n, t);' 'idx_make(c, x->k, x->n, t);'

mutant idx_digit.c 'idx_const(c, floor_mod(x->k, h))' 'idx_const(c, 0)'
mutant idx_digit.c 'idx_digit(c, divided(c, x, h), 1, b / h)' 'idx_digit(c, divided(c, x, h), 1, b)'
mutant idx_digit.c 'if (a != 1 || b == 0)' 'if (b == 0)'

mutant idx_digit.c '|| d->b > 0 || __builtin_mul_overflow(d->a, a, &both)' '|| __builtin_mul_overflow(d->a, a, &both)'
mutant idx_digit.c 'idx_axpy(c, d->x, d->a, z)' 'idx_axpy(c, d->x, 1, z)'

mutant idx_digit.c '|| d->b % a != 0)' '|| d->b < a)'
mutant idx_digit.c 'if (d == NULL || d->b == 0 || b > 0 ||' 'if (d == NULL || d->b == 0 ||'
mutant idx_digit.c 'd->a * a, d->b / a)' 'd->a * a, 0)'

mutant idx_digit.c 'int64_t v = u->lo + 2;' 'int64_t v = u->lo + 3;'
mutant idx_digit.c 'first - step * u->lo)' 'first)'

mutant idx_digit.c '|| sb % period(a, b) != 0)' '|| sb % a != 0)'
mutant idx_digit.c 'if (b == 0)
        return NULL;
    for' 'for'
mutant idx_digit.c 'const Idx *u = idx_digit(c, d->x, d->a, 0);' 'const Idx *u = d->x;'

mutant idx_digit.c '|| (a % f != 0 && f % a != 0))' '|| (a % f != 0 && f < a))'
mutant idx_digit.c '|| lo->hi + k >= f)' '|| lo->hi + k > f)'
mutant idx_digit.c 'floor_mod(x->k + lo->lo, f) - lo->lo;' 'floor_mod(x->k, f);'
mutant idx_digit.c 'idx_digit(c, with_const(c, lo, k), a, 0)' 'idx_digit(c, lo, a, 0)'
mutant idx_digit.c 'if (a % f == 0)
        return hi;' 'return hi;'

mutant idx_digit.c 'sb, of_atom(c, h), idx_digit' 'low.c, of_atom(c, h), idx_digit'
mutant idx_digit.c '|| h->a != l->a * l->b)' '|| h->a < l->a * l->b)'
mutant idx_digit.c '|| !same_digit(c, h->x, l->x, l->a, l->b))' ')'
mutant idx_digit.c '% period(d->a, d->b) == 0;' '% d->b == 0;'
mutant idx_digit.c 'idx_digit(c, h->x, l->a, bd)' 'idx_digit(c, l->x, l->a, bd)'

mutant idx_digit.c '*q = idx_digit(c, l->x, l->a * l->b, 0)' '*q = idx_digit(c, l->x, l->b, 0)'

mutant idx_digit.c '|| u.c % quot.c != 0)' '|| u.c < quot.c)'
mutant idx_digit.c '(u.c / quot.c, q->a, &at)' '(u.c / quot.c, 1, &at)'
mutant idx_digit.c 'u.c, y, idx_digit(c, sum, q->a, 0)' 'u.c, y, sum'
mutant idx_digit.c 'r->lo >= x->lo && r->hi <= x->hi &&' 'true &&'

mutant idx_digit.c 'hi = b > 0 ? b - 1 : x->hi / a;' 'hi = b > 0 ? b - 1 : (x->hi - 1) / a;'

# Intervals, assumptions, sums, substitution
mutant idx.c 'x->lo += min64(p, q);' 'x->lo += p;'
mutant idx.c 'ylo = -floor_div(-p, g)' 'ylo = floor_div(p, g)'
mutant idx.c 'yhi = floor_div(q, g)' 'yhi = -floor_div(-q, g)'
mutant idx.c 'int64_t p = (g > 0 ? from : to) - x->k' 'int64_t p = from - x->k'
mutant idx.c 'u.c = add(c, u.c, x->t[i++].c);' 'u.c = x->t[i++].c;'
mutant idx_rewrite.c 'idx_digit(c, rewrite(r, a->x), a->a, a->b)' 'idx_digit(c, rewrite(r, a->x), a->a, 0)'
mutant idx.c 'atom_order(x->t[i].atom, y->t[j].atom) < 0' 'atom_order(x->t[i].atom, y->t[j].atom) <= 0'
mutant idx.c 'stride = mul(c, stride, dims[i]);' 'stride = mul(c, stride, dims[i] + (dims[i] == 13));'

# view.c
mutant view.c 'src[perm[i]] = at[i]' 'src[i] = at[perm[i]]'
mutant view.c 'src_dims[i] == 1 ? idx_const(c, 0) : at[rank - src_rank + i]' 'at[rank - src_rank + i]'
mutant view.c 'at[rank - src_rank + i], 1, src_dims[i])' 'at[i], 1, src_dims[i])'
mutant view.c 'idx_const(c, start[i]), step[i], at[i])' 'idx_const(c, start[i]), 1, at[i])'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
