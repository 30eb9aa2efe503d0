// SPDX-License-Identifier: Apache-2.0
// The reference interpreter's elements: integers in plain C, payloads by fpsan.h, real floats by the C library.
#include "tests/lower/reference.h"

#include <math.h>
#include <string.h>

// ---- what elements are ----------------------------------------------------------------------------------------------

static bool format_of(TirTypeKind kind, FpsanFormat *format) {
    for (*format = 0; *format < FPSAN_FORMAT_COUNT; ++*format)
        if (!strcasecmp(fpsan_format_info(*format)->name, tir_type_rows[kind].name)) return true;
    return false;
}

ReferenceElement reference_element(const ReferenceMachine *m, TirType tile) {
    TirTypeKind kind = tir_tile_element_kind(m->run->module, tile);
    ReferenceElement element = {.bits = tir_type_rows[kind].bits, .bytes = tir_type_rows[kind].storage_bytes};
    bool shadow = m->run->numeric == COMPILE_SHADOW;
    bool is_integer = tir_type_rows[kind].class == TIR_CLASS_INTEGER;
    element.parts = shadow && is_integer && (kind == TIR_TYPE_i1 || m->marks_integers) ? REFERENCE_MARKS + 1 : 1;
    if (tir_type_rows[kind].class != TIR_CLASS_FLOAT) return element;
    element.is_float = format_of(kind, &element.format);
    element.bits = fpsan_format_info(element.format)->lane_bits;
    element.has_shadow = shadow;
    element.parts = shadow ? REFERENCE_PARTS : 1;
    element.is_payload = m->run->numeric == COMPILE_PAYLOAD;
    return element;
}

// Real bits of an element to part 0.
static uint64_t reference_from_bits(const ReferenceMachine *m, const ReferenceElement *element, uint64_t bits) {
    if (!element->is_float) return bits & reference_mask(element->bits);
    if (element->is_payload) return fpsan_embed(m->run->algebra.profile, element->format, bits);
    return element->format == FPSAN_TF32 ? bits & 0xffffe000 : bits;
}

uint64_t reference_to_bits(const ReferenceMachine *m, const ReferenceElement *element, uint64_t value) {
    return element->is_payload ? fpsan_unembed(m->run->algebra.profile, element->format, value) : value;
}

void reference_set_bits(const ReferenceMachine *m, ReferenceTile *tile, uint64_t i, uint64_t bits) {
    ReferenceElement element = reference_element(m, tile->type);
    tile->parts[0][i] = reference_from_bits(m, &element, bits);
    if (element.has_shadow)
        reference_set_payload(tile, i, tower_embed(reference_tower(m), element.format, tile->parts[0][i]));
}

void reference_set_constant(const ReferenceMachine *m, ReferenceTile *tile, uint64_t i, uint64_t bits) {
    ReferenceElement element = reference_element(m, tile->type);
    reference_set_bits(m, tile, i, bits);
    if (element.has_shadow)
        reference_set_payload(tile, i, tower_constant_bits(reference_tower(m), element.format, tile->parts[0][i]));
}

// ---- real arithmetic ------------------------------------------------------------------------------------------------

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}
static float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, 4);
    return value;
}
static uint64_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static double apply_double(FpsanRule rule, const double *x) {
    switch (rule) {
    case FPSAN_RULE_ADD: return x[0] + x[1];
    case FPSAN_RULE_SUB: return x[0] - x[1];
    case FPSAN_RULE_MUL: return x[0] * x[1];
    case FPSAN_RULE_DIV: return x[0] / x[1];
    case FPSAN_RULE_FMA: return fma(x[0], x[1], x[2]);
    case FPSAN_RULE_FLOOR: return floor(x[0]);
    case FPSAN_RULE_CEIL: return ceil(x[0]);
    case FPSAN_RULE_SQRT: return sqrt(x[0]);
    default: return NAN; // not asked for
    }
}

static float apply_float(FpsanRule rule, const float *x) {
    switch (rule) {
    case FPSAN_RULE_ADD: return x[0] + x[1];
    case FPSAN_RULE_SUB: return x[0] - x[1];
    case FPSAN_RULE_MUL: return x[0] * x[1];
    case FPSAN_RULE_DIV: return x[0] / x[1];
    case FPSAN_RULE_FMA: return fmaf(x[0], x[1], x[2]);
    case FPSAN_RULE_FLOOR: return floorf(x[0]);
    case FPSAN_RULE_CEIL: return ceilf(x[0]);
    case FPSAN_RULE_SQRT: return sqrtf(x[0]);
    default: return NAN;
    }
}

// maximumNumber, minimumNumber, or with nan_wins maximum, minimum: +0 is above -0.
static uint64_t extreme(FpsanRule rule, FpsanFormat format, bool nan_wins, uint64_t a, uint64_t b) {
    double x = fpsan_decode(format, a), y = fpsan_decode(format, b);
    if (x != x || y != y) {
        if (nan_wins || (x != x && y != y)) return fpsan_encode_nearest(format, NAN);
        return x != x ? b : a;
    }
    bool a_is_less = x < y || (x == y && signbit(x) && !signbit(y));
    return a_is_less == (rule == FPSAN_RULE_MIN) ? a : b;
}

// The formats below f32 go through double: it has more than twice their precision, so rounding again is harmless (an
// fma of f16 is exact in double only for numbers of like size; the generator asks for none).
static uint64_t apply_real(FpsanRule rule, FpsanFormat format, bool nan_wins, const uint64_t *operands) {
    uint64_t sign = (uint64_t)1 << (fpsan_format_info(format)->lane_bits - 1);
    if (rule == FPSAN_RULE_NEG) return operands[0] ^ sign;
    if (rule == FPSAN_RULE_ABS) return operands[0] & ~sign;
    unsigned count = fpsan_rule_info(rule)->operands;
    if (rule == FPSAN_RULE_MIN || rule == FPSAN_RULE_MAX)
        return extreme(rule, format, nan_wins, operands[0], operands[1]);
    if (format == FPSAN_F32) {
        float x[3];
        for (unsigned i = 0; i < count; i++) x[i] = float_of(operands[i]);
        return bits_of_float(apply_float(rule, x));
    }
    double x[3];
    for (unsigned i = 0; i < count; i++) x[i] = fpsan_decode(format, operands[i]);
    double result = apply_double(rule, x);
    return format == FPSAN_F64 ? bits_of_double(result) : fpsan_encode_nearest(format, result);
}

// ---- dots -----------------------------------------------------------------------------------------------------------

static uint64_t dot_real(bool fused, FpsanFormat operand, FpsanFormat accumulator, uint64_t length, const uint64_t *a,
                         uint64_t a_stride, const uint64_t *b, uint64_t b_stride, uint64_t start) {
    if (accumulator == FPSAN_F64) {
        double sum = double_of(start);
        for (uint64_t k = 0; k < length; k++) {
            double x = double_of(a[k * a_stride]), y = double_of(b[k * b_stride]);
            sum = fused ? fma(x, y, sum) : sum + x * y;
        }
        return bits_of_double(sum);
    }
    float sum = (float)fpsan_decode(accumulator, start);
    for (uint64_t k = 0; k < length; k++) {
        float x = (float)fpsan_decode(operand, a[k * a_stride]), y = (float)fpsan_decode(operand, b[k * b_stride]);
        sum = fused ? fmaf(x, y, sum) : sum + x * y;
    }
    return fpsan_encode_nearest(accumulator, sum);
}

uint64_t reference_dot(const ReferenceMachine *m, const ReferenceElement *operand, const ReferenceElement *accumulator,
                       uint64_t length, const uint64_t *a, uint64_t a_stride, const uint64_t *b, uint64_t b_stride,
                       uint64_t start) {
    if (accumulator->is_payload)
        return fpsan_dot(&m->run->algebra, operand->format, operand->format, accumulator->format, length, a, a_stride,
                         b, b_stride, start);
    return dot_real(m->run->fused, operand->format, accumulator->format, length, a, a_stride, b, b_stride, start);
}

FpsanFormat reference_scaled_format(const ReferenceMachine *m, FpsanFormat a, FpsanFormat b) {
    return m->run->numeric == COMPILE_PAYLOAD ? fpsan_scaled_compute_format(a, b) : FPSAN_F32;
}

uint64_t reference_scaled(const ReferenceMachine *m, const ReferenceElement *operand, const ReferenceElement *scale,
                          FpsanFormat format, uint64_t x, uint64_t factor) {
    if (operand->is_payload)
        return fpsan_scaled_operand(&m->run->algebra, operand->format, scale->format, format, x, factor);
    return bits_of_float((float)(fpsan_decode(operand->format, x) * fpsan_decode(scale->format, factor)));
}

// ---- floats ---------------------------------------------------------------------------------------------------------

bool reference_float_rule(TirOpKind kind, FpsanRule *rule) {
    static const struct {
        TirOpKind op;
        FpsanRule rule;
    } rows[] = {
#define FLOAT_RULE(op, rule) {TIR_OP_##op, FPSAN_RULE_##rule},
#include "tests/lower/float_rules.def"
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].op == kind) {
            *rule = rows[i].rule;
            return true;
        }
    return false;
}

// What FpSan makes of a symbol, or of a name that is none.
static uint64_t apply_function(const ReferenceMachine *m, const TirOp *op, FpsanFormat format,
                               const uint64_t *operands) {
    const char *name = tir_attribute(op, "name")->text;
    const FpsanFunction *function = fpsan_function(name, format);
    const bool is_symbol = !strncmp(name, "__nv_", 5);
    char symbol[64];
    fpsan_function_symbol(function, format, symbol, sizeof symbol);
    const FpsanRule rule = is_symbol ? fpsan_symbol_rule(symbol) : function->rule;
    if (rule != FPSAN_RULE_EXTERN) return fpsan_apply(m->run->algebra.profile, rule, format, operands);
    unsigned widths[FPSAN_FUNCTION_OPERANDS_MAX];
    for (uint32_t i = 0; i < op->operand_count; i++)
        widths[i] = function->parameters[i] == 'i' ? 32 : fpsan_format_info(format)->bits;
    return fpsan_extern(format, symbol, operands, widths, op->operand_count);
}

static uint64_t apply_float_op(const ReferenceMachine *m, const TirOp *op, FpsanRule rule,
                               const ReferenceElement *element, const uint64_t *operands) {
    if (op->kind == TIR_OP_function) return apply_function(m, op, element->format, operands);
    if (element->is_payload) return fpsan_apply(m->run->algebra.profile, rule, element->format, operands);
    bool extremes = rule == FPSAN_RULE_MIN || rule == FPSAN_RULE_MAX;
    return apply_real(rule, element->format, extremes && tir_attribute(op, "nan"), operands);
}

uint64_t reference_sum(const ReferenceMachine *m, const ReferenceElement *element, uint64_t a, uint64_t b) {
    uint64_t operands[2] = {a, b};
    if (element->is_payload) return fpsan_apply(m->run->algebra.profile, FPSAN_RULE_ADD, element->format, operands);
    return apply_real(FPSAN_RULE_ADD, element->format, false, operands);
}

static FpsanRounding conversion_rounding(const TirOp *op) {
    switch (tir_attribute_integer(op, "rounding")) {
    case TIR_rounding_zero: return FPSAN_TOWARD_ZERO;
    case TIR_rounding_negative_inf: return FPSAN_TOWARD_NEGATIVE;
    case TIR_rounding_positive_inf: return FPSAN_TOWARD_POSITIVE;
    case TIR_rounding_nearest_away: return FPSAN_NEAREST_AWAY;
    default: return FPSAN_NEAREST_EVEN;
    }
}

static bool is_signed(const TirOp *op) {
    return tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
}

// Formats of 8 bits and less end at their largest number; so does a NaN in f4.
static uint64_t real_convert(FpsanFormat from, FpsanFormat to, uint64_t x, FpsanRounding rounding) {
    if (fpsan_format_info(to)->bits > 8) return fpsan_convert(from, to, x, rounding);
    return fpsan_encode_saturating(to, fpsan_decode(from, x), rounding);
}

static uint64_t real_from_integer(FpsanFormat to, uint64_t x, unsigned width, bool is_signed) {
    if (fpsan_format_info(to)->bits > 8 || to == FPSAN_F8E8M0FNU) return fpsan_integer_to_bits(to, x, width, is_signed);
    return real_convert(FPSAN_F64, to, fpsan_integer_to_bits(FPSAN_F64, x, width, is_signed), FPSAN_NEAREST_EVEN);
}

// Conversions that involve floats.
static uint64_t convert(const ReferenceMachine *m, const TirOp *op, const ReferenceElement *from,
                        const ReferenceElement *to, uint64_t x) {
    const FpsanProfile *profile = m->run->algebra.profile;
    bool payload = from->is_payload || to->is_payload;
    switch (op->kind) {
    case TIR_OP_cast:
        if (!payload && from->format == to->format && !__builtin_isinf(fpsan_decode(from->format, x))) return x;
        if (!payload && !tir_attribute_integer(op, "satf"))
            return fpsan_convert(from->format, to->format, x, conversion_rounding(op));
        if (!payload)
            return fpsan_encode_saturating(to->format, fpsan_decode(from->format, x), conversion_rounding(op));
        return fpsan_cast(&m->run->algebra, from->format, to->format, x, conversion_rounding(op));
    case TIR_OP_ftof:
        return payload ? fpsan_cast(&m->run->algebra, from->format, to->format, x, conversion_rounding(op))
                       : real_convert(from->format, to->format, x, conversion_rounding(op));
    case TIR_OP_ftoi:
        return payload ? fpsan_to_integer(profile, from->format, x, to->bits, is_signed(op))
                       : fpsan_bits_to_integer(from->format, x, to->bits, is_signed(op));
    case TIR_OP_itof:
        return payload ? fpsan_from_integer(profile, to->format, x, from->bits, is_signed(op))
                       : real_from_integer(to->format, x, from->bits, is_signed(op));
    default: return reference_from_bits(m, to, reference_to_bits(m, from, x)); // bitcast
    }
}

static uint64_t compare_float(const ReferenceMachine *m, const TirOp *op, const ReferenceElement *element, uint64_t a,
                              uint64_t b) {
    FpsanPredicate predicate = (FpsanPredicate)tir_attribute_integer(op, "predicate");
    bool ordered = tir_attribute_integer(op, "ordering") == TIR_ordering_ordered;
    if (element->is_payload) return fpsan_compare(m->run->algebra.profile, element->format, predicate, ordered, a, b);
    return fpsan_compare_bits(element->format, predicate, ordered, a, b);
}

// ---- integers -------------------------------------------------------------------------------------------------------

static bool compare_integer(const TirOp *op, unsigned bits, uint64_t a, uint64_t b) {
    int64_t x = reference_signed(a, bits), y = reference_signed(b, bits);
    bool less = is_signed(op) ? x < y : a < b;
    switch (tir_attribute_integer(op, "predicate")) {
    case TIR_predicate_equal: return a == b;
    case TIR_predicate_not_equal: return a != b;
    case TIR_predicate_less_than: return less;
    case TIR_predicate_less_than_or_equal: return less || a == b;
    case TIR_predicate_greater_than: return !less && a != b;
    default: return !less;
    }
}

// Shifts by the width or more give 0, or the sign.
static uint64_t shift(const TirOp *op, unsigned bits, uint64_t a, uint64_t by) {
    bool arithmetic = op->kind == TIR_OP_shri && is_signed(op);
    if (arithmetic) return (uint64_t)(reference_signed(a, bits) >> (by < bits ? by : bits - 1));
    if (by >= bits) return 0;
    return op->kind == TIR_OP_shli ? a << by : a >> by;
}

// Rounds as the op says; the generator asks for no division by zero and none that overflows.
static uint64_t divide(const TirOp *op, unsigned bits, uint64_t a, uint64_t b) {
    bool remainder = op->kind == TIR_OP_remi;
    uint64_t rounding = remainder ? TIR_rounding_zero : tir_attribute_integer(op, "rounding");
    if (!is_signed(op)) {
        if (remainder) return a % b;
        return a / b + (rounding == TIR_rounding_positive_inf && a % b);
    }
    int64_t x = reference_signed(a, bits), y = reference_signed(b, bits), q = x / y, rest = x % y;
    if (remainder) return (uint64_t)rest;
    bool positive = (rest < 0) == (y < 0);
    if (rest && rounding == TIR_rounding_positive_inf && positive) q++;
    if (rest && rounding == TIR_rounding_negative_inf && !positive) q--;
    return (uint64_t)q;
}

static bool apply_integer(const TirOp *op, unsigned bits, const uint64_t *x, uint64_t *result) {
    uint64_t a = x[0], b = op->operand_count > 1 ? x[1] : 0;
    bool less = false;
    switch (op->kind) {
    case TIR_OP_absi: *result = reference_signed(a, bits) < 0 ? -a : a; break;
    case TIR_OP_negi: *result = -a; break;
    case TIR_OP_addi: *result = a + b; break;
    case TIR_OP_subi: *result = a - b; break;
    case TIR_OP_muli: *result = a * b; break;
    case TIR_OP_andi: *result = a & b; break;
    case TIR_OP_ori: *result = a | b; break;
    case TIR_OP_xori: *result = a ^ b; break;
    case TIR_OP_mulhii: *result = (uint64_t)((unsigned __int128)a * b >> bits); break;
    case TIR_OP_maxi:
    case TIR_OP_mini:
        less = is_signed(op) ? reference_signed(a, bits) < reference_signed(b, bits) : a < b;
        *result = less == (op->kind == TIR_OP_mini) ? a : b;
        break;
    case TIR_OP_shli:
    case TIR_OP_shri: *result = shift(op, bits, a, b); break;
    case TIR_OP_divi:
    case TIR_OP_remi: *result = divide(op, bits, a, b); break;
    default: return false;
    }
    *result &= reference_mask(bits);
    return true;
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

typedef struct Operands {
    const ReferenceTile *tiles[3];
    ReferenceElement elements[3], result;
    uint32_t count;
} Operands;

// Part 0.
static uint64_t whole_element(const ReferenceMachine *m, const TirOp *op, const Operands *operands, uint64_t i,
                              bool *known) {
    FpsanRule rule;
    uint64_t x[3], result = 0;
    const ReferenceElement *from = &operands->elements[0], *to = &operands->result;
    for (uint32_t k = 0; k < operands->count; k++) x[k] = operands->tiles[k]->parts[0][i];
    if (op->kind == TIR_OP_fpowi) x[1] = (uint64_t)reference_signed(x[1], operands->elements[1].bits);
    if (reference_float_rule(op->kind, &rule)) {
        if (m->run->real_results && op->kind == m->run->real_op && !to->is_payload) return m->run->real_results[i];
        return apply_float_op(m, op, rule, to, x);
    }
    switch (op->kind) {
    case TIR_OP_ftof:
    case TIR_OP_cast:
    case TIR_OP_ftoi:
    case TIR_OP_itof:
    case TIR_OP_bitcast: return convert(m, op, from, to, x[0]);
    case TIR_OP_cmpf: return compare_float(m, op, from, x[0], x[1]);
    case TIR_OP_cmpi: return compare_integer(op, from->bits, x[0], x[1]);
    case TIR_OP_exti:
        return (is_signed(op) ? (uint64_t)reference_signed(x[0], from->bits) : x[0]) & reference_mask(to->bits);
    case TIR_OP_trunci: return x[0] & reference_mask(to->bits);
    case TIR_OP_select: return x[0] ? x[1] : x[2];
    case TIR_OP_ptr_to_int:
    case TIR_OP_int_to_ptr:
    case TIR_OP_ptr_to_ptr: return x[0];
    case TIR_OP_offset: {
        const TirTypeInfo *tile = tir_type(m->run->module, operands->tiles[0]->type);
        TirTypeKind pointee = tir_type(m->run->module, tir_type(m->run->module, tile->element)->element)->kind;
        uint64_t by = (uint64_t)reference_signed(x[1], operands->elements[1].bits);
        return x[0] + by * tir_type_rows[pointee].storage_bytes;
    }
    default: *known = apply_integer(op, to->bits, x, &result); return result;
    }
}

bool reference_elementwise(ReferenceMachine *m, const TirOp *op, bool *known) {
    *known = op->result_count == 1 && op->operand_count >= 1 && op->operand_count <= 3 && !op->region_count &&
             tir_type(m->run->module, tir_value_type(m->function, op->first_result))->kind == TIR_TYPE_tile;
    if (!*known) return true;
    Operands operands = {.count = op->operand_count};
    for (uint32_t k = 0; k < op->operand_count; k++) {
        operands.tiles[k] = reference_tile(m, op->operands[k]);
        if (tir_type(m->run->module, operands.tiles[k]->type)->kind != TIR_TYPE_tile) return *known = false, true;
        operands.elements[k] = reference_element(m, operands.tiles[k]->type);
    }
    ReferenceTile *result = reference_result(m, op, 0);
    operands.result = reference_element(m, result->type);
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (operands.tiles[k]->count != result->count) return *known = false, true;
    for (uint64_t i = 0; i < result->count && *known; i++) {
        result->parts[0][i] = whole_element(m, op, &operands, i, known);
        if (*known && operands.result.parts > 1) *known = reference_shadow_element(m, op, operands.tiles, result, i);
    }
    return true;
}
