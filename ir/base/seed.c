/* Tensors of seeded values, the same on every machine: inputs for checks when a user gives none. Values are small and
 * exact in every type of their class, so that sums stay exact for a while and differences mean something. */
#include "base.h"

static uint64_t mix(uint64_t x)      /* splitmix64's finaliser */
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void put(DType dt, unsigned char *at, uint64_t r)
{
    const float f = (float)((int64_t)(r % 513) - 256) / 128;      /* -2 .. 2 */
    const double d = (double)f;
    const uint16_t h = dt == DT_BF16 ? f32_to_bf16(f) : f32_to_f16(f);
    const int64_t i = dtype_class(dt) == CLASS_INT ? (int64_t)(r % 17) - 8 : (int64_t)(r % 17);
    switch (dt) {
    case DT_F32: memcpy(at, &f, 4); return;
    case DT_F64: memcpy(at, &d, 8); return;
    case DT_F16:
    case DT_BF16: memcpy(at, &h, 2); return;
    case DT_BOOL: *at = r & 1; return;
    default: break;
    }
    for (int k = 0; k < dtype_bits(dt) / 8; k++) at[k] = (unsigned char)((uint64_t)i >> 8 * k);
    if (dtype_is_float(dt)) *at = f32_to_f8(dt, f, true);
    if (dtype_bits(dt) < 8) *at = (unsigned char)r;
}

Tensor *tensor_seeded(Ctx *c, Type t, uint64_t seed)
{
    static const char *const words[] = {"", "a", "bc", "def", "Zürich"};
    Tensor *to = tensor_new(c, t);
    unsigned char *at = (unsigned char *)(uintptr_t)to->data;
    const bool complex = dtype_class(t.dt) == CLASS_COMPLEX;
    const DType part = t.dt == DT_C64 ? DT_F32 : t.dt == DT_C128 ? DT_F64 : t.dt;
    const size_t step = dtype_bits(part) < 8 ? 1 : (size_t)dtype_bits(part) / 8;
    const size_t n = complex || dtype_bits(part) >= 8 ? to->bytes / step : to->bytes;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = mix((seed + 1) * 0x9e3779b97f4a7c15u + i);
        if (t.dt == DT_STRING) ((const char **)(void *)at)[i] = words[r % COUNT(words)];
        else put(part, at + i * step, r >> 11);
    }
    return to;
}
