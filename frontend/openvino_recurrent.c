/* RNN, GRU and LSTM of OpenVINO, cells and sequences, as those of ONNX. What differs: the batch comes first, the gates
 * of LSTM stand as f i c o (ONNX: i o f c), there is one bias (of linear_before_reset four), and a cell is a sequence
 * of one step. */
#include "openvino_ops.h"

typedef struct Recurrent {
    Build *b;
    const Node *n;
    const char *op;                  /* "LSTM" */
    int gates, state;                /* inputs: x, h (c for LSTM), then at `rest`: lengths of a sequence, w, r, b */
    bool cell, lbr, both;
} Recurrent;

/* Blocks of `hidden` along axis 1, in another order. */
static Edge *gates(const Recurrent *k, Edge *x, int n, const int *order, int64_t hidden)
{
    Edge *parts[8];
    for (int i = 0; i < n; i++)
        parts[i] = ov_part_of(k->b, x, 1, order[i] * hidden, (order[i] + 1) * hidden);
    return ov_joined(k->b, n, parts, 1);
}

static Edge *zeros_like(const Recurrent *k, Edge *x, int64_t directions, int64_t columns)
{
    int64_t dims[2] = {directions, columns};
    return build_const(k->b, NULL, tensor_new(k->b->c, type_make(k->b->c, x->type.dt, 2, dims)), k->b->loc);
}

/* w or r: [directions, gates * hidden, size]. */
static Edge *weights(const Recurrent *k, Edge *x, int64_t hidden)
{
    static const int lstm[] = {1, 3, 0, 2};
    if (k->cell)
        x = build_op2(k->b, "Unsqueeze", x, build_ints(k->b, 1, &(int64_t){0}));
    return k->gates == 4 && !edge_poisoned(x) ? gates(k, x, 4, lstm, hidden) : x;
}

static Edge *bias(const Recurrent *k, Edge *x, int64_t hidden)
{
    static const int lstm[] = {1, 3, 0, 2};
    if (!x)
        return NULL;
    if (k->cell)
        x = build_op2(k->b, "Unsqueeze", x, build_ints(k->b, 1, &(int64_t){0}));
    if (edge_poisoned(x))
        return x;
    int64_t directions = x->type.dims[0];
    if (k->lbr)                      /* z r h of the input, and h of the state: the others' second half is 0 */
        return ov_joined(k->b, 3,
                         (Edge *[]){ov_part_of(k->b, x, 1, 0, 3 * hidden), zeros_like(k, x, directions, 2 * hidden),
                                    ov_part_of(k->b, x, 1, 3 * hidden, 4 * hidden)},
                         1);
    if (k->gates == 4)
        x = gates(k, x, 4, lstm, hidden);
    return ov_joined(k->b, 2, (Edge *[]){x, zeros_like(k, x, directions, k->gates * hidden)}, 1);
}

/* activations, once a direction, in ONNX's words: "sigmoid" is "Sigmoid". */
static Attr activations(const Recurrent *k)
{
    static const char *const names[] = {"Sigmoid", "Tanh", "Relu", "HardSigmoid", "Elu", "Softsign", "Softplus"};
    const Attr *a = node_attr(k->n, "activations");
    int times = k->both ? 2 : 1;
    const char **all = NEW_N(k->b->c, const char *, a->n * times);
    Attr to = {.name = intern(k->b->c, "activations"), .kind = ATTR_STRINGS, .n = a->n * times, .strings = all};
    for (int i = 0; i < to.n; i++) {
        all[i] = a->strings[i % a->n];
        for (int j = 0; j < COUNT(names); j++)
            if (!strcasecmp(names[j], all[i]))
                all[i] = intern(k->b->c, names[j]);
    }
    return to;
}

static int attrs_of(const Recurrent *k, int64_t hidden, Attr *a)
{
    static const char *const names[2][2] = {{"activations_alpha", "activation_alpha"},
                                            {"activations_beta", "activation_beta"}};
    int n = 0;
    const Attr *given = node_attr(k->n, "activations");
    if (given && given->n)
        a[n++] = activations(k);
    for (int i = 0; i < 2; i++) {
        const Attr *from = node_attr(k->n, names[i][0]);
        if (from && from->n) {
            a[n] = *from;
            a[n++].name = intern(k->b->c, names[i][1]);
        }
    }
    if (node_float(k->n, "clip", 0) > 0)
        a[n++] = attr_float(k->b->c, "clip", node_float(k->n, "clip", 0));
    a[n++] = attr_int(k->b->c, "hidden_size", hidden);
    a[n++] = attr_string(k->b->c, "direction", node_string(k->n, "direction", "forward"));
    if (k->gates == 3)
        a[n++] = attr_int(k->b->c, "linear_before_reset", k->lbr);
    return n;
}

/* [N, D, H] and [D, N, H]; [N, T, I] and [T, N, I]. */
static Edge *turned(Build *b, Edge *x)
{
    return x->type.rank == 3 ? ov_to_order(b, x, 3, (int64_t[]){1, 0, 2}) : x;
}

static bool recurrent(Build *b, const Node *n, bool cell, Edge **out)
{
    const char *name = n->sig->name;
    Recurrent k = {.b = b, .n = n, .op = *name == 'R' ? "RNN" : *name == 'G' ? "GRU" : "LSTM", .cell = cell};
    k.gates = *name == 'R' ? 1 : *name == 'G' ? 3 : 4;
    k.lbr = k.gates == 3 && node_int(n, "linear_before_reset", 0);
    k.both = !strcmp(node_string(n, "direction", "forward"), "bidirectional");
    int nstates = k.gates == 4 ? 2 : 1, at = 1 + nstates + !cell;
    int64_t hidden = node_int(n, "hidden_size", 0);
    Type wt = n->in[at]->type, bt = n->nin > at + 2 && n->in[at + 2] ? n->in[at + 2]->type : (Type){.rank = 1 + !cell};
    if (hidden < 1 || hidden > 1 << 20 || wt.rank != 2 + !cell || wt.dims[!cell] != k.gates * hidden ||
        n->in[0]->type.rank != 2 + !cell || bt.rank != 1 + !cell ||
        (bt.dims && bt.dims[!cell] != (k.gates + k.lbr) * hidden)) {
        node_error(b, n, "%s of hidden size %lld do not go with w of %s", type_text(b->c, n->in[0]->type),
                   (long long)hidden, type_text(b->c, wt));
        return false;
    }
    if (k.gates == 4 && (node_int(n, "input_forget", 0) || (n->nin > at + 3 && n->in[at + 3]))) {
        node_error(b, n, "input_forget and peepholes are not supported");
        return false;
    }
    Edge *in[7] = {NULL};
    int64_t zero = 0;
    in[0] = cell ? build_op2(b, "Unsqueeze", n->in[0], build_ints(b, 1, &zero)) : turned(b, n->in[0]);
    in[1] = weights(&k, n->in[at], hidden);
    in[2] = weights(&k, n->in[at + 1], hidden);
    in[3] = bias(&k, n->nin > at + 2 ? n->in[at + 2] : NULL, hidden);
    in[4] = cell ? NULL : build_cast(b, n->in[at - 1], DT_I32);
    for (int i = 0; i < nstates; i++)
        in[5 + i] = cell ? build_op2(b, "Unsqueeze", n->in[1 + i], build_ints(b, 1, &zero)) : turned(b, n->in[1 + i]);
    Attr a[8];
    int nattrs = attrs_of(&k, hidden, a);
    Edge *got[3];
    build_op_n(b, k.op, 5 + nstates, in, nattrs, a, 1 + nstates, got);
    if (edge_poisoned(got[0]) || edge_poisoned(got[nstates]))
        return false;
    if (!cell)                       /* [T, D, N, H] to [N, D, T, H] */
        out[0] = ov_to_order(b, got[0], 4, (int64_t[]){2, 1, 0, 3});
    for (int i = 0; i < nstates; i++)
        if (i + !cell < n->nout)
            out[i + !cell] =
                cell ? build_op2(b, "Squeeze", got[1 + i], build_ints(b, 1, &zero)) : turned(b, got[1 + i]);
    return true;
}

bool ov_cell(Build *b, const Node *n, Edge **out)
{
    return recurrent(b, n, true, out);
}

bool ov_sequence(Build *b, const Node *n, Edge **out)
{
    return recurrent(b, n, false, out);
}
