/* Reads and builds a body (compose.c): a descent over its text. */
#include "compose.h"

static Val read_expr(Body *k);

static Val read_list(Body *k)
{
    VEC(int64_t) v = {0};
    for (int i = 0; row_more(&k->t, i, "]"); i++) {
        Val x = read_expr(k);
        for (int j = 0; x.kind == VAL_INTS && j < x.n; j++)
            VEC_PUSH(k->t.c, v, x.ints[j]);
        if (x.kind != VAL_INTS)
            VEC_PUSH(k->t.c, v, val_int(k, x));
    }
    return (Val){.kind = VAL_INTS, .n = v.n, .ints = v.at};
}

/* Behind n of them, or in place of one that has the name; result: how many there are now. */
static int read_attr(Body *k, const Sig *s, int n, Attr *attrs)
{
    const char *name = row_word(&k->t, "");
    const AttrSig *sig = sig_attr(s, name);
    if (!sig)
        row_bad(&k->t, internf(k->t.c, "%s has no attribute '%s'", s->name, name));
    row_expect(&k->t, "=");
    Val v = read_expr(k);
    Attr *a = attrs;
    while (a < attrs + n && a->name != name)
        a++;
    n += a == attrs + n;
    *a = (Attr){.name = name, .kind = sig->kind, .loc = k->b ? k->b->loc : (Loc){0}};
    if (v.kind == VAL_NONE) {
        *a = attrs[--n];
        return n;
    }
    if (sig->kind == ATTR_INT)
        a->i = val_int(k, v);
    else if (sig->kind == ATTR_FLOAT && v.kind == VAL_NUM)
        a->f = (float)v.num;
    else if (sig->kind == ATTR_STRING && v.kind == VAL_TEXT)
        a->s = v.s;
    else if (sig->kind == ATTR_INTS && v.kind == VAL_INTS)
        a->n = v.n, a->ints = v.ints;
    else
        row_bad(&k->t, internf(k->t.c, "not a value of the attribute '%s'", name));
    return n;
}

/* Those of the node that s has as well. */
static int shared_attrs(Body *k, const Sig *s, Attr *attrs)
{
    int n = 0;
    for (int i = 0; !k->skip && i < k->n->nattrs; i++)
        if (sig_attr(s, k->n->attrs[i].name))
            attrs[n++] = k->n->attrs[i];
    return n;
}

static void read_call(Body *k, const char *domain, const char *name, int nout, Val *out)
{
    const Sig *s = body_sig(k, domain, name);
    Attr attrs[MOST_ARGS];
    Val args[MOST_ARGS];
    int nattrs = 0, nargs = 0;
    if (row_accept(&k->t, "<"))
        for (int i = 0; row_more(&k->t, i, ">"); i++)
            nattrs = row_accept(&k->t, "*") ? shared_attrs(k, s, attrs) : read_attr(k, s, nattrs, attrs);
    row_expect(&k->t, "(");
    while (row_more(&k->t, nargs, ")")) {
        if (nargs == MOST_ARGS || !sig_param(s->in, s->nin, nargs))
            row_bad(&k->t, internf(k->t.c, "%s does not take so many operands", s->name));
        row_skip(&k->t);
        args[nargs++] = *k->t.p == ',' ? (Val){0} : read_expr(k);
    }
    if (nout > 1 && !sig_param(s->out, s->nout, nout - 1))
        row_bad(&k->t, internf(k->t.c, "%s does not give so many results", s->name));
    body_call(k, s, nargs, args, nattrs, attrs, nout, out);
}

/* @name, or @name(x) for a graph. */
static Val read_attribute(Body *k)
{
    const char *name = row_word(&k->t, "");
    Val a = own_attr(k, name);
    if (sig_attr(k->sig, name)->kind != ATTR_GRAPH)
        return a;
    row_expect(&k->t, "(");
    Val x = read_expr(k);
    row_expect(&k->t, ")");
    return a.kind == VAL_GRAPH ? body_graph(k, a.graph, x) : x;
}

static Val read_function(Body *k, const char *name, DType dt)
{
    int f = fact_find(name);
    row_expect(&k->t, "(");
    const char *from = k->t.p;
    Val x = f >= 0 && fact_takes_name(f) ? (Val){.kind = VAL_TEXT, .s = row_word(&k->t, "")} : read_expr(k), y = {0};
    from = intern_n(k->t.c, from, (size_t)(k->t.p - from));
    if (f >= 0 && fact_takes_two(f)) {
        row_expect(&k->t, ",");
        y = read_expr(k);
    }
    row_expect(&k->t, ")");
    return f >= 0 ? fact_call(k, f, from, x, y) : body_cast(k, x, dt);
}

static Val read_primary(Body *k)
{
    RowText *t = &k->t;
    Val v = {0};
    row_skip(t);
    if (row_accept(t, "(")) {
        v = read_expr(k);
        row_expect(t, ")");
        return v;
    }
    if (row_accept(t, "["))
        return read_list(k);
    if (row_accept(t, "@"))
        return read_attribute(k);
    if (*t->p == '"' || *t->p == '\'')
        return (Val){.kind = VAL_TEXT, .s = row_quoted(t)};
    if ((*t->p >= '0' && *t->p <= '9') || *t->p == '.')
        return val_num(row_number(t));
    const char *name = row_word(t, "."), *domain = "";
    if (row_accept(t, "::")) {
        domain = name;
        name = row_word(t, "");
    }
    row_skip(t);
    DType dt = dtype_parse(name);
    if (*t->p == '(' && (dt != DT_NONE || fact_find(name) >= 0))
        return read_function(k, name, dt);
    if (*t->p == '(' || (*t->p == '<' && *name >= 'A' && *name <= 'Z'))
        return read_call(k, domain, name, 1, &v), v;
    return dt != DT_NONE ? val_num(dt) : name_get(k, name);
}

static Val read_unary(Body *k)
{
    if (!row_accept(&k->t, "-"))
        return read_primary(k);
    Val x = read_unary(k), y = val_num(-x.num);
    if (x.kind == VAL_EDGE)
        body_call(k, body_sig(k, "", "Neg"), 1, &x, 0, NULL, 1, &y);
    return x.kind == VAL_NONE ? x : y;
}

static Val read_product(Body *k)
{
    Val x = read_unary(k);
    for (;;) {
        bool times = row_accept(&k->t, "*");
        if (!times && !row_accept(&k->t, "/"))
            return x;
        Val y = read_unary(k);
        x = body_arithmetic(k, times ? "Mul" : "Div", x, y);
    }
}

static Val read_sum(Body *k)
{
    Val x = read_product(k);
    for (;;) {
        bool plus = row_accept(&k->t, "+");
        if (!plus && !row_accept(&k->t, "-"))
            return x;
        Val y = read_product(k);
        x = body_arithmetic(k, plus ? "Add" : "Sub", x, y);
    }
}

static Val read_expr(Body *k)
{
    Val x = read_sum(k);
    bool same = row_accept(&k->t, "==");
    if (same || row_accept(&k->t, "<")) {
        Val y = read_sum(k);
        bool numbers = x.kind == VAL_NUM && y.kind == VAL_NUM;
        bool texts = x.kind == VAL_TEXT && y.kind == VAL_TEXT;
        x = val_num(numbers ? same ? x.num == y.num : x.num < y.num : same && texts && !strcmp(x.s, y.s));
    }
    if (!row_accept(&k->t, "?"))
        return x;
    bool first = x.kind == VAL_NUM ? x.num != 0 : x.kind != VAL_NONE, skip = k->skip;
    k->skip = skip || !first;
    Val y = read_expr(k);
    row_expect(&k->t, ":");
    k->skip = skip || first || k->failed;
    Val z = read_expr(k);
    k->skip = skip || k->failed;
    return first ? y : z;
}

static void read_formulas(Body *k);

/* The text is read once for each element; without any once as well, but nothing is built and nothing named. */
static void read_loop(Body *k)
{
    const char *name = row_word(&k->t, "");
    if (strcmp(row_word(&k->t, ""), "in") != 0)
        row_bad(&k->t, "expected 'in'");
    Val list = read_expr(k);
    row_expect(&k->t, "{");
    const char *from = k->t.p;
    bool skip = k->skip;
    int n = list.kind == VAL_INTS ? list.n : 0, before = k->nnames;
    Named *names = mem_copy(k->t.c, k->names, sizeof k->names);
    for (int i = 0; i == 0 || i < n; i++) {
        k->t.p = from;
        k->skip = skip || k->failed || n == 0;
        name_set(k, name, val_num(n ? (double)list.ints[i] : 0));
        read_formulas(k);
        row_expect(&k->t, "}");
    }
    if (n == 0)
        memcpy(k->names, names, sizeof k->names);
    k->nnames = before;
    k->skip = skip || k->failed;
}

static void read_formula(Body *k)
{
    const char *names[MOST_ARGS];
    Val v[MOST_ARGS];
    int n = 0;
    if (row_accept(&k->t, "("))
        while (row_more(&k->t, n, ")"))
            names[n++] = row_word(&k->t, "");
    else
        names[n++] = row_word(&k->t, "");
    if (n == 1 && strcmp(names[0], "for") == 0) {
        read_loop(k);
        return;
    }
    row_expect(&k->t, "=");
    if (n == 1) {
        v[0] = read_expr(k);
    } else {
        const char *name = row_word(&k->t, ".");
        bool apart = row_accept(&k->t, "::");
        read_call(k, apart ? name : "", apart ? row_word(&k->t, "") : name, n, v);
    }
    for (int i = 0; i < n; i++)
        name_set(k, names[i], v[i]);
}

static void read_formulas(Body *k)
{
    do {
        read_formula(k);
        row_skip(&k->t);
    } while (row_accept(&k->t, ";"));
}

static void read_body(Body *k)
{
    for (int i = 0; i < k->sig->nin; i++)
        name_set(k, k->sig->in[i].name, val_edge(k, k->n && i < k->n->nin ? k->n->in[i] : NULL));
    read_formulas(k);
    if (*k->t.p)
        row_bad(&k->t, "expected ';' or the end");
}

static bool compose_text(Build *b, const Node *n, const char *text, Edge **out)
{
    Body k = {.t = {b->c, text, text}, .b = b, .n = n, .sig = n->sig};
    read_body(&k);
    for (int i = 0; !k.failed && i < n->nout; i++)
        if (n->out[i])
            out[i] = val_operand(&k, name_get(&k, n->sig->out[i].name), DT_F32);
    return !k.failed;
}

bool compose(Build *b, const Node *n, Edge **out)
{
    return compose_text(b, n, n->op->body, out);
}

bool build_late_body(Build *b, const Node *n, Edge **out)
{
    return compose_text(b, n, n->op->late_body, out);
}

void op_check_body(Ctx *c, const Sig *s)
{
    const char *const texts[] = {s->op->body, s->op->late_body};
    for (int t = 0; t < COUNT(texts); t++) {
        if (!texts[t])
            continue;
        Body k = {.t = {c, texts[t], texts[t]}, .sig = s, .skip = true};
        read_body(&k);
        for (int i = 0; i < s->nout; i++)
            if (!s->out[i].optional)
                name_get(&k, s->out[i].name);
    }
}
