// SPDX-License-Identifier: Apache-2.0
// Run time of the variants of cases: in IEEE arithmetic, in the payloads of profile triton-3.9, and in profile tower,
// whose payloads (shadow) go beside IEEE values, with what fpdiff looks for by default: unspecified values, and races
// between blocks. One run of each in turn; medians.
#include "bench/bench_internal.h"
#include "diff/options.h"
#include "diff/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAYLOAD, SHADOW, PROFILES, TURNS_OF_A_RUN = 3 };
static const double PAYLOAD_GOAL = 2; // times IEEE

typedef struct CaseTurns {
    Bench *bench;
    FpdMachine machines[PROFILES]; // the second has shadow memory
    FpdPrograms *programs[PROFILES];
    unsigned count;
    double *ieee, *payload, *shadow, *ratio; // per turn
    double worst;
    char worst_name[256];
} CaseTurns;

// The case in another profile than it may ask for.
static FpdPrograms *load(Bench *bench, Arena *arena, const char *path, unsigned profile) {
    FpdOptions options = {.has_profile = true, .profile = {FPD_FAMILY_tower, NULL}};
    if (profile == PAYLOAD) options.profile = (FpdProfile){FPD_FAMILY_ring, fpsan_default_algebra().profile};
    FpdCase *cas = fpd_load_case(&bench->diagnostics, arena, path);
    if (!cas || !fpd_override_profile(&bench->diagnostics, cas, &options)) return NULL;
    cas->mode_count = 0;
    for (int mode = 0; mode < FPD_MODE_COUNT; mode++) cas->modes[cas->mode_count++] = (FpdMode)mode;
    return fpd_load_programs(&bench->diagnostics, arena, cas);
}

// Seconds of one mode of a variant.
static bool run(CaseTurns *turns, unsigned profile, FpdMode mode, uint32_t variant, double *seconds) {
    Arena scratch = {0};
    FpdPrograms *programs = turns->programs[profile];
    const FpdRunner runner = {&turns->bench->diagnostics, &scratch, &turns->machines[profile], programs};
    FpdRuns runs = fpd_plan_runs(&scratch, programs->cas, 1u << mode, (int)variant);
    bool good = fpd_run_case(&runner, true, &runs);
    if (good) *seconds = runs.runs[0].seconds;
    arena_reset(&scratch);
    return good;
}

// In shadow, which takes long, only now and then.
static bool run_each(CaseTurns *turns, uint32_t variant, unsigned turn) {
    return run(turns, PAYLOAD, FPD_MODE_ieee, variant, &turns->ieee[turn]) &&
           run(turns, PAYLOAD, FPD_MODE_fpsan, variant, &turns->payload[turn]) &&
           (turn % TURNS_OF_A_RUN ||
            run(turns, SHADOW, FPD_MODE_fpsan, variant, &turns->shadow[turn / TURNS_OF_A_RUN]));
}

static bool time_variant(CaseTurns *turns, const char *label, uint32_t variant) {
    if (!run_each(turns, variant, 0)) return false; // compiles, and touches the memory of tiles
    for (unsigned t = 0; t < turns->count; t++) {
        if (!run_each(turns, variant, t)) return false;
        turns->ratio[t] = turns->payload[t] / turns->ieee[t];
    }
    double ieee = bench_median(turns->ieee, turns->count), payload = bench_median(turns->payload, turns->count),
           shadow = bench_median(turns->shadow, turns->bench->runs), ratio = bench_median(turns->ratio, turns->count);
    bench_row(turns->bench, "%s\t%.3f\t%.3f\t%.2f\t%s\t%.3f\t%.1f", label, ieee * 1e3, payload * 1e3, ratio,
              ratio <= PAYLOAD_GOAL ? "yes" : "no", shadow * 1e3, shadow / ieee);
    if (!(ratio <= turns->worst)) { // the first one, too
        turns->worst = ratio;
        snprintf(turns->worst_name, sizeof turns->worst_name, "%s", label);
    }
    return true;
}

static bool time_case(CaseTurns *turns, const char *path) {
    Arena arena = {0};
    bool good = true;
    for (unsigned p = 0; p < PROFILES && good; p++) {
        turns->programs[p] = load(turns->bench, &arena, path, p);
        good = turns->programs[p];
    }
    const FpdCase *cas = good ? turns->programs[PAYLOAD]->cas : NULL;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    // The reference of a case with a bug is that of the case without it.
    for (uint32_t v = good && cas->expect_diverge; good && v < cas->variant_count; v++)
        good = time_variant(turns,
                            arena_format(&arena, "%.*s: %s", (int)strcspn(name, "."), name, cas->variants[v].name), v);
    for (unsigned p = 0; p < PROFILES; p++) {
        if (!turns->programs[p]) continue;
        fpd_close_compiled(&turns->machines[p], turns->programs[p]);
        fpd_programs_close(turns->programs[p]);
        turns->programs[p] = NULL;
    }
    arena_reset(&arena);
    return good;
}

static bool time_cases(Bench *bench, Arena *arena, char **paths, size_t count) {
    CaseTurns turns = {.bench = bench, .count = TURNS_OF_A_RUN * bench->runs, .worst = NAN};
    double **arrays[] = {&turns.ieee, &turns.payload, &turns.shadow, &turns.ratio};
    for (size_t i = 0; i < BASE_COUNT(arrays); i++) *arrays[i] = arena_array(arena, double, turns.count);
    bool good = true;
    for (unsigned p = 0; p < PROFILES; p++) {
        turns.machines[p].keep_compiled = true;
        turns.machines[p].optimize = FPD_OPTIMIZE;
        turns.machines[p].poison = turns.machines[p].races = true;
        turns.machines[p].unspecified = COMPILE_NAN;
        turns.machines[p].shadow = p == SHADOW;
        good = good && fpd_machine_open(&bench->diagnostics, 1, &turns.machines[p]);
    }
    if (good)
        bench_table(bench, "Examples on one thread",
                    "case: variant, ms\tieee\tpayload\tpayl/ieee\t<= 2\tshadow\tshad/ieee");
    for (size_t i = 0; i < count && good; i++) good = time_case(&turns, paths[i]);
    if (good) {
        bench_note(bench, "payload: of profile triton-3.9; shadow: IEEE values and payloads of profile tower together");
        bench_goal(bench, arena_format(arena, "payload over IEEE, most of all examples (%s)", turns.worst_name),
                   turns.worst, "", BENCH_AT_MOST, PAYLOAD_GOAL);
    }
    for (unsigned p = 0; p < PROFILES; p++) fpd_machine_close(&turns.machines[p]);
    return good;
}

bool bench_cases(Bench *bench) {
    size_t count;
    Arena arena = {0};
    char **paths = bench_files(bench, &arena, ".yaml", &count);
    bool good = !count || time_cases(bench, &arena, paths, count);
    arena_reset(&arena);
    return good;
}
