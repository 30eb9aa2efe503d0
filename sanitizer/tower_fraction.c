// SPDX-License-Identifier: Apache-2.0
// Short fractions: every x mod p is +-a/(s b) with s at most 181 and a and b near sqrt(p), found with two look-ups. A
// function that is multiplicative, or turns products into sums, then needs its values at small numbers only, and those
// fit in tables: inverses, roots, logarithms.
//
// First x is multiplied by an s for which a1 = s x - c p is small: s depends on the leading bits of x/p. Then, with
// z = p/a1, a multiple beta z that is nearly an integer b gives a = beta p - b a1, which is small and = -b a1. beta
// depends on the leading bits of z's fraction, the more of them the smaller z is: b = beta z may not exceed a limit.
// Which s and beta serve a whole interval is found when the tables are made, by continued fractions. All that rounding
// can do is to take the entry of a neighbour, which the intervals allow for: fractions are exact, and so is the bound.
#include "sanitizer/tower_internal.h"

#include <math.h>
#include <string.h>

// How far multiples of a number in [low, high] are from an integer, at worst.
static double distance(uint32_t multiple, double low, double high) {
    double nearest = rint(multiple * (low + high) / 2);
    return fmax(fabs(multiple * low - nearest), fabs(multiple * high - nearest));
}

// The denominator, at most `limit`, that is best for the whole interval: of a convergent of its middle or of what lies
// between two of them.
static uint8_t best_multiple(double low, double high, uint32_t limit, double *worst) {
    double rest = (low + high) / 2, best = 2;
    uint32_t before = 0, denominator = 1, found = 1;
    for (rest -= floor(rest); denominator <= limit; rest -= floor(rest)) {
        double d = distance(denominator, low, high);
        if (d < best) best = d, found = denominator;
        if (rest < 1e-6) break;
        rest = 1 / rest;
        uint32_t whole = rest < limit ? (uint32_t)rest : limit, last = denominator;
        for (uint32_t t = 1; t < whole && before + t * last <= limit; t++) {
            d = distance(before + t * last, low, high);
            if (d < best) best = d, found = before + t * last;
        }
        denominator = before + whole * last;
        before = last;
    }
    *worst = fmax(*worst, best);
    return (uint8_t)found;
}

// Entry j is for x/p at j .. j+1 units of 2^-15 from 1/2, on both sides, and what floats take for it.
static void make_first(TowerMultipliers *multipliers) {
    enum { COUNT = 1 << TOWER_FIRST_BITS };
    const double rounding = 0x1p-22;
    for (uint32_t j = 0; j < COUNT / 2; j++)
        multipliers->first[j] =
            best_multiple(0.5 + (double)j / COUNT - rounding, 0.5 + (double)(j + 1) / COUNT + rounding, TOWER_FIRST_MAX,
                          &multipliers->first_worst);
    multipliers->first[COUNT / 2] = 1; // x/p rounded to 0 or 1
}

// Entries 2 * 4^k .. 4 * 4^k are for multiples up to 2^k. z is below 18000 / 2^k then, and known to 2^-23 of it.
static void make_second(TowerMultipliers *multipliers) {
    for (unsigned k = 0; k < TOWER_SECOND_CLASSES; k++) {
        const uint32_t count = 2u << (2 * k);
        const double rounding = ldexp(18000, -(int)k - 23) + 0x1p-22;
        uint8_t *second = multipliers->second + count;
        for (uint32_t j = 0; j < count / 2; j++)
            second[j] = second[count - 1 - j] =
                best_multiple((double)j / count - rounding, (double)(j + 1) / count + rounding, 1u << k,
                              &multipliers->second_worst[k]);
    }
}

void tower_make_multipliers(TowerMultipliers *multipliers) {
    make_first(multipliers);
    make_second(multipliers);
}

// a/a1 is the distance of beta z to b. Where it is not far below 1/2 rounding may have taken the other neighbour as b.
uint32_t tower_fraction_end(const TowerMultipliers *multipliers, uint32_t p) {
    const uint32_t below = tower_denominator_limit(p);
    const double unit = (double)p / below;
    double above = 0;
    for (unsigned k = 0; k < TOWER_SECOND_CLASSES; k++) {
        double worst = multipliers->second_worst[k] + (multipliers->second_worst[k] < 0.45 ? 0 : 0.05);
        above = fmax(above, fmin(2 << k, p * multipliers->first_worst / unit) * unit * worst);
    }
    return (above > below ? (uint32_t)above : below) + 1;
}

TowerFraction tower_find_fraction(const TowerMultipliers *multipliers, uint32_t p, uint32_t x) {
    TowerFractionScales scales = tower_fraction_scales(p);
    if (x >= p) x = p - 1; // as emitted code does, to stay inside of the tables
    float real = (float)(int32_t)x;
    uint32_t s = multipliers->first[(uint32_t)fabsf(real * scales.first - (1 << (TOWER_FIRST_BITS - 1)))];
    int32_t c = (int32_t)((float)(int32_t)s * (real * scales.inverse) + 0.5f);
    int32_t a1 = (int32_t)(s * x - (uint32_t)c * p), size = a1 < 0 ? -a1 : a1;
    float z = scales.p / (float)size, fixed = z * (1 << TOWER_SECOND_BITS), most = (float)size * scales.limit;
    uint32_t exponent, at = fixed < (float)TOWER_SECOND_LARGEST ? (uint32_t)fixed : TOWER_SECOND_LARGEST;
    memcpy(&exponent, &most, sizeof exponent);
    uint32_t shift = TOWER_SECOND_SHIFT - 2 * (exponent >> 23);
    at = (at & ((1 << TOWER_SECOND_BITS) - 1)) | 1 << TOWER_SECOND_BITS;
    uint32_t beta = multipliers->second[at >> (shift < 31 ? shift : 31)];
    int32_t b = (int32_t)((float)(int32_t)beta * z + 0.5f);
    if (b < 1) b = 1;
    int32_t a = (int32_t)(beta * p - (uint32_t)b * (uint32_t)size);
    return (TowerFraction){.a = (uint32_t)(a < 0 ? -a : a), .s = s, .b = (uint32_t)b, .negative = (a ^ a1) >= 0};
}
