/* Intervals of integer and bool expressions, computed once, when a node is made, from those of its operands.
 *
 * An operation whose exact result may leave its type wraps: its interval is then the type's. uint64 does not fit: its
 * interval is kept in int64, and an upper end of INT64_MAX means "that or more", so arithmetic on such a one gives the
 * type's range. */
#include "expr.h"

typedef struct Range { int64_t lo, hi; } Range;

enum { SCAN_MAX = 1 << 16 };             /* greatest constant buffer whose elements are read */

void dtype_range(DType dt, int64_t *lo, int64_t *hi)
{
    int bits = dt == DT_BOOL ? 1 : dtype_bits(dt) - (dtype_is_signed(dt) ? 1 : 0);
    *hi = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    *lo = dtype_is_signed(dt) ? -*hi - 1 : 0;
}

void expr_range(Ctx *c, const Expr *e, int64_t *lo, int64_t *hi)
{
    (void)c;
    *lo = e->lo;
    *hi = e->hi;
}

static Range type_range(DType dt)
{
    Range r;
    dtype_range(dt, &r.lo, &r.hi);
    return r;
}

static bool is_integral(DType dt)
{
    return dt == DT_BOOL || dtype_is_int(dt);
}

bool expr_open_end(const Expr *e)
{
    return e->dt == DT_U64 && e->hi == INT64_MAX;
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static Range hull(Range a, Range b)
{
    return (Range){ min64(a.lo, b.lo), max64(a.hi, b.hi) };
}

/* r where the type holds it, else the type's range. */
static Range fit(DType dt, Range r, bool overflow)
{
    Range t = type_range(dt);
    return overflow || r.lo < t.lo || r.hi > t.hi || (dt == DT_U64 && r.hi == INT64_MAX) ? t : r;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

typedef struct BufRange { const Buf *buf; Range r; } BufRange;

static bool same_buf(const void *node, const void *key)
{
    return ((const BufRange *)node)->buf == key;
}

static Range load_range(Ctx *c, const Buf *b)
{
    struct LoopTab *tab = loop_tab(c);
    int64_t n = b->kind == BUF_CONST && b->data ? buf_count(b) : 0;
    if (n == 0 || n > SCAN_MAX || b->dt == DT_U64)
        return type_range(b->dt);
    uint64_t h = hash_mix(1, (uint64_t)b->id);
    const BufRange *old = hash_find(&tab->ranges, h, same_buf, b);
    if (old)
        return old->r;
    BufRange *made = NEW(c, BufRange);
    *made = (BufRange){ b, { INT64_MAX, INT64_MIN } };
    for (int64_t i = 0; i < n; i++) {
        int64_t v = scalar_read(b->dt, b->data->data, i).i;
        made->r = hull(made->r, (Range){ v, v });
    }
    hash_add(c, &tab->ranges, h, made);
    return made->r;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static Range add_range(DType dt, Range a, Range b)
{
    Range r;
    bool over = __builtin_add_overflow(a.lo, b.lo, &r.lo);
    over |= __builtin_add_overflow(a.hi, b.hi, &r.hi);
    return fit(dt, r, over);
}

static Range sub_range(DType dt, Range a, Range b)
{
    Range r;
    bool over = __builtin_sub_overflow(a.lo, b.hi, &r.lo);
    over |= __builtin_sub_overflow(a.hi, b.lo, &r.hi);
    return fit(dt, r, over);
}

static Range mul_range(DType dt, Range a, Range b)
{
    int64_t p[4];
    bool over = __builtin_mul_overflow(a.lo, b.lo, &p[0]);
    over |= __builtin_mul_overflow(a.lo, b.hi, &p[1]);
    over |= __builtin_mul_overflow(a.hi, b.lo, &p[2]);
    over |= __builtin_mul_overflow(a.hi, b.hi, &p[3]);
    Range r = { min64(min64(p[0], p[1]), min64(p[2], p[3])), max64(max64(p[0], p[1]), max64(p[2], p[3])) };
    return fit(dt, r, over);
}

/* Division and remainders: by positive numbers only. */
static Range div_range(ScalarOp op, DType dt, Range a, Range b)
{
    if (b.lo <= 0)
        return type_range(dt);
    if (op == OP_div)
        return (Range){ a.lo / (a.lo < 0 ? b.lo : b.hi), a.hi / (a.hi < 0 ? b.hi : b.lo) };
    if (a.lo >= 0)
        return (Range){ a.hi < b.lo ? a.lo : 0, min64(a.hi, b.hi - 1) };
    return op == OP_mod ? (Range){ 0, b.hi - 1 }
                        : (Range){ max64(a.lo, 1 - b.hi), a.hi < 0 ? 0 : min64(a.hi, b.hi - 1) };
}

/* Order-preserving operators: exact even where an end is open. */
static bool order_range(const Expr *e, const Range *a, Range *r)
{
    switch (e->op) {
    case OP_min:  *r = (Range){ min64(a[0].lo, a[1].lo), min64(a[0].hi, a[1].hi) }; return true;
    case OP_max:  *r = (Range){ max64(a[0].lo, a[1].lo), max64(a[0].hi, a[1].hi) }; return true;
    case OP_clip:
        *r = (Range){ min64(max64(a[0].lo, a[1].lo), a[2].lo), min64(max64(a[0].hi, a[1].hi), a[2].hi) };
        return true;
    case OP_relu: *r = (Range){ max64(a[0].lo, 0), max64(a[0].hi, 0) }; return true;
    case OP_sign:
        *r = (Range){ a[0].lo > 0 ? 1 : a[0].lo == 0 ? 0 : -1, a[0].hi > 0 ? 1 : a[0].hi == 0 ? 0 : -1 };
        return true;
    case OP_shr:  *r = (Range){ 0, a[0].hi }; return true;
    case OP_bitand:
        if (a[0].lo < 0 && a[1].lo < 0)
            return false;
        *r = (Range){ 0, a[0].lo < 0 ? a[1].hi : a[1].lo < 0 ? a[0].hi : min64(a[0].hi, a[1].hi) };
        return true;
    default:
        return false;
    }
}

static Range abs_range(DType dt, Range a)
{
    if (a.lo >= 0)
        return a;
    if (a.lo == type_range(dt).lo)
        return type_range(dt);       /* its magnitude wraps */
    return (Range){ a.hi < 0 ? -a.hi : 0, max64(-a.lo, a.hi) };
}

static Range op_range(const Expr *e)
{
    Range a[3] = { { 0, 0 } }, r;
    bool open = false;
    if (e->dt == DT_BOOL)
        return type_range(DT_BOOL);
    for (int i = 0; i < e->n; i++) {
        a[i] = (Range){ e->args[i]->lo, e->args[i]->hi };
        open |= expr_open_end(e->args[i]);
    }
    if (order_range(e, a, &r))
        return r;
    if (open)
        return type_range(e->dt);
    switch (e->op) {
    case OP_add: return add_range(e->dt, a[0], a[1]);
    case OP_sub: return sub_range(e->dt, a[0], a[1]);
    case OP_mul: return mul_range(e->dt, a[0], a[1]);
    case OP_mad: return add_range(e->dt, mul_range(e->dt, a[0], a[1]), a[2]);
    case OP_neg: return sub_range(e->dt, (Range){ 0, 0 }, a[0]);
    case OP_abs: return abs_range(e->dt, a[0]);
    case OP_div: case OP_mod: case OP_fmod: return div_range(e->op, e->dt, a[0], a[1]);
    default: return type_range(e->dt);
    }
}

static Range cast_range(DType to, const Expr *x)
{
    if (to == DT_BOOL || !is_integral(x->dt) || (expr_open_end(x) && to != DT_U64))
        return type_range(to);
    return fit(to, (Range){ x->lo, x->hi }, false);
}

void expr_set_range(Ctx *c, Expr *e)
{
    Range r = { 0, 0 };
    if (!is_integral(e->dt)) {
        e->lo = e->hi = 0;
        return;
    }
    switch (e->kind) {
    case E_CONST:
        r.lo = r.hi = e->dt == DT_U64 && e->value.u > INT64_MAX ? INT64_MAX : e->value.i;
        break;
    case E_LOAD:   r = e->dt == e->buf->dt ? load_range(c, e->buf) : type_range(e->dt); break;
    case E_OP:     r = op_range(e); break;
    case E_CAST:   r = cast_range(e->dt, e->args[0]); break;
    case E_SELECT:
        r = hull((Range){ e->args[1]->lo, e->args[1]->hi }, (Range){ e->args[2]->lo, e->args[2]->hi });
        break;
    case E_INDEX:  r = (Range){ e->at[0]->lo, e->at[0]->hi }; break;
    default:       r = type_range(e->dt); break;
    }
    e->lo = r.lo;
    e->hi = r.hi;
}
