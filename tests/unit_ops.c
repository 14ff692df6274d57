/* Unit tests of ir/ops: the table as a whole. What each operator means is tested by the text cases (tests/op). */
#include "ops.h"
#include "unit.h"

static void read_table(Ctx *ctx, void *arg)
{
    (void)arg;
    ctx->ops = op_table_new(ctx, ops_table, ops_count);
}

static void setup(void)
{
    c = ctx_new();
    ck_assert_ptr_nonnull(c);
    ck_assert(ctx_run(c, read_table, NULL));
}

START_TEST(signatures_are_read)
{
    ck_assert_int_eq(op_count(c), ops_count);
}
END_TEST

/* Canonical graphs are printed with the newest opset: no entry lies beyond it. */
START_TEST(versions_are_known)
{
    for (int k = 0; k < op_count(c); k++)
        ck_assert_msg(op_entry(c, k)->since <= OPSET_NEWEST, "%s-%d", op_entry(c, k)->name, op_entry(c, k)->since);
}
END_TEST

/* An older version that is rewritten must be rewritten into another one: its function is not that of the newest. */
START_TEST(rewriting_ends)
{
    for (int k = 0; k < op_count(c); k++) {
        const Sig *s = op_entry(c, k), *last = op_newest(c, s->domain, s->name);
        if (s == last)
            continue;
        ck_assert_msg(!s->op->expand || s->op->expand != last->op->expand || !last->op->infer, "%s-%d", s->name, s->since);
    }
}
END_TEST

START_TEST(bodies_can_be_built)
{
    for (int k = 0; k < op_count(c); k++)
        if (op_entry(c, k)->op->body || op_entry(c, k)->op->late_body)
            op_check_body(c, op_entry(c, k));
        else if (op_entry(c, k)->op->formula)
            op_check_formula(c, op_entry(c, k));
}
END_TEST

typedef struct Row {
    const char *text, *message;
    bool formula;
} Row;

static void read_row(Ctx *ctx, void *arg)
{
    const Row *row = arg;
    Op *all = NEW_N(ctx, Op, ops_count + 1);
    memcpy(all, ops_table, sizeof *all * (size_t)ops_count);
    all[ops_count] = (Op){.sig = "test::Row-1 <k: int = 1, s: string = \"a\"> (x: F, y?: F) => (z: F)", .body = row->formula ? NULL : row->text,
                          .formula = row->formula ? row->text : NULL};
    ctx->ops = op_table_new(ctx, all, ops_count + 1);
    if (row->formula)
        op_check_formula(ctx, op_newest(ctx, "test", "Row"));
    else
        op_check_body(ctx, op_newest(ctx, "test", "Row"));
}

static const Row faulty[] = {
    {"z = x; for i on [1] { z = x }", "expected 'in'", false},
    {"z = x; for i in [1] { z = x + i", "expected '}'", false},
    {"for i in [1] { a = x }; z = a", "nothing is called 'a' so far", false},
    {"z = w", "nothing is called 'w' so far", false},
    {"a = x", "nothing is called 'z' so far", false},
    {"z = x y", "expected ';' or the end", false},
    {"z = Ad(x, y)", "there is no operator 'Ad'", false},
    {"z = Relu(x, y)", "Relu does not take so many operands", false},
    {"z = Relu<k = 1>(x)", "Relu has no attribute 'k'", false},
    {"z = Elu<alpha = 'a'>(x)", "not a value of the attribute 'alpha'", false},
    {"z = x * @w", "there is no attribute 'w'", false},
    {"(z, a) = Relu(x)", "Relu does not give so many results", false},
    {"z = (x", "expected ')'", false},
    {"z = @s == 'a", "the string does not end", false},
    {"z = dim(x)", "expected ','", false},
    {"z = x ? y", "expected ':'", false},
    {"x + w", "nothing is called 'w'", true},
    {"ex(x)", "there is no function 'ex' of 1", true},
    {"exp(x, y)", "there is no function 'exp' of 2", true},
    {"x * @w", "there is no attribute 'w'", true},
    {"x < 0 ? y", "expected ':'", true},
    {"e = exp(x)", "expected ';'", true},
    {"x y", "expected the end", true},
    {"x * )", "expected a name", true},
};

START_TEST(faults_of_bodies)
{
    Row row = faulty[_i];
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    Ctx *own = ctx_new();
    ck_assert_msg(!ctx_run(own, read_row, &row), "%s was read", row.text);
    diag_flush(own, f);
    fclose(f);
    ck_assert_msg(strstr(text, row.message) != NULL, "%s: %s", row.message, text);
    free(text);
    ctx_free(own);
}
END_TEST

START_TEST(bodies_that_are_sound)
{
    static const char *const bodies[] = {
        "z = x", "z = x + y * 2 - -1 / @k", "z = Elu<*>(x)", "z = @k < 2 ? x : @s == 'b' ? fail('no') : -x",
        "a = [1, dims(x, 1), 2 * 3]; (z) = Reshape(x, a)", "(z, i) = TopK<axis = -1>(x, [@k])",
        "z = like(Clip(x, , 3), y) + float(1) + none", "z = within(x, y); z = vector(z, 3) * sqrt(size(z))",
        "z = com.microsoft::FastGelu(x, y)", "z = asked(z) ? x : item([4, 5], 1) * x",
    };
    for (int i = 0; i < COUNT(bodies); i++) {
        Row row = {bodies[i], NULL, false};
        ck_assert_msg(ctx_run(c, read_row, &row), "%s was refused", bodies[i]);
    }
}
END_TEST

START_TEST(old_attributes_are_refused)
{
    const Sig *old = op_find(c, "", "Reshape", 13, NULL), *new = op_find(c, "ai.onnx", "Reshape", 14, NULL);
    ck_assert_ptr_nonnull(old);
    ck_assert_int_eq(old->since, 5);
    ck_assert_int_eq(old->nattrs, 0);
    ck_assert_int_eq(new->since, 14);
    ck_assert_str_eq(new->attrs[0].name, "allowzero");
}
END_TEST

START_TEST(names_that_are_near)
{
    ck_assert_str_eq(op_nearest(c, "", "Reshap"), "Reshape");
    ck_assert_str_eq(op_nearest(c, "", "SoftMax"), "Softmax");
    ck_assert_ptr_null(op_nearest(c, "", "NothingLikeIt"));
}
END_TEST

int main(void)
{
    TCase *t = case_new("ops", setup, context_free);
    tcase_add_test(t, signatures_are_read);
    tcase_add_test(t, versions_are_known);
    tcase_add_test(t, rewriting_ends);
    tcase_add_test(t, bodies_can_be_built);
    tcase_add_loop_test(t, faults_of_bodies, 0, COUNT(faulty));
    tcase_add_test(t, bodies_that_are_sound);
    tcase_add_test(t, old_attributes_are_refused);
    tcase_add_test(t, names_that_are_near);
    return case_run("ops", t);
}
