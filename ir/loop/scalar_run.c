/* The scalar operators, run: the texts of scalar.def and cast.def compiled as they stand, once for each type.
 *
 * Single and double precision are compiled twice, with MAD as one rounding and as two, because burin's own functions
 * use MAD as well. Contraction must be off here, or the second kind would be the first where the host has FMA. A
 * float's Value has zeros beside its four bytes, so equal bits are equal u. */
#include "scalar.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Where fma is a call that looks for the instruction, burin's own functions are compiled once more with it: the same
 * values, sooner. */
#if defined __x86_64__ && !defined __FMA__
#define HAVE_FMA __attribute__((target("fma")))
#define HOST_FMA __builtin_cpu_supports("fma")
#else
#define fns_f32_fma fns_f32_fused
#define HOST_FMA true
#endif

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

#define CALL(name) name
#define HELP(name, R, params, ...) static inline R name params { return __VA_ARGS__; }
#define HELP_BLOCK(name, R, params, ...) static inline R name params __VA_ARGS__
#include "cast.def"

/* ---- operators --------------------------------------------------------------------------------------------------- */

#define WITH
#define IN_ONE(x, y, z) FN(fma)(x, y, z)
#define IN_TWO(x, y, z) ((x) * (y) + (z))

#define LIT(x) x##F
#define FN(name) name##f
#define MAD IN_TWO
#define T float
#define TAG f32
#define IS_F32
#define GET(v) (v).f
#define PUT(r, x) ((r).f = (x))
#include "scalar_fn.def"

#undef MAD
#define MAD IN_ONE
#define T float
#define TAG f32_fused
#define IS_F32
#define GET(v) (v).f
#define PUT(r, x) ((r).f = (x))
#include "scalar_fn.def"

#ifdef HAVE_FMA
#undef WITH
#define WITH HAVE_FMA
#define T float
#define TAG f32_fma
#define IS_F32
#define GET(v) (v).f
#define PUT(r, x) ((r).f = (x))
#include "scalar_fn.def"
#undef WITH
#define WITH
#endif

#undef LIT
#undef FN
#undef MAD
#define LIT(x) x
#define FN(name) name
#define MAD IN_TWO
#define T double
#define TAG f64
#define IS_F64
#define GET(v) (v).d
#define PUT(r, x) ((r).d = (x))
#include "scalar_fn.def"

#undef MAD
#define MAD IN_ONE
#define T double
#define TAG f64_fused
#define IS_F64
#define GET(v) (v).d
#define PUT(r, x) ((r).d = (x))
#include "scalar_fn.def"

#undef LIT
#undef FN
#undef MAD

#define U uint32_t
#define T int8_t
#define TAG i8
#define IS_SINT
#define GET(v) (int8_t)(v).i
#define PUT(r, x) ((r).i = (x))
#include "scalar_fn.def"

#define T int16_t
#define TAG i16
#define IS_SINT
#define GET(v) (int16_t)(v).i
#define PUT(r, x) ((r).i = (x))
#include "scalar_fn.def"

#define T int32_t
#define TAG i32
#define IS_SINT
#define GET(v) (int32_t)(v).i
#define PUT(r, x) ((r).i = (x))
#include "scalar_fn.def"

#define T uint8_t
#define TAG u8
#define IS_UINT
#define GET(v) (uint8_t)(v).u
#define PUT(r, x) ((r).u = (x))
#include "scalar_fn.def"

#define T uint16_t
#define TAG u16
#define IS_UINT
#define GET(v) (uint16_t)(v).u
#define PUT(r, x) ((r).u = (x))
#include "scalar_fn.def"

#define T uint32_t
#define TAG u32
#define IS_UINT
#define GET(v) (uint32_t)(v).u
#define PUT(r, x) ((r).u = (x))
#include "scalar_fn.def"

#undef U
#define U uint64_t
#define T int64_t
#define TAG i64
#define IS_SINT
#define GET(v) (v).i
#define PUT(r, x) ((r).i = (x))
#include "scalar_fn.def"

#define T uint64_t
#define TAG u64
#define IS_UINT
#define GET(v) (v).u
#define PUT(r, x) ((r).u = (x))
#include "scalar_fn.def"
#undef U

#define T bool
#define TAG b8
#define IS_BOOL
#define GET(v) ((v).i != 0)
#define PUT(r, x) ((r).i = (x))
#include "scalar_fn.def"

#define T const char *
#define TAG str
#define IS_STR
#define GET(v) (v).s
#define PUT(r, x) ((r).s = (x))
#include "scalar_fn.def"

static const struct ScalarEntry *entry_of(ScalarOp op, DType arg, bool fused)
{
    switch (arg) {
    case DT_F32:    return !fused ? &fns_f32[op] : HOST_FMA ? &fns_f32_fma[op] : &fns_f32_fused[op];
    case DT_F64:    return fused ? &fns_f64_fused[op] : &fns_f64[op];
    case DT_I8:     return &fns_i8[op];
    case DT_I16:    return &fns_i16[op];
    case DT_I32:    return &fns_i32[op];
    case DT_I64:    return &fns_i64[op];
    case DT_U8:     return &fns_u8[op];
    case DT_U16:    return &fns_u16[op];
    case DT_U32:    return &fns_u32[op];
    case DT_U64:    return &fns_u64[op];
    case DT_BOOL:   return &fns_b8[op];
    case DT_STRING: return &fns_str[op];
    default:        return NULL;
    }
}

ScalarFn scalar_fn(ScalarOp op, DType arg, bool fused)
{
    const struct ScalarEntry *e = entry_of(op, arg, fused);
    return e ? e->fn : NULL;
}

WriteFn scalar_write_fn(ScalarOp op, DType arg)
{
    const struct ScalarEntry *e = entry_of(op, arg, false);
    return e ? e->write : NULL;
}

Value scalar_eval(ScalarOp op, DType arg, const Value *args, bool fused)
{
    int n = op_arity(op);
    return scalar_fn(op, arg, fused)(args[0], args[n > 1], args[n > 2 ? 2 : 0]);
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

/* From each type that cast_decode leaves: one function for each type to convert to. */
#define INTS(X, from) X(I8, i8, from) X(I16, i16, from) X(I32, i32, from) X(I64, i64, from) \
    X(U8, u8, from) X(U16, u16, from) X(U32, u32, from) X(U64, u64, from)
#define SUBS(X, from) X(I2, i2, from) X(U2, u2, from) X(I4, i4, from) X(U4, u4, from)
#define NARROW(X, from) X(F16, f16, from) X(BF16, bf16, from) X(F8E4M3, f8e4m3, from) X(F8E4M3Z, f8e4m3z, from) \
    X(F8E5M2, f8e5m2, from) X(F8E5M2Z, f8e5m2z, from) X(F4E2M1, f4e2m1, from) X(F8E8M0, f8e8m0, from)

#define TO(tag, from, field, x) static Value to_##tag##_##from(Value v) { Value r = { 0 }; r.field = (x); return r; }
#define C_i8 int8_t
#define C_i16 int16_t
#define C_i32 int32_t
#define C_i64 int64_t
#define C_u8 uint8_t
#define C_u16 uint16_t
#define C_u32 uint32_t
#define C_u64 uint64_t
#define K_i8 i
#define K_i16 i
#define K_i32 i
#define K_i64 i
#define K_u8 u
#define K_u16 u
#define K_u32 u
#define K_u64 u
#define K_i2 i
#define K_i4 i
#define K_u2 u
#define K_u4 u
#define S_OF(v) (v).i
#define U_OF(v) (v).u
#define f32_OF(v) (v).f
#define f64_OF(v) (v).d

#define INT_OF_INT(id, tag, from) TO(tag, from, K_##tag, (C_##tag)from##_OF(v))
#define INT_OF_FLOAT(id, tag, from) TO(tag, from, K_##tag, tag##_of_##from(from##_OF(v)))
#define NARROW_OF(id, tag, from) TO(tag, from, u, tag##_of_f32((float)from##_OF(v)))
#define NARROW_OF_F64(id, tag, from) TO(tag, from, u, tag##_of_f32(f32_odd_of_f64(v.d)))
#define COMMON(from) \
    TO(bool, from, i, from##_OF(v) != 0) TO(f32, from, f, (float)from##_OF(v)) TO(f64, from, d, (double)from##_OF(v))

#define SUB(id, tag, R, ...) \
    static inline R tag##_of_S(int64_t a) { return __VA_ARGS__; } \
    static inline R tag##_of_U(uint64_t a) { return __VA_ARGS__; }
#include "cast.def"

COMMON(S) INTS(INT_OF_INT, S) SUBS(INT_OF_FLOAT, S) NARROW(NARROW_OF, S)
COMMON(U) INTS(INT_OF_INT, U) SUBS(INT_OF_FLOAT, U) NARROW(NARROW_OF, U)
COMMON(f32) INTS(INT_OF_FLOAT, f32) SUBS(INT_OF_FLOAT, f32) NARROW(NARROW_OF, f32)
COMMON(f64) INTS(INT_OF_FLOAT, f64) SUBS(INT_OF_FLOAT, f64) NARROW(NARROW_OF_F64, f64)

#define ENTRY(id, tag, from) [DT_##id] = to_##tag##_##from,
#define ROW(from) { INTS(ENTRY, from) SUBS(ENTRY, from) NARROW(ENTRY, from) \
    ENTRY(BOOL, bool, from) ENTRY(F32, f32, from) ENTRY(F64, f64, from) }

#define DECODE(id, tag, from) \
    static Value decode_##tag(Value v) { Value r = { 0 }; r.f = f32_of_##tag((C_##tag)v.u); return r; }
#define C_f16 uint16_t
#define C_bf16 uint16_t
#define C_f8e4m3 uint8_t
#define C_f8e4m3z uint8_t
#define C_f8e5m2 uint8_t
#define C_f8e5m2z uint8_t
#define C_f4e2m1 uint8_t
#define C_f8e8m0 uint8_t
NARROW(DECODE, )
#define DECODER(id, tag, from) case DT_##id: return decode_##tag;

CastFn cast_decode(DType from)
{
    switch (from) {
    NARROW(DECODER, )
    default: return NULL;
    }
}

CastFn cast_encode(DType to, DType from)
{
    static const CastFn of_int[DT_COUNT] = ROW(S), of_u64[DT_COUNT] = ROW(U);
    static const CastFn of_f32[DT_COUNT] = ROW(f32), of_f64[DT_COUNT] = ROW(f64);
    if (from == DT_F64)
        return of_f64[to];
    if (dtype_is_float(from))
        return of_f32[to];
    return from == DT_U64 ? of_u64[to] : from == DT_BOOL || dtype_is_int(from) ? of_int[to] : NULL;
}

Value scalar_cast(DType to, DType from, Value v)
{
    if (to == from)
        return v;
    CastFn decode = cast_decode(from), encode = cast_encode(to, from);
    if (decode)
        v = decode(v);
    return encode(v);
}

/* The low bits of every member of Value are the number's. */
Value scalar_bits(DType to, DType from, Value v)
{
    int rest = 64 - dtype_bits(from);
    v.u = v.u << rest >> rest;
    if (to == DT_BOOL)
        v.u = v.u != 0;
    if (dtype_is_int(to) && dtype_is_signed(to))
        v.i = (int64_t)(v.u << rest) >> rest;
    return v;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Element i of 2 or 4 bits. */
static unsigned packed(int bits, const void *data, int64_t i)
{
    int per = 8 / bits;
    return (unsigned)(((const uint8_t *)data)[i / per] >> (int)(i % per) * bits) & ((1u << bits) - 1);
}

#define READ(CT, field) { CT x; memcpy(&x, (const char *)data + i * (int64_t)sizeof x, sizeof x); r.field = x; break; }

Value scalar_read(DType dt, const void *data, int64_t i)
{
    Value r = { 0 };
    switch (dt) {
    case DT_F32:    READ(float, f)
    case DT_F64:    READ(double, d)
    case DT_I8:     READ(int8_t, i)
    case DT_I16:    READ(int16_t, i)
    case DT_I32:    READ(int32_t, i)
    case DT_I64:    READ(int64_t, i)
    case DT_U16: case DT_F16: case DT_BF16: READ(uint16_t, u)
    case DT_U32:    READ(uint32_t, u)
    case DT_U64:    READ(uint64_t, u)
    case DT_BOOL:   r.i = ((const uint8_t *)data)[i] != 0; break;
    case DT_STRING: READ(const char *, s)
    case DT_U4: case DT_F4E2M1: r.u = packed(4, data, i); break;
    case DT_I4:     r.i = (int)(packed(4, data, i) ^ 8) - 8; break;
    case DT_U2:     r.u = packed(2, data, i); break;
    case DT_I2:     r.i = (int)(packed(2, data, i) ^ 2) - 2; break;
    default:        READ(uint8_t, u)
    }
    return r;
}

void scalar_write(DType dt, void *data, int64_t i, Value v)
{
    int bits = dtype_bits(dt);
    if (bits >= 8) {                 /* little-endian: the first bytes of every member of Value */
        memcpy((char *)data + i * (bits / 8), &v, (size_t)bits / 8);
        return;
    }
    int per = 8 / bits, shift = (int)(i % per) * bits;
    uint8_t *p = (uint8_t *)data + i / per;
    *p = (uint8_t)((*p & ~(((1u << bits) - 1) << shift)) | (v.u & ((1u << bits) - 1)) << shift);
}
