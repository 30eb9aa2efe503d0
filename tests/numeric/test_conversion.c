// SPDX-License-Identifier: Apache-2.0
// Conversions of `ieee` against fpsan_convert and its integer companions (themselves checked in tests/sanitizer): every
// pair of formats, every rounding; sources of 8 and 16 bits exhaustively.
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Conversion {
    FpsanFormat from, to;
    FpsanRounding rounding;
    unsigned lanes;
    unsigned integer_bits; // of an integer source or destination
    bool is_signed, saturating;
    char name[48];
} Conversion;

static const FpsanRounding roundings[] = {FPSAN_NEAREST_EVEN, FPSAN_TOWARD_ZERO, FPSAN_TOWARD_NEGATIVE,
                                          FPSAN_TOWARD_POSITIVE, FPSAN_NEAREST_AWAY};
static const unsigned lane_counts[] = {16, 0, 8, 32, 3, 1, 16};
static const unsigned integer_widths[] = {1, 8, 16, 32, 64};
enum { ROUNDINGS = 5, SAMPLES = 6000, CONVERSIONS_MAX = 1024 };

static LLVMValueRef emit_convert(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const Conversion *c = data;
    const FloatOp op = {.operand = c->from, .result = c->to, .rounding = c->rounding, .saturating = c->saturating};
    NumericValue value = cx->numeric->from_bits(cx, c->from, inputs[0]), result;
    if (!cx->numeric->convert(cx, &op, &value, &result)) return NULL;
    return cx->numeric->to_bits(cx, c->to, &result);
}

static LLVMValueRef emit_from_integer(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const Conversion *c = data;
    const FloatOp op = {.result = c->to, .is_signed = c->is_signed};
    NumericValue integer = {.parts = {inputs[0]}}, result;
    if (!cx->numeric->from_integer(cx, &op, &integer, &result)) return NULL;
    return cx->numeric->to_bits(cx, c->to, &result);
}

static LLVMValueRef emit_to_integer(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const Conversion *c = data;
    const FloatOp op = {.operand = c->from, .rounding = FPSAN_TOWARD_ZERO, .is_signed = c->is_signed};
    NumericValue value = cx->numeric->from_bits(cx, c->from, inputs[0]), result;
    LLVMTypeRef type = LLVMIntTypeInContext(cx->context, c->integer_bits);
    if (!cx->numeric->to_integer(cx, &op, type, &value, &result)) return NULL;
    return result.parts[0];
}

static unsigned lane_bits(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

// All bits of a format, or a sample of them; returns how many, a multiple of `lanes`.
static size_t fill_inputs(void *array, FpsanFormat format, unsigned lanes) {
    unsigned bits = fpsan_format_info(format)->bits, block = lanes ? lanes : 1;
    size_t count = bits <= 16 ? (size_t)1 << bits : SAMPLES;
    uint64_t state = 7;
    count = (count + block - 1) / block * block;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = bits <= 16 ? i & ((1u << bits) - 1) : sample_bits(format, i, &state);
        // Near halfway cases of narrower formats: a few set bits far below, or a single one.
        if (bits > 16 && i % 3 == 0)
            value &= ~UINT64_C(0) << (random_bits(&state) % (fpsan_format_info(format)->mantissa_bits));
        if (bits > 16 && i % 9 == 0) value += (random_bits(&state) % 3 - 1);
        if (format == FPSAN_TF32) value &= 0xffffe000;
        store_element(array, lane_bits(format), i, value);
    }
    return count;
}

// What a conversion gives: fpsan_convert's result; but if it saturates, what is beyond the format's range ends at its
// largest number, and so does a NaN in f4 and f6.
static uint64_t converted(FpsanFormat from, FpsanFormat to, uint64_t bits, FpsanRounding rounding, bool saturating) {
    const FpsanFormatInfo *info = fpsan_format_info(to);
    double value = fpsan_decode(from, bits), largest = fpsan_decode(to, fpsan_encode(to, DBL_MAX, FPSAN_TOWARD_ZERO));
    if (from == to && !(saturating && isinf(value))) return bits;
    if (!saturating || fabs(value) <= largest) return fpsan_convert(from, to, bits, rounding);
    if (isnan(value) && info->specials != FPSAN_FINITE) return fpsan_convert(from, to, bits, rounding);
    return fpsan_encode_nearest(to, isnan(value) ? largest : copysign(largest, value));
}

// Every `stride`-th of the conversions, by code for this machine or (features) for an older one.
static void check_conversions(unsigned stride, const char *features) {
    static Conversion all[CONVERSIONS_MAX];
    static uint64_t input[70000], output[70000];
    const void *inputs[] = {input};
    Harness h;
    size_t count = 0, wrong = 0, number = 0;
    harness_open(&h, &numeric_ieee, native_machine());
    if (features) harness_restrict(&h, features);
    for (unsigned from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (unsigned to = 0; to < FPSAN_FORMAT_COUNT; to++)
            for (unsigned r = 0; r < ROUNDINGS; r++) {
                Conversion *c = &all[count];
                unsigned bits = lane_bits(from);
                if (number++ % stride) continue;
                *c = (Conversion){.from = from,
                                  .to = to,
                                  .rounding = roundings[r],
                                  .lanes = lane_counts[count % 7],
                                  .saturating = (to + from + r) % 2};
                snprintf(c->name, sizeof c->name, "%u_%u_%u", from, to, r);
                cr_assert(harness_add(&h, c->name, c->lanes, 1, &bits, lane_bits(to), emit_convert, c));
                count++;
            }
    cr_assert_eq(number, FPSAN_FORMAT_COUNT * FPSAN_FORMAT_COUNT * ROUNDINGS);
    harness_finish(&h);
    for (size_t k = 0; k < count && wrong < 20; k++) {
        const Conversion *c = &all[k];
        size_t elements = fill_inputs(input, c->from, c->lanes);
        harness_function(&h, c->name)(inputs, output, elements / (c->lanes ? c->lanes : 1));
        for (size_t i = 0; i < elements && wrong < 20; i++) {
            uint64_t x = load_element(input, lane_bits(c->from), i), got = load_element(output, lane_bits(c->to), i);
            uint64_t want = converted(c->from, c->to, x, c->rounding, c->saturating);
            if (same_float(c->to, got, want)) continue;
            wrong++;
            cr_log_error("%s to %s, rounding %d, saturating %d: %#lx gives %#lx, not %#lx",
                         fpsan_format_info(c->from)->name, fpsan_format_info(c->to)->name, c->rounding, c->saturating,
                         x, got, want);
        }
    }
    cr_assert_eq(wrong, 0);
    harness_close(&h);
}

Test(conversion, between_formats) {
    check_conversions(13, NULL);
}
// A third of them: tests/accuracy has all that Tile IR has.
Test(conversion, between_all_formats_in_every_rounding) {
    check_conversions(3, NULL);
}

Test(conversion, oldest_processor) {
    check_conversions(41, "");
}
Test(conversion, more_on_the_oldest_processor) {
    check_conversions(13, "");
}

static uint64_t sample_integer(size_t index, uint64_t *state) {
    uint64_t random = random_bits(state), power = UINT64_C(1) << (index % 64);
    switch (index / 64 % 6) {
    case 0: return power;
    case 1: return power - 1;
    case 2: return -power;
    case 3: return ~power;
    case 4: return random >> (index % 64);
    default: return (random & ~UINT64_C(0) << (index % 64)) + (random_bits(state) % 3) - 1;
    }
}

Test(conversion, from_integers) {
    static Conversion all[CONVERSIONS_MAX];
    static uint64_t input[SAMPLES + 64], output[SAMPLES + 64];
    const void *inputs[] = {input};
    Harness h;
    size_t count = 0;
    uint64_t state = 3;
    harness_open(&h, &numeric_ieee, native_machine());
    for (unsigned to = 0; to < FPSAN_FORMAT_COUNT; to++)
        for (unsigned k = 0; k < 10; k++) {
            Conversion *c = &all[count];
            *c = (Conversion){
                .to = to, .lanes = lane_counts[count % 7], .integer_bits = integer_widths[k / 2], .is_signed = k % 2};
            snprintf(c->name, sizeof c->name, "from%zu", count++);
            cr_assert(harness_add(&h, c->name, c->lanes, 1, &c->integer_bits, lane_bits(to), emit_from_integer, c));
        }
    harness_finish(&h);
    for (size_t k = 0; k < count; k++) {
        const Conversion *c = &all[k];
        size_t elements = SAMPLES / 96 * 96;
        for (size_t i = 0; i < elements; i++) store_element(input, c->integer_bits, i, sample_integer(i, &state));
        harness_function(&h, c->name)(inputs, output, elements / (c->lanes ? c->lanes : 1));
        for (size_t i = 0; i < elements; i++) {
            uint64_t x = load_element(input, c->integer_bits, i), got = load_element(output, lane_bits(c->to), i);
            uint64_t want = fpsan_integer_to_bits(c->to, x, c->integer_bits, c->is_signed);
            if (fpsan_format_info(c->to)->bits <= 8 && c->to != FPSAN_F8E8M0FNU) // a double is exact enough there
                want = converted(FPSAN_F64, c->to, fpsan_integer_to_bits(FPSAN_F64, x, c->integer_bits, c->is_signed),
                                 FPSAN_NEAREST_EVEN, true);
            cr_assert(same_float(c->to, got, want), "i%u (signed %d) to %s: %#lx gives %#lx, not %#lx", c->integer_bits,
                      c->is_signed, fpsan_format_info(c->to)->name, x, got, want);
        }
    }
    harness_close(&h);
}

Test(conversion, to_integers_saturates) {
    static Conversion all[CONVERSIONS_MAX];
    static uint64_t input[70000], output[70000];
    const void *inputs[] = {input};
    Harness h;
    size_t count = 0;
    harness_open(&h, &numeric_ieee, native_machine());
    for (unsigned from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (unsigned k = 0; k < 10; k++) {
            Conversion *c = &all[count];
            unsigned bits = lane_bits(from);
            *c = (Conversion){.from = from,
                              .lanes = lane_counts[count % 7],
                              .integer_bits = integer_widths[k / 2],
                              .is_signed = k % 2};
            snprintf(c->name, sizeof c->name, "to%zu", count++);
            cr_assert(harness_add(&h, c->name, c->lanes, 1, &bits, c->integer_bits, emit_to_integer, c));
        }
    harness_finish(&h);
    for (size_t k = 0; k < count; k++) {
        const Conversion *c = &all[k];
        size_t elements = fill_inputs(input, c->from, c->lanes);
        harness_function(&h, c->name)(inputs, output, elements / (c->lanes ? c->lanes : 1));
        for (size_t i = 0; i < elements; i++) {
            uint64_t x = load_element(input, lane_bits(c->from), i), got = load_element(output, c->integer_bits, i);
            uint64_t want = fpsan_bits_to_integer(c->from, x, c->integer_bits, c->is_signed);
            cr_assert_eq(got, want, "%s to i%u (signed %d): %#lx gives %#lx, not %#lx",
                         fpsan_format_info(c->from)->name, c->integer_bits, c->is_signed, x, got, want);
        }
    }
    harness_close(&h);
}

Test(conversion, constants_and_planes_keep_the_bits) {
    Harness h;
    uint64_t state = 1;
    harness_open(&h, &numeric_ieee, native_machine());
    for (unsigned format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (size_t i = 0; i < 100; i++) {
            uint64_t bits = sample_bits(format, i, &state);
            NumericValue value = numeric_ieee.constant(&h.cx, format, bits);
            LLVMValueRef back = numeric_ieee.to_bits(&h.cx, format, &value), plane;
            numeric_ieee.to_planes(&h.cx, format, &value, &plane);
            cr_assert(LLVMTypeOf(value.parts[0]) == numeric_ieee.part_type(&h.cx, format, 0));
            cr_assert(LLVMIsConstant(back) && LLVMConstIntGetZExtValue(back) == bits &&
                      LLVMConstIntGetZExtValue(plane) == bits);
        }
    LLVMDisposeModule(h.cx.module);
    harness_close(&h);
}
