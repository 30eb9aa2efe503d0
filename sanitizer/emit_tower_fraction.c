// SPDX-License-Identifier: Apache-2.0
// Emission of inverses, roots and logarithms of components: short fractions (tower_fraction.c) on vectors, and the
// tables of the function's values at small numbers. The tables belong to the process; emitted code asks for their
// address.
#include "sanitizer/tower_emit_internal.h"

#include <stddef.h>

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

// A product, or the product and a sum, in one rounding where the processor can.
static LLVMValueRef multiply(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef product = LLVMBuildFMul(e->builder, a, b, "");
    if (LLVMIsAInstruction(product)) LLVMSetFastMathFlags(product, LLVMFastMathAllowContract);
    return product;
}

static LLVMValueRef sum_of(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef sum = LLVMBuildFAdd(e->builder, a, b, "");
    if (LLVMIsAInstruction(sum)) LLVMSetFastMathFlags(sum, LLVMFastMathAllowContract);
    return sum;
}

// The nearest integer to a b >= 0, or its neighbour.
static LLVMValueRef nearest_to_product(const TowerEmit *e, LLVMValueRef a, LLVMValueRef b) {
    return word_of(e, sum_of(e, multiply(e, a, b), float_constant(e, a, 0.5)));
}

// ---- tables of the process ------------------------------------------------------------------------------------------

// Asked for in the entry block, before there is anything that the call would have to save.
static LLVMValueRef process_tables(const TowerEmit *e, TowerTable table) {
    static const char callee[] = "congruent_tower_tables";
    LLVMTypeRef word = word_type(e), types[] = {word, word};
    LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(e->context, 0), types, 2, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, callee);
    if (!function) function = LLVMAddFunction(e->module, callee, type);
    LLVMValueRef arguments[] = {LLVMConstInt(word, e->tower->index, false), LLVMConstInt(word, table, false)};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->builder)));
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    while (at && LLVMGetInstructionOpcode(at) == LLVMAlloca) at = LLVMGetNextInstruction(at);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilder(builder, entry, at);
    LLVMValueRef address = LLVMBuildCall2(builder, type, function, arguments, 2, "");
    LLVMDisposeBuilder(builder);
    return address;
}

static LLVMValueRef address_in(const TowerEmit *e, LLVMValueRef table, size_t offset) {
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(e->context), offset, false);
    return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), table, &at, 1, "");
}

// The table at that offset in the chain's TowerNumbers.
static LLVMValueRef number_table(const TowerEmit *e, LLVMValueRef tables, size_t offset) {
    return address_in(e, tables, offsetof(TowerTables, numbers) + e->tower->index * sizeof(TowerNumbers) + offset);
}

static LLVMValueRef look_up_byte(const TowerEmit *e, LLVMValueRef table, LLVMValueRef index) {
    LLVMValueRef at = LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), table, &index, 1, "");
    return word_and_constant(e, tower_gather(e, at, index, 1), UINT8_MAX);
}

// ---- fractions ------------------------------------------------------------------------------------------------------

typedef struct Fraction {
    LLVMValueRef a, s, b; // x = +-a / (s b)
    LLVMValueRef sign;    // negative where it is +
    LLVMValueRef of_s;    // what the caller's table has for s
} Fraction;

// As tower_find_fraction, on fields `first` and above; some fraction for 0. The fields take turns, step by step, as do
// the loops below: their instructions do not wait for each other.
static void find_fractions(const TowerEmit *e, LLVMValueRef tables, const LLVMValueRef *components, unsigned first,
                           const LLVMValueRef *s_tables, Fraction *fractions) {
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef firsts = address_in(e, tables, offsetof(TowerTables, multipliers.first));
    LLVMValueRef seconds = address_in(e, tables, offsetof(TowerTables, multipliers.second));
    LLVMValueRef x[TOWER_LENGTH_MAX], real[TOWER_LENGTH_MAX], s[TOWER_LENGTH_MAX], a1[TOWER_LENGTH_MAX],
        size[TOWER_LENGTH_MAX], z[TOWER_LENGTH_MAX], shift[TOWER_LENGTH_MAX], at[TOWER_LENGTH_MAX],
        beta[TOWER_LENGTH_MAX];
    TowerFractionScales scales[TOWER_LENGTH_MAX];
#define EACH_FIELD for (unsigned i = first; i < e->tower->length; i++)
    EACH_FIELD {
        scales[i] = tower_fraction_scales(e->tower->prime[i].p);
        // Whatever lies in a lane that nobody asks for: the tables are not left.
        x[i] = tower_minimum(e, components[i], fpsan_constant(components[i], e->tower->prime[i].p - 1));
        real[i] = float_of(e, x[i]);
        LLVMValueRef part = multiply(e, real[i], float_constant(e, x[i], (double)scales[i].first));
        part = sum_of(e, part, float_constant(e, x[i], -(1 << (TOWER_FIRST_BITS - 1))));
        LLVMValueRef size = word_and_constant(e, LLVMBuildBitCast(builder, part, LLVMTypeOf(x[i]), ""), INT32_MAX);
        at[i] = word_of(e, LLVMBuildBitCast(builder, size, LLVMTypeOf(part), ""));
    }
    EACH_FIELD s[i] = look_up_byte(e, firsts, at[i]);
    EACH_FIELD {
        LLVMValueRef part = multiply(e, real[i], float_constant(e, x[i], (double)scales[i].inverse));
        LLVMValueRef c = nearest_to_product(e, float_of(e, s[i]), part);
        a1[i] = word_sub(e, word_mul(e, s[i], x[i]), word_mul_constant(e, c, e->tower->prime[i].p));
        size[i] = tower_maximum(e, tower_magnitude(e, a1[i]), fpsan_constant(a1[i], 1));
    }
    EACH_FIELD {
        LLVMValueRef real_size = float_of(e, size[i]);
        z[i] = LLVMBuildFDiv(builder, float_constant(e, x[i], (double)scales[i].p), real_size, "");
        LLVMValueRef most = multiply(e, real_size, float_constant(e, x[i], (double)scales[i].limit));
        LLVMValueRef exponent = word_lshr_constant(e, LLVMBuildBitCast(builder, most, LLVMTypeOf(x[i]), ""), 23);
        shift[i] = word_sub(e, fpsan_constant(x[i], TOWER_SECOND_SHIFT), word_add(e, exponent, exponent));
        shift[i] = tower_minimum(e, shift[i], fpsan_constant(x[i], 31));
    }
    EACH_FIELD fractions[i].of_s = s_tables ? tower_look_up(e, s_tables[i], s[i]) : NULL;
    EACH_FIELD {
        LLVMValueRef fixed = multiply(e, z[i], float_constant(e, x[i], 1 << TOWER_SECOND_BITS));
        LLVMValueRef largest = float_constant(e, x[i], (double)TOWER_SECOND_LARGEST);
        LLVMValueRef fits = LLVMBuildFCmp(builder, LLVMRealOLT, fixed, largest, "");
        at[i] = word_of(e, LLVMBuildSelect(builder, fits, fixed, largest, ""));
        at[i] = word_and_constant(e, at[i], (1 << TOWER_SECOND_BITS) - 1);
        at[i] = word_lshr(e, word_or_constant(e, at[i], 1 << TOWER_SECOND_BITS), shift[i]);
    }
    EACH_FIELD beta[i] = look_up_byte(e, seconds, at[i]);
    EACH_FIELD {
        LLVMValueRef b = nearest_to_product(e, float_of(e, beta[i]), z[i]);
        b = tower_maximum(e, b, fpsan_constant(b, 1));
        LLVMValueRef a = word_mul_constant(e, beta[i], e->tower->prime[i].p);
        a = word_sub(e, a, word_mul(e, b, size[i]));
        fractions[i] = (Fraction){tower_magnitude(e, a), s[i], b, word_xor(e, a, a1[i]), fractions[i].of_s};
    }
#undef EACH_FIELD
}

// 0 where x is.
static void keep_zeros(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    for (unsigned i = 0; i < e->tower->length; i++)
        result[i] = word_select(e, word_compare_constant(e, LLVMIntEQ, x[i], 0), x[i], result[i]);
}

// ---- what is made of them -------------------------------------------------------------------------------------------

// The root of -1 is 1: signs do not matter.
static void emit_roots(const TowerEmit *e, const LLVMValueRef *x, bool inverse, LLVMValueRef *result) {
    LLVMValueRef tables = process_tables(e, TOWER_TABLE_ROOTS);
    LLVMValueRef above[TOWER_LENGTH_MAX], below[TOWER_LENGTH_MAX];
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef root = number_table(e, tables, offsetof(TowerNumbers, root[i]));
        LLVMValueRef inverse_root = number_table(e, tables, offsetof(TowerNumbers, inverse_root[i]));
        above[i] = inverse ? inverse_root : root;
        below[i] = inverse ? root : inverse_root;
    }
    Fraction f[TOWER_LENGTH_MAX];
    find_fractions(e, tables, x, 0, below, f);
    for (unsigned i = 0; i < e->tower->length; i++) f[i].b = tower_look_up(e, below[i], f[i].b);
    for (unsigned i = 0; i < e->tower->length; i++) f[i].a = tower_look_up(e, above[i], f[i].a);
    for (unsigned i = 0; i < e->tower->length; i++) {
        const TowerPrime *prime = &e->tower->prime[i];
        result[i] = tower_field_mul(e, prime, tower_field_mul(e, prime, f[i].of_s, f[i].b), f[i].a);
    }
    keep_zeros(e, x, result);
}

void tower_field_sqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    emit_roots(e, x, false, result);
}

void tower_field_rsqrt(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    emit_roots(e, x, true, result);
}

// 1/x = +-s b / a.
void tower_field_invert(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result) {
    LLVMValueRef tables = process_tables(e, TOWER_TABLE_INVERSES);
    Fraction fractions[TOWER_LENGTH_MAX];
    find_fractions(e, tables, x, 0, NULL, fractions);
    for (unsigned i = 0; i < e->tower->length; i++) {
        const Fraction *f = &fractions[i];
        LLVMValueRef inverse = tower_look_up(e, number_table(e, tables, offsetof(TowerNumbers, inverse[i])), f->a);
        LLVMValueRef negative = word_sub(e, fpsan_constant(inverse, e->tower->prime[i].p), inverse);
        LLVMValueRef is_plus = word_compare_constant(e, LLVMIntSLT, f->sign, 0);
        result[i] = word_select(e, is_plus, inverse, negative);
    }
    for (unsigned i = 0; i < e->tower->length; i++) {
        LLVMValueRef below = word_mul(e, fractions[i].s, fractions[i].b); // below 2^22, need not be below the prime
        result[i] = tower_field_mul(e, &e->tower->prime[i], result[i], below);
    }
    keep_zeros(e, x, result);
}

// Entries are a logarithm and, in the highest bit, a sign.
void tower_field_log2(const TowerEmit *e, const LLVMValueRef *x, LLVMValueRef *result, LLVMValueRef *negative) {
    enum { LOG = INT32_MAX };
    LLVMValueRef tables = process_tables(e, TOWER_TABLE_LOGARITHMS);
    Fraction fractions[TOWER_LENGTH_MAX];
    find_fractions(e, tables, x, 1, NULL, fractions);
    for (unsigned i = 0; i + 1 < e->tower->length; i++) {
        const TowerPrime *order = &e->tower->prime[i];
        LLVMValueRef log = number_table(e, tables, offsetof(TowerNumbers, log[i]));
        LLVMValueRef a = tower_look_up(e, log, fractions[i + 1].a), s = tower_look_up(e, log, fractions[i + 1].s);
        LLVMValueRef b = tower_look_up(e, log, fractions[i + 1].b);
        LLVMValueRef sign = word_xor(e, word_xor(e, a, s), word_xor(e, b, word_not(e, fractions[i + 1].sign)));
        LLVMValueRef below = tower_field_add(e, order, word_and_constant(e, s, LOG), word_and_constant(e, b, LOG));
        result[i] = tower_field_sub(e, order, word_and_constant(e, a, LOG), below);
        negative[i] = word_lshr_constant(e, sign, 31);
    }
}
