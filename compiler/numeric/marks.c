// SPDX-License-Identifier: Apache-2.0
// Marks of integers and booleans (NUMERIC_MARK_*): their type, tests, and the marks of what several together decide.
#include "compiler/numeric/numeric.h"

// With origins a word of marks has above them, where POISON is set, ORIGIN_TOP less the origin: of several the largest
// is the lowest origin.
enum { ORIGIN_SHIFT = 5, ORIGIN_TOP = (1 << (32 - ORIGIN_SHIFT)) - 1, ALL_MARKS = (1 << ORIGIN_SHIFT) - 1 };
_Static_assert(NUMERIC_MARK_POISON < 1 << ORIGIN_SHIFT && (int)TOWER_ORIGIN_MAX < (int)ORIGIN_TOP, "there is room");

// Where close calls are flipped the step is above them, signed.
enum { STEP_SHIFT = 8, STEP_BITS = 32 - STEP_SHIFT, STEP_MAX = (1 << (STEP_BITS - 1)) - 1 };

unsigned numeric_mark_bits(const NumericContext *cx) {
    return cx->origins || cx->flips ? 32 : 8;
}

LLVMValueRef numeric_marks_like(const NumericContext *cx, LLVMValueRef like, unsigned marks) {
    return vector_integer_like(like, numeric_mark_bits(cx), marks);
}

LLVMValueRef numeric_has_mark(const NumericContext *cx, LLVMValueRef marks, unsigned mark) {
    LLVMValueRef bit = LLVMBuildAnd(cx->builder, marks, numeric_marks_like(cx, marks, mark), "");
    return LLVMBuildICmp(cx->builder, LLVMIntNE, bit, LLVMConstNull(LLVMTypeOf(bit)), "");
}

static bool has_none(LLVMValueRef marks) {
    return LLVMIsConstant(marks) && LLVMIsNull(marks);
}

// ---- steps

static LLVMValueRef resized(const NumericContext *cx, LLVMValueRef value, unsigned bits) {
    const unsigned from = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    LLVMTypeRef type = vector_type_like(LLVMIntTypeInContext(cx->context, bits), value);
    if (from == bits) return value;
    return from < bits ? LLVMBuildSExt(cx->builder, value, type, "") : LLVMBuildTrunc(cx->builder, value, type, "");
}

LLVMValueRef numeric_with_step(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef is, LLVMValueRef other) {
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(is)));
    LLVMValueRef step = LLVMBuildSub(cx->builder, other, is, "");
    if (bits >= STEP_BITS) {
        LLVMValueRef most = vector_integer_like(is, bits, STEP_MAX), least = LLVMBuildNeg(cx->builder, most, "");
        step = vector_intrinsic(cx, "llvm.smin", (LLVMValueRef[]){step, most}, 2);
        step = vector_intrinsic(cx, "llvm.smax", (LLVMValueRef[]){step, least}, 2);
    }
    step = LLVMBuildShl(cx->builder, resized(cx, step, 32), numeric_marks_like(cx, marks, STEP_SHIFT), "");
    return LLVMBuildOr(cx->builder, numeric_without_step(cx, marks), step, "");
}

LLVMValueRef numeric_step(const NumericContext *cx, LLVMValueRef marks, unsigned bits) {
    LLVMValueRef step = LLVMBuildAShr(cx->builder, marks, numeric_marks_like(cx, marks, STEP_SHIFT), "");
    return resized(cx, step, bits);
}

LLVMValueRef numeric_without_step(const NumericContext *cx, LLVMValueRef marks) {
    if (!cx->flips) return marks;
    return LLVMBuildAnd(cx->builder, marks, numeric_marks_like(cx, marks, (1u << STEP_SHIFT) - 1), "");
}

// ---- of several

LLVMValueRef numeric_unite_marks(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b) {
    if (has_none(a) || has_none(b)) return has_none(a) ? b : a;
    LLVMValueRef all = LLVMBuildOr(cx->builder, a, b, "");
    if (!cx->origins) return all;
    LLVMValueRef origin = vector_intrinsic(cx, "llvm.umax", (LLVMValueRef[]){a, b}, 2);
    return LLVMBuildOr(cx->builder, origin, LLVMBuildAnd(cx->builder, all, numeric_marks_like(cx, all, ALL_MARKS), ""),
                       "");
}

LLVMValueRef numeric_unite_lanes(const NumericContext *cx, LLVMValueRef marks) {
    if (!vector_lanes(marks)) return marks;
    LLVMValueRef all = vector_intrinsic(cx, "llvm.vector.reduce.or", &marks, 1);
    if (!cx->origins) return all;
    LLVMValueRef origin = vector_intrinsic(cx, "llvm.vector.reduce.umax", &marks, 1);
    return LLVMBuildOr(cx->builder, origin, LLVMBuildAnd(cx->builder, all, numeric_marks_like(cx, all, ALL_MARKS), ""),
                       "");
}

// tower_origin
static LLVMValueRef origin_of_component(const NumericContext *cx, LLVMValueRef component) {
    const uint32_t p = cx->tower->prime[TOWER_ORIGIN_COMPONENT].p;
    LLVMValueRef is_negative =
        LLVMBuildICmp(cx->builder, LLVMIntUGT, component, vector_integer_like(component, 32, p / 2), "");
    LLVMValueRef negative = LLVMBuildSub(cx->builder, vector_integer_like(component, 32, p), component, "");
    return LLVMBuildSelect(cx->builder, is_negative, negative, component, "");
}

LLVMValueRef numeric_poison_marks(const NumericContext *cx, LLVMValueRef where, LLVMValueRef origins) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef marks = numeric_marks_like(cx, where, NUMERIC_MARK_POISON);
    if (cx->origins) {
        if (!vector_lanes(origins)) origins = vector_splat(b, origins, vector_lanes(where));
        origins = origin_of_component(cx, origins);
        LLVMValueRef rest = LLVMBuildSub(b, numeric_marks_like(cx, where, ORIGIN_TOP), origins, "");
        rest = LLVMBuildShl(b, rest, numeric_marks_like(cx, where, ORIGIN_SHIFT), "");
        marks = LLVMBuildOr(b, marks, rest, "");
    }
    return LLVMBuildSelect(b, where, marks, numeric_marks_like(cx, where, 0), "");
}

LLVMValueRef numeric_mark_origins(const NumericContext *cx, LLVMValueRef marks) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef none = vector_integer_like(marks, 32, 0);
    if (!cx->origins) return none;
    LLVMValueRef rest = LLVMBuildLShr(b, marks, numeric_marks_like(cx, marks, ORIGIN_SHIFT), "");
    LLVMValueRef origin = LLVMBuildSub(b, numeric_marks_like(cx, marks, ORIGIN_TOP), rest, "");
    return LLVMBuildSelect(b, numeric_has_mark(cx, marks, NUMERIC_MARK_POISON), origin, none, "");
}
