/* Shows an image to the network, then all the images that its training has not seen, and counts what it gets right. */
#include <stdio.h>

#include "digits.h"
#include "images.h"

enum { WANTED = 97 };   /* per cent: what the README states */

static void decode(const char *image, float *pixels)
{
    for (int i = 0; i < 64; i++) {
        char c = image[i + 1];
        pixels[i] = (float)(c <= '9' ? c - '0' : c - 'A' + 10);
    }
}

int main(void)
{
    float pixels[DIGITS_IN0_ELEMS], probability[DIGITS_OUT1_ELEMS];
    int64_t digit;
    int right = 0;

    for (int i = 0; i < IMAGE_COUNT; i++) {
        decode(images[i], pixels);
        digits_run(pixels, &digit, probability);
        right += digit == images[i][0] - '0';
        if (i) continue;
        for (int y = 0; y < 8; y++) {
            for (int x = 0; x < 8; x++) putchar(" .:-=+*#@"[(int)pixels[8 * y + x] / 2]);
            putchar('\n');
        }
        printf("a %d, with probability %.3f\n", (int)digit, (double)probability[digit]);
    }
    printf("%d of %d unseen images right: %.2f %%\n", right, IMAGE_COUNT, 100.0 * right / IMAGE_COUNT);
    return 100 * right >= WANTED * IMAGE_COUNT ? 0 : 1;
}
