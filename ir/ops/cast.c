/* Cast and its kin. A cast is one loop IR node; what ONNX adds is what happens to a number that is too large for an
 * 8-bit float when `saturate` is off (it becomes infinite, or NaN where the type has no infinity), and the three ways
 * of rounding to float8e8m0, a bare power of two. */
#include "meaning.h"

bool cast_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    DType to = attr_type(n, "to", DT_NONE);
    bool pairs = dtype_class(t.dt) == CLASS_COMPLEX;
    if (to == DT_NONE || pairs != (dtype_class(to) == CLASS_COMPLEX))
        return unfit(b, n, "there is no cast to %s: `to` is the number of an element type, from 1 to %d, and complex "
                     "numbers become complex numbers only", to ? dtype_name(to) : "that", DT_COUNT - 1);
    return make_type(b, n, out, 0, to, t.rank, t.dims);
}

/* Without saturation: x, but for what rounds beyond the greatest number. */
const Expr *unless_beyond(Ctx *c, DType to, const Expr *x, const Expr *v)
{
    /* The greatest number, half a step above it (a tie, which goes to the even code), and the code of what lies beyond.
     */
    static const struct {
        DType dt;
        double edge;
        bool tie, is_signed;
        uint64_t code;
    } kinds[] = {
        {DT_F8E4M3, 448 + 16, false, true, 0x7f},
        {DT_F8E4M3Z, 240 + 8, true, false, 0x80},
        {DT_F8E5M2, 57344 + 4096, true, true, 0x7c},
        {DT_F8E5M2Z, 57344 + 4096, true, false, 0x80},
    };
    for (int i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].dt != to)
            continue;
        const Expr *plus = expr_const(c, to, (Value){.u = kinds[i].code}), *minus = plus;
        if (kinds[i].is_signed)
            minus = expr_const(c, to, (Value){.u = kinds[i].code | 0x80});
        const Expr *edge = expr_float(c, v->dt, kinds[i].edge), *size = expr_op1(c, OP_abs, v);
        const Expr *over = expr_op2(c, kinds[i].tie ? OP_ge : OP_gt, size, edge);
        const Expr *negative = expr_op2(c, OP_lt, v, expr_float(c, v->dt, 0));
        return expr_select(c, over, expr_select(c, negative, minus, plus), x);
    }
    return x;
}

/* To float8e8m0. The cast itself goes to the nearest power; one of the neighbours is right where that lies on the wrong
 * side. Without saturation what lies beyond either end is NaN. */
static const Expr *power_of_two(Ctx *c, const Expr *v, const char *mode, bool saturate)
{
    bool up = strcmp(mode, "up") == 0, down = strcmp(mode, "down") == 0;
    const Expr *size = expr_op1(c, OP_abs, v), *near = expr_cast(c, DT_F32, expr_cast(c, DT_F8E8M0, v)), *y = near;
    if (up || down) {
        const Expr *other = expr_op2(c, OP_mul, near, expr_float(c, DT_F32, up ? 2 : 0.5));
        y = expr_select(c, expr_op2(c, up ? OP_lt : OP_gt, near, size), other, near);
    }
    y = expr_cast(c, DT_F8E8M0, y);
    if (saturate)
        return y;
    double edge = down ? (double)INFINITY : ldexp(up ? 1 : 1.5, 127);
    const Expr *over = expr_op2(c, up ? OP_gt : OP_ge, size, expr_float(c, DT_F32, edge));
    const Expr *under = expr_op2(c, OP_lt, size, expr_float(c, DT_F32, ldexp(1, -127)));
    return expr_select(c, expr_op2(c, OP_or, over, under), expr_const(c, DT_F8E8M0, (Value){.u = 0xff}), y);
}

/* A number as text; 16-bit floats with the digits that tell them apart, smaller ones as the float that they are. */
static const Expr *text_of(Ctx *c, const Expr *x)
{
    const DType dt = x->dt;
    if (dt == DT_F16 || dt == DT_BF16)
        return expr_op1(c, dt == DT_F16 ? OP_text_f16 : OP_text_bf16, expr_cast(c, DT_F32, x));
    if (dtype_bits(dt) < 8 || (dtype_is_float(dt) && dtype_bits(dt) == 8))
        x = expr_cast(c, dtype_is_float(dt) ? DT_F32 : DT_I32, x);
    return expr_op1(c, OP_text, x);
}

/* What a text says. A bool is false for an empty one, a zero and "False". */
static const Expr *parsed(Ctx *c, DType to, const Expr *x)
{
    if (to == DT_BOOL) {
        static const char *const no[] = {"", "False", "false"};
        const Expr *f = expr_op2(c, OP_eq, expr_op1(c, OP_to_f32, x), expr_float(c, DT_F32, 0));
        for (int i = 0; i < COUNT(no); i++)
            f = expr_op2(c, OP_or, f, expr_op2(c, OP_eq, x, expr_const(c, DT_STRING, (Value){.s = no[i]})));
        return expr_op1(c, OP_not, f);
    }
    if (dtype_is_int(to))
        return expr_cast(c, to, expr_op1(c, to == DT_U64 ? OP_to_u64 : OP_to_i64, x));
    if (to == DT_F16 || to == DT_BF16)
        return expr_cast(c, to, expr_op1(c, to == DT_F16 ? OP_to_f16 : OP_to_bf16, x));
    return expr_op1(c, to == DT_F64 ? OP_to_f64 : OP_to_f32, x);
}

const Expr *cast_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    DType to = out_type(l, out).dt, from = in_type(l, 0).dt, wide = from == DT_F64 ? DT_F64 : DT_F32;
    const Expr *x = in_at(l, 0, i);
    bool saturate = node_int(l->node, "saturate", 1) != 0, real;
    if (to == DT_STRING && from != to)
        return text_of(c, x);
    if (from == DT_STRING && to != from) {
        x = parsed(c, to, x);
        from = x->dt; /* what is to be a small float is a float now */
    }
    if (to == from)
        return x;
    real = dtype_is_float(from);
    if (dtype_class(to) == CLASS_COMPLEX)
        return expr_cast(c, to == DT_C64 ? DT_F32 : DT_F64, x);
    if (to == DT_F8E8M0)
        return power_of_two(c, expr_cast(c, DT_F32, x), node_string(l->node, "round_mode", "up"), saturate);
    if (real && dtype_is_int(to) && dtype_bits(to) < 8) /* the low bits, as of any integer */
        return expr_cast(c, to, expr_cast(c, DT_I32, x));
    if (real && !saturate)
        return unless_beyond(c, to, expr_cast(c, to, x), expr_cast(c, wide, x));
    return expr_cast(c, to, x);
}

bool bit_cast_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    DType to = attr_type(n, "to", DT_NONE);
    if (to == DT_NONE || to == DT_STRING || dtype_bits(to) != dtype_bits(t.dt))
        return unfit(b, n, "`to` must be the number of an element type, and as wide: %s has %d bits", dtype_name(t.dt),
                     dtype_bits(t.dt));
    return make_type(b, n, out, 0, to, t.rank, t.dims);
}

/* A complex number of 64 bits has its real part in the low half. */
const Expr *bit_cast_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    DType to = out_type(l, out).dt, from = in_type(l, 0).dt;
    const Idx *part = l->part;
    const Expr *half[2], *shift = expr_int(c, DT_U64, 32);
    if (to == from || (dtype_class(to) != CLASS_COMPLEX && dtype_class(from) != CLASS_COMPLEX))
        return to == from ? in_at(l, 0, i) : expr_bits(c, to, in_at(l, 0, i));
    if (dtype_class(to) == CLASS_COMPLEX) {
        const Expr *x = expr_bits(c, DT_U64, in_at(l, 0, i));
        shift = expr_op2(c, OP_mul, expr_cast(c, DT_U64, expr_index(c, part)), shift);
        return expr_bits(c, DT_F32, expr_cast(c, DT_U32, expr_op2(c, OP_shr, x, shift)));
    }
    for (int k = 0; k < 2; k++) {
        l->part = idx_const(c, k);
        half[k] = expr_cast(c, DT_U64, expr_bits(c, DT_U32, in_at(l, 0, i)));
    }
    l->part = part;
    return expr_bits(c, to, expr_op2(c, OP_bitor, half[0], expr_op2(c, OP_shl, half[1], shift)));
}

/* Version 1 names the type: to = "FLOAT". */
bool cast_names(Build *b, const Node *n, Edge **out)
{
    const char *to = node_string(n, "to", "");
    char name[32] = "";
    for (size_t i = 0; i < sizeof name - 1 && to[i]; i++)
        name[i] = (char)(to[i] >= 'A' && to[i] <= 'Z' ? to[i] - 'A' + 'a' : to[i]);
    DType dt = dtype_parse(name);
    if (dt == DT_NONE)
        return node_error(b, n, "to = \"%s\" is not the name of an element type, such as \"FLOAT\"", to);
    Attr attr = attr_int(b->c, "to", dt);
    return rebuild(b, n, 1, n->in, 1, &attr, out);
}

