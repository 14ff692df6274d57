// Both headers in C++17, linked with the C of both models.
#include <cstdint>
#include <cstdio>
#include "network.h"
#include "views.h"
extern "C" int two(void);

int main()
{
    static float x[NETWORK_IN0_ELEMS], p[NETWORK_OUT0_ELEMS], h[NETWORK_OUT2_ELEMS], m[NETWORK_OUT3_ELEMS];
    static std::int64_t k[NETWORK_OUT1_ELEMS];
    constexpr int dims[] = NETWORK_OUT0_DIMS;
    static_assert(NETWORK_OUT0_RANK == 2 && dims[0] == 3 && dims[1] == 4, "the shape of p");
    network_run(x, p, k, h, m);
    for (int i = 0; i < 3; i++) {
        float sum = 0;
        for (int j = 0; j < 4; j++) sum += p[i * 4 + j];
        if (sum < 0.9999f || sum > 1.0001f || k[i] < 0 || k[i] > 3) {
            std::printf("row %d adds up to %g, greatest %d\n", i, static_cast<double>(sum), static_cast<int>(k[i]));
            return 1;
        }
    }
    return two();
}
