// SPDX-License-Identifier: Apache-2.0
// The chains of primes p_{i+1} = 2 p_i + 1, searched and tested, and the constants of a chain.
#include "sanitizer/tower_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// ---- primes ---------------------------------------------------------------------------------------------------------

static uint64_t power_mod(uint64_t base, uint64_t exponent, uint64_t modulus) {
    unsigned __int128 result = 1, square = base % modulus;
    for (; exponent; exponent >>= 1, square = square * square % modulus)
        if (exponent & 1) result = result * square % modulus;
    return (uint64_t)result;
}

uint32_t tower_power(uint64_t base, uint64_t exponent, uint32_t p) {
    uint64_t result = 1, square = base % p;
    for (; exponent; exponent >>= 1, square = square * square % p)
        if (exponent & 1) result = result * square % p;
    return (uint32_t)result;
}

// Whether n, odd, is a strong probable prime to the base.
static bool passes(uint64_t n, uint64_t base) {
    unsigned twos = (unsigned)__builtin_ctzll(n - 1);
    unsigned __int128 x = power_mod(base, (n - 1) >> twos, n);
    if (x == 1 || x == n - 1) return true;
    for (unsigned i = 1; i < twos; i++) {
        x = x * x % n;
        if (x == n - 1) return true;
    }
    return false;
}

// The first twelve primes as bases decide every n below 3.3 * 10^24 (Sorenson and Webster, 2015).
bool tower_is_prime(uint64_t n) {
    static const uint64_t small[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    enum { COUNT = sizeof small / sizeof *small };
    for (unsigned i = 0; i < COUNT; i++)
        if (n % small[i] == 0) return n == small[i];
    if (n < 2) return false;
    for (unsigned i = 0; i < COUNT; i++)
        if (!passes(n, small[i])) return false;
    return true;
}

// ---- BLAKE2b (RFC 7693), unkeyed, a digest of 8 bytes, of a text of at most one block -------------------------------

enum { BLAKE_BLOCK = 128, BLAKE_ROUNDS = 12 };

static uint64_t rotate_right(uint64_t x, unsigned by) {
    return x >> by | x << (64 - by);
}

// Mixes a column of v, four rows of four words (turn 0), or a diagonal (turn 1).
static void blake_mix(uint64_t *v, unsigned i, unsigned turn, uint64_t x, uint64_t y) {
    const unsigned a = i, b = 4 + (i + turn) % 4, c = 8 + (i + 2 * turn) % 4, d = 12 + (i + 3 * turn) % 4;
    v[a] += v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 63);
}

static uint64_t blake2b_64(const char *text) {
    static const uint64_t start[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                      0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    static const uint8_t order[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
    char block[BLAKE_BLOCK] = {0};
    size_t length = strnlen(text, BLAKE_BLOCK);
    memcpy(block, text, length);
    uint64_t message[16], v[16];
    memcpy(message, block, sizeof message); // little endian
    memcpy(v, start, sizeof start);
    memcpy(v + 8, start, sizeof start);
    uint64_t first = start[0] ^ 0x01010000 ^ 8; // the parameter block: fan-out 1, depth 1, no key, 8 bytes
    v[0] = first;
    v[12] ^= length;
    v[14] = ~v[14]; // the last block
    for (unsigned round = 0; round < BLAKE_ROUNDS; round++) {
        const uint8_t *s = order[round % 10];
        for (unsigned i = 0; i < 4; i++) blake_mix(v, i, 0, message[s[2 * i]], message[s[2 * i + 1]]);
        for (unsigned i = 0; i < 4; i++) blake_mix(v, i, 1, message[s[8 + 2 * i]], message[s[9 + 2 * i]]);
    }
    return first ^ v[0] ^ v[8];
}

// ---- chains ---------------------------------------------------------------------------------------------------------

// Every p_i is -1 mod 8*3*5*7*11 if p_0 is. Then -1 is no square, and 2, 3, 5, 7 and 11 are, so that sqrt(k^2) = k for
// the sizes that people use, and 2, a square, has order p_i modulo p_{i+1}.
//
// BITS: a product of two residues has at most 52 bits, which vpmadd52luq multiplies and adds in one instruction.
//
// Parts of a turn are known in field i if they divide p_i + 1 = 2^i (p_0 + 1). The chain that runs use has two factors
// of 2 more, FIRST_RESIDUE, so that 32 parts are known in all fields; only few chains have.
enum { RESIDUE = 8 * 3 * 5 * 7 * 11, FIRST_RESIDUE = 4 * RESIDUE, BITS = 26 };

// Of deep chains. With 11 there is only one.
enum { DEEP_RESIDUE = 8 * 3 * 5 * 7, DEEP_BITS = 27 };

static bool is_chain(uint32_t p, unsigned length) {
    for (unsigned i = 0; i < length; i++, p = 2 * p + 1)
        if (!tower_is_prime(p)) return false;
    return true;
}

static TowerPrime describe_prime(uint32_t p) {
    TowerPrime prime = {.p = p, .bits = 32 - (unsigned)__builtin_clz(p)};
    prime.barrett = (uint32_t)(((uint64_t)1 << (prime.bits + 31)) / p);
    return prime;
}

static TowerPayload name_number(const Tower *t, const char *name) {
    TowerPayload a = {0};
    for (unsigned i = 0; i < t->length; i++) {
        char text[BLAKE_BLOCK];
        snprintf(text, sizeof text, "%s%u", name, t->prime[i].p);
        a.component[i] = (uint32_t)(blake2b_64(text) % t->prime[i].p);
    }
    return a;
}

static void describe_chain(Tower *t, unsigned index, unsigned length, uint32_t p) {
    t->index = index;
    t->length = length;
    t->integer_max = length > TOWER_LENGTH ? TOWER_DEEP_INTEGER_MAX : TOWER_INTEGER_MAX;
    for (unsigned i = 0; i < length; i++, p = 2 * p + 1) {
        t->prime[i] = describe_prime(p);
        t->turn[i] = tower_find_turn(p);
    }
    t->zero = tower_rational(t, 0, 1);
    t->one = tower_rational(t, 1, 1);
    t->minus_one = tower_rational(t, -1, 1);
    t->log2e = name_number(t, "log2(e)");
    t->sqrt_2_pi = name_number(t, "sqrt(2/pi)");
    for (unsigned i = 0; i < length; i++)
        t->ln2.component[i] = tower_power(t->log2e.component[i], t->prime[i].p - 2, t->prime[i].p);
}

static struct {
    pthread_once_t once;
    Tower towers[TOWER_ALL];
} found = {.once = PTHREAD_ONCE_INIT}; // written once

static void find_deep_chains(void) {
    uint32_t first = 0;
    for (unsigned count = 0; count < TOWER_DEEP_CHAINS; count++) {
        const uint32_t residue = count ? DEEP_RESIDUE : RESIDUE;
        uint32_t p = (1u << (DEEP_BITS - TOWER_LENGTH_MAX + 1)) / residue * residue - 1;
        while (p == first || !is_chain(p, TOWER_LENGTH_MAX)) p -= residue;
        describe_chain(&found.towers[TOWER_DEEP + count], TOWER_CHAINS + count, TOWER_LENGTH_MAX, p);
        if (!count) first = p;
    }
}

// The largest p below `end` that is -1 mod `residue` and begins a chain.
static uint32_t chain_below(uint32_t end, uint32_t residue) {
    uint32_t p = end / residue * residue - 1;
    while (!is_chain(p, TOWER_LENGTH)) p -= residue;
    return p;
}

static void find_chains(void) {
    const uint32_t end = 1u << (BITS - TOWER_LENGTH + 1), first = chain_below(end, FIRST_RESIDUE);
    describe_chain(&found.towers[0], 0, TOWER_LENGTH, first);
    uint32_t p = end;
    for (unsigned count = 1; count < TOWER_CHAINS;) {
        p = chain_below(p, RESIDUE);
        if (p != first) describe_chain(&found.towers[count], count, TOWER_LENGTH, p), count++;
    }
    for (unsigned i = 0; i < TOWER_CHAINS; i++) {
        found.towers[TOWER_CHAINS + i] = found.towers[i];
        found.towers[TOWER_CHAINS + i].plain = &found.towers[i];
    }
    find_deep_chains();
    found.towers[TOWER_DEGREES] = found.towers[TOWER_DEEP];
    found.towers[TOWER_DEGREES].degrees = true;
    for (unsigned i = 0; i < TOWER_ALL; i++) found.towers[i].number = i;
}

const Tower *tower_chain(unsigned index) {
    pthread_once(&found.once, find_chains);
    return &found.towers[index];
}
