/* What a program takes, and what the machine can do: the part of the program of `burin bench` that measures, compiled
 * with the same compiler and flags as what it measures. Plain C: of product-sums in registers, in two loops of which
 * one or the other suits a compiler, the faster; of memory a copy with a product (what is no more than a copy becomes
 * memcpy) between buffers that are together as long as all of the model's, so that it meets the same caches.
 *
 * Everything is measured in turn, round by round, and the medians are taken: other work on the machine then disturbs
 * the peaks as it does the model. What counts is the processor's time; but the clock between the kernels of a short
 * call is the one that is read in no time, and the medians leave out the calls that were interrupted. */
#include "emit.h"

enum { LEAST = 1 << 15, MOST = 1 << 27, BLOCK = 1024 };

static const char clocks[] =
    "static clockid_t between = CLOCK_MONOTONIC;\n"
    "\n"
    "static double read_clock(clockid_t which)\n"
    "{\n"
    "    struct timespec t;\n"
    "    clock_gettime(which, &t);\n"
    "    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;\n"
    "}\n"
    "\n"
    "static double now(void)\n"
    "{\n"
    "    return read_clock(CLOCK_PROCESS_CPUTIME_ID);\n"
    "}\n"
    "\n"
    "static double last, spent[STEPS + 1];\n"
    "static int timing;\n"
    "static volatile float half = 0.5F, one = 1.0F, sink;\n"
    "\n"
    "static void step(int kernel)\n"
    "{\n"
    "    if (!timing) return;\n"
    "    const double t = read_clock(between);\n"
    "    spent[kernel] += t - last;\n"
    "    last = t;\n"
    "}\n"
    "\n";

/* One loop of product-sums, over so many registers. */
static void print_products(FILE *f, int rows)
{
    fprintf(f, "static float products_%d(int n, float a, float b)\n{\n    float sum = 0.0F;\n", rows);
    for (int r = 0; r < rows; r++) fprintf(f, "    float c%d[WIDTH];\n", r);
    fputs("    for (int j = 0; j < WIDTH; j++) {\n", f);
    for (int r = 0; r < rows; r++) fprintf(f, "        c%d[j] = %d.0F;\n", r, r);
    fputs("    }\n    BENCH_ROLLED\n    for (int i = 0; i < n; i++) {\n        BENCH_LANES(WIDTH)\n"
          "        for (int j = 0; j < WIDTH; j++) {\n", f);
    for (int r = 0; r < rows; r++)
        fprintf(f, "%s            c%d[j] = bench_mad_f32(c%d[j], a, b);\n",
                r ? "            BENCH_ALSO(int, j, WIDTH)\n" : "", r, r);
    fputs("        }\n    }\n    for (int j = 0; j < WIDTH; j++) {\n", f);
    for (int r = 0; r < rows; r++) fprintf(f, "        sum += c%d[j];\n", r);
    fputs("    }\n    return sum;\n}\n\n", f);
}

static const char peaks[] =
    "static void copy(float *restrict to, const float *restrict from, int blocks, float by)\n"
    "{\n"
    "    for (int i = 0; i < blocks; i++, to += BLOCK, from += BLOCK) {\n"
    "        BENCH_EACH\n"
    "        for (int j = 0; j < BLOCK; j++) to[j] = by * from[j];\n"
    "    }\n"
    "}\n"
    "\n"
    "static double product_rate(void)\n"
    "{\n"
    "    enum { N = 40000 };\n"
    "    double a = now();\n"
    "    sink = products_8(N, half, one);\n"
    "    a = now() - a;\n"
    "    double b = now();\n"
    "    sink = products_12(N, half, one);\n"
    "    b = now() - b;\n"
    "    a = 2.0 * 8 * WIDTH * N / a;\n"
    "    b = 2.0 * 12 * WIDTH * N / b;\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "\n"
    "static double copy_rate(float *to, float *from)\n"
    "{\n"
    "    enum { TIMES = 1 + 1000 / BLOCKS };\n"
    "    copy(to, from, BLOCKS, half);\n"
    "    double t = now();\n"
    "    for (int i = 0; i < TIMES; i++) copy(to, from, BLOCKS, half);\n"
    "    t = now() - t;\n"
    "    sink = to[0];\n"
    "    return 2.0 * sizeof(float) * BLOCK * BLOCKS * TIMES / t;\n"
    "}\n"
    "\n";

/* A round takes about 1 ms of calls, or three calls; all of them about a second, or three rounds. */
static const char rounds[] =
    "static int by_value(const void *a, const void *b)\n"
    "{\n"
    "    const double x = *(const double *)a, y = *(const double *)b;\n"
    "    return (x > y) - (x < y);\n"
    "}\n"
    "\n"
    "static double call_seconds(int calls)\n"
    "{\n"
    "    const double t = now();\n"
    "    for (int i = 0; i < calls; i++) {\n"
    "        put_inputs();\n"
    "        if (timing) last = read_clock(between);\n"
    "        call();\n"
    "    }\n"
    "    return (now() - t) / calls;\n"
    "}\n"
    "\n"
    "static double clock_seconds(void)\n"
    "{\n"
    "    enum { N = 100 };\n"
    "    spent[STEPS] = 0;\n"
    "    last = read_clock(between);\n"
    "    for (int i = 0; i < N; i++) step(STEPS);\n"
    "    return spent[STEPS] / N;\n"
    "}\n"
    "\n"
    "static void measure_round(double *x, int n, int calls, float *to, float *from)\n"
    "{\n"
    "    x[0] = product_rate();\n"
    "    x[n] = copy_rate(to, from);\n"
    "    call_seconds(1);\n"
    "    x[2 * n] = call_seconds(calls);\n"
    "    timing = 1;\n"
    "    x[3 * n] = clock_seconds();\n"
    "    for (int k = 0; k < STEPS; k++) spent[k] = 0;\n"
    "    call_seconds(calls);\n"
    "    timing = 0;\n"
    "    for (int k = 0; k < STEPS; k++) x[(4 + (size_t)k) * (size_t)n] = spent[k] / calls;\n"
    "}\n"
    "\n"
    "static void measure(FILE *out)\n"
    "{\n"
    "    call_seconds(1);\n"
    "    const double once = call_seconds(1) + 1e-7;\n"
    "    if (once > 1e-3) between = CLOCK_PROCESS_CPUTIME_ID;\n"
    "    const int calls = once < 5e-4 ? (int)(5e-4 / once) : 1;\n"
    "    double n = 0.2 / (once * calls);\n"
    "    const int count = n > 50 ? 101 : n < 1 ? 3 : 2 * (int)n + 1;\n"
    "    double *x = room((size_t)count * (4 + STEPS) * sizeof *x);\n"
    "    float *to = room(sizeof(float) * BLOCK * BLOCKS), *from = room(sizeof(float) * BLOCK * BLOCKS);\n"
    "    for (int i = 0; i < count; i++) measure_round(x + i, count, calls, to, from);\n"
    "    n = count;\n"
    "    fwrite(&n, sizeof n, 1, out);\n"
    "    for (size_t k = 0; k < 4 + STEPS; k++) {\n"
    "        qsort(x + k * (size_t)count, (size_t)count, sizeof *x, by_value);\n"
    "        fwrite(x + k * (size_t)count + count / 2, sizeof *x, 1, out);\n"
    "    }\n"
    "    free(x);\n"
    "    free(to);\n"
    "    free(from);\n"
    "}\n"
    "\n";

int64_t meter_bytes(Ctx *c, const Prog *p, const EmitOptions *o)
{
    const Sizes s = prog_sizes(c, p, o);
    const int64_t all = bytes_sum(ram_of(&s) - s.stack, s.flash);
    const int64_t unit = (int64_t)(2 * sizeof(float)) * BLOCK;
    return (all < LEAST ? LEAST : all > MOST ? MOST : all) / unit * unit;
}

/* As of a model with all kinds of loops. */
static Emit loops_of(Ctx *c, const EmitOptions *o)
{
    Sheet *some = NEW(c, Sheet);
    some->n = 1;
    return (Emit){.c = c, .o = o, .upper = "BENCH", .body = some, .lanes = true, .each = true, .rolled = true};
}

void meter_print(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o)
{
    Emit e = loops_of(c, o);
    const int n = kernels_live(c, p, NEW_N(c, const Kernel *, p->nkernels));
    const long long blocks = (long long)(meter_bytes(c, p, o) / (int64_t)(2 * sizeof(float)) / BLOCK);
    fprintf(f, "enum { STEPS = %d, BLOCK = %d, BLOCKS = %lld };\n\n%s", n, BLOCK, blocks, clocks);
    fprintf(f, "void %s_step(int k);\nvoid %s_step(int k)\n{\n    step(k);\n}\n\n", o->prefix, o->prefix);
    print_isa(&e, f);
    print_lane_macros(&e, f);
    helper_print(f, helper_of(OP_mad, DT_F32), "bench", o->isa ? "BENCH_FMA" : NULL);
    fputs("enum { WIDTH = BENCH_LANES_MOST };\n\n", f);
    print_products(f, 8);
    print_products(f, 12);
    fputs(peaks, f);
    fputs(rounds, f);
}

void meter_end(FILE *f, Ctx *c, const EmitOptions *o)
{
    Emit e = loops_of(c, o);
    print_lanes_end(&e, f);
}
