/* Compositions as text: `.body` of an operator (the notation: op.h). The text is read and built in one go, each time
 * the operator is expanded. What is not built (the branch of a choice that is not taken, all of it once a fault was
 * reported or when the table is checked) is read as well, so a row is checked without a node.
 * Numbers stay numbers until an operator wants a tensor: only then do they get a type. */
#include "build.h"

typedef enum ValKind { VAL_NONE, VAL_EDGE, VAL_NUM, VAL_INTS, VAL_FLOATS, VAL_TEXT } ValKind;
typedef struct Val {
    ValKind kind;
    Edge *e;
    double num;
    int n;
    const int64_t *ints;
    const float *floats;
    const char *s;
} Val;
typedef struct Named { const char *name; Val v; } Named;
enum { MOST_NAMES = 64, MOST_ARGS = 32 };
typedef struct Body {
    RowText t;
    Build *b;                        /* NULL: the row is checked only */
    const Node *n;
    const Sig *sig;
    bool skip, failed;               /* skip: reads, builds nothing */
    int nnames;
    Named names[MOST_NAMES];
} Body;

static Val read_expr(Body *k);

static Val num(double v)
{
    return (Val){.kind = VAL_NUM, .num = v};
}

static Val edge_val(Body *k, Edge *e)
{
    if (!e || k->skip)
        return (Val){0};
    if (edge_poisoned(e)) {
        k->failed = k->skip = true;
        return (Val){0};
    }
    return (Val){.kind = VAL_EDGE, .e = e};
}

static void fault(Body *k, const char *text)
{
    if (!k->skip)
        node_error(k->b, k->n, "%s", text);
    k->failed |= !k->skip;
    k->skip = true;
}

/* An integer; a dimension that does not divide gives none. */
static int64_t to_int(Body *k, Val v)
{
    Ctx *c = k->t.c;
    if (v.kind == VAL_NUM && v.num == floor(v.num) && fabs(v.num) < 1e15)
        return (int64_t)v.num;
    const char *given = "";
    for (int i = 0; !k->skip && i < k->n->nin; i++)
        if (k->n->in[i])
            given = internf(c, "%s%s%s", given, i ? ", " : "", type_text(c, k->n->in[i]->type));
    fault(k, internf(c, "a dimension would be %g: the operands (%s) do not go with each other or with the attributes",
                     v.num, given));
    return 0;
}

static void name_set(Body *k, const char *name, Val v)
{
    if (k->nnames == MOST_NAMES)
        row_bad(&k->t, "too many names");
    k->names[k->nnames++] = (Named){name, v};
}

static Val name_get(Body *k, const char *name)
{
    for (int i = k->nnames; i-- > 0;)
        if (k->names[i].name == name)
            return k->names[i].v;
    row_bad(&k->t, internf(k->t.c, "nothing is called '%s' so far", name));
}

/* ---- attributes of the node -------------------------------------------------------------------------------------- */

static Val own_attr(Body *k)
{
    const char *name = row_word(&k->t, "");
    if (!sig_attr(k->sig, name))
        row_bad(&k->t, internf(k->t.c, "there is no attribute '%s'", name));
    const Attr *a = k->skip ? NULL : node_attr(k->n, name);
    if (!a)
        return (Val){0};
    switch (a->kind) {
    case ATTR_INT:    return num((double)a->i);
    case ATTR_FLOAT:  return num((double)a->f);
    case ATTR_STRING: return (Val){.kind = VAL_TEXT, .s = a->s};
    case ATTR_INTS:   return (Val){.kind = VAL_INTS, .n = a->n, .ints = a->ints};
    case ATTR_FLOATS: return (Val){.kind = VAL_FLOATS, .n = a->n, .floats = a->floats};
    default:          row_bad(&k->t, "an attribute of this kind has no value in a body");
    }
}

/* ---- operands of what is built ----------------------------------------------------------------------------------- */

/* A number becomes a scalar of type dt. */
static Edge *operand(Body *k, Val v, DType dt)
{
    Ctx *c = k->t.c;
    switch (v.kind) {
    case VAL_EDGE: return v.e;
    case VAL_NUM:  return build_scalar(k->b, dt, v.num);
    case VAL_INTS: return build_ints(k->b, v.n, v.ints);
    case VAL_FLOATS: {
        int64_t count = v.n;
        return build_const(k->b, NULL, tensor_of(c, type_make(c, DT_F32, 1, &count), v.floats,
                                                 sizeof *v.floats * (size_t)v.n), k->b->loc);
    }
    default: return NULL;
    }
}

/* The type of a number that stands at place p: of an operand of the same variable, else what the place takes. */
static DType number_type(const Sig *s, int n, const Val *args, int p)
{
    const Param *at = sig_param(s->in, s->nin, p);
    for (int i = 0; i < n; i++)
        if (args[i].kind == VAL_EDGE && at->var && sig_param(s->in, s->nin, i)->var == at->var)
            return args[i].e->type.dt;
    static const DType order[] = {DT_F32, DT_I64, DT_I32, DT_BOOL, DT_U8};
    for (int i = 0; i < COUNT(order); i++)
        if (at->types >> order[i] & 1)
            return order[i];
    return DT_F64;
}

static void call(Body *k, const Sig *s, int nargs, const Val *args, int nattrs, const Attr *attrs, int nout, Val *out)
{
    Edge *in[MOST_ARGS], *result[MOST_ARGS];
    for (int i = 0; i < nout; i++)
        out[i] = (Val){0};
    for (int i = 0; i < s->nin; i++)
        if (!s->in[i].optional && !s->in[i].variadic && (i >= nargs || args[i].kind == VAL_NONE))
            return;
    if (k->skip)
        return;
    for (int i = 0; i < nargs; i++)
        in[i] = operand(k, args[i], args[i].kind == VAL_NUM ? number_type(s, nargs, args, i) : DT_NONE);
    NodeSpec spec = {.domain = s->domain, .op = s->name, .loc = k->b->loc, .nin = nargs, .in = in, .nout = nout,
                     .nattrs = nattrs, .attrs = attrs};
    build_sig(k->b, s, &spec, result);
    for (int i = 0; i < nout; i++)
        out[i] = edge_val(k, result[i]);
}

static const Sig *newest_sig(Body *k, const char *domain, const char *name)
{
    const Sig *s = op_newest(k->t.c, domain, name);
    if (!s)
        row_bad(&k->t, internf(k->t.c, "there is no operator '%s'", name));
    return s;
}

static Val arithmetic(Body *k, const char *op, Val x, Val y)
{
    if (x.kind == VAL_NONE || y.kind == VAL_NONE)
        return x.kind == VAL_NONE ? y : x;
    if (x.kind == VAL_NUM && y.kind == VAL_NUM)
        return num(*op == 'A' ? x.num + y.num : *op == 'S' ? x.num - y.num : *op == 'M' ? x.num * y.num
                                                                                        : x.num / y.num);
    Val z, args[2] = {x, y};
    call(k, newest_sig(k, "", op), 2, args, 0, NULL, 1, &z);
    return z;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static Val read_list(Body *k)
{
    VEC(int64_t) v = {0};
    for (int i = 0; row_more(&k->t, i, "]"); i++) {
        Val x = read_expr(k);
        for (int j = 0; x.kind == VAL_INTS && j < x.n; j++)
            VEC_PUSH(k->t.c, v, x.ints[j]);
        if (x.kind != VAL_INTS)
            VEC_PUSH(k->t.c, v, to_int(k, x));
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
        a->i = to_int(k, v);
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
    const Sig *s = newest_sig(k, domain, name);
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
    call(k, s, nargs, args, nattrs, attrs, nout, out);
}

static void check_within(Body *k, const char *name, Type t, Val y)
{
    int rank;
    int64_t dims[MAX_RANK];
    Type u = y.kind == VAL_EDGE ? y.e->type : t;
    if (!broadcast_dims(t.rank, t.dims, u.rank, u.dims, &rank, dims) || rank != u.rank ||
        memcmp(dims, u.dims, sizeof *dims * (size_t)rank))
        fault(k, internf(k->t.c, "%s is %s: it must broadcast to %s", name, type_text(k->t.c, t),
                         type_text(k->t.c, u)));
}

static void check_vector(Body *k, const char *name, Type t, int64_t n)
{
    if (t.rank != 1 || t.dims[0] != n)
        fault(k, internf(k->t.c, "%s is %s: it must be a vector of %lld elements", name, type_text(k->t.c, t),
                         (long long)n));
}

/* Dimension `at`, or the list of those from there on, or their places. */
static Val along(Body *k, Type t, int64_t at, bool all, bool places)
{
    int axis;
    Val v = {.kind = VAL_INTS};
    if (!node_axis(k->b, k->n, at, t.rank, all, &axis)) {
        k->failed = k->skip = true;
        return num(0);
    }
    int64_t *list = NEW_N(k->t.c, int64_t, t.rank + 1);
    for (int i = axis; i < t.rank; i++)
        list[v.n++] = places ? i : t.dims[i];
    v.ints = list;
    return all ? v : num((double)t.dims[axis]);
}

static bool read_asked(Body *k, Val *v)
{
    const char *name = row_word(&k->t, "");
    row_expect(&k->t, ")");
    *v = num(0);
    for (int i = 0; !k->skip && i < k->sig->nout && i < k->n->nout; i++)
        if (k->sig->out[i].name == name)
            *v = num(k->n->out[i] != NULL);
    return true;
}

/* The functions with small letters: what is known of an operand. */
static bool read_function(Body *k, const char *name, Val *v)
{
    enum { RANK, SIZE, TYPE, GIVEN, FAIL, ASKED, DIM, AXES, DIMS, WITHIN, VECTOR, ITEM };
    static const char *const names[] = {"rank", "size", "type", "given", "fail", "asked", "dim", "axes", "dims", "within",
                                        "vector", "item"};
    int f = 0;
    while (f < COUNT(names) && strcmp(names[f], name))
        f++;
    if (f == COUNT(names))
        return false;
    row_expect(&k->t, "(");
    if (f == ASKED)
        return read_asked(k, v);
    const char *from = k->t.p;
    Val x = read_expr(k), y = num(0);
    from = intern_n(k->t.c, from, (size_t)(k->t.p - from));
    if (f >= DIM) {
        row_expect(&k->t, ",");
        y = read_expr(k);
    }
    row_expect(&k->t, ")");
    *v = f == WITHIN || f == VECTOR ? x : f == AXES || f == DIMS ? (Val){.kind = VAL_INTS} : num(f == GIVEN && x.kind != VAL_NONE);
    if (k->skip || f == GIVEN)
        return true;
    if (f == FAIL)
        fault(k, x.s);
    if (f == ITEM)
        *v = num(y.num < 0 || y.num >= x.n ? 0 : x.kind == VAL_INTS ? (double)x.ints[(int)y.num]
                                                                    : (double)x.floats[(int)y.num]);
    if (x.kind != VAL_EDGE)
        return true;
    Type t = x.e->type;
    if (f == WITHIN)
        check_within(k, from, t, y);
    else if (f == VECTOR)
        check_vector(k, from, t, to_int(k, y));
    else if (f == DIM || f == AXES || f == DIMS)
        *v = along(k, t, to_int(k, y), f != DIM, f == AXES);
    else
        *v = num(f == RANK ? t.rank : f == TYPE ? t.dt : (double)type_count(t));
    return true;
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
        return own_attr(k);
    if (*t->p == '"' || *t->p == '\'')
        return (Val){.kind = VAL_TEXT, .s = row_quoted(t)};
    if ((*t->p >= '0' && *t->p <= '9') || *t->p == '.')
        return num(row_number(t));
    const char *name = row_word(t, "."), *domain = "";
    if (row_accept(t, "::")) {
        domain = name;
        name = row_word(t, "");
    }
    row_skip(t);
    if (*t->p == '(' && read_function(k, name, &v))
        return v;
    if (*t->p == '(' || *t->p == '<')
        return read_call(k, domain, name, 1, &v), v;
    return dtype_parse(name) != DT_NONE ? num(dtype_parse(name)) : name_get(k, name);
}

static Val read_unary(Body *k)
{
    if (!row_accept(&k->t, "-"))
        return read_primary(k);
    Val x = read_unary(k), y = num(-x.num);
    if (x.kind == VAL_EDGE)
        call(k, newest_sig(k, "", "Neg"), 1, &x, 0, NULL, 1, &y);
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
        x = arithmetic(k, times ? "Mul" : "Div", x, y);
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
        x = arithmetic(k, plus ? "Add" : "Sub", x, y);
    }
}

static Val read_expr(Body *k)
{
    Val x = read_sum(k);
    bool same = row_accept(&k->t, "==");
    if (same || row_accept(&k->t, "<")) {
        Val y = read_sum(k);
        bool numbers = x.kind == VAL_NUM && y.kind == VAL_NUM;
        x = num(!same ? numbers && x.num < y.num : numbers ? x.num == y.num : x.kind == VAL_TEXT && !strcmp(x.s, y.s));
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

static void read_body(Body *k)
{
    for (int i = 0; i < k->sig->nin; i++)
        name_set(k, k->sig->in[i].name, edge_val(k, k->n && i < k->n->nin ? k->n->in[i] : NULL));
    do {
        read_formula(k);
        row_skip(&k->t);
    } while (row_accept(&k->t, ";"));
    row_skip(&k->t);
    if (*k->t.p)
        row_bad(&k->t, "expected ';' or the end");
}

bool compose(Build *b, const Node *n, Edge **out)
{
    Body k = {.t = {b->c, n->op->body, n->op->body}, .b = b, .n = n, .sig = n->sig};
    read_body(&k);
    for (int i = 0; !k.failed && i < n->nout; i++)
        if (n->out[i])
            out[i] = operand(&k, name_get(&k, n->sig->out[i].name), DT_F32);
    return !k.failed;
}

void op_check_body(Ctx *c, const Sig *s)
{
    Body k = {.t = {c, s->op->body, s->op->body}, .sig = s, .skip = true};
    read_body(&k);
    for (int i = 0; i < s->nout; i++)
        if (!s->out[i].optional)
            name_get(&k, s->out[i].name);
}
