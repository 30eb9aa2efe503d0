// SPDX-License-Identifier: Apache-2.0
// The tower of degrees: emission in which payloads are no numbers but bounds of degrees (tower_llvm.h). Component 0 is
// m, component 1 is d, the others are 0: the value is a quotient of polynomials with a denominator of degree d at most
// and a numerator of degree m + d at most. Sums saturate: TOWER_DEGREE_MAX is "no bound". Of states only what is
// carried counts.
#include "sanitizer/tower_emit_internal.h"

enum { OVER, BELOW }; // m and d

static LLVMValueRef larger(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return word_select(e, word_compare(e, LLVMIntUGT, a, b), a, b);
}

static LLVMValueRef sum_of(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(a);
    return tower_intrinsic(e, "llvm.uadd.sat", &type, 1, (LLVMValueRef[]){a, b}, 2);
}

static TowerValue degree_value(const TowerEmit *e, LLVMValueRef over, LLVMValueRef below, LLVMValueRef states) {
    LLVMValueRef none = fpsan_constant(states, 0);
    return (TowerValue){.component = {over, below, none, none}, .state = word_and_constant(e, states, TOWER_CARRIED)};
}

static LLVMValueRef both_states(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    return word_or(e, a->state, b->state);
}

TowerValue tower_degree_variable(const TowerEmit *e, LLVMValueRef states, bool has_pole) {
    return degree_value(e, fpsan_constant(states, 1), fpsan_constant(states, has_pole), states);
}

// a/b + c/d = (a d + c b) / (b d).
TowerValue tower_degree_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    return degree_value(e, larger(e, a->component[OVER], b->component[OVER]),
                        sum_of(e, a->component[BELOW], b->component[BELOW]), both_states(e, a, b));
}

TowerValue tower_degree_mul(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    return degree_value(e, sum_of(e, a->component[OVER], b->component[OVER]),
                        sum_of(e, a->component[BELOW], b->component[BELOW]), both_states(e, a, b));
}

// 1/b: numerator and denominator change places.
TowerValue tower_degree_div(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef none = fpsan_constant(b->state, 0);
    TowerValue inverse = degree_value(e, none, sum_of(e, b->component[OVER], b->component[BELOW]), b->state);
    return tower_degree_mul(e, a, &inverse);
}

TowerValue tower_emit_either(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    return degree_value(e, larger(e, a->component[OVER], b->component[OVER]),
                        larger(e, a->component[BELOW], b->component[BELOW]), both_states(e, a, b));
}

// a^(k/2) or its inverse, and a root or a power that is a function of its own: all are below (m + d + 1) k.
TowerValue tower_emit_degree_power(const TowerEmit *e, const TowerValue *a, LLVMValueRef k) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    LLVMValueRef size = sum_of(e, sum_of(e, a->component[OVER], a->component[BELOW]), fpsan_constant(a->state, 1));
    LLVMValueRef wide = word_mul(e, fpsan_resize(&emit, size, 64, false), fpsan_resize(&emit, k, 64, false));
    LLVMValueRef degree =
        fpsan_resize(&emit, tower_minimum(e, wide, fpsan_constant(wide, TOWER_DEGREE_MAX)), 32, false);
    return degree_value(e, degree, degree, a->state);
}

// ---- dots: sums in i64 lanes, which have room for more steps than a dot has -----------------------------------------

LLVMValueRef tower_emit_degree_step(const TowerEmit *e, unsigned component, LLVMValueRef sum, LLVMValueRef a,
                                    LLVMValueRef b) {
    LLVMValueRef product = word_add(e, a, b);
    return component == OVER ? larger(e, sum, product) : word_add(e, sum, product);
}

LLVMValueRef tower_emit_degree_end(const TowerEmit *e, unsigned component, LLVMValueRef sum, LLVMValueRef start) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    LLVMValueRef all = component == OVER ? larger(e, sum, start) : word_add(e, sum, start);
    return fpsan_resize(&emit, tower_minimum(e, all, fpsan_constant(all, TOWER_DEGREE_MAX)), 32, false);
}
