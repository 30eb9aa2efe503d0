// SPDX-License-Identifier: Apache-2.0
// What the machine can do, for comparison: OpenBLAS's matrix product, opened at run time, and copying memory.
#include "bench/bench_internal.h"
#include "bench/bench_kernel_internal.h"

#include <dlfcn.h>
#include <string.h>

typedef void BlasProduct(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha,
                         const float *a, int a_stride, const float *b, int b_stride, float beta, float *c,
                         int c_stride);
typedef void BlasThreads(int count);
typedef char *BlasConfig(void);
enum { BLAS_ROW_MAJOR = 101, BLAS_AS_IS = 111 };

static void *open_blas(const char **name) {
    static const char *const files[] = {"libopenblas.so.0", "libopenblas.so"};
    void *library = NULL;
    for (size_t i = 0; i < BASE_COUNT(files) && !library; i++) {
        *name = files[i];
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); // its threads stay until the end
    }
    return library;
}

const char *bench_blas_version(void) {
    const char *name;
    void *library = open_blas(&name);
    BlasConfig *config = library ? (BlasConfig *)dlsym(library, "openblas_get_config") : NULL;
    if (library) dlclose(library);
    return config ? config() : NULL; // the library stays loaded
}

double bench_sgemm(int64_t size, unsigned threads, bool wall, const float *a, const float *b, float *c,
                   const char **name) {
    void *library = open_blas(name);
    if (!library) return -1;
    BlasProduct *product = (BlasProduct *)dlsym(library, "cblas_sgemm");
    BlasThreads *set_threads = (BlasThreads *)dlsym(library, "openblas_set_num_threads");
    double seconds = -1;
    if (product && set_threads) {
        int n = (int)size;
        set_threads((int)threads);
        BenchTime start = bench_now();
        product(BLAS_ROW_MAJOR, BLAS_AS_IS, BLAS_AS_IS, n, n, n, 1, a, n, b, n, 0, c, n);
        BenchTime end = bench_now();
        seconds = wall ? end.wall - start.wall : end.processor - start.processor;
    }
    dlclose(library);
    return seconds;
}

// ---- copying memory, as STREAM does ---------------------------------------------------------------------------------

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

static void triad(float *z, const float *x, const float *y, uint64_t count) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return triad_64(z, x, y, count);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return triad_32(z, x, y, count);
#endif
    triad_16(z, x, y, count);
}

void bench_triad(float *z, const float *x, const float *y, uint64_t count) {
    triad(z, x, y, count);
}

void bench_triad_blocks(float *z, const float *x, const float *y, uint64_t count) {
    enum { BLOCK = 1024 };
    float block[BLOCK] __attribute__((aligned(64)));
    for (uint64_t i = 0; i < count; i += BLOCK) {
        const uint64_t some = count - i < BLOCK ? count - i : BLOCK;
        memcpy(block, y + i, some * sizeof *y);
        triad(z + i, x + i, block, some);
    }
}
