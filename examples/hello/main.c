/* Calls the emitted function and prints what it gives, on a computer (host.c) or on a board (../cortex-m4/board.c). */
#include "../cortex-m4/board.h"
#include "hello.h"

/* Prints a number to three decimals. Firmware does without printf, which needs double and a heap. */
static void print_value(float v)
{
    char text[16], *p = text + sizeof text;
    bool negative = v < 0;
    int n = (int)((negative ? -v : v) * 1000 + 0.5f);
    *--p = 0;
    for (int digit = 0; digit < 4 || n; digit++, n /= 10) {
        if (digit == 3) *--p = '.';
        *--p = (char)('0' + n % 10);
    }
    if (negative) *--p = '-';
    while (p > text + 6) *--p = ' ';
    board_print(p);
}

int main(void)
{
    const float x[HELLO_IN0_ELEMS] = {1, -2, 3, 4.5f, -5, 0.25f};
    const int dims[] = HELLO_OUT0_DIMS;
    float y[HELLO_OUT0_ELEMS];

    hello_run(x, y);
    for (int i = 0; i < HELLO_OUT0_ELEMS; i++) {
        print_value(y[i]);
        if ((i + 1) % dims[1] == 0) board_print("\n");
    }
    return 0;
}
