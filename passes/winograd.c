/* winograd: filters of 3 × 3 taps by minimal filtering: fewer products, more sums.
 *
 * A kernel that slides over an image, one element at a time, becomes three: tiles of the image are transformed, for
 * each of the n × n places of a tile the channels are summed with weights (a product of matrices, which `tile`
 * takes), and tiles of m × m outputs are transformed back, with all else that the kernel computed. The weights are
 * transformed when compiled, in double, rounded once. Sums round otherwise than before. Only with --fast-math, and
 * where that is estimated to be faster. Tiles take much more room than rows in rings: with --stream a filter has them
 * only where no chain would have it and the peak of the arena stays what it is.
 *
 * Requires: layout (channels innermost). Breaks: nothing; the transforms are nests. */
#include "stream.h"
#include "winograd.h"

enum { CHANNELS_FEWEST = 8, CHANNELS_EVEN = 4 };
static const double SUM_TIME = 1.2;          /* of a sum, load or store in a transform, in products */
static const double NEAR = 256 * 1024;       /* elements that stay near */
static const double PAYS = 0.9;              /* of the time of direct sums */
static const double WEIGHTS_MOST = 16e6;     /* elements */

typedef struct Rewriting {
    Ctx *c;
    const Target *target;
    VEC(const Kernel *) kernels;
    VEC(Buf *) bufs;
} Rewriting;

/* ---- costs --------------------------------------------------------------------------------------------------- */

/* Of fetching n elements once, in products. */
static double fetched(double n)
{
    return n > NEAR ? 4 * n : n;
}

static double direct_time(const Filter *f)
{
    const double weights = (double)f->in * (double)f->out * TAPS * TAPS;
    return weights * (double)filter_tiles(f, 1) + fetched(weights);
}

static double time_by(const Filter *f, int m)
{
    const double in = (double)f->in, out = (double)f->out, tiles = (double)filter_tiles(f, m);
    const double places = (m + TAPS - 1) * (m + TAPS - 1), far = tiles * places * (in + out) > NEAR ? 2 : 0;
    const double ins = (m == 2 ? 4 : 6) + far, outs = (m == 2 ? 3 : 5) + far;    /* sums, loads, stores of a place */
    const double weights = places * in * out;
    return weights * tiles + fetched(weights) + SUM_TIME * tiles * places * (in * ins + out * outs);
}

/* Of the buffers between the three kernels. */
static double room_by(const Filter *f, int m)
{
    const double places = (m + TAPS - 1) * (m + TAPS - 1);
    return sizeof(float) * (double)filter_tiles(f, m) * places * (double)(f->in + f->out);
}

/* 0: direct sums are best, or nothing else has room. */
static int outputs_of(const Filter *f, double room)
{
    double best = PAYS * direct_time(f);
    int m = 0;
    if (f->in < CHANNELS_FEWEST || f->out < CHANNELS_FEWEST) return 0;
    if (f->in % CHANNELS_EVEN || f->out % CHANNELS_EVEN) return 0;
    for (int now = 2; now <= OUTPUTS_MOST; now += 2) {
        const double places = (now + TAPS - 1) * (now + TAPS - 1), time = time_by(f, now);
        if (places * (double)f->in * (double)f->out > WEIGHTS_MOST || room_by(f, now) > room) continue;
        if (time < best) best = time, m = now;
    }
    return m;
}

/* ---- kernels ------------------------------------------------------------------------------------------------- */

static Buf *added(Rewriting *r, Buf *b)
{
    VEC_PUSH(r->c, r->bufs, b);
    return b;
}

static double tap(const Filter *f, int64_t *env)
{
    int64_t at = 0;
    const Buf *b = f->weights->buf;
    for (int d = 0; d < b->rank; d++) at = at * b->dims[d] + idx_eval(f->weights->at[d], env, NULL, NULL);
    return tensor_at_double(b->data, at);
}

/* [place, in, out] */
static Buf *weights_of(Rewriting *r, const Filter *f, const Minimal *by)
{
    const int places = by->n * by->n;
    const int64_t dims[3] = {places, f->in, f->out};
    Tensor *t = tensor_new(r->c, type_make(r->c, DT_F32, 3, dims));
    int64_t *env = SCRATCH_N(r->c, int64_t, var_count(r->c) + 1);
    double g[TAPS * TAPS], u[POINTS_MOST * POINTS_MOST];
    float *to = (float *)t->data;
    for (int64_t i = 0; i < f->in; i++)
        for (int64_t o = 0; o < f->out; o++) {
            env[f->in_var] = i, env[f->out_var] = o;
            for (int k = 0; k < TAPS * TAPS; k++) {
                env[f->axis[0].sum_var] = k / TAPS, env[f->axis[1].sum_var] = k % TAPS;
                g[k] = tap(f, env);
            }
            minimal_weights(by, g, u);
            for (int p = 0; p < places; p++) to[(p * f->in + i) * f->out + o] = (float)u[p];
        }
    Buf *b = added(r, buf_new(r->c, BUF_CONST, f->weights->buf->name, DT_F32, 3, dims));
    b->data = t;
    return b;
}

typedef struct Product { const Buf *a, *b; const Idx *tile, *place, *in, *out; } Product;

static const Expr *add_product(Ctx *c, const Expr *acc, void *arg)
{
    const Product *p = arg;
    const Idx *a[3] = {p->tile, p->place, p->in}, *b[3] = {p->place, p->in, p->out};
    return expr_op3(c, OP_mad, expr_load(c, p->a, a), expr_load(c, p->b, b), acc);
}

static const Kernel *products_of(Rewriting *r, const Filter *f, const Buf *tiles, const Buf *weights, const Buf *to)
{
    Ctx *c = r->c;
    const int var = var_new(c);
    Product p = {tiles, weights, idx_var(c, 0, to->dims[0]), idx_var(c, 1, to->dims[1]), idx_var(c, var, f->in),
                 idx_var(c, 2, f->out)};
    const Expr *sum = expr_reduce1(c, 1, &var, &f->in, expr_float(c, DT_F32, 0), add_product, &p);
    return kernel_compute(c, internf(c, "Products of tiles of %s", f->image->buf->name), f->k->loc, to, sum);
}

static void rewrite(Rewriting *r, const Filter *f, int m)
{
    const Minimal by = minimal_form(m);
    const int lanes = r->target->lanes / r->target->vectors;
    const int64_t in[3] = {filter_tiles(f, m), by.n * by.n, f->in}, out[3] = {in[0], in[1], f->out};
    const Buf *tiles = added(r, buf_new(r->c, BUF_TEMP, internf(r->c, "%s/tiles", f->image->buf->name), DT_F32, 3, in));
    const Buf *sums = added(r, buf_new(r->c, BUF_TEMP, internf(r->c, "%s/products", f->k->out->name), DT_F32, 3, out));
    VEC_PUSH(r->c, r->kernels, filter_in(r->c, f, &by, tiles, lanes));
    VEC_PUSH(r->c, r->kernels, products_of(r, f, tiles, weights_of(r, f, &by), sums));
    VEC_PUSH(r->c, r->kernels, filter_out(r->c, f, &by, sums, lanes));
}

/* ---- the pass ------------------------------------------------------------------------------------------------ */

enum { SUMS_MOST = 8 };

typedef struct Sums { int n; const Expr *of[SUMS_MOST + 1]; } Sums;

static void list_sums(const Expr *e, Sums *s)
{
    bool known = false;
    for (int i = 0; i < s->n; i++) known |= s->of[i] == e;
    if (e->kind == E_REDUCE && !known && s->n <= SUMS_MOST) s->of[s->n++] = e;
    for (int i = 0; i < e->n && e->kind != E_REDUCE; i++) list_sums(e->args[i], s);
}

static void take(Rewriting *r, const Kernel *k, double room);

/* The other sum of a kernel gets a kernel and a buffer of its own. */
static const Kernel *without(Rewriting *r, const Kernel *k, const Expr *sum, double room)
{
    const Idx *at[MAX_RANK];
    for (int d = 0; d < k->rank; d++) at[d] = idx_var(r->c, d, k->dims[d]);
    const Buf *b = added(r, buf_new(r->c, BUF_TEMP, internf(r->c, "%s/sum", k->out->name), sum->dt, k->rank, k->dims));
    take(r, kernel_compute(r->c, k->what, k->loc, b, sum), room);
    Kernel *x = mem_copy(r->c, k, sizeof *k);
    x->value = filter_with(r->c, k->value, sum, expr_load(r->c, b, at));
    return x;
}

/* room: bytes for buffers of its own. */
static void take(Rewriting *r, const Kernel *k, double room)
{
    Sums s = {0};
    Filter f;
    int m = 0, best = 0;
    if (!k->nest && k->rank >= 3 && !k->out->text && dtype_bits(k->out->dt) >= 8) list_sums(k->value, &s);
    for (int i = 1; i < s.n; i++) room -= (double)buf_count(k->out) * dtype_bits(s.of[i]->dt) / 8;
    while (best < s.n && s.n <= SUMS_MOST && !(filter_of(r->c, k, s.of[best], &f) && (m = outputs_of(&f, room)) > 0))
        best++;
    if (m == 0) {
        VEC_PUSH(r->c, r->kernels, k);
        return;
    }
    for (int i = 0; i < s.n; i++)
        if (s.of[i] != s.of[best]) k = without(r, k, s.of[i], room);
    f.k = k;
    rewrite(r, &f, m);
}

Unit pass_winograd(Ctx *c, Unit u)
{
    if (!u.fast_math || u.target->lanes == 0) return u;
    Rewriting r = {.c = c, .target = u.target};
    const Mark all = scratch_mark(c);
    const int64_t *spare = u.stream ? stream_spare(c, u) : NULL;
    for (int i = 0; i < u.prog->nkernels; i++) {
        Mark m = scratch_mark(c);
        take(&r, u.prog->kernels[i], spare ? (double)spare[i] : INFINITY);
        scratch_release(c, m);
    }
    scratch_release(c, all);
    Prog q = *u.prog;
    q.nbufs += r.bufs.n;
    q.bufs = NEW_N(c, Buf *, q.nbufs);
    memcpy(q.bufs, u.prog->bufs, sizeof *q.bufs * (size_t)u.prog->nbufs);
    if (r.bufs.n) memcpy(q.bufs + u.prog->nbufs, r.bufs.at, sizeof *q.bufs * (size_t)r.bufs.n);
    u.prog = prog_with(c, &q, r.kernels.n, r.kernels.at);
    return u;
}
