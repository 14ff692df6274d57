/* A node's meaning as loop IR. The operators say what an element is; here is what they all share: broadcasting, the
 * casts around 16-bit arithmetic, complex numbers as a trailing dimension of 2, constants held once a program, and
 * what becomes of the graph's outputs.
 * A value that is known at compile time is a constant here, whoever made it. A node's buffers are made before it is
 * lowered; a node of which every output is known is not lowered at all. */
#include "build.h"

struct Pool { Buf **at; size_t n, cap; };    /* constants by content; open-addressed */

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static bool is_complex(DType t)
{
    return dtype_class(t) == CLASS_COMPLEX;
}

Buf *edge_buf(Ctx *c, BufKind kind, const char *name, Type t)
{
    int64_t dims[MAX_RANK + 1];
    if (!is_complex(t.dt))
        return buf_new(c, kind, name, t.dt, t.rank, t.dims);
    for (int i = 0; i < t.rank; i++)
        dims[i] = t.dims[i];
    dims[t.rank] = 2;
    return buf_new(c, kind, name, t.dt == DT_C64 ? DT_F32 : DT_F64, t.rank + 1, dims);
}

/* Of large tensors only samples: whether they are equal is asked when the samples are. */
static uint64_t tensor_hash(const Tensor *t)
{
    enum { SAMPLES = 512 };
    size_t n = type_bytes(t->type), step = n > SAMPLES ? n / SAMPLES : 1;
    const unsigned char *p = t->data;
    uint64_t h = (uint64_t)t->type.dt * 31 + (uint64_t)t->type.rank;
    for (size_t i = 0; i < n; i += step)
        h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h ^ h >> 29;
}

static Buf **pool_place(const struct Pool *p, const Tensor *t)
{
    size_t i = (size_t)tensor_hash(t) & (p->cap - 1);
    while (p->at[i] && !tensor_same(p->at[i]->data, t))
        i = (i + 1) & (p->cap - 1);
    return &p->at[i];
}

static void pool_grow(Ctx *c, struct Pool *p)
{
    struct Pool old = *p;
    p->cap = old.cap ? 2 * old.cap : 16;
    p->at = NEW_N(c, Buf *, p->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i])
            *pool_place(p, old.at[i]->data) = old.at[i];
}

/* A complex one refers to the same bytes as a real one. */
const Buf *lower_const(Lower *l, const char *name, const Tensor *t)
{
    Buf *b = edge_buf(l->c, BUF_CONST, name, t->type), **place = NULL;
    if (is_complex(t->type.dt))
        t = tensor_of(l->c, (Type){b->dt, b->rank, b->dims}, t->data, t->bytes);
    b->data = t;
    if (l->pool) {
        if (2 * l->pool->n >= l->pool->cap)
            pool_grow(l->c, l->pool);
        place = pool_place(l->pool, t);
        if (*place)
            return *place;
        *place = b;
        l->pool->n++;
    }
    VEC_PUSH(l->c, l->bufs, b);
    return b;
}

static const char *first_name(const Node *n)
{
    for (int k = 0; k < n->nout; k++)
        if (n->out[k])
            return n->out[k]->name;
    return n->sig->name;
}

Buf *lower_temp(Lower *l, const char *name, DType dt, int rank, const int64_t *dims)
{
    Buf *b = edge_buf(l->c, BUF_TEMP, internf(l->c, "%s/%s", first_name(l->node), name), (Type){dt, rank, dims});
    VEC_PUSH(l->c, l->bufs, b);
    if (is_complex(dt))
        VEC_PUSH(l->c, l->pairs, b);
    return b;
}

static bool has_pairs(const Lower *l, const Buf *b)
{
    for (int k = 0; k < l->node->nout; k++)
        if (l->out[k] == b)
            return is_complex(l->node->out[k]->type.dt);
    for (int k = 0; k < l->pairs.n; k++)
        if (l->pairs.at[k] == b)
            return true;
    return false;
}

/* ---- what operators call ----------------------------------------------------------------------------------------- */

DType math_type(DType t)
{
    return t == DT_F16 || t == DT_BF16 ? DT_F32 : t;
}

static const Expr *zero(Ctx *c, DType dt)
{
    Value v = {0};
    if (dt == DT_STRING)
        v.s = "";
    return expr_const(c, dt, v);
}

static const Edge *input(const Lower *l, int k)
{
    if (k >= l->node->nin || !l->node->in[k] || !l->in[k])
        ice(l->c, "%s reads input %d, which is left out", node_text(l->c, l->node), k);
    return l->node->in[k];
}

const Expr *in_at(Lower *l, int k, const Idx *const *at)
{
    const Edge *e = input(l, k);
    const Idx *pair[MAX_RANK + 1];
    if (type_count(e->type) == 0)
        return zero(l->c, l->in[k]->dt);
    if (!is_complex(e->type.dt))
        return expr_load(l->c, l->in[k], at);
    if (!l->part)
        ice(l->c, "%s reads a complex input before it has its position variables", node_text(l->c, l->node));
    for (int i = 0; i < e->type.rank; i++)
        pair[i] = at[i];
    pair[e->type.rank] = l->part;
    return expr_load(l->c, l->in[k], pair);
}

const Expr *in_math(Lower *l, int k, const Idx *const *at)
{
    const Expr *e = in_at(l, k, at);
    return math_type(e->dt) == e->dt ? e : expr_cast(l->c, math_type(e->dt), e);
}

const Expr *in_broadcast(Lower *l, int k, int rank, const Idx *const *at)
{
    const Edge *e = input(l, k);
    const Idx *src[MAX_RANK];
    view_expand(l->c, rank, at, e->type.rank, e->type.dims, src);
    return in_at(l, k, src);
}

const Idx *const *lower_vars(Lower *l, int rank, const int64_t *dims)
{
    const Idx **v = NEW_N(l->c, const Idx *, rank);
    for (int i = 0; i < rank; i++)
        v[i] = idx_var(l->c, i, dims[i]);
    l->part = l->complex ? idx_var(l->c, rank, 2) : NULL;
    return v;
}

static bool touches_complex(const Node *n)
{
    bool complex = false;
    for (int k = 0; k < n->nin; k++)
        complex |= n->in[k] && is_complex(n->in[k]->type.dt);
    for (int k = 0; k < n->nout; k++)
        complex |= n->out[k] && is_complex(n->out[k]->type.dt);
    return complex;
}

/* "Relu y float[2,3]" */
static const char *kernel_text(Lower *l, const Buf *out)
{
    char small[240];
    const char *type = type_text(l->c, (Type){out->dt, out->rank, out->dims});
    int n = snprintf(small, sizeof small, "%s %s %s", l->node->sig->name, out->name, type);
    if (n < (int)sizeof small)
        return mem_copy(l->c, small, (size_t)n + 1);
    return internf(l->c, "%s %s %s", l->node->sig->name, out->name, type);
}

static const Expr *stored(Lower *l, const Buf *out, const Expr *value)
{
    return value->dt == out->dt ? value : expr_cast(l->c, out->dt, value);
}

Buf *lower_slots(Lower *l, const char *name, int64_t count)
{
    Buf *b = lower_temp(l, name, DT_U8, 2, (const int64_t[]){count, l->c->string_bytes + 1});
    b->text = true;
    return b;
}

/* A computed string for each element: first the texts, then where they begin. */
static const Expr *lower_texts(Lower *l, const Buf *out, const Expr *value)
{
    Buf *slots = lower_slots(l, out->name, buf_count(out));
    const Idx **at = NEW_N(l->c, const Idx *, out->rank), *flat;
    for (int i = 0; i < out->rank; i++)
        at[i] = idx_var(l->c, i, out->dims[i]);
    flat = idx_flat(l->c, out->rank, out->dims, at);
    const Stmt *nest = stmt_text(l->c, slots, &flat, value);
    for (int i = out->rank; i-- > 0;)
        nest = stmt_for(l->c, i, out->dims[i], nest);
    lower_nest(l, slots, nest);
    return expr_text(l->c, slots, &flat);
}

void lower_store(Lower *l, Buf *out, const Expr *value)
{
    if (value->kind == E_OP && op_writes(value->op, value->args[0]->dt))
        value = lower_texts(l, out, value);
    VEC_PUSH(l->c, l->kernels, kernel_compute(l->c, kernel_text(l, out), l->node->loc, out, stored(l, out, value)));
}

void lower_store_at(Lower *l, Buf *out, int rank, const int64_t *dims, const Idx *const *at, const Expr *value)
{
    Ctx *c = l->c;
    bool pair = has_pairs(l, out);
    int64_t count, *space = NEW_N(c, int64_t, rank + pair);
    const Idx **to = NEW_N(c, const Idx *, out->rank);
    for (int i = 0; i < rank; i++)
        space[i] = dims[i];
    for (int i = 0; i < out->rank - pair; i++)
        to[i] = at[i];
    if (pair) {
        if (l->part != idx_var(c, rank, 2))
            ice(c, "%s stores complex numbers over other variables than it asked for", node_text(c, l->node));
        space[rank] = 2;
        to[out->rank - 1] = l->part;
    }
    if (dims_count(rank, dims, &count) && count == 0)
        return;
    Kernel *k = NEW(c, Kernel);
    *k = (Kernel){.what = kernel_text(l, out), .operators = l->node->sig->name, .loc = l->node->loc,
                  .rank = rank + pair, .dims = space, .out = out, .at = to, .value = stored(l, out, value)};
    VEC_PUSH(c, l->kernels, k);
}

void lower_nest(Lower *l, Buf *out, const Stmt *nest)
{
    Kernel *k = NEW(l->c, Kernel);
    *k = (Kernel){.what = kernel_text(l, out), .operators = l->node->sig->name, .loc = l->node->loc, .out = out,
                  .nest = nest};
    VEC_PUSH(l->c, l->kernels, k);
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

static const Expr *scalar_at(Lower *l, int rank, const Idx *const *at)
{
    const Expr *args[3];
    const Idx *src[MAX_RANK];
    for (int k = 0; k < l->node->nin; k++) {
        const Edge *e = input(l, k);
        view_expand(l->c, rank, at, e->type.rank, e->type.dims, src);
        args[k] = in_math(l, k, src);
    }
    return expr_op(l->c, (ScalarOp)(l->node->op->scalar - 1), args);
}

static const Expr *element(Lower *l, int k, Type t, const Idx *const *at)
{
    const Op *op = l->node->op;
    return op->scalar    ? scalar_at(l, t.rank, at)
           : op->formula ? formula_element(l, op->formula, l->out[k]->dt, t.rank, at)
                         : op->at(l, k, at);
}

static void lower_elements(Lower *l)
{
    const Node *n = l->node;
    for (int k = 0; k < n->nout; k++) {
        if (!l->out[k])
            continue;
        Type t = n->out[k]->type;
        if (type_count(t) == 0) {
            lower_store(l, l->out[k], zero(l->c, l->out[k]->dt));
            continue;
        }
        const Idx *const *at = lower_vars(l, t.rank, t.dims);
        lower_store(l, l->out[k], element(l, k, t, at));
    }
}

/* An operator with kernels of its own need not think of outputs without elements when all are so. */
static void lower_kernels(Lower *l)
{
    bool empty = true;
    for (int k = 0; k < l->node->nout; k++)
        empty &= !l->out[k] || type_count(l->node->out[k]->type) == 0;
    if (!empty)
        l->node->op->lower(l);
    for (int k = 0; empty && k < l->node->nout; k++)
        if (l->out[k])
            lower_store(l, l->out[k], zero(l->c, l->out[k]->dt));
}

static void lower_copy(Lower *l, Buf *out, const Buf *from)
{
    const Idx *at[MAX_RANK + 1];
    bool empty = buf_count(out) == 0;
    for (int i = 0; i < out->rank && !empty; i++)
        at[i] = idx_var(l->c, i, out->dims[i]);
    lower_store(l, out, empty ? zero(l->c, out->dt) : expr_load(l->c, from, at));
}

/* A known value that is cheaper to compute than to hold: its readers will read through this kernel. */
static const Buf *formula_buf(Lower *l, const Edge *e)
{
    Buf *b = edge_buf(l->c, BUF_TEMP, e->name, e->type);
    const char *what = internf(l->c, "%s %s", e->name, type_text(l->c, e->type));
    VEC_PUSH(l->c, l->bufs, b);
    VEC_PUSH(l->c, l->kernels, kernel_compute(l->c, what, e->loc, b, e->formula));
    return b;
}

/* The buffer of an edge that is read: what is known and held is a constant, all else is in the map. */
static const Buf *read_buf(Lower *l, PtrMap *m, const Edge *e)
{
    const Buf *b = ptrmap_get(m, e);
    if (b)
        return b;
    if (!e->held)
        ice(l->c, "'%s' is read before it is computed", e->name);
    b = e->formula ? formula_buf(l, e) : lower_const(l, e->name, e->data);
    ptrmap_put(l->c, m, e, (void *)b);
    return b;
}

static bool all_held(const Node *n)
{
    for (int k = 0; k < n->nout; k++)
        if (n->out[k] && !n->out[k]->held)
            return false;
    return true;
}

/* A node of a graph or a body, all buffers by the map. Outputs that the map lacks are made temporaries. */
static void lower_mapped(Lower *l, PtrMap *m, const Node *n)
{
    if (all_held(n))
        return;
    const Buf **in = NEW_N(l->c, const Buf *, n->nin);
    Buf **out = NEW_N(l->c, Buf *, n->nout);
    for (int k = 0; k < n->nin; k++)
        in[k] = n->in[k] ? read_buf(l, m, n->in[k]) : NULL;
    for (int k = 0; k < n->nout; k++) {
        const Edge *e = n->out[k];
        if (!e || e->held || (out[k] = ptrmap_get(m, e)))
            continue;
        out[k] = edge_buf(l->c, BUF_TEMP, e->name, e->type);
        ptrmap_put(l->c, m, e, out[k]);
        VEC_PUSH(l->c, l->bufs, out[k]);
    }
    node_lower(l->b, n, in, out, l);
}

static bool in_body(const Node *n, const Node *r)
{
    for (int i = n->nbody; i-- > 0;)
        if (n->body[i] == r)
            return true;
    return false;
}

static void lower_body(Lower *l, const Node *n, const Buf *const *in, Buf *const *out)
{
    Mark mark = scratch_mark(l->c);
    PtrMap m = {0};
    for (int k = 0; k < n->nin; k++)
        if (n->in[k])
            ptrmap_put(l->c, &m, n->in[k], (void *)in[k]);
    bool *direct = SCRATCH_N(l->c, bool, n->nout);
    for (int k = 0; k < n->nout; k++) {
        const Edge *r = out[k] ? n->result[k] : NULL;
        direct[k] = r && r->from && !r->held && in_body(n, r->from) && !ptrmap_get(&m, r);
        if (direct[k])
            ptrmap_put(l->c, &m, r, out[k]);
    }
    for (int i = 0; i < n->nbody; i++)
        lower_mapped(l, &m, n->body[i]);
    l->node = n;
    l->in = in;
    l->out = out;
    for (int k = 0; k < n->nout; k++)
        if (out[k] && !direct[k])
            lower_copy(l, out[k], read_buf(l, &m, n->result[k]));
    scratch_release(l->c, mark);
}

/* Appends to l; l is zeroed before its first node. */
void node_lower(Build *b, const Node *n, const Buf *const *in, Buf *const *out, Lower *l)
{
    l->c = b->c;
    l->b = b;
    l->node = n;
    l->in = in;
    l->out = out;
    l->complex = touches_complex(n);
    l->part = NULL;
    l->pairs.n = 0;
    if (n->result)
        lower_body(l, n, in, out);
    else if (n->op->lower)
        lower_kernels(l);
    else
        lower_elements(l);
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

/* What a copy to an output is called after. */
static void lower_publish(Lower *l, PtrMap *m, Buf *out, const Edge *e)
{
    static const Sig copy = {.name = "Copy"};
    const Node n = {.sig = &copy, .name = "", .loc = e->loc};
    l->node = &n;
    l->in = NULL;
    l->out = NULL;
    lower_copy(l, out, read_buf(l, m, e));
    l->node = NULL;
}

Prog *graph_lower(Ctx *c, const Graph *g)
{
    Mark mark = scratch_mark(c);
    Lower l = {.c = c, .b = build_new(c, 0, NULL), .pool = NEW(c, struct Pool)};
    PtrMap m = {0};
    Prog *p = NEW(c, Prog);
    *p = (Prog){.name = g->name, .nins = g->nins, .nouts = g->nouts, .ins = NEW_N(c, Buf *, g->nins),
                .outs = NEW_N(c, Buf *, g->nouts)};
    bool *direct = SCRATCH_N(c, bool, g->nouts);
    for (int i = 0; i < g->nins; i++) {
        Buf *b = p->ins[i] = edge_buf(c, BUF_IN, g->ins[i]->name, g->ins[i]->type);
        b->index = i;
        ptrmap_put(c, &m, g->ins[i], b);
        VEC_PUSH(c, l.bufs, b);
    }
    for (int i = 0; i < g->nouts; i++) {
        const Edge *e = g->outs[i];
        Buf *b = p->outs[i] = edge_buf(c, BUF_OUT, g->out_names[i], e->type);
        b->index = i;
        VEC_PUSH(c, l.bufs, b);
        direct[i] = e->from && !e->held && !ptrmap_get(&m, e);
        if (direct[i])
            ptrmap_put(c, &m, e, b);
    }
    for (int i = 0; i < g->nnodes; i++)
        lower_mapped(&l, &m, g->nodes[i]);
    for (int i = 0; i < g->nouts; i++)
        if (!direct[i])
            lower_publish(&l, &m, p->outs[i], g->outs[i]);
    p->bufs = l.bufs.at;
    p->nbufs = l.bufs.n;
    p->kernels = l.kernels.at;
    p->nkernels = l.kernels.n;
    scratch_release(c, mark);
    return p;
}
