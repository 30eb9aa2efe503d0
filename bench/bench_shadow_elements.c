// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels in the numeric `shadow` against IEEE arithmetic, loads and stores included.
#include "bench/bench_shadow_internal.h"

#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 1 << 20, TILE = 1024 };

typedef struct ElementRow {
    const char *name;
    unsigned operands;
    FpsanFormat operand;
    double low, high; // of the operands
} ElementRow;

static const ElementRow rows[] = {
    {"add", 2, FPSAN_F32, -1, 1},    {"mul", 2, FPSAN_F32, -1, 1},   {"axpby", 2, FPSAN_F32, -1, 1},
    {"div", 2, FPSAN_F32, 0.5, 2},   {"sqrt", 1, FPSAN_F32, 0.5, 2}, {"rsqrt", 1, FPSAN_F32, 0.5, 2},
    {"exp2", 1, FPSAN_F32, -4, 4},   {"exp", 1, FPSAN_F32, -4, 4},   {"log2", 1, FPSAN_F32, 0.5, 2},
    {"tanh", 1, FPSAN_F32, -2, 2},   {"sin", 1, FPSAN_F32, -2, 2},   {"silu", 1, FPSAN_F32, -2, 2},
    {"softmax", 1, FPSAN_F32, -2, 2}, {"widen", 1, FPSAN_F16, -2, 2},
};

// The same launch in IEEE arithmetic, on values from outside, and on values that have records.
enum { VARIANTS = 3 };

static bool open_variant(ShadowKernel *kernel, const ElementRow *row, unsigned variant) {
    ShadowArray arrays[3];
    for (unsigned i = 0; i <= row->operands; i++)
        arrays[i] = (ShadowArray){i < row->operands ? row->operand : FPSAN_F32, 0, ELEMENTS};
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
    ShadowKernel kernels[VARIANTS];
    double seconds[VARIANTS], *all[VARIANTS], first;
    Arena arena = {0};
    bool good = true;
    for (unsigned v = 0; v < VARIANTS; v++) {
        kernels[v] = (ShadowKernel){.bench = bench, .device = device};
        all[v] = arena_array(&arena, double, bench->runs);
    }
    for (unsigned v = 0; v < VARIANTS && good; v++)
        good = open_variant(&kernels[v], row, v) && shadow_kernel_run(&kernels[v], ELEMENTS / TILE, 1, &first);
    for (unsigned v = 0; v < VARIANTS && good; v++) // one after the other: each finds its own data in the caches
        for (unsigned r = 0; r < bench->runs && good; r++)
            good = shadow_kernel_run(&kernels[v], ELEMENTS / TILE, 1, &all[v][r]);
    for (unsigned v = 0; v < VARIANTS && good; v++)
        seconds[v] = bench_median(all[v], bench->runs) / ELEMENTS * 1e9;
    if (good)
        printf("  %-48s %9.2f %9.2f %9.2f %9.1f %9.1f\n", row->name, seconds[0], seconds[1], seconds[2],
               seconds[1] / seconds[0], seconds[2] / seconds[0]);
    fflush(stdout);
    for (unsigned v = 0; v < VARIANTS; v++) shadow_kernel_close(&kernels[v]);
    arena_reset(&arena);
    return good;
}

bool bench_shadow_elements(Bench *bench) {
    RtDevice *device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true});
    if (!device) return false;
    printf("\n  %-48s %9s %9s %9s %9s %9s\n", "ns per element of 2^20", "ieee", "outside", "records", "ratio", "ratio");
    bool good = true;
    for (size_t i = 0; i < BASE_COUNT(rows) && good; i++) good = time_row(bench, device, &rows[i]);
    rt_close(device);
    return good;
}
