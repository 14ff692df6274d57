/* OpenVINO IR: names of types, numbers, attributes. In XML every attribute is text; of what kind it is, the signature
 * of the operator tells. A number may be written as a truth value (true, false) or as an element type, which stands for
 * the number of the type; a string with choices is compared without regard to case. */
#include "openvino.h"

static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a | (*a >= 'A' && *a <= 'Z' ? 32 : 0)) != (*b | (*b >= 'A' && *b <= 'Z' ? 32 : 0)))
            return false;
    return !*a && !*b;
}

DType ov_type(const char *name)
{
    static const struct { const char *name; DType dt; } types[] = {
        {"f32", DT_F32},       {"fp32", DT_F32},      {"f16", DT_F16},       {"fp16", DT_F16},
        {"bf16", DT_BF16},     {"f64", DT_F64},       {"fp64", DT_F64},      {"i64", DT_I64},
        {"i32", DT_I32},       {"i16", DT_I16},       {"i8", DT_I8},         {"u8", DT_U8},
        {"u16", DT_U16},       {"u32", DT_U32},       {"u64", DT_U64},       {"boolean", DT_BOOL},
        {"bool", DT_BOOL},     {"i4", DT_I4},         {"u4", DT_U4},         {"i2", DT_I2},
        {"u2", DT_U2},         {"f8e4m3", DT_F8E4M3}, {"f8e5m2", DT_F8E5M2}, {"f8e8m0", DT_F8E8M0},
        {"f4e2m1", DT_F4E2M1},
    };
    for (int i = 0; i < COUNT(types); i++)
        if (same_word(types[i].name, name))
            return types[i].dt;
    return DT_NONE;
}

static const char *unspaced(const char *s, const char **end)
{
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    const char *e = s + strlen(s);
    while (e > s && (e[-1] == ' ' || (e[-1] >= '\t' && e[-1] <= '\r')))
        e--;
    *end = e;
    return s;
}

static bool int_at(const char *s, const char *end, const char **after, int64_t *v)
{
    bool negative;
    uint64_t magnitude;
    s += s < end && *s == '+';
    if (literal_int(s, end, after, &negative, &magnitude) != LIT_OK ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *v = negative ? -(int64_t)(magnitude - (magnitude != 0)) - (magnitude != 0) : (int64_t)magnitude;
    return true;
}

bool ov_int(const char *text, int64_t *v)
{
    int64_t quick = 0;
    const char *digit = text;        /* the common case, and why it has its own: every dimension and port is one */
    while (*digit >= '0' && *digit <= '9' && digit - text < 18)
        quick = quick * 10 + (*digit++ - '0');
    if (digit > text && !*digit) {
        *v = quick;
        return true;
    }
    const char *end, *after, *s = unspaced(text, &end);
    return int_at(s, end, &after, v) && after == end;
}

/* The next item of a list between commas: from *s to *end; *s is then behind it. False: no more. */
static bool item(const char **s, const char **from, const char **end)
{
    const char *p = *s;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        p++;
    *from = p;
    while (*p && *p != ',')
        p++;
    *end = p;
    while (*end > *from && ((*end)[-1] == ' ' || ((*end)[-1] >= '\t' && (*end)[-1] <= '\r')))
        (*end)--;
    *s = p + (*p == ',');
    return *p || *from != *end;
}

/* How many items there are at most. */
static int items(const char *text)
{
    int n = *text != 0;
    for (; (text = strchr(text, ',')); text++)
        n++;
    return n;
}

bool ov_ints(Ctx *c, const char *text, int *n, const int64_t **v)
{
    int64_t *all = NEW_N(c, int64_t, items(text));
    const char *from, *end, *after;
    *v = all;
    for (*n = 0; item(&text, &from, &end); ++*n)
        if (!int_at(from, end, &after, &all[*n]) || after != end)
            return false;
    return true;
}

static bool float_at(const char *s, const char *end, float *v)
{
    const char *after;
    double d;
    s += s < end && *s == '+';
    LitFault f = literal_double(s, end, &after, &d);
    *v = f == LIT_RANGE ? (*s == '-' ? -INFINITY : INFINITY) : d > 3.4028235677973366e38 ? INFINITY
         : d < -3.4028235677973366e38 ? -INFINITY : (float)d;
    return (f == LIT_OK || f == LIT_RANGE) && after == end;
}

static bool ov_floats(Ctx *c, const char *text, int *n, const float **v)
{
    float *all = NEW_N(c, float, items(text));
    const char *from, *end;
    *v = all;
    for (*n = 0; item(&text, &from, &end); ++*n)
        if (!float_at(from, end, &all[*n]))
            return false;
    return true;
}

static void strings(Ctx *c, const char *text, Attr *a)
{
    const char **all = NEW_N(c, const char *, items(text)), *from, *end;
    a->strings = all;
    for (a->n = 0; item(&text, &from, &end); a->n++)
        all[a->n] = intern_n(c, from, (size_t)(end - from));
}

static bool integer(const char *text, int64_t *v)
{
    if (same_word(text, "true") || same_word(text, "false")) {
        *v = same_word(text, "true");
        return true;
    }
    if (ov_type(text) != DT_NONE) {
        DType dt = ov_type(text);    /* what is stored in 16 bits is computed in float: openvino.c */
        *v = dt == DT_F16 || dt == DT_BF16 ? DT_F32 : dt;
        return true;
    }
    return ov_int(text, v);
}

static const char *chosen(Ov *x, const AttrSig *s, const char *text)
{
    for (int i = 0; i < s->nchoices; i++)
        if (same_word(s->choices[i], text))
            return intern(x->c, s->choices[i]);
    return text;
}

static bool value(Ov *x, const AttrSig *s, const char *text, Attr *a)
{
    const char *end;
    a->kind = s->kind;
    switch (s->kind) {
    case ATTR_INT:     return integer(text, &a->i);
    case ATTR_FLOAT:   return text = unspaced(text, &end), float_at(text, end, &a->f);
    case ATTR_INTS:    return ov_ints(x->c, text, &a->n, &a->ints);
    case ATTR_FLOATS:  return ov_floats(x->c, text, &a->n, &a->floats);
    case ATTR_STRINGS: strings(x->c, text, a); return true;
    default:           a->kind = ATTR_STRING; a->s = chosen(x, s, text); return true;
    }
}

const char *layer_attr(const XLayer *l, const char *name)
{
    for (int i = 0; i < l->attrs.n; i++)
        if (!strcmp(l->attrs.at[i].key, name))
            return l->attrs.at[i].value;
    return NULL;
}

/* '-' and '.' stand as '_'. */
static bool is_called(const char *name, const char *key)
{
    while (*name && (*name == *key || (*name == '_' && (*key == '-' || *key == '.')))) {
        name++;
        key++;
    }
    return !*name && !*key;
}

int layer_attrs(Ov *x, const XLayer *l, const Sig *sig, int n, MAttr *attrs)
{
    for (int i = 0; i < l->attrs.n; i++) {
        const Pair *p = &l->attrs.at[i];
        const AttrSig *s = NULL;
        for (int k = 0; k < sig->nattrs && !s; k++)
            if (is_called(sig->attrs[k].name, p->key))
                s = &sig->attrs[k];
        MAttr *m = &attrs[n++];
        *m = (MAttr){.a = {.name = s ? s->name : p->key, .kind = ATTR_STRING, .loc = l->loc, .s = p->value}};
        if (s && !value(x, s, p->value, &m->a)) {
            ov_fault(x, l->loc, "layer '%s' (%s): attribute %s=\"%s\": %s expected", l->name, l->type, p->key, p->value,
                     s->kind == ATTR_INT     ? "an integer, true, false or an element type is"
                     : s->kind == ATTR_FLOAT ? "a number is"
                     : s->kind == ATTR_INTS  ? "integers between commas are"
                                             : "numbers between commas are");
            m->a.kind = 0;
        }
    }
    return n;
}
