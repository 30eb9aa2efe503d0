// SPDX-License-Identifier: Apache-2.0
// The tower algebra in scalar C: the payloads that the numeric `shadow` carries beside the IEEE values of floats
// (docs/tower.md). Needs libc and libm only, for C and C++. test_tower_vectors.c compares every function with its
// executable specification.
//
// A payload has a component in each field F_p of a chain of primes p_{i+1} = 2 p_i + 1, and a state. Payloads are
// values; nothing here prints or fails. Chains and tables are computed once per process, when they are first needed;
// threads may call everything here at the same time.
#ifndef CONGRUENT_TOWER_H
#define CONGRUENT_TOWER_H

#include "sanitizer/fpsan.h"

#ifdef __cplusplus
extern "C" {
#endif

// A tower is a chain and a convention for roots: tower c is the plain one of chain c, tower c + TOWER_CHAINS the signed
// one (see tower_signed.c). Behind these there is the tower of degrees, which is for emitted code
// (emit_tower_degree.c), and behind that there are the deep towers: plain ones whose chains are longer, for more nested
// exps.
enum { TOWER_LENGTH = 4, TOWER_LENGTH_MAX = 6 }; // primes of a chain, and of a deep one
enum {
    TOWER_CHAINS = 3,
    TOWER_DEEP_CHAINS = 2,
    TOWER_COUNT = 2 * TOWER_CHAINS,
    TOWER_DEGREES = TOWER_COUNT,
    TOWER_DEEP,
    TOWER_ALL = TOWER_DEEP + TOWER_DEEP_CHAINS,
};

// The version of the algebra. It grows when payloads change: those of different versions say nothing of each other.
// 1: primes below 2^29.
enum { TOWER_VERSION = 2 };

// The kind of a payload, not of the IEEE value beside it: infinities come of literals, x/0 and log 0.
typedef enum TowerKind { TOWER_FINITE, TOWER_POSITIVE_INFINITY, TOWER_NEGATIVE_INFINITY, TOWER_NAN } TowerKind;

// The state word, in registers and in memory. 0 is a plain value: finite, all components are known, no marks. Groups of
// four bits have a bit for each component, component 0 the lowest. In deep towers components 4 and 5 have theirs where
// others have TOWER_PASSED or phases: tower_group and tower_ungrouped know where.
enum {
    TOWER_MISSING_SHIFT = 0, // the component is not known (the inverse of the specification's mask)
    TOWER_SIGN_SHIFT = 4,    // 2^value (e^value with BASE_E) is negative there: the sign of a logarithm's argument
    TOWER_LOST_SHIFT = 8,    // there was such a sign, but it is not known any more; only a later exp2 asks for it
    TOWER_WEAK_SHIFT = 12,   // the value itself may be wrong by such a sign
    TOWER_KIND_SHIFT = 16,   // two bits: TowerKind
    TOWER_MISSING = 0xf << TOWER_MISSING_SHIFT,
    TOWER_SIGN = 0xf << TOWER_SIGN_SHIFT,
    TOWER_LOST = 0xf << TOWER_LOST_SHIFT,
    TOWER_WEAK = 0xf << TOWER_WEAK_SHIFT,
    TOWER_KIND = 3 << TOWER_KIND_SHIFT,
    TOWER_BASE_E = 1 << 18, // the base of SIGN is e; else 2
    TOWER_NEAR = 1 << 19, // a close call took part: a floor, a comparison, ... decided by a few units in the last place
    TOWER_ROUNDED = 1 << 20, // floor, ceil or an integer made from a float took part
    TOWER_POISON = 1 << 21,  // unspecified, see tower_poison; the kind is then NaN
    // The types that the value passed through, by the bits of their significand. Not in signed and deep towers.
    TOWER_PASSED_24 = 1 << 24, // f32
    TOWER_PASSED_11 = 1 << 25, // f16, tf32
    TOWER_PASSED_8 = 1 << 26,  // bf16
    TOWER_PASSED_4 = 1 << 27,  // f8e4m3
    TOWER_PASSED_3 = 1 << 28,  // f8e5m2
    TOWER_PASSED_2 = 1 << 29,  // f4e2m1
    TOWER_PASSED = 0x3f << 24,
    // Signed towers use these bits, and those of TOWER_PASSED, for phases (see tower_signed.c).
    TOWER_HALF_SHIFT = 22,   // the number is the component times i
    TOWER_TURNED_SHIFT = 26, // its phase is 2 more
    TOWER_HALF = 0xf << TOWER_HALF_SHIFT,
    TOWER_TURNED = 0xf << TOWER_TURNED_SHIFT,
    TOWER_PHASE = TOWER_HALF | TOWER_TURNED,
    // In deep towers: bits of components 4 and 5, two for each group of four bits, in their order.
    TOWER_DEEP_SHIFT = 22,
    TOWER_DEEP_GROUPS = 0xff << TOWER_DEEP_SHIFT,
    // In the tower of degrees: the value has a denominator.
    TOWER_QUOTIENT = 1 << TOWER_DEEP_SHIFT,
    // An exp took part whose number is 0 though its operand is not -inf: most often a mask.
    TOWER_VANISHED = 1 << 30,
    // Marks: the result of every operation has the union of its operands' marks, and no rule reads them but POISON.
    TOWER_CARRIED = TOWER_NEAR | TOWER_ROUNDED | TOWER_PASSED | TOWER_POISON | TOWER_VANISHED,
    // What the rules read and decide.
    TOWER_RULED = TOWER_MISSING | TOWER_SIGN | TOWER_LOST | TOWER_WEAK | TOWER_KIND | TOWER_BASE_E,
};

// Which exps of finite payloads are an exact 0, as a mask means them: BELOW, the rule: if the operand is at or below
// TOWER_MASKED. NONE: none. VANISHED: if the number is 0. Second runs with NONE and VANISHED show what the rule
// decided.
typedef enum TowerMasks { TOWER_MASKS_BELOW, TOWER_MASKS_NONE, TOWER_MASKS_VANISHED } TowerMasks;

// In the states of operands of signed towers, never of results: the IEEE value is negative.
#define TOWER_NEGATIVE (UINT32_C(1) << 31)

// The types of TOWER_PASSED, from wide to narrow: the bit, and how many significant bits a type has.
typedef struct TowerPassed {
    uint32_t bit;
    unsigned significant;
} TowerPassed;
enum { TOWER_PASSED_TYPES = 6 };
extern const TowerPassed tower_passed_types[TOWER_PASSED_TYPES];

// Two numbers are a close call if their distance is at most this share of the smaller one. `significant`: the
// significant bits of the narrowest type that either passed through. The share is 8 units in the last place, but at
// most 2^-4, unless one unit is more.
double tower_near_share(unsigned significant);

// Each component is below its prime; those that the tower has not are 0. For a component: where MISSING is set, LOST,
// WEAK and SIGN are clear; where LOST is set, SIGN is clear. If SIGN is clear for all, BASE_E is clear. Infinities and
// NaN have components 0 (but see tower_poison) and none of MISSING, LOST, WEAK, SIGN and BASE_E.
typedef struct TowerPayload {
    uint32_t component[TOWER_LENGTH_MAX];
    uint32_t state;
} TowerPayload;

// ---- tower_chain.c: the chains and their constants ------------------------------------------------------------------

// A prime p in [2^(bits-1), 2^bits). For T < 2^(bits+29), T - (((T >> (bits-1)) * barrett) >> 32) * p is T mod p, or p
// more; in deep chains, whose primes may be close to 2^(bits-1), for T < 2^(bits+26).
typedef struct TowerPrime {
    uint32_t p, bits, barrett;
} TowerPrime;

// A point of the unit circle.
typedef struct TowerTurn {
    uint32_t cosine, sine;
} TowerTurn;

typedef struct Tower {
    unsigned number;           // of the tower
    unsigned index;            // of the chain; deep ones come behind the others
    unsigned length;           // how many primes it has: TOWER_LENGTH, of deep towers TOWER_LENGTH_MAX
    int integer_max;           // see tower_known_integer
    const struct Tower *plain; // of a signed tower: the plain tower of its chain; NULL: this tower is plain
    bool degrees;              // payloads are bounds of degrees: components are those of TowerDegree, and one more
    TowerPrime prime[TOWER_LENGTH_MAX];
    TowerPayload zero, one, minus_one;
    TowerPayload log2e, ln2, sqrt_2_pi; // hashes that stand for these irrational numbers; log2e * ln2 = 1
    TowerTurn turn[TOWER_LENGTH_MAX];   // cos and sin of 2 pi / (p + 1), see tower_turn.c
} Tower;

// A value is a quotient of polynomials in values from outside and in results of functions: the numerator's degree is
// `over` at most, the denominator is a product of two parts. A degree of 0 in a part: it is 1. TOWER_DEGREE_MAX: any
// degree. Two parts with the same degree and identity are the same.
typedef struct TowerDegree {
    uint32_t over, part[2], identity[2];
} TowerDegree;
#define TOWER_DEGREE_MAX INT32_MAX
// Behind them is the value's own value: where data and functions are numbers drawn from the field of this prime. Parts
// of different functions have the same identity as seldom as these have the same value.
#define TOWER_VALUE_PRIME ((UINT32_C(1) << 31) - 1)

// The tower with that number. Runs use 0; 1 to TOWER_CHAINS - 1 are spare: a divergence that another chain repeats is
// real. From TOWER_CHAINS on they are the same with signed roots. Chains are searched, not written down: of those with
// primes below 2^26 the largest with p_0 = -1 mod 32*3*5*7*11, and the largest others with p_0 = -1 mod 8*3*5*7*11
// (tower_chain.c). Of deep towers the first has the only chain with p_0 = -1 mod 8*3*5*7*11 below 2^27, the spare one
// the largest other chain with p_0 = -1 mod 8*3*5*7. The tower lives as long as the process.
const Tower *tower_chain(unsigned index);
// Whether n is prime (Miller-Rabin with bases that decide it below 2^64).
bool tower_is_prime(uint64_t n);
// base^exponent mod p.
uint32_t tower_power(uint64_t base, uint64_t exponent, uint32_t p);

// ---- tower_turn.c: parts of a turn ----------------------------------------------------------------------------------

// cos and sin of 2 pi numerator / denominator. A component is missing if the denominator of the reduced fraction does
// not divide p + 1. If the denominator divides TOWER_TURNS, at least the component in the largest field is known.
enum { TOWER_TURNS = 64 * 3 * 5 * 7 * 11 };
TowerPayload tower_turn_cosine(const Tower *t, int64_t numerator, uint32_t denominator);
TowerPayload tower_turn_sine(const Tower *t, int64_t numerator, uint32_t denominator);

// ---- tower_value.c: values from outside -----------------------------------------------------------------------------

TowerPayload tower_special(TowerKind kind);
// The payload of what nobody specified, such as memory that nobody wrote. A rule with poison among its operands gives
// the first operand that is poison, whatever the others are (zero, infinities, NaN). `origin`, 0 .. TOWER_ORIGIN_MAX,
// says who made it. It is the component in the largest field, which rules that negate make negative; tower_origin takes
// that into account.
enum { TOWER_ORIGIN_MAX = 1 << 24, TOWER_ORIGIN_COMPONENT = TOWER_LENGTH - 1 };
TowerPayload tower_poison(uint32_t origin);
bool tower_is_poison(TowerPayload a);
uint32_t tower_origin(const Tower *t, TowerPayload poison);
// The bits that are marks in the states of this tower: TOWER_CARRIED, in signed and deep towers without TOWER_PASSED.
uint32_t tower_carried(const Tower *t);
// numerator / denominator. The denominator is no multiple of a prime of the chain.
TowerPayload tower_rational(const Tower *t, int64_t numerator, int64_t denominator);
// 2^exponent.
TowerPayload tower_power_of_two(const Tower *t, int exponent);
// The exact value of a float's bits, of a double, and of an integer of `width` bits (1..64).
TowerPayload tower_embed(const Tower *t, FpsanFormat format, uint64_t bits);
TowerPayload tower_embed_double(const Tower *t, double value);
TowerPayload tower_embed_integer(const Tower *t, uint64_t integer, unsigned width, bool is_signed);
// A constant of the program or a scalar argument in f32 (digits 24) or f64 (digits 53). It stands for the number that
// people mean when they write its rounded value, see tower_value.c.
TowerPayload tower_constant(const Tower *t, double value, unsigned digits);
// The same for the bits of any format. Narrower formats are embedded.
TowerPayload tower_constant_bits(const Tower *t, FpsanFormat format, uint64_t bits);
// Whether a constant in f32 or f64 has no known meaning, though it looks rounded: it stands for its exact value, and
// somebody may have meant another number. False for whole numbers and for the largest number of a type.
bool tower_constant_is_opaque(const Tower *t, FpsanFormat format, uint64_t bits);
// What a number stands for according to the user. `value` is finite and not 0. -value stands for the negative.
typedef struct TowerMeaning {
    double value;
    TowerPayload payload;
} TowerMeaning;
// As tower_constant_bits; but if a meaning's value, rounded to the format (f32 or f64), has these bits, the constant
// stands for that meaning's payload.
TowerPayload tower_constant_meant(const Tower *t, FpsanFormat format, uint64_t bits, const TowerMeaning *meanings,
                                  unsigned count);

// ---- states ---------------------------------------------------------------------------------------------------------

// A group of a state (TOWER_MISSING_SHIFT, ...): a bit for each component of the tower.
static inline uint32_t tower_group(const Tower *t, uint32_t state, unsigned shift) {
    uint32_t low = state >> shift & 0xf;
    return t->length > TOWER_LENGTH ? low | (state >> (TOWER_DEEP_SHIFT + shift / 2) & 3) << TOWER_LENGTH : low;
}
// The bits of a group where they are in a state; other bits of `group` are dropped.
static inline uint32_t tower_ungrouped(const Tower *t, uint32_t group, unsigned shift) {
    uint32_t low = (group & 0xf) << shift;
    return t->length > TOWER_LENGTH ? low | (group >> TOWER_LENGTH & 3) << (TOWER_DEEP_SHIFT + shift / 2) : low;
}
// The bits of components that the tower has; those of a group in a state: TOWER_MISSING of MISSING_SHIFT, and so on.
static inline uint32_t tower_components(const Tower *t) {
    return (1u << t->length) - 1;
}
static inline uint32_t tower_group_bits(const Tower *t, unsigned shift) {
    return tower_ungrouped(t, tower_components(t), shift);
}
// TOWER_RULED of this tower.
static inline uint32_t tower_ruled(const Tower *t) {
    return t->length > TOWER_LENGTH ? TOWER_RULED | TOWER_DEEP_GROUPS : TOWER_RULED;
}

// ---- tower_signed.c: roots that know their signs --------------------------------------------------------------------
//
// The rules below take either kind of tower. In signed towers add, sub, fma, neg, mul, div, sqrt, rsqrt, pow and powi
// keep phases, and mul, div, pow and powi read TOWER_NEGATIVE of their operands. All others ignore phases and give
// results without.

// The payload without its phases and TOWER_NEGATIVE.
TowerPayload tower_unsigned(TowerPayload a);

// ---- tower.c: the rules ---------------------------------------------------------------------------------------------

// The sign of an IEEE value. mul and div take the sign of the product or quotient of the IEEE operands; it counts where
// the resulting payload is infinite.
enum { TOWER_IEEE_ZERO = 0, TOWER_IEEE_POSITIVE = 1, TOWER_IEEE_NEGATIVE = -1, TOWER_IEEE_NAN = 2 };

// Finite and 0 in every component.
bool tower_is_zero(const Tower *t, TowerPayload a);
// Whether all components are the same integer, of at most Tower.integer_max in magnitude (TOWER_INTEGER_MAX, in deep
// towers TOWER_DEEP_INTEGER_MAX: below half of the least prime). SIGN, LOST and WEAK do not count.
enum { TOWER_INTEGER_MAX = 1 << 21, TOWER_DEEP_INTEGER_MAX = 1 << 20 };
bool tower_known_integer(const Tower *t, TowerPayload a, int *integer);

TowerPayload tower_neg(const Tower *t, TowerPayload a);
TowerPayload tower_add(const Tower *t, TowerPayload a, TowerPayload b);
TowerPayload tower_sub(const Tower *t, TowerPayload a, TowerPayload b);
TowerPayload tower_mul(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
// a * b + c; ieee_sign is the product's.
TowerPayload tower_fma(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload c, int ieee_sign);
TowerPayload tower_div(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
// a - quotient * b. `quotient`: the payload of the integer quotient of the IEEE operands.
TowerPayload tower_remainder(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload quotient);
// `ieee`: the IEEE value of the operand. At or below TOWER_MASKED the operand is a mask, and the result an exact 0.
#define TOWER_MASKED (-8192.0)
TowerPayload tower_exp2(const Tower *t, TowerPayload a, double ieee);
TowerPayload tower_exp(const Tower *t, TowerPayload a, double ieee);
TowerPayload tower_log2(const Tower *t, TowerPayload a); // log2 0 = -inf
TowerPayload tower_log(const Tower *t, TowerPayload a);  // log 0 = -inf
TowerPayload tower_sqrt(const Tower *t, TowerPayload a);
TowerPayload tower_rsqrt(const Tower *t, TowerPayload a);
TowerPayload tower_tanh(const Tower *t, TowerPayload a);
TowerPayload tower_sinh(const Tower *t, TowerPayload a);
TowerPayload tower_cosh(const Tower *t, TowerPayload a);
// By multiplication.
TowerPayload tower_powi(const Tower *t, TowerPayload a, int64_t exponent);
// If the exponent is a known integer or half of one, by multiplication of a or its root; else exp2(b * log2 a).
// `ieee_sign`: the sign of b * log2 |a|: whether the IEEE power is above or below 1 in magnitude.
TowerPayload tower_pow(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
TowerPayload tower_sin(const Tower *t, TowerPayload a);
TowerPayload tower_cos(const Tower *t, TowerPayload a);
TowerPayload tower_tan(const Tower *t, TowerPayload a);
// Whether max and min take the payload of a, not of b, where the two floats are the same number. It is decided by the
// first of the components 2, 1, 3, 0 (in deep towers 4, 3, 5, 2, 1, 0) that both know and in which they differ by more
// than the sign; if there is none by signs, then by states. So the order of the operands does not matter. Nor does the
// order of a row of choices, as long as one component is known in all operands; 2 comes first because exp and log lose
// it last, in three nested exps. The choice between -a and -b is that between a and b, so that max(x) and -min(-x)
// agree.
bool tower_goes_first(const Tower *t, TowerPayload a, TowerPayload b);
// A function without a law: in every field a hash of the name and of the operands' components. It is not the
// specification's hash (BLAKE2b of a text), but one of a few multiplications, for vectors.
TowerPayload tower_tag(const Tower *t, const char *name, const TowerPayload *operands, unsigned count);

// ROOTS: they differ in a field and agree in another, as sqrt(x)^2 and x may. UNKNOWN: there is no field that both
// know.
typedef enum TowerVerdict { TOWER_EQUAL, TOWER_DIFFER, TOWER_ROOTS, TOWER_UNKNOWN } TowerVerdict;
// `decided` (may be NULL): how many components decided; 0 for infinities and NaN.
TowerVerdict tower_compare(const Tower *t, TowerPayload a, TowerPayload b, unsigned *decided);
// Whether two finite payloads are equal or each other's negative in every field that both know, of which there must be
// one. It holds for sqrt(x)^2 and x, in fields where x is no square, and also for a and -a.
bool tower_equal_up_to_signs(const Tower *t, TowerPayload a, TowerPayload b);

// ---- tower_log.c: discrete logarithms -------------------------------------------------------------------------------

// The x < p_i and the sign s for which y = (-1)^s 2^x mod p_{i+1}, for 0 < y < p_{i+1} and i < t->length - 1. The
// first call for a chain makes its tables (200 KB).
uint32_t tower_discrete_log2(const Tower *t, unsigned i, uint32_t y, bool *is_negative);

// Makes every table of a chain now (under 50 ms) and not when it is first needed.
void tower_make_tables(unsigned chain);
// The same for what all chains share, which takes 5 ms.
void tower_prepare(void);

// ---- tower_runtime.c: what emitted code calls -----------------------------------------------------------------------

// The rules of these names on `lanes` floats at once, in the tower with that number. An array of payloads holds
// component 0 of all lanes, then component 1, ..., then the states.
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
// The TowerTables that emitted code reads, with those of `function`, a TowerTable (tower_internal.h).
const void *congruent_tower_tables(uint32_t chain, uint32_t function);
// The address of the congruent_tower_* function with that name, for a JIT to define; NULL for any other name.
void *tower_runtime_address(const char *name);

#ifdef __cplusplus
}
#endif
#endif
