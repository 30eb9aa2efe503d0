// SPDX-License-Identifier: Apache-2.0
// See samples.h.
#include "tests/accuracy/samples.h"

#include <math.h>

uint64_t samples_random(uint64_t *state) { // splitmix64
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static uint64_t fraction_mask(const ReferenceFormat *format) {
    return (UINT64_C(1) << (format->precision - 1)) - 1;
}

static uint64_t sign_of(const ReferenceFormat *format) {
    if (format->specials == REFERENCE_SCALE) return 0;
    return UINT64_C(1) << (reference_bits(format->kind) - 1);
}

static uint64_t random_sign(const ReferenceFormat *format, uint64_t *state) {
    return samples_random(state) & 1 ? sign_of(format) : 0;
}

// A number of that exponent and fraction, without its sign; outside the range of normal numbers the nearest there is.
static uint64_t compose(const ReferenceFormat *format, long exponent, uint64_t fraction) {
    unsigned fraction_bits = format->precision - 1;
    fraction &= fraction_mask(format);
    if (exponent > format->most) exponent = format->most;
    if (exponent >= format->least)
        return ((uint64_t)(exponent - format->least + 1) << fraction_bits | fraction) << format->low_zeros;
    long shift = format->least - exponent;
    uint64_t significand = fraction | UINT64_C(1) << fraction_bits;
    return (shift > fraction_bits ? 1 : significand >> shift) << format->low_zeros;
}

// Fractions with a tie, or a near tie, at some place.
static uint64_t hard_fraction(const ReferenceFormat *format, uint64_t *state) {
    uint64_t random = samples_random(state), mask = fraction_mask(format),
             bit = UINT64_C(1) << random % format->precision;
    switch (random >> 8 & 7) {
    case 0: return 0;
    case 1: return mask;
    case 2: return bit & mask;
    case 3: return (bit - 1) & mask;
    case 4: return (random >> 11 & ~(bit - 1)) & mask;
    case 5: return ((random >> 11 & ~(bit - 1)) | bit >> 1) & mask;
    case 6: return ((random >> 11 & ~(bit - 1)) + (bit >> 1) - 1 + (random >> 60 & 2)) & mask;
    default: return random >> 11 & mask;
    }
}

enum { EDGES = 40 };

static uint64_t edge(const ReferenceFormat *format, size_t index) {
    uint64_t mask = fraction_mask(format), top = compose(format, format->most, mask),
             ulp = UINT64_C(1) << format->low_zeros;
    const uint64_t edges[EDGES / 2] = {0,
                                       ulp,
                                       2 * ulp,
                                       3 * ulp,
                                       compose(format, format->least, 0) - ulp,
                                       compose(format, format->least, 0),
                                       compose(format, format->least, 1),
                                       compose(format, 0, 0) - ulp,
                                       compose(format, 0, 0),
                                       compose(format, 0, 1),
                                       compose(format, 0, mask / 2 + 1),
                                       compose(format, 1, 0),
                                       compose(format, -1, 0),
                                       compose(format, format->most, 0),
                                       compose(format, format->precision - 1, 1),
                                       top - ulp,
                                       top,
                                       top + ulp, // infinity or NaN where there is one
                                       top + 2 * ulp,
                                       top + ((ulp << (format->precision - 1)) >> 1)};
    uint64_t all = (sign_of(format) ? 2 * sign_of(format) : 256) - ulp; // of 64 bits: wraps as it should
    return (edges[index / 2 % (EDGES / 2)] | (index & 1 ? sign_of(format) : 0)) & all;
}

static uint64_t random_number(const ReferenceFormat *format, uint64_t *state) {
    uint64_t all = (sign_of(format) ? 2 * sign_of(format) : 256) - (UINT64_C(1) << format->low_zeros);
    return samples_random(state) & all;
}

static long exponent_of(double x) {
    return isfinite(x) && x != 0 ? ilogb(x) : 0;
}

// The second operand, from the first: such that sum, product or quotient is hard.
static uint64_t partner(const ReferenceFormat *format, uint64_t first, uint64_t *state) {
    uint64_t random = samples_random(state), fraction = hard_fraction(format, state), sign = random_sign(format, state);
    long exponent = exponent_of(reference_decode(format, first)), p = format->precision,
         near = (long)(random >> 8 & 31);
    switch (random % 8) {
    case 0: return sign | compose(format, exponent - p - 1 + near % 4, random & 32 ? 0 : fraction); // a tie of the sum
    case 1: return (first ^ (random & 32 ? sign_of(format) : 0)) + ((random >> 16) % 5 - 2);        // cancellation
    case 2: return sign | compose(format, format->least - exponent - near % (p + 4) + 2, fraction); // product subnormal
    case 3:
        return sign | compose(format, exponent - format->least + near % (p + 4) - 2, fraction); // quotient subnormal
    case 4: return sign | compose(format, format->most - exponent + near % 3 - 1, fraction);    // product overflows
    case 5: return sign | compose(format, exponent - format->most + near % 3 - 1, fraction);    // quotient overflows
    default: return sign | compose(format, exponent + near - 16, fraction);
    }
}

// The addend of a product: its negative or nearly, half an ulp of it, or next to nothing.
static uint64_t addend(const ReferenceFormat *format, uint64_t a, uint64_t b, uint64_t *state) {
    uint64_t random = samples_random(state), fraction = hard_fraction(format, state), sign = random_sign(format, state);
    double product = reference_decode(format, a) * reference_decode(format, b);
    long exponent = exponent_of(product), p = format->precision;
    if (random % 4 == 0) return sign | compose(format, format->least - (long)(random >> 8) % p, fraction);
    if (random % 4 == 1)
        return sign | compose(format, exponent - p + (long)(random >> 8) % 3 - 1, fraction & (random >> 32));
    if (random % 4 == 2 && product != 0 && isfinite(product)) { // the product cut to the format, and its neighbours
        double scaled = ldexp(fabs(product), (int)(p - 1 - exponent));
        uint64_t bits = compose(format, exponent, (uint64_t)scaled) + (random >> 8) % 3 - 1;
        return (bits & (sign_of(format) - 1)) | (product < 0 ? 0 : sign_of(format));
    }
    return sign | compose(format, exponent + (long)(random >> 8) % (2 * p) - p, fraction);
}

void samples_operands(const ReferenceFormat *format, unsigned count, size_t index, uint64_t *state, uint64_t *x) {
    uint64_t all = 2 * sign_of(format) - 1;
    size_t edges = count == 1 ? EDGES : EDGES * EDGES;
    if (index < edges) {
        x[0] = edge(format, index % EDGES);
        x[1] = edge(format, index / EDGES);
    } else if (index % 4 == 0) {
        x[0] = random_number(format, state);
        x[1] = random_number(format, state);
    } else {
        long exponent = index % 4 == 1 ? (long)(samples_random(state) % 16) - 8
                                       : format->least + (long)(samples_random(state) % (uint64_t)(2 * format->most));
        x[0] = random_sign(format, state) | compose(format, exponent, hard_fraction(format, state));
        x[1] = partner(format, x[0], state) & all;
    }
    if (count == 3)
        x[2] = index < edges ? edge(format, samples_random(state) % EDGES) : addend(format, x[0], x[1], state) & all;
}

uint64_t samples_number(const ReferenceFormat *format, size_t index, uint64_t *state) {
    if (index < EDGES) return edge(format, index);
    uint64_t random = samples_random(state), sign = random_sign(format, state), fraction = hard_fraction(format, state);
    long exponent;
    switch (index % 5) {
    case 0: return random_number(format, state);
    case 1: exponent = (long)(random % 48) - 32; break;   // what the small formats have, and their subnormals
    case 2: exponent = (long)(random % 72) - 4; break;    // integers
    case 3: exponent = -120 - (long)(random % 40); break; // subnormals of f32
    default: exponent = 120 + (long)(random % 16) - (random & 32 ? 112 : 0); break;
    }
    return sign | compose(format, exponent, fraction);
}

uint64_t samples_integer(unsigned width, size_t index, uint64_t *state) {
    uint64_t random = samples_random(state), power = UINT64_C(1) << index % width, bits;
    switch (index / width % 6) {
    case 0: bits = power; break;
    case 1: bits = power - 1; break;
    case 2: bits = -power; break;
    case 3: bits = ~power; break;
    case 4: bits = random >> index % 64; break;
    default: bits = (random & ~UINT64_C(0) << index % 64) + samples_random(state) % 3 - 1; break; // ties
    }
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}
