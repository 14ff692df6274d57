/* Diagnostics: recorded as they come, printed in order of position by diag_flush.
 * A note belongs to the error or warning recorded before it and is printed below it; before the first of those it
 * stands alone. What is recorded twice is kept once, and later notes join the first. Texts are interned, so equal
 * diagnostics are found by a table of pointers.
 * diag_flush allocates nothing (it also tells that memory is out): it sorts the linked list, once by source line to
 * find all lines in one scan of each file, once into printing order. What is printed may come from a hostile model: it
 * is escaped. */
#include "base.h"

enum { MOST_ERRORS = 20, WIDTH = 100, LONGEST = 2000 };

typedef enum Kind { FATAL, ERROR, WARNING, NOTE } Kind;

typedef struct Entry Entry;
struct Entry {
    Entry *next;                     /* of all, newest first until sorted */
    Entry *chain;                    /* of the table */
    Entry *head;                     /* what this note belongs to; else itself */
    uint64_t hash;
    Loc loc;
    int rank, seq;                   /* its source's, by first appearance; its own */
    Kind kind;
    const char *text;
    const char *line;                /* the source line, found by diag_flush; NULL: none */
    size_t len;
};

struct Diag {
    Entry *all, *head;
    int n;
    Entry **slots;
    size_t cap;
    VEC(const Source *) sources;
};

/* ---- recording --------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

/* What makes equal notes two different ones; NULL: stands by itself. */
static const Entry *owner(const Entry *e)
{
    return e->head == e ? NULL : e->head;
}

static uint64_t entry_hash(const Entry *e)
{
    uint64_t h = mix(e->kind, (uintptr_t)e->loc.src);
    h = mix(h, (uint64_t)e->loc.line << 32 | e->loc.col);
    h = mix(mix(h, (uintptr_t)e->loc.what), (uintptr_t)e->text);
    return mix(h, (uintptr_t)owner(e));
}

static bool entry_same(const Entry *a, const Entry *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->text == b->text && a->loc.src == b->loc.src &&
           a->loc.line == b->loc.line && a->loc.col == b->loc.col && a->loc.what == b->loc.what &&
           owner(a) == owner(b);
}

static void table_grow(Ctx *c, Diag *d)
{
    size_t cap = d->cap ? d->cap * 2 : 32;
    Entry **slots = NEW_N(c, Entry *, cap);
    for (Entry *e = d->all; e; e = e->next) {
        Entry **at = &slots[e->hash & (cap - 1)];
        e->chain = *at;
        *at = e;
    }
    d->slots = slots;
    d->cap = cap;
}

static int source_rank(Ctx *c, Diag *d, const Source *src)
{
    for (int i = d->sources.n; i-- > 0;)
        if (d->sources.at[i] == src)
            return i;
    VEC_PUSH(c, d->sources, src);
    return d->sources.n - 1;
}

static void record(Ctx *c, Kind kind, Loc loc, const char *text)
{
    if (c->muted && kind != FATAL)
        return;
    if (!c->diags)
        c->diags = NEW(c, Diag);
    Diag *d = c->diags;
    if ((size_t)d->n >= d->cap)
        table_grow(c, d);
    if (loc.what)
        loc.what = intern(c, loc.what);
    bool alone = kind != NOTE || !d->head;
    Entry e = {.loc = loc, .kind = kind, .text = text, .head = alone ? NULL : d->head};
    e.hash = entry_hash(&e);
    for (Entry *old = d->slots[e.hash & (d->cap - 1)]; old; old = old->chain)
        if (entry_same(old, &e)) {
            if (kind != NOTE)
                d->head = old;
            return;
        }
    e.rank = source_rank(c, d, loc.src);
    e.seq = d->n;
    Entry *new = mem_copy(c, &e, sizeof e);
    if (alone)
        new->head = new;
    if (kind != NOTE)
        d->head = new;
    Entry **slot = &d->slots[e.hash & (d->cap - 1)];
    new->chain = *slot;
    *slot = new;
    new->next = d->all;
    d->all = new;
    d->n++;
    c->errors += kind == ERROR || kind == FATAL;
    c->warnings += kind == WARNING;
}

#define RECORD(kind, loc) \
    do { \
        va_list args; \
        va_start(args, fmt); \
        const char *text = vinternf(c, fmt, args); \
        va_end(args); \
        record(c, kind, loc, text); \
    } while (0)

void error(Ctx *c, Loc loc, const char *fmt, ...)
{
    RECORD(ERROR, loc);
}

void warning(Ctx *c, Loc loc, const char *fmt, ...)
{
    RECORD(WARNING, loc);
}

void note(Ctx *c, Loc loc, const char *fmt, ...)
{
    RECORD(NOTE, loc);
}

int diag_mark(Ctx *c)
{
    return c->diags ? c->diags->n : 0;
}

void diag_soften(Ctx *c, int from, int to)
{
    for (Entry *e = c->diags ? c->diags->all : NULL; e && e->seq >= from; e = e->next)
        if (e->seq < to && e->kind == ERROR) {
            e->kind = WARNING;
            c->errors--;
            c->warnings++;
        }
}

/* Outside ctx_run there is nowhere to go on. */
NORETURN static void leave(Ctx *c)
{
    if (c->top)
        longjmp(*c->top, 1);
    diag_flush(c, stderr);
    exit(1);
}

void fatal(Ctx *c, Loc loc, const char *fmt, ...)
{
    RECORD(FATAL, loc);
    leave(c);
}

void ice(Ctx *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = vinternf(c, fmt, args);
    va_end(args);
    record(c, FATAL, (Loc){0}, internf(c, "internal error: %s", text));
    leave(c);
}

void out_of_memory(Ctx *c)
{
    c->errors += !c->no_memory;
    c->no_memory = true;
    leave(c);
}

/* ---- sorting, source lines --------------------------------------------------------------------------------------- */

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_line(const Entry *a, const Entry *b)
{
    int o = order(a->rank, b->rank);
    return o ? o : order(a->loc.line, b->loc.line);
}

static int by_print(const Entry *a, const Entry *b)
{
    int o = by_line(a->head, b->head);
    o = o ? o : order(a->head->loc.col, b->head->loc.col);
    o = o ? o : order(a->head->seq, b->head->seq);
    return o ? o : order(a->seq, b->seq);
}

/* The first n of a list, sorted; *rest becomes what follows them. */
static Entry *sort(Entry *list, int n, int (*cmp)(const Entry *, const Entry *), Entry **rest)
{
    if (n == 1) {
        *rest = list->next;
        list->next = NULL;
        return list;
    }
    Entry *b = NULL, *a = sort(list, n / 2, cmp, &b), *out = NULL, **end = &out;
    b = sort(b, n - n / 2, cmp, rest);
    while (a || b) {
        Entry **from = !b || (a && cmp(a, b) <= 0) ? &a : &b;
        *end = *from;
        end = &(*from)->next;
        *from = (*from)->next;
    }
    return out;
}

/* The list is sorted by line: one scan of each source finds every line. */
static void find_lines(Entry *list)
{
    const Source *src = NULL;
    const char *at = NULL, *stop = NULL, *end = NULL;   /* the current line, its end once needed, the source's end */
    uint32_t line = 1;
    for (Entry *e = list; e; e = e->next) {
        if (!e->loc.src || !e->loc.src->text || !e->loc.line)
            continue;
        if (e->loc.src != src) {
            src = e->loc.src;
            at = src->text;
            end = at + src->size;
            stop = NULL;
            line = 1;
        }
        for (; at && line < e->loc.line; line++) {
            const char *nl = stop ? stop : memchr(at, '\n', (size_t)(end - at));
            at = nl && nl < end ? nl + 1 : NULL;
            stop = NULL;
        }
        if (!at)
            continue;
        if (!stop && !(stop = memchr(at, '\n', (size_t)(end - at))))
            stop = end;
        e->line = at;
        e->len = (size_t)(stop - at);
    }
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static bool is_tail(char ch)
{
    return ((unsigned char)ch & 0xC0) == 0x80;
}

/* Bytes of the character at s that may go to a terminal as they are; 0: a control, something that turns or breaks the
 * line, or no UTF-8. */
static size_t shown(const char *s, size_t n)
{
    unsigned char first = (unsigned char)s[0];
    if (first < 0x80)
        return first >= ' ' && first != 0x7F;
    size_t len = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || len > n)
        return 0;
    uint32_t ch = first & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (!is_tail(s[i]))
            return 0;
        ch = ch << 6 | ((unsigned char)s[i] & 0x3F);
    }
    bool wide = (len == 3 && ch < 0x800) || (len == 4 && (ch < 0x10000 || ch > 0x10FFFF));
    bool bad = ch < 0xA0 || (ch >= 0xD800 && ch < 0xE000) || (ch >= 0x200B && ch <= 0x200F) ||
               (ch >= 0x2028 && ch <= 0x202E) || (ch >= 0x2066 && ch <= 0x2069) || ch == 0xFEFF;
    return wide || bad ? 0 : len;
}

static void print_text(FILE *f, const char *s)
{
    size_t n = strlen(s), most = n > LONGEST ? LONGEST : n;
    for (size_t i = 0; i < most;) {
        size_t len = shown(s + i, n - i);
        if (len)
            fwrite(s + i, 1, len, f);
        else
            fprintf(f, "\\x%02X", (unsigned)(unsigned char)s[i]);
        i += len ? len : 1;
    }
    if (most < n)
        fputs(" ...", f);
}

/* The source line, cut to the surroundings of the caret when it is long, and the caret. Columns count bytes. */
static void print_line(FILE *f, const char *line, size_t len, uint32_t col)
{
    if (len && line[len - 1] == '\r')
        len--;
    size_t at = col ? col - 1 : 0, from = 0, to = len;
    if (at > len)
        at = len;
    if (len > WIDTH) {
        from = at > WIDTH / 2 ? at - WIDTH / 2 : 0;
        if (from > len - WIDTH)
            from = len - WIDTH;
        to = from + WIDTH;
        for (int i = 0; i < 3 && from < at && is_tail(line[from]); i++)
            from++;
        for (int i = 0; i < 3 && to < len && is_tail(line[to]); i++)
            to++;
    }
    fputs(from ? "..." : "", f);
    for (size_t i = from; i < to;) {
        size_t n = shown(line + i, to - i);
        fwrite(n ? line + i : line[i] == '\t' ? "\t" : "?", 1, n ? n : 1, f);
        i += n ? n : 1;
    }
    fputs(to < len ? "...\n" : "\n", f);
    if (!col)
        return;
    fputs(from ? "   " : "", f);
    for (size_t i = from; i < at;) {
        size_t n = shown(line + i, to - i);
        putc(line[i] == '\t' ? '\t' : ' ', f);
        i += n ? n : 1;
    }
    fputs("^\n", f);
}

static void print_entry(FILE *f, const Entry *e)
{
    static const char *const names[] = {"error", "error", "warning", "note"};
    print_text(f, e->loc.src ? e->loc.src->name : "burin");
    if (e->loc.src && e->loc.line)
        fprintf(f, ":%u", (unsigned)e->loc.line);
    if (e->loc.src && e->loc.line && e->loc.col)
        fprintf(f, ":%u", (unsigned)e->loc.col);
    fprintf(f, ": %s: ", names[e->kind]);
    if (e->loc.what) {
        print_text(f, e->loc.what);
        fputs(": ", f);
    }
    print_text(f, e->text);
    putc('\n', f);
    if (e->line)
        print_line(f, e->line, e->len, e->loc.col);
}

/* A fatal one tells why the run ended: it is printed whatever came before. */
static void print_all(FILE *f, const Entry *list)
{
    int errors = 0, more = 0;
    const Entry *hidden = NULL;      /* first of those left out */
    bool hide = false;
    for (const Entry *e = list; e; e = e->next) {
        if (e->head == e)
            hide = e->kind == ERROR && errors == MOST_ERRORS;
        if (!hide)
            print_entry(f, e);
        if (e->kind != ERROR)
            continue;
        errors += !hide;
        more += hide;
        if (hide && !hidden)
            hidden = e;
    }
    if (!hidden)
        return;
    print_text(f, hidden->loc.src ? hidden->loc.src->name : "burin");
    fprintf(f, ": note: %d more error%s\n", more, more == 1 ? "" : "s");
}

void diag_flush(Ctx *c, FILE *f)
{
    Diag *d = c->diags;
    if (d && d->all) {
        Entry *rest = NULL, *list = sort(d->all, d->n, by_line, &rest);
        find_lines(list);
        list = sort(list, d->n, by_print, &rest);
        print_all(f, list);
        d->all = d->head = NULL;
        d->n = d->sources.n = 0;
        memset(d->slots, 0, d->cap * sizeof *d->slots);
    }
    if (c->no_memory)
        fprintf(f, "burin: error: out of memory%s%s\n", c->needs ? ": " : "", c->needs ? c->needs : "");
    c->no_memory = false;
    fflush(f);
}
