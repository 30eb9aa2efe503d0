// SPDX-License-Identifier: Apache-2.0
// The numeric `shadow`: dots, element-wise kernels, the tables of the tower, and a case from its file to its verdict.
#include "bench/bench_shadow_internal.h"
#include "diff/judge.h"

#include <stdio.h>

// ---- dots -----------------------------------------------------------------------------------------------------------

enum { DOT_TILE = 128, CHECKS = 16 };

typedef struct DotRow {
    const char *label, *file;
    FpsanFormat operand;
    CompileNumeric numeric;
    bool recorded; // the operands have records
} DotRow;

static const DotRow dot_rows[] = {
    {"f16 x f16 -> f32, ieee", "matmul_f16.tileirbc", FPSAN_F16, COMPILE_IEEE, false},
    {"f16 x f16 -> f32, shadow", "matmul_f16.tileirbc", FPSAN_F16, COMPILE_SHADOW, false},
    {"f16 x f16 -> f32, shadow, of records", "matmul_f16.tileirbc", FPSAN_F16, COMPILE_SHADOW, true},
    {"f32 x f32 -> f32, ieee", "matmul_f32.tileirbc", FPSAN_F32, COMPILE_IEEE, false},
    {"f32 x f32 -> f32, shadow", "matmul_f32.tileirbc", FPSAN_F32, COMPILE_SHADOW, false},
};

// The components of some elements from the definition.
static bool check_dot(ShadowKernel *kernel, const DotRow *row) {
    const Tower *t = tower_chain(0);
    const uint64_t size = kernel->arrays[0].columns;
    for (uint64_t c = 0; c < CHECKS; c++) {
        uint64_t i = c * 2654435761u % size, j = c * 40503u % size;
        TowerPayload sum = t->zero, found = shadow_kernel_payload(kernel, 2, i * size + j);
        for (uint64_t k = 0; k < size; k++)
            sum = tower_fma(t, shadow_kernel_payload(kernel, 0, i * size + k),
                            shadow_kernel_payload(kernel, 1, k * size + j), sum, TOWER_IEEE_POSITIVE);
        if (tower_compare(t, sum, found, NULL) != TOWER_EQUAL)
            return diag_fail(&kernel->bench->diagnostics, (Location){.file = row->file}, E_RUNTIME,
                             "%s: element (%llu, %llu) is wrong", row->label, (unsigned long long)i,
                             (unsigned long long)j);
    }
    return true;
}

static bool time_dot(ShadowKernel *kernel, const DotRow *row) {
    Bench *bench = kernel->bench;
    const uint64_t size = (uint64_t)bench->size;
    const uint32_t blocks = (uint32_t)((size + DOT_TILE - 1) / DOT_TILE);
    ShadowArray arrays[] = {{row->operand, size, size}, {row->operand, size, size}, {FPSAN_F32, size, size}};
    double first, *seconds = arena_array(&kernel->arena, double, bench->runs);
    if (!shadow_kernel_open(kernel, row->file, row->numeric, arrays, 3)) return false;
    for (unsigned i = 0; i < 2; i++) {
        shadow_kernel_fill(kernel, i, i, -1, 1);
        if (row->recorded) shadow_kernel_record(kernel, i, i);
    }
    if (!shadow_kernel_run(kernel, blocks, blocks, &first)) return false; // touches the memory
    for (unsigned r = 0; r < bench->runs; r++)
        if (!shadow_kernel_run(kernel, blocks, blocks, &seconds[r])) return false;
    if (row->numeric == COMPILE_SHADOW && !check_dot(kernel, row)) return false;
    double median = bench_median(seconds, bench->runs), products = (double)size * (double)size * (double)size;
    printf("  %-48s %10.1f %9.2f %14.2f\n", row->label, kernel->compile_seconds * 1e3, median * 1e3,
           products / median * 1e-9);
    fflush(stdout);
    return true;
}

static bool time_dots(Bench *bench, RtDevice *device) {
    printf("\nshadow: matrix product %lld^3 %21s %10s %9s %14s\n", (long long)bench->size, "", "compile ms", "run ms",
           "G mul-adds/s");
    bool good = true;
    for (size_t i = 0; i < BASE_COUNT(dot_rows) && good; i++) {
        ShadowKernel kernel = {.bench = bench, .device = device};
        good = time_dot(&kernel, &dot_rows[i]);
        shadow_kernel_close(&kernel);
    }
    return good;
}

// ---- tables, and logarithms in scalar code --------------------------------------------------------------------------

static void time_tables(void) {
    enum { LOGARITHMS = 1 << 16 };
    double start = bench_seconds();
    tower_make_tables(0);
    double made = bench_seconds(), sum = 0;
    const Tower *t = tower_chain(0);
    TowerPayload x = t->log2e;
    for (int i = 0; i < LOGARITHMS; i++) {
        x = tower_mul(t, x, t->log2e, TOWER_IEEE_POSITIVE);
        sum += tower_log2(t, x).component[0];
    }
    double end = bench_seconds();
    printf("\nshadow: tables of one chain, once per process: %.1f ms; a logarithm in scalar code: %.2f us%s\n",
           (made - start) * 1e3, (end - made) / LOGARITHMS * 1e6, sum < 0 ? " (wrong)" : "");
}

// ---- a case from its file to its verdict ----------------------------------------------------------------------------

typedef struct CaseTimes {
    double whole, compile, run;
} CaseTimes;

static bool time_case_once(Bench *bench, const char *path, CaseTimes *times, size_t *shadow_bytes) {
    Arena arena = {0};
    FpdRuns runs = {0};
    FpdOutcome outcome = {.path = path};
    double start = bench_seconds();
    FpdCase *cas = fpd_load_case(&bench->diagnostics, &arena, path);
    FpdPrograms *programs = cas ? fpd_load_programs(&bench->diagnostics, &arena, cas) : NULL;
    const FpdRunner runner = {&bench->diagnostics, &arena, &bench->machine, programs};
    if (programs) {
        runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        fpd_plan_comparisons(&arena, cas, &runs, &outcome);
    }
    bool good = programs && fpd_run_case(&runner, true, &runs);
    if (good) {
        fpd_judge(&arena, &outcome);
        *times = (CaseTimes){.whole = bench_seconds() - start, .compile = runs.compile_seconds[FPD_MODE_fpsan]};
        for (uint32_t r = 0; r < runs.run_count; r++) {
            times->run += runs.runs[r].tower ? runs.runs[r].seconds : 0;
            *shadow_bytes += runs.runs[r].shadow_bytes;
        }
        if (outcome.status)
            good = diag_fail(&bench->diagnostics, (Location){.file = path}, E_RUNTIME, "the variants differ");
    }
    if (programs) fpd_programs_close(programs);
    arena_reset(&arena);
    return good;
}

static bool time_case(Bench *bench, const char *path) {
    Arena arena = {0};
    double *parts[3];
    for (int i = 0; i < 3; i++) parts[i] = arena_array(&arena, double, bench->runs);
    size_t shadow_bytes = 0;
    bool good = true;
    for (unsigned r = 0; r < bench->runs && good; r++) {
        CaseTimes times;
        shadow_bytes = 0;
        good = time_case_once(bench, path, &times, &shadow_bytes);
        if (good) parts[0][r] = times.whole, parts[1][r] = times.compile, parts[2][r] = times.run;
    }
    if (good)
        printf(
            "\nshadow: attention 2 x 256 x 64 against three kernels: %.0f ms from the file to the verdict (compiling "
            "%.0f, running %.1f), %.1f MiB of records\n",
            bench_median(parts[0], bench->runs) * 1e3, bench_median(parts[1], bench->runs) * 1e3,
            bench_median(parts[2], bench->runs) * 1e3, (double)shadow_bytes / (1 << 20));
    arena_reset(&arena);
    return good;
}

bool bench_shadow(Bench *bench) {
    RtDevice *device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true});
    bool good = device && time_dots(bench, device) && bench_shadow_elements(bench, device);
    rt_close(device);
    if (good) time_tables();
    return good && time_case(bench, BENCH_DIR "/attention.yaml");
}
