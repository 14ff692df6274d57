/* A tensor as one line for people: `name type[shape] = v v …`, numbers in as few digits as give the same bits again. */
#include "base.h"

/* The fewest digits from which strtod reads back the same value. */
void double_text(char out[40], double d)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, 40, "%.*g", digits, d);
        if (strtod(out, NULL) == d || isnan(d)) return;
    }
}

static void print_real(FILE *f, DType dt, double d)
{
    char text[40];
    if (dt == DT_F64 || dt == DT_C128) double_text(text, d);
    else float_text(text, (float)d, 1);
    fputs(text, f);
}

static void print_string(FILE *f, const char *s)
{
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putc('\\', f);
        putc(*s, f);
    }
    putc('"', f);
}

static void print_element(FILE *f, const Tensor *t, int64_t i)
{
    const DType dt = t->type.dt;
    switch (dtype_class(dt)) {
    case CLASS_STRING: print_string(f, tensor_at_string(t, i)); return;
    case CLASS_FLOAT: print_real(f, dt, tensor_at_double(t, i)); return;
    case CLASS_COMPLEX: {
        const Tensor parts = {{dt == DT_C64 ? DT_F32 : DT_F64, 0, NULL}, t->data, t->bytes};
        putc('(', f);
        print_real(f, dt, tensor_at_double(&parts, 2 * i));
        putc(',', f);
        print_real(f, dt, tensor_at_double(&parts, 2 * i + 1));
        putc(')', f);
        return;
    }
    case CLASS_UINT: fprintf(f, "%llu", (unsigned long long)tensor_at_int(t, i)); return;
    case CLASS_INT:
    case CLASS_BOOL: fprintf(f, "%lld", (long long)tensor_at_int(t, i)); return;
    }
}

void tensor_print(FILE *f, Ctx *c, const char *name, const Tensor *t)
{
    fprintf(f, "%s %s =", name, type_text(c, t->type));
    const int64_t n = type_count(t->type);
    for (int64_t i = 0; i < n; i++) {
        putc(' ', f);
        print_element(f, t, i);
    }
    putc('\n', f);
}
