/* Two models in one program, both headers in one file, in a C program; two_cxx.cpp calls both from C++. */
#include "views.h"
#include "network.h"
#include "views.h"
#include "network.h"
int two(void);

int two(void)
{
    static float x[VIEWS_IN0_ELEMS], y[VIEWS_OUT0_ELEMS], v[VIEWS_OUT1_ELEMS], v2[VIEWS_OUT2_ELEMS],
        x2[VIEWS_OUT3_ELEMS];
    static float u[VIEWS_OUT4_ELEMS], w[VIEWS_OUT5_ELEMS];
    for (int i = 0; i < VIEWS_IN0_ELEMS; i++) x[i] = (float)(i - 12);
    views_run(x, y, v, v2, x2, u, w);
    for (int i = 0; i < VIEWS_IN0_ELEMS; i++) {
        const float relu = x[i] > 0 ? x[i] : 0;
        if (y[i] != -relu || v[i] != x[i] || v2[i] != x[i] || x2[i] != x[i] || u[i] != x[i] || w[i] != relu) return 1;
    }
    return 0;
}
