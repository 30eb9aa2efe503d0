// SPDX-License-Identifier: Apache-2.0
// cvt: between float formats, between floats and integers, to packed small floats and from them.
//
// Payload arithmetic casts payloads between formats, whatever the rounding; conversions between floats and integers are
// those of the real bits. Roundings to integers that stay floats are functions: floor and ceil have a rule, the others
// are hashes of libdevice's symbol.
#include "compiler/warp/lane_floats.h"

#include "sanitizer/fpsan_llvm.h"

#include <assert.h>
#include <stdio.h>

static FpsanEmit emit_bits(const NumericContext *cx) {
    return (FpsanEmit){cx->context, cx->module, cx->builder, cx->instrumentation.algebra, false};
}

// ---- rounding to integers

static const struct IntegralRow {
    PtxWord word;
    FpsanRule rule;                   // EXTERN: a hash of the symbol
    const char *narrow, *wide, *real; // libdevice's symbols; LLVM's intrinsic
} integral_rows[] = {
    {PTX_WORD_rni, FPSAN_RULE_EXTERN, "__nv_rintf", "__nv_rint", "llvm.roundeven"},
    {PTX_WORD_rzi, FPSAN_RULE_EXTERN, "__nv_truncf", "__nv_trunc", "llvm.trunc"},
    {PTX_WORD_rmi, FPSAN_RULE_FLOOR, "", "", "llvm.floor"},
    {PTX_WORD_rpi, FPSAN_RULE_CEIL, "", "", "llvm.ceil"},
};

static const struct IntegralRow *integral_said(const PtxInstruction *instruction) {
    const PtxWord word = ptx_find(instruction, PTX_SET_integral);
    for (size_t i = 0; i < BASE_COUNT(integral_rows); i++)
        if (integral_rows[i].word == word) return &integral_rows[i];
    return NULL;
}

// The format in which real bits of a format are rounded: LLVM has no operations on smaller ones.
static FpsanFormat real_format(FpsanFormat format) {
    return format == FPSAN_F64 ? FPSAN_F64 : FPSAN_F32;
}

// Real bits of real_format(format), rounded to an integer; of real bits of `format`.
static LLVMValueRef round_bits(const NumericContext *cx, FpsanFormat format, const char *intrinsic, LLVMValueRef bits) {
    const FpsanEmit e = emit_bits(cx);
    const FpsanFormat real = real_format(format);
    if (real != format) bits = fpsan_emit_convert_bits(&e, format, real, bits, FPSAN_NEAREST_EVEN);
    LLVMTypeRef scalar = real == FPSAN_F64 ? LLVMDoubleTypeInContext(cx->context) : LLVMFloatTypeInContext(cx->context);
    LLVMTypeRef word = LLVMTypeOf(bits);
    LLVMValueRef value = LLVMBuildBitCast(cx->builder, bits, vector_type_like(scalar, bits), "");
    return LLVMBuildBitCast(cx->builder, vector_intrinsic(cx, intrinsic, &value, 1), word, "");
}

typedef struct Integral {
    FpsanFormat format;
    const char *intrinsic; // NULL: toward zero, by the conversion itself
    unsigned bits;         // of an integer; 0: stays a float
    bool is_signed;
    bool flush;
} Integral;

static void name_integral(char *name, size_t size, const Integral *integral) {
    snprintf(name, size, "integral.%s.%s.%u.%d.%d", fpsan_format_info(integral->format)->name,
             integral->intrinsic ? integral->intrinsic + sizeof "llvm." - 1 : "", integral->bits, integral->is_signed,
             integral->flush);
}

static bool body_integral(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    const Integral *integral = data;
    const FpsanEmit e = emit_bits(cx);
    const FpsanFormat format = integral->format, real = real_format(format);
    NumericValue value = {.parts = {operands[0]}};
    if (integral->flush) value = lane_flush_value(cx, format, &value);
    LLVMValueRef bits = cx->numeric->to_bits(cx, format, &value);
    bits = round_bits(cx, format, integral->intrinsic ? integral->intrinsic : "llvm.trunc", bits);
    if (integral->bits) {
        *result = fpsan_emit_bits_to_integer(&e, real, bits, integral->bits, integral->is_signed);
        return true;
    }
    if (real != format) bits = fpsan_emit_convert_bits(&e, real, format, bits, FPSAN_NEAREST_EVEN);
    *result = cx->numeric->from_bits(cx, format, bits).parts[0];
    return true;
}

// ---- floats to integers

// NaN becomes 0, but of doubles and of integers with 64 bits the integer whose highest bit alone is set. In payload
// arithmetic always 0, as in Triton.
static LLVMValueRef convert_nan(LaneCode *code, FpsanFormat format, const NumericValue *value, LLVMValueRef integer) {
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(integer)));
    if (lane_in_place(code) || (format != FPSAN_F64 && bits != 64)) return integer;
    const FloatOp same = {.rule = FPSAN_RULE_COUNT, .operand = format, .result = format, .predicate = FPSAN_EQUAL};
    LLVMValueRef is_number;
    if (!lane_compare_floats(code, &same, value, value, &is_number)) return integer;
    return LLVMBuildSelect(code->cx.builder, is_number, integer, lane_constant(code, bits, UINT64_C(1) << (bits - 1)),
                           "");
}

bool lane_emit_float_to_integer(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType to = (PtxType)instruction->types[0], from = (PtxType)instruction->types[1];
    const PtxTypeInfo *info = ptx_type_info(to);
    const struct IntegralRow *row = integral_said(instruction);
    const FpsanFormat format = ptx_type_info(from)->format;
    const NumericValue value = lane_read_float(code, &instruction->operands[1], format, 1);
    const Integral integral = {format, row && row->word != PTX_WORD_rzi ? row->real : NULL, info->bits,
                               info->kind == PTX_SIGNED,
                               !lane_in_place(code) && format == FPSAN_F32 && ptx_has(instruction, PTX_WORD_ftz)};
    char name[64];
    LLVMValueRef integer;
    name_integral(name, sizeof name, &integral);
    if (!lane_call_shared(code, &(LaneShared){name, lane_type(code, info->bits), body_integral, &integral}, value.parts,
                          1, &integer))
        return false;
    lane_write(code, &instruction->operands[0], convert_nan(code, format, &value, integer), to);
    return true;
}

// ---- integers to floats

typedef struct FromInteger {
    FpsanFormat format;
    FpsanRounding rounding;
    bool is_signed;
} FromInteger;

// The integer as a double rounded in that direction: the sum of two doubles that are exact.
static bool directed_double(const NumericContext *cx, const FromInteger *from, LLVMValueRef integer,
                            NumericValue *result) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef type = vector_type_like(LLVMDoubleTypeInContext(cx->context), integer);
    LLVMValueRef low = LLVMBuildAnd(b, integer, vector_integer_like(integer, 64, UINT32_MAX), "");
    LLVMValueRef high = LLVMBuildSub(b, integer, low, "");
    NumericValue parts[2] = {
        {.parts = {from->is_signed ? LLVMBuildSIToFP(b, high, type, "") : LLVMBuildUIToFP(b, high, type, "")}},
        {.parts = {LLVMBuildUIToFP(b, low, type, "")}}};
    FloatOp add = float_rule(FPSAN_RULE_ADD, FPSAN_F64);
    add.rounding = from->rounding;
    return cx->numeric->apply(cx, &add, parts, 2, result);
}

// The integer as a double that rounds to a narrower format as the integer does: bits that do not fit are kept as one.
static LLVMValueRef sticky_double(const NumericContext *cx, const FromInteger *from, LLVMValueRef integer) {
    enum { CUT = 12 };
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef type = vector_type_like(LLVMDoubleTypeInContext(cx->context), integer);
    LLVMValueRef low = LLVMBuildAnd(b, integer, vector_integer_like(integer, 64, (1u << CUT) - 1), "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, low, vector_integer_like(integer, 64, 0), "");
    some = LLVMBuildShl(b, LLVMBuildZExt(b, some, LLVMTypeOf(integer), ""), vector_integer_like(integer, 64, CUT), "");
    LLVMValueRef cut = LLVMBuildOr(b, LLVMBuildSub(b, integer, low, ""), some, "");
    // Integers that doubles have need no cut: of magnitudes up to 2^52.
    LLVMValueRef bound = vector_integer_like(integer, 64, from->is_signed ? UINT64_C(1) << 52 : 0);
    LLVMValueRef small = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildAdd(b, integer, bound, ""),
                                       vector_integer_like(integer, 64, UINT64_C(1) << 53), "");
    LLVMValueRef exact = LLVMBuildSelect(b, small, integer, cut, "");
    return from->is_signed ? LLVMBuildSIToFP(b, exact, type, "") : LLVMBuildUIToFP(b, exact, type, "");
}

static bool body_from_integer(NumericContext *cx, const void *data, const LLVMValueRef *operands,
                              LLVMValueRef *result) {
    const FromInteger *from = data;
    const bool directed = from->rounding != FPSAN_NEAREST_EVEN;
    FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = FPSAN_F64, .result = from->format, .is_signed = from->is_signed};
    NumericValue value = {.parts = {operands[0]}}, out;
    bool good;
    if (!directed) {
        op.operand = from->format;
        good = cx->numeric->from_integer(cx, &op, &value, &out);
    } else if (from->format == FPSAN_F64) {
        good = directed_double(cx, from, operands[0], &out);
    } else {
        op.rounding = from->rounding;
        value.parts[0] = sticky_double(cx, from, operands[0]);
        good = cx->numeric->convert(cx, &op, &value, &out);
    }
    if (good) *result = out.parts[0];
    return good;
}

bool lane_emit_integer_to_float(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType to = (PtxType)instruction->types[0], from = (PtxType)instruction->types[1];
    const FpsanFormat format = ptx_type_info(to)->format;
    FromInteger how = {format, lane_rounding(instruction), ptx_type_info(from)->kind == PTX_SIGNED};
    if (lane_in_place(code)) how.rounding = FPSAN_NEAREST_EVEN;
    const bool directed = how.rounding != FPSAN_NEAREST_EVEN;
    const unsigned bits = directed ? 64 : ptx_type_info(from)->bits;
    LLVMValueRef integer = lane_read_type(code, &instruction->operands[1], from);
    NumericValue result = {0};
    char name[64];
    if (directed && ptx_type_info(from)->bits < 64)
        integer = how.is_signed ? LLVMBuildSExt(code->cx.builder, integer, lane_type(code, 64), "")
                                : LLVMBuildZExt(code->cx.builder, integer, lane_type(code, 64), "");
    snprintf(name, sizeof name, "from_integer.%s.%u.%d.%s", fpsan_format_info(format)->name, bits, how.is_signed,
             fpsan_rounding_name(how.rounding));
    LLVMTypeRef type = LLVMVectorType(code->cx.numeric->part_type(&code->cx, format, 0), WARP_LANES);
    if (!lane_call_shared(code, &(LaneShared){name, type, body_from_integer, &how}, &integer, 1, &result.parts[0]))
        return false;
    if (ptx_has(instruction, PTX_WORD_sat) && !lane_saturate(code, format, &result)) return false;
    lane_write_float(code, &instruction->operands[0], format, 1, &result);
    return true;
}

// ---- floats to floats of the same type

static bool round_in_place(LaneCode *code, const struct IntegralRow *row, FpsanFormat format, NumericValue *value) {
    char name[64];
    if (lane_in_place(code) && row->rule == FPSAN_RULE_EXTERN) {
        *value = lane_apply_extern(code, format == FPSAN_F64 ? row->wide : row->narrow, format, value, 1);
        return true;
    }
    if (lane_in_place(code)) {
        const FloatOp op = float_rule(row->rule, format);
        return lane_apply(code, &op, value, 1, value);
    }
    const Integral integral = {.format = format, .intrinsic = row->real};
    name_integral(name, sizeof name, &integral);
    return lane_call_shared(code, &(LaneShared){name, LLVMTypeOf(value->parts[0]), body_integral, &integral},
                            value->parts, 1, &value->parts[0]);
}

// ---- floats to floats

// The conversion that the instruction's words say, between two formats. Flushing is done by those who call.
static FloatOp conversion_said(const PtxInstruction *instruction, FpsanFormat from, FpsanFormat to) {
    return (FloatOp){.rule = FPSAN_RULE_COUNT,
                     .operand = from,
                     .result = to,
                     .rounding = lane_rounding(instruction),
                     .saturating = ptx_has(instruction, PTX_WORD_satfinite)};
}

// Small formats have no arithmetic. As rounding keeps the order, a maximum may be taken before or behind a conversion.
static bool has_maximum(FpsanFormat format) {
    return fpsan_format_info(format)->bits >= 16 && format != FPSAN_TF32;
}

// GPUs have one NaN of a byte, without a sign.
static void make_nan_canonical(LaneCode *code, FpsanFormat format, NumericValue *value) {
    enum { NAN_BITS = 0x7f, E5M2_INFINITY = 0x7c };
    LLVMBuilderRef b = code->cx.builder;
    if (format != FPSAN_F8E4M3FN && format != FPSAN_F8E5M2) return;
    const unsigned last = format == FPSAN_F8E5M2 ? E5M2_INFINITY : NAN_BITS - 1;
    LLVMValueRef bits = value->parts[0], nan = vector_integer_like(bits, 8, NAN_BITS);
    LLVMValueRef is_nan =
        LLVMBuildICmp(b, LLVMIntUGT, LLVMBuildAnd(b, bits, nan, ""), vector_integer_like(bits, 8, last), "");
    value->parts[0] = LLVMBuildSelect(b, is_nan, nan, bits, "");
}

static bool convert_value(LaneCode *code, const PtxInstruction *instruction, FpsanFormat from, FpsanFormat to,
                          NumericValue *value) {
    const FloatOp op = conversion_said(instruction, from, to);
    const bool relu = ptx_has(instruction, PTX_WORD_relu), wide = has_maximum(from);
    if (relu && wide && !lane_relu(code, from, value)) return false;
    if (from != to && !lane_convert(code, &op, value, value)) return false;
    if (relu && !wide && !lane_relu(code, to, value)) return false;
    if (!lane_in_place(code)) make_nan_canonical(code, to, value);
    return true;
}

bool lane_emit_float_to_float(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType to_type = (PtxType)instruction->types[0], from_type = (PtxType)instruction->types[1];
    const FpsanFormat to = ptx_type_info(to_type)->format, from = ptx_type_info(from_type)->format;
    const struct IntegralRow *row = integral_said(instruction);
    const bool flush = ptx_has(instruction, PTX_WORD_ftz);
    NumericValue value = lane_read_float(code, &instruction->operands[1], from, 1);
    if (row && from != to) return lane_refuse(code, "rounding to an integer changes no format");
    if (flush && from == FPSAN_F32) value = lane_flush_subnormals(code, from, &value);
    if (row && !round_in_place(code, row, from, &value)) return false;
    if (!convert_value(code, instruction, from, to, &value)) return false;
    if (flush && to == FPSAN_F32) value = lane_flush_subnormals(code, to, &value);
    if (ptx_has(instruction, PTX_WORD_sat) && !lane_saturate(code, to, &value)) return false;
    lane_write_float(code, &instruction->operands[0], lane_register_format(code, to), 1, &value);
    return true;
}

// ---- packed floats

// The elements of two operands as one vector; of `first` come first in each lane.
static LLVMValueRef interleave_lanes(LaneCode *code, LLVMValueRef first, LLVMValueRef second) {
    LLVMValueRef mask[2 * WARP_LANES];
    for (unsigned i = 0; i < 2 * WARP_LANES; i++)
        mask[i] = code_i32(&code->cx, (int32_t)(i / 2 + (i % 2 ? WARP_LANES : 0)));
    return LLVMBuildShuffleVector(code->cx.builder, first, second, LLVMConstVector(mask, 2 * WARP_LANES), "");
}

// Writes floats of formats whose elements may be half a byte.
static void write_packed(LaneCode *code, const PtxInstruction *instruction, PtxType type, const NumericValue *value) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->format != FPSAN_F4E2M1FN) {
        lane_write_float(code, &instruction->operands[0], info->format, info->elements, value);
        return;
    }
    LLVMValueRef bytes = lane_bits_of_float(code, info->format, value);
    LLVMTypeRef nibbles = LLVMVectorType(code_integer_type(&code->cx, 4), WARP_LANES * info->elements);
    LLVMValueRef packed =
        LLVMBuildBitCast(builder, LLVMBuildTrunc(builder, bytes, nibbles, ""), lane_type(code, info->bits), "");
    lane_write(code, &instruction->operands[0], packed, type);
}

static NumericValue read_packed(LaneCode *code, const PtxOperand *operand, PtxType type) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->format != FPSAN_F4E2M1FN) return lane_read_float(code, operand, info->format, info->elements);
    LLVMTypeRef nibbles = LLVMVectorType(code_integer_type(&code->cx, 4), WARP_LANES * info->elements);
    LLVMTypeRef bytes = LLVMVectorType(code_integer_type(&code->cx, 8), WARP_LANES * info->elements);
    LLVMValueRef packed = lane_read(code, operand, info->bits, false);
    packed = LLVMBuildZExt(builder, LLVMBuildBitCast(builder, packed, nibbles, ""), bytes, "");
    return lane_float_of_bits(code, info->format, packed);
}

// d, a, b: a becomes the upper element. Or d, a: both elements of a.
bool lane_emit_pair_convert(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType to_type = (PtxType)instruction->types[0], from_type = (PtxType)instruction->types[1];
    const FpsanFormat to = ptx_type_info(to_type)->format, from = ptx_type_info(from_type)->format;
    NumericValue value = read_packed(code, &instruction->operands[1], from_type);
    if (instruction->operand_count > 2) {
        const NumericValue low = read_packed(code, &instruction->operands[2], from_type);
        value.parts[0] = interleave_lanes(code, low.parts[0], value.parts[0]);
    }
    if (!convert_value(code, instruction, from, to, &value)) return false;
    write_packed(code, instruction, to_type, &value);
    return true;
}

// d, a, b, r or d, {a, b, e, f}, r: what is rounded off is compared with random bits. Payloads have no rounding.
bool lane_emit_random_convert(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType to_type = (PtxType)instruction->types[0];
    const FpsanFormat to = ptx_type_info(to_type)->format;
    const PtxOperand *list = &instruction->operands[1];
    NumericValue value;
    if (!lane_in_place(code)) return lane_refuse(code, "stochastic rounding (.rs) is not supported in IEEE arithmetic");
    LLVMValueRef pairs[2];
    const bool four = list->kind == PTX_LIST;
    const unsigned count = four ? 2 : 1;
    if (four && list->count != 4) return lane_refuse(code, "its list is not of 4 registers");
    for (unsigned i = 0; i < count; i++) { // the last operand is the lowest element
        const PtxOperand *high = four ? &list->items[2 - 2 * i] : list;
        const PtxOperand *low = four ? &list->items[3 - 2 * i] : &instruction->operands[2];
        pairs[i] = interleave_lanes(code, lane_read_float(code, low, FPSAN_F32, 1).parts[0],
                                    lane_read_float(code, high, FPSAN_F32, 1).parts[0]);
    }
    value.parts[0] = pairs[0];
    if (four) {
        LLVMValueRef mask[4 * WARP_LANES];
        for (unsigned i = 0; i < 4 * WARP_LANES; i++)
            mask[i] = code_i32(&code->cx, (int32_t)(i / 4 * 2 + i % 2 + (i % 4 >= 2 ? 2 * WARP_LANES : 0)));
        value.parts[0] =
            LLVMBuildShuffleVector(code->cx.builder, pairs[0], pairs[1], LLVMConstVector(mask, 4 * WARP_LANES), "");
    }
    if (!convert_value(code, instruction, FPSAN_F32, to, &value)) return false;
    write_packed(code, instruction, to_type, &value);
    return true;
}

// ---- packed integers

// The integers saturated to the type, in its low bits, as 32 bits.
static LLVMValueRef saturate_integers(LaneCode *code, LLVMValueRef value, const PtxTypeInfo *info) {
    const bool is_signed = info->kind == PTX_SIGNED;
    const int64_t most = (INT64_C(1) << (info->bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    LLVMValueRef operands[2] = {value, lane_constant(code, 32, (uint64_t)least)};
    operands[0] = vector_intrinsic(&code->cx, "llvm.smax", operands, 2);
    operands[1] = lane_constant(code, 32, (uint64_t)most);
    value = vector_intrinsic(&code->cx, "llvm.smin", operands, 2);
    return LLVMBuildAnd(code->cx.builder, value, lane_constant(code, 32, (UINT64_C(1) << info->bits) - 1), "");
}

// cvt.pack.sat.TYPE.s32 d, a, b {, c}: b in the lowest bits, then a, then the low bits of c.
bool lane_emit_pack(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxTypeInfo *info = ptx_type_info((PtxType)instruction->types[0]);
    LLVMValueRef parts[3];
    for (unsigned i = 0; i < 2; i++)
        parts[i] = saturate_integers(code, lane_read(code, &instruction->operands[2 - i], 32, true), info);
    parts[1] = LLVMBuildShl(builder, parts[1], lane_constant(code, 32, info->bits), "");
    LLVMValueRef packed = LLVMBuildOr(builder, parts[0], parts[1], "");
    if (instruction->operand_count > 3) {
        parts[2] = lane_read(code, &instruction->operands[3], 32, false);
        parts[2] = LLVMBuildShl(builder, parts[2], lane_constant(code, 32, 2 * info->bits), "");
        packed = LLVMBuildOr(builder, packed, parts[2], "");
    }
    lane_write(code, &instruction->operands[0], packed, PTX_b32);
    return true;
}
