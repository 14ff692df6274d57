/* TopK: the places of the K best elements, kept sorted while the axis is walked: an element that is better than the
 * last one kept moves those that it beats one place on. Of equal ones the first stays in front. NaN counts as the
 * greatest. The values are then read at those places. */
#include "meaning.h"

static bool top_k_of(Build *b, const Node *n, int *axis, int64_t *k)
{
    Type t = arg_type(n, 0);
    if (!node_axis(b, n, node_int(n, "axis", -1), t.rank, false, axis) || !arg_int(b, n, 1, k))
        return false;
    if (*k >= 0 && *k <= t.dims[*axis])
        return true;
    return node_error(b, n, "K = %lld: axis %d of X, %s, has %lld elements", (long long)*k, *axis, type_text(b->c, t),
                      (long long)t.dims[*axis]);
}

bool top_k_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int axis;
    int64_t k, dims[MAX_RANK];
    if (!top_k_of(b, n, &axis, &k))
        return false;
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    dims[axis] = k;
    out[0] = type_make(b->c, t.dt, t.rank, dims);
    out[1] = type_make(b->c, DT_I64, t.rank, dims);
    return true;
}

const Expr *beats(Ctx *c, bool largest, const Expr *x, const Expr *y)
{
    const Expr *better = expr_op2(c, largest ? OP_gt : OP_lt, x, y);
    if (!dtype_is_float(x->dt))
        return better;
    const Expr *nan = expr_op1(c, OP_isnan, largest ? x : y), *number = expr_op1(c, OP_isnan, largest ? y : x);
    return expr_op2(c, OP_or, better, expr_op2(c, OP_and, nan, expr_op1(c, OP_not, number)));
}

typedef struct Kept {
    Lower *l;
    Buf *places;
    int axis;
    int64_t n, k;
    bool largest;
    const Idx *at[MAX_RANK];
} Kept;

/* The number kept at place j. */
static const Expr *kept_place(Kept *s, const Idx *j)
{
    s->at[s->axis] = j;
    return expr_load_version(s->l->c, s->places, s->at, 1);
}

static const Stmt *keep(Kept *s, const Idx *j, const Expr *value)
{
    s->at[s->axis] = j;
    return stmt_store(s->l->c, s->places, s->at, value);
}

static const Expr *element(Kept *s, const Idx *i)
{
    s->at[s->axis] = i;
    return in_math(s->l, 0, s->at);
}

/* Element i beats the one kept at place j, or there is none. */
static const Expr *takes_place(Kept *s, const Idx *i, const Idx *j)
{
    Ctx *c = s->l->c;
    const Expr *free_place = expr_op2(c, OP_ge, expr_index(c, j), expr_index(c, i));
    const Expr *kept = element(s, clamped(c, kept_place(s, j), s->n));
    return expr_op2(c, OP_or, free_place, beats(c, s->largest, element(s, i), kept));
}

/* What is done with element i. */
static const Stmt *insertion(Kept *s, const Idx *i)
{
    Ctx *c = s->l->c;
    Sweep j, down;
    int64_t moves = s->k - 1;
    Buf *place = buf_new(c, BUF_LOCAL, "place", DT_I64, 0, NULL);
    const Expr *p = expr_load_version(c, place, NULL, 1), *one = expr_int(c, DT_I64, 1);
    sweep_open(c, &j, 1, &s->k);
    const Expr *before = expr_op1(c, OP_not, takes_place(s, i, j.i[0]));
    const Stmt *count = stmt_if(c, before, stmt_store(c, place, NULL, expr_op2(c, OP_add, p, one)), NULL);
    const Stmt *body[5] = {stmt_local(c, place), stmt_store(c, place, NULL, zero(c, DT_I64)),
                           sweep_around(c, &j, count)};
    int n = 3;
    if (moves > 0) {
        sweep_open(c, &down, 1, &moves);
        const Idx *to = idx_axpy(c, idx_const(c, moves), -1, down.i[0]);
        const Expr *moved = kept_place(s, idx_add(c, to, idx_const(c, -1)));
        const Expr *behind = expr_op2(c, OP_ge, expr_op2(c, OP_sub, expr_index(c, to), one), p);
        behind = expr_op2(c, OP_and, behind, expr_op2(c, OP_le, expr_index(c, to), expr_index(c, i)));
        body[n++] = sweep_around(c, &down, stmt_if(c, behind, keep(s, to, moved), NULL));
    }
    body[n++] = keep(s, clamped(c, p, s->k), expr_index(c, i));
    return stmt_if(c, takes_place(s, i, idx_const(c, s->k - 1)), stmt_seq(c, n, body), NULL);
}

void top_k(Lower *l)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0), r = l->node->out[0] ? out_type(l, 0) : out_type(l, 1);
    Kept s = {.l = l, .largest = node_int(l->node, "largest", 1) != 0};
    Sweep rows, along;
    int64_t dims[MAX_RANK];
    top_k_of(l->b, l->node, &s.axis, &s.k);
    s.n = t.dims[s.axis];
    s.places = l->out[1] ? l->out[1] : lower_temp(l, "places", DT_I64, r.rank, r.dims);
    memcpy(dims, r.dims, sizeof *dims * (size_t)r.rank);
    dims[s.axis] = 1;
    sweep_open(c, &rows, r.rank, dims);
    sweep_open(c, &along, 1, &s.n);
    memcpy(s.at, rows.i, sizeof *s.at * (size_t)r.rank);
    lower_nest(l, s.places, sweep_around(c, &rows, sweep_around(c, &along, insertion(&s, along.i[0]))));
    if (!l->out[0])
        return;
    const Idx *const *i = lower_vars(l, r.rank, r.dims);
    memcpy(s.at, i, sizeof *s.at * (size_t)r.rank);
    s.at[s.axis] = clamped(c, expr_load(c, s.places, i), s.n);
    lower_store(l, l->out[0], in_at(l, 0, s.at));
}
