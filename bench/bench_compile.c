// SPDX-License-Identifier: Apache-2.0
// How long files of bytecode take to compile in each arithmetic, from the bytes to code in memory, and as far as LLVM
// IR.
#include "bench/bench_internal.h"

#include <math.h>
#include <string.h>

enum { IEEE, PAYLOAD, NUMERICS };
static const CompileNumeric numerics[NUMERICS] = {COMPILE_IEEE, COMPILE_PAYLOAD};
static const double TOTAL_GOAL = 100e-3, LOWERING_GOAL = 10e-3; // seconds

typedef struct FileTimes {
    double total, lowering; // lowering: reading and verifying included
} FileTimes;

static bool compile_once(Bench *bench, const char *path, CompileNumeric numeric, FileTimes *found) {
    CompileTimes times = {0};
    CompileOptions options = {.numeric = numeric, .optimize = 3, .times = &times};
    options.instrumentation = (FpsanInstrumentation){numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    double start = clock_thread_seconds();
    TirModule *module = tir_read_file(&bench->diagnostics, path);
    bool good = module && tir_verify(&bench->diagnostics, module);
    found->lowering = clock_thread_seconds() - start;
    CompiledModule *compiled =
        good ? compiler_load(bench->machine.compiler, &bench->diagnostics, module, &options) : NULL;
    found->total = clock_thread_seconds() - start;
    found->lowering += times.lower;
    compiled_module_close(bench->machine.compiler, compiled);
    tir_module_close(module);
    return compiled;
}

static bool time_file(Bench *bench, const char *path, FileTimes *times) {
    double totals[BENCH_RUNS_MAX], lowerings[BENCH_RUNS_MAX];
    for (unsigned n = 0; n < NUMERICS; n++) {
        FileTimes found;
        for (unsigned r = 0; r < bench->runs; r++) {
            if (!compile_once(bench, path, numerics[n], &found)) return false;
            totals[r] = found.total;
            lowerings[r] = found.lowering;
        }
        times[n] = (FileTimes){bench_median(totals, bench->runs), bench_median(lowerings, bench->runs)};
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    bench_row(bench, "%.*s\t%.1f\t%.1f\t%.1f\t%.1f\t%s", (int)strcspn(name, "."), name, times[IEEE].total * 1e3,
              times[IEEE].lowering * 1e3, times[PAYLOAD].total * 1e3, times[PAYLOAD].lowering * 1e3,
              fmax(times[IEEE].total, times[PAYLOAD].total) <= TOTAL_GOAL &&
                      fmax(times[IEEE].lowering, times[PAYLOAD].lowering) <= LOWERING_GOAL
                  ? "yes"
                  : "no");
    return true;
}

static bool time_files(Bench *bench, char **paths, size_t count) {
    FileTimes worst = {0}, times[NUMERICS];
    size_t good_files = 0;
    FileTimes first;
    if (!compile_once(bench, paths[0], COMPILE_IEEE, &first)) return false; // sets up LLVM
    bench_table(bench, "Compile time", "kernel, ms\tieee\tto IR\tpayload\tto IR\tin bounds");
    for (size_t i = 0; i < count; i++) {
        if (!time_file(bench, paths[i], times)) return false;
        for (unsigned n = 0; n < NUMERICS; n++) {
            worst.total = fmax(worst.total, times[n].total);
            worst.lowering = fmax(worst.lowering, times[n].lowering);
        }
        good_files += fmax(times[IEEE].total, times[PAYLOAD].total) <= TOTAL_GOAL;
    }
    bench_note(bench,
               "processor time from the bytes of the file to code in memory, and as far as LLVM IR; bounds: %.0f and "
               "%.0f ms; %zu of %zu within the first",
               TOTAL_GOAL * 1e3, LOWERING_GOAL * 1e3, good_files, count);
    bench_goal(bench, "compile time, most of these kernels, ms", worst.total * 1e3, "", BENCH_AT_MOST,
               TOTAL_GOAL * 1e3);
    bench_goal(bench, "of it bytecode to LLVM IR, most of these kernels, ms", worst.lowering * 1e3, "", BENCH_AT_MOST,
               LOWERING_GOAL * 1e3);
    return true;
}

bool bench_compile(Bench *bench) {
    size_t count;
    Arena arena = {0};
    char **paths = bench_files(bench, &arena, ".tileirbc", &count);
    bool good = !count || time_files(bench, paths, count);
    arena_reset(&arena);
    return good;
}
