// SPDX-License-Identifier: Apache-2.0
// Masks: an exp that is 0 as a number has the payload 0 where its operand is at or below TOWER_MASKED, and else that of
// any other power. Where such exps took part (TOWER_VANISHED) the variants run once more under other rules: what then
// becomes another verdict was decided by the rule.
#include "diff/explain_internal.h"

#include <inttypes.h>
#include <string.h>

static bool vanished_in(const FpdCase *cas, const FpdRun *run) {
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; run->records && run->records[c] && i < cas->buffers[cas->compare[c]].elements; i++)
            if (run->records[c][i].state & HOST_RECORD_VALID && run->records[c][i].state & TOWER_VANISHED) return true;
    return false;
}

// All runs with records, under another rule; those without such exps are as they were. NULL: they could not run again.
static FpdRun *const *runs_under(Explain *x, TowerMasks masks) {
    if (x->masked[masks]) return x->masked[masks];
    Diagnostics ignored = {0}; // other masks may lead to other addresses: then nothing is said
    const FpdRunner runner = fpd_note_runner(x, &ignored, x->program);
    FpdRun **runs = arena_array(x->arena, FpdRun *, x->runs->run_count),
           **again = arena_array(x->arena, FpdRun *, x->runs->run_count);
    FpdSettings settings = fpd_plain_settings(x->machine, x->cas);
    uint32_t count = 0;
    settings.masks = masks;
    for (uint32_t r = 0; r < x->runs->run_count; r++) {
        runs[r] = &x->runs->runs[r];
        if (vanished_in(x->cas, runs[r])) runs[r] = again[count++] = fpd_plan_again(x->arena, runs[r], &settings);
    }
    if (fpd_run_again(&runner, count, again)) x->masked[masks] = runs;
    diagnostics_close(&ignored);
    return x->masked[masks];
}

// Without second runs: what only they explain says nothing about masks.
static FpdDifference compare_alone(Explain *x, Arena *arena, uint32_t c, const FpdRun *left, const FpdRun *right) {
    FpdRun alone[2] = {*left, *right};
    for (int side = 0; side < 2; side++) memset(alone[side].again, 0, sizeof alone[side].again);
    return fpd_compare_records(arena, x->cas, c, &x->runs->tiles[c], &alone[0], &alone[1]);
}

// How many elements become a divergence under the other rule, or, of a divergence, none.
static uint64_t count_decided(Explain *x, const FpdComparison *comparison, TowerMasks masks) {
    const bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED;
    FpdRun *const *runs = runs_under(x, masks);
    const FpdRun *left = comparison->left, *right = comparison->right;
    uint64_t count = 0;
    for (uint32_t c = 0; runs && c < x->cas->compare_count; c++) {
        Arena scratch = {0};
        const FpdDifference plain = compare_alone(x, &scratch, c, left, right),
                            other =
                                compare_alone(x, &scratch, c, runs[left - x->runs->runs], runs[right - x->runs->runs]);
        for (uint64_t i = 0; i < plain.elements; i++) {
            const bool before = fpd_element_diverges(&plain, i), after = fpd_element_diverges(&other, i);
            count += diverged ? before && !after : !before && after;
        }
        arena_reset(&scratch);
    }
    return count;
}

static void add_note(Explain *x, FpdComparison *comparison, uint64_t count, const char *why) {
    Buffer text = {0};
    FpdNote *note = fpd_note_add(comparison, FPD_NOTE_masks);
    note->elements = count;
    buffer_print(&text, "%" PRIu64 " of %" PRIu64 " elements %s\n", count, comparison->elements, why);
    note->message = fpd_note_message(x, &text);
}

void fpd_explain_masks(Explain *x, FpdComparison *comparison) {
    const bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED;
    if (!fpd_compares_records(comparison) || !(diverged || comparison->verdict == FPD_VERDICT_EQUAL)) return;
    if (!vanished_in(x->cas, comparison->left) && !vanished_in(x->cas, comparison->right)) return;
    uint64_t count = count_decided(x, comparison, TOWER_MASKS_NONE);
    if (count) {
        add_note(x, comparison, count,
                 diverged ? "diverge only because exp of an operand at or below -8192 counts as 0, as masks do: in one "
                            "of the two it lies above"
                          : "are equal only because exp of an operand at or below -8192 counts as 0, as masks do");
        return;
    }
    count = diverged ? count_decided(x, comparison, TOWER_MASKS_VANISHED) : 0;
    if (count)
        add_note(x, comparison, count,
                 "diverge only because of an exp that is 0 as a number, but not as a payload: its operand is above "
                 "-8192; mask with -inf or -1e6");
}
