/* A program as boxes and wires: what pictures of graphs and of loops share. A box is made, told what it reads and
 * makes, and ended; then it has its lines of text, shortened to fit, and all that is known of it for its tooltip.
 *
 * Constants are no boxes: there are as many as nodes, and they are told in the boxes that read them. */
#include "draw.h"

enum { ROOM = 208, TITLE_ROOM = 290, TITLE = 13, TEXT = 11, TITLE_LINE = 17, TEXT_LINE = 15 };
enum { PAD = 12, LEAST_WIDTH = 72, SHOWN = 2 };

bool box_computes(const Box *b)
{
    return b->kind == BOX_NODE || b->kind == BOX_VIEW || b->kind == BOX_ALIAS;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

Diagram *diagram_new(Ctx *c, const char *name, const char *moved)
{
    Diagram *d = NEW(c, Diagram);
    d->name = label_clean(c, name ? name : "");
    d->moved = moved;
    d->tip = sheet_new(c);
    return d;
}

static Box *last_box(const Diagram *d)
{
    return &d->boxes.at[d->boxes.n - 1];
}

int box_new(Ctx *c, Diagram *d, BoxKind kind, const char *operator, const char *name)
{
    Box b = {.kind = kind, .operator = label_clean(c, operator), .name = label_clean(c, name)};
    b.first_value = d->values.n;
    VEC_PUSH(c, d->boxes, b);
    fprintf(d->tip->f, "%s%s%s", b.operator, *b.name && *b.operator ? " " : "", b.name);
    return d->boxes.n - 1;
}

int box_makes(Ctx *c, Diagram *d, const char *name, Type t)
{
    Box *b = last_box(d);
    Flow v = {d->boxes.n - 1, b->nvalues++, label_clean(c, name), type_text(c, t), (int64_t)type_bytes(t)};
    b->made = bytes_sum(b->made, v.bytes);
    VEC_PUSH(c, d->values, v);
    fprintf(d->tip->f, "\nmakes %s %s: %lld bytes", v.name, v.type, (long long)v.bytes);
    return d->values.n - 1;
}

void box_reads(Ctx *c, Diagram *d, int value)
{
    const Flow *v = &d->values.at[value];
    VEC_PUSH(c, d->wires, ((Wire){value, d->boxes.n - 1}));
    fprintf(d->tip->f, "\nreads %s %s", v->name, v->type);
}

void box_reads_const(Ctx *c, Diagram *d, const char *name, Type t)
{
    Box *b = last_box(d);
    const char *clean = label_clean(c, name), *type = type_text(c, t);
    if (b->nconsts++ == 0) b->consts = type;
    b->const_bytes = bytes_sum(b->const_bytes, (int64_t)type_bytes(t));
    fprintf(d->tip->f, "\nreads constant %s %s: %zu bytes", clean, type, type_bytes(t));
}

void box_costs(Diagram *d, int64_t ops, int64_t bytes)
{
    Box *b = last_box(d);
    b->ops = ops;
    b->bytes = bytes;
    d->ops = bytes_sum(d->ops, ops);
    d->bytes = bytes_sum(d->bytes, bytes);
    fprintf(d->tip->f, "\n%lld operations, %lld bytes %s", (long long)ops, (long long)bytes, d->moved);
}

void box_end(Ctx *c, Diagram *d)
{
    fflush(d->tip->f);
    char *tip = mem_alloc(c, d->tip->n + 1);
    memcpy(tip, d->tip->at, d->tip->n);
    last_box(d)->tip = tip;
    sheet_rewind(d->tip);
}

/* ---- lines of text ----------------------------------------------------------------------------------------------- */

static void add_line(Ctx *c, Box *b, const char *class, const char *text, Cut cut)
{
    const bool title = *class == 't';
    if (!*text || b->nlines == BOX_LINES) return;
    const Label l = title ? label_fit(c, text, TITLE, true, TITLE_ROOM, cut)
                          : label_fit(c, text, TEXT, false, ROOM, cut);
    b->lines[b->nlines++] = (Line){l, class};
}

static void add_costs(Ctx *c, Box *b)
{
    const char *bytes = b->known ? "known: no code" : b->kind == BOX_ALIAS ? "the same bytes" : bytes_text(c, b->made);
    if (b->over) add_line(c, b, "s", internf(c, "in place of %s", b->over), CUT_MIDDLE);
    if (b->through) add_line(c, b, "s", internf(c, "through %s", b->through), CUT_END);
    if (b->kind == BOX_OUTPUT) return;
    if (b->ops) bytes = internf(c, "%s \xC2\xB7 %s operations", bytes, count_text(c, b->ops));
    add_line(c, b, "s", bytes, CUT_END);
    if (!b->nconsts) return;
    const char *more = b->nconsts > 1 ? internf(c, " +%d", b->nconsts - 1) : "";
    add_line(c, b, "k", internf(c, "%s const, %s%s", bytes_text(c, b->const_bytes),
                                b->consts, more), CUT_END);
}

static void add_lines(Ctx *c, const Diagram *d, Box *b)
{
    static const char *const what[] = {[BOX_INPUT] = "input", [BOX_OUTPUT] = "output", [BOX_JOIN] = "written in parts"};
    const bool node = box_computes(b);
    add_line(c, b, "t", node ? b->operator : b->name, node ? CUT_END : CUT_MIDDLE);
    add_line(c, b, "n", node ? b->name : what[b->kind], CUT_MIDDLE);
    for (int i = 0; i < b->nvalues && i < SHOWN; i++)
        add_line(c, b, "s", d->values.at[b->first_value + i].type, CUT_MIDDLE);
    if (b->nvalues > SHOWN)
        add_line(c, b, "s", internf(c, "and %d more output%s", b->nvalues - SHOWN, b->nvalues > SHOWN + 1 ? "s" : ""),
                 CUT_END);
    add_costs(c, b);
}

static int heat_of(int64_t ops, int64_t all)
{
    const double share = all ? (double)ops / (double)all : 0;
    return share >= .15 ? 4 : share >= .05 ? 3 : share >= .02 ? 2 : share >= .005 ? 1 : 0;
}

void diagram_end(Ctx *c, Diagram *d)
{
    int nodes = 0;
    for (int i = 0; i < d->boxes.n; i++) {
        Box *b = &d->boxes.at[i];
        nodes += box_computes(b);
        b->heat = heat_of(b->ops, d->ops);
        add_lines(c, d, b);
    }
    d->what = internf(c, "%d", nodes);
    sheet_free(d->tip);
}

void diagram_far(Ctx *c, Diagram *d, const Wire *w)
{
    const Flow *v = &d->values.at[w->value];
    Box *from = &d->boxes.at[v->box];
    const bool told = from->nlines && !strcmp(from->lines[from->nlines - 1].class, "f");
    if (!told) add_line(c, from, "f", "\xE2\x86\x93 also read far below", CUT_END);
    add_line(c, &d->boxes.at[w->to], "f", internf(c, "\xE2\x86\x91 %s", v->name), CUT_MIDDLE);
}

void diagram_sizes(Diagram *d)
{
    for (int i = 0; i < d->boxes.n; i++) {
        Box *b = &d->boxes.at[i];
        b->w = LEAST_WIDTH;
        b->h = 2 * PAD - 6;
        for (int k = 0; k < b->nlines; k++) {
            const int w = (b->lines[k].label.width + 2 * PAD + 1) / 2 * 2;
            if (w > b->w) b->w = w;
            b->h += *b->lines[k].class == 't' ? TITLE_LINE : TEXT_LINE;
        }
        b->h += b->h % 2;
    }
}
