/* Types and constant payloads. A tensor refers to its elements where they lie (mostly in a mapped file, at any
 * address), so everything is read byte by byte as little-endian: right on every host, whatever the alignment. Only
 * strings are host pointers.
 * Counts: a type that was made has at most 2^40 elements, so that the bytes of many tensors add up without overflow. */
#include "base.h"

static const int64_t most_elements = INT64_C(1) << 40;

bool dims_count(int rank, const int64_t *dims, int64_t *count)
{
    int64_t n = 1;
    bool fits = true, empty = false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return false;
        if (dims[i] == 0)
            empty = true;            /* nothing, however long the others are */
        else if (n > most_elements / dims[i])
            fits = false;
        else
            n *= dims[i];
    }
    *count = empty ? 0 : n;
    return empty || fits;
}

int64_t count_mul(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

int64_t type_count(Type t)
{
    int64_t n = 0;
    return dims_count(t.rank, t.dims, &n) ? n : most_elements;
}

size_t type_bytes(Type t)
{
    size_t n = (size_t)type_count(t), bits = (size_t)dtype_bits(t.dt);
    if (bits >= 8)
        return mem_times(bits / 8, n);
    size_t per = 8 / bits;
    return n / per + (n % per != 0);
}

bool type_same(Type a, Type b)
{
    if (a.dt != b.dt || a.rank != b.rank)
        return false;
    for (int i = 0; i < a.rank; i++)
        if (a.dims[i] != b.dims[i])
            return false;
    return true;
}

Type type_make(Ctx *c, DType dt, int rank, const int64_t *dims)
{
    int64_t n;
    if (rank < 0 || rank > MAX_RANK)
        fatal(c, (Loc){0}, "a tensor of rank %d: at most %d dimensions are supported", rank, MAX_RANK);
    if (!dims_count(rank, dims, &n))
        fatal(c, (Loc){0}, "a tensor of shape %s: it has a negative dimension or more than 2^40 elements",
              dims_text(c, rank, dims));
    Type t = {dt, rank, NULL};
    if (rank)
        t.dims = mem_copy(c, dims, sizeof *dims * (size_t)rank);
    return t;
}

enum { DIMS_TEXT = MAX_RANK * 21 + 3 };   /* each: a sign, 19 digits, a comma */

static void dims_print(char *to, int rank, const int64_t *dims)
{
    char *p = to;
    *p++ = '[';
    for (int i = 0; i < rank && i < MAX_RANK; i++)
        p += sprintf(p, "%s%lld", i ? "," : "", (long long)dims[i]);
    strcpy(p, "]");
}

const char *dims_text(Ctx *c, int rank, const int64_t *dims)
{
    char text[DIMS_TEXT];
    dims_print(text, rank, dims);
    return intern(c, text);
}

const char *type_text(Ctx *c, Type t)
{
    char text[DIMS_TEXT];
    if (t.rank == 0)
        return dtype_name(t.dt);
    dims_print(text, t.rank, t.dims);
    return internf(c, "%s%s", dtype_name(t.dt), text);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

Tensor *tensor_front(Ctx *c, const Tensor *t, const Tensor *dims)
{
    int64_t size[MAX_RANK];
    for (int i = 0; i < t->type.rank; i++)
        size[i] = tensor_at_int(dims, i);
    const Type type = type_make(c, t->type.dt, t->type.rank, size);
    return tensor_of(c, type, t->data, type_bytes(type));
}

Tensor *tensor_of(Ctx *c, Type t, const void *data, size_t bytes)
{
    Tensor *x = NEW(c, Tensor);
    *x = (Tensor){t, data, bytes};
    return x;
}

Tensor *tensor_new(Ctx *c, Type t)
{
    size_t n = type_bytes(t);
    void *data = mem_alloc(c, n);
    for (int64_t i = 0; t.dt == DT_STRING && i < type_count(t); i++)
        ((const char **)data)[i] = "";
    return tensor_of(c, t, data, n);
}

enum { LARGE = 1 << 20 };            /* bytes */

Tensor *tensor_large(Ctx *c, Type t)
{
    const size_t n = type_bytes(t);
    void *data = n >= LARGE ? file_room(c, n) : NULL;
    return data ? tensor_of(c, t, data, n) : tensor_new(c, t);
}

static uint64_t load(const void *data, size_t at, int bytes)
{
    const unsigned char *p = (const unsigned char *)data + at;
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static void store(const Tensor *x, int64_t i, int bytes, uint64_t v)
{
    unsigned char *p = (unsigned char *)x->data + (size_t)i * (size_t)bytes;   /* ours: it came from tensor_new */
    for (int k = 0; k < bytes; k++)
        p[k] = (unsigned char)(v >> 8 * k);
}

Tensor *tensor_ints(Ctx *c, int n, const int64_t *v)
{
    int64_t dim = n;
    Tensor *x = tensor_new(c, type_make(c, DT_I64, 1, &dim));
    for (int i = 0; i < n; i++)
        store(x, i, 8, (uint64_t)v[i]);
    return x;
}

Tensor *tensor_int(Ctx *c, int64_t v)
{
    Tensor *x = tensor_new(c, (Type){DT_I64, 0, NULL});
    store(x, 0, 8, (uint64_t)v);
    return x;
}

static uint64_t float_code(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static uint64_t double_code(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

/* The integer type's value nearest to v, without fraction; NaN gives 0. */
static uint64_t int_code(DType dt, double v)
{
    int bits = dtype_bits(dt);
    bool sign = dtype_is_signed(dt);
    double end = ldexp(1, sign ? bits - 1 : bits);   /* one above the greatest */
    uint64_t most = sign ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (isnan(v))
        return 0;
    if (v >= end)
        return most;
    if (!sign)
        return v <= 0 ? 0 : (uint64_t)v;
    return (uint64_t)(v <= -end ? -(int64_t)most - 1 : (int64_t)v);
}

static uint64_t scalar_code(DType dt, double v)
{
    switch (dt) {
    case DT_F64: case DT_C128: return double_code(v);
    case DT_F32: case DT_C64:  return float_code((float)v);
    case DT_F16:               return f64_to_f16(v);
    case DT_BF16:              return f32_to_bf16((float)v);
    case DT_BOOL:              return v != 0;
    default:                   return dtype_is_float(dt) ? f32_to_f8(dt, (float)v, true) : int_code(dt, v);
    }
}

Tensor *tensor_float(Ctx *c, DType dt, double v)
{
    if (dt == DT_STRING || dt == DT_NONE)
        ice(c, "a number of type %s", dtype_name(dt));
    Tensor *x = tensor_new(c, (Type){dt, 0, NULL});
    int bits = dtype_bits(dt);
    uint64_t code = scalar_code(dt, v);
    if (bits < 8)
        code &= (1u << bits) - 1;    /* padding bits are zero */
    store(x, 0, dtype_class(dt) == CLASS_COMPLEX ? bits / 16 : (bits + 7) / 8, code);
    return x;
}

/* The bits of element i, or of its real part. */
static uint64_t element(const Tensor *t, int64_t i)
{
    int bits = dtype_bits(t->type.dt);
    size_t at = (size_t)i;
    if (bits >= 8) {
        int bytes = bits / 8;
        return load(t->data, at * (size_t)bytes, dtype_class(t->type.dt) == CLASS_COMPLEX ? bytes / 2 : bytes);
    }
    size_t per = (size_t)(8 / bits);
    return load(t->data, at / per, 1) >> at % per * (size_t)bits & ((1u << bits) - 1);
}

int64_t tensor_at_int(const Tensor *t, int64_t i)
{
    if (t->type.dt == DT_STRING)
        return 0;
    uint64_t v = element(t, i);
    if (t->type.dt == DT_BOOL)
        return v != 0;
    if (dtype_is_signed(t->type.dt)) {
        uint64_t sign = UINT64_C(1) << (dtype_bits(t->type.dt) - 1);
        v = (v ^ sign) - sign;
    }
    return (int64_t)v;
}

double tensor_at_double(const Tensor *t, int64_t i)
{
    DType dt = t->type.dt;
    if (dt == DT_STRING)
        return (double)NAN;
    uint64_t v = element(t, i);
    float f;
    double d;
    switch (dt) {
    case DT_F64: case DT_C128:
        memcpy(&d, &v, sizeof d);
        return d;
    case DT_F32: case DT_C64: {
        uint32_t u = (uint32_t)v;
        memcpy(&f, &u, sizeof f);
        return (double)f;
    }
    case DT_F16:  return (double)f16_to_f32((uint16_t)v);
    case DT_BF16: return (double)bf16_to_f32((uint16_t)v);
    case DT_U64:  return (double)v;
    default:
        return dtype_is_float(dt) ? (double)f8_to_f32(dt, (uint8_t)v) : (double)tensor_at_int(t, i);
    }
}

const char *tensor_at_string(const Tensor *t, int64_t i)
{
    const char *s;
    memcpy(&s, (const char *)t->data + (size_t)i * sizeof s, sizeof s);
    return s;
}

bool tensor_same(const Tensor *a, const Tensor *b)
{
    if (!type_same(a->type, b->type))
        return false;
    size_t n = type_bytes(a->type);
    int bits = dtype_bits(a->type.dt);
    int left = bits < 8 ? (int)(type_count(a->type) % (8 / bits)) * bits : 0;   /* bits used in the last byte; 0: all */
    size_t whole = left ? n - 1 : n;
    if (a->data == b->data || (whole && memcmp(a->data, b->data, whole)))
        return a->data == b->data;
    return !left || !((load(a->data, whole, 1) ^ load(b->data, whole, 1)) & ((1u << left) - 1));
}
