// SPDX-License-Identifier: Apache-2.0
// Emission of inverses, roots and logarithms of components: short fractions (tower_fraction.c) on vectors, and the
// tables of the function's values at small numbers. The tables belong to the process; emitted code asks for their
// address.
#include "sanitizer/tower_emit_internal.h"

#include <stddef.h>
#include <string.h>

// ---- vectors of floats ----------------------------------------------------------------------------------------------

static LLVMTypeRef word_type(const TowerEmit *e) {
    return LLVMInt32TypeInContext(e->context);
}

static LLVMTypeRef float_like(const TowerEmit *e, LLVMValueRef like) {
    return fpsan_type_like(LLVMFloatTypeInContext(e->context), like);
}

static LLVMValueRef float_constant(const TowerEmit *e, LLVMValueRef like, double value) {
    return fpsan_splat(LLVMConstReal(LLVMFloatTypeInContext(e->context), value), like);
}

static LLVMValueRef float_of(const TowerEmit *e, LLVMValueRef word) {
    return LLVMBuildSIToFP(e->builder, word, float_like(e, word), "");
}

// Rounded toward zero.
static LLVMValueRef word_of(const TowerEmit *e, LLVMValueRef number) {
    return LLVMBuildFPToSI(e->builder, number, fpsan_type_like(word_type(e), number), "");
}

// The nearest integer to a b >= 0, or its neighbour.
static LLVMValueRef nearest_to_product(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef product = LLVMBuildFMul(e->builder, a, b, "");
    return word_of(e, LLVMBuildFAdd(e->builder, product, float_constant(e, product, 0.5), ""));
}

// ---- tables of the process ------------------------------------------------------------------------------------------

// Asked for in the entry block, before there is anything that the call would have to save, once for each table.
static LLVMValueRef process_table(const TowerEmit *e, TowerTable table) {
    static const char callee[] = "congruent_tower_table";
    static const char *const names[] = {"tower.multipliers", "tower.inverses", "tower.roots", "tower.logarithms"};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->builder)));
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    for (; at && (LLVMGetInstructionOpcode(at) == LLVMAlloca || LLVMGetInstructionOpcode(at) == LLVMCall);
         at = LLVMGetNextInstruction(at)) {
        size_t length;
        const char *found = LLVMGetValueName2(at, &length);
        if (length == strlen(names[table]) && !memcmp(found, names[table], length)) return at;
    }
    LLVMTypeRef word = word_type(e), types[] = {word, word};
    LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(e->context, 0), types, 2, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, callee);
    if (!function) function = LLVMAddFunction(e->module, callee, type);
    LLVMValueRef arguments[] = {LLVMConstInt(word, e->tower->index, false), LLVMConstInt(word, table, false)};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilder(builder, entry, at);
    LLVMValueRef address = LLVMBuildCall2(builder, type, function, arguments, 2, names[table]);
    LLVMDisposeBuilder(builder);
    return address;
}

static LLVMValueRef address_in(const TowerEmit *e, LLVMValueRef table, size_t offset) {
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(e->context), offset, false);
    return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), table, &at, 1, "");
}

static LLVMValueRef look_up_byte(const TowerEmit *e, LLVMValueRef table, LLVMValueRef index) {
    LLVMValueRef at = LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), table, &index, 1, "");
    return word_and_constant(e, tower_gather(e, at, index, 1), UINT8_MAX);
}

// ---- fractions ------------------------------------------------------------------------------------------------------

// The numbers that go with each lane.
typedef struct Primes {
    LLVMValueRef p, real, inverse, limit;
} Primes;

typedef struct Fraction {
    LLVMValueRef a, s, b; // x = +-a / (s b)
    LLVMValueRef sign;    // negative where it is +
} Fraction;

static Primes prime_everywhere(const TowerEmit *e, unsigned field, LLVMValueRef like) {
    uint32_t p = e->tower->prime[field].p;
    TowerFractionScales scales = tower_fraction_scales(p);
    return (Primes){fpsan_constant(like, p), float_constant(e, like, scales.p), float_constant(e, like, scales.inverse),
                    float_constant(e, like, scales.limit)};
}

// As tower_find_fraction, step by step; x is not 0.
static Fraction find_fraction(const TowerEmit *e, LLVMValueRef multipliers, const Primes *primes, LLVMValueRef x) {
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef first = address_in(e, multipliers, offsetof(TowerMultipliers, first));
    LLVMValueRef second = address_in(e, multipliers, offsetof(TowerMultipliers, second));
    LLVMValueRef part = LLVMBuildFMul(builder, float_of(e, x), primes->inverse, "");
    LLVMValueRef at = LLVMBuildFMul(builder, part, float_constant(e, x, 1 << TOWER_FIRST_BITS), "");
    LLVMValueRef s = look_up_byte(e, first, word_of(e, at)), c = nearest_to_product(e, float_of(e, s), part);
    LLVMValueRef a1 = word_sub(e, word_mul(e, s, x), word_mul(e, c, primes->p));
    LLVMValueRef size = tower_magnitude(e, a1), real_size = float_of(e, size);
    LLVMValueRef z = LLVMBuildFDiv(builder, primes->real, real_size, "");
    LLVMValueRef fraction = LLVMBuildFSub(builder, z, float_of(e, word_of(e, z)), "");
    LLVMValueRef power = LLVMBuildFMul(builder, real_size, primes->limit, "");
    power = word_and_constant(e, LLVMBuildBitCast(builder, power, LLVMTypeOf(x), ""), 0xff800000);
    power = LLVMBuildBitCast(builder, power, LLVMTypeOf(fraction), "");
    at = LLVMBuildFMul(builder, LLVMBuildFAdd(builder, fraction, float_constant(e, x, 1), ""), power, "");
    at = LLVMBuildFMul(builder, at, LLVMBuildFAdd(builder, power, power, ""), "");
    LLVMValueRef beta = look_up_byte(e, second, word_of(e, at));
    LLVMValueRef b = nearest_to_product(e, float_of(e, beta), z);
    b = tower_maximum(e, b, fpsan_constant(b, 1));
    LLVMValueRef a = word_sub(e, word_mul(e, beta, primes->p), word_mul(e, b, size));
    return (Fraction){tower_magnitude(e, a), s, b, word_xor(e, a, a1)};
}

// 1 where x is 0, which has no fraction.
static LLVMValueRef avoid_zero(const TowerEmit *e, LLVMValueRef x, LLVMValueRef *is_zero) {
    *is_zero = word_compare_constant(e, LLVMIntEQ, x, 0);
    return word_select(e, *is_zero, fpsan_constant(x, 1), x);
}

// ---- roots ----------------------------------------------------------------------------------------------------------

// The root of -1 is 1: signs do not matter.
static void emit_roots(const TowerEmit *e, const LLVMValueRef *x, bool inverse, LLVMValueRef *result) {
    LLVMValueRef multipliers = process_table(e, TOWER_TABLE_MULTIPLIERS), table = process_table(e, TOWER_TABLE_ROOTS);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        const TowerPrime *prime = &e->tower->prime[i];
        LLVMValueRef is_zero, some = avoid_zero(e, x[i], &is_zero);
        LLVMValueRef root = address_in(e, table, offsetof(TowerRoots, root[i]));
        LLVMValueRef inverse_root = address_in(e, table, offsetof(TowerRoots, inverse_root[i]));
        LLVMValueRef above = inverse ? inverse_root : root, below = inverse ? root : inverse_root;
        Primes primes = prime_everywhere(e, i, x[i]);
        Fraction fraction = find_fraction(e, multipliers, &primes, some);
        LLVMValueRef product =
            tower_field_mul(e, prime, tower_look_up(e, below, fraction.s), tower_look_up(e, below, fraction.b));
        product = tower_field_mul(e, prime, product, tower_look_up(e, above, fraction.a));
        result[i] = word_select(e, is_zero, fpsan_constant(x[i], 0), product);
    }
}

void tower_field_sqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    emit_roots(e, x, false, result);
}

void tower_field_rsqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    emit_roots(e, x, true, result);
}

// ---- logarithms -----------------------------------------------------------------------------------------------------

// Entries are a logarithm and, in the highest bit, a sign; sums of fewer than 8 leave the sign's exclusive or there, the
// rest below 2^31.
void tower_field_log2(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result, LLVMValueRef *negative) {
    LLVMValueRef multipliers = process_table(e, TOWER_TABLE_MULTIPLIERS);
    LLVMValueRef table = process_table(e, TOWER_TABLE_LOGARITHMS);
    for (unsigned i = 0; i + 1 < TOWER_LENGTH; i++) {
        const TowerPrime *order = &e->tower->prime[i];
        LLVMValueRef is_zero, some = avoid_zero(e, x[i + 1], &is_zero);
        LLVMValueRef log = address_in(e, table, offsetof(TowerLogarithms, log[i]));
        Primes primes = prime_everywhere(e, i + 1, some);
        Fraction fraction = find_fraction(e, multipliers, &primes, some);
        LLVMValueRef a = tower_look_up(e, log, fraction.a), s = tower_look_up(e, log, fraction.s);
        LLVMValueRef b = tower_look_up(e, log, fraction.b);
        LLVMValueRef sign = word_xor(e, word_xor(e, a, s), word_xor(e, b, word_not(e, fraction.sign)));
        enum { LOG = INT32_MAX };
        LLVMValueRef below = tower_field_add(e, order, word_and_constant(e, s, LOG), word_and_constant(e, b, LOG));
        result[i] = tower_field_sub(e, order, word_and_constant(e, a, LOG), below);
        negative[i] = word_lshr_constant(e, sign, 31);
    }
}

// ---- inverses -------------------------------------------------------------------------------------------------------
//
// 1/a and 1/b are b and a times 1/(a b). So lanes are multiplied in pairs until four are left; those of the four fields
// make one vector of 16, which is inverted; and the way back gives every lane its own.

enum { LEFT = 4, MIXED = TOWER_LENGTH * LEFT };

// Constants of each field in its lanes of the vector of 16; for tables, where the field's begins.
static LLVMValueRef mixed_words(const TowerEmit *e, const uint32_t *of_fields) {
    LLVMValueRef lanes[MIXED];
    for (unsigned i = 0; i < MIXED; i++) lanes[i] = LLVMConstInt(word_type(e), of_fields[i / LEFT], false);
    return LLVMConstVector(lanes, MIXED);
}

static LLVMValueRef mixed_floats(const TowerEmit *e, const float *of_fields) {
    LLVMValueRef lanes[MIXED];
    for (unsigned i = 0; i < MIXED; i++)
        lanes[i] = LLVMConstReal(LLVMFloatTypeInContext(e->context), (double)of_fields[i / LEFT]);
    return LLVMConstVector(lanes, MIXED);
}

static Primes mixed_primes(const TowerEmit *e) {
    uint32_t p[TOWER_LENGTH];
    float real[TOWER_LENGTH], inverse[TOWER_LENGTH], limit[TOWER_LENGTH];
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        p[i] = e->tower->prime[i].p;
        TowerFractionScales scales = tower_fraction_scales(p[i]);
        real[i] = scales.p, inverse[i] = scales.inverse, limit[i] = scales.limit;
    }
    return (Primes){mixed_words(e, p), mixed_floats(e, real), mixed_floats(e, inverse), mixed_floats(e, limit)};
}

// 1/x = +-s b / a of four lanes of each field.
static void invert_mixed(const TowerEmit *e, LLVMValueRef *x) {
    LLVMValueRef mixed = tower_concat(e, tower_concat(e, x[0], x[1]), tower_concat(e, x[2], x[3]));
    Primes primes = mixed_primes(e);
    Fraction fraction = find_fraction(e, process_table(e, TOWER_TABLE_MULTIPLIERS), &primes, mixed);
    uint32_t begin[TOWER_LENGTH];
    for (unsigned i = 0; i < TOWER_LENGTH; i++) begin[i] = i * TOWER_FRACTION_MAX;
    LLVMValueRef at = word_add(e, fraction.a, mixed_words(e, begin));
    LLVMValueRef inverse = tower_look_up(e, process_table(e, TOWER_TABLE_INVERSES), at);
    LLVMValueRef below = word_mul(e, fraction.s, fraction.b);
    LLVMValueRef is_plus = word_compare_constant(e, LLVMIntSLT, fraction.sign, 0);
    inverse = word_select(e, is_plus, inverse, word_sub(e, primes.p, inverse));
    for (unsigned i = 0; i < TOWER_LENGTH; i++)
        x[i] = tower_field_mul(e, &e->tower->prime[i], tower_lanes(e, below, i * LEFT, LEFT),
                               tower_lanes(e, inverse, i * LEFT, LEFT));
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
    for (unsigned i = 0; i < TOWER_LENGTH; i++) result[i] = avoid_zero(e, x[i], &is_zero[i]);
    invert_lanes(e, result);
    for (unsigned i = 0; i < TOWER_LENGTH; i++)
        result[i] = word_select(e, is_zero[i], fpsan_constant(x[i], 0), result[i]);
}
