// SPDX-License-Identifier: Apache-2.0
// The tower of degrees: emission in which payloads are no numbers but bounds of degrees (tower_llvm.h). A value is a
// quotient of polynomials; TowerDegree says what the components are. Sums saturate: TOWER_DEGREE_MAX is "no bound". Of
// states only what is carried counts.
//
// Beside it a value of its own stands for each function: VALUE, in the field of TOWER_VALUE_PRIME, where sums, products
// and negatives are those of the field, and what divides and functions make is hashed. Denominators are in two parts,
// the first and the second, whose product they are. Each part has an identity: a hash, which adds up under products. A
// sum of terms of which a part is the same keeps that part, as the elements of a row that one number divides have it;
// else it is the product of theirs. What divides becomes a second part. Of a sum over different ones that becomes an
// operand of a dot it goes to the first part, so that the next division has the second one to itself.
#include "sanitizer/tower_emit_internal.h"

enum { // components
    OVER,
    PART, // and the second one
    IDENTITY = PART + 2,
    VALUE = IDENTITY + 2,
    COUNT,
};
_Static_assert((int)COUNT == (int)TOWER_LENGTH_MAX, "the components of deep towers");
// In the degree of the second part: it is of different terms of a sum.
#define VARIED (UINT32_C(1) << 31)

// Of functions, by TowerRule: the degrees of numerator and denominator. The variable of a root is its reciprocal.
typedef struct FunctionDegree {
    unsigned over, below;
} FunctionDegree;
static const FunctionDegree function_degrees[TOWER_RULE_COUNT] = {
#define ROW(name, operands, extra, over, below) [TOWER_RULE_##name] = {over, below},
    TOWER_RULES(ROW)
#undef ROW
};

static LLVMValueRef sum_of(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef sum = word_add(e, a, b);
    return tower_minimum(e, sum, fpsan_constant(sum, TOWER_DEGREE_MAX));
}

static LLVMValueRef larger(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return word_select(e, word_compare(e, LLVMIntUGT, a, b), a, b);
}

static const TowerPrime value_prime = {.p = TOWER_VALUE_PRIME, .bits = 31}; // too large for tower_field_reduce

// Below 2^32, in that field.
static LLVMValueRef reduced(const TowerEmit *e, LLVMValueRef a) {
    a = word_add(e, word_and_constant(e, a, TOWER_VALUE_PRIME), word_lshr_constant(e, a, 31));
    return tower_field_reduce_once(e, &value_prime, a);
}

static LLVMValueRef added(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return tower_field_add(e, &value_prime, a, b);
}

// A product of two as words of 64 bits, below 2^32.
static LLVMValueRef folded_product(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef product = word_mul(e, a, b);
    return word_add(e, word_and_constant(e, product, TOWER_VALUE_PRIME), word_lshr_constant(e, product, 31));
}

static LLVMValueRef multiplied(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    LLVMValueRef product = folded_product(e, fpsan_resize(&emit, a, 64, false), fpsan_resize(&emit, b, 64, false));
    return reduced(e, fpsan_resize(&emit, product, 32, false));
}

// A hash, in the field.
static LLVMValueRef mixed(const TowerEmit *e, LLVMValueRef a) {
    a = word_mul_constant(e, a, 0x85ebca6b);
    a = word_mul_constant(e, word_xor(e, a, word_lshr_constant(e, a, 13)), 0xc2b2ae35);
    return reduced(e, word_xor(e, a, word_lshr_constant(e, a, 16)));
}

static LLVMValueRef degree_of(const TowerEmit *e, const TowerValue *a, unsigned part) {
    return word_and_constant(e, a->component[PART + part], TOWER_DEGREE_MAX);
}

static LLVMValueRef both_states(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    return word_and_constant(e, word_or(e, a->state, b->state), tower_marks(e));
}

// The value with TOWER_QUOTIENT, where it is one.
static TowerValue marked(const TowerEmit *e, TowerValue a) {
    LLVMValueRef whole = word_compare_constant(e, LLVMIntEQ, word_or(e, a.component[PART], a.component[PART + 1]), 0);
    LLVMValueRef mark = word_where(e, word_not(e, whole), fpsan_constant(a.state, TOWER_QUOTIENT));
    a.state = word_or(e, word_and_constant(e, a.state, tower_marks(e)), mark);
    return a;
}

static TowerValue variable(const TowerEmit *e, LLVMValueRef value, FunctionDegree degree, LLVMValueRef states) {
    LLVMValueRef none = fpsan_constant(value, 0);
    TowerValue r = {.state = word_and_constant(e, states, tower_marks(e))};
    for (unsigned i = 0; i < COUNT; i++) r.component[i] = none;
    r.component[OVER] = fpsan_constant(value, degree.over);
    r.component[PART + 1] = fpsan_constant(value, degree.below);
    if (degree.below) r.component[IDENTITY + 1] = mixed(e, value);
    r.component[VALUE] = value;
    return marked(e, r);
}

TowerValue tower_degree_outside(const TowerEmit *e, unsigned type, LLVMValueRef bits) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    LLVMValueRef words = fpsan_resize(&emit, bits, 32, false);
    words = word_add(e, words, fpsan_constant(words, type * 0x9e3779b9u));
    if (fpsan_element_bits(bits) > 32)
        words = word_add(e, mixed(e, words), fpsan_resize(&emit, word_lshr_constant(e, bits, 32), 32, false));
    return variable(e, mixed(e, words), (FunctionDegree){1, 0}, fpsan_constant(words, 0));
}

TowerValue tower_degree_function(const TowerEmit *e, TowerRule rule, const TowerValue *a) {
    // Roots and reciprocal roots have the same variable.
    const TowerRule named = rule == TOWER_RULE_rsqrt ? TOWER_RULE_sqrt : rule;
    LLVMValueRef value = word_add(e, a->component[VALUE], fpsan_constant(a->state, (named + 1) * 0x9e3779b9u));
    TowerValue r = variable(e, mixed(e, value), function_degrees[rule], a->state);
    if (rule == TOWER_RULE_sqrt) r.component[VALUE] = mixed(e, r.component[VALUE]);
    return r;
}

TowerValue tower_degree_tag(const TowerEmit *e, const char *name, const TowerValue *operands, unsigned count) {
    LLVMValueRef states = operands[0].state;
    LLVMValueRef value = fpsan_constant(states, (uint32_t)fpsan_fnv1a64(name));
    for (unsigned i = 0; i < count; i++) {
        value = mixed(e, word_add(e, value, operands[i].component[VALUE]));
        states = word_or(e, states, operands[i].state);
    }
    return variable(e, value, (FunctionDegree){1, 0}, states);
}

TowerValue tower_degree_neg(const TowerEmit *e, const TowerValue *a) {
    TowerValue r = *a;
    r.component[VALUE] = tower_field_neg(e, &value_prime, a->component[VALUE]);
    return r;
}

// ---- sums -----------------------------------------------------------------------------------------------------------

// The numerator's degree of `a` over a denominator with more factors than its own.
static LLVMValueRef over_common(const TowerEmit *e, const TowerValue *a, const TowerValue *common) {
    LLVMValueRef over = a->component[OVER];
    for (unsigned part = 0; part < 2; part++)
        over = sum_of(e, over, word_sub(e, degree_of(e, common, part), degree_of(e, a, part)));
    return over;
}

// a/b + c/d = (a d + c b) / (b d).
TowerValue tower_degree_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    TowerValue r = {.state = both_states(e, a, b)};
    for (unsigned part = 0; part < 2; part++) {
        LLVMValueRef x = degree_of(e, a, part), y = degree_of(e, b, part);
        LLVMValueRef own = a->component[IDENTITY + part], other = b->component[IDENTITY + part];
        LLVMValueRef same = word_and(e, word_compare(e, LLVMIntEQ, x, y), word_compare(e, LLVMIntEQ, own, other));
        LLVMValueRef keeps = word_or(e, same, word_compare_constant(e, LLVMIntEQ, y, 0));
        LLVMValueRef takes = word_compare_constant(e, LLVMIntEQ, x, 0);
        LLVMValueRef all = word_select(e, keeps, x, word_select(e, takes, y, sum_of(e, x, y)));
        if (part) {
            LLVMValueRef varied = word_or(e, a->component[PART + 1], b->component[PART + 1]);
            varied = word_and_constant(e, varied, VARIED);
            LLVMValueRef differ = word_not(e, word_or(e, keeps, takes));
            all = word_or(e, all, word_or(e, varied, word_where(e, differ, fpsan_constant(all, VARIED))));
        }
        r.component[PART + part] = all;
        r.component[IDENTITY + part] = word_select(e, keeps, own, word_select(e, takes, other, added(e, own, other)));
    }
    r.component[OVER] = larger(e, over_common(e, a, &r), over_common(e, b, &r));
    r.component[VALUE] = added(e, a->component[VALUE], b->component[VALUE]);
    return marked(e, r);
}

TowerValue tower_emit_either(const TowerEmit *e, LLVMValueRef takes_a, LLVMValueRef is_told, const TowerValue *a,
                             const TowerValue *b) {
    TowerValue r = tower_degree_add(e, a, b);
    LLVMValueRef taken = word_select(e, takes_a, a->component[VALUE], b->component[VALUE]);
    r.component[VALUE] = word_select(e, is_told, taken, mixed(e, r.component[VALUE]));
    return r;
}

TowerValue tower_emit_degree_summed(const TowerEmit *e, const TowerValue *a) {
    TowerValue r = *a;
    LLVMValueRef varied = word_test(e, a->component[PART + 1], VARIED);
    r.component[PART] = sum_of(e, degree_of(e, a, 0), word_where(e, varied, degree_of(e, a, 1)));
    r.component[PART + 1] = word_where(e, word_not(e, varied), a->component[PART + 1]);
    r.component[IDENTITY] = added(e, a->component[IDENTITY], word_where(e, varied, a->component[IDENTITY + 1]));
    r.component[IDENTITY + 1] = word_where(e, word_not(e, varied), a->component[IDENTITY + 1]);
    return r;
}

// ---- products -------------------------------------------------------------------------------------------------------

TowerValue tower_degree_mul(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    TowerValue r = {.state = both_states(e, a, b)};
    r.component[OVER] = sum_of(e, a->component[OVER], b->component[OVER]);
    for (unsigned part = 0; part < 2; part++) {
        r.component[PART + part] = sum_of(e, degree_of(e, a, part), degree_of(e, b, part));
        r.component[IDENTITY + part] = added(e, a->component[IDENTITY + part], b->component[IDENTITY + part]);
    }
    LLVMValueRef varied = word_or(e, a->component[PART + 1], b->component[PART + 1]);
    r.component[PART + 1] = word_or(e, r.component[PART + 1], word_and_constant(e, varied, VARIED));
    r.component[VALUE] = multiplied(e, a->component[VALUE], b->component[VALUE]);
    return marked(e, r);
}

// 1/b: numerator and denominator change places.
TowerValue tower_degree_div(const TowerEmit *e, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef none = fpsan_constant(b->state, 0), below = b->component[OVER];
    LLVMValueRef value = mixed(e, b->component[VALUE]), exists = word_compare_constant(e, LLVMIntNE, below, 0);
    TowerValue inverse = variable(e, value, (FunctionDegree){0, 0}, b->state);
    inverse.component[OVER] = sum_of(e, degree_of(e, b, 0), degree_of(e, b, 1));
    inverse.component[PART + 1] = below;
    inverse.component[IDENTITY + 1] = word_select(e, exists, value, none);
    return tower_degree_mul(e, a, &inverse);
}

// ---- dots without denominators --------------------------------------------------------------------------------------

bool tower_degree_adds(unsigned component) {
    return component == OVER || component == VALUE;
}

LLVMValueRef tower_emit_degree_step(const TowerEmit *e, unsigned component, LLVMValueRef sum, LLVMValueRef a,
                                    LLVMValueRef b) {
    if (!tower_degree_adds(component)) return sum;
    if (component == OVER) return larger(e, sum, word_add(e, a, b));
    return word_add(e, sum, folded_product(e, a, b));
}

LLVMValueRef tower_emit_degree_end(const TowerEmit *e, unsigned component, LLVMValueRef sum, LLVMValueRef start) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    if (component == OVER)
        return fpsan_resize(&emit, tower_minimum(e, larger(e, sum, start), fpsan_constant(sum, TOWER_DEGREE_MAX)), 32,
                            false);
    LLVMValueRef all = word_add(e, sum, start); // below 2^63
    for (unsigned i = 0; i < 2; i++)
        all = word_add(e, word_and_constant(e, all, TOWER_VALUE_PRIME), word_lshr_constant(e, all, 31));
    return reduced(e, fpsan_resize(&emit, all, 32, false));
}

// a^(k/2) or its inverse is a power of a, and a root if k is odd; any other power is a function of its own. All are
// below (n + d) k + 1.
TowerValue tower_emit_degree_power(const TowerEmit *e, const TowerValue *a, const TowerValue *exponent,
                                   LLVMValueRef k) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    LLVMValueRef size = sum_of(e, sum_of(e, degree_of(e, a, 0), degree_of(e, a, 1)), a->component[OVER]);
    LLVMValueRef wide = word_mul(e, fpsan_resize(&emit, size, 64, false), fpsan_resize(&emit, k, 64, false));
    wide = word_add(e, wide, fpsan_constant(wide, 1));
    LLVMValueRef degree =
        fpsan_resize(&emit, tower_minimum(e, wide, fpsan_constant(wide, TOWER_DEGREE_MAX)), 32, false);
    LLVMValueRef value = mixed(e, word_add(e, mixed(e, exponent->component[VALUE]), a->component[VALUE]));
    TowerValue r = variable(e, value, (FunctionDegree){1, 1}, a->state);
    r.component[OVER] = r.component[PART + 1] = degree;
    return r;
}
