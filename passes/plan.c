/* plan: places what lives in the arena: the temporaries, and with --io=arena inputs and outputs.
 *
 * A temporary lives from the kernel that first writes it to the last one that touches it; the slots of computed strings
 * and outputs live to the end of the run, inputs from its start. A kernel that may write over what it reads (over.c)
 * does so, when nobody reads that later: such buffers form a group with one place. Groups are placed by place.c. The
 * lower bound is the bytes alive at the peak, in whole units of the arena's alignment: no placement of these lives can
 * need less. Requires: loopify. Breaks nothing. */
#include "plan.h"

typedef struct Planner {
    Ctx *c;
    const Prog *p;
    const Plan *plan;                /* says what lives in the arena */
    Uses uses;
    int *group;                      /* by buffer id; -1: none */
    int ngroups;
    Block *groups;                   /* first: -1 once emptied */
    int position;
} Planner;

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

/* ---- lives --------------------------------------------------------------------------------------------------- */

static Block *group_of(const Planner *pl, const Buf *b)
{
    return b->kind == BUF_LOCAL || pl->group[b->id] < 0 ? NULL : &pl->groups[pl->group[b->id]];
}

static void begin(Planner *pl, const Buf *b, int first)
{
    if (!buf_in_arena(b, pl->plan) || group_of(pl, b)) return;
    const int64_t align = dtype_bits(b->dt) / 8;
    pl->groups[pl->ngroups] = (Block){.first = first, .last = first, .bytes = (int64_t)buf_bytes(b),
                                      .align = align ? align : 1};
    pl->group[b->id] = pl->ngroups++;
}

static void touch(const Buf *b, void *arg)
{
    Planner *pl = arg;
    Block *g = group_of(pl, b);
    if (g && g->last < pl->position) g->last = pl->position;
}

static void find_lives(Planner *pl)
{
    const Prog *p = pl->p;
    const int end = p->nkernels ? p->nkernels - 1 : 0;
    for (int i = 0; i < pl->uses.n; i++) pl->group[i] = -1;
    for (int i = 0; i < p->nins; i++) begin(pl, p->ins[i], 0);
    for (int i = 0; i < p->nkernels; i++) {
        pl->position = i;
        begin(pl, p->kernels[i]->out, i);
        for (int j = 0; j < p->kernels[i]->nheld; j++) begin(pl, p->kernels[i]->held[j], i);
        touch(p->kernels[i]->out, pl);
        prog_reads(pl->c, p->kernels[i], touch, pl);
    }
    for (int i = 0; i < p->nouts; i++) begin(pl, p->outs[i], end);       /* those that nobody writes are empty */
    for (int i = 0; i < p->nbufs; i++) {
        Block *g = group_of(pl, p->bufs[i]);
        if (g && (p->bufs[i]->text || p->bufs[i]->kind == BUF_OUT)) g->last = end;
    }
}

/* ---- who writes over what it reads --------------------------------------------------------------------------- */

typedef struct Victims { Planner *pl; const Kernel *k; const Buf *best; } Victims;

/* Of several the one whose place has been taken for the shortest time: long lives are hard to place as it is. */
static void consider(const Buf *t, void *arg)
{
    Victims *v = arg;
    Planner *pl = v->pl;
    const Block *g = group_of(pl, t);
    if (!g || g->last != pl->position || t->kind == BUF_OUT || !kernel_overwrites(pl->c, v->k, t)) return;
    if (!v->best || g->first > group_of(pl, v->best)->first) v->best = t;
}

static void share_places(Planner *pl)
{
    for (int i = 0; i < pl->p->nkernels; i++) {
        const Kernel *k = pl->p->kernels[i];
        Block *mine = group_of(pl, k->out);
        if (!mine || pl->uses.writers[k->out->id] != 1) continue;
        pl->position = i;
        Victims v = {pl, k, NULL};
        prog_reads(pl->c, k, consider, &v);
        if (!v.best) continue;
        Block *g = group_of(pl, v.best);
        g->last = mine->last;
        mine->first = -1;            /* emptied */
        pl->group[k->out->id] = pl->group[v.best->id];
    }
}

/* ---- the plan ------------------------------------------------------------------------------------------------ */

static Planner planner_of(Ctx *c, const Prog *p, const Plan *plan)
{
    Planner pl = {.c = c, .p = p, .plan = plan, .uses = prog_uses(c, p)};
    pl.group = SCRATCH_N(c, int, pl.uses.n + 1);
    pl.groups = SCRATCH_N(c, Block, p->nbufs + 1);
    find_lives(&pl);
    share_places(&pl);
    return pl;
}

/* Bytes, at each kernel, or where there is none. */
static int64_t *alive(const Planner *pl)
{
    int64_t *bytes = SCRATCH_N(pl->c, int64_t, pl->p->nkernels + 2);
    for (int i = 0; i < pl->ngroups; i++) {
        const Block *g = &pl->groups[i];
        if (g->first < 0) continue;
        bytes[g->first] += g->bytes;
        bytes[g->last + 1] -= g->bytes;
    }
    for (int i = 1; i < pl->p->nkernels; i++) bytes[i] += bytes[i - 1];
    return bytes;
}

int64_t *prog_alive(Ctx *c, const Prog *p, bool io)
{
    const Plan plan = {.io = io, .align = 1};
    const Planner pl = planner_of(c, p, &plan);
    return alive(&pl);
}

static void find_peak(const Planner *pl, Plan *plan)
{
    const int nkernels = pl->p->nkernels;
    const int64_t *bytes = alive(pl);
    int64_t most = 0;
    for (int i = 0; i < pl->ngroups; i++)
        if (pl->groups[i].first >= 0 && pl->groups[i].bytes && pl->groups[i].align > plan->align)
            plan->align = pl->groups[i].align;
    for (int i = 0; i < nkernels || i == 0; i++) {
        if (bytes[i] <= most) continue;
        most = bytes[i];
        plan->peak = nkernels ? i : -1;
    }
    plan->lower_bound = round_up(most, plan->align);
}

static void place_groups(Planner *pl, Plan *plan)
{
    Block *blocks = SCRATCH_N(pl->c, Block, pl->ngroups + 1);
    int *from = SCRATCH_N(pl->c, int, pl->ngroups + 1), n = 0;
    for (int i = 0; i < pl->ngroups; i++) {
        if (pl->groups[i].first < 0 || pl->groups[i].bytes == 0) continue;
        from[n] = i;
        blocks[n++] = pl->groups[i];
    }
    plan->bytes = round_up(blocks_place(pl->c, blocks, n, plan->lower_bound), plan->align);
    for (int i = 0; i < n; i++) pl->groups[from[i]].offset = blocks[i].offset;
}

Unit pass_plan(Ctx *c, Unit u)
{
    Prog *q = mem_copy(c, u.prog, sizeof *u.prog);
    Plan *plan = NEW(c, Plan);
    int64_t *offset = NEW_N(c, int64_t, q->nbufs);
    Mark m = scratch_mark(c);
    *plan = (Plan){.io = u.io_arena, .align = 1};
    Planner pl = planner_of(c, q, plan);
    find_peak(&pl, plan);
    place_groups(&pl, plan);
    for (int i = 0; i < q->nbufs; i++) {
        const Block *g = group_of(&pl, q->bufs[i]);
        offset[i] = g ? g->offset : -1;
    }
    scratch_release(c, m);
    plan->offset = offset;
    q->plan = plan;
    u.prog = q;
    return u;
}
