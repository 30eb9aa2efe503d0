// SPDX-License-Identifier: Apache-2.0
// Shared by the tower's emission files: instructions on words (i32 or vectors of i32), arithmetic in the fields, the
// rules in full.
#ifndef CONGRUENT_TOWER_EMIT_INTERNAL_H
#define CONGRUENT_TOWER_EMIT_INTERNAL_H

#include "sanitizer/fpsan_emit_internal.h"
#include "sanitizer/tower_internal.h"
#include "sanitizer/tower_llvm.h"

// How many lanes private functions take. A call passes its lanes in groups of at most TOWER_WIDTH_MAX.
enum { TOWER_WIDTH_MIN = 4, TOWER_WIDTH_MAX = 16 };

#define TOWER_BINARY(name, Build)                                                                                      \
    static inline LLVMValueRef name(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {                              \
        return Build(e->builder, a, b, "");                                                                            \
    }                                                                                                                  \
    static inline LLVMValueRef name##_constant(const TowerEmit *e, LLVMValueRef a, uint64_t b) {                       \
        return Build(e->builder, a, fpsan_constant(a, b), "");                                                         \
    }
TOWER_BINARY(word_add, LLVMBuildAdd)
TOWER_BINARY(word_sub, LLVMBuildSub)
TOWER_BINARY(word_mul, LLVMBuildMul)
TOWER_BINARY(word_and, LLVMBuildAnd)
TOWER_BINARY(word_or, LLVMBuildOr)
TOWER_BINARY(word_xor, LLVMBuildXor)
TOWER_BINARY(word_shl, LLVMBuildShl)
TOWER_BINARY(word_lshr, LLVMBuildLShr)
#undef TOWER_BINARY

static inline LLVMValueRef word_not(const TowerEmit *e, LLVMValueRef a) {
    return LLVMBuildNot(e->builder, a, "");
}
static inline LLVMValueRef word_select(const TowerEmit *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}
// The value where the condition holds, else 0.
static inline LLVMValueRef word_where(const TowerEmit *e, LLVMValueRef condition, LLVMValueRef a) {
    return word_select(e, condition, a, fpsan_constant(a, 0));
}
static inline LLVMValueRef word_compare(const TowerEmit *e, LLVMIntPredicate predicate, LLVMValueRef a,
                                        LLVMValueRef b) {
    return LLVMBuildICmp(e->builder, predicate, a, b, "");
}
static inline LLVMValueRef word_compare_constant(const TowerEmit *e, LLVMIntPredicate predicate, LLVMValueRef a,
                                                 uint64_t b) {
    return LLVMBuildICmp(e->builder, predicate, a, fpsan_constant(a, b), "");
}
// Whether any of the bits is set.
static inline LLVMValueRef word_test(const TowerEmit *e, LLVMValueRef a, uint32_t bits) {
    return word_compare_constant(e, LLVMIntNE, word_and_constant(e, a, bits), 0);
}
// 0 for scalars.
static inline unsigned word_lanes(LLVMValueRef a) {
    LLVMTypeRef type = LLVMTypeOf(a);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

// ---- groups of states, as tower_group has them ---------------------------------------------------------------------

// The bits of a tower's groups in its states, and the marks that its rules unite.
static inline uint32_t tower_missing_bits(const TowerEmit *e) {
    return tower_group_bits(e->tower, TOWER_MISSING_SHIFT);
}
static inline uint32_t tower_sign_bits(const TowerEmit *e) {
    return tower_group_bits(e->tower, TOWER_SIGN_SHIFT);
}
static inline uint32_t tower_weak_bits(const TowerEmit *e) {
    return tower_group_bits(e->tower, TOWER_WEAK_SHIFT);
}
static inline uint32_t tower_marks(const TowerEmit *e) {
    return e->tower->length > TOWER_LENGTH ? tower_carried(e->tower) : TOWER_CARRIED;
}
// MISSING, LOST, WEAK and marks: what sums and products unite.
static inline uint32_t tower_united_bits(const TowerEmit *e) {
    return tower_missing_bits(e) | tower_group_bits(e->tower, TOWER_LOST_SHIFT) | tower_weak_bits(e) | tower_marks(e);
}
static inline LLVMValueRef word_moved(const TowerEmit *e, LLVMValueRef a, unsigned from, unsigned to) {
    if (from == to) return a;
    return from < to ? word_shl_constant(e, a, to - from) : word_lshr_constant(e, a, from - to);
}
// A group of the state where another group would be in one.
static inline LLVMValueRef tower_group_as(const TowerEmit *e, LLVMValueRef state, unsigned from, unsigned to) {
    LLVMValueRef low = word_moved(e, word_and_constant(e, state, 0xfu << from), from, to);
    if (e->tower->length == TOWER_LENGTH) return low;
    LLVMValueRef high = word_and_constant(e, state, 3u << (TOWER_DEEP_SHIFT + from / 2));
    return word_or(e, low, word_moved(e, high, from / 2, to / 2));
}
// As tower_group and tower_ungrouped.
static inline LLVMValueRef tower_emit_group(const TowerEmit *e, LLVMValueRef state, unsigned shift) {
    LLVMValueRef low = word_moved(e, word_and_constant(e, state, 0xfu << shift), shift, 0);
    if (e->tower->length == TOWER_LENGTH) return low;
    LLVMValueRef high = word_and_constant(e, state, 3u << (TOWER_DEEP_SHIFT + shift / 2));
    return word_or(e, low, word_moved(e, high, TOWER_DEEP_SHIFT + shift / 2, TOWER_LENGTH));
}
static inline LLVMValueRef tower_emit_ungrouped(const TowerEmit *e, LLVMValueRef group, unsigned shift) {
    LLVMValueRef low = word_moved(e, word_and_constant(e, group, 0xf), 0, shift);
    if (e->tower->length == TOWER_LENGTH) return low;
    LLVMValueRef high = word_and_constant(e, group, 3u << TOWER_LENGTH);
    return word_or(e, low, word_moved(e, high, TOWER_LENGTH, TOWER_DEEP_SHIFT + shift / 2));
}
// The bit of a component in a group.
static inline uint32_t tower_bit(const TowerEmit *e, unsigned component, unsigned shift) {
    return tower_ungrouped(e->tower, 1u << component, shift);
}

// ---- emit_tower_field.c: arithmetic modulo the primes ---------------------------------------------------------------

// As fpsan_intrinsic.
LLVMValueRef tower_intrinsic(const TowerEmit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                             LLVMValueRef *operands, unsigned count);
// Arithmetic on i32 components of one field; operands and results are below its prime.
LLVMValueRef tower_field_add(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef tower_field_sub(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef tower_field_neg(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a);
LLVMValueRef tower_field_mul(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b);
// A number of at most 52 bits, mantissa << shift, and which of TOWER_PICKED factors is its own, mod that; NULL: the
// first.
typedef struct TowerShifted {
    LLVMValueRef mantissa, shift, pick;
} TowerShifted;
// The number times its factor. False where the machine lacks instructions for it.
bool tower_field_mul_shifted(const TowerEmit *e, const TowerPrime *prime, const TowerShifted *a,
                             const uint32_t *factors, LLVMValueRef *result);
// Whether a word is a constant that is the same in every lane; gives it.
bool tower_constant_word(LLVMValueRef a, uint32_t *word);
// a * p / 2^32 for any word a.
LLVMValueRef tower_field_scale(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a);
LLVMValueRef tower_magnitude(const TowerEmit *e, LLVMValueRef a);               // |a| of a signed word
LLVMValueRef tower_maximum(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b); // of signed words
LLVMValueRef tower_minimum(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b); // of unsigned words
// The product of the low halves of i64 lanes.
LLVMValueRef tower_multiply_low(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b);
// i64 lanes below the limit of TowerPrime modulo p, as i32 lanes.
LLVMValueRef tower_field_reduce(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a);
// Of i32 lanes below 2p, or negative and above -p.
LLVMValueRef tower_field_reduce_once(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a);
// The lanes first .. first + count - 1; past the end the last lane again.
LLVMValueRef tower_lanes(const TowerEmit *e, LLVMValueRef a, unsigned first, unsigned count);

// ---- emit_tower_fraction.c: functions of components by short fractions, on vectors ----------------------------------

// `x` and `result` have the components of the tower.
// x^((p+1)/4), and its inverse, in every field; 0 for 0.
void tower_field_sqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result);
void tower_field_rsqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result);
// 1/x in every field; 0 for 0.
void tower_field_invert(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result);
// The logarithm to base 2 of x or of -x, in fields 1 and above; *negative is 1 where it is that of -x. Any number for
// 0.
void tower_field_log2(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result, LLVMValueRef *negative);

// ---- emit_tower_value.c ---------------------------------------------------------------------------------------------

// The private constant table of the module with that name, made if there is none; the entries at `index`, for each
// lane.
LLVMValueRef tower_table(const TowerEmit *e, const char *name, const uint32_t *entries, unsigned count);
LLVMValueRef tower_look_up(const TowerEmit *e, LLVMValueRef table, LLVMValueRef index);
// The words at addresses, one for each lane of `like`.
LLVMValueRef tower_gather(const TowerEmit *e, LLVMValueRef addresses, LLVMValueRef like, unsigned alignment);

// ---- emit_tower_rules.c: the rules in full, straight code on any lanes ----------------------------------------------

// As tower_normal_state.
LLVMValueRef tower_normalise(const TowerEmit *e, LLVMValueRef state);
// `a`, which a rule made of the operands `x`; in lanes where an operand is poison, the first such operand with the
// marks of all.
TowerValue tower_pass_poison(const TowerEmit *e, const TowerValue *x, unsigned count, const TowerValue *a);
// i1 lanes: as tower_is_zero.
LLVMValueRef tower_test_zero(const TowerEmit *e, const TowerValue *a);
// The signs (TOWER_IEEE_*) of the operands' product and quotient, from their bits; positive if `ieee` is NULL.
LLVMValueRef tower_product_sign(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like);
LLVMValueRef tower_quotient_sign(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like);
// The sign of log2 |power|.
LLVMValueRef tower_power_sign(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like);
// 1 where the operand is at or below TOWER_MASKED.
LLVMValueRef tower_masked(const TowerEmit *e, const TowerIeee *ieee, LLVMValueRef like);
TowerValue tower_rule_tag(const TowerEmit *e, const char *name, const TowerValue *x, unsigned count);

// RULE(name, operands, extra, over, below). `extra` is an i32 operand that is no payload: NONE, a SIGN (TOWER_IEEE_*),
// or a MASK (tower_masked). `over`, `below`: of functions, the degrees of numerator and denominator in a variable of
// their own (emit_tower_degree.c). Each rule has a private function in the module.
#define TOWER_RULES(RULE)                                                                                              \
    RULE(add, 2, NONE, 0, 0)                                                                                           \
    RULE(mul, 2, SIGN, 0, 0)                                                                                           \
    RULE(div, 3, SIGN, 0, 0)                                                                                           \
    RULE(invert, 1, NONE, 0, 0)                                                                                        \
    RULE(remainder, 3, NONE, 0, 0)                                                                                     \
    RULE(exp2, 1, MASK, 1, 0)                                                                                          \
    RULE(exp, 1, MASK, 1, 0)                                                                                           \
    RULE(sqrt, 1, NONE, 0, 1)                                                                                          \
    RULE(rsqrt, 1, NONE, 1, 0)                                                                                         \
    RULE(tanh, 1, NONE, 1, 1)                                                                                          \
    RULE(sinh, 1, NONE, 2, 1)                                                                                          \
    RULE(cosh, 1, NONE, 2, 1)                                                                                          \
    RULE(sin, 1, NONE, 1, 0)                                                                                           \
    RULE(cos, 1, NONE, 1, 0)                                                                                           \
    RULE(tan, 1, NONE, 1, 1)                                                                                           \
    RULE(log2, 1, NONE, 1, 0)                                                                                          \
    RULE(log, 1, NONE, 1, 0)
#define TOWER_DECLARE(name, operands, extra, over, below)                                                              \
    TowerValue tower_rule_##name(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra);
TOWER_RULES(TOWER_DECLARE)
#undef TOWER_DECLARE

typedef enum TowerRule {
#define TOWER_NAME(name, operands, extra, over, below) TOWER_RULE_##name,
    TOWER_RULES(TOWER_NAME)
#undef TOWER_NAME
        TOWER_RULE_COUNT
} TowerRule;

// ---- emit_tower.c ---------------------------------------------------------------------------------------------------

// a * factor. `factor` is a plain value that is 0 in no field; `sign` as the rule mul takes it.
TowerValue tower_emit_scaled(const TowerEmit *e, const TowerValue *a, TowerPayload factor, LLVMValueRef sign);

// ---- emit_tower_degree.c: rules of the tower of degrees -------------------------------------------------------------

// Each function has a variable of its own, which the value is or, with a pole, (x - 1) / (x + 1) and the like.
TowerValue tower_degree_function(const TowerEmit *e, TowerRule rule, const TowerValue *a);
TowerValue tower_degree_tag(const TowerEmit *e, const char *name, const TowerValue *operands, unsigned count);
// A value from outside with these bits, i32 or i64.
// `type`: a number for each type, so that the same bits of two types are two values.
TowerValue tower_degree_outside(const TowerEmit *e, unsigned type, LLVMValueRef bits);
TowerValue tower_degree_neg(const TowerEmit *e, const TowerValue *a);
TowerValue tower_degree_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b);
TowerValue tower_degree_mul(const TowerEmit *e, const TowerValue *a, const TowerValue *b);
TowerValue tower_degree_div(const TowerEmit *e, const TowerValue *a, const TowerValue *b);

// ---- emit_tower_call.c: calls ---------------------------------------------------------------------------------------

// Calls the function of tower_runtime.c with that name (congruent_tower_*).
TowerValue tower_call_binary(const TowerEmit *e, const char *name, const TowerValue *a, const TowerValue *b,
                             LLVMValueRef sign);
// Calls the rule's private function. `extra` NULL: 0.
TowerValue tower_call_rule(const TowerEmit *e, TowerRule rule, const TowerValue *x, LLVMValueRef extra);
// What `body` emits for one float, in a private function of the module.
typedef TowerValue EmbedBody(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits);
TowerValue tower_call_embed(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits, EmbedBody *body);

#endif
