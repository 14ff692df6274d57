/* The text reader's base: its door, places in the text, faults and how reading goes on behind them, blanks, strings and
 * names.
 *
 * After a syntax error the parser drops tokens until it finds one at which it can go on: the next ',' or closing
 * bracket within a list or a header, the end of the line within a list of nodes. A token that begins a line is likely a
 * sound node behind a broken one: it is read again as such, but once only, so that every fault moves reading forward.
 * One message a line, and an end after a hundred of them. */
#include "text.h"

#include "text.tab.h"

#include <ctype.h>

enum { SHOWN = 40 };

/* ---- the door -------------------------------------------------------------------------------------------------- */

/* Moves over a name, quoted or not. False: there is none. */
static bool skip_name(Parser *p)
{
    const char *from = p->at, *quote = NULL;
    if (from < p->end && *from == '"')
        quote = memchr(from + 1, '"', (size_t)(p->end - from - 1));
    if (quote)
        p->at = quote + 1;
    else
        while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
            p->at++;
    return p->at > from;
}

/* True when the text begins as a model does, with `<` and the name of a field, or with NAME and `(` or `=>`; or when it
 * ends before. What begins otherwise is no ONNX at all: it would have a fault in every line. */
static bool begins_model(Parser p)
{
    const bool header = p.at < p.end && *p.at == '<';
    p.at += header;
    text_skip(&p);
    const bool name = skip_name(&p);
    text_skip(&p);
    const size_t left = (size_t)(p.end - p.at);
    if (!left || (!name && left > 1 && !memcmp(p.at, "//", 2)))
        return true;
    if (header)
        return name ? memchr(":[\"", *p.at, 3) || isdigit((unsigned char)*p.at) : *p.at == '>';
    return name && (*p.at == '(' || (left > 1 && !memcmp(p.at, "=>", 2)));
}

MModel *text_read(Ctx *c, const Source *src)
{
    Parser *p = NEW(c, Parser);
    const char *text = src->text;
    size_t bom = src->size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    *p = (Parser){
        .c = c, .src = src, .at = text + bom, .end = text + src->size, .bol = text, .line = 1, .m = NEW(c, MModel)};
    text_skip(p);
    if (!begins_model(*p))
        fatal(c, text_loc(p, p->at), "this is in no format that burin knows (ONNX text, ONNX binary, OpenVINO IR): "
              "ONNX text begins with <ir_version: ...> or with NAME (INPUTS) => (OUTPUTS)");
    p->fed = p->flexed = p->at;
    p->externals = externals_new(c, src);
    scanner_open(p);
    text_parse(p->scanner, p);
    if (!p->m->meta)
        text_model(p, p->header ? p->header : header_open(p), NULL);     /* the end came too early */
    p->m->functions = p->functions.at;
    p->m->nfunctions = p->functions.n;
    p->m->broken = p->faults > 0;
    return p->m;
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

Loc text_loc(const Parser *p, const char *at)
{
    ptrdiff_t col = at < p->bol ? 0 : at - p->bol;
    return (Loc){p->src, p->line, col < UINT32_MAX ? (uint32_t)col + 1 : UINT32_MAX, NULL};
}

Loc spot_loc(const Parser *p, Spot s)
{
    return (Loc){p->src, s.line, s.col, NULL};
}

/* ---- faults ---------------------------------------------------------------------------------------------------- */

/* A text without an arrow is none of ONNX, however it begins: its first fault is all that there is to say. */
static bool has_arrow(Parser *p)
{
    if (!p->arrow)
        p->arrow = memmem(p->src->text, p->src->size, "=>", 2);
    return p->arrow != NULL;
}

void text_fault(Parser *p, Loc loc, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (p->at < p->end && !has_arrow(p))
        fatal(p->c, loc, "%s; is this ONNX text? A graph has NAME (INPUTS) => (OUTPUTS), but there is no '=>' here",
              vinternf(p->c, fmt, args));
    fault_limited(p->c, &p->faults, loc, fmt, args);
    va_end(args);
}

/* True when only blanks stand in front of the last token in its line, and a node may begin with it. */
static bool begins_node(const Parser *p)
{
    const char *at = p->token;
    char ch = *at;
    if (!(ch == '"' || ch == '[' || ch == '_' || (unsigned char)((ch | 0x20) - 'a') < 26))
        return false;
    while (at > p->bol && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == p->bol && p->bol > p->src->text;
}

/* Goes back to the end of the line before the last token, which is then read once more. */
static void read_line_again(Parser *p)
{
    p->resync = p->token;
    p->at = p->bol - 1;
    p->bol = p->at;
    p->line--;
    text_reseat(p);
}

/* A call at the place of a node's outputs: the token behind its first word is not the '=' of a node. */
static void no_outputs(Parser *p, Spot s)
{
    const char *from = p->token, *to;
    while (from > p->bol && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    while (from > p->bol && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
        from--;
    for (to = p->token; to < p->end && *to != ')' && *to >= ' ' && to - from < SHOWN;)
        to++;
    s.col -= (uint32_t)(p->token - from);
    bool whole = to < p->end && *to == ')';
    text_fault(p, spot_loc(p, s), "a node needs outputs: y = %.*s%s", (int)(to - from), from, whole ? ")" : "...");
}

void text_unexpected(Parser *p, Spot s, bool at_end, const char *expected)
{
    const char *or_so = *expected ? "; expected: " : "";
    p->recovering = true;
    if (p->fault_line == s.line && p->faults)
        ;                            /* likely a consequence */
    else if (at_end)
        text_fault(p, spot_loc(p, s), "unexpected end of the file (is it cut off?)%s%s", or_so, expected);
    else if (p->list_braces && strchr("(<.", *p->token) && !strcmp(expected, "',' or '='"))
        no_outputs(p, s);
    else {
        ptrdiff_t n = p->at - p->token;
        const char *nl = memchr(p->token, '\n', (size_t)n);
        const char *more = nl || n > SHOWN ? "..." : "";
        n = nl ? nl - p->token : n;
        text_fault(p, spot_loc(p, s), "unexpected '%.*s%s'%s%s", n > SHOWN ? SHOWN : (int)n, p->token, more, or_so,
                   expected);
    }
    p->fault_line = s.line;
    if (!at_end && p->list_braces && p->token > p->resync && begins_node(p))
        read_line_again(p);
}

void text_resume(Parser *p, const Nodes *list)
{
    p->list_braces = list->braces;
    p->nesting = list->nesting;
    p->attrs.n = list->attrs;
    p->values.n = list->values;
}

void text_deeper(Parser *p, Spot s)
{
    if (++p->nesting > MAX_NESTING)
        fatal(p->c, spot_loc(p, s), "graphs and types are nested more than %d deep here", MAX_NESTING);
}

/* ---- blanks and strings ---------------------------------------------------------------------------------------- */

void text_skip(Parser *p)
{
    const char *s = p->at, *end = p->end;
    for (; s < end; s++) {
        if (*s == '\n') {
            p->line++;
            p->bol = s + 1;
        } else if (*s == '#') {
            const char *nl = memchr(s, '\n', (size_t)(end - s));
            s = (nl ? nl : end) - 1;
        } else if (*s != ' ' && (*s < '\t' || *s > '\r'))
            break;
    }
    p->at = s;
}

/* The string without the backslashes that escape: n bytes at s. */
static const char *unescape(Parser *p, const char *s, size_t n)
{
    Mark m = scratch_mark(p->c);
    char *to = scratch_alloc(p->c, n);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        i += s[i] == '\\';
        to[used++] = s[i];
    }
    const char *text = intern_n(p->c, to, used);
    scratch_release(p->c, m);
    return text;
}

const char *text_quoted(Parser *p)
{
    Loc open = text_loc(p, p->at - 1);
    const char *from = p->at, *bol = p->bol, *s = from;
    bool escaped = false, nul = false;
    for (; s < p->end && *s != '"'; s++) {
        if (*s == '\\' && p->end - s > 1) {
            escaped = true;
            s++;
        }
        nul |= !*s;
        if (*s == '\n') {
            p->line++;
            p->bol = s + 1;
        }
    }
    p->at = s < p->end ? s + 1 : p->end;
    if (s == p->end) {
        text_fault(p, open, "the string that begins here has no closing '\"'");
        p->at = from;                /* its words are read as such */
        p->bol = bol;
        p->line = open.line;
    } else if (nul)
        text_fault(p, open, "a string with a NUL byte");
    else
        return escaped ? unescape(p, from, (size_t)(s - from)) : intern_n(p->c, from, (size_t)(s - from));
    return NULL;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at s (NUL-ended); 0: there is none. */
static int utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    int n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    int first = s[0] << 8 | s[1];    /* overlong forms, surrogates, beyond U+10FFFF */
    bool bad = (n == 3 && (first < 0xE0A0 || (first >= 0xEDA0 && first <= 0xEDBF))) ||
               (n == 4 && (first < 0xF090 || first > 0xF48F));
    return bad ? 0 : n;
}

bool text_is_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    for (int n; *s; s += n)
        if (!(n = utf8_length(s)))
            return false;
    return true;
}

const char *text_name(Parser *p, Spot s, const char *quoted)
{
    if (!text_is_utf8(quoted))
        text_fault(p, spot_loc(p, s), "a name that is not valid UTF-8");
    return quoted;
}

MName mname(const Parser *p, Spot s, const char *name)
{
    return (MName){name, spot_loc(p, s)};
}

/* A list of names is what stands between commas; nothing behind the last one is no name. */
Names *names_take(Parser *p)
{
    Names *list = NEW(p->c, Names);
    int n = p->names.n;
    if (n && !p->names.at[n - 1].name)
        n--;
    for (int i = 0; i < n; i++)
        if (!p->names.at[i].name)
            p->names.at[i].name = "";
    list->n = n;
    list->at = mem_copy(p->c, p->names.at, sizeof *list->at * (size_t)n);
    return list;
}
