// SPDX-License-Identifier: Apache-2.0
// `--reroll`: divergences of profile tower again in the spare chains, where every number is another one.
#include "diff/fpd.h"

// A case of the reference and the variants that diverge from it, and the program to go with it.
typedef struct Reroll {
    FpdCase cas;
    FpdProgram program;
    uint32_t pair_count;
    FpdPair **pairs;  // pair i is variant i + 1 of the case
    uint8_t ***marks; // per pair and compared buffer: a bit for each element that diverged in every chain so far
} Reroll;

static void choose_pairs(Arena *arena, const FpdProgram *program, FpdOutcome *outcome, Reroll *reroll) {
    const FpdCase *cas = program->cas;
    reroll->cas = *cas;
    reroll->cas.modes[0] = FPD_MODE_fpsan;
    reroll->cas.mode_count = 1;
    reroll->cas.variants = arena_array(arena, FpdVariant, cas->variant_count);
    reroll->cas.variants[0] = cas->variants[0];
    reroll->program = *program;
    reroll->program.launches = arena_array(arena, FpdResolvedLaunch *, cas->variant_count);
    reroll->program.launches[0] = program->launches[0];
    reroll->pairs = arena_array(arena, FpdPair *, cas->variant_count);
    for (uint32_t p = 0; p < outcome->pair_count; p++) {
        FpdPair *pair = &outcome->pairs[p];
        if (!fpd_mode_is_payload(pair->mode) || pair->verdict != FPD_VERDICT_DIVERGED) continue;
        reroll->pairs[reroll->pair_count++] = pair;
        reroll->cas.variants[reroll->pair_count] = cas->variants[pair->variant];
        reroll->program.launches[reroll->pair_count] = program->launches[pair->variant];
    }
    reroll->cas.variant_count = reroll->pair_count + 1;
}

// Whether element `index` is among those that make two results of a buffer diverge.
static bool element_diverges(const FpdCase *cas, const FpdDifference *d, uint64_t index) {
    const Tower *tower = tower_chain(cas->chain);
    FpdType type = cas->buffers[d->buffer].type;
    FpdShadowed a = fpd_shadowed(tower, type, d->reference, d->reference_records, index),
                b = fpd_shadowed(tower, type, d->other, d->other_records, index);
    return d->verdicts[fpd_element_verdict(cas, type, a, b)].diverges;
}

static void mark_diverging(Arena *arena, const FpdCase *cas, Reroll *reroll) {
    reroll->marks = arena_array(arena, uint8_t **, reroll->pair_count);
    for (uint32_t p = 0; p < reroll->pair_count; p++) {
        reroll->marks[p] = arena_array(arena, uint8_t *, cas->compare_count);
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            const FpdDifference *d = &reroll->pairs[p]->differences[c];
            reroll->marks[p][c] = arena_alloc(arena, d->elements / 8 + 1);
            for (uint64_t i = 0; i < d->elements; i++)
                reroll->marks[p][c][i / 8] |= (uint8_t)(element_diverges(cas, d, i) << i % 8);
        }
    }
}

// Takes the marks from elements that do not diverge in this chain; `different` counts the others.
static uint64_t keep_marks(const FpdCase *cas, const FpdDifference *d, uint8_t *marks) {
    uint64_t different = 0;
    for (uint64_t i = 0; i < d->elements; i++) {
        if (!(marks[i / 8] >> i % 8 & 1)) continue;
        if (element_diverges(cas, d, i))
            different++;
        else
            marks[i / 8] &= (uint8_t) ~(1u << i % 8);
    }
    return different;
}

static bool run_chain(Diagnostics *diagnostics, FpdMachine *machine, Reroll *reroll) {
    const FpdCase *cas = &reroll->cas;
    Arena arena = {0};
    FpdRuns runs = {0};
    FILE *output = machine->output; // what kernels print was shown the first time
    machine->output = NULL;
    bool good = fpd_run_case(diagnostics, &arena, machine, &reroll->program, 1u << FPD_MODE_fpsan, -1, false, &runs);
    machine->output = output;
    for (uint32_t p = 0; p < reroll->pair_count && good; p++) {
        const FpdRun *reference = &runs.runs[FPD_MODE_fpsan][0], *other = &runs.runs[FPD_MODE_fpsan][p + 1];
        reroll->pairs[p]->reroll_count++;
        reroll->pairs[p]->reroll_different = 0;
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            FpdDifference d = fpd_compare_tower(&arena, cas, c, &runs.tiles[c], reference, other);
            reroll->pairs[p]->reroll_different += keep_marks(cas, &d, reroll->marks[p][c]);
        }
    }
    arena_reset(&arena);
    return good;
}

bool fpd_reroll(Diagnostics *diagnostics, FpdMachine *machine, const FpdProgram *program, FpdOutcome *outcome) {
    Arena arena = {0};
    Reroll reroll = {0};
    bool good = true;
    if (!program->cas->tower) return true;
    choose_pairs(&arena, program, outcome, &reroll);
    mark_diverging(&arena, program->cas, &reroll);
    reroll.program.cas = &reroll.cas;
    for (unsigned chain = 0; chain < TOWER_CHAINS && reroll.pair_count && good; chain++) {
        if (chain == program->cas->chain) continue;
        reroll.cas.chain = chain;
        good = run_chain(diagnostics, machine, &reroll);
    }
    arena_reset(&arena);
    return good;
}
