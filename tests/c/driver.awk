# The program for one model: awk [-v arena=1] [-v io=1] [-v weights=1] [-v header=m.h] -f driver.awk MODEL >main.c. The model's
# prefix is m. The line with `=>` must hold all inputs and outputs, with plain names and without default values.
#
# -v names=1: the names of the inputs instead, one a line.
#
#   main write DIR      writes seeded inputs to DIR/in0.npy …
#   main compare DIR [WEIGHTS]    runs twice, compares with DIR/output_0.npy …
/ => / && !seen {
    seen = 1
    line = $0
    at = index(line, " => ")
    ins = inside(substr(line, 1, at))
    outs = inside(substr(line, at))
    nin = list(ins, in_type)
    if (names) {
        for (k = 0; k < nin; k++) print name_of[k]
        exit
    }
    nout = list(outs, out_type)
}
END {
    if (names) exit
    print "#include \"driver.h\""
    if (header == "") print "#include \"m.h\"\n#include \"m.h\"\n"
    else print "#include \"" header "\"\n"
    print "int main(int argc, char **argv)\n{"
    print "    if (argc < 3)\n        return 2;"
    for (k = 0; k < nin; k++) {
        m = "M_IN" k
        print "    const int64_t d" k "[] = " m "_DIMS;"
        print "    Room in" k " = room_new(" m "_BYTES, " size(in_type[k]) "), in" k "_was = room_new(" m "_BYTES, 8);"
        print "    values(\"" in_type[k] "\", in" k ".at, " m "_ELEMS, " m "_BYTES);"
        print "    if (" m "_BYTES)\n        memcpy(in" k "_was.at, in" k ".at, " m "_BYTES);"
    }
    print "    if (!strcmp(argv[1], \"write\")) {"
    for (k = 0; k < nin; k++)
        print "        npy_put(argv[2], " k ", \"" descr(in_type[k]) "\", M_IN" k "_RANK, d" k ", in" k ".at,", \
            "M_IN" k "_BYTES);"
    for (k = 0; k < nin; k++) print "        free(in" k ".block);\n        free(in" k "_was.block);"
    print "        return 0;\n    }"
    for (k = 0; k < nout; k++) print "    Room out" k " = room_new(M_OUT" k "_BYTES, " size(out_type[k]) ");"
    if (arena) print "    Room arena = room_new(M_ARENA_BYTES, M_ARENA_ALIGN);"
    if (io) print "    unsigned char *const base = " (arena ? "arena.at" : "(unsigned char *)m_arena") ";"
    if (weights) {
        print "    FILE *wf = fopen(argv[3], \"rb\");\n    Room weights = room_new(1 << 20, M_WEIGHTS_ALIGN);"
        print "    if (!wf || (fread(weights.at, 1, 1 << 20, wf) == 0 && M_FLASH_BYTES))\n        return 2;"
        print "    fclose(wf);"
    }
    print "    for (int call = 0; call < 2; call++) {"
    print "        const int fill = call ? 0x5A : 0xA5;"
    for (k = 0; k < nout; k++) print "        room_fill(out" k ", fill);"
    if (arena) print "        room_fill(arena, fill);"
    if (io) {
        if (!arena) print "        memset(m_arena, fill, sizeof m_arena);"
        for (k = 0; k < nin; k++) move("base + M_IN" k "_OFFSET", "in" k ".at", "M_IN" k "_BYTES")
    }
    printf "        m_run("
    n = 0
    for (k = 0; k < nin && !io; k++) printf "%s(const %s *)(void *)in%d.at", n++ ? ", " : "", ctype(in_type[k]), k
    for (k = 0; k < nout && !io; k++) printf "%s(%s *)(void *)out%d.at", n++ ? ", " : "", ctype(out_type[k]), k
    if (weights) printf "%sweights.at", n++ ? ", " : ""
    if (arena) printf "%sarena.at", n++ ? ", " : ""
    print ");"
    for (k = 0; k < nout && io; k++) move("out" k ".at", "base + M_OUT" k "_OFFSET", "M_OUT" k "_BYTES")
    for (k = 0; k < nin; k++) {
        print "        if (M_IN" k "_BYTES && memcmp(in" k ".at, in" k "_was.at, M_IN" k "_BYTES))"
        print "            die(\"wrote into input\", " k ");"
    }
    for (k = 0; k < nout; k++) {
        print "        room_check(out" k ", fill, \"wrote around output\", " k ");"
        print "        npy_same(argv[2], " k ", \"" out_type[k] "\", out" k ".at, M_OUT" k "_ELEMS, M_OUT" k "_BYTES);"
    }
    if (arena) print "        room_check(arena, fill, \"wrote around the arena\", 0);"
    print "    }"
    for (k = 0; k < nin; k++) print "    free(in" k ".block);\n    free(in" k "_was.block);"
    for (k = 0; k < nout; k++) print "    free(out" k ".block);"
    if (arena) print "    free(arena.block);"
    if (weights) print "    free(weights.block);"
    print "    return 0;\n}"
}

function move(to, from, bytes)
{
    print "        if (" bytes ")\n            memcpy(" to ", " from ", " bytes ");"
}

function ctype(t)
{
    if (t == "float" || t == "double" || t == "bool") return t
    if (t == "complex64") return "float"
    if (t == "float16" || t == "bfloat16") return "uint16_t"
    return t "_t"
}

function size(t)
{
    if (t == "bool") return 1
    if (t == "float" || t == "complex64") return 4
    if (t == "double") return 8
    if (t ~ /16$/) return 2
    if (t ~ /8$/) return 1
    return t ~ /32$/ ? 4 : 8
}

function descr(t)
{
    if (t == "float") return "<f4"
    if (t == "double") return "<f8"
    if (t == "float16") return "<f2"
    if (t == "complex64") return "<c8"
    if (t == "bool") return "|b1"
    return (size(t) == 1 ? "|" : "<") (t ~ /^u/ ? "u" : "i") size(t)
}
