// SPDX-License-Identifier: Apache-2.0
// Shared by the tower's files: arithmetic modulo a prime below 2^29, fields of the state word, and the hash of `tag`.
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

// One field of a state as a number, and back.
static inline uint32_t tower_field(uint32_t state, unsigned shift) {
    return state >> shift & 0xf;
}
static inline TowerKind tower_kind(TowerPayload a) {
    return (TowerKind)(a.state >> TOWER_KIND_SHIFT & 3);
}

// The state in the form that TowerPayload asks for.
static inline uint32_t tower_normal_state(uint32_t state) {
    uint32_t missing = tower_field(state, TOWER_MISSING_SHIFT), lost = tower_field(state, TOWER_LOST_SHIFT);
    state &= ~(missing << TOWER_LOST_SHIFT | missing << TOWER_WEAK_SHIFT | (missing | lost) << TOWER_SIGN_SHIFT);
    return state & TOWER_SIGN ? state : state & ~(uint32_t)TOWER_BASE_E;
}

// ---- the hash of `tag` ----------------------------------------------------------------------------------------------

// Of component i: h = seed's low half; for each operand h = mix(mix(h ^ x) + high half); the result is h * p / 2^32.
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

#endif
