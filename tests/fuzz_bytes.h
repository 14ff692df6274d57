/* What the fuzzers of the readers share: one input is read in a context of its own; inputs are made of seeds, changed at
 * random. The includer defines read_one (reads r->data, whatever it is), then calls fuzz_main. With -DLIBFUZZER there
 * is no main: libFuzzer has one. The folders fuzz/NAME hold what an hour of libFuzzer found worth keeping: --seeds FOLDER
 * reads each file there once, and changes them too. */
#ifndef BURIN_FUZZ_BYTES_H
#define BURIN_FUZZ_BYTES_H

#include "text_ops.h"

#include <dirent.h>
#include <time.h>

#ifndef BYTES_A_BYTE
#define BYTES_A_BYTE 256             /* of memory for one of the input, beside 64 MiB */
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct Run { const uint8_t *data; size_t n; long fail; } Run;        /* fail: an allocation is let fail */
static void read_one(Ctx *c, void *run);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    Run r = {data, n, 0};
    if (n && data[0] == 0xFF)        /* let an allocation fail */
        r = (Run){data + 1, n - 1, 1 + (long)(data[n - 1] * 7)};
    Ctx *c = ctx_new();
    if (!c)
        return 0;
    c->fail_alloc = r.fail;
    ctx_run(c, read_one, &r);
    c->fail_alloc = 0;
    FILE *f = fopen("/dev/null", "w");
    if (f) {
        diag_flush(c, f);
        fclose(f);
    }
    if (c->peak > BYTES_A_BYTE * n + (64 << 20)) {
        fprintf(stderr, "%zu bytes of memory for an input of %zu\n", c->peak, n);
        abort();
    }
    ctx_free(c);
    return 0;
}

#ifndef LIBFUZZER

typedef struct Bytes { uint8_t *at; size_t n, cap; } Bytes;

typedef struct Fuzz {
    int nseeds, nwords;
    const File *seeds;               /* what is changed */
    const char *const *words;        /* what is put in now and then */
    long copies;                     /* of a file that is named: how often it is read, each time with a bit flipped */
    void (*change)(Bytes *);         /* NULL, or what else is done to an input half of the time */
} Fuzz;

static uint64_t state = 1;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state >> 11) % n : 0;
}

/* In place of `drop` bytes at `at`. */
static void splice(Bytes *b, size_t at, size_t drop, const void *in, size_t n)
{
    if (b->n - drop + n > b->cap)
        return;
    memmove(b->at + at + n, b->at + at + drop, b->n - at - drop);
    if (n)
        memmove(b->at + at, in, n);
    b->n += n - drop;
}

static const File *any_seed(const Fuzz *z)
{
    return &z->seeds[below((size_t)z->nseeds)];
}

static void change(Bytes *b, const Fuzz *z)
{
    size_t at = below(b->n + 1), left = b->n - at, run = below(left < 40 ? left + 1 : 40);
    const uint8_t byte = (uint8_t)below(256);
    const char *word = z->words[below((size_t)z->nwords)];
    const File *other = any_seed(z);
    char copy[64];
    switch (below(8)) {
    case 0: splice(b, at, left > 0, &byte, 1); break;
    case 1: splice(b, at, run, NULL, 0); break;
    case 2:
        if (left)
            b->at[at] ^= (uint8_t)(1u << below(8));
        break;
    case 3: splice(b, at, below(2) && left >= strlen(word) ? strlen(word) : 0, word, strlen(word)); break;
    case 4: splice(b, at, below(2) ? 0 : run < 8 ? run : 8, word, strlen(word)); break;
    case 5:
        memcpy(copy, b->at + at, run);
        splice(b, below(b->n + 1), 0, copy, run);
        break;
    case 6:
        at = below(other->size);
        splice(b, below(b->n + 1), 0, other->data + at, below(other->size - at < 64 ? other->size - at : 64));
        break;
    default: b->n = below(8) ? b->n : at; break;
    }
}

static void one(Bytes *b, const Fuzz *z)
{
    const File *f = any_seed(z);
    b->n = 0;
    splice(b, 0, 0, f->data, f->size);
    if (!below(8))
        splice(b, 0, 0, "\xFF", 1);
    for (size_t n = below(6); n > 0; n--)
        if (z->change && below(2))
            z->change(b);
        else
            change(b, z);
    LLVMFuzzerTestOneInput(b->at, b->n);
}

/* The file, then copies of it, each with a bit flipped or cut short. */
static long read_file(const char *path, long copies)
{
    Ctx *c = ctx_new();
    const File *f = c ? file_map(c, path) : NULL;
    long done = 0;
    if (!f)
        fprintf(stderr, "%s: cannot be read\n", path);
    uint8_t *copy = f ? mem_copy(c, f->data, f->size) : NULL;
    for (; f && done < copies; done++) {
        size_t at = below(f->size);
        if (f->size)
            copy[at] ^= (uint8_t)(done ? 1u << below(8) : 0);
        LLVMFuzzerTestOneInput(copy, done % 8 == 7 ? at : f->size);
        if (f->size)
            copy[at] = (uint8_t)f->data[at];
    }
    ctx_free(c);
    return done;
}

/* All files of a folder as further seeds, which live as long as c. Each is read as it is. */
static void add_seeds(Ctx *c, Fuzz *z, const char *folder)
{
    VEC(File) all = {0};
    DIR *d = opendir(folder);
    for (int i = 0; i < z->nseeds; i++)
        VEC_PUSH(c, all, z->seeds[i]);
    for (struct dirent *e; d && (e = readdir(d));) {
        const File *f = e->d_name[0] == '.' ? NULL : file_map(c, internf(c, "%s/%s", folder, e->d_name));
        if (f && f->size)
            VEC_PUSH(c, all, *f);
    }
    if (d)
        closedir(d);
    for (int i = z->nseeds; i < all.n; i++)
        LLVMFuzzerTestOneInput((const uint8_t *)all.at[i].data, all.at[i].size);
    z->seeds = all.at;
    z->nseeds = all.n;
}

static int fuzz_main(int argc, char **argv, const Fuzz *given)
{
    Fuzz with_more = *given, *z = &with_more;
    Ctx *c = ctx_new();
    double seconds = 10;
    long done = 0, files = 0;
    Bytes b = {malloc(1 << 16), 0, 1 << 16};
    if (!b.at || !c)
        return 1;
    for (int i = 1; i < argc; i++) {
        char *end;
        double number = strtod(argv[i], &end);
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            state = strtoull(argv[++i], NULL, 10) * 2 + 1;
        else if (!strcmp(argv[i], "--seeds") && i + 1 < argc)
            add_seeds(c, z, argv[++i]);
        else if (end != argv[i] && !*end)
            seconds = number;
        else
            files += read_file(argv[i], z->copies);
    }
    time_t start = time(NULL);
    while (!files && difftime(time(NULL), start) < seconds)
        for (int i = 0; i < 100; i++, done++)
            one(&b, z);
    free(b.at);
    ctx_free(c);
    printf("%ld passed, 0 failed\n", done + files);
    return 0;
}

#endif
#endif
