/* External data: the bytes of a constant in a file beside the model.
 * A model may name any path, so the file must lie, links followed, in the model's own folder or below it, and be a
 * regular file (a pipe would block). It is mapped once, whatever the number of constants in it, and never copied;
 * nothing is taken on trust from the model but place and length, which are checked against the file's size. */
#include "import.h"

#include <sys/stat.h>

struct Externals {
    Ctx *c;
    const Source *model;
    Table files;                     /* by location: what is a File; NULL: refused, which was reported */
};

Externals *externals_new(Ctx *c, const Source *model)
{
    Externals *x = NEW(c, Externals);
    x->c = c;
    x->model = model;
    return x;
}

/* The model's folder, with a slash at its end; "" is the current one. */
static const char *folder_of(Ctx *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? intern_n(c, path, (size_t)(slash - path) + 1) : "";
}

/* True when `file` lies below `folder`; both are real paths. */
static bool lies_below(const char *file, const char *folder)
{
    size_t n = strlen(folder);
    while (n && folder[n - 1] == '/')
        n--;
    return !strncmp(file, folder, n) && file[n] == '/';
}

static const char *constant_name(Ctx *c, const char *name)
{
    return name && *name ? internf(c, "constant '%s'", name) : "the constant";
}

static const File *map_below(Externals *x, Loc loc, const char *name, const char *location)
{
    Ctx *c = x->c;
    const char *who = constant_name(c, name);
    char folder[PATH_MAX] = "", real[PATH_MAX];
    struct stat st;
    const char *dir = folder_of(c, x->model->name), *path = internf(c, "%s%s", dir, location);
    if (*location == '/' || !*location)
        error(c, loc, "%s: external data '%s': the location must be a path relative to the model's folder", who,
              location);
    else if (!realpath(*dir ? dir : ".", folder) || !realpath(path, real) || stat(real, &st))
        error(c, loc, "%s: external data '%s' cannot be read: %s; it is looked for in the model's folder '%s'",
              who, path, strerror(errno), *folder ? folder : dir);
    else if (!lies_below(real, folder))
        error(c, loc, "%s: external data '%s' lies outside the model's folder '%s', which is not allowed", who,
              location, folder);
    else if (!S_ISREG(st.st_mode))
        error(c, loc, "%s: external data '%s' is not a regular file", who, path);
    else {
        const File *f = file_map(c, real);
        if (!f)
            error(c, loc, "%s: external data '%s' cannot be read: %s", who, path, strerror(errno));
        return f;
    }
    return NULL;
}

static const File *file_of(Externals *x, Loc loc, const char *name, const char *location)
{
    Slot *slot = table_slot(x->c, &x->files, intern(x->c, location));
    if (slot->state == SLOT_NEW) {
        slot->what = map_below(x, loc, name, location);
        slot->state = SLOT_READY;
    }
    return slot->what;
}

bool externals_name(Externals *x, Loc loc, const char *location)
{
    Slot *slot = table_slot(x->c, &x->files, intern(x->c, location));
    slot->state = SLOT_READY;
    slot->what = file_map(x->c, location);
    if (!slot->what)
        error(x->c, loc, "'%s' cannot be read: %s", location, strerror(errno));
    return slot->what != NULL;
}

const void *external_data(Externals *x, Loc loc, const char *name, const char *location, int64_t offset, int64_t length,
                          size_t bytes)
{
    Ctx *c = x->c;
    const File *f = file_of(x, loc, name, location);
    if (!f)
        return NULL;
    if ((length < 0 || (uint64_t)length == bytes) && offset >= 0 && (uint64_t)offset <= f->size &&
        bytes <= f->size - (uint64_t)offset)
        return bytes ? f->data + offset : "";
    const char *who = constant_name(c, name);
    if (length >= 0 && (uint64_t)length != bytes)
        error(c, loc, "%s: external data '%s': its length is %lld bytes, but its type takes %zu", who, location,
              (long long)length, bytes);
    else if (offset < 0)
        error(c, loc, "%s: external data '%s': the offset %lld is negative", who, location, (long long)offset);
    else
        error(c, loc,
              "%s: external data '%s' is cut short: %llu bytes are needed (offset %lld, length %zu), the file has %zu",
              who, location, (unsigned long long)offset + bytes, (long long)offset, bytes, f->size);
    return NULL;
}

/* A decimal number of at most 18 digits; -1: it is none. */
static int64_t count_of(const char *s)
{
    int64_t v = 0;
    int n = 0;
    for (; *s >= '0' && *s <= '9' && n < 18; s++, n++)
        v = v * 10 + (*s - '0');
    return *s || !n ? -1 : v;
}

const Tensor *external_tensor(Externals *x, Loc loc, const char *name, Type type, int npairs, const Pair *pairs)
{
    const char *location = NULL, *who = constant_name(x->c, name);
    int64_t offset = 0, length = -1;
    for (int i = 0; i < npairs; i++) {
        const Pair *p = &pairs[i];
        bool is_offset = !strcmp(p->key, "offset"), is_length = !strcmp(p->key, "length");
        if (!strcmp(p->key, "location"))
            location = p->value;
        if (!is_offset && !is_length)
            continue;
        int64_t v = count_of(p->value);
        if (v < 0) {
            error(x->c, loc, "%s: external data: '%s' is no %s", who, p->value, p->key);
            return NULL;
        }
        *(is_offset ? &offset : &length) = v;
    }
    if (!location)
        error(x->c, loc, "%s: external data without a location", who);
    else if (type.dt == DT_STRING)
        error(x->c, loc, "%s: strings cannot be external data", who);
    else {
        size_t bytes = type_bytes(type);
        const void *data = external_data(x, loc, name, location, offset, length, bytes);
        return data ? tensor_of(x->c, type, data, bytes) : NULL;
    }
    return NULL;
}
