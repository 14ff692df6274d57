/* burin check: the emitted C, compiled and run on this machine, against the interpreter or given outputs. What is
 * interpreted is the graph as it was read, so that a fault of a pass shows as one of the compiler does, with
 * product-sums fused as the compiled program says that its are: equal bits are due where all functions are exact and no
 * flag of the user loosens C's rules. Two things a pass may do to bits, and then the passes are judged by themselves,
 * interpreted on both sides, and the C by the program that was emitted: what is folded has fused product-sums, also for
 * a machine without, and some passes round where --fast-math allows it. */
#include "emit.h"

/* ---- the outputs ------------------------------------------------------------------------------------------------- */

static Tensor **rooms(Ctx *c, const Prog *p, const EmitOptions *o)
{
    Tensor **out = NEW_N(c, Tensor *, p->nouts);
    for (int k = 0; k < p->nouts; k++) out[k] = harness_room(c, param_type(o, p->outs[k]));
    return out;
}

/* The outputs for these inputs; NULL: a fault was reported. */
static Tensor **compiled(Trial *t, const Tensor *const *in)
{
    const File *f = trial_run(t, in);
    if (!f) return NULL;
    Tensor **out = rooms(t->c, t->p, t->o);
    size_t at = 1;
    bool good = f->size > 0;
    if (good) t->fused = *f->data == '1';
    for (int k = 0; good && k < t->p->nouts; k++) good = harness_get(t->c, f, &at, out[k]);
    if (good && at == f->size) return out;
    error(t->c, (Loc){0}, "the compiled program did not write its outputs as expected");
    return NULL;
}

Tensor **interpreted(Ctx *c, const Prog *p, const EmitOptions *o, const Tensor *const *in, bool fused)
{
    void **data = NEW_N(c, void *, p->nbufs);
    Tensor **out = rooms(c, p, o);
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        if (b->kind == BUF_IN) data[i] = (void *)(uintptr_t)in[b->index]->data;
        if (b->kind == BUF_OUT) data[i] = (void *)(uintptr_t)out[b->index]->data;
    }
    prog_run(c, p, data, fused);
    return out;
}

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static const char *element_text(Ctx *c, const Tensor *t, int64_t i)
{
    const DType dt = t->type.dt;
    if (dt == DT_STRING) return internf(c, "\"%s\"", tensor_at_string(t, i));
    if (dt == DT_U64) return internf(c, "%llu", (unsigned long long)tensor_at_int(t, i));
    if (dtype_is_int(dt) || dt == DT_BOOL) return internf(c, "%lld", (long long)tensor_at_int(t, i));
    if (dtype_class(dt) == CLASS_COMPLEX) {
        Tensor part = {{dt == DT_C64 ? DT_F32 : DT_F64, 0, NULL}, t->data, 0};
        return internf(c, "(%.9g,%.9g)", tensor_at_double(&part, 2 * i), tensor_at_double(&part, 2 * i + 1));
    }
    return internf(c, dt == DT_F64 ? "%.17g" : "%.9g", tensor_at_double(t, i));
}

static const char *index_text(Ctx *c, Type t, int64_t flat)
{
    int64_t at[MAX_RANK];
    for (int i = t.rank; i-- > 0; flat /= t.dims[i]) at[i] = flat % t.dims[i];
    return dims_text(c, t.rank, at);
}

static void print_pair(FILE *f, Ctx *c, const Tensor *got, const Tensor *want, int64_t i)
{
    fprintf(f, " at %s (", index_text(c, want->type, i));
    print_escaped(f, element_text(c, got, i));
    fputs(", not ", f);
    print_escaped(f, element_text(c, want, i));
    fputc(')', f);
}

static double step_of(DType dt)                  /* of a 16-bit float, relative */
{
    return dt == DT_F16 ? 0x1p-10 : dt == DT_BF16 ? 0x1p-7 : 0;
}

typedef struct Limits { double rtol, atol; } Limits;

/* Unless the user says otherwise: bits, or the tolerance of the operators; against given outputs that of ONNX's own
 * test runner. Never finer than a step of a 16-bit float. */
static Limits limits_of(const Trial *t, const CheckOptions *k, const CheckSet *set, DType dt)
{
    const bool bits = !set->want && !t->loose && prog_exact(t->c, t->p) && prog_exact(t->c, k->graph);
    Limits l = {bits ? 0 : set->want ? 1e-3 : k->tolerance, bits ? 0 : set->want ? 1e-7 : k->tolerance};
    if (!bits) l.rtol = fmax(l.rtol, step_of(dt));
    if (k->rtol >= 0) l.rtol = k->rtol;
    if (k->atol >= 0) l.atol = k->atol;
    return l;
}

static void print_distance(FILE *f, Ctx *c, const Tensor *got, const Tensor *want, const Distance *d)
{
    fprintf(f, "greatest absolute error %.3g", d->abs);
    print_pair(f, c, got, want, d->abs_at);
    if (d->rel_at >= 0) fprintf(f, ", relative %.3g at %s", d->rel, index_text(c, want->type, d->rel_at));
}

/* graph: where what is due is not what the graph gives, but what the passes make of it; else NULL. */
static bool compare(FILE *f, Ctx *c, const char *name, const Tensor *got, const Tensor *want, const Tensor *graph,
                    Limits l)
{
    const Distance d = tensor_compare(got, want, l.rtol, l.atol);
    const bool text = want->type.dt == DT_STRING;
    print_escaped(f, name);
    fprintf(f, " %s: %s", type_text(c, want->type), d.wrong ? "FAIL" : "pass");
    if (d.wrong) fprintf(f, ", %lld of %lld differ", (long long)d.wrong, (long long)type_count(want->type));
    if (d.same) fprintf(f, ", every bit %s", graph ? "as the interpreter has it behind the passes" : "the same");
    if (d.wrong && text) print_pair(f, c, got, want, d.first);
    if (!d.same && !text) {
        fputs(", ", f);
        print_distance(f, c, got, want, &d);
        if (l.rtol == 0 && l.atol == 0) fputs("; every bit should be the same", f);
        else fprintf(f, "; rtol %.3g, atol %.3g", l.rtol, l.atol);
    }
    if (graph && !text) {
        const Distance far = tensor_compare(got, graph, 0, 0);
        fputs("; against the graph before them ", f);
        print_distance(f, c, got, graph, &far);
    }
    fputc('\n', f);
    return d.wrong == 0;
}

/* Output i, of one whose size depends on data the valid part; NULL: its dimensions are out of bounds. */
static const Tensor *valid_part(Trial *t, const Tensor *const *out, int i)
{
    for (int k = 0; k < t->o->ncounts; k++) {
        if (t->o->counted[k] != i) continue;
        const Tensor *dims = out[t->p->nouts - t->o->ncounts + k];
        for (int d = 0; d < out[i]->type.rank; d++)
            if (tensor_at_int(dims, d) < 0 || tensor_at_int(dims, d) > out[i]->type.dims[d]) return NULL;
        return tensor_front(t->c, out[i], dims);
    }
    return out[i];
}

static bool compare_valid(FILE *f, Trial *t, int i, const Tensor *got, const Tensor *want, const Tensor *graph,
                          Limits l)
{
    if (graph && (!got || !type_same(got->type, graph->type) || tensor_same(got, graph))) graph = NULL;
    if (got && type_same(got->type, want->type)) return compare(f, t->c, t->p->outs[i]->name, got, want, graph, l);
    print_escaped(f, t->p->outs[i]->name);
    fprintf(f, " %s: FAIL, its true dimensions are %s\n", type_text(t->c, want->type),
            got ? dims_text(t->c, got->type.rank, got->type.dims) : "out of bounds");
    return false;
}

typedef const Tensor *const *Outputs;

static Outputs runs(Trial *t, const Prog *p, Outputs in, bool fused)
{
    return (Outputs)interpreted(t->c, p, t->o, in, fused);
}

/* Whether output i is the same, within limits. */
static bool alike(Trial *t, Outputs got, Outputs want, int i, Limits l)
{
    const Tensor *a = valid_part(t, got, i), *b = valid_part(t, want, i);
    return a && b && type_same(a->type, b->type) && !tensor_compare(a, b, l.rtol, l.atol).wrong;
}

/* What passes may round, as --check-passes has it: a share of the greatest there is. Of what is counted or stored in
 * few bits a rounding may be a whole step, which tells nothing. */
static Limits rounding(const Tensor *t)
{
    const DType dt = t->type.dt;
    if (dt != DT_F32 && dt != DT_F64 && !step_of(dt)) return (Limits){0, INFINITY};
    double most = 0;
    for (int64_t i = 0; i < type_count(t->type); i++) {
        const double v = fabs(tensor_at_double(t, i));
        if (isfinite(v)) most = fmax(most, v);
    }
    return (Limits){0, fmax(1e-4, step_of(dt)) * most};
}

/* What is due: what the graph gives; but what the program as planned gives, where the passes changed bits as they may.
 * Then `graph` is the other, for people to see how far that is. */
typedef struct Due { Outputs want, graph; } Due;

static Due due_of(Trial *t, const CheckOptions *k, const CheckSet *set, Outputs got)
{
    const int n = t->p->nouts - t->o->ncounts;
    const Outputs graph = runs(t, k->graph, set->in, t->fused);
    bool same = true;
    for (int i = 0; i < n; i++) same &= alike(t, got, graph, i, limits_of(t, k, set, t->p->outs[i]->dt));
    if (same) return (Due){graph, NULL};
    const bool fused = t->fused || !k->rounds;   /* what rounds may also round as folding does */
    const Outputs planned = runs(t, t->p, set->in, fused);
    const Outputs before = fused == t->fused ? graph : runs(t, k->graph, set->in, fused);
    same = true;
    for (int i = 0; i < n; i++)
        same &= alike(t, planned, before, i, k->rounds ? rounding(before[i]) : (Limits){0, 0});
    if (same) return (Due){fused == t->fused ? planned : runs(t, t->p, set->in, t->fused), graph};
    error(t->c, (Loc){0}, "the passes change what the graph computes: --check-passes names the first that does");
    return (Due){graph, NULL};
}

typedef struct Results { Outputs got; Due due; } Results;

/* Compiles, runs every set, removes the folder, then interprets what has no given outputs. NULL: reported. */
static Results *results(Trial *t, const CheckOptions *k, int nsets, const CheckSet *sets)
{
    Results *r = NEW_N(t->c, Results, nsets + 1);
    bool good = trial_make(t);
    for (int s = 0; good && s < nsets; s++) good = (r[s].got = (Outputs)compiled(t, sets[s].in)) != NULL;
    folder_remove(t->folder);
    for (int s = 0; good && s < nsets; s++)
        r[s].due = sets[s].want ? (Due){sets[s].want, NULL} : due_of(t, k, &sets[s], r[s].got);
    return good ? r : NULL;
}

void check_prog(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o, const CheckOptions *k, int nsets,
                const CheckSet *sets)
{
    Trial t = {.c = c, .p = p, .o = o};
    const Results *r = results(&t, k, nsets, sets);
    const int n = p->nouts - o->ncounts;
    int failed = 0;
    for (int s = 0; r && s < nsets; s++)
        for (int i = 0; i < n; i++) {
            if (sets[s].name) fprintf(f, "%s: ", sets[s].name);
            const Due *due = &r[s].due;
            const Tensor *want = sets[s].want ? sets[s].want[i] : valid_part(&t, due->want, i);
            const Tensor *graph = due->graph ? valid_part(&t, due->graph, i) : NULL;
            const Tensor *got = valid_part(&t, r[s].got, i);
            failed += !compare_valid(f, &t, i, got, want, graph, limits_of(&t, k, &sets[s], p->outs[i]->dt));
        }
    if (failed)
        error(c, (Loc){0}, "the compiled program differs in %d of %d output%s", failed, nsets * n,
              nsets * n == 1 ? "" : "s");
}

int check_first(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o, const CheckOptions *k, const CheckSet *set)
{
    Trial t = {.c = c, .p = p, .o = o};
    const Results *r = results(&t, k, 1, set);
    for (int i = 0; r && i < p->nouts; i++) {
        const Limits l = limits_of(&t, k, set, p->outs[i]->dt);
        if (!tensor_compare(r->got[i], r->due.want[i], l.rtol, l.atol).wrong) continue;
        compare(f, c, p->outs[i]->name, r->got[i], r->due.want[i], NULL, l);
        return i;
    }
    return -1;
}
