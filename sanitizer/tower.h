// SPDX-License-Identifier: Apache-2.0
// The tower algebra in scalar C: what a shadow value carries beside the IEEE value of a float. libc and libm only, for
// C and C++. See tower.md; test_tower_vectors.c compares every function with its executable specification.
//
// A payload has four components, one in each field F_p of a chain of primes p_{i+1} = 2 p_i + 1, and a state. Payloads
// are values; nothing here prints or fails. What is computed once per process (the chains, the tables of logarithms) is
// written under pthread_once and never changes after.
#ifndef CONGRUENT_TOWER_H
#define CONGRUENT_TOWER_H

#include "sanitizer/fpsan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Towers: each chain in two conventions for roots (see tower_signed.c), tower c + TOWER_CHAINS being the signed one.
enum { TOWER_LENGTH = 4, TOWER_CHAINS = 3, TOWER_COUNT = 2 * TOWER_CHAINS };

// Of the algebra, not of the IEEE value: literal infinities, x/0, log 0.
typedef enum TowerKind { TOWER_FINITE, TOWER_POSITIVE_INFINITY, TOWER_NEGATIVE_INFINITY, TOWER_NAN } TowerKind;

// The state word, in registers and in memory. 0 is a plain value: finite, every component means something, nothing else
// to say. Fields of four bits have one for each component, component 0 lowest.
enum {
    TOWER_MISSING_SHIFT = 0, // the component means nothing (the inverse of the model's mask)
    TOWER_SIGN_SHIFT = 4,    // 2^value (e^value, see BASE) is negative there: the sign of a logarithm's argument
    TOWER_LOST_SHIFT = 8,    // such a sign existed and is unknown; only a later exp2 cares
    TOWER_WEAK_SHIFT = 12,   // the value itself may be off by such a sign
    TOWER_KIND_SHIFT = 16,   // two bits: TowerKind
    TOWER_MISSING = 0xf << TOWER_MISSING_SHIFT,
    TOWER_SIGN = 0xf << TOWER_SIGN_SHIFT,
    TOWER_LOST = 0xf << TOWER_LOST_SHIFT,
    TOWER_WEAK = 0xf << TOWER_WEAK_SHIFT,
    TOWER_KIND = 3 << TOWER_KIND_SHIFT,
    TOWER_BASE_E = 1 << 18,  // the base of SIGN is e; else 2
    TOWER_NEAR = 1 << 19,    // a jump (floor, comparison, ...) was decided by a few units in the last place
    TOWER_ROUNDED = 1 << 20, // floor, ceil or an integer made from a float took part
    TOWER_POISON = 1 << 21,  // unspecified: see tower_poison; the kind is NaN where it is set
    // Types that the value passed through, by the bits of their significand.
    TOWER_PASSED_24 = 1 << 24, // f32
    TOWER_PASSED_11 = 1 << 25, // f16, tf32
    TOWER_PASSED_8 = 1 << 26,  // bf16
    TOWER_PASSED_4 = 1 << 27,  // f8e4m3
    TOWER_PASSED_3 = 1 << 28,  // f8e5m2
    TOWER_PASSED_2 = 1 << 29,  // f4e2m1
    TOWER_PASSED = 0x3f << 24,
    // Of signed towers, where nothing says which types a value passed through.
    TOWER_HALF_SHIFT = 22,   // the component is times i
    TOWER_TURNED_SHIFT = 26, // the phase is 2 more
    TOWER_HALF = 0xf << TOWER_HALF_SHIFT,
    TOWER_TURNED = 0xf << TOWER_TURNED_SHIFT,
    TOWER_PHASE = TOWER_HALF | TOWER_TURNED,
    TOWER_VANISHED =
        1 << 30, // an exp took part that is 0 as a number, though its operand is not -inf: most often a mask
    // Bits that no rule reads: every operation gives its result the union of its operands'.
    TOWER_CARRIED = TOWER_NEAR | TOWER_ROUNDED | TOWER_PASSED | TOWER_POISON | TOWER_VANISHED,
    TOWER_RULED = TOWER_MISSING | TOWER_SIGN | TOWER_LOST | TOWER_WEAK | TOWER_KIND | TOWER_BASE_E,
};

// Which exps of finite payloads are 0: those of operands at or below TOWER_MASKED, the rule; none; those that are 0 as
// numbers. The other two are for a second look at what the rule decides.
typedef enum TowerMasks { TOWER_MASKS_BELOW, TOWER_MASKS_NONE, TOWER_MASKS_VANISHED } TowerMasks;

// Of the operands of signed towers alone, never of results: the IEEE value is negative.
#define TOWER_NEGATIVE (UINT32_C(1) << 31)

// The types of TOWER_PASSED, from wide to narrow: the bit, and how many significant bits the type has.
typedef struct TowerPassed {
    uint32_t bit;
    unsigned significant;
} TowerPassed;
enum { TOWER_PASSED_TYPES = 6 };
extern const TowerPassed tower_passed_types[TOWER_PASSED_TYPES];

// What a close call is: numbers that are apart by this much of the smaller one, or less, where the narrowest type that
// either passed through has that many significant bits. 8 units in the last place, but at most 2^-4, and at least one
// unit: what two roundings leave.
double tower_near_share(unsigned significant);

// Components are below their primes. LOST, WEAK and SIGN are clear where MISSING is set, SIGN where LOST is, and BASE_E
// if SIGN is clear everywhere; infinities and NaN have components 0 (but see tower_poison) and no other of these bits.
typedef struct TowerPayload {
    uint32_t component[TOWER_LENGTH];
    uint32_t state;
} TowerPayload;

// ---- tower_chain.c: the chains and their constants ------------------------------------------------------------------

// p in [2^(bits-1), 2^bits). For T < 2^(bits+29): T - (((T >> (bits-1)) * barrett) >> 32) * p = T mod p or p more.
typedef struct TowerPrime {
    uint32_t p, bits, barrett;
} TowerPrime;

// A point of the unit circle.
typedef struct TowerTurn {
    uint32_t cosine, sine;
} TowerTurn;

typedef struct Tower {
    unsigned index;            // of the chain
    const struct Tower *plain; // of a signed tower: the other one of its chain; NULL: this is it
    TowerPrime prime[TOWER_LENGTH];
    TowerPayload zero, one, minus_one;
    TowerPayload log2e, ln2, sqrt_2_pi; // hashes that stand for irrational numbers; log2e * ln2 = 1
    TowerTurn turn[TOWER_LENGTH];       // cos and sin of 2 pi / (p + 1), see tower_turn.c
} Tower;

// The tower of that number, 0 (the one in use) to TOWER_CHAINS - 1 (spare: a divergence that stands in another chain is
// real), and from TOWER_CHAINS on the same with signed roots. The primes are searched, not written down: the largest
// below 2^29 with p_0 = -1 mod 8*3*5*7*11.
const Tower *tower_chain(unsigned index);
// Whether n is prime (Miller-Rabin with bases that decide it below 2^64).
bool tower_is_prime(uint64_t n);
// base^exponent mod p.
uint32_t tower_power(uint64_t base, uint64_t exponent, uint32_t p);

// ---- tower_turn.c: parts of a turn ----------------------------------------------------------------------------------

// cos and sin of 2 pi numerator / denominator; missing in fields where the denominator of the reduced fraction does not
// divide p + 1. One that divides TOWER_TURNS is known in the largest field at least, in every chain.
enum { TOWER_TURNS = 64 * 3 * 5 * 7 * 11 };
TowerPayload tower_turn_cosine(const Tower *t, int64_t numerator, uint32_t denominator);
TowerPayload tower_turn_sine(const Tower *t, int64_t numerator, uint32_t denominator);

// ---- tower_value.c: values from outside -----------------------------------------------------------------------------

TowerPayload tower_special(TowerKind kind);
// What nobody specified: padding that has no value, memory that nobody wrote. Every rule with such an operand gives the
// first one of its operands that is, whatever the others are: zero times it, infinities and NaN. `origin` says who made
// it, 0 .. TOWER_ORIGIN_MAX, and is component 0; rules that negate make it negative in its field.
enum { TOWER_ORIGIN_MAX = 1 << 24 };
TowerPayload tower_poison(uint32_t origin);
bool tower_is_poison(TowerPayload a);
uint32_t tower_origin(const Tower *t, TowerPayload poison);
// The bits of TOWER_CARRIED that are marks in the states of a tower: in signed ones TOWER_PASSED is none, phases are
// there.
uint32_t tower_carried(const Tower *t);
// numerator / denominator, the denominator no multiple of a prime of the chain.
TowerPayload tower_rational(const Tower *t, int64_t numerator, int64_t denominator);
// 2^exponent.
TowerPayload tower_power_of_two(const Tower *t, int exponent);
// The exact value m * 2^e of a float's bits, and of an integer of `width` bits (1..64).
TowerPayload tower_embed(const Tower *t, FpsanFormat format, uint64_t bits);
TowerPayload tower_embed_double(const Tower *t, double value);
TowerPayload tower_embed_integer(const Tower *t, uint64_t integer, unsigned width, bool is_signed);
// A constant of the program or a scalar argument in f32 (24 significant bits) or f64 (53): what people write rounded
// means the number itself, see tower_value.c. Narrower types are embedded.
TowerPayload tower_constant(const Tower *t, double value, unsigned digits);
// The same for the bits of any format.
TowerPayload tower_constant_bits(const Tower *t, FpsanFormat format, uint64_t bits);
// Whether a constant in f32 or f64 is read as nothing but the number that its bits are, though it does not look like
// one that was meant to be just that: somebody may have rounded it from another. Whole numbers, and the largest number
// of a type, are what they are.
bool tower_constant_is_opaque(const Tower *t, FpsanFormat format, uint64_t bits);
// What a user says that a number stands for. `value` is finite and not 0; its negative stands for the negative.
typedef struct TowerMeaning {
    double value;
    TowerPayload payload;
} TowerMeaning;
// As tower_constant_bits, but f32 and f64 numbers that a value rounds to stand for what its meaning says.
TowerPayload tower_constant_meant(const Tower *t, FpsanFormat format, uint64_t bits, const TowerMeaning *meanings,
                                  unsigned count);

// ---- tower_signed.c: roots that know their signs --------------------------------------------------------------------
//
// The rules below are those of the tower they are given. In signed towers mul, div, pow and powi read TOWER_NEGATIVE of
// operands; of phases, add, sub, fma, neg, sqrt and rsqrt know, too, and all others forget them.

// Without phases.
TowerPayload tower_unsigned(TowerPayload a);

// ---- tower.c: the rules ---------------------------------------------------------------------------------------------

// The sign of an IEEE value, which mul and div ask for where a payload is infinite: of the product of the IEEE
// operands, of their quotient.
enum { TOWER_IEEE_ZERO = 0, TOWER_IEEE_POSITIVE = 1, TOWER_IEEE_NEGATIVE = -1, TOWER_IEEE_NAN = 2 };

// Finite and 0 in every component.
bool tower_is_zero(TowerPayload a);
// Whether the payload is the same integer in every component, of at most TOWER_INTEGER_MAX in magnitude; SIGN, LOST and
// WEAK are not looked at.
enum { TOWER_INTEGER_MAX = 1 << 24 };
bool tower_known_integer(const Tower *t, TowerPayload a, int *integer);

TowerPayload tower_neg(const Tower *t, TowerPayload a);
TowerPayload tower_add(const Tower *t, TowerPayload a, TowerPayload b);
TowerPayload tower_sub(const Tower *t, TowerPayload a, TowerPayload b);
TowerPayload tower_mul(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
// a * b + c; ieee_sign is the product's.
TowerPayload tower_fma(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload c, int ieee_sign);
TowerPayload tower_div(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
// a - quotient * b, where quotient is the payload of the integer that IEEE found.
TowerPayload tower_remainder(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload quotient);
// `ieee`: the IEEE value of the operand; at or below -8192 it is a mask, and the result an exact 0.
#define TOWER_MASKED (-8192.0)
TowerPayload tower_exp2(const Tower *t, TowerPayload a, double ieee);
TowerPayload tower_exp(const Tower *t, TowerPayload a, double ieee);
TowerPayload tower_log2(const Tower *t, TowerPayload a);
// log 0 = -inf, as log2 0 is.
TowerPayload tower_log(const Tower *t, TowerPayload a);
TowerPayload tower_sqrt(const Tower *t, TowerPayload a);
TowerPayload tower_rsqrt(const Tower *t, TowerPayload a);
TowerPayload tower_tanh(const Tower *t, TowerPayload a);
TowerPayload tower_sinh(const Tower *t, TowerPayload a);
TowerPayload tower_cosh(const Tower *t, TowerPayload a);
// By multiplication.
TowerPayload tower_powi(const Tower *t, TowerPayload a, int64_t exponent);
// An exponent that is a known integer, or half of one, by multiplication of a or its root; others as exp2(b * log2 a).
// ieee_sign: of b * log2 a, that is whether the IEEE power is above or below 1 in magnitude.
TowerPayload tower_pow(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
TowerPayload tower_sin(const Tower *t, TowerPayload a);
TowerPayload tower_cos(const Tower *t, TowerPayload a);
TowerPayload tower_tan(const Tower *t, TowerPayload a);
// Which of two payloads max and min take where the floats are the same number: whether it is a. Decided by the first of
// components 2, 1, 3, 0 that both know and in which they differ by more than the sign, then by signs, then by states.
// So it does not depend on which operand comes first; nor, in a row of choices, on their order, as long as some
// component is known in all (which takes three nested exps to fail): 2 is the last that exp and log lose. And as -a and
// -b fall as a and b do, max(x) and -min(-x) agree.
bool tower_goes_first(const Tower *t, TowerPayload a, TowerPayload b);
// Any function without a law: a hash of the name and of the operands' components, in every field on its own. It is not
// the specification's hash (BLAKE2b of a text) but one of a few multiplications that vectors can do.
TowerPayload tower_tag(const Tower *t, const char *name, const TowerPayload *operands, unsigned count);

// ROOTS: they differ, but agree in a field, as sqrt(x)^2 and x do. UNKNOWN: there is no field that both know.
typedef enum TowerVerdict { TOWER_EQUAL, TOWER_DIFFER, TOWER_ROOTS, TOWER_UNKNOWN } TowerVerdict;
// `decided` (may be NULL): how many components decided; 0 for infinities and NaN.
TowerVerdict tower_compare(TowerPayload a, TowerPayload b, unsigned *decided);
// Whether finite payloads are the same or each other's negative in every field that both know (at least one): what is
// left of sqrt(x)^2 = x where x is no square. a and -a are so too.
bool tower_equal_up_to_signs(const Tower *t, TowerPayload a, TowerPayload b);

// ---- tower_log.c: discrete logarithms -------------------------------------------------------------------------------

// The x below p_i and s with y = (-1)^s 2^x mod p_{i+1}, for 0 < y < p_{i+1} and i < TOWER_LENGTH - 1. The first call
// for a chain makes its tables (200 KB).
uint32_t tower_discrete_log2(const Tower *t, unsigned i, uint32_t y, bool *is_negative);

// Makes every table of a chain, which else happens when they are first needed (under 50 ms).
void tower_make_tables(unsigned chain);

// ---- tower_runtime.c: what emitted code calls -----------------------------------------------------------------------

// On `lanes` floats at once; an array holds component 0 of all lanes, then component 1, .., then the states.
// Each by its own rule, in the tower of that number.
void congruent_tower_pow(uint32_t tower, uint32_t lanes, const uint32_t *a, const uint32_t *b,
                         const int32_t *ieee_signs, uint32_t *result);
void congruent_tower_mul(uint32_t tower, uint32_t lanes, const uint32_t *a, const uint32_t *b,
                         const int32_t *ieee_signs, uint32_t *result);
void congruent_tower_div(uint32_t tower, uint32_t lanes, const uint32_t *a, const uint32_t *b,
                         const int32_t *ieee_signs, uint32_t *result);
void congruent_tower_powi(uint32_t tower, uint32_t lanes, const uint32_t *a, const int32_t *exponents,
                          uint32_t *result);
void congruent_tower_sqrt(uint32_t tower, uint32_t lanes, const uint32_t *a, uint32_t *result);
void congruent_tower_rsqrt(uint32_t tower, uint32_t lanes, const uint32_t *a, uint32_t *result);
// Tables that emitted code reads; where in them, and what `function` is, is known to the emission alone.
const void *congruent_tower_tables(uint32_t chain, uint32_t function);
// The address of one of these by name, for a JIT to define; NULL for any other name.
void *tower_runtime_address(const char *name);

#ifdef __cplusplus
}
#endif
#endif
