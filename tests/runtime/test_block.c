// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks have parts: values, the order of parts and of asynchronous operations, faults.
#include "tests/runtime/block_lab.h"

#include <criterion/criterion.h>

// Runs it with late and early operations, and 1 and 3 threads; `check` looks at each outcome.
static void run_each_way(HostEntry *kernel, HostEntry *first, HostEntry *second, uint32_t grid,
                         void (*check)(BlockLab *lab, bool good)) {
    for (unsigned way = 0; way < 8; way++) {
        BlockLab lab;
        block_lab_open(&lab, way & 1 ? 3 : 1, way & 4, kernel, first, second);
        lab.early = way & 2;
        lab.grid = grid;
        check(&lab, block_lab_run(&lab));
        block_lab_close(&lab);
    }
}

// ---- a pipeline: one part loads tiles into two stages, the other one adds them up -----------------------------------

enum { TILES = 7, TILE_WORDS = TILE / 4, SUM_WORD = TILES * TILE_WORDS };

LAB_ENTRY(produce) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < TILES; i++) {
        const uint64_t stage = i % 2;
        DO(WAIT, AT_WAIT, EMPTY + 32 + 8 * stage, (i / 2 & 1) ^ 1);
        DO(EXPECT, AT_EXPECT, FULL + 32 + 8 * stage - 32, TILE);
        LOAD(FULL + 8 * stage, A + stage * TILE, launch->arguments[0], i * TILE_WORDS);
    }
    return 0;
}
LAB_ENTRY(consume) {
    LAB_UNUSED();
    uint32_t *sums = lab_bytes(launch, C);
    DO(WRITE, AT_WRITE, WHOLE(C));
    memset(sums, 0, TILE);
    for (uint64_t i = 0; i < TILES; i++) {
        const uint64_t stage = i % 2;
        DO(WAIT, AT_WAIT, FULL + 8 * stage, i / 2 & 1);
        lab_read(launch, A + stage * TILE);
        for (int k = 0; k < TILE_WORDS; k++) sums[k] += lab_bytes(launch, A + stage * TILE)[k];
        DO(ARRIVE, AT_ARRIVE, EMPTY + 32 + 8 * stage, 1);
    }
    DO_NOTHING_WITH(FENCE, AT_FENCE);
    STORE(C, launch->arguments[0], SUM_WORD);
    DO(GROUP, AT_GROUP, BLOCK_STORES);
    DO(WAIT_GROUPS, AT_WAIT_STORE, BLOCK_STORES, 0, 1);
    return 0;
}
LAB_ENTRY(pipeline) {
    LAB_UNUSED();
    lab_allocate(launch);
    for (uint64_t stage = 0; stage < 2; stage++) {
        DO(INIT, AT_INIT, FULL + 8 * stage, 1);
        DO(INIT, AT_INIT, EMPTY + 32 + 8 * stage, 1);
    }
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
static void check_pipeline(BlockLab *lab, bool good) {
    cr_assert(good, "%s", lab->text);
    cr_assert_eq(lab->findings.count, 0);
    for (uint32_t k = 0; k < TILE_WORDS; k++)
        cr_assert_eq(lab->words[SUM_WORD + k], TILES * k + TILE_WORDS * TILES * (TILES - 1) / 2);
}
Test(block, parts_hand_tiles_to_each_other) {
    run_each_way(pipeline, produce, consume, 1, check_pipeline);
    run_each_way(pipeline, consume, produce, 1, check_pipeline);
}

// ---- when operations are done ---------------------------------------------------------------------------------------

// Reads too early what a load, a copy and a product write, then overwrites what a store reads.
LAB_ENTRY(too_early) {
    LAB_UNUSED();
    uint32_t *words = lab_begin(launch, 1);
    DO(EXPECT, AT_EXPECT, FULL, TILE);
    LOAD(FULL, A, launch->arguments[0], 512);
    words[0] = lab_bytes(launch, A)[1];
    DO(WAIT, AT_WAIT, FULL, 0);
    words[1] = lab_bytes(launch, A)[1];
    COPY(B, launch->arguments[0], 256);
    DO(GROUP, AT_GROUP, BLOCK_COPIES);
    words[2] = lab_bytes(launch, B)[1];
    DO(WAIT_GROUPS, AT_OTHER, BLOCK_COPIES, 0, 0);
    words[3] = lab_bytes(launch, B)[1];
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 1);
    words[4] = lab_bytes(launch, T)[1];
    DO(COMMIT, AT_COMMIT, FULL);
    DO(WAIT, AT_WAIT, FULL, 1);
    words[5] = lab_bytes(launch, T)[1];
    STORE(A, launch->arguments[0], 1024);
    lab_bytes(launch, A)[1] = 7;
    return 0;
}
static void check_too_early(BlockLab *lab, bool good) {
    cr_assert(good, "%s", lab->text);
    const uint32_t late = UINT32_MAX, product = 2 * 513 * 257;
    cr_assert_eq(lab->words[0], lab->early ? 513 : late);
    cr_assert_eq(lab->words[1], 513);
    cr_assert_eq(lab->words[2], lab->early ? 257 : late);
    cr_assert_eq(lab->words[3], 257);
    cr_assert_eq(lab->words[4], lab->early ? product : late);
    cr_assert_eq(lab->words[5], product);
    cr_assert_eq(lab->words[1025], lab->early ? 513 : 7); // carried out at the end of the block
    cr_assert_eq(lab->words[1026], 514);
}
Test(block, operations_are_done_late_or_early) {
    run_each_way(too_early, NULL, NULL, 1, check_too_early);
}

// Groups are done in order, and only those that are waited for; a commit needs the products before it, copies that
// arrive need the copies before them.
LAB_ENTRY(groups) {
    LAB_UNUSED();
    uint32_t *words = lab_begin(launch, 1);
    DO(INIT, AT_INIT, EMPTY, 1);
    for (uint64_t i = 0; i < 3; i++) {
        COPY(A + i * TILE, launch->arguments[0], 256 * (i + 1));
        DO(GROUP, AT_GROUP, BLOCK_COPIES);
    }
    for (uint64_t open = 3; open--;) {
        DO(WAIT_GROUPS, AT_OTHER, BLOCK_COPIES, open, 0);
        for (uint64_t i = 0; i < 3; i++) words[(2 - open) * 3 + i] = *lab_bytes(launch, A + i * TILE);
    }
    COPY(D, launch->arguments[0], 1024);
    DO(COPIES_ARRIVE, AT_OTHER, FULL, 1);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    DO(WAIT, AT_WAIT, FULL, 0);
    words[9] = *lab_bytes(launch, D);
    // As many arrivals as a GPU has threads.
    DO(INIT, AT_INIT, OTHER, 128);
    COPY(D, launch->arguments[0], 1025);
    DO(COPIES_ARRIVE, AT_OTHER, OTHER, 0, 128);
    DO(WAIT, AT_WAIT, OTHER, 0);
    words[12] = *lab_bytes(launch, D);
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, EMPTY);
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 1);
    DO(WAIT, AT_WAIT, EMPTY, 0);
    words[10] = *lab_bytes(launch, T);
    return 0;
}
static void check_groups(BlockLab *lab, bool good) {
    const uint32_t none = UINT32_MAX;
    const uint32_t late[] = {256, none, none, 256, 512, none, 256, 512, 768, 1024, 256 * 512};
    cr_assert(good, "%s", lab->text);
    for (size_t i = 0; i < BASE_COUNT(late) && !lab->early; i++) cr_assert_eq(lab->words[i], late[i], "%zu", i);
    cr_assert_eq(lab->words[9], 1024);
    cr_assert_eq(lab->words[12], 1025);
    cr_assert_eq(lab->words[8], 768);
}
Test(block, groups_are_done_in_order) {
    run_each_way(groups, NULL, NULL, 1, check_groups);
}

// ---- mbarriers ------------------------------------------------------------------------------------------------------

LAB_ENTRY(phases) {
    LAB_UNUSED();
    uint32_t *words = lab_begin(launch, 2);
    DO(WAIT, AT_WAIT, FULL, 1); // a fresh one: the phase before is over
    for (uint64_t i = 0; i < 4; i++) {
        DO(ARRIVE, AT_ARRIVE, FULL, 1);
        DO(WAIT, AT_WAIT, FULL, (i & 1) ^ 1);
        DO(ARRIVE, AT_ARRIVE, FULL, 1);
        DO(WAIT, AT_WAIT, FULL, i & 1);
        words[i] = 1000;
    }
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    DO(INIT, AT_INIT, FULL, 1);
    DO(WAIT, AT_WAIT, FULL, 1);
    // Bytes may come before they are announced.
    DO(INIT, AT_INIT, EMPTY, 2);
    LOAD(EMPTY, A, launch->arguments[0], 256);
    DO(ARRIVE, AT_ARRIVE, EMPTY, 1);
    DO(EXPECT, AT_EXPECT, EMPTY, TILE);
    DO(WAIT, AT_WAIT, EMPTY, 0);
    words[4] = *lab_bytes(launch, A);
    return 0;
}
static void check_phases(BlockLab *lab, bool good) {
    cr_assert(good, "%s", lab->text);
    cr_assert_eq(lab->words[3], 1000);
    cr_assert_eq(lab->words[4], 256);
    cr_assert_eq(lab->findings.count, 0, "%s", lab->findings.count ? lab->findings.items[0].message : "");
}
Test(block, phases_end_when_all_have_arrived) {
    run_each_way(phases, NULL, NULL, 1, check_phases);
}

// ---- many blocks ----------------------------------------------------------------------------------------------------

// Each block writes its own words; what it finds in memory that nobody wrote does not depend on who ran before.
LAB_ENTRY(many) {
    LAB_UNUSED();
    uint32_t *words = lab_buffer(launch), sum = 0;
    for (int i = 0; i < MEMORY / 4; i++) sum += lab_bytes(launch, 0)[i] != UINT32_MAX;
    lab_allocate(launch);
    lab_write(launch, 1, A + x % 4 * TILE, x);
    const uint64_t staged = DO(STAGE, AT_OTHER, 1000), other = DO(STAGE, AT_OTHER, 1000);
    memset(lab_bytes(launch, staged), 1, 1000);
    memset(lab_bytes(launch, other), 2, 1000);
    DO(UNSTAGE, AT_OTHER, staged);
    sum += DO(STAGE, AT_OTHER, 10) != staged;
    words[x] = lab_bytes(launch, A + x % 4 * TILE)[5] + 1000 * sum;
    return 0;
}
static void check_many(BlockLab *lab, bool good) {
    cr_assert(good, "%s", lab->text);
    for (uint32_t i = 0; i < lab->grid; i++) cr_assert_eq(lab->words[i], i + 5);
}
Test(block, blocks_do_not_see_each_other) {
    run_each_way(many, NULL, NULL, 200, check_many);
}

// Memory for staging comes back when the operation that uses it is done.
LAB_ENTRY(staged) {
    LAB_UNUSED();
    lab_allocate(launch);
    for (uint64_t i = 0; i < 40; i++) {
        const uint64_t offset = DO(STAGE, AT_OTHER, 1 << 20);
        *lab_bytes(launch, offset) = (uint32_t)i;
        DO(ISSUE, AT_COPY, BLOCK_COPIES, -1, 0, STORE_PART, 0, launch->arguments[0], 1024, offset);
        DO(UNSTAGE, AT_OTHER, offset);
    }
    return 0;
}
static void check_staged(BlockLab *lab, bool good) {
    cr_assert(good, "%s", lab->text);
    cr_assert_eq(lab->words[1024], 39);
}
Test(block, staging_memory_comes_back) {
    run_each_way(staged, NULL, NULL, 1, check_staged);
}

// Parts begin in the order of their forks, when the part that forks them waits; those that have ended make room.
LAB_ENTRY(appends_one) {
    LAB_UNUSED();
    uint32_t *words = lab_buffer(launch);
    words[1024 + words[1000]++] = 1;
    return 0;
}
LAB_ENTRY(appends_two) {
    LAB_UNUSED();
    uint32_t *words = lab_buffer(launch);
    words[1024 + words[1000]++] = 2;
    return 0;
}
LAB_ENTRY(forks) {
    LAB_UNUSED();
    uint32_t *words = lab_buffer(launch);
    lab_allocate(launch);
    words[1000] = 0;
    for (int round = 0; round < 10; round++) {
        DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
        DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
        DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
        words[1024 + words[1000]++] = 0;
        words[1024 + words[1000]++] = 3;
        DO_NOTHING_WITH(JOIN, AT_JOIN);
    }
    return 0;
}
static void check_forks(BlockLab *lab, bool good) {
    static const uint32_t order[] = {0, 3, 2, 1, 2};
    cr_assert(good, "%s", lab->text);
    cr_assert_eq(lab->findings.count, 0);
    cr_assert_eq(lab->words[1000], 50);
    for (uint32_t i = 0; i < 50; i++) cr_assert_eq(lab->words[1024 + i], order[i % 5], "%u", i);
}
Test(block, parts_run_in_the_order_of_their_forks) {
    run_each_way(forks, appends_one, appends_two, 1, check_forks);
}

// ---- cancelling -----------------------------------------------------------------------------------------------------

// Each block does the work of the next ones, too, up to four.
LAB_ENTRY(cancel) {
    LAB_UNUSED();
    uint32_t *words = lab_begin(launch, 1), id = x;
    for (uint64_t i = 0; i < 4; i++) {
        words[id] = 1000 * x + (uint32_t)i;
        DO(EXPECT, AT_EXPECT, FULL, 16);
        DO(TRY_CANCEL, AT_OTHER, A, FULL);
        DO(WAIT, AT_WAIT, FULL, i & 1);
        if (!DO(CANCELED, AT_OTHER, A)) return 0;
        id = (uint32_t)DO(CANCELED_ID, AT_OTHER, A, 0);
    }
    words[id] = 1000 * x + 4;
    return 0;
}
static void check_cancel(BlockLab *lab, bool good) {
    cr_assert(good, "%s", lab->text);
    cr_assert_eq(lab->findings.count, 0);
    for (uint32_t i = 0; i < lab->grid; i++) cr_assert_eq(lab->words[i], i / 5 * 5000 + i % 5);
}
Test(block, blocks_take_the_place_of_others) {
    for (unsigned jobs = 1; jobs < 4; jobs += 2) {
        BlockLab lab;
        block_lab_open(&lab, jobs, false, cancel, NULL, NULL);
        lab.kernel.cancels = true;
        lab.grid = 23;
        check_cancel(&lab, block_lab_run(&lab));
        block_lab_close(&lab);
    }
}

// ---- faults ---------------------------------------------------------------------------------------------------------

LAB_ENTRY(waits_in_vain) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 0);
    return 0;
}
LAB_ENTRY(deadlock) {
    LAB_UNUSED();
    lab_begin(launch, 3);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    DO(EXPECT, AT_EXPECT, FULL, 2 * TILE);
    LOAD(FULL, A, launch->arguments[0], 0);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
static void check_deadlock(BlockLab *lab, bool good) {
    cr_assert_not(good);
    cr_assert_eq(lab->diagnostics.items[0].code, E_RUNTIME);
    cr_assert_str_eq(
        lab->text, "k.py:5: error: test: kernel lab: block (0, 0, 0): deadlock: part 'default' waits in join (k.py:10) "
                   "for the parts that it began to end; partition 0 waits in wait (k.py:5) for phase 0 of the "
                   "mbarrier that init (k.py:2) has made, to which 2 of 3 arrivals and 1024 of 2048 bytes have come "
                   "[E503]\n");
}
Test(block, deadlocks_say_who_waits_for_what) {
    run_each_way(deadlock, waits_in_vain, NULL, 1, check_deadlock);
    run_each_way(deadlock, waits_in_vain, NULL, 50, check_deadlock);
}

// Faults in part 0, in a partition, in an asynchronous operation: that of the lowest block counts.
LAB_ENTRY(fails_in_odd_blocks) {
    LAB_UNUSED();
    fault->found = x;
    return x % 2;
}
LAB_ENTRY(faulty) {
    LAB_UNUSED();
    lab_allocate(launch);
    if (x < 9) return 0;
    if (x == 9) DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(ISSUE, AT_STORE, BLOCK_STORES, -1, 0, FIRST_PART, 0, launch->arguments[0]);
    DO(GROUP, AT_GROUP, BLOCK_STORES);
    DO(WAIT_GROUPS, AT_WAIT_STORE, BLOCK_STORES, 0, 1);
    return 0;
}
static void check_faulty(BlockLab *lab, bool good) {
    cr_assert_not(good);
    cr_assert_str_eq(lab->text,
                     "k.py:99: error: test: kernel lab: block (9, 0, 0): assert: assertion failed at element "
                     "9: of the lab [E502]\n");
}
Test(block, a_fault_of_a_part_is_that_of_the_block) {
    run_each_way(faulty, fails_in_odd_blocks, NULL, 100, check_faulty);
}

// One bad operation of each kind, by the number of the block.
LAB_ENTRY(never) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, OTHER, 0);
    return 0;
}
LAB_ENTRY(bad) {
    LAB_UNUSED();
    const uint64_t kind = lab_buffer(launch)[LAB_WORDS - 1];
    lab_allocate(launch);
    DO(INIT, AT_INIT, OTHER, 1);
    switch (kind) {
    case 0: DO(WAIT, AT_WAIT, FULL, 0); break;
    case 1:
        DO(INVALIDATE, AT_INVALIDATE, OTHER);
        DO(ARRIVE, AT_ARRIVE, OTHER, 1);
        break;
    case 2: DO(READ, AT_READ, MEMORY, 1, 16, 16); break;
    case 3: DO(READ, AT_READ, A + 1000, 3, 16, 64); break;
    case 4: DO(INIT, AT_INIT, FULL + 4, 1); break;
    case 5: DO(INIT, AT_INIT, FULL, 0); break;
    case 6:
        for (int i = 0; i < 20; i++) DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
        break;
    case 7: DO(FORK, AT_FORK, FIRST_PART); break;
    case 8: DO(FREE, AT_FREE, A + 8); break;
    case 9: DO(STAGE, AT_OTHER, BLOCK_STAGING_BYTES + 1); break;
    case 10: DO(WAIT, AT_WAIT, FULL); break;
    case 11: DO(ALLOCATE, AT_ALLOCATE, MEMORY - 8, 16, BLOCK_SHARED, 0); break;
    case 12: DO(READ, AT_READ, (uint64_t)1 << 40, 1, 16, 16); break;
    case 14:
        for (int i = 0; i < 2; i++) DO(FREE, AT_FREE, A);
        break;
    case 13: DO(ISSUE, AT_LOAD, BLOCK_LOADS, -1, 0, 77, 0); break;
    default: break;
    }
    return 0;
}
Test(block, bad_operations_are_faults) {
    static const char *const texts[] = {
        "wait (k.py:5) in part 'default' uses an mbarrier at offset 0, but none was made there",
        "arrive (k.py:8) in part 'default' uses an mbarrier that inval (k.py:18) has ended",
        "accesses byte 12288 of the block's memory, where nothing is",
        "accesses bytes 1000 to 1143 of the 1024 that alloc (k.py:1) has made",
        "makes an mbarrier at offset 4, where none can be",
        "makes an mbarrier for 0 arrivals, 1 to 1048575 are possible",
        "begins a part, but 16 run already, more are not possible",
        "calls a part with 0 arguments, but it has 1 parameters",
        "frees memory at offset 1032, where nothing is",
        "needs 67108865 more bytes beside shared and tensor memory, of which there are 67108864",
        "asks for operation 11 with 1 operands, which does not exist",
        "has 16 bytes at offset 12280 of a memory of 12288",
        "accesses 1 rows of 16 bytes, 16 apart, from byte 1099511627776 of the block's memory, which has 12288",
        "is an operation that the kernel does not have",
        "dealloc (k.py:17) in part 'default' frees memory that dealloc (k.py:17) has freed",
    };
    for (uint32_t kind = 0; kind < BASE_COUNT(texts); kind++) {
        BlockLab lab;
        block_lab_open(&lab, 2, false, bad, never, NULL);
        lab.grid = 3;
        const RtArgument argument = {lab.buffer->address, lab.buffer};
        rt_copy_in(lab.device, &lab.diagnostics, lab.buffer, sizeof lab.words - 4, &kind, 4);
        cr_assert_not(
            rt_launch(lab.device, &lab.diagnostics,
                      &(RtLaunch){.label = "test", .kernel = &lab.kernel, .grid = {3, 1, 1}, .arguments = &argument}));
        cr_assert_eq(lab.diagnostics.count, 1);
        cr_assert_eq(lab.diagnostics.items[0].code, E_RUNTIME);
        cr_assert(strstr(lab.diagnostics.items[0].message, texts[kind]), "%s", lab.diagnostics.items[0].message);
        cr_assert(strstr(lab.diagnostics.items[0].message, "block (0, 0, 0): "));
        block_lab_close(&lab);
    }
}

// A kernel without parts, and without any operation.
LAB_ENTRY(quiet) {
    LAB_UNUSED();
    lab_buffer(launch)[x] = *lab_bytes(launch, 0);
    return 0;
}
Test(block, a_kernel_may_have_no_parts) {
    BlockLab lab;
    block_lab_open(&lab, 2, false, quiet, NULL, NULL);
    lab.kernel.part_count = 0;
    cr_assert(block_lab_run(&lab));
    cr_assert_eq(lab.words[0], UINT32_MAX);
    block_lab_close(&lab);
}
