// SPDX-License-Identifier: Apache-2.0
// OpenBLAS's matrix product, opened at run time, for comparison.
#include "bench/bench_internal.h"

#include <dlfcn.h>

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

double bench_sgemm(int64_t size, const float *a, const float *b, float *c, const char **name) {
    void *library = open_blas(name);
    if (!library) return -1;
    BlasProduct *product = (BlasProduct *)dlsym(library, "cblas_sgemm");
    BlasThreads *threads = (BlasThreads *)dlsym(library, "openblas_set_num_threads");
    double seconds = -1;
    if (product && threads) {
        int n = (int)size;
        threads(1);
        double start = bench_now().processor;
        product(BLAS_ROW_MAJOR, BLAS_AS_IS, BLAS_AS_IS, n, n, n, 1, a, n, b, n, 0, c, n);
        seconds = bench_now().processor - start;
    }
    dlclose(library);
    return seconds;
}
