/* Names come back in the macros; values are right; two inclusions of the header. */
#include "driver.h"
#include "m.h"
#include "m.h"

int main(void)
{
    static const char *const names[] = {"*/ #error one",
                                        M_IN0_NAME,
                                        "?\?/",
                                        M_IN1_NAME,
                                        "int",
                                        M_IN2_NAME,
                                        "linux",
                                        M_IN3_NAME,
                                        "memcpy",
                                        M_IN4_NAME,
                                        "a b",
                                        M_IN5_NAME,
                                        "a.b",
                                        M_IN6_NAME,
                                        "a_b",
                                        M_IN7_NAME,
                                        "__LINE__",
                                        M_IN8_NAME,
                                        "gr\xc3\xb6\xc3\x9f"
                                        "e",
                                        M_IN9_NAME,
                                        "\"quoted\\",
                                        M_IN10_NAME,
                                        "m_run",
                                        M_IN11_NAME,
                                        "9",
                                        M_IN12_NAME,
                                        "class",
                                        M_OUT0_NAME,
                                        "/* out",
                                        M_OUT1_NAME,
                                        "I",
                                        M_OUT2_NAME,
                                        "%d%s",
                                        M_OUT3_NAME,
                                        "in0",
                                        M_OUT4_NAME};
    for (size_t i = 0; i < sizeof names / sizeof *names; i += 2)
        if (strcmp(names[i], names[i + 1])) {
            printf("the name '%s' came back as '%s'\n", names[i], names[i + 1]);
            return 1;
        }
    float x[13][2], y[5][2];
    for (int k = 0; k < 13; k++)
        for (int i = 0; i < 2; i++) x[k][i] = (float)(k + 1 + i);
    m_run(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], y[0], y[1], y[2], y[3],
          y[4]);
    for (int i = 0; i < 2; i++) {
        const float a = (x[0][i] + x[1][i]) * (x[2][i] + x[3][i]), b = (x[4][i] + x[5][i]) * (x[6][i] + x[7][i]);
        const float c = (x[8][i] + x[9][i]) * (x[10][i] + x[11][i]);
        if (y[0][i] != a || y[1][i] != b || y[2][i] != c || y[3][i] != x[12][i] + a || y[4][i] != c - b)
            die("wrong value", i);
    }
    return 0;
}
