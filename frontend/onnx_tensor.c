/* The ONNX reader: constants. What stands in the file as it is in memory stays there: raw_data, packed floats and
 * doubles, external files. Repeated integers are variable-length and are converted, but only once it is known that
 * there are as many as the shape asks for. Integers of up to 32 bits, bools, 16- and 8-bit floats (their bits) share
 * int32_data, and so do packed bytes of what is smaller. Sparse tensors are made dense. Theirs is the one size that
 * only the file's word stands for, so that all of a model share a budget. */
#include "onnx.h"

typedef struct Const {               /* the constant that is being read */
    Onnx *x;
    Loc loc;
    const char *who;                 /* "constant 'w'" */
    Type type;
    const char *text;                /* the type's */
} Const;

/* ---- types ----------------------------------------------------------------------------------------------------- */

/* False: a fault was reported. */
static bool dims_read(Const *k, const Places *l, int *rank, int64_t *dims)
{
    Varints v = {.l = l};
    size_t n = varints_count(l), i = 0;
    int64_t count;
    if (n > MAX_RANK) {
        onnx_fault(k->x, k->loc, "%s has %zu dimensions: at most %d are supported", k->who, n, MAX_RANK);
        return false;
    }
    for (uint64_t dim; i < n && varints_next(&v, &dim); i++)
        dims[i] = (int64_t)dim;
    if (i < n || varints_next(&v, &(uint64_t){0}) || v.bad) {
        onnx_fault(k->x, k->loc, "%s: its dimensions cannot be read: the file is damaged", k->who);
        return false;
    }
    *rank = (int)n;
    for (i = 0; i < n; i++)
        if (dims[i] < 0) {
            onnx_fault(k->x, k->loc, "%s has a dimension of %lld: it must be a number from 0", k->who,
                       (long long)dims[i]);
            return false;
        }
    if (dims_count(*rank, dims, &count))
        return true;
    onnx_fault(k->x, k->loc, "%s: %s has more than 2^40 elements", k->who, dims_text(k->x->c, *rank, dims));
    return false;
}

static bool type_read(Const *k, const Places *l, int32_t dt)
{
    int64_t dims[MAX_RANK];
    int rank;
    if (dt <= DT_NONE || dt >= DT_COUNT) {
        onnx_fault(k->x, k->loc, "%s is of element type %d, which is not known", k->who, (int)dt);
        return false;
    }
    if (!dims_read(k, l, &rank, dims))
        return false;
    k->type = type_make(k->x->c, (DType)dt, rank, dims);
    k->text = type_text(k->x->c, k->type);
    return true;
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

static const Tensor *wrong_count(const Const *k, const char *field, size_t want, size_t got)
{
    onnx_fault(k->x, k->loc, "%s: %s takes %zu value%s, but its %s has %zu", k->who, k->text, want,
               want == 1 ? "" : "s", field, got);
    return NULL;
}

const Tensor *tensor_bools(Ctx *c, Type type, const void *data, size_t n)
{
    const unsigned char *from = data;
    size_t i = 0;
    while (i < n && from[i] <= 1)
        i++;
    if (i == n)
        return tensor_of(c, type, data, n);
    Tensor *t = tensor_new(c, type);
    unsigned char *to = (unsigned char *)(uintptr_t)t->data;
    for (i = 0; i < n; i++)
        to[i] = from[i] != 0;
    return t;
}

static const Tensor *raw_read(const Const *k, Place p)
{
    size_t bytes = type_bytes(k->type);
    if (k->type.dt == DT_STRING)
        onnx_fault(k->x, k->loc, "%s: strings cannot be raw data", k->who);
    else if (p.n != bytes)
        onnx_fault(k->x, k->loc, "%s: %s takes %zu bytes, but its raw data has %zu", k->who, k->text, bytes, p.n);
    else
        return k->type.dt == DT_BOOL ? tensor_bools(k->x->c, k->type, p.at, p.n) : tensor_of(k->x->c, k->type, p.at, p.n);
    return NULL;
}

/* Floats and doubles; size: of one. Packed ones in one piece stay where they are. */
static const Tensor *fixed_read(const Const *k, const char *field, const Places *l, size_t size)
{
    size_t bytes = type_bytes(k->type), got = places_bytes(l);
    if (got != bytes)
        return wrong_count(k, field, bytes / size, got / size);
    if (l->n == 1)
        return tensor_of(k->x->c, k->type, place_last(l).at, bytes);
    Tensor *t = tensor_new(k->x->c, k->type);
    places_copy(l, (void *)(uintptr_t)t->data);
    return t;
}

static const Tensor *strings_read(const Const *k, const Places *l)
{
    if ((uint64_t)l->n != (uint64_t)type_count(k->type))
        return wrong_count(k, "string_data", (size_t)type_count(k->type), (size_t)l->n);
    Tensor *t = tensor_new(k->x->c, k->type);
    const char **to = (const char **)(uintptr_t)t->data, *what = internf(k->x->c, "%s: a string", k->who);
    for (int i = 0; i < l->n; i++)
        to[i] = onnx_string(k->x, k->loc, what, place_at(l, i));
    return t;
}

/* True when v, as it was read, may stand for an element of so many bits: signed, or by its bits. */
static bool within(uint64_t v, unsigned bits)
{
    return bits == 64 || v < UINT64_C(1) << bits || v >= 0 - (UINT64_C(1) << (bits - 1));
}

/* Variable-length integers. Sub-byte types: a value is a packed byte, or, when there are that many, an element. */
static const Tensor *varints_read(const Const *k, const char *field, const Places *l)
{
    size_t want = (size_t)type_count(k->type), got = varints_count(l), i = 0;
    unsigned bits = (unsigned)dtype_bits(k->type.dt), per = bits < 8 ? 8 / bits : 1;
    bool packed = per > 1 && got == type_bytes(k->type) && got != want;
    if (got != want && !packed)
        return wrong_count(k, field, per > 1 ? type_bytes(k->type) : want, got);
    Tensor *t = tensor_new(k->x->c, k->type);
    unsigned char *to = (unsigned char *)(uintptr_t)t->data;
    Varints v = {.l = l};
    uint64_t value = 0;
    for (; i < got && varints_next(&v, &value); i++) {
        value = k->type.dt == DT_BOOL ? value != 0 : value;
        if (!within(value, packed || (per > 1 && got == 1) ? 8 : bits)) {
            onnx_fault(k->x, k->loc, "%s: %lld is beyond %s", k->who, (long long)value, dtype_name(k->type.dt));
            return NULL;
        }
        if (per > 1 && !packed)
            to[i / per] |= (unsigned char)((value & (255u >> (8 - bits))) << i % per * bits);
        else
            memcpy(to + i * (bits < 8 ? 1 : bits / 8), &value, bits < 8 ? 1 : bits / 8);
    }
    if (i == got && !varints_next(&v, &value) && !v.bad)
        return t;
    onnx_fault(k->x, k->loc, "%s: its %s cannot be read: the file is damaged", k->who, field);
    return NULL;
}

static const Tensor *typed_read(const Const *k, const onnx_TensorProto *m)
{
    switch (k->type.dt) {
    case DT_F32: case DT_C64:  return fixed_read(k, "float_data", &m->float_data, sizeof(float));
    case DT_F64: case DT_C128: return fixed_read(k, "double_data", &m->double_data, sizeof(double));
    case DT_I64:               return varints_read(k, "int64_data", &m->int64_data);
    case DT_U32: case DT_U64:  return varints_read(k, "uint64_data", &m->uint64_data);
    case DT_STRING:            return strings_read(k, &m->string_data);
    default:                   return varints_read(k, "int32_data", &m->int32_data);
    }
}

static bool has_typed(const onnx_TensorProto *m)
{
    return m->float_data.n || m->double_data.n || m->int32_data.n || m->int64_data.n || m->uint64_data.n ||
           m->string_data.n;
}

static const Tensor *external_read(const Const *k, const char *name, const Places *l)
{
    int n;
    const Pair *pairs = onnx_pairs(k->x, k->loc, l, &n);
    int before = k->x->c->errors;
    const Tensor *t = external_tensor(k->x->externals, k->loc, name, k->type, n, pairs);
    k->x->faults += k->x->c->errors > before;
    return t && k->type.dt == DT_BOOL ? tensor_bools(k->x->c, k->type, t->data, t->bytes) : t;
}

/* ---- dense ----------------------------------------------------------------------------------------------------- */

static const char *who(Onnx *x, const char *name)
{
    return *name ? internf(x->c, "constant '%s'", name) : "the constant";
}

const Tensor *onnx_tensor(Onnx *x, Loc loc, Place p, const char **name)
{
    enum { EXTERNAL = 1 };
    onnx_TensorProto m = {0};
    if (!message_read(x, loc, "a constant", p, onnx_TensorProto_fields, &m))
        return NULL;
    const char *own = onnx_name(x, loc, "a constant's name", &m.name);
    Const k = {.x = x, .loc = loc, .who = who(x, own)};
    if (name)
        *name = own;
    if (!type_read(&k, &m.dims, m.data_type))
        return NULL;
    if (m.data_location == EXTERNAL)
        return external_read(&k, own, &m.external_data);
    if (m.raw_data.n && (place_last(&m.raw_data).n || !has_typed(&m)))
        return raw_read(&k, place_last(&m.raw_data));
    if (has_typed(&m) || !type_count(k.type))
        return typed_read(&k, &m);
    onnx_fault(x, loc, "%s (%s) has no values", k.who, k.text);
    return NULL;
}

/* ---- sparse ---------------------------------------------------------------------------------------------------- */

/* Where the i-th value goes in the flat tensor; -1: outside of it. An index is flat, or one per dimension. */
static int64_t sparse_index(Type t, const Tensor *indices, int64_t i)
{
    int64_t at = 0;
    if (indices->type.rank < 2) {
        at = tensor_at_int(indices, i);
        return at < 0 || at >= type_count(t) ? -1 : at;
    }
    for (int d = 0; d < t.rank; d++) {
        int64_t v = tensor_at_int(indices, i * t.rank + d);
        if (v < 0 || v >= t.dims[d])
            return -1;
        at = at * t.dims[d] + v;
    }
    return at;
}

static void put(Tensor *to, int64_t at, const Tensor *from, int64_t i)
{
    size_t bits = (size_t)dtype_bits(to->type.dt), bytes = bits / 8;
    unsigned char *t = (unsigned char *)(uintptr_t)to->data;
    const unsigned char *f = from->data;
    if (bytes) {
        memcpy(t + (size_t)at * bytes, f + (size_t)i * bytes, bytes);
        return;
    }
    size_t per = 8 / bits, shift = (size_t)at % per * bits;
    unsigned mask = 255u >> (8 - bits), v = (unsigned)f[(size_t)i / per] >> (size_t)i % per * bits & mask;
    t[(size_t)at / per] = (unsigned char)((t[(size_t)at / per] & ~(mask << shift)) | v << shift);
}

/* The zeroed tensor to be filled; NULL: larger than the budget. */
static Tensor *sparse_room(const Const *k)
{
    size_t bytes = type_bytes(k->type);
    if (bytes > k->x->dense) {
        onnx_fault(k->x, k->loc, "%s: sparse %s takes %zu bytes when dense, which is out of proportion to the file",
                   k->who, k->text, bytes);
        return NULL;
    }
    k->x->dense -= bytes;
    Tensor *t = tensor_new(k->x->c, k->type);
    for (int64_t i = 0; k->type.dt == DT_STRING && i < type_count(k->type); i++)
        ((const char **)(uintptr_t)t->data)[i] = intern(k->x->c, "");
    return t;
}

static bool indices_fit(const Const *k, const Tensor *values, const Tensor *indices)
{
    Type v = values->type, i = indices->type;
    bool flat = i.rank == 1,
         good = v.rank == 1 && i.dt == DT_I64 && (flat || (i.rank == 2 && i.dims[1] == k->type.rank));
    if (good && i.dims[0] == v.dims[0])
        return true;
    onnx_fault(k->x, k->loc, "%s: sparse %s cannot have values of type %s and indices of type %s", k->who, k->text,
               type_text(k->x->c, v), type_text(k->x->c, i));
    return false;
}

const Tensor *onnx_sparse(Onnx *x, Loc loc, Place p, const char **name)
{
    onnx_SparseTensorProto m = {0};
    const char *own = "";
    if (!message_read(x, loc, "a sparse constant", p, onnx_SparseTensorProto_fields, &m))
        return NULL;
    const Tensor *values = m.values.n ? onnx_tensor(x, loc, place_last(&m.values), &own) : NULL;
    Const k = {.x = x, .loc = loc, .who = who(x, own)};
    if (name)
        *name = own;
    if (!m.values.n)
        onnx_fault(x, loc, "%s is sparse, but has no values", k.who);
    if (!values || !type_read(&k, &m.dims, (int32_t)values->type.dt))
        return NULL;
    const Tensor *none = type_count(values->type) ? NULL : tensor_ints(x->c, 0, NULL);
    const Tensor *indices = m.indices.n ? onnx_tensor(x, loc, place_last(&m.indices), NULL) : none;
    if (!indices && !m.indices.n)
        onnx_fault(x, loc, "%s is sparse, but has no indices", k.who);
    if (!indices || !indices_fit(&k, values, indices))
        return NULL;
    Tensor *t = sparse_room(&k);
    for (int64_t i = 0; t && i < type_count(values->type); i++) {
        int64_t at = sparse_index(k.type, indices, i);
        if (at < 0) {
            onnx_fault(x, loc, "%s: index %lld of the sparse %s lies outside of it", k.who, (long long)i, k.text);
            return NULL;
        }
        put(t, at, values, i);
    }
    return t;
}
