/* RNN, GRU, LSTM: a state of `hidden` elements goes through the steps of a sequence, a nest for each direction. What
 * one step makes of a state is the operator's own (a Kind); the rest is shared. All works on one buffer, since a kernel
 * fills only one: its rows are the state before each step and after the last (only two rows where the steps are not
 * asked for), then, with LSTM, the cell's value, with GRU the state as the reset gate lets it through. A sequence that
 * is shorter than the longest keeps its state in the steps beyond its end. Everything is held in float at least. */
#include "meaning.h"

typedef const Expr *E;
typedef struct Recurrent Recurrent;
typedef const Stmt *Cell(Recurrent *); /* for element j of the state of sequence b */
typedef struct Kind {
    int gates, nacts;
    const char *acts[3];
    Cell *prepare, *cell;
} Kind;
struct Recurrent {
    Lower *l;
    Ctx *c;
    const Kind *kind;
    int64_t time, batch, input, hidden, dirs;
    bool layout, backward, all;        /* layout: batch first; all: each state has its row */
    DType dt;
    struct Chosen {
        const Activation *f;
        double alpha, beta;
    } acts[6], *act;                   /* act: of this direction */
    Buf *work;
    const Idx *dir, *t, *j, *b, *before, *after, *extra; /* direction, place in time, element, sequence; rows */
};

/* ---- inference ---- */

static bool activations_of(Build *b, const Node *n, Recurrent *s)
{
    const Attr *names = node_attr(n, "activations"), *alpha = node_attr(n, "activation_alpha"),
               *beta = node_attr(n, "activation_beta");
    int alphas = 0, betas = 0, count = s->kind->nacts * (int)s->dirs;
    if (names && names->n < count)
        return node_error(b, n, "activations has %d names: %d are needed, %d a direction", names->n, count,
                          s->kind->nacts);
    for (int k = 0; k < count; k++) {
        const char *name = names ? names->strings[k] : s->kind->acts[k % s->kind->nacts];
        const Activation *f = activation_find(name);
        if (!f)
            return node_error(b, n, "activation \"%s\" is unknown: it is Relu, Tanh, Sigmoid, Affine, LeakyRelu, Elu, "
                              "ThresholdedRelu, ScaledTanh, HardSigmoid, Softsign or Softplus", name);
        bool given[2] = {f->takes_alpha && alpha && alphas < alpha->n, f->takes_beta && beta && betas < beta->n};
        s->acts[k] = (struct Chosen){f, (double)(given[0] ? alpha->floats[alphas++] : f->alpha),
                                         (double)(given[1] ? beta->floats[betas++] : f->beta)};
    }
    return true;
}

static bool recurrent_of(Build *b, const Node *n, const Kind *kind, Recurrent *s)
{
    Type x = arg_type(n, 0), r = arg_type(n, 2);
    const char *direction = node_string(n, "direction", "forward");
    int64_t layout = node_int(n, "layout", 0), dirs = strcmp(direction, "bidirectional") == 0 ? 2 : 1, h, g;
    bool backward = strcmp(direction, "reverse") == 0;
    if ((layout != 0 && layout != 1) || x.rank != 3 || r.rank != 3)
        return node_error(b, n, "X is %s, R is %s, layout = %lld: X and R have 3 dimensions, and layout is 0 or 1",
                          type_text(b->c, x), type_text(b->c, r), (long long)layout);
    *s = (Recurrent){.c = b->c, .kind = kind, .time = x.dims[layout], .batch = x.dims[!layout], .input = x.dims[2],
                     .hidden = r.dims[2], .dirs = dirs, .layout = layout, .backward = backward, .dt = math_type(x.dt)};
    h = s->hidden;
    g = kind->gates;
    if (node_int(n, "hidden_size", h) != h)
        return node_error(b, n, "hidden_size = %lld, but R is %s: its last dimension is the hidden size",
                          (long long)node_int(n, "hidden_size", 0), type_text(b->c, r));
    const Type state = {DT_F32, 3, (int64_t[]){layout ? s->batch : dirs, layout ? dirs : s->batch, h}};
    const Type want[8] = {x, {DT_F32, 3, (int64_t[]){dirs, g * h, s->input}}, {DT_F32, 3, (int64_t[]){dirs, g * h, h}},
                          {DT_F32, 2, (int64_t[]){dirs, 2 * g * h}}, {DT_F32, 1, &s->batch}, state, state,
                          {DT_F32, 2, (int64_t[]){dirs, 3 * h}}};
    for (int k = 0; k < n->nin; k++)
        if (arg(n, k) && !same_dims(arg_type(n, k), want[k]))
            return node_error(b, n, "%s is %s: with X %s, %lld direction%s and hidden size %lld (the last dimension of "
                              "R) it must be %s", n->sig->in[k].name, type_text(b->c, arg_type(n, k)),
                              type_text(b->c, x), (long long)dirs, dirs == 1 ? "" : "s", (long long)h,
                              dims_text(b->c, want[k].rank, want[k].dims));
    return activations_of(b, n, s);
}

static bool recurrent_infer(Build *b, const Node *n, const Kind *kind, Type *out)
{
    Recurrent s;
    if (!recurrent_of(b, n, kind, &s))
        return false;
    const int64_t y[2][4] = {{s.time, s.dirs, s.batch, s.hidden}, {s.batch, s.time, s.dirs, s.hidden}};
    const int64_t last[2][3] = {{s.dirs, s.batch, s.hidden}, {s.batch, s.dirs, s.hidden}};
    bool good = true;
    for (int k = 0; k < n->nout; k++)
        good = good && make_type(b, n, out, k, arg_type(n, 0).dt, k ? 3 : 4, k ? last[s.layout] : y[s.layout]);
    return good;
}

/* ---- pieces of a step ---- */

static E held(Recurrent *s, const Idx *row, const Idx *j)
{
    return expr_load_version(s->c, s->work, (const Idx *[]){s->dir, row, s->b, j}, 1);
}

static const Stmt *set(Recurrent *s, const Idx *row, E value)
{
    return stmt_store(s->c, s->work, (const Idx *[]){s->dir, row, s->b, s->j}, value);
}

static E given(Recurrent *s, int k, const Idx *const *at)
{
    return arg(s->l->node, k) ? expr_cast(s->c, s->dt, in_math(s->l, k, at)) : zero(s->c, s->dt);
}

/* Of part g of operand k: what belongs to element j, and, of weights, to element i of a vector. */
static E operand(Recurrent *s, int k, int64_t g, const Idx *i)
{
    return given(s, k, (const Idx *[]){s->dir, idx_add(s->c, s->j, idx_const(s->c, g * s->hidden)), i});
}

/* first + gate g's weights, operand 1, times what comes in, or operand 2, times row `row`. */
static E weighed(Recurrent *s, int k, int g, const Idx *row, E first)
{
    Sweep w;
    sweep_open(s->c, &w, 1, k == 1 ? &s->input : &s->hidden);
    const Idx *x[3] = {s->layout ? s->b : s->t, s->layout ? s->t : s->b, w.i[0]};
    E v = k == 1 ? given(s, 0, x) : held(s, row, w.i[0]);
    return sweep_reduce(s->c, &w, first, (Fold){OP_mad, v, operand(s, k, g, w.i[0])});
}

static E gate_sum(Recurrent *s, int g, const Idx *row)
{
    E bias = formula(s->c, "a + b", operand(s, 3, g, NULL), operand(s, 3, s->kind->gates + g, NULL));
    return weighed(s, 2, g, row, weighed(s, 1, g, NULL, bias));
}

/* Activation k of x, which is clipped before; a cell's value is not. */
static E active(Recurrent *s, int k, E x)
{
    double clip = k < 2 ? (double)node_float(s->l->node, "clip", 0) : 0;
    if (clip > 0)
        x = expr_op3(s->c, OP_clip, x, expr_float(s->c, s->dt, -clip), expr_float(s->c, s->dt, clip));
    return activated(s->c, s->act[k].f, x, s->act[k].alpha, s->act[k].beta);
}

/* ---- the three ---- */

static const Stmt *rnn_cell(Recurrent *s)
{
    return set(s, s->after, active(s, 0, gate_sum(s, 0, s->before)));
}

static const Stmt *gru_prepare(Recurrent *s)
{
    E r = active(s, 0, gate_sum(s, 1, s->before));
    return set(s, s->extra, formula(s->c, "a * b", r, held(s, s->before, s->j)));
}

static const Stmt *gru_update(Recurrent *s, E h)
{
    E z = active(s, 0, gate_sum(s, 0, s->before)), past = held(s, s->before, s->j);
    return set(s, s->after, formula(s->c, "(1 - a) * b + a * c", z, active(s, 1, h), past));
}

static const Stmt *gru_cell(Recurrent *s)
{
    return gru_update(s, gate_sum(s, 2, s->extra));
}

static const Stmt *gru_late_cell(Recurrent *s) /* which resets after the product */
{
    E r = active(s, 0, gate_sum(s, 1, s->before)), past = weighed(s, 2, 2, s->before, operand(s, 3, 5, NULL));
    return gru_update(s, formula(s->c, "a + b * c", weighed(s, 1, 2, NULL, operand(s, 3, 2, NULL)), r, past));
}

/* Gate g, which sees the cell through peephole g. */
static E lstm_gate(Recurrent *s, int g)
{
    E x = gate_sum(s, g, s->before), seen = held(s, s->extra, s->j);
    return active(s, 0, arg(s->l->node, 7) ? formula(s->c, "a + b * c", x, operand(s, 7, g, NULL), seen) : x);
}

static const Stmt *lstm_cell(Recurrent *s)
{
    E in = lstm_gate(s, 0), fresh = active(s, 1, gate_sum(s, 3, s->before)), cell = held(s, s->extra, s->j);
    E forget = node_int(s->l->node, "input_forget", 0) ? formula(s->c, "1 - a", in) : lstm_gate(s, 2);
    const Stmt *both[2] = {set(s, s->extra, formula(s->c, "a * b + c * d", forget, cell, in, fresh))};
    both[1] = set(s, s->after, formula(s->c, "a * b", lstm_gate(s, 1), active(s, 2, cell)));  /* sees the new cell */
    return stmt_seq(s->c, 2, both);
}

static const Kind rnn_kind = {1, 1, {"Tanh"}, NULL, rnn_cell},
                  gru_kind = {3, 2, {"Sigmoid", "Tanh"}, gru_prepare, gru_cell},
                  gru_late = {3, 2, {"Sigmoid", "Tanh"}, NULL, gru_late_cell},
                  lstm_kind = {4, 3, {"Sigmoid", "Tanh", "Tanh"}, NULL, lstm_cell};

/* ---- the whole ---- */

static const Stmt *each(Recurrent *s, Cell *f)
{
    Sweep w;
    sweep_open(s->c, &w, 2, (int64_t[]){s->hidden, s->batch});
    s->j = w.i[0];
    s->b = w.i[1];
    return sweep_around(s->c, &w, f(s));
}

/* What there is within a sequence's length, and beyond it. */
static E within(Recurrent *s)
{
    return formula(s->c, "a < int64(b)", expr_index(s->c, s->t), in_at(s->l, 4, &s->b));
}

static const Stmt *start(Recurrent *s)
{
    const Stmt *body[2];
    const Idx *at[3] = {s->layout ? s->b : s->dir, s->layout ? s->dir : s->b, s->j};
    for (int k = 0; k < 2; k++)
        body[k] = set(s, k == 0 ? s->before : s->extra, given(s, 5 + k, at));
    return stmt_seq(s->c, s->kind == &lstm_kind ? 2 : 1, body);
}

static const Stmt *step(Recurrent *s)
{
    const Stmt *cell = s->kind->cell(s), *keep = set(s, s->after, held(s, s->before, s->j));
    return arg(s->l->node, 4) ? stmt_if(s->c, within(s), cell, keep) : cell;
}

static const Stmt *carry(Recurrent *s)
{
    return set(s, s->before, held(s, s->after, s->j));
}

/* Output k, of direction s->dir. */
static void publish(Recurrent *s, int k, bool back)
{
    Ctx *c = s->c;
    const int64_t dims[3] = {s->batch, s->hidden, s->time};
    int rank = k == 0 ? 3 : 2;
    const Idx *const *v = lower_vars(s->l, rank, dims), *row = k == 1 ? idx_const(c, s->all ? s->time : 0) : s->extra;
    s->b = v[0];
    if (k == 0) {
        s->t = v[2];
        row = back ? idx_axpy(c, idx_const(c, s->time), -1, s->t) : idx_add(c, s->t, idx_const(c, 1));
    }
    const Idx *y[2][4] = {{s->t, s->dir, s->b, v[1]}, {s->b, s->t, s->dir, v[1]}};
    const Idx *last[2][3] = {{s->dir, s->b, v[1]}, {s->b, s->dir, v[1]}};
    E value = expr_load(c, s->work, (const Idx *[]){s->dir, row, s->b, v[1]});
    if (k == 0 && arg(s->l->node, 4))
        value = expr_select(c, within(s), value, zero(c, s->dt));
    lower_store_at(s->l, s->l->out[k], rank, dims, k == 0 ? y[s->layout] : last[s->layout], value);
}

static void recurrent(Lower *l, const Kind *kind)
{
    Recurrent s;
    Ctx *c = l->c;
    Sweep w;
    recurrent_of(l->b, l->node, kind, &s);
    s.l = l;
    s.all = l->out[0] || s.time <= 1;
    s.extra = idx_const(c, s.all ? s.time + 1 : 2);
    s.work = lower_temp(l, "states", s.dt, 4, (int64_t[]){s.dirs, s.extra->k + (kind == &lstm_kind || kind->prepare),
                                                          s.batch, s.hidden});
    for (int d = 0; d < s.dirs; d++) {
        bool back = s.backward || d == 1;
        const Idx *one = idx_const(c, 1);
        const Stmt *nest[2], *body[3];
        int n = 0;
        s.dir = idx_const(c, d);
        s.act = &s.acts[d * kind->nacts];
        s.before = idx_const(c, 0);
        nest[0] = each(&s, start);
        sweep_open(c, &w, 1, &s.time);
        s.t = back ? idx_axpy(c, idx_const(c, s.time - 1), -1, w.i[0]) : w.i[0];
        s.before = s.all ? w.i[0] : s.before;
        s.after = s.all ? idx_add(c, w.i[0], one) : one;
        if (kind->prepare)
            body[n++] = each(&s, kind->prepare);
        body[n++] = each(&s, step);
        if (!s.all)
            body[n++] = each(&s, carry);
        nest[1] = sweep_around(c, &w, stmt_seq(c, n, body));
        lower_nest(l, s.work, stmt_seq(c, 2, nest));
        for (int k = 0; k < l->node->nout; k++)
            if (l->out[k])
                publish(&s, k, back);
    }
}

bool rnn_infer(Build *b, const Node *n, Type *out) { return recurrent_infer(b, n, &rnn_kind, out); }
bool gru_infer(Build *b, const Node *n, Type *out) { return recurrent_infer(b, n, &gru_kind, out); }
bool lstm_infer(Build *b, const Node *n, Type *out) { return recurrent_infer(b, n, &lstm_kind, out); }
void rnn(Lower *l) { recurrent(l, &rnn_kind); }
void gru(Lower *l) { recurrent(l, node_int(l->node, "linear_before_reset", 0) ? &gru_late : &gru_kind); }
void lstm(Lower *l) { recurrent(l, &lstm_kind); }
