/* A stand-in for the Arduino core: as much as examples/arduino needs to be compiled and run on a computer. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stdio.h>

enum { A0 = 14 };

static struct SerialPort {
    void begin(long) {}
    void print(const char *text) { printf("%s", text); }
    void print(double value, int decimals) { printf("%.*f", decimals, value); }
    void println(const char *text) { printf("%s\n", text); }
} Serial;

/* A pin that climbs by 16 from 512. */
static int analogRead(int) {
    static int reads = 0;
    return 512 + 16 * reads++;
}

static void delay(unsigned long) {}

void setup();
void loop();

int main() {
    setup();
    for (int i = 0; i < 3; i++) loop();
}

#endif
