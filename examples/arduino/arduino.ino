// Reads an analog pin ten times a second, and prints the mean and the spread of the last 8 readings.
#include "level.h"

static float reading[LEVEL_IN0_ELEMS];
static int oldest = 0;

void setup() {
    Serial.begin(115200);
    for (int i = 0; i < LEVEL_IN0_ELEMS; i++) reading[i] = analogRead(A0);
}

void loop() {
    float mean, spread;
    reading[oldest] = analogRead(A0);
    oldest = (oldest + 1) % LEVEL_IN0_ELEMS;
    level_run(reading, &mean, &spread);
    Serial.print(mean, 3);
    Serial.print(" V, spread ");
    Serial.print(spread, 3);
    Serial.println(" V");
    delay(100);
}
