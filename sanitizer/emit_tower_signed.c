// SPDX-License-Identifier: Apache-2.0
// Emission of the rules of signed towers (tower_signed.c): products, quotients, roots and powers are calls of the
// scalar functions, lane by lane, as they are for second runs; sums are code; what knows no phases is the plain
// tower's.
#include "sanitizer/tower_emit_internal.h"

TowerEmit tower_plain_emit(const TowerEmit *e) {
    TowerEmit plain = *e;
    if (e->tower->plain) plain.tower = e->tower->plain;
    return plain;
}

TowerValue tower_emit_unsigned(const TowerEmit *e, const TowerValue *a) {
    TowerValue r = *a;
    r.state = word_and_constant(e, a->state, ~(uint32_t)(TOWER_PHASE | TOWER_NEGATIVE));
    return r;
}

// The bits of HALF and TURNED of the components that are 0.
static LLVMValueRef zero_phases(const TowerEmit *e, const TowerValue *a) {
    LLVMValueRef bits = fpsan_constant(a->state, 0);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        LLVMValueRef is_zero = word_compare_constant(e, LLVMIntEQ, a->component[i], 0);
        uint32_t both = 1u << (TOWER_HALF_SHIFT + i) | 1u << (TOWER_TURNED_SHIFT + i);
        bits = word_or(e, bits, word_where(e, is_zero, fpsan_constant(bits, both)));
    }
    return bits;
}

// The sum `r` of a and b, with the phase that they leave it.
static TowerValue with_phases(const TowerEmit *e, const TowerValue *r, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef zero_a = zero_phases(e, a), zero_b = word_and(e, zero_phases(e, b), word_not(e, zero_a));
    LLVMValueRef both = word_and_constant(e, word_and(e, a->state, b->state), TOWER_HALF);
    LLVMValueRef neither = word_not(e, word_or(e, zero_a, zero_b));
    LLVMValueRef of_one = word_or(e, word_and(e, zero_a, b->state), word_and(e, zero_b, a->state));
    LLVMValueRef phases = word_or(e, of_one, word_and(e, both, neither));
    LLVMValueRef missing = word_and_constant(e, r->state, TOWER_MISSING);
    missing =
        word_or(e, word_shl_constant(e, missing, TOWER_HALF_SHIFT), word_shl_constant(e, missing, TOWER_TURNED_SHIFT));
    phases = word_and(e, phases, word_not(e, missing));
    LLVMValueRef special = word_test(e, r->state, TOWER_KIND);
    TowerValue result = *r;
    result.state = word_or(e, r->state, word_select(e, special, fpsan_constant(phases, 0), phases));
    return result;
}

TowerValue tower_emit_signed_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    TowerEmit plain = tower_plain_emit(e);
    TowerValue x = tower_emit_unsigned(e, a), y = tower_emit_unsigned(e, b), r = tower_emit_add(&plain, &x, &y);
    return with_phases(e, &r, a, b);
}

TowerValue tower_emit_dot_product(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee) {
    if (!e->tower->plain) return tower_emit_mul(e, a, b, ieee);
    TowerEmit plain = tower_plain_emit(e);
    TowerValue x = tower_emit_unsigned(e, a), y = tower_emit_unsigned(e, b), r = tower_emit_mul(&plain, &x, &y, ieee);
    LLVMValueRef both = word_and(e, a->state, b->state), phases = word_xor(e, a->state, b->state);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        LLVMValueRef minus = tower_field_neg(e, &e->tower->prime[i], r.component[i]);
        r.component[i] = word_select(e, word_test(e, both, 1u << (TOWER_HALF_SHIFT + i)), minus, r.component[i]);
    }
    LLVMValueRef missing = word_shl_constant(e, word_and_constant(e, r.state, TOWER_MISSING), TOWER_HALF_SHIFT);
    phases = word_and(e, word_and_constant(e, phases, TOWER_HALF), word_not(e, missing));
    LLVMValueRef special = word_test(e, r.state, TOWER_KIND);
    r.state = word_or(e, r.state, word_select(e, special, fpsan_constant(phases, 0), phases));
    return r;
}
