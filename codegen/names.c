/* C identifiers from the names of a graph.
 *
 * What is made here consists of lower-case letters, digits and single inner underscores, is unique where it is
 * visible, and means nothing else in C, C++ or the four headers. Most names carry a stem (in_, out_, w_, fill_) that
 * no header uses; the names of locals may have none, so they are held against the table. */
#include "emit.h"

enum { NAME_MAX_LENGTH = 40 };

static const char words[] =
    " auto break case char const continue default do double else enum extern float for goto if inline int long"
    " register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
    " alignas alignof and asm atomic bool catch class compl concept consteval constexpr constinit decltype delete"
    " explicit export false friend module mutable namespace new noexcept not nullptr operator or private protected"
    " public reinterpret requires static assert template this thread throw true try typeid typename using virtual"
    " wchar xor bitand bitor import final override linux unix i386 main errno null eof size signgam memcpy memmove"
    " memchr memcmp memset memccpy mempcpy memrchr memmem rawmemchr bcmp bcopy bzero ffs ffsl ffsll index rindex"
    " strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn"
    " strstr strtok strxfrm strdup strndup strnlen strsep strsignal stpcpy stpncpy strcasecmp strncasecmp strchrnul"
    " strcasestr strverscmp basename arena weights math isgreater isless islessgreater isunordered fpclassify isfinite"
    " isinf isnan isnormal signbit finite significand ";

static const char math[] =
    " acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 pow10 frexp ilogb ldexp"
    " log log10 log1p log2 logb modf scalbn scalbln scalb cbrt fabs hypot pow sqrt erf erfc lgamma tgamma gamma ceil"
    " floor nearbyint rint lrint llrint round lround llround trunc fmod remainder remquo drem copysign nan nextafter"
    " nexttoward fdim fmax fmin fma j0 j1 jn y0 y1 yn sincos roundeven nextup nextdown llogb canonicalize totalorder"
    " totalordermag getpayload setpayload fmaxmag fminmag ufromfp fromfp ";

static bool listed(const char *list, const char *s, size_t n)
{
    for (const char *p = list; n && (p = strchr(p, *s)); p++)
        if (p[-1] == ' ' && !strncmp(p, s, n) && p[n] == ' ') return true;
    return false;
}

bool cname_reserved(const char *s)
{
    size_t n = strlen(s);
    if (listed(words, s, n) || listed(math, s, n)) return true;
    if (n > 1 && (s[n - 1] == 'f' || s[n - 1] == 'l') && listed(math, s, n - 1)) return true;
    return n > 2 && (!strcmp(s + n - 2, "_t") || !strcmp(s + n - 2, "_r"));
}

bool header_taken(const char *stem)
{
    static const char headers[] = " assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
                                  "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath "
                                  "threads time uchar wchar wctype unistd ";
    return listed(headers, stem, strlen(stem));
}

const char *cname_upper(Ctx *c, const char *name)
{
    char *to = mem_copy(c, name, strlen(name) + 1);
    for (char *p = to; *p; p++)
        if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
    return to;
}

/* Appends what of a name may stand in an identifier; all else becomes a single underscore between. */
static size_t append(char *to, size_t n, const char *from)
{
    for (; *from && n < NAME_MAX_LENGTH; from++) {
        char ch = *from >= 'A' && *from <= 'Z' ? (char)(*from - 'A' + 'a') : *from;
        if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9')) to[n++] = ch;
        else if (n > 0 && to[n - 1] != '_') to[n++] = '_';
    }
    return n;
}

static bool is_taken(const Names *n, const char *name)
{
    for (; n; n = n->up)
        if (ptrmap_get(&n->taken, name)) return true;
    return false;
}

void cnames_reserve(Ctx *c, Names *n, size_t count)
{
    ptrmap_reserve(c, &n->taken, count);
}

void cname_take(Ctx *c, Names *n, const char *name)
{
    ptrmap_put(c, &n->taken, intern(c, name), n);
}

const char *cname_new(Ctx *c, Names *names, const char *stem, const char *from)
{
    char to[2 * NAME_MAX_LENGTH];
    size_t n = append(to, 0, stem), from_at = n;
    if (n) to[n++] = '_';
    n = append(to, n, from ? from : "");
    while (n && to[n - 1] == '_') n--;
    if (n == from_at && n) n += (size_t)sprintf(to + n, "_v");           /* nothing of the name could stay */
    if (n == 0 || (to[0] >= '0' && to[0] <= '9')) {      /* only where there is no stem */
        memmove(to + 1, to, n);
        to[0] = 'v';
        n++;
    }
    to[n] = 0;
    size_t k = strlen(names->prefix);
    const bool exported = !strncmp(to, names->prefix, k) && (to[k] == '_' || to[k] == 0);
    const char *suffix = !*stem && cname_reserved(to) ? "_v" : "";
    const char *base = internf(c, "%s%s%s", exported ? "x" : "", to, suffix), *name = base;
    /* What number comes next is remembered, so that thousands of equal names take linear time. */
    const intptr_t next = (intptr_t)ptrmap_get(&names->next, base);
    for (intptr_t i = next ? next : 2; is_taken(names, name); i++) {
        name = internf(c, "%s_%lld", base, (long long)i);
        ptrmap_put(c, &names->next, base, (void *)(i + 1));
    }
    ptrmap_put(c, &names->taken, name, names);
    return name;
}

const char *path_stem(Ctx *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return intern_n(c, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

const char *prefix_from(Ctx *c, const char *name)
{
    char *to = NEW_N(c, char, strlen(name) + 3);
    size_t n = 0;
    for (const char *p = name; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
        if (n == 0 && *p >= '0' && *p <= '9') n = (size_t)sprintf(to, "m_");
        if (plain) to[n++] = *p;
        else if (n > 0 && to[n - 1] != '_') to[n++] = '_';
    }
    while (n > 0 && to[n - 1] == '_') n--;
    to[n] = 0;
    return n ? to : "model";
}
