/* Statements as C text: loops, choices, stores, copies, locals.
 *
 * A function is scanned before it is printed: how often each local is read and written, and whether an index needs 64
 * bits. A scalar is declared by its first store, const when that is the only one; one that is never read is not
 * printed. A loop or an arm of one statement has no braces unless an `else` could be taken for that of another `if`. */
#include "emit.h"

/* ---- scanning ---------------------------------------------------------------------------------------------------- */

static Local *local_of(Emit *e, const Buf *b)
{
    return b->kind == BUF_LOCAL ? ptrmap_get(&e->fn->locals, b) : NULL;
}

static void scan_idx(Emit *e, const Idx *x)
{
    if (x->wide > INT32_MAX || x->hi > INT32_MAX || x->lo < INT32_MIN) e->fn->wide = true;
}

static void scan_place(Emit *e, const Buf *b, const Idx *const *at)
{
    pointer_to(e, b);                /* made now: while an index is printed, what is made does not last */
    if (b->rank > 0 || in_arena(e, b)) scan_idx(e, flat_place(e, b, at));
}

static void scan_expr(const Expr *x, void *arg);

static void scan_values(Emit *e, int n, const Idx *const *at)
{
    for (int i = 0; i < n; i++)
        if (at[i]->values) expr_walk(e->c, expr_index(e->c, at[i]), scan_expr, e);
}

static void scan_expr(const Expr *x, void *arg)
{
    Emit *e = arg;
    if (x->kind == E_INDEX || x->kind == E_IN) scan_idx(e, x->at[0]);
    if (x->kind == E_IN && x->extent > INT32_MAX) e->fn->wide = true;
    if (x->kind != E_LOAD) return;
    scan_place(e, x->buf, x->at);
    Local *l = local_of(e, x->buf);
    if (l) l->loads++;
}

/* Whether b is an array of lanes: a loop of lanes beside its declaration fills it. Such arrays are declared where the
 * function begins: with clang what is declared within a loop goes through memory each time round. */
static bool has_lanes_of(const Stmt *seq, const Buf *b)
{
    if (b->rank != 1 || elem_per(b->dt) > 1 || local_aligned(b)) return false;
    for (int i = 0; i < seq->n; i++) {
        const Stmt *body = seq->body[i]->lanes ? seq->body[i]->body[0] : NULL;
        if (body && body->kind == S_STORE && body->buf == b) return true;
    }
    return false;
}

static Local *idle_array(const Emit *e, const Buf *b)
{
    for (int i = 0; i < e->fn->arrays.n; i++) {
        Local *l = e->fn->arrays.at[i];
        if (l->idle && !strcmp(l->array->name, b->name) && l->array->dt == b->dt && buf_count(l->array) == buf_count(b))
            return l;
    }
    return NULL;
}

static void scan_local(Emit *e, const Buf *b, bool array)
{
    Local *l = array ? idle_array(e, b) : NULL;
    if (l) {
        l->idle = false;
        ptrmap_put(e->c, &e->fn->locals, b, l);
        return;
    }
    l = NEW(e->c, Local);
    l->array = array ? b : NULL;
    if (array) VEC_PUSH(e->c, e->fn->arrays, l);
    size_t n = strlen(b->name), digits = strspn(b->name + (n > 0), "0123456789");
    const bool like_a_loop = n <= 1 || (b->name[0] == 'i' && digits == n - 1);
    l->name = cname_new(e->c, &e->fn->names, like_a_loop ? "v" : "", b->name);
    ptrmap_put(e->c, &e->fn->locals, b, l);
}

static void scan_seq(Emit *e, const Stmt *s)
{
    for (int i = 0; i < s->n; i++) {
        const Stmt *x = s->body[i];
        if (x->kind == S_LOCAL) scan_local(e, x->buf, has_lanes_of(s, x->buf));
        else scan_stmt(e, x);
    }
    for (int i = 0; i < s->n; i++) {
        Local *l = s->body[i]->kind == S_LOCAL ? local_of(e, s->body[i]->buf) : NULL;
        if (l && l->array) l->idle = true;
    }
}

void scan_stmt(Emit *e, const Stmt *s)
{
    Local *l;
    switch (s->kind) {
    case S_FOR:
        if (s->extent > INT32_MAX) e->fn->wide = true;
        break;
    case S_IF: expr_walk(e->c, s->cond, scan_expr, e); break;
    case S_LOCAL: scan_local(e, s->buf, false); break;
    case S_SEQ: scan_seq(e, s); return;
    case S_STORE:
        if ((l = local_of(e, s->buf))) l->stores++;
        scan_place(e, s->buf, s->at);
        scan_values(e, s->buf->rank, s->at);
        expr_walk(e->c, s->value, scan_expr, e);
        break;
    case S_COPY:
        if ((l = local_of(e, s->buf))) l->stores++;
        if ((l = local_of(e, s->src))) l->loads++;
        scan_place(e, s->buf, s->at);
        scan_place(e, s->src, s->src_at);
        scan_values(e, s->buf->rank, s->at);
        scan_values(e, s->src->rank, s->src_at);
        break;
    }
    for (int i = 0; i < s->n; i++) scan_stmt(e, s->body[i]);
}

/* Whether b has a value behind s on every path. */
static bool assigns(const Stmt *s, const Buf *b)
{
    if (s->kind == S_STORE) return s->buf == b;
    if (s->kind == S_IF) return s->n == 2 && assigns(s->body[0], b) && assigns(s->body[1], b);
    for (int i = 0; i < s->n; i++)
        if (s->kind == S_SEQ && assigns(s->body[i], b)) return true;
    return false;
}

/* Nobody reads what it stores. */
static bool silent(Emit *e, const Stmt *s)
{
    if (s->kind == S_FOR) return silent(e, s->body[0]);
    if (s->kind != S_STORE && s->kind != S_COPY) return false;
    const Local *l = local_of(e, s->buf);
    return l && l->loads == 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

void print_line(Emit *e, FILE *f, int indent)
{
    fflush(e->line->f);
    print_wrapped(f, e->line->at, e->line->n, indent);
    sheet_rewind(e->line);
}

static void put(Emit *e, int indent, const char *s)
{
    fprintf(e->inner->f, "%*s%s\n", indent, "", s);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* x = x + y and x = x - y on floats are written x += y, x -= y. */
static const Expr *increment(const Stmt *s, char *sign)
{
    const Expr *v = s->value;
    if (v->kind != E_OP || (v->op != OP_add && v->op != OP_sub) || (v->dt != DT_F32 && v->dt != DT_F64)) return NULL;
    const Expr *a = v->args[0];
    if (a->kind != E_LOAD || a->buf != s->buf) return NULL;
    for (int i = 0; i < s->buf->rank; i++)
        if (a->at[i] != s->at[i]) return NULL;
    *sign = v->op == OP_add ? '+' : '-';
    return v->args[1];
}

static void print_packed_store(Emit *e, const Stmt *s)
{
    const int bits = dtype_bits(s->buf->dt);
    e->put[bits] = true;
    fprintf(e->line->f, "%s_put_u%d(", e->o->prefix, bits);
    print_packed(e, e->line->f, s->buf, s->at);
    fputs(", ", e->line->f);
    print_expr(e, e->line->f, s->value, P_ANY);
    fputs(");", e->line->f);
}

/* declare: the store is the declaration of its local. */
static void print_store(Emit *e, const Stmt *s, int indent, bool declare)
{
    FILE *f = e->line->f;
    const Local *l = local_of(e, s->buf);
    char sign;
    if (silent(e, s)) return;
    touch(e, s->buf, true);
    const Expr *by = declare ? NULL : increment(s, &sign);
    if (s->buf->text) {
        print_write(e, f, s->buf, s->at, s->value);
    } else if (elem_per(s->buf->dt) > 1 && !(l && s->buf->rank == 0)) {
        print_packed_store(e, s);
    } else {
        if (declare) {
            const bool once = l->stores == 1, string = s->buf->dt == DT_STRING;
            fprintf(f, "%s%s%s", once && !string ? "const " : "", scalar_ctype(s->buf->dt),
                    string ? once ? "const " : "" : " ");
        }
        print_place(e, f, s->buf, s->at);
        if (by) {
            e->floats = true;
            fprintf(f, " %c= ", sign);
        } else {
            fputs(" = ", f);
        }
        print_expr(e, f, by ? by : s->value, P_COND);
        fputc(';', f);
    }
    print_line(e, e->inner->f, indent);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Strings in the arena lie wider than elsewhere: they are copied one by one. */
static void copy_strings(Emit *e, const Stmt *s, int indent)
{
    const int var = var_new(e->c);
    const Idx *i = idx_var(e->c, var, s->run);
    VEC_PUSH(e->c, e->vars, var);
    FILE *f = e->line->f;
    if (s->run > 1) {
        fprintf(f, "for (%s ", idx_type(e));
        print_index(e, f, i);
        fprintf(f, " = 0; ");
        print_index(e, f, i);
        fprintf(f, " < %lld; ", (long long)s->run);
        print_index(e, f, i);
        fputs("++)", f);
        print_line(e, e->inner->f, indent);
        indent += INDENT;
    }
    print_element(e, f, s->buf, idx_add(e->c, flat_place(e, s->buf, s->at), i));
    fputs(" = ", f);
    print_element(e, f, s->src, idx_add(e->c, flat_place(e, s->src, s->src_at), i));
    fputc(';', f);
    print_line(e, e->inner->f, indent);
    e->vars.n--;
}

static void print_copy(Emit *e, const Stmt *s, int indent)
{
    const int per = elem_per(s->buf->dt);
    if (silent(e, s)) return;
    touch(e, s->buf, true);
    if (s->buf->dt == DT_STRING) {
        copy_strings(e, s, indent);
        return;
    }
    FILE *f = e->line->f;
    e->headers |= NEEDS_STRING_H;
    fputs("memcpy(", f);
    print_address(e, f, s->buf, s->at);
    fputs(", ", f);
    print_address(e, f, s->src, s->src_at);
    fprintf(f, ", %lld", (long long)((s->run + per - 1) / per));
    if (elem_bytes(s->buf->dt) > 1) fprintf(f, " * sizeof(%s)", buf_ctype(s->buf));
    fputs(");", f);
    print_line(e, e->inner->f, indent);
    if (s->run % per == 0 || s->buf->kind != BUF_OUT) return;
    print_byte(e, f, s->buf, s->run / per);
    fputs(" = (uint8_t)(", f);
    print_byte(e, f, s->buf, s->run / per);
    fprintf(f, " & %d); /* padding bits are 0 */", (1 << s->run % per * dtype_bits(s->buf->dt)) - 1);
    print_line(e, e->inner->f, indent);
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

bool local_aligned(const Buf *b)
{
    return buf_bytes(b) >= ALIGNED_LINES * CACHE_LINE;
}

static void print_local(Emit *e, const Buf *b, int indent, bool zero)
{
    Local *l = local_of(e, b);
    l->printed = true;
    if (l->loads == 0 || l->array) return;
    const int per = elem_per(b->dt);
    if (b->rank == 0) {
        const char *type = scalar_ctype(b->dt);
        const char *start = !zero ? "" : b->dt == DT_STRING ? " = \"\"" : " = 0";
        fprintf(e->line->f, "%s%s%s%s;", type, b->dt == DT_STRING ? "" : " ", l->name, start);
    } else {
        fprintf(e->line->f, "%s%s%s[%lld]", buf_ctype(b), b->dt == DT_STRING ? "" : " ", l->name,
                (long long)((buf_count(b) + per - 1) / per));
        if (local_aligned(b)) print_aligned(e, e->line->f);
        fputs(per > 1 ? " = {0};" : ";", e->line->f);
    }
    print_line(e, e->inner->f, indent);
}

static bool stays(const Local *l) { return l->printed && l->loads > 0; }

bool any_arrays(const Function *fn)
{
    for (int i = 0; i < fn->arrays.n; i++)
        if (stays(fn->arrays.at[i])) return true;
    return false;
}

/* A line for each type. */
void print_arrays(Emit *e, FILE *f)
{
    const Locals *all = &e->fn->arrays;
    for (int i = 0; i < all->n; i++) {
        const char *type = buf_ctype(all->at[i]->array), *before = type;
        for (int k = 0; k < i && type; k++)
            if (!strcmp(buf_ctype(all->at[k]->array), type)) type = NULL;
        for (int k = i; k < all->n && type; k++) {
            const Local *l = all->at[k];
            if (!stays(l) || strcmp(buf_ctype(l->array), type)) continue;
            fprintf(e->line->f, "%s %s[%lld]", before, l->name, (long long)buf_count(l->array));
            before = ",";
        }
        if (before == type || !type) continue;
        fputs(";", e->line->f);
        print_line(e, f, INDENT);
    }
}

static void print_seq(Emit *e, const Stmt *s, int indent)
{
    for (int i = 0; i < s->n; i++) {
        const Stmt *x = s->body[i], *next = i + 1 < s->n ? s->body[i + 1] : NULL;
        const int loops = lanes_beside(s->body + i, s->n - i);
        if (print_part(e, x, indent)) continue;
        if (loops > 0) {
            print_lanes(e, s->body + i, loops, indent);
            i += loops - 1;
        } else if (x->kind != S_LOCAL) {
            print_stmt(e, x, indent);
        } else if (x->buf->rank == 0 && next && next->kind == S_STORE && next->buf == x->buf) {
            print_store(e, next, indent, true);
            i++;
        } else {
            print_local(e, x->buf, indent, !next || !assigns(next, x->buf));
        }
    }
}

/* ---- loops around a guard ---------------------------------------------------------------------------------------- */

/* Loops within each other, those of lanes not counted. */
static int loops_deep(const Stmt *s)
{
    int most = 0;
    for (int i = 0; i < s->n; i++) {
        const int deep = loops_deep(s->body[i]);
        most = deep > most ? deep : most;
    }
    return most + (s->kind == S_FOR && !s->lanes);
}

/* The guard of a loop that is all its body, where it asks whether `rest` plus the loop's variable is in range: the
 * loop then runs where that holds, and nothing within it hangs on a choice, for which gcc would not keep arrays in
 * registers. clang has none left for them where bounds of three loops are to be kept. NULL: there is none. */
static const Expr *guard_of(Emit *e, const Stmt *s, const Idx **rest)
{
    const Stmt *body = s->body[0];
    if (body->kind != S_IF || body->n != 1 || body->cond->kind != E_IN || loops_deep(s) > 2) return NULL;
    const Idx *at = body->cond->at[0], *zero = idx_const(e->c, 0);
    if (at->values) return NULL;
    *rest = idx_subst(e->c, at, &(Subst){1, &s->var, &zero});
    return idx_axpy(e->c, *rest, 1, idx_var(e->c, s->var, s->extent)) == at ? body->cond : NULL;
}

/* k - rest where `rest < bound` or `rest > bound`, else `other`. */
static void print_bound(Emit *e, const Idx *rest, const char *compare, int64_t bound, int64_t k, int64_t other)
{
    FILE *f = e->line->f;
    const Idx *plain = idx_add(e->c, rest, idx_const(e->c, -rest->k));
    if (compare) {
        print_expr(e, f, expr_index(e->c, plain), P_ADD);
        fprintf(f, " %s %lld ? ", compare, (long long)(bound - rest->k));
    }
    print_index(e, f, idx_axpy(e->c, idx_const(e->c, k - rest->k), -1, plain));
    if (compare) fprintf(f, " : %lld", (long long)other);
}

/* The first value of the loop's variable; the one behind the last. */
static void print_first(Emit *e, const Idx *rest)
{
    if (!rest || rest->lo >= 0) fputc('0', e->line->f);
    else print_bound(e, rest, rest->hi > 0 ? "<" : NULL, 0, 0, 0);
}

static void print_behind(Emit *e, const Stmt *s, const Expr *guard, const Idx *rest)
{
    const int64_t most = guard ? guard->extent - s->extent : 0;
    if (!guard || rest->hi <= most) {
        fprintf(e->line->f, "%lld", (long long)s->extent);
        return;
    }
    if (rest->lo < most) fputc('(', e->line->f);
    print_bound(e, rest, rest->lo < most ? ">" : NULL, most, guard->extent, s->extent);
    if (rest->lo < most) fputc(')', e->line->f);
}

/* for (k = first; k < end; k++): the loop's variable, and the pointers that go on with it. */
static void print_for_head(Emit *e, const Stmt *s, const Expr *guard, const Idx *rest)
{
    const Steps *steps = e->steps && e->steps->var == s->var ? e->steps : NULL;
    const Idx *i = idx_var(e->c, s->var, s->extent);
    FILE *f = e->line->f;
    fprintf(f, "for (%s ", idx_type(e));
    print_index(e, f, i);
    fputs(" = ", f);
    print_first(e, guard ? rest : NULL);
    fputs("; ", f);
    print_index(e, f, i);
    fputs(" < ", f);
    if (steps) fprintf(f, "%lld", (long long)(s->extent * steps->by));
    else print_behind(e, s, guard, rest);
    fputs("; ", f);
    print_index(e, f, i);
    if (steps) fprintf(f, " += %lld", (long long)steps->by);
    else fputs("++", f);
    for (int k = 0; steps && k < steps->n; k++) fprintf(f, ", %s++", steps->at[k].name);
}

/* Whether body chooses what an array of the function's own holds. The loop around it stays one: else clang would know
 * single elements, and hand them through a loop of lanes that reads the array, which it then makes no vectors of. */
static bool chooses_elements(const Stmt *body)
{
    return body->kind == S_STORE && body->buf->kind == BUF_LOCAL && body->buf->rank > 0 &&
           body->value->kind == E_SELECT;
}

static void print_for(Emit *e, const Stmt *s, int indent)
{
    if (silent(e, s)) return;
    if (s->lanes) {
        print_lanes(e, &s, 1, indent);
        return;
    }
    const Idx *rest = NULL;
    const Expr *guard = guard_of(e, s, &rest);
    const Stmt *body = guard ? s->body[0]->body[0] : s->body[0];
    const bool rolled = has_lanes(body) || chooses_elements(body);
    const Steps *outer = e->steps;
    Steps steps;
    const bool block = body->kind == S_SEQ || (rolled && body->kind == S_FOR && steps_of(e, body, &steps));
    const bool stepping = rolled && !guard && steps_of(e, s, &steps);
    if (stepping) print_steps_begin(e, &steps, indent);
    if (stepping) e->steps = &steps;
    const bool around = guard || s->extent <= 2;
    e->rolled |= rolled && !around;
    e->around |= rolled && around;
    if (rolled) fprintf(e->inner->f, "%*s%s_%s\n", indent, "", e->upper, around ? "AROUND" : "ROLLED");
    VEC_PUSH(e->c, e->vars, s->var);
    print_for_head(e, s, guard, rest);
    fputs(block ? ") {" : ")", e->line->f);
    print_line(e, e->inner->f, indent);
    print_stmt(e, body, indent + INDENT);
    if (block) put(e, indent, "}");
    e->vars.n--;
    e->steps = outer;
}

static void print_if(Emit *e, const Stmt *s, int indent)
{
    fputs("if (", e->line->f);
    print_expr(e, e->line->f, s->cond, P_ANY);
    fputs(") {", e->line->f);
    print_line(e, e->inner->f, indent);
    print_stmt(e, s->body[0], indent + INDENT);
    if (s->n == 2) {
        put(e, indent, "} else {");
        print_stmt(e, s->body[1], indent + INDENT);
    }
    put(e, indent, "}");
}

void print_stmt(Emit *e, const Stmt *s, int indent)
{
    if (print_part(e, s, indent)) return;
    switch (s->kind) {
    case S_SEQ: print_seq(e, s, indent); break;
    case S_FOR: print_for(e, s, indent); break;
    case S_IF: print_if(e, s, indent); break;
    case S_STORE: print_store(e, s, indent, false); break;
    case S_LOCAL: print_local(e, s->buf, indent, true); break;
    case S_COPY: print_copy(e, s, indent); break;
    }
}
