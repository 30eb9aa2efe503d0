// SPDX-License-Identifier: Apache-2.0
// How many residues of the tower the processor could multiply and add: products of 26 bits, summed in 64, from packed
// operands in the first-level cache, as the inner loop of a dot does it.
#include "bench/bench_shadow_internal.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>

enum { ROWS = 8, LANES = 8, VECTORS = 2, COLUMNS = LANES * VECTORS, DEPTH = 64 };

typedef struct Products {
    uint64_t b[DEPTH][COLUMNS], a[ROWS][DEPTH];
    uint64_t sums[ROWS][COLUMNS];
} Products;

__attribute__((target("avx512f,avx512ifma"))) static void multiply(Products *p) {
    __m512i sums[ROWS][VECTORS];
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) sums[r][v] = _mm512_setzero_si512();
    for (int k = 0; k < DEPTH; k++)
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] = _mm512_madd52lo_epu64(sums[r][v], _mm512_set1_epi64((long long)p->a[r][k]),
                                                   _mm512_loadu_si512(&p->b[k][v * LANES]));
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) _mm512_storeu_si512(&p->sums[r][v * LANES], sums[r][v]);
}

double bench_product_rate(void) {
    enum { CALLS = 256, TRIES = 16 };
    Arena arena = {0};
    double best = 0;
    if (!__builtin_cpu_supports("avx512ifma")) return NAN;
    Products *p = arena_new(&arena, Products);
    for (int k = 0; k < DEPTH; k++) {
        for (int r = 0; r < ROWS; r++) p->a[r][k] = (uint64_t)(k * r);
        for (int c = 0; c < COLUMNS; c++) p->b[k][c] = (uint64_t)(k + c);
    }
    for (int t = 0; t < TRIES; t++) {
        const BenchTime start = bench_now();
        for (int i = 0; i < CALLS; i++) multiply(p);
        best = fmax(best, (double)CALLS * ROWS * COLUMNS * DEPTH / (bench_now().processor - start.processor));
    }
    arena_reset(&arena);
    return best;
}

#else
double bench_product_rate(void) {
    return NAN;
}
#endif
