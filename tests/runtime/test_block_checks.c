// SPDX-License-Identifier: Apache-2.0
// Checks of kernels whose blocks have parts: right kernels are silent, each mistake is found at its places.
#include "tests/runtime/block_lab.h"

#include <criterion/criterion.h>

enum { DONE = 24, TILES = 6, TILE_WORDS = TILE / 4, RESULT_WORD = 2048 };
#define FULL_OF(stage)  (32 + 8 * (stage))
#define EMPTY_OF(stage) (64 + 8 * (stage))

// ---- a product as it is written for GPUs: a part loads, a part multiplies, the default part stores the result -------

typedef enum Mistake {
    RIGHT,
    NO_WAIT_FOR_LOAD,
    WRONG_PHASE,
    NO_WAIT_FOR_PRODUCT,
    NO_COMMIT,
    NO_WAIT_FOR_RESULT,
    WRONG_PHASE_OF_RESULT,
    COMMIT_TOO_EARLY,
    NO_FENCE,
    UNWRITTEN_ACCUMULATOR,
    TOO_FEW_BYTES,
    TOO_MANY_BYTES,
    FREED_TOO_EARLY,
    READ_AFTER_FREE,
    NO_WAIT_FOR_STORE,
    OVERWRITES_STORE,
    TWO_ARRIVALS,
    INIT_TWICE,
    INVALIDATED_TOO_EARLY,
    TWO_WRITE,
    TOO_MANY_COLUMNS,
    TOO_MUCH_SHARED,
    READ_UNWRITTEN,
    WRONG_SLICE,
    NO_WAIT_FOR_COPY,
    GROUP_TOO_FEW,
    NO_WAIT_FOR_WGMMA,
    LOADS_TOO_MANY,
    OVERWRITES_OPERAND,
    MISTAKES
} Mistake;
static Mistake mistake_of(const HostLaunch *launch) {
    return (Mistake)lab_buffer(launch)[LAB_WORDS - 1];
}

LAB_ENTRY(load_tiles) {
    LAB_UNUSED();
    const Mistake mistake = mistake_of(launch);
    for (uint64_t i = 0; i < TILES + (mistake == LOADS_TOO_MANY); i++) {
        const uint64_t stage = i % 2;
        if (mistake != NO_WAIT_FOR_PRODUCT || i < 2) DO(WAIT, AT_WAIT_EMPTY, EMPTY_OF(stage), (i / 2 & 1) ^ 1);
        DO(EXPECT, AT_EXPECT, FULL_OF(stage),
           mistake == TOO_FEW_BYTES    ? TILE
           : mistake == TOO_MANY_BYTES ? 3 * TILE
                                       : 2 * TILE);
        LOAD(FULL_OF(stage), A + 2 * stage * TILE, launch->arguments[0], i * TILE_WORDS / 2);
        LOAD(FULL_OF(stage), B + 2 * stage * TILE, launch->arguments[0], i * TILE_WORDS / 4);
    }
    if (mistake == TWO_WRITE) lab_write(launch, 1, 5 * TILE, 1);
    return 0;
}

LAB_ENTRY(multiply_tiles) {
    LAB_UNUSED();
    const Mistake mistake = mistake_of(launch);
    for (uint64_t i = 0; i < TILES; i++) {
        const uint64_t stage = i % 2, from = mistake == WRONG_SLICE ? 1 - stage : stage;
        if (mistake != NO_WAIT_FOR_LOAD) DO(WAIT, AT_WAIT, FULL_OF(stage), (i / 2 & 1) ^ (mistake == WRONG_PHASE));
        if (mistake == COMMIT_TOO_EARLY && i == TILES - 1) DO(COMMIT, AT_COMMIT, DONE);
        PRODUCT(BLOCK_TENSOR_CORE, T, A + 2 * from * TILE, B + 2 * from * TILE, i || mistake == UNWRITTEN_ACCUMULATOR);
        if (mistake != NO_COMMIT) DO(COMMIT, AT_COMMIT, EMPTY_OF(stage));
        if (mistake == TWO_ARRIVALS) DO(ARRIVE, AT_ARRIVE, EMPTY_OF(stage), 2);
    }
    if (mistake != COMMIT_TOO_EARLY) DO(COMMIT, AT_COMMIT, DONE);
    if (mistake == TWO_WRITE) lab_write(launch, 1, 5 * TILE, 1);
    return 0;
}

static void store_result(const HostLaunch *launch, Mistake mistake) {
    lab_read(launch, T);
    DO(WRITE, AT_WRITE, WHOLE(5 * TILE));
    memcpy(lab_bytes(launch, 5 * TILE), lab_bytes(launch, T), TILE);
    if (mistake != NO_FENCE) DO_NOTHING_WITH(FENCE, AT_FENCE);
    STORE(5 * TILE, launch->arguments[0], RESULT_WORD);
    DO(GROUP, AT_GROUP, BLOCK_STORES);
    if (mistake == OVERWRITES_STORE) lab_write(launch, 1, 5 * TILE, 7);
    if (mistake != NO_WAIT_FOR_STORE) DO(WAIT_GROUPS, AT_WAIT_STORE, BLOCK_STORES, 0, 1);
}

// Mistakes that need no other parts.
static void be_alone(const HostLaunch *launch, Mistake mistake) {
    switch (mistake) {
    case INIT_TWICE: DO(INIT, AT_INIT, DONE, 1); break;
    case TOO_MANY_COLUMNS:
        DO(ALLOCATE, AT_OTHER, 9 * TILE, TILE, BLOCK_TENSOR, 512);
        DO(WRITE, AT_WRITE, WHOLE(9 * TILE));
        break;
    case TOO_MUCH_SHARED:
        DO(ALLOCATE, AT_OTHER, 9 * TILE, 400 * TILE, BLOCK_SHARED, 0);
        DO(WRITE, AT_WRITE, WHOLE(9 * TILE));
        break;
    case READ_UNWRITTEN: // of rows of 64 bytes, each 16 bytes after the one before begins; one byte is missing
        DO(WRITE, AT_WRITE, 5 * TILE, 16, 16, 64);
        DO(READ, AT_OTHER, 5 * TILE + 128, 4, 8, 128);
        DO(READ, AT_READ, 5 * TILE + 9, 2, 8, 640);
        break;
    case OVERWRITES_OPERAND:
        DO(INIT, AT_INIT, FULL, 1);
        DO(INIT, AT_INIT, EMPTY, 1);
        for (uint64_t i = 0; i < 2; i++) {
            DO(WAIT, AT_WAIT_EMPTY, EMPTY, 1);
            DO(EXPECT, AT_EXPECT, FULL, TILE);
            LOAD(FULL, A, launch->arguments[0], 0);
            DO(WAIT, AT_WAIT, FULL, i);
            PRODUCT(BLOCK_TENSOR_CORE, T, A, A, 0);
            DO(COMMIT, AT_COMMIT, EMPTY);
        }
        DO(WAIT, AT_WAIT_DONE, EMPTY, 0);
        break;
    case NO_WAIT_FOR_COPY:
        COPY(5 * TILE, launch->arguments[0], 0);
        DO(GROUP, AT_GROUP, BLOCK_COPIES);
        lab_read(launch, 5 * TILE);
        break;
    case GROUP_TOO_FEW:
        for (uint64_t i = 0; i < 3; i++) {
            COPY(A + i * TILE, launch->arguments[0], 0);
            DO(GROUP, AT_GROUP, BLOCK_COPIES);
        }
        DO(WAIT_GROUPS, AT_OTHER, BLOCK_COPIES, 1, 0);
        lab_read(launch, A + TILE);
        lab_read(launch, A + 2 * TILE);
        DO(WAIT_GROUPS, AT_OTHER, BLOCK_COPIES, 0, 0);
        break;
    case NO_WAIT_FOR_WGMMA: {
        const uint64_t sum = DO(STAGE, AT_OTHER, TILE);
        lab_write(launch, 1, A, 1);
        lab_write(launch, 1, B, 1);
        DO_NOTHING_WITH(FENCE, AT_FENCE);
        for (int i = 0; i < 2; i++) {
            PRODUCT(BLOCK_PRODUCTS, sum, A, B, 1);
            DO(GROUP, AT_GROUP, BLOCK_PRODUCTS);
        }
        lab_read(launch, sum);
        DO(WAIT_GROUPS, AT_OTHER, BLOCK_PRODUCTS, 0, 0);
        lab_read(launch, sum);
        DO(UNSTAGE, AT_OTHER, sum);
    } break;
    default: break;
    }
}

LAB_ENTRY(product) {
    LAB_UNUSED();
    const Mistake mistake = mistake_of(launch);
    lab_allocate(launch);
    DO(ALLOCATE, AT_ALLOCATE, 5 * TILE, TILE, BLOCK_SHARED, 0);
    for (uint64_t stage = 0; stage < 2; stage++) {
        DO(INIT, AT_INIT, FULL_OF(stage), 1);
        DO(INIT, AT_INIT, EMPTY_OF(stage), 1);
    }
    DO(INIT, AT_INIT, DONE, 1);
    be_alone(launch, mistake);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
    if (mistake == TOO_MANY_COLUMNS) DO(READ, AT_OTHER, WHOLE(9 * TILE));
    if (mistake == TOO_MUCH_SHARED) DO(READ, AT_OTHER, WHOLE(9 * TILE));
    if (mistake != NO_WAIT_FOR_RESULT) DO(WAIT, AT_WAIT_DONE, DONE, mistake == WRONG_PHASE_OF_RESULT);
    if (mistake == INVALIDATED_TOO_EARLY) DO(INVALIDATE, AT_INVALIDATE, EMPTY_OF(0));
    if (mistake == FREED_TOO_EARLY) {
        PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 1);
        DO(FREE, AT_FREE, A);
        DO_NOTHING_WITH(WAIT_TENSOR, AT_OTHER);
    }
    if (mistake != TWO_WRITE) store_result(launch, mistake);
    if (mistake == READ_AFTER_FREE) {
        DO(FREE, AT_FREE, 5 * TILE);
        lab_read(launch, 5 * TILE);
    }
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}

static const struct {
    RtFindingKind kind; // RT_FINDING_KINDS: the launch fails with `text`; else a part of the finding's
    uint32_t at, other;
    const char *text;
} expected[MISTAKES] = {
    [NO_WAIT_FOR_LOAD] =
        {RT_FINDING_PENDING_WRITE, AT_PRODUCT, AT_LOAD,
         "mma (k.py:14) reads shared memory that tma_load (k.py:4) still writes: nothing that partition "
         "1 has waited for says that it is done"},
    [WRONG_PHASE] = {RT_FINDING_PENDING_WRITE, AT_PRODUCT, AT_WAIT,
                     "mma (k.py:14) reads shared memory that tma_load (k.py:4) still writes: wait (k.py:5) waited for "
                     "the phase before the first, which was already over, but it is done in phase 0"},
    [NO_WAIT_FOR_PRODUCT] = {RT_FINDING_PENDING_WRITE, AT_LOAD, AT_LOAD,
                             "partition 0 has waited for"}, // nor does it end
    [OVERWRITES_OPERAND] = {RT_FINDING_PENDING_READ, AT_LOAD, AT_WAIT_EMPTY,
                            "tma_load (k.py:4) writes shared memory that mma (k.py:14) still reads: wait_empty "
                            "(k.py:21) waited for the phase before the first"},
    [NO_COMMIT] = {RT_FINDING_KINDS, 0, 0,
                   "deadlock: part 'default' waits in wait_done (k.py:22) for phase 0 of the mbarrier that init "
                   "(k.py:2) has made, to which 0 of 1 arrivals have come; partition 0 waits in wait_empty (k.py:21)"},
    [NO_WAIT_FOR_RESULT] = {RT_FINDING_UNWRITTEN, AT_READ, AT_ALLOCATE,
                            "local_load (k.py:6) reads tensor memory that nothing has written since alloc (k.py:1)"},
    [WRONG_PHASE_OF_RESULT] = {RT_FINDING_UNWRITTEN, AT_READ, AT_ALLOCATE, "tensor memory"},
    [COMMIT_TOO_EARLY] = {RT_FINDING_PENDING_WRITE, AT_READ, AT_PRODUCT,
                          "local_load (k.py:6) reads tensor memory that mma (k.py:14) still writes: nothing that part "
                          "'default' has waited for says that it is done"},
    [NO_FENCE] = {RT_FINDING_FENCE, AT_STORE, AT_WRITE,
                  "tma_store (k.py:11) reads shared memory that local_store (k.py:7) has written, without a fence"},
    [UNWRITTEN_ACCUMULATOR] = {RT_FINDING_ACCUMULATOR, AT_PRODUCT, AT_ALLOCATE,
                               "mma (k.py:14) adds to an accumulator in tensor memory that nothing has written since "
                               "alloc (k.py:1) made it"},
    [TOO_FEW_BYTES] = {RT_FINDING_BYTES, AT_LOAD, AT_EXPECT,
                       "tma_load (k.py:4) brings 1024 bytes to an mbarrier whose phase ends without them: expect "
                       "(k.py:3) has announced 1024 bytes, and more are to come"},
    [TOO_MANY_BYTES] = {RT_FINDING_KINDS, 0, 0, "to which 2048 of 3072 bytes have come"},
    [FREED_TOO_EARLY] = {RT_FINDING_FREED_EARLY, AT_FREE, AT_PRODUCT,
                         "dealloc (k.py:17) frees shared memory that mma (k.py:14) still reads"},
    [READ_AFTER_FREE] = {RT_FINDING_FREED, AT_READ, AT_FREE,
                         "local_load (k.py:6) reads shared memory that dealloc (k.py:17) has freed"},
    [NO_WAIT_FOR_STORE] = {RT_FINDING_NEVER_AWAITED, AT_STORE, 0,
                           "tma_store (k.py:11) reads shared or tensor memory, and the block ends without a wait"},
    [OVERWRITES_STORE] = {RT_FINDING_PENDING_READ, AT_WRITE, AT_STORE,
                          "local_store (k.py:7) writes shared memory that tma_store (k.py:11) still reads"},
    [TWO_ARRIVALS] = {RT_FINDING_ARRIVALS, AT_ARRIVE, AT_INIT,
                      "arrive (k.py:8) is one arrival more than the 1 of a phase of the mbarrier that init (k.py:2)"},
    [INIT_TWICE] = {RT_FINDING_INIT_TWICE, AT_INIT, AT_INIT,
                    "init (k.py:2) makes an mbarrier where init (k.py:2) has made one"},
    [INVALIDATED_TOO_EARLY] = {RT_FINDING_KINDS, 0, 0, NULL}, // see below
    [TWO_WRITE] = {RT_FINDING_RACE, AT_WRITE, AT_WRITE,
                   "local_store (k.py:7) in partition 1 writes shared memory that local_store (k.py:7) in partition 0 "
                   "writes, and nothing orders the two"},
    [TOO_MANY_COLUMNS] = {RT_FINDING_TENSOR_MEMORY, AT_OTHER, AT_ALLOCATE,
                          "other (k.py:20) needs more tensor memory than a block has: 640 columns of 512, with what is "
                          "in use at the same time, such as alloc (k.py:1)"},
    [TOO_MUCH_SHARED] = {RT_FINDING_SHARED_MEMORY, AT_OTHER, AT_OTHER, "409600 bytes of 232448"},
    [READ_UNWRITTEN] = {RT_FINDING_UNWRITTEN, AT_READ, AT_ALLOCATE, "reads shared memory that nothing has written"},
    [WRONG_SLICE] = {RT_FINDING_PENDING_WRITE, AT_PRODUCT, AT_LOAD, "mma (k.py:14) reads shared memory"},
    [NO_WAIT_FOR_COPY] = {RT_FINDING_PENDING_WRITE, AT_READ, AT_COPY, "async_copy (k.py:19) still writes"},
    [GROUP_TOO_FEW] = {RT_FINDING_PENDING_WRITE, AT_READ, AT_OTHER,
                       "async_copy (k.py:19) still writes: other (k.py:20) did not wait for its group"},
    [NO_WAIT_FOR_WGMMA] = {RT_FINDING_PENDING_WRITE, AT_READ, AT_PRODUCT,
                           "local_load (k.py:6) reads a result that mma (k.py:14) still writes"},
    [LOADS_TOO_MANY] = {RT_FINDING_NEVER_AWAITED, AT_LOAD, 0, "tma_load (k.py:4) writes shared or tensor memory"},
};

static bool has_expected(const BlockLab *lab, Mistake mistake) {
    for (uint32_t i = 0; i < lab->findings.count; i++) {
        const RtFinding *found = &lab->findings.items[i];
        if (found->kind == expected[mistake].kind && found->at.line == expected[mistake].at &&
            found->other.line == expected[mistake].other)
            return strstr(found->message, expected[mistake].text);
    }
    return false;
}

static void print_findings(const BlockLab *lab) {
    for (uint32_t i = 0; i < lab->findings.count; i++)
        fprintf(stderr, "%u: %s: block %u: %s\n", lab->mistake, rt_finding_name(lab->findings.items[i].kind),
                (unsigned)lab->findings.items[i].block, lab->findings.items[i].message);
}

static void open_product(BlockLab *lab, unsigned jobs, bool shadow, Mistake mistake) {
    block_lab_open(lab, jobs, shadow, product, load_tiles, multiply_tiles);
    lab->kernel.memory_bytes = 420 * TILE;
    lab->mistake = mistake;
}

Test(block_checks, a_right_kernel_is_silent) {
    for (unsigned way = 0; way < 8; way++) {
        BlockLab lab;
        open_product(&lab, way & 1 ? 3 : 1, way & 4, RIGHT);
        lab.early = way & 2;
        lab.grid = 20;
        cr_assert(block_lab_run(&lab), "%s", lab.text);
        print_findings(&lab);
        cr_assert_eq(lab.findings.count, 0);
        for (uint32_t k = 0; k < TILE_WORDS; k++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < TILES; i++) sum += (i * TILE_WORDS / 2 + k) * (i * TILE_WORDS / 4 + k);
            cr_assert_eq(lab.words[RESULT_WORD + k], sum);
        }
        block_lab_close(&lab);
    }
}

Test(block_checks, each_mistake_is_found) {
    for (Mistake mistake = RIGHT + 1; mistake < MISTAKES; mistake++) {
        BlockLab lab;
        if (mistake == INVALIDATED_TOO_EARLY) continue;
        open_product(&lab, 2, false, mistake);
        lab.grid = 7;
        const bool good = block_lab_run(&lab);
        if (expected[mistake].kind == RT_FINDING_KINDS) {
            cr_assert_not(good);
            cr_assert(strstr(lab.text, expected[mistake].text), "mistake %d: %s", mistake, lab.text);
        } else {
            if (!has_expected(&lab, mistake)) print_findings(&lab);
            cr_assert(has_expected(&lab, mistake), "mistake %d: %s", mistake, lab.text);
            cr_assert_eq(lab.findings.items[0].block, 0);
        }
        block_lab_close(&lab);
    }
}
