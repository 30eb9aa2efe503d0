// SPDX-License-Identifier: Apache-2.0
// Dots of the numeric `shadow`: the IEEE dot, one of integers for each component, summed in 64 bits and folded now and
// then, and one that unites states.
//
// A product of two residues has 52 bits. Processors that multiply and add so many in one instruction are given operands
// of 64 bits, others 32 bits, which multiplications of 32 bits widen.
#include "compiler/numeric/shadow.h"

// Primes of deep towers may be above 2^26.
static bool has_products_of_52(const NumericContext *cx) {
    return !cx->tower->degrees && cx->tower->length == TOWER_LENGTH;
}

// Parts of the tower of degrees that nothing is added to have the same kernel.
static unsigned kernel_kind(const NumericContext *cx, unsigned part) {
    const bool is_own = part == SHADOW_STATE || tower_degree_adds(shadow_component(part));
    return cx->tower->degrees && is_own ? part : 0;
}

bool shadow_dot_plan(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan) {
    if (part == SHADOW_IEEE) return ieee_dots.plan(cx, op, part, plan);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cx->context), i64 = LLVMInt64TypeInContext(cx->context);
    *plan = (NumericDot){.operand_format = op->operand,
                         .accumulator_format = op->result,
                         .part = part,
                         .operand_type = i32,
                         .accumulator_type = i64,
                         .group = 1,
                         .shared = true,
                         .kind = kernel_kind(cx, part),
                         .fold_every = tower_dot_steps(cx->tower)};
    if (part == SHADOW_STATE) {
        plan->accumulator_type = i32;
        plan->fold_every = 0;
    } else if (has_products_of_52(cx) && shadow_sum_instruction(cx, MACHINE_MULTIPLY_ADD_52, NUMERIC_LANES_MAX)) {
        plan->operand_type = i64;
        plan->lane_bits = 32;
    }
    return true;
}

// States that only tower_emit_mul and tower_emit_add handle.
static uint32_t bits_by_value(const Tower *tower) {
    if (tower->degrees) return TOWER_QUOTIENT;
    return tower_group_bits(tower, TOWER_SIGN_SHIFT) | TOWER_BASE_E | TOWER_KIND | (tower->plain ? TOWER_HALF : 0);
}

// What rules read and what they carry.
static uint32_t bits_of_rules(const Tower *tower) {
    const uint32_t more = tower->plain ? TOWER_PHASE : tower->length > TOWER_LENGTH ? TOWER_DEEP_GROUPS : 0;
    return TOWER_RULED | TOWER_CARRIED | more;
}

// Of TOWER_PASSED those that the tower has.
static uint32_t bits_of_types(const Tower *tower, uint32_t passed) {
    return tower_carried(tower) & passed;
}

LLVMValueRef shadow_dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                                const NumericValue *value) {
    if (plan->part == SHADOW_IEEE) return ieee_dots.operand(cx, plan, piece, value);
    if (plan->part != SHADOW_STATE)
        return vector_zext_or_trunc(cx, value->parts[plan->part], LLVMGetIntTypeWidth(plan->operand_type));
    TowerEmit e = shadow_emit(cx);
    TowerValue payload = shadow_payload(value), unsigned_payload = payload;
    if (cx->tower->plain) unsigned_payload = tower_emit_unsigned(&e, &payload);
    LLVMValueRef word = tower_emit_dot_state(&e, &unsigned_payload);
    // What the kernel cannot do is kept too: shadow_dot_values asks for it, and shadow_dot_value_step needs it. And all
    // sums are rounded to the accumulator's type.
    uint32_t value_bits = bits_by_value(cx->tower);
    LLVMValueRef by_value = LLVMBuildAnd(cx->builder, payload.state, vector_integer_like(word, 32, value_bits), "");
    uint32_t passed = bits_of_types(cx->tower, shadow_passed(plan->accumulator_format) & ~(uint32_t)TOWER_PASSED_24);
    LLVMValueRef kept = LLVMBuildOr(cx->builder, by_value, vector_integer_like(word, 32, passed), "");
    return LLVMBuildOr(cx->builder, word, kept, "");
}

LLVMValueRef shadow_dot_begin(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part) {
    return ieee_dots.begin(cx, plan, part);
}

LLVMValueRef shadow_dot_end(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator) {
    return ieee_dots.end(cx, plan, accumulator);
}

LLVMValueRef shadow_dot_step(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator, LLVMValueRef a,
                             LLVMValueRef b) {
    TowerEmit e = shadow_emit(cx);
    if (plan->part == SHADOW_IEEE) return ieee_dots.step(cx, plan, accumulator, a, b);
    if (plan->part == SHADOW_STATE) return tower_emit_dot_state_step(&e, accumulator, a, b);
    if (cx->tower->degrees)
        return tower_emit_degree_step(&e, shadow_component(plan->part), accumulator, vector_zext_or_trunc(cx, a, 64),
                                      vector_zext_or_trunc(cx, b, 64));
    const MachineVector *chosen = plan->operand_type == plan->accumulator_type
                                      ? shadow_sum_instruction(cx, MACHINE_MULTIPLY_ADD_52, vector_lanes(accumulator))
                                      : NULL;
    if (chosen) return shadow_multiply_add(cx, chosen, accumulator, a, b);
    return tower_emit_dot_step(&e, accumulator, vector_zext_or_trunc(cx, a, 64), vector_zext_or_trunc(cx, b, 64));
}

LLVMValueRef shadow_dot_parameter(const NumericContext *cx, const NumericDot *plan) {
    if (plan->part == SHADOW_STATE) return LLVMConstNull(plan->accumulator_type);
    return LLVMConstInt(plan->accumulator_type, tower_dot_power(cx->tower, shadow_component(plan->part)), false);
}

LLVMValueRef shadow_dot_fold(const NumericContext *cx, LLVMValueRef parameter, LLVMValueRef accumulator) {
    TowerEmit e = shadow_emit(cx);
    if (cx->tower->degrees) return accumulator;
    return tower_emit_dot_fold(&e, vector_splat(cx->builder, parameter, vector_lanes(accumulator)), accumulator);
}

// A sum of 64 bits modulo p < 2^26, with instructions for 52 bits. The upper 24 bits are multiplied by 2^40 mod p: what
// is left is x < 2^51. With q = x floor(2^52 / p) / 2^52, which is x / p or up to 1.5 less, x - q p is below 2p; of it
// low bits are enough.
static LLVMValueRef remainder_of_sum(const NumericContext *cx, uint32_t p, LLVMValueRef sum) {
    const unsigned lanes = vector_lanes(sum), low_bits = 40;
    const MachineVector *low = shadow_sum_instruction(cx, MACHINE_MULTIPLY_ADD_52, lanes),
                        *high = shadow_sum_instruction(cx, MACHINE_MULTIPLY_ADD_52_HIGH, lanes);
    if (!low || !high || !has_products_of_52(cx)) return NULL;
    const uint64_t below = (UINT64_C(1) << low_bits) - 1, most = UINT64_C(1) << 52;
    LLVMValueRef top = LLVMBuildLShr(cx->builder, sum, vector_integer_like(sum, 64, low_bits), "");
    LLVMValueRef rest = LLVMBuildAnd(cx->builder, sum, vector_integer_like(sum, 64, below), "");
    LLVMValueRef x = shadow_multiply_add(cx, low, rest, top, vector_integer_like(sum, 64, (below + 1) % p));
    LLVMValueRef q =
        shadow_multiply_add(cx, high, vector_integer_like(sum, 64, 0), x, vector_integer_like(sum, 64, most / p));
    return vector_zext_or_trunc(cx, shadow_multiply_add(cx, low, x, q, vector_integer_like(sum, 64, most - p)), 32);
}

// A sum that is not folded is of at most tower_dot_steps products, so that a component more fits beside it
// (emit_tower.c).
LLVMValueRef shadow_dot_finish(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                               LLVMValueRef start) {
    TowerEmit e = shadow_emit(cx);
    if (plan->part == SHADOW_STATE && cx->tower->plain) // no phase comes here but of the first term
        start = LLVMBuildAnd(cx->builder, start, vector_integer_like(start, 32, ~(uint64_t)TOWER_PHASE), "");
    if (plan->part == SHADOW_STATE) return tower_emit_dot_state_end(&e, accumulator, start);
    if (cx->tower->degrees)
        return tower_emit_degree_end(&e, shadow_component(plan->part), accumulator,
                                     vector_zext_or_trunc(cx, start, 64));
    LLVMValueRef sum = LLVMBuildAdd(cx->builder, accumulator, vector_zext_or_trunc(cx, start, 64), "");
    const unsigned component = shadow_component(plan->part);
    LLVMValueRef rest = remainder_of_sum(cx, cx->tower->prime[component].p, sum);
    return rest ? tower_emit_dot_end_small(&e, component, rest) : tower_emit_dot_end(&e, component, sum);
}

static LLVMValueRef has_bits(const NumericContext *cx, LLVMValueRef word, uint32_t bits) {
    LLVMValueRef some = LLVMBuildAnd(cx->builder, word, vector_integer_like(word, 32, bits), "");
    return LLVMBuildICmp(cx->builder, LLVMIntNE, some, vector_integer_like(word, 32, 0), "");
}

// Which types took part says how large a unit in the last place is, and whether masks did is a hint: one answer for the
// whole dot will do.
static uint32_t common_bits(const Tower *tower) {
    return bits_of_types(tower, TOWER_PASSED) | TOWER_VANISHED;
}

LLVMValueRef shadow_dot_states(const NumericContext *cx, LLVMValueRef word) {
    return has_bits(cx, word, bits_of_rules(cx->tower) & ~common_bits(cx->tower));
}

LLVMValueRef shadow_dot_common(const NumericContext *cx, LLVMValueRef word) {
    return LLVMBuildAnd(cx->builder, word, vector_integer_like(word, 32, common_bits(cx->tower)), "");
}

LLVMValueRef shadow_dot_values(const NumericContext *cx, LLVMValueRef word) {
    return has_bits(cx, word, bits_by_value(cx->tower) & ~(uint32_t)TOWER_BASE_E);
}

NumericValue shadow_dot_value_begin(const NumericContext *cx, const NumericValue *accumulator) {
    NumericValue begin = *accumulator;
    for (unsigned p = 1; cx->tower->degrees && p < cx->numeric->part_count; p++)
        begin.parts[p] = LLVMConstNull(LLVMTypeOf(accumulator->parts[p]));
    return begin;
}

NumericValue shadow_dot_value_end(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *sum) {
    if (!cx->tower->degrees) return *sum;
    TowerEmit e = shadow_emit(cx);
    TowerValue start = shadow_payload(accumulator), products = shadow_payload(sum);
    products = tower_emit_add(&e, &start, &products);
    return shadow_value(NULL, &products);
}

NumericValue shadow_dot_value_step(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *a,
                                   const NumericValue *b) {
    TowerEmit e = shadow_emit(cx);
    TowerValue sum = shadow_payload(accumulator), x = shadow_payload(a), y = shadow_payload(b);
    for (unsigned i = 0; i < cx->tower->length; i++) {
        x.component[i] = vector_zext_or_trunc(cx, x.component[i], 32);
        y.component[i] = vector_zext_or_trunc(cx, y.component[i], 32);
    }
    LLVMValueRef meant = vector_integer_like(x.state, 32, bits_of_rules(cx->tower));
    x.state = LLVMBuildAnd(cx->builder, x.state, meant, "");
    y.state = LLVMBuildAnd(cx->builder, y.state, meant, "");
    LLVMTypeRef real = vector_element(LLVMTypeOf(a->parts[0]));
    FpsanFormat format = LLVMGetTypeKind(real) == LLVMDoubleTypeKind ? FPSAN_F64 : FPSAN_F32;
    TowerIeee ieee = {format, ieee_bits(cx, format, a->parts[0]), ieee_bits(cx, format, b->parts[0])};
    if (cx->tower->degrees) x = tower_emit_degree_summed(&e, &x), y = tower_emit_degree_summed(&e, &y);
    TowerValue product = tower_emit_dot_product(&e, &x, &y, &ieee);
    TowerValue result = tower_emit_add(&e, &sum, &product);
    return shadow_value(NULL, &result);
}

// ---- block-scaled dots ----------------------------------------------------------------------------------------------

// The product is exact in IEEE too (ieee_dot.c): it was not rounded to any type.
bool shadow_scaled_operand(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                           const NumericValue *value, const NumericValue *scale, NumericValue *result) {
    TowerEmit e = shadow_emit(cx);
    NumericValue x = shadow_ieee(value), factor = shadow_ieee(scale), product;
    if (!ieee_dots.scaled_operand(cx, op, scale_format, &x, &factor, &product)) return false;
    LLVMValueRef wide_x = ieee_to_single(cx, op->operand, x.parts[0]),
                 wide_factor = ieee_to_single(cx, scale_format, factor.parts[0]);
    TowerIeee ieee = {FPSAN_F32, ieee_bits(cx, FPSAN_F32, wide_x), ieee_bits(cx, FPSAN_F32, wide_factor)};
    TowerValue a = shadow_payload(value), b = shadow_payload(scale), payload = tower_emit_mul(&e, &a, &b, &ieee);
    *result = shadow_value(product.parts[0], &payload);
    return true;
}
