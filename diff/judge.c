// SPDX-License-Identifier: Apache-2.0
// Verdicts: which comparisons agree, whether the case could have failed at all, and the exit status.
#include "diff/report.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int fpd_exit_status(const Diagnostics *diagnostics) {
    int status = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        const unsigned hundred = diagnostics->items[i].code / 100;
        const bool wrong_input = hundred == 1 || hundred == 4; // errors.def: usage and files; cases and reports
        if (wrong_input && status < 2) status = 2;
        if (!wrong_input) status = 3;
    }
    return status;
}

// Whether a run (side 0: the left one) wrote floats, but none of which anything is known. NaN says nothing either.
static bool lost_everything(const FpdCase *cas, const FpdComparison *comparison, int side) {
    uint64_t floats = 0, nothing = 0, nan = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdDifference *d = &comparison->differences[c];
        if (!element_is_float(cas->buffers[d->buffer].type)) continue;
        floats += d->elements;
        nothing += d->nothing_known[side];
        nan += d->verdicts[FPD_ELEMENT_BOTH_NAN].count;
    }
    return nothing && nothing + nan == floats;
}

uint64_t fpd_deep_elements(const FpdCase *cas, const FpdComparison *comparison) {
    uint64_t elements = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) elements += comparison->differences[c].deep;
    return elements;
}

bool fpd_compares_records(const FpdComparison *comparison) {
    return fpd_is_of_records(fpd_compare_for(comparison->question, comparison->left, comparison->right));
}

void fpd_comparison_mode(const FpdComparison *comparison, char *text) {
    const char *left = fpd_mode_name(comparison->left->mode), *right = fpd_mode_name(comparison->right->mode);
    const bool same = comparison->left->mode == comparison->right->mode;
    snprintf(text, FPD_MODE_TEXT_SIZE, "%s%s%s", left, same ? "" : "/", same ? "" : right);
}

// How much of a run is unspecified that no element of a comparison says.
static uint64_t count_unspecified(const FpdCase *cas, const FpdRun *run) {
    uint64_t count = fpd_count_unspecified(cas, run);
    for (uint32_t s = 0; run->uses && s < run->store_count; s++) count += run->uses[s] != 0;
    return count;
}

// Whether an unspecified value may have made the element of a run what it is as a number.
static bool is_accident(const FpdCase *cas, const FpdRun *run, uint32_t c, uint64_t index) {
    if (run->unspecified_error || (run->is_unspecified && run->is_unspecified[c][index])) return true;
    if (run->numbers_of) run = run->numbers_of;
    return run->tower && (count_unspecified(cas, run) || // anything may depend on what such a value decided
                          tower_is_poison(fpd_element_of(cas, run, c, index).payload));
}

static uint64_t count_beyond(const FpdCase *cas, const FpdComparison *comparison) {
    uint64_t beyond = 0;
    for (uint32_t c = 0; comparison->different && c < cas->compare_count; c++) {
        const FpdDifference *d = &comparison->differences[c];
        ElementType type = cas->buffers[d->buffer].type;
        for (uint64_t i = 0; i < d->elements; i++)
            beyond += !fpd_element_within(type, fpd_element_bits(type, d->reference, i),
                                          fpd_element_bits(type, d->other, i), cas->tolerance) &&
                      !is_accident(cas, comparison->left, c, i) && !is_accident(cas, comparison->right, c, i);
    }
    return beyond;
}

static bool has_findings(const FpdComparison *comparison) {
    return fpd_has_findings(comparison->left) || fpd_has_findings(comparison->right);
}

static FpdVerdict verdict_of(const FpdCase *cas, const FpdComparison *comparison, uint64_t unknown) {
    if (has_findings(comparison)) return FPD_VERDICT_MISUSE;
    if (fpd_has_races(comparison->left) || fpd_has_races(comparison->right)) return FPD_VERDICT_RACE;
    if (!fpd_is_judged(cas, comparison->question)) return FPD_VERDICT_REPORTED;
    if (comparison->unspecified) return FPD_VERDICT_DIVERGED;
    if (!comparison->different) return FPD_VERDICT_EQUAL;
    return comparison->different == unknown ? FPD_VERDICT_UNKNOWN : FPD_VERDICT_DIVERGED;
}

// ---- builds ---------------------------------------------------------------------------------------------------------

static bool same_bits(const FpdCase *cas, const FpdComparison *comparison) {
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdDifference *d = &comparison->differences[c];
        if (memcmp(d->reference, d->other, cas->buffers[d->buffer].bytes)) return false;
    }
    return true;
}

static FpdVerdict build_verdict(const FpdCase *cas, const FpdComparison *comparison) {
    uint64_t count[FPD_ELEMENT_COUNT] = {0};
    const bool same = same_bits(cas, comparison);
    if (has_findings(comparison)) return FPD_VERDICT_MISUSE;
    if (fpd_has_races(comparison->left) || fpd_has_races(comparison->right)) return FPD_VERDICT_RACE;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (int v = 0; v < FPD_ELEMENT_COUNT; v++) count[v] += comparison->differences[c].verdicts[v].count;
    if (comparison->unspecified || count[FPD_ELEMENT_UNSPECIFIED]) return FPD_VERDICT_DIVERGED;
    switch (comparison->left->arithmetic->payloads) {
    case FPD_PAYLOADS_NONE: return same ? FPD_VERDICT_IDENTICAL : FPD_VERDICT_REPORTED;
    case FPD_PAYLOADS_IN_PLACE: return same ? FPD_VERDICT_IDENTICAL : FPD_VERDICT_REWRITE;
    default: break;
    }
    if (count[FPD_ELEMENT_REWRITE]) return FPD_VERDICT_REWRITE;
    // A NaN in one of them says nothing about the formula.
    if (count[FPD_ELEMENT_UNKNOWN] || count[FPD_ELEMENT_NAN_IN_ONE]) return FPD_VERDICT_UNKNOWN;
    if (count[FPD_ELEMENT_DECISION]) return FPD_VERDICT_DECISION;
    return same ? FPD_VERDICT_IDENTICAL : FPD_VERDICT_NUMERIC;
}

// Whether the build changes more than the case allows: numbers beyond the tolerance, more decisions than may be close
// calls, the formula, or what nobody can tell.
static bool build_fails(const FpdCase *cas, const FpdComparison *comparison) {
    bool many = false;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        many |= comparison->differences[c].verdicts[FPD_ELEMENT_DECISION].diverges;
    switch (comparison->verdict) {
    case FPD_VERDICT_IDENTICAL: return false;
    case FPD_VERDICT_NUMERIC:
    case FPD_VERDICT_REPORTED: return comparison->beyond;
    case FPD_VERDICT_DECISION: return comparison->beyond || many;
    default: return true;
    }
}

void fpd_judge_build(Arena *arena, const FpdCase *cas, const ProgramUse *tiles, FpdComparison *comparison) {
    FpdCompare *compare = fpd_compare_for(comparison->question, comparison->left, comparison->right);
    assert(compare);
    comparison->differences = arena_array(arena, FpdDifference, cas->compare_count);
    comparison->elements = comparison->different = comparison->beyond = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        FpdDifference *d = &comparison->differences[c];
        *d = compare(arena, cas, c, &tiles[c], comparison->left, comparison->right);
        comparison->elements += d->elements;
        comparison->different += d->different;
        if (element_is_float(cas->buffers[d->buffer].type)) comparison->beyond += d->distance.beyond;
    }
    comparison->unspecified = count_unspecified(cas, comparison->left) + count_unspecified(cas, comparison->right);
    comparison->verdict = build_verdict(cas, comparison);
    comparison->fails = build_fails(cas, comparison);
}

static void judge_comparison(Arena *arena, const FpdCase *cas, const ProgramUse *tiles, FpdComparison *comparison) {
    FpdCompare *compare = fpd_compare_for(comparison->question, comparison->left, comparison->right);
    uint64_t unknown = 0, unspecified = 0;
    assert(compare);
    comparison->differences = arena_array(arena, FpdDifference, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        FpdDifference *d = &comparison->differences[c];
        *d = compare(arena, cas, c, &tiles[c], comparison->left, comparison->right);
        comparison->elements += d->elements;
        comparison->different += d->different;
        unknown += d->verdicts[FPD_ELEMENT_UNKNOWN].count;
        unspecified += d->verdicts[FPD_ELEMENT_UNSPECIFIED].count;
    }
    comparison->all_unspecified = unspecified && unspecified == comparison->elements;
    comparison->unspecified = count_unspecified(cas, comparison->left) + count_unspecified(cas, comparison->right);
    if (comparison->question == FPD_QUESTION_numbers) comparison->beyond = count_beyond(cas, comparison);
    for (int side = 0; side < 2; side++) comparison->lost[side] = lost_everything(cas, comparison, side);
    comparison->verdict = verdict_of(cas, comparison, unknown);
}

bool fpd_comparison_fails(const FpdCase *cas, const FpdComparison *comparison) {
    if (comparison->question == FPD_QUESTION_builds) return comparison->fails;
    if (comparison->lost[0] || comparison->lost[1]) return true;
    switch (comparison->verdict) {
    case FPD_VERDICT_DIVERGED: return comparison->beyond || !cas->expect_diverge;
    case FPD_VERDICT_UNKNOWN:
    case FPD_VERDICT_MISUSE:
    case FPD_VERDICT_RACE: return !cas->expect_diverge;
    default: return false;
    }
}

// ---- vacuous cases --------------------------------------------------------------------------------------------------

// Of elements that a variant does not write a case may allow some (`unwritten`), or anything vacuous.
static bool is_allowed(const FpdCase *cas, const FpdVacuous *vacuous) {
    const bool some = vacuous->kind == FPD_VACUOUS_UNWRITTEN && vacuous->count < cas->buffers[vacuous->buffer].elements;
    return cas->allow_vacuous || (some && cas->allow_unwritten);
}

const char *fpd_vacuous_reason(const FpdOutcome *outcome) {
    for (uint32_t i = 0; i < outcome->vacuous_count; i++)
        if (!outcome->vacuous[i].allowed) return outcome->vacuous[i].message;
    return NULL;
}

static void add_vacuous(Arena *arena, FpdOutcome *outcome, size_t *capacity, FpdVacuous vacuous) {
    for (uint32_t i = 0; i < outcome->vacuous_count; i++) { // once, not once per mode
        const FpdVacuous *known = &outcome->vacuous[i];
        if (known->kind == vacuous.kind && known->variant == vacuous.variant && known->buffer == vacuous.buffer) return;
    }
    outcome->vacuous = arena_grow(arena, outcome->vacuous, outcome->vacuous_count, capacity, sizeof vacuous);
    vacuous.allowed = is_allowed(outcome->cas, &vacuous);
    outcome->vacuous[outcome->vacuous_count++] = vacuous;
}

static const char *unwritten_message(Arena *arena, const FpdCase *cas, const FpdVacuous *vacuous) {
    const FpdBuffer *buffer = &cas->buffers[vacuous->buffer];
    Buffer index = {0};
    fpd_print_index(buffer, vacuous->first, &index);
    const char *text =
        vacuous->count == buffer->elements
            ? arena_format(arena, "variant %s never writes %s", cas->variants[vacuous->variant].name, buffer->name)
            : arena_format(arena, "variant %s never writes %llu of %llu elements of %s, the first at %s",
                           cas->variants[vacuous->variant].name, (unsigned long long)vacuous->count,
                           (unsigned long long)buffer->elements, buffer->name, index.data);
    buffer_free(&index);
    return text;
}

static void find_vacuous(Arena *arena, FpdMode mode, FpdOutcome *outcome, size_t *capacity) {
    const FpdCase *cas = outcome->cas;
    const FpdRun *reference = fpd_find_run(outcome->runs, mode, 0);
    for (uint32_t c = 0; reference && c < cas->compare_count; c++) {
        uint32_t b = cas->compare[c];
        for (uint32_t v = 0; v < cas->variant_count; v++) {
            const FpdRun *run = fpd_find_run(outcome->runs, mode, v);
            if (!run) continue;
            FpdVacuous vacuous = {.kind = FPD_VACUOUS_UNWRITTEN,
                                  .mode = mode,
                                  .variant = v,
                                  .buffer = b,
                                  .count = run->unwritten[c],
                                  .first = run->first_unwritten[c]};
            if (!vacuous.count) continue;
            vacuous.message = unwritten_message(arena, cas, &vacuous);
            add_vacuous(arena, outcome, capacity, vacuous);
        }
        if (!cas->buffers[b].elements)
            add_vacuous(arena, outcome, capacity,
                        (FpdVacuous){.kind = FPD_VACUOUS_EMPTY,
                                     .mode = mode,
                                     .buffer = b,
                                     .message = arena_format(arena, "%s has no elements", cas->buffers[b].name)});
        const bool numbers = reference->arithmetic->payloads != FPD_PAYLOADS_IN_PLACE,
                   constant = fpd_is_constant(&cas->buffers[b], numbers, reference->bytes[c]),
                   whole = reference->unwritten[c] == cas->buffers[b].elements;
        if (!constant || whole) continue;
        char text[FPD_TEXT_SIZE];
        fpd_element_text(cas->buffers[b].type, fpd_element_bits(cas->buffers[b].type, reference->bytes[c], 0), text);
        add_vacuous(arena, outcome, capacity,
                    (FpdVacuous){.kind = FPD_VACUOUS_CONSTANT,
                                 .mode = mode,
                                 .buffer = b,
                                 .message = arena_format(arena, "every element of %s is %s after variant %s",
                                                         cas->buffers[b].name, text, cas->variants[0].name)});
    }
}

void fpd_see_forms(const FpdPrograms *programs, FpdOutcome *outcome) {
    for (uint32_t v = 0; v < programs->cas->variant_count; v++)
        for (uint32_t i = 0; i < programs->cas->variants[v].launch_count; i++) {
            const bool threads = programs->launches[v][i].threads;
            outcome->has_threads |= threads;
            outcome->has_tiles |= !threads;
            outcome->has_parts |= programs->launches[v][i].entry->has_parts;
        }
}

void fpd_plan_comparisons(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdOutcome *outcome) {
    outcome->cas = cas;
    outcome->runs = runs;
    const uint32_t builds = fpd_run_builds(cas);
    // Less than that: of variants and of builds the first has nothing to be compared with.
    outcome->comparisons =
        arena_array(arena, FpdComparison, 2 * (size_t)cas->variant_count * cas->mode_count * builds + 1);
    outcome->comparison_count = 0;
    for (uint32_t v = 1; v < cas->variant_count; v++)
        for (uint32_t b = 0; b < builds; b++)
            for (uint32_t m = 0; m < cas->mode_count; m++) {
                const FpdRun *left = fpd_find_build_run(runs, cas->modes[m], 0, b),
                             *right = fpd_find_build_run(runs, cas->modes[m], v, b);
                outcome->comparisons[outcome->comparison_count++] =
                    (FpdComparison){.left = left, .right = right, .question = left->arithmetic->question};
            }
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t b = 1; b < builds; b++)
            for (uint32_t m = 0; m < cas->mode_count; m++) {
                const FpdRun *left = fpd_find_build_run(runs, cas->modes[m], v, 0),
                             *right = fpd_find_build_run(runs, cas->modes[m], v, b);
                if (left->numbers_of) continue; // that run has the numbers, and says more
                outcome->comparisons[outcome->comparison_count++] =
                    (FpdComparison){.left = left, .right = right, .question = FPD_QUESTION_builds};
            }
}

void fpd_judge(Arena *arena, FpdOutcome *outcome) {
    const FpdCase *cas = outcome->cas;
    uint32_t formulas_diverged = 0, numbers_diverged = 0, judged = 0, lost = 0;
    size_t capacity = 0;
    outcome->judged = true;
    outcome->races_checked = outcome->runs->races_checked;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->question == FPD_QUESTION_builds) {
            fpd_judge_build(arena, cas, outcome->runs->tiles, comparison);
            outcome->builds_failed += comparison->fails;
            judged += comparison->left->arithmetic->payloads != FPD_PAYLOADS_NONE || cas->tolerance.given;
            continue;
        }
        judge_comparison(arena, cas, outcome->runs->tiles, comparison);
        judged += comparison->verdict != FPD_VERDICT_REPORTED;
        lost += comparison->lost[0] || comparison->lost[1];
        outcome->unknown += comparison->verdict == FPD_VERDICT_UNKNOWN;
        if (comparison->verdict != FPD_VERDICT_DIVERGED) continue;
        if (comparison->beyond)
            numbers_diverged++;
        else
            formulas_diverged++; // or what is unspecified, whatever the question
    }
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (fpd_is_judged(cas, fpd_arithmetic(cas->family, cas->modes[m])->question))
            find_vacuous(arena, cas->modes[m], outcome, &capacity);
    for (uint32_t r = 0; r < outcome->runs->run_count; r++) {
        FpdRun *run = &outcome->runs->runs[r];
        outcome->races += fpd_has_races(run);
        outcome->misuses += fpd_has_findings(run);
        run->schedule = fpd_compare_schedules(arena, cas, run);
        outcome->schedules += run->schedule != NULL;
    }
    if (!judged && !fpd_judges_accuracy(cas)) {
        const char *why = cas->variant_count < 2 && fpd_run_builds(cas) < 2
                              ? "nothing was judged: there is one variant, a comparison needs two"
                              : "nothing was judged: results in mode ieee are judged only where a tolerance is given";
        add_vacuous(arena, outcome, &capacity, (FpdVacuous){.kind = FPD_VACUOUS_NOTHING, .message = why});
    }
    outcome->diverged = formulas_diverged + numbers_diverged;
    outcome->diverges = formulas_diverged || outcome->races || outcome->misuses || outcome->schedules;
    bool as_expected = cas->expect_diverge ? outcome->diverges : !outcome->diverges && !outcome->unknown;
    outcome->expectation_met = as_expected && !numbers_diverged && !lost && !outcome->builds_failed;
    outcome->status = !outcome->expectation_met || fpd_vacuous_reason(outcome);
}
