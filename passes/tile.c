/* tile: a kernel that reduces per element does so for a tile of elements at a time, held in registers.
 *
 * One variable of the kernel is the lane: consecutive elements of the result, which what is reduced reads side by
 * side, or not at all, or from constants (pack.c puts those side by side). Another is the row: where the reduction
 * reads something that does not change with it, each value read serves all rows. A tile is rows × panels of lanes: an
 * array per row and panel that starts from the reductions' first values, is updated in one loop over what is reduced,
 * and is stored with all that is computed of it. Each element is summed in the same order as before, so the result is
 * the same bit for bit.
 *
 * Guards of padding become IFs at the outermost loop that knows them; the first and the last block of rows are
 * written apart, so that none is left in between. Requires: spaces. Breaks: compute form. */
#include "loopify.h"
#include "tile.h"

enum { WINDOW_MOST = 4 };            /* steps that are written out anyway */
enum { REDUCTIONS_MOST = 8, LANES_FEWEST = 2 };

typedef struct Found { Tiling *t; bool ok; } Found;

/* ---- which variables ----------------------------------------------------------------------------------------- */

bool idx_affine(const Idx *x, int var, int64_t *step)
{
    *step = 0;
    for (int i = 0; i < x->n; i++) {
        const Atom *a = x->t[i].atom;
        if (a->kind == ATOM_VAR && a->var == var) *step = x->t[i].c;
        else if (a->kind == ATOM_VALUE) {
            for (int u = 0; u < a->nuses; u++)
                if (a->uses[u] == var) return false;
        } else if (a->kind != ATOM_VAR && idx_uses(a->x, var)) return false;
    }
    return true;
}

static void see_accumulator(const Expr *e, void *arg)
{
    *(bool *)arg |= e->kind == E_ACC;
}

const Idx *idx_bare(Ctx *c, const Idx *x)
{
    while (x->n == 1 && x->t[0].atom->kind == ATOM_ASSUME)
        x = idx_axpy(c, idx_const(c, x->k), x->t[0].c, x->t[0].atom->x);
    return x;
}

const Idx *load_place(Ctx *c, const Expr *e)
{
    const Idx *at[MAX_RANK];
    for (int d = 0; d < e->buf->rank; d++) at[d] = idx_bare(c, e->at[d]);
    return idx_flat(c, e->buf->rank, e->buf->dims, at);
}

/* A subscript that depends on what has been accumulated is another one in each lane. */
static bool follows(Ctx *c, const Expr *e)
{
    bool any = false;
    const int n = e->kind == E_LOAD ? e->buf->rank : e->kind == E_IN || e->kind == E_INDEX ? 1 : 0;
    for (int d = 0; d < n; d++)
        if (e->at[d]->values) expr_walk(c, expr_index(c, e->at[d]), see_accumulator, &any);
    return any;
}

/* Whether lanes may run along var within what a reduction adds up. */
static void check_lane(const Expr *e, void *arg)
{
    Found *f = arg;
    int64_t step;
    if (follows(f->t->c, e)) f->ok = false;
    if (e->kind == E_REDUCE) f->ok = false;
    const bool asks = e->kind == E_INDEX || (e->kind == E_IN && !f->t->window);
    if (asks && idx_uses(e->at[0], f->t->lane)) f->ok = false;
    if (e->kind != E_LOAD) return;
    if (dtype_bits(e->buf->dt) < 8 || e->buf->dt == DT_STRING || e->buf->text) f->ok = false;
    if (!idx_affine(load_place(f->t->c, e), f->t->lane, &step)) f->ok = f->ok && e->buf->kind == BUF_CONST;
    else if (step != 0 && step != 1) f->ok = f->ok && e->buf->kind == BUF_CONST;
}

static void list_reduction(Tiling *t, const Expr *e)
{
    for (int i = 0; i < t->nreductions && i < REDUCTIONS_MOST; i++)
        if (t->reductions[i] == e) {
            t->uses[i]++;
            return;
        }
    t->uses[t->nreductions] = 1;
    if (t->nreductions == REDUCTIONS_MOST) t->nreductions++;
    if (t->nreductions < REDUCTIONS_MOST) t->reductions[t->nreductions++] = e;
}

/* Those that are not within what another one adds up. */
static void list_reductions(Tiling *t, const Expr *e)
{
    if (e->kind == E_REDUCE) {
        for (int i = 0; i < e->reduce->naccs; i++) list_reductions(t, e->reduce->init[i]);
        list_reduction(t, e);
        return;
    }
    for (int i = 0; i < e->n; i++) list_reductions(t, e->args[i]);
}

/* Whether e reads nothing at run time but within what is added up; else the result may lie where that was. */
static bool reads_sums_alone(const Expr *e)
{
    bool alone = e->kind != E_LOAD || e->buf->kind == BUF_CONST;
    for (int i = 0; e->kind == E_REDUCE && i < e->reduce->naccs; i++) alone &= reads_sums_alone(e->reduce->init[i]);
    for (int i = 0; alone && i < e->n; i++) alone = reads_sums_alone(e->args[i]);
    return alone;
}

/* Whether what is reduced can be summed with lanes along t->lane. */
static bool sums_fit(Tiling *t)
{
    Found f = {t, true};
    for (int i = 0; i < t->nreductions; i++) expr_walk(t->c, t->reductions[i]->reduce->next[0], check_lane, &f);
    return f.ok;
}

static bool lane_fits(Tiling *t, int var)
{
    int64_t step;
    t->lane = var;
    return t->k->dims[var] >= LANES_FEWEST &&
           idx_affine(idx_flat(t->c, t->k->out->rank, t->k->out->dims, t->k->at), var, &step) && step == 1 &&
           sums_fit(t);
}

/* The innermost along which lanes can run; -1: none. */
static int lane_variable(Tiling *t)
{
    int lane = t->k->rank;
    while (lane-- > 0)
        if (lane_fits(t, lane)) break;
    return lane;
}

typedef struct Spared { int var; bool any; } Spared;

static void see_spared(const Expr *e, void *arg)
{
    Spared *s = arg;
    bool uses = false;
    for (int i = 0; e->kind == E_LOAD && i < e->buf->rank; i++) uses |= idx_uses(e->at[i], s->var);
    s->any |= e->kind == E_LOAD && !uses;
}

/* The innermost variable that some load within a reduction does not depend on; -1: none. */
static int row_variable(const Tiling *t)
{
    for (int v = t->k->rank; v-- > 0;) {
        Spared s = {v, false};
        if (v == t->lane || t->k->dims[v] < 2) continue;
        for (int i = 0; i < t->nreductions; i++) expr_walk(t->c, t->reductions[i]->reduce->next[0], see_spared, &s);
        if (s.any) return v;
    }
    return -1;
}

/* ---- sizes --------------------------------------------------------------------------------------------------- */

static int64_t lane_extent(const Tiling *t)
{
    return t->lane < t->k->rank ? t->k->dims[t->lane] : 1;
}

int most_lanes(const Tiling *t)
{
    for (int i = 0; i < t->nreductions; i++)
        if (dtype_bits(t->reductions[i]->dt) == 64) return t->target->lanes / 2;
    return t->target->lanes;
}

/* A panel for the `left` elements beyond whole ones: a few lanes too many where that is allowed and little waste,
 * else as many as there are, or fewer. */
static int lanes_for(const Tiling *t, int64_t left)
{
    int lanes = 1;
    while (lanes < left) lanes *= 2;
    return lanes == left || (t->padded && 3 * lanes <= 4 * left) ? lanes : lanes / 2;
}

static const double CACHE = 128 * 1024;      /* elements that stay near */
enum { OWN_MOST = 6, ALONE_MOST = 8 };       /* arrays where loads take the time: rows with lanes of their own; one row */
enum { STEPS_FEW = 16 };             /* of a sum that is soon over: the text of rests counts */
enum { STEPS_NEAR = 512, FAR = 3 };  /* steps of a panel of 16 floats in 32 KiB; time of a load from behind it */

/* Whether tiles read panels from behind the nearest cache, again for all rows: the fewer at a time, the better. */
static bool by_far(const Tiling *t)
{
    return t->depth > STEPS_NEAR && t->weight <= CACHE;
}

/* Time of one step of a tile, in quarters of a cycle of a machine that does two products and two loads a cycle, each
 * product ready after four. Panels stay in registers while rows go by where a tile leaves room for them. Panels longer
 * than the nearest cache holds come from farther away. */
static int64_t step_time(const Tiling *t, int64_t rows, int64_t panels)
{
    const int64_t v = t->target->vectors, far = t->depth * panels > STEPS_NEAR ? FAR : 1;
    const int64_t products = v * rows * panels;
    const bool kept = v * panels * (rows + 1) < t->target->registers;
    const int64_t loads = (kept ? v * panels : products) + rows + (far - 1) * v * panels;
    const int64_t most = products > loads ? products : loads;
    return 2 * (most > 8 ? most : 8) + 4 + (by_far(t) ? panels : 0);
}

/* Rows and panels of the tiles that are done soonest; each kind of rest costs room as well, least beside long sums. */
static void shape_of(const Tiling *t, int64_t extent, int64_t whole, int *rows, int *panels)
{
    int64_t best = INT64_MAX;
    if (t->window) {
        *rows = window_rows(t, extent);
        return;
    }
    const bool own = t->row < 0 || t->read[t->row];
    const int most = t->row < 0 ? ALONE_MOST : OWN_MOST;
    const int arrays = own && !t->padded && t->target->arrays > most ? most : t->target->arrays;
    for (int r = 1; r <= arrays && r <= extent; r++)
        for (int p = 1; r * p <= arrays && (p == 1 || p <= whole); p++) {
            const int64_t rest = extent % r, over = whole % p;
            int64_t time = 0;
            for (int k = 0; k < 4; k++) {
                const int64_t height = k & 1 ? rest : r, width = k & 2 ? over : p;
                const int64_t down = k & 1 ? rest > 0 : extent / r, across = k & 2 ? over > 0 : whole ? whole / p : 1;
                if (down && across) time += down * across * step_time(t, height, width);
            }
            time += time / (by_far(t) ? 64 : t->depth < STEPS_FEW ? 8 : 16) * ((rest > 0) + (over > 0));
            if (time < best || (time == best && p < *panels && !rest && !over)) best = time, *rows = r, *panels = p;
        }
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

enum { SEGMENTS_MOST = 8 };
typedef struct Segment {             /* of rows or of lanes: blocks of the same shape, one after the other */
    int64_t from, count;
    int size;                        /* rows of a block; panels */
    int lanes, valid;                /* of a panel; of the last one that are stored */
    int var; const Idx *block;       /* 0 .. count-1 */
} Segment;
typedef struct Segments { int n; Segment of[SEGMENTS_MOST]; } Segments;

static void add(Tiling *t, Segments *s, Segment x)
{
    if (x.count == 0) return;
    if (s->n == SEGMENTS_MOST) ice(t->c, "a tile of %s has too many rests", t->k->what);
    x.var = var_new(t->c);
    x.block = idx_var(t->c, x.var, x.count);
    s->of[s->n++] = x;
}

/* The first and the last block apart where they have guards: none between them needs these. */
static void add_blocks(Tiling *t, Segments *s, Segment x, bool guarded)
{
    const bool apart = guarded && x.count > 1;
    const int64_t counts[3] = {apart, x.count - 2 * apart, apart}, length = x.size * (x.lanes ? x.lanes : 1);
    for (int i = 0; i < 3; i++) {
        x.count = counts[i];
        add(t, s, x);
        x.from += x.count * length;
    }
}

static void cut_rows(Tiling *t, int64_t extent, int rows, Segments *s)
{
    const int rest = (int)(extent % rows);
    add_blocks(t, s, (Segment){.from = 0, .count = extent / rows, .size = rows}, t->guarded);
    add(t, s, (Segment){.from = extent - rest, .count = rest > 0, .size = rest});
}

static void cut_lanes(Tiling *t, int panels, Segments *s)
{
    const int64_t n = lane_extent(t);
    const int lanes = most_lanes(t);
    const int64_t whole = n / lanes, over = whole % panels;
    const Segment most = {.from = 0, .count = whole / panels, .size = panels, .lanes = lanes, .valid = lanes};
    add_blocks(t, s, most, t->edges);
    const Segment few = {(whole - over) * lanes, over > 0, (int)over, lanes, lanes, 0, NULL};
    add(t, s, few);
    if (t->again && !t->padded && whole && lanes_for(t, n % lanes) < n % lanes) {
        add(t, s, (Segment){.from = n - lanes, .count = 1, .size = 1, .lanes = lanes, .valid = lanes});
        return;
    }
    for (int64_t done = whole * lanes; done < n;) {
        const int some = lanes_for(t, n - done), valid = some < n - done ? some : (int)(n - done);
        add(t, s, (Segment){.from = done, .count = 1, .size = 1, .lanes = some, .valid = valid});
        done += valid;
    }
}

static const Stmt *tile(Tiling *t, const Segment *rows, const Segment *lanes)
{
    t->rows = rows->size;
    t->row_at = idx_axpy(t->c, idx_const(t->c, 0), rows->size, rows->block);
    t->row_at = idx_add(t->c, t->row_at, idx_const(t->c, rows->from));
    return tile_lanes(t, &(Panels){lanes->from, lanes->count, lanes->size, lanes->lanes, lanes->valid, lanes->var});
}

/* Loops over the kernel's other variables that are, or are not, among those of what the lanes read. */
static const Stmt *around(const Tiling *t, const Stmt *nest, bool read)
{
    for (int v = t->k->rank; v-- > 0;)
        if (v != t->lane && v != t->row && t->read[v] == read) nest = stmt_for(t->c, v, t->k->dims[v], nest);
    return nest;
}

/* Loops over panels and, within, rows, or the other way round. */
static const Stmt *tiles(Tiling *t, const Segments *rows, const Segments *lanes, bool by_panels)
{
    const Stmt *outer[SEGMENTS_MOST] = {0}, *inner[SEGMENTS_MOST] = {0};
    const Segments *out = by_panels ? lanes : rows, *in = by_panels ? rows : lanes;
    for (int i = 0; i < out->n; i++) {
        for (int j = 0; j < in->n; j++) {
            const Segment *row = by_panels ? &in->of[j] : &out->of[i], *lane = by_panels ? &out->of[i] : &in->of[j];
            inner[j] = stmt_for(t->c, in->of[j].var, in->of[j].count, tile(t, row, lane));
        }
        const Stmt *all = stmt_seq(t->c, in->n, inner);
        if (by_panels) all = around(t, all, false);
        outer[i] = stmt_for(t->c, out->of[i].var, out->of[i].count, all);
    }
    const Stmt *nest = stmt_seq(t->c, out->n, outer);
    return by_panels ? nest : around(t, nest, false);
}

/* Rows outside, panels within; where panels are too many to stay near, panels outside, so that each is fetched once:
 * rows go by as one stream, which processors fetch ahead. */
static const Stmt *all_tiles(Tiling *t)
{
    Segments rows = {0}, lanes = {0};
    const int64_t extent = t->row < 0 ? 1 : t->k->dims[t->row];
    int height = 1, panels = 1;
    shape_of(t, extent, lane_extent(t) / most_lanes(t), &height, &panels);
    cut_rows(t, extent, height, &rows);
    cut_lanes(t, panels, &lanes);
    const bool shared = t->row < 0 || !t->read[t->row];
    return around(t, tiles(t, &rows, &lanes, shared && t->weight > CACHE), true);
}

/* ---- the pass ------------------------------------------------------------------------------------------------ */

static bool numbers(const Tensor *t)
{
    for (int64_t i = 0; dtype_is_float(t->type.dt) && i < type_count(t->type); i++)
        if (!isfinite(tensor_at_double(t, i))) return false;
    return true;
}

static void see_guard(const Expr *e, void *arg)
{
    Found *f = arg;
    if (e->kind == E_IN && f->t->row >= 0 && idx_uses(e->at[0], f->t->row)) f->t->guarded = true;
    if (e->kind == E_IN && idx_uses(e->at[0], f->t->lane)) f->t->edges = true;
    if (e->kind == E_IN) f->ok = false;
    int64_t step;
    if (e->kind == E_LOAD && e->buf->kind != BUF_CONST &&
        (!idx_affine(load_place(f->t->c, e), f->t->lane, &step) || step != 0))
        f->t->padded = false;
}

/* What the lanes read side by side: how much, and along which other variables. */
static void see_read(const Expr *e, void *arg)
{
    Tiling *t = arg;
    if (e->kind != E_LOAD || !idx_uses(load_place(t->c, e), t->lane)) return;
    for (int v = 0; v < t->k->rank; v++) t->read[v] |= idx_uses(load_place(t->c, e), v);
    t->weight += (double)buf_count(e->buf);
}

static void see_constant(const Expr *e, void *arg)
{
    Tiling *t = arg;
    if (e->kind == E_LOAD && e->buf->kind == BUF_CONST && t->finite) t->finite = numbers(e->buf->data);
}

static bool plan_tiling(Tiling *t)
{
    const Kernel *k = t->k;
    if (k->nest || k->rank < 1 || k->out->text || dtype_bits(k->out->dt) < 8 || k->out->dt == DT_STRING) return false;
    list_reductions(t, k->value);
    if (t->nreductions < 1 || t->nreductions > REDUCTIONS_MOST) return false;
    for (int i = 0; i < t->nreductions; i++)
        if (t->reductions[i]->reduce->naccs != 1 || t->reductions[i]->reduce->lanes ||
            t->reductions[i]->dt == DT_STRING)
            return false;
    t->window = true;
    int lane = lane_variable(t);
    t->window = lane >= 0 && window_fits(t);
    if (!t->window) {
        lane = lane_variable(t);
        if (lane < 0) t->lane = var_new(t->c);   /* one lane: rows alone, whose sums do not wait for each other */
        t->row = row_variable(t);
    }
    if (lane < 0 && (t->row < 0 || !sums_fit(t))) return false;
    for (int i = 0; i < t->nreductions; i++) {
        int64_t depth = 1;
        for (int v = 0; v < t->reductions[i]->reduce->nvars; v++) depth *= t->reductions[i]->reduce->extents[v];
        t->depth = depth > t->depth ? depth : t->depth;
    }
    if (lane < 0 && t->depth <= WINDOW_MOST) return false;
    t->again = !t->inside && reads_sums_alone(k->value);
    t->padded = t->finite = true;
    Found f = {t, true};
    for (int i = 0; i < t->nreductions; i++) {
        t->padded &= t->reductions[i]->reduce->init[0]->kind == E_CONST;
        expr_walk(t->c, t->reductions[i]->reduce->next[0], see_guard, &f);
    }
    for (int i = 0; i < t->nreductions; i++) expr_walk(t->c, t->reductions[i]->reduce->next[0], see_read, t);
    for (int i = 0; !f.ok && i < t->nreductions; i++)
        expr_walk(t->c, t->reductions[i]->reduce->next[0], see_constant, t);
    return true;
}

/* ---- parts ---------------------------------------------------------------------------------------------------- */

static const Stmt *tiled(Ctx *c, const Kernel *k, const Target *target, Made *made, bool inside);

/* The kernel as its inside, along which lanes run over what rows share, and its edges; NULL: it is not like that. */
static const Stmt *edges_apart(Ctx *c, const Kernel *k, const Target *target, Made *made, bool inside)
{
    const int bufs = made->bufs.n, kernels = made->kernels.n;
    const Kernel *parts[3];
    const Stmt *nests[3] = {0};
    const int n = edges_of(c, k, parts);
    bool all = false;
    for (int i = 0; i < n; i++) {
        Tiling t = {.c = c, .k = parts[i], .target = target, .inside = inside};
        all |= plan_tiling(&t) && t.lane < k->rank && t.row >= 0;
    }
    for (int i = 0; all && i < n; i++) all = (nests[i] = tiled(c, parts[i], target, made, inside)) != NULL;
    if (!all) made->bufs.n = bufs, made->kernels.n = kernels;
    return all ? stmt_seq(c, n, nests) : NULL;
}

/* The kernel as tiles; NULL: it stays as it is. */
static const Stmt *tiled(Ctx *c, const Kernel *k, const Target *target, Made *made, bool inside)
{
    Tiling t = {.c = c, .k = k, .target = target, .made = made, .inside = inside};
    const bool fits = plan_tiling(&t);
    const Stmt *apart = fits && t.lane < k->rank ? NULL : edges_apart(c, k, target, made, inside);
    if (apart || !fits) return apart;
    const Kernel *phases[PHASES_MOST];
    const Stmt *nests[PHASES_MOST];
    const int n = phases_of(&t, phases);
    for (int i = 0; i < n; i++)
        if (!(nests[i] = tiled(c, phases[i], target, made, inside))) return NULL;
    if (n) return stmt_seq(c, n, nests);
    const Stmt *nest = all_tiles(&t);
    return t.failed ? NULL : nest;
}

const Stmt *tiles_within(Ctx *c, const Kernel *k, const Target *target, Made *made, bool inside)
{
    const int bufs = made->bufs.n, kernels = made->kernels.n;
    const Stmt *nest = tiled(c, k, target, made, inside);
    if (!nest) made->bufs.n = bufs, made->kernels.n = kernels;
    return nest;
}

const Kernel *kernel_tiles(Ctx *c, const Kernel *k, const Target *target, Made *made)
{
    if (target->lanes == 0) return k;
    if (k->nest) return nest_tiles(c, k, target, made);
    const Stmt *nest = tiles_within(c, k, target, made, false);
    if (!nest) nest = blocked(c, k, target);
    if (!nest) nest = columns(c, k);
    if (!nest) return k;
    Kernel *to = mem_copy(c, k, sizeof *k);
    to->nest = nest;
    return to;
}

Unit pass_tile(Ctx *c, Unit u)
{
    if (u.target->lanes == 0) return u;
    Made made = {0};
    for (int i = 0; i < u.prog->nkernels; i++) {
        Mark m = scratch_mark(c);
        const Kernel *k = kernel_tiles(c, u.prog->kernels[i], u.target, &made);
        VEC_PUSH(c, made.kernels, k);
        scratch_release(c, m);
    }
    u.prog = prog_more(c, u.prog, &made.bufs, made.kernels.n, made.kernels.at);
    return u;
}
