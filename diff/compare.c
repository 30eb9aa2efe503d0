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

// How far apart two numbers are, to be ordered: incomparable ones, then by units in the last place, then by the
// difference, which integers have.
typedef struct Apart {
    bool incomparable;
    uint64_t ulps;
    double absolute;
} Apart;

static bool is_farther(Apart a, Apart b) {
    if (a.incomparable != b.incomparable) return a.incomparable;
    return a.ulps != b.ulps ? a.ulps > b.ulps : a.absolute > b.absolute;
}

FpdDistance fpd_largest_distance(uint32_t count, const FpdDifference *differences, uint32_t *compared) {
    FpdDistance all = {0};
    Apart most = {0};
    for (uint32_t c = 0; c < count; c++) {
        const FpdDistance *one = &differences[c].distance;
        const Apart apart = {one->incomparable, one->ulps, one->absolute};
        if (one->different && (!all.different || is_farther(apart, most))) {
            most = apart;
            all.farthest = one->farthest;
            if (compared) *compared = c;
        }
        all.known |= one->known;
        all.different += one->different;
        all.incomparable += one->incomparable;
        all.beyond += one->beyond;
        all.absolute = larger(all.absolute, one->absolute);
        all.relative = larger(all.relative, one->relative);
        if (one->ulps > all.ulps) all.ulps = one->ulps;
    }
    return all;
}

FpdDistance fpd_distance(ElementType type, uint64_t elements, FpdTolerance tolerance, const uint8_t *reference,
                         const uint8_t *other) {
    FpdDistance distance = {.known = true};
    Apart most = {0};
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t a = fpd_element_bits(type, reference, i), b = fpd_element_bits(type, other, i);
        if (a == b) continue;
        double x = fpd_element_value(type, a), y = fpd_element_value(type, b);
        if (numbers_equal(x, y) && element_is_float(type)) continue;
        distance.different++;
        if (tolerance.given) distance.beyond += !fpd_element_within(type, a, b, tolerance);
        Apart apart = {.incomparable = !isfinite(x) || !isfinite(y)};
        if (!apart.incomparable) {
            apart.absolute = fpd_element_apart(type, a, b);
            apart.ulps = element_is_float(type) ? fpd_element_ulps(type, a, b) : 0;
        }
        if (distance.different == 1 || is_farther(apart, most)) most = apart, distance.farthest = i;
        distance.incomparable += apart.incomparable;
        if (apart.incomparable) continue;
        distance.absolute = larger(distance.absolute, apart.absolute);
        if (x != 0) distance.relative = larger(distance.relative, apart.absolute / fabs(x));
        if (apart.ulps > distance.ulps) distance.ulps = apart.ulps;
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

// ---- patterns: a regular set of elements in words: all of them, one tile or the last one, every k-th index of a -----
// dimension, a solid region

static bool is_marked(const uint8_t *marks, uint64_t index) {
    return marks[index / 8] >> index % 8 & 1;
}

static const char *tile_word(Arena *arena, int64_t tile, int64_t tiles) {
    if (tile == tiles - 1) return arena_format(arena, "the last of %lld tiles", (long long)tiles);
    return arena_format(arena, "tile %lld of %lld", (long long)tile + 1, (long long)tiles);
}

// Differences that stay within one tile along some dimension.
static const char *tile_pattern(Arena *arena, const FpdBuffer *buffer, const ProgramUse *tile,
                                const FpdDifference *difference) {
    const int64_t *low = difference->low, *high = difference->high;
    const char *position = NULL, *along = NULL;
    bool all = true;
    for (uint32_t d = 0; d < buffer->rank; d++) {
        int64_t tiles = (buffer->shape[d] + tile->tile[d] - 1) / tile->tile[d], first = low[d] / tile->tile[d];
        position = position ? arena_format(arena, "%s, %lld", position, (long long)first)
                            : arena_format(arena, "%lld", (long long)first);
        if (tiles == 1) continue;
        if (high[d] / tile->tile[d] != first) {
            all = false;
            continue;
        }
        const char *word = arena_format(arena, "%s of dimension %u", tile_word(arena, first, tiles), d);
        along = along ? arena_format(arena, "%s, %s", along, word) : word;
    }
    if (!along) return NULL;
    return all ? arena_format(arena, "one block: tile (%s)", position) : arena_format(arena, "only in %s", along);
}

// The indices of dimension d at which something is marked: step k >= 2 from edge to edge?
static bool regular_steps(Arena *scratch, const FpdBuffer *buffer, const uint8_t *marks, uint32_t d, int64_t *step,
                          int64_t *start) {
    int64_t size = buffer->shape[d], previous = -1, count = 0;
    uint64_t inner = 1;
    uint8_t *seen = arena_alloc(scratch, (size_t)size);
    for (uint32_t e = d + 1; e < buffer->rank; e++) inner *= (uint64_t)buffer->shape[e];
    for (uint64_t i = 0; i < buffer->elements; i++)
        if (is_marked(marks, i)) seen[i / inner % (uint64_t)size] = 1;
    *step = 0;
    for (int64_t i = 0; i < size; i++) {
        if (!seen[i]) continue;
        if (count == 0) *start = i;
        if (count == 1) *step = i - previous;
        if (count > 1 && i - previous != *step) return false;
        previous = i;
        count++;
    }
    return count >= 3 && *step >= 2 && *start < *step && previous + *step >= size;
}

const char *fpd_pattern(Arena *arena, const FpdBuffer *buffer, const ProgramUse *tile, const uint8_t *marks,
                        const FpdDifference *difference) {
    const uint64_t count = difference->different;
    const char *words = NULL;
    uint64_t volume = 1;
    if (count == buffer->elements) return buffer->elements > 1 ? "every element" : NULL;
    if (count == 1) return NULL;
    if (tile && tile->tile_rank == buffer->rank) words = tile_pattern(arena, buffer, tile, difference);
    for (uint32_t d = 0; d < buffer->rank; d++) {
        Arena scratch = {0};
        int64_t step = 0, start = 0;
        if (buffer->shape[d] >= 3 && regular_steps(&scratch, buffer, marks, d, &step, &start)) {
            const char *word = arena_format(arena, "every %lld%s index of dimension %u from %lld", (long long)step,
                                            step == 2   ? "nd"
                                            : step == 3 ? "rd"
                                                        : "th",
                                            d, (long long)start);
            words = words ? arena_format(arena, "%s, %s", words, word) : word;
        }
        arena_reset(&scratch);
    }
    for (uint32_t d = 0; d < buffer->rank; d++) volume *= (uint64_t)(difference->high[d] - difference->low[d] + 1);
    if (!words && volume == count) return "all of that region";
    return words && volume == count ? arena_format(arena, "%s, all of that region", words) : words;
}

// ---- a buffer of two runs -------------------------------------------------------------------------------------------

static FpdDifference compare_elements(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                      const FpdRun *const runs[2], bool numbers) {
    Arena scratch = {0};
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    const uint8_t *left = runs[0]->bytes[compared], *right = runs[1]->bytes[compared];
    uint8_t *marks = arena_alloc(&scratch, buffer->elements / 8 + 1);
    FpdDifference difference = {
        .buffer = cas->compare[compared], .reference = left, .other = right, .elements = buffer->elements};
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t a = fpd_element_bits(buffer->type, left, i), b = fpd_element_bits(buffer->type, right, i);
        if (a == b || (numbers && fpd_element_within(buffer->type, a, b, cas->tolerance))) continue;
        fpd_mark_different(buffer, i, marks, &difference);
    }
    if (difference.different) difference.pattern = fpd_pattern(arena, buffer, tile, marks, &difference);
    if (numbers) difference.distance = fpd_distance(buffer->type, buffer->elements, cas->tolerance, left, right);
    arena_reset(&scratch);
    return difference;
}

FpdDifference fpd_compare_bits(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                               const FpdRun *left, const FpdRun *right) {
    return compare_elements(arena, cas, compared, tile, (const FpdRun *const[2]){left, right}, false);
}

FpdDifference fpd_compare_numbers(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                  const FpdRun *left, const FpdRun *right) {
    return compare_elements(arena, cas, compared, tile, (const FpdRun *const[2]){left, right}, true);
}

// ---- questions ------------------------------------------------------------------------------------------------------

static FpdCompare *const compare_rows[FPD_QUESTION_COUNT][FPD_PAYLOADS_COUNT] = {
#define QUESTION(name, needs_tolerance, none, in_place, beside) {none, in_place, beside},
#include "diff/questions.def"
#undef QUESTION
};

bool fpd_is_of_records(FpdCompare *compare) {
    return compare == fpd_compare_records || compare == fpd_compare_builds;
}

FpdCompare *fpd_compare_for(FpdQuestion question, const FpdRun *left, const FpdRun *right) {
    FpdCompare *compare = compare_rows[question][left->arithmetic->payloads];
    const bool alike = compare == compare_rows[question][right->arithmetic->payloads],
               one_tower = !fpd_is_of_records(compare) || left->tower == right->tower;
    return alike && one_tower ? compare : NULL;
}
