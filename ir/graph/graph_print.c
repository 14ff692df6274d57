/* The graph as ONNX text, as the reference parser reads it, so that what is printed parses to the same graph again.
 * Bits survive: a float is the shortest decimal that reads back equal, inf, nan, or (ours) nan(0xMANTISSA) with the
 * mantissa's bits; 16- and 8-bit floats are their codes, sub-byte elements one code each, complex numbers pairs.
 * A value that is published under another name than its own is printed under that name throughout; published twice,
 * an Identity stands for the second. A domain's opset is the model's, unless a node is of another version: then the
 * newest. */
#include "build.h"

typedef struct Import { const char *domain; int64_t version; bool fits; int since; } Import;
typedef struct Print {
    FILE *f;
    Ctx *c;
    const Graph *g;
    Build *names;
    PtrMap name;                    /* from an edge to the name that it is printed under */
    VEC(const Edge *) consts;
    const char **alias;              /* per output: NULL, or the name of an Identity of it */
    VEC(Import) imports;
} Print;

/* ---- small pieces ------------------------------------------------------------------------------------------------ */

static void print_quoted(FILE *f, const char *s)
{
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            putc('\\', f);
        putc(*s, f);
    }
    putc('"', f);
}

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static void print_id(FILE *f, const char *s)
{
    bool plain = is_letter(*s);
    for (const char *p = s; *p; p++)
        plain &= is_letter(*p) || (*p >= '0' && *p <= '9');
    if (plain)
        fputs(s, f);
    else
        print_quoted(f, s);
}

static void print_nan(FILE *f, bool negative, uint64_t mantissa, uint64_t plain)
{
    fputs(negative ? "-nan" : "nan", f);
    if (mantissa != plain)
        fprintf(f, "(0x%llx)", (unsigned long long)mantissa);
}

static void print_float(FILE *f, const void *p)
{
    uint32_t bits;
    float v;
    char text[40];
    memcpy(&bits, p, sizeof bits);
    memcpy(&v, p, sizeof v);
    if (isnan(v)) {
        print_nan(f, bits >> 31, bits & 0x7FFFFF, 0x400000);
        return;
    }
    float_text(text, v, 6);
    fputs(text, f);
}

static void print_double(FILE *f, const void *p)
{
    uint64_t bits;
    double v;
    char text[40];
    memcpy(&bits, p, sizeof bits);
    memcpy(&v, p, sizeof v);
    if (isnan(v)) {
        print_nan(f, bits >> 63, bits & 0xFFFFFFFFFFFFF, UINT64_C(1) << 51);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    fputs(text, f);
}

static void print_element(FILE *f, const Tensor *t, int64_t i)
{
    DType dt = t->type.dt;
    const char *at = (const char *)t->data + (size_t)i * (size_t)dtype_bits(dt) / 8;
    switch (dt) {
    case DT_F32:    print_float(f, at); break;
    case DT_F64:    print_double(f, at); break;
    case DT_C64:    print_float(f, at), putc(',', f), print_float(f, at + 4); break;
    case DT_C128:   print_double(f, at), putc(',', f), print_double(f, at + 8); break;
    case DT_STRING: print_quoted(f, tensor_at_string(t, i)); break;
    default:
        if (dtype_class(dt) == CLASS_INT)
            fprintf(f, "%lld", (long long)scalar_read(dt, t->data, i).i);
        else
            fprintf(f, "%llu", (unsigned long long)scalar_read(dt, t->data, i).u);
    }
}

static void print_values(FILE *f, const Tensor *t)
{
    int64_t n = type_count(t->type);
    putc('{', f);
    for (int64_t i = 0; i < n; i++) {
        fputs(i == 0 ? "" : i % 16 ? "," : ",\n      ", f);
        print_element(f, t, i);
    }
    putc('}', f);
}

static void print_type(Print *p, Type t)
{
    fputs(type_text(p->c, t), p->f);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static bool attr_same(const Attr *a, const Attr *b)
{
    bool same = a->kind == b->kind && a->n == b->n && a->i == b->i && !memcmp(&a->f, &b->f, sizeof a->f);
    if (same && a->kind == ATTR_STRING)
        return !strcmp(a->s, b->s);
    for (int i = 0; same && i < a->n; i++)
        same = a->kind == ATTR_INTS ? a->ints[i] == b->ints[i]
             : a->kind == ATTR_FLOATS ? !memcmp(&a->floats[i], &b->floats[i], sizeof *a->floats)
             : a->kind == ATTR_STRINGS && !strcmp(a->strings[i], b->strings[i]);
    return same;
}

static void print_tensor(Print *p, const Tensor *t)
{
    print_type(p, t->type);
    putc(' ', p->f);
    print_values(p->f, t);
}

static void print_item(Print *p, const Attr *a, int i)
{
    fputs(i ? ", " : "", p->f);
    switch (a->kind) {
    case ATTR_INTS:    fprintf(p->f, "%lld", (long long)a->ints[i]); break;
    case ATTR_FLOATS:  print_float(p->f, &a->floats[i]); break;
    case ATTR_STRINGS: print_quoted(p->f, a->strings[i]); break;
    default:           print_tensor(p, a->tensors[i]);
    }
}

static void print_attr(Print *p, const Attr *a)
{
    static const char *const kinds[] = {
        [ATTR_FLOAT] = "float",   [ATTR_INT] = "int",         [ATTR_STRING] = "string",
        [ATTR_TENSOR] = "tensor", [ATTR_SPARSE] = "tensor",   [ATTR_FLOATS] = "floats",
        [ATTR_INTS] = "ints",     [ATTR_STRINGS] = "strings", [ATTR_TENSORS] = "tensors",
    };
    FILE *f = p->f;
    fprintf(f, "%s: %s = ", a->name, kinds[a->kind]);
    switch (a->kind) {
    case ATTR_INT:    fprintf(f, "%lld", (long long)a->i); break;
    case ATTR_FLOAT:  print_float(f, &a->f); break;
    case ATTR_STRING: print_quoted(f, a->s); break;
    case ATTR_TENSOR: case ATTR_SPARSE: print_tensor(p, a->tensor); break;
    default:
        putc('[', f);
        for (int i = 0; i < a->n; i++)
            print_item(p, a, i);
        putc(']', f);
    }
}

/* What has its default is left out; types (of the frontend's own) cannot be printed. */
static bool is_printed(const Node *n, const Attr *a)
{
    bool can = a->kind <= ATTR_TENSORS ? a->kind != ATTR_GRAPH : a->kind == ATTR_SPARSE;
    for (int i = 0; can && i < n->sig->nattrs; i++)
        if (n->sig->attrs[i].fallback && !strcmp(n->sig->attrs[i].name, a->name))
            return !attr_same(n->sig->attrs[i].fallback, a);
    return can;
}

/* ---- names and imports ------------------------------------------------------------------------------------------- */

static void name_edge(Print *p, const Edge *e)
{
    if (!e || ptrmap_get(&p->name, e))
        return;
    ptrmap_put(p->c, &p->name, e, (void *)name_unique(p->names, e->name));
    if (!e->from)
        VEC_PUSH(p->c, p->consts, e);
}

static void name_output(Print *p, int i)
{
    const Edge *e = p->g->outs[i];
    const char *want = intern(p->c, p->g->out_names[i]), *has = ptrmap_get(&p->name, e);
    if (has == want)
        return;
    if (has) {
        p->alias[i] = name_unique(p->names, want);
        return;
    }
    ptrmap_put(p->c, &p->name, e, (void *)name_unique(p->names, want));
    if (!e->from)
        VEC_PUSH(p->c, p->consts, e);
}

static void import(Print *p, const char *domain, const Sig *sig)
{
    int i = 0;
    while (i < p->imports.n && strcmp(p->imports.at[i].domain, domain))
        i++;
    if (i == p->imports.n) {
        Import new = {domain, 0, false, 0};
        VEC_PUSH(p->c, p->imports, new);
    }
    Import *m = &p->imports.at[i];
    if (!sig)
        return;
    m->fits &= op_find(p->c, domain, sig->name, m->version, NULL) == sig;
    m->since = sig->since > m->since ? sig->since : m->since;
}

static void collect(Print *p)
{
    const Graph *g = p->g;
    const Meta *meta = g->meta;
    for (int i = 0; meta && i < meta->nopsets; i++) {
        const char *d = meta->opsets[i].domain;
        Import m = {strcmp(d, "ai.onnx") ? d : "", meta->opsets[i].version, true, 0};
        VEC_PUSH(p->c, p->imports, m);
    }
    for (int i = 0; i < g->nins; i++)
        ptrmap_put(p->c, &p->name, g->ins[i], (void *)name_unique(p->names, g->ins[i]->name));
    for (int i = 0; i < g->nouts - g->ncounts; i++)
        name_output(p, i);
    for (int i = 0; i < g->nnodes; i++) {
        const Node *n = g->nodes[i];
        import(p, n->sig->domain, n->sig);
        for (int k = 0; k < n->nin; k++)
            name_edge(p, n->in[k]);
        for (int k = 0; k < n->nout; k++)
            name_edge(p, n->out[k]);
    }
    import(p, "", NULL);
    for (int i = 0; i < p->imports.n; i++) {
        Import *m = &p->imports.at[i];
        int newest = *m->domain ? m->since : m->since > OPSET_NEWEST ? m->since : OPSET_NEWEST;
        if (!m->fits && m->version < newest)
            m->version = newest;
    }
}

/* ---- the parts of the text --------------------------------------------------------------------------------------- */

static void print_name(Print *p, const Edge *e)
{
    print_id(p->f, e ? ptrmap_get(&p->name, e) : "");
}

static void print_node(Print *p, const Node *n)
{
    FILE *f = p->f;
    int nout = node_sized(n) ? n->sig->nshown : n->nout, nin = n->nin, attrs = 0;
    while (nout && !n->out[nout - 1])
        nout--;
    while (nin && !n->in[nin - 1])
        nin--;
    fputs("   ", f);
    if (*n->name) {
        putc('[', f);
        print_id(f, n->name);
        fputs("] ", f);
    }
    for (int k = 0; k < nout; k++) {
        fputs(k ? ", " : "", f);
        print_name(p, n->out[k]);
    }
    fprintf(f, " = %s%s%s", n->sig->domain, *n->sig->domain ? "." : "", n->sig->name);
    for (int i = 0; i < n->nattrs; i++) {
        if (!is_printed(n, &n->attrs[i]))
            continue;
        fputs(attrs++ ? ", " : " <", f);
        print_attr(p, &n->attrs[i]);
    }
    fputs(attrs ? "> (" : " (", f);
    for (int k = 0; k < nin; k++) {
        fputs(k ? ", " : "", f);
        print_name(p, n->in[k]);
    }
    fputs(")\n", f);
}

static void print_field(FILE *f, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(f, ",\n   %s: ", key);
    print_quoted(f, value);
}

static void print_header(Print *p)
{
    static const Meta none = {.ir_version = 10};
    const Meta *m = p->g->meta ? p->g->meta : &none;
    FILE *f = p->f;
    fprintf(f, "<\n   ir_version: %lld,\n   opset_import: [", (long long)m->ir_version);
    for (int i = 0; i < p->imports.n; i++) {
        fputs(i ? ", " : "", f);
        print_quoted(f, p->imports.at[i].domain);
        fprintf(f, " : %lld", (long long)p->imports.at[i].version);
    }
    putc(']', f);
    print_field(f, "producer_name", m->producer_name);
    print_field(f, "producer_version", m->producer_version);
    print_field(f, "domain", m->domain);
    if (m->model_version)
        fprintf(f, ",\n   model_version: %lld", (long long)m->model_version);
    print_field(f, "doc_string", m->doc_string);
    for (int i = 0; i < m->nprops; i++) {
        fputs(i ? ", " : ",\n   metadata_props: [", f);
        print_quoted(f, m->props[i].key);
        fputs(": ", f);
        print_quoted(f, m->props[i].value);
    }
    fputs(m->nprops ? "]\n>\n" : "\n>\n", f);
}

static void print_heading(Print *p)
{
    const Graph *g = p->g;
    FILE *f = p->f;
    print_id(f, g->name ? g->name : "");
    fputs(" (", f);
    for (int i = 0; i < g->nins; i++) {
        fputs(i ? ", " : "", f);
        print_type(p, g->ins[i]->type);
        putc(' ', f);
        print_name(p, g->ins[i]);
    }
    fputs(") => (", f);
    for (int i = 0; i < g->nouts - g->ncounts; i++) {
        fputs(i ? ", " : "", f);
        print_type(p, g->outs[i]->type);
        putc(' ', f);
        print_id(f, p->alias[i] ? p->alias[i] : ptrmap_get(&p->name, g->outs[i]));
    }
    fputs(")\n", f);
    for (int i = 0; i < p->consts.n; i++) {
        const Edge *e = p->consts.at[i];
        fputs(i ? ",\n    " : "   <", f);
        print_type(p, e->type);
        putc(' ', f);
        print_name(p, e);
        fputs(" = ", f);
        print_values(f, e->data);
    }
    fputs(p->consts.n ? ">\n{\n" : "{\n", f);
}

void graph_print(FILE *f, Ctx *c, const Graph *g)
{
    Mark mark = scratch_mark(c);
    Print p = {.f = f, .c = c, .g = g, .names = build_new(c, 0, NULL),
               .alias = SCRATCH_N(c, const char *, g->nouts)};
    collect(&p);
    print_header(&p);
    print_heading(&p);
    for (int i = 0; i < g->nnodes; i++)
        print_node(&p, g->nodes[i]);
    for (int i = 0; i < g->nouts - g->ncounts; i++) {
        if (!p.alias[i])
            continue;
        fputs("   ", f);
        print_id(f, p.alias[i]);
        fputs(" = Identity (", f);
        print_name(&p, g->outs[i]);
        fputs(")\n", f);
    }
    fputs("}\n", f);
    scratch_release(c, mark);
}
