/* floats BYTES: a model on standard output with one constant of about so many bytes of float literals. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void) /* xorshift */
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* A weight as trained ones are: nine digits, about 0, now and then small. */
static float weight(void)
{
    float v = (float)((double)(next() >> 11) * 0x1p-52 - 1);
    return next() % 16 ? v : v * 0x1p-20f;
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    const long long bytes = atoll(argv[1]);
    uint64_t seed = state;
    long long n = 0;
    for (int pass = 0; pass < 2; pass++) { /* counted first: the shape stands in front */
        state = seed;
        long long at = 0;
        if (pass)
            printf("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                   "g (float[%lld] x) => (float[%lld] y)\n<float[%lld] w = {",
                   n, n, n);
        for (long long i = 0; pass ? i < n : at < bytes; i++) {
            char text[40];
            at += snprintf(text, sizeof text, "%s%.9g", i % 8 ? ", " : i ? ",\n  " : "\n  ", (double)weight());
            if (pass) fputs(text, stdout);
            else n++;
        }
    }
    printf("}>\n{\n  y = Add(x, w)\n}\n");
    return 0;
}
