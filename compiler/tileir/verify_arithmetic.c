// SPDX-License-Identifier: Apache-2.0
// Checks of arithmetic and conversions: rounding modes, flush_to_zero, widths.
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <string.h>

#define ROUNDING_BIT(mode) (1u << TIR_rounding_##mode)
enum {
    ROUNDING_IEEE =
        ROUNDING_BIT(nearest_even) | ROUNDING_BIT(zero) | ROUNDING_BIT(negative_inf) | ROUNDING_BIT(positive_inf)
};

static const char *rounding_word(uint64_t mode) {
    return tir_enum_word(&tir_enum_rounding, mode);
}

static const char *roundings_text(Verifier *v, uint32_t modes) {
    const char *text = "";
    for (uint32_t mode = 0; mode < tir_enum_rounding.count; mode++)
        if (modes >> mode & 1) text = arena_format(&v->texts, "%s%s%s", text, *text ? ", " : "", rounding_word(mode));
    return text;
}

static bool check_rounding(Verifier *v, const TirOp *op, uint32_t modes) {
    uint64_t mode = tir_attribute_integer(op, "rounding");
    if (modes >> mode & 1) return true;
    return verify_fail(v, op, "has rounding %s, expected one of: %s", rounding_word(mode), roundings_text(v, modes));
}

// A modifier that only f32 has.
static bool check_f32_only(Verifier *v, const TirOp *op, const char *modifier) {
    if (verify_element(v, verify_result(v, op, 0)) == TIR_TYPE_f32) return true;
    return verify_fail(v, op, "has %s, which needs f32 elements, but the result is %s", modifier,
                       verify_type_text(v, verify_value_type(v, op->first_result)));
}

bool check_flush(Verifier *v, const TirOp *op) {
    return !tir_attribute_integer(op, "ftz") || check_f32_only(v, op, "flush_to_zero");
}

static bool check_approximate(Verifier *v, const TirOp *op, uint32_t modes) {
    uint64_t mode = tir_attribute_integer(op, "rounding");
    return !(modes >> mode & 1) || check_f32_only(v, op, rounding_word(mode));
}

bool check_ieee_rounding(Verifier *v, const TirOp *op) {
    return check_rounding(v, op, ROUNDING_IEEE) && check_flush(v, op);
}

bool check_div_rounding(Verifier *v, const TirOp *op) {
    const uint32_t fast = ROUNDING_BIT(approx) | ROUNDING_BIT(full);
    return check_rounding(v, op, ROUNDING_IEEE | fast) && check_approximate(v, op, fast) && check_flush(v, op);
}

bool check_sqrt_rounding(Verifier *v, const TirOp *op) {
    const uint32_t fast = ROUNDING_BIT(approx);
    return check_rounding(v, op, ROUNDING_IEEE | fast) && check_approximate(v, op, fast) && check_flush(v, op);
}

bool check_approx_rounding(Verifier *v, const TirOp *op) { // exp, tanh
    return check_rounding(v, op, ROUNDING_BIT(full) | ROUNDING_BIT(approx)) &&
           check_approximate(v, op, ROUNDING_BIT(approx));
}

// ---- integers -------------------------------------------------------------------------------------------------------

bool check_divi(Verifier *v, const TirOp *op) {
    if (!check_rounding(v, op, ROUNDING_BIT(zero) | ROUNDING_BIT(negative_inf) | ROUNDING_BIT(positive_inf)))
        return false;
    bool floor = tir_attribute_integer(op, "rounding") == TIR_rounding_negative_inf;
    if (floor && tir_attribute_integer(op, "signedness") == TIR_signedness_unsigned)
        return verify_fail(v, op, "is unsigned with rounding negative_inf, which needs signed");
    return true;
}

bool check_negi(Verifier *v, const TirOp *op) {
    if (tir_attribute_integer(op, "overflow") != TIR_overflow_no_unsigned_wrap) return true;
    return verify_fail(v, op, "has overflow no_unsigned_wrap, expected none, no_signed_wrap or no_wrap");
}

// ---- conversions ----------------------------------------------------------------------------------------------------

static unsigned element_bits(const Verifier *v, const TirTypeInfo *tile) {
    return tir_type_rows[verify_element(v, tile)].bits;
}

bool check_bitcast(Verifier *v, const TirOp *op) {
    unsigned from = element_bits(v, verify_operand(v, op, "source")), to = element_bits(v, verify_result(v, op, 0));
    if (from == to) return true;
    return verify_fail(v, op, "goes from %u bits (%s) to %u bits (%s), expected equal widths", from,
                       verify_type_text(v, verify_value_type(v, op->operands[0])), to,
                       verify_type_text(v, verify_value_type(v, op->first_result)));
}

bool check_exti(Verifier *v, const TirOp *op) {
    unsigned from = element_bits(v, verify_operand(v, op, "from")), to = element_bits(v, verify_result(v, op, 0));
    return from < to || verify_fail(v, op, "extends %u bits to %u bits, expected a wider result", from, to);
}

bool check_trunci(Verifier *v, const TirOp *op) {
    unsigned from = element_bits(v, verify_operand(v, op, "from")), to = element_bits(v, verify_result(v, op, 0));
    return from > to || verify_fail(v, op, "truncates %u bits to %u bits, expected a narrower result", from, to);
}

bool check_ftoi(Verifier *v, const TirOp *op) {
    return check_rounding(v, op, ROUNDING_BIT(nearest_int_to_zero));
}

bool check_itof(Verifier *v, const TirOp *op) {
    if (verify_element(v, verify_result(v, op, 0)) == TIR_TYPE_f8E8M0FNU)
        return verify_fail(v, op,
                           "converts to f8E8M0FNU, which takes no integers; convert to another float type first");
    return check_rounding(v, op, ROUNDING_BIT(nearest_even));
}

// Every value of `from` is in the range of `to`, and has no more bits (tile-ir.md 3.2: exact widening). A format that
// has numbers where others have infinities needs one exponent more.
static bool widens_exactly(TirTypeKind from, TirTypeKind to) {
    const FpsanFormatInfo *a = fpsan_format_info(tir_float_format(from)), *b = fpsan_format_info(tir_float_format(to));
    return a->exponent_bits + (a->specials != FPSAN_IEEE) <= b->exponent_bits && a->mantissa_bits <= b->mantissa_bits &&
           a->bits < b->bits;
}

static uint32_t ftof_roundings(TirTypeKind from, TirTypeKind to) {
    switch (to) {
    case TIR_TYPE_f8E8M0FNU: return ROUNDING_BIT(zero) | ROUNDING_BIT(positive_inf);
    case TIR_TYPE_f8E4M3FN:
    case TIR_TYPE_f8E5M2:
    case TIR_TYPE_f4E2M1FN:
    case TIR_TYPE_fnv8E5M3FNU: return ROUNDING_BIT(nearest_even);
    case TIR_TYPE_tf32:
        if (from == TIR_TYPE_f32) return ROUNDING_BIT(nearest_even) | ROUNDING_BIT(zero) | ROUNDING_BIT(nearest_away);
        break;
    case TIR_TYPE_f32:
        if (from == TIR_TYPE_f64) return ROUNDING_IEEE;
        break;
    default: break;
    }
    if (widens_exactly(from, to)) return ROUNDING_IEEE | ROUNDING_BIT(nearest_away);
    return ROUNDING_BIT(nearest_even) | ROUNDING_BIT(zero);
}

// nearest_away and positive_inf go to every type, which ftof does not have.
bool check_cast(Verifier *v, const TirOp *op) {
    TirTypeKind to = verify_element(v, verify_result(v, op, 0));
    uint32_t modes =
        ROUNDING_BIT(nearest_even) | ROUNDING_BIT(nearest_away) | ROUNDING_BIT(zero) | ROUNDING_BIT(positive_inf);
    if (to == TIR_TYPE_f8E8M0FNU) modes = ROUNDING_BIT(zero) | ROUNDING_BIT(positive_inf);
    if (!check_rounding(v, op, modes)) return false;
    if (fpsan_format_info(tir_float_format(to))->specials != FPSAN_FINITE || tir_attribute_integer(op, "satf"))
        return true;
    return diag_fail(v->diagnostics, op->at, E_VERIFY,
                     "cast to %s needs satf = true: the type has neither infinity nor NaN", tir_type_rows[to].name);
}

bool check_ftof(Verifier *v, const TirOp *op) {
    TirTypeKind from = verify_element(v, verify_operand(v, op, "from")),
                to = verify_element(v, verify_result(v, op, 0));
    if (from == to) return verify_fail(v, op, "converts %s to itself", tir_type_rows[from].name);
    uint32_t modes = ftof_roundings(from, to);
    uint64_t mode = tir_attribute_integer(op, "rounding");
    if (modes >> mode & 1) return true;
    return verify_fail(v, op, "has rounding %s, expected one of: %s (from %s to %s)", rounding_word(mode),
                       roundings_text(v, modes), tir_type_rows[from].name, tir_type_rows[to].name);
}

// ---- functions by name ----------------------------------------------------------------------------------------------

bool check_function(Verifier *v, const TirOp *op) {
    const TirTypeInfo *result = verify_result(v, op, 0);
    const TirTypeKind real = verify_element(v, result);
    const TirAttribute *name = tir_attribute(op, "name");
    const FpsanFunction *function = fpsan_function(name->text, tir_float_format(real));
    if (!function) return verify_fail(v, op, "has no function '%s' of %s", name->text, tir_type_rows[real].name);
    const size_t count = strlen(function->parameters);
    if (op->operand_count != count)
        return verify_fail(v, op, "gives '%s' %" PRIu32 " operands, expected %zu", name->text, op->operand_count,
                           count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const TirTypeInfo *operand = tir_type(v->module, verify_value_type(v, op->operands[i]));
        const TirTypeKind expected = function->parameters[i] == 'i' ? TIR_TYPE_i32 : real;
        if (verify_element(v, operand) != expected || !verify_same_shape(operand, result))
            return verify_fail(v, op, "has operand %" PRIu32 " of %s, expected %s of the result's shape", i,
                               verify_type_text(v, verify_value_type(v, op->operands[i])),
                               tir_type_rows[expected].name);
    }
    return true;
}
