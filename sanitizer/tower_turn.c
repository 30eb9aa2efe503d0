// SPDX-License-Identifier: Apache-2.0
// Angles that are parts of a turn. Their cosines and sines are algebraic numbers: in F_p[i] the numbers of norm 1 are a
// cyclic group of order p + 1, and exp(2 pi i / n) is one of its elements of order n where n divides p + 1. Elsewhere
// the cosine is no element of F_p, and missing.
//
// Which element: all are powers of one generator g, exp(2 pi i / n) = g^((p+1)/n), so that any two angles add up. g is
// chosen by prime powers: exp(2 pi i / 4) = i, cosines of pi/4, pi/8, pi/16, .. are squares (as roots in the fields
// are: cos(pi/4) = sqrt(2)/2, cos(pi/8) = sqrt(2 + sqrt(2))/2), so are the sines of pi/3 and of 2 pi/5, and
// cos(2 pi/5) = (sqrt(5) - 1)/4.
#include "sanitizer/tower_internal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

// ---- numbers of norm 1 ----------------------------------------------------------------------------------------------

static TowerTurn turn_multiply(TowerTurn a, TowerTurn b, uint32_t p) {
    uint32_t minus = tower_neg_mod(tower_mul_mod(a.sine, b.sine, p), p);
    return (TowerTurn){tower_add_mod(tower_mul_mod(a.cosine, b.cosine, p), minus, p),
                       tower_add_mod(tower_mul_mod(a.cosine, b.sine, p), tower_mul_mod(a.sine, b.cosine, p), p)};
}

static TowerTurn turn_power(TowerTurn a, uint64_t exponent, uint32_t p) {
    TowerTurn r = {1, 0};
    for (; exponent; exponent >>= 1, a = turn_multiply(a, a, p))
        if (exponent & 1) r = turn_multiply(r, a, p);
    return r;
}

static bool is_square(uint32_t x, uint32_t p) {
    return tower_power(x, (p - 1) / 2, p) == 1;
}

// Of order q^e = part: the first (1 + k i) / (1 - k i) that has one.
static TowerTurn turn_of_order(uint32_t part, uint32_t q, uint32_t p) {
    for (uint32_t k = 2;; k++) {
        uint32_t inverse = tower_power(1 + k * k, p - 2, p);
        TowerTurn z = {tower_mul_mod(p + 1 - k * k, inverse, p), tower_mul_mod(2 * k, inverse, p)};
        z = turn_power(z, (p + 1) / part, p);
        TowerTurn last = turn_power(z, part / q, p);
        if (last.cosine != 1 || last.sine) return z;
    }
}

static TowerTurn mirrored(TowerTurn a, uint32_t p) {
    return (TowerTurn){a.cosine, tower_neg_mod(a.sine, p)};
}

// The generator of the part's group that the head of this file describes.
static TowerTurn choose_turn(uint32_t part, uint32_t q, uint32_t p) {
    TowerTurn z = turn_of_order(part, q, p);
    if (q == 2 && turn_power(z, part / 4, p).sine != 1) z = mirrored(z, p);
    for (uint32_t n = 8; q == 2 && n <= part; n *= 2)
        if (!is_square(turn_power(z, part / n, p).cosine, p)) z = turn_power(z, 1 + n / 2, p);
    if (q == 5) {
        uint32_t cosine = turn_power(z, part / 5, p).cosine, root = tower_power(5, (p + 1) / 4, p);
        if (tower_mul_mod(4, cosine, p) != tower_add_mod(root, p - 1, p)) z = turn_power(z, 2, p);
    }
    if ((q == 3 || q == 5) && !is_square(turn_power(z, part / q, p).sine, p)) z = mirrored(z, p);
    return z;
}

TowerTurn tower_find_turn(uint32_t p) {
    TowerTurn g = {1, 0};
    for (uint32_t q = 2, rest = p + 1; rest > 1; q++) {
        uint32_t part = 1;
        for (; rest % q == 0; rest /= q) part *= q;
        if (part == 1) continue;
        // To the power of 1 / ((p+1) / part) mod part.
        uint32_t others = (p + 1) / part % part, inverse = 1;
        while ((uint64_t)inverse * others % part != 1) inverse++;
        g = turn_multiply(g, turn_power(choose_turn(part, q, p), inverse, p), p);
    }
    return g;
}

// ---- payloads -------------------------------------------------------------------------------------------------------

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    return b ? common_divisor(b, a % b) : a;
}

static TowerPayload coordinate(const Tower *t, int64_t numerator, uint32_t denominator, bool is_sine) {
    TowerPayload a = {0};
    int64_t whole = numerator % denominator;
    uint32_t k = (uint32_t)(whole < 0 ? whole + denominator : whole), common = common_divisor(k, denominator);
    uint32_t n = denominator / common;
    k /= common;
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p;
        TowerTurn point = turn_power(t->turn[i], (uint64_t)((p + 1) / n) * k, p);
        if ((p + 1) % n)
            a.state |= tower_ungrouped(t, 1u << i, TOWER_MISSING_SHIFT);
        else
            a.component[i] = is_sine ? point.sine : point.cosine;
    }
    return a;
}

TowerPayload tower_turn_cosine(const Tower *t, int64_t numerator, uint32_t denominator) {
    return coordinate(t, numerator, denominator, false);
}

TowerPayload tower_turn_sine(const Tower *t, int64_t numerator, uint32_t denominator) {
    return coordinate(t, numerator, denominator, true);
}

// ---- constants ------------------------------------------------------------------------------------------------------

// cos(2 pi k / n) between 0 and 1 for the n up to TURNS_MAX that divide p + 1 in the largest field of every chain.
enum { TURNS_MAX = 128, COSINES_MAX = 1024 };
static struct {
    pthread_once_t once;
    unsigned count;
    struct {
        double value;
        uint32_t k, n;
    } entries[COSINES_MAX];
} cosines = {.once = PTHREAD_ONCE_INIT}; // written once

static void make_cosines(void) {
    for (uint32_t n = 1; n <= TURNS_MAX; n++)
        for (uint32_t k = 1; TOWER_TURNS % n == 0 && 4 * k < n; k++) {
            if (common_divisor(k, n) > 1) continue;
            double value = 8 * k < n ? cos(2 * M_PI * k / n) : sin(2 * M_PI * (n - 4 * k) / (4 * n));
            cosines.entries[cosines.count].value = value;
            cosines.entries[cosines.count].k = k;
            cosines.entries[cosines.count++].n = n;
        }
}

// How far a double is from q pi/2, the `neighbour`-th one from what a program computes for it.
static double distance_to_quarter(int q, int neighbour) {
    const double half_pi = M_PI_2, rest = 6.123233995736766e-17, rest_of_rest = -1.4973849048591833e-33;
    const double near = q * half_pi, below = fma(q, half_pi, -near); // near + below + tail is q pi/2
    const double tail = q * rest, below_tail = fma(q, rest, -tail) + q * rest_of_rest;
    int exponent;
    frexp(near, &exponent);
    const double a = ldexp(neighbour, exponent - 53) - below, sum = a - tail;
    const double back = sum - a, error = (a - (sum - back)) - (tail + back);
    return fabs(sum + (error - below_tail));
}

// What programs compute for the cosine or sine of a multiple of pi/2 that is 0: of the doubles around the first ones,
// which are not reduced to a turn in tables of products j k, times small integers; and of floats.
static bool is_cosine_zero(double magnitude, unsigned digits, double unit) {
    static const double singles[] = {0x1.777a5cp-25, 0x1.777a5cp-24, 0x1.777a5cp-23, 0x1.99bc5cp-27};
    enum { QUARTERS = 4 * TURNS_MAX, NEIGHBOURS = 3 };
    for (int m = 1; m <= 16; m++)
        if (fabs(m * 6.123233995736766e-17 - magnitude) <= unit) return true;
    for (int q = 1; q <= QUARTERS && magnitude < 0x1p-40; q++)
        for (int neighbour = -NEIGHBOURS; neighbour <= NEIGHBOURS; neighbour++)
            if (fabs(distance_to_quarter(q, neighbour) - magnitude) <= unit) return true;
    for (unsigned i = 0; i < sizeof singles / sizeof *singles; i++)
        if (digits == 24 && magnitude == singles[i]) return true;
    return false;
}

bool tower_read_cosine(const Tower *t, double magnitude, unsigned digits, double unit, TowerPayload *result) {
    enum { SCALES = 16 };
    pthread_once(&cosines.once, make_cosines);
    const bool in_reach = magnitude > 0x1p-30 && magnitude < 0x1p20; // of the scales
    for (unsigned i = 0; in_reach && i < cosines.count; i++) {
        int scale;
        frexp(0.75 * magnitude / cosines.entries[i].value, &scale); // of a quotient near a power of 2, that one
        // Of angles that were not reduced to a turn the error is that of the angle.
        double forgiven = digits == 24 ? unit : ldexp(0x1p-41, scale);
        if (abs(scale) > SCALES || !(fabs(ldexp(cosines.entries[i].value, scale) - magnitude) <= forgiven)) continue;
        *result = tower_turn_cosine(t, cosines.entries[i].k, cosines.entries[i].n);
        *result = tower_mul(t, *result, tower_power_of_two(t, scale), TOWER_IEEE_POSITIVE);
        return true;
    }
    *result = t->zero;
    return is_cosine_zero(magnitude, digits, unit);
}
