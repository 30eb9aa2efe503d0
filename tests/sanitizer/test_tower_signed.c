// SPDX-License-Identifier: Apache-2.0
// Signed towers: laws of roots of positive numbers, which hold in the fields up to signs, hold there; numbers that are
// negative in IEEE are not taken for positive ones.
#include "sanitizer/tower_internal.h"

#include <criterion/criterion.h>
#include <math.h>

// A payload and the IEEE value beside it.
typedef struct Number {
    TowerPayload payload;
    double value;
} Number;

static const Tower *tower;
static uint64_t randomness;

static TowerPayload operand(Number a) {
    a.payload.state |= a.value < 0 ? TOWER_NEGATIVE : 0;
    return a.payload;
}
static Number number(double x) {
    return (Number){tower_embed_double(tower, x), x};
}
static Number constant(double x) {
    return (Number){tower_constant(tower, x, 53), x};
}
static Number plus(Number a, Number b) {
    return (Number){tower_add(tower, operand(a), operand(b)), a.value + b.value};
}
static Number minus(Number a, Number b) {
    return (Number){tower_sub(tower, a.payload, b.payload), a.value - b.value};
}
static Number times(Number a, Number b) {
    return (Number){tower_mul(tower, operand(a), operand(b), TOWER_IEEE_POSITIVE), a.value * b.value};
}
static Number over(Number a, Number b) {
    return (Number){tower_div(tower, operand(a), operand(b), TOWER_IEEE_POSITIVE), a.value / b.value};
}
static Number root(Number a) {
    return (Number){tower_sqrt(tower, a.payload), sqrt(a.value)};
}
static Number inverse_root(Number a) {
    return (Number){tower_rsqrt(tower, a.payload), 1 / sqrt(a.value)};
}
static Number power(Number a, double exponent) {
    TowerPayload b = tower_embed_double(tower, exponent);
    return (Number){tower_pow(tower, operand(a), b, TOWER_IEEE_POSITIVE), pow(a.value, exponent)};
}
static Number negative(Number a) {
    return (Number){tower_neg(tower, a.payload), -a.value};
}
static Number magnitude(Number a) {
    return a.value < 0 ? negative(a) : a;
}

static double draw(double low, double high) {
    randomness = fpsan_fmix64(randomness + 0x9e3779b97f4a7c15);
    return low + (high - low) * ((double)(randomness >> 11) * 0x1p-53);
}

#define IS(a, b)                                                                                                       \
    do {                                                                                                               \
        Number left = (a), right = (b);                                                                                \
        cr_expect(tower_compare(tower, left.payload, right.payload, NULL) == TOWER_EQUAL, "chain %u: %s = %s",         \
                  tower->index, #a, #b);                                                                               \
        cr_expect(!((left.payload.state | right.payload.state) & TOWER_NEGATIVE));                                     \
    } while (0)
#define IS_NOT(a, b) cr_expect(tower_compare(tower, (a).payload, (b).payload, NULL) != TOWER_EQUAL, #a)

static void each_tower(void (*check)(void)) {
    for (unsigned i = 0; i < TOWER_CHAINS; i++)
        for (unsigned n = 0; n < 100; n++) {
            tower = tower_chain(TOWER_CHAINS + i);
            randomness = 1000 * i + n;
            check();
        }
}

// Sums of squares, and a small number.
static Number positive(unsigned terms) {
    Number sum = number(1e-5);
    for (unsigned i = 0; i < terms; i++) {
        Number x = number(draw(-4, 4));
        sum = plus(sum, times(x, x));
    }
    return sum;
}

static void check_roots(void) {
    Number x = number(draw(-8, 8)), y = positive(5), c = positive(3), u = positive(2), r = inverse_root(y);
    IS(times(root(y), root(y)), y);
    IS(times(r, r), over(number(1), y));
    IS(times(r, times(r, r)), over(r, y));
    IS(times(times(times(x, r), r), r), over(times(x, r), y));
    IS(times(c, inverse_root(c)), root(c));
    IS(over(c, root(c)), root(c));
    IS(inverse_root(times(u, u)), over(number(1), u));
    IS(times(x, inverse_root(times(u, u))), over(x, u));
    IS(root(times(u, u)), u);
    IS(root(times(times(u, u), y)), times(u, root(y)));
    IS(root(times(y, c)), times(root(y), root(c)));
    IS(root(over(y, c)), over(root(y), root(c)));
    IS(inverse_root(times(y, c)), times(r, inverse_root(c)));
    IS(inverse_root(over(number(1), y)), root(y));
    IS(root(times(over(u, c), over(u, c))), over(u, c));
    IS(power(y, 1.5), times(y, root(y)));
    IS(power(y, -1.5), times(r, times(r, r)));
    IS(power(y, -0.5), r);
    IS(power(y, 0.5), root(y));
    IS(power(r, 3), over(r, y));
    IS(power(r, -2), y);
    IS(power(power(u, 2), 0.5), u);
    IS(power(r, 4), over(number(1), times(y, y)));
    IS(plus(x, times(x, times(r, times(r, r)))), plus(x, over(times(x, r), y)));
}

Test(tower_signed, roots_of_positive_numbers) {
    each_tower(check_roots);
}

// Only magnitudes have phases.
static void check_negatives(void) {
    Number x = number(draw(-8, 0)), y = number(draw(0, 8));
    IS(root(times(x, x)), magnitude(x));
    IS(root(times(x, x)), negative(x));
    IS(root(times(y, y)), y);
    IS(inverse_root(times(times(x, y), times(x, y))), over(number(-1), times(x, y)));
    IS(root(power(x, 2)), magnitude(x));
    IS(root(times(x, over(number(1), x))), number(1));
    IS(root(times(negative(x), y)), times(root(negative(x)), root(y)));
    IS(root(times(x, negative(y))), times(root(negative(x)), root(y)));
    IS_NOT(root(times(x, x)), x);
    IS_NOT(times(root(y), root(y)), negative(y));
}

Test(tower_signed, numbers_below_zero) {
    each_tower(check_negatives);
}

// What is no law differs: wrong exponents, signs, factors.
static void check_wrong(void) {
    Number x = number(draw(-8, 8)), y = positive(5), c = positive(3), r = inverse_root(y);
    IS_NOT(times(r, r), over(r, y));
    IS_NOT(times(r, times(r, r)), over(number(1), y));
    IS_NOT(times(c, inverse_root(c)), inverse_root(c));
    IS_NOT(negative(times(r, times(r, r))), over(r, y));
    IS_NOT(root(times(y, c)), times(root(y), c));
    IS_NOT(inverse_root(times(c, c)), c);
    IS_NOT(root(plus(y, c)), plus(root(y), root(c)));
    IS_NOT(times(x, times(r, r)), times(x, r));
    IS_NOT(power(y, 1.5), power(y, 2.5));
    IS_NOT(power(y, 1.5), y);
}

Test(tower_signed, other_formulas) {
    each_tower(check_wrong);
}

// d/dx of x r with r = (mean x^2 + eps)^(-1/2), written in three ways, and of (x - mean) r.
static void check_backward(void) {
    enum { N = 5 };
    Number x[N], g[N], sum = number(0), dot = number(0), n = number(N), eps = constant(1e-5);
    for (unsigned i = 0; i < N; i++) {
        x[i] = number(draw(-2, 2)), g[i] = number(draw(-2, 2));
        sum = plus(sum, times(x[i], x[i])), dot = plus(dot, times(x[i], g[i]));
    }
    Number y = plus(over(sum, n), eps), r = inverse_root(y), s = root(y), hat = number(0);
    for (unsigned i = 0; i < N; i++) hat = plus(hat, times(g[i], times(x[i], r)));
    for (unsigned i = 0; i < N; i++) {
        Number first = minus(times(r, g[i]), times(times(x[i], over(dot, n)), times(r, times(r, r))));
        Number second = minus(over(g[i], s), over(times(x[i], over(dot, n)), times(y, s)));
        Number third = times(r, minus(g[i], over(times(times(x[i], r), hat), n)));
        Number fourth = over(minus(g[i], over(times(x[i], dot), times(n, y))), s);
        IS(first, second);
        IS(first, third);
        IS(first, fourth);
        Number wrong = minus(times(r, g[i]), times(times(x[i], over(dot, n)), times(r, r)));
        IS_NOT(first, wrong);
    }
}

Test(tower_signed, backward_of_a_norm) {
    each_tower(check_backward);
}

// Constants that are roots, and what a kernel computes.
static void check_constants(void) {
    for (int n = 2; n < 40; n++) {
        IS(constant(sqrt(n)), root(number(n)));
        IS(constant(1 / sqrt(n)), inverse_root(number(n)));
        IS(times(constant(1 / sqrt(n)), constant(1 / sqrt(n))), over(number(1), number(n)));
        IS(constant(-0.25 * M_LOG2E / sqrt(n)),
           negative(times(constant(M_LOG2E), over(number(0.25), root(number(n))))));
    }
}

Test(tower_signed, constants) {
    each_tower(check_constants);
}

// A sum of numbers with and without i forgets it, in any order; sums do not depend on their order.
static void check_sums(void) {
    Number y = positive(4), s = root(y), a = number(draw(1, 2)), b = number(draw(1, 2));
    Number first = plus(plus(s, a), times(s, b)), second = plus(a, plus(times(s, b), s));
    IS(first, second);
    cr_expect_eq(first.payload.state, second.payload.state);
    cr_expect_eq(first.payload.state & TOWER_PHASE, 0);
    Number alike = plus(s, times(s, b));
    cr_expect_eq(alike.payload.state & TOWER_HALF, s.payload.state & TOWER_HALF);
    IS(alike, times(s, plus(number(1), b)));
    Number zero = number(0);
    cr_expect_eq(plus(s, zero).payload.state, s.payload.state);
    cr_expect_eq(plus(zero, s).payload.state, s.payload.state);
    // Functions forget it.
    cr_expect_eq(tower_exp(tower, s.payload, 1).state & (TOWER_PHASE | TOWER_NEGATIVE), 0);
    cr_expect_eq(tower_tag(tower, "erf", &s.payload, 1).state & TOWER_PHASE, 0);
    cr_expect_eq(tower_compare(tower, tower_tanh(tower, s.payload), tower_tanh(tower->plain, s.payload), NULL),
                 TOWER_EQUAL);
}

Test(tower_signed, sums) {
    each_tower(check_sums);
}
