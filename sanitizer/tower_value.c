// SPDX-License-Identifier: Apache-2.0
// Values from outside as payloads: floats and integers exactly, constants of a program as the numbers that people mean.
#include "sanitizer/tower_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TowerPayload tower_special(TowerKind kind) {
    return (TowerPayload){.state = (uint32_t)kind << TOWER_KIND_SHIFT};
}

TowerPayload tower_poison(uint32_t origin) {
    TowerPayload poison = tower_special(TOWER_NAN);
    poison.state |= TOWER_POISON;
    poison.component[TOWER_ORIGIN_COMPONENT] = origin;
    return poison;
}

bool tower_is_poison(TowerPayload a) {
    return a.state & TOWER_POISON;
}

uint32_t tower_origin(const Tower *t, TowerPayload poison) {
    uint32_t p = t->prime[TOWER_ORIGIN_COMPONENT].p, origin = poison.component[TOWER_ORIGIN_COMPONENT];
    return origin > p / 2 ? p - origin : origin;
}

uint32_t tower_carried(const Tower *t) {
    return t->plain || t->length > TOWER_LENGTH ? TOWER_CARRIED & ~(uint32_t)TOWER_PASSED : TOWER_CARRIED;
}

TowerPayload tower_rational(const Tower *t, int64_t numerator, int64_t denominator) {
    TowerPayload a = {0};
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p;
        uint32_t inverse = tower_power(tower_signed_residue(denominator, p), p - 2, p);
        a.component[i] = tower_mul_mod(tower_signed_residue(numerator, p), inverse, p);
    }
    return a;
}

// base^exponent for a base that no prime of the chain divides.
static TowerPayload power_of(const Tower *t, unsigned base, int exponent) {
    TowerPayload a = {0};
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p, power = tower_power(base, (uint64_t)abs(exponent), p);
        a.component[i] = exponent < 0 ? tower_power(power, p - 2, p) : power;
    }
    return a;
}

TowerPayload tower_power_of_two(const Tower *t, int exponent) {
    return power_of(t, 2, exponent);
}

// The product of plain values.
static TowerPayload product(const Tower *t, TowerPayload a, TowerPayload b) {
    for (unsigned i = 0; i < t->length; i++)
        a.component[i] = tower_mul_mod(a.component[i], b.component[i], t->prime[i].p);
    return a;
}

TowerPayload tower_embed_double(const Tower *t, double value) {
    if (isnan(value)) return tower_special(TOWER_NAN);
    if (isinf(value)) return tower_special(value > 0 ? TOWER_POSITIVE_INFINITY : TOWER_NEGATIVE_INFINITY);
    int exponent;
    double mantissa = frexp(value, &exponent);
    return product(t, tower_rational(t, (int64_t)ldexp(mantissa, 53), 1), tower_power_of_two(t, exponent - 53));
}

TowerPayload tower_embed(const Tower *t, FpsanFormat format, uint64_t bits) {
    return tower_embed_double(t, fpsan_decode(format, bits));
}

TowerPayload tower_embed_integer(const Tower *t, uint64_t integer, unsigned width, bool is_signed) {
    TowerPayload a = {0};
    uint64_t low = integer & fpsan_mask(width), extended = fpsan_sign_extend(integer, width);
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p;
        a.component[i] = is_signed ? tower_signed_residue((int64_t)extended, p) : (uint32_t)(low % p);
    }
    return a;
}

// ---- constants of a program -----------------------------------------------------------------------------------------
//
// What people write rounded means the number itself. The first that matches counts:
// - a dyadic number below 2^20 with a denominator of at most 1024;
// - a decimal of at most 5 (f32) or 10 (f64) digits;
// - 2^k / n, n below 65536 and odd, exactly rounded;
// - 2^k sqrt(2/pi) {1, 0.044715};
// - 2^k c n^(+-1/2), n <= 1024, c in {1, log2 e, ln 2};
// - 2^j cos(2 pi k / n), n up to 128 a divisor of TOWER_TURNS, j from -16 to 16; and 0 where it is what programs
// compute
//   for cos(pi/2), see tower_turn.c.
// The last three forgive 1.5 units in the last place (in f64 16, and 2^(j-45) of cosines). Anything else is the exact
// value of its bits. Floating point operations below are those of the specification in the same order, so that both
// read alike.

typedef struct Constant {
    double magnitude, fraction; // magnitude = fraction * 2^exponent, fraction in [1/2, 1)
    int exponent;
    unsigned digits;
    double unit; // what the last two forms forgive
} Constant;

static double round_to(const Constant *x, double value) {
    return x->digits == 24 ? (double)(float)value : value;
}

static bool is_short_dyadic(const Constant *x) {
    double scaled = x->magnitude * 1024;
    return x->magnitude < 1 << 20 && scaled == floor(scaled);
}

static bool read_decimal(const Tower *t, const Constant *x, TowerPayload *result) {
    int after = x->digits == 24 ? 4 : 9;
    char text[40];
    snprintf(text, sizeof text, "%.*e", after, x->magnitude);
    if (round_to(x, strtod(text, NULL)) != x->magnitude) return false;
    int64_t number = 0;
    char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9') number = number * 10 + (*at - '0');
    *result = product(t, tower_rational(t, number, 1), power_of(t, 10, atoi(at + 1) - after));
    return true;
}

static bool read_reciprocal(const Tower *t, const Constant *x, TowerPayload *result) {
    double n = 0.5 / x->fraction; // magnitude = 2^(exponent - 1) / n' with n' = n * 2^j odd
    for (int j = 1; j <= 16; j++) {
        double rounded = rint(ldexp(n, j));
        if (rounded <= 1 || rounded >= 65536 || fmod(rounded, 2) == 0) continue;
        if (round_to(x, ldexp(1 / rounded, x->exponent - 1 + j)) != x->magnitude) continue;
        *result = product(t, tower_rational(t, 1, (int64_t)rounded), tower_power_of_two(t, x->exponent - 1 + j));
        return true;
    }
    return false;
}

static bool read_gelu(const Tower *t, const Constant *x, TowerPayload *result) {
    static const struct { int64_t numerator, denominator; } factors[] = {{1, 1}, {44715, 1000000}};
    for (unsigned i = 0; i < sizeof factors / sizeof *factors; i++) {
        double value = (double)factors[i].numerator / (double)factors[i].denominator * sqrt(2 / M_PI);
        double shift = rint(log2(x->magnitude / value));
        if (!isfinite(shift)) continue;
        int k = (int)shift;
        if (!(fabs(ldexp(value, k) - x->magnitude) <= x->unit)) continue;
        TowerPayload factor = tower_rational(t, factors[i].numerator, factors[i].denominator);
        *result = product(t, product(t, t->sqrt_2_pi, factor), tower_power_of_two(t, k));
        return true;
    }
    return false;
}

// The positive root of an integer that is a square, else its root in the fields.
static TowerPayload integer_root(const Tower *t, int64_t n) {
    int64_t root = (int64_t)sqrt((double)n);
    return root * root == n ? tower_rational(t, root, 1) : tower_sqrt(t, tower_rational(t, n, 1));
}

static bool read_root(const Tower *t, const Constant *x, double value, TowerPayload name, int power,
                      TowerPayload *result) {
    double ratio = pow(x->magnitude / value, power); // sqrt(n) * 2^j
    if (!isfinite(ratio)) return false;
    int top;
    frexp(ratio, &top);
    for (int j = top; j > top - 6; j--) {
        double scaled = ldexp(ratio, -j), n = rint(scaled * scaled);
        if (n < 1 || n > 1024) continue;
        if (!(fabs(ldexp(value * pow(sqrt(n), power), j * power) - x->magnitude) <= x->unit)) continue;
        TowerPayload root = integer_root(t, (int64_t)n);
        if (power < 0) root = tower_div(t, t->one, root, TOWER_IEEE_POSITIVE);
        root = tower_mul(t, name, root, TOWER_IEEE_POSITIVE);
        *result = tower_mul(t, root, tower_power_of_two(t, j * power), TOWER_IEEE_POSITIVE);
        return true;
    }
    return false;
}

static bool read_roots(const Tower *t, const Constant *x, TowerPayload *result) {
    const struct {
        double value;
        TowerPayload name;
    } numbers[] = {{1.0, t->one}, {1 / log(2), t->log2e}, {log(2), t->ln2}};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int power = -1; power <= 1; power += 2)
            if (read_root(t, x, numbers[i].value, numbers[i].name, power, result)) return true;
    return false;
}

// False: it means its own bits.
static bool read_constant(const Tower *t, double value, unsigned digits, TowerPayload *result) {
    if (value == 0 || !isfinite(value)) return false;
    Constant x = {.magnitude = fabs(value), .digits = digits};
    x.fraction = frexp(x.magnitude, &x.exponent);
    x.unit = ldexp(digits == 24 ? 1.5 : 16.0, x.exponent - (int)digits);
    if (is_short_dyadic(&x) ||
        !(read_decimal(t, &x, result) || read_reciprocal(t, &x, result) || read_gelu(t, &x, result) ||
          read_roots(t, &x, result) || tower_read_cosine(t, x.magnitude, digits, x.unit, result)))
        return false;
    if (value < 0) *result = tower_neg(t, *result);
    return true;
}

TowerPayload tower_constant(const Tower *t, double value, unsigned digits) {
    TowerPayload result;
    return read_constant(t, value, digits, &result) ? result : tower_embed_double(t, value);
}

TowerPayload tower_constant_bits(const Tower *t, FpsanFormat format, uint64_t bits) {
    double value = fpsan_decode(format, bits);
    TowerPayload result;
    if (format == FPSAN_F64 && read_constant(t, value, 53, &result)) return result;
    // An f64 number that is one of f32 was written in f32: cuTile makes f64 constants of Python's numbers that way.
    bool single = format == FPSAN_F32 || (format == FPSAN_F64 && (double)(float)value == value);
    return single && read_constant(t, value, 24, &result) ? result : tower_embed(t, format, bits);
}

bool tower_constant_is_opaque(const Tower *t, FpsanFormat format, uint64_t bits) {
    if (format != FPSAN_F32 && format != FPSAN_F64) return false;
    const double value = fpsan_decode(format, bits), magnitude = fabs(value);
    const bool single = format == FPSAN_F32 || (double)(float)value == value;
    const Constant x = {.magnitude = magnitude, .digits = single ? 24 : 53};
    TowerPayload meant;
    if (value == 0 || !isfinite(value) || is_short_dyadic(&x) || magnitude == FLT_MAX || magnitude == DBL_MAX)
        return false;
    if (magnitude == floor(magnitude) && magnitude < ldexp(1, (int)x.digits)) return false;
    return !read_constant(t, value, single ? 24 : 53, &meant) &&
           !(format == FPSAN_F64 && single && read_constant(t, value, 53, &meant));
}

TowerPayload tower_constant_meant(const Tower *t, FpsanFormat format, uint64_t bits, const TowerMeaning *meanings,
                                  unsigned count) {
    if (t->degrees) // a constant
        return (TowerPayload){.component = {[TOWER_LENGTH_MAX - 1] = (uint32_t)(fpsan_fmix64(bits) % TOWER_VALUE_PRIME)}};
    if (format == FPSAN_F32 || format == FPSAN_F64)
        for (unsigned i = 0; i < count; i++) {
            double value = meanings[i].value;
            if (fpsan_encode_nearest(format, value) == bits) return meanings[i].payload;
            if (fpsan_encode_nearest(format, -value) == bits) return tower_neg(t, meanings[i].payload);
        }
    return tower_constant_bits(t, format, bits);
}
