// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers: sums, products, quotients, extremes, and long integers with the carry of each thread.
#include "compiler/warp/lane_integer.h"

#include <assert.h>

// ---- pieces

static PtxType integer_wide_type(PtxType type) {
    switch (type) {
    case PTX_u16: return PTX_u32;
    case PTX_s16: return PTX_s32;
    case PTX_u32: return PTX_u64;
    default: assert(type == PTX_s32); return PTX_s64;
    }
}

LLVMValueRef integer_constant(const IntegerJob *job, uint64_t value) {
    return vector_integer_like(job->a, job->bits, value);
}

LLVMValueRef integer_resize(const IntegerJob *job, LLVMValueRef value, unsigned bits, bool sign) {
    const unsigned now = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    LLVMTypeRef type = vector_type_like(code_integer_type(&job->code->cx, bits), value);
    if (now == bits) return value;
    if (now > bits) return LLVMBuildTrunc(job->builder, value, type, "");
    return sign ? LLVMBuildSExt(job->builder, value, type, "") : LLVMBuildZExt(job->builder, value, type, "");
}

static LLVMValueRef integer_elements(const LaneCode *code, LLVMValueRef registers, PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->elements == 1) return registers;
    LLVMTypeRef element = code_integer_type(&code->cx, info->bits / info->elements);
    return LLVMBuildBitCast(code->cx.builder, registers, LLVMVectorType(element, WARP_LANES * info->elements), "");
}

static LLVMValueRef integer_registers(const LaneCode *code, LLVMValueRef elements, PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->elements == 1) return elements;
    return LLVMBuildBitCast(code->cx.builder, elements, lane_type(code, info->bits), "");
}

LLVMValueRef integer_call(const IntegerJob *job, const char *name, LLVMValueRef a, LLVMValueRef b) {
    return vector_intrinsic(&job->code->cx, name, (LLVMValueRef[]){a, b}, 2);
}

LLVMValueRef integer_compare(const IntegerJob *job, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(job->builder, predicate, a, b, "");
}

LLVMValueRef integer_choose(const IntegerJob *job, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no) {
    return LLVMBuildSelect(job->builder, condition, yes, no, "");
}

// The width of a lane, in lanes.
static LLVMValueRef width_like(LLVMValueRef value, unsigned less) {
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    return vector_integer_like(value, bits, bits - less);
}

LLVMValueRef integer_shift_left(const IntegerJob *job, LLVMValueRef value, LLVMValueRef count) {
    LLVMValueRef fits = integer_compare(job, LLVMIntULT, count, width_like(count, 0));
    return integer_choose(job, fits, LLVMBuildShl(job->builder, value, count, ""), LLVMConstNull(LLVMTypeOf(value)));
}

LLVMValueRef integer_shift_right(const IntegerJob *job, LLVMValueRef value, LLVMValueRef count, bool sign) {
    if (sign)
        return LLVMBuildAShr(job->builder, value, integer_call(job, "llvm.umin", count, width_like(count, 1)), "");
    LLVMValueRef fits = integer_compare(job, LLVMIntULT, count, width_like(count, 0));
    return integer_choose(job, fits, LLVMBuildLShr(job->builder, value, count, ""), LLVMConstNull(LLVMTypeOf(value)));
}

LLVMValueRef integer_low_mask(const IntegerJob *job, LLVMValueRef count) {
    LLVMValueRef all = LLVMConstAllOnes(LLVMTypeOf(count));
    return LLVMBuildNot(job->builder, integer_shift_left(job, all, count), "");
}

LLVMValueRef integer_clamp(const IntegerJob *job, LLVMValueRef value, int64_t low, int64_t high) {
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    value = integer_call(job, "llvm.smax", value, vector_integer_like(value, bits, (uint64_t)low));
    return integer_call(job, "llvm.smin", value, vector_integer_like(value, bits, (uint64_t)high));
}

static LLVMValueRef integer_operand(LaneCode *code, const PtxInstruction *instruction, uint32_t index, PtxType type) {
    return integer_elements(code, lane_read_type(code, &instruction->operands[index], type), type);
}

IntegerJob integer_job(LaneCode *code, const PtxInstruction *instruction, uint32_t operands) {
    const PtxType type = instruction->types[0];
    const PtxTypeInfo *info = ptx_type_info(type);
    IntegerJob job = {.code = code,
                      .instruction = instruction,
                      .builder = code->cx.builder,
                      .bits = info->bits / info->elements,
                      .is_signed = info->kind == PTX_SIGNED};
    LLVMValueRef *values[] = {&job.a, &job.b, &job.c};
    for (uint32_t i = 0; i < operands; i++) *values[i] = integer_operand(code, instruction, i + 1, type);
    return job;
}

bool integer_emit(LaneCode *code, const PtxInstruction *instruction, uint32_t operands, IntegerFunction *compute) {
    const PtxType type = instruction->types[0];
    const IntegerJob job = integer_job(code, instruction, operands);
    lane_write(code, &instruction->operands[0], integer_registers(code, compute(&job), type), type);
    return true;
}

// ---- sums

static LLVMValueRef compute_add(const IntegerJob *job) {
    if (!ptx_has(job->instruction, PTX_WORD_sat)) return LLVMBuildAdd(job->builder, job->a, job->b, "");
    return integer_call(job, job->is_signed ? "llvm.sadd.sat" : "llvm.uadd.sat", job->a, job->b);
}

static LLVMValueRef compute_sub(const IntegerJob *job) {
    if (!ptx_has(job->instruction, PTX_WORD_sat)) return LLVMBuildSub(job->builder, job->a, job->b, "");
    return integer_call(job, job->is_signed ? "llvm.ssub.sat" : "llvm.usub.sat", job->a, job->b);
}

static LLVMValueRef compute_neg(const IntegerJob *job) {
    return LLVMBuildNeg(job->builder, job->a, "");
}

static LLVMValueRef compute_abs(const IntegerJob *job) {
    LLVMValueRef operands[2] = {job->a, LLVMConstNull(code_integer_type(&job->code->cx, 1))};
    return vector_intrinsic(&job->code->cx, "llvm.abs", operands, 2);
}

static LLVMValueRef compute_sad(const IntegerJob *job) {
    LLVMValueRef high = integer_call(job, job->is_signed ? "llvm.smax" : "llvm.umax", job->a, job->b);
    LLVMValueRef low = integer_call(job, job->is_signed ? "llvm.smin" : "llvm.umin", job->a, job->b);
    return LLVMBuildAdd(job->builder, LLVMBuildSub(job->builder, high, low, ""), job->c, "");
}

bool lane_emit_add(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_add);
}

bool lane_emit_sub(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_sub);
}

bool lane_emit_neg(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_neg);
}

bool lane_emit_abs(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_abs);
}

bool lane_emit_sad(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 3, compute_sad);
}

// ---- extremes

static LLVMValueRef relu_if_asked(const IntegerJob *job, LLVMValueRef value) {
    if (!ptx_has(job->instruction, PTX_WORD_relu)) return value;
    return integer_call(job, "llvm.smax", value, integer_constant(job, 0));
}

static LLVMValueRef compute_min(const IntegerJob *job) {
    return relu_if_asked(job, integer_call(job, job->is_signed ? "llvm.smin" : "llvm.umin", job->a, job->b));
}

static LLVMValueRef compute_max(const IntegerJob *job) {
    return relu_if_asked(job, integer_call(job, job->is_signed ? "llvm.smax" : "llvm.umax", job->a, job->b));
}

bool lane_emit_min(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_min);
}

bool lane_emit_max(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_max);
}

// ---- products

static LLVMValueRef whole_product(const IntegerJob *job) {
    LLVMValueRef a = integer_resize(job, job->a, 2 * job->bits, job->is_signed);
    LLVMValueRef b = integer_resize(job, job->b, 2 * job->bits, job->is_signed);
    return LLVMBuildMul(job->builder, a, b, "");
}

static LLVMValueRef high_half(const IntegerJob *job) {
    LLVMValueRef whole = whole_product(job);
    whole = LLVMBuildLShr(job->builder, whole, vector_integer_like(whole, 2 * job->bits, job->bits), "");
    return integer_resize(job, whole, job->bits, false);
}

// .lo or .hi of the product
static LLVMValueRef half_product(const IntegerJob *job) {
    if (ptx_has(job->instruction, PTX_WORD_hi)) return high_half(job);
    return LLVMBuildMul(job->builder, job->a, job->b, "");
}

static LLVMValueRef compute_mad(const IntegerJob *job) {
    LLVMValueRef product = half_product(job);
    if (ptx_has(job->instruction, PTX_WORD_sat)) return integer_call(job, "llvm.sadd.sat", product, job->c);
    return LLVMBuildAdd(job->builder, product, job->c, "");
}

bool lane_emit_mul(LaneCode *code, const PtxInstruction *instruction) {
    if (!ptx_has(instruction, PTX_WORD_wide)) return integer_emit(code, instruction, 2, half_product);
    const IntegerJob job = integer_job(code, instruction, 2);
    lane_write(code, &instruction->operands[0], whole_product(&job), integer_wide_type(instruction->types[0]));
    return true;
}

bool lane_emit_mad(LaneCode *code, const PtxInstruction *instruction) {
    if (!ptx_has(instruction, PTX_WORD_wide)) return integer_emit(code, instruction, 3, compute_mad);
    const PtxType wide = integer_wide_type(instruction->types[0]);
    const IntegerJob job = integer_job(code, instruction, 2);
    LLVMValueRef c = lane_read_type(code, &instruction->operands[3], wide);
    lane_write(code, &instruction->operands[0], LLVMBuildAdd(job.builder, whole_product(&job), c, ""), wide);
    return true;
}

// Of the 48 bits of the product of the low 24 bits the lower or upper 32.
static LLVMValueRef compute_mul24(const IntegerJob *job) {
    LLVMValueRef factors[2] = {job->a, job->b};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef eight = integer_constant(job, 8), high = LLVMBuildShl(job->builder, factors[i], eight, "");
        factors[i] = job->is_signed ? LLVMBuildAShr(job->builder, high, eight, "")
                                    : LLVMBuildLShr(job->builder, high, eight, "");
        factors[i] = integer_resize(job, factors[i], 64, job->is_signed);
    }
    LLVMValueRef whole = LLVMBuildMul(job->builder, factors[0], factors[1], "");
    if (ptx_has(job->instruction, PTX_WORD_hi))
        whole = LLVMBuildLShr(job->builder, whole, vector_integer_like(whole, 64, 16), "");
    return integer_resize(job, whole, 32, false);
}

static LLVMValueRef compute_mad24(const IntegerJob *job) {
    LLVMValueRef product = compute_mul24(job);
    if (ptx_has(job->instruction, PTX_WORD_sat)) return integer_call(job, "llvm.sadd.sat", product, job->c);
    return LLVMBuildAdd(job->builder, product, job->c, "");
}

bool lane_emit_mul24(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_mul24);
}

bool lane_emit_mad24(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 3, compute_mad24);
}

// ---- quotients

// Quotients of up to 32 bits by doubles, of which processors have vectors: the quotient is at least 2^-32 away from the
// next integer unless it is one, and a double is closer than that to it.
static LLVMValueRef quotient_by_doubles(const IntegerJob *job, LLVMValueRef b) {
    LLVMTypeRef type = vector_type_like(LLVMDoubleTypeInContext(job->code->cx.context), b);
    LLVMTypeRef integers = LLVMTypeOf(b);
    if (job->is_signed) {
        LLVMValueRef x = LLVMBuildSIToFP(job->builder, job->a, type, ""),
                     y = LLVMBuildSIToFP(job->builder, b, type, "");
        return LLVMBuildFPToSI(job->builder, LLVMBuildFDiv(job->builder, x, y, ""), integers, "");
    }
    LLVMValueRef x = LLVMBuildUIToFP(job->builder, job->a, type, ""), y = LLVMBuildUIToFP(job->builder, b, type, "");
    return LLVMBuildFPToUI(job->builder, LLVMBuildFDiv(job->builder, x, y, ""), integers, "");
}

static LLVMValueRef quotient(const IntegerJob *job, LLVMValueRef b) {
    if (job->bits <= 32 && !LLVMIsConstant(b)) return quotient_by_doubles(job, b);
    return job->is_signed ? LLVMBuildSDiv(job->builder, job->a, b, "") : LLVMBuildUDiv(job->builder, job->a, b, "");
}

// The smallest integer divided by -1 is itself. What a division by zero gives is not specified; on GPUs all bits are 1.
static LLVMValueRef compute_div(const IntegerJob *job) {
    LLVMValueRef one = integer_constant(job, 1), ones = LLVMConstAllOnes(LLVMTypeOf(job->b));
    LLVMValueRef zero = integer_compare(job, LLVMIntEQ, job->b, integer_constant(job, 0)), bad = zero;
    if (job->is_signed) {
        LLVMValueRef lowest = integer_constant(job, UINT64_C(1) << (job->bits - 1));
        LLVMValueRef over = LLVMBuildAnd(job->builder, integer_compare(job, LLVMIntEQ, job->a, lowest),
                                         integer_compare(job, LLVMIntEQ, job->b, ones), "");
        bad = LLVMBuildOr(job->builder, zero, over, "");
    }
    return integer_choose(job, zero, ones, quotient(job, integer_choose(job, bad, one, job->b)));
}

// a - b q; of a division by zero, as on GPUs, all bits are 1.
static LLVMValueRef compute_rem(const IntegerJob *job) {
    LLVMValueRef product = LLVMBuildMul(job->builder, compute_div(job), job->b, "");
    LLVMValueRef zero = integer_compare(job, LLVMIntEQ, job->b, integer_constant(job, 0));
    return integer_choose(job, zero, LLVMConstAllOnes(LLVMTypeOf(job->b)),
                          LLVMBuildSub(job->builder, job->a, product, ""));
}

bool lane_emit_div(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_div);
}

bool lane_emit_rem(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_rem);
}

// ---- long integers: each lane has a carry bit, LANE_CARRY

static LLVMValueRef get_carry(LaneCode *code) {
    return lane_mask_of_bits(code, lane_frame_word(code, LANE_CARRY));
}

static void set_carry(LaneCode *code, LLVMValueRef carry) {
    LLVMValueRef all = LLVMBuildSelect(code->cx.builder, code->mask, carry, get_carry(code), "");
    lane_set_frame_word(code, LANE_CARRY, lane_bits_of_mask(code, all));
}

// x + y + carry, or x - y - carry; `in`: NULL for none.
static LLVMValueRef with_carry(const IntegerJob *job, LLVMValueRef x, LLVMValueRef y, LLVMValueRef in, bool subtract) {
    LLVMOpcode op = subtract ? LLVMSub : LLVMAdd;
    LLVMValueRef first = LLVMBuildBinOp(job->builder, op, x, y, "");
    // A sum has wrapped if it is less than an operand, a difference if it is larger than what it is taken from.
    LLVMIntPredicate wrapped = subtract ? LLVMIntUGT : LLVMIntULT;
    LLVMValueRef out = integer_compare(job, wrapped, first, x), result = first;
    if (in) {
        result = LLVMBuildBinOp(job->builder, op, first, integer_resize(job, in, job->bits, false), "");
        out = LLVMBuildOr(job->builder, out, integer_compare(job, wrapped, result, first), "");
    }
    if (ptx_has(job->instruction, PTX_WORD_cc)) set_carry(job->code, out);
    return result;
}

static LLVMValueRef compute_add_carry(const IntegerJob *job) {
    return with_carry(job, job->a, job->b, NULL, false);
}

static LLVMValueRef compute_addc(const IntegerJob *job) {
    return with_carry(job, job->a, job->b, get_carry(job->code), false);
}

static LLVMValueRef compute_sub_carry(const IntegerJob *job) {
    return with_carry(job, job->a, job->b, NULL, true);
}

static LLVMValueRef compute_subc(const IntegerJob *job) {
    return with_carry(job, job->a, job->b, get_carry(job->code), true);
}

static LLVMValueRef compute_mad_carry(const IntegerJob *job) {
    return with_carry(job, half_product(job), job->c, NULL, false);
}

static LLVMValueRef compute_madc(const IntegerJob *job) {
    return with_carry(job, half_product(job), job->c, get_carry(job->code), false);
}

bool lane_emit_add_carry(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_add_carry);
}

bool lane_emit_addc(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_addc);
}

bool lane_emit_sub_carry(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_sub_carry);
}

bool lane_emit_subc(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_subc);
}

bool lane_emit_mad_carry(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 3, compute_mad_carry);
}

bool lane_emit_madc(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 3, compute_madc);
}
