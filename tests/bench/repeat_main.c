/* The speed of Repeat as a share of memcpy's: both write the same number of bytes, in turn, in one process; medians.
 * Prints `rows R columns R pixels R`; values are checked first. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "repeat_columns.h"
#include "repeat_pixels.h"
#include "repeat_rows.h"

enum { RUNS = 401, BATCH_BYTES = 4 << 20 };

static _Alignas(64) float x[256 * 1024];
static _Alignas(64) float y[1024 * 1024];
static _Alignas(64) float from[1024 * 1024];
static _Alignas(64) uint8_t px[1024 * 3];
static _Alignas(64) uint8_t py[1024 * 192];

static void rows(void) { repeat_rows_run(x, y); }
static void columns(void) { repeat_columns_run(x, y); }
static void pixels(void) { repeat_pixels_run(px, py); }
static void *(*volatile copy)(void *, const void *, size_t) = memcpy; /* a call, whatever the compiler knows of it */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double share(void (*run)(void), void *to, size_t bytes)
{
    static double ours[RUNS], theirs[RUNS];
    const int batch = (int)(BATCH_BYTES / bytes);
    for (int k = 0; k < RUNS; k++) {
        double a = now();
        for (int i = 0; i < batch; i++) run();
        double b = now();
        for (int i = 0; i < batch; i++) copy(to, from, bytes);
        double c = now();
        ours[k] = b - a;
        theirs[k] = c - b;
    }
    qsort(ours, RUNS, sizeof *ours, by_value);
    qsort(theirs, RUNS, sizeof *theirs, by_value);
    return theirs[RUNS / 2] / ours[RUNS / 2];
}

static void right(int good, const char *what)
{
    if (good) return;
    printf("wrong value: %s\n", what);
    exit(1);
}

int main(void)
{
    for (int i = 0; i < 256 * 1024; i++) x[i] = (float)(i * 7 % 65536);
    for (int i = 0; i < 1024 * 3; i++) px[i] = (uint8_t)(i * 5 + i / 200);
    memset(from, 1, sizeof from);
    rows();
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 1024; j++) right(y[i * 1024 + j] == x[i % 256 * 1024 + j], "rows");
    columns();
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 4096; j++) right(y[i * 4096 + j] == x[i * 1024 + j % 1024], "columns");
    pixels();
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 192; j++) right(py[i * 192 + j] == px[i * 3 + j % 3], "pixels");
    double r = share(rows, y, sizeof y);
    double c = share(columns, y, sizeof y);
    double p = share(pixels, py, sizeof py);
    printf("rows %.3f columns %.3f pixels %.3f\n", r, c, p);
    return 0;
}
