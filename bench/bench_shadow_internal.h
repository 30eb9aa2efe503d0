// SPDX-License-Identifier: Apache-2.0
// Shared by the files that time the numeric `shadow`: a kernel with its buffers, in one numeric.
#ifndef CONGRUENT_BENCH_SHADOW_INTERNAL_H
#define CONGRUENT_BENCH_SHADOW_INTERNAL_H

#include "bench/bench_internal.h"

enum { SHADOW_BUFFERS_MAX = 3, SHADOW_PARAMETERS_MAX = 16 };

// One buffer as a kernel's parameter: an array of rank 1 or 2, row-major.
typedef struct ShadowArray {
    FpsanFormat format;
    uint64_t rows, columns; // rows 0: rank 1
} ShadowArray;

typedef struct ShadowKernel {
    Bench *bench;
    RtDevice *device; // with shadow memory, one thread; shared
    Arena arena;
    const Program *program;
    CompiledModule *compiled;
    const KernelInfo *kernel;
    unsigned array_count, argument_count;
    ShadowArray arrays[SHADOW_BUFFERS_MAX];
    RtBuffer *buffers[SHADOW_BUFFERS_MAX];
    RtArgument arguments[SHADOW_PARAMETERS_MAX];
    double compile_seconds;
} ShadowKernel;

// ---- bench_shadow_kernel.c ------------------------------------------------------------------------------------------

// Compiles a file of bench/ in a numeric and allocates zeroed buffers for its arrays. False and a diagnostic on
// failure. It must be closed in any case. The caller has set `bench` and `device`.
bool shadow_kernel_open(ShadowKernel *kernel, const char *file, CompileNumeric numeric, const ShadowArray *arrays,
                        unsigned array_count);
void shadow_kernel_close(ShadowKernel *kernel);
// Fills a buffer with numbers in [low, high), by a hash of seed and index. It has no records afterwards.
void shadow_kernel_fill(ShadowKernel *kernel, unsigned array, uint64_t seed, double low, double high);
// Gives every element of a buffer a record: a payload of random components.
void shadow_kernel_record(ShadowKernel *kernel, unsigned array, uint64_t seed);
// The payload of an element: that of its record; without one that of its value.
TowerPayload shadow_kernel_payload(const ShadowKernel *kernel, unsigned array, size_t index);
// Runs the kernel once; *seconds is processor time.
bool shadow_kernel_run(ShadowKernel *kernel, uint32_t grid_x, uint32_t grid_y, double *seconds);

// ---- bench_shadow_dots.c --------------------------------------------------------------------------------------------

bool bench_shadow_dots(Bench *bench, RtDevice *device);

// ---- bench_products.c -----------------------------------------------------------------------------------------------

// Products of two residues per second, each added to a sum, with AVX-512 IFMA; NAN without it.
double bench_product_rate(void);

// ---- bench_shadow_elements.c ----------------------------------------------------------------------------------------

bool bench_shadow_elements(Bench *bench, RtDevice *device);

#endif
