/* burin show --as=svg: the graph, the memory map and the bars on one sheet. It follows the reader's choice of light or
 * dark, holds no script, and refers to nothing outside. */
#include "draw.h"

enum { MARGIN = 24, HEADING = 52, BESIDE = 800 };

/* ---- colours and fonts ------------------------------------------------------------------------------------------- */

static const char fonts[] =
    ".picture text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
    "font-size:11px;fill:#5a6472;white-space:pre}\n"
    ".picture .h{font-size:16px;font-weight:600;fill:#1b2230}\n"
    ".picture .t{font-size:13px;font-weight:600;fill:#1b2230}\n"
    ".picture .op{font-weight:600;fill:#1b2230}\n"
    ".picture .s,.picture .name{fill:#38414e}\n"
    ".picture .axis{font-size:10px}\n"
    ".picture .end{text-anchor:end}\n"
    ".picture .mid{text-anchor:middle}\n"
    ".picture .bound-text,.picture .peak-text{fill:#b3322a}\n"
    ".picture .f{fill:#8a4b08}\n";

static const char shapes[] =
    ".picture{background:#f6f7f9}\n"
    ".box{fill:#fff;stroke:#b9c1cd}\n"
    ".box.input{fill:#e3edff;stroke:#8fb1ec}\n"
    ".box.output{fill:#e0f4e7;stroke:#86c79f}\n"
    ".box.view{fill:#f0f1f4;stroke:#b9c1cd}\n"
    ".box.alias{fill:none;stroke:#8792a2;stroke-dasharray:5 3}\n"
    ".box.known{fill:none;stroke:#d3d9e1}\n"
    ".box.join{fill:#f1ebff;stroke:#bda9ec}\n"
    ".heat{fill:#e8590c}.h1{opacity:.25}.h2{opacity:.5}.h3{opacity:.75}\n"
    ".wire .w{fill:none;stroke:#8d97a6;stroke-width:1.3}\n"
    ".wire .tip{fill:#6d7787}\n"
    ".wire:hover .w{stroke:#1f66d6;stroke-width:2.6}.wire:hover .tip{fill:#1f66d6}\n"
    ".plot{fill:#fff;stroke:#d3d9e1}\n"
    ".grid{stroke:#e7eaef}\n"
    ".frame{stroke:#d3d9e1}\n"
    ".buf{stroke:#fff;stroke-width:.6}.b0{fill:#b8cbe8}.b1{fill:#c9d7ee}.b2{fill:#a8bfe2}.buf.hot{fill:#f2a65a}\n"
    ".bound{stroke:#c8372d;stroke-width:1.5;stroke-dasharray:6 3}\n"
    ".arena{stroke:#38414e;stroke-width:1.2}\n"
    ".peak{fill:#c8372d;opacity:.16}\n"
    ".alive-area{fill:#b8cbe8;stroke:#7f9ccb}\n"
    ".ops{fill:#e8833a}.ops-area{fill:#e8833a}\n"
    ".bytes{fill:#5b8bd0}\n";

static const char dark[] =
    "@media (prefers-color-scheme:dark){\n"
    ".picture{background:#10141a}\n"
    ".picture text{fill:#98a3b3}\n"
    ".picture .h,.picture .t,.picture .op{fill:#e8ebf1}\n"
    ".picture .s{fill:#c3cad5}.picture .name{fill:#10141a}\n"
    ".picture .bound-text,.picture .peak-text{fill:#ff8d84}\n"
    ".picture .f{fill:#f0b36b}\n"
    ".box{fill:#1b222c;stroke:#455062}\n"
    ".box.input{fill:#15263f;stroke:#3b639e}\n"
    ".box.output{fill:#132c1e;stroke:#37774f}\n"
    ".box.view{fill:#161b22;stroke:#455062}\n"
    ".box.alias{fill:none;stroke:#6a7688}\n"
    ".box.known{fill:none;stroke:#333c49}\n"
    ".box.join{fill:#261f3b;stroke:#63529b}\n"
    ".heat{fill:#ff922b}\n"
    ".wire .w{stroke:#647082}.wire .tip{fill:#8591a3}\n"
    ".wire:hover .w{stroke:#6ea8ff}.wire:hover .tip{fill:#6ea8ff}\n"
    ".plot{fill:#161b22;stroke:#2e3744}.grid{stroke:#232a34}.frame{stroke:#2e3744}\n"
    ".buf{stroke:#10141a}.b0{fill:#5f7fae}.b1{fill:#7491bd}.b2{fill:#52719f}.buf.hot{fill:#e39a4e}\n"
    ".bound{stroke:#ff7b72}.arena{stroke:#c3cad5}.peak{fill:#ff7b72;opacity:.2}\n"
    ".alive-area{fill:#3f5b87;stroke:#7f9ccb}\n"
    ".ops,.ops-area{fill:#e8833a}.bytes{fill:#5b8bd0}\n"
    "}\n";

void xml_style(Xml *x)
{
    xml_start(x, "style");
    xml_raw(x, "\n");
    xml_raw(x, fonts);
    xml_raw(x, shapes);
    xml_raw(x, dark);
    xml_end_full(x);
}

/* ---- the sheet --------------------------------------------------------------------------------------------------- */

typedef struct Head { Label title, text; } Head;

static Head head_of(Ctx *c, const char *title, const char *text)
{
    return (Head){label_fit(c, title, 16, true, 700, CUT_MIDDLE), label_fit(c, text, 11, false, 700, CUT_END)};
}

static void draw_head(Xml *x, int at_x, int at_y, Head h)
{
    xml_label(x, "h", at_x, at_y + 18, &h.title);
    xml_label(x, "n", at_x, at_y + 36, &h.text);
}

const char *graph_words(Ctx *c, const Diagram *d, const Prog *p)
{
    return internf(c, "%s %s, %s operations, %s %s", d->what, p ? "kernels" : "nodes", count_text(c, d->ops),
                   bytes_text(c, d->bytes), d->moved);
}

const char *map_words(const Prog *p)
{
    return p->plan ? "time across, one column a kernel; place in the arena upwards; orange: alive at the peak"
                   : "time across, one column a kernel; bytes alive upwards: places are not known before the last pass";
}

typedef struct Page { Layout l; Map m; Bars b; Diagram *d; const Prog *p; } Page;

static void draw_charts(Xml *x, const Page *s, int at_x, int at_y)
{
    draw_head(x, at_x, at_y, head_of(x->c, "Memory map", map_words(s->m.p)));
    xml_group(x, "map", at_x, at_y + HEADING);
    draw_map(x, &s->m);
    xml_end(x);
    at_y += HEADING + s->m.height + MARGIN;
    draw_head(x, at_x, at_y, head_of(x->c, "Where the time goes", s->p ? "kernels, the most operations first"
                                                                       : "nodes, the most operations first"));
    xml_group(x, "bars", at_x, at_y + HEADING);
    draw_bars(x, &s->b);
    xml_end(x);
}

void draw_svg(FILE *f, Ctx *c, const Graph *g, const Prog *p)
{
    const Prog *loops = p ? p : graph_lower(c, g);
    Page s = {.d = p ? diagram_of_prog(c, p) : diagram_of_graph(c, g, loops), .p = p};
    s.l = layout_of(c, s.d);
    s.m = map_of(c, loops);
    s.b = bars_of(c, s.d);
    const Head title = head_of(c, *s.d->name ? s.d->name : "graph", graph_words(c, s.d, p));
    if (title.title.width > s.l.width) s.l.width = title.title.width;
    if (title.text.width > s.l.width) s.l.width = title.text.width;
    const int wide = s.m.width > s.b.width ? s.m.width : s.b.width;
    const int high = 2 * HEADING + s.m.height + MARGIN + s.b.height, graph_high = HEADING + s.l.height;
    const bool beside = s.l.width <= BESIDE;
    const int width = MARGIN * 2 + (beside ? s.l.width + MARGIN + wide : s.l.width > wide ? s.l.width : wide);
    const int height = MARGIN * 2 + (!beside ? high + MARGIN + graph_high : high > graph_high ? high : graph_high);
    const int graph_y = beside ? MARGIN : MARGIN + high + MARGIN;
    Xml *x = xml_new(c, f);
    xml_declare(x);
    xml_svg(x, width, height);
    xml_element(x, "title", NULL, *s.d->name ? s.d->name : "burin");
    xml_style(x);
    draw_head(x, MARGIN, graph_y, title);
    xml_group(x, "graph", MARGIN, graph_y + HEADING);
    draw_graph(x, &s.l);
    xml_end(x);
    draw_charts(x, &s, beside ? MARGIN * 2 + s.l.width : MARGIN, MARGIN);
    xml_end(x);
    xml_free(x);
}
