/* Graphs within graphs, built in place: a copy for each step of a loop, whose states go from one to the next and whose
 * scan outputs are gathered; and a choice at run time of what two of them give. */
#include "kit.h"

/* x, followed by zeros until it has the shape of t. */
static Edge *widened(Build *b, Edge *x, Type t)
{
    int64_t count = type_count(x->type), pads[2] = {0, type_count(t) - count};
    if (pads[1] == 0)
        return reshaped(b, x, t.rank, t.dims);
    x = reshaped(b, x, 1, &count);
    return reshaped(b, build_op2(b, "Pad", x, build_ints(b, 2, pads)), t.rank, t.dims);
}

static bool holds(Type s, Type t)
{
    bool held = s.dt == t.dt && s.rank == t.rank;
    for (int i = 0; held && i < s.rank; i++)
        held = s.dims[i] >= t.dims[i];
    return held;
}

Edge *choice(Build *b, const Node *n, Edge *cond, Edge *x, Edge *y, Type declared)
{
    Type t = holds(x->type, y->type) ? x->type : holds(y->type, x->type) ? y->type : declared;
    if (x == y)
        return x;
    if (!x->list != !y->list || !holds(t, x->type) || !holds(t, y->type)) {
        node_error(b, n, "by a condition that is computed at run time, it gives %s or %s: one of them, or what is "
                   "declared, must hold the other in every dimension; or the condition must be known at compile time",
                   type_text(b->c, x->type), type_text(b->c, y->type));
        return NULL;
    }
    if (!x->list) {
        x = widened(b, x, t);
        return where(b, reshaped(b, cond, 0, NULL), x, widened(b, y, t));
    }
    int count[2] = {x->list->n, y->list->n}, both = count[0] < count[1] ? count[0] : count[1];
    const List *longer = count[0] > both ? x->list : y->list;
    Edge **at = mem_copy(b->c, longer->at, sizeof *at * (size_t)(longer->n > 0 ? longer->n : 0));
    for (int i = 0; i < both; i++)
        if (!(at[i] = choice(b, n, cond, x->list->at[i], y->list->at[i], (Type){0})))
            return NULL;
    return build_list(b, x->type.dt, longer->n, at);
}

/* ---- steps of a loop ---- */

bool steps_open(Steps *s, Build *b, const Node *n, int ins_before, int outs_before, int nstates, int nslices)
{
    const Subgraph *g = node_attr(n, "body")->graph;
    int nscans = g->nouts - outs_before - nstates;
    if (g->nins != ins_before + nstates + nslices || nscans < 0 || n->nout > nstates + nscans)
        return node_error(b, n, "the body takes %d inputs and gives %d outputs, the node %d and %d: the body must take "
                          "%d and give %d and one for each scan output", g->nins, g->nouts, n->nin, n->nout,
                          ins_before + nstates + nslices, outs_before + nstates);
    *s = (Steps){b, n, g, ins_before, nstates, nscans, NEW_N(b->c, Edge *, g->nins), NEW_N(b->c, Edge *, g->nouts),
                 NULL, NEW_N(b->c, Edges, nscans)};
    s->results = s->out + outs_before;
    return true;
}

bool steps_next(Steps *s, Edge *running)
{
    if (!s->g->inlined(s->b, s->g, s->in, s->out))
        return false;
    for (int k = 0; k < s->nstates; k++) {
        Edge **state = &s->in[s->first + k], *next = s->results[k];
        *state = running ? choice(s->b, s->n, running, next, *state, (*state)->type) : next;
        if (!*state || edge_poisoned(*state))
            return false;
    }
    for (int k = 0; k < s->nscans; k++)
        VEC_PUSH(s->b->c, s->scans[k], s->results[s->nstates + k]);
    return true;
}

Edge *stacked(Build *b, Edges list, int axis, bool backward, bool none)
{
    int64_t dims[MAX_RANK];
    for (int i = 0; backward && i < list.n / 2; i++) {
        Edge *e = list.at[i];
        list.at[i] = list.at[list.n - 1 - i];
        list.at[list.n - 1 - i] = e;
    }
    Edge *all = concatenated(b, list.n, list.at, axis, true);
    if (!none || edge_poisoned(all))
        return all;
    memcpy(dims, all->type.dims, sizeof *dims * (size_t)all->type.rank);
    dims[axis] = 0;
    return build_const(b, NULL, tensor_new(b->c, type_make(b->c, all->type.dt, all->type.rank, dims)), b->loc);
}

bool steps_close(Steps *s, const Ints *axes, const Ints *directions, bool none, Edge **out)
{
    for (int k = 0; k < s->n->nout; k++) {
        int scan = k - s->nstates, axis = 0;
        if (scan < 0) {
            out[k] = s->in[s->first + k];
            continue;
        }
        int rank = s->scans[scan].at[0]->type.rank + 1;
        if (axes->v && !node_axis(s->b, s->n, axes->v[scan], rank, false, &axis))
            return false;
        out[k] = stacked(s->b, s->scans[scan], axis, directions->v && directions->v[scan], none);
    }
    return true;
}
