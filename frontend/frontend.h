/* frontend: files become a graph. Readers (one a format) turn a file into an MModel, the model as written; import.c
 * turns that, whatever its format, into a Graph by means of the node builder. Names no operator: what a node means is
 * the builder's affair.
 *
 * An MModel refers to names by interned strings (compare pointers), is never changed after it is read and lives in the
 * context's permanent arena; constants lie there too, or in the mapped file. Each part has the place it came from. A
 * reader reports faults with error() and goes on: what it could not read is left out or NULL, `broken` is set, and
 * import stays silent about names that are missing. */
#ifndef BURIN_FRONTEND_H
#define BURIN_FRONTEND_H

#include "op.h"

/* ---- the model as it was read ---------------------------------------------------------------------------------- */

typedef struct MGraph MGraph;
typedef struct MType MType;

typedef struct MDim {
    int64_t size;                    /* >= 0: known; -1: not */
    const char *name;                /* symbolic: its name; else NULL ("?" when the size is not known either) */
} MDim;

typedef enum MKind { M_TENSOR, M_SPARSE, M_SEQUENCE, M_OPTIONAL, M_MAP, M_OPAQUE } MKind;
struct MType {
    MKind kind;
    Loc loc;
    DType dt;                        /* TENSOR, SPARSE: of the elements; MAP: of the keys */
    int rank;                        /* TENSOR, SPARSE: -1: unknown */
    const MDim *dims;
    const MType *elem;               /* SEQUENCE, OPTIONAL, MAP: of the elements, of the values */
    const char *domain, *name;       /* OPAQUE */
};

typedef struct MName { const char *name; Loc loc; } MName;       /* "" : left out */
typedef struct MValueInfo { const char *name; Loc loc; const MType *type; } MValueInfo;   /* type NULL: not stated */
/* value NULL: a fault was reported; sparse ones arrive dense */
typedef struct MTensor { const char *name; Loc loc; const Tensor *value; } MTensor;

typedef struct MAttr {
    /* its graph and graphs stay NULL here; type: an MType; types: a->n of them in `types` */
    Attr a;
    /* "= @name": it has the value of this attribute of the enclosing function; a.kind 0: of any kind */
    const char *ref;
    MGraph *const *graphs;           /* GRAPH: 1, GRAPHS: a.n */
    const MType *const *types;       /* TYPES: a.n */
} MAttr;

typedef struct MNode {
    const char *domain, *op, *overload, *name;       /* "" when not stated; domain "" is ai.onnx */
    int64_t version;                 /* 0: what the model imports of the domain */
    Loc loc;
    int nin, nout, nattrs;
    const MName *in, *out;
    const MAttr *attrs;
} MNode;

struct MGraph {
    const char *name;
    Loc loc;
    int nins, nouts, ninits, ninfos, nnodes;
    const MValueInfo *ins, *outs, *infos;
    const MTensor *inits;
    const MNode *const *nodes;
};

typedef struct MFunction {
    const char *domain, *name, *overload;
    Loc loc;
    int nopsets; const Opset *opsets;
    int nins, nouts, nattrs, ndefaults, ninfos, nnodes;
    const MName *ins, *outs;
    const MName *attrs;              /* attributes without a default */
    const MAttr *defaults;           /* attributes with one */
    const MValueInfo *infos;
    const MNode *const *nodes;
} MFunction;

typedef struct MModel {
    const Meta *meta;                /* strings that are not stated are NULL */
    bool opsets_stated;              /* false: the text has no opset_import; the newest operators are meant */
    bool broken;                     /* parts of it could not be read: faults were reported */
    const MGraph *graph;             /* NULL only when broken */
    int nfunctions; const MFunction *functions;
} MModel;

enum { MAX_NESTING = 100 };          /* of graphs, types and calls of functions */

/* ---- read.c: the door ------------------------------------------------------------------------------------------ */

/* What the command line says of the model. Names are compared as text. */
typedef struct Bind { const char *name; int64_t size; } Bind;                    /* -D NAME=SIZE */
typedef struct ShapeOption { const char *input; int rank; const int64_t *dims; } ShapeOption;
typedef struct TypeOption { const char *input; DType dt; } TypeOption;
typedef struct ReadOptions {
    int nbinds, nshapes, ntypes;
    const Bind *binds;
    const ShapeOption *shapes;
    const TypeOption *types;
    const char *weights;             /* file of the weights, of formats that have them apart; NULL: beside the model */
} ReadOptions;

/* options.c: takes what stands behind -D, --shape, --type. NULL: done; else what is wrong with it. */
const char *option_size(Ctx *c, ReadOptions *r, const char *text);
const char *option_shape(Ctx *c, ReadOptions *r, const char *text);
const char *option_type(Ctx *c, ReadOptions *r, const char *text);
const char *option_name(Ctx *c, const char *text, const char **value);   /* of NAME=VALUE; NULL: it is not */
/* Likewise all INPUT=FILE of burin run: the values of the graph's inputs. An error for each that has none. */
const char *inputs_read(Ctx *c, const Graph *g, int n, char *const *texts, const Tensor **in);
/* error: the option names an input, a dimension that the model does not have; names: those it has. */
void option_unknown(Ctx *c, Loc loc, const char *option, const char *what, const char *name, int n,
                    const char *const *names);

/* Reads a model file of any format (found by its content). Faults are reported with error(): the graph is whole only
 * when c->errors is 0 afterwards, else it may hold poisoned edges or be NULL. A file that cannot be read is fatal. o
 * may be NULL. */
Graph *frontend_read(Ctx *c, const char *path, const ReadOptions *o);

/* A format: what its files begin with, and how one is read. A new format is one more entry of the table in read.c. */
typedef struct Reader {
    const char *format;              /* "ONNX text" */
    bool (*probe)(const char *data, size_t n);
    /* f->path: external data lies beside it. NULL: faults were reported */
    MModel *(*read)(Ctx *c, const File *f, const ReadOptions *o);
    bool weights;                    /* has its weights in a file of their own: ReadOptions.weights may name it */
} Reader;
const Reader *frontend_format(const char *data, size_t n);      /* NULL: none fits */
MModel *frontend_model(Ctx *c, const char *path, const ReadOptions *o);      /* the first half of frontend_read */
/* error, for readers; *faults counts theirs, and one beyond a hundred is fatal. */
void fault_limited(Ctx *c, int *faults, Loc loc, const char *fmt, va_list args) PRINTF(4, 0);

/* ---- text.y, text.l, textread.c: ONNX text --------------------------------------------------------------------- */

/* The model in src->text (src->size bytes, need not be NUL-ended; lives as long as the context). Never NULL. */
MModel *text_read(Ctx *c, const Source *src);
bool text_is_utf8(const char *s);

/* ---- literal.c: numbers ---------------------------------------------------------------------------------------- */

/* One number at s, up to `end`: *after is the first byte behind it (of a malformed one too). Correctly rounded,
 * independent of the locale: -?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?, inf, infinity, nan in any case, hexadecimal
 * integers and floats, nan(0xMANTISSA). Underflow is no fault, overflow is LIT_RANGE. literal_int: LIT_FRACTION when
 * it is a number, but no whole one; LIT_RANGE beyond 64 bits. */
typedef enum LitFault { LIT_OK, LIT_NONE, LIT_FRACTION, LIT_RANGE, LIT_MALFORMED } LitFault;
LitFault literal_float(const char *s, const char *end, const char **after, float *value);
LitFault literal_double(const char *s, const char *end, const char **after, double *value);
LitFault literal_int(const char *s, const char *end, const char **after, bool *negative, uint64_t *magnitude);

/* ---- external.c: data beside the model ------------------------------------------------------------------------- */

typedef struct Externals Externals;  /* the files of one model, each mapped once */
Externals *externals_new(Ctx *c, const Source *model);

/* `bytes` bytes of file `location`, which must lie in the model's folder or below it, links followed. length < 0: not
 * stated, else it must be `bytes`. NULL: an error at loc was reported. */
const void *external_data(Externals *x, Loc loc, const char *name, const char *location, int64_t offset, int64_t length,
                          size_t bytes);
/* Lets `location` be that file, wherever it lies. False: it cannot be read, which was reported. */
bool externals_name(Externals *x, Loc loc, const char *location);
/* Bools as they are in memory: bytes of 0 and 1, a copy where others are. */
const Tensor *tensor_bools(Ctx *c, Type t, const void *data, size_t n);
/* The same from the key-value pairs of a TensorProto (location, offset, length, checksum). */
const Tensor *external_tensor(Externals *x, Loc loc, const char *name, Type type, int npairs, const Pair *pairs);

/* ---- import.c, scope.c, inline.c: MModel to Graph -------------------------------------------------------------- */

/* Builds the graph: scopes, names, types of inputs and outputs, functions inlined, subgraphs as closures. NULL only
 * without a graph. */
Graph *frontend_import(Ctx *c, const MModel *m, const ReadOptions *o);
const char *mtype_text(Ctx *c, const MType *t);      /* as the graph text spells it; NULL: "no type" */

/* ---- onnx.c, onnx_node.c, onnx_tensor.c: ONNX binary ----------------------------------------------------------- */

/* The model in a mapped file, where its constants stay. Never NULL. */
MModel *onnx_read(Ctx *c, const File *f, const ReadOptions *o);

/* ---- order.c --------------------------------------------------------------------------------------------------- */
/* The nodes, each behind those that it reads. Where some go round in a circle that cannot be: *circle (may be NULL) is
 * one that depends on itself. */
const MNode *const *nodes_ordered(Ctx *c, int n, const MNode *const *nodes, const MNode **circle);

/* ---- openvino.c and its like: OpenVINO IR ---------------------------------------------------------------------- */

/* The model in a mapped XML file; its constants stay in the weights file beside it, mapped. Never NULL. */
MModel *openvino_read(Ctx *c, const File *f, const ReadOptions *o);
/* What its layers mean, as operators of the domain "openvino" that stand for others in place. */
extern const Op openvino_ops[];
extern const int openvino_count;

/* ---- dataset.c: folders of test data ---------------------------------------------------------------------------- */

/* input_N and output_N (.pb or .npy) of a folder, one for each of the graph's (but the true dimensions of outputs whose
 * size depends on data: those have any shape here). False: faults were reported. */
bool dataset_read(Ctx *c, const char *folder, const Graph *g, const Tensor **in, const Tensor **out);

/* ---- npy.c, pbfile.c: files of one tensor ---------------------------------------------------------------------- */

/* The tensor in a file, NumPy's .npy or a TensorProto of ONNX, whichever its content says; its data mapped. A file that
 * holds anything else than `want` is an error (and gives zeros). want.rank < 0: of any shape. */
const Tensor *value_read(Ctx *c, const char *path, Type want);
const Tensor *tensor_read(Ctx *c, const File *f, Type want);
/* STEM.npy, or STEM.pb for a type that NumPy lacks; fatal when it cannot. */
void value_write(Ctx *c, const char *stem, const Tensor *t);
bool type_fits(Type t, Type want);                            /* the same; want.rank < 0: of its element type */
const char *want_text(Ctx *c, Type want);
Tensor *tensor_missing(Ctx *c, Type want);                   /* zeros in place of it */
const Tensor *npy_read(Ctx *c, const File *f, Type want);
void npy_write(Ctx *c, const char *path, const Tensor *t);       /* fatal also when NumPy lacks the type */
const Tensor *pbfile_read(Ctx *c, const File *f, Type want);
void pbfile_write(Ctx *c, const char *path, const Tensor *t);

#endif
