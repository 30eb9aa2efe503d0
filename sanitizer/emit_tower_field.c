// SPDX-License-Identifier: Apache-2.0
// Emission of arithmetic modulo the primes of a chain on lanes of components: sums, and products by Barrett's method.
#include "sanitizer/tower_emit_internal.h"

#include <assert.h>

LLVMValueRef tower_intrinsic(const TowerEmit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                             LLVMValueRef *operands, unsigned count) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    return fpsan_intrinsic(&emit, name, overloads, overload_count, operands, count);
}

LLVMValueRef tower_magnitude(const TowerEmit *e, LLVMValueRef a) {
    LLVMTypeRef type = LLVMTypeOf(a);
    // If LLVM knew that the result is not negative it would look words up with 64-bit indices.
    LLVMValueRef smallest_is_poison = LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, false);
    return tower_intrinsic(e, "llvm.abs", &type, 1, (LLVMValueRef[]){a, smallest_is_poison}, 2);
}

LLVMValueRef tower_maximum(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(a);
    return tower_intrinsic(e, "llvm.smax", &type, 1, (LLVMValueRef[]){a, b}, 2);
}

LLVMValueRef tower_minimum(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(a);
    return tower_intrinsic(e, "llvm.umin", &type, 1, (LLVMValueRef[]){a, b}, 2);
}

// ---- sums: a number below 2p, or negative and above -p, is reduced by an unsigned minimum ---------------------------

LLVMValueRef tower_field_reduce_once(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    return tower_minimum(e, a, word_sub_constant(e, a, prime->p));
}

LLVMValueRef tower_field_add(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    return tower_field_reduce_once(e, prime, word_add(e, a, b));
}

LLVMValueRef tower_field_sub(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef difference = word_sub(e, a, b);
    return tower_minimum(e, difference, word_add_constant(e, difference, prime->p));
}

LLVMValueRef tower_field_neg(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    return tower_field_sub(e, prime, fpsan_constant(a, 0), a);
}

// ---- shuffles -------------------------------------------------------------------------------------------------------

enum { SHUFFLE_MAX = 128, HALF_LANES_MAX = SHUFFLE_MAX / 2 }; // more lanes are multiplied less well

static LLVMValueRef shuffle_words(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *order,
                                  unsigned count) {
    LLVMValueRef indices[SHUFFLE_MAX];
    assert(count <= SHUFFLE_MAX);
    for (unsigned i = 0; i < count; i++) indices[i] = LLVMConstInt(LLVMInt32TypeInContext(e->context), order[i], false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(indices, count), "");
}

LLVMValueRef tower_lanes(const TowerEmit *e, LLVMValueRef a, unsigned first, unsigned count) {
    unsigned order[SHUFFLE_MAX], lanes = word_lanes(a);
    assert(count <= SHUFFLE_MAX);
    for (unsigned i = 0; i < count; i++) order[i] = first + i < lanes ? first + i : lanes - 1;
    return shuffle_words(e, a, LLVMGetPoison(LLVMTypeOf(a)), order, count);
}

// ---- products: words are widened to i64, the even lanes and the odd lanes of a vector each on their own -------------
//
// The high halves of even lanes mean nothing, those of odd lanes are 0.

enum { HALVES_MAX = 2 };
typedef struct Wide {
    LLVMValueRef half[HALVES_MAX];
    unsigned count;
} Wide;

static LLVMTypeRef integer64(const TowerEmit *e) {
    return LLVMInt64TypeInContext(e->context);
}

static Wide widen_words(const TowerEmit *e, LLVMValueRef a) {
    unsigned lanes = word_lanes(a);
    if (lanes % 2 || !lanes || lanes > SHUFFLE_MAX)
        return (Wide){{LLVMBuildZExt(e->builder, a, fpsan_type_like(integer64(e), a), "")}, 1};
    LLVMValueRef pairs = LLVMBuildBitCast(e->builder, a, LLVMVectorType(integer64(e), lanes / 2), "");
    return (Wide){{pairs, word_lshr_constant(e, pairs, 32)}, 2};
}

// The low halves (high: the high halves) as words.
static LLVMValueRef narrow(const TowerEmit *e, const Wide *a, bool high) {
    LLVMTypeRef word = LLVMInt32TypeInContext(e->context);
    if (a->count == 1) {
        LLVMValueRef half = high ? word_lshr_constant(e, a->half[0], 32) : a->half[0];
        return LLVMBuildTrunc(e->builder, half, fpsan_type_like(word, half), "");
    }
    unsigned lanes = 2 * word_lanes(a->half[0]), order[SHUFFLE_MAX];
    assert(lanes <= SHUFFLE_MAX);
    LLVMTypeRef words = LLVMVectorType(word, lanes);
    LLVMValueRef even = LLVMBuildBitCast(e->builder, a->half[0], words, "");
    LLVMValueRef odd = LLVMBuildBitCast(e->builder, a->half[1], words, "");
    for (unsigned i = 0; i < lanes; i++) order[i] = (i % 2 ? lanes + i - 1 : i) + high;
    return shuffle_words(e, even, odd, order, lanes);
}

// The low halves of i64 lanes. A shuffle with zeros and not a mask: LLVM removes masks that it finds redundant where
// the multiplication is written, and then, where the code is made, no longer knows that the high halves are 0, and
// takes its 64-bit multiplication, which is three times slower. The shuffle costs nothing: the 32-bit multiplication
// ignores them.
static LLVMValueRef low_halves(const TowerEmit *e, LLVMValueRef a) {
    unsigned lanes = word_lanes(a), order[2 * HALF_LANES_MAX];
    if (!lanes || lanes > HALF_LANES_MAX) return word_and_constant(e, a, UINT32_MAX);
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(e->context), 2 * lanes);
    for (unsigned i = 0; i < lanes; i++) order[2 * i] = 2 * i, order[2 * i + 1] = 2 * lanes;
    LLVMValueRef halves = LLVMBuildBitCast(e->builder, a, words, "");
    return LLVMBuildBitCast(e->builder, shuffle_words(e, halves, LLVMConstNull(words), order, 2 * lanes), LLVMTypeOf(a),
                            "");
}

LLVMValueRef tower_multiply_low(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return word_mul(e, low_halves(e, a), low_halves(e, b));
}

// i64 lanes below the limit of TowerPrime: what is left of their low halves.
static LLVMValueRef barrett(const TowerEmit *e, const TowerPrime *prime, Wide a) {
    LLVMValueRef rest = narrow(e, &a, false);
    for (unsigned i = 0; i < a.count; i++) {
        LLVMValueRef top = word_lshr_constant(e, a.half[i], prime->bits - 1);
        a.half[i] = tower_multiply_low(e, top, fpsan_constant(top, prime->barrett));
    }
    return tower_field_reduce_once(e, prime, word_sub(e, rest, word_mul_constant(e, narrow(e, &a, true), prime->p)));
}

LLVMValueRef tower_field_reduce(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    return barrett(e, prime, (Wide){{a}, 1});
}

// High halves that a shift has cleared need no shuffle.
static Wide multiply_words(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    Wide x = widen_words(e, a), y = widen_words(e, b);
    x.half[0] = tower_multiply_low(e, x.half[0], y.half[0]);
    if (x.count > 1) x.half[1] = word_mul(e, x.half[1], y.half[1]);
    return x;
}

// a b - (a (b 2^32 / p) / 2^32) p is below 2p for every word a.
static LLVMValueRef multiply_by_constant(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, uint32_t b) {
    Wide quotient = multiply_words(e, a, fpsan_constant(a, ((uint64_t)b << 32) / prime->p));
    LLVMValueRef multiple = word_mul_constant(e, narrow(e, &quotient, true), prime->p);
    return tower_field_reduce_once(e, prime, word_sub(e, word_mul_constant(e, a, b), multiple));
}

bool tower_constant_word(LLVMValueRef a, uint32_t *word) {
    if (!LLVMIsConstant(a)) return false;
    LLVMValueRef first = word_lanes(a) ? LLVMGetAggregateElement(a, 0) : a;
    if (!first || !LLVMIsAConstantInt(first) || fpsan_splat(first, a) != a) return false;
    *word = (uint32_t)LLVMConstIntGetZExtValue(first);
    return true;
}

LLVMValueRef tower_field_mul(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    uint32_t constant;
    if (tower_constant_word(b, &constant)) return multiply_by_constant(e, prime, a, constant);
    if (tower_constant_word(a, &constant)) return multiply_by_constant(e, prime, b, constant);
    return barrett(e, prime, multiply_words(e, a, b));
}

// 2^52 factor / p
static uint64_t scaled_factor(const TowerPrime *prime, uint32_t factor) {
    const uint64_t high = (uint64_t)factor << 26, rest = high % prime->p << 26;
    return (high / prime->p << 26) + rest / prime->p;
}

// With products of 52 bits: a c - q p for q = a (2^52 c / p) / 2^52, which is below 2p for every a below 2^52; of the
// terms the low bits are enough.
bool tower_field_mul_shifted(const TowerEmit *e, const TowerPrime *prime, const TowerShifted *a,
                             const uint32_t *factors, LLVMValueRef *result) {
    const uint64_t most = UINT64_C(1) << 52;
    const unsigned lanes = word_lanes(a->mantissa);
    uint64_t wide_factors[TOWER_PICKED], scaled_factors[TOWER_PICKED];
    if (!e->multiply_add_52 || !lanes || lanes % 2 || lanes > SHUFFLE_MAX) return false;
    for (unsigned i = 0; i < (a->pick ? TOWER_PICKED : 1); i++)
        wide_factors[i] = factors[i], scaled_factors[i] = scaled_factor(prime, factors[i]);
    Wide x = widen_words(e, a->mantissa), by = widen_words(e, a->shift), pick = {.count = 0};
    if (a->pick) pick = widen_words(e, a->pick);
    x.half[0] = word_and_constant(e, x.half[0], UINT32_MAX);
    by.half[0] = word_and_constant(e, by.half[0], UINT32_MAX);
    for (unsigned i = 0; i < x.count; i++) {
        LLVMValueRef wide = word_shl(e, x.half[i], by.half[i]), zero = fpsan_constant(wide, 0);
        LLVMValueRef factor = fpsan_constant(wide, wide_factors[0]), scaled = fpsan_constant(wide, scaled_factors[0]);
        if (a->pick) factor = e->pick(e->data, wide_factors, pick.half[i]);
        if (a->pick) scaled = e->pick(e->data, scaled_factors, pick.half[i]);
        LLVMValueRef quotient = factor ? e->multiply_add_52(e->data, true, zero, wide, scaled) : NULL;
        if (!quotient) return false;
        LLVMValueRef product = e->multiply_add_52(e->data, false, zero, wide, factor);
        x.half[i] = e->multiply_add_52(e->data, false, product, quotient, fpsan_constant(wide, most - prime->p));
    }
    *result = tower_field_reduce_once(e, prime, narrow(e, &x, false));
    return true;
}

LLVMValueRef tower_field_scale(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    Wide x = multiply_words(e, a, fpsan_constant(a, prime->p));
    return narrow(e, &x, true);
}
