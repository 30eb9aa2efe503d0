// SPDX-License-Identifier: Apache-2.0
// The numeric `shadow`: dots, element-wise kernels, the tables of the tower, and a case from its file to its verdict.
#include "bench/bench_shadow_internal.h"
#include "diff/judge.h"

#include <stdio.h>

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
    bool good = device && bench_shadow_dots(bench, device);
    const bool all = !bench->products;
    good = good && (!all || bench_shadow_elements(bench, device));
    rt_close(device);
    if (good && all) time_tables();
    return good && (!all || time_case(bench, BENCH_DIR "/attention.yaml"));
}
