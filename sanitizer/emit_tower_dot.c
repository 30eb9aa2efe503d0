// SPDX-License-Identifier: Apache-2.0
// Emission of the tower's dots: products summed in i64 lanes and reduced rarely, and the states beside them.
//
// Bounds: p is at most 500438399, the largest prime of chain 0. A fold leaves less than (p + 1) 2^32 = 0.117 * 2^64,
// and TOWER_DOT_STEPS products are less than 64 p^2 = 0.869 * 2^64.
#include "sanitizer/tower_emit_internal.h"

// The scalar that a vector repeats, if it was made so.
static LLVMValueRef repeated_scalar(LLVMValueRef a) {
    if (!LLVMIsAShuffleVectorInst(a)) return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(a); i++)
        if (LLVMGetMaskValue(a, i) != 0) return NULL;
    LLVMValueRef first = LLVMGetOperand(a, 0);
    if (!LLVMIsAInsertElementInst(first)) return NULL;
    LLVMValueRef at = LLVMGetOperand(first, 2);
    return LLVMIsAConstantInt(at) && LLVMIsNull(at) ? LLVMGetOperand(first, 1) : NULL;
}

static LLVMValueRef repeat_scalar(const TowerEmit *e, LLVMValueRef scalar, LLVMTypeRef type) {
    LLVMValueRef zero = LLVMConstInt(LLVMTypeOf(scalar), 0, false), poison = LLVMGetPoison(type);
    LLVMValueRef first = LLVMBuildInsertElement(e->builder, poison, scalar, zero, "");
    LLVMTypeRef mask = LLVMVectorType(LLVMTypeOf(scalar), LLVMGetVectorSize(type));
    return LLVMBuildShuffleVector(e->builder, first, poison, LLVMConstNull(mask), "");
}

// A component that all lanes share is spread over the high halves too, which no product reads: extended, it would be
// spread and then extended.
static LLVMValueRef spread_operand(const TowerEmit *e, LLVMValueRef a) {
    LLVMValueRef scalar = LLVMIsAZExtInst(a) ? repeated_scalar(LLVMGetOperand(a, 0)) : NULL;
    if (!scalar || LLVMTypeOf(scalar) != LLVMInt32TypeInContext(e->context)) return a;
    LLVMTypeRef words = LLVMVectorType(LLVMTypeOf(scalar), 2 * word_lanes(a));
    return LLVMBuildBitCast(e->builder, repeat_scalar(e, scalar, words), LLVMTypeOf(a), "");
}

LLVMValueRef tower_emit_dot_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b) {
    return word_add(e, sum, tower_multiply_low(e, spread_operand(e, a), spread_operand(e, b)));
}

uint32_t tower_dot_power(const Tower *t, unsigned component) {
    return (uint32_t)(((uint64_t)1 << 32) % t->prime[component].p);
}

// high 2^32 + low is high (2^32 mod p) + low.
LLVMValueRef tower_emit_dot_fold(const TowerEmit *e, LLVMValueRef power, LLVMValueRef sum) {
    LLVMValueRef high = tower_multiply_low(e, word_lshr_constant(e, sum, 32), power);
    return word_add(e, high, word_and_constant(e, sum, UINT32_MAX));
}

// The first fold leaves less than 2^(32+bits) + 2^32, the second less than p 2^bits + 2^32: below 2^(bits+29).
LLVMValueRef tower_emit_dot_end(const TowerEmit *e, unsigned component, LLVMValueRef sum) {
    LLVMValueRef power = fpsan_constant(sum, tower_dot_power(e->tower, component));
    LLVMValueRef rest = tower_emit_dot_fold(e, power, tower_emit_dot_fold(e, power, sum));
    return tower_field_reduce(e, &e->tower->prime[component], rest);
}

// ---- states ---------------------------------------------------------------------------------------------------------
//
// Without SIGN and KIND the state of a product is the union of its operands', but that of a true zero times anything is
// plain; CARRIED bits unite always. A true zero is packed with no bit but those (x - x may have others, which no
// product keeps): so the union over the products of (a's bits where b is no true zero) and (b's bits where a is none)
// is the union of the products' states.

enum { NONZERO = (uint32_t)1 << 31, UNITED = TOWER_MISSING | TOWER_LOST | TOWER_WEAK };

LLVMValueRef tower_emit_dot_state(const TowerEmit *e, const TowerValue *a) {
    LLVMValueRef state = word_and_constant(e, a->state, UNITED | TOWER_CARRIED);
    LLVMValueRef marked = word_or_constant(e, state, (uint32_t)NONZERO);
    return word_select(e, tower_test_zero(e, a), word_and_constant(e, state, TOWER_CARRIED), marked);
}

// The bits of x that a factor y lets pass: all if y is no true zero, else those that are carried.
static LLVMValueRef passing(const TowerEmit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef all = LLVMBuildAShr(e->builder, y, fpsan_constant(y, 31), "");
    return word_and(e, x, word_or_constant(e, all, TOWER_CARRIED));
}

LLVMValueRef tower_emit_dot_state_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b) {
    return word_or(e, sum, word_or(e, passing(e, a, b), passing(e, b, a)));
}

LLVMValueRef tower_emit_dot_state_end(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef accumulator_state) {
    LLVMValueRef all = word_or(e, word_and_constant(e, sum, ~(uint32_t)NONZERO), accumulator_state);
    return tower_normalise(e, all);
}
