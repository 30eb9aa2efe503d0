// SPDX-License-Identifier: Apache-2.0
// Emission of the tower's field operations where they are plain, which is nearly always: the rules in full are called
// for the rest. Signed towers; dots.
#include "sanitizer/tower_emit_internal.h"

// ---- values ---------------------------------------------------------------------------------------------------------

TowerValue tower_emit_constant(const TowerEmit *e, TowerPayload payload, LLVMValueRef like) {
    (void)e;
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = fpsan_constant_bits(like, 32, payload.component[i]);
    r.state = fpsan_constant_bits(like, 32, payload.state);
    return r;
}

TowerValue tower_emit_select(const TowerEmit *e, LLVMValueRef condition, const TowerValue *a, const TowerValue *b) {
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = word_select(e, condition, a->component[i], b->component[i]);
    r.state = word_select(e, condition, a->state, b->state);
    return r;
}

TowerValue tower_emit_mark(const TowerEmit *e, const TowerValue *a, uint32_t bits, LLVMValueRef where) {
    TowerValue r = *a;
    LLVMValueRef marked = word_or_constant(e, a->state, bits & tower_marks(e));
    r.state = where ? word_select(e, where, marked, a->state) : marked;
    return r;
}

// x < y where they differ and `known` holds, else `otherwise`.
static LLVMValueRef below(const TowerEmit *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef known,
                          LLVMValueRef otherwise) {
    LLVMValueRef differ = word_compare(e, LLVMIntNE, x, y);
    if (known) differ = word_and(e, differ, known);
    return word_select(e, differ, word_compare(e, LLVMIntULT, x, y), otherwise);
}

static LLVMValueRef without_sign(const TowerEmit *e, unsigned component, LLVMValueRef x) {
    LLVMValueRef p = fpsan_constant(x, e->tower->prime[component].p);
    return tower_minimum(e, x, word_sub(e, p, x));
}

// From the last question to the first.
LLVMValueRef tower_emit_goes_first(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef first = word_compare(e, LLVMIntULE, a->state, b->state);
    first = below(e, word_and_constant(e, a->state, tower_ruled(e->tower)),
                  word_and_constant(e, b->state, tower_ruled(e->tower)), NULL, first);
    const unsigned length = e->tower->length;
    LLVMValueRef known[TOWER_LENGTH_MAX], states = word_or(e, a->state, b->state);
    for (unsigned i = 0; i < e->tower->length; i++)
        known[i] = word_not(e, word_test(e, states, tower_bit(e, i, TOWER_MISSING_SHIFT)));
    for (unsigned k = 2 * length; k-- > 0;) {
        unsigned i = tower_order(e->tower)[k % length];
        LLVMValueRef x = a->component[i], y = b->component[i];
        if (k < length) x = without_sign(e, i, x), y = without_sign(e, i, y);
        first = below(e, x, y, known[i], first);
    }
    return first;
}

// ---- plain or in full -----------------------------------------------------------------------------------------------

// What a rule in full is called with.
typedef struct Full {
    TowerRule rule;
    const TowerValue *operands;
    LLVMValueRef (*sign)(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like); // NULL: takes `extra`
    const TowerIeee *ieee;
    LLVMValueRef extra;      // may be NULL
    const TowerValue *added; // to the result, in full; may be NULL
    bool negated;            // the second of two operands comes negated
} Full;

static TowerValue call_full(const TowerEmit *e, const Full *full) {
    LLVMValueRef like = full->operands[0].state;
    if (full->negated) {
        TowerValue operands[] = {full->operands[0], tower_emit_neg(e, &full->operands[1])};
        return tower_call_rule(e, full->rule, operands, NULL);
    }
    LLVMValueRef extra = full->sign ? full->sign(e, full->ieee, like) : full->extra;
    TowerValue r = tower_call_rule(e, full->rule, full->operands, extra);
    if (!full->added) return r;
    TowerValue terms[] = {r, *full->added};
    return tower_call_rule(e, TOWER_RULE_add, terms, NULL);
}

// i1: whether any lane of the states has one of the bits.
static LLVMValueRef any_lane(const TowerEmit *e, LLVMValueRef states, uint32_t bits) {
    LLVMValueRef test = word_test(e, states, bits);
    unsigned lanes = word_lanes(states);
    if (!lanes) return test;
    LLVMTypeRef mask = LLVMIntTypeInContext(e->context, lanes);
    LLVMValueRef word = LLVMBuildBitCast(e->builder, test, mask, "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, word, LLVMConstNull(mask), "");
}

static LLVMValueRef join_word(const TowerEmit *e, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                              LLVMBasicBlockRef from_b) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(a), "");
    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

// `plain`, or the rule in full if any lane's state has one of the bits.
static TowerValue plain_unless(const TowerEmit *e, const TowerValue *plain, LLVMValueRef states, uint32_t bits,
                               const Full *full) {
    LLVMValueRef condition = any_lane(e, states, bits);
    if (LLVMIsConstant(condition)) return LLVMIsNull(condition) ? *plain : call_full(e, full);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(e->context, function, "");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(e->context, function, "");
    LLVMBuildCondBr(e->builder, condition, other, join);
    LLVMPositionBuilderAtEnd(e->builder, other);
    TowerValue r = call_full(e, full);
    other = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, join);
    LLVMPositionBuilderAtEnd(e->builder, join);
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = join_word(e, plain->component[i], here, r.component[i], other);
    r.state = join_word(e, plain->state, here, r.state, other);
    return r;
}

TowerValue tower_emit_poisoned(const TowerEmit *e, const TowerValue *operands, unsigned count, const TowerValue *a) {
    LLVMValueRef states = operands[0].state;
    for (unsigned k = 1; k < count; k++) states = word_or(e, states, operands[k].state);
    LLVMValueRef condition = any_lane(e, states, TOWER_POISON);
    if (LLVMIsConstant(condition) && LLVMIsNull(condition)) return *a;
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(e->builder), NULL};
    LLVMValueRef function = LLVMGetBasicBlockParent(from[0]);
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(e->context, function, "");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(e->context, function, "");
    LLVMBuildCondBr(e->builder, condition, other, join);
    LLVMPositionBuilderAtEnd(e->builder, other);
    TowerValue r = tower_pass_poison(e, operands, count, a);
    from[1] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, join);
    LLVMPositionBuilderAtEnd(e->builder, join);
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = join_word(e, a->component[i], from[0], r.component[i], from[1]);
    r.state = join_word(e, a->state, from[0], r.state, from[1]);
    return r;
}

// ---- sums -----------------------------------------------------------------------------------------------------------

// Kinds 1 and 2 change places: both bits change where they differ.
TowerValue tower_emit_neg(const TowerEmit *e, const TowerValue *a) {
    if (e->tower->degrees) return tower_degree_neg(e, a);
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = tower_field_neg(e, &e->tower->prime[i], a->component[i]);
    LLVMValueRef low =
        word_and_constant(e, word_xor(e, a->state, word_lshr_constant(e, a->state, 1)), 1 << TOWER_KIND_SHIFT);
    r.state = word_xor(e, a->state, word_or(e, low, word_shl_constant(e, low, 1)));
    return r;
}

// The union of states without SIGN and KIND.
static LLVMValueRef unite_unsigned(const TowerEmit *e, LLVMValueRef states) {
    LLVMValueRef cleared = word_or(e, tower_group_as(e, states, TOWER_MISSING_SHIFT, TOWER_LOST_SHIFT),
                                   tower_group_as(e, states, TOWER_MISSING_SHIFT, TOWER_WEAK_SHIFT));
    return word_and(e, states, word_not(e, cleared));
}

typedef LLVMValueRef FieldOperation(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b);

static TowerValue emit_sum(const TowerEmit *e, FieldOperation *operation, bool negated, const TowerValue *a,
                           const TowerValue *b) {
    TowerValue operands[] = {*a, *b}, plain;
    for (unsigned i = 0; i < e->tower->length; i++)
        plain.component[i] = operation(e, &e->tower->prime[i], a->component[i], b->component[i]);
    LLVMValueRef states = word_or(e, a->state, b->state);
    plain.state = unite_unsigned(e, states);
    Full full = {.rule = TOWER_RULE_add, .operands = operands, .negated = negated};
    return plain_unless(e, &plain, states, tower_sign_bits(e) | TOWER_KIND, &full);
}

// Of signed towers, below.
static TowerValue signed_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b);

TowerValue tower_emit_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    if (e->tower->degrees) return tower_degree_add(e, a, b);
    if (e->tower->plain) return signed_add(e, a, b);
    return emit_sum(e, tower_field_add, false, a, b);
}

TowerValue tower_emit_sub(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    if (e->tower->degrees || e->tower->plain) {
        TowerValue negated = tower_emit_neg(e, b);
        return tower_emit_add(e, a, &negated);
    }
    return emit_sum(e, tower_field_sub, true, a, b);
}

// ---- products -------------------------------------------------------------------------------------------------------

// Of factors without SIGN and KIND: the union, but a true zero makes a true zero.
static LLVMValueRef product_state(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef states = word_or(e, a->state, b->state);
    LLVMValueRef zero = word_or(e, tower_test_zero(e, a), tower_test_zero(e, b));
    return word_select(e, zero, word_and_constant(e, states, tower_marks(e)), unite_unsigned(e, states));
}

static TowerValue plain_product(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = tower_field_mul(e, &e->tower->prime[i], a->component[i], b->component[i]);
    r.state = product_state(e, a, b);
    return r;
}

TowerValue tower_emit_mul(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee) {
    if (e->tower->degrees) return tower_degree_mul(e, a, b);
    if (e->tower->plain)
        return tower_call_binary(e, "congruent_tower_mul", a, b, tower_product_sign(e, ieee, a->state));
    TowerValue operands[] = {*a, *b}, plain = plain_product(e, a, b);
    Full full = {.rule = TOWER_RULE_mul, .operands = operands, .sign = tower_product_sign, .ieee = ieee};
    return plain_unless(e, &plain, word_or(e, a->state, b->state), tower_sign_bits(e) | TOWER_KIND, &full);
}

TowerValue tower_emit_fma(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerValue *c,
                          const TowerIeee *ieee) {
    if (e->tower->degrees) {
        TowerValue product = tower_degree_mul(e, a, b);
        return tower_degree_add(e, &product, c);
    }
    if (e->tower->plain) {
        TowerValue product = tower_emit_mul(e, a, b, ieee);
        return signed_add(e, &product, c);
    }
    TowerValue operands[] = {*a, *b}, plain = plain_product(e, a, b);
    for (unsigned i = 0; i < e->tower->length; i++)
        plain.component[i] = tower_field_add(e, &e->tower->prime[i], plain.component[i], c->component[i]);
    plain.state = unite_unsigned(e, word_or(e, plain.state, c->state));
    LLVMValueRef states = word_or(e, word_or(e, a->state, b->state), c->state);
    Full full = {.rule = TOWER_RULE_mul, .operands = operands, .sign = tower_product_sign, .ieee = ieee, .added = c};
    return plain_unless(e, &plain, states, tower_sign_bits(e) | TOWER_KIND, &full);
}

// The payload that a value is in every lane, if it is a constant.
static bool constant_payload(const TowerEmit *e, const TowerValue *a, TowerPayload *payload) {
    *payload = (TowerPayload){0};
    for (unsigned i = 0; i < e->tower->length; i++)
        if (!tower_constant_word(a->component[i], &payload->component[i])) return false;
    return tower_constant_word(a->state, &payload->state);
}

// By a plain constant that no field calls 0: a product with its inverse.
static TowerValue divide_by_constant(const TowerEmit *e, const TowerValue *a, const TowerValue *b, TowerPayload divisor,
                                     const TowerIeee *ieee) {
    TowerPayload payload = tower_div(e->tower, e->tower->one, divisor, TOWER_IEEE_POSITIVE);
    payload.state = divisor.state;
    TowerValue operands[] = {*a, *b, tower_emit_constant(e, payload, a->state)};
    TowerValue plain = plain_product(e, a, &operands[2]);
    Full full = {.rule = TOWER_RULE_div, .operands = operands, .sign = tower_quotient_sign, .ieee = ieee};
    return plain_unless(e, &plain, word_or(e, a->state, b->state), tower_sign_bits(e) | TOWER_KIND, &full);
}

TowerValue tower_emit_div(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee) {
    if (e->tower->degrees) return tower_degree_div(e, a, b);
    if (e->tower->plain)
        return tower_call_binary(e, "congruent_tower_div", a, b, tower_quotient_sign(e, ieee, a->state));
    TowerPayload divisor;
    bool simple = constant_payload(e, b, &divisor) && !(divisor.state & tower_ruled(e->tower));
    for (unsigned i = 0; simple && i < e->tower->length; i++) simple = divisor.component[i] != 0;
    if (simple) return divide_by_constant(e, a, b, divisor, ieee);
    TowerValue operands[] = {*a, *b, tower_call_rule(e, TOWER_RULE_invert, b, NULL)};
    TowerValue plain = plain_product(e, a, &operands[2]);
    Full full = {.rule = TOWER_RULE_div, .operands = operands, .sign = tower_quotient_sign, .ieee = ieee};
    return plain_unless(e, &plain, word_or(e, a->state, operands[2].state), tower_sign_bits(e) | TOWER_KIND, &full);
}

TowerValue tower_emit_scaled(const TowerEmit *e, const TowerValue *a, TowerPayload factor, LLVMValueRef sign) {
    TowerValue operands[] = {*a, tower_emit_constant(e, factor, a->state)};
    TowerValue plain = plain_product(e, a, &operands[1]);
    Full full = {.rule = TOWER_RULE_mul, .operands = operands, .extra = sign};
    return plain_unless(e, &plain, a->state, tower_sign_bits(e) | TOWER_KIND, &full);
}

TowerValue tower_emit_remainder(const TowerEmit *e, const TowerValue *a, const TowerValue *b,
                                const TowerValue *quotient) {
    if (e->tower->degrees) {
        TowerValue product = tower_degree_mul(e, quotient, b), minus = tower_degree_neg(e, &product);
        return tower_degree_add(e, a, &minus);
    }
    if (e->tower->plain) {
        TowerEmit plain = tower_plain_emit(e);
        TowerValue x = tower_emit_unsigned(e, a), y = tower_emit_unsigned(e, b), q = tower_emit_unsigned(e, quotient);
        return tower_emit_remainder(&plain, &x, &y, &q);
    }
    TowerValue operands[] = {*a, *b, *quotient};
    return tower_call_rule(e, TOWER_RULE_remainder, operands, NULL);
}

// ---- signed towers --------------------------------------------------------------------------------------------------
//
// The rules of tower_signed.c: products, quotients, roots and powers are calls of the
// scalar functions, lane by lane, as they are for second runs; sums are code; what knows no phases is the plain
// tower's.

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
    for (unsigned i = 0; i < e->tower->length; i++) {
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

static TowerValue signed_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    TowerEmit plain = tower_plain_emit(e);
    TowerValue x = tower_emit_unsigned(e, a), y = tower_emit_unsigned(e, b), r = tower_emit_add(&plain, &x, &y);
    return with_phases(e, &r, a, b);
}

TowerValue tower_emit_dot_product(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee) {
    if (!e->tower->plain) return tower_emit_mul(e, a, b, ieee);
    TowerEmit plain = tower_plain_emit(e);
    TowerValue x = tower_emit_unsigned(e, a), y = tower_emit_unsigned(e, b), r = tower_emit_mul(&plain, &x, &y, ieee);
    LLVMValueRef both = word_and(e, a->state, b->state), phases = word_xor(e, a->state, b->state);
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef minus = tower_field_neg(e, &e->tower->prime[i], r.component[i]);
        r.component[i] = word_select(e, word_test(e, both, 1u << (TOWER_HALF_SHIFT + i)), minus, r.component[i]);
    }
    LLVMValueRef missing = word_shl_constant(e, word_and_constant(e, r.state, TOWER_MISSING), TOWER_HALF_SHIFT);
    phases = word_and(e, word_and_constant(e, phases, TOWER_HALF), word_not(e, missing));
    LLVMValueRef special = word_test(e, r.state, TOWER_KIND);
    r.state = word_or(e, r.state, word_select(e, special, fpsan_constant(phases, 0), phases));
    return r;
}

// ---- dots -----------------------------------------------------------------------------------------------------------
//
// Products summed in i64 lanes and reduced rarely, and the states beside them.
//
// Bounds: p is below 2^26. A fold leaves less than (p + 1) 2^32 <= 2^58, and TOWER_DOT_STEPS products are less than
// 2^63. In deep towers p is below 2^27: a fold leaves less than 2^60, and TOWER_DEEP_DOT_STEPS products are at most
// 2^63.

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

// The first fold leaves less than p 2^32 + 2^32, the second less than (p + 1) p + 2^32.
LLVMValueRef tower_emit_dot_end(const TowerEmit *e, unsigned component, LLVMValueRef sum) {
    LLVMValueRef power = fpsan_constant(sum, tower_dot_power(e->tower, component));
    LLVMValueRef rest = tower_emit_dot_fold(e, power, tower_emit_dot_fold(e, power, sum));
    return tower_field_reduce(e, &e->tower->prime[component], rest);
}

LLVMValueRef tower_emit_dot_end_small(const TowerEmit *e, unsigned component, LLVMValueRef sum) {
    return tower_field_reduce_once(e, &e->tower->prime[component], sum);
}

// ---- states of dots -------------------------------------------------------------------------------------------------
//
// Without SIGN and KIND the state of a product is the union of its operands', but that of a true zero times anything is
// plain; CARRIED bits unite always. A true zero is packed with no bit but those (x - x may have others, which no
// product keeps): so the union over the products of (a's bits where b is no true zero) and (b's bits where a is none)
// is the union of the products' states.

enum { NONZERO = (uint32_t)1 << 31 };

LLVMValueRef tower_emit_dot_state(const TowerEmit *e, const TowerValue *a) {
    LLVMValueRef state = word_and_constant(e, a->state, tower_united_bits(e));
    LLVMValueRef marked = word_or_constant(e, state, (uint32_t)NONZERO);
    return word_select(e, tower_test_zero(e, a), word_and_constant(e, state, tower_marks(e)), marked);
}

// The bits of x that a factor y lets pass: all if y is no true zero, else those that are carried.
static LLVMValueRef passing(const TowerEmit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef all = LLVMBuildAShr(e->builder, y, fpsan_constant(y, 31), "");
    return word_and(e, x, word_or_constant(e, all, tower_marks(e)));
}

LLVMValueRef tower_emit_dot_state_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b) {
    return word_or(e, sum, word_or(e, passing(e, a, b), passing(e, b, a)));
}

LLVMValueRef tower_emit_dot_state_end(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef accumulator_state) {
    LLVMValueRef all = word_or(e, word_and_constant(e, sum, ~(uint32_t)NONZERO), accumulator_state);
    return tower_normalise(e, all);
}
