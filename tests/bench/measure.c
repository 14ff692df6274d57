/* measure OUT COMMAND...: runs the command and writes "CPU-SECONDS WALL-SECONDS KILOBYTES STATUS" to the file OUT: the
 * processor time it took, the time it took, the most memory it held, and its exit status (128 + N: ended by signal N).
 * DATA_LIMIT=BYTES in the environment limits what it may hold in private memory (mapped files are not counted). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        const char *most = getenv("DATA_LIMIT");
        if (most) {
            rlim_t bytes = (rlim_t)strtoull(most, NULL, 10);
            setrlimit(RLIMIT_DATA, &(struct rlimit){bytes, bytes});
        }
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child) return 2;
    double wall = now() - start;
    FILE *f = fopen(argv[1], "w");
    if (!f) return 2;
    fprintf(f, "%.4f %.4f %ld %d\n", seconds(used.ru_utime) + seconds(used.ru_stime), wall, used.ru_maxrss,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return fclose(f) != 0;
}
