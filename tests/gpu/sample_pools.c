// SPDX-License-Identifier: Apache-2.0
// The operands of single instructions: eight kinds, one beside the other in a pool.
#include "tests/gpu/samples.h"

#include <math.h>
#include <string.h>

uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#define PICK(list, random) ((list)[(random) % BASE_COUNT(list)])
static const uint16_t special_f16[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00,
                                       0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00, 0x7fff,
                                       0xffff, 0x4000, 0x3800, 0x7d55, 0xfc01, 0x6400, 0x57ff, 0x1400};
static const uint16_t special_bf16[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80, 0xbf80,
                                        0x3f7f, 0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffc0,
                                        0x7fff, 0xffff, 0x4000, 0x4f00, 0xcf00, 0x4380, 0x2000, 0xff81};
static const uint32_t special_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
    0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xff800001,
    0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0x477fe000, 0x477ff000, 0x477fefff, 0xc77ff000, 0x38800000,
    0x387fc000, 0x33000000, 0x33000001, 0x33800000, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x4f7fffff,
    0x5f000000, 0xdf000000, 0x5f800000, 0x3f000000, 0x3fc00000, 0x40200000, 0x43e00000, 0x43e80000, 0x43e7ffff,
    0x47600000, 0x47700000, 0x476fffff, 0x3c800000, 0x3b000000, 0x3a800000, 0x38000000, 0x37800000, 0x7f7f8000,
    0x7f7f7fff, 0x7f7ff000, 0x7f7fefff, 0x00400000, 0x007fe000, 0x40490fdb, 0x7f234567, 0xff9abcde};
static const uint64_t special_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x3fefffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000,
    0xfff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff,
    0x47effffff0000000, 0x3810000000000000, 0x380fffffc0000000, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x40effc0000000000, 0x40effe0000000000, 0x3f10000000000000, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000, 0x41efffffffe00000, 0x43e0000000000000,
    0xc3e0000000000000, 0x43f0000000000000, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000};
static const int64_t special_integers[] = {
    0,   1,     -1,    2,      7,      8,     15,    16,        23,        24,         31,        32,       33,  47,
    48,  63,    64,    65,     127,    128,   -128,  -129,      255,       256,        257,       300,      511, 1023,
    -32, 32767, 32768, -32768, -32769, 65535, 65536, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};

static uint32_t moderate_f32(uint64_t r) {
    return (uint32_t)(r & 0x807fffff) | (uint32_t)(119 + (r >> 32) % 16) << 23;
}

static uint16_t moderate_f16(uint64_t r) {
    return (uint16_t)((r & 0x83ff) | (11 + (r >> 32) % 8) << 10);
}

static uint16_t moderate_bf16(uint64_t r) {
    return (uint16_t)((r & 0x807f) | (123 + (r >> 32) % 8) << 7);
}

static uint8_t moderate_f8(uint64_t r) { // in e4m3 and in e5m2
    return (uint8_t)((r & 0x80) | (0x30 + (r >> 32) % 24));
}

static uint16_t half_of_class(unsigned class, uint64_t *random) {
    const uint64_t a = next_random(random), b = next_random(random);
    switch (class) {
    case 3: return PICK(special_f16, a);
    case 4: return moderate_f16(a);
    case 5: return b & 1 ? PICK(special_bf16, a) : moderate_bf16(a);
    default: return (uint16_t)(moderate_f8(a) | moderate_f8(b) << 8);
    }
}

static uint64_t bits_of_class(unsigned class, unsigned bits, uint64_t *random) {
    const uint64_t a = next_random(random);
    double number;
    uint64_t result = 0;
    switch (class) {
    case 0: return a;
    case 1: return bits == 64 ? PICK(special_f64, a) : bits == 16 ? PICK(special_f16, a) : PICK(special_f32, a);
    case 2:
        if (bits == 16) return moderate_f16(a);
        if (bits == 32) return moderate_f32(a);
        number = ldexp((double)(int64_t)next_random(random), (int)(a % 24) - 72); // rounds in every way
        memcpy(&result, &number, sizeof result);
        return result;
    case 6: return (uint64_t)PICK(special_integers, a);
    default:
        for (unsigned at = 0; at < bits; at += 16) result |= (uint64_t)half_of_class(class, random) << at;
        return result;
    }
}

// Of approximate instructions: all magnitudes, moderate ones, around 0, around 1.
static uint32_t bits_of_number(unsigned class, uint64_t *random) {
    const uint64_t a = next_random(random);
    float number = (float)((double)(int64_t)a * 0x1p-60); // within 8
    uint32_t bits;
    if (class == 0) return a % 64 ? (uint32_t)(a >> 32) : PICK(special_f32, a >> 32);
    if (class == 1) return (uint32_t)(a & 0x807fffff) | (uint32_t)(107 + (a >> 32) % 40) << 23;
    if (class == 3) number = (float)(1 + (double)(int64_t)a * 0x1p-64); // 0.5 to 1.5
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static bool write_pool(const char *folder, const char *name, size_t size, const void *bytes) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    const bool good = file_write(&diagnostics, arena_format(&arena, "%s/%s.bin", folder, name), bytes, size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return good;
}

const SamplePool pools[POOLS] = {
    {'c', 8, "P8", "i8"}, {'h', 16, "P16", "i16"}, {'r', 32, "P32", "i32"}, {'d', 64, "P64", "i64"}};

bool write_pools(const char *folder) {
    static uint8_t bytes[POOL * 8];
    static uint32_t numbers[APPROXIMATE];
    static uint64_t memory[THREADS * MEMORY / 8];
    uint64_t random = 1;
    for (size_t i = 0; i < BASE_COUNT(memory); i++) memory[i] = bits_of_class(i / 2 % POOL_CLASSES, 64, &random);
    for (size_t i = 0; i < BASE_COUNT(memory); i++)
        if (i / 2 % POOL_CLASSES == 1 || i / 2 % POOL_CLASSES == 2) // of two f32
            memory[i] = bits_of_class(i / 2 % POOL_CLASSES, 32, &random) |
                        bits_of_class(i / 2 % POOL_CLASSES, 32, &random) << 32;
    if (!write_pool(folder, "MEMORY", sizeof memory, memory)) return false;
    for (size_t p = 0; p < POOLS; p++) {
        const size_t size = pools[p].bits / 8;
        for (size_t i = 0; i < POOL; i++) {
            const uint64_t value = bits_of_class(i % POOL_CLASSES, pools[p].bits, &random);
            memcpy(bytes + i * size, &value, size);
        }
        if (!write_pool(folder, pools[p].name, POOL * size, bytes)) return false;
    }
    for (size_t i = 0; i < APPROXIMATE; i++) numbers[i] = bits_of_number(i % 4, &random);
    return write_pool(folder, "NUMBERS", sizeof numbers, numbers);
}
