/* Private to ir/loop: the scalar operators as functions, for the interpreter. */
#ifndef BURIN_SCALAR_H
#define BURIN_SCALAR_H

#include "loop.h"

typedef Value (*ScalarFn)(Value a, Value b, Value c);
ScalarFn scalar_fn(ScalarOp op, DType arg, bool fused);      /* NULL: not defined on that type, or op_writes */
/* Of one that writes: at most room - 1 bytes and a NUL to `to`. */
typedef void (*WriteFn)(char *to, int32_t room, Value a, Value b);
WriteFn scalar_write_fn(ScalarOp op, DType arg);
struct ScalarEntry { ScalarFn fn; WriteFn write; };          /* one of the two, or none */

/* A cast is one step, or two where a narrow float is decoded first (NULL: none). */
typedef Value (*CastFn)(Value v);
CastFn cast_decode(DType from);                              /* to F32 */
CastFn cast_encode(DType to, DType from);                    /* from: what cast_decode leaves */

#endif
