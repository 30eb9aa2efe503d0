// SPDX-License-Identifier: Apache-2.0
// Which runs a case has, and what tells them apart.
#include "diff/matrix.h"

FpdSettings fpd_plain_settings(const FpdMachine *machine, const FpdCase *cas) {
    return (FpdSettings){.chain = cas->chain,
                         .unspecified = cas->allow_unspecified ? COMPILE_ZEROS : machine->unspecified,
                         .reverse = machine->schedule == FPD_SCHEDULE_REVERSE};
}

unsigned fpd_deep_chain(unsigned chain) {
    return chain % TOWER_DEEP_CHAINS;
}

unsigned fpd_run_chain(const FpdSettings *settings) {
    if (settings->degrees) return TOWER_DEGREES;
    if (settings->deep) return TOWER_DEEP + fpd_deep_chain(settings->chain);
    return settings->chain + (settings->signed_roots ? TOWER_CHAINS : 0);
}

// A run like `run`: its variant, build and mode.
static FpdRun planned_run(const FpdRun *run, const FpdArithmetic *arithmetic, const FpdSettings *settings) {
    const bool beside = arithmetic->payloads == FPD_PAYLOADS_BESIDE;
    return (FpdRun){.variant = run->variant,
                    .build = run->build,
                    .mode = run->mode,
                    .arithmetic = arithmetic,
                    .settings = *settings,
                    .tower = beside ? tower_chain(fpd_run_chain(settings)) : NULL,
                    .has_records = beside || !fpd_mode_is_compared(run->mode)};
}

FpdRuns fpd_plan_runs(Arena *arena, const FpdCase *cas, uint32_t modes, int variant) {
    const FpdSettings settings = {.chain = cas->chain}; // the machine says the rest
    const uint32_t builds = fpd_run_builds(cas), each = builds * cas->variant_count;
    FpdRuns runs = {.runs = arena_array(arena, FpdRun, (size_t)cas->mode_count * each + 1u)};
    for (uint32_t m = 0; m < cas->mode_count; m++)
        for (uint32_t i = 0; i < each; i++) {
            const FpdRun run = {
                .variant = i % cas->variant_count, .build = i / cas->variant_count, .mode = cas->modes[m]};
            if (modes >> run.mode & 1 && (variant == FPD_ALL_VARIANTS || (uint32_t)variant == run.variant))
                runs.runs[runs.run_count++] = planned_run(&run, fpd_arithmetic(cas->family, run.mode), &settings);
        }
    for (uint32_t r = 0; r < runs.run_count; r++) {
        FpdRun *run = &runs.runs[r];
        if (run->arithmetic->numbers_of != run->mode)
            run->numbers_of = fpd_find_build_run(&runs, run->arithmetic->numbers_of, run->variant, run->build);
    }
    return runs;
}

FpdRun *fpd_find_build_run(const FpdRuns *runs, FpdMode mode, uint32_t variant, uint32_t build) {
    for (uint32_t r = 0; r < runs->run_count; r++) {
        FpdRun *run = &runs->runs[r];
        if (run->mode == mode && run->variant == variant && run->build == build) return run;
    }
    return NULL;
}

FpdRun *fpd_find_run(const FpdRuns *runs, FpdMode mode, uint32_t variant) {
    return fpd_find_build_run(runs, mode, variant, 0);
}

// It took no time of its own.
void fpd_share_numbers(FpdRun *run) {
    const FpdRun *from = run->numbers_of;
    run->bytes = from->bytes;
    run->unwritten = from->unwritten;
    run->first_unwritten = from->first_unwritten;
    run->race_count = from->race_count;
    run->races = from->races;
    run->races_incomplete = from->races_incomplete;
    run->findings = from->findings;
    run->writers = from->writers;
    run->last_stores = from->last_stores;
    run->split = from->split;
}

FpdRun *fpd_plan_again(Arena *arena, const FpdRun *plain, const FpdSettings *settings) {
    FpdRun *run = arena_new(arena, FpdRun);
    *run = planned_run(plain, plain->arithmetic, settings);
    run->beginnings = plain->beginnings;
    return run;
}
