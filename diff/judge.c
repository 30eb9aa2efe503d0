// SPDX-License-Identifier: Apache-2.0
// Verdicts: which pairs agree, whether the case could have failed at all, and the exit status.
#include "diff/report.h"

#include <string.h>

int fpd_exit_status(const Diagnostics *diagnostics) {
    int status = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        ErrorCode code = diagnostics->items[i].code;
        bool wrong_input =
            code == E_USAGE || code == E_FILE || code == E_TARGET || code == E_CASE || code == E_ARGUMENT;
        if (wrong_input && status < 2) status = 2;
        if (!wrong_input) status = 3;
    }
    return status;
}

static bool is_judged(const FpdCase *cas, FpdMode mode) {
    return fpd_mode_is_payload(mode) || cas->tolerance.given;
}

// Whether a variant (side 0: the reference) wrote floats, but none of which anything is known. NaN says nothing either.
static bool lost_everything(const FpdCase *cas, const FpdPair *pair, int side) {
    uint64_t floats = 0, nothing = 0, nan = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdDifference *d = &pair->differences[c];
        if (!element_is_float(cas->buffers[d->buffer].type)) continue;
        floats += d->elements;
        nothing += d->nothing_known[side];
        nan += d->verdicts[FPD_ELEMENT_BOTH_NAN].count;
    }
    return nothing && nothing + nan == floats;
}

static FpdDifference compare_pair(Arena *arena, const FpdCase *cas, const FpdRuns *runs, const FpdPair *pair,
                                  uint32_t c) {
    const FpdRun *reference = &runs->runs[pair->mode][0], *other = &runs->runs[pair->mode][pair->variant];
    bool payload = fpd_mode_is_payload(pair->mode);
    if (payload && cas->tower) {
        FpdSide sides[2] = {fpd_side(runs, 0), fpd_side(runs, pair->variant)};
        return fpd_compare_tower(arena, cas, c, &runs->tiles[c], &sides[0], &sides[1]);
    }
    return fpd_compare_buffers(arena, &cas->buffers[cas->compare[c]], cas->compare[c], payload, cas->tolerance,
                               &runs->tiles[c], reference->bytes[c], other->bytes[c]);
}

// How much of a run is unspecified that no element of a comparison says.
static uint64_t count_unspecified(const FpdCase *cas, const FpdRun *run) {
    uint64_t count = run->unspecified_error != NULL;
    for (uint32_t s = 0; run->uses && s < run->store_count; s++) count += run->uses[s] != 0;
    for (uint32_t c = 0; run->unspecified && c < cas->compare_count; c++) count += run->unspecified[c];
    return count;
}

// Whether an unspecified value may have made the element of a run what it is as a number.
static bool is_accident(const FpdCase *cas, const FpdRuns *runs, uint32_t variant, FpdMode mode, uint32_t c,
                        uint64_t index) {
    const FpdRun *run = &runs->runs[mode][variant];
    if (run->unspecified_error || (run->is_unspecified && run->is_unspecified[c][index])) return true;
    if (!cas->tower || !runs->runs[FPD_MODE_fpsan]) return false;
    run = &runs->runs[FPD_MODE_fpsan][variant];
    return count_unspecified(cas, run) || // anything may depend on what such a value decided
           tower_is_poison(fpd_shadowed(tower_chain(cas->chain), cas->buffers[cas->compare[c]].type, run->bytes[c],
                                        run->records ? run->records[c] : NULL, index)
                               .payload);
}

static uint64_t count_beyond(const FpdCase *cas, const FpdRuns *runs, const FpdPair *pair) {
    uint64_t beyond = 0;
    for (uint32_t c = 0; pair->different && c < cas->compare_count; c++) {
        const FpdDifference *d = &pair->differences[c];
        ElementType type = cas->buffers[d->buffer].type;
        for (uint64_t i = 0; i < d->elements; i++)
            beyond += !fpd_element_within(type, fpd_element_bits(type, d->reference, i),
                                          fpd_element_bits(type, d->other, i), cas->tolerance) &&
                      !is_accident(cas, runs, 0, pair->mode, c, i) &&
                      !is_accident(cas, runs, pair->variant, pair->mode, c, i);
    }
    return beyond;
}

static void judge_pair(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdPair *pair) {
    uint64_t unknown = 0, unspecified = 0;
    pair->differences = arena_array(arena, FpdDifference, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        pair->differences[c] = compare_pair(arena, cas, runs, pair, c);
        pair->elements += pair->differences[c].elements;
        pair->different += pair->differences[c].different;
        unknown += pair->differences[c].verdicts[FPD_ELEMENT_UNKNOWN].count;
        unspecified += pair->differences[c].verdicts[FPD_ELEMENT_UNSPECIFIED].count;
    }
    pair->all_unspecified = unspecified && unspecified == pair->elements;
    const FpdRun *both = runs->runs[pair->mode];
    pair->unspecified = count_unspecified(cas, &both[0]) + count_unspecified(cas, &both[pair->variant]);
    if (!fpd_mode_is_payload(pair->mode)) pair->beyond = count_beyond(cas, runs, pair);
    for (int side = 0; side < 2; side++) pair->lost[side] = lost_everything(cas, pair, side);
    if (fpd_has_races(&runs->runs[pair->mode][0]) || fpd_has_races(&runs->runs[pair->mode][pair->variant]))
        pair->verdict = FPD_VERDICT_RACE;
    else if (!is_judged(cas, pair->mode))
        pair->verdict = FPD_VERDICT_REPORTED;
    else if (pair->unspecified)
        pair->verdict = FPD_VERDICT_DIVERGED;
    else if (!pair->different)
        pair->verdict = FPD_VERDICT_EQUAL;
    else
        pair->verdict = pair->different == unknown ? FPD_VERDICT_UNKNOWN : FPD_VERDICT_DIVERGED;
}

// ---- vacuous cases

static void add_vacuous(Arena *arena, FpdOutcome *outcome, size_t *capacity, FpdVacuous vacuous) {
    for (uint32_t i = 0; i < outcome->vacuous_count; i++) { // once, not once per mode
        const FpdVacuous *known = &outcome->vacuous[i];
        if (known->kind == vacuous.kind && known->variant == vacuous.variant && known->buffer == vacuous.buffer) return;
    }
    outcome->vacuous = arena_grow(arena, outcome->vacuous, outcome->vacuous_count, capacity, sizeof vacuous);
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

static void find_vacuous(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdMode mode, FpdOutcome *outcome,
                         size_t *capacity) {
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        uint32_t b = cas->compare[c];
        for (uint32_t v = 0; v < cas->variant_count; v++) {
            const FpdRun *run = &runs->runs[mode][v];
            FpdVacuous vacuous = {FPD_VACUOUS_UNWRITTEN, mode, v, b, run->unwritten[c], run->first_unwritten[c], NULL};
            if (!vacuous.count) continue;
            vacuous.message = unwritten_message(arena, cas, &vacuous);
            add_vacuous(arena, outcome, capacity, vacuous);
        }
        const uint8_t *reference = runs->runs[mode][0].bytes[c];
        bool numbers = cas->tower || !fpd_mode_is_payload(mode),
             constant = fpd_is_constant(&cas->buffers[b], numbers, reference),
             whole = runs->runs[mode][0].unwritten[c] == cas->buffers[b].elements;
        if (!constant || whole) continue;
        char text[FPD_TEXT_SIZE];
        fpd_element_text(cas->buffers[b].type, fpd_element_bits(cas->buffers[b].type, reference, 0), text);
        add_vacuous(arena, outcome, capacity,
                    (FpdVacuous){FPD_VACUOUS_CONSTANT, mode, 0, b, 0, 0,
                                 arena_format(arena, "every element of %s is %s after variant %s", cas->buffers[b].name,
                                              text, cas->variants[0].name)});
    }
}

void fpd_judge(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdOutcome *outcome) {
    uint32_t payload_diverged = 0, numbers_diverged = 0, judged = 0, lost = 0;
    size_t capacity = 0;
    outcome->cas = cas;
    outcome->runs = runs;
    outcome->races_checked = runs->races_checked;
    outcome->pairs = arena_array(arena, FpdPair, cas->variant_count * cas->mode_count);
    for (uint32_t v = 1; v < cas->variant_count; v++)
        for (uint32_t m = 0; m < cas->mode_count; m++) {
            FpdPair *pair = &outcome->pairs[outcome->pair_count++];
            *pair = (FpdPair){.variant = v, .mode = cas->modes[m]};
            judge_pair(arena, cas, runs, pair);
            judged += pair->verdict != FPD_VERDICT_REPORTED;
            lost += pair->lost[0] || pair->lost[1];
            outcome->unknown += pair->verdict == FPD_VERDICT_UNKNOWN;
            if (pair->verdict != FPD_VERDICT_DIVERGED) continue;
            if (pair->beyond)
                numbers_diverged++;
            else
                payload_diverged++; // or what is unspecified, in any mode
        }
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (is_judged(cas, cas->modes[m])) find_vacuous(arena, cas, runs, cas->modes[m], outcome, &capacity);
    for (uint32_t m = 0; m < cas->mode_count; m++)
        for (uint32_t v = 0; v < cas->variant_count; v++)
            outcome->races += fpd_has_races(&runs->runs[cas->modes[m]][v]);
    if (!judged) {
        const char *why = cas->variant_count < 2
                              ? "nothing was judged: there is one variant, a comparison needs two"
                              : "nothing was judged: results in mode ieee are judged only where a tolerance is given";
        add_vacuous(arena, outcome, &capacity, (FpdVacuous){.kind = FPD_VACUOUS_NOTHING, .message = why});
    }
    outcome->diverged = payload_diverged + numbers_diverged;
    bool diverges = payload_diverged || outcome->races;
    bool as_expected = cas->expect_diverge ? diverges : !diverges && !outcome->unknown;
    outcome->expectation_met = as_expected && !numbers_diverged && !lost;
    outcome->status = !outcome->expectation_met || (outcome->vacuous_count && !cas->allow_vacuous);
}
