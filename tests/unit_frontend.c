/* Unit tests of the frontend's other half: files and formats, external data, and the import: names, inputs, symbolic
 * dimensions, what is declared, functions and subgraphs. */
#include "text_ops.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/burin-frontend-XXXXXX";

static void setup(void)
{
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    c = ctx_new();
    give_ops(c);
}

static void teardown(void)
{
    char command[80];
    ctx_free(c);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

typedef struct Job { const char *text, *path; const ReadOptions *o; Graph *g; } Job;

static void job_run(Ctx *ctx, void *arg)
{
    Job *j = arg;
    j->g = j->path ? frontend_read(ctx, j->path, j->o)
                   : frontend_import(ctx, text_read(ctx, source_of(ctx, j->text, strlen(j->text))), j->o);
}

static Graph *import_with(const char *text, const ReadOptions *o)
{
    Job j = {.text = text, .o = o};
    ctx_run(c, job_run, &j);
    return j.g;
}

/* The graph of a text that is sound; what was said goes to *notes. */
static Graph *sound(const char *text, const ReadOptions *o, const char **notes)
{
    int before = c->errors;
    Graph *g = import_with(text, o);
    const char *s = said();
    ck_assert_msg(g && c->errors == before, "refused: %.300s\n%.600s", text, s);
    if (notes)
        *notes = s;
    else
        ck_assert_msg(!*s, "%.300s\nsays: %.600s", text, s);
    return g;
}

static const char *body_of(const Graph *g)
{
    const char *text = text_of(c, print_graph, g), *brace = strstr(text, "\n>\n");
    return brace ? brace + 3 : text;
}

static void becomes(const char *text, const char *wanted)
{
    ck_assert_str_eq(body_of(sound(text, NULL, NULL)), wanted);
}

static void refused_with(const char *text, const ReadOptions *o, const char *message)
{
    int before = c->errors;
    import_with(text, o);
    const char *s = said();
    ck_assert_msg(c->errors > before, "taken: %.300s", text);
    ck_assert_msg(strstr(s, message), "%.300s\nsays: %.600s\nwanted: %.200s", text, s, message);
}

static void refused(const char *text, const char *message)
{
    refused_with(text, NULL, message);
}

#define OPSET "<opset_import: [\"\" : 17, \"d\" : 1, \"com.acme\" : 1]>\n"

/* ---- names ----------------------------------------------------------------------------------------------------- */

START_TEST(names)
{
    becomes(OPSET "g (float[2] x) => (float[2] y, float[2] x) <float one = {1}> { t = Neg(x) y = Add(t, one) }",
            "g (float[2] x) => (float[2] y, float[2] x)\n   <float one = {1}>\n{\n   t = Neg (x)\n   y = Add (t, "
            "one)\n}\n");
    becomes(OPSET "g (float[2] x) => (y) { y, = com.acme.Same(x,) }",
            "g (float[2] x) => (float[2] y)\n{\n   y = com.acme.Same (x)\n}\n");
    refused(OPSET "g (float x) => (y) { y = Neg(xx) }", "m:2:30: error: 'xx' is not defined; did you mean 'x'?");
    refused(OPSET "g (float x) => (nothing) { y = Neg(x) }",
            "m:2:17: error: output 'nothing' is not defined by any node: give it to a node as output, or name");
    refused(OPSET "g (float x) => (y) { y = Neg(nothing) }",
            "m:2:30: error: 'nothing' is not defined: it must be an input, a constant or the output of a node");
    refused(OPSET "g (float x) => (y) { y = Neg(y) }", "'y' is used before it is defined");
    refused(OPSET "g (float x) => (y) { y = Neg(x) y = Neg(x) }", "m:2:33: error: 'y' is defined twice");
    refused(OPSET "g (float x) => (y) { y, y = Attrs(x) }", "m:2:25: error: 'y' is defined twice");
    refused(OPSET "g (float x) => (y) { x = Neg(x) y = Neg(x) }", "m:2:22: error: 'x' is defined twice");
    refused(OPSET "g (float x, float x) => (y) { y = Neg(x) }", "m:2:19: error: input 'x' is defined twice");
    refused(OPSET "g (float x) => (y) <float w = {1}, float w = {1}> { y = Neg(w) }",
            "m:2:42: error: 'w' is defined twice");
    refused(OPSET "g (float x) => (y) <float w = {1}> { w = Neg(x) y = Neg(w) }",
            "m:2:38: error: 'w' is defined twice");
    refused(OPSET "g (float x) => (y) { y = Ngee(x) }",
            "operator 'Ngee' is not known (opset 17, 1 node); did you mean 'Neg'?");
    refused(OPSET "g (float x) => (y) { y = Neg:v(x) }", "function 'Neg' has no overload 'v'");
    refused(OPSET "g (float x) => (y) { y = Attrs <f = 1e99> (x) }", "attribute 'f': '1e99' is beyond float");
    c->errors = 0;
    import_with(OPSET "g (float x) => (y) { a = Neg(zz) b = Add(a, zz) y = Neg(b) }", NULL);
    ck_assert_int_eq(c->errors, 1);
    import_with(OPSET "g (float x) => (y) { a = Neg(x x)\n b = Add(a, zz)\n y = Ngee(b) }", NULL);
    ck_assert_msg(c->errors == 3, "%s", said());         /* names may be missing because of the first */
}
END_TEST

START_TEST(many_names)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(OPSET "g (float x) => (y) {\n", f);
    for (int i = 0; i < 20000; i++)
        fprintf(f, "a%d = Neg(b%d)\n", i, i);
    fputs("y = Neg(x) }", f);
    fclose(f);
    refused(text, "'b0' is not defined");
    free(text);
}
END_TEST

/* ---- inputs, types --------------------------------------------------------------------------------------------- */

static ReadOptions bind(const char *name, int64_t size)
{
    Bind *b = NEW(c, Bind);
    *b = (Bind){name, size};
    return (ReadOptions){.nbinds = 1, .binds = b};
}

static ReadOptions shape(const char *input, int rank, int64_t d0, int64_t d1)
{
    ShapeOption *s = NEW(c, ShapeOption);
    int64_t dims[] = {d0, d1};
    *s = (ShapeOption){input, rank, mem_copy(c, dims, sizeof dims)};
    return (ReadOptions){.nshapes = 1, .shapes = s};
}

static const char *input_of(const char *text, ReadOptions o)
{
    const char *notes;
    return type_text(c, sound(text, &o, &notes)->ins[0]->type);
}

START_TEST(inputs)
{
    static const char symbolic[] = OPSET "g (float[N,3] x) => (float[N,3] y) { y = Neg(x) }";
    refused(symbolic, "m:2:15: error: input 'x': dimension 'N' of float[N,3] has no size: give it with -D N=SIZE");
    ck_assert_str_eq(input_of(symbolic, bind("N", 2)), "float[2,3]");
    ck_assert_str_eq(input_of(symbolic, bind("N", 0)), "float[0,3]");
    ck_assert_str_eq(input_of(symbolic, shape("x", 2, 4, 3)), "float[4,3]");
    ck_assert_str_eq(input_of(symbolic, shape("x", 2, 4, 5)), "float[4,5]");
    ck_assert_str_eq(input_of(symbolic, shape("x", 1, 4, 0)), "float[4]");
    ck_assert_str_eq(input_of(OPSET "g (float[] x) => (y) { y = Neg(x) }", shape("x", 0, 0, 0)), "float");
    ck_assert_str_eq(input_of(OPSET "g (float[N] x, float[N] z) => (y) { y = Add(x, z) }", shape("x", 1, 2, 0)),
                     "float[2]");
    ck_assert_str_eq(input_of(OPSET "g (optional(float[2]) x) => (y) { y = Neg(x) }", (ReadOptions){0}), "float[2]");
    ReadOptions typed = shape("x", 1, 2, 0);
    static const TypeOption f64 = {"x", DT_F64};
    typed.ntypes = 1;
    typed.types = &f64;
    ck_assert_str_eq(input_of(OPSET "g (x) => (y) { y = Neg(x) }", typed), "double[2]");
    ck_assert_str_eq(input_of(OPSET "g (float[2] x) => (float[2] y) { y = Neg(x) }", typed), "double[2]");
    refused(OPSET "g (x) => (y) { y = Neg(x) }", "input 'x' has no type");
    refused(OPSET "g (float[] x) => (y) { y = Neg(x) }", "input 'x' (float[]) is of unknown rank");
    refused(OPSET "g (float[2,?] x) => (y) { y = Neg(x) }",
            "dimension 1 of float[2,?] is unknown: give the shape with --shape x=");
    refused(OPSET "g (seq(float[2]) x) => (y) { y = Neg(x) }",
            "input 'x' is a sequence, seq(float[2]), whose length must be known");
    refused(OPSET "g (float[4611686018427387904,2] x) => (y) { y = Neg(x) }", "has more than 2^40 elements");
    ReadOptions o = shape("xx", 1, 2, 0);
    refused_with(symbolic, &o, "--shape: the model has no input 'xx'; did you mean 'x'?");
    o = bind("M", 2);
    refused_with(symbolic, &o, "error: -D: the model has no dimension 'M'; it has 'N'");
    o = bind("NN", 2);
    refused_with(symbolic, &o, "error: -D: the model has no dimension 'NN'; did you mean 'N'?");
}
END_TEST

/* What the options say against each other, and against what the model declares. */
START_TEST(an_input_that_a_call_leaves_out_is_no_output)
{
    refused("<opset_import: [\"\" : 17, \"d\" : 1]> g (float x) => (y) { y = d.f (x) }\n"
            "<domain: \"d\", opset_import: [\"\" : 17]> f (a, o) => (o) { t = Neg(a) }",
            "function 'f' gives its input 'o' back as output 0, but this call leaves it out");
}
END_TEST

START_TEST(contradictions)
{
    static const char two[] = OPSET "g (float[N,3] x, float[N,K] z) => (y) { y = Neg(x) }";
    static const Bind twice[] = {{"N", 3}, {"N", 4}}, others[] = {{"N", 3}, {"K", 4}, {"Q", 1}};
    static const int64_t d43[] = {4, 3}, d53[] = {5, 3};
    static const ShapeOption shapes[] = {{"x", 2, d43}, {"z", 2, d53}};
    ReadOptions o = {.nbinds = 2, .binds = twice};
    refused_with(two, &o, "error: -D N=4 contradicts -D N=3");
    o = (ReadOptions){.nbinds = 3, .binds = others};
    refused_with(two, &o, "error: -D: the model has no dimension 'Q'; it has 'N', 'K'");
    o = (ReadOptions){.nbinds = 1, .binds = twice, .nshapes = 1, .shapes = shapes};
    refused_with(two, &o, "m:2:15: error: --shape x=4,3 contradicts -D N=3: dimension 'N' of float[N,3] x");
    o = (ReadOptions){.nshapes = 2, .shapes = shapes};
    refused_with(two, &o, "m:2:29: error: --shape z=5,3 contradicts --shape x=4,3: dimension 'N' of float[N,K] z");
    o = bind("M", 7);
    refused_with(OPSET "g (float[2,4] x) => (float[M,4] y) { y = Neg(x) }", &o,
                 "error: output 'y' is declared float[M,4] with M = 7, but computed as float[2,4]");
    o = shape("m", 1, 7, 0);
    refused_with(OPSET "g (float[2,4] x, float[M] m) => (float[M,4] y) { y = Neg(x) }", &o,
                 "error: output 'y' is declared float[M,4] with M = 7, but computed as float[2,4]");
    const char *notes;
    sound("<opset_import: [\"\" : 99]> g (float x) => (y) { y = Neg(x) }", NULL, &notes);
    ck_assert_ptr_nonnull(strstr(notes, "warning: the model imports opset 99, but the newest known is 28"));
}
END_TEST

START_TEST(frozen)
{
    const char *notes;
    Graph *g = sound("<ir_version: 4, opset_import: [\"\" : 17]>\ng (float x, float w = {2}) => (y) { y = Add(x, w) }",
                     NULL, &notes);
    ck_assert(g->nins == 1 &&
              strstr(notes, "m:2:19: note: input 'w' has an initializer and is frozen to it: it is no parameter"));
    g = sound("<ir_version: 3, opset_import: [\"\" : 17]>\ng (float x, float w = {2}) => (y) { y = Add(x, w) }", NULL,
              NULL);
    ck_assert_int_eq(g->nins, 1);
    ReadOptions o = shape("w", 1, 2, 0);
    sound(OPSET "g (float w = {2}) => (w) {}", &o, &notes);
    ck_assert_ptr_nonnull(strstr(notes, "warning: input 'w' is frozen"));
}
END_TEST

START_TEST(declared)
{
    const char *notes;
    refused(OPSET "g (float[2] x) => (float[3] y) { y = Neg(x) }",
            "m:2:29: error: output 'y' is declared float[3], but computed as float[2]");
    refused(OPSET "g (float[2] x) => (int8[2] y) { y = Neg(x) }", "declared int8[2], but computed as float[2]");
    refused(OPSET "g (float[2] x) => (float y) { y = Neg(x) }", "declared float, but computed as float[2]");
    sound(OPSET
          "g (float[2] x) => (float[N] y, float[] z, a, float[?] b, seq(float) q) { y = Neg(x) z = Neg(x) a = Neg(x) "
          "b = Neg(x) q = Neg(x) }",
          NULL, NULL);
    sound(OPSET "g (float[2] x) => (y) <float[3] y, float[7] unused> { y = Neg(x) }", NULL, &notes);
    ck_assert_ptr_nonnull(strstr(notes, "warning: value 'y' is declared float[3], but computed as float[2]"));
    sound(OPSET "g (float[2] x, float[3] z) => (float[N] y, float[N] w) { y = Neg(x) w = Neg(z) }", NULL, &notes);
    ck_assert_ptr_nonnull(
        strstr(notes, "warning: output 'w' is declared float[N] with N = 2, but computed as float[3]"));
    sound("g (float[2] x) => (y) { y = Late(x) }", NULL, &notes);
    ck_assert_ptr_nonnull(strstr(notes, "warning: the model has no opset_import"));
    refused("<opset_import: [\"\" : 8]> g (float[2] x) => (y) { y = Late(x) }", "needs opset 9; the model imports 8");
    refused("<opset_import: []> g (float[2] x) => (y) { y = Neg(x) }", "lacks domain");
}
END_TEST

/* ---- functions, subgraphs -------------------------------------------------------------------------------------- */

#define FUNC "\n<domain: \"d\", opset_import: [\"\" : 17, \"d\" : 1, \"com.acme\" : 1]>\n"

START_TEST(calls)
{
    becomes(OPSET "g (float[2] x) => (y, z) { y = d.f(x) [n] z = d.f(y) }" FUNC
                  "f (a) => (b) { t = Neg(a) b = Neg(t) }",
            "g (float[2] x) => (float[2] y, float[2] z)\n{\n   \"y/t\" = Neg (x)\n   y = Neg (\"y/t\")\n   \"n/t\" = "
            "Neg (y)\n"
            "   z = Neg (\"n/t\")\n}\n");
    becomes(OPSET "g (float[2] x) => (y) { y = d.f(x) }" FUNC
                  "f (a) => (b) { b = a.b.h(a) }\n<domain: \"a.b\", opset_import: [\"\":1]>"
                  "h (a) => (a) {}",
            "g (float[2] x) => (float[2] y)\n{\n   y = Identity (x)\n}\n");
    becomes(OPSET "g (float[2] x) => (y) { y = d.f <al = 2.0> (x) }" FUNC "f <al, be: int = 3, no> (a, o) => (b) { "
                  "b = Attrs <f: float = @al, i = @be, s: string = @no> (a, o) }",
            "g (float[2] x) => (float[2] y)\n{\n   y = Attrs <f: float = 2, i: int = 3> (x)\n}\n");
    becomes(OPSET "g (float[2] x) => (y, z) { y = d.f(x) z = d.f:v(x) }" FUNC "f (a) => (b) { b = Neg(a) }"
                  "\n<domain: \"d\", overload: \"v\", opset_import: [\"\" : 9]> f (a) => (b) { b = Late(a) }",
            "g (float[2] x) => (float[2] y, float[2] z)\n{\n   y = Neg (x)\n   z = Late (x)\n}\n");
    refused(OPSET
            "g (float x) => (y) { y = d.f(x) }\n<domain: \"d\", opset_import: [\"\" : 8]> f (a) => (b) { b = Late(a) }",
            "needs opset 9");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { b = d.f(a) }", "function 'f' calls itself");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { b = d.h(a) }" FUNC
                  "h (a) => (b) { b = d.f(a) }",
            "function 'f' calls itself");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { b = Neg(q) }",
            "m:2:26: note: in function 'f', called here");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { b = Neg(x) }", "'x' is not defined");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { }", "'b' is not defined");
    refused(OPSET "g (float x) => (y) { y = d.f(x, x) }" FUNC "f (a) => (b) { b = Neg(a) }",
            "takes at most 1 input, the call has 2");
    refused(OPSET "g (float x) => (y) { y, z = d.f(x) }" FUNC "f (a) => (b) { b = Neg(a) }",
            "gives 1 output, the call asks for 2");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { b = Neg(a) }" FUNC "f (a) => (b) {}",
            "is defined twice");
    refused(OPSET "g (float x) => (y) { y = Attrs <f = @al> (x) }", "but only a function has attributes");
    refused(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (b) { b = Attrs <f = @al> (a) }",
            "is no attribute of function 'f'");
    refused(OPSET "g (float x) => (y) { y = d.f <al = 1> (x) }" FUNC
                  "f <al> (a) => (b) { b = Attrs <f: float = @al> (a) }",
            "has a value of another type");
    const char *notes;
    sound(OPSET "g (float x) => (y) { y = d.f <al = 1> (x) }" FUNC "f (a) => (b) { b = Neg(a) }", NULL, &notes);
    ck_assert_ptr_nonnull(strstr(notes, "warning: attribute 'al' is no attribute of function 'f'"));
}
END_TEST

START_TEST(nested_calls)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(OPSET "g (float x) => (y) { y = d.f0(x) }", f);
    for (int i = 0; i < 120; i++)
        fprintf(f, FUNC "f%d (a) => (b) { b = d.f%d(a) }", i, i + 1);
    fclose(f);
    refused(text, "calls of functions are nested more than 100 deep");
    free(text);
    f = open_memstream(&text, &size);
    fputs(OPSET "g (float x) => (y) { y = d.f0(x) }", f);
    for (int i = 0; i < 60; i++)
        fprintf(f, FUNC "f%d (a) => (b) { t = d.f%d(a) b = d.f%d(t) }", i, i + 1, i + 1);
    fputs(FUNC "f60 (a) => (b) { b = Neg(a) }", f);
    fclose(f);
    refused(text, "make more than 262144 nodes");
    free(text);
}
END_TEST

/* The text is put into order as other formats are; what is told of are cycles, and those alone. */
START_TEST(order)
{
    becomes(OPSET "g (float x) => (y) { a = Neg(b) b = Neg(x) y = Neg(a) }",
            "g (float x) => (float y)\n{\n   b = Neg (x)\n   a = Neg (b)\n   y = Neg (a)\n}\n");
    becomes(OPSET "g (float x) => (y) { y = Twice <body = h (p) => (q) { q = Neg(later) }> (x) later = Neg(x) }",
            "g (float x) => (float y)\n{\n   later = Neg (x)\n   \"y/q\" = Neg (later)\n   y = Neg (later)\n}\n");
    becomes(OPSET "g (float x) => (y) { y = Twice <body = h (p) => (q) { q = Neg(t) t = Neg(p) }> (x) }",
            "g (float x) => (float y)\n{\n   \"y/t\" = Neg (x)\n   \"y/q\" = Neg (\"y/t\")\n   \"y/t_2\" = "
            "Neg (\"y/q\")\n   y = Neg (\"y/t_2\")\n}\n");
    becomes(OPSET "g (float x) => (y) { y = d.f(x) }" FUNC "f (a) => (c) { c = Neg(t) t = Neg(a) }",
            "g (float x) => (float y)\n{\n   \"y/t\" = Neg (x)\n   y = Neg (\"y/t\")\n}\n");
    /* a body's own t is not the t outside, which reads what the body gives */
    becomes(OPSET "g (float x) => (t) { y = Twice <body = h (p) => (q) { t = Neg(p) q = Neg(t) }> (x) t = Neg(y) }",
            "g (float x) => (float t)\n{\n   \"y/t\" = Neg (x)\n   \"y/q\" = Neg (\"y/t\")\n   \"y/t_2\" = "
            "Neg (\"y/q\")\n   y = Neg (\"y/t_2\")\n   t = Neg (y)\n}\n");
    refused(OPSET "g (float x) => (y) { a = Neg(b) b = Neg(a) y = Neg(a) }",
            "m:2:41: error: 'a' is used before it is defined, in whatever order: the nodes go round in a circle");
    refused(OPSET "g (float x) => (y) { a = Neg(b) b = Neg(a) y = Neg(a) }", "m:2:22: note: 'a' is defined here");
    const char *twice = OPSET "g (float x) => (y) { l = Neg(e) e = Neg(x) a = Neg(b) b = Neg(a) y = Neg(nowhere) }";
    const int before = c->errors;
    refused(twice, "m:2:63: error: 'a' is used before it is defined");
    ck_assert_int_eq(c->errors - before, 2);
    refused(twice, "m:2:74: error: 'nowhere' is not defined");
}
END_TEST

START_TEST(subgraphs)
{
    static const char condition[] =
        OPSET "g (float[2] x) => (y) <bool c = {%d}> { u = Neg(x)\n y = If (c) <then_branch = t () => "
              "(float[2] a) <float k = {2}> { a = Add(u, k) }, else_branch = e () => (b) { b = Neg(u) }> }";
    becomes(internf(c, condition, 0), "g (float[2] x) => (float[2] y)\n{\n   u = Neg (x)\n   y = Neg (u)\n}\n");
    becomes(
        internf(c, condition, 1),
        "g (float[2] x) => (float[2] y)\n   <float \"y/k\" = {2}>\n{\n   u = Neg (x)\n   y = Add (u, \"y/k\")\n}\n");
    becomes(OPSET "g (float[2] x) => (y) { y = Twice <body = h (p) => (q) { u = Neg(p) q = Add(u, x) }> (x) }",
            "g (float[2] x) => (float[2] y)\n{\n   \"y/u\" = Neg (x)\n   \"y/q\" = Add (\"y/u\", x)\n   \"y/u_2\" = "
            "Neg (\"y/q\")\n"
            "   y = Add (\"y/u_2\", x)\n}\n");
    becomes(OPSET "g (float[2] x) => (y) { y = d.f <b = h (p) => (q) { q = Add(p, x) }> (x) }" FUNC
                  "f <b> (a) => (c) { t = Neg(a) c = Twice <body: graph = @b> (t) }",
            "g (float[2] x) => (float[2] y)\n{\n   \"y/t\" = Neg (x)\n   \"y/q\" = Add (\"y/t\", x)\n   y = Add "
            "(\"y/q\", x)\n}\n");
    refused(OPSET "g (float[2] x) => (y) { y = Twice <body = h (p) => (q) { q = Neg(p) q = Neg(p) }> (x) }",
            "'q' is defined twice");
    refused(OPSET "g (float[2] x) => (y) { y = Twice <body = h (p) => (q) { r = Neg(p) }> (x) }",
            "m:2:53: error: output 'q' is not defined");
    refused(OPSET "g (float[2] x) => (y) <bool c = {1}> { y = If (c) <then_branch = t (p) => (q) { q = Neg(p) }, "
                  "else_branch = e () => (b) "
                  "{ b = Neg(x) }> }",
            "graph 't' has inputs, but is given none");
    const char *notes;
    sound(OPSET "g (float[2] x) => (y) { y = Twice <body = h (p) => (float[3] q) { q = Neg(p) }> (x) }", NULL, &notes);
    ck_assert_ptr_nonnull(strstr(notes, "warning: value 'q' is declared float[3], but computed as float[2]"));
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------------------------- */

static const char *file(const char *name, const void *data, size_t n)
{
    const char *path = internf(c, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, n, f), n);
    fclose(f);
    return path;
}

static Graph *read_path(const char *path)
{
    Job j = {.path = path};
    ctx_run(c, job_run, &j);
    return j.g;
}

static void path_refused(const char *path, const char *message)
{
    int before = c->errors;
    read_path(path);
    const char *s = said();
    ck_assert_msg(c->errors > before && strstr(s, message), "%s says: %.300s\nwanted: %s", path, s, message);
}

START_TEST(formats)
{
    path_refused(internf(c, "%s/none", folder), "none: error: cannot be read: No such file or directory");
    path_refused(folder, "cannot be read: Is a directory");
    path_refused(file("empty", "", 0), "is empty");
    path_refused(file("blank", " \n", 2), "unexpected end of the file");
    path_refused(file("binary", "\x08\x07\x12\x04test", 8), "binary: error: the model has no graph");
    path_refused(file("xml", "\n<?xml version=\"1.0\"?>", 22), "the XML is not well-formed");
    path_refused(file("net", "<net name=\"x\"/>", 15), "the version of <net> is not stated");
    path_refused(file("pointer", "version https://git-lfs.example/spec/v1\noid sha256:0\nsize 9\n", 52), "git lfs pull");
    path_refused(file("elf", "\x7f" "ELF\x02\x01\x01", 7), "is in no format that burin knows");
    ck_assert_str_eq(frontend_format("<ir_version: 8>", 15)->format, "ONNX text");
    ck_assert_str_eq(frontend_format("<net: 8>", 8)->format, "ONNX text");
    ck_assert_str_eq(frontend_format("\xEF\xBB\xBF# x", 6)->format, "ONNX text");
    ck_assert_str_eq(frontend_format("B\x04\x0a\x00\x10\x11", 6)->format, "ONNX binary");
    ck_assert_str_eq(frontend_format("Big () => () {}", 15)->format, "ONNX text");
    ck_assert_ptr_nonnull(read_path(file("good", OPSET "g (float x) => (x) {}", strlen(OPSET) + 21)));
}
END_TEST

static const char *external(const char *pairs)
{
    const char *text = internf(c, OPSET "g () => (w) <float[2] w = [%s]> {}", pairs);
    return file("m.onnxtxt", text, strlen(text));
}

START_TEST(external_data_files)
{
    static const float values[] = {1, 2, 3};
    file("w.bin", values, sizeof values);
    Graph *g =
        read_path(external("\"location\": \"w.bin\", \"offset\": \"4\", \"length\": \"8\", \"checksum\": \"x\""));
    ck_assert_msg(g && !c->errors, "%s", said());
    ck_assert(tensor_at_double(g->outs[0]->data, 1) == 3);
    ck_assert(tensor_at_double(read_path(external("\"location\": \"w.bin\""))->outs[0]->data, 1) == 2);
    path_refused(external("\"location\": \"w.bin\", \"offset\": \"8\""),
                 "'w.bin' is cut short: 16 bytes are needed (offset 8, length 8), the file has 12");
    path_refused(external("\"location\": \"w.bin\", \"length\": \"12\""),
                 "its length is 12 bytes, but its type takes 8");
    path_refused(external("\"location\": \"w.bin\", \"offset\": \"-4\""), "'-4' is no offset");
    path_refused(external("\"location\": \"w.bin\", \"offset\": \"99999999999999999999\""), "is no offset");
    path_refused(external("\"location\": \"w.bin\", \"offset\": \"999999999999999999\""), "is cut short");
    path_refused(external("\"location\": \"none.bin\""), "cannot be read: No such file");
    path_refused(external("\"location\": \"\""), "must be a path relative to the model's folder");
    path_refused(external("\"location\": \"/etc/passwd\""), "must be a path relative to the model's folder");
    path_refused(external("\"location\": \"../../etc/passwd\""), "lies outside the model's folder");
    path_refused(external("\"location\": \".\""), "outside");
    ck_assert_int_eq(symlink("/etc/passwd", internf(c, "%s/link", folder)), 0);
    path_refused(external("\"location\": \"link\""), "lies outside the model's folder");
    ck_assert_int_eq(mkdir(internf(c, "%s/sub", folder), 0777), 0);
    path_refused(external("\"location\": \"sub\""), "is not a regular file");
    ck_assert_int_eq(mkfifo(internf(c, "%s/fifo", folder), 0666), 0);
    path_refused(external("\"location\": \"fifo\""), "is not a regular file");
    ck_assert_int_eq(symlink("../w.bin", internf(c, "%s/sub/in", folder)), 0);
    ck_assert_ptr_nonnull(read_path(external("\"location\": \"sub/in\"")));
    path_refused(file("s", "g () => (w) <string[1] w = [\"location\": \"w.bin\"]> {}", 52),
                 "strings cannot be external data");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        names, many_names, inputs, contradictions, an_input_that_a_call_leaves_out_is_no_output, frozen, declared,
        calls, order, nested_calls, subgraphs, formats, external_data_files,
    };
    return RUN("frontend", setup, teardown, tests);
}
