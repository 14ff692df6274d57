/* Files that are written beside their place, then renamed into it: all of a command's files take their places, or none
 * does. What is not placed is removed with the context, whatever happens. */
#include "base.h"

#include <sys/stat.h>
#include <unistd.h>

static void drop(void *output)
{
    Output *o = output;
    if (o->file) fclose(o->file);
    if (o->backup) remove(o->backup);
    if (o->temp && !o->placed) remove(o->temp);
}

void output_open(Ctx *c, Output *o, const char *path, const char *model)
{
    char *temp = mem_copy(c, internf(c, "%s.XXXXXX", path), strlen(path) + 8);
    struct stat st, from;
    const bool there = !stat(path, &st);
    if (there && !S_ISREG(st.st_mode)) fatal(c, (Loc){0}, "cannot write '%s': it is not a plain file", path);
    if (there && !stat(model, &from) && st.st_dev == from.st_dev && st.st_ino == from.st_ino)
        fatal(c, (Loc){0}, "would write over the model '%s': name another output with -o", path);
    int fd = mkstemp(temp);
    if (fd < 0) fatal(c, (Loc){0}, "cannot write '%s': %s", path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    *o = (Output){.path = path, .temp = temp, .file = fdopen(fd, "wb")};
    ctx_defer(c, drop, o);
}

bool output_close(Ctx *c, Output *o)
{
    bool bad = ferror(o->file) != 0;
    if (fclose(o->file)) bad = true;
    o->file = NULL;
    if (bad) error(c, (Loc){0}, "cannot write '%s': %s", o->path, strerror(errno ? errno : EIO));
    return !bad;
}

void outputs_place(Ctx *c, Output *o, int n)
{
    for (int i = 0; i < n; i++) {
        const char *backup = internf(c, "%s.old", o[i].temp);
        if (!link(o[i].path, backup)) o[i].backup = backup;
        o[i].placed = !rename(o[i].temp, o[i].path);
        if (o[i].placed) continue;
        error(c, (Loc){0}, "cannot write '%s': %s", o[i].path, strerror(errno));
        for (int k = 0; k < i; k++) {
            if (o[k].backup) rename(o[k].backup, o[k].path);
            else remove(o[k].path);
        }
        return;
    }
}
