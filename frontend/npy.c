/* Files of one tensor: what `burin run` reads inputs from and writes outputs to. Here NumPy's: format versions 1 to 3;
 * what is big-endian or in Fortran order is turned round as it is read. Types that NumPy lacks (16-bit brain floats,
 * 8-bit and sub-byte ones, strings) take the other form, a TensorProto (pbfile.c). */
#include "frontend.h"

#define MAGIC "\x93NUMPY"

static const struct { DType dt; const char *descr; } descrs[] = {
    {DT_F32, "<f4"}, {DT_F64, "<f8"},  {DT_F16, "<f2"}, {DT_I8, "|i1"},    {DT_U8, "|u1"},
    {DT_I16, "<i2"}, {DT_U16, "<u2"},  {DT_I32, "<i4"}, {DT_U32, "<u4"},   {DT_I64, "<i8"},
    {DT_U64, "<u8"}, {DT_BOOL, "|b1"}, {DT_C64, "<c8"}, {DT_C128, "<c16"},
};

static const char *descr_of(DType dt)
{
    for (int i = 0; i < COUNT(descrs); i++)
        if (descrs[i].dt == dt) return descrs[i].descr;
    return NULL;
}

static DType dtype_of(const char *descr, size_t n)
{
    for (int i = 0; i < COUNT(descrs); i++)
        if (strlen(descrs[i].descr) == n && !strncmp(descrs[i].descr + 1, descr + 1, n - 1)) return descrs[i].dt;
    return DT_NONE;
}

/* The value of a key in the header's dictionary: the text behind "'key':" and blanks, or NULL. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at) return NULL;
    at += strlen(key);
    while (*at == ' ' || *at == ':') at++;
    return at;
}

static bool read_shape(const char *at, int *rank, int64_t *dims)
{
    if (!at || *at++ != '(') return false;
    for (*rank = 0; *at != ')'; (*rank)++) {
        char *end;
        errno = 0;
        long long v = strtoll(at, &end, 10);
        if (end == at || errno || v < 0 || *rank == MAX_RANK) return false;
        dims[*rank] = v;
        at = end;
        while (*at == ',' || *at == ' ') at++;
    }
    return true;
}

typedef struct Header { DType dt; int rank; int64_t dims[MAX_RANK]; size_t data; bool big, fortran; } Header;

/* What is wrong with it, or NULL. */
static const char *read_header(Ctx *c, const File *f, Header *h)
{
    const unsigned char *p = (const unsigned char *)f->data;
    if (f->size < 12) return "is no .npy file: its header is cut short";
    if (p[6] < 1 || p[6] > 3) return internf(c, "is .npy of version %d; burin reads versions 1 to 3", p[6]);
    size_t start = p[6] == 1 ? 10 : 12, n = (size_t)p[8] | (size_t)p[9] << 8;
    if (p[6] > 1) n |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (n > f->size - start) return "is no .npy file: its header is cut short";
    const char *header = intern_n(c, f->data + start, n), *descr = value_of(header, "'descr'"),
               *order = value_of(header, "'fortran_order'"), *end = NULL;
    if (descr && *descr == '[') return "holds records; burin reads plain arrays: save one field, as in a['name']";
    if (descr && *descr == '\'') end = strchr(descr + 1, '\'');
    if (!end || !order || (strncmp(order, "False", 5) && strncmp(order, "True", 4)))
        return "has a header without 'descr' or 'fortran_order'";
    h->dt = dtype_of(descr + 1, (size_t)(end - descr - 1));
    h->big = descr[1] == '>';
    h->fortran = *order == 'T';
    h->data = start + n;
    if (h->dt == DT_NONE)
        return internf(c, "holds NumPy's type '%.*s', which no tensor has: convert it with astype(), or save a "
                       "TensorProto (.pb)", (int)(end - descr - 1 < 40 ? end - descr - 1 : 40), descr + 1);
    return read_shape(value_of(header, "'shape'"), &h->rank, h->dims) ? NULL : "has a shape that burin cannot read";
}

/* The elements in C order and the machine's order of bytes. */
static const void *turned(Ctx *c, const Header *h, Type t, const char *from)
{
    const int64_t n = type_count(t);
    const size_t size = n ? type_bytes(t) / (size_t)n : 0;
    const size_t part = dtype_class(t.dt) == CLASS_COMPLEX ? size / 2 : size;
    char *to = mem_alloc(c, type_bytes(t) + 1);
    int64_t at[MAX_RANK] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t source = 0;
        for (int d = t.rank; d-- > 0;) source = source * t.dims[d] + at[d];
        if (!h->fortran) source = i;
        for (size_t k = 0; k < size; k++)
            to[(size_t)i * size + k] = from[(size_t)source * size + (h->big ? k + part - 1 - k % part * 2 : k)];
        for (int d = t.rank; d-- > 0 && ++at[d] == t.dims[d];) at[d] = 0;
    }
    return to;
}

bool type_fits(Type t, Type want)
{
    return want.rank < 0 ? t.dt == want.dt : type_same(t, want);
}

const char *want_text(Ctx *c, Type want)
{
    return want.rank < 0 ? internf(c, "%s of some shape", dtype_name(want.dt)) : type_text(c, want);
}

Tensor *tensor_missing(Ctx *c, Type want)
{
    return tensor_new(c, want.rank < 0 ? (Type){want.dt, 0, NULL} : want);
}

const Tensor *npy_read(Ctx *c, const File *f, Type want)
{
    Source *src = NEW(c, Source);
    *src = (Source){f->path, NULL, f->size};
    Loc at = {.src = src};
    Header h;
    const char *fault = read_header(c, f, &h);
    if (fault) {
        error(c, at, "%s", fault);
        return tensor_missing(c, want);
    }
    Type t = type_make(c, h.dt, h.rank, h.dims);
    if (!type_fits(t, want)) {
        error(c, at, "holds %s, but %s is wanted", type_text(c, t), want_text(c, want));
        return tensor_missing(c, want);
    }
    if (f->size - h.data < type_bytes(t)) {
        error(c, at, "is cut short: %s needs %zu bytes of data, there are %zu", type_text(c, t), type_bytes(t),
              f->size - h.data);
        return tensor_missing(c, want);
    }
    const char *data = f->data + h.data;
    return tensor_of(c, t, h.big || h.fortran ? turned(c, &h, t, data) : data, type_bytes(t));
}

void npy_write(Ctx *c, const char *path, const Tensor *t)
{
    const char *descr = descr_of(t->type.dt);
    if (!descr) fatal(c, (Loc){0}, "cannot write '%s': NumPy has no type for %s", path, dtype_name(t->type.dt));
    char header[1024];
    int n = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < t->type.rank; i++)
        n += snprintf(header + n, sizeof header - (size_t)n, i + 1 < t->type.rank || i == 0 ? "%lld, " : "%lld",
                      (long long)t->type.dims[i]);
    n += snprintf(header + n, sizeof header - (size_t)n, "), }");
    while ((n + 11) % 64) header[n++] = ' ';
    header[n++] = '\n';
    FILE *f = fopen(path, "wb");
    if (!f) fatal(c, (Loc){0}, "cannot write '%s': %s", path, strerror(errno));
    const unsigned char lead[] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(n & 255), (unsigned char)(n >> 8)};
    fwrite(lead, 1, sizeof lead, f);
    fwrite(header, 1, (size_t)n, f);
    fwrite(t->data, 1, t->bytes, f);
    bool bad = ferror(f) != 0;
    if (fclose(f) || bad) fatal(c, (Loc){0}, "cannot write '%s': %s", path, strerror(errno));
}

const Tensor *value_read(Ctx *c, const char *path, Type want)
{
    const File *f = file_map(c, path);
    if (!f) fatal(c, (Loc){0}, "cannot read '%s': %s", path, strerror(errno));
    return tensor_read(c, f, want);
}

const Tensor *tensor_read(Ctx *c, const File *f, Type want)
{
    return f->size >= 6 && !memcmp(f->data, MAGIC, 6) ? npy_read(c, f, want) : pbfile_read(c, f, want);
}

void value_write(Ctx *c, const char *stem, const Tensor *t)
{
    if (descr_of(t->type.dt)) npy_write(c, internf(c, "%s.npy", stem), t);
    else pbfile_write(c, internf(c, "%s.pb", stem), t);
}
