# A program that runs what graph.awk writes, and fails when a value is wrong: awk -v shape=SHAPE -v n=N -f …
BEGIN {
    outputs = shape == "outputs" ? 1000 : shape == "split" ? n : 1
    print "#include <stdio.h>\n#include \"g.h\"\nstatic float y[" outputs "][G_OUT0_ELEMS];"
    print "int main(void)\n{\n    const float x[4] = {1, -2, 3, -4};"
    printf "    g_run(x"
    for (i = 0; i < outputs; i++) printf ", y[%d]", i
    print ");"
    if (shape == "tree") for (i = sum = 0; i < n; i++) sum += i % 7
    want = "x[i % 4]"
    if (shape == "concat" || shape == "unused") want = "-" want
    if (shape == "ladder") want = want " * (i / 4 % 2 ? 1 : -1)"
    if (shape == "scaled") want = want " * (float)(i / 4 % 7)"
    if (shape == "line" || shape == "sum") want = want " * -" n
    if (shape == "tree") want = want " * " sum
    if (shape == "constants") want = want " + " n
    if (shape == "doubling") want = sprintf("%s * %.17g", want, 2 ^ n)
    print "    for (int k = 0; k < " outputs "; k++)"
    print "        for (int i = 0; i < G_OUT0_ELEMS; i++)"
    print "            if (y[k][i] != (float)(" want ")) {"
    print "                printf(\"output %d, element %d: %g\\n\", k, i, (double)y[k][i]);"
    print "                return 1;\n            }\n    return 0;\n}"
}
