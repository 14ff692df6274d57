/* Operators that are missing: counted while the graph is built, told once each at the end. */
#include "build.h"

/* Operators of the standard that are not compiled, and what to do instead. */
static const struct { const char *domain, *name, *why; } absent[] = {
    {"", "ImageDecoder", "it reads files of pictures: decode them before the call, and let the pixels be an input"},
    {"ai.onnx.ml", "CastMap", "a map is no tensor: let the tensor that it makes be an input"},
    {"ai.onnx.ml", "DictVectorizer", "a map is no tensor: let the tensor that it makes be an input"},
    {"ai.onnx.preview.training", "Gradient", "export the graph of the gradient itself, as a training tool makes it"},
};

const char *op_advice(Ctx *c, const char *domain, const char *name)
{
    for (int i = 0; i < COUNT(absent); i++)
        if (!strcmp(absent[i].name, name) && (!*domain || !strcmp(absent[i].domain, domain)))
            return internf(c, ": %s", absent[i].why);
    const char *near = op_nearest(c, domain, name);
    return near ? internf(c, "; did you mean '%s'?", near) : "";
}

void op_note(Ctx *c)
{
    note(c, (Loc){0}, "burin ops lists the operators that are known; express others with those: export the model anew "
         "without them, or give each a body as a local function of the model");
}

enum { MOST = 200 };                 /* different ones that are told apart */

typedef struct Miss {
    const char *domain, *op;         /* op NULL: the domain is not imported */
    int64_t version;
    int newer, count;                /* newer: the first version that has it, or 0 */
    Loc loc;
} Miss;
struct Unknown { VEC(Miss) all; int more; };

void unknown_add(Build *b, const NodeSpec *s, int64_t version, int newer)
{
    if (!b->unknown)
        b->unknown = NEW(b->c, struct Unknown);
    struct Unknown *u = b->unknown;
    const char *domain = intern(b->c, s->domain ? s->domain : ""), *op = version < 0 ? NULL : intern(b->c, s->op);
    Miss m = {domain, op, version, newer, 1, s->loc};
    for (int i = 0; i < u->all.n; i++) {
        Miss *old = &u->all.at[i];
        if (old->domain == m.domain && old->op == m.op && old->version == version) {
            old->count++;
            return;
        }
    }
    if (u->all.n == MOST)
        u->more++;
    else
        VEC_PUSH(b->c, u->all, m);
}

static void report(Ctx *c, const Miss *m)
{
    const char *nodes = internf(c, "%d node%s", m->count, m->count == 1 ? "" : "s");
    const char *dot = *m->domain ? "." : "", *domain = m->domain;
    if (!m->op) {
        error(c, m->loc, "opset_import lacks domain \"%s\", which %s use%s: add \"%s\" : VERSION to it", domain, nodes,
              m->count == 1 ? "s" : "", domain);
        return;
    }
    const char *opset = m->version == INT64_MAX ? "newest opset" : internf(c, "opset %lld", (long long)m->version);
    if (m->newer) {
        error(c, m->loc, "operator '%s%s%s' needs opset %d; the model imports %lld (%s)", domain, dot, m->op, m->newer,
              (long long)m->version, nodes);
        return;
    }
    error(c, m->loc, "operator '%s%s%s' is not known (%s, %s)%s", domain, dot, m->op, opset, nodes,
          op_advice(c, domain, m->op));
}

void build_report_unknown(Build *b)
{
    struct Unknown *u = b->unknown;
    bool unknown = false;
    if (!u)
        return;
    for (int i = 0; i < u->all.n; i++) {
        report(b->c, &u->all.at[i]);
        unknown |= u->all.at[i].op && !u->all.at[i].newer;
    }
    if (unknown)
        op_note(b->c);
    if (u->more)
        error(b->c, (Loc){0}, "%d more nodes of operators that are not known", u->more);
    b->unknown = NULL;
}
