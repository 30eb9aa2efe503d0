// SPDX-License-Identifier: Apache-2.0
// Blocks of warps: registers, barriers, who runs, how blocks end, what launches may ask for.
#include "tests/runtime/warp_lab.h"

#include <criterion/criterion.h>

static uint64_t number_of(const WarpState *w) {
    return warp_lab_parameters(w)->number;
}

static void expect_fault(WarpEntry *entry, uint32_t threads, uint32_t shared, uint64_t number, const char *text) {
    WarpLab lab = warp_lab_open(1, entry, threads, shared);
    for (int again = 0; again < 2; again++) {
        cr_expect_not(warp_lab_run(&lab, number), "%s", text);
        char whole[2000];
        snprintf(whole, sizeof whole, "test: kernel lab: block (0, 0, 0): %s [E", text);
        cr_expect(strstr(lab.text, whole), "%s\nis not\n%s", lab.text, text);
    }
    warp_lab_close(&lab);
}

// ---- barriers

// Rotates a value through all threads by way of shared memory: thread t ends with t + number.
static void rotate(WarpState *w) {
    LabWords value = lab_threads(w);
    const uint32_t threads = w->threads[0];
    for (uint64_t i = 0; i < number_of(w); i++) {
        lab_store(w, w->alive, STORE_A, w->warp * 128, 4, value);
        lab_barrier(w, 0, 0);
        const LabWords next = lab_load(w, w->alive, LOAD_A, w->warp * 128 + 4, 4);
        for (uint32_t l = 0; l < WARP_LANES; l++) value.lane[l] = next.lane[l];
        const uint32_t last = threads - 1 - w->warp * WARP_LANES;
        if (last < WARP_LANES) value.lane[last] = lab_load(w, 1, LOAD_B, 0, 0).lane[0];
        lab_barrier(w, 0, 0);
    }
    const uint64_t out = warp_lab_parameters(w)->a + (w->block[0] * threads + w->warp * WARP_LANES) * 4;
    lab_store_as(w, w->alive, STORE_B, WARP_GLOBAL, 0, out, 4, value);
    lab_end(w);
}

Test(warp_block, barriers_with_1_to_1024_threads) {
    static const uint32_t counts[] = {1, 2, 31, 32, 33, 64, 100, 128, 500, 1024};
    for (size_t i = 0; i < BASE_COUNT(counts); i++) {
        const uint32_t threads = counts[i];
        // The lane behind the last one reads beyond: its value is replaced.
        WarpLab lab = warp_lab_open(2, rotate, threads, threads * 4 + 4);
        lab.grid[0] = 7;
        cr_assert(warp_lab_run(&lab, 9), "%s", lab.text);
        static uint32_t words[7 * WARP_THREADS_MAX];
        warp_lab_words(&lab, 0, words, 7 * threads);
        for (uint32_t k = 0; k < 7 * threads; k++)
            cr_assert_eq(words[k], (k % threads + 9) % threads, "thread %u of %u: %u", k, threads, words[k]);
        warp_lab_close(&lab);
    }
}

static void write_registers(WarpState *w) {
    const uint32_t block = w->block[0] + w->blocks[0] * (w->block[1] + w->blocks[1] * w->block[2]);
    LabWords words;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        words.lane[l] = block + w->thread[0][l] * 1000 + w->thread[1][l] * 10000 + w->thread[2][l] * 100000;
    const uint64_t out = warp_lab_parameters(w)->a + (block * 60 + w->warp * WARP_LANES) * 4;
    lab_store_as(w, w->alive, STORE_A, WARP_GLOBAL, 0, out, 4, words);
    lab_end(w);
}

Test(warp_block, registers_tell_where_a_thread_is) {
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        WarpLab lab = warp_lab_open(jobs, write_registers, 60, 0);
        memcpy(lab.grid, (uint32_t[]){3, 4, 5}, sizeof lab.grid);
        memcpy(lab.threads.block, (uint32_t[]){5, 4, 3}, sizeof lab.threads.block);
        cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
        static uint32_t words[60 * 60];
        warp_lab_words(&lab, 0, words, 60 * 60);
        for (uint32_t i = 0; i < 60 * 60; i++) {
            const uint32_t t = i % 60;
            cr_assert_eq(words[i], i / 60 + t % 5 * 1000 + t / 5 % 4 * 10000 + t / 20 * 100000);
        }
        warp_lab_close(&lab);
    }
}

// Warps 0 and 1 hand numbers to warps 2 and 3 by barriers 1 (full) and 2 (empty), of 128 threads each.
static void produce_and_consume(WarpState *w) {
    const uint64_t rounds = number_of(w);
    LabWords sum = lab_all(0);
    for (uint64_t i = 0; i < rounds; i++) {
        const uint64_t at = w->warp % 2 * 128;
        if (w->warp < 2) {
            if (i) lab_barrier(w, 2, 128);
            lab_store(w, ALL, STORE_A, at, 4, lab_all((uint32_t)i));
            lab_arrive(w, 1, 128);
        } else {
            lab_barrier(w, 1, 128);
            const LabWords value = lab_load(w, ALL, LOAD_A, at, 4);
            for (uint32_t l = 0; l < WARP_LANES; l++) sum.lane[l] += value.lane[l];
            if (i + 1 < rounds) lab_arrive(w, 2, 128);
        }
    }
    if (w->warp >= 2)
        lab_store_as(w, ALL, STORE_B, WARP_GLOBAL, 0, warp_lab_parameters(w)->a + w->warp % 2 * 128, 4, sum);
    lab_end(w);
}

Test(warp_block, warps_hand_on_by_named_barriers) {
    for (int reverse = 0; reverse < 2; reverse++) {
        WarpLab lab = warp_lab_open(1, produce_and_consume, 128, 1024);
        lab.threads.reverse = reverse;
        cr_assert(warp_lab_run(&lab, 100), "%s", lab.text);
        uint32_t words[64];
        warp_lab_words(&lab, 0, words, 64);
        for (uint32_t i = 0; i < 64; i++) cr_assert_eq(words[i], 99 * 100 / 2);
        warp_lab_close(&lab);
    }
}

// Thread t votes t < number.
static void vote(WarpState *w) {
    const uint64_t number = number_of(w);
    uint64_t operands[3][WARP_LANES];
    for (uint32_t kind = 1; kind <= 3; kind++) {
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            operands[0][l] = 3;
            operands[1][l] = 0;
            operands[2][l] = w->warp * WARP_LANES + l < number;
        }
        const WarpOperation arrive = {.place = BARRIER, .kind = WARP_BARRIER_ARRIVE, .detail = {1, 1}};
        const WarpOperation wait = {.place = BARRIER, .kind = WARP_BARRIER_WAIT, .detail = {1, kind}};
        w->ops->operate(w, w->alive, &arrive, operands, NULL);
        memcpy(operands[1], operands[0], sizeof operands[1]);
        for (uint32_t l = 0; l < WARP_LANES; l++) operands[0][l] = 3;
        w->ops->operate(w, w->alive, &wait, operands, NULL);
        LabWords words;
        for (uint32_t l = 0; l < WARP_LANES; l++) words.lane[l] = (uint32_t)operands[0][l];
        const uint64_t out = warp_lab_parameters(w)->a + ((kind - 1) * 256 + w->warp * WARP_LANES) * 4;
        lab_store_as(w, w->alive, STORE_A, WARP_GLOBAL, 0, out, 4, words);
    }
    lab_end(w);
}

Test(warp_block, barriers_reduce_predicates) {
    static const uint32_t numbers[] = {0, 1, 77, 99, 100};
    for (size_t i = 0; i < BASE_COUNT(numbers); i++) {
        WarpLab lab = warp_lab_open(1, vote, 100, 0);
        cr_assert(warp_lab_run(&lab, numbers[i]), "%s", lab.text);
        uint32_t words[768];
        warp_lab_words(&lab, 0, words, 768);
        for (uint32_t t = 0; t < 100; t++) {
            cr_assert_eq(words[t], numbers[i]);
            cr_assert_eq(words[256 + t], numbers[i] == 100);
            cr_assert_eq(words[512 + t], numbers[i] > 0);
        }
        warp_lab_close(&lab);
    }
}

// Lanes come to a barrier that is not aligned in two groups, in warps 0 and 1 alike.
static void come_apart(WarpState *w) {
    uint32_t waiting = 0;
    uint64_t token[2];
    const uint32_t groups[] = {0x0000FFFF, 0xFFFF0000};
    for (int i = 0; i < 2; i++) {
        lab_do(w, groups[i], BARRIER, WARP_BARRIER_ARRIVE, DETAIL(0, 1), OPERAND(5, 64), &token[i]);
        waiting |= groups[i];
    }
    while (waiting) {
        for (int i = 0; i < 2; i++)
            if (waiting & groups[i])
                waiting &= ~lab_do(w, groups[i], BARRIER, WARP_BARRIER_WAIT, NULL, OPERAND(5, token[i]), NULL);
        if (waiting) w->ops->yield(w);
    }
    lab_store_as(w, ALL, STORE_A, WARP_GLOBAL, 0, warp_lab_parameters(w)->a + w->warp * 128, 4, lab_all(7));
    lab_end(w);
}

Test(warp_block, lanes_may_come_to_a_barrier_in_groups) {
    WarpLab lab = warp_lab_open(1, come_apart, 64, 0);
    cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
    uint32_t words[64];
    warp_lab_words(&lab, 0, words, 64);
    for (uint32_t i = 0; i < 64; i++) cr_assert_eq(words[i], 7);
    warp_lab_close(&lab);
}

// Warp 1 ends without coming; barriers of all threads do not wait for it.
static void leave_early(WarpState *w) {
    if (w->warp != 1) lab_barrier(w, 0, 0);
    if (w->warp == 2) lab_barrier(w, 1, 64);
    if (w->warp == 0) lab_arrive(w, 1, 64);
    lab_end(w);
}

Test(warp_block, ended_warps_are_not_waited_for) {
    WarpLab lab = warp_lab_open(1, leave_early, 96, 0);
    cr_expect(warp_lab_run(&lab, 0), "%s", lab.text);
    lab.threads.reverse = true;
    cr_expect(warp_lab_run(&lab, 0), "%s", lab.text);
    warp_lab_close(&lab);
}

// ---- deadlocks and wrong barriers

static void wait_in_vain(WarpState *w) {
    lab_barrier(w, w->warp == number_of(w) ? 2 : 1, 128);
    lab_end(w);
}

static void wait_in_vain_at_mbarriers(WarpState *w) {
    if (w->warp == 0) lab_init(w, 1, 8, 2);
    if (w->warp == 0) lab_mbarrier_arrive(w, 1, 8, 1, 512);
    if (w->warp == 0) lab_complete(w, 1, 8, 128);
    lab_barrier(w, 0, 0);
    lab_wait(w, w->warp == 1 ? 1 : ALL, 8, 0);
    lab_end(w);
}

static void poll_in_vain(WarpState *w) {
    if (w->warp == 0) lab_init(w, 1, 8, 1);
    lab_barrier(w, 0, 0);
    if (w->warp == 0) lab_barrier(w, 2, 64);
    while (!lab_do(w, ALL, TRY_WAIT, WARP_MBARRIER_WAIT, DETAIL(WARP_SHARED, 0, 0, 1),
                   OPERAND(WARP_SHARED_FIRST + 8, 0), NULL))
        lab_loop(w);
    lab_end(w);
}

static void other_counts(WarpState *w) {
    lab_barrier(w, 4, w->warp == 2 ? 128 : 96);
    lab_end(w);
}

static void wrong_barrier(WarpState *w) {
    const uint64_t number = number_of(w);
    lab_barrier(w, number == 1 ? 16 : 3, number == 2 ? 33 : number == 3 ? 256 : 0);
    lab_end(w);
}

Test(warp_block, deadlocks_name_what_each_warp_waits_for) {
    expect_fault(wait_in_vain, 128, 64, 2,
                 "deadlock: warps 0 to 1 in bar.sync (k.ptx:6) wait at barrier 1, where 96 of 128 threads have "
                 "arrived; warp 2 in bar.sync (k.ptx:6) waits at barrier 2, where 32 of 128 threads have arrived; "
                 "warp 3 in bar.sync (k.ptx:6) waits at barrier 1, where 96 of 128 threads have arrived");
}

Test(warp_block, deadlocks_of_mbarriers) {
    expect_fault(wait_in_vain_at_mbarriers, 96, 64, 0,
                 "deadlock: warps 0 to 2 in try_wait (k.ptx:9) wait for phase 0 of the mbarrier at byte 8 of shared "
                 "memory, which waits for 1 arrival and 384 bytes");
    expect_fault(poll_in_vain, 64, 64, 0,
                 "deadlock: warp 0 in bar.sync (k.ptx:6) waits at barrier 2, where 32 of 64 threads have arrived; "
                 "warp 1 in try_wait (k.ptx:9) waits for phase 0 of the mbarrier at byte 8 of shared memory, which "
                 "waits for 1 arrival");
}

Test(warp_block, wrong_barriers_are_errors) {
    expect_fault(other_counts, 96 + 32, 0, 0,
                 "warp 2 in bar.sync (k.ptx:6) for 128 threads at barrier 4, but warp 0 in bar.sync (k.ptx:6) for 96");
    expect_fault(wrong_barrier, 128, 0, 1, "warp 0 in bar.sync (k.ptx:6): there is no barrier 16, only 0 to 15");
    expect_fault(wrong_barrier, 128, 0, 2,
                 "warp 0 in bar.sync (k.ptx:6): 33 threads are no multiple of 32, or more than the block has");
    expect_fault(wrong_barrier, 128, 0, 3,
                 "warp 0 in bar.sync (k.ptx:6): 256 threads are no multiple of 32, or more than the block has");
}
