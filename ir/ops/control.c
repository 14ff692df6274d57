/* If, Loop, Scan: graphs are built in place, a copy for each step. What is decided at compile time leaves no trace. A
 * condition that is known at run time only does not skip work, which cannot fail anyway: both branches are computed and
 * their results chosen from; the steps of a loop are computed up to its bound, and what it carries changes only while
 * it still runs. Of what depends on that in size, the largest is declared, with what is valid compact in front. */
#include "meaning.h"

/* A branch that cannot be computed with the shapes there are cannot be taken either; names that mean nothing are a
 * fault in any branch. */
bool if_(Build *b, const Node *n, Edge **out)
{
    static const char *const names[2] = {"then_branch", "else_branch"};
    const Tensor *known = arg_known(n, 0);
    Edge **results[2];
    bool good[2] = {false, false};
    int mark[3] = {0, 0, 0}, nameless = b->nameless;
    if (type_count(arg_type(n, 0)) != 1)
        return node_error(b, n, "the condition is %s: it must be a single bool", type_text(b->c, arg_type(n, 0)));
    for (int k = 0; k < 2; k++) {
        const Subgraph *g = node_attr(n, names[k])->graph;
        int from = b->nodes.n;
        mark[k] = diag_mark(b->c);
        results[k] = NEW_N(b->c, Edge *, n->nout);
        if (known && (tensor_at_int(known, 0) != 0) == k)
            continue;
        if (g->nouts != n->nout)
            return node_error(b, n, "the %s gives %d outputs, the node has %d", names[k], g->nouts, n->nout);
        good[k] = g->inlined(b, g, NULL, results[k]);
        if (!good[k])
            b->nodes.n = from;
    }
    mark[2] = diag_mark(b->c);
    if (!known && good[0] != good[1] && b->nameless == nameless) {
        diag_soften(b->c, mark[good[0]], mark[good[0] + 1]);
        warning(b->c, n->loc, "the %s cannot be computed, for what the warnings tell: the %s is taken always",
                names[good[0]], names[good[1]]);
    }
    for (int k = 0; k < n->nout && (good[0] || good[1]); k++) {
        Type declared = n->out[k] ? n->out[k]->type : (Type){0};
        out[k] = results[good[1]][k];
        if (good[0] && good[1] && !(out[k] = choice(b, n, n->in[0], results[0][k], out[k], declared)))
            return false;
    }
    return good[0] || good[1];
}

/* The greatest number of steps: M, else the length of a scan output that is declared. */
static bool loop_bound(Build *b, const Node *n, int64_t *most)
{
    *most = INT64_MAX;
    if (!arg(n, 0) || arg_known(n, 0))
        return !arg(n, 0) || arg_int(b, n, 0, most);
    for (int k = n->nin - 2; k < n->nout; k++)
        if (n->out[k] && !edge_poisoned(n->out[k]) && n->out[k]->type.rank > 0)
            return *most = n->out[k]->type.dims[0], true;
    return node_error(b, n, "M is known at run time only: make it a constant, or declare the shape of a scan output, "
                      "whose first dimension then is the greatest number of steps");
}

bool loop(Build *b, const Node *n, Edge **out)
{
    enum { MOST = 1 << 16 };         /* steps whose number only run time tells */
    Steps s;
    int64_t i = 0, most;
    Edge *cond = arg(n, 1) ? arg(n, 1) : build_scalar(b, DT_BOOL, 1), *running = NULL;
    const Ints none = {0, NULL};
    if (!loop_bound(b, n, &most) || !steps_open(&s, b, n, 2, 1, n->nin - 2, 0))
        return false;
    memcpy(s.in, n->in, sizeof *s.in * (size_t)n->nin);
    for (; i < most && !(cond->data && !tensor_at_int(cond->data, 0)); i++) {
        s.in[0] = build_const(b, NULL, tensor_int(b->c, i), n->loc);
        s.in[1] = cond;
        if (!cond->data && most > MOST)
            return node_error(b, n, "it runs until a condition that is computed at run time, and M is no bound: give "
                              "M, as a constant, the greatest number of steps, at most %d", MOST);
        Edge *more[2] = {cond->data ? NULL : cond, NULL};
        if (arg(n, 0) && !arg_known(n, 0))
            more[1] = build_op2(b, "Less", s.in[0], reshaped(b, n->in[0], 0, NULL));
        for (int k = 0; k < 2; k++)
            if (more[k])
                running = running ? build_op2(b, "And", running, more[k]) : more[k];
        if (!steps_next(&s, running))
            return false;
        cond = s.out[0];
    }
    Steps types = s;                 /* of what no step gave */
    types.in = mem_copy(b->c, s.in, sizeof *s.in * (size_t)s.g->nins);
    types.in[0] = build_const(b, NULL, tensor_int(b->c, 0), n->loc);
    types.in[1] = cond;
    return (i || !s.nscans || steps_next(&types, NULL)) && steps_close(&s, &none, &none, i == 0, out);
}

bool scan(Build *b, const Node *n, Edge **out)
{
    Steps s;
    Ints axes, back, out_axes, out_back;
    int64_t slices = node_int(n, "num_scan_inputs", 0), steps = -1;
    int nstates = n->nin - (int)slices;
    if (slices < 1 || slices > n->nin)
        return node_error(b, n, "num_scan_inputs = %lld, but there are %d inputs", (long long)slices, n->nin);
    if (!steps_open(&s, b, n, 0, 0, nstates, (int)slices))
        return false;
    attr_list(n, "scan_input_axes", &axes);
    attr_list(n, "scan_input_directions", &back);
    attr_list(n, "scan_output_axes", &out_axes);
    attr_list(n, "scan_output_directions", &out_back);
    if ((axes.v && axes.n != slices) || (back.v && back.n != slices) || (out_axes.v && out_axes.n != s.nscans) ||
        (out_back.v && out_back.n != s.nscans))
        return node_error(b, n, "axes and directions must have an element for each of the %lld scan inputs and %d scan "
                          "outputs", (long long)slices, s.nscans);
    int *along = NEW_N(b->c, int, slices);
    for (int k = 0; k < slices; k++) {
        Type t = arg_type(n, nstates + k);
        if (!node_axis(b, n, axes.v ? axes.v[k] : 0, t.rank, false, &along[k]))
            return false;
        if (t.dims[along[k]] == 0 || (steps >= 0 && t.dims[along[k]] != steps))
            return node_error(b, n, "scan input %d is %s: along axis %d it must have as many elements as the others, "
                              "at least one", k, type_text(b->c, t), along[k]);
        steps = t.dims[along[k]];
    }
    memcpy(s.in, n->in, sizeof *s.in * (size_t)nstates);
    for (int64_t i = 0; i < steps; i++) {
        for (int k = 0; k < slices; k++)
            s.in[nstates + k] = slice_at(b, n->in[nstates + k], along[k], back.v && back.v[k] ? steps - 1 - i : i);
        if (!steps_next(&s, NULL))
            return false;
    }
    return steps_close(&s, &out_axes, &out_back, false, out);
}

/* Version 8 does the same for each element of a batch, dimension 0 of everything. */
bool scan_8(Build *b, const Node *n, Edge **out)
{
    Edges *parts = NEW_N(b->c, Edges, n->nout);
    Attr attrs[3] = {*node_attr(n, "body"), *node_attr(n, "num_scan_inputs"), {0}};
    Edge **in = NEW_N(b->c, Edge *, n->nin);
    if (node_attr(n, "directions")) {
        attrs[2] = *node_attr(n, "directions");
        attrs[2].name = intern(b->c, "scan_input_directions");
    }
    int64_t batch = n->nin > 1 && arg_type(n, 1).rank > 0 ? arg_type(n, 1).dims[0] : 0;
    for (int k = 1; k < n->nin; k++)
        if (arg(n, 0) || batch == 0 || arg_type(n, k).rank == 0 || arg_type(n, k).dims[0] != batch)
            return node_error(b, n, "input %d is %s: all must have the same batch, dimension 0, of at least one; "
                              "sequence_lens is not supported", k, type_text(b->c, arg_type(n, k)));
    for (int64_t i = 0; i < batch; i++) {
        for (int k = 1; k < n->nin; k++)
            in[k - 1] = slice_at(b, n->in[k], 0, i);
        build_op_n(b, "Scan", n->nin - 1, in, attrs[2].name ? 3 : 2, attrs, n->nout, out);
        for (int k = 0; k < n->nout; k++) {
            if (edge_poisoned(out[k]))
                return false;
            VEC_PUSH(b->c, parts[k], out[k]);
        }
    }
    for (int k = 0; k < n->nout; k++)
        out[k] = stacked(b, parts[k], 0, false, false);
    return true;
}
