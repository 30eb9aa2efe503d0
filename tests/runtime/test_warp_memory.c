// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics of warps: what they move, in all spaces, sizes and patterns of addresses; which are
// refused.
#include "tests/runtime/warp_lab.h"

#include <criterion/criterion.h>

static uint64_t number_of(const WarpState *w) {
    return warp_lab_parameters(w)->number;
}

// ---- patterns: the kernel does accesses that a table of bytes in the test does as well

enum { BYTES = 4096, STEPS = 60 };

typedef struct Random {
    uint64_t state;
} Random;

static uint32_t draw(Random *random, uint32_t below) {
    random->state = random->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random->state >> 33) % below;
}

static uint64_t base_of(const WarpState *w, uint32_t space) {
    const uint64_t window = (uint64_t)space << WARP_WINDOW_SHIFT;
    return space == WARP_GLOBAL   ? warp_lab_parameters(w)->a
           : space == WARP_SHARED ? window + WARP_SHARED_FIRST
                                  : window;
}

// Addresses of lanes as offsets: one after the other, all the same, or anywhere. A store's are all different.
static void draw_offsets(Random *random, uint32_t size, bool store, uint32_t offsets[WARP_LANES]) {
    const uint32_t pattern = draw(random, store ? 2 : 4), slots = BYTES / size,
                   first = draw(random, slots - WARP_LANES);
    const uint32_t factor = draw(random, 16) * 2 + 1;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint32_t slot = pattern == 0   ? first + l
                              : pattern == 1 ? (first + l * factor) % slots
                              : pattern == 2 ? first
                                             : draw(random, slots);
        offsets[l] = slot * size;
    }
}

static uint8_t expected[WARP_LANES][BYTES]; // of each lane where memory is the lane's own, else of lane 0
static bool found_wrong;

static uint8_t *model_at(uint32_t space, uint32_t lane, uint32_t offset) {
    return &expected[space == WARP_LOCAL ? lane : 0][offset];
}

static void check_load(WarpState *w, uint32_t mask, const WarpAccess *access, const uint64_t *addresses, uint32_t space,
                       const uint32_t *offsets) {
    static uint8_t values[WARP_LANES * 128];
    memset(values, 0xEE, sizeof values);
    w->ops->load(w, mask, access, addresses, values);
    for (uint32_t l = 0; l < WARP_LANES; l++)
        for (uint32_t e = 0; e < access->count; e++)
            for (uint32_t b = 0; b < access->bytes; b++) {
                const uint8_t got = values[(WARP_LANES * e + l) * access->bytes + b];
                const uint8_t wanted = mask >> l & 1 ? *model_at(space, l, offsets[l] + e * access->bytes + b) : 0xEE;
                found_wrong |= got != wanted;
            }
}

static void do_store(WarpState *w, uint32_t mask, const WarpAccess *access, const uint64_t *addresses, uint32_t space,
                     const uint32_t *offsets, Random *random) {
    static uint8_t values[WARP_LANES * 128];
    for (size_t i = 0; i < sizeof values; i++) values[i] = (uint8_t)draw(random, 256);
    w->ops->store(w, mask, access, addresses, values);
    for (uint32_t l = 0; l < WARP_LANES; l++)
        for (uint32_t e = 0; e < access->count && mask >> l & 1; e++)
            for (uint32_t b = 0; b < access->bytes; b++)
                *model_at(space, l, offsets[l] + e * access->bytes + b) =
                    values[(WARP_LANES * e + l) * access->bytes + b];
}

static void move_at_random(WarpState *w) {
    Random random = {number_of(w)};
    const uint32_t space = (uint32_t[]){WARP_GLOBAL, WARP_SHARED, WARP_LOCAL}[draw(&random, 3)];
    memset(expected, 0, sizeof expected);
    w->local_top = BYTES;
    const bool generic = draw(&random, 2);
    for (int step = 0; step < STEPS; step++) {
        const uint32_t bytes = 1u << draw(&random, 5), count = 1u << draw(&random, bytes == 16 ? 1 : 3);
        const uint32_t mask = draw(&random, 2) ? ALL : draw(&random, UINT32_MAX) | 1u << draw(&random, 32);
        const bool store = draw(&random, 2);
        uint32_t offsets[WARP_LANES];
        uint64_t addresses[WARP_LANES];
        draw_offsets(&random, bytes * count, store, offsets);
        const uint64_t window = generic ? UINT64_MAX : (UINT64_C(1) << WARP_WINDOW_SHIFT) - 1;
        for (uint32_t l = 0; l < WARP_LANES; l++) addresses[l] = (base_of(w, space) & window) + offsets[l];
        const WarpAccess access = {.place = LOAD_A,
                                   .space = (uint8_t)(generic ? WARP_GENERIC : space),
                                   .bytes = (uint8_t)bytes,
                                   .count = (uint8_t)count,
                                   .flags = draw(&random, 4) ? 0 : WARP_RELAXED};
        for (uint32_t l = 0; l < WARP_LANES; l++)
            if (!(mask >> l & 1)) addresses[l] = draw(&random, 2) ? 0 : UINT64_MAX - 7;
        if (store)
            do_store(w, mask, &access, addresses, space, offsets, &random);
        else
            check_load(w, mask, &access, addresses, space, offsets);
        lab_sync(w, ALL);
    }
    lab_end(w);
}

Test(warp_memory, accesses_of_all_patterns_and_sizes) {
    WarpLab lab = warp_lab_open(1, move_at_random, 32, BYTES);
    static uint8_t zeros[BYTES];
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rt_copy_in(lab.device, &lab.diagnostics, lab.buffers[0], 0, zeros, BYTES);
        found_wrong = false;
        cr_assert(warp_lab_run(&lab, seed), "seed %d: %s", (int)seed, lab.text);
        cr_assert_not(found_wrong, "seed %d", (int)seed);
    }
    warp_lab_close(&lab);
}

// Local memory of a block is as new, whatever ran there before.
static void leave_behind(WarpState *w) {
    const LabWords before = lab_load_as(w, ALL, LOAD_A, WARP_LOCAL, 0, 48, 0);
    lab_store_as(w, ALL, STORE_A, WARP_GLOBAL, 0, warp_lab_parameters(w)->a + w->block[0] * 128, 4, before);
    lab_store_as(w, ALL, STORE_A, WARP_LOCAL, 0, 48, 0, lab_threads(w));
    lab_end(w);
}

Test(warp_memory, local_memory_begins_with_zeros) {
    WarpLab lab = warp_lab_open(1, leave_behind, 32, 0);
    lab.grid[0] = 5;
    cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
    uint32_t words[5 * 32];
    warp_lab_words(&lab, 0, words, 5 * 32);
    for (int i = 0; i < 5 * 32; i++) cr_assert_eq(words[i], 0);
    warp_lab_close(&lab);
}

// ---- atomics

// All threads of all blocks add: lane l to word l % number, and to one in shared memory.
static void add_everywhere(WarpState *w) {
    const uint64_t a = warp_lab_parameters(w)->a;
    const WarpAccess access = {.place = ATOM, .space = WARP_GLOBAL, .bytes = 4, .count = 1, .flags = WARP_RELAXED};
    uint64_t addresses[WARP_LANES];
    LabWords ones = lab_all(1), old;
    if (w->warp == 0) lab_store(w, 1, STORE_A, 0, 0, lab_all(0));
    lab_barrier(w, 0, 0);
    for (uint32_t l = 0; l < WARP_LANES; l++) addresses[l] = a + l % number_of(w) * 4;
    for (int i = 0; i < 50; i++) {
        w->ops->atomic(w, ALL, &access, lab_add_combine, addresses, &ones, NULL, &old);
        lab_add(w, ALL, WARP_SHARED, WARP_RELAXED, WARP_SHARED_FIRST, 0, ones);
    }
    lab_barrier(w, 0, 0);
    if (w->warp == 0) {
        const LabWords sum = lab_load(w, 1, LOAD_A, 0, 0);
        lab_store_as(w, 1, STORE_B, WARP_GLOBAL, 0, a + 1024 + w->block[0] * 4, 0, sum);
    }
    lab_end(w);
}

Test(warp_memory, atomics_lose_nothing) {
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
        WarpLab lab = warp_lab_open(jobs, add_everywhere, 128, 64);
        lab.grid[0] = 16;
        cr_assert(warp_lab_run(&lab, 8), "%s", lab.text);
        uint32_t words[272];
        warp_lab_words(&lab, 0, words, 272);
        for (int i = 0; i < 8; i++) cr_assert_eq(words[i], 16 * 128 / 8 * 50);
        for (int i = 0; i < 16; i++) cr_assert_eq(words[256 + i], 128 * 50);
        warp_lab_close(&lab);
    }
}

static void take_numbers(WarpState *w) {
    const LabWords old = lab_add(w, 0xF0F0F0F0, WARP_GENERIC, WARP_RELAXED, warp_lab_parameters(w)->a, 0, lab_all(3));
    lab_store_as(w, 0xF0F0F0F0, STORE_A, WARP_GLOBAL, 0, warp_lab_parameters(w)->b, 4, old);
    lab_end(w);
}

Test(warp_memory, lanes_update_in_their_order) {
    WarpLab lab = warp_lab_open(1, take_numbers, 32, 0);
    cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
    uint32_t words[32];
    warp_lab_words(&lab, 1, words, 32);
    for (uint32_t l = 0, before = 0; l < 32; l++)
        if (l & 4) cr_assert_eq(words[l], 3 * before++);
    warp_lab_close(&lab);
}

// Pairs of floats, and 16 bytes at once.
static void combine_pairs(const void *old, const void *operand, const void *swap, void *result) {
    (void)swap;
    for (int i = 0; i < 2; i++) ((float *)result)[i] = ((const float *)old)[i] + ((const float *)operand)[i];
}
static void swap_16_bytes(const void *old, const void *operand, const void *swap, void *result) {
    memcpy(result, memcmp(old, operand, 16) ? old : swap, 16);
}

static void update_pairs(WarpState *w) {
    WarpAccess access = {.place = ATOM, .space = WARP_GLOBAL, .bytes = 4, .count = 2, .flags = WARP_RELAXED};
    uint64_t addresses[WARP_LANES];
    float operands[2][WARP_LANES];
    uint64_t compare[WARP_LANES][2] = {{0}}, swap[WARP_LANES][2], old[WARP_LANES][2];
    lab_addresses(warp_lab_parameters(w)->a, 0, addresses);
    for (int l = 0; l < WARP_LANES; l++) {
        operands[0][l] = 1;
        operands[1][l] = 0.5f;
        swap[l][0] = swap[l][1] = (uint64_t)l + 1;
    }
    w->ops->atomic(w, ALL, &access, combine_pairs, addresses, operands, NULL, NULL);
    access.bytes = 16;
    access.count = 1;
    lab_addresses(warp_lab_parameters(w)->a + 64, 0, addresses);
    w->ops->atomic(w, ALL, &access, swap_16_bytes, addresses, compare, swap, old);
    lab_store_as(w, 1, STORE_A, WARP_GLOBAL, 0, warp_lab_parameters(w)->a + 128, 0, lab_all((uint32_t)old[31][1]));
    lab_end(w);
}

Test(warp_memory, atomics_of_pairs_and_of_16_bytes) {
    WarpLab lab = warp_lab_open(1, update_pairs, 32, 0);
    cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
    union {
        uint32_t words[33];
        float floats[33];
    } got;
    warp_lab_words(&lab, 0, got.words, 33);
    cr_assert_eq(got.floats[0], 32);
    cr_assert_eq(got.floats[1], 16);
    cr_assert_eq(got.words[16], 1);
    cr_assert_eq(got.words[18], 1);
    cr_assert_eq(got.words[32], 1, "the last lane finds what the first has written");
    warp_lab_close(&lab);
}

// ---- what is refused

typedef struct RefusedRow {
    uint32_t space;   // of the access
    bool buffer;      // the address is counted from buffer a on
    uint64_t address; // of lane 5, the others are good
    uint32_t what;    // 0 load, 1 store, 2 atomic
    const char *text;
} RefusedRow;
#define WINDOW(space) ((uint64_t)(space) << WARP_WINDOW_SHIFT)
static const RefusedRow refused_rows[] = {
    {WARP_GLOBAL, true, WARP_LAB_BUFFER_BYTES, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at byte 65536 of buffer a "
     "(65536 bytes) [E501]\n"},
    {WARP_GENERIC, true, UINT64_MAX - 3, 1,
     "k.ptx:2: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in st.a (k.ptx:2) at byte -4 of buffer a "
     "(65536 bytes) [E501]\n"},
    {WARP_GLOBAL, true, WARP_LAB_BUFFER_BYTES - 2, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at byte 65534 of buffer a "
     "(65536 bytes) [E501]\n"},
    {WARP_GLOBAL, true, 6, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at byte 6 of buffer a (65536 "
     "bytes), an address that is no multiple of 4 [E503]\n"},
    {WARP_GENERIC, false, 0, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at address 0x0, which is in "
     "no "
     "buffer of the launch [E501]\n"},
    {WARP_SHARED, false, WARP_SHARED_FIRST + 256, 1,
     "k.ptx:2: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in st.a (k.ptx:2) at byte 256 of shared memory "
     "[E501]\n"},
    {WARP_GENERIC, false, WINDOW(WARP_SHARED) + 1020, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at byte -4 of shared memory "
     "[E501]\n"},
    {WARP_LOCAL, false, 64, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at byte 64 of local memory "
     "[E501]\n"},
    {WARP_GENERIC, false, WINDOW(WARP_LOCAL) + 1000, 1,
     "k.ptx:2: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in st.a (k.ptx:2) at byte 1000 of local memory "
     "[E501]\n"},
    {WARP_PARAMETER, false, 24, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at byte 24 of the parameters "
     "[E501]\n"},
    {WARP_GENERIC, false, WINDOW(WARP_PARAMETER) + 8, 1,
     "k.ptx:2: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in st.a (k.ptx:2) at byte 8 of the parameters, "
     "which is read-only [E501]\n"},
    {WARP_GENERIC, false, UINT64_C(77) << WARP_WINDOW_SHIFT, 0,
     "k.ptx:1: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in ld.a (k.ptx:1) at address "
     "0x4d00000000000000, which is in "
     "no "
     "buffer of the launch [E501]\n"},
    {WARP_LOCAL, false, 8, 2,
     "k.ptx:5: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in atom (k.ptx:5) at byte 8 of local memory, "
     "which the instruction cannot access there [E503]\n"},
    {WARP_GLOBAL, true, WARP_LAB_BUFFER_BYTES, 2,
     "k.ptx:5: error: test: kernel lab: block (0, 0, 0): warp 0 lane 5 in atom (k.ptx:5) at byte 65536 of buffer a "
     "(65536 bytes) [E501]\n"},
};

static void do_refused(WarpState *w) {
    const RefusedRow *row = &refused_rows[number_of(w)];
    const WarpAccess access = {
        .place = row->what == 2 ? ATOM : LOAD_A + row->what, .space = (uint8_t)row->space, .bytes = 4, .count = 1};
    uint64_t addresses[WARP_LANES];
    LabWords words = lab_all(0);
    const uint64_t address = row->address + (row->buffer ? warp_lab_parameters(w)->a : 0);
    lab_addresses(row->space == WARP_SHARED                                  ? WARP_SHARED_FIRST
                  : row->space == WARP_LOCAL || row->space == WARP_PARAMETER ? 0
                                                                             : warp_lab_parameters(w)->a,
                  0, addresses);
    addresses[5] = address;
    if (row->what == 2)
        w->ops->atomic(w, 1u << 5, &access, lab_add_combine, addresses, &words, NULL, NULL);
    else if (row->what == 1)
        w->ops->store(w, ALL, &access, addresses, &words);
    else
        w->ops->load(w, ALL, &access, addresses, &words);
    lab_end(w);
}

Test(warp_memory, accesses_that_are_refused) {
    WarpLab lab = warp_lab_open(1, do_refused, 32, 256);
    for (uint64_t i = 0; i < BASE_COUNT(refused_rows); i++) {
        cr_expect_not(warp_lab_run(&lab, i));
        cr_expect_str_eq(lab.text, refused_rows[i].text);
    }
    warp_lab_close(&lab);
}

// In which space; odd numbers: lanes store the same.
static void store_different(WarpState *w) {
    const uint32_t space = number_of(w) & 2 ? WARP_GLOBAL : WARP_SHARED;
    const uint64_t at = space == WARP_GLOBAL ? warp_lab_parameters(w)->b : WARP_SHARED_FIRST + 16;
    LabWords words = number_of(w) & 1 ? lab_all(9) : lab_threads(w);
    for (uint32_t l = 0; l < WARP_LANES; l++) words.lane[l] += 100;
    lab_store_as(w, ALL & ~1u, STORE_A, space, 0, at, 0, words);
    lab_sync(w, ALL);
    lab_store_as(w, 1, STORE_B, WARP_GLOBAL, 0, warp_lab_parameters(w)->a, 4,
                 lab_load_as(w, 1, LOAD_A, space, 0, at, 0));
    lab_end(w);
}

Test(warp_memory, lanes_that_store_different_values_to_one_place) {
    WarpLab lab = warp_lab_open(1, store_different, 32, 256);
    for (uint64_t number = 0; number < 4; number++)
        for (int reverse = 0; reverse < 2; reverse++) {
            uint32_t stored;
            lab.threads.reverse = reverse;
            cr_expect(warp_lab_run(&lab, number), "%s", lab.text);
            warp_lab_words(&lab, 0, &stored, 1);
            cr_expect_eq(stored, number & 1 ? 109 : reverse ? 101 : 131, "%u", stored);
            cr_expect_eq(lab.warnings.count, number & 1 ? 0 : 1);
            if (number & 1) continue;
            const char *text =
                number & 2 ? "writes different values to byte 0 of buffer b"
                           : "warp 0 lanes 1 to 31 in st.a (k.ptx:2) writes different values to byte 16 of shared "
                             "memory from lanes 1 and 2, and either may stay there";
            cr_expect(strstr(lab.warnings.items[0].message, text), "%s", lab.warnings.items[0].message);
        }
    warp_lab_close(&lab);
}

// ---- launches

static void nothing(WarpState *w) {
    lab_end(w);
}

Test(warp_memory, launches_that_are_refused) {
    static const struct {
        uint32_t block[3], cluster[3], shared, required[3], most, fixed;
        const char *text;
    } rows[] = {
        {{32, 33, 1}, {1, 1, 1}, 0, {0}, 0, 0, "a block of 1056 threads, at most 1024 are allowed [E402]"},
        {{0, 1, 1}, {1, 1, 1}, 0, {0}, 0, 0, "block dimension x is 0, allowed are 1 to 1024 [E402]"},
        {{64, 1, 1},
         {1, 1, 1},
         0,
         {128},
         0,
         0,
         "a block of 64 x 1 x 1 threads, but the kernel is made for 128 x 1 x 1"},
        {{64, 1, 1}, {1, 1, 1}, 0, {0}, 32, 0, "a block of 64 threads, at most 32 are allowed"},
        {{64, 1, 1},
         {2, 1, 1},
         0,
         {0},
         0,
         0,
         "clusters of more than one block are not supported; this one has 2 x 1 x 1"},
        {{64, 1, 1},
         {1, 1, 1},
         232448,
         {0},
         0,
         16,
         "232464 bytes of shared memory (16 static, 232448 dynamic), at most 232448 are allowed"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        WarpLab lab = warp_lab_open(1, nothing, 32, rows[i].shared);
        memcpy(lab.threads.block, rows[i].block, sizeof rows[i].block);
        memcpy(lab.threads.cluster, rows[i].cluster, sizeof rows[i].cluster);
        memcpy(lab.kernel.required_threads, rows[i].required, sizeof rows[i].required);
        lab.kernel.threads_max = rows[i].most;
        lab.kernel.static_shared = rows[i].fixed;
        cr_expect_not(warp_lab_run(&lab, 0));
        cr_expect(strstr(lab.text, rows[i].text), "%s", lab.text);
        warp_lab_close(&lab);
    }
}
