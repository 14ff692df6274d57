# For check_firmware.sh: a program for the board that knows the inputs (DIR/in0.npy …) and what must come out
# (DIR/optimised/output_0.npy …) of one model with the prefix m: awk -v dir=DIR -f firmware.awk MODEL >main.c
/ => / && !seen {
    seen = 1
    line = $0
    at = index(line, " => ")
    nin = list(inside(substr(line, 1, at)), in_type)
    nout = list(inside(substr(line, at)), out_type)
}
END {
    print "#include <string.h>\n#include \"board.h\"\n#include \"m.h\"\n"
    for (k = 0; k < nin; k++) bytes("in" k, dir "/in" k ".npy")
    for (k = 0; k < nout; k++) {
        bytes("want" k, dir "/optimised/output_" k ".npy")
        print "static uint64_t got" k "[M_OUT" k "_BYTES / 8 + 1];"
    }
    print "\nstatic int nan_of(const unsigned char *p, int size, int wide)\n{"
    print "    int top = (p[size - 1] & 127) << 8 | p[size - 2];"
    print "    return wide && top >= (size == 8 ? 0x7FF0 : size == 4 ? 0x7F80 : 0x7C00);\n}\n"
    print "static int differ(const void *got, const unsigned char *want, int bytes, int elems, int wide)\n{"
    print "    const unsigned char *g = got;\n    const int size = elems ? bytes / elems : 0;"
    print "    for (int i = 0; i < bytes; i++)"
    print "        if (g[i] != want[i] && !(nan_of(g + i / size * size, size, wide)"
    print "                                 && nan_of(want + i / size * size, size, wide)))"
    print "            return i / size + 1;"
    print "    return 0;\n}\n"
    print "int main(void)\n{\n    int at, bad = 0;\n    board_paint_stack();"
    printf "    m_run("
    n = 0
    for (k = 0; k < nin; k++) printf "%s(const void *)in%d", n++ ? ", " : "", k
    for (k = 0; k < nout; k++) printf "%s(void *)got%d", n++ ? ", " : "", k
    print ");\n    const int stack = (int)board_stack_used();"
    for (k = 0; k < nout; k++) {
        wide = out_type[k] ~ /^(float|double|float16)$/ ? 1 : 0
        print "    at = differ(got" k ", want" k ", M_OUT" k "_BYTES, M_OUT" k "_ELEMS, " wide ");"
        print "    if (at) {\n        bad = 1;\n        board_print(\"output " k " differs, element \");"
        print "        board_print_number(at - 1);\n        board_print(\"\\n\");\n    }"
    }
    print "    board_print(bad ? \"wrong\" : \"right\");\n    board_print(\", stack \");"
    print "    board_print_number(stack);"
    print "    board_print(\" of \");\n    board_print_number(M_STACK_BYTES);\n    board_print(\" bytes\\n\");"
    print "    return bad;\n}"
}

# The data of a .npy file as an array of bytes.
function bytes(name, path,    command, line, all, n, b, i, skip)
{
    command = "od -An -v -tu1 '" path "'"
    all = ""
    while ((command | getline line) > 0) all = all line
    close(command)
    n = split(all, b, " ")
    skip = 10 + b[9] + 256 * b[10]
    printf "static _Alignas(8) const unsigned char %s[] = {", name
    for (i = skip + 1; i <= n; i++) printf "%s%d", (i == skip + 1 ? "" : ","), b[i]
    print (n == skip ? "0};" : "};")
}
