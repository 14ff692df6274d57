/* lower: every node becomes kernels, by the meaning that its operator's entry gives. Nothing is fused yet.
 * Requires: canon. From here on the graph is no longer looked at. */
#include "passes.h"

Unit pass_lower(Ctx *c, Unit u)
{
    u.prog = graph_lower(c, u.graph);
    return u;
}
