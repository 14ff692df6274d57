/* The values of a constant: `{v, v, ...}` read from the text straight into the tensor's memory, millions of them at the
 * speed of the conversion. Memory is taken for as many values as the text up to the next '}' can hold, whatever shape
 * is claimed, and grows from there (a comment may hold a '}'): it stays in proportion to what was read. How many values
 * make an element: two for complex types. Sub-byte types are gathered as 16-bit numbers first, since only their count
 * tells whether they are elements or packed bytes. 16- and 8-bit floats are given by their bits.
 * The first fault ends the constant: reading goes on behind its '}'. */
#include "text.h"

typedef struct Payload Payload;
struct Payload {
    Parser *p;
    Type type;
    size_t size;                     /* bytes of a value in memory */
    uint64_t n, want, cap;           /* values read, asked for, that fit */
    char *data;
    char spare[16];                  /* where values beyond `want` go */
    bool (*value)(Payload *x, char *to);         /* reads the one at p->at; false: a fault was reported */
    int64_t lo; uint64_t hi;         /* integers: the range */
    bool sub_byte;
    Loc odd;
    const char *odd_text;
    int odd_n; /* sub-byte: the first value that is no element but may be a packed byte */
};

/* ---- messages -------------------------------------------------------------------------------------------------- */

static const char *who(const Parser *p)
{
    const char *name = p->constant.name;
    return name && *name ? internf(p->c, "constant '%s'", name) : "the constant";
}

/* The range of an element: bits of a float type count as an unsigned integer. */
static void element_range(DType dt, int64_t *lo, uint64_t *hi)
{
    int bits = dt == DT_BOOL ? 1 : dtype_bits(dt);
    bool sign = dtype_is_signed(dt);
    *lo = sign ? -(INT64_C(1) << (bits - 2)) * 2 : 0;
    *hi = UINT64_MAX >> (64 - bits + sign);
}

/* What a 16- or 8-bit float's bits would be. */
static unsigned bits_of(DType dt, float f)
{
    return dt == DT_F16 ? f32_to_f16(f) : dt == DT_BF16 ? f32_to_bf16(f) : f32_to_f8(dt, f, true);
}

static void value_fault(Payload *x, LitFault fault, const char *from, const char *after)
{
    Parser *p = x->p;
    DType dt = x->type.dt;
    Loc loc = text_loc(p, from);
    int n = after - from > 40 ? 40 : (int)(after - from);
    const char *type = dtype_name(dt);
    if (p->end - from >= 3 && !memcmp(from, "...", 3))
        text_fault(p, loc, "%s: its values were elided by the ONNX printer: give the .onnx", who(p));
    else if (fault == LIT_NONE && from < p->end)
        text_fault(p, loc, "%s (%s): a number is expected", who(p), type_text(p->c, x->type));
    else if (fault == LIT_MALFORMED)
        text_fault(p, loc, "%s: '%.*s' is no number", who(p), n, from);
    else if (fault == LIT_FRACTION && dtype_is_float(dt)) {
        float f = 0;
        literal_float(from, p->end, &after, &f);
        text_fault(p, loc, "%s: %s values are given by their bits: %.*s is %u", who(p), type, n, from, bits_of(dt, f));
    } else if (fault == LIT_FRACTION)
        text_fault(p, loc, "%s: '%.*s' is not a whole number, as %s takes", who(p), n, from, type);
    else if (fault == LIT_RANGE && x->value && x->hi)
        text_fault(p, loc, "%s: %.*s is beyond %s (%lld to %llu)", who(p), n, from, type, (long long)x->lo,
                   (unsigned long long)x->hi);
    else if (fault == LIT_RANGE)
        text_fault(p, loc, "%s: %.*s is beyond %s", who(p), n, from, type);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static void put(char *to, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (char)(unsigned char)(v >> 8 * i);
}

static bool read_float(Payload *x, char *to)
{
    Parser *p = x->p;
    const char *from = p->at;
    float f;
    uint32_t bits;
    LitFault fault = literal_float(from, p->end, &p->at, &f);
    if (fault) {
        value_fault(x, fault, from, p->at);
        return false;
    }
    memcpy(&bits, &f, sizeof bits);
    put(to, bits, 4);
    return true;
}

static bool read_double(Payload *x, char *to)
{
    Parser *p = x->p;
    const char *from = p->at;
    double d;
    uint64_t bits;
    LitFault fault = literal_double(from, p->end, &p->at, &d);
    if (fault) {
        value_fault(x, fault, from, p->at);
        return false;
    }
    memcpy(&bits, &d, sizeof bits);
    put(to, bits, 8);
    return true;
}

static bool read_int(Payload *x, char *to)
{
    Parser *p = x->p;
    const char *from = p->at;
    bool negative;
    uint64_t v;
    LitFault fault = literal_int(from, p->end, &p->at, &negative, &v);
    if (!fault && v > (negative ? 0 - (uint64_t)x->lo : x->hi))
        fault = LIT_RANGE;
    if (fault) {
        value_fault(x, fault, from, p->at);
        return false;
    }
    put(to, negative ? 0 - v : v, x->size);
    return true;
}

static bool read_sub_byte(Payload *x, char *to)
{
    const char *from = x->p->at;
    int bits = dtype_bits(x->type.dt), lo = dtype_is_signed(x->type.dt) ? -(1 << (bits - 1)) : 0;
    int16_t v;
    if (!read_int(x, to))
        return false;
    memcpy(&v, to, sizeof v);
    if ((v < lo || v >= 1 << bits) && !x->odd.line) {
        x->odd = text_loc(x->p, from);
        x->odd_text = from;
        x->odd_n = (int)(x->p->at - from);
    }
    return true;
}

static bool read_string(Payload *x, char *to)
{
    Parser *p = x->p;
    if (p->at == p->end || *p->at != '"') {
        text_fault(p, text_loc(p, p->at), "%s (%s): a quoted string is expected", who(p), type_text(p->c, x->type));
        return false;
    }
    p->at++;
    const char *s = text_quoted(p);
    memcpy(to, &s, sizeof s);
    return s != NULL;
}

/* ---- the list -------------------------------------------------------------------------------------------------- */

/* The next place. */
static char *place(Payload *x)
{
    if (x->n < x->cap)
        return x->data + x->n * x->size;
    if (x->n >= x->want)
        return x->spare;
    uint64_t cap = x->cap < x->want / 2 ? x->cap * 2 + 8 : x->want;
    if (cap > x->want)
        cap = x->want;
    char *data = mem_alloc(x->p->c, mem_times(x->size, cap));
    if (x->n)
        memcpy(data, x->data, x->n * x->size);
    x->data = data;
    x->cap = cap;
    return x->data + x->n * x->size;
}

static bool skip(Parser *p)
{
    if (p->at < p->end && (*p->at <= ' ' || *p->at == '#'))
        text_skip(p);
    return p->at < p->end;
}

/* Reads up to the '}' or the end of the text. False: a fault was reported. */
static bool read_values(Payload *x)
{
    Parser *p = x->p;
    if (!skip(p) || *p->at == '}')
        return true;
    for (;;) {
        if (!x->value(x, place(x)))
            return false;
        x->n++;
        if (!skip(p) || *p->at == '}')
            return true;
        if (*p->at != ',') {
            text_fault(p, text_loc(p, p->at), "%s: ',' or '}' is expected behind a value", who(p));
            return false;
        }
        p->at++;
        if (!skip(p))
            return true;
    }
}

static void skip_to_end(Parser *p)
{
    const char *end = memchr(p->at, '}', (size_t)(p->end - p->at)), *nl;
    if (!end)
        end = p->end;
    while ((nl = memchr(p->at, '\n', (size_t)(end - p->at)))) {
        p->line++;
        p->bol = p->at = nl + 1;
    }
    p->at = end;
}

/* ---- from values to a tensor ----------------------------------------------------------------------------------- */

static const Tensor *pack(Payload *x)
{
    Tensor *t = tensor_new(x->p->c, x->type);
    unsigned char *to = (unsigned char *)(void *)(uintptr_t)t->data;
    unsigned bits = (unsigned)dtype_bits(x->type.dt), per = 8 / bits, mask = (1u << bits) - 1;
    bool elements = x->n == x->want;
    if (elements && x->odd.line) {
        text_fault(x->p, x->odd, "%s: %.*s is beyond %s", who(x->p), x->odd_n, x->odd_text, dtype_name(x->type.dt));
        return NULL;
    }
    for (uint64_t i = 0; i < x->n; i++) {
        int16_t v;
        memcpy(&v, x->data + 2 * i, sizeof v);
        if (elements)
            to[i / per] |= (unsigned char)(((unsigned)v & mask) << i % per * bits);
        else
            to[i] = (unsigned char)v;
    }
    return t;
}

static const Tensor *finish(Payload *x)
{
    Parser *p = x->p;
    bool packed = x->sub_byte && x->n == type_bytes(x->type);
    if (x->n != x->want && !packed) {
        const char *pairs = x->want != (uint64_t)type_count(x->type) ? " (pairs of a real and an imaginary part)" : "";
        text_fault(p, p->constant.loc, "%s: %s takes %llu value%s%s, but %llu %s given", who(p),
                   type_text(p->c, x->type), (unsigned long long)x->want, x->want == 1 ? "" : "s", pairs,
                   (unsigned long long)x->n, x->n == 1 ? "is" : "are");
        return NULL;
    }
    if (x->sub_byte)
        return pack(x);
    return tensor_of(p->c, x->type, x->data, x->n * x->size);
}

bool payload_type(Parser *p, Type *t)
{
    const MType *m = p->type;
    int64_t dims[MAX_RANK], count;
    if (!m || m->kind != M_TENSOR) {
        text_fault(p, p->constant.loc, "%s needs a tensor type, as in float[2,3]", who(p));
        return false;
    }
    if (m->rank < 0) {
        text_fault(p, m->loc, "%s: %s[] is of unknown shape: state it, as in %s[2,3]", who(p), dtype_name(m->dt),
                   dtype_name(m->dt));
        return false;
    }
    for (int i = 0; i < m->rank; i++) {
        dims[i] = m->dims[i].size;
        if (dims[i] < 0) {
            text_fault(p, m->loc, "%s: dimension %d of %s must be a number from 0", who(p), i, mtype_text(p->c, m));
            return false;
        }
    }
    if (!dims_count(m->rank, dims, &count)) {
        text_fault(p, m->loc, "%s: %s has more than 2^40 elements", who(p), mtype_text(p->c, m));
        return false;
    }
    *t = type_make(p->c, m->dt, m->rank, dims);
    return true;
}

static void open_values(Payload *x)
{
    DType dt = x->type.dt;
    DClass k = dtype_class(dt);
    size_t bits = (size_t)dtype_bits(dt);
    x->want = (uint64_t)type_count(x->type) * (k == CLASS_COMPLEX ? 2 : 1);
    x->size = k == CLASS_COMPLEX ? bits / 16 : bits / 8;
    if (k == CLASS_STRING)
        x->value = read_string;
    else if (dt == DT_F32 || dt == DT_C64)
        x->value = read_float;
    else if (dt == DT_F64 || dt == DT_C128)
        x->value = read_double;
    else if (bits < 8) {
        x->sub_byte = true;
        x->size = 2;
        x->lo = -128;
        x->hi = 255;
        x->value = read_sub_byte;
    } else {
        element_range(dt, &x->lo, &x->hi);
        x->value = read_int;
    }
}

const Tensor *payload_read(Parser *p)
{
    Payload x = {.p = p};
    const Tensor *t = NULL;
    if (payload_type(p, &x.type)) {
        const char *close = memchr(p->at, '}', (size_t)(p->end - p->at));
        uint64_t most = (uint64_t)((close ? close : p->end) - p->at) / 2 + 1;
        open_values(&x);
        x.cap = x.want < most ? x.want : most;
        x.data = mem_alloc(p->c, mem_times(x.size, x.cap));
        if (read_values(&x))
            t = finish(&x);
    }
    skip_to_end(p);
    text_reseat(p);
    return t;
}

const Tensor *payload_none(Parser *p, bool elided)
{
    Type t;
    if (elided)
        text_fault(p, p->constant.loc, "%s: its values were elided by the ONNX printer: give the .onnx", who(p));
    else if (payload_type(p, &t)) {
        if (type_count(t) == 0)
            return tensor_new(p->c, t);
        text_fault(p, p->constant.loc, "%s (%s) has no values", who(p), type_text(p->c, t));
        p->fault_line = p->constant.loc.line;    /* what stands there instead is the same fault */
    }
    return NULL;
}
