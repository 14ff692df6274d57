/* NonMaxSuppression: for each class of each image the best box that is left is taken, then every box that overlaps it
 * too much is dropped, until as many are taken as are allowed. What becomes of a box is one number: 0 while it is left,
 * -1 when it is dropped, else when it was taken, from 1 on. The result is read from those numbers. */
#include "meaning.h"

/* How many boxes a class may have at most. */
static int64_t most_boxes(const Node *n)
{
    const Tensor *most = arg_known(n, 2);
    int64_t boxes = arg_type(n, 0).dims[1], given = most ? tensor_at_int(most, 0) : arg(n, 2) ? boxes : 0;
    return given < 0 ? 0 : given < boxes ? given : boxes;
}

bool nms_infer(Build *b, const Node *n, Type *out)
{
    Type boxes = arg_type(n, 0), scores = arg_type(n, 1);
    bool fits = boxes.rank == 3 && scores.rank == 3 && boxes.dims[2] == 4 && boxes.dims[0] == scores.dims[0] &&
                boxes.dims[1] == scores.dims[2];
    for (int k = 2; k < 5; k++)
        fits = fits && (!arg(n, k) || type_count(arg_type(n, k)) == 1);
    int64_t center = node_int(n, "center_point_box", 0), count;
    if (!fits || (center != 0 && center != 1))
        return node_error(b, n, "boxes is %s, scores is %s, center_point_box = %lld: they must be [N, B, 4], [N, C, B] "
                          "and 0 or 1, the thresholds single numbers", type_text(b->c, boxes), type_text(b->c, scores),
                          (long long)center);
    const int64_t all[3] = {scores.dims[0], scores.dims[1], most_boxes(n)};
    if (!dims_count(3, all, &count))
        count = INT64_MAX; /* make_type says so */
    return make_type(b, n, out, 0, DT_I64, 2, (int64_t[]){count, 3});
}

typedef struct Box {
    const Expr *low[2], *high[2], *area;
} Box;

static Box box_at(Lower *l, const Idx *image, const Idx *place)
{
    Ctx *c = l->c;
    Box b;
    for (int d = 0; d < 2; d++) {
        const Idx *at[3] = {image, place, idx_const(c, d)}, *to[3] = {image, place, idx_const(c, d + 2)};
        const Expr *p = in_at(l, 0, at), *q = in_at(l, 0, to), *half = expr_float(c, DT_F32, 0.5);
        bool center = node_int(l->node, "center_point_box", 0) != 0;
        q = center ? expr_op2(c, OP_mul, q, half) : q;
        b.low[d] = expr_op2(c, center ? OP_sub : OP_min, p, q);
        b.high[d] = expr_op2(c, center ? OP_add : OP_max, p, q);
    }
    b.area = expr_op2(c, OP_mul, expr_op2(c, OP_sub, b.high[0], b.low[0]), expr_op2(c, OP_sub, b.high[1], b.low[1]));
    return b;
}

/* They share more than the threshold of what they cover together. */
static const Expr *overlap(Lower *l, Box p, Box q)
{
    Ctx *c = l->c;
    const Expr *side[2], *none = zero(c, DT_F32), *most = arg(l->node, 3) ? lone(l, 3, DT_F32) : none;
    for (int d = 0; d < 2; d++)
        side[d] = expr_op2(c, OP_sub, expr_op2(c, OP_min, p.high[d], q.high[d]),
                           expr_op2(c, OP_max, p.low[d], q.low[d]));
    const Expr *shared = expr_op2(c, OP_mul, side[0], side[1]);
    const Expr *covered = expr_op2(c, OP_sub, expr_op2(c, OP_add, p.area, q.area), shared);
    const Expr *positive[5] = {side[0], side[1], p.area, q.area, covered}, *yes = NULL;
    for (int i = 0; i < 5; i++)
        yes = both(c, yes, expr_op2(c, OP_gt, positive[i], none));
    return both(c, yes, expr_op2(c, OP_gt, expr_op2(c, OP_div, shared, covered), most));
}

/* The best box of the class that is left, -1: none. */
static const Expr *best_box(Lower *l, const Buf *state, const Idx *const *class, int64_t boxes)
{
    Ctx *c = l->c;
    Sweep w;
    int accs[2] = {var_new(c), 0};
    accs[1] = var_new(c);
    sweep_open(c, &w, 1, &boxes);
    const Idx *at[3] = {class[0], class[1], w.i[0]};
    const Expr *score = in_at(l, 1, at), *best = expr_acc(c, accs[0], DT_F32), *place = expr_acc(c, accs[1], DT_I64);
    const Expr *left = expr_op2(c, OP_eq, expr_load_version(c, state, at, 1), zero(c, state->dt));
    if (arg(l->node, 4))
        left = expr_op2(c, OP_and, left, expr_op2(c, OP_gt, score, lone(l, 4, DT_F32)));
    const Expr *better = expr_op2(c, OP_or, expr_op2(c, OP_lt, place, i64(c, 0)), expr_op2(c, OP_gt, score, best));
    better = expr_op2(c, OP_and, left, better);
    const Expr *init[2] = {least(c, DT_F32), i64(c, -1)};
    const Expr *next[2] = {expr_select(c, better, score, best), expr_select(c, better, expr_index(c, w.i[0]), place)};
    return sweep_best(c, &w, init, accs, next, 1);
}

/* Step k of a class: takes the best box that is left and drops those that overlap it. */
static const Stmt *take(Lower *l, Buf *state, const Idx *const *class, const Idx *k, int64_t boxes)
{
    Ctx *c = l->c;
    Sweep w;
    Buf *best = buf_new(c, BUF_LOCAL, "best", DT_I64, 0, NULL);
    const Expr *found = expr_load_version(c, best, NULL, 1), *rank = expr_index(c, idx_add(c, k, idx_const(c, 1)));
    const Idx *at[3] = {class[0], class[1], clamped(c, found, boxes)};
    sweep_open(c, &w, 1, &boxes);
    const Idx *other[3] = {class[0], class[1], w.i[0]};
    const Expr *drop = expr_op2(c, OP_eq, expr_load_version(c, state, other, 1), zero(c, state->dt));
    drop = both(c, drop, overlap(l, box_at(l, class[0], at[2]), box_at(l, class[0], w.i[0])));
    const Stmt *body[2] = {stmt_store(c, state, at, expr_cast(c, state->dt, rank))};
    body[1] = sweep_around(c, &w, stmt_if(c, drop, stmt_store(c, state, other, expr_int(c, state->dt, -1)), NULL));
    const Stmt *step[3] = {stmt_local(c, best), stmt_store(c, best, NULL, best_box(l, state, class, boxes))};
    step[2] = stmt_if(c, expr_op2(c, OP_ge, found, i64(c, 0)), stmt_seq(c, 2, body), NULL);
    const Expr *wanted = expr_op2(c, OP_lt, expr_index(c, k), lone(l, 2, DT_I64));
    return stmt_if(c, wanted, stmt_seq(c, 3, step), NULL);
}

void nms(Lower *l)
{
    Ctx *c = l->c;
    Type scores = in_type(l, 1), t = out_type(l, 0);
    int64_t steps = most_boxes(l->node), boxes = scores.dims[2];
    Sweep w, k;
    if (steps == 0 || type_count(scores) == 0 || type_count(t) == 0) {
        true_dims(l, 0, 0, i64(c, 0));
        lower_store(l, l->out[0], i64(c, 0));
        return;
    }
    Buf *state = lower_temp(l, "state", steps <= INT16_MAX ? DT_I16 : DT_I32, 3, scores.dims);
    lower_vars(l, 3, scores.dims);
    lower_store(l, state, zero(c, state->dt));
    sweep_open(c, &w, 2, scores.dims);
    sweep_open(c, &k, 1, &steps);
    lower_nest(l, state, sweep_around(c, &w, sweep_around(c, &k, take(l, state, w.i, k.i[0], boxes))));
    sweep_open(c, &w, 3, scores.dims);
    const Expr *n = expr_cast(c, DT_I64, expr_op2(c, OP_gt, expr_load(c, state, w.i), zero(c, state->dt)));
    n = true_dims(l, 0, 0, sweep_reduce(c, &w, i64(c, 0), (Fold){OP_add, n, NULL}));
    /* those of one class in the order in which they were taken */
    Buf *row = buf_new(c, BUF_LOCAL, "row", DT_I64, 0, NULL);
    sweep_open(c, &w, 4, (int64_t[]){scores.dims[0], scores.dims[1], steps, boxes});
    const Idx *at[3] = {w.i[0], w.i[1], w.i[3]}, *to[2] = {clamped(c, expr_load_version(c, row, NULL, 1), t.dims[0])};
    const Stmt *put[3];
    for (int i = 0; i < 3; i++) {
        to[1] = idx_const(c, i);
        put[i] = stmt_store(c, l->out[0], to, expr_index(c, at[i]));
    }
    const Expr *taken = expr_cast(c, DT_I64, expr_load(c, state, at));
    taken = expr_op2(c, OP_eq, taken, expr_index(c, idx_add(c, w.i[2], idx_const(c, 1))));
    lower_nest(l, l->out[0], count_through(c, &w, row, taken, n, stmt_seq(c, 3, put)));
}
