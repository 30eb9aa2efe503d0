// SPDX-License-Identifier: Apache-2.0
// Emission of values from outside: floats of every format and integers, exactly; and the tables that emitted code
// reads.
#include "sanitizer/tower_emit_internal.h"

#include <stdio.h>

// ---- tables ---------------------------------------------------------------------------------------------------------

static LLVMTypeRef word_type(const TowerEmit *e) {
    return LLVMInt32TypeInContext(e->context);
}

LLVMValueRef tower_table(const TowerEmit *e, const char *name, const uint32_t *entries, unsigned count) {
    LLVMValueRef table = LLVMGetNamedGlobal(e->module, name);
    if (table) return table;
    LLVMValueRef constant = LLVMConstDataArray(word_type(e), (const char *)entries, count * sizeof *entries);
    table = LLVMAddGlobal(e->module, LLVMTypeOf(constant), name);
    LLVMSetInitializer(table, constant);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, 64);
    return table;
}

LLVMValueRef tower_gather(const TowerEmit *e, LLVMValueRef addresses, LLVMValueRef like, unsigned alignment) {
    if (!word_lanes(like)) {
        LLVMValueRef load = LLVMBuildLoad2(e->builder, word_type(e), addresses, "");
        LLVMSetAlignment(load, alignment);
        return load;
    }
    LLVMTypeRef types[] = {LLVMTypeOf(like), LLVMTypeOf(addresses)};
    LLVMValueRef all = fpsan_constant_bits(like, 1, 1), operands[] = {addresses, all, fpsan_constant(like, 0)};
    LLVMValueRef call = tower_intrinsic(e, "llvm.masked.gather", types, 2, operands, 3);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, 1, LLVMCreateEnumAttribute(e->context, kind, alignment));
    return call;
}

LLVMValueRef tower_look_up(const TowerEmit *e, LLVMValueRef table, LLVMValueRef index) {
    LLVMValueRef at = LLVMBuildGEP2(e->builder, word_type(e), table, &index, 1, "");
    return tower_gather(e, at, index, sizeof(uint32_t));
}

// ---- formats of at most 8 bits: a table of all values ---------------------------------------------------------------

enum { NARROW_VALUES = 256 };

static TowerValue embed_narrow(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    unsigned count = 1u << fpsan_format_info(format)->bits;
    LLVMValueRef index = word_and_constant(e, fpsan_resize(&emit, bits, 32, false), count - 1);
    TowerValue result;
    for (unsigned part = 0; part <= e->tower->length; part++) {
        uint32_t entries[NARROW_VALUES];
        for (unsigned i = 0; i < count; i++) {
            TowerPayload a = tower_embed(e->tower, format, i);
            entries[i] = part < e->tower->length ? a.component[part] : a.state;
        }
        char name[80];
        snprintf(name, sizeof name, "congruent.tower.%s.%u.%u", fpsan_format_info(format)->name, part, e->tower->index);
        LLVMValueRef entry = tower_look_up(e, tower_table(e, name, entries, count), index);
        *(part < e->tower->length ? &result.component[part] : &result.state) = entry;
    }
    return result;
}

// ---- wider formats: mantissa times a power of two -------------------------------------------------------------------

enum { EXPONENTS_MAX = 2 * 2048 };

// By sign and exponent field E: +-2^(E - bias - mantissa bits), where E = 0 counts as 1; 0 for infinities and NaN.
static LLVMValueRef power_table(const TowerEmit *e, FpsanFormat format, unsigned component) {
    FpsanLayout layout = fpsan_layout(format);
    unsigned count = (unsigned)(layout.infinity >> layout.mantissa) + 1;
    uint32_t entries[EXPONENTS_MAX], p = e->tower->prime[component].p;
    int first = layout.emin - (int)layout.mantissa;
    entries[0] = entries[1] = tower_power_of_two(e->tower, first).component[component];
    for (unsigned i = 2; i < count; i++) entries[i] = tower_add_mod(entries[i - 1], entries[i - 1], p);
    entries[count - 1] = 0;
    for (unsigned i = 0; i < count; i++) entries[count + i] = tower_neg_mod(entries[i], p);
    char name[80];
    snprintf(name, sizeof name, "congruent.tower.%s.%u.%u", fpsan_format_info(format)->name, component,
             e->tower->index);
    return tower_table(e, name, entries, 2 * count);
}

// A mantissa of at most 53 bits as a factor in a field; those of 24 bits need not be reduced.
static LLVMValueRef reduce_mantissa(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef mantissa) {
    enum { LOW = 27 };
    if (fpsan_element_bits(mantissa) < 64) return mantissa;
    LLVMValueRef high = word_lshr_constant(e, mantissa, LOW), low = word_and_constant(e, mantissa, (1u << LOW) - 1);
    LLVMValueRef scaled = word_mul_constant(e, high, (1u << LOW) % prime->p);
    return tower_field_reduce(e, prime, word_add(e, scaled, low));
}

// The factors of a mantissa in the fields. Of formats with few exponents and bits the mantissa is shifted instead, so
// that two powers are left to choose from: `mantissa` becomes that.
static void power_factors(const TowerEmit *e, FpsanFormat format, LLVMValueRef exponent, LLVMValueRef is_negative,
                          LLVMValueRef *mantissa, LLVMValueRef *factors) {
    enum { SHIFTS = 16, FACTOR_BITS = 26 };
    const FpsanLayout layout = fpsan_layout(format);
    const unsigned largest = (unsigned)(layout.infinity >> layout.mantissa);
    if (largest >= 2 * SHIFTS || layout.mantissa + SHIFTS > FACTOR_BITS) {
        for (unsigned i = 0; i < e->tower->length; i++)
            factors[i] = tower_look_up(e, power_table(e, format, i), exponent);
        return;
    }
    LLVMValueRef size = word_and_constant(e, exponent, largest);
    LLVMValueRef is_finite = word_compare_constant(e, LLVMIntNE, size, largest);
    LLVMValueRef shift = word_sub_constant(e, tower_maximum(e, size, fpsan_constant(size, 1)), 1);
    LLVMValueRef is_high = word_test(e, shift, SHIFTS);
    LLVMValueRef shifted = LLVMBuildShl(e->builder, *mantissa, word_and_constant(e, shift, SHIFTS - 1), "");
    *mantissa = word_where(e, is_finite, shifted);
    const int first = layout.emin - (int)layout.mantissa;
    const TowerPayload low = tower_power_of_two(e->tower, first), high = tower_power_of_two(e->tower, first + SHIFTS);
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef factor =
            word_select(e, is_high, fpsan_constant(size, high.component[i]), fpsan_constant(size, low.component[i]));
        LLVMValueRef minus = word_sub(e, fpsan_constant(size, e->tower->prime[i].p), factor);
        factors[i] = word_select(e, is_negative, minus, factor);
    }
}

// With products of 52 bits: integers of so many times a power of two, of which there is one, or TOWER_PICKED.
static bool embed_integers(const TowerEmit *e, FpsanFormat format, LLVMValueRef exponent, LLVMValueRef is_negative,
                           LLVMValueRef mantissa, LLVMValueRef *components) {
    enum { PRODUCT_BITS = 52, SHIFTS = 16, SHIFT_BITS = 4 };
    const FpsanLayout layout = fpsan_layout(format);
    const unsigned largest = (unsigned)(layout.infinity >> layout.mantissa);
    const bool picks = largest + layout.mantissa > PRODUCT_BITS;
    if (picks && (largest > SHIFTS * TOWER_PICKED || layout.mantissa + SHIFTS > PRODUCT_BITS)) return false;
    LLVMValueRef size = word_and_constant(e, exponent, largest);
    LLVMValueRef shift = word_sub_constant(e, tower_maximum(e, size, fpsan_constant(size, 1)), 1);
    mantissa = word_where(e, word_compare_constant(e, LLVMIntNE, size, largest), mantissa);
    TowerShifted number = {.mantissa = mantissa, .shift = shift};
    if (picks) number.shift = word_and_constant(e, shift, SHIFTS - 1);
    if (picks) number.pick = word_lshr_constant(e, shift, SHIFT_BITS);
    for (unsigned i = 0; i < e->tower->length; i++) {
        const TowerPrime *prime = &e->tower->prime[i];
        uint32_t powers[TOWER_PICKED];
        for (unsigned k = 0; k < TOWER_PICKED; k++)
            powers[k] = tower_power_of_two(e->tower, layout.emin - (int)layout.mantissa + (int)k * SHIFTS).component[i];
        if (!tower_field_mul_shifted(e, prime, &number, powers, &components[i])) return false;
        // A multiple of the prime is 0, too.
        LLVMValueRef is_other = word_compare_constant(e, LLVMIntNE, components[i], 0);
        LLVMValueRef minus = word_sub(e, fpsan_constant(components[i], prime->p), components[i]);
        LLVMValueRef changes = LLVMBuildAnd(e->builder, is_negative, is_other, "");
        components[i] = word_select(e, changes, minus, components[i]);
    }
    return true;
}

static TowerValue embed_wide(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    FpsanLayout layout = fpsan_layout(format);
    unsigned width = fpsan_element_bits(bits) < 32 ? 32 : fpsan_element_bits(bits);
    bits = fpsan_resize(&emit, bits, width, false);
    uint64_t implicit = (uint64_t)1 << layout.mantissa;
    LLVMValueRef magnitude = word_and_constant(e, bits, layout.magnitude);
    LLVMValueRef fraction = word_and_constant(e, bits, implicit - 1);
    LLVMValueRef is_normal = word_compare_constant(e, LLVMIntUGE, magnitude, implicit);
    LLVMValueRef mantissa = word_or(e, fraction, word_where(e, is_normal, fpsan_constant(bits, implicit)));
    LLVMValueRef exponent = word_and_constant(e, bits, layout.magnitude | layout.sign);
    exponent = fpsan_resize(&emit, word_lshr_constant(e, exponent, layout.mantissa), 32, false);
    LLVMValueRef is_negative = word_compare_constant(e, LLVMIntNE, word_and_constant(e, bits, layout.sign), 0);
    TowerValue result;
    LLVMValueRef factors[TOWER_LENGTH_MAX];
    if (!embed_integers(e, format, exponent, is_negative, mantissa, result.component)) {
        power_factors(e, format, exponent, is_negative, &mantissa, factors);
        for (unsigned i = 0; i < e->tower->length; i++) {
            const TowerPrime *prime = &e->tower->prime[i];
            result.component[i] = tower_field_mul(e, prime, reduce_mantissa(e, prime, mantissa), factors[i]);
        }
    }
    LLVMValueRef word = result.component[0];
    LLVMValueRef infinity =
        word_select(e, is_negative, fpsan_constant(word, TOWER_NEGATIVE_INFINITY << TOWER_KIND_SHIFT),
                    fpsan_constant(word, TOWER_POSITIVE_INFINITY << TOWER_KIND_SHIFT));
    LLVMValueRef is_infinite = word_compare_constant(e, LLVMIntEQ, magnitude, layout.infinity);
    LLVMValueRef is_nan = word_compare_constant(e, LLVMIntUGT, magnitude, layout.nan_above);
    result.state = word_select(e, is_nan, fpsan_constant(word, TOWER_NAN << TOWER_KIND_SHIFT),
                               word_where(e, is_infinite, infinity));
    return result;
}

TowerValue tower_emit_embed(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits) {
    if (e->tower->degrees) return tower_degree_outside(e, (unsigned)format, bits);
    if (fpsan_format_info(format)->bits <= 8) return embed_narrow(e, format, bits);
    // A single float is seldom in a loop that matters, and code for it often: one function for all.
    const bool one = !word_lanes(bits) && !LLVMIsConstant(bits);
    return one ? tower_call_embed(e, format, bits, embed_wide) : embed_wide(e, format, bits);
}

// ---- integers -------------------------------------------------------------------------------------------------------

// An unsigned i64 in a field, its upper half first: (high mod p) (2^32 mod p) + low is small.
static LLVMValueRef reduce_integer(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, bool is_short) {
    if (is_short) return tower_field_reduce(e, prime, a);
    LLVMValueRef high = tower_field_reduce(e, prime, word_lshr_constant(e, a, 32));
    LLVMValueRef wide = LLVMBuildZExt(e->builder, high, LLVMTypeOf(a), "");
    LLVMValueRef scaled = word_mul_constant(e, wide, ((uint64_t)1 << 32) % prime->p);
    return tower_field_reduce(e, prime, word_add(e, scaled, word_and_constant(e, a, UINT32_MAX)));
}

TowerValue tower_emit_integer(const TowerEmit *e, LLVMValueRef integer, bool is_signed) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    if (e->tower->degrees) return tower_degree_outside(e, FPSAN_FORMAT_COUNT + is_signed, integer);
    bool is_short = fpsan_element_bits(integer) <= 32;
    LLVMValueRef a = fpsan_resize(&emit, integer, 64, is_signed);
    LLVMValueRef is_negative = is_signed ? word_compare_constant(e, LLVMIntSLT, a, 0) : fpsan_constant_bits(a, 1, 0);
    if (is_signed) a = word_select(e, is_negative, LLVMBuildNeg(e->builder, a, ""), a);
    TowerValue result;
    for (unsigned i = 0; i < e->tower->length; i++) {
        const TowerPrime *prime = &e->tower->prime[i];
        LLVMValueRef value = reduce_integer(e, prime, a, is_short);
        result.component[i] = word_select(e, is_negative, tower_field_neg(e, prime, value), value);
    }
    result.state = fpsan_constant(result.component[0], 0);
    return result;
}
