#!/usr/bin/env bash
# Pictures: well-formed whatever the names are, nothing overlaps, text stays inside its box, wires pass no box, the same
# bytes each time, 2000 nodes in time. Positions are read from the picture itself.
. "$(dirname "$0")/lib.sh"

passes="read canon fold lower views fuse spaces loopify plan"

# A random graph of N nodes, the same each time: chains with side ways, long ways, views, nodes of two outputs.
random_graph() {
    awk -v n="$1" -v seed="$2" '
        function random(m) { seed = (seed * 16807) % 2147483647; return seed % m }
        BEGIN {
            print "<ir_version: 8, opset_import: [\"\" : 17]>"
            print "g (float[2,3] x, float[2,3] z) => (float[2,3] v" n - 1 ", float[6] w)"
            print "  <float[2,3] k = {1, 2, 3, 4, 5, 6}, int64[1] flat = {6}, int64[2] full = {2, 3}>\n{"
            name[0] = "x"; name[1] = "z"; have = 2
            for (i = 0; i < n - 1; i++) {
                far = random(20) == 0 ? have : have < 6 ? have : 6
                a = name[have - 1]; b = name[have - 1 - random(far)]; kind = random(8)
                if (kind < 3) print "  v" i " = Add(" a ", " b ")"
                else if (kind < 4) print "  v" i " = Mul(" b ", k)"
                else if (kind < 5) print "  f" i " = Reshape(" a ", flat)\n  v" i " = Reshape(f" i ", full)"
                else if (kind < 6) {
                    print "  c" i " = Concat <axis = 0> (" a ", " b ")"
                    print "  v" i ", u" i " = Split <axis = 0> (c" i ")"
                }
                else print "  v" i " = Relu(" a ")"
                name[have++] = "v" i
            }
            print "  v" n - 1 " = Tanh(" name[have - 1] ")\n  w = Reshape(v" n - 1 ", flat)\n}"
        }'
}

# ---- geometry --------------------------------------------------------------------------------------------------------

# Boxes that overlap, text beyond its box, wires through boxes. Characters are as wide as in DejaVu Sans, or a little
# wider.
geometry='
    function value(name) {
        if (!match($0, " " name "=\"[^\"]*\"")) return ""
        return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
    }
    function text_width(s, size, bold,    i, ch, w) {
        w = 0
        gsub(/&[a-z]+;/, "<", s)
        gsub(/\342\200\246/, "M", s)
        gsub(/\302\267/, ".", s)
        gsub(/[\200-\277]/, "", s)
        for (i = 1; i <= length(s); i++) {
            ch = substr(s, i, 1)
            w += index("ijl", ch) ? .28 : index(" .,:;/|I", ch) ? .34 : index("frt()[]-!", ch) ? .412 : \
                index("_cksvxyz", ch) ? .595 : index("mwMW@%", ch) ? 1 : index("+<>=", ch) ? .84 : \
                index("DGHNOQU&", ch) ? .79 : ch ~ /[A-Z]/ ? .7 : .637
        }
        return w * size * (bold ? 1.1 : 1)
    }
    function wrong(what) { print what; bad = 1 }
    function wire(d,    part, k, n, x, y, j, to, f) {
        n = split(d, part, /[ ]*[A-Za-z][ ]*/)
        gsub(/[^A-Za-z]/, "", d)
        for (k = 2; k <= n; k++) {
            split(part[k], f, " ")
            if (substr(d, k - 1, 1) == "M") { x = f[1] + 0; y = f[2] + 0; continue }
            if (substr(d, k - 1, 1) == "C") { x = f[5] + 0; y = f[6] + 0; continue }
            to = f[1] + 0
            seg++; sx[seg] = x; sa[seg] = y < to ? y : to; sb[seg] = y < to ? to : y
            y = to
        }
    }
    /<g class="graph"/ { graph = 1 }
    /<text class="h"/ { graph = 0 }
    !graph { next }
    /<rect class="box/ {
        n++
        left[n] = value("x") + 0; top[n] = value("y") + 0
        right[n] = left[n] + value("width"); bottom[n] = top[n] + value("height")
    }
    /<path class="w"/ && wires { wire(value("d")) }
    /<text/ {
        s = $0; sub(/^[^>]*>/, "", s); sub(/<\/text>.*/, "", s)
        size = value("class") == "t" ? 13 : 11
        long = value("textLength")
        w = long != "" ? long + 0 : text_width(s, size, size == 13)
        texts++
        x = value("x") + 0; y = value("y") + 0
        if (x + w > right[n] - 4 || x < left[n] + 4) wrong("text leaves its box: " s)
        if (y > bottom[n] - 2 || y - size < top[n]) wrong("text above or below its box: " s)
    }
    END {
        for (i = 1; i <= n; i++) {
            for (j = i + 1; j <= n; j++)
                if (left[i] < right[j] && left[j] < right[i] && top[i] < bottom[j] && top[j] < bottom[i])
                    wrong("boxes overlap at " left[i] ", " top[i])
            for (j = 1; j <= seg; j++)
                if (sx[j] > left[i] && sx[j] < right[i] && sa[j] < bottom[i] - 1 && sb[j] > top[i] + 1)
                    wrong("a wire passes a box at " left[i] ", " top[i])
        }
        if (n < boxes || texts < 2 * boxes) wrong("only " n " boxes and " texts + 0 " lines of text")
        exit bad
    }'

# placed FILE BOXES [wires]: at least so many boxes, all in order.
placed() { awk -v boxes="$2" -v wires="${3:+1}" "$geometry" "$1" | head -n 5; [ "${PIPESTATUS[0]}" = 0 ]; }

# ---- well-formed -----------------------------------------------------------------------------------------------------

no_stranger() { ! grep -E '<script|<link|<image|@import|url\(|(href|src)=' "$1"; }

# What --as=svg, dot and json make of a graph after a pass.
all_forms() {
    local at=$work/forms
    "$BURIN" show "$1" --after="$2" --as=svg >"$at.svg" && xmllint --noout "$at.svg" && no_stranger "$at.svg" &&
        iconv -f UTF-8 -t UTF-32 "$at.svg" >/dev/null && placed "$at.svg" 2 wires &&
        "$BURIN" show "$1" --after="$2" --as=json >"$at.json" && json_is_valid "$at.json" &&
        "$BURIN" show "$1" --after="$2" --as=dot >"$at.dot" || return 1
    have dot || return 0
    dot -Tsvg "$at.dot" >/dev/null 2>"$at.log" && [ ! -s "$at.log" ] || { cat "$at.log"; return 1; }
}

page() {
    "$BURIN" report "$1" --html >"$work/page.html" && xmllint --noout "$work/page.html" &&
        no_stranger "$work/page.html" && grep -q '^@media print' "$work/page.html" &&
        [ "$(grep -c '<svg' "$work/page.html")" = 3 ] &&
        [ "$(grep -c '<table' "$work/page.html")" -ge 2 ]
}

names() {               # any UTF-8, markup, escapes of the formats, controls, names that are long
    local long wide
    long=$(printf 'W%.0s' {1..300})
    wide=$(printf '漢🦊é %.0s' {1..50})
    cat <<END
<ir_version: 8, opset_import: ["" : 17]>
"<g>&amp; \\"'$(printf '\xE2\x80\xAE')" (float[2,3] "<x y='1'>&lt;]]>--></title><script>", float[2,3] "$wide")
    => (float[4,6] "\\\\N \\\\\\" $(printf '\xEF\xBF\xBF\xC2\x85\x01\x1B') {|}")
  <float "gain&<>" = {0.5}>
{
  ["</svg> & \\"node\\""] "a<b" = Mul("<x y='1'>&lt;]]>--></title><script>", "gain&<>")
  "$long" = Add("a<b", "$wide")
  "é + [ü] + ÿ" = Relu("$long")
  "\\\\N \\\\\\" $(printf '\xEF\xBF\xBF\xC2\x85\x01\x1B') {|}" = Repeat <multiples = [2, 2]> ("é + [ü] + ÿ")
}
END
}

# ---- the tests -------------------------------------------------------------------------------------------------------

names >"$work/names.onnxtxt"
for pass in $passes; do check "names, after $pass" all_forms "$work/names.onnxtxt" "$pass"; done
# Marks pile up on a character without end in a name, not in a picture.
piled() {
    local mark
    mark=$(printf '\xCC\x81')
    printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] "m%s") { "m%s" = Relu(x) }\n' \
        "$(printf "$mark%.0s" {1..5000})" "$(printf "$mark%.0s" {1..5000})" >"$work/piled.onnxtxt"
    all_forms "$work/piled.onnxtxt" read && grep -q ">m$mark$mark<" "$work/forms.svg" &&
        ! grep -q "$mark$mark$mark" "$work/forms.svg"
}
check "marks that pile up" piled
check "names, on the page" page "$work/names.onnxtxt"

random_graph 100 1 >"$work/g100.onnxtxt"
for pass in read lower views plan; do check "100 nodes, after $pass" all_forms "$work/g100.onnxtxt" $pass; done
check "100 nodes, on the page" page "$work/g100.onnxtxt"

views_are_dashed() {
    "$BURIN" show "$work/g100.onnxtxt" --after=read --as=svg >"$work/v.svg" &&
        grep -q 'class="box alias"' "$work/v.svg" && grep -q 'stroke-dasharray' "$work/v.svg"
}
check "views are drawn as aliases" views_are_dashed

# A fused kernel tells every operator that it does, also where the names are long; and the views that it reads through.
origins() {
    local long
    long=$(printf 'a%.0s' {1..150})
    cat >"$work/o.onnxtxt" <<END
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,8] x) => (float[4,3] y) <float[4,3] k = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, int64[2] s = {4, 4}>
{
  r = Reshape(x, s)
  "m$long" = MatMul(r, k)
  "t$long" = Add("m$long", k)
  y = Relu("t$long")
}
END
    "$BURIN" show "$work/o.onnxtxt" --as=svg >"$work/o.svg" && placed "$work/o.svg" 3 wires &&
        grep -q 'class="t"[^>]*>MatMul + Add + Relu<' "$work/o.svg" &&
        grep -q '>through Reshape<' "$work/o.svg" &&
        "$BURIN" report "$work/o.onnxtxt" | grep -q ' MatMul + Add + Relu y float\[4,3\]$' &&
        "$BURIN" show "$work/o.onnxtxt" --as=svg --after=read | grep -q 'class="box alias"'
}
check "a kernel tells what became part of it" origins

same_figures() {        # lower bound and arena of the picture are those of the report
    local graph=$work/g100.onnxtxt buffers
    "$BURIN" show "$graph" --as=svg >"$work/m.svg" && "$BURIN" report "$graph" >"$work/m.txt" &&
        grep -q "lower bound $(awk '/lower bound/ {print $3}' "$work/m.txt") B" "$work/m.svg" &&
        buffers=$("$BURIN" show "$graph" --as=json | grep -c '"offset"') &&
        [ "$(grep -c 'class="buf' "$work/m.svg")" = "$buffers" ]
}
check "the memory map has the report's figures" same_figures

opset='<ir_version: 8, opset_import: ["" : 17]>'
echo "$opset g () => () {}" >"$work/empty.onnxtxt"
echo "$opset g (float[0] x) => (float[0] x, float[0] y) { y = Relu(x) }" >"$work/none.onnxtxt"
for what in empty none; do
    "$BURIN" show "$work/$what.onnxtxt" >/dev/null 2>&1 || continue
    check "$what" xmllint --noout <("$BURIN" show "$work/$what.onnxtxt" --as=svg)
done

same_bytes() {
    "$BURIN" show "$work/g100.onnxtxt" --as=svg >"$work/a.svg" &&
        (cd / && LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$BURIN" show "$work/g100.onnxtxt" --as=svg) | cmp - "$work/a.svg" &&
        "$BURIN" report "$work/g100.onnxtxt" --html >"$work/a.html" &&
        (cd / && "$BURIN" report "$work/g100.onnxtxt" --html) | cmp - "$work/a.html"
}
check "the same bytes" same_bytes

# in_time SECONDS GRAPH PASS
in_time() {
    local start=$EPOCHREALTIME
    "$BURIN" show "$2" --as=svg --after="$3" >"$work/large.svg" || return 1
    awk -v a="$start" -v b="$EPOCHREALTIME" -v most="$1" 'BEGIN {print b - a " s"; exit b - a > most}'
}
if [ -z "${VALGRIND:-}" ]; then
    random_graph 2000 7 >"$work/g2000.onnxtxt"
    seconds=1
    case $BURIN in */san/*) seconds=15 ;; esac
    for pass in read plan; do
        check "2000 nodes in time, after $pass" in_time $seconds "$work/g2000.onnxtxt" $pass
        check "2000 nodes, after $pass" placed "$work/large.svg" 700
    done
fi

refuses() {
    "$BURIN" show "$work/g100.onnxtxt" --as=png >"$work/r" 2>&1
    [ $? = 2 ] && grep -q "text, loops, svg, dot or json" "$work/r"
}
check "another form is refused" refuses
finish
