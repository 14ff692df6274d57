/* OpenVINO IR: the types of parameters, and constants, which stay where they are in the mapped weights file. */
#include "openvino.h"

/* A size; "?", "-1", "2..8", "2..", "..8": one that is not known, -1. False: something else. */
static bool dim_text(Ctx *c, const char *text, int64_t *v)
{
    const char *to = strstr(text, "..");
    int64_t ends[2] = {0, 0};
    while (*text == ' ')
        text++;
    if (!to && *text != '?')
        return ov_int(text, v) && *v >= -1;
    *v = -1;
    if (!to)
        return text[1 + strspn(text + 1, " ")] == 0;
    const char *low = intern_n(c, text, (size_t)(to - text)), *high = to + 2;
    return (!*low || (ov_int(low, &ends[0]) && ends[0] >= 0)) && (!*high || (ov_int(high, &ends[1]) && ends[1] >= 0));
}

/* Sizes between commas; "...": not even the rank is known. NULL: at fault, which was reported. */
static const MType *shape_text(Ov *x, const XLayer *l, DType dt, const char *shape)
{
    const char *text = shape;
    MType *t = NEW(x->c, MType);
    VEC(MDim) dims = {0};
    *t = (MType){.kind = M_TENSOR, .loc = l->loc, .dt = dt};
    while (*text) {
        size_t len = strcspn(text, ",");
        const char *one = intern_n(x->c, text, len);
        int64_t v;
        if (strstr(one, "...")) {
            t->rank = -1;
            return t;
        }
        if (!dim_text(x->c, one, &v)) {
            ov_fault(x, l->loc, "layer '%s' (%s): its shape \"%s\" has '%s' where a size is expected, or ? for one that "
                     "is not known", l->name, l->type, shape, one);
            return NULL;
        }
        VEC_PUSH(x->c, dims, ((MDim){v, NULL}));
        text += len + (text[len] == ',');
    }
    if (dims.n > MAX_RANK) {
        ov_fault(x, l->loc, "layer '%s' has %d dimensions: at most %d are supported", l->name, dims.n, MAX_RANK);
        return NULL;
    }
    t->rank = dims.n;
    t->dims = dims.at;
    return t;
}

static DType element_type(Ov *x, const XLayer *l)
{
    const char *name = layer_attr(l, "element_type");
    DType dt = name ? ov_type(name) : l->out.n && l->out.at[0].type ? l->out.at[0].type->dt : DT_NONE;
    if (dt == DT_NONE)
        ov_fault(x, l->loc, "layer '%s' (%s): element type '%s' is not supported", l->name, l->type,
                 name ? name : "");
    return dt;
}

const MType *ov_parameter(Ov *x, const XLayer *l)
{
    DType dt = element_type(x, l);
    const char *shape = layer_attr(l, "shape");
    if (dt == DT_NONE)
        return NULL;
    return shape ? shape_text(x, l, dt, shape) : l->out.at[0].type;
}

/* Bits, the highest of each byte first, as bools. */
static const Tensor *bits_unpack(Ctx *c, Type t, const unsigned char *from)
{
    Tensor *to = tensor_new(c, t);
    unsigned char *bytes = (unsigned char *)(uintptr_t)to->data;
    for (int64_t i = 0; i < type_count(t); i++)
        bytes[i] = from[i / 8] >> (7 - i % 8) & 1;
    return to;
}

static bool const_type(Ov *x, const XLayer *l, bool bits, Type *t)
{
    const char *shape = layer_attr(l, "shape");
    int64_t count;
    DType dt = bits ? DT_BOOL : element_type(x, l);
    if (dt == DT_NONE)
        return false;
    if (!shape || !ov_ints(x->c, shape, &t->rank, &t->dims) || t->rank > MAX_RANK ||
        !dims_count(t->rank, t->dims, &count)) {
        ov_fault(x, l->loc, "constant '%s': its shape \"%s\" cannot be read, or is too large", l->name,
                 shape ? shape : "");
        return false;
    }
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i] < 0) {
            ov_fault(x, l->loc, "constant '%s': a dimension is negative: \"%s\"", l->name, shape);
            return false;
        }
    t->dt = dt;
    return true;
}

const Tensor *ov_const(Ov *x, const XLayer *l)
{
    const char *type = layer_attr(l, "element_type"), *at = layer_attr(l, "offset"), *length = layer_attr(l, "size");
    bool bits = type && !strcmp(type, "u1");
    int64_t offset = 0, size = -1;
    Type t;
    if (!const_type(x, l, bits, &t))
        return NULL;
    if (!at || !ov_int(at, &offset) || !length || !ov_int(length, &size) || size < 0) {
        ov_fault(x, l->loc, "constant '%s': its offset and size in the weights file are missing or no numbers",
                 l->name);
        return NULL;
    }
    size_t bytes = bits ? (size_t)(type_count(t) + 7) / 8 : type_bytes(t);
    if (!bytes && !size)
        return tensor_of(x->c, t, "", 0);
    if (x->no_weights)
        return NULL;
    int errors = x->c->errors;
    const void *data = external_data(x->externals, l->loc, l->name, x->weights, offset, size, bytes);
    if (!data && !x->faults++ && x->c->errors > errors)
        note(x->c, l->loc, "weights are looked for beside the model, in '%s'; --weights-file=FILE names another file",
             x->weights);
    if (!data)
        return NULL;
    return bits ? bits_unpack(x->c, t, data) : t.dt == DT_BOOL ? tensor_bools(x->c, t, data, bytes)
                                             : tensor_of(x->c, t, data, bytes);
}

