/* Unit tests of the reader of ONNX binary: files that are cut short, damaged, nested, or claim more than they hold, and
 * memory that runs out. */
#include "onnx_read.h"

#define BRANCH(name, out, nodes) "{2\"" name "\" 12{1\"" out "\"} " nodes "}"

/* ---- broken and hostile files ---------------------------------------------------------------------------------- */

static const char whole[] =
    "1:8 2\"p\" 8{1\"\" 2:17} 8{1\"d\" 2:1} 14{1\"k\" 2\"v\"} 7{2\"g\" " IN("x") OUT("y") "13" VALUE("t", FLOAT2)
    "5{1:2 2:1 4(1 2) 8\"w\"} 5{1:3 2:22 5[1 -2 7] 8\"v\"} 5{2:9 9/01/ 8\"c\"} 15{1{1:1 2:1 4(5) 8\"s\"} 2{1:1 2:7 "
        "7[1]} 3:2}"
    NODE("n", "Attrs", I("x") I("") I("w"), O("t"), A("f", "1", "2=1.5") A("is", "7", "8:1 8:2") A("t", "4",
        "5{2:1 4(1)}"))
    "1{1\"t\" 2\"u\" 4\"f\" 7\"d\"}"
    NODE("if", "If", I("c"), O("y"), A("then_branch", "5", "6" BRANCH("t", "a", NODE("", "Add", I("u") I("s"), O("a"),
        "")))
         A("else_branch", "5", "6" BRANCH("e", "b", NODE("", "Neg", I("x"), O("b"), "")))) "}"
    "25{1\"f\" 10\"d\" 4\"a\" 5\"b\" 6\"al\" 7{1\"a\" 2\"b\" 4\"Neg\"} 9{1\"\" 2:17}}";

/* Reads a changed file with a context of its own. */
static bool survives(const char *data, size_t n, long fail)
{
    Ctx *own = ctx_new();
    File *f = NEW(own, File);
    *f = (File){"m", mem_copy(own, data, n), n};
    Job job = {.f = f};
    give_ops(own);
    own->fail_alloc = fail;
    bool done = ctx_run(own, read_job, &job);
    own->fail_alloc = 0;
    ck_assert(own->errors || own->no_memory || (job.g && !job.m->broken));
    size_t peak = own->peak;
    ctx_free(own);
    ck_assert(peak < 4 << 20);           /* a chunk of each arena, and little more */
    return done;
}

START_TEST(cut_and_damaged)
{
    const File *f = onnx_of(c, whole);
    read_file(f);
    ck_assert_msg(!c->errors, "%s", said());
    char *copy = mem_copy(c, f->data, f->size);
    for (size_t n = 0; n < f->size; n++)
        survives(f->data, n, 0);
    for (size_t i = 0; i < 8 * f->size; i++) {
        copy[i / 8] ^= (char)(1 << i % 8);
        survives(copy, f->size, 0);
        copy[i / 8] ^= (char)(1 << i % 8);
    }
    for (size_t i = 0; i < f->size; i++) {
        char old = copy[i];
        copy[i] = (char)-1;
        survives(copy, f->size, 0);
        copy[i] = old;
    }
}
END_TEST

/* head, then part n times, then tail, as bytes of a message; closed: each part lies within the one before. */
static const File *nested(const char *tags, const char *innermost, int n)
{
    Out in = {{0}};
    out_fields(c, &in, innermost);
    for (int i = 0; i < n; i++)
        for (const char *t = tags; *t; t++) {
            Out out = {{0}};
            out_byte(c, &out, (unsigned)(unsigned char)*t << 3 | 2);
            out_varint(c, &out, (uint64_t)in.v.n);
            out_bytes(c, &out, in.v.at, (size_t)in.v.n);
            in = out;
        }
    Out all = {{0}};
    out_byte(c, &all, 7 << 3 | 2);
    out_varint(c, &all, (uint64_t)in.v.n);
    out_bytes(c, &all, in.v.at, (size_t)in.v.n);
    File *f = NEW(c, File);
    *f = (File){"m", all.v.at, (size_t)all.v.n};
    return f;
}

static const File *repeated(const char *head, const char *part, int n)
{
    Out all = {{0}}, in = {{0}}, one = {{0}};
    out_fields(c, &in, head);
    out_fields(c, &one, part);
    for (int i = 0; i < n; i++)
        out_bytes(c, &in, one.v.at, (size_t)one.v.n);
    out_byte(c, &all, 7 << 3 | 2);
    out_varint(c, &all, (uint64_t)in.v.n);
    out_bytes(c, &all, in.v.at, (size_t)in.v.n);
    File *f = NEW(c, File);
    *f = (File){"m", all.v.at, (size_t)all.v.n};
    return f;
}

static void proportion(const File *f)
{
    Ctx *own = ctx_new();
    Job job = {.f = f};
    give_ops(own);
    ctx_run(own, read_job, &job);
    ck_assert_msg(own->peak < 256 * f->size + (16 << 20), "%zu bytes for %zu", own->peak, f->size);
    ctx_free(own);
}

START_TEST(hostile)
{
    refused_file(nested("\x06\x05\x01", "", 101), "graphs are nested more than 100 deep here");
    refused_file(nested("\x06\x05\x01", "", 300), "graphs are nested more than 100 deep here");
    read_file(nested("\x06\x05\x01", "", 90));
    ck_assert_ptr_null(strstr(said(), "nested"));
    refused_file(repeated("", "5{}", 200), "too many faults");
    static const char *const parts[] = {"1{}", "1{1\"\"}", "11{}", "12{}", "13{}", "5{}", "15{}", "1{4\"Neg\" 5{}}",
        "1{5{1\"a\" 3:1}}",
                                        "1{5{20:5 6{}}}", "5{2:1 4(1)}", "5{2:7 7[1]}", "1{1\"x\" 2\"x\" 4\"Neg\"}"};
    for (int i = 0; i < COUNT(parts); i++)
        proportion(repeated(IN("x"), parts[i], 20000));
    proportion(repeated("", "5{1:2 2:1 9/0000000000000000/ 8\"w\"}", 20000));
}
END_TEST

START_TEST(deep_types)
{
    for (int n = 99; n <= 102; n++) {
        const char *type = "1{1:1}";
        for (int i = 0; i < n; i++)
            type = internf(c, "4{1{%s}}", type);
        const char *text = internf(c, "7{11{1\"x\" 2{%s}}}", type);
        if (n > 100)
            refused(text, "'x': its type is nested more than 100 deep");
        else
            ck_assert(!read_text(text).m->broken);
    }
}
END_TEST

/* Memory that runs out anywhere ends the reading, and nothing leaks. Only test builds make it run out. */
START_TEST(no_memory)
{
    const File *f = onnx_of(c, whole);
    for (long n = 1; n < 3000; n++) {
        if (survives(f->data, f->size, n))
            break;
        ck_assert_int_lt(n, 2999);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        cut_and_damaged, hostile, deep_types, no_memory,
    };
    return RUN("onnx_bad", setup, context_free, tests);
}
