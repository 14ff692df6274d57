/* What operators there are: signatures are read once per context, sorted by domain, name and version, and found by a
 * hash of domain and name, which leads to the first version of the operator; its versions lie side by side.
 * A fault in a signature is ours: an internal error that shows the entry and the place. The default domain is "",
 * whatever a model calls it. */
#include "build.h"

struct OpTable {
    Sig *sigs;
    int n;
    uint32_t mask;
    int *first;                      /* by hash: 1 + where an operator's versions begin; 0: free */
    const char **names;              /* every name once, sorted as the entries are, and what domain it is of */
    const char **domains;
    int nnames;
};

/* ---- the notation ------------------------------------------------------------------------------------------------ */

void row_bad(const RowText *t, const char *want)
{
    ice(t->c, "operator entry \"%.200s\": at \"%.100s\": %s", t->all, t->p, want);
}

void row_skip(RowText *t)
{
    while (*t->p == ' ' || *t->p == '\n')
        t->p++;
}

bool row_accept(RowText *t, const char *s)
{
    size_t n = strlen(s);
    row_skip(t);
    if (strncmp(t->p, s, n))
        return false;
    t->p += n;
    return true;
}

void row_expect(RowText *t, const char *s)
{
    if (!row_accept(t, s))
        row_bad(t, internf(t->c, "expected '%s'", s));
}

/* Whether a list of which n items are read goes on. */
bool row_more(RowText *t, int n, const char *close)
{
    if (row_accept(t, close))
        return false;
    if (n)
        row_expect(t, ",");
    return true;
}

static bool is_word(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

const char *row_word(RowText *t, const char *also)
{
    row_skip(t);
    const char *from = t->p;
    while (is_word(*t->p) || (*t->p && strchr(also, *t->p)))
        t->p++;
    if (t->p == from)
        row_bad(t, "expected a name");
    return intern_n(t->c, from, (size_t)(t->p - from));
}

double row_number(RowText *t)
{
    char *end;
    row_skip(t);
    double v = strtod(t->p, &end);
    if (end == t->p)
        row_bad(t, "expected a number");
    t->p = end;
    return v;
}

static int64_t whole(RowText *t)
{
    char *end;
    row_skip(t);
    errno = 0;
    long long v = strtoll(t->p, &end, 10);
    if (end == t->p || errno || *end == '.' || *end == 'e')
        row_bad(t, "expected an integer");
    t->p = end;
    return v;
}

const char *row_quoted(RowText *t)
{
    char quote = row_accept(t, "'") ? '\'' : '"';
    if (quote == '"')
        row_expect(t, "\"");
    const char *from = t->p, *end = strchr(from, quote);
    if (!end)
        row_bad(t, "the string does not end");
    t->p = end + 1;
    return intern_n(t->c, from, (size_t)(end - from));
}

static AttrKind attr_kind(RowText *t)
{
    static const struct { const char *name; AttrKind kind; } kinds[] = {
        {"int", ATTR_INT},         {"float", ATTR_FLOAT},   {"string", ATTR_STRING}, {"tensor", ATTR_TENSOR},
        {"graph", ATTR_GRAPH},     {"ints", ATTR_INTS},     {"floats", ATTR_FLOATS}, {"strings", ATTR_STRINGS},
        {"tensors", ATTR_TENSORS}, {"graphs", ATTR_GRAPHS}, {"type", ATTR_TYPE},     {"sparse", ATTR_SPARSE},
    };
    const char *at = t->p, *name = row_word(t, "");
    for (int i = 0; i < COUNT(kinds); i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].kind;
    t->p = at;
    row_bad(t, "not a type of attributes");
}

static void default_list(RowText *t, Attr *a)
{
    VEC(int64_t) ints = {0};
    VEC(float) floats = {0};
    VEC(const char *) strings = {0};
    row_expect(t, "[");
    while (row_more(t, a->n, "]")) {
        if (a->kind == ATTR_INTS)
            VEC_PUSH(t->c, ints, whole(t));
        else if (a->kind == ATTR_FLOATS)
            VEC_PUSH(t->c, floats, (float)row_number(t));
        else
            VEC_PUSH(t->c, strings, row_quoted(t));
        a->n++;
    }
    a->ints = ints.at;
    a->floats = floats.at;
    a->strings = strings.at;
}

static const Attr *default_value(RowText *t, const char *name, AttrKind kind)
{
    Attr a = {.name = name, .kind = kind};
    switch (kind) {
    case ATTR_INT:    a.i = whole(t); break;
    case ATTR_FLOAT:  a.f = (float)row_number(t); break;
    case ATTR_STRING: a.s = row_quoted(t); break;
    case ATTR_INTS: case ATTR_FLOATS: case ATTR_STRINGS: default_list(t, &a); break;
    default: row_bad(t, "an attribute of this type has no default");
    }
    return mem_copy(t->c, &a, sizeof a);
}

static void read_attrs(RowText *t, Sig *s)
{
    VEC(AttrSig) attrs = {0};
    VEC(Attr) defaults = {0};
    if (!row_accept(t, "<"))
        return;
    do {
        AttrSig a = {.name = row_word(t, "")};
        bool optional = row_accept(t, "?");
        VEC(const char *) choices = {0};
        for (int i = 0; i < attrs.n; i++)
            if (attrs.at[i].name == a.name)
                row_bad(t, "an attribute of that name is there already");
        row_expect(t, ":");
        a.kind = attr_kind(t);
        if (row_accept(t, "="))
            a.fallback = default_value(t, a.name, a.kind);
        if (optional && a.fallback)
            row_bad(t, "optional, and with a default");
        a.required = !optional && !a.fallback;
        if (a.fallback && a.kind == ATTR_STRING)
            VEC_PUSH(t->c, choices, a.fallback->s);
        while (a.kind == ATTR_STRING && row_accept(t, "|"))
            VEC_PUSH(t->c, choices, row_quoted(t));
        a.choices = choices.at;
        a.nchoices = choices.n > 1 ? choices.n : 0;
        s->graphs |= a.kind == ATTR_GRAPH || a.kind == ATTR_GRAPHS;
        if (a.fallback)
            VEC_PUSH(t->c, defaults, *a.fallback);
        VEC_PUSH(t->c, attrs, a);
    } while (row_accept(t, ","));
    row_expect(t, ">");
    s->attrs = attrs.at;
    s->nattrs = attrs.n;
    s->defaults = defaults.at;
    s->ndefaults = defaults.n;
}

#define BIT(x) (UINT64_C(1) << DT_##x)
static uint64_t set_of(char letter)
{
    const uint64_t floats = BIT(F16) | BIT(BF16) | BIT(F32) | BIT(F64), ints = BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64),
                   uints = BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64), complex = BIT(C64) | BIT(C128),
                   small = BIT(F8E4M3) | BIT(F8E4M3Z) | BIT(F8E5M2) | BIT(F8E5M2Z) | BIT(F8E8M0) | BIT(F4E2M1) |
                           BIT(U4) | BIT(I4) | BIT(U2) | BIT(I2);
    switch (letter) {
    case 'F': return floats;
    case 'I': return ints;
    case 'U': return uints;
    case 'J': return ints | uints;
    case 'R': return floats | ints | uints;
    case 'B': return BIT(BOOL);
    case 'C': return complex;
    case 'S': return BIT(STRING);
    case 'Q': return small;
    case 'V': return floats | ints | uints | BIT(BOOL) | complex | BIT(STRING) | small;
    default:  return 0;
    }
}

static void read_type(RowText *t, Param *p)
{
    row_skip(t);
    const char *from = t->p;
    int items = 0;
    bool set = false;
    do {
        const char *at = t->p, *name = row_word(t, "");
        DType dt = dtype_parse(name);
        items++;
        if (dt != DT_NONE) {
            p->types |= UINT64_C(1) << dt;
            continue;
        }
        set = true;
        size_t n = strlen(name);
        if (n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9')
            n--;
        for (size_t i = 0; i < n; i++) {
            if (!set_of(name[i])) {
                t->p = at;
                row_bad(t, "not a type, and not made of the sets F I U J R B C S Q V");
            }
            p->types |= set_of(name[i]);
        }
    } while (row_accept(t, "|"));
    if (set || items > 1)
        p->var = intern_n(t->c, from, (size_t)(t->p - from));
    if (row_accept(t, "*"))
        p->var = NULL;
}

static const Param *read_params(RowText *t, int *n)
{
    VEC(Param) all = {0};
    row_expect(t, "(");
    while (row_more(t, all.n, ")")) {
        if (all.n && all.at[all.n - 1].variadic)
            row_bad(t, "a variadic operand must be the last one");
        Param p = {.name = row_word(t, "")};
        for (int i = 0; i < all.n; i++)
            if (all.at[i].name == p.name)
                row_bad(t, "an operand of that name is there already");
        for (;;) {
            if (row_accept(t, "#")) {
                p.by_data = true;
                p.dim = row_accept(t, "1") ? 1 : row_accept(t, "-1") ? -1 : 0;
                continue;
            }
            bool *flag = row_accept(t, "?")     ? &p.optional
                         : row_accept(t, "...") ? &p.variadic
                         : row_accept(t, "!")   ? &p.known
                         : row_accept(t, "~")   ? &p.type_only
                                                : NULL;
            if (!flag)
                break;
            if (*flag)
                row_bad(t, "a mark stands there twice");
            *flag = true;
        }
        row_expect(t, ":");
        read_type(t, &p);
        VEC_PUSH(t->c, all, p);
    }
    *n = all.n;
    return all.at;
}

/* Behind the results, the true dimensions of those whose size depends on data. */
static void add_dims(Ctx *c, Sig *s)
{
    Param *all = NEW_N(c, Param, 2 * s->nout);
    int n = s->nshown = s->nout;
    for (int k = 0; k < s->nshown; k++) {
        all[k] = s->out[k];
        if (all[k].by_data)
            all[n++] = (Param){.name = internf(c, "%s_dims", all[k].name), .types = BIT(I32), .optional = true,
                               .dims_of = k};
    }
    s->out = n > s->nout ? all : s->out;
    s->nout = n;
}

static const char *domain_norm(const char *domain)
{
    return !domain || !strcmp(domain, "ai.onnx") ? "" : domain;
}

static void check_meaning(RowText *t, const Sig *s)
{
    const Op *op = s->op;
    t->p = t->all;
    int meanings = (op->scalar != 0) + (op->formula != NULL) + (op->at != NULL) + (op->lower != NULL) + op_expands(op);
    if ((meanings != 1 && (meanings || !op->lists)) || (op->body && op->expand))
        row_bad(t, "exactly one of scalar, formula, at, lower, expand and body must be set");
    if (op->wide && !op_expands(op))
        row_bad(t, "wide goes with expand and body");
    if (s->graphs && !op_expands(op) && !op->lists)
        row_bad(t, "an operator with graph attributes must expand");
    if (op->scalar && op_arity((ScalarOp)(op->scalar - 1)) != s->nin)
        row_bad(t, "the scalar operator takes another number of operands");
    for (int i = 0; i < s->nout; i++)
        if (s->out[i].known || s->out[i].type_only)
            row_bad(t, "a mark that results do not have");
    for (int i = 0; i < s->nin; i++)
        if (s->in[i].by_data)
            row_bad(t, "a mark that operands do not have");
    if (s->nshown < s->nout && !op->lower)
        row_bad(t, "results whose size depends on data go with lower");
}

static Sig read_sig(Ctx *c, const Op *op)
{
    RowText t = {c, op->sig, op->sig};
    Sig s = {.op = op, .domain = intern(c, "")};
    s.name = row_word(&t, ".");
    if (row_accept(&t, "::")) {
        s.domain = intern(c, domain_norm(s.name));
        s.name = row_word(&t, "");
    }
    row_expect(&t, "-");
    int64_t since = whole(&t);
    if (since < 1 || since > INT_MAX)
        row_bad(&t, "versions count from 1");
    s.since = (int)since;
    read_attrs(&t, &s);
    s.in = read_params(&t, &s.nin);
    row_expect(&t, "=>");
    s.out = read_params(&t, &s.nout);
    add_dims(c, &s);
    row_skip(&t);
    if (*t.p)
        row_bad(&t, "expected the end");
    check_meaning(&t, &s);
    return s;
}

/* ---- look-up ----------------------------------------------------------------------------------------------------- */

static uint32_t hash_name(const char *domain, const char *name)
{
    uint32_t h = 2166136261u;
    for (; *domain; domain++)
        h = (h ^ (unsigned char)*domain) * 16777619u;
    h = (h ^ ':') * 16777619u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h ^ h >> 15;
}

static bool same_op(const Sig *a, const char *domain, const char *name)
{
    return !strcmp(a->name, name) && !strcmp(a->domain, domain);
}

static int by_name(const void *x, const void *y)
{
    const Sig *a = x, *b = y;
    int o = strcmp(a->domain, b->domain);
    o = o ? o : strcmp(a->name, b->name);
    return o ? o : (a->since > b->since) - (a->since < b->since);
}

bool op_expands(const Op *op)
{
    return op->expand || op->body;
}

static void index_names(Ctx *c, OpTable *t)
{
    uint32_t cap = 16;
    while (cap < 2 * (uint32_t)t->n)
        cap *= 2;
    t->mask = cap - 1;
    t->first = NEW_N(c, int, cap);
    t->names = NEW_N(c, const char *, t->n);
    t->domains = NEW_N(c, const char *, t->n);
    for (int i = 0; i < t->n; i++) {
        const Sig *s = &t->sigs[i];
        if (i && same_op(s - 1, s->domain, s->name)) {
            if (s->since == s[-1].since)
                ice(c, "operator entry \"%s\" is there twice", s->op->sig);
            continue;
        }
        t->domains[t->nnames] = s->domain;
        t->names[t->nnames++] = s->name;
        uint32_t h = hash_name(s->domain, s->name) & t->mask;
        while (t->first[h])
            h = (h + 1) & t->mask;
        t->first[h] = i + 1;
    }
}

const OpTable *op_tables_new(Ctx *c, int n, const OpList *lists)
{
    OpTable *t = NEW(c, OpTable);
    int all = 0;
    for (int i = 0; i < n; i++)
        all += lists[i].n;
    t->sigs = NEW_N(c, Sig, all);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < lists[i].n; k++) {
            Sig *s = &t->sigs[t->n++];
            *s = read_sig(c, &lists[i].ops[k]);
            s->in_place = s->graphs || (lists[i].in_place && op_expands(s->op));
        }
    if (all)
        qsort(t->sigs, (size_t)all, sizeof *t->sigs, by_name);
    index_names(c, t);
    return t;
}

const OpTable *op_table_new(Ctx *c, const Op *ops, int n)
{
    return op_tables_new(c, 1, &(OpList){ops, n, false});
}

/* The first version, or NULL. */
static const Sig *find_first(const OpTable *t, const char *domain, const char *name)
{
    if (!t)
        return NULL;
    for (uint32_t h = hash_name(domain, name) & t->mask; t->first[h]; h = (h + 1) & t->mask)
        if (same_op(&t->sigs[t->first[h] - 1], domain, name))
            return &t->sigs[t->first[h] - 1];
    return NULL;
}

const Sig *op_version(Ctx *c, const Sig *s, int step)
{
    const OpTable *t = c->ops;
    ptrdiff_t k = s - t->sigs + step;
    return k >= 0 && k < t->n && same_op(&t->sigs[k], s->domain, s->name) ? &t->sigs[k] : NULL;
}

const Sig *op_find(Ctx *c, const char *domain, const char *name, int64_t opset, int *newer)
{
    const Sig *s = find_first(c->ops, domain_norm(domain), name), *next;
    if (newer)
        *newer = s && s->since > opset ? s->since : 0;
    if (!s || s->since > opset)
        return NULL;
    while ((next = op_version(c, s, 1)) && next->since <= opset)
        s = next;
    return s;
}

const Sig *op_newest(Ctx *c, const char *domain, const char *name)
{
    return op_find(c, domain, name, INT64_MAX, NULL);
}

const char *op_nearest(Ctx *c, const char *domain, const char *name)
{
    const OpTable *t = c->ops;
    int from = 0, n = 0;
    domain = domain_norm(domain);
    while (from < t->nnames && strcmp(t->domains[from], domain))
        from++;
    while (from + n < t->nnames && t->domains[from + n] == t->domains[from])
        n++;
    return nearest(name, t->names + from, n);
}

int op_count(Ctx *c)
{
    return c->ops->n;
}

const Sig *op_entry(Ctx *c, int k)
{
    return &c->ops->sigs[k];
}

const Param *sig_param(const Param *params, int n, int k)
{
    if (k < n)
        return &params[k];
    return n && params[n - 1].variadic ? &params[n - 1] : NULL;
}
