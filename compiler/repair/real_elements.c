// SPDX-License-Identifier: Apache-2.0
// Ops on elements in real numbers: arithmetic, comparisons, conversions, constants.
#include "compiler/repair/real_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static TirType result_type(const RealRun *run, const TirOp *op) {
    return tir_value_type(run->function, op->first_result);
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

static bool run_floats(RealRun *run, const TirOp *op, bool *known) {
    const uint64_t count = real_count(run, result_type(run, op));
    const double *x = real_floats(run, op->operands[0], count),
                 *y = op->operand_count > 1 ? real_floats(run, op->operands[1], count) : x;
    double *to = real_define(run, op->first_result, count)->floats;
    switch (op->kind) {
#define REAL_UNARY(name, result)                                                                                       \
    case TIR_OP_##name:                                                                                                \
        for (uint64_t i = 0; i < count; i++) {                                                                         \
            const double a = x[i];                                                                                     \
            to[i] = result;                                                                                            \
        }                                                                                                              \
        break;
#define REAL_BINARY(name, result)                                                                                      \
    case TIR_OP_##name:                                                                                                \
        for (uint64_t i = 0; i < count; i++) {                                                                         \
            const double a = x[i], b = y[i];                                                                           \
            to[i] = result;                                                                                            \
        }                                                                                                              \
        break;
#include "compiler/repair/real_ops.def"
    default: *known = false; break;
    }
    return true;
}

static uint64_t as_unsigned(int64_t value, unsigned bits) {
    return bits >= 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
}

static bool is_signed(const TirOp *op) {
    switch (op->kind) {
    case TIR_OP_maxi:
    case TIR_OP_mini:
    case TIR_OP_shri:
    case TIR_OP_cmpi:
    case TIR_OP_divi:
    case TIR_OP_remi:
    case TIR_OP_exti:
    case TIR_OP_itof:
    case TIR_OP_ftoi: return tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
    default: return true;
    }
}

static bool run_integers(RealRun *run, const TirOp *op, bool *known) {
    const TirType type = result_type(run, op);
    const uint64_t count = real_count(run, type);
    const unsigned bits = real_bits(run, type);
    const int64_t *x = real_integers(run, op->operands[0], count), *y = real_integers(run, op->operands[1], count);
    int64_t *to = real_define(run, op->first_result, count)->integers;
    const bool sign = is_signed(op);
#define u(value) as_unsigned(value, bits)
    switch (op->kind) {
#define REAL_INTEGER(name, result)                                                                                     \
    case TIR_OP_##name:                                                                                                \
        for (uint64_t i = 0; i < count; i++) {                                                                         \
            const int64_t a = x[i], b = y[i];                                                                          \
            to[i] = real_wrap(result, bits);                                                                           \
        }                                                                                                              \
        break;
#include "compiler/repair/real_ops.def"
    default: *known = false; break;
    }
#undef u
    return true;
}

// Quotients are rounded as the op says: to zero, down or up.
static int64_t divide(int64_t a, int64_t b, uint64_t rounding) {
    const int64_t quotient = a / b, rest = a % b;
    const bool negative = (a < 0) != (b < 0);
    if (rest && rounding == TIR_rounding_negative_inf && negative) return quotient - 1;
    if (rest && rounding == TIR_rounding_positive_inf && !negative) return quotient + 1;
    return quotient;
}

static bool run_divisions(RealRun *run, const TirOp *op) {
    const TirType type = result_type(run, op);
    const uint64_t count = real_count(run, type),
                   rounding = op->kind == TIR_OP_divi ? tir_attribute_integer(op, "rounding") : TIR_rounding_zero;
    const unsigned bits = real_bits(run, type);
    const int64_t *x = real_integers(run, op->operands[0], count), *y = real_integers(run, op->operands[1], count);
    int64_t *to = real_define(run, op->first_result, count)->integers;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t a = is_signed(op) ? x[i] : (int64_t)as_unsigned(x[i], bits),
                      b = is_signed(op) ? y[i] : (int64_t)as_unsigned(y[i], bits);
        if (!b || (b == -1 && a == INT64_MIN)) return real_fail(run, op, "a division by zero");
        to[i] = real_wrap(op->kind == TIR_OP_remi ? a % b : divide(a, b, rounding), bits);
    }
    return true;
}

static bool run_fma(RealRun *run, const TirOp *op) {
    const uint64_t count = real_count(run, result_type(run, op));
    const double *a = real_floats(run, op->operands[0], count), *b = real_floats(run, op->operands[1], count),
                 *c = real_floats(run, op->operands[2], count);
    double *to = real_define(run, op->first_result, count)->floats;
    for (uint64_t i = 0; i < count; i++) to[i] = a[i] * b[i] + c[i];
    return true;
}

static bool run_unary_integer(RealRun *run, const TirOp *op) {
    const uint64_t count = real_count(run, result_type(run, op));
    const int64_t *x = real_integers(run, op->operands[0], count);
    int64_t *to = real_define(run, op->first_result, count)->integers;
    const unsigned bits = real_bits(run, result_type(run, op));
    for (uint64_t i = 0; i < count; i++)
        to[i] = real_wrap(op->kind == TIR_OP_negi || x[i] < 0 ? (int64_t) - (uint64_t)x[i] : x[i], bits);
    return true;
}

// ---- comparisons and choices ----------------------------------------------------------------------------------------

// -1, 0 or 1.
static int order_integers(bool sign, int64_t a, int64_t b) {
    return sign ? (a > b) - (a < b) : ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
}

static bool compare_integers(uint64_t predicate, int order) {
    switch (predicate) {
    case TIR_predicate_equal: return order == 0;
    case TIR_predicate_not_equal: return order != 0;
    case TIR_predicate_less_than: return order < 0;
    case TIR_predicate_less_than_or_equal: return order <= 0;
    case TIR_predicate_greater_than: return order > 0;
    default: return order >= 0;
    }
}

static bool compare_floats(uint64_t predicate, bool ordered, double a, double b) {
    if (isnan(a) || isnan(b)) return !ordered;
    switch (predicate) {
    case TIR_predicate_equal: return a == b;
    case TIR_predicate_not_equal: return a != b;
    case TIR_predicate_less_than: return a < b;
    case TIR_predicate_less_than_or_equal: return a <= b;
    case TIR_predicate_greater_than: return a > b;
    default: return a >= b;
    }
}

static bool run_compare(RealRun *run, const TirOp *op) {
    const uint64_t count = real_count(run, result_type(run, op)), predicate = tir_attribute_integer(op, "predicate");
    int64_t *to = real_define(run, op->first_result, count)->integers;
    if (op->kind == TIR_OP_cmpf) {
        const bool ordered = tir_attribute_integer(op, "ordering") == TIR_ordering_ordered;
        const double *x = real_floats(run, op->operands[0], count), *y = real_floats(run, op->operands[1], count);
        for (uint64_t i = 0; i < count; i++) to[i] = compare_floats(predicate, ordered, x[i], y[i]);
        return true;
    }
    const unsigned bits = real_bits(run, tir_value_type(run->function, op->operands[0]));
    const int64_t *x = real_integers(run, op->operands[0], count), *y = real_integers(run, op->operands[1], count);
    const bool sign = is_signed(op);
    for (uint64_t i = 0; i < count; i++)
        to[i] = compare_integers(predicate, order_integers(sign, sign ? x[i] : (int64_t)as_unsigned(x[i], bits),
                                                           sign ? y[i] : (int64_t)as_unsigned(y[i], bits)));
    return true;
}

static bool run_select(RealRun *run, const TirOp *op) {
    const uint64_t count = real_count(run, result_type(run, op));
    const int64_t *condition = real_integers(run, op->operands[0], count),
                  *x = real_integers(run, op->operands[1], count), *y = real_integers(run, op->operands[2], count);
    int64_t *to = real_define(run, op->first_result, count)->integers; // of floats the bits
    for (uint64_t i = 0; i < count; i++) to[i] = condition[i] ? x[i] : y[i];
    return true;
}

// ---- conversions ----------------------------------------------------------------------------------------------------

static double round_real(double value, uint64_t rounding) {
    switch (rounding) {
    case TIR_rounding_nearest_even: return nearbyint(value);
    case TIR_rounding_negative_inf: return floor(value);
    case TIR_rounding_positive_inf: return ceil(value);
    case TIR_rounding_nearest_away: return round(value);
    default: return trunc(value);
    }
}

static int64_t to_integer(double value, unsigned bits) {
    const double limit = ldexp(1, (int)bits);
    if (isnan(value)) return 0;
    if (value >= limit || value >= 0x1p63) return bits >= 64 ? INT64_MAX : (int64_t)(limit / 2) - 1;
    if (value < -0x1p63) return INT64_MIN;
    return (int64_t)value;
}

static bool run_bitcast(RealRun *run, const TirOp *op) {
    const TirType from = tir_value_type(run->function, op->operands[0]), to = result_type(run, op);
    const TirTypeKind kinds[2] = {tir_tile_element_kind(run->module, from), tir_tile_element_kind(run->module, to)};
    const uint64_t count = real_count(run, to);
    const RealValue x = run->values[op->operands[0]];
    RealValue *y = real_define(run, op->first_result, count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = x.kind == REAL_FLOATS ? fpsan_encode_nearest(tir_float_format(kinds[0]), x.floats[i])
                                                    : (uint64_t)x.integers[i];
        if (y->kind == REAL_FLOATS)
            y->floats[i] = fpsan_decode(tir_float_format(kinds[1]), bits);
        else
            y->integers[i] = real_wrap((int64_t)bits, tir_type_rows[kinds[1]].bits);
    }
    return true;
}

static bool run_conversion(RealRun *run, const TirOp *op) {
    const TirType from = tir_value_type(run->function, op->operands[0]), type = result_type(run, op);
    const uint64_t count = real_count(run, type);
    const unsigned bits = real_bits(run, type), from_bits = real_bits(run, from);
    const RealValue x = run->values[op->operands[0]];
    RealValue *y = real_define(run, op->first_result, count);
    if (x.count != count) return real_fail(run, op, "a conversion of other elements");
    for (uint64_t i = 0; i < count; i++) switch (op->kind) {
        case TIR_OP_ftof:
        case TIR_OP_cast: y->floats[i] = x.floats[i]; break;
        case TIR_OP_itof:
            y->floats[i] = !is_signed(op)   ? (double)as_unsigned(x.integers[i], from_bits)
                           : from_bits == 1 ? -(double)x.integers[i]
                                            : (double)x.integers[i];
            break;
        case TIR_OP_ftoi:
            y->integers[i] =
                real_wrap(to_integer(round_real(x.floats[i], tir_attribute_integer(op, "rounding")), bits), bits);
            break;
        case TIR_OP_exti:
            y->integers[i] = !is_signed(op)   ? (int64_t)as_unsigned(x.integers[i], from_bits)
                             : from_bits == 1 ? -x.integers[i]
                                              : x.integers[i];
            break;
        default: y->integers[i] = real_wrap(x.integers[i], bits); break;
        }
    return true;
}

// ---- constants ------------------------------------------------------------------------------------------------------

static bool is_rounded(double number, double meant) {
    return fabs(number - meant) <= 0x1p-24 * fabs(meant);
}

// A whole number, or one divided by a whole number.
static bool find_whole(double number, double *whole) {
    *whole = nearbyint(number);
    if (fabs(*whole) >= 1 && fabs(*whole) <= 65536 && is_rounded(number, *whole)) return true;
    const double inverse = nearbyint(1 / number);
    *whole = 1 / inverse;
    return fabs(inverse) >= 1 && fabs(inverse) <= 65536 && is_rounded(number, *whole);
}

double real_meant(FpsanFormat format, double number) {
    static const double factors[] = {1, 1.4426950408889634, 0.6931471805599453, 3.141592653589793, 0.7978845608028654};
    char text[32];
    double meant;
    if (format != FPSAN_F32 || number == 0 || !isfinite(number)) return number;
    snprintf(text, sizeof text, "%.5g", number);
    meant = strtod(text, NULL);
    if (is_rounded(number, meant)) return meant;
    for (size_t f = 0; f < BASE_COUNT(factors); f++) {
        if (find_whole(number / factors[f], &meant)) return factors[f] * meant;
        if (find_whole(number * number / (factors[f] * factors[f]), &meant) &&
            is_rounded(number, copysign(factors[f] * sqrt(meant), number)))
            return copysign(factors[f] * sqrt(meant), number);
    }
    return number;
}

// ---- values from nowhere --------------------------------------------------------------------------------------------

static bool run_constant(RealRun *run, const TirOp *op) {
    const TirType type = result_type(run, op);
    const TirTypeKind kind = tir_tile_element_kind(run->module, type);
    const uint64_t elements = (uint64_t)tir_tile_elements(run->module, type), count = real_count(run, type);
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    RealValue *value = real_define(run, op->first_result, count);
    uint64_t last = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = tir_constant_bits(run->module, type, constant, (int64_t)(elements == 1 ? 0 : i));
        if (kind == TIR_TYPE_tf32) bits <<= 13;
        if (i && bits == last)
            value->integers[i] = value->integers[i - 1];
        else if (value->kind == REAL_FLOATS)
            value->floats[i] = real_meant(tir_float_format(kind), fpsan_decode(tir_float_format(kind), bits));
        else
            value->integers[i] = real_wrap((int64_t)bits, tir_type_rows[kind].bits);
        last = bits;
    }
    return true;
}

static bool run_iota(RealRun *run, const TirOp *op) {
    const uint64_t count = real_count(run, result_type(run, op));
    int64_t *to = real_define(run, op->first_result, count)->integers;
    for (uint64_t i = 0; i < count; i++) to[i] = (int64_t)i;
    return true;
}

static bool run_numbers(RealRun *run, const TirOp *op, const uint32_t *numbers) {
    for (uint32_t i = 0; i < 3; i++) real_define(run, op->first_result + i, 1)->integers[0] = numbers[i];
    return true;
}

bool real_elements(RealRun *run, const TirOp *op, bool *known) {
    *known = true;
    switch (op->kind) {
#define REAL_UNARY(name, result)  case TIR_OP_##name:
#define REAL_BINARY(name, result) case TIR_OP_##name:
#include "compiler/repair/real_ops.def"
        return run_floats(run, op, known);
#define REAL_INTEGER(name, result) case TIR_OP_##name:
#include "compiler/repair/real_ops.def"
        return run_integers(run, op, known);
    case TIR_OP_divi:
    case TIR_OP_remi: return run_divisions(run, op);
    case TIR_OP_fma: return run_fma(run, op);
    case TIR_OP_absi:
    case TIR_OP_negi: return run_unary_integer(run, op);
    case TIR_OP_cmpf:
    case TIR_OP_cmpi: return run_compare(run, op);
    case TIR_OP_select: return run_select(run, op);
    case TIR_OP_bitcast: return run_bitcast(run, op);
    case TIR_OP_ftof:
    case TIR_OP_cast:
    case TIR_OP_itof:
    case TIR_OP_ftoi:
    case TIR_OP_exti:
    case TIR_OP_trunci: return run_conversion(run, op);
    case TIR_OP_constant: return run_constant(run, op);
    case TIR_OP_iota: return run_iota(run, op);
    case TIR_OP_get_tile_block_id: return run_numbers(run, op, run->block);
    case TIR_OP_get_num_tile_blocks: return run_numbers(run, op, run->grid);
    default: *known = false; return true;
    }
}
