/* The inside of the ONNX reader: what onnx.c, onnx_node.c, onnx_tensor.c and pbfile.c share.
 *
 * A message is read from the outside inwards: message_read finds the places of its parts (wire.h), then each part is
 * read. Subgraphs are not read within their node but put on a list of what is still to do, so that no nesting deepens
 * the stack. A part that is at fault is reported and left out; its siblings are read. Places live in scratch until the
 * graph is read. */
#ifndef BURIN_ONNX_H
#define BURIN_ONNX_H

#include "frontend.h"

#include "onnx.pb.h"

typedef struct Pending { Place place; MGraph *to; Loc loc; int depth; } Pending;        /* a subgraph to be read */

typedef struct Onnx {
    Ctx *c;
    const Source *src;
    const pb_byte_t *base;           /* of the file */
    Externals *externals;
    int faults;
    size_t dense;                    /* bytes that sparse tensors may still take */
    int depth;                       /* of the graph that is being read */
    VEC(Pending) pending;
    VEC(MGraph *) graphs;            /* that were read */
} Onnx;

Onnx *onnx_new(Ctx *c, const File *f);

/* ---- onnx.c ---------------------------------------------------------------------------------------------------- */
void onnx_fault(Onnx *x, Loc loc, const char *fmt, ...) PRINTF(3, 4);    /* error; limits their number */
Loc onnx_loc(const Onnx *x);
/* Reads a message into *m, all zero before. False: a fault was reported, which calls it `what` ("a node"). */
bool message_read(Onnx *x, Loc loc, const char *what, Place p, const pb_msgdesc_t *fields, void *m);
const char *onnx_string(Onnx *x, Loc loc, const char *what, Place p);    /* interned; "" when at fault */
const char *onnx_name(Onnx *x, Loc loc, const char *what, const Places *l);  /* of UTF-8; "" when not stated */
const MType *onnx_type(Onnx *x, Loc loc, const char *of, Place p);       /* `of`: its name. NULL: none, or at fault */
const MValueInfo *onnx_infos(Onnx *x, Loc loc, const Places *l, int *n);
const Opset *onnx_opsets(Onnx *x, Loc loc, const Places *l, int *n);
const Pair *onnx_pairs(Onnx *x, Loc loc, const Places *l, int *n);

/* ---- onnx_node.c ----------------------------------------------------------------------------------------------- */
const MNode *const *onnx_nodes(Onnx *x, const Places *l, int *n);
MName *onnx_names(Onnx *x, Loc loc, const char *what, const Places *l, int *n);
bool onnx_attr(Onnx *x, Loc loc, Place p, MAttr *to);                    /* false: not even its name could be read */

/* ---- onnx_tensor.c --------------------------------------------------------------------------------------------- */
/* The tensor at p, its data in the mapped file where they stand there as they are in memory. NULL: a fault was
 * reported. *name, when name is given: "" when it has none. */
const Tensor *onnx_tensor(Onnx *x, Loc loc, Place p, const char **name);
const Tensor *onnx_sparse(Onnx *x, Loc loc, Place p, const char **name); /* made dense */

#endif
