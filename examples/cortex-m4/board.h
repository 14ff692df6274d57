/* What a program may ask of the board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

void board_print(const char *text);

/* Only on the board: */
void board_print_number(long n);
_Noreturn void board_exit(int status);      /* the status becomes QEMU's, or the debugger's */
uint32_t board_ticks(void);                 /* counts down at the processor's clock, in 24 bits */
void board_paint_stack(void);
uint32_t board_stack_used(void);            /* how deep the calls since then have been, in bytes */

#endif
