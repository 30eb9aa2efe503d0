// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together: shuffles, votes, matches, reductions, elections. lane_control.c has seen to it that
// the lanes are here that the mask of the first one names, and that all that run have the same mask.
#include "compiler/warp/lanes.h"

#include <assert.h>

// ---- lanes that take part

// The mask of lanes, operand number `operand`, as an i32. The launch ends if a lane is not in it.
static LLVMValueRef members(LaneCode *code, const PtxInstruction *instruction, uint32_t operand) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef all = lane_first(code, lane_read(code, &instruction->operands[operand], 32, false));
    LLVMValueRef outside = LLVMBuildAnd(builder, code->mask_bits, LLVMBuildNot(builder, all, ""), "");
    lane_trap_where(code, lane_mask_of_bits(code, outside), WARP_TRAP_MASK);
    return all;
}

// What the lanes have done is ordered before what they will do.
static void order_lanes(LaneCode *code) {
    LaneOperation operation = {.kind = WARP_WARP_SYNC};
    LaneGuard guard = {0};
    const bool guarded = code->instruction->guard.kind != PTX_NONE;
    if (guarded) guard = lane_guard_open(code);
    lane_operate(code, &operation);
    if (guarded) lane_guard_close(code, &guard, 0, NULL);
}

bool lane_emit_warp_sync(LaneCode *code, const PtxInstruction *instruction) {
    members(code, instruction, 0);
    order_lanes(code);
    return true;
}

// ---- shuffles

// Which lane each lane reads, and whether that lies in its segment; constants if the operands are literals.
typedef struct ShuffleLanes {
    LLVMValueRef from, inside;
} ShuffleLanes;

// b: how far, or which lane. c: bits 0 to 4 the bound, bits 8 to 12 the mask of the bits that number the segment.
static ShuffleLanes shuffle_lanes(LaneCode *code, PtxWord mode, LLVMValueRef b, LLVMValueRef c) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef own = lane_numbers(code), five = lane_constant(code, 32, 31), eight = lane_constant(code, 32, 8);
    LLVMValueRef step = LLVMBuildAnd(builder, b, five, ""), bound = LLVMBuildAnd(builder, c, five, "");
    LLVMValueRef mask = LLVMBuildAnd(builder, LLVMBuildLShr(builder, c, eight, ""), five, "");
    LLVMValueRef rest = LLVMBuildXor(builder, mask, five, ""), from;
    LLVMValueRef first = LLVMBuildAnd(builder, own, mask, "");
    LLVMValueRef last = LLVMBuildOr(builder, first, LLVMBuildAnd(builder, bound, rest, ""), "");
    switch (mode) {
    case PTX_WORD_up: from = LLVMBuildSub(builder, own, step, ""); break;
    case PTX_WORD_down: from = LLVMBuildAdd(builder, own, step, ""); break;
    case PTX_WORD_bfly: from = LLVMBuildXor(builder, own, step, ""); break;
    default: from = LLVMBuildOr(builder, first, LLVMBuildAnd(builder, step, rest, ""), ""); break;
    }
    LLVMValueRef inside = LLVMBuildICmp(builder, mode == PTX_WORD_up ? LLVMIntSGE : LLVMIntSLE, from, last, "");
    from = LLVMBuildSelect(builder, inside, from, own, "");
    return (ShuffleLanes){LLVMBuildAnd(builder, from, five, ""), inside};
}

// Lane from[l] of the vector for each lane l.
static LLVMValueRef gather_lanes(LaneCode *code, LLVMValueRef value, LLVMValueRef from) {
    NumericContext *cx = &code->cx;
    if (LLVMIsConstant(from)) return LLVMBuildShuffleVector(cx->builder, value, value, from, "");
    LLVMTypeRef element = vector_element(LLVMTypeOf(value));
    const unsigned bytes = LLVMGetIntTypeWidth(element) / 8;
    LLVMValueRef slot = lane_slot(code, bytes * WARP_LANES);
    code_store(cx, value, slot, 64);
    LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(value));
    for (unsigned i = 0; i < WARP_LANES; i++) {
        LLVMValueRef lane = code_i32(cx, (int32_t)i);
        LLVMValueRef index = LLVMBuildZExt(cx->builder, LLVMBuildExtractElement(cx->builder, from, lane, ""),
                                           code_integer_type(cx, 64), "");
        LLVMValueRef item = code_load(cx, element, code_pointer_at(cx, element, slot, index), bytes);
        result = LLVMBuildInsertElement(cx->builder, result, item, lane, "");
    }
    return result;
}

// The launch ends if a lane reads from one that is not among those that take part.
static void check_sources(LaneCode *code, LLVMValueRef from, LLVMValueRef all) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef present = lane_splat(code, LLVMBuildAnd(builder, code->mask_bits, all, ""));
    LLVMValueRef bit = LLVMBuildAnd(builder, LLVMBuildLShr(builder, present, from, ""), lane_constant(code, 32, 1), "");
    LLVMValueRef missing = LLVMBuildAnd(builder, LLVMBuildIsNull(builder, bit, ""), code->mask, "");
    lane_trap_where(code, missing, WARP_TRAP_SHUFFLE);
}

bool lane_emit_shfl(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *operands = instruction->operands, *d = &operands[0];
    const bool pair = d->kind == PTX_PAIR;
    const PtxOperand *result = pair ? &d->items[0] : d;
    LLVMValueRef all = members(code, instruction, 4);
    order_lanes(code);
    const ShuffleLanes lanes =
        shuffle_lanes(code, ptx_find(instruction, PTX_SET_shuffle), lane_read(code, &operands[2], 32, false),
                      lane_read(code, &operands[3], 32, false));
    check_sources(code, lanes.from, all);
    const FpsanFormat form = lane_common_form(code, (const PtxOperand *[]){result, &operands[1]}, 2);
    LLVMValueRef value = gather_lanes(code, lane_read_moved(code, &operands[1], PTX_b32, form), lanes.from);
    lane_write_moved(code, result, value, PTX_b32, form);
    if (pair) lane_write_predicate(code, &d->items[1], lanes.inside);
    return true;
}

// ---- votes

// Lanes for which the predicate holds, and those that take part, as i32.
typedef struct Votes {
    LLVMValueRef yes, all;
} Votes;

static Votes take_votes(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef named = members(code, instruction, 2);
    order_lanes(code);
    LLVMValueRef all = LLVMBuildAnd(builder, named, code->mask_bits, "");
    LLVMValueRef yes = lane_bits_of_mask(code, lane_read_predicate(code, &instruction->operands[1]));
    return (Votes){LLVMBuildAnd(builder, yes, all, ""), all};
}

bool lane_emit_vote(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxWord mode = ptx_find(instruction, PTX_SET_vote);
    const Votes votes = take_votes(code, instruction);
    LLVMValueRef all = LLVMBuildICmp(builder, LLVMIntEQ, votes.yes, votes.all, "");
    LLVMValueRef none = LLVMBuildIsNull(builder, votes.yes, ""), result;
    if (mode == PTX_WORD_all)
        result = all;
    else if (mode == PTX_WORD_any)
        result = LLVMBuildNot(builder, none, "");
    else
        result = LLVMBuildOr(builder, all, none, "");
    lane_write_predicate(code, &instruction->operands[0], lane_splat(code, result));
    return true;
}

bool lane_emit_ballot(LaneCode *code, const PtxInstruction *instruction) {
    const Votes votes = take_votes(code, instruction);
    lane_write(code, &instruction->operands[0], lane_splat(code, votes.yes), PTX_b32);
    return true;
}

bool lane_emit_activemask(LaneCode *code, const PtxInstruction *instruction) {
    lane_write(code, &instruction->operands[0], lane_splat(code, code->mask_bits), PTX_b32);
    return true;
}

// The lowest lane that takes part.
bool lane_emit_elect(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxOperand *d = &instruction->operands[0];
    LLVMValueRef named = members(code, instruction, 1);
    order_lanes(code);
    LLVMValueRef operands[2] = {LLVMBuildAnd(builder, named, code->mask_bits, ""),
                                LLVMConstNull(code_integer_type(&code->cx, 1))};
    LLVMValueRef leader = lane_splat(code, vector_intrinsic(&code->cx, "llvm.cttz", operands, 2));
    lane_write(code, &d->items[0], leader, PTX_b32);
    lane_write_predicate(code, &d->items[1], LLVMBuildICmp(builder, LLVMIntEQ, lane_numbers(code), leader, ""));
    return true;
}

// ---- matches

// Lanes of the mask that have the value of lane `lane`.
static LLVMValueRef like_lane(LaneCode *code, LLVMValueRef values, LLVMValueRef lane) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef value = lane_splat(code, LLVMBuildExtractElement(builder, values, lane, ""));
    return LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntEQ, values, value, ""), code->mask, "");
}

static bool emit_match_all(LaneCode *code, const PtxInstruction *instruction, LLVMValueRef values) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxOperand *d = &instruction->operands[0];
    const bool pair = d->kind == PTX_PAIR;
    LLVMValueRef first = lane_splat(code, lane_first(code, values));
    LLVMValueRef unlike = LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntNE, values, first, ""), code->mask, "");
    LLVMValueRef same = LLVMBuildIsNull(builder, lane_bits_of_mask(code, unlike), "");
    LLVMValueRef bits = LLVMBuildSelect(builder, same, code->mask_bits, code_i32(&code->cx, 0), "");
    lane_write(code, pair ? &d->items[0] : d, lane_splat(code, bits), PTX_b32);
    if (pair) lane_write_predicate(code, &d->items[1], lane_splat(code, same));
    return true;
}

bool lane_emit_match(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    members(code, instruction, 2);
    order_lanes(code);
    LLVMValueRef values = lane_read_type(code, &instruction->operands[1], instruction->types[0]);
    if (ptx_has(instruction, PTX_WORD_all)) return emit_match_all(code, instruction, values);
    LLVMValueRef result = LLVMGetUndef(lane_type(code, 32));
    for (unsigned i = 0; i < WARP_LANES; i++) {
        LLVMValueRef lane = code_i32(&code->cx, (int32_t)i);
        LLVMValueRef bits = lane_bits_of_mask(code, like_lane(code, values, lane));
        result = LLVMBuildInsertElement(builder, result, bits, lane, "");
    }
    lane_write(code, &instruction->operands[0], result, PTX_b32);
    return true;
}

// ---- reductions

// By operation: LLVM's reduction of signed and unsigned numbers, and what changes nothing in it.
static const struct ReductionRow {
    PtxWord word;
    const char *of_signed, *of_unsigned;
    uint32_t neutral_signed, neutral_unsigned;
} reduction_rows[] = {
    {PTX_WORD_add, "llvm.vector.reduce.add", "llvm.vector.reduce.add", 0, 0},
    {PTX_WORD_min, "llvm.vector.reduce.smin", "llvm.vector.reduce.umin", INT32_MAX, UINT32_MAX},
    {PTX_WORD_max, "llvm.vector.reduce.smax", "llvm.vector.reduce.umax", (uint32_t)INT32_MIN, 0},
    {PTX_WORD_and, NULL, "llvm.vector.reduce.and", 0, UINT32_MAX},
    {PTX_WORD_or, NULL, "llvm.vector.reduce.or", 0, 0},
    {PTX_WORD_xor, NULL, "llvm.vector.reduce.xor", 0, 0},
};

bool lane_emit_redux(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = instruction->types[0];
    const bool sign = ptx_type_info(type)->kind == PTX_SIGNED;
    const struct ReductionRow *row = reduction_rows;
    while (row->word != ptx_find(instruction, PTX_SET_operation)) row++;
    members(code, instruction, 2);
    order_lanes(code);
    LLVMValueRef values = lane_read_type(code, &instruction->operands[1], type);
    LLVMValueRef neutral = lane_constant(code, 32, sign ? row->neutral_signed : row->neutral_unsigned);
    values = LLVMBuildSelect(code->cx.builder, code->mask, values, neutral, "");
    LLVMValueRef all = vector_intrinsic(&code->cx, sign ? row->of_signed : row->of_unsigned, &values, 1);
    lane_write(code, &instruction->operands[0], lane_splat(code, all), type);
    return true;
}

// Extremes of floats. Lanes that do not take part repeat the first one, which changes nothing. Then each lane and the
// one half the warp, a quarter, .. away have the extreme of both.
bool lane_emit_redux_float(LaneCode *code, const PtxInstruction *instruction) {
    NumericContext *cx = &code->cx;
    LLVMBuilderRef builder = cx->builder;
    FloatOp op = float_rule(ptx_has(instruction, PTX_WORD_min) ? FPSAN_RULE_MIN : FPSAN_RULE_MAX, FPSAN_F32);
    const FloatOp magnitude = float_rule(FPSAN_RULE_ABS, FPSAN_F32);
    op.propagate_nan = ptx_has(instruction, PTX_WORD_NaN);
    members(code, instruction, 2);
    order_lanes(code);
    NumericValue value = lane_read_float(code, &instruction->operands[1], FPSAN_F32, 1);
    LLVMValueRef first = lane_splat(code, lane_first(code, value.parts[0]));
    value.parts[0] = LLVMBuildSelect(builder, code->mask, value.parts[0], first, "");
    if (ptx_has(instruction, PTX_WORD_abs) && !cx->numeric->apply(cx, &magnitude, &value, 1, &value)) return false;
    for (unsigned distance = WARP_LANES / 2; distance; distance /= 2) {
        LLVMValueRef numbers[WARP_LANES];
        for (unsigned i = 0; i < WARP_LANES; i++) numbers[i] = code_i32(cx, (int32_t)(i ^ distance));
        LLVMValueRef other =
            LLVMBuildShuffleVector(builder, value.parts[0], value.parts[0], LLVMConstVector(numbers, WARP_LANES), "");
        if (!cx->numeric->apply(cx, &op, (NumericValue[]){value, {.parts = {other}}}, 2, &value)) return false;
    }
    lane_write_float(code, &instruction->operands[0], FPSAN_F32, 1, &value);
    return true;
}
