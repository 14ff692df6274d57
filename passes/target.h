/* What passes know of the machine that the C is for: sizes of tiles, nothing that changes a result. */
#ifndef BURIN_TARGET_H
#define BURIN_TARGET_H

#include <stdbool.h>

typedef struct Target {
    const char *name;                /* of --target */
    int lanes;                       /* elements of 4 bytes side by side in one panel of a tile; 0: no tiles */
    int rows;                        /* rows of a tile, at most */
    int panels;                      /* panels side by side, at most, where there are few rows */
} Target;

const Target *target_find(const char *name);         /* NULL: there is none of that name */
const Target *target_at(int i);                      /* all of them, the default first; NULL behind the last */

#endif
