// SPDX-License-Identifier: Apache-2.0
// Shared by the files that time kernels against numpy and PyTorch: rows of kernels, and one kernel with its arrays.
#ifndef CONGRUENT_BENCH_KERNEL_INTERNAL_H
#define CONGRUENT_BENCH_KERNEL_INTERNAL_H

#include "bench/bench_internal.h"

enum { KERNEL_ARRAYS_MAX = 4, KERNEL_PARAMETERS_MAX = 32, KERNEL_THREADS_MAX = 2 };

// A value in both arithmetics: as a real number, and as Triton's payload of f32.
typedef struct CheckValue {
    double value;
    uint64_t payload;
} CheckValue;

typedef struct KernelArray {
    unsigned rank;
    uint64_t shape[3]; // row-major f32
    bool scaled;       // the first dimension is given for --size 1024, and proportional to --size
    double low, high;  // bounds of its elements
} KernelArray;

typedef struct KernelInputs KernelInputs; // of one row, in memory
// Element `index` of the result, from the definition.
typedef CheckValue KernelCheck(const KernelInputs *inputs, uint64_t index);

typedef struct KernelRow {
    const char *label;
    const char *work; // as peers.py calls it
    const char *file; // of bytecode, without its ending
    KernelCheck *check;
    double magnitude; // an IEEE result is right if it is within 1e-5 (magnitude + |r|) of the exact r
    unsigned array_count, scalar_count;
    KernelArray arrays[KERNEL_ARRAYS_MAX]; // the last is the result
    float scalars[1];
    uint32_t grid[2];
    unsigned scaled_grid; // the dimension of the grid that is proportional to --size
    bool streams;         // three long arrays: bandwidth counts, and is compared with that of a loop in C
    // Goals; 0: none. The time of IEEE arithmetic at most so many times that of numpy and of PyTorch; the time of
    // payloads at most so many ns per element; the bandwidth at least so many percent of the loop's.
    double goal_numpy, goal_torch, goal_nanoseconds, goal_bandwidth;
} KernelRow;

extern const KernelRow bench_kernel_rows[], bench_element_rows[]; // the latter have no `check`
extern const size_t bench_kernel_row_count, bench_element_row_count;

// ---- bench_kernel.c: one row, compiled in both arithmetics, with its arrays -----------------------------------------

enum { KERNEL_IEEE, KERNEL_PAYLOAD, KERNEL_NUMERICS };

struct KernelInputs {
    const KernelRow *row;
    const float *arrays[KERNEL_ARRAYS_MAX];
    uint64_t shapes[KERNEL_ARRAYS_MAX][3];
};

typedef struct BenchKernel {
    Bench *bench;
    const KernelRow *row;
    Arena arena;
    const Program *program;
    CompiledModule *compiled[KERNEL_NUMERICS];
    const KernelInfo *kernels[KERNEL_NUMERICS];
    RtDevice *owner; // device of the buffers
    RtBuffer *buffers[KERNEL_ARRAYS_MAX];
    RtArgument arguments[KERNEL_PARAMETERS_MAX];
    unsigned argument_count;
    uint32_t grid[3];
    KernelInputs inputs;
    uint64_t elements, bytes; // elements of the result, bytes of all arrays
} BenchKernel;

// Compiles the row and fills its arrays, on `owner`. False and a diagnostic on failure. It must be closed in any case.
bool bench_kernel_open(BenchKernel *kernel, Bench *bench, const KernelRow *row, RtDevice *owner);
void bench_kernel_close(BenchKernel *kernel);
// Runs the kernel once in an arithmetic, on any device of kind host without shadow memory, and gives the time.
bool bench_kernel_run(BenchKernel *kernel, unsigned numeric, RtDevice *device, BenchTime *time);
// Compares some elements of what the last run left with the definition. `numeric`: that of the last run.
bool bench_kernel_check(BenchKernel *kernel, unsigned numeric);

// ---- bench_blas.c: copying memory -----------------------------------------------------------------------------------

// z = x + 3 y, the loops in C whose bandwidth kernels are compared with: along all three arrays at once, and in blocks
// of 1024 elements, as kernels go, of which y's is read first. Some processors are faster with one, some with the
// other.
typedef void BenchTriad(float *z, const float *x, const float *y, uint64_t count);
BenchTriad bench_triad, bench_triad_blocks;

// ---- bench_checks.c -------------------------------------------------------------------------------------------------

KernelCheck check_formula, check_vadd, check_triad, check_softmax, check_layer_norm, check_gelu, check_attention;

#endif
