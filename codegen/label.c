/* Text for pictures: any bytes made valid, measured, and shortened until it fits.
 *
 * Nobody knows which font a picture is shown in. So a character is taken as wide as in the widest of the usual
 * sans-serif fonts (Verdana, DejaVu Sans, Arial and their like); what is beyond ASCII is estimated, and the picture then
 * asks for that very width. */
#include "draw.h"

/* Thousandths of the font's size, from the space on. */
static const short widths[95] = {
    352, 401, 460, 838, 636, 1000, 780, 275, 454, 454, 636, 838, 364, 454, 364, 454,
    636, 636, 636, 636, 636, 636,  636, 636, 636, 636, 454, 454, 838, 838, 838, 556,
    1015, 722, 722, 722, 770, 667, 611, 778, 752, 421, 500, 693, 557, 863, 748, 787,
    667, 787, 722, 684, 616, 732,  684, 989, 685, 667, 685, 454, 454, 454, 838, 636,
    636, 613, 635, 556, 635, 615,  352, 635, 634, 278, 344, 592, 278, 974, 634, 612,
    635, 635, 427, 521, 394, 634,  592, 818, 592, 592, 525, 636, 454, 636, 838};
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
    return v < ' ' || (v >= 0x7F && v < 0xA0) || (v >= 0x200B && v <= 0x200F) || (v >= 0x2028 && v <= 0x202E) ||
           (v >= 0x2060 && v <= 0x206F) || v == 0xFEFF || (v & 0xFFFE) == 0xFFFE || (v >= 0xFDD0 && v <= 0xFDEF);
}

static int width_of(uint32_t v, bool bold)
{
    if (v >= ' ' && v < ' ' + COUNT(widths)) return bold ? widths[v - ' '] * 23 / 20 + 25 : widths[v - ' '];
    return v >= 0x1F000 ? 1350 : v >= 0x1100 || v == 0x2026 ? 1050 : 800;
}

const char *label_clean(Ctx *c, const char *s)
{
    const char *p = s;
    while (*p >= ' ' && *p < 0x7F) p++;
    if (!*p) return s;
    const size_t most = strlen(s);
    char *to = mem_alloc(c, mem_times(3, most) + 1), *end = to;
    for (int n; *s; s += n) {
        n = utf8_length(s);
        const bool good = n && !unfit(code_point(s, n));
        memcpy(end, good ? s : replacement, good ? (size_t)n : 3);
        end += good ? n : 3;
        if (n == 0) n = 1;
    }
    return to;
}

/* ---- what fits --------------------------------------------------------------------------------------------------- */

static int64_t measure(const char *s, const char *end, bool bold, bool *plain)
{
    int64_t sum = 0;
    for (int n; s < end; s += n) {
        n = utf8_length(s);
        *plain &= n == 1;
        sum += width_of(code_point(s, n), bold);
    }
    return sum;
}

static int to_pixels(int64_t thousandths, int size)
{
    return (int)((thousandths * size + 999) / 1000);
}

/* The longest beginning of s that is no wider than room, in thousandths. */
static const char *head_of(const char *s, int64_t room, bool bold)
{
    for (int n; *s; s += n) {
        n = utf8_length(s);
        room -= width_of(code_point(s, n), bold);
        if (room < 0) break;
    }
    return s;
}

static const char *tail_of(const char *s, const char *end, int64_t room, bool bold)
{
    while (end > s) {
        const char *at = end - 1;
        while (((unsigned char)*at & 0xC0) == 0x80) at--;
        room -= width_of(code_point(at, (int)(end - at)), bold);
        if (room < 0) break;
        end = at;
    }
    return end;
}

Label label_fit(Ctx *c, const char *s, int size, bool bold, int room, Cut cut)
{
    bool plain = true;
    s = label_clean(c, s);
    const char *end = s + strlen(s);
    int64_t wide = measure(s, end, bold, &plain), most = (int64_t)room * 1000 / size;
    if (wide <= most) return (Label){s, to_pixels(wide, size), !plain};
    most -= width_of(0x2026, bold);
    if (most < 0) most = 0;
    const char *head = head_of(s, cut == CUT_MIDDLE ? most * 2 / 5 : most, bold);
    plain = true;
    wide = measure(s, head, bold, &plain);
    const char *tail = cut == CUT_MIDDLE ? tail_of(head, end, most - wide, bold) : end;
    wide += measure(tail, end, bold, &plain) + width_of(0x2026, bold);
    char *to = mem_alloc(c, (size_t)(head - s) + sizeof ellipsis + (size_t)(end - tail));
    memcpy(to, s, (size_t)(head - s));
    memcpy(to + (head - s), ellipsis, 3);
    memcpy(to + (head - s) + 3, tail, (size_t)(end - tail));
    return (Label){to, to_pixels(wide, size), !plain};
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
