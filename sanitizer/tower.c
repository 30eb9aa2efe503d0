// SPDX-License-Identifier: Apache-2.0
// The rules of the tower algebra on one payload, each as its definition says; the emission is compared with them.
#include "sanitizer/tower_internal.h"

#include <math.h>
#include <string.h>

const TowerPassed tower_passed_types[TOWER_PASSED_TYPES] = {
    {TOWER_PASSED_24, 24}, {TOWER_PASSED_11, 11}, {TOWER_PASSED_8, 8},
    {TOWER_PASSED_4, 4},   {TOWER_PASSED_3, 3},   {TOWER_PASSED_2, 2},
};

double tower_near_share(unsigned significant) {
    double eight = ldexp(1, 4 - (int)significant), one = eight / 8, most = 0x1p-4;
    return eight < most ? eight : one > most ? one : most;
}

// ---- states ---------------------------------------------------------------------------------------------------------

bool tower_is_zero(const Tower *t, TowerPayload a) {
    for (unsigned i = 0; i < t->length; i++)
        if (a.component[i]) return false;
    return !(a.state & TOWER_KIND) && !tower_group(t, a.state, TOWER_MISSING_SHIFT);
}

bool tower_known_integer(const Tower *t, TowerPayload a, int *integer) {
    const uint32_t most = (uint32_t)t->integer_max;
    if (a.state & TOWER_KIND || tower_group(t, a.state, TOWER_MISSING_SHIFT)) return false;
    bool negative = a.component[0] > most;
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t magnitude = negative ? t->prime[i].p - a.component[i] : a.component[i];
        if (magnitude > most || (i && (int)magnitude != (negative ? -*integer : *integer))) return false;
        *integer = negative ? -(int)magnitude : (int)magnitude;
    }
    return true;
}

static bool same_components(TowerPayload a, TowerPayload b) {
    return !memcmp(a.component, b.component, sizeof a.component);
}

// Whether `a` is the plain value b.
static bool is_exactly(const Tower *t, TowerPayload a, TowerPayload b) {
    return !(a.state & TOWER_KIND) && !tower_group(t, a.state, TOWER_MISSING_SHIFT) &&
           !tower_group(t, a.state, TOWER_WEAK_SHIFT) && same_components(a, b);
}

static TowerPayload with_state(const Tower *t, TowerPayload a, uint32_t state) {
    a.state = tower_normal_state(t, state);
    return a;
}

// An exact result that still carries what its operands did.
static TowerPayload carrying(const Tower *t, TowerPayload a, uint32_t states) {
    a.state |= states & tower_carried(t);
    return a;
}

// The first operand that is poison, with what all of them carry.
static bool find_poison(const Tower *t, const TowerPayload *x, unsigned count, TowerPayload *poison) {
    uint32_t states = 0;
    bool found = false;
    for (unsigned k = 0; k < count; k++) {
        if (!found && tower_is_poison(x[k])) *poison = x[k], found = true;
        states |= x[k].state;
    }
    if (found) poison->state |= states & tower_carried(t);
    return found;
}

static bool either_poison(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload *poison) {
    return (a.state | b.state) & TOWER_POISON && find_poison(t, (TowerPayload[]){a, b}, 2, poison);
}

// The union of what two states lack, with no signs.
static uint32_t united(const Tower *t, uint32_t a, uint32_t b) {
    return (a | b) & (tower_group_bits(t, TOWER_MISSING_SHIFT) | tower_group_bits(t, TOWER_LOST_SHIFT) |
                      tower_group_bits(t, TOWER_WEAK_SHIFT) | tower_carried(t));
}

static bool has_signs(const Tower *t, uint32_t state) {
    return tower_group(t, state, TOWER_SIGN_SHIFT);
}

// The signs of a state moved to another group of it.
static uint32_t signs_as(const Tower *t, uint32_t state, unsigned shift) {
    return tower_ungrouped(t, tower_group(t, state, TOWER_SIGN_SHIFT), shift);
}

// What a root, an angle or a tag keeps.
static uint32_t without_signs(const Tower *t, uint32_t state) {
    return state &
           (tower_group_bits(t, TOWER_MISSING_SHIFT) | tower_group_bits(t, TOWER_WEAK_SHIFT) | tower_carried(t));
}

// ---- choices --------------------------------------------------------------------------------------------------------

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

bool tower_goes_first(const Tower *t, TowerPayload a, TowerPayload b) {
    unsigned missing = tower_group(t, a.state | b.state, TOWER_MISSING_SHIFT);
    for (unsigned k = 0; k < 2 * t->length; k++) { // first without signs
        unsigned i = tower_order(t)[k % t->length];
        uint32_t p = t->prime[i].p, x = a.component[i], y = b.component[i];
        if (missing >> i & 1) continue;
        if (k < t->length) x = smaller(x, p - x), y = smaller(y, p - y);
        if (x != y) return x < y;
    }
    uint32_t ruled[2] = {a.state & tower_ruled(t), b.state & tower_ruled(t)};
    return ruled[0] == ruled[1] ? a.state <= b.state : ruled[0] < ruled[1];
}

// ---- the field operations -------------------------------------------------------------------------------------------

TowerPayload tower_neg(const Tower *t, TowerPayload a) {
    for (unsigned i = 0; i < t->length; i++) a.component[i] = tower_neg_mod(a.component[i], t->prime[i].p);
    TowerKind kind = tower_kind(a);
    if (kind == TOWER_POSITIVE_INFINITY || kind == TOWER_NEGATIVE_INFINITY) a.state ^= TOWER_KIND;
    return a;
}

TowerPayload tower_add(const Tower *t, TowerPayload a, TowerPayload b) {
    if (t->plain) return tower_signed_add(t, a, b);
    TowerPayload poison;
    if (either_poison(t, a, b, &poison)) return poison;
    TowerKind ka = tower_kind(a), kb = tower_kind(b);
    if (ka || kb) {
        bool undefined = ka == TOWER_NAN || kb == TOWER_NAN || (ka && kb && ka != kb);
        return carrying(t, tower_special(undefined ? TOWER_NAN : ka ? ka : kb), a.state | b.state);
    }
    const uint32_t signs = tower_group_bits(t, TOWER_SIGN_SHIFT);
    uint32_t state = united(t, a.state, b.state), sign_a = a.state & signs, sign_b = b.state & signs;
    if (sign_a && sign_b && (a.state ^ b.state) & TOWER_BASE_E) state |= signs_as(t, sign_a | sign_b, TOWER_LOST_SHIFT);
    state |= (sign_a ^ sign_b) | ((sign_a ? a.state : b.state) & TOWER_BASE_E);
    for (unsigned i = 0; i < t->length; i++)
        a.component[i] = tower_add_mod(a.component[i], b.component[i], t->prime[i].p);
    return with_state(t, a, state);
}

TowerPayload tower_sub(const Tower *t, TowerPayload a, TowerPayload b) {
    return tower_add(t, a, tower_neg(t, b));
}

// Signs survive a change of base and an integer factor; an odd one keeps them, an even one makes them plus.
static uint32_t scaled_signs(const Tower *t, TowerPayload a, TowerPayload factor) {
    const uint32_t base = a.state & TOWER_BASE_E, signs = a.state & tower_group_bits(t, TOWER_SIGN_SHIFT);
    if (is_exactly(t, factor, base ? t->log2e : t->ln2)) return signs | (base ^ TOWER_BASE_E);
    int n;
    if (tower_group(t, factor.state, TOWER_WEAK_SHIFT) || !tower_known_integer(t, factor, &n))
        return signs_as(t, a.state, TOWER_LOST_SHIFT);
    return n % 2 ? signs | base : 0;
}

TowerPayload tower_mul(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign) {
    if (t->plain) return tower_signed_mul(t, a, b, ieee_sign);
    TowerPayload poison;
    if (either_poison(t, a, b, &poison)) return poison;
    TowerKind ka = tower_kind(a), kb = tower_kind(b);
    if (ka || kb) {
        TowerKind kind = ieee_sign == TOWER_IEEE_POSITIVE   ? TOWER_POSITIVE_INFINITY
                         : ieee_sign == TOWER_IEEE_NEGATIVE ? TOWER_NEGATIVE_INFINITY
                                                            : TOWER_NAN;
        if (ka == TOWER_NAN || kb == TOWER_NAN) kind = TOWER_NAN;
        return carrying(t, tower_special(kind), a.state | b.state);
    }
    if (tower_is_zero(t, a) || tower_is_zero(t, b)) return carrying(t, t->zero, a.state | b.state);
    uint32_t state = united(t, a.state, b.state);
    if (has_signs(t, a.state) && has_signs(t, b.state))
        state |= signs_as(t, a.state | b.state, TOWER_LOST_SHIFT);
    else if (has_signs(t, a.state))
        state |= scaled_signs(t, a, b);
    else if (has_signs(t, b.state))
        state |= scaled_signs(t, b, a);
    for (unsigned i = 0; i < t->length; i++)
        a.component[i] = tower_mul_mod(a.component[i], b.component[i], t->prime[i].p);
    return with_state(t, a, state);
}

TowerPayload tower_fma(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload c, int ieee_sign) {
    return tower_add(t, tower_mul(t, a, b, ieee_sign), c);
}

// A component whose divisor is 0 there drops out; signs do not survive, except in 1 and -1.
static TowerPayload invert(const Tower *t, TowerPayload b) {
    int n;
    if (tower_known_integer(t, b, &n) && (n == 1 || n == -1)) return b;
    uint32_t state = united(t, b.state, 0) | signs_as(t, b.state, TOWER_LOST_SHIFT);
    for (unsigned i = 0; i < t->length; i++) {
        if (!b.component[i]) state |= tower_ungrouped(t, 1u << i, TOWER_MISSING_SHIFT);
        b.component[i] = tower_power(b.component[i], t->prime[i].p - 2, t->prime[i].p);
    }
    return with_state(t, b, state);
}

TowerPayload tower_div(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign) {
    if (t->plain) return tower_signed_div(t, a, b, ieee_sign);
    TowerPayload poison;
    if (either_poison(t, a, b, &poison)) return poison;
    TowerKind ka = tower_kind(a), kb = tower_kind(b);
    uint32_t states = a.state | b.state;
    if (ka == TOWER_NAN || kb == TOWER_NAN || (ka && kb)) return carrying(t, tower_special(TOWER_NAN), states);
    if (kb) return carrying(t, t->zero, states);
    if (ka || tower_is_zero(t, b)) {
        if (tower_is_zero(t, a) || ieee_sign == TOWER_IEEE_NAN) return carrying(t, tower_special(TOWER_NAN), states);
        TowerKind kind = ieee_sign == TOWER_IEEE_NEGATIVE ? TOWER_NEGATIVE_INFINITY : TOWER_POSITIVE_INFINITY;
        return carrying(t, tower_special(kind), states);
    }
    return tower_mul(t, a, invert(t, b), TOWER_IEEE_POSITIVE);
}

TowerPayload tower_remainder(const Tower *t, TowerPayload a, TowerPayload b, TowerPayload quotient) {
    if (t->plain) return tower_remainder(t->plain, tower_unsigned(a), tower_unsigned(b), tower_unsigned(quotient));
    TowerPayload poison;
    if (find_poison(t, (TowerPayload[]){a, b, quotient}, 3, &poison)) return poison;
    if (tower_kind(a) || tower_kind(b) == TOWER_NAN || tower_kind(quotient) || tower_is_zero(t, b) ||
        (tower_kind(b) && !tower_is_zero(t, quotient)))
        return carrying(t, tower_special(TOWER_NAN), a.state | b.state | quotient.state);
    if (tower_is_zero(t, quotient)) return carrying(t, a, b.state | quotient.state);
    return tower_sub(t, a, tower_mul(t, quotient, b, TOWER_IEEE_POSITIVE));
}

// ---- powers and roots -----------------------------------------------------------------------------------------------

// Component i+1 is 2^(x_i): a homomorphism, because 2 has order p_i modulo p_{i+1}. Component 0 has no source.
TowerPayload tower_exp2(const Tower *t, TowerPayload a, double ieee) {
    if (t->plain) return tower_exp2(t->plain, tower_unsigned(a), ieee);
    TowerKind kind = tower_kind(a);
    if (kind == TOWER_NEGATIVE_INFINITY || (!kind && ieee <= TOWER_MASKED)) return carrying(t, t->zero, a.state);
    if (kind) return a;
    uint32_t sign = tower_group(t, a.state, TOWER_SIGN_SHIFT), unknown = tower_group(t, a.state, TOWER_LOST_SHIFT);
    if (a.state & TOWER_BASE_E) unknown |= sign;
    sign &= ~unknown;
    TowerPayload r = {0};
    for (unsigned i = 0; i + 1 < t->length; i++) {
        uint32_t p = t->prime[i + 1].p, power = tower_power(2, a.component[i], p);
        r.component[i + 1] = sign >> i & 1 ? tower_neg_mod(power, p) : power;
    }
    uint32_t missing = 1 | tower_group(t, a.state, TOWER_MISSING_SHIFT) << 1;
    uint32_t weak = (unknown | tower_group(t, a.state, TOWER_WEAK_SHIFT)) << 1;
    return with_state(t, r,
                      tower_ungrouped(t, missing, TOWER_MISSING_SHIFT) | tower_ungrouped(t, weak, TOWER_WEAK_SHIFT) |
                          (a.state & tower_carried(t)));
}

TowerPayload tower_exp(const Tower *t, TowerPayload a, double ieee) {
    if (t->plain) return tower_exp(t->plain, tower_unsigned(a), ieee);
    return tower_exp2(t, tower_kind(a) ? a : tower_mul(t, a, t->log2e, TOWER_IEEE_POSITIVE), ieee);
}

TowerPayload tower_log2(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_log2(t->plain, tower_unsigned(a));
    TowerKind kind = tower_kind(a);
    if (tower_is_poison(a)) return a;
    if (kind) return kind == TOWER_POSITIVE_INFINITY ? a : carrying(t, tower_special(TOWER_NAN), a.state);
    if (tower_is_zero(t, a)) return carrying(t, tower_special(TOWER_NEGATIVE_INFINITY), a.state);
    TowerPayload r = {0};
    uint32_t missing = 1u << (t->length - 1), signs = 0, weak = tower_group(t, a.state, TOWER_WEAK_SHIFT) >> 1;
    for (unsigned i = 0; i + 1 < t->length; i++) {
        bool negative = false;
        if (tower_group(t, a.state, TOWER_MISSING_SHIFT) >> (i + 1) & 1 || !a.component[i + 1])
            missing |= 1u << i;
        else
            r.component[i] = tower_discrete_log2(t, i, a.component[i + 1], &negative);
        signs |= (uint32_t)negative << i;
    }
    return with_state(t, r,
                      tower_ungrouped(t, missing, TOWER_MISSING_SHIFT) | tower_ungrouped(t, signs, TOWER_SIGN_SHIFT) |
                          tower_ungrouped(t, weak, TOWER_LOST_SHIFT) | tower_ungrouped(t, weak, TOWER_WEAK_SHIFT) |
                          (a.state & tower_carried(t)));
}

// The sign of a payload that is infinite, as mul asks for it; negated if `by` is negative.
static int infinite_sign(TowerPayload a, int64_t by) {
    return (tower_kind(a) == TOWER_NEGATIVE_INFINITY) == (by < 0) ? TOWER_IEEE_POSITIVE : TOWER_IEEE_NEGATIVE;
}

TowerPayload tower_log(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_log(t->plain, tower_unsigned(a));
    TowerPayload r = tower_log2(t, a);
    return tower_mul(t, r, t->ln2, infinite_sign(r, 1));
}

// x^((p+1)/4): multiplicative; its square is x or -x in each field.
TowerPayload tower_sqrt(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_signed_sqrt(t, a);
    if (tower_kind(a)) return a;
    for (unsigned i = 0; i < t->length; i++)
        a.component[i] = tower_power(a.component[i], (t->prime[i].p + 1) / 4, t->prime[i].p);
    return with_state(t, a, without_signs(t, a.state));
}

TowerPayload tower_rsqrt(const Tower *t, TowerPayload a) {
    return tower_div(t, t->one, tower_sqrt(t, a), TOWER_IEEE_POSITIVE);
}

// By squaring.
TowerPayload tower_powi(const Tower *t, TowerPayload a, int64_t exponent) {
    if (t->plain) return tower_signed_powi(t, a, exponent);
    if (tower_is_poison(a)) return a; // a^0 too
    TowerPayload r = t->one;
    for (uint64_t n = exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent; n; n >>= 1) {
        if (n & 1) r = tower_mul(t, r, a, TOWER_IEEE_POSITIVE);
        if (n > 1) a = tower_mul(t, a, a, TOWER_IEEE_POSITIVE);
    }
    return exponent < 0 ? tower_div(t, t->one, r, TOWER_IEEE_POSITIVE) : r;
}

// Whole and half exponents are powers of a and of its root.
TowerPayload tower_pow(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign) {
    TowerPayload poison;
    int n;
    if (t->plain) b = tower_unsigned(b);
    if (either_poison(t, a, b, &poison)) return t->plain ? tower_unsigned(poison) : poison;
    if (!has_signs(t, b.state)) {
        if (tower_known_integer(t, b, &n)) return carrying(t, tower_powi(t, a, n), b.state);
        if (tower_known_integer(t, tower_add(t, b, b), &n))
            return carrying(t, tower_powi(t, tower_sqrt(t, a), n), b.state);
    }
    return tower_exp2(t, tower_mul(t, b, tower_log2(t, a), ieee_sign), 0);
}

// ---- what follows from exp ------------------------------------------------------------------------------------------

TowerPayload tower_tanh(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_tanh(t->plain, tower_unsigned(a));
    TowerKind kind = tower_kind(a);
    if (tower_is_poison(a)) return a;
    if (kind == TOWER_POSITIVE_INFINITY) return carrying(t, t->one, a.state);
    if (kind == TOWER_NEGATIVE_INFINITY) return carrying(t, t->minus_one, a.state);
    TowerPayload e = tower_exp(t, tower_add(t, a, a), 0);
    return tower_div(t, tower_add(t, e, t->minus_one), tower_add(t, e, t->one), TOWER_IEEE_POSITIVE);
}

// (e^a + e^-a) / 2 or (e^a - e^-a) / 2.
static TowerPayload hyperbolic(const Tower *t, TowerPayload a, bool is_sinh) {
    if (tower_is_poison(a)) return a;
    TowerPayload up = tower_exp(t, a, 0), down = tower_exp(t, tower_neg(t, a), 0);
    TowerPayload sum = is_sinh ? tower_sub(t, up, down) : tower_add(t, up, down);
    return tower_kind(sum) ? sum : tower_mul(t, sum, tower_rational(t, 1, 2), TOWER_IEEE_POSITIVE);
}

TowerPayload tower_sinh(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_sinh(t->plain, tower_unsigned(a));
    return hyperbolic(t, a, true);
}

TowerPayload tower_cosh(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_cosh(t->plain, tower_unsigned(a));
    return hyperbolic(t, a, false);
}

// ---- functions without a law ----------------------------------------------------------------------------------------

TowerPayload tower_tag(const Tower *t, const char *name, const TowerPayload *operands, unsigned count) {
    if (t->plain) return tower_unsigned(tower_tag(t->plain, name, operands, count));
    TowerPayload poison;
    uint32_t states = 0;
    if (find_poison(t, operands, count, &poison)) return poison;
    for (unsigned k = 0; k < count; k++) states |= operands[k].state;
    if (states & TOWER_KIND) return carrying(t, tower_special(TOWER_NAN), states);
    TowerPayload r = {0};
    for (unsigned i = 0; i < t->length; i++) {
        uint64_t seed = tower_tag_seed(t, name, i);
        uint32_t h = (uint32_t)seed;
        for (unsigned k = 0; k < count; k++)
            h = tower_mix(tower_mix(h ^ operands[k].component[i]) + (uint32_t)(seed >> 32));
        r.component[i] = (uint32_t)((uint64_t)h * t->prime[i].p >> 32);
    }
    return with_state(t, r, without_signs(t, states));
}

// ---- angles ---------------------------------------------------------------------------------------------------------

// The point of the unit circle that a hash chooses for x or -x, mirrored for the latter: sines are odd, cosines even.
// With z = (a + b i) (c + d i), all four small and chosen by the hash, it is z^2 / |z|^2, and mirrored on both axes and
// between them as further bits say. a and c are even, b and d odd, so that no coordinate is 0.
TowerPoint tower_point(uint32_t h) {
    int a = 2 + 2 * (int)(h & 31), b = 1 + 2 * (int)(h >> 5 & 31);
    int c = 2 + 2 * (int)(h >> 10 & 31), d = 1 + 2 * (int)(h >> 15 & 31);
    int x = a * c - b * d, y = a * d + b * c, cosine = (x + y) * (x - y), sine = 2 * x * y;
    bool exchanged = h & TOWER_POINT_EXCHANGED;
    TowerPoint point = {exchanged ? sine : cosine, exchanged ? cosine : sine, (a * a + b * b) * (c * c + d * d)};
    if (h & TOWER_POINT_LEFT) point.cosine = -point.cosine;
    if (h & TOWER_POINT_BELOW) point.sine = -point.sine;
    return point;
}

typedef struct Angle {
    TowerPayload cosine, sine;
} Angle;

static Angle angle_of(const Tower *t, TowerPayload a) {
    Angle r = {a, a};
    if (tower_is_poison(a)) return r;
    if (tower_kind(a))
        return (Angle){carrying(t, tower_special(TOWER_NAN), a.state), carrying(t, tower_special(TOWER_NAN), a.state)};
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p, x = a.component[i];
        bool negative = x > p - x;
        TowerPoint point = tower_point(tower_angle_hash(t, i, negative ? p - x : x));
        uint32_t inverse = tower_power((uint64_t)point.radius, p - 2, p);
        r.cosine.component[i] = x ? tower_mul_mod(tower_signed_residue(point.cosine, p), inverse, p) : 1;
        r.sine.component[i] =
            x ? tower_mul_mod(tower_signed_residue(negative ? -point.sine : point.sine, p), inverse, p) : 0;
    }
    r.cosine = with_state(t, r.cosine, without_signs(t, a.state));
    r.sine = with_state(t, r.sine, r.cosine.state);
    return r;
}

TowerPayload tower_cos(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_cos(t->plain, tower_unsigned(a));
    return angle_of(t, a).cosine;
}

TowerPayload tower_sin(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_sin(t->plain, tower_unsigned(a));
    return angle_of(t, a).sine;
}

TowerPayload tower_tan(const Tower *t, TowerPayload a) {
    if (t->plain) return tower_tan(t->plain, tower_unsigned(a));
    Angle angle = angle_of(t, a);
    return tower_div(t, angle.sine, angle.cosine, TOWER_IEEE_POSITIVE);
}

// ---- verdicts -------------------------------------------------------------------------------------------------------

static TowerVerdict decide(TowerVerdict verdict, uint32_t components, unsigned *decided) {
    if (decided) *decided = (unsigned)__builtin_popcount(components);
    return verdict;
}

// Components that are weak on one side only decide nothing against.
TowerVerdict tower_compare(const Tower *t, TowerPayload a, TowerPayload b, unsigned *decided) {
    TowerKind ka = tower_kind(a), kb = tower_kind(b);
    if (ka || kb) return decide(ka != kb ? TOWER_DIFFER : ka == TOWER_NAN ? TOWER_UNKNOWN : TOWER_EQUAL, 0, decided);
    uint32_t both = ~tower_group(t, a.state | b.state, TOWER_MISSING_SHIFT) & tower_components(t), agree = 0;
    uint32_t strong = both & ~tower_group(t, a.state ^ b.state, TOWER_WEAK_SHIFT);
    for (unsigned i = 0; i < t->length; i++)
        if (a.component[i] == b.component[i]) agree |= both & 1u << i;
    if (strong & ~agree) return decide(agree ? TOWER_ROOTS : TOWER_DIFFER, strong, decided);
    return decide(strong || agree ? TOWER_EQUAL : TOWER_UNKNOWN, strong ? strong : agree, decided);
}

bool tower_equal_up_to_signs(const Tower *t, TowerPayload a, TowerPayload b) {
    uint32_t both = ~tower_group(t, a.state | b.state, TOWER_MISSING_SHIFT) & tower_components(t);
    bool equal = both && !tower_kind(a) && !tower_kind(b);
    for (unsigned i = 0; i < t->length; i++)
        if (both >> i & 1 && a.component[i] != b.component[i] && a.component[i] + b.component[i] != t->prime[i].p)
            equal = false;
    return equal;
}
