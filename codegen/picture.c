/* burin show --as=dot, json: the program for other tools. Names hold any bytes: for Graphviz they are shown as pictures
 * show them, in JSON what is no UTF-8 is given as the code points of its bytes. */
#include "draw.h"

/* ---- dot --------------------------------------------------------------------------------------------------------- */

/* Backslashes and ampersands begin escapes in Graphviz's labels. */
static void dot_text(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '&') fputs("&amp;", f);
        else if (*s == '"' || *s == '\\') fprintf(f, "\\%c", *s);
        else fputc(*s, f);
    }
}

static void dot_box(FILE *f, const Diagram *d, int i)
{
    static const char *const styles[] = {
        [BOX_INPUT] = "style=\"rounded,filled\", fillcolor=\"#e3edff\"",
        [BOX_OUTPUT] = "style=\"rounded,filled\", fillcolor=\"#e0f4e7\"",
        [BOX_NODE] = "style=solid",
        [BOX_VIEW] = "style=filled, fillcolor=\"#f0f1f4\"",
        [BOX_ALIAS] = "style=dashed",
        [BOX_JOIN] = "style=filled, fillcolor=\"#f1ebff\""};
    const Box *b = &d->boxes.at[i];
    fprintf(f, "    n%d [%s, label=\"", i, styles[b->kind]);
    for (int k = 0; k < b->nlines; k++) {
        if (k) fputs("\\n", f);
        dot_text(f, b->lines[k].label.text);
    }
    fputs("\"];\n", f);
}

static void draw_dot(FILE *f, Ctx *c, const Graph *g, const Prog *p)
{
    const Diagram *d = p ? diagram_of_prog(c, p) : diagram_of_graph(c, g, graph_lower(c, g));
    fputs("digraph \"", f);
    dot_text(f, d->name);
    fputs("\" {\n    node [shape=box, fontname=\"Helvetica\", fontsize=10];\n", f);
    for (int i = 0; i < d->boxes.n; i++) dot_box(f, d, i);
    for (int i = 0; i < d->wires.n; i++) {
        const Flow *v = &d->values.at[d->wires.at[i].value];
        fprintf(f, "    n%d -> n%d [tooltip=\"", v->box, d->wires.at[i].to);
        dot_text(f, v->name);
        fprintf(f, " %s\"];\n", v->type);
    }
    fputs("}\n", f);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

typedef struct Ids { Ctx *c; PtrMap of; int n; } Ids;    /* numbers of edges, in the order in which they are met */
typedef struct Found { int id, node; const Edge *edge; } Found;
typedef VEC(const Found *) FoundVec;

static const char *between(int i)
{
    return i ? ",\n    " : "\n    ";
}

static void json_float(FILE *f, float v)
{
    if (isfinite(v)) fprintf(f, "%.9g", (double)v);
    else fputs(isnan(v) ? "\"nan\"" : v < 0 ? "\"-inf\"" : "\"inf\"", f);
}

static void json_attr(FILE *f, const Attr *a)
{
    json_string(f, a->name);
    fputs(": ", f);
    switch (a->kind) {
    case ATTR_INT: fprintf(f, "%lld", (long long)a->i); return;
    case ATTR_FLOAT: json_float(f, a->f); return;
    case ATTR_STRING: json_string(f, a->s); return;
    case ATTR_TENSOR: fputc('{', f); json_type(f, "", a->tensor->type); fputc('}', f); return;
    case ATTR_INTS: case ATTR_FLOATS: case ATTR_STRINGS: break;
    default: fputs("null", f); return;
    }
    fputc('[', f);
    for (int i = 0; i < a->n; i++) {
        if (i) fputs(", ", f);
        if (a->kind == ATTR_INTS) fprintf(f, "%lld", (long long)a->ints[i]);
        else if (a->kind == ATTR_FLOATS) json_float(f, a->floats[i]);
        else json_string(f, a->strings[i]);
    }
    fputc(']', f);
}

static const Found *find(Ids *ids, FoundVec *all, const Edge *e, int node)
{
    Found *at = ptrmap_get(&ids->of, e);
    if (at) return at;
    at = NEW(ids->c, Found);
    *at = (Found){ids->n++, node, e};
    ptrmap_put(ids->c, &ids->of, e, at);
    VEC_PUSH(ids->c, *all, at);
    return at;
}

static void json_ids(FILE *f, Ids *ids, FoundVec *all, const char *name, int n, Edge *const *edges, int node)
{
    fprintf(f, "\"%s\": [", name);
    for (int k = 0; k < n; k++) {
        if (k) fputs(", ", f);
        if (edges[k]) fprintf(f, "%d", find(ids, all, edges[k], node)->id);
        else fputs("null", f);
    }
    fputc(']', f);
}

static void json_node(FILE *f, Ids *ids, FoundVec *all, const Node *n, int i)
{
    fputs("{\"operator\": ", f);
    json_string(f, n->sig->name);
    fputs(", \"domain\": ", f);
    json_string(f, n->sig->domain);
    fprintf(f, ", \"version\": %d, \"name\": ", n->sig->since);
    json_string(f, n->name);
    fputs(", ", f);
    json_ids(f, ids, all, "inputs", n->nin, n->in, -1);
    fputs(", ", f);
    json_ids(f, ids, all, "outputs", n->nout, n->out, i);
    fputs(", \"attributes\": {", f);
    for (int k = 0; k < n->nattrs; k++) {
        if (k) fputs(", ", f);
        json_attr(f, &n->attrs[k]);
    }
    fputs("}}", f);
}

/* Values carry the number of the node that makes them, edges lead from there to those that read them. */
static void json_edges(FILE *f, const Graph *g, const Ids *ids)
{
    int n = 0;
    fputs("  \"edges\": [", f);
    for (int i = 0; i < g->nnodes; i++)
        for (int k = 0; k < g->nodes[i]->nin; k++) {
            const Found *v = g->nodes[i]->in[k] ? ptrmap_get(&ids->of, g->nodes[i]->in[k]) : NULL;
            if (!v) continue;
            fprintf(f, "%s{\"value\": %d, \"from\": ", between(n++), v->id);
            if (v->node < 0) fprintf(f, "null, \"to\": %d}", i);
            else fprintf(f, "%d, \"to\": %d}", v->node, i);
        }
    fputs("\n  ],\n", f);
}

static void json_head(FILE *f, const char *form, const char *name)
{
    fprintf(f, "{\n  \"burin\": \"" BURIN_VERSION "\",\n  \"form\": \"%s\",\n  \"name\": ", form);
    json_string(f, name);
    fputs(",\n  ", f);
}

static void json_graph(FILE *f, Ctx *c, const Graph *g)
{
    Mark m = scratch_mark(c);
    Ids ids = {.c = c};
    FoundVec all = {0};
    json_head(f, "graph", g->name);
    json_ids(f, &ids, &all, "inputs", g->nins, g->ins, -1);
    fputs(",\n  \"nodes\": [", f);
    for (int i = 0; i < g->nnodes; i++) {
        fputs(between(i), f);
        json_node(f, &ids, &all, g->nodes[i], i);
    }
    fputs("\n  ],\n", f);
    json_edges(f, g, &ids);
    fputs("  ", f);
    json_ids(f, &ids, &all, "outputs", g->nouts, g->outs, -1);
    fputs(",\n  \"values\": [", f);
    for (int i = 0; i < all.n; i++) {
        const Edge *e = all.at[i]->edge;
        const char *kind = e->input >= 0 ? "input" : e->from ? "value" : "constant";
        fprintf(f, "%s{", between(i));
        json_type(f, e->name, e->type);
        fprintf(f, ", \"kind\": \"%s\"}", kind);
    }
    fputs("\n  ]\n}\n", f);
    scratch_release(c, m);
}

/* By buffer id. */
typedef struct Reads { FILE *f; const int *index, *writer; int n, kernel; bool edges; const Kernel *k; } Reads;

static void json_read(const Buf *b, void *arg)
{
    Reads *r = arg;
    if (b->kind == BUF_LOCAL || (b != r->k->out && kernel_fills(r->k, b))) return;
    if (!r->edges) {
        fprintf(r->f, "%s%d", r->n++ ? ", " : "", r->index[b->id]);
        return;
    }
    fprintf(r->f, "%s{\"value\": %d, \"from\": ", between(r->n++), r->index[b->id]);
    if (r->writer[b->id]) fprintf(r->f, "%d, \"to\": %d}", r->writer[b->id] - 1, r->kernel);
    else fprintf(r->f, "null, \"to\": %d}", r->kernel);
}

static void json_kernels(FILE *f, Ctx *c, const Prog *p, const int *index)
{
    fputs("  \"nodes\": [", f);
    for (int i = 0; i < p->nkernels; i++) {
        const Kernel *k = p->kernels[i];
        Reads r = {.f = f, .index = index, .k = k};
        fprintf(f, "%s{\"kernel\": ", between(i));
        json_string(f, k->what);
        fputs(", \"inputs\": [", f);
        prog_reads(c, k, json_read, &r);
        fprintf(f, "], \"outputs\": [%d], \"operations\": %lld}", index[k->out->id], (long long)kernel_ops(c, k));
    }
    fputs("\n  ],\n", f);
}

static void json_buffers(FILE *f, Ctx *c, const Prog *p)
{
    static const char *const kinds[] = {"input", "output", "constant", "temporary", "local"};
    const Map m = map_of(c, p);
    fputs("  \"values\": [", f);
    for (int i = 0; i < p->nbufs; i++) {
        const Buf *b = p->bufs[i];
        fprintf(f, "%s{", between(i));
        json_type(f, b->name, (Type){b->dt, b->rank, b->dims});
        fprintf(f, ", \"kind\": \"%s\"", kinds[b->kind]);
        if (m.life[i].first >= 0) fprintf(f, ", \"first\": %d, \"last\": %d", m.life[i].first, m.life[i].last);
        if (p->plan && m.life[i].first >= 0) fprintf(f, ", \"offset\": %lld", (long long)p->plan->offset[i]);
        fputc('}', f);
    }
    fputs("\n  ]", f);
    if (p->plan)
        fprintf(f, ",\n  \"arena_bytes\": %lld,\n  \"arena_lower_bound_bytes\": %lld", (long long)p->plan->bytes,
                (long long)p->plan->lower_bound);
    fputs("\n}\n", f);
}

static void json_params(FILE *f, const char *name, int n, Buf *const *bufs, const int *index)
{
    fprintf(f, "\"%s\": [", name);
    for (int i = 0; i < n; i++) fprintf(f, "%s%d", i ? ", " : "", index[bufs[i]->id]);
    fputs("],\n", f);
}

static void json_prog(FILE *f, Ctx *c, const Prog *p)
{
    Mark m = scratch_mark(c);
    int ids = 0;
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= ids) ids = p->bufs[i]->id + 1;
    int *index = SCRATCH_N(c, int, ids + 1), *writer = SCRATCH_N(c, int, ids + 1);
    for (int i = 0; i < p->nbufs; i++) index[p->bufs[i]->id] = i;
    json_head(f, "loops", p->name);
    json_params(f, "inputs", p->nins, p->ins, index);
    fputs("  ", f);
    json_params(f, "outputs", p->nouts, p->outs, index);
    json_kernels(f, c, p, index);
    fputs("  \"edges\": [", f);
    Reads r = {f, index, writer, 0, 0, true, NULL};
    for (; r.kernel < p->nkernels; r.kernel++) {
        r.k = p->kernels[r.kernel];
        prog_reads(c, r.k, json_read, &r);
        writer[r.k->out->id] = r.kernel + 1;
    }
    fputs("\n  ],\n", f);
    json_buffers(f, c, p);
    scratch_release(c, m);
}

bool picture(FILE *f, Ctx *c, const char *as, const Graph *g, const Prog *p)
{
    const bool svg = !strcmp(as, "svg"), dot = !strcmp(as, "dot"), json = !strcmp(as, "json");
    if (svg) draw_svg(f, c, g, p);
    if (dot) draw_dot(f, c, g, p);
    if (json && p) json_prog(f, c, p);
    if (json && !p) json_graph(f, c, g);
    return svg || dot || json;
}
