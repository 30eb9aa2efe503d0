// SPDX-License-Identifier: Apache-2.0
// The range census: numbers, lanes and states as its code sees them.
#include "compiler/lower/census_internal.h"

#include <stddef.h>

// ---- numbers --------------------------------------------------------------------------------------------------------

bool census_layout(FpsanFormat format, CensusLayout *layout) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    if (!info->is_signed || info->specials == FPSAN_POWER) return false;
    const unsigned below = info->mantissa_bits + info->padding_bits, bits = info->bits + info->padding_bits;
    *layout = (CensusLayout){.lane_bits = info->lane_bits,
                             .fraction_bits = below,
                             .magnitude = (UINT64_C(1) << (bits - 1)) - 1,
                             .bias = (unsigned)info->bias};
    switch (info->specials) {
    case FPSAN_IEEE: layout->infinity = ((UINT64_C(1) << info->exponent_bits) - 1) << below; break;
    case FPSAN_FN: layout->infinity = layout->magnitude; break;
    case FPSAN_FNUZ: layout->nan = layout->magnitude + 1; break;
    default: break;
    }
    return true;
}

LLVMValueRef census_bits(Emit *e, const CensusLayout *layout, const NumericValue *value) {
    LLVMValueRef number = value->parts[0];
    LLVMTypeRef type = vector_type_like(code_integer_type(&e->cx, layout->lane_bits), number);
    return LLVMTypeOf(number) == type ? number : LLVMBuildBitCast(e->cx.builder, number, type, "");
}

LLVMValueRef census_like(const CensusLayout *layout, LLVMValueRef bits, uint64_t value) {
    return vector_integer_like(bits, layout->lane_bits, value);
}

LLVMValueRef census_magnitude(Emit *e, const CensusLayout *layout, LLVMValueRef bits) {
    return LLVMBuildAnd(e->cx.builder, bits, census_like(layout, bits, layout->magnitude), "");
}

// i1 lanes; NULL: all numbers of the format are finite.
LLVMValueRef census_is_finite(Emit *e, const CensusLayout *layout, LLVMValueRef bits, LLVMValueRef magnitude) {
    if (layout->nan) return LLVMBuildICmp(e->cx.builder, LLVMIntNE, bits, census_like(layout, bits, layout->nan), "");
    if (!layout->infinity) return NULL;
    return LLVMBuildICmp(e->cx.builder, LLVMIntULT, magnitude, census_like(layout, bits, layout->infinity), "");
}

LLVMValueRef census_exponent(Emit *e, const CensusLayout *layout, LLVMValueRef magnitude) {
    const uint64_t exponents = layout->magnitude >> layout->fraction_bits << layout->fraction_bits;
    return LLVMBuildAnd(e->cx.builder, magnitude, census_like(layout, magnitude, exponents), "");
}

LLVMValueRef census_is_zero(Emit *e, LLVMValueRef value) {
    return LLVMBuildICmp(e->cx.builder, LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

LLVMValueRef census_greater(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return vector_intrinsic(&e->cx, "llvm.umax", (LLVMValueRef[]){a, b}, 2);
}

LLVMValueRef census_and(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? LLVMBuildAnd(e->cx.builder, a, b, "") : a ? a : b;
}

void census_open_terms(Emit *e, const CensusLayout *layout, unsigned count, const LLVMValueRef *operands,
                       CensusTerms *terms) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef exponents[3] = {NULL};
    for (unsigned i = 0; i < count; i++) exponents[i] = census_exponent(e, layout, operands[i]);
    *terms = (CensusTerms){.exponents = {exponents[0], exponents[1]}};
    if (count < 3) return;
    terms->above = census_like(layout, operands[0], (uint64_t)layout->bias << layout->fraction_bits);
    terms->exponents[0] = LLVMBuildAdd(b, exponents[0], exponents[1], "");
    terms->exponents[1] = LLVMBuildAdd(b, exponents[2], terms->above, "");
}

// ---- lanes ----------------------------------------------------------------------------------------------------------

// The lanes of a vector register.
unsigned census_register_lanes(const Emit *e, const CensusLayout *layout) {
    return e->cx.machine.vector_bits > layout->lane_bits ? e->cx.machine.vector_bits / layout->lane_bits : 1;
}

// Halves of lanes combined until a register holds them.
LLVMValueRef census_combine(Emit *e, const CensusLayout *layout, LLVMValueRef lanes, const char *intrinsic) {
    for (unsigned count = vector_lanes(lanes); count > census_register_lanes(e, layout); count /= 2) {
        LLVMValueRef halves[2];
        for (unsigned h = 0; h < 2; h++) halves[h] = code_lanes(&e->cx, lanes, h * count / 2, count / 2);
        lanes = intrinsic ? vector_intrinsic(&e->cx, intrinsic, halves, 2)
                          : LLVMBuildOr(e->cx.builder, halves[0], halves[1], "");
    }
    return lanes;
}

LLVMValueRef census_is_any(Emit *e, LLVMValueRef mask) {
    return vector_lanes(mask) ? vector_intrinsic(&e->cx, "llvm.vector.reduce.or", &mask, 1) : mask;
}

// The mask as bits of an i64. NULL: all of `lanes`.
LLVMValueRef census_mask_bits(Emit *e, LLVMValueRef mask, unsigned lanes) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    const int64_t all = lanes < 64 ? (INT64_C(1) << lanes) - 1 : -1;
    if (!mask) return code_i64(&e->cx, all);
    if (!vector_lanes(mask))
        return LLVMBuildSelect(e->cx.builder, mask, code_i64(&e->cx, all), code_i64(&e->cx, 0), "");
    mask = LLVMBuildBitCast(e->cx.builder, mask, code_integer_type(&e->cx, lanes), "");
    return LLVMBuildIntCast2(e->cx.builder, mask, i64, false, "");
}

LLVMValueRef census_count_bits(Emit *e, LLVMValueRef bits) {
    return vector_intrinsic(&e->cx, "llvm.ctpop", &bits, 1);
}

// ---- states ---------------------------------------------------------------------------------------------------------

LLVMValueRef census_field_at(Emit *e, LLVMValueRef state, size_t offset) {
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), state, code_i64(&e->cx, (int64_t)offset));
}

// A field as an integer of the width of the lanes.
LLVMValueRef census_load_field(Emit *e, const CensusLayout *layout, LLVMValueRef state, size_t offset) {
    return code_load(&e->cx, code_integer_type(&e->cx, layout->lane_bits), census_field_at(e, state, offset), 8);
}

void census_store_field(Emit *e, LLVMValueRef state, size_t offset, LLVMValueRef value) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    code_store(&e->cx, LLVMBuildIntCast2(e->cx.builder, value, i64, false, ""), census_field_at(e, state, offset), 8);
}

void census_add(Emit *e, LLVMValueRef at, LLVMValueRef count) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    code_store(&e->cx, LLVMBuildAdd(e->cx.builder, code_load(&e->cx, i64, at, 8), count, ""), at, 8);
}

void census_add_counter(Emit *e, LLVMValueRef state, CensusCounter counter, LLVMValueRef count) {
    census_add(e, census_field_at(e, state, offsetof(KernelCensusState, counters) + counter * sizeof(uint64_t)), count);
}

LLVMValueRef census_is_beyond(Emit *e, const CensusLayout *layout, LLVMValueRef state, size_t span,
                              LLVMValueRef magnitude, LLVMValueRef but) {
    LLVMBuilderRef b = e->cx.builder;
    const unsigned lanes = vector_lanes(magnitude);
    LLVMValueRef low = census_load_field(e, layout, state, offsetof(KernelCensusState, low)),
                 most = census_load_field(e, layout, state, span);
    LLVMValueRef above = LLVMBuildSub(b, magnitude, vector_splat(b, low, lanes), "");
    if (but) above = LLVMBuildSelect(b, census_is_zero(e, but), LLVMConstNull(LLVMTypeOf(above)), above, "");
    above = census_combine(e, layout, above, "llvm.umax");
    return LLVMBuildICmp(b, LLVMIntUGE, above, vector_splat(b, most, vector_lanes(above)), "");
}
