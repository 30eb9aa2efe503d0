// SPDX-License-Identifier: Apache-2.0
// What orders accesses of warps, and what is a race. Each kernel runs in a right and in some wrong forms; forms are the
// bits of the number that the launch passes.
#include "runtime/warp.h"
#include "tests/runtime/warp_lab.h"

#include <criterion/criterion.h>

#define HEAD "test: kernel lab: block (0, 0, 0): "

static bool has(const WarpState *w, uint64_t form) {
    return warp_lab_parameters(w)->number & form;
}

typedef struct OrderRow {
    WarpEntry *entry;
    uint64_t form;
    const char *text; // NULL: the launch succeeds
} OrderRow;

static void run_rows(const OrderRow *rows, size_t count, uint32_t threads) {
    for (size_t i = 0; i < count; i++)
        for (int reverse = 0; reverse < 2; reverse++) {
            WarpLab lab = warp_lab_open(1, rows[i].entry, threads, 4096);
            lab.threads.reverse = reverse;
            for (int again = 0; again < 2; again++) {
                const bool good = warp_lab_run(&lab, rows[i].form);
                const bool mine = rows[i].text ? !good && strstr(lab.text, rows[i].text) : good;
                cr_expect(mine, "row %zu, reverse %d: %s", i, reverse, lab.text);
            }
            warp_lab_close(&lab);
        }
}

// ---- between warps

enum { NO_BARRIER = 1, OTHER_BYTES = 2, GLOBAL = 4, BARRIER_IN_BETWEEN = 8, WRITE_BOTH = 16, ODD = 32 };

static void exchange_words(WarpState *w) {
    const uint32_t space = has(w, GLOBAL) ? WARP_GLOBAL : WARP_SHARED;
    const uint64_t base = has(w, GLOBAL) ? warp_lab_parameters(w)->a : WARP_SHARED_FIRST;
    lab_store_as(w, ALL, STORE_A, space, 0, base + w->warp * 128, 4, lab_threads(w));
    if (!has(w, NO_BARRIER)) lab_barrier(w, 0, 0);
    const uint64_t other = has(w, OTHER_BYTES) ? w->warp : 1 - w->warp;
    if (has(w, WRITE_BOTH))
        lab_store_as(w, ALL, STORE_B, space, 0, base + other * 128, 4, lab_all(1));
    else
        lab_load_as(w, ALL, LOAD_B, space, 0, base + other * 128, 4);
    if (has(w, BARRIER_IN_BETWEEN)) lab_barrier(w, 0, 0);
    lab_store_as(w, ALL, STORE_B, space, 0, base + w->warp * 128, 4, lab_threads(w));
    lab_end(w);
}

Test(warp_order, barriers_order_warps) {
    const OrderRow rows[] = {
        {exchange_words, BARRIER_IN_BETWEEN, NULL},
        {exchange_words, BARRIER_IN_BETWEEN | GLOBAL, NULL},
        {exchange_words, OTHER_BYTES | NO_BARRIER, NULL},
        {exchange_words, BARRIER_IN_BETWEEN | WRITE_BOTH, NULL},
        {exchange_words, NO_BARRIER, "and nothing orders the two"},
        {exchange_words, NO_BARRIER | GLOBAL, "and nothing orders the two"},
        {exchange_words, 0, "and nothing orders the two"},
        {exchange_words, GLOBAL, "and nothing orders the two"},
        {exchange_words, WRITE_BOTH, "and nothing orders the two"},
    };
    run_rows(rows, BASE_COUNT(rows), 64);
}

Test(warp_order, a_race_names_both_sides) {
    WarpLab lab = warp_lab_open(1, exchange_words, 64, 4096);
    cr_expect_not(warp_lab_run(&lab, NO_BARRIER));
    cr_expect_str_eq(lab.text,
                     "k.ptx:2: error: " HEAD "race: warp 1 lane 0 in st.a (k.ptx:2) and warp 0 lane 0 in ld.b "
                     "(k.ptx:3) at byte 128 of shared memory, and nothing orders the two [E503]\n");
    cr_expect_not(warp_lab_run(&lab, NO_BARRIER | GLOBAL));
    cr_expect_str_eq(lab.text,
                     "k.ptx:2: error: " HEAD "race: warp 1 lane 0 in st.a (k.ptx:2) and warp 0 lane 0 in ld.b "
                     "(k.ptx:3) at byte 128 of buffer a (65536 bytes), and nothing orders the two [E503]\n");
    warp_lab_close(&lab);
}

// All warps store the same words, with the same values: layouts of compilers hold some elements in several warps.
static void store_equal_words(WarpState *w) {
    lab_store(w, ALL, STORE_A, 0, 4, lab_all(7));
    lab_barrier(w, 0, 0);
    lab_load(w, ALL, LOAD_A, 0, 4);
    lab_end(w);
}

// Bytes of one word by four warps; with ODD they overlap.
static void store_bytes(WarpState *w) {
    const WarpAccess access = {
        .place = STORE_A, .space = WARP_SHARED, .bytes = (uint8_t)(has(w, ODD) && w->warp == 2 ? 2 : 1), .count = 1};
    uint64_t addresses[WARP_LANES];
    LabWords values = lab_all(w->warp + 1);
    lab_addresses(WARP_SHARED_FIRST + w->warp, 4, addresses);
    w->ops->store(w, ALL, &access, addresses, &values);
    if (!has(w, NO_BARRIER)) lab_barrier(w, 0, 0);
    lab_load(w, ALL, LOAD_A, 0, 4);
    lab_barrier(w, 0, 0);
    lab_store(w, w->warp == 3 ? ALL : 1, STORE_B, w->warp == 3 ? 0 : 1024 + w->warp * 4, 4, lab_all(0));
    lab_end(w);
}

Test(warp_order, bytes_of_a_word_are_told_apart) {
    const OrderRow rows[] = {
        {store_bytes, 0, NULL},
        {store_bytes, ODD, "race: "},
        {store_equal_words, 0, NULL},
        {store_bytes, NO_BARRIER, "race: "},
    };
    run_rows(rows, BASE_COUNT(rows), 128);
}

// ---- between lanes

enum { NO_SYNC = 1, SYNC_HALF = 2, OWN_WORD = 4 };

static void shift_in_warp(WarpState *w) {
    lab_store(w, ALL, STORE_A, 0, 4, lab_threads(w));
    if (!has(w, NO_SYNC)) lab_sync(w, ALL);
    lab_load(w, 0x7FFFFFFF, LOAD_A, has(w, OWN_WORD) ? 0 : 4, 4);
    if (!has(w, NO_SYNC)) lab_sync(w, ALL);
    lab_store(w, ALL, STORE_B, 0, 4, lab_threads(w));
    lab_end(w);
}

static void broadcast_in_warp(WarpState *w) {
    lab_store(w, 1, STORE_A, 0, 4, lab_threads(w));
    if (!has(w, NO_SYNC)) lab_sync(w, ALL);
    lab_load(w, ALL, LOAD_A, 0, 0);
    if (!has(w, SYNC_HALF)) lab_sync(w, ALL);
    lab_store(w, 1, STORE_B, 0, 4, lab_threads(w));
    lab_end(w);
}

Test(warp_order, lanes_are_ordered_by_sync_instructions) {
    const OrderRow rows[] = {
        {shift_in_warp, 0, NULL},
        {shift_in_warp, NO_SYNC | OWN_WORD, NULL},
        {shift_in_warp, NO_SYNC, "race: warp 0 lane 0 in ld.a (k.ptx:1) and warp 0 lane 1 in st.a (k.ptx:2) at byte 4"},
        {broadcast_in_warp, 0, NULL},
        {broadcast_in_warp, NO_SYNC, "race: warp 0 in ld.a (k.ptx:1) and warp 0 lane 0 in st.a (k.ptx:2)"},
        {broadcast_in_warp, SYNC_HALF, "race: warp 0 lane 0 in st.b (k.ptx:4) and warp 0 in ld.a (k.ptx:1) at byte 0"},
    };
    run_rows(rows, BASE_COUNT(rows), 32);
}

enum { CHAIN = 2, OWN_HALF = 4, ALL_AFTER = 8 };

// Lanes store, halves of the warp meet, then each lane reads the word of another one.
static void meet_in_halves(WarpState *w) {
    const uint32_t low = 0xFFFF, high = ~low, first = 1, other = has(w, OWN_HALF) ? 8 : 16;
    lab_store(w, ALL, STORE_A, w->warp * 128, 4, lab_threads(w));
    lab_sync(w, low);
    lab_sync(w, high);
    if (has(w, CHAIN)) { // lane 0 learns of the other half, and its own half from it
        lab_sync(w, first | first << 16);
        lab_sync(w, low);
    }
    if (has(w, ALL_AFTER)) lab_sync(w, ALL);
    const uint32_t readers = has(w, CHAIN) ? low : ALL;
    const uint64_t at = w->warp * 128;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        if (readers >> l & 1) lab_load(w, UINT32_C(1) << l, LOAD_A, at + (l ^ other) * 4, 0);
    lab_end(w);
}

// One lane of a half hands on what the half has done.
static void release_for_half(WarpState *w) {
    if (w->warp == 0) lab_init(w, 1, 0, 1);
    lab_barrier(w, 0, 0);
    if (w->warp == 0) {
        lab_store(w, ALL, STORE_A, 128, 4, lab_threads(w));
        lab_sync(w, 0xFFFF);
        lab_mbarrier_arrive(w, 1, 0, 1, 0);
    } else {
        lab_wait(w, ALL, 0, 0);
        lab_load(w, has(w, OWN_HALF) ? 0xFFFF : ALL, LOAD_A, 128, 4);
    }
    lab_end(w);
}

Test(warp_order, parts_of_a_warp_meet) {
    const OrderRow rows[] = {
        {meet_in_halves, OWN_HALF, NULL},
        {meet_in_halves, ALL_AFTER, NULL},
        {meet_in_halves, CHAIN, NULL},
        {meet_in_halves, 0, "race: warp 0 lane 0 in ld.a (k.ptx:1) and warp 0 lane 16 in st.a (k.ptx:2) at byte 64"},
    };
    run_rows(rows, BASE_COUNT(rows), 32);
    const OrderRow releases[] = {
        {release_for_half, OWN_HALF, NULL},
        {release_for_half, 0, "race: warp 1 lane 16 in ld.a (k.ptx:1) and warp 0 lane 16 in st.a (k.ptx:2)"},
    };
    run_rows(releases, BASE_COUNT(releases), 64);
}

// ---- mbarriers

enum { NO_WAIT = 1, NO_EMPTY = 2, ONE_LANE = 4, WAIT_LANE = 8, RELAX = 16, EARLY_ARRIVE = 32 };

// Warp 0 fills two stages in turn, warps 1 and 2 read them. mbarriers 0 and 8: full, 16 and 24: empty.
static void pipeline(WarpState *w) {
    if (w->warp == 0)
        for (uint64_t i = 0; i < 4; i++) lab_init(w, 1, i * 8, i < 2 ? 1 : 2);
    lab_barrier(w, 0, 0);
    for (uint32_t i = 0; i < 6; i++) {
        const uint64_t stage = i % 2, full = stage * 8, empty = 16 + stage * 8, data = 64 + stage * 128;
        const uint64_t parity = i / 2 % 2;
        if (w->warp == 0) {
            if (!has(w, NO_EMPTY)) lab_wait(w, ALL, empty, parity ^ 1);
            lab_store(w, ALL, STORE_A, data, 4, lab_all(i));
            if (!has(w, ONE_LANE)) lab_sync(w, ALL);
            lab_mbarrier_arrive(w, 1, full, 1, 0);
        } else {
            if (!has(w, NO_WAIT)) lab_wait(w, has(w, WAIT_LANE | RELAX) ? 1 : ALL, full, parity);
            if (has(w, RELAX)) lab_sync(w, ALL);
            if (has(w, EARLY_ARRIVE)) lab_mbarrier_arrive(w, 1, empty, 1, 0);
            lab_load(w, ALL, LOAD_A, data, 4);
            lab_sync(w, ALL);
            if (!has(w, EARLY_ARRIVE)) lab_mbarrier_arrive(w, 1, empty, 1, 0);
        }
    }
    lab_end(w);
}

Test(warp_order, mbarriers_order_those_who_arrive_before_those_who_wait) {
    const OrderRow rows[] = {
        {pipeline, 0, NULL},
        {pipeline, RELAX, NULL},
        {pipeline, NO_WAIT, ""}, // a race or, as warps go on too far, a deadlock
        {pipeline, NO_EMPTY, ""},
        {pipeline, ONE_LANE, "race: "},
        {pipeline, WAIT_LANE, "race: "},
        {pipeline, EARLY_ARRIVE, "race: "},
    };
    run_rows(rows, BASE_COUNT(rows), 96);
}

// ---- strong accesses

enum { NO_RELEASE = 1, NO_ACQUIRE = 2, FENCES = 4, WEAK = 8, IN_SHARED = 16 };

static void pass_by_flag(WarpState *w) {
    const uint32_t space = has(w, IN_SHARED) ? WARP_SHARED : WARP_GLOBAL;
    const uint64_t flag = has(w, IN_SHARED) ? WARP_SHARED_FIRST : warp_lab_parameters(w)->a, data = flag + 1024;
    const uint32_t weak = has(w, WEAK) ? 0 : WARP_RELAXED;
    const uint32_t release = has(w, NO_RELEASE | FENCES) ? weak : WARP_RELEASE;
    const uint32_t acquire = has(w, NO_ACQUIRE | FENCES) ? weak : WARP_ACQUIRE;
    if (has(w, IN_SHARED)) {
        if (w->warp == 0) lab_store(w, 1, STORE_B, 0, 0, lab_all(0));
        lab_barrier(w, 0, 0);
    }
    if (w->warp == 0) {
        lab_store_as(w, ALL, STORE_A, space, 0, data, 4, lab_threads(w));
        lab_sync(w, ALL);
        if (has(w, FENCES) && !has(w, NO_RELEASE)) lab_do(w, 1, OTHER, WARP_FENCE, DETAIL(0), NULL, NULL);
        lab_store_as(w, 1, STORE_B, space, release, flag, 0, lab_all(1));
    } else {
        while (!lab_load_as(w, 1, LOAD_B, space, acquire, flag, 0).lane[0]) lab_loop(w);
        if (has(w, FENCES) && !has(w, NO_ACQUIRE)) lab_do(w, 1, OTHER, WARP_FENCE, DETAIL(0), NULL, NULL);
        lab_sync(w, ALL);
        lab_load_as(w, ALL, LOAD_A, space, 0, data, 4);
        lab_store_as(w, 1, STORE_B, space, WARP_RELAXED, flag, 0, lab_all(0));
    }
    lab_end(w);
}

// All warps count up; the last one reads what all have written.
static void last_one_reads(WarpState *w) {
    const uint64_t count = warp_lab_parameters(w)->a, data = count + 1024;
    lab_store_as(w, ALL, STORE_A, WARP_GLOBAL, 0, data + w->warp * 128, 4, lab_threads(w));
    if (!has(w, NO_RELEASE)) lab_do(w, ALL, OTHER, WARP_FENCE, DETAIL(0), NULL, NULL);
    lab_sync(w, ALL);
    const LabWords before = lab_add(w, 1, WARP_GLOBAL, WARP_RELAXED, count, 0, lab_all(1));
    if (before.lane[0] % w->warps == w->warps - 1) {
        if (!has(w, NO_ACQUIRE)) lab_do(w, 1, OTHER, WARP_FENCE, DETAIL(0), NULL, NULL);
        lab_sync(w, ALL);
        for (uint32_t i = 0; i < w->warps; i++) lab_load_as(w, ALL, LOAD_A, WARP_GLOBAL, 0, data + i * 128, 4);
        lab_store_as(w, 1, STORE_B, WARP_GLOBAL, WARP_RELAXED, count, 0, lab_all(0));
    }
    lab_end(w);
}

Test(warp_order, releases_acquires_and_fences) {
    const OrderRow rows[] = {
        {pass_by_flag, 0, NULL},
        {pass_by_flag, FENCES, NULL},
        {pass_by_flag, NO_RELEASE, "race: "},
        {pass_by_flag, NO_ACQUIRE, "race: "},
        {pass_by_flag, FENCES | NO_RELEASE, "race: "},
        {pass_by_flag, FENCES | NO_ACQUIRE, "race: "},
        {pass_by_flag, IN_SHARED, NULL},
        {pass_by_flag, IN_SHARED | FENCES, NULL},
        {pass_by_flag, IN_SHARED | NO_RELEASE, "race: "},
        {pass_by_flag, IN_SHARED | NO_ACQUIRE, "race: "},
        {pass_by_flag, IN_SHARED | FENCES | NO_RELEASE, "race: "},
        {pass_by_flag, IN_SHARED | FENCES | NO_ACQUIRE, "race: "},
        {pass_by_flag, FENCES | WEAK, "race: "},
    };
    run_rows(rows, BASE_COUNT(rows), 64);
    const OrderRow counting[] = {
        {last_one_reads, 0, NULL},
        {last_one_reads, NO_RELEASE, "race: "},
        {last_one_reads, NO_ACQUIRE, "race: "},
    };
    run_rows(counting, BASE_COUNT(counting), 128);
}

static void count_up(WarpState *w) {
    if (w->warp == 0) lab_store(w, 1, STORE_A, 0, 0, lab_all(0));
    if (!has(w, NO_RELEASE)) lab_barrier(w, 0, 0);
    lab_add(w, ALL, WARP_SHARED, WARP_RELAXED, WARP_SHARED_FIRST, 0, lab_all(1));
    if (!has(w, NO_ACQUIRE)) lab_barrier(w, 0, 0);
    lab_load(w, ALL, LOAD_A, 0, 0);
    lab_end(w);
}

Test(warp_order, atomics_race_with_other_accesses_alone) {
    const OrderRow rows[] = {
        {count_up, 0, NULL},
        {count_up, NO_RELEASE, "race: "},
        {count_up, NO_ACQUIRE, "race: "},
    };
    run_rows(rows, BASE_COUNT(rows), 96);
}

static void read_constant(WarpState *w) {
    const uint64_t a = warp_lab_parameters(w)->a;
    lab_load_as(w, ALL, LOAD_A, WARP_GLOBAL, WARP_READ_ONLY, a, 4);
    lab_barrier(w, 1, 32);
    if (has(w, 1)) lab_store_as(w, ALL, STORE_A, WARP_GLOBAL, 0, a, 4, lab_all(1));
    lab_load_as(w, ALL, LOAD_B, WARP_GLOBAL, WARP_READ_ONLY, a, 4);
    lab_end(w);
}

Test(warp_order, constant_memory_must_not_be_written) {
    const OrderRow rows[] = {
        {read_constant, 0, NULL},
        {read_constant, 1,
         "warp 0 lane 0 in ld.b (k.ptx:3) at byte 0 of buffer a (65536 bytes), which the instruction takes to be "
         "constant, but warp 0 lane 0 in st.a (k.ptx:2) has written it"},
    };
    run_rows(rows, BASE_COUNT(rows), 32);
}

// ---- asynchronous operations: a copy engine of the test, that reads or writes 128 bytes of shared memory

static void engine_touch(WarpState *w, WarpTicket ticket, uint32_t flags, uint64_t at) {
    Warp *warp = (Warp *)(void *)w;
    const WarpDeed deed = {
        .warp = warp, .lanes = 1, .place = OTHER, .flags = flags | WARP_DEED_ASYNC, .ticket = ticket};
    warp_touch(warp->block, &deed, WARP_SHARED, WARP_SHARED_FIRST + at, 128);
}

typedef struct EngineLoad {
    WarpMbarrier *mbarrier;
    WarpSide side;
    uint8_t *to;
} EngineLoad;

static void finish_engine_load(WarpBlock *block, void *data) {
    const EngineLoad *load = data;
    memset(load->to, 7, 128);
    warp_mbarrier_complete(block, load->mbarrier, &load->side, 128);
}

// As a bulk copy: writes 128 bytes, which complete on the mbarrier.
static void engine_load(WarpState *w, uint64_t at, uint64_t mbarrier) {
    Warp *warp = (Warp *)(void *)w;
    EngineLoad load = {.side = {OTHER, 1, (uint16_t)w->warp}};
    load.mbarrier = warp_find_mbarrier(warp->block, &load.side, WARP_SHARED, WARP_SHARED_FIRST + mbarrier);
    load.to = warp_find_shared(warp->block, &load.side, WARP_SHARED, WARP_SHARED_FIRST + at, 128, 16).bytes;
    const WarpTicket ticket = warp_mbarrier_ticket(load.mbarrier, &load.side);
    engine_touch(w, ticket, WARP_DEED_WRITE, at);
    warp_start(warp->block, ticket.agent, finish_engine_load, &load, sizeof load);
}

// As a bulk store: reads 128 bytes.
static WarpTicket engine_store(WarpState *w, uint64_t at) {
    Warp *warp = (Warp *)(void *)w;
    const WarpTicket ticket = warp_issue(warp->block, warp_agent(warp->block, WARP_QUEUE_BULK_READ, w->warp));
    engine_touch(w, ticket, 0, at);
    return ticket;
}

static void engine_wait(WarpState *w, WarpTicket ticket) {
    Warp *warp = (Warp *)(void *)w;
    warp_learn(warp, ALL, ticket);
}

enum {
    NO_FENCE = 1,
    FENCE_LATE = 2,
    NO_ENGINE_WAIT = 4,
    ENGINE_NO_BARRIER = 8,
    WRONG_PHASE = 16,
    NO_WAR_WAIT = 32,
    TRY_ONCE = 64,
    TEST_ONLY = 128,
    UNREAD_WAIT = 256,
};

// Warps write, warp 0 lets the engine store it, then it is written again.
static void store_by_engine(WarpState *w) {
    for (int i = 0; i < 3; i++) {
        lab_store(w, 0xFFFF, STORE_A, 64 + w->warp * 64, 4, lab_all(1));
        if (!has(w, NO_FENCE | FENCE_LATE)) lab_fence_async(w, ALL);
        if (!has(w, ENGINE_NO_BARRIER)) lab_barrier(w, 0, 0);
        if (w->warp == 0) {
            if (has(w, FENCE_LATE)) lab_fence_async(w, 1);
            const WarpTicket ticket = engine_store(w, 64);
            if (!has(w, NO_ENGINE_WAIT)) engine_wait(w, ticket);
        }
        lab_barrier(w, 0, 0);
    }
    lab_end(w);
}

// The whole warp waits for a phase: with a loop, or without one.
static void wait_as_told(WarpState *w, uint64_t at, uint64_t parity) {
    const uint32_t flags = has(w, UNREAD_WAIT) ? 7 : has(w, TEST_ONLY) ? 1 : 3;
    while (lab_do(w, ALL, TRY_WAIT, WARP_MBARRIER_WAIT, DETAIL(WARP_SHARED, WARP_ACQUIRE, 0, flags),
                  OPERAND(WARP_SHARED_FIRST + at, parity), NULL) != ALL &&
           !has(w, UNREAD_WAIT | TRY_ONCE))
        lab_loop(w);
}

// The engine loads two stages in turn, all warps read them.
static void load_by_engine(WarpState *w) {
    if (w->warp == 0) {
        lab_init(w, 1, 0, 1);
        lab_init(w, 1, 8, 1);
    }
    lab_barrier(w, 0, 0);
    for (uint32_t i = 0; i < 6; i++) {
        const uint64_t full = i % 2 * 8, data = 128 + i % 2 * 128, parity = i / 2 % 2;
        if (w->warp == 0) {
            lab_mbarrier_arrive(w, 1, full, 1, 128);
            engine_load(w, data, full);
        }
        if (!has(w, NO_WAIT)) wait_as_told(w, full, parity ^ (has(w, WRONG_PHASE) ? 1 : 0));
        const LabWords words = lab_load(w, ALL, LOAD_A, data, 4);
        for (uint32_t l = 0; l < WARP_LANES; l++)
            if (words.lane[l] != 0x07070707 && !has(w, NO_WAIT | WRONG_PHASE | UNREAD_WAIT))
                w->ops->trap(w, ALL, WARP_TRAP, OTHER);
        if (!has(w, NO_WAR_WAIT)) lab_barrier(w, 0, 0);
    }
    lab_end(w);
}

Test(warp_order, asynchronous_operations) {
    const OrderRow rows[] = {
        {store_by_engine, 0, NULL},
        {store_by_engine, FENCE_LATE, NULL},
        {store_by_engine, NO_FENCE,
         "other (k.ptx:10) at byte 64 of shared memory, which warp 0 lane 0 in st.a (k.ptx:2) wrote; a "
         "fence.proxy.async is missing between the two"},
        {store_by_engine, NO_ENGINE_WAIT,
         " of shared memory before it is known that what other (k.ptx:10) does there is done"},
        {store_by_engine, ENGINE_NO_BARRIER, " before it is known that what "},
        {load_by_engine, 0, NULL},
        {load_by_engine, NO_WAIT, " before it is known that what "},
        {load_by_engine, WRONG_PHASE, " before it is known that what "},
        {load_by_engine, NO_WAR_WAIT, " before it is known that what "},
        {load_by_engine, TEST_ONLY, NULL},
        {load_by_engine, UNREAD_WAIT, " before it is known that what "},
    };
    run_rows(rows, BASE_COUNT(rows), 64);
}

// try_wait may return before the phase has ended. In the forward schedule it has, by chance.
Test(warp_order, a_wait_without_a_loop_is_found_in_the_reverse_schedule) {
    WarpLab lab = warp_lab_open(1, load_by_engine, 64, 4096);
    cr_expect(warp_lab_run(&lab, TRY_ONCE), "%s", lab.text);
    lab.threads.reverse = true;
    cr_expect_not(warp_lab_run(&lab, TRY_ONCE));
    cr_expect(strstr(lab.text, "before it is known that what other (k.ptx:10) does there is done"), "%s", lab.text);
    warp_lab_close(&lab);
}

// All lanes arrive, in vain or not; who has said .noComplete must not be the last.
static void arrive_without_completing(WarpState *w) {
    const uint32_t lanes = (uint32_t)warp_lab_parameters(w)->number;
    lab_init(w, 1, 8, WARP_LANES);
    lab_sync(w, ALL);
    lab_do(w, lanes, MBARRIER, WARP_MBARRIER_ARRIVE, DETAIL(WARP_SHARED, WARP_RELEASE, 0, 4),
           OPERAND(WARP_SHARED_FIRST + 8, 1), NULL);
    if (~lanes) lab_mbarrier_arrive(w, ~lanes, 8, 1, 0);
    lab_wait(w, ALL, 8, 0);
    lab_end(w);
}

Test(warp_order, arrivals_that_must_not_complete_a_phase) {
    const OrderRow rows[] = {
        {arrive_without_completing, ALL >> 1, NULL},
        {arrive_without_completing, ALL,
         "warp 0 lane 31 in mbarrier (k.ptx:8) completes phase 0 of the mbarrier at byte 8 of shared memory, though "
         ".noComplete says that it does not"},
    };
    run_rows(rows, BASE_COUNT(rows), 32);
}
