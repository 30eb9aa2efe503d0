// SPDX-License-Identifier: Apache-2.0
// The second convention for roots, in signed towers: roots know their signs.
//
// A field has no root of what is no square there, and which of two roots is meant it cannot know: -1 is no square, so
// exactly one of x and -x is one, and sqrt(x)^2 is x or -x. Here a number is v i^h with i^2 = -1: half of the numbers
// have their roots in F_p i. And positive numbers have a phase, as if they were powers of exp(2 pi i): 0 for squares
// and 1 for others, plus h/2, modulo 4. Under products phases add up, so that u u, of phase 2, is told from other
// squares: half its phase is u's, and sqrt(u u) = u. A number that is negative in IEEE has the phase of its magnitude,
// so that sqrt(x x) = |x|.
//
// h and what the phase has beyond h/2 and the square are in the state (TOWER_HALF, TOWER_TURNED). A sum has h if all of
// its terms do: beside a number without h another one's is forgotten, and so it is by every function but roots and
// powers. Laws that mix the two may fail; that is why this is a second evaluation and not the first.
#include "sanitizer/tower_internal.h"

// ---- phases ---------------------------------------------------------------------------------------------------------

// (a/p), the quadratic character, of a > 0.
static bool is_nonresidue(uint32_t a, uint32_t p) {
    bool negative = false;
    while (a) {
        unsigned twos = (unsigned)__builtin_ctz(a);
        a >>= twos;
        if (twos & 1 && (p % 8 == 3 || p % 8 == 5)) negative = !negative;
        if (a % 4 == 3 && p % 4 == 3) negative = !negative;
        uint32_t rest = p % a;
        p = a;
        a = rest;
    }
    return negative;
}

// In halves, modulo 8.
static unsigned phase_of(const Tower *t, TowerPayload a, unsigned i) {
    uint32_t p = t->prime[i].p, v = a.component[i];
    if (a.state & TOWER_NEGATIVE) v = tower_neg_mod(v, p);
    return (a.state >> (TOWER_HALF_SHIFT + i) & 1) + (v && is_nonresidue(v, p) ? 2 : 0) +
           (a.state >> (TOWER_TURNED_SHIFT + i) & 1) * 4;
}

static bool has_half(TowerPayload a, unsigned i) {
    return a.state >> (TOWER_HALF_SHIFT + i) & 1;
}

static void set_phase(TowerPayload *a, unsigned i, unsigned phase) {
    a->state |= (phase & 1) << (TOWER_HALF_SHIFT + i) | (phase >> 2 & 1) << (TOWER_TURNED_SHIFT + i);
}

static void negate(const Tower *t, TowerPayload *a, unsigned i) {
    a->component[i] = tower_neg_mod(a->component[i], t->prime[i].p);
}

// Whether the component has a phase.
static bool is_number(TowerPayload a, unsigned i) {
    return a.component[i] && !(a.state & TOWER_KIND) && !(a.state >> (TOWER_MISSING_SHIFT + i) & 1);
}

TowerPayload tower_unsigned(TowerPayload a) {
    a.state &= ~(uint32_t)(TOWER_PHASE | TOWER_NEGATIVE);
    return a;
}

// ---- the rules ------------------------------------------------------------------------------------------------------

TowerPayload tower_signed_add(const Tower *t, TowerPayload a, TowerPayload b) {
    TowerPayload r = tower_add(t->plain, tower_unsigned(a), tower_unsigned(b));
    if (tower_kind(r)) return r;
    for (unsigned i = 0; i < t->length; i++) {
        const uint32_t bits = 1u << (TOWER_HALF_SHIFT + i) | 1u << (TOWER_TURNED_SHIFT + i);
        const uint32_t half = 1u << (TOWER_HALF_SHIFT + i);
        if (r.state >> (TOWER_MISSING_SHIFT + i) & 1) continue;
        r.state |= !a.component[i] ? b.state & bits : !b.component[i] ? a.state & bits : a.state & b.state & half;
    }
    return r;
}

TowerPayload tower_signed_mul(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign) {
    TowerPayload r = tower_mul(t->plain, tower_unsigned(a), tower_unsigned(b), ieee_sign);
    for (unsigned i = 0; i < t->length; i++) {
        if (!is_number(r, i)) continue;
        if (has_half(a, i) && has_half(b, i)) negate(t, &r, i); // i i = -1
        set_phase(&r, i, phase_of(t, a, i) + phase_of(t, b, i));
    }
    return r;
}

TowerPayload tower_signed_div(const Tower *t, TowerPayload a, TowerPayload b, int ieee_sign) {
    TowerPayload r = tower_div(t->plain, tower_unsigned(a), tower_unsigned(b), ieee_sign);
    for (unsigned i = 0; i < t->length; i++) {
        if (!is_number(r, i)) continue;
        if (!has_half(a, i) && has_half(b, i)) negate(t, &r, i); // 1/i = -i
        set_phase(&r, i, phase_of(t, a, i) - phase_of(t, b, i));
    }
    return r;
}

// The root in the field, itself a square, or its negative: half the phase says. The root of a root has no phase here.
TowerPayload tower_signed_sqrt(const Tower *t, TowerPayload a) {
    TowerPayload r = tower_sqrt(t->plain, tower_unsigned(a));
    for (unsigned i = 0; i < t->length; i++) {
        unsigned phase = phase_of(t, a, i);
        if (!is_number(r, i) || phase & 1) continue;
        if (phase & 4) negate(t, &r, i);
        set_phase(&r, i, phase / 2);
    }
    return r;
}

TowerPayload tower_signed_powi(const Tower *t, TowerPayload a, int64_t exponent) {
    TowerPayload r = tower_powi(t->plain, tower_unsigned(a), exponent);
    for (unsigned i = 0; i < t->length; i++) {
        if (!is_number(r, i)) continue;
        if (has_half(a, i) && exponent & 2) negate(t, &r, i); // i^2 and i^3
        set_phase(&r, i, phase_of(t, a, i) * (unsigned)exponent);
    }
    return r;
}
