/* How far a tensor is from another of its type. Floats (of complex numbers each part) within atol + rtol·|wanted|, any
 * NaN being like any other; with both tolerances 0, bit for bit. Integers and bools likewise, by their distance;
 * strings are equal or not. */
#include "base.h"

typedef struct Pair { double got, want; bool same; } Pair;

/* Element i, or part i of complex elements. */
static Pair pair_at(const Tensor *got, const Tensor *want, int64_t i)
{
    const DType dt = want->type.dt;
    Pair p = {tensor_at_double(got, i), tensor_at_double(want, i), false};
    if (dt == DT_STRING) p.same = !strcmp(tensor_at_string(got, i), tensor_at_string(want, i));
    else if (dtype_is_float(dt)) p.same = (isnan(p.got) && isnan(p.want)) ||
                                          (p.got == p.want && signbit(p.got) == signbit(p.want));
    else p.same = tensor_at_int(got, i) == tensor_at_int(want, i);
    return p;
}

static Tensor parts(const Tensor *t)
{
    const int bytes = dtype_bits(t->type.dt) / 16;
    Tensor r = *t;
    r.type.dt = bytes == 4 ? DT_F32 : DT_F64;
    return r;
}

static void see(Distance *d, Pair p, int64_t i, double rtol, double atol)
{
    if (p.same) return;
    d->same = false;
    double abs = p.got == p.want ? 0 : fabs(p.got - p.want);
    if (isnan(abs)) abs = (double)INFINITY;          /* a NaN is as far away as can be */
    const double rel = isfinite(abs) && isfinite(p.want) ? abs / fabs(p.want) : abs;
    if (abs > d->abs || d->abs_at < 0) d->abs = abs, d->abs_at = i;
    if (p.want != 0 && (rel > d->rel || d->rel_at < 0)) d->rel = rel, d->rel_at = i;
    const bool exact = rtol == 0 && atol == 0;
    if (!exact && (p.got == p.want || (isfinite(p.want) && abs <= atol + rtol * fabs(p.want)))) return;
    if (d->wrong++ == 0) d->first = i;
}

Distance tensor_compare(const Tensor *got, const Tensor *want, double rtol, double atol)
{
    const bool complex = dtype_class(want->type.dt) == CLASS_COMPLEX;
    const int64_t n = type_count(want->type) * (complex ? 2 : 1);
    const Tensor a = complex ? parts(got) : *got, b = complex ? parts(want) : *want;
    Distance d = {.same = true, .abs_at = -1, .rel_at = -1, .first = -1};
    for (int64_t i = 0; i < n; i++) see(&d, pair_at(&a, &b, i), i, rtol, atol);
    int64_t *const places[] = {&d.abs_at, &d.rel_at, &d.first};
    for (int k = 0; k < COUNT(places); k++)
        if (complex && *places[k] > 0) *places[k] /= 2;
    return d;
}
