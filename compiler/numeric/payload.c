// SPDX-License-Identifier: Apache-2.0
// The numeric `payload`: FpSan's algebra from fpsan_llvm.h behind the interface, and its dots in the machine's integer
// instructions.
#include "compiler/numeric/numeric_internal.h"

#include <assert.h>

static LLVMTypeRef payload_part_type(const NumericContext *cx, FpsanFormat format, unsigned part) {
    (void)part;
    return LLVMIntTypeInContext(cx->context, fpsan_format_info(format)->lane_bits);
}

static NumericValue one_part(LLVMValueRef part) {
    return (NumericValue){.parts = {part}};
}

static NumericValue payload_constant(const NumericContext *cx, FpsanFormat format, uint64_t bits) {
    uint64_t payload = fpsan_embed(cx->instrumentation.algebra.profile, format, bits);
    return one_part(LLVMConstInt(payload_part_type(cx, format, 0), payload, 0));
}

static NumericValue payload_from_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    FpsanEmit e = numeric_emit(cx);
    return one_part(fpsan_emit_embed(&e, format, bits));
}

static LLVMValueRef payload_to_bits(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    FpsanEmit e = numeric_emit(cx);
    return fpsan_emit_unembed(&e, format, value->parts[0]);
}

static NumericValue payload_from_planes(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes) {
    return payload_from_bits(cx, format, planes[0]);
}

static void payload_to_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                              LLVMValueRef *planes) {
    planes[0] = payload_to_bits(cx, format, value);
}

// Rounding, flushing, saturation and what min and max do with NaN change nothing in the algebra: it honours all.
static bool payload_honours(const NumericContext *cx, const FloatOp *op, const char *what) {
    return numeric_honours(cx, op, what, ROUNDINGS_ALL, cx->numeric->honours);
}

static bool payload_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                          NumericValue *result) {
    LLVMValueRef parts[4];
    FpsanEmit e = numeric_emit(cx);
    if (!payload_honours(cx, op, fpsan_rule_info(op->rule)->name)) return false;
    if (count > BASE_COUNT(parts)) return numeric_refuse(cx, "%u operands are too many", count);
    for (unsigned i = 0; i < count; i++) parts[i] = operands[i].parts[0];
    const FpsanRule rule = op->symbol ? fpsan_symbol_rule(op->symbol) : op->rule;
    LLVMValueRef value = rule == FPSAN_RULE_EXTERN && op->symbol
                             ? fpsan_emit_extern(&e, op->result, op->symbol, parts, count)
                             : fpsan_emit(&e, rule, op->result, parts, count);
    if (!value)
        return numeric_refuse(cx, "the payload algebra has no %s of %u operands on %s", fpsan_rule_info(op->rule)->name,
                              count, fpsan_format_info(op->result)->name);
    *result = one_part(value);
    return true;
}

static bool payload_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *value,
                            NumericValue *result) {
    FpsanEmit e = numeric_emit(cx);
    if (!payload_honours(cx, op, "conversions")) return false;
    LLVMValueRef payload = op->symbol ? fpsan_emit_extern(&e, op->result, op->symbol, value->parts, 1)
                                      : fpsan_emit_cast(&e, op->operand, op->result, value->parts[0], op->rounding);
    if (!payload)
        return numeric_refuse(cx, "the payload algebra has no cast from %s to %s", fpsan_format_info(op->operand)->name,
                              fpsan_format_info(op->result)->name);
    *result = one_part(payload);
    return true;
}

static bool payload_from_integer(const NumericContext *cx, const FloatOp *op, const NumericValue *integer,
                                 NumericValue *result) {
    FpsanEmit e = numeric_emit(cx);
    if (!payload_honours(cx, op, "conversions from integer to float")) return false;
    LLVMValueRef payload = fpsan_emit_from_int(&e, op->result, integer->parts[0], op->is_signed);
    if (!payload) return numeric_refuse(cx, "no conversion from integer to %s", fpsan_format_info(op->result)->name);
    *result = one_part(payload);
    return true;
}

static bool payload_to_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                               NumericValue *result) {
    FpsanEmit e = numeric_emit(cx);
    if (!numeric_honours(cx, op, "conversions from float to integer", 1u << FPSAN_TOWARD_ZERO, FLOAT_SATURATING))
        return false;
    result->parts[0] = fpsan_emit_to_int(&e, op->operand, value->parts[0], LLVMGetIntTypeWidth(type), op->is_signed);
    return result->parts[0] ||
           numeric_refuse(cx, "no conversion from %s to integer", fpsan_format_info(op->operand)->name);
}

static bool payload_compare(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                            NumericValue *result) {
    FpsanEmit e = numeric_emit(cx);
    if (!payload_honours(cx, op, "comparisons")) return false;
    result->parts[0] = fpsan_emit_compare(&e, op->operand, op->predicate, !op->unordered, a->parts[0], b->parts[0]);
    return result->parts[0] || numeric_refuse(cx, "no comparison of %s", fpsan_format_info(op->operand)->name);
}

// ---- dots ---------------------------------------------------------------------------------------

// Operands of at most 16 bits for a 32-bit accumulator stay 16 bits wide (the sign-extended payload), for
// multiply-add-pairs.
static bool pairs_of_16(const Machine *machine, FpsanFormat operand, FpsanFormat accumulator) {
    if (!machine->adds_pairs) return false;
    unsigned ring = fpsan_format_info(operand)->ring_bits;
    return fpsan_format_info(accumulator)->ring_bits == 32 && ring && ring <= 16;
}

// Products of 32 bits mod 2^32 as well, where three multiply-adds of pairs of halves for two products are fewer than
// two multiplications, of two instructions each, and two additions.
static bool pairs_of_halves(const Machine *machine, FpsanFormat operand, FpsanFormat accumulator) {
    return fpsan_format_info(accumulator)->ring_bits == 32 && fpsan_format_info(operand)->ring_bits == 32 &&
           machine_vector(machine, MACHINE_MULTIPLY_ADD_PAIRS, NULL);
}

static bool payload_dot_plan(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan) {
    const FpsanFormat operand = op->operand, accumulator = op->result;
    unsigned ring = fpsan_format_info(accumulator)->ring_bits;
    if (!payload_honours(cx, op, "dots")) return false;
    if (!fpsan_format_info(operand)->ring_bits || ring < 16)
        return numeric_refuse(cx, "no dot of %s into %s", fpsan_format_info(operand)->name,
                              fpsan_format_info(accumulator)->name);
    LLVMTypeRef lane = LLVMIntTypeInContext(cx->context, ring);
    *plan = (NumericDot){.operand_format = operand,
                         .accumulator_format = accumulator,
                         .part = part,
                         .operand_type = lane,
                         .accumulator_type = lane,
                         .group = 1};
    bool halves = pairs_of_halves(&cx->machine, operand, accumulator);
    if (halves) plan->pieces = 2;
    if (halves || pairs_of_16(&cx->machine, operand, accumulator)) {
        plan->operand_type = LLVMInt16TypeInContext(cx->context);
        plan->group = 2;
    }
    return true;
}

// The low half as a signed number, and what then is missing, mod 2^16.
static LLVMValueRef half_of(const NumericContext *cx, unsigned half, LLVMValueRef value) {
    LLVMTypeRef type = vector_type_like(LLVMInt16TypeInContext(cx->context), value);
    if (half) {
        value = LLVMBuildAdd(cx->builder, value, vector_integer_like(value, 32, 0x8000), "");
        value = LLVMBuildLShr(cx->builder, value, vector_integer_like(value, 32, 16), "");
    }
    return LLVMBuildTrunc(cx->builder, value, type, "");
}

static LLVMValueRef byte_of(const NumericContext *cx, unsigned byte, LLVMValueRef value) {
    unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    if (byte) value = LLVMBuildLShr(cx->builder, value, vector_integer_like(value, bits, 8 * byte), "");
    return vector_zext_or_trunc(cx, value, 8);
}

// One byte of each lane; lane i of the result has those of lanes i, i + lanes / 4, ... of the value, the first in its
// lowest bits.
static LLVMValueRef merge_bytes(const NumericContext *cx, unsigned byte, LLVMValueRef value) {
    LLVMBuilderRef builder = cx->builder;
    unsigned lanes = vector_lanes(value) / 4;
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef part = vector_zext_or_trunc(cx, vector_slice(cx, value, i * lanes, lanes), 32);
        LLVMValueRef distance = vector_integer_like(part, 32, 8 * (i > byte ? i - byte : byte - i));
        if (i != byte)
            part = i > byte ? LLVMBuildShl(builder, part, distance, "") : LLVMBuildLShr(builder, part, distance, "");
        part = LLVMBuildAnd(builder, part, vector_integer_like(part, 32, UINT32_C(0xff) << 8 * i), "");
        all = all ? LLVMBuildOr(builder, all, part, "") : part;
    }
    return all;
}

static bool payload_dot_tiles(const NumericContext *cx, NumericDot *plan) {
    unsigned operand = fpsan_format_info(plan->operand_format)->ring_bits,
             ring = fpsan_format_info(plan->accumulator_format)->ring_bits;
    if (!machine_has(&cx->machine, MACHINE_AMX_INT8) || ring > 32 || operand < 8) return false;
    plan->operand_type = LLVMInt8TypeInContext(cx->context);
    plan->accumulator_type = LLVMInt32TypeInContext(cx->context);
    plan->group = 4;
    plan->pieces = (operand < ring ? operand : ring) / 8;
    plan->tiles = true;
    return true;
}

static bool payload_dot_matrix(const NumericContext *cx, NumericDot *plan) {
    unsigned operand = fpsan_format_info(plan->operand_format)->ring_bits,
             ring = fpsan_format_info(plan->accumulator_format)->ring_bits;
    plan->matrix = NUMERIC_MATRIX_BYTES;
    plan->operand_type = LLVMInt8TypeInContext(cx->context);
    plan->accumulator_type = LLVMInt32TypeInContext(cx->context);
    plan->group = 1;
    plan->pieces = ((operand < ring ? operand : ring) + 7) / 8;
    return true;
}

static LLVMValueRef payload_dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                                        const NumericValue *value) {
    FpsanEmit e = numeric_emit(cx);
    if (plan->tiles || plan->matrix) {
        LLVMValueRef all = value->parts[0];
        if (fpsan_format_info(plan->operand_format)->ring_bits != 8 * plan->pieces)
            all = fpsan_emit_dot_operand(&e, plan->operand_format, plan->accumulator_format, all);
        return plan->merged ? merge_bytes(cx, piece, all) : byte_of(cx, piece, all);
    }
    if (plan->pieces)
        return half_of(cx, piece,
                       fpsan_emit_dot_operand(&e, plan->operand_format, plan->accumulator_format, value->parts[0]));
    // Any format with a 16-bit ring stands for "16 bits wide" here: widening depends on the widths alone.
    bool pairs = plan->group == 2;
    FpsanFormat ring = !pairs                                                     ? plan->accumulator_format
                       : fpsan_format_info(plan->operand_format)->ring_bits == 16 ? plan->operand_format
                                                                                  : FPSAN_BF16;
    return fpsan_emit_dot_operand(&e, plan->operand_format, ring, value->parts[0]);
}

static FpsanFormat payload_scaled_format(const NumericContext *cx, FpsanFormat a, FpsanFormat b) {
    (void)cx;
    return fpsan_scaled_compute_format(a, b);
}

static LLVMValueRef payload_dot_accumulator(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part) {
    (void)cx;
    (void)plan;
    return part;
}

static LLVMValueRef payload_dot_carry(const NumericContext *cx, LLVMValueRef accumulator, LLVMValueRef start) {
    LLVMValueRef high = LLVMBuildShl(cx->builder, accumulator, vector_integer_like(accumulator, 32, 16), "");
    return LLVMBuildAdd(cx->builder, high, start, "");
}

// An instruction for accumulators of that many lanes; NULL: there is none.
static const MachineVector *pair_instruction(const Machine *machine, unsigned lanes) {
    const MachineVector *row = NULL;
    do row = machine_vector(machine, MACHINE_MULTIPLY_ADD_PAIRS | MACHINE_MULTIPLY_PAIRS, row);
    while (row && (!lanes || lanes % row->lanes));
    return row;
}

static LLVMValueRef dot_pairs(const NumericContext *cx, const MachineVector *chosen, LLVMValueRef accumulator,
                              LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef pieces[NUMERIC_LANES_MAX / 4];
    unsigned count = vector_lanes(accumulator) / chosen->lanes;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef sum = vector_slice(cx, accumulator, i * chosen->lanes, chosen->lanes);
        LLVMValueRef x = vector_slice(cx, a, i * 2 * chosen->lanes, 2 * chosen->lanes);
        LLVMValueRef y = vector_slice(cx, b, i * 2 * chosen->lanes, 2 * chosen->lanes);
        pieces[i] = chosen->use == MACHINE_MULTIPLY_ADD_PAIRS
                        ? vector_intrinsic_of(cx, chosen->name, NULL, 0, (LLVMValueRef[]){sum, x, y}, 3)
                        : LLVMBuildAdd(cx->builder, sum,
                                       vector_intrinsic_of(cx, chosen->name, NULL, 0, (LLVMValueRef[]){x, y}, 2), "");
    }
    return vector_join(cx, pieces, count);
}

static LLVMValueRef dot_pairs_generic(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                                      LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef sum = accumulator;
    LLVMTypeRef type = LLVMTypeOf(accumulator);
    for (unsigned i = 0; i < plan->group; i++) {
        LLVMValueRef x = vector_stride(cx, a, i, plan->group), y = vector_stride(cx, b, i, plan->group);
        if (!vector_lanes(accumulator)) {
            LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(cx->context), 0, 0);
            x = LLVMBuildExtractElement(cx->builder, x, zero, "");
            y = LLVMBuildExtractElement(cx->builder, y, zero, "");
        }
        x = LLVMBuildSExt(cx->builder, x, type, "");
        y = LLVMBuildSExt(cx->builder, y, type, "");
        sum = LLVMBuildAdd(cx->builder, sum, LLVMBuildMul(cx->builder, x, y, ""), "");
    }
    return sum;
}

static LLVMValueRef payload_dot_step(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                                     LLVMValueRef a, LLVMValueRef b) {
    if (plan->group == 1) return LLVMBuildAdd(cx->builder, accumulator, LLVMBuildMul(cx->builder, a, b, ""), "");
    const MachineVector *chosen = pair_instruction(&cx->machine, vector_lanes(accumulator));
    if (chosen) return dot_pairs(cx, chosen, accumulator, a, b);
    return dot_pairs_generic(cx, plan, accumulator, a, b);
}

static bool payload_scaled_operand(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                                   const NumericValue *value, const NumericValue *scale, NumericValue *result) {
    FpsanEmit e = numeric_emit(cx);
    *result = one_part(
        fpsan_emit_scaled_operand(&e, op->operand, scale_format, op->result, value->parts[0], scale->parts[0]));
    return true;
}

static const NumericDots payload_dots = {
    .plan = payload_dot_plan,
    .operand = payload_dot_operand,
    .begin = payload_dot_accumulator,
    .end = payload_dot_accumulator,
    .step = payload_dot_step,
    .carry = payload_dot_carry,
    .tiles = payload_dot_tiles,
    .matrix = payload_dot_matrix,
    .scaled_format = payload_scaled_format,
    .scaled_operand = payload_scaled_operand,
};

const Numeric numeric_payload = {
    .name = "payload",
    .honours = FLOAT_FLUSH_TO_ZERO | FLOAT_SATURATING | FLOAT_PROPAGATE_NAN,
    .part_count = 1,
    .integer_parts = 1,
    .prints_payloads = true,
    .exact_addition = true,
    .part_type = payload_part_type,
    .constant = payload_constant,
    .from_planes = payload_from_planes,
    .to_planes = payload_to_planes,
    .to_bits = payload_to_bits,
    .from_bits = payload_from_bits,
    .apply = payload_apply,
    .convert = payload_convert,
    .from_integer = payload_from_integer,
    .to_integer = payload_to_integer,
    .compare = payload_compare,
    .dots = &payload_dots,
};
