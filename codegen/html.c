/* burin report --html: one page that needs nothing else: the figures, the three pictures, the tables of the report. */
#include "draw.h"

static const char page_style[] =
    "body{margin:0;background:#f6f7f9;color:#1b2230;"
    "font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "main{max-width:1180px;margin:0 auto;padding:24px 24px 64px}\n"
    "h1{font-size:24px;margin:8px 0 2px;overflow-wrap:anywhere}h2{font-size:17px;margin:36px 0 4px}\n"
    "p{margin:0 0 12px;color:#5a6472}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:10px;margin:18px 0}\n"
    ".figure{background:#fff;border:1px solid #d9dee6;border-radius:8px;padding:10px 16px;min-width:112px}\n"
    ".figure b{display:block;font-size:19px;font-weight:600}.figure span{color:#5a6472;font-size:12px}\n"
    ".frame-of{overflow:auto;border:1px solid #d9dee6;border-radius:8px;background:#f6f7f9}\n"
    ".graph-frame{max-height:82vh;text-align:center}.frame-of svg{display:inline-block;vertical-align:top}\n"
    "table{border-collapse:collapse;background:#fff;font-size:13px;width:100%}\n"
    "th,td{padding:4px 12px;border-bottom:1px solid #e7eaef;text-align:right;white-space:nowrap}\n"
    "th{color:#5a6472;font-weight:600;position:sticky;top:0;background:#fff}\n"
    "th,td{width:1%}.text{width:auto;text-align:left;white-space:normal;overflow-wrap:anywhere}\n"
    ".table-frame{max-height:60vh;overflow:auto;border:1px solid #d9dee6;border-radius:8px}\n"
    "footer{margin-top:40px;color:#5a6472;font-size:12px}\n"
    "@media (prefers-color-scheme:dark){\n"
    "body{background:#10141a;color:#e8ebf1}p,.figure span,footer,th{color:#98a3b3}\n"
    ".figure,table,th{background:#161b22}.figure,.frame-of,.table-frame{border-color:#2e3744}\n"
    ".frame-of{background:#10141a}th,td{border-color:#232a34}\n"
    "}\n"
    "@media (max-width:600px){main{padding:12px 12px 40px}th,td{padding:4px 6px}.figure{flex:1}}\n"
    "@media print{\n"                /* all of it, as wide as the paper, in its colours */
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}\n"
    ".frame-of,.table-frame{max-height:none;overflow:visible;border:0}.frame-of svg{max-width:100%;height:auto}\n"
    "th{position:static}tr,.figure{break-inside:avoid}h2,h2+p{break-after:avoid}\n"
    "}\n";

/* ---- small pieces ------------------------------------------------------------------------------------------------ */

static void div_start(Xml *x, const char *class)
{
    xml_start(x, "div");
    xml_attr(x, "class", class);
}

static void figure(Xml *x, const char *value, const char *what)
{
    div_start(x, "figure");
    xml_element(x, "b", NULL, value);
    xml_element(x, "span", NULL, what);
    xml_end_full(x);
}

static void heading(Xml *x, const char *title, const char *text)
{
    xml_element(x, "h2", NULL, title);
    xml_element(x, "p", NULL, text);
}

/* Columns by tabs; that of text comes last. */
static void row(Xml *x, const char *cell, const char *columns)
{
    xml_start(x, "tr");
    for (const char *end; *columns; columns = *end ? end + 1 : end) {
        end = columns + strcspn(columns, "\t");
        xml_element(x, cell, *end ? NULL : "text", intern_n(x->c, columns, (size_t)(end - columns)));
    }
    xml_end_full(x);
}

static void table_start(Xml *x, const char *columns)
{
    div_start(x, "table-frame");
    xml_start(x, "table");
    xml_start(x, "thead");
    row(x, "th", columns);
    xml_end_full(x);
    xml_start(x, "tbody");
}

static void table_end(Xml *x)
{
    for (int i = 0; i < 3; i++) xml_end_full(x);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_head(Xml *x, const char *name)
{
    xml_start(x, "head");
    xml_start(x, "meta");
    xml_attr(x, "charset", "utf-8");
    xml_end(x);
    xml_start(x, "meta");
    xml_attr(x, "name", "viewport");
    xml_attr(x, "content", "width=device-width, initial-scale=1");
    xml_end(x);
    xml_start(x, "meta");
    xml_attr(x, "name", "color-scheme");
    xml_attr(x, "content", "light dark");
    xml_end(x);
    xml_element(x, "title", NULL, internf(x->c, "%s: burin report", name));
    xml_start(x, "style");
    xml_raw(x, "\n");
    xml_raw(x, page_style);
    xml_end_full(x);
    xml_style(x);
    xml_end_full(x);
}

static void put_figures(Xml *x, const Sizes *s)
{
    Ctx *c = x->c;
    div_start(x, "figures");
    figure(x, bytes_text(c, ram_of(s)), "RAM");
    figure(x, bytes_text(c, s->arena), "arena");
    figure(x, bytes_text(c, s->lower_bound), "its lower bound");
    figure(x, bytes_text(c, s->inputs), s->io_in_arena ? "inputs, in the arena" : "inputs");
    figure(x, bytes_text(c, s->outputs), s->io_in_arena ? "outputs, in the arena" : "outputs");
    figure(x, bytes_text(c, s->stack), "stack, at most");
    figure(x, bytes_text(c, s->flash), "constants");
    figure(x, count_text(c, s->ops), "operations, at most");
    figure(x, bytes_text(c, s->bytes_moved), "moved, at most");
    xml_end_full(x);
}

static void put_graph(Xml *x, Diagram *d, const Prog *p)
{
    const Layout l = layout_of(x->c, d);
    heading(x, "Program", graph_words(x->c, d, p));
    div_start(x, "frame-of graph-frame");
    xml_svg(x, l.width, l.height);
    draw_graph(x, &l);
    xml_end_full(x);
    xml_end_full(x);
}

static void put_charts(Xml *x, const Diagram *d, const Prog *p)
{
    const Map m = map_of(x->c, p);
    const Bars b = bars_of(x->c, d);
    heading(x, "Memory map", map_words(p));
    div_start(x, "frame-of");
    xml_svg(x, m.width, m.height + 16);
    xml_group(x, "map", 0, 8);
    draw_map(x, &m);
    xml_end_full(x);
    xml_end_full(x);
    xml_end_full(x);
    heading(x, "Where the time goes", "kernels, the most operations first");
    div_start(x, "frame-of");
    xml_svg(x, b.width + 24, b.height + 16);
    xml_group(x, "bars", 12, 8);
    draw_bars(x, &b);
    xml_end_full(x);
    xml_end_full(x);
    xml_end_full(x);
}

static const char *buf_row(Ctx *c, const Buf *b)
{
    return internf(c, "%zu\t%s %s", buf_bytes(b), label_clean(c, b->name),
                   type_text(c, (Type){b->dt, b->rank, b->dims}));
}

static void put_tables(Xml *x, const Prog *p, const Sizes *s)
{
    Ctx *c = x->c;
    const Buf **bufs = NEW_N(c, const Buf *, p->nbufs + 1);
    const int n = p->plan && s->arena > 0 ? alive_at(c, p, p->plan->peak, bufs) : 0;
    heading(x, "Inputs and outputs", "in the order of the function's parameters");
    table_start(x, "bytes\tparameter");
    for (int i = 0; i < p->nins; i++) row(x, "td", buf_row(c, p->ins[i]));
    for (int i = 0; i < p->nouts; i++) row(x, "td", buf_row(c, p->outs[i]));
    table_end(x);
    if (n) {
        heading(x, "Alive at the peak", internf(c, "in kernel %d: %s", p->plan->peak,
                                                label_clean(c, p->kernels[p->plan->peak]->what)));
        table_start(x, "bytes\ttensor");
        for (int i = 0; i < n; i++) row(x, "td", buf_row(c, bufs[i]));
        table_end(x);
    }
    heading(x, "Kernels", "in the order in which they run");
    table_start(x, "number\toperations\tbytes moved\tkernel");
    for (int i = 0; i < p->nkernels; i++) {
        const KernelSizes k = kernel_sizes(c, p->kernels[i]);
        row(x, "td", internf(c, "%d\t%lld\t%lld\t%s", i, (long long)k.ops, (long long)k.bytes,
                             label_clean(c, p->kernels[i]->what)));
    }
    table_end(x);
}

void report_html(FILE *f, Ctx *c, const Prog *p, const EmitOptions *o)
{
    const Sizes s = prog_sizes(c, p, o);
    Diagram *d = diagram_of_prog(c, p);
    const char *name = *d->name ? d->name : "graph";
    Xml *x = xml_new(c, f);
    xml_doctype(x);
    xml_start(x, "html");
    xml_attr(x, "lang", "en");
    put_head(x, name);
    xml_start(x, "body");
    xml_start(x, "main");
    xml_element(x, "h1", NULL, name);
    xml_element(x, "p", NULL, "What the compiled program needs and does.");
    put_figures(x, &s);
    put_graph(x, d, p);
    put_charts(x, d, p);
    put_tables(x, p, &s);
    xml_element(x, "footer", NULL, "burin " BURIN_VERSION);
    for (int i = 0; i < 3; i++) xml_end_full(x);
    xml_free(x);
}
