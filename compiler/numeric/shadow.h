// SPDX-License-Identifier: Apache-2.0
// What the files of the numeric `shadow` share: its parts, and payloads as sanitizer/tower_llvm.h takes them.
#ifndef CONGRUENT_SHADOW_H
#define CONGRUENT_SHADOW_H

#include "compiler/numeric/numeric_internal.h"
#include "sanitizer/tower_llvm.h"

// Components 4 and 5, which only deep towers have, come behind the state.
enum {
    SHADOW_IEEE,
    SHADOW_COMPONENT,
    SHADOW_STATE = SHADOW_COMPONENT + TOWER_LENGTH,
    SHADOW_PARTS,
    SHADOW_DEEP_PARTS = SHADOW_PARTS + TOWER_LENGTH_MAX - TOWER_LENGTH,
};
static inline unsigned shadow_part(unsigned component) {
    return component < TOWER_LENGTH ? SHADOW_COMPONENT + component : SHADOW_PARTS + component - TOWER_LENGTH;
}
static inline unsigned shadow_component(unsigned part) {
    return part < SHADOW_STATE ? part - SHADOW_COMPONENT : part - SHADOW_PARTS + TOWER_LENGTH;
}

// ---- shadow.c -------------------------------------------------------------------------------------------------------

// An instruction of that use for i64 sums of that many lanes (0: of any); NULL: there is none.
const MachineVector *shadow_sum_instruction(const NumericContext *cx, MachineUse use, unsigned lanes);
// What it makes of more lanes.
LLVMValueRef shadow_multiply_add(const NumericContext *cx, const MachineVector *chosen, LLVMValueRef sum,
                                 LLVMValueRef a, LLVMValueRef b);
// What the functions of tower_llvm.h are given in this context.
TowerEmit shadow_emit(const NumericContext *cx);
// Parts 1 and up of a value as a payload, and a value of part 0 and a payload.
TowerValue shadow_payload(const NumericValue *value);
NumericValue shadow_value(LLVMValueRef ieee, const TowerValue *payload);
// Part 0 of a value, for the functions of numeric_ieee.
NumericValue shadow_ieee(const NumericValue *value);
// The value with its number flushed, if the op says flush_to_zero, and its payload.
NumericValue shadow_flushed(const NumericContext *cx, const FloatOp *op, const NumericValue *value);

// ---- shadow_near.c: close calls and the marks that tell of them -----------------------------------------------------

// Numeric.choose, poison aside. The payload is a's where `result` is a's number alone, and b's where it is not a's.
// Where it is the number of both, tower_goes_first chooses. Where close calls flip, it is the other payload. The state
// says whether it was a close call.
NumericValue shadow_choose(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                           LLVMValueRef is_b, const NumericValue *a, const NumericValue *b);
// Marks: NUMERIC_MARK_NEAR where a and b are within tower_near_share (of the narrowest type that either passed through)
// of each other, and their payloads differ.
LLVMValueRef shadow_near(const NumericContext *cx, FpsanFormat format, const NumericValue *a, const NumericValue *b);
// Marks of an integer that is the value rounded by `rule` (FLOOR, CEIL, any other: toward zero): NUMERIC_MARK_ROUNDED,
// NUMERIC_MARK_NEAR where the value is within tower_near_share of an integer; and where close calls flip, the step to
// the other integer.
LLVMValueRef shadow_near_integer(const NumericContext *cx, FpsanFormat format, FpsanRule rule,
                                 const NumericValue *value);
// i1 lanes: where a close call of `marks` between a and b takes the other choice (NumericContext.flips); NULL: nowhere.
// For the rounding of a value, it is both a and b. `strays` (i1 lanes): where the choice is not the one that payloads
// make; it may be NULL unless shadow_is_settled.
LLVMValueRef shadow_flips(const NumericContext *cx, LLVMValueRef marks, const NumericValue *a, const NumericValue *b,
                          LLVMValueRef strays);
bool shadow_is_settled(const NumericContext *cx);
// The marks of a boolean with a step of 1 in the lanes of `flips`, which may be NULL.
LLVMValueRef shadow_flip_mark(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef flips);
// Numeric.flipped.
LLVMValueRef shadow_flipped(const NumericContext *cx, const NumericValue *integer);
// The marks of an integer that is made of the value. Where the value is an integer whose payload is that of another
// small one, because a close call before it was flipped, they get the step to that one.
LLVMValueRef shadow_follow(const NumericContext *cx, FpsanFormat format, const NumericValue *value, LLVMValueRef marks);
// What a decision becomes that numbers made: where cx->decide is NULL, the same. `outcome`: lanes of integers of any
// width. `b` is a where there is one operand.
LLVMValueRef shadow_decided(const NumericContext *cx, FpsanFormat format, const NumericValue *a, const NumericValue *b,
                            LLVMValueRef outcome);
// Marks: NUMERIC_MARK_NEAR where the state has TOWER_NEAR.
LLVMValueRef shadow_near_marks(const NumericContext *cx, LLVMValueRef states);
// Marks: NUMERIC_MARK_POISON, with the origin, where a or b is poison; b may be NULL.
LLVMValueRef shadow_poison_marks(const NumericContext *cx, const NumericValue *a, const NumericValue *b);
// Marks: NUMERIC_MARK_POISON where the value, rounded towards zero, is no integer of that type. Poison of the value
// itself is not looked at.
LLVMValueRef shadow_overflow(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value);
// Numeric.mark: the value with the marks in its state, and poison where they say POISON.
NumericValue shadow_mark(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks);
// The bit of TOWER_PASSED that a value rounded to the format gets; 0 for f64.
uint32_t shadow_passed(FpsanFormat format);
// The value with shadow_passed of `to` in its state, if that has fewer significant bits than `from`.
NumericValue shadow_rounded_to(const NumericContext *cx, FpsanFormat from, FpsanFormat to, const NumericValue *value);

// ---- shadow_rules.c -------------------------------------------------------------------------------------------------

// Numeric.apply.
bool shadow_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                  NumericValue *result);

// The payload without the phases of signed towers, and with what it is computed.
TowerEmit shadow_without_phases(const NumericContext *cx, const NumericValue *value, TowerValue *payload);
// A hash of the payload that is negated where that is.
TowerValue shadow_odd_tag(const NumericContext *cx, const char *name, const NumericValue *x);
// `real`, an integer that IEEE arithmetic has rounded the operand to by the rule (as in shadow_near_integer), and the
// payload of that number.
NumericValue shadow_integer_part(const NumericContext *cx, FpsanFormat format, FpsanRule rule,
                                 const NumericValue *operand, LLVMValueRef real);
// `real`, a remainder of the two operands in IEEE arithmetic with any integer quotient, and its payload.
NumericValue shadow_remainder(const NumericContext *cx, FpsanFormat format, const NumericValue *operands,
                              LLVMValueRef real);

// ---- shadow_functions.c ---------------------------------------------------------------------------------------------

// Numeric.apply of op->function, whose rule is EXTERN.
bool shadow_apply_function(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                           NumericValue *result);

// ---- shadow_dot.c ---------------------------------------------------------------------------------------------------

// Hooks of NumericDots.
bool shadow_dot_plan(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan);
LLVMValueRef shadow_dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                                const NumericValue *value);
LLVMValueRef shadow_dot_begin(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part);
LLVMValueRef shadow_dot_end(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator);
LLVMValueRef shadow_dot_step(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator, LLVMValueRef a,
                             LLVMValueRef b);
LLVMValueRef shadow_dot_parameter(const NumericContext *cx, const NumericDot *plan);
LLVMValueRef shadow_dot_fold(const NumericContext *cx, LLVMValueRef parameter, LLVMValueRef accumulator);
LLVMValueRef shadow_dot_finish(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                               LLVMValueRef start);
bool shadow_scaled_operand(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                           const NumericValue *value, const NumericValue *scale, NumericValue *result);
LLVMValueRef shadow_dot_states(const NumericContext *cx, LLVMValueRef word);
LLVMValueRef shadow_dot_common(const NumericContext *cx, LLVMValueRef word);
LLVMValueRef shadow_dot_values(const NumericContext *cx, LLVMValueRef word);
NumericValue shadow_dot_value_begin(const NumericContext *cx, const NumericValue *accumulator);
NumericValue shadow_dot_value_end(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *sum);
NumericValue shadow_dot_value_step(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *a,
                                   const NumericValue *b);

#endif
