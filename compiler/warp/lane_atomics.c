// SPDX-License-Identifier: Apache-2.0
// Atomic operations on memory. What one does with the old value is a function of its own (WarpCombine), made once for
// each operation and type.
#include "compiler/warp/lane_emitters.h"

#include <assert.h>
#include <stdio.h>

// ---- combining

typedef struct Combiner {
    NumericContext *cx;
    const LaneCombine *what;
    LLVMTypeRef type;                // of all elements: an integer, or a vector of them
    LLVMValueRef old, operand, swap; // NULL: there is none
} Combiner;

static LLVMValueRef choose_if(const Combiner *c, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef yes, LLVMValueRef no) {
    LLVMValueRef holds = LLVMBuildICmp(c->cx->builder, predicate, a, b, "");
    return LLVMBuildSelect(c->cx->builder, holds, yes, no, "");
}

// inc: old >= b ? 0 : old + 1
static LLVMValueRef combine_inc(const Combiner *c) {
    LLVMValueRef one = LLVMConstInt(c->type, 1, false);
    LLVMValueRef next = LLVMBuildAdd(c->cx->builder, c->old, one, "");
    return choose_if(c, LLVMIntUGE, c->old, c->operand, LLVMConstNull(c->type), next);
}

// dec: old == 0 || old > b ? b : old - 1. 0 - 1 is not less than b, either.
static LLVMValueRef combine_dec(const Combiner *c) {
    LLVMValueRef one = LLVMConstInt(c->type, 1, false);
    LLVMValueRef next = LLVMBuildSub(c->cx->builder, c->old, one, "");
    return choose_if(c, LLVMIntUGE, next, c->operand, c->operand, next);
}

static LLVMValueRef combine_integers(const Combiner *c) {
    LLVMBuilderRef builder = c->cx->builder;
    const bool sign = ptx_type_info(c->what->type)->kind == PTX_SIGNED;
    LLVMValueRef both[2] = {c->old, c->operand};
    switch (c->what->operation) {
    case PTX_WORD_add: return LLVMBuildAdd(builder, c->old, c->operand, "");
    case PTX_WORD_and: return LLVMBuildAnd(builder, c->old, c->operand, "");
    case PTX_WORD_or: return LLVMBuildOr(builder, c->old, c->operand, "");
    case PTX_WORD_xor: return LLVMBuildXor(builder, c->old, c->operand, "");
    case PTX_WORD_min: return vector_intrinsic(c->cx, sign ? "llvm.smin" : "llvm.umin", both, 2);
    case PTX_WORD_max: return vector_intrinsic(c->cx, sign ? "llvm.smax" : "llvm.umax", both, 2);
    case PTX_WORD_inc: return combine_inc(c);
    case PTX_WORD_dec: return combine_dec(c);
    case PTX_WORD_exch: return c->operand;
    default:
        assert(c->what->operation == PTX_WORD_cas);
        return choose_if(c, LLVMIntEQ, c->old, c->operand, c->swap, c->old);
    }
}

static const struct FloatCombineRow {
    PtxWord word;
    FpsanRule rule;
} float_combine_rows[] = {
    {PTX_WORD_add, FPSAN_RULE_ADD},
    {PTX_WORD_min, FPSAN_RULE_MIN},
    {PTX_WORD_max, FPSAN_RULE_MAX},
};

// False, with a diagnostic: the numeric refuses it.
static bool combine_floats(const Combiner *c, LLVMValueRef *result) {
    const NumericContext *cx = c->cx;
    const FpsanFormat format = ptx_type_info(c->what->type)->format;
    const struct FloatCombineRow *row = float_combine_rows;
    while (row->word != c->what->operation) row++;
    FloatOp op = float_rule(row->rule, format);
    const FloatOp magnitude = float_rule(FPSAN_RULE_ABS, format);
    op.flush_to_zero = c->what->flushes;
    op.propagate_nan = c->what->propagates;
    NumericValue values[2] = {cx->numeric->from_bits(cx, format, c->old),
                              cx->numeric->from_bits(cx, format, c->operand)};
    for (int i = 0; i < 2 && c->what->magnitudes; i++)
        if (!cx->numeric->apply(cx, &magnitude, &values[i], 1, &values[i])) return false;
    if (!cx->numeric->apply(cx, &op, values, 2, &values[0])) return false;
    *result = cx->numeric->to_bits(cx, format, &values[0]);
    return true;
}

// The integer that holds an element, or the vector of those of a whole access.
static LLVMTypeRef combined_type(const NumericContext *cx, const LaneCombine *what) {
    const PtxTypeInfo *info = ptx_type_info(what->type);
    const unsigned elements = what->count * info->elements;
    LLVMTypeRef element = code_integer_type(cx, info->bits / info->elements);
    return elements == 1 ? element : LLVMVectorType(element, elements);
}

static bool combines_floats(const LaneCombine *what) {
    return ptx_type_info(what->type)->kind == PTX_FLOAT && what->operation != PTX_WORD_exch;
}

static bool build_combine(NumericContext *cx, const LaneCombine *what, LLVMValueRef function) {
    Combiner c = {.cx = cx, .what = what, .type = combined_type(cx, what)};
    LLVMValueRef result;
    c.old = code_load(cx, c.type, LLVMGetParam(function, 0), 1);
    c.operand = code_load(cx, c.type, LLVMGetParam(function, 1), 1);
    if (what->operation == PTX_WORD_cas) c.swap = code_load(cx, c.type, LLVMGetParam(function, 2), 1);
    bool good = true;
    if (combines_floats(what))
        good = combine_floats(&c, &result);
    else
        result = combine_integers(&c);
    if (good) code_store(cx, result, LLVMGetParam(function, 3), 1);
    LLVMBuildRetVoid(cx->builder);
    return good;
}

LLVMValueRef lane_combine_function(NumericContext *cx, const LaneCombine *what) {
    char name[96];
    CodeShared shared;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0), pointers[4] = {pointer, pointer, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), pointers, 4, false);
    snprintf(name, sizeof name, "congruent.combine.%s.%s.%u%s%s%s", ptx_word_text(what->operation),
             ptx_type_info(what->type)->name, what->count, what->flushes ? ".ftz" : "", what->magnitudes ? ".abs" : "",
             what->propagates ? ".NaN" : "");
    LLVMBasicBlockRef entry = cx->entry_block;
    if (!code_shared_open(cx, name, type, &shared)) return shared.function;
    cx->entry_block = LLVMGetInsertBlock(cx->builder);
    const bool good = build_combine(cx, what, shared.function);
    cx->entry_block = entry;
    code_shared_close(cx, &shared);
    return good ? shared.function : NULL;
}

// ---- instructions

// Without a word atomics are relaxed, of all threads of the GPU.
static WarpAccess atomic_access(LaneCode *code, const PtxInstruction *instruction, PtxType type) {
    WarpAccess access = lane_access(code, instruction, type);
    if (ptx_find(instruction, PTX_SET_order) == PTX_WORD_NONE) access.flags |= WARP_RELAXED;
    if (ptx_find(instruction, PTX_SET_scope) == PTX_WORD_NONE) access.scope = WARP_SCOPE_GPU;
    return access;
}

static const PtxOperand *list_item(const PtxOperand *operand, uint32_t index) {
    return operand->kind == PTX_LIST ? &operand->items[index] : operand;
}

typedef struct Atomic {
    const PtxOperand *d, *address, *operand, *swap; // d, swap: NULL for none
} Atomic;

static bool emit_atomic(LaneCode *code, const PtxInstruction *instruction, const Atomic *atomic, PtxWord operation) {
    const PtxType type = instruction->types[0];
    const WarpAccess access = atomic_access(code, instruction, type);
    const PtxSpace space = lane_space(instruction);
    // Sums of f32 flush subnormal numbers, but not those in shared memory.
    const bool flushes =
        type == PTX_f32 && operation == PTX_WORD_add && space != PTX_SHARED && space != PTX_SHARED_CLUSTER;
    const LaneCombine what = {.operation = operation, .type = type, .count = access.count, .flushes = flushes};
    LLVMValueRef combine = lane_combine_function(&code->cx, &what), operands[8], swaps[8], old[8];
    if (!combine) return false;
    for (unsigned i = 0; i < access.count; i++) {
        operands[i] = lane_read_type(code, list_item(atomic->operand, i), type);
        if (atomic->swap) swaps[i] = lane_read_type(code, list_item(atomic->swap, i), type);
    }
    const bool wanted = atomic->d && atomic->d->kind != PTX_SINK, guarded = instruction->guard.kind != PTX_NONE;
    LLVMValueRef addresses = lane_address(code, atomic->address, space);
    LaneGuard guard = {0};
    if (guarded) guard = lane_guard_open(code);
    lane_atomic(code, &access, combine, addresses, operands, atomic->swap ? swaps : NULL, wanted ? old : NULL);
    if (guarded) lane_guard_close(code, &guard, wanted ? access.count : 0, old);
    for (unsigned i = 0; wanted && i < access.count; i++) lane_write(code, list_item(atomic->d, i), old[i], type);
    return true;
}

bool lane_emit_cas(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *operands = instruction->operands;
    return emit_atomic(code, instruction, &(Atomic){&operands[0], &operands[1], &operands[2], &operands[3]},
                       PTX_WORD_cas);
}

bool lane_emit_atom(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *operands = instruction->operands;
    return emit_atomic(code, instruction, &(Atomic){&operands[0], &operands[1], &operands[2], NULL},
                       ptx_find(instruction, PTX_SET_operation));
}

bool lane_emit_red(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *operands = instruction->operands;
    return emit_atomic(code, instruction, &(Atomic){NULL, &operands[0], &operands[1], NULL},
                       ptx_find(instruction, PTX_SET_operation));
}
