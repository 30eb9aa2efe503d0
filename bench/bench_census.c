// SPDX-License-Identifier: Apache-2.0
// What the range census costs: the kernels of bench_kernel_rows.c in each numeric that computes with numbers, compiled
// with and without as fpdiff does, one run of each in turn on one thread; medians of the ratios within a turn.
#include "bench/bench_kernel_internal.h"

static const CompileNumeric numerics[] = {COMPILE_SHADOW, COMPILE_IEEE, COMPILE_WIDE};
static const char *const numeric_names[] = {"the tower", "ieee", "wide"};
enum { NUMERICS = BASE_COUNT(numerics) };

typedef struct CensusTurns {
    BenchKernel kernel;
    RtDevice *device;
    CompiledModule *compiled[2]; // without, and with
    KernelCensusCount *counts;
    double compile_seconds[2];
} CensusTurns;

static bool compile(CensusTurns *turns, CompileNumeric numeric, bool census) {
    BenchKernel *kernel = &turns->kernel;
    const CompileOptions options = {.numeric = numeric,
                                    .optimize = 3,
                                    .unspecified = COMPILE_NAN,
                                    .poison = numeric == COMPILE_SHADOW,
                                    .census = census};
    const double start = bench_seconds();
    turns->compiled[census] =
        compiler_load(kernel->bench->machine.compiler, &kernel->bench->diagnostics, kernel->program, &options);
    turns->compile_seconds[census] = bench_seconds() - start;
    return turns->compiled[census];
}

static bool run(CensusTurns *turns, bool census, double *seconds) {
    BenchKernel *kernel = &turns->kernel;
    BenchTime start = bench_now();
    bool good = rt_launch(turns->device, &kernel->bench->diagnostics,
                          &(RtLaunch){.label = kernel->row->label,
                                      .kernel = &turns->compiled[census]->kernels[0],
                                      .name = kernel->row->file,
                                      .census = census ? turns->counts : NULL,
                                      .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                      .arguments = kernel->arguments});
    *seconds = bench_now().processor - start.processor;
    return good;
}

// The ratio of the times with and without the census: of runs, and of compilations.
static bool measure(CensusTurns *turns, CompileNumeric numeric, double *ratio, double *compile_ratio) {
    const unsigned count = 2 * turns->kernel.bench->runs - 1;
    Arena arena = {0};
    double ratios[2 * BENCH_RUNS_MAX], seconds[2];
    bool good = compile(turns, numeric, false) && compile(turns, numeric, true);
    if (good)
        turns->counts = arena_array(&arena, KernelCensusCount, turns->compiled[1]->kernels[0].census_site_count + 1u);
    for (unsigned t = 0; t <= count && good; t++) { // the first turn is not counted
        for (unsigned i = 0; i < 2 && good; i++) good = run(turns, (i + t) % 2, &seconds[(i + t) % 2]);
        if (t) ratios[t - 1] = seconds[1] / seconds[0];
    }
    for (int i = 0; i < 2; i++) {
        compiled_module_close(turns->kernel.bench->machine.compiler, turns->compiled[i]);
        turns->compiled[i] = NULL;
    }
    if (good) *ratio = bench_median(ratios, count);
    if (good) *compile_ratio = turns->compile_seconds[1] / turns->compile_seconds[0];
    arena_reset(&arena);
    return good;
}

static bool measure_row(Bench *bench, RtDevice *device, const KernelRow *row, double *ratios, double *compile_ratio) {
    CensusTurns turns = {.device = device};
    double unused;
    bool good = bench_kernel_open(&turns.kernel, bench, row, device);
    for (unsigned n = 0; n < NUMERICS && good; n++)
        good = measure(&turns, numerics[n], &ratios[n], n ? &unused : compile_ratio);
    bench_kernel_close(&turns.kernel);
    return good;
}

bool bench_census(Bench *bench) {
    Arena arena = {0};
    double(*ratios)[NUMERICS] = arena_alloc(&arena, bench_kernel_row_count * sizeof *ratios), compile_ratio;
    RtDevice *device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true});
    bool good = device;
    bench_table(bench, "The range census", "time with over without\ttower\tieee\twide\tcompiling the tower");
    for (size_t i = 0; i < bench_kernel_row_count && good; i++) {
        good = measure_row(bench, device, &bench_kernel_rows[i], ratios[i], &compile_ratio);
        if (good)
            bench_row(bench, "%s\t%.3f\t%.3f\t%.3f\t%.2f", bench_kernel_rows[i].label, ratios[i][0], ratios[i][1],
                      ratios[i][2], compile_ratio);
    }
    bench_note(bench, "processor time of launches on one thread, one of each in turn. fpdiff counts in the tower's "
                      "runs; in IEEE arithmetic only where --range asks for it");
    double *times = arena_array(&arena, double, bench_kernel_row_count);
    for (unsigned n = 0; n < NUMERICS && good; n++) {
        for (size_t i = 0; i < bench_kernel_row_count; i++) times[i] = ratios[i][n];
        bench_goals_of_kernels(bench,
                               arena_format(&arena, "range census: time of %s with over without", numeric_names[n]),
                               bench_kernel_row_count, times, 1.5, 1.5);
    }
    rt_close(device);
    arena_reset(&arena);
    return good;
}
