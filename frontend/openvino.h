/* The inside of the reader of OpenVINO IR: what openvino_xml.c (XML to layers as they are written), openvino.c (those
 * to an MModel), openvino_attr.c (attributes, types) and the layers' meanings share.
 *
 * A layer becomes a node of the domain "openvino", in the version of its opset. What such a node means is told by the
 * rows of openvino.def: compositions of ONNX operators, which the builder puts in its place. */
#ifndef BURIN_OPENVINO_H
#define BURIN_OPENVINO_H

#include "frontend.h"

typedef struct XPort {
    int64_t id;
    Loc loc;
    const MType *type;
    const char *names;
} XPort; /* type, names: or NULL */
/* input and output of a port_map; -1 (external_port: also "none") where not stated */
typedef struct XMap {
    bool output;
    Loc loc;
    int64_t port, layer, axis, start, end, stride, part;
    const char *purpose;             /* "" */
} XMap;
typedef struct XId { int64_t id; int at; } XId;
typedef struct XEdge { int64_t from, from_port, to, to_port; Loc loc; } XEdge;
typedef struct XNet XNet;
typedef struct XLayer {
    int64_t id;
    Loc loc;
    const char *name, *type, *version;       /* "" when not stated */
    VEC(Pair) attrs;
    VEC(XPort) in;
    VEC(XPort) out;
    const XId *ids[2];               /* of both, sorted, unless they are numbered one by one */
    int ordinal;                     /* among the Parameters or Results of the network */
    XNet *bodies[2];                 /* of loops: the first; If: then, else */
    VEC(XMap) maps[2];
    VEC(XEdge) backs[2];
} XLayer;
struct XNet {
    const char *name;
    Loc loc;
    VEC(XLayer *) layers;
    VEC(XEdge) edges;
    const XId *ids;                  /* of the layers, sorted */
};

typedef struct Ov {
    Ctx *c;
    const Source *src;
    Externals *externals;
    const char *domain;              /* "openvino" */
    const char *weights;             /* location of the weights file */
    bool no_weights;                 /* it cannot be had, which was told */
    int faults;
} Ov;

/* ---- openvino_xml.c ---------------------------------------------------------------------------------------------- */
void ov_fault(Ov *x, Loc loc, const char *fmt, ...) PRINTF(3, 4);    /* error; limits their number */
XNet *ov_xml(Ov *x, const File *f, int64_t *version);    /* NULL: not even the network could be read */

/* ---- openvino_ids.c: by number; -1: there is none ---------------------------------------------------------------- */
void layer_number(Ctx *c, XLayer *l);        /* once it has its ports */
int port_at(const XLayer *l, bool out, int64_t id);
void net_number(Ov *x, XNet *net);           /* once it has its layers; tells numbers that are given twice */
int layer_at(const XNet *net, int64_t id);

/* ---- openvino_value.c -------------------------------------------------------------------------------------------- */
const MType *ov_parameter(Ov *x, const XLayer *l);       /* NULL: at fault, which was reported */
const Tensor *ov_const(Ov *x, const XLayer *l);          /* the same */

/* ---- openvino_attr.c --------------------------------------------------------------------------------------------- */
DType ov_type(const char *name);     /* "f32", "FP32", "boolean" …; DT_NONE: none that burin has */
bool ov_int(const char *text, int64_t *v);
/* A list of numbers between commas; false: something else. */
bool ov_ints(Ctx *c, const char *text, int *n, const int64_t **v);
const char *layer_attr(const XLayer *l, const char *name);           /* NULL: not there */
/* The attributes of a layer by the signature of its operator, behind the n that are there. */
int layer_attrs(Ov *x, const XLayer *l, const Sig *sig, int n, MAttr *attrs);

#endif
