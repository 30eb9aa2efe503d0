// SPDX-License-Identifier: Apache-2.0
// Emission of arithmetic modulo the primes of a chain on lanes of components: sums, products by Barrett's method, and
// long powers, from which roots and inverses follow.
#include "sanitizer/tower_emit_internal.h"

#include <assert.h>
#include <stdio.h>
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

// ---- shuffles -------------------------------------------------------------------------------------------------------

enum { SHUFFLE_MAX = 2 * TOWER_WIDTH_MAX, HALF_LANES_MAX = SHUFFLE_MAX / 2 };

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

LLVMValueRef tower_concat(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    unsigned order[SHUFFLE_MAX], lanes = word_lanes(a);
    assert(2 * lanes <= SHUFFLE_MAX);
    for (unsigned i = 0; i < 2 * lanes; i++) order[i] = i;
    return shuffle_words(e, a, b, order, 2 * lanes);
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

static Wide widen_words(const TowerEmit *e, LLVMValueRef a) {
    unsigned lanes = word_lanes(a);
    if (lanes % 2 || !lanes) return (Wide){{LLVMBuildZExt(e->builder, a, fpsan_type_like(integer64(e), a), "")}, 1};
    LLVMValueRef pairs = LLVMBuildBitCast(e->builder, a, LLVMVectorType(integer64(e), lanes / 2), "");
    return (Wide){{word_and_constant(e, pairs, UINT32_MAX), word_lshr_constant(e, pairs, 32)}, 2};
}

// The low halves as words.
static LLVMValueRef narrow(const TowerEmit *e, const Wide *a) {
    LLVMTypeRef word = LLVMInt32TypeInContext(e->context);
    if (a->count == 1) return LLVMBuildTrunc(e->builder, a->half[0], fpsan_type_like(word, a->half[0]), "");
    unsigned lanes = 2 * word_lanes(a->half[0]), order[SHUFFLE_MAX];
    assert(lanes <= SHUFFLE_MAX);
    LLVMTypeRef words = LLVMVectorType(word, lanes);
    LLVMValueRef even = LLVMBuildBitCast(e->builder, a->half[0], words, "");
    LLVMValueRef odd = LLVMBuildBitCast(e->builder, a->half[1], words, "");
    for (unsigned i = 0; i < lanes; i++) order[i] = i % 2 ? lanes + i - 1 : i;
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

// The high halves in the place of the low ones, and in their own: a shuffle, because shifts wait for the multiplier.
static LLVMValueRef high_halves(const TowerEmit *e, LLVMValueRef a) {
    unsigned lanes = word_lanes(a), order[2 * HALF_LANES_MAX];
    if (!lanes || lanes > HALF_LANES_MAX) return word_lshr_constant(e, a, 32);
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(e->context), 2 * lanes);
    for (unsigned i = 0; i < 2 * lanes; i++) order[i] = i | 1;
    LLVMValueRef halves = LLVMBuildBitCast(e->builder, a, words, "");
    return LLVMBuildBitCast(e->builder, shuffle_words(e, halves, LLVMGetPoison(words), order, 2 * lanes), LLVMTypeOf(a),
                            "");
}

LLVMValueRef tower_multiply_low(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return word_mul(e, low_halves(e, a), low_halves(e, b));
}

// The low halves of a - b; the high halves mean nothing. As words: of a - b c with a constant c LLVM would make a + b
// (-c), and -c is no 32-bit factor.
static LLVMValueRef subtract_low(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    unsigned lanes = word_lanes(a);
    if (!lanes || lanes > HALF_LANES_MAX) return word_sub(e, a, b);
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(e->context), 2 * lanes);
    LLVMValueRef x = LLVMBuildBitCast(e->builder, a, words, ""), y = LLVMBuildBitCast(e->builder, b, words, "");
    return LLVMBuildBitCast(e->builder, word_sub(e, x, y), LLVMTypeOf(a), "");
}

// i64 lanes below 2^(bits+29) to low halves below 2p: see TowerPrime.
static LLVMValueRef barrett(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    LLVMValueRef top = word_lshr_constant(e, a, prime->bits - 1);
    LLVMValueRef quotient = word_lshr_constant(e, tower_multiply_low(e, top, fpsan_constant(a, prime->barrett)), 32);
    return subtract_low(e, a, tower_multiply_low(e, quotient, fpsan_constant(a, prime->p)));
}

LLVMValueRef tower_field_reduce(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    Wide rest = {{barrett(e, prime, a)}, 1};
    return reduce_once(e, prime, narrow(e, &rest));
}

LLVMValueRef tower_field_mul(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a, LLVMValueRef b) {
    Wide x = widen_words(e, a), y = widen_words(e, b);
    for (unsigned i = 0; i < x.count; i++) x.half[i] = barrett(e, prime, tower_multiply_low(e, x.half[i], y.half[i]));
    return reduce_once(e, prime, narrow(e, &x));
}

LLVMValueRef tower_field_scale(const TowerEmit *e, const TowerPrime *prime, LLVMValueRef a) {
    Wide x = widen_words(e, a);
    for (unsigned i = 0; i < x.count; i++)
        x.half[i] = word_lshr_constant(e, tower_multiply_low(e, x.half[i], fpsan_constant(x.half[i], prime->p)), 32);
    return narrow(e, &x);
}

// ---- long powers ----------------------------------------------------------------------------------------------------
//
// Montgomery's product a b / 2^32 mod p of numbers below 2p is below 2p again without any correction: p < 2^29, so
// (4 p^2 + 2^32 p) / 2^32 < 1.5 p.

enum { STREAMS_MAX = 8, WINDOW = 3 };

// Numbers x 2^32 mod p that take part in one power: the low halves of i64 vectors, each with the constants of its
// fields.
typedef struct Streams {
    unsigned count;
    LLVMValueRef p[STREAMS_MAX], montgomery[STREAMS_MAX];
} Streams;
typedef struct Numbers {
    LLVMValueRef at[STREAMS_MAX];
} Numbers;
// A product that is not reduced yet: whole = a b, and the low half of -whole/p mod 2^32. Loops carry products in this
// form: where the half is used in the block that makes it, LLVM takes its 64-bit multiplication (see low_halves).
typedef struct Product {
    Numbers whole, quotient;
} Product;

// The streams take turns, step by step: their instructions do not wait for each other.
static Product begin_product(const TowerEmit *e, const Streams *s, const Numbers *a, const Numbers *b) {
    Product r;
    for (unsigned i = 0; i < s->count; i++) r.whole.at[i] = tower_multiply_low(e, a->at[i], b->at[i]);
    for (unsigned i = 0; i < s->count; i++) r.quotient.at[i] = tower_multiply_low(e, r.whole.at[i], s->montgomery[i]);
    return r;
}

static Numbers finish_product(const TowerEmit *e, const Streams *s, const Product *a) {
    Numbers multiple, r;
    for (unsigned i = 0; i < s->count; i++) multiple.at[i] = tower_multiply_low(e, a->quotient.at[i], s->p[i]);
    for (unsigned i = 0; i < s->count; i++) r.at[i] = high_halves(e, word_add(e, a->whole.at[i], multiple.at[i]));
    return r;
}

static Numbers multiply_streams(const TowerEmit *e, const Streams *s, const Numbers *a, const Numbers *b) {
    Product product = begin_product(e, s, a, b);
    return finish_product(e, s, &product);
}

// The product that is finished as `a`.
static Product as_product(const TowerEmit *e, const Streams *s, const Numbers *a) {
    Product r;
    for (unsigned i = 0; i < s->count; i++) {
        r.whole.at[i] = word_shl_constant(e, a->at[i], 32);
        r.quotient.at[i] = fpsan_constant(a->at[i], 0);
    }
    return r;
}

// A power x^exponent is a list of windows, of at most WINDOW bits that begin and end with 1: square so many times, then
// multiply by an odd power of x. `tail` squarings follow the last window.
enum { WINDOWS_MAX = 32 };
typedef struct Windows {
    unsigned count, tail;
    uint32_t squarings[WINDOWS_MAX], odd[WINDOWS_MAX]; // odd[k] = n: x^(2n+1)
} Windows;

static Windows split_exponent(uint32_t exponent) {
    Windows w = {0};
    int bit = 31 - __builtin_clz(exponent), done = bit + 1; // bits at `done` and above are in windows
    for (; bit >= 0; bit--) {
        if (!(exponent >> bit & 1)) continue;
        int low = bit >= WINDOW - 1 ? bit - WINDOW + 1 : 0;
        while (!(exponent >> low & 1)) low++;
        w.squarings[w.count] = (uint32_t)(done - low);
        w.odd[w.count++] = (exponent >> low & ((1u << (bit - low + 1)) - 1)) / 2;
        bit = done = low;
    }
    w.tail = (unsigned)done;
    return w;
}

static LLVMBasicBlockRef append_block(const TowerEmit *e) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->builder));
    return LLVMAppendBasicBlockInContext(e->context, function, "");
}

// Begins a loop: a block with a counter and a product that change from turn to turn.
typedef struct Loop {
    LLVMBasicBlockRef block;
    LLVMValueRef counter;
    Product product;
    unsigned count;
} Loop;

static LLVMValueRef loop_value(const TowerEmit *e, LLVMValueRef first, LLVMBasicBlockRef before) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(first), "");
    LLVMAddIncoming(phi, &first, &before, 1);
    return phi;
}

static Loop begin_loop(const TowerEmit *e, const Streams *s, LLVMValueRef start, const Product *product) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    Loop loop = {.block = append_block(e), .count = s->count};
    LLVMBuildBr(e->builder, loop.block);
    LLVMPositionBuilderAtEnd(e->builder, loop.block);
    loop.counter = loop_value(e, start, before);
    for (unsigned i = 0; i < s->count; i++) {
        loop.product.whole.at[i] = loop_value(e, product->whole.at[i], before);
        loop.product.quotient.at[i] = loop_value(e, product->quotient.at[i], before);
    }
    return loop;
}

// Another turn with these if the condition holds.
static void end_loop(const TowerEmit *e, const Loop *loop, LLVMValueRef again, LLVMValueRef counter,
                     const Product *product) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), after = append_block(e);
    LLVMAddIncoming(loop->counter, &counter, &here, 1);
    for (unsigned i = 0; i < loop->count; i++) {
        LLVMValueRef whole = product->whole.at[i], quotient = product->quotient.at[i];
        LLVMAddIncoming(loop->product.whole.at[i], &whole, &here, 1);
        LLVMAddIncoming(loop->product.quotient.at[i], &quotient, &here, 1);
    }
    LLVMBuildCondBr(e->builder, again, loop->block, after);
    LLVMPositionBuilderAtEnd(e->builder, after);
}

static void square_times(const TowerEmit *e, const Streams *s, LLVMValueRef count, Product *power) {
    Loop loop = begin_loop(e, s, count, power);
    Numbers factor = finish_product(e, s, &loop.product);
    *power = begin_product(e, s, &factor, &factor);
    LLVMValueRef left = word_sub_constant(e, loop.counter, 1);
    end_loop(e, &loop, word_compare_constant(e, LLVMIntNE, left, 0), left, power);
}

// The odd powers lie in memory: entry n * streams + i.
static LLVMValueRef store_odd_powers(const TowerEmit *e, const Streams *s, const Numbers *x) {
    LLVMTypeRef type = LLVMTypeOf(x->at[0]);
    LLVMValueRef count = LLVMConstInt(integer64(e), (uint64_t)s->count << (WINDOW - 1), false);
    LLVMValueRef array = LLVMBuildArrayAlloca(e->builder, type, count, "");
    Numbers square = multiply_streams(e, s, x, x), odd = *x;
    for (unsigned n = 0; n < 1 << (WINDOW - 1); n++) {
        for (unsigned i = 0; i < s->count; i++) {
            LLVMValueRef at = LLVMConstInt(integer64(e), n * s->count + i, false);
            LLVMBuildStore(e->builder, odd.at[i], LLVMBuildGEP2(e->builder, type, array, &at, 1, ""));
        }
        if (n + 1 < 1 << (WINDOW - 1)) odd = multiply_streams(e, s, &odd, &square);
    }
    return array;
}

static Numbers load_odd_power(const TowerEmit *e, const Streams *s, LLVMTypeRef type, LLVMValueRef array,
                              LLVMValueRef n) {
    Numbers odd;
    LLVMValueRef first = word_mul_constant(e, n, s->count);
    for (unsigned i = 0; i < s->count; i++) {
        LLVMValueRef at = word_add_constant(e, first, i);
        odd.at[i] = LLVMBuildLoad2(e->builder, type, LLVMBuildGEP2(e->builder, type, array, &at, 1, ""), "");
    }
    return odd;
}

// x^exponent, exponent > 0, as loops: straight code is no faster and takes LLVM ten times as long. Called once in a
// function, from its entry block.
static Numbers power_streams(const TowerEmit *e, const Streams *s, const Numbers *x, uint32_t exponent) {
    Windows windows = split_exponent(exponent);
    LLVMTypeRef word = LLVMInt32TypeInContext(e->context), type = LLVMTypeOf(x->at[0]);
    char name[80];
    snprintf(name, sizeof name, "congruent.tower.squarings.%u", exponent);
    LLVMValueRef squarings = tower_table(e, name, windows.squarings, windows.count);
    snprintf(name, sizeof name, "congruent.tower.odd.%u", exponent);
    LLVMValueRef odd = tower_table(e, name, windows.odd, windows.count);
    LLVMValueRef powers = store_odd_powers(e, s, x);
    Numbers first = load_odd_power(e, s, type, powers, LLVMConstInt(word, windows.odd[0], false));
    Product power = as_product(e, s, &first);
    if (windows.count > 1) {
        Loop loop = begin_loop(e, s, LLVMConstInt(word, 1, false), &power);
        power = loop.product;
        square_times(e, s, tower_look_up(e, squarings, loop.counter), &power);
        Numbers factor = load_odd_power(e, s, type, powers, tower_look_up(e, odd, loop.counter));
        Numbers so_far = finish_product(e, s, &power);
        power = begin_product(e, s, &so_far, &factor);
        LLVMValueRef next = word_add_constant(e, loop.counter, 1);
        end_loop(e, &loop, word_compare_constant(e, LLVMIntNE, next, windows.count), next, &power);
    }
    if (windows.tail) square_times(e, s, LLVMConstInt(word, windows.tail, false), &power);
    return finish_product(e, s, &power);
}

// Streams of the four fields, an even and an odd one each, and the numbers of x.
static Streams field_streams(const TowerEmit *e, const LLVMValueRef *x, Numbers *numbers) {
    Streams s = {.count = 2 * TOWER_LENGTH};
    Numbers square;
    for (unsigned i = 0; i < s.count; i++) {
        const TowerPrime *prime = &e->tower->prime[i / 2];
        Wide wide = widen_words(e, x[i / 2]);
        assert(wide.count == 2);
        numbers->at[i] = wide.half[i % 2];
        s.p[i] = fpsan_constant(numbers->at[i], prime->p);
        s.montgomery[i] = fpsan_constant(numbers->at[i], prime->montgomery);
        square.at[i] = fpsan_constant(numbers->at[i], prime->square);
    }
    *numbers = multiply_streams(e, &s, numbers, &square);
    return s;
}

// The x that numbers are of, at most p.
static Numbers plain_numbers(const TowerEmit *e, const Streams *s, const Numbers *numbers) {
    Product product;
    for (unsigned i = 0; i < s->count; i++) {
        product.whole.at[i] = low_halves(e, numbers->at[i]);
        product.quotient.at[i] = tower_multiply_low(e, numbers->at[i], s->montgomery[i]);
    }
    return finish_product(e, s, &product);
}

static void leave_streams(const TowerEmit *e, const Streams *s, const Numbers *numbers, LLVMValueRef *result) {
    Numbers plain = plain_numbers(e, s, numbers);
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
    Wide wide = widen_words(e, mixed);
    Streams s = {.count = 2};
    Numbers base, square, power, cube, next;
    for (unsigned h = 0; h < 2; h++) {
        s.p[h] = mixed_constant(e, prime_of);
        s.montgomery[h] = mixed_constant(e, montgomery_of);
        square.at[h] = mixed_constant(e, square_of);
        base.at[h] = wide.half[h];
    }
    base = multiply_streams(e, &s, &base, &square);
    power = power_streams(e, &s, &base, e->tower->prime[0].p - 2);
    // y = x^(p_0 - 2) becomes y^(2^i) x^(3 (2^i - 1)) in field i.
    cube = multiply_streams(e, &s, &base, &base);
    cube = multiply_streams(e, &s, &cube, &base);
    Numbers factor = base;
    for (unsigned first = 1; first < TOWER_LENGTH; first++) {
        next = multiply_streams(e, &s, &power, &power);
        Numbers more = cube;
        if (first > 1) {
            more = multiply_streams(e, &s, &factor, &factor);
            more = multiply_streams(e, &s, &more, &cube);
        }
        for (unsigned h = 0; h < 2; h++) {
            power.at[h] = word_select(e, mixed_mask(e, first), next.at[h], power.at[h]);
            factor.at[h] = word_select(e, mixed_mask(e, first), more.at[h], factor.at[h]);
        }
    }
    next = multiply_streams(e, &s, &power, &factor);
    for (unsigned h = 0; h < 2; h++) power.at[h] = word_select(e, mixed_mask(e, 1), next.at[h], power.at[h]);
    power = plain_numbers(e, &s, &power);
    Wide plain = {{power.at[0], power.at[1]}, 2};
    mixed = narrow(e, &plain);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) x[i] = tower_lanes(e, mixed, i * LEFT, LEFT);
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
