/* The element types and the narrow floats. One function, round_code, rounds a double to any format: a finite
 * magnitude's code is its exponent and mantissa fields as one integer, so a carry out of the mantissa moves into the
 * exponent by itself, and too large a value shows as a code above the greatest. float to double is exact, so every
 * conversion rounds once. The compiler's own 16-bit types are not used: hosts differ in them. */
#include "base.h"

typedef struct Info { const char *name; int bits; DClass dclass; const char *ctype; } Info;

static const Info infos[DT_COUNT] = {
    [DT_NONE] = {"undefined", 8, CLASS_UINT, "uint8_t"},
#define DTYPE(id, number, name, bits, class, ctype) [DT_##id] = {name, bits, class, ctype},
#include "dtype.def"
};

static const Info *info(DType t)
{
    return &infos[t > DT_NONE && t < DT_COUNT ? t : DT_NONE];
}

const char *dtype_name(DType t)
{
    return info(t)->name;
}

DType dtype_parse(const char *name)
{
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (!strcmp(infos[t].name, name))
            return (DType)t;
    return DT_NONE;
}

int dtype_bits(DType t)
{
    return t == DT_STRING ? (int)sizeof(char *) * CHAR_BIT : info(t)->bits;
}

DClass dtype_class(DType t)
{
    return info(t)->dclass;
}

const char *dtype_ctype(DType t)
{
    return info(t)->ctype;
}

bool dtype_is_float(DType t)
{
    return info(t)->dclass == CLASS_FLOAT;
}

bool dtype_is_int(DType t)
{
    return t != DT_NONE && (info(t)->dclass == CLASS_INT || info(t)->dclass == CLASS_UINT);
}

bool dtype_is_signed(DType t)
{
    return info(t)->dclass == CLASS_INT;
}

/* ---- narrow floats ----------------------------------------------------------------------------------------------- */

typedef struct Format {
    int mant, bias;                  /* bits of the mantissa, bias of the exponent */
    uint32_t sign;                   /* the sign bit */
    uint32_t max, inf, nan;          /* codes: greatest number, what overflow gives (infinity, NaN), our NaN */
    bool one_zero;                   /* no negative zero: its code is the only NaN */
} Format;

static const Format f16 = {10, 15, 0x8000, 0x7BFF, 0x7C00, 0x7E00, false};
static const Format bf16 = {7, 127, 0x8000, 0x7F7F, 0x7F80, 0x7FC0, false};
static const Format f8e4m3 = {3, 7, 0x80, 0x7E, 0x7F, 0x7F, false};
static const Format f8e4m3z = {3, 8, 0x80, 0x7F, 0x80, 0x80, true};
static const Format f8e5m2 = {2, 15, 0x80, 0x7B, 0x7C, 0x7E, false};
static const Format f8e5m2z = {2, 16, 0x80, 0x7F, 0x80, 0x80, true};
static const Format f4e2m1 = {1, 1, 0x8, 0x7, 0x8, 0x8, false};

static const Format *format(DType t)
{
    switch (t) {
    case DT_F8E4M3:  return &f8e4m3;
    case DT_F8E4M3Z: return &f8e4m3z;
    case DT_F8E5M2:  return &f8e5m2;
    case DT_F8E5M2Z: return &f8e5m2z;
    default:         return &f4e2m1;
    }
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* The code of a finite d's magnitude, rounded to nearest even; codes above the format's greatest mean overflow. */
static uint32_t round_code(const Format *t, double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    int e = (int)(u >> 52 & 0x7FF) - 1023, least = 1 - t->bias, shift = 52 - t->mant;
    uint64_t m = (u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    if (e < least)
        shift += least - e;          /* a subnormal of the format */
    if (shift > 53)
        return 0;                    /* below half of the least; also where d itself is zero or subnormal */
    uint64_t q = m >> shift, left = m & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    if (left > half || (left == half && (q & 1)))
        q++;
    /* q holds the leading one at bit mant of a normal number: it counts as one step of the exponent. */
    return (uint32_t)q + (e < least ? 0 : (uint32_t)(e - least) << t->mant);
}

static float code_value(const Format *t, uint32_t code)
{
    uint32_t mag = code & (t->sign - 1), frac = mag & ((1u << t->mant) - 1), e = mag >> t->mant;
    float v = e ? ldexpf((float)(frac | 1u << t->mant), (int)e - t->bias - t->mant)
                : ldexpf((float)frac, 1 - t->bias - t->mant);
    return code & t->sign ? -v : v;
}

/* A 16-bit code of a double; nan_frac: the mantissa to keep if it is a NaN, which is made quiet. */
static uint16_t to_16(const Format *t, double d, uint32_t nan_frac)
{
    uint32_t sign = signbit(d) ? t->sign : 0;
    if (isnan(d))
        return (uint16_t)(sign | t->nan | nan_frac);
    if (isinf(d))
        return (uint16_t)(sign | t->inf);
    uint32_t code = round_code(t, d);
    return (uint16_t)(sign | (code > t->max ? t->inf : code));
}

float f16_to_f32(uint16_t h)
{
    if ((h & 0x7C00) == 0x7C00)      /* by bits: arithmetic might quieten a NaN */
        return bits_float((h & 0x8000u) << 16 | 0x7F800000u | (h & 0x3FFu) << 13);
    return code_value(&f16, h);
}

uint16_t f32_to_f16(float f)
{
    return to_16(&f16, (double)f, float_bits(f) >> 13 & 0x3FF);
}

uint16_t f64_to_f16(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return to_16(&f16, d, (uint32_t)(u >> 42) & 0x3FF);
}

float bf16_to_f32(uint16_t h)
{
    return bits_float((uint32_t)h << 16);
}

uint16_t f32_to_bf16(float f)
{
    return to_16(&bf16, (double)f, float_bits(f) >> 16 & 0x7F);
}

/* float8e8m0 is a bare exponent: code k is 2^(k - 127), 255 is NaN; no sign, no zero. The specification leaves negative
 * numbers open: like its reference, we take the magnitude. Ties round up. */
static uint8_t e8m0_code(float f, bool saturate)
{
    uint32_t u = float_bits(f) & 0x7FFFFFFF;
    if (u > 0x7F800000)
        return 0xFF;
    if (u < 0x400000)                /* below 2^-127 */
        return saturate ? 0 : 0xFF;
    uint32_t code = u < 0x800000 ? u >= 0x600000 : (u + 0x400000) >> 23;
    return (uint8_t)(code < 0xFF ? code : saturate ? 0xFE : 0xFF);
}

float f8_to_f32(DType dt, uint8_t code)
{
    if (dt == DT_F8E8M0)
        return code == 0xFF ? (float)NAN : ldexpf(1, code - 127);
    const Format *t = format(dt);
    code = (uint8_t)(code & (2 * t->sign - 1));
    if (dt == DT_F4E2M1)
        return code_value(t, code);
    uint32_t mag = code & (t->sign - 1);
    if (t->one_zero ? code == t->nan : mag > t->inf || mag == 0x7F)
        return code & t->sign && !t->one_zero ? -(float)NAN : (float)NAN;
    if (!t->one_zero && mag == t->inf)
        return code & t->sign ? -(float)INFINITY : (float)INFINITY;
    return code_value(t, code);
}

/* A NaN has no code in float4e2m1: as the ONNX reference does, NaN becomes -0 and -NaN becomes 0. */
uint8_t f32_to_f8(DType dt, float f, bool saturate)
{
    if (dt == DT_F8E8M0)
        return e8m0_code(f, saturate);
    const Format *t = format(dt);
    uint32_t sign = signbit(f) ? t->sign : 0;
    if (isnan(f))
        return (uint8_t)(t->one_zero ? t->nan : dt == DT_F4E2M1 ? sign ^ t->sign : sign | t->nan);
    uint32_t code = isinf(f) ? t->max + 1 : round_code(t, (double)f);
    if (code > t->max)
        code = saturate || dt == DT_F4E2M1 ? t->max : t->inf;
    return (uint8_t)(t->one_zero && (code == 0 || code == t->nan) ? code : sign | code);
}
