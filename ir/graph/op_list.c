/* burin ops: the table of operators for people, and for the documentation that is made from it. */
#include "build.h"

typedef struct Kinds { const char *name; uint64_t types; } Kinds;
#define T(id) (UINT64_C(1) << DT_##id)
static const Kinds kinds[] = {
    {"floats", T(F16) | T(BF16) | T(F32) | T(F64)},
    {"signed", T(I8) | T(I16) | T(I32) | T(I64)},
    {"unsigned", T(U8) | T(U16) | T(U32) | T(U64)},
    {"complex", T(C64) | T(C128)},
    {"small", T(U4) | T(I4) | T(U2) | T(I2) | T(F4E2M1) | T(F8E4M3) | T(F8E4M3Z) | T(F8E5M2) | T(F8E5M2Z) | T(F8E8M0)},
};

/* "floats signed bool": kinds that are whole, then single types. */
static const char *types_text(Ctx *c, uint64_t types)
{
    const char *text = "";
    uint64_t all = 0;
    for (int t = 1; t < DT_COUNT; t++) all |= UINT64_C(1) << t;
    if ((types & all) == all) return "all";
    for (int i = 0; i < COUNT(kinds); i++)
        if ((types & kinds[i].types) == kinds[i].types) {
            text = internf(c, "%s%s%s", text, *text ? " " : "", kinds[i].name);
            types &= ~kinds[i].types;
        }
    for (int t = 1; t < DT_COUNT; t++)
        if (types >> t & 1) text = internf(c, "%s%s%s", text, *text ? " " : "", dtype_name((DType)t));
    return text;
}

static const Param *param_at(const Sig *s, int i)
{
    return i < s->nin ? &s->in[i] : &s->out[i - s->nin];
}

/* Operands of one type stand together: "X, Y: floats; axes: int64". */
static const char *operands_text(Ctx *c, const Sig *s)
{
    const char *text = "";
    for (int i = 0; i < s->nin + s->nshown; i++) {
        const Param *p = param_at(s, i);
        bool seen = false;
        for (int k = 0; k < i; k++) seen |= param_at(s, k)->types == p->types;
        if (seen) continue;
        const char *names = "";
        for (int k = i; k < s->nin + s->nshown; k++)
            if (param_at(s, k)->types == p->types)
                names = internf(c, "%s%s%s", names, *names ? ", " : "", param_at(s, k)->name);
        text = internf(c, "%s%s%s: %s", text, *text ? "; " : "", names, types_text(c, p->types));
    }
    return text;
}

static const char *full_name(Ctx *c, const Sig *s)
{
    return *s->domain ? internf(c, "%s.%s", s->domain, s->name) : s->name;
}

static bool same_operator(const Sig *a, const Sig *b)
{
    return a && b && a->domain == b->domain && a->name == b->name;
}

void ops_rows(FILE *f, Ctx *c)
{
    for (int k = 0; k < op_count(c); k++) {
        const Sig *s = op_entry(c, k);
        fprintf(f, "%s\t%d\t%s\n", full_name(c, s), s->since, operands_text(c, s));
    }
}

void ops_print(FILE *f, Ctx *c)
{
    fputs("operator, the versions that differ, types of the newest\n\n", f);
    const char *since = "";
    for (int k = 0; k < op_count(c); k++) {
        const Sig *s = op_entry(c, k), *next = k + 1 < op_count(c) ? op_entry(c, k + 1) : NULL;
        since = internf(c, "%s%s%d", since, *since ? " " : "", s->since);
        if (same_operator(s, next)) continue;
        fprintf(f, "%-27s %-16s %s\n", full_name(c, s), since, operands_text(c, s));
        since = "";
    }
    fputs("\n", f);
    for (int i = 0; i < COUNT(kinds); i++) {
        fprintf(f, "%s:", kinds[i].name);
        for (int t = 1; t < DT_COUNT; t++)
            if (kinds[i].types >> t & 1) fprintf(f, " %s", dtype_name((DType)t));
        fputs("\n", f);
    }
    fputs("all: these, bool and string; burin ops NAME tells more\n", f);
}

/* ---- one operator ------------------------------------------------------------------------------------------------ */

static void print_list(FILE *f, const Attr *a)
{
    fputc('[', f);
    for (int i = 0; i < a->n; i++) {
        char text[40] = "";
        if (a->kind == ATTR_FLOATS) float_text(text, a->floats[i], 1);
        if (a->kind == ATTR_INTS) snprintf(text, sizeof text, "%lld", (long long)a->ints[i]);
        if (a->kind == ATTR_STRINGS) fprintf(f, "%s\"%s\"", i ? ", " : "", a->strings[i]);
        else fprintf(f, "%s%s", i ? ", " : "", text);
    }
    fputc(']', f);
}

static void print_attr(FILE *f, const AttrSig *a)
{
    static const char *const names[] = {"", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings",
                                        "tensors", "graphs", "sparse", "sparses", "type", "types"};
    char text[40];
    fprintf(f, "    %s: %s", a->name, names[a->kind]);
    if (!a->fallback) {
        fputs(a->required ? ", required\n" : ", optional\n", f);
        return;
    }
    fputs(" = ", f);
    if (a->kind == ATTR_INT) fprintf(f, "%lld", (long long)a->fallback->i);
    else if (a->kind == ATTR_FLOAT) float_text(text, a->fallback->f, 1), fputs(text, f);
    else if (a->kind == ATTR_STRING) fprintf(f, "\"%s\"", a->fallback->s);
    else print_list(f, a->fallback);
    fputc('\n', f);
}

static void print_operand(FILE *f, Ctx *c, const Sig *s, int i)
{
    const Param *p = param_at(s, i);
    int as = 0;
    while (as < i && (!p->var || param_at(s, as)->var != p->var)) as++;
    fprintf(f, "    %s%s: ", p->name, p->variadic ? " ..." : "");
    if (as < i) fprintf(f, "as %s", param_at(s, as)->name);
    else fputs(types_text(c, p->types), f);
    fprintf(f, "%s%s%s\n", p->optional ? ", optional" : "", p->known ? ", known at compile time" : "",
            p->type_only ? ", its type alone matters" : "");
}

static void print_sig(FILE *f, Ctx *c, const Sig *s)
{
    fprintf(f, "%s, since version %d\n", full_name(c, s), s->since);
    if (s->nattrs) fputs("  attributes\n", f);
    for (int i = 0; i < s->nattrs; i++) print_attr(f, &s->attrs[i]);
    fputs("  inputs\n", f);
    for (int i = 0; i < s->nin; i++) print_operand(f, c, s, i);
    fputs("  outputs\n", f);
    for (int i = s->nin; i < s->nin + s->nshown; i++) print_operand(f, c, s, i);
}

bool ops_detail(FILE *f, Ctx *c, const char *name)
{
    const char *own = "ai.onnx.";    /* the domain that goes without saying */
    bool found = false;
    if (!strncmp(name, own, strlen(own)) && !strchr(name + strlen(own), '.')) name += strlen(own);
    for (int k = 0; k < op_count(c); k++) {
        const Sig *s = op_entry(c, k);
        if (strcmp(s->name, name) && strcmp(full_name(c, s), name)) continue;
        if (found) fputc('\n', f);
        print_sig(f, c, s);
        found = true;
    }
    if (found) return true;
    const char *dot = strrchr(name, '.'), *domain = intern_n(c, name, dot ? (size_t)(dot - name) : 0);
    error(c, (Loc){0}, "operator '%s' is not known%s", name, op_advice(c, domain, dot ? dot + 1 : name));
    op_note(c);
    return false;
}
