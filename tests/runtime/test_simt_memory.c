// SPDX-License-Identifier: Apache-2.0
// Accesses in the emulator: what lies outside, and races: each kind is found, and what is ordered is none.
#include "tests/runtime/simt_lab.h"

#include <criterion/criterion.h>

// ---- outside

enum {
    OUT_SHARED_END,
    OUT_SHARED_STRADDLE,
    OUT_SHARED_BEFORE,
    OUT_BUFFER_END,
    OUT_BUFFER_BEFORE,
    OUT_NULL,
    OUT_HEAP,
    OUT_LAUNCH_WRITE,
    OUT_STACK_OF_OTHER,
    IN_ALL
};

static void reach_out(const uint64_t *arguments) {
    uint8_t *shared = lab_ops->shared(), *a = (uint8_t *)(uintptr_t)arguments[0];
    const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    const uint32_t thread = lab_thread();
    if (thread == 0) lab_store((uint32_t *)(uintptr_t)arguments[1], 1, AT_STORE_B); // so that b is the last one used
    if (thread != 37) return;
    switch (arguments[2]) {
    case OUT_SHARED_END: lab_ops->access(shared + 100, 1, SIMT_READ, AT_LOAD_A); break;
    case OUT_SHARED_STRADDLE: lab_ops->access(shared + 96, 8, SIMT_READ, AT_LOAD_A); break;
    case OUT_SHARED_BEFORE: lab_ops->access(shared - 4, 4, SIMT_WRITE, AT_STORE_A); break;
    case OUT_BUFFER_END: lab_ops->access(a + LAB_BUFFER_BYTES - 2, 4, SIMT_WRITE, AT_STORE_A); break;
    case OUT_BUFFER_BEFORE: lab_ops->access(a - 1, 1, SIMT_READ | SIMT_ATOMIC, AT_LOAD_A); break;
    case OUT_NULL: lab_ops->access(NULL, 4, SIMT_READ, 0); break;
    case OUT_HEAP: lab_ops->access(lab_ops, 4, SIMT_READ, LAB_PLACES + 1); break;
    case OUT_LAUNCH_WRITE: lab_ops->access(&lab_launch, 8, SIMT_WRITE, AT_STORE_A); break;
    case OUT_STACK_OF_OTHER: lab_ops->access((void *)(stack - ((size_t)4 << 20)), 8, SIMT_READ, AT_LOAD_A); break;
    case IN_ALL:
        lab_ops->access(shared + 96, 4, SIMT_WRITE, AT_STORE_A);
        lab_ops->access(shared, 100, SIMT_READ, AT_LOAD_A);
        lab_ops->access(a, LAB_BUFFER_BYTES, SIMT_READ, AT_LOAD_A);
        lab_ops->access(a + LAB_BUFFER_BYTES, 0, SIMT_READ, AT_LOAD_A);
        lab_ops->access((void *)stack, 8, SIMT_WRITE, AT_STORE_A);
        lab_ops->access(&lab_launch, sizeof lab_launch, SIMT_READ, AT_LOAD_A);
        lab_ops->access(arguments, 8, SIMT_READ, AT_LOAD_A);
        lab_ops->access((void *)(uintptr_t)lab_launch.argument_ranges, 3 * sizeof(HostRange), SIMT_READ, AT_LOAD_A);
        lab_ops->access((void *)(uintptr_t)lab_launch.buffers, 2 * sizeof(HostRange), SIMT_READ, AT_LOAD_A);
        lab_ops->access((void *)(uintptr_t)lab_launch.fault, sizeof(GpuFault), SIMT_WRITE, AT_STORE_A);
        break;
    }
}

static const struct OutsideRow {
    uint64_t number;
    const char *text;
} outside_rows[] = {
    {OUT_SHARED_END,
     "k.py:1: error: test: kernel lab: block (0, 0, 0): thread 37 reads in load_a (k.py:1) at byte 100 of "
     "shared memory [E501]\n"},
    {OUT_SHARED_STRADDLE, "thread 37 reads in load_a (k.py:1) at byte 96 of shared memory [E501]\n"},
    {OUT_SHARED_BEFORE, "thread 37 writes in store_a (k.py:2) at byte -4 of shared memory [E501]\n"},
    {OUT_BUFFER_END, "writes in store_a (k.py:2) at byte 65534 of buffer a (argument 0, 65536 bytes) [E501]\n"},
    {OUT_BUFFER_BEFORE, "reads in load_a (k.py:1) at byte -1 of buffer a (argument 0, 65536 bytes) [E501]\n"},
    {OUT_NULL,
     "error: test: kernel lab: block (0, 0, 0): thread 37 reads in an op that is not known at address 0x0, which "
     "is in no buffer of the launch [E501]\n"},
    {OUT_HEAP, "reads in an op that is not known at address 0x"},
    {OUT_LAUNCH_WRITE, "writes in store_a (k.py:2) at address 0x"},
    {OUT_STACK_OF_OTHER, "reads in load_a (k.py:1) at address 0x"},
};

Test(simt_memory, accesses_outside_are_errors) {
    Lab lab = lab_open(1, reach_out, 64, 100);
    for (size_t i = 0; i < BASE_COUNT(outside_rows); i++) {
        cr_assert_not(lab_run(&lab, outside_rows[i].number), "row %zu", i);
        cr_expect(strstr(lab.text, outside_rows[i].text), "row %zu: %s", i, lab.text);
    }
    cr_expect(lab_run(&lab, IN_ALL), "%s", lab.text);
    lab_close(&lab);
}

// Bytes, what the code takes the address to be a multiple of, offset in shared memory; whether a GPU allows it.
static const struct AlignmentRow {
    uint32_t bytes, logarithm, offset;
    bool good;
} alignment_rows[] = {{4, 2, 4, true},   {4, 2, 6, false}, {4, 1, 6, true},   {4, 0, 5, true},    {16, 4, 16, true},
                      {16, 4, 8, false}, {16, 3, 8, true}, {64, 6, 32, true}, {64, 6, 16, false}, {1, 4, 3, true},
                      {6, 3, 4, true},   {6, 3, 2, false}, {8, 10, 4, false}, {8, 10, 8, true}};

static void access_aligned(const uint64_t *arguments) {
    const struct AlignmentRow *row = &alignment_rows[arguments[2]];
    lab_ops->access((uint8_t *)lab_ops->shared() + row->offset, row->bytes,
                    SIMT_WRITE | row->logarithm << SIMT_ALIGNMENT_SHIFT, AT_STORE_A);
}

Test(simt_memory, addresses_are_aligned_as_gpus_want_it) {
    Lab lab = lab_open(1, access_aligned, 1, 128);
    for (uint32_t i = 0; i < BASE_COUNT(alignment_rows); i++)
        cr_expect_eq(lab_run(&lab, i), alignment_rows[i].good, "row %u: %s", i, lab.text);
    cr_assert_not(lab_run(&lab, 5));
    cr_expect(strstr(lab.text, "thread 0 writes in store_a (k.py:2) at byte 8 of shared memory, an address that is no "
                               "multiple of 16, as the code takes it to be [E503]"),
              "%s", lab.text);
    lab_close(&lab);
}

// ---- races: scripts of a few steps

// One step of a thread: an access to bytes of shared memory (of buffer b where `offset` is BUFFER and more), or an
// operation that orders (`offset` is then the mask).
enum {
    READ = 'r',
    WRITE = 'w',
    ATOMIC_READ = 'R',
    ATOMIC_WRITE = 'W',
    UPDATE = 'u',
    BLOCK_BARRIER = 'B',
    WARP_BARRIER = 'b',
    SHUFFLE = 's',
    MULTIPLY = 'm',
    LOAD_MATRIX = 'l'
};
enum { BUFFER = 1 << 16, EVERYBODY = 1 << 20 };
typedef struct Step {
    uint32_t thread; // or EVERYBODY
    char what;
    uint32_t offset, bytes;
} Step;
enum { STEPS_MAX = 10 };
static const struct RaceRow {
    const char *name;
    const char *race; // NULL: there is none
    Step steps[STEPS_MAX];
} race_rows[] = {
    {"write then read",
     "thread 0 writes in store_a (k.py:2) and thread 1 reads in load_a (k.py:1) at byte 8 of shared memory",
     {{0, WRITE, 8, 4}, {1, READ, 8, 4}}},
    {"read then write",
     "thread 0 reads in load_a (k.py:1) and thread 1 writes in store_a (k.py:2) at byte 8",
     {{0, READ, 8, 4}, {1, WRITE, 8, 4}}},
    {"write then write",
     "thread 0 writes in store_a (k.py:2) and thread 40 writes in store_a (k.py:2)",
     {{0, WRITE, 8, 4}, {40, WRITE, 8, 4}}},
    {"all read", NULL, {{EVERYBODY, READ, 8, 16}}},
    {"all write", "thread 0 writes in store_a (k.py:2) and thread 1 writes", {{EVERYBODY, WRITE, 8, 16}}},
    {"one thread does what it likes",
     NULL,
     {{3, WRITE, 8, 4}, {3, READ, 8, 4}, {3, WRITE, 9, 1}, {3, UPDATE, 8, 4}, {3, READ, 0, 64}, {3, WRITE, 0, 64}}},
    {"neighbours of bytes", NULL, {{0, WRITE, 8, 1}, {1, WRITE, 9, 1}, {2, WRITE, 10, 2}, {3, WRITE, 12, 4}}},
    {"bytes of a word",
     "thread 1 writes in store_a (k.py:2) and thread 40 reads in load_a (k.py:1) at byte 9 of",
     {{0, READ, 8, 1}, {1, WRITE, 9, 1}, {40, READ, 8, 4}}},
    {"a vector and its last byte",
     "and thread 2 writes in store_a (k.py:2) at byte 31 of",
     {{1, READ, 16, 16}, {2, WRITE, 31, 1}}},
    {"a last byte and its vector",
     "and thread 2 writes in store_a (k.py:2) at byte 31 of",
     {{1, READ, 31, 1}, {2, WRITE, 16, 16}}},
    {"over the end of a line",
     "thread 1 writes in store_a (k.py:2) and thread 2 reads in load_a (k.py:1) at byte 64 of",
     {{1, WRITE, 64, 2}, {2, READ, 60, 8}}},
    {"beside it", NULL, {{1, WRITE, 64, 2}, {2, READ, 60, 4}, {3, READ, 66, 4}}},
    {"buffers too",
     "thread 1 writes in store_b (k.py:4) and thread 2 reads in load_b (k.py:3) at byte 1000 of buffer b",
     {{1, WRITE, BUFFER + 1000, 4}, {2, READ, BUFFER + 1000, 4}}},
    {"buffers are not shared memory", NULL, {{1, WRITE, BUFFER + 100, 4}, {2, READ, 100, 4}}},
    // barriers of the block
    {"a barrier orders", NULL, {{0, WRITE, 8, 4}, {EVERYBODY, BLOCK_BARRIER, 0, 0}, {90, READ, 8, 4}}},
    {"of buffers, too",
     NULL,
     {{0, WRITE, BUFFER, 4},
      {EVERYBODY, BLOCK_BARRIER, 0, 0},
      {90, WRITE, BUFFER, 4},
      {EVERYBODY, BLOCK_BARRIER, 0, 0},
      {EVERYBODY, READ, BUFFER, 4}}},
    {"but not what comes behind",
     "thread 5 writes in store_a (k.py:2) and thread 90 reads",
     {{0, WRITE, 8, 4}, {EVERYBODY, BLOCK_BARRIER, 0, 0}, {5, WRITE, 8, 4}, {90, READ, 8, 4}}},
    {"nor what is before",
     "thread 5 writes in store_a (k.py:2) and thread 90 reads",
     {{5, WRITE, 8, 4}, {90, READ, 8, 4}, {EVERYBODY, BLOCK_BARRIER, 0, 0}}},
    // warps
    {"a warp barrier orders its warp", NULL, {{0, WRITE, 8, 4}, {EVERYBODY, WARP_BARRIER, ~0u, 0}, {31, READ, 8, 4}}},
    {"and no other",
     "thread 0 writes in store_a (k.py:2) and thread 32 reads",
     {{0, WRITE, 8, 4}, {EVERYBODY, WARP_BARRIER, ~0u, 0}, {32, READ, 8, 4}}},
    {"a shuffle orders", NULL, {{0, READ, 8, 4}, {EVERYBODY, SHUFFLE, ~0u, 0}, {31, WRITE, 8, 4}}},
    {"an mma orders", NULL, {{0, WRITE, 8, 4}, {EVERYBODY, MULTIPLY, 0, 0}, {31, WRITE, 8, 4}}},
    {"an ldmatrix orders", NULL, {{0, WRITE, 8, 4}, {EVERYBODY, LOAD_MATRIX, 0, 0}, {31, WRITE, 8, 4}}},
    {"readers of two warps",
     "thread 33 reads in load_a (k.py:1) and thread 0 writes",
     {{0, READ, 8, 4}, {33, READ, 8, 4}, {EVERYBODY, WARP_BARRIER, ~0u, 0}, {0, WRITE, 8, 4}}},
    {"readers of two warps, the other way",
     "thread 0 reads in load_a (k.py:1) and thread 33 writes",
     {{0, READ, 8, 4}, {33, READ, 8, 4}, {EVERYBODY, WARP_BARRIER, ~0u, 0}, {33, WRITE, 8, 4}}},
    {"readers of three warps",
     "thread 33 reads in load_a (k.py:1) and thread 70 writes",
     {{0, READ, 8, 4}, {33, READ, 8, 4}, {70, READ, 8, 4}, {EVERYBODY, WARP_BARRIER, ~0u, 0}, {70, WRITE, 8, 4}}},
    {"readers of one warp, then its writer",
     NULL,
     {{0, READ, 8, 4}, {7, READ, 8, 4}, {EVERYBODY, SHUFFLE, ~0u, 0}, {9, READ, 8, 4}, {9, WRITE, 8, 4}}},
    {"a reader of one warp that is not ordered",
     "thread 7 reads in load_a (k.py:1) and thread 9 writes",
     {{0, READ, 8, 4}, {EVERYBODY, SHUFFLE, ~0u, 0}, {7, READ, 8, 4}, {9, WRITE, 8, 4}}},
    {"ldmatrix reads",
     "thread 0 writes in store_a (k.py:2) and thread 32 reads in warp_op (k.py:8) at byte 24 of shared",
     {{0, WRITE, 24, 4}, {EVERYBODY, LOAD_MATRIX, 0, 0}}},
    {"a write after an ldmatrix of another warp",
     "reads in warp_op (k.py:8) and thread 90 writes",
     {{EVERYBODY, LOAD_MATRIX, 0, 0}, {90, WRITE, 8, 4}}},
    // parts of warps
    {"a part orders itself", NULL, {{0, WRITE, 8, 4}, {EVERYBODY, WARP_BARRIER, 0xFF, 0}, {7, READ, 8, 4}}},
    {"a part does not order the rest",
     "thread 0 writes in store_a (k.py:2) and thread 8 reads",
     {{0, WRITE, 8, 4}, {EVERYBODY, WARP_BARRIER, 0xFF, 0}, {8, READ, 8, 4}}},
    {"nor two parts each other",
     "thread 0 writes in store_a (k.py:2) and thread 16 reads",
     {{0, WRITE, 8, 4},
      {EVERYBODY, WARP_BARRIER, 0xFFFF, 0},
      {EVERYBODY, WARP_BARRIER, 0xFFFF0000, 0},
      {16, READ, 8, 4}}},
    {"but through a lane of both they do",
     NULL,
     {{0, WRITE, 8, 4},
      {EVERYBODY, WARP_BARRIER, 0xFFFF, 0},
      {EVERYBODY, WARP_BARRIER, 0xFFFF8000, 0},
      {16, READ, 8, 4}}},
    {"and not the other way round",
     "thread 0 writes in store_a (k.py:2) and thread 16 reads",
     {{0, WRITE, 8, 4},
      {EVERYBODY, WARP_BARRIER, 0xFFFF8000, 0},
      {EVERYBODY, WARP_BARRIER, 0xFFFF, 0},
      {16, READ, 8, 4}}},
    {"a whole operation after parts",
     NULL,
     {{0, WRITE, 8, 4},
      {EVERYBODY, WARP_BARRIER, 0xFFFF, 0},
      {9, WRITE, 8, 4},
      {EVERYBODY, WARP_BARRIER, 0xFF00, 0},
      {12, READ, 8, 4},
      {EVERYBODY, SHUFFLE, ~0u, 0},
      {31, WRITE, 8, 4}}},
    {"what is not ordered by the part",
     "thread 12 reads in load_a (k.py:1) and thread 8 writes",
     {{0, WRITE, 8, 4}, {EVERYBODY, WARP_BARRIER, 0xFFFF, 0}, {12, READ, 8, 4}, {8, WRITE, 8, 4}}},
    // atomics
    {"atomics among themselves",
     NULL,
     {{EVERYBODY, UPDATE, 8, 4}, {EVERYBODY, ATOMIC_READ, 8, 4}, {EVERYBODY, ATOMIC_WRITE, 8, 4}}},
    {"an atomic and a read",
     "thread 2 writes atomically in atomic (k.py:5) and thread 90 reads in load_a (k.py:1)",
     {{2, UPDATE, 8, 4}, {90, READ, 8, 4}}},
    {"a read and an atomic",
     "thread 90 reads in load_a (k.py:1) and thread 2 writes atomically in atomic (k.py:5)",
     {{90, READ, 8, 4}, {2, UPDATE, 8, 4}}},
    {"a write and an atomic read",
     "thread 2 writes in store_a (k.py:2) and thread 90 reads in atomic (k.py:5)",
     {{2, WRITE, 8, 4}, {90, ATOMIC_READ, 8, 4}}},
    {"an atomic read and a write",
     "thread 90 reads in atomic (k.py:5) and thread 2 writes in store_a (k.py:2)",
     {{90, ATOMIC_READ, 8, 4}, {2, WRITE, 8, 4}}},
    {"an atomic read and a read", NULL, {{90, ATOMIC_READ, 8, 4}, {2, READ, 8, 4}}},
    {"atomics of many, then a read of one",
     "thread 33 writes atomically in atomic (k.py:5) and thread 1 reads",
     {{0, UPDATE, 8, 4}, {33, UPDATE, 8, 4}, {1, READ, 8, 4}}},
    {"atomics of many, ordered",
     NULL,
     {{EVERYBODY, UPDATE, 8, 4}, {EVERYBODY, BLOCK_BARRIER, 0, 0}, {EVERYBODY, READ, 8, 4}}},
    {"atomics beside a write", NULL, {{EVERYBODY, UPDATE, 8, 4}, {4, WRITE, 12, 4}}},
};

// Steps of one thread run in the order of the list; those of different threads too, by a token that they pass on, which
// the emulator knows nothing of.
static uint32_t step_token;

static void do_step(const Step *step, uint64_t buffer) {
    uint8_t *shared = lab_ops->shared();
    const bool is_far = step->offset >= BUFFER;
    const uint8_t *at = is_far ? (uint8_t *)(uintptr_t)buffer + (step->offset - BUFFER) : shared + step->offset;
    const uint32_t load = is_far ? AT_LOAD_B : AT_LOAD_A, store = is_far ? AT_STORE_B : AT_STORE_A;
    const uint32_t lane = lab_ops->special(SIMT_LANEID);
    uint32_t words[4] = {0};
    switch (step->what) {
    case READ: lab_ops->access(at, step->bytes, SIMT_READ, load); break;
    case WRITE: lab_ops->access(at, step->bytes, SIMT_WRITE, store); break;
    case ATOMIC_READ: lab_ops->access(at, step->bytes, SIMT_READ | SIMT_ATOMIC, AT_ATOMIC); break;
    case ATOMIC_WRITE: lab_ops->access(at, step->bytes, SIMT_WRITE | SIMT_ATOMIC, AT_ATOMIC); break;
    case UPDATE: lab_ops->access(at, step->bytes, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC, AT_ATOMIC); break;
    case BLOCK_BARRIER: lab_ops->barrier(AT_BARRIER_A); break;
    case WARP_BARRIER:
        if (step->offset >> lane & 1) lab_ops->warp_barrier(step->offset, AT_WARP);
        break;
    case SHUFFLE: lab_ops->shuffle(SIMT_SHUFFLE_BFLY, step->offset, 0, 1, 0x1F, AT_WARP); break;
    case MULTIPLY: lab_ops->mma(SIMT_S8, SIMT_S8, words, words, words, AT_WARP); break;
    case LOAD_MATRIX: lab_ops->load_matrix(1, false, shared + lab_thread() / 32 * 16, words, AT_WARP); break;
    }
}

static bool waits(const Step *step) {
    return step->what == BLOCK_BARRIER || step->what == WARP_BARRIER || step->what == SHUFFLE ||
           step->what == MULTIPLY || step->what == LOAD_MATRIX;
}

static void run_script(const uint64_t *arguments) {
    const struct RaceRow *row = &race_rows[arguments[2]];
    const uint32_t thread = lab_thread(), threads = lab_ops->special(SIMT_NTID_X);
    for (uint32_t i = 0; i < STEPS_MAX && row->steps[i].what; i++) {
        const Step *step = &row->steps[i];
        const bool all = step->thread == EVERYBODY;
        while (step_token < i * threads + (all && !waits(step) ? thread : 0)) lab_ops->pause();
        if (all || step->thread == thread) do_step(step, arguments[1]);
        step_token += all ? 1 : step->thread == thread ? threads : 0;
    }
}

Test(simt_memory, races_are_found_and_nothing_else) {
    Lab lab = lab_open(1, run_script, 96, 256);
    for (uint32_t i = 0; i < BASE_COUNT(race_rows); i++) {
        step_token = 0;
        const bool good = lab_run(&lab, i);
        cr_expect_eq(good, !race_rows[i].race, "%s: %s", race_rows[i].name, lab.text);
        if (!good && race_rows[i].race) {
            cr_expect(strstr(lab.text, race_rows[i].race), "%s: %s", race_rows[i].name, lab.text);
            cr_expect(strstr(lab.text, "race: "), "%s", lab.text);
        }
    }
    lab_close(&lab);
}

// ---- where the emulator's memory of accesses ends

// The lanes write in turn, each ordered before the next by the warp; if the number is not 0 only by their pairs, but
// for every thousandth time. So often that the time of the warp begins anew. At last there is a race.
static void long_loop(const uint64_t *arguments) {
    const uint32_t lane = lab_ops->special(SIMT_LANEID);
    uint32_t *shared = lab_shared();
    for (uint32_t i = 0; i < 66000; i++) {
        const uint32_t pairs = 3u << i % 32 / 2 * 2 | 3u << (i + 1) % 32 / 2 * 2;
        const uint32_t mask = arguments[2] && i % 1000 ? pairs : UINT32_MAX;
        if (lane == i % 32) lab_store(shared, i, AT_STORE_A);
        if (mask >> lane & 1) lab_ops->warp_barrier(mask, AT_WARP);
        if (arguments[2] && lane < 2) lab_ops->warp_barrier(3, AT_WARP);
    }
    lab_store(shared, lane, AT_STORE_B);
}

Test(simt_memory, warps_may_run_long_without_a_barrier, .timeout = 100) {
    Lab lab = lab_open(1, long_loop, 32, 16);
    for (uint64_t number = 0; number < 2; number++) {
        cr_expect_not(lab_run(&lab, number));
        cr_expect(strstr(lab.text, " writes in store_b (k.py:4) at byte 0 of shared memory"), "%s", lab.text);
    }
    lab_close(&lab);
}

// Touches more of a buffer between two barriers than is kept.
static void touch_much(const uint64_t *arguments) {
    uint8_t *big = (uint8_t *)(uintptr_t)arguments[0];
    const uint32_t thread = lab_thread(), part = 6 << 20;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < part; i += 64) {
            lab_ops->access(big + thread * part + i, 64, SIMT_WRITE, AT_STORE_A);
            if (i < part / 4) lab_ops->access(big + thread * part + i + 8, 4, SIMT_READ, AT_LOAD_A);
        }
        lab_ops->barrier(AT_BARRIER_A);
    }
    lab_ops->access(big + part, 64, SIMT_WRITE, AT_STORE_B);
}

Test(simt_memory, blocks_may_touch_much_between_barriers, .timeout = 100) {
    Lab lab = lab_open(1, touch_much, 2, 0);
    rt_free(lab.device, lab.buffers[0]);
    lab.buffers[0] = rt_alloc(lab.device, &lab.diagnostics, 12 << 20);
    cr_expect_not(lab_run(&lab, 0)); // for what it does at last, and only that
    cr_expect(strstr(lab.text, "thread 0 writes in store_b (k.py:4) and thread 1 writes in store_b"), "%s", lab.text);
    lab_close(&lab);
}

// A thread alone may touch anything in any way, and so may the next block.
static void same_cells(const uint64_t *arguments) {
    const uint32_t threads = lab_ops->special(SIMT_NTID_X);
    uint8_t *shared = lab_ops->shared(), *b = (uint8_t *)(uintptr_t)arguments[1];
    if (lab_thread() != lab_ops->special(SIMT_CTAID_X) % threads) return;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t random = (uint32_t)((i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
        static const uint32_t flags[] = {SIMT_READ, SIMT_WRITE, SIMT_READ | SIMT_ATOMIC,
                                         SIMT_READ | SIMT_WRITE | SIMT_ATOMIC};
        lab_ops->access((random & 1 ? shared : b) + (random >> 4) % 200, 1 + (random >> 12) % 40,
                        flags[random >> 2 & 3], AT_LOAD_A);
    }
}

Test(simt_memory, a_thread_alone_never_races) {
    Lab lab = lab_open(1, same_cells, 40, 240);
    lab.grid[0] = 80;
    cr_assert(lab_run(&lab, 0), "%s", lab.text);
    lab_close(&lab);
}
