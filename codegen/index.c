/* Buffers and places in them as C text.
 *
 * A subscript is one flat index, row-major, in elements; a temporary's starts at its place in the arena's member of
 * that type, so every access goes through the union. Packed elements are reached by helpers that take the array and
 * the index of the element. An index is printed in one type for the whole function, int32_t unless some index in it
 * may be greater; what a VALUE gives is cast to that type. */
#include "emit.h"

BufInfo *buf_info(const Emit *e, const Buf *b)
{
    return b->id < e->ninfo && e->info[b->id].buf == b ? &e->info[b->id] : NULL;
}

int elem_per(DType dt)
{
    return dtype_bits(dt) < 8 ? 8 / dtype_bits(dt) : 1;
}

int elem_bytes(DType dt)
{
    return dtype_bits(dt) < 8 ? 1 : dtype_bits(dt) / 8;
}

bool buf_odd(const Buf *b)
{
    return buf_count(b) % elem_per(b->dt) != 0;
}

const char *buf_ctype(const Buf *b)
{
    return b->dt == DT_STRING ? "const char *" : dtype_ctype(b->dt);
}

const char *elem_member(DType dt)
{
    switch (dt) {
    case DT_F32: return "f32";
    case DT_F64: return "f64";
    case DT_I8: return "i8";
    case DT_I16: return "i16";
    case DT_I32: return "i32";
    case DT_I64: return "i64";
    case DT_U16: case DT_F16: case DT_BF16: return "u16";
    case DT_U32: return "u32";
    case DT_U64: return "u64";
    case DT_BOOL: return "b";
    case DT_STRING: return "str";
    default: return "u8";
    }
}

bool in_arena(const Emit *e, const Buf *b)
{
    return buf_in_arena(b, e->p->plan);
}

bool io_in_arena(const Emit *e)
{
    return e->p->plan && e->p->plan->io;
}

/* Its member for elements of that type: arena.f32. An arena that others see has the prefix in its name. */
void print_member(Emit *e, FILE *f, DType dt)
{
    const bool shown = io_in_arena(e) && !e->o->arena_caller;
    if (shown) fprintf(f, "%s_", e->o->prefix);
    fprintf(f, "arena%s%s", shown || e->o->arena_caller ? "->" : ".", elem_member(dt));
}

void print_buf(Emit *e, FILE *f, const Buf *b)
{
    print_name(f, b->name);
    fprintf(f, " %s", type_text(e->c, (Type){b->dt, b->rank, b->dims}));
}

void touch(Emit *e, const Buf *b, bool write)
{
    BufInfo *i = buf_info(e, b);
    if (!i) return;
    i->used = true;
    if (i->stamp != e->fn->stamp) {
        i->stamp = e->fn->stamp;
        i->written = false;
        VEC_PUSH(e->c, e->fn->touched, b);
    }
    if (write) {
        i->written = true;
        pointer_write(e, b);
    }
    if (in_arena(e, b)) e->fn->uses_arena = true;
}

/* ---- indices ----------------------------------------------------------------------------------------------------- */

const char *idx_type(const Emit *e)
{
    return e->fn->wide ? "int64_t" : "int32_t";
}

static const char *var_name(void *what, int var)
{
    static const char *const names[] = {"i", "j", "k", "l", "m", "n"};
    const Emit *e = what;
    for (int d = e->vars.n; d-- > 0;)
        if (e->vars.at[d] == var) return d < COUNT(names) ? names[d] : internf(e->c, "i%d", d);
    ice(e->c, "an index uses a variable outside its loop");
}

static void print_value(FILE *f, void *what, const Expr *x)
{
    Emit *e = what;
    const bool narrow = x->dt == DT_BOOL || dtype_bits(x->dt) < 32 || x->dt == DT_I32;
    const bool cast = e->fn->wide ? x->dt != DT_I64 : !narrow;
    if (cast) fprintf(f, "(%s)", idx_type(e));
    print_expr(e, f, x, P_UNARY);
}

/* Row-major order: great steps first; equal ones in the order of idx_order.c, which no history of the atoms changes. */
void print_index(Emit *e, FILE *f, const Idx *x)
{
    Mark m = scratch_mark(e->c);
    const size_t terms = sizeof(Term) * (size_t)x->n;
    Idx *sorted = scratch_alloc(e->c, sizeof *x + terms);
    memcpy(sorted, x, sizeof *x + terms);
    for (int i = 1; i < x->n; i++)
        for (int k = i; k > 0 && sorted->t[k - 1].c < sorted->t[k].c; k--) {
            const Term t = sorted->t[k];
            sorted->t[k] = sorted->t[k - 1];
            sorted->t[k - 1] = t;
        }
    idx_print_with(f, sorted, var_name, print_value, e);
    scratch_release(e->c, m);
}

const Idx *flat_place(Emit *e, const Buf *b, const Idx *const *at)
{
    const Idx *flat = idx_flat(e->c, b->rank, b->dims, at);
    if (!in_arena(e, b) || pointer_to(e, b)) return flat;
    const BufInfo *i = buf_info(e, b);
    if (!i) ice(e->c, "%s has no place in the arena", b->name);
    return idx_add(e->c, flat, idx_const(e->c, i->offset / elem_bytes(b->dt) * elem_per(b->dt)));
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* The array: in_x, arena.f32, acc. */
static void print_array(Emit *e, FILE *f, const Buf *b)
{
    touch(e, b, false);
    const BufInfo *i = buf_info(e, b);
    if (b->kind == BUF_LOCAL) {
        const Local *l = ptrmap_get(&e->fn->locals, b);
        if (!l) ice(e->c, "the local %s is used but not declared", b->name);
        fputs(l->name, f);
    } else if (!i) {
        ice(e->c, "the buffer %s does not belong to the program", b->name);
    } else if (pointer_to(e, b)) {
        fputs(pointer_to(e, b), f);
    } else if (in_arena(e, b)) {
        print_member(e, f, b->dt);
    } else {
        fprintf(f, "%s%s", i->name, i->bits ? ".f" : "");
    }
}

void print_element(Emit *e, FILE *f, const Buf *b, const Idx *flat)
{
    print_array(e, f, b);
    fputc('[', f);
    if (e->steps) flat = steps_place(e, flat);
    const bool placed = in_arena(e, b);
    if (placed && !pointer_to(e, b) && flat->k > 0 && flat->n > 0 && flat->lo >= flat->k) {      /* the place first */
        fprintf(f, "%lld + ", (long long)flat->k);
        flat = idx_add(e->c, flat, idx_const(e->c, -flat->k));
    }
    print_index(e, f, flat);
    fputc(']', f);
    if (placed && b->dt == DT_STRING) fputs(".s", f);
}

void print_place(Emit *e, FILE *f, const Buf *b, const Idx *const *at)
{
    const bool scalar = b->kind == BUF_LOCAL && b->rank == 0;
    const Idx *flat = scalar ? NULL : flat_place(e, b, at);
    if (scalar) print_array(e, f, b);
    else if (!e->steps || !print_step_place(e, f, b, flat)) print_element(e, f, b, flat);
}

void print_packed(Emit *e, FILE *f, const Buf *b, const Idx *const *at)
{
    print_array(e, f, b);
    fputs(", ", f);
    print_index(e, f, flat_place(e, b, at));
}

void print_address(Emit *e, FILE *f, const Buf *b, const Idx *const *at)
{
    const Idx *x = flat_place(e, b, at);
    if (elem_per(b->dt) > 1) x = idx_digit(e->c, x, elem_per(b->dt), 0); /* runs of packed elements start on a byte */
    if (x->n == 0 && x->k == 0) {
        print_array(e, f, b);
        return;
    }
    fputc('&', f);
    print_array(e, f, b);
    fputc('[', f);
    print_index(e, f, x);
    fputc(']', f);
}

void print_byte(Emit *e, FILE *f, const Buf *b, int64_t byte)
{
    print_array(e, f, b);
    fprintf(f, "[%lld]", (long long)(byte + (in_arena(e, b) ? buf_info(e, b)->offset : 0)));
}
