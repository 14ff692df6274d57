/* Interned strings and mapped files.
 * The table of strings is open-addressed, a power of two in size and at most half full; the strings lie in the
 * permanent arena. Its hash is keyed with the context's address, so that no model can be written to make every name
 * collide; nothing walks the table, so results do not depend on that key. */
#include "base.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Slot { uint64_t hash; size_t len; const char *s; } Slot;

struct Interned {
    Slot *slots;
    size_t n, cap;
};

static uint64_t hash_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

static uint64_t hash_bytes(uint64_t key, const char *s, size_t n)
{
    uint64_t h = hash_mix(key, n), word;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&word, s, 8);
        h = hash_mix(h, word);
    }
    word = 0;
    if (n)
        memcpy(&word, s, n);
    return hash_mix(hash_mix(h, word), key);
}

static Slot *slot_free(Slot *slots, size_t cap, uint64_t hash)
{
    size_t i = (size_t)hash & (cap - 1);
    while (slots[i].s)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static void table_grow(Ctx *c, struct Interned *t)
{
    size_t cap = t->cap ? t->cap * 2 : 64;
    Slot *slots = NEW_N(c, Slot, cap);
    for (size_t i = 0; i < t->cap; i++)
        if (t->slots[i].s)
            *slot_free(slots, cap, t->slots[i].hash) = t->slots[i];
    t->slots = slots;
    t->cap = cap;
}

static uint64_t hash_of(const Ctx *c, const char *s, size_t n)
{
    return hash_bytes((uint64_t)(uintptr_t)c, s, n);
}

/* Where the string is, or would go. */
static Slot *find(const struct Interned *t, uint64_t h, const char *s, size_t n)
{
    size_t i = (size_t)h & (t->cap - 1);
    for (; t->slots[i].s; i = (i + 1) & (t->cap - 1)) {
        const Slot *e = &t->slots[i];
        if (e->hash == h && e->len == n && (!n || !memcmp(e->s, s, n)))
            break;
    }
    return &t->slots[i];
}

const char *intern_n(Ctx *c, const char *s, size_t n)
{
    const Ctx *under = c->under;
    const char *there = under && under->strings ? find(under->strings, hash_of(under, s, n), s, n)->s : NULL;
    if (there)
        return there;
    if (!c->strings)
        c->strings = NEW(c, struct Interned);
    struct Interned *t = c->strings;
    if (t->n * 2 >= t->cap)
        table_grow(c, t);
    uint64_t h = hash_of(c, s, n);
    Slot *e = find(t, h, s, n);
    if (e->s)
        return e->s;
    char *copy = mem_alloc(c, n < SIZE_MAX ? n + 1 : n);
    if (n)
        memcpy(copy, s, n);
    *e = (Slot){h, n, copy};
    t->n++;
    return copy;
}

const char *intern(Ctx *c, const char *s)
{
    return intern_n(c, s, strlen(s));
}

const char *vinternf(Ctx *c, const char *fmt, va_list args)
{
    char small[400];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    if (n < (int)sizeof small) {
        va_end(again);
        return intern_n(c, small, n < 0 ? 0 : (size_t)n);
    }
    Mark m = scratch_mark(c);
    char *large = scratch_alloc(c, (size_t)n + 1);
    vsnprintf(large, (size_t)n + 1, fmt, again);
    va_end(again);
    const char *s = intern_n(c, large, (size_t)n);
    scratch_release(c, m);
    return s;
}

const char *internf(Ctx *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *s = vinternf(c, fmt, args);
    va_end(args);
    return s;
}

/* ---- the nearest word -------------------------------------------------------------------------------------------- */

enum { WORD = 64, EDIT = 2 };        /* longest word looked at; cost of an edit, a wrong case being half of one */

static int change_cost(char a, char b)
{
    if (a == b)
        return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : EDIT;
}

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edits (insert, drop, change, swap two neighbours) from a to b, in units of 1 / EDIT. */
static int edit_cost(const char *a, size_t na, const char *b, size_t nb)
{
    int row[3][WORD + 1];            /* of the table: [i % 3] is the costs of a's first i letters against b's first j */
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = EDIT * (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = EDIT * (int)i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = min3(last[j] + EDIT, now[j - 1] + EDIT, last[j - 1] + change_cost(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && older[j - 2] + EDIT < now[j])
                now[j] = older[j - 2] + EDIT;
        }
    }
    return row[na % 3][nb];
}

const char *nearest(const char *word, const char *const *words, int n)
{
    size_t len = strlen(word);
    if (len == 0 || len > WORD)
        return NULL;
    int best = EDIT * (len > 3 ? (int)len / 3 + 1 : 1) + 1;
    if (best > EDIT * (int)len)
        best = EDIT * (int)len;      /* a word that shares no letter is not close */
    const char *found = NULL;
    for (int i = 0; i < n; i++) {
        size_t other = strlen(words[i]);
        if (other > WORD)
            continue;
        int cost = edit_cost(word, len, words[i], other);
        if (cost < best) {
            best = cost;
            found = words[i];
        }
    }
    return found;
}

/* ---- output, files ----------------------------------------------------------------------------------------------- */

/* The backslash is escaped too: at the end of a line it would join the next one. */
void print_escaped(FILE *f, const char *s)
{
    for (char last = 0; *s; s++) {
        bool pair = (*s == '/' && last == '*') || (*s == '*' && last == '/') || (*s == '?' && last == '?');
        if (pair || *s < ' ' || *s > '~' || *s == '\\') {
            fprintf(f, "\\x%02X", (unsigned)(unsigned char)*s);
            last = 0;
        } else {
            putc(*s, f);
            last = *s;
        }
    }
}

static void file_unmap(void *what)
{
    File *f = what;
    munmap((void *)f->data, f->size);
}

/* Pipes and devices cannot be mapped: they are read, up to 2 GiB, since a device may have no end. */
static char *read_all(int fd, size_t *size)
{
    size_t n = 0, cap = 1 << 16;
    char *p = malloc(cap);
    while (p) {
        if (n == cap) {
            char *q = cap < (size_t)1 << 31 ? realloc(p, cap * 2) : NULL;
            if (!q) {
                errno = cap < (size_t)1 << 31 ? ENOMEM : EFBIG;
                break;
            }
            p = q;
            cap *= 2;
        }
        ssize_t got = read(fd, p + n, cap - n);
        if (got == 0) {
            *size = n;
            return p;
        }
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            break;
    }
    int why = errno;
    free(p);
    errno = why;
    return NULL;
}

/* Fills f from the open file; what must be released later goes to *release. False and errno when it cannot be read. */
static bool file_read(int fd, File *f, void (**release)(void *), void **what)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return false;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(st.st_mode) || st.st_size == 0) {   /* files of /proc state no size */
        char *p = read_all(fd, &f->size);
        f->data = p;
        *release = free;
        *what = p;
        return p != NULL;
    }
    if ((uintmax_t)st.st_size > PTRDIFF_MAX) {
        errno = EFBIG;
        return false;
    }
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return false;
    f->data = p;
    f->size = (size_t)st.st_size;
    *release = file_unmap;
    *what = f;
    return true;
}

File *file_map(Ctx *c, const char *path)
{
    File *f = NEW(c, File);
    f->path = intern(c, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void (*release)(void *) = NULL;
    void *what = NULL;
    struct stat st;
    bool device = !fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
    if (device)
        errno = ENOTSUP;             /* it may have no end */
    bool ok = !device && file_read(fd, f, &release, &what);
    int why = errno;
    close(fd);
    if (!ok) {
        errno = why;
        return NULL;
    }
    ctx_defer(c, release, what);
    return f;
}

void *file_room(Ctx *c, size_t n)
{
    FILE *t = tmpfile();
    if (!t)
        return NULL;
    void *p = MAP_FAILED;
    if (n <= PTRDIFF_MAX && !posix_fallocate(fileno(t), 0, (off_t)n))
        p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(t), 0);
    fclose(t);
    if (p == MAP_FAILED)
        return NULL;
    File *f = NEW(c, File);
    *f = (File){.data = p, .size = n};
    ctx_defer(c, file_unmap, f);
    return p;
}
