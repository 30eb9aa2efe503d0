// SPDX-License-Identifier: Apache-2.0
// Two results of a buffer under the profile tower: payloads decide, and what IEEE values and states say beside them
// (verdicts.def).
#include "diff/compare.h"

#include <math.h>

// `near` means that a jump was decided by at most 8 units in the last place of the narrowest type on the way; two
// variants may lie on the two sides of it. In small formats, and of what was rounded to integers, 16 units say nothing.
enum { TIE_UNITS = 16 };
#define TIE_SHARE_MAX 0x1p-5

static const FpdElementVerdictInfo verdict_infos[FPD_ELEMENT_COUNT] = {
#define VERDICT(name, text, divergence, meaning, advice) {text, FPD_DIVERGES_##divergence, meaning, advice},
#include "diff/verdicts.def"
#undef VERDICT
};

const FpdElementVerdictInfo *fpd_element_verdict_info(FpdElementVerdict verdict) {
    return &verdict_infos[verdict];
}

FpdShadowed fpd_shadowed(const Tower *tower, ElementType type, const uint8_t *bytes, const HostRecord *records,
                         uint64_t index) {
    FpdShadowed element = {.bits = fpd_element_bits(type, bytes, index)};
    const HostRecord *record = records ? &records[index] : NULL;
    const bool is_poison = record && record->state & HOST_RECORD_VALID && record->state & HOST_RECORD_POISON;
    if (!element_is_float(type) && !is_poison) return element;
    if (!record || !(record->state & HOST_RECORD_VALID) ||
        ((uint64_t)record->high << 32 | record->low) != element.bits) {
        element.payload = tower_embed(tower, element_format(type), element.bits);
        return element;
    }
    element.record = record;
    element.payload.state = record->state & ~HOST_RECORD_VALID;
    for (int i = 0; i < TOWER_LENGTH; i++) element.payload.component[i] = record->component[i];
    return element;
}

const FpdStore *fpd_stored_by(const FpdRun *run, FpdShadowed element) {
    return element.record && element.record->store < run->store_count ? &run->stores[element.record->store] : NULL;
}

// ---- one pair of elements

static unsigned field_bits(uint32_t state, unsigned shift) {
    return state >> shift & 0xf;
}

unsigned fpd_fields(TowerPayload a, TowerPayload b, unsigned *agree) {
    unsigned known = ~field_bits(a.state | b.state, TOWER_MISSING_SHIFT) & 0xf, same = 0;
    unsigned strong = known & ~field_bits(a.state ^ b.state, TOWER_WEAK_SHIFT);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) same |= (unsigned)(a.component[i] == b.component[i]) << i;
    if (!strong) strong = known & same; // weak on one side only: can only speak for equality
    *agree = (unsigned)__builtin_popcount(strong & same);
    return (unsigned)__builtin_popcount(strong);
}

// Bits of the significand of the narrowest type that either value passed through.
static int narrowest_digits(ElementType type, uint32_t state) {
    int digits = (int)fpsan_format_info(element_format(type))->mantissa_bits + 1;
    for (size_t i = 0; i < TOWER_PASSED_TYPES; i++) {
        int passed = (int)tower_passed_types[i].significant;
        if (state & tower_passed_types[i].bit && passed < digits) digits = passed;
    }
    return digits;
}

// Whether the numbers agree: within the case's tolerance, and within TIE_UNITS of the larger one and half as much of
// the largest in their row, where a sum may have cancelled.
static bool numbers_agree(const FpdCase *cas, ElementType type, FpdShadowed a, FpdShadowed b, double largest) {
    if (cas->tolerance.given && !fpd_element_within(type, a.bits, b.bits, cas->tolerance)) return false;
    double x = fpd_element_value(type, a.bits), y = fpd_element_value(type, b.bits);
    if (!isfinite(x) || !isfinite(y)) return x == y;
    uint32_t state = a.payload.state | b.payload.state;
    double share = ldexp(TIE_UNITS, 1 - narrowest_digits(type, state));
    if (share > TIE_SHARE_MAX || state & TOWER_ROUNDED) share = TIE_SHARE_MAX;
    return fabs(x - y) <= share * (fmax(fabs(x), fabs(y)) + largest / 2);
}

FpdElementVerdict fpd_element_verdict(const FpdCase *cas, ElementType type, FpdShadowed a, FpdShadowed b,
                                      double largest, bool explained) {
    if (tower_is_poison(a.payload) || tower_is_poison(b.payload)) return FPD_ELEMENT_UNSPECIFIED;
    if (!element_is_float(type)) return a.bits == b.bits ? FPD_ELEMENT_EQUAL : FPD_ELEMENT_DIFFER;
    bool a_nan = isnan(fpd_element_value(type, a.bits)), b_nan = isnan(fpd_element_value(type, b.bits));
    if (a_nan != b_nan) return FPD_ELEMENT_ONE_NAN;
    TowerVerdict verdict = tower_compare(a.payload, b.payload, NULL);
    if (verdict == TOWER_EQUAL) return FPD_ELEMENT_EQUAL;
    if (a_nan) return FPD_ELEMENT_BOTH_NAN;
    if (verdict == TOWER_UNKNOWN) return FPD_ELEMENT_UNKNOWN;
    uint32_t state = a.payload.state | b.payload.state;
    if (state & TOWER_NEAR && explained && numbers_agree(cas, type, a, b, largest)) return FPD_ELEMENT_TIE;
    if (verdict == TOWER_ROOTS) return FPD_ELEMENT_ROOTS; // after a jump that fell otherwise no field would agree
    // Roots of what is no square in any field: then the numbers tell it from a wrong sign.
    if (tower_equal_up_to_signs(tower_chain(cas->chain), a.payload, b.payload) &&
        numbers_agree(cas, type, a, b, largest))
        return FPD_ELEMENT_ROOTS;
    return state & TOWER_ROUNDED ? FPD_ELEMENT_ROUNDED : FPD_ELEMENT_DIFFER;
}

// ---- a buffer

static void count_element(FpdElementCount *count, uint64_t index) {
    count->count++;
    if (count->first_count < FPD_FIRST_MAX) count->first[count->first_count++] = index;
}

static bool count_diverges(const FpdCase *cas, FpdElementVerdict verdict, uint64_t count, uint64_t elements) {
    switch (verdict_infos[verdict].divergence) {
    case FPD_DIVERGES_NEVER: return false;
    case FPD_DIVERGES_ALWAYS: return count;
    case FPD_DIVERGES_ROOTS: return count && !cas->allow_roots;
    case FPD_DIVERGES_TIES: return count > elements / 100;
    }
    return true;
}

bool fpd_element_diverges(const FpdDifference *d, uint64_t index) {
    return d->verdicts[d->verdict_of[index]].diverges;
}

// A payload that says nothing compares as unknown with itself.
static bool nothing_known(ElementType type, FpdShadowed a) {
    return element_is_float(type) && !isnan(fpd_element_value(type, a.bits)) && !tower_is_poison(a.payload) &&
           tower_compare(a.payload, a.payload, NULL) == TOWER_UNKNOWN;
}

// The largest finite magnitude in each row of the innermost dimension, in both results: the smaller one.
static double *largest_in_rows(Arena *arena, const FpdBuffer *buffer, const uint8_t *a, const uint8_t *b,
                               uint64_t *columns) {
    *columns = buffer->rank ? (uint64_t)buffer->shape[buffer->rank - 1] : 1;
    uint64_t rows = *columns ? buffer->elements / *columns : 0;
    double *largest = arena_array(arena, double, rows + 1);
    for (uint64_t r = 0; r < rows; r++) {
        double most[2] = {0, 0};
        for (uint64_t i = r * *columns; i < (r + 1) * *columns; i++)
            for (int side = 0; side < 2; side++) {
                double x = fabs(fpd_element_value(buffer->type, fpd_element_bits(buffer->type, side ? b : a, i)));
                if (isfinite(x) && x > most[side]) most[side] = x;
            }
        largest[r] = fmin(most[0], most[1]);
    }
    return largest;
}

FpdSide fpd_side(const FpdRuns *runs, uint32_t variant) {
    static const FpdSecond seconds[FPD_FLIPS] = {FPD_SECOND_flips, FPD_SECOND_other_flips, FPD_SECOND_settled};
    FpdSide side = {.run = &runs->runs[FPD_MODE_fpsan][variant],
                    .signed_roots = fpd_second_run(runs, FPD_SECOND_signs, variant)};
    for (int k = 0; k < FPD_FLIPS; k++) side.flipped[k] = fpd_second_run(runs, seconds[k], variant);
    return side;
}

// The payload of an element of a variant in its second run k of FPD_FLIPS, or else in the plain one.
static TowerPayload chosen_in(const Tower *tower, ElementType type, const FpdSide *side, uint32_t compared,
                              FpdShadowed element, uint64_t index, int k) {
    const FpdRun *run = side->flipped[k];
    return run ? fpd_shadowed(tower, type, run->bytes[compared], run->records[compared], index).payload
               : element.payload;
}

// Whether close calls that fall otherwise change the payload of one of the two, and payloads that decide all of them
// make the two equal. That flipping some of them makes one variant's payload the other's is not enough: of small
// numbers nearly all calls are close, and a row that is rounded down has in each element what another choice would have
// given.
static bool explained(const Tower *tower, ElementType type, const FpdSide *reference, const FpdSide *other,
                      uint32_t compared, FpdShadowed a, FpdShadowed b, uint64_t index) {
    const FpdSide *sides[2] = {reference, other};
    const FpdShadowed elements[2] = {a, b};
    TowerPayload settled[2];
    bool changes = false;
    if (!((a.payload.state | b.payload.state) & TOWER_NEAR)) return false;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < FPD_SETTLED; k++) {
            TowerPayload flipped = chosen_in(tower, type, sides[s], compared, elements[s], index, k);
            changes |= tower_compare(elements[s].payload, flipped, NULL) != TOWER_EQUAL;
        }
        settled[s] = chosen_in(tower, type, sides[s], compared, elements[s], index, FPD_SETTLED);
    }
    return changes && tower_compare(settled[0], settled[1], NULL) == TOWER_EQUAL;
}

// What the other convention for roots may change: the payloads differ, and the numbers do not say that they should.
static bool may_be_signs(const FpdCase *cas, ElementType type, FpdElementVerdict verdict, FpdShadowed a, FpdShadowed b,
                         double largest) {
    return (verdict == FPD_ELEMENT_ROOTS || verdict == FPD_ELEMENT_DIFFER || verdict == FPD_ELEMENT_TIE) &&
           element_is_float(type) && numbers_agree(cas, type, a, b, largest);
}

// Both variants with signed roots, with the numbers of the plain runs.
static bool same_with_signs(const FpdCase *cas, ElementType type, const FpdSide *reference, const FpdSide *other,
                            uint32_t compared, FpdShadowed a, FpdShadowed b, uint64_t index) {
    const FpdRun *first = reference->signed_roots, *second = other->signed_roots;
    if (!first || !second) return false;
    const Tower *tower = tower_chain(cas->chain + TOWER_CHAINS);
    FpdShadowed x = fpd_shadowed(tower, type, first->bytes[compared], first->records[compared], index),
                y = fpd_shadowed(tower, type, second->bytes[compared], second->records[compared], index);
    return x.bits == a.bits && y.bits == b.bits && tower_compare(x.payload, y.payload, NULL) == TOWER_EQUAL;
}

bool fpd_may_be_signs(const FpdCase *cas, const FpdRun *reference, const FpdRun *other) {
    const Tower *tower = tower_chain(cas->chain);
    bool found = false, possible = true;
    for (uint32_t c = 0; c < cas->compare_count && possible; c++) {
        Arena scratch = {0};
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        const uint8_t *bytes[2] = {reference->bytes[c], other->bytes[c]};
        uint64_t columns;
        if (!element_is_float(buffer->type)) continue;
        double *largest = largest_in_rows(&scratch, buffer, bytes[0], bytes[1], &columns);
        for (uint64_t i = 0; i < buffer->elements && possible; i++) {
            FpdShadowed a = fpd_shadowed(tower, buffer->type, bytes[0], reference->records[c], i),
                        b = fpd_shadowed(tower, buffer->type, bytes[1], other->records[c], i);
            FpdElementVerdict verdict = fpd_element_verdict(cas, buffer->type, a, b, largest[i / columns], true);
            if (verdict_infos[verdict].divergence == FPD_DIVERGES_NEVER || verdict == FPD_ELEMENT_TIE) continue;
            possible = may_be_signs(cas, buffer->type, verdict, a, b, largest[i / columns]);
            found |= possible && !(verdict == FPD_ELEMENT_ROOTS && cas->allow_roots);
        }
        arena_reset(&scratch);
    }
    return found && possible;
}

bool fpd_may_tie(const FpdCase *cas, uint32_t compared, const FpdRun *reference, const FpdRun *other) {
    Arena scratch = {0};
    const Tower *tower = tower_chain(cas->chain);
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    const uint8_t *bytes[2] = {reference->bytes[compared], other->bytes[compared]};
    uint64_t columns;
    bool found = false;
    if (!element_is_float(buffer->type)) return false;
    double *largest = largest_in_rows(&scratch, buffer, bytes[0], bytes[1], &columns);
    for (uint64_t i = 0; i < buffer->elements && !found; i++) {
        FpdShadowed a = fpd_shadowed(tower, buffer->type, bytes[0], reference->records[compared], i),
                    b = fpd_shadowed(tower, buffer->type, bytes[1], other->records[compared], i);
        found = fpd_element_verdict(cas, buffer->type, a, b, largest[i / columns], true) == FPD_ELEMENT_TIE;
    }
    arena_reset(&scratch);
    return found;
}

FpdDifference fpd_compare_tower(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                const FpdSide *reference, const FpdSide *other) {
    Arena scratch = {0};
    const Tower *tower = tower_chain(cas->chain);
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    uint8_t *marks = arena_alloc(&scratch, buffer->elements / 8 + 1),
            *verdicts = arena_alloc(arena, buffer->elements + 1);
    uint64_t columns;
    FpdDifference d = {.buffer = cas->compare[compared], .elements = buffer->elements};
    d.reference = reference->run->bytes[compared], d.other = other->run->bytes[compared];
    d.reference_records = reference->run->records ? reference->run->records[compared] : NULL;
    d.other_records = other->run->records ? other->run->records[compared] : NULL;
    d.verdict_of = verdicts;
    double *largest = largest_in_rows(&scratch, buffer, d.reference, d.other, &columns);
    for (uint64_t i = 0; i < buffer->elements; i++) {
        FpdShadowed a = fpd_shadowed(tower, buffer->type, d.reference, d.reference_records, i),
                    b = fpd_shadowed(tower, buffer->type, d.other, d.other_records, i);
        bool by_choice = explained(tower, buffer->type, reference, other, compared, a, b, i);
        FpdElementVerdict verdict = fpd_element_verdict(cas, buffer->type, a, b, largest[i / columns], by_choice);
        if (may_be_signs(cas, buffer->type, verdict, a, b, largest[i / columns]) &&
            same_with_signs(cas, buffer->type, reference, other, compared, a, b, i))
            verdict = FPD_ELEMENT_EQUAL;
        verdicts[i] = (uint8_t)verdict;
        count_element(&d.verdicts[verdicts[i]], i);
        d.nothing_known[0] += nothing_known(buffer->type, a);
        d.nothing_known[1] += nothing_known(buffer->type, b);
    }
    for (int v = 0; v < FPD_ELEMENT_COUNT; v++)
        d.verdicts[v].diverges = count_diverges(cas, (FpdElementVerdict)v, d.verdicts[v].count, d.elements);
    for (uint64_t i = 0; i < buffer->elements; i++)
        if (d.verdicts[verdicts[i]].diverges) fpd_mark_different(buffer, i, marks, &d);
    if (d.different) d.pattern = fpd_pattern(arena, buffer, tile, marks, d.different, d.low, d.high);
    d.distance = fpd_distance(buffer->type, buffer->elements, cas->tolerance, d.reference, d.other);
    arena_reset(&scratch);
    return d;
}
