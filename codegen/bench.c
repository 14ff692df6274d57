/* burin bench: the emitted C, compiled and timed on this machine: each kernel and all of them, against the peaks that
 * meter.c's loops reach with the same compiler and flags. Operations are those that the C carries out, a product-sum
 * counting as two; of a kernel's bytes each counts once, however often it is read again from a cache.
 *
 * The clock is read behind every kernel; what that takes is subtracted. As the processor goes on meanwhile, a kernel of
 * a fraction of that time cannot be told: its row says below what it is, and no more. The whole call is timed without
 * the clock, too. */
#include "draw.h"

typedef struct Row { const Kernel *k; double seconds, ops, bytes; } Row;
typedef struct Bench {
    const char *name, *how;          /* of the graph; the compiler's command */
    double rounds, products, copy, whole;    /* rates and seconds of one call, as the enum of emit.h has them */
    double least;                    /* seconds of a kernel that can be told */
    int64_t copied;
    Row total;
    int n, slowest; Row *rows;
} Bench;

static Row row_of(Ctx *c, const Kernel *k, double seconds)
{
    return (Row){k, fmax(seconds, 0), (double)kernel_ops(c, k), (double)kernel_touched(c, k)};
}

/* false: reported. */
static bool measured(Ctx *c, const Prog *p, const EmitOptions *o, const Tensor *const *in, Bench *b)
{
    Trial t = {.c = c, .p = p, .o = o, .flags = "-march=native -ffp-contract=off"};
    const Kernel **live = NEW_N(c, const Kernel *, p->nkernels);
    const File *f = trial_make(&t) ? trial_run(&t, in) : NULL;
    folder_remove(t.folder);
    if (!f) return false;
    b->n = kernels_live(c, p, live);
    double *x = NEW_N(c, double, METER_KERNELS + b->n);
    if (f->size != (size_t)(METER_KERNELS + b->n) * sizeof *x) {
        error(c, (Loc){0}, "the compiled program did not write what it measured as expected");
        return false;
    }
    memcpy(x, f->data, f->size);
    *b = (Bench){.name = p->name, .how = t.how, .rounds = x[METER_ROUNDS], .products = x[METER_PRODUCTS],
                 .copy = x[METER_COPY], .whole = x[METER_WHOLE], .least = x[METER_CLOCK] / 4,
                 .copied = meter_bytes(c, p, o), .n = b->n, .rows = NEW_N(c, Row, b->n + 1)};
    for (int i = 0; i < b->n; i++) {
        Row *r = &b->rows[i];
        *r = row_of(c, live[i], x[METER_KERNELS + i] - x[METER_CLOCK]);
        b->total.seconds += r->seconds;
        b->total.ops += r->ops;
        b->total.bytes += r->bytes;
        if (r->seconds > b->rows[b->slowest].seconds) b->slowest = i;
    }
    return true;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* A quotient, 0 where there is nothing to divide by: a call that does nothing. */
static double per(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void print_rates(FILE *f, const Bench *b, const Row *r)
{
    const double ops = per(r->ops, r->seconds), bytes = per(r->bytes, r->seconds);
    fprintf(f, "%9.2f %6.1f %% %9.2f %6.1f %%  ", 1e-9 * ops, 100 * per(ops, b->products), 1e-9 * bytes,
            100 * per(bytes, b->copy));
}

static void print_row(FILE *f, const Bench *b, const Row *r)
{
    if (r->seconds <= b->least) {
        char bound[40];
        snprintf(bound, sizeof bound, "<%.3f", fmax(1e6 * b->least, 1e-3));
        fprintf(f, "%12s us %8s %9s %8s %9s %8s  ", bound, "-", "-", "-", "-", "-");
        return;
    }
    fprintf(f, "%12.*f us %6.1f %% ", b->whole < 1e-7 ? 4 : 2, 1e6 * r->seconds, 100 * r->seconds / b->total.seconds);
    print_rates(f, b, r);
}

static void print_table(FILE *f, const Bench *b)
{
    Row whole = b->total;
    whole.seconds = b->whole;
    print_escaped(f, b->how);
    fprintf(f, "\nmedians of %.0f rounds\n\npeak of this machine: %.2f GFLOP/s (product-sums in registers), %.2f GB/s "
            "(copy, %lld bytes in all)\n\n", b->rounds, 1e-9 * b->products, 1e-9 * b->copy, (long long)b->copied);
    fprintf(f, "%15s %8s %9s %8s %9s %8s  kernel\n", "time", "share", "GFLOP/s", "of peak", "GB/s", "of peak");
    for (int i = 0; i < b->n; i++) {
        print_row(f, b, &b->rows[i]);
        print_escaped(f, b->rows[i].k->what ? b->rows[i].k->what : "");
        fputs(i == b->slowest && b->n > 1 && b->rows[i].seconds > b->least ? "  <- slowest\n" : "\n", f);
    }
    print_row(f, b, &b->total);
    fputs("total\n", f);
    fprintf(f, "%12.*f us %8s ", b->whole < 1e-7 ? 4 : 2, 1e6 * whole.seconds, "-");
    print_rates(f, b, &whole);
    fputs("one call, the clock read at its ends only\n", f);
    if (b->total.seconds < b->whole / 2)
        fputs("\nThe kernels are too short for the clock between them: the last line alone counts.\n", f);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_figures(FILE *f, const Row *r)
{
    fprintf(f, "\"seconds\": %.9g, \"operations\": %.0f, \"bytes\": %.0f", r->seconds, r->ops, r->bytes);
}

static void print_json(FILE *f, const Bench *b)
{
    fputs("{\n  \"burin\": \"" BURIN_VERSION "\",\n  \"name\": ", f);
    json_string(f, b->name);
    fputs(",\n  \"compiler\": ", f);
    json_string(f, b->how);
    fprintf(f, ",\n  \"rounds\": %.0f,\n  \"peak_flops\": %.9g,\n  \"peak_bytes_per_second\": %.9g,\n  ", b->rounds,
            b->products, b->copy);
    fprintf(f, "\"least_seconds\": %.9g,\n  ", b->least);
    json_number(f, "copied_bytes", b->copied, ",\n  ");
    fprintf(f, "\"call_seconds\": %.9g,\n  \"total\": {", b->whole);
    json_figures(f, &b->total);
    fputs("},\n  \"kernels\": [", f);
    for (int i = 0; i < b->n; i++) {
        fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", f);
        json_string(f, b->rows[i].k->what);
        fputs(", \"output\": ", f);
        json_string(f, b->rows[i].k->out->name);
        fputs(", ", f);
        json_figures(f, &b->rows[i]);
        fputc('}', f);
    }
    fputs(b->n ? "\n  ]\n}\n" : "]\n}\n", f);
}

void bench_prog(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o, const Tensor *const *in, bool json)
{
    EmitOptions own = *o;
    Bench b = {.n = 0};
    own.steps = true;
    if (!measured(c, p, &own, in, &b)) return;
    if (json) print_json(f, &b);
    else print_table(f, &b);
}
