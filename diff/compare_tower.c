// SPDX-License-Identifier: Apache-2.0
// Two results of a buffer under the profile tower: payloads decide, and what IEEE values and states say beside them
// (verdicts.def).
#include "diff/fpd.h"

#include <math.h>

// `near` means that a jump was decided by at most 8 units in the last place of the narrowest type on the way; two
// variants may lie on the two sides of it.
enum { TIE_UNITS = 16 };

static const FpdElementVerdictInfo verdict_infos[FPD_ELEMENT_COUNT] = {
#define VERDICT(name, text, divergence, meaning, advice) {text, FPD_DIVERGES_##divergence, meaning, advice},
#include "diff/verdicts.def"
#undef VERDICT
};

const FpdElementVerdictInfo *fpd_element_verdict_info(FpdElementVerdict verdict) {
    return &verdict_infos[verdict];
}

FpdShadowed fpd_shadowed(const Tower *tower, FpdType type, const uint8_t *bytes, const HostRecord *records,
                         uint64_t index) {
    FpdShadowed element = {.bits = fpd_element_bits(type, bytes, index)};
    const HostRecord *record = records ? &records[index] : NULL;
    const bool is_poison = record && record->state & HOST_RECORD_VALID && record->state & HOST_RECORD_POISON;
    if (!fpd_type_is_float(type) && !is_poison) return element;
    if (!record || !(record->state & HOST_RECORD_VALID) ||
        ((uint64_t)record->high << 32 | record->low) != element.bits) {
        element.payload = tower_embed(tower, fpd_type_info(type)->format, element.bits);
        return element;
    }
    element.record = record;
    element.payload.state = record->state & ~HOST_RECORD_VALID;
    for (int i = 0; i < TOWER_LENGTH; i++) element.payload.component[i] = record->component[i];
    return element;
}

const CompiledStore *fpd_stored_by(const FpdRun *run, FpdShadowed element) {
    return element.record && element.record->store < run->store_count ? &run->stores[element.record->store] : NULL;
}

FpdOrigin fpd_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, FpdShadowed element) {
    FpdOrigin none = {0}, origin = {.what = "who made it is not known"};
    if (!tower_is_poison(element.payload)) return none;
    uint32_t number = tower_origin(tower_chain(cas->chain), element.payload);
    if (number >= FPD_ORIGIN_BUFFER && number - FPD_ORIGIN_BUFFER < cas->buffer_count)
        origin.what = arena_format(arena, "%s has no fill, and nothing wrote it before",
                                   cas->buffers[number - FPD_ORIGIN_BUFFER].name);
    else if (number && number <= run->store_count && run->stores[number - 1].unspecified)
        origin = (FpdOrigin){run->stores[number - 1].unspecified, &run->stores[number - 1]};
    return origin;
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
static int narrowest_digits(FpdType type, uint32_t state) {
    int digits = (int)fpsan_format_info(fpd_type_info(type)->format)->mantissa_bits + 1;
    for (size_t i = 0; i < TOWER_PASSED_TYPES; i++) {
        int passed = (int)tower_passed_types[i].significant;
        if (state & tower_passed_types[i].bit && passed < digits) digits = passed;
    }
    return digits;
}

// Whether the numbers agree: within the case's tolerance, or within TIE_UNITS of the larger one.
static bool numbers_agree(const FpdCase *cas, FpdType type, FpdShadowed a, FpdShadowed b) {
    if (cas->has_tolerance) return fpd_element_within(type, a.bits, b.bits, true, cas->rtol, cas->atol);
    double x = fpd_element_value(type, a.bits), y = fpd_element_value(type, b.bits);
    if (!isfinite(x) || !isfinite(y)) return x == y;
    int digits = narrowest_digits(type, a.payload.state | b.payload.state);
    return fabs(x - y) <= ldexp(TIE_UNITS, 1 - digits) * fmax(fabs(x), fabs(y));
}

FpdElementVerdict fpd_element_verdict(const FpdCase *cas, FpdType type, FpdShadowed a, FpdShadowed b) {
    if (tower_is_poison(a.payload) || tower_is_poison(b.payload)) return FPD_ELEMENT_UNSPECIFIED;
    if (!fpd_type_is_float(type)) return a.bits == b.bits ? FPD_ELEMENT_EQUAL : FPD_ELEMENT_DIFFER;
    bool a_nan = isnan(fpd_element_value(type, a.bits)), b_nan = isnan(fpd_element_value(type, b.bits));
    if (a_nan != b_nan) return FPD_ELEMENT_ONE_NAN;
    TowerVerdict verdict = tower_compare(a.payload, b.payload, NULL);
    if (verdict == TOWER_EQUAL) return FPD_ELEMENT_EQUAL;
    if (a_nan) return FPD_ELEMENT_BOTH_NAN;
    if (verdict == TOWER_UNKNOWN) return FPD_ELEMENT_UNKNOWN;
    uint32_t state = a.payload.state | b.payload.state;
    if (state & TOWER_NEAR && numbers_agree(cas, type, a, b)) return FPD_ELEMENT_TIE;
    if (verdict == TOWER_ROOTS) return FPD_ELEMENT_ROOTS; // after a jump that fell otherwise no field would agree
    // Roots of what is no square in any field: then the numbers tell it from a wrong sign.
    if (tower_equal_up_to_signs(tower_chain(cas->chain), a.payload, b.payload) && numbers_agree(cas, type, a, b))
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

// A payload that says nothing compares as unknown with itself.
static bool nothing_known(FpdType type, FpdShadowed a) {
    return fpd_type_is_float(type) && !isnan(fpd_element_value(type, a.bits)) && !tower_is_poison(a.payload) &&
           tower_compare(a.payload, a.payload, NULL) == TOWER_UNKNOWN;
}

FpdDifference fpd_compare_tower(Arena *arena, const FpdCase *cas, uint32_t compared, const FpdUse *tile,
                                const FpdRun *reference, const FpdRun *other) {
    Arena scratch = {0};
    const Tower *tower = tower_chain(cas->chain);
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    uint8_t *marks = arena_alloc(&scratch, buffer->elements / 8 + 1),
            *verdicts = arena_alloc(&scratch, buffer->elements + 1);
    FpdDifference d = {.buffer = cas->compare[compared], .elements = buffer->elements};
    d.reference = reference->bytes[compared], d.other = other->bytes[compared];
    d.reference_records = reference->records ? reference->records[compared] : NULL;
    d.other_records = other->records ? other->records[compared] : NULL;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        FpdShadowed a = fpd_shadowed(tower, buffer->type, d.reference, d.reference_records, i),
                    b = fpd_shadowed(tower, buffer->type, d.other, d.other_records, i);
        verdicts[i] = (uint8_t)fpd_element_verdict(cas, buffer->type, a, b);
        count_element(&d.verdicts[verdicts[i]], i);
        d.nothing_known[0] += nothing_known(buffer->type, a);
        d.nothing_known[1] += nothing_known(buffer->type, b);
    }
    for (int v = 0; v < FPD_ELEMENT_COUNT; v++)
        d.verdicts[v].diverges = count_diverges(cas, (FpdElementVerdict)v, d.verdicts[v].count, d.elements);
    for (uint64_t i = 0; i < buffer->elements; i++)
        if (d.verdicts[verdicts[i]].diverges) fpd_mark_different(buffer, i, marks, &d);
    if (d.different) d.pattern = fpd_pattern(arena, buffer, tile, marks, d.different, d.low, d.high);
    d.distance =
        fpd_distance(buffer->type, buffer->elements, cas->has_tolerance, cas->rtol, cas->atol, d.reference, d.other);
    arena_reset(&scratch);
    return d;
}
