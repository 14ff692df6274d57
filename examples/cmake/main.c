/* Paints a wall with a tile. */
#include <stdio.h>

#include "pattern.h"

int main(void)
{
    static const uint8_t tile[PATTERN_IN0_ELEMS] = {
        0, 0, 1, 0,
        0, 1, 0, 1,
        1, 0, 0, 0,
        0, 1, 0, 1,
    };
    static const int dims[] = PATTERN_OUT0_DIMS;
    static uint8_t wall[PATTERN_OUT0_ELEMS];

    pattern_run(tile, wall);
    for (int y = 0; y < dims[0]; y++) {
        for (int x = 0; x < dims[1]; x++) putchar(wall[y * dims[1] + x] ? '#' : '.');
        putchar('\n');
    }
    return 0;
}
