/* Unit tests of ir/graph/op.c: the notation of signatures, and look-up. */
#include "op.h"

#include <check.h>

static Ctx *c;

static void setup(void)
{
    c = ctx_new();
}

static void teardown(void)
{
    ctx_free(c);
}

static const Expr *an_at(Lower *l, int out, const Idx *const *i)
{
    (void)l, (void)out, (void)i;
    return NULL;
}

static bool an_expand(Build *b, const Node *n, Edge **out)
{
    (void)b, (void)n, (void)out;
    return true;
}

static void a_lower(Lower *l)
{
    (void)l;
}

typedef struct Entries { const Op *ops; int n; } Entries;

static void read_table(Ctx *ctx, void *arg)
{
    const Entries *e = arg;
    ctx->ops = op_table_new(ctx, e->ops, e->n);
}

static const Sig *one(const char *sig)
{
    Op *op = NEW(c, Op);
    *op = (Op){.sig = sig, .expand = an_expand};
    c->ops = op_table_new(c, op, 1);
    ck_assert_int_eq(op_count(c), 1);
    return op_entry(c, 0);
}

/* The internal error that reading the entries ends in. */
static void refused_ops(const Op *ops, int n, const char *message)
{
    Entries e = {ops, n};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ck_assert_msg(!ctx_run(c, read_table, &e), "%s was read", ops[0].sig);
    diag_flush(c, f);
    fclose(f);
    ck_assert_msg(strstr(text, message), "%s\nis not in\n%s", message, text);
    ck_assert_ptr_nonnull(strstr(text, "internal error"));
    ck_assert_ptr_nonnull(strstr(text, ops[0].sig));
    free(text);
}

static void refused(const char *sig, const char *message)
{
    Op op = {.sig = sig, .at = an_at};
    refused_ops(&op, 1, message);
}

/* ---- what the notation can say ----------------------------------------------------------------------------------- */

START_TEST(the_shortest_entry)
{
    const Sig *s = one("Nothing-1()=>()");
    ck_assert_str_eq(s->name, "Nothing");
    ck_assert_str_eq(s->domain, "");
    ck_assert_int_eq(s->since, 1);
    ck_assert_int_eq(s->nattrs + s->nin + s->nout + s->ndefaults, 0);
    ck_assert(!s->graphs);
    ck_assert_ptr_nonnull(s->op->expand);
}
END_TEST

START_TEST(domains)
{
    ck_assert_str_eq(one("com.microsoft::FusedMatMul-1 (x: F) => (y: F)")->domain, "com.microsoft");
    ck_assert_str_eq(one("com.microsoft::FusedMatMul-1 (x: F) => (y: F)")->name, "FusedMatMul");
    ck_assert_str_eq(one("ai.onnx::Relu-6 (x: F) => (y: F)")->domain, "");
    ck_assert_str_eq(one("ai.onnx.ml::Scaler-1 (x: F) => (y: F)")->domain, "ai.onnx.ml");
}
END_TEST

static const AttrSig *attr_of(const Sig *s, int k, const char *name, AttrKind kind, bool required)
{
    const AttrSig *a = &s->attrs[k];
    ck_assert_str_eq(a->name, name);
    ck_assert_int_eq(a->kind, kind);
    ck_assert_int_eq(a->required, required);
    return a;
}

START_TEST(attributes_of_every_type)
{
    const Sig *s =
        one("A-1 <i: int, f: float, s: string, t: tensor, z: sparse, g: graph, is: ints, fs: floats, ss: strings, "
            "ts: tensors, gs: graphs, ty: type> () => ()");
    static const AttrKind kinds[] = {ATTR_INT, ATTR_FLOAT, ATTR_STRING, ATTR_TENSOR, ATTR_SPARSE, ATTR_GRAPH, ATTR_INTS,
                                     ATTR_FLOATS, ATTR_STRINGS, ATTR_TENSORS, ATTR_GRAPHS, ATTR_TYPE};
    static const char *const names[] = {"i", "f", "s", "t", "z", "g", "is", "fs", "ss", "ts", "gs", "ty"};
    ck_assert_int_eq(s->nattrs, COUNT(kinds));
    for (int i = 0; i < s->nattrs; i++)
        ck_assert_ptr_null(attr_of(s, i, names[i], kinds[i], true)->fallback);
    ck_assert(s->graphs);
    ck_assert_int_eq(s->ndefaults, 0);
}
END_TEST

START_TEST(defaults)
{
    const Sig *s =
        one("A-1 <i: int = -7, f: float = 1e-05, g: float = 2, s: string = \"not set\", o?: ints, l: ints = [1, -2], "
            "e: ints = [], fs: floats = [0.5,1], ss: strings = [\"a\", \"\"], inf: float = -inf> () => ()");
    ck_assert_int_eq(attr_of(s, 0, "i", ATTR_INT, false)->fallback->i, -7);
    ck_assert_float_eq(attr_of(s, 1, "f", ATTR_FLOAT, false)->fallback->f, 1e-05F);
    ck_assert_float_eq(attr_of(s, 2, "g", ATTR_FLOAT, false)->fallback->f, 2);
    ck_assert_str_eq(attr_of(s, 3, "s", ATTR_STRING, false)->fallback->s, "not set");
    ck_assert_ptr_null(attr_of(s, 4, "o", ATTR_INTS, false)->fallback);
    const Attr *l = attr_of(s, 5, "l", ATTR_INTS, false)->fallback;
    ck_assert_int_eq(l->n, 2);
    ck_assert_int_eq(l->ints[1], -2);
    ck_assert_int_eq(attr_of(s, 6, "e", ATTR_INTS, false)->fallback->n, 0);
    const Attr *fs = attr_of(s, 7, "fs", ATTR_FLOATS, false)->fallback;
    ck_assert_int_eq(fs->n, 2);
    ck_assert_float_eq(fs->floats[0], 0.5F);
    const Attr *ss = attr_of(s, 8, "ss", ATTR_STRINGS, false)->fallback;
    ck_assert_int_eq(ss->n, 2);
    ck_assert_str_eq(ss->strings[0], "a");
    ck_assert_str_eq(ss->strings[1], "");
    ck_assert(isinf(attr_of(s, 9, "inf", ATTR_FLOAT, false)->fallback->f));
    ck_assert_int_eq(s->ndefaults, 9);
    ck_assert_str_eq(s->defaults[4].name, "l");
    ck_assert_str_eq(s->defaults[0].name, "i");
}
END_TEST

#define T(x) (UINT64_C(1) << DT_##x)
START_TEST(sets_of_types)
{
    const Sig *s = one("A-1 (f: F, i: I, u: U, j: J, r: R, b: B, c: C, s: S, q: Q, v: V) => ()");
    const uint64_t f = T(F16) | T(BF16) | T(F32) | T(F64), i = T(I8) | T(I16) | T(I32) | T(I64),
                   u = T(U8) | T(U16) | T(U32) | T(U64), cc = T(C64) | T(C128),
                   q = T(F8E4M3) | T(F8E4M3Z) | T(F8E5M2) | T(F8E5M2Z) | T(F8E8M0) | T(F4E2M1) | T(U4) | T(I4) | T(U2) |
                       T(I2);
    const uint64_t want[] = {f, i, u, i | u, f | i | u, T(BOOL), cc, T(STRING), q, 0};
    uint64_t all = 0;
    for (int t = 1; t < DT_COUNT; t++)
        all |= UINT64_C(1) << t;
    for (int k = 0; k < 9; k++)
        ck_assert_uint_eq(s->in[k].types, want[k]);
    ck_assert_uint_eq(s->in[9].types, all);
    ck_assert_uint_eq(all, f | i | u | T(BOOL) | cc | T(STRING) | q);
    for (int k = 0; k < 10; k++)
        ck_assert_uint_eq(strlen(s->in[k].var), 1);
}
END_TEST

START_TEST(type_variables)
{
    const Sig *s = one("A-1 (a: F, b: F2, c: F, d: int64, e: RB2, f: V*, g: int32|int64, h: int32 | int64) => (y: F2)");
    ck_assert_str_eq(s->in[0].var, "F");
    ck_assert_str_eq(s->in[1].var, "F2");
    ck_assert_uint_eq(s->in[1].types, s->in[0].types);
    ck_assert_ptr_eq(s->in[0].var, s->in[2].var);
    ck_assert_ptr_ne(s->in[0].var, s->in[1].var);
    ck_assert_ptr_eq(s->out[0].var, s->in[1].var);
    ck_assert_ptr_null(s->in[3].var);
    ck_assert_uint_eq(s->in[3].types, T(I64));
    ck_assert_str_eq(s->in[4].var, "RB2");
    ck_assert_uint_eq(s->in[4].types & T(BOOL), T(BOOL));
    ck_assert_uint_eq(s->in[4].types & T(F16), T(F16));
    ck_assert_ptr_null(s->in[5].var);
    ck_assert_uint_eq(s->in[6].types, T(I32) | T(I64));
    ck_assert_str_eq(s->in[6].var, "int32|int64");
    ck_assert_uint_eq(s->in[7].types, T(I32) | T(I64));
}
END_TEST

START_TEST(marks_of_operands)
{
    const Sig *s =
        one("A-1 (x~: V, shape!: int64, bias?: V, k?!: int64, rest...?: V2) => (y: V, mask?: B, more...: V)");
    ck_assert(s->in[0].type_only && !s->in[0].known && !s->in[0].optional && !s->in[0].variadic);
    ck_assert(!s->in[1].type_only && s->in[1].known && !s->in[1].optional);
    ck_assert(s->in[2].optional && !s->in[2].known);
    ck_assert(s->in[3].optional && s->in[3].known);
    ck_assert(s->in[4].variadic && s->in[4].optional);
    ck_assert(s->out[1].optional);
    ck_assert(s->out[2].variadic && !s->out[2].optional);
    ck_assert_ptr_eq(sig_param(s->in, s->nin, 9), &s->in[4]);
    ck_assert_ptr_eq(sig_param(s->in, s->nin, 1), &s->in[1]);
    s = one("A-1 (x: V) => (y: V)");
    ck_assert_ptr_null(sig_param(s->in, s->nin, 1));
    ck_assert_ptr_null(sig_param(NULL, 0, 0));
}
END_TEST

START_TEST(results_by_data_have_their_dimensions_behind_them)
{
    Op op = {"A-1 (x: V) => (y#1: V, z: V, w?#: int64)", .lower = a_lower};
    Op *at = mem_copy(c, &op, sizeof op);
    c->ops = op_table_new(c, at, 1);
    const Sig *s = op_entry(c, 0);
    ck_assert_int_eq(s->nshown, 3);
    ck_assert_int_eq(s->nout, 5);
    ck_assert(s->out[0].by_data && s->out[0].dim == 1 && !s->out[1].by_data && s->out[2].by_data);
    ck_assert_int_eq(s->out[3].dims_of, 0);
    ck_assert_int_eq(s->out[4].dims_of, 2);
    ck_assert_uint_eq(s->out[4].types, T(I32));
}
END_TEST

START_TEST(blanks_do_not_matter)
{
    const Sig *s =
        one("  d.e :: A - 13\n  < k : int = 1 , l : ints = [ 1 , 2 ] > ( x ? : F , y ... : F2 * ) => ( z : F ) ");
    ck_assert_str_eq(s->domain, "d.e");
    ck_assert_int_eq(s->since, 13);
    ck_assert_int_eq(s->attrs[1].fallback->n, 2);
    ck_assert(s->in[0].optional && s->in[1].variadic && !s->in[1].var);
    ck_assert_str_eq(s->out[0].name, "z");
}
END_TEST

/* ---- what it cannot ---------------------------------------------------------------------------------------------- */

START_TEST(malformed_heads)
{
    refused("", "expected a name");
    refused("Relu", "expected '-'");
    refused("Relu-", "expected an integer");
    refused("Relu-x () => ()", "expected an integer");
    refused("Relu-0 () => ()", "versions count from 1");
    refused("Relu--3 () => ()", "versions count from 1");
    refused("Relu-99999999999 () => ()", "versions count from 1");
    refused("Relu-1.5 () => ()", "expected an integer");
    refused("a::b::Relu-1 () => ()", "expected '-'");
    refused("::Relu-1 () => ()", "expected a name");
    refused("Relu-1", "expected '('");
    refused("Relu-1 ()", "expected '=>'");
    refused("Relu-1 () =>", "expected '('");
    refused("Relu-1 () => () x", "expected the end");
}
END_TEST

START_TEST(malformed_attributes)
{
    refused("A-1 <> () => ()", "expected a name");
    refused("A-1 <a> () => ()", "expected ':'");
    refused("A-1 <a: > () => ()", "expected a name");
    refused("A-1 <a: integer> () => ()", "not a type of attributes");
    refused("A-1 <a: int () => ()", "expected '>'");
    refused("A-1 <a: int,> () => ()", "expected a name");
    refused("A-1 <a: int = > () => ()", "expected an integer");
    refused("A-1 <a: int = 1.5> () => ()", "expected an integer");
    refused("A-1 <a: int = 99999999999999999999> () => ()", "expected an integer");
    refused("A-1 <a: float = x> () => ()", "expected a number");
    refused("A-1 <a: string = x> () => ()", "expected '\"'");
    refused("A-1 <a: string = \"x> () => ()", "the string does not end");
    refused("A-1 <a: ints = 1> () => ()", "expected '['");
    refused("A-1 <a: ints = [1 2]> () => ()", "expected ','");
    refused("A-1 <a: ints = [1,]> () => ()", "expected an integer");
    refused("A-1 <a: tensor = 1> () => ()", "has no default");
    refused("A-1 <a: graph = 1> () => ()", "has no default");
    refused("A-1 <a?: int = 1> () => ()", "optional, and with a default");
    refused("A-1 <a: int, b: int, a: float> () => ()", "an attribute of that name is there already");
}
END_TEST

START_TEST(malformed_operands)
{
    refused("A-1 (x) => ()", "expected ':'");
    refused("A-1 (x: ) => ()", "expected a name");
    refused("A-1 (x: F => ()", "expected ','");
    refused("A-1 (x: F,) => ()", "expected a name");
    refused("A-1 (, x: F) => ()", "expected a name");
    refused("A-1 (x: T) => ()", "not a type");
    refused("A-1 (x: FT2) => ()", "not a type");
    refused("A-1 (x: 2) => ()", "not a type");
    refused("A-1 (x: F22) => ()", "not a type");
    refused("A-1 (x: float32) => ()", "not a type");
    refused("A-1 (x: int32|) => ()", "expected a name");
    refused("A-1 (x: F, x: F) => ()", "an operand of that name is there already");
    refused("A-1 (x...: F, y: F) => ()", "must be the last one");
    refused("A-1 (x??: F) => ()", "stands there twice");
    refused("A-1 (x: F) => (y!: F)", "results do not have");
    refused("A-1 (x: F) => (y~: F)", "results do not have");
}
END_TEST

START_TEST(entries_have_one_meaning)
{
    const char *sig = "A-1 (x: F) => (y: F)";
    Op none = {.sig = sig}, two = {.sig = sig, .at = an_at, .lower = a_lower},
       wide = {.sig = sig, .at = an_at, .wide = true}, arity = {.sig = sig, .scalar = SCALAR(add)},
       graph = {.sig = "A-1 <g: graph> () => ()", .at = an_at};
    refused_ops(&none, 1, "exactly one of");
    refused_ops(&two, 1, "exactly one of");
    refused_ops(&wide, 1, "wide goes with expand");
    refused_ops(&arity, 1, "another number of operands");
    refused_ops(&graph, 1, "must expand");
    Op same[] = {{.sig = "A-1 () => (y: F)", .at = an_at}, {.sig = "A-1 () => (y: F)", .at = an_at}};
    refused_ops(same, 2, "is there twice");
}
END_TEST

/* ---- look-up ----------------------------------------------------------------------------------------------------- */

static const Op table[] = {
    {.sig = "Reshape-5 (x: V, shape!: int64) => (y: V)", .at = an_at},
    {.sig = "Relu-14 (x: R) => (y: R)", .scalar = SCALAR(relu)},
    {.sig = "Reshape-14 <allowzero: int = 0> (x: V, shape!: int64) => (y: V)", .at = an_at},
    {.sig = "com.acme::Relu-2 (x: F) => (y: F)", .scalar = SCALAR(relu)},
    {.sig = "Relu-6 (x: F) => (y: F)", .scalar = SCALAR(relu)},
    {.sig = "Shape-1 (x~: V) => (y: int64)", .at = an_at},
    {.sig = "Reshape-1 <shape?: ints> (x: F) => (y: F)", .at = an_at},
};

static void finds(const char *domain, const char *name, int64_t opset, int since, int newer)
{
    int later = -1;
    const Sig *s = op_find(c, domain, name, opset, &later);
    ck_assert_int_eq(s ? s->since : 0, since);
    ck_assert_int_eq(later, newer);
    ck_assert_ptr_eq(op_find(c, domain, name, opset, NULL), s);
}

START_TEST(versions)
{
    c->ops = op_table_new(c, table, COUNT(table));
    ck_assert_int_eq(op_count(c), COUNT(table));
    finds("", "Reshape", 1, 1, 0);
    finds("", "Reshape", 4, 1, 0);
    finds("", "Reshape", 5, 5, 0);
    finds("", "Reshape", 13, 5, 0);
    finds("ai.onnx", "Reshape", 14, 14, 0);
    finds(NULL, "Reshape", 1000, 14, 0);
    finds("", "Relu", 5, 0, 6);
    finds("", "Relu", 6, 6, 0);
    finds("com.acme", "Relu", 1, 0, 2);
    finds("com.acme", "Relu", 2, 2, 0);
    finds("com.acme", "Reshape", 2, 0, 0);
    finds("", "Nope", 20, 0, 0);
    ck_assert_int_eq(op_newest(c, "", "Relu")->since, 14);
    ck_assert_ptr_null(op_newest(c, "", "relu"));
}
END_TEST

START_TEST(neighbours_in_version)
{
    c->ops = op_table_new(c, table, COUNT(table));
    const Sig *s = op_find(c, "", "Reshape", 5, NULL);
    ck_assert_int_eq(op_version(c, s, 1)->since, 14);
    ck_assert_int_eq(op_version(c, s, -1)->since, 1);
    ck_assert_ptr_null(op_version(c, op_newest(c, "", "Reshape"), 1));
    ck_assert_ptr_null(op_version(c, op_find(c, "", "Reshape", 1, NULL), -1));
    ck_assert_ptr_null(op_version(c, op_newest(c, "", "Shape"), 1));
}
END_TEST

START_TEST(entries_are_sorted)
{
    static const char *const order[] = {"Relu", "Relu", "Reshape", "Reshape", "Reshape", "Shape", "Relu"};
    static const int since[] = {6, 14, 1, 5, 14, 1, 2};
    c->ops = op_table_new(c, table, COUNT(table));
    for (int i = 0; i < COUNT(table); i++) {
        ck_assert_str_eq(op_entry(c, i)->name, order[i]);
        ck_assert_int_eq(op_entry(c, i)->since, since[i]);
    }
}
END_TEST

START_TEST(nearest_names)
{
    c->ops = op_table_new(c, table, COUNT(table));
    ck_assert_str_eq(op_nearest(c, "", "Reshap"), "Reshape");
    ck_assert_str_eq(op_nearest(c, "ai.onnx", "relu"), "Relu");
    ck_assert_str_eq(op_nearest(c, "com.acme", "Rely"), "Relu");
    ck_assert_ptr_null(op_nearest(c, "com.acme", "Reshape"));
    ck_assert_ptr_null(op_nearest(c, "elsewhere", "Relu"));
}
END_TEST

START_TEST(an_empty_table)
{
    c->ops = op_table_new(c, table, 0);
    finds("", "Relu", 20, 0, 0);
    ck_assert_ptr_null(op_nearest(c, "", "Relu"));
    c->ops = NULL;
    finds("", "Relu", 20, 0, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("op");
    TCase *t = tcase_create("op");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_shortest_entry);
    tcase_add_test(t, domains);
    tcase_add_test(t, attributes_of_every_type);
    tcase_add_test(t, defaults);
    tcase_add_test(t, sets_of_types);
    tcase_add_test(t, type_variables);
    tcase_add_test(t, marks_of_operands);
    tcase_add_test(t, results_by_data_have_their_dimensions_behind_them);
    tcase_add_test(t, blanks_do_not_matter);
    tcase_add_test(t, malformed_heads);
    tcase_add_test(t, malformed_attributes);
    tcase_add_test(t, malformed_operands);
    tcase_add_test(t, entries_have_one_meaning);
    tcase_add_test(t, versions);
    tcase_add_test(t, neighbours_in_version);
    tcase_add_test(t, entries_are_sorted);
    tcase_add_test(t, nearest_names);
    tcase_add_test(t, an_empty_table);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
