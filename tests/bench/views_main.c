/* Runs the model once; the instructions of views_run are counted from outside. */
#include <stdio.h>
#include "views.h"

static float x[VIEWS_IN0_ELEMS], y[VIEWS_OUT0_ELEMS];

int main(void)
{
    for (int i = 0; i < VIEWS_IN0_ELEMS; i++) x[i] = (float)(i % 7 - 3);
    views_run(x, y);
    for (int i = 0; i < VIEWS_OUT0_ELEMS; i++)
        if (y[i] != (x[i] > 0 ? x[i] : 0)) {
            printf("element %d is %g\n", i, (double)y[i]);
            return 1;
        }
    return 0;
}
