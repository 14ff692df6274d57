/* Windows and Fourier transforms. The cosines of whole parts of a turn are tables. A transform is the plain sum,
 * element by element. */
#include "meaning.h"

/* ---- windows: a - b·cos(2πi/N) + c·cos(4πi/N) ---- */

bool window_values(Build *b, const Node *n, Edge **out)
{
    static const double factors[3][3] = {
        [HANN] = {0.5, 0.5, 0}, [HAMMING] = {25.0 / 46, 21.0 / 46, 0}, [BLACKMAN] = {0.42, 0.5, 0.08}};
    const double *f = factors[n->op->pick];
    int64_t size;
    DType dt = attr_type(n, "output_datatype", DT_F32);
    if (!arg_int(b, n, 0, &size))
        return false;
    if (size < 0 || size > 1 << 24 || dt == DT_NONE || !dtype_is_float(dt) || dtype_bits(dt) < 16)
        return unfit(b, n, "the size must be from 0 to 2^24, the type a float of at least 16 bits");
    int64_t period = node_int(n, "periodic", 1) ? size : size - 1;
    Tensor *t = tensor_new(b->c, type_make(b->c, dt, 1, &size));
    for (int64_t i = 0; i < size; i++) {
        int64_t k = period > 0 ? i : 0, of = period > 0 ? period : 1;
        table_put(t, i, f[0] - f[1] * turn_cos(k, of) + f[2] * turn_cos(2 * k, of));
    }
    out[0] = build_const(b, "window", t, n->loc);
    return true;
}

/* ---- MelWeightMatrix: triangles between places that are evenly spaced in mel, 2595·log10(1 + hertz/700) ---- */

bool mel_infer(Build *b, const Node *n, Type *out)
{
    int64_t bins, size;
    DType dt = attr_type(n, "output_datatype", DT_F32);
    if (!arg_int(b, n, 0, &bins) || !arg_int(b, n, 1, &size))
        return false;
    bool fits = bins >= 0 && size >= 0 && dt != DT_NONE && (dtype_is_int(dt) || dtype_is_float(dt));
    for (int k = 2; k < 5; k++)
        fits = fits && type_count(arg_type(n, k)) == 1;
    if (!fits || dtype_bits(dt) < (dtype_is_int(dt) ? 8 : 16))
        return unfit(b, n, "sizes must not be negative, the type a number, sample_rate and the edges single values");
    return make_type(b, n, out, 0, dt, 2, (int64_t[]){size / 2 + 1, bins});
}

/* ---- the sum ---- */

typedef struct Sum {
    int64_t n, terms; /* length of the transform; how many elements there are to sum up (others are 0) */
    bool inverse;
    const Expr *re, *im;         /* of the element; im NULL: real */
    const Idx *from, *to, *part; /* place in the sum, in the result, 0 real or 1 imaginary */
    int var;
} Sum;

/* cos (quarter = 0) or sin of from·to/n of a turn. */
static const Expr *turn_at(Lower *l, const Sum *s, DType dt, bool sine)
{
    Ctx *c = l->c;
    Tensor *t = tensor_new(c, type_make(c, dt, 1, &s->n));
    for (int64_t i = 0; i < s->n; i++)
        table_put(t, i, sine ? turn_cos(4 * i - s->n, 4 * s->n) : turn_cos(i, s->n));
    const Expr *k = expr_op2(c, OP_mul, expr_index(c, s->from), expr_index(c, s->to));
    const Idx *at = idx_value(c, expr_op2(c, OP_mod, k, expr_int(c, DT_I64, s->n)), 0, s->n - 1);
    return expr_load(c, lower_const(l, sine ? "sines" : "cosines", t), &at);
}

/* (re + i·im)·(cos - i·sin), the sine negated in the inverse, which is divided by n. */
static const Expr *dft_sum(Lower *l, const Sum *s)
{
    Ctx *c = l->c;
    DType dt = s->re->dt;
    Sweep w = {.n = 1, .vars = {s->var}, .extents = {s->terms}};
    const Expr *none = zero(c, dt), *co = turn_at(l, s, dt, false), *si = turn_at(l, s, dt, true);
    if (s->inverse)
        si = expr_op1(c, OP_neg, si);
    const Expr *re = expr_op2(c, OP_mul, s->re, co), *im = expr_op2(c, OP_mul, s->re, expr_op1(c, OP_neg, si));
    if (s->im) {
        re = expr_op3(c, OP_mad, s->im, si, re);
        im = expr_op3(c, OP_mad, s->im, co, im);
    }
    re = sweep_reduce(c, &w, none, (Fold){OP_add, re, NULL});
    im = sweep_reduce(c, &w, none, (Fold){OP_add, im, NULL});
    const Expr *y = expr_select(c, expr_in(c, s->part, 1), re, im);
    return s->inverse ? expr_op2(c, OP_div, y, expr_float(c, dt, (double)s->n)) : y;
}

/* ---- DFT ---- */

typedef struct Transform {
    int axis;
    int64_t n, out;
    bool real; /* from half of a spectrum back to real numbers */
} Transform;

static bool transform_of(Build *b, const Node *n, Transform *f)
{
    Type t = arg_type(n, 0);
    int64_t axis = -2;
    bool inverse = node_int(n, "inverse", 0) != 0, half = node_int(n, "onesided", 0) != 0;
    if (t.rank < 2 || (t.dims[t.rank - 1] != 1 && t.dims[t.rank - 1] != 2))
        return unfit(b, n, "the last dimension of the input must be 1 (real numbers) or 2 (real, imaginary part)");
    if ((arg(n, 2) && !arg_int(b, n, 2, &axis)) || !node_axis(b, n, axis, t.rank, false, &f->axis))
        return false;
    f->real = inverse && half;
    f->n = f->real ? 2 * (t.dims[f->axis] - 1) : t.dims[f->axis];
    if (arg(n, 1) && !arg_int(b, n, 1, &f->n))
        return false;
    if (f->axis == t.rank - 1 || f->n < 1 || f->n > 1 << 24)
        return unfit(b, n, "the axis must not be the last, the length, %lld, from 1 to 2^24", (long long)f->n);
    f->out = half && !inverse ? f->n / 2 + 1 : f->n;
    return true;
}

bool dft_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    Transform f;
    int64_t dims[MAX_RANK];
    if (!transform_of(b, n, &f))
        return false;
    memcpy(dims, t.dims, sizeof *dims * (size_t)t.rank);
    dims[f.axis] = f.out;
    dims[t.rank - 1] = f.real ? 1 : 2;
    return make_type(b, n, out, 0, t.dt, t.rank, dims);
}

/* Part 0 or 1 of the element; 0 unless inside. */
static const Expr *part_at(Lower *l, const Idx **at, int64_t part, const Expr *inside)
{
    at[in_type(l, 0).rank - 1] = idx_const(l->c, part);
    const Expr *x = in_math(l, 0, at);
    return inside ? expr_select(l->c, inside, x, zero(l->c, x->dt)) : x;
}

const Expr *dft_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    Transform f;
    const Idx *at[MAX_RANK];
    transform_of(l->b, l->node, &f);
    int64_t given = t.dims[f.axis], terms = given < f.n ? given : f.n, whole = f.real ? f.n : terms;
    Sum s = {.n = f.n, .terms = whole, .inverse = node_int(l->node, "inverse", 0) != 0, .to = i[f.axis],
             .part = f.real ? idx_const(c, 0) : i[t.rank - 1], .var = var_new(c)};
    memcpy(at, i, sizeof *at * (size_t)t.rank);
    s.from = idx_var(c, s.var, s.terms);
    const Idx *place = s.from;
    const Expr *mirrored = NULL;
    if (f.real) { /* the other half: conjugates, backwards */
        int64_t half = f.n / 2 + 1;
        const Idx *back = idx_axpy(c, idx_const(c, f.n), -1, s.from);
        place = clamped(c, expr_op2(c, OP_min, expr_index(c, s.from), expr_index(c, back)), half);
        mirrored = expr_op1(c, OP_not, expr_in(c, s.from, half));
    }
    const Expr *inside = guarded_place(c, place, given, NULL, &at[f.axis]);
    s.re = part_at(l, at, 0, inside);
    s.im = t.dims[t.rank - 1] == 2 ? part_at(l, at, 1, inside) : NULL;
    if (s.im && mirrored)
        s.im = expr_select(c, mirrored, expr_op1(c, OP_neg, s.im), s.im);
    return dft_sum(l, &s);
}

/* ---- STFT: transforms of frames, each times the window ---- */

static bool stft_of(Build *b, const Node *n, int64_t *step, int64_t *length)
{
    Type t = arg_type(n, 0);
    Type w = arg(n, 2) ? arg_type(n, 2) : (Type){DT_F32, 1, (int64_t[]){0}};
    *length = w.rank == 1 ? w.dims[0] : 0;
    if (!arg_int(b, n, 1, step) || (arg(n, 3) && !arg_int(b, n, 3, length)))
        return false;
    bool fits = (t.rank == 2 || (t.rank == 3 && (t.dims[2] == 1 || t.dims[2] == 2))) && *step >= 1 && *length >= 1 &&
                *length <= t.dims[1] && (!arg(n, 2) || (w.rank == 1 && w.dims[0] == *length)) && *length <= 1 << 24;
    return fits || unfit(b, n, "the signal must be [N, length, 1 or 2], no shorter than a frame; the window has the "
                         "frame's length, the step is at least 1");
}

bool stft_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t step, length;
    if (!stft_of(b, n, &step, &length))
        return false;
    int64_t bins = node_int(n, "onesided", 1) ? length / 2 + 1 : length;
    int64_t dims[4] = {t.dims[0], (t.dims[1] - length) / step + 1, bins, 2};
    return make_type(b, n, out, 0, t.dt, 4, dims);
}

const Expr *stft_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    Type t = in_type(l, 0);
    int64_t step, length;
    stft_of(l->b, l->node, &step, &length);
    Sum s = {.n = length, .terms = length, .to = i[2], .part = i[3], .var = var_new(c)};
    s.from = idx_var(c, s.var, s.terms);
    const Idx *at[3] = {i[0], idx_axpy(c, s.from, step, i[1]), idx_const(c, 0)};
    const Expr *weight = arg(l->node, 2) ? in_math(l, 2, &s.from) : NULL;
    for (int64_t k = 0; k < (t.rank == 3 ? t.dims[2] : 1); k++) {
        at[2] = idx_const(c, k);
        const Expr *x = in_math(l, 0, at);
        *(k ? &s.im : &s.re) = weight ? expr_op2(c, OP_mul, x, weight) : x;
    }
    return dft_sum(l, &s);
}
