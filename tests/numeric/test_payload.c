// SPDX-License-Identifier: Apache-2.0
// `payload` through the interface against scalar libfpsan.
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct PayloadCase {
    FpsanRule rule;
    FpsanFormat format, to;
    unsigned lanes;
    char name[32];
} PayloadCase;

enum { COUNT = 96 * 40, CASES_MAX = 512 };

static const unsigned some_lanes[] = {16, 0, 8, 32, 3, 1, 16};
static uint64_t arrays[3][COUNT], results[COUNT];

static unsigned width(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

// All functions here take real bits in and give real bits out.
static LLVMValueRef bits_of(NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    LLVMValueRef planes[NUMERIC_PLANES_MAX];
    cx->numeric->to_planes(cx, format, value, planes);
    return planes[0];
}

static NumericValue value_of(NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    return cx->numeric->from_planes(cx, format, &bits);
}

static LLVMValueRef emit_rule(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const PayloadCase *c = data;
    NumericValue operands[3], result;
    const FloatOp op = harness_rule((FloatOp){0}, c->rule, c->format);
    unsigned count = fpsan_rule_info(c->rule)->operands;
    for (unsigned i = 0; i < count; i++) {
        if (c->rule == FPSAN_RULE_POWI && i == 1)
            operands[i].parts[0] = inputs[i];
        else
            operands[i] = value_of(cx, c->format, inputs[i]);
    }
    if (!cx->numeric->apply(cx, &op, operands, count, &result)) return NULL;
    return bits_of(cx, c->format, &result);
}

static LLVMValueRef emit_cast(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const PayloadCase *c = data;
    NumericValue value = value_of(cx, c->format, inputs[0]), result;
    const FloatOp op = {.operand = c->format, .result = c->to};
    if (!cx->numeric->convert(cx, &op, &value, &result)) return NULL;
    return bits_of(cx, c->to, &result);
}

static void add_case(Harness *h, PayloadCase *c, size_t number, bool is_cast) {
    unsigned bits[] = {width(c->format), c->rule == FPSAN_RULE_POWI ? 32 : width(c->format), width(c->format)};
    c->lanes = some_lanes[number % 7];
    snprintf(c->name, sizeof c->name, "case%zu", number);
    cr_assert(harness_add(h, c->name, c->lanes, is_cast ? 1 : fpsan_rule_info(c->rule)->operands, bits,
                          width(is_cast ? c->to : c->format), is_cast ? emit_cast : emit_rule, c),
              "%s %s", fpsan_format_info(c->format)->name, fpsan_rule_info(c->rule)->name);
}

static void run_case(Harness *h, const PayloadCase *c, uint64_t *state) {
    const void *inputs[] = {arrays[0], arrays[1], arrays[2]};
    for (size_t i = 0; i < COUNT; i++) {
        for (unsigned k = 0; k < 3; k++) {
            bool integer = c->rule == FPSAN_RULE_POWI && k == 1;
            uint64_t bits = sample_bits(c->format, k ? 99 : i, state);
            store_element(arrays[k], integer ? 32 : width(c->format), i, integer ? random_bits(state) : bits);
        }
    }
    harness_function(h, c->name)(inputs, results, COUNT / (c->lanes ? c->lanes : 1));
}

static uint64_t reference_rule(const PayloadCase *c, size_t i) {
    const FpsanProfile *profile = fpsan_default_algebra().profile;
    uint64_t operands[3];
    for (unsigned k = 0; k < fpsan_rule_info(c->rule)->operands; k++) {
        bool integer = c->rule == FPSAN_RULE_POWI && k == 1;
        operands[k] = integer ? (uint64_t)(int32_t)load_element(arrays[k], 32, i)
                              : fpsan_embed(profile, c->format, load_element(arrays[k], width(c->format), i));
    }
    return fpsan_unembed(profile, c->format, fpsan_apply(profile, c->rule, c->format, operands));
}

// Every `stride`-th rule of a format.
static void check_rules(unsigned stride) {
    static PayloadCase all[CASES_MAX];
    Harness h;
    size_t count = 0;
    uint64_t state = 41;
    harness_open(&h, &numeric_payload, native_machine());
    for (unsigned format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (unsigned rule = 0; rule < FPSAN_RULE_COUNT && fpsan_format_has_rules(format); rule++) {
            if (rule == FPSAN_RULE_EXTERN || format == FPSAN_TF32 || (format + rule) % stride) continue;
            all[count] = (PayloadCase){.rule = rule, .format = format};
            add_case(&h, &all[count], count, false);
            count++;
        }
    cr_assert(count > 150 / stride);
    harness_finish(&h);
    for (size_t k = 0; k < count; k++) {
        run_case(&h, &all[k], &state);
        for (size_t i = 0; i < COUNT; i++)
            cr_assert_eq(load_element(results, width(all[k].format), i), reference_rule(&all[k], i), "%s %s",
                         fpsan_format_info(all[k].format)->name, fpsan_rule_info(all[k].rule)->name);
    }
    harness_close(&h);
}

Test(payload, rules_agree_with_libfpsan) {
    check_rules(3);
}
Test(payload, all_rules_agree_with_libfpsan) {
    check_rules(1);
}

// Every `stride`-th pair of formats.
static void check_casts(FpsanCasts casts, unsigned stride) {
    static PayloadCase all[CASES_MAX];
    Harness h;
    FpsanAlgebra algebra = fpsan_default_algebra();
    size_t count = 0;
    uint64_t state = 43;
    algebra.casts = casts;
    harness_open(&h, &numeric_payload, native_machine());
    h.cx.instrumentation.algebra = algebra;
    for (unsigned from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (unsigned to = 0; to < FPSAN_FORMAT_COUNT; to++) {
            if (from == to || (from + to) % stride) continue;
            all[count] = (PayloadCase){.format = from, .to = to};
            add_case(&h, &all[count], count, true);
            count++;
        }
    harness_finish(&h);
    for (size_t k = 0; k < count; k++) {
        const PayloadCase *c = &all[k];
        run_case(&h, c, &state);
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t payload = fpsan_embed(algebra.profile, c->format, load_element(arrays[0], width(c->format), i));
            uint64_t want = fpsan_unembed(algebra.profile, c->to,
                                          fpsan_cast(&algebra, c->format, c->to, payload, FPSAN_NEAREST_EVEN));
            cr_assert(same_float(c->to, load_element(results, width(c->to), i), want), "%s to %s",
                      fpsan_format_info(c->format)->name, fpsan_format_info(c->to)->name);
        }
    }
    harness_close(&h);
}

Test(payload, casts_mix) {
    check_casts(FPSAN_CASTS_MIX, 3);
}
Test(payload, casts_homomorphic) {
    check_casts(FPSAN_CASTS_HOMOMORPHIC, 3);
}
Test(payload, all_casts) {
    check_casts(FPSAN_CASTS_MIX, 1);
    check_casts(FPSAN_CASTS_HOMOMORPHIC, 1);
}

// ---- comparisons and integers -------------------------------------------------------------------

static LLVMValueRef emit_less(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const PayloadCase *c = data;
    NumericValue a = value_of(cx, c->format, inputs[0]), b = value_of(cx, c->format, inputs[1]);
    NumericValue result;
    const FloatOp op = {.operand = c->format, .predicate = FPSAN_LESS_THAN, .unordered = true};
    return cx->numeric->compare(cx, &op, &a, &b, &result) ? result.parts[0] : NULL;
}

static LLVMValueRef emit_integers(NumericContext *cx, const void *data, const LLVMValueRef *inputs) { // i16 of f(i16)
    const PayloadCase *c = data;
    FloatOp op = harness_conversion((FloatOp){.is_signed = true}, c->format, c->format);
    NumericValue integer = {.parts = {inputs[0]}}, value, result;
    if (!cx->numeric->from_integer(cx, &op, &integer, &value)) return NULL;
    LLVMTypeRef type = LLVMInt16TypeInContext(cx->context);
    op.rounding = FPSAN_TOWARD_ZERO;
    return cx->numeric->to_integer(cx, &op, type, &value, &result) ? result.parts[0] : NULL;
}

Test(payload, comparisons_and_integers_see_real_bits) {
    static PayloadCase all[2 * FPSAN_FORMAT_COUNT];
    const FpsanFormat formats[] = {FPSAN_F64, FPSAN_F32, FPSAN_F16, FPSAN_BF16};
    const Numeric *const numerics[] = {&numeric_payload, &numeric_ieee};
    for (size_t n = 0; n < BASE_COUNT(numerics); n++) {
        Harness h;
        uint64_t state = 47;
        const void *inputs[] = {arrays[0], arrays[1]};
        harness_open(&h, numerics[n], native_machine());
        for (size_t i = 0; i < BASE_COUNT(formats); i++) {
            unsigned bits[] = {width(formats[i]), width(formats[i])}, integer = 16;
            char name[32];
            all[i] = (PayloadCase){.format = formats[i]};
            snprintf(name, sizeof name, "less%zu", i);
            cr_assert(harness_add(&h, name, 16, 2, bits, 1, emit_less, &all[i]));
            snprintf(name, sizeof name, "integer%zu", i);
            cr_assert(harness_add(&h, name, 16, 1, &integer, 16, emit_integers, &all[i]));
        }
        harness_finish(&h);
        for (size_t i = 0; i < BASE_COUNT(formats); i++) {
            char name[32];
            snprintf(name, sizeof name, "less%zu", i);
            for (size_t k = 0; k < COUNT; k++)
                for (unsigned j = 0; j < 2; j++)
                    store_element(arrays[j], width(formats[i]), k, sample_bits(formats[i], j ? 99 : k, &state));
            harness_function(&h, name)(inputs, results, COUNT / 16);
            for (size_t k = 0; k < COUNT; k++) {
                uint64_t a = load_element(arrays[0], width(formats[i]), k),
                         b = load_element(arrays[1], width(formats[i]), k);
                cr_assert_eq(load_element(results, 1, k), fpsan_compare_bits(formats[i], FPSAN_LESS_THAN, false, a, b));
            }
            snprintf(name, sizeof name, "integer%zu", i);
            for (size_t k = 0; k < COUNT; k++) store_element(arrays[0], 16, k, random_bits(&state));
            harness_function(&h, name)(inputs, results, COUNT / 16);
            for (size_t k = 0; k < COUNT; k++) {
                uint64_t bits = fpsan_integer_to_bits(formats[i], load_element(arrays[0], 16, k), 16, true);
                cr_assert_eq(load_element(results, 16, k), fpsan_bits_to_integer(formats[i], bits, 16, true));
            }
        }
        harness_close(&h);
    }
}

Test(payload, constants_are_folded) {
    Harness h;
    uint64_t state = 1;
    harness_open(&h, &numeric_payload, native_machine());
    for (unsigned format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (size_t i = 0; i < 60; i++) {
            uint64_t bits = sample_bits(format, i, &state),
                     payload = fpsan_embed(fpsan_default_algebra().profile, format, bits);
            NumericValue value = numeric_payload.constant(&h.cx, format, bits);
            cr_assert(LLVMIsConstant(value.parts[0]) && LLVMConstIntGetZExtValue(value.parts[0]) == payload);
            cr_assert(LLVMTypeOf(value.parts[0]) == numeric_payload.part_type(&h.cx, format, 0));
        }
    LLVMDisposeModule(h.cx.module);
    harness_close(&h);
}

Test(payload, refusals_name_the_op) {
    const PayloadCase refused[] = {{.rule = FPSAN_RULE_ADD, .format = FPSAN_F8E8M0FNU},
                                   {.rule = FPSAN_RULE_EXTERN, .format = FPSAN_F32}};
    for (size_t i = 0; i < BASE_COUNT(refused); i++) {
        Harness h;
        unsigned bits[] = {width(refused[i].format), width(refused[i].format)};
        harness_open(&h, &numeric_payload, native_machine());
        cr_assert(!harness_add(&h, "refused", 16, 2, bits, bits[0], emit_rule, &refused[i]));
        cr_assert_eq(h.diagnostics.count, 1);
        cr_assert_eq(h.diagnostics.items[0].code, E_UNSUPPORTED);
        cr_assert(strstr(h.diagnostics.items[0].message, fpsan_rule_info(refused[i].rule)->name), "%s",
                  h.diagnostics.items[0].message);
        LLVMDisposeModule(h.cx.module);
        harness_close(&h);
    }
}
