/* The board: start-up, output and exit through semihosting, a clock and a measure of the stack.
 *
 * Semihosting: the instruction BKPT 0xAB stops the processor; whoever debugs it (here QEMU) does what register r0 asks
 * for, with the argument in r1, and lets it go on. A board without a debugger needs its own board_print, board_exit. */
#include "board.h"

/* ---- start-up ---- */

extern uint32_t data_in_flash[], data_start[], data_end[], bss_start[], bss_end[];      /* from board.ld */
extern uint32_t stack_bottom[], stack_top[];
int main(void);
void reset(void);
void fault(void);

/* What the processor reads at address 0: the stack, where to start, then a handler for each of its 14 exceptions. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[15])(void);
} vectors = {stack_top, {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault}};

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CPACR REGISTER(0xE000ED88)          /* coprocessor access control */
#define SYSTICK_CONTROL REGISTER(0xE000E010)
#define SYSTICK_RELOAD REGISTER(0xE000E014)
#define SYSTICK_VALUE REGISTER(0xE000E018)

void reset(void)
{
    CPACR |= 0xFu << 20;                    /* full access to CP10 and CP11, which are the floating-point unit */
    __asm volatile("dsb\n isb" ::: "memory");
    for (uint32_t *from = data_in_flash, *to = data_start; to < data_end;) *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;) *to++ = 0;
    SYSTICK_RELOAD = 0xFFFFFF;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 5;                    /* on, from the processor's clock, without an interrupt */
    board_exit(main());
}

void fault(void)
{
    board_print("fault\n");
    board_exit(99);
}

/* ---- semihosting ---- */

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, STOPPED_APPLICATION_EXIT = 0x20026 };

static void semihost(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char *text)
{
    semihost(SYS_WRITE0, text);
}

void board_print_number(long n)
{
    char text[12], *p = text + sizeof text;
    unsigned long rest = n < 0 ? -(unsigned long)n : (unsigned long)n;
    *--p = 0;
    do *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (n < 0) *--p = '-';
    board_print(p);
}

void board_exit(int status)
{
    const uint32_t block[2] = {STOPPED_APPLICATION_EXIT, (uint32_t)status};
    semihost(SYS_EXIT_EXTENDED, block);
    for (;;) {}
}

/* ---- measuring ---- */

enum { PAINT = 0xA5A5A5A5 };

uint32_t board_ticks(void)
{
    return SYSTICK_VALUE;
}

static uint32_t *painted_to;

/* Everything below the stack pointer is free. What is used later is counted from here: all but this function's own few
 * words. */
__attribute__((noinline)) void board_paint_stack(void)
{
    uint32_t *sp;
    __asm volatile("mov %0, sp" : "=r"(sp));
    painted_to = sp;
    for (volatile uint32_t *p = stack_bottom; p < sp; p++) *p = PAINT;      /* volatile: not by memset, which has a frame */
}

uint32_t board_stack_used(void)
{
    uint32_t *p = stack_bottom;
    while (p < painted_to && *p == PAINT) p++;
    return (uint32_t)(painted_to - p) * 4;
}
