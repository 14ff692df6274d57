/* What the command line says of a model, from its texts. */
#include "frontend.h"

const char *option_name(Ctx *c, const char *text, const char **value)
{
    const char *eq = strrchr(text, '=');
    if (!eq || eq == text) return NULL;
    *value = eq + 1;
    return intern_n(c, text, (size_t)(eq - text));
}

static const char *no_name(Ctx *c, const char *option, const char *text)
{
    return internf(c, "%s wants NAME=VALUE, not '%s'", option, text);
}

void option_unknown(Ctx *c, Loc loc, const char *option, const char *what, const char *name, int n,
                    const char *const *names)
{
    enum { MOST = 12 };
    const char *near = nearest(name, names, n), *list = n ? "; it has" : "; it has none";
    for (int i = 0; i < n && i < MOST; i++) list = internf(c, "%s%s '%s'", list, i ? "," : "", names[i]);
    if (near) list = internf(c, "; did you mean '%s'?", near);
    error(c, loc, "%s: the model has no %s '%s'%s%s", option, what, name, list, !near && n > MOST ? ", ..." : "");
}

/* A file without a name in front: as it might have been meant. */
static const char *no_input(Ctx *c, const Graph *g, const char *text, const Tensor **in)
{
    const char *fault = internf(c, "run wants NAME=FILE, not '%s'", text);
    for (int k = 0; k < g->nins; k++)
        if (!in[k])
            return internf(c, "%s: say %s=%s", fault, g->ins[k]->name, strcmp(text, g->ins[k]->name) ? text : "FILE");
    return fault;
}

static const char *input_read(Ctx *c, const Graph *g, const char *text, const Tensor **in)
{
    const char *file, *name = option_name(c, text, &file);
    if (!name) return no_input(c, g, text, in);
    const char **names = NEW_N(c, const char *, g->nins);
    int k = 0;
    for (int i = 0; i < g->nins; i++) names[i] = g->ins[i]->name;
    while (k < g->nins && strcmp(names[k], name)) k++;
    if (k < g->nins && in[k]) error(c, (Loc){0}, "run: input '%s' is given twice", name);
    else if (k < g->nins) in[k] = value_read(c, file, g->ins[k]->type);
    else option_unknown(c, (Loc){0}, "run", "input", name, g->nins, names);
    return NULL;
}

const char *inputs_read(Ctx *c, const Graph *g, int n, char *const *texts, const Tensor **in)
{
    for (int i = 0; i < n; i++) {
        const char *fault = input_read(c, g, texts[i], in);
        if (fault) return fault;
    }
    for (int k = 0; k < g->nins; k++)
        if (!in[k])
            error(c, (Loc){0}, "input '%s' (%s) has no value: give NAME=FILE behind the model, %s=FILE here; a FILE is "
                  "NumPy's .npy or an ONNX TensorProto (.pb)", g->ins[k]->name, type_text(c, g->ins[k]->type),
                  g->ins[k]->name);
    return NULL;
}

const char *option_size(Ctx *c, ReadOptions *r, const char *text)
{
    const char *value, *name = option_name(c, text, &value);
    if (!name) return no_name(c, "-D", text);
    char *end;
    errno = 0;
    const long long v = strtoll(value, &end, 10);
    if (end == value || *end || errno || v < 0)
        return internf(c, "-D wants a number from 0 to %lld, not '%s'", (long long)INT64_MAX, value);
    Bind *binds = NEW_N(c, Bind, r->nbinds + 1);
    if (r->nbinds) memcpy(binds, r->binds, sizeof *binds * (size_t)r->nbinds);
    binds[r->nbinds++] = (Bind){name, v};
    r->binds = binds;
    return NULL;
}

const char *option_shape(Ctx *c, ReadOptions *r, const char *text)
{
    const char *value, *name = option_name(c, text, &value);
    if (!name) return no_name(c, "--shape", text);
    int64_t dims[MAX_RANK];
    int rank = 0;
    for (const char *p = value; *p; p++) {
        char *end;
        errno = 0;
        long long v = strtoll(p, &end, 10);
        if (end == p || errno || v < 0 || (*end && *end != ',') || (*end && !end[1]))
            return internf(c, "--shape wants INPUT=1,3,32,32 with sizes from 0, not '%s'", text);
        if (rank == MAX_RANK) return internf(c, "--shape takes at most %d dimensions", MAX_RANK);
        dims[rank++] = v;
        p = end;
        if (!*p) break;
    }
    ShapeOption *shapes = NEW_N(c, ShapeOption, r->nshapes + 1);
    if (r->nshapes) memcpy(shapes, r->shapes, sizeof *shapes * (size_t)r->nshapes);
    shapes[r->nshapes++] = (ShapeOption){name, rank, mem_copy(c, dims, sizeof *dims * (size_t)rank)};
    r->shapes = shapes;
    return NULL;
}

const char *option_type(Ctx *c, ReadOptions *r, const char *text)
{
    const char *value, *name = option_name(c, text, &value);
    if (!name) return no_name(c, "--type", text);
    const DType dt = dtype_parse(value);
    if (dt == DT_NONE)
        return internf(c, "--type: '%s' is no element type (float, double, float16, int8, uint8, int32, int64, bool and "
                       "the like)", value);
    TypeOption *types = NEW_N(c, TypeOption, r->ntypes + 1);
    if (r->ntypes) memcpy(types, r->types, sizeof *types * (size_t)r->ntypes);
    types[r->ntypes++] = (TypeOption){name, dt};
    r->types = types;
    return NULL;
}
