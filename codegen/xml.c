/* libxml2's writer: what it is given is escaped, and elements are closed in their order.
 *
 * It allocates by itself, so it is registered for release. A write error is the caller's to see (ferror); what else
 * fails in it is memory. */
#include <libxml/xmlwriter.h>

#include "draw.h"

/* ---- the writer -------------------------------------------------------------------------------------------------- */

static void release(void *what)
{
    Xml *x = what;
    if (x->writer) xmlFreeTextWriter(x->writer);
    x->writer = NULL;
}

/* Never fails, or libxml2 would complain by itself. */
static int put(void *f, const char *text, int n)
{
    fwrite(text, 1, (size_t)n, f);
    return n;
}

Xml *xml_new(Ctx *c, FILE *f)
{
    Xml *x = NEW(c, Xml);
    xmlOutputBufferPtr to = xmlOutputBufferCreateIO(put, NULL, f, NULL);
    x->c = c;
    x->f = f;
    x->writer = to ? xmlNewTextWriter(to) : NULL;
    if (!x->writer && to) xmlOutputBufferClose(to);
    if (!x->writer) out_of_memory(c);
    ctx_defer(c, release, x);
    xmlTextWriterSetIndent(x->writer, 1);
    xmlTextWriterSetIndentString(x->writer, BAD_CAST "");
    return x;
}

void xml_free(Xml *x)
{
    x->failed |= xmlTextWriterEndDocument(x->writer) < 0 || xmlTextWriterFlush(x->writer) < 0;
    release(x);
    if (x->failed && !ferror(x->f)) out_of_memory(x->c);
}

static void see(Xml *x, int result)
{
    x->failed |= result < 0;
}

void xml_declare(Xml *x) { see(x, xmlTextWriterStartDocument(x->writer, "1.0", "UTF-8", NULL)); }
void xml_doctype(Xml *x) { xml_raw(x, "<!DOCTYPE html>\n"); }
void xml_start(Xml *x, const char *element) { see(x, xmlTextWriterStartElement(x->writer, BAD_CAST element)); }
void xml_end(Xml *x) { see(x, xmlTextWriterEndElement(x->writer)); }
void xml_end_full(Xml *x) { see(x, xmlTextWriterFullEndElement(x->writer)); }
void xml_text(Xml *x, const char *text) { see(x, xmlTextWriterWriteString(x->writer, BAD_CAST text)); }
void xml_raw(Xml *x, const char *text) { see(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST text)); }

void xml_attr(Xml *x, const char *name, const char *value)
{
    see(x, xmlTextWriterWriteAttribute(x->writer, BAD_CAST name, BAD_CAST value));
}

void xml_int(Xml *x, const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    xml_attr(x, name, text);
}

void xml_real(Xml *x, const char *name, double value)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.2f", value);
    while (text[n - 1] == '0') n--;
    if (text[n - 1] == '.') n--;
    text[n] = 0;
    xml_attr(x, name, strcmp(text, "-0") ? text : "0");
}

/* ---- what pictures are made of ----------------------------------------------------------------------------------- */

void xml_element(Xml *x, const char *name, const char *class, const char *text)
{
    xml_start(x, name);
    if (class) xml_attr(x, "class", class);
    xml_text(x, text);
    xml_end_full(x);
}

void xml_label(Xml *x, const char *class, int at_x, int at_y, const Label *l)
{
    if (!*l->text) return;
    xml_start(x, "text");
    xml_attr(x, "class", class);
    xml_int(x, "x", at_x);
    xml_int(x, "y", at_y);
    if (l->forced) {
        xml_int(x, "textLength", l->width);
        xml_attr(x, "lengthAdjust", "spacingAndGlyphs");
    }
    xml_text(x, l->text);
    xml_end(x);
}

void xml_rect(Xml *x, const char *class, double at_x, double at_y, double width, double height, int radius)
{
    xml_start(x, "rect");
    xml_attr(x, "class", class);
    xml_real(x, "x", at_x);
    xml_real(x, "y", at_y);
    xml_real(x, "width", width);
    xml_real(x, "height", height);
    if (radius) xml_int(x, "rx", radius);
    xml_end(x);
}

void xml_line(Xml *x, const char *class, double x1, double y1, double x2, double y2)
{
    xml_start(x, "line");
    xml_attr(x, "class", class);
    xml_real(x, "x1", x1);
    xml_real(x, "y1", y1);
    xml_real(x, "x2", x2);
    xml_real(x, "y2", y2);
    xml_end(x);
}

void xml_group(Xml *x, const char *class, int at_x, int at_y)
{
    char to[64];
    snprintf(to, sizeof to, "translate(%d,%d)", at_x, at_y);
    xml_start(x, "g");
    xml_attr(x, "class", class);
    if (at_x || at_y) xml_attr(x, "transform", to);
}

void xml_svg(Xml *x, int width, int height)
{
    char box[64];
    snprintf(box, sizeof box, "0 0 %d %d", width, height);
    xml_start(x, "svg");
    xml_attr(x, "xmlns", "http://www.w3.org/2000/svg");
    xml_int(x, "width", width);
    xml_int(x, "height", height);
    xml_attr(x, "viewBox", box);
    xml_attr(x, "class", "picture");
}
