// SPDX-License-Identifier: Apache-2.0
// What was decided by a few units in the last place: marks of comparisons and of roundings to integers, and the types
// that a value passed through, which say how large such a unit is.
#include "compiler/numeric/shadow.h"

#include <math.h>

static unsigned significant_bits(FpsanFormat format) {
    return fpsan_format_info(format)->mantissa_bits + 1;
}

uint32_t shadow_passed(FpsanFormat format) {
    unsigned significant = significant_bits(format);
    for (size_t i = 0; i < TOWER_PASSED_TYPES; i++)
        if (significant >= tower_passed_types[i].significant) return significant > 24 ? 0 : tower_passed_types[i].bit;
    return TOWER_PASSED_2; // e8m0: powers of two
}

// Whether states say which types a value passed through.
static bool has_types(const NumericContext *cx) {
    return tower_carried(cx->tower) & TOWER_PASSED;
}

NumericValue shadow_rounded_to(const NumericContext *cx, FpsanFormat from, FpsanFormat to, const NumericValue *value) {
    if (significant_bits(to) >= significant_bits(from) || !has_types(cx)) return *value;
    NumericValue result = *value;
    LLVMValueRef state = value->parts[SHADOW_STATE];
    result.parts[SHADOW_STATE] = LLVMBuildOr(cx->builder, state, vector_integer_like(state, 32, shadow_passed(to)), "");
    return result;
}

static LLVMValueRef poison_with_origin(const NumericContext *cx, const NumericValue *value) {
    LLVMValueRef state = value->parts[SHADOW_STATE];
    LLVMValueRef bit = LLVMBuildAnd(cx->builder, state, vector_integer_like(state, 32, TOWER_POISON), "");
    LLVMValueRef where = LLVMBuildICmp(cx->builder, LLVMIntNE, bit, vector_integer_like(bit, 32, 0), "");
    return numeric_poison_marks(cx, where, value->parts[SHADOW_COMPONENT + TOWER_ORIGIN_COMPONENT]);
}

LLVMValueRef shadow_poison_marks(const NumericContext *cx, const NumericValue *a, const NumericValue *b) {
    _Static_assert(TOWER_POISON >> 17 == NUMERIC_MARK_POISON, "a shift makes it");
    if (cx->origins) {
        LLVMValueRef marks = poison_with_origin(cx, a);
        return b ? numeric_unite_marks(cx, marks, poison_with_origin(cx, b)) : marks;
    }
    LLVMValueRef states = a->parts[SHADOW_STATE];
    if (b) states = LLVMBuildOr(cx->builder, states, b->parts[SHADOW_STATE], "");
    LLVMValueRef low = LLVMBuildLShr(cx->builder, states, vector_integer_like(states, 32, 17), "");
    low = vector_zext_or_trunc(cx, low, numeric_mark_bits(cx));
    return LLVMBuildAnd(cx->builder, low, numeric_marks_like(cx, low, NUMERIC_MARK_POISON), "");
}

// Who made a float that integers make poison: what they say, else the op that makes it.
static LLVMValueRef origin_of(const NumericContext *cx, LLVMValueRef marks) {
    if (cx->origins) return numeric_mark_origins(cx, marks);
    LLVMValueRef origin = LLVMConstNull(LLVMInt32TypeInContext(cx->context));
    if (cx->origin) origin = cx->origin(cx->owner, "results that an unspecified integer or condition decides", true);
    return vector_splat(cx->builder, origin, vector_lanes(marks));
}

// Poison in the lanes of `marks` that say so; what is poison already stays what it is.
static NumericValue poisoned(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks) {
    LLVMValueRef state = value->parts[SHADOW_STATE];
    LLVMValueRef origin = origin_of(cx, marks), where = numeric_has_mark(cx, marks, NUMERIC_MARK_POISON);
    LLVMValueRef old = LLVMBuildAnd(cx->builder, state, vector_integer_like(state, 32, TOWER_POISON), "");
    where = LLVMBuildAnd(cx->builder, where,
                         LLVMBuildICmp(cx->builder, LLVMIntEQ, old, vector_integer_like(state, 32, 0), ""), "");
    LLVMValueRef carried =
        LLVMBuildAnd(cx->builder, state, vector_integer_like(state, 32, tower_carried(cx->tower)), "");
    LLVMValueRef nobody = vector_integer_like(state, 32, 0);
    NumericValue result = *value;
    for (unsigned i = 0; i < cx->tower->length; i++) {
        result.parts[shadow_part(i)] = LLVMBuildSelect(
            cx->builder, where, i == TOWER_ORIGIN_COMPONENT ? origin : nobody, value->parts[shadow_part(i)], "");
    }
    LLVMValueRef poison = LLVMBuildOr(cx->builder, carried, vector_integer_like(state, 32, tower_poison(0).state), "");
    result.parts[SHADOW_STATE] = LLVMBuildSelect(cx->builder, where, poison, state, "");
    return result;
}

// Code that runs only where some lane has the mark.
static NumericValue poisoned_where_any(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef any = vector_lanes(marks) ? vector_intrinsic(cx, "llvm.vector.reduce.or", &marks, 1) : marks;
    LLVMValueRef condition = numeric_has_mark(cx, any, NUMERIC_MARK_POISON);
    if (LLVMIsConstant(condition) && LLVMIsNull(condition)) return *value;
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), NULL};
    LLVMValueRef function = LLVMGetBasicBlockParent(from[0]);
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(cx->context, function, "poison");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(cx->context, function, "marked");
    LLVMBuildCondBr(b, condition, other, join);
    LLVMPositionBuilderAtEnd(b, other);
    NumericValue poison = poisoned(cx, value, marks), result = *value;
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
    for (unsigned p = SHADOW_COMPONENT; p < cx->numeric->part_count; p++) {
        result.parts[p] = LLVMBuildPhi(b, LLVMTypeOf(value->parts[p]), "");
        LLVMAddIncoming(result.parts[p], (LLVMValueRef[]){value->parts[p], poison.parts[p]}, from, 2);
    }
    return result;
}

NumericValue shadow_mark(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks) {
    _Static_assert(NUMERIC_MARK_NEAR == 1 && NUMERIC_MARK_ROUNDED == 2 && TOWER_ROUNDED == 2 * TOWER_NEAR, "in order");
    if (LLVMIsConstant(marks) && LLVMIsNull(marks)) return *value;
    NumericValue result = *value;
    LLVMValueRef wide = vector_zext_or_trunc(cx, marks, 32), state = value->parts[SHADOW_STATE];
    LLVMValueRef shift = vector_integer_like(wide, 32, (unsigned)__builtin_ctz(TOWER_NEAR));
    wide = LLVMBuildAnd(cx->builder, wide, vector_integer_like(wide, 32, NUMERIC_MARK_NEAR | NUMERIC_MARK_ROUNDED), "");
    result.parts[SHADOW_STATE] = LLVMBuildOr(cx->builder, state, LLVMBuildShl(cx->builder, wide, shift, ""), "");
    return poisoned_where_any(cx, &result, marks);
}

// ---- how near -------------------------------------------------------------------------------------------------------

static LLVMValueRef as_real(const NumericContext *cx, FpsanFormat format, LLVMValueRef ieee) {
    return format == FPSAN_F64 ? ieee : ieee_to_single(cx, format, ieee);
}

static LLVMValueRef real_like(LLVMValueRef like, double value) {
    return vector_real_like(like, vector_element(LLVMTypeOf(like)), value);
}

// tower_near_share by the types in a state; at least that of the value's own format.
static LLVMValueRef relative_tolerance(const NumericContext *cx, FpsanFormat format, LLVMValueRef state,
                                       LLVMValueRef like) {
    LLVMValueRef tolerance = real_like(like, tower_near_share(significant_bits(format)));
    for (size_t i = 0; i < TOWER_PASSED_TYPES && has_types(cx); i++) {
        if (tower_passed_types[i].significant >= significant_bits(format)) continue;
        LLVMValueRef bit =
            LLVMBuildAnd(cx->builder, state, vector_integer_like(state, 32, tower_passed_types[i].bit), "");
        LLVMValueRef passed = LLVMBuildICmp(cx->builder, LLVMIntNE, bit, vector_integer_like(state, 32, 0), "");
        LLVMValueRef share = real_like(like, tower_near_share(tower_passed_types[i].significant));
        tolerance = LLVMBuildSelect(cx->builder, passed, share, tolerance, "");
    }
    return tolerance;
}

static LLVMValueRef magnitude(const NumericContext *cx, LLVMValueRef x) {
    return vector_intrinsic(cx, "llvm.fabs", &x, 1);
}

// |x - y| <= tolerance * scale: false for NaN, and for infinities if the scale is finite.
static LLVMValueRef is_near(const NumericContext *cx, LLVMValueRef x, LLVMValueRef y, LLVMValueRef tolerance,
                            LLVMValueRef scale) {
    LLVMValueRef apart = magnitude(cx, LLVMBuildFSub(cx->builder, x, y, ""));
    return LLVMBuildFCmp(cx->builder, LLVMRealOLE, apart, LLVMBuildFMul(cx->builder, tolerance, scale, ""), "");
}

static LLVMValueRef payloads_differ(const NumericContext *cx, const NumericValue *a, const NumericValue *b) {
    LLVMValueRef any = NULL;
    for (unsigned p = SHADOW_COMPONENT; p < cx->numeric->part_count; p++) {
        LLVMValueRef x = LLVMBuildXor(cx->builder, a->parts[p], b->parts[p], "");
        if (p == SHADOW_STATE) x = LLVMBuildAnd(cx->builder, x, vector_integer_like(x, 32, tower_ruled(cx->tower)), "");
        any = any ? LLVMBuildOr(cx->builder, any, x, "") : x;
    }
    return LLVMBuildICmp(cx->builder, LLVMIntNE, any, vector_integer_like(any, 32, 0), "");
}

static LLVMValueRef as_mark(const NumericContext *cx, LLVMValueRef condition, unsigned mark) {
    return LLVMBuildSelect(cx->builder, condition, numeric_marks_like(cx, condition, mark),
                           numeric_marks_like(cx, condition, 0), "");
}

// ---- the other choice -----------------------------------------------------------------------------------------------

// What settles roundings of which all are close calls has integers that fit into all types, and the magnitudes of
// integers of which steps are made leave those within 23 bits.
enum { SETTLED_MASK = 0x3f, STEP_SIZE_MAX = TOWER_INTEGER_MAX };

static LLVMValueRef word_like(LLVMValueRef like, uint32_t word) {
    return vector_integer_like(like, 32, word);
}

// Of what is known of one or two payloads, in either order. MurmurHash3's finaliser.
static LLVMValueRef payload_hash(const NumericContext *cx, const NumericValue *a, const NumericValue *b) {
    static const uint32_t steps[][2] = {{16, 0x85ebca6b}, {13, 0xc2b2ae35}};
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef hash = word_like(a->parts[SHADOW_STATE], 0);
    for (unsigned i = 0; i < cx->tower->length; i++) {
        for (const NumericValue *x = a; x; x = x == a && b != a ? b : NULL) {
            LLVMValueRef state = x->parts[SHADOW_STATE], zero = word_like(state, 0);
            LLVMValueRef missing = LLVMBuildAnd(
                builder, state, word_like(state, tower_ungrouped(cx->tower, 1u << i, TOWER_MISSING_SHIFT)), "");
            LLVMValueRef known = LLVMBuildICmp(builder, LLVMIntEQ, missing, zero, "");
            LLVMValueRef word = LLVMBuildSelect(builder, known, x->parts[shadow_part(i)], zero, "");
            hash = LLVMBuildAdd(builder, hash, word, "");
        }
        for (size_t s = 0; s < BASE_COUNT(steps); s++) {
            LLVMValueRef high = LLVMBuildLShr(builder, hash, word_like(hash, steps[s][0]), "");
            hash = LLVMBuildMul(builder, LLVMBuildXor(builder, hash, high, ""), word_like(hash, steps[s][1]), "");
        }
    }
    return LLVMBuildXor(builder, hash, LLVMBuildLShr(builder, hash, word_like(hash, 16), ""), "");
}

bool shadow_is_settled(const NumericContext *cx) {
    return cx->flips == NUMERIC_FLIPS_SETTLED;
}

static LLVMValueRef chosen_by_hash(const NumericContext *cx, const NumericValue *a, const NumericValue *b) {
    LLVMValueRef hash = payload_hash(cx, a, b);
    LLVMValueRef bit = LLVMBuildAnd(cx->builder, hash, word_like(hash, 1), "");
    return LLVMBuildICmp(cx->builder, LLVMIntEQ, bit, word_like(hash, cx->flips == 1), "");
}

LLVMValueRef shadow_flips(const NumericContext *cx, LLVMValueRef marks, const NumericValue *a, const NumericValue *b,
                          LLVMValueRef strays) {
    if (!cx->flips) return NULL;
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef chosen = shadow_is_settled(cx) ? strays : chosen_by_hash(cx, a, b);
    LLVMValueRef near = numeric_has_mark(cx, marks, NUMERIC_MARK_NEAR);
    return LLVMBuildAnd(builder, near, chosen, "");
}

// The marks, which have no step in those lanes, with one of 1 or -1.
static LLVMValueRef add_step(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef lanes, int step) {
    LLVMValueRef none = vector_integer_like(lanes, 8, 0), one = vector_integer_like(lanes, 8, (uint8_t)step);
    return numeric_unite_marks(cx, marks,
                               numeric_with_step(cx, numeric_marks_like(cx, marks, 0), none,
                                                 LLVMBuildSelect(cx->builder, lanes, one, none, "")));
}

LLVMValueRef shadow_flip_mark(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef flips) {
    return flips ? add_step(cx, marks, flips, 1) : marks;
}

LLVMValueRef shadow_flipped(const NumericContext *cx, const NumericValue *integer) {
    LLVMValueRef value = integer->parts[0], marks = integer->parts[1];
    if (!cx->flips || !marks) return NULL;
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    return LLVMBuildAdd(cx->builder, value, numeric_step(cx, marks, bits), "");
}

// ---- marks ----------------------------------------------------------------------------------------------------------

LLVMValueRef shadow_near(const NumericContext *cx, FpsanFormat format, const NumericValue *a, const NumericValue *b) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef x = as_real(cx, format, a->parts[0]), y = as_real(cx, format, b->parts[0]);
    LLVMValueRef states = LLVMBuildOr(builder, a->parts[SHADOW_STATE], b->parts[SHADOW_STATE], "");
    LLVMValueRef x_size = magnitude(cx, x), y_size = magnitude(cx, y);
    LLVMValueRef x_smaller = LLVMBuildFCmp(builder, LLVMRealOLT, x_size, y_size, "");
    LLVMValueRef smaller = LLVMBuildSelect(builder, x_smaller, x_size, y_size, ""); // finite if one of them is
    LLVMValueRef near = is_near(cx, x, y, relative_tolerance(cx, format, states, x), smaller);
    return as_mark(cx, LLVMBuildAnd(builder, near, payloads_differ(cx, a, b), ""), NUMERIC_MARK_NEAR);
}

// A number whose payload is its own is not rounded: what floor gives is no close call where it becomes an integer.
static LLVMValueRef was_rounded(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    TowerEmit e = shadow_emit(cx);
    TowerValue own = tower_emit_embed(&e, format, ieee_bits(cx, format, value->parts[0]));
    NumericValue exact = shadow_value(value->parts[0], &own);
    return payloads_differ(cx, value, &exact);
}

// An integer that a payload alone decides, of x and -x up to its sign: what floor gives of it, and ceil if it goes up,
// which is one more.
static LLVMValueRef integer_of_payload(const NumericContext *cx, const NumericValue *value, LLVMValueRef goes_up) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef state = value->parts[SHADOW_STATE], none = word_like(state, 0),
                 negative = LLVMConstNull(LLVMTypeOf(goes_up));
    NumericValue size = *value;
    for (unsigned i = cx->tower->length; i-- > 0;) {
        const uint32_t p = cx->tower->prime[i].p;
        LLVMValueRef component = value->parts[shadow_part(i)];
        LLVMValueRef missing = LLVMBuildAnd(
            builder, state, word_like(state, tower_ungrouped(cx->tower, 1u << i, TOWER_MISSING_SHIFT)), "");
        LLVMValueRef is_high = LLVMBuildICmp(builder, LLVMIntUGT, component, word_like(state, p / 2), "");
        LLVMValueRef known = LLVMBuildICmp(builder, LLVMIntEQ, missing, none, "");
        negative = LLVMBuildSelect(builder, known, is_high, negative, "");
        size.parts[shadow_part(i)] =
            LLVMBuildSelect(builder, is_high, LLVMBuildSub(builder, word_like(state, p), component, ""), component, "");
    }
    LLVMValueRef hash = LLVMBuildAnd(builder, payload_hash(cx, &size, &size), word_like(state, SETTLED_MASK), "");
    hash = LLVMBuildSelect(builder, negative, LLVMBuildNot(builder, hash, ""), hash, "");
    return LLVMBuildAdd(builder, hash, LLVMBuildZExt(builder, goes_up, LLVMTypeOf(hash), ""), "");
}

// A number of at most STEP_SIZE_MAX that is an integer, as one of 32 bits; 0 in other lanes.
static LLVMValueRef small_integer(const NumericContext *cx, LLVMValueRef x, LLVMValueRef is) {
    LLVMTypeRef type = vector_type_like(LLVMInt32TypeInContext(cx->context), x);
    return LLVMBuildFPToSI(cx->builder, LLVMBuildSelect(cx->builder, is, x, real_like(x, 0), ""), type, "");
}

static LLVMValueRef is_small(const NumericContext *cx, LLVMValueRef x) {
    return LLVMBuildFCmp(cx->builder, LLVMRealOLE, magnitude(cx, x), real_like(x, STEP_SIZE_MAX), "");
}

// The marks, in the lanes with the step to `other` from the integer x in place of theirs.
static LLVMValueRef with_step_to(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef lanes, LLVMValueRef x,
                                 LLVMValueRef other) {
    LLVMValueRef with = numeric_with_step(cx, marks, small_integer(cx, x, lanes), other);
    return LLVMBuildSelect(cx->builder, lanes, with, marks, "");
}

// Where the value is on the other side of the nearest integer, rounding gives that integer; else the next one in the
// direction in which it rounds. Settled it is the nearest integer; where every number is as near to one, which of them
// is near is rounding, and the payload decides.
LLVMValueRef shadow_near_integer(const NumericContext *cx, FpsanFormat format, FpsanRule rule,
                                 const NumericValue *value) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef x = as_real(cx, format, value->parts[0]), zero = real_like(x, 0);
    LLVMValueRef integer = vector_intrinsic(cx, "llvm.rint", &x, 1);
    LLVMValueRef tolerance = relative_tolerance(cx, format, value->parts[SHADOW_STATE], x);
    LLVMValueRef close = is_near(cx, x, integer, tolerance, magnitude(cx, x));
    close = LLVMBuildAnd(builder, close, was_rounded(cx, format, value), "");
    LLVMValueRef near = as_mark(cx, close, NUMERIC_MARK_NEAR);
    LLVMValueRef marks = LLVMBuildOr(builder, near, numeric_marks_like(cx, near, NUMERIC_MARK_ROUNDED), "");
    if (!cx->flips) return marks;
    LLVMValueRef goes_up = LLVMBuildFCmp(builder, LLVMRealOLT, x, zero, ""); // toward zero
    if (rule == FPSAN_RULE_FLOOR) goes_up = LLVMConstNull(LLVMTypeOf(goes_up));
    if (rule == FPSAN_RULE_CEIL) goes_up = LLVMConstAllOnes(LLVMTypeOf(goes_up));
    // Rounded up from just above the integer: that would be the other one, below. And so on.
    LLVMValueRef above = LLVMBuildFCmp(builder, LLVMRealOGT, x, integer, ""),
                 below = LLVMBuildFCmp(builder, LLVMRealOLT, x, integer, "");
    LLVMValueRef up = LLVMBuildSelect(builder, goes_up, LLVMBuildNot(builder, above, ""), below, "");
    LLVMValueRef strays = LLVMBuildSelect(builder, goes_up, above, below, ""); // which have not become that integer
    LLVMValueRef flips = shadow_flips(cx, marks, value, value, strays);
    marks = add_step(cx, marks, LLVMBuildAnd(builder, flips, up, ""), 1);
    marks = add_step(cx, marks, LLVMBuildAnd(builder, flips, LLVMBuildNot(builder, up, ""), ""), -1);
    if (!shadow_is_settled(cx)) return marks;
    LLVMValueRef reach = LLVMBuildFMul(builder, tolerance, magnitude(cx, x), "");
    LLVMValueRef all_near = LLVMBuildFCmp(builder, LLVMRealOGE, reach, real_like(x, 0.5), "");
    LLVMValueRef down = vector_intrinsic(cx, "llvm.floor", &x, 1), high = vector_intrinsic(cx, "llvm.ceil", &x, 1);
    LLVMValueRef lanes = LLVMBuildAnd(builder, LLVMBuildAnd(builder, close, all_near, ""), is_small(cx, x), "");
    return with_step_to(cx, marks, lanes, LLVMBuildSelect(builder, goes_up, high, down, ""),
                        integer_of_payload(cx, value, goes_up));
}

// What a floor that fell otherwise left is an integer, and has the payload of another one: then so has the integer made
// of it.
LLVMValueRef shadow_follow(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                           LLVMValueRef marks) {
    LLVMBuilderRef builder = cx->builder;
    if (!cx->flips) return marks;
    TowerEmit e = shadow_emit(cx);
    TowerValue payload = shadow_payload(value);
    TowerKnownInteger n = tower_emit_known_integer(&e, &payload, STEP_SIZE_MAX);
    LLVMValueRef other =
        LLVMBuildSelect(builder, n.is_negative, LLVMBuildNeg(builder, n.magnitude, ""), n.magnitude, "");
    LLVMValueRef x = as_real(cx, format, value->parts[0]), rounded = vector_intrinsic(cx, "llvm.rint", &x, 1);
    LLVMValueRef lanes = LLVMBuildAnd(builder, n.is_known, LLVMBuildFCmp(builder, LLVMRealOEQ, x, rounded, ""), "");
    return with_step_to(cx, marks, LLVMBuildAnd(builder, lanes, is_small(cx, x), ""), x, other);
}

LLVMValueRef shadow_near_marks(const NumericContext *cx, LLVMValueRef states) {
    LLVMValueRef low =
        LLVMBuildLShr(cx->builder, states, vector_integer_like(states, 32, (unsigned)__builtin_ctz(TOWER_NEAR)), "");
    low = vector_zext_or_trunc(cx, low, numeric_mark_bits(cx));
    return LLVMBuildAnd(cx->builder, low, numeric_marks_like(cx, low, NUMERIC_MARK_NEAR), "");
}

LLVMValueRef shadow_overflow(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value) {
    LLVMValueRef fits = ieee_fits_integer(cx, op, type, value), origin = vector_integer_like(fits, 32, 0);
    if (cx->origins && cx->origin)
        origin = cx->origin(cx->owner, "floats outside the range of the integer type", false);
    return numeric_poison_marks(cx, LLVMBuildNot(cx->builder, fits, ""), origin);
}

// ---- decisions ------------------------------------------------------------------------------------------------------

static LLVMValueRef as_i64(const NumericContext *cx, LLVMValueRef lanes) {
    return vector_zext_or_trunc(cx, lanes, 64);
}

static LLVMValueRef times(const NumericContext *cx, LLVMValueRef lanes, uint64_t odd) {
    return LLVMBuildMul(cx->builder, lanes, vector_integer_like(lanes, 64, odd), "");
}

// Poison says who made it by a number, which another build may not have.
static LLVMValueRef specified_hash(const NumericContext *cx, const NumericValue *value) {
    LLVMValueRef state = value->parts[SHADOW_STATE], hash = payload_hash(cx, value, value);
    LLVMValueRef poison = LLVMBuildAnd(cx->builder, state, word_like(state, TOWER_POISON), "");
    LLVMValueRef is_poison = LLVMBuildICmp(cx->builder, LLVMIntNE, poison, word_like(state, 0), "");
    return as_i64(cx, LLVMBuildSelect(cx->builder, is_poison, word_like(state, 0), hash, ""));
}

LLVMValueRef shadow_decided(const NumericContext *cx, FpsanFormat format, const NumericValue *a, const NumericValue *b,
                            LLVMValueRef outcome) {
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15), other_odd = UINT64_C(0xbf58476d1ce4e5b9);
    LLVMBuilderRef builder = cx->builder;
    if (!cx->decide) return outcome;
    LLVMValueRef payloads =
        LLVMBuildAdd(builder, times(cx, specified_hash(cx, a), odd), times(cx, specified_hash(cx, b), other_odd), "");
    LLVMValueRef numbers = LLVMBuildAdd(builder, times(cx, as_i64(cx, ieee_bits(cx, format, a->parts[0])), odd),
                                        as_i64(cx, ieee_bits(cx, format, b->parts[0])), "");
    LLVMValueRef half = vector_integer_like(payloads, 64, 32), high = vector_integer_like(payloads, 64, ~0u);
    high = LLVMBuildNot(builder, high, "");
    LLVMValueRef inputs = LLVMBuildOr(builder, LLVMBuildAnd(builder, times(cx, numbers, other_odd), high, ""),
                                      LLVMBuildLShr(builder, payloads, half, ""), "");
    LLVMTypeRef type = LLVMTypeOf(outcome);
    LLVMValueRef decided = cx->decide(cx->owner, inputs, as_i64(cx, outcome));
    return vector_zext_or_trunc(cx, decided, LLVMGetIntTypeWidth(vector_element(type)));
}

// ---- the choice of min and max --------------------------------------------------------------------------------------

// min, max and the like take the payload of the operand whose number they take, and of equal numbers always the same
// one.

static LLVMValueRef any_lane(const NumericContext *cx, LLVMValueRef condition) {
    return vector_lanes(condition) ? vector_intrinsic(cx, "llvm.vector.reduce.or", &condition, 1) : condition;
}

// Lanes whose records would not be the same, states included.
static LLVMValueRef words_differ(const NumericContext *cx, const TowerValue *a, const TowerValue *b) {
    LLVMValueRef any = LLVMBuildXor(cx->builder, a->state, b->state, "");
    for (unsigned i = 0; i < cx->tower->length; i++)
        any = LLVMBuildOr(cx->builder, any, LLVMBuildXor(cx->builder, a->component[i], b->component[i], ""), "");
    return LLVMBuildICmp(cx->builder, LLVMIntNE, any, vector_integer_like(any, 32, 0), "");
}

// Asks for the order of payloads only where equal numbers have unlike ones, which is rare.
static LLVMValueRef takes_first(const NumericContext *cx, LLVMValueRef is_a, LLVMValueRef is_b, const TowerValue *a,
                                const TowerValue *b) {
    LLVMBuilderRef builder = cx->builder;
    TowerEmit e = shadow_emit(cx);
    LLVMValueRef both = LLVMBuildAnd(builder, is_a, is_b, ""), asked;
    asked = any_lane(cx, LLVMBuildAnd(builder, both, words_differ(cx, a, b), ""));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMBasicBlockRef order = LLVMAppendBasicBlockInContext(cx->context, function, "equal"),
                      join = LLVMAppendBasicBlockInContext(cx->context, function, "chosen");
    LLVMBuildCondBr(builder, asked, order, join);
    LLVMPositionBuilderAtEnd(builder, order);
    LLVMValueRef first = LLVMBuildSelect(builder, both, tower_emit_goes_first(&e, a, b), is_a, "");
    LLVMBasicBlockRef from[2] = {here, LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMValueRef takes_a = LLVMBuildPhi(builder, LLVMTypeOf(is_a), "");
    LLVMAddIncoming(takes_a, (LLVMValueRef[]){is_a, first}, from, 2);
    return takes_a;
}

// Where numbers differ all runs choose alike.
static TowerValue choose_degree(const NumericContext *cx, FpsanFormat format, LLVMValueRef takes_a,
                                const NumericValue *a, const NumericValue *b) {
    TowerEmit e = shadow_emit(cx);
    TowerValue x = shadow_payload(a), y = shadow_payload(b);
    LLVMValueRef left = ieee_to_double(cx, format, a->parts[SHADOW_IEEE]),
                 right = ieee_to_double(cx, format, b->parts[SHADOW_IEEE]);
    return tower_emit_either(&e, takes_a, LLVMBuildFCmp(cx->builder, LLVMRealONE, left, right, ""), &x, &y);
}

NumericValue shadow_choose(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                           LLVMValueRef is_b, const NumericValue *a, const NumericValue *b) {
    TowerEmit e = shadow_emit(cx);
    TowerValue x = shadow_payload(a), y = shadow_payload(b);
    LLVMValueRef takes_a = takes_first(cx, is_a, is_b, &x, &y), near = shadow_near(cx, format, a, b);
    LLVMValueRef asked = shadow_decided(cx, format, a, b, takes_a);
    if (asked != takes_a) {
        LLVMValueRef other = LLVMBuildSelect(cx->builder, asked, a->parts[0], b->parts[0], "");
        result = LLVMBuildSelect(cx->builder, LLVMBuildXor(cx->builder, asked, takes_a, ""), other, result, "");
        takes_a = asked;
    }
    LLVMValueRef strays = NULL;
    if (shadow_is_settled(cx)) strays = LLVMBuildXor(cx->builder, takes_a, tower_emit_goes_first(&e, &x, &y), "");
    LLVMValueRef flips = shadow_flips(cx, near, a, b, strays);
    if (flips) takes_a = LLVMBuildXor(cx->builder, takes_a, flips, "");
    TowerValue payload =
        cx->tower->degrees ? choose_degree(cx, format, takes_a, a, b) : tower_emit_select(&e, takes_a, &x, &y);
    NumericValue chosen = shadow_value(result, &payload);
    return shadow_mark(cx, &chosen, near);
}
