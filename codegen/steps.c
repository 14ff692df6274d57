/* Loops that step through what they read.
 *
 * A loop that reads scalars one behind the other, and in its lanes panels of S elements, is printed with a pointer that
 * steps through the scalars and with a variable that counts the elements of the panels, S at a time:
 *     for (k = 0; k < 64*S; k += S, q++) { const float s0 = q[0], s1 = q[64]; ... p_w[k + l] ... }
 * clang else makes one register the end of the loop and part of each address; a product that reads its operand by way
 * of two registers counts as two operations on x86. Scalars of several products are operands in a register anyway; with
 * a pointer clang would load all of them at once, and spill.
 *
 * The pointer starts at the least place that is read and stops one behind the greatest at the latest, so it never
 * leaves the array. */
#include "emit.h"

typedef struct Look { Emit *e; const Stmt *loop; Steps *to; int64_t by; bool fits; } Look;

/* x = rest + c·var, c not below 0, and nothing else in x hangs on the variable. */
static bool split(Emit *e, const Idx *x, const Idx *var, int number, const Idx **rest, int64_t *c)
{
    const Idx *ends[2] = {idx_const(e->c, 0), idx_const(e->c, 1)}, *at[2];
    for (int i = 0; i < 2; i++) at[i] = idx_subst(e->c, x, &(Subst){1, &number, &ends[i]});
    *rest = at[0];
    *c = at[1]->k - at[0]->k;
    return *c >= 0 && idx_axpy(e->c, at[0], *c, var) == x;
}

static const Idx *loop_var(const Look *l)
{
    return idx_var(l->e->c, l->loop->var, l->loop->extent);
}

static int64_t common(int64_t a, int64_t b)
{
    return b ? common(b, a % b) : a;
}

static void see_place(Look *l, const Buf *b, const Idx *const *at)
{
    const Idx *rest;
    int64_t c = 0;
    if (b->rank == 0 && b->kind == BUF_LOCAL) return;
    const Idx *flat = flat_place(l->e, b, at);
    l->fits &= split(l->e, flat, loop_var(l), l->loop->var, &rest, &c);
    l->by = common(l->by, c);
}

static void see_load(const Expr *x, void *arg)
{
    Look *l = arg;
    if (x->kind == E_LOAD) see_place(l, x->buf, x->at);
    if (x->kind == E_INDEX || x->kind == E_IN) l->fits &= !idx_uses(x->at[0], l->loop->var);
}

static bool direct(const Expr *x)
{
    return x->kind == E_LOAD && x->buf->kind != BUF_LOCAL && x->dt == x->buf->dt && elem_per(x->dt) == 1 &&
           x->dt != DT_STRING && !x->buf->text;
}

/* The scalar is read by a pointer, when its place goes on by one element a step. */
static void see_scalar(Look *l, const Buf *local, const Expr *x)
{
    const Idx *rest;
    int64_t c;
    Steps *s = l->to;
    if (!direct(x) || !split(l->e, flat_place(l->e, x->buf, x->at), loop_var(l), l->loop->var, &rest, &c) || c > 1) {
        expr_walk(l->e->c, x, see_load, l);
        return;
    }
    if (c == 0) return;
    const Local *name = ptrmap_get(&l->e->fn->locals, local);
    l->fits &= name->loads < 2;
    const Idx *shape = idx_add(l->e->c, rest, idx_const(l->e->c, -rest->k));
    int i = 0;
    while (i < s->n && (s->at[i].buf != x->buf || s->at[i].shape != shape)) i++;
    if (i == STEPS_MOST) l->fits = false;
    if (i == STEPS_MOST) return;
    if (i == s->n) s->at[s->n++] = (Step){.buf = x->buf, .shape = shape, .first = rest};
    if (rest->k < s->at[i].first->k) s->at[i].first = rest;
}

bool steps_of(Emit *e, const Stmt *loop, Steps *to)
{
    const Stmt *body = loop->body[0];
    Look l = {e, loop, to, 0, body->kind == S_SEQ && !e->steps};
    *to = (Steps){.var = loop->var, .extent = loop->extent};
    for (int i = 0; l.fits && i < body->n; i++) {
        const Stmt *s = body->body[i];
        const bool lanes = s->kind == S_FOR && s->lanes && s->body[0]->kind == S_STORE;
        const Stmt *store = lanes ? s->body[0] : s;
        if (s->kind == S_LOCAL) continue;
        l.fits &= store->kind == S_STORE && (lanes || (s->buf->kind == BUF_LOCAL && s->buf->rank == 0));
        if (!l.fits) return false;
        see_place(&l, store->buf, store->at);
        if (lanes) expr_walk(e->c, store->value, see_load, &l);
        else see_scalar(&l, store->buf, store->value);
    }
    to->by = l.by;
    return l.fits && to->n > 0 && l.by > 1;
}

const Idx *steps_place(Emit *e, const Idx *flat)
{
    const Steps *s = e->steps;
    const Idx *var = idx_var(e->c, s->var, s->extent), *rest;
    int64_t c;
    if (!idx_uses(flat, s->var) || !split(e, flat, var, s->var, &rest, &c) || c % s->by != 0) return flat;
    return idx_axpy(e->c, rest, c / s->by, idx_var(e->c, s->var, s->extent * s->by));
}

bool print_step_place(Emit *e, FILE *f, const Buf *b, const Idx *flat)
{
    const Steps *s = e->steps;
    const Idx *var = idx_var(e->c, s->var, s->extent), *rest;
    int64_t c;
    if (!idx_uses(flat, s->var) || !split(e, flat, var, s->var, &rest, &c) || c != 1) return false;
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].buf != b || idx_add(e->c, rest, idx_const(e->c, -rest->k)) != s->at[i].shape) continue;
        fprintf(f, "%s[%lld]", s->at[i].name, (long long)(rest->k - s->at[i].first->k));
        return true;
    }
    return false;
}

void print_steps_begin(Emit *e, Steps *s, int indent)
{
    FILE *f = e->line->f;
    for (int i = 0; i < s->n; i++) {
        Step *p = &s->at[i];
        p->name = cname_new(e->c, &e->fn->names, "q", p->buf->name);
        fprintf(f, "const %s *%s = &", buf_ctype(p->buf), p->name);
        print_element(e, f, p->buf, p->first);
        fputc(';', f);
        print_line(e, e->inner->f, indent);
    }
}
