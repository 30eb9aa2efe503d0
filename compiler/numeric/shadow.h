// SPDX-License-Identifier: Apache-2.0
// What the files of the numeric `shadow` share: its parts, and payloads as sanitizer/tower_llvm.h takes them.
#ifndef CONGRUENT_SHADOW_H
#define CONGRUENT_SHADOW_H

#include "compiler/numeric/numeric_internal.h"
#include "sanitizer/tower_llvm.h"

enum { SHADOW_IEEE, SHADOW_COMPONENT, SHADOW_STATE = SHADOW_COMPONENT + TOWER_LENGTH, SHADOW_PARTS };

TowerEmit shadow_emit(const NumericContext *cx);
TowerValue shadow_payload(const NumericValue *value);
NumericValue shadow_value(LLVMValueRef ieee, const TowerValue *payload);
// The IEEE half of a value, for the functions of numeric_ieee.
NumericValue shadow_ieee(const NumericValue *value);

// ---- shadow_near.c: what was decided by a few units in the last place
// The payload of a where the result is a's number, else of b; where it is both's, of the one that tower_goes_first
// says; where close calls flip, of the other one. And that it was a close call.
NumericValue shadow_choose(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                           LLVMValueRef is_b, const NumericValue *a, const NumericValue *b);

// ------------------------------------------------

// Marks: NUMERIC_MARK_NEAR where a and b are within 8 units in the last place of the narrowest type that
// either passed through, and their payloads differ.
LLVMValueRef shadow_near(const NumericContext *cx, FpsanFormat format, const NumericValue *a, const NumericValue *b);
// Marks: NUMERIC_MARK_ROUNDED, and NUMERIC_MARK_NEAR where the value is so near to an integer. The rule (FLOOR, CEIL or
// any other: toward zero) is for what flips.
LLVMValueRef shadow_near_integer(const NumericContext *cx, FpsanFormat format, FpsanRule rule,
                                 const NumericValue *value);
// Lanes (i1) whose close call, marked so, gives the other choice now (NumericContext.flips): of a and b, or of a value
// that is given twice. `strays`: lanes whose choice is not the one that payloads make; asked for only where
// shadow_is_settled. NULL: none does. And the marks with one more where they do.
LLVMValueRef shadow_flips(const NumericContext *cx, LLVMValueRef marks, const NumericValue *a, const NumericValue *b,
                          LLVMValueRef strays);
bool shadow_is_settled(const NumericContext *cx);
LLVMValueRef shadow_flip_mark(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef flips);
LLVMValueRef shadow_flipped(const NumericContext *cx, const NumericValue *integer);
// Of an integer made of the value: the marks with what it would be where a float before it fell otherwise.
LLVMValueRef shadow_follow(const NumericContext *cx, FpsanFormat format, const NumericValue *value, LLVMValueRef marks);
// Marks: NUMERIC_MARK_NEAR where the state has TOWER_NEAR.
LLVMValueRef shadow_near_marks(const NumericContext *cx, LLVMValueRef states);
// Marks: NUMERIC_MARK_POISON where one of the values is (TOWER_POISON); b may be NULL.
LLVMValueRef shadow_poison_marks(const NumericContext *cx, const NumericValue *a, const NumericValue *b);
// Marks: NUMERIC_MARK_POISON where the value, rounded towards zero, is no integer of that type; it may be poison
// itself.
LLVMValueRef shadow_overflow(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value);
// The value with the marks in its state; poison where they say so.
NumericValue shadow_mark(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks);
// The bit of TOWER_PASSED that a value rounded to the format gets; 0 for f64.
uint32_t shadow_passed(FpsanFormat format);
// The value as one that was rounded to `to` if that is narrower than `from`.
NumericValue shadow_rounded_to(const NumericContext *cx, FpsanFormat from, FpsanFormat to, const NumericValue *value);

// ---- shadow_rules.c -------------------------------------------------------------------------------------------------

bool shadow_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                  NumericValue *result);

// ---- shadow_dot.c ---------------------------------------------------------------------------------------------------

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
NumericValue shadow_dot_value_step(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *a,
                                   const NumericValue *b);

#endif
