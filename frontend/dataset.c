/* Folders of test data, as ONNX's own tests have them: input_N.pb and output_N.pb, a TensorProto each, in the order of
 * the graph; .npy is taken as well. A SequenceProto or OptionalProto is taken apart like the graph's sequences: it is as
 * many values as it has tensors. */
#include <sys/stat.h>

#include "onnx.h"

typedef VEC(File) Files;

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

/* A varint at *s, which moves behind it; *s is NULL when it is cut short. */
static uint64_t varint(const char **s, const char *end)
{
    uint64_t v = 0;
    for (int shift = 0; *s && *s < end && shift < 64; shift += 7) {
        const unsigned char byte = (unsigned char)*(*s)++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return v;
    }
    *s = NULL;
    return 0;
}

/* The tensors of a message that holds some: fields 3 of a sequence and of an optional; a sequence within is field 5,
 * where the kind of elements, field 2, says so. False: it is a tensor itself, which has other fields. */
static bool take_apart(Ctx *c, const File *f, int depth, Files *parts)
{
    enum { NAME = 1, KIND = 2, TENSOR = 3, SEQUENCE = 5, IS_SEQUENCE = 3 };
    const char *s = f->data, *end = s + f->size;
    uint64_t kind = 0;
    while (s && s < end) {
        const uint64_t tag = varint(&s, end), number = tag >> 3, n = s ? varint(&s, end) : 0;
        const bool text = (tag & 7) == 2;
        if (!s || (text ? n > (uint64_t)(end - s) : tag != KIND << 3)) return false;
        if (!text) {
            kind = n;
            continue;
        }
        const File part = {f->path, s, (size_t)n};
        if (number != NAME && number != TENSOR && (number != SEQUENCE || kind != IS_SEQUENCE)) return false;
        if (number == TENSOR) VEC_PUSH(c, *parts, part);
        if (number == SEQUENCE && (depth == 0 || !take_apart(c, &part, depth - 1, parts))) return false;
        s += n;
    }
    return s != NULL;
}

/* Of the outputs that are followed by their true dimensions, any shape of the type. */
static Type type_wanted(const Graph *g, Edge *const *edges, int k)
{
    Type t = edges[k]->type;
    for (int i = 0; i < g->ncounts; i++)
        if (edges == g->outs && g->counted[i] == k) t.rank = -1;
    return t;
}

static bool dataset_of(Ctx *c, const char *folder, const char *what, const Graph *g, int n, Edge *const *edges,
                       const Tensor **to)
{
    const int before = c->errors;
    const File *f;
    int at = 0, k = 0;
    for (; (f = numbered(c, folder, what, k)); k++) {
        Files parts = {0};
        if (!take_apart(c, f, 4, &parts)) {
            parts.n = 0;
            VEC_PUSH(c, parts, *f);
        }
        for (int i = 0; i < parts.n; i++, at++)
            if (at < n) to[at] = tensor_read(c, &parts.at[i], type_wanted(g, edges, at));
    }
    if (at < n)
        error(c, (Loc){0}, "'%s' has no %s_%d.pb, for %s of the graph", folder, what, k, type_text(c, edges[at]->type));
    if (at > n)
        error(c, (Loc){0}, "'%s' has %d %ss, but the graph has %d", folder, at, what, n);
    return c->errors == before;
}

static bool is_folder(Ctx *c, const char *path)
{
    struct stat st;
    if (stat(path, &st)) error(c, (Loc){0}, "cannot read the folder '%s' of test data: %s", path, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        error(c, (Loc){0}, "'%s' is no folder: test data are a folder with files input_N.pb and output_N.pb", path);
    else return true;
    return false;
}

bool dataset_read(Ctx *c, const char *folder, const Graph *g, const Tensor **in, const Tensor **out)
{
    if (!is_folder(c, folder)) return false;
    const bool ins = dataset_of(c, folder, "input", g, g->nins, g->ins, in);
    return dataset_of(c, folder, "output", g, g->nouts - g->ncounts, g->outs, out) && ins;
}
