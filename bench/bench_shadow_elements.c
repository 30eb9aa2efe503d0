// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels in the numeric `shadow` against IEEE arithmetic, loads and stores included.
#include "bench/bench_shadow_internal.h"

#include <math.h>
#include <stdio.h>

enum { TILE = 1024 };

typedef struct ElementRow {
    const char *name;
    unsigned operands;
    FpsanFormat operand;
    double low, high; // of the operands
} ElementRow;

static const ElementRow rows[] = {
    {"add", 2, FPSAN_F32, -1, 1},     {"mul", 2, FPSAN_F32, -1, 1},   {"axpby", 2, FPSAN_F32, -1, 1},
    {"div", 2, FPSAN_F32, 0.5, 2},    {"sqrt", 1, FPSAN_F32, 0.5, 2}, {"rsqrt", 1, FPSAN_F32, 0.5, 2},
    {"exp2", 1, FPSAN_F32, -4, 4},    {"exp", 1, FPSAN_F32, -4, 4},   {"log2", 1, FPSAN_F32, 0.5, 2},
    {"tanh", 1, FPSAN_F32, -2, 2},    {"sin", 1, FPSAN_F32, -2, 2},   {"silu", 1, FPSAN_F32, -2, 2},
    {"softmax", 1, FPSAN_F32, -2, 2}, {"widen", 1, FPSAN_F16, -2, 2},
};

// The same launch in IEEE arithmetic, in shadow on values from outside, and in shadow on values that have records.
enum { VARIANTS = 3 };

static uint64_t element_count(const Bench *bench) {
    return (uint64_t)(bench->size * bench->size + TILE - 1) / TILE * TILE;
}

static bool open_variant(ShadowKernel *kernel, const ElementRow *row, unsigned variant) {
    ShadowArray arrays[3];
    const uint64_t elements = element_count(kernel->bench);
    for (unsigned i = 0; i <= row->operands; i++)
        arrays[i] = (ShadowArray){i < row->operands ? row->operand : FPSAN_F32, 0, elements};
    char file[64];
    snprintf(file, sizeof file, "element_%s.tileirbc", row->name);
    if (!shadow_kernel_open(kernel, file, variant ? COMPILE_SHADOW : COMPILE_IEEE, arrays, row->operands + 1))
        return false;
    for (unsigned i = 0; i < row->operands; i++) {
        shadow_kernel_fill(kernel, i, i, row->low, row->high);
        if (variant == 2) shadow_kernel_record(kernel, i, i);
    }
    return true;
}

static bool time_row(Bench *bench, RtDevice *device, const ElementRow *row) {
    const uint64_t elements = element_count(bench);
    const uint32_t blocks = (uint32_t)(elements / TILE);
    double nanoseconds[VARIANTS], first;
    bool good = true;
    for (unsigned v = 0; v < VARIANTS && good; v++) { // one after the other: each finds its own data in the caches
        ShadowKernel kernel = {.bench = bench, .device = device};
        double *seconds = arena_array(&kernel.arena, double, bench->runs);
        good = open_variant(&kernel, row, v) && shadow_kernel_run(&kernel, blocks, 1, &first); // touches the memory
        for (unsigned r = 0; r < bench->runs && good; r++) good = shadow_kernel_run(&kernel, blocks, 1, &seconds[r]);
        nanoseconds[v] = bench_median(seconds, bench->runs) / (double)elements * 1e9;
        shadow_kernel_close(&kernel);
    }
    if (good)
        printf("  %-48s %9.2f %9.2f %9.2f %9.1f %9.1f\n", row->name, nanoseconds[0], nanoseconds[1], nanoseconds[2],
               nanoseconds[1] / nanoseconds[0], nanoseconds[2] / nanoseconds[0]);
    fflush(stdout);
    return good;
}

// What records of a sum take, where its operands have none.
static bool print_memory(Bench *bench, RtDevice *device) {
    ShadowKernel kernel = {.bench = bench, .device = device};
    double seconds;
    bool good = open_variant(&kernel, &rows[0], 1) &&
                shadow_kernel_run(&kernel, (uint32_t)(element_count(bench) / TILE), 1, &seconds);
    if (good)
        printf("  %-48s %9.2f MiB, %.1f bytes for each float that was written\n", "shadow memory after add",
               (double)rt_shadow_bytes(device) / (1 << 20),
               (double)rt_shadow_bytes(device) / (double)element_count(bench));
    shadow_kernel_close(&kernel);
    return good;
}

bool bench_shadow_elements(Bench *bench, RtDevice *device) {
    char title[64];
    snprintf(title, sizeof title, "shadow: ns per element of %llu", (unsigned long long)element_count(bench));
    printf("\n%-50s %9s %19s %19s\n  %-48s %9s %9s %9s %9s %9s\n", title, "", "shadow", "ratio", "", "ieee", "outside",
           "records", "outside", "records");
    bool good = true;
    for (size_t i = 0; i < BASE_COUNT(rows) && good; i++) good = time_row(bench, device, &rows[i]);
    return good && print_memory(bench, device);
}
