// SPDX-License-Identifier: Apache-2.0
// `--reroll`: divergences of profile tower again in the spare chains, where every number is another one.
#include "diff/judge.h"

// The pairs that diverge, and the variants that they are of.
typedef struct Reroll {
    const FpdProgram *program;
    FpdCase cas; // in the chain that runs
    uint32_t pair_count;
    FpdPair **pairs;
    bool *variants;
    uint8_t ***marks; // per pair and compared buffer: a bit for each element that diverged in every chain so far
} Reroll;

static void choose_pairs(Arena *arena, FpdOutcome *outcome, Reroll *reroll) {
    reroll->variants = arena_array(arena, bool, reroll->cas.variant_count);
    reroll->pairs = arena_array(arena, FpdPair *, outcome->pair_count + 1u);
    for (uint32_t p = 0; p < outcome->pair_count; p++) {
        FpdPair *pair = &outcome->pairs[p];
        if (!fpd_mode_is_payload(pair->mode) || pair->verdict != FPD_VERDICT_DIVERGED) continue;
        reroll->pairs[reroll->pair_count++] = pair;
        reroll->variants[0] = reroll->variants[pair->variant] = true;
    }
}

static void mark_diverging(Arena *arena, const FpdCase *cas, Reroll *reroll) {
    reroll->marks = arena_array(arena, uint8_t **, reroll->pair_count);
    for (uint32_t p = 0; p < reroll->pair_count; p++) {
        reroll->marks[p] = arena_array(arena, uint8_t *, cas->compare_count);
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            const FpdDifference *d = &reroll->pairs[p]->differences[c];
            reroll->marks[p][c] = arena_alloc(arena, d->elements / 8 + 1);
            for (uint64_t i = 0; i < d->elements; i++)
                reroll->marks[p][c][i / 8] |= (uint8_t)(fpd_element_diverges(d, i) << i % 8);
        }
    }
}

// Takes the marks from elements that do not diverge in this chain; `different` counts the others.
static uint64_t keep_marks(const FpdDifference *d, uint8_t *marks) {
    uint64_t different = 0;
    for (uint64_t i = 0; i < d->elements; i++) {
        if (!(marks[i / 8] >> i % 8 & 1)) continue;
        if (fpd_element_diverges(d, i))
            different++;
        else
            marks[i / 8] &= (uint8_t) ~(1u << i % 8);
    }
    return different;
}

static bool run_chain(Diagnostics *diagnostics, FpdMachine *machine, Reroll *reroll) {
    const FpdCase *cas = &reroll->cas;
    Arena arena = {0};
    FpdRun *runs = arena_array(&arena, FpdRun, cas->variant_count);
    FpdSettings settings = fpd_plain_settings(machine, cas);
    bool good =
        fpd_run_again(diagnostics, &arena, machine, reroll->program, FPD_MODE_fpsan, &settings, reroll->variants, runs);
    for (uint32_t p = 0; p < reroll->pair_count && good; p++) {
        FpdPair *pair = reroll->pairs[p];
        pair->reroll_count++;
        pair->reroll_different = 0;
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            ProgramUse tile = {0};
            FpdSide sides[2] = {{.run = &runs[0]}, {.run = &runs[pair->variant]}};
            FpdDifference d = fpd_compare_tower(&arena, cas, c, &tile, &sides[0], &sides[1]);
            pair->reroll_different += keep_marks(&d, reroll->marks[p][c]);
        }
    }
    arena_reset(&arena);
    return good;
}

bool fpd_reroll(Diagnostics *diagnostics, FpdMachine *machine, const FpdProgram *program, FpdOutcome *outcome) {
    Arena arena = {0};
    Reroll reroll = {.program = program, .cas = *program->cas};
    bool good = true;
    if (!program->cas->tower) return true;
    choose_pairs(&arena, outcome, &reroll);
    mark_diverging(&arena, program->cas, &reroll);
    for (unsigned chain = 0; chain < TOWER_CHAINS && reroll.pair_count && good; chain++) {
        if (chain == program->cas->chain) continue;
        reroll.cas.chain = chain;
        good = run_chain(diagnostics, machine, &reroll);
    }
    arena_reset(&arena);
    return good;
}
