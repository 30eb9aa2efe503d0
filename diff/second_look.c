// SPDX-License-Identifier: Apache-2.0
// A second look: pairs that are equal although close calls fell otherwise in some elements (ties) are compared again
// with other random data. There the same elements have other numbers, and most calls are not close.
#include "diff/judge.h"

static uint64_t count_ties(const FpdCase *cas, const FpdComparison *comparison) {
    uint64_t count = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        count += comparison->differences[c].verdicts[FPD_ELEMENT_TIE].count;
    return count;
}

static bool rests_on_ties(const FpdCase *cas, const FpdComparison *comparison) {
    return comparison->question == FPD_QUESTION_formula && fpd_compares_records(comparison) &&
           comparison->verdict == FPD_VERDICT_EQUAL && count_ties(cas, comparison);
}

bool fpd_plan_look(Arena *arena, FpdOutcome *outcome) {
    const FpdCase *cas = outcome->cas;
    const bool differs = fpd_fresh_differs(cas, FPD_FRESH_SEED);
    bool found = false;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        if (!rests_on_ties(cas, comparison)) continue;
        FpdLook *look = comparison->look = arena_new(arena, FpdLook);
        look->ties = count_ties(cas, comparison);
        look->none = differs ? NULL : "no fill is random";
        look->told = arena_array(arena, uint8_t *, cas->compare_count + 1u);
        for (uint32_t c = 0; c < cas->compare_count; c++)
            look->told[c] = arena_alloc(arena, comparison->differences[c].elements / 8 + 1);
        found = true;
    }
    return found && differs;
}

// The same pair, in the same build and mode, in an outcome of the case with other data.
static const FpdComparison *find_same(const FpdComparison *comparison, const FpdOutcome *other) {
    for (uint32_t i = 0; i < other->comparison_count; i++) {
        const FpdComparison *found = &other->comparisons[i];
        if (found->question == comparison->question && found->left->variant == comparison->left->variant &&
            found->right->variant == comparison->right->variant && found->left->mode == comparison->left->mode &&
            found->right->mode == comparison->right->mode && found->right->build == comparison->right->build)
            return found;
    }
    return NULL;
}

// Marks the ties of a buffer that are equal with the other data, and no infinities, NaN or zeros: of these it may be a
// mask that is equal.
static void mark_told(const FpdCase *cas, const FpdComparison *comparison, const FpdComparison *other, uint32_t c) {
    const FpdDifference *d = &comparison->differences[c], *fresh = &other->differences[c];
    FpdLook *look = comparison->look;
    for (uint64_t i = 0; i < d->elements; i++) {
        uint8_t *told = &look->told[c][i / 8], bit = (uint8_t)(1u << i % 8);
        if (d->verdict_of[i] != FPD_ELEMENT_TIE || *told & bit || fresh->verdict_of[i] != FPD_ELEMENT_EQUAL) continue;
        const FpdShadowed element = fpd_element_of(cas, other->left, c, i);
        if (element.payload.state & TOWER_KIND || tower_is_zero(element.tower, element.payload)) continue;
        *told |= bit;
        look->apart++;
    }
}

// Whether an element tells the two formulas apart whatever close calls did: none was on the way of either payload.
static bool is_clear(const FpdCase *cas, const FpdComparison *comparison, uint32_t c, uint64_t index) {
    const FpdElementVerdict verdict = (FpdElementVerdict)comparison->differences[c].verdict_of[index];
    const uint32_t state = fpd_element_of(cas, comparison->left, c, index).payload.state |
                           fpd_element_of(cas, comparison->right, c, index).payload.state;
    if (verdict == FPD_ELEMENT_UNSPECIFIED) return true;
    return (verdict == FPD_ELEMENT_DIFFER || verdict == FPD_ELEMENT_ONE_NAN) && !(state & (TOWER_NEAR | TOWER_ROUNDED));
}

static bool diverges_clearly(const FpdCase *cas, const FpdComparison *comparison) {
    if (comparison->question != FPD_QUESTION_formula || comparison->verdict != FPD_VERDICT_DIVERGED) return false;
    if (comparison->unspecified) return true;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; i < comparison->differences[c].elements; i++)
            if (is_clear(cas, comparison, c, i)) return true;
    return false;
}

bool fpd_look_diverges(const FpdOutcome *other) {
    for (uint32_t i = 0; i < other->comparison_count; i++)
        if (diverges_clearly(other->cas, &other->comparisons[i])) return true;
    return false;
}

void fpd_add_look(FpdOutcome *outcome, const FpdOutcome *other) {
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        FpdLook *look = comparison->look;
        const FpdComparison *same = look ? find_same(comparison, other) : NULL;
        if (same && same->verdict == FPD_VERDICT_DIVERGED && !look->unclear++) look->unclear_seed = other->cas->seed;
        if (!same || same->verdict != FPD_VERDICT_EQUAL) continue;
        look->runs++;
        for (uint32_t c = 0; c < outcome->cas->compare_count; c++) mark_told(outcome->cas, comparison, same, c);
    }
}

const char *fpd_look_reason(const FpdLook *look) {
    return look->none ? look->none : "the runs failed, or their close calls fell otherwise, too";
}

uint32_t fpd_look_builds(const FpdOutcome *outcome) {
    uint32_t builds = 0;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->look && builds <= comparison->left->build) builds = comparison->left->build + 1;
    }
    return builds;
}

void fpd_look_at_pairs(FpdOutcome *outcome) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < outcome->comparison_count; i++)
        if (outcome->comparisons[i].question != FPD_QUESTION_builds)
            outcome->comparisons[count++] = outcome->comparisons[i];
    outcome->comparison_count = count;
}

void fpd_look_at_formulas(FpdCase *cas, uint32_t builds) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (fpd_arithmetic(cas->family, cas->modes[m])->question == FPD_QUESTION_formula)
            cas->modes[count++] = cas->modes[m];
    cas->mode_count = count;
    if (cas->build_count) cas->run_build_count = builds;
}
