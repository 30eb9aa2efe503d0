// SPDX-License-Identifier: Apache-2.0
// The numeric `shadow` against the scalar tower: every rule in every format it has, conversions, marks, records,
// constants. The IEEE half must be what the numeric `ieee` computes.
#include "numeric_harness.h"
#include "sanitizer/tower_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 480, SLOW_COUNT = 96, OPERANDS = 3, WORDS = TOWER_LENGTH + 1, CASES_MAX = 128 };

// Operand k of element i: real bits and a payload; and the results.
static uint64_t real_bits[OPERANDS][COUNT];
static uint32_t words[OPERANDS][WORDS][COUNT];
static uint64_t shadow_bits[COUNT], ieee_bits_alone[COUNT];
static uint32_t result_words[WORDS][COUNT];

static unsigned width(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

static TowerPayload payload_at(uint32_t (*from)[COUNT], size_t i) {
    TowerPayload payload = {.state = from[TOWER_LENGTH][i]};
    for (unsigned c = 0; c < TOWER_LENGTH; c++) payload.component[c] = from[c][i];
    return payload;
}

// ---- inputs ---------------------------------------------------------------------------------------------------------

static uint32_t random_state(uint64_t *state) {
    uint32_t bits = (uint32_t)random_bits(state), few = bits & (uint32_t)random_bits(state);
    few &= ~(uint32_t)TOWER_POISON;
    if (bits % 4 < 2) return few & TOWER_CARRIED;
    return tower_normal_state(
        tower_chain(0), few & (TOWER_CARRIED | TOWER_MISSING | TOWER_LOST | TOWER_WEAK | TOWER_SIGN | TOWER_BASE_E));
}

static TowerPayload random_payload(const Tower *t, uint64_t *state) {
    TowerPayload payload = t->zero;
    switch (random_bits(state) % 16) {
    case 0:
        if (random_bits(state) % 2) return tower_poison((uint32_t)(random_bits(state) % TOWER_ORIGIN_MAX));
        return tower_special((TowerKind)(1 + random_bits(state) % 3));
    case 1: break;
    case 2: payload = t->log2e; break;
    case 3:
    case 4: payload = tower_rational(t, (int64_t)(random_bits(state) % 9) - 4, 1); break;
    default:
        for (unsigned i = 0; i < TOWER_LENGTH; i++)
            payload.component[i] = (uint32_t)(random_bits(state) % t->prime[i].p);
    }
    payload.state = random_state(state);
    return payload;
}

static void fill(FpsanFormat format, bool second_is_integer, uint64_t *state) {
    for (size_t i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < OPERANDS; k++) {
            TowerPayload payload = random_payload(tower_chain(0), state);
            uint64_t bits = sample_bits(format, k ? 99 : i, state);
            if (k && i % 8 == 3) bits = load_element(real_bits[0], width(format), i) + i % 3 - 1; // near each other
            if (k && i % 8 == 5) bits = load_element(real_bits[0], width(format), i);
            if (second_is_integer && k == 1) bits = (uint32_t)(random_bits(state) % 141 - 70);
            if (format == FPSAN_TF32) bits &= 0xffffe000;
            store_element(real_bits[k], second_is_integer && k == 1 ? 32 : width(format), i, bits);
            for (unsigned c = 0; c < TOWER_LENGTH; c++) words[k][c][i] = payload.component[c];
            words[k][TOWER_LENGTH][i] = payload.state;
            if (k && i % 16 == 3) // the same payload
                for (unsigned c = 0; c < WORDS; c++) words[k][c][i] = words[0][c][i];
        }
}

// What the arrays are to an emitted function: real bits and words of each operand; bits, bits of `ieee` alone, words.
static void array_list(unsigned operands, const void **inputs, void **outputs) {
    for (unsigned k = 0; k < operands; k++) {
        inputs[k * (1 + WORDS)] = real_bits[k];
        for (unsigned c = 0; c < WORDS; c++) inputs[k * (1 + WORDS) + 1 + c] = words[k][c];
    }
    outputs[0] = shadow_bits;
    outputs[1] = ieee_bits_alone;
    for (unsigned c = 0; c < WORDS; c++) outputs[2 + c] = result_words[c];
}

static void width_list(unsigned operands, unsigned bits, unsigned result, unsigned *inputs, unsigned *outputs) {
    for (unsigned i = 0; i < operands * (1 + WORDS); i++) inputs[i] = i % (1 + WORDS) ? 32 : bits;
    for (unsigned i = 0; i < 2 + WORDS; i++) outputs[i] = i < 2 ? result : 32;
}

static NumericValue operand_of(NumericContext *cx, FpsanFormat format, const LLVMValueRef *inputs, unsigned k) {
    NumericValue value = numeric_ieee.from_bits(cx, format, inputs[k * (1 + WORDS)]);
    for (unsigned c = 0; c < WORDS; c++) value.parts[1 + c] = inputs[k * (1 + WORDS) + 1 + c];
    return value;
}

static void give_result(NumericContext *cx, FpsanFormat format, const NumericValue *value, const NumericValue *alone,
                        LLVMValueRef *outputs) {
    outputs[0] = cx->numeric->to_bits(cx, format, value);
    outputs[1] = numeric_ieee.to_bits(cx, format, alone);
    for (unsigned c = 0; c < WORDS; c++) outputs[2 + c] = value->parts[1 + c];
}

// ---- what is expected -----------------------------------------------------------------------------------------------

static int product_sign(double a, double b) {
    if (isnan(a) || isnan(b) || (a == 0 && isinf(b)) || (isinf(a) && b == 0)) return TOWER_IEEE_NAN;
    return a == 0 || b == 0 ? TOWER_IEEE_ZERO : signbit(a) == signbit(b) ? TOWER_IEEE_POSITIVE : TOWER_IEEE_NEGATIVE;
}

static int quotient_sign(double a, double b) {
    return product_sign(a, isinf(b) ? copysign(0, b) : b == 0 ? copysign(INFINITY, b) : b);
}

static int power_sign(double x) {
    return isnan(x) ? TOWER_IEEE_NAN : fabs(x) > 1 ? TOWER_IEEE_POSITIVE : fabs(x) < 1 ? TOWER_IEEE_NEGATIVE : 0;
}

static unsigned significant_bits(FpsanFormat format) {
    return fpsan_format_info(format)->mantissa_bits + 1;
}

// The bit of the widest type that is not wider.
static uint32_t passed_bit(unsigned significant) {
    return significant >= 24   ? TOWER_PASSED_24
           : significant >= 11 ? TOWER_PASSED_11
           : significant >= 8  ? TOWER_PASSED_8
           : significant == 4  ? TOWER_PASSED_4
           : significant == 3  ? TOWER_PASSED_3
                               : TOWER_PASSED_2;
}

static double eight_units(FpsanFormat format, uint32_t state) {
    static const unsigned all[] = {24, 11, 8, 4, 3, 2};
    unsigned least = significant_bits(format);
    for (size_t i = 0; i < BASE_COUNT(all); i++)
        if (state & passed_bit(all[i]) && all[i] < least) least = all[i];
    return least >= 8 ? 8 * ldexp(1, 1 - (int)least) : fmax(0x1p-4, ldexp(1, 1 - (int)least)); // at least one unit
}

static bool is_near(FpsanFormat format, double x, double y, double share, double scale) {
    if (format == FPSAN_F64) return fabs(x - y) <= share * scale;
    float limit = (float)share * (float)scale;
    return fabsf((float)x - (float)y) <= limit;
}

static uint32_t near_pair(FpsanFormat format, double x, double y, TowerPayload a, TowerPayload b) {
    if (!memcmp(a.component, b.component, sizeof a.component) && !((a.state ^ b.state) & TOWER_RULED)) return 0;
    double scale = fabs(x) < fabs(y) ? fabs(x) : fabs(y);
    return is_near(format, x, y, eight_units(format, a.state | b.state), scale) ? TOWER_NEAR : 0;
}

static uint32_t near_integer(FpsanFormat format, double x, TowerPayload a) {
    TowerPayload own = tower_embed_double(tower_chain(0), x); // such a number was never rounded
    if (!memcmp(a.component, own.component, sizeof a.component) && !((a.state ^ own.state) & TOWER_RULED))
        return TOWER_ROUNDED;
    return TOWER_ROUNDED | (is_near(format, x, rint(x), eight_units(format, a.state), fabs(x)) ? TOWER_NEAR : 0);
}

static TowerPayload marked(TowerPayload payload, uint32_t marks) {
    payload.state |= marks;
    return payload;
}

// Of an exp whose operand has the payload x.
static uint32_t vanished(TowerPayload x, double r) {
    return r == 0 && !(x.state & TOWER_KIND) ? TOWER_VANISHED : 0;
}

// `result`, or the first operand that is poison.
static TowerPayload unless_poison(TowerPayload result, const TowerPayload *x, unsigned count) {
    uint32_t states = 0;
    for (unsigned k = count; k-- > 0;) {
        if (tower_is_poison(x[k])) result = x[k];
        states |= x[k].state;
    }
    return states & TOWER_POISON ? marked(result, states & TOWER_CARRIED) : result;
}

// Of the operands' payloads x and values v; `r` is the IEEE result.
static TowerPayload expected_rule(FpsanRule rule, FpsanFormat format, const TowerPayload *x, const double *v, double r,
                                  int32_t exponent) {
    const Tower *t = tower_chain(0);
    int product = product_sign(v[0], v[1]);
    switch (rule) {
    case FPSAN_RULE_ADD: return tower_add(t, x[0], x[1]);
    case FPSAN_RULE_SUB: return tower_sub(t, x[0], x[1]);
    case FPSAN_RULE_MUL: return tower_mul(t, x[0], x[1], product);
    case FPSAN_RULE_NEG: return tower_neg(t, x[0]);
    case FPSAN_RULE_FMA: return tower_fma(t, x[0], x[1], x[2], product);
    case FPSAN_RULE_DIV: return tower_div(t, x[0], x[1], quotient_sign(v[0], v[1]));
    case FPSAN_RULE_REM: return tower_remainder(t, x[0], x[1], tower_embed_double(t, rint((v[0] - r) / v[1])));
    case FPSAN_RULE_EXP: return marked(tower_exp(t, x[0], v[0]), vanished(x[0], r));
    case FPSAN_RULE_EXP2: return marked(tower_exp2(t, x[0], v[0]), vanished(x[0], r));
    case FPSAN_RULE_SIN: return tower_sin(t, x[0]);
    case FPSAN_RULE_COS: return tower_cos(t, x[0]);
    case FPSAN_RULE_TAN: return tower_tan(t, x[0]);
    case FPSAN_RULE_LOG: return tower_log(t, x[0]);
    case FPSAN_RULE_LOG2: return tower_log2(t, x[0]);
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN: return tower_sqrt(t, x[0]);
    case FPSAN_RULE_ERF: { // odd
        const TowerPayload minus = tower_neg(t, x[0]);
        return tower_sub(t, tower_tag(t, "erf", x, 1), tower_tag(t, "erf", &minus, 1));
    }
    case FPSAN_RULE_RSQRT: return tower_rsqrt(t, x[0]);
    case FPSAN_RULE_SINH: return tower_sinh(t, x[0]);
    case FPSAN_RULE_COSH: return tower_cosh(t, x[0]);
    case FPSAN_RULE_TANH: return tower_tanh(t, x[0]);
    case FPSAN_RULE_POW: return tower_pow(t, x[0], x[1], power_sign(r));
    case FPSAN_RULE_POWI: return tower_powi(t, x[0], exponent);
    case FPSAN_RULE_ABS: return signbit(v[0]) ? tower_neg(t, x[0]) : x[0];
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL:
        return unless_poison(
            marked(tower_embed_double(t, r), (x[0].state & TOWER_CARRIED) | near_integer(format, v[0], x[0])), x, 1);
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: {
        bool is[2];
        for (int i = 0; i < 2; i++) is[i] = isnan(r) ? isnan(v[i]) : r == v[i] && signbit(r) == signbit(v[i]);
        bool takes_a = is[0] && is[1] ? tower_goes_first(t, x[0], x[1]) : is[0];
        return unless_poison(marked(takes_a ? x[0] : x[1], near_pair(format, v[0], v[1], x[0], x[1])), x, 2);
    }
    default: return tower_tag(t, fpsan_rule_info(rule)->name, x, fpsan_rule_info(rule)->operands);
    }
}

// ---- rules ----------------------------------------------------------------------------------------------------------

typedef struct RuleCase {
    FpsanRule rule;
    FpsanFormat format;
    unsigned lanes;
    char name[32];
} RuleCase;

static unsigned operands_of(FpsanRule rule) {
    return fpsan_rule_info(rule)->operands;
}

static bool emit_rule(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const RuleCase *c = data;
    NumericValue operands[OPERANDS], bare[OPERANDS], result, alone;
    for (unsigned k = 0; k < operands_of(c->rule); k++) {
        if (c->rule == FPSAN_RULE_POWI && k == 1) {
            operands[k] = bare[k] = (NumericValue){.parts = {inputs[1 + WORDS]}};
            continue;
        }
        operands[k] = operand_of(cx, c->format, inputs, k);
        bare[k] = (NumericValue){.parts = {operands[k].parts[0]}};
    }
    const FloatOp op = harness_rule((FloatOp){0}, c->rule, c->format);
    if (!cx->numeric->apply(cx, &op, operands, operands_of(c->rule), &result)) return false;
    if (!numeric_ieee.apply(cx, &op, bare, operands_of(c->rule), &alone)) return false;
    give_result(cx, c->format, &result, &alone, outputs);
    return true;
}

static bool rounds(FpsanRule rule) {
    return rule != FPSAN_RULE_NEG && rule != FPSAN_RULE_ABS && rule != FPSAN_RULE_MIN && rule != FPSAN_RULE_MAX &&
           rule != FPSAN_RULE_FLOOR && rule != FPSAN_RULE_CEIL;
}

static bool is_slow(FpsanRule rule) {
    return rule == FPSAN_RULE_LOG || rule == FPSAN_RULE_LOG2 || rule == FPSAN_RULE_POW;
}

static void check_rule(Harness *h, const RuleCase *c, uint64_t *state) {
    const void *inputs[HARNESS_INPUTS_MAX];
    void *outputs[HARNESS_OUTPUTS_MAX];
    size_t count = is_slow(c->rule) ? SLOW_COUNT : COUNT;
    fill(c->format, c->rule == FPSAN_RULE_POWI, state);
    array_list(operands_of(c->rule), inputs, outputs);
    harness_function(h, c->name)(inputs, outputs, count / (c->lanes ? c->lanes : 1));
    for (size_t i = 0; i < count; i++) {
        TowerPayload x[OPERANDS], found = payload_at(result_words, i);
        double v[OPERANDS];
        for (unsigned k = 0; k < OPERANDS; k++) {
            x[k] = payload_at(words[k], i);
            v[k] = fpsan_decode(c->format, load_element(real_bits[k], width(c->format), i));
        }
        uint64_t bits = load_element(shadow_bits, width(c->format), i);
        cr_assert(same_float(c->format, bits, load_element(ieee_bits_alone, width(c->format), i)), "%s", c->name);
        bool is_power = c->rule == FPSAN_RULE_POWI;
        TowerPayload expected = expected_rule(c->rule, c->format, x, v, fpsan_decode(c->format, bits),
                                              is_power ? (int32_t)load_element(real_bits[1], 32, i) : 0);
        if (rounds(c->rule) && significant_bits(c->format) < 24)
            expected.state |= passed_bit(significant_bits(c->format));
        cr_assert(!memcmp(&found, &expected, sizeof found),
                  "%s %s of %g.. (%x.%x..:%x): %x.%x.%x.%x:%x, expected %x.%x.%x.%x:%x",
                  fpsan_format_info(c->format)->name, fpsan_rule_info(c->rule)->name, v[0], x[0].component[0],
                  x[0].component[1], x[0].state, found.component[0], found.component[1], found.component[2],
                  found.component[3], found.state, expected.component[0], expected.component[1], expected.component[2],
                  expected.component[3], expected.state);
    }
}

static void check_rules(FpsanFormat format, Machine machine, const char *features, bool few) {
    static const unsigned some_lanes[] = {16, 0, 8, 32, 3, 1, 16};
    static RuleCase all[CASES_MAX];
    Harness h;
    size_t count = 0;
    uint64_t state = 71;
    harness_open(&h, &numeric_shadow, machine);
    if (features) harness_restrict(&h, features);
    for (unsigned rule = 0; rule < FPSAN_RULE_COUNT; rule++) {
        bool always = rule <= FPSAN_RULE_EXP2 || rule == FPSAN_RULE_FLOOR || rule == FPSAN_RULE_ABS;
        if (rule == FPSAN_RULE_EXTERN || (few && !always)) continue;
        unsigned input_bits[HARNESS_INPUTS_MAX], output_bits[HARNESS_OUTPUTS_MAX];
        RuleCase *c = &all[count];
        *c = (RuleCase){.rule = rule, .format = format, .lanes = some_lanes[(count + format) % 7]};
        snprintf(c->name, sizeof c->name, "rule%zu", count);
        width_list(operands_of(rule), width(format), width(format), input_bits, output_bits);
        if (rule == FPSAN_RULE_POWI) input_bits[1 + WORDS] = 32;
        if (!harness_add_many(&h, c->name, c->lanes, operands_of(rule) * (1 + WORDS), input_bits, 2 + WORDS,
                              output_bits, emit_rule, c)) { // not in IEEE arithmetic either
            cr_assert(h.diagnostics.items[0].code == E_UNSUPPORTED);
            cr_assert(rule == FPSAN_RULE_ERF, "%s: %s", fpsan_rule_info(rule)->name, h.diagnostics.items[0].message);
        } else {
            count++;
        }
    }
    harness_finish(&h);
    for (size_t i = 0; i < count; i++) check_rule(&h, &all[i], &state);
    harness_close(&h);
}

Test(shadow, rules_of_f32) {
    check_rules(FPSAN_F32, native_machine(), NULL, false);
}

Test(shadow, rules_of_f64) {
    check_rules(FPSAN_F64, native_machine(), NULL, true);
}

Test(shadow, rules_of_narrow_formats) {
    check_rules(FPSAN_F16, native_machine(), NULL, true);
    check_rules(FPSAN_BF16, native_machine(), NULL, true);
}

#if defined(__x86_64__)
Test(shadow, oldest_processor) {
    size_t row = 0;
    while (strcmp(machine_row(row)->name, "sse2")) row++;
    check_rules(FPSAN_F32, machine_row(row)->machine, machine_row(row)->features, true);
}
#endif

// ---- conversions ----------------------------------------------------------------------------------------------------

typedef struct ConversionCase {
    FpsanFormat from, to;
    char name[32];
} ConversionCase;

static bool emit_conversion(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const ConversionCase *c = data;
    const FloatOp op = {.operand = c->from,
                        .result = c->to,
                        .rounding = c->to == FPSAN_F8E8M0FNU ? FPSAN_TOWARD_ZERO : FPSAN_NEAREST_EVEN};
    NumericValue value = operand_of(cx, c->from, inputs, 0), result, alone;
    if (!cx->numeric->convert(cx, &op, &value, &result)) return false;
    if (!numeric_ieee.convert(cx, &op, &value, &alone)) return false;
    give_result(cx, c->to, &result, &alone, outputs);
    return true;
}

// Where a program rounds does not matter: payloads stay what they are; what is narrower is noted.
Test(shadow, conversions_keep_payloads) {
    static ConversionCase all[FPSAN_FORMAT_COUNT * FPSAN_FORMAT_COUNT + 1];
    Harness h;
    size_t count = 0;
    uint64_t state = 73;
    harness_open(&h, &numeric_shadow, native_machine());
    for (unsigned from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (unsigned to = 0; to < FPSAN_FORMAT_COUNT; to++) {
            unsigned input_bits[HARNESS_INPUTS_MAX], output_bits[HARNESS_OUTPUTS_MAX];
            ConversionCase *c = &all[count];
            *c = (ConversionCase){.from = from, .to = to};
            snprintf(c->name, sizeof c->name, "convert%zu", count);
            width_list(1, width(from), width(to), input_bits, output_bits);
            count +=
                harness_add_many(&h, c->name, 16, 1 + WORDS, input_bits, 2 + WORDS, output_bits, emit_conversion, c);
        }
    cr_assert_gt(count, 70);
    harness_finish(&h);
    for (size_t k = 0; k < count; k++) {
        const ConversionCase *c = &all[k];
        const void *inputs[HARNESS_INPUTS_MAX];
        void *outputs[HARNESS_OUTPUTS_MAX];
        fill(c->from, false, &state);
        array_list(1, inputs, outputs);
        harness_function(&h, c->name)(inputs, outputs, COUNT / 16);
        for (size_t i = 0; i < COUNT; i++) {
            TowerPayload found = payload_at(result_words, i), expected = payload_at(words[0], i);
            if (significant_bits(c->to) < significant_bits(c->from))
                expected.state |= passed_bit(significant_bits(c->to));
            cr_assert(!memcmp(&found, &expected, sizeof found), "%s to %s", fpsan_format_info(c->from)->name,
                      fpsan_format_info(c->to)->name);
            cr_assert(same_float(c->to, load_element(shadow_bits, width(c->to), i),
                                 load_element(ieee_bits_alone, width(c->to), i)));
        }
    }
    harness_close(&h);
}

// ---- integers and truth values --------------------------------------------------------------------------------------

typedef struct IntegerCase {
    FpsanFormat format;
    unsigned bits;
    bool is_signed;
    char name[3][16];
} IntegerCase;
static const IntegerCase integer_cases[] = {
    {FPSAN_F32, 32, true, {"to0", "from0", "cmp0"}}, {FPSAN_F32, 8, false, {"to1", "from1", "cmp1"}},
    {FPSAN_F64, 64, true, {"to2", "from2", "cmp2"}}, {FPSAN_F64, 64, false, {"to3", "from3", "cmp3"}},
    {FPSAN_F16, 16, true, {"to4", "from4", "cmp4"}}, {FPSAN_BF16, 32, false, {"to5", "from5", "cmp5"}},
};

// Value and marks as i8.
static bool emit_to_integer(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const IntegerCase *c = data;
    const FloatOp op = {.operand = c->format, .rounding = FPSAN_TOWARD_ZERO, .is_signed = c->is_signed};
    NumericValue value = operand_of(cx, c->format, inputs, 0), result;
    LLVMTypeRef type = LLVMIntTypeInContext(cx->context, c->bits);
    if (!cx->numeric->to_integer(cx, &op, type, &value, &result)) return false;
    outputs[0] = result.parts[0];
    outputs[1] = result.parts[1];
    return true;
}

static bool emit_compare(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const IntegerCase *c = data;
    NumericValue a = operand_of(cx, c->format, inputs, 0), b = operand_of(cx, c->format, inputs, 1), result;
    const FloatOp op = {.operand = c->format, .predicate = FPSAN_LESS_THAN};
    if (!cx->numeric->compare(cx, &op, &a, &b, &result)) return false;
    outputs[0] = result.parts[0];
    outputs[1] = result.parts[1];
    return true;
}

// The marks are the low bits of input 1.
static bool emit_from_integer(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const IntegerCase *c = data;
    NumericValue integer = {.parts = {inputs[0], inputs[1]}}, value;
    const FloatOp op = {.result = c->format, .is_signed = c->is_signed};
    if (!cx->numeric->from_integer(cx, &op, &integer, &value)) return false;
    outputs[0] = cx->numeric->to_bits(cx, c->format, &value);
    for (unsigned w = 0; w < WORDS; w++) outputs[1 + w] = value.parts[1 + w];
    return true;
}

static uint8_t as_marks(uint32_t state) {
    return (uint8_t)((state & TOWER_NEAR ? NUMERIC_MARK_NEAR : 0) | (state & TOWER_ROUNDED ? NUMERIC_MARK_ROUNDED : 0) |
                     (state & TOWER_POISON ? NUMERIC_MARK_POISON : 0));
}

// Which floats have an integer of that type, rounded towards zero: others have none that the dialect specifies.
static bool fits(double x, unsigned bits, bool is_signed) {
    double whole = trunc(x), end = ldexp(1, (int)bits - is_signed);
    return is_signed ? whole >= -end && whole < end : whole >= 0 && whole < end;
}

static void check_to_integer(Harness *h, const IntegerCase *c, uint64_t *state) {
    static uint64_t integers[COUNT];
    static uint8_t marks[COUNT];
    const void *inputs[HARNESS_INPUTS_MAX];
    void *outputs[HARNESS_OUTPUTS_MAX], *two[] = {integers, marks};
    fill(c->format, false, state);
    array_list(2, inputs, outputs);
    harness_function(h, c->name[0])(inputs, two, COUNT / 16);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = load_element(real_bits[0], width(c->format), i);
        cr_assert_eq(load_element(integers, c->bits, i), fpsan_bits_to_integer(c->format, bits, c->bits, c->is_signed));
        double x = fpsan_decode(c->format, bits);
        TowerPayload payload = payload_at(words[0], i);
        uint32_t poison = fits(x, c->bits, c->is_signed) ? payload.state & TOWER_POISON : TOWER_POISON;
        uint32_t near = near_integer(c->format, x, payload) | (payload.state & TOWER_NEAR);
        cr_assert_eq(marks[i], as_marks(near | poison), "%g in %u bits: %x", x, c->bits, marks[i]);
    }
    harness_function(h, c->name[2])(inputs, two, COUNT / 16);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t a = load_element(real_bits[0], width(c->format), i),
                 b = load_element(real_bits[1], width(c->format), i);
        uint32_t near = near_pair(c->format, fpsan_decode(c->format, a), fpsan_decode(c->format, b),
                                  payload_at(words[0], i), payload_at(words[1], i));
        near |= (words[0][TOWER_LENGTH][i] | words[1][TOWER_LENGTH][i]) & TOWER_POISON;
        cr_assert_eq(load_element(integers, 1, i), fpsan_compare_bits(c->format, FPSAN_LESS_THAN, true, a, b));
        cr_assert_eq(marks[i], as_marks(near));
    }
}

static void check_from_integer(Harness *h, const IntegerCase *c, uint64_t *state) {
    static uint64_t integers[COUNT];
    static uint8_t marks[COUNT];
    const void *inputs[] = {integers, marks};
    void *outputs[1 + WORDS] = {shadow_bits};
    for (unsigned w = 0; w < WORDS; w++) outputs[1 + w] = result_words[w];
    for (size_t i = 0; i < COUNT; i++) {
        store_element(integers, c->bits, i, random_bits(state) >> (i % 2 ? 0 : random_bits(state) % c->bits));
        marks[i] = (uint8_t)(random_bits(state) & (NUMERIC_MARK_NEAR | NUMERIC_MARK_ROUNDED));
    }
    harness_function(h, c->name[1])(inputs, outputs, COUNT / 16);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t integer = load_element(integers, c->bits, i);
        TowerPayload found = payload_at(result_words, i);
        TowerPayload expected = tower_embed_integer(tower_chain(0), integer, c->bits, c->is_signed);
        expected.state |=
            (marks[i] & NUMERIC_MARK_NEAR ? TOWER_NEAR : 0) | (marks[i] & NUMERIC_MARK_ROUNDED ? TOWER_ROUNDED : 0);
        cr_assert(!memcmp(&found, &expected, sizeof found));
        cr_assert_eq(load_element(shadow_bits, width(c->format), i),
                     fpsan_integer_to_bits(c->format, integer, c->bits, c->is_signed));
    }
}

Test(shadow, integers_and_comparisons_carry_marks) {
    Harness h;
    uint64_t state = 79;
    harness_open(&h, &numeric_shadow, native_machine());
    for (size_t i = 0; i < BASE_COUNT(integer_cases); i++) {
        const IntegerCase *c = &integer_cases[i];
        unsigned input_bits[HARNESS_INPUTS_MAX], output_bits[HARNESS_OUTPUTS_MAX], mask_bits[] = {1, 8};
        width_list(2, width(c->format), width(c->format), input_bits, output_bits);
        cr_assert(harness_add_many(&h, c->name[0], 16, 2 * (1 + WORDS), input_bits, 2, (unsigned[]){c->bits, 8},
                                   emit_to_integer, c));
        cr_assert(harness_add_many(&h, c->name[2], 16, 2 * (1 + WORDS), input_bits, 2, mask_bits, emit_compare, c));
        cr_assert(harness_add_many(&h, c->name[1], 16, 2, (unsigned[]){c->bits, 8}, 1 + WORDS, output_bits + 1,
                                   emit_from_integer, c));
    }
    harness_finish(&h);
    for (size_t i = 0; i < BASE_COUNT(integer_cases); i++) {
        check_to_integer(&h, &integer_cases[i], &state);
        check_from_integer(&h, &integer_cases[i], &state);
    }
    harness_close(&h);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static const FpsanFormat plane_formats[] = {FPSAN_F64, FPSAN_F32,      FPSAN_TF32,
                                            FPSAN_F16, FPSAN_F8E4M3FN, FPSAN_F8E8M0FNU};
static uint32_t planes_in[HOST_RECORD_WORDS][COUNT], planes_out[HOST_RECORD_WORDS][COUNT];

// Planes to a value, whose parts are the outputs.
static bool emit_load(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const FpsanFormat *format = data;
    LLVMValueRef planes[NUMERIC_PLANES_MAX];
    for (unsigned p = 0; p < numeric_planes(cx->numeric, *format); p++) planes[p] = inputs[p];
    numeric_unpack_planes(cx, planes);
    NumericValue value = cx->numeric->from_planes(cx, *format, planes);
    outputs[0] = cx->numeric->to_bits(cx, *format, &value);
    for (unsigned w = 0; w < WORDS; w++) outputs[1 + w] = value.parts[1 + w];
    return true;
}

enum { STORED = 0x2badcafe & HOST_NO_STORE };

static bool emit_store(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const FpsanFormat *format = data;
    NumericValue value = operand_of(cx, *format, inputs, 0);
    LLVMValueRef planes[NUMERIC_PLANES_MAX] = {NULL};
    cx->numeric->to_planes(cx, *format, &value, planes);
    numeric_pack_planes(cx, LLVMConstInt(LLVMInt32TypeInContext(cx->context), STORED, false), planes);
    for (unsigned p = 1; p < numeric_planes(cx->numeric, *format); p++)
        outputs[p - 1] = numeric_has_plane(cx->numeric, p) ? planes[p] : LLVMConstNull(LLVMTypeOf(value.parts[1]));
    return true;
}

static bool is_wide(FpsanFormat format) {
    return width(format) == 64;
}

// Records that hold, that are not valid, and of other bits.
static void fill_planes(FpsanFormat format, uint64_t *state) {
    fill(format, false, state);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = load_element(real_bits[0], width(format), i);
        TowerPayload payload = payload_at(words[0], i);
        HostRecord record = {
            .state = payload.state | HOST_RECORD_VALID, .low = (uint32_t)bits, .high = (uint32_t)(bits >> 32)};
        memcpy(record.component, payload.component, sizeof payload.component);
        if (i % 5 == 1) record.state &= ~HOST_RECORD_VALID;
        if (i % 5 == 2) record.low ^= 1u << i % width(format) % 32;
        if (i % 5 == 3) record.high ^= 1u << i % 32;
        for (unsigned k = 0; k < 4; k++) { // as it is in memory
            const HostStorePart part = host_store_part(HOST_RECORDS_OF_TOWERS, k);
            record.component[k] |= (uint32_t)i >> part.first << part.at;
        }
        uint32_t all[HOST_RECORD_WORDS];
        memcpy(all, &record, sizeof all);
        for (unsigned w = 0; w < HOST_RECORD_WORDS; w++) planes_in[w][i] = all[w];
    }
}

static void check_planes(Harness *h, FpsanFormat format, size_t number, uint64_t *state) {
    const void *inputs[1 + HOST_RECORD_WORDS] = {real_bits[0]}, *floats[HARNESS_INPUTS_MAX];
    void *outputs[1 + WORDS] = {shadow_bits}, *stored[HOST_RECORD_WORDS], *unused[HARNESS_OUTPUTS_MAX];
    char name[16];
    for (unsigned w = 0; w < HOST_RECORD_WORDS; w++) inputs[1 + w] = planes_in[w], stored[w] = planes_out[w];
    for (unsigned w = 0; w < WORDS; w++) outputs[1 + w] = result_words[w];
    fill_planes(format, state);
    snprintf(name, sizeof name, "load%zu", number);
    harness_function(h, name)(inputs, outputs, COUNT / 16);
    for (size_t i = 0; i < COUNT; i++) {
        bool holds = i % 5 == 0 || i % 5 == 4 || (i % 5 == 3 && !is_wide(format));
        TowerPayload found = payload_at(result_words, i), expected = payload_at(words[0], i);
        if (!holds) expected = tower_embed(tower_chain(0), format, load_element(real_bits[0], width(format), i));
        cr_assert(!memcmp(&found, &expected, sizeof found), "%s, element %zu", fpsan_format_info(format)->name, i);
        cr_assert(same_float(format, load_element(shadow_bits, width(format), i),
                             load_element(real_bits[0], width(format), i)));
    }
    snprintf(name, sizeof name, "store%zu", number);
    array_list(1, floats, unused);
    harness_function(h, name)(floats, stored, COUNT / 16);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = load_element(real_bits[0], width(format), i);
        HostRecord found;
        uint32_t all[HOST_RECORD_WORDS];
        TowerPayload payload = payload_at(words[0], i);
        for (unsigned w = 0; w < HOST_RECORD_WORDS; w++) all[w] = planes_out[w][i];
        memcpy(&found, all, sizeof found);
        for (unsigned k = 0; k < 4; k++) {
            const HostStorePart part = host_store_part(HOST_RECORDS_OF_TOWERS, k);
            found.store |= found.component[k] >> part.at << part.first;
            found.component[k] &= host_component_mask(HOST_RECORDS_OF_TOWERS, k);
        }
        cr_assert_eq(found.state, payload.state | HOST_RECORD_VALID);
        cr_assert(!memcmp(found.component, payload.component, sizeof payload.component));
        cr_assert(found.low == (uint32_t)bits && found.store == STORED);
        if (is_wide(format)) cr_assert_eq(found.high, bits >> 32);
    }
}

// Above them the words of records say who stored the float.
Test(shadow, components_fit_their_words) {
    for (unsigned index = 0; index < TOWER_ALL; index++) {
        const Tower *t = tower_chain(index);
        for (unsigned i = 0; i < t->length && !t->degrees; i++)
            cr_expect_leq(t->prime[i].p - 1, host_component_mask(HOST_RECORDS_OF_TOWERS, i), "tower %u", index);
    }
    cr_expect_leq(TOWER_ORIGIN_MAX, host_component_mask(HOST_RECORDS_OF_TOWERS, TOWER_ORIGIN_COMPONENT));
}

Test(shadow, records_hold_for_their_bits) {
    Harness h;
    uint64_t state = 83;
    harness_open(&h, &numeric_shadow, native_machine());
    for (size_t i = 0; i < BASE_COUNT(plane_formats); i++) {
        unsigned planes = numeric_planes(&numeric_shadow, plane_formats[i]), bits = width(plane_formats[i]);
        unsigned in[HARNESS_INPUTS_MAX] = {bits}, out[HARNESS_OUTPUTS_MAX] = {bits}, words_only[HARNESS_OUTPUTS_MAX];
        char name[16];
        cr_assert_eq(planes, is_wide(plane_formats[i]) ? 11 : 10);
        for (unsigned p = 1; p < planes; p++) in[p] = words_only[p - 1] = 32;
        for (unsigned w = 0; w < WORDS; w++) out[1 + w] = 32;
        snprintf(name, sizeof name, "load%zu", i);
        cr_assert(harness_add_many(&h, name, 16, planes, in, 1 + WORDS, out, emit_load, &plane_formats[i]));
        snprintf(name, sizeof name, "store%zu", i);
        cr_assert(harness_add_many(&h, name, 16, 1 + WORDS, in, planes - 1, words_only, emit_store, &plane_formats[i]));
    }
    harness_finish(&h);
    for (size_t i = 0; i < BASE_COUNT(plane_formats); i++) check_planes(&h, plane_formats[i], i, &state);
    harness_close(&h);
}

// ---- constants ------------------------------------------------------------------------------------------------------

static TowerPayload folded(const NumericValue *value) {
    TowerPayload payload = {{0}, 0};
    for (unsigned w = 0; w < WORDS; w++) {
        cr_assert(LLVMIsConstant(value->parts[1 + w]));
        uint32_t word = (uint32_t)LLVMConstIntGetZExtValue(value->parts[1 + w]);
        *(w < TOWER_LENGTH ? &payload.component[w] : &payload.state) = word;
    }
    return payload;
}

Test(shadow, constants_are_folded_and_mean_what_people_write) {
    Harness h;
    uint64_t state = 1;
    const Tower *t = tower_chain(1);
    TowerMeaning meanings[] = {{0.13521, tower_rational(t, 3, 7)}};
    harness_open(&h, &numeric_shadow, native_machine());
    h.cx.tower = t;
    h.cx.meanings = meanings;
    h.cx.meaning_count = 1;
    for (unsigned format = 0; format < FPSAN_FORMAT_COUNT; format++) {
        FpsanFormat f = (FpsanFormat)format;
        const uint64_t numbers[] = {fpsan_encode_nearest(f, 0.1), fpsan_encode_nearest(f, 0.13521),
                                    fpsan_encode_nearest(f, -0.13521)};
        for (size_t i = 0; i < 60; i++) {
            uint64_t bits = i < BASE_COUNT(numbers) ? numbers[i] : sample_bits(f, i, &state);
            NumericValue value = numeric_shadow.constant(&h.cx, f, bits);
            TowerPayload found = folded(&value), expected = tower_constant_meant(t, f, bits, meanings, 1);
            cr_assert(!memcmp(&found, &expected, sizeof found));
        }
    }
    NumericValue value = numeric_shadow.constant(&h.cx, FPSAN_F32, fpsan_encode_nearest(FPSAN_F32, -0.13521));
    TowerPayload found = folded(&value), expected = tower_rational(t, -3, 7);
    cr_assert(!memcmp(&found, &expected, sizeof found));
    LLVMDisposeModule(h.cx.module);
    harness_close(&h);
}

Test(shadow, refusals_name_the_op) {
    static const RuleCase refused[] = {{.rule = FPSAN_RULE_ADD, .format = FPSAN_F8E8M0FNU},
                                       {.rule = FPSAN_RULE_EXTERN, .format = FPSAN_F32}};
    for (size_t i = 0; i < BASE_COUNT(refused); i++) {
        Harness h;
        unsigned input_bits[HARNESS_INPUTS_MAX], output_bits[HARNESS_OUTPUTS_MAX], bits = width(refused[i].format);
        width_list(2, bits, bits, input_bits, output_bits);
        harness_open(&h, &numeric_shadow, native_machine());
        cr_assert(!harness_add_many(&h, "refused", 16, 2 * (1 + WORDS), input_bits, 2 + WORDS, output_bits, emit_rule,
                                    &refused[i]));
        cr_assert_eq(h.diagnostics.count, 1);
        cr_assert_eq(h.diagnostics.items[0].code, E_UNSUPPORTED);
        LLVMDisposeModule(h.cx.module);
        harness_close(&h);
    }
}
