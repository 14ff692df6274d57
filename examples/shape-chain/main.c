/* Runs the exporter's graph and the one folded by hand on the same input: they must agree to the bit. */
#include <stdio.h>
#include <string.h>

#include "by_hand.h"
#include "chain.h"

int main(void)
{
    float x[CHAIN_IN0_ELEMS], mask[CHAIN_IN1_ELEMS] = {0}, y[CHAIN_OUT0_ELEMS], by_hand[BY_HAND_OUT0_ELEMS];
    for (int i = 0; i < CHAIN_IN0_ELEMS; i++) x[i] = (float)i;
    chain_run(x, mask, y);
    by_hand_run(x, mask, by_hand);
    for (int i = 0; i < CHAIN_OUT0_ELEMS; i++) printf("%5g%s", (double)y[i], (i + 1) % 12 ? "" : "\n");
    if (memcmp(y, by_hand, sizeof y)) {
        printf("the two graphs differ\n");
        return 1;
    }
    printf("the same as by hand\n");
    return 0;
}
