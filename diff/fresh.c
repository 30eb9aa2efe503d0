// SPDX-License-Identifier: Apache-2.0
// Other data for a case: what is equal by accident of its data is not equal with these (fresh.def).
#include "diff/case.h"

#include <math.h>
#include <string.h>

static const FpdFreshInfo fresh_rows[FPD_FRESH_COUNT] = {
#define FRESH(name, key, data, shown) {key, data, shown},
#include "diff/fresh.def"
#undef FRESH
};

const FpdFreshInfo *fpd_fresh_info(FpdFresh level) {
    return &fresh_rows[level];
}

// ---- which buffers change at a level --------------------------------------------------------------------------------

static bool is_float(const FpdBuffer *buffer) {
    return element_is_float(buffer->type) && buffer->fill.given && buffer->elements;
}

// Floats that are the same with every seed, and may be others. What a literal stands for is not known of other numbers.
static bool is_fixed(const FpdBuffer *buffer) {
    const FpdFill *fill = &buffer->fill;
    if (!is_float(buffer) || buffer->literal) return false;
    switch (fill->kind) {
    case FPD_FILL_constant: {
        const double value = fpsan_decode(element_format(buffer->type), fill->constant);
        return isfinite(value) && value != 0;
    }
    case FPD_FILL_uniform: return fill->low == fill->high && fill->low != 0;
    case FPD_FILL_normal: return fill->high == 0 && fill->low != 0;
    case FPD_FILL_iota: return buffer->elements > 1; // the first one is 0
    case FPD_FILL_file: return true;
    default: return false;
    }
}

// Random floats of a known range.
static bool is_ranged(const FpdBuffer *buffer) {
    const FpdFill *fill = &buffer->fill;
    if (!is_float(buffer)) return false;
    return (fill->kind == FPD_FILL_uniform && fill->low < fill->high) ||
           (fill->kind == FPD_FILL_integers && fill->first < fill->last) ||
           (fill->kind == FPD_FILL_normal && fill->high > 0) || fill->kind == FPD_FILL_adversarial ||
           fill->kind == FPD_FILL_correlated || fill->kind == FPD_FILL_log_uniform;
}

// Of the others. Magnitudes over a wide range are what they are for, and larger ones may be none.
static bool may_be_larger(const FpdBuffer *buffer) {
    return is_fixed(buffer) || (is_ranged(buffer) && buffer->fill.kind != FPD_FILL_log_uniform);
}

static bool is_of_one_sign(const FpdBuffer *buffer) {
    const FpdFill *fill = &buffer->fill;
    if (element_format(buffer->type) == FPSAN_F8E8M0FNU) return false; // it has no other
    if (is_fixed(buffer)) return true;
    if (!is_ranged(buffer)) return false;
    switch (fill->kind) {
    case FPD_FILL_uniform: return fill->low >= 0 || fill->high <= 0;
    case FPD_FILL_integers: return fill->first >= 0 || fill->last <= 0;
    case FPD_FILL_normal: return fabs(fill->low) > fill->high;
    case FPD_FILL_log_uniform: return fill->positive;
    default: return fill->kind == FPD_FILL_adversarial;
    }
}

static bool buffer_differs(const FpdBuffer *buffer, FpdFresh level) {
    switch (level) {
    case FPD_FRESH_SEED:
        return buffer->fill.given && buffer->elements &&
               (is_ranged(buffer) || buffer->fill.kind == FPD_FILL_bits ||
                (buffer->fill.kind == FPD_FILL_integers && buffer->fill.first < buffer->fill.last));
    case FPD_FRESH_VARIED: return is_fixed(buffer);
    case FPD_FRESH_LARGER: return may_be_larger(buffer);
    case FPD_FRESH_SIGNS: return is_of_one_sign(buffer);
    default: return false;
    }
}

bool fpd_fresh_differs(const FpdCase *cas, FpdFresh level) {
    bool differs = false;
    for (uint32_t b = 0; b < cas->buffer_count; b++) differs |= buffer_differs(&cas->buffers[b], level);
    return differs;
}

// ---- other numbers --------------------------------------------------------------------------------------------------

static double enlarge(double size) {
    return size > 0 && size < 1 ? 8 / size : 8;
}

// A factor from 1/2 to 2 and a sign, which depend on `what` alone.
typedef struct Change {
    double factor;
    bool negative;
} Change;
static Change change_of(uint64_t seed, uint64_t what, uint32_t stream) {
    const uint32_t counter[4] = {(uint32_t)what, (uint32_t)(what >> 32), stream, 0x66726573},
                   key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t random[4];
    fpd_philox(counter, key, random);
    return (Change){0.5 + 1.5 * (random[0] * 0x1p-32), random[1] & 1};
}

// The number times the factor, or as it is where the format has no such number.
static uint64_t times(FpsanFormat format, uint64_t bits, double factor) {
    const double value = fpsan_decode(format, bits);
    if (!isfinite(value) || value == 0) return bits;
    const uint64_t changed = fpsan_encode_nearest(format, value * factor);
    const double is = fpsan_decode(format, changed);
    return isfinite(is) && is != 0 && signbit(is) == signbit(value * factor) ? changed : bits;
}

static double largest_of(const FpdBuffer *buffer, const uint8_t *bytes) {
    double largest = 0;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        const double value = fabs(fpsan_decode(element_format(buffer->type), fpd_element_bits(buffer->type, bytes, i)));
        if (isfinite(value)) largest = fmax(largest, value);
    }
    return largest;
}

// Elements of a file change alike where they are alike, so that one that is another's transpose stays it. All elements
// of a constant would then be alike again: there it is their places that decide.
static void change_elements(const FpdBuffer *buffer, uint32_t number, FpdFresh level, uint64_t seed, uint8_t *bytes) {
    const FpsanFormat format = element_format(buffer->type);
    const bool fixed = is_fixed(buffer), by_value = buffer->fill.kind == FPD_FILL_file,
               signs = level >= FPD_FRESH_SIGNS && is_of_one_sign(buffer);
    const double factor = fixed && level >= FPD_FRESH_LARGER ? enlarge(largest_of(buffer, bytes)) : 1;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        const uint64_t bits = fpd_element_bits(buffer->type, bytes, i);
        const Change change = change_of(seed, by_value ? bits : i, by_value ? UINT32_MAX : number);
        const bool negative = signs && (change.negative || (!by_value && i == 0)); // one is, for certain
        fpd_element_set(buffer->type, bytes, i,
                        times(format, bits, (negative ? -1 : 1) * (fixed ? factor * change.factor : 1)));
    }
}

// Floats that are integers stay integers, and as they are where the format has no such numbers.
static void change_integers(const FpdBuffer *buffer, FpdFresh level, FpdFill *fill) {
    const int64_t most = INT64_C(1) << 50, factor = 8;
    const FpsanFormat format = element_format(buffer->type);
    if (level < FPD_FRESH_LARGER || fill->first < -most || fill->last > most) return;
    const int64_t first = fill->first * factor, last = fill->last * factor, size = -first > last ? -first : last;
    if (fpsan_decode(format, fpsan_encode_nearest(format, (double)size)) != (double)size) return;
    const bool signs = level >= FPD_FRESH_SIGNS && is_of_one_sign(buffer);
    fill->first = signs ? -size : first;
    fill->last = signs ? size : last;
}

static void change_range(const FpdBuffer *buffer, FpdFresh level, FpdFill *fill) {
    if (fill->kind == FPD_FILL_integers) {
        change_integers(buffer, level, fill);
        return;
    }
    if (fill->kind == FPD_FILL_log_uniform) {
        fill->positive &= level < FPD_FRESH_SIGNS || !is_of_one_sign(buffer);
        return;
    }
    if (fill->kind == FPD_FILL_adversarial || fill->kind == FPD_FILL_correlated) {
        fill->high *= level >= FPD_FRESH_LARGER ? enlarge(fill->high) : 1;
        return;
    }
    const double size = fmax(fabs(fill->low), fabs(fill->high)), factor = level >= FPD_FRESH_LARGER ? enlarge(size) : 1;
    const bool signs = level >= FPD_FRESH_SIGNS && is_of_one_sign(buffer);
    fill->low = signs ? (fill->kind == FPD_FILL_normal ? 0 : -size * factor) : fill->low * factor;
    fill->high = signs ? size * factor : fill->high * factor;
}

bool fpd_make_fresh(Diagnostics *diagnostics, Arena *arena, FpdFresh level, FpdCase *cas) {
    const FpdBuffer *from = cas->buffers;
    FpdBuffer *buffers = arena_array(arena, FpdBuffer, cas->buffer_count + 1u);
    if (cas->buffer_count) memcpy(buffers, from, cas->buffer_count * sizeof *buffers);
    cas->buffers = buffers;
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        FpdFill *fill = &buffers[b].fill;
        const bool flips = level >= FPD_FRESH_SIGNS && fill->kind == FPD_FILL_adversarial && is_ranged(&from[b]);
        fill->contents = NULL;
        if (is_ranged(&from[b])) change_range(&from[b], level, fill);
        if (!(level >= FPD_FRESH_VARIED && is_fixed(&from[b])) && !flips) continue;
        uint8_t *bytes = arena_alloc(arena, buffers[b].bytes + 1);
        if (!fpd_fill_buffer(diagnostics, &buffers[b], cas->seed, 1, bytes)) return false;
        change_elements(&from[b], b, level, cas->seed, bytes);
        fill->contents = bytes;
    }
    return true;
}
