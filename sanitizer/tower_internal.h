// SPDX-License-Identifier: Apache-2.0
// Shared by the tower's files: arithmetic modulo a prime below 2^26, the state word, short fractions, tables, hashes.
#ifndef CONGRUENT_TOWER_INTERNAL_H
#define CONGRUENT_TOWER_INTERNAL_H

#include "sanitizer/fpsan_internal.h"
#include "sanitizer/tower.h"

static inline uint32_t tower_add_mod(uint32_t a, uint32_t b, uint32_t p) {
    return a + b >= p ? a + b - p : a + b;
}
static inline uint32_t tower_neg_mod(uint32_t a, uint32_t p) {
    return a ? p - a : 0;
}
static inline uint32_t tower_mul_mod(uint32_t a, uint32_t b, uint32_t p) {
    return (uint32_t)((uint64_t)a * b % p);
}
static inline uint32_t tower_signed_residue(int64_t n, uint32_t p) {
    uint32_t residue = (uint32_t)((n < 0 ? -(uint64_t)n : (uint64_t)n) % p);
    return n < 0 ? tower_neg_mod(residue, p) : residue;
}

// The order in which tower_goes_first looks at components.
static inline const uint8_t *tower_order(const Tower *t) {
    static const uint8_t order[] = {2, 1, 3, 0}, deep[] = {4, 3, 5, 2, 1, 0};
    return t->length > TOWER_LENGTH ? deep : order;
}
// The plain tower of a chain by Tower.index.
enum { TOWER_ALL_CHAINS = TOWER_CHAINS + TOWER_DEEP_CHAINS };
static inline const Tower *tower_of_chain(unsigned index) {
    return tower_chain(index < TOWER_CHAINS ? index : TOWER_DEEP + index - TOWER_CHAINS);
}

static inline TowerKind tower_kind(TowerPayload a) {
    return (TowerKind)(a.state >> TOWER_KIND_SHIFT & 3);
}

// The state with those bits cleared that TowerPayload wants clear.
static inline uint32_t tower_normal_state(const Tower *t, uint32_t state) {
    uint32_t missing = tower_group(t, state, TOWER_MISSING_SHIFT), lost = tower_group(t, state, TOWER_LOST_SHIFT);
    state &= ~(tower_ungrouped(t, missing, TOWER_LOST_SHIFT) | tower_ungrouped(t, missing, TOWER_WEAK_SHIFT) |
               tower_ungrouped(t, missing | lost, TOWER_SIGN_SHIFT));
    return tower_group(t, state, TOWER_SIGN_SHIFT) ? state : state & ~(uint32_t)TOWER_BASE_E;
}

// ---- tower_turn.c ---------------------------------------------------------------------------------------------------

// cos and sin of 2 pi / (p + 1): a point of the unit circle of F_p whose order is p + 1.
TowerTurn tower_find_turn(uint32_t p);
// Whether a constant is 2^j cos(2 pi k / n), j from -16 to 16, or what programs compute for cos(pi/2); gives its
// payload.
bool tower_read_cosine(const Tower *t, double magnitude, unsigned digits, double unit, TowerPayload *result);

// ---- tower_signed.c: the rules of signed towers that keep phases ----------------------------------------------------

// As the functions of tower.h without `signed_`, which call them.
TowerPayload tower_signed_add(const Tower *t, TowerPayload a, TowerPayload b);
TowerPayload tower_signed_mul(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
TowerPayload tower_signed_div(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign);
TowerPayload tower_signed_sqrt(const Tower *t, TowerPayload a);
TowerPayload tower_signed_powi(const Tower *t, TowerPayload a, int64_t exponent);

// ---- tower_fraction.c: short fractions ------------------------------------------------------------------------------

enum { TOWER_FIRST_BITS = 15, TOWER_FIRST_MAX = 181, TOWER_SECOND_CLASSES = 8 };
// The two look-ups of tower_fraction.c. Emitted code reads four bytes at a time: hence the + 4.
typedef struct TowerMultipliers {
    uint8_t first[(1 << (TOWER_FIRST_BITS - 1)) + 4];
    uint8_t second[(4 << 2 * (TOWER_SECOND_CLASSES - 1)) + 4];
    double first_worst, second_worst[TOWER_SECOND_CLASSES]; // the largest distances of multiples to integers
} TowerMultipliers;
void tower_make_multipliers(TowerMultipliers *multipliers);

// The largest denominator b, sqrt(2.5 p): then the numerators a are about as large.
static inline uint32_t tower_denominator_limit(uint32_t p) {
    uint32_t limit = 0;
    for (uint32_t bit = 1 << 16; bit; bit /= 2)
        if (2 * (uint64_t)(limit + bit) * (limit + bit) <= 5 * (uint64_t)p) limit += bit;
    return limit;
}
// Every a, s and b is below this, which is at most TOWER_FRACTION_MAX.
uint32_t tower_fraction_end(const TowerMultipliers *multipliers, uint32_t p);
enum { TOWER_FRACTION_MAX = 18000 };

// p, 1/p, 2^15/p and the limit / p as floats, for the search. They need to be right to 22 bits.
typedef struct TowerFractionScales {
    float p, inverse, first, limit;
} TowerFractionScales;
static inline TowerFractionScales tower_fraction_scales(uint32_t p) {
    float inverse = (float)(1.0 / p);
    return (TowerFractionScales){(float)p, inverse, inverse * (1 << TOWER_FIRST_BITS),
                                 (float)((double)tower_denominator_limit(p) / p)};
}
// Where TowerMultipliers.second has the multiple up to 2^k for z with the fraction f: at f + 1 in fixed point, shifted
// right by TOWER_SECOND_SHIFT less twice the biased exponent of 2^k.
enum {
    TOWER_SECOND_BITS = 16,
    TOWER_SECOND_SHIFT = TOWER_SECOND_BITS - 1 + 2 * 127,
    TOWER_SECOND_LARGEST = INT32_MAX - 127, // the largest z in fixed point; larger ones need no multiple
};

// x = a / (s b), or its negative if `negative`; x is not 0.
typedef struct TowerFraction {
    uint32_t a, s, b;
    bool negative;
} TowerFraction;
TowerFraction tower_find_fraction(const TowerMultipliers *multipliers, uint32_t p, uint32_t x);

// ---- tower_runtime.c: what emitted code looks up --------------------------------------------------------------------

// The values of functions at the numbers in short fractions: entry n is the value at n > 0. There are logarithms in
// fields 1 and above only; their sign is the highest bit, see tower_log.c. Roots are n^((p+1)/4).
typedef struct TowerNumbers {
    uint32_t inverse[TOWER_LENGTH_MAX][TOWER_FRACTION_MAX];
    uint32_t root[TOWER_LENGTH_MAX][TOWER_FRACTION_MAX], inverse_root[TOWER_LENGTH_MAX][TOWER_FRACTION_MAX];
    uint32_t log[TOWER_LENGTH_MAX - 1][TOWER_FRACTION_MAX];
} TowerNumbers;
typedef struct TowerTables {
    TowerMultipliers multipliers;
    TowerNumbers numbers[TOWER_ALL_CHAINS];
} TowerTables;

typedef enum TowerTable {
    TOWER_TABLE_INVERSES,
    TOWER_TABLE_ROOTS,
    TOWER_TABLE_LOGARITHMS,
    TOWER_TABLE_COUNT
} TowerTable;
// The tables of the process. In them are the multipliers and what `function` needs in the chain (Tower.index), made
// when first asked for; other entries may still be empty.
TowerTables *tower_tables(unsigned chain, TowerTable function);

// ---- tower_log.c ----------------------------------------------------------------------------------------------------

void tower_make_logarithms(const TowerMultipliers *multipliers, unsigned chain,
                           uint32_t log[TOWER_LENGTH_MAX - 1][TOWER_FRACTION_MAX]);

// ---- the hash of `tag` ----------------------------------------------------------------------------------------------

// The hash for component i: h is the low half of the seed; for each operand x, h = mix(mix(h ^ x) + the seed's high
// half); the result is h * p / 2^32.
static inline uint64_t tower_tag_seed(const Tower *t, const char *name, unsigned i) {
    return fpsan_fmix64(fpsan_fnv1a64(name) + t->prime[i].p * 0x9e3779b97f4a7c15);
}
// MurmurHash3's 32-bit finaliser.
enum { TOWER_MIX_1 = 0x85ebca6b, TOWER_MIX_2 = 0xc2b2ae35 };
static inline uint32_t tower_mix(uint32_t h) {
    h = (h ^ h >> 16) * (uint32_t)TOWER_MIX_1;
    h = (h ^ h >> 13) * (uint32_t)TOWER_MIX_2;
    return h ^ h >> 16;
}

// ---- angles, see tower.c --------------------------------------------------------------------------------------------

static inline uint32_t tower_angle_seed(const Tower *t, unsigned i) {
    return (uint32_t)tower_tag_seed(t, "angle", i);
}
static inline uint32_t tower_angle_hash(const Tower *t, unsigned i, uint32_t x) {
    return tower_mix(tower_angle_seed(t, i) ^ x);
}
// The point (cosine, sine) / radius of the unit circle that stands for an angle with the hash h; the numbers are below
// 2^28. h has two factors of TOWER_POINT_BITS bits and the three bits below.
typedef struct TowerPoint {
    int cosine, sine, radius;
} TowerPoint;
TowerPoint tower_point(uint32_t h);
enum {
    TOWER_POINT_BITS = 10,
    TOWER_POINT_EXCHANGED = 1 << 20,
    TOWER_POINT_LEFT = 1 << 21,
    TOWER_POINT_BELOW = 1 << 22,
};

#endif
