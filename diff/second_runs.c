// SPDX-License-Identifier: Apache-2.0
// Runs in which something is otherwise than in the plain ones: where these leave a question (second_runs.def), and
// `--reroll`, divergences again in the spare chains, where every number is another one.
#include "diff/judge.h"

// ---- second runs ----------------------------------------------------------------------------------------------------

typedef struct SecondSearch {
    const FpdRunner *runner;
    const FpdCase *cas;
    const FpdRuns *runs;
    const FpdOutcome *planned;
} SecondSearch;

// Sets the entries of the runs whose second run would answer the question. They are all false before.
typedef void SecondRunAsks(const SecondSearch *s, bool *wanted);

// Both runs of each comparison of records that asks.
static void ask_comparisons(const SecondSearch *s, bool *wanted,
                            bool (*asks)(const FpdCase *cas, const FpdRun *left, const FpdRun *right)) {
    for (uint32_t i = 0; i < s->planned->comparison_count; i++) {
        const FpdComparison *comparison = &s->planned->comparisons[i];
        if (comparison->question == FPD_QUESTION_builds) continue; // decisions.c does
        if (!fpd_compares_records(comparison) || !asks(s->cas, comparison->left, comparison->right)) continue;
        wanted[comparison->left - s->runs->runs] = wanted[comparison->right - s->runs->runs] = true;
    }
}

// Elements that may be ties: whether a close call explains them is seen where it falls otherwise, in either variant.
static void ask_for_ties(const SecondSearch *s, bool *wanted) {
    ask_comparisons(s, wanted, fpd_may_tie);
}

// Roots of squares and squares of roots: the signed towers know them.
static void ask_for_signs(const SecondSearch *s, bool *wanted) {
    ask_comparisons(s, wanted, fpd_may_be_signs);
}

// Elements of which no field is left that both know: a longer chain has more.
static void ask_for_depth(const SecondSearch *s, bool *wanted) {
    ask_comparisons(s, wanted, fpd_may_be_deep);
}

// Elements that are the same in the signed towers, where rounding hides whether the numbers are; elements of which no
// field tells. Kernels of threads have no numbers without rounding.
static void ask_for_numbers(const SecondSearch *s, bool *wanted) {
    ask_comparisons(s, wanted, fpd_needs_numbers);
    for (uint32_t r = 0; r < s->runs->run_count; r++)
        wanted[r] = wanted[r] && !fpd_has_threads(s->runner->programs, s->runs->runs[r].variant);
}

// Runs in which integers passed on what is unspecified.
static void ask_for_origins(const SecondSearch *s, bool *wanted) {
    for (uint32_t r = 0; r < s->runs->run_count; r++)
        wanted[r] = s->runs->runs[r].tower && fpd_needs_origins(s->cas, &s->runs->runs[r]);
}

// Payloads of kernels of threads, if the machine is to run both schedules.
static void ask_for_schedules(const SecondSearch *s, bool *wanted) {
    for (uint32_t r = 0; r < s->runs->run_count && s->runner->machine->schedule == FPD_SCHEDULE_BOTH; r++) {
        const FpdRun *run = &s->runs->runs[r];
        wanted[r] = run->arithmetic->payloads != FPD_PAYLOADS_NONE && !run->numbers_of &&
                    fpd_has_threads(s->runner->programs, run->variant);
    }
}

typedef struct SecondRow {
    bool is_wide;
    FpdSettings settings;
    SecondRunAsks *asks;
} SecondRow;

enum { SECOND_PLAIN, SECOND_WIDE };

static const SecondRow second_rows[FPD_SECOND_COUNT] = {
#define SECOND(name, mode, settings, asks, question) {SECOND_##mode, {settings}, asks},
#include "diff/second_runs.def"
#undef SECOND
};

// The plain run, in mode wide.
static FpdRun in_wide(const FpdCase *cas, const FpdRun *plain) {
    return (FpdRun){.variant = plain->variant,
                    .build = plain->build,
                    .mode = FPD_MODE_wide,
                    .arithmetic = fpd_arithmetic(cas->family, FPD_MODE_wide)};
}

// Numbers without rounding are of some use only: what mode wide refuses stays as it is (`*made` is false), but memory
// that is missing is an error, as it is of others.
static bool run_wide(const FpdRunner *runner, uint32_t count, FpdRun **again, bool *made) {
    if (!fpd_check_memory(runner->diagnostics, runner->machine, runner->programs, true, count, again)) return false;
    Diagnostics refused = {0};
    const FpdRunner quiet = {&refused, runner->arena, runner->machine, runner->programs};
    *made = fpd_run_again(&quiet, count, again);
    diagnostics_close(&refused);
    return true;
}

static bool run_second(const FpdRunner *runner, FpdSecond second, const bool *wanted, FpdRuns *runs) {
    const FpdCase *cas = runner->programs->cas;
    const bool is_wide = second_rows[second].is_wide;
    const FpdSettings plain = fpd_plain_settings(runner->machine, cas);
    FpdSettings settings = second_rows[second].settings;
    FpdRun **again = arena_array(runner->arena, FpdRun *, runs->run_count);
    uint32_t count = 0;
    settings.chain = plain.chain;
    settings.unspecified = plain.unspecified;
    settings.reverse |= plain.reverse;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const FpdRun wide = in_wide(cas, &runs->runs[r]);
        if (wanted[r]) again[count++] = fpd_plan_again(runner->arena, is_wide ? &wide : &runs->runs[r], &settings);
    }
    bool made = true;
    if (is_wide && count && !run_wide(runner, count, again, &made)) return false;
    if (!is_wide && count && !fpd_run_again(runner, count, again)) return false;
    for (uint32_t r = 0; r < runs->run_count && made; r++)
        if (wanted[r]) runs->runs[r].again[second] = *again++;
    return true;
}

// What builds decide otherwise than the first one.
static void find_turns(const FpdRunner *runner, const FpdRuns *runs, const FpdOutcome *planned) {
    for (uint32_t i = 0; i < planned->comparison_count; i++) {
        const FpdComparison *comparison = &planned->comparisons[i];
        if (comparison->question == FPD_QUESTION_builds && fpd_compares_records(comparison))
            fpd_find_turns(runner, comparison->left, &runs->runs[comparison->right - runs->runs]);
    }
}

bool fpd_run_second(const FpdRunner *runner, FpdRuns *runs, const FpdOutcome *planned) {
    const SecondSearch search = {runner, runner->programs->cas, runs, planned};
    bool *wanted = NULL;
    for (int s = 0; s < FPD_SECOND_COUNT; s++) {
        const bool asked = s && second_rows[s].asks == second_rows[s - 1].asks; // which looks at all elements
        if (!asked) {
            wanted = arena_array(runner->arena, bool, runs->run_count + 1u);
            second_rows[s].asks(&search, wanted);
        }
        if (!run_second(runner, (FpdSecond)s, wanted, runs)) return false;
    }
    find_turns(runner, runs, planned);
    return true;
}

// ---- rerolls --------------------------------------------------------------------------------------------------------

// A comparison that diverges, and its runs in another chain.
typedef struct Reroll {
    FpdComparison *comparison;
    const FpdRun *left, *right;
    uint8_t **marks; // per compared buffer: a bit for each element that diverged in every chain so far
} Reroll;

static uint32_t choose_comparisons(Arena *arena, const FpdOutcome *outcome, Reroll **rerolls) {
    uint32_t count = 0;
    *rerolls = arena_array(arena, Reroll, outcome->comparison_count + 1u);
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        if (fpd_compares_records(comparison) && comparison->verdict == FPD_VERDICT_DIVERGED)
            (*rerolls)[count++].comparison = comparison;
    }
    return count;
}

static void mark_diverging(Arena *arena, const FpdCase *cas, Reroll *reroll) {
    reroll->marks = arena_array(arena, uint8_t *, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdDifference *d = &reroll->comparison->differences[c];
        reroll->marks[c] = arena_alloc(arena, d->elements / 8 + 1);
        for (uint64_t i = 0; i < d->elements; i++)
            reroll->marks[c][i / 8] |= (uint8_t)(fpd_element_diverges(d, i) << i % 8);
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

static void compare_again(Arena *arena, const FpdCase *cas, Reroll *reroll) {
    const ProgramUse tile = {0};
    reroll->comparison->reroll_count++;
    reroll->comparison->reroll_different = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdDifference d = fpd_compare_records(arena, cas, c, &tile, reroll->left, reroll->right);
        reroll->comparison->reroll_different += keep_marks(&d, reroll->marks[c]);
    }
}

// The run of the list that is of the same variant in the same mode, planned if there is none.
static const FpdRun *again_of(Arena *arena, const FpdRun *plain, const FpdSettings *settings, FpdRun **runs,
                              uint32_t *count) {
    for (uint32_t r = 0; r < *count; r++)
        if (runs[r]->variant == plain->variant && runs[r]->mode == plain->mode && runs[r]->build == plain->build)
            return runs[r];
    return runs[(*count)++] = fpd_plan_again(arena, plain, settings);
}

// Whether the comparison was decided in the deep tower that goes with this chain too: then the chain has no other
// fields for it.
static bool is_same_deep(const Reroll *reroll, unsigned chain) {
    const FpdRun *deep = reroll->comparison->left->again[FPD_SECOND_deep];
    return deep && fpd_deep_chain(deep->settings.chain) == fpd_deep_chain(chain);
}

// The runs once more in the deep tower of the chain, where a comparison asked for the deep tower of another one.
static bool run_deep(const FpdRunner *again, const FpdSettings *plain, uint32_t count, const Reroll *rerolls,
                     uint32_t run_count, FpdRun **runs) {
    FpdSettings settings = *plain;
    bool asked = false;
    settings.deep = true;
    for (uint32_t i = 0; i < count; i++)
        asked |= rerolls[i].comparison->left->again[FPD_SECOND_deep] && !is_same_deep(&rerolls[i], plain->chain);
    if (!asked) return true;
    FpdRun **deep = arena_array(again->arena, FpdRun *, run_count);
    for (uint32_t r = 0; r < run_count; r++) deep[r] = fpd_plan_again(again->arena, runs[r], &settings);
    if (!fpd_run_again(again, run_count, deep)) return false;
    for (uint32_t r = 0; r < run_count; r++) runs[r]->again[FPD_SECOND_deep] = deep[r];
    return true;
}

static bool run_chain(const FpdRunner *runner, unsigned chain, uint32_t count, Reroll *rerolls) {
    const FpdCase *cas = runner->programs->cas;
    Arena arena = {0};
    const FpdRunner again = {runner->diagnostics, &arena, runner->machine, runner->programs};
    const uint64_t results = runner->programs->results;
    FpdRun **runs = arena_array(&arena, FpdRun *, 2 * count);
    FpdSettings settings = fpd_plain_settings(runner->machine, cas);
    uint32_t run_count = 0;
    settings.chain = chain;
    for (uint32_t i = 0; i < count; i++) {
        rerolls[i].left = again_of(&arena, rerolls[i].comparison->left, &settings, runs, &run_count);
        rerolls[i].right = again_of(&arena, rerolls[i].comparison->right, &settings, runs, &run_count);
    }
    bool good = fpd_run_again(&again, run_count, runs);
    good = good && run_deep(&again, &settings, count, rerolls, run_count, runs);
    for (uint32_t i = 0; i < count && good; i++)
        if (!is_same_deep(&rerolls[i], chain)) compare_again(&arena, cas, &rerolls[i]);
    arena_reset(&arena);
    runner->programs->results = results;
    return good;
}

bool fpd_reroll(const FpdRunner *runner, FpdOutcome *outcome) {
    Arena arena = {0};
    Reroll *rerolls;
    const uint32_t count = choose_comparisons(&arena, outcome, &rerolls);
    bool good = true;
    for (uint32_t i = 0; i < count; i++) mark_diverging(&arena, outcome->cas, &rerolls[i]);
    for (unsigned chain = 0; chain < TOWER_CHAINS && count && good; chain++)
        if (chain != outcome->cas->chain) good = run_chain(runner, chain, count, rerolls);
    arena_reset(&arena);
    return good;
}
