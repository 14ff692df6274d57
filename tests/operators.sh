#!/usr/bin/env bash
# The table of tests/op/OPERATORS.md, on standard output: each row of burin's own table of operators (burin ops), and
# how many nodes of the text cases are of that row. `make docs` writes it; check_docs.sh fails when what is committed is
# another.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
"${BURIN:-./burin}" ops --as=table | awk -F '\t' '
    FNR == NR { n++; name[n] = $1; since[n] = $2; types[n] = $3; versions[$1] = versions[$1] " " n; next }
    FNR == 1 { delete opset }
    { line = $0 }
    /^#/ { next }
    /opset_import/ {                        # of the model, or of a function from here on
        rest = line
        while (match(rest, /"[a-z.]*" *: *[0-9]+/)) {
            item = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            domain = item
            sub(/^"/, "", domain)
            sub(/".*/, "", domain)
            sub(/.*: */, "", item)
            opset[domain == "ai.onnx" ? "" : domain] = item + 0
        }
    }
    {
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        while (match(line, /= *[A-Za-z_][A-Za-z0-9_.]* *[<(]/)) {
            op = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            gsub(/[= <(]/, "", op)
            domain = op
            if (!sub(/\.[^.]*$/, "", domain)) domain = ""
            count = split(versions[op], rows, " ")
            best = 0
            for (i = 1; i <= count; i++)
                if (!(domain in opset) || since[rows[i]] <= opset[domain]) best = rows[i]
            if (best) cases[best]++
        }
    }
    END {
        print "# The operators\n"
        print "Made by `make docs` from the tables in [`ir/ops`](../../ir/ops) and [`frontend`](../../frontend)" \
            " and from the cases here: one row for each version whose"
        print "interface or meaning differs, with the types of its operands," \
            " and the nodes of the cases that are of this row."
        print "`burin ops NAME` tells attributes and defaults.\n"
        print "| operator | since | operands | cases |\n| --- | --- | --- | --- |"
        for (i = 1; i <= n; i++) {
            printf "| %s | %d | %s | %d |\n", name[i], since[i], types[i], cases[i]
            operators += name[i] != name[i - 1]
            sum += cases[i]
        }
        printf "\n%d operators, %d rows, %d cases. ", operators, n, sum
        print "*floats*: float, double, float16, bfloat16. *signed*, *unsigned*: integers of 8 to 64 bits."
        print "*complex*: complex64, complex128. *small*: floats of 8 bits, integers and floats of 4 and 2 bits." \
            " *all*: these, bool and string."
    }' - tests/op/*.txt
