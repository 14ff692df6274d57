/* THE node builder: whoever makes a node makes it here. It picks the operator's version, fills in attributes, checks
 * operands, infers types, expands compositions and evaluates what is known.
 * A fault is reported where it is found and the outputs are poisoned; what reads a poisoned edge is poisoned
 * silently, so that one fault gives one message. Edges and nodes do not change any more once build_node returned,
 * but for a name: the edge that carries the result of an expansion takes the name of what it stands for. */
#include "build.h"

Build *build_new(Ctx *c, int nopsets, const Opset *opsets)
{
    Build *b = NEW(c, Build);
    b->c = c;
    b->nopsets = nopsets;
    b->opsets = opsets;
    return b;
}

Edge *edge_new(Build *b, const char *name, Type t, Loc loc)
{
    Edge *e = NEW(b->c, Edge);
    *e = (Edge){.name = name, .type = t, .input = -1, .loc = loc};
    return e;
}

Edge *build_input(Build *b, const char *name, Type t, Loc loc, int index)
{
    Edge *e = edge_new(b, name_unique(b, name), t, loc);
    e->input = index;
    return e;
}

Edge *build_const(Build *b, const char *name, const Tensor *t, Loc loc)
{
    Edge *e = edge_new(b, name && *name ? name_unique(b, name) : name_fresh(b), t->type, loc);
    e->data = t;
    e->held = true;
    return e;
}

Edge *build_list(Build *b, DType dt, int n, Edge *const *at)
{
    Edge *e = edge_new(b, b->prefix ? b->prefix : intern(b->c, "sequence"), type_make(b->c, dt, 0, NULL), b->loc);
    List *list = NEW(b->c, List);
    *list = (List){n, n > 0 ? mem_copy(b->c, at, sizeof *at * (size_t)n) : NULL};
    e->list = list;
    return e;
}

Edge *build_poison(Build *b, const char *name, Loc loc)
{
    return edge_new(b, intern(b->c, name ? name : ""), (Type){0}, loc);
}

/* ---- a node and its edges ---------------------------------------------------------------------------------------- */

/* As many places as the signature has, or as given. A variadic one counts as given. */
static int places(const Param *params, int n, int given)
{
    int least = n && params[n - 1].variadic ? n - 1 : n;
    return given > least ? given : least;
}

/* Whether output k is asked for; without names all are. */
static bool asked(const NodeSpec *s, int k)
{
    return !s->out || (s->out[k] && *s->out[k]);
}

static Node *node_new(Build *b, const Sig *sig, const NodeSpec *s)
{
    Node *n = NEW(b->c, Node);
    int nin = s->nin, nout = s->nout;
    while (nin && !s->in[nin - 1])
        nin--;
    while (nout && !asked(s, nout - 1))
        nout--;
    if (s->out && nout > sig->nshown)
        nout += sig->nout - sig->nshown;                 /* too many for match.c, though there are places */
    *n = (Node){.op = sig->op, .sig = sig, .name = s->name ? s->name : "", .loc = s->loc,
                .nin = places(sig->in, sig->nin, nin), .nout = places(sig->out, sig->nout, nout)};
    Edge **in = NEW_N(b->c, Edge *, n->nin), **out = NEW_N(b->c, Edge *, n->nout);
    for (int k = 0; k < nin; k++)
        in[k] = s->in[k];
    for (int k = 0; k < nout && k < s->nout; k++)
        if (asked(s, k)) {
            out[k] = edge_new(b, s->out ? name_unique(b, s->out[k]) : name_fresh(b), (Type){0}, s->loc);
            out[k]->out = k;
        }
    n->in = in;
    n->out = out;
    sized_edges(b, n, out);
    return n;
}

static bool inputs_poisoned(const Node *n)
{
    for (int k = 0; k < n->nin; k++)
        if (n->in[k] && edge_poisoned(n->in[k]))
            return true;
    return false;
}

/* ---- expansion --------------------------------------------------------------------------------------------------- */

static bool narrow(DType t)
{
    return t == DT_F16 || t == DT_BF16;
}

static bool expansion(Build *b, const Node *n, Edge **result)
{
    return n->op->body ? compose(b, n, result) : n->op->expand(b, n, result);
}

/* The expansion in float: 16-bit inputs are cast before, results after. What expand sees of the outputs is as wide. */
static bool expand_wide(Build *b, const Node *n, Edge **result)
{
    Ctx *c = b->c;
    Node w = *n;
    DType first = DT_NONE;
    Edge **in = NEW_N(c, Edge *, n->nin), **out = NEW_N(c, Edge *, n->nout);
    for (int k = 0; k < n->nin; k++) {
        in[k] = n->in[k];
        if (!in[k] || !narrow(in[k]->type.dt))
            continue;
        first = first == DT_NONE ? in[k]->type.dt : first;
        in[k] = build_cast(b, in[k], DT_F32);
    }
    for (int k = 0; k < n->nout; k++) {
        out[k] = n->out[k];
        if (!out[k] || !narrow(out[k]->type.dt))
            continue;
        out[k] = mem_copy(c, out[k], sizeof *out[k]);
        out[k]->type.dt = DT_F32;
    }
    w.in = in;
    w.out = out;
    if (!expansion(b, &w, result))
        return false;
    for (int k = 0; k < n->nout; k++) {
        Edge *r = result[k];
        if (!r || !n->out[k] || first == DT_NONE || r->type.dt != DT_F32)
            continue;
        DType to = n->out[k]->type.dt;
        if (to == DT_NONE && (to = match_result(n, k)) == DT_NONE)
            to = first;
        result[k] = build_cast(b, r, to);
    }
    return true;
}

void edge_rename(Edge *r, const char *name)
{
    const char *was = r->name;
    r->name = name;
    while (r->from && r->from->result && (r = r->from->result[r->out])->from && r->name == was)
        r->name = name;
}

/* A body left a result out, which is asked for: it needs what the signature lets a model leave out. */
static bool left_out(Build *b, const Node *n, int out)
{
    const Sig *s = n->sig;
    const char *all = NULL;
    for (int k = 0; k < s->nattrs; k++)
        if (!node_attr(n, s->attrs[k].name))
            all = internf(b->c, "%s%s'%s'", all ? all : "", all ? ", " : "", s->attrs[k].name);
    for (int k = 0; k < n->nin; k++)
        if (!n->in[k])
            all = internf(b->c, "%s%s'%s'", all ? all : "", all ? ", " : "", sig_param(s->in, s->nin, k)->name);
    if (!all)
        ice(b->c, "the expansion of %s gives no output %d", node_text(b->c, n), out);
    return node_error(b, n, "output %d needs an attribute or operand that is left out, of these: %s", out,
                      all);
}

/* Checks what expand gave for an output, and takes it over. False: poisoned. */
static bool take_result(Build *b, const Node *n, int k, const Edge *r)
{
    Edge *e = n->out[k];
    if (!r)
        return left_out(b, n, k);
    if (edge_poisoned(r))
        return false;
    if (node_late(n) && !type_same((Type){r->type.dt, e->type.rank, e->type.dims}, r->type))
        return node_error(b, n, "output %d is declared %s, but would be %s", k,
                          dims_text(b->c, e->type.rank, e->type.dims), type_text(b->c, r->type));
    if (!node_late(n) && n->op->infer && !type_same(r->type, e->type))
        ice(b->c, "the expansion of %s gives %s for output %d, inferred was %s", node_text(b->c, n),
            type_text(b->c, r->type), k, type_text(b->c, e->type));
    e->type = r->type;
    e->data = r->data;
    e->held = r->held;
    e->formula = r->formula;
    return true;
}

/* A result is called like the first output that it is, when the expansion of n made it: when its node, or it if it has
 * none, is new. Outputs and nodes may be many: `known` has the operands, the nodes made and the results so far. */
static bool take_results(Build *b, const Node *n, Edge **result, int from, bool spliced)
{
    Mark mark = scratch_mark(b->c);
    PtrMap known = {0};
    bool ok = true;
    for (int k = 0; k < n->nin; k++)
        if (n->in[k])
            ptrmap_put(b->c, &known, n->in[k], &known);
    for (int i = from; i < b->nodes.n; i++)
        ptrmap_put(b->c, &known, b->nodes.at[i], &known);
    for (int k = 0; k < n->nout && ok; k++) {
        Edge *r = result[k];
        if (!n->out[k] || !(ok = take_result(b, n, k, r)) || ptrmap_get(&known, r))
            continue;
        if (r->from ? ptrmap_get(&known, r->from) != NULL : r->input < 0 && !spliced)
            edge_rename(r, n->out[k]->name);
        ptrmap_put(b->c, &known, r, &known);
    }
    scratch_release(b->c, mark);
    return ok;
}

/* By f, or as .wide tells. Spliced: into the list that n would stand in. */
static bool expand(Build *b, Node *n, bool (*f)(Build *, const Node *, Edge **), bool spliced)
{
    if (b->depth >= EXPAND_DEPTH) {
        node_error(b, n, "operators, functions and graphs are nested more than %d deep here", EXPAND_DEPTH);
        return false;
    }
    NodeVec outer = b->nodes;
    Loc loc = b->loc;
    const char *prefix = b->prefix;
    if (!spliced)
        b->nodes = (NodeVec){0};
    b->loc = n->loc;
    for (int k = 0; !b->prefix && k < n->nout; k++)
        if (n->out[k])
            b->prefix = n->out[k]->name;
    b->depth++;
    int from = b->nodes.n;
    Edge **result = NEW_N(b->c, Edge *, n->nout);
    bool ok = n->op->wide && f == expansion ? expand_wide(b, n, result) : f(b, n, result);
    ok = ok && take_results(b, n, result, from, spliced);
    n->result = result;
    b->depth--;
    b->prefix = prefix;
    b->loc = loc;
    if (!spliced) {
        n->body = b->nodes.at;
        n->nbody = b->nodes.n;
        b->nodes = outer;
    }
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool set_types(Build *b, const Node *n)
{
    if (op_expands(n->op) && !n->op->infer)
        return true;
    Mark m = scratch_mark(b->c);
    Type *types = SCRATCH_N(b->c, Type, n->nout);
    bool ok = match_types(b, n, types);
    for (int k = 0; ok && k < n->nout; k++)
        if (n->out[k])
            n->out[k]->type = types[k];
    scratch_release(b->c, m);
    return ok;
}

/* Sets the data of the outputs where the inputs are known. True: of all that are asked for. */
static bool evaluate(Build *b, const Node *n)
{
    bool known = true;
    if (!op_expands(n->op)) {
        size_t bytes = 0;
        for (int k = 0; k < n->nin; k++) {
            const Edge *e = n->in[k];
            if (e && !e->data && !sig_param(n->sig->in, n->sig->nin, k)->type_only)
                return false;
        }
        for (int k = 0; k < n->nout; k++)
            if (n->out[k] && (bytes += type_bytes(n->out[k]->type)) > EVAL_BYTES && !node_sized(n))
                return false;
        const Tensor **out = NEW_N(b->c, const Tensor *, n->nout);
        if (!node_eval(b, n, node_sized(n) ? SIZE_MAX : EVAL_BYTES, out))
            return false;
        sized_known(b, n, out);
        bool held = node_worth_holding(n, n->in);
        for (int k = 0; k < n->nout; k++)
            if (n->out[k]) {
                n->out[k]->data = out[k];
                n->out[k]->held = held;
            }
    }
    for (int k = 0; k < n->nout; k++)
        known &= !n->out[k] || n->out[k]->data;
    return known;
}

static bool spliced(const Node *n)
{
    return n->sig->in_place || node_late(n) || node_lists(n);
}

static bool build(Build *b, Node *n, const NodeSpec *s)
{
    bool ok = match_attrs(b, n, s->nattrs, s->attrs), late = node_late(n);
    for (int k = 0; (late || n->sig->graphs) && s->declared && k < n->nout && k < s->nout; k++)
        if (n->out[k])
            n->out[k]->type = s->declared[k];
    if (inputs_poisoned(n) || !match_operands(b, n) || !ok)
        return false;
    if (late || node_lists(n))
        return expand(b, n, node_lists(n) ? n->op->lists : n->op->late ? n->op->late : build_late_body, true);
    if (!set_types(b, n))
        return false;
    sized_declared(n, s->declared, s->nout);
    return !op_expands(n->op) || expand(b, n, expansion, n->sig->in_place);
}

/* Within an expansion what is known and worth holding becomes a constant at once. */
static void finish(Build *b, const Node *n)
{
    bool dropped = evaluate(b, n) && b->depth > 0;
    for (int k = 0; k < n->nout; k++)
        dropped &= !n->out[k] || n->out[k]->held;
    for (int k = 0; k < n->nout; k++)
        if (n->out[k])
            n->out[k]->from = dropped ? NULL : n;
    if (!dropped)
        VEC_PUSH(b->c, b->nodes, n);
}

void build_sig(Build *b, const Sig *sig, const NodeSpec *s, Edge **out)
{
    Node *n = node_new(b, sig, s);
    bool ok = build(b, n, s), splice = ok && spliced(n);
    for (int k = 0; k < s->nout; k++)
        out[k] = k >= n->nout || !n->out[k] ? NULL : splice ? n->result[k] : n->out[k];
    if (ok && !splice)
        finish(b, n);
    for (int k = 0; !ok && k < n->nout; k++)
        if (n->out[k])
            n->out[k]->type = (Type){0}, n->out[k]->data = NULL;
}

static int64_t opset_of(const Build *b, const char *domain)
{
    if (!b->opsets)
        return INT64_MAX;
    bool standard = !*domain || !strcmp(domain, "ai.onnx");
    for (int i = 0; i < b->nopsets; i++) {
        const char *d = b->opsets[i].domain;
        if (standard ? !*d || !strcmp(d, "ai.onnx") : !strcmp(d, domain))
            return b->opsets[i].version;
    }
    return -1;
}

void build_node(Build *b, const NodeSpec *s, Edge **out)
{
    const char *domain = s->domain ? s->domain : "", *prefix = b->prefix;
    int64_t version = s->version ? s->version : opset_of(b, domain);
    int newer = 0;
    const Sig *sig = version < 0 ? NULL : op_find(b->c, domain, s->op, version, &newer);
    if (!sig) {
        unknown_add(b, s, version, newer);
        for (int k = 0; k < s->nout; k++)
            out[k] = asked(s, k) ? build_poison(b, s->out[k], s->loc) : NULL;
        return;
    }
    b->prefix = NULL;
    build_sig(b, sig, s, out);
    b->prefix = prefix;
}
