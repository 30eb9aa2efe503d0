// SPDX-License-Identifier: Apache-2.0
// Emission of arithmetic modulo the primes of a chain on lanes of components: additions, products (Barrett), and long
// powers (Montgomery), from which roots and inverses follow.
#include "sanitizer/tower_emit_internal.h"

#include <assert.h>
#include <string.h>

LLVMValueRef tower_intrinsic(const TowerEmit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                             LLVMValueRef *operands, unsigned count) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    return fpsan_intrinsic(&emit, name, overloads, overload_count, operands, count);
}

static LLVMValueRef unsigned_minimum(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(a);
    return tower_intrinsic(e, "llvm.umin", &type, 1, (LLVMValueRef[]){a, b}, 2);
}

// ---- sums: a number below 2p, or negative and above -p, is reduced by an unsigned minimum ---------------------------

static LLVMValueRef reduce_once(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    return unsigned_minimum(e, a, word_sub_constant(e, a, prime->p));
}

LLVMValueRef tower_field_add(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    return reduce_once(e, prime, word_add(e, a, b));
}

LLVMValueRef tower_field_sub(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef difference = word_sub(e, a, b);
    return unsigned_minimum(e, difference, word_add_constant(e, difference, prime->p));
}

LLVMValueRef tower_field_neg(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    return tower_field_sub(e, prime, fpsan_constant(a, 0), a);
}

// ---- products: words are widened to i64, the even lanes and the odd lanes of a vector each on their own -------------

enum { HALVES_MAX = 2 };
typedef struct Wide {
    LLVMValueRef half[HALVES_MAX];
    unsigned count;
} Wide;

static LLVMTypeRef integer64(const TowerEmit *e) {
    return LLVMInt64TypeInContext(e->context);
}

static Wide widen(const TowerEmit *e, LLVMValueRef a) {
    unsigned lanes = word_lanes(a);
    if (lanes % 2 || !lanes) return (Wide){{LLVMBuildZExt(e->builder, a, fpsan_type_like(integer64(e), a), "")}, 1};
    LLVMValueRef pairs = LLVMBuildBitCast(e->builder, a, LLVMVectorType(integer64(e), lanes / 2), "");
    return (Wide){{word_and_constant(e, pairs, UINT32_MAX), word_lshr_constant(e, pairs, 32)}, 2};
}

// Every half is below 2^32.
static LLVMValueRef narrow(const TowerEmit *e, const Wide *a) {
    LLVMTypeRef word = LLVMInt32TypeInContext(e->context);
    if (a->count == 1) return LLVMBuildTrunc(e->builder, a->half[0], fpsan_type_like(word, a->half[0]), "");
    LLVMValueRef pairs = word_or(e, a->half[0], word_shl_constant(e, a->half[1], 32));
    return LLVMBuildBitCast(e->builder, pairs, LLVMVectorType(word, 2 * word_lanes(pairs)), "");
}

// The product of the low halves of i64 lanes: the masks tell LLVM to use its 32-bit multiplication, and cost nothing.
static LLVMValueRef multiply_low(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return word_mul(e, word_and_constant(e, a, UINT32_MAX), word_and_constant(e, b, UINT32_MAX));
}

// i64 lanes below 2^(bits+29) to numbers below 2p: see TowerPrime.
static LLVMValueRef barrett(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    LLVMValueRef top = word_lshr_constant(e, a, prime->bits - 1);
    LLVMValueRef quotient = word_lshr_constant(e, multiply_low(e, top, fpsan_constant(a, prime->barrett)), 32);
    return word_sub(e, a, multiply_low(e, quotient, fpsan_constant(a, prime->p)));
}

LLVMValueRef tower_field_reduce(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    Wide rest = {{barrett(e, prime, a)}, 1};
    return reduce_once(e, prime, narrow(e, &rest));
}

LLVMValueRef tower_field_mul(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    Wide x = widen(e, a), y = widen(e, b);
    for (unsigned i = 0; i < x.count; i++) x.half[i] = barrett(e, prime, multiply_low(e, x.half[i], y.half[i]));
    return reduce_once(e, prime, narrow(e, &x));
}

LLVMValueRef tower_field_scale(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    Wide x = widen(e, a);
    for (unsigned i = 0; i < x.count; i++)
        x.half[i] = word_lshr_constant(e, multiply_low(e, x.half[i], fpsan_constant(x.half[i], prime->p)), 32);
    return narrow(e, &x);
}

// ---- shuffles -------------------------------------------------------------------------------------------------------

static LLVMValueRef shuffle(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *order, unsigned count) {
    LLVMValueRef indices[4 * TOWER_WIDTH_MAX];
    assert(count <= 4 * TOWER_WIDTH_MAX);
    for (unsigned i = 0; i < count; i++) indices[i] = LLVMConstInt(LLVMInt32TypeInContext(e->context), order[i], false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(indices, count), "");
}

LLVMValueRef tower_lanes(const TowerEmit *e, LLVMValueRef a, unsigned first, unsigned count) {
    unsigned order[4 * TOWER_WIDTH_MAX], lanes = word_lanes(a);
    assert(count <= 4 * TOWER_WIDTH_MAX);
    for (unsigned i = 0; i < count; i++) order[i] = first + i < lanes ? first + i : lanes - 1;
    return shuffle(e, a, LLVMGetPoison(LLVMTypeOf(a)), order, count);
}

LLVMValueRef tower_concat(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    unsigned order[4 * TOWER_WIDTH_MAX], lanes = word_lanes(a);
    assert(2 * lanes <= 4 * TOWER_WIDTH_MAX);
    for (unsigned i = 0; i < 2 * lanes; i++) order[i] = i;
    return shuffle(e, a, b, order, 2 * lanes);
}

// ---- long powers ----------------------------------------------------------------------------------------------------
//
// Montgomery's product a b / 2^32 mod p of numbers below 2p is below 2p again without any correction: p < 2^29, so
// (4 p^2 + 2^32 p) / 2^32 < 1.5 p. It takes the low halves of its operands as they lie.

enum { STREAMS_MAX = 8, WINDOW = 3 };

// Numbers in Montgomery's form that take part in one power: i64 vectors, each with the constants of its fields.
typedef struct Streams {
    unsigned count;
    LLVMValueRef p[STREAMS_MAX], montgomery[STREAMS_MAX];
} Streams;
typedef struct Numbers {
    LLVMValueRef at[STREAMS_MAX];
} Numbers;

// The streams take turns, step by step: their instructions do not wait for each other.
static Numbers multiply_streams(const TowerEmit *e, const Streams *s, const Numbers *a, const Numbers *b) {
    Numbers product, factor;
    for (unsigned i = 0; i < s->count; i++) product.at[i] = multiply_low(e, a->at[i], b->at[i]);
    for (unsigned i = 0; i < s->count; i++) factor.at[i] = multiply_low(e, product.at[i], s->montgomery[i]);
    for (unsigned i = 0; i < s->count; i++) factor.at[i] = multiply_low(e, factor.at[i], s->p[i]);
    for (unsigned i = 0; i < s->count; i++)
        product.at[i] = word_lshr_constant(e, word_add(e, product.at[i], factor.at[i]), 32);
    return product;
}

// x^exponent, exponent > 0, by windows of at most WINDOW bits that begin and end with 1.
static Numbers power_streams(const TowerEmit *e, const Streams *s, const Numbers *x, uint32_t exponent) {
    Numbers odd[1 << (WINDOW - 1)], square = multiply_streams(e, s, x, x), power;
    odd[0] = *x;
    for (unsigned i = 1; i < 1 << (WINDOW - 1); i++) odd[i] = multiply_streams(e, s, &odd[i - 1], &square);
    bool begun = false;
    for (int bit = 31 - __builtin_clz(exponent); bit >= 0;) {
        if (!(exponent >> bit & 1)) {
            power = multiply_streams(e, s, &power, &power);
            bit--;
            continue;
        }
        int low = bit >= WINDOW - 1 ? bit - WINDOW + 1 : 0;
        while (!(exponent >> low & 1)) low++;
        unsigned window = exponent >> low & ((1u << (bit - low + 1)) - 1);
        for (int i = bit; i >= low && begun; i--) power = multiply_streams(e, s, &power, &power);
        power = begun ? multiply_streams(e, s, &power, &odd[window / 2]) : odd[window / 2];
        begun = true;
        bit = low - 1;
    }
    return power;
}

// Streams of the four fields, an even and an odd one each, and x in Montgomery's form.
static Streams field_streams(const TowerEmit *e, const LLVMValueRef *x, Numbers *numbers) {
    Streams s = {.count = 2 * TOWER_LENGTH};
    Numbers square;
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        const TowerPrime *prime = &e->tower->prime[i];
        Wide wide = widen(e, x[i]);
        assert(wide.count == 2);
        for (unsigned h = 0; h < 2; h++) {
            numbers->at[2 * i + h] = wide.half[h];
            s.p[2 * i + h] = fpsan_constant(wide.half[h], prime->p);
            s.montgomery[2 * i + h] = fpsan_constant(wide.half[h], prime->montgomery);
            square.at[2 * i + h] = fpsan_constant(wide.half[h], prime->square);
        }
    }
    *numbers = multiply_streams(e, &s, numbers, &square);
    return s;
}

// One stream of the first `count` fields' streams as words below p.
static void leave_streams(const TowerEmit *e, const Streams *s, const Numbers *numbers, LLVMValueRef *result) {
    Numbers one;
    for (unsigned i = 0; i < s->count; i++) one.at[i] = fpsan_constant(numbers->at[i], 1);
    Numbers plain = multiply_streams(e, s, numbers, &one);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        Wide wide = {{plain.at[2 * i], plain.at[2 * i + 1]}, 2};
        result[i] = reduce_once(e, &e->tower->prime[i], narrow(e, &wide));
    }
}

// The streams of fields `first` and above only.
static Streams fields_from(const Streams *s, unsigned first) {
    Streams some = {.count = s->count - 2 * first};
    memcpy(some.p, s->p + 2 * first, some.count * sizeof *some.p);
    memcpy(some.montgomery, s->montgomery + 2 * first, some.count * sizeof *some.montgomery);
    return some;
}

static Numbers numbers_from(const Numbers *a, unsigned first) {
    Numbers some = {{NULL}};
    memcpy(some.at, a->at + 2 * first, (STREAMS_MAX - 2 * first) * sizeof *some.at);
    return some;
}

// The exponent of field i+1 is twice that of field i, plus 2 if `by_x`: p_{i+1} = 2 p_i + 1.
static void chain_of_powers(const TowerEmit *e, const LLVMValueRef *x, uint32_t exponent, bool by_x,
                            LLVMValueRef *result) {
    Numbers base;
    Streams s = field_streams(e, x, &base);
    Numbers power = power_streams(e, &s, &base, exponent);
    for (unsigned first = 1; first < TOWER_LENGTH; first++) {
        Streams some = fields_from(&s, first);
        Numbers y = numbers_from(&power, first), factor = numbers_from(&base, first);
        if (by_x) y = multiply_streams(e, &some, &y, &factor);
        y = multiply_streams(e, &some, &y, &y);
        memcpy(power.at + 2 * first, y.at, some.count * sizeof *y.at);
    }
    leave_streams(e, &s, &power, result);
}

void tower_field_sqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    chain_of_powers(e, x, (e->tower->prime[0].p + 1) / 4, false, result);
}

void tower_field_rsqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    chain_of_powers(e, x, (uint32_t)((3 * (uint64_t)e->tower->prime[0].p - 5) / 4), true, result);
}

// ---- inverses -------------------------------------------------------------------------------------------------------
//
// 1/a and 1/b are b and a times 1/(a b). So lanes are multiplied in pairs until four are left; those of the four fields
// make one vector of 16, inverted by a power; and the way back gives every lane its own.

enum { LEFT = 4 };

// Per-lane constants of the vector of 16: the even half of its i64 pairs and the odd half are the same fields.
static LLVMValueRef mixed_constant(const TowerEmit *e, uint32_t (*of)(const TowerPrime *prime)) {
    LLVMValueRef lanes[TOWER_LENGTH * LEFT / 2];
    for (unsigned i = 0; i < TOWER_LENGTH * LEFT / 2; i++)
        lanes[i] = LLVMConstInt(integer64(e), of(&e->tower->prime[i / (LEFT / 2)]), false);
    return LLVMConstVector(lanes, TOWER_LENGTH * LEFT / 2);
}
static uint32_t prime_of(const TowerPrime *prime) {
    return prime->p;
}
static uint32_t montgomery_of(const TowerPrime *prime) {
    return prime->montgomery;
}
static uint32_t square_of(const TowerPrime *prime) {
    return prime->square;
}

// i1 lanes of the mixed vector: field `first` and above.
static LLVMValueRef mixed_mask(const TowerEmit *e, unsigned first) {
    LLVMValueRef lanes[TOWER_LENGTH * LEFT / 2];
    for (unsigned i = 0; i < TOWER_LENGTH * LEFT / 2; i++)
        lanes[i] = LLVMConstInt(LLVMInt1TypeInContext(e->context), i / (LEFT / 2) >= first, false);
    return LLVMConstVector(lanes, TOWER_LENGTH * LEFT / 2);
}

// 1/x = x^(p-2) of four lanes of each field. p_{i+1} - 2 = 2 (p_i - 2) + 3.
static void invert_mixed(const TowerEmit *e, LLVMValueRef *x) {
    LLVMValueRef mixed = tower_concat(e, tower_concat(e, x[0], x[1]), tower_concat(e, x[2], x[3]));
    Wide wide = widen(e, mixed);
    Streams s = {.count = 2};
    Numbers base, square, one, power, cube;
    for (unsigned h = 0; h < 2; h++) {
        s.p[h] = mixed_constant(e, prime_of);
        s.montgomery[h] = mixed_constant(e, montgomery_of);
        square.at[h] = mixed_constant(e, square_of);
        one.at[h] = fpsan_constant(wide.half[h], 1);
        base.at[h] = wide.half[h];
    }
    base = multiply_streams(e, &s, &base, &square);
    power = power_streams(e, &s, &base, e->tower->prime[0].p - 2);
    cube = multiply_streams(e, &s, &base, &base);
    cube = multiply_streams(e, &s, &cube, &base);
    for (unsigned first = 1; first < TOWER_LENGTH; first++) {
        Numbers next = multiply_streams(e, &s, &power, &power);
        next = multiply_streams(e, &s, &next, &cube);
        for (unsigned h = 0; h < 2; h++) power.at[h] = word_select(e, mixed_mask(e, first), next.at[h], power.at[h]);
    }
    power = multiply_streams(e, &s, &power, &one);
    Wide plain = {{power.at[0], power.at[1]}, 2};
    mixed = narrow(e, &plain);
    for (unsigned i = 0; i < TOWER_LENGTH; i++)
        x[i] = reduce_once(e, &e->tower->prime[i], tower_lanes(e, mixed, i * LEFT, LEFT));
}

static void invert_lanes(const TowerEmit *e, LLVMValueRef *x) {
    unsigned lanes = word_lanes(x[0]);
    if (lanes == LEFT) {
        invert_mixed(e, x);
        return;
    }
    LLVMValueRef low[TOWER_LENGTH], high[TOWER_LENGTH], product[TOWER_LENGTH];
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        low[i] = tower_lanes(e, x[i], 0, lanes / 2);
        high[i] = tower_lanes(e, x[i], lanes / 2, lanes / 2);
        product[i] = tower_field_mul(e, &e->tower->prime[i], low[i], high[i]);
    }
    invert_lanes(e, product);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        LLVMValueRef inverse = tower_concat(e, product[i], product[i]), other = tower_concat(e, high[i], low[i]);
        x[i] = tower_field_mul(e, &e->tower->prime[i], inverse, other);
    }
}

void tower_field_invert(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    LLVMValueRef is_zero[TOWER_LENGTH];
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        is_zero[i] = word_compare_constant(e, LLVMIntEQ, x[i], 0);
        result[i] = word_select(e, is_zero[i], fpsan_constant(x[i], 1), x[i]);
    }
    invert_lanes(e, result);
    for (unsigned i = 0; i < TOWER_LENGTH; i++)
        result[i] = word_select(e, is_zero[i], fpsan_constant(x[i], 0), result[i]);
}
