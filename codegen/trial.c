/* The emitted C, compiled and run on this machine: what `burin check` and `burin bench` do alike. All that is written
 * lies in a private folder, which is gone before results are looked at. */
#include "emit.h"

enum { WORDS = 200, SAID = 12 };

static const char *place(const Trial *t, const char *name)
{
    return folder_file(t->c, t->folder, name);
}

static bool write_sources(Trial *t)
{
    const char *names[] = {"model.c", "model.h", "main.c", "model.bin"};
    FILE *f[COUNT(names)] = {NULL};
    const int n = t->o->weights_bin ? 4 : 3;
    bool good = true;
    for (int i = 0; i < n; i++)
        if (!(f[i] = fopen(place(t, names[i]), "wb"))) good = false;
    if (good && emit(t->c, t->p, t->o, (EmitFiles){f[0], f[1], f[3]})) harness_print(f[2], t->c, t->p, t->o);
    for (int i = 0; i < n; i++) {
        if (f[i] && ferror(f[i])) good = false;
        if (f[i] && fclose(f[i])) good = false;
    }
    if (!good) error(t->c, (Loc){0}, "cannot write into '%s': %s", place(t, ""), strerror(errno ? errno : EIO));
    return good && !t->c->errors;
}

/* The first lines of what a program printed, as notes below the error. */
static void notes_of(Trial *t, const char *log)
{
    const File *f = file_map(t->c, log);
    const char *s = f ? f->data : NULL, *end = f ? s + f->size : NULL;
    for (int i = 0; i < SAID && s && s < end; i++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        if (!stop) stop = end;
        note(t->c, (Loc){0}, "%.*s", (int)(stop - s < 500 ? stop - s : 500), s);
        s = stop + 1;
    }
    if (f && t->c->needs && f->size > 13 && !memcmp(f->data, "out of memory", 13))
        note(t->c, (Loc){0}, "%s", t->c->needs);
}

static bool run(Trial *t, const char *const *argv, const char *what)
{
    const char *log = place(t, "log");
    const int status = process_run(t->folder, argv, log);
    if (status == PROCESS_MISSING)
        error(t->c, (Loc){0}, "cannot start %s '%s': %s", what, argv[0], strerror(errno));
    else if (status < 0)
        error(t->c, (Loc){0}, "%s crashed: signal %d (%s)", what, -status, strsignal(-status));
    else if (status > 0)
        error(t->c, (Loc){0}, "%s ended with exit status %d", what, status);
    if (status != 0 && status != PROCESS_MISSING) notes_of(t, log);
    return status == 0;
}

static bool loosens(const char *word)
{
    return !strncmp(word, "-f", 2) || !strncmp(word, "-std=", 5) || !strcmp(word, "-Ofast") || !strcmp(word, "-ansi");
}

static bool compile(Trial *t)
{
    const char *words[WORDS + 1] = {NULL}, *cc = getenv("CC"), *flags = getenv("CFLAGS");
    int n = words_split(t->c, cc && *cc ? cc : "cc", words, WORDS / 2);
    const int own = n;
    if (n == 0) words[n++] = "cc";
    words[n++] = "-std=c99";
    words[n++] = "-O2";
    const int user = n;
    if (!flags) flags = t->flags;
    if (flags) n += words_split(t->c, flags, words + n, WORDS / 2 - 10);
    t->how = "";
    for (int i = 0; i < n; i++) t->how = internf(t->c, "%s%s%s", t->how, i ? " " : "", words[i]);
    for (int i = 1; i < n; i++) t->loose |= (i < own || i >= user) && loosens(words[i]);
    words[n++] = "-o";
    words[n++] = place(t, "program");
    words[n++] = place(t, "main.c");
    words[n++] = place(t, "model.c");
    words[n++] = "-lm";
    if (run(t, words, "the C compiler")) return true;
    note(t->c, (Loc){0}, "CC and CFLAGS say how to compile; the program runs here: CC must be a compiler for this machine");
    return false;
}

bool trial_make(Trial *t)
{
    t->folder = folder_new(t->c);
    return write_sources(t) && compile(t);
}

static bool write_inputs(Trial *t, const char *path, const Tensor *const *in)
{
    FILE *f = fopen(path, "wb");
    bool good = f != NULL;
    for (int i = 0; good && i < t->p->nins; i++) harness_put(f, in[i]);
    if (f && (ferror(f) || fclose(f))) good = false;
    if (!good) error(t->c, (Loc){0}, "cannot write '%s': %s", path, strerror(errno));
    return good;
}

const File *trial_run(Trial *t, const Tensor *const *in)
{
    const char *from = place(t, "inputs"), *to = place(t, "outputs");
    const char *argv[] = {place(t, "program"), from, to, place(t, "model.bin"), NULL};
    if (!write_inputs(t, from, in) || !run(t, argv, "the compiled program")) return NULL;
    const File *f = file_map(t->c, to);
    if (!f) error(t->c, (Loc){0}, "the compiled program did not write its outputs as expected");
    remove(to);
    return f;
}
