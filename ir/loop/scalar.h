/* Private to ir/loop: the scalar operators as functions, for the interpreter. */
#ifndef BURIN_SCALAR_H
#define BURIN_SCALAR_H

#include "loop.h"

typedef Value (*ScalarFn)(Value a, Value b, Value c);
ScalarFn scalar_fn(ScalarOp op, DType arg, bool fused);      /* NULL: not defined on that type */

/* A cast is one step, or two where a narrow float is decoded first (NULL: none). */
typedef Value (*CastFn)(Value v);
CastFn cast_decode(DType from);                              /* to F32 */
CastFn cast_encode(DType to, DType from);                    /* from: what cast_decode leaves */

#endif
