/* Other programs, and a private folder for what they read and write.
 *
 * The folder is gone when we are: folder_remove is called by ctx_free at the latest, and from folder_new to there the
 * signals that would end us (SIGHUP, SIGINT, SIGTERM) are held back. process_run looks out for them while it waits: it
 * passes them on to the program (which runs in a process group of its own), removes the folder and lets them act. One
 * folder at a time. */
#include "base.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

struct Folder { const char *path; sigset_t before; };

static int drop(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path) && errno != ENOENT;
}

void folder_remove(void *folder)
{
    Folder *f = folder;
    if (!f->path) return;
    nftw(f->path, drop, 16, FTW_DEPTH | FTW_PHYS);
    f->path = NULL;
    sigprocmask(SIG_SETMASK, &f->before, NULL);      /* what was held back acts here */
}

static sigset_t ends(void)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGHUP);
    sigaddset(&s, SIGINT);
    sigaddset(&s, SIGTERM);
    return s;
}

Folder *folder_new(Ctx *c)
{
    const char *under = getenv("TMPDIR");
    const char *name = internf(c, "%s/burin.XXXXXX", under && *under ? under : "/tmp");
    char *path = mem_copy(c, name, strlen(name) + 1);
    Folder *f = NEW(c, Folder);
    const sigset_t held = ends();
    ctx_defer(c, folder_remove, f);
    sigprocmask(SIG_BLOCK, &held, &f->before);
    if (mkdtemp(path)) {
        f->path = path;
        return f;
    }
    const int why = errno;
    sigprocmask(SIG_SETMASK, &f->before, NULL);
    fatal(c, (Loc){0}, "cannot make a folder '%s': %s; TMPDIR says where", path, strerror(why));
}

const char *folder_file(Ctx *c, const Folder *f, const char *name)
{
    return internf(c, "%s/%s", f->path, name);
}

int words_split(Ctx *c, const char *text, const char **words, int most)
{
    int n = 0;
    for (size_t k; (text += strspn(text, " \t\n")), *text; text += k) {
        k = strcspn(text, " \t\n");
        if (n < most) words[n++] = intern_n(c, text, k);
    }
    return n;
}

/* Until the program has ended; a signal that is meant for us goes to it, and then acts on us. */
static int wait_for(Folder *f, pid_t pid)
{
    sigset_t all = ends();
    int status, sig;
    sigaddset(&all, SIGCHLD);
    for (pid_t got; (got = waitpid(pid, &status, WNOHANG)) != pid;) {
        if (got < 0) return -1;
        sig = sigwaitinfo(&all, NULL);
        struct sigaction now = {.sa_handler = SIG_DFL};
        if (sig <= 0 || sig == SIGCHLD || (!sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN)) continue;
        kill(-pid, sig);
        waitpid(pid, &status, 0);
        raise(sig);
        folder_remove(f);
    }
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int start(Folder *f, const char *const *argv, const char *log, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&how, &f->before);
    posix_spawnattr_setsigdefault(&how, &usual);
    const int error = posix_spawnp(pid, argv[0], &files, &how, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return error;
}

int process_run(Folder *f, const char *const *argv, const char *log)
{
    sigset_t child, before;
    struct sigaction usual = {.sa_handler = SIG_DFL}, old;
    pid_t pid;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigaction(SIGCHLD, &usual, &old);
    sigprocmask(SIG_BLOCK, &child, &before);
    const int error = start(f, argv, log, &pid), status = error ? PROCESS_MISSING : wait_for(f, pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCHLD, &old, NULL);
    errno = error;
    return status;
}
