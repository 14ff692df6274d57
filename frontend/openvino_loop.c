/* TensorIterator, Loop and If of OpenVINO: bodies are built in place, a copy for each step; how many steps there are is
 * known at compile time. port_map (openvino.c) tells how the layer's ports and the body's hang together: rows of eight.
 */
#include "openvino_ops.h"

enum { ROW = 8, MOST_STEPS = 1 << 16, MOST_SIZE = 1 << 30 };
enum { OUTPUT, OUTER, INNER, AXIS, START, END, STRIDE, PART };

typedef struct Loop {
    Build *b;
    const Node *n;
    const Subgraph *g;
    int first;                       /* port of the layer that port 0 of `in` is */
    int nrows, nbacks;
    const int64_t *rows, *backs;
    int64_t steps;
    Edge **in, **out;                /* of the body */
    Edge ***slices;                  /* by row: what is ov_joined in the end */
} Loop;

static const int64_t *row_of(const Loop *l, int k)
{
    return l->rows + ROW * k;
}

static Edge *outer_in(const Loop *l, const int64_t *row)
{
    return row[OUTER] >= 0 && row[OUTER] < l->n->nin ? l->n->in[row[OUTER]] : NULL;
}

static bool loop_open(Loop *l, Build *b, const Node *n, const char *body, const char *map)
{
    const Attr *rows = node_attr(n, map), *backs = node_attr(n, "back_edges");
    *l = (Loop){.b = b, .n = n, .g = node_attr(n, body)->graph, .nrows = rows->n / ROW, .rows = rows->ints,
                .nbacks = backs ? backs->n / 2 : 0, .backs = backs ? backs->ints : NULL};
    l->in = NEW_N(b->c, Edge *, l->g->nins);
    l->out = NEW_N(b->c, Edge *, l->g->nouts);
    l->slices = NEW_N(b->c, Edge **, l->nrows);
    for (int k = 0; k < l->nrows; k++) {
        const int64_t *row = row_of(l, k);
        int64_t inner = row[OUTPUT] ? l->g->nouts : l->g->nins, outer = row[OUTPUT] ? n->nout : n->nin;
        if (row[INNER] < 0 || row[INNER] >= inner || row[OUTER] < -1 || row[OUTER] >= outer) {
            node_error(b, n, "%s: row %d names a port that does not exist", map, k);
            return false;
        }
    }
    for (int k = 0; k < 2 * l->nbacks; k++)
        if (l->backs[k] < 0 || l->backs[k] >= (k % 2 ? l->g->nins : l->g->nouts)) {
            node_error(b, n, "back_edges name a port that does not exist");
            return false;
        }
    return true;
}

/* A row that takes slices: where the first begins, and how many there are. */
static bool slices_of(const Loop *l, const int64_t *row, Type t, int *axis, int64_t *from, int64_t *count)
{
    if (!node_axis(l->b, l->n, row[AXIS], t.rank, false, axis))
        return false;
    int64_t size = t.dims[*axis], start = row[START] < 0 ? row[START] + size + 1 : row[START];
    int64_t end = row[END] < 0 ? row[END] + size + 1 : row[END], stride = row[STRIDE], part = row[PART];
    if (stride == 0 || stride > MOST_SIZE || stride < -MOST_SIZE || part < 1 || part > size || start < 0 || end < 0 ||
        start > size || end > size) {
        node_error(l->b, l->n, "slices from %lld to %lld by %lld, of %lld elements, do not fit into axis %d of %s",
                   (long long)row[START], (long long)row[END], (long long)stride, (long long)part, *axis,
                   type_text(l->b->c, t));
        return false;
    }
    *count = stride > 0 ? (end - start) / stride : (start - end) / -stride;
    *from = stride > 0 ? start : start - part;
    if (*count < 0 || (*count > 0 && (*from < 0 || *from + part > size))) {
        node_error(l->b, l->n, "slices lie outside of axis %d of %s", *axis, type_text(l->b->c, t));
        return false;
    }
    return true;
}

/* The number of slices of the first input that is sliced. */
static bool count_steps(Loop *l)
{
    for (int k = 0; k < l->nrows; k++) {
        const int64_t *row = row_of(l, k);
        Edge *x = outer_in(l, row);
        int axis;
        int64_t from;
        if (!row[OUTPUT] && row[AXIS] != INT64_MIN && x)
            return slices_of(l, row, x->type, &axis, &from, &l->steps);
    }
    l->steps = 1;
    return true;
}

static bool step_inputs(Loop *l, int64_t step)
{
    Edge **next = NEW_N(l->b->c, Edge *, l->g->nins);
    memcpy(next, l->in, sizeof *next * (size_t)l->g->nins);
    for (int k = 0; k < l->nrows; k++) {
        const int64_t *row = row_of(l, k);
        Edge *x = outer_in(l, row);
        int axis;
        int64_t from, count;
        if (row[OUTPUT])
            continue;
        if (row[OUTER] < 0)
            next[row[INNER]] = build_const(l->b, NULL, tensor_int(l->b->c, step), l->n->loc);
        else if (x && row[AXIS] != INT64_MIN) {
            if (!slices_of(l, row, x->type, &axis, &from, &count))
                return false;
            from += step * row[STRIDE];
            if (from < 0 || from + row[PART] > x->type.dims[axis]) {
                node_error(l->b, l->n, "step %lld has no slice of '%s' any more", (long long)step, x->name);
                return false;
            }
            next[row[INNER]] = ov_part_of(l->b, x, axis, from, from + row[PART]);
        } else if (step == 0)
            next[row[INNER]] = x;
    }
    for (int k = 0; step > 0 && k < l->nbacks; k++)
        next[l->backs[2 * k + 1]] = l->out[l->backs[2 * k]];
    l->in = next;
    for (int k = 0; k < l->g->nins; k++)
        if (!next[k]) {
            node_error(l->b, l->n, "input %d of its body is given no value", k);
            return false;
        }
    return true;
}

/* The scalar that a body takes for the step may be of another type than int64. */
static bool steps_run(Loop *l, int condition)
{
    if (l->steps > MOST_STEPS) {
        node_error(l->b, l->n, "%lld steps are more than %d, the most that are built", (long long)l->steps, MOST_STEPS);
        return false;
    }
    for (int k = 0; k < l->nrows; k++)
        l->slices[k] = NEW_N(l->b->c, Edge *, l->steps);
    for (int64_t i = 0; i < l->steps; i++) {
        Edge **out = NEW_N(l->b->c, Edge *, l->g->nouts);
        if (!step_inputs(l, i) || !l->g->inlined(l->b, l->g, l->in, out))
            return false;
        l->out = out;
        for (int k = 0; k < l->nrows; k++)
            l->slices[k][i] = row_of(l, k)[OUTPUT] ? out[row_of(l, k)[INNER]] : NULL;
        const Edge *go = condition >= 0 ? out[condition] : NULL;
        if (go && !go->data) {
            node_error(l->b, l->n, "whether it goes on is computed at run time: the number of steps must be known");
            return false;
        }
        if (go && !tensor_at_int(go->data, 0))
            l->steps = i + 1;
    }
    return true;
}

static bool results(Loop *l, Edge **out)
{
    for (int k = 0; k < l->nrows; k++) {
        const int64_t *row = row_of(l, k);
        int axis;
        if (!row[OUTPUT] || row[OUTER] < 0 || !l->n->out[row[OUTER]])
            continue;
        Edge *last = l->slices[k][l->steps - 1];
        if (row[AXIS] == INT64_MIN) {
            out[row[OUTER]] = last;
            continue;
        }
        if (!node_axis(l->b, l->n, row[AXIS], last->type.rank, false, &axis))
            return false;
        for (int64_t i = 0; row[STRIDE] < 0 && i < l->steps / 2; i++) {
            Edge *e = l->slices[k][i];
            l->slices[k][i] = l->slices[k][l->steps - 1 - i];
            l->slices[k][l->steps - 1 - i] = e;
        }
        out[row[OUTER]] = ov_joined(l->b, (int)l->steps, l->slices[k], axis);
    }
    for (int k = 0; k < l->n->nout; k++)
        if (l->n->out[k] && !out[k]) {
            node_error(l->b, l->n, "output %d has no row in the port map", k);
            return false;
        }
    return true;
}

static bool has_steps(const Loop *l)
{
    if (l->steps > 0)
        return true;
    node_error(l->b, l->n, "it has no step: its outputs are not defined then");
    return false;
}

bool ov_iterator(Build *b, const Node *n, Edge **out)
{
    Loop l;
    memset(out, 0, sizeof *out * (size_t)n->nout);
    return loop_open(&l, b, n, "body", "port_map") && count_steps(&l) && has_steps(&l) && steps_run(&l, -1) &&
           results(&l, out);
}

/* Trips of -1: as often as there are slices, or until the body says so. */
bool ov_loop(Build *b, const Node *n, Edge **out)
{
    Loop l;
    Ints trips, go;
    int condition = -1;
    memset(out, 0, sizeof *out * (size_t)n->nout);
    if (!loop_open(&l, b, n, "body", "port_map") || !ov_known_ints(b, n, 0, &trips) || !ov_known_ints(b, n, 1, &go) ||
        !count_steps(&l))
        return false;
    bool sliced = false;
    for (int k = 0; k < l.nrows; k++) {
        const int64_t *row = row_of(&l, k);
        if (row[OUTPUT] && row[OUTER] < 0)
            condition = (int)row[INNER];
        sliced |= !row[OUTPUT] && row[AXIS] != INT64_MIN;
    }
    if (trips.n && trips.v[0] >= 0)
        l.steps = sliced && l.steps < trips.v[0] ? l.steps : trips.v[0];
    else if (!sliced)
        l.steps = MOST_STEPS;
    if (go.n && !go.v[0])
        l.steps = 0;
    return has_steps(&l) && steps_run(&l, condition) && results(&l, out);
}

bool ov_if(Build *b, const Node *n, Edge **out)
{
    Loop l[2];
    const Tensor *known = n->in[0]->data;
    for (int k = 0; k < 2; k++) {
        if (known && (tensor_at_int(known, 0) != 0) == k)
            continue;
        Edge **got = k || known ? out : NEW_N(b->c, Edge *, n->nout);
        memset(got, 0, sizeof *got * (size_t)n->nout);
        if (!loop_open(&l[k], b, n, k ? "else_body" : "then_body", k ? "else_port_map" : "then_port_map"))
            return false;
        l[k].steps = 1;
        if (!steps_run(&l[k], -1) || !results(&l[k], got))
            return false;
        if (known)
            return true;
        if (!k) {
            l[0].out = got;
            continue;
        }
        for (int i = 0; i < n->nout; i++)
            if (n->out[i])
                out[i] =
                    build_op(b, "Where", 3, (Edge *[]){ov_to_dims(b, n->in[0], 0, NULL), l[0].out[i], out[i]}, 0, NULL);
    }
    return true;
}
