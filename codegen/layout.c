/* The graph laid out and drawn: layers from top to bottom, wires through the gaps between them.
 *
 * Within a layer wires run straight down; all bends are in the gaps, so that no wire crosses a box. A gap is the higher
 * the farther its wires go sideways. */
#include "draw.h"

enum { MARGIN = 16, LEAST_GAP = 34, MOST_GAP = 150, STEEP = 7, PORTS = 18, PORT_MARGIN = 28, TIP = 7, HEAT = 4 };

typedef struct Pen { Xml *xml; const Layout *l; Sheet *path, *tips; int *slot, *edge; } Pen;

/* ---- heights ----------------------------------------------------------------------------------------------------- */

static int gap_below(const Net *n, int layer)
{
    int far = 0;
    for (int i = n->first[layer]; i < n->first[layer + 1]; i++) {
        const int v = n->order[i];
        for (int k = n->down0[v]; k < n->down0[v + 1]; k++) {
            const int by = abs(n->x[v] - n->x[n->head[n->down[k]]]);
            if (by > far) far = by;
        }
    }
    return far / STEEP > MOST_GAP - LEAST_GAP ? MOST_GAP : LEAST_GAP + far / STEEP;
}

Layout layout_of(Ctx *c, Diagram *d)
{
    Net *n = net_new(c, d);
    net_place(n);
    Layout l = {.net = n, .width = 2 * MARGIN, .top = NEW_N(c, int, n->nlayers), .bottom = NEW_N(c, int, n->nlayers)};
    int y = MARGIN;
    for (int k = 0; k < n->nlayers; k++) {
        int height = 0;
        for (int i = n->first[k]; i < n->first[k + 1]; i++)
            if (n->order[i] < n->nboxes && d->boxes.at[n->order[i]].h > height) height = d->boxes.at[n->order[i]].h;
        l.top[k] = y;
        l.bottom[k] = y + height;
        for (int i = n->first[k]; i < n->first[k + 1]; i++) {
            const int v = n->order[i], right = n->x[v] + n->width[v] / 2 + 2 * MARGIN;
            if (right > l.width) l.width = right;
            n->x[v] += MARGIN;
            if (v >= n->nboxes) continue;
            d->boxes.at[v].x = n->x[v];
            d->boxes.at[v].y = y + (height - d->boxes.at[v].h) / 2;
        }
        y = l.bottom[k];
        if (k + 1 < n->nlayers) y += gap_below(n, k);
    }
    l.height = y + MARGIN;
    return l;
}

/* ---- wires ------------------------------------------------------------------------------------------------------- */

/* The k-th of `count` places on an edge of a box, the one called `middle` in its middle; -1: all around it. */
static int port_at(const Box *b, int k, int count, int middle)
{
    const int room = b->w - PORT_MARGIN;
    if (middle < 0) {
        const int apart = PORTS * (count - 1) < room ? PORTS * (count - 1) : room;
        return b->x - apart / 2 + (count > 1 ? (int)((int64_t)apart * k / (count - 1)) : 0);
    }
    const int side = middle > count - 1 - middle ? middle : count - 1 - middle;
    const int apart = PORTS * side < room / 2 ? PORTS * side : room / 2;
    return b->x + (side ? (int)((int64_t)apart * (k - middle) / side) : 0);
}

static void number_ports(Pen *p)
{
    const Net *n = p->l->net;
    int edges = 0;
    for (int v = 0; v < n->d->values.n; v++) edges += n->reach[v];
    for (int i = 0; i < n->d->wires.n; i++) p->edge[i] = n->hop[i] < 0 ? -1 : edges++;
    for (int v = 0; v < n->nboxes; v++)
        for (int k = n->up0[v]; k < n->up0[v + 1]; k++) p->slot[n->up[k]] = k - n->up0[v];
}

/* From (x, above) to (to, below) through the gap between the layers. */
static void bend(FILE *f, int x, int above, int to, int below)
{
    const int middle = (above + below) / 2;
    if (x == to) fprintf(f, "V%d", below);
    else fprintf(f, "V%dC%d %d %d %d %d %d", above, x, middle, to, middle, to, below);
}

static void enter_box(Pen *p, int wire, int x)
{
    const Net *n = p->l->net;
    const int v = n->d->wires.at[wire].to, layer = n->layer[v];
    const Box *b = &n->d->boxes.at[v];
    const int middle = n->main_up[v] < 0 ? -1 : p->slot[n->main_up[v]];
    const int to = port_at(b, p->slot[p->edge[wire]], n->up0[v + 1] - n->up0[v], middle);
    bend(p->path->f, x, p->l->bottom[layer - 1], to, p->l->top[layer]);
    fprintf(p->path->f, "V%d", b->y - TIP + 1);
    fprintf(p->tips->f, "M%d %dl%d 0l%d %dz", to - TIP / 2, b->y - TIP, TIP / 2 * 2, -(TIP / 2), TIP);
}

static void draw_trunk(Pen *p, int value)
{
    const Net *n = p->l->net;
    const Flow *from = &n->d->values.at[value];
    const Box *b = &n->d->boxes.at[from->box];
    int x = port_at(b, from->port, b->nvalues, -1), layer = n->layer[from->box];
    if (n->reach[value]) fprintf(p->path->f, "M%d %d", x, b->y + b->h);
    for (int k = 0; k < n->reach[value]; k++, layer++) {
        const int to = n->x[n->trunk[value] + k];
        bend(p->path->f, x, p->l->bottom[layer], to, p->l->top[layer + 1]);
        x = to;
    }
}

static void draw_branch(Pen *p, int wire)
{
    const Net *n = p->l->net;
    const Flow *from = &n->d->values.at[n->d->wires.at[wire].value];
    const int hop = n->hop[wire];
    if (hop < 0) return;
    if (hop < n->nboxes) {
        const Box *b = &n->d->boxes.at[hop];
        const int x = port_at(b, from->port, b->nvalues, -1);
        fprintf(p->path->f, "M%d %d", x, b->y + b->h);
        enter_box(p, wire, x);
        return;
    }
    fprintf(p->path->f, "M%d %d", n->x[hop], p->l->top[n->layer[hop]]);
    enter_box(p, wire, n->x[hop]);
}

static void put_path(Pen *p, Sheet *path, const char *class)
{
    fflush(path->f);
    if (path->n) {
        fputc(0, path->f);
        fflush(path->f);
        xml_start(p->xml, "path");
        xml_attr(p->xml, "class", class);
        xml_attr(p->xml, "d", path->at);
        xml_end(p->xml);
    }
    sheet_rewind(path);
}

/* All wires of a value are one path, with one tooltip. */
static void draw_value(Pen *p, int value, const int *wires, int count)
{
    const Flow *v = &p->l->net->d->values.at[value];
    draw_trunk(p, value);
    for (int i = 0; i < count; i++) draw_branch(p, wires[i]);
    xml_start(p->xml, "g");
    xml_attr(p->xml, "class", "wire");
    xml_start(p->xml, "title");
    xml_text(p->xml, v->name);
    xml_text(p->xml, " ");
    xml_text(p->xml, v->type);
    xml_end_full(p->xml);
    put_path(p, p->path, "w");
    put_path(p, p->tips, "tip");
    xml_end(p->xml);
}

static void draw_wires(Pen *p)
{
    const Net *n = p->l->net;
    const Diagram *d = n->d;
    int *first = SCRATCH_N(n->c, int, d->values.n + 2), *list = SCRATCH_N(n->c, int, d->wires.n + 1);
    for (int i = 0; i < d->wires.n; i++) first[d->wires.at[i].value + 2]++;
    for (int v = 1; v <= d->values.n; v++) first[v + 1] += first[v];
    for (int i = 0; i < d->wires.n; i++) list[first[d->wires.at[i].value + 1]++] = i;
    for (int v = 0; v < d->values.n; v++)
        if (first[v] < first[v + 1]) draw_value(p, v, list + first[v], first[v + 1] - first[v]);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void draw_box(Xml *x, const Box *b)
{
    static const char *const classes[] = {[BOX_INPUT] = "box input", [BOX_OUTPUT] = "box output",
                                          [BOX_NODE] = "box node",   [BOX_VIEW] = "box view",
                                          [BOX_ALIAS] = "box alias", [BOX_JOIN] = "box join"};
    static const char *const heats[] = {"", "heat h1", "heat h2", "heat h3", "heat h4"};
    const int left = b->x - b->w / 2, radius = b->kind == BOX_INPUT || b->kind == BOX_OUTPUT ? 14 : 5;
    int y = b->y + 5;
    xml_start(x, "g");
    xml_element(x, "title", NULL, b->tip);
    xml_rect(x, b->known ? "box known" : classes[b->kind], left, b->y, b->w, b->h, radius);
    if (b->heat) xml_rect(x, heats[b->heat], left + 3, b->y + 5, HEAT, b->h - 10, 2);
    for (int i = 0; i < b->nlines; i++) {
        const Line *line = &b->lines[i];
        y += *line->class == 't' ? 17 : 15;
        xml_label(x, line->class, left + 12, y - 1, &line->label);
    }
    xml_end(x);
}

void draw_graph(Xml *x, const Layout *l)
{
    const Net *n = l->net;
    Mark m = scratch_mark(n->c);
    Pen p = {.xml = x, .l = l, .path = sheet_new(n->c), .tips = sheet_new(n->c)};
    p.slot = SCRATCH_N(n->c, int, n->nedges + 1);
    p.edge = SCRATCH_N(n->c, int, n->d->wires.n + 1);
    number_ports(&p);
    draw_wires(&p);
    for (int i = 0; i < n->nboxes; i++) draw_box(x, &n->d->boxes.at[i]);
    sheet_free(p.path);
    sheet_free(p.tips);
    scratch_release(n->c, m);
}
