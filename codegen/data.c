/* Constants: C arrays that hold the very bits of their tensors, or OUT.bin.
 *
 * A float array is printed in decimals when short ones are exact for all its elements, else in hexadecimal; one with
 * infinities or NaNs as the integers of its bits, in a union with the floats that the code reads. Long literals are
 * slow and limited, so long strings are arrays of characters. The writers format into a buffer of their own: printf
 * would take most of the time of a large model. */
#include "emit.h"

enum { ROOM = 1 << 16, ITEM_MAX = 64, FEW = 8 };

typedef struct Rows {                /* items in lines of at most LINE columns */
    FILE *f;
    size_t n;
    int col;                         /* columns of the line at the end of buf, 0: none is begun */
    bool any;
    char buf[ROOM];
} Rows;

static bool in_bin(const Emit *e, const Buf *b)
{
    return e->o->weights_bin && b->dt != DT_STRING;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void rows_flush(Rows *r)
{
    fwrite(r->buf, 1, r->n, r->f);
    r->n = 0;
}

static void rows_add(Rows *r, const char *item, int n)
{
    if (r->n + (size_t)n + 16 > ROOM) rows_flush(r);
    if (r->any) r->buf[r->n++] = ',';
    if (r->col + n + 3 > LINE) {
        r->buf[r->n++] = '\n';
        r->col = 0;
    } else if (r->col > 0) {
        r->buf[r->n++] = ' ';
        r->col += 2;
    }
    if (r->col == 0) {
        memcpy(r->buf + r->n, "    ", INDENT);
        r->n += INDENT;
        r->col = INDENT;
    }
    memcpy(r->buf + r->n, item, (size_t)n);
    r->n += (size_t)n;
    r->col += n;
    r->any = true;
}

static int int_text(char *to, int64_t v)
{
    char digits[24];
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    int n = 0, k = 0;
    if (v < 0) to[n++] = '-';
    do digits[k++] = (char)('0' + u % 10);
    while ((u /= 10) > 0);
    while (k) to[n++] = digits[--k];
    return n;
}

static int hex_text(char *to, uint64_t u, int digits)
{
    int n = 0;
    to[n++] = '0';
    to[n++] = 'x';
    while (digits-- > 0) to[n++] = "0123456789ABCDEF"[u >> (4 * digits) & 15];
    return n;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

typedef enum Style { STYLE_PLAIN, STYLE_HEX, STYLE_BITS } Style;

static Style style_of(const Buf *b)
{
    const int64_t n = buf_count(b);
    Style s = STYLE_PLAIN;
    char to[ITEM_MAX];
    if (b->dt != DT_F32 && b->dt != DT_F64) return s;
    for (int64_t i = 0; i < n; i++) {
        const Value v = scalar_read(b->dt, b->data->data, i);
        if (const_is_nan_or_inf(b->dt, v)) return STYLE_BITS;
        if (s == STYLE_PLAIN && n > FEW && !short_float(to, b->dt == DT_F32 ? (double)v.f : v.d)) s = STYLE_HEX;
    }
    return s;
}

static int real_text(char *to, DType dt, Value v, Style s)
{
    const bool single = dt == DT_F32;
    if (s == STYLE_BITS) return hex_text(to, v.u, single ? 8 : 16);
    const int n = short_float(to, single ? (double)v.f : v.d);
    if (n && single) to[n] = 'F';
    if (n) return n + single;
    const int k = single ? hex_float(to, (uint32_t)v.u) : hex_double(to, v.u);
    return s == STYLE_HEX ? k : k + sprintf(to + k, " /* %.*g */", single ? 6 : 15, single ? (double)v.f : v.d);
}

static int item_text(char *to, const Buf *b, int64_t i, Style s)
{
    const Value v = scalar_read(b->dt, b->data->data, i);
    switch (b->dt) {
    case DT_F32:
    case DT_F64: return real_text(to, b->dt, v, s);
    case DT_F16:
    case DT_BF16: return hex_text(to, v.u, 4);
    case DT_U64:
        if (v.u > INT64_MAX) return hex_text(to, v.u, 16);
        break;
    case DT_I64:
        if (v.i == INT64_MIN) return sprintf(to, "-9223372036854775807 - 1");
        break;
    case DT_I32:
        if (v.i == INT32_MIN) return sprintf(to, "-2147483647 - 1");
        break;
    default: break;
    }
    if (dtype_is_float(b->dt)) return hex_text(to, v.u, 2);
    return int_text(to, v.i);
}

/* A byte of packed elements; what is beyond the last element is 0. */
static int packed_text(char *to, const Buf *b, int64_t byte)
{
    const int per = elem_per(b->dt), bits = dtype_bits(b->dt);
    unsigned u = 0;
    for (int k = 0; k < per && byte * per + k < buf_count(b); k++) {
        const Value v = scalar_read(b->dt, b->data->data, byte * per + k);
        u |= ((unsigned)v.u & ((1u << bits) - 1)) << (k * bits);
    }
    return hex_text(to, u, 2);
}

static void print_numbers(FILE *f, Rows *r, const Buf *b, Style s)
{
    const int per = elem_per(b->dt);
    const int64_t n = (buf_count(b) + per - 1) / per;
    char item[ITEM_MAX];
    *r = (Rows){.f = f};
    for (int64_t i = 0; i < n; i++) rows_add(r, item, per > 1 ? packed_text(item, b, i) : item_text(item, b, i, s));
    rows_flush(r);
}

static void print_array(Emit *e, FILE *f, Rows *r, const Buf *b, const char *name)
{
    const int per = elem_per(b->dt);
    const long long n = (long long)((buf_count(b) + per - 1) / per);
    const Style s = style_of(b);
    const char *type = buf_ctype(b);
    if (s == STYLE_BITS)
        fprintf(f, "%s_CONST static const union { uint%d_t u[%lld]; %s f[%lld]; } %s", e->upper, dtype_bits(b->dt), n,
                type, n, name);
    else
        fprintf(f, "%s_CONST static const %s %s[%lld]", e->upper, type, name, n);
    if (n * elem_bytes(b->dt) >= CACHE_LINE) print_aligned(e, f);
    fputs(s == STYLE_BITS ? " = {{\n" : " = {\n", f);
    print_numbers(f, r, b, s);
    fputs(s == STYLE_BITS ? "\n}};\n" : "\n};\n", f);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static void print_characters(Emit *e, FILE *f, Rows *r, const char *s, const char *name)
{
    const size_t n = strlen(s) + 1;
    char item[8];
    fprintf(f, "%s_CONST static const char %s[%zu] = {\n", e->upper, name, n);
    *r = (Rows){.f = f};
    for (size_t i = 0; i < n; i++) rows_add(r, item, sprintf(item, "'\\%03o'", (unsigned)(unsigned char)s[i]));
    rows_flush(r);
    fputs("\n};\n", f);
}

/* In parentheses when it needs more than a line: else a comma might be missing between its parts. */
static void print_literal(FILE *f, const char *s)
{
    enum { PIECE = 28 };             /* a character takes at most four columns */
    const size_t n = strlen(s);
    fprintf(f, "%*s%s", INDENT, "", n > PIECE ? "(" : "");
    for (size_t i = 0; i < n || i == 0; i += PIECE) {
        if (i) fprintf(f, "\n%*s", INDENT + 1, "");
        print_string(f, s + i, n - i < PIECE ? n - i : PIECE);
    }
    fputs(n > PIECE ? ")" : "", f);
}

static void print_strings(Emit *e, FILE *f, Rows *r, const Buf *b, const char *name)
{
    const int64_t n = buf_count(b);
    for (int64_t i = 0; i < n; i++) {
        const char *s = tensor_at_string(b->data, i);
        if (strlen(s) >= STRING_MAX) print_characters(e, f, r, s, internf(e->c, "%s_long_%lld", name, (long long)i));
    }
    fprintf(f, "%s_CONST static const char *const %s[%lld] = {\n", e->upper, name, (long long)n);
    for (int64_t i = 0; i < n; i++) {
        const char *s = tensor_at_string(b->data, i);
        if (strlen(s) >= STRING_MAX) fprintf(f, "%*s%s_long_%lld", INDENT, "", name, (long long)i);
        else print_literal(f, s);
        fputs(i + 1 < n ? ",\n" : "\n", f);
    }
    fputs("};\n", f);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

int64_t const_bytes(const Buf *b)
{
    if (b->dt != DT_STRING) return (int64_t)buf_bytes(b);
    int64_t bytes = 0;
    for (int64_t i = 0; i < buf_count(b); i++)
        bytes = bytes_sum(bytes, (int64_t)(strlen(tensor_at_string(b->data, i)) + 1 + sizeof(char *)));
    return bytes;
}

/* Registers that are read across the end of a cache line take twice the time; what fills many lines may waste one. */
enum { LINES_MANY = 16 };

static int64_t place_align(const Buf *b)
{
    return buf_bytes(b) >= (size_t)LINES_MANY * CACHE_LINE ? CACHE_LINE : elem_bytes(b->dt);
}

void plan_constants(Emit *e)
{
    e->bin_align = 1;
    for (int i = 0; i < e->p->nbufs; i++) {
        const Buf *b = e->p->bufs[i];
        if (b->kind != BUF_CONST) continue;
        BufInfo *info = buf_info(e, b);
        info->name = cname_new(e->c, &e->names, "w", b->name);
        const int64_t align = place_align(b);
        if (!in_bin(e, b)) {
            info->bits = style_of(b) == STYLE_BITS;
            continue;
        }
        if (align > e->bin_align) e->bin_align = align;
        info->offset = bytes_sum(e->bin_bytes, align - 1) / align * align;
        e->bin_bytes = bytes_sum(info->offset, (int64_t)buf_bytes(b));
    }
}

static const char packed_told[] =
    "/* Constants of the graph. One of another shape than there holds the same values in the order in which tiles\n"
    " * read them, zeros where a tile is not full. */\n\n";

void print_constants(Emit *e, FILE *f)
{
    Rows *r = NEW(e->c, Rows);
    bool told = !e->lanes;           /* without tiles, none lies otherwise than in the graph */
    for (int i = 0; i < e->strings.n; i++)
        print_characters(e, f, r, e->strings.at[i], internf(e->c, "w_long_text_%d", i + 1));
    for (int i = 0; i < e->p->nbufs; i++) {
        const Buf *b = e->p->bufs[i];
        const BufInfo *info = b->kind == BUF_CONST ? buf_info(e, b) : NULL;
        if (!info || !info->used || in_bin(e, b) || buf_count(b) == 0) continue;
        if (!told) fputs(packed_told, f);
        told = true;
        print_buf(e, e->line->f, b);
        print_comment(f, e->line, 0);
        if (b->dt == DT_STRING) print_strings(e, f, r, b, info->name);
        else print_array(e, f, r, b, info->name);
        fputc('\n', f);
    }
}

/* A bool is 0 or 1, whatever the model's byte. */
static void write_bools(FILE *f, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) fputc(p[i] != 0, f);
}

void write_bin(Emit *e, FILE *f)
{
    int64_t at = 0;
    for (int i = 0; i < e->p->nbufs; i++) {
        const Buf *b = e->p->bufs[i];
        if (b->kind != BUF_CONST || !in_bin(e, b)) continue;
        for (; at < buf_info(e, b)->offset; at++) fputc(0, f);
        const size_t n = buf_bytes(b);
        if (b->dt == DT_BOOL) write_bools(f, b->data->data, n);
        else if (n) fwrite(b->data->data, 1, n, f);
        at += (int64_t)n;
    }
}
