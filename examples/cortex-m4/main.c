/* Classifies handwritten digits on the board, and prints what it makes of them. */
#include "../digits/images.h"
#include "board.h"
#include "digits.h"

enum { WANTED = 97 };   /* per cent */

static float pixels[DIGITS_IN0_ELEMS], probability[DIGITS_OUT1_ELEMS];
static int64_t digit;

static void show(const char *image)
{
    static const char shades[] = " .:-=+*#@";
    char row[10];
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) row[x] = shades[(int)pixels[8 * y + x] / 2];
        row[8] = '\n';
        row[9] = 0;
        board_print(row);
    }
    board_print("read as ");
    board_print_number((long)digit);
    board_print(", with probability ");
    board_print_number((long)(probability[digit] * 100 + 0.5f));
    board_print(" %; it is ");
    board_print_number(image[0] - '0');
    board_print("\n");
}

#ifdef MEASURE
/* Of one call: ticks of the processor's clock, and the stack below this function. */
static void measure(void)
{
    board_paint_stack();
    uint32_t start = board_ticks();
    digits_run(pixels, &digit, probability);
    uint32_t ticks = (start - board_ticks()) & 0xFFFFFF;
    uint32_t stack = board_stack_used();
    board_print("instructions ");
    board_print_number((long)ticks * 40);   /* QEMU's clock under -icount shift=0: 1 ns an instruction, 40 ns a tick */
    board_print(", stack ");
    board_print_number((long)stack);
    board_print(" bytes\n");
}
#endif

int main(void)
{
    int right = 0;
    for (int i = 0; i < IMAGE_COUNT; i++) {
        for (int k = 0; k < DIGITS_IN0_ELEMS; k++) {
            char c = images[i][k + 1];
            pixels[k] = (float)(c <= '9' ? c - '0' : c - 'A' + 10);
        }
        digits_run(pixels, &digit, probability);
        right += digit == images[i][0] - '0';
        if (i == 0) show(images[i]);
    }
    board_print_number(right);
    board_print(" of ");
    board_print_number(IMAGE_COUNT);
    board_print(" unseen images right\n");
#ifdef MEASURE
    measure();
#endif
    return 100 * right >= WANTED * IMAGE_COUNT ? 0 : 1;
}
