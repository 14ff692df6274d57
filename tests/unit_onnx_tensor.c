/* Unit tests of the reader of ONNX binary: constants of every element type in every form, sparse ones, data beside the
 * model, files of one tensor, and what is refused of them. */
#include "onnx_read.h"

#include <unistd.h>

static char folder[] = "/tmp/unit_onnx_XXXXXX";

/* ---- constants ------------------------------------------------------------------------------------------------- */

START_TEST(constants)
{
    static const struct { const char *tensor, *values; } cases[] = {
        {"1:2 2:1 4(1.5 -2)", "float[2] = 1.5 -2"}, {"1:2 2:1 9/0000C03F000000C0/", "float[2] = 1.5 -2"},
            {"1:2 2:1 4=1.5 4=-2", "float[2] = 1.5 -2"},
        {"1[2] 2:1 4(1) 4(2)", "float[2] = 1 2"}, {"1:3 2:2 5[0 255 7]", "uint8[3] = 0 255 7"}, {"1:2 2:2 9/00FF/",
            "uint8[2] = 0 255"},
        {"1:3 2:3 5[-128 127 255]", "int8[3] = -128 127 -1"}, {"1:1 2:3 9/80/", "int8[1] = -128"},
            {"1:2 2:4 5[65535 1]", "uint16[2] = 65535 1"},
        {"1:1 2:4 9/FFFE/", "uint16[1] = 65279"}, {"1:2 2:5 5[-32768 32767]", "int16[2] = -32768 32767"},
            {"1:1 2:5 9/0080/", "int16[1] = -32768"},
        {"1:2 2:6 5[-2147483648 2147483647]", "int32[2] = -2147483648 2147483647"}, {"1:2 2:6 5:3 5:-4",
            "int32[2] = 3 -4"},
        {"1:1 2:6 9/FFFFFFFF/", "int32[1] = -1"}, {"1:2 2:7 7[-9223372036854775808 9223372036854775807]",
            "int64[2] = -9223372036854775808 9223372036854775807"},
        {"2:7 9/0100000000000080/", "int64 = -9223372036854775807"}, {"1:2 2:8 6\"a\" 6\"\"", "string[2] = \"a\" \"\""},
        {"1:2 2:9 5[0 7]", "bool[2] = 0 1"}, {"1:3 2:9 9/000102/", "bool[3] = 0 1 1"}, {"1:2 2:10 5[15872 48128]",
            "float16[2] = 1.5 -1"},
        {"1:1 2:10 9/003E/", "float16[1] = 1.5"}, {"1:1 2:11 10#(1e300)", "double[1] = 1e+300"},
            {"1:1 2:11 9/000000000000F83F/", "double[1] = 1.5"},
        {"1:2 2:12 11[4294967295 0]", "uint32[2] = 4294967295 0"}, {"1:1 2:12 9/FFFFFFFF/", "uint32[1] = 4294967295"},
        {"1:1 2:13 11[18446744073709551615]", "uint64[1] = 18446744073709551615"}, {"1:1 2:13 9/0100000000000000/",
            "uint64[1] = 1"},
        {"1:2 2:14 4(1 2 -3 4)", "complex64[2] = (1,2) (-3,4)"}, {"1:1 2:14 9/0000803F00000040/",
            "complex64[1] = (1,2)"},
        {"2:15 10#(1.5 -2)", "complex128 = (1.5,-2)"}, {"2:15 9/000000000000F83F000000000000F83F/",
            "complex128 = (1.5,1.5)"},
        {"1:1 2:16 5:16256", "bfloat16[1] = 1"}, {"1:1 2:16 9/803F/", "bfloat16[1] = 1"}, {"1:2 2:17 5[56 127]",
            "float8e4m3fn[2] = 1 nan"},
        {"1:1 2:17 9/38/", "float8e4m3fn[1] = 1"}, {"1:1 2:18 5[64]", "float8e4m3fnuz[1] = 1"}, {"1:1 2:18 9/40/",
            "float8e4m3fnuz[1] = 1"},
        {"1:1 2:19 5[60]", "float8e5m2[1] = 1"}, {"1:1 2:19 9/3C/", "float8e5m2[1] = 1"}, {"1:1 2:20 5[64]",
            "float8e5m2fnuz[1] = 1"},
        {"1:1 2:20 9/40/", "float8e5m2fnuz[1] = 1"}, {"1:3 2:21 5[33 15]", "uint4[3] = 1 2 15"}, {"1:3 2:21 9/210F/",
            "uint4[3] = 1 2 15"},
        {"1:3 2:21 5[1 2 15]", "uint4[3] = 1 2 15"}, {"1:1 2:21 5[15]", "uint4[1] = 15"}, {"1:3 2:22 5[33 15]",
            "int4[3] = 1 2 -1"},
        {"1:3 2:22 5[1 -2 -8]", "int4[3] = 1 -2 -8"}, {"1:3 2:22 9/210F/", "int4[3] = 1 2 -1"}, {"1:2 2:23 5[242]",
            "float4e2m1[2] = 1 -6"},
        {"1:2 2:23 9/F2/", "float4e2m1[2] = 1 -6"}, {"1:1 2:24 5[127]", "float8e8m0[1] = 1"}, {"1:1 2:24 9/80/",
            "float8e8m0[1] = 2"},
        {"1:5 2:25 5[228 1]", "uint2[5] = 0 1 2 3 1"}, {"1:5 2:25 9/E401/", "uint2[5] = 0 1 2 3 1"},
            {"1:5 2:25 5[0 1 2 3 1]", "uint2[5] = 0 1 2 3 1"},
        {"1:4 2:26 5[228]", "int2[4] = 0 1 -2 -1"}, {"1:4 2:26 9/E4/", "int2[4] = 0 1 -2 -1"},
        {"1:0 2:1", "float[0] ="}, {"1:2 1:0 2:8", "string[2,0] ="}, {"1:0 2:7 9//", "int64[0] ="},
            {"1:2 2:1 4(1 2) 9//", "float[2] = 1 2"},
        {"1:1 2:1 4(1) 12\"doc\" 3{1:0} 16{1\"k\"}", "float[1] = 1"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        Job job = read_text(internf(c, "7{5{%s 8\"w\"}}", cases[i].tensor));
        ck_assert_msg(!job.m->broken, "%s: %s", cases[i].tensor, said());
        ck_assert_str_eq(job.m->graph->inits[0].name, "w");
        ck_assert_str_eq(text_of(c, print_tensor, job.m->graph->inits[0].value), internf(c, " %s\n", cases[i].values));
    }
}
END_TEST

/* Data that stand in the file as they are in memory stay there. */
START_TEST(mapped)
{
    static const char *const cases[] = {"1:2 2:1 9/0000C03F000000C0/", "1:2 2:1 4(1 2)", "1:2 2:11 10#(1 2)",
        "1:2 2:9 9/0001/", "1:3 2:22 9/210F/"};
    for (int i = 0; i < COUNT(cases); i++) {
        const File *f = onnx_of(c, internf(c, "7{5{%s}}", cases[i]));
        const Tensor *t = read_file(f).m->graph->inits[0].value;
        ck_assert((const char *)t->data > f->data && (const char *)t->data + t->bytes <= f->data + f->size);
    }
    Out o = {{0}};
    out_fields(c, &o, "!3AF48080044A0061!");         /* a graph with a constant of 1 MiB */
    ck_assert_int_eq(o.v.n, 8);
    char *big = mem_alloc(c, (1 << 20) + 64);
    Out head = {{0}}, tensor = {{0}};
    out_fields(c, &tensor, "1:1048576 2:2 !4A808040!");
    out_byte(c, &head, 7 << 3 | 2);
    out_varint(c, &head, (1 << 20) + (uint64_t)tensor.v.n + 4);
    out_byte(c, &head, 5 << 3 | 2);
    out_varint(c, &head, (1 << 20) + (uint64_t)tensor.v.n);
    size_t n = (size_t)head.v.n;
    memcpy(big, head.v.at, n);
    memcpy(big + n, tensor.v.at, (size_t)tensor.v.n);
    n += (size_t)tensor.v.n;
    size_t before = c->peak;
    File f = {"m", big, n + (1 << 20)};
    const Tensor *t = read_file(&f).m->graph->inits[0].value;
    ck_assert_msg(t && t->data == big + n, "%s", said());
    ck_assert(c->peak < before + (64 << 10));
}
END_TEST

START_TEST(bad_constants)
{
    static const struct { const char *tensor, *message; } cases[] = {
        {"1:2 2:1 9/00000000000000/", "m: error: constant 'w': float[2] takes 8 bytes, but its raw data has 7"},
        {"1:2 2:1 9/000000000000000000/", "constant 'w': float[2] takes 8 bytes, but its raw data has 9"},
        {"1:3 2:22 9/21/", "constant 'w': int4[3] takes 2 bytes, but its raw data has 1"},
        {"1:2 2:1 4(1)", "constant 'w': float[2] takes 2 values, but its float_data has 1"},
        {"1:2 2:1 4(1 2 3)", "float[2] takes 2 values, but its float_data has 3"},
        {"1:2 2:1 5[1 2]", "float[2] takes 2 values, but its float_data has 0"},
        {"1:2 2:14 4(1 2)", "complex64[2] takes 4 values, but its float_data has 2"},
        {"1:2 2:7 7[1]", "int64[2] takes 2 values, but its int64_data has 1"},
        {"1:2 2:8 6\"a\"", "string[2] takes 2 values, but its string_data has 1"},
        {"1:3 2:21 5[1]", "uint4[3] takes 2 values, but its int32_data has 1"},
        {"1:2 2:1", "constant 'w' (float[2]) has no values"},
        {"2:1", "constant 'w' (float) has no values"},
        {"1:1 2:8 9/61/", "constant 'w': strings cannot be raw data"},
        {"1:1 2:8 6/6100/", "constant 'w': a string with a NUL byte"},
        {"1:1 2:3 5[256]", "constant 'w': 256 is beyond int8"},
        {"1:1 2:3 5[-129]", "constant 'w': -129 is beyond int8"},
        {"1:1 2:6 5[4294967296]", "constant 'w': 4294967296 is beyond int32"},
        {"1:1 2:12 11[4294967296]", "is beyond uint32"},
        {"1:3 2:21 5[1 16 2]", "16 is beyond uint4"},
        {"1:3 2:21 5[256 1]", "256 is beyond uint4"},
        {"1:2 2:0 4(1 2)", "constant 'w' is of element type 0"},
        {"1:2 2:27 4(1 2)", "constant 'w' is of element type 27"},
        {"1:-2 2:1 4(1 2)", "constant 'w' has a dimension of -2: it must be a number from 0"},
        {"1:9223372036854775807 1:2 2:1", "has more than 2^40 elements"},
        {"1:1099511627776 2:1", "(float[1099511627776]) has no values"},
        {"1:1099511627776 2:1 4(1)", "float[1099511627776] takes 1099511627776 values, but its float_data has 1"},
        {"1[1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1] 2:1 4(1)",
            "constant 'w' has 33 dimensions: at most 32"},
        {"1/80/ 2:1 4(1)", "its dimensions cannot be read"},
        {"1:2 2:6 5/0180/", "takes 2 values, but its int32_data has 1"},
        {"1:1 2:6 5/0180/", "constant 'w': its int32_data cannot be read"},
        {"1:1 2:6 5/FFFFFFFFFFFFFFFFFFFF01/", "constant 'w': its int32_data cannot be read"},
        {"1:1 2:1 9:3", "a constant cannot be read"},
        {"1:1 2:1 14:1", "constant 'w': external data without a location"},
        {"1:1 2:1 14:1 13{1\"location\" 2\"/etc/passwd\"}", "must be a path relative to the model's folder"},
        {"1:1 2:1 14:1 13{1\"location\" 2\"../../../etc/passwd\"}", "constant 'w': external data"},
        {"1:1 2:1 14:1 13{1\"location\" 2\"gone\"}", "constant 'w': external data 'gone' cannot be read"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        refused(internf(c, "7{5{8\"w\" %s}}", cases[i].tensor), cases[i].message);
    ck_assert(c->peak < 16 << 20);
}
END_TEST

START_TEST(sparse)
{
    static const struct { const char *sparse, *values; } cases[] = {
        {"1{1:2 2:1 4(5 6)} 2{1:2 2:7 7[0 3]} 3:2 3:2", "float[2,2] = 5 0 0 6"},
        {"1{1:2 2:1 4(5 6)} 2{1:2 1:2 2:7 7[0 1 1 0]} 3[2 2]", "float[2,2] = 0 5 6 0"},
        {"1{1:0 2:6} 3:2", "int32[2] = 0 0"}, {"1{1:0 2:6} 2{1:0 1:1 2:7} 3:2", "int32[2] = 0 0"},
        {"1{1:2 2:22 5[242]} 2{1:2 2:7 7[1 2]} 3:3", "int4[3] = 0 2 -1"}, {"1{1:1 2:8 6\"a\"} 2{1:1 2:7 7[1]} 3:2",
            "string[2] = \"\" \"a\""},
        {"1{1:1 2:15 10#(1 2)} 2{1:1 2:7 7[0]} 3:2", "complex128[2] = (1,2) (0,0)"},
    };
    static const struct { const char *sparse, *message; } bad[] = {
        {"3:2", "the constant is sparse, but has no values"},
        {"1{8\"w\" 1:1 2:1 4(5)} 3:2", "constant 'w' is sparse, but has no indices"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:1 2:7 7[2]} 3:2", "constant 'w': index 0 of the sparse float[2] lies outside of "
            "it"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:1 2:7 7[-1]} 3:2", "lies outside of it"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:1 1:2 2:7 7[0 2]} 3:2 3:2", "lies outside of it"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:2 2:7 7[0 1]} 3:2", "cannot have values of type float[1] and indices of type "
            "int64[2]"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:1 2:6 5[0]} 3:2", "and indices of type int32[1]"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:1 2:7 7[0]} 3:1000000000000",
            "takes 4000000000000 bytes when dense, which is out of proportion"},
        {"1{8\"w\" 1:1 2:1 4(5)} 2{1:1 2:7 7[0]} 3:-1", "constant 'w' has a dimension of -1"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        Job job = read_text(internf(c, "7{15{%s}}", cases[i].sparse));
        ck_assert_msg(!job.m->broken, "%s: %s", cases[i].sparse, said());
        ck_assert_str_eq(text_of(c, print_tensor, job.m->graph->inits[0].value), internf(c, " %s\n", cases[i].values));
    }
    for (int i = 0; i < COUNT(bad); i++)
        refused(internf(c, "7{15{%s}}", bad[i].sparse), bad[i].message);
    ck_assert_str_eq(read_text("7{5{8\"a\" 2:1 4(1)} 15{1{8\"b\" 1:0 2:1} 3:1}}").m->graph->inits[1].name, "b");
}
END_TEST

/* An initializer that is an input as well: frozen; without a word before IR version 4, which asked for it. */
START_TEST(frozen)
{
    becomes("1:3 8{2:9} 7{2\"g\" " IN("x") IN("w") OUT("y") "5{1:2 2:1 4(1 2) 8\"w\"}" NODE("", "Add", I("x") I("w"),
        O("y"), "") "}",
            "g (float[2] x) => (float[2] y)\n   <float[2] w = {1,2}>\n{\n   y = Add (x, w)\n}\n");
    ck_assert_str_eq(said(), "");
    read_text("1:4 8{2:9} 7{2\"g\" " IN("x") IN("w") OUT("y") "5{1:2 2:1 4(1 2) 8\"w\"}" NODE("", "Add", I("x") I("w"),
        O("y"), "") "}");
    ck_assert_ptr_nonnull(strstr(said(), "m: note: input 'w' has an initializer and is frozen to it"));
}
END_TEST

/* ---- files of one tensor, external data ------------------------------------------------------------------------ */

static const char *path_of(const char *name)
{
    return internf(c, "%s/%s", folder, name);
}

static void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(data, 1, n, f) == n && !fclose(f));
}

static void read_want(Ctx *ctx, void *want)
{
    const Tensor *t = value_read(ctx, path_of("t.pb"), *(Type *)want);
    ck_assert(type_same(t->type, *(Type *)want));
}

START_TEST(tensor_files)
{
    static const int64_t dims[] = {2, 3};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int dt = 1; dt < DT_COUNT; dt++)
        for (int rank = 0; rank <= 2; rank += 2) {
            Tensor *t = tensor_seeded(c, type_make(c, (DType)dt, rank, dims), 7);
            value_write(c, path_of("t"), t);
            const char *name = access(path_of("t.npy"), F_OK) ? "t.pb" : "t.npy", *values = text_of(c, print_tensor, t);
            ck_assert_str_eq(text_of(c, print_tensor, value_read(c, path_of(name), t->type)), values);
            pbfile_write(c, path_of("t.pb"), t);
            ck_assert_str_eq(text_of(c, print_tensor, value_read(c, path_of("t.pb"), t->type)), values);
            remove(path_of("t.npy"));
        }
    ck_assert_int_eq(c->errors, 0);
    Type want = type_make(c, DT_F32, 1, dims);
    static const struct { const char *file, *message; } bad[] = {
        {"1:3 2:1 4(1 2 3)", "t.pb: error: holds float[3], but float[2] is wanted"},
        {"1:2 2:11 10#(1 2)", "holds double[2]"},
        {"1:2 2:1 4(1)", "takes 2 values"},
        {"!FFFF!", "t.pb: error: is no tensor: float[2] is wanted, in NumPy's format .npy (numpy.save writes it) or "
         "as an ONNX TensorProto, .pb (it is cut short, damaged or none at byte 2: "},
        {"", ".pb (it states no element type); of raw bytes or text neither type nor shape is known"},
        {"!504B030414!", ".pb (it is an archive, as .npz: take one array out of it)"},
    };
    for (int i = 0; i < COUNT(bad); i++) {
        const File *f = onnx_of(c, bad[i].file);
        write_file(path_of("t.pb"), f->data, f->size);
        ck_assert(ctx_run(c, read_want, &want));
        ck_assert_ptr_nonnull(strstr(said(), bad[i].message));
    }
    remove(path_of("t.pb"));
    ck_assert(!ctx_run(c, read_want, &want));
    ck_assert_ptr_nonnull(strstr(said(), "cannot read"));
    rmdir(folder);
}
END_TEST

START_TEST(external_files)
{
    static const float data[] = {7, 1.5f, -2};
    strcpy(folder, "/tmp/unit_onnx_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    const File *m = onnx_of(c, MODEL(OUT("w") "5{1:2 2:1 8\"w\" 14:1 13{1\"location\" 2\"w.data\"} 13{1\"offset\" "
        "2\"4\"} 13{1\"length\" 2\"8\"}}"));
    write_file(path_of("m.onnx"), m->data, m->size);
    write_file(path_of("w.data"), data, sizeof data);
    Graph *g = frontend_read(c, path_of("m.onnx"), NULL);
    ck_assert_msg(!c->errors, "%s", said());
    ck_assert_str_eq(text_of(c, print_tensor, g->outs[0]->data), " float[2] = 1.5 -2\n");
    write_file(path_of("w.data"), data, 8);
    ck_assert(frontend_model(c, path_of("m.onnx"), NULL)->broken);
    ck_assert_ptr_nonnull(strstr(said(), "external data 'w.data' is cut short"));
    remove(path_of("w.data"));
    remove(path_of("m.onnx"));
    rmdir(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        constants, mapped, bad_constants, sparse, frozen, tensor_files, external_files,
    };
    return RUN("onnx_tensor", setup, context_free, tests);
}
