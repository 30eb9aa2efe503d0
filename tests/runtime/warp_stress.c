// SPDX-License-Identifier: Apache-2.0
// Blocks of warps under load, on several threads of the system, as a program of its own: Criterion does not run under
// ThreadSanitizer, this does. Exit status 0 is good.
#include "tests/runtime/warp_lab.h"

enum { ROUNDS = 12, BLOCKS = 24, THREADS = 96, SUM_AT = 0, MBARRIER_AT = 512, SHARED = 1024 };
enum { NUMBER_GOOD, NUMBER_FAILS };

// Adds up the numbers of all threads in shared memory, with an mbarrier and a barrier, and adds the sum to a word of
// the block and to one of all blocks. Blocks wait for the one before. Blocks 5, 12, 19 fail if the launch says so.
static void add_threads(WarpState *w) {
    const WarpLabParameters *parameters = warp_lab_parameters(w);
    const uint32_t block = w->block[0], strong = WARP_ACQUIRE | WARP_RELEASE;
    const bool first = w->warp == 0;
    if (first) {
        lab_store(w, 1, STORE_A, SUM_AT, 0, lab_all(0));
        lab_init(w, 1, MBARRIER_AT, THREADS / WARP_LANES);
        while (block &&
               !lab_load_as(w, 1, LOAD_A, WARP_GLOBAL, WARP_ACQUIRE, parameters->a + 4 * (block - 1), 0).lane[0])
            lab_loop(w);
    }
    lab_barrier(w, 0, THREADS);
    lab_add(w, w->alive, WARP_SHARED, WARP_RELAXED, WARP_SHARED_FIRST + SUM_AT, 0, lab_threads(w));
    lab_sync(w, w->alive);
    lab_mbarrier_arrive(w, 1, MBARRIER_AT, 1, 0);
    if (first) {
        lab_wait(w, w->alive, MBARRIER_AT, 0);
        const LabWords sum = lab_load(w, w->alive, LOAD_B, SUM_AT, 0);
        lab_add(w, 1, WARP_GLOBAL, strong, parameters->b + 4 * BLOCKS, 0, sum);
        lab_store_as(w, 1, STORE_B, WARP_GLOBAL, 0, parameters->b + 4 * block, 0, sum);
        lab_store_as(w, 1, STORE_B, WARP_GLOBAL, WARP_RELEASE, parameters->a + 4 * block, 0, lab_all(1));
        if (block % 7 == 5 && parameters->number == NUMBER_FAILS) lab_store(w, 1, STORE_A, SHARED + 4 * block, 0, sum);
    }
    lab_end(w);
}

static int complain(const char *what, unsigned jobs, const char *text) {
    fprintf(stderr, "warp_stress: %s with %u threads: %s\n", what, jobs, text);
    return 1;
}

static int stress(unsigned jobs) {
    static const uint32_t zeros[BLOCKS + 1], sum = THREADS * (THREADS - 1) / 2;
    WarpLab lab = warp_lab_open(jobs, add_threads, THREADS, SHARED);
    if (!lab.device) return complain("cannot open", jobs, "");
    lab.grid[0] = BLOCKS;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const bool fails = round % 2;
        uint32_t words[BLOCKS + 1];
        lab.threads.reverse = round / 2 % 2;
        for (int i = 0; i < WARP_LAB_BUFFERS; i++)
            rt_copy_in(lab.device, &lab.diagnostics, lab.buffers[i], 0, zeros, sizeof zeros);
        if (warp_lab_run(&lab, fails ? NUMBER_FAILS : NUMBER_GOOD) == fails)
            return complain(fails ? "nothing failed" : "a launch failed", jobs, lab.text);
        if (fails && !strstr(lab.text, "block (5, 0, 0)")) return complain("the lowest fault was lost", jobs, lab.text);
        if (fails) continue;
        warp_lab_words(&lab, 1, words, BLOCKS + 1);
        for (int i = 0; i < BLOCKS; i++)
            if (words[i] != sum) return complain("a wrong sum", jobs, "");
        if (words[BLOCKS] != BLOCKS * sum) return complain("a wrong sum of all blocks", jobs, "");
    }
    warp_lab_close(&lab);
    return 0;
}

int main(void) {
    for (unsigned jobs = 1; jobs <= 4; jobs++)
        if (stress(jobs)) return 1;
    return 0;
}
