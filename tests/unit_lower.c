/* Unit tests of lowering. */
#include "graph_ops.h"

/* ---- lowering ---------------------------------------------------------------------------------------------------- */

/* Kernels by their texts, a line each. */
static const char *kernels(const Prog *p)
{
    const char *s = "";
    for (int i = 0; i < p->nkernels; i++)
        s = internf(c, "%s%s\n", s, p->kernels[i]->what);
    return s;
}

static int buffers(const Prog *p, BufKind kind)
{
    int n = 0;
    for (int i = 0; i < p->nbufs; i++)
        n += p->bufs[i]->kind == kind;
    return n;
}

/* Runs the program on one input; the first output, as bytes in the context's memory. */
static const void *ran(const Prog *p, const void *in)
{
    void **data = NEW_N(c, void *, p->nbufs);
    void *out = NULL;
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *buf = p->bufs[i];
        if (buf->kind == BUF_IN)
            data[i] = (void *)(uintptr_t)in;
        if (buf->kind == BUF_OUT) {
            data[i] = mem_alloc(c, buf_bytes(buf));
            out = buf->index == 0 ? data[i] : out;
        }
    }
    prog_run(c, p, data, true);
    return out;
}

START_TEST(nodes_become_kernels)
{
    Edge *x = input("x", type_of(DT_F32, 2, 2, 3)), *w = floats("w", 3, 1.0, 2.0, 3.0),
         *v = floats("v", 3, 1.0, 2.0, 3.0);
    Edge *t = NODE("Add", "t", x, w), *y = NODE("Add", "y", NODE("Relu", "r", t), v);
    Prog *p = graph_lower(c, graph_of(LIST(x), LIST(y)));
    ck_assert_str_eq(kernels(p), "Add t float[2,3]\nRelu r float[2,3]\nAdd y float[2,3]\n");
    ck_assert_int_eq(buffers(p, BUF_CONST), 1);
    ck_assert_int_eq(buffers(p, BUF_TEMP), 2);
    ck_assert_int_eq(p->nins + p->nouts, 2);
    static const float in[] = {1, -5, 3, 4, 5, -6}, out[] = {3, 2, 9, 6, 9, 3};
    ck_assert_mem_eq(ran(p, in), out, sizeof out);
}
END_TEST

START_TEST(outputs_are_copied_where_they_must)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)), *k = floats("k", 2, 1.0, 2.0), *y = NODE("Relu", "y", x),
         *z = NODE("Add", "z", y, y);
    Edge *known = NODE("Add", "known", k, k);
    Graph *g = graph_of(LIST(x), LIST(y, z, y, x, k, known));
    g->out_names = (const char *[]){"y", "z", "y again", "x", "k", "known"};
    Prog *p = graph_lower(c, g);
    ck_assert_str_eq(kernels(p),
                     "Relu y float[2]\nAdd z float[2]\nCopy y again float[2]\nCopy x float[2]\nCopy k float[2]\n"
                     "Copy known float[2]\n");
    ck_assert_int_eq(buffers(p, BUF_TEMP), 0);
    ck_assert_int_eq(buffers(p, BUF_OUT), 6);
    ck_assert_ptr_eq(p->kernels[0]->out, p->outs[0]);
}
END_TEST

START_TEST(bodies_are_lowered)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)), *y = NODE("Nested", "y", x), *z = NODE("Both", "z", y),
         *w = NODE("Double", "w", z);
    Prog *p = graph_lower(c, graph_of(LIST(x), LIST(w)));
    ck_assert_str_eq(kernels(p),
                     "Sqrt y/1 float[2]\nAdd y/3 float[2]\nAdd y/4 float[2]\nRelu y float[2]\nBoth z float[2]\n"
                     "Double w/half float[2]\nDouble w float[2]\n");
    static const float in[] = {4, 9}, out[] = {12, 18};
    ck_assert_mem_eq(ran(p, in), out, sizeof out);
}
END_TEST

START_TEST(narrow_and_complex_types_are_lowered)
{
    Edge *h = input("h", type_of(DT_F16, 1, 2)), *y = NODE("Add", "y", h, h);
    Prog *p = graph_lower(c, graph_of(LIST(h), LIST(y)));
    static const uint16_t in[] = {0x3C00, 0x7BFF}, out[] = {0x4000, 0x7C00};
    ck_assert_int_eq(p->kernels[0]->value->kind, E_CAST);
    ck_assert_mem_eq(ran(p, in), out, sizeof out);
    b = build_new(c, 0, NULL);
    static const float pair[] = {5, 6};
    Edge *z = input("z", type_of(DT_C64, 2, 1, 2)),
         *one = build_const(b, "k", tensor_of(c, type_of(DT_C64, 2, 1, 1), pair, 8), (Loc){0});
    Attr axis = attr_int(c, "axis", 1);
    Edge *cc = with("Concat", "c", 1, &axis, 2, z, one), *i = NODE("Reshape", "i", cc, ints("s", 1, 3));
    p = graph_lower(c, graph_of(LIST(z), LIST(i, z)));
    ck_assert_int_eq(p->outs[0]->rank, 2);
    ck_assert_int_eq(p->outs[0]->dt, DT_F32);
    static const float zs[] = {1, 2, 3, 4}, all[] = {1, 2, 3, 4, 5, 6};
    ck_assert_mem_eq(ran(p, zs), all, sizeof all);
}
END_TEST

START_TEST(empty_tensors_are_lowered)
{
    Edge *x = input("x", type_of(DT_F32, 2, 2, 0)), *y = NODE("Add", "y", x, build_scalar(b, DT_F32, 1));
    Edge *z = NODE("Double", "z", y), *r = NODE("Reshape", "r", z, ints("s", 3, 0, 5, 7)), *n = NODE("Nested", "n", r);
    Prog *p = graph_lower(c, graph_of(LIST(x), LIST(n, x)));
    ran(p, NULL);
    b = build_new(c, 0, NULL);
    Edge *s = input("s2", type_of(DT_STRING, 1, 0));
    ran(graph_lower(c, graph_of(LIST(s), LIST(NODE("Identity", "si", s)))), NULL);
    SILENT();
}
END_TEST

static void lower_it(Ctx *ctx, void *g)
{
    graph_lower(ctx, g);
}

START_TEST(faults_of_lowering_are_ours)
{
    Edge *x = input("x", type_of(DT_F32, 1, 2)), *y = NODE("ReadsMissing", "y", x);
    ck_assert(stops(lower_it, graph_of(LIST(x), LIST(y))));
    SAYS("burin: error: internal error: ReadsMissing (output 'y') reads input 1, which is left out\n");
    b = build_new(c, 0, NULL);
    Edge *z = input("z", type_of(DT_C64, 1, 0)), *other = input("q", type_of(DT_F32, 0));
    ck_assert(stops(lower_it, graph_of(LIST(z), LIST(other))));
    SAYS("burin: error: internal error: 'q' is read before it is computed\n");
}
END_TEST

START_TEST(equal_constants_are_one)
{
    Edge *x = input("x", type_of(DT_F32, 1, 600)), *sum = x;
    for (int i = 0; i < 40; i++) {
        Tensor *t = tensor_new(c, type_of(DT_F32, 1, 600));
        float v = (float)(i % 20);
        memcpy((char *)(uintptr_t)t->data + 4 * 333, &v, 4);
        sum = NODE("Add", "t", sum, build_const(b, "k", t, (Loc){0}));
    }
    Prog *p = graph_lower(c, graph_of(LIST(x), LIST(sum)));
    ck_assert_int_eq(buffers(p, BUF_CONST), 20);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        nodes_become_kernels, outputs_are_copied_where_they_must, bodies_are_lowered,
        narrow_and_complex_types_are_lowered, empty_tensors_are_lowered, faults_of_lowering_are_ours,
        equal_constants_are_one,
    };
    return RUN("lower", setup, context_free, tests);
}
