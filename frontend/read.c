/* The door of the frontend: maps a file, finds out by its content what it is, and hands it to the reader of that
 * format. A format is an entry of `readers`; the first whose probe says yes takes the file. Text comes last, as what
 * anything may be that has no control characters in front. */
#include "frontend.h"

enum { LOOK = 256, FAULTS = 100 };   /* bytes that a probe looks at; faults of a file that are told */

void fault_limited(Ctx *c, int *faults, Loc loc, const char *fmt, va_list args)
{
    const char *text = vinternf(c, fmt, args);
    if (++*faults > FAULTS)
        fatal(c, loc, "%s; too many faults: reading ends here", text);
    error(c, loc, "%s", text);
}

static bool is_control(unsigned char ch)
{
    return ch < '\t' || (ch > '\r' && ch < ' ') || ch == 0x7F;
}

static bool has_controls(const char *data, size_t n)
{
    for (size_t i = 0; i < n && i < LOOK; i++)
        if (is_control((unsigned char)data[i]))
            return true;
    return false;
}

/* A field of ModelProto in front, as protobuf writes it: numbers 1 to 8, 14, 20, 25, 26, of the right wire type. */
static bool is_onnx(const char *data, size_t n)
{
    static const char first[] = "\x08\x12\x1A\x22\x28\x32\x3A\x42\x72";
    unsigned char ch = n ? (unsigned char)*data : 0;
    bool tag = ch && (strchr(first, ch) || ((ch == 0xA2 || ch == 0xCA || ch == 0xD2) && n > 1 && data[1] == 1));
    return tag && has_controls(data, n);
}

static const char *behind_blanks(const char *data, size_t n)
{
    const char *s = data, *end = data + n;
    if (n >= 3 && !memcmp(s, "\xEF\xBB\xBF", 3))
        s += 3;
    while (s < end && (*s == ' ' || (*s >= '\t' && *s <= '\r')))
        s++;
    return s;
}

/* `<?xml`, `<!--` or `<net `: the text of ONNX has a field name and a colon there. Or a byte order mark of UTF-16. */
static bool is_xml(const char *data, size_t n)
{
    if (n >= 4 && (!memcmp(data, "\xFF\xFE<\0", 4) || !memcmp(data, "\xFE\xFF\0<", 4)))
        return true;
    const char *s = behind_blanks(data, n);
    size_t left = n - (size_t)(s - data);
    return left > 4 && *s == '<' && (s[1] == '?' || s[1] == '!' || (!memcmp(s, "<net", 4) && strchr(" \t\r\n/>", s[4])));
}

static bool is_text(const char *data, size_t n)
{
    const char *s = behind_blanks(data, n);
    size_t left = n - (size_t)(s - data);
    return !left || !has_controls(s, left < 4 ? left : 4);
}

/* What Git LFS leaves in place of a large file. */
static bool is_pointer(const char *data, size_t n)
{
    static const char start[] = "version https://git-lfs";
    return n >= sizeof start && !memcmp(data, start, sizeof start - 1);
}

static const Source *source_of(Ctx *c, const File *f)
{
    Source *src = NEW(c, Source);
    *src = (Source){.name = f->path};
    return src;
}

static NORETURN MModel *refuse(Ctx *c, const File *f, const char *what)
{
    fatal(c, (Loc){source_of(c, f), 0, 0, NULL}, "%s", what);
}

static MModel *read_text(Ctx *c, const File *f, const ReadOptions *o)
{
    (void)o;
    Source *src = NEW(c, Source);
    *src = (Source){f->path, f->data, f->size};
    return text_read(c, src);
}

static const Reader readers[] = {
    {"ONNX binary", is_onnx, onnx_read, false},
    {"OpenVINO IR", is_xml, openvino_read, true},
    {"ONNX text", is_text, read_text, false},
};

const Reader *frontend_format(const char *data, size_t n)
{
    for (int i = 0; i < COUNT(readers); i++)
        if (readers[i].probe(data, n))
            return &readers[i];
    return NULL;
}

MModel *frontend_model(Ctx *c, const char *path, const ReadOptions *o)
{
    File *f = file_map(c, path);
    if (!f)
        refuse(c, &(File){.path = intern(c, path)}, internf(c, "cannot be read: %s", strerror(errno)));
    if (!f->size)
        refuse(c, f, "is empty: a model is expected");
    if (is_pointer(f->data, f->size))
        refuse(c, f, "is a pointer of Git LFS to a model, not the model itself: fetch that with 'git lfs pull'");
    const Reader *r = frontend_format(f->data, f->size);
    if (!r)
        refuse(c, f, "is in no format that burin knows (ONNX text, ONNX binary, OpenVINO IR)");
    if (o && o->weights && !r->weights)
        error(c, (Loc){source_of(c, f), 0, 0, NULL}, "--weights-file: the model is %s, which says itself where its "
              "weights are; the option is for OpenVINO IR", r->format);
    return r->read(c, f, o);
}

Graph *frontend_read(Ctx *c, const char *path, const ReadOptions *o)
{
    MModel *m = frontend_model(c, path, o);
    Graph *g = m ? frontend_import(c, m, o) : NULL;
    if (g && !g->nouts) warning(c, (Loc){0}, "'%s' has no output: the function will do nothing", path);
    return g;
}
