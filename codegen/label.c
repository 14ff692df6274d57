/* Text for pictures: any bytes made valid, measured, and shortened until it fits.
 *
 * Nobody knows which font a picture is shown in. So a character is taken as wide as in the widest of the usual
 * sans-serif fonts (Verdana, DejaVu Sans, Arial and their like); of what is beyond, much is estimated, and
 * the picture then asks for that very width. */
#include "draw.h"

/* From the space on. */
static const short widths[95] = {
    352, 401, 460, 838, 636, 1000, 780, 275, 454, 454, 636, 838, 364, 454, 364, 454,
    636, 636, 636, 636, 636, 636,  636, 636, 636, 636, 454, 454, 838, 838, 838, 556,
    1015, 722, 722, 722, 770, 667, 611, 778, 752, 421, 500, 693, 557, 863, 748, 787,
    667, 787, 722, 684, 616, 732,  684, 989, 685, 667, 685, 454, 454, 454, 838, 636,
    636, 613, 635, 556, 635, 615,  352, 635, 634, 278, 344, 592, 278, 974, 634, 612,
    635, 635, 427, 521, 394, 634,  592, 818, 592, 592, 525, 636, 454, 636, 838};
enum { STACK_MOST = 2 };             /* marks on one character; more are left out */
static const char replacement[] = "\xEF\xBF\xBD", ellipsis[] = "\xE2\x80\xA6";

/* ---- characters -------------------------------------------------------------------------------------------------- */

int utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] && s[0] < 0x80) return 1;
    int n = s[0] >= 0xC2 && s[0] < 0xF5 ? (s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2) : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    const bool over_long = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    const bool surrogate = s[0] == 0xED && s[1] > 0x9F, beyond = s[0] == 0xF4 && s[1] > 0x8F;
    return over_long || surrogate || beyond ? 0 : n;
}

static uint32_t code_point(const char *s, int n)
{
    uint32_t v = (unsigned char)s[0];
    if (n > 1) v &= 0x7Fu >> n;
    for (int i = 1; i < n; i++) v = v << 6 | ((unsigned char)s[i] & 0x3F);
    return v;
}

/* Not for XML, or not to be seen, or it would turn what stands behind it. */
static bool unfit(uint32_t v)
{
    return v < ' ' || (v >= 0x7F && v < 0xA0) || v == 0x200E || v == 0x200F || (v >= 0x2028 && v <= 0x202E) ||
           (v >= 0x2060 && v <= 0x206F) || v == 0xFEFF || (v & 0xFFFE) == 0xFFFE || (v >= 0xFDD0 && v <= 0xFDEF);
}

/* From the character `first` on; sure: no usual font has one that is wider. */
typedef struct Range { uint32_t first; short width; bool sure; } Range;
static const Range ranges[] = {
    {0x80, 1000, true},   {0xB7, 500, true},    {0xB8, 1000, true},   {0xC0, 850, true},    {0xC6, 1080, true},
    {0xC7, 850, true},    {0xE6, 1080, true},   {0xE7, 850, true},    {0x152, 1080, true},  {0x154, 850, true},
    {0x180, 900, false},  {0x300, 0, false},    {0x370, 900, true},   {0x400, 1130, true},  {0x430, 960, true},
    {0x460, 800, false},  {0x600, 650, false},  {0x1100, 1000, false}, {0x1200, 700, false}, {0x200B, 0, false},
    {0x2010, 800, false}, {0x2026, 1000, true}, {0x2027, 800, false}, {0x2190, 1000, true}, {0x2194, 1000, false},
    {0xFB50, 800, false}, {0xFE30, 1000, false}, {0x10000, 900, false}, {0x1F000, 1250, false}, {0x20000, 1000, false}};

/* Thousandths of the font's size. */
static int width_of(uint32_t v, bool bold, bool *sure)
{
    if (v >= ' ' && v < ' ' + COUNT(widths)) return bold ? widths[v - ' '] * 23 / 20 + 25 : widths[v - ' '];
    int k = 0;
    while (k + 1 < COUNT(ranges) && v >= ranges[k + 1].first) k++;
    *sure &= ranges[k].sure;
    return ranges[k].sure && bold ? ranges[k].width * 23 / 20 : ranges[k].width;
}

/* Marks that stand on the character before: any number of them would climb out of the line. */
static bool stacks(uint32_t v)
{
    static const struct { uint32_t first, last; } marks[] = {
        {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},   {0xE31, 0xE31},
        {0xE34, 0xE3A},   {0xE47, 0xE4E},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF},
        {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    for (int i = 0; i < COUNT(marks); i++)
        if (v >= marks[i].first && v <= marks[i].last) return true;
    return false;
}

const char *label_clean(Ctx *c, const char *s)
{
    const char *p = s;
    while (*p >= ' ' && *p < 0x7F) p++;
    if (!*p) return s;
    const size_t most = strlen(s);
    char *to = mem_alloc(c, mem_times(3, most) + 1), *end = to;
    for (int n, stack = 0; *s; s += n) {
        n = utf8_length(s);
        const bool good = n && !unfit(code_point(s, n));
        stack = good && stacks(code_point(s, n)) ? stack + 1 : 0;
        if (stack > STACK_MOST) continue;
        memcpy(end, good ? s : replacement, good ? (size_t)n : 3);
        end += good ? n : 3;
        if (n == 0) n = 1;
    }
    return to;
}

/* ---- what fits --------------------------------------------------------------------------------------------------- */

static int64_t measure(const char *s, const char *end, bool bold, bool *sure)
{
    int64_t sum = 0;
    for (int n; s < end; s += n) {
        n = utf8_length(s);
        sum += width_of(code_point(s, n), bold, sure);
    }
    return sum;
}

static Label made_of(const char *text, int64_t thousandths, int size, bool sure)
{
    return (Label){text, (int)((thousandths * size + 999) / 1000), !sure};
}

/* The end of the longest beginning of s that is no wider than room. */
static const char *head_end(const char *s, int64_t room, bool bold)
{
    bool sure = true;
    for (int n; *s; s += n) {
        n = utf8_length(s);
        room -= width_of(code_point(s, n), bold, &sure);
        if (room < 0) break;
    }
    return s;
}

static const char *tail_start(const char *s, const char *end, int64_t room, bool bold)
{
    bool sure = true;
    while (end > s) {
        const char *at = end - 1;
        while (((unsigned char)*at & 0xC0) == 0x80) at--;
        room -= width_of(code_point(at, (int)(end - at)), bold, &sure);
        if (room < 0) break;
        end = at;
    }
    for (int n; (n = utf8_length(end)) && stacks(code_point(end, n));) end += n;
    return end;
}

Label label_fit(Ctx *c, const char *s, int size, bool bold, int room, Cut cut)
{
    bool sure = true;
    s = label_clean(c, s);
    const char *end = s + strlen(s);
    int64_t wide = measure(s, end, bold, &sure), most = (int64_t)room * 1000 / size;
    if (wide <= most) return made_of(s, wide, size, sure);
    const int dots = width_of(0x2026, bold, &sure);
    most = most > dots ? most - dots : 0;
    const char *head = head_end(s, cut == CUT_MIDDLE ? most * 2 / 5 : most, bold);
    sure = true;
    wide = measure(s, head, bold, &sure);
    const char *tail = cut == CUT_MIDDLE ? tail_start(head, end, most - wide, bold) : end;
    wide += measure(tail, end, bold, &sure) + dots;
    char *to = mem_alloc(c, (size_t)(head - s) + sizeof ellipsis + (size_t)(end - tail));
    memcpy(to, s, (size_t)(head - s));
    memcpy(to + (head - s), ellipsis, 3);
    memcpy(to + (head - s) + 3, tail, (size_t)(end - tail));
    return made_of(to, wide, size, sure);
}

/* ---- numbers for people ------------------------------------------------------------------------------------------ */

static const char *scaled(Ctx *c, int64_t n, int64_t base, const char *const *units, int nunits)
{
    int u = 0;
    double v = (double)n;
    while (u + 1 < nunits && v >= (double)base) v /= (double)base, u++;
    return u == 0 || v >= 100 ? internf(c, "%.0f%s", v, units[u]) : internf(c, "%.1f%s", v, units[u]);
}

const char *bytes_text(Ctx *c, int64_t bytes)
{
    static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    return scaled(c, bytes, 1024, units, COUNT(units));
}

const char *count_text(Ctx *c, int64_t n)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
    return scaled(c, n, 1000, units, COUNT(units));
}
