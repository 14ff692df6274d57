/* Unit tests of the order of kernels: of few kernels no order has a lower peak, of more none of a thousand random ones;
 * every reader stays behind its writers; large programs take little time. */
#include "order.h"
#include "unit.h"

enum { FEW = 8, MORE = 60, RANDOM_ORDERS = 1000 };

static uint32_t state;

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

/* Of the n elements that a kernel writes, what it reads of b: round and round, when b has fewer. */
static const Expr *element(const Buf *b, int64_t n)
{
    const Idx *at = idx_digit(c, idx_var(c, 0, n), 1, buf_count(b));
    return expr_load(c, b, &at);
}

/* n kernels, each of up to three earlier results (or the input), of sizes up to `sizes` elements; some write a half of
 * a buffer that another one completes; the last few are outputs. */
static Prog *random_prog(int n, int sizes)
{
    Prog *p = NEW(c, Prog);
    *p = (Prog){.name = "p", .bufs = NEW_N(c, Buf *, n + 3), .kernels = NEW_N(c, const Kernel *, n + 1)};
    p->ins = NEW_N(c, Buf *, 1);
    p->outs = NEW_N(c, Buf *, n);
    const int64_t wide = sizes + 1;
    p->bufs[p->nbufs++] = p->ins[p->nins++] = buf_new(c, BUF_IN, "x", DT_F32, 1, &wide);
    const Buf *half = NULL;
    for (int i = 0; i < n; i++) {
        const bool out = i == n - 1 || below(8) == 0;
        const int64_t size = 2 * (1 + below(sizes / 2));
        Buf *b = half ? (Buf *)half : buf_new(c, out ? BUF_OUT : BUF_TEMP, internf(c, "t%d", i), DT_F32, 1, &size);
        const int64_t all = buf_count(b), part = half || (!out && i < n - 1 && below(5) == 0) ? all / 2 : all;
        const Expr *v = expr_op1(c, OP_neg, element(p->bufs[below(p->nbufs)], part));
        for (int r = below(3); r > 0; r--) v = expr_op2(c, OP_add, v, element(p->bufs[below(p->nbufs)], part));
        Kernel *k = kernel_compute(c, b->name, (Loc){0}, b, v);
        int64_t *dims = NEW_N(c, int64_t, 1);
        const Idx **at = NEW_N(c, const Idx *, 1);
        dims[0] = part;
        at[0] = idx_axpy(c, idx_const(c, half ? part : 0), 1, idx_var(c, 0, part));
        k->dims = dims;
        k->at = at;
        p->kernels[p->nkernels++] = k;
        if (part < all && !half) {
            half = b;
            continue;
        }
        half = NULL;
        p->bufs[p->nbufs++] = b;
        if (b->kind == BUF_OUT) {
            b->index = p->nouts;
            p->outs[p->nouts++] = b;
        }
    }
    return p;
}

static int64_t planned(const Prog *p, bool io)
{
    return pass_plan(c, (Unit){.prog = p, .io_arena = io}).prog->plan->lower_bound;
}

static const Prog *ordered(const Prog *p, bool io)
{
    return pass_order(c, (Unit){.prog = p, .io_arena = io}).prog;
}

/* Takes all orders, or random ones; the lowest peak. */
static int64_t lowest(const OrderNet *net, OrderState *s, int done, int64_t peak)
{
    int64_t best = INT64_MAX;
    if (done == net->n) return peak;
    for (int k = 0; k < net->n; k++) {
        if (s->waits[k]) continue;
        const Step step = state_step(net, s, k);
        state_do(net, s, k);
        s->waits[k] = 1 << 20;
        const int64_t got = lowest(net, s, done + 1, step.at > peak ? step.at : peak);
        s->waits[k] = 0;
        state_undo(net, s, k);
        if (got < best) best = got;
    }
    return best;
}

/* The peak of a random order. */
static int64_t peak_at_random(const OrderNet *net)
{
    Mark m = scratch_mark(c);
    OrderState s = state_new(net);
    int *waits = SCRATCH_N(c, int, net->n), n = 0;
    int *ready = SCRATCH_N(c, int, net->n), *order = SCRATCH_N(c, int, net->n);
    memcpy(waits, net->waits, sizeof *waits * (size_t)net->n);
    for (int k = 0; k < net->n; k++)
        if (!waits[k]) ready[n++] = k;
    for (int i = 0; n; i++) {
        const int at = below(n), k = order[i] = ready[at];
        ready[at] = ready[--n];
        for (int j = net->next.from[k]; j < net->next.from[k + 1]; j++)
            if (--waits[net->next.at[j]] == 0) ready[n++] = net->next.at[j];
    }
    const int64_t peak = order_peak(net, &s, order, net->n);
    scratch_release(c, m);
    return peak;
}

/* What runs gives the same, wherever things lie. */
static const float *result(const Prog *p)
{
    void **data = NEW_N(c, void *, p->nbufs);
    int64_t n = 0, at = 0;
    for (int i = 0; i < p->nouts; i++) n += buf_count(p->outs[i]);
    float *all = NEW_N(c, float, n);
    for (int i = 0; i < p->nbufs; i++) {
        const int64_t count = buf_count(p->bufs[i]);
        float *to = p->bufs[i]->kind == BUF_OUT ? all + at : NEW_N(c, float, count);
        if (p->bufs[i]->kind == BUF_OUT) at += count;
        for (int64_t k = 0; p->bufs[i]->kind == BUF_IN && k < count; k++) to[k] = (float)(k * k % 37);
        data[i] = p->bufs[i]->kind == BUF_TEMP ? NULL : to;
    }
    prog_run(c, p, data, false);
    return all;
}

static void check_same(const Prog *p, bool io)
{
    int64_t n = 0;
    for (int i = 0; i < p->nouts; i++) n += buf_count(p->outs[i]);
    const Prog *q = pass_plan(c, (Unit){.prog = ordered(p, io), .io_arena = io}).prog;
    prog_check(c, q);
    ck_assert_mem_eq(result(p), result(q), (size_t)n * sizeof(float));
}

START_TEST(no_order_of_few_kernels_is_lower)
{
    for (int seed = 1; seed <= rounds(40, 120); seed++) {
        state = (uint32_t)seed;
        const bool io = seed % 2;
        const Prog *p = random_prog(3 + below(FEW - 2), 12);
        OrderNet net = order_net(c, p, io);
        OrderState s = state_new(&net);
        ck_assert_int_eq(planned(ordered(p, io), io), lowest(&net, &s, 0, 0));
        check_same(p, io);
    }
}
END_TEST

START_TEST(no_random_order_is_lower)
{
    for (int seed = 1; seed <= rounds(6, 40); seed++) {
        state = (uint32_t)seed;
        const bool io = seed % 2;
        const Prog *p = random_prog(MORE, 100);
        const OrderNet net = order_net(c, p, io);
        const int64_t ours = planned(ordered(p, io), io);
        check_same(p, io);
        for (int i = 0; i < RANDOM_ORDERS; i++) ck_assert_int_le(ours, peak_at_random(&net));
    }
}
END_TEST

START_TEST(an_order_that_is_no_worse_stays)
{
    const int64_t ten = 10;
    Buf *bufs[] = {buf_new(c, BUF_IN, "x", DT_F32, 1, &ten), buf_new(c, BUF_OUT, "y", DT_F32, 1, &ten),
                   buf_new(c, BUF_TEMP, "a", DT_F32, 1, &ten), buf_new(c, BUF_TEMP, "b", DT_F32, 1, &ten)};
    const Kernel *k[] = {
        kernel_compute(c, "a", (Loc){0}, bufs[2], expr_op1(c, OP_neg, element(bufs[0], 10))),
        kernel_compute(c, "b", (Loc){0}, bufs[3], expr_op1(c, OP_abs, element(bufs[0], 10))),
        kernel_compute(c, "y", (Loc){0}, bufs[1], expr_op2(c, OP_add, element(bufs[2], 10), element(bufs[3], 10)))};
    const Prog p = {.name = "p", .nbufs = 4, .bufs = bufs, .nkernels = 3, .kernels = k, .nins = 1, .ins = bufs,
                    .nouts = 1, .outs = bufs + 1};
    const Prog *q = ordered(&p, false);
    for (int i = 0; i < 3; i++) ck_assert_ptr_eq(q->kernels[i], k[i]);
}
END_TEST

START_TEST(large_programs_take_little_time)
{
    state = 1;
    const Prog *p = random_prog(rounds(5000, 20000), 100);
    const Prog *q = ordered(p, false);
    ck_assert_int_le(planned(q, false), planned(p, false));
}
END_TEST

int main(void)
{
    TCase *t = case_new("order", context_new, context_free);
    tcase_add_test(t, no_order_of_few_kernels_is_lower);
    tcase_add_test(t, no_random_order_is_lower);
    tcase_add_test(t, an_order_that_is_no_worse_stays);
    tcase_add_test(t, large_programs_take_little_time);
    return case_run("order", t);
}
