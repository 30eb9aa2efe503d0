// SPDX-License-Identifier: Apache-2.0
// The laws of the tower algebra, on all chains: every law that its executable specification checks, and what holds of
// the parts that are not the specification's (hyperbolic functions, tags, logarithms by rational reconstruction).
#include "sanitizer/tower_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

typedef struct Law {
    const Tower *t;
    uint64_t random;
} Law;

static double uniform(Law *law, double low, double high) {
    law->random = fpsan_fmix64(law->random + 0x9e3779b97f4a7c15);
    return low + (high - low) * ((double)(law->random >> 11) * 0x1p-53);
}

static TowerPayload embed(const Law *law, double x) {
    return tower_embed_double(law->t, x);
}
static TowerPayload add(const Law *law, TowerPayload a, TowerPayload b) {
    return tower_add(law->t, a, b);
}
static TowerPayload sub(const Law *law, TowerPayload a, TowerPayload b) {
    return tower_sub(law->t, a, b);
}
static TowerPayload mul(const Law *law, TowerPayload a, TowerPayload b) {
    return tower_mul(law->t, a, b, TOWER_IEEE_POSITIVE);
}
static TowerPayload divide(const Law *law, TowerPayload a, TowerPayload b) {
    return tower_div(law->t, a, b, TOWER_IEEE_POSITIVE);
}
static TowerPayload exponential(const Law *law, TowerPayload a) {
    return tower_exp(law->t, a, 0);
}
static TowerPayload exponential2(const Law *law, TowerPayload a) {
    return tower_exp2(law->t, a, 0);
}
static TowerPayload logarithm(const Law *law, TowerPayload a) {
    return tower_log(law->t, a);
}
static TowerPayload logarithm2(const Law *law, TowerPayload a) {
    return tower_log2(law->t, a);
}

static bool same(const Law *law, TowerPayload a, TowerPayload b) {
    return tower_compare(law->t, a, b, NULL) == TOWER_EQUAL;
}
#define SAME(a, b) cr_expect(same(law, a, b), "chain %u: %s = %s", law->t->index, #a, #b)

static void each_chain(void (*check)(Law *law)) {
    for (unsigned i = 0; i < TOWER_ALL_CHAINS; i++) {
        Law law = {.t = tower_of_chain(i), .random = i};
        check(&law);
    }
}

// ---- the chains -----------------------------------------------------------------------------------------------------

static bool prime_by_division(uint32_t n) {
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

// In the spare deep chain 11 need not be a square.
static bool is_spare_deep(const Law *law) {
    return law->t->number > TOWER_DEEP;
}

static void check_chain(Law *law) {
    cr_expect_eq(tower_chain(law->t->number), law->t);
    cr_expect_eq(law->t->length, law->t->number < TOWER_DEEP ? 4 : 6);
    for (unsigned i = 0; i < law->t->length; i++) {
        TowerPrime prime = law->t->prime[i];
        uint32_t p = prime.p;
        cr_expect(prime_by_division(p) && tower_is_prime(p));
        cr_expect_lt(p, 1u << (law->t->length > TOWER_LENGTH ? 27 : 26));
        cr_expect_eq(p % (is_spare_deep(law) ? 840 : 9240), is_spare_deep(law) ? 839 : 9239);
        cr_expect_eq(p >> (prime.bits - 1), 1);
        if (!i) continue;
        uint32_t order = law->t->prime[i - 1].p; // a prime: the order of 2 is 1 or this if the power is 1
        cr_expect_eq(p, 2 * order + 1);
        cr_expect_eq(tower_power(2, order, p), 1);
        cr_expect_neq(tower_power(p - 1, order, p), 1); // -1 is no power of 2
        for (unsigned square = 2; square <= (is_spare_deep(law) ? 7 : 11); square += square > 2 ? 2 : 1)
            if (square != 9) cr_expect_eq(tower_power(square, order, p), 1);
        // Barrett's quotient is at most one too small, up to the limit that the header states.
        uint64_t limit = (uint64_t)1 << (prime.bits + (law->t->length > TOWER_LENGTH ? 26 : 29));
        for (unsigned n = 0; n < 20000; n++) {
            law->random = fpsan_fmix64(law->random + n);
            uint64_t x = law->random % limit;
            if (n < 1000) x = limit - 1 - n;
            if (n >= 19000) x = law->random % (limit / p) * p + n - 19500;
            if (x >= limit) continue;
            uint64_t rest = x - ((x >> (prime.bits - 1)) * prime.barrett >> 32) * p;
            cr_expect(rest % p == x % p && rest < 2 * (uint64_t)p);
        }
    }
}

Test(tower_laws, chains) {
    each_chain(check_chain);
    cr_expect_eq(tower_chain(0)->prime[0].p, 7355039);
    cr_expect_eq(tower_chain(1)->prime[0].p, 8158919);
    cr_expect_eq(tower_chain(2)->prime[0].p, 7013159);
    cr_expect_eq(tower_chain(TOWER_DEEP)->prime[0].p, 2245319);
    cr_expect_eq(tower_chain(TOWER_DEEP + 1)->prime[0].p, 3784199);
}

Test(tower_laws, primality) {
    for (uint32_t n = 0; n < 20000; n++) cr_expect_eq(tower_is_prime(n), prime_by_division(n), "%u", n);
    cr_expect(tower_is_prime(18446744073709551557u) && !tower_is_prime(3215031751) &&
              !tower_is_prime(3825123056546413051));
}

// ---- the laws -------------------------------------------------------------------------------------------------------

static void check_field_laws(Law *law) {
    const Tower *t = law->t;
    for (unsigned n = 0; n < 100; n++) {
        TowerPayload a = embed(law, uniform(law, -8, 8)), b = embed(law, uniform(law, -8, 8));
        TowerPayload c = embed(law, uniform(law, -8, 8)), half = embed(law, 0.5);
        double x = ldexp(round(ldexp(uniform(law, -8, 8), 40)), -40);
        SAME(add(law, a, tower_neg(t, a)), t->zero);
        SAME(sub(law, a, b), add(law, a, mul(law, b, t->minus_one)));
        SAME(mul(law, a, add(law, b, c)), add(law, mul(law, a, b), mul(law, a, c)));
        SAME(tower_fma(t, a, b, c, 1), add(law, mul(law, a, b), c));
        SAME(mul(law, divide(law, a, b), b), a);
        SAME(divide(law, a, embed(law, 2)), mul(law, a, half));
        SAME(add(law, add(law, a, a), a), mul(law, embed(law, 3), a));
        SAME(add(law, embed(law, x), half), embed(law, x + 0.5));
        SAME(exponential2(law, add(law, a, b)), mul(law, exponential2(law, a), exponential2(law, b)));
        SAME(exponential(law, add(law, a, b)), mul(law, exponential(law, a), exponential(law, b)));
        SAME(exponential2(law, embed(law, 5)), embed(law, 32));
        SAME(exponential2(law, embed(law, -3)), embed(law, 0.125));
        SAME(exponential2(law, exponential2(law, add(law, a, b))),
             exponential2(law, mul(law, exponential2(law, a), exponential2(law, b))));
        SAME(exponential2(law, add(law, tower_special(TOWER_NEGATIVE_INFINITY), a)), t->zero);
        SAME(mul(law, a, tower_rsqrt(t, b)), divide(law, a, tower_sqrt(t, b)));
        SAME(tower_sqrt(t, mul(law, a, b)), mul(law, tower_sqrt(t, a), tower_sqrt(t, b)));
        SAME(tower_sin(t, tower_neg(t, a)), tower_neg(t, tower_sin(t, a)));
        SAME(tower_cos(t, tower_neg(t, a)), tower_cos(t, a));
        SAME(mul(law, tower_tan(t, a), tower_cos(t, a)), tower_sin(t, a));
        TowerPayload sine = tower_sin(t, a), cosine = tower_cos(t, a);
        SAME(add(law, mul(law, sine, sine), mul(law, cosine, cosine)), t->one);
        cr_expect_eq(tower_compare(t, sine, cosine, NULL), TOWER_DIFFER);
        cr_expect_eq(tower_compare(t, tower_cos(t, add(law, a, a)),
                                   sub(law, mul(law, cosine, cosine), mul(law, sine, sine)), NULL),
                     TOWER_DIFFER);
        SAME(divide(law, t->one, add(law, t->one, exponential(law, tower_neg(t, a)))),
             mul(law, half, add(law, t->one, tower_tanh(t, mul(law, a, half)))));
        TowerPayload sinh = tower_sinh(t, a), cosh = tower_cosh(t, a);
        SAME(divide(law, sinh, cosh), tower_tanh(t, a));
        SAME(add(law, sinh, cosh), exponential(law, a));
        SAME(sub(law, mul(law, cosh, cosh), mul(law, sinh, sinh)), t->one);
        cr_expect_eq(tower_compare(t, add(law, a, t->one), add(law, a, embed(law, 1.0000001192092896)), NULL),
                     TOWER_DIFFER);
    }
}

Test(tower_laws, fields) {
    each_chain(check_field_laws);
}

// Of three payloads with whatever components known, `whole` in all: the one that choices by pairs leave in the end.
static TowerPayload first_of(const Tower *t, const TowerPayload *x, const unsigned *order) {
    TowerPayload best = x[order[0]];
    for (unsigned i = 1; i < 3; i++) best = tower_goes_first(t, best, x[order[i]]) ? best : x[order[i]];
    return best;
}

// Which one max takes of equal numbers: any order of operands and of choices gives the same, and so do their negatives.
static void check_choices(Law *law) {
    static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const Tower *t = law->t;
    for (unsigned n = 0; n < 400; n++) {
        TowerPayload x[3];
        for (unsigned i = 0; i < 3; i++) {
            x[i] = n % 8 && i ? x[0] : embed(law, uniform(law, -8, 8));
            unsigned changed = (unsigned)(uniform(law, 0, 16));
            for (unsigned k = 0; k < t->length; k++) // some components differ, some by their sign alone
                if (changed >> k & 1)
                    x[i].component[k] = n % 3 ? (uint32_t)uniform(law, 0, 9) : t->prime[k].p - x[i].component[k];
            unsigned missing = n % 2   ? (unsigned)uniform(law, 0, 1 << t->length) & ~(1u << (t->length - 2))
                               : n % 4 ? 3
                                       : 0;
            x[i].state = tower_normal_state(t, tower_ungrouped(t, missing, TOWER_MISSING_SHIFT) |
                                                   (uint32_t)uniform(law, 0, 4) * TOWER_NEAR |
                                                   (uint32_t)uniform(law, 0, 2) << TOWER_WEAK_SHIFT);
        }
        uint32_t lacks[3];
        for (unsigned i = 0; i < 3; i++) lacks[i] = tower_group(t, x[i].state, TOWER_MISSING_SHIFT);
        cr_expect(tower_goes_first(t, x[0], x[1]) != tower_goes_first(t, x[1], x[0]) ||
                  (same(law, x[0], x[1]) && x[0].state == x[1].state));
        TowerPayload negative = tower_neg(t, x[0]), other = tower_neg(t, x[1]);
        bool by_sign = true;
        for (unsigned k = 0; k < t->length; k++)
            by_sign &= ((lacks[0] | lacks[1]) >> k & 1) || x[0].component[k] == x[1].component[k] ||
                       x[0].component[k] == other.component[k];
        if (!by_sign) cr_expect_eq(tower_goes_first(t, x[0], x[1]), tower_goes_first(t, negative, other));
        bool alike = lacks[0] == lacks[1] && lacks[0] == lacks[2];
        TowerPayload first = first_of(t, x, orders[0]);
        for (unsigned o = 1; o < 6 && alike; o++) {
            TowerPayload found = first_of(t, x, orders[o]);
            cr_expect(same(law, found, first) && found.state == first.state);
        }
    }
}

Test(tower_laws, choices) {
    each_chain(check_choices);
}

static void check_angles(Law *law) {
    const Tower *t = law->t;
    TowerPayload infinite = tower_special(TOWER_POSITIVE_INFINITY), part = embed(law, 0.7);
    SAME(tower_cos(t, t->zero), t->one);
    cr_expect(tower_is_zero(t, tower_sin(t, t->zero)) && tower_is_zero(t, tower_tan(t, t->zero)));
    cr_expect_eq(tower_kind(tower_cos(t, infinite)), TOWER_NAN);
    cr_expect_eq(tower_kind(tower_tan(t, infinite)), TOWER_NAN);
    part.state = 2u << TOWER_MISSING_SHIFT | 1u << TOWER_WEAK_SHIFT | 4u << TOWER_LOST_SHIFT | TOWER_NEAR;
    cr_expect_eq(tower_sin(t, part).state, 2u << TOWER_MISSING_SHIFT | 1u << TOWER_WEAK_SHIFT | TOWER_NEAR);
    // Points are on the circle, and none has a coordinate that is 0 in a field.
    for (uint32_t bits = 0; bits < 1u << 23; bits++) {
        TowerPoint point = tower_point(bits);
        int64_t x = point.cosine, y = point.sine, radius = point.radius;
        bool good = x * x + y * y == radius * radius && radius < 1 << 28;
        for (unsigned i = 0; i < TOWER_LENGTH && t->length == TOWER_LENGTH; i++)
            good = good && x % t->prime[i].p && y % t->prime[i].p;
        if (!good) cr_assert(good, "point %u", bits);
    }
    // A rotation keeps the sum of squares.
    for (unsigned n = 0; n < 100; n++) {
        TowerPayload x = embed(law, uniform(law, -4, 4)), y = embed(law, uniform(law, -4, 4));
        TowerPayload angle = embed(law, uniform(law, -100, 100)), c = tower_cos(t, angle), s = tower_sin(t, angle);
        TowerPayload u = sub(law, mul(law, x, c), mul(law, y, s)), v = add(law, mul(law, x, s), mul(law, y, c));
        SAME(add(law, mul(law, u, u), mul(law, v, v)), add(law, mul(law, x, x), mul(law, y, y)));
    }
}

Test(tower_laws, angles) {
    each_chain(check_angles);
}

static void check_logarithm_laws(Law *law) {
    const Tower *t = law->t;
    for (unsigned n = 0; n < 100; n++) {
        TowerPayload a = embed(law, uniform(law, 0.1, 8)), b = embed(law, uniform(law, 0.1, 8));
        SAME(logarithm2(law, exponential2(law, a)), a);
        SAME(logarithm2(law, mul(law, a, b)), add(law, logarithm2(law, a), logarithm2(law, b)));
        SAME(logarithm2(law, embed(law, 8)), embed(law, 3));
        SAME(add(law, b, logarithm2(law, add(law, exponential2(law, sub(law, a, b)), t->one))),
             logarithm2(law, add(law, exponential2(law, a), exponential2(law, b))));
        SAME(exponential2(law, logarithm2(law, a)), a);
        SAME(exponential(law, logarithm(law, a)), a);
        SAME(exponential2(law, mul(law, logarithm(law, a), t->log2e)), a);
        SAME(exponential(law, tower_neg(t, logarithm(law, a))), divide(law, t->one, a));
        SAME(mul(law, embed(law, 3), logarithm2(law, a)), logarithm2(law, mul(law, a, mul(law, a, a))));
        TowerPayload c = tower_neg(t, b);
        SAME(exponential2(law, mul(law, embed(law, 3), logarithm2(law, c))), mul(law, c, mul(law, c, c)));
    }
    SAME(logarithm(law, t->zero), logarithm2(law, t->zero));
    SAME(exponential(law, logarithm(law, t->zero)), t->zero);
}

Test(tower_laws, logarithms) {
    each_chain(check_logarithm_laws);
}

static void check_powers_and_roots(Law *law) {
    const Tower *t = law->t;
    static const double sizes[] = {1, 2, 3, 5, 7, 11, 12, 64, 4096, 768};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] == 11 && is_spare_deep(law)) continue;
        TowerPayload k = embed(law, sizes[i]);
        SAME(tower_sqrt(t, embed(law, sizes[i] * sizes[i])), k);
        SAME(mul(law, tower_sqrt(t, k), tower_sqrt(t, k)), k);
    }
    TowerPayload a = embed(law, 1.7), b = embed(law, -0.3), zero = t->zero;
    SAME(tower_pow(t, b, embed(law, 3), 1), mul(law, b, mul(law, b, b)));
    SAME(tower_pow(t, zero, zero, 1), t->one);
    SAME(tower_pow(t, zero, embed(law, 0.5), TOWER_IEEE_NEGATIVE), zero);
    SAME(tower_pow(t, a, embed(law, 0.5), 1), tower_sqrt(t, a));
    SAME(tower_powi(t, b, -2), divide(law, t->one, mul(law, b, b)));
    SAME(tower_powi(t, a, 100), tower_powi(t, tower_powi(t, a, 10), 10));
    const int exponents[] = {0, 1, 2, 63, 64, 65, 127, 1000, 123457, t->integer_max, -1, -65, -4096};
    for (unsigned i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        TowerPayload n = embed(law, exponents[i]), half = embed(law, exponents[i] / 2.0);
        TowerPayload product = t->one, root = tower_sqrt(t, a), of_root = t->one;
        for (int k = 0; k < abs(exponents[i]) && k <= 4096; k++)
            product = mul(law, product, b), of_root = mul(law, of_root, root);
        if (exponents[i] < 0) product = divide(law, t->one, product), of_root = divide(law, t->one, of_root);
        if (abs(exponents[i]) <= 4096) {
            SAME(tower_pow(t, b, n, 1), product);
            SAME(tower_pow(t, a, half, 1), exponents[i] % 2 ? of_root : tower_powi(t, a, exponents[i] / 2));
        }
        SAME(tower_pow(t, b, n, 1), tower_powi(t, b, exponents[i]));
        // With logarithms: the signs of any integer multiple are known.
        SAME(exponential2(law, mul(law, n, logarithm2(law, b))), tower_pow(t, b, n, 1));
        SAME(exponential(law, mul(law, logarithm(law, b), n)), tower_pow(t, b, n, 1));
        SAME(exponential2(law, mul(law, half, logarithm2(law, a))), tower_pow(t, a, half, 1));
    }
    SAME(tower_powi(t, b, INT64_MIN), divide(law, t->one, tower_powi(t, tower_powi(t, b, 1 << 30), INT64_C(1) << 33)));
    SAME(tower_pow(t, a, embed(law, -0.5), 1), tower_rsqrt(t, a));
    cr_expect_eq(tower_compare(t, tower_pow(t, b, embed(law, 65), 1), tower_powi(t, b, 66), NULL), TOWER_DIFFER);
    cr_expect_eq(tower_compare(t, tower_pow(t, a, embed(law, 1.5), 1), tower_sqrt(t, a), NULL), TOWER_DIFFER);
    SAME(tower_powi(t, zero, 65), zero);
    TowerPayload squared = mul(law, tower_sqrt(t, a), tower_sqrt(t, a)), off = squared;
    off.component[2] = (off.component[2] + 1) % t->prime[2].p;
    cr_expect(tower_equal_up_to_signs(t, squared, a) && !tower_equal_up_to_signs(t, off, a));
    cr_expect(tower_equal_up_to_signs(t, a, embed(law, -1.7)) && !tower_equal_up_to_signs(t, a, b));
    cr_expect_not(tower_equal_up_to_signs(t, tower_special(TOWER_NAN), tower_special(TOWER_NAN)));
    cr_expect(tower_is_zero(t, mul(law, zero, logarithm2(law, a))));
    cr_expect(tower_is_zero(t, tower_exp2(t, embed(law, -1e6), -1e6)));
    TowerPayload deep = a;
    for (unsigned i = 0; i < t->length; i++) deep = logarithm2(law, deep);
    cr_expect_eq(tower_compare(t, divide(law, t->one, deep), divide(law, t->one, b), NULL), TOWER_UNKNOWN);
}

Test(tower_laws, powers_and_roots) {
    each_chain(check_powers_and_roots);
}

// As many nested exps as there are components, less one, and as many logarithms.
static void check_nested(Law *law) {
    const Tower *t = law->t;
    TowerPayload a = embed(law, 0.375), b = embed(law, -1.2), nested = add(law, a, b), split = nested, wrong = a;
    unsigned decided;
    for (unsigned depth = 1; depth < t->length; depth++) {
        split = mul(law, exponential(law, sub(law, split, b)), exponential(law, b));
        nested = exponential(law, nested), wrong = exponential(law, wrong);
        cr_expect(tower_compare(t, nested, split, &decided) == TOWER_EQUAL && decided == t->length - depth);
        cr_expect(tower_compare(t, nested, wrong, &decided) == TOWER_DIFFER && decided == t->length - depth);
    }
    cr_expect_eq(tower_compare(t, exponential(law, nested), exponential(law, split), NULL), TOWER_UNKNOWN);
    for (unsigned depth = 1; depth < t->length; depth++) {
        nested = logarithm(law, nested), split = logarithm(law, split), wrong = logarithm(law, wrong);
        cr_expect(tower_compare(t, nested, split, &decided) == TOWER_EQUAL && decided == 1);
        cr_expect_eq(tower_compare(t, nested, wrong, NULL), TOWER_DIFFER);
    }
}

Test(tower_laws, nested) {
    each_chain(check_nested);
}

// ---- attention in two halves ----------------------------------------------------------------------------------------

typedef struct Part {
    TowerPayload output, log_sum;
} Part;

typedef TowerPayload Function(const Law *law, TowerPayload a);

static Part attend(const Law *law, const TowerPayload *scores, const TowerPayload *values, unsigned count,
                   Function *exp, Function *log) {
    TowerPayload maximum = scores[0], sum = law->t->zero, output = law->t->zero;
    for (unsigned i = 0; i < count; i++) {
        TowerPayload weight = exp(law, sub(law, scores[i], maximum));
        sum = add(law, sum, weight);
        output = add(law, output, mul(law, weight, values[i]));
    }
    return (Part){divide(law, output, sum), add(law, maximum, log(law, sum))};
}

static void check_split(Law *law, Function *exp, Function *log) {
    TowerPayload scores[6], values[6];
    for (unsigned i = 0; i < 6; i++)
        scores[i] = embed(law, uniform(law, -4, 4)), values[i] = embed(law, uniform(law, -4, 4));
    Part whole = attend(law, scores, values, 6, exp, log);
    Part first = attend(law, scores, values, 3, exp, log), second = attend(law, scores + 3, values + 3, 3, exp, log);
    TowerPayload both = log(law, add(law, exp(law, first.log_sum), exp(law, second.log_sum)));
    TowerPayload merged = add(law, mul(law, first.output, exp(law, sub(law, first.log_sum, both))),
                              mul(law, second.output, exp(law, sub(law, second.log_sum, both))));
    unsigned decided;
    cr_expect_eq(tower_compare(law->t, whole.output, merged, &decided), TOWER_EQUAL);
    cr_expect_geq(decided, 2);
    TowerPayload wrong = add(law, mul(law, first.output, exp(law, sub(law, first.log_sum, both))), second.output);
    cr_expect_eq(tower_compare(law->t, whole.output, wrong, NULL), TOWER_DIFFER);
}

static void check_splits(Law *law) {
    for (unsigned i = 0; i < 10; i++) {
        check_split(law, exponential2, logarithm2);
        check_split(law, exponential, logarithm);
    }
}

Test(tower_laws, split_attention) {
    each_chain(check_splits);
}

// ---- constants ------------------------------------------------------------------------------------------------------

static TowerPayload constant(const Law *law, unsigned digits, double x) {
    return tower_constant(law->t, digits == 24 ? (double)(float)x : x, digits);
}

static void check_constants(Law *law, unsigned digits) {
    const Tower *t = law->t;
    const double log2e = 1.4426950408889634;
    SAME(mul(law, constant(law, digits, log(2)), constant(law, digits, 1 / log(2))), t->one);
    static const int heads[] = {2, 12, 24, 40, 56, 64, 72, 80, 96, 112, 128, 144, 192, 256, 512, 576};
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
        TowerPayload n = embed(law, heads[i]);
        SAME(constant(law, digits, pow(heads[i], -0.5)), tower_rsqrt(t, n));
        SAME(constant(law, digits, pow(heads[i], 0.5)), tower_sqrt(t, n));
        SAME(constant(law, digits, pow(heads[i], -0.5) * log2e), mul(law, tower_rsqrt(t, n), t->log2e));
    }
    static const int sizes[] = {3, 10, 127, 448, 768, 1000, 4096, 11008, 50257};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        SAME(constant(law, digits, 1.0 / sizes[i]), divide(law, t->one, embed(law, sizes[i])));
    static const struct {
        double x;
        int64_t n, d;
    } decimals[] = {{0.1, 1, 10},       {1e-5, 1, 100000}, {0.044715, 44715, 1000000},
                    {0.999, 999, 1000}, {3, 3, 1},         {448, 448, 1}};
    for (unsigned i = 0; i < sizeof decimals / sizeof *decimals; i++)
        SAME(constant(law, digits, decimals[i].x), tower_rational(t, decimals[i].n, decimals[i].d));
    double gelu = sqrt(2 / M_PI);
    SAME(constant(law, digits, 0.044715 * gelu),
         mul(law, constant(law, digits, 0.044715), constant(law, digits, gelu)));
}

static void check_all_constants(Law *law) {
    check_constants(law, 24);
    check_constants(law, 53);
    // Narrow types and data are what their bits say.
    SAME(tower_constant_bits(law->t, FPSAN_F16, 0x2e66), embed(law, 0x1.998p-4));
    SAME(tower_constant_bits(law->t, FPSAN_F32, 0x3dcccccd), tower_rational(law->t, 1, 10));
    // 0.1f, log2(e) in f32 and 0.1 as f64 numbers; one unit in the last place beside it is no f32 number any more.
    SAME(tower_constant_bits(law->t, FPSAN_F64, 0x3fb99999a0000000), tower_rational(law->t, 1, 10));
    SAME(tower_constant_bits(law->t, FPSAN_F64, 0x3ff7154760000000), law->t->log2e);
    SAME(tower_constant_bits(law->t, FPSAN_F64, 0x3fb999999999999a), tower_rational(law->t, 1, 10));
    static const struct {
        double value;
        FpsanFormat format;
        bool opaque;
    } read[] = {
        {0.52170307, FPSAN_F32, true},
        {-1.1111112, FPSAN_F32, true},
        {0.1, FPSAN_F32, false},
        {0.33333334, FPSAN_F32, false},
        {1.44269504, FPSAN_F32, false},
        {0.5, FPSAN_F32, false},
        {0, FPSAN_F32, false},
        {-INFINITY, FPSAN_F32, false},
        {-3.4028234663852886e38, FPSAN_F32, false},
        {1234567, FPSAN_F32, false},
        {0.52170307, FPSAN_F16, false},
        {0.52170309999999995, FPSAN_F64, false},
        {0.12345678901234567, FPSAN_F64, true},
        {0.20000000298023224, FPSAN_F64, false},
        {0.52170306444168091, FPSAN_F64, true},
    };
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        cr_expect_eq(
            tower_constant_is_opaque(law->t, read[i].format, fpsan_encode_nearest(read[i].format, read[i].value)),
            read[i].opaque, "%.17g", read[i].value);
    SAME(tower_constant_bits(law->t, FPSAN_F64, 0x3fb99999a0000001),
         tower_embed(law->t, FPSAN_F64, 0x3fb99999a0000001));
    cr_expect_eq(tower_compare(law->t, tower_embed(law->t, FPSAN_F32, 0x3dcccccd), tower_rational(law->t, 1, 10), NULL),
                 TOWER_DIFFER);
    // The largest and smallest numbers do no harm; those of few bits are short decimals.
    SAME(tower_constant(law->t, -0x1.123456789abcdp1023, 53), embed(law, -0x1.123456789abcdp1023));
    SAME(tower_constant(law->t, 0x1.fffffffffffffp1023, 53), embed(law, 0x1.fffffffffffffp1023));
    SAME(tower_constant(law->t, 0x1.3456789abcdefp-1025, 53), embed(law, 0x1.3456789abcdefp-1025));
    cr_expect_eq(tower_constant(law->t, 0x1p-1074, 53).state, 0);
    cr_expect_eq(tower_kind(tower_constant(law->t, -INFINITY, 24)), TOWER_NEGATIVE_INFINITY);
    cr_expect_eq(tower_kind(tower_constant(law->t, NAN, 53)), TOWER_NAN);
}

Test(tower_laws, constants) {
    each_chain(check_all_constants);
}

// ---- what is not the specification's --------------------------------------------------------------------------------

static void check_discrete_logarithms(Law *law) {
    for (unsigned i = 0; i + 1 < law->t->length; i++) {
        uint32_t p = law->t->prime[i + 1].p;
        for (unsigned n = 0; n < 25000; n++) {
            law->random = fpsan_fmix64(law->random + 1);
            uint32_t y = n < 5000 ? n + 1 : n < 6000 ? p - n + 4999 : (uint32_t)(law->random % (p - 1)) + 1;
            bool negative;
            uint32_t x = tower_discrete_log2(law->t, i, y, &negative), power = tower_power(2, x, p);
            cr_expect(x < p / 2 && (negative ? p - power : power) == y, "chain %u, field %u, %u", law->t->index, i, y);
        }
    }
}

Test(tower_laws, discrete_logarithms) {
    each_chain(check_discrete_logarithms);
}

// The first calls come from many threads at once: chains and tables are made once, and are complete.
static void *first_calls(void *random) {
    uint64_t state = *(const uint64_t *)random;
    for (unsigned n = 0; n < 300; n++) {
        const Tower *t = tower_chain(n % TOWER_CHAINS);
        state = fpsan_fmix64(state + n);
        uint32_t p = t->prime[1].p, y = (uint32_t)(state % (p - 1)) + 1;
        bool negative;
        uint32_t power = tower_power(2, tower_discrete_log2(t, 0, y, &negative), p);
        if ((negative ? p - power : power) != y) return "a logarithm is wrong";
    }
    return NULL;
}

Test(tower_laws, first_calls_from_many_threads) {
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i;
        cr_assert_eq(pthread_create(&threads[i], NULL, first_calls, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        cr_expect_null(wrong, "%s", (const char *)wrong);
    }
}

// Deterministic, spread over the field, different by name, chain, component and operand order; states are as for
// others.
static void check_tags(Law *law) {
    const Tower *t = law->t;
    TowerPayload a = embed(law, 1.5), b = embed(law, -0.75), two[] = {a, b}, reversed[] = {b, a};
    TowerPayload erf = tower_tag(t, "erf", &a, 1);
    cr_expect(!memcmp(&erf, &(TowerPayload[]){tower_tag(t, "erf", &a, 1)}[0], sizeof erf));
    cr_expect_eq(tower_compare(t, erf, tower_tag(t, "erfc", &a, 1), NULL), TOWER_DIFFER);
    cr_expect_eq(tower_compare(t, tower_tag(t, "atan2", two, 2), tower_tag(t, "atan2", reversed, 2), NULL),
                 TOWER_DIFFER);
    enum { DRAWS = 4096, BUCKETS = 16 };
    unsigned buckets[TOWER_LENGTH_MAX][BUCKETS] = {{0}}, agree = 0, linear = 0;
    TowerPayload before = t->zero;
    for (unsigned n = 0; n < DRAWS; n++) {
        TowerPayload x = embed(law, n), h = tower_tag(t, "erf", &x, 1), step = tower_sub(t, h, before);
        for (unsigned i = 0; i < t->length; i++) {
            uint32_t p = t->prime[i].p;
            cr_assert_lt(h.component[i], p);
            buckets[i][(uint64_t)h.component[i] * BUCKETS / p]++;
            agree += h.component[i] == erf.component[i];
            linear += step.component[i] == 1 || step.component[i] == p - 1 || !step.component[i];
        }
        before = h;
    }
    cr_expect_eq(agree, 0);
    cr_expect_eq(linear, 0);
    for (unsigned i = 0; i < t->length; i++)
        for (unsigned k = 0; k < BUCKETS; k++) // 256 expected, standard deviation 15.5
            cr_expect(buckets[i][k] > 170 && buckets[i][k] < 342, "%u", buckets[i][k]);
    TowerPayload weak = a, missing = b;
    weak.state = 1 << TOWER_WEAK_SHIFT | 2 << TOWER_LOST_SHIFT | 4 << TOWER_SIGN_SHIFT | TOWER_NEAR;
    missing.state = 8 << TOWER_MISSING_SHIFT;
    TowerPayload states[] = {weak, missing}, r = tower_tag(t, "atan2", states, 2);
    cr_expect_eq(r.state, 8u << TOWER_MISSING_SHIFT | 1 << TOWER_WEAK_SHIFT | TOWER_NEAR);
    TowerPayload infinite = tower_special(TOWER_POSITIVE_INFINITY);
    cr_expect_eq(tower_kind(tower_tag(t, "erf", &infinite, 1)), TOWER_NAN);
}

Test(tower_laws, tags) {
    each_chain(check_tags);
}

static void check_values(Law *law) {
    const Tower *t = law->t;
    SAME(tower_embed_integer(t, 0xff, 8, true), t->minus_one);
    SAME(tower_embed_integer(t, 0xfff, 8, false), embed(law, 255));
    SAME(tower_embed_integer(t, 1, 1, true), t->minus_one);
    SAME(tower_embed_integer(t, (uint64_t)1 << 63, 64, true), embed(law, -0x1p63));
    SAME(tower_embed_integer(t, UINT64_MAX, 64, false), sub(law, embed(law, 0x1p64), t->one));
    SAME(tower_embed(t, FPSAN_F8E8M0FNU, 120), embed(law, 0x1p-7));
    SAME(tower_embed(t, FPSAN_F4E2M1FN, 0xb), embed(law, -1.5));
    SAME(tower_embed(t, FPSAN_BF16, 0x0001), embed(law, 0x1p-133));
    SAME(tower_power_of_two(t, -1074), embed(law, 0x1p-1074));
    cr_expect(tower_is_zero(t, tower_embed(t, FPSAN_F32, 0x80000000)));
    TowerPayload a = embed(law, 7.25), b = embed(law, 2), infinite = tower_special(TOWER_POSITIVE_INFINITY);
    SAME(tower_remainder(t, a, b, embed(law, 3)), embed(law, 1.25));
    SAME(tower_remainder(t, a, infinite, t->zero), a);
    cr_expect_eq(tower_kind(tower_remainder(t, a, t->zero, t->zero)), TOWER_NAN);
    SAME(tower_sinh(t, tower_special(TOWER_NEGATIVE_INFINITY)), tower_special(TOWER_NEGATIVE_INFINITY));
    SAME(tower_cosh(t, tower_special(TOWER_NEGATIVE_INFINITY)), infinite);
    int n;
    for (int i = 1; i > 0 && i < 1 << 26; i += 1 + i / 3)
        for (int sign = -1; sign <= 1; sign++) {
            bool known = i * abs(sign) <= t->integer_max;
            cr_expect_eq(tower_known_integer(t, embed(law, sign * i), &n) ? n : 1 << 30, known ? sign * i : 1 << 30);
        }
    cr_expect(tower_known_integer(t, embed(law, -t->integer_max), &n) && n == -t->integer_max);
    cr_expect_not(tower_known_integer(t, embed(law, t->integer_max + 2), &n));
    cr_expect_not(tower_known_integer(t, embed(law, 2.5), &n));
    TowerPayload mixed = embed(law, 3);
    mixed.component[2] = 4;
    cr_expect_not(tower_known_integer(t, mixed, &n));
}

Test(tower_laws, values_from_outside) {
    each_chain(check_values);
}

Test(tower_laws, runtime_functions_have_addresses) {
    cr_expect_eq(tower_runtime_address("congruent_tower_pow"), (void *)congruent_tower_pow);
    cr_expect_null(tower_runtime_address("congruent_tower_log3"));
}

// ---- poison ---------------------------------------------------------------------------------------------------------

static void expect_poison(const Law *law, TowerPayload a, uint32_t origin, const char *what) {
    cr_expect(tower_is_poison(a) && tower_origin(law->t, a) == origin, "chain %u: %s", law->t->index, what);
}

static void check_poison(Law *law) {
    const uint32_t origin = law->t->length > TOWER_LENGTH ? law->t->prime[0].p / 2 : TOWER_ORIGIN_MAX - 1;
    const TowerPayload poison = tower_poison(origin), later = tower_poison(7);
    const TowerPayload others[] = {law->t->zero,
                                   law->t->one,
                                   embed(law, uniform(law, -9, 9)),
                                   tower_special(TOWER_POSITIVE_INFINITY),
                                   tower_special(TOWER_NAN),
                                   later};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const TowerPayload x = others[i];
        const bool both = tower_is_poison(x);
        expect_poison(law, add(law, poison, x), origin, "poison + x");
        expect_poison(law, add(law, x, poison), both ? 7 : origin, "x + poison");
        expect_poison(law, sub(law, x, poison), both ? 7 : origin, "x - poison");
        expect_poison(law, mul(law, poison, x), origin, "poison * x");
        expect_poison(law, mul(law, x, poison), both ? 7 : origin, "x * poison");
        expect_poison(law, divide(law, poison, x), origin, "poison / x");
        expect_poison(law, divide(law, x, poison), both ? 7 : origin, "x / poison");
        expect_poison(law, tower_fma(law->t, law->t->zero, poison, x, TOWER_IEEE_ZERO), origin, "0 * poison + x");
        expect_poison(law, tower_pow(law->t, poison, x, TOWER_IEEE_POSITIVE), origin, "poison ^ x");
        expect_poison(law, tower_remainder(law->t, x, poison, law->t->zero), both ? 7 : origin, "x mod poison");
        expect_poison(law, tower_tag(law->t, "atan2", (TowerPayload[]){x, poison}, 2), both ? 7 : origin, "atan2");
    }
    expect_poison(law, tower_powi(law->t, poison, 0), origin, "poison ^ 0");
    expect_poison(law, tower_exp2(law->t, poison, TOWER_MASKED), origin, "2 ^ poison that is a mask as a number");
    TowerPayload (*const functions[])(const Tower *, TowerPayload) = {tower_neg,   tower_log2, tower_log,  tower_sqrt,
                                                                      tower_rsqrt, tower_tanh, tower_sinh, tower_cosh,
                                                                      tower_sin,   tower_cos,  tower_tan};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        expect_poison(law, functions[i](law->t, poison), origin, "a function of poison");
}

Test(tower_laws, poison_stays_and_knows_who_made_it) {
    each_chain(check_poison);
}
