/* Cast and its kin. A cast is one loop IR node; what ONNX adds is what happens to a number that is too large for an
 * 8-bit float when `saturate` is off: it becomes infinite, or NaN where the type has no infinity. */
#include "meaning.h"

/* Greatest finite number of an 8-bit float, and the code of what lies beyond it (without the sign bit). */
static bool small_float(DType dt, double *most, int *beyond, bool *is_signed)
{
    *is_signed = dt == DT_F8E4M3 || dt == DT_F8E5M2;
    switch ((int)dt) {
    case DT_F8E4M3: *most = 448, *beyond = 0x7f; return true;
    case DT_F8E4M3Z: *most = 240, *beyond = 0x80; return true;
    case DT_F8E5M2: *most = 57344, *beyond = 0x7c; return true;
    case DT_F8E5M2Z: *most = 57344, *beyond = 0x80; return true;
    default: return false;
    }
}

bool cast_infer(Build *b, const Node *n, Type *out)
{
    Type t = arg_type(n, 0);
    int64_t to = node_int(n, "to", 0);
    if (to <= DT_NONE || to >= DT_COUNT) {
        node_error(b, n, "to = %lld is not an element type: it must be a number from 1 to %d", (long long)to,
                   DT_COUNT - 1);
        return false;
    }
    DClass from_class = dtype_class(t.dt), to_class = dtype_class((DType)to);
    if (to != (int64_t)t.dt && (from_class == CLASS_STRING || to_class == CLASS_STRING)) {
        node_error(b, n, "a cast from %s to %s is not supported: strings are moved and compared only", dtype_name(t.dt),
                   dtype_name((DType)to));
        return false;
    }
    if ((from_class == CLASS_COMPLEX || to_class == CLASS_COMPLEX) && from_class != to_class) {
        node_error(b, n, "there is no cast from %s to %s", dtype_name(t.dt), dtype_name((DType)to));
        return false;
    }
    const char *mode = node_string(n, "round_mode", "up");
    if (to == DT_F8E8M0 && to != (int64_t)t.dt && strcmp(mode, "nearest") != 0) {
        node_error(b, n, "a cast to float8e8m0 with round_mode = \"%s\" is not supported: only \"nearest\" is", mode);
        return false;
    }
    return make_type(b, n, out, 0, (DType)to, t.rank, t.dims);
}

const Expr *cast_at(Lower *l, int out, const Idx *const *i)
{
    Ctx *c = l->c;
    DType to = out_type(l, out).dt, from = in_type(l, 0).dt;
    const Expr *x = in_at(l, 0, i);
    double most;
    int beyond;
    bool is_signed;
    if (to == from)
        return x;
    if (dtype_class(to) == CLASS_COMPLEX)
        return expr_cast(c, to == DT_C64 ? DT_F32 : DT_F64, x);
    if (node_int(l->node, "saturate", 1) || !dtype_is_float(from) || !small_float(to, &most, &beyond, &is_signed))
        return expr_cast(c, to, x);
    /* Without saturation: what rounds beyond the greatest number. Half a step above it is a tie that goes to the even
     * code above. */
    DType wide = from == DT_F64 ? DT_F64 : DT_F32;
    const Expr *v = expr_cast(c, wide, x), *size = expr_op1(c, OP_abs, v);
    double half = to == DT_F8E4M3 ? 16 : to == DT_F8E4M3Z ? 8 : 4096;
    bool odd = to != DT_F8E4M3; /* the greatest number has an odd code: the tie goes up */
    const Expr *edge = expr_float(c, wide, most + half);
    const Expr *over = expr_op2(c, odd ? OP_ge : OP_gt, size, edge);
    const Expr *plus = expr_const(c, to, (Value){.u = (uint64_t)beyond});
    const Expr *minus = is_signed ? expr_const(c, to, (Value){.u = (uint64_t)beyond | 0x80}) : plus;
    const Expr *negative = expr_op2(c, OP_lt, v, expr_float(c, wide, 0));
    return expr_select(c, over, expr_select(c, negative, minus, plus), expr_cast(c, to, x));
}

/* Version 1 names the type: to = "FLOAT". */
bool cast_names(Build *b, const Node *n, Edge **out)
{
    const char *to = node_string(n, "to", "");
    char name[32] = "";
    for (size_t i = 0; i < sizeof name - 1 && to[i]; i++)
        name[i] = (char)(to[i] >= 'A' && to[i] <= 'Z' ? to[i] - 'A' + 'a' : to[i]);
    DType dt = dtype_parse(name);
    if (dt == DT_NONE) {
        node_error(b, n, "to = \"%s\" is not the name of an element type, such as \"FLOAT\"", to);
        return false;
    }
    Attr attr = attr_int(b->c, "to", dt);
    return rebuild(b, n, 1, n->in, 1, &attr, out);
}

bool cast_like(Build *b, const Node *n, Edge **out)
{
    Attr attrs[3] = {attr_int(b->c, "to", arg_type(n, 1).dt)};
    int nattrs = 1;
    for (int i = 0; i < n->nattrs; i++)
        attrs[nattrs++] = n->attrs[i];
    out[0] = build_op(b, "Cast", 1, n->in, nattrs, attrs);
    return true;
}
