// SPDX-License-Identifier: Apache-2.0
// The blocks of a launch one at a time, in an order that does not depend on the machine: each runs on a thread of its
// own until it waits for others or looks at what they do; then the next thread of a ring has its turn. A block that has
// ended makes room for the next one of the grid on its thread. Where nobody comes further the ring gets twice the
// threads, up to one for each block.
#include "runtime/races.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

enum {
    RING_FIRST = 8, // threads of kernels whose blocks look at each other
    RING_MAX = 4096,
    TURNS_AWAKE = 64,      // each thread, without a block that ended, before turns become slow
    TURNS_IN_VAIN = 10000, // with a fault: who waits stops
    SLEEP_NANOSECONDS = 50000,
};
#define RING_SCRATCH_MAX ((size_t)1 << 32)

typedef struct FixedThread {
    FixedRun *run;
    pthread_t thread;
    sem_t turn;
    uint8_t *memory; // head and scratch
    RaceThread *races;
    bool ended;
} FixedThread;

struct FixedRun {
    const RtWork *work;
    uint64_t next_block, lowest_fault;
    RtFault fault;
    FixedThread **threads;
    size_t count, living, current; // `current` has its turn
    size_t waiting;                // threads that have not begun
    uint64_t waits;                // since a block ended
    bool in_vain, looks, backwards;
    sem_t finished;
};

static size_t memory_size(const RtWork *work) {
    return (work->scratch_bytes + RT_SCRATCH_HEAD + 63) / 64 * 64;
}

// Whether another block can be begun.
static bool has_blocks(const FixedRun *run) {
    if (run->backwards && run->lowest_fault != UINT64_MAX) return false;
    return run->next_block < run->work->block_count && run->next_block <= run->lowest_fault;
}

// ---- turns ----------------------------------------------------------------------------------------------------------

static void give_turn(FixedRun *run, size_t next) {
    run->current = next;
    sem_post(&run->threads[next]->turn);
}

static void await_turn(FixedThread *thread) {
    while (sem_wait(&thread->turn) && errno == EINTR) {
    }
}

static size_t next_living(const FixedRun *run, size_t from) {
    size_t next = from;
    do next = (next + 1) % run->count;
    while (next != from && run->threads[next]->ended);
    return next;
}

// Gives the turn away, and waits for the next one.
static void pass(FixedRun *run) {
    FixedThread *own = run->threads[run->current];
    const size_t at = run->current, next = next_living(run, at);
    if (run->work->races && run->work->races->judge) race_judge_pause(run->work->races->judge);
    if (next == at) return;
    give_turn(run, next);
    await_turn(own);
}

void fixed_pass(FixedRun *run) {
    pass(run);
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

static void run_blocks(FixedThread *thread) {
    FixedRun *run = thread->run;
    while (has_blocks(run)) {
        RtFault fault;
        const uint64_t next = run->next_block++, block = run->backwards ? run->work->block_count - 1 - next : next;
        rt_run_block(run->work, thread->races, thread->memory, block, &fault);
        if (fault.site && block < run->lowest_fault) {
            run->lowest_fault = block;
            run->fault = fault;
        }
        if (run->work->printer) rt_printer_end(run->work->printer, block, fault.site);
        run->waits = 0;
        if (run->looks) pass(run);
    }
}

static void *thread_main(void *argument) {
    FixedThread *thread = argument;
    FixedRun *run = thread->run;
    await_turn(thread);
    run->waiting--;
    rt_begin_blocks(run->work, thread->memory);
    run_blocks(thread);
    rt_end_blocks(run->work, thread->memory);
    thread->ended = true;
    if (--run->living)
        give_turn(run, next_living(run, run->current));
    else
        sem_post(&run->finished);
    return NULL;
}

static void free_thread(const RtWork *work, FixedThread *thread) {
    if (!work->all_scratch) free(thread->memory);
    sem_destroy(&thread->turn);
    free(thread);
}

// One more thread, which waits for its turn. False: there is no block for it, or no means.
static bool add_thread(FixedRun *run) {
    const RtWork *work = run->work;
    if (run->count >= RING_MAX || run->next_block + run->waiting >= work->block_count) return false;
    if (run->count && ((work->threads_max && run->count >= work->threads_max) ||
                       memory_size(work) > RING_SCRATCH_MAX / (run->count + 1)))
        return false;
    FixedThread *thread = calloc(1, sizeof *thread);
    FixedThread **threads = realloc(run->threads, (run->count + 1) * sizeof *threads);
    if (threads) run->threads = threads;
    if (!thread || !threads) {
        free(thread);
        return false;
    }
    thread->run = run;
    thread->memory = work->all_scratch ? work->all_scratch + run->count * (work->scratch_bytes + RT_SCRATCH_HEAD)
                                       : aligned_alloc(64, memory_size(work));
    thread->races = work->races ? race_thread_open(work->races) : NULL;
    sem_init(&thread->turn, 0, 0);
    if (!thread->memory || (work->races && !thread->races) ||
        pthread_create(&thread->thread, NULL, thread_main, thread)) {
        free_thread(work, thread);
        return false;
    }
    run->threads[run->count++] = thread;
    run->living++;
    run->waiting++;
    return true;
}

static uint32_t wait_for_turn(const HostLaunch *launch) {
    FixedRun *run = launch->waiter;
    const uint64_t waits = ++run->waits;
    if (waits >= TURNS_IN_VAIN && run->lowest_fault != UINT64_MAX) run->in_vain = true;
    if (run->in_vain) return 1;
    if (waits % run->living == 0 && has_blocks(run)) // all have waited
        for (size_t more = run->living; more && add_thread(run); more--) {
        }
    if (waits > TURNS_AWAKE * run->living && !has_blocks(run))
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
    if (run->work->races) { // a loop that goes round looks anew
        FixedThread *own = run->threads[run->current];
        pass(run);
        own->races->last_op = 0;
    } else {
        pass(run);
    }
    return run->in_vain;
}

static void close_run(FixedRun *run) {
    for (size_t i = 0; i < run->count; i++) {
        pthread_join(run->threads[i]->thread, NULL);
        free_thread(run->work, run->threads[i]);
    }
    free(run->threads);
    sem_destroy(&run->finished);
}

bool fixed_run(const RtWork *work, HostLaunch *launch, RtFault *fault) {
    FixedRun run = {.work = work, .lowest_fault = UINT64_MAX};
    sem_init(&run.finished, 0, 0);
    launch->wait = wait_for_turn;
    launch->waiter = &run;
    run.looks = work->races && work->races->launch->kernel->looks;
    run.backwards = work->races && work->races->races->search == RT_RACES_JUDGE_BACK;
    if (run.looks) work->races->order = &run;
    bool good = add_thread(&run);
    for (unsigned i = 1; good && run.looks && i < RING_FIRST && i < work->block_count; i++) add_thread(&run);
    if (good) {
        give_turn(&run, 0);
        while (sem_wait(&run.finished) && errno == EINTR) {
        }
    }
    close_run(&run);
    *fault = run.fault;
    return good;
}
