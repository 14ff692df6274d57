/* Folders of test data, as ONNX's own tests have them: input_N.pb and output_N.pb, a TensorProto each, in the order of
 * the graph; .npy is taken as well. */
#include "frontend.h"

static const File *numbered(Ctx *c, const char *folder, const char *what, int k)
{
    static const char *const ends[] = {"pb", "npy"};
    for (int i = 0; i < COUNT(ends); i++) {
        const File *f = file_map(c, internf(c, "%s/%s_%d.%s", folder, what, k, ends[i]));
        if (f) return f;
        if (errno != ENOENT) fatal(c, (Loc){0}, "cannot read '%s/%s_%d.%s': %s", folder, what, k, ends[i],
                                   strerror(errno));
    }
    return NULL;
}

static bool dataset_of(Ctx *c, const char *folder, const char *what, int n, Edge *const *edges, const Tensor **to)
{
    const int before = c->errors;
    for (int k = 0; k < n; k++) {
        const File *f = numbered(c, folder, what, k);
        if (f) to[k] = value_read(c, f->path, edges[k]->type);
        else error(c, (Loc){0}, "'%s' has no %s_%d.pb, for %s of the graph", folder, what, k,
                   type_text(c, edges[k]->type));
    }
    if (numbered(c, folder, what, n))
        error(c, (Loc){0}, "'%s' has an %s_%d, but the graph has %d %s%s", folder, what, n, n, what, n == 1 ? "" : "s");
    return c->errors == before;
}

bool dataset_read(Ctx *c, const char *folder, const Graph *g, const Tensor **in, const Tensor **out)
{
    const bool ins = dataset_of(c, folder, "input", g->nins, g->ins, in);
    return dataset_of(c, folder, "output", g->nouts, g->outs, out) && ins;
}
