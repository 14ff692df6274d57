/* A node against its signature: attributes, operands, types. Messages name the operator, the operand by its name in
 * the standard, what it is and what it may be. A type variable takes the element type of the first operand that has
 * it. */
#include "build.h"

/* ---- attributes -------------------------------------------------------------------------------------------------- */

enum { MOST_ATTRS = 1000 };

static const char *kind_name(AttrKind k)
{
    static const char *const names[] = {
        [ATTR_FLOAT] = "float",     [ATTR_INT] = "int",         [ATTR_STRING] = "string",
        [ATTR_TENSOR] = "tensor",   [ATTR_GRAPH] = "graph",     [ATTR_FLOATS] = "floats",
        [ATTR_INTS] = "ints",       [ATTR_STRINGS] = "strings", [ATTR_TENSORS] = "tensors",
        [ATTR_GRAPHS] = "graphs",   [ATTR_TYPE] = "type",       [ATTR_SPARSE] = "sparse tensor",
        [ATTR_SPARSES] = "sparse tensors",
        [ATTR_TYPES] = "types",
    };
    return k >= ATTR_FLOAT && k <= ATTR_TYPES ? names[k] : "value of no type";
}

const AttrSig *sig_attr(const Sig *s, const char *name)
{
    for (int i = 0; i < s->nattrs; i++)
        if (s->attrs[i].name == name || !strcmp(s->attrs[i].name, name))
            return &s->attrs[i];
    return NULL;
}

/* The operator's version nearest in that direction that has the attribute, or NULL. */
static const Sig *version_with(Ctx *c, const Sig *s, const char *attr, int step)
{
    while ((s = op_version(c, s, step)))
        if (sig_attr(s, attr))
            return s;
    return NULL;
}

static int64_t imported(const Build *b, const Sig *s)
{
    for (int i = 0; b->opsets && i < b->nopsets; i++) {
        const char *d = b->opsets[i].domain;
        if (!strcmp(strcmp(d, "ai.onnx") ? d : "", s->domain))
            return b->opsets[i].version;
    }
    return s->since;
}

static Loc attr_loc(const Node *n, const Attr *a)
{
    return a->loc.src ? a->loc : n->loc;
}

/* What stands before a message about an attribute, where its place does not say it already. */
static const char *who(Build *b, const Node *n, const Attr *a)
{
    return attr_loc(n, a).what ? "" : internf(b->c, "%s: ", node_text(b->c, n));
}

static bool unknown_attr(Build *b, const Node *n, const Attr *a)
{
    Ctx *c = b->c;
    const Sig *later = version_with(c, n->sig, a->name, 1), *earlier = version_with(c, n->sig, a->name, -1);
    const char *what = who(b, n, a);
    if (later) {
        error(c, attr_loc(n, a), "%sattribute '%s' needs opset %d; the model imports %lld", what, a->name, later->since,
              (long long)imported(b, n->sig));
        return false;
    }
    if (earlier) {
        error(c, attr_loc(n, a), "%sattribute '%s' is gone since opset %d; the model imports %lld", what, a->name,
              op_version(c, earlier, 1)->since, (long long)imported(b, n->sig));
        return false;
    }
    const char *names[64], *near;
    int count = 0;
    for (; count < n->sig->nattrs && count < COUNT(names); count++)
        names[count] = n->sig->attrs[count].name;
    near = nearest(a->name, names, count);
    warning(c, attr_loc(n, a), "%sattribute '%s' is not known and is ignored%s%s%s", what, a->name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return true;
}

static bool kind_fits(AttrKind want, AttrKind got)
{
    return want == got || (want == ATTR_SPARSE && got == ATTR_TENSOR);
}

static bool is_choice(const AttrSig *s, const char *text)
{
    for (int i = 0; i < s->nchoices; i++)
        if (!strcmp(s->choices[i], text))
            return true;
    return s->nchoices == 0;
}

static const char *choice_list(Ctx *c, const AttrSig *s)
{
    const char *list = s->choices[0];
    for (int i = 1; i < s->nchoices; i++)
        list = internf(c, "%s%s%s", list, i + 1 < s->nchoices ? ", " : " or ", s->choices[i]);
    return list;
}

static bool check_attrs(Build *b, const Node *n, int nattrs, const Attr *attrs)
{
    bool ok = nattrs <= MOST_ATTRS;
    if (!ok)
        node_error(b, n, "it has %d attributes, at most %d are taken", nattrs, MOST_ATTRS);
    for (int i = 0; i < nattrs && i < MOST_ATTRS; i++) {
        const Attr *a = &attrs[i];
        const AttrSig *s = sig_attr(n->sig, a->name);
        bool again = false;
        for (int j = 0; j < i; j++)
            again |= !strcmp(attrs[j].name, a->name);
        if (again) {
            error(b->c, attr_loc(n, a), "%sattribute '%s' is given twice", who(b, n, a), a->name);
            ok = false;
        } else if (!s) {
            ok &= unknown_attr(b, n, a);
        } else if (!kind_fits(s->kind, a->kind)) {
            error(b->c, attr_loc(n, a), "%sattribute '%s' must be of type %s, not %s", who(b, n, a), a->name,
                  kind_name(s->kind), kind_name(a->kind));
            ok = false;
        } else if (!is_choice(s, a->s)) {
            error(b->c, attr_loc(n, a), "%s%s = \"%s\" is unknown: it is %s", who(b, n, a), a->name, a->s,
                  choice_list(b->c, s));
            ok = false;
        }
    }
    return ok;
}

/* In the order of the signature, with defaults. Only nodes that give attributes have an array of their own. */
bool match_attrs(Build *b, Node *n, int nattrs, const Attr *attrs)
{
    const Sig *s = n->sig;
    bool ok = check_attrs(b, n, nattrs, attrs);
    Attr *all = nattrs ? NEW_N(b->c, Attr, s->nattrs) : NULL;
    int count = 0;
    for (int i = 0; i < s->nattrs; i++) {
        const Attr *found = s->attrs[i].fallback;
        for (int j = 0; j < nattrs; j++)
            if (!strcmp(attrs[j].name, s->attrs[i].name))
                found = &attrs[j];
        if (!found && s->attrs[i].required) {
            node_error(b, n, "attribute '%s' (%s) is missing", s->attrs[i].name, kind_name(s->attrs[i].kind));
            ok = false;
        }
        if (found && all) {
            all[count] = *found;
            all[count++].name = s->attrs[i].name;
        }
    }
    n->attrs = all ? all : s->defaults;
    n->nattrs = all ? count : s->ndefaults;
    return ok;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static int fewest(const Param *params, int n)
{
    while (n && params[n - 1].optional)
        n--;
    return n;
}

static const char *param_list(Ctx *c, const Param *params, int n)
{
    const char *s = "";
    for (int i = 0; i < n; i++)
        s = internf(c, "%s%s%s%s%s", s, i ? ", " : "", params[i].name, params[i].variadic ? "..." : "",
                    params[i].optional ? "?" : "");
    return s;
}

static bool check_counts(Build *b, const Node *n)
{
    const Sig *s = n->sig;
    int least = fewest(s->out, s->nout), given = 0;
    if (n->nin && !sig_param(s->in, s->nin, n->nin - 1)) {
        node_error(b, n, "%d inputs are given, it takes at most %d (%s)", n->nin, s->nin,
                   param_list(b->c, s->in, s->nin));
        return false;
    }
    if (n->nout && !sig_param(s->out, s->nout, n->nout - 1)) {
        node_error(b, n, "%d outputs are asked for, it has at most %d (%s)", n->nout - (s->nout - s->nshown), s->nshown,
                   param_list(b->c, s->out, s->nshown));
        return false;
    }
    for (int k = 0; k < n->nin || k < fewest(s->in, s->nin); k++) {
        const Param *p = sig_param(s->in, s->nin, k);
        if ((k >= n->nin || !n->in[k]) && (!p->optional || p->variadic)) {
            node_error(b, n, "input '%s' is missing; it takes (%s)", p->name, param_list(b->c, s->in, s->nin));
            return false;
        }
    }
    for (int k = 0; k < n->nout; k++)
        given += n->out[k] != NULL;
    if (!given && least) {
        node_error(b, n, "it has no output; it gives (%s)", param_list(b->c, s->out, s->nout));
        return false;
    }
    return true;
}

static const char *type_list(Ctx *c, uint64_t types)
{
    const char *s = "";
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (types >> t & 1)
            s = internf(c, "%s%s%s", s, *s ? ", " : "", dtype_name((DType)t));
    return s;
}

static const char *operand_text(Ctx *c, const Node *n, int k)
{
    const Param *p = sig_param(n->sig->in, n->sig->nin, k);
    return internf(c, "'%s' ('%s', %s)", p->name, n->in[k]->name, type_text(c, n->in[k]->type));
}

/* The first operand before k that has the same type variable, or -1. */
static int same_var(const Node *n, int k)
{
    const char *var = sig_param(n->sig->in, n->sig->nin, k)->var;
    for (int i = 0; var && i < k; i++)
        if (n->in[i] && sig_param(n->sig->in, n->sig->nin, i)->var == var)
            return i;
    return -1;
}

bool node_lists(const Node *n)
{
    const Op *op = n->op;
    bool any = !op->scalar && !op->formula && !op->at && !op->lower && !op_expands(op);
    for (int k = 0; k < n->nin; k++)
        any |= n->in[k] && n->in[k]->list;
    return any && op->lists;
}

static bool check_type(Build *b, const Node *n, int k)
{
    if (n->in[k]->list && !n->sig->graphs && !node_lists(n))
        return node_error(b, n, "input '%s' ('%s') is a sequence, or an optional without a value: a tensor is needed",
                          sig_param(n->sig->in, n->sig->nin, k)->name, n->in[k]->name);
    const Param *p = sig_param(n->sig->in, n->sig->nin, k);
    DType dt = n->in[k]->type.dt;
    if (!(p->types >> dt & 1)) {
        node_error(b, n, "input %s must have one of the types %s", operand_text(b->c, n, k), type_list(b->c, p->types));
        return false;
    }
    int other = same_var(n, k);
    if (other < 0 || n->in[other]->type.dt == dt)
        return true;
    node_error(b, n, "input %s must have the same type as %s; insert a Cast", operand_text(b->c, n, k),
               operand_text(b->c, n, other));
    return false;
}

/* Why e is not known at compile time: walks up the first unknown input of each node. Not for ever: many may ask. */
static const char *why_unknown(Ctx *c, const Edge *e)
{
    for (int step = 0; e->from && step < 10000 && c->errors < 100; step++) {
        const Node *n = e->from;
        const Edge *next = NULL;
        for (int k = 0; k < n->nin && !next; k++)
            if (n->in[k] && !n->in[k]->data && !sig_param(n->sig->in, n->sig->nin, k)->type_only)
                next = n->in[k];
        if (!next)
            return internf(c, "it is computed by %s, which is not evaluated at compile time", node_text(c, n));
        e = next;
    }
    if (e->input < 0)
        return internf(c, "it depends on '%s'", e->name);
    return internf(c, "it depends on graph input '%s'", e->name);
}

/* Operand k is marked !, but known at run time only. */
static bool operand_late(const Node *n, int k)
{
    const Edge *e = n->in[k];
    return e && !e->data && !edge_poisoned(e) && sig_param(n->sig->in, n->sig->nin, k)->known;
}

bool node_late(const Node *n)
{
    for (int k = 0; k < n->nin; k++)
        if (sig_param(n->sig->in, n->sig->nin, k) && operand_late(n, k))
            return true;
    return false;
}

static bool check_known(Build *b, const Node *n, int k)
{
    bool late = n->op->late || n->op->late_body, declared = late;
    if (!operand_late(n, k))
        return true;
    for (int i = 0; i < n->nout; i++)
        declared &= !n->out[i] || !edge_poisoned(n->out[i]);
    if (declared)
        return true;
    node_error(b, n, "needs input '%s' at compile time: %s; make it a constant%s",
               sig_param(n->sig->in, n->sig->nin, k)->name, why_unknown(b->c, n->in[k]),
               late ? ", or declare the shape of the output" : "");
    return false;
}

bool match_operands(Build *b, const Node *n)
{
    bool ok = check_counts(b, n);
    if (!ok)
        return false;
    for (int k = 0; k < n->nin; k++)
        if (n->in[k])
            ok = sized_read(b, n, k) && check_type(b, n, k) && check_known(b, n, k) && ok;
    return ok;
}

/* ---- types of the outputs ---------------------------------------------------------------------------------------- */

static DType only_type(uint64_t types)
{
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (types == UINT64_C(1) << t)
            return (DType)t;
    return DT_NONE;
}

bool build_keeps_shape(Build *b, const char *domain, const char *op)
{
    const Sig *s = op_newest(b->c, domain, op);
    return s && (s->op->keeps_shape || ((s->op->scalar || s->op->formula) && s->nin == 1));
}

DType match_result(const Node *n, int k)
{
    const Param *p = sig_param(n->sig->out, n->sig->nout, k);
    for (int i = 0; p->var && i < n->nin; i++)
        if (n->in[i] && sig_param(n->sig->in, n->sig->nin, i)->var == p->var)
            return n->in[i]->type.dt;
    return only_type(p->types);
}

static const Edge *first_input(const Node *n)
{
    for (int k = 0; k < n->nin; k++)
        if (n->in[k])
            return n->in[k];
    return NULL;
}

/* The shape that all inputs have by multidirectional broadcasting; shares the dims of an input where they are those. */
static bool broadcast_inputs(Build *b, const Node *n, Type *t)
{
    int64_t dims[MAX_RANK], count;
    const Edge *first = first_input(n);
    *t = first->type;
    for (int k = 0; k < n->nin; k++) {
        const Edge *e = n->in[k];
        int rank;
        if (!e || type_same((Type){t->dt, e->type.rank, e->type.dims}, *t))
            continue;
        if (!broadcast_dims(t->rank, t->dims, e->type.rank, e->type.dims, &rank, dims)) {
            const char *of = k > 1 ? "" : internf(b->c, " of '%s'", first->name);
            node_error(b, n, "the shape %s of '%s' does not broadcast with %s%s: counted from the right, dimensions "
                       "must be equal or 1", dims_text(b->c, e->type.rank, e->type.dims), e->name,
                       dims_text(b->c, t->rank, t->dims), of);
            return false;
        }
        if (!dims_count(rank, dims, &count)) {
            node_error(b, n, "the result of shape %s has too many elements", dims_text(b->c, rank, dims));
            return false;
        }
        *t = type_same((Type){e->type.dt, rank, dims}, e->type) ? e->type : type_make(b->c, DT_NONE, rank, dims);
    }
    return true;
}

/* A scalar operator is not defined on every type that a signature may let in. */
static bool scalar_defined(Build *b, const Node *n)
{
    ScalarOp op = (ScalarOp)(n->op->scalar - 1);
    const Edge *e = first_input(n);
    if (op_text(op, math_type(e->type.dt)))
        return true;
    node_error(b, n, "it is not defined on %s ('%s')", dtype_name(e->type.dt), e->name);
    return false;
}

static bool generic_types(Build *b, const Node *n, Type *out)
{
    const Edge *first = first_input(n);
    Type t;
    if (!first)
        ice(b->c, "no rule gives the types of %s", node_text(b->c, n));
    t = first->type;
    if (n->op->scalar && !scalar_defined(b, n))
        return false;
    if ((n->op->scalar || n->op->formula) && !broadcast_inputs(b, n, &t))
        return false;
    for (int k = 0; k < n->nout; k++) {
        out[k] = t;
        out[k].dt = match_result(n, k);
        if (out[k].dt == DT_NONE)
            out[k].dt = first->type.dt;
    }
    return true;
}

bool match_types(Build *b, const Node *n, Type *out)
{
    if (!n->op->infer)
        return generic_types(b, n, out);
    if (!n->op->infer(b, n, out))
        return false;
    sized_types(b, n, out);
    for (int k = 0; k < n->nout; k++) {
        int64_t count;
        if (!n->out[k])
            continue;
        if (out[k].dt == DT_NONE || out[k].rank < 0)
            ice(b->c, "no type was inferred for output %d of %s", k, node_text(b->c, n));
        if (out[k].rank > MAX_RANK || !dims_count(out[k].rank, out[k].dims, &count)) {
            node_error(b, n, "the result of rank %d is too large", out[k].rank);
            return false;
        }
    }
    return true;
}
