/* Regular expressions in RE2's syntax, parsed. Groups are not kept and lazy repetition is repetition: what is asked is
 * only whether a whole string matches. What RE2 lacks (references, looking around) is refused, and so are Unicode's
 * classes, \p. */
#include "regex.h"

enum { DEPTH = 200, REPEAT_MOST = 1000 };

typedef struct Parser {
    Ctx *c;
    const char *p;                   /* what is left */
    const char *fault;               /* the first one */
    int depth;
    bool fold, lines, dot_all;       /* the flags i, m, s */
} Parser;

static Regex *parse_alt(Parser *x);

static void fail(Parser *x, const char *what)
{
    if (!x->fault)
        x->fault = internf(x->c, "%s, at \"%.20s\"", what, x->p);
    x->p += strlen(x->p);
}

static bool take(Parser *x, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(x->p, word, n) != 0)
        return false;
    x->p += n;
    return true;
}

static Regex *node(Parser *x, RegexKind kind)
{
    Regex *r = NEW(x->c, Regex);
    r->kind = kind;
    return r;
}

static Regex *look(Parser *x, Look kind)
{
    Regex *r = node(x, RE_LOOK);
    r->look = kind;
    return r;
}

static uint32_t next_char(Parser *x)
{
    uint32_t u = (unsigned char)*x->p++;
    int more = u < 0xC2 ? 0 : u < 0xE0 ? 1 : u < 0xF0 ? 2 : u < 0xF5 ? 3 : 0;
    if (u >= 0x80 && more == 0) {
        fail(x, "a byte that is no UTF-8");
        return 0;
    }
    u &= more ? 0x3FU >> more : 0x7FU;
    for (; more > 0; more--) {
        if (((unsigned char)*x->p & 0xC0) != 0x80) {
            fail(x, "a byte that is no UTF-8");
            return 0;
        }
        u = u << 6 | ((unsigned char)*x->p++ & 0x3FU);
    }
    return u;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static void add_ascii(Parser *x, Spans *s, const char *pairs, bool not)
{
    Spans t = { 0 };
    for (; *pairs; pairs += 2)
        spans_add(x->c, &t, (unsigned char)pairs[0], (unsigned char)pairs[1]);
    if (not) {
        spans_tidy(&t);
        spans_invert(x->c, &t);
    }
    spans_join(x->c, s, &t);
}

/* \d and the like; false: none, nothing is taken. */
static bool perl_class(Parser *x, Spans *s)
{
    static const struct { char small; const char *pairs; } classes[] = {
        { 'd', "09" }, { 's', "\t\n\f\r  " }, { 'w', "09AZ__az" }
    };
    for (int i = 0; *x->p == '\\' && i < COUNT(classes); i++)
        if (x->p[1] == classes[i].small || x->p[1] == classes[i].small - 32) {
            add_ascii(x, s, classes[i].pairs, x->p[1] != classes[i].small);
            x->p += 2;
            return true;
        }
    return false;
}

/* [:alpha:] */
static bool named_class(Parser *x, Spans *s)
{
    static const struct { const char *name, *pairs; } classes[] = {
        { "alnum:]", "09AZaz" }, { "alpha:]", "AZaz" }, { "ascii:]", "\1\x7F" }, { "blank:]", "\t\t  " },
        { "cntrl:]", "\1\x1F\x7F\x7F" }, { "digit:]", "09" }, { "graph:]", "!~" }, { "lower:]", "az" },
        { "print:]", " ~" }, { "punct:]", "!/:@[`{~" }, { "space:]", "\t\r  " }, { "upper:]", "AZ" },
        { "word:]", "09AZ__az" }, { "xdigit:]", "09AFaf" }
    };
    if (strncmp(x->p, "[:", 2) != 0)
        return false;
    x->p += 2;
    bool not = take(x, "^");
    for (int i = 0; i < COUNT(classes); i++)
        if (take(x, classes[i].name)) {
            add_ascii(x, s, classes[i].pairs, not);
            return true;
        }
    fail(x, "a class that is not known");
    return true;
}

static uint32_t code_of(Parser *x, int base, int most, bool braces)
{
    uint32_t u = 0;
    int n = 0;
    for (; n < most && *x->p; n++, x->p++) {
        int d = *x->p <= '9' ? *x->p - '0' : (*x->p | 32) - 'a' + 10;
        if (d < 0 || d >= base || (*x->p > '9' && (*x->p | 32) < 'a'))
            break;
        u = u > CHAR_MAX_CODE ? u : u * (uint32_t)base + (uint32_t)d;
    }
    if (n == 0 || u > CHAR_MAX_CODE || (braces && !take(x, "}")))
        fail(x, "a character's number is expected");
    return u;
}

/* Behind a backslash. */
static uint32_t escaped(Parser *x)
{
    static const char names[] = "a\af\ft\tn\nr\rv\v";
    for (int i = 0; names[i]; i += 2)
        if (*x->p == names[i]) {
            x->p++;
            return (unsigned char)names[i + 1];
        }
    if (take(x, "x{"))
        return code_of(x, 16, 10, true);
    if (take(x, "x"))
        return code_of(x, 16, 2, false);
    if (*x->p == '0' || (*x->p >= '1' && *x->p <= '7' && x->p[1] >= '0' && x->p[1] <= '7'))
        return code_of(x, 8, 3, false);
    if ((*x->p >= '0' && *x->p <= '9') || (*x->p >= 'a' && *x->p <= 'z') || (*x->p >= 'A' && *x->p <= 'Z') || !*x->p) {
        fail(x, "an escape that is not supported");
        return 0;
    }
    return next_char(x);
}

static uint32_t class_char(Parser *x)
{
    return take(x, "\\") ? escaped(x) : next_char(x);
}

static void set_done(Parser *x, Regex *r, bool not)
{
    spans_tidy(&r->set);
    if (x->fold)
        spans_fold(x->c, &r->set);
    if (not)
        spans_invert(x->c, &r->set);
}

/* Behind the bracket. */
static Regex *parse_class(Parser *x)
{
    Regex *r = node(x, RE_SET);
    const bool not = take(x, "^");
    for (bool first = true; first || *x->p != ']'; first = false) {
        if (!*x->p) {
            fail(x, "a class without its ]");
            return r;
        }
        if (perl_class(x, &r->set) || named_class(x, &r->set))
            continue;
        uint32_t lo = class_char(x), hi = lo;
        if (*x->p == '-' && x->p[1] != ']' && x->p[1]) {
            x->p++;
            hi = class_char(x);
        }
        if (hi < lo)
            fail(x, "a range that ends before it begins");
        spans_add(x->c, &r->set, lo, hi);
    }
    x->p++;
    set_done(x, r, not);
    return r;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static Regex *parse_char(Parser *x, uint32_t u)
{
    Regex *r = node(x, RE_SET);
    spans_add(x->c, &r->set, u, u);
    set_done(x, r, false);
    return r;
}

/* (?i), (?i-s: and the like, behind the question mark. */
static void parse_flags(Parser *x)
{
    bool on = true;
    for (; *x->p && *x->p != ')' && *x->p != ':'; x->p++)
        switch (*x->p) {
        case 'i': x->fold = on; break;
        case 'm': x->lines = on; break;
        case 's': x->dot_all = on; break;
        case 'U': break;             /* lazy: no matter */
        case '-': on = false; break;
        default:  fail(x, "a group of a kind that is not supported"); return;
        }
}

/* Behind the parenthesis. */
static Regex *parse_group(Parser *x)
{
    const bool fold = x->fold, lines = x->lines, dot_all = x->dot_all;
    if (++x->depth > DEPTH) {
        fail(x, "groups are nested too deep");
        return node(x, RE_EMPTY);
    }
    if (take(x, "?P<") || (strncmp(x->p, "?<", 2) == 0 && x->p[2] != '=' && x->p[2] != '!' && take(x, "?<"))) {
        const char *end = strchr(x->p, '>');
        x->p = end ? end + 1 : x->p + strlen(x->p);
    } else if (take(x, "?")) {
        parse_flags(x);
        if (take(x, ")")) {          /* to the end of the group around */
            x->depth--;
            return node(x, RE_EMPTY);
        }
        take(x, ":");
    }
    Regex *r = parse_alt(x);
    if (!take(x, ")"))
        fail(x, "a group without its )");
    x->depth--;
    x->fold = fold;
    x->lines = lines;
    x->dot_all = dot_all;
    return r;
}

/* Behind a backslash, what is neither a class nor a character. NULL: nothing is taken. */
static Regex *parse_escape(Parser *x)
{
    if (take(x, "A"))
        return look(x, LOOK_BEGIN);
    if (take(x, "z"))
        return look(x, LOOK_END);
    if (take(x, "b") || take(x, "B"))
        return look(x, x->p[-1] == 'b' ? LOOK_WORD : LOOK_NOT_WORD);
    if (take(x, "C"))
        return node(x, RE_BYTE);
    if (!take(x, "Q"))
        return NULL;
    Regex *r = node(x, RE_CAT);
    while (*x->p && !take(x, "\\E"))
        VEC_PUSH(x->c, r->parts, parse_char(x, next_char(x)));
    return r;
}

static Regex *parse_atom(Parser *x)
{
    Regex *r = node(x, RE_SET);
    if (take(x, "("))
        return parse_group(x);
    if (take(x, "["))
        return parse_class(x);
    if (take(x, "^"))
        return look(x, x->lines ? LOOK_LINE_BEGIN : LOOK_BEGIN);
    if (take(x, "$"))
        return look(x, x->lines ? LOOK_LINE_END : LOOK_END);
    if (take(x, ".")) {
        if (!x->dot_all)
            spans_add(x->c, &r->set, '\n', '\n');
        spans_invert(x->c, &r->set);
        return r;
    }
    if (perl_class(x, &r->set)) {
        spans_tidy(&r->set);
        return r;
    }
    if (*x->p == '*' || *x->p == '+' || *x->p == '?')
        fail(x, "a repetition of nothing");
    if (!*x->p)
        return r;
    if (!take(x, "\\"))
        return parse_char(x, next_char(x));
    r = parse_escape(x);
    return r ? r : parse_char(x, escaped(x));
}

static bool number(const char **p, int *n)
{
    const char *s = *p;
    *n = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        *n = *n > REPEAT_MOST ? *n : 10 * *n + (*s - '0');
    bool any = s > *p;
    *p = s;
    return any;
}

/* Whether a repetition stands here, which is taken. A brace that begins none is a character. */
static bool parse_repeat(Parser *x, int *least, int *most)
{
    const char *p = x->p + 1;
    *least = *x->p == '+';
    *most = *x->p == '?' ? 1 : -1;
    if (*x->p == '{') {
        if (!number(&p, least))
            return false;
        *most = *least;
        if (*p == ',' && (p++, !number(&p, most)))
            *most = -1;
        if (*p++ != '}')
            return false;
    } else if (*x->p != '*' && *x->p != '+' && *x->p != '?')
        return false;
    x->p = p;
    if (*least > REPEAT_MOST || *most > REPEAT_MOST || (*most >= 0 && *most < *least))
        fail(x, "a repetition whose counts do not ascend, or exceed 1000");
    take(x, "?");
    return true;
}

static Regex *parse_cat(Parser *x)
{
    Regex *r = node(x, RE_CAT);
    while (*x->p && *x->p != '|' && *x->p != ')') {
        Regex *part = parse_atom(x);
        int least, most;
        if (parse_repeat(x, &least, &most)) {
            Regex *again = node(x, RE_REPEAT);
            VEC_PUSH(x->c, again->parts, part);
            again->least = least;
            again->most = most;
            part = again;
            if (parse_repeat(x, &least, &most))
                fail(x, "a repetition of a repetition");
        }
        VEC_PUSH(x->c, r->parts, part);
    }
    return r;
}

static Regex *parse_alt(Parser *x)
{
    Regex *r = node(x, RE_ALT);
    do
        VEC_PUSH(x->c, r->parts, parse_cat(x));
    while (take(x, "|"));
    return r;
}

const Regex *regex_parse(Ctx *c, const char *pattern, const char **fault)
{
    Parser x = { .c = c, .p = pattern };
    const Regex *r = parse_alt(&x);
    if (*x.p)
        fail(&x, "a ) without its (");
    *fault = x.fault;
    return x.fault ? NULL : r;
}
