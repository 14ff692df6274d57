/* Where the time goes: operations and bytes of the nodes, the greatest first. */
#include "draw.h"

enum { MOST = 40, ROW = 19, HEAD = 20, OPERATOR = 190, NAME = 160, BAR = 160, NUMBER = 124, TEXT = 11 };
enum { BAR_HEIGHT = 11 };

typedef struct Ranked { int64_t ops, bytes; int box; } Ranked;

static int by_cost(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->ops != y->ops) return x->ops < y->ops ? 1 : -1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->box - y->box;
}

Bars bars_of(Ctx *c, const Diagram *d)
{
    int n = 0, *box = NEW_N(c, int, d->boxes.n + 1);
    Mark m = scratch_mark(c);
    Ranked *all = SCRATCH_N(c, Ranked, d->boxes.n + 1);
    for (int i = 0; i < d->boxes.n; i++)
        if (box_computes(&d->boxes.at[i])) all[n++] = (Ranked){d->boxes.at[i].ops, d->boxes.at[i].bytes, i};
    qsort(all, (size_t)n, sizeof *all, by_cost);
    Bars b = {.d = d, .n = n, .box = box, .most_ops = n ? all[0].ops : 0};
    b.width = OPERATOR + NAME + 2 * (BAR + NUMBER);
    for (int i = 0; i < n; i++) {
        box[i] = all[i].box;
        if (all[i].bytes > b.most_bytes) b.most_bytes = all[i].bytes;
    }
    scratch_release(c, m);
    b.height = HEAD + (n > MOST ? MOST + 1 : n) * ROW + 6;
    return b;
}

static void draw_number(Xml *x, int at, int y, const char *text)
{
    const Label l = label_fit(x->c, text, TEXT, false, NUMBER - 8, CUT_END);
    xml_label(x, "note", at, y, &l);
}

static void draw_bar(Xml *x, const char *class, int at, int y, int64_t value, int64_t most, const char *text)
{
    const double width = most ? (double)BAR * (double)value / (double)most : 0;
    if (value) xml_rect(x, class, at, y, width < 1 ? 1 : width, BAR_HEIGHT, 2);
    draw_number(x, at + (int)width + 5, y + 9, text);
}

static const char *with_share(Ctx *c, const char *text, int64_t part, int64_t all)
{
    if (part == 0) return "0";
    const double share = all ? (double)part / (double)all : 0;
    if (share < .0005) return internf(c, "%s, < 0.1 %%", text);
    return internf(c, "%s, %.*f %%", text, share < .1, 100 * share);
}

static void draw_row(Xml *x, const Bars *b, const Box *row, int y)
{
    Ctx *c = x->c;
    const int64_t ops = row->ops, bytes = row->bytes;
    const Label first = label_fit(c, row->operator, TEXT, true, OPERATOR - 10, CUT_END);
    const Label second = label_fit(c, row->name, TEXT, false, NAME - 12, CUT_MIDDLE);
    xml_label(x, "op", 0, y + 10, &first);
    xml_label(x, "n", OPERATOR, y + 10, &second);
    draw_bar(x, "ops", OPERATOR + NAME, y + 1, ops, b->most_ops,
             with_share(c, count_text(c, ops), ops, b->d->ops));
    draw_bar(x, "bytes", OPERATOR + NAME + BAR + NUMBER, y + 1, bytes, b->most_bytes,
             with_share(c, bytes_text(c, bytes), bytes, b->d->bytes));
}

void draw_bars(Xml *x, const Bars *b)
{
    Ctx *c = x->c;
    int64_t ops = 0, bytes = 0;
    int y = HEAD;
    const Label count = {internf(c, "operations, %s in all", count_text(c, b->d->ops)), 0, false};
    const Label moved = {internf(c, "bytes %s, %s in all", b->d->moved, bytes_text(c, b->d->bytes)), 0, false};
    xml_label(x, "note", OPERATOR + NAME, 10, &count);
    xml_label(x, "note", OPERATOR + NAME + BAR + NUMBER, 10, &moved);
    for (int i = 0; i < b->n; i++) {
        const Box *box = &b->d->boxes.at[b->box[i]];
        if (i < MOST) {
            xml_start(x, "g");
            xml_element(x, "title", NULL, box->tip);
            draw_row(x, b, box, y);
            xml_end(x);
            y += ROW;
            continue;
        }
        ops = bytes_sum(ops, box->ops);
        bytes = bytes_sum(bytes, box->bytes);
    }
    if (b->n > MOST) {
        const Label rest = {internf(c, "and %d more: %s operations, %s", b->n - MOST, count_text(c, ops),
                                    bytes_text(c, bytes)), 0, false};
        xml_label(x, "note", 0, y + 10, &rest);
    }
}
