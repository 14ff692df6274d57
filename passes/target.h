/* What passes know of the machine that the C is for: sizes of tiles, nothing that changes a result. */
#ifndef BURIN_TARGET_H
#define BURIN_TARGET_H

typedef struct Target {
    const char *name;                /* of --target */
    int lanes;                       /* elements of 4 bytes side by side in one panel of a tile; 0: no tiles */
    int arrays;                      /* panels that stay in registers, at most: rows × panels of a tile */
    int vectors;                     /* registers that one panel takes */
    int registers;                   /* of vectors */
    const char *isa;                 /* of x86-64, as compilers name its parts; NULL: what their options say */
} Target;

const Target *target_find(const char *name);         /* NULL: there is none of that name */
int target_vector(const Target *t);                  /* bytes of one of its registers of vectors; 0: it has none */
const Target *target_at(int i);                      /* all of them, the default first; NULL behind the last */

#endif
