// SPDX-License-Identifier: Apache-2.0
// The loop of STREAM's triad in C, with ordinary vector loads and stores as compiled kernels have them.
#include "bench/bench_kernel_internal.h"

// The widest vectors of the processor; a compiler that knows none of this takes its own.
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDEST(features) __attribute__((target(features)))
#else
#define WIDEST(features)
#endif

#define TRIAD(name, features, width)                                                                                   \
    typedef float Vector##width __attribute__((vector_size(width), aligned(4)));                                       \
    WIDEST(features) static void name(float *z, const float *x, const float *y, uint64_t count) {                      \
        const uint64_t lanes = width / sizeof *z;                                                                      \
        uint64_t i = 0;                                                                                                \
        for (; i + 4 * lanes <= count; i += 4 * lanes)                                                                 \
            for (uint64_t k = i; k < i + 4 * lanes; k += lanes)                                                        \
                *(Vector##width *)(z + k) = *(const Vector##width *)(x + k) + 3 * *(const Vector##width *)(y + k);     \
        for (; i < count; i++) z[i] = x[i] + 3 * y[i];                                                                 \
    }

#if defined(__x86_64__)
TRIAD(triad_64, "avx512f", 64)
TRIAD(triad_32, "avx2,fma", 32)
#endif
TRIAD(triad_16, "sse2", 16)

void bench_triad(float *z, const float *x, const float *y, uint64_t count) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return triad_64(z, x, y, count);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return triad_32(z, x, y, count);
#endif
    triad_16(z, x, y, count);
}
