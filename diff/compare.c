// SPDX-License-Identifier: Apache-2.0
// Two results of a buffer: which elements differ, and how far apart they are as numbers.
#include "diff/compare.h"

#include <math.h>
#include <string.h>

// NaN equals NaN; infinities of one sign are equal; +0 equals -0.
static bool numbers_equal(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool within_tolerance(double reference, double other, FpdTolerance tolerance) {
    if (numbers_equal(reference, other)) return true;
    if (!isfinite(reference) || !isfinite(other)) return false;
    return fabs(reference - other) <= tolerance.atol + tolerance.rtol * fabs(reference);
}

bool fpd_element_within(ElementType type, uint64_t a, uint64_t b, FpdTolerance tolerance) {
    if (!element_is_float(type)) return a == b;
    double x = fpd_element_value(type, a), y = fpd_element_value(type, b);
    return tolerance.given ? within_tolerance(x, y, tolerance) : numbers_equal(x, y);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

FpdDistance fpd_distance(ElementType type, uint64_t elements, FpdTolerance tolerance, const uint8_t *reference,
                         const uint8_t *other) {
    FpdDistance distance = {.known = true};
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t a = fpd_element_bits(type, reference, i), b = fpd_element_bits(type, other, i);
        if (a == b) continue;
        double x = fpd_element_value(type, a), y = fpd_element_value(type, b);
        if (numbers_equal(x, y) && element_is_float(type)) continue;
        distance.different++;
        if (tolerance.given) distance.beyond += !fpd_element_within(type, a, b, tolerance);
        if (!isfinite(x) || !isfinite(y)) {
            distance.incomparable++;
            continue;
        }
        double apart = fabs(x - y);
        distance.absolute = larger(distance.absolute, apart);
        if (x != 0) distance.relative = larger(distance.relative, apart / fabs(x));
        uint64_t ulps = element_is_float(type) ? fpd_element_ulps(type, a, b) : 0;
        if (ulps > distance.ulps) distance.ulps = ulps;
    }
    return distance;
}

bool fpd_is_constant(const FpdBuffer *buffer, bool numbers, const uint8_t *bytes) {
    if (buffer->elements < 2) return false;
    uint64_t first = fpd_element_bits(buffer->type, bytes, 0);
    bool nan = numbers && isnan(fpd_element_value(buffer->type, first));
    for (uint64_t i = 1; i < buffer->elements; i++) {
        uint64_t bits = fpd_element_bits(buffer->type, bytes, i);
        if (bits != first && !(nan && isnan(fpd_element_value(buffer->type, bits)))) return false;
    }
    return true;
}

static void widen_box(const FpdBuffer *buffer, uint64_t index, FpdDifference *difference) {
    bool first = difference->different == 1;
    for (uint32_t d = buffer->rank; d-- > 0; index /= (uint64_t)buffer->shape[d]) {
        int64_t at = (int64_t)(index % (uint64_t)buffer->shape[d]);
        if (first || at < difference->low[d]) difference->low[d] = at;
        if (first || at > difference->high[d]) difference->high[d] = at;
    }
}

void fpd_mark_different(const FpdBuffer *buffer, uint64_t index, uint8_t *marks, FpdDifference *difference) {
    difference->different++;
    marks[index / 8] |= (uint8_t)(1u << index % 8);
    if (difference->first_count < FPD_FIRST_MAX) difference->first[difference->first_count++] = index;
    widen_box(buffer, index, difference);
}

FpdDifference fpd_compare_buffers(Arena *arena, const FpdBuffer *buffer, uint32_t index, bool payload,
                                  FpdTolerance tolerance, const ProgramUse *tile, const uint8_t *reference,
                                  const uint8_t *other) {
    Arena scratch = {0};
    uint8_t *marks = arena_alloc(&scratch, buffer->elements / 8 + 1);
    FpdDifference difference = {.buffer = index, .reference = reference, .other = other, .elements = buffer->elements};
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t a = fpd_element_bits(buffer->type, reference, i), b = fpd_element_bits(buffer->type, other, i);
        if (a == b || (!payload && fpd_element_within(buffer->type, a, b, tolerance))) continue;
        fpd_mark_different(buffer, i, marks, &difference);
    }
    if (difference.different)
        difference.pattern =
            fpd_pattern(arena, buffer, tile, marks, difference.different, difference.low, difference.high);
    if (!payload) difference.distance = fpd_distance(buffer->type, buffer->elements, tolerance, reference, other);
    arena_reset(&scratch);
    return difference;
}
