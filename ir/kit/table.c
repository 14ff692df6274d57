/* Tables: tensors that a meaning computes when it is built, to be constants of the program. */
#include "kit.h"

void table_set(Tensor *t, int64_t i, Value v)
{
    scalar_write(t->type.dt, (void *)(uintptr_t)t->data, i, v);
}

void table_put(Tensor *t, int64_t i, double v)
{
    DType dt = t->type.dt, math = math_type(dt);
    Value value = {0};
    if (math == DT_F64)
        value.d = v;
    else
        value.f = (float)v;
    table_set(t, i, math == dt ? value : scalar_cast(dt, math, value));
}

/* Brought into the first eighth, where the series converge fast; so it is the same on every machine. */
double turn_cos(int64_t k, int64_t n)
{
    double sign = 1;
    k = (k % n + n) % n;
    k = 2 * k > n ? n - k : k; /* half a turn */
    if (4 * k > n) {
        sign = -1; /* cos(half - x) = -cos(x) */
        k = n - 2 * k;
        n = 2 * n;
    }
    bool sine = 8 * k > n; /* cos(x) = sin(quarter - x) */
    double x = 6.283185307179586476925 * (sine ? (double)(n - 4 * k) / (double)(4 * n) : (double)k / (double)n);
    double term = sine ? x : 1, sum = term;
    for (int i = sine ? 2 : 1; i < 22; i += 2) {
        term *= -x * x / (double)(i * (i + 1));
        sum += term;
    }
    return sign * sum;
}
