// SPDX-License-Identifier: Apache-2.0
// What the numeric `wide` costs: kernels in it and in `ieee`, one run of each in turn on one thread; medians of the
// ratios within a turn. Both leave the same floats; the numbers beside them are those of the definition.
#include "bench/bench_kernel_internal.h"
#include "bench/bench_shadow_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE_ELEMENT_GOAL 3
#define WIDE_DOT_GOAL     4

// ---- element-wise ---------------------------------------------------------------------------------------------------

static const char *const element_files[] = {
#define WIDE_ELEMENT(file) file,
#include "bench/wide_rows.def"
};

static const KernelRow *row_of(const char *file) {
    for (size_t i = 0; i < bench_element_row_count; i++)
        if (!strcmp(bench_element_rows[i].file, file)) return &bench_element_rows[i];
    for (size_t i = 0; i < bench_kernel_row_count; i++)
        if (!strcmp(bench_kernel_rows[i].file, file)) return &bench_kernel_rows[i];
    abort(); // wide_rows.def names a row that is not there
}

// A kernel in both arithmetics, each with arrays of its own: a launch of `ieee` forgets records.
typedef struct WideKernel {
    BenchKernel kernels[2]; // ieee, wide
    RtDevice *devices[2];   // without shadow memory, and with
    CompiledModule *compiled[2];
} WideKernel;

static bool open_both(WideKernel *w, Bench *bench, const KernelRow *row) {
    static const CompileNumeric numerics[2] = {COMPILE_IEEE, COMPILE_WIDE};
    for (unsigned n = 0; n < 2; n++) {
        const CompileOptions options = {.numeric = numerics[n], .optimize = bench->machine.optimize};
        if (!bench_kernel_open(&w->kernels[n], bench, row, w->devices[n])) return false;
        w->compiled[n] = compiler_load(bench->machine.compiler, &bench->diagnostics, w->kernels[n].program, &options);
        if (!w->compiled[n]) return false;
    }
    return true;
}

static bool run(WideKernel *w, unsigned n, double *seconds) {
    BenchKernel *kernel = &w->kernels[n];
    const BenchTime start = bench_now();
    const bool good = rt_launch(w->devices[n], &kernel->bench->diagnostics,
                                &(RtLaunch){.label = kernel->row->label,
                                            .kernel = &w->compiled[n]->kernels[0],
                                            .name = kernel->row->file,
                                            .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                            .arguments = kernel->arguments});
    *seconds = bench_now().processor - start.processor;
    return good;
}

static double number_beside(const HostRecord *record) {
    double number;
    memcpy(&number, record->component, sizeof number);
    return number;
}

// All floats are those of ieee, and some numbers are the definition's.
static bool check(WideKernel *w) {
    enum { CHECKS = 64 };
    const BenchKernel *kernel = &w->kernels[1];
    const unsigned last = kernel->row->array_count - 1;
    const float *result = kernel->inputs.arrays[last];
    bool good = !memcmp(result, w->kernels[0].inputs.arrays[last], kernel->elements * sizeof *result);
    for (uint64_t c = 0; c < CHECKS && good; c++) {
        HostRecord record;
        const uint64_t index = c * 0x9E3779B97F4A7C15u % kernel->elements;
        good = rt_get_record(w->devices[1], kernel->buffers[last], index * sizeof *result, sizeof *result, &record);
        if (!good) break;
        const double number = number_beside(&record), error = fabs(number - (double)result[index]);
        good = error <= 1e-5 * (fabs(number) + kernel->row->magnitude);
        if (!kernel->row->check) continue;
        const double expected = kernel->row->check(&kernel->inputs, index).value;
        good = fabs(number - expected) <= 1e-12 * (fabs(expected) + kernel->row->magnitude);
    }
    return good || diag_fail(&kernel->bench->diagnostics, (Location){.file = kernel->row->file}, E_RUNTIME,
                             "%s: wide leaves something wrong", kernel->row->label);
}

// Gives the operands records: each float as it is.
static void record_operands(WideKernel *w) {
    const BenchKernel *kernel = &w->kernels[1];
    for (unsigned a = 0; a + 1 < kernel->row->array_count; a++) {
        kernel->buffers[a]->records = HOST_RECORDS_OF_NUMBERS;
        for (uint64_t i = 0; i < kernel->buffers[a]->size / sizeof(float); i++) {
            HostRecord record = {0};
            const double number = (double)kernel->inputs.arrays[a][i];
            memcpy(record.component, &number, sizeof number);
            rt_put_record(w->devices[1], kernel->buffers[a], i * sizeof(float), sizeof(float), &record);
        }
    }
}

// The first turn is not counted: it touches the memory.
static bool take_turns(WideKernel *w, double *ieee, double *ratio) {
    const unsigned count = 2 * w->kernels[0].bench->runs - 1;
    double seconds[2], ratios[2 * BENCH_RUNS_MAX], times[2 * BENCH_RUNS_MAX];
    for (unsigned t = 0; t <= count; t++) {
        for (unsigned i = 0; i < 2; i++)
            if (!run(w, (i + t) % 2, &seconds[(i + t) % 2])) return false;
        if (t) times[t - 1] = seconds[0], ratios[t - 1] = seconds[1] / seconds[0];
    }
    *ieee = bench_median(times, count);
    *ratio = bench_median(ratios, count);
    return check(w);
}

static bool measure_element(Bench *bench, RtDevice *const *devices, const KernelRow *row, double *outside) {
    WideKernel w = {.devices = {devices[0], devices[1]}};
    double ieee, recorded;
    bool good = open_both(&w, bench, row) && take_turns(&w, &ieee, outside);
    const double elements = (double)w.kernels[0].elements;
    const double nanoseconds = good ? ieee / elements * 1e9 : NAN;
    if (good) record_operands(&w);
    good = good && take_turns(&w, &ieee, &recorded);
    if (good) bench_row(bench, "%s\t%.2f\t%.2f\t%.2f", row->label, nanoseconds, *outside, recorded);
    for (unsigned n = 0; n < 2; n++) {
        compiled_module_close(bench->machine.compiler, w.compiled[n]);
        bench_kernel_close(&w.kernels[n]);
    }
    return good;
}

static bool time_elements(Bench *bench, RtDevice *const *devices, Arena *arena) {
    bool good = true;
    bench_table(bench, "wide over ieee, element-wise", "kernel\tieee ns/el\twide/ieee\tof records");
    for (size_t i = 0; i < BASE_COUNT(element_files) && good; i++) {
        const KernelRow *row = row_of(element_files[i]);
        double ratio;
        good = measure_element(bench, devices, row, &ratio);
        if (good)
            bench_goal(bench, arena_format(arena, "wide over ieee: %s", row->label), ratio, "", BENCH_AT_MOST,
                       WIDE_ELEMENT_GOAL);
    }
    bench_note(bench, "processor time of launches on one thread; of records: the operands have numbers beside them");
    return good;
}

// ---- dots -----------------------------------------------------------------------------------------------------------

enum { DOT_TILE = 128 };

typedef struct WideDot {
    const char *label, *file;
    FpsanFormat operand, result;
    CompileNumeric numeric;
    double goal;
} WideDot;
static const WideDot dots[] = {
#define WIDE_DOT(label, file, operand, result, numeric, goal)                                                          \
    {label, file ".tileirbc", FPSAN_##operand, FPSAN_##result, COMPILE_##numeric, goal},
#include "bench/wide_rows.def"
};

static bool open_dot(ShadowKernel *kernel, const WideDot *dot, CompileNumeric numeric, uint64_t size) {
    const ShadowArray arrays[] = {{dot->operand, size, size}, {dot->operand, size, size}, {dot->result, size, size}};
    if (!shadow_kernel_open(kernel, dot->file, numeric, arrays, 3)) return false;
    for (unsigned i = 0; i < 2; i++) shadow_kernel_fill(kernel, i, i, -1, 1);
    return true;
}

static void copy_array(const ShadowKernel *kernel, unsigned array, void *to) {
    const RtBuffer *buffer = kernel->buffers[array];
    rt_copy_out(kernel->device, &kernel->bench->diagnostics, kernel->buffers[array], 0, to, buffer->size);
}

static double value_at(const void *array, FpsanFormat format, uint64_t index) {
    const unsigned bytes = fpsan_format_info(format)->storage_bits / 8;
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)array + index * bytes, bytes); // little endian
    return fpsan_decode(format, bits);
}

// As check: some numbers are the sums of products, in doubles.
static bool check_dot(ShadowKernel *kernels, const WideDot *dot, uint64_t size) {
    enum { CHECKS = 16 };
    Arena arena = {0};
    const ShadowKernel *wide = &kernels[1];
    void *results[2], *operands[2];
    for (unsigned k = 0; k < 2; k++) {
        results[k] = arena_alloc(&arena, kernels[k].buffers[2]->size);
        operands[k] = arena_alloc(&arena, wide->buffers[k]->size);
        copy_array(&kernels[k], 2, results[k]);
        copy_array(wide, k, operands[k]);
    }
    bool good = !memcmp(results[0], results[1], wide->buffers[2]->size);
    const unsigned bytes = fpsan_format_info(dot->result)->storage_bits / 8;
    for (uint64_t c = 0; c < CHECKS && good; c++) {
        const uint64_t i = c * 2654435761u % size, j = c * 40503u % size;
        HostRecord record;
        double sum = 0;
        for (uint64_t k = 0; k < size; k++)
            sum +=
                value_at(operands[0], dot->operand, i * size + k) * value_at(operands[1], dot->operand, k * size + j);
        good = rt_get_record(wide->device, wide->buffers[2], (i * size + j) * bytes, bytes, &record) &&
               fabs(number_beside(&record) - sum) <= 1e-12 * (double)size;
    }
    arena_reset(&arena);
    return good || diag_fail(&wide->bench->diagnostics, (Location){.file = dot->file}, E_RUNTIME,
                             "wide leaves something wrong");
}

static bool measure_dot(ShadowKernel *kernels, const WideDot *dot, double *ratio) {
    Bench *bench = kernels[0].bench;
    const uint64_t size = (uint64_t)bench->size;
    const uint32_t blocks = (uint32_t)((size + DOT_TILE - 1) / DOT_TILE);
    const unsigned count = 2 * bench->runs - 1;
    double seconds[2], ratios[2 * BENCH_RUNS_MAX], times[2][2 * BENCH_RUNS_MAX];
    for (unsigned k = 0; k < 2; k++)
        if (!open_dot(&kernels[k], dot, k ? dot->numeric : COMPILE_IEEE, size)) return false;
    for (unsigned t = 0; t <= count; t++) { // the first turn is not counted
        for (unsigned i = 0; i < 2; i++)
            if (!shadow_kernel_run(&kernels[(i + t) % 2], blocks, blocks, &seconds[(i + t) % 2])) return false;
        if (t) times[0][t - 1] = seconds[0], times[1][t - 1] = seconds[1], ratios[t - 1] = seconds[1] / seconds[0];
    }
    *ratio = bench_median(ratios, count);
    bench_row(bench, "%s\t%.2f\t%.2f\t%.2f", dot->label, bench_median(times[0], count) * 1e3,
              bench_median(times[1], count) * 1e3, *ratio);
    return check_dot(kernels, dot, size);
}

static bool time_dots(Bench *bench, RtDevice *const *devices, Arena *arena) {
    bool good = true;
    bench_table(bench, arena_format(arena, "wide over ieee, matrix products %lld^3", (long long)bench->size),
                "operands -> result\tieee ms\twide ms\twide/ieee");
    for (size_t i = 0; i < BASE_COUNT(dots) && good; i++) {
        ShadowKernel kernels[2] = {{.bench = bench, .device = devices[0]}, {.bench = bench, .device = devices[1]}};
        double ratio;
        good = measure_dot(kernels, &dots[i], &ratio);
        if (good && dots[i].goal > 0)
            bench_goal(bench, arena_format(arena, "wide over ieee: product %s", dots[i].label), ratio, "",
                       BENCH_AT_MOST, dots[i].goal);
        for (unsigned k = 0; k < 2; k++) shadow_kernel_close(&kernels[k]);
    }
    bench_note(bench, "wider: a pair of doubles beside each double, which is how the error of f64 is known");
    return good;
}

bool bench_wide(Bench *bench) {
    Arena arena = {0};
    RtDevice *devices[2] = {rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1}),
                            rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true})};
    const bool good =
        devices[0] && devices[1] && time_elements(bench, devices, &arena) && time_dots(bench, devices, &arena);
    for (unsigned n = 0; n < 2; n++) rt_close(devices[n]);
    arena_reset(&arena);
    return good;
}
