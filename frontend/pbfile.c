/* Files of one TensorProto: what `burin run` reads inputs from and writes outputs to, beside NumPy's. Any of the
 * element types; complex values as pairs, strings as string_data, all else as raw data. */
#include "onnx.h"

#include <pb_encode.h>

/* Why the file is no TensorProto, or NULL. What is of no format that is read ends here, most often raw bytes. */
static const char *no_tensor(Onnx *x, const File *f)
{
    onnx_TensorProto m = {0};
    const pb_byte_t *fault;
    if (f->size > 4 && !memcmp(f->data, "PK\3\4", 4)) return "it is an archive, as .npz: take one array out of it";
    const char *why = message_walk(x->c, (Place){x->base, f->size}, onnx_TensorProto_fields, &m, &fault);
    if (why) return internf(x->c, "it is cut short, damaged or none at byte %zu: %s", (size_t)(fault - x->base), why);
    return m.data_type ? NULL : "it states no element type";
}

const Tensor *pbfile_read(Ctx *c, const File *f, Type want)
{
    Onnx *x = onnx_new(c, f);
    Mark mark = scratch_mark(c);
    const char *fault = no_tensor(x, f);
    const Tensor *t = fault ? NULL : onnx_tensor(x, onnx_loc(x), (Place){x->base, f->size}, NULL);
    scratch_release(c, mark);
    if (t && type_fits(t->type, want))
        return t;
    if (t)
        error(c, onnx_loc(x), "holds %s, but %s is wanted", type_text(c, t->type), want_text(c, want));
    if (fault)
        error(c, onnx_loc(x), "is no tensor: %s is wanted, in NumPy's format .npy (numpy.save writes it) or as an ONNX "
              "TensorProto, .pb (%s); of raw bytes or text neither type nor shape is known: in Python, "
              "numpy.save('x.npy', numpy.fromfile(FILE, DTYPE).reshape(SHAPE)) states them", want_text(c, want), fault);
    return tensor_missing(c, want);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static bool give(pb_ostream_t *out, const pb_byte_t *data, size_t n)
{
    return fwrite(data, 1, n, out->state) == n;
}

static bool write_number(pb_ostream_t *out, uint32_t tag, uint64_t v)
{
    return pb_encode_tag(out, PB_WT_VARINT, tag) && pb_encode_varint(out, v);
}

static bool write_bytes(pb_ostream_t *out, uint32_t tag, const void *data, size_t n)
{
    return pb_encode_tag(out, PB_WT_STRING, tag) && pb_encode_string(out, data, n);
}

static bool write_tensor(pb_ostream_t *out, const Tensor *t)
{
    bool good = true;
    for (int i = 0; i < t->type.rank; i++)
        good = good && write_number(out, onnx_TensorProto_dims_tag, (uint64_t)t->type.dims[i]);
    good = good && write_number(out, onnx_TensorProto_data_type_tag, t->type.dt);
    if (t->type.dt != DT_STRING)
        return good && write_bytes(out, onnx_TensorProto_raw_data_tag, t->data, t->bytes);
    for (int64_t i = 0; i < type_count(t->type); i++) {
        const char *s = tensor_at_string(t, i);
        good = good && write_bytes(out, onnx_TensorProto_string_data_tag, s, strlen(s));
    }
    return good;
}

void pbfile_write(Ctx *c, const char *path, const Tensor *t)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        fatal(c, (Loc){0}, "cannot write '%s': %s", path, strerror(errno));
    pb_ostream_t out = {give, f, SIZE_MAX, 0, NULL};
    bool bad = !write_tensor(&out, t);
    if (fclose(f) || bad)
        fatal(c, (Loc){0}, "cannot write '%s': %s", path, strerror(errno));
}
