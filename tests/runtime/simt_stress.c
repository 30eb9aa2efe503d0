// SPDX-License-Identifier: Apache-2.0
// The emulator under load, on several threads of the system, as a program of its own: Criterion does not run under
// ThreadSanitizer, this does. Exit status 0 is good.
#include "tests/runtime/simt_lab.h"

enum { ROUNDS = 6, BLOCKS = 24, THREADS = 96 };

// Takes a slot of scratch, adds up the numbers of all threads there and by shuffles, and counts the block; blocks wait
// for the one before. Blocks 5, 12, 19 fail if the number is 1.
static void work(const uint64_t *arguments) {
    const uint32_t block = lab_ops->special(SIMT_CTAID_X), thread = lab_thread();
    uint32_t *shared = lab_shared(), *locks = lab_pointer(lab_launch.scratch_locks), *out = lab_pointer(arguments[0]);
    if (thread == 0) {
        uint32_t slot = 0;
        for (;; slot = (slot + 1) % lab_launch.scratch_slots) {
            lab_ops->access(&locks[slot], 4, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC, AT_ATOMIC);
            if (!__atomic_exchange_n(&locks[slot], 1, __ATOMIC_ACQUIRE)) break;
            lab_ops->pause();
        }
        lab_store(shared, slot, AT_STORE_A);
        while (block && lab_add(&out[block - 1], 0, AT_ATOMIC) == 0) lab_ops->pause();
    }
    lab_ops->barrier(AT_BARRIER_A);
    const uint32_t slot = lab_load(shared, AT_LOAD_A);
    uint32_t *scratch = lab_pointer(lab_launch.scratch + slot * (uint64_t)512), sum = thread;
    for (uint32_t step = 16; step; step /= 2)
        sum += lab_ops->shuffle(SIMT_SHUFFLE_BFLY, UINT32_MAX, sum, step, 0x1F, AT_WARP);
    lab_store(&scratch[thread], sum, AT_STORE_B);
    lab_ops->barrier(AT_BARRIER_B);
    if (block % 7 == 5 && arguments[2] == 1 && thread > 40) lab_fail(block, thread);
    if (thread == 0) {
        const uint32_t all =
            lab_load(&scratch[0], AT_LOAD_B) + lab_load(&scratch[32], AT_LOAD_B) + lab_load(&scratch[64], AT_LOAD_B);
        lab_ops->access(&locks[slot], 4, SIMT_WRITE | SIMT_ATOMIC, AT_ATOMIC);
        __atomic_store_n(&locks[slot], 0, __ATOMIC_RELEASE);
        lab_add(&out[block], all, AT_ATOMIC);
    }
}

static int complain(const char *what, unsigned jobs, const char *text) {
    fprintf(stderr, "simt_stress: %s with %u threads: %s\n", what, jobs, text);
    return 1;
}

static int stress(unsigned jobs) {
    Lab lab = lab_open(jobs, work, THREADS, 64);
    if (!lab.device) return complain("cannot open", jobs, "");
    lab.grid[0] = BLOCKS;
    lab.kernel.scratch_bytes = 512;
    for (int round = 0; round < ROUNDS; round++) {
        static const uint32_t zeros[BLOCKS];
        uint32_t words[BLOCKS];
        rt_copy_in(lab.device, &lab.diagnostics, lab.buffers[0], 0, zeros, sizeof zeros);
        if (lab_run(&lab, 1) ||
            !strstr(lab.text, "block (5, 0, 0): assert: assertion failed at element 41: of the lab"))
            return complain("the lowest fault was lost", jobs, lab.text);
        rt_copy_in(lab.device, &lab.diagnostics, lab.buffers[0], 0, zeros, sizeof zeros);
        if (!lab_run(&lab, 0)) return complain("a launch failed", jobs, lab.text);
        lab_words(&lab, 0, words, BLOCKS);
        for (int i = 0; i < BLOCKS; i++)
            if (words[i] != THREADS * (THREADS - 1) / 2) return complain("a wrong sum", jobs, "");
    }
    lab_close(&lab);
    return 0;
}

int main(void) {
    for (unsigned jobs = 1; jobs <= 4; jobs++)
        if (stress(jobs)) return 1;
    return 0;
}
