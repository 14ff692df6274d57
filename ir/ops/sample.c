/* Sampling between the pixels at places that data name: GridSample, RoiAlign, MaxRoiPool, DeformConv. A coordinate x
 * (float, in pixels) reads the pixels around it; where one of these lies outside it weighs nothing, or another stands for
 * it. Coordinates are computed once and stored, then read for each channel. Indices out of them are clamped, so that no
 * number, NaN included, leaves the image. */
#include "meaning.h"

typedef enum Border { BORDER_ZEROS, BORDER_EDGE, BORDER_REFLECT } Border;

static const Expr *num(Ctx *c, DType dt, double v)
{
    return expr_float(c, dt, v);
}

/* floor(x) + k as an index, from -2 - 4 to n + 1 + 4 at most, what lies beyond drawn in. */
static const Expr *tap_place(Ctx *c, const Expr *x, int64_t n, const Expr *k)
{
    const Expr *low = expr_op1(c, OP_floor, x);
    low = expr_op3(c, OP_clip, low, num(c, x->dt, -6), num(c, x->dt, (double)n + 5));
    return expr_op2(c, OP_add, expr_cast(c, DT_I64, low), k);
}

static const Idx *tap_index(Ctx *c, const Expr *place, int64_t n)
{
    place = expr_op2(c, OP_max, place, zero(c, DT_I64));
    return idx_value(c, expr_op2(c, OP_min, place, expr_int(c, DT_I64, n - 1)), 0, n - 1);
}

static const Expr *tap_inside(Ctx *c, const Expr *place, int64_t n)
{
    const Expr *low = expr_op2(c, OP_ge, place, zero(c, DT_I64));
    return expr_op2(c, OP_and, low, expr_op2(c, OP_lt, place, expr_int(c, DT_I64, n)));
}

/* x (or a whole place) reflected at lo and hi until it lies between them. */
static const Expr *reflected(Ctx *c, const Expr *x, double lo, double hi)
{
    double range = hi - lo;
    if (range <= 0)
        return num(c, x->dt, lo);
    const Expr *away = expr_op1(c, OP_abs, expr_op2(c, OP_sub, x, num(c, x->dt, lo)));
    const Expr *turns = expr_op1(c, OP_floor, expr_op2(c, OP_div, away, num(c, x->dt, range)));
    const Expr *rest = expr_op2(c, OP_sub, away, expr_op2(c, OP_mul, turns, num(c, x->dt, range)));
    const Expr *half = expr_op2(c, OP_mul, turns, num(c, x->dt, 0.5));
    const Expr *even = expr_op2(c, OP_eq, half, expr_op1(c, OP_floor, half));
    const Expr *back = expr_op2(c, OP_sub, num(c, x->dt, range), rest);
    return expr_op2(c, OP_add, num(c, x->dt, lo), expr_select(c, even, rest, back));
}

/* ---- GridSample ---- */

typedef struct Grid {
    int rank, taps;              /* spatial dimensions; pixels per dimension that are read */
    Border border;
    bool corners, nearest;
} Grid;

static bool grid_of(Build *b, const Node *n, Grid *g)
{
    static const char *const borders[] = {"zeros", "border", "reflection"};
    Type x = arg_type(n, 0), grid = arg_type(n, 1);
    const char *mode = node_string(n, "mode", "linear"), *border = node_string(n, "padding_mode", "zeros");
    bool linear = strcmp(mode, "linear") == 0 || strcmp(mode, "bilinear") == 0, fits = x.rank >= 3 && grid.rank == x.rank;
    int found = -1;
    *g = (Grid){.rank = x.rank - 2, .corners = node_int(n, "align_corners", 0) != 0};
    g->nearest = strcmp(mode, "nearest") == 0;
    g->taps = g->nearest ? 1 : linear ? 2 : 4;
    for (int i = 0; i < COUNT(borders); i++)
        found = strcmp(border, borders[i]) == 0 ? i : found;
    if (found < 0 || (g->taps == 4 && strcmp(mode, "cubic") != 0 && strcmp(mode, "bicubic") != 0)) {
        node_error(b, n, "mode = \"%s\", padding_mode = \"%s\": they must be linear, nearest or cubic, and zeros, border "
                         "or reflection",
                   mode, border);
        return false;
    }
    g->border = (Border)found;
    fits = fits && grid.dims[grid.rank - 1] == g->rank && x.dims[0] == grid.dims[0];
    for (int k = 2; fits && k < x.rank; k++)
        fits = x.dims[k] > 0 && x.dims[k] < 1 << 23;
    if (!fits)
        node_error(b, n, "X is %s, grid is %s: they must be [N, C, d1 … dr] and [N, o1 … or, r]", type_text(b->c, x),
                   type_text(b->c, grid));
    return fits;
}

bool grid_sample_infer(Build *b, const Node *n, Type *out)
{
    Type x = arg_type(n, 0), grid = arg_type(n, 1);
    Grid g;
    int64_t dims[MAX_RANK];
    if (!grid_of(b, n, &g))
        return false;
    dims[0] = x.dims[0];
    dims[1] = x.dims[1];
    memcpy(dims + 2, grid.dims + 1, sizeof *dims * (size_t)g.rank);
    return make_type(b, n, out, 0, x.dt, x.rank, dims);
}

/* The coordinate in pixels of dimension d that the grid names: its last element is of the first dimension. */
static const Expr *grid_coordinate(Lower *l, const Grid *g, int d, const Idx *const *i)
{
    Ctx *c = l->c;
    int64_t n = in_type(l, 0).dims[d + 2];
    const Idx *at[MAX_RANK];
    memcpy(at, i, sizeof *at * (size_t)(g->rank + 1));
    at[g->rank + 1] = idx_const(c, g->rank - 1 - d);
    const Expr *x = expr_cast(c, DT_F32, in_math(l, 1, at)), *one = num(c, DT_F32, 1), *half = num(c, DT_F32, 0.5);
    x = expr_op2(c, OP_add, x, one);
    if (g->corners) {
        x = expr_op2(c, OP_mul, expr_op2(c, OP_mul, x, half), num(c, DT_F32, (double)(n - 1)));
    } else {
        x = expr_op2(c, OP_sub, expr_op2(c, OP_mul, x, num(c, DT_F32, (double)n)), one);
        x = expr_op2(c, OP_mul, x, half);
    }
    if (g->nearest)
        x = expr_op1(c, OP_rint, x);
    if (g->border == BORDER_EDGE)
        return expr_op3(c, OP_clip, x, num(c, DT_F32, 0), num(c, DT_F32, (double)(n - 1)));
    if (g->border == BORDER_ZEROS)
        return x;
    double lo = g->corners ? 0 : -0.5, hi = g->corners ? (double)(n - 1) : (double)n - 0.5;
    const Expr *out = expr_op2(c, OP_or, expr_op2(c, OP_lt, x, num(c, DT_F32, lo)),
                               expr_op2(c, OP_gt, x, num(c, DT_F32, hi)));
    return expr_select(c, out, reflected(c, x, lo, hi), x);
}

static const Expr *cubic_at(Ctx *c, const Expr *x, bool far)
{
    const double a = -0.75;
    const Expr *y;
    if (far) {
        y = expr_op2(c, OP_sub, expr_op2(c, OP_mul, x, num(c, x->dt, a)), num(c, x->dt, 5 * a));
        y = expr_op2(c, OP_add, expr_op2(c, OP_mul, y, x), num(c, x->dt, 8 * a));
        return expr_op2(c, OP_sub, expr_op2(c, OP_mul, y, x), num(c, x->dt, 4 * a));
    }
    y = expr_op2(c, OP_sub, expr_op2(c, OP_mul, x, num(c, x->dt, a + 2)), num(c, x->dt, a + 3));
    return expr_op2(c, OP_add, expr_op2(c, OP_mul, expr_op2(c, OP_mul, y, x), x), num(c, x->dt, 1));
}

/* What tap k, `k` places behind the first, weighs, x being past the pixel floor(x) by `rest`. */
static const Expr *tap_weight(Ctx *c, const Grid *g, const Expr *rest, const Idx *k)
{
    const Expr *one = num(c, rest->dt, 1);
    if (g->taps == 1)
        return one;
    const Expr *away = expr_op2(c, OP_sub, rest, expr_cast(c, rest->dt, expr_index(c, k)));
    if (g->taps == 2)
        return expr_op2(c, OP_sub, one, expr_op1(c, OP_abs, away));
    away = expr_op1(c, OP_abs, expr_op2(c, OP_add, away, one));
    const Expr *near = expr_op2(c, OP_le, away, one);
    return expr_select(c, near, cubic_at(c, away, false), cubic_at(c, away, true));
}

void grid_sample(Lower *l)
{
    Ctx *c = l->c;
    Type x = in_type(l, 0), y = out_type(l, 0);
    DType dt = math_type(x.dt) == DT_F64 ? DT_F64 : DT_F32;
    Grid g;
    Sweep s;
    int64_t dims[MAX_RANK], taps[MAX_RANK];
    const Buf *coordinates[MAX_RANK];
    const Expr *weight = NULL;
    const Idx *at[MAX_RANK], *place[MAX_RANK];
    grid_of(l->b, l->node, &g);
    dims[0] = y.dims[0];
    memcpy(dims + 1, y.dims + 2, sizeof *dims * (size_t)g.rank);
    for (int d = 0; d < g.rank; d++) {
        Buf *t = lower_temp(l, internf(c, "x%d", d), DT_F32, g.rank + 1, dims);
        lower_store(l, t, grid_coordinate(l, &g, d, lower_vars(l, g.rank + 1, dims)));
        coordinates[d] = t;
        taps[d] = g.taps;
    }
    const Idx *const *i = lower_vars(l, y.rank, y.dims);
    sweep_open(c, &s, g.rank, taps);
    place[0] = at[0] = i[0];
    at[1] = i[1];
    memcpy(place + 1, i + 2, sizeof *place * (size_t)g.rank);
    for (int d = 0; d < g.rank; d++) {
        int64_t n = x.dims[d + 2];
        const Expr *p = expr_load(c, coordinates[d], place), *rest = expr_op2(c, OP_sub, p, expr_op1(c, OP_floor, p));
        const Expr *k = expr_index(c, idx_add(c, s.i[d], idx_const(c, g.taps == 4 ? -1 : 0)));
        const Expr *w = expr_cast(c, dt, tap_weight(c, &g, rest, s.i[d]));
        p = tap_place(c, p, n, k);
        if (g.border == BORDER_ZEROS) {
            w = expr_select(c, tap_inside(c, p, n), w, zero(c, dt));
        } else if (g.border == BORDER_REFLECT) {
            double lo = g.corners ? 0 : -0.5, hi = g.corners ? (double)(n - 1) : (double)n - 0.5;
            const Expr *folded = expr_cast(c, DT_I64, reflected(c, expr_cast(c, DT_F32, p), lo, hi));
            p = expr_select(c, tap_inside(c, p, n), p, folded);
        }
        at[d + 2] = tap_index(c, p, n);
        weight = weight ? expr_op2(c, OP_mul, weight, w) : w;
    }
    const Expr *v = expr_cast(c, dt, in_math(l, 0, at));
    lower_store(l, l->out[0], sweep_reduce(c, &s, zero(c, dt), (Fold){OP_mad, weight, v}));
}
