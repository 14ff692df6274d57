/* What ai.onnx.ml needs beyond the formulas of ml.def: attributes as constants, names as numbers. */
#include "meaning.h"

Edge *features(Build *b, const Node *n)
{
    Type t = arg_type(n, 0);
    if (t.rank == 1 || t.rank == 2)
        return reshaped(b, build_cast(b, n->in[0], t.dt == DT_F64 ? DT_F64 : DT_F32), 2,
                        (int64_t[]){t.rank == 1 ? 1 : t.dims[0], t.dims[t.rank - 1]});
    node_error(b, n, "X must be [N, features] or [features], it is %s", type_text(b->c, t));
    return NULL;
}

const Tensor *class_labels(Build *b, const Node *n, const char *ints)
{
    const Tensor *t = attr_data(b, n, "classlabels_strings");
    t = t && type_count(t->type) ? t : attr_data(b, n, ints);
    if (t && type_count(t->type))
        return t;
    node_error(b, n, "classlabels_strings or %s must hold the labels of the classes", ints);
    return NULL;
}

bool feature_vectorizer(Build *b, const Node *n, Edge **out)
{
    Edge **in = NEW_N(b->c, Edge *, n->nin);
    Ints sizes;
    attr_list(n, "inputdimensions", &sizes);
    for (int k = 0; k < n->nin; k++) {
        Type t = arg_type(n, k);
        int64_t dims[2] = {t.rank == 2 ? t.dims[0] : 1, t.rank ? t.dims[t.rank - 1] : 1};
        if (t.rank < 1 || t.rank > 2 || (sizes.v && (sizes.n != n->nin || sizes.v[k] != dims[1])))
            return node_error(b, n, "operand %d is %s: it must be [N, features] or [features], and inputdimensions "
                              "must list the features of each operand", k, type_text(b->c, t));
        in[k] = reshaped(b, build_cast(b, n->in[k], DT_F32), 2, dims);
    }
    Attr axis = attr_int(b->c, "axis", 1);
    out[0] = build_op(b, "Concat", n->nin, in, 1, &axis);
    return true;
}

/* The last of what scikit-learn exports: a sequence of maps, which C has not. The numbers are those of X. */
bool zip_map(Build *b, const Node *n, Edge **out)
{
    note(b->c, n->loc, "%s: the result is X itself, a column for each class, instead of a sequence of maps (exporting "
         "with zipmap=False leaves ZipMap out)", node_text(b->c, n));
    out[0] = n->in[0];
    return true;
}
