// SPDX-License-Identifier: Apache-2.0
// One mutant on one set of data: a run of its variant, compared with the plain runs of the others.
#include "diff/try_mutant.h"

#include <string.h>

FpdCase fpd_case_as_written(Arena *arena, const FpdCase *cas) {
    FpdCase written = *cas;
    written.build_count = written.run_build_count = 0;
    written.variants = arena_array(arena, FpdVariant, cas->variant_count + 1u);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        FpdVariant *variant = &written.variants[v];
        *variant = cas->variants[v];
        variant->launches = arena_array(arena, FpdLaunch, variant->launch_count + 1u);
        memcpy(variant->launches, cas->variants[v].launches, variant->launch_count * sizeof *variant->launches);
        for (uint32_t i = 0; i < variant->launch_count; i++) variant->launches[i].build = 0;
    }
    return written;
}

// Fills buffers once for all runs.
static bool keep_contents(const FpdRunner *runner, FpdCase *cas) {
    FpdBuffer *buffers = arena_array(runner->arena, FpdBuffer, cas->buffer_count);
    memcpy(buffers, cas->buffers, cas->buffer_count * sizeof *buffers);
    cas->buffers = buffers;
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        uint8_t *contents = arena_alloc(runner->arena, buffers[b].bytes);
        if (!fpd_fill_buffer(runner->diagnostics, &buffers[b], cas->seed, rt_jobs(runner->machine->device), contents))
            return false;
        if (buffers[b].fill.given) buffers[b].fill.contents = contents;
    }
    return true;
}

bool fpd_run_plain(const FpdRunner *given, FpdMutationData *data) {
    FpdRunner of_data = *given, *runner = &of_data;
    Arena *arena = runner->arena;
    data->programs.cas = &data->cas;
    runner->programs = &data->programs;
    const FpdCase *cas = &data->cas;
    if (!keep_contents(runner, &data->cas)) return false;
    data->outcome = (FpdOutcome){.cas = cas, .path = cas->path, .errors = runner->diagnostics};
    fpd_see_forms(runner->programs, &data->outcome);
    data->runs = fpd_plan_runs(arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    fpd_plan_comparisons(arena, cas, &data->runs, &data->outcome);
    if (!fpd_run_case(runner, true, &data->runs)) return false;
    fpd_find_unspecified(runner, &data->runs);
    if (!fpd_run_second(runner, &data->runs, &data->outcome)) return false;
    fpd_judge(arena, &data->outcome);
    return true;
}

// ---- the mutant in place of its variant -----------------------------------------------------------------------------

// The plain runs, with those of the variant replaced.
static FpdRuns join_runs(Arena *arena, const FpdRuns *plain, const FpdRuns *mutated, uint32_t variant) {
    FpdRuns joined = *plain;
    uint32_t next = 0;
    joined.runs = arena_array(arena, FpdRun, plain->run_count + 1u);
    for (uint32_t r = 0; r < plain->run_count; r++)
        joined.runs[r] = plain->runs[r].variant == variant ? mutated->runs[next++] : plain->runs[r];
    return joined; // both lists are in the same order
}

static void keep_comparisons(FpdOutcome *outcome, uint32_t variant) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->left->variant == variant || comparison->right->variant == variant)
            outcome->comparisons[kept++] = *comparison;
    }
    outcome->comparison_count = kept;
}

static FpdOutcome plan_outcome(Arena *arena, const FpdMutationData *data, const FpdRuns *runs, uint32_t variant) {
    FpdOutcome outcome = {.cas = &data->cas, .path = data->cas.path};
    fpd_plan_comparisons(arena, &data->cas, runs, &outcome);
    keep_comparisons(&outcome, variant);
    return outcome;
}

#define RACES       "blocks race"
#define UNSPECIFIED "unspecified values decide"

// ---- classes --------------------------------------------------------------------------------------------------------

static FpdMutantResult result_of(FpdMutantClass class, const char *reason) {
    return (FpdMutantResult){.class = class, .reason = reason};
}

static FpdMutantResult failed(Arena *arena, const FpdCase *cas, const Diagnostics *diagnostics) {
    const Diagnostic *first = diagnostics->count ? &diagnostics->items[0] : NULL;
    if (!first) return result_of(FPD_MUTANT_ERROR, "it could not be run");
    const size_t path = strlen(cas->path); // messages of launches begin with "CASE.yaml: "
    const bool named = !strncmp(first->message, cas->path, path) && !strncmp(first->message + path, ": ", 2);
    const char *reason = arena_keep(arena, first->message + (named ? path + 2 : 0));
    switch (first->code) {
    case E_UNSUPPORTED:
    case E_LLVM:
    case E_VERIFY: return result_of(FPD_MUTANT_REFUSED, reason);
    default: return result_of(strstr(reason, RT_ROUNDS_TEXT) ? FPD_MUTANT_ROUNDS : FPD_MUTANT_ERROR, reason);
    }
}

static uint64_t unspecified_elements(const FpdCase *cas, const FpdComparison *comparison) {
    uint64_t count = comparison->unspecified;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        count += comparison->differences[c].verdicts[FPD_ELEMENT_UNSPECIFIED].count;
    return count;
}

static const char *describe(Arena *arena, const FpdComparison *comparison, const FpdCase *cas, const char *what) {
    char mode[FPD_MODE_TEXT_SIZE];
    fpd_comparison_mode(comparison, mode);
    return arena_format(arena, "%s | %s, %s: %s", cas->variants[comparison->left->variant].name,
                        cas->variants[comparison->right->variant].name, mode, what);
}

// The strongest finding: an error before payloads, payloads before numbers.
static FpdMutantResult classify(Arena *arena, const FpdOutcome *outcome, const FpdRuns *runs, uint32_t variant) {
    const FpdCase *cas = outcome->cas;
    const FpdComparison *payload = NULL, *numbers = NULL;
    for (uint32_t r = 0; r < runs->run_count; r++)
        if (runs->runs[r].variant == variant && fpd_has_races(&runs->runs[r]))
            return result_of(FPD_MUTANT_ERROR, RACES);
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->verdict != FPD_VERDICT_DIVERGED && comparison->verdict != FPD_VERDICT_UNKNOWN) continue;
        if (unspecified_elements(cas, comparison)) return result_of(FPD_MUTANT_ERROR, UNSPECIFIED);
        if (comparison->question == FPD_QUESTION_numbers)
            numbers = comparison;
        else
            payload = comparison;
    }
    if (payload) return result_of(FPD_MUTANT_PAYLOAD, describe(arena, payload, cas, "payloads differ"));
    if (numbers) return result_of(FPD_MUTANT_TOLERANCE, describe(arena, numbers, cas, "beyond the tolerance"));
    const char *vacuous = fpd_vacuous_reason(outcome);
    if (vacuous) return result_of(FPD_MUTANT_ERROR, arena_keep(arena, vacuous));
    if (outcome->status) return result_of(FPD_MUTANT_PAYLOAD, "the case is not as expected");
    return result_of(FPD_MUTANT_SURVIVED, NULL);
}

// Whether the mutant did in everything that is compared what the plain kernel does.
static bool is_same_run(const FpdCase *cas, const FpdRun *plain, const FpdRun *run) {
    if (plain->race_count || run->race_count) return false;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        const HostRecord *a = plain->records ? plain->records[c] : NULL, *b = run->records ? run->records[c] : NULL;
        if (memcmp(plain->bytes[c], run->bytes[c], buffer->bytes) || plain->unwritten[c] != run->unwritten[c] ||
            !a != !b)
            return false;
        for (uint64_t i = 0; a && i < buffer->elements; i++)
            if (a[i].state != b[i].state || memcmp(a[i].component, b[i].component, sizeof a[i].component)) return false;
    }
    for (uint32_t s = 0; run->uses && s < run->store_count; s++)
        if (run->uses[s]) return false;
    return fpd_count_unspecified(cas, plain) == fpd_count_unspecified(cas, run);
}

static bool is_same(const FpdMutationData *data, const FpdRuns *runs, uint32_t variant) {
    bool same = true;
    for (uint32_t r = 0; r < runs->run_count && same; r++)
        same = runs->runs[r].variant != variant || is_same_run(&data->cas, &data->runs.runs[r], &runs->runs[r]);
    return same;
}

// What can be said at once, without a comparison of all elements and without second runs. False: nothing.
static bool classify_early(Arena *arena, const FpdOutcome *planned, const FpdRuns *runs, uint32_t variant,
                           FpdMutantResult *result) {
    const FpdCase *cas = planned->cas;
    uint32_t compared;
    uint64_t index;
    if (cas->allow_unspecified) return false;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const FpdRun *run = &runs->runs[r];
        if (run->variant != variant) continue;
        if (fpd_has_races(run)) {
            *result = result_of(FPD_MUTANT_ERROR, RACES);
            return true;
        }
        bool unspecified = run->tower && fpd_first_unspecified(cas, run, &compared, &index);
        for (uint32_t u = 0; u < run->store_count && run->uses; u++) unspecified |= run->uses[u] != 0;
        if (!unspecified) continue;
        *result = result_of(FPD_MUTANT_ERROR, UNSPECIFIED);
        return true;
    }
    for (uint32_t i = 0; i < planned->comparison_count; i++) {
        const FpdComparison *comparison = &planned->comparisons[i];
        if (!fpd_compares_records(comparison) ||
            !fpd_first_certain(cas, comparison->left, comparison->right, &compared, &index))
            continue;
        *result = result_of(FPD_MUTANT_PAYLOAD, describe(arena, comparison, cas, "payloads differ"));
        return true;
    }
    return false;
}

FpdMutantResult fpd_try_programs(const FpdRunner *runner, Arena *arena, const FpdMutationData *data, uint32_t variant) {
    FpdRuns mutated = fpd_plan_runs(runner->arena, &data->cas, FPD_ALL_MODES, (int)variant);
    if (!fpd_run_case(runner, true, &mutated)) return failed(arena, &data->cas, runner->diagnostics);
    fpd_find_unspecified(runner, &mutated);
    FpdRuns runs = join_runs(runner->arena, &data->runs, &mutated, variant);
    FpdOutcome outcome = plan_outcome(runner->arena, data, &runs, variant);
    FpdMutantResult early;
    if (is_same(data, &runs, variant)) return result_of(FPD_MUTANT_SURVIVED, NULL);
    if (classify_early(arena, &outcome, &runs, variant, &early)) return early;
    if (!fpd_run_second(runner, &runs, &outcome)) return failed(arena, &data->cas, runner->diagnostics);
    fpd_judge(runner->arena, &outcome);
    return classify(arena, &outcome, &runs, variant);
}
