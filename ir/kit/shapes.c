/* Shapes of operands as text: "X[N,C,H,W] rois[R,4]". A letter stands for one number wherever it occurs. */
#include "kit.h"

#include <ctype.h>

void size_set(Sizes *s, char letter, int64_t v)
{
    s->known[(int)letter] = true;
    s->of[(int)letter] = v;
}

/* A product of letters and numbers; what is not known yet (one letter, at most) is left to *open. */
static int64_t product(const char **p, const Sizes *s, char *open)
{
    int64_t v = 1, more;
    *open = 0;
    do {
        more = 1;
        if (isdigit((unsigned char)**p)) {
            more = **p - '0';
            ++*p;
        } else if (isalpha((unsigned char)**p)) {
            if (s->known[(int)**p])
                more = s->of[(int)**p];
            else
                *open = **p;
            ++*p;
        }
        v = more > 0 && v > INT64_MAX / more ? INT64_MAX : v * more;
    } while (**p == '*' && ++*p);
    return v;
}

/* One of "H|H*K". */
static bool fits_one(const char **p, Sizes *s, int64_t v)
{
    bool fits = false;
    do {
        char open;
        int64_t n = product(p, s, &open);
        if (open && n > 0 && v % n == 0)
            size_set(s, open, v / n);
        fits |= open ? n > 0 && v % n == 0 : n == v;
    } while (**p == '|' && ++*p);
    return fits;
}

static int count_dims(const char *p)
{
    int n = *p != ']';
    for (; *p != ']'; p++)
        n += *p == ',';
    return n;
}

/* *p stands behind the bracket that opens, then behind the one that closes. "..." stands for all that are there. */
static bool fits_shape(const char **p, Sizes *s, Type t)
{
    int rest = t.rank - count_dims(*p), k = 0;
    bool fits = true, any = false;
    while (**p != ']') {
        if (strncmp(*p, "...", 3) == 0) {
            *p += 3;
            k += rest + 1;
            any = true;
        } else {
            fits &= k < 0 || k >= t.rank ? fits_one(p, &(Sizes){0}, 0) && false : fits_one(p, s, t.dims[k]);
            k++;
        }
        *p += **p == ',';
    }
    ++*p;
    return fits && (any ? rest >= -1 : rest == 0);
}

/* " (N = 1, C = 3)" */
static const char *sizes_text(Ctx *c, const Sizes *s)
{
    const char *text = "";
    for (int i = 0; i < COUNT(s->known); i++)
        if (s->known[i])
            text = internf(c, "%s%s%c = %lld", text, *text ? ", " : " (", i, (long long)s->of[i]);
    return *text ? internf(c, "%s)", text) : text;
}

bool shapes(Build *b, const Node *n, Sizes *s, const char *rule)
{
    for (const char *p = rule; *p && *p != ';';) {
        const char *open = strchr(p, '[');
        int k = 0, width = (int)(open - p);
        while (k < n->sig->nin && (strncmp(n->sig->in[k].name, p, (size_t)width) || n->sig->in[k].name[width]))
            k++;
        p = open + 1;
        const Edge *e = arg(n, k);
        const Sizes before = *s;
        bool fits = !e || fits_shape(&p, s, e->type);
        p = strchr(open, ']') + 1;
        if (*p == '?') {
            fits |= e && type_count(e->type) == 1;
            p++;
        }
        if (!fits)
            return unfit(b, n, "%s does not fit%s; the shapes must be %s", n->sig->in[k].name,
                         sizes_text(b->c, &before), rule);
        p += *p == ' ';
    }
    return true;
}

bool make_shape(Build *b, const Node *n, Type *out, int k, DType dt, const Sizes *s, const char *text)
{
    int64_t dims[MAX_RANK];
    int rank = 0;
    char open;
    for (const char *p = text; *p; p += *p == ',')
        dims[rank++] = product(&p, s, &open);
    return make_type(b, n, out, k, dt, rank, dims);
}
