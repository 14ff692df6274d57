/* The memory map: time across, one column a kernel, the place in the arena upwards; a buffer is a rectangle from the
 * kernel that first writes it to the last one that touches it. The buffers that make the peak stand out, the lower
 * bound is a line.
 *
 * Where a kernel writes over what it reads, both buffers have half of its column. Before places are known the picture
 * shows how many bytes are alive. */
#include "draw.h"

enum { LEFT = 64, RIGHT = 150, TOP = 22, PLOT = 300, AXIS = 20, STRIP = 44, GAP = 26 };
enum { LEAST = 440, MOST = 900, COLUMN = 22 };         /* widths of the plot, and of a column where there is room */
enum { SMALL = 10, TEXT = 11, NAME_HEIGHT = 14, TYPE_HEIGHT = 30, NAME_WIDTH = 56, NARROW = 3 };

typedef struct Plot {
    Xml *x; const Map *m; Ctx *c;
    double column;                   /* pixels a kernel */
    int width;
    int64_t most, bound;             /* bytes: at the top; the lower bound */
    int peak;
    bool *late, *early;              /* by buffer: begins, ends in the middle of a column */
} Plot;

/* ---- lives ------------------------------------------------------------------------------------------------------- */

typedef struct Seen {
    const Plan *plan;
    Life *life;
    const int *index;                /* of bufs, by buffer id */
    int at, n;
} Seen;

static void see(const Buf *b, void *arg)
{
    Seen *s = arg;
    if (!buf_in_arena(b, s->plan) || b->id >= s->n) return;
    Life *l = &s->life[s->index[b->id]];
    if (l->first < 0) l->first = s->at;
    l->last = s->at;
}

Map map_of(Ctx *c, const Prog *p)
{
    Map m = {.p = p, .life = NEW_N(c, Life, p->nbufs), .height = TOP + PLOT + AXIS + 4};
    Mark mark = scratch_mark(c);
    Seen s = {.plan = p->plan, .life = m.life};
    for (int i = 0; i < p->nbufs; i++)
        if (p->bufs[i]->id >= s.n) s.n = p->bufs[i]->id + 1;
    int *index = SCRATCH_N(c, int, s.n + 1);
    for (int i = 0; i < p->nbufs; i++) {
        index[p->bufs[i]->id] = i;
        m.life[i] = (Life){-1, -1};
    }
    s.index = index;
    for (int i = 0; i < p->nins; i++) see(p->ins[i], &s);        /* written before the call */
    for (; s.at < p->nkernels; s.at++) {
        see(p->kernels[s.at]->out, &s);
        prog_reads(c, p->kernels[s.at], see, &s);
    }
    for (int i = 0; i < p->nouts && p->nkernels; i++) {          /* read after it */
        s.at = p->nkernels - 1;
        see(p->outs[i], &s);
    }
    scratch_release(c, mark);
    const int plot = p->nkernels < MOST / COLUMN ? p->nkernels * COLUMN : MOST;
    m.width = LEFT + (plot < LEAST ? LEAST : plot) + RIGHT;
    m.height += STRIP + GAP;
    return m;
}

/* ---- scales ------------------------------------------------------------------------------------------------------ */

static double at_x(const Plot *q, double kernel)
{
    return LEFT + q->column * kernel;
}

static double at_y(const Plot *q, int64_t byte)
{
    return TOP + PLOT - (double)PLOT * (double)byte / (double)q->most;
}

static void draw_text(const Plot *q, const char *class, int x, int y, int size, int room, const char *text)
{
    const Label l = label_fit(q->c, text, size, false, room, CUT_MIDDLE);
    xml_label(q->x, class, x, y, &l);
}

static void draw_bytes_axis(const Plot *q)
{
    int64_t step = 1;
    while (q->most / step > 5) step *= 2;
    for (int64_t b = 0; b <= q->most; b += step) {
        const int y = (int)at_y(q, b);
        const Label l = label_fit(q->c, bytes_text(q->c, b), SMALL, false, LEFT - 8, CUT_END);
        if (b) xml_line(q->x, "grid", LEFT, y, LEFT + q->width, y);
        xml_label(q->x, "axis end", LEFT - 6, y + 3, &l);
    }
}

static void draw_time_axis(const Plot *q, int y)
{
    static const int steps[] = {1, 2, 5};
    int64_t step = 1;
    for (int k = 0, scale = 1; q->m->p->nkernels / step > 10; k++) {
        if (k % 3 == 0 && k) scale *= 10;
        step = (int64_t)steps[k % 3] * scale;
    }
    for (int64_t k = 0; k < q->m->p->nkernels; k += step) {
        const Label l = label_fit(q->c, internf(q->c, "%lld", (long long)k), SMALL, false, 60, CUT_END);
        xml_label(q->x, "axis mid", (int)at_x(q, (double)k + .5), y, &l);
    }
}

/* ---- bytes alive ------------------------------------------------------------------------------------------------- */

static int64_t *bytes_alive(Ctx *c, const Map *m)
{
    int64_t *alive = SCRATCH_N(c, int64_t, m->p->nkernels + 2);
    for (int i = 0; i < m->p->nbufs; i++) {
        if (m->life[i].first < 0) continue;
        alive[m->life[i].first] += (int64_t)buf_bytes(m->p->bufs[i]);
        alive[m->life[i].last + 1] -= (int64_t)buf_bytes(m->p->bufs[i]);
    }
    for (int k = 1; k < m->p->nkernels; k++) alive[k] += alive[k - 1];
    return alive;
}

/* A column for each kernel, as one path. */
static void draw_columns(const Plot *q, const char *class, const int64_t *value, int64_t most, int base, int height)
{
    Sheet *path = sheet_new(q->c);
    fprintf(path->f, "M%d %d", LEFT, base);
    for (int k = 0; k < q->m->p->nkernels; k++)
        fprintf(path->f, "V%.1fH%.1f", base - (double)height * (double)value[k] / (double)(most ? most : 1),
                at_x(q, k + 1));
    fprintf(path->f, "V%dz", base);
    sheet_end(path);
    xml_start(q->x, "path");
    xml_attr(q->x, "class", class);
    xml_attr(q->x, "d", path->at);
    xml_end(q->x);
    sheet_free(path);
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

/* A buffer that begins where another one ends, in the same place: the kernel writes over what it reads. */
static void find_shared(Plot *q)
{
    const Map *m = q->m;
    const int n = m->p->nkernels;
    int *first = SCRATCH_N(q->c, int, n + 2), *ends = SCRATCH_N(q->c, int, m->p->nbufs + 1);
    q->late = SCRATCH_N(q->c, bool, m->p->nbufs + 1);
    q->early = SCRATCH_N(q->c, bool, m->p->nbufs + 1);
    for (int i = 0; i < m->p->nbufs; i++)
        if (m->life[i].first >= 0) first[m->life[i].last + 2]++;
    for (int k = 0; k <= n; k++) first[k + 1] += first[k];
    for (int i = 0; i < m->p->nbufs; i++)
        if (m->life[i].first >= 0) ends[first[m->life[i].last + 1]++] = i;
    for (int i = 0; i < m->p->nbufs; i++) {
        const int at = m->life[i].first;
        for (int k = at < 0 ? 0 : first[at]; at >= 0 && k < first[at + 1]; k++) {
            const int j = ends[k];
            if (j == i || m->life[j].first >= at || m->p->plan->offset[j] != m->p->plan->offset[i]) continue;
            q->late[i] = q->early[j] = true;
        }
    }
}

static void draw_buffer(const Plot *q, int i, int shade)
{
    static const char *const shades[] = {"buf b0", "buf b1", "buf b2"};
    const Buf *b = q->m->p->bufs[i];
    const Life life = q->m->life[i];
    const int64_t from = q->m->p->plan->offset[i], bytes = (int64_t)buf_bytes(b);
    const double x = at_x(q, life.first + (q->late[i] ? .5 : 0)), right = at_x(q, life.last + (q->early[i] ? .5 : 1));
    const double y = at_y(q, from + bytes), height = at_y(q, from) - y;
    const char *type = type_text(q->c, (Type){b->dt, b->rank, b->dims});
    const bool hot = life.first <= q->peak && q->peak <= life.last, thin = q->column < NARROW || height < NARROW;
    const char *name = label_clean(q->c, b->name);
    xml_start(q->x, "g");
    xml_element(q->x, "title", NULL,
                internf(q->c, "%s %s\nbytes %lld to %lld (%s)\nkernels %d to %d", name, type, (long long)from,
                        (long long)(from + bytes), bytes_text(q->c, bytes), life.first, life.last));
    xml_rect(q->x, hot ? thin ? "buf hot thin" : "buf hot" : shades[shade % 3], x, y, right - x, height, 0);
    const int room = (int)(right - x) - 8;
    const Label l = label_fit(q->c, name, TEXT, false, room < 0 ? 0 : room, CUT_MIDDLE);
    const bool tells = room >= NAME_WIDTH || !strcmp(l.text, name);       /* cut too short, it would be noise */
    if (tells && height >= NAME_HEIGHT)
        xml_label(q->x, "name", (int)x + 4, (int)y + 12, &l);
    const Label size = label_fit(q->c, bytes_text(q->c, bytes), TEXT, false, MOST, CUT_END);
    if (room >= size.width && height >= TYPE_HEIGHT) xml_label(q->x, "name", (int)x + 4, (int)y + 26, &size);
    xml_end(q->x);
}

/* ---- lines across ------------------------------------------------------------------------------------------------ */

static void draw_bounds(const Plot *q)
{
    const int right = LEFT + q->width;
    const Plan *plan = q->m->p->plan;
    const int64_t arena = plan ? plan->bytes : q->most;
    const int bound_y = (int)at_y(q, q->bound), arena_y = (int)at_y(q, arena);
    const bool same = arena == q->bound;
    int text_y = bound_y + 4;
    if (!same && text_y < arena_y + 18) text_y = arena_y + 18;
    xml_line(q->x, "bound", LEFT, bound_y, right + 4, bound_y);
    draw_text(q, "note bound-text", right + 8, text_y, TEXT, RIGHT - 12,
              internf(q->c, "%s %s", plan ? "lower bound" : "alive at most", bytes_text(q->c, q->bound)));
    if (!plan) return;
    if (!same) xml_line(q->x, "arena", LEFT, arena_y, right + 4, arena_y);
    draw_text(q, "note", right + 8, same ? text_y + 15 : arena_y + 4, TEXT, RIGHT - 12,
              same ? "= the whole arena" : internf(q->c, "arena %s", bytes_text(q->c, arena)));
}

static void draw_peak(const Plot *q)
{
    const double x = at_x(q, q->peak);
    const char *what = label_clean(q->c, q->m->p->kernels[q->peak]->what);
    const char *text = internf(q->c, "peak in kernel %d: %s", q->peak, what);
    const Label l = label_fit(q->c, text, TEXT, false, q->width, CUT_END);
    int at = (int)x - l.width / 2;
    if (at + l.width > LEFT + q->width) at = LEFT + q->width - l.width;
    xml_rect(q->x, "peak", x, TOP - 4, q->column < 2 ? 2 : q->column, PLOT + 4, 0);
    xml_label(q->x, "note peak-text", at < LEFT ? LEFT : at, TOP - 9, &l);
}

static void draw_strip(const Plot *q)
{
    const Prog *p = q->m->p;
    int64_t *ops = SCRATCH_N(q->c, int64_t, p->nkernels + 1), most = 0;
    for (int k = 0; k < p->nkernels; k++) {
        ops[k] = kernel_ops(q->c, p->kernels[k]);
        if (ops[k] > most) most = ops[k];
    }
    const int base = TOP + PLOT + GAP + STRIP;
    draw_columns(q, "ops-area", ops, most, base, STRIP - 6);
    xml_line(q->x, "frame", LEFT, base, LEFT + q->width, base);
    draw_text(q, "note", LEFT + q->width + 8, base - 14, TEXT, RIGHT - 12, "operations");
    draw_text(q, "note", LEFT + q->width + 8, base, TEXT, RIGHT - 12,
              internf(q->c, "at most %s", count_text(q->c, most)));
}

static void draw_plot(Plot *q)
{
    const Prog *p = q->m->p;
    xml_rect(q->x, "plot", LEFT, TOP, q->width, PLOT, 0);
    draw_bytes_axis(q);
    if (p->plan) {
        find_shared(q);
        for (int i = 0, shade = 0; i < p->nbufs; i++)
            if (q->m->life[i].first >= 0) draw_buffer(q, i, shade++);
    } else {
        draw_columns(q, "alive-area", bytes_alive(q->c, q->m), q->most, TOP + PLOT, PLOT);
    }
    draw_bounds(q);
    if (p->nkernels) draw_peak(q);
}

void draw_map(Xml *x, const Map *m)
{
    const Prog *p = m->p;
    Mark mark = scratch_mark(x->c);
    Plot q = {.x = x, .m = m, .c = x->c, .width = m->width - LEFT - RIGHT};
    q.column = p->nkernels ? (double)q.width / p->nkernels : 0;
    const int64_t *alive = bytes_alive(x->c, m);
    for (int k = 0; k < p->nkernels && !p->plan; k++)
        if (alive[k] > q.bound) q.bound = alive[q.peak = k];
    if (p->plan) {
        q.bound = p->plan->lower_bound;
        q.peak = p->plan->peak;
    }
    q.most = p->plan && p->plan->bytes > q.bound ? p->plan->bytes : q.bound;
    if (q.most > 0) {
        draw_plot(&q);
    } else {
        xml_rect(x, "plot", LEFT, TOP, q.width, PLOT, 0);
        draw_text(&q, "note", LEFT + 12, TOP + 24, TEXT, q.width - 24, "no temporaries: the arena is empty");
    }
    if (p->nkernels) draw_strip(&q);
    draw_time_axis(&q, TOP + PLOT + GAP + STRIP + 13);
    draw_text(&q, "note", LEFT + q.width + 8, TOP + PLOT + GAP + STRIP + 13, SMALL, RIGHT - 12, "kernel");
    scratch_release(x->c, mark);
}
