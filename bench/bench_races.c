// SPDX-License-Identifier: Apache-2.0
// What the search for races between blocks costs: the kernels of bench_kernel_rows.c in each numeric, compiled with and
// without, one run of each in turn on one thread; medians of the ratios within a turn.
#include "bench/bench_kernel_internal.h"

enum { NUMERICS = COMPILE_SHADOW + 1 };

typedef struct RaceTurns {
    BenchKernel kernel;
    RtDevice *device;
    CompiledModule *compiled[NUMERICS][2]; // without, and with
    const KernelInfo *kernels[NUMERICS][2];
} RaceTurns;

static bool compile(RaceTurns *turns, CompileNumeric numeric, bool races) {
    BenchKernel *kernel = &turns->kernel;
    Bench *bench = kernel->bench;
    CompileOptions options = {.numeric = numeric, .optimize = 3, .races = races};
    options.instrumentation = (FpsanInstrumentation){numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    CompiledModule *module = compiler_load(bench->machine.compiler, &bench->diagnostics, kernel->program, &options);
    turns->compiled[numeric][races] = module;
    if (!module) return false;
    turns->kernels[numeric][races] = &module->kernels[0];
    return true;
}

static bool run(RaceTurns *turns, unsigned numeric, bool races, double *seconds) {
    BenchKernel *kernel = &turns->kernel;
    RtRaces search = {.search = RT_RACES_LOOK};
    BenchTime start = bench_now();
    bool good = rt_launch(turns->device, &kernel->bench->diagnostics,
                          &(RtLaunch){.label = kernel->row->label,
                                      .kernel = turns->kernels[numeric][races],
                                      .name = kernel->row->file,
                                      .races = races ? &search : NULL,
                                      .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                      .arguments = kernel->arguments});
    BenchTime end = bench_now();
    *seconds = end.processor - start.processor;
    if (good && search.suspicious)
        good = diag_fail(&kernel->bench->diagnostics, (Location){.file = kernel->row->file}, E_RUNTIME,
                         "%s: its blocks seem to race", kernel->row->label);
    return good;
}

// The ratio of the times with and without the search.
static bool measure(RaceTurns *turns, unsigned numeric, double *ratio) {
    const unsigned count = 2 * turns->kernel.bench->runs - 1;
    double ratios[2 * BENCH_RUNS_MAX], seconds[2];
    if (!compile(turns, (CompileNumeric)numeric, false) || !compile(turns, (CompileNumeric)numeric, true)) return false;
    for (unsigned t = 0; t <= count; t++) { // the first turn is not counted
        for (unsigned i = 0; i < 2; i++)
            if (!run(turns, numeric, (i + t) % 2, &seconds[(i + t) % 2])) return false;
        if (t) ratios[t - 1] = seconds[1] / seconds[0];
    }
    *ratio = bench_median(ratios, count);
    return true;
}

static bool measure_row(Bench *bench, RtDevice *device, const KernelRow *row, double *ratios) {
    RaceTurns turns = {.device = device};
    bool good = bench_kernel_open(&turns.kernel, bench, row, device);
    for (unsigned n = 0; n < NUMERICS && good; n++) good = measure(&turns, n, &ratios[n]);
    for (unsigned n = 0; n < NUMERICS; n++)
        for (int i = 0; i < 2; i++) compiled_module_close(bench->machine.compiler, turns.compiled[n][i]);
    bench_kernel_close(&turns.kernel);
    return good;
}

bool bench_races(Bench *bench) {
    Arena arena = {0};
    double(*ratios)[NUMERICS] = arena_alloc(&arena, bench_kernel_row_count * sizeof *ratios);
    RtDevice *device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true});
    bool good = device;
    bench_table(bench, "The search for races between blocks", "time with over without\tieee\tpayload\ttower");
    for (size_t i = 0; i < bench_kernel_row_count && good; i++) {
        good = measure_row(bench, device, &bench_kernel_rows[i], ratios[i]);
        if (good)
            bench_row(bench, "%s\t%.3f\t%.3f\t%.3f", bench_kernel_rows[i].label, ratios[i][COMPILE_IEEE],
                      ratios[i][COMPILE_PAYLOAD], ratios[i][COMPILE_SHADOW]);
    }
    bench_note(bench, "processor time of launches on one thread, one of each in turn");
    double *ieee = arena_array(&arena, double, bench_kernel_row_count);
    for (size_t i = 0; i < bench_kernel_row_count && good; i++) ieee[i] = ratios[i][COMPILE_IEEE];
    if (good)
        bench_goals_of_kernels(bench, "search for races: time of IEEE with over without", bench_kernel_row_count, ieee,
                               1.1, 1.3);
    rt_close(device);
    arena_reset(&arena);
    return good;
}
