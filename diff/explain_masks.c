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

// All variants under another rule; those without such exps are as they were. NULL: they could not run again.
static const FpdRun *runs_under(Explain *x, FpdMode mode, TowerMasks masks) {
    const FpdRun *plain = x->runs->runs[mode];
    if (x->masked[masks]) return x->masked[masks];
    Diagnostics ignored = {0}; // other masks may lead to other addresses: then nothing is said
    FpdRun *runs = arena_array(x->arena, FpdRun, x->cas->variant_count);
    bool *variants = arena_array(x->arena, bool, x->cas->variant_count);
    FpdSettings settings = fpd_plain_settings(x->machine, x->cas);
    settings.masks = masks;
    for (uint32_t v = 0; v < x->cas->variant_count; v++) variants[v] = vanished_in(x->cas, &plain[v]);
    bool good = fpd_run_again(&ignored, x->arena, x->machine, x->program, mode, &settings, variants, runs);
    for (uint32_t v = 0; v < x->cas->variant_count; v++)
        if (!variants[v]) runs[v] = plain[v];
    diagnostics_close(&ignored);
    if (good) x->masked[masks] = runs;
    return x->masked[masks];
}

// Without second runs: what only they explain says nothing about masks.
static FpdDifference compare_alone(Explain *x, Arena *arena, const FpdPair *pair, const FpdRun *runs, uint32_t c) {
    const FpdSide reference = {.run = &runs[0]}, other = {.run = &runs[pair->variant]};
    return fpd_compare_tower(arena, x->cas, c, &x->runs->tiles[c], &reference, &other);
}

// How many elements of the pair become a divergence under the other rule, or, of a divergence, none.
static uint64_t count_decided(Explain *x, const FpdPair *pair, const FpdRun *runs, bool diverged) {
    uint64_t count = 0;
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        Arena scratch = {0};
        const FpdDifference plain = compare_alone(x, &scratch, pair, x->runs->runs[pair->mode], c),
                            other = compare_alone(x, &scratch, pair, runs, c);
        for (uint64_t i = 0; i < plain.elements; i++) {
            const bool before = fpd_element_diverges(&plain, i), after = fpd_element_diverges(&other, i);
            count += diverged ? before && !after : !before && after;
        }
        arena_reset(&scratch);
    }
    return count;
}

static void add_note(Explain *x, FpdPair *pair, uint64_t count, const char *why) {
    Buffer text = {0};
    FpdNote *note = fpd_note_add(pair, FPD_NOTE_masks);
    note->elements = count;
    buffer_print(&text, "%" PRIu64 " of %" PRIu64 " elements %s\n", count, pair->elements, why);
    note->message = fpd_note_message(x, &text);
}

void fpd_explain_masks(Explain *x, FpdPair *pair) {
    const bool diverged = pair->verdict == FPD_VERDICT_DIVERGED;
    if (!x->cas->tower || !(diverged || pair->verdict == FPD_VERDICT_EQUAL)) return;
    const FpdRun *plain = x->runs->runs[pair->mode];
    if (!vanished_in(x->cas, &plain[0]) && !vanished_in(x->cas, &plain[pair->variant])) return;
    const FpdRun *runs = runs_under(x, pair->mode, TOWER_MASKS_NONE);
    uint64_t count = runs ? count_decided(x, pair, runs, diverged) : 0;
    if (count) {
        add_note(x, pair, count,
                 diverged ? "diverge only because exp of an operand at or below -8192 counts as 0, as masks do: in one "
                            "of the two it lies above"
                          : "are equal only because exp of an operand at or below -8192 counts as 0, as masks do");
        return;
    }
    runs = diverged ? runs_under(x, pair->mode, TOWER_MASKS_VANISHED) : NULL;
    count = runs ? count_decided(x, pair, runs, diverged) : 0;
    if (count)
        add_note(x, pair, count,
                 "diverge only because of an exp that is 0 as a number, but not as a payload: its operand is above "
                 "-8192; mask with -inf or -1e6");
}
