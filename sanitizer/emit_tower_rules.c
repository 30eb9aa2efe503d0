// SPDX-License-Identifier: Apache-2.0
// Emission of the tower's rules with all their cases, as tower.c states them, in straight code.
#include "sanitizer/tower_emit_internal.h"

#include <assert.h>
#include <stdio.h>

// ---- states ---------------------------------------------------------------------------------------------------------

LLVMValueRef tower_normalise(const TowerEmit *e, LLVMValueRef state) {
    LLVMValueRef cleared = tower_group_as(e, state, TOWER_MISSING_SHIFT, TOWER_SIGN_SHIFT);
    cleared = word_or(e, cleared, tower_group_as(e, state, TOWER_MISSING_SHIFT, TOWER_LOST_SHIFT));
    cleared = word_or(e, cleared, tower_group_as(e, state, TOWER_MISSING_SHIFT, TOWER_WEAK_SHIFT));
    LLVMValueRef lost = tower_group_as(e, state, TOWER_LOST_SHIFT, TOWER_SIGN_SHIFT);
    state = word_and(e, state, word_not(e, word_or(e, cleared, lost)));
    LLVMValueRef without_base = word_and_constant(e, state, ~(uint32_t)TOWER_BASE_E);
    return word_select(e, word_test(e, state, tower_sign_bits(e)), state, without_base);
}

static LLVMValueRef is_kind(const TowerEmit *e, LLVMValueRef state, TowerKind kind) {
    return word_compare_constant(e, LLVMIntEQ, word_and_constant(e, state, TOWER_KIND),
                                 (uint64_t)kind << TOWER_KIND_SHIFT);
}

static LLVMValueRef kind_where(const TowerEmit *e, LLVMValueRef condition, TowerKind yes, LLVMValueRef no) {
    return word_select(e, condition, fpsan_constant(no, (uint64_t)yes << TOWER_KIND_SHIFT), no);
}

LLVMValueRef tower_test_zero(const TowerEmit *e, const TowerValue *a) {
    LLVMValueRef any = word_and_constant(e, a->state, TOWER_KIND | tower_missing_bits(e));
    for (unsigned i = 0; i < e->tower->length; i++) any = word_or(e, any, a->component[i]);
    return word_compare_constant(e, LLVMIntEQ, any, 0);
}

static LLVMValueRef united_state(const TowerEmit *e, LLVMValueRef states) {
    return word_and_constant(e, states, tower_united_bits(e));
}

static LLVMValueRef sign_field_as(const TowerEmit *e, LLVMValueRef state, unsigned shift) {
    return tower_group_as(e, state, TOWER_SIGN_SHIFT, shift);
}

// `special` where the condition holds: a state word with components 0, plus what `states` carry.
static TowerValue special_where(const TowerEmit *e, LLVMValueRef condition, LLVMValueRef special, LLVMValueRef states,
                                const TowerValue *a) {
    TowerValue r = *a;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = word_select(e, condition, fpsan_constant(a->component[i], 0), a->component[i]);
    LLVMValueRef state = word_or(e, special, word_and_constant(e, states, tower_marks(e)));
    r.state = word_select(e, condition, state, a->state);
    return r;
}

TowerValue tower_pass_poison(const TowerEmit *e, const TowerValue *x, unsigned count, const TowerValue *a) {
    TowerValue r = *a;
    LLVMValueRef states = x[0].state;
    for (unsigned k = 1; k < count; k++) states = word_or(e, states, x[k].state);
    for (unsigned k = count; k-- > 0;) r = tower_emit_select(e, word_test(e, x[k].state, TOWER_POISON), &x[k], &r);
    LLVMValueRef carried = word_or(e, r.state, word_and_constant(e, states, tower_carried(e->tower)));
    r.state = word_select(e, word_test(e, states, TOWER_POISON), carried, r.state);
    return r;
}

// ---- IEEE operands --------------------------------------------------------------------------------------------------

typedef struct Classes {
    LLVMValueRef is_nan, is_infinite, is_zero, sign; // sign: the sign bit or 0
} Classes;

static Classes classify_bits(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits) {
    FpsanLayout layout = fpsan_layout(format);
    LLVMValueRef magnitude = word_and_constant(e, bits, layout.magnitude);
    Classes c = {.is_nan = word_compare_constant(e, LLVMIntUGT, magnitude, layout.nan_above),
                 .is_infinite = fpsan_constant_bits(bits, 1, 0),
                 .is_zero = word_compare_constant(e, LLVMIntEQ, magnitude, 0),
                 .sign = word_and_constant(e, bits, layout.sign)};
    if (fpsan_format_info(format)->specials == FPSAN_IEEE)
        c.is_infinite = word_compare_constant(e, LLVMIntEQ, magnitude, layout.infinity);
    if (fpsan_zero_is_unsigned(format)) {
        c.is_nan = word_compare_constant(e, LLVMIntEQ, bits, layout.nan);
        c.is_zero = word_compare_constant(e, LLVMIntEQ, bits, 0);
    }
    return c;
}

static LLVMValueRef sign_code(const TowerEmit *e, LLVMValueRef is_nan, LLVMValueRef is_zero, LLVMValueRef is_negative) {
    LLVMValueRef plus = fpsan_constant_bits(is_nan, 32, TOWER_IEEE_POSITIVE);
    LLVMValueRef code = word_select(e, is_negative, fpsan_constant(plus, (uint64_t)TOWER_IEEE_NEGATIVE), plus);
    code = word_select(e, is_zero, fpsan_constant(plus, TOWER_IEEE_ZERO), code);
    return word_select(e, is_nan, fpsan_constant(plus, TOWER_IEEE_NAN), code);
}

static LLVMValueRef sign_of(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like, bool is_quotient) {
    if (!ieee) return fpsan_constant(like, TOWER_IEEE_POSITIVE);
    Classes a = classify_bits(e, ieee->format, ieee->a), b = classify_bits(e, ieee->format, ieee->b);
    // 1/b exchanges 0 and infinity, where it matters which result is 0 or undefined.
    LLVMValueRef b_zero = is_quotient ? b.is_infinite : b.is_zero, b_infinite = is_quotient ? b.is_zero : b.is_infinite;
    LLVMValueRef undefined = word_or(e, word_and(e, a.is_zero, b_infinite), word_and(e, a.is_infinite, b_zero));
    LLVMValueRef is_nan = word_or(e, word_or(e, a.is_nan, b.is_nan), undefined);
    LLVMValueRef is_negative = word_compare(e, LLVMIntNE, a.sign, b.sign);
    return sign_code(e, is_nan, word_or(e, a.is_zero, b_zero), is_negative);
}

LLVMValueRef tower_product_sign(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like) {
    return sign_of(e, ieee, like, false);
}

LLVMValueRef tower_quotient_sign(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like) {
    return sign_of(e, ieee, like, true);
}

LLVMValueRef tower_power_sign(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like) {
    if (!ieee) return fpsan_constant(like, TOWER_IEEE_POSITIVE);
    uint64_t one = fpsan_format_info(ieee->format)->one;
    Classes a = classify_bits(e, ieee->format, ieee->a);
    LLVMValueRef magnitude = word_and_constant(e, ieee->a, fpsan_layout(ieee->format).magnitude);
    return sign_code(e, a.is_nan, word_compare_constant(e, LLVMIntEQ, magnitude, one),
                     word_compare_constant(e, LLVMIntULT, magnitude, one));
}

LLVMValueRef tower_masked(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like) {
    if (!ieee) return fpsan_constant(like, 0);
    FpsanLayout layout = fpsan_layout(ieee->format);
    uint64_t limit = fpsan_encode(ieee->format, TOWER_MASKED, FPSAN_NEAREST_EVEN);
    if (!layout.sign || fpsan_decode(ieee->format, limit) != TOWER_MASKED) return fpsan_constant(like, 0); // too narrow
    // With the sign bit set a larger magnitude is a smaller value, up to -inf.
    LLVMValueRef magnitude = word_and_constant(e, ieee->a, layout.magnitude);
    LLVMValueRef is_negative = word_compare_constant(e, LLVMIntNE, word_and_constant(e, ieee->a, layout.sign), 0);
    LLVMValueRef is_large = word_compare_constant(e, LLVMIntUGE, magnitude, limit & layout.magnitude);
    LLVMValueRef is_number = word_compare_constant(e, LLVMIntULE, magnitude, layout.nan_above);
    LLVMValueRef masked = word_and(e, word_and(e, is_negative, is_large), is_number);
    return LLVMBuildZExt(e->builder, masked, LLVMTypeOf(like), "");
}

// ---- sums -----------------------------------------------------------------------------------------------------------

TowerValue tower_rule_add(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = tower_field_add(e, &e->tower->prime[i], x[0].component[i], x[1].component[i]);
    LLVMValueRef a = x[0].state, b = x[1].state, states = word_or(e, a, b);
    LLVMValueRef a_signed = word_test(e, a, tower_sign_bits(e)), b_signed = word_test(e, b, tower_sign_bits(e));
    LLVMValueRef other_base = word_test(e, word_xor(e, a, b), TOWER_BASE_E);
    LLVMValueRef mixed = word_and(e, word_and(e, a_signed, b_signed), other_base);
    LLVMValueRef lost = word_where(e, mixed, sign_field_as(e, states, TOWER_LOST_SHIFT));
    LLVMValueRef sign = word_and_constant(e, word_xor(e, a, b), tower_sign_bits(e));
    LLVMValueRef base = word_and_constant(e, word_select(e, a_signed, a, b), TOWER_BASE_E);
    LLVMValueRef state = word_or(e, word_or(e, united_state(e, states), lost), word_or(e, sign, base));
    r.state = tower_normalise(e, state);
    // inf + finite = inf, inf + inf = inf, other specials: NaN. As bits, kinds 1, 2 and 3 unite to what they add up to.
    return special_where(e, word_test(e, states, TOWER_KIND), word_and_constant(e, states, TOWER_KIND), states, &r);
}

// ---- products -------------------------------------------------------------------------------------------------------

TowerKnownInteger tower_emit_known_integer(const TowerEmit *e, const TowerValue *a, uint32_t most) {
    LLVMValueRef first = a->component[0], others = fpsan_constant(first, 0), magnitude = NULL;
    LLVMValueRef is_negative = word_compare_constant(e, LLVMIntUGT, first, most);
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef p = fpsan_constant(first, e->tower->prime[i].p);
        LLVMValueRef mine = word_select(e, is_negative, word_sub(e, p, a->component[i]), a->component[i]);
        if (i)
            others = word_or(e, others, word_xor(e, mine, magnitude));
        else
            magnitude = mine;
    }
    others = word_or(e, others, word_and_constant(e, a->state, TOWER_KIND | tower_missing_bits(e)));
    LLVMValueRef is_small = word_compare_constant(e, LLVMIntULE, magnitude, most);
    return (TowerKnownInteger){word_and(e, is_small, word_compare_constant(e, LLVMIntEQ, others, 0)), magnitude,
                               is_negative};
}

// i1 lanes: whether the value is exactly log2e where `is_e` holds, else ln2.
static LLVMValueRef is_change_of_base(const TowerEmit *e, const TowerValue *a, LLVMValueRef is_e) {
    LLVMValueRef differ = word_and_constant(e, a->state, TOWER_KIND | tower_missing_bits(e) | tower_weak_bits(e));
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef log2e = fpsan_constant(differ, e->tower->log2e.component[i]);
        LLVMValueRef ln2 = fpsan_constant(differ, e->tower->ln2.component[i]);
        differ = word_or(e, differ, word_xor(e, a->component[i], word_select(e, is_e, log2e, ln2)));
    }
    return word_compare_constant(e, LLVMIntEQ, differ, 0);
}

// SIGN, BASE_E and LOST of a product: see scaled_signs in tower.c.
static LLVMValueRef product_signs(const TowerEmit *e, const TowerValue *x) {
    LLVMValueRef a_signed = word_test(e, x[0].state, tower_sign_bits(e)),
                 b_signed = word_test(e, x[1].state, tower_sign_bits(e));
    TowerValue factor;
    for (unsigned i = 0; i < e->tower->length; i++)
        factor.component[i] = word_select(e, a_signed, x[1].component[i], x[0].component[i]);
    factor.state = word_select(e, a_signed, x[1].state, x[0].state);
    LLVMValueRef state = word_select(e, a_signed, x[0].state, x[1].state);
    LLVMValueRef both = word_or(e, x[0].state, x[1].state);
    LLVMValueRef kept = word_and_constant(e, state, tower_sign_bits(e) | TOWER_BASE_E);
    LLVMValueRef changes = is_change_of_base(e, &factor, word_test(e, state, TOWER_BASE_E));
    TowerKnownInteger n = tower_emit_known_integer(e, &factor, (uint32_t)e->tower->integer_max);
    LLVMValueRef strong =
        word_compare_constant(e, LLVMIntEQ, word_and_constant(e, factor.state, tower_weak_bits(e)), 0);
    LLVMValueRef by_integer = word_and(e, n.is_known, strong);
    LLVMValueRef scaled = word_where(e, word_test(e, n.magnitude, 1), kept);
    LLVMValueRef lost = sign_field_as(e, state, TOWER_LOST_SHIFT);
    LLVMValueRef signs =
        word_select(e, changes, word_xor_constant(e, kept, TOWER_BASE_E), word_select(e, by_integer, scaled, lost));
    LLVMValueRef all_lost = sign_field_as(e, both, TOWER_LOST_SHIFT);
    signs = word_select(e, word_and(e, a_signed, b_signed), all_lost, signs);
    return word_where(e, word_test(e, both, tower_sign_bits(e)), signs);
}

static LLVMValueRef infinity_by_sign(const TowerEmit *e, LLVMValueRef sign) {
    LLVMValueRef kind = fpsan_constant(sign, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT);
    kind = kind_where(e, word_compare_constant(e, LLVMIntEQ, sign, TOWER_IEEE_POSITIVE), TOWER_POSITIVE_INFINITY, kind);
    return kind_where(e, word_compare_constant(e, LLVMIntEQ, sign, (uint64_t)TOWER_IEEE_NEGATIVE),
                      TOWER_NEGATIVE_INFINITY, kind);
}

TowerValue tower_rule_mul(const TowerEmit *e, const TowerValue *x, LLVMValueRef sign) {
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++)
        r.component[i] = tower_field_mul(e, &e->tower->prime[i], x[0].component[i], x[1].component[i]);
    LLVMValueRef states = word_or(e, x[0].state, x[1].state);
    r.state = tower_normalise(e, word_or(e, united_state(e, states), product_signs(e, x)));
    LLVMValueRef zero = word_or(e, tower_test_zero(e, &x[0]), tower_test_zero(e, &x[1]));
    r = special_where(e, zero, fpsan_constant(states, 0), states, &r);
    LLVMValueRef any_nan = word_or(e, is_kind(e, x[0].state, TOWER_NAN), is_kind(e, x[1].state, TOWER_NAN));
    LLVMValueRef kind = kind_where(e, any_nan, TOWER_NAN, infinity_by_sign(e, sign));
    return special_where(e, word_test(e, states, TOWER_KIND), kind, states, &r);
}

static LLVMValueRef plus_sign(LLVMValueRef like) {
    return fpsan_constant(like, TOWER_IEEE_POSITIVE);
}

// The union of a state and what is missing because a component is 0.
static LLVMValueRef add_missing(const TowerEmit *e, LLVMValueRef state, const TowerValue *a) {
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef is_zero = word_compare_constant(e, LLVMIntEQ, a->component[i], 0);
        state = word_or(e, state, word_where(e, is_zero, fpsan_constant(state, tower_bit(e, i, TOWER_MISSING_SHIFT))));
    }
    return state;
}

// 1/b as `invert` in tower.c, of which the components are given; b is finite and no true zero, or the result does not
// matter.
static TowerValue inverse_of(const TowerEmit *e, const TowerValue *b, const TowerValue *components) {
    TowerValue r = *components;
    LLVMValueRef state = word_or(e, united_state(e, b->state), sign_field_as(e, b->state, TOWER_LOST_SHIFT));
    state = add_missing(e, state, b);
    TowerKnownInteger n = tower_emit_known_integer(e, b, (uint32_t)e->tower->integer_max);
    LLVMValueRef is_unit = word_and(e, n.is_known, word_compare_constant(e, LLVMIntEQ, n.magnitude, 1));
    r.state = word_select(e, is_unit, b->state, tower_normalise(e, state));
    return r;
}

// 1/x of what has neither SIGN nor KIND and is no true zero. Of others the state has one of these, and that is all.
TowerValue tower_rule_invert(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    TowerValue r;
    tower_field_invert(e, x->component, r.component);
    LLVMValueRef special = fpsan_constant(x->state, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT);
    r.state = word_or(e, add_missing(e, x->state, x), word_where(e, tower_test_zero(e, x), special));
    return r;
}

// x: a, b and what tower_rule_invert makes of b.
TowerValue tower_rule_div(const TowerEmit *e, const TowerValue *x, LLVMValueRef sign) {
    LLVMValueRef a = x[0].state, b = x[1].state, states = word_or(e, a, b);
    TowerValue factors[] = {x[0], inverse_of(e, &x[1], &x[2])};
    TowerValue r = tower_rule_mul(e, factors, plus_sign(a));
    // Infinite: a is, or b is 0; then 0/0 and what IEEE calls NaN are undefined, and a result of sign 0 counts as plus.
    LLVMValueRef a_special = word_test(e, a, TOWER_KIND), b_special = word_test(e, b, TOWER_KIND);
    LLVMValueRef infinite = word_or(e, a_special, tower_test_zero(e, &x[1]));
    LLVMValueRef plus =
        word_select(e, word_compare_constant(e, LLVMIntEQ, sign, TOWER_IEEE_ZERO), plus_sign(sign), sign);
    LLVMValueRef kind = kind_where(e, tower_test_zero(e, &x[0]), TOWER_NAN, infinity_by_sign(e, plus));
    r = special_where(e, infinite, kind, states, &r);
    r = special_where(e, b_special, fpsan_constant(a, 0), states, &r);
    LLVMValueRef undefined = word_or(e, is_kind(e, a, TOWER_NAN), is_kind(e, b, TOWER_NAN));
    undefined = word_or(e, undefined, word_and(e, a_special, b_special));
    return special_where(e, undefined, fpsan_constant(a, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT), states, &r);
}

TowerValue tower_rule_remainder(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    const TowerValue *a = &x[0], *b = &x[1], *quotient = &x[2];
    LLVMValueRef states = word_or(e, word_or(e, a->state, b->state), quotient->state);
    TowerValue factors[] = {*quotient, *b}, product = tower_rule_mul(e, factors, plus_sign(states));
    TowerValue terms[] = {*a, tower_emit_neg(e, &product)}, r = tower_rule_add(e, terms, extra);
    LLVMValueRef zero = tower_test_zero(e, quotient);
    TowerValue same = *a;
    same.state = word_or(e, a->state, word_and_constant(e, states, tower_marks(e)));
    r = tower_emit_select(e, zero, &same, &r);
    LLVMValueRef special = word_test(e, word_or(e, a->state, quotient->state), TOWER_KIND);
    LLVMValueRef infinite = word_and(e, word_test(e, b->state, TOWER_KIND), word_not(e, zero));
    LLVMValueRef undefined =
        word_or(e, word_or(e, special, is_kind(e, b->state, TOWER_NAN)), word_or(e, infinite, tower_test_zero(e, b)));
    return special_where(e, undefined, fpsan_constant(states, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT), states, &r);
}

// ---- exponentials ---------------------------------------------------------------------------------------------------

// 2^x mod p by windows of the exponent: tables of 2^(j 2^(7w)), j < 128.
enum { WINDOW_BITS = 7, WINDOWS = 4, WINDOW_SIZE = 1 << WINDOW_BITS };

static LLVMValueRef windowed_power(const TowerEmit *e, unsigned component, LLVMValueRef x) {
    const TowerPrime *prime = &e->tower->prime[component];
    LLVMValueRef power = NULL;
    for (unsigned w = 0; w < WINDOWS; w++) {
        uint32_t entries[WINDOW_SIZE], step = tower_power(2, (uint64_t)1 << (w * WINDOW_BITS), prime->p);
        entries[0] = 1;
        for (unsigned j = 1; j < WINDOW_SIZE; j++) entries[j] = tower_mul_mod(entries[j - 1], step, prime->p);
        char name[80];
        snprintf(name, sizeof name, "congruent.tower.exp2.%u.%u.%u", component, w, e->tower->index);
        LLVMValueRef table = tower_table(e, name, entries, WINDOW_SIZE);
        LLVMValueRef index = word_and_constant(e, word_lshr_constant(e, x, w * WINDOW_BITS), WINDOW_SIZE - 1);
        LLVMValueRef entry = tower_look_up(e, table, index);
        power = power ? tower_field_mul(e, prime, power, entry) : entry;
    }
    return power;
}

_Static_assert(WINDOW_BITS *WINDOWS >= 29 - 1, "exponents are below the third prime");

TowerValue tower_rule_exp2(const TowerEmit *e, const TowerValue *x, LLVMValueRef masked) {
    LLVMValueRef state = x->state;
    LLVMValueRef sign = tower_emit_group(e, state, TOWER_SIGN_SHIFT);
    LLVMValueRef unknown = tower_emit_group(e, state, TOWER_LOST_SHIFT);
    unknown = word_or(e, unknown, word_where(e, word_test(e, state, TOWER_BASE_E), sign));
    sign = word_and(e, sign, word_not(e, unknown));
    TowerValue r;
    r.component[0] = fpsan_constant(state, 0);
    for (unsigned i = 0; i + 1 < e->tower->length; i++) {
        LLVMValueRef power = windowed_power(e, i + 1, x->component[i]);
        LLVMValueRef minus = tower_field_neg(e, &e->tower->prime[i + 1], power);
        r.component[i + 1] = word_select(e, word_test(e, sign, 1u << i), minus, power);
    }
    LLVMValueRef missing = word_shl_constant(e, tower_emit_group(e, state, TOWER_MISSING_SHIFT), 1);
    LLVMValueRef weak = word_or(e, unknown, tower_emit_group(e, state, TOWER_WEAK_SHIFT));
    LLVMValueRef all = word_or(e, word_or_constant(e, tower_emit_ungrouped(e, missing, TOWER_MISSING_SHIFT), 1),
                               tower_emit_ungrouped(e, word_shl_constant(e, weak, 1), TOWER_WEAK_SHIFT));
    r.state = tower_normalise(e, word_or(e, all, word_and_constant(e, state, tower_marks(e))));
    LLVMValueRef special = word_test(e, state, TOWER_KIND), none = fpsan_constant(state, 0);
    LLVMValueRef zero = word_or(e, is_kind(e, state, TOWER_NEGATIVE_INFINITY),
                                word_and(e, word_not(e, special), word_test(e, masked, 1)));
    r = special_where(e, special, word_and_constant(e, state, TOWER_KIND), state, &r);
    return special_where(e, zero, none, state, &r);
}

static TowerValue payload_like(const TowerEmit *e, TowerPayload a, const TowerValue *like) {
    return tower_emit_constant(e, a, like->state);
}

TowerValue tower_rule_exp(const TowerEmit *e, const TowerValue *x, LLVMValueRef masked) {
    TowerValue scaled = tower_emit_scaled(e, x, e->tower->log2e, plus_sign(x->state));
    scaled = tower_emit_select(e, word_test(e, x->state, TOWER_KIND), x, &scaled);
    return tower_rule_exp2(e, &scaled, masked);
}

// ---- logarithms -----------------------------------------------------------------------------------------------------

TowerValue tower_rule_log2(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    TowerValue r;
    const unsigned last = e->tower->length - 1;
    LLVMValueRef negative[TOWER_LENGTH_MAX - 1], states = x->state;
    tower_field_log2(e, x->component, r.component, negative);
    r.component[last] = fpsan_constant(states, 0);
    LLVMValueRef weak = word_lshr_constant(e, tower_emit_group(e, states, TOWER_WEAK_SHIFT), 1);
    LLVMValueRef state =
        word_or(e, tower_emit_ungrouped(e, weak, TOWER_LOST_SHIFT), tower_emit_ungrouped(e, weak, TOWER_WEAK_SHIFT));
    state = word_or(e, state, word_and_constant(e, states, tower_marks(e)));
    state = word_or_constant(e, state, tower_bit(e, last, TOWER_MISSING_SHIFT));
    for (unsigned i = 0; i + 1 < e->tower->length; i++) {
        LLVMValueRef is_zero = word_compare_constant(e, LLVMIntEQ, x->component[i + 1], 0);
        LLVMValueRef missing = word_or(e, is_zero, word_test(e, states, tower_bit(e, i + 1, TOWER_MISSING_SHIFT)));
        r.component[i] = word_select(e, missing, fpsan_constant(states, 0), r.component[i]);
        state = word_or(e, state, word_where(e, missing, fpsan_constant(states, tower_bit(e, i, TOWER_MISSING_SHIFT))));
        state = word_or(e, state,
                        word_shl_constant(e, negative[i], (unsigned)__builtin_ctz(tower_bit(e, i, TOWER_SIGN_SHIFT))));
    }
    r.state = tower_normalise(e, state);
    LLVMValueRef minus = fpsan_constant(states, (uint64_t)TOWER_NEGATIVE_INFINITY << TOWER_KIND_SHIFT);
    LLVMValueRef nan = fpsan_constant(states, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT);
    r = special_where(e, tower_test_zero(e, x), minus, states, &r);
    r = special_where(e, word_test(e, states, TOWER_KIND), nan, states, &r);
    return tower_emit_select(e, is_kind(e, states, TOWER_POSITIVE_INFINITY), x, &r);
}

// log2 times ln 2, -inf staying what it is.
TowerValue tower_rule_log(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    TowerValue factors[] = {tower_rule_log2(e, x, extra), payload_like(e, e->tower->ln2, x)};
    LLVMValueRef minus = fpsan_constant(x->state, (uint64_t)TOWER_IEEE_NEGATIVE);
    LLVMValueRef is_minus = is_kind(e, factors[0].state, TOWER_NEGATIVE_INFINITY);
    return tower_rule_mul(e, factors, word_select(e, is_minus, minus, plus_sign(minus)));
}

// ---- roots ----------------------------------------------------------------------------------------------------------

// The state of a root of something finite.
static LLVMValueRef root_state(const TowerEmit *e, LLVMValueRef state) {
    return tower_normalise(e, word_and_constant(e, state, tower_missing_bits(e) | tower_weak_bits(e) | tower_marks(e)));
}

TowerValue tower_rule_sqrt(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    TowerValue r;
    tower_field_sqrt(e, x->component, r.component);
    r.state = root_state(e, x->state);
    return tower_emit_select(e, word_test(e, x->state, TOWER_KIND), x, &r);
}

// 1/sqrt: components that are 0 drop out; 1/0 = inf, 1/inf = 0. (1 * (1/s) has s's bits, whatever s is.)
TowerValue tower_rule_rsqrt(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    TowerValue r;
    tower_field_rsqrt(e, x->component, r.component);
    LLVMValueRef states = x->state;
    r.state = tower_normalise(e, add_missing(e, root_state(e, states), x));
    LLVMValueRef nan = fpsan_constant(states, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT);
    LLVMValueRef plus = fpsan_constant(states, (uint64_t)TOWER_POSITIVE_INFINITY << TOWER_KIND_SHIFT);
    r = special_where(e, tower_test_zero(e, x), plus, states, &r);
    r = special_where(e, word_test(e, states, TOWER_KIND), fpsan_constant(states, 0), states, &r);
    return special_where(e, is_kind(e, states, TOWER_NAN), nan, states, &r);
}

// ---- what follows from exp ------------------------------------------------------------------------------------------

TowerValue tower_rule_tanh(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    TowerValue sum = tower_emit_add(e, x, x), power = tower_call_rule(e, TOWER_RULE_exp, &sum, NULL);
    TowerValue one = payload_like(e, e->tower->one, x), minus_one = payload_like(e, e->tower->minus_one, x);
    TowerValue above = tower_emit_add(e, &power, &minus_one), below = tower_emit_add(e, &power, &one);
    TowerValue r = tower_emit_div(e, &above, &below, NULL);
    LLVMValueRef carried = word_and_constant(e, x->state, tower_marks(e));
    one.state = minus_one.state = carried;
    r = tower_emit_select(e, is_kind(e, x->state, TOWER_POSITIVE_INFINITY), &one, &r);
    return tower_emit_select(e, is_kind(e, x->state, TOWER_NEGATIVE_INFINITY), &minus_one, &r);
}

static TowerValue hyperbolic_rule(const TowerEmit *e, const TowerValue *x, bool is_sinh) {
    TowerValue minus = tower_emit_neg(e, x);
    TowerValue powers[] = {tower_call_rule(e, TOWER_RULE_exp, x, NULL),
                           tower_call_rule(e, TOWER_RULE_exp, &minus, NULL)};
    TowerValue sum = is_sinh ? tower_emit_sub(e, &powers[0], &powers[1]) : tower_emit_add(e, &powers[0], &powers[1]);
    TowerValue r = tower_emit_scaled(e, &sum, tower_rational(e->tower, 1, 2), plus_sign(x->state));
    return tower_emit_select(e, word_test(e, sum.state, TOWER_KIND), &sum, &r);
}

TowerValue tower_rule_sinh(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    return hyperbolic_rule(e, x, true);
}

TowerValue tower_rule_cosh(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    return hyperbolic_rule(e, x, false);
}

// ---- functions without a law ----------------------------------------------------------------------------------------

static LLVMValueRef mix_words(const TowerEmit *e, LLVMValueRef h) {
    h = word_mul_constant(e, word_xor(e, h, word_lshr_constant(e, h, 16)), (uint32_t)TOWER_MIX_1);
    h = word_mul_constant(e, word_xor(e, h, word_lshr_constant(e, h, 13)), (uint32_t)TOWER_MIX_2);
    return word_xor(e, h, word_lshr_constant(e, h, 16));
}

TowerValue tower_rule_tag(const TowerEmit *e, const char *name, const TowerValue *x, unsigned count) {
    TowerValue r;
    LLVMValueRef states = x[0].state;
    for (unsigned k = 1; k < count; k++) states = word_or(e, states, x[k].state);
    for (unsigned i = 0; i < e->tower->length; i++) {
        uint64_t seed = tower_tag_seed(e->tower, name, i);
        LLVMValueRef h = fpsan_constant(states, (uint32_t)seed);
        for (unsigned k = 0; k < count; k++)
            h = mix_words(e, word_add_constant(e, mix_words(e, word_xor(e, h, x[k].component[i])), seed >> 32));
        r.component[i] = tower_field_scale(e, &e->tower->prime[i], h);
    }
    r.state = root_state(e, states);
    LLVMValueRef nan = fpsan_constant(states, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT);
    r = special_where(e, word_test(e, states, TOWER_KIND), nan, states, &r);
    return tower_pass_poison(e, x, count, &r);
}

// ---- angles: see tower.c --------------------------------------------------------------------------------------------

// base + 2 times five bits of h.
static LLVMValueRef coordinate_in(const TowerEmit *e, LLVMValueRef h, unsigned shift, unsigned base) {
    LLVMValueRef bits =
        word_and_constant(e, shift ? word_lshr_constant(e, h, shift - 1) : word_shl_constant(e, h, 1), 62);
    return word_add_constant(e, bits, base);
}

// 1 / (a^2 + b^2) for the numbers that bits `shift` and up of h choose.
static LLVMValueRef inverse_norm(const TowerEmit *e, LLVMValueRef h, unsigned shift, unsigned component) {
    uint32_t entries[1 << TOWER_POINT_BITS], p = e->tower->prime[component].p;
    for (int k = 0; k < 1 << TOWER_POINT_BITS; k++) {
        int a = 2 + 2 * (k & 31), b = 1 + 2 * (k >> 5);
        entries[k] = tower_power((uint64_t)(a * a + b * b), p - 2, p);
    }
    char name[80];
    snprintf(name, sizeof name, "congruent.tower.norm.%u.%u", component, e->tower->index);
    LLVMValueRef table = tower_table(e, name, entries, 1 << TOWER_POINT_BITS);
    LLVMValueRef bits = shift ? word_lshr_constant(e, h, shift) : h;
    return tower_look_up(e, table, word_and_constant(e, bits, (1 << TOWER_POINT_BITS) - 1));
}

// A coordinate of tower_point without its denominator.
static LLVMValueRef point_numerator(const TowerEmit *e, LLVMValueRef h, bool is_sine) {
    LLVMValueRef a = coordinate_in(e, h, 0, 2), b = coordinate_in(e, h, 5, 1);
    LLVMValueRef c = coordinate_in(e, h, 10, 2), d = coordinate_in(e, h, 15, 1);
    LLVMValueRef x = word_sub(e, word_mul(e, a, c), word_mul(e, b, d));
    LLVMValueRef y = word_add(e, word_mul(e, a, d), word_mul(e, b, c));
    // (x + y) (x - y) or 2 x y.
    LLVMValueRef is_cosine =
        word_compare_constant(e, is_sine ? LLVMIntNE : LLVMIntEQ, word_and_constant(e, h, TOWER_POINT_EXCHANGED), 0);
    LLVMValueRef first = word_add(e, x, word_select(e, is_cosine, y, x));
    LLVMValueRef numerator = word_mul(e, first, word_select(e, is_cosine, word_sub(e, x, y), y));
    LLVMValueRef mirrored = word_test(e, h, is_sine ? TOWER_POINT_BELOW : TOWER_POINT_LEFT);
    return word_select(e, mirrored, word_sub(e, fpsan_constant(h, 0), numerator), numerator);
}

static TowerValue point_on_circle(const TowerEmit *e, const TowerValue *x, bool is_sine) {
    LLVMValueRef states = x->state;
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++) {
        const TowerPrime *prime = &e->tower->prime[i];
        LLVMValueRef negated = word_sub(e, fpsan_constant(states, prime->p), x->component[i]);
        LLVMValueRef size = tower_minimum(e, x->component[i], negated);
        LLVMValueRef h = mix_words(e, word_xor_constant(e, size, tower_angle_seed(e->tower, i)));
        LLVMValueRef numerator = point_numerator(e, h, is_sine);
        LLVMValueRef negative = word_compare_constant(e, LLVMIntSLT, numerator, 0);
        LLVMValueRef mirrored = word_compare(e, LLVMIntUGT, x->component[i], negated);
        if (is_sine) negative = word_xor(e, negative, mirrored);
        LLVMValueRef inverse =
            tower_field_mul(e, prime, inverse_norm(e, h, 0, i), inverse_norm(e, h, TOWER_POINT_BITS, i));
        LLVMValueRef y = tower_field_mul(e, prime, tower_magnitude(e, numerator), inverse);
        y = word_select(e, negative, tower_field_neg(e, prime, y), y);
        LLVMValueRef is_zero = word_compare_constant(e, LLVMIntEQ, x->component[i], 0);
        r.component[i] = word_select(e, is_zero, fpsan_constant(y, is_sine ? 0 : 1), y);
    }
    r.state = root_state(e, states);
    LLVMValueRef nan = fpsan_constant(states, (uint64_t)TOWER_NAN << TOWER_KIND_SHIFT);
    return special_where(e, word_test(e, states, TOWER_KIND), nan, states, &r);
}

TowerValue tower_rule_cos(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    return point_on_circle(e, x, false);
}

TowerValue tower_rule_sin(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    (void)extra;
    return point_on_circle(e, x, true);
}

TowerValue tower_rule_tan(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra) {
    TowerValue sine = tower_rule_sin(e, x, extra), cosine = tower_rule_cos(e, x, extra);
    return tower_emit_div(e, &sine, &cosine, NULL);
}
