/* Shape, Reshape, Flatten and Repeat, one by one: runs the four emitted functions and prints what they give. */
#include <stdio.h>

#include "flatten.h"
#include "repeat.h"
#include "reshape.h"
#include "shape.h"

/* Prints a tensor by its last dimension. */
static void show(const char *name, int rank, const int *dims, const float *values, int count)
{
    printf("%s", name);
    for (int d = 0; d < rank; d++) printf("%c%d", d ? ',' : '[', dims[d]);
    printf("]\n");
    for (int i = 0; i < count; i++) printf("%4g%s", (double)values[i], (i + 1) % dims[rank - 1] ? "" : "\n");
}

#define SHOW(prefix, k, values)                                                                                        \
    show(prefix##_OUT##k##_NAME, prefix##_OUT##k##_RANK, (const int[])prefix##_OUT##k##_DIMS, values,                  \
         prefix##_OUT##k##_ELEMS)

int main(void)
{
    float x[24];
    for (int i = 0; i < 24; i++) x[i] = (float)i;

    int64_t all[SHAPE_OUT0_ELEMS], last_two[SHAPE_OUT1_ELEMS];
    shape_run(x, all, last_two);
    printf("Shape of x[2,3,4]\nall %d %d %d\nlast_two %d %d\n", (int)all[0], (int)all[1], (int)all[2], (int)last_two[0],
           (int)last_two[1]);

    float given[RESHAPE_OUT0_ELEMS], inferred[RESHAPE_OUT1_ELEMS], kept[RESHAPE_OUT2_ELEMS];
    reshape_run(x, given, inferred, kept);
    printf("\nReshape of x[2,3,4]\n");
    SHOW(RESHAPE, 0, given);
    SHOW(RESHAPE, 1, inferred);
    SHOW(RESHAPE, 2, kept);

    float at_1[FLATTEN_OUT0_ELEMS], at_0[FLATTEN_OUT1_ELEMS], at_last[FLATTEN_OUT2_ELEMS];
    flatten_run(x, at_1, at_0, at_last);
    printf("\nFlatten of x[2,3,4]\n");
    SHOW(FLATTEN, 0, at_1);
    SHOW(FLATTEN, 1, at_0);
    SHOW(FLATTEN, 2, at_last);

    float sideways[REPEAT_OUT0_ELEMS], both[REPEAT_OUT1_ELEMS];
    repeat_run(x, sideways, both);
    printf("\nRepeat of x[2,3], the first 6 elements\n");
    SHOW(REPEAT, 0, sideways);
    SHOW(REPEAT, 1, both);
    return 0;
}
