// SPDX-License-Identifier: Apache-2.0
// Which payload min, max and the like take: that of the operand whose number they take, and of equal numbers always the
// same one.
#include "compiler/numeric/shadow.h"

static LLVMValueRef any_lane(const NumericContext *cx, LLVMValueRef condition) {
    return vector_lanes(condition) ? vector_intrinsic(cx, "llvm.vector.reduce.or", &condition, 1) : condition;
}

// Lanes whose records would not be the same, states included.
static LLVMValueRef words_differ(const NumericContext *cx, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef any = LLVMBuildXor(cx->builder, a->state, b->state, "");
    for (unsigned i = 0; i < TOWER_LENGTH; i++)
        any = LLVMBuildOr(cx->builder, any, LLVMBuildXor(cx->builder, a->component[i], b->component[i], ""), "");
    return LLVMBuildICmp(cx->builder, LLVMIntNE, any, vector_integer_like(any, 32, 0), "");
}

// Asks for the order of payloads only where equal numbers have unlike ones, which is rare.
static LLVMValueRef takes_first(const NumericContext *cx, LLVMValueRef is_a, LLVMValueRef is_b, const TowerValue *a,
                                const TowerValue *b) {
    LLVMBuilderRef builder = cx->builder;
    TowerEmit e = shadow_emit(cx);
    LLVMValueRef both = LLVMBuildAnd(builder, is_a, is_b, ""), asked;
    asked = any_lane(cx, LLVMBuildAnd(builder, both, words_differ(cx, a, b), ""));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMBasicBlockRef order = LLVMAppendBasicBlockInContext(cx->context, function, "equal"),
                      join = LLVMAppendBasicBlockInContext(cx->context, function, "chosen");
    LLVMBuildCondBr(builder, asked, order, join);
    LLVMPositionBuilderAtEnd(builder, order);
    LLVMValueRef first = LLVMBuildSelect(builder, both, tower_emit_goes_first(&e, a, b), is_a, "");
    LLVMBasicBlockRef from[2] = {here, LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMValueRef takes_a = LLVMBuildPhi(builder, LLVMTypeOf(is_a), "");
    LLVMAddIncoming(takes_a, (LLVMValueRef[]){is_a, first}, from, 2);
    return takes_a;
}

NumericValue shadow_choose(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                           LLVMValueRef is_b, const NumericValue *a, const NumericValue *b) {
    TowerEmit e = shadow_emit(cx);
    TowerValue x = shadow_payload(a), y = shadow_payload(b);
    LLVMValueRef takes_a = takes_first(cx, is_a, is_b, &x, &y), near = shadow_near(cx, format, a, b);
    LLVMValueRef strays = NULL;
    if (shadow_is_settled(cx)) strays = LLVMBuildXor(cx->builder, takes_a, tower_emit_goes_first(&e, &x, &y), "");
    LLVMValueRef flips = shadow_flips(cx, near, a, b, strays);
    if (flips) takes_a = LLVMBuildXor(cx->builder, takes_a, flips, "");
    TowerValue payload = tower_emit_select(&e, takes_a, &x, &y);
    NumericValue chosen = shadow_value(result, &payload);
    return shadow_mark(cx, &chosen, near);
}
