/* The loops of a kernel in compute form. */
#include "loopify.h"

const Stmt *spell_elements(Ctx *c, const Kernel *k, bool wide)
{
    const Stmt *nest = spelled_store(c, k->out, k->at, k->value, wide);
    for (int i = k->rank; i-- > 0;) nest = stmt_for(c, i, k->dims[i], nest);
    return nest;
}
