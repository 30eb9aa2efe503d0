// SPDX-License-Identifier: Apache-2.0
// Blocks in the emulator: barriers, how threads end, what is reported of blocks that fail, scratch, waiting.
#include "tests/runtime/simt_lab.h"

#include <criterion/criterion.h>
#include <sys/resource.h>

// Rotates a value through all threads by way of shared memory: thread t ends with t + number.
static void rotate(const uint64_t *arguments) {
    const uint32_t thread = lab_thread(), threads = lab_ops->special(SIMT_NTID_X);
    uint32_t *shared = lab_shared(), value = thread;
    for (uint64_t i = 0; i < arguments[2]; i++) {
        lab_store(&shared[thread], value, AT_STORE_A);
        lab_ops->barrier(AT_BARRIER_A);
        value = lab_load(&shared[(thread + 1) % threads], AT_LOAD_A);
        lab_ops->barrier(AT_BARRIER_B);
    }
    const uint32_t block = lab_ops->special(SIMT_CTAID_X);
    lab_store(lab_pointer(arguments[0]) + block * threads + thread, value, AT_STORE_B);
}

Test(simt_block, barriers_with_1_to_1024_threads) {
    for (uint32_t threads = 1; threads <= SIMT_THREADS_MAX; threads = threads < 70 ? threads + 3 : threads * 2 + 1) {
        if (threads > 500) threads = SIMT_THREADS_MAX;
        Lab lab = lab_open(2, rotate, threads, threads * 4);
        lab.grid[0] = 7;
        cr_assert(lab_run(&lab, 9), "%s", lab.text);
        uint32_t words[7 * SIMT_THREADS_MAX];
        lab_words(&lab, 0, words, 7 * threads);
        for (uint32_t i = 0; i < 7 * threads; i++)
            cr_assert_eq(words[i], (i % threads + 9) % threads, "thread %u of %u", i, threads);
        lab_close(&lab);
    }
}

static void write_registers(const uint64_t *arguments) {
    const uint32_t x = lab_ops->special(SIMT_CTAID_X), y = lab_ops->special(SIMT_CTAID_Y),
                   z = lab_ops->special(SIMT_CTAID_Z), thread = lab_thread();
    const uint32_t block = x + lab_ops->special(SIMT_NCTAID_X) * (y + lab_ops->special(SIMT_NCTAID_Y) * z);
    lab_store(lab_pointer(arguments[0]) + block * 40 + thread,
              block + lab_ops->special(SIMT_LANEID) * 1000 + lab_ops->special(SIMT_NCTAID_Z) * 100000, AT_STORE_A);
}

Test(simt_block, registers_tell_where_a_thread_is) {
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        Lab lab = lab_open(jobs, write_registers, 40, 0);
        memcpy(lab.grid, (uint32_t[]){3, 4, 5}, sizeof lab.grid);
        cr_assert(lab_run(&lab, 0), "%s", lab.text);
        uint32_t words[60 * 40];
        lab_words(&lab, 0, words, 60 * 40);
        for (uint32_t i = 0; i < 60 * 40; i++) cr_assert_eq(words[i], i / 40 + i % 40 % 32 * 1000 + 500000);
        lab_close(&lab);
    }
}

// ---- barriers that not all come to

static void leave_early(const uint64_t *arguments) {
    if (lab_thread() == arguments[2]) return;
    lab_ops->barrier(AT_BARRIER_A);
}

static void two_barriers(const uint64_t *arguments) {
    lab_ops->barrier(lab_thread() == arguments[2] ? AT_BARRIER_B : AT_BARRIER_A);
}

static void barrier_or_warp(const uint64_t *arguments) {
    if (lab_thread() < arguments[2])
        lab_ops->barrier(AT_BARRIER_A);
    else
        lab_ops->warp_barrier(UINT32_MAX, AT_WARP);
}

static const struct DivergentRow {
    SimtEntry *entry;
    uint64_t number;
    const char *text;
} divergent_rows[] = {
    {leave_early, 70,
     "k.py:6: error: test: kernel lab: block (0, 0, 0): divergent barrier: thread 0 waits at a barrier in "
     "barrier_a (k.py:6), but thread 70 has returned [E503]\n"},
    {leave_early, 0,
     "k.py:6: error: test: kernel lab: block (0, 0, 0): divergent barrier: thread 1 waits at a barrier in "
     "barrier_a (k.py:6), but thread 0 has returned [E503]\n"},
    {two_barriers, 3,
     "k.py:6: error: test: kernel lab: block (0, 0, 0): divergent barrier: thread 0 waits at a barrier in "
     "barrier_a (k.py:6), but thread 3 waits at a barrier in barrier_b (k.py:7) [E503]\n"},
    {barrier_or_warp, 40,
     "k.py:8: error: test: kernel lab: block (0, 0, 0): divergent warp operation: thread 40 waits at a "
     "warp barrier in warp_op (k.py:8), but thread 32 waits at a barrier in barrier_a (k.py:6) "
     "[E503]\n"},
};

Test(simt_block, divergent_barriers_are_errors) {
    for (size_t i = 0; i < BASE_COUNT(divergent_rows); i++) {
        Lab lab = lab_open(1, divergent_rows[i].entry, 96, 0);
        for (int again = 0; again < 3; again++) {
            cr_assert_not(lab_run(&lab, divergent_rows[i].number));
            cr_expect_str_eq(lab.text, divergent_rows[i].text);
        }
        cr_expect(lab_run(&lab, 1000) || divergent_rows[i].entry == barrier_or_warp, "%s", lab.text);
        lab_close(&lab);
    }
}

// ---- threads that fail

// Threads 5 and up of blocks 4, 7, ... fail; the others would go on.
static void fail_some(const uint64_t *arguments) {
    const uint32_t block = lab_ops->special(SIMT_CTAID_X), thread = lab_thread();
    lab_ops->barrier(AT_BARRIER_A);
    if (block % 3 == 1 && block > arguments[2] && thread >= 5) lab_fail(block, thread);
    lab_ops->barrier(AT_BARRIER_B);
    lab_store(lab_pointer(arguments[0]) + block * 64 + thread, 1 + block, AT_STORE_A);
}

Test(simt_block, the_kernels_own_faults_are_those_of_the_lowest_block) {
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        Lab lab = lab_open(jobs, fail_some, 64, 16);
        lab.grid[0] = 30;
        for (uint64_t least = 0; least < 25; least += 7) {
            char expected[200];
            uint64_t block = least + 1;
            while (block % 3 != 1) block++;
            snprintf(expected, sizeof expected,
                     "k.py:9: error: test: kernel lab: block (%u, 0, 0): assert: assertion failed at element 5: of the "
                     "lab [E502]\n",
                     (unsigned)block);
            cr_assert_not(lab_run(&lab, least));
            cr_assert_str_eq(lab.text, expected);
        }
        cr_assert(lab_run(&lab, 30), "%s", lab.text);
        uint32_t words[30 * 64];
        lab_words(&lab, 0, words, 30 * 64);
        for (uint32_t i = 0; i < 30 * 64; i++) cr_assert_eq(words[i], 1 + i / 64);
        lab_close(&lab);
    }
}

// Some threads exit without a fault: barriers and warp operations do not wait for them.
static void exit_some(const uint64_t *arguments) {
    const uint32_t thread = lab_thread();
    uint32_t *shared = lab_shared();
    if (thread % 4 == 3 && thread < arguments[2]) lab_ops->exit();
    lab_ops->warp_barrier(UINT32_MAX, AT_WARP);
    lab_store(&shared[thread], thread, AT_STORE_A);
    lab_ops->barrier(AT_BARRIER_A);
    if (thread % 4 == 2) lab_ops->exit();
    lab_ops->barrier(AT_BARRIER_B);
    lab_store(lab_pointer(arguments[0]) + thread, 1 + lab_load(&shared[thread ^ 1], AT_LOAD_A), AT_STORE_B);
}

Test(simt_block, nobody_waits_for_threads_that_have_exited) {
    Lab lab = lab_open(1, exit_some, 100, 400);
    cr_assert(lab_run(&lab, 50), "%s", lab.text);
    uint32_t words[100];
    lab_words(&lab, 0, words, 100);
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(words[i], i % 4 == 2 || (i % 4 == 3 && i < 50) ? 0 : 1 + (i ^ 1), "thread %u", i);
    lab_close(&lab);
}

static void trap_late(const uint64_t *arguments) {
    const uint32_t block = lab_ops->special(SIMT_CTAID_X);
    lab_ops->barrier(AT_BARRIER_A);
    if (block >= arguments[2] && lab_thread() == 33) lab_ops->trap(AT_LOAD_B);
    lab_ops->barrier(AT_BARRIER_B);
}

Test(simt_block, traps_end_the_launch) {
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        Lab lab = lab_open(jobs, trap_late, 64, 0);
        lab.grid[0] = 20;
        cr_assert_not(lab_run(&lab, 11));
        cr_expect_str_eq(lab.text,
                         "k.py:3: error: test: kernel lab: block (11, 0, 0): thread 33 traps in load_b (k.py:3) "
                         "[E503]\n");
        cr_assert(lab_run(&lab, 20), "%s", lab.text);
        lab_close(&lab);
    }
}

// ---- waiting

// Thread 0 waits for thread 40 of its block, which waits for thread 0 of the next one.
static void wait_around(const uint64_t *arguments) {
    uint32_t *flags = lab_pointer(arguments[0]);
    const uint32_t block = lab_ops->special(SIMT_CTAID_X), blocks = lab_ops->special(SIMT_NCTAID_X);
    const uint32_t thread = lab_thread();
    if (thread == 40) {
        while (block + 1 < blocks && !lab_add(&flags[2 * block + 2], 0, AT_ATOMIC)) lab_ops->pause();
        lab_add(&flags[2 * block + 1], 1, AT_ATOMIC);
    }
    if (thread == 0) {
        while (!lab_add(&flags[2 * block + 1], 0, AT_ATOMIC)) lab_ops->pause();
        lab_add(&flags[2 * block], 1, AT_ATOMIC);
    }
    lab_ops->barrier(AT_BARRIER_A);
}

Test(simt_block, threads_and_blocks_may_wait_for_others, .timeout = 100) {
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        Lab lab = lab_open(jobs, wait_around, 64, 0);
        lab.grid[0] = 20;
        cr_assert(lab_run(&lab, 0), "%s", lab.text);
        uint32_t words[40];
        lab_words(&lab, 0, words, 40);
        for (uint32_t i = 0; i < 40; i++) cr_assert_eq(words[i], 1);
        lab_close(&lab);
    }
}

// All threads of a block go round together until the block above has come, as compiled loops do.
static void wait_together(const uint64_t *arguments) {
    uint32_t *flags = lab_pointer(arguments[0]), *shared = lab_shared();
    const uint32_t block = lab_ops->special(SIMT_CTAID_X), blocks = lab_ops->special(SIMT_NCTAID_X);
    for (uint32_t seen = 0; !seen;) {
        if (lab_thread() == 0)
            lab_store(shared, block + 1 == blocks || lab_add(&flags[block + 1], 0, AT_ATOMIC), AT_STORE_A);
        lab_ops->barrier(AT_BARRIER_A);
        seen = lab_load(shared, AT_LOAD_A);
        lab_ops->barrier(AT_BARRIER_B);
        if (!seen) lab_ops->pause();
    }
    if (lab_thread() == 0) lab_add(&flags[block], 1, AT_ATOMIC);
}

Test(simt_block, whole_blocks_may_wait_for_others, .timeout = 100) {
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        Lab lab = lab_open(jobs, wait_together, 64, 4);
        lab.grid[0] = 12;
        cr_assert(lab_run(&lab, 0), "%s", lab.text);
        uint32_t words[12];
        lab_words(&lab, 0, words, 12);
        for (uint32_t i = 0; i < 12; i++) cr_assert_eq(words[i], 1);
        lab_close(&lab);
    }
}

// ---- scratch

// As compiled code takes scratch: thread 0 takes a lock, all use the slot. Bit 0 of the number: thread 9 touches the
// byte behind the slot; bit 1: without a lock; bit 2: the block fails in between.
static void use_scratch(const uint64_t *arguments) {
    const uint32_t thread = lab_thread(), block = lab_ops->special(SIMT_CTAID_X);
    uint32_t *shared = lab_shared(), *locks = lab_pointer(lab_launch.scratch_locks);
    if (thread == 0) {
        uint32_t slot = 0;
        for (;; slot = (slot + 1) % lab_launch.scratch_slots) {
            lab_ops->access(&locks[slot], 4, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC, AT_ATOMIC);
            if ((arguments[2] & 2) || !__atomic_exchange_n(&locks[slot], 1, __ATOMIC_ACQUIRE)) break;
            lab_ops->pause();
        }
        lab_store(&shared[0], slot, AT_STORE_A);
    }
    lab_ops->barrier(AT_BARRIER_A);
    const uint32_t slot = lab_load(&shared[0], AT_LOAD_A);
    uint32_t *scratch = lab_pointer(lab_launch.scratch + slot * (uint64_t)512);
    lab_store(&scratch[thread + (thread == 9 && arguments[2] & 1 ? 128 : 0)], block * 64 + thread, AT_STORE_B);
    lab_ops->barrier(AT_BARRIER_B);
    if (arguments[2] & 4 && block >= 10) lab_fail(block, thread);
    lab_store(lab_pointer(arguments[0]) + block * 64 + thread, lab_load(&scratch[63 - thread], AT_LOAD_B), AT_STORE_B);
    lab_ops->barrier(AT_BARRIER_A);
    if (thread == 0) {
        lab_ops->access(&locks[slot], 4, SIMT_WRITE | SIMT_ATOMIC, AT_ATOMIC);
        __atomic_store_n(&locks[slot], 0, __ATOMIC_RELEASE);
    }
}

Test(simt_block, each_block_has_scratch_of_its_own) {
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        Lab lab = lab_open(jobs, use_scratch, 64, 4);
        lab.grid[0] = 100;
        lab.kernel.scratch_bytes = 400;
        cr_assert(lab_run(&lab, 0), "%s", lab.text);
        uint32_t words[100 * 64];
        lab_words(&lab, 0, words, 100 * 64);
        for (uint32_t i = 0; i < 100 * 64; i++) cr_assert_eq(words[i], i / 64 * 64 + 63 - i % 64);
        cr_assert_not(lab_run(&lab, 4));
        cr_assert(strstr(lab.text, "block (10, 0, 0): assert"), "%s", lab.text);
        cr_assert_not(lab_run(&lab, 1));
        cr_assert(strstr(lab.text, "block (0, 0, 0): thread 9 writes in store_b (k.py:4) at byte "), "%s", lab.text);
        cr_assert(strstr(lab.text, "scratch, which is not that of the slot"), "%s", lab.text);
        cr_assert_not(lab_run(&lab, 2));
        cr_assert(strstr(lab.text, "thread 0 writes in store_b"), "%s", lab.text);
        lab_close(&lab);
    }
}

// ---- launches

Test(simt_block, kernels_that_cannot_run_are_refused) {
    Lab lab = lab_open(1, rotate, SIMT_THREADS_MAX + 1, 0);
    cr_assert_not(lab_run(&lab, 0));
    cr_expect(strstr(lab.text, "blocks of 1025 threads, allowed are 1 to 1024"), "%s", lab.text);
    lab.kernel.threads = 0;
    cr_assert_not(lab_run(&lab, 0));
    lab.kernel.threads = 32;
    lab.kernel.simt = NULL;
    cr_assert_not(lab_run(&lab, 0));
    cr_expect(strstr(lab.text, "was not compiled for device simt"), "%s", lab.text);
    cr_assert_str_eq(rt_name(lab.device), "simt");
    lab_close(&lab);
    Diagnostics diagnostics = {0};
    cr_assert_null(rt_open_simt(&diagnostics, &(RtDeviceOptions){.shadow = true}));
    cr_assert_eq(diagnostics.count, 1);
    diagnostics_close(&diagnostics);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_UNDER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_UNDER_ASAN 1
#endif
#ifndef TEST_UNDER_ASAN // whose own memory is more than any limit
Test(simt_block, stacks_that_cannot_be_had_are_an_error) {
    Lab lab = lab_open(2, rotate, SIMT_THREADS_MAX, SIMT_THREADS_MAX * 4);
    lab.grid[0] = 4;
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)2 << 30; // less than what the device has reserved already
    setrlimit(RLIMIT_AS, &limit);
    cr_expect_not(lab_run(&lab, 1));
    limit.rlim_cur = before;
    setrlimit(RLIMIT_AS, &limit);
    cr_expect_str_eq(lab.text,
                     "error: test: kernel lab: block (0, 0, 0): no memory for the stacks of 1024 threads [E503]\n");
    cr_expect(lab_run(&lab, 1), "%s", lab.text);
    lab_close(&lab);
}
#endif

// The launches of one device may be of different sizes.
Test(simt_block, a_device_runs_kernels_of_many_sizes) {
    Lab lab = lab_open(3, rotate, 1, 4);
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t threads = lab.kernel.threads = 1 + i * 7919 % 200;
        lab.kernel.shared_bytes = threads * 4;
        lab.grid[0] = 1 + i;
        cr_assert(lab_run(&lab, 2), "%s", lab.text);
        uint32_t words[12 * 200];
        lab_words(&lab, 0, words, (1 + i) * threads);
        for (uint32_t k = 0; k < (1 + i) * threads; k++) cr_assert_eq(words[k], (k % threads + 2) % threads);
    }
    lab_close(&lab);
}
