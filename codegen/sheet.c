/* Sheet in memory, lines broken at 120 columns, and the literals of C.
 *
 * Every literal has the value, bit for bit: floats are written as decimals when few digits give them exactly, else in
 * hexadecimal, which is exact, short and quick to compile. The greatest negative integers are written as differences,
 * since C has no negative literals. */
#include "emit.h"

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void sheet_release(void *what)
{
    Sheet *t = what;
    if (t->f) fclose(t->f);
    free(t->at);
    t->f = NULL;
    t->at = NULL;
}

Sheet *sheet_new(Ctx *c)
{
    Sheet *t = NEW(c, Sheet);
    t->f = open_memstream(&t->at, &t->n);
    if (!t->f) out_of_memory(c);
    ctx_defer(c, sheet_release, t);
    return t;
}

void sheet_end(Sheet *t)
{
    if (t->f) fclose(t->f);
    t->f = NULL;
}

void sheet_free(Sheet *t)
{
    sheet_release(t);
}

void sheet_rewind(Sheet *t)
{
    rewind(t->f);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* What stands at s as a unit: a string, a character, a comment; else 1. */
size_t literal_unit(const char *s, size_t n)
{
    if (s[0] == '/' && n > 1 && s[1] == '*') {
        const char *end = memmem(s + 2, n - 2, "*/", 2);
        return end ? (size_t)(end - s) + 2 : n;
    }
    if (s[0] != '"' && s[0] != '\'') return 1;
    size_t i = 1;
    while (i < n && s[i] != s[0]) i += s[i] == '\\' ? 2 : 1;
    return i < n ? i + 1 : n;
}

/* How badly a line would break at the space s[i], inside `depth` parentheses: best behind a comma or before an
 * operator. */
static int badness(const char *s, size_t i, int depth)
{
    const bool listed = s[i - 1] == ',' || s[i - 1] == ';', sign = strchr("+-*/<>=!&|?:", s[i + 1]) && s[i + 2] != 'r';
    return 4 * depth + (listed ? 0 : sign ? 2 : 3);
}

/* Where to break a text that does not fit into `room` columns: at the space that is least bad in the second half,
 * the last of those; 0: nowhere. */
static size_t find_break(const char *s, size_t n, size_t room)
{
    size_t best = 0, any = 0;
    int depth = 0, least = INT_MAX;
    for (size_t i = 0; i < n; i += literal_unit(s + i, n - i)) {
        if (s[i] == '(' || s[i] == '[' || s[i] == '{') depth++;
        if (s[i] == ')' || s[i] == ']' || s[i] == '}') depth--;
        if (s[i] != ' ' || i == 0) continue;
        if (i > room) return best ? best : any ? any : i;
        any = i;
        const int bad = badness(s, i, depth);
        if (i < room / 2 || bad > least) continue;
        least = bad;
        best = i;
    }
    return best ? best : any;
}

void print_wrapped(FILE *f, const char *s, size_t n, int indent)
{
    const size_t first = (size_t)(LINE - indent);
    for (size_t room = first; n > room; room = first - INDENT) {
        size_t at = find_break(s, n, room);
        if (at == 0) break;
        fprintf(f, "%*s%.*s\n", indent, "", (int)at, s);
        s += at + 1;
        n -= at + 1;
        if (room == first) indent += INDENT;
    }
    fprintf(f, "%*s", indent, "");
    fwrite(s, 1, n, f);
    fputc('\n', f);
}

void print_comment(FILE *f, Sheet *t, int indent)
{
    fflush(t->f);
    const char *at = t->at;
    size_t n = t->n, room = (size_t)(LINE - indent - 6);
    fprintf(f, "%*s/*", indent, "");
    while (n > room) {
        size_t k = room;
        while (k > room / 2 && at[k] != ' ') k--;
        if (at[k] != ' ') k = room;
        fprintf(f, " %.*s\n%*s *", (int)k, at, indent, "");
        at += k + (at[k] == ' ');
        n = t->n - (size_t)(at - t->at);
    }
    fprintf(f, " %.*s */\n", (int)n, at);
    sheet_rewind(t);
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

/* Question marks too: two of them may begin a trigraph. */
static bool plain_char(unsigned char ch)
{
    return ch >= ' ' && ch <= '~' && ch != '"' && ch != '\\' && ch != '?';
}

static void print_characters(FILE *f, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = (unsigned char)s[i];
        if (plain_char(ch)) fputc(ch, f);
        else fprintf(f, "\\%03o", ch);
    }
}

void print_string(FILE *f, const char *s, size_t n)
{
    fputc('"', f);
    print_characters(f, s, n);
    fputc('"', f);
}

void print_short_string(FILE *f, const char *s, int columns)
{
    int col = 0;
    size_t n = 0, fits = 0;          /* fits: what is kept where "..." must follow */
    for (; s[n] && col <= columns; n++) {
        if (col <= columns - 3) fits = n;
        col += plain_char((unsigned char)s[n]) ? 1 : 4;
    }
    const bool cut = col > columns;
    fputc('"', f);
    print_characters(f, s, cut ? fits : n);
    fputs(cut ? "...\"" : "\"", f);
}

void print_name(FILE *f, const char *s)
{
    char to[NAME_BYTES + 1];
    if (strlen(s) <= NAME_BYTES) {
        print_escaped(f, s);
        return;
    }
    memcpy(to, s, NAME_BYTES);
    to[NAME_BYTES] = 0;
    print_escaped(f, to);
    fputs("...", f);
}

static int hex_digits(char *to, uint64_t frac, int digits)
{
    int n = 0;
    for (int i = digits - 1; i >= 0 && frac; i--) {
        if (n == 0) to[n++] = '.';
        to[n++] = "0123456789abcdef"[frac >> (4 * i) & 15];
        frac &= ((uint64_t)1 << (4 * i)) - 1;
    }
    return n;
}

static int exponent_text(char *to, int e)
{
    char digits[8];
    int n = 0, k = 0;
    to[n++] = 'p';
    if (e < 0) to[n++] = '-';
    if (e < 0) e = -e;
    do digits[k++] = (char)('0' + e % 10);
    while ((e /= 10) > 0);
    while (k) to[n++] = digits[--k];
    return n;
}

/* frac: the bits behind the leading one, as so many hexadecimal digits; e: the biased exponent. */
static int hex_text(char *to, bool minus, uint64_t frac, int digits, int e, int bias)
{
    int n = 0;
    if (minus) to[n++] = '-';
    to[n++] = '0';
    to[n++] = 'x';
    to[n++] = e ? '1' : '0';
    n += hex_digits(to + n, frac, digits);
    return n + exponent_text(to + n, e ? e - bias : frac ? 1 - bias : 0);
}

int hex_float(char *to, uint32_t u)
{
    int n = hex_text(to, u >> 31, (uint64_t)(u & 0x7FFFFF) << 1, 6, (int)(u >> 23 & 0xFF), 127);
    to[n++] = 'F';
    return n;
}

int hex_double(char *to, uint64_t u)
{
    return hex_text(to, u >> 63, u & ((UINT64_C(1) << 52) - 1), 13, (int)(u >> 52 & 0x7FF), 1023);
}

/* Numbers below a million with at most four decimals: scaled by 10 000 they are integers, and the product has no
 * rounding. */
int short_float(char *to, double v)
{
    if (!(fabs(v) < 1e6) || (double)(float)v != v) return 0;
    const double scaled = v * 10000;
    const int64_t k = (int64_t)scaled;
    if ((double)k != scaled) return 0;
    uint64_t m = (uint64_t)(k < 0 ? -k : k), frac = m % 10000, whole = m / 10000;
    char digits[8];
    int n = 0, d = 0;
    if (signbit(v)) to[n++] = '-';
    do digits[d++] = (char)('0' + whole % 10);
    while ((whole /= 10) > 0);
    while (d) to[n++] = digits[--d];
    to[n++] = '.';
    for (uint64_t unit_of = 1000; unit_of && (frac || to[n - 1] == '.'); unit_of /= 10) {
        to[n++] = (char)('0' + frac / unit_of);
        frac %= unit_of;
    }
    return n;
}

bool const_is_nan_or_inf(DType dt, Value v)
{
    return (dt == DT_F32 && !isfinite(v.f)) || (dt == DT_F64 && !isfinite(v.d));
}

static void print_real(FILE *f, DType dt, Value v)
{
    char to[40];
    const bool single = dt == DT_F32;
    const double d = single ? (double)v.f : v.d;
    int n = short_float(to, d);
    if (n) {
        fprintf(f, "%.*s%s", n, to, single ? "F" : "");
        return;
    }
    n = single ? hex_float(to, (uint32_t)v.u) : hex_double(to, v.u);
    fprintf(f, "%.*s /* %.*g */", n, to, single ? 6 : 15, d);
}

void print_scalar(FILE *f, DType dt, Value v)
{
    if (dt == DT_F32 || dt == DT_F64) print_real(f, dt, v);
    else if (dt == DT_BOOL) fputs(v.i ? "true" : "false", f);
    else if (dt == DT_U32 || dt == DT_U64) fprintf(f, "%lluU", (unsigned long long)v.u);
    else if (dt == DT_F16 || dt == DT_BF16) fprintf(f, "0x%04llX", (unsigned long long)v.u);
    else if (dtype_is_float(dt)) fprintf(f, "0x%02llX", (unsigned long long)v.u);
    else if (dt == DT_I64 && v.i == INT64_MIN) fputs("(-9223372036854775807 - 1)", f);
    else if (dt == DT_I32 && v.i == INT32_MIN) fputs("(-2147483647 - 1)", f);
    else fprintf(f, "%lld", (long long)v.i);
}
