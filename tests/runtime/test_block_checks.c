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
        DO(COMMIT, AT_COMMIT, DONE);
        DO(WAIT, AT_WAIT_DONE, DONE, 1);
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
                      "arrive (k.py:8) arrives more often than the 1 of a phase of the mbarrier that init (k.py:2)"},
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

// What is found does not depend on the number of threads; the lowest block that has it is named, up to the one that
// fails. With operations carried out early the mistakes of the values are gone, but what is found is not.
LAB_ENTRY(many_mistakes) {
    LAB_UNUSED();
    lab_allocate(launch);
    const uint32_t failing = lab_buffer(launch)[LAB_WORDS - 2];
    for (uint32_t i = 0; i < 5; i++) {
        // From block 10 on every block has five pairs of places; block 30 has others than block 20.
        if (x < 10) continue;
        COPY(A, launch->arguments[0], 0);
        DO(READ, AT_ALLOCATE + (x == 30 ? 10 : x == 20 ? 5 : 0) + i, WHOLE(A));
    }
    if (x == failing) DO(WAIT, AT_WAIT, FULL, 0);
    return 0;
}
static void describe(BlockLab *lab, Buffer *out) {
    for (uint32_t i = 0; i < lab->findings.count; i++)
        buffer_print(out, "%u %u %s\n", (unsigned)lab->findings.items[i].block, lab->findings.items[i].kind,
                     lab->findings.items[i].message);
    buffer_print(out, "%d\n", lab->findings.more);
}
Test(block_checks, findings_do_not_depend_on_threads) {
    static const uint32_t failing[] = {1000, 25, 12, 3};
    static const uint32_t counts[] = {16, 11, 6, 0};
    for (size_t f = 0; f < BASE_COUNT(failing); f++) {
        Buffer first = {0};
        for (unsigned way = 0; way < 12; way++) {
            BlockLab lab;
            Buffer text = {0};
            block_lab_open(&lab, way % 3 * 2 + 1, false, many_mistakes, NULL, NULL);
            lab.grid = 50;
            lab.early = way >= 6;
            lab.failing = failing[f];
            cr_assert_eq(block_lab_run(&lab), failing[f] == 1000);
            describe(&lab, &text);
            cr_assert_eq(lab.findings.count, counts[f], "%s", text.data);
            for (uint32_t i = 0; i < lab.findings.count; i++)
                cr_assert_eq(lab.findings.items[i].block, i < 6 ? 10 : i < 11 ? 20 : 30, "%s", text.data);
            if (!way) buffer_append(&first, text.data, text.size + 1);
            cr_assert_str_eq(first.data, text.data);
            buffer_free(&text);
            block_lab_close(&lab);
        }
        buffer_free(&first);
    }
}

Test(block_checks, a_launch_that_is_not_checked_finds_nothing) {
    BlockLab lab;
    open_product(&lab, 1, false, NO_FENCE);
    lab.unchecked = true;
    lab.findings.count = 5;
    cr_assert(block_lab_run(&lab));
    cr_assert_eq(lab.findings.count, 0);
    block_lab_close(&lab);
}

// ---- mbarriers that end -------------------------------------------------------------------------------------------

LAB_ENTRY(waits_for_full) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 0);
    return 0;
}
LAB_ENTRY(invalidates) {
    LAB_UNUSED();
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    return 0;
}
LAB_ENTRY(forks_two) {
    LAB_UNUSED();
    lab_begin(launch, 1);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
Test(block_checks, an_mbarrier_that_ends_while_a_part_waits) {
    BlockLab lab;
    block_lab_open(&lab, 1, false, forks_two, waits_for_full, invalidates);
    cr_assert_not(block_lab_run(&lab));
    cr_assert(strstr(lab.text, "partition 0 waits in wait (k.py:5) for phase 0 of the mbarrier that init (k.py:2) has "
                               "made, which has ended"));
    cr_assert_eq(lab.findings.count, 1);
    cr_assert_eq(lab.findings.items[0].kind, RT_FINDING_AWAITED);
    cr_assert_str_eq(lab.findings.items[0].message,
                     "inval (k.py:18) ends an mbarrier that partition 0 waits for in wait (k.py:5)");
    block_lab_close(&lab);
}

// ---- what a wait tells ----------------------------------------------------------------------------------------------

// A part that waited for a phase does not know what those did who arrived in the next one, though it is over as well.
LAB_ENTRY(reads_after_full) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 0);
    DO(READ, AT_READ, WHOLE(A));
    return 0;
}
LAB_ENTRY(writes_between_phases) {
    LAB_UNUSED();
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    DO(WRITE, AT_WRITE, WHOLE(A));
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    return 0;
}
Test(block_checks, who_waits_for_a_phase_knows_nothing_of_the_next) {
    BlockLab lab;
    block_lab_open(&lab, 1, false, forks_two, reads_after_full, writes_between_phases);
    cr_assert(block_lab_run(&lab), "%s", lab.text);
    cr_assert_eq(lab.findings.count, 2);
    cr_assert_eq(lab.findings.items[0].kind, RT_FINDING_OVERTAKEN);
    cr_assert_str_eq(lab.findings.items[1].message,
                     "local_load (k.py:6) in partition 0 reads shared memory that local_store (k.py:7) in partition 1 "
                     "writes, and nothing orders the two");
    block_lab_close(&lab);
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

// Two parts write pieces of one object: a race is found where they share a byte, and only there.
enum { PIECES = 3000 };
static uint64_t (*lab_pieces)[4];
LAB_ENTRY(writes_one) {
    LAB_UNUSED();
    DO(WRITE, AT_WRITE, lab_pieces[2 * x][0], lab_pieces[2 * x][1], lab_pieces[2 * x][2], lab_pieces[2 * x][3]);
    return 0;
}
LAB_ENTRY(writes_other) {
    LAB_UNUSED();
    const uint64_t *piece = lab_pieces[2 * x + 1];
    DO(WRITE, AT_OTHER, piece[0], piece[1], piece[2], piece[3]);
    return 0;
}
LAB_ENTRY(writes_pieces) {
    LAB_UNUSED();
    DO(ALLOCATE, AT_ALLOCATE, A, 256, BLOCK_SHARED, 0);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
static void mark_piece(const uint64_t *piece, uint8_t *bytes, uint8_t bit) {
    for (uint64_t row = 0; row < piece[1]; row++)
        for (uint64_t i = 0; i < piece[2]; i++) bytes[piece[0] - A + row * piece[3] + i] |= bit;
}
static uint32_t random_below(uint32_t *state, uint32_t count) {
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % count;
}
Test(block_checks, pieces_meet_where_they_share_a_byte) {
    uint32_t state = 17, meetings = 0;
    uint64_t pieces[2][4];
    BlockLab lab;
    block_lab_open(&lab, 1, false, writes_pieces, writes_one, writes_other);
    lab_pieces = pieces;
    for (int n = 0; n < PIECES; n++) {
        uint8_t bytes[256] = {0};
        bool meet = false;
        for (int p = 0; p < 2; p++) {
            const uint32_t row = 1 + random_below(&state, 12), pitch = row + random_below(&state, 20);
            const uint32_t rows = 1 + random_below(&state, (256 - row) / pitch + 1);
            const uint32_t rest = 256 - ((rows - 1) * pitch + row);
            memcpy(pieces[p], (uint64_t[]){A + random_below(&state, rest + 1), rows, row, pitch}, sizeof pieces[p]);
            mark_piece(pieces[p], bytes, (uint8_t)(1 << p));
        }
        for (int i = 0; i < 256; i++) meet |= bytes[i] == 3;
        cr_assert(block_lab_run(&lab), "%s", lab.text);
        cr_assert_eq(lab.findings.count, meet, "%d", n);
        meetings += meet;
    }
    cr_assert(meetings > PIECES / 10 && meetings < PIECES * 9 / 10, "%u", meetings);
    block_lab_close(&lab);
}

// ---- many of a kind -------------------------------------------------------------------------------------------------

// The other part reads many bytes, one by one, none of which is forgotten; then the first one is overwritten.
LAB_ENTRY(reads_bytes) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < TILE; i++) DO(READ, AT_READ, A + i, 1, 1, 1);
    return 0;
}
LAB_ENTRY(overwrites_the_first) {
    LAB_UNUSED();
    lab_allocate(launch);
    lab_write(launch, 1, A, 0);
    DO(INIT, AT_INIT, FULL, 1);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
    DO(WAIT, AT_WAIT, FULL, 0);
    DO(WRITE, AT_WRITE, A, 1, 1, 1);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
LAB_ENTRY(arrives_at_once) {
    LAB_UNUSED();
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    return 0;
}
Test(block_checks, no_use_is_forgotten) {
    BlockLab lab;
    block_lab_open(&lab, 1, false, overwrites_the_first, reads_bytes, arrives_at_once);
    cr_assert(block_lab_run(&lab), "%s", lab.text);
    cr_assert_eq(lab.findings.count, 1);
    cr_assert_eq(lab.findings.items[0].kind, RT_FINDING_RACE);
    cr_assert_eq(lab.findings.items[0].at.line, AT_WRITE);
    cr_assert_eq(lab.findings.items[0].other.line, AT_READ);
    block_lab_close(&lab);
}

// What all parts know makes room, but not what asynchronous operations may not see.
LAB_ENTRY(reads_and_tells) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < TILE; i++) DO(READ, AT_READ, A + i, 1, 1, 1);
    DO(WRITE, AT_WRITE, B, 1, 1, 1);
    for (uint64_t i = 1; i < TILE; i++) DO(WRITE, AT_OTHER, B + i, 1, 1, 1);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    return 0;
}
LAB_ENTRY(stores_the_bytes) {
    LAB_UNUSED();
    lab_allocate(launch);
    lab_write(launch, 1, A, 0);
    DO(INIT, AT_INIT, FULL, 1);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(WAIT, AT_WAIT, FULL, 0);
    for (uint64_t i = 0; i < TILE; i++) DO(READ, AT_READ, B + i, 1, 1, 1);
    for (uint64_t i = 0; i < TILE; i++) DO(WRITE, AT_ALLOCATE, A + i, 1, 1, 1);
    STORE(B, launch->arguments[0], 0);
    DO(GROUP, AT_GROUP, BLOCK_STORES);
    DO(WAIT_GROUPS, AT_WAIT_STORE, BLOCK_STORES, 0, 1);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
Test(block_checks, what_a_fence_is_missing_for_is_not_forgotten) {
    BlockLab lab;
    block_lab_open(&lab, 1, false, stores_the_bytes, reads_and_tells, NULL);
    cr_assert(block_lab_run(&lab), "%s", lab.text);
    cr_assert_eq(lab.findings.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(lab.findings.items[i].kind, RT_FINDING_FENCE);
        cr_assert_eq(lab.findings.items[i].other.line, i ? AT_OTHER : AT_WRITE);
    }
    block_lab_close(&lab);
}

// An op that is in the kernel several times is one for who reads of it.
LAB_ENTRY(reads_at_many_places) {
    LAB_UNUSED();
    lab_allocate(launch);
    for (uint32_t i = 0; i < LAB_PLACES - 1; i++) {
        COPY(A, launch->arguments[0], 0);
        DO(READ, 1 + i, WHOLE(A));
    }
    return 0;
}
Test(block_checks, each_pair_of_lines_is_found_once) {
    KernelPlace places[LAB_PLACES];
    BlockLab lab;
    for (uint32_t i = 0; i < LAB_PLACES; i++) places[i] = lab_places[i ? AT_READ - 1 : 0];
    places[AT_COPY - 1] = lab_places[AT_COPY - 1];
    block_lab_open(&lab, 3, false, reads_at_many_places, NULL, NULL);
    lab.kernel.places = places;
    lab.grid = 20;
    cr_assert(block_lab_run(&lab), "%s", lab.text);
    cr_assert_eq(lab.findings.count, 3); // of places 1, 19 and the others
    cr_assert_not(lab.findings.more);
    block_lab_close(&lab);
}
