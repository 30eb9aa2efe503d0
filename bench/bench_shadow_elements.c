// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels in the numeric `shadow` against IEEE arithmetic, loads and stores included. Beside their times
// stands what memory alone would take for them.
#include "bench/bench_kernel_internal.h"
#include "bench/bench_shadow_internal.h"

#include <math.h>
#include <stdio.h>

enum { TILE = 1024 };

typedef struct ElementRow {
    const char *name;
    unsigned operands;
    FpsanFormat operand;
    double low, high; // of the operands
    double goal;      // how many times the time of IEEE arithmetic it may take, at most; 0: there is no goal
} ElementRow;

static const ElementRow rows[] = {
    {"add", 2, FPSAN_F32, -1, 1, 25},    {"mul", 2, FPSAN_F32, -1, 1, 25},     {"axpby", 2, FPSAN_F32, -1, 1, 25},
    {"widen", 1, FPSAN_F16, -2, 2, 25},  {"div", 2, FPSAN_F32, 0.5, 2, 40},    {"sqrt", 1, FPSAN_F32, 0.5, 2, 60},
    {"rsqrt", 1, FPSAN_F32, 0.5, 2, 60}, {"exp2", 1, FPSAN_F32, -4, 4, 40},    {"exp", 1, FPSAN_F32, -4, 4, 0},
    {"log2", 1, FPSAN_F32, 0.5, 2, 0},   {"tanh", 1, FPSAN_F32, -2, 2, 0},     {"sin", 1, FPSAN_F32, -2, 2, 0},
    {"silu", 1, FPSAN_F32, -2, 2, 40},   {"softmax", 1, FPSAN_F32, -2, 2, 40},
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

// What a row takes, in nanoseconds for an element.
typedef struct ElementTimes {
    double variant[VARIANTS];
    double bytes[VARIANTS]; // of buffers and records, for an element
} ElementTimes;

static double kernel_bytes(const ShadowKernel *kernel) {
    double bytes = (double)rt_shadow_bytes(kernel->device);
    for (unsigned i = 0; i < kernel->array_count; i++) bytes += (double)kernel->buffers[i]->size;
    return bytes;
}

static bool time_variant(Bench *bench, RtDevice *device, const ElementRow *row, unsigned variant, ElementTimes *times) {
    const uint64_t elements = element_count(bench);
    const uint32_t blocks = (uint32_t)(elements / TILE);
    ShadowKernel kernel = {.bench = bench, .device = device};
    double *seconds = arena_array(&kernel.arena, double, bench->runs), first;
    bool good = open_variant(&kernel, row, variant) && shadow_kernel_run(&kernel, blocks, 1, &first); // touches memory
    for (unsigned r = 0; r < bench->runs && good; r++) good = shadow_kernel_run(&kernel, blocks, 1, &seconds[r]);
    if (good) {
        times->variant[variant] = bench_median(seconds, bench->runs) / (double)elements * 1e9;
        times->bytes[variant] = kernel_bytes(&kernel) / (double)elements;
    }
    shadow_kernel_close(&kernel);
    return good;
}

static void add_goal(Bench *bench, const ElementRow *row, double ratio) {
    char what[96];
    snprintf(what, sizeof what, "tower, %s: time over that of IEEE (larger)", row->name);
    if (row->goal) bench_goal(bench, what, ratio, "", BENCH_AT_MOST, row->goal);
}

static bool time_row(Bench *bench, RtDevice *device, const ElementRow *row, double bandwidth) {
    ElementTimes t;
    for (unsigned v = 0; v < VARIANTS; v++) // one after the other: each finds its own data in the caches
        if (!time_variant(bench, device, row, v, &t)) return false;
    const double *times = t.variant, outside = times[1] / times[0], records = times[2] / times[0];
    char goal[16] = "";
    if (row->goal) snprintf(goal, sizeof goal, "<= %.0f", row->goal);
    bench_row(bench, "%s\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%s\t%.2f\t%.1f", row->name, times[0], times[1], times[2],
              outside, records, goal, t.bytes[2] / bandwidth * 1e9, t.bytes[1]);
    add_goal(bench, row, fmax(outside, records));
    return true;
}

// Bytes in a second that C's triad reads and writes in arrays that no cache holds; NAN if there is no memory for them.
static double triad_bandwidth(Bench *bench, RtDevice *device) {
    enum { ARRAYS = 3, FLOATS = 1 << 25 };
    RtBuffer *arrays[ARRAYS] = {NULL};
    double seconds[BENCH_RUNS_MAX], bytes = ARRAYS * (double)FLOATS * sizeof(float);
    bool good = true;
    for (unsigned i = 0; i < ARRAYS && good; i++)
        good = (arrays[i] = rt_alloc(device, &bench->diagnostics, FLOATS * sizeof(float)));
    for (unsigned r = 0; r <= bench->runs && good; r++) { // the first touches the memory
        const BenchTime start = bench_now();
        bench_triad((float *)(uintptr_t)arrays[2]->address, (const float *)(uintptr_t)arrays[0]->address,
                    (const float *)(uintptr_t)arrays[1]->address, FLOATS);
        if (r) seconds[r - 1] = bench_now().processor - start.processor;
    }
    for (unsigned i = 0; i < ARRAYS; i++)
        if (arrays[i]) rt_free(device, arrays[i]);
    return good ? bytes / bench_median(seconds, bench->runs) : NAN;
}

bool bench_shadow_elements(Bench *bench, RtDevice *device) {
    const double bandwidth = triad_bandwidth(bench, device);
    bench_table(bench, bench->size == 1024 ? "Tower, element-wise: 2^20 elements" : "Tower, element-wise",
                "kernel, ns for an element\tieee\toutside\trecords\tout/ieee\trec/ieee\tgoal\tmemory\tbytes");
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (!time_row(bench, device, &rows[i], bandwidth)) return false;
    bench_note(bench,
               "outside: operands are values from outside; records: they have payloads in memory; both write payloads. "
               "memory: what C's triad (%.1f GB/s) takes for the bytes of buffers and records of the latter, the limit "
               "of the machine; bytes: of buffers and records of the former, for an element.",
               bandwidth * 1e-9);
    return true;
}
