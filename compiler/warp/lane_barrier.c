// SPDX-License-Identifier: Apache-2.0
// Barriers of the block. Arriving and waiting are two operations. A lane that waits alone comes to the instruction
// again until its phase is over, and must not arrive again: LANE_TOKENS says that it has.
#include "compiler/warp/lane_emitters.h"

#include <assert.h>

// The operands of a barrier instruction, as vectors of words.
typedef struct BarrierUse {
    LLVMValueRef number, threads, predicate;
    const PtxOperand *d; // of a reduction; else NULL
    uint32_t reduction;  // detail[1] of WARP_BARRIER_WAIT
    bool aligned;
} BarrierUse;

static LLVMValueRef word_operand(LaneCode *code, const PtxInstruction *instruction, const char *name) {
    const PtxOperand *operand = ptx_operand(instruction, name);
    return operand ? lane_read(code, operand, 32, false) : lane_constant(code, 32, 0);
}

static uint32_t reduction_of(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_operation)) {
    case PTX_WORD_popc: return 1;
    case PTX_WORD_and: return 2;
    case PTX_WORD_or: return 3;
    default: return 0;
    }
}

// bar is barrier.aligned.
static bool is_aligned(const PtxInstruction *instruction) {
    switch (instruction->op) {
    case PTX_OP_bar_sync:
    case PTX_OP_bar_arrive:
    case PTX_OP_bar_red: return true;
    default: return ptx_has(instruction, PTX_WORD_aligned);
    }
}

static BarrierUse read_barrier(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *predicate = ptx_operand(instruction, "c");
    BarrierUse use = {.number = word_operand(code, instruction, "a"),
                      .threads = word_operand(code, instruction, "b"),
                      .predicate = lane_constant(code, 32, 0),
                      .d = ptx_operand(instruction, "d"),
                      .reduction = reduction_of(instruction),
                      .aligned = is_aligned(instruction)};
    if (predicate)
        use.predicate = LLVMBuildZExt(code->cx.builder, lane_read_predicate(code, predicate), lane_type(code, 32), "");
    return use;
}

// Gives each lane the token of its arrival, <32 x i64>.
static LLVMValueRef arrive_lanes(LaneCode *code, const BarrierUse *use, bool waits) {
    LaneOperation operation = {.kind = WARP_BARRIER_ARRIVE,
                               .detail = {use->aligned, waits},
                               .operand_count = 3,
                               .operands = {use->number, use->threads, use->predicate}};
    lane_operate_guarded(code, &operation);
    return operation.result;
}

// What a reduction gives each lane, <32 x i64>; *done: the lanes whose phase is over.
static LLVMValueRef wait_lanes(LaneCode *code, const BarrierUse *use, LLVMValueRef tokens, LLVMValueRef *done) {
    LaneOperation operation = {.kind = WARP_BARRIER_WAIT,
                               .detail = {use->aligned, use->reduction},
                               .operand_count = 2,
                               .operands = {use->number, tokens}};
    lane_operate_guarded(code, &operation);
    *done = operation.done;
    return operation.result;
}

static void write_reduction(LaneCode *code, const BarrierUse *use, LLVMValueRef value) {
    if (!use->d) return;
    if (use->reduction == 1)
        lane_write(code, use->d, value, PTX_u32);
    else
        lane_write_predicate(code, use->d, LLVMBuildIsNotNull(code->cx.builder, value, ""));
}

bool lane_emit_barrier_arrive(LaneCode *code, const PtxInstruction *instruction) {
    const BarrierUse use = read_barrier(code, instruction);
    arrive_lanes(code, &use, false);
    return true;
}

// ---- lanes that come one by one

static LLVMValueRef tokens_pointer(const LaneCode *code) {
    return code_pointer_at(&code->cx, code_integer_type(&code->cx, 8), code->frame, code_i64(&code->cx, LANE_TOKENS));
}

static void keep_tokens(LaneCode *code, LLVMValueRef lanes, LLVMValueRef tokens) {
    LLVMValueRef at = tokens_pointer(code), old = code_load(&code->cx, lane_type(code, 64), at, 64);
    code_store(&code->cx, LLVMBuildSelect(code->cx.builder, lanes, tokens, old, ""), at, 64);
}

// Lanes that have not arrived do. All lanes' tokens.
static LLVMValueRef arrive_once(LaneCode *code, const BarrierUse *use) {
    NumericContext *cx = &code->cx;
    LLVMValueRef mask = code->mask, mask_bits = code->mask_bits, one = lane_constant(code, 64, 1);
    LLVMValueRef kept = code_load(cx, lane_type(code, 64), tokens_pointer(code), 64);
    LLVMValueRef fresh = LLVMBuildAnd(cx->builder, mask, LLVMBuildIsNull(cx->builder, kept, ""), "");
    code->mask = fresh;
    code->mask_bits = lane_bits_of_mask(code, fresh);
    LaneGuard guard = lane_guard_open(code);
    LaneOperation operation = {.kind = WARP_BARRIER_ARRIVE,
                               .detail = {use->aligned, true},
                               .operand_count = 3,
                               .operands = {use->number, use->threads, use->predicate}};
    lane_operate(code, &operation);
    // 0 stands for none, so tokens are kept plus 1.
    keep_tokens(code, fresh, LLVMBuildAdd(cx->builder, operation.result, one, ""));
    lane_guard_close(code, &guard, 0, NULL);
    code->mask = mask;
    code->mask_bits = mask_bits;
    LLVMValueRef tokens = code_load(cx, lane_type(code, 64), tokens_pointer(code), 64);
    return LLVMBuildSub(cx->builder, tokens, one, "");
}

static void wait_apart(LaneCode *code, const BarrierUse *use) {
    LLVMValueRef mask = code->mask, mask_bits = code->mask_bits, tokens = arrive_once(code, use), done;
    LLVMValueRef value = wait_lanes(code, use, tokens, &done), over = lane_mask_of_bits(code, done);
    keep_tokens(code, over, lane_constant(code, 64, 0));
    code->mask = over;
    code->mask_bits = done;
    write_reduction(code, use, value);
    code->mask = mask;
    code->mask_bits = mask_bits;
    lane_try_again(code, done);
}

// A whole warp comes back from its wait when the phase is over.
bool lane_emit_barrier(LaneCode *code, const PtxInstruction *instruction) {
    const BarrierUse use = read_barrier(code, instruction);
    if (!use.aligned) {
        wait_apart(code, &use);
        return true;
    }
    LLVMValueRef tokens = arrive_lanes(code, &use, true), done;
    write_reduction(code, &use, wait_lanes(code, &use, tokens, &done));
    return true;
}
