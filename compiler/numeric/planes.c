// SPDX-License-Identifier: Apache-2.0
// Records of floats (host_abi.h) as planes: what numerics that have them share.
#include "compiler/numeric/numeric_internal.h"

_Static_assert((int)NUMERIC_PLANE_HIGH == (int)HOST_RECORD_WORDS, "the last plane, which only f64 has");

unsigned numeric_planes(const Numeric *numeric, FpsanFormat format) {
    if (!numeric->has_records) return 1;
    if (numeric->records == HOST_RECORDS_OF_NUMBERS && fpsan_format_info(format)->storage_bits <= 32)
        return NUMERIC_PLANE_LOW;
    return fpsan_format_info(format)->storage_bits > 32 ? 1 + HOST_RECORD_WORDS : HOST_RECORD_WORDS;
}

bool numeric_has_plane(const Numeric *numeric, unsigned plane) {
    if (plane == NUMERIC_PLANE_STORE) return false;
    return plane < NUMERIC_PLANE_COMPONENT + numeric->component_words || plane >= NUMERIC_PLANE_LOW;
}

// How many bits the part has in its plane.
static unsigned kept_bits(FpsanFormat format, unsigned part) {
    return part ? 32 : fpsan_format_info(format)->storage_bits;
}

static bool fits_plane(const NumericContext *cx, FpsanFormat format, unsigned part) {
    LLVMTypeRef type = cx->numeric->part_type(cx, format, part);
    return type == LLVMIntTypeInContext(cx->context, kept_bits(format, part)) ||
           (kept_bits(format, part) == 32 && type == LLVMFloatTypeInContext(cx->context));
}

bool numeric_keeps(const NumericContext *cx, FpsanFormat format) {
    const Numeric *numeric = cx->numeric;
    const FpsanFormatInfo *info = fpsan_format_info(format);
    if (info->bits != info->storage_bits || info->storage_bits < 8 || (numeric->part_count > 1 && !numeric->plane_of_part)) return false;
    for (unsigned p = 0; p < numeric->part_count; p++)
        if (!fits_plane(cx, format, p)) return false;
    return numeric->part_count == 1 || info->storage_bits == 32;
}

static unsigned plane_of(const NumericContext *cx, unsigned part) {
    return part ? cx->numeric->plane_of_part(part) : 0;
}

NumericValue numeric_kept_value(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes) {
    NumericValue value = {0};
    for (unsigned p = 0; p < cx->numeric->part_count; p++)
        value.parts[p] = vector_bitcast(cx, planes[plane_of(cx, p)], cx->numeric->part_type(cx, format, p));
    return value;
}

void numeric_kept_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                         LLVMValueRef *planes) {
    for (unsigned p = 0; p < cx->numeric->part_count; p++)
        planes[plane_of(cx, p)] =
            vector_bitcast(cx, value->parts[p], LLVMIntTypeInContext(cx->context, kept_bits(format, p)));
}

void numeric_pack_planes(const NumericContext *cx, LLVMValueRef store, LLVMValueRef *planes) {
    LLVMBuilderRef b = cx->builder;
    for (unsigned i = 0; i < cx->numeric->component_words; i++) {
        LLVMValueRef *word = &planes[NUMERIC_PLANE_COMPONENT + i], piece = store;
        const HostStorePart part = host_store_part(cx->numeric->records, i);
        if (!part.bits) continue;
        piece = LLVMBuildLShr(b, piece, vector_integer_like(store, 32, part.first), "");
        piece = LLVMBuildShl(b, piece, vector_integer_like(store, 32, part.at), "");
        piece = vector_splat(b, piece, vector_lanes(planes[NUMERIC_PLANE_STATE]));
        *word = part.at ? LLVMBuildOr(b, *word, piece, "") : piece;
    }
}

void numeric_unpack_planes(const NumericContext *cx, LLVMValueRef *planes) {
    for (unsigned i = 0; i < cx->numeric->component_words; i++) {
        LLVMValueRef *word = &planes[NUMERIC_PLANE_COMPONENT + i];
        if (!host_store_part(cx->numeric->records, i).bits) continue;
        LLVMValueRef mask = vector_integer_like(*word, 32, host_component_mask(cx->numeric->records, i));
        *word = LLVMBuildAnd(cx->builder, *word, mask, "");
    }
}

static bool has_high_word(LLVMValueRef bits) {
    return LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(bits))) > 32;
}

LLVMValueRef numeric_high_word(const NumericContext *cx, LLVMValueRef bits) {
    return vector_zext_or_trunc(cx, LLVMBuildLShr(cx->builder, bits, vector_integer_like(bits, 64, 32), ""), 32);
}

static bool has_check(const NumericContext *cx, LLVMValueRef bits) {
    return cx->numeric->records == HOST_RECORDS_OF_NUMBERS && !has_high_word(bits);
}

// host_record_check
static LLVMValueRef check_of(const NumericContext *cx, LLVMValueRef bits) {
    LLVMBuilderRef b = cx->builder;
    bits = vector_zext_or_trunc(cx, bits, 32);
    LLVMValueRef folded = LLVMBuildXor(b, bits, LLVMBuildLShr(b, bits, vector_integer_like(bits, 32, 31), ""), "");
    return LLVMBuildOr(b, folded, vector_integer_like(bits, 32, HOST_RECORD_VALID), "");
}

LLVMValueRef numeric_record_holds(const NumericContext *cx, const LLVMValueRef *planes) {
    LLVMBuilderRef b = cx->builder;
    if (has_check(cx, planes[0]))
        return LLVMBuildICmp(b, LLVMIntEQ, planes[NUMERIC_PLANE_STATE], check_of(cx, planes[0]), "");
    LLVMValueRef state = planes[NUMERIC_PLANE_STATE], low = vector_zext_or_trunc(cx, planes[0], 32);
    LLVMValueRef valid =
        LLVMBuildICmp(b, LLVMIntSLT, state, vector_integer_like(state, 32, 0), ""); // HOST_RECORD_VALID
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, planes[NUMERIC_PLANE_LOW], low, "");
    if (has_high_word(planes[0])) {
        LLVMValueRef high = numeric_high_word(cx, planes[0]);
        same = LLVMBuildAnd(b, same, LLVMBuildICmp(b, LLVMIntEQ, planes[NUMERIC_PLANE_HIGH], high, ""), "");
    }
    return LLVMBuildAnd(b, valid, same, "");
}

void numeric_record_open(const NumericContext *cx, LLVMValueRef bits, LLVMValueRef *planes) {
    planes[0] = bits;
    planes[NUMERIC_PLANE_LOW] = vector_zext_or_trunc(cx, bits, 32);
    planes[NUMERIC_PLANE_STATE] = vector_integer_like(planes[NUMERIC_PLANE_LOW], 32, HOST_RECORD_VALID);
    if (has_check(cx, bits)) planes[NUMERIC_PLANE_STATE] = check_of(cx, bits);
    planes[NUMERIC_PLANE_HIGH] = has_high_word(bits) ? numeric_high_word(cx, bits) : NULL;
}
