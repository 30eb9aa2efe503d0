// SPDX-License-Identifier: Apache-2.0
// Values that nobody specified: what stands in buffers without `fill`, and the second run that finds unspecified
// results where no payload says so.
#include "diff/judge.h"

#include <string.h>

bool fpd_leaves_unfilled(const FpdMachine *machine, const FpdCase *cas, uint32_t buffer) {
    return machine->poison && !cas->allow_unspecified && !cas->buffers[buffer].fill.given;
}

// Integers are zeros unless they are to look random: a lock that nobody cleared is taken once and does not hang.
void fpd_fill_unspecified(const FpdBuffer *buffer, CompileUnspecified unspecified, uint8_t *bytes) {
    FpsanFormat format = element_format(buffer->type);
    const bool is_float = element_is_float(buffer->type);
    if (unspecified == COMPILE_ZEROS || (!is_float && unspecified == COMPILE_NAN)) return;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t random = (i + 1) * UINT64_C(0x9e3779b97f4a7c15), bits = random >> 32 | 1;
        double number = 1 + (double)(random >> 11) * 0x1p-53;
        if (is_float) bits = fpsan_encode_nearest(format, unspecified == COMPILE_NAN ? __builtin_nan("") : number);
        fpd_element_set(buffer->type, bytes, i, bits & element_info(buffer->type)->used);
    }
}

// ---- where there may be any -----------------------------------------------------------------------------------------

// A kernel that makes unspecified values, or a launch that reads a buffer before anything was written there.
static bool variant_has_any(const FpdMachine *machine, const FpdProgram *program, uint32_t variant) {
    const FpdCase *cas = program->cas;
    bool any = false;
    for (uint32_t i = 0; i < cas->variants[variant].launch_count && !any; i++) {
        const FpdResolvedLaunch *launch = &program->launches[variant][i];
        any = launch->entry->makes_unspecified;
        for (uint32_t b = 0; b < cas->buffer_count; b++)
            any |= fpd_leaves_unfilled(machine, cas, b) && fpd_reads_unfilled(program, variant, i, b);
    }
    return any;
}

// ---- the second run -------------------------------------------------------------------------------------------------

static void count_changed(const FpdCase *cas, const FpdRun *again, FpdRun *run) {
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        for (uint64_t i = 0; i < buffer->elements; i++) {
            if (fpd_element_bits(buffer->type, run->bytes[c], i) == fpd_element_bits(buffer->type, again->bytes[c], i))
                continue;
            if (!run->unspecified[c]++) run->first_unspecified[c] = i;
            run->is_unspecified[c][i] = true;
        }
    }
}

// Runs that fail with other unspecified values, which then decide more than numbers, say why.
static void run_with_others(const FpdRunner *runner, FpdRun *run) {
    enum { ITERATIONS_MAX = 1 << 22 };
    const FpdCase *cas = runner->program->cas;
    Arena *arena = runner->arena;
    Diagnostics errors = {0};
    const FpdRunner quiet = {&errors, arena, runner->machine, runner->program};
    FpdSettings settings = fpd_plain_settings(runner->machine, cas);
    settings.unspecified = settings.unspecified == COMPILE_RANDOM ? COMPILE_NAN : COMPILE_RANDOM;
    settings.iterations = ITERATIONS_MAX;
    FpdRun *again = fpd_plan_again(arena, run, &settings);
    run->unspecified = arena_array(arena, uint64_t, cas->compare_count);
    run->first_unspecified = arena_array(arena, uint64_t, cas->compare_count);
    run->is_unspecified = arena_array(arena, bool *, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++)
        run->is_unspecified[c] = arena_array(arena, bool, cas->buffers[cas->compare[c]].elements);
    if (fpd_run_again(&quiet, 1, &again))
        count_changed(cas, again, run);
    else
        run->unspecified_error =
            errors.count ? arena_text(arena, errors.items[0].message, strlen(errors.items[0].message)) : "it failed";
    diagnostics_close(&errors);
}

// Takes what the run never wrote in buffers without fill from what counts as unwritten: it is unspecified, and the
// second run changes it. Whether there was any.
static bool take_unwritten(const FpdMachine *machine, const FpdCase *cas, FpdRun *run) {
    bool any = false;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        if (!fpd_leaves_unfilled(machine, cas, cas->compare[c])) continue;
        any |= run->unwritten[c];
        run->unwritten[c] = 0;
    }
    return any;
}

void fpd_find_unspecified(const FpdRunner *runner, FpdRuns *runs) {
    const FpdCase *cas = runner->program->cas;
    if (!runner->machine->poison || cas->allow_unspecified) return;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        FpdRun *run = &runs->runs[r];
        if (run->tower || run->numbers_of || !fpd_is_judged(cas, run->arithmetic->question)) continue;
        if (take_unwritten(runner->machine, cas, run) ||
            variant_has_any(runner->machine, runner->program, run->variant))
            run_with_others(runner, run);
    }
}
