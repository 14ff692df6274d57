# Large graphs: awk -v shape=SHAPE -v n=N -f graph.awk >model.onnxtxt. About n nodes on x (float[2,2]); what comes out:
#
#   chain      Neg, Neg, Reshape, Reshape, Neg ...                          y = x          (n a multiple of 4)
#   concat     n times Neg(x), joined by one Concat                         each row pair -x
#   scaled     n times Mul(x, constant of its own), joined by one Concat    x times 0 1 2 ... 6 0 1 ...
#   line       n times Neg(x), added up one after the other                 y = -n x
#   ladder     n/2 times Neg, one after the other, each read by a Reshape, joined by one Concat    -x, x, -x ...
#   tree       n times Mul(x, constant of its own), added up as a tree      y = x times the sum of 0 1 ... 6 0 1 ...
#   sum        n times Neg(x), added up by one Sum                          y = -n x
#   outputs    1000 outputs, each n/1000 times Neg                          each y = x     (n/1000 even)
#   split      n outputs of one Split                                       each y = x
#   unused     n nodes that nobody reads                                    y = -x
#   constants  n nodes that compute with constants only                     y = x + n
#   shapes     n times what exporters write for x.view(x.shape[0], -1)      y = x          (5 nodes each)
#   doubling   y = x + x, n times                                           y = 2^n x
BEGIN {
    print "<ir_version: 8, opset_import: [\"\" : 17]>"
    head = "g (float[2,2] x) => "
    if (shape == "chain") {
        print head "(float[2,2] y) <int64[1] flat = {4}, int64[2] square = {2, 2}>\n{"
        last = "x"
        for (i = 0; i < n; i++) {
            name = i == n - 1 ? "y" : "t" i
            k = i % 4
            print "  " name " = " (k < 2 ? "Neg(" last ")" : "Reshape(" last (k == 2 ? ", flat)" : ", square)"))
            last = name
        }
    } else if (shape == "concat") {
        print head "(float[" 2 * n ",2] y)\n{"
        for (i = 0; i < n; i++) print "  t" i " = Neg(x)"
        printf "  y = Concat <axis = 0> ("
        for (i = 0; i < n; i++) printf "%st%d", i ? ", " : "", i
        print ")"
    } else if (shape == "scaled") {
        print head "(float[" 2 * n ",2] y)"
        constants()
        for (i = 0; i < n; i++) print "  t" i " = Mul(x, c" i ")"
        printf "  y = Concat <axis = 0> ("
        for (i = 0; i < n; i++) printf "%st%d", i ? ", " : "", i
        print ")"
    } else if (shape == "line") {
        print head "(float[2,2] y)\n{\n  t0 = Neg(x)"
        for (i = 1; i < n; i++) {
            print "  t" i " = Neg(x)"
            print "  " (i == n - 1 ? "y" : "s" i) " = Add(" (i == 1 ? "t0" : "s" (i - 1)) ", t" i ")"
        }
    } else if (shape == "ladder") {
        print head "(float[" n ",2] y) <int64[2] square = {2, 2}>\n{"
        for (i = 0; i < n / 2; i++) print "  t" i " = Neg(" (i ? "t" (i - 1) : "x") ")\n  r" i " = Reshape(t" i ", square)"
        printf "  y = Concat <axis = 0> ("
        for (i = 0; i < n / 2; i++) printf "%sr%d", i ? ", " : "", i
        print ")"
    } else if (shape == "tree") {
        print head "(float[2,2] y)"
        constants()
        for (i = 0; i < n; i++) print "  t" (n + i) " = Mul(x, c" i ")"
        for (i = n - 1; i >= 1; i--) print "  " (i == 1 ? "y" : "t" i) " = Add(t" 2 * i ", t" (2 * i + 1) ")"
    } else if (shape == "sum") {
        print head "(float[2,2] y)\n{"
        for (i = 0; i < n; i++) print "  t" i " = Neg(x)"
        printf "  y = Sum("
        for (i = 0; i < n; i++) printf "%st%d", i ? ", " : "", i
        print ")"
    } else if (shape == "outputs") {
        printf "%s(", head
        for (i = 0; i < 1000; i++) printf "%sfloat[2,2] y%d", i ? ", " : "", i
        print ")\n{"
        for (i = 0; i < 1000; i++) {
            last = "x"
            for (k = 0; k < n / 1000; k++) {
                name = k == n / 1000 - 1 ? "y" i : "t" i "_" k
                print "  " name " = Neg(" last ")"
                last = name
            }
        }
    } else if (shape == "split") {
        printf "%s(", head
        for (i = 0; i < n; i++) printf "%sfloat[1,2,2] y%d", i ? ", " : "", i
        print ")\n  <int64[3] d = {" n ", 2, 2}>\n{\n  t = Expand(x, d)"
        for (i = 0; i < n; i++) printf "%sy%d", i ? ", " : "  ", i
        print " = Split(t)"
    } else if (shape == "unused") {
        print head "(float[2,2] y)\n{\n  y = Neg(x)"
        for (i = 0; i < n; i++) print "  t" i " = Neg(" (i % 100 ? "t" (i - 1) : "x") ")"
    } else if (shape == "constants") {
        print head "(float[2,2] y) <float one = {1}, float t0 = {0}>\n{"
        for (i = 1; i <= n; i++) print "  t" i " = Add(t" (i - 1) ", one)"
        print "  y = Add(x, t" n ")"
    } else if (shape == "shapes") {
        print head "(float[2,2] y)"
        print "  <int64 zero = {0}, int64[1] at = {0}, int64[1] rest = {-1}>\n{"
        last = "x"
        for (i = 0; i < n / 5; i++) {
            name = i == n / 5 - 1 ? "y" : "t" i
            print "  a" i " = Shape(" last ")\n  b" i " = Gather <axis = 0> (a" i ", zero)"
            print "  c" i " = Unsqueeze(b" i ", at)\n  d" i " = Concat <axis = 0> (c" i ", rest)"
            print "  " name " = Reshape(" last ", d" i ")"
            last = name
        }
    } else if (shape == "doubling") {
        print head "(float[2,2] y)\n{"
        last = "x"
        for (i = 0; i < n; i++) {
            name = i == n - 1 ? "y" : "t" i
            print "  " name " = Add(" last ", " last ")"
            last = name
        }
    }
    print "}"
}

function constants(    i)
{
    printf "  <"
    for (i = 0; i < n; i++) printf "%sfloat c%d = {%d}", i ? ",\n   " : "", i, i % 7
    print ">\n{"
}
